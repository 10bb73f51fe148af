//! What GPUs take, by kernel: figures of an NVIDIA H200. Other GPUs differ in their compute units, and in the pace that an engine
//! learns from its long calls. Which record shows what a figure gives stands at each; a cost of cells only sets the first slices,
//! which are timed from then on.

use crate::backend::Capabilities;

/// Time to list the adapters of a machine, most of it in the drivers' start: nvidia-h200/2026-11-22.txt, "file to answer", the wall
/// time less that of the call.
pub(crate) const LISTING_SECONDS: f64 = 0.12;
/// Time to open a device that is listed; of the same rows.
pub(crate) const OPENING_SECONDS: f64 = 0.09;
/// How much longer CUDA takes for that: nvidia-h200/2026-11-26-backends.json, from process start to end. Where another process keeps the
/// driver awake it takes less than Vulkan, nvidia-h100/2026-11-26-auto-cuda.json.
pub(crate) const SLOW_OPENING_SECONDS: f64 = 0.09;
/// How many times as long as listing and opening a device work has to take on the CPU for adapters to be listed, which delays the CPU's
/// answer.
pub(crate) const WORTH_LISTING: f64 = 1.2;
/// Time to build the kernels of a first call: nvidia-h200/2026-11-22.txt, the self-test, whose kernels are built beside others.
pub(crate) const BUILDING_SECONDS: f64 = 0.04;
/// Time of a call on a GPU beside its passes, from the first upload to the last readback: nvidia-h200/2026-11-22-lcs.json,
/// 100 k x 100 k less what its passes take.
pub(crate) const SUBMISSION_SECONDS: f64 = 3e-4;

/// The probe of a device that `auto` opens. Where nothing is kept of its speed, ever larger sweeps are timed until one takes 1 ms: long
/// enough for clocks to ramp up, short enough to go unnoticed.
pub(crate) mod probe {
    /// Rows and columns of the table whose answer is compared: several strips of the widest subgroups, 32 lanes of 2 limbs, which hand
    /// over to each other. The reference takes 8 ms.
    pub(crate) const CHECKED_TABLE: (usize, usize) = (4_500, 1_500);
    /// Symbols a side of a sweep that is nothing but a call.
    pub(crate) const LEAST_SYMBOLS: usize = 64;
    /// Symbols of the first sweep that may tell something, and of the last.
    pub(crate) const FIRST_SYMBOLS: usize = 4096;
    pub(crate) const MOST_SYMBOLS: usize = 1 << 17;
    pub(crate) const TELLING_SECONDS: f64 = 1e-3;
    /// Sweeps of each size: the least time counts.
    pub(crate) const REPEATS: usize = 3;
    /// How far from 1 a pace is that so short a sweep tells: expected times are within that of measured ones,
    /// nvidia-h200/2026-11-26-auto-vulkan.json.
    pub(crate) const NEAR: f64 = 2.0;
}

/// Least and greatest pace that is believed: from a processor in a GPU's stead to one that has not been built.
pub(crate) const PACES: (f64, f64) = (0.25, 64.0);
/// Seconds of a sweep that tell the pace by themselves: of shorter ones more is the first slices, which are small.
pub(crate) const TELLING_SECONDS: f64 = 0.5;

/// Cells of a table on a GPU that is asked for which are worth a guess at similarity: half a second of a large one, where a guess takes
/// some milliseconds, nvidia-h200/2026-11-22-lcs.json.
pub(crate) const WORTH_A_GUESS_CELLS: u128 = 1 << 37;

/// Compute units of the H200, by which rates of a whole device are shared out.
const H200_UNITS: f64 = 132.0;

/// Compute units of a device, or what is assumed where the driver does not say.
pub(crate) fn compute_units(caps: &Capabilities) -> f64 {
    f64::from(caps.compute_units.unwrap_or(32))
}

