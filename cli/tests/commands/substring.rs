//! `swath substring` on the CPU.

use serde_json::json;

use crate::process::{FASTA, Files, Run, swath};

const GENOMES: [&str; 2] = [
    concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../tests/data/hpylori_ELS37.fasta.gz"
    ),
    concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../tests/data/hpylori_G27.fasta.gz"
    ),
];

fn text(inputs: &[&str], options: &[&str]) -> Run {
    swath(&[&["substring", "--text"], inputs, options].concat())
}

#[test]
fn the_longest_substring_is_shown_with_all_its_places() {
    let summary = text(&["xxABCyyABC", "zABCz"], &[]).ok();
    for line in [
        "length      3",
        "substrings  1",
        "substring   ABC",
        "place       a:2..5  +",
        "place       a:7..10  +",
        "place       b:1..4  +",
    ] {
        assert!(
            summary.lines().any(|found| found == line),
            "{line}: {summary}"
        );
    }
    let run = text(&["ab_cd", "cd_ab"], &["--path"]);
    assert!(run.stderr.contains("substrings  2"), "{}", run.stderr);
    assert_eq!(run.ok(), "ab\ncd");
    assert!(text(&["abc", ""], &[]).ok().starts_with("length      0"));
    assert_eq!(text(&["abc", ""], &["--path"]).ok(), "");
}

#[test]
fn every_format_tells_the_same_places() {
    let inputs = ["xxABCyyABC", "zABCz"];
    let tsv = text(&inputs, &["--format", "tsv"]).ok();
    assert_eq!(
        tsv,
        "#substring\tname\tstart\tend\tstrand\tlength\n1\ta\t2\t5\t+\t3\n1\ta\t7\t10\t+\t3\n1\tb\t1\t4\t+\t3\n"
    );
    assert_eq!(
        text(&inputs, &["--format", "bed"]).ok(),
        "a\t2\t5\t1\t0\t+\na\t7\t10\t1\t0\t+\nb\t1\t4\t1\t0\t+\n"
    );
    let answer = text(&inputs, &["--format", "json"]).json();
    assert_eq!(
        (&answer["schema"], &answer["length"]),
        (&"swath/substring/1".into(), &3.into())
    );
    let places = json!([[0, 0, 2, "+"], [0, 0, 7, "+"], [1, 0, 1, "+"]]);
    assert_eq!(
        answer["substrings"],
        json!([{"text": "ABC", "places": places}])
    );
    assert_eq!(
        answer["inputs"][1],
        json!({"name": "b", "length": 5, "records": [{"name": "b", "length": 5}]})
    );
    let answer = text(&inputs, &["--json"]).json();
    assert_eq!(answer["substrings"], json!([{"places": places}]));
    for format in ["paf", "svg"] {
        text(&inputs, &["--format", format]).fails(2, &["--min-length"]);
    }
}

#[test]
fn matches_of_both_strands_are_told_in_every_format() {
    let inputs = ["GATTACA", "CCTGTAATCGATTA"];
    let with = |format| {
        text(
            &inputs,
            &["--min-length", "5", "--strand", "both", "--format", format],
        )
    };
    let tsv = with("tsv").ok();
    assert_eq!(
        tsv,
        "#a\ta_start\ta_end\tb\tb_start\tb_end\tstrand\tlength\na\t0\t7\tb\t2\t9\t-\t7\na\t0\t5\tb\t9\t14\t+\t5\n"
    );
    assert_eq!(
        with("bed").ok(),
        "a\t0\t7\t1\t0\t+\nb\t2\t9\t1\t0\t-\na\t0\t5\t2\t0\t+\nb\t9\t14\t2\t0\t+\n"
    );
    assert_eq!(
        with("paf").ok().lines().next(),
        Some("a\t7\t0\t7\t-\tb\t14\t2\t9\t7\t7\t255\tNM:i:0\tcg:Z:7=")
    );
    let answer = with("json").json();
    assert_eq!(
        answer["matches"],
        json!([
            [[0, 0, 0], [1, 0, 2], "-", 7],
            [[0, 0, 0], [1, 0, 9], "+", 5]
        ])
    );
    assert!(
        answer["length"] == 7
            && answer["method"] == "anchors"
            && answer.get("substrings").is_none()
    );
    assert_eq!(with("text").ok(), "GATTACA\nGATTA");
    let svg = with("svg").ok();
    assert!(
        svg.starts_with("<svg ")
            && svg.trim_end().ends_with("</svg>")
            && svg.matches('L').count() == 2,
        "{svg}"
    );
    let summary = text(&inputs, &["--min-length", "5", "--strand", "both"]).ok();
    assert!(
        summary.contains("matches  2") && summary.contains("match    7  a:0..7  b:2..9  -"),
        "{summary}"
    );
    // A file has the matches, the summary the figures alone.
    let files = Files::new(&[]);
    let args = [
        "substring",
        "--text",
        inputs[0],
        inputs[1],
        "--min-length",
        "5",
        "-o",
        "out",
    ];
    let summary = files
        .swath(&[&args[..], &["--format", "tsv"]].concat())
        .ok();
    assert!(
        summary.contains("matches  1\n") && !summary.contains("match "),
        "{summary}"
    );
    let none = text(&inputs, &["--min-length", "8", "--format", "tsv"]).ok();
    assert_eq!(none.lines().count(), 1);
}

