//! Searches against a plain table.

mod table;

use super::{Choice, Exact, Place, Search, Strands};
use crate::backend::DeviceChoice;
use crate::edit_distance::{Mode, reference};
use crate::engine::{Engine, Options};
use crate::error::Error;
use crate::matching::Matching;
use crate::orientation::reverse_complement;
use crate::pairs::Strings;
use crate::sequences::bit_parallel::inputs::Random;
use crate::substring::Strand;
use table::Case;

fn engine(threads: usize) -> Engine {
    let options = Options::new().device(DeviceChoice::Cpu).threads(threads);
    Engine::new(options).expect("the CPU is there")
}

fn dna(random: &mut Random, len: usize, letters: u32) -> Vec<u8> {
    let codes = random.codes(len, letters).into_iter();
    codes.map(|code| b"ACGTNRYSWK"[code as usize]).collect()
}

/// A text with edited copies of patterns on both strands.
fn text(random: &mut Random, patterns: &[Vec<u8>], len: usize, letters: u32) -> Vec<u8> {
    let mut text = dna(random, len, letters);
    for _ in 0..random.below(4) {
        let pattern = &patterns[random.below(patterns.len())];
        let mut copy = if random.below(2) == 0 {
            pattern.clone()
        } else {
            reverse_complement(pattern).expect("it is DNA")
        };
        for _ in 0..random.below(4) {
            let place = random.below(copy.len() + 1);
            match random.below(3) {
                0 => copy.insert(place, b'A'),
                1 if place < copy.len() => copy[place] = b'C',
                _ if place < copy.len() => drop(copy.remove(place)),
                _ => {}
            }
        }
        let place = [0, text.len(), random.below(text.len() + 1)][random.below(3)];
        text.splice(place..place, copy);
    }
    text
}

#[test]
fn places_match_the_plain_table() {
    let mut random = Random::new(201);
    let mut count = 0;
    for round in 0..60 {
        let letters = [1, 2, 4, 4][round % 4];
        let lens = [1, 2, 5, 7, 12, 20, 24, 33, 64, 65];
        let patterns: Vec<_> = (0..1 + random.below(5))
            .map(|_| {
                let len = lens[random.below(lens.len())];
                dna(&mut random, len, letters)
            })
            .collect();
        let shortest = patterns.iter().map(Vec::len).min().expect("there are some");
        let lens = [0, 1, 2, 15, 63, 64, 65, 130, 511, 513];
        let texts: Vec<_> = (0..1 + random.below(4))
            .map(|_| {
                let len = lens[random.below(lens.len())];
                text(&mut random, &patterns, len, letters)
            })
            .collect();
        for (place, choice) in Choice::ALL.into_iter().enumerate() {
            let case = Case {
                within: random.below(shortest.min(6)) as u64,
                choice,
                strands: Strands::ALL[(round + place) % 3],
                // Cuts of texts, and a whole call.
                unit: [None, Some(1), Some(7), Some(100)][random.below(4)],
                ..Case::default()
            };
            count += case.check(&patterns, &texts, 1 + round % 2);
        }
    }
    assert!(count > 10_000, "{count}");
}

