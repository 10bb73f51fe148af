//! Paths through tables whose tiles are read back in many chunks, from one replay on the device or
//! several.

use std::sync::{Arc, LazyLock, Mutex};
use std::time::Duration;

use rayon::{ThreadPool, ThreadPoolBuilder};
use support::hooked::{Hooked, Hooks};
use support::inputs::{Input, Kind};
use support::tier::combinations;
use support::tuning;
use swath::lcs::Subsequence;
use swath::unstable::backend::{FenceValue, Span};
use swath::unstable::edit_distance::reference as edit_distance;
use swath::unstable::engine::Device;
use swath::unstable::kernels::bit_parallel::{CarryExchange, Matching};
use swath::unstable::lcs::{Tuning, reference};
use swath::unstable::plan::{BufferId, Pass, Plan};
use swath::unstable::sequences::bit_parallel::shape::TableKind;
use swath::unstable::sequences::codes::Encoded;
use swath::{Block, PathMode};

/// Counts of readbacks after the sweep.
#[derive(Clone, Copy, Debug, Default)]
struct Counts {
    chunks: usize,
    replays: usize,
    /// Cells swept again by those replays.
    cells: u64,
    /// Submissions before those readbacks.
    slices: usize,
}

/// Counts the submissions of a session.
#[derive(Clone, Default)]
struct Counting {
    counts: Arc<Mutex<Counts>>,
    /// True once the result of the finished sweep was read back.
    swept: bool,
}

impl Hooks for Counting {
    fn load(&mut self, _plan: &mut Plan, _kept: &[Option<BufferId>]) {
        self.swept = false;
    }

    fn submit<'a>(
        &mut self,
        passes: &'a [Pass],
        stamp: FenceValue,
        spans: &[Span],
    ) -> (&'a [Pass], FenceValue) {
        let mut counts = self.counts.lock().expect("unharmed");
        if self.swept {
            counts.chunks += 1;
            counts.replays += passes.len();
            counts.cells += passes.iter().map(|pass| pass.cells).sum::<u64>();
        } else {
            counts.slices += 1;
        }
        drop(counts);
        self.swept |= !spans.is_empty();
        (passes, stamp)
    }
}

const BOTH: &[TableKind] = &[TableKind::Lcs, TableKind::Edit];

/// A pair and its canonical paths.
struct Case {
    a: Vec<u32>,
    b: Vec<u32>,
    subsequence: Subsequence,
    alignment: Vec<Block>,
}

impl Case {
    fn new((a, b): (Vec<u32>, Vec<u32>)) -> Self {
        Self {
            subsequence: reference::subsequence(&a, &b),
            alignment: edit_distance::path(&a, &b).as_slice().to_vec(),
            a,
            b,
        }
    }

    /// Requires the canonical paths of both problems; returns the counts.
    fn assert_paths(&self, tuning: Tuning) -> Option<Counts> {
        // So long that a busy machine does not split replays.
        self.assert_paths_of(BOTH, tuning, Duration::from_secs(60))
    }

    /// Requires the canonical paths of some of [`BOTH`] problems, with a given slice length.
    fn assert_paths_of(
        &self,
        tables: &[TableKind],
        tuning: Tuning,
        slice: Duration,
    ) -> Option<Counts> {
        let gpu = support::lock_gpu()?;
        let counted = Hooked::new(&gpu, Counting::default());
        let device = Device {
            budget_bytes: u64::MAX,
            slice,
            ..support::device(&counted)
        };
        let codes = Encoded::new(&self.a, &self.b);
        let shown = || format!("{tuning:?} {:?} {:?}", self.a, self.b);
        let lcs = || {
            pollster::block_on(swath::unstable::lcs::gpu::subsequence(
                &device, tuning, &codes,
            ))
        };
        if tables.contains(&TableKind::Lcs) {
            let (found, mode) = with_threads(lcs).expect("it is solved");
            assert_eq!(mode, PathMode::StoredBoundaries);
            assert!(found == self.subsequence, "{}", shown());
        }
        let edit = || {
            pollster::block_on(swath::unstable::edit_distance::gpu::path(
                &device, tuning, &codes,
            ))
        };
        if tables.contains(&TableKind::Edit) {
            let (found, _) = with_threads(edit).expect("it is solved");
            assert!(found.as_slice() == self.alignment, "{}", shown());
        }
        Some(*counted.hooks.counts.lock().expect("unharmed"))
    }
}

/// Every two of a number of steps, directions and problem occur together.
fn assert_steps(case: &Case, crew: (CarryExchange, u32), steps: &[u32], slice: Duration) {
    for [step, directions, table] in combinations([steps.len(), 2, 2]) {
        let directions = 1 + directions as u32;
        let tuning = tuning(Matching::Planes, crew, 2, 8, steps[step], directions);
        case.assert_paths_of(&BOTH[table..][..1], tuning, slice);
    }
}

/// Runs `call` with the threads of a large host, so that parts of a chunk are traced back from
/// guessed cells.
fn with_threads<T: Send>(call: impl FnOnce() -> T + Send) -> T {
    static POOL: LazyLock<ThreadPool> = LazyLock::new(|| {
        let pool = ThreadPoolBuilder::new().num_threads(16);
        pool.build().expect("threads")
    });
    POOL.install(call)
}

