//! The number of this process, which a forked child has of its own.

use std::sync::atomic::{AtomicU32, Ordering};

/// 0 if it is not known.
static ID: AtomicU32 = AtomicU32::new(0);

/// [`std::process::id`], with a system call in the first call of a process only: calls of a
/// microsecond ask for it, too.
pub(crate) fn id() -> u32 {
    match ID.load(Ordering::Relaxed) {
        0 => look_up(),
        id => id,
    }
}

#[cold]
fn look_up() -> u32 {
    // A browser has no processes, and does not fork.
    let id = if cfg!(target_family = "wasm") {
        1
    } else {
        std::process::id()
    };
    if is_forgotten_in_children() {
        ID.store(id, Ordering::Relaxed);
    }
    id
}

/// Whether forked children look up their own number.
#[cfg(unix)]
fn is_forgotten_in_children() -> bool {
    use std::sync::atomic::AtomicBool;
    static REGISTERED: AtomicBool = AtomicBool::new(false);

    extern "C" fn forget() {
        ID.store(0, Ordering::Relaxed);
    }
    if !REGISTERED.load(Ordering::Relaxed) {
        // SAFETY: the function only stores to an atomic number. Registered twice, it does so twice.
        let refused = unsafe { libc::pthread_atfork(None, None, Some(forget)) };
        REGISTERED.store(refused == 0, Ordering::Relaxed);
    }
    REGISTERED.load(Ordering::Relaxed)
}

/// Other systems do not fork.
#[cfg(not(unix))]
fn is_forgotten_in_children() -> bool {
    true
}
