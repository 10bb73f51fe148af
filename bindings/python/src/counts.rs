//! Counts of operations between references and hypotheses.

use std::collections::HashMap;
use std::ops::Range;

use foldhash::fast::RandomState;
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use swath::edit_distance::Alignment;
use swath::pairs::{self, PairValue, Selection};
use swath::query::{Pairs, StringList};
use swath::{Control, Engine, Result};

use crate::call::{Call, Watch, watched};
use crate::errors::{OrRaise, input_error, one_of};
use crate::lists::{Source, Strings, lens};
use crate::output::{array, result};

/// Pairs that are counted at once.
const PAIRS: usize = 1 << 14;
/// Minimum pairs whose words a thread of its own numbers.
const PAIRS_OF_ONE_THREAD: usize = 1 << 10;

/// Substitutions, deletions, insertions and hits of a pair.
type Counts = [u32; 4];

/// Counts the operations that turn each reference into its hypothesis: the numbers behind word and
/// character error rates.
///
/// They are those of the alignment that `edit` returns. Where several alignments have the least
/// number of errors, other programs may count a substitution and a hit more or less; the sum of the
/// errors is the same.
///
/// Args:
///     references, hypotheses: lists of sequences of equal length, as for `cdist`.
///     unit: "words" splits strings at white space; "symbols" compares their characters. Sequences
///         other than `str` are compared item by item in both cases.
///     workers, progress: as for `cdist`. The counts are computed on the CPU.
///
/// Returns:
///     An `ErrorCounts`: arrays `substitutions`, `deletions`, `insertions` and `hits`, and the
///     `error_rate` of all pairs together.
///
/// Examples:
///     >>> import swath
///     >>> counts = swath.counts(["the cat sat", "on the mat"], ["the hat sat", "on mat"])
///     >>> counts.substitutions, counts.deletions, counts.insertions, counts.hits
///     (array([1, 0], dtype=uint32), array([0, 1], dtype=uint32), array([0, 0], dtype=uint32), array([2, 2], dtype=uint32))
///     >>> counts.error_rate
///     0.3333333333333333
///     >>> swath.counts(["abcd"], ["abxd"], unit="symbols").error_rate
///     0.25
#[pyfunction]
#[pyo3(signature = (references, hypotheses, *, unit="words", workers=None, progress=None))]
pub fn counts<'py>(
    py: Python<'py>,
    references: &Bound<'py, PyAny>,
    hypotheses: &Bound<'py, PyAny>,
    unit: &str,
    workers: Option<i64>,
    progress: Option<Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    let by_words = one_of(py, "unit", unit, &[("words", true), ("symbols", false)])?;
    let call = Call::new(py, "cpu", workers, progress)?;
    let (references, hypotheses) = (
        Source::of("references", references)?,
        Source::of("hypotheses", hypotheses)?,
    );
    let threads = call.place.threads();
    let counts = match (references.texts(), hypotheses.texts()) {
        (Some(references), Some(hypotheses)) if by_words => {
            check(py, references.len(), hypotheses.len(), &[])?;
            let bytes = |texts: &[&str]| texts.iter().map(|text| text.len() as u128).sum::<u128>();
            let count = references.len().max(1) as u128;
            let cells = bytes(&references) * bytes(&hypotheses) / count;
            of_all(py, &call, references.len(), cells, |pairs| {
                numbered(&references[pairs.clone()], &hypotheses[pairs], threads)
            })?
        }
        _ => {
            let split = |source: Source<'py>| {
                if by_words {
                    source.split(py)
                } else {
                    Ok(source)
                }
            };
            let (references, hypotheses) = (split(references)?, split(hypotheses)?);
            let (first, second) = (references.strings(py)?, hypotheses.strings(py)?);
            let missing = [&first.missing[..], &second.missing].concat();
            check(py, first.list.len(), second.list.len(), &missing)?;
            let (references, hypotheses) = Strings::unify(py, first, Some(second))?;
            let (references, hypotheses) = (references.list, hypotheses.map(|list| list.list));
            let hypotheses = hypotheses.as_ref().unwrap_or(&references);
            let lens = |pair| references.len_of(pair) as u128 * hypotheses.len_of(pair) as u128;
            let cells = (0..references.len()).map(lens).sum();
            of_all(py, &call, references.len(), cells, |pairs| {
                Ok((references.select(pairs.clone()), hypotheses.select(pairs)))
            })?
        }
    };
    let columns = (0..4).map(|column| {
        let column: Vec<u32> = counts.iter().map(|counts| counts[column]).collect();
        array(py, &column, &[counts.len()], "uint32")
    });
    let columns: Vec<_> = columns.collect::<PyResult<_>>()?;
    result(py, "ErrorCounts")?.call1(PyTuple::new(py, columns)?)
}

/// References and their hypotheses.
type Part = (StringList<'static>, StringList<'static>);

/// Words of texts as numbers: equal words of a pair have one number.
#[derive(Default)]
struct Words {
    numbers: Vec<u32>,
    /// End of each text.
    ends: [Vec<usize>; 2],
}

