//! Status codes, the message of the last error, and the border that no panic crosses.

use std::any::Any;
use std::cell::RefCell;
use std::ffi::{CString, c_char};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Result of a function: `SWATH_OK` or the kind of its error.
pub type Status = i32;

/// The function did what it says.
pub const SWATH_OK: Status = 0;
/// An argument is null, out of its range, or an unknown name. The message says which and what to give.
pub const SWATH_INVALID_ARGUMENT: Status = 1;
/// The device is unknown, cannot be opened, or was lost.
pub const SWATH_DEVICE_ERROR: Status = 2;
/// The memory of the host or of the device does not suffice, or a limit in the options.
pub const SWATH_MEMORY_ERROR: Status = 3;
/// The call was cancelled.
pub const SWATH_CANCELLED: Status = 4;
/// The answer has no such part: it is one of another problem, or the part was not asked for, or the
/// distance exceeds the bound.
pub const SWATH_NO_PART: Status = 5;
/// The job still runs.
pub const SWATH_RUNNING: Status = 6;
/// A defect in swath or in a driver. Please report it.
pub const SWATH_INTERNAL_ERROR: Status = 7;

/// An error of a function.
#[derive(Debug)]
pub struct Failure {
    status: Status,
    message: String,
}

pub type Result<T, E = Failure> = std::result::Result<T, E>;

/// An error in an argument.
pub fn invalid(message: impl Into<String>) -> Failure {
    failure(SWATH_INVALID_ARGUMENT, message)
}

/// The answer lacks a part.
pub fn no_part(message: impl Into<String>) -> Failure {
    failure(SWATH_NO_PART, message)
}

pub fn failure(status: Status, message: impl Into<String>) -> Failure {
    Failure {
        status,
        message: message.into(),
    }
}

impl From<swath::Error> for Failure {
    fn from(error: swath::Error) -> Self {
        use swath::Error;

        let status = match &error {
            Error::Cancelled => SWATH_CANCELLED,
            Error::UnknownDevice { .. }
            | Error::UnknownKernel { .. }
            | Error::DeviceUnavailable { .. }
            | Error::DeviceLost { .. }
            | Error::MissingStamp { .. } => SWATH_DEVICE_ERROR,
            Error::MemoryBudget { .. }
            | Error::DeviceMemory { .. }
            | Error::HostMemory { .. }
            | Error::TooManyMatches { .. }
            | Error::TooManyNeighbors { .. } => SWATH_MEMORY_ERROR,
            Error::Failed(_) | Error::CertificateFailed(_) => SWATH_INTERNAL_ERROR,
            _ => SWATH_INVALID_ARGUMENT,
        };
        failure(status, error.to_string())
    }
}

thread_local! {
    static MESSAGE: RefCell<CString> = RefCell::default();
}

/// Runs the body of an exported function. A panic becomes `SWATH_INTERNAL_ERROR`.
pub fn guarded(call: impl FnOnce() -> Result<()>) -> Status {
    let result = catch_unwind(AssertUnwindSafe(call));
    let failure = match result {
        Ok(Ok(())) => return SWATH_OK,
        Ok(Err(failure)) => failure,
        Err(panic) => failure(SWATH_INTERNAL_ERROR, text(&*panic)),
    };
    // A message of a thread that ends is lost.
    let _ = MESSAGE.try_with(|message| message.replace(c_text(&failure.message)));
    failure.status
}

fn text(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    let text = text.or_else(|| panic.downcast_ref::<&str>().copied());
    text.unwrap_or("a panic")
}

/// Text for C, without zeros inside.
pub fn c_text(text: &str) -> CString {
    let bytes = text.bytes().filter(|&byte| byte != 0);
    CString::new(bytes.collect::<Vec<_>>()).unwrap_or_default()
}

/// Frees a handle from `Box::into_raw`; null is ignored.
///
/// # Safety
/// `handle` is null, or comes from `Box::into_raw` and was not freed.
pub unsafe fn freed<T>(handle: *mut T) {
    let free = || {
        if !handle.is_null() {
            // SAFETY: as above.
            drop(unsafe { Box::from_raw(handle) });
        }
        Ok(())
    };
    guarded(free);
}

/// Message of the last function of this thread that returned an error: what is wrong, and the way
/// out. It is valid until the next error of this thread, and empty before the first.
///
///     if (swath_engine_new(&options, &engine) != SWATH_OK)
///         fprintf(stderr, "%s\n", swath_error_message());
#[unsafe(no_mangle)]
pub extern "C" fn swath_error_message() -> *const c_char {
    let message = MESSAGE.try_with(|message| message.borrow().as_ptr());
    message.unwrap_or(c"".as_ptr())
}

#[cfg(test)]
mod tests {
    use std::ffi::CStr;

    use super::*;

    fn message() -> String {
        // SAFETY: the text is valid until the next error of this thread.
        let text = unsafe { CStr::from_ptr(swath_error_message()) };
        text.to_string_lossy().into_owned()
    }

    #[test]
    fn panic_in_a_function_becomes_a_code_and_a_message() {
        let status = guarded(|| panic!("the table has {} rows\0", 7));
        assert_eq!(status, SWATH_INTERNAL_ERROR);
        assert_eq!(message(), "the table has 7 rows");
        assert_eq!(guarded(|| std::panic::panic_any(7)), SWATH_INTERNAL_ERROR);
        assert_eq!(message(), "a panic");
        assert_eq!(guarded(|| Ok(())), SWATH_OK);
        assert_eq!(message(), "a panic");
    }

    #[test]
    fn panic_while_a_handle_is_freed_stays_inside() {
        struct Panics;
        impl Drop for Panics {
            fn drop(&mut self) {
                panic!("while it is freed");
            }
        }
        // SAFETY: it comes from a box.
        unsafe { freed(Box::into_raw(Box::new(Panics))) };
        assert_eq!(message(), "while it is freed");
        // SAFETY: null is ignored.
        unsafe { freed(std::ptr::null_mut::<Panics>()) };
    }
}
