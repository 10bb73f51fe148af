//! The command on the CPU: answers, formats and process behaviour.

use std::fs;
use std::process::Stdio;

use crate::process;
use crate::process::{Files, command, is_subsequence, numbers, run, swath};

// Answers

#[test]
fn the_summary_has_one_aligned_line_for_each_fact() {
    let text = swath(&["lcs", "--text", "ABCBDAB", "BDCABA"]).ok();
    let column = |line: &str| {
        line.find("  ")
            .map(|gap| gap + line[gap..].len() - line[gap..].trim_start().len())
    };
    assert!(
        text.lines()
            .all(|line| column(line) == column("length          4")),
        "{text}"
    );
    for (key, value) in [
        ("length", "4"),
        ("similarity", "61.54 %"),
        ("path", "none"),
        ("a", "7 symbols, a"),
    ] {
        let line = text
            .lines()
            .find(|line| line.starts_with(&format!("{key} ")))
            .expect(key);
        assert!(line.ends_with(value), "{line}");
    }
    for key in ["method", "device", "time", "speed", "common affixes"] {
        assert!(text.lines().any(|line| line.starts_with(key)), "{key}");
    }
    assert!(text.contains("CUPS"), "{text}");
}

#[test]
fn every_cpu_method_gives_the_same_length() {
    for method in ["auto", "bit-parallel", "wavefront", "reference"] {
        let answer = swath(&[
            "lcs", "--text", "ABCBDAB", "BDCABA", "--json", "--method", method,
        ])
        .json();
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
    assert!(
        answer["device"].is_string()
            && answer["seconds"].is_number()
            && answer["computed_cells"].is_number()
    );
    assert!(
        answer["phases"]
            .as_array()
            .expect("a list")
            .iter()
            .all(|phase| phase["name"].is_string())
    );
    assert!(
        answer.get("blocks").is_none(),
        "the witness comes only where --path asks for it"
    );
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
    assert_eq!(
        (&answer["length"], &answer["similarity"]),
        (&0.into(), &1.0.into())
    );
    assert_eq!(answer["blocks"], serde_json::json!([]));
    let answer = swath(&["lcs", "--text", "", "abc", "--json"]).json();
    assert_eq!(
        (&answer["length"], &answer["similarity"]),
        (&0.into(), &0.0.into())
    );
}

#[test]
fn dry_run_prints_the_plan_and_computes_nothing() {
    let text = swath(&["lcs", "--text", "ABC", "AC", "--dry-run"]).ok();
    for key in [
        "method",
        "tile",
        "passes",
        "device memory",
        "host memory",
        "expected time",
    ] {
        assert!(text.lines().any(|line| line.starts_with(key)), "{key}");
    }
    let plan = swath(&["lcs", "--text", "ABC", "AC", "--dry-run", "--json"]).json();
    assert_eq!(plan["schema"], "swath/lcs-plan/1");
    assert_eq!(plan["cells"], 6);
    assert!(plan.get("length").is_none());
}

#[test]
fn dry_run_prints_json_where_the_call_would() {
    for (command, schema) in [
        (&["lcs", "--text", "ABC", "AC"][..], "swath/lcs-plan/1"),
        (&["edit", "--text", "ABC", "AC"], "swath/edit-plan/1"),
        (&["scs", "--text", "ABC", "AC"], "swath/scs-plan/1"),
        (
            &["substring", "--text", "ABC", "AC"],
            "swath/substring-plan/1",
        ),
        (
            &["chain", "10", "20", "30"],
            "swath/parenthesization-plan/1",
        ),
        (
            &["fold", "--text", "GGGAAACCC"],
            "swath/parenthesization-plan/1",
        ),
    ] {
        let is_tree = schema.contains("parenthesization");
        let format = if is_tree { "--tree" } else { "--format" };
        let plan = |args: &[&str]| swath(&[command, &["--dry-run"], args].concat());
        for args in [
            &["--json"][..],
            &[format, "json"],
            &[format, "json", "-o", "-"],
        ] {
            assert_eq!(plan(args).json()["schema"], schema, "{args:?}");
        }
        let files = Files::new(&[]);
        let to_file = [command, &["--dry-run", format, "json", "-o", "out"]].concat();
        assert!(files.swath(&to_file).ok().contains("expected time"));
        assert!(plan(&[format, "text"]).ok().contains("expected time"));
    }
    let args = [
        "lcs",
        "--text",
        "ABC",
        "AC",
        "--dry-run",
        "--format",
        "ndjson",
    ];
    assert_eq!(swath(&args).json()["schema"], "swath/lcs-plan/1");
}

#[test]
fn devices_end_with_the_cpu() {
    let report = swath(&["devices", "--json"]).json();
    assert_eq!(report["schema"], "swath/devices/2");
    let devices = report["devices"].as_array().expect("a list");
    assert_eq!(devices.last().expect("at least one")["selector"], "cpu");
    let cpu = &devices[devices.len() - 1];
    assert!(
        cpu["capabilities"]["threads"].is_u64(),
        "numbers are numbers: {cpu}"
    );
    for device in &devices[..devices.len() - 1] {
        let has = |name: &str| &device["capabilities"][name];
        assert!(
            has("binding_bytes").is_u64() && has("int64").is_boolean(),
            "{device}"
        );
        assert!(
            has("subgroup").is_u64() || has("subgroup").is_null(),
            "{device}"
        );
    }
    assert!(swath(&["devices"]).ok().contains("cpu"));
}

#[test]
fn the_selftest_passes_on_the_cpu() {
    let report = swath(&["selftest", "--json"]).json();
    assert_eq!(report["schema"], "swath/selftest/1");
    assert_eq!(report["passed"], true);
}

#[test]
fn selftest_without_memory_reports_errors_not_wrong_answers() {
    let ended = swath(&["selftest", "--mem-host", "1000"]);
    let (code, text) = (
        ended.code,
        String::from_utf8(ended.stdout).expect("stdout is UTF-8"),
    );
    assert!(
        code == Some(3) && ended.stderr.contains("gave no answer"),
        "{code:?}: {}",
        ended.stderr
    );
    assert!(
        text.contains("ERROR ") && text.contains("ok ") && !text.contains("FAILED"),
        "{text}"
    );
}

#[test]
fn completions_and_man_pages_are_printed() {
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        assert!(
            swath(&["completions", shell]).ok().contains("swath"),
            "{shell}"
        );
    }
    assert!(swath(&["man"]).ok().contains(".TH swath 1"));
    assert!(swath(&["man", "lcs"]).ok().contains("mem\\-gpu"));
    swath(&["man", "nope"]).fails(2, &["'nope'", "lcs"]);
    let files = process::Files::new(&[]);
    files.swath(&["man", "--all", "man1"]).ok();
    let folder = files.path("man1");
    for name in [
        "swath",
        "swath-lcs",
        "swath-scs",
        "swath-substring",
        "swath-edit",
        "swath-chain",
        "swath-polygon",
        "swath-bst",
        "swath-fold",
        "swath-bench",
    ] {
        let page = fs::read_to_string(folder.join(format!("{name}.1"))).expect(name);
        for section in ["NAME", "SYNOPSIS", "OPTIONS", "\"EXIT STATUS\"", "EXAMPLES"] {
            assert!(
                page.contains(&format!(".SH {section}")),
                "{section} of {name}"
            );
        }
    }
}

