//! `swath neighbors`: formats, clusters, parts, devices and invalid input.

use std::fs;

use serde_json::Value;

use crate::process::{Files, gpu, gzip, swath};

const UMIS: &[u8] = b">s1;size=9\nACGT\n>s2;size=1\nTTTT\n>s3;size=5\nACGG\n>s4;size=2\nACCG\n>s5;size=2\nAACG\n>s6;size=1\nACGT\n";

fn files() -> Files {
    Files::new(&[
        ("u.fa", UMIS),
        ("a.txt", b"tea\n\nteam\r\nsteam\n"),
        ("b.txt", b"team\nx"),
        ("first.txt", b"   9 ACGT\n   1 TTTT\n   5 ACGG\n   2 ACCG\n"),
        ("last.txt", b"ACGT\t9\nTTTT\t1\nACGG\t5\nACCG\t2\n"),
        (
            "cells.txt",
            b"c1\tACGT\t9\nc2\tACGT\t5\nc1\tACGA\t2\nc2\tACGT\t1\n",
        ),
        ("uniq.txt", b"   9 c1\tACGT\n   5 c2\tACGT\n   2 c1\tACGA\n"),
        ("strands.txt", b"AACG\nCGTT\nAACC\n"),
        ("forms.txt", b"form\nfrom\nfarm\n"),
    ])
}

fn neighbors(files: &Files, args: &str) -> String {
    let args: Vec<_> = args.split_whitespace().collect();
    files.swath(&[&["neighbors"], &args[..]].concat()).ok()
}

#[test]
fn every_format_has_the_pairs_within_the_distance() {
    let files = files();
    for (args, expected) in [
        (
            "u.fa -k 1",
            "s1;size=9\ts3;size=5\t1\ns1;size=9\ts6;size=1\t0\ns3;size=5\ts4;size=2\t1\n\
             s3;size=5\ts6;size=1\t1\ns4;size=2\ts5;size=2\t1\n",
        ),
        ("u.fa -k 0 --positions", "0\t5\t0\n"),
        ("a.txt -k 1", "0\t2\t1\n2\t3\t1\n"),
        ("a.txt b.txt -k 1", "0\t0\t1\n1\t1\t1\n2\t0\t0\n3\t0\t1\n"),
        ("a.txt -k 2 --measure hamming", "0\t2\t1\n"),
        ("forms.txt -k 1 --measure osa", "0\t1\t1\n0\t2\t1\n"),
        (
            "forms.txt -k 1 --measure osa --clusters components",
            "0\t0\t0\t3\n1\t0\t0\t3\n2\t0\t0\t3\n",
        ),
        (
            "a.txt b.txt -k 0 --format ndjson",
            "{\"a\":2,\"b\":0,\"value\":0}\n",
        ),
        (
            "a.txt -k 1 --format mtx",
            "%%MatrixMarket matrix coordinate integer symmetric\n4 4 2\n3 1 1\n4 3 1\n",
        ),
        (
            "a.txt b.txt -k 0 --format mtx",
            "%%MatrixMarket matrix coordinate integer general\n4 2 1\n3 1 0\n",
        ),
    ] {
        assert_eq!(neighbors(&files, args), expected, "{args}");
    }
    for (args, shape, rows) in [
        ("a.txt -k 1", "(2, 3)", &[0, 2, 1, 2, 3, 1][..]),
        (
            "strands.txt -k 1 --strand both",
            "(3, 4)",
            &[0, 1, 0, 1, 0, 2, 1, 0, 1, 2, 1, 1],
        ),
    ] {
        let args: Vec<_> = args.split(' ').collect();
        let run = files.swath(&[&["neighbors", "--format", "npy"], &args[..]].concat());
        let (header, data) = run.stdout.split_at(run.stdout.len() - 4 * rows.len());
        let header = String::from_utf8_lossy(header);
        assert!(header.contains("'descr': '<u4'") && header.contains(&format!("'shape': {shape}")));
        let rows: Vec<u8> = rows.iter().copied().flat_map(u32::to_le_bytes).collect();
        assert_eq!(data, rows, "{args:?}");
    }
}

