//! Every CUDA text beside its WGSL twin: the same bindings and parameters, and code for every GPU that is supported. Texts that no
//! other interface could run are alone, on purpose.
//!
//! Compiling needs NVRTC where the loader finds it, and registers are read by `ptxas` on the path; no GPU is needed. With
//! SWATH_REQUIRE_NVRTC=1 nothing is skipped. Both come as Python packages: nvidia-cuda-nvrtc-cu12 and nvidia-cuda-nvcc-cu12.

mod support;

use std::collections::BTreeSet;
use std::path::PathBuf;

use naga::{AddressSpace, Module, StorageAccess, TypeInner};
use rayon::prelude::*;
use support::ptxas;
use swath::unstable::backend::cuda::{compiler, source};
use swath::unstable::backend::wgpu::source as wgsl;
use swath::unstable::kernels::{Access, Kernel};

/// What code is made for: from Turing to Blackwell.
const ARCHITECTURES: [&str; 6] = ["compute_75", "sm_80", "sm_86", "sm_89", "sm_90", "sm_120"];

/// Every kernel that a CUDA device may be asked for.
fn kernels() -> Vec<Kernel> {
    [twins(), support::kernels::onesweeps()].concat()
}

/// Those that have a twin: a CUDA device's subgroups have 32 lanes.
fn twins() -> Vec<Kernel> {
    let lanes =
        |kernel: &Kernel| kernel.constants.iter().find(|(name, _)| *name == "SUBGROUP").map_or(32, |size| size.1);
    support::kernels::kernels().into_iter().filter(|kernel| !kernel.subgroups || lanes(kernel) == 32).collect()
}

/// One of each combination of parts, the one with the most work in registers: compiling takes a while.
fn combinations() -> Vec<Kernel> {
    let mut kernels = kernels();
    let size = |kernel: &Kernel| kernel.constants.iter().find(|(name, _)| *name == "LIMBS").map_or(0, |limbs| limbs.1);
    kernels.sort_by_key(|kernel| std::cmp::Reverse(size(kernel)));
    let mut seen = BTreeSet::new();
    kernels.retain(|kernel| seen.insert((kernel.stem, kernel.parts.clone())));
    kernels
}

fn text(kernel: &Kernel) -> String {
    source::source(kernel).unwrap_or_else(|| panic!("{} has no CUDA text", kernel.label()))
}

fn twin(kernel: &Kernel) -> Module {
    let text = wgsl::source(kernel, wgsl::Dialect::Naga, wgsl::ParameterSpace::Immediate);
    naga::front::wgsl::parse_str(&text).unwrap_or_else(|error| panic!("{}: {error}", kernel.label()))
}

#[test]
fn every_text_has_a_twin_or_is_meant_to_have_none_and_is_named_by_its_first_line() {
    let mut stems: Vec<_> = kernels().iter().flat_map(|kernel| [&kernel.parts[..], &[kernel.stem]].concat()).collect();
    stems.sort();
    stems.dedup();
    // Workgroups of theirs wait for each other, which WGSL promises nothing for.
    let alone: BTreeSet<_> = support::kernels::onesweeps().into_iter().map(|kernel| kernel.stem).collect();
    for stem in &stems {
        assert_eq!(wgsl::part(stem).is_none(), alone.contains(stem), "{stem}");
        let text = source::part(stem).unwrap_or_else(|| panic!("{stem} has no CUDA text"));
        assert!(text.starts_with(&format!("// {stem}: ")), "{stem}");
    }
    let there = std::fs::read_dir("shaders").expect("the crate has shaders").flat_map(|folder| {
        let files = std::fs::read_dir(folder.expect("it is listed").path()).into_iter().flatten();
        files.map(|file| file.expect("it is listed").path()).filter(|file| file.extension() == Some("cu".as_ref()))
    });
    let there = there.filter(|file| !file.ends_with("common/prelude.cu")).count();
    assert_eq!(there, stems.len(), "texts that no kernel uses");
}

/// What is bound where: number, access, bytes of an element.
type Bindings = BTreeSet<(u32, bool, u32)>;

fn wgsl_bindings(module: &Module) -> Bindings {
    let storage = module.global_variables.iter().filter_map(|(_, variable)| {
        let AddressSpace::Storage { access } = variable.space else { return None };
        let TypeInner::Array { stride, .. } = module.types[variable.ty].inner else { return None };
        Some((variable.binding?.binding, access.contains(StorageAccess::STORE), stride))
    });
    storage.collect()
}

fn cuda_bindings(text: &str) -> Bindings {
    let lines = text.lines().filter_map(|line| line.trim().strip_prefix("BINDING("));
    let parsed = lines.map(|line| {
        let mut arguments = line.split(')').next().unwrap_or_default().split(',').map(str::trim);
        let (number, element) = (arguments.next().unwrap_or_default(), arguments.next().unwrap_or_default());
        let (constant, element) = match element.strip_prefix("const ") {
            Some(element) => (true, element),
            None => (false, element),
        };
        (number.parse().expect("a number"), !constant, element_bytes(text, element))
    });
    parsed.collect()
}

