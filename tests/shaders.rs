//! Every kernel variant through naga: valid, writable for every interface, and laid out as the host has it.

mod support;

use std::collections::BTreeMap;
use std::io::Write;
use std::process::{Command, Stdio};

use naga::back::{hlsl, msl, spv};
use naga::valid::{Capabilities, ModuleInfo, ValidationFlags, Validator};
use naga::{AddressSpace, Module, StorageAccess, TypeInner};
use swath::backend::wgpu::{gather_kernel, stamp_kernel};
use swath::edit_distance::tiled;
use swath::lcs::conditional_sum;
use swath::pairwise::anti_diagonal::{self, Recurrence};
use swath::pairwise::bit_parallel::gpu::checkpoints::{CheckpointLayout, REPLAY_BYTES};
use swath::pairwise::bit_parallel::gpu::plan;
use swath::pairwise::bit_parallel::gpu::tiling::{HandOver, Matching, Shape, Table, Tiling};
use swath::pairwise::diagonal_transition;
use swath::parenthesization::gpu::Sizes;
use swath::parenthesization::{MatrixChain, Method, PointPolygon, Problem, RnaFold, SearchTree, Tuning};
use swath::plan::{Access, CHUNK_BYTES, Kernel, PARAMS};
use swath::supersequence::{crossings, row_wise};

/// The strip sweep in every combination of its parts, at several limbs and symbols.
fn strip_sweeps() -> Vec<Kernel> {
    let mut kernels = Vec::new();
    let tables = [Table::Lcs, Table::Edit].into_iter();
    for (table, matching) in
        tables.flat_map(|table| [Matching::Table, Matching::Planes].map(|matching| (table, matching)))
    {
        for (hand_over, lanes) in [(HandOver::Subgroup, 32), (HandOver::Workgroup, 8), (HandOver::Workgroup, 128)] {
            for (limbs, columns, shared) in [(2, 8, 1), (4, 16, 4), (6, 32, 26), (16, 32, 2)] {
                let whole = Shape::new(table, 5000, 3000, shared);
                let shape = if limbs == 2 { whole.within(2500) } else { whole };
                let tiling = Tiling { shape, matching, hand_over, lanes, limbs, columns, steps: 16, directions: 1 };
                kernels.push(plan::kernel(&tiling, None));
                for passes in [1, 4] {
                    let layout =
                        CheckpointLayout::new(&tiling, passes, REPLAY_BYTES, CHUNK_BYTES).expect("it is small");
                    kernels.extend([plan::kernel(&tiling, Some(&layout)), plan::replay_kernel(&tiling, &layout)]);
                }
            }
        }
    }
    kernels
}

/// Every kernel of the tables in every arithmetic, with the weights of every problem.
fn parenthesizations() -> Vec<Kernel> {
    let mut kernels = table_kernels(&MatrixChain::new(vec![10; 700]));
    kernels.extend(table_kernels(&MatrixChain::new(vec![1 << 40; 700])));
    kernels.extend(table_kernels(&PointPolygon::new(vec![[0.5, 1.0]; 700]).expect("corners")));
    kernels.extend(table_kernels(&SearchTree::new(vec![1u64; 700], vec![]).expect("weights")));
    kernels.extend(table_kernels(&SearchTree::new(vec![0.5; 700], vec![]).expect("weights")));
    kernels.extend(table_kernels(&RnaFold::new(&[b'A'; 700], 3).expect("letters")));
    kernels
}

fn table_kernels<P: Problem>(problem: &P) -> Vec<Kernel> {
    let mut caps = swath::backend::Capabilities::default();
    (caps.int64, caps.workgroup_bytes) = (true, 48 << 10);
    let mut kernels = Vec::new();
    for method in [Method::Tiled, Method::Adaptive, Method::ThreadPerSubproblem] {
        for (limbs, checked_sums, tile, chunk_bytes) in
            [(false, false, None, None), (true, true, Some(8), Some(1 << 20)), (false, true, Some(64), Some(1 << 19))]
        {
            let mut tuning = Tuning::default();
            (tuning.limbs, tuning.checked_sums, tuning.tile, tuning.chunk_bytes) =
                (limbs, checked_sums, tile, chunk_bytes);
            kernels.extend(Sizes::new(problem, method, &caps, &tuning).expect("it fits").plan(problem).plan.kernels);
        }
    }
    kernels
}

fn kernels() -> Vec<Kernel> {
    let mut kernels = strip_sweeps();
    kernels.extend(parenthesizations());
    kernels.extend([stamp_kernel(), gather_kernel(), conditional_sum::kernel(), tiled::kernel()]);
    kernels.extend([1, 2, 4, 8, 16, 32].map(diagonal_transition::gpu::plan::kernels).into_iter().flatten());
    for origins in [false, true] {
        kernels.push(row_wise::kernel(origins));
        kernels.extend(
            [Recurrence::EditDistance, Recurrence::Supersequence]
                .map(|recurrence| anti_diagonal::gpu::kernel(recurrence, origins)),
        );
    }
    kernels.push(crossings::kernel());
    kernels
}

