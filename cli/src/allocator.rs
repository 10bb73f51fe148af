//! The allocator of the command: where the system refuses memory it ends the process with a line on
//! stderr and the exit code for memory, instead of a signal.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::io::{self, Write};

use crate::{exit, interrupt, output};

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

#[cold]
fn refused(bytes: usize) {
    // The thread ends here, so nothing is reset.
    if HANDLES_REFUSAL.try_with(|handles| handles.replace(true)) != Ok(false) {
        return;
    }
    let _ = writeln!(
        io::stderr(),
        "swath: the system has no memory for {bytes} bytes more; close other programs, raise the \
         limit of the process (ulimit -v), or give shorter inputs"
    );
    output::remove_draft();
    interrupt::exit(exit::MEMORY);
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
