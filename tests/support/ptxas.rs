//! NVIDIA's compiler and assembler, if installed, and the assembler's reports.

use std::collections::HashSet;
use std::process::Command;

use rayon::prelude::*;
use swath::unstable::kernels::Kernel;

/// Kernels that keep their working set in registers.
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

pub fn is_hot(kernel: &Kernel) -> bool {
    HOT.contains(&kernel.stem)
}

/// Value of a kernel constant.
pub fn constant(kernel: &Kernel, name: &str) -> Option<u32> {
    kernel
        .constants
        .iter()
        .find(|constant| constant.0 == name)
        .map(|constant| constant.1)
}

/// Approximate words per lane in registers: limbs and the bit planes that masks are computed from;
/// otherwise columns or rows.
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

/// Of kernels with equal parts and symbols, the ones with the most registers, as assembling is
/// slow.
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

/// True if the assembler runs; required with `SWATH_REQUIRE_NVRTC=1`.
pub fn is_here() -> bool {
    let here = Command::new("ptxas").arg("--version").output().is_ok();
    compiles((!here).then(|| "ptxas is not on the path".to_string()))
}

/// True unless something is `missing`; nothing may be with `SWATH_REQUIRE_NVRTC=1`.
pub fn compiles(missing: Option<String>) -> bool {
    let Some(missing) = missing else { return true };
    let required = std::env::var("SWATH_REQUIRE_NVRTC").is_ok_and(|value| value == "1");
    assert!(!required, "SWATH_REQUIRE_NVRTC=1: {missing}");
    eprintln!("skipped: {missing}");
    false
}

/// A kernel that spills registers to memory.
pub struct Spill {
    pub label: String,
    pub architecture: String,
    /// Per lane, in its largest function.
    pub bytes: u32,
    /// Message of the assembler.
    pub said: String,
}

/// Kernels whose PTX spills on an architecture such as `sm_90`.
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

/// Part of a kernel label, architectures, and maximum spilled bytes there.
pub type Known = (&'static str, &'static [&'static str], u32);

/// Requires that exactly the known kernels spill, and no more than known.
#[track_caller]
pub fn assert_spilled(known: &[Known], spills: &[Spill]) {
    let known = known.iter().flat_map(|&(name, on, max)| {
        on.iter()
            .map(move |&architecture| (name, architecture, max))
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
        let is_known = |&&mut ((name, on, max), _): &&mut ((&str, &str, u32), bool)| {
            label.contains(name) && architecture == on && *bytes <= max
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
