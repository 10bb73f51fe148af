//! Strands, origins and notes on DNA of `swath edit` and `swath lcs`, and PAF.

use crate::generated::{Random, cigar_parts, distance, pair, reverse_complement, rotated, text};
use crate::process::{Dir, contains, each, get, list, swath};

/// Edits of a line of PAF, whose strand, places and tags are checked.
fn check_paf(line: &str, query: &[u8], target: &[u8]) -> usize {
    let columns: Vec<_> = line.split('\t').collect();
    let number = |column: usize| columns[column].parse::<usize>().expect("a number");
    assert_eq!((number(1), number(6)), (query.len(), target.len()));
    let mut part = query[number(2)..number(3)].to_vec();
    if columns[4] == "-" {
        part = reverse_complement(&part);
    }
    let target = &target[number(7)..number(8)];
    let tag = |name: &str| {
        let found = columns[12..].iter().find_map(|tag| tag.strip_prefix(name));
        found.unwrap_or_else(|| panic!("{name} in {line}"))
    };
    let lower = |dna: &[u8]| text(dna).to_ascii_lowercase();
    let (mut edits, mut cs) = (0, String::new());
    for (operation, of_query, of_target) in cigar_parts(tag("cg:Z:"), &part, target) {
        let len = of_query.len().max(of_target.len());
        edits += if operation == '=' { 0 } else { len };
        match operation {
            '=' => {
                assert_eq!(of_query, of_target);
                cs += &format!(":{len}");
            }
            'X' => {
                for (x, y) in of_query.iter().zip(of_target) {
                    assert_ne!(x, y);
                    cs += &format!("*{}{}", lower(&[*y]), lower(&[*x]));
                }
            }
            'I' => cs += &format!("+{}", lower(of_query)),
            _ => cs += &format!("-{}", lower(of_target)),
        }
    }
    assert_eq!((tag("tp:A:"), tag("cs:Z:")), ("P", &cs[..]));
    let score = -(edits as i64);
    assert_eq!(
        [tag("NM:i:"), tag("AS:i:")],
        [edits.to_string(), score.to_string()]
    );
    edits
}

#[test]
fn paf_has_strand_and_places_of_the_record() {
    let mut random = Random(11);
    for (start, strand) in [(0, "+"), (0, "-"), (1700, "+"), (1700, "-")] {
        let b = random.dna(4000);
        let edited = random.edited(&b, 40);
        let turned = reverse_complement(&edited);
        let a = rotated(if strand == "-" { &turned } else { &edited }, start);
        let dir = pair(&a, &b);
        let found = dir.swath("edit a.fa b.fa --strand both --circular --cs --format paf");
        let summary = found.stderr.clone();
        let paf = found.ok();
        assert_eq!(paf.lines().count(), if start == 0 { 1 } else { 2 }, "{paf}");
        let strands = paf.lines().map(|line| line.split('\t').nth(4));
        assert!(strands.eq(paf.lines().map(|_| Some(strand))), "{paf}");
        let edits: usize = paf.lines().map(|line| check_paf(line, &a, &b)).sum();
        contains(&summary, format!("distance        {edits}\n"));
        assert!(edits.abs_diff(distance(&edited, &b)) <= 4);
        let lcs = dir.swath("lcs a.fa b.fa --strand both --circular --json");
        let lcs = lcs.has(format!("/a/strand={strand}"));
        assert!(get::<f64>(&lcs["similarity"]) > 0.95);
    }
}

#[test]
fn paf_ignores_the_case_of_nucleotides_alone() {
    let rows = [
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
    ];
    each(rows, |(a, b, tags)| {
        let dir = Dir::texts(&[("a", a), ("b", b)]);
        let tags_of = |line: &str| {
            let paf = dir.swath(format!("{line} --format paf")).ok();
            paf.trim_end()
                .split('\t')
                .skip(13)
                .collect::<Vec<_>>()
                .join(" ")
        };
        assert_eq!(tags_of(&format!("edit --text {a} {b} --cs")), tags);
        assert_eq!(
            tags_of("pairs a b --path"),
            tags.split(" cs").next().unwrap_or_default()
        );
    });
}

#[test]
fn queries_are_searched_on_both_strands() {
    let target = Random(13).dna(3000);
    for (start, len) in [(100, 60), (2900, 100), (1234, 7)] {
        let piece = reverse_complement(&target[start..start + len]);
        let dir = pair(&piece, &target);
        let search = "edit a.fa b.fa --mode infix --strand both";
        let answer = dir.swath(format!("{search} --json --starts"));
        let answer = answer.has("distance=0 | /a/strand=-");
        let places: Vec<[usize; 2]> = get(&answer["pieces"]);
        assert!(places.contains(&[start, start + len]), "{places:?}");
        let paf = dir.swath(format!("{search} --format paf --cs")).ok();
        assert_eq!(check_paf(paf.trim_end(), &piece, &target), 0);
    }
    // Of equally good strands the forward one is reported.
    swath("edit --text ACGT ACGT --strand both --mode infix --json").has("/a/strand=+");
}

