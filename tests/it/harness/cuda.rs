//! One wrong operator in a CUDA source of every kernel family, like the WGSL damage of the other
//! files; runs if the test device is CUDA or emulated CUDA. No edit makes a workgroup wait forever
//! or leave its buffers.
#![cfg(feature = "cuda")]

use swath::parenthesization::Method as TreeMethod;
use swath::parenthesization::Method::{ThreadPerSubproblem, Tiled};
use swath::unstable::kernels::Launch;

use super::strip_sweep::{Case, assert_case_noticed, assert_noticed};
use super::*;
use support::cuda_texts::{Edit, damage, damage_where_used};
use support::tier::first_or_all;

/// Strips with carries through subgroups.
const STRIPS: [Edit; 11] = [
    (
        "lcs/limbs",
        "logic<0xf6>(s, v[limb], matches[limb])",
        "logic<0xf0>(s, v[limb], matches[limb])",
    ),
    (
        "lcs/limbs",
        "add_passing(v[limb], matches[limb])",
        "add_leaving(v[limb], matches[limb])",
    ),
    (
        "lcs/limbs",
        "entering[0u] = add_leaving(entering[0u], entering[0u])",
        "entering[0u] += entering[0u]",
    ),
    (
        "lcs/limbs",
        "leaving[0u] = add_entering(leaving[0u], leaving[0u])",
        "leaving[0u] += leaving[0u]",
    ),
    ("bit_parallel/match_planes", "rest &= ~(", "rest &= ("),
    (
        "bit_parallel/strip_sweep",
        "lane == 0u ? above : given[h]",
        "lane == 0u ? 0u : given[h]",
    ),
    (
        "bit_parallel/strip_sweep",
        "carries[h] << (32u - COLUMNS)",
        "carries[h] << (31u - COLUMNS)",
    ),
    (
        "bit_parallel/from_pass",
        "__brev(word), replay.strip + 1u",
        "0u, replay.strip + 1u",
    ),
    (
        "bit_parallel/from_pass",
        "reversed(next[h], COLUMNS)",
        "reversed(next[h], COLUMNS - 1u)",
    ),
    (
        "bit_parallel/from_pass",
        "subgroupShuffleDown(word, 1u)",
        "subgroupShuffleDown(word, 2u)",
    ),
    (
        "common/hand_over_subgroup",
        "subgroupShuffleUp(word, 1u)",
        "subgroupShuffleUp(word, 2u)",
    ),
];

/// Strips with carries through workgroup memory, whose passes are separate launches.
const WORKGROUP_STRIPS: [Edit; 3] = [
    (
        "common/hand_over_workgroup",
        "max(lane, 1u) - 1u",
        "max(lane, 1u)",
    ),
    (
        "bit_parallel/match_table",
        "byte_of(codes, k)",
        "byte_of(codes, k % 2u)",
    ),
    (
        "bit_parallel/span_whole",
        "{0u, params.words}",
        "{0u, params.words - 1u}",
    ),
];

/// Strips of a band.
const BANDS: [Edit; 1] = [(
    "bit_parallel/span_each",
    "direction * params.strips + strip]",
    "direction * params.strips]",
)];

/// The recurrence of edit distances.
const DISTANCES: [Edit; 7] = [
    (
        "edit_distance/limbs",
        "entering[1u] = add_leaving(entering[1u], entering[1u])",
        "entering[1u] += entering[1u]",
    ),
    (
        "edit_distance/limbs",
        "leaving[1u] = add_entering(leaving[1u], leaving[1u])",
        "leaving[1u] += leaving[1u]",
    ),
    (
        "edit_distance/limbs",
        "add_passing(masks[limb] & v[limb], v[limb])",
        "(masks[limb] & v[limb]) + v[limb]",
    ),
    (
        "edit_distance/limbs",
        "sums[limb] ^ t ^ vp;",
        "sums[limb] ^ t;",
    ),
    (
        "edit_distance/limbs",
        "logic<0xfe>(masks[limb], vn, hn_above)",
        "logic<0xfc>(masks[limb], vn, hn_above)",
    ),
    (
        "edit_distance/limbs",
        "add_passing(hp_here, hp_here)",
        "hp_here + hp_here",
    ),
    (
        "edit_distance/limbs",
        "v[LIMBS + limb] = hp_above & d0;",
        "v[LIMBS + limb] = hp_here & d0;",
    ),
];

