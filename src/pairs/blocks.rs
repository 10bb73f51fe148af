//! Values of a running call, block by block.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, sync_channel};

use super::selection::Selection;
use super::task::{PairBlock, PairOptions, Pairs, PairsDone};
use crate::call::control::CancelHandle;
use crate::engine::{Engine, Job};
use crate::error::Result;
use crate::sequences::codes::Symbol;

/// Blocks that wait for the iterator while the next one is computed.
const MAX_WAITING: usize = 1;

/// Blocks of a call on another thread, in order, from [`Pairs::blocks`].
///
/// The call computes ahead by at most two blocks, on a GPU by three, and waits until they are taken.
/// An error is the last item.
/// Dropping the iterator cancels the call.
///
/// ```
/// use swath::pairs::{Pairs, Strings};
/// use swath::{Engine, Options};
///
/// let engine = Engine::new(Options::default())?;
/// let words = Strings::<u8>::from_slices(["stream", "steam", "team"]);
/// let mut near = Vec::new();
/// for block in Pairs::symmetric(&words).within(1).blocks(&engine) {
///     near.extend(block?.kept().map(|pair| (pair.query, pair.target)));
/// }
/// assert_eq!(near, [(0, 1), (1, 2)]);
/// # Ok::<(), swath::Error>(())
/// ```
#[derive(Debug)]
pub struct PairBlocks {
    arriving: Receiver<PairBlock<'static>>,
    /// `None` after the last block.
    job: Option<Job<PairsDone>>,
    cancel: CancelHandle,
}

impl PairBlocks {
    /// Handle that cancels the call from any thread.
    pub fn cancel_handle(&self) -> CancelHandle {
        self.cancel.clone()
    }
}

impl Iterator for PairBlocks {
    type Item = Result<PairBlock<'static>>;

    fn next(&mut self) -> Option<Self::Item> {
        if let Ok(block) = self.arriving.recv() {
            return Some(Ok(block));
        }
        self.job.take()?.wait().err().map(Err)
    }
}

impl<S: Symbol> Pairs<'_, S> {
    /// Starts the call on another thread, and returns its values while it goes on. Borrowed strings
    /// are copied.
    pub fn blocks(self, engine: &Engine) -> PairBlocks {
        let pairs = self.into_owned();
        let selection = pairs.call.selection.clone();
        let (sender, arriving) = sync_channel(MAX_WAITING);
        let task = pairs.for_each(
            move |block| match sender.send(block.owned(selection.clone())) {
                Ok(()) => ControlFlow::Continue(()),
                Err(_) => ControlFlow::Break(()),
            },
        );
        let job = engine.start(task);
        PairBlocks {
            arriving,
            cancel: job.cancel_handle(),
            job: Some(job),
        }
    }

    fn into_owned(self) -> Pairs<'static, S> {
        Pairs {
            queries: self.queries.into_owned(),
            targets: self.targets.map(|targets| targets.into_owned()),
            call: PairOptions {
                selection: Arc::new(Arc::unwrap_or_clone(self.call.selection).into_owned()),
                ..self.call
            },
        }
    }
}

impl Selection<'_> {
    fn into_owned(self) -> Selection<'static> {
        match self {
            Selection::Cross => Selection::Cross,
            Selection::Symmetric => Selection::Symmetric,
            Selection::Zip => Selection::Zip,
            Selection::List(pairs) => Selection::List(pairs.into_owned().into()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::DeviceChoice;
    use crate::engine::Options;
    use crate::error::Error;
    use crate::pairs::Strings;
    use crate::sequences::bit_parallel::inputs::Random;

    /// An engine whose blocks have some hundred pairs.
    fn engine() -> Engine {
        let options = Options::new().device(DeviceChoice::Cpu).threads(2);
        Engine::new(options.host_memory(1 << 15)).expect("the CPU is always there")
    }

    fn words(count: usize) -> Strings<'static, u32> {
        let mut random = Random::new(5);
        let word = |len: usize| random.codes(len % 40, 4);
        Strings::from_slices((0..count).map(word).collect::<Vec<_>>())
    }

    #[test]
    fn blocks_have_all_values_in_order() {
        let words = words(60);
        let list: Vec<_> = (0..3000).map(|pair| (pair * 7 % 60, pair % 60)).collect();
        for pairs in [
            Pairs::symmetric(&words),
            Pairs::cross(&words, &words).within(9),
            Pairs::zip(&words, &words),
            Pairs::list(&words, &words, &list[..]).shard(1, 2),
        ] {
            let mut expected = Vec::new();
            let task = pairs.clone().for_each(|block| {
                expected.push((block.first(), block.values().clone(), kept(&block)));
                ControlFlow::Continue(())
            });
            engine().run(&task).expect("it runs");
            drop(task);
            let found = pairs.blocks(&engine()).map(|block| {
                let block = block.expect("no error");
                (block.first(), block.values().clone(), kept(&block))
            });
            assert!(found.eq(expected));
        }
    }

    fn kept(block: &PairBlock<'_>) -> Vec<crate::pairs::PairValue> {
        block.kept().collect()
    }

    #[test]
    fn a_dropped_iterator_cancels_the_call() {
        let words = words(3000);
        let mut blocks = Pairs::cross(&words, &words).blocks(&engine());
        let first = blocks.next().expect("a block").expect("no error");
        assert_eq!(first.first(), 0);
        let cancel = blocks.cancel_handle();
        assert!(!cancel.is_cancelled());
        drop(blocks);
        assert!(cancel.is_cancelled());
    }

    #[test]
    fn an_error_is_the_last_item() {
        let words = words(3000);
        let mut blocks = Pairs::cross(&words, &words).blocks(&engine());
        assert!(blocks.next().is_some_and(|block| block.is_ok()));
        blocks.cancel_handle().cancel();
        let rest: Vec<_> = blocks.by_ref().collect();
        assert!(rest.len() < 6, "{}", rest.len());
        assert!(matches!(rest.last(), Some(Err(Error::Cancelled))));
        assert!(blocks.next().is_none());
        let one = Strings::from_slices([[1]]);
        let mut refused = Pairs::zip(&words, &one).blocks(&engine());
        assert!(matches!(
            refused.next(),
            Some(Err(Error::OutOfRange { .. }))
        ));
        assert!(refused.next().is_none());
    }
}
