//! Layouts of text inputs: line ends, white space, comments, wrapped records and byte order marks.

use serde_json::json;

use crate::process::{Dir, each, gzip, list, table};

const MARK: &str = "\u{feff}";

/// Requires these records, without a note, with and without the layout given.
#[track_caller]
fn reads(layout: &str, text: &str, records: &[(&str, &str)]) {
    let dir = Dir::new(&[]);
    for given in ["auto", layout] {
        let run = |options: String| {
            let line = format!("edit - --text {options} --json --input {given}");
            dir.swath_with_stdin(line, text.as_bytes())
        };
        for (name, sequence) in records {
            let run = run(format!("'{sequence}' --record-a {name}")).quiet();
            run.has(format!("distance=0 | /a/length={}", sequence.len()));
        }
        let all = run("A --mode prefix".to_string()).ok();
        assert_eq!(all.lines().count(), records.len(), "{given} {text:?}");
    }
}

// Records

#[test]
fn records_have_any_line_end_and_white_space() {
    let fasta = [("r1", "ACGTACGT"), ("r2", "TTTT"), ("r3", "")];
    let fastq = [("q1", "ACGTACGT"), ("q2", ""), ("q3", "TTTT")];
    let texts = r"
        >r1 first\nACGT\nACGT\n>r2\nTTTT\n>r3\n
        >r1\nACGT \nACGT\t\n>r2\n  TTTT\n>r3
        >r1\nAC GT\nACG\u000bT\u000c\n\n \t\n>r2 \n\nTT\nTT\n\n>r3\n \n
        \n \n\t\n>r1\nACGTACGT\n>r2\nTTTT\n>r3\n
        ; a comment\n>r1\nACGT\n; another\nACGT\n>r2\nTTTT\n>r3\n
        # a comment\n\n#\n>r1\nACGT\nACGT\n>r2\nTTTT\n>r3\n
        @q1 first\nACGTACGT\n+\nIIIIIIII\n@q2\n\n+\n\n@q3\nTTTT\n+q3\n@@@@\n
        @q1\nACGT\nACGT\n+\nIIII\n@III\n@q2\n\n+\n\n@q3\nTT\nTT\n+q3\n++\n@@
        @q1\nACG\nTAC\nGT\n+q1\nIIIIIIII\n@q2\n+\n@q3\nTTTT\n+\nIIII\n
        @q1\nACGTACGT \n+\nIIIIIIII \n\n@q2\n \n+\n \n@q3\n\tTTTT\n+\n\tIIII\n\n
        \n; a comment\n#\n@q1\nACGTACGT\n+\nIIIIIIII\n@q2\n\n+\n\n@q3\nTTTT\n+\nIIII
    ";
    each(list(texts), |text| {
        let (layout, records) = if text.contains('@') {
            ("fastq", fastq)
        } else {
            ("fasta", fasta)
        };
        for end in ["\n", "\r\n", "\r"] {
            let text = text.replace('\n', end);
            reads(layout, &text, &records);
            reads(layout, &format!("{MARK}{text}"), &records);
        }
    });
    // Digits may be symbols, such as those of binary characters.
    reads("fasta", ">s\n0101 1100\n01?-\n", &[("s", "0101110001?-")]);
}

#[test]
fn a_long_record_is_recognised_after_many_lines() {
    let [sequence, lines, quality, comments] = [
        "ACGTACGTAC",
        "ACGTACGTAC\n",
        "IIIIIIIIII\n",
        "# a comment\n",
    ]
    .map(|line| line.repeat(20_000));
    let fastq = format!("@q\n{lines}+\n{quality}");
    let dir = Dir::new(&[("fq.gz", &gzip(fastq.as_bytes()))]);
    dir.write("fq", fastq);
    dir.write("fa", format!("{comments}>s\n{lines}"));
    dir.write("plain", sequence);
    dir.write("headless", lines);
    each(["fq", "fq.gz", "fa"], |name| {
        dir.swath(format!("edit {name} plain --json"))
            .quiet()
            .has("distance=0");
    });
    dir.swath("edit headless plain").quiet();
}

#[test]
fn white_space_shifts_no_coordinates() {
    let dir = Dir::of(
        r"
        a => >a\nGATT \n ACA\nGGG\n
        b => >b\rCC \rGATT\rACA\r
        q => >q\nTTA \n
    ",
    );
    let rows = r#"
        substring a b --min-length 5 --format tsv => \na\t0\t7\tb\t2\t9\t+\t7\n
        substring a b --min-length 5 --format bed => a\t0\t7\t1\t0\t+\nb\t2\t9\t1\t0\t+\n
        substring a b --min-length 5 --format paf => a\t10\t0\t7\t+\tb\t9\t2\t9\t7\t7\t
        edit q a --mode infix --format paf        => q\t3\t0\t3\t+\ta\t10\t2\t5\t3\t3\t
        lcs a b --path                            => GATTACA
        scs a b --json                            => "length":12,
    "#;
    each(table(rows), |[line, part]| dir.swath(line).shows(part));
}

