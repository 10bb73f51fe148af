//! The witness: where the symbols of every input lie in the supersequence.

use crate::blocks::Block;
use crate::error::{Error, Result};

/// A run of an input's symbols that lie side by side in the supersequence.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Placement {
    /// First position in the input, from 0.
    pub input: usize,
    /// First position in the supersequence, from 0.
    pub at: usize,
    /// Symbols in the run, at least 1.
    pub len: usize,
}

/// A common supersequence as one embedding for each input: together they cover every position.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Supersequence {
    length: usize,
    embeddings: Vec<Vec<Placement>>,
}

impl Supersequence {
    /// A supersequence of `length` positions with these embeddings; [`verify`](Self::verify) tells whether it is one.
    pub fn new(length: usize, embeddings: Vec<Vec<Placement>>) -> Self {
        Self { length, embeddings }
    }

    /// The merge of `a` and `b` along runs of shared symbols, in order: before each run the symbols that only `a` has, then
    /// those that only `b` has.
    pub(crate) fn merge(shared: &[Block], a_len: usize, b_len: usize) -> Self {
        let most = 2 * shared.len() + 1;
        let mut merge = Self { length: 0, embeddings: vec![Vec::with_capacity(most), Vec::with_capacity(most)] };
        let (mut next_a, mut next_b) = (0, 0);
        for run in shared.iter().copied().chain([Block { a: a_len, b: b_len, len: 0 }]) {
            merge.place(0, next_a, run.a - next_a);
            merge.length += run.a - next_a;
            merge.place(1, next_b, run.b - next_b);
            merge.length += run.b - next_b;
            merge.place(0, run.a, run.len);
            merge.place(1, run.b, run.len);
            merge.length += run.len;
            (next_a, next_b) = (run.a + run.len, run.b + run.len);
        }
        merge
    }

    /// Number of symbols.
    pub fn len(&self) -> u64 {
        self.length as u64
    }

    /// Whether it has no symbol.
    pub fn is_empty(&self) -> bool {
        self.length == 0
    }

    /// For each input the runs of its symbols, maximal and in order.
    pub fn embeddings(&self) -> &[Vec<Placement>] {
        &self.embeddings
    }

    /// The symbols themselves; where inputs share one, the first of them gives it.
    ///
    /// # Errors
    /// [`Error::CertificateFailed`] where these are not the inputs that it was made from.
    pub fn symbols<S: Copy>(&self, inputs: &[&[S]]) -> Result<Vec<S>> {
        let wrong = |what: &str| Error::CertificateFailed(format!("the embeddings {what}"));
        let Some(&any) = inputs.iter().find_map(|input| input.first()) else {
            return if self.length == 0 { Ok(Vec::new()) } else { Err(wrong("place symbols of empty inputs")) };
        };
        let mut symbols = vec![any; self.length];
        for (runs, input) in self.embeddings.iter().zip(inputs).rev() {
            for run in runs {
                let from = run.input.checked_add(run.len).and_then(|end| input.get(run.input..end));
                let to = run.at.checked_add(run.len).and_then(|end| symbols.get_mut(run.at..end));
                let (Some(to), Some(from)) = (to, from) else { return Err(wrong("leave their input")) };
                to.iter_mut().zip(from).for_each(|(to, from)| *to = *from);
            }
        }
        Ok(symbols)
    }

    /// The certificate: replays every embedding against its input, and counts the positions again.
    ///
    /// # Errors
    /// [`Error::CertificateFailed`] when an embedding is not all of its input in order, when it places a symbol on another one,
    /// when a position belongs to no input, or when there are not `length` positions.
    pub fn verify<S: Copy + PartialEq>(&self, inputs: &[&[S]], length: u64) -> Result<()> {
        let failed = |what: String| Err(Error::CertificateFailed(what));
        if self.embeddings.len() != inputs.len() {
            return failed(format!("{} embeddings of {} inputs", self.embeddings.len(), inputs.len()));
        }
        // What the first input that covers a position has there, the others must have too.
        let any = inputs.iter().find_map(|input| input.first());
        let mut symbols: Vec<S> = any.map_or(Vec::new(), |&any| vec![any; self.length]);
        let mut covered = vec![false; symbols.len()];
        for (place, input) in inputs.iter().enumerate() {
            self.replay(place, input, &mut symbols, &mut covered)?;
        }
        let count = covered.into_iter().filter(|&covered| covered).count();
        if count != self.length || self.len() != length {
            return failed(format!("{count} covered positions of {} prove a length of {length}", self.length));
        }
        Ok(())
    }

    /// Proves the embedding of one input, and covers its positions.
    fn replay<S: Copy + PartialEq>(
        &self,
        place: usize,
        input: &[S],
        symbols: &mut [S],
        covered: &mut [bool],
    ) -> Result<()> {
        let failed = |what: String| Err(Error::CertificateFailed(what));
        let (mut next_input, mut next_at) = (0, 0);
        for run in &self.embeddings[place] {
            let from = run.input.checked_add(run.len).and_then(|end| input.get(run.input..end));
            let to = run.at.checked_add(run.len).filter(|&end| end <= symbols.len());
            let (Some(from), Some(end)) = (from, to) else {
                return failed(format!("run {run:?} of input {place} leaves it or the supersequence"));
            };
            if run.len == 0 || run.input != next_input || run.at < next_at {
                return failed(format!("run {run:?} of input {place} is empty, out of order or leaves a gap"));
            }
            (next_input, next_at) = (run.input + run.len, end);
            // Most runs are short: their symbols are compared one by one.
            let mut equal = true;
            for ((symbol, covered), &own) in symbols[run.at..end].iter_mut().zip(&mut covered[run.at..end]).zip(from) {
                equal &= !*covered | (*symbol == own);
                (*symbol, *covered) = (own, true);
            }
            if !equal {
                return failed(format!("run {run:?} of input {place} lies on other symbols"));
            }
        }
        if next_input != input.len() {
            return failed(format!("{next_input} of {} symbols of input {place} are placed", input.len()));
        }
        Ok(())
    }

    /// Places `len` symbols of an input from `position` on at the end; a run that goes on is extended.
    fn place(&mut self, input: usize, position: usize, len: usize) {
        if len == 0 {
            return;
        }
        let at = self.length;
        match self.embeddings[input].last_mut() {
            Some(last) if last.input + last.len == position && last.at + last.len == at => last.len += len,
            _ => self.embeddings[input].push(Placement { input: position, at, len }),
        }
    }
}
