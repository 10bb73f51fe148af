//! Options of an engine.

use crate::backend::DeviceChoice;
use crate::error::{Error, Result};

/// Upper limit of [`Options::threads`].
pub const MOST_THREADS: usize = 1024;

/// Options of [`Engine::new`](crate::Engine::new).
///
/// All fields have defaults. A value out of its range is [`Error::OutOfRange`] when an engine is
/// created.
///
/// ```
/// let options = swath::Options::new().device("cpu".parse()?).threads(2);
/// assert_eq!(options.threads, Some(2));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Options {
    /// Device that runs the tasks; [`DeviceChoice::Auto`] by default.
    pub device: DeviceChoice,
    /// Budget for device memory in bytes. Default: three quarters of the memory that the device
    /// reports, or 1 GiB if it reports none.
    ///
    /// The plan of a call without concurrent calls may use all of it. Concurrent calls leave room
    /// for auxiliary buffers: at most 1 MiB of parameters per call on devices without immediates.
    /// Buffers kept for later calls are freed when a plan needs their memory. Staging buffers are
    /// host memory and do not count.
    pub device_memory: Option<u64>,
    /// Budget for stored boundaries in host memory, in bytes;
    /// [`default_host_memory`](crate::default_host_memory) by default.
    pub host_memory: Option<u64>,
    /// Number of CPU threads, from 1 to [`MOST_THREADS`]; all processors by default.
    pub threads: Option<usize>,
    /// Time limit of one GPU submission in milliseconds, at least 1. Default: 60, or 8 on a device
    /// of the application ([`Engine::on`](crate::Engine::on)).
    ///
    /// The first submissions of a kernel are small enough for a slow GPU. Later ones follow the
    /// measured throughput and take less than twice this limit. Longer passes are split. Exception:
    /// on a slow GPU (5 x 10^11 cells per second) unsplittable passes of parenthesizations take
    /// more than 120 ms from 8,000 leaves on with a thread per subproblem, from 22,000 on with the
    /// adaptive mapping, and from 110,000 on in tiles.
    pub slice_ms: Option<u32>,
    /// Runs shaders with bounds checks and loop bounds. Slow; for tests and fuzzing. CUDA kernels
    /// have no checks: there buffers are filled with an invalid pattern instead.
    pub checked: bool,
    /// Uses only features of every WebGPU device: no immediates, subgroups or 64-bit integers. For
    /// tests.
    pub portable: bool,
}

impl Options {
    /// Default options: the engine chooses the device.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets [`device`](Self::device).
    pub fn device(mut self, device: DeviceChoice) -> Self {
        self.device = device;
        self
    }

    /// Sets [`device`](Self::device) to several, each chosen by its own selection. Long calls of
    /// [`Pairs`](crate::Pairs), [`Neighbors`](crate::Neighbors) and [`Search`](crate::Search) are
    /// divided among them; another call takes the one with the fewest calls at its start.
    ///
    /// ```
    /// # use swath::{DeviceChoice, Options};
    /// let gpus = ["cuda:0".parse()?, "cuda:1".parse()?];
    /// assert_eq!(Options::new().devices(gpus).device, "cuda:0,cuda:1".parse()?);
    /// # Ok::<(), std::convert::Infallible>(())
    /// ```
    pub fn devices(mut self, devices: impl IntoIterator<Item = DeviceChoice>) -> Self {
        self.device = DeviceChoice::Several(devices.into_iter().collect());
        self
    }

    /// Sets [`device_memory`](Self::device_memory), in bytes.
    pub fn device_memory(mut self, bytes: u64) -> Self {
        self.device_memory = Some(bytes);
        self
    }

    /// Sets [`host_memory`](Self::host_memory), in bytes.
    pub fn host_memory(mut self, bytes: u64) -> Self {
        self.host_memory = Some(bytes);
        self
    }

    /// Sets the number of CPU [`threads`](Self::threads).
    pub fn threads(mut self, threads: usize) -> Self {
        self.threads = Some(threads);
        self
    }

    /// Sets the time limit [`slice_ms`](Self::slice_ms), in milliseconds.
    pub fn slice_ms(mut self, milliseconds: u32) -> Self {
        self.slice_ms = Some(milliseconds);
        self
    }

    /// Sets [`checked`](Self::checked).
    pub fn checked(mut self, checked: bool) -> Self {
        self.checked = checked;
        self
    }

    /// Sets [`portable`](Self::portable).
    pub fn portable(mut self, portable: bool) -> Self {
        self.portable = portable;
        self
    }

    /// Validates the ranges.
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