#[test]
fn options_for_dna_refuse_other_symbols() {
    Dir::new(&[]).fail(
        2,
        "",
        "
        lcs --text a b --symbols lines --circular         => --circular | --symbols bytes
        lcs --text a b --symbols lines --strand both      => --strand | DNA
        edit --text hello world --strand both             => 'e' at position 1 | DNA
        edit --text ACGU ACGT --strand both               => 'U' at position 3
        edit --text hello ACGT --strand both --mode infix => 'e'
        edit --text ACG ACG --circular --mode infix       => --mode global
    ",
    );
    // A variable for other commands is ignored.
    swath("SWATH_STRAND=both SWATH_CIRCULAR=1 lcs --text a b --symbols lines").ok();
}

#[test]
fn the_tag_cs_is_for_paf_of_bytes() {
    let rows = "
        edit
        edit --format sam
        edit --format bam
        edit --format text
        edit --format paf --symbols chars
        compare
        compare --format vcf
    ";
    each(list(rows), |call| {
        swath(format!("{call} --text ACGT ACCT --cs")).fails(2, "--cs | --format paf");
        let by_environment = swath(format!("SWATH_CS=1 {call} --text ACGT ACCT"));
        by_environment.ends(0, "");
    });
    swath("edit --text ACGT ACCT --cs --format paf").shows("\tcs:Z::2*cg:1\n");
}

#[test]
fn sequences_no_more_similar_than_chance_get_a_note() {
    let mut random = Random(19);
    let (a, b) = (random.dna_text(2000), random.dna_text(2000));
    let turned = text(&rotated(
        &reverse_complement(&random.edited(a.as_bytes(), 30)),
        700,
    ));
    let edited = text(&random.edited(a.as_bytes(), 4));
    let (whole, longer) = (random.dna_text(12_000), random.dna_text(3000));
    let (part, short) = (&whole[..1500], random.dna_text(1500));
    let by_chance = "no more similar than random";
    // A part of a sequence is as far from the whole as any sequence of its length.
    let by_length = "lengths differ so much | swath edit --mode infix";
    for (one, other, note) in [
        (&a[..], &b[..], by_chance),
        (&a, &turned, by_chance),
        (&a, &edited, ""),
        (&a, &a, ""),
        (part, &whole, by_length),
        (&whole, part, by_length),
        (&short, &whole, by_length),
        (&whole, &short, by_length),
        (
            &a,
            &longer,
            "no more similar than random | swath edit --mode infix",
        ),
        (
            &longer,
            &a,
            "no more similar than random | swath edit --mode infix",
        ),
    ] {
        for command in ["edit", "lcs"] {
            let run = swath(format!("{command} --text {one} {other}")).notes(note);
            assert_eq!(
                run.stderr.lines().count(),
                usize::from(!note.is_empty()),
                "{}",
                run.stderr
            );
            assert!(
                !note.contains("infix") || !run.stderr.contains("strand"),
                "{}",
                run.stderr
            );
        }
    }
    let masked = a.replace("ACG", "nnG").replace('T', "U");
    let count = masked.matches('n').count();
    swath(format!("edit --text {a} {masked}")).notes(format!(
        "--ambiguous iupac | --equal U=T | --ignore-case | 0 letters of A and {count} of B"
    ));
    let matched = swath(format!("edit --text {a} {masked} --ambiguous iupac")).stderr;
    assert!(!matched.contains("stand for"), "{matched}");
}

#[test]
fn lcs_of_dna_has_the_similarity_by_chance() {
    let mut random = Random(23);
    let dna = random.dna(5000);
    let call = format!(
        "lcs --text {} {}",
        text(&dna),
        text(&random.edited(&dna, 10))
    );
    let summary = swath(&call).ok();
    let line = summary
        .lines()
        .find_map(|line| line.strip_prefix("by chance"));
    let (percent, _) = line
        .expect("long DNA has it")
        .split_once(" %")
        .expect("a share");
    let percent: u32 = percent.trim().parse().expect("a whole number");
    assert!((63..=66).contains(&percent), "{summary}");
    for other in ["lcs --text ACGT ACGA", &format!("{call} --ambiguous iupac")] {
        assert!(!swath(other).ok().contains("by chance"), "{other}");
    }
}

#[test]
fn the_exit_code_tells_of_differences() {
    each(["edit", "lcs", "compare"], |command| {
        for (texts, code) in [("AC AC", 0), ("AC AG", 1), ("'' ''", 0)] {
            swath(format!("{command} --text {texts} --exit-code")).ends(code, "");
        }
    });
    let rows = [
        ("edit --text AC AG -k 1 --exit-code", 0),
        ("edit --text AAAA CCACAACC --mode infix -k 1 --exit-code", 0),
        ("edit --text AAAA CCCCCC --mode infix -k 1 --exit-code", 1),
        ("substring --text AC GT --exit-code", 1),
        ("substring --text AC CT --exit-code", 0),
        ("edit --text AC AG", 0),
    ];
    each(rows, |(line, code)| swath(line).ends(code, ""));
}
