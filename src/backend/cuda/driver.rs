//! Wrapper of the CUDA driver API. A handle is destroyed on drop and keeps its context alive until
//! then.

use std::ffi::{CStr, c_uint, c_void};
use std::ptr::null_mut;
use std::sync::{Arc, LazyLock};
use std::time::Duration;

pub(super) use cudarc::driver::sys::CUdevice_attribute as Attribute;
use cudarc::driver::sys::{self, CUresult};

/// Functions looked up in the driver; old drivers lack some of them.
const SYMBOLS: [&str; 36] = [
    "cuInit",
    "cuDriverGetVersion",
    "cuDeviceGet",
    "cuDeviceGetCount",
    "cuDeviceGetName",
    "cuDeviceGetAttribute",
    "cuDeviceTotalMem_v2",
    "cuGetErrorString",
    "cuCtxCreate_v2",
    "cuCtxDestroy_v2",
    "cuCtxPushCurrent_v2",
    "cuCtxPopCurrent_v2",
    "cuCtxGetDevice",
    "cuMemAlloc_v2",
    "cuMemFree_v2",
    "cuMemHostAlloc",
    "cuMemFreeHost",
    "cuMemsetD32Async",
    "cuMemcpyHtoDAsync_v2",
    "cuMemcpyDtoHAsync_v2",
    "cuStreamCreate",
    "cuStreamDestroy_v2",
    "cuStreamSynchronize",
    "cuStreamWaitEvent",
    "cuEventCreate",
    "cuEventDestroy_v2",
    "cuEventElapsedTime",
    "cuEventQuery",
    "cuEventRecord",
    "cuEventSynchronize",
    "cuModuleLoadData",
    "cuModuleGetFunction",
    "cuModuleUnload",
    "cuOccupancyMaxActiveBlocksPerMultiprocessor",
    "cuLaunchKernel",
    "cuLaunchCooperativeKernel",
];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Failure {
    result: CUresult,
    missing_memory: Option<MissingMemory>,
}

/// Memory that the driver failed to allocate, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum MissingMemory {
    Device(u64),
    Host(u64),
}

pub(super) type Result<T, E = Failure> = std::result::Result<T, E>;

impl Failure {
    /// The memory that could not be allocated, if that is the only failure.
    pub(super) fn missing_memory(self) -> Option<MissingMemory> {
        self.missing_memory
    }

    fn with_missing(self, memory: MissingMemory) -> Self {
        let missing_memory = (self.result == CUresult::CUDA_ERROR_OUT_OF_MEMORY).then_some(memory);
        Self {
            missing_memory,
            ..self
        }
    }
}

impl std::fmt::Display for Failure {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut text = std::ptr::null();
        // SAFETY: the driver is here, since it has answered; its texts live as long as it.
        let text = unsafe {
            match sys::cuGetErrorString(self.result, &mut text) {
                CUresult::CUDA_SUCCESS if !text.is_null() => CStr::from_ptr(text).to_string_lossy(),
                _ => "unknown error".into(),
            }
        };
        write!(formatter, "{:?}: {text}", self.result)
    }
}

fn check(result: CUresult) -> Result<()> {
    if result == CUresult::CUDA_SUCCESS {
        Ok(())
    } else {
        Err(Failure {
            result,
            missing_memory: None,
        })
    }
}

macro_rules! call {
    ($function:ident($($argument:expr),* $(,)?)) => {
        check(unsafe { sys::$function($($argument),*) })
    };
}

