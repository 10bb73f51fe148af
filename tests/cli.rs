//! The command as users run it, on the CPU: answers, formats, exit codes and bad input.

mod process;

use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::{Command, Stdio};

use niffler::send::compression::Format;
use process::{Files, command, compressed, run, swath};

/// Whether `part` can be had from `whole` by leaving symbols out.
fn is_subsequence<T: PartialEq>(part: &[T], whole: &[T]) -> bool {
    let mut rest = whole.iter();
    part.iter().all(|symbol| rest.any(|other| other == symbol))
}

fn numbers(values: impl IntoIterator<Item = u32>) -> String {
    values.into_iter().map(|value| format!("{value}\n")).collect()
}

// Answers

#[test]
fn the_summary_has_one_aligned_line_for_each_fact() {
    let text = swath(&["lcs", "--text", "ABCBDAB", "BDCABA"]).ok();
    let column = |line: &str| line.find("  ").map(|gap| gap + line[gap..].len() - line[gap..].trim_start().len());
    assert!(text.lines().all(|line| column(line) == column("length       4")), "{text}");
    for (key, value) in [("length", "4"), ("similarity", "61.54 %"), ("path", "none"), ("a", "7 symbols, a")] {
        let line = text.lines().find(|line| line.starts_with(&format!("{key} "))).expect(key);
        assert!(line.ends_with(value), "{line}");
    }
    for key in ["method", "device", "time", "speed", "common ends"] {
        assert!(text.lines().any(|line| line.starts_with(key)), "{key}");
    }
    assert!(text.contains("CUPS"), "{text}");
}

#[test]
fn every_cpu_method_gives_the_same_length() {
    for method in ["auto", "bit-parallel", "wavefront", "reference"] {
        let answer = swath(&["lcs", "--text", "ABCBDAB", "BDCABA", "--json", "--method", method]).json();
        assert_eq!(answer["length"], 4, "{method}");
        assert_ne!(answer["method"], "auto");
    }
}

#[test]
fn the_json_object_has_the_keys_of_its_schema() {
    let answer = swath(&["lcs", "--text", "ABCBDAB", "BDCABA", "--json"]).json();
    assert_eq!(answer["schema"], "swath/lcs/1");
    assert_eq!(answer["problem"], "lcs");
    assert_eq!(answer["path_mode"], "none");
    assert_eq!(answer["cells"], 42);
    assert_eq!(answer["similarity"], 8.0 / 13.0);
    assert_eq!(answer["a"], serde_json::json!({"name": "a", "length": 7}));
    assert_eq!(answer["b"], serde_json::json!({"name": "b", "length": 6}));
    assert!(answer["device"].is_string() && answer["seconds"].is_number() && answer["computed_cells"].is_number());
    assert!(answer["phases"].as_array().expect("a list").iter().all(|phase| phase["name"].is_string()));
    assert!(answer.get("blocks").is_none(), "the witness comes only where --path asks for it");
}

#[test]
fn the_json_object_carries_the_blocks_where_path_asks_for_them() {
    for args in [&["--json", "--path"][..], &["--format", "json"]] {
        let answer = swath(&[&["lcs", "--text", "xxABCyy", "zABCz"], args].concat()).json();
        assert_eq!(answer["blocks"], serde_json::json!([[2, 1, 3]]));
        assert_ne!(answer["path_mode"], "none");
    }
}

#[test]
fn two_empty_inputs_are_equal() {
    let answer = swath(&["lcs", "--text", "", "", "--json", "--path"]).json();
    assert_eq!((&answer["length"], &answer["similarity"]), (&0.into(), &1.0.into()));
    assert_eq!(answer["blocks"], serde_json::json!([]));
    let answer = swath(&["lcs", "--text", "", "abc", "--json"]).json();
    assert_eq!((&answer["length"], &answer["similarity"]), (&0.into(), &0.0.into()));
}

#[test]
fn dry_run_prints_the_plan_and_computes_nothing() {
    let text = swath(&["lcs", "--text", "ABC", "AC", "--dry-run"]).ok();
    for key in ["method", "tile", "passes", "device memory", "host memory", "expected time"] {
        assert!(text.lines().any(|line| line.starts_with(key)), "{key}");
    }
    let plan = swath(&["lcs", "--text", "ABC", "AC", "--dry-run", "--json"]).json();
    assert_eq!(plan["schema"], "swath/lcs-plan/1");
    assert_eq!(plan["cells"], 6);
    assert!(plan.get("length").is_none());
}

