//! `swath neighbors`: formats, clusters, parts, devices and invalid input.

use serde_json::json;

use crate::generated::Random;
use crate::process::{Files, contains, each, gpu, gzip};

const UMIS: &str = ">s1;size=9\nACGT\n>s2;size=1\nTTTT\n>s3;size=5\nACGG\n>s4;size=2\nACCG\n>s5;size=2\nAACG\n>s6;size=1\nACGT\n";

fn files() -> Files {
    Files::texts(&[
        ("u.fa", UMIS),
        ("a.txt", "tea\n\nteam\r\nsteam\n"),
        ("b.txt", "team\nx"),
        ("first.txt", "   9 ACGT\n   1 TTTT\n   5 ACGG\n   2 ACCG\n"),
        ("last.txt", "ACGT\t9\nTTTT\t1\nACGG\t5\nACCG\t2\n"),
        (
            "cells.txt",
            "c1\tACGT\t9\nc2\tACGT\t5\nc1\tACGA\t2\nc2\tACGT\t1\n",
        ),
        ("uniq.txt", "   9 c1\tACGT\n   5 c2\tACGT\n   2 c1\tACGA\n"),
        ("strands.txt", "AACG\nCGTT\nAACC\n"),
        ("forms.txt", "form\nfrom\nfarm\n"),
    ])
}

#[test]
fn every_format_has_the_pairs_within_the_distance() {
    let files = files();
    files.print("neighbors", &[
        (
            "u.fa -k 1",
            "s1;size=9\ts3;size=5\t1\ns1;size=9\ts6;size=1\t0\ns3;size=5\ts4;size=2\t1\n\
             s3;size=5\ts6;size=1\t1\ns4;size=2\ts5;size=2\t1\n",
        ),
        ("u.fa -k 0 --positions", "0\t5\t0\n"),
        ("u.fa -k 0 --show positions", "0\t5\t0\n"),
        ("u.fa -k 0 --show strings --ignore-case", "acgt\tacgt\t0\n"),
        ("a.txt -k 1", "0\t2\t1\n2\t3\t1\n"),
        ("a.txt b.txt -k 1", "0\t0\t1\n1\t1\t1\n2\t0\t0\n3\t0\t1\n"),
        ("a.txt -k 2 --measure hamming", "0\t2\t1\n"),
        (
            "a.txt -k 1 --symbols tokens --show strings",
            "tea\t\t1\ntea\tteam\t1\ntea\tsteam\t1\n\tteam\t1\n\tsteam\t1\nteam\tsteam\t1\n",
        ),
        ("forms.txt -k 1 --measure osa", "0\t1\t1\n0\t2\t1\n"),
        ("a.txt b.txt -k 0 --format ndjson", "{\"a\":2,\"b\":0,\"value\":0}\n"),
        (
            "a.txt -k 1 --format mtx",
            "%%MatrixMarket matrix coordinate integer symmetric\n4 4 2\n3 1 1\n4 3 1\n",
        ),
        (
            "a.txt b.txt -k 0 --format mtx",
            "%%MatrixMarket matrix coordinate integer general\n4 2 1\n3 1 0\n",
        ),
        // Columns and equal keys.
        ("cells.txt -k 1 --by 1", "0\t2\t1\n1\t3\t0\n"),
        ("cells.txt -k 0 --by 1,3 --column 2", ""),
        ("cells.txt -k 0 --column 2 --symbols lines", "0\t1\t0\n0\t3\t0\n1\t3\t0\n"),
        ("cells.txt -k 9 --by 2 --show strings", "c1\tc2\t1\nc1\tc2\t1\nc2\tc2\t0\n"),
        (
            "cells.txt cells.txt -k 1 --by 1 --column 2 --show strings",
            "ACGT\tACGT\t0\nACGT\tACGA\t1\nACGT\tACGT\t0\nACGT\tACGT\t0\nACGA\tACGT\t1\n\
             ACGA\tACGA\t0\nACGT\tACGT\t0\nACGT\tACGT\t0\n",
        ),
        // Both strands.
        ("strands.txt -k 1 --strand both", "0\t1\t0\t-\n0\t2\t1\t+\n1\t2\t1\t-\n"),
        (
            "strands.txt strands.txt -k 0 --strand both --show strings",
            "AACG\tAACG\t0\t+\nAACG\tCGTT\t0\t-\nCGTT\tAACG\t0\t-\nCGTT\tCGTT\t0\t+\nAACC\tAACC\t0\t+\n",
        ),
        (
            "strands.txt -k 0 --strand both --format ndjson",
            "{\"a\":0,\"b\":1,\"value\":0,\"strand\":\"-\"}\n",
        ),
        // Distances on the nearer strand, without it.
        (
            "strands.txt -k 1 --strand both --format mtx",
            "%%MatrixMarket matrix coordinate integer symmetric\n3 3 3\n2 1 0\n3 1 1\n3 2 1\n",
        ),
    ]);
    let rows = [
        ("a.txt -k 1", "'shape': (2, 3)", &[0u32, 2, 1, 2, 3, 1][..]),
        (
            "strands.txt -k 1 --strand both",
            "'shape': (3, 4)",
            &[0, 1, 0, 1, 0, 2, 1, 0, 1, 2, 1, 1],
        ),
        (
            "u.fa -k 1 --clusters components",
            "'shape': (6,)",
            &[0, 1, 0, 0, 0, 0],
        ),
    ];
    each(rows, |(args, shape, values)| {
        let run = files.swath(format!("neighbors --format npy {args}"));
        let (header, data) = run.stdout.split_at(run.stdout.len() - 4 * values.len());
        contains(
            &String::from_utf8_lossy(header),
            format!("'descr': '<u4' | {shape}"),
        );
        let values: Vec<u8> = values
            .iter()
            .flat_map(|value| value.to_le_bytes())
            .collect();
        assert_eq!(data, values);
    });
}

