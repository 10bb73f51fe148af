//! `swath search`: formats, strands, exact parts, notes and invalid input.

use serde_json::Value;

use crate::process::{Files, gzip};

const GUIDES: &[u8] = b">g1\nACGTACCA\n>g2\nTTGACCAG\n";
/// `GENOME` has g1 on both strands, and g2 with an edit.
const GENOME: &[u8] = b">chr1 first\nGGACGTACCATGGGGCCTGGTACGTCC\n>chr2\nCCTTGACAGTT\n>chr3\nCC\n";

fn files() -> Files {
    Files::new(&[
        ("g.fa", GUIDES),
        ("t.fa", GENOME),
        ("t.fa.gz", &gzip(GENOME)),
        ("p.txt", b"needle\nstack\n"),
        ("hay.txt", b"a needel in a hay stack\r\n\ntwo needles\n"),
        ("n.txt", b"ACGTNCCA\n"),
    ])
}

fn search(files: &Files, args: &str) -> String {
    let args: Vec<_> = args.split_whitespace().collect();
    files.swath(&[&["search"], &args[..]].concat()).ok()
}

#[test]
fn every_format_has_the_places_in_order() {
    let files = files();
    let both = "g1\tchr1\t2\t10\t+\t0\ng1\tchr1\t17\t25\t-\t0\ng2\tchr2\t2\t9\t+\t1\n";
    for (args, expected) in [
        ("g.fa t.fa -k 1 --strand both", both),
        ("g.fa t.fa.gz -k 1 --strand both -o -", both),
        ("g.fa t.fa -k 0", "g1\tchr1\t2\t10\t+\t0\n"),
        (
            "g.fa t.fa -k 0 --strand reverse",
            "g1\tchr1\t17\t25\t-\t0\n",
        ),
        (
            "g.fa t.fa -k 1 --path",
            "g1\tchr1\t2\t10\t+\t0\t8=\ng2\tchr2\t2\t9\t+\t1\t5=1I2=\n",
        ),
        (
            "g.fa t.fa -k 0 --all ends --strand both --positions --format bed",
            "0\t2\t10\t0\t0\t+\n0\t17\t25\t0\t0\t-\n",
        ),
        ("g.fa t.fa -k 1 --strand both --count", "g1\t2\ng2\t1\n"),
        (
            "g.fa t.fa -k 0 --format ndjson",
            "{\"pattern\":\"g1\",\"text\":\"chr1\",\"start\":2,\"end\":10,\"strand\":\"+\",\"cost\":0}\n",
        ),
        (
            "g.fa t.fa -k 1 --strand reverse --format paf --path",
            "g1\t8\t0\t8\t-\tchr1\t27\t17\t25\t8\t8\t255\ttp:A:P\tNM:i:0\tAS:i:0\tde:f:0.0000\tcg:Z:8=\n",
        ),
        (
            "p.txt hay.txt -k 2",
            "0\t0\t2\t7\t+\t1\n1\t0\t18\t23\t+\t0\n0\t2\t4\t10\t+\t0\n",
        ),
        (
            "p.txt hay.txt -k 2 --hamming",
            "0\t0\t2\t8\t+\t2\n1\t0\t18\t23\t+\t0\n0\t2\t4\t10\t+\t0\n",
        ),
    ] {
        assert_eq!(search(&files, args), expected, "{args}");
    }
    let json = files.swath(&[
        "search", "g.fa", "t.fa", "-k", "1", "-o", "out.tsv", "--json", "--strand", "both",
    ]);
    let json = json.json();
    assert_eq!(json["schema"], "swath/search/1");
    assert_eq!(
        (&json["places"], &json["max_distance"]),
        (&Value::from(3), &Value::from(1))
    );
    let plan = files
        .swath(&["search", "g.fa", "t.fa", "-k", "1", "--dry-run", "--json"])
        .json();
    assert_eq!(plan["schema"], "swath/search-plan/1");
}

#[test]
fn exact_parts_motifs_and_letters_that_match_others() {
    let files = files();
    for (args, expected) in [
        ("g.fa t.fa -k 0 --pam TGG", "g1\tchr1\t2\t10\t+\t0\n"),
        ("g.fa t.fa -k 0 --pam NGG", "g1\tchr1\t2\t10\t+\t0\n"),
        ("g.fa t.fa -k 0 --pam NAA", ""),
        (
            "g.fa t.fa -k 0 --pam SK --strand reverse",
            "g1\tchr1\t17\t25\t-\t0\n",
        ),
        ("g.fa t.fa -k 0 --pam GM --strand reverse", ""),
        (
            "g.fa t.fa -k 0 --pam GGC --strand reverse",
            "g1\tchr1\t17\t25\t-\t0\n",
        ),
        ("g.fa t.fa -k 1 --exact-tail 4", "g1\tchr1\t2\t10\t+\t0\n"),
        (
            "g.fa t.fa -k 1 --exact-tail 2",
            "g1\tchr1\t2\t10\t+\t0\ng2\tchr2\t2\t9\t+\t1\n",
        ),
        (
            "g.fa t.fa -k 1 --exact-head 5",
            "g1\tchr1\t2\t10\t+\t0\ng2\tchr2\t2\t9\t+\t1\n",
        ),
        ("n.txt t.fa -k 0", ""),
        (
            "n.txt t.fa -k 0 --ambiguous iupac",
            "0\tchr1\t2\t10\t+\t0\n",
        ),
        ("n.txt t.fa -k 0 --equal N=A", "0\tchr1\t2\t10\t+\t0\n"),
    ] {
        assert_eq!(search(&files, args), expected, "{args}");
    }
}

