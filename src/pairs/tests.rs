//! Values of all selections, measures and modes against the references.

use std::ops::ControlFlow;
#[cfg(feature = "gpu")]
use std::sync::Arc;

use super::{Measure, Pairs, Selection, Strings, reference};
#[cfg(feature = "gpu")]
use crate::backend::{Backend, recording_backend::RecordingBackend};
use crate::edit_distance::Mode;
use crate::engine::{Engine, Options};
use crate::error::Error;
use crate::matching::Matching;
use crate::query::{self, StringList};
use crate::sequences::bit_parallel::inputs::{Random, dna};
use crate::sequences::codes::Symbol;
use crate::{DeviceChoice, Edit};

fn cpu(threads: usize) -> Engine {
    let options = Options::new().device(DeviceChoice::Cpu).threads(threads);
    Engine::new(options).expect("the CPU is always here")
}

/// Ragged lists: limb edges, empty strings, duplicates.
fn lists(random: &mut Random, letters: u32) -> (Strings<'static, u32>, Strings<'static, u32>) {
    let mut list = |count: usize| {
        let lens = [0, 1, 2, 30, 31, 32, 62, 63, 64, 93, 126, 127, 200];
        let string = |place: usize| random.codes(lens[(place * 5) % lens.len()], letters);
        Strings::from_slices((0..count).map(string).collect::<Vec<_>>())
    };
    (list(21), list(37))
}

#[test]
fn small_pairs_of_letters_need_an_engine() {
    let [a, b] = [b"CNC", b"GTG"].map(|bytes| Matching::iupac().letters(bytes));
    for measure in Measure::ALL {
        assert_eq!(measure.of_small_pair(&a, &b), None);
    }
}

#[test]
fn small_pairs_without_an_engine_match_the_reference() {
    let mut random = Random::new(8);
    for letters in [1, 4, 3000] {
        let (queries, targets) = lists(&mut random, letters);
        for (query, target) in queries
            .iter()
            .flat_map(|query| targets.iter().map(move |target| (query, target)))
        {
            for measure in Measure::ALL {
                let expected = reference::value(measure, Mode::Global, query, target);
                assert_eq!(
                    measure.of_small_pair(query, target),
                    Some(expected),
                    "{measure}"
                );
            }
        }
    }
}

/// Values by the reference, without a bound.
fn exact_values<S: Symbol>(pairs: &Pairs<'_, S>) -> Vec<u64> {
    let (call, targets) = (
        &pairs.call,
        pairs.targets.as_ref().unwrap_or(&pairs.queries),
    );
    let count = call.selection.count(pairs.queries.len(), targets.len());
    let value = |place| {
        let (query, target) = call.selection.pair(place, targets.len());
        reference::value(
            call.measure,
            call.mode,
            &pairs.queries[query],
            &targets[target],
        )
    };
    (0..count.expect("few pairs")).map(value).collect()
}

/// Checks all values, and the pairs within the bound.
fn assert_matches_reference<S: Symbol>(engine: &Engine, pairs: &Pairs<'_, S>) {
    assert_values(engine, pairs, &exact_values(pairs));
}

fn assert_values<S: Symbol>(engine: &Engine, pairs: &Pairs<'_, S>, exact: &[u64]) {
    let (measure, mode) = (pairs.call.measure, pairs.call.mode);
    let report = engine.run(pairs).expect("it fits");
    let (mut values, mut kept) = (report.values.iter(), Vec::new());
    let each = pairs.clone().for_each(|block| {
        kept.extend(block.kept());
        ControlFlow::Continue(())
    });
    let done = engine.run(&each).expect("it fits").pairs;
    drop(each);
    assert_eq!(done, report.pairs.end - report.pairs.start);
    let mut kept = kept.into_iter();
    let targets = pairs.targets.as_ref().unwrap_or(&pairs.queries);
    for place in report.pairs.clone() {
        let (query, target) = pairs.call.selection.pair(place, targets.len());
        let exact = exact[place as usize];
        let bound = pairs.call.within.unwrap_or(u64::MAX - 1);
        let value = exact.min(bound + 1) as u32;
        let found = values.next();
        assert_eq!(found, Some(value), "{measure} {mode} {query} {target}");
        if exact <= bound {
            let pair = kept.next().expect("it is within the bound");
            let found = (pair.query, pair.target, pair.value);
            assert_eq!(found, (query, target, value));
        }
    }
    assert_eq!((values.next(), kept.next()), (None, None));
}

