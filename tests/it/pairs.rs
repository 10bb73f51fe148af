//! Many pairs at once on the test device, against the CPU and the references.

mod alignments;

use std::ops::ControlFlow;

use support::inputs::Random;
use support::tier::is_full;
use swath::edit_distance::Mode;
use swath::pairs::{Measure, PairValue, Pairs, Strings};
use swath::unstable::edit_distance::reference as edit;
use swath::unstable::lcs::reference as lcs;
use swath::unstable::pairs::reference;
use swath::{Edit, Engine};

/// Lists whose lengths are on both sides of limb, unit, tile and strip edges.
fn lists(
    random: &mut Random,
    lens: &[usize],
    (queries, targets): (usize, usize),
    letters: u32,
) -> (Strings<'static, u32>, Strings<'static, u32>) {
    let mut list = |count: usize, step: usize| {
        let of = |place: usize| random.symbols(lens[place * step % lens.len()], letters);
        Strings::from_slices((0..count).map(of).collect::<Vec<_>>())
    };
    (list(queries, 1), list(targets, 3))
}

/// Compares the values of every query with every target in some cases.
fn assert_cases(
    cases: &[(Measure, Mode)],
    (queries, targets): (Strings<'_, u32>, Strings<'_, u32>),
) {
    for &(measure, mode) in cases {
        assert_pairs(measure, mode, &queries, &targets);
    }
}

/// Compares all pairs with the CPU, and some with the reference.
fn assert_pairs(
    measure: Measure,
    mode: Mode,
    queries: &Strings<'_, u32>,
    targets: &Strings<'_, u32>,
) {
    let Some(gpu) = support::gpu() else { return };
    let pairs = Pairs::cross(queries, targets).measure(measure).mode(mode);
    let on_gpu = gpu.run(&pairs).expect("it runs");
    assert_ne!(on_gpu.run.device, "cpu");
    let on_cpu = support::cpu().run(&pairs).expect("it runs");
    assert_eq!(on_cpu.run.device, "cpu");
    let differs = |place: &usize| on_gpu.values.get(*place) != on_cpu.values.get(*place);
    let different: Vec<_> = (0..on_cpu.values.len()).filter(differs).collect();
    assert!(
        on_gpu.values == on_cpu.values,
        "{measure} {mode}: {} pairs, {:?}",
        different.len(),
        different
            .iter()
            .take(9)
            .map(|&place| (place, on_gpu.values.get(place), on_cpu.values.get(place)))
            .collect::<Vec<_>>()
    );
    // The same pairs as a list, in an order that no kernel has.
    let count = on_gpu.values.len();
    let shuffled: Vec<usize> = (0..count).map(|place| place * 7919 % count).collect();
    let pair = |&place: &usize| {
        (
            (place / targets.len()) as u32,
            (place % targets.len()) as u32,
        )
    };
    let list: Vec<_> = shuffled.iter().map(pair).collect();
    let list = Pairs::list(queries, targets, list)
        .measure(measure)
        .mode(mode);
    let of_list = gpu.run(&list).expect("it runs");
    assert_ne!(of_list.run.device, "cpu");
    for (&place, value) in shuffled.iter().zip(of_list.values.iter()) {
        let expected = on_cpu.values.get(place);
        assert_eq!(Some(value), expected, "{measure} {mode} {:?}", pair(&place));
    }
    for place in (0..on_gpu.values.len()).step_by(1 + on_gpu.values.len() / 150) {
        let (query, target) = (place / targets.len(), place % targets.len());
        let expected = reference::value(measure, mode, &queries[query], &targets[target]);
        assert_eq!(
            on_gpu.values.get(place),
            Some(expected as u32),
            "{measure} {query} {target}"
        );
    }
}

const CASES: [(Measure, Mode); 9] = [
    (Measure::Edit, Mode::Global),
    (Measure::Edit, Mode::Prefix),
    (Measure::Edit, Mode::Infix),
    (Measure::Indel, Mode::Global),
    (Measure::Lcs, Mode::Global),
    (Measure::Hamming, Mode::Global),
    (Measure::Osa, Mode::Global),
    (Measure::Jaro, Mode::Global),
    (Measure::JaroWinkler, Mode::Global),
];

