//! Queries of lists of strings.

use std::ops::ControlFlow;

use crate::engine::task::ForEach;
use crate::error::Result;
use crate::matching::Letter;
use crate::neighbors::{ClusterOptions, NeighborOptions};
use crate::pairs::strings::{TypedSides, sides};
use crate::pairs::tokens::is_space;
use crate::pairs::{Kept, KeptBlock, Known, PairBlock, PairOptions, PairValue};
use crate::pairs::{MIN_QUERIES, Selection, Strings};
use crate::search::SearchOptions;
use crate::sequences::codes::Symbol;
use crate::sequences::typed::{Typed, for_type, map_type};

/// A list of strings, whose symbols and offsets are borrowed or owned.
///
/// ```
/// use swath::pairs::Strings;
/// use swath::query::StringList;
///
/// let list = StringList::Bytes(Strings::new(&b"teateam"[..], vec![0, 3, 3, 7])?);
/// assert!((0..list.len()).map(|string| list.len_of(string)).eq([3, 0, 4]));
/// # Ok::<(), swath::Error>(())
/// ```
pub type StringList<'a> = Typed<Strings<'a, u8>, Strings<'a, u32>, Strings<'a, Letter>>;

impl StringList<'_> {
    /// Number of strings.
    #[must_use]
    pub fn len(&self) -> usize {
        for_type!(self, |strings| strings.len())
    }

    /// True if there are no strings.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Length of string `index` in symbols.
    ///
    /// # Panics
    /// Behind the last string, like a slice index.
    #[must_use]
    pub fn len_of(&self, index: usize) -> usize {
        for_type!(self, |strings| strings.len_of(index))
    }

    /// Symbols of all strings.
    #[must_use]
    pub fn symbols(&self) -> u64 {
        for_type!(self, |strings| strings.symbols().len() as u64)
    }

    /// Copies of the strings at these positions.
    ///
    /// # Panics
    /// Behind the last string, like a slice index.
    #[must_use]
    pub fn select(&self, positions: impl Iterator<Item = usize>) -> StringList<'static> {
        map_type!(self, |strings| strings.select(positions))
    }

    /// Borrows the list, without copying symbols or offsets.
    #[must_use]
    pub fn borrowed(&self) -> StringList<'_> {
        map_type!(self, |strings| strings.borrowed())
    }

    /// The list as [`Strings::prepared`].
    #[must_use]
    pub fn prepared(self) -> Self {
        map_type!(self, |strings| strings.prepared())
    }
}

impl<'a> TypedSides<'a> {
    /// One or two lists in the narrowest type.
    fn of_lists(first: StringList<'a>, second: Option<StringList<'a>>) -> Result<Self> {
        let mut lists: Vec<_> = [Some(first), second].into_iter().flatten().collect();
        if let Some(bytes) = NarrowBytes::of(&lists) {
            lists = lists.into_iter().map(|list| bytes.narrowed(list)).collect();
        }
        Self::unified_lists(lists)
    }

    fn unified_lists(lists: impl IntoIterator<Item = StringList<'a>>) -> Result<Self> {
        let lists = Typed::unified(lists, |list| list.map(u32::from))?;
        Ok(map_type!(lists, |lists| sides(lists.into_iter())))
    }
}

/// The byte of each number: its own up to 127, then those that lists have, in the same order, which
/// sorted tokens keep.
struct NarrowBytes(Vec<u8>);

impl NarrowBytes {
    /// Above all code points of Unicode.
    const MAX_NUMBERS: usize = 1 << 21;

    /// `None` if no list has numbers or one has letters, and for numbers that do not fit or are
    /// white space, which bytes above 127 are not.
    fn of(lists: &[StringList<'_>]) -> Option<Self> {
        if lists.iter().all(|list| matches!(list, Typed::Bytes(_))) {
            return None;
        }
        let mut bytes = Self((0..128).collect());
        for list in lists {
            match list {
                Typed::Bytes(list) if list.symbols().is_ascii() => {}
                Typed::Bytes(list) => bytes.mark(list.symbols())?,
                Typed::Numbers(list) => bytes.mark(list.symbols())?,
                Typed::Letters(_) => return None,
            }
        }
        let mut next = 128u8..=255;
        for (number, byte) in bytes.0.iter_mut().enumerate().skip(128) {
            if *byte != 0 {
                *byte = next.next().filter(|_| !is_space::<u32>(number))?;
            }
        }
        Some(bytes)
    }

    /// Marks the numbers above 127 that a list has.
    fn mark<S: Symbol>(&mut self, symbols: &[S]) -> Option<()> {
        for number in symbols.iter().map(|symbol| symbol.place()) {
            if number >= self.0.len() {
                if number >= Self::MAX_NUMBERS {
                    return None;
                }
                self.0.resize(number + 1, 0);
            }
            self.0[number] |= u8::from(number > 127);
        }
        Some(())
    }

    fn narrowed<'a>(&self, list: StringList<'a>) -> StringList<'a> {
        match list {
            Typed::Bytes(list) if !list.symbols().is_ascii() => {
                Typed::Bytes(list.map(|byte| self.0[usize::from(byte)]))
            }
            Typed::Numbers(list) => Typed::Bytes(list.map(|number| self.0[number as usize])),
            list => list,
        }
    }
}