#[test]
fn help_of_a_command_has_only_its_own_text() {
    for (command, own, others) in [
        (
            "lcs",
            "similarity",
            &["distance", "lower_bound", "man1"][..],
        ),
        ("scs", "lower_bound", &["similarity", "distance", "piece"]),
        ("edit", "distance", &["similarity", "lower_bound"]),
        ("man", "man1", &["similarity", "Exit codes"]),
    ] {
        let help = swath(&[command, "--help"]).ok();
        assert!(
            help.contains(own) && help.contains("Examples:"),
            "{command}: {help}"
        );
        others
            .iter()
            .for_each(|other| assert!(!help.contains(other), "{command}: {other}"));
    }
}

// Witness formats

#[test]
fn the_text_is_a_common_subsequence_with_no_byte_added() {
    let text = swath(&["lcs", "--text", "ABCBDAB", "BDCABA", "--path"]).ok();
    assert_eq!(text.len(), 4);
    assert!(
        is_subsequence(text.as_bytes(), b"ABCBDAB") && is_subsequence(text.as_bytes(), b"BDCABA"),
        "{text}"
    );
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
    let b = numbers(
        (1..=40)
            .filter(|&n| n != 20)
            .flat_map(|n| if n == 39 { vec![39, 390] } else { vec![n] }),
    );
    let files = Files::new(&[("a", a.as_bytes()), ("b", b.as_bytes())]);
    let diff = files
        .swath(&["lcs", "a", "b", "--symbols", "lines", "--format", "diff"])
        .ok();
    let expected = "--- a\n+++ b\n@@ -17,7 +17,6 @@\n 17\n 18\n 19\n-20\n 21\n 22\n 23\n@@ -37,4 +36,5 @@\n 37\n 38\n 39\n+390\n 40\n";
    assert_eq!(diff, expected);
}

#[test]
fn changes_six_lines_apart_share_a_hunk_and_seven_do_not() {
    for (last, hunks) in [(8, 1), (9, 2)] {
        let b = numbers((1..=20).map(|n| if n == 1 || n == last { 100 + n } else { n }));
        let files = Files::new(&[("a", numbers(1..=20).as_bytes()), ("b", b.as_bytes())]);
        let diff = files
            .swath(&["lcs", "a", "b", "--symbols", "lines", "--format", "diff"])
            .ok();
        assert_eq!(diff.matches("\n@@").count(), hunks, "{diff}");
    }
}

