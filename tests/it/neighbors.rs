//! All pairs of strings within a distance, against all pairs.

use std::collections::HashSet;
use std::ops::ControlFlow;

use support::calls::reports;
use support::inputs::Random;
use support::tier::is_full;
use swath::neighbors::{Neighbor, Neighbors};
use swath::orientation::reverse_complement;
use swath::pairs::{Measure, Pairs, Strings};
use swath::substring::Strand;
use swath::{Engine, Symbol};

/// Pairs within `k` by the distances of all pairs.
fn by_all_pairs<S: Symbol>(
    a: &Strings<'_, S>,
    b: Option<&Strings<'_, S>>,
    k: u64,
) -> Vec<Neighbor> {
    near_by(
        match b {
            Some(b) => Pairs::cross(a, b),
            None => Pairs::symmetric(a),
        }
        .within(k),
    )
}

/// The kept ones of pairs.
fn near_by<S: Symbol>(pairs: Pairs<'_, S>) -> Vec<Neighbor> {
    let mut near = Vec::new();
    let task = pairs.for_each(|block| {
        near.extend(block.kept().map(|pair| Neighbor {
            row: pair.query as u32,
            column: pair.target as u32,
            distance: pair.value,
            strand: Strand::Forward,
        }));
        ControlFlow::Continue(())
    });
    support::cpu().run(&task).expect("it fits");
    drop(task);
    near
}

/// The CPU and the test device.
fn engines() -> impl Iterator<Item = &'static Engine> {
    std::iter::once(support::cpu()).chain(support::gpu())
}

/// The pairs within `k` of those within a greater bound.
fn within(near: &[Neighbor], k: u64) -> impl Iterator<Item = Neighbor> {
    let near = near.iter().copied();
    near.filter(move |pair| u64::from(pair.distance) <= k)
}

/// Compares both lists' pairs within all bounds with those of all pairs. Few symbols are on the
/// device.
fn assert_all<S: Symbol>(a: &Strings<'_, S>, b: &Strings<'_, S>, max_k: u64, what: &str) {
    let of_one = by_all_pairs(a, None, max_k);
    let of_two = by_all_pairs(a, Some(b), max_k);
    let symbols: HashSet<_> = a.iter().chain(b.iter()).flatten().copied().collect();
    for (engine, k) in engines().flat_map(|engine| (0..=max_k).map(move |k| (engine, k))) {
        let found = engine.run(&Neighbors::of(a).within(k)).expect("it fits");
        let device = found.run.device.clone();
        let is_taken = !std::ptr::eq(engine, support::cpu()) && symbols.len() <= 256;
        assert_eq!(device != "cpu", is_taken, "{what} {k}");
        let expected = within(&of_one, k);
        assert!(
            found.answer.neighbors.into_iter().eq(expected),
            "{what} {k} on {device}"
        );
        let found = engine.run(&Neighbors::between(a, b).within(k));
        let found = found.expect("it fits").answer.neighbors;
        let expected = within(&of_two, k);
        assert!(
            found.into_iter().eq(expected),
            "{what} {k} on {device}, two lists"
        );
    }
}

/// Copies of some templates with about one edit in `every` symbols.
fn edited(
    random: &mut Random,
    templates: &[Vec<u32>],
    count: usize,
    (every, letters): (u64, u32),
) -> Vec<Vec<u32>> {
    let one = |_| {
        let template = &templates[random.below(templates.len() as u64) as usize];
        random.edited(template, every, letters)
    };
    (0..count).map(one).collect()
}

fn bytes(strings: &[Vec<u32>]) -> Strings<'static> {
    let narrow = |string: &Vec<u32>| string.iter().map(|&symbol| symbol as u8).collect();
    Strings::from_slices(strings.iter().map(narrow).collect::<Vec<Vec<u8>>>())
}

#[test]
fn strings_of_all_lengths_and_bounds() {
    let mut random = Random::new(80);
    let step = if is_full() { 1 } else { 3 };
    for letters in [1, 2, 4, 20, 100_000] {
        let templates: Vec<_> = (0..=200)
            .step_by(step)
            .map(|len| random.symbols(len, letters))
            .collect();
        let mut strings = templates.clone();
        strings.extend(edited(&mut random, &templates, 300, (20, letters)));
        // Prefixes of each other, repeats and copies.
        strings.extend((0..60).map(|len| templates[templates.len() - 1][..len * 3].to_vec()));
        strings.extend((0..40).map(|len| vec![0; len * 2]));
        strings.extend_from_within(..30);
        let strings = Strings::from_slices(strings);
        let others = edited(&mut random, &templates, 200, (9, letters));
        let others = Strings::from_slices(others);
        assert_all(&strings, &others, 8, &format!("{letters} letters"));
    }
}