/// Integer tables and their trees, by method.
const TREES: [(TreeMethod, Edit); 12] = [
    (
        Tiled,
        (
            "parenthesization/tiled_wavefront",
            "if (distance < 2u * reach) {",
            "if (distance < reach) {",
        ),
    ),
    (
        Tiled,
        (
            "parenthesization/tiled_wavefront",
            "half < 2u; half++",
            "half < 1u; half++",
        ),
    ),
    (
        Tiled,
        (
            "parenthesization/tiled_wavefront",
            "k = first_row + BLOCK; k < TILE",
            "k = first_row + BLOCK + 1u; k < TILE",
        ),
    ),
    (
        Tiled,
        (
            "parenthesization/tiled_wavefront",
            "k < first_column; k++",
            "k + 1u < first_column; k++",
        ),
    ),
    (
        Tiled,
        (
            "parenthesization/tiled_wavefront",
            "wg_cells[cell % TILE * STRIDE + cell / TILE]",
            "wg_cells[cell / TILE * STRIDE + cell % TILE]",
        ),
    ),
    (
        Tiled,
        (
            "parenthesization/tiled_diagonal",
            "k < column; k++",
            "k < column - 1u; k++",
        ),
    ),
    (
        Tiled,
        (
            "parenthesization/split_tree",
            "own.place, own.order == order",
            "own.place, own.order >= order",
        ),
    ),
    (
        Tiled,
        (
            "parenthesization/split_tree",
            "[params.splits + 2u * k] = i;",
            "[params.splits + 2u * k] = k;",
        ),
    ),
    (
        Tiled,
        (
            "parenthesization/narrow_product",
            "product(outer, inner)",
            "product(outer, outer)",
        ),
    ),
    (
        ThreadPerSubproblem,
        (
            "parenthesization/thread_per_subproblem",
            "k < j; k++",
            "k < j - 1u; k++",
        ),
    ),
    (
        ThreadPerSubproblem,
        ("parenthesization/range", "j == i + 1u", "j == i + 2u"),
    ),
    (
        ThreadPerSubproblem,
        (
            "parenthesization/by_length",
            "[place_of(params, i, j)] = best",
            "[place_of(params, i, j)] = best + best",
        ),
    ),
];

/// Reduce-then-scan sort, portable or with subgroups.
const SORTS: [(bool, Edit); 8] = [
    (
        true,
        (
            "sort/rank_workgroup",
            "return earlier + lower;",
            "return earlier + countOneBits(peers) - 1u - lower;",
        ),
    ),
    (
        true,
        (
            "sort/payload_u32",
            "sorted_payload(at)[place] = value;",
            "sorted_payload(at)[place] = place;",
        ),
    ),
    (
        true,
        (
            "sort/range",
            "min(end * TILE, keys)",
            "min(end * TILE, keys / TILE * TILE)",
        ),
    ),
    (
        true,
        (
            "sort/key_u32",
            "(key >> shift) & mask",
            "(key >> shift) & (mask >> 1u)",
        ),
    ),
    (
        true,
        (
            "sort/sum_workgroup",
            "sum += wg_sums[half + lane - reach];",
            "sum += 0u;",
        ),
    ),
    (
        false,
        (
            "sort/rank_subgroup",
            "subgroupShuffle(earlier, last) + lower",
            "subgroupShuffle(earlier, last)",
        ),
    ),
    (
        false,
        ("sort/downsweep", "total += places[i];", "total += 0u;"),
    ),
    (
        false,
        (
            "sort/sum_subgroup",
            "sum += wg_sums[subgroup];",
            "sum += 0u;",
        ),
    ),
];

/// Whole tables: each row of edits changes the answers of two methods, tiled and by rows.
const TABLES: [[Edit; 2]; 2] = [
    [
        (
            "edit_distance/tiled",
            "code == wg_codes[column]",
            "code == wg_codes[0]",
        ),
        (
            "supersequence/row_wise",
            "wg_before[half + places[r]]",
            "wg_before[half]",
        ),
    ],
    [
        (
            "edit_distance/tiled",
            "min(over, value)",
            "max(over, value)",
        ),
        (
            "supersequence/row_values",
            "min(across, above + 1u)",
            "max(across, above + 1u)",
        ),
    ],
];

/// Midpoints on stored layers, by rows or by anti-diagonals.
const MIDPOINTS: [(usize, Edit); 1] = [(
    0,
    (
        "supersequence/row_origins",
        "Entry{above.x + 1u, above.y}",
        "Entry{above.x + 1u, across.y}",
    ),
)];

/// Wavefronts of furthest-reaching points.
const WAVEFRONTS: [Edit; 3] = [
    (
        "diagonal_transition/wavefronts",
        "(row + equal + 1u)",
        "(row + min(equal, 1u) + 1u)",
    ),
    (
        "diagonal_transition/levenshtein",
        "reach[-1]) + 1",
        "reach[-2]) + 1",
    ),
    (
        "diagonal_transition/levenshtein",
        " + 1, reach[0])",
        " + 1, -(1 << 30))",
    ),
];