impl Words {
    fn of(references: &[&str], hypotheses: &[&str]) -> Self {
        let mut words = Self::default();
        let mut known = HashMap::with_hasher(RandomState::default());
        for pair in references.iter().zip(hypotheses) {
            known.clear();
            for (text, ends) in [pair.0, pair.1].into_iter().zip(&mut words.ends) {
                let mut push = |word| {
                    let next = known.len() as u32;
                    words.numbers.push(*known.entry(word).or_insert(next));
                };
                if text.is_ascii() {
                    let is_space = |&byte: &u8| matches!(byte, b' ' | b'\t'..=b'\r');
                    let of_text = text.as_bytes().split(is_space);
                    of_text.filter(|word| !word.is_empty()).for_each(&mut push);
                } else {
                    text.split_whitespace()
                        .map(str::as_bytes)
                        .for_each(&mut push);
                }
                ends.push(words.numbers.len());
            }
        }
        words
    }
}

/// Words of pairs of texts as numbers.
fn numbered(references: &[&str], hypotheses: &[&str], threads: usize) -> Result<Part> {
    let share = references.len().div_ceil(threads).max(PAIRS_OF_ONE_THREAD);
    let words: Vec<Words> = std::thread::scope(|scope| {
        let shares = references.chunks(share).zip(hypotheses.chunks(share));
        let mut shares = shares.collect::<Vec<_>>().into_iter();
        let own = shares.next();
        let others: Vec<_> = shares
            .map(|(references, hypotheses)| scope.spawn(move || Words::of(references, hypotheses)))
            .collect();
        let own = own.map(|(references, hypotheses)| Words::of(references, hypotheses));
        let joined = others.into_iter().map(|other| {
            other
                .join()
                .unwrap_or_else(|panic| std::panic::resume_unwind(panic))
        });
        own.into_iter().chain(joined).collect()
    });
    let list = |which: usize| {
        let strings = words.iter().flat_map(|words| {
            (0..words.ends[which].len()).map(move |pair| {
                let start = match (which, pair) {
                    (0, 0) => 0,
                    (0, _) => words.ends[1][pair - 1],
                    _ => words.ends[0][pair],
                };
                &words.numbers[start..words.ends[which][pair]]
            })
        });
        StringList::Numbers(pairs::Strings::from_slices(strings))
    };
    Ok((list(0), list(1)))
}

/// Counts of consecutive pairs.
fn of_part(engine: &Engine, part: Part, control: &Control) -> Result<Vec<Counts>> {
    let (references, hypotheses) = part;
    let lens = [lens(&references), lens(&hypotheses)];
    let pairs = Pairs::of(references, Some(hypotheses), Selection::Zip)?;
    let distances = engine.run_with(&pairs, control)?;
    let known = |(pair, value): (usize, u32)| PairValue {
        query: pair,
        target: pair,
        value,
    };
    let known: Vec<_> = distances.values.iter().enumerate().map(known).collect();
    let alignments = engine.run_with(&pairs.alignments(&known), control)?;
    let counts = |(known, alignment): (&PairValue, &Alignment)| {
        let paired: usize = alignment.blocks().iter().map(|block| block.len).sum();
        let deletions = lens[0][known.query] - paired as u32;
        let insertions = lens[1][known.target] - paired as u32;
        let substitutions = known.value - deletions - insertions;
        [
            substitutions,
            deletions,
            insertions,
            paired as u32 - substitutions,
        ]
    };
    Ok(known.iter().zip(&alignments.answer).map(counts).collect())
}

fn check(py: Python<'_>, references: usize, hypotheses: usize, missing: &[usize]) -> PyResult<()> {
    if references != hypotheses {
        let message = format!(
            "there are {references} references and {hypotheses} hypotheses; give one \
             hypothesis for each reference"
        );
        return Err(input_error(py, message));
    }
    match missing.first() {
        None => Ok(()),
        Some(pair) => Err(input_error(
            py,
            format!("pair {pair} has a missing string; drop it"),
        )),
    }
}

/// Counts of all pairs. `part` returns consecutive ones.
fn of_all(
    py: Python<'_>,
    call: &Call<'_>,
    pairs: usize,
    cells: u128,
    part: impl Fn(Range<usize>) -> Result<Part> + Sync,
) -> PyResult<Vec<Counts>> {
    let engine = call.place.engine(py)?;
    let work = |watch: &Watch| -> Result<Vec<Counts>> {
        let control = Control::default().cancelled_by(&watch.cancel);
        let mut counts = Vec::with_capacity(pairs);
        while counts.len() < pairs {
            let end = pairs.min(counts.len() + PAIRS);
            let part = part(counts.len()..end)?;
            counts.extend(of_part(&engine, part, &control)?);
            watch.set_fraction(end as f64 / pairs as f64);
        }
        Ok(counts)
    };
    let ended = watched(py, cells, call.progress.as_ref(), work)?;
    ended.or_raise(py)
}
