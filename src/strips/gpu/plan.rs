//! The strip sweep as a plan.

use std::ops::Range;

use rayon::prelude::*;

use super::history::History;
use super::tiling::{HandOver, LIMB_ROWS, Matching, Table, Tiling};
use crate::alphabet::{NONE_IN_B, bits_of, bytes_of, read};
use crate::plan::{Access, BufferId, Contents, Kernel, PARAMS, Pass, Plan, params};
use crate::strips::band::Band;

/// A plan, and where its answer lies.
#[derive(Debug)]
pub struct Sweep {
    /// The plan.
    pub plan: Plan,
    /// Differences at the last column, `[direction][strip][limbs and carries in flight][lane]`.
    pub state: BufferId,
    /// Carry words below the last strip, `[bit][direction][words and their padding]`.
    pub above: BufferId,
    /// Where replays leave the boundaries of tiles, `[record][lane][tile]`; only with a history.
    pub tiles: BufferId,
}

impl AsMut<Plan> for Sweep {
    fn as_mut(&mut self) -> &mut Plan {
        &mut self.plan
    }
}

impl Sweep {
    /// The plan for codes `a` (rows) and `b` (columns), keeping boundaries where a history is given. With two directions,
    /// the second sweeps both reversed, over the right half of the columns.
    pub fn new(tiling: &Tiling, history: Option<&History>, a: &[u32], b: &[u32]) -> Self {
        let (left, right) = b.split_at(b.len().min(tiling.direction_cols() as usize));
        let front = |b: &[u32]| tiling.front_columns(b.len() as u64) as isize;
        let tables = [
            Side { a, b: left, front: front(left), reversed: false },
            Side { a, b: right, front: front(right), reversed: true },
        ];
        let tables = &tables[..tiling.directions as usize];
        let mut plan = Plan::default();
        let state = plan.upload("state", initial_state(tiling));
        let rows = plan.upload("row planes", row_planes(tiling, tables));
        let columns = plan.upload("column codes", column_codes(tiling, tables));
        let above = plan.buffer("carries", tiling.above_words(), first_row(tiling, tables));
        let chunks = history.map_or(&[][..], |history| &history.chunk_words);
        let chunks: Vec<_> = chunks
            .iter()
            .enumerate()
            .map(|(place, &words)| plan.buffer(format!("boundaries {place}"), words, Contents::Unspecified))
            .collect();
        let kernel = plan.kernel(kernel(tiling, history));
        let spans = (tiling.shape.band != Band::WHOLE).then(|| plan.upload("spans", spans(tiling)));
        let mut bind = |fixed: [BufferId; 4], chunk: Option<BufferId>| {
            plan.bind(fixed.into_iter().chain(chunk).chain(spans).collect())
        };
        let fixed = [state, rows, columns, above];
        let bindings: Vec<_> = match history {
            Some(_) => chunks.iter().map(|&chunk| bind(fixed, Some(chunk))).collect(),
            None => vec![bind(fixed, None)],
        };
        for (pass, wave) in (0..).zip(tiling.waves()) {
            if wave.first > wave.last {
                continue;
            }
            let (slot_step, slot) = match history {
                Some(history) => (
                    pass % history.passes * u64::from(tiling.steps),
                    history.slots[(pass / history.passes) as usize].clone(),
                ),
                None => Default::default(),
            };
            let groups = wave.last - wave.first + 1;
            let across = groups.min(GROUPS_ACROSS);
            plan.passes.push(Pass {
                kernel,
                bindings: bindings[slot.chunk],
                groups: [across as u32, groups.div_ceil(across) as u32, tiling.directions],
                params: params([
                    wave.first as u32,
                    wave.last as u32,
                    tiling.strips() as u32,
                    tiling.directions,
                    tiling.words() as u32,
                    (pass * u64::from(tiling.steps)) as u32,
                    tiling.lag() as u32,
                    (tiling.padded_columns() / 8) as u32,
                    slot.strips.start as u32,
                    (slot.strips.end - slot.strips.start) as u32,
                    slot.first_word as u32,
                    slot_step as u32,
                ]),
                cells: groups * tiling.strip_rows() * u64::from(tiling.steps * tiling.columns * tiling.directions),
            });
        }
        let mut tiles = BufferId::MAX;
        if let Some(history) = history {
            tiles = plan.buffer("tiles", history.window_words(tiling), Contents::Unspecified);
            let slots = plan.upload("slots", history.table());
            let kernel = plan.kernel(replay_kernel(tiling, history));
            for chunk in chunks {
                let bindings = plan.bind([tiles, rows, columns, slots, chunk].into_iter().chain(spans).collect());
                plan.replays.push(Pass { kernel, bindings, groups: [0; 3], params: [0; PARAMS], cells: 0 });
            }
        }
        Self { plan, state, above, tiles }
    }

