//! Strip sweep as a plan.

use std::ops::Range;

use super::checkpoints::CheckpointLayout;
use super::coding::{column_codes, row_planes};
use super::tiling::Tiling;
use crate::host::parallel::{filled, for_each_chunk_mut};
use crate::kernels::Kernel;
use crate::kernels::bit_parallel::{Boundaries, Matching, Recurrence, StripSweep};
use crate::plan::{
    Bounds, BufferId, Contents, InputKey, PARAMS, Pass, PassSplit, Plan, Resident, Units, folded,
    params,
};
use crate::sequences::bit_parallel::shape::TableKind;

#[derive(Debug)]
pub struct Sweep {
    pub plan: Plan,
    /// Differences at the last column: `[direction][strip][limbs and carries in flight][lane]`.
    pub state: BufferId,
    /// Carry words below the last strip: `[bit][direction][words and their padding]`.
    pub above: BufferId,
    /// Tile boundaries written by replays: `[record][lane][tile]`. Only with a layout.
    pub tiles: BufferId,
}

impl AsMut<Plan> for Sweep {
    fn as_mut(&mut self) -> &mut Plan {
        &mut self.plan
    }
}

impl Sweep {
    /// Plan for codes `a` (rows) and `b` (columns). Stores boundaries if there is a layout. A
    /// second direction sweeps both sequences reversed.
    pub fn new(tiling: &Tiling, layout: Option<&CheckpointLayout>, a: &[u32], b: &[u32]) -> Self {
        Self::with_resident(&Resident::default(), tiling, layout, a, b)
    }

    /// [`new`](Self::new) in a session that may hold the encoded inputs already.
    pub(super) fn with_resident(
        resident: &Resident,
        tiling: &Tiling,
        layout: Option<&CheckpointLayout>,
        a: &[u32],
        b: &[u32],
    ) -> Self {
        let mut plan = Plan::default();
        let state = plan.upload("state", initial_state(tiling));
        let (words, key) = (tiling.row_words(), rows_key(tiling));
        let rows = plan.input("row planes", words, key, resident, || row_planes(tiling, a));
        let (words, key) = (tiling.column_words(), columns_key(tiling));
        let columns = plan.input("column codes", words, key, resident, || {
            column_codes(tiling, b)
        });
        let above = plan.buffer("carries", tiling.above_words(), first_row(tiling));
        let chunks = layout.map_or(&[][..], |layout| &layout.chunk_words);
        let chunks: Vec<_> = chunks
            .iter()
            .enumerate()
            .map(|(index, &words)| {
                plan.buffer(format!("boundaries {index}"), words, Contents::Unspecified)
            })
            .collect();
        let kernel = plan.kernel(kernel(tiling, layout));
        plan.splits.push((kernel, BY_STRIPS));
        let spans = tiling
            .has_spans()
            .then(|| plan.upload("spans", spans(tiling)));
        let mut bind = |fixed: [BufferId; 4], chunk: Option<BufferId>| {
            plan.bind(fixed.into_iter().chain(chunk).chain(spans).collect())
        };
        let fixed = [state, rows, columns, above];
        let bindings: Vec<_> = match layout {
            Some(_) => chunks
                .iter()
                .map(|&chunk| bind(fixed, Some(chunk)))
                .collect(),
            None => vec![bind(fixed, None)],
        };
        // Computed once, because the strips of a band need a search.
        let (strips, words) = (tiling.strips() as u32, tiling.words() as u32);
        let row_words = (tiling.padded_columns() / u64::from(tiling.columns)) as u32;
        plan.passes.reserve(tiling.passes() as usize);
        for (pass, wavefront) in (0..).zip(tiling.wavefronts()) {
            if wavefront.first > wavefront.last {
                continue;
            }
            let (checkpoint_step, checkpoint) = match layout {
                Some(layout) => (
                    pass % layout.passes * u64::from(tiling.steps),
                    layout.checkpoints[(pass / layout.passes) as usize].clone(),
                ),
                None => Default::default(),
            };
            let strips_swept = wavefront.last - wavefront.first + 1;
            let [across, down] = folded(strips_swept, GROUPS_ACROSS);
            plan.passes.push(Pass {
                kernel,
                bindings: bindings[checkpoint.chunk],
                groups: [across, down, tiling.directions],
                params: params([
                    wavefront.first as u32,
                    wavefront.last as u32,
                    strips,
                    tiling.directions,
                    words,
                    (pass * u64::from(tiling.steps)) as u32,
                    tiling.lag() as u32,
                    row_words,
                    checkpoint.strips.start as u32,
                    (checkpoint.strips.end - checkpoint.strips.start) as u32,
                    checkpoint.first_word as u32,
                    checkpoint_step as u32,
                ]),
                cells: strips_swept
                    * tiling.strip_rows()
                    * u64::from(tiling.steps * tiling.columns * tiling.directions),
            });
        }
        let mut tiles = BufferId::MAX;
        if let Some(layout) = layout {
            plan.scattered_reads = true;
            tiles = plan.buffer("tiles", layout.replay_words(tiling), Contents::Unspecified);
            let checkpoints = plan.upload("checkpoints", layout.table());
            let kernel = plan.kernel(replay_kernel(tiling, layout));
            for chunk in chunks {
                let bindings = plan.bind(
                    [tiles, rows, columns, checkpoints, chunk]
                        .into_iter()
                        .chain(spans)
                        .collect(),
                );
                plan.replays.push(Pass {
                    kernel,
                    bindings,
                    groups: [0; 3],
                    params: [0; PARAMS],
                    cells: 0,
                });
            }
        }
        Self {
            plan,
            state,
            above,
            tiles,
        }
    }

