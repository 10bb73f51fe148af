//! Expected times, against each other and against what calls take. They come from rates that a process measures once, so that tests take
//! turns.

mod support;

use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use support::calls::Calls;
use support::inputs::Random;
use swath::unstable::edit_distance::EditOptions;
use swath::unstable::lcs::LcsOptions;
use swath::{Edit, Lcs, edit_distance, lcs};

/// Held by the test whose turn it is.
static TURN: Mutex<()> = Mutex::new(());

/// Least seconds of many calls.
fn least_seconds(mut call: impl FnMut()) -> f64 {
    let seconds = |()| {
        let started = Instant::now();
        call();
        started.elapsed().as_secs_f64()
    };
    std::iter::repeat_n((), 200)
        .map(seconds)
        .fold(f64::INFINITY, f64::min)
}

#[test]
fn plans_of_small_pairs_expect_the_microseconds_that_they_take() {
    let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    let mut random = Random::new(15);
    let engine = support::cpu();
    for symbols in [20, 150, 500] {
        let (a, b) = (random.symbols(symbols, 4), random.symbols(symbols, 4));
        let (lcs, edit) = (Lcs::of(&a, &b), Edit::of(&a, &b));
        let planned = [engine.plan(&lcs), engine.plan(&edit)]
            .map(|plan| plan.expect("it plans").expected.as_secs_f64());
        let took = [
            least_seconds(|| _ = engine.run(&lcs)),
            least_seconds(|| _ = engine.run(&edit)),
        ];
        for (expected, took) in planned.into_iter().zip(took) {
            assert!(
                expected < 2e-5,
                "{symbols} symbols: {expected} s are expected"
            );
            // Code that is not optimized takes longer.
            let is_near = cfg!(debug_assertions) || (0.2..5.0).contains(&(expected / took));
            assert!(
                is_near,
                "{symbols} symbols: {expected} s are expected, and it takes {took} s"
            );
        }
    }
}

#[test]
fn plans_expect_edit_distances_to_take_longer_than_subsequences_and_similar_pairs_less_than_others()
{
    let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    let mut random = Random::new(14);
    let a = random.symbols(300_000, 4);
    let (near, far) = (random.edited(&a, 1000, 4), random.symbols(300_000, 4));
    let lcs = |b: &[u32]| {
        support::cpu()
            .lcs_plan(&a, b, &LcsOptions::default())
            .expect("it plans")
            .expected
    };
    let edit = |b| {
        support::cpu()
            .edit_distance_plan(&a, b, &EditOptions::default())
            .expect("it plans")
            .expected
    };
    assert!(lcs(&near) * 4 < lcs(&far) && edit(&near) * 4 < edit(&far));
    let mut whole = EditOptions::default();
    whole.method = edit_distance::Method::BitParallel;
    let whole = support::cpu()
        .edit_distance_plan(&a, &far, &whole)
        .expect("it plans")
        .expected;
    let call = support::options(lcs::Method::BitParallel, false);
    assert!(
        whole
            > support::cpu()
                .lcs_plan(&a, &far, &call)
                .expect("it plans")
                .expected
                .mul_f64(1.3)
    );
}
