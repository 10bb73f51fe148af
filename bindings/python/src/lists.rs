//! Lists of strings of Python.

use std::borrow::Cow;

use arrow_array::ArrayRef;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyString};
use swath::Symbol;
use swath::pairs::Strings;

use crate::arrow;
use crate::errors::raised;
use crate::symbols::{Numbers, Symbols, borrowed, is_missing};

/// Strings of a list, as Python gives them.
pub enum Source<'py> {
    /// Chunks of an Arrow array.
    Arrow(Vec<ArrayRef>),
    Items(Vec<Bound<'py, PyAny>>),
}

impl<'py> Source<'py> {
    /// # Errors
    /// `TypeError` for a `str`, `bytes`, or what cannot be iterated.
    pub fn of(object: &Bound<'py, PyAny>) -> PyResult<Self> {
        if object.cast::<PyString>().is_ok() || object.cast::<PyBytes>().is_ok() {
            return Err(PyTypeError::new_err(
                "a list of strings is needed, not a single one; put it into a list",
            ));
        }
        if let Some(chunks) = arrow::chunks(object)? {
            return Ok(Self::Arrow(chunks));
        }
        let items = object.try_iter()?.collect::<PyResult<_>>()?;
        Ok(Self::Items(items))
    }

    /// The strings as text, if all of them are.
    pub fn texts(&self) -> Option<Vec<&str>> {
        match self {
            Self::Arrow(chunks) => arrow::texts(chunks),
            Self::Items(items) => items.iter().map(text).collect(),
        }
    }

    /// A string as a Python object.
    pub fn item(&self, py: Python<'py>, index: usize) -> PyResult<Bound<'py, PyAny>> {
        match self {
            Self::Items(items) => Ok(items[index].clone()),
            Self::Arrow(chunks) => arrow::item(py, chunks, index),
        }
    }

    /// The source with each text split into a list of words.
    ///
    /// # Errors
    /// If Python's `str.split` fails.
    pub fn split(self, py: Python<'py>) -> PyResult<Self> {
        let split = |text: &Bound<'py, PyAny>| match text.is_instance_of::<PyString>() {
            true => text.call_method0("split"),
            false => Ok(text.clone()),
        };
        match self {
            Self::Items(items) => Ok(Self::Items(
                items.iter().map(split).collect::<PyResult<_>>()?,
            )),
            Self::Arrow(chunks) => match arrow::texts(&chunks) {
                Some(texts) => {
                    let texts = texts
                        .into_iter()
                        .map(|text| split(PyString::new(py, text).as_any()));
                    Ok(Self::Items(texts.collect::<PyResult<_>>()?))
                }
                None => Ok(Self::Arrow(chunks)),
            },
        }
    }

    pub fn strings(&self, py: Python<'_>) -> PyResult<StringList<'_>> {
        match self {
            Self::Arrow(chunks) => arrow::strings(py, chunks),
            Self::Items(items) => StringList::of_items(py, items),
        }
    }
}

fn text<'a>(item: &'a Bound<'_, PyAny>) -> Option<&'a str> {
    item.cast::<PyString>().ok()?.to_str().ok()
}

/// A list of strings. A missing string is empty, and its position is in `missing`.
pub struct StringList<'a> {
    pub symbols: ListSymbols<'a>,
    pub missing: Vec<usize>,
}

/// Strings of bytes, or of any symbols.
pub enum ListSymbols<'a> {
    Bytes(Strings<'a, u8>),
    Any(Vec<Symbols<'a>>),
}

/// Two lists in one symbol type. The second is `None` if it is the first.
pub enum Lists<'a> {
    Bytes((Strings<'a, u8>, Option<Strings<'a, u8>>)),
    Wide((Strings<'a, u32>, Option<Strings<'a, u32>>)),
}

/// Collects strings, in bytes as long as all of them are.
#[derive(Default)]
pub struct ListBuilder<'a> {
    bytes: Vec<u8>,
    ends: Vec<u64>,
    /// The first string that is not of bytes, and all after it.
    others: Vec<Symbols<'a>>,
    missing: Vec<usize>,
}

impl<'a> ListBuilder<'a> {
    /// Appends a string; `None` is a missing one.
    pub fn push(&mut self, symbols: Option<Symbols<'a>>) {
        if symbols.is_none() {
            self.missing.push(self.ends.len() + self.others.len());
        }
        match symbols.unwrap_or(Symbols::Bytes(Cow::Borrowed(&[]))) {
            Symbols::Bytes(string) if self.others.is_empty() => self.push_bytes(&string),
            symbols => self.others.push(symbols),
        }
    }

