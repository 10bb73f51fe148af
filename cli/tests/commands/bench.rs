//! `swath bench`: measurements, messages and plots.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::process::{Dir, contains, each, get, gpu, has, list, swath, table};

fn rows(report: &Value) -> Vec<Value> {
    get(&report["rows"])
}

/// Requires the values of `key` in the rows of problems on a device.
fn have(report: &Value, device: &str, key: &str, problems: &[(&str, &str)]) {
    each(problems, |(problem, values)| {
        let rows = rows(report).into_iter();
        let rows = rows.filter(|row| row["problem"] == *problem && row["device"] == device);
        let found: BTreeSet<String> = rows.map(|row| get(&row[key])).collect();
        assert_eq!(found.into_iter().collect::<Vec<_>>().join(" | "), *values);
    });
}

/// Output, report and page of a run that writes files.
fn written(call: &str) -> (String, Value, String) {
    let dir = Dir::new(&[]);
    let printed = dir
        .swath(format!("bench {call} --json b.json --html b.html"))
        .ok();
    (printed, report(&dir), dir.text("b.html"))
}

fn report(dir: &Dir) -> Value {
    serde_json::from_str(&dir.text("b.json")).expect("JSON")
}

// Measurements

#[test]
fn all_cpu_methods_are_measured_and_agree() {
    let (printed, report, page) = written("--quick --shrink 800");
    has(
        &report,
        "schema=swath/bench/1 | complete=true | agree=true | /command/0=swath | /command/1=bench | \
         /devices/0/selector=cpu",
    );
    have(
        &report,
        "cpu",
        "method",
        &[
            (
                "lcs",
                "auto | banded | bit-parallel | reference | wavefront",
            ),
            (
                "edit",
                "anti-diagonal | auto | banded | bit-parallel | reference | tiled | wavefront",
            ),
            (
                "scs",
                "anti-diagonal | auto | banded | bit-parallel | reference | row-wise | wavefront",
            ),
            ("chain", "auto | hu-shing | reference | tiled"),
            (
                "substring",
                "auto | cascade | reference | sort-and-scan | suffix-array",
            ),
            ("sort", "radix-sort"),
        ],
    );
    have(
        &report,
        "cpu",
        "inputs",
        &[
            ("lcs", "26 letters | 4 letters"),
            ("sort", "u32 keys | u64 keys with a word each"),
        ],
    );
    assert!(
        rows(&report).iter().all(|row| row["checked"] != false),
        "{report}"
    );
    assert!(
        printed.starts_with("Longest common subsequence, 4 letters\n"),
        "{printed}"
    );
    page_has_a_line_for_all(&page, &report);
    // Cases are reproducible.
    let again = swath("bench --quick --shrink 800 --json -").json();
    let answers = |report| {
        rows(report)
            .into_iter()
            .map(|row| row["answers"][0].clone())
    };
    assert!(answers(&again).eq(answers(&report)));
}

#[test]
fn row_has_all_times_and_their_median() {
    let report = swath("bench --quick --shrink 200 edit chain --json -").json();
    for row in rows(&report) {
        let mut times: Vec<f64> = get(&row["times"]);
        assert!(
            times.len() >= 3 && times.iter().all(|&time| time > 0.0),
            "{row}"
        );
        times.sort_by(f64::total_cmp);
        let middle = times[(times.len() - 1) / 2] + times[times.len() / 2];
        assert!(
            (get::<f64>(&row["seconds"]) * 2.0 / middle - 1.0).abs() < 1e-12,
            "{row}"
        );
        // The first call is checked, too.
        assert_eq!(
            get::<Vec<Value>>(&row["answers"]).len(),
            times.len() + 1,
            "{row}"
        );
        assert!(row["computed"].is_u64(), "{row}");
        let [problem, method] = ["problem", "method"].map(|key| get::<String>(&row[key]));
        let (counted, baselines) = match (&problem[..], &method[..]) {
            ("chain", _) => ("splits", ""),
            (_, "tiled") => ("cells", "anti-diagonal"),
            (_, "anti-diagonal") => ("cells", "tiled"),
            _ => ("cells", "tiled anti-diagonal"),
        };
        let values = format!("right=true | share_of_ceiling=null | counted={counted}");
        has(&row, format!("state=measured | {values}"));
        let ratios: Vec<Value> = get(&row["ratios"]);
        let found: Vec<String> = ratios.iter().map(|ratio| get(&ratio["baseline"])).collect();
        assert_eq!(found.join(" "), baselines, "{row}");
    }
}

