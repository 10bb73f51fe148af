//! Throughput and latency of GPU kernels, measured on an NVIDIA H200.
//!
//! Other GPUs are scaled by their compute units, and by the pace that an engine measures. Each
//! figure names its record. Costs in cells affect only the first slices; later slices are timed.

use crate::backend::Capabilities;

/// Time to list the adapters, mostly the start of the drivers: nvidia-h200/2026-11-22.txt, "file to
/// answer", wall time minus the call.
pub(crate) const LISTING_SECONDS: f64 = 0.12;
/// Time to open a listed device; same rows. CUDA takes it twice, nvidia-h200/2026-11-26-backends.json,
/// whole processes, except if another process keeps the driver awake:
/// nvidia-h100/2026-11-26-auto-cuda.json.
pub(crate) const OPENING_SECONDS: f64 = 0.09;
/// Adapters are listed only if the CPU takes this many times as long as listing and opening, since
/// the listing delays the CPU's answer.
pub(crate) const WORTH_LISTING: f64 = 1.2;
/// Time to build the kernels of a first call, while others are built too:
/// nvidia-h200/2026-11-22.txt, the self-test.
pub(crate) const BUILDING_SECONDS: f64 = 0.04;
/// Fixed time of a call on a GPU, from the first upload to the last readback:
/// nvidia-h200/2026-11-22-lcs.json, 100 k x 100 k, minus its passes.
pub(crate) const SUBMISSION_SECONDS: f64 = 3e-4;

/// Probe of a device opened by `auto`.
///
/// Without stored throughput, sweeps of doubling size are timed until one takes 1 ms: long enough
/// for clocks to ramp up, short enough to go unnoticed.
pub(crate) mod probe {
    /// Rows and columns of the table whose answer is compared: several strips of the widest
    /// subgroups, 32 lanes of 2 limbs, which exchange carries. The reference takes 8 ms.
    pub(crate) const CHECKED_TABLE: (usize, usize) = (4_500, 1_500);
    /// Symbols per side of a sweep that measures the fixed time of a call.
    pub(crate) const MIN_SYMBOLS: usize = 64;
    /// Symbols of the first and of the last sweep that measures the pace.
    pub(crate) const FIRST_SYMBOLS: usize = 4096;
    pub(crate) const MAX_SYMBOLS: usize = 1 << 17;
    pub(crate) const TELLING_SECONDS: f64 = 1e-3;
    /// Sweeps of each size; the minimum counts.
    pub(crate) const REPEATS: usize = 3;
    /// Noise of a short sweep: paces from 1 / `NEAR` to `NEAR` count as 1. Expected times are
    /// within this factor of measured ones: nvidia-h200/2026-11-26-auto-vulkan.json.
    pub(crate) const NEAR: f64 = 2.0;
}

/// Minimum and maximum plausible pace.
pub(crate) const PACES: (f64, f64) = (0.25, 64.0);
/// Minimum time of a sweep that measures the pace; shorter sweeps are dominated by the small first
/// slices.
pub(crate) const TELLING_SECONDS: f64 = 0.5;

/// Compute units of the H200, to convert rates of the whole device.
pub(crate) const H200_UNITS: f64 = 132.0;

/// Cells per second of the strip sweep on an H200: the unit of other kernels' cells, which affects
/// the first slices, and which tables are worth an estimate of the similarity on a named GPU.
pub(crate) const SWEPT_CELLS_PER_SECOND: f64 = 1e14;

/// Time of a cell in cells of the strip sweep, from the cells per second of a compute unit.
const fn cell_cost(cells_per_second: f64) -> u64 {
    (SWEPT_CELLS_PER_SECOND / H200_UNITS / cells_per_second) as u64
}

/// Compute units of a device; 32 if the driver does not report them.
pub(crate) fn compute_units(caps: &Capabilities) -> f64 {
    f64::from(caps.compute_units.unwrap_or(32))
}

