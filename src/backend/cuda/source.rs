//! The CUDA text of kernels: what every text stands on, what their constants come to, then their parts.

use std::fmt::Write;

use crate::backend::vectors::alias;
use crate::kernels::Kernel;

macro_rules! text {
    ($stem:literal) => {
        include_str!(concat!("../../../shaders/", $stem, ".cu"))
    };
}

macro_rules! part {
    ($stem:literal) => {
        ($stem, text!($stem))
    };
}

/// What comes before all else.
const PRELUDE: &str = text!("common/prelude");

/// The texts by their stems.
const PARTS: &[(&str, &str)] = &[
    part!("anti_diagonal/edit_distance"),
    part!("anti_diagonal/no_origins"),
    part!("anti_diagonal/origins"),
    part!("anti_diagonal/supersequence"),
    part!("anti_diagonal/sweep"),
    part!("bit_parallel/from_checkpoint"),
    part!("bit_parallel/from_pass"),
    part!("bit_parallel/keep_checkpoints"),
    part!("bit_parallel/keep_nothing"),
    part!("bit_parallel/keep_tiles"),
    part!("bit_parallel/match_planes"),
    part!("bit_parallel/match_table"),
    part!("bit_parallel/span_each"),
    part!("bit_parallel/span_whole"),
    part!("bit_parallel/strip_sweep"),
    part!("common/gather"),
    part!("common/hand_over_subgroup"),
    part!("common/hand_over_workgroup"),
    part!("common/stamp"),
    part!("diagonal_transition/indel"),
    part!("diagonal_transition/levenshtein"),
    part!("diagonal_transition/wavefronts"),
    part!("edit_distance/limbs"),
    part!("edit_distance/tiled"),
    part!("lcs/conditional_sum"),
    part!("lcs/limbs"),
    part!("parenthesization/adaptive"),
    part!("parenthesization/by_ends"),
    part!("parenthesization/by_length"),
    part!("parenthesization/goal"),
    part!("parenthesization/narrow_product"),
    part!("parenthesization/no_enclosure"),
    part!("parenthesization/nussinov"),
    part!("parenthesization/perimeter"),
    part!("parenthesization/range"),
    part!("parenthesization/search_tree"),
    part!("parenthesization/split_tree"),
    part!("parenthesization/thread_per_subproblem"),
    part!("parenthesization/tiled_diagonal"),
    part!("parenthesization/tiled_wavefront"),
    part!("parenthesization/tiles"),
    part!("parenthesization/tiles_many"),
    part!("parenthesization/tiles_one"),
    part!("parenthesization/value_f32"),
    part!("parenthesization/value_f64"),
    part!("parenthesization/value_limbs"),
    part!("parenthesization/value_u64"),
    part!("parenthesization/wide_product"),
    part!("sort/copy"),
    part!("sort/downsweep"),
    part!("sort/key_u32"),
    part!("sort/key_u64"),
    part!("sort/payload_none"),
    part!("sort/payload_u32"),
    part!("sort/range"),
    part!("sort/rank_subgroup"),
    part!("sort/rank_workgroup"),
    part!("sort/scan"),
    part!("sort/sum_subgroup"),
    part!("sort/sum_workgroup"),
    part!("sort/upsweep"),
    part!("substring/clear"),
    part!("substring/codes"),
    part!("substring/compare_pairs"),
    part!("substring/control"),
    part!("substring/count_level"),
    part!("substring/groups"),
    part!("substring/hash_windows"),
    part!("substring/hashed_windows"),
    part!("substring/list"),
    part!("substring/list_groups"),
    part!("substring/mix"),
    part!("substring/modular"),
    part!("substring/neighbours"),
    part!("substring/packed_windows"),
    part!("substring/prefix_blocks"),
    part!("substring/prefix_spread"),
    part!("substring/prefix_stretches"),
    part!("substring/settle"),
    part!("substring/visit"),
    part!("supersequence/crossings"),
    part!("supersequence/row_origins"),
    part!("supersequence/row_values"),
    part!("supersequence/row_wise"),
];

/// The complete text of a kernel, where the library has one.
pub fn source(kernel: &Kernel) -> Option<String> {
    let mut text = PRELUDE.to_string();
    let _ = writeln!(text, "constexpr u32 LANES = {}u;", kernel.block);
    for (name, value) in &kernel.constants {
        let _ = writeln!(text, "constexpr u32 {name} = {value}u;");
        if let Some(alias) = alias(name) {
            let _ = writeln!(text, "typedef u32x{value} {alias};");
        }
    }
    for stem in kernel.parts.iter().chain([&kernel.stem]) {
        text.push_str(part(stem)?);
        text.push('\n');
    }
    Some(text)
}

/// The library's text of a kernel or part.
pub fn part(stem: &str) -> Option<&'static str> {
    PARTS.iter().find(|(name, _)| *name == stem).map(|(_, text)| *text)
}