/// What a kernel may use without saying so: 64-bit integers come only where a device has them.
const CAPABILITIES: Capabilities = Capabilities::IMMEDIATES.union(Capabilities::SHADER_INT64);

fn parse(kernel: &Kernel) -> (Module, ModuleInfo) {
    let source = kernel.source();
    let module = naga::front::wgsl::parse_str(&source)
        .unwrap_or_else(|error| panic!("{}: {}", kernel.label, error.emit_to_string(&source)));
    let used = CAPABILITIES | if kernel.subgroups { Capabilities::SUBGROUP } else { Capabilities::empty() };
    let info = Validator::new(ValidationFlags::all(), used)
        .validate(&module)
        .unwrap_or_else(|error| panic!("{}: {}", kernel.label, error.emit_to_string(&source)));
    (module, info)
}

#[test]
fn every_kernel_is_valid_and_says_whether_it_needs_subgroups() {
    for kernel in kernels() {
        let (module, _) = parse(&kernel);
        assert_eq!(module.entry_points.len(), 1, "{}", kernel.label);
        assert_eq!(module.entry_points[0].name, "main", "{}", kernel.label);
        let without = Validator::new(ValidationFlags::all(), CAPABILITIES).validate(&module);
        assert_eq!(without.is_err(), kernel.subgroups, "{}", kernel.label);
    }
}

#[test]
fn the_bindings_of_every_kernel_are_those_that_the_host_makes() {
    for kernel in kernels() {
        let (module, _) = parse(&kernel);
        let mut found = BTreeMap::new();
        for (_, variable) in module.global_variables.iter() {
            let Some(binding) = variable.binding else { continue };
            assert_eq!(binding.group, 0, "{}", kernel.label);
            let AddressSpace::Storage { access } = variable.space else {
                panic!("{}: {:?} is no storage buffer", kernel.label, variable.name)
            };
            let access = if access.contains(StorageAccess::STORE) { Access::ReadWrite } else { Access::Read };
            assert_eq!(found.insert(binding.binding, access), None, "{}", kernel.label);
        }
        assert_eq!(found.into_iter().collect::<Vec<_>>(), kernel.bindings, "{}", kernel.label);
    }
}

/// Names and byte offsets of the immediate block's members, and its size.
fn immediates(module: &Module) -> (Vec<(String, u32)>, u32) {
    let mut blocks = module.global_variables.iter().filter(|(_, variable)| variable.space == AddressSpace::Immediate);
    let block = blocks.next().expect("every kernel has parameters").1;
    assert!(blocks.next().is_none());
    let TypeInner::Struct { members, span } = &module.types[block.ty].inner else { panic!("a struct") };
    let word = |member: &naga::StructMember| {
        assert_eq!(module.types[member.ty].inner, TypeInner::Scalar(naga::Scalar::U32), "{:?}", member.name);
        (member.name.clone().unwrap_or_default(), member.offset)
    };
    (members.iter().map(word).collect(), *span)
}

#[test]
fn the_parameters_of_every_kernel_lie_where_the_host_writes_them() {
    // The order in which conditional_sum.rs and the backend write them; tests/tiling.rs compares the strip sweep's values.
    let order = |kernel: &Kernel| match kernel.label.split(' ').next() {
        Some("bit_parallel/strip_sweep") if kernel.label.contains("tile=") => support::REPLAY_PARAMS.to_vec(),
        Some("bit_parallel/strip_sweep") => support::SWEEP_PARAMS.to_vec(),
        Some("lcs/conditional_sum") => vec!["wavefront", "first_block", "blocks", "columns"],
        Some("parenthesization/tiled_diagonal") => vec!["points"],
        Some("parenthesization/tiled_wavefront") => vec!["points", "tiles", "distance"],
        Some("parenthesization/adaptive") => vec!["length", "leaves", "subthreads"],
        Some("parenthesization/thread_per_subproblem") => vec!["length", "leaves"],
        Some("parenthesization/split_tree") => vec!["number", "leaves", "queue", "splits", "enclosures"],
        Some("common/stamp") => vec!["value", "after"],
        Some("common/gather") => vec!["spans", "words"],
        Some("edit_distance/tiled") => vec!["wavefront", "first_tile", "tiles", "rows", "columns"],
        Some("supersequence/row_wise") => vec!["wavefront", "first_tile", "rows", "tiles", "segment_blocks"],
        Some("supersequence/crossings") => vec!["stored", "stride", "last"],
        Some("anti_diagonal/sweep") => {
            vec!["diagonal", "first", "last", "now", "before", "before_2", "behind", "stored"]
        }
        Some("diagonal_transition/wavefronts") => {
            vec!["rows", "columns", "columns_from", "distance", "wavefronts", "first", "before", "every", "slid"]
        }
        other => panic!("{other:?} is a kernel that this test does not know"),
    };
    for kernel in kernels() {
        let (members, size) = immediates(&parse(&kernel).0);
        let expected: Vec<_> =
            order(&kernel).into_iter().zip(0..).map(|(name, place)| (name.to_string(), 4 * place)).collect();
        assert_eq!(members, expected, "{}", kernel.label);
        assert!(size as usize <= 4 * PARAMS, "{}: {size} bytes", kernel.label);
    }
}