/// Strip sweep, fitted to tables swept with forced shapes. Predictions are in
/// nvidia-h200/2026-11-22-lcs.json and nvidia-h200/2026-11-22-edit_distance.json.
pub(crate) mod strip_sweep {
    /// Assumed clock.
    pub(crate) const CLOCK_HZ: f64 = 1.85e9;
    /// Latency between dependent dispatches.
    pub(crate) const PASS_SECONDS: f64 = 3.4e-6;
    /// Workgroup memory of a compute unit, if the driver does not report it; no portable API does.
    pub(crate) const UNIT_WORKGROUP_BYTES: f64 = 55e3;
    /// Subgroups that a compute unit executes simultaneously.
    pub(crate) const SCHEDULERS: f64 = 4.0;
    /// Equivalent for a CPU thread of a software device, at the assumed clock: lavapipe.
    pub(crate) const THREAD_SCHEDULERS: f64 = 0.09;
    /// Cycles between integer instructions of one subgroup.
    pub(crate) const CYCLES_PER_INSTRUCTION: f64 = 2.0;
    /// Cycles of a step besides its columns, for a subgroup alone on its scheduler.
    pub(crate) const STEP_STALL: f64 = 210.0;
    /// Instructions of a step besides its columns.
    pub(crate) const STEP_INSTRUCTIONS: f64 = 40.0;
    /// Cost of a column for a lane: per limb, per plane of codes and limb, and fixed.
    #[derive(Clone, Copy, Debug)]
    pub(crate) struct Column {
        pub limb: f64,
        pub plane: f64,
        pub once: f64,
    }
    /// Instructions of a column, as compiled; fitted where subgroups wait for each other. Masks are
    /// loaded as vectors or one by one.
    pub(crate) mod instructions {
        use super::Column;
        pub(crate) const LCS_BY_VECTORS: Column = Column {
            limb: 3.5,
            plane: 0.0,
            once: 6.5,
        };
        pub(crate) const LCS_BY_TABLE: Column = Column {
            limb: 4.2,
            plane: 0.0,
            once: 6.5,
        };
        pub(crate) const LCS_BY_PLANES: Column = Column {
            limb: 2.2,
            plane: 1.0,
            once: 6.0,
        };
        pub(crate) const EDIT_BY_TABLE: Column = Column {
            limb: 10.5,
            plane: 0.0,
            once: 12.0,
        };
        pub(crate) const EDIT_BY_PLANES: Column = Column {
            limb: 10.5,
            plane: 1.0,
            once: 11.0,
        };
    }
    /// Cycles of a column for a subgroup alone on its scheduler. The `CHAINED` ones are of CUDA
    /// launches of many passes: nvidia-h200/2026-11-25-shapes.json.
    pub(crate) mod lone_cycles {
        use super::Column;
        pub(crate) const LCS_BY_TABLE: Column = Column {
            limb: 9.0,
            plane: 0.0,
            once: 8.0,
        };
        pub(crate) const LCS_BY_PLANES: Column = Column {
            limb: 3.0,
            plane: 2.5,
            once: 11.0,
        };
        pub(crate) const EDIT_BY_TABLE: Column = Column {
            limb: 18.5,
            plane: 0.0,
            once: 25.5,
        };
        pub(crate) const EDIT_BY_PLANES: Column = Column {
            limb: 20.0,
            plane: 2.5,
            once: 25.5,
        };
        pub(crate) const LCS_CHAINED: Column = Column {
            limb: 6.0,
            plane: 0.0,
            once: 10.0,
        };
        pub(crate) const LCS_BY_PLANES_CHAINED: Column = Column {
            limb: 6.0,
            plane: 1.56,
            once: 10.0,
        };
        pub(crate) const EDIT_BY_PLANES_CHAINED: Column = Column {
            limb: 20.0,
            plane: 1.56,
            once: 25.5,
        };
    }

    /// CUDA kernels with many passes per launch, nvidia-h200/2026-11-25-shapes.json: time of a
    /// pass,
    pub(crate) const CHAINED_PASS_SECONDS: f64 = 2e-7;
    /// stall of a step for a subgroup alone,
    pub(crate) const CHAINED_STEP_STALL: f64 = 250.0;
    /// and slowdown if more than `CHAINED_CROWD` subgroups share a scheduler.
    pub(crate) const CHAINED_CROWD: f64 = 2.0;
    pub(crate) const CROWDED: f64 = 1.3;
    /// Cycles between integer instructions of one subgroup in other CUDA kernels.
    pub(crate) const CUDA_CYCLES_PER_INSTRUCTION: f64 = 1.55;
}

