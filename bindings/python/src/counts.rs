//! Counts of operations between references and hypotheses.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use pyo3::prelude::*;
use pyo3::types::PyTuple;
use swath::edit_distance::Op;
use swath::pairs::Strings;
use swath::{Edit, Engine, Error, Result, Symbol};

use crate::call::{Watch, watched};
use crate::engines::Place;
use crate::errors::{input_error, raised};
use crate::lists::{Lists, Source};
use crate::output::array;
use crate::progress;
use crate::symbols::with_symbols;

/// Pairs that a thread takes at once.
const PAIRS: usize = 512;

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
#[pyo3(signature = (references, hypotheses, *, unit="words", workers=-1, progress=None))]
pub fn counts<'py>(
    py: Python<'py>,
    references: &Bound<'py, PyAny>,
    hypotheses: &Bound<'py, PyAny>,
    unit: &str,
    workers: i64,
    progress: Option<Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    let by_words = match unit {
        "words" => true,
        "symbols" => false,
        _ => {
            let message = format!("unknown unit '{unit}'; known: words, symbols");
            return Err(input_error(py, message));
        }
    };
    let place = Place::new(py, "cpu", workers)?;
    let progress = progress::callback(py, progress)?;
    let (references, hypotheses) = (Source::of(references)?, Source::of(hypotheses)?);
    let call = Call {
        engine: place.engine(py)?,
        threads: place.threads(),
        progress,
    };
    let counts = match (references.texts(), hypotheses.texts()) {
        (Some(references), Some(hypotheses)) if by_words => {
            call.check(py, (references.len(), hypotheses.len()), &[])?;
            let bytes = |texts: &[&str]| texts.iter().map(|text| text.len() as u128).sum::<u128>();
            let count = references.len().max(1) as u128;
            let cells = bytes(&references) * bytes(&hypotheses) / count;
            call.all(py, references.len(), cells, |engine, pair| {
                let mut words = HashMap::new();
                let a = numbered(references[pair], &mut words);
                let b = numbered(hypotheses[pair], &mut words);
                of_pair(engine, &a, &b)
            })?
        }
        _ => {
            let split = |source: Source<'py>| match by_words {
                true => source.split(py),
                false => Ok(source),
            };
            let (references, hypotheses) = (split(references)?, split(hypotheses)?);
            let (first, second) = (references.strings(py)?, hypotheses.strings(py)?);
            let missing = [&first.missing[..], &second.missing].concat();
            call.check(py, (first.len(), second.len()), &missing)?;
            let lists = Lists::unify(py, first.symbols, Some(second.symbols))?;
            with_symbols!(Lists, lists, lists => {
                let (references, hypotheses) = (&lists.0, lists.1.as_ref().unwrap_or(&lists.0));
                call.all(py, references.len(), cells(references, hypotheses), |engine, pair| {
                    of_pair(engine, &references[pair], &hypotheses[pair])
                })?
            })
        }
    };
    let columns = (0..4).map(|column| {
        let column: Vec<u32> = counts.iter().map(|counts| counts[column]).collect();
        array(py, &column, &[counts.len()], "uint32")
    });
    let columns: Vec<_> = columns.collect::<PyResult<_>>()?;
    py.import("swath._results")?
        .getattr("ErrorCounts")?
        .call1(PyTuple::new(py, columns)?)
}

fn cells<S: Symbol>(references: &Strings<'_, S>, hypotheses: &Strings<'_, S>) -> u128 {
    let pairs = references.iter().zip(hypotheses.iter());
    pairs.map(|(a, b)| a.len() as u128 * b.len() as u128).sum()
}

/// Words of a text as numbers.
fn numbered<'a>(text: &'a str, words: &mut HashMap<&'a str, u32>) -> Vec<u32> {
    let number = |word| {
        let next = words.len() as u32;
        *words.entry(word).or_insert(next)
    };
    text.split_whitespace().map(number).collect()
}

fn of_pair<S: Symbol>(engine: &Engine, reference: &[S], hypothesis: &[S]) -> Result<Counts> {
    let report = engine.run(&Edit::of(reference, hypothesis).path())?;
    let mut counts = [0; 4];
    if let Some(alignment) = &report.alignment {
        for (op, count) in alignment.ops(reference, hypothesis)? {
            let place = match op {
                Op::Substitute => 0,
                // A symbol of the reference alone.
                Op::Insert => 1,
                Op::Delete => 2,
                Op::Equal => 3,
            };
            counts[place] += count as u32;
        }
    }
    Ok(counts)
}

struct Call<'py> {
    engine: Engine,
    threads: usize,
    progress: Option<Bound<'py, PyAny>>,
}

impl Call<'_> {
    fn check(&self, py: Python<'_>, lens: (usize, usize), missing: &[usize]) -> PyResult<()> {
        if lens.0 != lens.1 {
            let message = format!(
                "there are {} references and {} hypotheses; give one hypothesis for each reference",
                lens.0, lens.1
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

    /// Counts of all pairs.
    fn all(
        &self,
        py: Python<'_>,
        pairs: usize,
        cells: u128,
        of_pair: impl Fn(&Engine, usize) -> Result<Counts> + Sync,
    ) -> PyResult<Vec<Counts>> {
        let mut counts = vec![[0; 4]; pairs];
        let engine = &self.engine;
        let parts = Mutex::new(counts.chunks_mut(PAIRS).enumerate());
        let threads = self.threads.min(pairs.div_ceil(PAIRS)).max(1);
        let work = |watch: &Watch| {
            let one_thread = || -> Result<()> {
                loop {
                    let next = parts.lock().unwrap_or_else(PoisonError::into_inner).next();
                    let Some((part, counts)) = next else {
                        return Ok(());
                    };
                    let first = part * PAIRS;
                    watch.set_fraction(first as f64 / pairs as f64);
                    if watch.cancel.is_cancelled() {
                        return Err(Error::Cancelled);
                    }
                    for (pair, counts) in counts.iter_mut().enumerate() {
                        *counts = of_pair(engine, first + pair)?;
                    }
                }
            };
            std::thread::scope(|scope| {
                let others: Vec<_> = (1..threads).map(|_| scope.spawn(one_thread)).collect();
                let mut ended = one_thread();
                for other in others {
                    let other = other.join();
                    ended =
                        ended.and(other.unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
                }
                ended
            })
        };
        let ended = watched(py, cells, self.progress.as_ref(), work)?;
        ended.map_err(|error| raised(py, error))?;
        Ok(counts)
    }
}
