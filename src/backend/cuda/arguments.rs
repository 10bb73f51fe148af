//! What a kernel is called with.

use super::source::MOST_PASSES;
use crate::plan::{PARAMS, Pass};

/// Bindings of a kernel at the most.
const BINDINGS: usize = 8;

/// What a kernel is called with: `struct Arguments` in prelude.cu, for so many passes.
#[repr(C)]
#[derive(Clone, Copy)]
pub(super) struct Arguments<const PASSES: usize = 1> {
    pub bindings: [u64; BINDINGS],
    /// Where workgroups of a chain take turns, or those in step meet, and how many have done so before.
    pub turns: u64,
    pub taken: u32,
    /// Of a chain: its first workgroup.
    pub first: u32,
    pub passes: u32,
    pub params: [[u32; PARAMS]; PASSES],
    /// In step: of each pass.
    pub workgroups: [u32; PASSES],
}

impl Arguments {
    /// Addresses of buffers by the numbers of their bindings.
    pub(super) fn new(
        bindings: impl IntoIterator<Item = (u32, u64)>,
        params: [u32; PARAMS],
    ) -> Self {
        let mut by_number = [0; BINDINGS];
        bindings
            .into_iter()
            .for_each(|(number, address)| by_number[number as usize] = address);
        Self {
            bindings: by_number,
            turns: 0,
            taken: 0,
            first: 0,
            passes: 1,
            workgroups: [0],
            params: [params],
        }
    }

    /// The same bindings for passes that are run in one launch.
    pub(super) fn of_many(&self, passes: &[Pass]) -> Arguments<MOST_PASSES> {
        let (mut workgroups, mut params) = ([0; MOST_PASSES], [[0; PARAMS]; MOST_PASSES]);
        for (place, pass) in passes.iter().enumerate() {
            (workgroups[place], params[place]) = (workgroups_of(pass), pass.params);
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
        }
    }
}

/// Workgroups of a pass.
pub(super) fn workgroups_of(pass: &Pass) -> u32 {
    pass.groups
        .iter()
        .fold(1, |all, &groups| all.saturating_mul(groups))
}
