//! One wrong operator in the source of a kernel changes the answer of a call that runs it.

use support::damage::{damage_where_used, edits};
use support::tier::is_full;
use support::{is_cuda, lock_gpu};
use swath::edit_distance::Method::{AntiDiagonal, BitParallel, Tiled};
use swath::pairs::Measure;
use swath::parenthesization::{Arithmetic, Method as TreeMethod, Precision};
use swath::supersequence::Method as ScsMethod;
use swath::unstable::kernels::bit_parallel::{CarryExchange, Matching};

use super::calls::{self, Call};
use super::{assert_noticed, undamaged};

/// A call, and edits of the WGSL and of the CUDA that it runs, as [`edits`] reads them. CUDA devices
/// run only the second. No edit makes a workgroup wait forever or leave its buffers on CUDA, which
/// checks none.
type Row = (Call, &'static str, &'static str);

/// Requires that the answer of each call changes with each edit. In the first tier a CUDA device
/// takes one call.
#[track_caller]
fn assert_edits_noticed(rows: &[Row]) {
    let Some(gpu) = lock_gpu() else { return };
    let rows = rows
        .iter()
        .map(|&(call, wgsl, cuda)| (call, if is_cuda() { cuda } else { wgsl }))
        .filter(|(_, table)| !table.is_empty());
    let taken = if is_cuda() && !is_full() {
        1
    } else {
        usize::MAX
    };
    for (call, table) in rows.take(taken) {
        let expected = undamaged(&gpu, call);
        for edit in edits(table) {
            let change = move |plan: &mut _| damage_where_used(plan, &[edit]);
            assert_noticed(&gpu, (call, &expected), &format!("{edit:?}"), change);
        }
    }
}

