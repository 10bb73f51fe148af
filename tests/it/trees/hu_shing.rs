//! Hu and Shing's method against the reference table.

use support::calls::Calls;
use support::inputs::Random;
use support::trees::{KINDS, assert_answer, dimensions, options};
use swath::Error;
use swath::parenthesization::{MatrixChain, Method, SearchTree, WeightedPolygon};
use swath::unstable::parenthesization::Tuning;

#[track_caller]
fn assert_best(chain: &[u64]) {
    let problem = MatrixChain::new(chain.to_vec());
    assert_answer(
        support::cpu(),
        &problem,
        &options(Method::HuShing, Tuning::default()),
        &chain,
    );
}

#[test]
fn hu_shing_gives_the_cost_of_the_reference_table_on_thousands_of_chains() {
    for seed in 0..600 {
        for kind in 0..KINDS {
            let count = 1 + (seed as usize * 7 + kind * 13) % 26;
            assert_best(&dimensions(kind, count, seed));
        }
    }
}

#[test]
fn hu_shing_is_right_on_every_chain_of_few_small_dimensions() {
    for count in 3..=7u32 {
        for number in 0..4u64.pow(count) {
            let chain: Vec<u64> = (0..count)
                .map(|place| 1 + (number >> (2 * place)) % 4)
                .collect();
            if number % 3 == 0 || count < 6 {
                assert_best(&chain);
            }
        }
    }
}

#[test]
fn hu_shing_is_right_on_longer_chains_and_all_permutations() {
    for (seed, count) in [(1, 120), (2, 150), (3, 200)] {
        for kind in 0..KINDS {
            assert_best(&dimensions(kind, count, seed));
        }
        // A random permutation.
        let mut random = Random::new(seed);
        let mut chain: Vec<u64> = (1..=count as u64).collect();
        for place in (1..count).rev() {
            chain.swap(place, random.below(place as u64 + 1) as usize);
        }
        assert_best(&chain);
    }
}

#[test]
fn hu_shing_is_the_default_for_chains_and_weighted_polygons_only() {
    let engine = support::cpu();
    let chain = MatrixChain::new(vec![10, 20, 30, 40]);
    assert_eq!(
        engine
            .parenthesize(&chain, &Default::default())
            .expect("it is solved")
            .run
            .method,
        Method::HuShing.name()
    );
    let polygon = WeightedPolygon::new(vec![3u64, 7, 4, 5, 2]).expect("weights");
    assert_eq!(
        engine
            .parenthesize(&polygon, &Default::default())
            .expect("it is solved")
            .run
            .method,
        Method::HuShing.name()
    );
    let tree = SearchTree::new(vec![3u64, 7], vec![]).expect("weights");
    assert_eq!(
        engine
            .parenthesize(&tree, &Default::default())
            .expect("it is solved")
            .run
            .method,
        Method::Tiled.name()
    );
    let refused = engine.parenthesize(&tree, &options(Method::HuShing, Tuning::default()));
    assert!(
        matches!(
            refused,
            Err(Error::MethodUnavailable {
                method: "hu-shing",
                ..
            })
        ),
        "{refused:?}"
    );
}
