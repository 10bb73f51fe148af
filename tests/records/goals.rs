//! What CUDA was to reach on an H200, and what the records say of it: the table of `benches/record/README.md` is made of them.

use std::fs;

use serde_json::Value;

use super::{data, kind, root};

/// What is asked of a case.
enum Goal {
    /// So many 10^12 cells of the whole table a second.
    Tcups(f64),
    /// So many milliseconds.
    Millis(f64),
}
use Goal::{Millis, Tcups};

impl Goal {
    /// A speed or a time of a row in the goal's unit.
    fn of_row(&self, row: &Value, member: &str) -> Option<f64> {
        let seconds = row[member].as_f64()?;
        match self {
            Tcups(_) => {
                Some(row["cells_per_second"].as_f64()? * row["seconds"].as_f64()? / seconds / 1e12)
            }
            Millis(_) => Some(1e3 * seconds),
        }
    }

    /// By how much a speed or a time is better than what is asked: 1 is just that.
    fn reached(&self, figure: f64) -> f64 {
        match self {
            Tcups(asked) => figure / asked,
            Millis(asked) => asked / figure,
        }
    }

    fn text(&self) -> String {
        match self {
            Tcups(asked) => format!("{asked} TCUPS"),
            Millis(asked) => format!("{asked} ms"),
        }
    }
}

