//! Kernels by name, as plain data: parts, constants and bindings. A backend selects the source by
//! stem.

pub mod anti_diagonal;
pub mod bit_parallel;
pub mod diagonal_transition;
pub mod edit_distance;
pub mod lcs;
pub mod neighbors;
pub mod pairs;
pub mod parenthesization;
pub mod readback;
pub mod search;
pub mod sort;
pub mod substring;
pub mod supersequence;

use std::fmt::Write;

/// Access of a kernel to a binding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Access {
    Read,
    ReadWrite,
}

/// Dependencies between consecutive passes of a kernel with equal bindings. They decide whether a
/// device may merge such passes into one launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Launch {
    /// Each pass is a launch of its own.
    Separate,
    /// A launch may run several passes. Parameters 0 and 1 of a pass are its first and last
    /// workgroup, in one numbering for all passes. A workgroup depends only on the results of
    /// itself and of the one before it in earlier passes. Each workgroup index along z is a chain
    /// of its own. Needs workgroups that can wait for workgroups started earlier.
    Chained,
    /// Each pass depends on all results of earlier ones. Needs a cooperative launch: all workgroups
    /// resident at once, with grid-wide barriers.
    Cooperative,
}

/// One variant of a kernel: `shaders/<stem>.wgsl` with the selected parts.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Kernel {
    /// `<problem>/<kernel>`.
    pub stem: &'static str,
    /// Stems of the parts that its text includes.
    pub parts: Vec<&'static str>,
    /// Unsigned 32-bit constants.
    pub constants: Vec<(&'static str, u32)>,
    /// Access by binding number.
    pub bindings: Vec<(u32, Access)>,
    /// Lanes of a workgroup; the constant `LANES` in the source.
    pub block: u32,
    pub subgroups: bool,
    pub int64: bool,
    pub float64: bool,
    pub launch: Launch,
    /// User-supplied parts, which replace the library's.
    pub user_shaders: Vec<UserShader>,
    /// True for user-supplied inputs, whose bounds are not known.
    pub checked: bool,
    /// Minimum words of every bound buffer; 0 if unknown. A user's declaration that needs more is
    /// refused when the kernel is built; at dispatch it would lose the device.
    pub buffer_words: u64,
}

/// A part whose source the user supplies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct UserShader {
    pub stem: &'static str,
    pub wgsl: &'static str,
    /// CUDA source in place of the library's hand-written one, for tests of it.
    pub cuda: Option<&'static str>,
    /// True if the user vouches for bounds and an end, so that CUDA may run it without checks.
    pub unchecked: bool,
}

impl Kernel {
    /// A kernel without parts and constants; `bindings` are numbered from 0.
    pub(crate) fn new(stem: &'static str, block: u32, bindings: &[Access]) -> Self {
        Self {
            stem,
            parts: Vec::new(),
            constants: Vec::new(),
            bindings: (0..).zip(bindings.iter().copied()).collect(),
            block,
            subgroups: false,
            int64: false,
            float64: false,
            launch: Launch::Separate,
            user_shaders: Vec::new(),
            checked: false,
            buffer_words: 0,
        }
    }

    /// True if bounds and loops must be checked even on devices opened without checks.
    pub fn needs_checks(&self) -> bool {
        self.checked || !self.user_shaders.is_empty()
    }

    /// True if a device without checks may run it: bounds are known, or the user vouches for them.
    pub fn allows_unchecked(&self) -> bool {
        match &self.user_shaders[..] {
            [] => !self.checked,
            shaders => shaders.iter().all(|shader| shader.unchecked),
        }
    }

    /// Stem, parts and constants, for messages.
    pub fn label(&self) -> String {
        let mut label = self.stem.to_string();
        for part in &self.parts {
            let _ = write!(label, " {}", part.rsplit('/').next().unwrap_or(part));
        }
        let _ = write!(label, " lanes={}", self.block);
        for (name, value) in &self.constants {
            let _ = write!(label, " {}={value}", name.to_lowercase());
        }
        label
    }
}
