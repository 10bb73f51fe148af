//! Longest common substrings: Hansda 2026, sections 5.2 and 5.3.

use super::super::{Kind, Problem};
use super::{Paper, Published};

pub const PAPER: Paper = Paper {
    problem: Problem::Substring,
    title: "Parallel Programming: Assignment 1",
    authors: "S. Hansda",
    year: "2026",
    tables: &[RESULTS],
};

/// The table of section 5.2, and the time on the GPU of section 5.3.
const RESULTS: Published = Published {
    place: "Sections 5.2 and 5.3",
    machine: "NVIDIA RTX A5000; the CPU is not named",
    note: "Two random strings of A to Z.",
    kind: Kind::Letters(26),
    path: false,
    methods: &["sort-and-scan"],
    columns: &[
        "1 thread",
        "2 threads",
        "4 threads",
        "8 threads",
        "16 threads",
        "32 threads",
        "CUDA",
    ],
    plotted: &[(5, "32 threads"), (6, "RTX A5000")],
    unit: ("s", 1.0),
    rows: &[(
        (100_000_000, Some(100_000_000)),
        &[1282.0, 665.0, 343.0, 181.0, 108.0, 80.0, 7.0],
    )],
};
