//! `swath bench`: measurements, messages and plots.

use std::collections::BTreeSet;
use std::fs;
use std::sync::LazyLock;

use serde_json::Value;

use crate::process::{Files, command, gpu, run, swath};

/// Arguments for the smallest sizes.
const TINY: [&str; 4] = ["bench", "--quick", "--shrink", "200"];

fn rows(report: &Value) -> &Vec<Value> {
    report["rows"].as_array().expect("a list")
}

fn text<'a>(row: &'a Value, key: &str) -> &'a str {
    row[key]
        .as_str()
        .unwrap_or_else(|| panic!("{key} in {row}"))
}

/// Methods in the rows of a problem.
fn methods<'a>(report: &'a Value, problem: &str) -> BTreeSet<&'a str> {
    rows(report)
        .iter()
        .filter(|row| row["problem"] == problem)
        .map(|row| text(row, "method"))
        .collect()
}

/// Output, report and page of one run of all problems.
fn whole_run() -> &'static (String, Value, String) {
    static RUN: LazyLock<(String, Value, String)> = LazyLock::new(|| {
        let files = Files::new(&[]);
        let written = ["--json", "b.json", "--html", "b.html"];
        let printed = files.swath(&[&TINY[..], &written].concat()).ok();
        let read = |name| fs::read_to_string(files.path(name)).expect("it is written");
        let report = serde_json::from_str(&read("b.json")).expect("JSON");
        (printed, report, read("b.html"))
    });
    &RUN
}

// Measurements

#[test]
fn bench_measures_all_cpu_methods_of_all_problems_and_they_agree() {
    let (_, report, _) = whole_run();
    assert_eq!(
        (&report["schema"], &report["complete"], &report["agree"]),
        (&"swath/bench/1".into(), &true.into(), &true.into())
    );
    assert_eq!(
        [&report["command"][0], &report["command"][1]],
        ["swath", "bench"]
    );
    assert_eq!(report["devices"][0]["selector"], "cpu");
    for (problem, own) in [
        (
            "lcs",
            &["auto", "banded", "bit-parallel", "reference", "wavefront"][..],
        ),
        (
            "edit",
            &[
                "anti-diagonal",
                "auto",
                "banded",
                "bit-parallel",
                "reference",
                "tiled",
                "wavefront",
            ],
        ),
        (
            "scs",
            &[
                "anti-diagonal",
                "auto",
                "banded",
                "bit-parallel",
                "reference",
                "row-wise",
                "wavefront",
            ],
        ),
        ("chain", &["auto", "hu-shing", "reference", "tiled"]),
        (
            "substring",
            &[
                "auto",
                "cascade",
                "reference",
                "sort-and-scan",
                "suffix-array",
            ],
        ),
        ("sort", &["radix-sort"]),
    ] {
        assert_eq!(
            methods(report, problem),
            own.iter().copied().collect(),
            "{problem}"
        );
    }
    let inputs = |problem: &str| -> BTreeSet<_> {
        rows(report)
            .iter()
            .filter(|row| row["problem"] == problem)
            .map(|row| text(row, "inputs"))
            .collect()
    };
    assert!(
        rows(report).iter().all(|row| row["checked"] != false),
        "{report}"
    );
    assert_eq!(inputs("lcs"), ["26 letters", "4 letters"].into());
    assert_eq!(
        inputs("sort"),
        ["u32 keys", "u64 keys with a word each"].into()
    );
}

#[test]
fn row_has_all_times_and_their_median() {
    let report = swath(&[&TINY[..], &["edit", "chain", "--json", "-"]].concat()).json();
    for row in rows(&report) {
        assert_eq!(row["state"], "measured", "{row}");
        let mut times: Vec<f64> = row["times"]
            .as_array()
            .expect("a list")
            .iter()
            .filter_map(Value::as_f64)
            .collect();
        assert!(
            times.len() >= 3 && times.iter().all(|&time| time > 0.0),
            "{row}"
        );
        times.sort_by(f64::total_cmp);
        let (low, high) = (times[(times.len() - 1) / 2], times[times.len() / 2]);
        let median = row["seconds"].as_f64().expect("a number");
        assert!((median / ((low + high) / 2.0) - 1.0).abs() < 1e-12, "{row}");
        assert_eq!(
            row["answers"].as_array().map(Vec::len),
            Some(times.len() + 1),
            "the first call is checked, too: {row}"
        );
        assert!(
            row["right"] == true && row["share_of_ceiling"].is_null() && row["computed"].is_u64(),
            "{row}"
        );
        let counted = if row["problem"] == "chain" {
            "splits"
        } else {
            "cells"
        };
        assert_eq!(row["counted"], counted);
        let baselines: Vec<_> = row["ratios"]
            .as_array()
            .expect("a list")
            .iter()
            .map(|ratio| text(ratio, "baseline"))
            .collect();
        match (text(row, "problem"), text(row, "method")) {
            ("edit", "tiled") => assert_eq!(baselines, ["anti-diagonal"]),
            ("edit", "anti-diagonal") => assert_eq!(baselines, ["tiled"]),
            ("edit", _) => assert_eq!(baselines, ["tiled", "anti-diagonal"]),
            (_, _) => assert!(
                baselines.is_empty(),
                "the CPU has no baseline of chains: {row}"
            ),
        }
    }
}