/// A case of a kind of records by CUDA, and what it is called by Vulkan.
struct Case {
    what: &'static str,
    kind: &'static str,
    names: [&'static str; 2],
    goal: Goal,
}

const fn case(what: &'static str, kind: &'static str, name: &'static str, goal: Goal) -> Case {
    Case {
        what,
        kind,
        names: [name, name],
        goal,
    }
}

const CASES: [Case; 19] = [
    case(
        "LCS length, 4 letters, 10 M x 10 M, whole table",
        "lcs",
        "length 10000000 x 10000000, 4 letters",
        Tcups(125.0),
    ),
    case(
        "the same by default",
        "lcs",
        "length 10000000 x 10000000, 4 letters, auto",
        Tcups(155.0),
    ),
    case(
        "the same, 1 M x 1 M, whole table",
        "lcs",
        "length 1000000 x 1000000, 4 letters",
        Tcups(60.0),
    ),
    case(
        "the same, 100 k x 100 k, whole table",
        "lcs",
        "length 100000 x 100000, 4 letters",
        Millis(1.8),
    ),
    case(
        "LCS length, 26 letters, 10 M x 10 M",
        "lcs",
        "length 10000000 x 10000000, 26 letters",
        Tcups(62.0),
    ),
    case(
        "LCS with its string, 4 letters, 10 M x 10 M",
        "lcs",
        "path 10000000 x 10000000, 4 letters, auto",
        Millis(700.0),
    ),
    case(
        "edit distance, 10 M x 10 M, whole table",
        "edit_distance",
        "distance 10000000 x 10000000, 4 letters",
        Tcups(46.0),
    ),
    case(
        "edit distance, 150 k x 150 k",
        "edit_distance",
        "distance 150000 x 150000, 4 letters",
        Millis(4.0),
    ),
    case(
        "alignment, 1 M, 1 % apart",
        "edit_distance",
        "alignment 1000000, 1 % apart",
        Millis(10.0),
    ),
    case(
        "SCS length, 60 k x 60 k, 26 letters",
        "supersequence",
        "length 60000 x 60000, 26 letters",
        Millis(1.2),
    ),
    case(
        "the same, row-wise",
        "supersequence",
        "length 60000 x 60000, 26 letters, row-wise",
        Millis(12.0),
    ),
    case(
        "matrix chain, n = 4,096",
        "parenthesization",
        "tiled chain 4096",
        Millis(10.0),
    ),
    case(
        "matrix chain, n = 16,384",
        "parenthesization",
        "tiled chain 16384",
        Millis(300.0),
    ),
    Case {
        what: "radix sort, 200 M keys of 64 bits with a word each",
        kind: "sort",
        names: [
            "200000000 u64 pairs, one pass a digit",
            "200000000 u64 pairs",
        ],
        goal: Millis(18.0),
    },
    case(
        "longest common substring, 2 x 100 M random",
        "substring",
        "cascade gpu: random A-Z 100000000",
        Millis(25.0),
    ),
    Case {
        what: "LCS, 200 k x 200 k, process start to answer, alone",
        kind: "backends",
        names: [
            "cuda:0: lcs 200000 x 200000, process start to answer",
            "vulkan:0: lcs 200000 x 200000, process start to answer",
        ],
        goal: Millis(150.0),
    },
    Case {
        what: "edit distance, 200 k x 200 k, process start to answer, alone",
        kind: "backends",
        names: [
            "cuda:0: edit 200000 x 200000, process start to answer",
            "vulkan:0: edit 200000 x 200000, process start to answer",
        ],
        goal: Millis(150.0),
    },
    Case {
        what: "LCS, 200 k x 200 k, process start to answer, beside a process that has the device open",
        kind: "backends",
        names: [
            "cuda:0 beside another process: lcs 200000 x 200000, process start to answer",
            "vulkan:0 beside another process: lcs 200000 x 200000, process start to answer",
        ],
        goal: Millis(150.0),
    },
    Case {
        what: "edit distance, 200 k x 200 k, process start to answer, beside a process that has the device open",
        kind: "backends",
        names: [
            "cuda:0 beside another process: edit 200000 x 200000, process start to answer",
            "vulkan:0 beside another process: edit 200000 x 200000, process start to answer",
        ],
        goal: Millis(150.0),
    },
];

/// The methods of the papers, as rows name them.
const OF_PAPERS: [&str; 6] = [
    "conditional-sum",
    "row-wise",
    "anti-diagonal",
    "thread-per-subproblem",
    "sort-and-scan",
    "counting each digit",
];

const HEADINGS: &str = "| case | goal | CUDA, best and median | Vulkan | a paper's method by CUDA | CUDA against the goal |";

/// The table, from the records of an H200.
fn table() -> String {
    let data = data();
    let row = |of: String, name: &str| -> Option<Value> {
        let (_, record) = data
            .iter()
            .find(|(file, _)| kind(file).as_ref() == Some(&of))?;
        record["rows"]
            .as_array()?
            .iter()
            .find(|row| row["case"] == name)
            .cloned()
    };
    let mut lines = vec![
        HEADINGS.to_string(),
        "|---|---|---|---|---|---|".to_string(),
    ];
    for Case {
        what,
        kind,
        names,
        goal,
    } in &CASES
    {
        let record = |interface: &str| match *kind {
            "backends" => "nvidia-h200/-backends".to_string(),
            kind => format!("nvidia-h200/-{kind}-{interface}"),
        };
        let cuda =
            row(record("cuda"), names[0]).unwrap_or_else(|| panic!("no record has {}", names[0]));
        let best = goal.of_row(&cuda, "seconds").expect("a row has a time");
        let median = goal.of_row(&cuda, "median_seconds");
        let vulkan = row(record("vulkan"), names[1]).and_then(|row| goal.of_row(&row, "seconds"));
        let paper = cuda["baseline"]
            .as_str()
            .and_then(|text| text.split(", ").next());
        let paper = paper
            .filter(|name| OF_PAPERS.contains(name))
            .zip(cuda["ratio"].as_f64());
        let paper = paper.map(|(name, ratio)| format!("{name}, {} times as long", figure(ratio)));
        let verdict = match (
            goal.reached(best),
            median.map(|median| goal.reached(median)),
        ) {
            (best, _) if best < 1.0 => format!("missed by {:.1} %", 100.0 * (1.0 / best - 1.0)),
            (_, Some(median)) if median < 1.0 => {
                format!(
                    "reached by the best call, missed by {:.1} % by the median",
                    100.0 * (1.0 / median - 1.0)
                )
            }
            _ => "reached".to_string(),
        };
        let told = |of: Option<f64>| of.map_or("".to_string(), figure);
        let median = median.map_or(String::new(), |median| format!(", {}", figure(median)));
        lines.push(format!(
            "| {what} | {} | {}{median} | {} | {} | {verdict} |",
            goal.text(),
            figure(best),
            told(vulkan),
            paper.unwrap_or_default(),
        ));
    }
    lines.join("\n")
}

/// A number with three digits.
fn figure(number: f64) -> String {
    let digits = if number >= 100.0 {
        0
    } else if number >= 10.0 {
        1
    } else {
        2
    };
    format!("{number:.digits$}")
}

#[test]
fn the_readme_tells_what_cuda_was_to_reach_and_what_the_records_have() {
    let readme = fs::read_to_string(root().join("benches/record/README.md")).expect("a text");
    let (table, told) = (
        table(),
        readme
            .lines()
            .skip_while(|line| *line != HEADINGS)
            .take_while(|line| line.starts_with('|')),
    );
    let told: Vec<_> = told.collect();
    assert_eq!(told.join("\n"), table, "the table is to be:\n{table}\n");
    // Below it stands what holds whatever is missed.
    let missed = told.iter().filter(|line| line.contains("missed"));
    for line in missed {
        let what = line
            .trim_start_matches("| ")
            .split(" |")
            .next()
            .unwrap_or_default();
        assert!(
            readme.contains(&format!("- {what}: ")),
            "the README does not say what holds '{what}'"
        );
    }
}

#[test]
fn a_goal_is_reached_by_a_higher_speed_or_a_shorter_time() {
    assert!(Tcups(100.0).reached(101.0) > 1.0 && Tcups(100.0).reached(99.0) < 1.0);
    assert!(Millis(100.0).reached(99.0) > 1.0 && Millis(100.0).reached(101.0) < 1.0);
    let row =
        serde_json::json!({ "seconds": 0.5, "median_seconds": 1.0, "cells_per_second": 4e12 });
    assert_eq!(Tcups(1.0).of_row(&row, "median_seconds"), Some(2.0));
    assert_eq!(Millis(1.0).of_row(&row, "median_seconds"), Some(1000.0));
    assert_eq!(
        [figure(1234.6), figure(12.34), figure(1.234)],
        ["1235", "12.3", "1.23"]
    );
}
