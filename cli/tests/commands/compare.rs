//! `swath compare`, and strands and origins of `swath edit` and `swath lcs`.

use std::process::Command;

use serde_json::json;

use crate::process::{Files, command, run, swath};

/// Reproducible random numbers.
pub(super) struct Random(pub(super) u64);

impl Random {
    pub(super) fn below(&mut self, limit: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % limit
    }

    pub(super) fn dna(&mut self, len: usize) -> Vec<u8> {
        (0..len).map(|_| b"ACGT"[self.below(4)]).collect()
    }

    /// About one symbol in `every` is replaced, deleted, or followed by new ones.
    fn edited(&mut self, dna: &[u8], every: usize) -> Vec<u8> {
        let mut edited = Vec::new();
        for &letter in dna {
            match self.below(3 * every) {
                0 => edited.extend(self.dna(1)),
                1 => {}
                2 => {
                    let more = 1 + self.below(9);
                    edited.push(letter);
                    edited.extend(self.dna(more));
                }
                _ => edited.push(letter),
            }
        }
        edited
    }
}

fn reverse_complement(dna: &[u8]) -> Vec<u8> {
    let complement = |letter: &u8| match letter {
        b'A' => b'T',
        b'C' => b'G',
        b'G' => b'C',
        b'T' => b'A',
        other => *other,
    };
    dna.iter().rev().map(complement).collect()
}

fn rotated(dna: &[u8], start: usize) -> Vec<u8> {
    [&dna[start..], &dna[..start]].concat()
}

fn fasta(records: &[(&str, &[u8])]) -> Vec<u8> {
    let mut text = Vec::new();
    for (name, dna) in records {
        text.extend(format!(">{name} some words\n").into_bytes());
        for line in dna.chunks(70) {
            text.extend(line);
            text.push(b'\n');
        }
    }
    text
}

/// Edit distance by the textbook recurrence.
fn distance(a: &[u8], b: &[u8]) -> usize {
    distance_by(a, b, |x, y| x == y)
}

/// Edit distance by the textbook recurrence, with bytes that match as `matches` tells.
pub(super) fn distance_by(a: &[u8], b: &[u8], matches: impl Fn(u8, u8) -> bool) -> usize {
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, &x) in a.iter().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, &y) in b.iter().enumerate() {
            let paired = diagonal + usize::from(!matches(x, y));
            let least = (row[j] + 1).min(row[j + 1] + 1).min(paired);
            (diagonal, row[j + 1]) = (row[j + 1], least);
        }
    }
    row[b.len()]
}