    /// The pass that sweeps the strips of a window again.
    pub(super) fn replay(&self, tiling: &Tiling, history: &History, direction: u32, frame: &Frame) -> Pass {
        let template = &self.plan.replays[history.slots[frame.slots.start as usize].chunk];
        Pass {
            groups: [frame.strips as u32, (frame.slots.end - frame.slots.start) as u32, 1],
            params: params([
                frame.first_strip as u32,
                frame.slots.start as u32,
                tiling.strips() as u32,
                tiling.directions,
                tiling.words() as u32,
                direction,
                tiling.lag() as u32,
                (tiling.padded_columns() / 8) as u32,
                frame.skew,
            ]),
            ..template.clone()
        }
    }
}

/// The strips that a replay sweeps: as many of each slot, further down from slot to slot.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Frame {
    /// Slots, all of one chunk.
    pub slots: Range<u64>,
    /// First strip of the first slot.
    pub first_strip: u64,
    /// Strips from slot to slot, in 65536ths.
    pub skew: u32,
    /// Strips of each slot.
    pub strips: u64,
}

impl Frame {
    /// The strips of slot `slot`.
    pub fn strips(&self, slot: u64) -> Range<u64> {
        let first = self.first_strip + (((slot - self.slots.start) * u64::from(self.skew)) >> 16);
        first..first + self.strips
    }
}

/// Workgroups in x; more than these go on in y.
const GROUPS_ACROSS: u64 = 32_768;

/// The strip sweep in the variant that the tiling asks for.
pub fn kernel(tiling: &Tiling, history: Option<&History>) -> Kernel {
    let mut kernel = sweep_kernel(tiling, u64::from(tiling.steps));
    let frame = include_str!("../../../shaders/strips/frame_pass.wgsl");
    let keep = match history {
        Some(history) => {
            kernel.label += &format!(" slot={}", history.steps(tiling));
            kernel.constants.push(("SLOT_STEPS", history.steps(tiling) as u32));
            kernel.bindings.push((4, Access::ReadWrite));
            include_str!("../../../shaders/strips/keep_slots.wgsl")
        }
        None => include_str!("../../../shaders/strips/keep_nothing.wgsl"),
    };
    kernel.bindings[0] = (0, Access::ReadWrite);
    kernel.bindings[3] = (3, Access::ReadWrite);
    kernel.parts.extend([span_part(tiling, &mut kernel.bindings), frame, keep]);
    kernel
}

/// The sweep of strips from stored boundaries.
pub fn replay_kernel(tiling: &Tiling, history: &History) -> Kernel {
    let mut kernel = sweep_kernel(tiling, history.steps(tiling));
    kernel.label += &format!(" tile={}", history.tile_steps);
    kernel.constants.extend([("TILE_STEPS", history.tile_steps), ("PACKED", history.packed(tiling))]);
    kernel.bindings[0] = (0, Access::ReadWrite);
    kernel.bindings.push((4, Access::Read));
    kernel.parts.extend([
        span_part(tiling, &mut kernel.bindings),
        include_str!("../../../shaders/strips/frame_replay.wgsl"),
        include_str!("../../../shaders/strips/keep_tiles.wgsl"),
    ]);
    kernel
}

