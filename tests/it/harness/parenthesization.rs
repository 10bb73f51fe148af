//! Damage to plans, kernels and trees of the parenthesization methods.

use std::sync::LazyLock;

use swath::parenthesization;
use swath::parenthesization::Precision;
use swath::parenthesization::{MatrixChain, Method, Node, Problem, Tree};
use swath::unstable::backend::Backend;
use swath::unstable::call::phases::Phases;
use swath::unstable::parenthesization::gpu::{TablePlan, TableSizes};
use swath::unstable::parenthesization::{Tuning, reference};
use swath::unstable::plan::Plan;
use swath::{Control, Error};

use super::{device, lock_gpu, reads_wgsl};
use support::damage::{damage, edits};
use support::inputs::Random;

/// Costs of all ranges, and the tree.
type Table = (Vec<u64>, Tree);

/// The reference's table.
static EXPECTED: LazyLock<Table> = LazyLock::new(|| {
    let chain = chain_with_ties();
    let costs = (1..=chain.leaves())
        .flat_map(|j| (0..j).map(move |i| (i, j)))
        .map(|(i, j)| {
            let part = MatrixChain::new(chain.inputs()[i..=j].to_vec());
            reference::solve(&part).expect("it fits").0
        });
    (
        costs.collect(),
        reference::solve(&chain).expect("it fits").1,
    )
});

/// Table computed by a damaged plan.
fn table_after(method: Method, damage: impl Fn(&mut Plan) + Sync) -> Option<Result<Table, Error>> {
    let gpu = lock_gpu()?;
    let chain = chain_with_ties();
    let mut tuning = Tuning::default();
    tuning.tile = Some(8);
    let sizes = TableSizes::new(
        &chain,
        method,
        Precision::Exact,
        gpu.capabilities(),
        &tuning,
    )
    .expect("it is small");
    let make = || {
        let mut planned = sizes.plan();
        damage(&mut planned.plan);
        planned
    };
    let (control, phases) = (Control::default(), Phases::start());
    let device = device(&*gpu, &control, &phases);
    let ran = pollster::block_on(device.run(&make, &TablePlan::spans))
        .expect("damage is no error to the device");
    let (planned, session, words) = (ran.planned, ran.session, ran.words);
    let ranges: Vec<_> = (1..=chain.leaves() as u64)
        .flat_map(|j| (0..j).map(move |i| (i, j)))
        .collect();
    let costs = pollster::block_on(planned.costs(&session, &ranges)).expect("the device is there");
    Some(
        pollster::block_on(planned.decode(&session, &chain, &words)).map(|(_, tree)| (costs, tree)),
    )
}

/// Random except at the start, where many splits tie, so that the tie rule matters.
fn chain_with_ties() -> MatrixChain {
    let mut random = Random::new(12);
    let number = |place: usize| {
        if place < 12 {
            [2, 60][place % 2]
        } else {
            3 + random.below(40)
        }
    };
    MatrixChain::new((0..72).map(number).collect())
}

#[track_caller]
fn assert_table_noticed(method: Method, damage: impl Fn(&mut Plan) + Sync) {
    let Some(found) = table_after(method, damage) else {
        return;
    };
    assert!(
        found.ok().as_ref() != Some(&*EXPECTED),
        "the comparison did not notice"
    );
}

const TABLE_METHODS: [Method; 3] = [Method::Tiled, Method::Adaptive, Method::ThreadPerSubproblem];

#[test]
fn an_undamaged_table_gives_the_tree_of_the_reference() {
    for method in TABLE_METHODS {
        let Some(found) = table_after(method, |_| ()) else {
            return;
        };
        assert!(found.expect("it runs") == *EXPECTED, "{method:?}");
    }
}