/// [`Pairs`](crate::Pairs) as a query.
///
/// ```
/// use swath::pairs::{Selection, Strings};
/// use swath::query::{Pairs, StringList};
/// use swath::{Engine, Options};
///
/// let numbers = |text: &str| text.chars().map(u32::from).collect::<Vec<_>>();
/// let queries = StringList::Bytes(Strings::from_slices(["grosse"]));
/// let targets = StringList::Numbers(Strings::from_slices([numbers("große"), numbers("grosse")]));
/// let pairs = Pairs::of(queries, Some(targets), Selection::Cross)?;
/// assert!(Engine::new(Options::default())?.run(&pairs)?.values.iter().eq([2, 0]));
/// # Ok::<(), swath::Error>(())
/// ```
#[derive(Clone, Debug)]
#[must_use = "an engine runs it"]
pub struct Pairs<'a> {
    pub(crate) lists: TypedSides<'a>,
    /// The pairs, and their value.
    pub options: PairOptions<'a>,
}

impl<'a> Pairs<'a> {
    /// Creates the query for the edit distances of pairs of two lists, or of one.
    ///
    /// The lists are brought to the narrowest type. Numbers up to 2^21 become bytes, which are
    /// faster to compare, if at most 128 different ones exceed 127 and there are more than a few
    /// queries.
    ///
    /// # Errors
    /// As for `Pair::of_symbols`.
    pub fn of(
        queries: StringList<'a>,
        targets: Option<StringList<'a>>,
        selection: Selection<'a>,
    ) -> Result<Self> {
        let are_few = queries.len() < MIN_QUERIES && matches!(targets, Some(Typed::Numbers(_)));
        let lists = if are_few {
            TypedSides::unified_lists([queries].into_iter().chain(targets))?
        } else {
            TypedSides::of_lists(queries, targets)?
        };
        Ok(Self {
            lists,
            options: selection.into(),
        })
    }

    /// Passes the values to `sink` block by block, as [`Pairs::for_each`](crate::Pairs::for_each).
    pub fn for_each<F>(self, sink: F) -> ForEach<Self, F>
    where
        F: FnMut(PairBlock<'_>) -> ControlFlow<()>,
    {
        ForEach::new(self, sink)
    }

    /// Passes the pairs within the bound to `sink`, as
    /// [`Pairs::for_each_kept`](crate::Pairs::for_each_kept).
    pub fn for_each_kept<F>(self, sink: F) -> ForEach<Kept<Self>, F>
    where
        F: FnMut(KeptBlock<'_>) -> ControlFlow<()>,
    {
        ForEach::new(Kept(self), sink)
    }

    /// Aligns pairs whose values are known, as [`Pairs::alignments`](crate::Pairs::alignments).
    pub fn alignments(self, pairs: &'a [PairValue]) -> Alignments<'a> {
        Alignments {
            lists: self.lists,
            known: Known {
                pairs,
                offsets: None,
                measure: self.options.measure,
                mode: self.options.mode,
            },
        }
    }
}

/// Closure that takes values block by block, of a type known at run time.
///
/// ```
/// use std::ops::ControlFlow;
///
/// use swath::pairs::{KeptBlock, Selection, Strings};
/// use swath::query::{KeptSink, Pairs, Query, StringList};
/// use swath::{Engine, Options};
///
/// let words = StringList::Bytes(Strings::from_slices(["stream", "steam", "team"]));
/// let mut pairs = Pairs::of(words, None, Selection::Symmetric)?;
/// pairs.options.within = Some(1);
/// let mut near = Vec::new();
/// let sink: KeptSink = Box::new(|block: KeptBlock| {
///     near.extend_from_slice(block.kept);
///     ControlFlow::Continue(())
/// });
/// Engine::new(Options::default())?.run(&Query::from(pairs.for_each_kept(sink)))?;
/// assert_eq!((near[1].query, near[1].target), (1, 2));
/// # Ok::<(), swath::Error>(())
/// ```
pub type KeptSink<'a> = Box<dyn FnMut(KeptBlock<'_>) -> ControlFlow<()> + Send + 'a>;

/// As [`KeptSink`], for the values of all pairs.
pub type ValueSink<'a> = Box<dyn FnMut(PairBlock<'_>) -> ControlFlow<()> + Send + 'a>;

/// [`Alignments`](crate::pairs::Alignments) as a query, from [`Pairs::alignments`].
#[derive(Clone, Debug)]
#[must_use = "an engine runs it"]
pub struct Alignments<'a> {
    pub(crate) lists: TypedSides<'a>,
    pub(crate) known: Known<'a>,
}

