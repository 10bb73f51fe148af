//! Arrow arrays through the PyCapsule interface.

use std::borrow::Cow;
use std::ffi::CStr;
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::ffi::{FFI_ArrowArray, FFI_ArrowSchema, from_ffi};
use arrow_array::ffi_stream::{ArrayStreamReader, FFI_ArrowArrayStream};
use arrow_array::types::{
    Float32Type, Float64Type, Int16Type, Int32Type, Int64Type, RunEndIndexType,
};
use arrow_array::{
    Array, ArrayRef, Int8Array, Int64Array, OffsetSizeTrait, RecordBatch, RecordBatchIterator,
    StringArray, UInt32Array, UInt64Array, downcast_integer, make_array,
};
use arrow_schema::{DataType, Field, Schema};
use pyo3::IntoPyObjectExt;
use pyo3::buffer::PyBuffer;
use pyo3::exceptions::{PyIndexError, PyTypeError, PyUnicodeEncodeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyCapsule, PyTuple};
use swath::pairs;
use swath::query::{StringList, Symbols};

use crate::errors::OrRaise;
use crate::lists::{ListBuilder, Strings};
use crate::symbols::Sequence;

/// A capsule with a stream of one batch of these columns: NumPy arrays of int64, int8, uint32 or uint64,
/// or of text.
///
/// # Errors
/// `TypeError` for other columns, and `ValueError` for columns of unequal lengths.
#[pyfunction]
pub fn arrow_stream<'py>(
    py: Python<'py>,
    columns: Vec<(String, Bound<'py, PyAny>)>,
) -> PyResult<Bound<'py, PyCapsule>> {
    let (mut fields, mut arrays) = (Vec::new(), Vec::new());
    for (name, column) in columns {
        let array = column_array(py, &column)?;
        fields.push(Field::new(name, array.data_type().clone(), false));
        arrays.push(array);
    }
    let schema = Arc::new(Schema::new(fields));
    let batch = RecordBatch::try_new(schema.clone(), arrays).map_err(refused)?;
    let batches = RecordBatchIterator::new([Ok(batch)], schema);
    let stream = FFI_ArrowArrayStream::new(Box::new(batches));
    PyCapsule::new_with_value(py, stream, c"arrow_array_stream")
}

fn column_array(py: Python<'_>, column: &Bound<'_, PyAny>) -> PyResult<ArrayRef> {
    macro_rules! of {
        ($($type:ty => $array:ident),*) => {
            $(if let Ok(values) = PyBuffer::<$type>::get(column) {
                return Ok(Arc::new($array::from(values.to_vec(py)?)));
            })*
        };
    }
    of!(i64 => Int64Array, u32 => UInt32Array, u64 => UInt64Array, i8 => Int8Array);
    let texts: Vec<String> = column.extract()?;
    Ok(Arc::new(StringArray::from(texts)))
}

/// Chunks of an object with the PyCapsule interface. A table must have one column. `None` for other
/// objects, and for columns of Python objects or of lone surrogates, which Arrow cannot hold.
///
/// # Errors
/// `TypeError` for tables with several columns, and what the producer reports.
pub fn chunks(object: &Bound<'_, PyAny>) -> PyResult<Option<Vec<ArrayRef>>> {
    let is_array = object.hasattr("__arrow_c_array__")?;
    if !is_array && !object.hasattr("__arrow_c_stream__")? || holds_objects(object) {
        return Ok(None);
    }
    match exported(object, is_array) {
        Err(error) if error.is_instance_of::<PyUnicodeEncodeError>(object.py()) => Ok(None),
        chunks => chunks.map(Some),
    }
}

/// True for columns and categories of pandas whose elements are Python objects.
fn holds_objects(column: &Bound<'_, PyAny>) -> bool {
    column.getattr("dtype").is_ok_and(|dtype| {
        let is_object = dtype.str().is_ok_and(|name| name == "object");
        is_object
            || dtype
                .getattr("categories")
                .is_ok_and(|categories| holds_objects(&categories))
    })
}