/// Reason why the driver's library cannot be used, if any. Looked up once, without initialising the
/// driver.
pub(super) fn absent() -> Option<&'static str> {
    static ABSENT: LazyLock<Option<String>> = LazyLock::new(|| {
        let mut files = ["cuda", "nvcuda"]
            .into_iter()
            .flat_map(cudarc::get_lib_name_candidates);
        // Without the library no other function may be called: the binding panics. It is never
        // unloaded.
        // SAFETY: opening a library of NVIDIA's runs its initialisers and nothing else.
        if !files.any(|file| {
            unsafe { libloading::Library::new(file) }
                .map(std::mem::forget)
                .is_ok()
        }) {
            return Some("the CUDA driver is not installed".to_string());
        }
        // SAFETY: the symbols are only looked for.
        let has_symbol =
            |symbol: &str| unsafe { sys::culib().get::<*const c_void>(symbol.as_bytes()).is_ok() };
        let missing = SYMBOLS.into_iter().find(|symbol| !has_symbol(symbol))?;
        Some(format!("the CUDA driver is too old: it has no {missing}"))
    });
    ABSENT.as_deref()
}

/// Reason why the driver cannot be used, if any. Determined once.
pub(super) fn missing() -> Option<&'static str> {
    static REFUSED: LazyLock<Option<String>> = LazyLock::new(|| {
        // SAFETY: no arguments but flags that have to be 0.
        let starts = call!(cuInit(0)).and_then(|()| devices());
        starts
            .err()
            .map(|failure| format!("the CUDA driver does not start: {failure}"))
    });
    absent().or_else(|| REFUSED.as_deref())
}

/// Maximum CUDA version that the driver supports: 12,080 for 12.8.
pub(super) fn version() -> Result<u32> {
    let mut version = 0;
    // SAFETY: writes one number.
    call!(cuDriverGetVersion(&mut version))?;
    Ok(version.unsigned_abs())
}