#[test]
fn devices_end_with_the_cpu() {
    let report = swath(&["devices", "--json"]).json();
    assert_eq!(report["schema"], "swath/devices/1");
    let devices = report["devices"].as_array().expect("a list");
    assert_eq!(devices.last().expect("at least one")["selector"], "cpu");
    assert!(swath(&["devices"]).ok().contains("cpu"));
}

#[test]
fn the_selftest_passes_on_the_cpu() {
    let report = swath(&["selftest", "--json"]).json();
    assert_eq!(report["schema"], "swath/selftest/1");
    assert_eq!(report["passed"], true);
}

#[test]
fn completions_and_man_pages_are_printed() {
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        assert!(swath(&["completions", shell]).ok().contains("swath"), "{shell}");
    }
    assert!(swath(&["man"]).ok().contains(".TH swath 1"));
    assert!(swath(&["man", "lcs"]).ok().contains("mem\\-gpu"));
    swath(&["man", "nope"]).fails(2, &["'nope'", "lcs"]);
}

// Supersequences

#[test]
fn a_supersequence_has_both_inputs_and_the_length_that_the_summary_says() {
    let run = swath(&["scs", "--text", "cab", "abac", "--path"]);
    assert!(run.stderr.contains("exact"), "{}", run.stderr);
    let text = run.ok();
    assert!(text.len() == 5 && is_subsequence(b"cab", text.as_bytes()) && is_subsequence(b"abac", text.as_bytes()));
    let summary = swath(&["scs", "--text", "cab", "abac"]).ok();
    for (key, value) in [("length", "5"), ("result", "exact"), ("lower bound", "5"), ("input", "3 symbols, a")] {
        assert!(summary.lines().any(|line| line.starts_with(key) && line.ends_with(value)), "{summary}");
    }
}

#[test]
fn every_method_gives_the_same_supersequence() {
    let text =
        |method| swath(&["scs", "--text", "nematode knowledge", "empty bottle", "--path", "--method", method]).ok();
    for method in ["bit-parallel", "wavefront", "row-wise", "anti-diagonal", "reference"] {
        assert_eq!(text(method), text("auto"), "{method}");
    }
    let length =
        |method| swath(&["scs", "--text", "nematode", "empty", "--json", "--method", method]).json()["length"].clone();
    assert_eq!(length("k-dimensional"), length("reference"));
}

#[test]
fn the_json_of_a_supersequence_says_where_each_input_lies() {
    for args in [&["--json", "--path"][..], &["--format", "json"]] {
        let answer = swath(&[&["scs", "--text", "xABy", "ABz"], args].concat()).json();
        assert_eq!((&answer["schema"], &answer["problem"]), (&"swath/scs/1".into(), &"scs".into()));
        assert_eq!(
            (&answer["length"], &answer["lower_bound"], &answer["result"]),
            (&5.into(), &5.into(), &"exact".into())
        );
        assert_eq!(answer["supersequence"], "xAByz");
        assert_eq!(answer["embeddings"], serde_json::json!([[[0, 0, 4]], [[0, 1, 2], [2, 4, 1]]]));
        assert_eq!(answer["inputs"][1], serde_json::json!({"name": "b", "length": 3}));
    }
    assert!(swath(&["scs", "--text", "a", "b", "--json"]).json().get("embeddings").is_none());
}

#[test]
fn several_inputs_say_whether_the_answer_is_exact() {
    let answer = swath(&["scs", "--text", "abc", "bca", "cab", "--format", "json"]).json();
    assert_eq!(
        (&answer["result"], &answer["method"], &answer["length"]),
        (&"exact".into(), &"k-dimensional".into(), &5.into())
    );
    let text = answer["supersequence"].as_str().expect("text").as_bytes();
    assert!([b"abc", b"bca", b"cab"].iter().all(|input| is_subsequence(&input[..], text)));
    let inputs = ["abcdabcdd", "dcbadcba", "bdacbdac", "cabdcabd"];
    let answer = swath(&[&["scs", "--text", "--json", "--method", "majority-merge"], &inputs[..]].concat()).json();
    let number = |key: &str| answer[key].as_u64().expect("a number");
    assert!(number("lower_bound") <= number("length"));
    assert_eq!(answer["result"] == "exact", number("lower_bound") == number("length"));
    swath(&["scs", "--text", "a", "b", "c", "--method", "row-wise"]).fails(2, &["row-wise", "two", "merge-tree"]);
}

