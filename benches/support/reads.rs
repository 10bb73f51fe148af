//! Whole calls on pairs of sequencing reads, about a microsecond each.

use serde_json::json;
use swath::Engine;

use super::ceiling::Work;
use super::inputs::{edited, letters};
use super::record::Row;
use super::timing::best_of;
use super::{Bench, native};

/// Pairs per case; they alternate, so that branch predictors cannot learn one pair.
const PAIRS: usize = 1000;
const SYMBOLS: usize = 150;

/// Unrelated and similar reads, against rapidfuzz on the same pairs; both return a length or a
/// distance.
pub fn two_reads(
    bench: &mut Bench,
    what: &str,
    work: Work,
    ours: impl Fn(&Engine, &[u8], &[u8]) -> swath::Result<u64>,
    theirs: impl Fn(&[u8], &[u8]) -> u64,
) {
    let engine = native(Some(1));
    for (which, percent) in [("unrelated", None), ("5 % apart", Some(5))] {
        let name = format!("cpu {what}, two reads of {SYMBOLS}, {which}, {PAIRS} calls");
        if !bench.wants(&name) {
            continue;
        }
        let pair = |seed: usize| {
            let a = letters(SYMBOLS, 4, 1 + 2 * seed as u64);
            let other = 2 + 2 * seed as u64;
            let b = percent.map_or_else(
                || letters(SYMBOLS, 4, other),
                |percent| edited(&a, percent, 100, other),
            );
            (a, b)
        };
        let pairs: Vec<_> = (0..PAIRS).map(pair).collect();
        let all = || {
            pairs
                .iter()
                .map(|(a, b)| ours(&engine, a, b))
                .collect::<swath::Result<Vec<_>>>()
        };
        let (ours, theirs) = (
            best_of(50, all),
            best_of(50, || {
                Ok(pairs.iter().map(|(a, b)| theirs(a, b)).collect::<Vec<_>>())
            }),
        );
        let cells = pairs
            .iter()
            .map(|(a, b)| a.len() as u128 * b.len() as u128)
            .sum();
        let micros = ours.best().as_secs_f64() * 1e6 / PAIRS as f64;
        bench.row(Row {
            case: &name,
            times: ours.times(),
            count: cells,
            computed: cells,
            work,
            device: "cpu",
            baseline: Some(("rapidfuzz, 1 thread", theirs.best())),
            right: ours.answer == theirs.answer,
            remark: format!("{micros:.2} us a call"),
            path_mode: None,
            phases: &[],
            members: json!({ "microseconds_a_call": micros }),
        });
    }
}
