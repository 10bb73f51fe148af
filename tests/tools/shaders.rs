//! All kernel variants through naga: valid, translatable to every API, and laid out as the host
//! expects.

use std::collections::BTreeMap;
use std::io::Write;
use std::process::{Command, Stdio};

use naga::back::{hlsl, msl, spv};
use naga::valid::{Capabilities, ModuleInfo, ValidationFlags, Validator};
use naga::{AddressSpace, Module, StorageAccess, TypeInner};
use support::kernels::kernels;
use swath::unstable::backend::wgpu::source::{Dialect, ParameterSpace, source};
use swath::unstable::kernels::{Access, Kernel, readback};
use swath::unstable::plan::PARAMS;

/// Capabilities allowed without declaration: 64-bit types are used only on devices that have them.
const CAPABILITIES: Capabilities = Capabilities::IMMEDIATES
    .union(Capabilities::SHADER_INT64)
    .union(Capabilities::FLOAT64);

/// Both ways to pass parameters.
const SPACES: [ParameterSpace; 2] = [ParameterSpace::Immediate, ParameterSpace::Uniform];

fn parse(kernel: &Kernel) -> (Module, ModuleInfo) {
    parse_with(kernel, ParameterSpace::Immediate)
}

fn parse_with(kernel: &Kernel, parameters: ParameterSpace) -> (Module, ModuleInfo) {
    let source = source(kernel, Dialect::Naga, parameters);
    let module = naga::front::wgsl::parse_str(&source)
        .unwrap_or_else(|error| panic!("{}: {}", kernel.label(), error.emit_to_string(&source)));
    let used = CAPABILITIES
        | if kernel.subgroups {
            Capabilities::SUBGROUP
        } else {
            Capabilities::empty()
        };
    let info = Validator::new(ValidationFlags::all(), used)
        .validate(&module)
        .unwrap_or_else(|error| panic!("{}: {}", kernel.label(), error.emit_to_string(&source)));
    (module, info)
}

#[test]
fn every_kernel_is_valid_and_says_what_it_needs() {
    for kernel in kernels() {
        let (module, _) = parse(&kernel);
        assert_eq!(module.entry_points.len(), 1, "{}", kernel.label());
        assert_eq!(module.entry_points[0].name, "main", "{}", kernel.label());
        assert_eq!(
            module.entry_points[0].workgroup_size,
            [kernel.block, 1, 1],
            "{}",
            kernel.label()
        );
        for (capability, needed) in [
            (Capabilities::SUBGROUP, kernel.subgroups),
            (Capabilities::SHADER_INT64, kernel.int64),
            (Capabilities::FLOAT64, kernel.float64),
        ] {
            let without = Validator::new(
                ValidationFlags::all(),
                (CAPABILITIES | Capabilities::SUBGROUP) - capability,
            );
            assert_eq!(
                { without }.validate(&module).is_err(),
                needed,
                "{} without {capability:?}",
                kernel.label()
            );
        }
    }
}

/// Replaces parts that need subgroups or 64-bit integers by their portable twins; both are
/// optional.
#[test]
fn every_kernel_has_a_variant_that_every_device_can_run() {
    let portable = |part: &&'static str| match *part {
        "common/hand_over_subgroup" => "common/hand_over_workgroup",
        "lcs/pair_subgroup" => "lcs/pair_workgroup",
        "parenthesization/value_u64" => "parenthesization/value_limbs",
        "sort/rank_subgroup" => "sort/rank_workgroup",
        "sort/sum_subgroup" => "sort/sum_workgroup",
        other => other,
    };
    let kernels = kernels();
    for kernel in kernels
        .iter()
        .filter(|kernel| kernel.subgroups || kernel.int64)
    {
        let parts: Vec<_> = kernel.parts.iter().map(portable).collect();
        assert_ne!(parts, kernel.parts, "{}", kernel.label());
        let twin = kernels
            .iter()
            .find(|other| (other.stem, &other.parts) == (kernel.stem, &parts));
        assert!(
            twin.is_some_and(|twin| !twin.subgroups && !twin.int64),
            "{}",
            kernel.label()
        );
    }
    assert!(
        kernels.iter().all(|kernel| kernel.bindings.len() <= 8),
        "more than WebGPU binds"
    );
}