#[test]
fn records_of_one_file_are_inputs_of_their_own() {
    let files = Files::new(&[("fa", FASTA), ("plain", b"TT")]);
    let answer = files.swath(&["scs", "fa", "--all-records", "--json"]).json();
    assert_eq!(answer["inputs"], serde_json::json!([{"name": "r1", "length": 7}, {"name": "r2", "length": 4}]));
    assert_eq!(
        files.swath(&["scs", "fa", "plain", "fa", "--all-records", "--json"]).json()["inputs"].as_array().map(Vec::len),
        Some(5)
    );
    let named = files.swath(&["scs", "fa", "fa", "--record-b", "r2", "--json"]).json();
    assert_eq!(named["inputs"][1]["name"], "r2");
    files.swath(&["scs", "fa"]).fails(2, &["one sequence", "--all-records"]);
    files.swath(&["scs", "plain", "--all-records"]).fails(2, &["one sequence"]);
    files.swath(&["scs", "fa", "fa", "--all-records", "--record-a", "r1"]).fails(2, &["--record-a"]);
    files.swath(&["scs", "-", "plain", "-"]).fails(2, &["'-'", "twice"]);
}

#[test]
fn lines_and_tokens_are_merged_whole_and_case_is_kept() {
    let files = Files::new(&[("a", b"x\ny\n"), ("b", b"y\nz")]);
    assert_eq!(files.swath(&["scs", "a", "b", "--symbols", "lines", "--path"]).ok(), "x\ny\nz\n");
    let json = files.swath(&["scs", "a", "b", "--symbols", "lines", "--format", "json"]).json();
    assert_eq!(json["supersequence"], serde_json::json!(["x", "y", "z"]));
    let tokens =
        swath(&["scs", "--text", "the Quick", "THE quick fox", "--symbols", "tokens", "--ignore-case", "--path"]);
    assert_eq!(tokens.ok(), "the Quick fox\n");
    let files = Files::new(&[("a", b"\xff\x00"), ("b", b"\x00\xfe")]);
    assert_eq!(files.swath(&["scs", "a", "b", "--path"]).stdout, b"\xff\x00\xfe");
    let json = files.swath(&["scs", "a", "b", "--format", "json"]).json();
    assert!(json.get("supersequence").is_none() && json["embeddings"].is_array(), "bytes that are no text");
}

#[test]
fn the_plan_of_a_supersequence_names_the_method() {
    for method in ["auto", "row-wise", "anti-diagonal", "reference", "k-dimensional", "merge-tree"] {
        let plan = swath(&["scs", "--text", "ABC", "AC", "--dry-run", "--json", "--path", "--method", method]).json();
        assert_eq!(plan["schema"], "swath/scs-plan/1");
        assert!(plan["host_bytes"].is_number() && plan.get("length").is_none(), "{method}");
    }
    assert!(swath(&["scs", "--text", "ABC", "AC", "CA", "--dry-run"]).ok().contains("k-dimensional"));
}

#[test]
fn a_supersequence_that_needs_more_memory_exits_with_four() {
    let (a, b) = (numbers(1..=3000), numbers((1..=3000).rev()));
    let files = Files::new(&[("a", a.as_bytes()), ("b", b.as_bytes())]);
    let with = |method| files.swath(&["scs", "a", "b", "--symbols", "lines", "--mem-host", "64K", "--method", method]);
    with("row-wise").fails(4, &["last occurrences", "65536 bytes are allowed"]);
    with("k-dimensional").fails(4, &["k-dimensional", "65536 bytes are allowed"]);
    assert!(with("auto").ok().contains("length"));
}

// Witness formats

#[test]
fn the_text_is_a_common_subsequence_with_no_byte_added() {
    let text = swath(&["lcs", "--text", "ABCBDAB", "BDCABA", "--path"]).ok();
    assert_eq!(text.len(), 4);
    assert!(is_subsequence(text.as_bytes(), b"ABCBDAB") && is_subsequence(text.as_bytes(), b"BDCABA"), "{text}");
}