/// Which words a strip is swept through.
fn span_part(tiling: &Tiling, bindings: &mut Vec<(u32, Access)>) -> &'static str {
    if tiling.shape.band == Band::WHOLE {
        return include_str!("../../../shaders/strips/span_whole.wgsl");
    }
    bindings.push((5, Access::Read));
    include_str!("../../../shaders/strips/span_band.wgsl")
}

/// `[strip]`: first word and end of its words.
fn spans(tiling: &Tiling) -> Vec<u32> {
    (0..tiling.strips())
        .flat_map(|strip| [tiling.span(strip).start, tiling.span(strip).end])
        .map(|w| w as u32)
        .collect()
}

/// The sweep without what frames it: which strips it sweeps, and what it keeps.
fn sweep_kernel(tiling: &Tiling, steps: u64) -> Kernel {
    let mut constants = vec![
        ("LANES", tiling.lanes),
        ("LIMBS", tiling.limbs),
        ("COLUMNS", tiling.columns),
        ("STEPS", steps as u32),
        ("PLANES", tiling.planes()),
        ("WILD", tiling.wild_code()),
    ];
    let mut aliases = Vec::new();
    let hand_over = match tiling.hand_over {
        HandOver::Subgroup => include_str!("../../../shaders/common/hand_over_subgroup.wgsl"),
        HandOver::Workgroup => include_str!("../../../shaders/common/hand_over_workgroup.wgsl"),
    };
    let matching = match tiling.matching {
        Matching::Table => {
            constants.push(("SYMBOLS", tiling.shape.shared));
            constants.push(("VECTORS", tiling.limbs / tiling.vector()));
            aliases.push(("LimbVector", if tiling.vector() == 4 { "vec4<u32>" } else { "vec2<u32>" }));
            include_str!("../../../shaders/strips/match_table.wgsl")
        }
        Matching::Planes => include_str!("../../../shaders/strips/match_planes.wgsl"),
    };
    let limbs = match tiling.shape.table {
        Table::Lcs => include_str!("../../../shaders/lcs/limbs.wgsl"),
        Table::Edit | Table::EditInfix => include_str!("../../../shaders/edit_distance/limbs.wgsl"),
    };
    let sweep = include_str!("../../../shaders/strips/strip_sweep.wgsl");
    let band = if tiling.shape.band == Band::WHOLE { "" } else { " Band" };
    Kernel {
        label: format!(
            "strips/strip_sweep {:?} {:?} {:?}{} lanes={} limbs={} columns={} steps={steps}",
            tiling.shape.table, tiling.matching, tiling.hand_over, band, tiling.lanes, tiling.limbs, tiling.columns,
        ),
        constants,
        aliases,
        parts: vec![hand_over, matching, limbs, sweep],
        bindings: vec![(0, Access::Read), (1, Access::Read), (2, Access::Read), (3, Access::Read)],
        subgroups: tiling.hand_over == HandOver::Subgroup,
    }
}

/// The differences of the first column, guards included, and no carry in flight.
fn initial_state(tiling: &Tiling) -> Vec<u32> {
    let [first, rest] = tiling.shape.table.first_column().map(|word| word as u32);
    let strip = tiling.lane_words() * tiling.lanes;
    let limbs = tiling.limbs * tiling.lanes;
    let mut state = vec![first; tiling.state_words() as usize];
    state.chunks_mut(strip as usize).for_each(|words| words[limbs as usize..].fill(rest));
    state
}

/// What enters the first strip from above: distances grow to the right.
///
/// Where the first column grows downwards, columns before the table change nothing if the row above them is flat; where the
/// first column is flat, if that row grows.
fn first_row(tiling: &Tiling, tables: &[Side<'_>]) -> Contents {
    if tiling.shape.table == Table::Lcs {
        return Contents::Zeros;
    }
    let mut above = vec![0; tiling.above_words() as usize];
    let direction_words = tiling.words() as usize + 2 * tiling.lanes as usize;
    for (table, words) in tables.iter().zip(above.chunks_mut(direction_words)) {
        let words = &mut words[tiling.lanes as usize..][..tiling.words() as usize];
        words.fill(u32::MAX >> (32 - tiling.columns));
        if tiling.shape.table == Table::Edit {
            words[0] &= u32::MAX.checked_shl(table.front as u32).unwrap_or(0);
        }
    }
    Contents::Words(above)
}

/// Words that are worth a thread of their own.
const LEAST: usize = 1 << 12;

/// The codes of one direction.
struct Side<'a> {
    a: &'a [u32],
    b: &'a [u32],
    /// Columns of code 0 before the first.
    front: isize,
    reversed: bool,
}

