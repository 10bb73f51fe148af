//! The records of `benches/record`: each is what the benchmarks read back, and what the sources cite is there.
#![cfg(feature = "cli")]

#[allow(dead_code)] // The benchmarks write records, too.
#[path = "../benches/support/record.rs"]
mod record;

#[path = "records/goals.rs"]
mod goals;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

// What the reader's file takes from beside it.
use swath::unstable::measure::{ceiling, timing};

type Names = BTreeSet<String>;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn entries(folder: &Path) -> Vec<PathBuf> {
    let mut entries: Vec<_> = fs::read_dir(folder)
        .expect("a folder")
        .map(|entry| entry.expect("an entry").path())
        .collect();
    entries.sort();
    entries
}

fn name(path: &Path) -> String {
    path.file_name()
        .and_then(|name| name.to_str())
        .expect("a name in UTF-8")
        .to_string()
}

/// Names of the folders of `benches/record`, one for each machine.
fn machines() -> Names {
    entries(&root().join("benches/record"))
        .iter()
        .filter(|path| path.is_dir())
        .map(|path| name(path))
        .collect()
}

/// All records, as `machine/file`.
fn records() -> Names {
    let folder = root().join("benches/record");
    let files = |machine: String| {
        entries(&folder.join(&machine))
            .into_iter()
            .map(move |file| format!("{machine}/{}", name(&file)))
    };
    machines().into_iter().flat_map(files).collect()
}

/// Every JSON record with its name.
fn data() -> Vec<(String, Value)> {
    let files = records().into_iter().filter(|name| name.ends_with(".json"));
    let read = |name: String| {
        let record = record::read(
            &root()
                .join("benches/record")
                .join(&name)
                .display()
                .to_string(),
        );
        (name, record)
    };
    files.map(read).collect()
}

/// The records that a text names: the folder of a machine, and what can stand in the name of a file.
fn cited(text: &str, machines: &Names) -> Names {
    let mut names = Names::new();
    for machine in machines {
        let folder = format!("{machine}/");
        for (at, _) in text.match_indices(&folder) {
            let rest = &text[at + folder.len()..];
            let is_of_name =
                |letter: char| letter.is_ascii_alphanumeric() || "-_.".contains(letter);
            let end = rest
                .find(|letter| !is_of_name(letter))
                .unwrap_or(rest.len());
            names.insert(folder.clone() + rest[..end].trim_end_matches('.'));
        }
    }
    names
}

/// Text files below a folder that may cite records, but not those of the records themselves.
fn sources(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for path in entries(folder) {
        if path.is_dir() && !["record", "target"].contains(&name(&path).as_str()) {
            files.extend(sources(&path));
        } else if path.is_file() {
            files.push(path);
        }
    }
    files
}

fn is_commit(value: &Value) -> bool {
    value.as_str().is_some_and(|text| {
        (7..=40).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_hexdigit())
    })
}

/// How commands of records begin.
const COMMANDS: [&str; 4] = ["cargo bench ", "cargo run ", "benches/", "swath "];

/// Whether a word of a command is a path that one machine has.
fn has_absolute_path(command: &str) -> bool {
    command
        .split([' ', '\'', '"', '='])
        .any(|word| word.starts_with('/') || word.starts_with('~'))
}

/// Whether a ratio is that of these times, whose last digits may have been cut.
fn is_ratio_of_times(row: &Value) -> bool {
    match (
        row["ratio"].as_f64(),
        row["baseline_seconds"].as_f64(),
        row["seconds"].as_f64(),
    ) {
        (Some(ratio), Some(baseline), Some(seconds)) => {
            (ratio * seconds / baseline - 1.0).abs() < 0.05
        }
        (None, _, _) => true,
        _ => false,
    }
}

/// Whether all that a command prints is compared with another answer: not what only tells times, nor what was written down by hand.
fn compares(command: Option<&str>) -> bool {
    let tells_times = |command: &str| {
        ["frames", "progress"]
            .iter()
            .any(|bench| command.contains(bench))
    };
    command.is_some_and(|command| command.starts_with("cargo bench ") && !tells_times(command))
}