#[test]
fn a_diff_against_nothing_names_the_line_before() {
    let files = Files::new(&[("a", b"x\ny\n"), ("b", b"")]);
    let diff = |a, b| {
        files
            .swath(&["lcs", a, b, "--symbols", "lines", "--format", "diff"])
            .ok()
    };
    assert_eq!(diff("a", "b"), "--- a\n+++ b\n@@ -1,2 +0,0 @@\n-x\n-y\n");
    assert_eq!(diff("b", "a"), "--- b\n+++ a\n@@ -0,0 +1,2 @@\n+x\n+y\n");
    assert_eq!(diff("a", "a"), "");
}

#[test]
fn the_path_file_is_replaced_in_one_step_and_keeps_its_permissions() {
    let files = Files::new(&[("out", b"old"), ("a", b"ABC"), ("b", b"xABCx")]);
    let summary = files.swath(&["lcs", "a", "b", "-o", "out"]).ok();
    assert!(summary.starts_with("length"), "{summary}");
    assert_eq!(fs::read(files.path("out")).expect("it was written"), b"ABC");
    assert_eq!(files.names(), ["a", "b", "out"], "nothing else is left");
    assert!(
        files
            .swath(&["lcs", "a", "b", "-o", "new", "--json"])
            .json()["blocks"]
            .is_array()
    );
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = |name| {
            fs::metadata(files.path(name))
                .expect("it is there")
                .permissions()
                .mode()
                & 0o777
        };
        assert_eq!(mode("new"), mode("a"), "as any new file");
        fs::set_permissions(files.path("out"), fs::Permissions::from_mode(0o600))
            .expect("mode set");
        files.swath(&["lcs", "a", "b", "-o", "out"]).ok();
        assert_eq!(mode("out"), 0o600);
    }
}

#[test]
fn a_failed_run_leaves_the_path_file_as_it_was() {
    let files = Files::new(&[("out", b"old"), ("a", b"ABC")]);
    files
        .swath(&["lcs", "a", "missing", "-o", "out"])
        .fails(2, &["missing"]);
    files
        .swath(&["lcs", "a", "a", "-o", "out", "--device", "no such adapter"])
        .fails(3, &["no such adapter"]);
    assert_eq!(fs::read(files.path("out")).expect("it is there"), b"old");
    assert_eq!(files.names(), ["a", "out"]);
}

#[cfg(unix)]
#[test]
fn pipe_or_device_as_output_is_not_replaced() {
    use std::os::unix::fs::FileTypeExt;
    swath(&["lcs", "--text", "a", "a", "-o", "/dev/null"]).ok();
    assert!(
        fs::metadata("/dev/null")
            .expect("it is still there")
            .file_type()
            .is_char_device()
    );
}

// The process

#[test]
fn forced_cpu_kernels_run_or_are_an_error_with_alternatives() {
    let with = |kernel: &str| {
        let mut command = command(&[
            "lcs",
            "--text",
            "nematode knowledge",
            "empty bottle",
            "--method",
            "bit-parallel",
        ]);
        command.env("SWATH_CPU_KERNEL", kernel);
        run(command, b"")
    };
    with("portable").ok();
    with("sse9").fails(2, &["SWATH_CPU_KERNEL", "'sse9'", "portable"]);
}

#[test]
fn options_come_from_the_environment_and_the_command_line_wins() {
    let with = |variables: &[(&str, &str)], args: &[&str]| {
        let mut command = command(&[&["lcs", "abcbdab", "BDCABA"], args].concat());
        command.envs(variables.iter().copied());
        run(command, b"")
    };
    let json = [
        ("SWATH_TEXT", "1"),
        ("SWATH_JSON", "true"),
        ("SWATH_IGNORE_CASE", "yes"),
        ("SWATH_METHOD", "reference"),
    ];
    let answer = with(&json, &[]).json();
    assert_eq!(
        (&answer["length"], &answer["method"]),
        (&4.into(), &"reference".into())
    );
    let answer = with(&json, &["--method", "bit-parallel"]).json();
    assert_eq!(answer["method"], "bit-parallel");
    // A format in the environment does not request the subsequence.
    let format = [
        ("SWATH_TEXT", "1"),
        ("SWATH_IGNORE_CASE", "1"),
        ("SWATH_FORMAT", "ops"),
    ];
    assert!(with(&format, &[]).ok().starts_with("length"));
    assert!(with(&format, &["--path"]).ok().contains('='));
    with(&[("SWATH_MEM_GPU", "lots")], &[])
        .stderr
        .find("--mem-gpu")
        .expect("a wrong value is refused by name");
}

