//! CUDA sources: code for every supported GPU, and hand-written ones against their WGSL twins:
//! equal bindings and parameters. Sources that only CUDA supports have no twin.
//!
//! Compiling needs NVRTC on the loader's path; registers are read by `ptxas` from the path; no GPU
//! is needed. SWATH_REQUIRE_NVRTC=1 forbids skipping. Both are Python packages:
//! nvidia-cuda-nvrtc-cu12 and nvidia-cuda-nvcc-cu12.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::path::PathBuf;

use naga::{AddressSpace, Module, StorageAccess, TypeInner};
use rayon::prelude::*;
use support::ptxas;
use swath::unstable::backend::cuda::generated::GenerateError;
use swath::unstable::backend::cuda::{compiler, source};
use swath::unstable::backend::wgpu::source as wgsl;
use swath::unstable::kernels::{Access, Kernel, Launch};

/// Targets: Turing to Blackwell.
const ARCHITECTURES: [&str; 6] = ["compute_75", "sm_80", "sm_86", "sm_89", "sm_90", "sm_120"];

/// Architecture for which all hot kernels are assembled; the others take those of [`covering`].
const HOTTEST: &str = "sm_90";

/// Hot kernels with known spills.
const SPILLS: [ptxas::Known; 1] = [("supersequence/row_wise row_origins", &["sm_120"], 8)];

/// All kernels that a CUDA device may be asked for.
fn kernels() -> Vec<Kernel> {
    [twins(), support::kernels::of_cuda_alone()].concat()
}

/// Kernels with a twin, for subgroups of 32 lanes.
fn twins() -> Vec<Kernel> {
    let lanes = |kernel: &Kernel| {
        kernel
            .constants
            .iter()
            .find(|(name, _)| *name == "SUBGROUP")
            .map_or(32, |size| size.1)
    };
    support::kernels::kernels()
        .into_iter()
        .filter(|kernel| !kernel.subgroups || lanes(kernel) == 32)
        .collect()
}

/// One kernel per combination of parts and launch mode, with the most registers, as compiling is
/// slow.
fn combinations(mut kernels: Vec<Kernel>) -> Vec<Kernel> {
    kernels.sort_by_key(|kernel| std::cmp::Reverse(ptxas::words_in_registers(kernel)));
    let mut seen = HashSet::new();
    kernels.retain(|kernel| seen.insert((kernel.stem, kernel.parts.clone(), kernel.launch)));
    kernels
}

/// Hot kernels that planners choose.
fn hot() -> Vec<Kernel> {
    combinations(
        support::kernels::planned_for_cuda()
            .into_iter()
            .filter(ptxas::is_hot)
            .collect(),
    )
}

/// Stems of a kernel and its parts.
fn texts_of(kernel: &Kernel) -> impl Iterator<Item = &'static str> {
    kernel.parts.iter().copied().chain([kernel.stem])
}

/// Stems as of [`texts_of`], with the launch mode, on which sources may depend.
fn choices_of(kernel: &Kernel) -> impl Iterator<Item = (&'static str, bool)> {
    let is_separate = kernel.launch == Launch::Separate;
    texts_of(kernel).map(move |stem| (stem, is_separate))
}

/// A subset that covers every part. Greedy: takes the kernel with the most uncovered parts.
fn covering(kernels: &[Kernel]) -> Vec<Kernel> {
    let mut left: BTreeSet<_> = kernels.iter().flat_map(choices_of).collect();
    let mut taken = Vec::new();
    while !left.is_empty() {
        let new = |kernel: &&Kernel| {
            choices_of(kernel)
                .filter(|choice| left.contains(choice))
                .count()
        };
        let next = kernels
            .iter()
            .rev()
            .max_by_key(new)
            .expect("some have what is left");
        choices_of(next).for_each(|choice| _ = left.remove(&choice));
        taken.push(next.clone());
    }
    taken
}

#[test]
fn few_combinations_have_every_part() {
    let all = combinations(kernels());
    let few = covering(&all);
    let parts = |kernels: &[Kernel]| kernels.iter().flat_map(texts_of).collect::<BTreeSet<_>>();
    assert_eq!(parts(&few), parts(&all));
    assert!(few.len() < all.len() / 2, "{} of {}", few.len(), all.len());
}

