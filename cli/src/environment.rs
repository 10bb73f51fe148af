//! Environment variables that drivers read.

use std::env::{set_var, var_os};
use std::ffi::OsStr;

/// Sets what was not set. To be called before any thread is started.
pub fn prepare() {
    // A layer of Mesa that looks for the display's own GPU complains on stderr each time adapters are listed where this is no absolute
    // path, as in services and containers. It looks for a socket of a display server there; in `/` only root could place one, and there
    // is none.
    #[cfg(all(unix, not(target_vendor = "apple")))]
    set_unless("XDG_RUNTIME_DIR", "/", |path| {
        std::path::Path::new(path).is_absolute()
    });
    // CUDA's driver: one queue a device and not eight. Sessions have streams of their own, but few commands have several at once, whose kernels then
    // begin in the order in which they were submitted; and a context takes 50 ms less to make and as much less to end
    // (benches/record/nvidia-h200/2026-11-26-backends.json).
    set_unless("CUDA_DEVICE_MAX_CONNECTIONS", "1", |_| true);
}

/// Sets a variable, unless it has a value that will do.
fn set_unless(name: &str, value: &str, will_do: impl Fn(&OsStr) -> bool) {
    if !var_os(name).is_some_and(|value| will_do(&value)) {
        // SAFETY: there is one thread, so nobody reads the environment meanwhile.
        unsafe { set_var(name, value) };
    }
}