#[test]
fn inapplicable_options_are_ignored_in_the_environment_only() {
    let with = |name: &str, value: &str, args: &[&str]| {
        let mut command = command(args);
        command.env(name, value);
        run(command, b"")
    };
    // Values for other commands, or unused ones.
    for (command, option, value) in [
        ("edit", "method", "conditional-sum"),
        ("scs", "method", "tiled"),
        ("lcs", "method", "merge-tree"),
        ("lcs", "format", "paf"),
        ("scs", "format", "diff"),
        ("edit", "gaps", "left"),
        ("edit", "starts", "1"),
    ] {
        let args = [command, "--text", "kitten", "sitting"];
        let ignored = with(&format!("SWATH_{}", option.to_uppercase()), value, &args).ok();
        let plain = |text: &str| text.lines().next().expect("a summary").to_string();
        assert_eq!(
            plain(&ignored),
            plain(&swath(&args).ok()),
            "{command} {option} {value}"
        );
        let given = format!("--{option}={value}");
        let given = if option == "starts" {
            "--starts"
        } else {
            &given
        };
        let refused = swath(&[&args[..], &[given]].concat());
        assert!(
            refused.code == Some(2) && refused.stderr.contains(option),
            "{command} {given}: {}",
            refused.stderr
        );
    }
    // Trees have other methods than strings.
    assert!(
        with("SWATH_METHOD", "bit-parallel", &["chain", "10", "20", "30"])
            .ok()
            .contains("hu-shing")
    );
    // Used where it applies.
    let args = ["edit", "--text", "ab", "xaby", "--json"];
    let pieces = |run: process::Run| run.json()["pieces"].clone();
    assert_eq!(
        pieces(with(
            "SWATH_STARTS",
            "1",
            &[&args[..], &["--mode", "infix"]].concat()
        ))[0][0],
        1
    );
    let args = ["edit", "--text", "ACCCG", "ACCG", "--path"];
    let cigar = |side: &str| with("SWATH_GAPS", side, &args).ok();
    assert_ne!(cigar("left"), cigar("right"));
    // Values unknown to all commands are errors.
    let wrong = with("SWATH_METHOD", "magic", &["edit", "--text", "a", "b"]);
    assert!(
        wrong.code == Some(2) && wrong.stderr.contains("magic"),
        "{}",
        wrong.stderr
    );
}

#[test]
fn closed_pipe_is_not_an_error() {
    let line = "a line of text\n".repeat(200);
    let files = Files::new(&[
        ("a", line.as_bytes()),
        ("b", line.replace('x', "y").as_bytes()),
    ]);
    for args in [
        &["lcs", "a", "b", "--format", "text"][..],
        &["completions", "bash"],
        &["man", "lcs"],
    ] {
        let mut command = command(args);
        let (_, writer) = std::io::pipe().expect("a pipe that nobody reads");
        let output = command
            .current_dir(&files.0)
            .stdout(writer)
            .stderr(Stdio::piped())
            .output()
            .expect("swath runs");
        assert_eq!(output.status.code(), Some(0), "{args:?}");
        assert_eq!(String::from_utf8_lossy(&output.stderr), "", "{args:?}");
    }
}

#[test]
fn progress_needs_a_terminal_or_the_option() {
    assert_eq!(swath(&["lcs", "--text", "abc", "abd"]).stderr, "");
    assert_eq!(
        swath(&["lcs", "--text", "abc", "abd", "--progress", "never"]).stderr,
        ""
    );
}

#[test]
fn progress_in_lines_ends_with_all_of_a_finished_call() {
    let files = Files::new(&[("q", b">q\nAC\n>r\nGT\n"), ("t", b">t\nACGT\n")]);
    for args in [
        &["lcs", "--text", "abc", "abd"][..],
        &["edit", "q", "t", "--mode", "infix"],
        &["scs", "--text", "abc", "abd", "-o", "out"],
        &["substring", "--text", "abc", "abd"],
        &["chain", "10", "20", "30", "-o", "out"],
        &["fold", "--text", "GGGAAACCC"],
        &["bench", "lcs", "--quick", "--dry-run", "--device", "cpu"],
    ] {
        let run = files.swath(&[args, &["--progress", "always"]].concat());
        let lines: Vec<_> = run.stderr.lines().collect();
        assert_eq!(
            lines.last(),
            Some(&"swath: 100 %, done"),
            "{args:?}: {}",
            run.stderr
        );
        assert_eq!(run.stderr.matches("100 %").count(), 1, "{args:?}");
        run.ok();
    }
    let failed = files.swath(&["lcs", "q", "none", "--progress", "always"]);
    assert!(!failed.stderr.contains("100 %"), "{}", failed.stderr);
}
