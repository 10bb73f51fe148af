//! Arguments of a kernel.

use super::driver::DeviceMemory;
use super::source::MAX_LAUNCH_PASSES;
use crate::plan::{PARAMS, Pass};

/// Maximum bindings of a kernel.
const BINDINGS: usize = 8;

#[derive(Clone, Copy, Default)]
pub(super) struct Bound {
    pub address: u64,
    pub words: u64,
}

impl Bound {
    pub(super) fn new(memory: &DeviceMemory, words: u64) -> Self {
        Self {
            address: memory.address(),
            words,
        }
    }
}

/// Arguments of a kernel for `PASSES` passes; `struct Arguments` in prelude.cu and generated.cuh.
#[repr(C)]
#[derive(Clone, Copy)]
pub(super) struct Arguments<const PASSES: usize = 1> {
    pub bindings: [u64; BINDINGS],
    /// Address of the ticket counter, which chained workgroups draw from and cooperative ones meet
    /// at, and its value before the launch.
    pub turns: u64,
    pub taken: u32,
    /// First workgroup of a chain.
    pub first: u32,
    pub passes: u32,
    pub params: [[u32; PARAMS]; PASSES],
    /// Workgroups of each pass of a cooperative launch.
    pub workgroups: [u32; PASSES],
    /// Words of each binding, for generated kernels. The maximum stands for more words, which
    /// indices of 32 bits do not reach.
    pub words: [u32; BINDINGS],
}

impl Arguments {
    pub(super) fn new(
        bindings: impl IntoIterator<Item = (u32, Bound)>,
        params: [u32; PARAMS],
    ) -> Self {
        let mut by_number = [Bound::default(); BINDINGS];
        bindings
            .into_iter()
            .for_each(|(number, bound)| by_number[number as usize] = bound);
        Self {
            bindings: by_number.map(|bound| bound.address),
            turns: 0,
            taken: 0,
            first: 0,
            passes: 1,
            workgroups: [0],
            params: [params],
            words: by_number.map(|bound| u32::try_from(bound.words).unwrap_or(u32::MAX)),
        }
    }

    /// Returns the arguments with the same bindings for several passes in one launch.
    pub(super) fn of_many(&self, passes: &[Pass]) -> Arguments<MAX_LAUNCH_PASSES> {
        let (mut workgroups, mut params) =
            ([0; MAX_LAUNCH_PASSES], [[0; PARAMS]; MAX_LAUNCH_PASSES]);
        for (index, pass) in passes.iter().enumerate() {
            (workgroups[index], params[index]) = (workgroups_of(pass), pass.params);
        }
        let passes = passes.len() as u32;
        Arguments {
            bindings: self.bindings,
            turns: 0,
            taken: 0,
            first: 0,
            passes,
            workgroups,
            params,
            words: self.words,
        }
    }
}

pub(super) fn workgroups_of(pass: &Pass) -> u32 {
    pass.groups
        .iter()
        .fold(1, |all, &groups| all.saturating_mul(groups))
}