/// Two assemblies: a chromosome on the other strand with another origin, two plasmids in another
/// order, one of them soft-masked, and a record on either side that the other lacks.
struct Assemblies {
    files: Files,
    a: Vec<(&'static str, Vec<u8>)>,
    /// The records of B as they lie in A, without rotation and on its strand.
    b: [Vec<u8>; 2],
}

fn assemblies() -> Assemblies {
    let mut random = Random(7);
    let (chromosome, plasmid) = (random.dna(9000), random.dna(1500));
    let (only_a, only_b) = (random.dna(700), random.dna(900));
    let b = [random.edited(&chromosome, 60), random.edited(&plasmid, 30)];
    let turned = rotated(&reverse_complement(&b[0]), 2500);
    let masked = rotated(&b[1], 333).to_ascii_lowercase();
    let a = vec![("chr", chromosome), ("lonely", only_a), ("p1", plasmid)];
    let of_a: Vec<_> = a.iter().map(|(name, dna)| (*name, &dna[..])).collect();
    let of_b = [("q1", &masked[..]), ("extra", &only_b), ("main", &turned)];
    let files = Files::new(&[("a.fa", &fasta(&of_a)), ("b.fa", &fasta(&of_b))]);
    Assemblies { files, a, b }
}

#[test]
fn records_are_paired_turned_and_aligned_with_the_fewest_edits() {
    let Assemblies { files, a, b } = assemblies();
    let answer = files.swath(&["compare", "a.fa", "b.fa", "--json"]).json();
    assert_eq!(answer["schema"], "swath/compare/1");
    assert_eq!(answer["unpaired"], json!([[1], [1]]));
    let pairs = answer["pairs"].as_array().expect("a list");
    assert_eq!(pairs.len(), 2);
    for (pair, (in_a, in_b, strand, b)) in
        pairs.iter().zip([(0, 2, "-", &b[0]), (2, 0, "+", &b[1])])
    {
        assert_eq!(
            (&pair["a"], &pair["b"], &pair["strand"]),
            (&in_a.into(), &in_b.into(), &strand.into())
        );
        let edits = pair["edits"].as_u64().expect("a number") as usize;
        // The origin may lie a few symbols away from where it was cut.
        let expected = distance(&a[in_a].1, b);
        assert!(edits.abs_diff(expected) <= 4, "{edits} and {expected}");
        let parts = ["substitutions", "insertions", "deletions"];
        let sum: u64 = parts.iter().filter_map(|key| pair[*key].as_u64()).sum();
        assert_eq!(sum as usize, edits);
    }
    let text = files.swath(&["compare", "a.fa", "b.fa"]).ok();
    for line in [
        "unpaired        lonely  700 symbols of a",
        "unpaired        extra  900 symbols of b",
    ] {
        assert!(text.contains(line), "{line}: {text}");
    }
}

/// Records of A with the differences of a table applied.
fn applied(a: &[(&str, Vec<u8>)], table: &str) -> Vec<(String, Vec<u8>)> {
    let mut changed: Vec<(String, Vec<u8>)> = Vec::new();
    for (name, dna) in a {
        let (mut text, mut next) = (Vec::new(), 0);
        let rows = table
            .lines()
            .map(|line| line.split('\t').collect::<Vec<_>>());
        for row in rows.filter(|row| row[0] == *name) {
            let number = |column: usize| row[column].parse::<usize>().expect("a number");
            let (start, end) = (number(1), number(2));
            let letters = |column: usize| row[column].trim_matches('-').as_bytes();
            assert_eq!(&dna[start..end], letters(7), "{row:?}");
            assert!(dna[..start].ends_with(letters(9)) && dna[end..].starts_with(letters(10)));
            text.extend(&dna[next..start]);
            text.extend(letters(8));
            next = end;
        }
        text.extend(&dna[next..]);
        changed.push((name.to_string(), text.to_ascii_uppercase()));
    }
    changed
}

#[test]
fn the_table_turns_one_assembly_into_the_other() {
    let Assemblies { files, a, b } = assemblies();
    let table = files.swath(&["compare", "a.fa", "b.fa", "--format", "tsv"]);
    assert!(table.stderr.contains("unpaired"), "{}", table.stderr);
    let summary = |format: &str| {
        files
            .swath(&["compare", "a.fa", "b.fa", "--format", format])
            .stderr
    };
    let lists = ["tsv", "vcf", "paf"].map(|format| summary(format).contains("\ndifference"));
    assert_eq!(lists, [false, false, true]);
    let table = table.ok();
    assert!(
        table.starts_with(
            "#a\ta_start\ta_end\tb\tb_position\tstrand\tkind\tref\talt\tbefore\tafter\n"
        )
    );
    let changed = applied(&a, &table);
    let is_rotation =
        |x: &[u8], y: &[u8]| x.len() == y.len() && (0..x.len()).any(|start| rotated(y, start) == x);
    assert!(is_rotation(&changed[0].1, &b[0]) && is_rotation(&changed[2].1, &b[1]));
    assert_eq!(changed[1].1, a[1].1);
    let answer = files
        .swath(&["compare", "a.fa", "b.fa", "--format", "json"])
        .json();
    let listed = answer["pairs"].as_array().expect("a list").iter();
    let listed = listed.map(|pair| pair["differences"].as_array().expect("a list").len());
    assert_eq!(listed.sum::<usize>(), table.lines().count() - 1);
}

#[test]
fn bcftools_makes_the_other_assembly_from_the_vcf() {
    if Command::new("bcftools").arg("--version").output().is_err() {
        eprintln!("skipped: bcftools is not installed");
        return;
    }
    let Assemblies { files, a, .. } = assemblies();
    let table = files
        .swath(&["compare", "a.fa", "b.fa", "--format", "tsv"])
        .ok();
    files
        .swath(&["compare", "a.fa", "b.fa", "--format", "vcf", "-o", "b.vcf"])
        .ok();
    let bcftools = |args: &[&str]| {
        let output = Command::new("bcftools")
            .args(args)
            .current_dir(&files.0)
            .output()
            .expect("bcftools runs");
        let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.success(), "{args:?}: {stderr}");
        assert!(!stderr.contains("overlaps"), "{stderr}");
        String::from_utf8(output.stdout).expect("text")
    };
    bcftools(&[
        "norm", "-f", "a.fa", "-c", "e", "b.vcf", "-Oz", "-o", "n.vcf.gz",
    ]);
    bcftools(&["index", "n.vcf.gz"]);
    let consensus = bcftools(&["consensus", "-f", "a.fa", "n.vcf.gz"]);
    let found: Vec<_> = consensus
        .split('>')
        .skip(1)
        .map(|record| {
            let (header, lines) = record.split_once('\n').expect("a header");
            let name = header.split(' ').next().unwrap_or_default();
            (name.to_string(), lines.replace('\n', "").into_bytes())
        })
        .collect();
    assert_eq!(found, applied(&a, &table));
}