#[test]
fn a_run_that_is_its_own_reverse_complement_is_on_the_forward_strand_only() {
    let inputs = ["CCGAATTCAA", "TTGAATTCGG"];
    for method in ["auto", "anchors", "suffix-array", "reference"] {
        let with = |least, a: &str, b: &str| {
            let options = ["--strand", "both", "--min-length", least, "--format", "tsv"];
            text(&[a, b], &[&options[..], &["--method", method]].concat()).ok()
        };
        let lines = |found: &str| {
            found
                .lines()
                .skip(1)
                .map(str::to_string)
                .collect::<Vec<_>>()
        };
        // The whole is a reverse match, so the palindrome in it is maximal on the forward strand.
        assert_eq!(
            lines(&with("6", inputs[0], inputs[1])),
            ["a\t0\t10\tb\t0\t10\t-\t10", "a\t2\t8\tb\t2\t8\t+\t6"]
        );
        assert_eq!(
            lines(&with("6", "CGAATTCA", "AGAATTCC")),
            ["a\t1\t7\tb\t1\t7\t+\t6"],
            "{method}"
        );
        // On the forward strand it is part of a longer match.
        assert_eq!(
            lines(&with("6", "CGAATTCA", "CGAATTCT")),
            ["a\t0\t7\tb\t0\t7\t+\t7"],
            "{method}"
        );
        let none = lines(&with("4", "GAATTC", "GAATTC"));
        assert_eq!(none, ["a\t0\t6\tb\t0\t6\t+\t6"], "{method}");
    }
    let longest = text(
        &["CGAATTCA", "AGAATTCC"],
        &["--strand", "both", "--format", "tsv"],
    )
    .ok();
    assert!(!longest.contains("\t-\t"), "{longest}");
}

#[test]
fn records_are_parts_of_an_input_or_inputs_of_their_own() {
    let files = Files::new(&[
        ("fa", FASTA),
        ("plain", b"GTTT\n"),
        ("one", b">only\nCGTTT\n"),
    ]);
    let answer = files.swath(&["substring", "fa", "plain", "--json"]).json();
    assert_eq!(answer["inputs"][0]["name"], "fa");
    assert_eq!(
        answer["inputs"][0]["records"][1],
        json!({"name": "r2", "length": 4})
    );
    assert_eq!(
        answer["substrings"],
        json!([{"places": [[0, 1, 0, "+"], [0, 1, 1, "+"], [1, 0, 1, "+"]]}])
    );
    let named = files
        .swath(&["substring", "fa", "one", "--format", "tsv"])
        .ok();
    assert!(named.contains("\n2\tr2\t0\t3\t+\t3\n"), "{named}");
    let own = files
        .swath(&[
            "substring",
            "fa",
            "one",
            "--all-records",
            "--in-at-least",
            "2",
            "--json",
        ])
        .json();
    assert_eq!(own["inputs"].as_array().map(Vec::len), Some(3));
    let chosen = files
        .swath(&["substring", "fa", "plain", "--record-a", "r1", "--json"])
        .json();
    assert_eq!(
        (&chosen["length"], &chosen["inputs"][0]["name"]),
        (&2.into(), &"r1".into())
    );
    files
        .swath(&["substring", "fa"])
        .fails(2, &["one input", "--all-records"]);
    assert!(
        files
            .swath(&["substring", "fa", "--all-records"])
            .ok()
            .starts_with("length      1")
    );
}

