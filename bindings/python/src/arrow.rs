//! Arrow arrays through the PyCapsule interface.

use std::borrow::Cow;
use std::ffi::CStr;

use arrow_array::cast::AsArray;
use arrow_array::ffi::{FFI_ArrowArray, FFI_ArrowSchema, from_ffi};
use arrow_array::ffi_stream::{ArrayStreamReader, FFI_ArrowArrayStream};
use arrow_array::types::{
    Int8Type, Int16Type, Int32Type, Int64Type, UInt8Type, UInt16Type, UInt32Type, UInt64Type,
};
use arrow_array::{Array, ArrayRef, OffsetSizeTrait, make_array};
use arrow_schema::DataType;
use pyo3::IntoPyObjectExt;
use pyo3::exceptions::{PyIndexError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyCapsule, PyTuple};

use crate::lists::{ListBuilder, ListSymbols, StringList, strings as list};
use crate::symbols::Symbols;

/// Chunks of an object with the PyCapsule interface; `None` if it has none. A table must have one
/// column.
///
/// # Errors
/// `TypeError` for tables with several columns, and what the producer reports.
pub fn chunks(object: &Bound<'_, PyAny>) -> PyResult<Option<Vec<ArrayRef>>> {
    let chunks = if object.hasattr("__arrow_c_array__")? {
        let capsules = object.call_method0("__arrow_c_array__")?;
        let capsules = capsules.cast::<PyTuple>()?;
        let (schema, array) = (capsules.get_item(0)?, capsules.get_item(1)?);
        // SAFETY: capsules of these names hold such structures, which are emptied here.
        let (schema, array) = unsafe {
            (
                FFI_ArrowSchema::from_raw(pointer(&schema, c"arrow_schema")?),
                FFI_ArrowArray::from_raw(pointer(&array, c"arrow_array")?),
            )
        };
        // SAFETY: the producer keeps to the C data interface.
        let data = unsafe { from_ffi(array, &schema) }.map_err(refused)?;
        vec![make_array(data)]
    } else if object.hasattr("__arrow_c_stream__")? {
        let capsule = object.call_method0("__arrow_c_stream__")?;
        // SAFETY: a capsule of this name holds a stream, which is emptied here.
        let stream =
            unsafe { FFI_ArrowArrayStream::from_raw(pointer(&capsule, c"arrow_array_stream")?) };
        let reader = ArrayStreamReader::try_new(stream).map_err(refused)?;
        reader.collect::<Result<_, _>>().map_err(refused)?
    } else {
        return Ok(None);
    };
    let chunks = chunks.into_iter().map(only_column).collect::<PyResult<_>>();
    chunks.map(Some)
}

fn pointer<T>(capsule: &Bound<'_, PyAny>, name: &CStr) -> PyResult<*mut T> {
    let capsule = capsule.cast::<PyCapsule>()?;
    Ok(capsule.pointer_checked(Some(name))?.as_ptr().cast())
}

fn refused(error: arrow_schema::ArrowError) -> PyErr {
    PyValueError::new_err(error.to_string())
}

fn only_column(array: ArrayRef) -> PyResult<ArrayRef> {
    match array.as_struct_opt() {
        None => Ok(array),
        Some(table) if table.num_columns() == 1 => Ok(table.column(0).clone()),
        Some(table) => Err(PyTypeError::new_err(format!(
            "the table has {} columns; select the one with the strings",
            table.num_columns()
        ))),
    }
}

/// Strings of an array: one list of symbols for each. One chunk of bytes or ASCII with 64-bit
/// offsets is borrowed.
///
/// # Errors
/// `TypeError` for other elements.
pub fn strings<'a>(py: Python<'_>, chunks: &'a [ArrayRef]) -> PyResult<StringList<'a>> {
    if let [chunk] = chunks
        && let Some((bytes, offsets)) = bytes_of(chunk)
    {
        let nulls = chunk.logical_nulls();
        let is_missing = |&index: &usize| nulls.as_ref().is_some_and(|nulls| nulls.is_null(index));
        return Ok(StringList {
            symbols: ListSymbols::Bytes(list(py, bytes, offsets)?),
            missing: (0..chunk.len()).filter(is_missing).collect(),
        });
    }
    let mut builder = ListBuilder::default();
    for chunk in chunks {
        push_all(&mut builder, chunk)?;
    }
    builder.build(py)
}

