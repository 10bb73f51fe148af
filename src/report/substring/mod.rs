//! Common substrings: summary, tables, JSON and a dot plot.

mod bed;
mod json;
mod paf;
mod plan;
mod summary;
mod svg;
mod text;
mod tsv;

use std::io::{self, Write};

use clap::ValueEnum;
use swath::Report;
use swath::substring::{CommonSubstring, MaximalMatch, MaximalMatches, Place};

use crate::input::{Groups, printable};

pub use json::substring_json;
pub use plan::write_substring_plan;
pub use summary::substring_text;

/// How substrings are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum SubstringFormat {
    /// The substrings themselves, one a line; lines and tokens as they are
    Text,
    /// A place a line, or a match a line: names, start, end and strand between tabs, and the length
    Tsv,
    /// BED: a line for every place, or for both of a match
    Bed,
    /// A line of PAF with cg:Z: for every match
    Paf,
    /// The object that --json prints, with the substrings themselves
    Json,
    /// A dot plot of the matches of two inputs
    Svg,
}

/// What was asked for, and found.
#[derive(Clone, Copy)]
pub enum SubstringFound<'a> {
    Longest(&'a Report<CommonSubstring>),
    Matches(&'a Report<MaximalMatches>),
}

/// An answer and the inputs that it is about.
#[derive(Clone, Copy)]
pub struct SubstringAnswer<'a> {
    pub inputs: &'a Groups,
    pub found: SubstringFound<'a>,
}

impl<'a> SubstringAnswer<'a> {
    fn run(&self) -> &'a swath::Run {
        match self.found {
            SubstringFound::Longest(report) => &report.run,
            SubstringFound::Matches(report) => &report.run,
        }
    }

    /// Length of the longest substring that was found.
    fn length(&self) -> usize {
        match self.found {
            SubstringFound::Longest(report) => report.length,
            SubstringFound::Matches(report) => {
                report.matches.iter().map(|found| found.length).max().unwrap_or_default()
            }
        }
    }

    /// The first place of every substring or match, with its length: it is on the forward strand.
    fn firsts(&self) -> Vec<(Place, usize)> {
        match self.found {
            SubstringFound::Longest(report) => {
                let firsts = report.substrings.iter().filter_map(|substring| substring.places.first());
                firsts.map(|&place| (place, report.length)).collect()
            }
            SubstringFound::Matches(report) => report.matches.iter().map(|found| (found.a, found.length)).collect(),
        }
    }

    /// The name of the record that a place is in.
    fn name(&self, place: &Place) -> String {
        printable(&self.inputs.groups[place.input].records[place.record]).into_owned()
    }
}

/// Writes the substrings or matches.
pub fn write_substrings(format: SubstringFormat, answer: &SubstringAnswer<'_>, out: &mut dyn Write) -> io::Result<()> {
    match format {
        SubstringFormat::Text => text::write(answer, out),
        SubstringFormat::Tsv => tsv::write(answer, out),
        SubstringFormat::Bed => bed::write(answer, out),
        SubstringFormat::Paf => paf::write(answer, out),
        SubstringFormat::Json => substring_json(answer, true, out),
        SubstringFormat::Svg => svg::write(answer, out),
    }
}

/// Matches, where they were asked for.
fn matches<'a>(answer: &SubstringAnswer<'a>) -> &'a [MaximalMatch] {
    match answer.found {
        SubstringFound::Longest(_) => &[],
        SubstringFound::Matches(report) => &report.matches,
    }
}