#[test]
fn hot_kernels_are_those_that_planners_choose() {
    let hot = hot();
    let of = |parts: &[&str]| {
        let has = |kernel: &&Kernel| {
            parts
                .iter()
                .all(|part| texts_of(kernel).any(|stem| stem == *part))
        };
        hot.iter().filter(has).collect::<Vec<_>>()
    };
    // On an H200 strips of long tables are chained word by word, with 16 columns per word.
    for limbs in ["lcs/limbs", "edit_distance/limbs"] {
        for keep in ["bit_parallel/keep_nothing", "bit_parallel/keep_checkpoints"] {
            let follows = |kernel: &&Kernel| {
                kernel.launch == Launch::Chained && ptxas::constant(kernel, "COLUMNS") == Some(16)
            };
            assert!(
                of(&["bit_parallel/match_table", limbs, keep])
                    .iter()
                    .any(follows),
                "{limbs} {keep}"
            );
        }
    }
    let onesweeps = of(&["sort/onesweep"]);
    assert!(
        onesweeps
            .iter()
            .all(|kernel| ptxas::constant(kernel, "STEPS") == Some(16)),
        "{onesweeps:?}"
    );
    for stem in ptxas::HOT {
        assert!(!of(&[stem]).is_empty(), "{stem}");
    }
}

fn text(kernel: &Kernel) -> String {
    let source = source::source(kernel);
    let text = source.text();
    text.unwrap_or_else(|error| panic!("{}: {error}", kernel.label()))
        .into_owned()
}

fn is_written(kernel: &Kernel) -> bool {
    !source::source(kernel).is_generated()
}