#[test]
fn every_kernel_writes_spirv_that_the_validator_accepts() {
    let there = Command::new("spirv-val").arg("--version").output().is_ok();
    let required = std::env::var("SWATH_REQUIRE_GPU_TESTS").is_ok_and(|value| value == "1");
    assert!(there || !required, "SWATH_REQUIRE_GPU_TESTS=1 and no spirv-val: install spirv-tools (tests/run.sh does)");
    for kernel in kernels() {
        let (module, info) = parse(&kernel);
        let mut options = spv::Options { lang_version: (1, 3), ..spv::Options::default() };
        options.flags.remove(spv::WriterFlags::DEBUG);
        let pipeline =
            spv::PipelineOptions { shader_stage: naga::ShaderStage::Compute, entry_point: "main".to_string() };
        let words = spv::write_vec(&module, &info, &options, Some(&pipeline))
            .unwrap_or_else(|error| panic!("{}: {error}", kernel.label));
        if there {
            let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
            validate_spirv(&kernel.label, &bytes);
        }
    }
    if !there {
        eprintln!("skipped: no spirv-val is here");
    }
}

fn validate_spirv(label: &str, bytes: &[u8]) {
    let mut child = Command::new("spirv-val")
        .args(["--target-env", "vulkan1.1", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("spirv-val starts");
    child.stdin.take().expect("stdin is piped").write_all(bytes).expect("spirv-val reads");
    let output = child.wait_with_output().expect("spirv-val ends");
    assert!(output.status.success(), "{label}: {}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn the_spirv_validator_refuses_a_damaged_module() {
    if Command::new("spirv-val").arg("--version").output().is_err() {
        return;
    }
    let (module, info) = parse(&stamp_kernel());
    let words = spv::write_vec(&module, &info, &spv::Options::default(), None).expect("it writes");
    let cut: Vec<u8> = words[..words.len() - 2].iter().flat_map(|word| word.to_le_bytes()).collect();
    assert!(std::panic::catch_unwind(|| validate_spirv("cut", &cut)).is_err());
}

#[test]
fn every_kernel_writes_msl() {
    for kernel in kernels() {
        let (module, info) = parse(&kernel);
        let checkpoints = kernel.bindings.iter().map(|&(number, access)| {
            let target = msl::BindTarget {
                buffer: Some(number as u8),
                mutable: access == Access::ReadWrite,
                ..msl::BindTarget::default()
            };
            (naga::ResourceBinding { group: 0, binding: number }, target)
        });
        let resources = msl::EntryPointResources {
            resources: checkpoints.collect(),
            immediates_buffer: Some(10),
            sizes_buffer: Some(11),
        };
        let options = msl::Options {
            lang_version: (2, 4),
            per_entry_point_map: [("main".to_string(), resources)].into(),
            fake_missing_bindings: false,
            zero_initialize_workgroup_memory: false,
            ..msl::Options::default()
        };
        let (text, written) = msl::write_string(&module, &info, &options, &msl::PipelineOptions::default())
            .unwrap_or_else(|error| panic!("{}: {error}", kernel.label));
        assert!(text.contains("kernel void"), "{}", kernel.label);
        for name in written.entry_point_names {
            name.unwrap_or_else(|error| panic!("{}: {error}", kernel.label));
        }
    }
}

#[test]
fn every_kernel_writes_hlsl() {
    for kernel in kernels() {
        let (module, info) = parse(&kernel);
        let target = |space, register| hlsl::BindTarget { space, register, ..hlsl::BindTarget::default() };
        let targets = kernel
            .bindings
            .iter()
            .map(|&(number, _)| (naga::ResourceBinding { group: 0, binding: number }, target(0, number)));
        let options = hlsl::Options {
            shader_model: hlsl::ShaderModel::V6_0,
            binding_map: targets.collect(),
            fake_missing_bindings: false,
            immediates_target: Some(target(1, 0)),
            // The dispatch counts, which D3D12 does not give to shaders.
            special_constants_binding: Some(target(2, 0)),
            zero_initialize_workgroup_memory: false,
            ..hlsl::Options::default()
        };
        let mut text = String::new();
        let pipeline = hlsl::PipelineOptions::default();
        let written = hlsl::Writer::new(&mut text, &options, &pipeline)
            .write(&module, &info, None)
            .unwrap_or_else(|error| panic!("{}: {error}", kernel.label));
        assert!(text.contains("[numthreads("), "{}", kernel.label);
        for name in written.entry_point_names {
            name.unwrap_or_else(|error| panic!("{}: {error}", kernel.label));
        }
    }
}
