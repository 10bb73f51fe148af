//! `swath substring`.

use std::io::{self, Write};

use anyhow::bail;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use clap::ValueEnum;
use swath::Substring;
use swath::substring::{CommonSubstring, MaximalMatches, Place};

use super::{Caller, Comparison, Outcome, ReportContext, dna};
use crate::args::{EngineArgs, OutputArgs, SubstringArgs, Witness};
use crate::input::{DefaultRecords, Inputs, Printed, Request, printable};
use crate::report::{self, Array, Counted, Names, Object, svg};

/// Maximum length of a substring shown in full on a terminal; else, the lengths shown of its start
/// and of its end.
const SHOWN: usize = 60;
const SHOWN_START: usize = 40;
const SHOWN_END: usize = 15;

/// Format of substrings and matches.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum SubstringFormat {
    /// The substrings themselves, one per line; lines and tokens as they are
    Text,
    /// One place or match per line, tab-separated: names, start, end, strand and length
    Tsv,
    /// BED: one line per place, or two per match
    Bed,
    /// One PAF line with cg:Z: per match
    Paf,
    /// The JSON object of --json, with the substrings
    Json,
    /// A dot plot of the matches of two inputs
    Svg,
}

/// Longest substrings, or maximal matches.
pub enum Substrings {
    Longest(CommonSubstring),
    Matches(MaximalMatches),
}

impl Substrings {
    /// Maximum length.
    fn length(&self) -> usize {
        match self {
            Substrings::Longest(found) => found.length,
            Substrings::Matches(found) => {
                let lengths = found.matches.iter().map(|one| one.length);
                lengths.max().unwrap_or_default()
            }
        }
    }
}

impl Comparison for SubstringArgs {
    type Format = SubstringFormat;
    type Answer = Substrings;
    const PROBLEM: &'static str = "substring";
    const COUNTED: Counted = Counted::Symbols;
    const NAMES: Names = Names::Records;

    fn output(&self) -> &OutputArgs<SubstringFormat> {
        &self.output
    }

    fn engine(&self) -> &EngineArgs {
        &self.engine
    }

    fn request(&self) -> anyhow::Result<Request> {
        let take = if self.all_records {
            DefaultRecords::Each
        } else {
            DefaultRecords::Grouped
        };
        let request = self
            .input
            .request(&self.inputs.iter().collect::<Vec<_>>(), take)?;
        self.check().map(|()| request)
    }

    fn check_inputs(
        &self,
        inputs: &Inputs,
        witness: &Witness<SubstringFormat>,
    ) -> anyhow::Result<()> {
        let count = inputs.groups.len();
        if count < 2 {
            bail!(
                "there is one input; name more, or take every record of a file with --all-records"
            );
        }
        if witness.format() == Some(SubstringFormat::Svg) && count > 2 {
            bail!(
                "--format svg shows two inputs, and there are {count}; leave the others out, or take tsv"
            );
        }
        Ok(())
    }

    fn call<S: Printed>(
        &self,
        inputs: &Inputs,
        sequences: Vec<&[S]>,
        _: bool,
        caller: &Caller<'_>,
    ) -> swath::Result<Outcome<Substrings>> {
        self.ask(self.task(inputs, sequences), caller)
    }

    fn call_bytes(
        &self,
        inputs: &Inputs,
        sequences: Vec<&[u8]>,
        _: bool,
        caller: &Caller<'_>,
    ) -> swath::Result<Outcome<Substrings>> {
        let mut task = self.task(inputs, sequences);
        if self.both_strands() {
            task = task.both_strands();
        }
        self.ask(task, caller)
    }

    fn input_notes(&self, inputs: &Inputs) -> Vec<String> {
        dna::notes(inputs, "swath edit ")
    }

    fn sets_exit_code(&self) -> bool {
        self.exit.exit_code
    }

    fn is_found(&self, found: &ReportContext<'_, Substrings>) -> bool {
        found.solved.answer.length() > 0
    }

    /// Figures, then the substrings with their places, or the matches. On a terminal long
    /// substrings are shortened.
    fn text(
        &self,
        found: &ReportContext<'_, Substrings>,
        on_terminal: bool,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        let (inputs, answer) = (found.inputs, &found.solved.answer);
        let mut lines = vec![("length", answer.length().to_string())];
        lines.push(match answer {
            Substrings::Longest(found) => ("substrings", found.substrings.len().to_string()),
            Substrings::Matches(found) => ("matches", found.matches.len().to_string()),
        });
        lines.extend(report::input_lines(Names::Records, inputs));
        lines.extend(report::run_lines(Counted::Symbols, found.solved));
        // For example `chr1:12..20`.
        let at = |place: &Place, length: usize| {
            let Place { start, .. } = *place;
            format!("{}:{start}..{}", name(inputs, place), start + length)
        };
        match answer {
            Substrings::Longest(found) => {
                for substring in &found.substrings {
                    if let Some(first) = substring.places.first() {
                        let text = text(inputs, first, found.length)?;
                        lines.push(("substring", shown(&text, on_terminal)));
                    }
                    lines.extend(substring.places.iter().map(|one| {
                        (
                            "place",
                            format!("{}  {}", at(one, found.length), one.strand),
                        )
                    }));
                }
            }
            // The file lists them.
            Substrings::Matches(_) if self.output.asks_for_witness() => {}
            Substrings::Matches(found) => lines.extend(found.matches.iter().map(|one| {
                let (a, b) = (at(&one.a, one.length), at(&one.b, one.length));
                (
                    "match",
                    format!("{}  {a}  {b}  {}", one.length, one.b.strand),
                )
            })),
        }
        report::write_aligned(&lines, out)
    }

