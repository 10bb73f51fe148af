//! Lists of strings of Python.

use std::borrow::Cow;
use std::collections::HashMap;
use std::mem::take;

use arrow_array::ArrayRef;
use foldhash::fast::RandomState;
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
        let split = |text: &Bound<'py, PyAny>| {
            if text.is_instance_of::<PyString>() {
                text.call_method0("split")
            } else {
                Ok(text.clone())
            }
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

/// Strings of bytes, of symbols of 32 bits, or of any symbols.
pub enum ListSymbols<'a> {
    Bytes(Strings<'a, u8>),
    Wide(Strings<'a, u32>),
    Any(Vec<Symbols<'a>>),
}

/// Two lists in one symbol type. The second is `None` if it is the first.
pub enum Lists<'a> {
    Bytes((Strings<'a, u8>, Option<Strings<'a, u8>>)),
    Wide((Strings<'a, u32>, Option<Strings<'a, u32>>)),
}

/// Collects strings in the narrowest symbols, in one buffer as long as it holds all of them.
#[derive(Default)]
pub struct ListBuilder<'a> {
    bytes: Vec<u8>,
    /// All symbols, once some are wider than bytes.
    wide: Option<Vec<u32>>,
    /// All strings, once some are wider than 32 bits.
    others: Option<Vec<Symbols<'a>>>,
    ends: Vec<u64>,
    missing: Vec<usize>,
}

impl<'a> ListBuilder<'a> {
    /// Appends a string; `None` is a missing one.
    pub fn push(&mut self, symbols: Option<Symbols<'a>>) {
        if symbols.is_none() {
            self.missing.push(self.ends.len());
        }
        let symbols = symbols.unwrap_or(Symbols::Bytes(Cow::Borrowed(&[])));
        match (&symbols, &mut self.wide) {
            _ if self.others.is_some() => {}
            (Symbols::Bytes(string), None) => self.bytes.extend_from_slice(string),
            (Symbols::Bytes(string), Some(wide)) => {
                wide.extend(string.iter().copied().map(u32::from))
            }
            (Symbols::Wide(string), wide) => wide
                .get_or_insert_with(|| take(&mut self.bytes).into_iter().map(u32::from).collect())
                .extend_from_slice(string),
            (Symbols::Long(_) | Symbols::Objects(_), _) => self.others = Some(self.separate()),
        }
        let len = self.wide.as_ref().map_or(self.bytes.len(), Vec::len);
        self.ends.push(len as u64);
        if let Some(others) = &mut self.others {
            others.push(symbols);
        }
    }

    /// Copies of the strings in the buffer.
    fn separate(&self) -> Vec<Symbols<'a>> {
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        let range = |(start, &end): (u64, &u64)| start as usize..end as usize;
        let ranges = starts.zip(&self.ends).map(range);
        match &self.wide {
            None => ranges
                .map(|range| Symbols::Bytes(self.bytes[range].to_vec().into()))
                .collect(),
            Some(wide) => ranges
                .map(|range| Symbols::Wide(wide[range].to_vec().into()))
                .collect(),
        }
    }

    /// # Errors
    /// For objects that cannot be created.
    pub fn build(self, py: Python<'_>) -> PyResult<StringList<'a>> {
        let offsets: Vec<u64> = std::iter::once(0).chain(self.ends).collect();
        let symbols = match (self.others, self.wide) {
            (Some(others), _) => ListSymbols::Any(others),
            (None, Some(wide)) => ListSymbols::Wide(strings(py, wide, offsets)?),
            (None, None) => ListSymbols::Bytes(strings(py, self.bytes, offsets)?),
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
            ListSymbols::Wide(strings) => strings.len(),
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
            Self::Bytes(_) | Self::Wide(_) => &[],
            Self::Any(strings) => strings,
        }
    }

    fn into_bytes(self, py: Python<'_>, bytes: &Bytes) -> PyResult<Strings<'a, u8>> {
        fn converted<S: Symbol + Into<u32>>(
            py: Python<'_>,
            list: &Strings<'_, S>,
            bytes: &Bytes,
        ) -> PyResult<Strings<'static, u8>> {
            let (mut symbols, mut offsets) = (Vec::new(), vec![0]);
            for string in list.iter() {
                symbols.extend(string.iter().map(|&symbol| bytes.byte(symbol.into())));
                offsets.push(symbols.len() as u64);
            }
            strings(py, symbols, offsets)
        }
        match self {
            Self::Bytes(list) if bytes.others.is_empty() || list.iter().all(<[u8]>::is_ascii) => {
                Ok(list)
            }
            Self::Bytes(list) => converted(py, &list, bytes),
            Self::Wide(list) => converted(py, &list, bytes),
            Self::Any(_) => unreachable!("objects have been numbered"),
        }
    }

    fn into_wide(
        self,
        py: Python<'_>,
        mut numbers: Option<&mut Numbers<'_>>,
    ) -> PyResult<Strings<'a, u32>> {
        let list = match self {
            Self::Wide(list) if numbers.is_none() => return Ok(list),
            list => list,
        };
        let (mut wide, mut offsets) = (Vec::new(), vec![0]);
        let mut push = |symbols: Symbols<'_>| -> PyResult<()> {
            match (&symbols, &mut numbers) {
                (Symbols::Bytes(bytes), None) => wide.extend(bytes.iter().copied().map(u32::from)),
                _ => wide.extend_from_slice(&symbols.into_wide(numbers.as_deref_mut())?),
            }
            offsets.push(wide.len() as u64);
            Ok(())
        };
        match list {
            Self::Bytes(list) => list
                .iter()
                .try_for_each(|string| push(Symbols::Bytes(string.into())))?,
            Self::Wide(list) => list
                .iter()
                .try_for_each(|string| push(Symbols::Wide(string.into())))?,
            Self::Any(list) => list.into_iter().try_for_each(push)?,
        }
        strings(py, wide, offsets)
    }
}