#[test]
fn bench_cases_are_reproducible() {
    let answers = |report: &Value| -> Vec<Value> {
        let answers = rows(report).iter().map(|row| row["answers"][0].clone());
        answers.collect()
    };
    let again = swath(&[&TINY[..], &["--json", "-"]].concat()).json();
    assert_eq!(answers(&again), answers(&whole_run().1));
}

#[test]
fn bench_measures_cpu_and_gpu_with_baselines() {
    let Some(gpu) = gpu() else { return };
    let files = Files::new(&[]);
    let tiny = [
        "bench", "lcs", "chain", "sort", "--quick", "--shrink", "60", "--device", "cpu",
        "--device", &gpu,
    ];
    let printed = files
        .swath(&[&tiny[..], &["--json", "b.json", "--html", "b.html"]].concat())
        .ok();
    let report: Value =
        serde_json::from_slice(&fs::read(files.path("b.json")).expect("it is written"))
            .expect("JSON");
    assert_eq!(report["devices"][1]["selector"], gpu.as_str());
    assert_eq!(report["agree"], true);
    let on_gpu = |problem: &str| -> BTreeSet<_> {
        let own = rows(&report)
            .iter()
            .filter(|row| row["problem"] == problem && row["device"] == gpu.as_str());
        own.map(|row| text(row, "method")).collect()
    };
    assert_eq!(
        on_gpu("lcs"),
        [
            "auto",
            "banded",
            "bit-parallel",
            "conditional-sum",
            "wavefront"
        ]
        .into()
    );
    assert_eq!(
        on_gpu("chain"),
        ["adaptive", "auto", "thread-per-subproblem", "tiled"].into()
    );
    assert_eq!(on_gpu("sort"), ["radix-sort"].into());
    assert!(
        printed.contains(&format!("conditional-sum on {gpu}")),
        "{printed}"
    );
    assert!(printed.contains("x radix-sort on cpu"), "{printed}");
    page_has_a_line_for_all(
        &fs::read_to_string(files.path("b.html")).expect("it is written"),
        &report,
    );
}

#[test]
fn clock_option_gives_fractions_of_peak_throughput() {
    let Some(gpu) = gpu() else { return };
    let listed = swath::devices()
        .into_iter()
        .find(|device| device.selector == gpu)
        .expect("it is listed");
    let units = listed
        .capabilities
        .iter()
        .find(|(name, _)| *name == "compute_units")
        .map(|(_, units)| units.as_str());
    let is_known = units.is_some_and(|units| units != "unknown");
    let tiny = [
        "bench",
        "lcs",
        "--quick",
        "--shrink",
        "60",
        "--clock-ghz",
        "1.5",
        "--device",
        "cpu",
        "--device",
        &gpu,
    ];
    let files = Files::new(&[]);
    let printed = files
        .swath(&[&tiny[..], &["--json", "b.json"]].concat())
        .ok();
    let report = fs::read(files.path("b.json")).expect("it is written");
    let report: Value = serde_json::from_slice(&report).expect("JSON");
    for row in rows(&report) {
        let expected = is_known && row["ran_on"] == listed.name.as_str();
        assert_eq!(
            row["share_of_ceiling"].is_f64(),
            expected,
            "{units:?}: {row}"
        );
    }
    assert_eq!(printed.contains("ceiling"), is_known, "{units:?}");
}

