//! Layouts of text inputs: line ends, white space, comments, wrapped records and byte order marks.

use crate::process::{Files, gzip, swath};

const MARK: &str = "\u{feff}";

/// Requires these records, without a note, with and without the layout given.
#[track_caller]
fn reads(layout: &str, text: &str, records: &[(&str, &str)]) {
    let files = Files::new(&[]);
    for given in ["auto", layout] {
        let run = |args: &[&str]| {
            let args = [
                &["edit", "-", "--text"],
                args,
                &["--json", "--input", given],
            ]
            .concat();
            files.swath_with_stdin(&args, text.as_bytes())
        };
        for (name, sequence) in records {
            let run = run(&[sequence, "--record-a", name]);
            assert_eq!(run.stderr, "", "{text:?}");
            let answer = run.json();
            assert_eq!(answer["distance"], 0, "{given} {name} {text:?}");
            assert_eq!(
                answer["a"]["length"],
                sequence.len(),
                "{given} {name} {text:?}"
            );
        }
        let all = run(&["A", "--mode", "prefix"]).ok();
        assert_eq!(all.lines().count(), records.len(), "{given} {text:?}");
    }
}

/// A text with each kind of line end.
fn with_line_ends(text: &str) -> [String; 3] {
    ["\n", "\r\n", "\r"].map(|end| text.replace('\n', end))
}

// Records

#[test]
fn fasta_is_read_with_any_line_end_and_white_space() {
    let records = [("r1", "ACGTACGT"), ("r2", "TTTT"), ("r3", "")];
    for text in [
        ">r1 first\nACGT\nACGT\n>r2\nTTTT\n>r3\n",
        ">r1\nACGT \nACGT\t\n>r2\n  TTTT\n>r3",
        ">r1\nAC GT\nACG\x0bT\x0c\n\n \t\n>r2 \n\nTT\nTT\n\n>r3\n \n",
        "\n \n\t\n>r1\nACGTACGT\n>r2\nTTTT\n>r3\n",
        "; a comment\n>r1\nACGT\n; another\nACGT\n>r2\nTTTT\n>r3\n",
        "# a comment\n\n#\n>r1\nACGT\nACGT\n>r2\nTTTT\n>r3\n",
    ] {
        for text in with_line_ends(text) {
            reads("fasta", &text, &records);
            reads("fasta", &(MARK.to_string() + &text), &records);
        }
    }
}

#[test]
fn fastq_is_read_with_any_line_end_wrapped_and_with_empty_reads() {
    let records = [("q1", "ACGTACGT"), ("q2", ""), ("q3", "TTTT")];
    for text in [
        "@q1 first\nACGTACGT\n+\nIIIIIIII\n@q2\n\n+\n\n@q3\nTTTT\n+q3\n@@@@\n",
        "@q1\nACGT\nACGT\n+\nIIII\n@III\n@q2\n\n+\n\n@q3\nTT\nTT\n+q3\n++\n@@",
        "@q1\nACG\nTAC\nGT\n+q1\nIIIIIIII\n@q2\n+\n@q3\nTTTT\n+\nIIII\n",
        "@q1\nACGTACGT \n+\nIIIIIIII \n\n@q2\n \n+\n \n@q3\n\tTTTT\n+\n\tIIII\n\n",
        "\n; a comment\n#\n@q1\nACGTACGT\n+\nIIIIIIII\n@q2\n\n+\n\n@q3\nTTTT\n+\nIIII",
    ] {
        for text in with_line_ends(text) {
            reads("fastq", &text, &records);
            reads("fastq", &(MARK.to_string() + &text), &records);
        }
    }
}

#[test]
fn a_long_record_is_recognised_after_many_lines() {
    let lines = "ACGTACGTAC\n".repeat(20_000);
    let sequence = "ACGTACGTAC".repeat(20_000);
    let quality = "IIIIIIIIII\n".repeat(20_000);
    let fastq = format!("@q\n{lines}+\n{quality}");
    let comments = "# a comment\n".repeat(20_000);
    let files = Files::new(&[
        ("fq", fastq.as_bytes()),
        ("fq.gz", &gzip(fastq.as_bytes())),
        ("fa", format!("{comments}>s\n{lines}").as_bytes()),
        ("plain", sequence.as_bytes()),
        ("headless", lines.as_bytes()),
    ]);
    for name in ["fq", "fq.gz", "fa"] {
        let run = files.swath(&["edit", name, "plain", "--json"]);
        assert_eq!(run.stderr, "", "{name}");
        assert_eq!(run.json()["distance"], 0, "{name}");
    }
    assert_eq!(files.swath(&["edit", "headless", "plain"]).stderr, "");
}

