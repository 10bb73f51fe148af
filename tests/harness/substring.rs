//! Damaged plans and kernels of the filter of windows.

use std::collections::HashMap;

use swath::Control;
use swath::unstable::backend::wgpu::source::part;
use swath::unstable::backend::{Backend, Span};
use swath::unstable::call::phases::Phases;
use swath::unstable::plan::{Plan, Resident};
use swath::unstable::substring::gpu::FilterPlan;
use swath::unstable::substring::gpu::sizes::Sizes;
use swath::unstable::substring::search::Tuning;
use swath::unstable::substring::search::alphabet::Alphabet;
use swath::unstable::substring::search::filter::Windows;
use swath::unstable::substring::search::hash;
use swath::unstable::substring::{Question, gpu};

use super::support::inputs::Random;
use super::{device, lend, replace_in};

/// A text and a position in it.
type Place = (usize, usize);

/// Windows that have their codes for a key, and windows that have hashes.
const PACKED: usize = 20;
const HASHED: usize = 100;

/// Three texts of some blocks, two of which share windows across the ends of blocks.
fn texts() -> [Vec<u8>; 3] {
    let mut random = Random::new(21);
    let mut text = |symbols| -> Vec<u8> { random.symbols(symbols, 4).into_iter().map(|symbol| symbol as u8).collect() };
    let (a, b, c) = (text(17_500), text(16_800), text(9_000));
    let shared = [&b[..300], &a[8_000..8_500], &b[300..16_000], &a[16_200..17_000]].concat();
    [a, shared, c]
}

/// The windows that are in enough texts.
fn expected(texts: &[&[u8]], inputs: usize, length: usize) -> Vec<Place> {
    let mut places: HashMap<&[u8], Vec<Place>> = HashMap::new();
    for (text, symbols) in texts.iter().enumerate() {
        for (position, window) in symbols.windows(length).enumerate() {
            places.entry(window).or_default().push((text, position));
        }
    }
    let in_enough = |class: &Vec<Place>| class.chunk_by(|one, two| one.0 == two.0).count() >= inputs;
    let mut found: Vec<_> = places.into_values().filter(in_enough).flatten().collect();
    found.sort_unstable();
    found
}

/// What a damaged plan lists.
fn listed(inputs: usize, texts: usize, length: usize, damage: impl Fn(&mut Plan) + Sync) -> Option<[Vec<Place>; 2]> {
    let gpu = lend()?;
    let all = self::texts();
    let texts: Vec<&[u8]> = all[..texts].iter().map(|text| &text[..]).collect();
    let question = Question { texts: &texts, inputs };
    let (alphabet, windows) = (Alphabet::of(&texts), Windows { length, base: hash::base(1) });
    let mut tuning = Tuning::default();
    // So many bits that hardly a window is left by chance.
    (tuning.bitmap_log2, tuning.partition_log2, tuning.capacity) = (Some(22), Some(21), Some(1 << 16));
    let sizes =
        Sizes::new(&question, &alphabet, windows, (gpu.capabilities(), 1 << 30), &tuning).expect("there is room");
    let make = || {
        let mut made = FilterPlan::new(&sizes, &question, &alphabet, &Resident::default());
        damage(&mut made.plan);
        made
    };
    let (control, phases) = (Control::default(), Phases::start());
    let device = device(&*gpu, &control, &phases);
    let spans = |made: &FilterPlan| {
        let span = |buffer, words| Span { buffer, first: 0, words };
        vec![span(made.control, sizes.control_words()), span(made.entries, 4 * (1 << 16))]
    };
    let ran = pollster::block_on(device.run(&make, &spans)).expect("damage is no error to the device");
    let (control, entries) = ran.words.split_at(sizes.control_words() as usize);
    let entries = entries.chunks(4).take(control[gpu::LISTED] as usize);
    let mut found: Vec<Place> = entries.map(|entry| (entry[0] as usize, entry[1] as usize)).collect();
    found.sort_unstable();
    Some([found, expected(&texts, inputs, length)])
}

/// Chains and levels, packed and hashed.
const CASES: [(usize, usize, usize); 4] = [(2, 2, PACKED), (2, 2, HASHED), (2, 3, PACKED), (2, 3, HASHED)];

