//! `swath edit` on the CPU: answers, formats, exit codes and invalid input.

use serde_json::{Value, json};

use crate::process;
use crate::process::{Files, swath};

fn edit(args: &[&str]) -> process::Run {
    swath(&[&["edit", "--text"], args].concat())
}

#[test]
fn the_summary_has_one_line_for_each_fact() {
    let text = edit(&["kitten", "sitting"]).ok();
    for (key, value) in [
        ("distance", "3"),
        ("mode", "global"),
        ("path", "none"),
        ("a", "6 symbols, a"),
    ] {
        let line = text
            .lines()
            .find(|line| line.starts_with(&format!("{key} ")))
            .expect(key);
        assert!(line.ends_with(value), "{line}");
    }
}

#[test]
fn every_cpu_method_gives_the_same_distance() {
    for method in [
        "auto",
        "bit-parallel",
        "banded",
        "anti-diagonal",
        "tiled",
        "wavefront",
        "reference",
    ] {
        let answer = edit(&["kitten", "sitting", "--json", "--method", method]).json();
        assert_eq!(answer["distance"], 3, "{method}");
        assert_ne!(answer["method"], "auto");
    }
}

#[test]
fn the_json_object_has_the_keys_of_its_schema() {
    let answer = edit(&["kitten", "sitting", "--json"]).json();
    assert_eq!(answer["schema"], "swath/edit/1");
    assert_eq!(
        (&answer["problem"], &answer["mode"]),
        (&"edit".into(), &"global".into())
    );
    assert_eq!(
        (&answer["cells"], &answer["path_mode"]),
        (&42.into(), &"none".into())
    );
    assert_eq!(
        (&answer["device"], &answer["interface"]),
        (&"cpu".into(), &json!(null))
    );
    assert_eq!(answer["b"], json!({"name": "b", "length": 7}));
    for absent in ["more_than", "pieces", "alignment"] {
        assert!(answer.get(absent).is_none(), "{absent}");
    }
    let answer = edit(&["kitten", "sitting", "--format", "json"]).json();
    let alignment = json!({"start": 0, "end": 7, "cigar": "1X3=1X1=1D", "blocks": [[0, 0, 6]]});
    assert_eq!(answer["alignment"], alignment);
}

#[test]
fn every_format_shows_the_same_alignment() {
    let format = |name| edit(&["kitten", "sitting", "--format", name]).ok();
    assert_eq!(format("text"), "a 1 kitten- 6\n    .|||.|\nb 1 sitting 7\n");
    assert_eq!(format("cigar"), "6M1D\n");
    assert_eq!(format("cigarx"), "1X3=1X1=1D\n");
    assert_eq!(
        format("paf"),
        "a\t6\t0\t6\t+\tb\t7\t0\t7\t4\t7\t255\ttp:A:P\tNM:i:3\tAS:i:-3\tde:f:0.4286\tcg:Z:1X3=1X1=1D\n"
    );
    assert_eq!(format("ops"), "1X 3= 1X 1= 1D\n");
    assert_eq!(format("diff"), "[-k-]{+s+}itt[-e-]{+i+}n{+g+}\n");
}

#[test]
fn lines_are_aligned_a_line_each() {
    let files = Files::new(&[("a", b"one\ntwo\nthree\n"), ("b", b"one\n2\nthree\nfour\n")]);
    let args = ["edit", "a", "b", "--symbols", "lines", "--format"];
    assert_eq!(
        files.swath(&[&args[..], &["text"]].concat()).ok(),
        " one\n-two\n+2\n three\n+four\n"
    );
    let diff = files.swath(&[&args[..], &["diff"]].concat()).ok();
    assert_eq!(
        diff,
        "--- a\n+++ b\n@@ -1,3 +1,4 @@\n one\n-two\n+2\n three\n+four\n"
    );
}

#[test]
fn long_alignments_are_cut_into_blocks_that_say_where_they_are() {
    let (a, b) = (
        "ACGT".repeat(20),
        format!("{}A{}", "ACGT".repeat(16), "ACGT".repeat(4)),
    );
    let text = edit(&[&a, &b, "--path"]).ok();
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines.len(), 7, "{text}");
    assert!(
        lines[0].starts_with("a  1 ACGT") && lines[0].ends_with(" 60"),
        "{text}"
    );
    assert!(
        lines[4].starts_with("a 61 ") && lines[4].ends_with(" 80"),
        "{text}"
    );
    assert!(lines[6].ends_with(" 81"), "{text}");
}