#[test]
fn all_selections_match_the_reference() {
    let (mut random, engines) = (Random::new(3), [1, 3].map(cpu));
    for letters in [1, 4, 20, 3000] {
        let (queries, targets) = lists(&mut random, letters);
        let list: Vec<(u32, u32)> = (0..90)
            .map(|place| (place * 7 % 21, place * 5 % 37))
            .collect();
        let short = Strings::from_slices(targets.iter().take(queries.len()).collect::<Vec<_>>());
        let modes = [Mode::Prefix, Mode::Infix].map(|mode| (Measure::Edit, mode));
        let measures = Measure::ALL.map(|measure| (measure, Mode::Global));
        for (measure, mode) in measures.into_iter().chain(modes) {
            for pairs in [
                Pairs::cross(&queries, &targets),
                Pairs::symmetric(&queries),
                Pairs::zip(&queries, &short),
                Pairs::list(&queries, &targets, list.clone()),
            ] {
                let mut pairs = pairs.measure(measure).mode(mode);
                let exact = exact_values(&pairs);
                for within in [None, Some(0), Some(12)] {
                    if measure.is_distance() || within.is_none() {
                        pairs.call.within = within;
                        for engine in &engines {
                            assert_values(engine, &pairs, &exact);
                        }
                    }
                }
            }
        }
    }
}

/// Strings on lane edges, empty and repeated ones, and those that no lane holds.
#[test]
fn few_queries_of_prepared_lists_match_the_reference() {
    let (mut random, engine) = (Random::new(31), cpu(2));
    let lens = [3, 0, 8, 9, 5, 16, 1, 17, 32, 7, 33, 64, 65, 4, 130];
    for letters in [1, 4, 300, 50_000] {
        let mut list = |count: usize| {
            let string = |place: usize| random.codes(lens[place % lens.len()], letters);
            let strings: Vec<_> = (0..count).map(string).collect();
            Strings::from_slices(strings.iter().chain(&strings[count - 2..]))
        };
        let (queries, targets) = (list(lens.len()), list(347).prepared());
        let others = targets.borrowed().into_owned();
        for (first, count) in [(0, 1), (4, 1), (5, 3), (10, 5), (13, 1), (14, 1)] {
            let queries = queries.select(first..first + count);
            for (targets, measure) in [&targets, &others].into_iter().cycle().zip(Measure::ALL) {
                let pairs = Pairs::cross(&queries, targets).measure(measure);
                assert_matches_reference(&engine, &pairs);
                if measure.is_distance() {
                    assert_matches_reference(&engine, &pairs.within(4));
                }
            }
            let pairs = Pairs::cross(&queries, &targets);
            assert_matches_reference(&engine, &pairs.clone().mode(Mode::Infix));
            assert_matches_reference(&engine, &pairs.shard(1, 3));
        }
        assert_matches_reference(&engine, &Pairs::symmetric(&list(2).prepared()));
    }
}

#[cfg(feature = "gpu")]
#[test]
fn prepared_targets_stay_on_the_device() {
    let Some(backend) = RecordingBackend::open() else {
        return;
    };
    let shared = backend.shared().clone();
    let engine = Engine::on_backend(Arc::new(backend), Options::default());
    let engine = engine.expect("it is open");
    let mut random = Random::new(37);
    let mut list = |count: usize, letters| {
        let string = |place: usize| random.codes([3, 0, 40, 9, 70][place % 5], letters);
        Strings::from_slices((0..count).map(string).collect::<Vec<_>>())
    };
    let targets = list(300, 5).prepared();
    // Symbols that no target has, and too many of them for the device.
    for queries in [
        list(9, 5),
        list(30, 40),
        list(6, 5),
        list(40, 3000),
        list(8, 5),
    ] {
        for measure in [Measure::Edit, Measure::Lcs] {
            let pairs = Pairs::cross(&queries, &targets).measure(measure);
            assert_matches_reference(&engine, &pairs);
        }
        assert!(shared.memory.held_bytes() > 0);
    }
    assert_matches_reference(&engine, &Pairs::symmetric(&targets));
    drop(targets);
    assert_eq!(shared.memory.held_bytes(), 0);
}