fn check_row(name: &str, row: &Value, is_compared: bool) {
    // Frames are drawn where nothing is computed, too.
    let least = if row["frames"].is_number() {
        0.0
    } else {
        f64::MIN_POSITIVE
    };
    let seconds = |row: &Value| {
        row["seconds"]
            .as_f64()
            .is_some_and(|seconds| seconds >= least)
    };
    let right = row
        .get("right")
        .map_or(!is_compared, |right| *right == true);
    assert!(seconds(row) && right, "{name}: {row}");
    assert!(
        is_ratio_of_times(row),
        "{name}: the ratio is of other times: {row}"
    );
    assert!(row.get("commit").is_none_or(is_commit), "{name}: {row}");
    assert!(
        row["share_of_ceiling"]
            .as_f64()
            .is_none_or(|share| share <= 1.0),
        "{name}: above the ceiling: {row}"
    );
    for repeat in row["repeats"].as_array().into_iter().flatten() {
        assert!(
            seconds(repeat) && is_ratio_of_times(repeat),
            "{name}: {row}"
        );
        assert!(repeat.get("commit").is_none_or(is_commit), "{name}: {row}");
    }
    for phase in row["phases"].as_array().into_iter().flatten() {
        assert!(
            phase[0].is_string() && phase[1].as_f64().is_some_and(|seconds| seconds >= 0.0),
            "{name}: {row}"
        );
    }
}

#[test]
fn the_benchmarks_read_every_row_of_every_record() {
    let data = data();
    assert!(data.len() >= 30, "{} records", data.len());
    for (name, record) in &data {
        let rows = record["rows"]
            .as_array()
            .unwrap_or_else(|| panic!("{name} has no rows"));
        let cases: BTreeSet<_> = rows
            .iter()
            .map(|row| row["case"].as_str().expect("a case has a name"))
            .collect();
        assert!(
            !rows.is_empty() && cases.len() == rows.len(),
            "{name}: {} cases of {} rows",
            cases.len(),
            rows.len()
        );
        let command = record["command"].as_str();
        for row in rows {
            check_row(name, row, compares(command));
            let case = row["case"].as_str().unwrap_or_default();
            assert_eq!(
                record::seconds(record, case),
                row["seconds"].as_f64(),
                "{name}: {case}"
            );
        }
        let clock = record.get("clock_ghz");
        assert!(
            clock.map_or(!compares(command), Value::is_number) && is_commit(&record["commit"]),
            "{name}"
        );
        // The record's commit is that of a row.
        assert!(
            rows.iter().any(|row| row
                .get("commit")
                .is_none_or(|commit| *commit == record["commit"])),
            "{name}"
        );
        for command in [&record["command"]]
            .into_iter()
            .chain(rows.iter().filter_map(|row| row.get("command")))
        {
            let is_one = |command: &str| COMMANDS.iter().any(|start| command.starts_with(start));
            // Where there is none, notes tell what ran.
            let is_told = command.is_null() && record.get("notes").is_some();
            let is_right = command.as_str().map_or(is_told, |command| {
                is_one(command) && !has_absolute_path(command)
            });
            assert!(is_right, "{name}: {command}");
        }
        let notes = record
            .get("notes")
            .map(|notes| notes.as_array().expect("notes are a list"));
        for note in notes.into_iter().flatten() {
            assert!(
                note.as_str().is_some_and(|note| !note.is_empty()),
                "{name}: {note}"
            );
        }
    }
}

#[test]
fn a_row_of_a_record_is_a_line() {
    for (name, record) in data() {
        let file = fs::read_to_string(root().join("benches/record").join(&name)).expect("a record");
        let lines: Vec<Value> = file
            .lines()
            .filter_map(|line| serde_json::from_str(line.trim().trim_end_matches(',')).ok())
            .collect();
        let rows: Vec<_> = lines
            .iter()
            .filter(|line| line["case"].is_string())
            .collect();
        assert_eq!(
            rows,
            record["rows"]
                .as_array()
                .expect("rows")
                .iter()
                .collect::<Vec<_>>(),
            "{name}"
        );
        assert_eq!(
            record::text(&record).lines().count(),
            file.lines().count(),
            "{name}"
        );
    }
}