/// Also those that are hand-written, but for strips of more workgroup memory than a device has.
#[test]
fn every_kernel_is_translated_from_its_wgsl() {
    let twins = twins();
    let failures: Vec<_> = twins
        .par_iter()
        .filter_map(|kernel| {
            let error = source::generated(kernel).text().err()?;
            let is_large = matches!(error, GenerateError::WorkgroupMemory { .. });
            (!is_large).then(|| format!("{}: {error}", kernel.label()))
        })
        .collect();
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

fn twin(kernel: &Kernel) -> Module {
    let text = wgsl::source(kernel, wgsl::Dialect::Naga, wgsl::ParameterSpace::Immediate);
    naga::front::wgsl::parse_str(&text)
        .unwrap_or_else(|error| panic!("{}: {error}", kernel.label()))
}

/// Number, writable, and bytes per element of each binding.
type Bindings = BTreeSet<(u32, bool, u32)>;

fn wgsl_bindings(module: &Module) -> Bindings {
    let storage = module.global_variables.iter().filter_map(|(_, variable)| {
        let AddressSpace::Storage { access } = variable.space else {
            return None;
        };
        let TypeInner::Array { stride, .. } = module.types[variable.ty].inner else {
            return None;
        };
        Some((
            variable.binding?.binding,
            access.contains(StorageAccess::STORE),
            stride,
        ))
    });
    storage.collect()
}

fn cuda_bindings(text: &str) -> Bindings {
    let lines = text
        .lines()
        .filter_map(|line| line.trim().strip_prefix("BINDING("));
    let parsed = lines.map(|line| {
        let mut arguments = line
            .split(')')
            .next()
            .unwrap_or_default()
            .split(',')
            .map(str::trim);
        let (number, element) = (
            arguments.next().unwrap_or_default(),
            arguments.next().unwrap_or_default(),
        );
        let (constant, element) = match element.strip_prefix("const ") {
            Some(element) => (true, element),
            None => (false, element),
        };
        (
            number.parse().expect("a number"),
            !constant,
            element_bytes(text, element),
        )
    });
    parsed.collect()
}

fn element_bytes(text: &str, element: &str) -> u32 {
    match element {
        "u32" | "i32" | "f32" | "u32x1" => 4,
        "u64" | "i64" | "f64" | "u32x2" => 8,
        "u32x3" | "u32x4" => 16,
        name => {
            if let Some((_, body)) = text.split_once(&format!("struct {name} {{\n")) {
                return members(body)
                    .iter()
                    .map(|(kind, _)| element_bytes(text, kind))
                    .sum();
            }
            let defined = text.lines().find_map(|line| {
                let (line, _) = line.trim().split_once(';')?;
                let typedef = line
                    .strip_prefix("typedef ")
                    .and_then(|line| line.rsplit_once(' '));
                let using = || {
                    line.strip_prefix("using ")
                        .and_then(|line| line.split_once(" = "))
                };
                let (of, alias) = typedef.or_else(|| using().map(|(name, of)| (of, name)))?;
                (alias == name).then_some(of)
            });
            element_bytes(
                text,
                defined.unwrap_or_else(|| panic!("'{name}' is no type of an element")),
            )
        }
    }
}

#[test]
fn bindings_are_those_of_the_host_and_of_the_twin() {
    let twins = twins();
    for kernel in kernels().into_iter().filter(is_written) {
        let cuda = cuda_bindings(&text(&kernel));
        if twins.contains(&kernel) {
            assert_eq!(cuda, wgsl_bindings(&twin(&kernel)), "{}", kernel.label());
        }
        let host = kernel
            .bindings
            .iter()
            .map(|&(number, access)| (number, access == Access::ReadWrite));
        assert!(
            host.eq(cuda.iter().map(|&(number, written, _)| (number, written))),
            "{}",
            kernel.label()
        );
    }
}

/// Numeric literal constants of a source by name, in either language.
fn constants(text: &str) -> BTreeMap<String, String> {
    let number = |value: &str| {
        let digits = value.trim().trim_end_matches(['u', 'l']);
        let is_number = digits.starts_with(|digit: char| digit.is_ascii_digit())
            && digits
                .chars()
                .all(|digit| digit.is_ascii_hexdigit() || ".xe".contains(digit));
        is_number.then(|| digits.to_string())
    };
    let parsed = text.lines().filter_map(|line| {
        let declared = line
            .strip_prefix("constexpr ")
            .or_else(|| line.strip_prefix("const "))?;
        let (declared, value) = declared.split_once(';')?.0.split_once(" = ")?;
        // `u32 NAME`, `NAME` or `NAME: u32`.
        let name = declared.split(':').next()?.split(' ').next_back()?;
        Some((name.to_string(), number(value)?))
    });
    parsed.collect()
}

#[test]
fn constants_of_one_name_are_one_number_in_both_languages() {
    let stems: BTreeSet<_> = twins().iter().flat_map(texts_of).collect();
    let mut compared = 0;
    for stem in stems {
        let wgsl = wgsl::part(stem).unwrap_or_else(|| panic!("{stem} has no WGSL"));
        let Some(cuda) = source::part(stem) else {
            continue;
        };
        let (cuda, wgsl) = (constants(cuda), constants(wgsl));
        for (name, value) in &wgsl {
            if let Some(twin) = cuda.get(name) {
                assert_eq!(twin, value, "{stem}: {name} in CUDA and in WGSL");
                compared += 1;
            }
        }
    }
    assert!(compared >= 10, "{compared} constants");
    assert_eq!(
        constants("const A = 7u;\nconst B: u32 = 1u << 3u;\nconstexpr u32 C = 0x7fu;   // far")["C"],
        "0x7f"
    );
}

/// Types and names of the parameters.
type Members = Vec<(String, String)>;

fn wgsl_params(module: &Module) -> Members {
    let params = module
        .types
        .iter()
        .find(|(_, ty)| ty.name.as_deref() == Some("Params"));
    let Some((
        _,
        naga::Type {
            inner: TypeInner::Struct { members, .. },
            ..
        },
    )) = params
    else {
        return Vec::new();
    };
    let named = members.iter().map(|member| {
        let TypeInner::Scalar(scalar) = module.types[member.ty].inner else {
            panic!("a number is expected")
        };
        let kind = format!("{:?}{}", scalar.kind, 8 * scalar.width)
            .replace("Uint", "u")
            .replace("Sint", "i");
        (kind, member.name.clone().unwrap_or_default())
    });
    named.collect()
}

fn cuda_params(text: &str) -> Members {
    text.split_once("struct Params {\n")
        .map_or_else(Vec::new, |(_, body)| members(body))
}

/// Types and names of the members of the structure that begins here.
fn members(body: &str) -> Members {
    let members = body
        .lines()
        .take_while(|line| !line.starts_with("};"))
        .filter_map(|line| {
            let (member, _) = line.trim().split_once(';')?;
            let (kind, name) = member.split_once(' ')?;
            Some((kind.to_string(), name.to_string()))
        });
    members.collect()
}

#[test]
fn parameters_are_those_of_the_twin() {
    for kernel in twins().into_iter().filter(is_written) {
        let (cuda, wgsl) = (cuda_params(&text(&kernel)), wgsl_params(&twin(&kernel)));
        assert_eq!(cuda, wgsl, "{}", kernel.label());
    }
}

#[test]
fn every_text_compiles_for_every_gpu_that_is_supported() {
    if !ptxas::compiles(compiler::missing().map(str::to_string)) {
        return;
    }
    // The oldest target compiles every combination of parts, the others every part: they differ
    // little.
    let (oldest, others) = (ARCHITECTURES[0], &ARCHITECTURES[1..]);
    let all = combinations(kernels());
    let few = covering(&all);
    let few = few.iter().flat_map(|kernel| {
        others
            .iter()
            .map(move |&architecture| (kernel.clone(), architecture))
    });
    let tasks: Vec<_> = few
        .chain(all.iter().map(|kernel| (kernel.clone(), oldest)))
        .collect();
    let failures: Vec<String> = tasks
        .par_iter()
        .filter_map(|(kernel, architecture)| {
            let reason = compiler::compile(kernel.stem, &text(kernel), architecture).err()?;
            Some(format!("{} for {architecture}: {reason}", kernel.label()))
        })
        .collect();
    assert!(
        failures.is_empty(),
        "{} failures\n{}",
        failures.len(),
        failures.join("\n\n")
    );
}

#[test]
fn hot_kernels_spill_no_registers() {
    if !ptxas::compiles(compiler::missing().map(str::to_string)) || !ptxas::is_here() {
        return;
    }
    let all = hot();
    let few = covering(&all);
    let mut spills = Vec::new();
    for architecture in ARCHITECTURES.map(|architecture| architecture.replace("compute", "sm")) {
        // Sources depend on the target.
        let virtual_one = architecture.replace("sm", "compute");
        let ptx = |kernel: &Kernel| {
            compiler::compile(kernel.stem, &text(kernel), &virtual_one).expect("it compiles")
        };
        spills.extend(ptxas::spills(
            if architecture == HOTTEST { &all } else { &few },
            ptx,
            &architecture,
        ));
    }
    ptxas::assert_spilled(&SPILLS, &spills);
}

#[test]
fn spills_are_known_by_name_architecture_and_size_and_those_that_went_away_are_noticed() {
    let known: [ptxas::Known; 1] = [("adaptive u32", &["sm_75", "sm_80"], 8)];
    let spill = |label: &str, architecture: &str, bytes| ptxas::Spill {
        label: format!("parenthesization/{label} lanes=64"),
        architecture: architecture.to_string(),
        bytes,
        said: String::new(),
    };
    let is_right = |spills: &[(&str, &str, u32)]| {
        let spills: Vec<_> = spills
            .iter()
            .map(|&(label, on, bytes)| spill(label, on, bytes))
            .collect();
        std::panic::catch_unwind(|| ptxas::assert_spilled(&known, &spills)).is_ok()
    };
    let right = [("adaptive u32", "sm_75", 8), ("adaptive u32", "sm_80", 4)];
    assert!(is_right(&right));
    assert!(!is_right(&right[..1]));
    for other in [
        ("adaptive u64", "sm_75", 8),
        ("adaptive u32", "sm_90", 8),
        ("adaptive u32", "sm_75", 16),
    ] {
        assert!(!is_right(&[&right[..], &[other]].concat()), "{other:?}");
    }
}

/// Writes all sources into a folder, for inspection.
#[test]
fn texts_are_written_where_a_folder_is_named() {
    let Some(folder) = std::env::var_os("SWATH_CUDA_TEXTS").map(PathBuf::from) else {
        return;
    };
    std::fs::create_dir_all(&folder).expect("the folder is made");
    for (place, kernel) in kernels().iter().enumerate() {
        let name = format!("{place:03}-{}.cu", kernel.stem.replace('/', "-"));
        let text = format!("// {}\n{}", kernel.label(), text(kernel));
        std::fs::write(folder.join(name), text).expect("written");
    }
}