#[test]
fn ignored_case_is_equal_in_every_format() {
    let args = ["ABC", "abd", "--ignore-case", "--format"];
    assert_eq!(edit(&[&args[..], &["cigarx"]].concat()).ok(), "2=1X\n");
    assert!(
        edit(&[&args[..], &["text"]].concat())
            .ok()
            .starts_with("a 1 ABC 3\n    ||.")
    );
}

#[test]
fn a_distance_beyond_the_bound_is_an_answer() {
    for method in ["auto", "bit-parallel", "banded", "wavefront", "reference"] {
        let bounded = |k, args: &[&str]| {
            edit(&[&["kitten", "sitting", "--method", method, "-k", k], args].concat())
        };
        let text = bounded("2", &[]).ok();
        assert!(
            text.lines()
                .any(|line| line.starts_with("distance") && line.ends_with("> 2")),
            "{text}"
        );
        let answer = bounded("2", &["--json", "--path"]).json();
        assert_eq!(
            (&answer["distance"], &answer["more_than"]),
            (&json!(null), &2.into()),
            "{method}"
        );
        assert!(answer.get("alignment").is_none());
        assert_eq!(bounded("2", &["--format", "cigar"]).ok(), "");
        assert_eq!(bounded("3", &["--json"]).json()["distance"], 3);
    }
}

#[test]
fn output_file_is_kept_if_there_is_no_alignment() {
    let files = Files::new(&[("out", b"old")]);
    let args = [
        "edit", "--text", "kitten", "sitting", "-o", "out", "--format", "cigar",
    ];
    files.swath(&[&args[..], &["-k", "2"]].concat()).ok();
    assert_eq!(
        std::fs::read(files.path("out")).expect("it is there"),
        b"old"
    );
    files.swath(&args).ok();
    assert_eq!(
        std::fs::read(files.path("out")).expect("it is there"),
        b"6M1D\n"
    );
}

#[test]
fn missing_alignment_is_reported() {
    let files = Files::new(&[("out", b"old")]);
    let args = [
        "edit", "--text", "kitten", "sitting", "-k", "2", "--format", "cigar",
    ];
    let printed = swath(&args);
    assert_eq!(
        printed.stderr.lines().last(),
        Some("swath: the distance is more than 2, so there is no alignment")
    );
    assert_eq!(printed.ok(), "");
    let written = files.swath(&[&args[..], &["-o", "out"]].concat());
    assert_eq!(
        written.stderr,
        "swath: the distance is more than 2, so there is no alignment, and out stays as it is\n"
    );
    written.ok();
}

#[test]
fn every_record_of_the_target_is_searched() {
    let files = Files::new(&[
        ("q", b">q1\nCGTA\n>q2\nTTTT\n"),
        ("t", b">t1\nAAAA\n>t2\nGGCGTAGG\n>t3\nTTTTT\n"),
    ]);
    let args = ["edit", "q", "t", "--mode", "infix"];
    let run = |more: &[&str]| files.swath(&[&args[..], more].concat());
    let objects: Vec<serde_json::Value> = run(&["--json"])
        .ok()
        .lines()
        .map(|line| serde_json::from_str(line).expect("an object a line"))
        .collect();
    let named = |key: &str| {
        objects
            .iter()
            .map(|object| object[key]["name"].as_str().expect("a name"))
            .collect::<Vec<_>>()
    };
    assert_eq!(named("a"), ["q1", "q1", "q1", "q2", "q2", "q2"]);
    assert_eq!(named("b"), ["t1", "t2", "t3", "t1", "t2", "t3"]);
    let distances: Vec<_> = objects
        .iter()
        .map(|object| object["distance"].as_u64().expect("a distance"))
        .collect();
    assert_eq!(distances, [3, 0, 3, 4, 3, 0]);
    assert!(
        objects
            .iter()
            .all(|object| object["schema"] == "swath/edit/1")
    );
    // A named record is a single one.
    let one = run(&["--record-a", "q1", "--record-b", "t2", "--json"]).json();
    assert_eq!(
        (&one["distance"], &one["pieces"]),
        (&0.into(), &json!([[null, 6]]))
    );
    // Pieces, PAF and alignments name the record.
    let text = run(&["--starts"]).ok();
    assert!(text.contains("piece           2..6  t2\n"), "{text}");
    assert_eq!(text.matches("distance").count(), 6);
    let paf = run(&["--format", "paf", "-k", "0"]);
    assert_eq!(
        paf.stderr,
        "swath: the distance of 4 of 6 pairs is more than 0, so there is no alignment\n"
    );
    let paf = paf.ok();
    assert_eq!(paf.lines().count(), 2, "{paf}");
    assert!(paf.starts_with("q1\t4\t0\t4\t+\tt2\t8\t2\t6\t"), "{paf}");
    assert_eq!(
        run(&["--format", "cigarx", "-k", "0"]).ok(),
        "# q1\tt2\n4=\n# q2\tt3\n4=\n"
    );
    assert!(
        run(&["-k", "0", "-o", "out", "--format", "cigarx"])
            .ok()
            .starts_with("pairs           6, 2 aligned\n")
    );
    assert_eq!(
        std::fs::read_to_string(files.path("out")).expect("it is there"),
        "# q1\tt2\n4=\n# q2\tt3\n4=\n"
    );
    // The bound exceeds the distance of one pair only.
    assert!(run(&["-k", "6", "--json"]).ok().lines().count() == 6);
    assert_eq!(run(&["--dry-run", "--json"]).ok().lines().count(), 6);
}

