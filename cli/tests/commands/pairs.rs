//! `swath pairs` on the CPU: formats, selections, filters, parts and invalid input.

use std::fs;

use serde_json::Value;

use crate::process::{Files, gzip, swath, zstd};

const QUERIES: &[u8] = b">q1 first\nkit\nten\n>q2\n\n>q3\nmitten\n";
const TARGETS: &[u8] = b">t1\nsitting\n>t2\nkitten\n>t3\n\n";

pub fn files() -> Files {
    Files::new(&[
        ("q.fa", QUERIES),
        ("t.fa", TARGETS),
        ("a.txt", b"tea\n\nteam\r\n"),
        ("b.txt", b"team\nx\nsteam"),
        ("named.tsv", b"q3\tt1\n\nq1 t3 further columns\nq3\tt2\n"),
        ("placed.tsv", b"2 0\n0 2\n2 1\n"),
    ])
}

pub fn pairs(files: &Files, args: &str) -> String {
    let args: Vec<_> = args.split_whitespace().collect();
    files.swath(&[&["pairs"], &args[..]].concat()).ok()
}

#[test]
fn every_format_has_the_values_of_all_pairs() {
    let files = files();
    assert_eq!(
        pairs(&files, "q.fa t.fa"),
        "q1\tt1\t3\nq1\tt2\t0\nq1\tt3\t6\nq2\tt1\t7\nq2\tt2\t6\nq2\tt3\t0\nq3\tt1\t3\nq3\tt2\t1\nq3\tt3\t6\n"
    );
    assert_eq!(
        pairs(&files, "q.fa --format ndjson"),
        concat!(
            r#"{"a":"q1","b":"q2","value":6}"#,
            "\n",
            r#"{"a":"q1","b":"q3","value":1}"#,
            "\n",
            r#"{"a":"q2","b":"q3","value":6}"#,
            "\n"
        )
    );
    assert_eq!(
        pairs(&files, "a.txt b.txt --format ndjson --normalized -k 1"),
        concat!(
            r#"{"a":0,"b":0,"value":0.75}"#,
            "\n",
            r#"{"a":1,"b":1,"value":0.0}"#,
            "\n",
            r#"{"a":2,"b":0,"value":1.0}"#,
            "\n",
            r#"{"a":2,"b":2,"value":0.8}"#,
            "\n"
        )
    );
    assert_eq!(
        pairs(&files, "q.fa t.fa -k 1 --format mtx"),
        "%%MatrixMarket matrix coordinate integer general\n3 3 3\n1 2 0\n2 3 0\n3 2 1\n"
    );
    assert_eq!(
        pairs(&files, "q.fa --format mtx --normalized"),
        "%%MatrixMarket matrix coordinate real symmetric\n3 3 3\n2 1 0\n3 1 0.8333333333333334\n3 2 0\n"
    );
    assert_eq!(
        pairs(&files, "q.fa --format phylip"),
        "3\nq1         0 6 1\nq2         6 0 6\nq3         1 6 0\n"
    );
    assert_eq!(
        pairs(&files, "q.fa --format phylip -k 2 --positions"),
        "3\n0          0 3 1\n1          3 0 3\n2          1 3 0\n"
    );
}

/// Description and data of a NumPy file.
pub fn npy(bytes: &[u8]) -> (String, Vec<u8>) {
    assert_eq!(&bytes[..8], b"\x93NUMPY\x01\x00");
    let len = usize::from(u16::from_le_bytes([bytes[8], bytes[9]]));
    assert_eq!((10 + len) % 64, 0);
    let header = std::str::from_utf8(&bytes[10..10 + len]).expect("ASCII");
    assert!(header.ends_with('\n'));
    (header.trim_end().to_string(), bytes[10 + len..].to_vec())
}

pub fn description(kind: &str, shape: &str) -> String {
    format!("{{'descr': '{kind}', 'fortran_order': False, 'shape': {shape}, }}")
}

