//! Supersequences of more than two inputs.

use super::supersequence::every_kind;
use support::calls::{Calls, reports};
use support::inputs::Random;
use support::supersequences::{expected, options};
use swath::supersequence::CommonSupersequence;
use swath::supersequence::Method;
use swath::unstable::supersequence::reference;
use swath::{Error, Report, Scs, Symbol};

/// Shortest length by brute force: all strings over the inputs' symbols, by increasing length.
fn brute_force(inputs: &[&[u8]]) -> u64 {
    let mut letters: Vec<u8> = inputs.concat();
    letters.sort_unstable();
    letters.dedup();
    // Input prefixes that a string of each length can contain.
    let mut reached = vec![vec![0usize; inputs.len()]];
    for length in 0.. {
        if reached.iter().any(|state| {
            state
                .iter()
                .zip(inputs)
                .all(|(held, input)| *held == input.len())
        }) {
            return length;
        }
        let next = |state: &Vec<usize>, letter: u8| -> Vec<usize> {
            state
                .iter()
                .zip(inputs)
                .map(|(&held, input)| held + usize::from(input.get(held) == Some(&letter)))
                .collect()
        };
        let mut longer: Vec<_> = reached
            .iter()
            .flat_map(|s| letters.iter().map(|&letter| next(s, letter)))
            .collect();
        longer.sort_unstable();
        longer.dedup();
        reached = longer;
    }
    unreachable!("some string holds them all")
}

fn many<S: Symbol>(inputs: &[&[S]], method: Method) -> Report<CommonSupersequence> {
    let answer = support::cpu()
        .scs_many(inputs, &options(method, true))
        .unwrap_or_else(|error| panic!("{error}"));
    let found = answer
        .supersequence
        .as_ref()
        .expect("a string was asked for");
    found
        .verify(inputs, answer.length)
        .expect("it holds them all");
    assert!(answer.lower_bound <= answer.length);
    assert_eq!(answer.exact, answer.lower_bound == answer.length);
    assert_ne!(answer.run.method, Method::Auto.name());
    answer
}

#[test]
fn the_table_of_several_inputs_gives_the_length_of_brute_force() {
    let mut random = Random::new(5);
    for round in 0..60 {
        let letters = 1 + round % 4;
        let inputs: Vec<Vec<u8>> = (0..1 + round % 5)
            .map(|_| {
                let len = random.below(6) as usize;
                random
                    .symbols(len, letters)
                    .into_iter()
                    .map(|symbol| symbol as u8)
                    .collect()
            })
            .collect();
        let inputs: Vec<&[u8]> = inputs.iter().map(Vec::as_slice).collect();
        let least = brute_force(&inputs);
        let exact = many(&inputs, Method::KDimensional);
        assert_eq!((exact.length, exact.exact), (least, true), "{inputs:?}");
        assert_eq!(many(&inputs, Method::Auto).length, least, "{inputs:?}");
        for method in [Method::MergeTree, Method::MajorityMerge] {
            let found = many(&inputs, method);
            assert!(
                found.lower_bound <= least && least <= found.length,
                "{method:?} {inputs:?}"
            );
            assert!(
                !found.exact || found.length == least,
                "{method:?} {inputs:?}"
            );
        }
    }
}

#[test]
fn two_inputs_are_one_case_of_several() {
    for input in every_kind().filter(|input| input.letters <= 26) {
        let (a, b) = input.pair();
        let length = reference::length(&a, &b);
        for (a, b) in [(&a, &b), (&b, &a)] {
            let exact = many(&[a, b], Method::KDimensional);
            let string = exact
                .supersequence
                .as_ref()
                .map(|found| found.symbols(&[&a[..], b]).expect("they are its inputs"));
            assert_eq!((exact.length, exact.exact), (length, true), "{input:?}");
            assert_eq!(string, Some(expected(a, b)), "{input:?}");
        }
        let merged = many(&[&a[..], &b], Method::MajorityMerge);
        assert_eq!(merged.exact, merged.length == length, "{input:?}");
        assert_eq!(merged.lower_bound, length, "{input:?}");
        assert_eq!(
            many(&[&a[..], &b], Method::RowWise).length,
            reference::length(&a, &b),
            "{input:?}"
        );
        assert!(
            many(&[&a[..], &b], Method::MergeTree).exact,
            "one merge of a pair is the shortest: {input:?}"
        );
    }
}

