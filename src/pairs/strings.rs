//! Lists of strings in one buffer.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

use crate::error::{Error, Result};
use crate::host::kept::Kept;
use crate::matching::Letter;
use crate::sequences::codes::Symbol;
use crate::sequences::typed::{Lists, SymbolSlice, Typed, for_type, map_type, needs_classes};

/// A list of strings: all symbols in one buffer, and the offsets of the strings in it.
///
/// This is the layout of Arrow's large strings, so such columns are borrowed without a copy.
/// Strings may be empty.
///
/// ```
/// use swath::pairs::Strings;
///
/// let words = Strings::from_slices(["tea", "", "team"]);
/// assert_eq!((words.len(), &words[2]), (3, &b"team"[..]));
/// let borrowed = Strings::new(&b"teateam"[..], vec![0, 3, 3, 7])?;
/// assert_eq!(borrowed, words);
/// # Ok::<(), swath::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Strings<'a, S: Symbol = u8> {
    symbols: Cow<'a, [S]>,
    /// One more than there are strings.
    offsets: Cow<'a, [u64]>,
    /// Derived from these symbols, for all calls with the list and its borrows; `None` if nothing is kept.
    kept: Option<Arc<Kept>>,
}

impl<'a, S: Symbol> Strings<'a, S> {
    /// Creates the list from a buffer and offsets: string `i` is
    /// `symbols[offsets[i]..offsets[i + 1]]`. No offsets mean no strings.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] if the offsets fall, or exceed the buffer.
    pub fn new(
        symbols: impl Into<Cow<'a, [S]>>,
        offsets: impl Into<Cow<'a, [u64]>>,
    ) -> Result<Self> {
        let (symbols, mut offsets) = (symbols.into(), offsets.into());
        let mut least = 0;
        for &offset in &*offsets {
            if offset < least || offset > symbols.len() as u64 {
                let allowed = format!("from {least} to {}", symbols.len());
                return Err(Error::OutOfRange {
                    what: "an offset of the strings",
                    given: offset,
                    allowed,
                });
            }
            least = offset;
        }
        if offsets.is_empty() {
            offsets = vec![0].into();
        }
        Ok(Self {
            symbols,
            offsets,
            kept: None,
        })
    }

    /// Copies strings into one buffer.
    pub fn from_slices<T: AsRef<[S]>>(strings: impl IntoIterator<Item = T>) -> Self {
        let (mut symbols, mut offsets) = (Vec::new(), vec![0]);
        for string in strings {
            symbols.extend_from_slice(string.as_ref());
            offsets.push(symbols.len() as u64);
        }
        Self {
            symbols: symbols.into(),
            offsets: offsets.into(),
            kept: None,
        }
    }

    /// Keeps what calls derive from the list, for later calls with it or borrows of it. Answers stay the
    /// same.
    ///
    /// - The first [`Pairs::cross`](super::Pairs::cross) on the CPU with fewer than six queries and this
    ///   list as its targets puts the strings of up to 64 symbols into SIMD lanes, so that later ones
    ///   are several times as fast. This takes about a hundred bytes of memory for each name of Latin
    ///   letters, and at most 3 KiB for a string of more than 32 symbols.
    /// - [`Neighbors::between`](crate::Neighbors::between) with this list as its second one indexes it
    ///   by keys that serve any rows. The keys of the last bound stay, 18 bytes each on the CPU: a few
    ///   for each string, some hundred where the strings are short. Joins by groups or of shards
    ///   index it anew.
    /// - GPUs keep the encoded strings, until another call needs the memory.
    ///
    /// None of it counts as [`host_memory`](crate::Options::host_memory) of later calls. It is freed with
    /// the last borrow of the list.
    ///
    /// ```
    /// use swath::pairs::{Pairs, Strings};
    /// use swath::{Engine, Options};
    ///
    /// let engine = Engine::new(Options::default())?;
    /// let names = Strings::from_slices(["team", "stream", "mast"]).prepared();
    /// for (query, distances) in [("steam", [1, 1, 5]), ("mist", [4, 6, 1])] {
    ///     let query = Strings::from_slices([query]);
    ///     assert!(engine.run(&Pairs::cross(&query, &names))?.values.iter().eq(distances));
    /// }
    /// # Ok::<(), swath::Error>(())
    /// ```
    #[must_use]
    pub fn prepared(self) -> Self {
        Self {
            kept: Some(Arc::default()),
            ..self
        }
    }