#[test]
fn one_wrong_operator_in_a_strip_sweep_is_noticed() {
    assert_edits_noticed(&[
        // Strips of a subgroup, chained in a launch of many passes.
        (
            |engine| calls::strips(engine, Matching::Planes, (CarryExchange::Subgroup, 32)),
            "",
            "
lcs/limbs: logic<0xf6>(s, v[limb], matches[limb]) => logic<0xf0>(s, v[limb], matches[limb])
lcs/limbs: add_passing(v[limb], matches[limb]) => add_leaving(v[limb], matches[limb])
lcs/limbs: entering[0u] = add_leaving(entering[0u], entering[0u]) => entering[0u] += entering[0u]
lcs/limbs: leaving[0u] = add_entering(leaving[0u], leaving[0u]) => leaving[0u] += leaving[0u]
bit_parallel/match_planes: rest &= ~( => rest &= (
bit_parallel/strip_sweep: lane == 0u ? above : given[h] => lane == 0u ? 0u : given[h]
bit_parallel/strip_sweep: carries[h] << (32u - COLUMNS) => carries[h] << (31u - COLUMNS)
bit_parallel/from_pass: __brev(word), replay.strip + 1u => 0u, replay.strip + 1u
bit_parallel/from_pass: reversed(next[h], COLUMNS) => reversed(next[h], COLUMNS - 1u)
bit_parallel/from_pass: subgroupShuffleDown(word, 1u) => subgroupShuffleDown(word, 2u)
common/hand_over_subgroup: subgroupShuffleUp(word, 1u) => subgroupShuffleUp(word, 2u)
",
        ),
        (
            calls::planes,
            "
lcs/limbs: s | ((*v)[limb] & w) => s & ((*v)[limb] & w)
lcs/limbs: (*v)[limb] - w + none => (*v)[limb] + w + none
bit_parallel/from_pass: strip * params.lag => strip + params.lag
bit_parallel/strip_sweep: max(replay.begin, i32(words.x)) => max(replay.begin, i32(words.x) + 1)
lcs/limbs: & 128u; => & 64u;
bit_parallel/match_planes: rest &= ~( => rest &= (
common/hand_over_workgroup: max(lane, 1u) - 1u => max(lane, 1u)
",
            "",
        ),
        (
            calls::table,
            "",
            "
common/hand_over_workgroup: max(lane, 1u) - 1u => max(lane, 1u)
bit_parallel/match_table: byte_of(codes, k) => byte_of(codes, k % 2u)
bit_parallel/span_whole: {0u, params.words} => {0u, params.words - 1u}
",
        ),
        (
            |engine| calls::band(engine, false),
            "",
            "bit_parallel/span_each: direction * params.strips + strip] => direction * params.strips]",
        ),
        (
            calls::subsequence,
            "",
            "
bit_parallel/keep_checkpoints: = word; => = ~word;
bit_parallel/keep_tiles: = v[vector * TILE_WIDTH + i]; => = ~v[vector * TILE_WIDTH + i];
bit_parallel/from_checkpoint: return stored(at)[replay.record + i => return ~stored(at)[replay.record + i
",
        ),
        (
            |engine| calls::distance(engine, BitParallel, 2500, 900),
            "
edit_distance/limbs: mask | vn | hn_above => mask | vn
edit_distance/limbs: vn | ~(d0 | vp) => ~(d0 | vp)
edit_distance/limbs: t + vp + hn => t + vp
edit_distance/limbs: hp_here + hp_here + hp => hp_here + hp_here
edit_distance/limbs: hn_above | ~(d0 | hp_above) => hn_above | ~d0
edit_distance/limbs: hp_above & d0; => hp_here & d0;
edit_distance/limbs: block, 7u, carries) << vec2(7u) => block, 7u, carries) << vec2(6u)
",
            "
edit_distance/limbs: entering[1u] = add_leaving(entering[1u], entering[1u]) => entering[1u] += entering[1u]
edit_distance/limbs: leaving[1u] = add_entering(leaving[1u], leaving[1u]) => leaving[1u] += leaving[1u]
edit_distance/limbs: add_passing(masks[limb] & v[limb], v[limb]) => (masks[limb] & v[limb]) + v[limb]
edit_distance/limbs: sums[limb] ^ t ^ vp; => sums[limb] ^ t;
edit_distance/limbs: logic<0xfe>(masks[limb], vn, hn_above) => logic<0xfc>(masks[limb], vn, hn_above)
edit_distance/limbs: add_passing(hp_here, hp_here) => hp_here + hp_here
edit_distance/limbs: v[LIMBS + limb] = hp_above & d0; => v[LIMBS + limb] = hp_here & d0;
",
        ),
    ]);
}

#[test]
fn one_wrong_operator_in_wavefronts_is_noticed() {
    assert_edits_noticed(&[
        (
            calls::wavefronts,
            "
diagonal_transition/wavefronts: row += equal; => row += min(equal, 1u);
diagonal_transition/wavefronts: slide < waiting => slide < 0u * waiting
diagonal_transition/levenshtein: wg_reach[place - 1u]) => UNREACHED)
diagonal_transition/levenshtein: , wg_reach[place]) => , UNREACHED)
diagonal_transition/levenshtein: max(wg_reach[place - 2u] => max(UNREACHED
",
            "
diagonal_transition/wavefronts: (row + equal + 1u) => (row + min(equal, 1u) + 1u)
diagonal_transition/levenshtein: reach[-1]) + 1 => reach[-2]) + 1
diagonal_transition/levenshtein: + 1, reach[0]) => + 1, -(1 << 30))
",
        ),
        (
            calls::indel_wavefronts,
            "",
            "diagonal_transition/indel: max(reach[-1] + 1, reach[0]) => max(reach[-1] + 1, -(1 << 30))",
        ),
    ]);
}

#[test]
fn one_wrong_operator_in_a_whole_table_is_noticed() {
    assert_edits_noticed(&[
        (
            |engine| calls::distance(engine, Tiled, 300, 280),
            "
edit_distance/tiled: wg_codes[column] => wg_codes[0]
edit_distance/tiled: corner = over; => corner = value;
edit_distance/tiled: min(over, value) => max(over, value)
",
            "
edit_distance/tiled: code == wg_codes[column] => code == wg_codes[0]
edit_distance/tiled: min(over, value) => max(over, value)
",
        ),
        (
            |engine| calls::distance(engine, AntiDiagonal, 300, 280),
            "
anti_diagonal/sweep: params.diagonal - row - 1u => 0u
anti_diagonal/sweep: before_2 + row - 1u => before_2 + row
anti_diagonal/edit_distance: min(above, left) => max(above, left)
",
            "",
        ),
        (
            |engine| calls::supersequence(engine, ScsMethod::RowWise, false),
            "
supersequence/row_wise: half + places[k]] => half]
supersequence/row_wise: half + places[k]] => half + places[k] + 1u]
supersequence/row_values: min(across, above + 1u) => max(across, above + 1u)
",
            "
