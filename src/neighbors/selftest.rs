//! Self-test of joins on one device.

use super::plan::{Scheme, Tuning};
use super::{Neighbor, Neighbors};
use crate::backend::Backend;
use crate::edit_distance::{self, Mode};
use crate::engine::{Engine, Round, SelfTest, letters};
use crate::error::Result;
use crate::pairs::Strings;
use crate::substring::Strand;

const STRINGS: u32 = 120;
const WITHIN: u64 = 2;

/// Joins a list of mutated copies by every scheme, with codes of every number of bits.
pub(crate) fn selftest(
    engine: &Engine,
    _: Option<&dyn Backend>,
    round: Round<'_>,
) -> Vec<SelfTest> {
    let schemes = [
        (vec![Scheme::Pieces(1)], "pieces"),
        (vec![Scheme::Pieces(1), Scheme::Deletions], "levels"),
        (vec![], "all-pairs"),
    ];
    let tests = schemes.into_iter().flat_map(|(schemes, name)| {
        [(2, 1), (3, 2), (5, 4), (8, 64)].map(|(planes, spread)| {
            let name = format!("neighbors/join {name} planes={planes}");
            (name, (schemes.clone(), spread))
        })
    });
    round.of(tests, |(schemes, spread)| checked(engine, schemes, spread))
}

/// Runs the tests of these names.
pub fn selftest_of(engine: &Engine, names: &[String]) -> Vec<SelfTest> {
    selftest(engine, None, Round::Alone(names))
}

/// Compares a join with all pairs, of strings with 4 times `spread` symbols.
fn checked(engine: &Engine, schemes: Vec<Scheme>, spread: u8) -> Result<Option<String>> {
    let string = |number: u32| {
        let mut string = letters(11 + number as usize % 3 * 15, number / 6 % 4 + 1);
        for (at, symbol) in string.iter_mut().enumerate() {
            let code = *symbol >> 1 & 3;
            *symbol = code + 4 * (at as u8 % spread);
        }
        // One edit in most copies.
        let at = number as usize * 7 % string.len();
        match number % 4 {
            0 => drop(string.remove(at)),
            1 => string.insert(at, 0),
            2 => string[at] = 1,
            _ => {}
        }
        string
    };
    let strings = Strings::from_slices((0..STRINGS).map(string));
    let mut neighbors = Neighbors::of(&strings).within(WITHIN);
    neighbors.call.tuning = Tuning {
        // Level 1 has some keys.
        limit: (schemes.len() > 1).then_some(4),
        schemes: Some(schemes),
        ..Tuning::default()
    };
    let found = engine.run(&neighbors)?;
    let pairs = (0..STRINGS).flat_map(|row| (row + 1..STRINGS).map(move |column| (row, column)));
    let expected = pairs.filter_map(|(row, column)| {
        let (a, b) = (&strings[row as usize], &strings[column as usize]);
        let distance = edit_distance::reference::distance(a, b, Mode::Global);
        (distance <= WITHIN).then_some(Neighbor {
            row,
            column,
            distance: distance as u32,
            strand: Strand::Forward,
        })
    });
    let expected: Vec<_> = expected.collect();
    Ok((found.neighbors != expected).then(|| {
        let (found, expected) = (found.neighbors.len(), expected.len());
        format!("{found} pairs, and {expected} are expected, or others")
    }))
}
