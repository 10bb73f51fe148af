//! All kernels in all combinations of parts, for compiler tests.

use swath::parenthesization::{
    Arithmetic, MatrixChain, Method, PointPolygon, Precision, Problem, RnaFold, SearchTree, Value,
};
use swath::unstable::backend::Capabilities;
use swath::unstable::kernels::anti_diagonal::{self, LANES, Recurrence};
use swath::unstable::kernels::bit_parallel::{CarryExchange, Matching};
use swath::unstable::kernels::sort::{self, RadixSort};
use swath::unstable::kernels::{Kernel, lcs, neighbors, pairs};
use swath::unstable::lcs::Tuning as SweepTuning;
use swath::unstable::parenthesization::Tuning;
use swath::unstable::parenthesization::gpu::TableSizes;
use swath::unstable::search;
use swath::unstable::sequences::bit_parallel::gpu::checkpoints::{CheckpointLayout, REPLAY_BYTES};
use swath::unstable::sequences::bit_parallel::gpu::plan;
use swath::unstable::sequences::bit_parallel::gpu::tiling::{Tiling, limb_rows};
use swath::unstable::sequences::bit_parallel::shape::{Shape, TableKind};
use swath::unstable::sequences::codes::Alphabet;

/// The strip sweep in all combinations of parts, at several limb and symbol counts.
fn strip_sweeps() -> Vec<Kernel> {
    let mut kernels = Vec::new();
    let tables = [TableKind::Lcs, TableKind::Edit].into_iter();
    for (table, matching) in tables
        .flat_map(|table| [Matching::Table, Matching::Planes].map(|matching| (table, matching)))
    {
        for (carry_exchange, lanes) in [
            (CarryExchange::Subgroup, 32),
            (CarryExchange::Workgroup, 8),
            (CarryExchange::Workgroup, 128),
        ] {
            let classes = [(2, 8, 1), (4, 16, 4), (6, 32, 26), (16, 32, 2)];
            let classes = classes.map(|(limbs, columns, shared)| (limbs, columns, shared.into()));
            let sets = [
                (2, 8, Alphabet::of_sets(4, 0)),
                (6, 32, Alphabet::of_sets(2, 0)),
            ];
            for (limbs, columns, alphabet) in classes.into_iter().chain(sets) {
                let whole = Shape::new(table, 5000, 3000, alphabet);
                let shape = if limbs == 2 {
                    whole.within(2500)
                } else {
                    whole
                };
                let (limb_rows, steps) = (limb_rows(false), 16);
                let tiling = Tiling {
                    shape,
                    matching,
                    carry_exchange,
                    lanes,
                    limbs,
                    limb_rows,
                    columns,
                    steps,
                    directions: 1,
                };
                kernels.push(plan::kernel(&tiling, None));
                for passes in [1, 4] {
                    let layout = CheckpointLayout::new(&tiling, passes, REPLAY_BYTES, 1 << 30)
                        .expect("it is small");
                    kernels.extend([
                        plan::kernel(&tiling, Some(&layout)),
                        plan::replay_kernel(&tiling, &layout),
                    ]);
                }
            }
        }
    }
    kernels
}

/// All table kernels in all arithmetics, with the weights of all problems.
fn parenthesizations() -> Vec<Kernel> {
    let mut kernels = table_kernels(&MatrixChain::new(vec![10; 700]));
    kernels.extend(table_kernels(&MatrixChain::new(vec![1 << 40; 700])));
    kernels.extend(table_kernels(
        &PointPolygon::new(vec![[0.5, 1.0]; 700]).expect("corners"),
    ));
    kernels.extend(table_kernels(
        &SearchTree::new(vec![1u64; 700], vec![]).expect("weights"),
    ));
    kernels.extend(table_kernels(
        &SearchTree::new(vec![0.5; 700], vec![]).expect("weights"),
    ));
    kernels.extend(table_kernels(
        &RnaFold::new(&[b'A'; 700], 3).expect("letters"),
    ));
    kernels
}

fn table_kernels<P: Problem>(problem: &P) -> Vec<Kernel> {
    let mut caps = swath::unstable::backend::Capabilities::default();
    (caps.int64, caps.float64, caps.workgroup_bytes) = (true, true, 48 << 10);
    let mut kernels = Vec::new();
    for (arithmetic, checked_sums, tile, chunk_bytes) in [
        (None, false, None, None),
        (Some(Arithmetic::U64), false, None, None),
        (Some(Arithmetic::F64), false, None, None),
        (Some(Arithmetic::Limbs), false, None, None),
        (Some(Arithmetic::Limbs), true, Some(8), Some(1 << 20)),
        (Some(Arithmetic::U64), true, Some(64), Some(1 << 19)),
    ] {
        let mut tuning = Tuning::default();
        (
            tuning.arithmetic,
            tuning.checked_sums,
            tuning.tile,
            tuning.chunk_bytes,
        ) = (arithmetic, checked_sums, tile, chunk_bytes);
        // Folding costs always fit 32 bits.
        if !P::ENCLOSES || arithmetic != Some(Arithmetic::F64) {
            kernels.extend(tables_of(problem, &caps, &tuning));
        }
    }
    kernels
}