#[test]
fn every_format_shows_the_same_pairs() {
    let format = |name| swath(&["lcs", "--text", "xxABCyyy", "zABCzz", "--format", name]).ok();
    assert_eq!(format("text"), "ABC");
    assert_eq!(format("blocks"), "#a\tb\tlen\n2\t1\t3\n");
    assert_eq!(format("ops"), "2D 1I 3= 3D 2I\n");
    assert_eq!(format("diff"), "[-xx-]{+z+}ABC[-yyy-]{+zz+}\n");
    assert_eq!(format("ndjson"), "{\"a\":2,\"b\":1,\"len\":3}\n");
}

#[test]
fn the_summary_goes_to_stderr_when_the_subsequence_has_stdout() {
    let run = swath(&["lcs", "--text", "ABC", "ABD", "--path"]);
    assert!(run.stderr.contains("similarity"), "{}", run.stderr);
    assert_eq!(run.ok(), "AB");
}

#[test]
fn bytes_come_out_as_they_went_in() {
    let bytes: Vec<u8> = (0..=255).collect();
    let files = Files::new(&[("a", &bytes)]);
    assert_eq!(files.swath(&["lcs", "a", "a", "--path"]).stdout, bytes);
}

#[test]
fn a_diff_of_lines_is_a_unified_diff_with_three_lines_of_context() {
    let a = numbers(1..=40);
    let b = numbers((1..=40).filter(|&n| n != 20).flat_map(|n| if n == 39 { vec![39, 390] } else { vec![n] }));
    let files = Files::new(&[("a", a.as_bytes()), ("b", b.as_bytes())]);
    let diff = files.swath(&["lcs", "a", "b", "--symbols", "lines", "--format", "diff"]).ok();
    let expected = "--- a\n+++ b\n@@ -17,7 +17,6 @@\n 17\n 18\n 19\n-20\n 21\n 22\n 23\n@@ -37,4 +36,5 @@\n 37\n 38\n 39\n+390\n 40\n";
    assert_eq!(diff, expected);
}

#[test]
fn changes_six_lines_apart_share_a_hunk_and_seven_do_not() {
    for (last, hunks) in [(8, 1), (9, 2)] {
        let b = numbers((1..=20).map(|n| if n == 1 || n == last { 100 + n } else { n }));
        let files = Files::new(&[("a", numbers(1..=20).as_bytes()), ("b", b.as_bytes())]);
        let diff = files.swath(&["lcs", "a", "b", "--symbols", "lines", "--format", "diff"]).ok();
        assert_eq!(diff.matches("\n@@").count(), hunks, "{diff}");
    }
}

#[test]
fn a_diff_against_nothing_names_the_line_before() {
    let files = Files::new(&[("a", b"x\ny\n"), ("b", b"")]);
    let diff = |a, b| files.swath(&["lcs", a, b, "--symbols", "lines", "--format", "diff"]).ok();
    assert_eq!(diff("a", "b"), "--- a\n+++ b\n@@ -1,2 +0,0 @@\n-x\n-y\n");
    assert_eq!(diff("b", "a"), "--- b\n+++ a\n@@ -0,0 +1,2 @@\n+x\n+y\n");
    assert_eq!(diff("a", "a"), "");
}

#[test]
fn the_path_file_is_replaced_in_one_step_and_keeps_its_permissions() {
    let files = Files::new(&[("out", b"old"), ("a", b"ABC"), ("b", b"xABCx")]);
    let summary = files.swath(&["lcs", "a", "b", "--path", "out"]).ok();
    assert!(summary.starts_with("length"), "{summary}");
    assert_eq!(fs::read(files.path("out")).expect("it was written"), b"ABC");
    assert_eq!(files.names(), ["a", "b", "out"], "nothing else is left");
    assert!(files.swath(&["lcs", "a", "b", "--path", "new", "--json"]).json()["blocks"].is_array());
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = |name| fs::metadata(files.path(name)).expect("it is there").permissions().mode() & 0o777;
        assert_eq!(mode("new"), mode("a"), "as any new file");
        fs::set_permissions(files.path("out"), fs::Permissions::from_mode(0o600)).expect("mode set");
        files.swath(&["lcs", "a", "b", "--path", "out"]).ok();
        assert_eq!(mode("out"), 0o600);
    }
}