#[test]
fn calls_expected_to_exceed_the_limit_are_listed_as_skipped() {
    let limited = ["bench", "chain", "--quick", "--limit", "0.0000001"];
    let report = swath(&[&limited[..], &["--json", "-"]].concat()).json();
    let sizes = |report: &Value| {
        let mut sizes: Vec<_> = rows(report)
            .iter()
            .map(|row| row["sizes"].clone())
            .collect();
        sizes.dedup();
        sizes
    };
    for (skipped, skip) in [(1, "1"), (sizes(&report).len(), "1000")] {
        let rest = swath(&[&limited[..], &["--skip", skip, "--json", "-"]].concat()).json();
        assert_eq!(sizes(&rest), sizes(&report)[skipped..], "{rest}");
    }
    assert!(
        rows(&report)
            .iter()
            .all(|row| row["state"] == "skipped" && row["expected_seconds"].is_f64()),
        "{report}"
    );
    let printed = swath(&limited).ok();
    assert!(
        printed.contains("skipped: ") && printed.contains("expected"),
        "{printed}"
    );
}

#[test]
fn bench_dry_run_lists_the_cases_without_measuring() {
    let printed = swath(&["bench", "scs", "--dry-run"]).ok();
    assert!(
        printed.contains("4096000 x 4096000")
            && printed.contains("rows would be measured, in about"),
        "{printed}"
    );
    let report = swath(&["bench", "scs", "--dry-run", "--quick", "--json", "-"]).json();
    assert!(
        rows(&report)
            .iter()
            .all(|row| row["state"] == "expected" && row.get("times").is_none()),
        "{report}"
    );
}

// Outputs

/// Checks that the page is well-formed and self-contained, with a line and its legend per method.
fn page_has_a_line_for_all(page: &str, report: &Value) {
    let mut open = Vec::new();
    for tag in page
        .split('<')
        .skip(2)
        .filter_map(|rest| rest.split_once('>').map(|(tag, _)| tag))
    {
        match tag.strip_prefix('/') {
            Some(name) => assert_eq!(open.pop(), Some(name), "closed as it was opened"),
            None if tag.ends_with('/') => {}
            None => open.push(tag.split_whitespace().next().unwrap_or_default()),
        }
    }
    assert!(open.is_empty(), "{open:?}");
    for outside in ["href", "src=", "url(", "@import", "<script"] {
        assert!(!page.contains(outside), "{outside}");
    }
    let mut lines = BTreeSet::new();
    for row in rows(report).iter().filter(|row| row["state"] == "measured") {
        lines.insert([
            text(row, "problem"),
            text(row, "inputs"),
            text(row, "method"),
            text(row, "device"),
        ]);
    }
    assert_eq!(page.matches("<polyline ").count(), lines.len());
    for [.., method, device] in lines {
        assert!(
            page.contains(&format!("<title>{method}, {device}</title>")),
            "{method} on {device}"
        );
    }
}

#[test]
fn html_page_has_a_line_for_every_method() {
    let (printed, report, page) = whole_run();
    assert!(
        printed.starts_with("Longest common subsequence, 4 letters\n"),
        "{printed}"
    );
    page_has_a_line_for_all(page, report);
}

#[test]
fn outputs_that_cannot_be_written_are_refused_before_the_work() {
    let files = Files::new(&[]);
    files
        .swath(&["bench", "--html", "none/b.html"])
        .fails(2, &["--html none/b.html", "no folder"]);
    files
        .swath(&["bench", "--json", "."])
        .fails(2, &["--json", "is a directory"]);
    files
        .swath(&["bench", "--json", "b", "--html", "b"])
        .fails(2, &["--json and --html"]);
    assert!(files.names().is_empty());
}

#[test]
fn json_switch_in_the_environment_writes_to_stdout() {
    for (value, is_json) in [("1", true), ("true", true), ("0", false), ("", false)] {
        let mut quick = command(&["bench", "chain", "--quick", "--shrink", "8"]);
        quick.env("SWATH_JSON", value);
        assert_eq!(run(quick, b"").ok().starts_with('{'), is_json, "{value}");
    }
}

