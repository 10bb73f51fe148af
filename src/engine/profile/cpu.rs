//! What the native code takes. Figures are of one thread, unless they say more.

/// SIMD instructions of a sweep that a thread does in a second: nvidia-h200/2026-11-22-lcs-cpu.json has 4.0e9 and
/// amd-epyc/2026-11-22-lcs-cpu.json 7.5e9, by the instructions that `pairwise::bit_parallel::cpu` counts for a cell.
pub(crate) const SIMD_INSTRUCTIONS_PER_SECOND: f64 = 5e9;
/// Such instructions for each register of cells, beside one for each plane of codes, with operations of three inputs; how many times as
/// many narrower registers take, which come without; and how many times as long a single chain, which waits for itself.
pub(crate) const LCS_INSTRUCTIONS: usize = 4;
pub(crate) const EDIT_INSTRUCTIONS: usize = 10;
pub(crate) const NARROW_INSTRUCTIONS: f64 = 2.0;
pub(crate) const LONE_CHAIN_WAITS: f64 = 4.0;
/// What every thread after the first adds of its rate: 2 threads in nvidia-h200/2026-11-22-lcs-cpu.json and
/// amd-epyc/2026-11-22-lcs-cpu.json.
pub(crate) const THREAD_SHARE: f64 = 0.9;
/// The same of those after so many, which share a processor's power and mostly its cores: 16 threads in
/// nvidia-h200/2026-11-26-auto-cuda.json.
pub(crate) const FEW_THREADS: usize = 4;
pub(crate) const MANY_THREADS_SHARE: f64 = 0.65;
/// Time of a furthest-reaching point on the CPU, or of a stride of its slide, its path kept, and how many of them are always worth a
/// try: intel-xeon/2026-11-26-auto.json, 10 k and 1 % apart.
pub(crate) const WAVEFRONT_STEP_SECONDS: f64 = 8e-9;
pub(crate) const LEAST_WAVEFRONT_STEPS: u64 = 30_000;

/// Time of a symbol before any table: common affixes, codes and their planes; amd-epyc/2026-11-22-lcs-cpu.json, the phase
/// "encode".
pub(crate) const SYMBOL_SECONDS: f64 = 2e-9;
/// Time of a guess at similarity in a process that has made none, what each thread adds to it, and each symbol's share of it on one
/// thread: nvidia-h200/2026-11-25-lcs-cuda.json, the phase "similarity" of 1 M and 10 M symbols on 16 threads, and 10 k symbols in
/// nvidia-h200/2026-11-26-auto-vulkan.json and, on two threads, in amd-epyc/2026-11-26-auto.json.
pub(crate) const GUESS_SECONDS: f64 = 3e-4;
pub(crate) const GUESS_THREAD_SECONDS: f64 = 5.5e-5;
pub(crate) const GUESS_SYMBOL_SECONDS: f64 = 5e-9;
/// Seconds of a sweep that are worth one; of the same records.
pub(crate) const WORTH_A_GUESS_SECONDS: f64 = 1e-3;
/// Time of a row or a column of a path on the CPU, its tile computed again: nvidia-h200/2026-11-26-auto-cuda.json, plans of paths there
/// and by Vulkan.
pub(crate) const WALK_SECONDS: f64 = 3e-8;
/// Time of a call whose table the thread that calls fills behind a few wavefronts, what one that needs threads takes more, which a
/// process starts but once, and what its first table takes: 1,000 symbols in nvidia-h200/2026-11-26-auto-cuda.json on 16 threads, and
/// in intel-xeon/2026-11-26-auto.json on two.
pub(crate) const LONE_TABLE_CALL_SECONDS: f64 = 1.1e-4;
const THREADED_CALL_SECONDS: f64 = 2e-4;
pub(crate) const TABLE_CALL_SECONDS: f64 = 3e-4;
const THREAD_SECONDS: f64 = 5e-5;

/// Time of a call on so many threads beside its work.
pub(crate) fn threaded_call_seconds(threads: usize) -> f64 {
    THREADED_CALL_SECONDS + THREAD_SECONDS * threads as f64
}

/// Cells a second of one thread in reference tables: row by row, whole ones that are kept for a path, and those of substrings; in the
/// tiled baseline; and by anti-diagonals: amd-epyc/2026-11-26-figures-cpu.json.
pub(crate) const REFERENCE_CELLS_PER_SECOND: f64 = 0.9e9;
pub(crate) const REFERENCE_PATH_CELLS_PER_SECOND: f64 = 0.2e9;
pub(crate) const REFERENCE_SUBSTRING_CELLS_PER_SECOND: f64 = 0.5e9;
pub(crate) const TILED_CELLS_PER_SECOND: f64 = 0.7e9;
pub(crate) const ANTI_DIAGONAL_CELLS_PER_SECOND: f64 = 2.5e9;

