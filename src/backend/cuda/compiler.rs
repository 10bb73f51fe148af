//! NVRTC, NVIDIA's run-time compiler: CUDA text to code of a device.

use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::sync::LazyLock;

use cudarc::nvrtc::sys::{self, nvrtcProgram, nvrtcResult};

use super::driver::library_stays;

/// What is asked of NVRTC; one that is too old lacks some of it.
const SYMBOLS: [&str; 13] = [
    "nvrtcVersion",
    "nvrtcGetErrorString",
    "nvrtcGetNumSupportedArchs",
    "nvrtcGetSupportedArchs",
    "nvrtcCreateProgram",
    "nvrtcDestroyProgram",
    "nvrtcCompileProgram",
    "nvrtcGetProgramLogSize",
    "nvrtcGetProgramLog",
    "nvrtcGetPTXSize",
    "nvrtcGetPTX",
    "nvrtcGetCUBINSize",
    "nvrtcGetCUBIN",
];

/// The language, and real numbers as other devices have them: no product is rounded together with a sum.
pub const FLAGS: [&str; 2] = ["--std=c++17", "--fmad=false"];

/// Why NVRTC cannot be used, if so. It is looked for once.
pub fn missing() -> Option<&'static str> {
    static MISSING: LazyLock<Option<String>> = LazyLock::new(|| {
        // Without it no other function may be called: the binding panics.
        if !library_stays(&["nvrtc"]) {
            let remedy = "install it (it comes with the CUDA toolkit, or as the Python package nvidia-cuda-nvrtc-cu12) where \
                          the loader finds libraries, or choose a device of another interface";
            return Some(format!("NVRTC, CUDA's run-time compiler, is not here: {remedy}"));
        }
        // SAFETY: the symbols are only looked for.
        let here = |symbol: &str| unsafe { sys::culib().get::<*const c_void>(symbol.as_bytes()).is_ok() };
        let symbol = SYMBOLS.into_iter().find(|symbol| !here(symbol))?;
        Some(format!("NVRTC is too old: it has no {symbol}"))
    });
    MISSING.as_deref()
}

/// Calls a function of NVRTC; what it says went wrong is the error.
macro_rules! call {
    ($function:ident($($argument:expr),* $(,)?)) => {
        // SAFETY: NVRTC is here; handles live, and what it writes to is as large as it was asked to say.
        match unsafe { sys::$function($($argument),*) } {
            nvrtcResult::NVRTC_SUCCESS => Ok(()),
            result => Err(reason(result)),
        }
    };
}

/// NVRTC's version.
///
/// # Errors
/// Where NVRTC cannot be used.
pub fn version() -> Result<(i32, i32), String> {
    check()?;
    let (mut major, mut minor) = (0, 0);
    call!(nvrtcVersion(&mut major, &mut minor))?;
    Ok((major, minor))
}

/// What to compile for where the device has this compute capability: its own code where NVRTC knows it, else PTX of the highest
/// below it.
///
/// # Errors
/// Where NVRTC cannot be used, or knows no such device.
pub fn architecture((major, minor): (u32, u32)) -> Result<String, String> {
    check()?;
    let mut count: c_int = 0;
    call!(nvrtcGetNumSupportedArchs(&mut count))?;
    let mut known = vec![0; count.unsigned_abs() as usize];
    call!(nvrtcGetSupportedArchs(known.as_mut_ptr()))?;
    let device = (10 * major + minor) as c_int;
    match known.into_iter().filter(|&known| known <= device).max() {
        Some(known) if known == device => Ok(format!("sm_{known}")),
        Some(known) => Ok(format!("compute_{known}")),
        None => Err(format!("NVRTC does not know compute capability {major}.{minor}")),
    }
}

/// Machine code for `sm_90` and the like, PTX for `compute_90`.
///
/// # Errors
/// What the compiler says of the text, or that it cannot be used.
pub fn compile(name: &str, text: &str, architecture: &str) -> Result<Vec<u8>, String> {
    check()?;
    let program = Program::new(name, text)?;
    let target = format!("--gpu-architecture={architecture}");
    let flags: Vec<_> = FLAGS.into_iter().chain([&target[..]]).filter_map(|flag| CString::new(flag).ok()).collect();
    let flags: Vec<_> = flags.iter().map(|flag| flag.as_ptr()).collect();
    let compiled = call!(nvrtcCompileProgram(program.0, flags.len() as c_int, flags.as_ptr()));
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

fn check() -> Result<(), String> {
    missing().map_or(Ok(()), |missing| Err(missing.to_string()))
}

fn reason(result: nvrtcResult) -> String {
    // SAFETY: NVRTC is here; its texts are constants.
    unsafe { CStr::from_ptr(sys::nvrtcGetErrorString(result)).to_string_lossy().into_owned() }
}

/// A text that is compiled.
struct Program(nvrtcProgram);

impl Program {
    fn new(name: &str, text: &str) -> Result<Self, String> {
        let [name, text] = [name, text].map(|part| CString::new(part).map_err(|_| "a text with a 0 in it".to_string()));
        let mut program = std::ptr::null_mut();
        let (none, no_names) = (std::ptr::null::<*const c_char>(), std::ptr::null::<*const c_char>());
        call!(nvrtcCreateProgram(&mut program, text?.as_ptr(), name?.as_ptr(), 0, none, no_names))?;
        Ok(Self(program))
    }

    fn log(&self) -> Result<String, String> {
        let mut size = 0;
        call!(nvrtcGetProgramLogSize(self.0, &mut size))?;
        let mut log = vec![0u8; size];
        call!(nvrtcGetProgramLog(self.0, log.as_mut_ptr().cast()))?;
        Ok(String::from_utf8_lossy(&log).trim_end_matches('\0').trim_end().to_string())
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        let _: Result<(), String> = call!(nvrtcDestroyProgram(&mut self.0));
    }
}
