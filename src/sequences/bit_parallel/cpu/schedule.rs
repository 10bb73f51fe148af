//! Scheduler of tiles, without barriers.
//!
//! An [`Order`] says which tiles are ready: usually those whose tiles above and to the left are
//! done. Ready tiles run in FIFO order, which is roughly the order of anti-diagonals. A thread that
//! finds no ready tile leaves; a thread that leaves ready tiles in the queue spawns another.

use std::collections::VecDeque;
use std::ops::Range;
use std::sync::{Mutex, PoisonError};

use crate::error::{Error, Result};
use crate::host::lock;
use crate::host::threads::{Scope, scope, threads};

/// Columns per block if boundaries are stored. Narrower blocks make lanes idle more often.
pub(super) const BLOCK_COLS: usize = 1024;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ScheduledTile {
    pub strip: usize,
    pub block: usize,
}

pub(super) trait Order: Send {
    type Tile: Copy + Send;
    /// Result of a tile, on which the order of further ones may depend.
    type Outcome;

    fn first(&mut self) -> VecDeque<Self::Tile>;
    /// Queues the tiles that are ready after this one.
    fn finish(
        &mut self,
        tile: Self::Tile,
        outcome: Self::Outcome,
        ready: &mut VecDeque<Self::Tile>,
    );
}

pub(super) struct Schedule<O: Order>(Mutex<State<O>>);

struct State<O: Order> {
    order: O,
    ready: VecDeque<O::Tile>,
    /// Threads running or spawned.
    threads: usize,
    failed: Option<Error>,
}

impl Schedule<Blocks> {
    /// Runs these blocks of each strip. Neither end of the ranges may decrease from strip to strip.
    /// A single strip or block runs on the calling thread.
    pub(super) fn run_blocks(
        blocks_of_strips: Vec<Range<usize>>,
        run_tile: impl Fn(ScheduledTile) -> Result<()> + Sync,
    ) -> Result<()> {
        let order = Blocks::new(blocks_of_strips);
        let is_serial = order.blocks.len().min(order.strips.len()) <= 1;
        Self::new(order).run(is_serial, run_tile)
    }
}

impl<O: Order> Schedule<O> {
    pub(super) fn new(mut order: O) -> Self {
        let ready = order.first();
        Self(Mutex::new(State {
            order,
            ready,
            threads: 1,
            failed: None,
        }))
    }

    /// Runs every tile on the current thread pool, or on the calling thread.
    pub(super) fn run(
        self,
        is_serial: bool,
        run_tile: impl Fn(O::Tile) -> Result<O::Outcome> + Sync,
    ) -> Result<()> {
        if is_serial {
            let state = self.0.into_inner();
            let State {
                mut order,
                mut ready,
                ..
            } = state.unwrap_or_else(PoisonError::into_inner);
            while let Some(tile) = ready.pop_front() {
                let outcome = run_tile(tile)?;
                order.finish(tile, outcome, &mut ready);
            }
            return Ok(());
        }
        scope(|scope| self.work(scope, threads(None), &run_tile));
        let state = self.0.into_inner();
        let failed = state.unwrap_or_else(PoisonError::into_inner).failed;
        failed.map_or(Ok(()), Err)
    }

    fn work<'scope>(
        &'scope self,
        scope: &Scope<'scope>,
        max_threads: usize,
        run_tile: &'scope (impl Fn(O::Tile) -> Result<O::Outcome> + Sync),
    ) where
        O: 'scope,
    {
        let mut next = lock(&self.0).take(max_threads);
        while let Some((tile, call)) = next {
            if call {
                scope.spawn(move |scope| self.work(scope, max_threads, run_tile));
            }
            let result = run_tile(tile);
            let mut guard = lock(&self.0);
            let state = &mut *guard;
            match result {
                Ok(outcome) => state.order.finish(tile, outcome, &mut state.ready),
                Err(error) => _ = state.failed.get_or_insert(error),
            }
            next = state.take(max_threads);
        }
    }
}

impl<O: Order> State<O> {
    /// The next tile, and whether to spawn another thread. Without a tile the thread leaves.
    fn take(&mut self, max_threads: usize) -> Option<(O::Tile, bool)> {
        let tile = if self.failed.is_none() {
            self.ready.pop_front()
        } else {
            None
        };
        let Some(tile) = tile else {
            self.threads -= 1;
            return None;
        };
        let call = !self.ready.is_empty() && self.threads < max_threads;
        self.threads += usize::from(call);
        Some((tile, call))
    }
}

/// Given blocks of each strip. Never are two tiles of one strip or one block ready at once.
pub(super) struct Blocks {
    blocks: Vec<Range<usize>>,
    strips: Vec<Range<usize>>,
}

impl Blocks {
    fn new(blocks_of_strips: Vec<Range<usize>>) -> Self {
        let count = blocks_of_strips
            .iter()
            .map(|blocks| blocks.end)
            .max()
            .unwrap_or(0);
        let strips_of = |block: usize| {
            let first = blocks_of_strips.partition_point(|blocks| blocks.end <= block);
            first..blocks_of_strips.partition_point(|blocks| blocks.start <= block)
        };
        Self {
            strips: (0..count).map(strips_of).collect(),
            blocks: blocks_of_strips,
        }
    }

