//! Places as a table between tabs; positions from 0, the end not included.

use std::io::{self, Write};

use swath::substring::Place;

use super::{SubstringAnswer, SubstringFound};

/// A header that starts with `#`, then a line for every place of every substring, or for every match.
pub(super) fn write(answer: &SubstringAnswer<'_>, out: &mut dyn Write) -> io::Result<()> {
    let columns = |place: &Place, length| {
        format!(
            "{}\t{}\t{}",
            answer.name(place),
            place.start,
            place.start + length
        )
    };
    match answer.found {
        SubstringFound::Longest(report) => {
            writeln!(out, "#substring\tname\tstart\tend\tstrand\tlength")?;
            for (number, substring) in (1..).zip(&report.substrings) {
                for place in &substring.places {
                    let length = report.length;
                    writeln!(
                        out,
                        "{number}\t{}\t{}\t{length}",
                        columns(place, length),
                        place.strand
                    )?;
                }
            }
            Ok(())
        }
        SubstringFound::Matches(report) => {
            writeln!(out, "#a\ta_start\ta_end\tb\tb_start\tb_end\tstrand\tlength")?;
            report.matches.iter().try_for_each(|found| {
                let (a, b) = (
                    columns(&found.a, found.length),
                    columns(&found.b, found.length),
                );
                writeln!(out, "{a}\t{b}\t{}\t{}", found.b.strand, found.length)
            })
        }
    }
}