/// The strip sweep: fitted to tables swept with forced shapes; nvidia-h200/2026-11-22-lcs.json and
/// nvidia-h200/2026-11-22-edit_distance.json show what it gives.
pub(crate) mod strip_sweep {
    /// Clock assumed.
    pub(crate) const CLOCK_HZ: f64 = 1.85e9;
    /// Time between dependent dispatches.
    pub(crate) const PASS_SECONDS: f64 = 3.4e-6;
    /// Workgroup memory of a compute unit assumed where the driver does not say: no portable interface tells it.
    pub(crate) const UNIT_WORKGROUP_BYTES: f64 = 55e3;
    /// Subgroups that a compute unit advances at once.
    pub(crate) const SCHEDULERS: f64 = 4.0;
    /// The same of a thread that computes in a GPU's stead, at the clock assumed: lavapipe's kernels.
    pub(crate) const THREAD_SCHEDULERS: f64 = 0.09;
    /// Cycles between integer instructions of one subgroup.
    pub(crate) const CYCLES_PER_INSTRUCTION: f64 = 2.0;
    /// Cycles of a step beside its columns where a subgroup is alone on its scheduler.
    pub(crate) const STEP_STALL: f64 = 210.0;
    /// Instructions of a step beside its columns.
    pub(crate) const STEP_INSTRUCTIONS: f64 = 40.0;
    /// What a lane spends on one column: on each limb, on each plane of codes for each limb, and once.
    #[derive(Clone, Copy, Debug)]
    pub(crate) struct Column {
        pub limb: f64,
        pub plane: f64,
        pub once: f64,
    }
    /// Instructions of a column: as compiled, and fitted where subgroups wait for each other. Masks come a vector at a time or one
    /// by one.
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
    /// Cycles of a column where a subgroup is alone on its scheduler; of CUDA's launches of many passes, nvidia-h200/2026-11-25-shapes.json.
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
    /// An even rougher rate for any shape: cells that a scheduler finishes in a cycle, and time that every column takes however few
    /// rows there are.
    #[derive(Clone, Copy, Debug)]
    pub(crate) struct Rough {
        pub cells_per_cycle: f64,
        pub column_seconds: f64,
    }
    pub(crate) const ROUGH_LCS: Rough = Rough {
        cells_per_cycle: 89.0,
        column_seconds: 20e-9,
    };
    pub(crate) const ROUGH_EDIT: Rough = Rough {
        cells_per_cycle: 39.0,
        column_seconds: 28e-9,
    };
    /// What a second direction costs a full device.
    pub(crate) const SECOND_DIRECTION: f64 = 1.03;

    /// The same of CUDA's kernels; nvidia-h200/2026-11-25-shapes.json. Those that run many passes in one launch:
    pub(crate) const CHAINED_PASS_SECONDS: f64 = 2e-7;
    /// their steps where a subgroup is alone;
    pub(crate) const CHAINED_STEP_STALL: f64 = 250.0;
    /// and how much longer they take where more subgroups than these share a scheduler.
    pub(crate) const CHAINED_CROWD: f64 = 2.0;
    pub(crate) const CROWDED: f64 = 1.3;
    /// Of the others, cycles between integer instructions of one subgroup.
    pub(crate) const CUDA_CYCLES_PER_INSTRUCTION: f64 = 1.55;
}

/// Paths by stored boundaries: nvidia-h200/2026-11-22-lcs.json, the rows with paths less those without.
pub(crate) mod stored_boundaries {
    /// Time to get a byte of device memory from a driver that has to clear it.
    pub(crate) const ALLOCATION_SECONDS_PER_BYTE: f64 = 20e-12;
    /// Time that each column of a checkpoint adds to the walk: its first replay is waited for.
    pub(crate) const REPLAY_SECONDS_PER_COLUMN: f64 = 0.1e-6;
    /// Columns of a checkpoint whose replay is done before the chunk before is walked, and the time that each one more adds.
    pub(crate) const HIDDEN_COLUMNS: u64 = 4096;
    pub(crate) const WAIT_SECONDS_PER_COLUMN: f64 = 8e-6;
    /// Columns of a table that waits that long; longer ones wait more often.
    pub(crate) const WAITED_COLUMNS: f64 = 1e7;
    /// Time to walk over a column of the table, its tiles recomputed.
    pub(crate) const WALK_SECONDS_PER_COLUMN: f64 = 8e-9;
}

/// Furthest-reaching points: nvidia-h200/2026-11-22-edit_distance.json, the rows by wavefronts.
pub(crate) mod diagonal_transition {
    /// Time of a furthest-reaching point in those of cells of the strip sweep, about.
    pub(crate) const CELL_COST: u64 = 2000;
    /// Time of a pass beside its wavefronts.
    pub(crate) const PASS_SECONDS: f64 = 5e-6;
    /// Time of a wavefront where every workgroup runs at once.
    pub(crate) const WAVEFRONT_SECONDS: f64 = 1e-6;
    /// Furthest-reaching points a second of one compute unit, and of one thread that computes in a GPU's stead: lavapipe's kernels.
    pub(crate) const POINTS_PER_SECOND: f64 = 1e9;
    pub(crate) const THREAD_POINTS_PER_SECOND: f64 = 1.2e7;
    /// Time of the host for each wavefront of a path.
    pub(crate) const WALK_SECONDS: f64 = 0.4e-6;
}

/// Whole tables by anti-diagonals: nvidia-h200/2026-11-22-supersequence.json, as the baselines below.
pub(crate) mod anti_diagonal {
    /// Time of a cell in those of the strip sweep, about.
    pub(crate) const CELL_COST: u64 = 1024;
    /// Time of one pass that is all latency.
    pub(crate) const PASS_SECONDS: f64 = 2.5e-6;
    /// Cells a second of one compute unit in long anti-diagonals.
    pub(crate) const CELLS_PER_SECOND: f64 = 5e10 / super::H200_UNITS;
}