/// One list has bytes and the other one numbers, of which some have the value of no byte.
#[test]
fn prepared_lists_are_compared_with_those_of_another_type() {
    let engine = cpu(1);
    let lists = ["größe", "grosse", "", "ŁódźŁ"].map(|text| text.chars().map(u32::from));
    let numbers = Strings::from_slices(lists.map(Vec::from_iter));
    for bytes in [
        [&b"grosse"[..], b"", b"odz"],
        [b"gr\xf6\xdfe", b"\xd3", b"gro"],
    ] {
        let bytes = Strings::<u8>::from_slices(bytes);
        let wide = bytes.clone().map(u32::from);
        let lists = [
            (StringList::Bytes(bytes), wide),
            (StringList::Numbers(numbers.clone()), numbers.clone()),
        ];
        for ((queries, of_queries), (targets, of_targets)) in lists
            .iter()
            .flat_map(|one| lists.iter().map(move |other| (one, other)))
        {
            let targets = targets.borrowed().prepared();
            for _ in 0..2 {
                let (queries, targets) = (queries.borrowed(), Some(targets.borrowed()));
                let pairs = query::Pairs::of(queries, targets, Selection::Cross);
                let report = engine
                    .run(&pairs.expect("they are no letters"))
                    .expect("it fits");
                let expected = of_queries.iter().flat_map(|query| {
                    let value =
                        |target| reference::value(Measure::Edit, Mode::Global, query, target);
                    of_targets.iter().map(value)
                });
                assert!(report.values.iter().map(u64::from).eq(expected));
            }
        }
    }
}

/// Strings of few words in any order, some of them more than once, between any white space.
#[test]
fn ratios_of_words_match_the_reference() {
    let mut random = Random::new(12);
    let words = [
        "ACME", "Corp", "of", "Ohio", "the", "of", "Müller", "a", "Bayer", "",
    ];
    let spaces = [" ", "  ", "\t", "\u{A0}", "\u{2003}", "\u{1C}", ", "];
    let mut list = |count: usize| -> Vec<String> {
        let mut string = || {
            let count = random.below(6);
            let mut part = || {
                let word = words[random.below(words.len())];
                word.to_string() + spaces[random.below(spaces.len())]
            };
            (0..count).map(|_| part()).collect()
        };
        (0..count).map(|_| string()).collect()
    };
    let (queries, targets) = (list(30), list(90));
    let numbers = |list: &[String]| {
        Strings::from_slices(
            list.iter()
                .map(|string| string.chars().map(u32::from).collect::<Vec<_>>()),
        )
    };
    check_ratios(
        &Strings::from_slices(&queries),
        &Strings::from_slices(&targets),
    );
    check_ratios(&numbers(&queries), &numbers(&targets));
}

fn check_ratios<S: Symbol>(queries: &Strings<'_, S>, targets: &Strings<'_, S>) {
    let all = Measure::ALL.into_iter();
    for measure in all.filter(|measure| measure.max_similarity() == 100.0) {
        let all = (0..queries.len() * targets.len())
            .map(|place| (place / targets.len(), place % targets.len()));
        let list: Vec<_> = all
            .clone()
            .map(|(query, target)| (query as u32, target as u32))
            .collect();
        let cross = cpu(2)
            .run(&Pairs::cross(queries, targets).measure(measure))
            .expect("it fits");
        let list = cpu(1)
            .run(&Pairs::list(queries, targets, list).measure(measure))
            .expect("it fits");
        let mut perfect = 0;
        for ((query, target), (cross, list)) in all.zip(cross.values.iter().zip(list.values.iter()))
        {
            let (query, target) = (&queries[query], &targets[target]);
            let expected = reference::value(measure, Mode::Global, query, target);
            assert_eq!(
                (u64::from(cross), u64::from(list)),
                (expected, expected),
                "{measure}"
            );
            assert_eq!(
                measure.of_small_pair(query, target),
                Some(expected),
                "{measure}"
            );
            let similarity = measure.similarity(
                Mode::Global,
                expected,
                query.len() as u64,
                target.len() as u64,
            );
            assert!(
                (0.0..=100.0).contains(&similarity),
                "{measure} {similarity}"
            );
            perfect += usize::from(similarity == 100.0);
        }
        let is_of_sets = measure == Measure::TokenSet;
        assert!(perfect > 20 || !is_of_sets, "{measure} {perfect}");
    }
}

#[test]
fn queries_at_the_edges_of_lanes_match_the_reference() {
    let mut random = Random::new(6);
    let lens = [0, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65];
    for letters in [4, 3000] {
        let mut list = |count: usize, seed: usize| {
            let string = |place: usize| random.codes(lens[(place * seed) % lens.len()], letters);
            Strings::from_slices((0..count).map(string).collect::<Vec<_>>())
        };
        let (queries, targets) = (list(500, 5), list(13, 1));
        let few = Strings::from_slices(queries.iter().take(3).collect::<Vec<_>>());
        let short = queries.iter().filter(|query| query.len() <= 64).take(200);
        let short = Strings::from_slices(short.collect::<Vec<_>>());
        for (measure, mode, within) in [
            (Measure::Edit, Mode::Global, None),
            (Measure::Edit, Mode::Global, Some(0)),
            (Measure::Edit, Mode::Global, Some(9)),
            (Measure::Edit, Mode::Prefix, None),
            (Measure::Edit, Mode::Infix, Some(5)),
            (Measure::Indel, Mode::Global, Some(20)),
            (Measure::Lcs, Mode::Global, None),
            (Measure::Jaro, Mode::Global, None),
            (Measure::JaroWinkler, Mode::Global, None),
            (Measure::Hamming, Mode::Global, None),
            (Measure::Hamming, Mode::Global, Some(5)),
        ] {
            for queries in [&queries, &few, &short] {
                let mut pairs = Pairs::cross(queries, &targets).measure(measure).mode(mode);
                pairs.call.within = within;
                assert_matches_reference(&cpu(2), &pairs);
            }
        }
    }
}