#[test]
fn strings_of_equal_keys_are_compared_on_both_strands_and_shown_as_text() {
    let files = files();
    for (args, expected) in [
        ("cells.txt -k 1 --by 1", "0\t2\t1\n1\t3\t0\n"),
        ("cells.txt -k 0 --by 1,3 --column 2", ""),
        (
            "cells.txt -k 0 --column 2 --symbols lines",
            "0\t1\t0\n0\t3\t0\n1\t3\t0\n",
        ),
        (
            "cells.txt -k 9 --by 2 --show strings",
            "c1\tc2\t1\nc1\tc2\t1\nc2\tc2\t0\n",
        ),
        (
            "cells.txt cells.txt -k 1 --by 1 --column 2 --show strings",
            "ACGT\tACGT\t0\nACGT\tACGA\t1\nACGT\tACGT\t0\nACGT\tACGT\t0\nACGA\tACGT\t1\n\
             ACGA\tACGA\t0\nACGT\tACGT\t0\nACGT\tACGT\t0\n",
        ),
        (
            "a.txt -k 1 --symbols tokens --show strings",
            "tea\t\t1\ntea\tteam\t1\ntea\tsteam\t1\n\tteam\t1\n\tsteam\t1\nteam\tsteam\t1\n",
        ),
        ("u.fa -k 0 --show strings --ignore-case", "acgt\tacgt\t0\n"),
        ("u.fa -k 0 --show positions", "0\t5\t0\n"),
        (
            "strands.txt -k 1 --strand both",
            "0\t1\t0\t-\n0\t2\t1\t+\n1\t2\t1\t-\n",
        ),
        (
            "strands.txt strands.txt -k 0 --strand both --show strings",
            "AACG\tAACG\t0\t+\nAACG\tCGTT\t0\t-\nCGTT\tAACG\t0\t-\nCGTT\tCGTT\t0\t+\nAACC\tAACC\t0\t+\n",
        ),
        (
            "strands.txt -k 0 --strand both --format ndjson",
            "{\"a\":0,\"b\":1,\"value\":0,\"strand\":\"-\"}\n",
        ),
        (
            // Distances on the nearer strand, without it.
            "strands.txt -k 1 --strand both --format mtx",
            "%%MatrixMarket matrix coordinate integer symmetric\n3 3 3\n2 1 0\n3 1 1\n3 2 1\n",
        ),
    ] {
        assert_eq!(neighbors(&files, args), expected, "{args}");
    }
}