/// [`Neighbors`](crate::Neighbors) as a query.
///
/// ```
/// use swath::pairs::Strings;
/// use swath::query::{Neighbors, StringList};
/// use swath::{Engine, Options};
///
/// let engine = Engine::new(Options::default())?;
/// let words = StringList::Bytes(Strings::from_slices(["stream", "steam", "team", "cat"]));
/// let mut query = Neighbors::of(words, None)?;
/// query.options.within = 1;
/// assert_eq!(engine.run(&query)?.neighbors.len(), 2);
/// assert_eq!(engine.run(&query.clusters())?.clusters, [0, 0, 0, 1]);
/// # Ok::<(), swath::Error>(())
/// ```
#[derive(Clone, Debug)]
#[must_use = "an engine runs it"]
pub struct Neighbors<'a> {
    pub(crate) lists: TypedSides<'a>,
    /// The greatest distance, the groups, and the share of the pairs.
    pub options: NeighborOptions<'a>,
}

impl<'a> Neighbors<'a> {
    /// Creates the query for the pairs of two lists, or of one.
    ///
    /// # Errors
    /// As for `Pair::of_symbols`.
    pub fn of(rows: StringList<'a>, columns: Option<StringList<'a>>) -> Result<Self> {
        let lists = match &columns {
            // Its index is of numbers.
            Some(Typed::Numbers(list)) if list.is_prepared() => {
                TypedSides::unified_lists([rows].into_iter().chain(columns))?
            }
            _ => TypedSides::of_lists(rows, columns)?,
        };
        Ok(Self {
            lists,
            options: NeighborOptions::default(),
        })
    }

    /// Clusters of the strings of the first list, as
    /// [`Neighbors::clusters`](crate::Neighbors::clusters).
    pub fn clusters(mut self) -> Clusters<'a> {
        self.lists = map_type!(self.lists, |(list, _)| (list, None));
        self.options.shard = (0, 1);
        Clusters {
            neighbors: self,
            options: ClusterOptions::default(),
        }
    }
}

/// [`Search`](crate::Search) as a query.
///
/// ```
/// use swath::pairs::Strings;
/// use swath::query::{Search, StringList};
/// use swath::{Engine, Options};
///
/// let patterns = StringList::Bytes(Strings::from_slices(["team"]));
/// let texts = StringList::Bytes(Strings::from_slices(["a stream", "tea"]));
/// let mut query = Search::of(patterns, texts)?;
/// query.options.within = 1;
/// let places = Engine::new(Options::default())?.run(&query)?.answer.places;
/// assert_eq!((places[0].start..places[0].end, places[1].cost), (3..8, 1));
/// # Ok::<(), swath::Error>(())
/// ```
#[derive(Clone, Debug)]
#[must_use = "an engine runs it"]
pub struct Search<'a> {
    pub(crate) lists: TypedSides<'a>,
    /// The greatest distance, the strands, and which ends are places.
    pub options: SearchOptions,
}

impl<'a> Search<'a> {
    /// Creates the query for all patterns in all texts.
    ///
    /// # Errors
    /// As for `Pair::of_symbols`.
    pub fn of(patterns: StringList<'a>, texts: StringList<'a>) -> Result<Self> {
        Ok(Self {
            lists: TypedSides::of_lists(patterns, Some(texts))?,
            options: SearchOptions::default(),
        })
    }
}

/// [`Clusters`](crate::neighbors::Clusters) as a query, from [`Neighbors::clusters`].
#[derive(Clone, Debug)]
#[must_use = "an engine runs it"]
pub struct Clusters<'a> {
    pub(crate) neighbors: Neighbors<'a>,
    /// Abundance of the strings, and how pairs become clusters.
    pub options: ClusterOptions<'a>,
}