#[test]
fn lines_tokens_and_characters_are_compared_whole() {
    let files = Files::new(&[("a", b"x\ny\nz\n"), ("b", b"q\ny\nz")]);
    assert_eq!(
        files
            .swath(&["substring", "a", "b", "--symbols", "lines", "--path"])
            .ok(),
        "y\nz\n"
    );
    let tokens = ["--symbols", "tokens", "--ignore-case", "--path"];
    assert_eq!(
        text(&["the Quick brown fox", "a quick Brown dog"], &tokens).ok(),
        "Quick brown\n"
    );
    assert_eq!(
        text(&["naïve", "aïv"], &["--symbols", "chars", "--path"]).ok(),
        "aïv"
    );
    let files = Files::new(&[("a", b"\xff\x00\x01"), ("b", b"\x00\x01")]);
    let answer = files
        .swath(&["substring", "a", "b", "--format", "json"])
        .json();
    assert_eq!(answer["substrings"][0]["text"], "\u{0}\u{1}");
}

#[test]
fn wrong_substring_options_are_one_line_with_an_exit_code() {
    text(&["AC"], &[]).fails(2, &["one input"]);
    text(&["AC", "A"], &["--in-at-least", "3"]).fails(2, &["3", "must be 2"]);
    text(&["AC", "A"], &["--min-length", "0"]).fails(2, &["least length", "1 or more"]);
    text(&["AC", "A"], &["--min-length", "1", "--in-at-least", "2"]).fails(2, &["--in-at-least"]);
    text(&["AC", "AX"], &["--strand", "both"]).fails(2, &["'X'", "position 1", "record 'b'"]);
    text(&["AC", "A"], &["--strand", "both", "--symbols", "chars"]).fails(2, &["--strand both"]);
    text(&["AC", "A"], &["--method", "anchors"]).fails(2, &["anchors", "cascade"]);
    text(&["AC", "A"], &["--min-length", "1", "--method", "cascade"])
        .fails(2, &["cascade", "anchors"]);
    text(&["AC", "A", "C"], &["--min-length", "1", "--format", "svg"]).fails(2, &["svg", "3"]);
    let (a, b) = ("AC".repeat(3000), "CA".repeat(3000));
    let files = Files::new(&[("a", a.as_bytes()), ("b", b.as_bytes())]);
    let budget = |size, options: &[&str]| {
        files.swath(&[&["substring", "a", "b", "--mem-host", size], options].concat())
    };
    budget("100K", &["--method", "suffix-array"])
        .fails(4, &["--mem-host allows 102400 bytes", "suffix array"]);
    budget("700K", &["--min-length", "10"]).fails(
        4,
        &[
            "maximal matches of at least 10 symbols",
            "ask for matches of at least",
        ],
    );
}

#[test]
fn the_plan_names_the_method_and_the_memory() {
    let plan = text(&["ABC", "AC"], &["--dry-run", "--json"]).json();
    assert_eq!(plan["schema"], "swath/substring-plan/1");
    assert!(plan["host_bytes"].is_number() && plan["symbols"] == 5 && plan.get("length").is_none());
    assert!(
        text(&["ABC", "AC"], &["--dry-run", "--min-length", "2"])
            .ok()
            .contains("anchors")
    );
}

#[test]
fn genomes_have_the_same_matches_by_anchors_and_by_the_suffix_array() {
    let [a, b] = GENOMES;
    let with = |method: &str, least: &str| {
        let options = [
            "--strand",
            "both",
            "--min-length",
            least,
            "--format",
            "tsv",
            "--method",
            method,
        ];
        swath(&[&["substring", a, b], &options[..]].concat()).ok()
    };
    for least in ["40", "150"] {
        let found = with("anchors", least);
        assert_eq!(found, with("suffix-array", least));
        assert!(
            found.lines().any(|line| line.contains("\t-\t"))
                && found.lines().any(|line| line.contains("\t+\t"))
        );
    }
    let answer = swath(&["substring", a, b, "--strand", "both", "--json"]).json();
    let length = answer["length"].as_u64().expect("a length");
    let matches = |least: u64| with("anchors", &least.to_string()).lines().count() - 1;
    assert!(
        matches(length) >= 1 && matches(length + 1) == 0,
        "the longest substring is the longest match"
    );
}