#[test]
fn a_failed_run_leaves_the_path_file_as_it_was() {
    let files = Files::new(&[("out", b"old"), ("a", b"ABC")]);
    files.swath(&["lcs", "a", "missing", "--path", "out"]).fails(2, &["missing"]);
    files.swath(&["lcs", "a", "a", "--path", "out", "--device", "no such adapter"]).fails(3, &["no such adapter"]);
    assert_eq!(fs::read(files.path("out")).expect("it is there"), b"old");
    assert_eq!(files.names(), ["a", "out"]);
}

#[cfg(unix)]
#[test]
fn a_pipe_or_device_behind_path_is_written_and_not_replaced() {
    use std::os::unix::fs::FileTypeExt;
    swath(&["lcs", "--text", "a", "a", "--path", "/dev/null"]).ok();
    assert!(fs::metadata("/dev/null").expect("it is still there").file_type().is_char_device());
}

// Symbols

#[test]
fn characters_are_unicode_scalars() {
    let answer = swath(&["lcs", "--text", "naïve", "naive", "--symbols", "chars", "--json"]).json();
    assert_eq!((&answer["length"], &answer["a"]["length"]), (&4.into(), &5.into()));
}

#[test]
fn tokens_ignore_the_amount_of_white_space() {
    let args = ["lcs", "--text", "the  quick\n fox", "the fox\tquick", "--symbols", "tokens", "--format", "text"];
    let text = swath(&args).ok();
    assert!(["the quick\n", "the fox\n"].contains(&text.as_str()), "{text}");
}

#[test]
fn a_last_line_needs_no_newline() {
    let files = Files::new(&[("a", b"x\ny\n"), ("b", b"x\ny")]);
    assert_eq!(files.swath(&["lcs", "a", "b", "--symbols", "lines", "--path"]).ok(), "x\ny\n");
}

#[test]
fn ignore_case_compares_without_it_and_prints_with_it() {
    for (symbols, a, b) in [("bytes", "aBc", "AbC"), ("chars", "äB", "Äb"), ("tokens", "straße Ab", "STRASSE aB")] {
        let args = ["lcs", "--text", a, b, "--symbols", symbols];
        let plain = swath(&[&args[..], &["--json"]].concat()).json();
        assert_eq!(plain["length"], 0, "{symbols}");
        let text = swath(&[&args[..], &["--ignore-case", "--format", "text"]].concat()).ok();
        assert_eq!(text.trim_end(), a, "{symbols}");
    }
}

// Inputs

const FASTA: &[u8] = b">r1 first\nACGT\nACG\n>r2\r\nTT\r\nTT\r\n";
const FASTQ: &[u8] = b"@q1\nACGTACG\n+\nIIIIIII\n@q2\nTTTT\n+q2\nIIII\n";

#[test]
fn the_same_sequence_is_read_from_every_kind_of_file() {
    let files = Files::new(&[
        ("plain", b"ACGTACG"),
        ("fa", FASTA),
        ("fa.gz", &compressed(Format::Gzip, FASTA)),
        ("fa.zst", &compressed(Format::Zstd, FASTA)),
        ("two.members", &[compressed(Format::Gzip, &FASTA[..15]), compressed(Format::Gzip, &FASTA[15..])].concat()),
        ("fq", FASTQ),
        ("fq.gz", &compressed(Format::Gzip, FASTQ)),
    ]);
    for name in ["plain", "fa", "fa.gz", "fa.zst", "two.members", "fq", "fq.gz"] {
        let answer = files.swath(&["lcs", name, "plain", "--json"]).json();
        assert_eq!((&answer["length"], &answer["similarity"]), (&7.into(), &1.0.into()), "{name}");
    }
}

#[test]
fn a_record_is_chosen_by_name() {
    let files = Files::new(&[("fa", FASTA), ("fq", FASTQ)]);
    let answer = files.swath(&["lcs", "fa", "fq", "--record-a", "r2", "--record-b", "q2", "--json"]).json();
    assert_eq!(answer["length"], 4);
    assert_eq!((&answer["a"]["name"], &answer["b"]["name"]), (&"r2".into(), &"q2".into()));
    let first = files.swath(&["lcs", "fa", "fq", "--record-a", "r1 first", "--json"]).json();
    assert_eq!((&first["a"]["name"], &first["length"]), (&"r1".into(), &7.into()));
}

