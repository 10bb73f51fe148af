//! Longest common substrings and maximal matches against the reference table.

use std::fmt::Debug;

use support::inputs::{Input, Kind, Random};
use support::substrings::{self, Places};
use swath::substring::{MaximalMatch, Method, Place, Strand};
use swath::unstable::substring::reference;
use swath::{Error, Substring, Symbol};

/// Methods for the longest substring.
const LONGEST: [Method; 5] = [
    Method::Auto,
    Method::Cascade,
    Method::SortAndScan,
    Method::SuffixArray,
    Method::Reference,
];
/// Methods for all matches.
const MATCHES: [Method; 4] = [
    Method::Auto,
    Method::Anchors,
    Method::SuffixArray,
    Method::Reference,
];

fn longest<S: Symbol>(texts: &[&[S]], inputs: u64, method: Method) -> Places {
    substrings::longest(support::cpu(), texts, inputs, method)
}

/// Every method against the reference.
#[track_caller]
fn assert_longest<S: Symbol>(texts: &[&[S]], context: impl Debug) {
    substrings::assert_longest(support::cpu(), &LONGEST, texts, context);
}

fn matches<S: Symbol>(
    a: &[S],
    b: &[S],
    least: usize,
    method: Method,
) -> Vec<(usize, usize, usize)> {
    substrings::matches(support::cpu(), (a, b), least, method)
}

#[track_caller]
fn assert_matches<S: Symbol>(a: &[S], b: &[S], least: usize, context: impl Debug) {
    substrings::assert_matches(support::cpu(), &MATCHES, (a, b), least, context);
}

#[test]
fn every_kind_of_input_has_the_substrings_and_matches_of_the_reference() {
    for kind in Kind::ALL {
        for letters in [1, 2, 4, 26, 256] {
            for (rows, cols) in [(1, 1), (7, 30), (64, 65), (200, 131)] {
                let input = Input {
                    kind,
                    ..Input::random(letters, rows, cols)
                };
                let (a, b) = input.pair();
                assert_longest(&[&a[..], &b], input);
                let (a, b) = input.bytes();
                assert_longest(&[&a[..], &b], input);
                for least in [1, 2, 3, 4, 5, 8, 9, 31, 64, 65, 200] {
                    assert_matches(&a, &b, least, input);
                    assert_matches(&a, &a, least, input);
                }
            }
        }
    }
}

#[test]
fn matches_across_tasks_are_found_once() {
    // More windows than one task handles, with a repeat across the border and one across
    // everything.
    let mut random = Random::new(5);
    let mut a = random.symbols(9_000, 4);
    let mut b = random.symbols(150_000, 4);
    for at in [65_000, 65_535, 65_536, 131_000, 149_000] {
        let from = at % 8_000;
        b.splice(at..at + 700, a[from..from + 700].iter().copied());
    }
    a.splice(3000..4000, std::iter::repeat_n([7, 8], 500).flatten());
    b.splice(64_000..70_000, std::iter::repeat_n([7, 8], 3000).flatten());
    for least in [20, 100, 640, 701, 1000] {
        assert_eq!(
            matches(&a, &b, least, Method::Anchors),
            matches(&a, &b, least, Method::SuffixArray),
            "at least {least}"
        );
    }
}

#[test]
fn several_inputs_have_the_longest_substring_of_the_reference() {
    let mut random = Random::new(11);
    for texts in [2, 3, 5, 9] {
        for letters in [1, 2, 4, 300] {
            let inputs: Vec<Vec<u32>> = (0..texts)
                .map(|i| random.symbols([40, 0, 25, 41, 1][i % 5], letters))
                .collect();
            assert_longest(
                &inputs.iter().map(|input| &input[..]).collect::<Vec<_>>(),
                &inputs,
            );
        }
    }
}

