//! The CUDA text of kernels: what every text stands on, what their constants come to, then their parts.

use std::fmt::Write;

use crate::backend::texts::{self, alias, texts};
use crate::kernels::{Kernel, Launch};

/// Most passes that are run in one launch: so many have room in a kernel's parameters.
pub const MOST_PASSES: usize = 64;

/// What every text stands on.
const PRELUDE: &str = include_str!("../../../shaders/common/prelude.cu");

/// The texts by their stems, and those that need what no other interface promises.
const PARTS: [&[(&str, &str)]; 2] = [
    texts!(".cu"),
    texts!(
        ".cu":
        "sort/onesweep",
        "sort/onesweep_histogram",
        "sort/onesweep_scan",
    ),
];

/// The complete text of a kernel, where the library has one of every part, or the caller of those that are the caller's own.
pub fn source(kernel: &Kernel) -> Option<String> {
    let passes = if kernel.launch == Launch::Separate {
        1
    } else {
        MOST_PASSES
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

/// The library's text of a kernel or part.
pub fn part(stem: &str) -> Option<&'static str> {
    PARTS.into_iter().find_map(|parts| texts::part(parts, stem))
}
