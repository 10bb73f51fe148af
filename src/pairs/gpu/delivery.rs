//! The way of values from the device to the output, while the device goes on.

use std::ops::{ControlFlow, Range};

use super::{ValuesPlan, cross, entries};
use crate::backend::{Pending, Words};
use crate::call::phase::Phase;
use crate::call::turns::Turns;
use crate::engine::Device;
use crate::error::{Error, Result};
use crate::host::parallel;
use crate::pairs::output::{Block, Output, Takes};
use crate::pairs::selection::Selection;
use crate::pairs::values::PairValue;
use crate::pairs::values::Value;
use crate::pairs::work::Work;
use crate::plan::Resident;

/// Plans of a part of the pairs.
pub(super) enum Round<'a> {
    /// A rectangle with one chunk of the targets.
    Cross(cross::Block<'a>),
    Entries(Box<entries::Block<'a>>),
}

impl Round<'_> {
    pub(super) fn plan(&self, resident: &Resident) -> ValuesPlan {
        match self {
            Self::Cross(block) => block.plan(resident),
            Self::Entries(block) => block.plan(),
        }
    }
}

/// A round whose words are being read.
pub(super) struct Arriving<'a> {
    pub(super) positions: Range<u64>,
    /// Targets of a rectangle.
    pub(super) columns: Range<usize>,
    pub(super) round: Round<'a>,
    pub(super) is_last: bool,
    /// True if the words have only values within the bound.
    pub(super) is_kept: bool,
}

pub(super) type PendingWords = Pending<Box<dyn Words>>;

/// Converts the words of a round, once they have come and it is the turn of its part, and passes a
/// complete part on. `held` is the delivery between rounds of a part.
pub(super) async fn deliver<'p, 'd, 'o, T: Value>(
    turns: &Turns<Delivery<'d, 'o, T>>,
    held: &mut Option<Delivery<'d, 'o, T>>,
    arriving: Option<(Arriving<'p>, PendingWords)>,
) -> Result<()> {
    let Some((round, pending)) = arriving else {
        return Ok(());
    };
    let (is_last, Range { start, end }) = (round.is_last, round.positions.clone());
    let words = pending.await?;
    let mut delivery = match held.take() {
        Some(delivery) => delivery,
        None => turns.take(start).await,
    };
    delivery.take(round, words).await;
    let flow = delivery.flow;
    if is_last {
        turns.give(end, delivery);
    } else {
        *held = Some(delivery);
    }
    if flow.is_break() {
        return Err(Error::Cancelled);
    }
    Ok(())
}

/// Values that were read and are not passed on yet.
pub(super) struct Delivery<'d, 'o, T> {
    device: &'d Device<'d>,
    work: &'d Work<'d>,
    output: &'d mut Output<'o>,
    /// All values, or those of one part.
    values: Vec<T>,
    /// Values within the bound of one part.
    kept: Vec<PairValue>,
    flow: ControlFlow<()>,
}

impl<'d, 'o, T: Value> Delivery<'d, 'o, T> {
    pub(super) fn new(
        device: &'d Device<'d>,
        work: &'d Work<'d>,
        output: &'d mut Output<'o>,
    ) -> Self {
        let all = match output.takes {
            Takes::All => work.pairs() as usize,
            Takes::Blocks | Takes::Kept => 0,
        };
        Self {
            device,
            work,
            output,
            values: vec![T::default(); all],
            kept: Vec::new(),
            flow: ControlFlow::Continue(()),
        }
    }

    pub(super) fn forget_kept(&mut self) {
        self.kept.clear();
    }

    /// Converts the words of the next round, and passes a complete part on.
    async fn take(&mut self, round: Arriving<'_>, words: Box<dyn Words>) {
        if self.flow.is_break() {
            return;
        }
        if round.is_kept {
            self.take_kept(&round, words.words());
        } else {
            self.take_values(&round, words.words());
        }
        drop(words);
        if round.is_last && round.is_kept {
            self.pass_on_kept(round.positions).await;
        } else if round.is_last {
            self.pass_on_values(round.positions).await;
        }
        self.device.phases.lap(Phase::Readback);
    }

    fn take_kept(&mut self, arrived: &Arriving<'_>, words: &[u32]) {
        if let Round::Cross(block) = &arrived.round {
            let kept = block.kept(words);
            let is_asked = |pair: &PairValue| arrived.columns.contains(&pair.target);
            self.kept.extend(kept.into_iter().filter(is_asked));
        }
    }

    fn take_values(&mut self, arrived: &Arriving<'_>, words: &[u32]) {
        let positions = &arrived.positions;
        let (device, selection) = (self.device, self.work.selection);
        let values = self.values(positions);
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
    pub(super) fn values(&mut self, positions: &Range<u64>) -> &mut [T] {
        let pairs = (positions.end - positions.start) as usize;
        let first = match self.output.takes {
            Takes::All => (positions.start - self.work.positions.start) as usize,
            Takes::Blocks | Takes::Kept => {
                self.values.resize(pairs, T::default());
                0
            }
        };
        &mut self.values[first..first + pairs]
    }

    pub(super) async fn pass_on_values(&mut self, positions: Range<u64>) {
        let work = self.work;
        work.long.write(positions.start, self.values(&positions));
        if self.output.takes != Takes::All {
            let mut values = T::values(std::mem::take(&mut self.values));
            (values, self.flow) = self.output.pass(work, values, None).await;
            self.values = T::vec(values);
        }
    }

    async fn pass_on_kept(&mut self, positions: Range<u64>) {
        self.output.next = positions.end;
        let mut block = Block::of(positions);
        block.kept = std::mem::take(&mut self.kept);
        let key = |pair: &PairValue| (pair.query, pair.target);
        self.device
            .on_threads(|| parallel::sort_unstable_by_key(&mut block.kept, key));
        (block, self.flow) = self.output.blocks.pass(block).await;
        self.kept = block.kept;
        self.kept.clear();
    }

    pub(super) fn is_ended(&self) -> bool {
        self.flow.is_break()
    }

    /// Hands all values over, if they were kept.
    pub(super) fn finish(self) {
        if self.output.takes == Takes::All {
            self.output.all = T::values(self.values);
            self.output.next = self.work.positions.end;
        }
    }
}
