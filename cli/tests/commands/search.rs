//! `swath search`: formats, strands, exact parts, notes and invalid input.

use std::fs;

use crate::generated::Random;
use crate::process::{Dir, each, get, gzip, table};

/// `GENOME` has g1 on both strands, and g2 with an edit.
const GENOME: &str = ">chr1 first\nGGACGTACCATGGGGCCTGGTACGTCC\n>chr2\nCCTTGACAGTT\n>chr3\nCC\n";

fn dir() -> Dir {
    let dir = Dir::texts(&[
        ("g.fa", ">g1\nACGTACCA\n>g2\nTTGACCAG\n"),
        (
            "g.fq",
            "@g1\nACGTACCA\n+\n!BCDEFG~\n@g2\nTTGACCAG\n+\nIIIIJJJJ\n@g3\nAAAAAA\n+\nKKKKKK\n",
        ),
        ("t.fa", GENOME),
        ("p.txt", "needle\nstack\n"),
        ("hay.txt", "a needel in a hay stack\r\n\ntwo needles\n"),
        ("n.txt", "ACGTNCCA\n"),
        ("o.fa", ">a\nAGATCGGAACTC\n"),
        // The adapter sticks out at the end, on the other strand at the start, and at the start.
        (
            "r.fa",
            ">read1\nTTTTTAGATCGGA\n>read2\nTCCGATCTTTTTT\n>read3\nTCGGAACTCTTT\n",
        ),
    ]);
    dir.write("t.fa.gz", gzip(GENOME.as_bytes()));
    dir
}

