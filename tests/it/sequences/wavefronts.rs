//! Wavefronts on a GPU: distances, canonical paths and bounds against the reference tables.

use std::fmt::Debug;

use support::calls::Calls;
use support::edit::{options, with};
use support::inputs::{Input, Kind, Random, paste};
use support::{gpu, gpu_with_memory, memory_budget};
use swath::PathMode;
use swath::edit_distance;
use swath::edit_distance::Distance;
use swath::lcs::Method;
use swath::unstable::edit_distance::EditOptions;
use swath::{Engine, Symbol};

fn edit(method: edit_distance::Method, path: bool, max: Option<u64>) -> EditOptions {
    with(options(method, path), |call_options| {
        call_options.max_distance = max
    })
}

/// Requires the reference's answers from the wavefronts of both problems.
#[track_caller]
fn assert_answers<S: Symbol + Debug>(gpu: &Engine, a: &[S], b: &[S], input: &dyn Debug) {
    let methods = (edit_distance::Method::Reference, Method::Reference);
    assert_answers_of(methods, gpu, (a, b), input);
}

/// As [`assert_answers`], for inputs whose plain tables take long: the answers of the bit-parallel
/// methods on the CPU, which other tests compare with the reference.
#[track_caller]
fn assert_long_answers<S: Symbol + Debug>(gpu: &Engine, a: &[S], b: &[S], input: &dyn Debug) {
    let methods = (edit_distance::Method::BitParallel, Method::BitParallel);
    assert_answers_of(methods, gpu, (a, b), input);
}

/// Requires the answers of the CPU's `methods` from the wavefronts of both problems.
#[track_caller]
fn assert_answers_of<S: Symbol + Debug>(
    (edit_method, lcs_method): (edit_distance::Method, Method),
    gpu: &Engine,
    (a, b): (&[S], &[S]),
    input: &dyn Debug,
) {
    let shown = || format!("{input:?}\n{}", paste(a, b));
    let cpu = support::cpu();
    let expected = cpu
        .edit_distance_with(a, b, &edit(edit_method, true, None))
        .expect("it fits");
    let found = gpu
        .edit_distance_with(a, b, &edit(edit_distance::Method::Wavefront, true, None))
        .expect("it fits");
    assert_eq!(found.distance, expected.distance, "{}", shown());
    assert!(found.alignment == expected.alignment, "{}", shown());
    let distance = expected.distance.exactly().expect("without a bound");
    for bound in [distance.saturating_sub(1), distance, distance + 1] {
        let max = bound.min(a.len().max(b.len()) as u64);
        let options = edit(edit_distance::Method::Wavefront, false, Some(max));
        let found = gpu
            .edit_distance_with(a, b, &options)
            .expect("it fits")
            .distance;
        let within = if distance <= max {
            Distance::Exactly(distance)
        } else {
            Distance::MoreThan(max)
        };
        assert_eq!(found, within, "at most {max}\n{}", shown());
    }
    let expected = cpu
        .lcs_with(a, b, &support::options(lcs_method, true))
        .expect("it fits");
    let found = gpu
        .lcs_with(a, b, &support::options(Method::Wavefront, true))
        .expect("it fits");
    assert_eq!(
        (found.length, &found.subsequence),
        (expected.length, &expected.subsequence),
        "{}",
        shown()
    );
}

#[test]
fn wavefronts_give_the_reference_paths_of_every_kind_and_alphabet() {
    let Some(gpu) = gpu() else { return };
    let mut random = Random::new(1);
    for kind in Kind::ALL {
        for letters in [1, 2, 4, 20, 26, 256] {
            // Distances around the wavefronts per pass, diagonals around the lanes of a workgroup.
            for (rows, cols) in [
                (1, 1),
                (2, 1),
                (31, 33),
                (64, 65),
                (190, 200),
                (random.below(400) as usize, 300),
            ] {
                let input = Input {
                    kind,
                    letters,
                    rows,
                    cols,
                    seed: random.below(1 << 40),
                };
                let (a, b) = input.bytes();
                assert_answers(gpu, &a, &b, &input);
            }
        }
    }
}

#[test]
fn distances_about_the_wavefronts_of_a_pass_are_found() {
    let Some(gpu) = gpu() else { return };
    let a = Input::random(4, 900, 0).bytes().0;
    for edits in [1, 2, 31, 32, 33, 63, 64, 65, 66, 95, 96, 97] {
        // Each replacement is a unique symbol.
        let mut replaced = a.clone();
        (0..edits).for_each(|edit| replaced[edit * 9 + 3] = 100);
        assert_answers(gpu, &a, &replaced, &("replaced", edits));
        let longer: Vec<u8> = std::iter::repeat_n(100, edits)
            .chain(a.iter().copied())
            .chain([101])
            .collect();
        assert_answers(gpu, &a, &longer, &("longer", edits));
        assert_answers(gpu, &longer, &a, &("shorter", edits));
    }
}