#[cfg(unix)]
#[test]
fn signal_ends_the_bench_and_writes_its_results() {
    use std::io::{BufRead, BufReader, Read};
    use std::process::Stdio;

    use crate::signals::{listening, send};
    let files = Files::new(&[]);
    let mut long = listening(&[
        "bench",
        "lcs",
        "--json",
        "b.json",
        "--html",
        "b.html",
        "--progress",
        "always",
    ]);
    let piped = long
        .current_dir(&files.0)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut child = piped.spawn().expect("swath starts");
    let mut stderr = BufReader::new(child.stderr.take().expect("it is piped"));
    let mut told = String::new();
    // Rows exist when the second line is printed, a second later.
    for _ in 0..2 {
        stderr.read_line(&mut told).expect("progress is printed");
    }
    send("-INT", &child);
    stderr
        .read_to_string(&mut told)
        .expect("the message is printed");
    let output = child.wait_with_output().expect("swath ends");
    assert_eq!(output.status.code(), Some(130), "{told}");
    assert!(told.ends_with("swath: cancelled\n"), "{told}");
    assert!(
        String::from_utf8_lossy(&output.stdout).contains("bit-parallel"),
        "the tables are printed, too"
    );
    let report: Value =
        serde_json::from_slice(&fs::read(files.path("b.json")).expect("it is written"))
            .expect("JSON");
    assert!(
        report["complete"] == false && !rows(&report).is_empty(),
        "{report}"
    );
    let page = fs::read_to_string(files.path("b.html")).expect("it is written");
    assert!(page.contains("A signal ended the run"));
    page_has_a_line_for_all(&page, &report);
}

// Papers

#[test]
fn paper_tables_are_printed_next_to_measurements() {
    let printed = swath(&["bench", "chain", "--paper", "--quick", "--limit", "0.02"]).ok();
    let line = |start: &str| {
        printed
            .lines()
            .find(|line| line.trim_start().starts_with(start))
            .expect(start)
    };
    assert!(
        line("4096 ").contains("2.57 s")
            && line("4096 ").contains("9.06 s")
            && line("4096 ").ends_with(')'),
        "{printed}"
    );
    assert!(
        line("128 ").contains("0.06 s") && line("128 ").contains(" - "),
        "{printed}"
    );
    assert!(
        printed.contains(" unchecked ") && !line("128 ").contains("unchecked"),
        "one method within the limit: {printed}"
    );
    assert!(
        printed.contains("Wu") && printed.contains("2011") && printed.contains("Tesla C1060"),
        "{printed}"
    );
    assert!(
        !printed.contains("Zhao"),
        "only the paper of the problem: {printed}"
    );
    let report = swath(&[
        "bench", "chain", "--paper", "--quick", "--limit", "0.02", "--json", "-",
    ])
    .json();
    assert_eq!(report["papers"][0]["rows"][9]["seconds"][12], 9.06);
    let measured = || {
        rows(&report)
            .iter()
            .filter(|row| row["state"] == "measured")
    };
    for row in measured() {
        let others = |other: &Value| other["sizes"] == row["sizes"] && other["ran"] != row["ran"];
        assert_eq!(row["checked"], measured().any(others), "{row}");
    }
    assert!(
        measured().any(|row| row["checked"] == true)
            && measured().any(|row| row["checked"] == false),
        "{report}"
    );
    let page = swath(&[
        "bench", "chain", "--paper", "--quick", "--limit", "0.02", "--html", "-",
    ])
    .ok();
    assert!(
        page.contains("are unchecked: nothing else answered their cases")
            && page.contains(">unchecked<"),
        "{page}"
    );
    assert!(
        page.starts_with("<!DOCTYPE html>")
            && page.contains("<title>published: adaptive, Tesla C1060</title>"),
        "{page}"
    );
}

#[test]
fn all_papers_have_their_tables() {
    let limited = [
        "bench",
        "lcs",
        "edit",
        "scs",
        "chain",
        "substring",
        "--paper",
        "--scaling",
        "--threads",
        "3",
        "--limit",
        "0.0000001",
    ];
    let printed = swath(&limited).ok();
    for column in ["cpu, 1 thread", "cpu, 2 threads", "cpu, 3 threads"] {
        // Headings are wrapped.
        let words = column.split(' ');
        assert!(
            words.into_iter().all(|word| printed.contains(word)),
            "{printed}"
        );
    }
    // With the last figure of each.
    for (title, figure) in [
        ("Longest common subsequence: Table 1", "9.86 s"),
        ("Edit distance: Table 1", "3.41 s"),
        ("Edit distance: Table 2", "6.3399 s"),
        ("Shortest common supersequence: Table I", "185.7801 ms"),
        ("Matrix chain: Table II", "9.06 s"),
        ("Longest common substring: Sections 5.2 and 5.3", "7 s"),
    ] {
        let mut table = printed
            .split("\n\n")
            .filter(|table| table.starts_with(&format!("{title}\n")));
        let table = table.next().unwrap_or_else(|| panic!("{title}: {printed}"));
        let last = table
            .lines()
            .take_while(|line| !line.starts_with("Published: "))
            .last()
            .expect("a row");
        assert!(last.contains(&format!(" {figure} ")), "{table}");
    }
    assert_eq!(
        printed
            .lines()
            .filter(|line| line.starts_with("Published: "))
            .count(),
        6
    );
}