#[test]
fn short_strings_in_one_limb() {
    let lens = [7, 0, 12, 3, 30, 31, 15, 16, 17];
    let lists = lists(&mut Random::new(70), &lens, (40, 300), 26);
    assert_cases(&CASES, lists);
}

#[test]
fn strings_at_limb_and_tile_edges() {
    let lens = [150, 0, 155, 124, 125, 160, 129, 151];
    let lists = lists(&mut Random::new(71), &lens, (30, 260), 4);
    assert_cases(if is_full() { &CASES } else { &CASES[..1] }, lists);
}

#[test]
fn long_strings_in_several_strips() {
    // 255 letters leave few limbs per strip on small devices.
    let lists = lists(&mut Random::new(72), &[993, 2100, 17, 1025], (3, 130), 250);
    assert_cases(&[CASES[0], CASES[2], CASES[4]], lists);
}

#[test]
fn a_bound_ends_tables_early_and_cuts_values() {
    let Some(gpu) = support::gpu() else { return };
    let mut random = Random::new(73);
    let (strings, _) = lists(&mut random, &[60, 62, 45, 58], (150, 1), 4);
    let edited: Vec<_> = (0..150)
        .map(|place| random.edited(&strings[place], 9, 4))
        .collect();
    let targets = Strings::from_slices(&edited);
    for within in [0, 9, 300] {
        let pairs = Pairs::cross(&strings, &targets).within(within);
        let found = gpu.run(&pairs).expect("it runs");
        assert_ne!(found.run.device, "cpu");
        let exact = Pairs::cross(&strings, &targets);
        let exact = support::cpu().run(&exact).expect("it runs");
        let cut = exact
            .values
            .iter()
            .map(|value| value.min(within as u32 + 1));
        assert!(found.values.iter().eq(cut), "{within}");
        let zipped = gpu.run(&Pairs::zip(&strings, &targets).within(within));
        let zipped = zipped.expect("it runs");
        assert_ne!(zipped.run.device, "cpu");
        let diagonal = (0..150).map(|place| found.values.get(place * 151));
        assert!(zipped.values.iter().map(Some).eq(diagonal), "{within}");
    }
}

#[test]
fn pairs_of_one_list_and_shards_are_those_of_the_cpu() {
    let Some(gpu) = support::gpu() else { return };
    let mut random = Random::new(74);
    let (strings, _) = lists(&mut random, &[30, 5, 31, 12], (300, 1), 4);
    let pairs = Pairs::symmetric(&strings);
    let whole = gpu.run(&pairs).expect("it runs");
    assert_eq!(whole.values.len(), 300 * 299 / 2);
    assert!(whole.values == support::cpu().run(&pairs).expect("it runs").values);
    let joined: Vec<u32> = (0..3)
        .flat_map(|share| {
            let report = gpu.run(&pairs.clone().shard(share, 3)).expect("it runs");
            report.values.iter().collect::<Vec<_>>()
        })
        .collect();
    assert!(whole.values.iter().eq(joined));
}

/// Pairs within the bound, from blocks that have all places in order.
fn kept(engine: &Engine, pairs: &Pairs<'_, u32>) -> Vec<PairValue> {
    let (mut all, mut next) = (Vec::new(), 0);
    let task = pairs.clone().for_each_kept(|block| {
        assert_eq!(block.pairs.start, next);
        next = block.pairs.end;
        all.extend_from_slice(block.kept);
        ControlFlow::Continue(())
    });
    let report = engine.run(&task).expect("it runs");
    assert_eq!(
        report.run.device == "cpu",
        std::ptr::eq(engine, support::cpu())
    );
    drop(task);
    assert_eq!(next, pairs.count().expect("they fit"));
    all
}

#[test]
fn pairs_within_a_bound_are_those_of_all_values() {
    let Some(gpu) = support::gpu() else { return };
    let mut random = Random::new(75);
    let (strings, _) = lists(&mut random, &[6, 0, 3, 12, 9], (300, 1), 4);
    // More than the device sends back on its own.
    let many = Strings::from_slices((0..1100).map(|place| vec![place % 7; 2]));
    for (strings, within) in [(&strings, 4), (&strings, 0), (&many, 1)] {
        for pairs in [
            Pairs::cross(strings, strings),
            Pairs::symmetric(strings),
            Pairs::zip(strings, strings),
        ] {
            let pairs = pairs.within(within);
            let report = support::cpu().run(&pairs).expect("it runs");
            let within = report
                .values
                .iter()
                .filter(|&value| u64::from(value) <= within);
            let found = kept(gpu, &pairs);
            assert!(found.iter().map(|pair| pair.value).eq(within));
            assert_eq!(found, kept(support::cpu(), &pairs));
        }
    }
}

