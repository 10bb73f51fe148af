//! A dispatch and its parameters.

/// Words of parameters that a pass hands to its kernel.
pub const PARAMS: usize = 12;

/// One dispatch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pass {
    /// Index in [`Plan::kernels`](super::Plan::kernels).
    pub kernel: usize,
    /// Index in [`Plan::bindings`](super::Plan::bindings).
    pub bindings: usize,
    /// Workgroups in x, y and z.
    pub groups: [u32; 3],
    /// The kernel's parameters.
    pub params: [u32; PARAMS],
    /// DP cells that it computes: the unit of progress and of slicing.
    pub cells: u64,
}

/// Parameters from the words a kernel declares; the rest is zero.
pub fn params<const N: usize>(words: [u32; N]) -> [u32; PARAMS] {
    let mut params = [0; PARAMS];
    params[..N].copy_from_slice(&words);
    params
}
