//! Pairs of every scheme, level and division against the textbook's distances.

use std::collections::HashSet;
use std::ops::ControlFlow;

use groups::{grouped_dna, on_strands};

use super::plan::{Scheme, Tuning};
use super::{Neighbor, NeighborOptions, Neighbors};
use crate::edit_distance::Mode;
use crate::engine::task::Erased;
use crate::engine::{Engine, Options};
use crate::error::Error;
use crate::orientation::reverse_complement;
use crate::pairs::{Measure, Strings, reference};
use crate::sequences::bit_parallel::inputs::{Random, dna};
use crate::sequences::codes::Symbol;
#[cfg(feature = "gpu")]
use crate::sequences::typed::Typed;
use crate::substring::Strand;
use crate::{CancelHandle, Control, DeviceChoice};

mod groups;
#[cfg(feature = "gpu")]
mod on_device;

fn cpu(threads: usize, host_memory: Option<u64>) -> Engine {
    let mut options = Options::new().device(DeviceChoice::Cpu).threads(threads);
    options.host_memory = host_memory;
    Engine::new(options).expect("the CPU is always here")
}

type Rows = Vec<(u32, u32, u32)>;

fn expected<S: Symbol>(a: &Strings<'_, S>, b: Option<&Strings<'_, S>>, k: u64) -> Rows {
    expected_by(Measure::Edit, (a, b), k)
}

/// Compares the pairs of a join, by these keys, with the expected ones.
fn check<S: Symbol>(engine: &Engine, neighbors: &Neighbors<'_, S>, tuning: &Tuning, pairs: &Rows) {
    let mut neighbors = neighbors.clone();
    neighbors.call.tuning = tuning.clone();
    let within = neighbors.call.within;
    assert!(found(engine, &neighbors) == *pairs, "{within} {tuning:?}");
}

fn expected_by<S: Symbol>(
    measure: Measure,
    (a, b): (&Strings<'_, S>, Option<&Strings<'_, S>>),
    k: u64,
) -> Rows {
    let mut rows = Vec::new();
    for (row, x) in a.iter().enumerate() {
        for (column, y) in b.unwrap_or(a).iter().enumerate() {
            if b.is_none() && column <= row || x.len().abs_diff(y.len()) as u64 > k {
                continue;
            }
            let distance = reference::value(measure, Mode::Global, x, y);
            if distance <= k {
                rows.push((row as u32, column as u32, distance as u32));
            }
        }
    }
    rows
}

/// The sorted pairs of all shards, merged.
fn merged<T: Ord>(shards: impl Iterator<Item = Vec<T>>) -> Vec<T> {
    let mut all: Vec<T> = Vec::new();
    for shard in shards {
        assert!(shard.is_sorted());
        all.extend(shard);
    }
    all.sort();
    all
}

fn found<S: Symbol>(engine: &Engine, neighbors: &Neighbors<'_, S>) -> Rows {
    rows(&engine.run(neighbors).expect("it fits").neighbors)
}

fn rows(neighbors: &[Neighbor]) -> Rows {
    let row = |one: &Neighbor| (one.row, one.column, one.distance);
    neighbors.iter().map(row).collect()
}

/// Bytes of the tables of all strings.
fn fixed_bytes<S: Symbol>(neighbors: &Neighbors<'_, S>) -> u64 {
    let query = neighbors.query().expect("they are no letters");
    query.request().expect("it is valid").fixed_bytes()
}

/// Choices of keys, from the plan's own to each scheme alone and all levels with small limits.
fn tunings() -> Vec<Tuning> {
    let schemes = |schemes: &[Scheme]| Tuning {
        schemes: Some(schemes.to_vec()),
        ..Tuning::default()
    };
    let levels = [
        Scheme::Pieces(1),
        Scheme::Pieces(2),
        Scheme::Pieces(4),
        Scheme::Deletions,
    ];
    let mut all = vec![Tuning::default(), schemes(&[])];
    all.extend(levels.iter().map(|&scheme| schemes(&[scheme])));
    for limit in [0, 1, 4] {
        for parts in [None, Some(1), Some(4)] {
            for last in [3, 4] {
                all.push(Tuning {
                    limit: Some(limit),
                    parts,
                    ..schemes(&levels[..last])
                });
            }
        }
    }
    all
}