    pub(super) fn replay(
        &self,
        tiling: &Tiling,
        layout: &CheckpointLayout,
        direction: u32,
        replay: &Replay,
    ) -> Pass {
        let template =
            &self.plan.replays[layout.checkpoints[replay.checkpoints.start as usize].chunk];
        let checkpoints = replay.checkpoints.end - replay.checkpoints.start;
        Pass {
            groups: [replay.strips as u32, checkpoints as u32, 1],
            cells: replay.strips * checkpoints * layout.record_cells(tiling),
            params: params([
                replay.first_strip as u32,
                replay.checkpoints.start as u32,
                tiling.strips() as u32,
                tiling.directions,
                tiling.words() as u32,
                direction,
                tiling.lag() as u32,
                (tiling.padded_columns() / u64::from(tiling.columns)) as u32,
                replay.skew,
                tiling.top_rows(direction) as u32,
                (u64::from(direction) * layout.replay_records) as u32,
            ]),
            ..template.clone()
        }
    }
}

/// Cache key of the row planes, apart from the symbols.
fn rows_key(tiling: &Tiling) -> InputKey {
    let sizes = [
        tiling.lanes,
        tiling.limbs,
        tiling.limb_rows,
        tiling.directions,
        tiling.shape.alphabet.shared,
        tiling.planes(),
        tiling.padding_code(),
    ]
    .map(u64::from);
    [
        &sizes[..],
        &[tiling.shape.rows, tiling.table_strips(), tiling.strips()],
    ]
    .concat()
}

fn columns_key(tiling: &Tiling) -> InputKey {
    let in_bytes = u32::from(tiling.matching == Matching::Table);
    let sizes = [
        tiling.lanes,
        tiling.columns,
        tiling.directions,
        tiling.shape.alphabet.shared,
        tiling.planes(),
        in_bytes,
    ]
    .map(u64::from);
    [&sizes[..], &[tiling.shape.cols, tiling.padded_columns()]].concat()
}

/// Strips of a replay: the same number per checkpoint, further down from checkpoint to checkpoint.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Replay {
    /// Checkpoints, all in one chunk.
    pub checkpoints: Range<u64>,
    /// First strip of the first checkpoint. Negative strips are skipped.
    pub first_strip: i64,
    /// Strips per checkpoint in 16.16 fixed point.
    pub skew: u32,
    pub strips: u64,
}

impl Replay {
    /// Strips of a checkpoint with their index in the replay.
    pub(super) fn strips(&self, checkpoint: u64) -> impl Iterator<Item = (u64, u64)> {
        let first = self.first_of(checkpoint);
        (0..self.strips)
            .filter_map(move |index| Some((index, u64::try_from(first + index as i64).ok()?)))
    }

    pub(super) fn holds(&self, checkpoint: u64, strips: Range<u64>) -> bool {
        self.checkpoints.contains(&checkpoint) && {
            let first = self.first_of(checkpoint);
            strips.is_empty()
                || first <= strips.start as i64 && strips.end as i64 <= first + self.strips as i64
        }
    }

    fn first_of(&self, checkpoint: u64) -> i64 {
        self.first_strip
            + (((checkpoint - self.checkpoints.start) * u64::from(self.skew)) >> 16) as i64
    }
}

/// Words per parallel fill task.
const FILLED: usize = 1 << 16;