#[test]
fn exact_parts_motifs_ambiguous_letters_and_searches_without_gaps() {
    let mut random = Random::new(202);
    let mut counts = [0; 5];
    for round in 0..120 {
        let patterns: Vec<_> = (0..3)
            .map(|_| dna(&mut random, 12, 2 + round % 3))
            .collect();
        let texts: Vec<_> = [0, 40, 200]
            .map(|len| text(&mut random, &patterns, len, 4))
            .into();
        let base = Case {
            within: random.below(4) as u64,
            choice: Choice::ALL[round as usize % 3],
            strands: Strands::ALL[random.below(3)],
            unit: [None, Some(9)][random.below(2)],
            ..Case::default()
        };
        let exact = 1 + random.below(4);
        let mut ambiguous = patterns.clone();
        ambiguous[0][3] = b'N';
        ambiguous[1][0] = b'R';
        let mut letters = texts.clone();
        letters.iter_mut().for_each(|text| {
            text.iter_mut()
                .step_by(17)
                .for_each(|letter| *letter = b'N');
        });
        let cases = [
            (
                Case {
                    exact: Some(Exact::Tail(exact)),
                    ..base.clone()
                },
                &patterns,
                &texts,
            ),
            (
                Case {
                    exact: Some(Exact::Head(exact)),
                    ..base.clone()
                },
                &patterns,
                &texts,
            ),
            (
                Case {
                    motif: b"NG",
                    ..base.clone()
                },
                &patterns,
                &letters,
            ),
            (
                Case {
                    matching: Some(Matching::iupac()),
                    ..base.clone()
                },
                &ambiguous,
                &letters,
            ),
            (
                Case {
                    max_gaps: Some(0),
                    exact: Some(Exact::Tail(1)),
                    ..base
                },
                &patterns,
                &texts,
            ),
        ];
        for (count, (case, patterns, texts)) in counts.iter_mut().zip(cases) {
            *count += case.check(patterns, texts, 1 + round as usize % 2);
        }
    }
    assert!(counts.iter().all(|&count| count > 50), "{counts:?}");
}

#[test]
fn bounds_of_substitutions_and_gaps_and_patterns_that_stick_out() {
    let mut random = Random::new(203);
    let mut counts = [0; 5];
    for round in 0..40 {
        let letters = 2 + round % 3;
        let patterns: Vec<_> = [11, 13, 16]
            .map(|len| dna(&mut random, len, letters))
            .into();
        let mut texts: Vec<_> = [0, 3, 20, 45]
            .map(|len| text(&mut random, &patterns, len, 4))
            .into();
        // Parts of patterns at both ends of a text, and a text inside of a pattern.
        let (end, start) = (random.below(10), random.below(9));
        let inside = &patterns[2][start.min(6)..];
        texts.push([&patterns[0][start..], &texts[2], &patterns[1][..end + 3]].concat());
        texts.push(inside[..inside.len() - random.below(4)].to_vec());
        let base = Case {
            within: 1 + random.below(4) as u64,
            choice: Choice::ALL[round as usize % 3],
            strands: Strands::ALL[random.below(3)],
            unit: [None, Some(9), Some(1)][random.below(3)],
            ..Case::default()
        };
        let bound = |random: &mut Random| random.below(3) as u64;
        let cost = [500, 1000, 667][random.below(3)];
        let exact = match random.below(2) {
            0 => Exact::Tail(2),
            _ => Exact::Head(1),
        };
        let cases = [
            Case {
                max_substitutions: Some(bound(&mut random)),
                ..base.clone()
            },
            Case {
                max_gaps: Some(1 + bound(&mut random)),
                exact: Some(exact).filter(|_| round % 2 == 0),
                ..base.clone()
            },
            Case {
                max_substitutions: Some(bound(&mut random)),
                max_gaps: Some(bound(&mut random)),
                ..base.clone()
            },
            Case {
                overhang: Some(cost),
                exact: Some(exact).filter(|_| round % 3 == 0),
                within: base.within.min(3),
                ..base.clone()
            },
            Case {
                overhang: Some(cost),
                max_substitutions: Some(bound(&mut random)),
                max_gaps: Some(bound(&mut random)),
                within: base.within.min(3),
                ..base
            },
        ];
        for (count, case) in counts.iter_mut().zip(cases) {
            *count += case.check(&patterns, &texts, 1 + round as usize % 2);
        }
    }
    assert!(counts.iter().all(|&count| count > 200), "{counts:?}");
}

#[test]
fn periodic_texts_and_plateaus() {
    let repeat = |unit: &str, len: usize| unit.bytes().cycle().take(len).collect::<Vec<_>>();
    let patterns = [
        repeat("A", 10),
        repeat("AC", 12),
        repeat("ACG", 20),
        repeat("AACC", 9),
    ];
    let texts = [
        repeat("A", 700),
        repeat("AC", 300),
        repeat("CA", 301),
        repeat("ACG", 150),
        repeat("AACC", 90),
        [repeat("A", 9), repeat("T", 5), repeat("A", 30)].concat(),
    ];
    for choice in Choice::ALL {
        for (within, unit) in [(0, None), (1, Some(64)), (3, Some(1)), (8, Some(13))] {
            let case = Case {
                within,
                choice,
                strands: Strands::Both,
                unit,
                ..Case::default()
            };
            assert!(case.check(&patterns, &texts, 2) > 50);
        }
    }
}