/// A record as PAF's strand and places tell, and what its CIGAR says of it.
fn check_paf(line: &str, query: &[u8], target: &[u8]) -> usize {
    let columns: Vec<_> = line.split('\t').collect();
    let number = |column: usize| columns[column].parse::<usize>().expect("a number");
    assert_eq!((number(1), number(6)), (query.len(), target.len()));
    let part = &query[number(2)..number(3)];
    let part = if columns[4] == "-" {
        reverse_complement(part)
    } else {
        part.to_vec()
    };
    let target = &target[number(7)..number(8)];
    let tag = |name: &str| {
        let found = columns[12..].iter().find_map(|tag| tag.strip_prefix(name));
        found.unwrap_or_else(|| panic!("{name} in {line}"))
    };
    let (mut i, mut j, mut edits, mut count, mut cs) = (0, 0, 0, 0, String::new());
    for letter in tag("cg:Z:").chars() {
        if let Some(digit) = letter.to_digit(10) {
            count = 10 * count + digit as usize;
            continue;
        }
        let lower = |dna: &[u8]| String::from_utf8_lossy(dna).to_ascii_lowercase();
        match letter {
            '=' => {
                assert_eq!(part[i..i + count], target[j..j + count]);
                cs += &format!(":{count}");
            }
            'X' => {
                for step in 0..count {
                    assert_ne!(part[i + step], target[j + step]);
                    cs += &format!(
                        "*{}{}",
                        lower(&target[j + step..][..1]),
                        lower(&part[i + step..][..1])
                    );
                }
            }
            'I' => cs += &format!("+{}", lower(&part[i..i + count])),
            'D' => cs += &format!("-{}", lower(&target[j..j + count])),
            other => panic!("{other} in a CIGAR"),
        }
        i += if letter == 'D' { 0 } else { count };
        j += if letter == 'I' { 0 } else { count };
        edits += if letter == '=' { 0 } else { count };
        count = 0;
    }
    assert_eq!((i, j), (part.len(), target.len()));
    assert_eq!((tag("tp:A:"), tag("cs:Z:")), ("P", &cs[..]));
    assert_eq!(
        (tag("NM:i:"), tag("AS:i:")),
        (&edits.to_string()[..], &(-(edits as i64)).to_string()[..])
    );
    edits
}

#[test]
fn paf_has_strand_and_places_of_the_record_as_given() {
    let mut random = Random(11);
    for (start, strand) in [(0, "+"), (0, "-"), (1700, "+"), (1700, "-")] {
        let b = random.dna(4000);
        let edited = random.edited(&b, 40);
        let on_strand = if strand == "-" {
            reverse_complement(&edited)
        } else {
            edited.clone()
        };
        let a = rotated(&on_strand, start);
        let files = Files::new(&[
            ("a.fa", &fasta(&[("a", &a)])),
            ("b.fa", &fasta(&[("b", &b)])),
        ]);
        let options = ["--strand", "both", "--circular", "--cs", "--format", "paf"];
        let found = files.swath(&[&["edit", "a.fa", "b.fa"][..], &options].concat());
        let text = found.stderr.clone();
        let paf = found.ok();
        assert_eq!(paf.lines().count(), if start == 0 { 1 } else { 2 }, "{paf}");
        assert!(
            paf.lines()
                .all(|line| line.split('\t').nth(4) == Some(strand)),
            "{paf}"
        );
        let edits: usize = paf.lines().map(|line| check_paf(line, &a, &b)).sum();
        assert!(
            text.contains(&format!("distance        {edits}\n")),
            "{edits}: {text}"
        );
        assert!(edits.abs_diff(distance(&edited, &b)) <= 4);
        let lcs = files.swath(&[
            "lcs",
            "a.fa",
            "b.fa",
            "--strand",
            "both",
            "--circular",
            "--json",
        ]);
        let lcs = lcs.json();
        assert_eq!(lcs["a"]["strand"], strand);
        assert!(lcs["similarity"].as_f64().expect("a number") > 0.95);
    }
}

#[test]
fn paf_ignores_the_case_of_nucleotides_alone() {
    for (a, b, tags) in [
        (
            "GATTaca",
            "gattRCA",
            "NM:i:1 AS:i:-1 de:f:0.1429 cg:Z:4=1X2= cs:Z::4*ra:2",
        ),
        (
            "Hello",
            "hello",
            "NM:i:1 AS:i:-1 de:f:0.2000 cg:Z:1X4= cs:Z:*hh:4",
        ),
    ] {
        let paf = swath(&["edit", "--text", a, b, "--cs", "--format", "paf"]).ok();
        let line: Vec<_> = paf.trim_end().split('\t').collect();
        assert_eq!(line[13..].join(" "), tags);
        let files = Files::new(&[("a", a.as_bytes()), ("b", b.as_bytes())]);
        let paf = files
            .swath(&["pairs", "a", "b", "--path", "--format", "paf"])
            .ok();
        let line: Vec<_> = paf.trim_end().split('\t').collect();
        assert!(tags.starts_with(&line[13..].join(" ")), "{paf}");
    }
}