#[test]
fn pairs_of_long_strings_are_computed_one_at_a_time() {
    let mut random = Random::new(76);
    let long = random.symbols(70_000, 4);
    let edited = random.edited(&long, 40, 4);
    let short = random.symbols(50, 4);
    let strings = Strings::from_slices([&short[..], &long, &[], &edited, &short[..9]]);
    let exact = |pairs: &[(usize, usize)], edit: bool| -> Vec<u32> {
        let value = |&(query, target): &(usize, usize)| {
            let (a, b) = (&strings[query], &strings[target]);
            let is_long = a.len() * b.len() > 1 << 32;
            match edit {
                _ if is_long => 0,
                true => edit::distance(a, b, Mode::Global) as u32,
                false => lcs::length(a, b) as u32,
            }
        };
        pairs.iter().map(value).collect()
    };
    let upper: Vec<_> = (0..5)
        .flat_map(|query| (query + 1..5).map(move |target| (query, target)))
        .collect();
    let all: Vec<_> = (0..25).map(|place| (place / 5, place % 5)).collect();
    let list: Vec<_> = all.iter().map(|&(a, b)| (a as u32, b as u32)).collect();
    for engine in [Some(support::cpu()), support::gpu()].into_iter().flatten() {
        let distances = |pairs: &Pairs<'_, u32>| -> Vec<u32> {
            let values = engine.run(pairs).expect("it runs");
            values.values.iter().collect()
        };
        let found = distances(&Pairs::symmetric(&strings));
        let mut expected = exact(&upper, true);
        let place = upper
            .iter()
            .position(|&pair| pair == (1, 3))
            .expect("it is there");
        let distance = Edit::of(&long, &edited);
        let distance = support::cpu().run(&distance).expect("it runs").distance;
        let distance = distance.exactly().expect("there is no bound") as u32;
        expected[place] = distance;
        assert_eq!(found, expected);
        // The other calls take the same way to the device.
        if !is_full() && !std::ptr::eq(engine, support::cpu()) {
            continue;
        }
        let found = distances(&Pairs::cross(&strings, &strings));
        assert_eq!((found[8], found[16], found[6]), (distance, distance, 0));
        assert_eq!(
            distances(&Pairs::list(&strings, &strings, &list[..])),
            found
        );
        let within = Pairs::cross(&strings, &strings).within(5);
        let cut: Vec<u32> = found.iter().map(|&value| value.min(6)).collect();
        assert_eq!(distances(&within), cut);
        let shared = distances(&Pairs::symmetric(&strings).lcs());
        assert!(shared[place] >= long.len() as u32 - distance);
        let others = |values: &[u32]| [&values[..place], &values[place + 1..]].concat();
        assert_eq!(others(&shared), others(&exact(&upper, false)));
    }
}

/// A string and relatives of it, in an order that mixes lengths: edits, exact numbers of
/// substitutions around `bound`, pieces moved by about half of `bound`, cut ends, short and unrelated
/// strings.
fn relatives(random: &mut Random, (len, letters): (usize, u32), bound: usize) -> Vec<Vec<u32>> {
    let base = random.symbols(len, letters);
    let mut all = vec![base.clone(), vec![], base[..1].to_vec()];
    for rate in [400, 40, 12, 4] {
        all.push(random.edited(&base, rate, letters));
    }
    // A letter of its own makes the distance certain.
    for changes in [bound - 1, bound, bound + 1, bound + 2] {
        let mut changed = base.clone();
        let step = len / (changes + 1);
        let places = (0..changes).map(|change| change * step);
        places.for_each(|place| changed[place] = letters);
        all.push(changed);
    }
    for shift in [
        1,
        31,
        32,
        33,
        bound / 2 - 1,
        bound / 2,
        bound / 2 + 1,
        bound / 2 + 2,
    ] {
        let before = vec![letters; shift];
        all.push([&before[..], &base].concat());
        all.push([&before[..], &base[..len - shift]].concat());
        all.push(base[shift..].to_vec());
        all.push([&base[shift..], &before[..]].concat());
    }
    for cut in [31, 32, 33, bound - 1, bound, bound + 1] {
        all.push(base[..len - cut].to_vec());
        all.push(base[cut..].to_vec());
    }
    for len in [31, 32, 33, len] {
        all.push(random.symbols(len, letters));
    }
    all
}