#[test]
fn a_diff_to_a_piece_shows_the_piece_alone() {
    let diff =
        |args: &[&str]| edit(&[&["CGGT", "AACGTAAA", "--format", "diff"], args].concat()).ok();
    assert_eq!(diff(&["--mode", "infix"]), "CG[-G-]T\n");
    assert_eq!(
        edit(&["ACGG", "ACGTTTT", "--mode", "prefix", "--format", "diff"]).ok(),
        "ACG[-G-]\n"
    );
    let files = Files::new(&[("a", b"x\ny\n2\nz\n"), ("b", b"1\nx\ny\nz\n4\n5\n")]);
    let diff = files
        .swath(&[
            "edit",
            "a",
            "b",
            "--symbols",
            "lines",
            "--mode",
            "infix",
            "--format",
            "diff",
        ])
        .ok();
    assert_eq!(diff, "--- a\n+++ b\n@@ -1,4 +2,3 @@\n x\n y\n-2\n z\n");
}

#[test]
fn paf_is_for_letters() {
    let files = Files::new(&[("a", b"x\ny\n")]);
    for symbols in ["lines", "tokens"] {
        let args = ["edit", "a", "a", "--symbols", symbols, "--format", "paf"];
        files.swath(&args).fails(2, &["--format paf", "diff"]);
    }
}

#[test]
fn infix_matches_have_ends_and_optional_starts() {
    let infix = |args: &[&str]| {
        edit(
            &[
                &["CGT", "AACGGTACGTTCGT", "--mode", "infix", "--json"],
                args,
            ]
            .concat(),
        )
        .json()
    };
    assert_eq!(
        (&infix(&[])["distance"], &infix(&[])["pieces"]),
        (&0.into(), &json!([[null, 10], [null, 14]]))
    );
    assert_eq!(infix(&["--starts"])["pieces"], json!([[7, 10], [11, 14]]));
    let first = infix(&["--path"]);
    assert_eq!(first["pieces"], json!([[7, 10], [null, 14]]));
    assert_eq!(
        (&first["alignment"]["start"], &first["alignment"]["end"]),
        (&7.into(), &10.into())
    );
    let prefix = edit(&["AACG", "AACCGGTA", "--mode", "prefix", "--json"]).json();
    assert_eq!(
        (&prefix["distance"], &prefix["pieces"]),
        (&1.into(), &json!([[0, 3], [0, 4], [0, 5]]))
    );
    let paf = edit(&[
        "CGT",
        "AACGGTACGTTCGT",
        "--mode",
        "infix",
        "--format",
        "paf",
    ])
    .ok();
    assert_eq!(
        paf,
        "a\t3\t0\t3\t+\tb\t14\t7\t10\t3\t3\t255\ttp:A:P\tNM:i:0\tAS:i:0\tde:f:0.0000\tcg:Z:3=\n"
    );
}