    fn offer(&self, tile: ScheduledTile, ready: &mut VecDeque<ScheduledTile>) {
        let ScheduledTile { strip, block } = tile;
        let is_next = |left: Option<&Range<usize>>, index| {
            left.is_some_and(|left| left.start == index && index < left.end)
        };
        if is_next(self.blocks.get(strip), block) && is_next(self.strips.get(block), strip) {
            ready.push_back(tile);
        }
    }
}

impl Order for Blocks {
    type Tile = ScheduledTile;
    type Outcome = ();

    fn first(&mut self) -> VecDeque<ScheduledTile> {
        let mut ready = VecDeque::new();
        for (strip, blocks) in self.blocks.iter().enumerate() {
            let block = blocks.start;
            self.offer(ScheduledTile { strip, block }, &mut ready);
        }
        ready
    }

    fn finish(
        &mut self,
        ScheduledTile { strip, block }: ScheduledTile,
        (): (),
        ready: &mut VecDeque<ScheduledTile>,
    ) {
        self.blocks[strip].start += 1;
        self.strips[block].start += 1;
        for (strip, block) in [(strip, block + 1), (strip + 1, block)] {
            self.offer(ScheduledTile { strip, block }, ready);
        }
    }
}

/// Whether a sweep takes less time than waking a pool, and works on the calling thread alone: it
/// has one block of columns. The cells are those of `sequences::tiny::MAX_CELLS`.
pub(crate) fn is_serial(rows: usize, cols: usize) -> bool {
    rows <= SERIAL_ROWS && cols <= BLOCK_COLS && rows * cols <= 1 << 21
}

/// Rows that one thread encodes.
pub(super) const SERIAL_ROWS: usize = 1 << 14;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sequences::bit_parallel::band::Band;

    fn tables() -> Vec<Vec<Range<usize>>> {
        let mut tables = Vec::new();
        for (strips, blocks) in [
            (0, 0),
            (0, 3),
            (3, 0),
            (1, 1),
            (1, 7),
            (7, 1),
            (2, 2),
            (5, 9),
            (17, 6),
            (30, 30),
        ] {
            for slack in [0, 1, 3, 100] {
                let band = Band::around(strips * 10, blocks * 20, slack * 10);
                let rows = (0..strips as usize).map(|strip| strip * 10..(strip + 1) * 10);
                tables.push(
                    rows.map(|rows| band.blocks(&rows, blocks as usize * 20, 20))
                        .collect(),
                );
            }
        }
        tables
    }

    /// The tiles in order of completion.
    fn run(
        table: &[Range<usize>],
        threads: usize,
        stop_at: Option<ScheduledTile>,
    ) -> (Result<()>, Vec<ScheduledTile>) {
        let ended = Mutex::new(Vec::new());
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .expect("a pool");
        let run_tile = |tile| {
            std::thread::yield_now();
            ended.lock().expect("unharmed").push(tile);
            if stop_at == Some(tile) {
                Err(Error::Cancelled)
            } else {
                Ok(())
            }
        };
        let result = pool.install(|| Schedule::run_blocks(table.to_vec(), run_tile));
        (result, ended.into_inner().expect("unharmed"))
    }

    #[test]
    fn scheduler_runs_every_tile_once_after_its_neighbours() {
        for table in tables() {
            for threads in [1, 2, 5] {
                let (result, ended) = run(&table, threads, None);
                assert!(result.is_ok());
                let place = |strip, block| {
                    ended
                        .iter()
                        .position(|tile| *tile == ScheduledTile { strip, block })
                };
                assert_eq!(
                    ended.len(),
                    table.iter().map(ExactSizeIterator::len).sum::<usize>(),
                    "{table:?}"
                );
                for (strip, blocks) in table.iter().enumerate() {
                    for block in blocks.clone() {
                        let own = place(strip, block);
                        assert!(
                            own.is_some(),
                            "{table:?}, {threads} threads: strip {strip}, block {block}"
                        );
                        assert!(block == blocks.start || place(strip, block - 1) < own);
                        assert!(strip == 0 || place(strip - 1, block) < own);
                    }
                }
            }
        }
    }

    #[test]
    fn scheduler_with_one_thread_follows_anti_diagonals() {
        let (_, ended) = run(&[0..3, 0..4, 1..4], 1, None);
        assert!(
            ended.is_sorted_by_key(|tile| tile.strip + tile.block),
            "{ended:?}"
        );
    }

    #[test]
    fn scheduler_starts_no_tile_after_a_failure() {
        let table = vec![0..20; 20];
        for threads in [1, 4] {
            let failing = ScheduledTile { strip: 7, block: 3 };
            let (result, ended) = run(&table, threads, Some(failing));
            assert!(matches!(result, Err(Error::Cancelled)));
            let place = ended
                .iter()
                .position(|tile| *tile == failing)
                .expect("it ran");
            assert!(ended.len() - place <= threads, "those that had started end");
        }
    }

    #[test]
    fn scheduler_propagates_panics() {
        let table = vec![0..9; 9];
        let panics = |tile: ScheduledTile| {
            if tile.strip == 4 {
                panic!("a tile that panics")
            } else {
                Ok(())
            }
        };
        let run = || Schedule::run_blocks(table, panics);
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(3)
            .build()
            .expect("a pool");
        assert!(
            std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| pool.install(run))).is_err()
        );
    }
}