#[test]
fn bands_of_a_bound_have_exactly_the_distances_within_it() {
    let Some(gpu) = support::gpu() else { return };
    let mut random = Random::new(77);
    // Windows of 4 and 8 limbs, at both ends of their bounds.
    for (bound, len, letters) in [
        (96, 290, 4),
        (95, 321, 2),
        (40, 256, 100),
        (97, 480, 20),
        (224, 511, 253),
    ] {
        let strings = relatives(&mut random, (len, letters), bound);
        let queries: Vec<_> = strings.iter().step_by(5).collect();
        let queries = Strings::from_slices(queries);
        let targets = Strings::from_slices(&strings);
        let cross = Pairs::cross(&queries, &targets).within(bound as u64);
        let found = gpu.run(&cross).expect("it runs");
        assert_ne!(found.run.device, "cpu");
        assert!(
            found.run.computed_cells < found.run.cells,
            "{:?}",
            found.run
        );
        let near: Vec<_> = (0..found.values.len())
            .map(|place| {
                let (query, target) = (place / targets.len(), place % targets.len());
                let exact = edit::distance(&queries[query], &targets[target], Mode::Global);
                let expected = exact.min(bound as u64 + 1) as u32;
                let lens = (queries[query].len(), targets[target].len());
                let value = found.values.get(place);
                assert_eq!(value, Some(expected), "{bound} {query} {target} {lens:?}");
                (query, target, expected)
            })
            .filter(|&(.., value)| value <= bound as u32)
            .collect();
        // Some pairs have the bound as their distance.
        assert!(near.iter().any(|&(.., value)| value == bound as u32));
        let pair = |pair: PairValue| (pair.query, pair.target, pair.value);
        assert!(kept(gpu, &cross).into_iter().map(pair).eq(near));
        let one = Pairs::symmetric(&queries).within(bound as u64);
        let on_gpu = gpu.run(&one).expect("it runs");
        assert!(on_gpu.run.computed_cells < on_gpu.run.cells);
        let on_cpu = support::cpu().run(&one).expect("it runs");
        assert!(on_gpu.values == on_cpu.values);
    }
}

/// A zip whose strings are on the device in several parts, with a pair of long strings among them.
#[test]
fn zipped_bands_in_several_parts_have_the_distances_of_the_cpu() {
    let Some(options) = support::gpu_options() else {
        return;
    };
    let engine = Engine::new(options.device_memory(1 << 20)).expect("the adapter opens");
    let mut random = Random::new(93);
    let (bound, mut strings) = (60, Vec::new());
    for len in [290, 700, 300, 1100] {
        strings.extend(relatives(&mut random, (len, 4), bound));
    }
    let long = random.symbols(120_000, 4);
    strings.insert(strings.len() / 2, long);
    let queries = Strings::from_slices(&strings);
    let targets = strings.iter().skip(1).chain(strings.first());
    let targets = Strings::from_slices(targets);
    let zip = Pairs::zip(&queries, &targets).within(bound as u64);
    let found = engine.run(&zip).expect("it runs");
    assert_ne!(found.run.device, "cpu");
    assert!(
        found.run.computed_cells < found.run.cells,
        "{:?}",
        found.run
    );
    let on_cpu = support::cpu().run(&zip).expect("it runs");
    assert!(found.values == on_cpu.values);
}