#[test]
fn clusters_are_numbered_by_their_first_strings() {
    let files = files();
    for (args, expected) in [
        (
            "first.txt -k 1 --clusters directional --counts first",
            "0\t0\t0\t16\n1\t1\t1\t1\n2\t0\t0\t16\n3\t0\t0\t16\n",
        ),
        (
            "last.txt -k 1 --clusters directional --counts last",
            "0\t0\t0\t16\n1\t1\t1\t1\n2\t0\t0\t16\n3\t0\t0\t16\n",
        ),
        (
            "u.fa -k 1 --clusters directional --counts size --positions",
            "0\t0\t0\t17\n1\t1\t1\t1\n2\t0\t0\t17\n3\t0\t0\t17\n4\t2\t4\t2\n5\t0\t0\t17\n",
        ),
        (
            "u.fa -k 1 --clusters components --positions",
            "0\t0\t0\t5\n1\t1\t1\t1\n2\t0\t0\t5\n3\t0\t0\t5\n4\t0\t0\t5\n5\t0\t0\t5\n",
        ),
        (
            "cells.txt -k 1 --by 1 --clusters directional --counts last",
            "0\t0\t0\t11\n1\t1\t1\t6\n2\t0\t0\t11\n3\t1\t1\t6\n",
        ),
        (
            "uniq.txt -k 1 --by 1 --clusters components --counts first --members --show strings",
            "ACGT\t11\tACGT,ACGA\nACGT\t5\tACGT\n",
        ),
        (
            "strands.txt -k 0 --strand both --clusters components",
            "0\t0\t0\t2\n1\t0\t0\t2\n2\t1\t2\t1\n",
        ),
        (
            "u.fa -k 1 --clusters components --counts size --members --format ndjson --show strings",
            "{\"representative\":\"ACGT\",\"size\":19,\"members\":[\"ACGT\",\"ACGG\",\"ACCG\",\"AACG\",\"ACGT\"]}\n\
             {\"representative\":\"TTTT\",\"size\":1,\"members\":[\"TTTT\"]}\n",
        ),
        (
            "a.txt -k 0 --clusters components --format ndjson",
            "{\"string\":0,\"cluster\":0,\"representative\":0,\"size\":1}\n\
             {\"string\":1,\"cluster\":1,\"representative\":1,\"size\":1}\n\
             {\"string\":2,\"cluster\":2,\"representative\":2,\"size\":1}\n\
             {\"string\":3,\"cluster\":3,\"representative\":3,\"size\":1}\n",
        ),
    ] {
        assert_eq!(neighbors(&files, args), expected, "{args}");
    }
    let run = files.swath(&[
        "neighbors",
        "u.fa",
        "-k",
        "1",
        "--clusters",
        "components",
        "--format",
        "npy",
    ]);
    let data = [0u32, 1, 0, 0, 0, 0].map(u32::to_le_bytes).concat();
    assert!(run.stdout.ends_with(&data));
}

#[test]
fn parts_join_to_the_whole_and_all_pairs_agree() {
    let files = files();
    let words: String = (0..400)
        .map(|word| format!("{}{}\n", "ab".repeat(word % 5), word * word % 211))
        .collect();
    fs::write(files.path("w.txt"), &words).expect("a file");
    fs::write(files.path("w.txt.gz"), gzip(words.as_bytes())).expect("a file");
    for args in ["w.txt -k 1", "w.txt w.txt -k 2 --format ndjson"] {
        let all = files.swath(&[&["pairs"], &args.split(' ').collect::<Vec<_>>()[..]].concat());
        assert_eq!(all.ok(), neighbors(&files, args), "{args}");
    }
    for args in [
        "w.txt -k 0",
        "w.txt -k 1",
        "w.txt w.txt -k 2 --format ndjson",
        "w.txt u.fa -k 3",
        "u.fa -k 2 --show strings",
        "cells.txt -k 1 --by 1 --column 2",
        "strands.txt -k 1 --strand both --positions",
    ] {
        let whole = neighbors(&files, args);
        for count in [1, 2, 3, 7] {
            let mut parts: Vec<_> = (0..count).map(|part| format!("part-{part}")).collect();
            for (part, name) in parts.iter().enumerate() {
                neighbors(&files, &format!("{args} --shard {part}/{count} -o {name}"));
            }
            // Parts are joined in any order.
            parts.rotate_left(count / 2);
            let parts: Vec<_> = parts.iter().map(String::as_str).collect();
            let joined = files.swath(&[&["join"], &parts[..]].concat());
            assert_eq!(joined.ok(), whole, "{args} in {count}");
            let joined = files.swath(&[&["join", "-o", "joined"], &parts[..]].concat());
            assert_eq!(joined.ok(), "");
            let joined = fs::read_to_string(files.path("joined")).expect("it is there");
            assert_eq!(joined, whole, "{args} in {count}");
        }
    }
    let piped = files.swath_with_stdin(&["neighbors", "-", "-k", "1"], words.as_bytes());
    assert_eq!(piped.ok(), neighbors(&files, "w.txt.gz -k 1"));
}