#[test]
fn the_text_has_a_line_for_every_piece() {
    let pieces = |args: &[&str]| {
        let text = edit(&[&["CGT", "AACGGTACGTTCGT", "--mode", "infix"], args].concat()).ok();
        let lines: Vec<Vec<&str>> = text
            .lines()
            .map(|line| line.split_whitespace().collect())
            .collect();
        assert!(lines.contains(&vec!["pieces", "2"]), "{text}");
        // The pieces come last, so that `tail` and `sed` can extract them.
        let last = &lines[lines.len() - 2..];
        assert!(
            last.iter()
                .all(|line| line.len() == 2 && line[0] == "piece"),
            "{text}"
        );
        last.iter()
            .map(|line| line[1].to_string())
            .collect::<Vec<_>>()
    };
    assert_eq!(pieces(&[]), ["..10", "..14"]);
    assert_eq!(pieces(&["--starts"]), ["7..10", "11..14"]);
    assert!(
        !edit(&["CGT", "AAAAAA", "--mode", "infix", "-k", "1"])
            .ok()
            .contains("piece")
    );
    assert!(!edit(&["CGT", "CGTA"]).ok().contains("piece"));
}

#[test]
fn gaps_move_to_the_requested_side() {
    let cigar = |side| edit(&["GGAAAACC", "GGAAACC", "--format", "cigar", "--gaps", side]).ok();
    assert_eq!(
        (cigar("left"), cigar("right")),
        ("2M1I5M\n".to_string(), "5M1I2M\n".to_string())
    );
}

#[test]
fn dry_run_prints_the_plan_and_computes_nothing() {
    let plan = edit(&["ABC", "AC", "--dry-run", "--json"]).json();
    assert_eq!(
        (&plan["schema"], &plan["cells"]),
        (&"swath/edit-plan/1".into(), &6.into())
    );
    assert!(plan.get("distance").is_none());
    assert!(
        edit(&["ABC", "AC", "--dry-run"])
            .ok()
            .contains("expected time")
    );
}

#[test]
fn a_bound_above_every_distance_changes_nothing() {
    for bound in ["4", "10", "18446744073709551615"] {
        for args in [
            &[][..],
            &["--mode", "prefix"],
            &["--mode", "infix", "--starts"],
        ] {
            let answer = edit(&[&["ACGT", "ACGA", "-k", bound, "--json"], args].concat()).json();
            assert_eq!(answer["distance"], 1, "{bound} {args:?}");
        }
    }
}

#[test]
fn input_errors_are_one_line_with_a_remedy() {
    edit(&["a", "b", "--gaps", "left"]).fails(2, &["--gaps", "--path"]);
    edit(&["a", "b", "--starts"]).fails(2, &["--starts", "infix"]);
    edit(&["a", "b", "--method", "tiled", "--path"]).fails(2, &["tiled", "auto"]);
    edit(&["a", "b", "--method", "wavefront", "--mode", "prefix"])
        .fails(2, &["wavefront", "prefix", "auto"]);
    edit(&["a", "b", "--json", "--format", "cigar"]).fails(2, &["--output FILE"]);
    swath(&["edit", "no-such-file", "x"]).fails(2, &["no-such-file", "--text"]);
}

#[test]
fn empty_inputs_are_answered() {
    for (a, b, distance) in [("", "", 0), ("", "abc", 3), ("ab", "", 2)] {
        let answer = edit(&[a, b, "--json", "--path"]).json();
        assert_eq!(answer["distance"], distance);
    }
    for mode in ["prefix", "infix"] {
        let answer = edit(&["", "abc", "--mode", mode, "--json", "--path"]).json();
        assert_eq!(
            (&answer["distance"], &answer["mode"], &answer["pieces"]),
            (&0.into(), &mode.into(), &json!([[0, 0]]))
        );
        assert_eq!(answer["alignment"]["cigar"], "");
    }
}

/// Compares the output of few calls for all pairs, on stdout and in a file, with that of a call for
/// each pair.
#[track_caller]
fn assert_as_single(files: &Files, args: &[&str]) {
    let printed = files.swath(args);
    assert_eq!(printed.code, Some(0), "{}", printed.stderr);
    let written = |more: &[&str]| {
        let run = files.swath(&[args, &["-o", "out", "--exit-code"], more].concat());
        let file = std::fs::read(files.path("out")).ok();
        if file.is_some() {
            std::fs::remove_file(files.path("out")).expect("it is there");
        }
        let lines = String::from_utf8(run.stdout).expect("text");
        let is_fact = |line: &&str| {
            let facts = ["pairs ", "a ", "b "];
            facts.iter().any(|fact| line.starts_with(fact))
        };
        let facts: Vec<_> = lines.lines().filter(is_fact).map(str::to_string).collect();
        assert_eq!(facts.len(), 3, "{lines}");
        (run.code, run.stderr, file, facts)
    };
    let together = written(&[]);
    // A method by name has a call for each pair.
    let single = written(&["--method", "bit-parallel"]);
    assert!(together == single, "{args:?}\n{together:?}\n{single:?}");
    let (_, stderr, file, _) = together;
    match file {
        Some(file) => {
            assert!(file == printed.stdout, "{args:?}");
            assert_eq!(stderr, printed.stderr);
        }
        None => assert!(stderr.ends_with(", and out stays as it is\n")),
    }
}