/// Strings of some templates with edits, repeats, prefixes of each other, copies and empty ones.
fn list(random: &mut Random, lens: &[usize], count: usize, letters: u32) -> Vec<Vec<u32>> {
    let mut strings: Vec<Vec<u32>> = Vec::new();
    for place in 0..count {
        let len = lens[place % lens.len()];
        let string = match random.below(6) {
            0 => random.codes(len, letters),
            1 => vec![0; len],
            2 => (0..len as u32).map(|at| at % 2 % letters).collect(),
            3 if place > 0 => {
                let other = &strings[random.below(place)];
                other[..random.below(other.len() + 1)].to_vec()
            }
            4 if place > 0 => strings[random.below(place)].clone(),
            _ if place > 0 => {
                let other = strings[random.below(place)].clone();
                random.edited(&other, 4 + len / 3, letters)
            }
            _ => random.codes(len, letters),
        };
        strings.push(string);
    }
    strings
}

#[test]
fn pairs_are_found_by_other_distances() {
    let mut random = Random::new(15);
    let engine = cpu(2, None);
    for (lens, letters) in [(&[0, 1, 3, 4, 5][..], 2), (&[9, 10, 12], 3), (&[70], 9)] {
        let mut strings = list(&mut random, lens, 120, letters);
        // Neighbours by exchanged symbols.
        for place in 0..40 {
            let mut exchanged = strings[place].clone();
            for _ in 0..2 {
                if exchanged.len() > 1 {
                    let at = random.below(exchanged.len() - 1);
                    exchanged.swap(at, at + 1);
                }
            }
            strings.push(exchanged);
        }
        let (a, b) = strings.split_at(100);
        let (a, b) = (Strings::from_slices(a), Strings::from_slices(b));
        let mut counts = [0; 3];
        for (turn, measure) in [Measure::Edit, Measure::Hamming, Measure::Osa]
            .into_iter()
            .enumerate()
        {
            for k in 0..4 {
                let of_one = Neighbors::of(&a).measure(measure).within(k);
                let of_two = Neighbors::between(&a, &b).measure(measure).within(k);
                assert!(
                    found(&engine, &of_one) == expected_by(measure, (&a, None), k),
                    "{measure} {k}"
                );
                let of_two = found(&engine, &of_two);
                counts[turn] += of_two.len();
                assert!(
                    of_two == expected_by(measure, (&a, Some(&b)), k),
                    "{measure} {k} two"
                );
            }
        }
        assert!(counts[1] < counts[0] && counts[0] < counts[2], "{counts:?}");
        let refused = engine.run(&Neighbors::of(&a).measure(Measure::Jaro).within(1));
        assert!(matches!(refused, Err(Error::MethodUnavailable { .. })));
    }
}

#[test]
fn both_strands_have_other_distances() {
    let mut random = Random::new(16);
    let strings = list(&mut random, &[5, 6], 90, 4);
    let strings = Strings::from_slices(strings.iter().map(|codes| dna(codes)));
    for measure in [Measure::Hamming, Measure::Osa] {
        let task = Neighbors::of(&strings)
            .measure(measure)
            .within(2)
            .both_strands();
        let mut expected = Rows::new();
        for (row, column) in (0..strings.len())
            .flat_map(|row| (row + 1..strings.len()).map(move |column| (row, column)))
        {
            let (a, b) = (&strings[row], &strings[column]);
            let turned = reverse_complement(a).expect("it is DNA");
            let least = [a, &turned].map(|a| reference::value(measure, Mode::Global, a, b));
            let least = least[0].min(least[1]);
            if least <= 2 {
                expected.push((row as u32, column as u32, least as u32));
            }
        }
        assert!(
            expected.len() > 100 && found(&cpu(1, None), &task) == expected,
            "{measure}"
        );
    }
}

#[test]
fn every_scheme_finds_all_pairs() {
    let mut random = Random::new(11);
    let engines = [cpu(1, None), cpu(3, None)];
    for (lens, letters, max_k) in [
        (&[0, 1, 2, 3, 4, 5, 6, 7][..], 2, 8),
        (&[8, 9, 10, 11, 12], 4, 4),
        (&[15, 16, 17], 3, 3),
        (&[12, 15, 18], 20, 2),
        (&[40, 41, 44], 3000, 5),
        (&[5, 30, 60], 1, 3),
    ] {
        let strings = Strings::from_slices(list(&mut random, lens, 90, letters));
        let others = Strings::from_slices(list(&mut random, lens, 50, letters));
        for k in 0..=max_k {
            let of_one = expected(&strings, None, k);
            let of_two = expected(&strings, Some(&others), k);
            for (turn, tuning) in tunings().iter().enumerate() {
                let engine = &engines[turn % 2];
                let neighbors = Neighbors::of(&strings).within(k);
                check(engine, &neighbors, tuning, &of_one);
                let neighbors = Neighbors::between(&strings, &others).within(k);
                check(engine, &neighbors, tuning, &of_two);
            }
        }
    }
}

