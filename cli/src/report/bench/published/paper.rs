//! A paper and its tables.

use super::super::{Case, Kind, Problem};

/// A paper and its tables.
pub struct Paper {
    pub problem: Problem,
    pub title: &'static str,
    pub authors: &'static str,
    /// Empty where the paper has none.
    pub year: &'static str,
    pub tables: &'static [Published],
}

/// One table.
pub struct Published {
    /// Where it stands.
    pub place: &'static str,
    /// What its times were measured on, as far as the paper says so.
    pub machine: &'static str,
    /// What has to be known to read it beside other times; empty where that is nothing.
    pub note: &'static str,
    /// What the inputs are made of.
    pub kind: Kind,
    /// Whether the witness is computed too.
    pub path: bool,
    /// Methods to measure beside the default one.
    pub methods: &'static [&'static str],
    pub columns: &'static [&'static str],
    /// Columns that plots show, and what they call them.
    pub plotted: &'static [(usize, &'static str)],
    /// What a figure counts: its name, and its seconds.
    pub unit: (&'static str, f64),
    pub rows: &'static [Row],
}

/// Sizes, and the figures from the first column on: a row that is shorter has no more.
pub type Row = ((usize, Option<usize>), &'static [f64]);

impl Paper {
    /// As a source is named.
    pub fn source(&self) -> String {
        let year = if self.year.is_empty() {
            String::new()
        } else {
            format!(" ({})", self.year)
        };
        format!("{}, \"{}\"{year}", self.authors, self.title)
    }
}

impl Published {
    /// A figure in seconds.
    pub fn seconds(&self, figure: f64) -> f64 {
        figure * self.unit.1
    }

    /// Digits behind the point that the paper prints.
    pub fn decimals(&self) -> usize {
        let figures = self.rows.iter().flat_map(|(_, figures)| figures.iter());
        let digits = |figure: &f64| {
            figure
                .to_string()
                .split_once('.')
                .map_or(0, |(_, digits)| digits.len())
        };
        figures.map(digits).max().unwrap_or_default()
    }

    /// The cases of the rows.
    pub fn cases(&self, problem: Problem) -> impl Iterator<Item = Case> {
        self.rows.iter().map(move |&(sizes, _)| Case {
            problem,
            kind: self.kind,
            sizes,
            path: self.path,
        })
    }
}