#[test]
fn alignments_of_several_pairs_in_a_file_have_one_summary() {
    let files = Files::new(&[
        ("q", b">q1\nCGTA\n>q2\nTTTT\n"),
        ("t", b">t1\nAAAA\n>t2\nGGCGTAGG\n>t3\nTTTTT\n"),
    ]);
    let run = |more: &[&str]| {
        let args = ["edit", "q", "t", "--mode", "infix", "-o", "out"];
        files.swath(&[&args[..], more].concat())
    };
    for more in [&[][..], &["--gaps", "left"]] {
        for (bound, aligned) in [("0", 2), ("3", 5), ("4", 6)] {
            let text = run(&[&["-k", bound], more].concat()).ok();
            let line = format!("pairs           6, {aligned} aligned\n");
            assert!(text.starts_with(&line), "{text}");
            for line in [
                "a               8 symbols, q, 2 records",
                "device          cpu",
            ] {
                assert!(text.contains(line), "{text}");
            }
        }
    }
    // The objects have the pieces of each pair.
    let objects = run(&["-k", "3", "--json", "--format", "paf"]).ok();
    assert_eq!(objects.matches("\"pieces\":[[").count(), 5);
    assert_eq!(objects.lines().count(), 6);
    let paf = std::fs::read_to_string(files.path("out")).expect("written");
    assert_eq!(paf.lines().count(), 5);
    for (bound, code) in [("0", Some(0)), ("1", Some(0))] {
        assert_eq!(run(&["-k", bound, "--exit-code"]).code, code);
    }
    assert_eq!(
        run(&[
            "--record-a",
            "q2",
            "--record-b",
            "t2",
            "-k",
            "1",
            "--exit-code"
        ])
        .code,
        Some(1)
    );
}

#[test]
fn alignments_of_many_pairs_are_those_of_single_ones() {
    let words = |step: usize| -> String {
        (0..9)
            .map(|word: usize| {
                format!(
                    ">r{word}\n{}\n",
                    &"ACGTTGCAACCATG"[word * step % 7..][..word * step % 8]
                )
            })
            .collect()
    };
    let files = Files::new(&[
        ("q.fa", words(3).as_bytes()),
        ("t.fa", words(5).as_bytes()),
        ("filled.fa", words(5).replace("\n\n", "\nG\n").as_bytes()),
    ]);
    let options = [
        &[][..],
        &["-k", "2"],
        &["--ignore-case"],
        &["--strand", "both"],
        &["--strand", "both", "-k", "1"],
        &["--starts"],
    ];
    let formats = ["paf", "sam", "cigar", "cigarx", "ops", "text", "diff"];
    for (place, format) in formats.into_iter().enumerate() {
        for (turn, more) in options.into_iter().enumerate() {
            // Each format and each option comes in both modes.
            let is_infix = more == ["--starts"] || (place + turn).is_multiple_of(2);
            let mode = if is_infix { "infix" } else { "prefix" };
            // SAM has no empty targets.
            let targets = if format == "sam" { "filled.fa" } else { "t.fa" };
            let args = ["edit", "q.fa", targets, "--mode", mode, "--format", format];
            assert_as_single(&files, &[&args, more].concat());
        }
    }
}

