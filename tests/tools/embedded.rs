//! Plans for a device without a compiler use embedded kernels only, for any problem, size and
//! alphabet.

use std::collections::HashSet;

use support::embedded;
use support::inputs::Random;
use swath::Error;
use swath::parenthesization::{
    MatrixChain, Method, PointPolygon, Precision, Problem, RnaFold, SearchTree, WeightedPolygon,
};
use swath::unstable::backend::Capabilities;
use swath::unstable::kernels::Kernel;
use swath::unstable::kernels::bit_parallel::{CarryExchange, Matching};
use swath::unstable::lcs::Tuning;
use swath::unstable::papers::sort_and_scan::plan::WindowSortPlan;
use swath::unstable::papers::sort_and_scan::sizes::WindowSortSizes;
use swath::unstable::parenthesization::Tuning as TreeTuning;
use swath::unstable::parenthesization::gpu::TableSizes as TreeSizes;
use swath::unstable::plan::Resident;
use swath::unstable::sequences::bit_parallel::gpu::plan;
use swath::unstable::sequences::bit_parallel::gpu::tiling::Tiling;
use swath::unstable::sequences::bit_parallel::shape::{Shape, TableKind};
use swath::unstable::sort::{KeyArrays, SortSizes, SortTuning, digits};
use swath::unstable::substring::SubstringQuery;
use swath::unstable::substring::gpu::FilterPlan;
use swath::unstable::substring::gpu::sizes::FilterSizes;
use swath::unstable::substring::search::Tuning as SearchTuning;
use swath::unstable::substring::search::alphabet::Alphabet;

fn devices() -> impl Iterator<Item = Capabilities> {
    [(4, 2u64 << 30), (24, 8 << 30), (132, 80 << 30)]
        .into_iter()
        .map(|(units, memory_bytes)| {
            let mut caps = embedded::device();
            (caps.compute_units, caps.memory_bytes) = (Some(units), Some(memory_bytes));
            (caps.binding_bytes, caps.buffer_bytes) =
                (memory_bytes.min(4 << 32), memory_bytes.min(4 << 32));
            caps
        })
}

/// Fails if a kernel is not in the list.
fn check<'k>(embedded: &HashSet<Kernel>, kernels: impl IntoIterator<Item = &'k Kernel>) {
    for kernel in kernels {
        assert!(
            embedded.contains(kernel),
            "{} is not embedded",
            kernel.label()
        );
    }
}

fn list() -> HashSet<Kernel> {
    embedded::kernels().into_iter().collect()
}

#[test]
fn sweeps_of_all_sizes_bands_and_symbols_are_embedded() {
    let list = list();
    let mut random = Random::new(5);
    let tables = [TableKind::Lcs, TableKind::Edit, TableKind::EditInfix];
    for caps in devices() {
        for shared in [
            0,
            1,
            4,
            5,
            6,
            13,
            14,
            20,
            29,
            30,
            90,
            253,
            254,
            3000,
            65_533,
            65_534,
            1 << 20,
        ] {
            for (rows, cols) in [
                (1, 1),
                (40, 7),
                (5_000, 300),
                (60_000, 60_000),
                (3_000_000, 20_000),
                (2_000_000, 2_000_000),
            ] {
                let cost = random
                    .pick(&[u64::MAX, cols / 3, cols / 100])
                    .max(rows - cols);
                let table = random.pick(&tables);
                let whole = Shape::new(table, rows, cols, shared);
                let shape = if table == TableKind::EditInfix {
                    whole
                } else {
                    whole.within(cost)
                };
                let tuning = Tuning {
                    directions: random.pick(&[None, Some(1), Some(2)]),
                    ..Tuning::default()
                };
                let (budget, tight) = (caps.memory_bytes.expect("it says"), 64 << 20);
                for budget in [budget, tight] {
                    match Tiling::new(shape, &caps, &tuning, budget) {
                        Ok(tiling) => check(&list, [&plan::kernel(&tiling, None)]),
                        Err(Error::MemoryBudget { .. }) => {}
                        Err(error) => panic!("{shape:?}: {error}"),
                    }
                    let stored =
                        Tiling::for_path(shape, &caps, &tuning, budget).expect("there are kernels");
                    if let Some((tiling, layout)) = stored {
                        let kernels = [
                            plan::kernel(&tiling, Some(&layout)),
                            plan::replay_kernel(&tiling, &layout),
                        ];
                        check(&list, &kernels);
                    }
                }
            }
        }
    }
}

#[test]
fn embedded_sweeps_are_expected_to_take_not_much_longer_than_the_best_of_all() {
    let mut ratios = Vec::new();
    for few in devices() {
        let mut all = few;
        all.compiles = true;
        for (rows, cols) in [
            (2_000, 2_000),
            (50_000, 50_000),
            (200_000, 200_000),
            (5_000_000, 5_000_000),
            (5_000_000, 200_000),
        ] {
            for (table, shared) in [TableKind::Lcs, TableKind::Edit]
                .into_iter()
                .flat_map(|table| [4, 20, 90].map(|shared| (table, shared)))
            {
                let seconds = |caps: &Capabilities| {
                    let tiling = Tiling::new(
                        Shape::new(table, rows, cols, shared),
                        caps,
                        &Tuning::default(),
                        u64::MAX,
                    );
                    tiling.expect("there are kernels").seconds(caps)
                };
                ratios.push(seconds(&few) / seconds(&all));
            }
        }
    }
    let mean = (ratios.iter().map(|ratio| ratio.ln()).sum::<f64>() / ratios.len() as f64).exp();
    let max = ratios.iter().copied().fold(0.0, f64::max);
    println!("{mean:.2} times as long, at most {max:.2}");
    assert!(
        mean < 1.4 && max < 2.4,
        "{mean:.2} times as long, at most {max:.2}"
    );
}