#[test]
fn the_case_of_a_record_counts_unless_ignored() {
    let files = Files::new(&[("a", b">x\nACgt\n"), ("b", b">x\nACGT\n")]);
    assert_eq!(files.swath(&["lcs", "a", "b", "--json"]).json()["length"], 2);
    assert_eq!(files.swath(&["lcs", "a", "b", "--json", "--ignore-case"]).json()["length"], 4);
}

#[test]
fn input_plain_takes_a_record_file_as_it_is() {
    let files = Files::new(&[("fa", FASTA)]);
    let answer = files.swath(&["lcs", "fa", "fa", "--input", "plain", "--json"]).json();
    assert_eq!(answer["length"], FASTA.len());
}

#[test]
fn an_at_sign_alone_makes_no_fastq() {
    let files = Files::new(&[("a", b"@mail\ntext\nmore\n"), ("b", b"@"), ("c", b"BZ")]);
    assert_eq!(files.swath(&["lcs", "a", "a", "--json"]).json()["length"], 16);
    assert_eq!(files.swath(&["lcs", "b", "b", "--json"]).json()["length"], 1);
    assert_eq!(files.swath(&["lcs", "c", "c", "--json"]).json()["length"], 2);
}

#[test]
fn a_dash_is_stdin_compressed_or_not() {
    let files = Files::new(&[("plain", b"ACGTACG")]);
    for stdin in [b"ACGTACG".to_vec(), FASTA.to_vec(), compressed(Format::Gzip, FASTA), compressed(Format::Zstd, FASTQ)]
    {
        let answer = files.swath_with_stdin(&["lcs", "-", "plain", "--json"], &stdin).json();
        assert_eq!(answer["length"], 7);
    }
    let answer = swath(&["lcs", "--text", "-", "-", "--json"]).json();
    assert_eq!(answer["length"], 1, "with --text a dash is a dash");
}

#[test]
fn the_genomes_of_the_readme_are_read_as_one_record_each() {
    let file = |name| Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data").join(name).display().to_string();
    let (a, b) = (file("hpylori_ELS37.fasta.gz"), file("hpylori_G27.fasta.gz"));
    let plan = swath(&["lcs", &a, &b, "--dry-run", "--json"]).json();
    assert_eq!((&plan["a"]["length"], &plan["b"]["length"]), (&1_664_587.into(), &1_652_982.into()));
}

// Bad input

#[test]
fn a_missing_file_is_named() {
    swath(&["lcs", "no-such-file", "x"]).fails(2, &["no-such-file", "no such file", "--text"]);
}

#[test]
fn a_directory_is_refused() {
    let files = Files::new(&[("a", b"A")]);
    files.swath(&["lcs", "a", "."]).fails(2, &[". is a directory"]);
    files.swath(&["lcs", "a", "a", "--path", "."]).fails(2, &["--path . is a directory"]);
    files.swath(&["lcs", "a", "a", "--path", "no/out"]).fails(2, &["no folder no"]);
}

#[test]
fn broken_compression_is_told_from_short_input() {
    let (gz, zst) = (compressed(Format::Gzip, FASTA), compressed(Format::Zstd, FASTA));
    let mut damaged = gz.clone();
    damaged[20] ^= 0xff;
    let files = Files::new(&[
        ("a", b">x\nA\n"),
        ("cut.gz", &gz[..gz.len() - 12]),
        ("cut.zst", &zst[..zst.len() - 4]),
        ("head.gz", &gz[..3]),
        ("damaged.gz", &damaged),
        ("a.bz2", b"BZh91AY&SY"),
    ]);
    for (name, format) in [("cut.gz", "gzip"), ("cut.zst", "zstd"), ("head.gz", "gzip"), ("damaged.gz", "gzip")] {
        for layout in ["auto", "fasta", "plain"] {
            files.swath(&["lcs", "a", name, "--input", layout]).fails(2, &[name, "broken", format]);
        }
    }
    files.swath(&["lcs", "a", "a.bz2"]).fails(2, &["a.bz2", "bzip2 -dc"]);
}

