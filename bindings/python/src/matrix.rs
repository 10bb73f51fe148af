//! Scores of many pairs: `cdist`, `cpdist`.

use std::ops::ControlFlow;

use pyo3::exceptions::PyOverflowError;
use pyo3::prelude::*;
use swath::pairs::{Measure, PairBlock, Selection, Values};
use swath::query::Pairs;

use crate::call::Call;
use crate::errors::{OrRaise, finite, input_error};
use crate::lists::{Source, Strings, lens};
use crate::output::{Fill, Output, Score, in_shares};
use crate::score::{Kind, Scorer};

/// Options of `cdist` and `cpdist`.
pub struct Options<'py> {
    pub scorer: Scorer,
    pub processor: Option<Bound<'py, PyAny>>,
    pub multiplier: f64,
    pub dtype: Option<Bound<'py, PyAny>>,
    pub call: Call<'py>,
}

pub fn longest(lens: &[u32]) -> u64 {
    lens.iter().copied().max().unwrap_or(0).into()
}

/// Selection of the pairs that are compared.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Shape {
    Cross,
    /// All pairs of one list; both halves of the matrix.
    Symmetric,
    Zip,
}

impl<'py> Options<'py> {
    /// True if the score of what is worse than the cutoff is the cutoff + 1.
    fn has_cutoff_distance(&self) -> bool {
        self.scorer.kind == Kind::Distance && !self.scorer.is_float()
    }

    /// Scores of all pairs, as an array of the shape.
    fn scores(
        &self,
        py: Python<'py>,
        queries: &Bound<'py, PyAny>,
        choices: &Bound<'py, PyAny>,
        is_zip: bool,
    ) -> PyResult<Bound<'py, PyAny>> {
        let shape = match (is_zip, queries.is(choices)) {
            (true, _) => Shape::Zip,
            // Equal strings without tokens have the worst score.
            (false, true) if self.scorer.measure != Measure::TokenSet => Shape::Symmetric,
            (false, _) => Shape::Cross,
        };
        let source = |name, list: &Bound<'py, PyAny>| {
            let source = Source::of(name, list)?;
            let processed = source.processed(py, self.processor.as_ref())?;
            PyResult::Ok(processed.unwrap_or(source))
        };
        let sources = (
            source("queries", queries)?,
            match shape {
                Shape::Symmetric => None,
                _ => Some(source("choices", choices)?),
            },
        );
        let first = sources.0.strings(py)?;
        let second = sources.1.as_ref().map(|source| source.strings(py));
        let second = second.transpose()?;
        let are_text = first.are_text() && second.as_ref().is_none_or(Strings::are_text);
        self.scorer.check_text(are_text)?;
        let counts = (
            first.list.len(),
            second
                .as_ref()
                .map_or(first.list.len(), |second| second.list.len()),
        );
        let mut missing: Vec<(bool, usize)> =
            first.missing.iter().map(|&row| (true, row)).collect();
        let columns = second.as_ref().map_or(&first.missing, |list| &list.missing);
        missing.extend(columns.iter().map(|&column| (false, column)));
        if !missing.is_empty()
            && self.scorer.passes(self.scorer.worst())
            && self.has_cutoff_distance()
        {
            return Err(input_error(
                py,
                "None has no distance; drop it, give a score_cutoff below 2^53, or take the kind \
                 'normalized_distance'"
                    .to_string(),
            ));
        }
        let (queries, choices) = Strings::unify(py, first, second)?;
        let (queries, choices) = (queries.list, choices.map(|choices| choices.list));
        let of_queries = lens(&queries);
        let of_choices = choices.as_ref().map_or_else(|| of_queries.clone(), lens);
        let plan = Plan {
            shape,
            counts,
            lens: (of_queries, of_choices),
            missing,
        };
        let selection = match shape {
            Shape::Zip => Selection::Zip,
            Shape::Symmetric => Selection::Symmetric,
            Shape::Cross => Selection::Cross,
        };
        let pairs = Pairs::of(queries, choices, selection);
        self.filled(py, pairs.or_raise(py)?, plan)
    }

    fn filled(
        &self,
        py: Python<'py>,
        mut pairs: Pairs<'_>,
        plan: Plan,
    ) -> PyResult<Bound<'py, PyAny>> {
        let default = if self.scorer.is_float() {
            "float32"
        } else {
            "uint32"
        };
        let default = default.into_pyobject(py)?.into_any();
        let dtype = self.dtype.as_ref().unwrap_or(&default);
        let (rows, columns) = plan.counts;
        let mut output = match plan.shape {
            Shape::Zip => Output::new(py, &[rows], dtype)?,
            _ => Output::new(py, &[rows, columns], dtype)?,
        };
        let (a, b) = (longest(&plan.lens.0), longest(&plan.lens.1));
        let mut greatest = self.scorer.max(a, b);
        if self.has_cutoff_distance() && self.scorer.cutoff.is_some() {
            let worst = self.scorer.worst();
            greatest = if plan.missing.is_empty() {
                greatest.min(worst)
            } else {
                worst
            };
        }
        pairs.options.measure = self.scorer.measure;
        pairs.options.within = self.scorer.bound(a, b);
        output.fill(
            greatest * self.multiplier,
            Matrix {
                py,
                options: self,
                pairs,
                plan,
            },
        )?;
        Ok(output.into_array())
    }
}