#[test]
fn many_long_inputs_get_a_heuristic_with_a_bound() {
    let mut random = Random::new(8);
    let base = random.symbols(400, 4);
    let inputs: Vec<Vec<u32>> = (0..12).map(|_| random.edited(&base, 10, 4)).collect();
    let inputs: Vec<&[u32]> = inputs.iter().map(Vec::as_slice).collect();
    let best = many(&inputs, Method::Auto);
    assert!(
        !best.exact && best.length < 1200,
        "{} from {}",
        best.length,
        best.lower_bound
    );
    for method in [Method::MergeTree, Method::MajorityMerge] {
        assert!(best.length <= many(&inputs, method).length);
    }
}

#[test]
fn very_many_inputs_are_merged_without_comparing_pairs() {
    let mut random = Random::new(9);
    let inputs: Vec<Vec<u32>> = (0..5_000).map(|_| random.symbols(12, 4)).collect();
    let inputs: Vec<&[u32]> = inputs.iter().map(Vec::as_slice).collect();
    let merged = many(&inputs, Method::Auto);
    assert_eq!(merged.run.method, Method::MajorityMerge.name());
    let counts = (0..=4).map(|letter| {
        let count = |input: &&[u32]| input.iter().filter(|&&symbol| symbol == letter).count();
        inputs.iter().map(count).max().unwrap_or(0)
    });
    assert_eq!(merged.lower_bound, counts.sum::<usize>() as u64);
    let task = Scs::of_all(inputs.iter().copied());
    let plan = support::cpu().plan(&task).expect("it fits");
    assert_eq!((plan.method, plan.passes), (merged.run.method, 1));
    // All pairs, if they are asked for, are on the account.
    let refused = support::cpu_with_memory(1 << 20).run(&task.method(Method::MergeTree));
    assert!(matches!(refused, Err(Error::MemoryBudget { .. })));
}

#[test]
fn progress_of_many_inputs_reaches_its_end() {
    let mut random = Random::new(10);
    let inputs: Vec<Vec<u32>> = (0..300).map(|_| random.symbols(40, 4)).collect();
    let (seen, _) = reports(support::cpu(), &Scs::of_all(inputs), usize::MAX);
    let seen: Vec<_> = seen.iter().map(|report| report.fraction).collect();
    assert!(seen.is_sorted() && seen.last() == Some(&1.0));
    let between = seen
        .iter()
        .filter(|&&fraction| (0.1..0.9).contains(&fraction));
    assert!(between.count() > 10, "{} reports", seen.len());
}

#[test]
fn inputs_contained_in_others_change_nothing() {
    let inputs: [&[u8]; 6] = [b"abcde", b"", b"ace", b"abcde", b"xbcdy", b"cde"];
    let answer = many(&inputs, Method::Auto);
    assert_eq!((answer.length, answer.exact), (7, true));
    assert_eq!(many::<u8>(&[], Method::Auto).length, 0);
    assert_eq!(many(&[&b"abc"[..]], Method::Auto).length, 3);
    assert_eq!(many(&[&b""[..], b"", b""], Method::MergeTree).length, 0);
}

#[test]
fn methods_for_two_refuse_several() {
    for method in [
        Method::BitParallel,
        Method::Wavefront,
        Method::RowWise,
        Method::AntiDiagonal,
        Method::Reference,
    ] {
        let refused = support::cpu().scs_many(&[&b"a"[..], b"b", b"c"], &options(method, false));
        assert!(
            matches!(refused, Err(Error::MethodUnavailable { .. })),
            "{refused:?}"
        );
    }
    let long = vec![7u8; 3000];
    let refused = support::cpu().scs_many(
        &[&long[..], &[1; 3000], &[2; 3000], &[3; 9]],
        &options(Method::KDimensional, false),
    );
    assert!(
        matches!(refused, Err(Error::MemoryBudget { .. })),
        "{refused:?}"
    );
}