#[test]
fn same_rows_for_every_number_of_threads() {
    let mut state = 7u64;
    let mut letters = |len: usize| -> Vec<u8> {
        let letter = |_| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            b"ACGT"[(state >> 61) as usize % 4]
        };
        (0..len).map(letter).collect()
    };
    let (patterns, text) = (letters(100), letters(300_000));
    let patterns: Vec<u8> = patterns
        .chunks(12)
        .flat_map(|one| [one, b"\n"].concat())
        .collect();
    let files = Files::new(&[("p.txt", &patterns), ("t.txt", &text)]);
    let args = "search p.txt t.txt -k 2 --strand both --path --all ends --threads";
    let run = |threads: &str| {
        let args: Vec<_> = args.split(' ').chain([threads]).collect();
        files.swath(&args).ok()
    };
    let one = run("1");
    assert!(one.lines().count() > 1000);
    assert_eq!(one, run("2"));
}

#[test]
fn letters_that_differ_though_they_may_mean_the_same_are_told() {
    let upper = b"ACGT".repeat(40);
    let files = Files::new(&[
        ("p.txt", b"ACGTACG\n"),
        ("n.txt", &[&upper[..], b"NNN"].concat()),
        ("lower.txt", &upper.to_ascii_lowercase()),
        ("short.txt", b"AC"),
    ]);
    let run = |args: &str| {
        let args: Vec<_> = args.split(' ').collect();
        files.swath(&args)
    };
    for (args, part) in [
        (
            "search p.txt n.txt -k 1",
            "0 letters of the patterns and 3 of the texts stand for several bases, such as N, and match themselves alone; with --ambiguous iupac",
        ),
        (
            "search p.txt lower.txt -k 1",
            "with --ignore-case they match",
        ),
        (
            "search p.txt short.txt -k 1",
            "no text is long enough for a place: the longest has 2 symbols, and the shortest pattern within 1 edits takes 6",
        ),
    ] {
        let run = run(args);
        assert!(run.stderr.contains(part), "{args}: {}", run.stderr);
    }
    let quiet = run("search p.txt n.txt -k 1 --ambiguous iupac");
    assert!(!quiet.stderr.contains("several bases"), "{}", quiet.stderr);
    assert!(
        run("search p.txt lower.txt -k 0 --ignore-case")
            .ok()
            .lines()
            .count()
            > 30
    );
}

#[test]
fn invalid_input_is_refused_with_a_remedy() {
    let files = Files::new(&[
        ("p.fa", b">a\nACGTACGT\n>b\nACG\n"),
        ("empty.fa", b">a\nACGT\n>b\n\n"),
        ("word.txt", b"ACGT\nwo-d\n"),
        ("t.txt", b"ACGTACGTAC\n"),
    ]);
    for (args, parts) in [
        (
            "p.fa t.txt -k 3",
            &["p.fa, record 'b'", "3 symbols that may have edits", "(-k)"][..],
        ),
        (
            "p.fa t.txt -k 1 --exact-tail 2",
            &["record 'b'", "1 symbols that may have edits"],
        ),
        (
            "p.fa t.txt -k 0 --exact-head 3",
            &["record 'b'", "3 of them have to be exact"],
        ),
        ("empty.fa t.txt -k 0", &["empty.fa, record 'b'", "empty"]),
        (
            "word.txt t.txt -k 0 --strand both",
            &["record 2", "reverse strand"],
        ),
        ("p.fa t.txt -k 0 --pam N-G", &["motif", "IUPAC"]),
        (
            "p.fa t.txt -k 0 --count --format bed",
            &["--count", "--format"],
        ),
        (
            "p.fa t.txt -k 0 --path --format bed",
            &["--format bed", "--path"],
        ),
        (
            "p.fa t.txt -k 0 --symbols chars --pam NGG",
            &["--pam", "--symbols bytes"],
        ),
    ] {
        let args: Vec<_> = args.split(' ').collect();
        files
            .swath(&[&["search"], &args[..]].concat())
            .fails(2, parts);
    }
}
