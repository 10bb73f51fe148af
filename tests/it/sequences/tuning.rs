//! Forced shapes of the strip sweep at their limits: the right answer, or an error before any work.

use support::calls::Calls;
use support::inputs::Random;
use support::tier::is_full;
use swath::lcs;
use swath::unstable::edit_distance::EditOptions;
use swath::unstable::kernels::bit_parallel::{CarryExchange, Matching};
use swath::unstable::lcs::{LcsOptions, Tuning};
use swath::{Engine, Error, edit_distance};

/// Requires the right answers if `known`, otherwise the error that names the option. The first tier
/// takes one problem with paths and the other without, in turns.
fn assert_tuned(engine: &Engine, knob: &str, tuning: Tuning, known: bool, turn: usize) {
    let mut random = Random::new(7);
    let (a, b) = (random.symbols(300, 4), random.symbols(260, 4));
    for (place, path) in [false, true].into_iter().enumerate() {
        if is_full() || (place + turn).is_multiple_of(2) {
            let mut options = LcsOptions::default();
            (options.method, options.path, options.tuning) =
                (lcs::Method::BitParallel, path, tuning);
            let length = engine.lcs_with(&a, &b, &options);
            let length = length.map(|answer| answer.length);
            let expected = swath::unstable::lcs::reference::length(&a, &b);
            assert_either(length, expected, knob, &tuning, known);
        }
        if is_full() || !(place + turn).is_multiple_of(2) {
            let mut options = EditOptions::default();
            (options.method, options.path, options.tuning) =
                (edit_distance::Method::BitParallel, path, tuning);
            let distance = engine.edit_distance_with(&a, &b, &options);
            let distance = distance.map(|answer| answer.distance.exactly());
            let mode = edit_distance::Mode::Global;
            let expected = swath::unstable::edit_distance::reference::distance(&a, &b, mode);
            assert_either(distance, Some(expected), knob, &tuning, known);
        }
    }
}

fn assert_either<T: PartialEq + std::fmt::Debug>(
    answer: Result<T, Error>,
    expected: T,
    knob: &str,
    tuning: &Tuning,
    known: bool,
) {
    match answer {
        Ok(answer) => assert!(
            known && answer == expected,
            "{answer:?} not {expected:?} {tuning:?}"
        ),
        Err(Error::InvalidTuning { knob: named, .. }) => {
            assert!(!known && named == knob, "{named} {tuning:?}")
        }
        Err(Error::MethodUnavailable { .. } | Error::MemoryBudget { .. }) => {
            assert!(known, "{tuning:?}")
        }
        Err(error) => panic!("{error} {tuning:?}"),
    }
}

#[test]
fn every_knob_at_its_edges_gives_the_right_answer_or_an_error_that_names_it() {
    let Some(engine) = support::gpu() else { return };
    type Set = fn(&mut Tuning, u32);
    let huge = [1 << 20, 1 << 31, u32::MAX];
    let knobs: [(&str, Set, &[u32], &[u32]); 5] = [
        (
            "lanes",
            |tuning, value| tuning.lanes = Some(value),
            &[2, 8, 128],
            &[0, 1, 3, 6, 33],
        ),
        (
            "limbs",
            |tuning, value| tuning.limbs = Some(value),
            &[2, 16],
            &[0, 1, 3, 5, 15, 17, 18],
        ),
        (
            "columns",
            |tuning, value| tuning.columns = Some(value),
            &[8, 16, 32],
            &[0, 1, 7, 9, 12, 24, 33, 64],
        ),
        (
            "steps",
            |tuning, value| tuning.steps = Some(value),
            &[1, 3, 4096],
            &[0, 4097],
        ),
        (
            "directions",
            |tuning, value| tuning.directions = Some(value),
            &[1, 2],
            &[0, 3],
        ),
    ];
    for (knob, set, known, unknown) in knobs {
        let known = known.iter().map(|&value| (value, true));
        let unknown = unknown
            .iter()
            .copied()
            .chain(huge)
            .map(|value| (value, false));
        for (turn, (value, known)) in known.chain(unknown).enumerate() {
            let mut tuning = Tuning::default();
            set(&mut tuning, value);
            assert_tuned(engine, knob, tuning, known, turn);
        }
    }
    let crews = [
        (CarryExchange::Workgroup, 2),
        (CarryExchange::Workgroup, 8),
        (CarryExchange::Subgroup, 8),
    ];
    for (turn, matching) in [Matching::Table, Matching::Planes].into_iter().enumerate() {
        for (carry_exchange, lanes) in crews {
            let tuning = Tuning {
                matching: Some(matching),
                carry_exchange: Some(carry_exchange),
                lanes: Some(lanes),
                ..Tuning::default()
            };
            assert_tuned(engine, "", tuning, true, turn);
        }
    }
    for (turn, bytes) in [0, 1, 4096, u64::MAX].into_iter().enumerate() {
        let tuning = Tuning {
            replay_bytes: Some(bytes),
            ..Tuning::default()
        };
        assert_tuned(engine, "", tuning, true, turn);
    }
}