#[test]
fn queries_are_searched_on_both_strands() {
    let mut random = Random(13);
    let target = random.dna(3000);
    for (start, len) in [(100, 60), (2900, 100), (1234, 7)] {
        let piece = reverse_complement(&target[start..start + len]);
        let files = Files::new(&[
            ("a.fa", &fasta(&[("a", &piece)])),
            ("b.fa", &fasta(&[("b", &target)])),
        ]);
        let search = [
            "edit", "a.fa", "b.fa", "--mode", "infix", "--strand", "both",
        ];
        let answer = files
            .swath(&[&search[..], &["--json", "--starts"]].concat())
            .json();
        assert_eq!(
            (&answer["distance"], &answer["a"]["strand"]),
            (&0.into(), &"-".into())
        );
        let places = answer["pieces"].as_array().expect("a list");
        assert!(places.contains(&json!([start, start + len])), "{places:?}");
        let paf = files
            .swath(&[&search[..], &["--format", "paf", "--cs"]].concat())
            .ok();
        assert_eq!(check_paf(paf.trim_end(), &piece, &target), 0);
    }
    // Of equally good strands the forward one is reported.
    let answer = swath(&[
        "edit", "--text", "ACGT", "ACGT", "--strand", "both", "--mode", "infix", "--json",
    ]);
    assert_eq!(answer.json()["a"]["strand"], "+");
}

#[test]
fn options_for_dna_refuse_other_symbols() {
    let lines = ["lcs", "--text", "a", "b", "--symbols", "lines"];
    swath(&[&lines[..], &["--circular"]].concat()).fails(2, &["--circular", "--symbols bytes"]);
    swath(&[&lines[..], &["--strand", "both"]].concat()).fails(2, &["--strand", "DNA"]);
    let edit = |a, b, options: &[&str]| swath(&[&["edit", "--text", a, b][..], options].concat());
    edit("hello", "world", &["--strand", "both"]).fails(2, &["'e' at position 1", "DNA"]);
    edit("ACGU", "ACGT", &["--strand", "both"]).fails(2, &["'U' at position 3"]);
    edit("hello", "ACGT", &["--strand", "both", "--mode", "infix"]).fails(2, &["'e'"]);
    edit("ACG", "ACG", &["--circular", "--mode", "infix"]).fails(2, &["--mode global"]);
    swath(&["compare", "--text", "a b", "c", "--symbols", "tokens"]).fails(2, &["bytes"]);
    swath(&["compare", "--text", "hello", "ACGT"]).fails(2, &["'e'", "DNA"]);
    // A variable for other commands is ignored.
    let mut ignored = crate::process::command(&lines);
    ignored
        .env("SWATH_STRAND", "both")
        .env("SWATH_CIRCULAR", "1");
    crate::process::run(ignored, b"").ok();
}

#[test]
fn names_that_vcf_cannot_hold_are_refused() {
    let files = Files::new(&[
        ("a.fa", b">\nACGTACGTACGT\n>\nACGGACGT\n"),
        ("b.fa", b">x\nACGT\n"),
    ]);
    files
        .swath(&["compare", "a.fa", "b.fa", "--format", "vcf"])
        .fails(2, &["two records", "rename"]);
    files
        .swath(&["compare", "a.fa", "b.fa", "--format", "tsv"])
        .ok();
}

#[test]
fn rna_has_the_differences_of_dna_on_either_strand() {
    let mut random = Random(31);
    let a = random.dna(2000);
    let edited = random.edited(&a, 50);
    let rna = |dna: &[u8]| String::from_utf8_lossy(dna).replace('T', "U").into_bytes();
    for b in [edited.clone(), reverse_complement(&edited)] {
        let files = Files::new(&[
            ("a.fa", &fasta(&[("a", &a)])),
            ("dna.fa", &fasta(&[("b", &b)])),
            ("rna.fa", &fasta(&[("b", &rna(&b))])),
        ]);
        for (format, [uracil, thymine]) in [
            ("tsv", ["U", "T"]),
            ("vcf", ["U", "T"]),
            ("paf", ["u", "t"]),
        ] {
            let differences = |b: &str| {
                let mut args = vec!["compare", "a.fa", b, "--format", format];
                args.extend((format == "paf").then_some("--cs"));
                let text = files.swath(&args).ok();
                let lines = text.lines().filter(|line| !line.starts_with('#'));
                lines.collect::<Vec<_>>().join("\n")
            };
            let (of_rna, of_dna) = (differences("rna.fa"), differences("dna.fa"));
            assert_eq!(of_rna.replace(uracil, thymine), of_dna, "{format}");
        }
    }
}

