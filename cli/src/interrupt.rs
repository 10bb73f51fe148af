//! Signals: the first cancels the call, the second ends the process.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicI32, Ordering, fence};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::Context;
use swath::{CancelHandle, Error};

use crate::message::note;

/// First signal received; 0 for none.
static HEARD: AtomicI32 = AtomicI32::new(0);
/// SIGINT, sent by Ctrl-C.
const INTERRUPT: i32 = 2;
static DRAFT: Mutex<Option<PathBuf>> = Mutex::new(None);
const PATIENCE: Duration = Duration::from_millis(500);

/// Exit code of a cancelled call, as shells report it for a process ended by the signal.
pub fn exit_code() -> u8 {
    let signal = match HEARD.load(Ordering::Relaxed) {
        0 => INTERRUPT,
        signal => signal,
    };
    u8::try_from(128 + signal).unwrap_or(u8::MAX)
}

#[derive(Clone)]
pub struct Interrupt {
    pub handle: CancelHandle,
    /// Set if the first signal ends the process too.
    at_once: Arc<AtomicBool>,
}

impl Interrupt {
    /// Installs the handlers. Signals that the process ignores, as under nohup, stay ignored.
    pub fn install() -> anyhow::Result<Self> {
        let interrupt = Self {
            handle: CancelHandle::new(),
            at_once: Arc::default(),
        };
        let heard = interrupt.clone();
        system::hear(move |signal| heard.take(signal)).context("cannot hear signals")?;
        Ok(interrupt)
    }

    /// Runs work that may block forever, such as a write to a pipe without a reader. A signal ends
    /// the process meanwhile.
    ///
    /// # Errors
    /// Errors of the work; [`Error::Cancelled`] after an earlier signal.
    pub fn ending_at_once<T>(&self, work: impl FnOnce() -> anyhow::Result<T>) -> anyhow::Result<T> {
        self.at_once.store(true, Ordering::Relaxed);
        // Either the signal's thread sees the flag, or this thread sees the cancellation.
        fence(Ordering::SeqCst);
        if self.handle.is_cancelled() {
            return Err(Error::Cancelled.into());
        }
        let result = work();
        self.at_once.store(false, Ordering::Relaxed);
        result
    }

    /// For writing results after a cancellation: the next signal ends the process.
    pub fn for_the_rest(&self) -> Self {
        if self.handle.is_cancelled() {
            Self {
                handle: CancelHandle::new(),
                at_once: self.at_once.clone(),
            }
        } else {
            self.clone()
        }
    }

    fn take(&self, signal: i32) {
        let is_second = self.handle.is_cancelled();
        HEARD
            .compare_exchange(0, signal, Ordering::Relaxed, Ordering::Relaxed)
            .ok();
        self.handle.cancel();
        fence(Ordering::SeqCst);
        let at_once = self.at_once.load(Ordering::Relaxed);
        if is_second || at_once {
            remove_draft();
            if !is_second {
                tell();
            }
            system::exit(exit_code());
        }
    }
}

/// Lets writes beyond `ulimit -f` fail with an error; by default SIGXFSZ ends the process.
pub fn ignore_file_limit() {
    #[cfg(unix)]
    // SAFETY: no handler is installed.
    unsafe {
        libc::signal(libc::SIGXFSZ, libc::SIG_IGN);
    }
}

/// Ends the process while other threads run or are blocked. The draft of the output file is removed.
pub fn exit(code: u8) {
    remove_draft();
    system::exit(code);
}

/// Draft that an exit without destructors removes.
pub fn set_draft(path: Option<&Path>) {
    *DRAFT.lock().unwrap_or_else(PoisonError::into_inner) = path.map(Path::to_path_buf);
}

fn remove_draft() {
    if let Ok(mut draft) = DRAFT.try_lock()
        && let Some(draft) = draft.take()
    {
        let _ = fs::remove_file(draft);
    }
}

/// Prints the reason for the exit, unless stderr blocks.
fn tell() {
    let started = Instant::now();
    let Ok(note) = thread::Builder::new().spawn(|| note("cancelled")) else {
        return;
    };
    while !note.is_finished() && started.elapsed() < PATIENCE {
        thread::sleep(PATIENCE / 100);
    }
}

#[cfg(unix)]
mod system {
    use std::sync::mpsc::channel;
    use std::{io, mem, ptr, thread};

    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM, SIGXCPU};
    use signal_hook::iterator::Signals;

    /// Calls `take` on its own thread for signals that request an exit.
    pub fn hear(take: impl Fn(i32) + Send + 'static) -> io::Result<()> {
        let (sender, heard) = channel();
        let hear = move || {
            let signals = Signals::new(
                [SIGINT, SIGTERM, SIGHUP, SIGXCPU]
                    .into_iter()
                    .filter(|&signal| !is_ignored(signal)),
            );
            let (signals, installed) = match signals {
                Ok(signals) => (Some(signals), Ok(())),
                Err(error) => (None, Err(error)),
            };
            let _ = sender.send(installed);
            signals
                .into_iter()
                .for_each(|mut signals| signals.forever().for_each(&take));
        };
        match thread::Builder::new().name("signals".into()).spawn(hear) {
            Ok(_) => heard
                .recv()
                .unwrap_or_else(|ended| Err(io::Error::other(ended))),
            // Without a thread the handlers are not installed.
            Err(_) => Ok(()),
        }
    }

    fn is_ignored(signal: i32) -> bool {
        // SAFETY: zeros are a valid `sigaction`, and without a new action the call only writes the
        // present one into it.
        unsafe {
            let mut present: libc::sigaction = mem::zeroed();
            libc::sigaction(signal, ptr::null(), &mut present) == 0
                && present.sa_sigaction == libc::SIG_IGN
        }
    }

    pub fn exit(code: u8) {
        signal_hook::low_level::exit(i32::from(code));
    }
}

#[cfg(not(unix))]
mod system {
    use std::io;

    /// Calls `take` on its own thread for Ctrl-C and similar events.
    pub fn hear(take: impl Fn(i32) + Send + 'static) -> io::Result<()> {
        ctrlc::set_handler(move || take(super::INTERRUPT)).map_err(io::Error::other)
    }

    pub fn exit(code: u8) {
        std::process::exit(i32::from(code));
    }
}