#[test]
fn white_space_shifts_no_coordinates() {
    let files = Files::new(&[
        ("a", b">a\nGATT \n ACA\nGGG\n"),
        ("b", b">b\rCC \rGATT\rACA\r"),
        ("q", b">q\nTTA \n"),
    ]);
    let matches = |format| {
        let args = [
            "substring",
            "a",
            "b",
            "--min-length",
            "5",
            "--format",
            format,
        ];
        files.swath(&args).ok()
    };
    assert!(matches("tsv").ends_with("\na\t0\t7\tb\t2\t9\t+\t7\n"));
    assert_eq!(matches("bed"), "a\t0\t7\t1\t0\t+\nb\t2\t9\t1\t0\t+\n");
    assert!(matches("paf").starts_with("a\t10\t0\t7\t+\tb\t9\t2\t9\t7\t7\t"));
    let paf = files
        .swath(&["edit", "q", "a", "--mode", "infix", "--format", "paf"])
        .ok();
    assert!(
        paf.starts_with("q\t3\t0\t3\t+\ta\t10\t2\t5\t3\t3\t"),
        "{paf}"
    );
    assert_eq!(files.swath(&["lcs", "a", "b", "--path"]).ok(), "GATTACA");
    assert_eq!(
        files.swath(&["scs", "a", "b", "--json"]).json()["length"],
        12
    );
}

#[test]
fn numbered_lines_are_refused_by_line() {
    for text in [
        ">s\n1 ACGT ACGT\n9 ACGT\n",
        ">s\n        1 acgtacgtac gtacgtacgt\n",
        ">s\nACGT\nACGT ACGT      12\n",
    ] {
        let files = Files::new(&[("fa", text.as_bytes()), ("a", b"ACGT")]);
        let line = if text.contains("12") {
            "line 3"
        } else {
            "line 2"
        };
        for (args, as_it_is) in [
            (&["edit", "fa", "a"][..], "--input plain"),
            (&["lcs", "a", "fa"], "--input plain"),
            (&["scs", "a", "fa"], "--input plain"),
            (&["substring", "a", "fa"], "--input plain"),
            (&["pairs", "fa"], "--symbols lines"),
            (&["neighbors", "fa", "-k", "1"], "--symbols lines"),
            (&["fold", "fa"], "correct the file"),
        ] {
            files
                .swath(args)
                .fails(2, &["fa", line, "number", as_it_is]);
        }
    }
    // Digits may be symbols, such as those of binary characters.
    reads("fasta", ">s\n0101 1100\n01?-\n", &[("s", "0101110001?-")]);
}

