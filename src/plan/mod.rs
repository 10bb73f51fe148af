//! Work as plain data: buffers, kernels, bindings and passes. Problems write plans, backends run them.

mod pass;
mod split;

use crate::kernels::{Access, Kernel};
pub use pass::{PARAMS, Pass, params};
pub(crate) use split::cut;
pub use split::{Bounds, PassSplit, Units, folded};

/// A buffer of 32-bit words on the device.
#[derive(Clone, Debug)]
pub struct Buffer {
    /// For labels and `--dry-run`.
    pub name: String,
    /// Length in 32-bit words.
    pub words: u64,
    /// What it holds before the first pass.
    pub contents: Contents,
    /// What its words depend on, where later plans may need the same ones.
    pub input: Option<InputKey>,
}

impl Buffer {
    /// Size in bytes.
    pub fn size_bytes(&self) -> u64 {
        self.words * 4
    }
}

/// What a buffer holds before the first pass.
#[derive(Clone, Debug)]
pub enum Contents {
    /// Zeros.
    Zeros,
    /// These words, as many as the buffer has.
    Words(Vec<u32>),
    /// What the session's source writes, in parts of whole units of so many words.
    Parts(u64),
    /// Anything: no pass reads a word that no earlier pass wrote.
    Unspecified,
    /// What the device has already: an input that an earlier plan has uploaded.
    Resident,
}

/// Everything that the words of an input depend on beside its name: which part of the sequences it is, and every size that its
/// layout follows. Two plans of one session with the same key need the same words.
pub type InputKey = Vec<u64>;

/// Inputs that lie on a device.
#[derive(Clone, Debug, Default)]
pub struct Resident(pub Vec<(String, InputKey)>);

impl Resident {
    /// Whether the device has this one.
    pub fn has(&self, name: &str, key: &InputKey) -> bool {
        self.0
            .iter()
            .any(|(known, known_key)| known == name && known_key == key)
    }
}

/// Index of a buffer in [`Plan::buffers`].
pub type BufferId = usize;

/// Everything a backend needs to run one computation.
#[derive(Clone, Debug, Default)]
pub struct Plan {
    /// Distinct kernels.
    pub kernels: Vec<Kernel>,
    /// All buffers, allocated together before the first pass.
    pub buffers: Vec<Buffer>,
    /// Buffers by the order of a kernel's bindings.
    pub bindings: Vec<Vec<BufferId>>,
    /// Dispatches in order; each sees what all earlier ones wrote.
    pub passes: Vec<Pass>,
    /// Dispatches that may be submitted later on, any number of times, with groups and parameters of their own.
    pub replays: Vec<Pass>,
    /// Whether many small spans are read at once behind the passes: a device brings them together first.
    pub scattered_reads: bool,
    /// Time of a cell, in those of the strip sweep, about; 0 is as 1. Slices are that much shorter until some are timed.
    pub cell_cost: u64,
    /// Splits of passes that exceed a time slice, by kernel; a further one of the same kernel splits the units of the one before.
    /// Passes of other kernels are never split.
    pub splits: Vec<(usize, PassSplit)>,
}

impl AsMut<Plan> for Plan {
    fn as_mut(&mut self) -> &mut Plan {
        self
    }
}

impl Plan {
    /// Adds a buffer.
    pub fn buffer(&mut self, name: impl Into<String>, words: u64, contents: Contents) -> BufferId {
        self.buffers.push(Buffer {
            name: name.into(),
            words,
            contents,
            input: None,
        });
        self.buffers.len() - 1
    }

    /// Adds a buffer that no pass writes, and that may lie on the device from the plan before; else `make` makes its words.
    pub fn input(
        &mut self,
        name: &'static str,
        sized: (u64, InputKey),
        resident: &Resident,
        make: impl FnOnce() -> Vec<u32>,
    ) -> BufferId {
        self.input_of(name, sized, resident, || Contents::Words(make()))
    }

    /// The same, of words that the session's source writes in parts of whole units of so many.
    pub fn input_in_parts(
        &mut self,
        name: &'static str,
        sized: (u64, InputKey),
        resident: &Resident,
        unit: u64,
    ) -> BufferId {
        self.input_of(name, sized, resident, || Contents::Parts(unit))
    }

    fn input_of(
        &mut self,
        name: &'static str,
        (words, key): (u64, InputKey),
        resident: &Resident,
        make: impl FnOnce() -> Contents,
    ) -> BufferId {
        let contents = if resident.has(name, &key) {
            Contents::Resident
        } else {
            make()
        };
        self.buffers.push(Buffer {
            name: name.to_string(),
            words,
            contents,
            input: Some(key),
        });
        self.buffers.len() - 1
    }

    /// Whether a pass of this plan may write the buffer.
    pub fn writes(&self, buffer: BufferId) -> bool {
        let mut before = None;
        self.passes.iter().chain(&self.replays).any(|pass| {
            let bound = (pass.kernel, pass.bindings);
            // Passes in a row mostly have the same ones.
            before.replace(bound) != Some(bound) && {
                let accesses = self.kernels[pass.kernel]
                    .bindings
                    .iter()
                    .map(|&(_, access)| access);
                let mut bound = self.bindings[pass.bindings].iter().zip(accesses);
                bound.any(|(&id, access)| id == buffer && access == Access::ReadWrite)
            }
        })
    }

    /// Adds a buffer that holds `words`.
    pub fn upload(&mut self, name: impl Into<String>, words: Vec<u32>) -> BufferId {
        self.buffer(name, words.len() as u64, Contents::Words(words))
    }

    /// Adds a kernel.
    pub fn kernel(&mut self, kernel: Kernel) -> usize {
        self.kernels.push(kernel);
        self.kernels.len() - 1
    }

    /// Adds a list of buffers to bind.
    pub fn bind(&mut self, buffers: Vec<BufferId>) -> usize {
        self.bindings.push(buffers);
        self.bindings.len() - 1
    }

    /// The kernel that a list of bindings is of, where a pass uses it.
    pub fn kernel_of(&self, bindings: usize) -> Option<usize> {
        let mut all = self.passes.iter().chain(&self.replays);
        Some(all.find(|pass| pass.bindings == bindings)?.kernel)
    }

    /// Bytes of all buffers.
    pub fn size_bytes(&self) -> u64 {
        self.buffers.iter().map(Buffer::size_bytes).sum()
    }

    /// Cells of all passes.
    pub fn cells(&self) -> u64 {
        self.passes.iter().map(|pass| pass.cells).sum()
    }

    /// The passes, cut down to their units.
    #[cfg(test)]
    pub(crate) fn cut_down(&self) -> Vec<Pass> {
        let mut units = Vec::new();
        for pass in &self.passes {
            let mut left = vec![pass.clone()];
            while let Some(next) = left.pop() {
                match cut(&self.splits, &next, 0) {
                    Some((unit, rest)) => left.extend([rest, unit]),
                    None => units.push(next),
                }
            }
        }
        units
    }
}
