//! NumPy arrays that the results are written to.

use pyo3::buffer::PyUntypedBuffer;
use pyo3::exceptions::PyOverflowError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use swath::neighbors::Neighbor;
use swath::substring::Strand;

use crate::errors::{Named, input_error};

/// Values that one thread writes; more are shared among threads.
const CHUNK: usize = 1 << 18;

/// Calls `write` with shares of values and of elements, and the index of the first value of each. Many
/// are shared among threads of their own: a global pool does not outlive a fork.
pub fn in_shares<V: Sync, T: Send>(
    threads: usize,
    values: &[V],
    elements: &mut [T],
    write: impl Fn(usize, &[V], &mut [T]) + Sync,
) {
    if values.len() <= CHUNK || threads == 1 {
        return write(0, values, elements);
    }
    let share = values.len().div_ceil(threads).max(CHUNK);
    std::thread::scope(|scope| {
        let shares = values.chunks(share).zip(elements.chunks_mut(share));
        for (index, (values, elements)) in shares.enumerate() {
            let write = &write;
            scope.spawn(move || write(index * share, values, elements));
        }
    });
}

/// A class of the module `_results`.
pub fn result<'py>(py: Python<'py>, class: &str) -> PyResult<Bound<'py, PyAny>> {
    py.import("swath._results")?.getattr(class)
}

/// Element of an array of scores.
pub trait Score: Copy + PartialEq + Send + Sync {
    /// A whole number that fits.
    fn of_value(value: u32) -> Self;

    /// Rounds half away from zero, as rapidfuzz does.
    fn of_score(score: f64) -> Self;
}

macro_rules! integer_scores {
    ($($type:ty),*) => {
        $(impl Score for $type {
            fn of_value(value: u32) -> Self {
                value as Self
            }

            fn of_score(score: f64) -> Self {
                score.round() as Self
            }
        })*
    };
}

integer_scores!(u8, u16, u32, u64, i8, i16, i32, i64);

impl Score for f32 {
    fn of_value(value: u32) -> Self {
        value as Self
    }

    fn of_score(score: f64) -> Self {
        score as Self
    }
}

impl Score for f64 {
    fn of_value(value: u32) -> Self {
        value.into()
    }

    fn of_score(score: f64) -> Self {
        score
    }
}

/// A new NumPy array, writable without the GIL until it is given to Python.
pub struct Output<'py> {
    array: Bound<'py, PyAny>,
    buffer: PyUntypedBuffer,
    /// Kind and size of an element, such as `f4`.
    pub code: String,
}

impl<'py> Output<'py> {
    /// # Errors
    /// `TypeError` for an unknown type, `InputError` for one that is no number, `MemoryError`.
    pub fn new(py: Python<'py>, shape: &[usize], dtype: &Bound<'py, PyAny>) -> PyResult<Self> {
        let numpy = py.import("numpy")?;
        let dtype = numpy.call_method1("dtype", (dtype,)).named(py, "dtype")?;
        let code: String = dtype.getattr("str")?.extract()?;
        let array = numpy.call_method1("empty", (PyTuple::new(py, shape)?, dtype))?;
        let buffer = PyUntypedBuffer::get(&array)?;
        let code = code.trim_start_matches(['<', '|', '=']).to_string();
        Ok(Self {
            array,
            buffer,
            code,
        })
    }

    pub fn into_array(self) -> Bound<'py, PyAny> {
        self.array
    }

    /// All elements.
    ///
    /// # Safety
    /// `T` is the type of [`code`](Self::code), nothing else uses the array, and the output outlives
    /// the slice.
    unsafe fn elements<'a, T>(&mut self) -> &'a mut [T] {
        match self.buffer.item_count() {
            0 => &mut [],
            // SAFETY: a new array is contiguous and aligned; every value is valid.
            count => unsafe { std::slice::from_raw_parts_mut(self.buffer.buf_ptr().cast(), count) },
        }
    }
}

/// Writes scores into an array of any element type.
pub trait Fill {
    type Filled;

    fn fill<T: Score>(self, elements: &mut [T]) -> PyResult<Self::Filled>;
}