#[test]
fn a_text_that_looks_like_records_later_is_noted() {
    for (text, format, line) in [
        ("ACGT\n>s\nACGT\n", "FASTA", 2),
        ("LOCUS\r\r>s\rACGT\r", "FASTA", 3),
        ("a title\n@q\nACGT\n+\nIIII\n", "FASTQ", 2),
        ("a title\n@q\nAC\nGT\n+q\nIIII\n", "FASTQ", 2),
        (" >s\n>t\nACGT\n", "FASTA", 2),
    ] {
        let files = Files::new(&[("a", text.as_bytes()), ("b", b"ACGT")]);
        let told = [
            &format!("a looks like {format} from line {line} on") as &str,
            &format!("--input {}", format.to_lowercase()),
            "--input plain",
        ];
        for args in [
            &["lcs", "a", "b"][..],
            &["edit", "b", "a"],
            &["scs", "a", "b"],
            &["substring", "a", "b"],
        ] {
            let noted = files.swath(args);
            assert!(
                told.iter().all(|part| noted.stderr.contains(part)),
                "{text:?}: {}",
                noted.stderr
            );
            noted.ok();
            assert_eq!(
                files.swath(&[args, &["--input", "plain"]].concat()).stderr,
                ""
            );
        }
        files
            .swath(&["lcs", "a", "b", "--input", &format.to_lowercase()])
            .fails(2, &[&format!("no {format} record at line 1")]);
    }
    // Other symbols are always those of a text.
    let files = Files::new(&[("fa", b">s\nACGT\n")]);
    let chars = files.swath(&["lcs", "fa", "fa", "--symbols", "chars"]);
    assert!(
        chars.stderr.contains("FASTA from line 1 on"),
        "{}",
        chars.stderr
    );
    for symbols in ["lines", "tokens"] {
        assert_eq!(
            files
                .swath(&["lcs", "fa", "fa", "--symbols", symbols])
                .stderr,
            ""
        );
    }
    // Quotations, patches and mails are texts.
    for text in [
        "# Title\n\n> a quotation\n",
        "Hello,\n> you wrote\n>> before\nno\n",
        "@@ -1 +1 @@\n-a\n",
        "@mail\ntext\nmore\n",
        "@user\nhello\nworld\n+1\n",
        "<p\n>some text</p>\n",
    ] {
        let files = Files::new(&[("a", text.as_bytes())]);
        let run = files.swath(&["lcs", "a", "a", "--json"]);
        assert_eq!(run.stderr, "", "{text:?}");
        assert_eq!(run.json()["length"], text.len() - 1, "{text:?}");
    }
}

#[test]
fn a_file_of_another_format_is_noted() {
    let bam = gzip(b"BAM\x01\x04\0\0\0@HD\n");
    let bcf = gzip(b"BCF\x02\x02");
    for (text, format, remedy) in [
        (
            &b"LOCUS       X 8 bp DNA\nORIGIN\n 1 acgtacgt\n//\n"[..],
            "GenBank",
            "any2fasta",
        ),
        (
            b"ID   X; SV 1; linear; DNA; 8 BP.\nSQ\n  acgtacgt 8\n//\n",
            "EMBL",
            "any2fasta",
        ),
        (b"# STOCKHOLM 1.0\n\nx ACGT\n//\n", "Stockholm", "any2fasta"),
        (b"CLUSTAL W (1.83)\n\nx ACGT\n", "Clustal", "any2fasta"),
        (b"#NEXUS\nBegin data;\n", "NEXUS", "any2fasta"),
        (
            b"##gff-version 3\nx\t.\tgene\n##FASTA\n>x\nACGT\n",
            "GFF",
            "FASTA file",
        ),
        (
            b"##fileformat=VCFv4.3\n#CHROM\tPOS\n",
            "VCF",
            "bcftools consensus",
        ),
        (
            b"@HD\tVN:1.6\nq\t4\t*\t0\t0\t*\t*\t0\t0\tACGT\t*\n",
            "SAM",
            "samtools fasta",
        ),
        (b"@SQ\tSN:x\tLN:4\n", "SAM", "samtools fasta"),
        (b"H\tVN:Z:1.0\nS\t1\tACGT\n", "GFA", "segments"),
        (&bam, "BAM", "samtools fasta"),
        (&bcf, "BCF", "bcftools consensus"),
        (b"CRAM\x03\0x", "CRAM", "samtools fasta"),
        (b"\x43\x27\x41\x1a\0\0\0\0", "2bit", "twoBitToFa"),
        (b"\x3a\x3d\xe9\x6b\0\0\0\0", "nib", "nibFrag"),
    ] {
        let files = Files::new(&[("x", text), ("fa", b">s\nACGT\n")]);
        for (args, as_it_is) in [
            (&["lcs", "x", "fa"][..], ["--input", "plain"]),
            (&["edit", "fa", "x"], ["--input", "plain"]),
            (&["scs", "x", "fa"], ["--input", "plain"]),
            (&["substring", "x", "fa"], ["--input", "plain"]),
            (&["pairs", "fa", "x"], ["--symbols", "lines"]),
            (&["neighbors", "x", "fa", "-k", "1"], ["--symbols", "lines"]),
        ] {
            let noted = files.swath(args);
            let note = noted.stderr.lines().next().unwrap_or_default().to_string();
            for part in [
                &format!("x looks like {format},"),
                remedy,
                &as_it_is.join(" "),
            ] {
                assert!(note.contains(part), "{args:?}: {note}");
            }
            assert_eq!(noted.stderr.matches("swath: ").count(), 1, "{args:?}");
            noted.ok();
            let silent = files.swath(&[args, &as_it_is].concat());
            assert!(!silent.stderr.contains("swath: "), "{}", silent.stderr);
        }
        files
            .swath(&["fold", "x"])
            .fails(2, &[&format!("x looks like {format}"), remedy]);
    }
    // Words and proteins may begin like these.
    for text in ["CRAMER", "CLUSTALING", "LOCUS", "ID", "ABIFK"] {
        let files = Files::new(&[("x", text.as_bytes()), ("fa", b">s\nACGT\n")]);
        assert_eq!(files.swath(&["lcs", "x", "fa"]).stderr, "", "{text}");
    }
}