#[test]
fn clusters_are_numbered_by_their_first_strings() {
    files().print("neighbors", &[
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
            "forms.txt -k 1 --measure osa --clusters components",
            "0\t0\t0\t3\n1\t0\t0\t3\n2\t0\t0\t3\n",
        ),
        (
            "u.fa -k 1 --clusters components --counts size --members --format ndjson --show strings",
            r#"{"representative":"ACGT","size":19,"members":["ACGT","ACGG","ACCG","AACG","ACGT"]}
{"representative":"TTTT","size":1,"members":["TTTT"]}
"#,
        ),
        (
            "b.txt -k 0 --clusters components --format ndjson",
            r#"{"string":0,"cluster":0,"representative":0,"size":1}
{"string":1,"cluster":1,"representative":1,"size":1}
"#,
        ),
    ]);
}

#[test]
fn parts_join_to_the_whole_and_all_pairs_agree() {
    let files = files();
    let word = |word: usize| format!("{}{}\n", "ab".repeat(word % 5), word * word % 211);
    let words: String = (0..400).map(word).collect();
    files.write("w.txt", &words);
    files.write("w.txt.gz", gzip(words.as_bytes()));
    let whole = |args: &str| files.swath(format!("neighbors {args}")).ok();
    for args in ["w.txt -k 1", "w.txt w.txt -k 2 --format ndjson"] {
        assert_eq!(
            files.swath(format!("pairs {args}")).ok(),
            whole(args),
            "{args}"
        );
    }
    let rows = [
        "w.txt -k 0",
        "w.txt -k 1",
        "w.txt w.txt -k 2 --format ndjson",
        "w.txt u.fa -k 3",
        "u.fa -k 2 --show strings",
        "cells.txt -k 1 --by 1 --column 2",
        "strands.txt -k 1 --strand both --positions",
    ];
    each(rows, |args| {
        let whole = whole(args);
        for count in [1, 2, 3, 7] {
            for part in 0..count {
                files
                    .swath(format!(
                        "neighbors {args} --shard {part}/{count} -o part-{part}"
                    ))
                    .ok();
            }
            // Parts are joined in any order.
            let order = (0..count).map(|part| format!("part-{}", (part + count / 2) % count));
            let parts = order.collect::<Vec<_>>().join(" ");
            assert_eq!(files.swath(format!("join {parts}")).ok(), whole, "{count}");
            assert_eq!(files.swath(format!("join -o joined {parts}")).ok(), "");
            assert_eq!(files.text("joined"), whole, "{count}");
        }
    });
    let piped = files.swath_with_stdin("neighbors - -k 1", words.as_bytes());
    assert_eq!(piped.ok(), whole("w.txt.gz -k 1"));
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
        files.swath(format!("neighbors {args} -o {name}")).ok();
    }
    let part = files.text("0");
    let lines: Vec<_> = part.split_inclusive('\n').collect();
    assert!(lines.len() > 3, "{part}");
    let without = |line: usize| [&lines[..line], &lines[line + 1..]].concat().concat();
    files.write("cut", &part[..part.len() - 3]);
    files.write("endless", without(lines.len() - 1));
    files.write("missing", without(1));
    files.write(
        "swapped",
        [lines[0], lines[2], lines[1]].concat() + &lines[3..].concat(),
    );
    files.write("rest", without(0));
    files.write("empty", "");
    files.fail(
        2,
        "join -o out",
        &[
            ("0 1", "part 2 of 3 is in no file | --shard 2/3"),
            ("2 1", "part 0 of 3 is in no file | --shard 0/3"),
            ("0 1 none", "none: no such file"),
            ("0 1 1 2", "1 and 1 are both part 1 of 3 | once"),
            ("0 of-2 2", "0 and of-2 are not of one call | write one"),
            ("0 far 2", "0 and far are not of one call"),
            ("0 strings 2", "0 and strings are not of one call"),
            ("2 other 0", "0 and other are not of one call"),
            ("by-1 by-3 0", "are not of one call"),
            ("0 whole", "whole is a file of rows | but 0 is a part"),
            ("0 rest", "rest is a file of rows | but 0 is a part"),
            ("0 1 empty", "empty is an empty file, but 0 is a part"),
            ("cut 1 2", "cut ends within a line | write this part again"),
            ("endless 1 2", "endless ends within a line"),
            ("missing 1 2", "missing: line  | write this part again"),
            ("swapped 1 2", "swapped: line 3 is not the next pair"),
        ],
    );
    assert!(!files.path("out").exists());
    assert_eq!(files.swath("join 2 0 1").ok(), files.text("whole"));
}

