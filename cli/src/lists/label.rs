//! Names of strings in rows.

use std::fmt;

use serde::Serialize;
use swath::Symbol;

use crate::input::{StringList, printable};

/// A string in a row.
#[derive(Clone, Copy, Serialize)]
#[serde(untagged)]
pub enum Label<'a> {
    Name(&'a str),
    Position(usize),
}

impl<'a> Label<'a> {
    /// Name of a record, or position of a line; `by_position` for positions of records, too.
    pub fn of<S: Symbol>(list: &'a StringList<S>, position: usize, by_position: bool) -> Self {
        match &list.records {
            Some(names) if !by_position => Self::Name(names.get(position)),
            _ => Self::Position(position),
        }
    }

    /// Bytes of a name.
    pub fn name_len(self) -> usize {
        match self {
            Self::Name(name) => name.len(),
            Self::Position(_) => 0,
        }
    }
}

impl fmt::Display for Label<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Name(name) => printable(name).fmt(formatter),
            Self::Position(position) => position.fmt(formatter),
        }
    }
}