#[test]
fn arrays_have_the_smallest_type() {
    let files = files();
    let (long, longer) = ("a".repeat(300), "a".repeat(70_000));
    fs::write(files.path("long.txt"), format!("{long}\n")).expect("a file");
    fs::write(files.path("longer.txt"), format!("{longer}\n")).expect("a file");
    fs::write(files.path("empty.txt"), "").expect("a file");
    let array = |args: &str| {
        let args: Vec<_> = args.split_whitespace().collect();
        let args = [&["pairs", "--format", "npy"], &args[..]].concat();
        let run = files.swath(&args);
        assert_eq!(run.code, Some(0), "{}", run.stderr);
        npy(&run.stdout)
    };
    let bytes = |kind, shape, values: &[u8]| (description(kind, shape), values.to_vec());
    assert_eq!(
        array("q.fa t.fa"),
        bytes("|u1", "(3, 3)", &[3, 0, 6, 7, 6, 0, 3, 1, 6])
    );
    assert_eq!(
        array("q.fa t.fa -k 2"),
        bytes("|u1", "(3, 3)", &[3, 0, 3, 3, 3, 0, 3, 1, 3])
    );
    assert_eq!(
        array("q.fa"),
        bytes("|u1", "(3, 3)", &[0, 6, 1, 6, 0, 6, 1, 6, 0])
    );
    assert_eq!(
        array("q.fa t.fa --list named.tsv"),
        bytes("|u1", "(3,)", &[3, 6, 1])
    );
    assert_eq!(array("empty.txt q.fa"), bytes("|u1", "(0, 3)", &[]));
    assert_eq!(
        array("long.txt a.txt"),
        (
            description("<u2", "(1, 3)"),
            [299u16, 300, 299]
                .into_iter()
                .flat_map(u16::to_le_bytes)
                .collect()
        )
    );
    assert_eq!(
        array("longer.txt long.txt"),
        (
            description("<u4", "(1, 1)"),
            69_700u32.to_le_bytes().to_vec()
        )
    );
    assert_eq!(
        array("a.txt b.txt --zip --normalized -k 1"),
        (
            description("<f4", "(3,)"),
            [0.75f32, 0.0, 0.8]
                .into_iter()
                .flat_map(f32::to_le_bytes)
                .collect()
        )
    );
}

#[test]
fn selections_name_their_pairs() {
    let files = files();
    for (args, expected) in [
        ("q.fa", "q1\tq2\t6\nq1\tq3\t1\nq2\tq3\t6\n"),
        ("q.fa --positions", "0\t1\t6\n0\t2\t1\n1\t2\t6\n"),
        ("q.fa --show positions -k 1", "0\t2\t1\n"),
        (
            "a.txt --show strings",
            "tea\t\t3\ntea\tteam\t1\n\tteam\t4\n",
        ),
        ("q.fa t.fa --zip", "q1\tt1\t3\nq2\tt2\t6\nq3\tt3\t6\n"),
        (
            "a.txt b.txt --zip --symbols lines",
            "0\t0\t1\n1\t1\t1\n2\t2\t1\n",
        ),
        (
            "q.fa t.fa --list named.tsv",
            "q3\tt1\t3\nq1\tt3\t6\nq3\tt2\t1\n",
        ),
        (
            "q.fa t.fa --list placed.tsv --positions",
            "2\t0\t3\n0\t2\t6\n2\t1\t1\n",
        ),
        ("a.txt --list placed.tsv", "2\t0\t1\n0\t2\t1\n2\t1\t4\n"),
        // Headers are lines too.
        ("t.fa --symbols lines -k 1", "0\t2\t1\n0\t4\t1\n2\t4\t1\n"),
    ] {
        assert_eq!(pairs(&files, args), expected, "{args}");
    }
}

