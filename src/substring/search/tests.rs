//! Tests of the CPU search against the reference.

use super::alphabet::Alphabet;
use super::*;
use crate::error::Error;
use crate::papers::sort_and_scan;
use crate::sequences::bit_parallel::inputs::{Random, fibonacci};
use crate::substring::reference;

fn text(random: &mut Random, symbols: usize, letters: u32) -> Vec<u8> {
    bytes(random.codes(symbols, letters))
}

fn bytes(codes: Vec<u32>) -> Vec<u8> {
    codes.into_iter().map(|code| code as u8).collect()
}

fn thue_morse(from: usize, symbols: usize) -> Vec<u8> {
    (from..from + symbols)
        .map(|place| (place.count_ones() % 2) as u8)
        .collect()
}

#[track_caller]
fn assert_answers<C: Code>(texts: &[&[C]], inputs: usize, settings: &Settings) {
    let query = SubstringQuery { texts, inputs };
    let control = Control::default();
    let expected =
        SearchOutcome::Found(reference::longest(texts, inputs, || true).expect("nothing ends it"));
    for (method, found) in [
        (
            "cascade",
            on_cpu(query, Alphabet::of(query.texts), settings, &control),
        ),
        (
            "sort-and-scan",
            sort_and_scan::on_cpu(query, settings, &control),
        ),
    ] {
        let found = found.expect("nothing cancels it").0;
        let texts = texts.len();
        assert_eq!(
            found, expected,
            "{method}, {inputs} of {texts} texts, {settings:?}"
        );
    }
}

/// Defaults, short and long first windows, overflowing lists, full bitmaps.
fn settings(seed: u64) -> Vec<Settings> {
    let all = [
        (None, None, None),
        (Some(1), None, None),
        (Some(100), None, None),
        (None, Some(16), None),
        (Some(1), Some(0), None),
        (Some(3), Some(64), Some(10)),
    ];
    let tuned = |(start_length, capacity, bitmap_log2)| Settings {
        seed,
        tuning: Tuning {
            start_length,
            capacity,
            bitmap_log2,
            ..Tuning::default()
        },
        ..Settings::default()
    };
    all.into_iter().map(tuned).collect()
}

#[test]
fn search_matches_reference_on_random_texts() {
    for seed in 0..40 {
        let mut random = Random::new(seed);
        let letters = [1, 2, 3, 4, 26, 256][random.below(6)];
        let count = 2 + random.below(4);
        let texts = (0..count).map(|_| {
            let symbols = [0, 1, 2, 63, 64, 65, 200, 500][random.below(8)];
            text(&mut random, symbols, letters)
        });
        let texts: Vec<_> = texts.collect();
        let texts: Vec<&[u8]> = texts.iter().map(|text| &text[..]).collect();
        for inputs in 2..=texts.len() {
            settings(seed)
                .iter()
                .for_each(|settings| assert_answers(&texts, inputs, settings));
        }
    }
}

#[test]
fn search_matches_reference_on_periodic_texts() {
    let (short, long) = (bytes(fibonacci(233)), bytes(fibonacci(610)));
    let reversed: Vec<u8> = long.iter().rev().copied().collect();
    let mut random = Random::new(5);
    let (some, other) = (text(&mut random, 400, 4), text(&mut random, 300, 4));
    let planted = [&other[..100], &some[250..], &other[100..]].concat();
    let twice = [&some[..], &some].concat();
    let cases: [[&[u8]; 3]; 9] = [
        [&[7; 300], &[7; 300], &[7; 20]],
        [&[7; 300], &[7; 129], &[7; 300]],
        [&short, &long, &reversed],
        [&long, &reversed, &short],
        [
            &thue_morse(0, 400),
            &thue_morse(7, 300),
            &thue_morse(100, 64),
        ],
        [&some, &some, &some],
        [&some, &planted, &twice],
        [&twice, &twice, &other],
        [&[0, 1, 0, 1, 0, 1, 0], &[1, 0, 1, 0], &[0, 0, 1, 1]],
    ];
    for texts in cases {
        for settings in settings(9) {
            for inputs in 2..=3 {
                assert_answers(&texts, inputs, &settings);
            }
            assert_answers(&texts[..2], 2, &settings);
        }
    }
}