#[test]
fn the_bindings_of_every_kernel_are_those_that_the_host_makes() {
    for (kernel, space) in kernels()
        .into_iter()
        .flat_map(|kernel| SPACES.map(|space| (kernel.clone(), space)))
    {
        let (module, _) = parse_with(&kernel, space);
        let mut found = BTreeMap::new();
        for (_, variable) in module.global_variables.iter() {
            let Some(binding) = variable.binding else {
                continue;
            };
            if variable.space == AddressSpace::Uniform {
                assert_eq!(
                    (binding.group, binding.binding),
                    (1, 0),
                    "{}",
                    kernel.label()
                );
                continue;
            }
            assert_eq!(binding.group, 0, "{}", kernel.label());
            let AddressSpace::Storage { access } = variable.space else {
                panic!(
                    "{}: {:?} is no storage buffer",
                    kernel.label(),
                    variable.name
                )
            };
            let access = if access.contains(StorageAccess::STORE) {
                Access::ReadWrite
            } else {
                Access::Read
            };
            assert_eq!(
                found.insert(binding.binding, access),
                None,
                "{}",
                kernel.label()
            );
        }
        assert_eq!(
            found.into_iter().collect::<Vec<_>>(),
            kernel.bindings,
            "{}",
            kernel.label()
        );
    }
}

/// Names and byte offsets of the parameters, and their total size.
fn parameters(module: &Module, space: AddressSpace) -> (Vec<(String, u32)>, u32) {
    let mut blocks = module
        .global_variables
        .iter()
        .filter(|(_, variable)| variable.space == space);
    let block = blocks.next().expect("every kernel has parameters").1;
    assert!(blocks.next().is_none());
    let TypeInner::Struct { members, span } = &module.types[block.ty].inner else {
        panic!("a struct")
    };
    let word = |member: &naga::StructMember| {
        assert_eq!(
            module.types[member.ty].inner,
            TypeInner::Scalar(naga::Scalar::U32),
            "{:?}",
            member.name
        );
        (member.name.clone().unwrap_or_default(), member.offset)
    };
    (members.iter().map(word).collect(), *span)
}

/// Parameters of kernels in the order in which the host writes them; tests/it/sequences/tiling.rs
/// compares the values of the strip sweep.
const PARAMETERS: &str = "
anti_diagonal/sweep: diagonal first last now before before_2 behind stored
common/gather: spans words
common/stamp: value after
diagonal_transition/wavefronts: rows columns kept distance wavefronts first first_back first_group every slid slid_back end_group
edit_distance/tiled: wavefront first_tile tiles rows columns
lcs/conditional_sum: wavefront first_block blocks
neighbors/directory: first_group capacity part shift
neighbors/index_keys: first_group slots strings_at tiles_at part capacity
neighbors/join: first_group slots strings_at tiles_at part shift within capacity is_same
neighbors/mark: first_group capacity part shift
pairs/bands: first_group entries most
pairs/entries: first_group entries first_entry most strip carried_group carried_units
pairs/lanes: first_query first_tile end_tile group_tiles row_words tiles most strip carried_query carried_unit carried_units
pairs/traceback: first_group entries
parenthesization/adaptive: length leaves subthreads first end
parenthesization/split_tree: number leaves queue splits enclosures transposed steps
parenthesization/thread_per_subproblem: length leaves first
parenthesization/tiled_diagonal: points transposed first_tile
parenthesization/tiled_wavefront: points tiles distance first transposed row
search/ends: first_group tiles chunk_units margin_units text_units within capacity first_pattern
sort/scan: columns first
substring/clear: first end
substring/compare_pairs: symbols pairs first end
substring/count_level: first end lowest
substring/hash_windows: first end windows head position place into_first into_keys part power_low power_high rest
substring/list: first end position head text capacity sample power_low power_high rest
substring/list_groups: first begin end capacity shift is_run
substring/neighbours: first begin end before_last symbols pairs shift compares
substring/prefix_blocks: blocks block_symbols
substring/prefix_spread: first_block first_group
substring/prefix_stretches: first_block first_group
substring/settle: visit text texts tests ends_round capacity sample
substring/visit: first end windows head count modes keys test_seed mark_seed power_low power_high rest
supersequence/midpoints: stored stride last
supersequence/row_wise: wavefront first_tile rows tiles segment_blocks
";

#[test]
fn the_parameters_of_every_kernel_lie_where_the_host_writes_them() {
    let order = |kernel: &Kernel| -> Vec<&str> {
        let is_replay = kernel.parts.contains(&"bit_parallel/keep_tiles");
        match kernel.stem {
            "bit_parallel/strip_sweep" if is_replay => support::REPLAY_PARAMS.to_vec(),
            "bit_parallel/strip_sweep" => support::SWEEP_PARAMS.to_vec(),
            "sort/upsweep" | "sort/downsweep" | "sort/copy" => support::SORT_PARAMS.to_vec(),
            stem => {
                let mut rows = PARAMETERS.lines().filter_map(|row| row.split_once(": "));
                let row = rows.find(|row| row.0 == stem);
                let names = row
                    .unwrap_or_else(|| panic!("{stem} is not in PARAMETERS"))
                    .1;
                names.split(' ').collect()
            }
        }
    };
    for kernel in kernels() {
        let expected: Vec<_> = order(&kernel)
            .into_iter()
            .zip(0..)
            .map(|(name, place)| (name.to_string(), 4 * place))
            .collect();
        for (parameter_space, space) in SPACES
            .into_iter()
            .zip([AddressSpace::Immediate, AddressSpace::Uniform])
        {
            let (members, size) = parameters(&parse_with(&kernel, parameter_space).0, space);
            assert_eq!(members, expected, "{}", kernel.label());
            assert!(
                size as usize <= 4 * PARAMS,
                "{}: {size} bytes",
                kernel.label()
            );
        }
    }
}

