//! Distances and similarities of two sequences.

use pyo3::prelude::*;
use pyo3::types::PyFloat;
use swath::edit_distance::Distance;
use swath::pairs::{Measure, Selection, Strings};
use swath::query::{Edit, Lcs, Pair, Pairs, StringList};

use crate::call::Call;
use crate::errors::OrRaise;
use crate::lists::processed;
use crate::score::{Kind, Scorer};
use crate::symbols::{Sequence, borrowed, is_missing, pair};

/// Options that two sequences are scored with.
struct Options<'a, 'py> {
    scorer: Scorer,
    processor: Option<&'a Bound<'py, PyAny>>,
    device: &'a str,
}

impl<'py> Options<'_, 'py> {
    fn score(&self, a: &Bound<'py, PyAny>, b: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let py = a.py();
        let scorer = self.scorer;
        let score = if scorer.is_float() && (is_missing(a) || is_missing(b)) {
            scorer.worst()
        } else if self.processor.is_some() {
            let [a, b] = [a, b].map(|string| processed(string.clone(), self.processor));
            self.value(&a?, &b?)?
        } else {
            self.value(a, b)?
        };
        if scorer.is_float() {
            return Ok(PyFloat::new(py, score).into_any());
        }
        Ok((score as u64).into_pyobject(py)?.into_any())
    }

    fn value(&self, a: &Bound<'_, PyAny>, b: &Bound<'_, PyAny>) -> PyResult<f64> {
        let (py, scorer) = (a.py(), self.scorer);
        let may_be_small = self.device == "auto" || self.device == "cpu";
        let borrowed = borrowed(a).zip(borrowed(b));
        // Short strings, without a pair of any symbols.
        if let Some((a, b)) = borrowed.filter(|_| may_be_small)
            && let Some(value) = scorer.measure.of_small_pair(a, b)
        {
            return Ok(scorer.score(value, a.len() as u64, b.len() as u64));
        }
        let pair = match borrowed {
            Some((a, b)) => Pair::Bytes([a.into(), b.into()]),
            None => {
                if scorer.has_tokens() {
                    let is_text = |string| {
                        PyResult::Ok(matches!(Sequence::read(string)?, Sequence::Symbols(_)))
                    };
                    scorer.check_text(is_text(a)? && is_text(b)?)?;
                }
                pair(a, b, ["a", "b"])?
            }
        };
        let [rows, cols] = pair.lens();
        let value = match pair.small_value(scorer.measure) {
            Some(value) if may_be_small => value,
            _ => self.large(py, pair)?,
        };
        Ok(scorer.score(value, rows as u64, cols as u64))
    }

    fn large(&self, py: Python<'_>, pair: Pair<'_>) -> PyResult<u64> {
        let ([rows, cols], scorer) = (pair.lens(), self.scorer);
        let (rows, cols) = (rows as u64, cols as u64);
        let cells = u128::from(rows) * u128::from(cols);
        let call = Call::new(py, self.device, None, None)?;
        if scorer.measure == Measure::Edit {
            let mut query = Edit::from(pair);
            query.options.max_distance = scorer.bound(rows, cols);
            return Ok(match call.run(py, &query, cells)?.distance {
                Distance::Exactly(distance) => distance,
                Distance::MoreThan(bound) => bound + 1,
            });
        }
        if matches!(
            scorer.measure,
            Measure::Lcs | Measure::Indel | Measure::Ratio
        ) {
            let length = call.run(py, &Lcs::from(pair), cells)?.length;
            return Ok(match scorer.measure {
                Measure::Lcs => length,
                _ => rows + cols - 2 * length,
            });
        }
        let (a, b) = match pair {
            Pair::Bytes([a, b]) => (
                StringList::Bytes(Strings::from_slices([a])),
                StringList::Bytes(Strings::from_slices([b])),
            ),
            Pair::Numbers([a, b]) => (
                StringList::Numbers(Strings::from_slices([a])),
                StringList::Numbers(Strings::from_slices([b])),
            ),
            Pair::Letters(_) => {
                unreachable!("sequences of Python have no letters that match others")
            }
        };
        let mut query = Pairs::of(a, Some(b), Selection::Zip).or_raise(py)?;
        query.options.measure = scorer.measure;
        query.options.within = scorer.bound(rows, cols);
        let values = call.run(py, &query, cells)?;
        Ok(values.values.iter().next().unwrap_or(0).into())
    }
}

