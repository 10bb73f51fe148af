//! Substrings as they are.

use std::io::{self, Write};

use swath::substring::Place;

use super::SubstringAnswer;
use crate::input::Lists;
use crate::report::text;

/// One after the other: bytes, characters and tokens a line each, but for a newline behind the last of bytes and characters; lines
/// as they are, with an empty line between two substrings.
pub(super) fn write(answer: &SubstringAnswer<'_>, out: &mut dyn Write) -> io::Result<()> {
    for (number, (place, length)) in answer.firsts().iter().enumerate() {
        if number > 0 && !matches!(answer.inputs.lists, Lists::Tokens { .. }) {
            writeln!(out)?;
        }
        one(answer, place, *length, out)?;
    }
    Ok(())
}

/// The symbols that stand at a place on the forward strand.
pub(super) fn one(
    answer: &SubstringAnswer<'_>,
    place: &Place,
    length: usize,
    out: &mut dyn Write,
) -> io::Result<()> {
    let before: usize = answer.inputs.groups[..place.input]
        .iter()
        .map(|group| group.records.len())
        .sum();
    let (record, symbols) = (before + place.record, place.start..place.start + length);
    match &answer.inputs.lists {
        Lists::Bytes(list) => text::bytes([&list.printed()[record][symbols]].into_iter(), out),
        Lists::Chars(list) => text::chars([&list.printed()[record][symbols]].into_iter(), out),
        Lists::Lines { list, words } => {
            text::lines([&list.printed()[record][symbols]].into_iter(), words, out)
        }
        Lists::Tokens { list, words } => {
            text::tokens([&list.printed()[record][symbols]].into_iter(), words, out)
        }
    }
}