supersequence/row_wise: wg_before[half + places[k]] => wg_before[half]
supersequence/row_values: min(across, above + 1u) => max(across, above + 1u)
",
        ),
        (
            |engine| calls::supersequence(engine, ScsMethod::RowWise, true),
            "
supersequence/row_origins: above.y) => across.y)
supersequence/row_origins: 1u + column); => entry.y);
supersequence/row_origins: (segment - 1u) * => segment *
",
            "supersequence/row_origins: Entry(above.x + 1u, above.y) => Entry(above.x + 1u, across.y)",
        ),
        (
            |engine| calls::supersequence(engine, ScsMethod::AntiDiagonal, true),
            "
anti_diagonal/origins: !up && equal => up && equal
anti_diagonal/origins: params.behind > back => params.behind > 0u
anti_diagonal/origins: params.stored + 2u => params.stored + 1u
",
            "",
        ),
    ]);
}

#[test]
fn one_wrong_operator_in_a_sort_is_noticed() {
    assert_edits_noticed(&[
        (
            |engine| calls::sorted(engine, true),
            "
sort/rank_workgroup: return earlier + lower; => return earlier + countOneBits(peers) - 1u - lower;
sort/scan: var before = carry + sum_before(lane, sum); => var before = carry + sum;
sort/payload_u32: sorted_payload[at] = value; => sorted_payload[at] = at;
sort/range: min(end * TILE, keys) => min(end * TILE, keys / TILE * TILE)
",
            "
sort/rank_workgroup: return earlier + lower; => return earlier + countOneBits(peers) - 1u - lower;
sort/payload_u32: sorted_payload[at] = value; => sorted_payload[at] = at;
sort/range: min(end * TILE, keys) => min(end * TILE, keys / TILE * TILE)
sort/key_u32: (key >> shift) & mask => (key >> shift) & (mask >> 1u)
sort/sum_workgroup: sum += wg_sums[half + lane - reach]; => sum += 0u;
",
        ),
        (
            |engine| calls::sorted(engine, false),
            "sort/rank_subgroup: subgroupShuffle(earlier, first) + lower => subgroupShuffle(earlier, first)",
            "sort/downsweep: total += places[i]; => total += 0u;",
        ),
        (
            calls::onesweep,
            "",
            "
sort/onesweep: params.begins_at + lane] + before - begin => params.begins_at + lane] - begin
sort/onesweep: wg_counts[other * RADIX + lane] = before; => wg_counts[other * RADIX + lane] = begin;
sort/onesweep: (before + total) | OF_ALL => before | OF_ALL
sort/onesweep: sum += words[i] & SUM; => sum += 0u * words[i];
sort/onesweep_histogram: place], wg_counts[place]) => place], wg_counts[place] / 2u)
sort/onesweep_scan: sum_before(lane(), histogram(at)[place]) => sum_before(lane(), 0u)
sort/rank_subgroup: subgroupShuffle(earlier, last) + lower => subgroupShuffle(earlier, last)
sort/sum_subgroup: sum += wg_sums[subgroup]; => sum += 0u;
",
        ),
        (
            calls::wide_keys,
            "",
            "sort/key_u64: shift >= 32u) => shift > 32u)",
        ),
    ]);
}

