//! Errors as exceptions of JavaScript with a `code`.

use js_sys::Reflect;
use wasm_bindgen::JsValue;

/// An error of a call.
#[derive(Debug)]
pub struct Failure {
    pub code: &'static str,
    pub message: String,
}

pub type Result<T, E = Failure> = std::result::Result<T, E>;

/// Code of a device that does not open, or was lost.
pub const DEVICE: &str = "device";
/// Code of memory that does not suffice.
pub const MEMORY: &str = "memory";

/// An error in an argument.
pub fn invalid(message: impl Into<String>) -> Failure {
    failure("invalid-argument", message)
}

/// A defect in swath.
pub fn internal(message: &str) -> Failure {
    failure("internal", message)
}

pub fn failure(code: &'static str, message: impl Into<String>) -> Failure {
    let message = message.into();
    Failure { code, message }
}

impl From<swath::Error> for Failure {
    fn from(error: swath::Error) -> Self {
        use swath::Error;

        let code = match &error {
            Error::Cancelled => "cancelled",
            Error::UnknownDevice { .. }
            | Error::DeviceUnavailable { .. }
            | Error::DeviceLost { .. }
            | Error::MissingStamp { .. } => DEVICE,
            Error::MemoryBudget { .. }
            | Error::DeviceMemory { .. }
            | Error::HostMemory { .. }
            | Error::TooManyMatches { .. } => MEMORY,
            Error::Failed(_) | Error::CertificateFailed(_) => "internal",
            _ => return invalid(error.to_string()),
        };
        failure(code, error.to_string())
    }
}

impl From<Failure> for JsValue {
    fn from(Failure { code, message }: Failure) -> Self {
        let error = js_sys::Error::new(&message);
        error.set_name(if code == "cancelled" {
            "AbortError"
        } else {
            "SwathError"
        });
        // An error takes any property.
        let _ = Reflect::set(&error, &"code".into(), &code.into());
        error.into()
    }
}