/// Rows of other lengths and numbers than before, and bounds that take turns.
#[test]
fn prepared_columns_serve_any_rows() {
    let mut random = Random::new(19);
    let engine = cpu(2, None);
    for (lens, letters) in [(&[2, 3, 7][..], 2), (&[15, 17], 4), (&[40, 44], 3000)] {
        let mut of = |lens, count| Strings::from_slices(list(&mut random, lens, count, letters));
        let columns = of(lens, 60).prepared();
        let rows: Vec<_> = [&[15, 16, 17][..], &[2, 3, 4, 5], &[0, 39, 45]]
            .into_iter()
            .flat_map(|other| [of(lens, 1), of(other, 70), of(lens, 20)])
            .collect();
        for tuning in tunings() {
            for k in [2, 1, 4] {
                for rows in &rows {
                    let neighbors = Neighbors::between(rows, &columns).within(k);
                    let expected = expected(rows, Some(&columns), k);
                    check(&engine, &neighbors, &tuning, &expected);
                }
            }
        }
        let rows = &rows[1];
        for (k, measure) in [(2, Measure::Osa), (3, Measure::Hamming)] {
            let neighbors = Neighbors::between(rows, &columns)
                .within(k)
                .measure(measure);
            let expected = expected_by(measure, (rows, Some(&columns)), k);
            assert!(found(&engine, &neighbors) == expected, "{measure} {k}");
        }
        let of_one = expected(&columns, None, 2);
        assert_eq!(found(&engine, &Neighbors::of(&columns).within(2)), of_one);
    }
}

#[test]
fn substitutions_insertions_and_deletions_are_found_in_every_place() {
    let mut random = Random::new(12);
    let engine = cpu(2, None);
    for (len, k) in [(13, 1), (13, 2), (24, 2), (20, 3), (33, 4)] {
        let template = random.codes(len, 3);
        let mut strings = vec![template.clone()];
        for _ in 0..150 {
            let mut string = template.clone();
            for _ in 0..k {
                let place = random.below(string.len());
                match random.below(3) {
                    0 => string[place] = 9,
                    1 => drop(string.remove(place)),
                    _ => string.insert(place, 9),
                }
            }
            strings.push(string);
        }
        let strings = Strings::from_slices(strings);
        let expected = expected(&strings, None, k);
        let near = expected.iter().filter(|&&(row, ..)| row == 0).count();
        assert_eq!(near, 150, "all come from the first one");
        for tuning in tunings() {
            let neighbors = Neighbors::of(&strings).within(k);
            check(&engine, &neighbors, &tuning, &expected);
        }
    }
}

#[test]
fn shards_and_blocks_join_to_the_whole_within_any_memory() {
    let mut random = Random::new(13);
    let strings = Strings::from_slices(list(&mut random, &[6, 7, 8, 9], 1000, 3));
    let (engine, whole) = (cpu(2, None), expected(&strings, None, 2));
    let neighbors = Neighbors::of(&strings).within(2);
    for shares in [1, 2, 7] {
        let of_share = |share| found(&engine, &neighbors.clone().shard(share, shares));
        assert!(merged((0..shares).map(of_share)) == whole, "{shares}");
    }
    let planned = |share, shares| {
        let plan = engine.plan(&neighbors.clone().shard(share, shares));
        plan.expect("it fits").host_bytes
    };
    assert!((0..7).all(|share| 3 * planned(share, 7) < planned(0, 1)));
    // More shares than strings.
    assert_eq!(
        found(&engine, &neighbors.clone().shard(u64::MAX - 1, u64::MAX)),
        []
    );
    let fixed = fixed_bytes(&neighbors);
    for spare in [0, 3_000_000] {
        for tuning in tunings() {
            let small = cpu(2, Some(fixed + spare));
            let (mut joined, mut next) = (Rows::new(), 0);
            let mut neighbors = neighbors.clone();
            neighbors.call.tuning = tuning;
            let task = neighbors.for_each(|block| {
                assert_eq!(block.rows.start, next);
                next = block.rows.end;
                joined.extend(rows(block.neighbors));
                ControlFlow::Continue(())
            });
            let pairs = small.run(&task).expect("blocks fit").pairs;
            drop(task);
            assert!(
                joined == whole && next == 1000 && pairs == whole.len() as u64,
                "{spare}"
            );
        }
    }
    let small = cpu(1, Some(fixed - 1));
    assert!(matches!(
        small.run(&neighbors),
        Err(Error::MemoryBudget { .. })
    ));
    for (share, shares) in [(0, 0), (4, 4)] {
        let refused = engine.run(&neighbors.clone().shard(share, shares));
        assert!(matches!(refused, Err(Error::OutOfRange { .. })));
    }
}

