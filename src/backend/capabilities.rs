//! Capabilities of a device.

/// Capabilities that planners see. They do not reveal the backend.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Capabilities {
    /// Maximum size of a binding, in bytes.
    pub binding_bytes: u64,
    /// Maximum size of a buffer, in bytes.
    pub buffer_bytes: u64,
    /// Maximum size of a buffer of a plan, in bytes. It fits one binding.
    pub chunk_bytes: u64,
    /// Approximate bytes that plans read back at once.
    pub readback_bytes: u64,
    /// Maximum buffers per kernel.
    pub bindings: u32,
    /// Maximum workgroups per dimension of a dispatch.
    pub groups_per_dimension: u32,
    /// Workgroup memory, in bytes.
    pub workgroup_bytes: u32,
    /// Maximum lanes per workgroup.
    pub workgroup_lanes: u32,
    /// Lanes of a subgroup, if the size is fixed.
    pub subgroup: Option<u32>,
    /// Number of multiprocessors or compute units, if known.
    pub compute_units: Option<u32>,
    /// Maximum clock of the compute units, if known.
    pub clock_hz: Option<u64>,
    /// Peak bandwidth of the device's memory, if known.
    pub memory_bytes_per_second: Option<u64>,
    /// Workgroup memory of a compute unit, in bytes, if known.
    pub unit_workgroup_bytes: Option<u32>,
    /// Number of host threads that compute, for a software adapter.
    pub host_threads: Option<u32>,
    /// Bytes of device-local memory, if known.
    pub memory_bytes: Option<u64>,
    /// Shaders may use 64-bit integers.
    pub int64: bool,
    /// Shaders may use double precision.
    pub float64: bool,
    /// True if double precision is known to be at least half as fast as single precision.
    pub fast_float64: bool,
    /// True if bounds and loops of kernels can be checked, as a caller's shaders and inputs
    /// require.
    pub checks: bool,
    /// True if started workgroups make progress, so that later workgroups of a dispatch may wait
    /// for their writes.
    pub forward_progress: bool,
    /// True if additions have a carry flag.
    pub carry_flag: bool,
    /// True if kernels of any shape can be compiled; otherwise plans use only embedded kernels.
    pub compiles: bool,
}

/// Remedy for a kernel that is not embedded on a device that compiles none.
pub(crate) const NOT_EMBEDDED: &str = "leave the choice to the planner, install the device's compiler (NVRTC for CUDA), or choose another device";

impl Default for Capabilities {
    /// The minimum that every WebGPU device has.
    fn default() -> Self {
        Self {
            binding_bytes: 128 << 20,
            buffer_bytes: 256 << 20,
            chunk_bytes: 128 << 20,
            readback_bytes: 16 << 20,
            bindings: 8,
            groups_per_dimension: 65_535,
            workgroup_bytes: 16 << 10,
            workgroup_lanes: 256,
            subgroup: None,
            compute_units: None,
            clock_hz: None,
            memory_bytes_per_second: None,
            unit_workgroup_bytes: None,
            host_threads: None,
            memory_bytes: None,
            int64: false,
            float64: false,
            fast_float64: false,
            checks: true,
            forward_progress: false,
            carry_flag: false,
            compiles: true,
        }
    }
}
