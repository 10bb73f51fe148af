//! NVIDIA's compiler and assembler, where they are, and what the assembler says of kernels.

use std::collections::HashSet;
use std::process::Command;

use rayon::prelude::*;
use swath::unstable::kernels::Kernel;

/// Kernels that keep what they work on in registers.
pub const HOT: [&str; 13] = [
    "bit_parallel/strip_sweep",
    "diagonal_transition/wavefronts",
    "edit_distance/tiled",
    "parenthesization/adaptive",
    "parenthesization/split_tree",
    "parenthesization/tiled_diagonal",
    "parenthesization/tiled_wavefront",
    "sort/downsweep",
    "sort/onesweep",
    "sort/onesweep_histogram",
    "sort/upsweep",
    "substring/visit",
    "supersequence/row_wise",
];

/// Whether a kernel is one of those.
pub fn is_hot(kernel: &Kernel) -> bool {
    HOT.contains(&kernel.stem)
}

/// A constant of a kernel.
pub fn constant(kernel: &Kernel, name: &str) -> Option<u32> {
    kernel
        .constants
        .iter()
        .find(|constant| constant.0 == name)
        .map(|constant| constant.1)
}

/// Words that a lane keeps in registers, about: limbs, with their bit planes where masks are made of those; columns or rows else.
pub fn words_in_registers(kernel: &Kernel) -> (u32, u32) {
    let constant = |name| constant(kernel, name).unwrap_or(0);
    let planes = if kernel.parts.contains(&"bit_parallel/match_planes") {
        constant("PLANES")
    } else {
        0
    };
    let others = ["UNIT", "TILE", "STEPS", "BITS"]
        .into_iter()
        .map(constant)
        .find(|&words| words > 0);
    (constant("LIMBS") * (1 + planes), others.unwrap_or(0))
}

/// Of kernels of the same parts for the same symbols the ones with the most in registers: assembling takes a while.
pub fn largest(mut kernels: Vec<Kernel>) -> Vec<Kernel> {
    kernels.sort_by_key(|kernel| std::cmp::Reverse(words_in_registers(kernel)));
    let mut seen = HashSet::new();
    kernels.retain(|kernel| {
        seen.insert((
            kernel.stem,
            kernel.parts.clone(),
            constant(kernel, "PLANES"),
        ))
    });
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

/// A kernel that keeps some of what it works on in memory.
pub struct Spill {
    pub label: String,
    pub architecture: String,
    /// Of a lane, in its largest function.
    pub bytes: u32,
    /// By the assembler.
    pub said: String,
}

/// The kernels whose PTX spills registers on GPUs of an architecture, `sm_90` and the like.
pub fn spills(
    kernels: &[Kernel],
    ptx: impl Fn(&Kernel) -> Vec<u8> + Sync,
    architecture: &str,
) -> Vec<Spill> {
    let folder = std::env::temp_dir().join(format!(
        "swath-spills-{architecture}-{}",
        std::process::id()
    ));
    std::fs::create_dir_all(&folder).expect("the folder is made");
    let spills = kernels
        .par_iter()
        .enumerate()
        .filter_map(|(place, kernel)| {
            let (file, ptx) = (folder.join(format!("{place}.ptx")), ptx(kernel));
            std::fs::write(&file, ptx.strip_suffix(b"\0").unwrap_or(&ptx)).expect("written");
            let output = folder.join(format!("{place}.cubin"));
            let target = format!("-arch={architecture}");
            let said = Command::new("ptxas")
                .arg("-v")
                .arg(target)
                .arg(&file)
                .arg("-o")
                .arg(output)
                .output();
            let said = String::from_utf8_lossy(&said.expect("ptxas runs").stderr).into_owned();
            let frames = said
                .split(" bytes stack frame")
                .filter_map(|before| before.split_whitespace().next_back()?.parse().ok());
            let bytes = frames
                .max()
                .unwrap_or_else(|| panic!("{}: {said}", kernel.label()));
            (bytes > 0).then(|| Spill {
                label: kernel.label(),
                architecture: architecture.to_string(),
                bytes,
                said,
            })
        })
        .collect();
    let _ = std::fs::remove_dir_all(folder);
    spills
}

/// A part of a kernel's label, architectures, and how many bytes it may spill there.
pub type Known = (&'static str, &'static [&'static str], u32);

/// Requires that nothing spills but what is known to, no more than is known, and that all of that does.
#[track_caller]
pub fn assert_spilled(known: &[Known], spills: &[Spill]) {
    let known = known.iter().flat_map(|&(name, on, most)| {
        on.iter()
            .map(move |&architecture| (name, architecture, most))
    });
    let mut known: Vec<_> = known.map(|known| (known, false)).collect();
    let mut others = Vec::new();
    for Spill {
        label,
        architecture,
        bytes,
        said,
    } in spills
    {
        let is_known = |&&mut ((name, on, most), _): &&mut ((&str, &str, u32), bool)| {
            label.contains(name) && architecture == on && *bytes <= most
        };
        match known.iter_mut().find(is_known) {
            Some((_, seen)) => *seen = true,
            None => others.push(format!("{architecture}, {bytes} bytes: {label}: {said}")),
        }
    }
    assert!(
        others.is_empty(),
        "{} kernels spill\n{}",
        others.len(),
        others.join("\n")
    );
    let gone: Vec<_> = known
        .iter()
        .filter(|(_, seen)| !seen)
        .map(|(known, _)| known)
        .collect();
    assert!(gone.is_empty(), "{gone:?} spill no more: strike them off");
}
