//! The way of values from the device to the output, while the device goes on.

use std::ops::{ControlFlow, Range};
use std::sync::{Mutex, MutexGuard, PoisonError};

use rayon::prelude::*;

use super::{Round, cross};
use crate::backend::{Pending, Words};
use crate::call::phase::Phase;
use crate::engine::Device;
use crate::error::{Error, Result};
use crate::pairs::selection::Selection;
use crate::pairs::solve::{Output, Work};
use crate::pairs::task::{KeptBlock, PairValue};
use crate::pairs::values::Value;
use crate::pairwise::codes::Symbol;

/// A round whose words are being read.
pub(super) struct Arriving<'a, 'r, S: Symbol> {
    /// Pairs of the part.
    pub(super) places: Range<u64>,
    /// Targets of a rectangle.
    pub(super) columns: Range<usize>,
    pub(super) round: Round<'a, 'r, S>,
    /// True for the last round of the part.
    pub(super) is_last: bool,
    /// True if the words have only values within the bound.
    pub(super) is_kept: bool,
}

/// Words that are being read.
pub(super) type PendingWords = Pending<Box<dyn Words>>;

/// A round and its words.
type Arrived<'a, 'r, S> = (Arriving<'a, 'r, S>, Box<dyn Words>);

/// Passes on the values that were read, and those that are being read.
///
/// # Errors
/// Errors of the device; [`Error::Cancelled`] if the output takes no more values.
pub(super) async fn deliver<'p, 'r, S: Symbol, T: Value>(
    delivery: &Mutex<Delivery<'_, '_, '_, 'p, 'r, S, T>>,
    arriving: Option<(Arriving<'p, 'r, S>, PendingWords)>,
) -> Result<()> {
    if let Some((arriving, pending)) = arriving {
        let words = pending.await?;
        lock(delivery).put(arriving, words);
    }
    match lock(delivery).advance() {
        ControlFlow::Continue(()) => Ok(()),
        ControlFlow::Break(()) => Err(Error::Cancelled),
    }
}

/// Values that were read and are not passed on yet.
pub(super) struct Delivery<'d, 'w, 'o, 'p, 'r, S: Symbol, T> {
    device: &'d Device<'d>,
    work: &'w Work<'w, 'r, S>,
    output: &'d mut Output<'o>,
    arrived: Option<Arrived<'p, 'r, S>>,
    /// All values, or those of one part.
    values: Vec<T>,
    /// Values within the bound of one part.
    kept: Vec<PairValue>,
    /// Pairs that were passed on.
    done: u64,
    flow: ControlFlow<()>,
}

impl<'d, 'w, 'o, 'p, 'r, S: Symbol, T: Value> Delivery<'d, 'w, 'o, 'p, 'r, S, T> {
    pub(super) fn new(
        device: &'d Device<'d>,
        work: &'w Work<'w, 'r, S>,
        output: &'d mut Output<'o>,
    ) -> Self {
        let all = match output {
            Output::All(_) => (work.places.end - work.places.start) as usize,
            Output::Each(_) | Output::Kept(_) => 0,
        };
        Self {
            device,
            work,
            output,
            arrived: None,
            values: vec![T::default(); all],
            kept: Vec::new(),
            done: 0,
            flow: ControlFlow::Continue(()),
        }
    }

    /// True if the output takes the pairs within the bound alone.
    pub(super) fn takes_kept(&self) -> bool {
        matches!(self.output, Output::Kept(_))
    }

    /// Takes the words of the next round.
    pub(super) fn put(&mut self, round: Arriving<'p, 'r, S>, words: Box<dyn Words>) {
        debug_assert!(
            self.arrived.is_none(),
            "each round is passed on before the next one"
        );
        self.arrived = Some((round, words));
    }

    /// Drops what a part has kept so far.
    pub(super) fn forget_kept(&mut self) {
        self.kept.clear();
    }

    /// Converts the words that have arrived, and passes a complete part on.
    pub(super) fn advance(&mut self) -> ControlFlow<()> {
        if let Some(arrived) = self.arrived.take().filter(|_| self.flow.is_continue()) {
            match arrived.0.is_kept {
                true => self.advance_kept(&arrived),
                false => self.advance_values(&arrived),
            }
            let (round, _) = arrived;
            if round.is_last {
                match round.is_kept {
                    true => self.pass_on_kept(round.places),
                    false => self.pass_on_values(round.places),
                }
            }
            self.device.phases.lap(Phase::Readback);
        }
        self.flow
    }

    fn advance_kept(&mut self, (arrived, words): &Arrived<'p, 'r, S>) {
        if let Round::Cross(block) = &arrived.round {
            let kept = block.kept(words.words());
            let is_asked = |pair: &PairValue| arrived.columns.contains(&pair.target);
            self.kept.extend(kept.into_iter().filter(is_asked));
        }
    }

    fn advance_values(&mut self, (arrived, words): &Arrived<'p, 'r, S>) {
        let places = &arrived.places;
        let (device, selection) = (self.device, self.work.selection);
        let values = self.values(places);
        let words = words.words();
        match &arrived.round {
            Round::Cross(block) => {
                let is_upper = matches!(selection, Selection::Symmetric);
                let sizes = (block.queries.rows.len(), &arrived.columns);
                let mut rows = cross::rows_of(values, sizes, is_upper);
                device.on_threads(|| block.unpack(words, &mut rows));
            }
            Round::Entries(block) => block.unpack(words, values),
        }
    }

    /// Where the values of a part are written.
    pub(super) fn values(&mut self, places: &Range<u64>) -> &mut [T] {
        let pairs = (places.end - places.start) as usize;
        let first = match self.output {
            Output::All(_) => (places.start - self.work.places.start) as usize,
            Output::Each(_) | Output::Kept(_) => {
                self.values.resize(pairs, T::default());
                0
            }
        };
        &mut self.values[first..first + pairs]
    }

    /// Passes the written values of a part on.
    pub(super) fn pass_on_values(&mut self, places: Range<u64>) {
        let work = self.work;
        work.long.write(places.start, self.values(&places));
        self.done += places.end - places.start;
        if !matches!(self.output, Output::All(_)) {
            let block = T::values(std::mem::take(&mut self.values));
            self.flow = self.output.pass(work, places.start, &block, None);
            self.values = T::vec(block);
        }
    }

    fn pass_on_kept(&mut self, places: Range<u64>) {
        self.done += places.end - places.start;
        if let Output::Kept(sink) = &mut *self.output {
            let kept = &mut self.kept;
            let key = |pair: &PairValue| (pair.query, pair.target);
            self.device
                .on_threads(|| kept.par_sort_unstable_by_key(key));
            self.flow = sink(KeptBlock {
                pairs: places,
                kept,
                offsets: None,
            });
            kept.clear();
        }
    }

    /// True if the output takes no more values.
    pub(super) fn is_ended(&self) -> bool {
        self.flow.is_break()
    }

    /// Hands all values over, if they were kept; returns the number of pairs that were passed on.
    pub(super) fn finish(self) -> u64 {
        if let Output::All(all) = self.output {
            *all = T::values(self.values);
        }
        self.done
    }
}

/// Poisoning is ignored: a panic ends the call.
pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