#[test]
fn numbered_lines_are_refused_by_line() {
    let rows = r"
        line 2 => >s\n1 ACGT ACGT\n9 ACGT\n
        line 2 => >s\n        1 acgtacgtac gtacgtacgt\n
        line 3 => >s\nACGT\nACGT ACGT      12\n
    ";
    each(table(rows), |[line, text]| {
        let dir = Dir::texts(&[("fa", text), ("a", "ACGT")]);
        for [call, as_it_is] in table(
            "
            edit fa a         => --input plain
            lcs a fa          => --input plain
            scs a fa          => --input plain
            substring a fa    => --input plain
            pairs fa          => --symbols lines
            neighbors fa -k 1 => --symbols lines
            fold fa           => correct the file
        ",
        ) {
            dir.swath(call)
                .fails(2, format!("fa | {line} | number | {as_it_is}"));
        }
    });
}

#[test]
fn a_text_that_looks_like_records_later_is_noted() {
    let rows = r"
        ACGT\n>s\nACGT\n                => FASTA => 2
        LOCUS\r\r>s\rACGT\r             => FASTA => 3
        a title\n@q\nACGT\n+\nIIII\n    => FASTQ => 2
        a title\n@q\nAC\nGT\n+q\nIIII\n => FASTQ => 2
        \u0020>s\n>t\nACGT\n            => FASTA => 2
    ";
    each(table(rows), |[text, format, line]| {
        let dir = Dir::texts(&[("a", text), ("b", "ACGT")]);
        let input = format!("--input {}", format.to_lowercase());
        let note = format!("a looks like {format} from line {line} on | {input} | --input plain");
        for call in list(
            "
            lcs a b
            edit b a
            scs a b
            substring a b
        ",
        ) {
            dir.swath(call).ends(0, &note);
            dir.swath(format!("{call} --input plain")).quiet();
        }
        let no_record = format!("no {format} record at line 1");
        dir.swath(format!("lcs a b {input}")).fails(2, no_record);
    });
    // Other symbols are always those of a text.
    let dir = Dir::texts(&[("fa", ">s\nACGT\n")]);
    dir.swath("lcs fa fa --symbols chars")
        .notes("FASTA from line 1 on");
    dir.swath("lcs fa fa --symbols lines").quiet();
    dir.swath("lcs fa fa --symbols tokens").quiet();
    // Quotations, patches and mails are texts.
    let texts = [
        "# Title\n\n> a quotation\n",
        "Hello,\n> you wrote\n>> before\nno\n",
        "@@ -1 +1 @@\n-a\n",
        "@mail\ntext\nmore\n",
        "@user\nhello\nworld\n+1\n",
        "<p\n>some text</p>\n",
        "@",
        "BZ",
    ];
    each(texts, |text| {
        let dir = Dir::texts(&[("a", text)]);
        let length = text.trim_end().len();
        dir.swath("lcs a a --json")
            .quiet()
            .has(format!("length={length}"));
    });
}