#[test]
fn long_patterns_and_texts_of_several_units() {
    let mut random = Random::new(203);
    let pattern = dna(&mut random, 700, 4);
    let mut long = dna(&mut random, super::request::UNIT_SYMBOLS + 5000, 4);
    for place in [
        0,
        60_000,
        super::request::UNIT_SYMBOLS - 300,
        long.len() - 710,
    ] {
        long.splice(place..place + 700, pattern.iter().copied());
        long.remove(place + 350);
    }
    let short = pattern[..30].to_vec();
    let list = [pattern.clone(), short];
    let lists = (Strings::from_slices(&list), Strings::from_slices([&long]));
    let case = Case {
        within: 20,
        strands: Strands::Both,
        ..Case::default()
    };
    let found = engine(2)
        .run(&case.search(&lists.0, &lists.1))
        .expect("it runs");
    let of_pattern = found.places.iter().filter(|place| place.pattern == 0);
    let found: Vec<_> = of_pattern
        .map(|place| (place.start, place.end, place.cost))
        .collect();
    assert_eq!(found.len(), 4, "{found:?}");
    for (start, end, cost) in found {
        let piece = &long[start as usize..end as usize];
        assert_eq!(
            reference::distance(&pattern, piece, Mode::Global),
            cost.into()
        );
    }
}

/// Checks a case whose patterns have words. Returns the number of places.
fn check_words(case: &Case, patterns: &[Vec<u8>], texts: &[Vec<u8>]) -> usize {
    let lists = [patterns, texts].map(Strings::from_slices);
    let search = case.search(&lists[0], &lists[1]);
    let [patterns_of, texts_of] = [&lists[0], &lists[1]].map(crate::pairs::strings::List::Bytes);
    let request = super::request::Request::new(patterns_of, texts_of, &search.call);
    let others = request.expect("it is valid").plans().others.len();
    let probes = patterns.len() * case.strands.all().len();
    assert!(2 * others < probes, "{others} of {probes} are swept");
    case.check(patterns, texts, 2)
}

#[test]
fn patterns_that_are_searched_together_match_the_plain_table() {
    let mut random = Random::new(205);
    let (mut found, lens) = (0, [12, 16, 20, 24, 31, 32, 40, 62, 63, 64, 90]);
    for (within, choice, strands, unit) in [
        (0, Choice::Ends, Strands::Both, None),
        (1, Choice::Minima, Strands::Both, Some(3000)),
        (2, Choice::Ends, Strands::Reverse, None),
        (3, Choice::Minima, Strands::Both, None),
        (4, Choice::Best, Strands::Forward, Some(1 << 15)),
    ] {
        let patterns: Vec<_> = (0..44)
            .map(|at| dna(&mut random, lens[at % lens.len()] + 4 * within as usize, 4))
            .collect();
        let mut texts: Vec<_> = (0..150)
            .map(|at| text(&mut random, &patterns, 4 * at, 4))
            .collect();
        texts.push([&patterns[0][..], &patterns[1], &patterns[0]].concat());
        texts.push(Vec::new());
        let case = Case {
            within,
            choice,
            strands,
            unit,
            by_words: true,
            ..Case::default()
        };
        found += check_words(&case, &patterns, &texts);
    }
    assert!(found > 500, "{found}");
    // With exact parts and a motif, and in repeats, where windows are many.
    let mut patterns: Vec<_> = (0..40).map(|_| dna(&mut random, 23, 4)).collect();
    let mut texts: Vec<_> = (0..60)
        .map(|_| text(&mut random, &patterns, 500, 4))
        .collect();
    for (exact, motif) in [(Some(Exact::Tail(3)), &b""[..]), (None, b"NG")] {
        let case = Case {
            within: 2,
            strands: Strands::Both,
            exact,
            motif,
            by_words: true,
            ..Case::default()
        };
        assert!(check_words(&case, &patterns, &texts) > 0);
    }
    patterns.extend([b"A".repeat(24), b"AC".repeat(12), b"ACG".repeat(8)]);
    texts.extend([b"A".repeat(4000), b"AC".repeat(3000), b"ACG".repeat(500)]);
    let case = Case {
        within: 2,
        strands: Strands::Both,
        unit: Some(2000),
        by_words: true,
        ..Case::default()
    };
    assert!(check_words(&case, &patterns, &texts) > 0);
}

