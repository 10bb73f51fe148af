//! WGSL source of kernels: their constants, then their parts.

use std::fmt::Write;
use std::ops::Range;

use crate::kernels::Kernel;

/// The compiler that reads the source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialect {
    /// naga, which rejects `enable subgroups` and does not need it.
    Naga,
    /// Tint, Chromium's compiler, which requires `enable subgroups`.
    Tint,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ParameterSpace {
    /// Immediates, set with each dispatch.
    Immediate,
    /// A uniform buffer, binding 0 of group 1.
    Uniform,
}

/// Sources in `shaders/` by stem, listed by build.rs.
const PARTS: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/wgsl.rs"));

/// Source of a kernel and the ranges of its parts in it.
pub struct Assembled {
    pub text: String,
    /// By stem; the kernel's own text is the last one if there is one.
    pub parts: Vec<(&'static str, Range<usize>)>,
}

/// Assembles the complete source of a kernel.
///
/// # Panics
/// If neither the library nor the kernel has the source of one of its parts.
pub fn source(kernel: &Kernel, dialect: Dialect, parameters: ParameterSpace) -> String {
    let assembled = assembled(kernel, dialect, parameters, |_| true);
    assert!(
        assembled
            .parts
            .last()
            .is_some_and(|(stem, _)| *stem == kernel.stem),
        "{} has no text",
        kernel.stem
    );
    assembled.text
}

/// As [`source`], with the parts that are wanted. A kernel without WGSL has neither parameters nor
/// a text of its own there.
///
/// # Panics
/// If neither the library nor the kernel has the source of one of its parts.
pub fn assembled(
    kernel: &Kernel,
    dialect: Dialect,
    parameters: ParameterSpace,
    is_wanted: impl Fn(&str) -> bool,
) -> Assembled {
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
    let text_of = |stem: &'static str| {
        let user = kernel.user_shaders.iter().find(|user| user.stem == stem);
        user.map(|user| user.wgsl).or_else(|| part(stem))
    };
    let own = text_of(kernel.stem).filter(|own| !own.is_empty());
    if own.is_some() {
        text.push_str(match parameters {
            ParameterSpace::Immediate => "var<immediate> params: Params;\n",
            ParameterSpace::Uniform => "@group(1) @binding(0) var<uniform> params: Params;\n",
        });
    }
    let wanted = kernel.parts.iter().filter(|stem| is_wanted(stem));
    let parts = wanted.map(|&stem| {
        let found = text_of(stem);
        (stem, found.unwrap_or_else(|| panic!("{stem} has no text")))
    });
    let mut ranges = Vec::new();
    for (stem, part) in parts.chain(own.map(|own| (kernel.stem, own))) {
        ranges.push((stem, text.len()..text.len() + part.len()));
        text.push_str(part);
        text.push('\n');
    }
    Assembled {
        text,
        parts: ranges,
    }
}

pub fn part(stem: &str) -> Option<&'static str> {
    find(PARTS, stem)
}

pub(super) fn find(sources: &[(&str, &'static str)], stem: &str) -> Option<&'static str> {
    let found = sources.iter().find(|(name, _)| *name == stem);
    found.map(|(_, source)| *source)
}

/// Alias of the vector type whose length is this constant, if any: kernel sources cannot derive a
/// vector type from a constant.
pub(super) fn alias(constant: &str) -> Option<&'static str> {
    match constant {
        "LIMB_WIDTH" => Some("LimbVector"),
        "CODE_WIDTH" => Some("CodeVector"),
        "TILE_WIDTH" => Some("TileVector"),
        _ => None,
    }
}

/// Stems of all kernels and parts of the library.
#[cfg(feature = "cuda")]
pub(super) fn stems() -> impl Iterator<Item = &'static str> {
    PARTS.iter().map(|(stem, _)| *stem)
}
