//! Every method on a device with only the guaranteed WebGPU features: parameters in uniforms,
//! carries through workgroup memory, 64-bit integers in limbs, eight buffers per kernel.

use support::calls::Calls;
use support::inputs::{Input, Random};
use support::tier::is_full;
use support::{edit, trees};
use swath::parenthesization::{Arithmetic, MatrixChain, PointPolygon, RnaFold, SearchTree};
use swath::unstable::parenthesization::Tuning;
use swath::unstable::supersequence::ScsOptions;
use swath::{Engine, edit_distance, lcs, parenthesization, supersequence};

/// An engine, closed with its kernels after the test; `None` skips it.
fn portable() -> Option<Engine> {
    let mut options = support::gpu_options()?;
    options.portable = true;
    Some(Engine::new(options).expect("the adapter opens"))
}

#[test]
fn subsequences_are_those_of_the_reference() {
    let Some(engine) = &portable() else { return };
    for (letters, rows, cols) in [(4, 3000, 2100), (60, 700, 1900)] {
        let input = Input::random(letters, rows, cols);
        let (a, b) = input.pair();
        for method in [
            lcs::Method::BitParallel,
            lcs::Method::Banded,
            lcs::Method::ConditionalSum,
        ] {
            support::assert_answer(engine, (&a, &b), &support::options(method, true), &input);
        }
    }
}

#[test]
fn alignments_are_those_of_the_reference() {
    let Some(engine) = &portable() else { return };
    let mut random = Random::new(8);
    let a = random.symbols(2500, 4);
    let b = random.edited(&a, 9, 4);
    let expected = edit::expected(&a, &b);
    let distance =
        swath::unstable::edit_distance::reference::distance(&a, &b, edit_distance::Mode::Global);
    for method in [
        edit_distance::Method::BitParallel,
        edit_distance::Method::Banded,
        edit_distance::Method::Wavefront,
    ] {
        let found = edit::solved(engine, &a, &b, &edit::options(method, true));
        assert_eq!(found.distance.exactly(), Some(distance), "{method:?}");
        assert!(
            found.alignment.as_ref().expect("it was asked for").blocks() == expected,
            "{method:?}"
        );
    }
    for method in [
        edit_distance::Method::Tiled,
        edit_distance::Method::AntiDiagonal,
    ] {
        let found = edit::solved(engine, &a, &b, &edit::options(method, false));
        assert_eq!(found.distance.exactly(), Some(distance), "{method:?}");
    }
}

#[test]
fn supersequences_are_those_of_the_cpu() {
    let Some(engine) = &portable() else { return };
    let (a, b) = Input::random(5, 900, 1100).pair();
    let solved = |engine: &Engine, method| {
        let mut options = ScsOptions::default();
        (options.method, options.path) = (method, true);
        let found = engine.scs_with(&a, &b, &options).expect("it is solved");
        (found.length, found.answer.supersequence)
    };
    let expected = solved(support::cpu(), supersequence::Method::Reference);
    for method in [
        supersequence::Method::RowWise,
        supersequence::Method::AntiDiagonal,
    ] {
        assert!(solved(engine, method) == expected, "{method:?}");
    }
}

#[test]
fn trees_are_those_of_the_reference() {
    let Some(engine) = &portable() else { return };
    for method in trees::GPU_METHODS {
        let options = trees::options(method, Tuning::default());
        let chain = MatrixChain::new(trees::dimensions(0, 150, 4));
        let found = trees::assert_answer(engine, &chain, &options, &chain);
        assert_eq!(found.arithmetic, Arithmetic::Limbs);
        let small = MatrixChain::new(vec![7; 150]);
        assert_eq!(
            trees::assert_answer(engine, &small, &options, &small).arithmetic,
            Arithmetic::U32
        );
        let mut chunked = options.clone();
        chunked.tuning.chunk_bytes = Some(1 << 17);
        trees::assert_answer(engine, &chain, &chunked, &chain);
        let tree =
            SearchTree::new((1..90u64).map(|n| n * n % 31).collect(), vec![]).expect("weights");
        trees::assert_answer(engine, &tree, &options, &"search tree");
        let fold = RnaFold::new(&trees::bases(120, 3), 3).expect("letters");
        trees::assert_answer(engine, &fold, &options, &"fold");
        let corners = (0..80)
            .map(f64::from)
            .map(|n| [(n / 13.0).cos(), (n / 13.0).sin()])
            .collect();
        let polygon = PointPolygon::new(corners).expect("corners");
        // Without double precision, real weights need explicit single precision.
        assert!(engine.parenthesize(&polygon, &options).is_err());
        let mut single = options.clone();
        single.precision = parenthesization::Precision::Single;
        trees::assert_answer(engine, &polygon, &single, &"polygon");
    }
}

#[test]
fn the_selftest_of_the_device_passes() {
    if !is_full() {
        return;
    }
    let Some(engine) = &portable() else { return };
    let tests = engine.selftest().expect("it runs");
    assert!(
        tests.iter().all(|test| !test.kernel.contains("Subgroup")),
        "subgroups are no part of it"
    );
    let failed: Vec<_> = tests.iter().filter(|test| !test.passed).collect();
    assert!(failed.is_empty() && tests.len() > 10, "{failed:?}");
}
