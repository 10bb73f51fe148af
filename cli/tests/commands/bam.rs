//! `--format bam`, read back and compared with `--format sam`.

use std::process::Command;

use noodles_bam as bam;
use noodles_sam::{self as sam, alignment::io::Write as _};

use crate::process::{Files, swath};

/// The last block of a complete file, from the specification.
const END: [u8; 28] = [
    0x1f, 0x8b, 8, 4, 0, 0, 0, 0, 0, 0xff, 6, 0, b'B', b'C', 2, 0, 0x1b, 0, 3, 0, 0, 0, 0, 0, 0, 0,
    0, 0,
];

/// The file as text.
fn text_of(mut file: &[u8]) -> String {
    assert!(file.ends_with(&END), "the file is complete");
    let mut reader = bam::io::Reader::new(&mut file);
    let header = reader.read_header().expect("a header");
    let mut writer = sam::io::Writer::new(Vec::new());
    writer.write_header(&header).expect("memory takes it");
    for record in reader.record_bufs(&header) {
        let record = record.expect("a record");
        writer
            .write_alignment_record(&header, &record)
            .expect("memory takes it");
    }
    without_command(&String::from_utf8(writer.into_inner()).expect("text"))
}

/// The lines except that of the program, which may name the format and the file.
fn without_command(text: &str) -> String {
    let lines = text.lines().filter(|line| !line.starts_with("@PG"));
    lines.map(|line| format!("{line}\n")).collect()
}

/// The file as samtools reads it; `None` without samtools.
fn by_samtools(files: &Files, name: &str) -> Option<String> {
    let mut view = Command::new("samtools");
    let view = view
        .args(["view", "-h", "--no-PG", name])
        .current_dir(&files.0);
    let Ok(output) = view.output() else {
        eprintln!("skipped: samtools is not installed");
        return None;
    };
    assert!(
        output.status.success() && output.stderr.is_empty(),
        "{output:?}"
    );
    let text = String::from_utf8(output.stdout).expect("text");
    Some(without_command(&text))
}

/// Compares BAM on stdout and in a file with SAM, whose letters BAM has in upper case.
#[track_caller]
fn assert_is_sam(files: &Files, args: &[&str]) {
    let run = |more: &[&str]| files.swath(&[args, more].concat());
    let sam = run(&["--format", "sam"]);
    let printed = run(&["--format", "bam"]);
    assert_eq!(printed.stderr.lines().next(), sam.stderr.lines().next());
    let upper = |line: &str| -> String {
        let mut fields: Vec<_> = line.split('\t').map(str::to_string).collect();
        if fields.len() > 9 {
            fields[9] = fields[9].to_uppercase().replace('.', "N");
        }
        fields.join("\t") + "\n"
    };
    let expected: String = without_command(&sam.ok()).lines().map(upper).collect();
    assert_eq!(printed.code, Some(0));
    assert_eq!(text_of(&printed.stdout), expected, "{args:?}");
    run(&["--format", "bam", "-o", "r.bam"]).ok();
    match std::fs::read(files.path("r.bam")) {
        Ok(written) => {
            assert_eq!(text_of(&written), expected, "{args:?}");
            if let Some(text) = by_samtools(files, "r.bam") {
                assert_eq!(text, expected, "{args:?}");
            }
            std::fs::remove_file(files.path("r.bam")).expect("it is there");
        }
        // Nothing is written without an alignment.
        Err(_) => assert!(expected.lines().all(|line| line.starts_with('@'))),
    }
}

#[test]
fn bam_has_the_records_of_sam() {
    let files = Files::new(&[
        (
            "q.fa",
            b">q1 of three\nACGTTGCAAC\n>q2\nttgn.acg\n>q3\n\n>q4\nGGGGGG\n",
        ),
        (
            "t.fa",
            b">t1 first\nTTACGTTGCAACTT\n>t2\nTTGNACGACGTTCAAC\n>t3\nA\n",
        ),
        ("none.fa", b">n\nCCCCCC\n"),
        ("p.fa", b">p1\nACGTTG\n>p2\nGGGGGG\n>p3\nttgna\n"),
        (
            "p.fq",
            b"@p1\nACGTTG\n+\n!5@I~J\n@p2\nGGGGGG\n+\nABCDEF\n@p3\nttgna\n+\nVWXYZ\n",
        ),
    ]);
    for mode in ["infix", "prefix"] {
        for more in [
            &[][..],
            &["-k", "2"],
            &["-k", "0", "--ignore-case"],
            &["--method", "bit-parallel"],
            &["--gaps", "left"],
        ] {
            assert_is_sam(
                &files,
                &[&["edit", "q.fa", "t.fa", "--mode", mode], more].concat(),
            );
        }
    }
    assert_is_sam(&files, &["edit", "q.fa", "t.fa"]);
    let reverse = [
        "edit",
        "q.fa",
        "t.fa",
        "--record-a",
        "q1",
        "--strand",
        "both",
    ];
    assert_is_sam(&files, &[&reverse[..], &["--mode", "infix"]].concat());
    assert_is_sam(
        &files,
        &["edit", "none.fa", "t.fa", "--mode", "infix", "-k", "1"],
    );
    for more in [&[][..], &["--strand", "both"], &["--ignore-case"]] {
        for patterns in ["p.fa", "p.fq"] {
            assert_is_sam(
                &files,
                &[&["search", patterns, "t.fa", "-k", "1"], more].concat(),
            );
        }
    }
}

/// Values of the tags NM and AS, and the CIGAR.
fn tags(sam: &str) -> [String; 3] {
    let line = sam.lines().last().expect("a line");
    let fields: Vec<_> = line.split('\t').collect();
    [fields[11], fields[12], fields[5]].map(str::to_string)
}