#[test]
fn forced_shapes_that_are_not_embedded_are_refused_with_the_way_out() {
    let (caps, shape) = (
        embedded::device(),
        Shape::new(TableKind::Lcs, 5000, 3000, 4),
    );
    let planes = Tuning {
        matching: Some(Matching::Planes),
        ..Tuning::default()
    };
    assert!(Tiling::new(shape, &caps, &planes, 1 << 30).is_ok());
    for tuning in [
        Tuning {
            limbs: Some(16),
            ..Tuning::default()
        },
        Tuning {
            steps: Some(7),
            ..Tuning::default()
        },
        Tuning {
            carry_exchange: Some(CarryExchange::Workgroup),
            ..Tuning::default()
        },
    ] {
        let error = Tiling::new(shape, &caps, &tuning, 1 << 30)
            .expect_err("it is not embedded")
            .to_string();
        assert!(
            error.contains("no embedded kernel") && error.contains("NVRTC"),
            "{error}"
        );
    }
}

#[test]
fn tables_of_all_problems_are_embedded() {
    let list = list();
    for caps in devices() {
        for leaves in [2, 40, 3_000, 12_000] {
            tables(&list, &caps, &MatrixChain::new(vec![7; leaves + 1]));
            tables(&list, &caps, &MatrixChain::new(vec![1 << 20; leaves + 1]));
            tables(
                &list,
                &caps,
                &WeightedPolygon::new(vec![1u64 << 15; leaves + 1]).expect("weights"),
            );
            tables(
                &list,
                &caps,
                &WeightedPolygon::new(vec![1.5; leaves + 1]).expect("weights"),
            );
            tables(
                &list,
                &caps,
                &PointPolygon::new(vec![[1.0, 2.0]; leaves + 1]).expect("corners"),
            );
            tables(
                &list,
                &caps,
                &SearchTree::new(vec![(1 << 62) / leaves as u64; leaves], vec![]).expect("weights"),
            );
            tables(
                &list,
                &caps,
                &SearchTree::new(vec![0.5; leaves], vec![]).expect("weights"),
            );
            for least_loop in [0, 3, 70, usize::MAX] {
                tables(
                    &list,
                    &caps,
                    &RnaFold::new(&vec![b'A'; leaves], least_loop).expect("letters"),
                );
            }
        }
    }
}

fn tables<P: Problem>(list: &HashSet<Kernel>, caps: &Capabilities, problem: &P) {
    for method in [Method::Tiled, Method::Adaptive, Method::ThreadPerSubproblem] {
        for precision in Precision::ALL {
            match TreeSizes::new(problem, method, precision, caps, &TreeTuning::default()) {
                Ok(sizes) => check(list, &sizes.plan().plan.kernels),
                Err(Error::InputTooLong { .. }) => {}
                Err(error) => panic!("{} {error}", method.name()),
            }
        }
    }
}

#[test]
fn sorts_of_all_sizes_are_embedded() {
    let list = list();
    for caps in devices() {
        for keys in [0, 1, 5000, 1 << 24, (1 << 31) - 1] {
            for (key_words, payload) in [(1, false), (1, true), (2, false), (2, true)] {
                let sizes = SortSizes::new(key_words, payload, keys, &caps, &SortTuning::default())
                    .expect("it fits");
                let mut plan = swath::unstable::plan::Plan::default();
                let length = plan.upload("length", vec![0]);
                let arrays: [KeyArrays; 2] = [sizes.scratch(&mut plan), sizes.scratch(&mut plan)];
                sizes.add_passes(
                    &mut plan,
                    [&arrays[0], &arrays[1]],
                    (length, 0),
                    &digits(u64::MAX),
                );
                sizes.add_copy(&mut plan, [&arrays[0], &arrays[1]], length, 0);
                check(&list, &plan.kernels);
            }
        }
    }
}

#[test]
fn searches_for_substrings_of_all_alphabets_are_embedded() {
    let list = list();
    let caps = embedded::device();
    let mut random = Random::new(6);
    for symbols in [
        1u32,
        2,
        3,
        4,
        5,
        8,
        9,
        20,
        32,
        33,
        100,
        256,
        257,
        40_000,
        65_536,
        65_537,
        u32::MAX,
    ] {
        let texts: [Vec<u32>; 3] = std::array::from_fn(|_| {
            let code = |_| random.below(u64::from(symbols)) as u32;
            (0..3000).map(code).chain([symbols - 1]).collect()
        });
        let texts: Vec<&[u32]> = texts.iter().map(|text| &text[..]).collect();
        for (inputs, start_length) in [(2, None), (3, None), (3, Some(2)), (2, Some(500))] {
            let query = SubstringQuery {
                texts: &texts,
                inputs,
            };
            let mut tuning = SearchTuning::default();
            tuning.start_length = start_length;
            let filter = FilterSizes::first(&query, &Alphabet::of(&texts), &caps, 1 << 32, &tuning)
                .expect("it fits");
            check(
                &list,
                &FilterPlan::new(&filter, &Resident::default()).plan.kernels,
            );
            let groups =
                WindowSortSizes::first(&query, &Alphabet::of(&texts), &caps, 1 << 32, &tuning)
                    .expect("it fits");
            check(
                &list,
                &WindowSortPlan::new(&groups, 0, &Resident::default())
                    .plan
                    .kernels,
            );
        }
    }
}