#[test]
fn a_text_beside_records_is_noted_unless_it_is_one_word() {
    let random: Vec<u8> = (0..=255).rev().collect();
    for (text, byte) in [
        (&random[..], "\\xff"),
        (b"ACGT\nACGT\n", "\\n"),
        (b"AC GT", " "),
    ] {
        let files = Files::new(&[("x", text), ("fa", b">s\nACGT\n"), ("word", b"AC-N*\n")]);
        for args in [
            ["lcs", "x", "fa"],
            ["edit", "fa", "x"],
            ["substring", "x", "fa"],
        ] {
            let noted = files.swath(&args);
            let told = "x is neither FASTA nor FASTQ, as the other input is";
            assert!(noted.stderr.contains(told), "{args:?}: {}", noted.stderr);
            assert!(
                noted.stderr.contains(&format!("'{byte}'")),
                "{}",
                noted.stderr
            );
            noted.ok();
            for other in ["x", "word"] {
                let args = args.map(|arg| if arg == "fa" { other } else { arg });
                assert_eq!(files.swath(&args).stderr, "", "{args:?}");
            }
            let args = args.map(|arg| if arg == "x" { "word" } else { arg });
            assert_eq!(files.swath(&args).stderr, "", "{args:?}");
        }
    }
    let files = Files::new(&[("x", b"AC GT\n"), ("fa", b">s\nACGT\n")]);
    for args in [
        &["pairs", "x", "fa"][..],
        &["neighbors", "fa", "x", "-k", "1"],
    ] {
        let noted = files.swath(args);
        assert!(noted.stderr.contains("x is neither"), "{}", noted.stderr);
        noted.ok();
    }
}

#[test]
fn an_input_without_symbols_is_noted() {
    let files = Files::new(&[
        ("nothing", b""),
        ("head", b">x\n"),
        ("heads", b">x\n>y\n\n"),
        ("reads", b"@x\n\n+\n\n"),
        ("blank", b"\n"),
        ("fa", b">s\nACGT\n"),
    ]);
    for (name, one, all) in [
        ("nothing", "nothing is empty", "nothing is empty"),
        ("blank", "blank is empty", "blank is empty"),
        (
            "head",
            "head, record 'x' is empty",
            "head, record 'x' is empty",
        ),
        (
            "reads",
            "reads, record 'x' is empty",
            "reads, record 'x' is empty",
        ),
        (
            "heads",
            "heads, record 'x' is empty",
            "heads: each of its 2 records is empty",
        ),
    ] {
        for (args, told) in [
            (&["lcs", name, "fa"][..], one),
            (&["edit", "fa", name], one),
            (&["scs", name, "fa"], one),
            (&["edit", name, "fa", "--mode", "infix"], all),
            (&["substring", "fa", name], all),
            (&["compare", "fa", name], all),
            (&["scs", name, "fa", "--all-records"], all),
            (&["pairs", name, "fa"], "without a symbol"),
            (&["neighbors", "fa", name, "-k", "1"], "without a symbol"),
        ] {
            let noted = files.swath(args);
            assert!(noted.stderr.contains(told), "{args:?}: {}", noted.stderr);
            noted.ok();
        }
    }
    for args in [
        &["edit", "head", "fa", "--record-a", "x"][..],
        &["lcs", "nothing", "nothing", "--symbols", "lines"],
        &["lcs", "--text", "", "ACGT"],
    ] {
        assert_eq!(files.swath(args).stderr, "", "{args:?}");
    }
}