/// Lists that are large enough for keys.
#[test]
fn many_strings_of_every_kind() {
    let mut random = Random::new(81);
    let count = if is_full() { 20_000 } else { 1500 };
    let mut kinds: Vec<(&str, Vec<Vec<u32>>, u64)> = Vec::new();
    let amino = |random: &mut Random| {
        let len = 12 + random.below(7) as usize;
        random.symbols(len, 20)
    };
    kinds.push((
        "amino acids",
        (0..count).map(|_| amino(&mut random)).collect(),
        3,
    ));
    kinds.push((
        "barcodes",
        (0..count).map(|_| random.symbols(10, 4)).collect(),
        2,
    ));
    let templates: Vec<_> = (0..count / 20).map(|_| random.symbols(60, 4)).collect();
    kinds.push(("reads", edited(&mut random, &templates, count, (40, 4)), 5));
    // All strings share all pieces but a few.
    let template = [random.symbols(60, 4)];
    kinds.push((
        "one template",
        edited(&mut random, &template, count, (40, 4)),
        2,
    ));
    let poly = |random: &mut Random| {
        let mut string = vec![0; 30];
        (0..3).for_each(|_| string[random.below(30) as usize] = random.below(4) as u32);
        string.extend(random.symbols(6, 4));
        string
    };
    kinds.push(("poly-A", (0..count).map(|_| poly(&mut random)).collect(), 2));
    let prefix = [vec![1; 20], random.symbols(20, 4)].concat();
    let tail = |random: &mut Random| [prefix.clone(), random.symbols(12, 4)].concat();
    kinds.push((
        "common prefixes",
        (0..count).map(|_| tail(&mut random)).collect(),
        2,
    ));
    for (name, strings, max_k) in kinds {
        let (strings, others) = strings.split_at(strings.len() * 3 / 4);
        assert_all(&bytes(strings), &bytes(others), max_k, name);
    }
}

#[test]
fn groups_and_strands() {
    let mut random = Random::new(86);
    let count = if is_full() { 6000 } else { 900 };
    let templates: Vec<_> = (0..count / 30).map(|_| random.symbols(24, 4)).collect();
    let strings = edited(&mut random, &templates, count, (12, 4));
    let dna = strings.iter().zip(0..).map(|(string, place)| {
        let letters: Vec<u8> = string.iter().map(|&code| b"ACGT"[code as usize]).collect();
        if place % 3 == 0 {
            reverse_complement(&letters).expect("it is DNA")
        } else {
            letters
        }
    });
    let dna: Vec<Vec<u8>> = dna.collect();
    let groups: Vec<u32> = (0..count).map(|_| (random.below(3) as u32) << 30).collect();
    let half = count / 2;
    let turned = dna
        .iter()
        .map(|one| reverse_complement(one).expect("it is DNA"));
    let turned = Strings::from_slices(turned.take(half).collect::<Vec<_>>());
    let [a, b] = [&dna[..half], &dna[half..]].map(Strings::<u8>::from_slices);
    let (a_groups, b_groups) = groups.split_at(half);
    let near = |other: Option<&Strings<'_>>| {
        let reverse = by_all_pairs(&turned, Some(other.unwrap_or(&a)), 3);
        let reverse = reverse.into_iter().map(|pair| Neighbor {
            strand: Strand::Reverse,
            ..pair
        });
        let reverse = reverse.filter(|pair| other.is_some() || pair.row < pair.column);
        [by_all_pairs(&a, other, 3), reverse.collect()]
    };
    let (near_one, near_two) = (near(None), near(Some(&b)));
    for k in 0..=3 {
        for (both, grouped) in [(true, false), (false, true), (true, true)] {
            let expected = |[forward, reverse]: &[Vec<Neighbor>; 2], groups: &[u32]| {
                let mut near: Vec<_> = within(forward, k).collect();
                if both {
                    near.extend(within(reverse, k));
                    near.sort_unstable();
                    near.dedup_by_key(|pair| (pair.row, pair.column));
                }
                near.retain(|pair| {
                    let keys = [a_groups[pair.row as usize], groups[pair.column as usize]];
                    !grouped || keys[0] == keys[1]
                });
                near
            };
            let of_one = expected(&near_one, a_groups);
            let of_two = expected(&near_two, b_groups);
            for engine in engines() {
                for (task, expected) in [
                    (Neighbors::of(&a), &of_one),
                    (Neighbors::between(&a, &b), &of_two),
                ] {
                    let mut task = task.within(k);
                    if both {
                        task = task.both_strands();
                    }
                    if grouped {
                        task = task.by(a_groups).columns_by(b_groups);
                    }
                    let found = engine.run(&task).expect("it fits");
                    let device = &found.run.device;
                    assert_eq!(device != "cpu", !std::ptr::eq(engine, support::cpu()));
                    assert!(
                        found.neighbors == *expected,
                        "{k} {both} {grouped} {device}"
                    );
                }
            }
        }
    }
}

