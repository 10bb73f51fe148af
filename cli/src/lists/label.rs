//! Rows, and names of strings in them.

use std::fmt;

use anyhow::Context;
use serde::Serialize;
use swath::Symbol;

use crate::input::StringList;
use crate::message::printable;

#[derive(Clone, Copy, Serialize)]
#[serde(untagged)]
pub enum Label<'a> {
    Name(&'a str),
    Position(u64),
}

impl<'a> Label<'a> {
    /// Name of a record, or position of a line; `by_position` for positions of records, too.
    pub fn of<S: Symbol>(list: &'a StringList<S>, position: usize, by_position: bool) -> Self {
        match &list.records {
            Some(names) if !by_position => Self::Name(names.get(position)),
            _ => Self::Position(list.first + position as u64),
        }
    }

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

/// Writes an object on a line.
pub fn json_line(object: &impl Serialize, out: &mut Vec<u8>) -> anyhow::Result<()> {
    serde_json::to_writer(&mut *out, object).context("cannot write a row")?;
    out.push(b'\n');
    Ok(())
}