#[test]
fn long_slides_and_wide_wavefronts_give_the_reference_paths() {
    let Some(gpu) = gpu() else { return };
    let mut random = Random::new(3);
    for (letters, every) in [(4, 300), (4, 12), (26, 40), (2, 20)] {
        let a = random.symbols(9000, letters);
        let b = random.edited(&a, every, letters);
        assert_long_answers(gpu, &a, &b, &(letters, every));
    }
    // Slides longer than one joint step of all lanes, for all symbol widths.
    for letters in [2, 4, 14, 200, 60_000] {
        let mut a = random.symbols(20_000, letters);
        a[0] = letters;
        let mut b = a.clone();
        (b[0], b[9_000], b[19_999]) = (letters + 1, letters + 1, letters + 1);
        b.insert(12_000, letters + 2);
        assert_long_answers(gpu, &a, &b, &letters);
    }
}

#[test]
fn paths_that_leave_their_diagonal_for_long_give_the_reference_paths() {
    let Some(gpu) = gpu() else { return };
    let mut random = Random::new(5);
    let [x, y, z] = [1000, 2000, 1000].map(|len| random.symbols(len, 26));
    // Without symbols around them, gaps lie at the border.
    for around in [0, 300] {
        let [before, behind] = [0, 1].map(|_| random.symbols(around, 26));
        let of = |parts: [&[u32]; 4]| parts.concat();
        let (a, b) = (
            of([&before, &x, &y, &behind]),
            of([&before, &y, &z, &behind]),
        );
        assert_long_answers(gpu, &a, &b, &("left, then back", around));
        assert_long_answers(gpu, &b, &a, &("right, then back", around));
    }
}

#[test]
fn more_distinct_symbols_than_16_bits_hold_give_the_path_of_the_cpu() {
    let Some(gpu) = gpu() else { return };
    let a: Vec<u32> = (0..70_000).collect();
    let mut b = a.clone();
    (b[7], b[40_000], b[69_990]) = (70_000, 5, 65_536);
    b.drain(50_000..50_010);
    b.splice(3..3, [70_001; 60]);
    let options = edit(edit_distance::Method::Wavefront, true, None);
    let [found, expected] = [gpu, support::cpu()].map(|engine| {
        engine
            .edit_distance_with(&a, &b, &options)
            .expect("it fits")
    });
    assert_eq!(
        (found.distance, found.run.method),
        (expected.distance, expected.run.method)
    );
    assert!(found.alignment.is_some() && found.alignment == expected.alignment);
    assert_ne!(found.run.device, expected.run.device);
}

#[test]
fn similar_inputs_are_solved_by_wavefronts_on_the_device_where_that_is_faster_and_reported() {
    let Some(gpu) = gpu() else { return };
    let mut random = Random::new(4);
    let a: Vec<u8> = random
        .symbols(400_000, 4)
        .into_iter()
        .map(|symbol| symbol as u8)
        .collect();
    let symbols: Vec<u32> = a.iter().map(|&symbol| u32::from(symbol)).collect();
    let b: Vec<u8> = random
        .edited(&symbols, 400, 4)
        .into_iter()
        .map(|symbol| symbol as u8)
        .collect();
    let bands = gpu
        .edit_distance_with(&a, &b, &edit(edit_distance::Method::Banded, true, None))
        .expect("it fits");
    let wavefronts = gpu
        .edit_distance_with(&a, &b, &edit(edit_distance::Method::Auto, true, None))
        .expect("it fits");
    assert_eq!(wavefronts.distance, bands.distance);
    assert!(wavefronts.alignment == bands.alignment);
    assert_eq!(
        wavefronts.run.method,
        edit_distance::Method::Wavefront.name()
    );
    assert_eq!(
        (wavefronts.run.device, wavefronts.run.path_mode),
        (bands.run.device, PathMode::Wavefronts)
    );
    assert!(wavefronts.run.computed_cells < bands.run.computed_cells);
}

#[test]
fn wavefronts_that_do_not_fit_are_refused_with_a_sufficient_amount() {
    let Some(gpu) = gpu_with_memory(1 << 16) else {
        return;
    };
    let (a, b) = Input::random(4, 3000, 2900).bytes();
    let error = gpu
        .edit_distance_with(&a, &b, &edit(edit_distance::Method::Wavefront, true, None))
        .unwrap_err();
    let [needed, limit, smallest] = memory_budget(&error);
    assert_eq!(limit, 1 << 16);
    assert!(needed > limit && smallest >= needed, "{needed} {smallest}");
    let enough = gpu_with_memory(smallest).expect("it was there before");
    let found =
        enough.edit_distance_with(&a, &b, &edit(edit_distance::Method::Wavefront, true, None));
    let expected = gpu
        .edit_distance_with(&a, &b, &edit(edit_distance::Method::Reference, true, None))
        .expect("it fits");
    assert_eq!(found.expect("it fits").alignment, expected.alignment);
}