struct Plan {
    shape: Shape,
    counts: (usize, usize),
    lens: (Vec<u32>, Vec<u32>),
    /// Missing queries (true) and choices.
    missing: Vec<(bool, usize)>,
}

impl Plan {
    fn cells(&self) -> u128 {
        let sum = |lens: &[u32]| lens.iter().map(|&len| u128::from(len.max(1))).sum::<u128>();
        match self.shape {
            Shape::Zip => {
                let pair = |(&a, &b): (&u32, &u32)| u128::from(a.max(1)) * u128::from(b.max(1));
                self.lens.0.iter().zip(&self.lens.1).map(pair).sum()
            }
            _ => sum(&self.lens.0) * sum(&self.lens.1),
        }
    }
}

struct Matrix<'a, 'py, 'p> {
    py: Python<'py>,
    options: &'a Options<'py>,
    pairs: Pairs<'p>,
    plan: Plan,
}

impl Fill for Matrix<'_, '_, '_> {
    type Filled = ();

    fn fill<T: Score>(self, elements: &mut [T]) -> PyResult<()> {
        let Self {
            py,
            options,
            pairs,
            plan,
        } = self;
        if let (true, Some(cutoff), [_, ..]) = (
            options.has_cutoff_distance(),
            options.scorer.cutoff,
            &plan.missing[..],
        ) {
            let scores =
                [cutoff.floor(), options.scorer.worst()].map(|score| score * options.multiplier);
            if T::of_score(scores[0]) == T::of_score(scores[1]) {
                return Err(PyOverflowError::new_err(format!(
                    "the dtype rounds {}, the score of None, to that of the score_cutoff; give a \
                     wider dtype or a greater score_multiplier",
                    scores[1]
                )));
            }
        }
        let cells = plan.cells();
        let writer = Writer {
            scorer: options.scorer,
            multiplier: options.multiplier,
            plan: &plan,
            threads: options.call.place.threads(),
        };
        let target = &mut *elements;
        let task = pairs.for_each(|block| {
            writer.write(&block, target);
            ControlFlow::Continue(())
        });
        options.call.run(py, &task, cells)?;
        drop(task);
        py.detach(|| writer.finish(elements));
        Ok(())
    }
}

/// Converts values to scores at their places.
struct Writer<'a> {
    scorer: Scorer,
    multiplier: f64,
    plan: &'a Plan,
    threads: usize,
}