#[test]
fn a_wrapped_fastq_that_is_broken_is_refused_with_its_line() {
    for (text, parts) in [
        ("@q1\nACGT\n+\nIII\n", ["'q1'", "cut short at line 5"]),
        (
            "@q1\nACGT\n+\nIIIII\n",
            ["line 5", "4 symbols and 5 qualities"],
        ),
        (
            "@q1\nAC\nGT\n+\nII\n@q2\nAC\n+\nII\n",
            ["line 7", "4 symbols and 5 qualities"],
        ),
        ("@q1\nACGT\n+\nIIII\nmore\n", ["line 5", "begins with '@'"]),
        (
            "@q1\nACGT\n@q2\nACGT\n",
            ["line 3", "'q1' has no line with '+'"],
        ),
        ("@q1\nACGT\n", ["'q1'", "cut short at line 3"]),
    ] {
        let files = Files::new(&[("fq", text.as_bytes()), ("a", b"A")]);
        let args = ["edit", "fq", "a", "--mode", "infix", "--input", "fastq"];
        files.swath(&args).fails(2, &[&["fq"], &parts[..]].concat());
    }
}

#[test]
fn an_empty_read_is_an_answer() {
    let files = Files::new(&[
        ("fq", b"@a\n\n+\n\n@b\nACGT\n+\nIIII\n@c\n\n+\n\n"),
        ("t", b">t\nGGACGTGG\n>u\n\n"),
    ]);
    let run = |args: &[&str]| files.swath(&[&["edit", "fq", "t"], args].concat());
    let paf = run(&["--mode", "infix", "--format", "paf"]).ok();
    let mut lines = paf.lines();
    assert_eq!(
        lines.next(),
        Some("a\t0\t0\t0\t+\tt\t8\t0\t0\t0\t0\t255\ttp:A:P\tNM:i:0\tAS:i:0\tde:f:0.0000\tcg:Z:")
    );
    assert_eq!(
        lines.next(),
        Some("a\t0\t0\t0\t+\tu\t0\t0\t0\t0\t0\t255\ttp:A:P\tNM:i:0\tAS:i:0\tde:f:0.0000\tcg:Z:")
    );
    assert_eq!(
        lines.next(),
        Some("b\t4\t0\t4\t+\tt\t8\t2\t6\t4\t4\t255\ttp:A:P\tNM:i:0\tAS:i:0\tde:f:0.0000\tcg:Z:4=")
    );
    assert_eq!(lines.count(), 3);
    for (args, distances) in [
        (&["--mode", "infix"][..], [0, 0, 0, 4, 0, 0]),
        (
            &["--mode", "infix", "--starts", "-k", "4"],
            [0, 0, 0, 4, 0, 0],
        ),
        (
            &["--mode", "infix", "--method", "reference"],
            [0, 0, 0, 4, 0, 0],
        ),
        (&["--mode", "prefix"], [0, 0, 2, 4, 0, 0]),
    ] {
        let objects = run(&[args, &["--json"]].concat()).ok();
        let objects: Vec<serde_json::Value> = objects
            .lines()
            .map(|line| serde_json::from_str(line).expect("an object a line"))
            .collect();
        assert!(
            objects.iter().map(|one| &one["distance"]).eq(&distances),
            "{args:?}"
        );
        assert_eq!(objects[0]["pieces"], serde_json::json!([[0, 0]]));
        assert_eq!(objects[0]["mode"], args[1]);
    }
    for format in ["text", "cigar", "cigarx", "ops", "diff", "json"] {
        run(&["--mode", "infix", "--format", format]).ok();
    }
    assert_eq!(
        run(&["--mode", "infix", "--dry-run", "--json"])
            .ok()
            .lines()
            .count(),
        6
    );
    for args in [
        &["lcs", "fq", "t"][..],
        &["edit", "fq", "t"],
        &["scs", "fq", "--all-records"],
        &["substring", "fq", "t"],
        &[
            "substring",
            "fq",
            "t",
            "--all-records",
            "--in-at-least",
            "2",
        ],
        &[
            "substring",
            "fq",
            "t",
            "--min-length",
            "2",
            "--strand",
            "both",
        ],
    ] {
        files.swath(args).ok();
    }
    files
        .swath(&["fold", "fq", "--record", "a"])
        .fails(2, &["the sequence is empty"]);
}

