//! NVIDIA's compiler and assembler, if installed, and the assembler's reports.

use std::collections::HashSet;
use std::process::Command;

use rayon::prelude::*;
use swath::unstable::kernels::Kernel;

/// Kernels that keep their working set in registers.
pub const HOT: [&str; 14] = [
    "bit_parallel/strip_sweep",
    "diagonal_transition/wavefronts",
    "edit_distance/tiled",
    "parenthesization/adaptive",
    "parenthesization/split_tree",
    "parenthesization/tiled_diagonal",
    "parenthesization/tiled_wavefront",
    "search/ends",
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

/// Report of the assembler about a kernel.
pub struct Assembled {
    pub label: String,
    pub architecture: String,
    pub registers: u32,
    /// Bytes per lane in memory, in its largest function.
    pub spilled: u32,
    /// Bytes of workgroup memory.
    pub shared: u32,
    /// Bytes of instructions.
    pub code: usize,
    /// Message of the assembler.
    pub said: String,
}

impl Assembled {
    /// The figures as a row of a table.
    pub fn row(&self) -> String {
        let Self {
            label,
            registers,
            spilled,
            shared,
            code,
            ..
        } = self;
        format!("{label}\t{registers}\t{spilled}\t{shared}\t{code}")
    }
}

/// Assembles the PTX of kernels for an architecture such as `sm_90`.
pub fn assembled(
    kernels: &[Kernel],
    ptx: impl Fn(&Kernel) -> Vec<u8> + Sync,
    architecture: &str,
) -> Vec<Assembled> {
    let folder = std::env::temp_dir().join(format!(
        "swath-assembled-{architecture}-{}",
        std::process::id()
    ));
    std::fs::create_dir_all(&folder).expect("the folder is made");
    let reports = kernels
        .par_iter()
        .enumerate()
        .map(|(place, kernel)| {
            let (file, ptx) = (folder.join(format!("{place}.ptx")), ptx(kernel));
            std::fs::write(&file, ptx.strip_suffix(b"\0").unwrap_or(&ptx)).expect("written");
            let output = folder.join(format!("{place}.cubin"));
            let target = format!("-arch={architecture}");
            let said = Command::new("ptxas")
                .arg("-v")
                .arg(target)
                .arg(&file)
                .arg("-o")
                .arg(&output)
                .output();
            let said = String::from_utf8_lossy(&said.expect("ptxas runs").stderr).into_owned();
            // The largest number before this text.
            let before = |text: &str| {
                let parts = said.split(text).collect::<Vec<_>>();
                let numbers = parts[..parts.len() - 1].iter().filter_map(|before| {
                    let word = before.split_whitespace().next_back()?;
                    word.parse::<u32>().ok()
                });
                numbers.max()
            };
            let binary = std::fs::read(&output).unwrap_or_default();
            Assembled {
                label: kernel.label(),
                architecture: architecture.to_string(),
                registers: before(" registers")
                    .unwrap_or_else(|| panic!("{}: {said}", kernel.label())),
                spilled: before(" bytes stack frame").unwrap_or(0),
                shared: before(" bytes smem").unwrap_or(0),
                code: code_bytes(&binary).expect("it is an object file"),
                said,
            }
        })
        .collect();
    let _ = std::fs::remove_dir_all(folder);
    reports
}

/// Total size of the sections of instructions of a 64-bit ELF file.
fn code_bytes(elf: &[u8]) -> Option<usize> {
    let number = |at: usize, bytes: usize| {
        let mut word = [0; 8];
        word[..bytes].copy_from_slice(elf.get(at..at + bytes)?);
        usize::try_from(u64::from_le_bytes(word)).ok()
    };
    let (headers, size, count) = (number(0x28, 8)?, number(0x3a, 2)?, number(0x3c, 2)?);
    let section = |index: usize| headers + index * size;
    let names = number(section(number(0x3e, 2)?) + 0x18, 8)?;
    let mut bytes = 0;
    for at in (0..count).map(section) {
        if elf.get(names + number(at, 4)?..)?.starts_with(b".text.") {
            bytes += number(at + 0x20, 8)?;
        }
    }
    Some(bytes)
}

/// Those of the reports that tell of registers in memory.
pub fn spills(
    kernels: &[Kernel],
    ptx: impl Fn(&Kernel) -> Vec<u8> + Sync,
    architecture: &str,
) -> Vec<Assembled> {
    let mut reports = assembled(kernels, ptx, architecture);
    reports.retain(|report| report.spilled > 0);
    reports
}

/// Part of a kernel label, architectures, and maximum spilled bytes there.
pub type Known = (&'static str, &'static [&'static str], u32);

/// Requires that exactly the known kernels spill, and no more than known.
#[track_caller]
pub fn assert_spilled(known: &[Known], spills: &[Assembled]) {
    let known = known.iter().flat_map(|&(name, on, max)| {
        on.iter()
            .map(move |&architecture| (name, architecture, max))
    });
    let mut known: Vec<_> = known.map(|known| (known, false)).collect();
    let mut others = Vec::new();
    for Assembled {
        label,
        architecture,
        spilled: bytes,
        said,
        ..
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