type Flat<'a> = (&'a [u8], Cow<'a, [u64]>);

/// Buffer and offsets of binary strings, and of text if it is ASCII.
fn bytes_of(chunk: &ArrayRef) -> Option<Flat<'_>> {
    fn widened<T: OffsetSizeTrait>(offsets: &[T]) -> Cow<'_, [u64]> {
        offsets
            .iter()
            .map(|offset| offset.as_usize() as u64)
            .collect()
    }
    let is_ascii =
        |bytes: &[u8], (first, end): (u64, u64)| bytes[first as usize..end as usize].is_ascii();
    let (bytes, offsets) = match chunk.data_type() {
        DataType::Utf8 => {
            let text = chunk.as_string::<i32>();
            (text.value_data(), widened(text.value_offsets()))
        }
        DataType::LargeUtf8 => {
            let text = chunk.as_string::<i64>();
            (text.value_data(), unsigned(text.value_offsets()))
        }
        DataType::Binary => {
            let bytes = chunk.as_binary::<i32>();
            return Some((bytes.value_data(), widened(bytes.value_offsets())));
        }
        DataType::LargeBinary => {
            let bytes = chunk.as_binary::<i64>();
            return Some((bytes.value_data(), unsigned(bytes.value_offsets())));
        }
        _ => return None,
    };
    let ends = (*offsets.first()?, *offsets.last()?);
    is_ascii(bytes, ends).then_some((bytes, offsets))
}

/// Offsets, which are not negative.
fn unsigned(offsets: &[i64]) -> Cow<'_, [u64]> {
    // SAFETY: both types have the same layout, and every value is valid.
    Cow::Borrowed(unsafe { std::slice::from_raw_parts(offsets.as_ptr().cast(), offsets.len()) })
}

fn push_all<'a>(builder: &mut ListBuilder<'a>, chunk: &'a ArrayRef) -> PyResult<()> {
    if let Some(words) = words(chunk) {
        builder.extend(words.into_iter().map(|text| text.map(of_text)));
        return Ok(());
    }
    match chunk.data_type() {
        DataType::Binary => builder.extend(
            chunk
                .as_binary::<i32>()
                .iter()
                .map(|bytes| bytes.map(of_bytes)),
        ),
        DataType::LargeBinary => {
            builder.extend(
                chunk
                    .as_binary::<i64>()
                    .iter()
                    .map(|bytes| bytes.map(of_bytes)),
            );
        }
        DataType::BinaryView => {
            builder.extend(
                chunk
                    .as_binary_view()
                    .iter()
                    .map(|bytes| bytes.map(of_bytes)),
            );
        }
        DataType::List(_) => extend_lists(builder, chunk.as_list::<i32>().iter())?,
        DataType::LargeList(_) => extend_lists(builder, chunk.as_list::<i64>().iter())?,
        DataType::Dictionary(..) => {
            let dictionary = chunk.as_any_dictionary();
            let keys = dictionary.normalized_keys();
            let nulls = dictionary.logical_nulls();
            let values = dictionary.values();
            let words = words(values).ok_or_else(|| unsupported(values.data_type()))?;
            builder.extend(keys.into_iter().enumerate().map(|(index, key)| {
                let is_null = nulls.as_ref().is_some_and(|nulls| nulls.is_null(index));
                if is_null {
                    None
                } else {
                    words.get(key).copied().flatten().map(of_text)
                }
            }));
        }
        DataType::Null => builder.extend((0..chunk.len()).map(|_| None)),
        other => return Err(unsupported(other)),
    }
    Ok(())
}

/// Elements of an array of text; `None` for another type.
fn words(array: &ArrayRef) -> Option<Vec<Option<&str>>> {
    Some(match array.data_type() {
        DataType::Utf8 => array.as_string::<i32>().iter().collect(),
        DataType::LargeUtf8 => array.as_string::<i64>().iter().collect(),
        DataType::Utf8View => array.as_string_view().iter().collect(),
        _ => return None,
    })
}

/// All elements, if they are text and none is missing.
pub fn texts(chunks: &[ArrayRef]) -> Option<Vec<&str>> {
    let words = chunks.iter().map(words).collect::<Option<Vec<_>>>()?;
    words.into_iter().flatten().collect()
}

