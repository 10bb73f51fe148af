//! What is reported, whatever the format.

use swath::substring::{CommonSubstring, MaximalMatch, MaximalMatches, Place};
use swath::{Interface, Report};

use crate::input::{Groups, printable};

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
    pub(super) fn run(&self) -> &'a swath::Run {
        match self.found {
            SubstringFound::Longest(report) => &report.run,
            SubstringFound::Matches(report) => &report.run,
        }
    }

    pub(super) fn interface(&self) -> Option<Interface> {
        match self.found {
            SubstringFound::Longest(report) => report.interface,
            SubstringFound::Matches(report) => report.interface,
        }
    }

    /// Length of the longest substring that was found.
    pub(super) fn length(&self) -> usize {
        match self.found {
            SubstringFound::Longest(report) => report.length,
            SubstringFound::Matches(report) => report
                .matches
                .iter()
                .map(|found| found.length)
                .max()
                .unwrap_or_default(),
        }
    }

    /// The first place of every substring or match, with its length: it is on the forward strand.
    pub(super) fn firsts(&self) -> Vec<(Place, usize)> {
        match self.found {
            SubstringFound::Longest(report) => {
                let firsts = report
                    .substrings
                    .iter()
                    .filter_map(|substring| substring.places.first());
                firsts.map(|&place| (place, report.length)).collect()
            }
            SubstringFound::Matches(report) => report
                .matches
                .iter()
                .map(|found| (found.a, found.length))
                .collect(),
        }
    }

    /// The name of the record that a place is in.
    pub(super) fn name(&self, place: &Place) -> String {
        printable(&self.inputs.groups[place.input].records[place.record]).into_owned()
    }
}

/// Matches, where they were asked for.
pub(super) fn matches<'a>(answer: &SubstringAnswer<'a>) -> &'a [MaximalMatch] {
    match answer.found {
        SubstringFound::Longest(_) => &[],
        SubstringFound::Matches(report) => &report.matches,
    }
}
