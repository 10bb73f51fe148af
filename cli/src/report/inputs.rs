//! The inputs of an answer or a plan, as reports name them.

use serde::Serialize;

use crate::input::{Group, Groups, InputList, Inputs, printable};

/// Most inputs that have a line of their own.
const LISTED: usize = 8;

/// Inputs that a report names.
pub trait Named {
    /// Lines of a summary.
    fn lines(&self) -> Vec<(&'static str, String)>;

    /// The part of a JSON object that names them.
    fn figures(&self) -> impl Serialize;
}

/// One input.
#[derive(Serialize)]
struct Sequence<'a> {
    name: &'a str,
    length: usize,
}

#[derive(Serialize)]
struct Pair<'a> {
    a: Sequence<'a>,
    b: Sequence<'a>,
}

#[derive(Serialize)]
struct List<'a> {
    inputs: Vec<Sequence<'a>>,
}

/// An input of any number of records.
#[derive(Serialize)]
struct Records<'a> {
    name: &'a str,
    length: usize,
    records: Vec<Sequence<'a>>,
}

#[derive(Serialize)]
struct GroupList<'a> {
    inputs: Vec<Records<'a>>,
}

impl Named for Inputs {
    fn lines(&self) -> Vec<(&'static str, String)> {
        let (a_len, b_len) = self.sequences.lengths();
        vec![
            ("a", line(a_len, &self.a_name)),
            ("b", line(b_len, &self.b_name)),
        ]
    }

    fn figures(&self) -> impl Serialize {
        let (a_len, b_len) = self.sequences.lengths();
        Pair {
            a: Sequence {
                name: &self.a_name,
                length: a_len,
            },
            b: Sequence {
                name: &self.b_name,
                length: b_len,
            },
        }
    }
}

impl Named for InputList {
    fn lines(&self) -> Vec<(&'static str, String)> {
        let lengths = self.lists.lengths();
        let named = self.names.iter().zip(&lengths).take(LISTED);
        let mut lines: Vec<_> = named
            .map(|(name, &length)| ("input", line(length, name)))
            .collect();
        if lengths.len() > LISTED {
            lines.push((
                "inputs",
                format!(
                    "{} in all, {} symbols",
                    lengths.len(),
                    lengths.iter().sum::<usize>()
                ),
            ));
        }
        lines
    }

    fn figures(&self) -> impl Serialize {
        let named = self.names.iter().zip(self.lists.lengths());
        List {
            inputs: named
                .map(|(name, length)| Sequence { name, length })
                .collect(),
        }
    }
}

impl Named for Groups {
    fn lines(&self) -> Vec<(&'static str, String)> {
        let all = self.lengths();
        let line = |(group, lengths): (&Group, &Vec<usize>)| {
            let symbols = line(lengths.iter().sum(), &group.name);
            let line = if lengths.len() == 1 {
                symbols
            } else {
                format!("{symbols}, {} records", lengths.len())
            };
            ("input", line)
        };
        let mut lines: Vec<_> = self
            .groups
            .iter()
            .zip(&all)
            .take(LISTED)
            .map(line)
            .collect();
        if all.len() > LISTED {
            let symbols: usize = all.iter().flatten().sum();
            lines.push(("inputs", format!("{} in all, {symbols} symbols", all.len())));
        }
        lines
    }

    fn figures(&self) -> impl Serialize {
        let inputs = self
            .groups
            .iter()
            .zip(self.lengths())
            .map(|(group, lengths)| {
                let named = group.records.iter().zip(&lengths);
                let records = named
                    .map(|(name, &length)| Sequence { name, length })
                    .collect();
                Records {
                    name: &group.name,
                    length: lengths.iter().sum(),
                    records,
                }
            });
        GroupList {
            inputs: inputs.collect(),
        }
    }
}

fn line(length: usize, name: &str) -> String {
    format!("{length} symbols, {}", printable(name))
}