/// Element of an array as a `str`, `bytes` or list.
pub fn item<'py>(
    py: Python<'py>,
    chunks: &[ArrayRef],
    mut index: usize,
) -> PyResult<Bound<'py, PyAny>> {
    let mut chunks = chunks.iter();
    let chunk = loop {
        match chunks.next() {
            Some(chunk) if index < chunk.len() => break chunk.slice(index, 1),
            Some(chunk) => index -= chunk.len(),
            None => return Err(PyIndexError::new_err(index)),
        }
    };
    let text = |text: &str| text.into_bound_py_any(py);
    let bytes = |bytes: &[u8]| PyBytes::new(py, bytes).into_bound_py_any(py);
    match chunk.data_type() {
        DataType::Utf8 => text(chunk.as_string::<i32>().value(0)),
        DataType::LargeUtf8 => text(chunk.as_string::<i64>().value(0)),
        DataType::Utf8View => text(chunk.as_string_view().value(0)),
        DataType::Binary => bytes(chunk.as_binary::<i32>().value(0)),
        DataType::LargeBinary => bytes(chunk.as_binary::<i64>().value(0)),
        DataType::BinaryView => bytes(chunk.as_binary_view().value(0)),
        DataType::List(_) => integers(&chunk.as_list::<i32>().value(0))?.into_bound_py_any(py),
        DataType::LargeList(_) => integers(&chunk.as_list::<i64>().value(0))?.into_bound_py_any(py),
        DataType::Dictionary(..) => {
            let dictionary = chunk.as_any_dictionary();
            let key = dictionary.normalized_keys()[0];
            item(py, &[dictionary.values().clone()], key)
        }
        other => Err(unsupported(other)),
    }
}

fn of_text(text: &str) -> Symbols<'_> {
    match text.is_ascii() {
        true => Symbols::Bytes(text.as_bytes().into()),
        false => Symbols::Wide(text.chars().map(u32::from).collect()),
    }
}

fn of_bytes(bytes: &[u8]) -> Symbols<'_> {
    Symbols::Bytes(bytes.into())
}

fn extend_lists<'a>(
    builder: &mut ListBuilder<'a>,
    lists: impl Iterator<Item = Option<ArrayRef>>,
) -> PyResult<()> {
    for list in lists {
        let symbols = list.map(|list| integers(&list)).transpose()?;
        builder.push(symbols.map(Symbols::of_integers));
    }
    Ok(())
}

/// Symbols of one array of integers.
///
/// # Errors
/// `TypeError` for other elements.
pub fn numbers<'a>(object: &Bound<'_, PyAny>) -> PyResult<Symbols<'a>> {
    let mut all = Vec::new();
    for chunk in chunks(object)?.unwrap_or_default() {
        all.extend(integers(&chunk)?);
    }
    Ok(Symbols::of_integers(all))
}

fn integers(array: &ArrayRef) -> PyResult<Vec<i64>> {
    macro_rules! of {
        ($type:ty) => {
            array
                .as_primitive::<$type>()
                .values()
                .iter()
                .map(|&value| value as i64)
                .collect()
        };
    }
    if array.null_count() > 0 {
        return Err(PyTypeError::new_err(
            "a sequence of symbols has no missing ones",
        ));
    }
    Ok(match array.data_type() {
        DataType::Int8 => of!(Int8Type),
        DataType::Int16 => of!(Int16Type),
        DataType::Int32 => of!(Int32Type),
        DataType::Int64 => of!(Int64Type),
        DataType::UInt8 => of!(UInt8Type),
        DataType::UInt16 => of!(UInt16Type),
        DataType::UInt32 => of!(UInt32Type),
        DataType::UInt64 => {
            let values = array.as_primitive::<UInt64Type>().values();
            let signed = |&value: &u64| {
                i64::try_from(value).map_err(|_| {
                    PyTypeError::new_err(format!(
                        "the symbol {value} is too large; at most {} is possible",
                        i64::MAX
                    ))
                })
            };
            values.iter().map(signed).collect::<PyResult<_>>()?
        }
        other => return Err(unsupported(other)),
    })
}

fn unsupported(data_type: &DataType) -> PyErr {
    PyTypeError::new_err(format!(
        "Arrow arrays of {data_type} are no strings; give text, binary, or lists of integers"
    ))
}
