//! Damage to the kernels of neighbours, one wrong operator in each.

use swath::neighbors::{Neighbor, Neighbors};
use swath::pairs::Strings;

use super::*;

/// Neighbours in a list, some of whose keys belong to more strings than they may.
fn near(engine: &Engine) -> Vec<Neighbor> {
    let mut random = Random::new(91);
    let template = random.symbols(60, 4);
    let mut strings: Vec<_> = (0..300).map(|_| random.edited(&template, 40, 4)).collect();
    for _ in 0..60 {
        let string = random.symbols(60, 4);
        strings.extend([random.edited(&string, 60, 4), string]);
    }
    let strings = Strings::from_slices(strings);
    let report = engine.run(&Neighbors::of(&strings).within(2));
    let report = report.expect("damage is no error to the device");
    report.answer.neighbors
}

#[test]
fn one_wrong_operator_in_a_kernel_of_neighbours_is_noticed() {
    let Some(gpu) = lock_gpu() else { return };
    let undamaged = damaged_engine(&gpu, |_| ());
    assert!(near(&undamaged) == near(support::cpu()));
    for edit in [
        (
            "neighbors/strings",
            "STRING_WORDS + 2u] <= slot",
            "STRING_WORDS + 2u] < slot",
        ),
        (
            "neighbors/keys",
            "run & 255u, len, pieces)) + shift",
            "run & 255u, len, pieces))",
        ),
        (
            "neighbors/index_keys",
            "[place] = record;",
            "[place] = record / 2u;",
        ),
        (
            "neighbors/directory",
            "bucket <= last; bucket++",
            "bucket < last; bucket++",
        ),
        ("neighbors/index", "[middle] <= key", "[middle] < key"),
        (
            "neighbors/mark",
            "1u << (number & 31u)",
            "1u << (number & 15u)",
        ),
        (
            "neighbors/join",
            "<= 2u * params.within",
            "<= params.within",
        ),
        ("neighbors/distance", "| matching | negative", "| matching"),
        ("neighbors/control", "ENTRIES = 0u;", "ENTRIES = 8u;"),
    ] {
        assert_edit_noticed(&gpu, edit, near);
    }
}