impl Writer<'_> {
    fn write<T: Score>(&self, block: &PairBlock<'_>, elements: &mut [T]) {
        match block.values() {
            Values::U8(values) => self.write_values(block.first(), values, elements),
            Values::U16(values) => self.write_values(block.first(), values, elements),
            Values::U32(values) => self.write_values(block.first(), values, elements),
            _ => unreachable!("values have one of three types"),
        }
    }

    fn write_values<V, T>(&self, first: u64, values: &[V], elements: &mut [T])
    where
        V: Copy + Into<u32> + Sync,
        T: Score,
    {
        let first = first as usize;
        let (rows, columns) = self.plan.counts;
        if self.plan.shape == Shape::Symmetric {
            // Pairs of a row are those behind the diagonal.
            let row_start = |row: usize| row * (columns - 1) - row * row.saturating_sub(1) / 2;
            let mut row = (1..rows).take_while(|&row| row_start(row) <= first).count();
            let (mut place, mut rest) = (first, values);
            while !rest.is_empty() {
                let column = row + 1 + (place - row_start(row));
                let (here, others) = rest.split_at(rest.len().min(columns - column));
                let start = row * columns + column;
                self.convert(start, here, &mut elements[start..][..here.len()]);
                (place, rest, row) = (place + here.len(), others, row + 1);
            }
            return;
        }
        let elements = &mut elements[first..][..values.len()];
        in_shares(self.threads, values, elements, |index, values, elements| {
            self.convert(first + index, values, elements);
        });
    }

    /// Scores of values from a place of the matrix on.
    fn convert<V: Copy + Into<u32>, T: Score>(&self, first: usize, values: &[V], scores: &mut [T]) {
        let scorer = self.scorer;
        let is_value = match scorer.kind {
            // A distance above the cutoff has been replaced, as the cutoff was the bound.
            Kind::Distance => scorer.measure.is_distance() && !scorer.is_float(),
            Kind::Similarity => scorer.measure == Measure::Lcs && scorer.cutoff.is_none(),
            _ => false,
        };
        if is_value && self.multiplier == 1.0 {
            for (score, &value) in scores.iter_mut().zip(values) {
                *score = T::of_value(value.into());
            }
            return;
        }
        let (queries, choices) = &self.plan.lens;
        let columns = self.plan.counts.1;
        let (mut row, mut column) = match self.plan.shape {
            Shape::Zip => (first, first),
            _ => (first / columns.max(1), first % columns.max(1)),
        };
        let mut known = Known::new(values.len());
        for (score, &value) in scores.iter_mut().zip(values) {
            let (a, b) = (queries[row].into(), choices[column].into());
            let value: u32 = value.into();
            *score = known.get((value, a, b), || {
                T::of_score(scorer.score(value.into(), a, b) * self.multiplier)
            });
            column += 1;
            if self.plan.shape == Shape::Zip {
                row += 1;
            } else if column == columns {
                (row, column) = (row + 1, 0);
            }
        }
    }

    /// Writes the diagonal and the lower half of a symmetric matrix, and the scores of missing
    /// strings.
    fn finish<T: Score>(&self, elements: &mut [T]) {
        let (rows, columns) = self.plan.counts;
        if self.plan.shape == Shape::Symmetric {
            for row in 0..rows {
                let len = self.plan.lens.0[row].into();
                let equal = self.scorer.measure.of_equal(len);
                let score = self.scorer.score(equal, len, len) * self.multiplier;
                elements[row * columns + row] = T::of_score(score);
            }
            mirror(elements, rows);
        }
        let worst = T::of_score(self.scorer.worst() * self.multiplier);
        for &(is_row, index) in &self.plan.missing {
            match (self.plan.shape, is_row) {
                (Shape::Zip, _) => elements[index] = worst,
                (_, true) => elements[index * columns..][..columns].fill(worst),
                (_, false) => {
                    let column = elements.iter_mut().skip(index).step_by(columns);
                    column.for_each(|element| *element = worst);
                }
            }
        }
    }
}

/// The last scores of values and lengths, of which a list of words has few: some divisions each.
struct Known<T> {
    scores: Vec<(u64, T)>,
}

impl<T: Score> Known<T> {
    const BITS: u32 = 11;
    /// Key of no score.
    const NONE: u64 = u64::MAX;

    /// For a number of values; none are kept for few.
    fn new(values: usize) -> Self {
        let len = if values >> Self::BITS > 0 {
            1 << Self::BITS
        } else {
            0
        };
        Self {
            scores: vec![(Self::NONE, T::of_value(0)); len],
        }
    }

    #[inline(always)]
    fn get(&mut self, (value, a, b): (u32, u64, u64), score: impl FnOnce() -> T) -> T {
        let key = u64::from(value) << 32 | a << 16 | b;
        let index = key.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> (u64::BITS - Self::BITS);
        let fits = a.max(b) < 0xFFFF;
        match self.scores.get_mut(index as usize).filter(|_| fits) {
            None => score(),
            Some(known) if known.0 == key => known.1,
            Some(known) => {
                *known = (key, score());
                known.1
            }
        }
    }
}

/// Copies the upper half of a square matrix to the lower one, in tiles that fit a cache.
fn mirror<T: Copy>(elements: &mut [T], size: usize) {
    const TILE: usize = 64;
    for top in (0..size).step_by(TILE) {
        for left in (top..size).step_by(TILE) {
            for row in top..(top + TILE).min(size) {
                for column in left.max(row + 1)..(left + TILE).min(size) {
                    elements[column * size + row] = elements[row * size + column];
                }
            }
        }
    }
}

