//! Errors that belong to whoever has made them: a device has one handler of errors that nobody has caught, and on a host
//! application's device it is the host's.

use wgpu::{Device, Error, ErrorFilter};

/// Does `work` with the device, all of it on this thread, and catches its errors of every kind, of which one is returned: what the
/// driver had no memory for is refused wherever it is used, so that comes first.
pub(super) fn caught<T>(device: &Device, work: impl FnOnce() -> T) -> Result<T, Error> {
    let kinds = [
        ErrorFilter::Internal,
        ErrorFilter::OutOfMemory,
        ErrorFilter::Validation,
    ];
    let [internal, memory, validation] = kinds.map(|kind| device.push_error_scope(kind));
    let done = work();
    // The interface keeps errors on the host, so the answer is there at once. Scopes end in the reverse order.
    let [validation, memory, internal] =
        [validation, memory, internal].map(|scope| pollster::block_on(scope.pop()));
    match memory.or(validation).or(internal) {
        Some(error) => Err(error),
        None => Ok(done),
    }
}
