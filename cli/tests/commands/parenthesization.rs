//! `swath chain`, `polygon`, `bst` and `fold` on the CPU: answers, trees, exit codes and invalid
//! input.

use crate::process::{Files, command, run, swath};

// Answers

#[test]
fn a_chain_is_given_as_dimensions_shapes_file_or_stdin() {
    let files = Files::new(&[
        (
            "dims.txt",
            b"30, 35 15 # the first two matrices\n5\n10 20 25\n",
        ),
        (
            "shapes.txt",
            b"A:30x35 B:35x15\nC:15x5 D:5x10 E:10x20 F:20x25\n",
        ),
    ]);
    let dimensions = ["30", "35", "15", "5", "10", "20", "25"];
    let asked: [&[&str]; 4] = [&dimensions, &["dims.txt"], &["shapes.txt"], &["-"]];
    for arguments in asked {
        let stdin: &[u8] = if arguments == ["-"] {
            b"30 35 15 5 10 20 25"
        } else {
            b""
        };
        let args = [&["chain"], arguments, &["--json"]].concat();
        let answer = files.swath_with_stdin(&args, stdin).json();
        assert_eq!(answer["cost"], 15_125, "{arguments:?}");
        assert_eq!(answer["in_order"], 40_500);
        assert_eq!(
            (&answer["schema"], &answer["problem"]),
            (&"swath/parenthesization/1".into(), &"chain".into())
        );
        assert_eq!(
            (&answer["method"], &answer["leaves"]),
            (&"hu-shing".into(), &6.into())
        );
        assert_eq!(
            (&answer["arithmetic"], &answer["device"]),
            (&"u64".into(), &"cpu".into())
        );
        assert!(answer.get("tree").is_none());
    }
}

#[test]
fn the_summary_has_cost_saving_tree_method_device_and_time() {
    let text = swath(&["chain", "30", "35", "15", "5", "10", "20", "25"]).ok();
    for (key, value) in [
        ("cost", "15125"),
        ("saving", "62.65 % of 40500 from left to right"),
        ("tree", "((A1 (A2 A3)) ((A4 A5) A6))"),
        ("method", "hu-shing"),
        ("device", "cpu"),
        ("input", "6 matrices, arguments"),
    ] {
        let line = text
            .lines()
            .find(|line| line.starts_with(&format!("{key} ")))
            .expect(key);
        assert!(line.ends_with(value), "{line}");
    }
    assert!(text.lines().any(|line| line.starts_with("time")));
}

#[test]
fn every_cpu_method_gives_the_same_cost() {
    for method in ["auto", "hu-shing", "tiled", "reference"] {
        let answer = swath(&[
            "chain", "10", "20", "30", "40", "5", "--json", "--method", method,
        ])
        .json();
        assert_eq!(answer["cost"], 6_000 + 3_000 + 1_000, "{method}");
        assert_ne!(answer["method"], "auto");
    }
}

#[test]
fn the_tree_is_written_as_text_dot_and_json() {
    let shapes = ["chain", "A:10x20", "B:20x30", "C:30x5"];
    let tree = |format: &str| swath(&[&shapes[..], &["--tree", format]].concat());
    let text = tree("text");
    assert!(text.stderr.contains("cost"), "{}", text.stderr);
    assert_eq!(text.ok(), "(A (B C))\n");
    assert_eq!(
        swath(&[&shapes[..], &["--tree"]].concat()).ok(),
        "(A (B C))\n"
    );
    let dot = tree("dot").ok();
    assert!(
        dot.starts_with("digraph tree {\n") && dot.ends_with("}\n"),
        "{dot}"
    );
    assert!(
        dot.contains("r0_3 -> r1_3;") && dot.contains("r2_3 [shape=box, label=\"C\"];"),
        "{dot}"
    );
    let json = tree("json").json();
    assert_eq!(
        json,
        serde_json::json!({"schema": "swath/tree/1", "leaves": 3, "nodes": [[0, 1, 3], [1, 2, 3]]})
    );
    let both = swath(&[&shapes[..], &["--json", "--tree"]].concat()).json();
    assert_eq!(
        (&both["text"], &both["tree"]),
        (&"(A (B C))".into(), &json["nodes"])
    );
}

#[test]
fn a_deep_tree_is_written_whole() {
    let numbers: Vec<String> = (1..=30_000).map(|number: u32| number.to_string()).collect();
    let files = Files::new(&[("up", numbers.join("\n").as_bytes())]);
    let text = files.swath(&["chain", "up", "--tree"]).ok();
    assert_eq!(text.matches('(').count(), 29_998);
    assert!(text.starts_with("((((") && text.ends_with("A29998) A29999)\n"));
}

