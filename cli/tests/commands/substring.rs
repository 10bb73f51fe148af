//! `swath substring` on the CPU.

use serde_json::json;

use crate::input::DATA;
use crate::process::{FASTA, Files, each, swath};

#[test]
fn every_format_tells_all_places_of_the_longest_substring() {
    let text = swath("substring --text xxABCyyABC zABCz");
    text.shows(
        "length      3\n | substrings  1\n | substring   ABC\n | \
         place       a:2..5  +\n | place       a:7..10  +\n | place       b:1..4  +\n",
    );
    Files::new(&[]).print("substring --text", &[
        ("ab_cd cd_ab --path", "ab\ncd"),
        ("abc '' --path", ""),
        (
            "xxABCyyABC zABCz --format tsv",
            "#substring\tname\tstart\tend\tstrand\tlength\n1\ta\t2\t5\t+\t3\n1\ta\t7\t10\t+\t3\n1\tb\t1\t4\t+\t3\n",
        ),
        (
            "xxABCyyABC zABCz --format bed",
            "a\t2\t5\t1\t0\t+\na\t7\t10\t1\t0\t+\nb\t1\t4\t1\t0\t+\n",
        ),
    ]);
    swath("substring --text ab_cd cd_ab --path").notes("substrings  2");
    assert!(
        swath("substring --text abc ''")
            .ok()
            .starts_with("length      0")
    );
    let places = json!([[0, 0, 2, "+"], [0, 0, 7, "+"], [1, 0, 1, "+"]]);
    swath("substring --text xxABCyyABC zABCz --format json").has(json!({
        "schema": "swath/substring/1", "length": 3,
        "substrings": [{"text": "ABC", "places": places}],
        "/inputs/1": {"name": "b", "length": 5, "records": [{"name": "b", "length": 5}]},
    }));
    swath("substring --text xxABCyyABC zABCz --json")
        .has(json!({"substrings": [{"places": places}]}));
}

#[test]
fn matches_of_both_strands_are_told_in_every_format() {
    let call = "substring --text GATTACA CCTGTAATCGATTA --min-length 5 --strand both";
    let files = Files::new(&[]);
    files.print(call, &[
        (
            "--format tsv",
            "#a\ta_start\ta_end\tb\tb_start\tb_end\tstrand\tlength\na\t0\t7\tb\t2\t9\t-\t7\na\t0\t5\tb\t9\t14\t+\t5\n",
        ),
        (
            "--format bed",
            "a\t0\t7\t1\t0\t+\nb\t2\t9\t1\t0\t-\na\t0\t5\t2\t0\t+\nb\t9\t14\t2\t0\t+\n",
        ),
        ("--format text", "GATTACA\nGATTA"),
    ]);
    let paf = files.swath(format!("{call} --format paf")).ok();
    assert!(
        paf.starts_with("a\t7\t0\t7\t-\tb\t14\t2\t9\t7\t7\t255\tNM:i:0\tcg:Z:7=\n"),
        "{paf}"
    );
    let answer = files.swath(format!("{call} --format json")).has(json!({
        "matches": [[[0, 0, 0], [1, 0, 2], "-", 7], [[0, 0, 0], [1, 0, 9], "+", 5]],
        "length": 7, "method": "anchors",
    }));
    assert!(answer.get("substrings").is_none());
    let svg = files.swath(format!("{call} --format svg")).ok();
    assert!(
        svg.starts_with("<svg ") && svg.trim_end().ends_with("</svg>"),
        "{svg}"
    );
    assert_eq!(svg.matches('L').count(), 2, "{svg}");
    files
        .swath(call)
        .shows("matches  2 | match    7  a:0..7  b:2..9  -");
    // A file has the matches, the summary the figures alone.
    let forward = "substring --text GATTACA CCTGTAATCGATTA --format tsv --min-length";
    let summary = files
        .swath(format!("{forward} 5 -o out"))
        .shows("matches  1\n");
    assert!(!summary.contains("match "), "{summary}");
    assert_eq!(files.swath(format!("{forward} 8")).ok().lines().count(), 1);
}