#[test]
fn symbols_that_are_not_bytes_are_searched() {
    let mut random = Random::new(204);
    for letters in [3, 300, 70_000] {
        let pattern = random.codes(40, letters);
        let mut text = random.codes(500, letters);
        text.splice(100..140, pattern.iter().copied());
        text[120] = letters;
        let lists = [&pattern, &text].map(|one| Strings::from_slices([one]));
        let search = Search::of(&lists[0], &lists[1])
            .within(3)
            .ends()
            .alignments();
        let report = engine(1).run(&search).expect("it runs");
        let row = reference::distances(&pattern, &text);
        let expected = row.iter().enumerate().filter(|end| *end.1 <= 3);
        let found = report
            .places
            .iter()
            .map(|place| (place.end, u64::from(place.cost)));
        let mut found: Vec<_> = found.collect();
        found.sort_unstable();
        assert!(
            found
                .into_iter()
                .eq(expected.map(|(end, &cost)| (end as u64, cost)))
        );
        assert!(
            report
                .alignments
                .as_ref()
                .is_some_and(|all| !all.is_empty())
        );
        let refused = engine(1).run(&search.both_strands());
        assert!(matches!(refused, Err(Error::MethodUnavailable { .. })));
    }
    // More classes than a byte has.
    let all: Vec<u8> = (0..=255).collect();
    let text = [&all[..], &all[3..], &all].concat();
    let lists = [&all, &text].map(|one| Strings::from_slices([one]));
    let report = engine(2)
        .run(&Search::of(&lists[0], &lists[1]).within(3))
        .expect("it runs");
    let found: Vec<_> = report
        .places
        .iter()
        .map(|one| (one.start, one.end, one.cost))
        .collect();
    assert_eq!(found, [(0, 256, 0), (253, 509, 3), (509, 765, 0)]);
}

