//! SAM, beside samtools, and BAM, read back and compared with SAM.

use std::process::{Command, Output};

use noodles_bam as bam;
use noodles_sam::{self as sam, alignment::io::Write as _};

use crate::generated::{Random, fasta, reverse_complement};
use crate::process::{Dir, each, table};

/// The last block of a complete file, from the specification.
const END: &[u8] = b"\x1f\x8b\x08\x04\0\0\0\0\0\xff\x06\0BC\x02\0\x1b\0\x03\0\0\0\0\0\0\0\0\0";

/// The file as text.
fn text_of(mut file: &[u8]) -> String {
    assert!(file.ends_with(END), "the file is complete");
    let mut reader = bam::io::Reader::new(&mut file);
    let header = reader.read_header().expect("a header");
    let mut writer = sam::io::Writer::new(Vec::new());
    writer.write_header(&header).expect("memory takes it");
    for record in reader.record_bufs(&header) {
        let record = record.expect("a record");
        let written = writer.write_alignment_record(&header, &record);
        written.expect("memory takes it");
    }
    without_command(&String::from_utf8(writer.into_inner()).expect("text"))
}

/// The lines except that of the program, which may name the format and the file.
fn without_command(text: &str) -> String {
    let lines = text.lines().filter(|line| !line.starts_with("@PG"));
    lines.map(|line| format!("{line}\n")).collect()
}

/// Output of samtools, which has to succeed; `None` where it is not installed.
fn samtools(dir: &Dir, args: &str) -> Option<Output> {
    let mut command = Command::new("samtools");
    let output = command.args(args.split(' ')).current_dir(&dir.0).output();
    if output.is_err() {
        eprintln!("skipped: samtools is not installed");
    }
    let output = output.ok()?;
    assert!(output.status.success(), "{output:?}");
    Some(output)
}

/// samtools computes NM and MD of `r.sam` itself, and tells of every other NM.
fn assert_counts_of_samtools(dir: &Dir, records: usize) {
    if let Some(output) = samtools(dir, "calmd r.sam t.fa") {
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert!(!stderr.contains("different NM"), "{stderr}");
        let text = String::from_utf8(output.stdout).expect("text");
        assert_eq!(
            text.lines().filter(|line| line.contains("\tMD:Z:")).count(),
            records,
            "{text}"
        );
    }
}

/// Compares BAM on stdout and in a file with SAM, whose letters BAM has in upper case.
#[track_caller]
fn assert_is_sam(dir: &Dir, call: &str) {
    let run = |format: &str| dir.swath(format!("{call} --format {format}"));
    let sam = run("sam");
    let printed = run("bam");
    assert_eq!(printed.stderr.lines().next(), sam.stderr.lines().next());
    let upper = |line: &str| -> String {
        let mut fields: Vec<_> = line.split('\t').map(str::to_string).collect();
        if fields.len() > 9 {
            fields[9] = fields[9].to_uppercase().replace('.', "N");
        }
        fields.join("\t") + "\n"
    };
    let expected: String = without_command(&sam.ok()).lines().map(upper).collect();
    let printed = printed.ends(0, "");
    assert_eq!(text_of(&printed.stdout), expected, "{call}");
    run("bam -o r.bam").ok();
    if dir.names().contains(&"r.bam".to_string()) {
        assert_eq!(text_of(&dir.bytes("r.bam")), expected, "{call}");
        if let Some(output) = samtools(dir, "view -h --no-PG r.bam") {
            assert!(output.stderr.is_empty(), "{output:?}");
            let text = String::from_utf8(output.stdout).expect("text");
            assert_eq!(without_command(&text), expected, "{call}");
        }
        dir.remove("r.bam");
    } else {
        // Nothing is written without an alignment.
        assert!(expected.lines().all(|line| line.starts_with('@')));
    }
}

