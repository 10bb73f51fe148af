//! Paths through tables whose tiles come to the host in many chunks, out of one replay on the device or many.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use support::inputs::{Input, Kind};
use support::{Gpu, tuning};
use swath::unstable::backend::{
    Backend, Capabilities, DeviceSession, Done, Pending, Shared, Span, Stamp,
};
use swath::unstable::engine::Device;
use swath::unstable::kernels::bit_parallel::{HandOver, Matching};
use swath::unstable::lcs::{Tuning, reference};
use swath::unstable::pairwise::codes::Encoded;
use swath::unstable::plan::{BufferId, Pass, Plan};
use swath::{Control, Error};

/// What was read back after the sweep.
#[derive(Debug, Default)]
struct Counts {
    chunks: AtomicUsize,
    replays: AtomicUsize,
    /// Cells that those replays sweep again.
    cells: AtomicUsize,
    /// Submissions before those words.
    slices: AtomicUsize,
}

/// A device that counts.
#[derive(Debug)]
struct CountedGpu<'a> {
    gpu: &'a Gpu,
    counts: Arc<Counts>,
}

impl Backend for CountedGpu<'_> {
    fn name(&self) -> &str {
        self.gpu.name()
    }

    fn capabilities(&self) -> &Capabilities {
        self.gpu.capabilities()
    }

    fn shared(&self) -> &Arc<Shared> {
        self.gpu.shared()
    }

    fn open_session(&self) -> Result<Box<dyn DeviceSession>, Error> {
        let (inner, counts) = (self.gpu.open_session()?, self.counts.clone());
        Ok(Box::new(CountedSession {
            inner,
            counts,
            swept: false,
        }))
    }
}

struct CountedSession {
    inner: Box<dyn DeviceSession>,
    counts: Arc<Counts>,
    /// Whether the words of the finished sweep were asked for.
    swept: bool,
}

impl DeviceSession for CountedSession {
    fn retain(&mut self, kept: &[BufferId]) {
        self.inner.retain(kept);
    }

    fn load(
        &mut self,
        plan: &mut Plan,
        kept: &[Option<BufferId>],
        limit_bytes: u64,
    ) -> Result<(), Error> {
        self.swept = false;
        self.inner.load(plan, kept, limit_bytes)
    }

    fn submit(
        &mut self,
        passes: &[Pass],
        stamp: Stamp,
        spans: &[Span],
    ) -> Result<Pending<Done>, Error> {
        if self.swept {
            self.counts.chunks.fetch_add(1, Ordering::Relaxed);
            self.counts
                .replays
                .fetch_add(passes.len(), Ordering::Relaxed);
            let cells: u64 = passes.iter().map(|pass| pass.cells).sum();
            self.counts
                .cells
                .fetch_add(cells as usize, Ordering::Relaxed);
        } else {
            self.counts.slices.fetch_add(1, Ordering::Relaxed);
        }
        self.swept |= !spans.is_empty();
        self.inner.submit(passes, stamp, spans)
    }
}

/// How many.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Counted {
    chunks: usize,
    replays: usize,
    cells: usize,
    slices: usize,
}
/// Asserts that both problems have their canonical paths, and tells what those took.
fn assert_paths(input: &Input, tuning: Tuning) -> Option<Counted> {
    let (a, b) = input.pair();
    assert_paths_of(&a, &b, tuning)
}

fn assert_paths_of(a: &[u32], b: &[u32], tuning: Tuning) -> Option<Counted> {
    // So long that a machine with other work does not have replays cut.
    assert_paths_in_slices(a, b, tuning, Duration::from_secs(60))
}

/// The same where a submission should hold the device for no longer than this.
fn assert_paths_in_slices(
    a: &[u32],
    b: &[u32],
    tuning: Tuning,
    slice: Duration,
) -> Option<Counted> {
    let backend = support::backend()?;
    let gpu = backend
        .lock()
        .unwrap_or_else(|poisoned| poisoned.into_inner());
    let counts = Arc::new(Counts::default());
    let counted = CountedGpu {
        gpu: &gpu,
        counts: counts.clone(),
    };
    let (control, phases) = (
        Control::default(),
        swath::unstable::call::phases::Phases::start(),
    );
    let device = Device {
        backend: &counted,
        budget_bytes: u64::MAX,
        slice,
        threads: None,
        control: &control,
        phases: &phases,
    };
    let codes = Encoded::new(a, b);
    let (found, mode) = pollster::block_on(swath::unstable::lcs::gpu::subsequence(
        &device, tuning, &codes,
    ))
    .expect("it is solved");
    assert_eq!(mode, "stored boundaries");
    assert!(
        found == reference::subsequence(a, b),
        "{tuning:?} {a:?} {b:?}"
    );
    let (found, _) = pollster::block_on(swath::unstable::edit_distance::gpu::path(
        &device, tuning, &codes,
    ))
    .expect("it is solved");
    assert!(
        found == swath::unstable::edit_distance::reference::path(a, b),
        "{tuning:?} {a:?} {b:?}"
    );
    let Counts {
        chunks,
        replays,
        cells,
        slices,
    } = &*counts;
    let [chunks, replays, cells, slices] =
        [chunks, replays, cells, slices].map(|count| count.load(Ordering::Relaxed));
    Some(Counted {
        chunks,
        replays,
        cells,
        slices,
    })
}

