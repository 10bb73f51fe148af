//! Rows, and names of strings in them.

use std::fmt;

use anyhow::Context;
use serde::Serialize;
use swath::Symbol;

use crate::args::Show;
use crate::input::{Memory, Names, StringList};
use crate::message::printable;

#[derive(Clone, Copy, Serialize)]
#[serde(untagged)]
pub enum Label<'a> {
    Name(&'a str),
    Position(u64),
}

impl<'a> Label<'a> {
    /// Label of a string. Strings need [`keep_text`] before.
    pub fn of<S: Symbol>(list: &'a StringList<S>, position: usize, show: Show) -> Self {
        let names = match show {
            Show::Names => list.records.as_ref(),
            Show::Positions => None,
            Show::Strings => list.text.as_ref(),
        };
        match names {
            Some(names) => Self::Name(names.get(position)),
            None => Self::Position(list.first + position as u64),
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

pub fn keep_text(list: &mut StringList<u8>, show: Show, memory: &Memory) -> anyhow::Result<()> {
    if show != Show::Strings {
        return Ok(());
    }
    let mut text = Names::default();
    for string in list.strings.iter() {
        let string = String::from_utf8_lossy(string);
        memory.hold(&list.name, (string.len() + size_of::<usize>()) as u64)?;
        text.push(&string);
    }
    list.text = Some(text);
    Ok(())
}

pub fn json_line(object: &impl Serialize, out: &mut Vec<u8>) -> anyhow::Result<()> {
    serde_json::to_writer(&mut *out, object).context("cannot write a row")?;
    out.push(b'\n');
    Ok(())
}