#[test]
fn bam_has_the_records_of_sam() {
    let dir = Dir::of(
        r"
        q.fa    => >q1 of three\nACGTTGCAAC\n>q2\nttgn.acg\n>q3\n\n>q4\nGGGGGG\n
        t.fa    => >t1 first\nTTACGTTGCAACTT\n>t2\nTTGNACGACGTTCAAC\n>t3\nA\n
        none.fa => >n\nCCCCCC\n
        p.fa    => >p1\nACGTTG\n>p2\nGGGGGG\n>p3\nttgna\n
        p.fq    => @p1\nACGTTG\n+\n!5@I~J\n@p2\nGGGGGG\n+\nABCDEF\n@p3\nttgna\n+\nVWXYZ\n
    ",
    );
    let options = [
        "",
        "-k 2",
        "-k 0 --ignore-case",
        "--method bit-parallel",
        "--gaps left",
    ];
    each(options, |options| {
        assert_is_sam(&dir, &format!("edit q.fa t.fa --mode infix {options}"));
        assert_is_sam(&dir, &format!("edit q.fa t.fa --mode prefix {options}"));
    });
    let calls = [
        "edit q.fa t.fa",
        "edit q.fa t.fa --record-a q1 --strand both --mode infix",
        "edit none.fa t.fa --mode infix -k 1",
    ];
    each(calls, |call| assert_is_sam(&dir, call));
    each(["", "--strand both", "--ignore-case"], |options| {
        assert_is_sam(&dir, &format!("search p.fa t.fa -k 1 {options}"));
        assert_is_sam(&dir, &format!("search p.fq t.fa -k 1 {options}"));
    });
    // Several blocks.
    let mut random = Random(9);
    let mut records = |count: usize, len: usize| -> String {
        (0..count)
            .map(|place| format!(">r{place}\n{}\n", random.dna_text(len)))
            .collect()
    };
    dir.write("q.fa", records(20, 250));
    dir.write("t.fa", records(50, 300));
    assert_is_sam(&dir, "edit q.fa t.fa --mode infix");
    // A CIGAR beyond the field: every other letter differs.
    dir.write("q.fa", format!(">q\n{}\n", "AC".repeat(40_000)));
    dir.write("t.fa", format!(">t\n{}\n", "AG".repeat(40_000)));
    let sam = dir.swath("edit q.fa t.fa --format sam").ok();
    assert!(sam.matches('=').count() > 1 << 15);
    assert_is_sam(&dir, "edit q.fa t.fa");
}

#[test]
fn sam_counts_bases_as_samtools_does() {
    let rows = "
        ACgt  => AcGT =>                   => NM:i:0 AS:i:-3 4=
        ACgt  => AcGT => --ignore-case     => NM:i:0 AS:i:0 4=
        ANNC  => ANNC =>                   => NM:i:2 AS:i:0 1=2X1=
        ANNC  => ATGC => --ambiguous iupac => NM:i:2 AS:i:0 1=2X1=
        AR=C  => ArTC =>                   => NM:i:0 AS:i:-2 4=
        GnGGA => GNTA =>                   => NM:i:3 AS:i:-3 1=2X1I1=
    ";
    each(table(rows), |[query, target, options, expected]| {
        let (query, target) = (format!(">q\n{query}\n"), format!(">t\n{target}\n"));
        let dir = Dir::texts(&[("q.fa", &query), ("t.fa", &target)]);
        dir.swath(format!("edit q.fa t.fa -o r.sam {options}")).ok();
        let sam = dir.text("r.sam");
        let fields: Vec<_> = sam.lines().last().expect("a line").split('\t').collect();
        assert_eq!([fields[11], fields[12], fields[5]].join(" "), expected);
        assert_counts_of_samtools(&dir, 1);
    });
}

/// Columns of each record of a SAM file.
fn columns<const N: usize>(sam: &str, columns: [usize; N]) -> Vec<[String; N]> {
    let records = sam.lines().filter(|line| !line.starts_with('@'));
    let fields = records.map(|line| line.split('\t').collect::<Vec<_>>());
    fields
        .map(|fields| columns.map(|column| fields[column].to_string()))
        .collect()
}