/// Workgroups in x; the excess continues in y.
const GROUPS_ACROSS: u32 = 32_768;
/// Splits a pass at strips, bounded by its first two parameters.
const BY_STRIPS: PassSplit = PassSplit {
    units: Units::Grid2d {
        across: GROUPS_ACROSS,
    },
    ..PassSplit::by_group(Bounds::Last { first: 0, last: 1 })
};

pub fn kernel(tiling: &Tiling, layout: Option<&CheckpointLayout>) -> Kernel {
    let boundaries = match layout {
        Some(layout) => Boundaries::Checkpoints {
            steps: layout.steps(tiling) as u32,
        },
        None => Boundaries::Rolling,
    };
    variant(tiling, u64::from(tiling.steps), boundaries).kernel()
}

pub fn replay_kernel(tiling: &Tiling, layout: &CheckpointLayout) -> Kernel {
    let (packed, width) = (layout.packed(tiling), CheckpointLayout::vector(tiling));
    let boundaries = Boundaries::Tiles {
        steps: layout.tile_steps,
        packed,
        width,
    };
    variant(tiling, layout.steps(tiling), boundaries).kernel()
}

fn variant(tiling: &Tiling, steps: u64, boundaries: Boundaries) -> StripSweep {
    StripSweep {
        recurrence: if tiling.shape.table == TableKind::Lcs {
            Recurrence::Lcs
        } else {
            Recurrence::EditDistance
        },
        matching: tiling.matching,
        carry_exchange: tiling.carry_exchange,
        boundaries,
        spans: tiling.has_spans(),
        lanes: tiling.lanes,
        limbs: tiling.limbs,
        table_vector_width: tiling.vector(),
        columns: tiling.columns,
        codes_per_load: tiling.unit(),
        steps: steps as u32,
        planes: tiling.planes(),
        symbols: tiling.shape.alphabet.shared,
        sets: tiling.shape.alphabet.sets,
        wildcard_code: tiling.wild_code(),
    }
}

/// First word and end of each strip's words: `[direction][strip]`.
fn spans(tiling: &Tiling) -> Vec<u32> {
    let strips = |direction| (0..tiling.strips()).map(move |strip| tiling.span(direction, strip));
    (0..tiling.directions)
        .flat_map(strips)
        .flat_map(|words| [words.start as u32, words.end as u32])
        .collect()
}

/// Differences of the first column, including guards, with no carry in flight. Rows above the table
/// are flat, like rows that match no column.
fn initial_state(tiling: &Tiling) -> Vec<u32> {
    let [first, rest] = tiling.shape.table.first_column().map(|word| word as u32);
    let (strip, lanes) = (
        (tiling.lane_words() * tiling.lanes) as usize,
        tiling.lanes as usize,
    );
    let limbs = tiling.limbs as usize;
    let mut state = filled(tiling.state_words() as usize, rest);
    let task = strip * (FILLED / strip).max(1);
    for_each_chunk_mut(&mut state, task, |_, words| {
        let strips = words.chunks_mut(strip);
        strips.for_each(|words| words[..limbs * lanes].fill(first));
    });
    if tiling.shape.table != TableKind::Lcs {
        for direction in 0..tiling.directions {
            let top = tiling.top_rows(direction);
            let strip = &mut state[direction as usize * tiling.strips() as usize * strip..]
                [..limbs * lanes];
            for (index, word) in strip.iter_mut().enumerate() {
                let above =
                    (index % lanes * limbs + index / lanes) as u64 * u64::from(tiling.limb_rows);
                let flat = top.saturating_sub(above).min(u64::from(tiling.limb_rows));
                *word &= u32::MAX.unbounded_shl(flat as u32);
            }
        }
    }
    state
}

/// Horizontal differences above the first strip: distances grow to the right.
///
/// Columns before the table must change nothing. If the first column grows downwards, the row above
/// them has to be flat; if the first column is flat, that row has to grow.
fn first_row(tiling: &Tiling) -> Contents {
    if tiling.shape.table == TableKind::Lcs {
        return Contents::Zeros;
    }
    let mut above = filled(tiling.above_words() as usize, 0);
    for (direction, words) in
        (0..tiling.directions).zip(above.chunks_mut(tiling.row_length() as usize))
    {
        let words = &mut words[tiling.lanes as usize..][..tiling.words() as usize];
        for_each_chunk_mut(words, FILLED, |_, words| {
            words.fill(u32::MAX >> (32 - tiling.columns))
        });
        if tiling.shape.table == TableKind::Edit {
            words[0] &= u32::MAX.unbounded_shl(tiling.front_columns(direction) as u32);
        }
    }
    Contents::Words(above.into())
}
