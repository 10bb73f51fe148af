//! `swath substring` on the CPU.

use serde_json::Value;

use crate::input::DATA;
use crate::process::{Dir, FASTA, each, get, swath, table};

#[test]
fn every_format_tells_all_places_of_the_longest() {
    let text = swath("substring --text xxABCyyABC zABCz");
    text.shows(
        "length      3\n | substrings  1\n | substring   ABC\n | \
         place       a:2..5  +\n | place       a:7..10  +\n | place       b:1..4  +\n",
    );
    Dir::new(&[]).rows("substring --text", "
        abc '' --path                 =>
        xxABCyyABC zABCz --format tsv => #substring name start end strand length ; 1 a 2 5 + 3 ; 1 a 7 10 + 3 ; 1 b 1 4 + 3 ;
        xxABCyyABC zABCz --format bed => a 2 5 1 0 + ; a 7 10 1 0 + ; b 1 4 1 0 + ;
    ");
    Dir::new(&[]).print(
        "substring --text",
        r"
        ab_cd cd_ab --path => ab\ncd
    ",
    );
    swath("substring --text ab_cd cd_ab --path").notes("substrings  2");
    assert!(
        swath("substring --text abc ''")
            .ok()
            .starts_with("length      0")
    );
    let places = r#""places":[[0,0,2,"+"],[0,0,7,"+"],[1,0,1,"+"]]"#;
    let input = r#"{"name":"b","length":5,"records":[{"name":"b","length":5}]}"#;
    swath("substring --text xxABCyyABC zABCz --format json").has(format!(
        r#"schema=swath/substring/1 | length=3 | substrings=[{{"text":"ABC",{places}}}] | /inputs/1={input}"#
    ));
    swath("substring --text xxABCyyABC zABCz --json").has(format!("substrings=[{{{places}}}]"));
}

#[test]
fn matches_of_both_strands_are_told_in_every_format() {
    let call = "substring --text GATTACA CCTGTAATCGATTA --min-length 5 --strand both";
    let dir = Dir::new(&[]);
    dir.rows(call, "
        --format tsv => #a a_start a_end b b_start b_end strand length ; a 0 7 b 2 9 - 7 ; a 0 5 b 9 14 + 5 ;
        --format bed => a 0 7 1 0 + ; b 2 9 1 0 - ; a 0 5 2 0 + ; b 9 14 2 0 + ;
    ");
    dir.print(
        call,
        r"
        --format text => GATTACA\nGATTA
    ",
    );
    // A palindrome in a match of the other strand is a match of the forward one.
    dir.rows("substring --text --strand both --min-length 6 --format tsv", "
        CCGAATTCAA TTGAATTCGG --method reference => #a a_start a_end b b_start b_end strand length ; a 0 10 b 0 10 - 10 ; a 2 8 b 2 8 + 6 ;
    ");
    let paf = dir.swath(format!("{call} --format paf")).ok();
    assert!(
        paf.starts_with("a\t7\t0\t7\t-\tb\t14\t2\t9\t7\t7\t255\tNM:i:0\tcg:Z:7=\n"),
        "{paf}"
    );
    let answer = dir.swath(format!("{call} --format json")).has(
        r#"matches=[[[0,0,0],[1,0,2],"-",7],[[0,0,0],[1,0,9],"+",5]] | length=7 | method=anchors"#,
    );
    assert!(answer.get("substrings").is_none());
    let svg = dir.swath(format!("{call} --format svg")).ok();
    assert!(
        svg.starts_with("<svg ") && svg.trim_end().ends_with("</svg>"),
        "{svg}"
    );
    assert_eq!(svg.matches('L').count(), 2, "{svg}");
    dir.swath(call)
        .shows("matches  2 | match    7  a:0..7  b:2..9  -");
    // A file has the matches, the summary the figures alone.
    let forward = "substring --text GATTACA CCTGTAATCGATTA --format tsv --min-length";
    let summary = dir
        .swath(format!("{forward} 5 -o out"))
        .shows("matches  1\n");
    assert!(!summary.contains("match "), "{summary}");
    assert_eq!(dir.swath(format!("{forward} 8")).ok().lines().count(), 1);
}

#[test]
fn records_are_parts_of_an_input_or_inputs() {
    let dir = Dir::new(&[
        ("fa", FASTA),
        ("plain", b"GTTT\n"),
        ("one", b">only\nCGTTT\n"),
        ("x", b"x\ny\nz\n"),
        ("y", b"q\ny\nz"),
        ("bytes", b"\xff\x00\x01"),
        ("more", b"\x00\x01"),
    ]);
    let rows = r#"
        fa plain                 => /inputs/0/name=fa | /inputs/0/records/1={"name":"r2","length":4} | substrings=[{"places":[[0,1,0,"+"],[0,1,1,"+"],[1,0,1,"+"]]}]
        fa plain --record-a r1   => length=2 | /inputs/0/name=r1
        fa --all-records         => length=1
        bytes more --format json => /substrings/0/text=\u0000\u0001
    "#;
    each(table(rows), |[inputs, values]| {
        drop(dir.swath(format!("substring {inputs} --json")).has(values));
    });
    let own = dir
        .swath("substring fa one --all-records --in-at-least 2 --json")
        .json();
    assert_eq!(get::<Vec<Value>>(&own["inputs"]).len(), 3);
    dir.swath("substring fa one --format tsv")
        .shows("\n2\tr2\t0\t3\t+\t3\n");
    dir.swath("substring fa")
        .fails(2, "one input | --all-records");
    // Lines, tokens and characters are compared whole.
    dir.print("substring --path", r"
        x y --symbols lines              => y\nz\n
        --symbols tokens --ignore-case --text 'the Quick brown fox' 'a quick Brown dog' => Quick brown\n
        --symbols chars --text naïve aïv => aïv
    ");
}

#[test]
fn wrong_options_are_refused_in_one_line() {
    let dir = Dir::texts(&[("a", &"AC".repeat(3000)), ("b", &"CA".repeat(3000))]);
    dir.fail(
        2,
        "substring --text",
        "
        AC                                   => one input
        AC A --in-at-least 3                 => 3 | must be 2
        AC A --min-length 0                  => least length | 1 or more
        AC A --min-length 1 --in-at-least 2  => --in-at-least
        AC AX --strand both                  => 'X' | position 1 | record 'b'
        AC A --strand both --symbols chars   => --strand both
        AC A --method anchors                => anchors | cascade
        AC A --min-length 1 --method cascade => cascade | anchors
        AC A C --min-length 1 --format svg   => svg | 3
        AC A --format paf                    => --min-length
        AC A --format svg                    => --min-length
    ",
    );
    dir.fail(4, "substring a b", "
        --mem-host 100K --method suffix-array => --mem-host allows 102400 bytes | suffix array
        --mem-host 700K --min-length 10       => maximal matches of at least 10 symbols | ask for matches of at least
    ");
    swath("substring --text ABC AC --dry-run --min-length 2").shows("anchors");
}

#[test]
fn genomes_have_the_same_matches_by_both_methods() {
    let call = format!(
        "substring '{DATA}/hpylori_ELS37.fasta.gz' '{DATA}/hpylori_G27.fasta.gz' --strand both"
    );
    let with = |method: &str, least: u64| {
        let options = format!("--min-length {least} --format tsv --method {method}");
        swath(format!("{call} {options}")).ok()
    };
    for least in [40, 150] {
        let found = with("anchors", least);
        assert_eq!(found, with("suffix-array", least));
        assert!(found.contains("\t-\t") && found.contains("\t+\t"));
    }
    // The longest substring is the longest match.
    let answer = swath(format!("{call} --json")).json();
    let length: u64 = get(&answer["length"]);
    let matches = |least: u64| with("anchors", least).lines().count() - 1;
    assert!(matches(length) >= 1 && matches(length + 1) == 0);
}