#[test]
fn sam_has_the_query_as_it_lies_in_the_target() {
    let mut random = Random(23);
    let targets = [("t1", random.dna(900)), ("t2", random.dna(1200))];
    let edited = random.edited(&targets[1].1[500..620], 20);
    let reads = [
        ("r1", targets[0].1[100..180].to_vec()),
        ("r2", reverse_complement(&edited)),
    ];
    let dir = Dir::new(&[("q.fa", &fasta(&reads)), ("t.fa", &fasta(&targets))]);
    let call = "edit q.fa t.fa --mode infix --strand both -k 30 --format sam";
    let sam = dir
        .swath(call)
        .shows("@SQ\tSN:t1\tLN:900\n@SQ\tSN:t2\tLN:1200\n");
    // The second is reverse, and primary: the first target is too far apart.
    assert_eq!(
        columns(&sam, [0, 1, 2]),
        [["r1", "0", "t1"], ["r2", "16", "t2"]]
    );
    assert_eq!(columns(&sam, [3, 5])[0], ["101", "80="]);
    let letters = [reads[0].1.clone(), edited].map(|dna| [String::from_utf8(dna).expect("DNA")]);
    assert_eq!(columns(&sam, [9]), letters);
    dir.swath(format!("{call} -o r.sam")).ok();
    assert_counts_of_samtools(&dir, 2);
}

#[test]
fn sam_marks_all_but_the_nearest_alignment_as_secondary() {
    let mut random = Random(24);
    let read = random.dna(90);
    let [near, far] = [random.edited(&read, 40), random.edited(&read, 9)];
    let targets = [
        ("t0", &far),
        ("t1", &near),
        ("t2", &read),
        ("t3", &near),
        ("t4", &read),
    ];
    let targets = targets.map(|(name, piece)| {
        let [before, after] = [random.dna(50), random.dna(60)];
        (name, [&before[..], piece, &after].concat())
    });
    let queries = [("r", &read), ("none", &random.dna(70)), ("again", &near)];
    let dir = Dir::new(&[("q.fa", &fasta(&queries)), ("t.fa", &fasta(&targets))]);
    let call = "edit q.fa t.fa --mode infix -k 25 --format sam";
    let sam = dir.swath(call).ok();
    let flag =
        |query, nearest| move |target| [query, target, if target == nearest { "0" } else { "256" }];
    let names = targets.each_ref().map(|(name, _)| *name);
    let expected = [names.map(flag("r", "t2")), names.map(flag("again", "t1"))].concat();
    assert_eq!(columns(&sam, [0, 2, 1]), expected);
    dir.swath(format!("{call} -o r.sam")).ok();
    assert_eq!(columns(&dir.text("r.sam"), [0, 2, 1]), expected);
}

#[test]
fn sam_refuses_names_that_no_reader_takes() {
    let [longest, long] = [254, 255].map(|len| format!(">{}\nACGT\n", "q".repeat(len)));
    let dir = Dir::texts(&[
        ("q", ">q\nACGT\n"),
        ("longest", &longest),
        ("long", &long),
        ("at", ">@q\nACGT\n"),
        ("star", ">*\nACGT\n"),
        ("accent", ">caf\u{e9}\nACGT\n"),
        ("comma", ">a,b\nACGT\n"),
        ("bracket", ">a[1]\nACGT\n"),
        ("equal", ">=a\nACGT\n"),
        ("twice", ">t\nACGT\n>t\nACGA\n"),
        ("empty", ">t\n\n>u\nACGA\n"),
    ]);
    let rows = "
        long q    => qqq' is not a name of a query
        at q      => '@q' is not a name of a query
        star q    => '*' is not a name of a query
        accent q  => 'café' is not a name of a query
        q accent  => 'café' is not a name of a target
        q comma   => 'a,b' is not a name of a target
        q bracket => 'a[1]' is not a name of a target
        q star    => '*' is not a name of a target
        q equal   => '=a' is not a name of a target
        q twice   => two targets are named 't'
        q empty   => target 't' has 0 symbols
    ";
    each(table(rows), |[inputs, part]| {
        for format in ["sam", "bam"] {
            let run = dir.swath(format!("edit {inputs} --mode infix --format {format}"));
            run.fails(2, format!("--format sam and bam | {part}"));
        }
    });
    each(["longest at", "comma long", "equal q"], |inputs| {
        assert_is_sam(&dir, &format!("edit {inputs} --mode infix"));
    });
    dir.fail(
        2,
        "edit --format bam --text",
        "
        a b --circular => --format sam and bam | --circular
        a- b           => letters
        a b --json     => --output FILE
    ",
    );
}