#[test]
fn every_kernel_writes_spirv_that_the_validator_accepts() {
    let there = Command::new("spirv-val").arg("--version").output().is_ok();
    let required = std::env::var("SWATH_REQUIRE_GPU_TESTS").is_ok_and(|value| value == "1");
    assert!(
        there || !required,
        "SWATH_REQUIRE_GPU_TESTS=1 and no spirv-val: install spirv-tools (tests/run.sh does)"
    );
    for (kernel, space) in kernels()
        .into_iter()
        .flat_map(|kernel| SPACES.map(|space| (kernel.clone(), space)))
    {
        let (module, info) = parse_with(&kernel, space);
        let mut options = spv::Options {
            lang_version: (1, 3),
            ..spv::Options::default()
        };
        options.flags.remove(spv::WriterFlags::DEBUG);
        let pipeline = spv::PipelineOptions {
            shader_stage: naga::ShaderStage::Compute,
            entry_point: "main".to_string(),
        };
        let words = spv::write_vec(&module, &info, &options, Some(&pipeline))
            .unwrap_or_else(|error| panic!("{}: {error}", kernel.label()));
        if there {
            let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
            validate_spirv(&kernel.label(), &bytes);
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
    child
        .stdin
        .take()
        .expect("stdin is piped")
        .write_all(bytes)
        .expect("spirv-val reads");
    let output = child.wait_with_output().expect("spirv-val ends");
    assert!(
        output.status.success(),
        "{label}: {}",
        String::from_utf8_lossy(&output.stderr)
    );
}

#[test]
fn the_spirv_validator_refuses_a_damaged_module() {
    if Command::new("spirv-val").arg("--version").output().is_err() {
        return;
    }
    let (module, info) = parse(&readback::stamp());
    let words = spv::write_vec(&module, &info, &spv::Options::default(), None).expect("it writes");
    let cut: Vec<u8> = words[..words.len() - 2]
        .iter()
        .flat_map(|word| word.to_le_bytes())
        .collect();
    assert!(std::panic::catch_unwind(|| validate_spirv("cut", &cut)).is_err());
}

#[test]
fn every_kernel_writes_msl() {
    // Metal has no double precision.
    for kernel in kernels().into_iter().filter(|kernel| !kernel.float64) {
        let (module, info) = parse(&kernel);
        let checkpoints = kernel.bindings.iter().map(|&(number, access)| {
            let target = msl::BindTarget {
                buffer: Some(number as u8),
                mutable: access == Access::ReadWrite,
                ..msl::BindTarget::default()
            };
            (
                naga::ResourceBinding {
                    group: 0,
                    binding: number,
                },
                target,
            )
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
        let (text, written) =
            msl::write_string(&module, &info, &options, &msl::PipelineOptions::default())
                .unwrap_or_else(|error| panic!("{}: {error}", kernel.label()));
        assert!(text.contains("kernel void"), "{}", kernel.label());
        for name in written.entry_point_names {
            name.unwrap_or_else(|error| panic!("{}: {error}", kernel.label()));
        }
    }
}

#[test]
fn every_kernel_writes_hlsl() {
    for kernel in kernels() {
        let (module, info) = parse(&kernel);
        let target = |space, register| hlsl::BindTarget {
            space,
            register,
            ..hlsl::BindTarget::default()
        };
        let targets = kernel.bindings.iter().map(|&(number, _)| {
            (
                naga::ResourceBinding {
                    group: 0,
                    binding: number,
                },
                target(0, number),
            )
        });
        let options = hlsl::Options {
            shader_model: hlsl::ShaderModel::V6_0,
            binding_map: targets.collect(),
            fake_missing_bindings: false,
            immediates_target: Some(target(1, 0)),
            // The dispatch size, which D3D12 does not pass to shaders.
            special_constants_binding: Some(target(2, 0)),
            zero_initialize_workgroup_memory: false,
            ..hlsl::Options::default()
        };
        let mut text = String::new();
        let pipeline = hlsl::PipelineOptions::default();
        let written = hlsl::Writer::new(&mut text, &options, &pipeline)
            .write(&module, &info, None)
            .unwrap_or_else(|error| panic!("{}: {error}", kernel.label()));
        assert!(text.contains("[numthreads("), "{}", kernel.label());
        for name in written.entry_point_names {
            name.unwrap_or_else(|error| panic!("{}: {error}", kernel.label()));
        }
    }
}
