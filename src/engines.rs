//! Engines, made with what a device is asked: an engine itself knows no problem.

use crate::backend::Backend;
#[cfg(feature = "gpu")]
use crate::backend::wgpu::HostDevice;
use crate::engine::{Engine, Options};
use crate::error::Result;
use crate::known::PROBE;

impl Engine {
    /// Opens the device that `options` name; with [`DeviceChoice::Auto`](crate::DeviceChoice::Auto) it is opened by the first call that is
    /// worth it.
    ///
    /// # Errors
    /// [`Error::UnknownDevice`](crate::Error::UnknownDevice) and [`Error::DeviceUnavailable`](crate::Error::DeviceUnavailable);
    /// [`Error::UnknownKernel`](crate::Error::UnknownKernel) where the environment forces kernels that are not here;
    /// [`Error::OutOfRange`](crate::Error::OutOfRange) where an option asks for nothing there is.
    pub fn new(options: Options) -> Result<Self> {
        Self::made(options, PROBE)
    }

    /// An engine on a device that an application has made and goes on using. Everything is computed there, as if
    /// [`Options::device`] named it, by [`slices`](Options::slice_ms) of 8 ms where the options say nothing else.
    ///
    /// Once the device is lost every call ends with [`Error::DeviceLost`](crate::Error::DeviceLost): the application has to make a new
    /// engine.
    ///
    /// # Errors
    /// [`Error::DeviceUnavailable`](crate::Error::DeviceUnavailable) with what the device lacks;
    /// [`Error::UnknownKernel`](crate::Error::UnknownKernel) and [`Error::OutOfRange`](crate::Error::OutOfRange) as
    /// [`new`](Self::new).
    #[cfg(feature = "gpu")]
    pub fn on(host: HostDevice, options: Options) -> Result<Self> {
        Self::of_host(host, options, PROBE)
    }

    /// An engine on a device that is open, as if [`Options::device`] named it.
    #[doc(hidden)]
    pub fn on_backend(gpu: std::sync::Arc<dyn Backend>, options: Options) -> Result<Self> {
        Self::of(gpu, options, PROBE)
    }
}