#[test]
fn search_finds_matches_at_text_ends_and_task_edges() {
    let mut random = Random::new(11);
    // A CPU task has 16,384 windows.
    let (a, b) = (text(&mut random, 40_000, 26), text(&mut random, 35_000, 26));
    let block = text(&mut random, 60, 26);
    for (from, to) in [
        (0, 0),
        (16_384 - 30, 5),
        (39_940, 34_940),
        (32_768 - 60, 16_384),
        (0, 34_940),
    ] {
        let (mut a, mut b) = (a.clone(), b.clone());
        a[from..from + 60].copy_from_slice(&block);
        b[to..to + 60].copy_from_slice(&block);
        let texts = [&a[..], &b];
        let (answer, _) = on_cpu(
            SubstringQuery {
                texts: &texts,
                inputs: 2,
            },
            Alphabet::of(&texts),
            &Settings::default(),
            &Control::default(),
        )
        .expect("it runs");
        let SearchOutcome::Found(found) = answer else {
            panic!("undecided")
        };
        assert!(
            found.length >= 60 && found.occurrences.len() == 1,
            "{found:?}"
        );
        let [(0, one), (1, two)] = found.occurrences[0][..] else {
            panic!("{found:?}")
        };
        assert!(
            one <= from && two <= to && from - one == to - two,
            "{found:?}"
        );
    }
}

#[test]
fn search_matches_reference_on_wide_symbols() {
    let mut random = Random::new(3);
    let text = |random: &mut Random, letters| -> Vec<u32> {
        let codes = random.codes(300, letters).into_iter();
        codes.map(|code| code * 977).collect()
    };
    for letters in [1, 2, 500, 1 << 22] {
        let (a, b, c) = (
            text(&mut random, letters),
            text(&mut random, letters),
            text(&mut random, letters),
        );
        let planted = [&a[50..90], &b[..], &c[200..]].concat();
        for settings in settings(1) {
            assert_answers(&[&a, &planted], 2, &settings);
            assert_answers(&[&a, &planted, &c], 2, &settings);
        }
    }
}

#[test]
fn search_stops_when_cancelled() {
    let handle = crate::CancelHandle::new();
    handle.cancel();
    let control = Control::default().cancelled_by(&handle);
    let texts: [&[u8]; 2] = [&[1, 2, 3], &[2, 3]];
    let query = SubstringQuery {
        texts: &texts,
        inputs: 2,
    };
    assert!(matches!(
        on_cpu(
            query,
            Alphabet::of(query.texts),
            &Settings::default(),
            &control
        ),
        Err(crate::Error::Cancelled)
    ));
    assert!(matches!(
        sort_and_scan::on_cpu(query, &Settings::default(), &control),
        Err(crate::Error::Cancelled)
    ));
}

#[test]
fn search_refuses_places_beyond_the_host_budget() {
    let (a, b) = (vec![1u8; 5_000], vec![1u8; 3_000]);
    let texts: [&[u8]; 2] = [&a, &b];
    let query = SubstringQuery {
        texts: &texts,
        inputs: 2,
    };
    let mut settings = Settings {
        host_bytes: Some(100_000),
        ..Settings::default()
    };
    settings.tuning.capacity = Some(16);
    let control = Control::default();
    assert!(matches!(
        on_cpu(query, Alphabet::of(query.texts), &settings, &control),
        Err(Error::MemoryBudget { .. })
    ));
    settings.host_bytes = Some(1_000_000);
    assert!(on_cpu(query, Alphabet::of(query.texts), &settings, &control).is_ok());
}