/// All windows that the test device has: those of software adapters are narrower.
#[test]
fn wide_bands_have_exactly_the_distances_within_them() {
    let Some(gpu) = support::gpu() else { return };
    let mut random = Random::new(78);
    for bound in [352, 480, 736, 992] {
        let (len, letters) = (bound * 3 / 2 + 150, 4);
        let strings = relatives(&mut random, (len, letters), bound);
        let near = |place: &usize| (3..15).contains(place) || place.is_multiple_of(3);
        let places: Vec<_> = (0..strings.len()).filter(near).collect();
        let targets: Vec<_> = places.iter().map(|&place| &strings[place][..]).collect();
        let (targets, queries) = (
            Strings::from_slices(targets),
            Strings::from_slices([&strings[0]]),
        );
        let cross = Pairs::cross(&queries, &targets).within(bound as u64);
        let found = gpu.run(&cross).expect("it runs");
        assert_ne!(found.run.device, "cpu");
        for (target, value) in targets.iter().zip(found.values.iter()) {
            let exact = edit::distance(&queries[0], target, Mode::Global);
            let expected = exact.min(bound as u64 + 1) as u32;
            assert_eq!(value, expected, "{bound} {}", target.len());
        }
    }
}

/// Without a bound the windows follow from a sample of the distances; what they do not settle goes on
/// to wider ones and to whole tables.
#[test]
fn bands_without_a_bound_have_all_distances() {
    let Some(mut options) = support::gpu_options() else {
        return;
    };
    if support::is_cuda() {
        return; // The emulator would take minutes.
    }
    // llvmpipe ends the loops of checked kernels too early: docs/drivers.md.
    options.checked = false;
    let gpu = Engine::new(options).expect("the adapter opens");
    let mut random = Random::new(79);
    let mut strings = relatives(&mut random, (24_000, 4), 98);
    strings.truncate(23);
    let (first, far) = (strings[0].clone(), random.symbols(24_000, 4));
    strings.extend([random.edited(&first, 90, 4), far]);
    let strings = Strings::from_slices(&strings);
    // Enough pairs for a sample.
    let list: Vec<(u32, u32)> = (0..1200)
        .map(|place| (place % 4, place % 25))
        .filter(|&(query, target)| target < 24 && query != 1)
        .chain([(0, 24)])
        .collect();
    let pairs = Pairs::list(&strings, &strings, &list[..]);
    let found = gpu.run(&pairs).expect("it runs");
    assert_ne!(found.run.device, "cpu");
    assert!(
        found.run.computed_cells < found.run.cells,
        "{:?}",
        found.run
    );
    let on_cpu = support::cpu().run(&pairs).expect("it runs");
    assert!(
        on_cpu.run.computed_cells < on_cpu.run.cells,
        "{:?}",
        on_cpu.run
    );
    assert!(on_cpu.values == found.values);
    let mut known = std::collections::HashMap::new();
    for (&pair, value) in list.iter().zip(found.values.iter()) {
        let expected = known.entry(pair).or_insert_with(|| {
            let (a, b) = (&strings[pair.0 as usize], &strings[pair.1 as usize]);
            let report = support::cpu().run(&Edit::of(a, b)).expect("it runs");
            report.distance.exactly().expect("there is no bound") as u32
        });
        assert_eq!(value, *expected, "{pair:?}");
    }
}

/// Blocks of a call until `max` of them, as first pairs, values and pairs within the bound.
fn blocks(engine: &Engine, pairs: Pairs<'_, u32>, max: usize) -> Vec<(u64, Vec<u32>)> {
    let mut blocks = Vec::new();
    let task = pairs.for_each(|block| {
        blocks.push((block.first(), block.values().iter().collect()));
        match blocks.len() < max {
            true => ControlFlow::Continue(()),
            false => ControlFlow::Break(()),
        }
    });
    engine.run(&task).expect("it runs");
    drop(task);
    blocks
}

#[test]
fn parts_of_a_call_come_in_order_while_the_next_one_is_computed() {
    let Some(options) = support::gpu_options() else {
        return;
    };
    // Parts of at most a thousand pairs.
    let engine = support::gpu_with(options.host_memory(1 << 16)).expect("it is there");
    let mut random = Random::new(77);
    let (queries, targets) = lists(&mut random, &[9, 30, 14, 22], (60, 150), 4);
    let list: Vec<_> = (0..9000).map(|pair| (pair % 60, pair * 7 % 150)).collect();
    for (pairs, width) in [
        (Pairs::cross(&queries, &targets), 150),
        (Pairs::symmetric(&targets), 0),
        (Pairs::list(&queries, &targets, &list[..]), 1),
    ] {
        let expected = support::cpu().run(&pairs).expect("it runs").answer.values;
        assert!(
            engine.run(&pairs).expect("it runs").values == expected,
            "{width}"
        );
        let found = blocks(&engine, pairs.clone(), usize::MAX);
        assert!(found.len() > 5, "{width}");
        let mut next = 0;
        for (first, values) in &found {
            assert_eq!(*first, next, "{width}");
            next += values.len() as u64;
        }
        let values = found.iter().flat_map(|(_, values)| values);
        assert!(values.copied().eq(expected.iter()), "{width}");
        assert!(blocks(&engine, pairs, 3) == found[..3], "{width}");
    }
}

