//! NVIDIA's compiler and assembler, where they are, and what the assembler says of kernels.

use std::collections::HashSet;
use std::process::Command;

use rayon::prelude::*;
use swath::unstable::kernels::Kernel;

/// Kernels that keep what they work on in registers.
pub const HOT: [&str; 9] = [
    "bit_parallel/strip_sweep",
    "diagonal_transition/wavefronts",
    "edit_distance/tiled",
    "parenthesization/tiled_diagonal",
    "parenthesization/tiled_wavefront",
    "sort/downsweep",
    "sort/onesweep",
    "substring/visit",
    "supersequence/row_wise",
];

/// Whether a kernel is one of those, of those that GPUs with 64-bit integers run.
pub fn is_hot(kernel: &Kernel) -> bool {
    HOT.contains(&kernel.stem) && !kernel.parts.contains(&"parenthesization/value_limbs")
}

/// A constant of a kernel.
pub fn constant(kernel: &Kernel, name: &str) -> Option<u32> {
    kernel.constants.iter().find(|constant| constant.0 == name).map(|constant| constant.1)
}

/// Words that a lane keeps in registers, about: limbs, with their bit planes where masks are made of those; columns or rows else.
pub fn words_in_registers(kernel: &Kernel) -> (u32, u32) {
    let constant = |name| constant(kernel, name).unwrap_or(0);
    let planes = if kernel.parts.contains(&"bit_parallel/match_planes") { constant("PLANES") } else { 0 };
    let others = ["UNIT", "TILE", "STEPS", "BITS"].into_iter().map(constant).find(|&words| words > 0);
    (constant("LIMBS") * (1 + planes), others.unwrap_or(0))
}

/// Of kernels of the same parts for the same symbols the ones with the most in registers: assembling takes a while.
pub fn largest(mut kernels: Vec<Kernel>) -> Vec<Kernel> {
    kernels.sort_by_key(|kernel| std::cmp::Reverse(words_in_registers(kernel)));
    let mut seen = HashSet::new();
    kernels.retain(|kernel| seen.insert((kernel.stem, kernel.parts.clone(), constant(kernel, "PLANES"))));
    kernels
}

/// Whether the assembler can be run; it has to be where `SWATH_REQUIRE_NVRTC` is 1.
pub fn is_here() -> bool {
    let here = Command::new("ptxas").arg("--version").output().is_ok();
    compiles((!here).then(|| "ptxas is not on the path".to_string()))
}

/// Whether what a test needs is here, of which this is missing; it has to be where `SWATH_REQUIRE_NVRTC` is 1.
pub fn compiles(missing: Option<String>) -> bool {
    let Some(missing) = missing else { return true };
    let required = std::env::var("SWATH_REQUIRE_NVRTC").is_ok_and(|value| value == "1");
    assert!(!required, "SWATH_REQUIRE_NVRTC=1: {missing}");
    eprintln!("skipped: {missing}");
    false
}

/// What is said of the kernels whose PTX spills registers on GPUs of an architecture, `sm_90` and the like.
pub fn spills(kernels: &[Kernel], ptx: impl Fn(&Kernel) -> Vec<u8> + Sync, architecture: &str) -> Vec<String> {
    let folder = std::env::temp_dir().join(format!("swath-spills-{architecture}-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("the folder is made");
    let spills = kernels
        .par_iter()
        .enumerate()
        .filter_map(|(place, kernel)| {
            let (file, ptx) = (folder.join(format!("{place}.ptx")), ptx(kernel));
            std::fs::write(&file, ptx.strip_suffix(b"\0").unwrap_or(&ptx)).expect("written");
            let output = folder.join(format!("{place}.cubin"));
            let target = format!("-arch={architecture}");
            let said = Command::new("ptxas").arg("-v").arg(target).arg(&file).arg("-o").arg(output).output();
            let said = String::from_utf8_lossy(&said.expect("ptxas runs").stderr).into_owned();
            let fits = said.contains("0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads");
            (!fits).then(|| format!("{}: {said}", kernel.label()))
        })
        .collect();
    let _ = std::fs::remove_dir_all(folder);
    spills
}
