//! Damage to the kernels of neighbours, one wrong operator in each.

use swath::unstable::neighbors;

use super::*;

/// Self-test of strings whose frequent keys, of pieces, go on to keys of deletions.
const LEVELS: &str = "neighbors/join levels planes=2";

/// True if neighbours are those of the reference.
fn passes(engine: &Engine) -> bool {
    let tests = neighbors::selftest_of(engine, &[LEVELS.to_string()]);
    let [test] = &tests[..] else {
        panic!("{LEVELS} is one test")
    };
    assert_eq!(test.error, None, "damage is no error to the device");
    test.passed
}

#[test]
fn one_wrong_operator_in_a_kernel_of_neighbours_is_noticed() {
    let Some(gpu) = lock_gpu() else { return };
    assert!(passes(&damaged_engine(&gpu, |_| ())));
    // The first reads far outside, which nothing stops on CUDA.
    let outside = usize::from(support::is_cuda());
    for edit in [
        (
            "neighbors/strings",
            "STRING_WORDS + 2u] <= slot",
            "STRING_WORDS + 2u] < slot",
        ),
        ("neighbors/keys", "next = place + 1u;", "next = place;"),
        (
            "neighbors/index_keys",
            "[place] = record;",
            "[place] = record / 2u;",
        ),
        (
            "neighbors/directory",
            "[bucket] = entry;",
            "[bucket] = entry / 2u;",
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
        (
            "neighbors/distance",
            "distance -= u32((right_less & last_row) != 0u)",
            "distance -= 0u",
        ),
        ("neighbors/control", "FLAGS = 16u;", "FLAGS = 15u;"),
    ]
    .into_iter()
    .skip(outside)
    {
        assert_edit_noticed(&gpu, edit, passes);
    }
}
