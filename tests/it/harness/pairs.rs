//! Damage to the kernels of lists of pairs, one wrong operator in each.

use std::ops::ControlFlow;

use swath::edit_distance::Alignment;
use swath::pairs::{Measure, PairValue, Pairs, Strings};

use super::*;

/// Calls that use different kernels.
#[derive(Clone, Copy, Debug)]
enum Call {
    /// Every query with every target: lanes that store all values.
    Cross,
    /// As `Cross`, with a bound: lanes that store some values.
    Kept,
    /// Pairs that share nothing: entries.
    List,
    /// As `Cross`, by a measure with kernels of its own.
    Measure(Measure),
}

/// Values of ragged lists by one call.
fn values(engine: &Engine, call: Call) -> Vec<PairValue> {
    let mut random = Random::new(90);
    let mut list = |count: usize, first: usize| {
        let string = |place: usize| random.symbols(first + place * 7 % 20, 4);
        Strings::<u32>::from_slices((0..count).map(string).collect::<Vec<_>>())
    };
    let (queries, targets) = (list(9, 8), list(150, 6));
    let list: Vec<_> = (0..700u32)
        .map(|pair| (pair % 9, pair * 31 % 150))
        .collect();
    let pairs = match call {
        Call::Cross => Pairs::cross(&queries, &targets),
        Call::Kept => Pairs::cross(&queries, &targets).within(9),
        Call::List => Pairs::list(&queries, &targets, list),
        Call::Measure(measure) => Pairs::cross(&queries, &targets).measure(measure),
    };
    let mut kept = Vec::new();
    let task = pairs.for_each_kept(|block| {
        kept.extend_from_slice(block.kept);
        ControlFlow::Continue(())
    });
    engine.run(&task).expect("damage is no error to the device");
    drop(task);
    kept
}

#[test]
fn one_wrong_operator_in_a_kernel_of_pairs_is_noticed() {
    let Some(gpu) = lock_gpu() else { return };
    let undamaged = damaged_engine(&gpu, |_| ());
    let [hamming, osa, jaro, winkler] = [
        Measure::Hamming,
        Measure::Osa,
        Measure::Jaro,
        Measure::JaroWinkler,
    ]
    .map(Call::Measure);
    for call in [
        Call::Cross,
        Call::Kept,
        Call::List,
        hamming,
        osa,
        jaro,
        winkler,
    ] {
        assert!(
            values(&undamaged, call) == values(support::cpu(), call),
            "{call:?}"
        );
    }
    for (call, edit) in [
        (Call::Cross, ("pairs/masks", "return v & ", "return v | ")),
        (Call::Cross, ("pairs/columns", "(shrinks);", "(0u);")),
        (
            Call::Cross,
            (
                "pairs/lanes",
                "first_unit * LANES + lane, LANES",
                "first_unit * LANES, LANES",
            ),
        ),
        (
            Call::Cross,
            ("pairs/store_values", "(32u / PACK)", "(16u / PACK)"),
        ),
        (
            Call::Kept,
            ("pairs/store_kept", "tile * LANES + lane", "tile * LANES"),
        ),
        (Call::List, ("pairs/planes", "rest &= ~(", "rest &= (")),
        (
            Call::List,
            ("pairs/entries", "bits << row", "bits << (row / 2u)"),
        ),
        (hamming, ("pairs/hamming", "left == 0u", "left != 0u")),
        (osa, ("pairs/osa", "hn_above | exchanged", "hn_above")),
        (jaro, ("pairs/jaro", "(transposed / 2u)", "transposed")),
        (winkler, ("pairs/jaro", "k == prefix", "k != prefix")),
    ] {
        assert_edit_noticed(&gpu, edit, |engine| values(engine, call));
    }
}

/// Alignments of pairs in windows of different sizes, as CIGARs; empty where one is refused.
fn cigars(engine: &Engine) -> Vec<String> {
    let mut random = Random::new(91);
    let pair = |place: usize| {
        let a = random.symbols(70 + place * 7 % 300, 4);
        let b = random.edited(&a, 2 + place as u64 % 9, 4);
        (a, b)
    };
    let (a, b): (Vec<_>, Vec<_>) = (0..150).map(pair).unzip();
    let (queries, targets) = (Strings::from_slices(&a), Strings::from_slices(&b));
    let pairs = Pairs::zip(&queries, &targets);
    let values = support::cpu().run(&pairs).expect("it runs").answer.values;
    let value = |(place, value)| PairValue {
        query: place,
        target: place,
        value,
    };
    let values: Vec<_> = values.iter().enumerate().map(value).collect();
    let found = engine.run(&pairs.alignments(&values));
    let answer = found.map(|report| report.answer).unwrap_or_default();
    answer.iter().map(Alignment::cigar).collect()
}

#[test]
fn one_wrong_operator_in_a_kernel_of_alignments_is_noticed() {
    let Some(gpu) = lock_gpu() else { return };
    let undamaged = damaged_engine(&gpu, |_| ());
    let expected = cigars(support::cpu());
    assert!(!expected.is_empty() && cigars(&undamaged) == expected);
    for edit in [
        ("pairs/strings", "(31u - k)", "(30u - k)"),
        (
            "pairs/keep_windows",
            "block * LIMBS",
            "(block / 2u) * LIMBS",
        ),
        ("pairs/traceback", "mask | vn | hn_above", "mask | hn_above"),
        ("pairs/traceback", "+ ((minus >> k) & 1u)", ""),
        ("pairs/traceback", "2u * run + ", ""),
    ] {
        assert_edit_noticed(&gpu, edit, cigars);
    }
}