#[test]
fn rows_that_do_not_fit_are_estimated() {
    let equal = Strings::<u8>::from_slices(vec!["ACGT"; 3000]);
    let small = cpu(2, Some(fixed_bytes(&Neighbors::of(&equal)) + 100_000));
    let Err(Error::TooManyNeighbors { pairs, .. }) = small.run(&Neighbors::of(&equal)) else {
        panic!("4.5 million rows do not fit 100 kB")
    };
    assert_eq!(pairs, 3000 * 2999 / 2);
    let mut random = Random::new(14);
    let different = Strings::from_slices((0..3000).map(|_| random.codes(9, 4)));
    let Err(Error::TooManyNeighbors { pairs, .. }) =
        small.run(&Neighbors::of(&different).within(9))
    else {
        panic!("4.5 million rows do not fit 100 kB")
    };
    assert!((400_000..50_000_000).contains(&pairs), "{pairs}");
}

#[test]
fn estimates_are_exact_for_small_lists_and_near_for_large_ones() {
    let mut random = Random::new(15);
    let engine = cpu(2, None);
    let few = Strings::from_slices(list(&mut random, &[6, 7, 8], 300, 3));
    let pairs = expected(&few, None, 1).len() as u64;
    let estimate = Neighbors::of(&few).within(1).estimate(&engine);
    assert_eq!(estimate.expect("it fits").pairs, pairs);
    let many = Strings::from_slices((0..20_000).map(|_| random.codes(8, 4)));
    let neighbors = Neighbors::of(&many).within(1);
    let pairs = engine.run(&neighbors).expect("it fits").neighbors.len() as f64;
    let estimated = neighbors.estimate(&engine).expect("it fits").pairs as f64;
    assert!(
        (0.7..1.4).contains(&(estimated / pairs)),
        "{estimated} {pairs}"
    );
}

/// Clusters by definition: every string with its neighbours, as UMI-tools computes them.
fn clusters_by_definition<S: Symbol>(
    strings: &Strings<'_, S>,
    groups: &[u32],
    counts: Option<&[u64]>,
    is_near: impl Fn(&[S], &[S]) -> bool,
) -> Vec<u32> {
    let mut distinct: Vec<(&[S], u32)> = Vec::new();
    let mut abundances: Vec<u64> = Vec::new();
    let mut numbers = Vec::new();
    for (place, string) in strings.iter().enumerate() {
        let one = (string, groups[place]);
        let number = distinct.iter().position(|&other| other == one);
        let number = number.unwrap_or_else(|| {
            distinct.push(one);
            abundances.push(0);
            distinct.len() - 1
        });
        abundances[number] += counts.map_or(1, |counts| counts[place]);
        numbers.push(number);
    }
    let leads = |a: usize, b: usize| {
        let ((x, group), (y, other)) = (distinct[a], distinct[b]);
        group == other
            && is_near(x, y)
            && (counts.is_none() || abundances[a] + 1 >= 2 * abundances[b])
    };
    let mut order: Vec<usize> = (0..distinct.len()).collect();
    order.sort_by_key(|&one| std::cmp::Reverse(abundances[one]));
    let mut roots = vec![usize::MAX; distinct.len()];
    for root in order {
        if roots[root] != usize::MAX {
            continue;
        }
        let (mut seen, mut queue) = (HashSet::from([root]), vec![root]);
        while let Some(one) = queue.pop() {
            let next = (0..distinct.len()).filter(|&next| leads(one, next));
            queue.extend(next.filter(|&next| seen.insert(next)));
        }
        for one in seen {
            if roots[one] == usize::MAX {
                roots[one] = root;
            }
        }
    }
    let mut names: Vec<usize> = Vec::new();
    let name = |number: usize| {
        let root = roots[number];
        let name = names.iter().position(|&other| other == root);
        name.unwrap_or_else(|| {
            names.push(root);
            names.len() - 1
        }) as u32
    };
    numbers.into_iter().map(name).collect()
}