#[test]
fn summaries_and_plans_tell_numbers_of_pairs() {
    let files = files();
    files
        .swath("neighbors u.fa -k 1 -o out.tsv --json")
        .has(json!({
            "schema": "swath/neighbors/1", "problem": "neighbors", "max_distance": 1, "pairs": 5,
            "device": "cpu", "a": {"name": "u.fa", "strings": 6, "symbols": 24},
        }));
    assert_eq!(
        files.text("out.tsv"),
        files.swath("neighbors u.fa -k 1").ok()
    );
    files
        .swath("neighbors u.fa -k 1 -o out.tsv --clusters components --json")
        .has(json!({"clusters": 2}));
    files
        .swath("neighbors u.fa -k 1 --dry-run --json")
        .has(json!({"schema": "swath/neighbors-plan/1", "expected_pairs": 5}));
    files
        .swath("neighbors u.fa -k 1 --dry-run")
        .shows("expected pairs  5\n");
    files
        .swath("neighbors u.fa -k 1 --progress always")
        .notes("pairs           5\n | 100 %");
    // Many pairs are announced before the work.
    files.write("equal.txt", "ACGT\n".repeat(50_000));
    files
        .swath("neighbors equal.txt -k 2 --dry-run")
        .shows("expected pairs  1249975000\n");
    let clusters = files
        .swath("neighbors equal.txt -k 2 --clusters components")
        .ok();
    assert!(clusters.lines().all(|line| line.ends_with("\t0\t0\t50000")));
    // All copies are of part 0.
    let part = files.swath("neighbors equal.txt -k 0 --shard 1/2").ok();
    assert_eq!(part.lines().last(), Some("#end, pairs 0"));
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
        files.write(name, text);
    }
    files.fail(
        2,
        "neighbors -k 1",
        &[
            ("none.fa", "none.fa: no such file"),
            ("- -", "'-' is given twice"),
            ("u.fa --json", "--json | --output FILE"),
            ("u.fa -o u.fa", "u.fa, an input, which would be lost"),
            (
                "u.fa --clusters components --format mtx",
                "--format mtx | tsv, ndjson or npy",
            ),
            ("u.fa --format npy --shard 0/2", "--shard"),
            (
                "u.fa --clusters components --members --format npy",
                "--members | tsv or ndjson",
            ),
            (
                "cells.txt --by 4",
                "cells.txt:1: no column 4 | the line has 3 | --by and --column",
            ),
            (
                "cells.txt a.txt --by 1",
                "a.txt:1: no column 2 | between tabs | the line has 1",
            ),
            (
                "u.fa --by 1",
                "u.fa has records | --by | --symbols lines | seqkit fx2tab",
            ),
            (
                "strands.txt rna.txt --strand both",
                "rna.txt:2: 'U' at position 1 | no letter of DNA | --strand forward",
            ),
            (
                "strands.txt --strand both --symbols chars",
                "--strand both is for DNA in bytes | --symbols bytes",
            ),
            (
                "odd.txt --clusters directional --counts last",
                "odd.txt:2: no number after the string | 'ACGT 12'",
            ),
            (
                "great.txt --clusters directional --counts last",
                "great.txt:2 | '18446744073709551616' is no whole number below 2^64",
            ),
            (
                "great.fa --clusters directional --counts size",
                "record 'x;size=18446744073709551616' | no whole number below 2^64",
            ),
            (
                "blank.fa --clusters directional --counts size",
                "blank.fa, record 'x' | no annotation ';size=N' | before the first blank",
            ),
            (
                "odd.txt --clusters directional --counts size",
                "odd.txt has lines without names",
            ),
            (
                "u.fa --clusters directional --counts first",
                "u.fa has records | --counts size",
            ),
        ],
    );
    files.fail(
        4,
        "neighbors u.fa -k 1",
        &[
            ("--mem-host 10", "--mem-host"),
            ("--mem-host 400", "the tables of the strings"),
        ],
    );
    let rows = [
        ("u.fa", "--max-distance"),
        ("u.fa -k -1", "give a whole number from 0 on"),
        ("u.fa -k 1 --counts size", "--clusters"),
        ("u.fa -k 1 --members", "--clusters"),
        ("u.fa -k 1 --by 0", "give a whole number from 1 on"),
        ("u.fa -k 1 --positions --show strings", "--show"),
        ("u.fa -k 1 --strand reverse", "forward, both"),
        ("u.fa b.txt -k 1 --clusters components", "[B]"),
        ("u.fa -k 1 --shard 3/3", "from 0 to 2"),
    ];
    each(rows, |(args, part)| {
        assert_eq!(
            files.swath(format!("neighbors {args}")).notes(part).code,
            Some(2)
        );
    });
}