#[test]
fn patterns_that_match_everywhere_and_other_bad_inputs_are_refused() {
    let texts = Strings::from_slices(["ACGTACGT"]);
    let run = |patterns: &[&str], change: fn(Search<'_>) -> Search<'_>| {
        let patterns = Strings::<u8>::from_slices(patterns);
        let found = engine(1).run(&change(Search::of(&patterns, &texts)));
        found
            .map(|report| report.answer.places.len())
            .map_err(|error| error.to_string())
    };
    assert_eq!(run(&["ACGT"], |search| search), Ok(2));
    assert_eq!(run(&[], |search| search.within(u64::MAX)), Ok(0));
    let error = run(&["ACGT", ""], |search| search).expect_err("one is empty");
    assert!(error.contains("empty"), "{error}");
    for (change, part) in [
        (
            (|search| search.within(4)) as fn(Search<'_>) -> Search<'_>,
            "more than the bound 4",
        ),
        (
            |search| search.within(2).exact(Exact::Tail(2)),
            "the 2 exact symbols and the bound 2",
        ),
        (|search| search.exact(Exact::Head(5)), "the 5 exact symbols"),
        (|search| search.motif("N-G"), "an IUPAC code"),
        (
            |search| search.motif("NGG").exact(Exact::Head(1)),
            "a motif follows the pattern",
        ),
    ] {
        let error = run(&["ACGT"], change).expect_err("it is refused");
        assert!(error.contains(part), "{error}");
    }
    let error = run(&["ACGT", "AC-T"], |search| search.both_strands()).expect_err("no DNA");
    assert!(error.contains("record 2"), "{error}");
}

/// Ends and their costs, in order, as in the files of other programs.
fn listed(mut ends: Vec<(u64, u32)>) -> String {
    ends.sort_unstable();
    let ends: Vec<_> = ends
        .iter()
        .map(|(end, cost)| format!("{end}:{cost}"))
        .collect();
    ends.join(" ")
}

#[test]
fn ends_and_minima_are_those_of_sassy() {
    let mut count = 0;
    for line in include_str!("../../tests/data/sassy.tsv").lines().skip(1) {
        let fields: Vec<_> = line.split('\t').collect();
        let [pattern, text, within] = fields[..3] else {
            panic!("{line}");
        };
        let lists = [pattern, text].map(|one| Strings::<u8>::from_slices([one]));
        let within = within.parse().expect("a number");
        for (choice, expected) in [Choice::Ends, Choice::Minima].into_iter().zip([3, 5]) {
            let search = Search::of(&lists[0], &lists[1])
                .within(within)
                .both_strands();
            let report = engine(1).run(&search.choice(choice)).expect("it runs");
            for (strand, expected) in Strand::ALL.into_iter().zip(&fields[expected..]) {
                let places = report.places.iter().filter(|place| place.strand == strand);
                let ends: Vec<_> = places
                    .map(|place| match strand {
                        Strand::Forward => (place.end, place.cost),
                        Strand::Reverse => (place.start, place.cost),
                    })
                    .collect();
                count += ends.len();
                assert_eq!(listed(ends), *expected, "{choice} {strand} of {line}");
            }
        }
    }
    assert!(count > 1000, "{count}");
}

#[test]
fn costs_of_patterns_that_stick_out_are_those_of_sassy() {
    let mut outside = 0;
    for line in include_str!("../../tests/data/sassy_overhang.tsv")
        .lines()
        .skip(1)
    {
        let fields: Vec<_> = line.split('\t').collect();
        let [pattern, text, within, expected] = fields[..] else {
            panic!("{line}");
        };
        let lists = [pattern, text].map(|one| Strings::<u8>::from_slices([one]));
        let search = Search::of(&lists[0], &lists[1]).ends().overhang(500);
        let within = within.parse().expect("a number");
        let report = engine(1).run(&search.within(within)).expect("it runs");
        let ends = report.places.iter().map(|one| (one.end, one.cost));
        assert_eq!(listed(ends.collect()), expected, "{line}");
        let sticks_out = |one: &&Place| one.before + one.after > 0;
        outside += report.places.iter().filter(sticks_out).count();
    }
    assert!(outside > 100, "{outside}");
}

#[test]
fn ends_at_the_least_distance_are_those_of_edlib() {
    let mut count = 0;
    for line in include_str!("../../tests/data/edlib.tsv").lines().skip(1) {
        let fields: Vec<_> = line.split('\t').collect();
        let ["infix", pattern, text, distance, locations] = fields[..] else {
            continue;
        };
        let distance: u64 = distance.parse().expect("a number");
        if distance >= pattern.len() as u64 {
            continue;
        }
        let lists = [pattern, text].map(|one| Strings::<u8>::from_slices([one]));
        // One more edit than the nearest pieces have, so that others have to be told from them.
        let within = (distance + 1).min(pattern.len() as u64 - 1);
        let search = Search::of(&lists[0], &lists[1]).ends().within(within);
        let report = engine(1).run(&search).expect("it runs");
        let nearest = report.places.iter();
        let nearest = nearest.filter(|one| u64::from(one.cost) == distance);
        let mut ends: Vec<_> = nearest.map(|one| one.end.to_string()).collect();
        let mut expected: Vec<_> = locations
            .split(' ')
            .filter_map(|location| location.split("..").nth(1))
            .map(str::to_string)
            .collect();
        ends.sort_unstable();
        expected.sort_unstable();
        expected.dedup();
        assert_eq!(ends, expected, "{line}");
        assert!(
            report
                .places
                .iter()
                .all(|one| u64::from(one.cost) >= distance)
        );
        count += ends.len();
    }
    assert!(count > 50, "{count}");
}