/// Strips of 496 or 512 rows, and checkpoints of at least 32 columns.
fn tiny(directions: u32, replay_bytes: Option<u64>) -> Tuning {
    Tuning {
        replay_bytes,
        ..tuning(
            Matching::Planes,
            (CarryExchange::Workgroup, 8),
            2,
            8,
            4,
            directions,
        )
    }
}

#[test]
fn replays_and_windows_of_every_size_give_the_canonical_paths() {
    for (rows, cols) in [(2100, 1500), (700, 2500), (2600, 300)] {
        for kind in Kind::ALL {
            let input = Input {
                kind,
                letters: 4,
                rows,
                cols,
                seed: 5,
            };
            let case = Case::new(input.pair());
            for directions in [1, 2] {
                for replay_bytes in [0, 20_000, 100_000, 400_000] {
                    case.assert_paths(tiny(directions, Some(replay_bytes)));
                }
            }
        }
    }
}

#[test]
fn paths_are_canonical_with_the_shortest_slices() {
    let case = Case::new(Input::random(4, 2100, 1500).pair());
    for directions in [1, 2] {
        let tuning = tiny(directions, None);
        let Some(whole) = case.assert_paths(tuning) else {
            return;
        };
        let Some(cut) = case.assert_paths_of(BOTH, tuning, Duration::from_nanos(1)) else {
            return;
        };
        // Strips of 496 rows, 32 columns per pass: the number of tiles of both tables.
        let tiles = 2 * 2100usize.div_ceil(496) * 1500usize.div_ceil(32) / directions as usize;
        assert!(
            cut.slices >= tiles && whole.slices < tiles / 2,
            "{tiles}: {whole:?} {cut:?}"
        );
        assert!(cut.replays > 4 * whole.replays, "{whole:?} {cut:?}");
    }
}

/// A chained strip takes words of the one above in blocks, and must not wait for words that the
/// launch does not reach.
#[test]
fn launches_that_end_within_a_block_give_the_canonical_paths() {
    let Some(lanes) = support::subgroup_lanes() else {
        return;
    };
    let case = Case::new(Input::random(4, 2 * 62 * lanes as usize + 40, 90).pair());
    let crew = (CarryExchange::Subgroup, lanes);
    assert_steps(&case, crew, &[1, 3, 8, 9], Duration::from_nanos(1));
}

#[test]
fn a_replay_is_replayed_once_for_many_windows() {
    let case = Case::new(Input::random(4, 3000, 3000).pair());
    for directions in [1, 2] {
        // Both problems have a path per direction.
        let paths = 2 * directions as usize;
        let Some(Counts {
            chunks, replays, ..
        }) = case.assert_paths(tiny(directions, Some(0)))
        else {
            return;
        };
        assert!(
            chunks > 20 * paths && replays == chunks,
            "a chunk a replay: {chunks} {replays}"
        );
        let Some(Counts {
            chunks, replays, ..
        }) = case.assert_paths(tiny(directions, Some(100_000)))
        else {
            return;
        };
        assert!(
            replays > paths && chunks >= 2 * replays,
            "{chunks} chunks of {replays} replays"
        );
        let Some(Counts {
            chunks, replays, ..
        }) = case.assert_paths(tiny(directions, None))
        else {
            return;
        };
        assert_eq!((chunks, replays), (paths, paths));
    }
}

/// A pair whose path has a long gap after this many halves of the shorter sequence.
fn with_gap(strange: usize, halves: usize) -> (Vec<u32>, Vec<u32>) {
    let b = Input::random(4, 700, 700).pair().1;
    let gap = vec![9; strange];
    (
        [&b[..350 * halves], &gap[..], &b[350 * halves..]].concat(),
        b,
    )
}

#[test]
fn paths_with_long_gaps_are_the_canonical_ones() {
    for halves in 0..3 {
        let case = Case::new(with_gap(4000, halves));
        for directions in [1, 2] {
            for replay_bytes in [Some(100_000), None] {
                case.assert_paths(tiny(directions, replay_bytes));
            }
        }
    }
}

/// Where a pass has more columns than a part, a guess below a strip's border may lie right of one
/// above it.
#[test]
fn paths_through_passes_of_many_columns_are_the_canonical_ones() {
    let case = Case::new(Input::random(4, 4000, 14_000).pair());
    let crew = (CarryExchange::Workgroup, 8);
    assert_steps(&case, crew, &[256, 512, 1024], Duration::from_secs(60));
}

/// After a missed prediction the traceback predicts the previous direction, so a long gap at first
/// does not replay the table again and again. If each replay were as long as the first, this would
/// take more than three tables.
#[test]
fn paths_with_wrong_predictions_replay_little() {
    let case = Case::new(with_gap(20_000, 0));
    // A device that holds the tiles of the whole table replays it as a whole.
    let Some(Counts { cells, .. }) = case.assert_paths(tiny(1, Some(1 << 20))) else {
        return;
    };
    // Of both problems.
    let tables = cells as f64 / (2 * case.a.len() * case.b.len()) as f64;
    // The more workgroup memory, the longer are the checkpoints of which one is replayed in vain: 2.2
    // tables with 48 KiB on an H200, less than 2 with 32 KiB.
    assert!(tables < 2.5, "{tables} tables");
}
