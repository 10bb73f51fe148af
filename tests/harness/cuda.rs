//! One wrong operator in a CUDA text of every family of kernels: the damage of the other files to WGSL, once more where the device of the
//! tests is CUDA's, and always on one that is emulated.
#![cfg(feature = "cuda")]

use swath::parenthesization::Method as TreeMethod;
use swath::unstable::kernels::Passes;

use super::support::cuda_texts::{Edit, damage};
use super::*;

/// Whether the device of the tests reads CUDA texts.
fn is_here() -> bool {
    support::is_cuda()
}

/// Strips of one subgroup, which follow each other in a launch of many passes.
fn chained(matching: Matching) -> Case {
    Case::of(matching, (HandOver::Subgroup, 32), u64::MAX)
}

#[test]
fn undamaged_strips_of_a_chain_give_the_answer_of_the_reference() {
    let Some(gpu) = lend().filter(|_| is_here()) else { return };
    for mut case in [Matching::Planes, Matching::Table].map(chained) {
        assert!(case.plan().kernels[0].passes == Passes::Chained);
        let expected = case.expected.clone();
        assert!(case.run(&*gpu, |_| ()).expect("it runs") == expected);
    }
}

#[test]
fn one_wrong_operator_in_a_strip_sweep_is_noticed() {
    let edits: [Edit; 11] = [
        ("lcs/limbs", "logic<0xf6>(s, v[limb], matches[limb])", "logic<0xf0>(s, v[limb], matches[limb])"),
        ("lcs/limbs", "add_passing(v[limb], matches[limb])", "add_leaving(v[limb], matches[limb])"),
        ("lcs/limbs", "entering[0u] = add_leaving(entering[0u], entering[0u])", "entering[0u] += entering[0u]"),
        ("lcs/limbs", "leaving[0u] = add_entering(leaving[0u], leaving[0u])", "leaving[0u] += leaving[0u]"),
        ("bit_parallel/match_planes", "rest &= ~(", "rest &= ("),
        ("bit_parallel/strip_sweep", "lane == 0u ? above : given[h]", "lane == 0u ? 0u : given[h]"),
        ("bit_parallel/strip_sweep", "carries[h] << (32u - COLUMNS)", "carries[h] << (31u - COLUMNS)"),
        ("bit_parallel/from_pass", "__brev(word), replay.strip + 1u", "0u, replay.strip + 1u"),
        ("bit_parallel/from_pass", "reversed(next[h], COLUMNS)", "reversed(next[h], COLUMNS - 1u)"),
        ("bit_parallel/from_pass", "subgroupShuffleDown(word, 1u)", "subgroupShuffleDown(word, 2u)"),
        ("common/hand_over_subgroup", "subgroupShuffleUp(word, 1u)", "subgroupShuffleUp(word, 2u)"),
    ];
    for edit in edits {
        if !is_here() {
            return;
        }
        assert_case_noticed(chained(Matching::Planes), |plan| damage(plan, &[edit]));
    }
    assert_noticed(Matching::Table, |plan| {
        damage(plan, &[("common/hand_over_workgroup", "max(lane, 1u) - 1u", "max(lane, 1u)")])
    });
    assert_noticed(Matching::Table, |plan| {
        damage(plan, &[("bit_parallel/match_table", "byte_of(codes, k)", "byte_of(codes, k % 2u)")])
    });
}

#[test]
fn one_wrong_operator_in_strips_of_edit_distances_is_noticed() {
    let Some(gpu) = lend().filter(|_| is_here()) else { return };
    let right = tables::distance_by_strips(&gpu, |_| ());
    let damages: [(&str, &str); 7] = [
        ("entering[1u] = add_leaving(entering[1u], entering[1u])", "entering[1u] += entering[1u]"),
        ("leaving[1u] = add_entering(leaving[1u], leaving[1u])", "leaving[1u] += leaving[1u]"),
        ("add_passing(masks[limb] & v[limb], v[limb])", "(masks[limb] & v[limb]) + v[limb]"),
        ("sums[limb] ^ t ^ vp;", "sums[limb] ^ t;"),
        ("logic<0xfe>(masks[limb], vn, hn_above)", "logic<0xfc>(masks[limb], vn, hn_above)"),
        ("add_passing(hp_here, hp_here)", "hp_here + hp_here"),
        ("v[LIMBS + limb] = hp_above & d0;", "v[LIMBS + limb] = hp_here & d0;"),
    ];
    for (part, wrong) in damages {
        let found = tables::distance_by_strips(&gpu, move |plan| damage(plan, &[("edit_distance/limbs", part, wrong)]));
        assert_ne!(found, right, "{wrong}");
    }
}