#[test]
fn substrings_at_the_ends_and_overlapping_ones_are_found() {
    assert_eq!(
        longest(&[b"abcxx", b"yyabc"], 2, Method::Auto),
        (3, vec![vec![(0, 0), (1, 2)]])
    );
    assert_eq!(
        longest(&[b"xxabc", b"abcyy"], 2, Method::Auto),
        (3, vec![vec![(0, 2), (1, 0)]])
    );
    assert_eq!(
        longest(&[&b"aaaaa"[..], b"aaa"], 2, Method::Auto),
        (3, vec![vec![(0, 0), (0, 1), (0, 2), (1, 0)]])
    );
    let several = longest(&[&b"ab_cd"[..], b"cd_ab", b"xx"], 2, Method::Auto);
    assert_eq!(
        several,
        (2, vec![vec![(0, 0), (1, 3)], vec![(0, 3), (1, 0)]])
    );
    assert_eq!(longest(&[&b""[..], b"abc"], 2, Method::Auto), (0, vec![]));
    assert_eq!(
        longest(&[&b"abc"[..], b"xyz"], 2, Method::Auto),
        (0, vec![])
    );
    let chars = |text: &str| text.chars().collect::<Vec<_>>();
    assert_eq!(
        longest(&[&chars("naïve")[..], &chars("aïv")], 2, Method::Auto).0,
        3
    );
}

#[test]
fn matches_do_not_cross_the_end_of_a_record() {
    let all: Vec<u8> = (0..=255).collect();
    for tail in [&b""[..], &all] {
        let a = [&b"abc"[..], b"def", tail];
        let b = [&b"xabcdefx"[..], b"", b"fabc"];
        let report = support::cpu()
            .run(&Substring::of_records([a.to_vec(), b[..2].to_vec()]))
            .expect("it is answered");
        let expected = if tail.is_empty() {
            vec![(0, 0, 0), (0, 1, 0), (1, 0, 1), (1, 0, 4)]
        } else {
            vec![(0, 2, 97), (1, 0, 1)]
        };
        let mut places: Vec<_> = report
            .substrings
            .iter()
            .flat_map(|substring| &substring.places)
            .collect();
        places.sort_unstable();
        let places: Vec<_> = places
            .iter()
            .map(|place| (place.input, place.record, place.start))
            .collect();
        assert_eq!(places, expected);
    }
    let a = [&b"abc"[..], b"def"];
    let b = [&b"xabcdefx"[..], b"fabc"];
    let report = support::cpu()
        .run(&Substring::of_records([a.to_vec(), b.to_vec()]).min_length(3))
        .expect("it is answered");
    let places: Vec<_> = report
        .matches
        .iter()
        .map(|found| (found.a.record, found.b.record, found.b.start))
        .collect();
    assert_eq!(places, [(0, 0, 1), (0, 1, 1), (1, 0, 4)]);
}

fn reversed(dna: &[u8]) -> Vec<u8> {
    let pair = |letter: &u8| match letter {
        b'A' => b'T',
        b'C' => b'G',
        b'G' => b'C',
        b'T' => b'A',
        other => *other,
    };
    dna.iter().rev().map(pair).collect()
}

fn dna(random: &mut Random, len: usize) -> Vec<u8> {
    random
        .symbols(len, 4)
        .into_iter()
        .map(|letter| b"ACGT"[letter as usize])
        .collect()
}

#[test]
fn matches_of_both_strands_are_those_of_the_reverse_complement_too() {
    let mut random = Random::new(21);
    for (rows, cols) in [(0, 5), (1, 1), (60, 80), (150, 90)] {
        let (a, mut b) = (dna(&mut random, rows), dna(&mut random, cols));
        if rows > 50 {
            b.splice(10..40, reversed(&a[20..50]));
        }
        for least in [1, 4, 7, 30] {
            let place = |input, start, strand| Place {
                input,
                record: 0,
                start,
                strand,
            };
            let forward = reference::matches(&a, &b, least, || true).expect("nobody cancels");
            let reverse =
                reference::matches(&a, &reversed(&b), least, || true).expect("nobody cancels");
            let mut expected: Vec<_> = forward
                .into_iter()
                .map(|(i, j, length)| {
                    (
                        place(0, i, Strand::Forward),
                        place(1, j, Strand::Forward),
                        length,
                    )
                })
                .chain(reverse.into_iter().map(|(i, j, length)| {
                    (
                        place(0, i, Strand::Forward),
                        place(1, b.len() - j - length, Strand::Reverse),
                        length,
                    )
                }))
                .map(|(a, b, length)| MaximalMatch { a, b, length })
                .filter(|found| {
                    let run = &a[found.a.start..found.a.start + found.length];
                    found.b.strand == Strand::Forward || run != reversed(run)
                })
                .collect();
            expected.sort_unstable();
            for method in MATCHES {
                let task = Substring::of(&a[..], &b[..])
                    .both_strands()
                    .min_length(least as u64)
                    .method(method);
                assert_eq!(
                    support::cpu().run(&task).expect("it is answered").matches,
                    expected,
                    "{method}, {least}"
                );
            }
        }
    }
}

