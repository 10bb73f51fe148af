//! Common substring searches on a GPU against the reference and the host.

use support::inputs::{Input, Kind, Random};
use support::substrings::{self, BUDGET, METHODS, Method, found, methods, on_backend};
use support::tier::{first_or_all, is_full};
use swath::unstable::substring::search::alphabet::Alphabet;
use swath::unstable::substring::search::{SearchOutcome, Settings, Tuning, on_cpu};
use swath::unstable::substring::{Code, LongestSubstrings, SubstringQuery};
use swath::{Control, Error};

/// Runs a search on the GPU; `None` skips the test.
fn on_gpu<C: Code>(
    method: Method,
    query: SubstringQuery<'_, C>,
    settings: &Settings,
    budget_bytes: u64,
) -> Option<Result<SearchOutcome, Error>> {
    let gpu = support::lock_gpu()?;
    Some(on_backend(&*gpu, method, query, settings, budget_bytes))
}

/// The host's answer.
fn on_host<C: Code>(query: SubstringQuery<'_, C>, settings: &Settings) -> LongestSubstrings {
    let (alphabet, control) = (Alphabet::of(query.texts), Control::default());
    found(
        on_cpu(query, alphabet, settings, &control)
            .expect("it runs")
            .0,
    )
}

fn text(random: &mut Random, symbols: usize, letters: u32) -> Vec<u8> {
    let symbols = random.symbols(symbols, letters).into_iter();
    symbols.map(|symbol| symbol as u8).collect()
}

/// Requires the reference's answer of the methods that the settings apply to. A sort and scan takes
/// a second on a software driver: the first tier takes it every third time.
#[track_caller]
fn assert_reference<C: Code + std::fmt::Debug>(
    texts: &[&[C]],
    inputs: usize,
    settings: &Settings,
    turn: &mut usize,
) {
    let Some(backend) = support::lock_gpu() else {
        return;
    };
    let has_turn = is_full() || turn.is_multiple_of(3);
    *turn += 1;
    let methods = methods(settings).filter(|&method| has_turn || method == Method::Cascade);
    substrings::assert_reference(&*backend, methods, texts, inputs, settings);
}

/// Requires the host's answer.
#[track_caller]
fn assert_host<C: Code>(texts: &[&[C]], inputs: usize, settings: &Settings) -> LongestSubstrings {
    assert_host_by(methods(settings), texts, inputs, settings)
}

/// As [`assert_host`], for some of the methods.
#[track_caller]
fn assert_host_by<C: Code>(
    methods: impl Iterator<Item = Method>,
    texts: &[&[C]],
    inputs: usize,
    settings: &Settings,
) -> LongestSubstrings {
    let query = SubstringQuery { texts, inputs };
    let expected = on_host(query, settings);
    for answer in methods.filter_map(|method| on_gpu(method, query, settings, BUDGET)) {
        let answer = found(answer.expect("it runs"));
        assert!(
            answer == expected,
            "length {}, not {}, {settings:?}",
            answer.length,
            expected.length
        );
    }
    expected
}

/// All of the [`settings`] in the full tier, else the default ones and one of the others in turn.
fn some_settings(seed: u64, turn: usize) -> Vec<Settings> {
    let all = settings(seed);
    if is_full() {
        return all;
    }
    vec![all[0], all[1 + turn % (all.len() - 1)]]
}

/// Defaults; short and long first windows, overflowing lists, full bitmaps, partitions, chunks.
fn settings(seed: u64) -> Vec<Settings> {
    let tuned = |tune: &dyn Fn(&mut Tuning)| {
        let mut settings = Settings {
            seed,
            ..Settings::default()
        };
        tune(&mut settings.tuning);
        settings
    };
    vec![
        tuned(&|_| ()),
        tuned(&|tuning| tuning.start_length = Some(1)),
        tuned(&|tuning| (tuning.start_length, tuning.partition_log2) = (Some(100), Some(10))),
        tuned(&|tuning| (tuning.capacity, tuning.bitmap_log2) = (Some(16), Some(10))),
        tuned(&|tuning| {
            (tuning.start_length, tuning.chunk_symbols, tuning.portable) =
                (Some(3), Some(8192), true)
        }),
    ]
}

