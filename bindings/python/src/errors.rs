//! Errors of the library as Python exceptions.

use pyo3::exceptions::PyKeyboardInterrupt;
use pyo3::prelude::*;

/// Converts an error of the library. The classes are defined in `_errors.py`.
fn raised(py: Python<'_>, error: swath::Error) -> PyErr {
    use swath::Error;

    let class = match &error {
        Error::Cancelled => return PyKeyboardInterrupt::new_err(error.to_string()),
        Error::UnknownDevice { .. }
        | Error::UnknownKernel { .. }
        | Error::DeviceUnavailable { .. }
        | Error::DeviceLost { .. }
        | Error::MissingStamp { .. } => "DeviceError",
        Error::MemoryBudget { .. }
        | Error::DeviceMemory { .. }
        | Error::HostMemory { .. }
        | Error::TooManyMatches { .. }
        | Error::TooManyNeighbors { .. } => "MemoryLimitError",
        Error::Failed(_) | Error::CertificateFailed(_) => "InternalError",
        _ => "InputError",
    };
    new(py, class, error.to_string())
}

/// Results of the library in Python.
pub trait OrRaise<T> {
    /// The value, or the error as an exception.
    fn or_raise(self, py: Python<'_>) -> PyResult<T>;
}

impl<T> OrRaise<T> for swath::Result<T> {
    fn or_raise(self, py: Python<'_>) -> PyResult<T> {
        self.map_err(|error| raised(py, error))
    }
}

/// An error in an argument.
pub fn input_error(py: Python<'_>, message: String) -> PyErr {
    new(py, "InputError", message)
}

/// # Errors
/// `InputError` for a NaN or an infinite number.
pub fn finite(py: Python<'_>, name: &str, number: f64) -> PyResult<f64> {
    if number.is_finite() {
        return Ok(number);
    }
    Err(input_error(
        py,
        format!("{name} is {number}; give a finite number"),
    ))
}

fn new(py: Python<'_>, class: &str, message: String) -> PyErr {
    let raised = || {
        let class = py.import("swath._errors")?.getattr(class)?;
        class.call1((message,))
    };
    raised().map_or_else(|error| error, PyErr::from_value)
}