#[test]
fn a_gpu_writes_the_bytes_of_the_cpu_and_is_named() {
    let Some(gpu) = gpu() else { return };
    let mut random = Random(3);
    let lines: Vec<_> = (0..800)
        .map(|line| random.dna_text(6 + line % 5) + "\n")
        .collect();
    let keyed = (0..)
        .zip(&lines)
        .map(|(key, line)| format!("{}\t{line}", key % 2));
    let files = Files::texts(&[
        ("lines.txt", &lines.concat()),
        ("keyed.txt", &keyed.collect::<String>()),
    ]);
    let rows = [
        "lines.txt -k 2",
        "lines.txt -k 2 --clusters components",
        "lines.txt -k 2 --strand both",
        "keyed.txt -k 2 --by 1 --strand both",
        "lines.txt -k 1 --format mtx",
    ];
    each(rows, |args| {
        let [on_cpu, on_gpu] = ["cpu", &gpu].map(|device| {
            files
                .swath(format!("neighbors {args} --device {device}"))
                .ok()
        });
        assert!(on_cpu.len() > 1000);
        assert_eq!(on_gpu, on_cpu);
    });
    for device in ["cpu", &gpu] {
        let report = files
            .swath(format!(
                "neighbors lines.txt -k 2 --json --device {device} -o rows.tsv"
            ))
            .json();
        assert_eq!(report["device"] == "cpu", device == "cpu", "{report}");
    }
}