#[test]
fn substrings_of_both_strands_have_all_their_places() {
    let mut random = Random::new(22);
    for round in 0..30 {
        let inputs: Vec<Vec<u8>> = (0..2 + round % 3)
            .map(|i| dna(&mut random, 12 + 9 * i))
            .collect();
        for least in 2..=inputs.len() {
            // Every substring of every input on either strand, longest first.
            let expected = (1..=60).rev().find_map(|length| {
                let mut all: Vec<(Vec<u8>, Place)> = Vec::new();
                for (input, text) in inputs.iter().enumerate() {
                    for (start, window) in text.windows(length).enumerate() {
                        for strand in Strand::ALL {
                            let read = if strand == Strand::Forward {
                                window.to_vec()
                            } else {
                                reversed(window)
                            };
                            all.push((
                                read,
                                Place {
                                    input,
                                    record: 0,
                                    start,
                                    strand,
                                },
                            ));
                        }
                    }
                }
                all.sort();
                let mut found = Vec::new();
                for class in all.chunk_by(|x, y| x.0 == y.0) {
                    let mut places: Vec<_> = class.iter().map(|(_, place)| *place).collect();
                    let is_palindrome = class[0].0 == reversed(&class[0].0);
                    places.retain(|place| !is_palindrome || place.strand == Strand::Forward);
                    let mut of: Vec<_> = places.iter().map(|place| place.input).collect();
                    of.dedup();
                    if of.len() >= least && places[0].strand == Strand::Forward {
                        found.push(places);
                    }
                }
                found.sort();
                (!found.is_empty()).then_some((length, found))
            });
            let (length, places) = expected.unwrap_or_default();
            for method in LONGEST {
                let task = Substring::of_many(inputs.iter().map(|input| &input[..])).both_strands();
                let report = support::cpu()
                    .run(&task.in_at_least(least as u64).method(method))
                    .expect("an answer");
                let found: Vec<_> = report
                    .substrings
                    .iter()
                    .map(|substring| substring.places.clone())
                    .collect();
                assert_eq!(
                    (report.length, found),
                    (length, places.clone()),
                    "{method} in {least} of {inputs:?}"
                );
            }
        }
    }
}

#[test]
fn invalid_queries_are_refused() {
    let run = |task: Substring<'_>| support::cpu().run(&task).map(|report| report.length);
    assert!(matches!(
        run(Substring::of_many([b"a"])),
        Err(Error::OutOfRange { given: 1, .. })
    ));
    for inputs in [0, 1, 3, u64::MAX] {
        let refused = run(Substring::of(b"a", b"a").in_at_least(inputs));
        assert!(matches!(refused, Err(Error::OutOfRange { given, .. }) if given == inputs));
    }
    assert!(matches!(
        run(Substring::of(b"AC", b"A-").both_strands()),
        Err(Error::NotDna {
            input: 2,
            position: 1,
            ..
        })
    ));
    assert!(matches!(
        run(Substring::of(b"a", b"a").method(Method::Anchors)),
        Err(Error::MethodUnavailable { .. })
    ));
    let matches = |task: Substring<'_>, least| {
        support::cpu()
            .run(&task.min_length(least))
            .map(|report| report.answer.matches)
    };
    assert!(matches!(
        matches(Substring::of(b"a", b"a"), 0),
        Err(Error::OutOfRange { given: 0, .. })
    ));
    assert!(matches!(
        matches(Substring::of(b"a", b"a").in_at_least(2), 1),
        Err(Error::OutOfRange { .. })
    ));
    assert!(matches!(
        matches(Substring::of_many([b"a"]), 1),
        Err(Error::OutOfRange { given: 1, .. })
    ));
    assert_eq!(
        matches(Substring::of(b"a", b"a"), u64::MAX)
            .expect("none")
            .len(),
        0
    );
}

