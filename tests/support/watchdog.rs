//! Time limit per test: a hanging test is named and ends the program.

use std::collections::HashMap;
use std::sync::{LazyLock, Mutex, PoisonError};
use std::thread::{self, ThreadId};
use std::time::{Duration, Instant};

/// Many times the longest test of either tier on two busy cores.
const LIMIT: Duration = Duration::from_secs(600);

type Tests = HashMap<ThreadId, (String, Instant)>;

/// Running tests. libtest gives each a thread with its name.
static RUNNING: LazyLock<Mutex<Tests>> = LazyLock::new(|| {
    thread::spawn(|| {
        loop {
            thread::sleep(Duration::from_secs(1));
            let running = RUNNING.lock().unwrap_or_else(PoisonError::into_inner);
            if let Some((name, _)) = running.values().find(|(_, start)| start.elapsed() > LIMIT) {
                eprintln!("watchdog: {name} has not ended after {} s", LIMIT.as_secs());
                std::process::exit(124);
            }
        }
    });
    Mutex::default()
});

struct Watched(ThreadId);

impl Drop for Watched {
    fn drop(&mut self) {
        RUNNING
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .remove(&self.0);
    }
}

thread_local! {
    static WATCHED: Watched = {
        let thread = thread::current();
        let name = thread.name().unwrap_or("a thread of a test").to_string();
        let mut running = RUNNING.lock().unwrap_or_else(PoisonError::into_inner);
        // With one test at a time all tests run on the main thread.
        if name != "main" {
            running.insert(thread.id(), (name, Instant::now()));
        }
        Watched(thread.id())
    };
}

/// Starts the clock of the test on this thread; it stops when the thread ends.
pub fn watch_this_test() {
    WATCHED.with(|_| ());
}
