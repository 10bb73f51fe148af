//! Self-test of searches on one device.

use super::Search;
use super::gpu::{LIMBS, SYMBOLS};
use crate::backend::Backend;
use crate::edit_distance::reference;
use crate::engine::{Engine, Round, SelfTest, letters};
use crate::error::Result;
use crate::kernels::search::LIMB_ROWS;
use crate::pairs::Strings;

const WITHIN: u64 = 5;

/// Searches patterns of every number of limbs, in texts of few and many symbols.
pub(crate) fn selftest(
    engine: &Engine,
    _: Option<&dyn Backend>,
    round: Round<'_>,
) -> Vec<SelfTest> {
    let tests = LIMBS.into_iter().flat_map(|limbs| {
        SYMBOLS.map(|symbols| {
            let name = format!("search/ends limbs={limbs} symbols={symbols}");
            (name, (limbs as usize, symbols / 8 + 1))
        })
    });
    round.of(tests, |(limbs, spread)| checked(engine, limbs, spread))
}

/// Runs the tests of these names.
pub fn selftest_of(engine: &Engine, names: &[String]) -> Vec<SelfTest> {
    selftest(engine, None, Round::Alone(names))
}

/// Compares all ends of patterns of 4 times `spread` symbols with those of the plain table.
fn checked(engine: &Engine, limbs: usize, spread: u32) -> Result<Option<String>> {
    let string = |len: usize, seed: u32| {
        let mut string = letters(len, seed);
        for (at, symbol) in string.iter_mut().enumerate() {
            *symbol = (*symbol >> 1 & 3) + 4 * (at as u32 % spread) as u8;
        }
        string
    };
    let longest = limbs * LIMB_ROWS;
    let lens = [longest, longest - 1, longest - LIMB_ROWS / 2];
    let patterns: Vec<_> = (1..)
        .zip(lens)
        .map(|(seed, len)| string(len, seed))
        .collect();
    let mut text = string(40, 9);
    for (number, pattern) in patterns.iter().cycle().take(12).enumerate() {
        let mut copy = pattern.clone();
        // Up to three edits in a copy.
        (0..number % 4).for_each(|edit| match (number + edit) % 3 {
            0 => drop(copy.remove((7 * edit + 3) % pattern.len())),
            1 => copy.insert(5 * edit + 2, 0),
            _ => copy[11 * edit % pattern.len()] = 255,
        });
        text.extend(copy);
        text.extend(string(number * 50, number as u32));
    }
    let (patterns, texts) = (
        Strings::from_slices(&patterns),
        Strings::from_slices([&text[..], &text[longest / 2..]]),
    );
    let search = Search::of(&patterns, &texts).within(WITHIN).ends();
    let places = &engine.run(&search)?.places;
    let mut found: Vec<_> = places
        .iter()
        .map(|place| (place.text, place.pattern, place.end, place.cost))
        .collect();
    found.sort_unstable();
    let mut expected = Vec::new();
    for (text, symbols) in (0..).zip(texts.iter()) {
        for (pattern, of_pattern) in (0..).zip(patterns.iter()) {
            let ends = (0..).zip(reference::distances(of_pattern, symbols));
            let ends = ends.filter(|&(_, cost)| cost <= WITHIN);
            expected.extend(ends.map(|(end, cost)| (text, pattern, end, cost as u32)));
        }
    }
    Ok((found != expected).then(|| {
        let (found, expected) = (found.len(), expected.len());
        format!("{found} ends, and {expected} are expected, or others")
    }))
}
