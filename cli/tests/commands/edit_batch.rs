//! `swath edit` of many pairs, beside calls of one pair and of one thread.

use serde_json::Value;

use crate::generated::{Random, reverse_complement};
use crate::process::{Dir, each};

/// Compares the output of few calls for all pairs, on stdout and in a file, with that of a call for
/// each pair.
#[track_caller]
fn assert_as_single(dir: &Dir, call: &str) {
    let printed = dir.swath(call);
    assert_eq!(printed.code, Some(0), "{}", printed.stderr);
    let written = |options: &str| {
        let run = dir.swath(format!("{call} -o out --exit-code {options}"));
        let file = std::fs::read(dir.path("out")).ok();
        file.iter().for_each(|_| dir.remove("out"));
        let lines = String::from_utf8(run.stdout).expect("text");
        let is_fact = |line: &&str| {
            ["pairs ", "a ", "b "]
                .iter()
                .any(|fact| line.starts_with(fact))
        };
        let facts: Vec<_> = lines.lines().filter(is_fact).map(str::to_string).collect();
        assert_eq!(facts.len(), 3, "{lines}");
        (run.code, run.stderr, file, facts)
    };
    let together = written("");
    // A method by name has a call for each pair.
    let single = written("--method bit-parallel");
    assert!(together == single, "{call}\n{together:?}\n{single:?}");
    let (_, stderr, file, _) = together;
    match file {
        Some(file) => {
            assert!(file == printed.stdout, "{call}");
            assert_eq!(stderr, printed.stderr);
        }
        None => assert!(stderr.ends_with(", and out stays as it is\n")),
    }
}

/// Named records.
fn records(name: &str, sequences: impl IntoIterator<Item = String>) -> String {
    let record = |(place, text)| format!(">{name}{place}\n{text}\n");
    (0..).zip(sequences).map(record).collect()
}

#[test]
fn alignments_of_many_pairs_are_those_of_single_ones() {
    let words = |step: usize| {
        let word = |word: usize| "ACGTTGCAACCATG"[word * step % 7..][..word * step % 8].to_string();
        records("r", (0..9).map(word))
    };
    let dir = Dir::texts(&[
        ("q.fa", &words(3)),
        ("t.fa", &words(5)),
        ("filled.fa", &words(5).replace("\n\n", "\nG\n")),
    ]);
    let options = [
        "",
        "-k 2",
        "--ignore-case",
        "--strand both",
        "--strand both -k 1",
        "--starts",
    ];
    let formats = [
        "paf", "sam", "bam", "cigar", "cigarx", "ops", "text", "diff",
    ];
    each(formats.into_iter().enumerate(), |(place, format)| {
        for (turn, options) in options.into_iter().enumerate() {
            // Each format and each option comes in both modes.
            let is_infix = options == "--starts" || (place + turn).is_multiple_of(2);
            let mode = if is_infix { "infix" } else { "prefix" };
            // SAM and BAM have no empty targets.
            let is_empty = !matches!(format, "sam" | "bam");
            let targets = if is_empty { "t.fa" } else { "filled.fa" };
            let call = format!("edit q.fa {targets} --mode {mode} --format {format} {options}");
            assert_as_single(&dir, &call);
        }
    });
}

#[test]
fn answers_on_several_threads_are_those_of_one() {
    let letters = |place: usize, len: usize| -> String {
        (0..len + place % 5)
            .map(|at| char::from(b"ACGT"[at * (place + 3) % 11 % 4]))
            .collect()
    };
    let dir = Dir::texts(&[
        (
            "q.fa",
            &records("r", (0..40).map(|place| letters(place, 9))),
        ),
        (
            "t.fa",
            &records("r", (0..30).map(|place| letters(place, 60))),
        ),
    ]);
    // Without fields and lines of times.
    let untimed = |out: &[u8]| -> String {
        let lines = str::from_utf8(out).expect("text").lines();
        let line = |line: &str| match serde_json::from_str(line) {
            Ok(Value::Object(mut object)) => {
                object.retain(|key, _| {
                    !["seconds", "cells_per_second", "phases"].contains(&&key[..])
                });
                format!("{}\n", Value::Object(object))
            }
            _ if line.starts_with("time ") || line.starts_with("speed ") => "\n".to_string(),
            _ => format!("{line}\n"),
        };
        lines.map(line).collect()
    };
    let options = [
        "--json",
        "",
        "--json -k 3 --exit-code",
        "--format json -k 3",
        "--format sam --strand both",
        "--format cigar --gaps left",
    ];
    each(options, |options| {
        for mode in ["infix", "prefix"] {
            let [one, several] = ["1", "3"].map(|threads| {
                dir.swath(format!(
                    "edit q.fa t.fa --mode {mode} {options} --threads {threads}"
                ))
            });
            assert_eq!(
                (&several.stderr, several.code),
                (&one.stderr, one.code),
                "{mode}"
            );
            assert!(one.stdout.len() > 1000, "{mode}");
            assert_eq!(untimed(&several.stdout), untimed(&one.stdout), "{mode}");
        }
    });
}

#[test]
fn reads_beyond_the_memory_are_searched_in_blocks() {
    let mut random = Random(8);
    let barcodes: Vec<_> = (0..3).map(|_| random.dna_text(24)).collect();
    let part = random.dna_text(1 << 20);
    let read = |read: usize| {
        let (before, after) = part.split_at(read * 1000);
        [before, &barcodes[read % 3], &after[24..]].concat()
    };
    let reads = records("r", (0..18).map(read));
    let dir = Dir::texts(&[("b.fa", &records("b", barcodes.clone())), ("r.fa", &reads)]);
    // SAM also tells of the nearest target among all blocks.
    assert_as_single(
        &dir,
        "edit b.fa r.fa --mode infix -k 2 --mem-host 50M --format sam",
    );
}

#[test]
fn barcodes_of_both_strands_are_found_in_reads() {
    let mut random = Random(5);
    let barcodes: Vec<_> = (0..24)
        .map(|place| random.dna_text(22 + place % 4))
        .collect();
    let read = |read: usize| {
        let mut copy = random.edited(barcodes[read * 7 % 24].as_bytes(), 8);
        if read % 2 == 1 {
            copy = reverse_complement(&copy);
        }
        let mut text = random.dna_text(400);
        text.insert_str([0, 120, 400][read % 3], &crate::generated::text(&copy));
        format!("@r{read}\n{text}\n+\n{}\n", "I".repeat(text.len()))
    };
    let reads: String = (0..60).map(read).collect();
    let dir = Dir::texts(&[("b.fa", &records("b", barcodes.clone())), ("r.fq", &reads)]);
    each(
        [
            "paf -k 0",
            "paf -k 4",
            "sam -k 6",
            "bam -k 4",
            "cigarx -k 2",
        ],
        |format| {
            let call = format!("edit b.fa r.fq --mode infix --format {format}");
            assert_as_single(&dir, &call);
            assert_as_single(&dir, &format!("{call} --strand both"));
        },
    );
}