/// Strips of 496 rows, or 512, and checkpoints of 32 columns or more.
fn tiny(directions: u32, replay_bytes: Option<u64>) -> Tuning {
    Tuning {
        replay_bytes,
        ..tuning(
            Matching::Planes,
            (HandOver::Workgroup, 8),
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
            for directions in [1, 2] {
                for replay_bytes in [0, 20_000, 100_000, 400_000] {
                    assert_paths(&input, tiny(directions, Some(replay_bytes)));
                }
            }
        }
    }
}

#[test]
fn paths_are_the_canonical_ones_where_every_submission_is_a_strip_of_a_pass_or_of_a_checkpoint() {
    let (a, b) = Input::random(4, 2100, 1500).pair();
    for directions in [1, 2] {
        let tuning = tiny(directions, None);
        let Some(whole) = assert_paths_of(&a, &b, tuning) else {
            return;
        };
        let Some(cut) = assert_paths_in_slices(&a, &b, tuning, Duration::from_nanos(1)) else {
            return;
        };
        // Strips of 496 rows, and 32 columns a pass: so many tiles of each of the two tables.
        let tiles = 2 * 2100usize.div_ceil(496) * 1500usize.div_ceil(32) / directions as usize;
        assert!(
            cut.slices >= tiles && whole.slices < tiles / 2,
            "{tiles}: {whole:?} {cut:?}"
        );
        assert!(cut.replays > 4 * whole.replays, "{whole:?} {cut:?}");
    }
}

/// A strip of a chain takes the words of the one above in blocks, and waits for none that the launch does not come to.
#[test]
fn launches_that_end_within_a_block_give_the_canonical_paths() {
    let Some(lanes) = support::subgroup_lanes() else {
        return;
    };
    let (a, b) = Input::random(4, 2 * 62 * lanes as usize + 40, 90).pair();
    for steps in [1, 3, 8, 9] {
        for directions in [1, 2] {
            let tuning = tuning(
                Matching::Planes,
                (HandOver::Subgroup, lanes),
                2,
                8,
                steps,
                directions,
            );
            assert_paths_in_slices(&a, &b, tuning, Duration::from_nanos(1));
        }
    }
}

#[test]
fn a_replay_is_replayed_once_for_many_windows() {
    let input = Input::random(4, 3000, 3000);
    for directions in [1, 2] {
        // Both problems have the paths of so many directions.
        let paths = 2 * directions as usize;
        let Some(Counted {
            chunks, replays, ..
        }) = assert_paths(&input, tiny(directions, Some(0)))
        else {
            return;
        };
        assert!(
            chunks > 20 * paths && replays == chunks,
            "a chunk a replay: {chunks} {replays}"
        );
        let Some(Counted {
            chunks, replays, ..
        }) = assert_paths(&input, tiny(directions, Some(100_000)))
        else {
            return;
        };
        assert!(
            replays > paths && chunks >= 2 * replays,
            "{chunks} chunks of {replays} replays"
        );
        let Some(Counted {
            chunks, replays, ..
        }) = assert_paths(&input, tiny(directions, None))
        else {
            return;
        };
        assert_eq!((chunks, replays), (paths, paths));
    }
}

/// A pair whose path has a long gap where so many halves of the shorter sequence have come.
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
        let (a, b) = with_gap(4000, halves);
        for directions in [1, 2] {
            for replay_bytes in [Some(100_000), None] {
                assert_paths_of(&a, &b, tiny(directions, replay_bytes));
            }
        }
    }
}

/// A walk that was expected to go straight, and misses, is expected to go on as it went: where a long gap comes first, the table is
/// not replayed again and again. Were each replay as long as the first, this would be three tables and more.
#[test]
fn a_path_that_leaves_the_straight_way_has_little_replayed() {
    let (a, b) = with_gap(50_000, 0);
    // A device that holds the tiles of the whole table has it replayed whole.
    let Some(Counted { cells, .. }) = assert_paths_of(&a, &b, tiny(1, Some(1 << 20))) else {
        return;
    };
    // Of both problems.
    let tables = cells as f64 / (2 * a.len() * b.len()) as f64;
    assert!(tables < 2.0, "{tables} tables");
}
