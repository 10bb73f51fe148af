//! Expected times. They come from rates that a process measures once, so that this one has no other test beside it.

mod support;

use support::calls::Calls;
use support::inputs::Random;
use swath::unstable::edit_distance::EditOptions;
use swath::unstable::lcs::LcsOptions;
use swath::{edit_distance, lcs};

#[test]
fn plans_expect_edit_distances_to_take_longer_than_subsequences_and_similar_pairs_less_than_others() {
    let mut random = Random::new(14);
    let a = random.symbols(300_000, 4);
    let (near, far) = (random.edited(&a, 1000, 4), random.symbols(300_000, 4));
    let lcs = |b: &[u32]| support::cpu().lcs_plan(&a, b, &LcsOptions::default()).expect("it plans").expected;
    let edit = |b| support::cpu().edit_distance_plan(&a, b, &EditOptions::default()).expect("it plans").expected;
    assert!(lcs(&near) * 4 < lcs(&far) && edit(&near) * 4 < edit(&far));
    let mut whole = EditOptions::default();
    whole.method = edit_distance::Method::BitParallel;
    let whole = support::cpu().edit_distance_plan(&a, &far, &whole).expect("it plans").expected;
    let call = support::options(lcs::Method::BitParallel, false);
    assert!(whole > support::cpu().lcs_plan(&a, &far, &call).expect("it plans").expected.mul_f64(1.3));
}
