//! `swath search`: formats, strands, exact parts, notes and invalid input.

use std::fs;

use serde_json::Value;

use crate::compare::Random;
use crate::process::{Files, gzip};

const GUIDES: &[u8] = b">g1\nACGTACCA\n>g2\nTTGACCAG\n";
/// `GENOME` has g1 on both strands, and g2 with an edit.
const GENOME: &[u8] = b">chr1 first\nGGACGTACCATGGGGCCTGGTACGTCC\n>chr2\nCCTTGACAGTT\n>chr3\nCC\n";

fn files() -> Files {
    Files::new(&[
        ("g.fa", GUIDES),
        (
            "g.fq",
            b"@g1\nACGTACCA\n+\n!BCDEFG~\n@g2\nTTGACCAG\n+\nIIIIJJJJ\n@g3\nAAAAAA\n+\nKKKKKK\n",
        ),
        ("t.fa", GENOME),
        ("t.fa.gz", &gzip(GENOME)),
        ("p.txt", b"needle\nstack\n"),
        ("hay.txt", b"a needel in a hay stack\r\n\ntwo needles\n"),
        ("n.txt", b"ACGTNCCA\n"),
        ("o.fa", b">a\nAGATCGGAACTC\n"),
        // The adapter sticks out at the end, on the other strand at the start, and at the start.
        (
            "r.fa",
            b">read1\nTTTTTAGATCGGA\n>read2\nTCCGATCTTTTTT\n>read3\nTCGGAACTCTTT\n",
        ),
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
        (
            "p.txt hay.txt -k 2 --max-gaps 0",
            "0\t0\t2\t8\t+\t2\n1\t0\t18\t23\t+\t0\n0\t2\t4\t10\t+\t0\n",
        ),
        (
            "g.fa t.fa -k 1 --max-substitutions 0 --max-gaps 1 --strand both --path",
            "g1\tchr1\t2\t10\t+\t0\t8=\ng1\tchr1\t17\t25\t-\t0\t8=\ng2\tchr2\t2\t9\t+\t1\t5=1I2=\n",
        ),
        (
            "o.fa r.fa -k 2 --overhang 0.5 --strand both --path",
            "a\tread1\t5\t13\t+\t2\t8=4S\na\tread2\t0\t8\t-\t2\t4S8=\na\tread3\t0\t9\t+\t1\t3S9=\n",
        ),
        (
            "o.fa r.fa -k 2 --overhang 0.5 --format ndjson --max-gaps 0",
            "{\"pattern\":\"a\",\"text\":\"read1\",\"start\":5,\"end\":13,\"strand\":\"+\",\"cost\":2,\"overhang\":[0,4]}\n\
             {\"pattern\":\"a\",\"text\":\"read3\",\"start\":0,\"end\":9,\"strand\":\"+\",\"cost\":1,\"overhang\":[3,0]}\n",
        ),
        (
            "o.fa r.fa -k 2 --overhang 0.5 --strand both --format paf --path",
            "a\t12\t0\t8\t+\tread1\t13\t5\t13\t8\t8\t255\ttp:A:P\tNM:i:0\tAS:i:0\tde:f:0.0000\tcg:Z:8=\n\
             a\t12\t0\t8\t-\tread2\t13\t0\t8\t8\t8\t255\ttp:A:P\tNM:i:0\tAS:i:0\tde:f:0.0000\tcg:Z:8=\n\
             a\t12\t3\t12\t+\tread3\t12\t0\t9\t9\t9\t255\ttp:A:P\tNM:i:0\tAS:i:0\tde:f:0.0000\tcg:Z:9=\n",
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

/// Lines of SAM without those of its version and of the command.
fn sam(text: &str) -> Vec<&str> {
    let is_shown = |line: &&str| !(line.starts_with("@HD") || line.starts_with("@PG"));
    text.lines().filter(is_shown).collect()
}

#[test]
fn sam_has_the_best_place_of_each_pattern_first() {
    let files = files();
    let targets = [
        "@SQ\tSN:chr1\tLN:27",
        "@SQ\tSN:chr2\tLN:11",
        "@SQ\tSN:chr3\tLN:2",
    ];
    for (args, expected) in [
        (
            "g.fq t.fa -k 1 --strand both",
            &[
                "g1\t0\tchr1\t3\t255\t8=\t*\t0\t0\tACGTACCA\t!BCDEFG~\tNM:i:0\tAS:i:0",
                "g1\t272\tchr1\t18\t255\t8=\t*\t0\t0\tTGGTACGT\t~GFEDCB!\tNM:i:0\tAS:i:0",
                "g2\t0\tchr2\t3\t255\t5=1I2=\t*\t0\t0\tTTGACCAG\tIIIIJJJJ\tNM:i:1\tAS:i:-1",
                "g3\t4\t*\t0\t0\t*\t*\t0\t0\tAAAAAA\tKKKKKK",
            ][..],
        ),
        (
            // The best place is not the first one in the text.
            "g.fa t.fa -k 2 --strand reverse",
            &[
                "g1\t16\tchr1\t18\t255\t8=\t*\t0\t0\tTGGTACGT\t*\tNM:i:0\tAS:i:0",
                "g1\t272\tchr1\t1\t255\t1I2=1I4=\t*\t0\t0\tTGGTACGT\t*\tNM:i:2\tAS:i:-2",
                "g2\t16\tchr1\t17\t255\t5=1I1=1X\t*\t0\t0\tCTGGTCAA\t*\tNM:i:2\tAS:i:-2",
            ],
        ),
        (
            // Of equal costs the first place is primary.
            "n.txt t.fa -k 1 --ambiguous iupac --strand both --path",
            &[
                "0\t0\tchr1\t3\t255\t4=1X3=\t*\t0\t0\tACGTNCCA\t*\tNM:i:1\tAS:i:0",
                "0\t272\tchr1\t18\t255\t3=1X4=\t*\t0\t0\tTGGNACGT\t*\tNM:i:1\tAS:i:0",
            ],
        ),
    ] {
        let text = search(&files, &format!("{args} --format sam"));
        assert_eq!(sam(&text), [&targets, expected].concat(), "{args}");
        let command = text.lines().find(|line| line.starts_with("@PG"));
        let end = format!("search {args} --format sam");
        assert!(command.is_some_and(|line| line.ends_with(&end)), "{text}");
    }
    let args = "o.fa r.fa -k 2 --overhang 0.5 --strand both --format sam";
    let clipped = search(&files, args);
    let clipped: Vec<_> = clipped
        .lines()
        .filter(|line| !line.starts_with('@'))
        .collect();
    let expected = [
        "a\t0\tread3\t1\t255\t3S9=\t*\t0\t0\tAGATCGGAACTC\t*\tNM:i:0\tAS:i:-1",
        "a\t256\tread1\t6\t255\t8=4S\t*\t0\t0\tAGATCGGAACTC\t*\tNM:i:0\tAS:i:-2",
        "a\t272\tread2\t1\t255\t4S8=\t*\t0\t0\tGAGTTCCGATCT\t*\tNM:i:0\tAS:i:-2",
    ];
    assert_eq!(clipped, expected);
}

/// Texts of many lengths, some of them empty, and patterns with places in many of them.
fn many_texts() -> Files {
    let mut random = Random(5);
    let (mut fasta, mut lines, mut words) = (Vec::new(), Vec::new(), Vec::new());
    for number in 0..60 {
        let len = random.below(8000);
        let text = random.dna(len);
        fasta.extend(format!(">t{number}\n").bytes());
        text.chunks(70)
            .for_each(|line| fasta.extend([line, b"\n"].concat()));
        lines.extend([&text[..], if number % 2 == 0 { b"\n" } else { b"\r\n" }].concat());
        text.chunks(3)
            .for_each(|word| words.extend([word, b" "].concat()));
        words.push(b'\n');
    }
    let long = random.dna(3_200_000);
    let patterns: Vec<u8> = (0..12)
        .flat_map(|_| [&random.dna(9)[..], b"\n"].concat())
        .collect();
    Files::new(&[
        ("p.txt", &patterns),
        ("w.txt", b"AAC GTT CCC TTT\nACG TGC AAA CCC\n"),
        ("t.fa", &fasta),
        ("t.fa.gz", &gzip(&fasta)),
        ("t.txt", &lines),
        ("words.txt", &words),
        (
            "two.fa",
            &[b">one\n", &long[..], b"\n>two\n", &long[..]].concat(),
        ),
        ("damaged.fa", &[&fasta[..], b">broken\n12 ACGT\n"].concat()),
        ("longer.fa", &[&fasta[..], b">more\nACGTACGTAC\n"].concat()),
        (
            "other.fa",
            &String::from_utf8_lossy(&fasta)
                .replace(">t3\n", ">t03\n")
                .into_bytes(),
        ),
    ])
}

/// Memory in which the texts have more than ten batches.
const SMALL: &str = "--mem-host 2M --threads 2";

#[test]
fn batches_and_parts_have_the_rows_of_the_whole() {
    let files = many_texts();
    for texts in ["t.fa", "t.fa.gz", "t.txt", "words.txt"] {
        for (options, has_parts) in [
            ("-k 1", true),
            ("-k 1 --strand both --format paf --path", true),
            ("-k 2 --all best --format ndjson", true),
            ("-k 1 --positions --format bed", true),
            ("-k 1 --show strings", true),
            ("-k 1 --symbols chars", true),
            ("-k 2 --symbols tokens", true),
            ("-k 1 --count", false),
            ("-k 1 --strand both --format sam", false),
        ] {
            let (is_words, is_bytes) = (texts == "words.txt", !options.contains("--symbols"));
            if is_words != options.contains("tokens") || texts == "t.fa.gz" && !is_bytes {
                continue;
            }
            let patterns = if is_words { "w.txt" } else { "p.txt" };
            let call = format!("{patterns} {texts} {options}");
            let whole = search(&files, &call);
            assert!(whole.lines().count() > 10, "{call}");
            let small = search(&files, &format!("{call} {SMALL}"));
            assert_eq!(sam(&whole), sam(&small), "{call}");
            let parts: &[u64] = match (has_parts, options) {
                (false, _) => &[],
                (true, "-k 1") => &[1, 70],
                (true, _) => &[3],
            };
            for parts in parts {
                let rows: String = (0..*parts)
                    .map(|part| search(&files, &format!("{call} --shard {part}/{parts} {SMALL}")))
                    .collect();
                assert_eq!(whole, rows, "{call} in {parts} parts");
            }
        }
    }
    // The memory takes each of the texts of two.fa, but not both.
    let long = search(&files, "p.txt two.fa -k 0 --mem-host 6M --threads 2");
    assert_eq!(long, search(&files, "p.txt two.fa -k 0"));
    assert!(long.contains("\tone\t") && long.contains("\ttwo\t"));
    let text = fs::read(files.path("t.fa")).expect("it is there");
    let args = format!("search p.txt - -k 1 {SMALL}");
    let args: Vec<_> = args.split(' ').collect();
    let piped = files.swath_with_stdin(&args, &text);
    let summary = piped.stderr.clone();
    assert_eq!(piped.ok(), search(&files, "p.txt t.fa -k 1"));
    assert!(summary.contains("60 strings, "), "{summary}");
    let plan = |more: &str| {
        let args = format!("search p.txt t.fa -k 1 --dry-run --json {more}");
        let args: Vec<_> = args.split_whitespace().collect();
        files.swath(&args).json()
    };
    let (whole, small) = (plan(""), plan(SMALL));
    assert_eq!(
        (&whole["cells"], &whole["b"]),
        (&small["cells"], &small["b"])
    );
}

#[test]
fn an_unfinished_search_goes_on_after_the_last_batch() {
    let files = many_texts();
    let copy = |name: &str| {
        fs::copy(files.path(name), files.path("now.fa")).expect("it is copied");
    };
    let call = |more: &str| {
        let args = format!("search p.txt now.fa --strand both {SMALL} -o out {more}");
        let args: Vec<_> = args.split_whitespace().collect();
        files.swath(&args)
    };
    let fail = || {
        copy("damaged.fa");
        let run = call("-k 1");
        assert_eq!(run.code, Some(2), "{}", run.stderr);
        for part in ["now.fa: malformed", "texts are in", "out.part", "--resume"] {
            assert!(run.stderr.contains(part), "{}", run.stderr);
        }
    };
    fail();
    copy("longer.fa");
    for (other, reason) in [("-k 2", "-k"), ("-k 1 --shard 0/1", "--shard")] {
        call(&format!("{other} --resume")).fails(2, &["another call", reason]);
    }
    copy("other.fa");
    let run = call("-k 1 --resume");
    assert!(
        run.stderr.contains("texts of now.fa are not those"),
        "{}",
        run.stderr
    );
    copy("longer.fa");
    let json = call("-k 1 --resume --json").json();
    assert!(json["resumed"].as_u64().is_some_and(|texts| texts > 10));
    let out = fs::read_to_string(files.path("out")).expect("it is there");
    let whole = search(&files, "p.txt longer.fa -k 1 --strand both");
    assert_eq!(out, whole);
    assert_eq!(json["places"].as_u64(), Some(whole.lines().count() as u64));
    assert!(!files.names().iter().any(|name| name.starts_with("out.")));
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
        ("a.txt", b"ACGT\n"),
        ("twice.fa", b">t\nACGTACGT\n>t\nACG\n"),
        (
            "long.fa",
            &[b">a\nACGT\n>long\n", &b"ACGT".repeat(100_000)[..]].concat(),
        ),
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
            "p.fa t.txt -k 1 --overhang 0.5",
            &["record 'b'", "may stick out", "raise --overhang"],
        ),
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
        (
            "p.fa t.txt -k 0 --symbols chars --format sam",
            &["sam and bam", "bytes", "take paf"],
        ),
        (
            "word.txt t.txt -k 0 --format bam -o x",
            &["word.txt:2", "letters", "take paf"],
        ),
        (
            "p.fa twice.fa -k 0 --format sam",
            &["two targets", "'t'", "rename"],
        ),
        (
            "p.fa t.txt -k 0 --format sam --shard 0/2",
            &["--shard", "take paf"],
        ),
        ("p.fa - -k 0 --shard 0/2", &["--shard", "stdin", "file"]),
        ("p.fa t.txt -k 0 --resume", &["--output FILE"]),
        (
            "p.fa t.txt -k 0 --count --resume -o x",
            &["--resume", "--count"],
        ),
    ] {
        let args: Vec<_> = args.split(' ').collect();
        files
            .swath(&[&["search"], &args[..]].concat())
            .fails(2, parts);
    }
    let args = ["search", "p.fa", "long.fa", "-k", "0", "--mem-host", "300k"];
    files
        .swath(&args)
        .fails(4, &["long.fa, record 'long'", "--mem-host"]);
    let args = "search a.txt long.fa -k 1 --all ends --format sam --mem-host 8M";
    let args: Vec<_> = args.split(' ').collect();
    files
        .swath(&args)
        .fails(4, &["keep all places", "--all best", "paf"]);
}
