//! Arguments of a kernel.

use super::source::MAX_LAUNCH_PASSES;
use crate::plan::{PARAMS, Pass};

/// Maximum bindings of a kernel.
const BINDINGS: usize = 8;

/// Arguments of a kernel for `PASSES` passes; `struct Arguments` in prelude.cu.
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
}

impl Arguments {
    /// Creates the arguments of one pass from pairs of a binding number and an address.
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

    /// Returns the arguments with the same bindings for several passes in one launch.
    pub(super) fn of_many(&self, passes: &[Pass]) -> Arguments<MAX_LAUNCH_PASSES> {
        let (mut workgroups, mut params) =
            ([0; MAX_LAUNCH_PASSES], [[0; PARAMS]; MAX_LAUNCH_PASSES]);
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

pub(super) fn workgroups_of(pass: &Pass) -> u32 {
    pass.groups
        .iter()
        .fold(1, |all, &groups| all.saturating_mul(groups))
}