#[test]
fn one_wrong_operator_in_a_kernel_of_a_tree_is_noticed() {
    use TreeMethod::{Adaptive, ThreadPerSubproblem, Tiled};
    if !is_here() {
        return;
    }
    let edits: [(TreeMethod, &str, &str, &str); 13] = [
        (Tiled, "tiled_wavefront", "if (distance < 2u * reach) {", "if (distance < reach) {"),
        (Tiled, "tiled_wavefront", "half < 2u; half++", "half < 1u; half++"),
        (Tiled, "tiled_wavefront", "k = first_row + BLOCK; k < TILE", "k = first_row + BLOCK + 1u; k < TILE"),
        (Tiled, "tiled_wavefront", "k < first_column; k++", "k + 1u < first_column; k++"),
        (
            Tiled,
            "tiled_wavefront",
            "wg_cells[cell % TILE * STRIDE + cell / TILE]",
            "wg_cells[cell / TILE * STRIDE + cell % TILE]",
        ),
        (Tiled, "tiled_diagonal", "k < column; k++", "k < column - 1u; k++"),
        (Tiled, "split_tree", "own.place, own.order == order", "own.place, own.order >= order"),
        (Tiled, "split_tree", "[params.splits + 2u * k] = i;", "[params.splits + 2u * k] = k;"),
        (Tiled, "narrow_product", "product(outer, inner)", "product(outer, outer)"),
        (Adaptive, "adaptive", "subthread + half < count", "subthread + half < count - 1u"),
        (Adaptive, "by_ends", "by_end(at)[place_by_end(i, j)] = best", "by_end(at)[place_by_end(i, j)] = best + best"),
        (ThreadPerSubproblem, "thread_per_subproblem", "k < j; k++", "k < j - 1u; k++"),
        (ThreadPerSubproblem, "by_length", "[place_of(params, i, j)] = best", "[place_of(params, i, j)] = best + best"),
    ];
    for (method, name, right, wrong) in edits {
        let stem = &*String::leak(format!("parenthesization/{name}"));
        parenthesization::assert_table_noticed(method, |plan| damage(plan, &[(stem, right, wrong)]));
    }
}

#[test]
fn one_wrong_operator_in_a_kernel_of_a_sort_is_noticed() {
    if !is_here() {
        return;
    }
    let edits: [(bool, Edit); 6] = [
        (
            true,
            ("sort/rank_workgroup", "return earlier + lower;", "return earlier + countOneBits(peers) - 1u - lower;"),
        ),
        (true, ("sort/scan", "carry + sum_before(lane, sum);", "carry + sum;")),
        (true, ("sort/payload_u32", "sorted_payload(at)[place] = value;", "sorted_payload(at)[place] = place;")),
        (true, ("sort/range", "min(end * TILE, keys)", "min(end * TILE, keys / TILE * TILE)")),
        (false, ("sort/rank_subgroup", "subgroupShuffle(earlier, last) + lower", "subgroupShuffle(earlier, last)")),
        (false, ("sort/upsweep", "run += 1u;", "run += 2u;")),
    ];
    for (portable, edit) in edits {
        let Some([found, expected]) = sort::sorted_after(portable, |plan| damage(plan, &[edit])) else { return };
        assert!(found != expected, "{edit:?} went unnoticed");
    }
}