#[test]
fn an_undamaged_filter_lists_the_windows_that_texts_share() {
    for (inputs, texts, length) in CASES {
        let Some([found, expected]) = listed(inputs, texts, length, |_| ()) else { return };
        assert!(
            !expected.is_empty() && found == expected,
            "{inputs} of {texts}, {length}: {} {}",
            found.len(),
            expected.len()
        );
    }
}

#[track_caller]
fn assert_noticed((inputs, texts, length): (usize, usize, usize), damage: impl Fn(&mut Plan) + Sync) {
    let Some([found, expected]) = listed(inputs, texts, length, damage) else { return };
    assert!(found != expected, "the comparison did not notice");
}

#[test]
fn a_dropped_or_misplaced_pass_of_a_filter_is_noticed() {
    for case in CASES {
        for place in [0, 1] {
            assert_noticed(case, |plan| plan.passes[place].groups = [0; 3]);
        }
        assert_noticed(case, |plan| {
            let is_list = |kernel: usize| plan.kernels[kernel].stem == "substring/list";
            let place = plan.passes.iter().position(|pass| is_list(pass.kernel)).expect("windows are listed");
            plan.passes[place].groups = [0; 3];
        });
        assert_noticed(case, |plan| plan.passes.reverse());
        assert_noticed(case, |plan| plan.passes[0].groups[0] -= 1);
    }
}

#[test]
fn one_wrong_operator_in_a_kernel_of_a_filter_is_noticed() {
    let (packed, hashed, levels) = (CASES[0], CASES[1], CASES[2]);
    for (case, name, right, wrong) in [
        (packed, "visit", "kept &= ~(1u << place);", "kept &= ~(2u << place);"),
        (packed, "visit", "atomicOr(&marked[mark >> 5u], bit);", "atomicOr(&marked[mark >> 6u], bit);"),
        (packed, "visit", "let windows = min(params.windows - before, 32u);", "let windows = 31u;"),
        (packed, "packed_windows", "(one >> shift) | ((two << 1u) << (31u - shift))", "(one >> shift) | (two << 1u)"),
        (packed, "packed_windows", "high & lowest(max(params.rest, 32u) - 32u)", "high"),
        (packed, "mix", "return mixed ^ (mixed >> 16u);", "return mixed >> 31u;"),
        (packed, "list", "params.position + 32u * stretch", "params.position + 31u * stretch"),
        (packed, "settle", "unfallen >= params.texts", "unfallen >= 0u"),
        (
            hashed,
            "hashed_windows",
            "append(hash, base, next_symbol(stretch, params.rest + at))",
            "append(hash, base, 1u)",
        ),
        (hashed, "hashed_windows", "place < params.rest; place++", "place + 1u < params.rest; place++"),
        (hashed, "modular", "(x1 >> 29u) | (x2 << 3u)", "(x1 >> 29u) | (x2 << 2u)"),
        (hashed, "modular", "high.y + u32(x2 < above)", "high.y"),
        (hashed, "prefix_stretches", "if lane >= reach {", "if lane > reach {"),
        (hashed, "prefix_blocks", "before = add(multiply(before, run_worth), of_run);", "before = of_run;"),
        (hashed, "prefix_spread", "32u * lane", "16u * lane"),
        (levels, "count_level", "counted &= below[word];", "counted |= below[word];"),
        (levels, "clear", "bitmap[word] = 0u;", "bitmap[word] |= 0u;"),
    ] {
        eprintln!("{name}: {wrong}");
        assert_noticed(case, |plan| {
            let stem = format!("substring/{name}");
            assert_eq!(part(&stem).expect("it is a part").matches(right).count(), 1, "{right} occurs once in {name}");
            let changed: usize = plan.kernels.iter_mut().map(|kernel| replace_in(kernel, &[(right, wrong)])).sum();
            let own = plan.kernels.iter().flat_map(|kernel| &kernel.own);
            assert!(changed > 0 && { own }.all(|own| own.stem == stem), "{right} occurs in {name} alone");
        });
    }
}