#[test]
fn cpu_and_gpu_are_measured_with_baselines() {
    let Some(gpu) = gpu() else { return };
    let call = format!("lcs chain sort --quick --shrink 60 --device cpu --device {gpu}");
    let (printed, report, page) = written(&call);
    has(&report, format!("/devices/1/selector={gpu} | agree=true"));
    have(
        &report,
        &gpu,
        "method",
        &[
            (
                "lcs",
                "auto | banded | bit-parallel | conditional-sum | wavefront",
            ),
            ("chain", "adaptive | auto | thread-per-subproblem | tiled"),
            ("sort", "radix-sort"),
        ],
    );
    contains(
        &printed,
        format!("conditional-sum on {gpu} | x radix-sort on cpu"),
    );
    page_has_a_line_for_all(&page, &report);
}

#[test]
fn clock_option_gives_fractions_of_peak_throughput() {
    let Some(gpu) = gpu() else { return };
    let mut devices = swath::devices().into_iter();
    let listed = devices
        .find(|device| device.selector == gpu)
        .expect("it is listed");
    let mut units = listed
        .capabilities
        .iter()
        .filter(|(name, _)| *name == "compute_units");
    let is_known = units.next().is_some_and(|(_, units)| units != "unknown");
    let call = format!("lcs --quick --shrink 60 --clock-ghz 1.5 --device cpu --device {gpu}");
    let (printed, report, _) = written(&call);
    for row in rows(&report) {
        let expected = is_known && row["ran_on"] == listed.name.as_str();
        assert_eq!(row["share_of_ceiling"].is_f64(), expected, "{row}");
    }
    assert_eq!(printed.contains("ceiling"), is_known, "{printed}");
}

#[test]
fn calls_beyond_the_limit_and_dry_runs_are_listed() {
    let limited = "bench chain --quick --limit 0.0000001";
    let sizes = |options| {
        let report = swath(format!("{limited} --json - {options}")).json();
        let rows = rows(&report).into_iter();
        let mut sizes: Vec<_> = rows
            .map(|row| {
                has(&row, "state=skipped");
                assert!(row["expected_seconds"].is_f64(), "{row}");
                row["sizes"].clone()
            })
            .collect();
        sizes.dedup();
        sizes
    };
    let all = sizes("");
    assert_eq!(
        (sizes("--skip 1"), sizes("--skip 1000")),
        (all[1..].to_vec(), vec![])
    );
    swath(limited).shows("skipped:  | expected");
    swath("bench scs --dry-run").shows("4096000 x 4096000 | rows would be measured, in about");
    let report = swath("bench scs --dry-run --quick --json -").json();
    let is_expected = |row: &Value| row["state"] == "expected" && row.get("times").is_none();
    assert!(rows(&report).iter().all(is_expected), "{report}");
}

// Outputs

