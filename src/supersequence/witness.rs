//! Witness of an SCS: the embedding of every input.

use std::ops::Range;

use crate::error::{Error, Result};
use crate::host::parallel::map_ranges;
use crate::host::threads::join;
use crate::sequences::blocks::Block;

/// Run of input symbols that are adjacent in the supersequence.
///
/// ```
/// use swath::supersequence::Placement;
/// use swath::{Engine, Options, Scs};
///
/// let report = Engine::new(Options::default())?.run(&Scs::of(b"cab", b"abac").path())?;
/// let supersequence = report.supersequence.as_ref().expect("it was asked for");
/// // "cabac": all of the second input follows the c.
/// assert_eq!(supersequence.embeddings()[1], [Placement { input: 0, at: 1, len: 4 }]);
/// # Ok::<(), swath::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Placement {
    /// First position in the input, from 0.
    pub input: usize,
    /// First position in the supersequence, from 0.
    pub at: usize,
    /// Symbols in the run, at least 1.
    pub len: usize,
}

/// A common supersequence as one embedding per input; together they cover every position.
///
/// ```
/// use swath::{Engine, Options, Scs};
///
/// let report = Engine::new(Options::default())?.run(&Scs::of(b"cab", b"abac").path())?;
/// let supersequence = report.supersequence.as_ref().expect("it was asked for");
/// assert_eq!(supersequence.symbols(&[&b"cab"[..], b"abac"])?, b"cabac");
/// supersequence.verify(&[&b"cab"[..], b"abac"], 5)?;
/// # Ok::<(), swath::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Supersequence {
    length: usize,
    embeddings: Vec<Vec<Placement>>,
}

impl Supersequence {
    /// Creates a supersequence from its embeddings, unchecked; [`verify`](Self::verify) checks it.
    pub fn new(length: usize, embeddings: Vec<Vec<Placement>>) -> Self {
        Self { length, embeddings }
    }

    /// Merges `a` and `b` along ordered runs of shared symbols. Before each run come the symbols of
    /// `a` alone, then those of `b` alone.
    pub(crate) fn merge(shared: &[Block], a_len: usize, b_len: usize) -> Self {
        let embedding = |input: usize| move || embedding(input, shared, a_len, b_len);
        let both = if shared.len() < MIN_RUNS_TO_SPLIT {
            (embedding(0)(), embedding(1)())
        } else {
            join(embedding(0), embedding(1))
        };
        let length = a_len + b_len - shared.iter().map(|run| run.len).sum::<usize>();
        Self {
            length,
            embeddings: vec![both.0, both.1],
        }
    }

    /// Number of symbols.
    pub fn len(&self) -> u64 {
        self.length as u64
    }

    /// True if the length is 0.
    pub fn is_empty(&self) -> bool {
        self.length == 0
    }

    /// Per input, the maximal runs of its symbols, in order.
    pub fn embeddings(&self) -> &[Vec<Placement>] {
        &self.embeddings
    }

    /// Assembles the symbols; a shared symbol is copied from the first input that has it.
    ///
    /// # Errors
    /// [`Error::CertificateFailed`] if `inputs` are not the inputs of this answer.
    pub fn symbols<S: Copy>(&self, inputs: &[&[S]]) -> Result<Vec<S>> {
        let wrong = |what: &str| Error::CertificateFailed(format!("the embeddings {what}"));
        self.check_length(inputs)?;
        let Some(&any) = inputs.iter().find_map(|input| input.first()) else {
            return Ok(Vec::new());
        };
        let mut symbols = vec![any; self.length];
        for (runs, input) in self.embeddings.iter().zip(inputs).rev() {
            for run in runs {
                let from = run
                    .input
                    .checked_add(run.len)
                    .and_then(|end| input.get(run.input..end));
                let to = run
                    .at
                    .checked_add(run.len)
                    .and_then(|end| symbols.get_mut(run.at..end));
                let (Some(to), Some(from)) = (to, from) else {
                    return Err(wrong("leave their input"));
                };
                to.iter_mut().zip(from).for_each(|(to, from)| *to = *from);
            }
        }
        Ok(symbols)
    }

    /// Checks that the inputs have enough symbols to cover all positions.
    fn check_length<S>(&self, inputs: &[&[S]]) -> Result<()> {
        let symbols = inputs.iter().fold(0, |symbols: usize, input| {
            symbols.saturating_add(input.len())
        });
        if self.length <= symbols {
            return Ok(());
        }
        Err(Error::CertificateFailed(format!(
            "{} positions of {symbols} symbols in all inputs",
            self.length
        )))
    }