#[test]
fn other_distances_are_those_of_the_cpu() {
    let mut random = Random::new(87);
    let templates: Vec<_> = (0..60).map(|_| random.symbols(20, 4)).collect();
    let strings = bytes(&edited(&mut random, &templates, 1500, (20, 4)));
    for measure in [Measure::Hamming, Measure::Osa] {
        let expected = near_by(Pairs::symmetric(&strings).measure(measure).within(2));
        assert!(expected.len() > 100, "{}", expected.len());
        for engine in engines() {
            let task = Neighbors::of(&strings).measure(measure).within(2);
            let found = engine.run(&task).expect("it fits");
            assert_eq!(
                found.run.device != "cpu",
                !std::ptr::eq(engine, support::cpu())
            );
            assert!(found.neighbors == expected, "{measure}");
        }
    }
}

#[test]
fn characters_and_tokens_are_symbols() {
    let mut random = Random::new(82);
    let templates: Vec<_> = (0..40).map(|_| random.symbols(30, 5000)).collect();
    let strings = edited(&mut random, &templates, 800, (15, 5000));
    let character = |&symbol: &u32| char::from_u32(symbol + 0x4e00).expect("a letter");
    let characters = |strings: &[Vec<u32>]| {
        let one = |string: &Vec<u32>| string.iter().map(character).collect::<Vec<_>>();
        Strings::from_slices(strings.iter().map(one).collect::<Vec<_>>())
    };
    let (a, b) = strings.split_at(500);
    assert_all(&characters(a), &characters(b), 2, "characters");
    let wide = |strings: &[Vec<u32>]| {
        let one = |string: &Vec<u32>| string.iter().map(|&one| u64::from(one) << 40).collect();
        Strings::from_slices(strings.iter().map(one).collect::<Vec<Vec<u64>>>())
    };
    assert_all(&wide(a), &wide(b), 3, "wide symbols");
}

#[test]
fn long_strings_and_large_bounds() {
    let mut random = Random::new(83);
    let template = [random.symbols(70_000, 4)];
    let mut strings = edited(&mut random, &template, 2, (20_000, 4));
    strings.push(random.symbols(70_000, 4));
    strings.push(vec![]);
    let strings = bytes(&strings);
    let all = by_all_pairs(&strings, None, 100_000);
    for k in [0, 20, 100_000] {
        let found = support::cpu().run(&Neighbors::of(&strings).within(k));
        let found = found.expect("it fits").answer.neighbors;
        assert!(found.into_iter().eq(within(&all, k)), "{k}");
    }
}

#[test]
fn progress_of_a_join_never_falls_and_ends_at_one() {
    let mut random = Random::new(84);
    let strings: Vec<_> = (0..6000).map(|_| random.symbols(14, 4)).collect();
    let strings = bytes(&strings);
    let task = Neighbors::of(&strings).within(2);
    let (reports, error) = reports(support::cpu(), &task, usize::MAX);
    let fractions: Vec<_> = reports.iter().map(|report| report.fraction).collect();
    assert!(error.is_none());
    assert!(fractions.len() > 4 && fractions.is_sorted());
    assert_eq!(fractions.last(), Some(&1.0));
}

#[test]
fn dry_runs_expect_the_method_that_runs() {
    let mut random = Random::new(85);
    let strings: Vec<_> = (0..6000).map(|_| random.symbols(30, 20)).collect();
    let strings = bytes(&strings);
    let task = Neighbors::of(&strings).within(1);
    let plan = support::cpu().plan(&task).expect("it fits");
    let run = support::cpu().run(&task).expect("it fits").run.clone();
    assert_eq!((plan.method, plan.cells), (run.method, run.cells));
    assert_eq!(run.method, "pieces");
}