/// Checks that the page is well-formed and self-contained, with a line and its legend per method.
fn page_has_a_line_for_all(page: &str, report: &Value) {
    let mut open = Vec::new();
    let tags = page
        .split('<')
        .skip(2)
        .filter_map(|rest| rest.split_once('>'));
    for (tag, _) in tags {
        match tag.strip_prefix('/') {
            Some(name) => assert_eq!(open.pop(), Some(name), "closed as it was opened"),
            None if tag.ends_with('/') => {}
            None => open.push(tag.split_whitespace().next().unwrap_or_default()),
        }
    }
    assert!(open.is_empty(), "{open:?}");
    for outside in list(
        "
        href
        src=
        url(
        @import
        <script
    ",
    ) {
        assert!(!page.contains(outside), "{outside}");
    }
    let measured = rows(report)
        .into_iter()
        .filter(|row| row["state"] == "measured");
    let key = |row: Value| ["problem", "inputs", "method", "device"].map(|key| get(&row[key]));
    let lines: BTreeSet<[String; 4]> = measured.map(key).collect();
    assert_eq!(page.matches("<polyline ").count(), lines.len());
    for [.., method, device] in lines {
        contains(page, format!("<title>{method}, {device}</title>"));
    }
}

#[test]
fn wrong_arguments_are_refused_before_the_work() {
    let dir = Dir::new(&[]);
    dir.fail(
        2,
        "bench",
        "
        --html none/b.html => --html none/b.html | no folder
        --json .           => --json | is a directory
        --json b --html b  => --json and --html
        sort --paper       => --paper | sort
    ",
    );
    assert!(dir.names().is_empty());
    swath("bench --device 'no such adapter'").fails(3, "no such adapter | cpu");
    dir.end(
        2,
        "bench",
        "
        knapsack       => 'knapsack' | substring
        --limit 0      => '0' | --limit
        --limit soon   => 'soon'
        --shrink 0     => --shrink
        --clock-ghz -1 => -1
    ",
    );
    let page = swath("bench chain --quick --shrink 8 --html -").ok();
    assert!(page.starts_with("<!DOCTYPE html>"), "{page}");
    // The switch in the environment writes to stdout.
    for (value, is_json) in [("1", true), ("true", true), ("0", false), ("", false)] {
        let quick = swath(format!("SWATH_JSON={value} bench chain --quick --shrink 8"));
        assert_eq!(quick.ok().starts_with('{'), is_json, "{value}");
    }
}

#[cfg(unix)]
#[test]
fn signal_ends_the_bench_with_its_results() {
    use std::io::{BufRead, BufReader, Read};

    use crate::signals::{listening, send};
    let dir = Dir::new(&[]);
    let line = "bench lcs --json b.json --html b.html --progress always";
    let mut child = listening(&dir, line).spawn().expect("swath starts");
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
    // The tables are printed, too.
    contains(&String::from_utf8_lossy(&output.stdout), "bit-parallel");
    let report = report(&dir);
    assert!(
        report["complete"] == false && !rows(&report).is_empty(),
        "{report}"
    );
    let page = dir.text("b.html");
    contains(&page, "A signal ended the run");
    page_has_a_line_for_all(&page, &report);
}

// Papers

#[test]
fn paper_tables_are_printed_next_to_measurements() {
    let (printed, report, page) = written("chain --paper --quick --limit 0.02");
    let line = |start: &str| {
        let mut lines = printed.lines();
        lines
            .find(|line| line.trim_start().starts_with(start))
            .expect(start)
    };
    contains(line("4096 "), "2.57 s | 9.06 s");
    assert!(line("4096 ").ends_with(')'), "{printed}");
    contains(line("128 "), "0.06 s |  - ");
    // One method is within the limit.
    contains(&printed, " unchecked  | Wu | 2011 | Tesla C1060");
    assert!(!line("128 ").contains("unchecked"), "{printed}");
    assert!(
        !printed.contains("Zhao"),
        "only the paper of the problem: {printed}"
    );
    has(&report, "/papers/0/rows/9/seconds/12=9.06");
    let measured = rows(&report)
        .into_iter()
        .filter(|row| row["state"] == "measured");
    let measured: Vec<_> = measured.collect();
    for row in &measured {
        let is_other = |other: &Value| other["sizes"] == row["sizes"] && other["ran"] != row["ran"];
        assert_eq!(row["checked"], measured.iter().any(is_other), "{row}");
    }
    for checked in [true, false] {
        assert!(
            measured.iter().any(|row| row["checked"] == checked),
            "{report}"
        );
    }
    assert!(page.starts_with("<!DOCTYPE html>"), "{page}");
    contains(
        &page,
        "are unchecked: nothing else answered their cases | >unchecked< | <title>published: adaptive, Tesla C1060</title>",
    );
}

#[test]
fn all_papers_have_their_tables() {
    let printed =
        swath("bench lcs edit scs chain substring --paper --scaling --threads 3 --limit 0.0000001");
    // Headings are wrapped.
    let printed = printed.shows("cpu, | 1 | 2 | 3 | thread | threads");
    // With the last figure of each.
    let tables = "
        Longest common subsequence: Table 1            => 9.86 s
        Edit distance: Table 1                         => 3.41 s
        Edit distance: Table 2                         => 6.3399 s
        Shortest common supersequence: Table I         => 185.7801 ms
        Matrix chain: Table II                         => 9.06 s
        Longest common substring: Sections 5.2 and 5.3 => 7 s
    ";
    each(table(tables), |[title, figure]| {
        let mut found = printed.split("\n\n");
        let table = found
            .find(|table| table.starts_with(&format!("{title}\n")))
            .expect(title);
        let rows = table
            .lines()
            .take_while(|line| !line.starts_with("Published: "));
        contains(rows.last().expect("a row"), format!(" {figure} "));
    });
    let published = printed
        .lines()
        .filter(|line| line.starts_with("Published: "));
    assert_eq!(published.count(), 6);
}

/// Cells of a row of a table.
fn table_row<'a>(printed: &'a str, title: &str, size: &str) -> Vec<&'a str> {
    let title = format!("Matrix chain: Table II, {title}\n");
    let table = printed
        .split("\n\n")
        .find(|table| table.starts_with(&title))
        .expect(&title);
    let is_row = |line: &&str| line.trim_start().starts_with(&format!("{size} "));
    let row = table.lines().find(is_row).expect(size);
    row.split("  ")
        .map(str::trim)
        .filter(|cell| !cell.is_empty())
        .collect()
}