#[test]
fn vcf_of_iupac_letters_has_a_variant_for_each_difference() {
    let mut random = Random(37);
    let (mut a, mut b) = (random.dna(400), Vec::new());
    b.extend(&a);
    for (place, of_a, of_b) in [
        (50, b'R', b'A'),
        (100, b'G', b'k'),
        (150, b'N', b'C'),
        (200, b'T', b'N'),
        (250, b'Y', b'G'),
        (300, b'R', b'M'),
    ] {
        (a[place], b[place]) = (of_a, of_b);
    }
    let files = Files::new(&[
        ("a.fa", &fasta(&[("a", &a)])),
        ("b.fa", &fasta(&[("b", &b)])),
    ]);
    let args = ["compare", "a.fa", "b.fa", "--linear", "--format", "vcf"];
    let run = files.swath(&args);
    assert!(run.stderr.contains("3 letters of A"), "{}", run.stderr);
    let vcf = run.ok();
    let variants = vcf.lines().filter(|line| !line.starts_with('#'));
    let variants: Vec<_> = variants
        .map(|line| {
            let fields: Vec<_> = line.split('\t').collect();
            [1, 3, 4].map(|column| fields[column].to_string())
        })
        .collect();
    let expected = [
        ["51", "N", "A"],
        ["101", "G", "N"],
        ["151", "N", "C"],
        ["201", "T", "N"],
        ["251", "C", "G"],
        ["301", "N", "A"],
    ];
    assert_eq!(variants, expected);
    swath(&[
        "compare", "--text", "ACGE", "ACG", "--strand", "forward", "--format", "vcf",
    ])
    .fails(2, &["'E' at position 3 of 'a'", "--format tsv"]);
}

#[test]
fn assemblies_without_a_pair_have_no_identity() {
    let mut random = Random(41);
    let [a, b, c, d] = [600, 700, 600, 700].map(|len| random.dna(len));
    let files = Files::new(&[
        ("a.fa", &fasta(&[("a", &a), ("b", &b)])),
        ("b.fa", &fasta(&[("c", &c), ("d", &d)])),
    ]);
    let run = files.swath(&["compare", "a.fa", "b.fa"]);
    assert!(run.stderr.contains("nothing is compared"), "{}", run.stderr);
    let text = run.ok();
    assert!(
        text.contains("identity        nothing is paired\n"),
        "{text}"
    );
    assert!(
        !text.contains("100.00 %") && !text.contains("edits"),
        "{text}"
    );
    let answer = files.swath(&["compare", "a.fa", "b.fa", "--json"]).json();
    assert_eq!(answer["figures"]["identity"], json!(null));
    assert_eq!(answer["unpaired"], json!([[0, 1], [0, 1]]));
    let args = ["compare", "a.fa", "b.fa", "--exit-code", "--format", "tsv"];
    let run = files.swath(&args);
    assert_eq!(run.code, Some(1));
    assert!(run.stderr.contains("nothing is compared"), "{}", run.stderr);
    // Two records are a pair in any case.
    let two = ["--record-a", "a", "--record-b", "c"];
    let run = files.swath(&[&["compare", "a.fa", "b.fa"][..], &two].concat());
    assert!(run.stderr.is_empty(), "{}", run.stderr);
    assert!(run.ok().contains("pair            a  c "));
}

#[test]
fn a_summary_tells_of_rearranged_and_of_unrelated_assemblies() {
    let mut random = Random(43);
    let a = random.dna(9000);
    let edited = random.edited(&a, 100);
    let inverted = [&a[..3000], &reverse_complement(&a[3000..7000]), &a[7000..]].concat();
    let turned = rotated(&reverse_complement(&edited), 2500);
    for (b, in_order, is_unrelated) in [
        (&edited, Some((0.99, 1.0)), false),
        (&turned, Some((0.99, 1.0)), false),
        (&inverted, Some((0.5, 0.6)), false),
        (&random.dna(9000), None, true),
    ] {
        let files = Files::new(&[
            ("a.fa", &fasta(&[("a", &a)])),
            ("b.fa", &fasta(&[("b", b)])),
        ]);
        let answer = files.swath(&["compare", "a.fa", "b.fa", "--json"]).json();
        let count = |key: &str| answer["pairs"][0][key].as_f64().expect("a number");
        let run = files.swath(&["compare", "a.fa", "b.fa"]);
        let chance = "no more similar than random";
        assert_eq!(run.stderr.contains(chance), is_unrelated, "{}", run.stderr);
        let text = run.ok();
        let line = text.lines().find(|line| line.starts_with("in order"));
        assert_eq!(line.is_some(), in_order.is_some(), "{text}");
        if let (Some(line), Some((min, max))) = (line, in_order) {
            let share = count("in_order") / count("anchored");
            assert!((min..=max).contains(&share), "{share}");
            let figures = format!(
                "{:.2} % of {} anchored bases",
                100.0 * share,
                count("anchored")
            );
            assert!(line.contains(&figures), "{line}");
            assert_eq!(line.contains("--format svg"), min < 0.9, "{line}");
        }
    }
}

