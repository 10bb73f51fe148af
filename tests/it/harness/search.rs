//! Damage to the kernel of searches, one wrong operator at a time.

use swath::unstable::search;

use super::*;

/// Self-test of patterns of two limbs.
const TEST: &str = "search/ends limbs=2 symbols=7";

/// True if the ends are those of the reference. Most wrong ends fail the certificate of their starts.
fn passes(engine: &Engine) -> bool {
    let tests = search::selftest_of(engine, &[TEST.to_string()]);
    let [test] = &tests[..] else {
        panic!("{TEST} is one test")
    };
    test.passed
}

#[test]
fn one_wrong_operator_in_the_kernel_of_searches_is_noticed() {
    let Some(gpu) = lock_gpu() else { return };
    assert!(passes(&damaged_engine(&gpu, |_| ())));
    for edit in [
        (
            "search/ends",
            "min(first + params.chunk_units",
            "min(first + params.margin_units",
        ),
        ("search/ends", "- params.margin_units;", "- 0u;"),
        ("search/ends", "~0u << min(", "~1u << min("),
        ("search/ends", "two[0] << 8u", "two[0] << 7u"),
        (
            "search/ends",
            "distance <= params.within",
            "distance < params.within",
        ),
        ("search/ends", "+ k + 1u", "+ k"),
        (
            "search/ends",
            "pattern) << DISTANCE_BITS",
            "0u) << DISTANCE_BITS",
        ),
        (
            "search/ends",
            "countOneBits(shrinks));\n        if",
            "0u);\n        if",
        ),
    ] {
        assert_edit_noticed(&gpu, edit, passes);
    }
}