#[test]
fn what_a_benchmark_writes_is_read_back() {
    let row = |case: &str| json!({ "case": case, "seconds": 0.5, "right": true, "phases": [["sweep", 0.25]] });
    let record = json!({ "schema": record::SCHEMA, "commit": null, "notes": ["a"], "rows": [row("one, \"two\""), row("[2]")] });
    let text = record::text(&record);
    assert_eq!(
        serde_json::from_str::<Value>(&text).expect("a record is JSON"),
        record
    );
    assert_eq!(
        text.lines()
            .filter(|line| line.contains("\"case\""))
            .count(),
        2,
        "{text}"
    );
    assert!(
        text.lines()
            .all(|line| line.matches("\"case\"").count() <= 1),
        "{text}"
    );
}

#[test]
fn a_command_is_one_for_any_machine() {
    let command = |line: &[&str]| {
        record::command(
            "lcs",
            &line.iter().map(ToString::to_string).collect::<Vec<_>>(),
        )
    };
    let written = command(&[
        "--bench",
        "--device",
        "cpu",
        "--only",
        "1 thread",
        "--json",
        "/a/b.json",
        "--against",
        "/c",
    ]);
    assert!(written.starts_with("cargo bench "), "{written}");
    assert!(
        written.ends_with(" --bench lcs -- --device cpu --only '1 thread'"),
        "{written}"
    );
    assert!(command(&["--json", "/a/b.json"]).ends_with(" --bench lcs"));
    for absolute in ["a --json /root/out.json", "a '/b c'", "A=/b c", "a ~/b"] {
        assert!(has_absolute_path(absolute), "{absolute}");
    }
    assert!(!has_absolute_path(
        "cargo bench --bench lcs -- --json target/bench/lcs.json"
    ));
}

#[test]
fn a_ratio_of_other_times_is_noticed() {
    let row = |ratio: f64| json!({ "seconds": 0.5, "baseline_seconds": 1.0, "ratio": ratio });
    assert!(is_ratio_of_times(&row(2.01)));
    assert!(!is_ratio_of_times(&row(2000.0)) && !is_ratio_of_times(&row(0.5)));
    assert!(!is_ratio_of_times(&json!({ "seconds": 0.5, "ratio": 2.0 })));
}

/// The machine and the kind of a record, without its date and its form. A kind does not begin with a number, which would tell two of
/// a day apart.
fn kind(record: &str) -> Option<String> {
    let (machine, file) = record.split_once('/')?;
    let (date, rest) = file.split_at_checked("2026-11-22".len())?;
    let is_digit = |place: usize, byte: u8| {
        if [4, 7].contains(&place) {
            byte == b'-'
        } else {
            byte.is_ascii_digit()
        }
    };
    let is_date = date
        .bytes()
        .enumerate()
        .all(|(place, byte)| is_digit(place, byte));
    let (kind, form) = rest.rsplit_once('.')?;
    let is_kind = match kind.strip_prefix('-') {
        Some(kind) => !kind
            .split('-')
            .next()?
            .bytes()
            .all(|byte| byte.is_ascii_digit()),
        None => kind.is_empty() && form == "txt",
    };
    (is_date && is_kind && ["json", "txt"].contains(&form)).then(|| format!("{machine}/{kind}"))
}

#[test]
fn a_machine_has_one_record_of_a_kind() {
    let mut kinds = Names::new();
    for record in records() {
        let kind = kind(&record)
            .unwrap_or_else(|| panic!("{record} is no 'machine/date-kind.json' or '.txt'"));
        assert!(kinds.insert(kind), "{record}: there is another of its kind");
    }
    assert_eq!(
        kind("amd-epyc/2026-11-22-lcs-cpu.json"),
        kind("amd-epyc/2026-11-24-lcs-cpu.txt")
    );
    // What a whole sweep prints has the date alone.
    assert_eq!(
        kind("nvidia-h200/2026-11-22.txt").as_deref(),
        Some("nvidia-h200/")
    );
    for wrong in [
        "a/lcs.json",
        "a/2026-11-22-lcs.csv",
        "a/2026-11-21-5-lcs.txt",
        "a/2026-11-22-.txt",
        "a/2026-11-22.json",
    ] {
        assert_eq!(kind(wrong), None, "{wrong}");
    }
}

// What the records have to show

