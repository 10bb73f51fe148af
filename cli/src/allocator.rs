//! The allocator of the command: where the system refuses memory it ends the process with a line on
//! stderr and the exit code for memory, instead of a signal.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::io::{self, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use std::{fmt, panic, thread};

use crate::interrupt;

pub const EXIT_CODE: u8 = 4;

#[global_allocator]
static ALLOCATOR: Allocator = Allocator;

struct Allocator;

thread_local! {
    /// Set while this thread handles a refusal itself.
    static HANDLES_REFUSAL: Cell<bool> = const { Cell::new(false) };
}

/// Runs `work`, whose fallible allocations may fail.
pub fn handling_refusal<T>(work: impl FnOnce() -> T) -> T {
    let before = HANDLES_REFUSAL.replace(true);
    let result = work();
    HANDLES_REFUSAL.set(before);
    result
}

/// Message of the standard library's panic if a new thread has no memory for its signal stack.
/// Without the hook below the panic would abort the process.
const NO_SIGNAL_STACK: &str = "failed to allocate an alternative stack";

/// Ends the process where a new thread has no memory, too.
pub fn prepare() {
    let print = panic::take_hook();
    panic::set_hook(Box::new(move |info| {
        let text = info.payload().downcast_ref::<String>();
        if text.is_some_and(|text| text.starts_with(NO_SIGNAL_STACK)) {
            end(format_args!("a thread"));
        }
        print(info);
    }));
}

#[cold]
fn refused(bytes: usize) {
    if HANDLES_REFUSAL.try_with(Cell::get) == Ok(false) {
        end(format_args!("{bytes} bytes more"));
    }
}

/// Ends the process with one line, also if several threads are refused at once.
fn end(what: fmt::Arguments<'_>) {
    static ENDS: AtomicBool = AtomicBool::new(false);
    // The calls below may be refused memory, too, and must not come back here.
    let _ = HANDLES_REFUSAL.try_with(|handles| handles.set(true));
    while ENDS.swap(true, Ordering::Relaxed) {
        thread::sleep(Duration::from_millis(1));
    }
    let _ = writeln!(
        io::stderr(),
        "swath: the system has no memory for {what}; close other programs, raise the limit of the \
         process (ulimit -v), or give shorter inputs"
    );
    interrupt::exit(EXIT_CODE);
}

fn checked(memory: *mut u8, bytes: usize) -> *mut u8 {
    if memory.is_null() {
        refused(bytes);
    }
    memory
}

// SAFETY: passes every call on to the system's allocator.
unsafe impl GlobalAlloc for Allocator {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's layout, here and below.
        checked(unsafe { System.alloc(layout) }, layout.size())
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as above.
        checked(unsafe { System.alloc_zeroed(layout) }, layout.size())
    }

    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, bytes: usize) -> *mut u8 {
        // SAFETY: as above.
        checked(unsafe { System.realloc(memory, layout, bytes) }, bytes)
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        // SAFETY: as above.
        unsafe { System.dealloc(memory, layout) }
    }
}