/// The kernels of a table, for all methods and precisions.
fn tables_of<P: Problem>(problem: &P, caps: &Capabilities, tuning: &Tuning) -> Vec<Kernel> {
    let mut kernels = Vec::new();
    for method in super::trees::GPU_METHODS {
        for precision in Precision::ALL
            .into_iter()
            .filter(|&precision| P::Value::REAL || precision == Precision::Exact)
        {
            let sizes = TableSizes::new(problem, method, precision, caps, tuning);
            // Double precision does not hold the greatest costs.
            assert!(
                sizes.is_ok() || tuning.arithmetic == Some(Arithmetic::F64),
                "{sizes:?}"
            );
            kernels.extend(
                sizes
                    .into_iter()
                    .flat_map(|sizes| sizes.plan().plan.kernels),
            );
        }
    }
    kernels
}

/// All kernels of the radix sort, for all subgroup sizes.
fn sorts() -> Vec<Kernel> {
    let mut kernels = vec![sort::scan()];
    for (key_words, payload) in [(1, false), (1, true), (2, false), (2, true)] {
        let subgroups = [None, Some(4), Some(8), Some(16), Some(32), Some(64)];
        for (subgroup, lanes) in
            subgroups.map(|subgroup| (subgroup, subgroup.map_or(128, |lanes| 256.min(8 * lanes))))
        {
            // The planners' choice for such subgroups; fewer for the others.
            let steps = if subgroup == Some(32) { 12 } else { 8 };
            let sort = RadixSort {
                key_words,
                payload,
                subgroup,
                lanes,
                steps,
            };
            kernels.extend([sort.upsweep(), sort.downsweep(), sort.copy()]);
        }
    }
    kernels
}

/// Kernels that only CUDA supports: onesweep needs forward progress.
pub fn of_cuda_alone() -> Vec<Kernel> {
    let mut kernels = planned_sorts(&cuda_devices()[0]);
    kernels.retain(|kernel| kernel.stem.starts_with("sort/onesweep"));
    kernels.push(sort::Onesweep::scan());
    kernels
}

/// Capabilities of CUDA devices with a compiler: an H200 and a small Turing GPU.
fn cuda_devices() -> [Capabilities; 2] {
    let mut large = super::embedded::device();
    large.compiles = true;
    let mut small = large;
    (
        large.compute_units,
        large.unit_workgroup_bytes,
        large.fast_float64,
    ) = (Some(132), Some(228 << 10), true);
    (small.compute_units, small.unit_workgroup_bytes) = (Some(14), Some(64 << 10));
    [large, small]
}

/// The kernels that planners choose on CUDA devices, and all kernels of fixed shape; may contain
/// duplicates.
pub fn planned_for_cuda() -> Vec<Kernel> {
    let mut kernels = of_one_shape();
    for caps in cuda_devices() {
        kernels.extend(planned_sweeps(&caps));
        kernels.extend(planned_tables(&caps));
        kernels.extend(planned_sorts(&caps));
    }
    kernels
}

/// The sort for all kinds of keys, with more than one tile.
fn planned_sorts(caps: &Capabilities) -> Vec<Kernel> {
    super::embedded::sorts(caps, 1 << 20)
}

/// Strip sweeps for lengths and paths, at several sizes, bands and alphabets.
fn planned_sweeps(caps: &Capabilities) -> Vec<Kernel> {
    const BUDGET_BYTES: u64 = 8 << 30;
    let mut kernels = Vec::new();
    for table in [TableKind::Lcs, TableKind::Edit, TableKind::EditInfix] {
        for shared in [1, 4, 20, 90, 250, 4000] {
            for length in [2_000, 30_000, 1_000_000] {
                // Infixes may be anywhere: they have no band.
                let bands = if table == TableKind::EditInfix {
                    &[][..]
                } else {
                    &[10, 100]
                };
                let (whole, tuning) = (
                    Shape::new(table, length, length, shared),
                    SweepTuning::default(),
                );
                let banded = bands.iter().map(|part| whole.within(length / part));
                for shape in [whole].into_iter().chain(banded) {
                    let tiling = Tiling::new(shape, caps, &tuning, BUDGET_BYTES).expect("it fits");
                    kernels.push(plan::kernel(&tiling, None));
                    let stored = Tiling::for_path(shape, caps, &tuning, BUDGET_BYTES)
                        .expect("some kernel fits");
                    if let Some((tiling, layout)) = stored {
                        kernels.push(plan::kernel(&tiling, Some(&layout)));
                        kernels.push(plan::replay_kernel(&tiling, &layout));
                    }
                }
            }
        }
    }
    kernels
}

