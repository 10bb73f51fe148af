//! Errors of the library as Python exceptions.

use std::fmt::Display;

use pyo3::exceptions::{PyKeyboardInterrupt, PyTypeError};
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

/// Results of reading an argument of Python.
pub trait Named {
    /// The value, or the error; the message of a `TypeError` or `InputError` begins with the name of
    /// the argument.
    fn named(self, py: Python<'_>, name: impl Display) -> Self;
}

impl<T> Named for PyResult<T> {
    fn named(self, py: Python<'_>, name: impl Display) -> Self {
        self.map_err(|error| {
            let class = error.get_type(py);
            let is_input_error = class.name().is_ok_and(|class| class == "InputError");
            if !is_input_error && !class.is(py.get_type::<PyTypeError>()) {
                return error;
            }
            let named = class.call1((format!("{name}: {}", error.value(py)),));
            let named = named.map_or_else(|error| error, PyErr::from_value);
            named.set_cause(py, Some(error));
            named
        })
    }
}

/// # Errors
/// `TypeError` for an argument that cannot be called.
pub fn check_callable(name: &str, object: &Bound<'_, PyAny>) -> PyResult<()> {
    if object.is_callable() {
        return Ok(());
    }
    let class = object.get_type().name()?;
    let message = format!("{name}: '{class}' object is not callable");
    Err(PyTypeError::new_err(message))
}

/// An error in an argument.
pub fn input_error(py: Python<'_>, message: String) -> PyErr {
    new(py, "InputError", message)
}

/// The value of a name.
///
/// # Errors
/// `InputError` for an unknown name of `what`.
pub fn one_of<T: Copy>(
    py: Python<'_>,
    what: &str,
    name: &str,
    values: &[(&str, T)],
) -> PyResult<T> {
    let value = values.iter().find(|value| value.0 == name);
    value.map(|value| value.1).ok_or_else(|| {
        let known: Vec<_> = values.iter().map(|value| value.0).collect();
        let known = known.join(", ");
        input_error(py, format!("unknown {what} '{name}'; known: {known}"))
    })
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
