//! Engines and their options.

use std::ffi::c_char;

use swath::DeviceChoice;

use crate::arguments::{Output, extensible, options, text};
use crate::status::{Result, Status, freed, guarded};

/// Version of the functions and structs of this header. It changes when a program has to be
/// compiled anew.
pub const SWATH_ABI_VERSION: u32 = 1;

/// Devices, threads and memory that calls use. Any number of threads may use one engine at the same
/// time. A job keeps the engine that it runs on.
pub struct Engine(pub swath::Engine);

/// Options of `swath_engine_new`. Zeros are the defaults.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct EngineOptions {
    /// `sizeof(swath_engine_options)`.
    pub size: usize,
    /// "auto" (the default), "cpu", "vulkan:0", "cuda:0" or another selector of `swath_device`, a
    /// part of a device's name, or several of these with commas between them.
    pub device: *const c_char,
    /// Limit of device memory in bytes; 0 for three quarters of the device's.
    pub device_memory: u64,
    /// Limit of stored tables in host memory in bytes; 0 for at most 4 GiB.
    pub host_memory: u64,
    /// Number of CPU threads, up to 1024; 0 for all processors.
    pub threads: u32,
    /// Time limit of one submission to a GPU in milliseconds; 0 for 60. A smaller one keeps a
    /// desktop that draws with the same GPU responsive.
    pub slice_ms: u32,
}

extensible!(EngineOptions, "swath_engine_options");

/// Version of the functions that the library has, to compare with `SWATH_ABI_VERSION`.
///
///     if (swath_abi_version() != SWATH_ABI_VERSION)
///         fprintf(stderr, "swath.h and libswath do not belong together\n");
#[unsafe(no_mangle)]
pub extern "C" fn swath_abi_version() -> u32 {
    SWATH_ABI_VERSION
}

/// Version of the library as text.
///
///     printf("swath %s\n", swath_version());
#[unsafe(no_mangle)]
pub extern "C" fn swath_version() -> *const c_char {
    concat!(env!("CARGO_PKG_VERSION"), "\0").as_ptr().cast()
}

/// Creates an engine. A device named in the options is opened here. With "auto" it is opened by the
/// first call that is expected to be faster there, and never if none is; then this takes
/// microseconds. `options` may be null. A device of the application itself (its Vulkan, Metal or
/// Direct3D device) can be used from Rust only.
///
///     swath_engine_options options = {.size = sizeof options};
///     options.device = "cpu";
///     if (swath_engine_new(&options, &engine) != SWATH_OK)
///         fprintf(stderr, "%s\n", swath_error_message());
#[unsafe(no_mangle)]
pub unsafe extern "C" fn swath_engine_new(
    options: *const EngineOptions,
    engine: *mut *mut Engine,
) -> Status {
    guarded(|| {
        // SAFETY: the header says what the pointers have to be.
        let (output, options) = unsafe { (Output::of(engine, "engine")?, read(options)?) };
        output.give(Engine(swath::Engine::new(options)?));
        Ok(())
    })
}

/// # Safety
/// As for [`options`], and for the texts in them.
unsafe fn read(given: *const EngineOptions) -> Result<swath::Options> {
    // SAFETY: as for this function.
    let (given, device) = unsafe {
        let given = options(given, "options")?;
        (given, text(given.device, "options.device")?)
    };
    let mut options = swath::Options::new();
    if let Some(device) = device {
        let device: Result<DeviceChoice, _> = device.parse();
        options = options.device(device.unwrap_or_else(|error| match error {}));
    }
    options.device_memory = Some(given.device_memory).filter(|&bytes| bytes > 0);
    options.host_memory = Some(given.host_memory).filter(|&bytes| bytes > 0);
    options.threads = Some(given.threads as usize).filter(|&threads| threads > 0);
    options.slice_ms = Some(given.slice_ms).filter(|&time| time > 0);
    Ok(options)
}

/// Frees an engine. Null is ignored. Jobs that were started on it go on.
///
///     swath_engine_free(engine);
///     engine = NULL;
#[unsafe(no_mangle)]
pub unsafe extern "C" fn swath_engine_free(engine: *mut Engine) {
    // SAFETY: the header says that a handle is freed once.
    unsafe { freed(engine) }
}