fn exported(object: &Bound<'_, PyAny>, is_array: bool) -> PyResult<Vec<ArrayRef>> {
    let chunks = if is_array {
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
    } else {
        let capsule = object.call_method0("__arrow_c_stream__")?;
        // SAFETY: a capsule of this name holds a stream, which is emptied here.
        let stream =
            unsafe { FFI_ArrowArrayStream::from_raw(pointer(&capsule, c"arrow_array_stream")?) };
        let reader = ArrayStreamReader::try_new(stream).map_err(refused)?;
        reader.collect::<Result<_, _>>().map_err(refused)?
    };
    chunks.into_iter().map(only_column).collect()
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
pub fn strings<'a>(py: Python<'_>, chunks: &'a [ArrayRef]) -> PyResult<Strings<'a>> {
    if let [chunk] = chunks
        && let Some((bytes, offsets)) = bytes_of(chunk)
    {
        let nulls = chunk.logical_nulls();
        let is_missing = |&index: &usize| nulls.as_ref().is_some_and(|nulls| nulls.is_null(index));
        let strings = pairs::Strings::new(bytes, offsets).or_raise(py)?;
        let missing = (0..chunk.len()).filter(is_missing).collect();
        let strings = StringList::Bytes(strings);
        return Ok(Strings::of_bytes_or_numbers(strings, missing));
    }
    let count = chunks.iter().map(|chunk| chunk.len()).sum();
    let mut builder = ListBuilder::new(count);
    for chunk in chunks {
        for index in 0..chunk.len() {
            builder.push(match element(chunk, index)? {
                Element::Missing => None,
                Element::Text(text) => Some(of_text(text)),
                Element::Bytes(bytes) => Some(Sequence::Symbols(Symbols::Bytes(bytes.into()))),
                Element::List(list) => Some(symbols(py, &[list])?),
            });
        }
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

/// An element of an array.
enum Element<'a> {
    Missing,
    Text(&'a str),
    Bytes(&'a [u8]),
    List(ArrayRef),
}

/// # Errors
/// `TypeError` for elements that are no sequences.
fn element(array: &dyn Array, index: usize) -> PyResult<Element<'_>> {
    let (array, index) = decoded(array, index);
    Ok(match array.data_type() {
        DataType::Null => Element::Missing,
        _ if array.is_null(index) => Element::Missing,
        DataType::Utf8 => Element::Text(array.as_string::<i32>().value(index)),
        DataType::LargeUtf8 => Element::Text(array.as_string::<i64>().value(index)),
        DataType::Utf8View => Element::Text(array.as_string_view().value(index)),
        DataType::Binary => Element::Bytes(array.as_binary::<i32>().value(index)),
        DataType::LargeBinary => Element::Bytes(array.as_binary::<i64>().value(index)),
        DataType::BinaryView => Element::Bytes(array.as_binary_view().value(index)),
        DataType::FixedSizeBinary(_) => Element::Bytes(array.as_fixed_size_binary().value(index)),
        DataType::List(_) => Element::List(array.as_list::<i32>().value(index)),
        DataType::LargeList(_) => Element::List(array.as_list::<i64>().value(index)),
        DataType::ListView(_) => Element::List(array.as_list_view::<i32>().value(index)),
        DataType::LargeListView(_) => Element::List(array.as_list_view::<i64>().value(index)),
        DataType::FixedSizeList(..) => Element::List(array.as_fixed_size_list().value(index)),
        other => return Err(unsupported(other)),
    })
}

/// Array and position of an element that is stored in a dictionary or as a run.
fn decoded(array: &dyn Array, index: usize) -> (&dyn Array, usize) {
    fn of_runs<K: RunEndIndexType>(array: &dyn Array, index: usize) -> (&dyn Array, usize) {
        let runs = array.as_run::<K>();
        (runs.values(), runs.get_physical_index(index))
    }
    let (values, index) = match array.data_type() {
        _ if array.is_null(index) => return (array, index),
        DataType::Dictionary(..) => {
            let dictionary = array.as_any_dictionary();
            let key = dictionary_key(dictionary.keys(), index);
            (dictionary.values().as_ref(), key)
        }
        DataType::RunEndEncoded(ends, _) => match ends.data_type() {
            DataType::Int16 => of_runs::<Int16Type>(array, index),
            DataType::Int32 => of_runs::<Int32Type>(array, index),
            _ => of_runs::<Int64Type>(array, index),
        },
        _ => return (array, index),
    };
    decoded(values, index)
}

fn dictionary_key(keys: &dyn Array, index: usize) -> usize {
    macro_rules! of {
        ($type:ty) => {
            keys.as_primitive::<$type>().value(index) as usize
        };
    }
    downcast_integer! {
        keys.data_type() => (of),
        _ => unreachable!("keys are integers"),
    }
}

/// All elements, if they are text and none is missing.
pub fn texts(chunks: &[ArrayRef]) -> Option<Vec<&str>> {
    let elements = chunks
        .iter()
        .flat_map(|chunk| (0..chunk.len()).map(move |index| element(chunk, index)));
    let text = |element| match element {
        Ok(Element::Text(text)) => Some(text),
        _ => None,
    };
    elements.map(text).collect()
}

/// Element of chunks as a Python object.
pub fn item<'py>(
    py: Python<'py>,
    chunks: &[ArrayRef],
    mut index: usize,
) -> PyResult<Bound<'py, PyAny>> {
    for chunk in chunks {
        if index < chunk.len() {
            return value(py, chunk, index);
        }
        index -= chunk.len();
    }
    Err(PyIndexError::new_err(index))
}

/// Element of an array as a Python object.
fn value<'py>(py: Python<'py>, array: &dyn Array, index: usize) -> PyResult<Bound<'py, PyAny>> {
    let (array, index) = decoded(array, index);
    macro_rules! of {
        ($type:ty) => {
            array
                .as_primitive::<$type>()
                .value(index)
                .into_bound_py_any(py)
        };
    }
    if array.is_null(index) {
        return Ok(py.None().into_bound(py));
    }
    downcast_integer! {
        array.data_type() => (of),
        DataType::Boolean => array.as_boolean().value(index).into_bound_py_any(py),
        DataType::Float32 => of!(Float32Type),
        DataType::Float64 => of!(Float64Type),
        _ => match element(array, index)? {
            Element::Missing => Ok(py.None().into_bound(py)),
            Element::Text(text) => text.into_bound_py_any(py),
            Element::Bytes(bytes) => PyBytes::new(py, bytes).into_bound_py_any(py),
            Element::List(list) => values(py, &[list])?.into_bound_py_any(py),
        },
    }
}