#[test]
fn one_wrong_operator_in_a_table_of_trees_is_noticed() {
    assert_edits_noticed(&[
        (
            |engine| calls::chain(engine, TreeMethod::Tiled),
            "
parenthesization/tiled_wavefront: if distance < 2u * reach { => if distance < reach {
parenthesization/tiled_wavefront: if r < k { => if r + 1u < k {
parenthesization/tiled_wavefront: if c > k { => if c > k + 1u {
parenthesization/tiled_wavefront: half < 2u; half++ => half < 1u; half++
parenthesization/tiled_diagonal: k < column; k++ => k < column - 1u; k++
parenthesization/split_tree: other < place => other > place
parenthesization/split_tree: select(vec2<u32>(i, k), vec2<u32>(k, j), left => select(vec2<u32>(k, j), vec2<u32>(i, k), left
parenthesization/narrow_product: product(outer, inner) => product(outer, outer)
",
            "
parenthesization/tiled_wavefront: if (distance < 2u * reach) { => if (distance < reach) {
parenthesization/tiled_wavefront: half < 2u; half++ => half < 1u; half++
parenthesization/tiled_wavefront: k = first_row + BLOCK; k < TILE => k = first_row + BLOCK + 1u; k < TILE
parenthesization/tiled_wavefront: k < first_column; k++ => k + 1u < first_column; k++
parenthesization/tiled_wavefront: wg_cells[cell % TILE * STRIDE + cell / TILE] => wg_cells[cell / TILE * STRIDE + cell % TILE]
parenthesization/tiled_diagonal: k < column; k++ => k < column - 1u; k++
parenthesization/split_tree: own.place, own.order == order => own.place, own.order >= order
parenthesization/split_tree: [params.splits + 2u * k] = i; => [params.splits + 2u * k] = k;
parenthesization/narrow_product: product(outer, inner) => product(outer, outer)
",
        ),
        (
            |engine| calls::chain(engine, TreeMethod::Adaptive),
            "
parenthesization/adaptive: subthread + half < count => subthread + half < count - 1u
parenthesization/by_ends: by_end[place_by_end(i, j)] = best => by_end[place_by_end(i, j)] = best + best
",
            "",
        ),
        (
            |engine| calls::chain(engine, TreeMethod::ThreadPerSubproblem),
            "
parenthesization/thread_per_subproblem: k < j; k++ => k < j - 1u; k++
parenthesization/by_length: (longer - 1u) / 2u => (longer - 1u) / 4u
",
            "
parenthesization/thread_per_subproblem: k < j; k++ => k < j - 1u; k++
parenthesization/range: j == i + 1u => j == i + 2u
parenthesization/by_length: [place_of(i, j)] = best => [place_of(i, j)] = best + best
",
        ),
        (
            |engine| calls::chain_in(engine, Arithmetic::U32),
            "",
            "
parenthesization/value_u32: return a * b; => return a + b;
parenthesization/operators: return a + b; => return a + b + b;
parenthesization/goal: select(a, b, better(b, a)) => select(b, a, better(b, a))
parenthesization/tiles: (i % TILE) * TILE + j % TILE => (j % TILE) * TILE + i % TILE
parenthesization/tiles_one: + place] = cost; => + place] = plus(cost, cost);
",
        ),
        (
            |engine| calls::chain_in(engine, Arithmetic::U64),
            "",
            "parenthesization/value_u64: let sum = a + b; => let sum = a + (b >> 1u);",
        ),
        (
            |engine| calls::chain_in(engine, Arithmetic::F64),
            "",
            "parenthesization/value_whole: fma(a, b, cost) => fma(a, a, cost)",
        ),
        (
            |engine| calls::chain_in(engine, Arithmetic::Limbs),
            "",
            "parenthesization/value_limbs: vec2<u32>((lower << 16u) | => vec2<u32>((lower << 15u) |",
        ),
        (
            calls::fold,
            "",
            "parenthesization/nussinov: sum == 3u || sum == 5u => sum == 3u",
        ),
        (
            calls::search_tree,
            "",
            "parenthesization/search_tree: inputs[3u * i]) => value(0u))",
        ),
        (
            calls::wide_products,
            "",
            "parenthesization/wide_product: inputs[i], inputs[j]) => inputs[i], inputs[i])",
        ),
        (
            |engine| calls::polygon(engine, Precision::Exact),
            "",
            "parenthesization/value_f64: min(a * b, OVERFLOW) => min(a + b, OVERFLOW)",
        ),
        (
            |engine| calls::polygon(engine, Precision::Single),
            "",
            "parenthesization/split_tree: return bits ^ (bits >> 31u => return ~bits ^ (bits >> 31u",
        ),
        (
            calls::points,
            "",
            "parenthesization/perimeter: side(inner, outer.j) => side(outer.i, inner)",
        ),
    ]);
}

/// As [`assert_edits_noticed`], with edits that WGSL and CUDA have in common.
#[track_caller]
fn assert_common_edits_noticed(rows: &[(Call, &'static str)]) {
    let rows: Vec<_> = rows
        .iter()
        .map(|&(call, edits)| (call, edits, edits))
        .collect();
    assert_edits_noticed(&rows);
}

#[test]
fn one_wrong_operator_in_a_kernel_of_pairs_is_noticed() {
    assert_common_edits_noticed(&[
        (
            |engine| calls::cross(engine, Measure::Edit, None),
            "
pairs/columns: (shrinks); => (0u);
pairs/lanes: first_unit * LANES + lane, LANES => first_unit * LANES, LANES
pairs/store_values: (32u / PACK) => (16u / PACK)
",
        ),
        (
            |engine| calls::cross(engine, Measure::Edit, Some(9)),
            "pairs/store_kept: tile * LANES + lane => tile * LANES",
        ),
        (
            calls::entries,
            "
pairs/planes: rest &= ~( => rest &= (
pairs/entries: bits << row => bits << (row / 2u)
",
        ),
        (
            |engine| calls::cross(engine, Measure::Hamming, None),
            "pairs/hamming: left == 0u => left != 0u",
        ),
        (
            |engine| calls::cross(engine, Measure::Osa, None),
            "pairs/osa: hn_above | exchanged => hn_above",
        ),
        (
            |engine| calls::cross(engine, Measure::Jaro, None),
            "pairs/jaro: (transposed / 2u) => transposed",
        ),
        (
            |engine| calls::cross(engine, Measure::JaroWinkler, None),
            "pairs/jaro: k == prefix => k != prefix",
        ),
        (
            calls::alignments,
            "
pairs/strings: (31u - k) => (30u - k)
pairs/keep_windows: block * LIMBS => (block / 2u) * LIMBS
pairs/traceback: mask | vn | hn_above => mask | hn_above
pairs/traceback: + ((minus >> k) & 1u) =>
pairs/traceback: 2u * run + u32(is_up) => u32(is_up)
",
        ),
    ]);
    assert_edits_noticed(&[(
        |engine| calls::cross(engine, Measure::Edit, None),
        "pairs/masks: return v & wg_masks => return v | wg_masks",
        "pairs/masks: return v & column.masks => return v | column.masks",
    )]);
}

#[test]
fn one_wrong_operator_in_a_kernel_of_neighbors_or_searches_is_noticed() {
    assert_common_edits_noticed(&[
        (
            calls::near_strings,
            "
neighbors/keys: next = place + 1u; => next = place;
neighbors/index_keys: [place] = record; => [place] = record / 2u;
neighbors/directory: [bucket] = entry; => [bucket] = entry / 2u;
neighbors/index: [middle] <= key => [middle] < key
neighbors/mark: 1u << (number & 31u) => 1u << (number & 15u)
neighbors/join: <= 2u * params.within => <= params.within
neighbors/distance: distance -= u32((right_less & last_row) != 0u) => distance -= 0u
neighbors/control: FLAGS = 16u; => FLAGS = 15u;
",
        ),
        (
            calls::ends,
            "
search/ends: min(first + params.chunk_units => min(first + params.margin_units
search/ends: - params.margin_units; => - 0u;
search/ends: ~0u << min( => ~1u << min(
search/ends: two[0] << 8u => two[0] << 7u
search/ends: distance <= params.within => distance < params.within
search/ends: + k + 1u => + k
search/ends: pattern) << DISTANCE_BITS => 0u) << DISTANCE_BITS
search/ends: min(distance, countOneBits(shrinks)) => min(distance, 0u)
",
        ),
    ]);
    // Reads far outside, which nothing stops on CUDA.
    assert_edits_noticed(&[(
        calls::near_strings,
        "neighbors/strings: STRING_WORDS + 2u] <= slot => STRING_WORDS + 2u] < slot",
        "",
    )]);
}
