//! Joins by groups of strings and on both strands, against their definition.

use super::*;

/// DNA with copies, reverse complements and empty strings, and the group of each string.
pub(super) fn grouped_dna(
    random: &mut Random,
    lens: &[usize],
    count: usize,
) -> (Strings<'static>, Vec<u32>) {
    let strings = list(random, lens, count, 4).into_iter().map(|codes| {
        let letters = dna(&codes);
        match random.below(3) {
            0 => reverse_complement(&letters).expect("it is DNA"),
            _ => letters,
        }
    });
    let strings = Strings::from_slices(strings.collect::<Vec<_>>());
    let groups = (0..count).map(|_| [0, 7, u32::MAX][random.below(3)]);
    (strings, groups.collect())
}

/// Distance of two strings on the nearer strand.
pub(super) fn on_strands(x: &[u8], y: &[u8], both: bool) -> (u64, Strand) {
    let forward = (
        reference::value(Measure::Edit, Mode::Global, x, y),
        Strand::Forward,
    );
    if !both {
        return forward;
    }
    let turned = reverse_complement(x).expect("it is DNA");
    let reverse = reference::value(Measure::Edit, Mode::Global, &turned, y);
    forward.min((reverse, Strand::Reverse))
}

/// Compares joins by groups, on both strands, and by both with the definition.
pub(super) fn assert_groups_and_strands(
    engines: &[Engine],
    cases: &[(&[usize], u64)],
    step: usize,
) {
    let mut random = Random::new(21);
    let mut turn = 0;
    for &(lens, max_k) in cases {
        let (a, a_groups) = grouped_dna(&mut random, lens, 60);
        let (b, b_groups) = grouped_dna(&mut random, lens, 35);
        for (by, both) in [(true, false), (false, true), (true, true)] {
            let all = |other: Option<(&Strings<'_>, &[u32])>| {
                let (others, groups) = other.unwrap_or((&a, &a_groups));
                let mut all = Vec::new();
                for row in 0..a.len() {
                    let first = if other.is_none() { row + 1 } else { 0 };
                    for column in first..others.len() {
                        if !by || a_groups[row] == groups[column] {
                            let (distance, strand) = on_strands(&a[row], &others[column], both);
                            all.push(Neighbor {
                                row: row as u32,
                                column: column as u32,
                                distance: distance as u32,
                                strand,
                            });
                        }
                    }
                }
                all
            };
            let (of_one, of_two) = (all(None), all(Some((&b, &b_groups))));
            for k in 0..=max_k {
                let within = |all: &[Neighbor]| {
                    let near = all.iter().filter(|one| u64::from(one.distance) <= k);
                    near.copied().collect::<Vec<_>>()
                };
                let (of_one, of_two) = (within(&of_one), within(&of_two));
                turn += 1;
                for tuning in tunings().into_iter().skip(turn % step).step_by(step) {
                    let engine = &engines[turn % engines.len()];
                    let near = |neighbors: Neighbors<'_>| {
                        let mut neighbors = neighbors.within(k);
                        neighbors.call.tuning = tuning.clone();
                        neighbors.call.both_strands = both;
                        if by {
                            neighbors = neighbors.by(&a_groups[..]).columns_by(&b_groups[..]);
                        }
                        let report = engine.run(&neighbors).expect("it fits");
                        assert!(step == 1 || report.run.device != "cpu");
                        report.answer.neighbors
                    };
                    // On a device one of the three in turn.
                    let is_taken = |kind| step == 1 || turn % 3 == kind;
                    let what = format!("{lens:?} {k} {by} {both} {tuning:?}");
                    if is_taken(0) {
                        assert!(near(Neighbors::of(&a)) == of_one, "{what}");
                    }
                    if is_taken(1) {
                        assert!(near(Neighbors::between(&a, &b)) == of_two, "{what} two");
                    }
                    if !is_taken(2) {
                        continue;
                    }
                    let shares = if step == 1 { [2, 3, 7][turn % 3] } else { 2 };
                    let (whole, expected) = if turn % 2 == 0 {
                        (Neighbors::of(&a), &of_one)
                    } else {
                        (Neighbors::between(&a, &b), &of_two)
                    };
                    let of_share = |share| near(whole.clone().shard(share, shares));
                    let found = merged((0..shares).map(of_share));
                    assert!(found == *expected, "{what} {shares} {turn}");
                }
            }
        }
    }
}

