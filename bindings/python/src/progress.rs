//! The argument `progress` of calls.

use pyo3::prelude::*;
use pyo3::types::PyBool;

use crate::errors::check_callable;

/// The function that gets the fraction that is done: `progress` itself, a bar for `True`, nothing
/// for `False` and `None`.
pub fn callback<'py>(
    py: Python<'py>,
    progress: Option<Bound<'py, PyAny>>,
) -> PyResult<Option<Bound<'py, PyAny>>> {
    let Some(progress) = progress else {
        return Ok(None);
    };
    let Ok(wanted) = progress.cast::<PyBool>() else {
        check_callable("progress", &progress)?;
        return Ok(Some(progress));
    };
    if !wanted.is_true() {
        return Ok(None);
    }
    let bar = py.import("swath._progress")?.call_method0("bar")?;
    Ok((!bar.is_none()).then_some(bar))
}