#[test]
fn filters_keep_the_nearest_pairs() {
    let files = files();
    let names = "ACME Corp of Ohio\nOhio ACME Corp\nthe Ohio Corp\n";
    fs::write(files.path("names.txt"), names).expect("a file");
    fs::write(files.path("triple.tsv"), "0 1\n0 2\n1 2\n").expect("a file");
    for (args, expected) in [
        ("q.fa t.fa --top 1", "q1\tt2\t0\nq2\tt3\t0\nq3\tt2\t1\n"),
        // Of equal ones the first; a string is no target of itself.
        ("q.fa --top 1", "q1\tq3\t1\nq2\tq1\t6\nq3\tq1\t1\n"),
        (
            "q.fa t.fa --top 9 -k 3",
            "q1\tt2\t0\nq1\tt1\t3\nq2\tt3\t0\nq3\tt2\t1\nq3\tt1\t3\n",
        ),
        (
            "q.fa t.fa --top 1 --list named.tsv",
            "q1\tt3\t6\nq3\tt2\t1\n",
        ),
        (
            "q.fa t.fa --at-least 0.8",
            "q1\tt2\t0\nq2\tt3\t0\nq3\tt2\t1\n",
        ),
        (
            "q.fa t.fa --measure lcs --top 1 --at-least 0.5",
            "q1\tt2\t6\nq2\tt3\t0\nq3\tt2\t5\n",
        ),
        (
            "q.fa t.fa --measure hamming -k 3",
            "q1\tt1\t3\nq1\tt2\t0\nq2\tt3\t0\nq3\tt1\t3\nq3\tt2\t1\n",
        ),
        (
            "a.txt b.txt --measure osa --zip",
            "0\t0\t1\n1\t1\t1\n2\t2\t1\n",
        ),
        (
            "q.fa t.fa --measure jaro --at-least 0.7",
            "q1\tt1\t0.746031746031746\nq1\tt2\t1\nq2\tt3\t1\nq3\tt1\t0.746031746031746\nq3\tt2\t0.888888888888889\n",
        ),
        (
            "q.fa t.fa --measure jaro-winkler --top 1",
            "q1\tt2\t1\nq2\tt3\t1\nq3\tt2\t0.888888888888889\n",
        ),
        (
            "names.txt --symbols chars --measure ratio --at-least 50",
            "0\t1\t58.06451612903225\n1\t2\t66.66666666666667\n",
        ),
        (
            "names.txt --measure partial-ratio --at-least 60",
            "0\t1\t78.26086956521739\n1\t2\t61.53846153846154\n",
        ),
        (
            "names.txt --measure token-sort --top 1",
            "0\t1\t90.32258064516128\n1\t0\t90.32258064516128\n2\t0\t66.66666666666667\n",
        ),
        (
            "names.txt names.txt --measure token-set --list triple.tsv",
            "0\t1\t100\n0\t2\t81.81818181818181\n1\t2\t81.81818181818181\n",
        ),
        (
            "q.fa t.fa --measure indel --normalized --at-least 0.7",
            "q1\tt2\t1\nq2\tt3\t1\nq3\tt2\t0.8333333333333334\n",
        ),
        (
            "q.fa t.fa --counts --path --at-least 0.5",
            "q1\tt1\t3\t2\t1\t0\t4\t1X3=1X1=1D\nq1\tt2\t0\t0\t0\t0\t6\t6=\nq2\tt3\t0\t0\t0\t0\t0\t\n\
             q3\tt1\t3\t2\t1\t0\t4\t1X3=1X1=1D\nq3\tt2\t1\t1\t0\t0\t5\t1X5=\n",
        ),
        (
            "a.txt b.txt --mode infix -k 0 --path",
            "0\t0\t0\t0\t3\t3=\n0\t2\t0\t1\t4\t3=\n1\t0\t0\t0\t0\t\n1\t1\t0\t0\t0\t\n1\t2\t0\t0\t0\t\n\
             2\t0\t0\t0\t4\t4=\n2\t2\t0\t1\t5\t4=\n",
        ),
    ] {
        assert_eq!(pairs(&files, args), expected, "{args}");
    }
    let row = pairs(
        &files,
        "q.fa t.fa --counts --path --format ndjson -k 1 --zip",
    );
    assert_eq!(row, "");
    let row = pairs(
        &files,
        "t.fa q.fa --counts --path --format ndjson --zip -k 3",
    );
    let row: Value = serde_json::from_str(&row).expect("one row");
    assert_eq!(
        row.to_string(),
        r#"{"a":"t1","b":"q1","cigar":"1X3=1X1=1I","deletions":0,"insertions":1,"matches":4,"substitutions":2,"value":3}"#
    );
}

