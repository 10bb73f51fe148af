//! Lists of strings of Python.

use std::mem::take;
use std::sync::OnceLock;

use arrow_array::ArrayRef;
use pyo3::exceptions::{PyIndexError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyList, PyString};
use swath::pairs;
use swath::query::{StringList, Symbols};

use crate::arrow;
use crate::errors::{Named, OrRaise, check_callable};
use crate::symbols::{Numbers, Sequence, borrowed, is_missing};

/// A list of sequences that is read once, for many calls: wherever a list is taken.
///
/// The first call of few queries on the CPU keeps its strings of up to 64 symbols in SIMD lanes for
/// later ones. This takes about a hundred bytes of memory for each, at most 3 KiB for a long one.
/// `neighbors` with it as the second list keeps an index for the last bound, unless there are keys or
/// shards; GPUs keep its codes until another call needs the memory. If strings are missing, the first
/// `neighbors`, `clusters` or `search` copies the present ones.
///
/// Args:
///     strings: text, bytes or integers, as for `cdist`. Later changes of the list are not seen.
///
/// Examples:
///     >>> import swath
///     >>> names = swath.Choices(["team", "stream", None, "mast"])
///     >>> swath.extract("steam", names, limit=1), swath.extract("mist", names, limit=1)
///     ([('team', 1, 0)], [('mast', 1, 3)])
///     >>> len(names), names[1]
///     (4, 'stream')
#[pyclass(frozen, module = "swath")]
pub struct Choices {
    held: Held,
    list: StringList<'static>,
    missing: Vec<usize>,
    /// The present strings, if some are missing and a call has needed these.
    present: OnceLock<StringList<'static>>,
}

/// The strings as Python gave them.
enum Held {
    Arrow(Vec<ArrayRef>),
    Items(Vec<Py<PyAny>>),
}

#[pymethods]
impl Choices {
    #[new]
    fn new(py: Python<'_>, strings: &Bound<'_, PyAny>) -> PyResult<Self> {
        let source = Source::of("strings", strings)?;
        let read = source.strings(py)?;
        if !read.are_text() {
            return Err(PyTypeError::new_err(
                "strings: Choices hold text, bytes and integers of 32 bits; give the list itself",
            ));
        }
        let list = read.list.select(0..read.list.len()).prepared();
        let missing = read.missing;
        let held = match source.given {
            Given::Arrow(chunks) => Held::Arrow(chunks),
            Given::Items(items) => Held::Items(items.into_iter().map(Bound::unbind).collect()),
            Given::Prepared(_) => {
                return Err(PyTypeError::new_err(
                    "strings: a list is needed, and these are Choices",
                ));
            }
        };
        Ok(Self {
            held,
            list,
            missing,
            present: OnceLock::new(),
        })
    }

    fn __len__(&self) -> usize {
        self.list.len()
    }

    fn __getitem__<'py>(&self, py: Python<'py>, index: usize) -> PyResult<Bound<'py, PyAny>> {
        if index >= self.list.len() {
            return Err(PyIndexError::new_err("there are no more strings"));
        }
        match &self.held {
            Held::Items(items) => Ok(items[index].bind(py).clone()),
            Held::Arrow(chunks) => arrow::item(py, chunks, index),
        }
    }
}

impl Choices {
    fn strings(&self) -> Strings<'_> {
        Strings {
            present: Some(&self.present),
            ..Strings::of_bytes_or_numbers(self.list.borrowed(), self.missing.clone())
        }
    }
}

/// An argument that is a list of strings.
pub struct Source<'py> {
    name: &'static str,
    given: Given<'py>,
}