pub(super) fn devices() -> Result<u32> {
    let mut count = 0;
    // SAFETY: writes one number.
    call!(cuDeviceGetCount(&mut count))?;
    Ok(count.unsigned_abs())
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Device(sys::CUdevice);

impl Device {
    pub(super) fn new(ordinal: u32) -> Result<Self> {
        let mut device = 0;
        // SAFETY: writes one number.
        call!(cuDeviceGet(&mut device, ordinal as i32))?;
        Ok(Self(device))
    }

    pub(super) fn name(self) -> Result<String> {
        let mut name = [0u8; 256];
        // SAFETY: the driver writes at most as many bytes as it is told, the last of them 0.
        call!(cuDeviceGetName(
            name.as_mut_ptr().cast(),
            name.len() as i32,
            self.0
        ))?;
        let end = name
            .iter()
            .position(|&byte| byte == 0)
            .unwrap_or(name.len());
        Ok(String::from_utf8_lossy(&name[..end]).into_owned())
    }

    pub(super) fn memory_bytes(self) -> Result<u64> {
        let mut bytes = 0;
        // SAFETY: writes one number.
        call!(cuDeviceTotalMem_v2(&mut bytes, self.0))?;
        Ok(bytes as u64)
    }

    pub(super) fn attribute(self, attribute: Attribute) -> Result<u32> {
        let mut value = 0;
        // SAFETY: writes one number.
        call!(cuDeviceGetAttribute(&mut value, attribute, self.0))?;
        Ok(value.unsigned_abs())
    }
}

/// A separate context: a fault in it affects no other.
#[derive(Debug)]
pub(super) struct Context(sys::CUcontext);

// SAFETY: the driver lets any thread use a context.
unsafe impl Send for Context {}
// SAFETY: as above.
unsafe impl Sync for Context {}

impl Context {
    pub(super) fn new(device: Device) -> Result<Arc<Self>> {
        let mut context = null_mut();
        // SAFETY: writes the handle; making a context makes it current, which is taken back.
        call!(cuCtxCreate_v2(&mut context, 0, device.0))?;
        drop(CurrentContext);
        Ok(Arc::new(Self(context)))
    }

    /// Maximum workgroups of a cooperative launch of `function`; 0 if the device does not support
    /// it.
    pub(super) fn groups_at_once(&self, function: Function, lanes: u32) -> Result<u32> {
        let mut device = 0;
        // SAFETY: writes one number; the context lives.
        let _entered = self.enter()?;
        call!(cuCtxGetDevice(&mut device))?;
        let device = Device(device);
        if device.attribute(Attribute::CU_DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH)? == 0 {
            return Ok(0);
        }
        let mut of_unit = 0;
        // SAFETY: writes one number.
        call!(cuOccupancyMaxActiveBlocksPerMultiprocessor(
            &mut of_unit,
            function.0,
            lanes as i32,
            0
        ))?;
        let units = device.attribute(Attribute::CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT)?;
        Ok(of_unit.unsigned_abs() * units)
    }

    /// Makes the context current on this thread until the guard is dropped.
    pub(super) fn enter(&self) -> Result<CurrentContext> {
        // SAFETY: the context lives.
        call!(cuCtxPushCurrent_v2(self.0))?;
        Ok(CurrentContext)
    }
}

impl Drop for Context {
    fn drop(&mut self) {
        // SAFETY: nothing uses it any more. A failure changes nothing for anybody.
        let _ = call!(cuCtxDestroy_v2(self.0));
    }
}

/// Guard: pops the current context of this thread on drop.
pub(super) struct CurrentContext;

impl Drop for CurrentContext {
    fn drop(&mut self) {
        let mut context = null_mut();
        // SAFETY: takes back what was pushed on this thread.
        let _ = call!(cuCtxPopCurrent_v2(&mut context));
    }
}

/// Defines a handle that keeps its context alive.
macro_rules! handle {
    ($(#[$doc:meta])* $name:ident, $raw:ty, $destroy:ident) => {
        $(#[$doc])*
        #[derive(Debug)]
        pub(super) struct $name {
            raw: $raw,
            context: Arc<Context>,
        }

        impl $name {
            /// Makes a handle in the context; `create` writes it.
            fn make(
                context: &Arc<Context>,
                mut raw: $raw,
                create: impl FnOnce(&mut $raw) -> Result<()>,
            ) -> Result<Self> {
                let _entered = context.enter()?;
                create(&mut raw)?;
                Ok(Self {
                    raw,
                    context: context.clone(),
                })
            }
        }

        // SAFETY: the driver lets any thread use a handle.
        unsafe impl Send for $name {}
        // SAFETY: as above.
        unsafe impl Sync for $name {}

        impl Drop for $name {
            fn drop(&mut self) {
                if let Ok(_entered) = self.context.enter() {
                    // SAFETY: the host no longer uses it. The driver keeps streams and events until
                    // their work is done, and frees device memory after all work started in the
                    // context. Modules and host memory are dropped only after waiting for their
                    // work, unless the context has failed, which runs nothing then. A failure is
                    // reported elsewhere.
                    let _ = call!($destroy(self.raw));
                }
            }
        }
    };
}

handle!(Stream, sys::CUstream, cuStreamDestroy_v2);
handle!(Event, sys::CUevent, cuEventDestroy_v2);
handle!(Module, sys::CUmodule, cuModuleUnload);
handle!(DeviceMemory, sys::CUdeviceptr, cuMemFree_v2);
handle!(HostMemory, *mut c_void, cuMemFreeHost);

impl Stream {
    pub(super) fn new(context: &Arc<Context>) -> Result<Self> {
        let flags = sys::CUstream_flags::CU_STREAM_NON_BLOCKING as c_uint;
        // SAFETY: writes the handle.
        Self::make(context, null_mut(), |raw| call!(cuStreamCreate(raw, flags)))
    }

    pub(super) fn context(&self) -> &Arc<Context> {
        &self.context
    }

    pub(super) fn wait_for(&self, event: &Event) -> Result<()> {
        // SAFETY: both handles live.
        call!(cuStreamWaitEvent(self.raw, event.raw, 0))
    }

    pub(super) fn wait_until_done(&self) -> Result<()> {
        let _entered = self.context.enter()?;
        // SAFETY: the handle lives.
        call!(cuStreamSynchronize(self.raw))
    }

    /// Fills `words` words of `memory` with `word`.
    ///
    /// # Safety
    /// The memory has that many words.
    pub(super) unsafe fn fill(&self, memory: &DeviceMemory, word: u32, words: u64) -> Result<()> {
        call!(cuMemsetD32Async(memory.raw, word, words as usize, self.raw))
    }

    /// Copies `words` to byte `offset` of `memory`.
    ///
    /// # Safety
    /// Both ranges exist, and the host's words do not change until the copy is done.
    pub(super) unsafe fn upload(
        &self,
        memory: &DeviceMemory,
        offset: u64,
        words: &[u32],
    ) -> Result<()> {
        call!(cuMemcpyHtoDAsync_v2(
            memory.raw + offset,
            words.as_ptr().cast(),
            size_of_val(words),
            self.raw
        ))
    }

    /// Copies words from byte `offset` of `memory` to the host.
    ///
    /// # Safety
    /// Both ranges exist, and the host's words are not accessed until the copy is done.
    pub(super) unsafe fn download(
        &self,
        memory: &DeviceMemory,
        offset: u64,
        to: *mut u32,
        words: u64,
    ) -> Result<()> {
        call!(cuMemcpyDtoHAsync_v2(
            to.cast(),
            memory.raw + offset,
            4 * words as usize,
            self.raw
        ))
    }

    /// Launches a kernel, which has one parameter.
    ///
    /// # Safety
    /// The parameter is of the kernel's type, and the kernel stays within the memory it points to.
    pub(super) unsafe fn call<T>(
        &self,
        function: Function,
        groups: [u32; 3],
        lanes: u32,
        parameter: &T,
    ) -> Result<()> {
        let mut parameters = [std::ptr::from_ref(parameter).cast_mut().cast::<c_void>()];
        let [x, y, z] = groups;
        let (none, parameters) = (null_mut(), parameters.as_mut_ptr());
        call!(cuLaunchKernel(
            function.0, x, y, z, lanes, 1, 1, 0, self.raw, parameters, none
        ))
    }

    /// Launches a kernel cooperatively: all of its workgroups run at once.
    ///
    /// # Safety
    /// As [`call`](Self::call).
    pub(super) unsafe fn call_at_once<T>(
        &self,
        function: Function,
        groups: u32,
        lanes: u32,
        parameter: &T,
    ) -> Result<()> {
        let mut parameters = [std::ptr::from_ref(parameter).cast_mut().cast::<c_void>()];
        call!(cuLaunchCooperativeKernel(
            function.0,
            groups,
            1,
            1,
            lanes,
            1,
            1,
            0,
            self.raw,
            parameters.as_mut_ptr()
        ))
    }
}

impl Event {
    pub(super) fn new(context: &Arc<Context>) -> Result<Self> {
        let flags = sys::CUevent_flags::CU_EVENT_BLOCKING_SYNC as c_uint;
        // SAFETY: writes the handle.
        Self::make(context, null_mut(), |raw| call!(cuEventCreate(raw, flags)))
    }

    /// Records the event behind the work in `stream` so far.
    pub(super) fn record(&self, stream: &Stream) -> Result<()> {
        // SAFETY: both handles live.
        call!(cuEventRecord(self.raw, stream.raw))
    }

    pub(super) fn is_complete(&self) -> Result<bool> {
        // SAFETY: the handle lives.
        match call!(cuEventQuery(self.raw)) {
            Ok(()) => Ok(true),
            Err(Failure {
                result: CUresult::CUDA_ERROR_NOT_READY,
                ..
            }) => Ok(false),
            Err(failure) => Err(failure),
        }
    }

    pub(super) fn wait(&self) -> Result<()> {
        let _entered = self.context.enter()?;
        // SAFETY: the handle lives.
        call!(cuEventSynchronize(self.raw))
    }

    /// Time from `start` to this event; both must have completed.
    pub(super) fn since(&self, start: &Event) -> Result<Duration> {
        let mut milliseconds = 0.0f32;
        // SAFETY: writes one number; both handles live.
        call!(cuEventElapsedTime(&mut milliseconds, start.raw, self.raw))?;
        Ok(Duration::from_secs_f64(
            f64::from(milliseconds.max(0.0)) / 1e3,
        ))
    }
}

/// A kernel of a module; valid while the module is loaded.
#[derive(Clone, Copy, Debug)]
pub(super) struct Function(sys::CUfunction);

// SAFETY: the driver lets any thread use a handle.
unsafe impl Send for Function {}
// SAFETY: as above.
unsafe impl Sync for Function {}

/// Magic bytes of machine code.
const ELF: &[u8] = b"\x7fELF";

impl Module {
    /// Loads machine code or PTX.
    ///
    /// # Safety
    /// An image that begins as ELF does is complete: its length is read from the image itself.
    pub(super) unsafe fn new(context: &Arc<Context>, image: &[u8]) -> Result<Self> {
        // The driver reads any other image up to the first 0.
        if !image.starts_with(ELF) && !image.contains(&0) {
            return Err(Failure {
                result: CUresult::CUDA_ERROR_INVALID_IMAGE,
                missing_memory: None,
            });
        }
        let image = image.as_ptr().cast();
        // SAFETY: as required of the caller.
        Self::make(context, null_mut(), |raw| {
            call!(cuModuleLoadData(raw, image))
        })
    }

    pub(super) fn function(&self, name: &CStr) -> Result<Function> {
        let mut function = null_mut();
        // SAFETY: writes the handle, which is used no longer than the module.
        call!(cuModuleGetFunction(&mut function, self.raw, name.as_ptr()))?;
        Ok(Function(function))
    }
}

impl DeviceMemory {
    /// Allocates `size_bytes` of uninitialised device memory.
    pub(super) fn new(context: &Arc<Context>, size_bytes: u64) -> Result<Self> {
        // SAFETY: writes the address.
        let allocate = |raw: &mut _| call!(cuMemAlloc_v2(raw, size_bytes as usize));
        Self::make(context, 0, allocate)
            .map_err(|failure| failure.with_missing(MissingMemory::Device(size_bytes)))
    }

    pub(super) fn address(&self) -> u64 {
        self.raw
    }
}

impl HostMemory {
    /// Allocates `words` words of uninitialised pinned memory.
    pub(super) fn new(context: &Arc<Context>, words: usize) -> Result<Self> {
        // SAFETY: writes the address.
        let allocate = |raw: &mut _| call!(cuMemHostAlloc(raw, 4 * words, 0));
        Self::make(context, null_mut(), allocate)
            .map_err(|failure| failure.with_missing(MissingMemory::Host(4 * words as u64)))
    }

    pub(super) fn words(&self) -> *mut u32 {
        self.raw.cast()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::SYMBOLS;

    /// Names of driver functions in a text, except quoted ones.
    fn functions(text: &str) -> BTreeSet<&str> {
        let is_of_name = |letter: char| letter.is_ascii_alphanumeric() || "_\"".contains(letter);
        let is_function = |name: &&str| {
            name.strip_prefix("cu").is_some_and(|rest| {
                let mut letters = rest.chars();
                let first_two = [letters.next(), letters.next()].map(Option::unwrap_or_default);
                first_two[0].is_ascii_uppercase() && first_two[1].is_ascii_lowercase()
            })
        };
        text.split(|letter| !is_of_name(letter))
            .filter(is_function)
            .collect()
    }

    #[test]
    fn looked_up_symbols_are_exactly_the_called_driver_functions() {
        let called = functions(include_str!("driver.rs"));
        assert!(
            called.contains("cuInit") && called.contains("cuEventDestroy_v2"),
            "{called:?}"
        );
        assert_eq!(BTreeSet::from(SYMBOLS), called);
        for file in std::fs::read_dir("src/backend/cuda").expect("the crate has it") {
            let file = file.expect("it is listed").path();
            let text = std::fs::read_to_string(&file).unwrap_or_default();
            let is_other =
                file.extension().is_some_and(|kind| kind == "rs") && !file.ends_with("driver.rs");
            assert!(
                !is_other || functions(&text).is_empty(),
                "{} calls the driver by itself",
                file.display()
            );
        }
    }
}
