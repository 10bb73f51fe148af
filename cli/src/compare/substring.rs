//! `swath substring`.

use std::io::{self, Write};

use anyhow::bail;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use swath::substring::{CommonSubstring, MaximalMatches, Place};
use swath::{Substring, Symbol};

use super::comparison::{Comparison, ReportContext, Settings};
use super::together::ComparesTogether;
use crate::args::{SubstringArgs, SubstringFormat};
use crate::call::{Caller, Outcome};
use crate::dna;
use crate::input::{DefaultRecords, Inputs, Lists, with_list};
use crate::message::printable;
use crate::report::{self, Array, Counted, Form, Names, Object, svg};

/// Maximum length of a substring shown in full on a terminal; else, lengths of its start and end.
const SHOWN: usize = 60;
const SHOWN_START: usize = 40;
const SHOWN_END: usize = 15;

pub enum Substrings {
    Longest(CommonSubstring),
    Matches(MaximalMatches),
}

impl Substrings {
    fn length(&self) -> usize {
        match self {
            Substrings::Longest(found) => found.length,
            Substrings::Matches(found) => {
                let lengths = found.matches.iter().map(|one| one.length);
                lengths.max().unwrap_or_default()
            }
        }
    }

    /// Number of the substring or match from 1, place and length; the first place of each is on the
    /// forward strand.
    fn places(&self) -> Box<dyn Iterator<Item = (usize, &Place, usize)> + '_> {
        match self {
            Substrings::Longest(found) => {
                let substrings = (1..).zip(&found.substrings);
                Box::new(substrings.flat_map(move |(number, one)| {
                    let places = one.places.iter();
                    places.map(move |place| (number, place, found.length))
                }))
            }
            Substrings::Matches(found) => {
                let matches = (1..).zip(&found.matches);
                Box::new(matches.flat_map(|(number, one)| {
                    [&one.a, &one.b].map(|place| (number, place, one.length))
                }))
            }
        }
    }
}

impl SubstringArgs {
    fn task<'a, S: Symbol>(&self, inputs: &Inputs, records: Vec<&'a [S]>) -> Substring<'a, S> {
        let task = Substring::of_records(inputs.cut(records)).method(self.method);
        let task = self.seed.into_iter().fold(task, Substring::seed);
        let in_at_least = self.in_at_least.into_iter();
        in_at_least.fold(task, Substring::in_at_least)
    }

    fn solve<S: Symbol>(
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

impl ComparesTogether for SubstringArgs {}

impl Comparison for SubstringArgs {
    type Format = SubstringFormat;
    type Answer = Substrings;
    const FORM: Form = Form {
        problem: "substring",
        counted: Counted::Symbols,
        names: Names::Records,
    };

    fn settings(&self) -> anyhow::Result<Settings<'_, SubstringFormat>> {
        let request = self.input.request(DefaultRecords::Grouped)?;
        Ok(Settings {
            sets_exit_code: self.exit.exit_code,
            // No summary after a list of matches.
            has_summary: self.min_length.is_none(),
            ..Settings::new(request, &self.output, &self.engine)
        })
    }

    fn check(
        &self,
        inputs: &Inputs,
        format: Option<SubstringFormat>,
    ) -> anyhow::Result<Vec<String>> {
        let count = inputs.groups.len();
        if count < 2 {
            bail!(
                "there is one input; name more, or take every record of a file with --all-records"
            );
        }
        if format == Some(SubstringFormat::Svg) && count > 2 {
            bail!(
                "--format svg shows two inputs, and there are {count}; leave the others out, or take tsv"
            );
        }
        Ok(dna::notes(inputs, "swath edit "))
    }

    fn call(&self, inputs: &Inputs, caller: &Caller<'_>) -> swath::Result<Outcome<Substrings>> {
        match &inputs.lists {
            Lists::Bytes(list) if self.both_strands() => {
                self.solve(self.task(inputs, list.compared()).both_strands(), caller)
            }
            lists => with_list!(lists, list => {
                self.solve(self.task(inputs, list.compared()), caller)
            }),
        }
    }

    fn is_found(&self, found: &ReportContext<'_, Self>) -> bool {
        found.solved.answer.length() > 0
    }

    /// On a terminal long substrings are shortened.
    fn text(
        &self,
        found: &ReportContext<'_, Self>,
        on_terminal: bool,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        let (inputs, answer) = (found.inputs, &found.solved.answer);
        let mut lines = found.lines(vec![
            ("length", answer.length().to_string()),
            match answer {
                Substrings::Longest(found) => ("substrings", found.substrings.len().to_string()),
                Substrings::Matches(found) => ("matches", found.matches.len().to_string()),
            },
        ]);
        // For example `chr1:12..20`.
        let range = |place: &Place, length: usize| {
            let Place { start, .. } = *place;
            format!("{}:{start}..{}", name(inputs, place), start + length)
        };
        match answer {
            Substrings::Longest(found) => {
                for substring in &found.substrings {
                    if let Some(first) = substring.places.first() {
                        let text = text(inputs, first, found.length);
                        lines.push(("substring", shown(&text, on_terminal)));
                    }
                    lines.extend(substring.places.iter().map(|place| {
                        let range = range(place, found.length);
                        ("place", format!("{range}  {}", place.strand))
                    }));
                }
            }
            // The file lists them.
            Substrings::Matches(_) if self.output.asks_for_witness() => {}
            Substrings::Matches(found) => lines.extend(found.matches.iter().map(|one| {
                let (a, b) = (range(&one.a, one.length), range(&one.b, one.length));
                let (length, strand) = (one.length, one.b.strand);
                ("match", format!("{length}  {a}  {b}  {strand}"))
            })),
        }
        report::write_aligned(&lines, out)
    }

    fn json(
        &self,
        found: &ReportContext<'_, Self>,
        with_witness: bool,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        let (inputs, answer) = (found.inputs, &found.solved.answer);
        let mut object = found.object(out);
        object.field("length", answer.length());
        found.add_call(&mut object);
        match answer {
            Substrings::Longest(found) => {
                object.objects("substrings", &found.substrings, |object, substring| {
                    let first = substring.places.first().filter(|_| with_witness);
                    let text = first.map(|first| text(inputs, first, found.length));
                    let fields = |at: &Place| (at.input, at.record, at.start, at.strand);
                    add_text(object, text)
                        .field("places", Array(|| substring.places.iter().map(fields)))
                })
            }
            Substrings::Matches(found) => {
                let run = |place: &Place| (place.input, place.record, place.start);
                let matches = || {
                    let all = found.matches.iter();
                    all.map(|one| (run(&one.a), run(&one.b), one.b.strand, one.length))
                };
                object.field("matches", Array(matches))
            }
        };
        object.end()
    }

    fn witness(
        &self,
        format: SubstringFormat,
        found: &ReportContext<'_, Self>,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        let (inputs, answer) = (found.inputs, &found.solved.answer);
        match (format, answer) {
            (SubstringFormat::Text | SubstringFormat::Json, _) => write_texts(inputs, answer, out),
            (SubstringFormat::Tsv, _) => write_tsv(inputs, answer, out),
            (SubstringFormat::Bed, _) => write_bed(inputs, answer, out),
            // These are for matches.
            (SubstringFormat::Paf | SubstringFormat::Svg, Substrings::Longest(_)) => Ok(()),
            (SubstringFormat::Paf, Substrings::Matches(found)) => write_paf(inputs, found, out),
            (SubstringFormat::Svg, Substrings::Matches(found)) => {
                let matches = found.matches.iter().map(|one| (one.a, one.b, one.length));
                let runs = svg::matches(inputs, matches);
                svg::dot_plot(inputs, "Maximal matches", runs, out)
            }
        }
    }
}

