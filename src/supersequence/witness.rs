//! The witness: where the symbols of every input lie in the supersequence.

use rayon::prelude::*;

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
        let mut merge = Self { length: 0, embeddings: vec![Vec::new(), Vec::new()] };
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
    pub fn verify<S: Copy + PartialEq + Sync>(&self, inputs: &[&[S]], length: u64) -> Result<()> {
        let failed = |what: String| Err(Error::CertificateFailed(what));
        if self.embeddings.len() != inputs.len() {
            return failed(format!("{} embeddings of {} inputs", self.embeddings.len(), inputs.len()));
        }
        let symbols = self.symbols(inputs)?;
        let covered = (0..inputs.len()).into_par_iter().map(|place| self.replay(place, inputs[place], &symbols));
        let both = |mut all: Vec<bool>, one: Vec<bool>| {
            all.iter_mut().zip(one).for_each(|(all, one)| *all |= one);
            all
        };
        let covered = covered.collect::<Result<Vec<_>>>()?.into_iter().reduce(both).unwrap_or_default();
        let count = covered.into_iter().filter(|&covered| covered).count();
        if count != self.length || self.len() != length {
            return failed(format!("{count} covered positions of {} prove a length of {length}", self.length));
        }
        Ok(())
    }

    /// Which positions an input covers, once its embedding is proven.
    fn replay<S: Copy + PartialEq>(&self, place: usize, input: &[S], symbols: &[S]) -> Result<Vec<bool>> {
        let failed = |what: String| Err(Error::CertificateFailed(what));
        let mut covered = vec![false; self.length];
        let (mut next_input, mut next_at) = (0, 0);
        for run in &self.embeddings[place] {
            if run.len == 0 || run.input != next_input || run.at < next_at {
                return failed(format!("run {run:?} of input {place} is empty, out of order or leaves a gap"));
            }
            (next_input, next_at) = (run.input + run.len, run.at + run.len);
            // Most runs are short: their symbols are compared one by one.
            let pairs = input[run.input..next_input].iter().zip(&symbols[run.at..next_at]);
            let mut equal = true;
            for ((x, y), covered) in pairs.zip(&mut covered[run.at..next_at]) {
                equal &= x == y;
                *covered = true;
            }
            if !equal {
                return failed(format!("run {run:?} of input {place} lies on other symbols"));
            }
        }
        if next_input != input.len() {
            return failed(format!("{next_input} of {} symbols of input {place} are placed", input.len()));
        }
        Ok(covered)
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