/// Strings of a list, as Python gives them.
enum Given<'py> {
    Prepared(Bound<'py, Choices>),
    /// Chunks of an Arrow array.
    Arrow(Vec<ArrayRef>),
    Items(Vec<Bound<'py, PyAny>>),
}

impl<'py> Given<'py> {
    fn of(object: &Bound<'py, PyAny>) -> PyResult<Self> {
        if object.cast::<PyString>().is_ok() || object.cast::<PyBytes>().is_ok() {
            return Err(PyTypeError::new_err(
                "a list of strings is needed, not a single one; put it into a list",
            ));
        }
        if let Ok(choices) = object.cast::<Choices>() {
            return Ok(Self::Prepared(choices.clone()));
        }
        if let Some(chunks) = arrow::chunks(object)? {
            return Ok(Self::Arrow(chunks));
        }
        if let Ok(list) = object.cast_exact::<PyList>() {
            return Ok(Self::Items(list.iter().collect()));
        }
        let items = object.try_iter()?.collect::<PyResult<_>>()?;
        Ok(Self::Items(items))
    }
}

impl<'py> Source<'py> {
    /// # Errors
    /// `TypeError` for a `str`, `bytes`, or what cannot be iterated.
    pub fn of(name: &'static str, object: &Bound<'py, PyAny>) -> PyResult<Self> {
        let given = Given::of(object).named(object.py(), name)?;
        Ok(Self { name, given })
    }

    /// The strings as text, if all of them are.
    pub fn texts(&self) -> Option<Vec<&str>> {
        match &self.given {
            Given::Prepared(_) => None,
            Given::Arrow(chunks) => arrow::texts(chunks),
            Given::Items(items) => items.iter().map(text).collect(),
        }
    }

    /// A string as a Python object.
    pub fn item(&self, py: Python<'py>, index: usize) -> PyResult<Bound<'py, PyAny>> {
        match &self.given {
            Given::Prepared(choices) => choices.get().__getitem__(py, index),
            Given::Items(items) => Ok(items[index].clone()),
            Given::Arrow(chunks) => arrow::item(py, chunks, index),
        }
    }

    fn len(&self) -> usize {
        match &self.given {
            Given::Prepared(choices) => choices.get().list.len(),
            Given::Arrow(chunks) => chunks.iter().map(|chunk| chunk.len()).sum(),
            Given::Items(items) => items.len(),
        }
    }

    /// The source with `change` applied to each string.
    fn map(
        &self,
        py: Python<'py>,
        change: impl Fn(Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>>,
    ) -> PyResult<Self> {
        let items = (0..self.len()).map(|index| change(self.item(py, index)?));
        Ok(Self {
            name: self.name,
            given: Given::Items(items.collect::<PyResult<_>>()?),
        })
    }

    /// The source with each text split into a list of words.
    ///
    /// # Errors
    /// If Python's `str.split` fails.
    pub fn split(self, py: Python<'py>) -> PyResult<Self> {
        if matches!(&self.given, Given::Arrow(chunks) if arrow::texts(chunks).is_none()) {
            return Ok(self);
        }
        self.map(py, |text| {
            if text.is_instance_of::<PyString>() {
                text.call_method0("split")
            } else {
                Ok(text)
            }
        })
    }

    /// The source with each string that is not missing processed; `None` without a processor.
    ///
    /// # Errors
    /// The exception that the processor raises.
    pub fn processed(
        &self,
        py: Python<'py>,
        processor: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Option<Self>> {
        let processor =
            processor.map(|processor| self.map(py, |string| processed(string, Some(processor))));
        processor.transpose()
    }

    /// # Errors
    /// `TypeError` for an item that is no sequence.
    pub fn strings(&self, py: Python<'_>) -> PyResult<Strings<'_>> {
        match &self.given {
            Given::Prepared(choices) => Ok(choices.get().strings()),
            Given::Arrow(chunks) => arrow::strings(py, chunks).named(py, self.name),
            Given::Items(items) => Strings::of_items(py, self.name, items),
        }
    }
}

/// The string as the processor returns it; itself if it is missing, or without a processor.
///
/// # Errors
/// The exception that the processor raises.
pub fn processed<'py>(
    string: Bound<'py, PyAny>,
    processor: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    match processor {
        Some(processor) if !is_missing(&string) => {
            check_callable("processor", processor)?;
            processor.call1((string,))
        }
        _ => Ok(string),
    }
}

fn text<'a>(item: &'a Bound<'_, PyAny>) -> Option<&'a str> {
    item.cast::<PyString>().ok()?.to_str().ok()
}

/// A list of strings. A missing string is empty, and its position is in `missing`.
pub struct Strings<'a> {
    pub list: StringList<'a>,
    pub missing: Vec<usize>,
    /// Strings of other symbols, which are empty in the list, by position.
    others: Vec<(usize, Sequence<'a>)>,
    /// The present strings of a prepared list, once a call has needed them.
    present: Option<&'a OnceLock<StringList<'static>>>,
}

/// Collects strings in the narrowest symbols.
pub struct ListBuilder<'a> {
    bytes: Vec<u8>,
    /// All symbols, once some are wider than bytes.
    wide: Option<Vec<u32>>,
    offsets: Vec<u64>,
    missing: Vec<usize>,
    others: Vec<(usize, Sequence<'a>)>,
}

impl<'a> ListBuilder<'a> {
    /// An empty list with room for `count` strings.
    pub fn new(count: usize) -> Self {
        let mut offsets = Vec::with_capacity(count + 1);
        offsets.push(0);
        Self {
            bytes: Vec::new(),
            wide: None,
            offsets,
            missing: Vec::new(),
            others: Vec::new(),
        }
    }

    /// Appends a string; `None` is a missing one.
    pub fn push(&mut self, string: Option<Sequence<'a>>) {
        let position = self.offsets.len() - 1;
        match (string, &mut self.wide) {
            (None, _) => self.missing.push(position),
            (Some(Sequence::Symbols(Symbols::Bytes(string))), None) => {
                self.bytes.extend_from_slice(&string);
            }
            (Some(Sequence::Symbols(Symbols::Bytes(string))), Some(wide)) => {
                wide.extend(string.iter().copied().map(u32::from));
            }
            (Some(Sequence::Symbols(Symbols::Numbers(string))), wide) => wide
                .get_or_insert_with(|| take(&mut self.bytes).into_iter().map(u32::from).collect())
                .extend_from_slice(&string),
            (Some(other), _) => self.others.push((position, other)),
        }
        let len = self.wide.as_ref().map_or(self.bytes.len(), Vec::len);
        self.offsets.push(len as u64);
    }

    /// # Errors
    /// For objects that cannot be created.
    pub fn build(self, py: Python<'_>) -> PyResult<Strings<'a>> {
        let list = match self.wide {
            Some(wide) => pairs::Strings::new(wide, self.offsets).map(StringList::Numbers),
            None => pairs::Strings::new(self.bytes, self.offsets).map(StringList::Bytes),
        };
        Ok(Strings {
            others: self.others,
            ..Strings::of_bytes_or_numbers(list.or_raise(py)?, self.missing)
        })
    }
}

impl<'a> Strings<'a> {
    /// A list without strings of other symbols.
    pub fn of_bytes_or_numbers(list: StringList<'a>, missing: Vec<usize>) -> Self {
        Self {
            list,
            missing,
            others: Vec::new(),
            present: None,
        }
    }

    fn of_items(py: Python<'_>, name: &str, items: &'a [Bound<'_, PyAny>]) -> PyResult<Self> {
        let mut builder = ListBuilder::new(items.len());
        for (index, item) in items.iter().enumerate() {
            match borrowed(item) {
                Some(string) => {
                    builder.push(Some(Sequence::Symbols(Symbols::Bytes(string.into()))))
                }
                None if is_missing(item) => builder.push(None),
                None => {
                    let sequence = Sequence::read(item);
                    builder.push(Some(sequence.named(py, format_args!("{name}[{index}]"))?));
                }
            }
        }
        builder.build(py)
    }

    /// A list of one string.
    pub fn one(py: Python<'_>, string: Sequence<'a>) -> PyResult<Self> {
        let mut builder = ListBuilder::new(1);
        builder.push(Some(string));
        builder.build(py)
    }

    /// Brings one or two lists to symbols.
    pub fn unify(
        py: Python<'_>,
        first: Self,
        second: Option<Self>,
    ) -> PyResult<(Self, Option<Self>)> {
        let others = first.others.iter();
        let others = others.chain(second.iter().flat_map(|list| &list.others));
        let mut numbers = Numbers::of(py, others.map(|other| &other.1));
        let first = first.numbered(py, &mut numbers)?;
        let second = second.map(|list| list.numbered(py, &mut numbers));
        Ok((first, second.transpose()?))
    }

    /// True for strings of characters, bytes and small integers: those whose symbols are not
    /// numbered in order of appearance.
    pub fn are_text(&self) -> bool {
        self.others.is_empty()
    }

    /// The strings with letters in lower case: those of ASCII in bytes, those of Unicode that have
    /// one lower case letter in text.
    pub fn in_lower_case(self) -> Self {
        let list = match &self.list {
            StringList::Bytes(list) => {
                let strings = list.iter().map(<[u8]>::to_ascii_lowercase);
                StringList::Bytes(pairs::Strings::from_slices(strings))
            }
            StringList::Numbers(list) => {
                let folded = |&one: &u32| char::from_u32(one).map_or(one, lower_case);
                let strings = list
                    .iter()
                    .map(|one| one.iter().map(folded).collect::<Vec<_>>());
                StringList::Numbers(pairs::Strings::from_slices(strings))
            }
            StringList::Letters(_) => unreachable!("Python has no letters"),
        };
        Self {
            list,
            present: None,
            ..self
        }
    }

    fn numbered(self, py: Python<'_>, numbers: &mut Numbers<'_>) -> PyResult<Self> {
        if let Numbers::None = numbers {
            return Ok(self);
        }
        let mut others = self.others.into_iter().peekable();
        let (mut symbols, mut offsets) = (Vec::new(), vec![0]);
        for index in 0..self.list.len() {
            let other = others.next_if(|other| other.0 == index);
            let string = match (other, &self.list) {
                (Some((_, other)), _) => other,
                (None, StringList::Bytes(list)) => {
                    Sequence::Symbols(Symbols::Bytes(list[index].into()))
                }
                (None, StringList::Numbers(list)) => {
                    Sequence::Symbols(Symbols::Numbers(list[index].into()))
                }
                (None, StringList::Letters(_)) => unreachable!("Python has no letters"),
            };
            if let Symbols::Numbers(string) = string.numbered(numbers)? {
                symbols.extend_from_slice(&string);
            }
            offsets.push(symbols.len() as u64);
        }
        let list = pairs::Strings::new(symbols, offsets).or_raise(py)?;
        Ok(Self::of_bytes_or_numbers(
            StringList::Numbers(list),
            self.missing,
        ))
    }
}

/// Code point of the lower case letter; that of the letter itself if it has none or several.
fn lower_case(letter: char) -> u32 {
    let mut lower = letter.to_lowercase();
    match (lower.next(), lower.next()) {
        (Some(only), None) => only.into(),
        _ => letter.into(),
    }
}

/// Lengths of the strings of a list.
pub fn lens(list: &StringList<'_>) -> Vec<u32> {
    (0..list.len())
        .map(|index| list.len_of(index) as u32)
        .collect()
}

/// The strings of a list that are not missing, and their positions in it.
pub struct Present {
    /// Empty if none is missing.
    positions: Vec<i64>,
    pub symbols: u128,
}

impl Present {
    pub fn of(strings: Strings<'_>) -> (Self, StringList<'_>) {
        let Strings {
            list,
            missing,
            present,
            ..
        } = strings;
        let symbols = list.symbols().into(); // A missing string has none.
        if missing.is_empty() {
            let positions = Vec::new();
            return (Self { positions, symbols }, list);
        }
        let is_present = |index: &usize| missing.binary_search(index).is_err();
        let indices = || (0..list.len()).filter(is_present);
        let positions = indices().map(|index| index as i64).collect();
        let list = match present {
            Some(present) => present
                .get_or_init(|| list.select(indices()).prepared())
                .borrowed(),
            None => list.select(indices()),
        };
        (Self { positions, symbols }, list)
    }

    pub fn position(&self, index: u32) -> i64 {
        let known = self.positions.get(index as usize).copied();
        known.unwrap_or_else(|| index.into())
    }
}