fn add_text<'o, 'w>(object: &'o mut Object<'w>, text: Option<Vec<u8>>) -> &'o mut Object<'w> {
    match text.map(String::from_utf8) {
        Some(Ok(text)) => object.field("text", text),
        Some(Err(error)) => object.field("text_base64", STANDARD.encode(error.as_bytes())),
        None => object,
    }
}

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
    let record = inputs.first_record(place.input) + place.record;
    let runs = [(place.start, length)].into_iter();
    inputs.lists.write_runs(record, runs, out)
}

fn text(inputs: &Inputs, place: &Place, length: usize) -> Vec<u8> {
    let mut text = Vec::new();
    // Writing to memory never fails.
    let _ = write_text(inputs, place, length, &mut text);
    text
}

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

/// Bytes, characters and tokens are one per line, without an additional newline if they end with
/// one. Lines have an empty line between substrings.
fn write_texts(inputs: &Inputs, answer: &Substrings, out: &mut dyn Write) -> io::Result<()> {
    let mut last = 0;
    for (number, place, length) in answer.places() {
        if number != last {
            report::between(last > 0 && !inputs.lists.are_tokens(), out)?;
            write_text(inputs, place, length, out)?;
            last = number;
        }
    }
    Ok(())
}

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

/// Columns: record, start, end, number of the substring or match, no score, strand.
fn write_bed(inputs: &Inputs, answer: &Substrings, out: &mut dyn Write) -> io::Result<()> {
    answer.places().try_for_each(|(number, place, length)| {
        let Place { start, strand, .. } = *place;
        let (name, end) = (name(inputs, place), start + length);
        writeln!(out, "{name}\t{start}\t{end}\t{number}\t0\t{strand}")
    })
}

/// Columns: query, its length, start and end; strand; the same of the target; equal symbols twice;
/// no mapping quality. The query is the first input.
fn write_paf(inputs: &Inputs, found: &MaximalMatches, out: &mut dyn Write) -> io::Result<()> {
    let lengths = inputs.lengths();
    for one in &found.matches {
        let (length, strand) = (one.length, one.b.strand);
        let columns = |place: &Place| {
            let (name, symbols) = (name(inputs, place), lengths[place.input][place.record]);
            let Place { start, .. } = *place;
            format!("{name}\t{symbols}\t{start}\t{}", start + length)
        };
        let (query, target) = (columns(&one.a), columns(&one.b));
        writeln!(
            out,
            "{query}\t{strand}\t{target}\t{length}\t{length}\t255\tNM:i:0\tcg:Z:{length}="
        )?;
    }
    Ok(())
}