/// True if the test device runs CUDA sources.
pub fn is_here() -> bool {
    support::is_cuda()
}

/// Single-subgroup strips, chained in a launch of many passes.
fn chained(matching: Matching) -> Case {
    Case::of(matching, (CarryExchange::Subgroup, 32), u64::MAX)
}

#[test]
fn undamaged_strips_of_a_chain_give_the_answer_of_the_reference() {
    let Some(gpu) = lock_gpu().filter(|_| is_here()) else {
        return;
    };
    for mut case in [Matching::Planes, Matching::Table].map(chained) {
        assert!(case.plan().kernels[0].launch == Launch::Chained);
        let expected = case.expected.clone();
        assert!(case.run(&*gpu, |_| ()).expect("it runs") == expected);
    }
}

#[test]
fn one_wrong_operator_in_a_strip_sweep_is_noticed() {
    if !is_here() {
        return;
    }
    for edit in first_or_all(&STRIPS) {
        assert_case_noticed(chained(Matching::Planes), |plan| damage(plan, &[edit]));
    }
    for edit in first_or_all(&WORKGROUP_STRIPS) {
        assert_noticed(Matching::Table, |plan| damage(plan, &[edit]));
    }
}

#[test]
fn one_wrong_operator_in_a_band_is_noticed() {
    let Some(gpu) = lock_gpu().filter(|_| is_here()) else {
        return;
    };
    let after = |edits: &[Edit]| {
        let mut case = Case::within(Matching::Planes, 1100);
        if !edits.is_empty() {
            damage(case.plan(), edits);
        }
        case.run(&*gpu, |_| ())
            .expect("damage is no error to the device")
    };
    for edit in first_or_all(&BANDS) {
        assert!(after(&[edit]) != after(&[]), "{edit:?} went unnoticed");
    }
}

#[test]
fn one_wrong_operator_in_strips_of_edit_distances_is_noticed() {
    let Some(gpu) = lock_gpu().filter(|_| is_here()) else {
        return;
    };
    let right = tables::distance_by_strips(&gpu, |_| ());
    for edit in first_or_all(&DISTANCES) {
        let found = tables::distance_by_strips(&gpu, move |plan| damage(plan, &[edit]));
        assert_ne!(found, right, "{edit:?}");
    }
}

#[test]
fn one_wrong_operator_in_a_kernel_of_a_tree_is_noticed() {
    if !is_here() {
        return;
    }
    for (method, edit) in first_or_all(&TREES) {
        parenthesization::assert_table_noticed(method, |plan| damage(plan, &[edit]));
    }
}

#[test]
fn one_wrong_operator_in_a_kernel_of_a_sort_is_noticed() {
    if !is_here() {
        return;
    }
    for (portable, edit) in first_or_all(&SORTS) {
        let Some([found, expected]) = sort::sorted_after(portable, |plan| damage(plan, &[edit]))
        else {
            return;
        };
        assert!(found != expected, "{edit:?} went unnoticed");
    }
}

#[test]
fn one_wrong_operator_in_a_kernel_of_whole_tables_or_of_wavefronts_is_noticed() {
    let Some(gpu) = lock_gpu().filter(|_| is_here()) else {
        return;
    };
    let right = tables::table_answers(&gpu, |_| ());
    for edits in TABLES {
        let found = tables::table_answers(&gpu, move |plan| _ = damage_where_used(plan, &edits));
        assert!(
            (1..3).all(|method| found[method] != right[method]),
            "{found:?} and {right:?}"
        );
    }
    let right = tables::midpoints_of(&gpu, |_| ()).map(|cells| cells.expect("nothing is damaged"));
    for (method, edit) in first_or_all(&MIDPOINTS) {
        let found = tables::midpoints_of(&gpu, move |plan| _ = damage_where_used(plan, &[edit]));
        match &found[method] {
            Ok(found) => assert!(*found != right[method], "{edit:?} went unnoticed"),
            Err(error) => assert!(
                matches!(error, Error::CertificateFailed(_)),
                "{edit:?}: {error}"
            ),
        }
    }
    let pair = (20, 500);
    let right = tables::distance_by_wavefronts(&gpu, pair, |_| ());
    for edit in first_or_all(&WAVEFRONTS) {
        assert_ne!(
            tables::distance_by_wavefronts(&gpu, pair, move |plan| damage(plan, &[edit])),
            right,
            "{edit:?}"
        );
    }
}
