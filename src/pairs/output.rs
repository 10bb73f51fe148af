//! The way of values to the caller.

use std::ops::{ControlFlow, Range};

use super::values::{PairValue, Values};
use super::work::Work;
use crate::call::hand_over::HandOver;

/// Maximum pairs within the bound that are passed on at once.
const MAX_KEPT: usize = 1 << 16;

/// Values of consecutive pairs on their way to the caller.
#[derive(Debug)]
pub(super) struct Block {
    pub(super) pairs: Range<u64>,
    /// All values; empty if the caller takes the pairs within the bound alone.
    pub(super) values: Values,
    /// The pairs within the bound, if the caller takes them alone.
    pub(super) kept: Vec<PairValue>,
    /// [Offsets](super::KeptBlock::offsets) of the kept pairs.
    pub(super) offsets: Option<Vec<u32>>,
}

impl Block {
    pub(super) fn of(pairs: Range<u64>) -> Self {
        Self {
            pairs,
            values: Values::none(0),
            kept: Vec::new(),
            offsets: None,
        }
    }
}

/// Values that a caller asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Takes {
    /// All values at the end.
    All,
    /// All values, block by block.
    Blocks,
    /// The pairs within the bound, block by block.
    Kept,
}

pub(super) struct Output<'a> {
    pub(super) takes: Takes,
    /// All values, if the caller takes them at the end.
    pub(super) all: Values,
    pub(super) blocks: &'a HandOver<Block>,
    /// Position of the first pair that was not passed on.
    pub(super) next: u64,
}

impl Output<'_> {
    /// Passes on the values of the next pairs, which are appended to those of a call that keeps all,
    /// and perhaps their [offsets](super::KeptBlock::offsets). Returns the values, so that their
    /// memory can be used again, and whether the caller takes more.
    pub(super) async fn pass(
        &mut self,
        work: &Work<'_>,
        values: Values,
        offsets: Option<&[u32]>,
    ) -> (Values, ControlFlow<()>) {
        let first = self.next;
        self.next += values.len() as u64;
        match self.takes {
            Takes::All => {
                self.all.append(&values);
                (values, ControlFlow::Continue(()))
            }
            Takes::Blocks => {
                let mut block = Block::of(first..self.next);
                block.values = values;
                let (block, flow) = self.blocks.pass(block).await;
                (block.values, flow)
            }
            Takes::Kept => {
                let flow = self.pass_kept(work, first, &values, offsets).await;
                (values, flow)
            }
        }
    }

    /// Passes on those of the values from pair `first` on that are within the bound.
    async fn pass_kept(
        &self,
        work: &Work<'_>,
        first: u64,
        values: &Values,
        offsets: Option<&[u32]>,
    ) -> ControlFlow<()> {
        let end = first + values.len() as u64;
        let mut block = Block::of(first..end);
        let max_value = work.request.within.unwrap_or(u64::MAX);
        let mut start = first;
        block.offsets = offsets.map(|_| Vec::new());
        for (index, value) in values.up_to(max_value) {
            if let (Some(kept), Some(offsets)) = (&mut block.offsets, offsets) {
                kept.push(offsets[index]);
            }
            let pair = first + index as u64;
            let (query, target) = work.selection.pair(pair, work.targets());
            block.kept.push(PairValue {
                query,
                target,
                value,
            });
            if block.kept.len() == MAX_KEPT {
                block.pairs = start..pair + 1;
                let flow;
                (block, flow) = self.blocks.pass(block).await;
                flow?;
                block.kept.clear();
                block.offsets.iter_mut().for_each(Vec::clear);
                start = pair + 1;
            }
        }
        if start < end {
            block.pairs = start..end;
            self.blocks.pass(block).await.1?;
        }
        ControlFlow::Continue(())
    }
}
