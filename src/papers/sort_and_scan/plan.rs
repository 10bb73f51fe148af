//! Plan of one window length, or of one partition of its hashes: hash all windows, sort the hashes,
//! compare neighbours, list windows that texts may share.

use super::sizes::WindowSortSizes;
use crate::engine::profile::gpu::substring as figures;
use crate::kernels::substring::{self, LANES};
use crate::plan::{Bounds, BufferId, Contents, Pass, PassSplit, Plan, Resident, Units, params};
use crate::sort::key::{digits, low_bits};
use crate::sort::sizes::KeyArrays;
use crate::substring::gpu::prefixes;
use crate::substring::gpu::texts::{BY_STRETCHES, STRETCH, codes_input};

const HASH_BITS: u32 = 61;
/// Workgroups of a grid-stride pass.
const GROUPS: u64 = 4096;
/// Slices of passes over sorted windows are multiples of this many windows.
const TURN: u32 = 1 << 14;
const BY_TURNS: PassSplit = PassSplit {
    units: Units::Persistent {
        groups: TURN / LANES,
    },
    bounds: Bounds::End { first: 1, end: 2 },
    step: TURN,
};
/// Slices of the pair comparison are multiples of this many pieces.
const PIECES: u32 = 64;
const BY_PIECES: PassSplit = PassSplit {
    units: Units::Persistent { groups: PIECES },
    bounds: Bounds::End { first: 2, end: 3 },
    step: PIECES,
};
/// Words moved to list one window: its hash, its position, its mark and its entry.
const LISTED_WORDS: u64 = 4 + ENTRY_WORDS;
/// Words of an entry of the list.
pub const ENTRY_WORDS: u64 = 4;
/// Word of `control` (see groups.wgsl): windows to sort.
pub const SORTED: usize = 2;
/// Word of `control`: neighbours with equal hashes from two texts.
pub const MIXED: usize = 3;
/// Word of `control`: pairs that differ.
pub const UNEQUAL: usize = 4;
/// Word of `control`: pairs that were not compared.
pub const UNCOMPARED: usize = 5;
/// Word of `control`: windows to list.
pub const LISTED: usize = 6;
const TEXTS: usize = 8;
const STARTS: usize = 9;

#[derive(Clone, Debug)]
pub struct WindowSortPlan {
    pub plan: Plan,
    /// The control words; layout in groups.wgsl.
    pub control: BufferId,
    /// Listed windows, [`ENTRY_WORDS`] words each.
    pub entries: BufferId,
}

impl AsMut<Plan> for WindowSortPlan {
    fn as_mut(&mut self) -> &mut Plan {
        &mut self.plan
    }
}

struct Sorted {
    arrays: KeyArrays,
    marks: BufferId,
}

impl WindowSortPlan {
    /// The plan of one partition; codes that are resident on the device are reused.
    pub fn new(sizes: &WindowSortSizes, partition: u32, resident: &Resident) -> Self {
        let mut plan = Plan {
            cell_cost: 1,
            ..Plan::default()
        };
        // First, because the workload is identified by the first kernel.
        let hash = plan.kernel(substring::hash_windows(sizes.bits));
        plan.splits.push((hash, BY_STRETCHES));
        let control = plan.upload("control", control(sizes));
        let chunking = &sizes.chunking;
        let code = |chunk: usize| codes_input(&mut plan, 0, chunk, chunking, resident);
        let codes: Vec<_> = (0..chunking.chunks()).map(code).collect();
        let hashing = prefixes::Kernels::new(&mut plan, sizes.bits);
        let prefixes = hashing.add_passes(&mut plan, chunking, &codes, control);
        let arrays = [sizes.sort.scratch(&mut plan), sizes.sort.scratch(&mut plan)];
        hash_windows(
            sizes,
            &mut plan,
            hash,
            partition,
            [&codes, &prefixes],
            &arrays[0],
            control,
        );
        plan.passes
            .iter_mut()
            .for_each(|pass| pass.cells = pass.cells.saturating_mul(figures::CELL_COST));
        let bits = low_bits(HASH_BITS - sizes.partitions_log2);
        let result_index = sizes.sort.add_passes(
            &mut plan,
            [&arrays[0], &arrays[1]],
            (control, SORTED as u32),
            &digits(bits),
        );
        let marks = plan.buffer(
            "marked hashes",
            1 << (sizes.marks_log2 - 5),
            Contents::Zeros,
        );
        let entries = plan.buffer(
            "windows listed",
            sizes.capacity * ENTRY_WORDS,
            Contents::Unspecified,
        );
        let [one, other] = arrays;
        let sorted = Sorted {
            arrays: if result_index == 0 { one } else { other },
            marks,
        };
        compare(sizes, &mut plan, &sorted, &codes, control);
        list(sizes, &mut plan, &sorted, entries, control);
        Self {
            plan,
            control,
            entries,
        }
    }
}

