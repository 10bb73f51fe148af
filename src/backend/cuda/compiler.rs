//! NVRTC, NVIDIA's run-time compiler: compiles CUDA source for a device.

use std::ffi::{CStr, CString, c_char, c_int};
use std::sync::{LazyLock, Once};

use cudarc::nvrtc::sys::{nvrtcProgram, nvrtcResult};
use libloading::Library;

use super::driver;

/// Defines a table of NVRTC's functions; old versions lack some of them.
macro_rules! functions {
    ($($name:ident($($argument:ty),*) $(-> $result:ty)?;)*) => {
        #[allow(non_snake_case)] // Named as NVIDIA names them.
        struct Functions {
            $($name: unsafe extern "C" fn($($argument),*) -> functions!(@result $($result)?),)*
        }

        #[allow(non_snake_case)]
        impl Functions {
            /// Looks up the functions in a library.
            fn of(library: &'static Library) -> Result<Self, &'static str> {
                $(
                    // SAFETY: the signature is the one that NVIDIA documents.
                    let $name = unsafe { library.get(concat!(stringify!($name), "\0").as_bytes()) };
                    let $name = *$name.map_err(|_| stringify!($name))?;
                )*
                Ok(Self { $($name),* })
            }
        }
    };
    (@result) => { nvrtcResult };
    (@result $result:ty) => { $result };
}

functions! {
    nvrtcVersion(*mut c_int, *mut c_int);
    nvrtcGetErrorString(nvrtcResult) -> *const c_char;
    nvrtcGetNumSupportedArchs(*mut c_int);
    nvrtcGetSupportedArchs(*mut c_int);
    nvrtcCreateProgram(
        *mut nvrtcProgram, *const c_char, *const c_char, c_int, *const *const c_char, *const *const c_char
    );
    nvrtcDestroyProgram(*mut nvrtcProgram);
    nvrtcCompileProgram(nvrtcProgram, c_int, *const *const c_char);
    nvrtcGetProgramLogSize(nvrtcProgram, *mut usize);
    nvrtcGetProgramLog(nvrtcProgram, *mut c_char);
    nvrtcGetPTXSize(nvrtcProgram, *mut usize);
    nvrtcGetPTX(nvrtcProgram, *mut c_char);
    nvrtcGetCUBINSize(nvrtcProgram, *mut usize);
    nvrtcGetCUBIN(nvrtcProgram, *mut c_char);
}

/// Library names newer than the list of the binding.
const NEWER_NAMES: [&str; 2] = ["libnvrtc.so.13", "nvrtc64_130_0.dll"];

/// Opens the installed libraries in the order in which they are tried.
fn libraries() -> impl Iterator<Item = Library> {
    let names = cudarc::get_lib_name_candidates("nvrtc")
        .into_iter()
        .chain(NEWER_NAMES.map(str::to_string));
    // SAFETY: opening a library of NVIDIA's runs its initialisers and nothing else.
    names.filter_map(|name| unsafe { Library::new(name) }.ok())
}

/// Loads the library on a thread of its own ahead of its first use: this takes less time than the
/// driver's start.
pub(super) fn load_meanwhile() {
    static LOADING: Once = Once::new();
    // Without a thread, the first use loads the library.
    let load = || libraries().next().map(std::mem::forget);
    LOADING.call_once(|| _ = std::thread::Builder::new().spawn(load));
}

/// NVRTC, or the reason why it cannot be used. Looked up once and never unloaded.
static NVRTC: LazyLock<Result<Functions, String>> = LazyLock::new(|| {
    let remedy = "install one that suits the driver (it comes with the CUDA toolkit, or as the Python package \
                  nvidia-cuda-nvrtc) where the loader finds libraries, or choose a device of another interface";
    let max = (driver::missing().is_none())
        .then(driver::version)
        .and_then(Result::ok)
        .map_or(u32::MAX, |version| version / 1000);
    let mut reason = "is not here".to_string();
    for library in libraries() {
        match Functions::of(Box::leak(Box::new(library))) {
            // The driver does not load the output of a newer NVRTC.
            Ok(functions) => match functions.version() {
                Ok((major, _)) if major <= max => return Ok(functions),
                Ok((major, _)) => {
                    reason = format!("is of CUDA {major}, and the driver of CUDA {max}")
                }
                Err(failure) => reason = format!("does not tell its version: {failure}"),
            },
            Err(function) => reason = format!("is too old: it has no {function}"),
        }
    }
    Err(format!(
        "NVRTC, CUDA's run-time compiler, {reason}: {remedy}"
    ))
});

impl Functions {
    fn version(&self) -> Result<(u32, u32), String> {
        let (mut major, mut minor) = (0, 0);
        // SAFETY: writes two numbers.
        match unsafe { (self.nvrtcVersion)(&mut major, &mut minor) } {
            nvrtcResult::NVRTC_SUCCESS => Ok((major.unsigned_abs(), minor.unsigned_abs())),
            result => Err(reason(self, result)),
        }
    }
}

/// Language standard, and floating point as on other devices: no fused multiply-add.
pub const FLAGS: [&str; 2] = ["--std=c++17", "--fmad=false"];

/// Reason why NVRTC cannot be used, if any.
pub fn missing() -> Option<&'static str> {
    NVRTC.as_ref().err().map(String::as_str)
}

