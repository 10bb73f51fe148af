//! Error scopes. A device has a single handler of uncaptured errors, which belongs to the
//! application on its device, so every error is caught where it is caused.

use wgpu::{Device, Error, ErrorFilter};

use crate::call::hand_over::ready;

/// Runs `work`, which uses the device on this thread only, and catches its errors of all kinds.
/// Returns one of them: out of memory takes precedence, because later uses of the missing buffer
/// are refused, too.
pub(super) fn caught<T>(device: &Device, work: impl FnOnce() -> T) -> Result<T, Error> {
    // A browser reports errors later, to the handler of the device's owner.
    if cfg!(target_family = "wasm") {
        return Ok(work());
    }
    let kinds = [
        ErrorFilter::Internal,
        ErrorFilter::OutOfMemory,
        ErrorFilter::Validation,
    ];
    let [internal, memory, validation] = kinds.map(|kind| device.push_error_scope(kind));
    let done = work();
    // wgpu reports errors on the host. Scopes are popped in reverse order.
    let [validation, memory, internal] =
        [validation, memory, internal].map(|scope| ready(scope.pop()));
    match memory.or(validation).or(internal) {
        Some(error) => Err(error),
        None => Ok(done),
    }
}
