//! What a device can do.

/// What a planner may ask about a device; never which backend it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Capabilities {
    /// Largest binding, in bytes.
    pub binding_bytes: u64,
    /// Largest buffer, in bytes.
    pub buffer_bytes: u64,
    /// Largest buffer that plans make, in bytes: a whole one fits one binding.
    pub chunk_bytes: u64,
    /// Bytes that plans read back at once, about.
    pub readback_bytes: u64,
    /// Buffers that a kernel may bind.
    pub bindings: u32,
    /// Workgroups in one dimension of a dispatch.
    pub groups_per_dimension: u32,
    /// Workgroup memory, in bytes.
    pub workgroup_bytes: u32,
    /// Lanes of the largest workgroup.
    pub workgroup_lanes: u32,
    /// Lanes of a subgroup, where the device can run them at one fixed size only.
    pub subgroup: Option<u32>,
    /// Multiprocessors or compute units, where the driver says.
    pub compute_units: Option<u32>,
    /// Greatest clock of the compute units, where the driver says.
    pub clock_hz: Option<u64>,
    /// Greatest bandwidth of the device's memory, where the driver says.
    pub memory_bytes_per_second: Option<u64>,
    /// Workgroup memory of a compute unit, in bytes, where the driver says.
    pub unit_workgroup_bytes: Option<u32>,
    /// Threads of the host that compute in its stead: a software adapter.
    pub host_threads: Option<u32>,
    /// Bytes of device-local memory, where the driver says.
    pub memory_bytes: Option<u64>,
    /// 64-bit integers in shaders.
    pub int64: bool,
    /// Double precision in shaders.
    pub float64: bool,
    /// Whether double precision is known to be at least half as fast as single precision.
    pub fast_float64: bool,
    /// Whether bounds and loops of kernels can be checked, as a caller's texts and inputs need it.
    pub checks: bool,
    /// Whether workgroups that have begun go on, so that later ones of a dispatch may wait for what they write.
    pub forward_progress: bool,
    /// Whether additions hand their carry on in a flag.
    pub carry_flag: bool,
    /// Whether kernels of any shape can be compiled; else plans keep to those that are embedded.
    pub compiles: bool,
}

/// What there is to do where a kernel is none of those that are embedded, and the device compiles no others.
pub(crate) const NOT_EMBEDDED: &str = "leave the choice to the planner, install the device's compiler (NVRTC for CUDA), or choose another device";

impl Default for Capabilities {
    /// What every WebGPU device has.
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