#[test]
fn one_wrong_operator_in_a_kernel_of_a_filter_or_of_sorted_windows_is_noticed() {
    if !is_here() {
        return;
    }
    let (packed, hashed, levels) = (substring::CASES[0], substring::CASES[1], substring::CASES[2]);
    for (case, name, right, wrong) in [
        (packed, "visit", "kept &= ~(1u << place);", "kept &= ~(2u << place);"),
        (packed, "visit", "atomicOr(&marked(at)[mark >> 5u], bit);", "atomicOr(&marked(at)[mark >> 6u], bit);"),
        (packed, "packed_windows", "__funnelshift_r(one, two, shift)", "(one >> shift)"),
        (packed, "mix", "return mixed ^ (mixed >> 16u);", "return mixed >> 31u;"),
        (packed, "list", "params.position + 32u * stretch", "params.position + 31u * stretch"),
        (packed, "settle", "unfallen >= params.texts", "unfallen >= 0u"),
        (hashed, "hashed_windows", "place < params.rest; place++", "place + 1u < params.rest; place++"),
        (hashed, "prefix_stretches", "if (lane >= reach) {", "if (lane > reach) {"),
        (hashed, "prefix_blocks", "before = add(multiply(before, run_worth), of_run);", "before = of_run;"),
        (hashed, "prefix_spread", "32u * lane", "16u * lane"),
        (levels, "count_level", "counted &= below(at)[word];", "counted |= below(at)[word];"),
    ] {
        let stem = &*String::leak(format!("substring/{name}"));
        substring::assert_noticed(case, |plan| damage(plan, &[(stem, right, wrong)]));
    }
    let (short, long) = (substring::GROUPED[0], substring::GROUPED[1]);
    for (length, name, right, wrong) in [
        (short, "hash_windows", "= params.position + before + i;", "= params.position + i;"),
        (short, "neighbours", "text_one != text_other", "text_one == text_other"),
        (short, "neighbours", "code_at(at, other + last)", "code_at(at, other)"),
        (short, "list_groups", "(place & 31u)) & 1u) == 1u", "(place & 31u)) & 1u) == 0u"),
        (long, "compare_pairs", "place_of(pair.y)", "place_of(pair.y + 1u)"),
    ] {
        let stem = &*String::leak(format!("substring/{name}"));
        substring::assert_group_noticed(length, |plan| damage(plan, &[(stem, right, wrong)]));
    }
}

#[test]
fn one_wrong_operator_in_a_kernel_of_whole_tables_or_of_wavefronts_is_noticed() {
    let Some(gpu) = lend().filter(|_| is_here()) else { return };
    let right = tables::table_answers(&gpu, |_| ());
    let damages: [fn(&mut Plan); 2] = [
        |plan| {
            damage(
                plan,
                &[
                    ("anti_diagonal/sweep", "params.diagonal - row - 1u", "0u"),
                    ("edit_distance/tiled", "code == wg_codes[column]", "code == wg_codes[0]"),
                    ("supersequence/row_wise", "wg_before[half + places[r]]", "wg_before[half]"),
                ],
            )
        },
        |plan| {
            damage(
                plan,
                &[
                    ("anti_diagonal/edit_distance", "min(above, left)", "max(above, left)"),
                    ("edit_distance/tiled", "min(over, value)", "max(over, value)"),
                    ("supersequence/row_values", "min(across, above + 1u)", "max(across, above + 1u)"),
                ],
            )
        },
    ];
    for damage in damages {
        let found = tables::table_answers(&gpu, damage);
        assert!((0..3).all(|method| found[method] != right[method]), "{found:?} and {right:?}");
    }
    let pair = (20, 500);
    let right = tables::distance_by_wavefronts(&gpu, pair, |_| ());
    let damages: [fn(&mut Plan); 3] = [
        |plan| damage(plan, &[("diagonal_transition/wavefronts", "(row + equal + 1u)", "(row + min(equal, 1u) + 1u)")]),
        |plan| damage(plan, &[("diagonal_transition/levenshtein", "reach[-1]) + 1", "reach[-2]) + 1")]),
        |plan| damage(plan, &[("diagonal_transition/levenshtein", " + 1, reach[0])", " + 1, -(1 << 30))")]),
    ];
    for damage in damages {
        assert_ne!(tables::distance_by_wavefronts(&gpu, pair, damage), right);
    }
}

#[test]
fn all_of_this_holds_on_an_emulated_device() {
    support::emulator::run_again(
        &["cuda::", "leaves_out_a_pass", "an_undamaged", "a_dropped_pass", "passes_in_the_wrong_order"],
        &[],
    );
}