    fn json(
        &self,
        found: &ReportContext<'_, Substrings>,
        with_witness: bool,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        let (inputs, answer) = (found.inputs, &found.solved.answer);
        let object = Object::new("substring/1", out)?
            .field("problem", "substring")?
            .field("length", answer.length())?;
        let object = report::run_fields(Counted::Symbols, found.solved, object)?;
        let object = report::input_fields(Names::Records, inputs, object)?;
        match answer {
            Substrings::Longest(found) => {
                let mut substrings = Vec::new();
                for substring in &found.substrings {
                    let (mut text, mut text_base64) = (None, None);
                    if let Some(first) = substring.places.first().filter(|_| with_witness) {
                        match String::from_utf8(self::text(inputs, first, found.length)?) {
                            Ok(utf8) => text = Some(utf8),
                            Err(error) => text_base64 = Some(STANDARD.encode(error.as_bytes())),
                        }
                    }
                    let places = &substring.places;
                    let of = |at: &Place| (at.input, at.record, at.start, at.strand);
                    substrings.push(SubstringFields {
                        text,
                        text_base64,
                        places: Array(move || places.iter().map(of)),
                    });
                }
                object.field("substrings", substrings)
            }
            Substrings::Matches(found) => {
                let run = |place: &Place| (place.input, place.record, place.start);
                let matches = || {
                    let all = found.matches.iter();
                    all.map(|one| (run(&one.a), run(&one.b), one.b.strand, one.length))
                };
                object.field("matches", Array(matches))
            }
        }?
        .end()
    }

    fn witness(
        &self,
        format: SubstringFormat,
        found: &ReportContext<'_, Substrings>,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        let (inputs, answer) = (found.inputs, &found.solved.answer);
        match format {
            SubstringFormat::Text | SubstringFormat::Json => write_texts(inputs, answer, out),
            SubstringFormat::Tsv => write_tsv(inputs, answer, out),
            SubstringFormat::Bed => write_bed(inputs, answer, out),
            SubstringFormat::Paf => write_paf(inputs, answer, out),
            SubstringFormat::Svg => match answer {
                Substrings::Longest(_) => Ok(()),
                Substrings::Matches(found) => {
                    let runs = svg::matches(inputs, &found.matches);
                    svg::dot_plot(inputs, "Maximal matches", runs, out)
                }
            },
        }
    }

    fn is_unended(&self, format: SubstringFormat, inputs: &Inputs) -> bool {
        format == SubstringFormat::Text && inputs.lists.are_letters()
    }

    /// No summary after a list of matches.
    fn has_summary(&self, _: &ReportContext<'_, Substrings>) -> bool {
        self.min_length.is_none()
    }
}

#[derive(serde::Serialize)]
struct SubstringFields<P> {
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    text_base64: Option<String>,
    places: P,
}

impl SubstringArgs {
    fn task<'a, S: Printed>(&self, inputs: &Inputs, records: Vec<&'a [S]>) -> Substring<'a, S> {
        let task = Substring::of_records(inputs.cut(records)).method(self.method);
        let task = self.seed.into_iter().fold(task, Substring::seed);
        let in_at_least = self.in_at_least.into_iter();
        in_at_least.fold(task, Substring::in_at_least)
    }

    fn ask<S: Printed>(
        &self,
        task: Substring<'_, S>,
        caller: &Caller<'_>,
    ) -> swath::Result<Outcome<Substrings>> {
        match self.min_length {
            None => Ok(caller.call(&task)?.map(Substrings::Longest)),
            Some(length) => {
                let found = caller.call(&task.min_length(length))?;
                Ok(found.map(Substrings::Matches))
            }
        }
    }
}

/// Name of the record of a place.
fn name(inputs: &Inputs, place: &Place) -> String {
    printable(&inputs.groups[place.input].records[place.record]).into_owned()
}

/// Writes the text at a place of the forward strand.
fn write_text(
    inputs: &Inputs,
    place: &Place,
    length: usize,
    out: &mut dyn Write,
) -> io::Result<()> {
    let before = inputs.groups[..place.input].iter();
    let before: usize = before.map(|group| group.records.len()).sum();
    let runs = [(place.start, length)].into_iter();
    inputs.lists.write_runs(before + place.record, runs, out)
}