// Texts

#[test]
fn lines_may_end_with_cr() {
    let files = Files::new(&[
        ("mac", b"x\ry\rz\r"),
        ("unix", b"x\ny\nz\n"),
        ("mixed", b"x\ry\n"),
        ("words", b"x y\rz"),
    ]);
    let length = |a: &str, b: &str, symbols: &str| {
        files
            .swath(&["lcs", a, b, "--symbols", symbols, "--json"])
            .json()["length"]
            .clone()
    };
    assert_eq!(length("mac", "unix", "lines"), 3);
    assert_eq!(length("mac", "mac", "lines"), 3);
    assert_eq!(
        length("mixed", "unix", "lines"),
        0,
        "a text with LF has CR within lines"
    );
    assert_eq!(length("mac", "words", "tokens"), 3);
    assert_eq!(
        files
            .swath(&["lcs", "mac", "unix", "--symbols", "lines", "--path"])
            .ok(),
        "x\ny\nz\n"
    );
    // The last line end is no symbol.
    let files = Files::new(&[("mac", b"ACGT\r"), ("none", b"ACGT")]);
    for symbols in ["bytes", "chars"] {
        let answer = files.swath(&["edit", "mac", "none", "--symbols", symbols, "--json"]);
        assert_eq!(answer.json()["distance"], 0);
    }
}

#[test]
fn a_byte_order_mark_is_skipped_in_every_text() {
    let marked = |text: &str| (MARK.to_string() + text).into_bytes();
    let files = Files::new(&[
        ("chain", &marked("10 20 30 40\n")),
        ("shapes", &marked("A:10x20 B:20x30\n")),
        ("comment", &marked("# dimensions\n10 20 30\n")),
        ("keys", &marked("1 2 3\n")),
        ("gaps", &marked("1 1 1 1\n")),
        ("points", &marked("0 0\n0 1\n1 0\n")),
        ("rna", &marked("GGGAAACCC\n")),
        ("rna.fa", &marked(">r\nGGGAAACCC\n")),
        ("text", &marked("one two\nthree\n")),
        ("bare", b"one two\nthree\n"),
    ]);
    for (args, leaves) in [
        (&["chain", "chain"][..], 3),
        (&["chain", "shapes"], 2),
        (&["chain", "comment"], 2),
        (&["bst", "keys"], 4),
        (&["bst", "keys", "--gap-weights", "gaps"], 4),
        (&["polygon", "keys"], 2),
        (&["polygon", "points", "--points"], 2),
        (&["fold", "rna"], 9),
        (&["fold", "rna.fa"], 9),
    ] {
        let answer = files.swath(&[args, &["--json"]].concat()).json();
        assert_eq!(answer["leaves"], leaves, "{args:?}");
    }
    for symbols in ["bytes", "chars", "lines", "tokens"] {
        let args = ["edit", "text", "bare", "--json", "--symbols", symbols];
        assert_eq!(files.swath(&args).json()["distance"], 0, "{symbols}");
        let plain = files
            .swath(&[&args[..], &["--input", "plain"]].concat())
            .json();
        assert_ne!(plain["distance"], 0, "{symbols}");
    }
}

#[test]
fn numbers_may_stand_in_lines_that_end_with_cr() {
    let files = Files::new(&[
        ("chain", b"10 20 # a comment\r30\x0b40\r\r# another\r50\r"),
        ("wrong", b"10 20\r30 x\r"),
        ("rna", b"GGG AAA\x0b\rCCC\r"),
        ("rna.fa", b">r\rGGG \rAAA\rCCC\r"),
    ]);
    assert_eq!(
        files.swath(&["chain", "chain", "--json"]).json()["leaves"],
        4
    );
    files
        .swath(&["chain", "wrong"])
        .fails(2, &["wrong, line 2, column 4"]);
    for name in ["rna", "rna.fa"] {
        assert_eq!(
            files.swath(&["fold", name, "--json"]).json()["cost"],
            3,
            "{name}"
        );
    }
    assert_eq!(
        swath(&["fold", "--text", "GGG AAA CCC", "--json"]).json()["cost"],
        3
    );
}
