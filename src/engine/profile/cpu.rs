//! Throughput and latency of the native code, per thread unless stated otherwise.

/// SIMD instructions of a sweep per second and thread: nvidia-h200/2026-11-22-lcs-cpu.json has
/// 4.0e9 and amd-epyc/2026-11-22-lcs-cpu.json 7.5e9, by the instructions per cell that
/// `sequences::bit_parallel::cpu` counts.
pub(crate) const SIMD_INSTRUCTIONS_PER_SECOND: f64 = 5e9;
/// Instructions per register of cells with three-input operations; each plane of codes adds one.
/// Then: factor for narrower registers without such operations, and for a single chain, which is
/// bound by its latency.
pub(crate) const LCS_INSTRUCTIONS: usize = 4;
pub(crate) const EDIT_INSTRUCTIONS: usize = 10;
pub(crate) const NARROW_INSTRUCTIONS: f64 = 2.0;
pub(crate) const LONE_CHAIN_WAITS: f64 = 4.0;
/// Time of an input in a step of a majority merge: 20,000 reads of 40 symbols on an AMD EPYC.
pub(crate) const MAJORITY_STEP_SECONDS: f64 = 6e-9;
/// Throughput that each thread after the first adds, relative to the first: 2 threads in
/// nvidia-h200/2026-11-22-lcs-cpu.json and amd-epyc/2026-11-22-lcs-cpu.json.
pub(crate) const THREAD_SHARE: f64 = 0.9;
/// Threads beyond `FEW_THREADS` share power and mostly cores, and add less: 16 threads in
/// nvidia-h200/2026-11-26-auto-cuda.json.
pub(crate) const FEW_THREADS: usize = 4;
pub(crate) const MANY_THREADS_SHARE: f64 = 0.65;
/// Time of a furthest-reaching point on the CPU, or of a stride of its slide, with its path stored;
/// and the number of them that is always worth a try: intel-xeon/2026-11-26-auto.json, 10 k symbols
/// 1 % apart.
pub(crate) const WAVEFRONT_STEP_SECONDS: f64 = 8e-9;
pub(crate) const MIN_WAVEFRONT_STEPS: u64 = 30_000;

/// Time of a symbol before any table, for common affixes, codes and their planes:
/// amd-epyc/2026-11-22-lcs-cpu.json, the phase "encode".
pub(crate) const SYMBOL_SECONDS: f64 = 2e-9;
/// Time of the first similarity estimate of a process besides the start of its threads, and its time
/// per symbol on one thread: the phase "similarity" of 1 M and 10 M symbols on 16 threads in
/// nvidia-h200/2026-11-25-lcs-cuda.json, and of 10 k symbols in
/// nvidia-h200/2026-11-26-auto-vulkan.json and, on two threads, amd-epyc/2026-11-26-auto.json.
pub(crate) const GUESS_SECONDS: f64 = 3e-4;
pub(crate) const GUESS_SYMBOL_SECONDS: f64 = 5e-9;
/// Minimum sweep time that justifies an estimate; same records.
pub(crate) const WORTH_A_GUESS_SECONDS: f64 = 1e-3;
/// Time of a row or column of a path on the CPU, including the recomputation of its tile:
/// nvidia-h200/2026-11-26-auto-cuda.json and -vulkan.json, plans of paths.
pub(crate) const WALK_SECONDS: f64 = 3e-8;
/// Time of a call whose table the calling thread fills after a few wavefronts; additional time of
/// threads, whose start a process pays once; and time of the first table: 1,000 symbols on 16
/// threads in nvidia-h200/2026-11-26-auto-cuda.json, on two in intel-xeon/2026-11-26-auto.json.
pub(crate) const LONE_TABLE_CALL_SECONDS: f64 = 1.1e-4;
const THREADED_CALL_SECONDS: f64 = 2e-4;
pub(crate) const TABLE_CALL_SECONDS: f64 = 3e-4;
/// Time until another thread works: also amd-epyc/2026-11-22-small.json.
pub(crate) const THREAD_SECONDS: f64 = 5e-5;

/// Fixed time of a call on `threads` threads.
pub(crate) fn threaded_call_seconds(threads: usize) -> f64 {
    THREADED_CALL_SECONDS + THREAD_SECONDS * threads as f64
}

/// Cells per second and thread of tables row by row, of whole tables stored for a path, of substrings
/// and splits of ranges by the reference, and of anti-diagonals and segments of paths:
/// amd-epyc/2026-11-26-figures-cpu.json. Tables in tiles have 0.7e9, supersequences with a gather per
/// cell 0.75e9 to 2.5e9 (amd-epyc/2026-11-22-bench.txt).
pub(crate) const TABLE_CELLS_PER_SECOND: f64 = 0.9e9;
pub(crate) const REFERENCE_PATH_CELLS_PER_SECOND: f64 = 0.2e9;
pub(crate) const REFERENCE_CELLS_PER_SECOND: f64 = 0.5e9;
pub(crate) const ANTI_DIAGONAL_CELLS_PER_SECOND: f64 = 2.5e9;

