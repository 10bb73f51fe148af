//! Every kernel by name, as plain data: what it is made of and what it binds. A back end picks the source by stem.

pub mod anti_diagonal;
pub mod bit_parallel;
pub mod diagonal_transition;
pub mod edit_distance;
pub mod lcs;
pub mod parenthesization;
pub mod readback;
pub mod sort;
pub mod substring;
pub mod supersequence;

use std::fmt::Write;

/// What a kernel does with a binding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Access {
    /// It reads alone.
    Read,
    /// It reads and writes.
    ReadWrite,
}

/// What the passes of a kernel that come one after the other, with the same bindings, need of each other: a device may run many of
/// them in one launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Passes {
    /// Each is a launch of its own.
    Apart,
    /// A chain: the first two words of their parameters are the first and the last of their workgroups, counted alike in all of
    /// them, and a workgroup needs of earlier passes only what it and the one before it have left. In each workgroup along z so
    /// does a chain of its own. Workgroups have to be able to wait for those that were begun before.
    Chained,
    /// Each needs all that those before have left. All workgroups have to run at once, and to be able to wait for each other.
    InStep,
}

/// A kernel in one variant: `shaders/<stem>.wgsl` with the parts that were chosen for it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Kernel {
    /// `<problem>/<kernel>`.
    pub stem: &'static str,
    /// Stems of the parts chosen for it, which its own text uses.
    pub parts: Vec<&'static str>,
    /// Unsigned constants of 32 bits.
    pub constants: Vec<(&'static str, u32)>,
    /// Buffers by the number of their binding.
    pub bindings: Vec<(u32, Access)>,
    /// Lanes of a workgroup, the constant `LANES` of its text.
    pub block: u32,
    /// Whether it needs subgroups.
    pub subgroups: bool,
    /// Whether it needs 64-bit integers.
    pub int64: bool,
    /// Whether it needs double precision.
    pub float64: bool,
    /// What passes that come one after the other need of each other.
    pub passes: Passes,
    /// Texts that callers bring, in the place of the library's.
    pub own: Vec<Own>,
    /// Whether its inputs are a caller's, so that nothing is known of their bounds.
    pub checked: bool,
}

/// A part whose text a caller brings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Own {
    /// The part that it is.
    pub stem: &'static str,
    /// Its WGSL.
    pub wgsl: &'static str,
    /// Its CUDA, where the caller brings that, too, and answers for it.
    pub cuda: Option<&'static str>,
}

impl Kernel {
    /// A kernel without parts and constants, whose first bindings are these.
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
            passes: Passes::Apart,
            own: Vec::new(),
            checked: false,
        }
    }

    /// Whether bounds and loops are checked whatever the device was opened for.
    pub fn needs_checks(&self) -> bool {
        self.checked || !self.own.is_empty()
    }

    /// Whether a device that checks nothing may run it: bounds are known, or who brings the text answers for them.
    pub fn runs_unchecked(&self) -> bool {
        match &self.own[..] {
            [] => !self.checked,
            own => own.iter().all(|own| own.cuda.is_some()),
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
