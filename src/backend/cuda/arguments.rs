//! What a kernel is called with.

use crate::plan::PARAMS;

/// Bindings of a kernel at the most.
const BINDINGS: usize = 8;

/// What a kernel is called with: `struct Arguments` in prelude.cu, for so many passes.
#[repr(C)]
#[derive(Clone, Copy)]
pub(super) struct Arguments<const PASSES: usize = 1> {
    pub bindings: [u64; BINDINGS],
    /// Of a chain: where its workgroups take turns, and how many were taken before.
    pub turns: u64,
    pub taken: u32,
    /// Of a chain: its first workgroup.
    pub first: u32,
    pub passes: u32,
    pub params: [[u32; PARAMS]; PASSES],
}

impl Arguments {
    /// Addresses of buffers by the numbers of their bindings.
    pub fn new(bindings: impl IntoIterator<Item = (u32, u64)>, params: [u32; PARAMS]) -> Self {
        let mut by_number = [0; BINDINGS];
        bindings.into_iter().for_each(|(number, address)| by_number[number as usize] = address);
        Self { bindings: by_number, turns: 0, taken: 0, first: 0, passes: 1, params: [params] }
    }
}