macro_rules! functions_of_scores {
    ($($(#[$documentation:meta])* $name:ident => $kind:ident;)*) => {
        $(
            $(#[$documentation])*
            #[pyfunction]
            #[pyo3(signature = (a, b, *, scorer=None, processor=None, score_cutoff=None,
                score_hint=None, device="auto"))]
            pub fn $name<'py>(
                a: &Bound<'py, PyAny>,
                b: &Bound<'py, PyAny>,
                scorer: Option<&Bound<'py, PyAny>>,
                processor: Option<&Bound<'py, PyAny>>,
                score_cutoff: Option<f64>,
                score_hint: Option<f64>,
                device: &str,
            ) -> PyResult<Bound<'py, PyAny>> {
                let _ = score_hint;
                let scorer =
                    Scorer::new(a.py(), scorer, None, Some(Kind::$kind), score_cutoff)?;
                let options = Options {
                    scorer,
                    processor,
                    device,
                };
                options.score(a, b)
            }
        )*
    };
}

functions_of_scores! {
    /// Edit distance (Levenshtein) of two sequences, or the distance of another scorer.
    ///
    /// Sequences are `str`, `bytes`, arrays of integers, or any iterables of integers, characters and
    /// other hashable objects. A character equals its code point, as in rapidfuzz.
    ///
    /// Args:
    ///     a, b: the sequences.
    ///     scorer: "edit" (insertions, deletions, substitutions), "indel" (insertions and deletions),
    ///         "lcs" (length of the longer one minus that of the longest common subsequence), "hamming"
    ///         (positions that differ; those of the longer one alone differ, too), "osa" (edits, and
    ///         exchanges of neighbours that are not edited again), "jaro" or "jaro-winkler" (1 minus the
    ///         similarity, a float), as in `rapidfuzz.distance`; "ratio", "partial_ratio",
    ///         "token_sort_ratio" or "token_set_ratio" (100 minus the similarity), as in
    ///         `rapidfuzz.fuzz`. Functions of rapidfuzz stand for themselves, if they give a distance:
    ///         `rapidfuzz.distance.Indel.distance`.
    ///     processor: function that is applied to both sequences first, such as `default_process`.
    ///     score_cutoff: greatest distance of interest; a greater one becomes score_cutoff + 1.
    ///     score_hint: ignored, as the answer does not depend on it.
    ///     device: "auto", "cpu", or the name of a device, as `swath devices` lists them.
    ///
    /// Examples:
    ///     >>> import swath
    ///     >>> swath.distance("kitten", "sitting")
    ///     3
    ///     >>> swath.distance("kitten", "sitting", scorer="indel")
    ///     5
    ///     >>> swath.distance("form", "from", scorer="osa")
    ///     1
    ///     >>> swath.distance("kitten", "sitting", score_cutoff=1)
    ///     2
    ///     >>> swath.distance(["to", "be"], ["to", "see"])
    ///     1
    distance => Distance;

    /// Similarity of two sequences: the greatest distance of sequences of these lengths, minus their
    /// distance. For the scorer "lcs" it is the length of the longest common subsequence.
    ///
    /// Args:
    ///     a, b, scorer, processor, score_hint, device: as for `distance`. Similarities of the ratios are
    ///         from 0 to 100.
    ///     score_cutoff: least similarity of interest; a smaller one becomes 0.
    ///
    /// Examples:
    ///     >>> import swath
    ///     >>> swath.similarity("kitten", "sitting")
    ///     4
    ///     >>> swath.similarity("kitten", "sitting", scorer="lcs")
    ///     4
    ///     >>> round(swath.similarity("martha", "marhta", scorer="jaro-winkler"), 4)
    ///     0.9611
    ///     >>> swath.similarity("new york mets", "METS, New York", scorer="token_sort_ratio",
    ///     ...     processor=swath.default_process)
    ///     100.0
    ///     >>> swath.similarity("kitten", "sitting", score_cutoff=5)
    ///     0
    similarity => Similarity;

    /// Distance of two sequences, divided by the greatest one of sequences of these lengths: from 0 to
    /// 1. Of two empty sequences it is 0, of `None` or NaN and anything 1.
    ///
    /// Args:
    ///     a, b, scorer, processor, score_hint, device: as for `distance`.
    ///     score_cutoff: greatest value of interest; a greater one becomes 1.
    ///
    /// Examples:
    ///     >>> import swath
    ///     >>> swath.normalized_distance("kitten", "sitten")
    ///     0.16666666666666666
    ///     >>> swath.normalized_distance("kitten", None)
    ///     1.0
    normalized_distance => NormalizedDistance;

    /// 1 minus the normalized distance.
    ///
    /// Args:
    ///     a, b, scorer, processor, score_hint, device: as for `distance`.
    ///     score_cutoff: least value of interest; a smaller one becomes 0.
    ///
    /// Examples:
    ///     >>> import swath
    ///     >>> swath.normalized_similarity("lewenstein", "levenshtein", scorer="indel")
    ///     0.8571428571428572
    ///     >>> swath.normalized_similarity("lewenstein", "levenshtein", score_cutoff=0.9)
    ///     0.0
    normalized_similarity => NormalizedSimilarity;
}
