//! CUDA C++ generated from the WGSL of a kernel, by way of naga's representation of it.
//!
//! The text follows shaders/common/generated.cuh, the prelude with its types and functions.
//!
//! - Pointers are lvalues, and parameters of pointer types are references.
//! - Bindings, parameters and private variables are in a `Context`, an argument of the functions
//!   that use them. Workgroup variables are `__shared__` and begin undefined.
//! - Buffers that are only read are read through the read-only cache.
//! - Loops stay loops; `loops` decides which of them NVRTC unrolls.
//! - Whatever has no translation is an error.

mod constants;
mod expressions;
mod functions;
mod loops;
mod module;
mod names;
mod operators;
mod statements;
mod subgroups;
#[cfg(test)]
mod tests;
mod types;

use std::ops::Range;

use naga::Module;
use naga::valid::{Capabilities, ModuleInfo, ValidationFlags, Validator};

use crate::kernels::{Access, Launch};

/// Definitions of all texts.
pub const PRELUDE: &str = include_str!("../../../../shaders/common/generated.cuh");

/// Digest of this module, for keys of caches: a text of the same WGSL may differ in another version.
pub const VERSION: u64 = {
    let mut hash = digest(0xcbf2_9ce4_8422_2325, env!("CARGO_PKG_VERSION").as_bytes());
    let files: [&[u8]; 12] = [
        include_bytes!("constants.rs"),
        include_bytes!("expressions.rs"),
        include_bytes!("functions.rs"),
        include_bytes!("loops.rs"),
        include_bytes!("mod.rs"),
        include_bytes!("module.rs"),
        include_bytes!("names.rs"),
        include_bytes!("operators.rs"),
        include_bytes!("statements.rs"),
        include_bytes!("subgroups.rs"),
        include_bytes!("types.rs"),
        PRELUDE.as_bytes(),
    ];
    let mut file = 0;
    while file < files.len() {
        hash = digest(hash, files[file]);
        file += 1;
    }
    hash
};

/// Continues a 64-bit FNV-1a digest.
const fn digest(mut hash: u64, mut bytes: &[u8]) -> u64 {
    while let [byte, rest @ ..] = bytes {
        hash = (hash ^ *byte as u64).wrapping_mul(0x0000_0100_0000_01b3);
        bytes = rest;
    }
    hash
}

/// Requirements of the host.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// Dependence between passes of one launch.
    pub launch: Launch,
    /// Access by binding number.
    pub bindings: Vec<(u32, Access)>,
    /// Minimum words of every bound buffer; 0 if unknown, which trusts the declarations.
    pub buffer_words: u64,
    /// True if indices are clamped to what is bound or declared.
    pub checks: bool,
    /// True if functions of subgroups are allowed.
    pub subgroups: bool,
    pub workgroup_bytes: u32,
}

/// Reason why there is no text.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum GenerateError {
    /// naga refuses the WGSL.
    #[error("{0}")]
    Wgsl(String),
    /// A construct without a translation.
    #[error("{0} cannot be translated to CUDA")]
    Unsupported(String),
    /// A declared buffer that the host does not bind like this.
    #[error("the buffer {name} is not bound as it is declared: {reason}")]
    Binding { name: String, reason: &'static str },
    /// More workgroup memory than a workgroup may have.
    #[error("{bytes} bytes of workgroup memory are declared, and the device has {limit}")]
    WorkgroupMemory { bytes: u64, limit: u32 },
}

type Result<T> = std::result::Result<T, GenerateError>;

fn unsupported<T>(construct: String) -> Result<T> {
    Err(GenerateError::Unsupported(construct))
}

/// Translates the complete WGSL of a kernel, whose parameters are immediates. `PASSES`, the maximum
/// passes of a launch, has to be declared before the text.
///
/// # Errors
/// [`GenerateError`].
pub fn generate(wgsl: &str, options: &Options) -> Result<String> {
    let (module, info) = validated(wgsl, options)?;
    module::ModuleWriter::new(&module, &info, options).kernel()
}

/// Translates what these ranges of a WGSL declare, for hand-written text that follows it;
/// identifiers keep their names. The text follows the prelude.
///
/// # Errors
/// [`GenerateError`], also if the ranges use what is declared outside of them.
pub fn generate_parts(wgsl: &str, ranges: &[Range<usize>], options: &Options) -> Result<String> {
    let (module, info) = validated(wgsl, options)?;
    module::ModuleWriter::new(&module, &info, options).parts(wgsl, ranges)
}

fn validated(wgsl: &str, options: &Options) -> Result<(Module, ModuleInfo)> {
    let module = naga::front::wgsl::parse_str(wgsl)
        .map_err(|error| GenerateError::Wgsl(error.emit_to_string(wgsl)))?;
    let mut capabilities =
        Capabilities::IMMEDIATES | Capabilities::SHADER_INT64 | Capabilities::FLOAT64;
    capabilities.set(Capabilities::SUBGROUP, options.subgroups);
    let info = Validator::new(ValidationFlags::all(), capabilities)
        .validate(&module)
        .map_err(|error| GenerateError::Wgsl(error.emit_to_string(wgsl)))?;
    Ok((module, info))
}
