//! What the process needs of its environment.

/// Gives `XDG_RUNTIME_DIR` an absolute path where it has none, as in services and containers: a layer of Mesa that looks for the
/// display's own GPU complains about it on stderr each time adapters are listed. It looks for a socket of a display server
/// there; in `/` only root could place one, and there is none. To be called before any thread is started.
pub fn prepare() {
    #[cfg(all(unix, not(target_vendor = "apple")))]
    {
        use std::env::{set_var, var_os};
        const NAME: &str = "XDG_RUNTIME_DIR";
        if !var_os(NAME).is_some_and(|path| std::path::Path::new(&path).is_absolute()) {
            // SAFETY: there is one thread, so nobody reads the environment meanwhile.
            unsafe { set_var(NAME, "/") };
        }
    }
}