/// Cells a second of supersequences row by row, a gather each: amd-epyc/2026-11-22-bench.txt has 0.75e9 to 2.5e9. How many times as
/// long a table takes whose cells carry the origins of a path, by rows or anti-diagonals, and cells a second of the path's segments:
/// amd-epyc/2026-11-26-figures-cpu.json.
pub(crate) const ROW_WISE_CELLS_PER_SECOND: f64 = 0.9e9;
pub(crate) const ORIGINS_TIMES: f64 = 2.2;
pub(crate) const SEGMENT_CELLS_PER_SECOND: f64 = 2.7e9;

/// Symbols a second on one thread: of filters of windows, all that a search asks for
/// (nvidia-h200/2026-11-22-substring-cpu.json); in a suffix array, and by sorts of hashes, one for each length of a bisection
/// (amd-epyc/2026-11-22-bench.txt); and compared with anchors (amd-epyc/2026-11-26-figures-cpu.json).
pub(crate) const FILTERED_SYMBOLS_PER_SECOND: f64 = 2e7;
pub(crate) const SUFFIX_ARRAY_SYMBOLS_PER_SECOND: f64 = 1.2e7;
pub(crate) const SORT_AND_SCAN_SYMBOLS_PER_SECOND: f64 = 2.5e5;
pub(crate) const ANCHORED_SYMBOLS_PER_SECOND: f64 = 2e8;
/// Time of a block in an index of a hundred thousand, with what it finds: amd-epyc/2026-11-26-figures-cpu.json, between
/// random texts and alike ones, where every block finds something.
const BLOCK_SECONDS: f64 = 4e-7;

/// Time of each of so many blocks on any number of threads; the more there are, the more of them miss the caches.
pub(crate) fn block_seconds(blocks: usize) -> f64 {
    BLOCK_SECONDS * (blocks as f64 / 1e5).powf(0.4)
}

/// Most bytes of codes that a suffix array searches faster than filters of windows, which take some milliseconds however few there are:
/// amd-epyc/2026-11-22-substring-small.json.
pub(crate) const MOST_SORTED_CODE_BYTES: usize = 100_000;

/// Time of a leaf of Hu and Shing's method, of a split in the reference table, and in tiles:
/// nvidia-h200/2026-11-23-parenthesization-cpu.json.
pub(crate) const HU_SHING_LEAF_SECONDS: f64 = 2e-7;
pub(crate) const REFERENCE_SPLIT_SECONDS: f64 = 2e-9;
pub(crate) const SPLIT_SECONDS: f64 = 2e-10;

/// Time of a cell of the exact table of several supersequences, and of each step of it beside that:
/// amd-epyc/2026-11-26-figures-cpu.json.
pub(crate) const SEVERAL_CELL_SECONDS: f64 = 2e-8;
pub(crate) const SEVERAL_STEP_SECONDS: f64 = 1e-9;
/// Time of a comparison of two of several inputs, cells a second of their table where a sweep does not take less, and how many times as
/// long as all comparisons a merge tree takes, which compares what it merges: amd-epyc/2026-11-26-figures-cpu.json.
pub(crate) const PAIR_SECONDS: f64 = 4e-6;
pub(crate) const PAIR_CELLS_PER_SECOND: f64 = 2e10;
pub(crate) const MERGE_TREE_TIMES: f64 = 3.0;

/// Time of a word of keys or payload in a round of the radix sort, counted and moved, and how many times as fast as one thread any
/// number of them is: nvidia-h200/2026-11-25-sort-vulkan.json, and one thread at d91965c in amd-epyc/2026-11-24-sort-cpu.json.
pub(crate) const RADIX_SORT_WORD_SECONDS: f64 = 2.2e-9;
pub(crate) const RADIX_SORT_SPEEDUP: f64 = 5.0;

/// Cells a second of a table that the thread that calls fills, time of such a call beside them, and time until other threads are at work:
/// amd-epyc/2026-11-22-small.json.
pub(crate) const SMALL_CELLS_PER_SECOND: f64 = 2.5e10;
pub(crate) const SMALL_CALL_SECONDS: f64 = 3e-7;
pub(crate) const WAKING_SECONDS: f64 = 4e-5;
