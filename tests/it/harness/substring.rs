//! Damage to plans and kernels of the window filter.

use std::collections::HashMap;
use std::sync::LazyLock;

use swath::unstable::backend::{Backend, Span};
use swath::unstable::papers::sort_and_scan::plan::{self, WindowSortPlan};
use swath::unstable::papers::sort_and_scan::sizes::WindowSortSizes;
use swath::unstable::plan::{Plan, Resident};
use swath::unstable::substring::gpu::FilterPlan;
use swath::unstable::substring::gpu::sizes::FilterSizes;
use swath::unstable::substring::gpu::texts::{TextPacker, concatenated};
use swath::unstable::substring::search::Tuning;
use swath::unstable::substring::search::alphabet::Alphabet;
use swath::unstable::substring::search::filter::Windows;
use swath::unstable::substring::search::hash;
use swath::unstable::substring::{SubstringQuery, gpu};

use super::plans::skip;
use support::damage::{damage, edits};
use support::inputs::Random;
use support::lock_gpu;

/// A text and a position in it.
type Place = (usize, usize);

/// Lengths of packed and of hashed windows.
const PACKED: usize = 20;
const HASHED: usize = 100;

/// Three texts of several blocks, two of which share windows across block ends.
fn texts() -> [Vec<u8>; 3] {
    let mut random = Random::new(21);
    let mut text = |symbols| -> Vec<u8> {
        random
            .symbols(symbols, 4)
            .into_iter()
            .map(|symbol| symbol as u8)
            .collect()
    };
    let (a, b, c) = (text(17_500), text(16_800), text(9_000));
    let shared = [
        &b[..300],
        &a[8_000..8_500],
        &b[300..16_000],
        &a[16_200..17_000],
    ]
    .concat();
    [a, shared, c]
}

/// Windows that occur in enough texts.
fn expected(texts: &[&[u8]], inputs: usize, length: usize) -> Vec<Place> {
    let mut places: HashMap<&[u8], Vec<Place>> = HashMap::new();
    for (text, symbols) in texts.iter().enumerate() {
        for (position, window) in symbols.windows(length).enumerate() {
            places.entry(window).or_default().push((text, position));
        }
    }
    let in_enough =
        |class: &Vec<Place>| class.chunk_by(|one, two| one.0 == two.0).count() >= inputs;
    let mut found: Vec<_> = places.into_values().filter(in_enough).flatten().collect();
    found.sort_unstable();
    found
}

/// Windows listed by a damaged plan.
fn listed(
    inputs: usize,
    texts: usize,
    length: usize,
    damage: impl Fn(&mut Plan) + Sync,
) -> Option<[Vec<Place>; 2]> {
    let gpu = lock_gpu()?;
    let all = self::texts();
    let texts: Vec<&[u8]> = all[..texts].iter().map(|text| &text[..]).collect();
    let query = SubstringQuery {
        texts: &texts,
        inputs,
    };
    let (alphabet, windows) = (
        Alphabet::of(&texts),
        Windows {
            length,
            base: hash::base(1),
        },
    );
    let mut tuning = Tuning::default();
    // Bitmaps so large that hardly any window survives by chance.
    (tuning.bitmap_log2, tuning.partition_log2, tuning.capacity) =
        (Some(22), Some(21), Some(1 << 16));
    let sizes = FilterSizes::new(
        &query,
        &alphabet,
        windows,
        gpu.capabilities(),
        1 << 30,
        &tuning,
    )
    .expect("there is room");
    let make = |_: &Resident| {
        let mut planned = FilterPlan::new(&sizes, &Resident::default());
        damage(&mut planned.plan);
        planned
    };
    let device = support::device(&*gpu);
    let spans = |planned: &FilterPlan| {
        let span = |buffer, words| Span {
            buffer,
            first: 0,
            words,
        };
        vec![
            span(planned.control, sizes.control_words()),
            span(planned.entries, 4 * (1 << 16)),
        ]
    };
    let packer = TextPacker::new(
        texts.iter().map(|&text| vec![(0, text)]).collect(),
        &alphabet,
    );
    let session = device
        .open_session()
        .expect("the device is there")
        .streamed_from(&packer);
    let ran =
        pollster::block_on(session.run(&make, &spans)).expect("damage is no error to the device");
    let (control, entries) = ran.words.split_at(sizes.control_words() as usize);
    let entries = entries.chunks(4).take(control[gpu::LISTED] as usize);
    let mut found: Vec<Place> = entries
        .map(|entry| (entry[0] as usize, entry[1] as usize))
        .collect();
    found.sort_unstable();
    Some([found, expected(&texts, inputs, length)])
}

/// Chains and levels, packed and hashed.
pub const CASES: [(usize, usize, usize); 4] = [
    (2, 2, PACKED),
    (2, 2, HASHED),
    (2, 3, PACKED),
    (2, 3, HASHED),
];