/// Words of `control`.
pub fn control_words(sizes: &WindowSortSizes) -> u64 {
    (STARTS + sizes.texts.len()) as u64
}

/// Initial contents of `control`.
fn control(sizes: &WindowSortSizes) -> Vec<u32> {
    let mut control = vec![0; STARTS];
    (control[0], control[1]) = (sizes.windows.base as u32, (sizes.windows.base >> 32) as u32);
    control[SORTED] = if sizes.partitions_log2 == 0 {
        sizes.sorted() as u32
    } else {
        0
    };
    control[TEXTS] = sizes.texts.len() as u32;
    control.extend(sizes.texts.iter().map(|text| text.start as u32));
    control
}

/// Adds the passes that write the hashes of a partition's windows into the arrays.
fn hash_windows(
    sizes: &WindowSortSizes,
    plan: &mut Plan,
    kernel: usize,
    partition: u32,
    [codes, prefixes]: [&[BufferId]; 2],
    into: &KeyArrays,
    control: BufferId,
) {
    let (length, power) = (sizes.windows.length as u64, sizes.windows.power());
    // Index of the text's first window among all windows.
    let mut before = 0;
    for text in &sizes.texts {
        for range in sizes
            .chunking
            .ranges(text.start / STRETCH, text.windows, Some(length))
        {
            let (tail, head) = range.chunks;
            let position = sizes.chunking.of_chunk(tail).start * STRETCH;
            let index = before + position as i64 - text.start as i64;
            let windows = (text.start + text.windows - position).min(u32::MAX.into());
            let end = (u64::from(range.stretches.end) * STRETCH).min(windows) as i64 + index;
            let begin = i64::from(range.stretches.start) * STRETCH as i64 + index;
            for chunk in 0..into.keys.len() {
                let (first, keys) = sizes.sort.chunk(chunk);
                let is_inside = (first as i64) < end && begin < (first + keys) as i64;
                if sizes.partitions_log2 == 0 && !is_inside {
                    continue;
                }
                let words = [
                    range.stretches.start,
                    range.stretches.end,
                    windows as u32,
                    range.head,
                    position as u32,
                    index as u32,
                    first as u32,
                    keys as u32,
                    partition | sizes.partitions_log2 << 16,
                    power as u32,
                    (power >> 32) as u32,
                    (length % STRETCH) as u32,
                ];
                let mut buffers = vec![codes[tail], codes[head], prefixes[tail], prefixes[head]];
                buffers.extend([into.keys[chunk], into.payload[chunk], control]);
                let stretches = u64::from(range.stretches.end - range.stretches.start);
                plan.pass(
                    kernel,
                    buffers,
                    stretches.div_ceil(LANES.into()),
                    words,
                    stretches * STRETCH,
                );
            }
        }
        before += text.windows as i64;
    }
}

/// Workgroups of a pass over this many windows.
fn groups(windows: u64) -> u64 {
    windows.div_ceil(LANES.into()).clamp(1, GROUPS)
}

