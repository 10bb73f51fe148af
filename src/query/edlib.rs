//! Distances with the places and the rules of edlib, for bindings with its interface.
//!
//! ```
//! use swath::query::edlib::{Parts, Request};
//! use swath::query::{Pair, Symbols};
//! use swath::{Engine, Options};
//!
//! let [query, target] = ["ACTG", "CACTRT"].map(|text| Symbols::Bytes(text.as_bytes().into()));
//! let request = Request { mode: "infix".parse()?, parts: Parts::Locations, max_distance: None };
//! let edit = request.query(Pair::of_symbols(query, target)?);
//! let report = Engine::new(Options::default())?.run(&edit)?;
//! let located = request.located(&edit.pair, report.answer);
//! assert_eq!((located.distance, &located.locations[0]), (Some(1), &(Some(1), 3)));
//! # Ok::<(), swath::Error>(())
//! ```

use super::{Edit, Pair};
use crate::edit_distance::{Alignment, EditDistance, Mode};
use crate::pairs::Measure;

/// Parts of an answer. Each includes the ones before it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Parts {
    /// The distance, and the ends of the pieces at this distance.
    #[default]
    Distance,
    /// Also their starts.
    Locations,
    /// Also the alignment to the first piece.
    Path,
}

/// Options of an alignment in edlib's terms.
#[derive(Clone, Copy, Debug, Default)]
pub struct Request {
    /// The part of the target to compare with.
    pub mode: Mode,
    /// Parts of the answer.
    pub parts: Parts,
    /// Greatest distance of interest.
    pub max_distance: Option<u64>,
}

/// Answer in edlib's terms.
#[derive(Clone, Debug, Default)]
pub struct Located {
    /// Edit distance; `None` if it exceeds the bound.
    pub distance: Option<u64>,
    /// Start, if it is known, and last position of each piece. The last position of an empty piece
    /// is one less than its start.
    pub locations: Vec<(Option<usize>, i64)>,
    /// Alignment to the first piece.
    pub alignment: Option<Alignment>,
}

impl Request {
    /// The answer if it takes no engine: for an empty sequence, of which edlib gives neither starts
    /// nor a path and ignores the bound, and the distance of a small pair.
    #[must_use]
    pub fn without_engine(&self, pair: &Pair<'_>) -> Option<Located> {
        let [rows, cols] = pair.lens();
        if rows == 0 || cols == 0 {
            let (distance, last) = match self.mode {
                Mode::Global => (rows.max(cols), cols as i64 - 1),
                _ => (rows, -1),
            };
            return Some(Located {
                distance: Some(distance as u64),
                locations: vec![(None, last)],
                alignment: None,
            });
        }
        if self.mode != Mode::Global || self.parts == Parts::Path {
            return None;
        }
        let distance = pair.small_value(Measure::Edit)?;
        if self.max_distance.is_some_and(|bound| distance > bound) {
            return Some(Located::default());
        }
        Some(self.global(pair, distance, None))
    }

    /// The query of two sequences that are not empty.
    pub fn query<'a>(&self, pair: Pair<'a>) -> Edit<'a> {
        let mut edit = Edit::from(pair);
        edit.options.mode = self.mode;
        edit.options.path = self.parts == Parts::Path;
        edit.options.starts = self.parts >= Parts::Locations;
        edit.options.max_distance = self.max_distance;
        edit
    }

    /// The answer of [`query`](Self::query) in edlib's terms.
    #[must_use]
    pub fn located(&self, pair: &Pair<'_>, answer: EditDistance) -> Located {
        let Some(distance) = answer.distance.exactly() else {
            return Located::default();
        };
        if self.mode == Mode::Global {
            return self.global(pair, distance, answer.alignment);
        }
        let start = |start: Option<usize>| start.filter(|_| self.parts >= Parts::Locations);
        let pieces = answer.pieces.iter();
        Located {
            distance: Some(distance),
            locations: pieces
                .map(|piece| (start(piece.start), piece.end as i64 - 1))
                .collect(),
            alignment: answer.alignment,
        }
    }

    /// The whole target as the only piece.
    fn global(&self, pair: &Pair<'_>, distance: u64, alignment: Option<Alignment>) -> Located {
        let [_, cols] = pair.lens();
        let start = (self.parts >= Parts::Locations).then_some(0);
        Located {
            distance: Some(distance),
            locations: vec![(start, cols as i64 - 1)],
            alignment,
        }
    }
}