/// A line of a table's row, and its cells.
fn table_row<'a>(printed: &'a str, title: &str, size: &str) -> Option<Vec<&'a str>> {
    let mut tables = printed.split("\n\n");
    let table = tables.find(|table| table.starts_with(&format!("{title}\n")))?;
    let mut lines = table.lines();
    let row = lines.find(|line| line.trim_start().starts_with(&format!("{size} ")))?;
    let cells = row.split("  ").map(str::trim);
    Some(cells.filter(|cell| !cell.is_empty()).collect())
}

#[test]
fn a_scaling_paper_table_has_speedups_of_each_number_of_threads() {
    let asked = ["bench", "chain", "--paper", "--quick", "--limit", "0.2"];
    let by_threads = [
        &asked[..],
        &["--device", "cpu", "--scaling", "--threads", "2"],
    ]
    .concat();
    let printed = swath(&by_threads).ok();
    let title = "Matrix chain: Table II, speedups";
    let row = table_row(&printed, title, "512").unwrap_or_else(|| panic!("{printed}"));
    // The size, then `auto` and `tiled` by two threads.
    let [_, auto, tiled] = row[..] else {
        panic!("{row:?}")
    };
    for cell in [auto, tiled] {
        let (speedup, efficiency) = cell.split_once("x, ").expect("both");
        let efficiency = efficiency.strip_suffix(" %").expect("a share");
        let [speedup, efficiency] = [speedup, efficiency].map(|text| text.parse::<f64>());
        let (speedup, efficiency) = (speedup.expect("a number"), efficiency.expect("a number"));
        assert!((speedup * 50.0 - efficiency).abs() < 1.0, "{cell}");
    }
    let report = swath(&[&by_threads[..], &["--json", "-"]].concat()).json();
    let threads = |list: &str| -> Vec<Value> {
        let list = report[list].as_array().expect("a list");
        list.iter().map(|one| one["threads"].clone()).collect()
    };
    assert_eq!(threads("devices"), [1, 2]);
    assert!(
        threads("rows")
            .iter()
            .all(|threads| threads == 1 || threads == 2)
    );
}

#[test]
fn shapes_that_papers_vary_and_parts_of_calls_are_tables_of_a_gpu() {
    let Some(device) = gpu() else { return };
    let asked = [
        "bench", "chain", "--paper", "--quick", "--limit", "0.05", "--device", &device,
    ];
    let printed = swath(&asked).ok();
    let row = |title: &str| {
        let title = format!("Matrix chain: Table II, {title}");
        table_row(&printed, &title, "128").unwrap_or_else(|| panic!("{title}: {printed}"))
    };
    // The size, and a time for each length from which ranges are divided.
    assert_eq!(row("by shape").len(), 1 + 13, "{printed}");
    // Three parts of four methods.
    assert_eq!(row("parts").len(), 1 + 3 * 4, "{printed}");
}

// Usage

#[test]
fn wrong_arguments_are_reported_with_alternatives() {
    for (args, parts) in [
        (&["bench", "knapsack"][..], &["'knapsack'", "substring"][..]),
        (&["bench", "--limit", "0"], &["'0'", "--limit"]),
        (&["bench", "--limit", "soon"], &["'soon'"]),
        (&["bench", "--shrink", "0"], &["--shrink"]),
        (&["bench", "--clock-ghz", "-1"], &["-1"]),
    ] {
        let found = swath(args);
        assert_eq!((found.code, found.stdout.len()), (Some(2), 0), "{args:?}");
        parts
            .iter()
            .for_each(|part| assert!(found.stderr.contains(part), "{args:?}: {}", found.stderr));
    }
    swath(&["bench", "sort", "--paper"]).fails(2, &["--paper", "sort"]);
    swath(&["bench", "--device", "no such adapter"]).fails(3, &["no such adapter", "cpu"]);
}