/// Paths by stored boundaries: nvidia-h200/2026-11-22-lcs.json, rows with paths minus those
/// without.
pub(crate) mod stored_boundaries {
    /// Time per byte of device memory from a driver that has to clear it.
    pub(crate) const ALLOCATION_SECONDS_PER_BYTE: f64 = 20e-12;
    /// Time per checkpoint column of the walk, which waits for the first replay.
    pub(crate) const REPLAY_SECONDS_PER_COLUMN: f64 = 0.1e-6;
    /// Maximum columns of a checkpoint whose replay is hidden by the walk over the chunk before,
    /// and the waiting time of each further column.
    pub(crate) const HIDDEN_COLUMNS: u64 = 4096;
    pub(crate) const WAIT_SECONDS_PER_COLUMN: f64 = 8e-6;
    /// Columns of the table that these waiting times are measured on; longer tables wait more
    /// often.
    pub(crate) const WAITED_COLUMNS: f64 = 1e7;
    /// Time to walk over a column, including recomputed tiles.
    pub(crate) const WALK_SECONDS_PER_COLUMN: f64 = 8e-9;
    /// Longer time of the first walk of a process over random sequences, for its share of the
    /// progress: nvidia-h200/2026-11-28-progress.txt.
    pub(crate) const FIRST_WALK_SECONDS_PER_COLUMN: f64 = 50e-9;
}

/// Furthest-reaching points: nvidia-h200/2026-11-22-edit_distance.json, rows by wavefronts.
pub(crate) mod diagonal_transition {
    pub(crate) use super::strip_sweep::PASS_SECONDS;
    use super::strip_sweep::{SCHEDULERS, THREAD_SCHEDULERS};
    pub(crate) const CELL_COST: u64 = super::cell_cost(POINTS_PER_SECOND);
    /// Time of a wavefront if all workgroups run simultaneously.
    pub(crate) const WAVEFRONT_SECONDS: f64 = 1e-6;
    /// Furthest-reaching points per second of a compute unit, and of a CPU thread of a software
    /// device by its share of the schedulers.
    pub(crate) const POINTS_PER_SECOND: f64 = 1e9;
    pub(crate) const THREAD_POINTS_PER_SECOND: f64 =
        POINTS_PER_SECOND * THREAD_SCHEDULERS / SCHEDULERS;
    /// Host time per wavefront of a path.
    pub(crate) const WALK_SECONDS: f64 = 0.4e-6;
}

/// Whole tables by anti-diagonals; these and the baselines below:
/// nvidia-h200/2026-11-22-supersequence.json.
pub(crate) mod anti_diagonal {
    pub(crate) use super::strip_sweep::PASS_SECONDS;
    pub(crate) const CELL_COST: u64 = super::cell_cost(CELLS_PER_SECOND);
    /// Cells per second of a compute unit in long anti-diagonals.
    pub(crate) const CELLS_PER_SECOND: f64 = 5e10 / super::H200_UNITS;
}

/// Whole tables of edit distances in tiles.
pub(crate) mod tiled {
    pub(crate) use super::strip_sweep::PASS_SECONDS;
    pub(crate) const CELL_COST: u64 = super::cell_cost(CELLS_PER_SECOND);
    /// Time of a barrier, one per anti-diagonal of cells.
    pub(crate) const ANTI_DIAGONAL_SECONDS: f64 = 35e-9;
    /// Cells per second of a compute unit in long anti-diagonals of tiles, and in wide rows.
    pub(crate) const CELLS_PER_SECOND: f64 = 1e12 / super::H200_UNITS;
}

/// Time of a midpoint of a supersequence's path, a dependent load, in cells of the strip sweep.
/// Measured times are 1.2 to 1.9 times that: nvidia-h100/2026-11-26-slices-vulkan.json.
pub(crate) const MIDPOINT_CELLS: u64 = 1 << 16;

/// Supersequences row by row.
pub(crate) mod row_wise {
    pub(crate) use super::strip_sweep::PASS_SECONDS;
    pub(crate) use super::tiled::{CELL_COST, CELLS_PER_SECOND};
    /// Time of a step, one per row of a pass.
    pub(crate) const ROW_SECONDS: f64 = 80e-9;
}

/// Subsequences by conditional sums.
pub(crate) mod conditional_sum {
    /// Approximate time of a cell in cells of the strip sweep.
    pub(crate) const CELL_COST: u64 = 32;
    /// Time of a column: five levels with a shuffle each (nvidia-h200/2026-11-30-papers.txt).
    pub(crate) const COLUMN_SECONDS: f64 = 0.28e-6;
}