#[test]
fn a_dropped_or_misplaced_pass_of_a_table_is_noticed() {
    for method in TABLE_METHODS {
        for place in [0, 1, 3] {
            assert_table_noticed(method, |plan| _ = plan.passes.remove(place));
        }
        assert_table_noticed(method, |plan| plan.passes.reverse());
        // The first pass of the tree, after those of the table.
        assert_table_noticed(method, |plan| {
            let tree = plan.kernels.len() - 1;
            let place = plan
                .passes
                .iter()
                .position(|pass| pass.kernel == tree)
                .expect("there is one");
            plan.passes.remove(place);
        });
    }
    assert_table_noticed(Method::Tiled, |plan| plan.passes[4].groups[0] -= 1);
    assert_table_noticed(Method::Tiled, |plan| plan.passes[4].groups[1] -= 1);
    assert_table_noticed(Method::ThreadPerSubproblem, |plan| {
        plan.passes[4].groups[0] -= 1
    });
}

const WGSL: [(Method, &str); 3] = [
    (
        Method::Tiled,
        "
parenthesization/tiled_wavefront: if distance < 2u * reach { => if distance < reach {
parenthesization/tiled_wavefront: if r < k { => if r + 1u < k {
parenthesization/tiled_wavefront: if c > k { => if c > k + 1u {
parenthesization/tiled_wavefront: half < 2u; half++ => half < 1u; half++
parenthesization/tiled_diagonal: k < column; k++ => k < column - 1u; k++
parenthesization/split_tree: other < place => other > place
parenthesization/split_tree: select(vec2<u32>(i, k), vec2<u32>(k, j), left => select(vec2<u32>(k, j), vec2<u32>(i, k), left
parenthesization/narrow_product: product(outer, inner) => product(outer, outer)
",
    ),
    (
        Method::Adaptive,
        "
parenthesization/adaptive: subthread + half < count => subthread + half < count - 1u
parenthesization/by_ends: by_end[place_by_end(i, j)] = best => by_end[place_by_end(i, j)] = best + best
",
    ),
    (
        Method::ThreadPerSubproblem,
        "
parenthesization/thread_per_subproblem: k < j; k++ => k < j - 1u; k++
parenthesization/by_length: (longer - 1u) / 2u => (longer - 1u) / 4u
",
    ),
];

const CUDA: [(Method, &str); 2] = [
    (
        Method::Tiled,
        "
parenthesization/tiled_wavefront: if (distance < 2u * reach) { => if (distance < reach) {
parenthesization/tiled_wavefront: half < 2u; half++ => half < 1u; half++
parenthesization/tiled_wavefront: k = first_row + BLOCK; k < TILE => k = first_row + BLOCK + 1u; k < TILE
parenthesization/tiled_wavefront: k < first_column; k++ => k + 1u < first_column; k++
parenthesization/tiled_wavefront: wg_cells[cell % TILE * STRIDE + cell / TILE] => wg_cells[cell / TILE * STRIDE + cell % TILE]
parenthesization/tiled_diagonal: k < column; k++ => k < column - 1u; k++
parenthesization/split_tree: own.place, own.order == order => own.place, own.order >= order
parenthesization/split_tree: [params.splits + 2u * k] = i; => [params.splits + 2u * k] = k;
parenthesization/narrow_product: product(outer, inner) => product(outer, outer)
",
    ),
    (
        Method::ThreadPerSubproblem,
        "
parenthesization/thread_per_subproblem: k < j; k++ => k < j - 1u; k++
parenthesization/range: j == i + 1u => j == i + 2u
parenthesization/by_length: [place_of(i, j)] = best => [place_of(i, j)] = best + best
",
    ),
];

#[test]
fn one_wrong_operator_in_a_kernel_of_a_table_is_noticed() {
    let tables = if reads_wgsl() { &WGSL[..] } else { &CUDA };
    for &(method, table) in tables {
        for edit in edits(table) {
            assert_table_noticed(method, |plan| damage(plan, &[edit]));
        }
    }
}

#[test]
fn the_certificate_refuses_what_is_no_tree_or_costs_something_else() {
    let chain = chain_with_ties();
    let (cost, tree) = reference::solve(&chain).expect("it fits");
    let refused = |nodes: Vec<Node>, cost: u64| {
        Tree::from_nodes(tree.leaves(), nodes)
            .verify(&chain, cost, parenthesization::Arithmetic::U64)
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
            .verify(&chain, cost, parenthesization::Arithmetic::U64)
            .is_err()
    );
    assert!(
        Tree::in_order(tree.leaves())
            .verify(&chain, cost, parenthesization::Arithmetic::U64)
            .is_err()
    );
}
