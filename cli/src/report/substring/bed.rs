//! BED with six columns: name of the record, start, end, number of the substring or match, no score, strand.

use std::io::{self, Write};

use super::{SubstringAnswer, SubstringFound};

pub(super) fn write(answer: &SubstringAnswer<'_>, out: &mut dyn Write) -> io::Result<()> {
    let mut line = |place: &swath::substring::Place, length, number| {
        let (name, end) = (answer.name(place), place.start + length);
        writeln!(
            out,
            "{name}\t{}\t{end}\t{number}\t0\t{}",
            place.start, place.strand
        )
    };
    match answer.found {
        SubstringFound::Longest(report) => {
            (1..)
                .zip(&report.substrings)
                .try_for_each(|(number, substring)| {
                    substring
                        .places
                        .iter()
                        .try_for_each(|place| line(place, report.length, number))
                })
        }
        SubstringFound::Matches(report) => {
            (1..).zip(&report.matches).try_for_each(|(number, found)| {
                line(&found.a, found.length, number)?;
                line(&found.b, found.length, number)
            })
        }
    }
}
