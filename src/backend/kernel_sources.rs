//! Sources of the library's kernels.

/// The sources with this file extension, by stem: of all kernels and parts in WGSL, of the listed
/// ones in CUDA.
macro_rules! kernel_sources {
    (".wgsl") => {
        kernel_sources!(
            ".wgsl":
            "anti_diagonal/edit_distance",
            "anti_diagonal/no_origins",
            "anti_diagonal/origins",
            "anti_diagonal/supersequence",
            "anti_diagonal/sweep",
            "bit_parallel/from_checkpoint",
            "bit_parallel/from_pass",
            "bit_parallel/keep_checkpoints",
            "bit_parallel/keep_nothing",
            "bit_parallel/keep_tiles",
            "bit_parallel/match_planes",
            "bit_parallel/match_table",
            "bit_parallel/span_each",
            "bit_parallel/span_whole",
            "bit_parallel/strip_sweep",
            "common/gather",
            "common/hand_over_subgroup",
            "common/hand_over_workgroup",
            "common/stamp",
            "diagonal_transition/indel",
            "diagonal_transition/levenshtein",
            "diagonal_transition/wavefronts",
            "edit_distance/limbs",
            "edit_distance/tiled",
            "lcs/conditional_sum",
            "lcs/limbs",
            "lcs/pair_subgroup",
            "lcs/pair_workgroup",
            "neighbors/control",
            "neighbors/directory",
            "neighbors/distance",
            "neighbors/index",
            "neighbors/index_keys",
            "neighbors/join",
            "neighbors/keys",
            "neighbors/mark",
            "neighbors/strings",
            "pairs/bands",
            "pairs/columns",
            "pairs/entries",
            "pairs/hamming",
            "pairs/jaro",
            "pairs/keep_nothing",
            "pairs/keep_windows",
            "pairs/lanes",
            "pairs/masks",
            "pairs/osa",
            "pairs/planes",
            "pairs/store_kept",
            "pairs/store_values",
            "pairs/strings",
            "pairs/strips",
            "pairs/traceback",
            "parenthesization/adaptive",
            "parenthesization/by_ends",
            "parenthesization/by_length",
            "parenthesization/goal",
            "parenthesization/narrow_product",
            "parenthesization/no_enclosure",
            "parenthesization/nussinov",
            "parenthesization/operators",
            "parenthesization/perimeter",
            "parenthesization/range",
            "parenthesization/search_tree",
            "parenthesization/split_tree",
            "parenthesization/thread_per_subproblem",
            "parenthesization/tiled_diagonal",
            "parenthesization/tiled_wavefront",
            "parenthesization/tiles",
            "parenthesization/tiles_many",
            "parenthesization/tiles_one",
            "parenthesization/value_f32",
            "parenthesization/value_f64",
            "parenthesization/value_limbs",
            "parenthesization/value_u32",
            "parenthesization/value_u64",
            "parenthesization/value_whole",
            "parenthesization/wide_product",
            "search/ends",
            "sort/copy",
            "sort/downsweep",
            "sort/key_u32",
            "sort/key_u64",
            "sort/payload_none",
            "sort/payload_u32",
            "sort/range",
            "sort/rank_subgroup",
            "sort/rank_workgroup",
            "sort/scan",
            "sort/sum_subgroup",
            "sort/sum_workgroup",
            "sort/upsweep",
            "substring/clear",
            "substring/codes",
            "substring/compare_pairs",
            "substring/control",
            "substring/count_level",
            "substring/groups",
            "substring/hash_windows",
            "substring/hashed_windows",
            "substring/list",
            "substring/list_groups",
            "substring/mix",
            "substring/modular",
            "substring/neighbours",
            "substring/packed_windows",
            "substring/prefix_blocks",
            "substring/prefix_spread",
            "substring/prefix_stretches",
            "substring/settle",
            "substring/visit",
            "supersequence/midpoints",
            "supersequence/row_origins",
            "supersequence/row_values",
            "supersequence/row_wise",
        )
    };
    ($extension:literal: $($stem:literal,)*) => {
        &[$(($stem, include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/shaders/", $stem, $extension)))),*]
    };
}

pub(super) use kernel_sources;

/// Source of a kernel or part by stem.
pub(super) fn part(sources: &[(&str, &'static str)], stem: &str) -> Option<&'static str> {
    sources
        .iter()
        .find(|(name, _)| *name == stem)
        .map(|(_, source)| *source)
}

/// Alias of the vector type whose length is this constant, if any: kernel sources cannot derive a
/// vector type from a constant.
pub(super) fn alias(constant: &str) -> Option<&'static str> {
    match constant {
        "LIMB_WIDTH" => Some("LimbVector"),
        "CODE_WIDTH" => Some("CodeVector"),
        "TILE_WIDTH" => Some("TileVector"),
        _ => None,
    }
}