#[test]
fn empty_and_equal_records_are_compared() {
    for (a, b, edits) in [
        ("", "", 0),
        ("ACGT", "", 4),
        ("", "ACGT", 4),
        ("acgu", "ACGT", 0),
        ("ACGT", "TTTT", 3),
    ] {
        for format in ["tsv", "vcf", "paf", "json", "svg"] {
            let run = swath(&["compare", "--text", a, b, "--format", format]);
            assert_eq!(run.code, Some(0), "{a} {b} {format}: {}", run.stderr);
        }
        let answer = swath(&["compare", "--text", a, b, "--json"]).json();
        assert_eq!(answer["figures"]["edits"], edits, "{a} {b}");
    }
}

#[test]
fn a_letter_without_a_complement_is_named_with_its_file_and_record() {
    let files = Files::new(&[
        ("dna.fa", b">d\nACGTTTGA\n"),
        ("prot.fa", b">p\nMKVLEFAE\n"),
        ("low.fa", b">q\nGANsl\n"),
        ("two.fa", b">d\nACGT\n>q\nGANsl\n"),
    ]);
    let both = [
        &["compare"][..],
        &["substring", "--strand", "both"],
        &["edit", "--strand", "both"],
        &["edit", "--strand", "both", "--mode", "prefix"],
        &["lcs", "--strand", "both"],
    ];
    for (file, told, calls) in [
        (
            "prot.fa",
            "prot.fa, record 'p': 'L' at position 3",
            &both[..],
        ),
        ("low.fa", "low.fa, record 'q': 'l' at position 4", &both[..]),
        (
            "two.fa",
            "two.fa, record 'q': 'l' at position 4",
            &both[..2],
        ),
    ] {
        for args in calls {
            for pair in [["dna.fa", file], [file, "dna.fa"]] {
                // A alone is turned where a part of B is compared.
                if args.contains(&"prefix") && pair[0] == "dna.fa" {
                    continue;
                }
                let args = [args, &pair[..]].concat();
                files.swath(&args).fails(2, &[told, "--strand forward"]);
            }
        }
    }
    files
        .swath(&["compare", "prot.fa", "prot.fa", "--strand", "forward"])
        .ok();
}

#[test]
fn nothing_equal_has_the_quality_zero() {
    let text = swath(&["compare", "--text", "AAAA", "CCCC"]).ok();
    assert!(text.contains("quality         Q0.0\n"), "{text}");
    let json = swath(&["compare", "--text", "AAAA", "CCCC", "--json"]).ok();
    assert!(json.contains("\"quality\":0.0"), "{json}");
}

#[test]
fn the_tag_cs_is_for_paf_of_bytes() {
    for args in [
        &["edit"][..],
        &["edit", "--format", "sam"],
        &["edit", "--format", "bam"],
        &["edit", "--format", "text"],
        &["edit", "--format", "paf", "--symbols", "chars"],
        &["compare"],
        &["compare", "--format", "vcf"],
    ] {
        let args = [args, &["--text", "ACGT", "ACCT"]].concat();
        swath(&[&args[..], &["--cs"]].concat()).fails(2, &["--cs", "--format paf"]);
        let mut by_environment = command(&args);
        by_environment.env("SWATH_CS", "1");
        assert_eq!(run(by_environment, b"").code, Some(0), "{args:?}");
    }
    let paf = swath(&["edit", "--text", "ACGT", "ACCT", "--cs", "--format", "paf"]).ok();
    assert!(paf.contains("\tcs:Z::2*cg:1\n"), "{paf}");
}

