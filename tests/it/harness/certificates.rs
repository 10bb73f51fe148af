//! Certificates refuse damaged answers.

use support::calls::Calls;
use support::inputs::{Input, Random};
use support::trees;
use swath::Block;
use swath::lcs::Subsequence;
use swath::parenthesization::{Arithmetic, MatrixChain, Node, Tree};
use swath::unstable::parenthesization::reference;

fn proven() -> (Vec<u8>, Vec<u8>, Vec<Block>, u64) {
    let (a, b) = Input::random(4, 120, 110).bytes();
    let found = support::expected(&a, &b);
    found
        .verify(&a, &b, found.len())
        .expect("the reference proves itself");
    (a, b, found.blocks().to_vec(), found.len())
}

#[test]
fn the_certificate_refuses_pairs_that_are_dropped_or_duplicated() {
    let (a, b, blocks, length) = proven();
    let is_refused = |blocks: Vec<Block>, claimed: u64| {
        let subsequence: Subsequence = blocks.into_iter().collect();
        subsequence.verify(&a, &b, claimed).is_err()
    };
    for place in 0..blocks.len() {
        let mut dropped = blocks.clone();
        dropped.remove(place);
        assert!(is_refused(dropped, length), "run {place} dropped");
        let mut doubled = blocks.clone();
        doubled.insert(place, blocks[place]);
        let claimed = doubled.iter().map(|block| block.len as u64).sum();
        assert!(is_refused(doubled.clone(), length), "run {place} doubled");
        assert!(is_refused(doubled, claimed), "and claimed");
    }
}

#[test]
fn the_certificate_refuses_pairs_of_unequal_symbols_and_out_of_order_or_range() {
    let (a, b, blocks, length) = proven();
    let refused = |blocks: Vec<Block>| {
        blocks
            .into_iter()
            .collect::<Subsequence>()
            .verify(&a, &b, length)
            .is_err()
    };
    let mut random = Random::new(3);
    for place in 0..blocks.len() {
        // To another symbol of `a`, at any position.
        let other = (0..a.len())
            .filter(|&i| a[i] != b[blocks[place].b])
            .collect::<Vec<_>>();
        let mut moved = blocks.clone();
        moved[place].a = random.pick(&other);
        assert!(refused(moved), "run {place} moved");
    }
    let mut exchanged = blocks.clone();
    exchanged.swap(0, 1);
    assert!(refused(exchanged));
    let mut beyond = blocks.clone();
    beyond.last_mut().expect("some").a = a.len();
    assert!(refused(beyond));
    let mut wrapping = blocks.clone();
    wrapping.last_mut().expect("some").b = usize::MAX;
    assert!(refused(wrapping));
    let mut long = blocks;
    long.last_mut().expect("some").len += 200;
    assert!(refused(long));
}

#[test]
fn an_alignment_does_not_prove_the_distance_of_other_inputs() {
    let (a, b) = Input::random(4, 300, 290).bytes();
    let mut options = swath::unstable::edit_distance::EditOptions::default();
    options.path = true;
    let answer = support::cpu()
        .edit_distance_with(&a, &b, &options)
        .expect("it runs");
    let (alignment, distance) = (
        answer.alignment.clone().expect("it was asked for"),
        answer.distance.exactly().unwrap_or(0),
    );
    assert!(alignment.verify(&a, &b, distance).is_ok());
    assert!(alignment.verify(&a, &b, distance - 1).is_err());
    assert!(alignment.verify(&b, &a, distance).is_err());
    let pair = alignment.blocks()[0];
    let mut other = b.clone();
    other[pair.b] = if a[pair.a] == b[pair.b] {
        b[pair.b] ^ 1
    } else {
        a[pair.a]
    };
    assert!(alignment.verify(&a, &other, distance).is_err());
}

#[test]
fn the_certificate_refuses_another_tree_or_cost() {
    let chain = MatrixChain::new(trees::dimensions(0, 72, 12));
    let (cost, tree) = reference::solve(&chain).expect("it fits");
    let refused = |nodes: Vec<Node>, cost: u64| {
        Tree::from_nodes(tree.leaves(), nodes)
            .verify(&chain, cost, Arithmetic::U64)
            .is_err()
    };
    assert!(!refused(tree.nodes().to_vec(), cost));
    assert!(refused(tree.nodes().to_vec(), cost + 1) && refused(tree.nodes().to_vec(), cost - 1));
    for place in 0..tree.nodes().len() {
        let mut dropped = tree.nodes().to_vec();
        let node = dropped.remove(place);
        assert!(refused(dropped, cost), "{node:?} dropped");
        let changes: [fn(&mut Node); 5] = [
            |node| node.split = None,
            |node| node.split = Some(node.start),
            |node| node.split = Some(node.end),
            |node| node.end += 1,
            |node| node.start += 1,
        ];
        for change in changes {
            let mut changed = tree.nodes().to_vec();
            change(&mut changed[place]);
            assert!(refused(changed, cost), "{node:?} changed");
        }
    }
    assert!(
        Tree::in_order(5)
            .verify(&chain, cost, Arithmetic::U64)
            .is_err()
    );
    assert!(
        Tree::in_order(tree.leaves())
            .verify(&chain, cost, Arithmetic::U64)
            .is_err()
    );
}