#[test]
fn groups_and_strands_are_those_of_the_definition() {
    let cases = [(&[0, 1, 2, 3, 4][..], 5), (&[11, 12, 13], 3), (&[24], 2)];
    assert_groups_and_strands(&[cpu(1, None), cpu(3, None)], &cases, 1);
}

#[test]
fn groups_and_strands_fit_small_memory_and_their_pairs_are_estimated() {
    let mut random = Random::new(22);
    let (strings, groups) = grouped_dna(&mut random, &[9, 10], 900);
    let mut neighbors = Neighbors::of(&strings).within(1).both_strands();
    neighbors = neighbors.by(&groups[..]);
    let engine = cpu(2, None);
    let whole = engine.run(&neighbors).expect("it fits").answer.neighbors;
    assert!(whole.iter().any(|one| one.strand == Strand::Reverse));
    let estimate = neighbors.estimate(&engine).expect("it fits");
    assert_eq!(estimate.pairs, whole.len() as u64);
    let small = cpu(2, Some(fixed_bytes(&neighbors) + 600_000));
    let mut joined = Vec::new();
    let task = neighbors.clone().for_each(|block| {
        joined.extend_from_slice(block.neighbors);
        ControlFlow::Continue(())
    });
    small.run(&task).expect("blocks fit");
    drop(task);
    assert!(joined == whole);
    let many: Vec<_> = (0..20_000).map(|_| dna(&random.codes(9, 4))).collect();
    let many = Strings::from_slices(many);
    let groups: Vec<u32> = (0..20_000).map(|_| random.below(5) as u32).collect();
    let neighbors = Neighbors::of(&many)
        .within(1)
        .both_strands()
        .by(&groups[..]);
    let pairs = engine.run(&neighbors).expect("it fits").neighbors.len() as f64;
    let estimated = neighbors.estimate(&engine).expect("it fits").pairs as f64;
    assert!(
        (0.6..1.6).contains(&(estimated / pairs)),
        "{estimated} {pairs}"
    );
}

#[test]
fn candidates_are_of_one_group() {
    let engine = cpu(1, None);
    let strings = Strings::<u8>::from_slices(vec!["ACGTACGTACGTACGT"; 300]);
    let groups: Vec<u32> = (0..300).collect();
    for tuning in tunings() {
        let mut neighbors = Neighbors::of(&strings).within(2).by(&groups[..]);
        neighbors.call.tuning = tuning;
        let report = engine.run(&neighbors).expect("it fits");
        assert_eq!((report.neighbors.len(), report.work.candidates), (0, 0));
    }
}

#[test]
fn groups_of_other_strings_and_other_letters_than_dna_are_refused() {
    let engine = cpu(1, None);
    let [a, b] = [&["AC", "UG"][..], &["A"]].map(Strings::<u8>::from_slices);
    for (neighbors, expected) in [
        (
            Neighbors::of(&a).by(&[1][..]),
            "is 1, but must be 2, that of its strings",
        ),
        (
            Neighbors::between(&a, &b).by(&[1, 2][..]),
            "is 0, but must be 1",
        ),
        (
            Neighbors::between(&b, &a).both_strands(),
            "'U' at position 0 of record 2 of input 2",
        ),
    ] {
        let refused = engine.run(&neighbors).expect_err("it is invalid");
        assert!(refused.to_string().contains(expected), "{refused}");
    }
    let numbers = Strings::from_slices([[500u32]]);
    let refused = engine.run(&Neighbors::of(&numbers).both_strands());
    assert!(matches!(refused, Err(Error::MethodUnavailable { .. })));
    let options = NeighborOptions::default();
    assert!(!options.both_strands && options.groups.iter().all(Option::is_none));
}