#[test]
fn parts_that_do_not_fit_are_named() {
    let files = files();
    for (name, args) in [
        ("whole", "u.fa -k 1"),
        ("0", "u.fa -k 1 --shard 0/3"),
        ("1", "u.fa -k 1 --shard 1/3"),
        ("2", "u.fa -k 1 --shard 2/3"),
        ("of-2", "u.fa -k 1 --shard 1/2"),
        ("far", "u.fa -k 2 --shard 1/3"),
        ("strings", "u.fa -k 1 --show strings --shard 1/3"),
        ("other", "a.txt -k 1 --shard 1/3"),
        ("by-1", "cells.txt -k 1 --by 1 --column 2 --shard 1/3"),
        ("by-3", "cells.txt -k 1 --by 3 --column 2 --shard 2/3"),
    ] {
        neighbors(&files, &format!("{args} -o {name}"));
    }
    let part = fs::read_to_string(files.path("0")).expect("it is there");
    let lines: Vec<_> = part.split_inclusive('\n').collect();
    assert!(lines.len() > 3, "{part}");
    let without = |line: usize| [&lines[..line], &lines[line + 1..]].concat().concat();
    let swapped = [lines[0], lines[2], lines[1]].concat() + &lines[3..].concat();
    for (name, text) in [
        ("cut", &part[..part.len() - 3]),
        ("endless", &without(lines.len() - 1)),
        ("missing", &without(1)),
        ("swapped", &swapped),
        ("rest", &without(0)),
        ("empty", ""),
    ] {
        fs::write(files.path(name), text).expect("a file");
    }
    for (args, parts) in [
        ("0 1", &["part 2 of 3 is in no file", "--shard 2/3"][..]),
        ("2 1", &["part 0 of 3 is in no file", "--shard 0/3"]),
        ("0 1 none", &["none: no such file"]),
        ("0 1 1 2", &["1 and 1 are both part 1 of 3", "once"]),
        ("0 of-2 2", &["0 and of-2 are not of one call", "write one"]),
        ("0 far 2", &["0 and far are not of one call"]),
        ("0 strings 2", &["0 and strings are not of one call"]),
        ("2 other 0", &["0 and other are not of one call"]),
        ("by-1 by-3 0", &["are not of one call"]),
        ("0 whole", &["whole is a file of rows", "but 0 is a part"]),
        ("0 rest", &["rest is a file of rows", "but 0 is a part"]),
        ("0 1 empty", &["empty is an empty file, but 0 is a part"]),
        (
            "cut 1 2",
            &["cut ends within a line", "write this part again"],
        ),
        ("endless 1 2", &["endless ends within a line"]),
        ("missing 1 2", &["missing: line ", "write this part again"]),
        ("swapped 1 2", &["swapped: line 3 is not the next pair"]),
    ] {
        let args: Vec<_> = args.split(' ').collect();
        files
            .swath(&[&["join", "-o", "out"], &args[..]].concat())
            .fails(2, parts);
        assert!(!files.path("out").exists(), "{args:?}");
    }
    let joined = files.swath(&["join", "2", "0", "1"]);
    assert_eq!(joined.ok(), neighbors(&files, "u.fa -k 1"));
}