impl<'a> Lists<'a> {
    /// Brings two lists to one symbol type: to bytes if few symbols are different.
    pub fn unify(
        py: Python<'_>,
        mut first: ListSymbols<'a>,
        mut second: Option<ListSymbols<'a>>,
    ) -> PyResult<Self> {
        let of_second = second.as_ref().map_or(&[][..], ListSymbols::any);
        let mut numbers = Symbols::numbers(py, first.any().iter().chain(of_second));
        let mut wide = |list: ListSymbols<'a>| list.into_wide(py, numbers.as_mut());
        if !first.any().is_empty() || !of_second.is_empty() {
            first = ListSymbols::Wide(wide(first)?);
            second = second.map(&mut wide).transpose()?.map(ListSymbols::Wide);
        }
        match Bytes::of([Some(&first), second.as_ref()].into_iter().flatten()) {
            Some(bytes) => {
                let first = first.into_bytes(py, &bytes)?;
                let second = second.map(|list| list.into_bytes(py, &bytes));
                Ok(Self::Bytes((first, second.transpose()?)))
            }
            None => {
                let first = first.into_wide(py, None)?;
                let second = second.map(|list| list.into_wide(py, None));
                Ok(Self::Wide((first, second.transpose()?)))
            }
        }
    }
}

/// Bytes that stand for symbols: ASCII for itself, others for the symbols from 128 on.
#[derive(Default)]
struct Bytes {
    /// Empty if all lists are of bytes, which stand for themselves.
    others: HashMap<u32, u8, RandomState>,
}

impl Bytes {
    /// `None` if there are more than 128 symbols from 128 on.
    fn of<'l, 'a: 'l>(lists: impl Iterator<Item = &'l ListSymbols<'a>> + Clone) -> Option<Self> {
        let mut bytes = Self::default();
        if lists
            .clone()
            .all(|list| matches!(list, ListSymbols::Bytes(_)))
        {
            return Some(bytes);
        }
        for list in lists {
            match list {
                ListSymbols::Bytes(list) => bytes.add(list)?,
                ListSymbols::Wide(list) => bytes.add(list)?,
                ListSymbols::Any(_) => return None,
            }
        }
        Some(bytes)
    }

    fn add<S: Symbol + Into<u32>>(&mut self, list: &Strings<'_, S>) -> Option<()> {
        for &symbol in list.iter().flatten() {
            let symbol = symbol.into();
            if symbol >= 128 && !self.others.contains_key(&symbol) {
                let byte = u8::try_from(128 + self.others.len()).ok()?;
                self.others.insert(symbol, byte);
            }
        }
        Some(())
    }

    fn byte(&self, symbol: u32) -> u8 {
        if symbol < 128 {
            return symbol as u8;
        }
        self.others[&symbol]
    }
}

pub fn strings<'a, S: Symbol>(
    py: Python<'_>,
    symbols: impl Into<Cow<'a, [S]>>,
    offsets: impl Into<Cow<'a, [u64]>>,
) -> PyResult<Strings<'a, S>> {
    Strings::new(symbols, offsets).map_err(|error| raised(py, error))
}
