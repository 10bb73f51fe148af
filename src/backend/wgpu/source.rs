//! The WGSL of kernels: what their constants come to, then their parts.

use std::fmt::Write;

use crate::backend::texts::{self, alias, texts};
use crate::kernels::Kernel;

/// Which compiler reads a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialect {
    /// naga, which knows subgroups without being told and refuses to be.
    Naga,
    /// Tint, Chromium's, which wants to be told.
    Tint,
}

/// How parameters reach a kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ParameterSpace {
    /// With each dispatch.
    Immediate,
    /// In a uniform buffer, binding 0 of group 1.
    Uniform,
}

/// The texts by their stems.
const PARTS: &[(&str, &str)] = texts!(".wgsl");

/// The complete text of a kernel.
///
/// # Panics
/// Where the kernel names a part that neither the library nor itself has a text of.
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

/// The library's text of a kernel or part.
pub fn part(stem: &str) -> Option<&'static str> {
    texts::part(PARTS, stem)
}