#[test]
fn a_run_that_is_its_own_reverse_complement_is_on_the_forward_strand_only() {
    let rows = [
        // The whole is a reverse match, so the palindrome in it is maximal on the forward strand.
        (
            "CCGAATTCAA TTGAATTCGG",
            6,
            "a\t0\t10\tb\t0\t10\t-\t10\na\t2\t8\tb\t2\t8\t+\t6\n",
        ),
        ("CGAATTCA AGAATTCC", 6, "a\t1\t7\tb\t1\t7\t+\t6\n"),
        // On the forward strand it is part of a longer match.
        ("CGAATTCA CGAATTCT", 6, "a\t0\t7\tb\t0\t7\t+\t7\n"),
        ("GAATTC GAATTC", 4, "a\t0\t6\tb\t0\t6\t+\t6\n"),
    ];
    each(rows, |(inputs, least, expected)| {
        for method in ["auto", "anchors", "suffix-array", "reference"] {
            let options = format!("--strand both --min-length {least} --method {method}");
            let found = swath(format!("substring --text {inputs} --format tsv {options}")).ok();
            assert_eq!(
                found.split_once('\n').map(|(_, rows)| rows),
                Some(expected),
                "{method}"
            );
        }
    });
    let longest = swath("substring --text CGAATTCA AGAATTCC --strand both --format tsv").ok();
    assert!(!longest.contains("\t-\t"), "{longest}");
}

#[test]
fn records_are_parts_of_an_input_or_inputs_of_their_own() {
    let files = Files::new(&[
        ("fa", FASTA),
        ("plain", b"GTTT\n"),
        ("one", b">only\nCGTTT\n"),
        ("x", b"x\ny\nz\n"),
        ("y", b"q\ny\nz"),
        ("bytes", b"\xff\x00\x01"),
        ("more", b"\x00\x01"),
    ]);
    let rows = [
        (
            "fa plain",
            json!({
                "/inputs/0/name": "fa", "/inputs/0/records/1": {"name": "r2", "length": 4},
                "substrings": [{"places": [[0, 1, 0, "+"], [0, 1, 1, "+"], [1, 0, 1, "+"]]}],
            }),
        ),
        (
            "fa plain --record-a r1",
            json!({"length": 2, "/inputs/0/name": "r1"}),
        ),
        ("fa --all-records", json!({"length": 1})),
        (
            "bytes more --format json",
            json!({"/substrings/0/text": "\u{0}\u{1}"}),
        ),
    ];
    each(rows, |(inputs, values)| {
        drop(
            files
                .swath(format!("substring {inputs} --json"))
                .has(values),
        );
    });
    let own = files
        .swath("substring fa one --all-records --in-at-least 2 --json")
        .json();
    assert_eq!(own["inputs"].as_array().map(Vec::len), Some(3));
    files
        .swath("substring fa one --format tsv")
        .shows("\n2\tr2\t0\t3\t+\t3\n");
    files
        .swath("substring fa")
        .fails(2, "one input | --all-records");
    // Lines, tokens and characters are compared whole.
    files.print(
        "substring --path",
        &[
            ("x y --symbols lines", "y\nz\n"),
            (
                "--symbols tokens --ignore-case --text 'the Quick brown fox' 'a quick Brown dog'",
                "Quick brown\n",
            ),
            ("--symbols chars --text naïve aïv", "aïv"),
        ],
    );
}

#[test]
fn wrong_substring_options_are_one_line_with_an_exit_code() {
    let files = Files::texts(&[("a", &"AC".repeat(3000)), ("b", &"CA".repeat(3000))]);
    files.fail(
        2,
        "substring --text",
        &[
            ("AC", "one input"),
            ("AC A --in-at-least 3", "3 | must be 2"),
            ("AC A --min-length 0", "least length | 1 or more"),
            ("AC A --min-length 1 --in-at-least 2", "--in-at-least"),
            ("AC AX --strand both", "'X' | position 1 | record 'b'"),
            ("AC A --strand both --symbols chars", "--strand both"),
            ("AC A --method anchors", "anchors | cascade"),
            ("AC A --min-length 1 --method cascade", "cascade | anchors"),
            ("AC A C --min-length 1 --format svg", "svg | 3"),
            ("AC A --format paf", "--min-length"),
            ("AC A --format svg", "--min-length"),
        ],
    );
    files.fail(
        4,
        "substring a b",
        &[
            (
                "--mem-host 100K --method suffix-array",
                "--mem-host allows 102400 bytes | suffix array",
            ),
            (
                "--mem-host 700K --min-length 10",
                "maximal matches of at least 10 symbols | ask for matches of at least",
            ),
        ],
    );
    swath("substring --text ABC AC --dry-run --min-length 2").shows("anchors");
}

#[test]
fn genomes_have_the_same_matches_by_anchors_and_by_the_suffix_array() {
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
    let length = answer["length"].as_u64().expect("a length");
    let matches = |least: u64| with("anchors", least).lines().count() - 1;
    assert!(matches(length) >= 1 && matches(length + 1) == 0);
}