fn nvrtc() -> Result<&'static Functions, String> {
    NVRTC.as_ref().map_err(Clone::clone)
}

/// Version of NVRTC.
///
/// # Errors
/// The reason why it cannot be used.
pub fn version() -> Result<(u32, u32), String> {
    nvrtc()?.version()
}

/// Version of NVRTC and, if known, the path, size and date of its file: builds of one version
/// differ.
///
/// # Errors
/// The reason why it cannot be used.
pub fn build() -> Result<String, String> {
    static FILE: LazyLock<Option<String>> = LazyLock::new(|| {
        let loaded = std::fs::read_to_string("/proc/self/maps").ok()?;
        let path = loaded
            .lines()
            .find(|line| line.contains("/libnvrtc.so"))?
            .split_once('/')?
            .1;
        let file = std::fs::metadata(format!("/{path}")).ok()?;
        Some(format!("{path} {} {:?}", file.len(), file.modified().ok()?))
    });
    Ok(format!("{:?} {:?}", version()?, *FILE))
}

/// Calls a function of NVRTC; the error is NVRTC's message.
macro_rules! call {
    ($function:ident($($argument:expr),* $(,)?)) => {
        nvrtc().and_then(|nvrtc| {
            // SAFETY: handles live, and what NVRTC writes to is as large as it was asked to say.
            match unsafe { (nvrtc.$function)($($argument),*) } {
                nvrtcResult::NVRTC_SUCCESS => Ok(()),
                result => Err(reason(nvrtc, result)),
            }
        })
    };
}

/// Compilation target for a device of this compute capability: its machine code if NVRTC supports
/// it, else PTX of the highest supported capability below.
///
/// # Errors
/// If NVRTC cannot be used or does not support the device.
pub fn architecture(major: u32, minor: u32) -> Result<String, String> {
    let mut count: c_int = 0;
    call!(nvrtcGetNumSupportedArchs(&mut count))?;
    let mut known = vec![0; count.unsigned_abs() as usize];
    call!(nvrtcGetSupportedArchs(known.as_mut_ptr()))?;
    let device = (10 * major + minor) as c_int;
    match known.into_iter().filter(|&known| known <= device).max() {
        Some(known) if known == device => Ok(format!("sm_{known}")),
        Some(known) => Ok(format!("compute_{known}")),
        None => Err(format!(
            "NVRTC does not know compute capability {major}.{minor}"
        )),
    }
}

/// Compiles to machine code for `sm_90` and the like, to PTX for `compute_90`.
///
/// # Errors
/// The compiler's message and log, or the reason why it cannot be used.
pub fn compile(name: &str, text: &str, architecture: &str) -> Result<Vec<u8>, String> {
    let program = Program::new(name, text)?;
    let target = format!("--gpu-architecture={architecture}");
    let flags: Vec<_> = FLAGS
        .into_iter()
        .chain([&target[..]])
        .filter_map(|flag| CString::new(flag).ok())
        .collect();
    let flags: Vec<_> = flags.iter().map(|flag| flag.as_ptr()).collect();
    let compiled = call!(nvrtcCompileProgram(
        program.0,
        flags.len() as c_int,
        flags.as_ptr()
    ));
    compiled.map_err(|reason| format!("{reason}\n{}", program.log().unwrap_or_default()))?;
    let mut size = 0;
    if architecture.starts_with("sm_") {
        call!(nvrtcGetCUBINSize(program.0, &mut size))?;
        let mut code = vec![0u8; size];
        call!(nvrtcGetCUBIN(program.0, code.as_mut_ptr().cast()))?;
        Ok(code)
    } else {
        call!(nvrtcGetPTXSize(program.0, &mut size))?;
        let mut code = vec![0u8; size];
        call!(nvrtcGetPTX(program.0, code.as_mut_ptr().cast()))?;
        Ok(code)
    }
}

fn reason(nvrtc: &Functions, result: nvrtcResult) -> String {
    // SAFETY: NVRTC's texts are constants.
    unsafe {
        CStr::from_ptr((nvrtc.nvrtcGetErrorString)(result))
            .to_string_lossy()
            .into_owned()
    }
}

/// Handle of a source during compilation.
struct Program(nvrtcProgram);

impl Program {
    fn new(name: &str, text: &str) -> Result<Self, String> {
        let [name, text] = [name, text]
            .map(|part| CString::new(part).map_err(|_| "a text with a 0 in it".to_string()));
        let mut program = std::ptr::null_mut();
        let no_headers = std::ptr::null::<*const c_char>();
        call!(nvrtcCreateProgram(
            &mut program,
            text?.as_ptr(),
            name?.as_ptr(),
            0,
            no_headers,
            no_headers
        ))?;
        Ok(Self(program))
    }

    fn log(&self) -> Result<String, String> {
        let mut size = 0;
        call!(nvrtcGetProgramLogSize(self.0, &mut size))?;
        let mut log = vec![0u8; size];
        call!(nvrtcGetProgramLog(self.0, log.as_mut_ptr().cast()))?;
        Ok(String::from_utf8_lossy(&log)
            .trim_end_matches('\0')
            .trim_end()
            .to_string())
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        let _: Result<(), String> = call!(nvrtcDestroyProgram(&mut self.0));
    }
}
