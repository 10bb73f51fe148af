//! Parenthesization calls: plans without a device, user-defined problems, budgets, progress and
//! refusals.

use support::calls::Calls;
use support::trees::{dimensions, options};
use swath::parenthesization::{
    MatrixChain, Method, PointPolygon, Precision, Problem, RnaFold, SearchTree, WeightedPolygon,
};
use swath::unstable::backend::Capabilities;
use swath::unstable::parenthesization::Tuning;
use swath::unstable::parenthesization::gpu::TableSizes;
use swath::{DeviceChoice, Engine, Error, Options, Result};

// Plans, without a device

pub(super) fn discrete_gpu() -> Capabilities {
    let mut caps = Capabilities::default();
    (caps.binding_bytes, caps.buffer_bytes, caps.int64) = ((2 << 30) - 4, 1 << 40, true);
    caps.chunk_bytes = 1 << 30;
    (
        caps.workgroup_bytes,
        caps.workgroup_lanes,
        caps.compute_units,
    ) = (48 << 10, 1024, Some(132));
    caps
}

/// Sizes of a table on that GPU.
pub(super) fn table_sizes<P: Problem>(problem: &P, method: Method) -> Result<TableSizes> {
    let (precision, tuning) = (Precision::Exact, Tuning::default());
    TableSizes::new(problem, method, precision, &discrete_gpu(), &tuning)
}

#[test]
fn tiled_passes_make_every_product_once_and_of_finished_tiles_only() {
    for tiles in 1..=24u32 {
        let chain = MatrixChain::new(vec![3; tiles as usize * 32]);
        let sizes = table_sizes(&chain, Method::Tiled).expect("it is small");
        let plan = sizes.plan().plan;
        let mut made = std::collections::HashSet::new();
        for (pass, distance) in plan.passes[1..tiles as usize].iter().zip(1..) {
            assert_eq!(pass.params[..3], [tiles * 32, tiles, distance]);
            let reach = distance - 1;
            for (row, out) in
                (0..pass.groups[0]).flat_map(|row| (0..pass.groups[1]).map(move |out| (row, out)))
            {
                // As in tiled_wavefront.wgsl.
                let column = row + distance + out;
                if column >= tiles || reach == 0 {
                    continue;
                }
                let mut products = vec![(row, row + reach, column)];
                if distance + out < 2 * reach {
                    products.push((row, column - reach, column));
                }
                for (row, middle, column) in products {
                    assert!(
                        row < middle
                            && middle < column
                            && middle - row <= reach
                            && column - middle <= reach
                    );
                    assert!(
                        made.insert((row, middle, column)),
                        "{row} {middle} {column} of {tiles} again"
                    );
                }
            }
            // Tiles finished by this pass have all their products.
            for row in 0..tiles - distance {
                let all = row + 1..row + distance;
                assert!(
                    all.clone()
                        .all(|middle| made.contains(&(row, middle, row + distance))),
                    "{row} {distance}"
                );
            }
        }
    }
}

#[test]
fn the_table_of_32768_matrices_takes_a_third_of_16_gib_and_half_of_that_in_32_bits() {
    let narrow = MatrixChain::new(vec![3; 32_769]);
    let sizes = table_sizes(&narrow, Method::Tiled).expect("it fits");
    assert!(sizes.plan().plan.size_bytes() < 5 << 29);
    let chain = MatrixChain::new(vec![300; 32_769]);
    let sizes = table_sizes(&chain, Method::Tiled).expect("it fits");
    let plan = sizes.plan().plan;
    assert!(plan.size_bytes() < 5 << 30, "{}", plan.size_bytes());
    assert!(
        plan.buffers
            .iter()
            .all(|buffer| buffer.size_bytes() <= discrete_gpu().chunk_bytes)
    );
    let refused = table_sizes(&chain, Method::Adaptive).map(|_| ());
    assert!(
        matches!(
            refused,
            Err(Error::InputTooLong {
                actual: 32_768,
                limit: 16_383,
                ..
            })
        ),
        "{refused:?}"
    );
    let long = MatrixChain::new(vec![300; 50_000]);
    let refused = table_sizes(&long, Method::Tiled).map(|_| ());
    assert!(
        matches!(refused, Err(Error::InputTooLong { actual: 49_999, .. })),
        "{refused:?}"
    );
}

#[test]
fn the_adaptive_mapping_fills_the_device_with_subthreads_and_then_with_ranges() {
    let chain = MatrixChain::new(vec![3; 4_097]);
    let sizes = table_sizes(&chain, Method::Adaptive).expect("it fits");
    let plan = sizes.plan().plan;
    for (pass, length) in plan.passes[..4_096].iter().zip(1u64..) {
        let (ranges, subthreads) = (4_096 - length + 1, u64::from(pass.params[2]));
        assert!(
            (1..=256).contains(&subthreads) && subthreads <= (length - 1).max(1),
            "{length}"
        );
        let at_once = 256 / subthreads * u64::from(pass.groups[0]);
        assert!(
            at_once >= ranges || u64::from(pass.groups[0]) == 132 * 8,
            "{length}"
        );
        // Idle lanes are fewer than the lanes of one range.
        let spare = 132 * 8 * 256 / ranges;
        assert!(
            subthreads == (length - 1).max(1) || subthreads == spare.clamp(8, 256),
            "{length}"
        );
    }
}