#[test]
fn random_texts_of_odd_alphabets_have_the_substrings_of_the_reference() {
    let mut turn = 0;
    for seed in 0..6 {
        let mut random = Random::new(seed);
        let letters = [1, 2, 3, 4, 26, 256][seed as usize];
        let count = 2 + random.below(3) as usize;
        let texts: Vec<Vec<u8>> = (0..count)
            .map(|_| {
                let symbols = random.pick(&[0, 1, 31, 32, 33, 200, 450]);
                text(&mut random, symbols, letters)
            })
            .collect();
        let texts: Vec<&[u8]> = texts.iter().map(|text| &text[..]).collect();
        for inputs in 2..=texts.len() {
            for settings in some_settings(seed, seed as usize + inputs) {
                assert_reference(&texts, inputs, &settings, &mut turn);
            }
        }
    }
}

#[test]
fn words_that_repeat_themselves_have_the_substrings_of_the_reference() {
    let kinds = [
        Kind::AllEqual,
        Kind::Fibonacci,
        Kind::ThueMorse,
        Kind::Periodic,
        Kind::Similar,
        Kind::Disjoint,
    ];
    let mut turn = 0;
    for (place, kind) in kinds.into_iter().enumerate() {
        let (a, b) = Input {
            kind,
            letters: 4,
            rows: 610,
            cols: 430,
            seed: 5,
        }
        .bytes();
        for settings in some_settings(3, place) {
            assert_reference(&[&a, &b], 2, &settings, &mut turn);
        }
        let default = Settings::default();
        assert_reference(&[&a, &a], 2, &default, &mut turn);
        assert_reference(&[&a, &b, &a[..100]], 3, &default, &mut turn);
        assert_reference(&[&a, &b, &a[..100]], 2, &default, &mut turn);
    }
}

#[test]
fn wide_symbols_are_told_apart() {
    let (mut random, mut turn) = (Random::new(8), 0);
    for (place, letters) in [2, 700, 1 << 31].into_iter().enumerate() {
        let (a, b) = (random.symbols(400, letters), random.symbols(300, letters));
        let planted = [&b[..], &a[100..170]].concat();
        for settings in some_settings(4, place) {
            assert_reference(&[&a, &planted], 2, &settings, &mut turn);
        }
    }
}

#[test]
fn matches_cross_the_edges_of_stretches_workgroups_and_chunks() {
    let mut random = Random::new(2);
    let (a, b) = (text(&mut random, 40_000, 4), text(&mut random, 33_000, 4));
    let block = text(&mut random, 9_000, 4);
    let mut chunked = Settings::default();
    chunked.tuning.chunk_symbols = Some(8192);
    // A workgroup and a forced chunk have 8,192 windows. Sorting in chunks is slow on a software
    // driver and is tested only where it differs.
    let by_cascade = &METHODS[..1];
    let places = [
        (16_384 - 50, 8192, 50, &METHODS[..]),
        (39_940, 32_940, 60, by_cascade),
        (31_000, 24_000, 9000, by_cascade),
        (0, 0, 50, by_cascade),
        (8192 - 30, 5, 60, by_cascade),
        (8191, 32_900, 100, by_cascade),
        (8000, 100, 9000, &METHODS),
    ];
    let tried = if is_full() { places.len() } else { 3 };
    for (from, to, length, in_chunks) in places.into_iter().take(tried) {
        let (mut a, mut b) = (a.clone(), b.clone());
        a[from..from + length].copy_from_slice(&block[..length]);
        b[to..to + length].copy_from_slice(&block[..length]);
        let mut whole = &METHODS[..];
        if !is_full() {
            whole = by_cascade;
            if in_chunks.len() > 1 {
                a.truncate(from + 1700);
                b.truncate(to + 1700);
            }
        }
        for (settings, methods) in [(Settings::default(), whole), (chunked, in_chunks)] {
            let found = assert_host_by(methods.iter().copied(), &[&a, &b], 2, &settings);
            assert!(
                found.length >= length && found.occurrences.len() == 1,
                "{from} {to} {length}"
            );
        }
    }
}

#[test]
fn a_text_of_more_blocks_than_a_workgroup_has_lanes_is_hashed_right() {
    let mut random = Random::new(12);
    // A lane takes one or two blocks of 8,192 symbols.
    let a = text(&mut random, 300 * 8192 + 77, 4);
    let start = 290 * 8192 - 100;
    let b = [
        &text(&mut random, 5_000, 4),
        &a[start..start + 3_000],
        &text(&mut random, 2_000, 4),
    ]
    .concat();
    let mut settings = Settings::default();
    settings.tuning.start_length = Some(2_990);
    let texts = [&a[..], &b];
    let Some(answer) = on_gpu(
        Method::Cascade,
        SubstringQuery {
            texts: &texts,
            inputs: 2,
        },
        &settings,
        BUDGET,
    ) else {
        return;
    };
    let found = found(answer.expect("it runs"));
    assert!((3_000..3_020).contains(&found.length), "{found:?}");
    let [(0, one), (1, two)] = found.occurrences[0][..] else {
        panic!("{found:?}")
    };
    assert!(one <= start && start - one == 5_000 - two, "{found:?}");
}