    /// Replays every embedding against its input and counts the positions, in linear time.
    ///
    /// # Errors
    /// [`Error::CertificateFailed`] if an embedding is not its whole input in order, if two inputs
    /// put different symbols at one position, if a position belongs to no input, or if there are
    /// not `length` positions.
    pub fn verify<S: Copy + PartialEq + Sync>(&self, inputs: &[&[S]], length: u64) -> Result<()> {
        let failed = |what: String| Err(Error::CertificateFailed(what));
        if self.embeddings.len() != inputs.len() {
            return failed(format!(
                "{} embeddings of {} inputs",
                self.embeddings.len(),
                inputs.len()
            ));
        }
        self.check_length(inputs)?;
        for (index, (runs, input)) in self.embeddings.iter().zip(inputs).enumerate() {
            let in_order = |part| self.in_order(index, runs, part, input.len());
            map_ranges(runs.len(), RUNS_PER_TASK, in_order)
                .into_iter()
                .collect::<Result<()>>()?;
            let placed = runs.last().map_or(0, |last| last.input + last.len);
            if placed != input.len() {
                return failed(format!(
                    "{placed} of {} symbols of input {index} are placed",
                    input.len()
                ));
            }
        }
        let covered = map_ranges(self.length, POSITIONS_PER_TASK, |part| {
            self.covered(part, inputs)
        });
        let count = covered.into_iter().sum::<Result<usize>>()?;
        if count != self.length || self.len() != length {
            return failed(format!(
                "{count} covered positions of {} prove a length of {length}",
                self.length
            ));
        }
        Ok(())
    }

    /// Checks that the runs `part` of an input continue their predecessors, in order.
    fn in_order(
        &self,
        index: usize,
        runs: &[Placement],
        part: Range<usize>,
        symbols: usize,
    ) -> Result<()> {
        let failed = |what: String| Err(Error::CertificateFailed(what));
        let end = |run: &Placement| {
            (
                run.input.saturating_add(run.len),
                run.at.saturating_add(run.len),
            )
        };
        let mut next = part
            .start
            .checked_sub(1)
            .map_or((0, 0), |before| end(&runs[before]));
        for run in &runs[part] {
            if end(run).0 > symbols || end(run).1 > self.length {
                return failed(format!(
                    "run {run:?} of input {index} leaves it or the supersequence"
                ));
            }
            if run.len == 0 || run.input != next.0 || run.at < next.1 {
                return failed(format!(
                    "run {run:?} of input {index} is empty, out of order or leaves a gap"
                ));
            }
            next = end(run);
        }
        Ok(())
    }

    /// Number of positions in `part` that belong to an input. The runs of every input must be in
    /// order.
    fn covered<S: Copy + PartialEq>(&self, part: Range<usize>, inputs: &[&[S]]) -> Result<usize> {
        let Some(&any) = inputs.iter().find_map(|input| input.first()) else {
            return Ok(0);
        };
        // The first input to cover a position sets its symbol; the others must agree.
        let mut symbols = vec![any; part.len()];
        let mut covered = vec![false; part.len()];
        for (index, (runs, input)) in self.embeddings.iter().zip(inputs).enumerate() {
            let first = runs.partition_point(|run| run.at + run.len <= part.start);
            for run in runs[first..].iter().take_while(|run| run.at < part.end) {
                let at = run.at.max(part.start)..(run.at + run.len).min(part.end);
                let from = &input[run.input + (at.start - run.at)..];
                let at = at.start - part.start..at.end - part.start;
                // Most runs are short, so symbols are compared one by one.
                let mut equal = true;
                for ((symbol, covered), &own) in symbols[at.clone()]
                    .iter_mut()
                    .zip(&mut covered[at])
                    .zip(from)
                {
                    equal &= !*covered | (*symbol == own);
                    (*symbol, *covered) = (own, true);
                }
                if !equal {
                    let what = format!("run {run:?} of input {index} lies on other symbols");
                    return Err(Error::CertificateFailed(what));
                }
            }
        }
        Ok(covered.into_iter().filter(|&covered| covered).count())
    }
}

/// Embedding of input 0 or 1 into the merge of both.
fn embedding(input: usize, shared: &[Block], a_len: usize, b_len: usize) -> Vec<Placement> {
    let mut runs = Vec::with_capacity(shared.len() + 2);
    let (mut next, mut length) = ([0, 0], 0);
    // The current run; it ends where the other input inserts symbols of its own.
    let mut open = Placement {
        input: 0,
        at: 0,
        len: 0,
    };
    let mut end = |next: usize, at: usize, ends: bool| {
        let run = Placement {
            len: next - open.input,
            ..open
        };
        // Branch-free: where runs end is close to random.
        runs.push(run);
        runs.truncate(runs.len() - usize::from(!ends | (run.len == 0)));
        open = if ends {
            Placement {
                input: next,
                at,
                len: 0,
            }
        } else {
            open
        };
    };
    for run in shared.iter().copied().chain([Block {
        a: a_len,
        b: b_len,
        len: 0,
    }]) {
        let only = [run.a - next[0], run.b - next[1]];
        let behind_a = length + only[0];
        // Symbols of `a` alone come first and end a run of `b`; symbols of `b` alone end a run of
        // `a`.
        match input {
            0 => end(run.a, behind_a + only[1], only[1] > 0),
            _ => end(next[1], behind_a, only[0] > 0),
        }
        length = behind_a + only[1] + run.len;
        next = [run.a + run.len, run.b + run.len];
    }
    end([a_len, b_len][input], length, true);
    runs
}

/// Minimum runs for merging on two threads.
const MIN_RUNS_TO_SPLIT: usize = 1 << 12;
/// Minimum runs, and minimum positions, per task of verification.
const RUNS_PER_TASK: usize = 1 << 15;
const POSITIONS_PER_TASK: usize = 1 << 12;
