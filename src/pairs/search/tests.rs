use std::collections::{HashMap, HashSet};

use super::*;
use crate::edit_distance::reference;
use crate::pairs::{SHARED_CODES, Strings, cpu};
use crate::search::words::{Division, Letters};
use crate::sequences::bit_parallel::inputs::Random;
use crate::sequences::typed::Typed;

/// Compares all values with the reference, with words of all kinds of letters, and finds the first
/// best pieces behind their offsets. Returns the number of queries that were searched.
fn assert_searched(
    queries: &[Vec<u32>],
    targets: &[Vec<u32>],
    bounds: impl Iterator<Item = u64>,
) -> usize {
    let [strings, texts] = [queries, targets].map(Strings::from_slices);
    let pairs: Vec<_> = queries
        .iter()
        .flat_map(|query| targets.iter().map(move |target| (query, target)))
        .collect();
    let ends: Vec<_> = pairs
        .iter()
        .map(|&(query, target)| reference::ends(query, target, Mode::Infix))
        .collect();
    let alphabet = Alphabet::few(strings.iter(), SHARED_CODES).expect("few symbols");
    let (mut count, mut pieces) = (0, HashSet::new());
    for bound in bounds {
        let request = Request {
            queries: Typed::Numbers(&strings),
            targets: Typed::Numbers(&texts),
            measure: Measure::Edit,
            mode: Mode::Infix,
            within: Some(bound),
        };
        // All kinds of letters of small alphabets, and every third of large ones.
        let step = alphabet.codes().div_ceil(8).min(3);
        for letters in Letters::all(alphabet.codes()).step_by(step) {
            let lens = queries.iter().map(Vec::len);
            // Plans take no division whose windows cover the text.
            let division = |len| {
                let division = Division::best(len, bound as usize, letters)?;
                let window = (len + 2 * bound as usize) as f64;
                (division.rate * window < 1.0).then_some((len, division))
            };
            let divisions: HashMap<_, _> = lens
                .filter(|&len| len <= MAX_LEN)
                .filter_map(division)
                .collect();
            let is_searched = |&query: &usize| divisions.contains_key(&queries[query].len());
            let (searched, others): (Vec<_>, _) = (0..queries.len()).partition(is_searched);
            count += searched.len();
            let groups = searched.chunks(11).map(<[_]>::to_vec).collect();
            let plan = Plan {
                letters,
                divisions,
                groups,
                others,
                share: 0.0,
                max_words: f64::INFINITY,
            };
            let (rows, columns) = (0..queries.len(), 0..targets.len());
            let control = Control::default();
            let found = cpu::searched(&request, &alphabet, &plan, rows, columns, &control);
            let (values, offsets) = found.expect("not cancelled");
            let expected = ends.iter().map(|&(distance, _)| distance.min(bound + 1));
            let mut differing = values.iter().zip(expected).enumerate();
            if let Some((place, (found, expected))) =
                differing.find(|&(_, (found, expected))| u64::from(found) != expected)
            {
                let (query, target) = (place / targets.len(), place % targets.len());
                panic!(
                    "{found} instead of {expected}, bound {bound}, {letters:?}\nlet (a, b) = (vec!{:?}, vec!{:?});",
                    queries[query], targets[target]
                );
            }
            for (pair, (&(query, target), (distance, ends))) in pairs.iter().zip(&ends).enumerate()
            {
                let offset = offsets[pair];
                if *distance <= bound
                    && (*distance as usize) < query.len()
                    && pieces.insert((pair, offset))
                {
                    let part = &target[offset as usize..ends[0]];
                    let of_part = reference::distance(query, part, Mode::Infix);
                    assert_eq!(of_part, *distance, "{offset}, {query:?}, {target:?}");
                }
            }
        }
    }
    count
}