#[test]
fn a_fasta_without_a_record_is_refused() {
    let files = Files::new(&[("empty", b""), ("text", b"ACGT\n"), ("header", b">x"), ("a", b"A")]);
    for name in ["empty", "text"] {
        files.swath(&["lcs", name, "a", "--input", "fasta"]).fails(2, &[name, "no FASTA record", "--input plain"]);
        files.swath(&["lcs", name, "a", "--input", "fastq"]).fails(2, &[name, "no FASTQ record"]);
    }
    files.swath(&["lcs", "header", "a"]).fails(2, &["header", "cut short", "line 1"]);
}

#[test]
fn a_malformed_fastq_is_refused_with_its_place() {
    let files = Files::new(&[("fq", b"@q1\nACGT\n+\nIII\n"), ("a", b"A")]);
    files.swath(&["lcs", "fq", "a"]).fails(2, &["fq", "q1", "line"]);
}

#[test]
fn an_unknown_record_lists_some_that_are_there() {
    let many: String = (0..20).map(|n| format!(">r{n}\nA\n")).collect();
    let files = Files::new(&[("fa", FASTA), ("many", many.as_bytes()), ("plain", b"A")]);
    files.swath(&["lcs", "fa", "fa", "--record-b", "r3"]).fails(2, &["'r3'", "r1, r2"]);
    files.swath(&["lcs", "many", "fa", "--record-a", "x"]).fails(2, &["r0, r1", "and 12 more"]);
    files.swath(&["lcs", "plain", "fa", "--record-a", "x"]).fails(2, &["--record-a", "plain is not FASTA"]);
    swath(&["lcs", "--text", "a", "b", "--record-b", "x"]).fails(2, &["--record-b", "literal"]);
}

#[test]
fn invalid_utf8_is_refused_with_its_byte() {
    let files = Files::new(&[("a", b"ab\xffc"), ("b", b"ab")]);
    files.swath(&["lcs", "b", "a", "--symbols", "chars"]).fails(2, &["a is not UTF-8 at byte 2", "--symbols bytes"]);
}

#[test]
fn stdin_can_be_used_once() {
    swath(&["lcs", "-", "-"]).fails(2, &["'-'", "twice"]);
}

#[test]
fn records_have_no_lines() {
    swath(&["lcs", "x", "y", "--symbols", "lines", "--input", "fasta"]).fails(2, &["no lines", "--input plain"]);
}

#[test]
fn an_unknown_device_exits_with_three() {
    swath(&["lcs", "--text", "a", "b", "--device", "no such adapter"]).fails(3, &["no such adapter", "cpu"]);
    swath(&["selftest", "--device", "no such adapter"]).fails(3, &["no such adapter"]);
}

#[test]
fn a_method_that_the_device_lacks_exits_with_two() {
    swath(&["lcs", "--text", "a", "b", "--method", "conditional-sum"]).fails(2, &["conditional-sum"]);
}

#[test]
fn wrong_usage_exits_with_two() {
    for args in [
        &["lcs"][..],
        &["lcs", "a"],
        &["lcs", "a", "b", "--method", "magic"],
        &["lcs", "a", "b", "--mem-gpu", "lots"],
        &["lcs", "a", "b", "--threads", "0"],
        &["lcs", "a", "b", "--format", "xml"],
        &["scs"],
        &["scs", "a", "b", "--format", "diff"],
        &["nope"],
        &[],
    ] {
        let run = swath(args);
        assert_eq!(run.code, Some(2), "{args:?}");
        assert!(!run.stderr.is_empty() && run.stdout.is_empty(), "{args:?}");
    }
    swath(&["lcs", "--text", "a", "b", "--json", "--format", "diff"]).fails(2, &["--path FILE"]);
}

#[test]
fn too_little_device_memory_exits_with_four_and_names_what_would_do() {
    let devices = swath(&["devices", "--json"]).json();
    let gpu = devices["devices"].as_array().expect("a list").iter().find(|device| device["selector"] != "cpu");
    let Some(selector) = gpu.and_then(|device| device["selector"].as_str()) else {
        let required = std::env::var("SWATH_REQUIRE_GPU_TESTS").is_ok_and(|value| value == "1");
        assert!(!required, "SWATH_REQUIRE_GPU_TESTS=1 and no GPU adapter");
        return;
    };
    let (a, b) = (numbers(1..=3000), numbers((1..=3000).rev()));
    let files = Files::new(&[("a", a.as_bytes()), ("b", b.as_bytes())]);
    let with = |memory: &str, path: &[&str]| {
        let args = ["lcs", "a", "b", "--device", selector, "--method", "bit-parallel", "--mem-gpu", memory];
        files.swath(&[&args[..], path].concat())
    };
    for path in [&[][..], &["--path", "out"], &["--dry-run"]] {
        with("1K", path).fails(4, &["1024 bytes are allowed", "smallest plan"]);
    }
    assert_eq!(files.names(), ["a", "b"]);
    assert!(with("64M", &[]).ok().contains("length"));
}