/// Bytes of an element of an array.
fn element_bytes(text: &str, element: &str) -> u32 {
    match element {
        "u32" | "i32" | "f32" | "u32x1" => 4,
        "u64" | "i64" | "f64" | "u32x2" => 8,
        "u32x3" | "u32x4" => 16,
        name => {
            if let Some((_, body)) = text.split_once(&format!("struct {name} {{\n")) {
                return members(body).iter().map(|(kind, _)| element_bytes(text, kind)).sum();
            }
            let defined = text.lines().find_map(|line| {
                let (line, _) = line.trim().split_once(';')?;
                let typedef = line.strip_prefix("typedef ").and_then(|line| line.rsplit_once(' '));
                let using = || line.strip_prefix("using ").and_then(|line| line.split_once(" = "));
                let (of, alias) = typedef.or_else(|| using().map(|(name, of)| (of, name)))?;
                (alias == name).then_some(of)
            });
            element_bytes(text, defined.unwrap_or_else(|| panic!("'{name}' is no type of an element")))
        }
    }
}

#[test]
fn bindings_are_those_of_the_host_and_of_the_twin() {
    let twins = twins();
    for kernel in kernels() {
        let cuda = cuda_bindings(&text(&kernel));
        if twins.contains(&kernel) {
            assert_eq!(cuda, wgsl_bindings(&twin(&kernel)), "{}", kernel.label());
        }
        let host = kernel.bindings.iter().map(|&(number, access)| (number, access == Access::ReadWrite));
        assert!(host.eq(cuda.iter().map(|&(number, written, _)| (number, written))), "{}", kernel.label());
    }
}

/// Types and names of the parameters.
type Members = Vec<(String, String)>;

fn wgsl_params(module: &Module) -> Members {
    let params = module.types.iter().find(|(_, ty)| ty.name.as_deref() == Some("Params"));
    let Some((_, naga::Type { inner: TypeInner::Struct { members, .. }, .. })) = params else { return Vec::new() };
    let named = members.iter().map(|member| {
        let TypeInner::Scalar(scalar) = module.types[member.ty].inner else { panic!("a number is expected") };
        let kind = format!("{:?}{}", scalar.kind, 8 * scalar.width).replace("Uint", "u").replace("Sint", "i");
        (kind, member.name.clone().unwrap_or_default())
    });
    named.collect()
}

fn cuda_params(text: &str) -> Members {
    text.split_once("struct Params {\n").map_or_else(Vec::new, |(_, body)| members(body))
}

/// Types and names of the members of a structure whose text begins here.
fn members(body: &str) -> Members {
    let members = body.lines().take_while(|line| !line.starts_with("};")).filter_map(|line| {
        let (member, _) = line.trim().split_once(';')?;
        let (kind, name) = member.split_once(' ')?;
        Some((kind.to_string(), name.to_string()))
    });
    members.collect()
}

#[test]
fn parameters_are_those_of_the_twin() {
    for kernel in twins() {
        let (cuda, wgsl) = (cuda_params(&text(&kernel)), wgsl_params(&twin(&kernel)));
        assert_eq!(cuda, wgsl, "{}", kernel.label());
    }
}

#[test]
fn every_text_compiles_for_every_gpu_that_is_supported() {
    if !ptxas::compiles(compiler::missing().map(str::to_string)) {
        return;
    }
    // The oldest compiles every combination of parts, the others one of each text: they differ in little but what they offer.
    let mut stems = BTreeSet::new();
    let tasks: Vec<_> = combinations()
        .into_iter()
        .flat_map(|kernel| {
            let architectures = if stems.insert(kernel.stem) { &ARCHITECTURES[..] } else { &ARCHITECTURES[..1] };
            architectures.iter().map(move |&architecture| (kernel.clone(), architecture)).collect::<Vec<_>>()
        })
        .collect();
    let failures: Vec<String> = tasks
        .par_iter()
        .filter_map(|(kernel, architecture)| {
            let reason = compiler::compile(kernel.stem, &text(kernel), architecture).err()?;
            Some(format!("{} for {architecture}: {reason}", kernel.label()))
        })
        .collect();
    assert!(failures.is_empty(), "{} failures\n{}", failures.len(), failures.join("\n\n"));
}

#[test]
fn hot_kernels_spill_no_registers() {
    if !ptxas::compiles(compiler::missing().map(str::to_string)) || !ptxas::is_here() {
        return;
    }
    let hot: Vec<_> = combinations().into_iter().filter(ptxas::is_hot).collect();
    let ptx = |kernel: &Kernel| compiler::compile(kernel.stem, &text(kernel), "compute_75").expect("it compiles");
    let spills = ptxas::spills(&hot, ptx, "sm_90");
    assert!(spills.is_empty(), "{} kernels spill\n{}", spills.len(), spills.join("\n"));
}

/// Writes every text into a folder, to look at.
#[test]
fn texts_are_written_where_a_folder_is_named() {
    let Some(folder) = std::env::var_os("SWATH_CUDA_TEXTS").map(PathBuf::from) else { return };
    std::fs::create_dir_all(&folder).expect("the folder is made");
    for (place, kernel) in kernels().iter().enumerate() {
        let name = format!("{place:03}-{}.cu", kernel.stem.replace('/', "-"));
        let text = format!("// {}\n{}", kernel.label(), text(kernel));
        std::fs::write(folder.join(name), text).expect("written");
    }
}