impl Side<'_> {
    /// Codes of up to `N` rows from row `first` on, padded with `padding`.
    fn rows<const N: usize>(&self, first: usize, padding: u32) -> [u32; N] {
        read(self.a, self.reversed, first as isize, padding)
    }

    /// Codes of `N` columns from column `first` on, padded with 0 on both sides.
    fn columns<const N: usize>(&self, first: isize) -> [u32; N] {
        read(self.b, self.reversed, first - self.front, NONE_IN_B)
    }
}

/// `[plane][direction][strip][limb][lane]`: guards and rows past the last carry a code of their own.
fn row_planes(tiling: &Tiling, tables: &[Side<'_>]) -> Vec<u32> {
    let (lanes, limbs, strips) = (tiling.lanes as usize, tiling.limbs as usize, tiling.strips() as usize);
    let padding = tiling.padding_code();
    let mut planes = vec![0; tiling.row_words() as usize];
    let words = planes.len() / tiling.planes() as usize;
    // By direction and strip: its words of every plane.
    let mut parts: Vec<Vec<_>> = Vec::new();
    parts.resize_with(tables.len() * strips, Vec::new);
    for plane in planes.chunks_mut(words) {
        parts.iter_mut().zip(plane.chunks_mut(lanes * limbs)).for_each(|(part, words)| part.push(words));
    }
    let least = 1 + LEAST / (lanes * limbs * tiling.planes() as usize);
    parts.into_par_iter().enumerate().with_min_len(least).for_each(|(place, mut planes)| {
        let (direction, strip) = (place / strips, place % strips);
        for lane in 0..lanes {
            for limb in 0..limbs {
                let first = ((strip * lanes + lane) * limbs + limb) * LIMB_ROWS as usize;
                let rows: [u32; LIMB_ROWS as usize] = tables[direction].rows(first, padding);
                let mut codes = [padding; 32];
                codes[..LIMB_ROWS as usize].copy_from_slice(&rows);
                for (byte, planes) in planes.chunks_mut(8).enumerate() {
                    let bytes = bytes_of(&codes, byte as u32);
                    for (plane, words) in planes.iter_mut().enumerate() {
                        words[limb * lanes + lane] = bits_of(&bytes, plane as u32);
                    }
                }
            }
        }
    });
    planes
}

/// Codes of the columns behind `lanes` words of padding, as bytes or as planes, one direction after the other.
fn column_codes(tiling: &Tiling, tables: &[Side<'_>]) -> Vec<u32> {
    let padding = (tiling.lanes * tiling.columns) as isize;
    let mut words = vec![0; tiling.column_words() as usize];
    let planes = match tiling.matching {
        Matching::Table => 1,
        Matching::Planes => tiling.planes() as usize,
    };
    let block_words = match tiling.matching {
        Matching::Table => 8,
        Matching::Planes => 1,
    };
    let table_blocks = words.len() / block_words / planes / tables.len();
    words.par_chunks_mut(block_words).enumerate().with_min_len(LEAST / block_words).for_each(|(block, words)| {
        let (plane, direction) = (block / table_blocks / tables.len(), block / table_blocks % tables.len());
        let codes: [u32; 32] = tables[direction].columns((block % table_blocks * 32) as isize - padding);
        match tiling.matching {
            Matching::Table => {
                let bytes = bytes_of(&codes, 0);
                let packed = bytes.as_chunks().0.iter().map(|&bytes| u32::from_le_bytes(bytes));
                words.iter_mut().zip(packed).for_each(|(word, packed)| *word = packed);
            }
            Matching::Planes => words[0] = bits_of(&bytes_of(&codes, plane as u32 / 8), plane as u32 % 8),
        }
    });
    words
}