#[test]
fn parts_join_to_the_whole() {
    let files = files();
    let words: String = (0..60)
        .map(|word| format!("{}{}\n", "ab".repeat(word % 7), word * word % 101))
        .collect();
    fs::write(files.path("w.txt"), &words).expect("a file");
    let list: String = (0..90)
        .map(|pair| format!("{} {}\n", pair * 7 % 60, pair * pair % 60))
        .collect();
    fs::write(files.path("l.tsv"), list).expect("a file");
    for args in [
        "w.txt",
        "w.txt w.txt -k 4",
        "w.txt --top 3",
        "w.txt w.txt --top 2 --normalized --format ndjson",
        "w.txt --list l.tsv",
        "w.txt --list l.tsv --top 2",
        "w.txt w.txt --zip --top 1",
    ] {
        let whole = pairs(&files, args);
        for parts in [1, 3, 64] {
            let part = |part| pairs(&files, &format!("{args} --shard {part}/{parts}"));
            let joined: String = (0..parts).map(part).collect();
            assert_eq!(joined, whole, "{args} in {parts}");
        }
    }
}

#[test]
fn inputs_are_read_as_elsewhere() {
    let files = files();
    fs::write(files.path("q.fa.gz"), gzip(QUERIES)).expect("a file");
    fs::write(files.path("t.fa.zst"), zstd(TARGETS)).expect("a file");
    fs::write(files.path("r.fastq"), "@r1\nKITTEN\n+\n!!!!!!\n").expect("a file");
    fs::write(files.path("mark.txt"), "\u{feff}stra\u{df}e\n").expect("a file");
    fs::write(files.path("said.txt"), "the cat sat\n").expect("a file");
    fs::write(files.path("heard.txt"), "The cat  sat down\n").expect("a file");
    assert_eq!(
        pairs(&files, "q.fa.gz t.fa.zst --zip"),
        pairs(&files, "q.fa t.fa --zip")
    );
    let piped = files.swath_with_stdin(&["pairs", "-", "t.fa", "--zip"], QUERIES);
    assert_eq!(piped.ok(), pairs(&files, "q.fa t.fa --zip"));
    for (args, expected) in [
        ("r.fastq t.fa --ignore-case --top 1", "r1\tt2\t0\n"),
        ("mark.txt b.txt --symbols chars --top 1", "0\t2\t3\n"),
        ("mark.txt mark.txt --measure lcs", "0\t0\t7\n"),
        (
            "mark.txt mark.txt --measure lcs --symbols chars",
            "0\t0\t6\n",
        ),
        ("said.txt heard.txt --symbols tokens", "0\t0\t2\n"),
        (
            "said.txt heard.txt --symbols tokens --ignore-case",
            "0\t0\t1\n",
        ),
    ] {
        assert_eq!(pairs(&files, args), expected, "{args}");
    }
}

#[test]
fn a_file_takes_the_values_and_stdout_the_summary() {
    let files = files();
    let rows = pairs(&files, "q.fa t.fa -k 3");
    let summary = pairs(&files, "q.fa t.fa -k 3 -o out.tsv --json");
    let summary: Value = serde_json::from_str(&summary).expect("one object");
    assert_eq!(fs::read_to_string(files.path("out.tsv")).expect("it"), rows);
    for (key, value) in [
        ("schema", "swath/pairs/1".into()),
        ("problem", "pairs".into()),
        ("measure", "edit".into()),
        ("mode", "global".into()),
        ("pairs", 9.into()),
        ("rows", 5.into()),
        ("device", "cpu".into()),
        (
            "b",
            serde_json::json!({"name": "t.fa", "strings": 3, "symbols": 13}),
        ),
    ] {
        assert_eq!(summary[key], value, "{key}");
    }
    let text = pairs(&files, "q.fa -o out.tsv");
    assert!(
        text.contains("a               3 strings, 12 symbols, q.fa\n"),
        "{text}"
    );
    let on_stdout = files.swath(&["pairs", "q.fa", "--progress", "always"]);
    assert!(
        on_stdout.stderr.contains("rows            3\n"),
        "{}",
        on_stdout.stderr
    );
    assert!(on_stdout.stderr.contains("100 %"), "{}", on_stdout.stderr);
    let plan = files
        .swath(&["pairs", "q.fa", "--dry-run", "--json"])
        .json();
    assert_eq!(
        (&plan["schema"], &plan["pairs"]),
        (&"swath/pairs-plan/1".into(), &3.into())
    );
    assert!(pairs(&files, "q.fa --dry-run").contains("expected time"));
}