#[test]
fn sequences_no_more_similar_than_chance_get_a_note() {
    let mut random = Random(19);
    let (a, b) = (random.dna(2000), random.dna(2000));
    let turned = rotated(&reverse_complement(&random.edited(&a, 30)), 700);
    let edited = random.edited(&a, 4);
    let text = |dna: &[u8]| String::from_utf8(dna.to_vec()).expect("letters");
    for (other, by_chance) in [(&b, true), (&turned, true), (&edited, false), (&a, false)] {
        for command in ["edit", "lcs"] {
            let run = swath(&[command, "--text", &text(&a), &text(other)]);
            let note = "no more similar than random";
            assert_eq!(
                run.stderr.contains(note),
                by_chance,
                "{command}: {}",
                run.stderr
            );
            assert_eq!(
                run.stderr.lines().count(),
                usize::from(by_chance),
                "{}",
                run.stderr
            );
        }
    }
    // A part of a sequence is as far from the whole as any sequence of its length.
    let (whole, longer) = (random.dna(12_000), random.dna(3000));
    for (one, other, is_told) in [
        (&whole[..1500], &whole, "lengths differ so much"),
        (&random.dna(1500), &whole, "lengths differ so much"),
        (&a, &longer, "no more similar than random"),
    ] {
        for args in [["edit", "--text"], ["lcs", "--text"]] {
            for pair in [[text(one), text(other)], [text(other), text(one)]] {
                let run = swath(&[&args[..], &[&pair[0], &pair[1]]].concat());
                for part in [is_told, "swath edit --mode infix"] {
                    assert!(run.stderr.contains(part), "{args:?}: {}", run.stderr);
                }
                assert!(!run.stderr.contains("strand"), "{}", run.stderr);
                assert_eq!(run.stderr.lines().count(), 1, "{}", run.stderr);
            }
        }
    }
    let masked = text(&a).replace("ACG", "nnG").replace('T', "U");
    let run = swath(&["edit", "--text", &text(&a), &masked]);
    for note in ["--ambiguous iupac", "--equal U=T", "--ignore-case"] {
        assert!(run.stderr.contains(note), "{note}: {}", run.stderr);
    }
    let count = masked.matches('n').count();
    assert!(
        run.stderr
            .contains(&format!("0 letters of A and {count} of B")),
        "{}",
        run.stderr
    );
}

#[test]
fn lcs_of_dna_has_the_similarity_by_chance_beside_its_own() {
    let mut random = Random(23);
    let dna = random.dna(5000);
    let edited = random.edited(&dna, 10);
    let text = |dna: &[u8]| String::from_utf8(dna.to_vec()).expect("letters");
    let args = ["lcs", "--text", &text(&dna), &text(&edited)];
    let summary = swath(&args).ok();
    let line = summary
        .lines()
        .find_map(|line| line.strip_prefix("by chance"))
        .expect("DNA of this length has it");
    let (percent, _) = line.split_once(" %").expect("a share");
    let percent: u32 = percent.trim().parse().expect("a whole number");
    assert!((63..=66).contains(&percent), "{summary}");
    for other in [
        &["lcs", "--text", "ACGT", "ACGA"][..],
        &[&args[..], &["--ambiguous", "iupac"]].concat(),
    ] {
        assert!(!swath(other).ok().contains("by chance"), "{other:?}");
    }
}

#[test]
fn the_exit_code_tells_of_differences() {
    let code = |args: &[&str]| swath(&[args, &["--exit-code"]].concat()).code;
    for (a, b, expected) in [("AC", "AC", 0), ("AC", "AG", 1), ("", "", 0)] {
        for command in ["edit", "lcs", "compare"] {
            assert_eq!(
                code(&[command, "--text", a, b]),
                Some(expected),
                "{command} {a} {b}"
            );
        }
    }
    assert_eq!(code(&["edit", "--text", "AC", "AG", "-k", "1"]), Some(0));
    assert_eq!(
        code(&[
            "edit", "--text", "AAAA", "CCACAACC", "--mode", "infix", "-k", "1"
        ]),
        Some(0)
    );
    assert_eq!(
        code(&[
            "edit", "--text", "AAAA", "CCCCCC", "--mode", "infix", "-k", "1"
        ]),
        Some(1)
    );
    assert_eq!(code(&["substring", "--text", "AC", "GT"]), Some(1));
    assert_eq!(code(&["substring", "--text", "AC", "CT"]), Some(0));
    assert_eq!(swath(&["edit", "--text", "AC", "AG"]).code, Some(0));
}