    fn push_bytes(&mut self, string: &[u8]) {
        self.bytes.extend_from_slice(string);
        self.ends.push(self.bytes.len() as u64);
    }

    pub fn extend(&mut self, strings: impl Iterator<Item = Option<Symbols<'a>>>) {
        strings.for_each(|symbols| self.push(symbols));
    }

    /// # Errors
    /// For objects that cannot be created.
    pub fn build(self, py: Python<'_>) -> PyResult<StringList<'a>> {
        let offsets: Vec<u64> = std::iter::once(0).chain(self.ends).collect();
        let symbols = if self.others.is_empty() {
            ListSymbols::Bytes(strings(py, self.bytes, offsets)?)
        } else {
            let first = offsets.windows(2).map(|ends| {
                let bytes = &self.bytes[ends[0] as usize..ends[1] as usize];
                Symbols::Bytes(bytes.to_vec().into())
            });
            ListSymbols::Any(first.chain(self.others).collect())
        };
        Ok(StringList {
            symbols,
            missing: self.missing,
        })
    }
}

impl<'a> StringList<'a> {
    fn of_items(py: Python<'_>, items: &'a [Bound<'_, PyAny>]) -> PyResult<Self> {
        let mut builder = ListBuilder::default();
        for item in items {
            match borrowed(item) {
                Some(string) if builder.others.is_empty() => builder.push_bytes(string),
                Some(string) => builder.push(Some(Symbols::Bytes(string.into()))),
                None if is_missing(item) => builder.push(None),
                None => builder.push(Some(Symbols::read(item)?)),
            }
        }
        builder.build(py)
    }

    pub fn len(&self) -> usize {
        match &self.symbols {
            ListSymbols::Bytes(strings) => strings.len(),
            ListSymbols::Any(strings) => strings.len(),
        }
    }
}

impl<'a> ListSymbols<'a> {
    /// A list of one string.
    pub fn one(py: Python<'_>, symbols: Symbols<'a>) -> PyResult<Self> {
        let mut builder = ListBuilder::default();
        builder.push(Some(symbols));
        Ok(builder.build(py)?.symbols)
    }

    fn any(&self) -> &[Symbols<'a>] {
        match self {
            Self::Bytes(_) => &[],
            Self::Any(strings) => strings,
        }
    }

    fn into_wide(
        self,
        py: Python<'_>,
        mut numbers: Option<&mut Numbers<'_>>,
    ) -> PyResult<Strings<'a, u32>> {
        let (mut wide, mut offsets) = (Vec::new(), vec![0]);
        let mut push = |symbols: Symbols<'_>| -> PyResult<()> {
            wide.extend_from_slice(&symbols.into_wide(numbers.as_deref_mut())?);
            offsets.push(wide.len() as u64);
            Ok(())
        };
        match self {
            Self::Bytes(list) => list
                .iter()
                .try_for_each(|string| push(Symbols::Bytes(string.into())))?,
            Self::Any(list) => list.into_iter().try_for_each(push)?,
        }
        strings(py, wide, offsets)
    }
}

impl<'a> Lists<'a> {
    /// Brings two lists to one symbol type.
    pub fn unify(
        py: Python<'_>,
        first: ListSymbols<'a>,
        second: Option<ListSymbols<'a>>,
    ) -> PyResult<Self> {
        let (first, second) = match (first, second) {
            (ListSymbols::Bytes(first), None) => return Ok(Self::Bytes((first, None))),
            (ListSymbols::Bytes(first), Some(ListSymbols::Bytes(second))) => {
                return Ok(Self::Bytes((first, Some(second))));
            }
            others => others,
        };
        let of_second = second.as_ref().map_or(&[][..], ListSymbols::any);
        let mut numbers = Symbols::numbers(py, first.any().iter().chain(of_second));
        let first = first.into_wide(py, numbers.as_mut())?;
        let second = second.map(|list| list.into_wide(py, numbers.as_mut()));
        Ok(Self::Wide((first, second.transpose()?)))
    }
}

pub fn strings<'a, S: Symbol>(
    py: Python<'_>,
    symbols: impl Into<Cow<'a, [S]>>,
    offsets: impl Into<Cow<'a, [u64]>>,
) -> PyResult<Strings<'a, S>> {
    Strings::new(symbols, offsets).map_err(|error| raised(py, error))
}