#[test]
fn summaries_and_plans_tell_numbers_of_pairs() {
    let files = files();
    let rows = neighbors(&files, "u.fa -k 1");
    let summary = neighbors(&files, "u.fa -k 1 -o out.tsv --json");
    let summary: Value = serde_json::from_str(&summary).expect("one object");
    assert_eq!(fs::read_to_string(files.path("out.tsv")).expect("it"), rows);
    for (key, value) in [
        ("schema", "swath/neighbors/1".into()),
        ("problem", "neighbors".into()),
        ("max_distance", 1.into()),
        ("pairs", 5.into()),
        ("device", "cpu".into()),
        (
            "a",
            serde_json::json!({"name": "u.fa", "strings": 6, "symbols": 24}),
        ),
    ] {
        assert_eq!(summary[key], value, "{key}");
    }
    let clusters = neighbors(&files, "u.fa -k 1 -o out.tsv --clusters components --json");
    let clusters: Value = serde_json::from_str(&clusters).expect("one object");
    assert_eq!(clusters["clusters"], 2);
    let plan = files
        .swath(&["neighbors", "u.fa", "-k", "1", "--dry-run", "--json"])
        .json();
    assert_eq!(
        (&plan["schema"], &plan["expected_pairs"]),
        (&"swath/neighbors-plan/1".into(), &5.into())
    );
    assert!(neighbors(&files, "u.fa -k 1 --dry-run").contains("expected pairs  5\n"));
    let summary = files.swath(&["neighbors", "u.fa", "-k", "1", "--progress", "always"]);
    assert!(summary.stderr.contains("pairs           5\n") && summary.stderr.contains("100 %"));
}

#[test]
fn many_pairs_are_announced_before_the_work() {
    let files = files();
    fs::write(files.path("equal.txt"), "ACGT\n".repeat(50_000)).expect("a file");
    let plan = neighbors(&files, "equal.txt -k 2 --dry-run");
    assert!(plan.contains("expected pairs  1249975000\n"), "{plan}");
    let clusters = neighbors(&files, "equal.txt -k 2 --clusters components");
    assert!(clusters.lines().all(|line| line.ends_with("\t0\t0\t50000")));
    let part = files.swath(&["neighbors", "equal.txt", "-k", "0", "--shard", "1/2"]);
    // All copies are of part 0.
    assert_eq!(part.ok().lines().last(), Some("#end, pairs 0"));
}

#[test]
fn invalid_calls_name_the_place_and_the_way_out() {
    let files = files();
    for (name, text) in [
        ("odd.txt", "ACGT 9\nACGG\n"),
        ("great.txt", "ACGT 9\nACGG 18446744073709551616\n"),
        ("great.fa", ">x;size=18446744073709551616\nACGT\n"),
        ("blank.fa", ">x ;size=3\nACGT\n"),
        ("rna.txt", "ACGT\nAUGT\n"),
    ] {
        fs::write(files.path(name), text).expect("a file");
    }
    for (args, code, parts) in [
        ("none.fa -k 1", 2, &["none.fa: no such file"][..]),
        ("- - -k 1", 2, &["'-' is given twice"]),
        ("u.fa -k 1 --json", 2, &["--json", "--output FILE"]),
        (
            "u.fa -k 1 -o u.fa",
            2,
            &["u.fa, an input, which would be lost"],
        ),
        (
            "u.fa -k 1 --clusters components --format mtx",
            2,
            &["--format mtx", "tsv, ndjson or npy"],
        ),
        ("u.fa -k 1 --format npy --shard 0/2", 2, &["--shard"]),
        (
            "u.fa -k 1 --clusters components --members --format npy",
            2,
            &["--members", "tsv or ndjson"],
        ),
        (
            "cells.txt -k 1 --by 4",
            2,
            &[
                "cells.txt:1: no column 4",
                "the line has 3",
                "--by and --column",
            ],
        ),
        (
            "cells.txt a.txt -k 1 --by 1",
            2,
            &["a.txt:1: no column 2", "between tabs", "the line has 1"],
        ),
        (
            "u.fa -k 1 --by 1",
            2,
            &[
                "u.fa has records",
                "--by",
                "--symbols lines",
                "seqkit fx2tab",
            ],
        ),
        (
            "strands.txt rna.txt -k 1 --strand both",
            2,
            &[
                "rna.txt:2: 'U' at position 1",
                "no letter of DNA",
                "--strand forward",
            ],
        ),
        (
            "strands.txt -k 1 --strand both --symbols chars",
            2,
            &["--strand both is for DNA in bytes", "--symbols bytes"],
        ),
        (
            "odd.txt -k 1 --clusters directional --counts last",
            2,
            &["odd.txt:2: no number after the string", "'ACGT 12'"],
        ),
        (
            "great.txt -k 1 --clusters directional --counts last",
            2,
            &[
                "great.txt:2",
                "'18446744073709551616' is no whole number below 2^64",
            ],
        ),
        (
            "great.fa -k 1 --clusters directional --counts size",
            2,
            &[
                "record 'x;size=18446744073709551616'",
                "no whole number below 2^64",
            ],
        ),
        (
            "blank.fa -k 1 --clusters directional --counts size",
            2,
            &[
                "blank.fa, record 'x'",
                "no annotation ';size=N'",
                "before the first blank",
            ],
        ),
        (
            "odd.txt -k 1 --clusters directional --counts size",
            2,
            &["odd.txt has lines without names"],
        ),
        (
            "u.fa -k 1 --clusters directional --counts first",
            2,
            &["u.fa has records", "--counts size"],
        ),
        ("u.fa -k 1 --mem-host 10", 4, &["--mem-host"]),
        (
            "u.fa -k 1 --mem-host 400",
            4,
            &["the tables of the strings"],
        ),
    ] {
        let args: Vec<_> = args.split_whitespace().collect();
        let run = files.swath(&[&["neighbors"], &args[..]].concat());
        run.fails(code, parts);
    }
    for (args, part) in [
        ("u.fa", "--max-distance"),
        ("u.fa -k -1", "give a whole number from 0 on"),
        ("u.fa -k 1 --counts size", "--clusters"),
        ("u.fa -k 1 --members", "--clusters"),
        ("u.fa -k 1 --by 0", "give a whole number from 1 on"),
        ("u.fa -k 1 --positions --show strings", "--show"),
        ("u.fa -k 1 --strand reverse", "forward, both"),
        ("u.fa b.txt -k 1 --clusters components", "[B]"),
        ("u.fa -k 1 --shard 3/3", "from 0 to 2"),
    ] {
        let args: Vec<_> = args.split_whitespace().collect();
        let run = swath(&[&["neighbors"], &args[..]].concat());
        assert_eq!(run.code, Some(2), "{args:?}");
        assert!(run.stderr.contains(part), "{args:?}: {}", run.stderr);
    }
}