    /// Borrows the list, without copying symbols or offsets.
    pub fn borrowed(&self) -> Strings<'_, S> {
        Strings {
            symbols: Cow::Borrowed(&self.symbols),
            offsets: Cow::Borrowed(&self.offsets),
            kept: self.kept.clone(),
        }
    }

    /// A list with the same offsets and other symbols.
    fn with<'b, T: Symbol>(&'b self, symbols: impl Into<Cow<'b, [T]>>) -> Strings<'b, T> {
        let symbols = symbols.into();
        let is_same = matches!(symbols, Cow::Borrowed(_));
        Strings {
            symbols,
            offsets: Cow::Borrowed(&self.offsets),
            kept: self.kept.clone().filter(|_| is_same),
        }
    }

    pub(crate) fn into_owned(self) -> Strings<'static, S> {
        Strings {
            symbols: self.symbols.into_owned().into(),
            offsets: self.offsets.into_owned().into(),
            kept: self.kept,
        }
    }

    /// Number of strings.
    pub fn len(&self) -> usize {
        self.offsets.len() - 1
    }

    /// True if there are no strings.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// String `index`, or `None` behind the last one.
    pub fn get(&self, index: usize) -> Option<&[S]> {
        let (first, end) = (*self.offsets.get(index)?, *self.offsets.get(index + 1)?);
        self.symbols.get(first as usize..end as usize)
    }

    /// The strings in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &[S]> + Clone {
        (0..self.len()).map(|index| &self[index])
    }

    /// Copies of the strings at these positions.
    pub(crate) fn select(&self, positions: impl Iterator<Item = usize>) -> Strings<'static, S> {
        Strings::from_slices(positions.map(|position| &self[position]))
    }

    pub(crate) fn symbols(&self) -> &[S] {
        &self.symbols[self.offsets[0] as usize..self.offsets[self.len()] as usize]
    }

    /// The list with other symbols.
    pub(crate) fn map<T: Symbol>(self, symbol: impl Fn(S) -> T) -> Strings<'a, T> {
        let symbols: Vec<T> = self.symbols().iter().copied().map(symbol).collect();
        let offsets = match self.offsets[0] {
            0 => self.offsets,
            start => self.offsets.iter().map(|offset| offset - start).collect(),
        };
        Strings {
            symbols: symbols.into(),
            offsets,
            kept: None,
        }
    }

    /// True if calls keep what they derive from it.
    pub(crate) fn is_prepared(&self) -> bool {
        self.kept.is_some()
    }

    pub(crate) fn len_of(&self, index: usize) -> usize {
        (self.offsets[index + 1] - self.offsets[index]) as usize
    }
}

/// A list of strings whose type of symbols is known at run time.
pub(crate) type List<'a> =
    Typed<&'a Strings<'a, u8>, &'a Strings<'a, u32>, &'a Strings<'a, Letter>>;

impl<'a> List<'a> {
    pub(crate) fn len(self) -> usize {
        for_type!(self, |list| list.len())
    }

