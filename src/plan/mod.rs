//! GPU work as data: buffers, kernels, bindings and passes. Problems build plans, backends run
//! them.

mod pass;
mod split;

use std::sync::Arc;

use crate::kernels::{Access, Kernel};
pub use pass::{PARAMS, Pass, params};
pub(crate) use split::cut;
pub use split::{Bounds, PassSplit, Units, folded};

/// Device buffer of 32-bit words.
#[derive(Clone, Debug)]
pub struct Buffer {
    /// Label, also for `--dry-run`.
    pub name: String,
    /// Length in 32-bit words.
    pub words: u64,
    /// Initial contents.
    pub contents: Contents,
    /// Key of an input that later plans may reuse.
    pub input: Option<InputKey>,
}

impl Buffer {
    /// Size in bytes.
    pub fn size_bytes(&self) -> u64 {
        self.words * 4
    }
}

/// Initial contents of a buffer.
#[derive(Clone, Debug)]
pub enum Contents {
    /// Zeros.
    Zeros,
    /// Uploaded words; the buffer's length.
    Words(Arc<Vec<u32>>),
    /// Streamed by the session's source, in parts of a multiple of this number of words.
    Streamed(u64),
    /// Uninitialised: every word is written by a pass before it is read.
    Unspecified,
    /// Already on the device: an input uploaded by an earlier plan.
    Resident,
    /// As [`Resident`](Self::Resident) before this word; streamed word by word from it on.
    ResidentBefore(u64),
}

/// Key of an input: all values besides its name that determine its words, that is the range of the
/// sequences and the sizes of its layout. Equal keys within a session mean equal words.
pub type InputKey = Vec<u64>;

/// An input on a device.
#[derive(Clone, Debug)]
pub struct ResidentInput {
    /// In the plan that uploaded it.
    pub buffer: BufferId,
    /// Name of the buffer.
    pub name: String,
    /// Its key.
    pub key: InputKey,
    /// Its length.
    pub words: u64,
    /// False if words behind those that the key determines are of an earlier call.
    pub is_whole: bool,
}

/// Inputs present on a device.
#[derive(Clone, Debug, Default)]
pub struct Resident(pub Vec<ResidentInput>);

impl Resident {
    /// The input of this name and key, if the device has it.
    pub fn find(&self, name: &str, key: &InputKey) -> Option<&ResidentInput> {
        let is_same = |input: &&ResidentInput| input.name == name && input.key == *key;
        self.0.iter().find(is_same)
    }
}

/// Index of a buffer in [`Plan::buffers`].
pub type BufferId = usize;

