//! CUDA source of kernels: the prelude, their constants, then their parts.

use std::fmt::Write;

use crate::backend::kernel_sources::{self, alias, kernel_sources};
use crate::kernels::{Kernel, Launch};

/// Maximum passes of one launch, limited by the size of a kernel's parameters.
pub const MAX_LAUNCH_PASSES: usize = 64;

/// Common declarations of all sources.
const PRELUDE: &str = include_str!("../../../shaders/common/prelude.cu");

/// Sources by stem; the second list needs forward progress between workgroups, which only CUDA
/// guarantees.
const PARTS: [&[(&str, &str)]; 2] = [
    kernel_sources!(".cu"),
    kernel_sources!(
        ".cu":
        "sort/onesweep",
        "sort/onesweep_histogram",
        "sort/onesweep_scan",
    ),
];

/// Assembles the complete source of a kernel; `None` if a part has no CUDA source.
pub fn source(kernel: &Kernel) -> Option<String> {
    let passes = if kernel.launch == Launch::Separate {
        1
    } else {
        MAX_LAUNCH_PASSES
    };
    let mut text = format!("constexpr unsigned PASSES = {passes}u;\n{PRELUDE}");
    let _ = writeln!(text, "constexpr u32 LANES = {}u;", kernel.block);
    for (name, value) in &kernel.constants {
        let _ = writeln!(text, "constexpr u32 {name} = {value}u;");
        if let Some(alias) = alias(name) {
            let _ = writeln!(text, "typedef u32x{value} {alias};");
        }
    }
    for stem in kernel.parts.iter().chain([&kernel.stem]) {
        let user = kernel.user_shaders.iter().find(|user| user.stem == *stem);
        text.push_str(user.map_or_else(|| part(stem), |user| user.cuda)?);
        text.push('\n');
    }
    Some(text)
}

/// The library's source of a kernel or part.
pub fn part(stem: &str) -> Option<&'static str> {
    PARTS
        .into_iter()
        .find_map(|parts| kernel_sources::part(parts, stem))
}
