//! Sequences of Python as symbols of the library.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use pyo3::IntoPyObjectExt;
use pyo3::buffer::{ElementType, PyUntypedBuffer};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyFloat, PyInt, PyMemoryView, PyString};
use swath::query::{Pair, Symbols};

use crate::errors::{Named, OrRaise};

/// A sequence as Python gives it. Characters are their code points, integers their values.
pub enum Sequence<'a> {
    /// Bytes or numbers of 32 bits: the narrowest type that holds them.
    Symbols(Symbols<'a>),
    /// Other integers, to be numbered by [`Numbers`].
    Long(Vec<i64>),
    /// Other objects, to be numbered by [`Numbers`].
    Objects(Vec<Py<PyAny>>),
}

/// True for `None`, NaN and pandas' `NA`: a value that is missing.
pub fn is_missing(object: &Bound<'_, PyAny>) -> bool {
    object.is_none()
        || object
            .cast::<PyFloat>()
            .is_ok_and(|number| number.value().is_nan())
        || object
            .get_type()
            .name()
            .is_ok_and(|name| name == "NAType" || name == "NaTType")
}

impl<'a> Sequence<'a> {
    /// Reads a sequence: `str`, `bytes`, an array of integers, or any iterable of integers,
    /// characters and other hashable objects. `str` in ASCII and `bytes` are borrowed.
    ///
    /// # Errors
    /// `TypeError` for anything else.
    pub fn read(object: &'a Bound<'_, PyAny>) -> PyResult<Self> {
        if let Some(bytes) = borrowed(object) {
            return Ok(Self::Symbols(Symbols::Bytes(bytes.into())));
        }
        if let Ok(text) = object.cast::<PyString>() {
            return Ok(Self::Symbols(Symbols::Numbers(code_points(text)?.into())));
        }
        if let Ok(buffer) = PyUntypedBuffer::get(object) {
            return match Self::from_buffer(object, &buffer)? {
                Some(symbols) => Ok(symbols),
                None if object.hasattr("tolist")? => {
                    Self::from_items(&object.call_method0("tolist")?)
                }
                None => Self::from_items(object),
            };
        }
        if let Some(symbols) = crate::arrow::sequence(object)? {
            return Ok(symbols);
        }
        if object.hasattr("__dlpack__")? {
            return Self::from_dlpack(object);
        }
        Self::from_items(object)
    }

    /// Symbols of a buffer of integers in any byte order; `None` for other elements.
    fn from_buffer(object: &Bound<'_, PyAny>, buffer: &PyUntypedBuffer) -> PyResult<Option<Self>> {
        if buffer.dimensions() != 1 {
            return Err(PyTypeError::new_err(format!(
                "a sequence has one dimension, and this array has {}",
                buffer.dimensions()
            )));
        }
        let format = buffer.format().to_bytes();
        if format == b"B" {
            let bytes = buffer.as_typed::<u8>()?.to_vec(object.py())?;
            return Ok(Some(Self::Symbols(Symbols::Bytes(bytes.into()))));
        }
        if matches!(format, b"c" | b"u" | b"w") {
            return Ok(None); // Characters, which the element type takes for numbers.
        }
        let is_big_endian = match format.first() {
            Some(b'>' | b'!') => true,
            Some(b'<') => false,
            _ => cfg!(target_endian = "big"),
        };
        let bytes = || PyMemoryView::from(object)?.call_method0("tobytes");
        macro_rules! values {
            ($type:ty as $symbol:ty) => {{
                let bytes = bytes()?;
                let (items, _) = bytes.cast::<PyBytes>()?.as_bytes().as_chunks();
                let value = |&item: &_| {
                    if is_big_endian {
                        <$type>::from_be_bytes(item) as $symbol
                    } else {
                        <$type>::from_le_bytes(item) as $symbol
                    }
                };
                items.iter().map(value).collect::<Vec<$symbol>>()
            }};
        }
        use ElementType::{SignedInteger, UnsignedInteger};
        Ok(Some(match ElementType::from_format(buffer.format()) {
            UnsignedInteger { bytes: 1 } => Self::Symbols(Symbols::Bytes(values!(u8 as u8).into())),
            UnsignedInteger { bytes: 2 } => {
                Self::Symbols(Symbols::Numbers(values!(u16 as u32).into()))
            }
            UnsignedInteger { bytes: 4 } => {
                Self::Symbols(Symbols::Numbers(values!(u32 as u32).into()))
            }
            UnsignedInteger { bytes: 8 } => {
                let values = values!(u64 as i64);
                if values.iter().any(|&value| value < 0) {
                    return Ok(None); // It would equal a negative number.
                }
                Self::Long(values)
            }
            SignedInteger { bytes: 1 } => Self::of_integers(values!(i8 as i64)),
            SignedInteger { bytes: 2 } => Self::of_integers(values!(i16 as i64)),
            SignedInteger { bytes: 4 } => Self::of_integers(values!(i32 as i64)),
            SignedInteger { bytes: 8 } => Self::of_integers(values!(i64 as i64)),
            _ => return Ok(None),
        }))
    }