#[test]
fn every_format_has_the_places_in_order() {
    let dir = dir();
    dir.rows("search", "
        g.fa t.fa -k 1 --strand both                                     => g1 chr1 2 10 + 0 ; g1 chr1 17 25 - 0 ; g2 chr2 2 9 + 1 ;
        g.fa t.fa.gz -k 1 --strand both -o -                             => g1 chr1 2 10 + 0 ; g1 chr1 17 25 - 0 ; g2 chr2 2 9 + 1 ;
        g.fa t.fa -k 0                                                   => g1 chr1 2 10 + 0 ;
        g.fa t.fa -k 0 --strand reverse                                  => g1 chr1 17 25 - 0 ;
        g.fa t.fa -k 1 --path                                            => g1 chr1 2 10 + 0 8= ; g2 chr2 2 9 + 1 5=1I2= ;
        g.fa t.fa -k 0 --all ends --strand both --positions --format bed => 0 2 10 0 0 + ; 0 17 25 0 0 - ;
        g.fa t.fa -k 1 --strand both --count                             => g1 2 ; g2 1 ;
        g.fa t.fa -k 1 --strand reverse --format paf --path              => g1 8 0 8 - chr1 27 17 25 8 8 255 tp:A:P NM:i:0 AS:i:0 de:f:0.0000 cg:Z:8= ;
        p.txt hay.txt -k 2                                               => 0 0 2 7 + 1 ; 1 0 18 23 + 0 ; 0 2 4 10 + 0 ;
        p.txt hay.txt -k 2 --hamming                                     => 0 0 2 8 + 2 ; 1 0 18 23 + 0 ; 0 2 4 10 + 0 ;
        p.txt hay.txt -k 2 --max-gaps 0                                  => 0 0 2 8 + 2 ; 1 0 18 23 + 0 ; 0 2 4 10 + 0 ;
        g.fa t.fa -k 1 --max-substitutions 0 --max-gaps 1 --strand both --path => g1 chr1 2 10 + 0 8= ; g1 chr1 17 25 - 0 8= ; g2 chr2 2 9 + 1 5=1I2= ;
        o.fa r.fa -k 2 --overhang 0.5 --strand both --path               => a read1 5 13 + 2 8=4S ; a read2 0 8 - 2 4S8= ; a read3 0 9 + 1 3S9= ;
        o.fa r.fa -k 2 --overhang 0.5 --strand both --format paf --path  => a 12 0 8 + read1 13 5 13 8 8 255 tp:A:P NM:i:0 AS:i:0 de:f:0.0000 cg:Z:8= ; a 12 0 8 - read2 13 0 8 8 8 255 tp:A:P NM:i:0 AS:i:0 de:f:0.0000 cg:Z:8= ; a 12 3 12 + read3 12 0 9 9 9 255 tp:A:P NM:i:0 AS:i:0 de:f:0.0000 cg:Z:9= ;
        // Exact parts, motifs, and letters that match others.
        g.fa t.fa -k 0 --pam TGG                                         => g1 chr1 2 10 + 0 ;
        g.fa t.fa -k 0 --pam NGG                                         => g1 chr1 2 10 + 0 ;
        g.fa t.fa -k 0 --pam NAA                                         =>
        g.fa t.fa -k 0 --pam SK --strand reverse                         => g1 chr1 17 25 - 0 ;
        g.fa t.fa -k 0 --pam GM --strand reverse                         =>
        g.fa t.fa -k 0 --pam GGC --strand reverse                        => g1 chr1 17 25 - 0 ;
        g.fa t.fa -k 1 --exact-tail 4                                    => g1 chr1 2 10 + 0 ;
        g.fa t.fa -k 1 --exact-tail 2                                    => g1 chr1 2 10 + 0 ; g2 chr2 2 9 + 1 ;
        g.fa t.fa -k 1 --exact-head 5                                    => g1 chr1 2 10 + 0 ; g2 chr2 2 9 + 1 ;
        n.txt t.fa -k 0                                                  =>
        n.txt t.fa -k 0 --ambiguous iupac                                => 0 chr1 2 10 + 0 ;
        n.txt t.fa -k 0 --equal N=A                                      => 0 chr1 2 10 + 0 ;
    ");
    dir.print("search", r#"
        g.fa t.fa -k 0 --format ndjson                             => {"pattern":"g1","text":"chr1","start":2,"end":10,"strand":"+","cost":0}\n
        o.fa r.fa -k 2 --overhang 0.5 --format ndjson --max-gaps 0 => {"pattern":"a","text":"read1","start":5,"end":13,"strand":"+","cost":2,"overhang":[0,4]}\n{"pattern":"a","text":"read3","start":0,"end":9,"strand":"+","cost":1,"overhang":[3,0]}\n
    "#);
    dir.swath("search g.fa t.fa -k 1 -o out.tsv --json --strand both")
        .has("schema=swath/search/1 | places=3 | max_distance=1");
    dir.swath("search g.fa t.fa -k 1 --dry-run --json")
        .has("schema=swath/search-plan/1");
}

/// Lines of SAM without those of its version and of the command.
fn sam(text: &str) -> Vec<&str> {
    let is_shown = |line: &&str| !(line.starts_with("@HD") || line.starts_with("@PG"));
    text.lines().filter(is_shown).collect()
}

#[test]
fn sam_has_the_best_place_of_each_pattern_first() {
    let dir = dir();
    let rows = r"
        g.fq t.fa -k 1 --strand both                           => g1\t0\tchr1\t3\t255\t8=\t*\t0\t0\tACGTACCA\t!BCDEFG~\tNM:i:0\tAS:i:0\ng1\t272\tchr1\t18\t255\t8=\t*\t0\t0\tTGGTACGT\t~GFEDCB!\tNM:i:0\tAS:i:0\ng2\t0\tchr2\t3\t255\t5=1I2=\t*\t0\t0\tTTGACCAG\tIIIIJJJJ\tNM:i:1\tAS:i:-1\ng3\t4\t*\t0\t0\t*\t*\t0\t0\tAAAAAA\tKKKKKK
        // The best place is not the first one in the text.
        g.fa t.fa -k 2 --strand reverse                        => g1\t16\tchr1\t18\t255\t8=\t*\t0\t0\tTGGTACGT\t*\tNM:i:0\tAS:i:0\ng1\t272\tchr1\t1\t255\t1I2=1I4=\t*\t0\t0\tTGGTACGT\t*\tNM:i:2\tAS:i:-2\ng2\t16\tchr1\t17\t255\t5=1I1=1X\t*\t0\t0\tCTGGTCAA\t*\tNM:i:2\tAS:i:-2
        // Of equal costs the first place is primary.
        n.txt t.fa -k 1 --ambiguous iupac --strand both --path => 0\t0\tchr1\t3\t255\t4=1X3=\t*\t0\t0\tACGTNCCA\t*\tNM:i:1\tAS:i:0\n0\t272\tchr1\t18\t255\t3=1X4=\t*\t0\t0\tTGGNACGT\t*\tNM:i:1\tAS:i:0
        o.fa r.fa -k 2 --overhang 0.5 --strand both            => a\t0\tread3\t1\t255\t3S9=\t*\t0\t0\tAGATCGGAACTC\t*\tNM:i:0\tAS:i:-1\na\t256\tread1\t6\t255\t8=4S\t*\t0\t0\tAGATCGGAACTC\t*\tNM:i:0\tAS:i:-2\na\t272\tread2\t1\t255\t4S8=\t*\t0\t0\tGAGTTCCGATCT\t*\tNM:i:0\tAS:i:-2
    ";
    let genome = [
        "@SQ\tSN:chr1\tLN:27",
        "@SQ\tSN:chr2\tLN:11",
        "@SQ\tSN:chr3\tLN:2",
    ];
    let reads = [
        "@SQ\tSN:read1\tLN:13",
        "@SQ\tSN:read2\tLN:13",
        "@SQ\tSN:read3\tLN:12",
    ];
    each(table(rows), |[args, expected]| {
        let text = dir.swath(format!("search {args} --format sam")).ok();
        let targets = if args.contains("r.fa") { reads } else { genome };
        let expected: Vec<_> = targets.into_iter().chain(expected.lines()).collect();
        assert_eq!(sam(&text), expected);
        let command = text.lines().find(|line| line.starts_with("@PG"));
        let end = format!("search {args} --format sam");
        assert!(command.is_some_and(|line| line.ends_with(&end)), "{text}");
    });
}

/// Texts of many lengths, some of them empty, and patterns with places in many of them.
fn many_texts() -> Dir {
    let mut random = Random(5);
    let (mut fasta, mut lines, mut words) = (String::new(), String::new(), String::new());
    let pieces = |text: &str, len: usize, end: &str| -> String {
        let piece = |start| format!("{}{end}", &text[start..text.len().min(start + len)]);
        (0..text.len()).step_by(len).map(piece).collect()
    };
    for number in 0..60 {
        let len = random.below(8000);
        let text = random.dna_text(len);
        fasta += &format!(">t{number}\n{}", pieces(&text, 70, "\n"));
        lines += &format!("{text}{}", ["\n", "\r\n"][number % 2]);
        words += &format!("{}\n", pieces(&text, 3, " "));
    }
    let long = random.dna_text(3_200_000);
    let patterns: String = (0..12).map(|_| random.dna_text(9) + "\n").collect();
    let dir = Dir::texts(&[
        ("p.txt", &patterns),
        ("w.txt", "AAC GTT CCC TTT\nACG TGC AAA CCC\n"),
        ("t.fa", &fasta),
        ("t.txt", &lines),
        ("words.txt", &words),
        ("two.fa", &format!(">one\n{long}\n>two\n{long}")),
        ("damaged.fa", &format!("{fasta}>broken\n12 ACGT\n")),
        ("longer.fa", &format!("{fasta}>more\nACGTACGTAC\n")),
        ("other.fa", &fasta.replace(">t3\n", ">t03\n")),
    ]);
    dir.write("t.fa.gz", gzip(fasta.as_bytes()));
    dir
}

/// Memory in which the texts have more than ten batches.
const SMALL: &str = "--mem-host 2M --threads 2";

#[test]
fn batches_and_parts_have_the_rows_of_the_whole() {
    let dir = many_texts();
    let search = |args: &str| dir.swath(format!("search {args}")).ok();
    let records = ["p.txt t.fa", "p.txt t.fa.gz", "p.txt t.txt"];
    let rows = [
        ("-k 1", &records[..], &[1, 70][..]),
        ("-k 1 --strand both --format paf --path", &records, &[3]),
        ("-k 2 --all best --format ndjson", &records, &[3]),
        ("-k 1 --positions --format bed", &records, &[3]),
        ("-k 1 --show strings", &records, &[3]),
        ("-k 1 --symbols chars", &["p.txt t.fa", "p.txt t.txt"], &[3]),
        ("-k 2 --symbols tokens", &["w.txt words.txt"], &[3]),
        ("-k 1 --count", &records, &[]),
        ("-k 1 --strand both --format sam", &records, &[]),
    ];
    each(rows, |(options, inputs, counts)| {
        for inputs in inputs {
            let call = format!("{inputs} {options}");
            let whole = search(&call);
            assert!(whole.lines().count() > 10, "{call}");
            assert_eq!(
                sam(&whole),
                sam(&search(&format!("{call} {SMALL}"))),
                "{call}"
            );
            for count in counts {
                let part = |part| search(&format!("{call} --shard {part}/{count} {SMALL}"));
                assert_eq!(
                    whole,
                    (0..*count).map(part).collect::<String>(),
                    "{call}, {count}"
                );
            }
        }
    });
    // The memory takes each of the texts of two.fa, but not both.
    let long = search("p.txt two.fa -k 0 --mem-host 6M --threads 2");
    assert_eq!(long, search("p.txt two.fa -k 0"));
    assert!(long.contains("\tone\t") && long.contains("\ttwo\t"));
    let piped = dir.swath_with_stdin(format!("search p.txt - -k 1 {SMALL}"), &dir.bytes("t.fa"));
    assert_eq!(piped.notes("60 strings, ").ok(), search("p.txt t.fa -k 1"));
    let plan = |options| {
        dir.swath(format!("search p.txt t.fa -k 1 --dry-run --json {options}"))
            .json()
    };
    let (whole, small) = (plan(""), plan(SMALL));
    assert_eq!(
        (&whole["cells"], &whole["b"]),
        (&small["cells"], &small["b"])
    );
}

#[test]
fn an_unfinished_search_goes_on_after_the_last_batch() {
    let dir = many_texts();
    let copy = |name: &str| {
        fs::copy(dir.path(name), dir.path("now.fa")).expect("it is copied");
    };
    let call = |options: &str| {
        dir.swath(format!(
            "search p.txt now.fa --strand both {SMALL} -o out {options}"
        ))
    };
    copy("damaged.fa");
    let run = call("-k 1").notes("now.fa: malformed | texts are in | out.part | --resume");
    assert_eq!(run.code, Some(2));
    copy("longer.fa");
    call("-k 2 --resume").fails(2, "another call | -k");
    call("-k 1 --shard 0/1 --resume").fails(2, "another call | --shard");
    copy("other.fa");
    call("-k 1 --resume").notes("texts of now.fa are not those");
    copy("longer.fa");
    let json = call("-k 1 --resume --json").json();
    assert!(get::<u64>(&json["resumed"]) > 10);
    let whole = dir.swath("search p.txt longer.fa -k 1 --strand both").ok();
    assert_eq!(dir.text("out"), whole);
    assert_eq!(get::<usize>(&json["places"]), whole.lines().count());
    assert!(!dir.names().iter().any(|name| name.starts_with("out.")));
}

#[test]
fn same_rows_for_every_number_of_threads() {
    let mut random = Random(7);
    let patterns: String = (0..9).map(|_| random.dna_text(12) + "\n").collect();
    let dir = Dir::texts(&[("p.txt", &patterns), ("t.txt", &random.dna_text(500_000))]);
    let run = |threads| {
        let options = format!("-k 2 --strand both --path --all ends --threads {threads}");
        dir.swath(format!("search p.txt t.txt {options}")).ok()
    };
    let one = run(1);
    assert!(one.lines().count() > 1000, "{}", one.lines().count());
    assert_eq!(one, run(2));
}

#[test]
fn letters_that_may_mean_the_same_are_told() {
    let upper = "ACGT".repeat(40);
    let dir = Dir::texts(&[
        ("p.txt", "ACGTACG\n"),
        ("n.txt", &format!("{upper}NNN")),
        ("lower.txt", &upper.to_ascii_lowercase()),
        ("short.txt", "AC"),
    ]);
    let rows = "
        search p.txt n.txt -k 1     => 0 letters of the patterns and 3 of the texts stand for several bases, such as N, and match themselves alone; with --ambiguous iupac
        search p.txt lower.txt -k 1 => with --ignore-case they match
        search p.txt short.txt -k 1 => no text is long enough for a place: the longest has 2 symbols, and the shortest pattern within 1 edits takes 6
    ";
    each(table(rows), |[line, part]| {
        drop(dir.swath(line).notes(part))
    });
    let quiet = dir.swath("search p.txt n.txt -k 1 --ambiguous iupac");
    assert!(!quiet.stderr.contains("several bases"), "{}", quiet.stderr);
    let folded = dir.swath("search p.txt lower.txt -k 0 --ignore-case").ok();
    assert!(folded.lines().count() > 30);
}

#[test]
fn invalid_input_is_refused_with_a_remedy() {
    let dir = Dir::texts(&[
        ("p.fa", ">a\nACGTACGT\n>b\nACG\n"),
        ("empty.fa", ">a\nACGT\n>b\n\n"),
        ("word.txt", "ACGT\nwo-d\n"),
        ("t.txt", "ACGTACGTAC\n"),
        ("a.txt", "ACGT\n"),
        ("twice.fa", ">t\nACGTACGT\n>t\nACG\n"),
        (
            "long.fa",
            &format!(">a\nACGT\n>long\n{}", "ACGT".repeat(100_000)),
        ),
    ]);
    dir.fail(2, "search", "
        p.fa t.txt -k 3                              => p.fa, record 'b' | 3 symbols that may have edits | (-k)
        p.fa t.txt -k 1 --exact-tail 2               => record 'b' | 1 symbols that may have edits
        p.fa t.txt -k 0 --exact-head 3               => record 'b' | 3 of them have to be exact
        empty.fa t.txt -k 0                          => empty.fa, record 'b' | empty
        p.fa t.txt -k 1 --overhang 0.5               => record 'b' | may stick out | raise --overhang
        word.txt t.txt -k 0 --strand both            => record 2 | reverse strand
        p.fa t.txt -k 0 --pam N-G                    => motif | IUPAC
        p.fa t.txt -k 0 --count --format bed         => --count | --format
        p.fa t.txt -k 0 --path --format bed          => --format bed | --path
        p.fa t.txt -k 0 --symbols chars --pam NGG    => --pam | --symbols bytes
        p.fa t.txt -k 0 --symbols chars --format sam => sam and bam | bytes | take paf
        word.txt t.txt -k 0 --format bam -o x        => word.txt:2 | letters | take paf
        p.fa twice.fa -k 0 --format sam              => two targets | 't' | rename
        p.fa t.txt -k 0 --format sam --shard 0/2     => --shard | take paf
        p.fa - -k 0 --shard 0/2                      => --shard | stdin | file
        p.fa t.txt -k 0 --resume                     => --output FILE
        p.fa t.txt -k 0 --count --resume -o x        => --resume | --count
    ");
    dir.fail(4, "search", "
        p.fa long.fa -k 0 --mem-host 300k                        => long.fa, record 'long' | --mem-host
        a.txt long.fa -k 1 --all ends --format sam --mem-host 8M => keep all places | --all best | paf
    ");
}
