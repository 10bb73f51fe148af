//! PAF: the run in the input that stands first is the query, the other one the target.

use std::io::{self, Write};

use super::answer::{SubstringAnswer, matches};

/// A line a match: query, its length, start and end; strand; target, its length, start and end; equal symbols twice, and no mapping
/// quality.
pub(super) fn write(answer: &SubstringAnswer<'_>, out: &mut dyn Write) -> io::Result<()> {
    let lengths = answer.inputs.lengths();
    matches(answer).iter().try_for_each(|found| {
        let length = found.length;
        let columns = |place: &swath::substring::Place| {
            let (name, symbols) = (answer.name(place), lengths[place.input][place.record]);
            format!(
                "{name}\t{symbols}\t{}\t{}",
                place.start,
                place.start + length
            )
        };
        let (query, target, strand) = (columns(&found.a), columns(&found.b), found.b.strand);
        writeln!(
            out,
            "{query}\t{strand}\t{target}\t{length}\t{length}\t255\tNM:i:0\tcg:Z:{length}="
        )
    })
}