    /// A tensor, copied to the host if it is on a device.
    fn from_dlpack(object: &Bound<'_, PyAny>) -> PyResult<Self> {
        let py = object.py();
        let numpy = py.import("numpy")?;
        let (device, _): (i64, i64) = object.call_method0("__dlpack_device__")?.extract()?;
        const CPU: i64 = 1;
        let array = if device == CPU {
            numpy.call_method1("from_dlpack", (object,))?
        } else {
            let options = PyDict::new(py);
            options.set_item("device", "cpu")?;
            numpy.call_method("from_dlpack", (object,), Some(&options))?
        };
        let buffer = PyUntypedBuffer::get(&array)?;
        Self::from_buffer(&array, &buffer)?.ok_or_else(|| {
            PyTypeError::new_err("a tensor must have integer elements to be a sequence of symbols")
        })
    }

    fn from_items(object: &Bound<'_, PyAny>) -> PyResult<Self> {
        Ok(Self::of_items(object.try_iter()?.collect::<PyResult<_>>()?))
    }

    /// Symbols of integers, characters and other objects.
    pub fn of_items(items: Vec<Bound<'_, PyAny>>) -> Self {
        let mut integers = Vec::with_capacity(items.len());
        for item in &items {
            match integer(item) {
                Some(integer) => integers.push(integer),
                None => return Self::Objects(items.into_iter().map(Bound::unbind).collect()),
            }
        }
        Self::of_integers(integers)
    }

    /// Integers in the narrowest type that holds them.
    pub fn of_integers(integers: Vec<i64>) -> Self {
        let all = |most: i64| integers.iter().all(|integer| (0..=most).contains(integer));
        let integers = integers.iter().copied();
        if all(u8::MAX.into()) {
            Self::Symbols(Symbols::Bytes(integers.map(|one| one as u8).collect()))
        } else if all(u32::MAX.into()) {
            Self::Symbols(Symbols::Numbers(integers.map(|one| one as u32).collect()))
        } else {
            Self::Long(integers.collect())
        }
    }

    /// The symbols, or the numbers that `numbers` gives them.
    pub fn numbered(self, numbers: &mut Numbers<'_>) -> PyResult<Symbols<'a>> {
        let numbered = match (self, &*numbers) {
            (Self::Symbols(symbols), Numbers::None) => return Ok(symbols),
            (Self::Symbols(Symbols::Bytes(symbols)), _) => {
                numbers.integers(symbols.iter().map(|&symbol| symbol.into()))?
            }
            (Self::Symbols(Symbols::Numbers(symbols)), _) => {
                numbers.integers(symbols.iter().map(|&symbol| symbol.into()))?
            }
            (Self::Symbols(_), _) => unreachable!("Python has no letters"),
            (Self::Long(symbols), _) => numbers.integers(symbols.into_iter())?,
            (Self::Objects(objects), _) => numbers.objects(&objects)?,
        };
        Ok(Symbols::Numbers(numbered.into()))
    }
}

/// Brings sequences to symbols. Equal symbols of any two types are equal.
pub fn symbols<'a>(py: Python<'_>, sequences: Vec<Sequence<'a>>) -> PyResult<Vec<Symbols<'a>>> {
    let mut numbers = Numbers::of(py, &sequences);
    let symbols = sequences.into_iter();
    symbols.map(|one| one.numbered(&mut numbers)).collect()
}

/// Reads two sequences that are arguments of these names.
///
/// # Errors
/// `TypeError` for what is no sequence.
pub fn read_both<'a>(
    a: &'a Bound<'_, PyAny>,
    b: &'a Bound<'_, PyAny>,
    names: [&str; 2],
) -> PyResult<[Sequence<'a>; 2]> {
    let py = a.py();
    Ok([
        Sequence::read(a).named(py, names[0])?,
        Sequence::read(b).named(py, names[1])?,
    ])
}