macro_rules! functions_of_lists {
    ($($(#[$documentation:meta])* $name:ident, is_zip = $is_zip:literal;)*) => {
        $(
            $(#[$documentation])*
            #[pyfunction]
            #[pyo3(signature = (queries, choices, *, scorer=None, kind=None, processor=None,
                score_cutoff=None, score_hint=None, score_multiplier=1.0, dtype=None,
                scorer_kwargs=None, workers=None, device="auto", progress=None))]
            #[expect(clippy::too_many_arguments, reason = "keyword arguments of Python")]
            pub fn $name<'py>(
                py: Python<'py>,
                queries: &Bound<'py, PyAny>,
                choices: &Bound<'py, PyAny>,
                scorer: Option<&Bound<'py, PyAny>>,
                kind: Option<&str>,
                processor: Option<Bound<'py, PyAny>>,
                score_cutoff: Option<f64>,
                score_hint: Option<f64>,
                score_multiplier: f64,
                dtype: Option<Bound<'py, PyAny>>,
                scorer_kwargs: Option<&Bound<'py, PyAny>>,
                workers: Option<i64>,
                device: &str,
                progress: Option<Bound<'py, PyAny>>,
            ) -> PyResult<Bound<'py, PyAny>> {
                let _ = score_hint;
                let kind = Kind::parse(py, kind)?;
                let options = Options {
                    scorer: Scorer::new(py, scorer, scorer_kwargs, kind, score_cutoff)?,
                    processor,
                    multiplier: finite(py, "score_multiplier", score_multiplier)?,
                    dtype,
                    call: Call::new(py, device, workers, progress)?,
                };
                options.scores(py, queries, choices, $is_zip)
            }
        )*
    };
}

functions_of_lists! {
    /// Matrix of the scores of every query with every choice.
    ///
    /// Args:
    ///     queries, choices: lists of sequences (as for `distance`; `None` and NaN are missing), Arrow
    ///         arrays and tables of one column (pyarrow, polars, duckdb, ...), NumPy arrays, or
    ///         `Choices`. If they are one object, each pair is computed once.
    ///     scorer: "edit" (the default), "indel", "lcs", "hamming", "osa", "jaro", "jaro-winkler",
    ///         "ratio", "partial_ratio", "token_sort_ratio", "token_set_ratio", as for `distance`, or the
    ///         function of rapidfuzz.
    ///     kind: "distance", "similarity", "normalized_distance" or "normalized_similarity"; by default
    ///         the one that a function of rapidfuzz computes; "similarity" for ratios; else "distance".
    ///     processor: function that is applied to each string that is not missing, such as
    ///         `default_process`.
    ///     score_cutoff: worst score of interest. A worse distance becomes score_cutoff + 1, a worse
    ///         similarity 0, a worse normalized distance 1.
    ///     score_hint: ignored, as the scores do not depend on it.
    ///     score_multiplier: factor of the scores, applied last. Integers are rounded, half away from 0.
    ///     dtype: element type of the matrix; uint32, or float32 for fractions, by default. A
    ///         smaller one takes less memory and time.
    ///     scorer_kwargs: arguments of the function of rapidfuzz: weights (1, 1, 1) or (1, 1, 2) of
    ///         Levenshtein, prefix_weight 0.1 or 0 of JaroWinkler.
    ///     workers: number of CPU threads; None or -1 for all processors.
    ///     device: "auto", "cpu", or the name of a device; GPUs that divide the work are "cuda:all" or
    ///         "cuda:0,cuda:1".
    ///     progress: True for a bar by tqdm, if it is installed, or a function of the fraction that is
    ///         done.
    ///
    /// A missing string has the worst score: a similarity of 0, a normalized distance of 1, a distance
    /// of score_cutoff + 1. Scores that the dtype does not hold are an OverflowError.
    ///
    /// Examples:
    ///     >>> import swath
    ///     >>> swath.cdist(["kitten", "mitten"], ["sitting", "kitten", ""])
    ///     array([[3, 0, 6],
    ///            [3, 1, 6]], dtype=uint32)
    ///     >>> swath.cdist(["tea"], ["team", "meat"], kind="normalized_similarity", scorer="indel")
    ///     array([[0.85714287, 0.5714286 ]], dtype=float32)
    ///     >>> swath.cdist(["new york mets"], ["the mets of new york", "mets"], scorer="token_set_ratio")
    ///     array([[100., 100.]], dtype=float32)
    cdist, is_zip = false;

    /// Scores of the first query with the first choice, of the second with the second, and so on.
    ///
    /// Args:
    ///     queries, choices: lists of equal length, as for `cdist`.
    ///     scorer, kind, processor, score_cutoff, score_hint, score_multiplier, dtype, scorer_kwargs,
    ///         workers, device, progress: as for `cdist`.
    ///
    /// Examples:
    ///     >>> import swath
    ///     >>> swath.cpdist(["kitten", "saturday"], ["sitting", "sunday"])
    ///     array([3, 3], dtype=uint32)
    cpdist, is_zip = true;
}