#[test]
fn a_polygon_has_weights_or_points() {
    let files = Files::new(&[
        ("weights", b"3 7 4 5 2\n"),
        ("real", b"0.5 1.5 2 1\n"),
        ("points", b"0 0\n2 0\n2 1\n0 1\n"),
        ("odd", b"0 0 1"),
        ("two", b"1 2"),
    ]);
    let answer = files
        .swath(&["polygon", "weights", "--json", "--tree"])
        .json();
    assert_eq!(answer["cost"], 2 * 3 * 7 + 2 * 7 * 4 + 2 * 4 * 5);
    assert_eq!(answer["text"].as_str().expect("a text").lines().count(), 3);
    let answer = files.swath(&["polygon", "real", "--json"]).json();
    assert_eq!(
        (&answer["cost"], &answer["arithmetic"]),
        (&2.5.into(), &"f64".into())
    );
    let answer = files
        .swath(&["polygon", "points", "--points", "--json"])
        .json();
    assert!(
        (answer["cost"].as_f64().expect("a number") - (6.0 + 2.0 * 5.0f64.sqrt())).abs() < 1e-9,
        "{answer}"
    );
    files
        .swath(&["polygon", "odd", "--points"])
        .fails(2, &["odd", "3 numbers"]);
    files
        .swath(&["polygon", "two"])
        .fails(2, &["two", "2 vertices", "three"]);
}

#[test]
fn summary_counts_the_elements_of_the_input() {
    let files = Files::new(&[
        ("five", b"3 7 4 5 2 # corners\n"),
        ("six", b"1 1 1 1 1 1\n"),
        ("points", b"0 0 2 0 2 1 0 1\n"),
    ]);
    let cases: [(&[&str], &str); 5] = [
        (&["polygon", "five"], "5 sides, five"),
        (&["polygon", "points", "--points"], "4 sides, points"),
        (&["bst", "five"], "5 keys, five"),
        (
            &["bst", "five", "--gap-weights", "six"],
            "5 keys, 6 gaps, five",
        ),
        (&["fold", "--text", "ACGU"], "4 bases, text"),
    ];
    for (args, expected) in cases {
        for more in [&[][..], &["--dry-run"]] {
            let text = files.swath(&[args, more].concat()).ok();
            let line = text
                .lines()
                .find(|line| line.starts_with("input "))
                .expect("it is there");
            assert!(line.ends_with(expected), "{line}");
        }
    }
}

#[test]
fn a_search_tree_has_keys_and_gaps() {
    let files = Files::new(&[
        ("keys", b"15 10 5 10 20"),
        ("gaps", b"5 10 5 5 5 10"),
        ("real", b"0.15 0.10 0.05 0.10 0.20"),
        ("real-gaps", b"0.05 0.10 0.05 0.05 0.05 0.10"),
        ("short", b"1 2"),
        ("none", b"# nothing\n"),
    ]);
    let answer = files
        .swath(&["bst", "keys", "--gap-weights", "gaps", "--json", "--tree"])
        .json();
    assert_eq!(
        (&answer["cost"], &answer["text"]),
        (&275.into(), &"((- 1 -) 2 (((- 3 -) 4 -) 5 -))".into())
    );
    let answer = files
        .swath(&["bst", "real", "--gap-weights", "real-gaps", "--json"])
        .json();
    assert!(
        (answer["cost"].as_f64().expect("a number") - 2.75).abs() < 1e-9,
        "{answer}"
    );
    files
        .swath(&["bst", "keys", "--gap-weights", "short"])
        .fails(2, &["5 keys have 6 gaps, not 2"]);
    files.swath(&["bst", "none"]).fails(2, &["none", "no key"]);
}

#[test]
fn a_fold_shows_its_pairs_as_brackets() {
    let files = Files::new(&[
        ("rna.fasta", b">one\nGGGAAA\nUCC\n>two\nGGCC\n"),
        ("plain", b"GGG AAA\nUCC\n"),
    ]);
    for args in [
        &["fold", "rna.fasta"][..],
        &["fold", "plain"],
        &["fold", "--text", "gggaaatcc"],
    ] {
        let answer = files.swath(&[args, &["--json", "--tree"]].concat()).json();
        assert_eq!(answer["cost"], 3, "{args:?}");
        let text = answer["text"].as_str().expect("a text");
        assert_eq!(
            (
                text.len(),
                text.matches('(').count(),
                text.matches(')').count()
            ),
            (9, 3, 3),
            "{text}"
        );
    }
    let answer = files
        .swath(&[
            "fold",
            "rna.fasta",
            "--record",
            "two",
            "--least-loop",
            "0",
            "--json",
        ])
        .json();
    assert_eq!(
        (&answer["cost"], &answer["name"]),
        (&2.into(), &"two".into())
    );
    files.swath(&["fold", "--text", ""]).fails(2, &["empty"]);
    files
        .swath(&["fold", "--text", "AC4G"])
        .fails(2, &["base 3", "'4'"]);
    files
        .swath(&["fold", "plain", "--record", "x"])
        .fails(2, &["--record", "'x'"]);
}