/// How much longer than the best device `auto` may take, by which factor a call may miss what was expected, and the time of a frame
/// and of a call for two reads.
const WORST: f64 = 1.3;
const MISSED: f64 = 2.0;
const LONGEST_FRAME: f64 = 0.033;
const MOST_MICROSECONDS_A_READ: f64 = 3.0;

/// The least and the most that a time may have been: some records have five digits behind the point.
fn unrounded(seconds: f64) -> [f64; 2] {
    let units = seconds * 1e5;
    let half = if (units - units.round()).abs() < 1e-6 {
        5e-6
    } else {
        0.0
    };
    [seconds - half, seconds + half]
}

/// What a row of whole processes misses of what `benches/auto.rs` requires.
fn missed(row: &Value) -> Option<&'static str> {
    let time = |name: &str| row[name].as_f64().filter(|&seconds| seconds > 0.0);
    let devices = ["cpu_seconds", "gpu_seconds"].into_iter().filter_map(time);
    let (Some(auto), Some(best), Some(expected), Some(call)) = (
        time("seconds"),
        devices.reduce(f64::min),
        time("expected_seconds"),
        time("call_seconds"),
    ) else {
        return Some("a time");
    };
    let [auto, best, expected, call] = [auto, best, expected, call].map(unrounded);
    if auto[0] > WORST * best[1] {
        Some("the best device")
    } else if expected[1] * MISSED < call[0] || expected[0] > MISSED * call[1] {
        Some("the expected time")
    } else if row["marks"] != json!([]) {
        Some("no marks")
    } else {
        None
    }
}

#[test]
fn auto_takes_about_the_best_device_and_calls_take_about_what_is_expected() {
    let of_auto = |(name, _): &(String, Value)| name.contains("-auto");
    let mut rows = 0;
    for (name, record) in data().iter().filter(|named| of_auto(named)) {
        for row in record["rows"].as_array().expect("rows") {
            assert_eq!(missed(row), None, "{name}: {row}");
            rows += 1;
        }
    }
    assert!(rows >= 6 * 52, "{rows} rows");
}

/// Every row of `benches/auto.rs`.
fn rows_of_auto() -> Names {
    let sizes = [1_000, 10_000, 100_000, 200_000, 1_000_000, 10_000_000];
    let inputs = ["random", "1 % apart"]
        .into_iter()
        .flat_map(|kind| sizes.map(|size| format!("{kind} {size}")));
    let inputs: Vec<_> = inputs.chain(["H. pylori genomes".to_string()]).collect();
    let cases = ["lcs length", "lcs path", "edit length", "edit path"];
    cases
        .iter()
        .flat_map(|case| inputs.iter().map(move |input| format!("{case}, {input}")))
        .collect()
}

#[test]
fn the_records_of_auto_have_every_row() {
    let all = rows_of_auto();
    assert_eq!(all.len(), 4 * 13);
    let mut hosts = Names::new();
    for (name, record) in data().iter().filter(|(name, _)| name.contains("-auto")) {
        let rows = record["rows"].as_array().expect("rows").iter();
        let rows: Names = rows
            .map(|row| row["case"].as_str().expect("a name").to_string())
            .collect();
        let missing: Vec<_> = all.difference(&rows).collect();
        assert!(missing.is_empty(), "{name} has no {missing:?}");
        hosts.extend(name.split('/').next().map(str::to_string));
    }
    // Every machine has one.
    assert_eq!(hosts, machines());
}