#[test]
fn a_file_of_another_format_is_noted() {
    let (bam, bcf) = (gzip(b"BAM\x01\x04\0\0\0@HD\n"), gzip(b"BCF\x02\x02"));
    let rows: [(&[u8], &str, &str); 15] = [
        (
            b"LOCUS       X 8 bp DNA\nORIGIN\n 1 acgtacgt\n//\n",
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
    ];
    each(rows, |(text, format, remedy)| {
        let dir = Dir::new(&[("x", text), ("fa", b">s\nACGT\n")]);
        for [call, as_it_is] in table(
            "
            lcs x fa            => --input plain
            edit fa x           => --input plain
            scs x fa            => --input plain
            substring x fa      => --input plain
            pairs fa x          => --symbols lines
            neighbors x fa -k 1 => --symbols lines
        ",
        ) {
            let noted = dir
                .swath(call)
                .notes(format!("x looks like {format}, | {remedy} | {as_it_is}"));
            assert_eq!(noted.stderr.matches("swath: ").count(), 1, "{call}");
            noted.ok();
            let silent = dir.swath(format!("{call} {as_it_is}"));
            assert!(!silent.stderr.contains("swath: "), "{}", silent.stderr);
        }
        dir.swath("fold x")
            .fails(2, format!("x looks like {format} | {remedy}"));
    });
    // Words and proteins may begin like these.
    each(["CRAMER", "CLUSTALING", "LOCUS", "ID", "ABIFK"], |text| {
        Dir::texts(&[("x", text), ("fa", ">s\nACGT\n")])
            .swath("lcs x fa")
            .quiet();
    });
}

#[test]
fn a_text_beside_records_is_noted() {
    let random: Vec<u8> = (0..=255).rev().collect();
    for (text, byte) in [
        (&random[..], "\\xff"),
        (b"ACGT\nACGT\n", "\\n"),
        (b"AC GT", " "),
    ] {
        let dir = Dir::new(&[("x", text), ("fa", b">s\nACGT\n"), ("word", b"AC-N*\n")]);
        let note = format!("x is neither FASTA nor FASTQ, as the other input is | '{byte}'");
        for call in ["lcs x fa", "edit fa x", "substring x fa"] {
            dir.swath(call).ends(0, &note);
            dir.swath(call.replace("fa", "x")).quiet();
            dir.swath(call.replace("fa", "word")).quiet();
            dir.swath(call.replace('x', "word")).quiet();
        }
    }
    let dir = Dir::of(
        r"
        x  => AC GT\n
        fa => >s\nACGT\n
    ",
    );
    dir.end(
        0,
        "",
        "
        pairs x fa          => x is neither
        neighbors fa x -k 1 => x is neither
    ",
    );
}

#[test]
fn an_input_without_symbols_is_noted() {
    let dir = Dir::of(
        r"
        nothing =>
        head    => >x\n
        heads   => >x\n>y\n\n
        reads   => @x\n\n+\n\n
        blank   => \n
        fa      => >s\nACGT\n
    ",
    );
    let rows = "
        nothing => nothing is empty           => nothing is empty
        blank   => blank is empty             => blank is empty
        head    => head, record 'x' is empty  => head, record 'x' is empty
        reads   => reads, record 'x' is empty => reads, record 'x' is empty
        heads   => heads, record 'x' is empty => heads: each of its 2 records is empty
    ";
    each(table(rows), |[name, one, all]| {
        for (call, note) in [
            ("lcs INPUT fa", one),
            ("edit fa INPUT", one),
            ("scs INPUT fa", one),
            ("edit INPUT fa --mode infix", all),
            ("substring fa INPUT", all),
            ("compare fa INPUT", all),
            ("scs INPUT fa --all-records", all),
            ("pairs INPUT fa", "without a symbol"),
            ("neighbors fa INPUT -k 1", "without a symbol"),
        ] {
            dir.swath(call.replace("INPUT", name)).notes(note).ok();
        }
    });
    let quiet = [
        "edit head fa --record-a x",
        "lcs nothing nothing --symbols lines",
        "lcs --text '' ACGT",
    ];
    each(quiet, |call| dir.swath(call).quiet());
}

#[test]
fn broken_records_are_refused_with_their_line() {
    let rows = r"
        edit              => @q1\nACGT\n+\nIII\n                  => 'q1' | cut short at line 5
        edit              => @q1\nACGT\n+\nIIIII\n                => line 5 | 4 symbols and 5 qualities
        edit              => @q1\nAC\nGT\n+\nII\n@q2\nAC\n+\nII\n => line 7 | 4 symbols and 5 qualities
        edit              => @q1\nACGT\n+\nIIII\nmore\n           => line 5 | begins with '@'
        edit              => @q1\nACGT\n@q2\nACGT\n               => line 3 | 'q1' has no line with '+'
        edit              => @q1\nACGT\n                          => 'q1' | cut short at line 3
        lcs               => @x\n                                 => cut short | line 2
        lcs               =>                                      => no FASTQ record
        lcs               => ACGT\n                               => no FASTQ record
        lcs --input fasta =>                                      => no FASTA record | --input plain
        lcs --input fasta => ACGT\n                               => no FASTA record | --input plain
        lcs --input auto  => @q1\nACGT\n+\nIII\n                  => q1 | line
    ";
    each(table(rows), |[call, text, parts]| {
        let dir = Dir::texts(&[("fq", text), ("a", "A")]);
        let options = match call {
            "edit" => "--mode infix --input fastq",
            "lcs" => "--input fastq",
            _ => "",
        };
        dir.swath(format!("{call} fq a {options}"))
            .fails(2, format!("fq | {parts}"));
    });
}

#[test]
fn an_empty_read_is_an_answer() {
    let dir = Dir::of(
        r"
        fq => @a\n\n+\n\n@b\nACGT\n+\nIIII\n@c\n\n+\n\n
        t  => >t\nGGACGTGG\n>u\n\n
    ",
    );
    let paf = dir.swath("edit fq t --mode infix --format paf").ok();
    let lines: Vec<_> = paf.lines().collect();
    assert_eq!(
        lines[..3],
        [
            "a\t0\t0\t0\t+\tt\t8\t0\t0\t0\t0\t255\ttp:A:P\tNM:i:0\tAS:i:0\tde:f:0.0000\tcg:Z:",
            "a\t0\t0\t0\t+\tu\t0\t0\t0\t0\t0\t255\ttp:A:P\tNM:i:0\tAS:i:0\tde:f:0.0000\tcg:Z:",
            "b\t4\t0\t4\t+\tt\t8\t2\t6\t4\t4\t255\ttp:A:P\tNM:i:0\tAS:i:0\tde:f:0.0000\tcg:Z:4=",
        ]
    );
    assert_eq!(lines.len(), 6);
    let rows = [
        ("infix", "", [0, 0, 0, 4, 0, 0]),
        ("infix", "--starts -k 4", [0, 0, 0, 4, 0, 0]),
        ("infix", "--method reference", [0, 0, 0, 4, 0, 0]),
        ("prefix", "", [0, 0, 2, 4, 0, 0]),
    ];
    each(rows, |(mode, options, distances)| {
        let objects = dir
            .swath(format!("edit fq t --mode {mode} {options} --json"))
            .objects();
        assert!(objects.iter().map(|one| &one["distance"]).eq(&distances));
        assert_eq!(
            (&objects[0]["pieces"], &objects[0]["mode"]),
            (&json!([[0, 0]]), &json!(mode))
        );
    });
    let plans = dir.swath("edit fq t --mode infix --dry-run --json");
    assert_eq!(plans.objects().len(), 6);
    let calls = "
        edit fq t --mode infix --format text
        edit fq t --mode infix --format cigar
        edit fq t --mode infix --format cigarx
        edit fq t --mode infix --format ops
        edit fq t --mode infix --format diff
        edit fq t --mode infix --format json
        lcs fq t
        edit fq t
        scs fq --all-records
        substring fq t
        substring fq t --all-records --in-at-least 2
        substring fq t --min-length 2 --strand both
    ";
    each(list(calls), |call| dir.swath(call).ok());
    dir.swath("fold fq --record a")
        .fails(2, "the sequence is empty");
}

// Texts

#[test]
fn lines_may_end_with_cr() {
    let dir = Dir::of(
        r"
        mac    => x\ry\rz\r
        unix   => x\ny\nz\n
        mixed  => x\ry\n
        words  => x y\rz
        dna    => ACGT\r
        blank  => \nACGT
        none   => ACGT
        chain  => 10 20 # a comment\r30\u000b40\r\r# another\r50\r
        wrong  => 10 20\r30 x\r
        rna    => GGG AAA\u000b\rCCC\r
        rna.fa => >r\rGGG \rAAA\rCCC\r
    ",
    );
    dir.have(
        "SWATH_JSON=1",
        "
        lcs mac unix --symbols lines   => length=3
        lcs mac mac --symbols lines    => length=3
        // A text with LF has CR within lines.
        lcs mixed unix --symbols lines => length=0
        lcs mac words --symbols tokens => length=3
        // Without a record, leading bytes stay.
        lcs blank blank                => length=5
        // The last line end is no symbol.
        edit dna none --symbols bytes  => distance=0
        edit dna none --symbols chars  => distance=0
        chain chain                    => leaves=4
        fold rna                       => cost=3
        fold rna.fa                    => cost=3
        fold --text 'GGG AAA CCC'      => cost=3
    ",
    );
    dir.print(
        "lcs --path",
        r"
        mac unix --symbols lines => x\ny\nz\n
    ",
    );
    dir.swath("chain wrong").fails(2, "wrong, line 2, column 4");
}

#[test]
fn a_byte_order_mark_is_skipped_in_every_text() {
    let dir = Dir::texts(&[("bare", "one two\nthree\n")]);
    for [name, text] in table(
        r"
        chain   => 10 20 30 40\n
        shapes  => A:10x20 B:20x30\n
        comment => # dimensions\n10 20 30\n
        keys    => 1 2 3\n
        gaps    => 1 1 1 1\n
        points  => 0 0\n0 1\n1 0\n
        rna     => GGGAAACCC\n
        rna.fa  => >r\nGGGAAACCC\n
        text    => one two\nthree\n
    ",
    ) {
        dir.write(name, format!("{MARK}{text}"));
    }
    dir.have(
        "SWATH_JSON=1",
        "
        chain chain                 => leaves=3
        chain shapes                => leaves=2
        chain comment               => leaves=2
        bst keys                    => leaves=4
        bst keys --gap-weights gaps => leaves=4
        polygon keys                => leaves=2
        polygon points --points     => leaves=2
        fold rna                    => leaves=9
        fold rna.fa                 => leaves=9
    ",
    );
    each(["bytes", "chars", "lines", "tokens"], |symbols| {
        let call = format!("edit text bare --json --symbols {symbols}");
        dir.swath(&call).has("distance=0");
        assert_ne!(
            dir.swath(format!("{call} --input plain")).json()["distance"],
            0
        );
    });
}