#[test]
fn dry_run_prints_the_plan_and_computes_nothing() {
    let text = swath(&["chain", "10", "20", "30", "--dry-run", "--method", "tiled"]).ok();
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
    let plan = swath(&["chain", "10", "20", "30", "--dry-run", "--json"]).json();
    assert_eq!(
        (&plan["schema"], &plan["method"]),
        (&"swath/parenthesization-plan/1".into(), &"hu-shing".into())
    );
    assert!(plan.get("cost").is_none());
}

#[test]
fn options_come_from_the_environment_too() {
    let mut with = command(&["chain", "10", "20", "30", "5"]);
    with.env("SWATH_JSON", "1")
        .env("SWATH_METHOD", "tiled")
        .env("SWATH_TREE", "text");
    let answer = run(with, b"").json();
    assert_eq!(
        (&answer["method"], &answer["text"]),
        (&"tiled".into(), &"(A1 (A2 A3))".into())
    );
    let lines = swath(&[
        "chain",
        "10",
        "20",
        "30",
        "5",
        "--method",
        "tiled",
        "--progress",
        "always",
    ]);
    assert!(lines.stderr.contains('%'), "{}", lines.stderr);
}

#[test]
fn real_weights_are_exact_unless_f32_is_asked_for() {
    let files = Files::new(&[
        ("weights", b"1e-14 2e-14 3e-14 4e-14"),
        ("corners", b"0 0 3e200 0 3e200 4e200"),
    ]);
    let devices = swath(&["devices", "--json"]).json();
    let gpu = devices["devices"]
        .as_array()
        .expect("a list")
        .iter()
        .find(|device| {
            let doubles = device["capabilities"]["float64"].as_str() == Some("true");
            device["selector"] != "cpu" && doubles
        });
    let selectors = ["cpu"]
        .into_iter()
        .chain(gpu.and_then(|device| device["selector"].as_str()));
    for selector in selectors {
        for precision in ["exact", "f32"] {
            let asked = |args: &[&str]| {
                files.swath(&[args, &["--device", selector, "--precision", precision]].concat())
            };
            let approximate = selector != "cpu" && precision == "f32";
            let answer = asked(&["polygon", "weights", "--json"]).json();
            assert_eq!(answer["approximate"], approximate, "{selector} {precision}");
            assert_eq!(
                answer["arithmetic"],
                if approximate { "f32" } else { "f64" }
            );
            assert!(
                (answer["cost"].as_f64().expect("a number") / 18e-42 - 1.0).abs() < 1e-12,
                "{answer}"
            );
            let text = asked(&["polygon", "corners", "--points"]).ok();
            assert_eq!(text.contains("approximate"), approximate, "{text}");
            let cost = text
                .lines()
                .find_map(|line| line.strip_prefix("cost"))
                .expect("a cost")
                .trim();
            assert!(
                (cost.parse::<f64>().expect("a number") / 12e200 - 1.0).abs() < 1e-12,
                "{text}"
            );
        }
    }
    let refused = files.swath(&["polygon", "weights", "--precision", "f16"]);
    assert_eq!(refused.code, Some(2));
    assert!(
        ["f16", "exact", "f32"]
            .iter()
            .all(|name| refused.stderr.contains(name)),
        "{}",
        refused.stderr
    );
}

#[test]
fn real_costs_that_do_not_fit_name_their_own_limit() {
    let files = Files::new(&[
        ("great", b"1e110 1e110 1e110 1e110"),
        ("keys", b"1e308 1e308"),
        ("far", b"1 1e-300 1"),
    ]);
    files
        .swath(&["polygon", "great"])
        .fails(2, &["sides", "more than 1.79e308"]);
    files
        .swath(&["bst", "keys"])
        .fails(2, &["all weights together", "1.79e308"]);
    files
        .swath(&["polygon", "far"])
        .fails(2, &["2^840", "set the least to 0"]);
}

// Invalid input