impl Output<'_> {
    /// Fills the array with scores from 0 to `extreme`, which may be negative.
    ///
    /// # Errors
    /// `OverflowError` if the type does not hold it, `InputError` if the type is no number.
    pub fn fill<F: Fill>(&mut self, extreme: f64, filler: F) -> PyResult<F::Filled> {
        macro_rules! of {
            ($type:ty) => {{
                // The conversion of the limit rounds up to a power of two for 64 bits.
                let held = <$type>::MIN as f64..<$type>::MAX as f64 + 1.0;
                if !held.contains(&extreme.round()) {
                    return Err(PyOverflowError::new_err(format!(
                        "scores may be {extreme}, and the dtype holds {} to {}; give a wider dtype \
                         or a score_cutoff",
                        <$type>::MIN,
                        <$type>::MAX
                    )));
                }
                // SAFETY: the type is that of the code; the array is new.
                filler.fill(unsafe { self.elements::<$type>() })
            }};
        }
        match self.code.as_str() {
            "u1" => of!(u8),
            "u2" => of!(u16),
            "u4" => of!(u32),
            "u8" => of!(u64),
            "i1" => of!(i8),
            "i2" => of!(i16),
            "i4" => of!(i32),
            "i8" => of!(i64),
            "f4" => of!(f32),
            "f8" => of!(f64),
            other => Err(input_error(
                self.array.py(),
                format!(
                    "the dtype '{other}' is no type of scores; give an integer or a float of the \
                     native byte order"
                ),
            )),
        }
    }
}

/// A NumPy array with these values.
pub fn array<'py, T: Copy>(
    py: Python<'py>,
    values: &[T],
    shape: &[usize],
    dtype: &str,
) -> PyResult<Bound<'py, PyAny>> {
    let mut output = Output::new(py, shape, dtype.into_pyobject(py)?.as_any())?;
    // SAFETY: callers name the type of the values; the array is new.
    unsafe { output.elements::<T>() }.copy_from_slice(values);
    Ok(output.into_array())
}

/// A NumPy array of a value of each item, written by threads.
///
/// `dtype` is that of the values.
pub fn array_of<'py, I: Sync, T: Send>(
    py: Python<'py>,
    threads: usize,
    items: &[I],
    dtype: &str,
    of: impl Fn(&I) -> T + Sync,
) -> PyResult<Bound<'py, PyAny>> {
    let mut output = Output::new(py, &[items.len()], dtype.into_pyobject(py)?.as_any())?;
    // SAFETY: callers name the type of the values; the array is new.
    let elements = unsafe { output.elements::<T>() };
    in_shares(threads, items, elements, |_, items, elements| {
        let of_items = elements.iter_mut().zip(items);
        of_items.for_each(|(element, item)| *element = of(item));
    });
    Ok(output.into_array())
}

/// A `SparsePairs` of Python, or `StrandedPairs`: positions of rows and columns, as `position` tells
/// them, and their distances. `shape` has the lengths of both lists.
pub fn sparse_pairs<'py>(
    py: Python<'py>,
    threads: usize,
    shape: (usize, usize),
    pairs: &[Neighbor],
    positions: [&(dyn Fn(u32) -> i64 + Sync); 2],
    has_strands: bool,
) -> PyResult<Bound<'py, PyAny>> {
    let [row, column] = positions;
    let mut arrays = vec![
        array_of(py, threads, pairs, "int64", |pair| row(pair.row))?,
        array_of(py, threads, pairs, "int64", |pair| column(pair.column))?,
        array_of(py, threads, pairs, "uint32", |pair| pair.distance)?,
    ];
    let mut name = "SparsePairs";
    if has_strands {
        arrays.push(array_of(py, threads, pairs, "int8", |pair| {
            sign(pair.strand)
        })?);
        name = "StrandedPairs";
    }
    let options = PyDict::new(py);
    options.set_item("shape", shape)?;
    result(py, name)?.call(PyTuple::new(py, arrays)?, Some(&options))
}

/// A strand as a number.
pub fn sign(strand: Strand) -> i8 {
    match strand {
        Strand::Forward => 1,
        Strand::Reverse => -1,
    }
}