/// Whole tables of edit distances by tiles.
pub(crate) mod tiled {
    /// Time of a cell in those of the strip sweep, about.
    pub(crate) const CELL_COST: u64 = 128;
    /// Time of one pass: its launch, and a barrier for each of its cell anti-diagonals.
    pub(crate) const PASS_SECONDS: f64 = 3e-6;
    pub(crate) const ANTI_DIAGONAL_SECONDS: f64 = 35e-9;
    /// Cells a second of one compute unit in long anti-diagonals of tiles.
    pub(crate) const CELLS_PER_SECOND: f64 = 1e12 / super::H200_UNITS;
}

/// Time of a midpoint of a supersequence's path, a load that waits for the one before, in cells of the strip sweep:
/// nvidia-h100/2026-11-26-slices-vulkan.json has 1.2 to 1.9 times what first slices suppose by it.
pub(crate) const MIDPOINT_CELLS: u64 = 1 << 16;

/// Supersequences row by row.
pub(crate) mod row_wise {
    /// Time of a cell in those of the strip sweep, about.
    pub(crate) const CELL_COST: u64 = 64;
    /// Time of one pass: its launch, and a step for each of its rows.
    pub(crate) const PASS_SECONDS: f64 = 3e-6;
    pub(crate) const ROW_SECONDS: f64 = 80e-9;
    /// Cells a second of one compute unit in wide tables.
    pub(crate) const CELLS_PER_SECOND: f64 = 1e12 / super::H200_UNITS;
}

/// Subsequences by conditional sums.
pub(crate) mod conditional_sum {
    /// Time of a cell in those of the strip sweep, about.
    pub(crate) const CELL_COST: u64 = 32;
    /// Time of one column: five levels with a barrier each.
    pub(crate) const COLUMN_SECONDS: f64 = 0.36e-6;
}

/// Tables of parenthesizations: nvidia-h200/2026-11-22-parenthesization.json, 4,096 and 16,384 leaves.
pub(crate) mod parenthesization {
    /// Time of a split in cells of the strip sweep, about.
    pub(crate) const CELL_COST: u64 = 64;
    /// Time of a leaf: the passes of its anti-diagonal.
    pub(crate) const LEAF_SECONDS: f64 = 3e-6;
    /// Splits a second of one compute unit in tiles.
    pub(crate) const SPLITS_PER_SECOND: f64 = 1.2e10;
}

/// The search for common substrings: nvidia-h200/2026-11-25-substring-vulkan.json, 100 M symbols and the sizes of bitmaps; by the
/// costs of windows and words first slices are short, nvidia-h100/2026-11-26-slices-vulkan.json: 12 to 6,500 times as fast.
pub(crate) mod substring {
    /// Symbols a second of one compute unit in a whole search, its share of their upload included.
    pub(crate) const SYMBOLS_PER_SECOND: f64 = 2e9 / super::H200_UNITS;
    /// The same where all windows are sorted.
    pub(crate) const SORTED_SYMBOLS_PER_SECOND: f64 = 1.5e8 / super::H200_UNITS;
    /// Time of a window's visit in cells of the strip sweep, about.
    pub(crate) const CELL_COST: u64 = 4096;
    /// Time of a word that a pass reads or writes, in cells of the strip sweep.
    pub(crate) const WORD_CELLS: u64 = 32;
    /// Bits of the part of a bitmap that one pass works on, as a power of two: about what the cache of a large GPU holds.
    pub(crate) const PARTITION_LOG2: u32 = 29;
    /// Stretches of 32 windows of a pass at the most, which a slow device visits in a part of a second.
    pub(crate) const PASS_STRETCHES: u64 = 1 << 20;
}

/// The radix sort: nvidia-h200/2026-11-25-sort-vulkan.json; by the cells of keys first slices are short, but for scans,
/// nvidia-h100/2026-11-26-slices-vulkan.json and, of one pass a digit, nvidia-h100/2026-11-26-slices-cuda.json: 0.7 to 670 times as fast.
pub(crate) mod radix_sort {
    /// Time of a key in an upsweep and in a downsweep, in cells of the strip sweep.
    pub(crate) const UPSWEEP_CELLS: u64 = 64;
    pub(crate) const DOWNSWEEP_CELLS: u64 = 192;
    /// The same of a count in a scan, which waits for the ones before.
    pub(crate) const SCAN_CELLS: u64 = 64;
    /// The same of all its digits in one histogram, and of a digit whose pass counts and moves it.
    pub(crate) const HISTOGRAM_CELLS: u64 = 128;
    pub(crate) const ONESWEEP_CELLS: u64 = 192;
    /// Bytes that go to a device or come back in a second.
    pub(crate) const TRANSFER_BYTES_PER_SECOND: f64 = 1.5e10;
    /// Bytes of keys and payload that one compute unit reads or writes in a second.
    pub(crate) const BYTES_PER_SECOND: f64 = 8e9;
}