/// Work of one computation for a backend.
#[derive(Clone, Debug, Default)]
pub struct Plan {
    /// Distinct kernels.
    pub kernels: Vec<Kernel>,
    /// All buffers, allocated together before the first pass.
    pub buffers: Vec<Buffer>,
    /// Buffers in the order of a kernel's bindings.
    pub bindings: Vec<Vec<BufferId>>,
    /// Dispatches in order. Each sees the writes of all earlier ones.
    pub passes: Vec<Pass>,
    /// Dispatches that may be submitted later, repeatedly, with other groups and parameters.
    pub replays: Vec<Pass>,
    /// Set if many small spans are read at once after the passes; the device gathers them first.
    pub scattered_reads: bool,
    /// Approximate time of a cell in cells of the strip sweep; 0 counts as 1. Shortens the slices
    /// until some are timed.
    pub cell_cost: u64,
    /// Splits of passes that exceed a time slice, by kernel. A further split of the same kernel
    /// splits the units of the one before. Passes of other kernels are never split.
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
        self.add(name.into(), words, contents, None)
    }

    fn add(
        &mut self,
        name: String,
        words: u64,
        contents: Contents,
        input: Option<InputKey>,
    ) -> BufferId {
        self.buffers.push(Buffer {
            name,
            words,
            contents,
            input,
        });
        self.buffers.len() - 1
    }

    /// Adds a read-only buffer. `make` returns its words if the device does not have them from an
    /// earlier plan.
    pub fn input<W: Into<Arc<Vec<u32>>>>(
        &mut self,
        name: &'static str,
        words: u64,
        key: InputKey,
        resident: &Resident,
        make: impl FnOnce() -> W,
    ) -> BufferId {
        let make = || Contents::Words(make().into());
        self.input_of(name, words, key, resident, make)
    }

    /// Like [`input`](Self::input), streamed by the session's source in multiples of `unit` words.
    pub fn input_in_parts(
        &mut self,
        name: &'static str,
        words: u64,
        key: InputKey,
        resident: &Resident,
        unit: u64,
    ) -> BufferId {
        self.input_of(name, words, key, resident, || Contents::Streamed(unit))
    }

    fn input_of(
        &mut self,
        name: &'static str,
        words: u64,
        key: InputKey,
        resident: &Resident,
        make: impl FnOnce() -> Contents,
    ) -> BufferId {
        let contents = match resident.find(name, &key) {
            Some(_) => Contents::Resident,
            None => make(),
        };
        self.add(name.to_string(), words, contents, Some(key))
    }

    /// Adds a read-only buffer that the session's source streams. Its key determines the words
    /// before `first` for all calls, and those behind it for one: each uploads these.
    pub fn input_with_rest(
        &mut self,
        name: &'static str,
        words: u64,
        first: u64,
        key: InputKey,
        resident: &Resident,
    ) -> BufferId {
        let fitting = words..=words + words / 4;
        let known = resident.find(name, &key);
        let (words, contents) = match known.filter(|input| fitting.contains(&input.words)) {
            Some(input) if input.is_whole => (input.words, Contents::Resident),
            Some(input) => (input.words, Contents::ResidentBefore(first)),
            None => (words, Contents::Streamed(1)),
        };
        self.add(name.to_string(), words, contents, Some(key))
    }

    /// Returns `true` if a pass of this plan may write the buffer.
    pub fn writes(&self, buffer: BufferId) -> bool {
        let mut before = None;
        self.passes.iter().chain(&self.replays).any(|pass| {
            let bound = (pass.kernel, pass.bindings);
            // Consecutive passes mostly have the same bindings.
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
    pub fn upload(&mut self, name: impl Into<String>, words: impl Into<Arc<Vec<u32>>>) -> BufferId {
        let words = words.into();
        self.buffer(name, words.len() as u64, Contents::Words(words))
    }

    /// Adds a kernel.
    pub fn kernel(&mut self, kernel: Kernel) -> usize {
        self.kernels.push(kernel);
        self.kernels.len() - 1
    }

    /// Adds a kernel whose passes may be split: parameter 0 is their first workgroup.
    pub fn kernel_by_group(&mut self, kernel: Kernel) -> usize {
        let kernel = self.kernel(kernel);
        let split = PassSplit::by_group(Bounds::First(0));
        self.splits.push((kernel, split));
        kernel
    }

    /// Adds a list of bindings.
    pub fn bind(&mut self, buffers: Vec<BufferId>) -> usize {
        self.bindings.push(buffers);
        self.bindings.len() - 1
    }

    /// Adds a pass of `groups` workgroups in x that binds these buffers.
    pub fn pass<const N: usize>(
        &mut self,
        kernel: usize,
        buffers: Vec<BufferId>,
        groups: u64,
        words: [u32; N],
        cells: u64,
    ) {
        let bindings = self.bind(buffers);
        self.passes.push(Pass {
            kernel,
            bindings,
            groups: [groups as u32, 1, 1],
            params: params(words),
            cells,
        });
    }

    /// Adds passes of `groups` workgroups in x together, of at most `max_groups` each. The first
    /// parameter is replaced by the first workgroup of a pass.
    pub fn passes_by_group<const N: usize>(
        &mut self,
        kernel: usize,
        buffers: Vec<BufferId>,
        groups: u32,
        max_groups: u32,
        mut words: [u32; N],
        group_cells: u64,
    ) {
        let bindings = self.bind(buffers);
        for first in (0..groups).step_by(max_groups as usize) {
            let groups = max_groups.min(groups - first);
            words[0] = first;
            self.passes.push(Pass {
                kernel,
                bindings,
                groups: [groups, 1, 1],
                params: params(words),
                cells: u64::from(groups) * group_cells,
            });
        }
    }

    /// Kernel of the passes that use a list of bindings, and the buffers with their binding numbers.
    pub fn bound(&self, bindings: usize) -> Option<(usize, impl Iterator<Item = (u32, BufferId)>)> {
        let mut all = self.passes.iter().chain(&self.replays);
        let kernel = all.find(|pass| pass.bindings == bindings)?.kernel;
        let numbers = self.kernels[kernel]
            .bindings
            .iter()
            .map(|&(number, _)| number);
        Some((kernel, numbers.zip(self.bindings[bindings].iter().copied())))
    }

    /// Total size of the buffers in bytes.
    pub fn size_bytes(&self) -> u64 {
        self.buffers.iter().map(Buffer::size_bytes).sum()
    }

    /// Total cells of the passes.
    pub fn cells(&self) -> u64 {
        self.passes.iter().map(|pass| pass.cells).sum()
    }

    /// The passes, split into single units.
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