/// The string with about this many edits, some with a symbol that is in no query.
fn edited(random: &mut Random, string: &[u32], edits: usize, letters: u32) -> Vec<u32> {
    let mut edited = string.to_vec();
    for _ in 0..edits {
        let place = random.below(edited.len() + 1);
        let symbol = random.below(letters as usize + 1) as u32;
        match random.below(3) {
            0 => edited.insert(place, symbol),
            1 if place < edited.len() => edited[place] = symbol,
            _ if place < edited.len() => drop(edited.remove(place)),
            _ => {}
        }
    }
    edited
}

#[test]
fn searches_match_the_reference_for_every_bound() {
    let mut random = Random::new(88);
    let mut count = 0;
    for letters in [1, 2, 4, 4, 5, 20, 200, 200] {
        let lens = [0, 1, 3, 5, 8, 9, 12, 16, 20, 24, 24, 31, 32, 40, 63, 64, 70];
        let queries: Vec<_> = lens.map(|len| random.codes(len, letters)).into();
        let mut targets = vec![
            Vec::new(),
            random.codes(1, letters),
            random.codes(5, letters),
        ];
        for copies in 0..24 {
            let len = random.below(120);
            let mut target = random.codes(len, letters + 1);
            // Occurrences at both ends, and adjacent ones.
            for _ in 0..copies % 3 {
                let query = &queries[random.below(queries.len())];
                let edits = random.below(10);
                let copy = edited(&mut random, query, edits, letters);
                let at = [0, target.len(), random.below(target.len() + 1)][random.below(3)];
                target.splice(at..at, copy);
            }
            targets.push(target);
        }
        count += assert_searched(&queries, &targets, 0..9);
    }
    assert!(count > 900, "only {count} queries were searched");
}

#[test]
fn searches_of_repeats_match_the_reference() {
    let mut random = Random::new(89);
    let queries: Vec<Vec<u32>> = vec![
        vec![0; 24],
        [[0; 12], [1; 12]].concat(),
        (0..24).map(|at| at % 2).collect(),
        (0..30).map(|at| at % 3).collect(),
        (0..60).map(|at| at / 7 % 4).collect(),
        random.codes(24, 4),
    ];
    let mut targets: Vec<_> = queries.iter().map(|query| query.repeat(5)).collect();
    targets.push(vec![1; 100]);
    targets.push([vec![0; 21], vec![9; 3], vec![0; 50]].concat());
    assert_searched(&queries, &targets, 0..9);
}

#[test]
fn long_texts_are_searched_in_parts() {
    let mut random = Random::new(90);
    let queries: Vec<_> = (0..8).map(|_| random.codes(24, 4)).collect();
    let mut text = random.codes(BLOCK_SYMBOLS * 2 + 100, 4);
    for (place, query) in queries.iter().enumerate() {
        let copy = edited(&mut random, query, place % 5, 4);
        let at = BLOCK_SYMBOLS * (1 + place / 4) - 3 - 7 * (place % 4);
        text.splice(at..at + copy.len(), copy);
    }
    assert!(assert_searched(&queries, &[text], 3..5) > 0);
}

#[test]
fn plans_search_barcodes_and_compare_short_queries() {
    let mut random = Random::new(91);
    let mut list = |count: usize, len: usize| {
        Strings::from_slices((0..count).map(|_| random.codes(len, 4)).collect::<Vec<_>>())
    };
    let (barcodes, words, reads) = (list(96, 24), list(96, 6), list(100, 3000));
    let plan = |queries: &Strings<'_, u32>, bound| {
        let request = Request {
            queries: Typed::Numbers(queries),
            targets: Typed::Numbers(&reads),
            measure: Measure::Edit,
            mode: Mode::Infix,
            within: Some(bound),
        };
        let alphabet = Alphabet::few(queries.iter(), SHARED_CODES)?;
        plan(
            &request,
            &alphabet,
            0..queries.len(),
            0..reads.len(),
            u64::MAX,
        )
    };
    let searched = plan(&barcodes, 2).expect("it is faster");
    assert!(
        searched.others.is_empty() && searched.share < 0.5,
        "{}",
        searched.share
    );
    assert!(plan(&words, 4).is_none());
    assert!(plan(&barcodes, 12).is_none());
}