#[test]
fn values_within_a_bound_of_several_chunks_of_targets() {
    let Some(gpu) = support::gpu() else { return };
    let mut random = Random::new(78);
    // More targets than a chunk has; those behind it are near to all queries.
    let far: Vec<Vec<u32>> = (0..131_072 + 120_000)
        .map(|target| match target < 131_072 {
            true => random.symbols(14, 4),
            false => random.symbols(2, 4),
        })
        .collect();
    let targets = Strings::from_slices(far);
    // The second chunk of the longer list has more values than a device sends back.
    for count in [2, 9] {
        let queries = Strings::from_slices((0..count).map(|_| random.symbols(3, 4)));
        let pairs = Pairs::cross(&queries, &targets).within(3);
        let found = [gpu, support::cpu()].map(|engine| kept(engine, &pairs));
        assert!(found[0].len() >= count * 120_000);
        assert!(found[0] == found[1], "{count}");
    }
}

#[test]
fn empty_lists_have_no_values() {
    let none = Strings::<u8>::from_slices::<&str>([]);
    let one = Strings::from_slices(["ACGT"]);
    let engines = [Some(support::cpu()), support::gpu()];
    for engine in engines.into_iter().flatten() {
        for pairs in [
            Pairs::cross(&none, &one),
            Pairs::cross(&one, &none),
            Pairs::symmetric(&one),
            Pairs::zip(&none, &none),
        ] {
            assert!(engine.run(&pairs).expect("it runs").values.is_empty());
        }
    }
}

/// Value by rapidfuzz; for fractions the similarity.
fn peer(a: &[u32], b: &[u32], measure: Measure) -> f64 {
    use rapidfuzz::distance::{hamming, indel, jaro, jaro_winkler, lcs_seq, levenshtein, osa};
    let (a, b) = (a.iter().copied(), b.iter().copied());
    let value = match measure {
        Measure::Edit => levenshtein::distance(a, b),
        Measure::Indel => indel::distance(a, b),
        Measure::Ratio => return 100.0 * indel::normalized_similarity(a, b),
        Measure::Osa => osa::distance(a, b),
        Measure::Hamming => hamming::distance_with_args(a, b, &hamming::Args::default().pad(true)),
        Measure::Jaro => return jaro::similarity(a, b),
        Measure::JaroWinkler => return jaro_winkler::similarity(a, b),
        _ => lcs_seq::similarity(a, b),
    };
    value as f64
}

/// Compares pairs with rapidfuzz, for every measure, without and with bounds.
fn assert_peer(
    engine: &swath::Engine,
    pairs: &Pairs<'_, u32>,
    bounds: &[u64],
    strings: impl Fn(usize) -> (Vec<u32>, Vec<u32>),
) {
    // The crate has no ratios of substrings and tokens.
    let measures = Measure::ALL
        .into_iter()
        .take_while(|&one| one != Measure::PartialRatio);
    for measure in measures {
        let expected: Vec<f64> = (0..pairs.count().expect("they fit") as usize)
            .map(|place| {
                let (query, target) = strings(place);
                peer(&query, &target, measure)
            })
            .collect();
        let bounds = bounds.iter().copied().map(Some).chain([None]);
        let has_bounds = measure.is_distance() && !measure.is_fraction();
        for bound in bounds.filter(|bound| bound.is_none() || has_bounds) {
            let pairs = pairs.clone().measure(measure);
            let pairs = bound.into_iter().fold(pairs, Pairs::within);
            let found = engine.run(&pairs).expect("it runs");
            assert_eq!(found.values.len(), expected.len());
            for (place, (found, &expected)) in found.values.iter().zip(&expected).enumerate() {
                let (query, target) = strings(place);
                let expected = expected.min(bound.map_or(f64::MAX, |bound| (bound + 1) as f64));
                let found = if measure.is_fraction() {
                    let lens = [&query, &target].map(|string| string.len() as u64);
                    measure.similarity(Mode::Global, found.into(), lens[0], lens[1])
                } else {
                    found.into()
                };
                assert!(
                    (found - expected).abs() < 1e-9,
                    "{measure} {bound:?} {found} {expected} {query:?} {target:?}"
                );
            }
        }
    }
}