fn values<'py>(py: Python<'py>, chunks: &[ArrayRef]) -> PyResult<Vec<Bound<'py, PyAny>>> {
    let of_chunk = |chunk: &ArrayRef| -> Vec<_> {
        (0..chunk.len())
            .map(|index| value(py, chunk, index))
            .collect()
    };
    chunks.iter().flat_map(of_chunk).collect()
}

fn of_text(text: &str) -> Sequence<'_> {
    Sequence::Symbols(if text.is_ascii() {
        Symbols::Bytes(text.as_bytes().into())
    } else {
        Symbols::Numbers(text.chars().map(u32::from).collect())
    })
}

/// Symbols of one array of integers, characters or other objects; `None` if Arrow does not hold it.
///
/// # Errors
/// As [`chunks`], and `TypeError` for elements without a Python object.
pub fn sequence(object: &Bound<'_, PyAny>) -> PyResult<Option<Sequence<'static>>> {
    let chunks = chunks(object)?;
    chunks
        .map(|chunks| symbols(object.py(), &chunks))
        .transpose()
}

fn symbols(py: Python<'_>, chunks: &[ArrayRef]) -> PyResult<Sequence<'static>> {
    let of_chunks: Option<Vec<_>> = chunks.iter().map(integers).collect();
    match of_chunks {
        Some(integers) => Ok(Sequence::of_integers(integers.concat())),
        None => Ok(Sequence::of_items(values(py, chunks)?)),
    }
}

/// All elements, if they are integers up to `i64::MAX` and none is missing.
fn integers(array: &ArrayRef) -> Option<Vec<i64>> {
    macro_rules! of {
        ($type:ty) => {
            array
                .as_primitive::<$type>()
                .values()
                .iter()
                .map(|&value| i64::try_from(value).ok())
                .collect()
        };
    }
    if array.null_count() > 0 {
        return None;
    }
    downcast_integer! {
        array.data_type() => (of),
        _ => None,
    }
}

fn unsupported(data_type: &DataType) -> PyErr {
    PyTypeError::new_err(format!(
        "Arrow arrays of {data_type} are no strings; give text, binary, or lists"
    ))
}
