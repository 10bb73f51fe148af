//! Bounds up to the greatest number: they exclude nothing, on any device and by any method.

use support::inputs::Random;
use support::tier::{combinations, is_full};
use swath::edit_distance::{Method, Mode};
use swath::neighbors::Neighbors;
use swath::pairs::{Measure, Pairs, Strings};
use swath::{Edit, Engine, Error};

/// Sums of these with lengths, or with each other, exceed 32 or 64 bits.
const BOUNDS: [u64; 11] = [
    1 << 15,
    1 << 16,
    (1 << 31) - 1,
    1 << 31,
    (1 << 32) - 40,
    (1 << 32) - 2,
    (1 << 32) - 1,
    1 << 32,
    1 << 63,
    u64::MAX - 1,
    u64::MAX,
];

const LENS: [usize; 10] = [1, 3, 31, 32, 33, 36, 40, 64, 100, 300];

fn strings(lens: &[usize], letters: u32) -> Strings<'static, u32> {
    let mut random = Random::new(11);
    let strings = lens.iter().map(|&len| random.symbols(len, letters));
    Strings::from_slices(strings.collect::<Vec<_>>())
}

fn engines() -> impl Iterator<Item = &'static Engine> {
    support::gpu().into_iter().chain([support::cpu()])
}

#[test]
fn great_bounds_leave_the_values_of_lists_as_they_are() {
    let engines: Vec<_> = engines().collect();
    for [letters, list, measure, engine] in combinations([3, 3, 4, engines.len()]) {
        // Kernels are compiled for numbers of limbs: some have lengths of 1, 2 and several.
        let few = &[1, 3, 31, 32, 33, 40, 300];
        let lens = if is_full() { &LENS[..] } else { few };
        let (strings, engine) = (strings(lens, [2, 4, 60][letters]), engines[engine]);
        let turned = Strings::from_slices((0..strings.len()).rev().map(|place| &strings[place]));
        let pairs = match list {
            0 => Pairs::cross(&strings, &turned),
            1 => Pairs::symmetric(&strings),
            _ => Pairs::zip(&strings, &turned),
        };
        let modes = Mode::ALL.map(|mode| (Measure::Edit, mode));
        let (measure, mode) = *modes
            .get(measure)
            .unwrap_or(&(Measure::Indel, Mode::Global));
        let pairs = pairs.measure(measure).mode(mode);
        let expected = support::cpu().run(&pairs).expect("it runs");
        for bound in BOUNDS {
            let found = engine.run(&pairs.clone().within(bound)).expect("it runs");
            let device = &found.run.device;
            assert!(
                found.values.iter().eq(expected.values.iter()),
                "{measure} {mode} within {bound} on {device}"
            );
        }
    }
}

#[test]
fn great_bounds_leave_a_distance_as_it_is() {
    let strings = strings(&LENS, 4);
    for (a, b) in [(9, 8), (8, 9), (7, 6), (3, 4), (0, 9), (0, 1), (1, 1)] {
        let (a, b) = (&strings[a], &strings[b]);
        for (mode, method) in Mode::ALL.into_iter().flat_map(|mode| {
            let methods = Method::ALL.iter();
            methods.map(move |&method| (mode, method))
        }) {
            let task = Edit::of(a, b).mode(mode).method(method).path();
            for engine in engines() {
                let expected = match engine.run(&task) {
                    Err(Error::MethodUnavailable { .. }) => continue,
                    found => found.expect("it runs"),
                };
                for bound in BOUNDS {
                    let found = engine.run(&task.clone().within(bound)).expect("it runs");
                    assert_eq!(
                        (found.distance, found.pieces.len()),
                        (expected.distance, expected.pieces.len()),
                        "{mode} {method} within {bound} on {}",
                        found.run.device
                    );
                }
            }
        }
    }
}

#[test]
fn great_bounds_make_all_strings_neighbors() {
    let strings = strings(&LENS, 4);
    let count = strings.len() * (strings.len() - 1) / 2;
    for (engine, bound) in engines().flat_map(|engine| BOUNDS.map(|of| (engine, of))) {
        let found = engine
            .run(&Neighbors::of(&strings).within(bound))
            .expect("it runs");
        let device = &found.run.device;
        assert_eq!(found.neighbors.len(), count, "within {bound} on {device}");
    }
}