#[test]
fn clusters_are_those_of_the_definition() {
    let mut random = Random::new(16);
    let engine = cpu(2, None);
    for (lens, letters) in [(&[5, 6, 7][..], 4), (&[12, 13], 4), (&[0, 1, 2, 3], 2)] {
        let strings = Strings::from_slices(list(&mut random, lens, 160, letters));
        let counts: Vec<u64> = (0..160).map(|_| 1 + random.below(9) as u64).collect();
        for k in [0, 1, 2] {
            let clusters = Neighbors::of(&strings).within(k).clusters();
            let report = engine.run(&clusters).expect("it fits");
            let is_near =
                |x: &[u32], y: &[u32]| reference::value(Measure::Edit, Mode::Global, x, y) <= k;
            let expected = |counts| clusters_by_definition(&strings, &[0; 160], counts, is_near);
            assert_eq!(report.clusters, expected(None));
            let directional = clusters.directional(&counts[..]);
            let report = engine.run(&directional).expect("it fits");
            assert_eq!(report.clusters, expected(Some(&counts)));
            let mut sizes = vec![0; report.sizes.len()];
            for (&cluster, count) in report.clusters.iter().zip(&counts) {
                sizes[cluster as usize] += count;
            }
            assert_eq!(report.sizes, sizes);
            for (cluster, &representative) in report.representatives.iter().enumerate() {
                assert_eq!(report.clusters[representative as usize] as usize, cluster);
            }
        }
    }
    let (strings, groups) = grouped_dna(&mut random, &[0, 4, 5, 6], 120);
    let counts: Vec<u64> = (0..120).map(|_| 1 + random.below(9) as u64).collect();
    for (k, both) in [(0, true), (1, false), (1, true)] {
        let mut neighbors = Neighbors::of(&strings).within(k).by(&groups[..]);
        neighbors.call.both_strands = both;
        let is_near = |x: &[u8], y: &[u8]| on_strands(x, y, both).0 <= k;
        let expected = |counts| clusters_by_definition(&strings, &groups, counts, is_near);
        let clusters = neighbors.clusters();
        let report = engine.run(&clusters).expect("it fits");
        assert_eq!(report.clusters, expected(None));
        let report = engine.run(&clusters.directional(&counts[..]));
        assert_eq!(report.expect("it fits").clusters, expected(Some(&counts)));
    }
    let strings = Strings::<u8>::from_slices(["a", "b"]);
    let refused = engine.run(&Neighbors::of(&strings).clusters().directional(&[1][..]));
    assert!(matches!(refused, Err(Error::OutOfRange { .. })));
}

#[test]
fn calls_end_early() {
    let strings = Strings::<u8>::from_slices((0..9u8).map(|byte| vec![byte; 9]));
    let engine = cpu(1, None);
    let mut blocks = 0;
    let task = Neighbors::of(&strings).within(9).for_each(|_| {
        blocks += 1;
        ControlFlow::Break(())
    });
    assert_eq!(engine.run(&task).expect("it ends early").pairs, 36);
    drop(task);
    assert_eq!(blocks, 1);
    let cancel = CancelHandle::new();
    cancel.cancel();
    let control = Control::default().cancelled_by(&cancel);
    let ended = engine.run_with(&Neighbors::of(&strings).within(1), &control);
    assert!(matches!(ended, Err(Error::Cancelled)));
}

#[test]
fn copies_of_one_string_come_within_the_memory() {
    const COPIES: usize = 20_000;
    let strings = Strings::<u8>::from_slices(vec!["ACGTACGTACGT"; COPIES]);
    let memory = 8 << 20;
    let (mut largest, mut next, mut pairs) = (0, 0, 0);
    let task = Neighbors::of(&strings).for_each(|block| {
        assert_eq!(block.rows.start, next);
        next = block.rows.end;
        largest = largest.max(block.neighbors.len());
        pairs += block.neighbors.len();
        if next > 4000 {
            return ControlFlow::Break(());
        }
        ControlFlow::Continue(())
    });
    cpu(2, Some(memory)).run(&task).expect("it fits");
    drop(task);
    let expected: usize = (0..next).map(|row| COPIES - 1 - row).sum();
    assert_eq!(pairs, expected);
    // A row, or a sixteenth of the memory.
    let max = (memory as usize / 16 / size_of::<super::Neighbor>()).max(COPIES);
    assert!(largest <= max, "{largest} neighbours at once, of {max}");
}