#[test]
fn invalid_calls_name_the_place_and_the_way_out() {
    let files = files();
    for (name, text) in [
        ("one.tsv", "q1 t1\nq2\n"),
        ("unknown.tsv", "q1\tt1\nq1\tt9\n"),
        ("twice.fa", ">x\na\n>y\nb\n>x\nc\n"),
        ("twice.tsv", "y x\n"),
        ("far.tsv", "0 0\n0 3\n"),
        ("nameless.fa", ">\na\n>y\nb\n"),
        ("nameless.tsv", "x y\n"),
    ] {
        fs::write(files.path(name), text).expect("a file");
    }
    let long = format!("a\n{}\nb\n", "ab".repeat(50_000));
    fs::write(files.path("long.txt"), long).expect("a file");
    fs::write(files.path("latin.txt"), b"a\n\xe9\n").expect("a file");
    for (args, code, parts) in [
        (
            "q.fa t.fa --list one.tsv",
            2,
            &["one.tsv:2: one column"][..],
        ),
        (
            "q.fa t.fa --list unknown.tsv",
            2,
            &["unknown.tsv:2: t.fa has no record 't9'"],
        ),
        (
            "twice.fa --list twice.tsv",
            2,
            &[
                "twice.tsv:1: twice.fa has two records 'x', at the positions 0 and 2",
                "--positions",
            ],
        ),
        (
            "a.txt --list far.tsv",
            2,
            &["far.tsv:2: a.txt has no string '3'", "less than 3"],
        ),
        ("q.fa t.fa --list none.tsv", 2, &["none.tsv: no such file"]),
        ("q.fa none.fa", 2, &["none.fa: no such file"]),
        ("a.txt twice.fa --zip", 0, &[]),
        (
            "unknown.tsv a.txt --zip",
            2,
            &["a.txt:3 has no partner: unknown.tsv has 2"],
        ),
        (
            "q.fa unknown.tsv --zip",
            2,
            &["q.fa, record 'q3' has no partner: unknown.tsv has 2"],
        ),
        ("- -", 2, &["'-' is given twice"]),
        ("q.fa t.fa --json", 2, &["--json", "--output FILE"]),
        ("q.fa -o q.fa", 2, &["q.fa, an input, which would be lost"]),
        (
            "latin.txt --symbols chars",
            2,
            &["latin.txt:2: not UTF-8 at byte 0"],
        ),
        ("q.fa --format npy --top 1", 2, &["--format npy", "--top"]),
        (
            "q.fa --format phylip --at-least 0.5",
            2,
            &["--format phylip", "--at-least"],
        ),
        ("q.fa --format mtx --path", 2, &["--format mtx", "--path"]),
        (
            "q.fa t.fa --format phylip",
            2,
            &["--format phylip", "Q alone"],
        ),
        (
            "q.fa --format phylip --normalized",
            2,
            &["--format phylip", "--normalized"],
        ),
        ("q.fa --measure indel --counts", 2, &["--counts", "'indel'"]),
        (
            "q.fa --measure indel --mode infix",
            2,
            &["--mode infix is for --measure edit"],
        ),
        (
            "q.fa --measure jaro -k 3",
            2,
            &["--max-distance bounds distances", "--at-least S"],
        ),
        (
            "q.fa --measure token-set -k 3",
            2,
            &["--max-distance bounds distances", "--at-least S"],
        ),
        (
            "q.fa --measure jaro --at-least 80",
            2,
            &["--at-least", "'jaro' are from 0 to 1"],
        ),
        (
            "q.fa --measure osa --path",
            2,
            &["--path is for --measure edit", "'osa'"],
        ),
        (
            "q.fa --measure lcs -k 3",
            2,
            &["--max-distance bounds distances", "--measure indel"],
        ),
        ("q.fa --mem-host 10", 4, &["--mem-host"]),
        (
            "q.fa long.txt --mem-host 300k",
            4,
            &["swath edit", "long.txt:2: a string of 100000 symbols"],
        ),
        (
            "nameless.fa --list nameless.tsv",
            2,
            &["nameless.tsv:1: nameless.fa has no record 'x'"],
        ),
        ("q.fa --device none", 3, &["none"]),
    ] {
        let args: Vec<_> = args.split_whitespace().collect();
        let run = files.swath(&[&["pairs"], &args[..]].concat());
        match code {
            0 => drop(run.ok()),
            code => run.fails(code, parts),
        }
    }
    for (args, part) in [
        ("--shard 0/0", "at least 1 part"),
        ("--shard 3/3", "from 0 to 2"),
        ("--shard 3", "not a part"),
        ("--top 0", "give a whole number from 1 on"),
        ("--at-least 1.5", "from 0 to 1"),
        ("--zip", "<T>"),
        ("-k -1", "give a whole number from 0 on"),
    ] {
        let args: Vec<_> = args.split_whitespace().collect();
        let run = swath(&[&["pairs", "q.fa"], &args[..]].concat());
        assert_eq!(run.code, Some(2), "{args:?}");
        assert!(run.stderr.contains(part), "{args:?}: {}", run.stderr);
        assert_eq!(run.stdout, b"");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_stdout_is_an_error() {
    let files = files();
    let full = fs::File::options()
        .write(true)
        .open("/dev/full")
        .expect("it is there");
    let output = crate::process::command(&["pairs", "q.fa", "t.fa"])
        .current_dir(&files.0)
        .stdout(full)
        .output()
        .expect("swath runs");
    assert_eq!(output.status.code(), Some(2));
    let text = String::from_utf8_lossy(&output.stderr);
    assert!(text.starts_with("swath: cannot write to stdout"), "{text}");
}

#[test]
fn paf_lines_are_those_of_edit() {
    let files = files();
    for mode in ["infix", "prefix"] {
        for bound in ["", "-k 2"] {
            let edit = format!("edit q.fa t.fa --format paf --mode {mode} {bound}");
            let edit = files.swath(&edit.split_whitespace().collect::<Vec<_>>());
            let args = format!("q.fa t.fa --format paf --mode {mode} {bound}");
            let paf = pairs(&files, &format!("{args} --path"));
            assert!(
                paf.contains("\tNM:i:0\t") && paf.contains("\tcg:Z:"),
                "{paf}"
            );
            assert_eq!(
                paf,
                String::from_utf8(edit.stdout).expect("UTF-8"),
                "{mode}"
            );
            let short: String = paf
                .lines()
                .map(|line| line.split("\tcg:Z:").next().unwrap_or_default().to_string() + "\n")
                .collect();
            assert_eq!(pairs(&files, &args), short, "{mode} {bound}");
        }
    }
    let zipped = pairs(&files, "q.fa t.fa --zip --format paf --path");
    for (line, (columns, tags)) in zipped.lines().zip([
        (
            "q1\t6\t0\t6\t+\tt1\t7\t0\t7\t4\t7\t255\t",
            ["NM:i:3", "cg:Z:1X3=1X1=1D"],
        ),
        (
            "q2\t0\t0\t0\t+\tt2\t6\t0\t6\t0\t6\t255\t",
            ["NM:i:6", "cg:Z:6D"],
        ),
        (
            "q3\t6\t0\t6\t+\tt3\t0\t0\t0\t0\t6\t255\t",
            ["NM:i:6", "cg:Z:6I"],
        ),
    ]) {
        assert!(line.starts_with(columns), "{line}");
        assert!(
            tags.iter()
                .all(|tag| line.split('\t').any(|field| field == *tag)),
            "{line}"
        );
    }
    assert_eq!(zipped.lines().count(), 3);
    for (args, parts) in [
        (
            "--format paf --normalized",
            &["--format paf", "--normalized"],
        ),
        ("--format paf --counts", &["--format paf", "--counts"]),
        ("--format paf --measure lcs", &["--format paf", "'lcs'"]),
    ] {
        let args: Vec<_> = args.split(' ').collect();
        files
            .swath(&[&["pairs", "q.fa", "t.fa"], &args[..]].concat())
            .fails(2, parts);
    }
}