/// Whether rows have what notes say of their repeats.
fn has_noted_repeats(record: &Value) -> bool {
    let mut notes = record["notes"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(Value::as_str);
    let has_repeats = |row: &Value| {
        row["repeats"]
            .as_array()
            .is_some_and(|repeats| !repeats.is_empty())
    };
    !notes.any(|note| note.contains("`repeats`"))
        || record["rows"]
            .as_array()
            .is_some_and(|rows| rows.iter().any(has_repeats))
}

#[test]
fn notes_about_repeats_stand_beside_rows_that_have_some() {
    for (name, record) in data() {
        assert!(
            has_noted_repeats(&record),
            "{name} has no repeats, and a note tells of some"
        );
    }
    let record =
        |note: &str, row: Value| json!({ "notes": ["a", note], "rows": [{ "seconds": 1.0 }, row] });
    assert!(has_noted_repeats(&record(
        "others in `repeats`",
        json!({ "repeats": [{}] })
    )));
    assert!(has_noted_repeats(&record("b", json!({}))));
    assert!(!has_noted_repeats(&record(
        "others in `repeats`",
        json!({ "repeats": [] })
    )));
    assert!(!has_noted_repeats(&record(
        "others in `repeats`",
        json!({})
    )));
}

#[test]
fn a_row_of_auto_that_misses_what_is_required_is_noticed() {
    let row = |auto: f64, cpu: Option<f64>, expected: f64, marks: &[&str]| {
        json!({ "seconds": auto, "cpu_seconds": cpu, "gpu_seconds": 2.0001234, "expected_seconds": expected,
            "call_seconds": 0.9001234, "marks": marks })
    };
    assert_eq!(missed(&row(1.29, Some(1.0), 0.5, &[])), None);
    assert_eq!(missed(&row(2.5, None, 1.8, &[])), None);
    assert_eq!(
        missed(&row(1.31, Some(1.0), 0.5, &[])),
        Some("the best device")
    );
    assert_eq!(missed(&row(2.7, None, 0.5, &[])), Some("the best device"));
    assert_eq!(
        missed(&row(1.0, Some(1.0), 0.45, &[])),
        Some("the expected time")
    );
    assert_eq!(
        missed(&row(1.0, Some(1.0), 1.81, &[])),
        Some("the expected time")
    );
    assert_eq!(
        missed(&row(1.0, Some(1.0), 1.0, &["NOT AS EXPECTED"])),
        Some("no marks")
    );
    assert_eq!(
        missed(&json!({ "seconds": 1.0, "marks": [] })),
        Some("a time")
    );
    // A digit that was cut decides nothing.
    let cut = json!({ "seconds": 0.00264, "cpu_seconds": 0.00262, "expected_seconds": 0.00019, "call_seconds": 0.000383,
        "marks": [] });
    assert_eq!(missed(&cut), None);
}

#[test]
fn no_frame_takes_longer_than_two_of_a_display() {
    let mut rows = 0;
    for (name, record) in data().iter().filter(|(name, _)| name.contains("-frames")) {
        let is_before = |row: &&Value| {
            row["case"]
                .as_str()
                .is_some_and(|case| case.starts_with("before: "))
        };
        for row in record["rows"]
            .as_array()
            .expect("rows")
            .iter()
            .filter(|row| !is_before(row))
        {
            assert!(
                row["longest_frame_seconds"]
                    .as_f64()
                    .is_some_and(|longest| longest <= LONGEST_FRAME),
                "{name}: {row}"
            );
            rows += 1;
        }
    }
    assert!(rows >= 25, "{rows} rows");
}

#[test]
fn no_slice_behind_the_first_three_holds_a_device_for_over_twice_its_time() {
    let mut rows = 0;
    for (name, record) in data().iter().filter(|(name, _)| name.contains("-slices")) {
        for row in record["rows"].as_array().expect("rows") {
            let share = row["share_of_slice"].as_f64().expect("a share");
            assert!(share <= 2.0 && row["too_long"] == 0, "{name}: {row}");
            rows += 1;
        }
    }
    assert!(rows >= 5 * 34, "{rows} rows");
}

#[test]
fn plans_of_named_methods_expect_what_a_process_has_taken() {
    let mut rows = 0;
    for (name, record) in data().iter().filter(|(name, _)| name.contains("-figures")) {
        for row in record["rows"]
            .as_array()
            .expect("rows")
            .iter()
            .filter(|row| row["baseline"] == "its plan")
        {
            // Processes differ by more than this where memory decides: one of them has to be near.
            let processes = [row]
                .into_iter()
                .chain(row["repeats"].as_array().into_iter().flatten());
            let mut ratios = processes.filter_map(|process| process["ratio"].as_f64());
            assert!(
                ratios.any(|ratio| (1.0 / MISSED..=MISSED).contains(&ratio)),
                "{name}: {row}"
            );
            rows += 1;
        }
    }
    assert!(rows >= 90, "{rows} rows");
}

/// How much longer than before a row may take.
const SLOWER: f64 = 1.05;

#[test]
fn no_row_that_two_builds_took_in_turns_has_become_slower() {
    let mut rows = 0;
    for (name, record) in data().iter().filter(|(name, _)| name.contains("-turns")) {
        for row in record["rows"].as_array().expect("rows") {
            assert!(
                row["ratio"].as_f64().expect("a ratio") >= 1.0 / SLOWER,
                "{name}: {row}"
            );
            rows += 1;
        }
    }
    assert!(rows >= 60, "{rows} rows");
}

#[test]
fn a_call_for_two_reads_takes_no_longer_than_is_promised() {
    for problem in ["lcs", "edit_distance"] {
        let data = data()
            .into_iter()
            .filter(|(name, _)| kind(name) == Some(format!("intel-xeon/-{problem}-cpu")));
        let rows: Vec<_> = data
            .flat_map(|(_, record)| record["rows"].as_array().expect("rows").clone())
            .collect();
        let rows: Vec<_> = rows
            .iter()
            .filter(|row| {
                row["case"]
                    .as_str()
                    .is_some_and(|case| case.contains("two reads of 150"))
            })
            .collect();
        assert!(rows.len() >= 2, "{problem}: {} rows", rows.len());
        for row in rows {
            let case = row["case"].as_str().unwrap_or_default();
            let calls = case
                .rsplit(", ")
                .next()
                .and_then(|calls| calls.strip_suffix(" calls"));
            let calls: f64 = calls
                .and_then(|calls| calls.parse().ok())
                .unwrap_or_else(|| panic!("{case}: how many?"));
            let microseconds = row["seconds"].as_f64().unwrap_or(f64::MAX) * 1e6 / calls;
            assert!(microseconds <= MOST_MICROSECONDS_A_READ, "{row}");
            assert!(
                (microseconds / row["microseconds_a_call"].as_f64().unwrap_or(0.0) - 1.0).abs()
                    < 1e-6,
                "{row}"
            );
        }
    }
}

#[test]
fn the_readme_names_every_record_and_no_other() {
    let readme = fs::read_to_string(root().join("benches/record/README.md")).expect("a text");
    assert_eq!(cited(&readme, &machines()), records());
    for name in records() {
        assert!(
            readme.contains(&format!("| `{name}` |")),
            "{name} has no row in the table"
        );
    }
}

#[test]
fn every_record_that_is_cited_is_there() {
    let (machines, records) = (machines(), records());
    let mut files: Vec<_> = ["src", "docs", "benches", "examples"]
        .iter()
        .flat_map(|folder| sources(&root().join(folder)))
        .collect();
    files.extend(
        entries(root())
            .into_iter()
            .filter(|path| path.extension().is_some_and(|extension| extension == "md")),
    );
    let mut all = Names::new();
    for file in files {
        let text = fs::read(&file).expect("a file");
        let cited = cited(&String::from_utf8_lossy(&text), &machines);
        let missing: Vec<_> = cited.difference(&records).collect();
        assert!(
            missing.is_empty(),
            "{} cites {missing:?}, which benches/record has not",
            file.display()
        );
        all.extend(cited);
    }
    assert!(all.len() >= 10, "{all:?}");
}

#[test]
fn a_citation_of_a_record_that_is_not_there_is_noticed() {
    let machines = Names::from(["amd-epyc".to_string(), "nvidia-h200".to_string()]);
    let text = "/// Of nvidia-h200/2026-11-22.txt, amd-epyc/2026-11-22-lcs-cpu.json.\n(nvidia-h200/2026-11-22-{lcs,sort}.json) h200/none.txt";
    let names = cited(text, &machines);
    assert_eq!(
        names.iter().map(String::as_str).collect::<Vec<_>>(),
        [
            "amd-epyc/2026-11-22-lcs-cpu.json",
            "nvidia-h200/2026-11-22-",
            "nvidia-h200/2026-11-22.txt"
        ]
    );
    // The second is no file: names stand in full.
    assert!(!records().contains("nvidia-h200/2026-11-22-"));
    let gone = cited("benches/record/nvidia-h200/1999-01-01-lcs.json", &machines);
    assert_eq!(gone.difference(&records()).count(), 1);
}