#[test]
fn an_undamaged_filter_lists_the_windows_that_texts_share() {
    for (inputs, texts, length) in CASES {
        let Some([found, expected]) = listed(inputs, texts, length, |_| ()) else {
            return;
        };
        assert!(
            !expected.is_empty() && found == expected,
            "{inputs} of {texts}, {length}: {} {}",
            found.len(),
            expected.len()
        );
    }
}

#[track_caller]
pub fn assert_noticed(
    (inputs, texts, length): (usize, usize, usize),
    damage: impl Fn(&mut Plan) + Sync,
) {
    let Some([found, expected]) = listed(inputs, texts, length, damage) else {
        return;
    };
    assert!(found != expected, "the comparison did not notice");
}

#[test]
fn a_dropped_or_misplaced_pass_of_a_filter_is_noticed() {
    for case in CASES {
        for place in [0, 1] {
            assert_noticed(case, |plan| plan.passes[place].groups = [0; 3]);
        }
        assert_noticed(case, |plan| skip(plan, "substring/list"));
        assert_noticed(case, |plan| plan.passes.reverse());
        assert_noticed(case, |plan| plan.passes[0].groups[0] -= 1);
    }
}

/// Edits by case.
const FILTERS: [&str; 3] = [
    "
substring/visit: kept &= ~(1u << place); => kept &= ~(2u << place);
substring/visit: atomicOr(&marked[mark >> 5u], bit); => atomicOr(&marked[mark >> 6u], bit);
substring/visit: let windows = min(params.windows - before, 32u); => let windows = 31u;
substring/packed_windows: (one >> shift) | ((two << 1u) << (31u - shift)) => (one >> shift) | (two << 1u)
substring/packed_windows: high & lowest(max(params.rest, 32u) - 32u) => high
substring/mix: return mixed ^ (mixed >> 16u); => return mixed >> 31u;
substring/list: params.position + 32u * stretch => params.position + 31u * stretch
substring/settle: unfallen >= params.texts => unfallen >= 0u
",
    "
substring/hashed_windows: append(hash, base, next_symbol(stretch, params.rest + at)) => append(hash, base, 1u)
substring/hashed_windows: place < params.rest; place++ => place + 1u < params.rest; place++
substring/modular: (x1 >> 29u) | (x2 << 3u) => (x1 >> 29u) | (x2 << 2u)
substring/modular: high.y + u32(x2 < above) => high.y
substring/prefix_stretches: if lane >= reach { => if lane > reach {
substring/prefix_blocks: before = add(multiply(before, run_worth), of_run); => before = of_run;
substring/prefix_spread: 32u * lane => 16u * lane
",
    "
substring/count_level: counted &= below[word]; => counted |= below[word];
substring/clear: bitmap[word] = 0u; => bitmap[word] |= 0u;
",
];

#[test]
fn one_wrong_operator_in_a_kernel_of_a_filter_is_noticed() {
    for (case, table) in CASES.into_iter().zip(FILTERS) {
        for edit in edits(table) {
            assert_noticed(case, |plan| damage(plan, &[edit]));
        }
    }
}

/// Windows listed by a damaged sort, and the numbers of neighbour pairs from two texts, of unequal
/// ones, and of those not compared.
fn grouped(
    (length, base): (usize, u64),
    damage: impl Fn(&mut Plan) + Sync,
) -> Option<(Vec<Place>, [u32; 3])> {
    let gpu = lock_gpu()?;
    let all = texts();
    let texts: Vec<&[u8]> = all.iter().map(|text| &text[..]).collect();
    let query = SubstringQuery {
        texts: &texts,
        inputs: 2,
    };
    let (alphabet, windows) = (Alphabet::of(&texts), Windows { length, base });
    let mut tuning = Tuning::default();
    tuning.capacity = Some(1 << 16);
    let sizes = WindowSortSizes::new(
        &query,
        &alphabet,
        windows,
        gpu.capabilities(),
        1 << 30,
        &tuning,
    )
    .expect("there is room");
    let make = |_: &Resident| {
        let mut planned = WindowSortPlan::new(&sizes, 0, &Resident::default());
        damage(&mut planned.plan);
        planned
    };
    let device = support::device(&*gpu);
    let words = plan::control_words(&sizes);
    let spans = |planned: &WindowSortPlan| {
        let span = |buffer, words| Span {
            buffer,
            first: 0,
            words,
        };
        vec![
            span(planned.control, words),
            span(planned.entries, 4 * sizes.capacity),
        ]
    };
    let packer = TextPacker::new(vec![concatenated(&texts)], &alphabet);
    let session = device
        .open_session()
        .expect("the device is there")
        .streamed_from(&packer);
    let ran =
        pollster::block_on(session.run(&make, &spans)).expect("damage is no error to the device");
    let (counts, entries) = ran.words.split_at(words as usize);
    let entries = entries.chunks(4).take(counts[plan::LISTED] as usize);
    let mut groups: HashMap<&[u32], Vec<Place>> = HashMap::new();
    for entry in entries {
        groups
            .entry(&entry[1..3])
            .or_default()
            .push(sizes.place(entry[0].into()));
    }
    // Bitmap collisions list other windows too.
    let are_shared = |places: &Vec<Place>| places.iter().any(|place| place.0 != places[0].0);
    let mut found: Vec<Place> = groups.into_values().filter(are_shared).flatten().collect();
    found.sort_unstable();
    Some((
        found,
        [plan::MIXED, plan::UNEQUAL, plan::UNCOMPARED].map(|place| counts[place]),
    ))
}

/// Result of an undamaged sort.
fn expected_groups(length: usize) -> (Vec<Place>, [u32; 3]) {
    let all = texts();
    let texts: Vec<&[u8]> = all.iter().map(|text| &text[..]).collect();
    let found = expected(&texts, 2, length);
    let mut classes: HashMap<&[u8], Vec<usize>> = HashMap::new();
    for &(text, position) in &found {
        classes
            .entry(&texts[text][position..position + length])
            .or_default()
            .push(text);
    }
    let mixed = classes
        .values()
        .map(|class| class.windows(2).filter(|pair| pair[0] != pair[1]).count() as u32);
    (found, [mixed.sum(), 0, 0])
}

/// Window lengths compared by one lane, and by workgroups.
pub const GROUPED: [usize; 2] = [PACKED, 600];

#[test]
fn an_undamaged_sort_of_windows_lists_those_that_texts_share_and_finds_them_equal() {
    for length in GROUPED {
        let Some(found) = grouped((length, hash::base(1)), |_| ()) else {
            return;
        };
        let expected = expected_groups(length);
        assert!(!expected.0.is_empty());
        assert_eq!(found.1, expected.1, "{length}");
        assert!(
            found.0 == expected.0,
            "{length}: {} {}",
            found.0.len(),
            expected.0.len()
        );
    }
}

#[test]
fn windows_that_share_a_hash_alone_are_found_to_differ() {
    for length in GROUPED {
        // The hash is the last symbol alone.
        let Some((_, [mixed, unequal, _])) = grouped((length, 0), |_| ()) else {
            return;
        };
        assert!(mixed > 0 && unequal > 0, "{length}: {mixed} {unequal}");
    }
}

#[track_caller]
fn assert_group_noticed(length: usize, damage: impl Fn(&mut Plan) + Sync) {
    static EXPECTED: LazyLock<[(Vec<Place>, [u32; 3]); 2]> =
        LazyLock::new(|| GROUPED.map(expected_groups));
    let Some(found) = grouped((length, hash::base(1)), damage) else {
        return;
    };
    let expected = &EXPECTED[usize::from(length != GROUPED[0])];
    assert!(found != *expected, "the comparison did not notice");
}

/// Edits by length.
const SORTS: [&str; 2] = [
    "
substring/hash_windows: positions[place] = params.position + before + i; => positions[place] = params.position + i;
substring/hash_windows: params.place + before - params.into_first => 0u - params.into_first
substring/hash_windows: min(params.windows - before, 32u) => 31u
substring/neighbours: if any(key != other_key) => if all(key != other_key)
substring/neighbours: text_one != text_other => text_one == text_other
substring/neighbours: code_at(one + last) != code_at(other + last) => code_at(one + last) != code_at(other)
substring/neighbours: let from_other = place_of(other); => let from_other = place_of(other + 1u);
substring/neighbours: atomicOr(&marks[place >> 5u], bit); => atomicOr(&marks[place >> 6u], bit);
substring/codes: ((codes[word + 1u] << 1u) << (31u - place.y)) => (codes[word + 1u] << 1u)
substring/list_groups: (place & 31u)) & 1u) == 1u => (place & 31u)) & 1u) == 0u
substring/list_groups: entries[slot] = entry; => entries[slot / 2u] = entry;
",
    "
substring/compare_pairs: let other = place_of(pair.y); => let other = place_of(pair.y + 1u);
substring/groups: const PAIRS = 7u; => const PAIRS = 5u;
",
];

#[test]
fn one_wrong_operator_or_pass_of_a_sort_of_windows_is_noticed() {
    // Some of them write outside of the arrays, which CUDA does not check.
    if support::is_cuda() {
        return;
    }
    for (length, table) in GROUPED.into_iter().zip(SORTS) {
        for edit in edits(table) {
            assert_group_noticed(length, |plan| damage(plan, &[edit]));
        }
    }
    for stem in [
        "substring/hash_windows",
        "sort/downsweep",
        "substring/neighbours",
        "substring/list_groups",
    ] {
        assert_group_noticed(GROUPED[0], |plan| skip(plan, stem));
    }
}