/// Slowdown of supersequences' tables that carry the origins of a path, by rows or anti-diagonals:
/// amd-epyc/2026-11-26-figures-cpu.json.
pub(crate) const ORIGINS_TIMES: f64 = 2.2;

/// Symbols per second and thread: filters of windows, a whole search
/// (nvidia-h200/2026-11-22-substring-cpu.json); a suffix array, and sorts of hashes, one per length
/// of a bisection (amd-epyc/2026-11-22-bench.txt); comparison with anchors
/// (amd-epyc/2026-11-26-figures-cpu.json).
pub(crate) const FILTERED_SYMBOLS_PER_SECOND: f64 = 2e7;
pub(crate) const SUFFIX_ARRAY_SYMBOLS_PER_SECOND: f64 = 1.2e7;
pub(crate) const SORT_AND_SCAN_SYMBOLS_PER_SECOND: f64 = 2.5e5;
pub(crate) const ANCHORED_SYMBOLS_PER_SECOND: f64 = 2e8;
/// Time of a block in an index of 100,000, with its hits: amd-epyc/2026-11-26-figures-cpu.json,
/// between random texts and similar ones, where every block has hits.
const BLOCK_SECONDS: f64 = 4e-7;

/// Time per block on any number of threads. Grows with `blocks`, as more of them miss the caches.
pub(crate) fn block_seconds(blocks: usize) -> f64 {
    BLOCK_SECONDS * (blocks as f64 / 1e5).powf(0.4)
}

/// Maximum bytes of codes for which a suffix array is faster than filters of windows, which take
/// milliseconds for any size: amd-epyc/2026-11-22-substring-small.json.
pub(crate) const MAX_SORTED_CODE_BYTES: usize = 100_000;

/// Time of a leaf in Hu and Shing's algorithm, and of a split in tiles: nvidia-h200/2026-11-23-parenthesization-cpu.json.
pub(crate) const HU_SHING_LEAF_SECONDS: f64 = 2e-7;
pub(crate) const SPLIT_SECONDS: f64 = 2e-10;

/// Time of a cell in the exact table of several supersequences, and of each of its steps:
/// amd-epyc/2026-11-26-figures-cpu.json.
pub(crate) const SEVERAL_CELL_SECONDS: f64 = 2e-8;
pub(crate) const SEVERAL_STEP_SECONDS: f64 = 1e-9;
/// Time of a comparison of two of several inputs besides its cells, and time of a merge tree over that
/// of all comparisons, as it compares merged inputs: amd-epyc/2026-11-26-figures-cpu.json.
pub(crate) const PAIR_SECONDS: f64 = 4e-6;
/// The same for inputs that fit match masks, which are prepared once for all others: 3,000 reads of
/// 40 symbols on two threads of an AMD EPYC.
pub(crate) const SMALL_PAIR_SECONDS: f64 = 1e-7;
pub(crate) const MERGE_TREE_TIMES: f64 = 3.0;

/// Time to count and move a word of keys or payload in a round of the radix sort, and the speedup
/// of all threads over one: nvidia-h200/2026-11-25-sort-vulkan.json, and one thread at d91965c in
/// amd-epyc/2026-11-24-sort-cpu.json.
pub(crate) const RADIX_SORT_WORD_SECONDS: f64 = 2.2e-9;
pub(crate) const RADIX_SORT_SPEEDUP: f64 = 5.0;

/// Cells per second of a table that one thread fills, and fixed time of a call that is no more:
/// amd-epyc/2026-11-22-small.json.
pub(crate) const SMALL_CELLS_PER_SECOND: f64 = 2.5e10;
pub(crate) const SMALL_CALL_SECONDS: f64 = 3e-7;

/// Cells per second and thread of a search in a text, 64 positions per limb.
pub(crate) const TEXT_CELLS_PER_SECOND: f64 = 5e10;

/// Cells per second and thread of many pairs, one per SIMD lane, and time of a pair besides its
/// cells: lists of strings of 10 to 1,000 letters in amd-epyc/2026-11-27-pairs-cpu.txt.
pub(crate) const PAIRS_EDIT_CELLS_PER_SECOND: f64 = 8e10;
/// Cells of LCS lengths per second over those of edit distances, in lanes of CPUs and GPUs.
pub(crate) const PAIRS_LCS_SPEEDUP: f64 = 1.8;
/// Measures that are computed pair by pair.
pub(crate) const PAIRS_EACH_CELLS_PER_SECOND: f64 = 3e9;
pub(crate) const PAIRS_LANE_SECONDS: f64 = 8e-9;
