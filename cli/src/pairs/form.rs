//! Blocks of values on their way to the output.

use std::ops::ControlFlow;

use swath::pairs::PairsDone;

use crate::call::{Outcome, TakeError};
use crate::lists::Output;

/// Pairs before a position, and their rows.
pub struct Written {
    pub next: u64,
    pub rows: u64,
}

pub trait Form {
    /// All values of consecutive pairs, or those within the bound.
    type Block<'b>;

    /// Returns what is written once the buffer is.
    fn block(&mut self, block: &Self::Block<'_>, out: &mut Output<'_>) -> anyhow::Result<Written>;

    /// Writes what follows the last block. Returns the number of rows.
    fn end(&mut self, out: &mut Output<'_>) -> anyhow::Result<u64>;
}

/// Writes the blocks of a call until one fails.
pub struct Sink<'a, 'o> {
    out: &'a mut Output<'o>,
    /// Position after the last pair of the call.
    end: u64,
    failed: TakeError,
}

impl<'a, 'o> Sink<'a, 'o> {
    pub fn new(out: &'a mut Output<'o>, end: u64) -> Self {
        Self {
            out,
            end,
            failed: TakeError::default(),
        }
    }

    pub fn take<F: Form>(&mut self, form: &mut F, block: &F::Block<'_>) -> ControlFlow<()> {
        let written = form.block(block, self.out);
        let kept = written.and_then(|Written { next, rows }| {
            if next < self.end {
                self.out.checkpoint(next, rows, None)
            } else {
                // The end needs no checkpoint: the file is complete soon.
                Ok(())
            }
        });
        self.failed.flow(kept)
    }

    pub fn end<F: Form>(
        self,
        form: &mut F,
        outcome: anyhow::Result<Outcome<PairsDone>>,
    ) -> anyhow::Result<(Outcome<PairsDone>, u64)> {
        self.failed.result()?;
        let outcome = outcome?;
        Ok((outcome, form.end(self.out)?))
    }
}