#[test]
fn texts_that_are_the_same_or_nearly_so_have_the_substrings_that_the_host_finds() {
    let mut random = Random::new(6);
    let a = random.symbols(10_000, 4);
    let mut b = a.clone();
    for place in [1_500, 2_001, 8_700] {
        b[place] = (b[place] + 1) % 4;
    }
    let bytes =
        |symbols: &[u32]| -> Vec<u8> { symbols.iter().map(|&symbol| symbol as u8).collect() };
    let (a, b) = (bytes(&a), bytes(&b));
    let twice = [&a[..], &a[..6_000]].concat();
    let mut few = Settings::default();
    (few.tuning.capacity, few.tuning.chunk_symbols) = (Some(64), Some(8192));
    for settings in first_or_all(&[few, Settings::default()]) {
        // Of these four, two by sorting in the first tier.
        let some = if is_full() {
            &METHODS[..]
        } else {
            &METHODS[..1]
        };
        for (texts, inputs, methods, length) in [
            (&[&a[..], &b][..], 2, &METHODS[..], 8_700 - 2_002),
            (&[&a, &a], 2, some, a.len()),
            (&[&twice, &a, &b], 2, &METHODS, a.len()),
            (&[&twice, &a, &b], 3, some, 8_700 - 2_002),
        ] {
            let found = assert_host_by(methods.iter().copied(), texts, inputs, &settings);
            assert_eq!(found.length, length);
        }
    }
}

#[test]
fn all_equal_texts_have_every_position_in_the_answer() {
    let (a, b) = (vec![7u8; 20_000], vec![7u8; 12_000]);
    let mut few = Settings::default();
    few.tuning.capacity = Some(100);
    for settings in [Settings::default(), few] {
        let found = assert_host(&[&a, &b], 2, &settings);
        assert_eq!((found.length, found.occurrences[0].len()), (12_000, 8_002));
    }
}

#[test]
fn a_budget_that_holds_no_text_is_refused_and_a_short_one_has_smaller_bitmaps() {
    let mut random = Random::new(1);
    let text = |random: &mut Random| text(random, 100_000, 200);
    let (a, b) = (text(&mut random), text(&mut random));
    let mut settings = Settings::default();
    settings.tuning.capacity = Some(1 << 10);
    let texts = [&a[..], &b];
    let query = SubstringQuery {
        texts: &texts,
        inputs: 2,
    };
    let expected = on_host(query, &settings);
    let Some(refused) = on_gpu(Method::Cascade, query, &settings, 200_000) else {
        return;
    };
    assert!(
        matches!(refused, Err(Error::MemoryBudget { .. })),
        "{refused:?}"
    );
    let answer = on_gpu(Method::Cascade, query, &settings, 300_000).expect("a GPU is here");
    assert_eq!(found(answer.expect("it fits")), expected);
}

#[test]
fn a_sort_larger_than_the_budget_is_done_in_parts() {
    let mut random = Random::new(7);
    let text = |random: &mut Random| text(random, 20_000, 26);
    let (a, mut b) = (text(&mut random), text(&mut random));
    b[500..600].copy_from_slice(&a[19_900..]);
    let mut settings = Settings::default();
    settings.tuning.capacity = Some(1 << 10);
    let texts = [&a[..], &b, &a[10_000..]];
    for inputs in [2, 3] {
        let query = SubstringQuery {
            texts: &texts[..inputs],
            inputs,
        };
        let expected = on_host(query, &settings);
        let budgets = [500_000, 2_000_000];
        let budgets = if is_full() {
            &budgets[..]
        } else {
            &budgets[inputs - 2..][..1]
        };
        for &budget in budgets {
            let Some(answer) = on_gpu(Method::SortAndScan, query, &settings, budget) else {
                return;
            };
            assert_eq!(found(answer.expect("parts fit")), expected);
        }
        let refused = on_gpu(Method::SortAndScan, query, &settings, 100_000);
        assert!(
            matches!(refused, Some(Err(Error::MemoryBudget { .. }))),
            "{refused:?}"
        );
    }
    // All windows have the same hash, hence one partition.
    let same = vec![1u8; 20_000];
    let query = SubstringQuery {
        texts: &[&same[..], &same[..100]],
        inputs: 2,
    };
    let refused = on_gpu(Method::SortAndScan, query, &settings, 500_000);
    assert!(
        matches!(refused, None | Some(Err(Error::MemoryBudget { .. }))),
        "{refused:?}"
    );
}
