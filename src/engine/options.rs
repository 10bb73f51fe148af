//! What an engine is made with.

use crate::backend::DeviceChoice;
use crate::error::{Error, Result};

/// Most CPU threads that an engine starts.
///
/// [`Options::threads`] names fewer.
pub const MOST_THREADS: usize = 1024;

/// What [`Engine::new`](crate::Engine::new) takes.
///
/// ```
/// let options = swath::Options::new().device("cpu".parse()?).threads(2);
/// assert_eq!(options.threads, Some(2));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Options {
    /// Which device answers; [`DeviceChoice::Auto`] by default.
    pub device: DeviceChoice,
    /// The most bytes to hold in device memory; by default three quarters of what the device reports, or 1 GiB where it
    /// reports nothing. A call that is alone has all of it for its plan; calls that share the device leave room for what each holds
    /// beside: a stamp, and parameters of a mebibyte at the most where the device has no immediates. Buffers that are kept for later
    /// calls are given back when a plan needs their room. Staging memory is the host's.
    pub device_memory: Option<u64>,
    /// The most bytes to hold in host memory for stored boundaries; 4 GiB by default.
    pub host_memory: Option<u64>,
    /// CPU threads; all of them by default. From 1 to [`MOST_THREADS`]; others are [`Error::OutOfRange`] when an engine is made.
    pub threads: Option<usize>,
    /// Longest time one submission should hold the GPU, in milliseconds; 60 by default, and 8 where an application draws
    /// on the same device. From 1 on; 0 is [`Error::OutOfRange`] when an engine is made.
    ///
    /// The first submissions of a kernel are small enough for a slow GPU, later ones follow the measured throughput and take less than
    /// twice this time. Longer passes are split, with one exception: on a slow GPU (5 x 10^11 cells a second) single passes of
    /// parenthesizations take more than 120 ms from 8,000 leaves on by a thread per subproblem, from 22,000 on by the adaptive mapping,
    /// and from 110,000 on in tiles.
    pub slice_ms: Option<u32>,
    /// Run the shaders with bounds checks and loop bounds on. Slow; for tests and fuzzing. CUDA kernels have no such checks; there
    /// buffers only begin with words that no state has.
    pub checked: bool,
    /// Use nothing of the device beyond what every WebGPU device has: no immediates, no subgroups, no 64-bit integers. For tests.
    pub portable: bool,
}

impl Options {
    /// The defaults: the engine chooses the device.
    pub fn new() -> Self {
        Self::default()
    }

    /// Answers on this device.
    pub fn device(mut self, device: DeviceChoice) -> Self {
        self.device = device;
        self
    }

    /// Holds at most so many bytes in device memory.
    pub fn device_memory(mut self, bytes: u64) -> Self {
        self.device_memory = Some(bytes);
        self
    }

    /// Holds at most so many bytes in host memory.
    pub fn host_memory(mut self, bytes: u64) -> Self {
        self.host_memory = Some(bytes);
        self
    }

    /// Computes on so many CPU threads, at least 1.
    pub fn threads(mut self, threads: usize) -> Self {
        self.threads = Some(threads);
        self
    }

    /// Holds the GPU for so many milliseconds a submission at most, at least 1.
    pub fn slice_ms(mut self, milliseconds: u32) -> Self {
        self.slice_ms = Some(milliseconds);
        self
    }

    /// Runs shaders with their checks on.
    pub fn checked(mut self, checked: bool) -> Self {
        self.checked = checked;
        self
    }

    /// Uses nothing of the device beyond what every WebGPU device has.
    pub fn portable(mut self, portable: bool) -> Self {
        self.portable = portable;
        self
    }

    /// Refuses what asks for nothing there is.
    pub(super) fn check(&self) -> Result<()> {
        let refused = |what, given: u64, allowed: String| {
            Err(Error::OutOfRange {
                what,
                given,
                allowed,
            })
        };
        match (self.threads, self.slice_ms) {
            (Some(threads), _) if threads == 0 || threads > MOST_THREADS => refused(
                "the number of CPU threads",
                threads as u64,
                format!("1 to {MOST_THREADS}"),
            ),
            (_, Some(0)) => refused(
                "the time of a slice in milliseconds",
                0,
                "1 or more".to_string(),
            ),
            _ => Ok(()),
        }
    }
}