#[test]
fn too_many_matches_are_refused_with_a_length_that_fits() {
    let engine = support::cpu_with_memory(400_000);
    let mut random = Random::new(31);
    let (a, b) = (dna(&mut random, 3000), dna(&mut random, 3000));
    for method in MATCHES {
        let error = engine
            .run(&Substring::of(&a[..], &b[..]).min_length(4).method(method))
            .map(|report| report.run);
        let Err(Error::TooManyMatches {
            matches,
            length: 4,
            limit,
            remedy,
            ..
        }) = error
        else {
            panic!("{method}: {error:?}")
        };
        assert!(
            limit == 400_000 && matches > 10_000 && (5..=9).contains(&remedy),
            "{matches} {remedy}"
        );
        let fits = engine
            .run(&Substring::of(&a[..], &b[..]).min_length(remedy))
            .expect("the matches fit");
        assert!(!fits.matches.is_empty());
    }
    // Temporary memory of a method counts too: a few matches over the budget are refused.
    for method in MATCHES {
        for budget in (4000..24_000).step_by(500) {
            let engine = support::cpu_with_memory(budget);
            match engine.run(
                &Substring::of(&[b'A'; 28], &[b'A'; 204])
                    .min_length(1)
                    .method(method),
            ) {
                Ok(report) => assert_eq!(
                    report.matches.len(),
                    28 + 204 - 1,
                    "{method}, {budget} bytes"
                ),
                Err(
                    Error::TooManyMatches { needed, limit, .. }
                    | Error::MemoryBudget { needed, limit, .. },
                ) => {
                    assert!(
                        limit == budget && needed > limit,
                        "{method}: {needed} of {budget} bytes"
                    );
                }
                Err(error) => panic!("{method}, {budget} bytes: {error}"),
            }
        }
    }
    let error = support::cpu_with_memory(1000).run(&Substring::of(&a[..], &b[..]));
    assert!(matches!(
        error,
        Err(Error::MemoryBudget { limit: 1000, .. })
    ));
}

#[test]
fn auto_answers_alike_and_as_planned_for_small_and_large_inputs() {
    let mut random = Random::new(31);
    for letters in [1, 2, 4, 300] {
        let mut taken = Vec::new();
        for symbols in [300, 12_000, 49_999, 50_001] {
            let (a, b) = (
                random.symbols(symbols, letters),
                random.symbols(symbols, letters),
            );
            let task = Substring::of(&a[..], &b[..]);
            let (plan, report) = (support::cpu().plan(&task), support::cpu().run(&task));
            let (plan, report) = (plan.expect("a plan"), report.expect("an answer"));
            assert_eq!(
                (plan.method, &plan.device),
                (report.run.method, &report.run.device),
                "{letters}, {symbols}"
            );
            for method in [Method::Cascade, Method::SuffixArray] {
                let by_name = support::cpu()
                    .run(&task.clone().method(method))
                    .expect("an answer");
                let found = (by_name.length, &by_name.substrings);
                assert_eq!(
                    found,
                    (report.length, &report.substrings),
                    "{method}: {letters}, {symbols}"
                );
            }
            taken.push(report.run.method);
        }
        assert_eq!(
            (taken[0], taken[3]),
            ("suffix-array", "cascade"),
            "{letters}: {taken:?}"
        );
    }
}

#[test]
fn plans_name_what_runs() {
    let engine = support::cpu();
    let (a, b) = (vec![b'A'; 70_000], vec![b'A'; 70_000]);
    let plan = engine.plan(&Substring::of(&a[..], &b[..])).expect("a plan");
    assert_eq!((plan.method, plan.cells), (longest_method(&a, &b), 140_000));
    let plan = engine
        .plan(&Substring::of(&a[..], &b[..]).min_length(100))
        .expect("a plan");
    assert_eq!((plan.method, plan.device.as_str()), ("anchors", "cpu"));
    let job = engine.start(Substring::of(a, b));
    assert_eq!(job.wait().expect("an answer").length, 70_000);
}

fn longest_method(a: &[u8], b: &[u8]) -> &'static str {
    support::cpu()
        .run(&Substring::of(a, b))
        .expect("an answer")
        .run
        .method
}

#[test]
fn repetitive_inputs_cost_in_proportion_to_their_matches() {
    let a = vec![b'A'; 20_000];
    let mut b = a.clone();
    b[10_000] = b'C';
    let found = matches(&a, &b, 9_900, Method::Anchors);
    // Each of the two runs of b lies on every diagonal of a.
    assert!(found.iter().all(|&(_, _, length)| length >= 9_900) && found.len() > 20_000);
    assert_eq!(longest(&[&a[..], &b], 2, Method::Auto).0, 10_000);
}
