//! A dispatch and its parameters.

/// Number of 32-bit parameters of a pass.
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
    /// Parameters of the kernel.
    pub params: [u32; PARAMS],
    /// DP cells of the pass: the unit of progress and of slicing.
    pub cells: u64,
}

/// Pads the parameters that a kernel declares with zeros.
pub fn params<const N: usize>(words: [u32; N]) -> [u32; PARAMS] {
    let mut params = [0; PARAMS];
    params[..N].copy_from_slice(&words);
    params
}
