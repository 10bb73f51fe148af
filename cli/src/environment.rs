//! Environment variables read by drivers, and standard streams that the process got closed.

use std::env::{set_var, var_os};
use std::ffi::OsStr;
use std::io;
use std::sync::atomic::{AtomicBool, Ordering};

use swath::DeviceChoice;

/// Stdin and stdout that were closed at the start. Rust's runtime opens `/dev/null` in their place
/// before `main`.
static CLOSED: [AtomicBool; 2] = [const { AtomicBool::new(false) }; 2];

/// Runs before Rust's runtime.
#[cfg(unix)]
#[used]
#[cfg_attr(not(target_vendor = "apple"), unsafe(link_section = ".init_array"))]
#[cfg_attr(
    target_vendor = "apple",
    unsafe(link_section = "__DATA,__mod_init_func")
)]
static FIND_CLOSED: extern "C" fn() = {
    extern "C" fn find_closed() {
        for (descriptor, closed) in (0..).zip(&CLOSED) {
            // SAFETY: the call only reads the flags of a descriptor, open or not.
            let flags = unsafe { libc::fcntl(descriptor, libc::F_GETFD) };
            closed.store(flags == -1, Ordering::Relaxed);
        }
    }
    find_closed
};

pub fn check_stdin() -> io::Result<()> {
    check_open(&CLOSED[0])
}

pub fn check_stdout() -> io::Result<()> {
    check_open(&CLOSED[1])
}

fn check_open(closed: &AtomicBool) -> io::Result<()> {
    if closed.load(Ordering::Relaxed) {
        return Err(io::Error::other("it is closed"));
    }
    Ok(())
}

/// Sets unset variables. Must run before any thread starts.
pub fn prepare() {
    // Mesa's device-select layer prints an error at every listing of adapters if this is not an
    // absolute path, as in services and containers. It looks for the socket of a display server
    // there. `/` has none, and only root could place one.
    #[cfg(all(unix, not(target_vendor = "apple")))]
    set_unless("XDG_RUNTIME_DIR", "/", |path| {
        std::path::Path::new(path).is_absolute()
    });
    // One queue per CUDA device instead of eight. Few commands use several streams at once; their
    // kernels then start in order of submission. Creating and destroying a context takes 50 ms less
    // each (benches/record/nvidia-h200/2026-11-26-backends.json).
    set_unless("CUDA_DEVICE_MAX_CONNECTIONS", "1", |_| true);
}

/// Lets CUDA see its first device alone, if a call would use that one: otherwise the driver
/// initialises every GPU of the machine, 0.83 s with four of them. Must run before any thread
/// starts. Other devices keep their numbers, as all are visible then.
pub fn show_first_cuda_device(device: &DeviceChoice) {
    let is_first = match device {
        DeviceChoice::Auto => true,
        DeviceChoice::Adapter { interface, index } => interface.name() == CUDA && *index == 0,
        _ => false,
    };
    if is_first {
        set_unless("CUDA_VISIBLE_DEVICES", "0", |_| true);
    }
}

/// Interface of CUDA devices; builds without CUDA know it as well.
const CUDA: &str = "cuda";

fn set_unless(name: &str, value: &str, will_do: impl Fn(&OsStr) -> bool) {
    if !var_os(name).is_some_and(|value| will_do(&value)) {
        // SAFETY: there is only one thread, so that nobody reads the environment meanwhile.
        unsafe { set_var(name, value) };
    }
}