fn text(inputs: &Inputs, place: &Place, length: usize) -> io::Result<Vec<u8>> {
    let mut text = Vec::new();
    write_text(inputs, place, length, &mut text)?;
    Ok(text)
}

/// A substring as one line.
fn shown(text: &[u8], shortened: bool) -> String {
    let text = String::from_utf8_lossy(text);
    let text = printable(text.trim_end_matches('\n')).into_owned();
    let characters = text.chars().count();
    if !shortened || characters <= SHOWN {
        return text;
    }
    let start: String = text.chars().take(SHOWN_START).collect();
    let end: String = text.chars().skip(characters - SHOWN_END).collect();
    format!("{start} ... {end}")
}

/// Writes bytes, characters and tokens one per line, without an additional newline if bytes or
/// characters end with one. Lines are written as is, with an empty line between substrings.
fn write_texts(inputs: &Inputs, answer: &Substrings, out: &mut dyn Write) -> io::Result<()> {
    // The first place is on the forward strand.
    let firsts: Vec<(Place, usize)> = match answer {
        Substrings::Longest(found) => {
            let firsts = found.substrings.iter().filter_map(|one| one.places.first());
            firsts.map(|&place| (place, found.length)).collect()
        }
        Substrings::Matches(found) => {
            let firsts = found.matches.iter().map(|one| (one.a, one.length));
            firsts.collect()
        }
    };
    for (number, (place, length)) in firsts.iter().enumerate() {
        report::between(number > 0 && !inputs.lists.are_tokens(), out)?;
        write_text(inputs, place, *length, out)?;
    }
    Ok(())
}

/// Writes a header that starts with `#`, then one line per place or match.
fn write_tsv(inputs: &Inputs, answer: &Substrings, out: &mut dyn Write) -> io::Result<()> {
    let columns = |place: &Place, length| {
        let (name, end) = (name(inputs, place), place.start + length);
        format!("{name}\t{}\t{end}", place.start)
    };
    match answer {
        Substrings::Longest(found) => {
            let length = found.length;
            writeln!(out, "#substring\tname\tstart\tend\tstrand\tlength")?;
            for (number, substring) in (1..).zip(&found.substrings) {
                for place in &substring.places {
                    let (columns, strand) = (columns(place, length), place.strand);
                    writeln!(out, "{number}\t{columns}\t{strand}\t{length}")?;
                }
            }
        }
        Substrings::Matches(found) => {
            writeln!(out, "#a\ta_start\ta_end\tb\tb_start\tb_end\tstrand\tlength")?;
            for one in &found.matches {
                let (length, strand) = (one.length, one.b.strand);
                let (a, b) = (columns(&one.a, length), columns(&one.b, length));
                writeln!(out, "{a}\t{b}\t{strand}\t{length}")?;
            }
        }
    }
    Ok(())
}

/// Writes BED with six columns: record, start, end, number of the substring or match, no score,
/// strand.
fn write_bed(inputs: &Inputs, answer: &Substrings, out: &mut dyn Write) -> io::Result<()> {
    let mut line = |place: &Place, length, number| {
        let Place { start, strand, .. } = *place;
        let (name, end) = (name(inputs, place), start + length);
        writeln!(out, "{name}\t{start}\t{end}\t{number}\t0\t{strand}")
    };
    match answer {
        Substrings::Longest(found) => {
            for (number, substring) in (1..).zip(&found.substrings) {
                let mut places = substring.places.iter();
                places.try_for_each(|place| line(place, found.length, number))?;
            }
        }
        Substrings::Matches(found) => {
            for (number, one) in (1..).zip(&found.matches) {
                line(&one.a, one.length, number)?;
                line(&one.b, one.length, number)?;
            }
        }
    }
    Ok(())
}

/// Writes one PAF line per match: query, its length, start and end; strand; target, its length,
/// start and end; equal symbols twice; no mapping quality. The query is the first input.
fn write_paf(inputs: &Inputs, answer: &Substrings, out: &mut dyn Write) -> io::Result<()> {
    let Substrings::Matches(found) = answer else {
        return Ok(());
    };
    let lengths = inputs.lengths();
    for one in &found.matches {
        let (length, strand) = (one.length, one.b.strand);
        let columns = |place: &Place| {
            let (name, symbols) = (name(inputs, place), lengths[place.input][place.record]);
            format!(
                "{name}\t{symbols}\t{}\t{}",
                place.start,
                place.start + length
            )
        };
        let (query, target) = (columns(&one.a), columns(&one.b));
        writeln!(
            out,
            "{query}\t{strand}\t{target}\t{length}\t{length}\t255\tNM:i:0\tcg:Z:{length}="
        )?;
    }
    Ok(())
}