#[test]
fn values_are_those_of_rapidfuzz_on_ragged_lists() {
    let edges = [
        31, 32, 63, 64, 65, 95, 97, 127, 128, 129, 191, 193, 255, 256, 257, 320,
    ];
    let lens: Vec<usize> = (0..=18).chain(edges).collect();
    let mut random = Random::new(75);
    for letters in [2, 4, 300] {
        let (queries, targets) = lists(&mut random, &lens, (35, 35), letters);
        // Every third target is near to a query.
        let near = |(place, target): (usize, &[u32])| match place % 3 {
            0 => random.edited(&queries[place * 5 % 35], 12, letters),
            _ => target.to_vec(),
        };
        let targets =
            Strings::from_slices(targets.iter().enumerate().map(near).collect::<Vec<_>>());
        let cpu = support::cpu();
        let cross = Pairs::cross(&queries, &targets);
        let of = |query: usize, target: usize| (queries[query].to_vec(), targets[target].to_vec());
        let bounds = [0, 1, 7, 40, 1000];
        assert_peer(cpu, &cross, &bounds, |place| of(place / 35, place % 35));
        let list: Vec<(u32, u32)> = (0..150)
            .map(|_| (random.below(35) as u32, random.below(35) as u32))
            .collect();
        let listed = Pairs::list(&queries, &targets, &list[..]);
        let of_list = |place: usize| of(list[place].0 as usize, list[place].1 as usize);
        assert_peer(cpu, &listed, &bounds, of_list);
        let places: Vec<_> = (0..30)
            .flat_map(|row| (row + 1..30).map(move |column| (row, column)))
            .collect();
        let few = Strings::from_slices(targets.iter().take(30));
        assert_peer(cpu, &Pairs::symmetric(&few), &[3], |place| {
            let (row, column): (usize, usize) = places[place];
            (targets[row].to_vec(), targets[column].to_vec())
        });
        let Some(gpu) = support::gpu() else { return };
        if is_full() || letters == 4 {
            assert_peer(gpu, &cross, &[7], |place| of(place / 35, place % 35));
        }
    }
}

#[test]
fn alignments_are_those_of_single_calls() {
    let mut random = Random::new(76);
    let lens = [0, 1, 30, 64, 100, 250, 700, 2100];
    let (queries, other) = lists(&mut random, &lens, (24, 24), 4);
    let edited = |place: usize| random.edited(&queries[place], 6 + place as u64, 4);
    let edited = Strings::from_slices((0..24).map(edited).collect::<Vec<_>>());
    let engine = support::cpu();
    for targets in [&edited, &other] {
        for mode in Mode::ALL {
            let pairs = Pairs::zip(&queries, targets).mode(mode);
            let mut kept = Vec::new();
            let task = pairs.clone().for_each(|block| {
                kept.extend(block.kept());
                std::ops::ControlFlow::Continue(())
            });
            engine.run(&task).expect("it runs");
            drop(task);
            let found = engine.run(&pairs.alignments(&kept)).expect("it runs");
            for (pair, alignment) in kept.iter().zip(&found.answer) {
                let (query, target) = (&queries[pair.query], &targets[pair.target]);
                if query.is_empty() {
                    continue;
                }
                let task = swath::Edit::of(query, target).mode(mode).path();
                let expected = engine.run(&task).expect("it runs").answer;
                assert_eq!(
                    Some(alignment),
                    expected.alignment.as_ref(),
                    "{mode} {pair:?}"
                );
            }
        }
    }
    let far = [swath::pairs::PairValue {
        query: 0,
        target: 24,
        value: 0,
    }];
    let pairs = Pairs::zip(&queries, &other);
    let refused = engine.run(&pairs.alignments(&far));
    assert!(matches!(refused, Err(swath::Error::OutOfRange { .. })));
}