#[test]
fn a_large_triangle_has_the_values_of_the_rectangle() {
    let mut random = Random::new(7);
    let string = |_| {
        let len = random.below(12);
        random.codes(len, 3)
    };
    let strings = Strings::from_slices((0..1100).map(string).collect::<Vec<_>>());
    let all = cpu(2)
        .run(&Pairs::cross(&strings, &strings))
        .expect("it fits");
    let triangle = cpu(2).run(&Pairs::symmetric(&strings)).expect("it fits");
    let upper = (0..1100).flat_map(|row| (row + 1..1100).map(move |column| (row, column)));
    let of_all = upper.map(|(row, column)| all.values.get(row * 1100 + column));
    assert!(of_all.eq(triangle.values.iter().map(Some)));
}

#[test]
fn shards_join_to_all_values() {
    let mut random = Random::new(4);
    let (queries, targets) = lists(&mut random, 4);
    let engine = cpu(2);
    for pairs in [Pairs::cross(&queries, &targets), Pairs::symmetric(&targets)] {
        let all: Vec<u32> = engine.run(&pairs).expect("it fits").values.iter().collect();
        let mut joined = Vec::new();
        for share in 0..5 {
            let report = engine.run(&pairs.clone().shard(share, 5)).expect("it fits");
            assert_eq!(report.pairs.start, joined.len() as u64);
            joined.extend(report.values.iter());
        }
        assert_eq!(joined, all);
        for (share, shares) in [(0, 0), (4, 4)] {
            let refused = engine.run(&pairs.clone().shard(share, shares));
            assert!(matches!(refused, Err(Error::OutOfRange { .. })));
        }
    }
}

#[test]
fn a_sink_may_end_the_call() {
    let strings = Strings::<u8>::from_slices(["a", "b", "c"]);
    let task = Pairs::symmetric(&strings).for_each(|_| ControlFlow::Break(()));
    assert_eq!(cpu(1).run(&task).expect("it ends early").pairs, 3);
}

#[test]
fn modes_and_bounds_of_other_measures_are_refused() {
    let strings = Strings::<u8>::from_slices(["a", "b"]);
    for pairs in [
        Pairs::symmetric(&strings).lcs().within(3),
        Pairs::symmetric(&strings).indel().mode(Mode::Infix),
    ] {
        let refused = cpu(1).run(&pairs);
        assert!(matches!(refused, Err(Error::MethodUnavailable { .. })));
    }
}

#[test]
fn the_plan_of_long_pairs_is_that_of_their_calls() {
    let mut random = Random::new(77);
    let mut long = |len| dna(&random.codes(len, 4));
    let (a, b) = (long(70_000), long(80_000));
    let engine = cpu(1);
    let lists = [
        Strings::<u8>::from_slices([&a]),
        Strings::from_slices([&b, &b]),
    ];
    let planned = engine.plan(&Pairs::cross(&lists[0], &lists[1]));
    let (planned, one) = (planned.expect("it fits"), engine.plan(&Edit::of(&a, &b)));
    let one = one.expect("it fits");
    assert_eq!((planned.method, planned.cells), (one.method, 2 * one.cells));
    assert!(planned.host_bytes >= one.host_bytes, "{planned:?}");
    let ratio = planned.expected.as_secs_f64() / one.expected.as_secs_f64();
    assert!((1.99..2.5).contains(&ratio), "{ratio}");
    // Beside short strings.
    let lists = [
        Strings::<u8>::from_slices([&a, &a[..5]]),
        Strings::from_slices([&b]),
    ];
    let mixed = engine.plan(&Pairs::cross(&lists[0], &lists[1]));
    let mixed = mixed.expect("it fits");
    assert!(mixed.expected >= one.expected.mul_f64(0.99), "{mixed:?}");
    assert_eq!(mixed.cells, one.cells + 5 * 80_000);
}