/// Parenthesizations: nvidia-h200/2026-11-22-parenthesization.json, 4,096 and 16,384 leaves.
pub(crate) mod parenthesization {
    pub(crate) const CELL_COST: u64 = super::cell_cost(SPLITS_PER_SECOND);
    /// Time per leaf, for its anti-diagonal.
    pub(crate) use super::strip_sweep::PASS_SECONDS;
    /// Splits per second of a compute unit in tiles.
    pub(crate) const SPLITS_PER_SECOND: f64 = 1.2e10;
}

/// Common substrings: nvidia-h200/2026-11-25-substring-vulkan.json, 100 M symbols and the sizes of
/// bitmaps. First slices are short by the costs of windows and words: passes run 12 to 6,500 times
/// as fast, nvidia-h100/2026-11-26-slices-vulkan.json.
pub(crate) mod substring {
    /// Symbols per second of a compute unit in a whole search, including a share of the upload.
    pub(crate) const SYMBOLS_PER_SECOND: f64 = 2e9 / super::H200_UNITS;
    /// Symbols per second if all windows are sorted.
    pub(crate) const SORTED_SYMBOLS_PER_SECOND: f64 = 1.5e8 / super::H200_UNITS;
    /// Approximate time of a visited window in cells of the strip sweep.
    pub(crate) const CELL_COST: u64 = 4096;
    /// Time of a word read or written by a pass, in cells of the strip sweep.
    pub(crate) const WORD_CELLS: u64 = 32;
    /// Bits of the bitmap partition of a pass, as a power of two: about the cache of a large GPU.
    pub(crate) const PARTITION_LOG2: u32 = 29;
    /// Maximum stretches of 32 windows per pass; a slow device visits them within a fraction of a
    /// second.
    pub(crate) const PASS_STRETCHES: u64 = 1 << 20;
}

/// Radix sort: nvidia-h200/2026-11-25-sort-vulkan.json. First slices are short by the cells of
/// keys, except for scans: passes run 0.7 to 670 times as fast,
/// nvidia-h100/2026-11-26-slices-vulkan.json and, with one pass per digit,
/// nvidia-h100/2026-11-26-slices-cuda.json.
pub(crate) mod radix_sort {
    /// Time of a key that is counted, in cells of the strip sweep. One that is moved takes three times
    /// as long.
    pub(crate) const COUNT_CELLS: u64 = 64;
    /// Bytes per second to or from a device.
    pub(crate) const TRANSFER_BYTES_PER_SECOND: f64 = 1.5e10;
    /// Bytes of keys and payload per second that a compute unit reads or writes.
    pub(crate) const BYTES_PER_SECOND: f64 = 8e9;
}

/// Many pairs, one per lane.
pub(crate) mod pairs {
    use super::H200_UNITS;

    /// Cells per second and compute unit.
    pub(crate) const EDIT_CELLS_PER_SECOND: f64 = 30e12 / H200_UNITS;
    /// Measures with kernels of their own.
    pub(crate) const EACH_CELLS_PER_SECOND: f64 = 10e12 / H200_UNITS;
    /// Rate at which strings reach the device and values the host, with their codes.
    pub(crate) const LIST_BYTES_PER_SECOND: f64 = 4e9;
}

/// Pairs within a bound by keys. Not measured yet: from the rates of the sort and of pairs.
pub(crate) mod neighbors {
    /// Time to hash and sort a key of the index, to look up a key, and to filter a candidate.
    pub(crate) const INDEX_KEY_SECONDS: f64 = 1.5e-9;
    pub(crate) const LOOKUP_SECONDS: f64 = 5e-10;
    pub(crate) const CANDIDATE_SECONDS: f64 = 5e-11;
    pub(crate) use super::pairs::LIST_BYTES_PER_SECOND;
    /// Time of a key and of a lookup with its candidates, in cells of the strip sweep. An entry of the
    /// index takes the time of a counted key in a sort.
    pub(crate) const KEY_CELLS: u64 = 256;
    pub(crate) use super::radix_sort::COUNT_CELLS as ENTRY_CELLS;
    pub(crate) const LOOKUP_CELLS: u64 = 2048;
}