#[test]
fn answers_of_pairs_side_by_side_are_those_of_one_thread() {
    let records = |count: usize, len: usize| -> String {
        let record = |place: usize| {
            let letters =
                (0..len + place % 5).map(|at| "ACGT".as_bytes()[at * (place + 3) % 11 % 4]);
            let letters: String = letters.map(char::from).collect();
            format!(">r{place}\n{letters}\n")
        };
        (0..count).map(record).collect()
    };
    let files = Files::new(&[
        ("q.fa", records(40, 9).as_bytes()),
        ("t.fa", records(30, 60).as_bytes()),
    ]);
    // Fields and lines of times.
    let untimed = |out: &[u8]| -> String {
        let lines = str::from_utf8(out)
            .expect("it is text")
            .lines()
            .map(|line| match serde_json::from_str(line) {
                Ok(Value::Object(mut object)) => {
                    object.retain(|key, _| {
                        !["seconds", "cells_per_second", "phases"].contains(&&key[..])
                    });
                    Value::Object(object).to_string()
                }
                _ if line.starts_with("time ") || line.starts_with("speed ") => String::new(),
                _ => line.to_string(),
            });
        lines.map(|line| line + "\n").collect()
    };
    for mode in ["infix", "prefix"] {
        for more in [
            &["--json"][..],
            &[],
            &["--json", "-k", "3", "--exit-code"],
            &["--format", "json", "-k", "3"],
            &["--format", "sam", "--strand", "both"],
            &["--format", "cigar", "--gaps", "left"],
        ] {
            let args = [&["edit", "q.fa", "t.fa", "--mode", mode], more].concat();
            let one = files.swath(&[&args[..], &["--threads", "1"]].concat());
            let several = files.swath(&[&args[..], &["--threads", "3"]].concat());
            assert_eq!(several.stderr, one.stderr, "{mode} {more:?}");
            assert_eq!(several.code, one.code);
            assert!(one.stdout.len() > 1000, "{mode} {more:?}");
            assert_eq!(
                untimed(&several.stdout),
                untimed(&one.stdout),
                "{mode} {more:?}"
            );
        }
    }
}

/// Pseudo-random letters of DNA.
fn dna(state: &mut u64, len: usize) -> String {
    let letter = |_| {
        *state = state
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        char::from(b"ACGT"[(*state >> 62) as usize])
    };
    (0..len).map(letter).collect()
}

#[test]
fn barcodes_of_both_strands_are_found_in_reads() {
    let mut state = 5;
    let barcodes: Vec<_> = (0..24)
        .map(|place| dna(&mut state, 22 + place % 4))
        .collect();
    let complement = |letter| match letter {
        'A' => 'T',
        'C' => 'G',
        'G' => 'C',
        'T' => 'A',
        other => other,
    };
    let reads = (0..60).map(|read: usize| {
        let mut text = dna(&mut state, 400);
        for copy in 0..read % 4 {
            let mut barcode = barcodes[(read * 7 + copy * 5) % 24].clone();
            if copy % 2 == 1 {
                barcode = barcode.chars().rev().map(complement).collect();
            }
            for edit in 0..(read + copy) % 6 {
                let at = (read * 11 + edit * 5) % barcode.len();
                match edit % 3 {
                    0 => barcode.insert(at, 'N'),
                    1 => drop(barcode.remove(at)),
                    _ => barcode.replace_range(at..=at, "C"),
                }
            }
            text.insert_str([0, text.len(), 120][copy], &barcode);
        }
        format!("@r{read}\n{text}\n+\n{}\n", "I".repeat(text.len()))
    });
    let reads: String = reads.collect();
    let names = (0..).zip(&barcodes);
    let barcodes: String = names
        .map(|(name, barcode)| format!(">b{name}\n{barcode}\n"))
        .collect();
    let files = Files::new(&[("b.fa", barcodes.as_bytes()), ("r.fq", reads.as_bytes())]);
    for (place, format) in ["paf", "sam", "bam", "cigarx"].into_iter().enumerate() {
        for k in [["0", "4"], ["2", "6"]][place % 2] {
            let args = [
                "edit", "b.fa", "r.fq", "--mode", "infix", "--format", format, "-k", k,
            ];
            assert_as_single(&files, &args);
            assert_as_single(&files, &[&args[..], &["--strand", "both"]].concat());
        }
    }
}

#[test]
fn reads_that_exceed_the_memory_are_searched_in_blocks() {
    let mut state = 8;
    let barcodes: Vec<_> = (0..3).map(|_| dna(&mut state, 24)).collect();
    let part = dna(&mut state, 1 << 20);
    let read = |read: usize| {
        let (before, behind) = part.split_at(read * 1000);
        format!(
            ">r{read}\n{before}{}{}\n",
            barcodes[read % 3],
            &behind[24..]
        )
    };
    let reads: String = (0..18).map(read).collect();
    let names = (0..).zip(&barcodes);
    let barcodes: String = names
        .map(|(name, barcode)| format!(">b{name}\n{barcode}\n"))
        .collect();
    let files = Files::new(&[("b.fa", barcodes.as_bytes()), ("r.fa", reads.as_bytes())]);
    let args = [
        "edit",
        "b.fa",
        "r.fa",
        "--mode",
        "infix",
        "-k",
        "2",
        "--mem-host",
        "50M",
        "--format",
        "sam",
    ];
    // SAM also tells of the nearest target among all blocks.
    assert_as_single(&files, &args);
}