/// The tables of all problems in the arithmetic for their costs, and a long chain that exceeds one
/// buffer.
fn planned_tables(caps: &Capabilities) -> Vec<Kernel> {
    let mut kernels = Vec::new();
    for max in [10, 1000, 1 << 20, 1 << 40] {
        kernels.extend(tables_of(
            &MatrixChain::new(vec![max; 700]),
            caps,
            &Tuning::default(),
        ));
    }
    let long = MatrixChain::new(vec![1000; 30_000]);
    let sizes = TableSizes::new(
        &long,
        Method::Tiled,
        Precision::Exact,
        caps,
        &Tuning::default(),
    )
    .expect("it fits");
    kernels.extend(sizes.plan().plan.kernels);
    kernels.extend(tables_of(
        &PointPolygon::new(vec![[0.5, 1.0]; 700]).expect("corners"),
        caps,
        &Tuning::default(),
    ));
    for max in [1, 1 << 30] {
        let tree = SearchTree::new(vec![max; 700], vec![]).expect("weights");
        kernels.extend(tables_of(&tree, caps, &Tuning::default()));
    }
    kernels.extend(tables_of(
        &SearchTree::new(vec![0.5; 700], vec![]).expect("weights"),
        caps,
        &Tuning::default(),
    ));
    kernels.extend(tables_of(
        &RnaFold::new(&[b'A'; 700], 3).expect("letters"),
        caps,
        &Tuning::default(),
    ));
    kernels
}

/// All kernels available on every API.
pub fn kernels() -> Vec<Kernel> {
    let mut kernels = strip_sweeps();
    kernels.extend(parenthesizations());
    kernels.extend(sorts());
    kernels.extend(of_one_shape());
    kernels.extend(pair_lanes());
    kernels
}

/// One pair per lane: every recurrence, mode and width, with and without strips and bounds.
fn pair_lanes() -> Vec<Kernel> {
    use pairs::{Keep, PairTable, Store};
    let first = PairTable {
        recurrence: "edit_distance/limbs",
        measure: 0,
        ends: 0,
        limbs: 5,
        strips: false,
        limited: false,
    };
    let limited = PairTable {
        limited: true,
        ..first
    };
    let strips = PairTable {
        strips: true,
        limbs: 12,
        ..first
    };
    let pieces = [1, 2].map(|ends| PairTable { ends, ..strips });
    let lengths = [1, 2].map(|measure| PairTable {
        recurrence: "lcs/limbs",
        measure,
        ..strips
    });
    let long = PairTable { limbs: 32, ..first };
    let mut kernels = vec![
        pairs::lanes(&first, 4, Store::Packed(4)),
        pairs::lanes(&limited, 4, Store::Packed(2)),
        pairs::lanes(&limited, 4, Store::Kept(9)),
        pairs::lanes(&long, 4, Store::Packed(4)),
        pairs::entries(&first, 3),
        pairs::entries(&limited, 8),
        pairs::bands(4, 3, Keep::Nothing),
        pairs::bands(32, 3, Keep::Nothing),
        pairs::bands(16, 8, Keep::Nothing),
        pairs::bands(8, 5, Keep::Windows),
        pairs::bands(24, 3, Keep::Windows),
        pairs::traceback(3),
        pairs::traceback(8),
    ];
    for table in [&[strips], &pieces[..], &lengths[..]].concat() {
        kernels.extend([
            pairs::lanes(&table, 255, Store::Packed(1)),
            pairs::entries(&table, 5),
        ]);
    }
    kernels
}

/// Kernels of fixed shape.
fn of_one_shape() -> Vec<Kernel> {
    let mut kernels = super::embedded::of_one_shape(&[1, 2, 5, 8, 31, 32]);
    kernels.extend([
        lcs::conditional_sum(false),
        anti_diagonal::sweep(Recurrence::EditDistance, true, LANES),
        neighbors::directory(),
        neighbors::mark(),
    ]);
    for planes in [2, 3, 5, 8] {
        kernels.extend([neighbors::index_keys(planes), neighbors::join(planes)]);
    }
    kernels.extend(search::embedded_kernels());
    kernels
}
