//! Self-test of many pairs on one device.

use super::{Measure, PairValue, Pairs, Strings, reference};
use crate::backend::Backend;
use crate::edit_distance::known::KnownDistance;
use crate::edit_distance::{self, Mode};
use crate::engine::{Engine, Round, SelfTest, letters};
use crate::error::Result;

/// Lengths of the strings: empty, within a limb, at its end, and several limbs.
const LENS: [usize; 6] = [0, 7, 31, 32, 90, 150];

/// Computes all pairs of two ragged lists by every measure and mode.
pub(crate) fn selftest(
    engine: &Engine,
    _: Option<&dyn Backend>,
    round: Round<'_>,
) -> Vec<SelfTest> {
    let list = |count: u32, seed: u32| {
        let string = |number: u32| letters(LENS[number as usize % LENS.len()], seed + number);
        Strings::from_slices((0..count).map(string).collect::<Vec<_>>())
    };
    let lists = (list(7, 1), list(140, 100));
    let tests = [
        (Measure::Edit, Mode::Global),
        (Measure::Edit, Mode::Prefix),
        (Measure::Edit, Mode::Infix),
        (Measure::Indel, Mode::Global),
        (Measure::Lcs, Mode::Global),
        (Measure::Hamming, Mode::Global),
        (Measure::Osa, Mode::Global),
        (Measure::Jaro, Mode::Global),
        (Measure::JaroWinkler, Mode::Global),
    ];
    let kernels = ["lanes", "entries"].into_iter();
    let named = kernels.flat_map(|kernel| {
        tests.map(|test| {
            let name = format!("pairs/{kernel} {} {}", test.0, test.1);
            (name, (kernel == "entries", test))
        })
    });
    let mut tests = round.of(named, |(is_list, test)| {
        checked(engine, &lists, is_list, test)
    });
    let bands = [("pairs/bands edit global".to_string(), ())];
    tests.extend(round.of(bands, |()| banded(engine)));
    let traceback = [("pairs/traceback edit global".to_string(), ())];
    tests.extend(round.of(traceback, |()| aligned(engine)));
    tests
}

/// Alignments of pairs in windows of 4 and 8 limbs.
fn aligned(engine: &Engine) -> Result<Option<String>> {
    let first = letters(400, 11);
    // The common prefix is short, so that the table is not.
    let moved = |start: usize| [&letters(1, 7), &first[start..], &letters(start, 6)].concat();
    let targets = Strings::from_slices((0..70).map(moved));
    let queries = Strings::from_slices([&first]);
    let known = |target: usize| {
        let distance = edit_distance::reference::distance(&first, &targets[target], Mode::Global);
        PairValue {
            query: 0,
            target,
            value: distance as u32,
        }
    };
    let known: Vec<_> = (0..targets.len()).map(known).collect();
    let pairs = Pairs::cross(&queries, &targets);
    let found = engine.run(&pairs.alignments(&known))?.answer;
    let mut on_cpu = KnownDistance::default();
    for (pair, found) in known.iter().zip(found) {
        let (target, distance) = (&targets[pair.target], pair.value.into());
        let expected = on_cpu.align(&first, target, 0, Mode::Global, distance)?;
        if expected.as_ref() != Some(&found) {
            let said = format!("another alignment of 400 and {} letters", target.len());
            return Ok(Some(said));
        }
    }
    Ok(None)
}

/// Pairs of strings that are long enough for a band of 4 limbs, on both sides of the bound.
fn banded(engine: &Engine) -> Result<Option<String>> {
    const BOUND: usize = 90;
    let first = letters(600, 9);
    let moved = |start: usize| [&first[start..], &letters(start, 5)].concat();
    let targets = Strings::from_slices((0..140).map(moved));
    let queries = Strings::from_slices([&first]);
    let pairs = Pairs::cross(&queries, &targets).within(BOUND as u64);
    let report = engine.run(&pairs)?;
    let different = targets
        .iter()
        .zip(report.values.iter())
        .find(|(target, found)| {
            let exact = edit_distance::reference::distance(&first, target, Mode::Global);
            u64::from(*found) != exact.min(BOUND as u64 + 1)
        });
    Ok(different.map(|(target, found)| {
        let exact = edit_distance::reference::distance(&first, target, Mode::Global);
        format!("{found} instead of {exact} within {BOUND}")
    }))
}

fn checked(
    engine: &Engine,
    (queries, targets): &(Strings<'_>, Strings<'_>),
    is_list: bool,
    (measure, mode): (Measure, Mode),
) -> Result<Option<String>> {
    let pairs = if is_list {
        let of_row = |row: u32| (0..targets.len() as u32).map(move |column| (row, column));
        let all: Vec<_> = (0..queries.len() as u32).flat_map(of_row).collect();
        Pairs::list(queries, targets, all)
    } else {
        Pairs::cross(queries, targets)
    };
    let report = engine.run(&pairs.measure(measure).mode(mode))?;
    let pairs = queries
        .iter()
        .flat_map(|query| targets.iter().map(move |target| (query, target)));
    let different = pairs.zip(report.values.iter()).find(|((a, b), found)| {
        let expected = reference::value(measure, mode, a, b);
        u64::from(*found) != expected
    });
    Ok(different.map(|((a, b), found)| {
        format!("{found} for strings of {} and {} symbols", a.len(), b.len())
    }))
}
