//! WGSL source of kernels: their constants, then their parts.

use std::fmt::Write;

use super::kernel_sources::{self, alias, kernel_sources};
use crate::kernels::Kernel;

/// The compiler that reads the source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialect {
    /// naga, which rejects `enable subgroups` and does not need it.
    Naga,
    /// Tint, Chromium's compiler, which requires `enable subgroups`.
    Tint,
}

/// Address space of a kernel's parameters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ParameterSpace {
    /// Immediates, set with each dispatch.
    Immediate,
    /// A uniform buffer, binding 0 of group 1.
    Uniform,
}

/// Sources by stem.
const PARTS: &[(&str, &str)] = kernel_sources!(".wgsl");

/// Assembles the complete source of a kernel.
///
/// # Panics
/// If neither the library nor the kernel has the source of one of its parts.
pub fn source(kernel: &Kernel, dialect: Dialect, parameters: ParameterSpace) -> String {
    let mut text = String::new();
    if kernel.subgroups && dialect == Dialect::Tint {
        text.push_str("enable subgroups;\n");
    }
    let _ = writeln!(text, "const LANES = {}u;", kernel.block);
    for (name, value) in &kernel.constants {
        let _ = writeln!(text, "const {name} = {value}u;");
        if let Some(alias) = alias(name) {
            let vector = if *value == 1 {
                "array<u32, 1>".to_string()
            } else {
                format!("vec{value}<u32>")
            };
            let _ = writeln!(text, "alias {alias} = {vector};");
        }
    }
    text.push_str(match parameters {
        ParameterSpace::Immediate => "var<immediate> params: Params;\n",
        ParameterSpace::Uniform => "@group(1) @binding(0) var<uniform> params: Params;\n",
    });
    for stem in kernel.parts.iter().chain([&kernel.stem]) {
        let user = kernel
            .user_shaders
            .iter()
            .find(|user| user.stem == *stem)
            .map(|user| user.wgsl);
        text.push_str(
            user.or_else(|| part(stem))
                .unwrap_or_else(|| panic!("{stem} has no text")),
        );
        text.push('\n');
    }
    text
}

/// The library's source of a kernel or part.
pub fn part(stem: &str) -> Option<&'static str> {
    kernel_sources::part(PARTS, stem)
}

/// Stems of all kernels and parts of the library.
#[cfg(feature = "cuda")]
pub(super) fn stems() -> impl Iterator<Item = &'static str> {
    PARTS.iter().map(|(stem, _)| *stem)
}
