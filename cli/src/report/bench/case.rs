//! What is measured: problems, their generated inputs, and sizes.

use clap::ValueEnum;

/// A problem to measure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Problem {
    /// Longest common subsequence
    Lcs,
    /// Edit distance
    Edit,
    /// Shortest common supersequence
    Scs,
    /// Matrix chain
    Chain,
    /// Longest common substring
    Substring,
    /// Radix sort
    Sort,
}

impl Problem {
    pub const ALL: [Problem; 6] = [
        Problem::Lcs,
        Problem::Edit,
        Problem::Scs,
        Problem::Chain,
        Problem::Substring,
        Problem::Sort,
    ];

    /// The word that selects it.
    pub fn name(self) -> &'static str {
        match self {
            Problem::Lcs => "lcs",
            Problem::Edit => "edit",
            Problem::Scs => "scs",
            Problem::Chain => "chain",
            Problem::Substring => "substring",
            Problem::Sort => "sort",
        }
    }

    /// What people call it.
    pub fn title(self) -> &'static str {
        match self {
            Problem::Lcs => "Longest common subsequence",
            Problem::Edit => "Edit distance",
            Problem::Scs => "Shortest common supersequence",
            Problem::Chain => "Matrix chain",
            Problem::Substring => "Longest common substring",
            Problem::Sort => "Sort",
        }
    }

    /// What speeds count.
    pub fn counted(self) -> &'static str {
        match self {
            Problem::Lcs | Problem::Edit | Problem::Scs => "cells",
            Problem::Chain => "splits",
            Problem::Substring => "symbols",
            Problem::Sort => "keys",
        }
    }

    /// The methods that others are compared with: those of the papers; sorts with that of the CPU.
    pub fn baselines(self) -> &'static [&'static str] {
        match self {
            Problem::Lcs => &["conditional-sum"],
            Problem::Edit => &["tiled", "anti-diagonal"],
            Problem::Scs => &["row-wise", "anti-diagonal"],
            Problem::Chain => &["adaptive", "thread-per-subproblem"],
            Problem::Substring => &["sort-and-scan"],
            Problem::Sort => &["radix-sort"],
        }
    }
}

/// What generated inputs are made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Random letters of an alphabet of so many.
    Letters(u64),
    /// Random dimensions of matrices.
    Dimensions,
    /// Random keys of 32 bits.
    Keys,
    /// Random keys of 64 bits with a word each.
    Pairs,
}

impl Kind {
    /// As tables and plots are headed.
    pub fn name(self) -> String {
        match self {
            Kind::Letters(letters) => format!("{letters} letters"),
            Kind::Dimensions => "random dimensions".to_string(),
            Kind::Keys => "u32 keys".to_string(),
            Kind::Pairs => "u64 keys with a word each".to_string(),
        }
    }
}

/// One input of one problem.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Case {
    pub problem: Problem,
    pub kind: Kind,
    /// Of both inputs, or of the only one.
    pub sizes: (usize, Option<usize>),
    /// Whether the witness is computed too.
    pub path: bool,
}

impl Case {
    /// The sizes: `1000 x 1000`.
    pub fn size(&self) -> String {
        let (first, second) = self.sizes;
        second.map_or_else(|| first.to_string(), |second| format!("{first} x {second}"))
    }

    /// One number for plots: the geometric mean of both sizes.
    pub fn extent(&self) -> f64 {
        let (first, second) = self.sizes;
        (first as f64 * second.unwrap_or(first) as f64).sqrt()
    }
}