    #[inline]
    pub(crate) fn string(self, index: usize) -> SymbolSlice<'a> {
        map_type!(self, |list| &list[index])
    }

    pub(crate) fn strings(self) -> impl Iterator<Item = SymbolSlice<'a>> {
        (0..self.len()).map(move |index| self.string(index))
    }

    #[inline]
    pub(crate) fn len_of(self, index: usize) -> usize {
        for_type!(self, |list| list.len_of(index))
    }

    pub(crate) fn lens(self) -> impl ExactSizeIterator<Item = usize> + Clone {
        (0..self.len()).map(move |index| self.len_of(index))
    }

    /// Values that calls have derived from the list, if it is prepared.
    pub(crate) fn kept(self) -> Option<&'a Kept> {
        for_type!(self, |list| list.kept.as_deref())
    }

    /// End of the first of some strings that have at most `max_symbols` symbols; at least one.
    pub(super) fn chunk_end(self, strings: Range<usize>, max_symbols: u64) -> usize {
        let Range { start: first, end } = strings;
        let before = self.symbols_before(first);
        let fits = |&index: &usize| self.symbols_before(index + 1) - before <= max_symbols;
        first + 1 + (first + 1..end).take_while(fits).count()
    }

    /// Symbols of all strings up to string `index`.
    pub(crate) fn symbols_before(self, index: usize) -> u64 {
        for_type!(self, |list| list.offsets[index] - list.offsets[0])
    }
}

/// A list of strings, and a second list if there are two.
pub(crate) type Sides<'a, S> = (Strings<'a, S>, Option<Strings<'a, S>>);

/// [`Sides`] of bytes, numbers or letters.
pub(crate) type TypedSides<'a> = Typed<Sides<'a, u8>, Sides<'a, u32>, Sides<'a, Letter>>;

impl<'a> TypedSides<'a> {
    pub(crate) fn of<S: Symbol>(
        one: &'a Strings<'_, S>,
        other: Option<&'a Strings<'_, S>>,
    ) -> Result<Self> {
        let lists = [Some(one), other].into_iter().flatten();
        let symbols: Vec<&[S]> = lists.clone().map(|list| &*list.symbols).collect();
        Ok(map_type!(Lists::of(&symbols)?, |symbols| {
            let lists = lists.zip(symbols);
            sides(lists.map(|(list, symbols)| list.with(symbols)))
        }))
    }

    /// # Errors
    /// [`Error::MethodUnavailable`] for letters.
    pub(crate) fn lists(&self, problem: &'static str) -> Result<(List<'_>, Option<List<'_>>)> {
        Ok(match self {
            Self::Bytes((one, other)) => (Typed::Bytes(one), other.as_ref().map(Typed::Bytes)),
            Self::Numbers((one, other)) => {
                (Typed::Numbers(one), other.as_ref().map(Typed::Numbers))
            }
            Self::Letters(_) => return Err(needs_classes(problem)),
        })
    }
}

pub(crate) fn sides<'a, S: Symbol>(
    mut lists: impl Iterator<Item = Strings<'a, S>>,
) -> Sides<'a, S> {
    let first = lists.next().expect("there is a first list");
    (first, lists.next())
}

impl<S: Symbol> std::ops::Index<usize> for Strings<'_, S> {
    type Output = [S];

    #[inline]
    fn index(&self, index: usize) -> &[S] {
        &self.symbols[self.offsets[index] as usize..self.offsets[index + 1] as usize]
    }
}

impl<S: Symbol> PartialEq for Strings<'_, S> {
    fn eq(&self, other: &Self) -> bool {
        self.iter().eq(other.iter())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn offsets_that_fall_or_exceed_the_buffer_are_refused() {
        for offsets in [vec![0, 4], vec![2, 1], vec![0, 3, 2], vec![9]] {
            let refused = Strings::new(&b"abc"[..], offsets.clone());
            assert!(
                matches!(refused, Err(Error::OutOfRange { .. })),
                "{offsets:?}"
            );
        }
        for (offsets, len) in [
            (vec![], 0),
            (vec![3], 0),
            (vec![1, 2], 1),
            (vec![0, 0, 3], 2),
        ] {
            let strings = Strings::new(&b"abc"[..], offsets).expect("they are in order");
            assert_eq!((strings.len(), strings.iter().len()), (len, len));
            assert!(strings.get(len).is_none());
        }
    }
}