#[test]
fn real_weights_are_single_precision_only_where_that_is_asked_for() {
    let polygon = PointPolygon::new(vec![[0.0, 1.0], [0.5, 2.0], [3.0, 0.0]]).expect("corners");
    let label = |precision, float64| {
        let mut caps = discrete_gpu();
        caps.float64 = float64;
        let sizes = TableSizes::new(
            &polygon,
            Method::Tiled,
            precision,
            &caps,
            &Tuning::default(),
        );
        sizes.map(|sizes| sizes.plan().plan.kernels[0].label())
    };
    for (precision, float64, name) in [
        (Precision::Exact, true, " value_f64 "),
        (Precision::Single, true, " value_f32 "),
        (Precision::Single, false, " value_f32 "),
    ] {
        let label = label(precision, float64).expect("it is there");
        assert!(label.contains(name), "{label}");
    }
    let refused = label(Precision::Exact, false).expect_err("there is no double precision");
    assert!(
        matches!(
            refused,
            Error::MethodUnavailable {
                method: "tiled",
                ..
            }
        ),
        "{refused:?}"
    );
    let text = refused.to_string();
    assert!(text.contains("'cpu'") && text.contains("'f32'"), "{text}");
}

// Calls

#[test]
fn too_little_memory_is_refused_with_a_sufficient_amount() {
    let chain = MatrixChain::new(dimensions(0, 500, 1));
    let Some(mut on_gpu) = support::gpu_options() else {
        return;
    };
    on_gpu.device_memory = Some(100_000);
    let mut on_cpu = Options::default();
    (on_cpu.device, on_cpu.host_memory) = (DeviceChoice::Cpu, Some(100_000));
    for options_of_engine in [on_gpu, on_cpu] {
        let engine = Engine::new(options_of_engine.clone()).expect("it opens");
        let refused = engine.parenthesize(&chain, &options(Method::Tiled, Tuning::default()));
        let Err(Error::MemoryBudget {
            needed,
            limit: 100_000,
            smallest,
            ..
        }) = refused
        else {
            panic!("{refused:?}")
        };
        assert!(needed == smallest && needed > 500 * 500 / 2 * 8);
        let planned = engine.parenthesize_plan(&chain, &options(Method::Tiled, Tuning::default()));
        assert!(planned.is_err() || options_of_engine.device == DeviceChoice::Cpu);
        let mut enough = options_of_engine;
        (enough.device_memory, enough.host_memory) = (Some(smallest), Some(smallest));
        let engine = Engine::new(enough).expect("it opens");
        engine
            .parenthesize(&chain, &options(Method::Tiled, Tuning::default()))
            .expect("what is named is enough");
    }
}

#[test]
fn gpu_methods_are_refused_on_the_cpu() {
    let chain = MatrixChain::new(vec![10, 20, 30, 40]);
    for method in [Method::Adaptive, Method::ThreadPerSubproblem] {
        let refused = support::cpu().parenthesize(&chain, &options(method, Tuning::default()));
        assert!(
            matches!(refused, Err(Error::MethodUnavailable { .. })),
            "{refused:?}"
        );
    }
}

#[test]
fn unsupported_tile_sizes_are_refused() {
    let Some(engine) = support::gpu() else { return };
    let chain = MatrixChain::new(dimensions(0, 60, 3));
    for tile in [0, 1, 7, 24, 128, u32::MAX] {
        let mut tuning = Tuning::default();
        tuning.tile = Some(tile);
        let call_options = options(Method::Tiled, tuning);
        let refused = [
            engine.parenthesize(&chain, &call_options).err(),
            engine.parenthesize_plan(&chain, &call_options).err(),
        ];
        for refused in refused {
            assert!(
                matches!(refused, Some(Error::MethodUnavailable { .. })),
                "{tile}: {refused:?}"
            );
        }
    }
}

#[test]
fn invalid_weights_are_refused_by_name() {
    let refused = WeightedPolygon::new(vec![1.0, f64::NAN]);
    assert!(
        matches!(&refused, Err(Error::InvalidWeight { what, .. }) if what == "vertex 2"),
        "{refused:?}"
    );
    let refused = SearchTree::new(vec![1.0, 2.0, -1.0], vec![]);
    assert!(
        matches!(&refused, Err(Error::InvalidWeight { what, .. }) if what == "key 3"),
        "{refused:?}"
    );
    let refused = SearchTree::new(vec![1u64, 2], vec![1, 2]);
    assert!(
        matches!(&refused, Err(Error::InvalidWeight { .. })),
        "{refused:?}"
    );
    let refused = SearchTree::new(vec![u64::MAX - 1, 2], vec![]);
    assert!(
        matches!(&refused, Err(Error::InvalidWeight { .. })),
        "{refused:?}"
    );
    let refused = SearchTree::new(vec![1, u64::MAX], vec![]).expect_err("it marks an overflow");
    assert!(refused.to_string().contains("is too large"), "{refused}");
    assert!(RnaFold::new(b"ACGTUacgtuRYSWKMBDHVNIPX-.", 3).is_ok());
    for wrong in [b"ACG7", b"ACGL", b"acge"] {
        let refused = RnaFold::new(wrong, 3);
        assert!(
            matches!(&refused, Err(Error::InvalidWeight { what, .. }) if what == "base 4"),
            "{refused:?}"
        );
    }
}