/// Right shift that turns a hash into an index of the mark bitmap.
fn shift(sizes: &WindowSortSizes) -> u32 {
    u32::BITS - sizes.marks_log2
}

/// Adds the passes that compare neighbours; symbols are compared only if one buffer holds all
/// codes.
fn compare(
    sizes: &WindowSortSizes,
    plan: &mut Plan,
    sorted: &Sorted,
    codes: &[BufferId],
    control: BufferId,
) {
    let pairs = plan.buffer("pairs to compare", 2 * sizes.pairs, Contents::Unspecified);
    let neighbours = plan.kernel(substring::neighbours(sizes.bits));
    plan.splits.push((neighbours, BY_TURNS));
    let compares = codes.len() == 1;
    let Sorted { arrays, marks } = sorted;
    for chunk in 0..arrays.keys.len() {
        let (first, keys) = sizes.sort.chunk(chunk);
        let before = chunk.saturating_sub(1);
        let words = [
            first as u32,
            0,
            keys as u32,
            sizes.sort.chunk(before).1.saturating_sub(1) as u32,
            sizes.windows.length as u32,
            sizes.pairs as u32,
            shift(sizes),
            u32::from(compares),
        ];
        let mut buffers = vec![
            arrays.keys[chunk],
            arrays.payload[chunk],
            arrays.keys[before],
            arrays.payload[before],
        ];
        buffers.extend([codes[0], *marks, pairs, control]);
        plan.pass(
            neighbours,
            buffers,
            groups(keys),
            words,
            keys * figures::CELL_COST,
        );
    }
    if compares {
        let kernel = plan.kernel(substring::compare_pairs(sizes.bits));
        plan.splits.push((kernel, BY_PIECES));
        let pieces =
            u32::try_from(sizes.compared_pieces(substring::PIECE_WORDS)).unwrap_or(u32::MAX);
        let words = [sizes.windows.length as u32, sizes.pairs as u32, 0, pieces];
        let cells = 2 * sizes.compared_words() * figures::WORD_CELLS;
        plan.pass(kernel, vec![codes[0], pairs, control], GROUPS, words, cells);
    }
}

/// Adds the passes that list marked windows, and a replay for each run of `capacity` windows.
fn list(
    sizes: &WindowSortSizes,
    plan: &mut Plan,
    sorted: &Sorted,
    entries: BufferId,
    control: BufferId,
) {
    let kernel = plan.kernel(substring::list_groups());
    plan.splits.push((kernel, BY_TURNS));
    for chunk in 0..sorted.arrays.keys.len() {
        let (first, keys) = sizes.sort.chunk(chunk);
        let buffers = vec![
            sorted.arrays.keys[chunk],
            sorted.arrays.payload[chunk],
            sorted.marks,
            entries,
            control,
        ];
        let bindings = plan.bind(buffers);
        let pass = |range: std::ops::Range<u64>, is_run: bool| {
            let [begin, end] = [range.start, range.end].map(|index| index as u32);
            let words = [
                first as u32,
                begin,
                end,
                sizes.capacity as u32,
                shift(sizes),
                u32::from(is_run),
            ];
            let windows = range.end - range.start;
            let cells = windows * LISTED_WORDS * figures::WORD_CELLS;
            Pass {
                kernel,
                bindings,
                groups: [groups(windows) as u32, 1, 1],
                params: params(words),
                cells,
            }
        };
        plan.passes.push(pass(0..keys, false));
        let runs = (0..keys).step_by(sizes.capacity as usize);
        plan.replays
            .extend(runs.map(|begin| pass(begin..keys.min(begin + sizes.capacity), true)));
    }
}

impl WindowSortSizes {
    /// Device memory of one plan.
    pub fn size_bytes(&self) -> u64 {
        WindowSortPlan::new(self, 0, &Resident::default())
            .plan
            .size_bytes()
    }
}