#[test]
fn scaling_has_speedups_of_each_number_of_threads() {
    let call = "bench chain --paper --quick --limit 0.2 --device cpu --scaling --threads 2";
    let printed = swath(call).ok();
    // The size, then `auto` and `tiled` by two threads.
    let row = table_row(&printed, "speedups", "512");
    assert_eq!(row.len(), 3, "{row:?}");
    for cell in &row[1..] {
        let (speedup, efficiency) = cell.split_once("x, ").expect("both");
        let number = |text: &str| text.parse::<f64>().expect("a number");
        let efficiency = number(efficiency.strip_suffix(" %").expect("a share"));
        assert!((number(speedup) * 50.0 - efficiency).abs() < 1.0, "{cell}");
    }
    let report = swath(format!("{call} --json -")).json();
    for list in ["devices", "rows"] {
        let list: Vec<Value> = get(&report[list]);
        let threads: BTreeSet<u64> = list.iter().map(|one| get(&one["threads"])).collect();
        assert_eq!(threads, [1, 2].into());
    }
}

#[test]
fn shapes_and_parts_of_calls_are_tables_of_a_gpu() {
    let Some(device) = gpu() else { return };
    let call = format!("bench chain --paper --quick --limit 0.05 --device {device}");
    let printed = swath(call).ok();
    // The size, and a time for each length from which ranges are divided.
    assert_eq!(
        table_row(&printed, "by shape", "128").len(),
        1 + 13,
        "{printed}"
    );
    // Three parts of four methods.
    assert_eq!(
        table_row(&printed, "parts", "128").len(),
        1 + 3 * 4,
        "{printed}"
    );
}
