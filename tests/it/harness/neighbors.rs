//! Damage to the kernels of neighbours, one wrong operator in each.

use swath::neighbors::{Neighbor, Neighbors};
use swath::pairs::Strings;

use super::*;

/// Neighbours in a list whose keys are pieces, some of them of more strings than a key may have.
fn of_pieces(engine: &Engine) -> Vec<Neighbor> {
    let mut random = Random::new(91);
    let template = random.symbols(60, 4);
    let mut strings: Vec<_> = (0..300).map(|_| random.edited(&template, 40, 4)).collect();
    for _ in 0..60 {
        let string = random.symbols(60, 4);
        strings.extend([random.edited(&string, 60, 4), string]);
    }
    near(engine, strings)
}

/// Neighbours in a list whose keys are deletions.
fn of_deletions(engine: &Engine) -> Vec<Neighbor> {
    let mut random = Random::new(92);
    near(engine, (0..400).map(|_| random.symbols(10, 4)).collect())
}

fn near(engine: &Engine, strings: Vec<Vec<u32>>) -> Vec<Neighbor> {
    let strings = Strings::from_slices(strings);
    let report = engine.run(&Neighbors::of(&strings).within(2));
    report
        .expect("damage is no error to the device")
        .answer
        .neighbors
}

#[test]
fn one_wrong_operator_in_a_kernel_of_neighbours_is_noticed() {
    let Some(gpu) = lock_gpu() else { return };
    type Call = fn(&Engine) -> Vec<Neighbor>;
    let (pieces, deletions): (Call, Call) = (of_pieces, of_deletions);
    let undamaged = damaged_engine(&gpu, |_| ());
    for call in [pieces, deletions] {
        assert!(call(&undamaged) == call(support::cpu()));
    }
    for (call, edit) in [
        (
            pieces,
            (
                "neighbors/strings",
                "STRING_WORDS + 2u] <= slot",
                "STRING_WORDS + 2u] < slot",
            ),
        ),
        (
            deletions,
            ("neighbors/keys", "next = place + 1u;", "next = place;"),
        ),
        (
            pieces,
            (
                "neighbors/index_keys",
                "[place] = record;",
                "[place] = record / 2u;",
            ),
        ),
        (
            pieces,
            (
                "neighbors/directory",
                "bucket <= last; bucket++",
                "bucket < last; bucket++",
            ),
        ),
        (
            pieces,
            ("neighbors/index", "[middle] <= key", "[middle] < key"),
        ),
        (
            pieces,
            (
                "neighbors/mark",
                "1u << (number & 31u)",
                "1u << (number & 15u)",
            ),
        ),
        (
            pieces,
            (
                "neighbors/join",
                "<= 2u * params.within",
                "<= params.within",
            ),
        ),
        (
            pieces,
            ("neighbors/distance", "| matching | negative", "| matching"),
        ),
        (
            pieces,
            ("neighbors/control", "ENTRIES = 0u;", "ENTRIES = 8u;"),
        ),
    ] {
        assert_edit_noticed(&gpu, edit, call);
    }
}