#[test]
fn a_gpu_writes_the_bytes_of_the_cpu_and_is_named() {
    let Some(gpu) = gpu() else { return };
    let mut letters = (0u32..).map(|at| b"ACGT"[(at.wrapping_mul(2_654_435_769) >> 30) as usize]);
    let lines: Vec<String> = (0..600)
        .map(|line| {
            let mut line: Vec<u8> = letters.by_ref().take(8 + line % 5).collect();
            line.push(b'\n');
            String::from_utf8_lossy(&line).into_owned()
        })
        .collect();
    let keyed: String = (0..)
        .zip(&lines)
        .map(|(key, line)| format!("{}\t{line}", key % 2))
        .collect();
    let lines = lines.concat();
    let files = Files::new(&[
        ("lines.txt", lines.as_bytes()),
        ("keyed.txt", keyed.as_bytes()),
    ]);
    for args in [
        "lines.txt -k 2",
        "lines.txt -k 2 --clusters components",
        "lines.txt -k 2 --strand both",
        "keyed.txt -k 2 --by 1 --strand both",
        "lines.txt -k 1 --format mtx",
    ] {
        let of = |device: &str| neighbors(&files, &format!("{args} --device {device}"));
        let on_cpu = of("cpu");
        assert!(on_cpu.len() > 1000, "{args}");
        assert_eq!(of(&gpu), on_cpu, "{args}");
    }
    let report = |device: &str| -> Value {
        let args = format!("lines.txt -k 2 --json --device {device} -o rows.tsv");
        serde_json::from_str(&neighbors(&files, &args)).expect("JSON")
    };
    assert_eq!(report("cpu")["device"], "cpu");
    assert_ne!(report(&gpu)["device"], "cpu");
}