#[test]
fn sam_counts_bases_as_samtools_does() {
    for (query, target, options, expected) in [
        ("ACgt", "AcGT", &[][..], ["NM:i:0", "AS:i:-3", "4="]),
        (
            "ACgt",
            "AcGT",
            &["--ignore-case"],
            ["NM:i:0", "AS:i:0", "4="],
        ),
        ("ANNC", "ANNC", &[], ["NM:i:2", "AS:i:0", "1=2X1="]),
        (
            "ANNC",
            "ATGC",
            &["--ambiguous", "iupac"],
            ["NM:i:2", "AS:i:0", "1=2X1="],
        ),
        ("AR=C", "ArTC", &[], ["NM:i:0", "AS:i:-2", "4="]),
        ("GnGGA", "GNTA", &[], ["NM:i:3", "AS:i:-3", "1=2X1I1="]),
    ] {
        let files = Files::new(&[
            ("q.fa", format!(">q\n{query}\n").as_bytes()),
            ("t.fa", format!(">t\n{target}\n").as_bytes()),
        ]);
        let args = [&["edit", "q.fa", "t.fa", "--format", "sam"], options].concat();
        let sam = files.swath(&args).ok();
        assert_eq!(tags(&sam), expected, "{query} {target} {options:?}");
        files.swath(&[&args[..], &["-o", "r.sam"]].concat()).ok();
        let mut calmd = Command::new("samtools");
        let calmd = calmd.args(["calmd", "r.sam", "t.fa"]).current_dir(&files.0);
        match calmd.output() {
            Ok(output) => {
                let stderr = String::from_utf8_lossy(&output.stderr);
                assert!(output.status.success(), "{stderr}");
                assert!(!stderr.contains("different NM"), "{sam}{stderr}");
            }
            Err(_) => eprintln!("skipped: samtools is not installed"),
        }
    }
}

#[test]
fn bam_of_many_pairs_has_several_blocks() {
    let records = |count: usize, len: usize| -> String {
        let mut state = len as u64;
        let mut letter = |_| {
            state = state
                .wrapping_mul(6364136223846793005)
                .wrapping_add(1442695040888963407);
            char::from(b"ACGT"[(state >> 62) as usize])
        };
        (0..count)
            .map(|place| {
                let letters: String = (0..len).map(&mut letter).collect();
                format!(">r{place}\n{letters}\n")
            })
            .collect()
    };
    let files = Files::new(&[
        ("q.fa", records(20, 250).as_bytes()),
        ("t.fa", records(50, 300).as_bytes()),
    ]);
    assert_is_sam(&files, &["edit", "q.fa", "t.fa", "--mode", "infix"]);
}

#[test]
fn bam_holds_cigars_of_any_length() {
    // Every other letter differs.
    let [a, b] = ["AC", "AG"].map(|pair| pair.repeat(40_000));
    let files = Files::new(&[
        ("a.fa", format!(">a\n{a}\n").as_bytes()),
        ("b.fa", format!(">b\n{b}\n").as_bytes()),
    ]);
    let sam = files
        .swath(&["edit", "a.fa", "b.fa", "--format", "sam"])
        .ok();
    assert!(sam.matches('=').count() > 1 << 15);
    assert_is_sam(&files, &["edit", "a.fa", "b.fa"]);
}

#[test]
fn sam_and_bam_refuse_names_and_lengths_that_no_reader_takes() {
    let [longest, long] = [254, 255].map(|len| format!(">{}\nACGT\n", "q".repeat(len)));
    let files = Files::new(&[
        ("q", b">q\nACGT\n"),
        ("longest", longest.as_bytes()),
        ("long", long.as_bytes()),
        ("at", b">@q\nACGT\n"),
        ("star", b">*\nACGT\n"),
        ("accent", ">caf\u{e9}\nACGT\n".as_bytes()),
        ("comma", b">a,b\nACGT\n"),
        ("bracket", b">a[1]\nACGT\n"),
        ("equal", b">=a\nACGT\n"),
        ("twice", b">t\nACGT\n>t\nACGA\n"),
        ("empty", b">t\n\n>u\nACGA\n"),
    ]);
    for (query, target, part) in [
        ("long", "q", "qqq' is not a name of a query"),
        ("at", "q", "'@q' is not a name of a query"),
        ("star", "q", "'*' is not a name of a query"),
        ("accent", "q", "'caf\u{e9}' is not a name of a query"),
        ("q", "accent", "'caf\u{e9}' is not a name of a target"),
        ("q", "comma", "'a,b' is not a name of a target"),
        ("q", "bracket", "'a[1]' is not a name of a target"),
        ("q", "star", "'*' is not a name of a target"),
        ("q", "equal", "'=a' is not a name of a target"),
        ("q", "twice", "two targets are named 't'"),
        ("q", "empty", "target 't' has 0 symbols"),
    ] {
        for format in ["sam", "bam"] {
            files
                .swath(&["edit", query, target, "--mode", "infix", "--format", format])
                .fails(2, &["--format sam and bam", part]);
        }
    }
    for (query, target) in [("longest", "at"), ("comma", "long"), ("equal", "q")] {
        assert_is_sam(&files, &["edit", query, target, "--mode", "infix"]);
    }
    swath(&["edit", "--text", "a", "b", "--circular", "--format", "bam"])
        .fails(2, &["--format sam and bam", "--circular"]);
    swath(&["edit", "--text", "a-", "b", "--format", "bam"]).fails(2, &["letters"]);
    swath(&["edit", "--text", "a", "b", "--json", "--format", "bam"]).fails(2, &["--output FILE"]);
}