// The process

#[test]
fn options_come_from_the_environment_and_the_command_line_wins() {
    let with = |variables: &[(&str, &str)], args: &[&str]| {
        let mut command = command(&[&["lcs", "abcbdab", "BDCABA"], args].concat());
        command.envs(variables.iter().copied());
        run(command, b"")
    };
    let json =
        [("SWATH_TEXT", "1"), ("SWATH_JSON", "true"), ("SWATH_IGNORE_CASE", "yes"), ("SWATH_METHOD", "reference")];
    let answer = with(&json, &[]).json();
    assert_eq!((&answer["length"], &answer["method"]), (&4.into(), &"reference".into()));
    let answer = with(&json, &["--method", "bit-parallel"]).json();
    assert_eq!(answer["method"], "bit-parallel");
    // A format in the environment is a preference: it does not ask for the subsequence.
    let format = [("SWATH_TEXT", "1"), ("SWATH_IGNORE_CASE", "1"), ("SWATH_FORMAT", "ops")];
    assert!(with(&format, &[]).ok().starts_with("length"));
    assert!(with(&format, &["--path"]).ok().contains('='));
    with(&[("SWATH_MEM_GPU", "lots")], &[]).stderr.find("--mem-gpu").expect("a wrong value is refused by name");
}

#[test]
fn a_reader_that_leaves_is_no_error() {
    let line = "a line of text\n".repeat(200);
    let files = Files::new(&[("a", line.as_bytes()), ("b", line.replace('x', "y").as_bytes())]);
    for args in [&["lcs", "a", "b", "--format", "text"][..], &["completions", "bash"], &["man", "lcs"]] {
        let mut command = command(args);
        let (_, writer) = std::io::pipe().expect("a pipe that nobody reads");
        let output = command.current_dir(&files.0).stdout(writer).stderr(Stdio::piped()).output().expect("swath runs");
        assert_eq!(output.status.code(), Some(0), "{args:?}");
        assert_eq!(String::from_utf8_lossy(&output.stderr), "", "{args:?}");
    }
}

#[test]
fn progress_is_silent_away_from_a_terminal_unless_asked_for() {
    assert_eq!(swath(&["lcs", "--text", "abc", "abd"]).stderr, "");
    assert_eq!(swath(&["lcs", "--text", "abc", "abd", "--progress", "never"]).stderr, "");
}

/// Numbers that look random, from a linear congruential generator.
#[cfg(unix)]
fn letters(len: usize, mut seed: u64) -> Vec<u8> {
    let mut next = || {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        b"ACGT"[(seed >> 62) as usize]
    };
    (0..len).map(|_| next()).collect()
}

#[cfg(unix)]
#[test]
fn an_interrupt_ends_the_run_with_130_and_leaves_no_file() {
    let files = Files::new(&[("a", &letters(4_000_000, 1)), ("b", &letters(4_000_000, 2))]);
    let mut child = command(&["lcs", "a", "b", "--path", "out", "--progress", "always", "--method", "bit-parallel"])
        .current_dir(&files.0)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("swath starts");
    let mut stderr = BufReader::new(child.stderr.take().expect("stderr is piped"));
    let mut first = String::new();
    stderr.read_line(&mut first).expect("progress is printed");
    assert!(first.contains('%'), "{first}");
    Command::new("kill").args(["-INT", &child.id().to_string()]).status().expect("kill runs");
    let mut rest = String::new();
    stderr.read_to_string(&mut rest).expect("the message is printed");
    assert_eq!(child.wait().expect("swath ends").code(), Some(130));
    assert!(rest.ends_with("swath: cancelled\n"), "{rest}");
    assert_eq!(files.names(), ["a", "b"]);
}