#[test]
fn sam_has_the_query_as_it_lies_in_the_target() {
    let mut random = Random(23);
    let targets = [random.dna(900), random.dna(1200)];
    let reads = [
        ("r1", targets[0][100..180].to_vec()),
        (
            "r2",
            reverse_complement(&random.edited(&targets[1][500..620], 20)),
        ),
    ];
    let of_reads: Vec<_> = reads.iter().map(|(name, dna)| (*name, &dna[..])).collect();
    let files = Files::new(&[
        ("q.fa", &fasta(&of_reads)),
        ("t.fa", &fasta(&[("t1", &targets[0]), ("t2", &targets[1])])),
    ]);
    let args = [
        "edit", "q.fa", "t.fa", "--mode", "infix", "--strand", "both", "-k", "30",
    ];
    let sam = files
        .swath(&[&args[..], &["--format", "sam"]].concat())
        .ok();
    assert!(
        sam.contains("@SQ\tSN:t1\tLN:900\n@SQ\tSN:t2\tLN:1200\n"),
        "{sam}"
    );
    let lines: Vec<Vec<&str>> = sam
        .lines()
        .filter(|line| !line.starts_with('@'))
        .map(|line| line.split('\t').collect())
        .collect();
    let found: Vec<_> = lines.iter().map(|line| (line[0], line[2])).collect();
    assert_eq!(found, [("r1", "t1"), ("r2", "t2")]);
    assert_eq!((lines[0][1], lines[0][3], lines[0][5]), ("0", "101", "80="));
    assert_eq!(lines[0][9].as_bytes(), reads[0].1);
    assert_eq!(lines[1][9].as_bytes(), reverse_complement(&reads[1].1));
    // Reverse, and primary: the first target is too far apart.
    assert_eq!(lines[1][1], "16");
    if Command::new("samtools").arg("--version").output().is_err() {
        eprintln!("skipped: samtools is not installed");
        return;
    }
    files
        .swath(&[&args[..], &["--format", "sam", "-o", "r.sam"]].concat())
        .ok();
    let output = Command::new("samtools")
        .args(["calmd", "r.sam", "t.fa"])
        .current_dir(&files.0)
        .output()
        .expect("samtools runs");
    let stderr = String::from_utf8_lossy(&output.stderr);
    // It computes NM itself, and tells of every other value.
    assert!(
        output.status.success() && !stderr.contains("different NM"),
        "{stderr}"
    );
    let text = String::from_utf8(output.stdout).expect("text");
    assert_eq!(
        text.lines().filter(|line| line.contains("\tMD:Z:")).count(),
        2,
        "{text}"
    );
}

#[test]
fn sam_marks_all_alignments_of_a_query_but_the_nearest_as_secondary() {
    let mut random = Random(24);
    let read = random.dna(90);
    let [near, far] = [random.edited(&read, 40), random.edited(&read, 9)];
    let targets = [&far, &near, &read, &near, &read].map(|piece| {
        let [before, after] = [random.dna(50), random.dna(60)];
        [&before[..], piece, &after].concat()
    });
    let names = ["t0", "t1", "t2", "t3", "t4"];
    let of_targets: Vec<_> = names
        .into_iter()
        .zip(targets.iter().map(|one| &one[..]))
        .collect();
    let other = random.dna(70);
    let files = Files::new(&[
        (
            "q.fa",
            &fasta(&[("r", &read), ("none", &other), ("again", &near)]),
        ),
        ("t.fa", &fasta(&of_targets)),
    ]);
    let args = [
        "edit", "q.fa", "t.fa", "--mode", "infix", "-k", "25", "--format", "sam",
    ];
    let flags = |sam: &str| -> Vec<(String, String, String)> {
        let of = |line: &str| {
            let fields: Vec<_> = line.split('\t').map(str::to_string).collect();
            (fields[0].clone(), fields[2].clone(), fields[1].clone())
        };
        sam.lines()
            .filter(|line| !line.starts_with('@'))
            .map(of)
            .collect()
    };
    let found = flags(&files.swath(&args).ok());
    for (query, nearest) in [("r", "t2"), ("again", "t1")] {
        let of_query: Vec<_> = found.iter().filter(|line| line.0 == query).collect();
        assert_eq!(of_query.len(), 5, "{found:?}");
        for (_, target, flag) in of_query {
            assert_eq!(
                flag,
                if target == nearest { "0" } else { "256" },
                "{found:?}"
            );
        }
    }
    assert_eq!(found.len(), 10);
    files.swath(&[&args[..], &["-o", "r.sam"]].concat()).ok();
    let written = std::fs::read_to_string(files.0.path().join("r.sam")).expect("written");
    assert_eq!(flags(&written), found);
}

#[test]
fn dot_plots_of_alignments_are_small() {
    let mut random = Random(29);
    let a = random.dna(30_000);
    let b = random.edited(&a, 8);
    let files = Files::new(&[
        ("a.fa", &fasta(&[("a", &a)])),
        ("b.fa", &fasta(&[("b", &b)])),
    ]);
    for command in ["lcs", "edit", "compare"] {
        let svg = files
            .swath(&[command, "a.fa", "b.fa", "--format", "svg"])
            .ok();
        assert!(svg.starts_with("<svg ") && svg.trim_end().ends_with("</svg>"));
        assert!(svg.len() < 100_000, "{command}: {}", svg.len());
        // Both corners of the diagonal are drawn.
        assert!(
            svg.contains("M0 0.5h") || svg.contains("M0.0 0.0L"),
            "{command}"
        );
    }
}