/// Both sequences of [`read_both`], brought to symbols.
pub fn pair<'a>(
    a: &'a Bound<'_, PyAny>,
    b: &'a Bound<'_, PyAny>,
    names: [&str; 2],
) -> PyResult<Pair<'a>> {
    let (py, sequences) = (a.py(), read_both(a, b, names)?);
    let mut numbers = Numbers::of(py, &sequences);
    let [a, b] = sequences;
    Pair::of_symbols(a.numbered(&mut numbers)?, b.numbered(&mut numbers)?).or_raise(py)
}

/// Bytes of `bytes`, or of a `str` in ASCII.
#[inline]
pub fn borrowed<'a>(object: &'a Bound<'_, PyAny>) -> Option<&'a [u8]> {
    if let Ok(text) = object.cast::<PyString>() {
        // Fails for lone surrogates.
        let bytes = text.to_str().ok()?.as_bytes();
        return (bytes.len() == text.code_point_len().ok()?).then_some(bytes);
    }
    Some(object.cast::<PyBytes>().ok()?.as_bytes())
}

/// Code points of a `str`, with lone surrogates.
pub fn code_points(text: &Bound<'_, PyString>) -> PyResult<Vec<u32>> {
    if let Ok(text) = text.to_str() {
        return Ok(text.chars().map(u32::from).collect());
    }
    let bytes = text.call_method1("encode", ("utf-32-le", "surrogatepass"))?;
    let code_point = |bytes: &[u8]| u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
    let bytes = bytes.cast::<PyBytes>()?.as_bytes();
    Ok(bytes.chunks_exact(4).map(code_point).collect())
}

/// Value of an integer or code point of a character, if it is one of at most 64 bits.
fn integer(object: &Bound<'_, PyAny>) -> Option<i64> {
    if let Ok(text) = object.cast::<PyString>() {
        return character(text).map(i64::from);
    }
    object.cast::<PyInt>().ok()?.extract().ok()
}

fn character(text: &Bound<'_, PyString>) -> Option<u32> {
    if text.code_point_len().ok()? != 1 {
        return None;
    }
    code_points(text).ok()?.first().copied()
}

/// Numbers distinct symbols from 0.
pub enum Numbers<'py> {
    /// The symbols are bytes and numbers already.
    None,
    OfIntegers(HashMap<i64, u32>),
    /// By `==` and `hash`.
    OfObjects(Bound<'py, PyDict>),
}

impl<'py> Numbers<'py> {
    /// What numbers the symbols of these sequences jointly.
    pub fn of<'s, 'a: 's>(
        py: Python<'py>,
        sequences: impl IntoIterator<Item = &'s Sequence<'a>>,
    ) -> Self {
        let mut numbers = Self::None;
        for sequence in sequences {
            match sequence {
                Sequence::Symbols(_) => {}
                Sequence::Long(_) => numbers = Self::OfIntegers(HashMap::new()),
                Sequence::Objects(_) => return Self::OfObjects(PyDict::new(py)),
            }
        }
        numbers
    }

    /// # Errors
    /// `OverflowError` for more than 2^32 distinct symbols.
    pub fn integers(&mut self, integers: impl Iterator<Item = i64>) -> PyResult<Vec<u32>> {
        match self {
            Self::None => unreachable!("there is nothing to number"),
            Self::OfObjects(numbers) => {
                let py = numbers.py();
                integers
                    .map(|integer| number(numbers, integer.into_bound_py_any(py)?))
                    .collect()
            }
            Self::OfIntegers(numbers) => integers
                .map(|integer| {
                    let next = numbers.len();
                    Ok(match numbers.entry(integer) {
                        Entry::Occupied(entry) => *entry.get(),
                        Entry::Vacant(entry) => *entry.insert(next.try_into()?),
                    })
                })
                .collect(),
        }
    }

    /// # Errors
    /// `TypeError` for objects that cannot be hashed.
    pub fn objects(&mut self, objects: &[Py<PyAny>]) -> PyResult<Vec<u32>> {
        let Self::OfObjects(numbers) = self else {
            unreachable!("objects are numbered by a dict");
        };
        let py = numbers.py();
        let number = |object: &Py<PyAny>| {
            let object = object.bind(py);
            match integer(object) {
                Some(integer) => number(numbers, integer.into_bound_py_any(py)?),
                None => number(numbers, object.clone()),
            }
        };
        objects.iter().map(number).collect()
    }
}

fn number<'py>(numbers: &Bound<'py, PyDict>, object: Bound<'py, PyAny>) -> PyResult<u32> {
    if let Some(number) = numbers.get_item(&object)? {
        return number.extract();
    }
    let number: u32 = numbers.len().try_into()?;
    numbers.set_item(object, number)?;
    Ok(number)
}