#[test]
fn invalid_dimensions_are_reported_with_their_position() {
    let files = Files::new(&[
        ("words", b"10 20\n30 abc 40\n"),
        ("zero", b"10\n0\n20"),
        ("negative", b"10 -5 20"),
        ("great", b"10 18446744073709551616 20"),
        ("shapes", b"A:10x20\nB:21x30"),
        ("mixed", b"A:10x20 30"),
        ("empty", b""),
        ("one", b"7"),
        ("binary", b"\xff\xfe\x00"),
    ]);
    let fails = |file: &str, parts: &[&str]| files.swath(&["chain", file]).fails(2, parts);
    fails(
        "words",
        &["words, line 2, column 4: 'abc' is not a dimension"],
    );
    fails("zero", &["zero, line 2, column 1", "dimension of 0"]);
    fails(
        "negative",
        &["negative, line 1, column 4: '-5'", "is negative"],
    );
    fails("great", &["great, line 1, column 4", "more than 2^64 - 1"]);
    fails(
        "shapes",
        &[
            "shapes, line 2, column 1: 'B:21x30'",
            "20 columns",
            "21 rows",
        ],
    );
    fails("mixed", &["mixed, line 1, column 9: '30' is not a shape"]);
    fails("empty", &["empty: no dimensions make no matrix"]);
    fails("one", &["one: one dimension"]);
    fails("binary", &["binary, line 1, column 1"]);
    fails("missing", &["missing: no such file"]);
    swath(&["chain", "10", "x", "30"]).fails(2, &["argument 2: 'x' is not a dimension"]);
    swath(&["chain", "10", "20"]).fails(2, &["one matrix alone"]);
    swath(&["chain", "A:10x20"]).fails(2, &["one matrix alone"]);
    swath(&["chain", "10", "2.5", "30"]).fails(2, &["argument 2: '2.5' is not a dimension"]);
}

#[test]
fn invalid_weights_are_reported_with_their_position() {
    let files = Files::new(&[
        ("a", b"1 2\n3 x"),
        ("b", b"1 2.5 -3"),
        ("c", b"1 2.5 nan"),
        ("d", b"1 2 99999999999999999999"),
        ("greatest", b"1 2 18446744073709551615"),
        ("almost", b"18446744073709551614"),
        ("p.fa", b">p\nACGU\nNXmkvlefae\n"),
    ]);
    files
        .swath(&["polygon", "a"])
        .fails(2, &["a, line 2, column 3: 'x' is not a number"]);
    files
        .swath(&["polygon", "b"])
        .fails(2, &["b, line 1, column 7: '-3' is negative"]);
    files
        .swath(&["bst", "c"])
        .fails(2, &["c, line 1, column 7: 'nan'"]);
    files
        .swath(&["bst", "d"])
        .fails(2, &["d, line 1, column 5", "more than 2^64 - 2"]);
    for args in [["bst", "greatest"], ["polygon", "greatest"]] {
        let told = "greatest, line 1, column 5: '18446744073709551615' is more than 2^64 - 2";
        files.swath(&args).fails(2, &[told]);
    }
    assert!(
        !files
            .swath(&["bst", "almost"])
            .stderr
            .contains("more than 2^64 - 2; scale")
    );
    files.swath(&["fold", "p.fa"]).fails(
        2,
        &["p.fa, record 'p': base 10: 'l' is no letter of RNA or DNA"],
    );
}

#[test]
fn a_cost_that_does_not_fit_names_the_matrices() {
    let args = [
        "chain",
        "1",
        "4611686018427387904",
        "2",
        "4611686018427387904",
        "1",
    ];
    for method in ["auto", "tiled"] {
        swath(&[&args[..], &["--method", method]].concat()).fails(2, &["matrices", "2^64 - 2"]);
    }
    swath(&["chain", "4294967296", "4294967296", "1", "1"]).fails(2, &["matrices 1 to 2"]);
}

#[test]
fn too_little_memory_and_methods_of_the_gpu_have_their_exit_codes() {
    let numbers: Vec<String> = (0..400)
        .map(|number: u32| (7 + number % 13).to_string())
        .collect();
    let files = Files::new(&[("n", numbers.join(" ").as_bytes())]);
    files
        .swath(&["chain", "n", "--method", "tiled", "--mem-host", "100k"])
        .fails(4, &["smallest plan"]);
    files
        .swath(&["chain", "n", "--method", "adaptive"])
        .fails(2, &["'adaptive'", "GPU"]);
    files
        .swath(&["bst", "n", "--method", "hu-shing"])
        .fails(2, &["'hu-shing'", "tiled"]);
}
