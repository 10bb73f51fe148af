//! `swath scs` on the CPU.

use crate::process::{FASTA, Files, is_subsequence, numbers, swath};

#[test]
fn supersequence_contains_both_inputs_and_has_the_reported_length() {
    let run = swath(&["scs", "--text", "cab", "abac", "--path"]);
    assert!(run.stderr.contains("exact"), "{}", run.stderr);
    let text = run.ok();
    assert!(
        text.len() == 5
            && is_subsequence(b"cab", text.as_bytes())
            && is_subsequence(b"abac", text.as_bytes())
    );
    let summary = swath(&["scs", "--text", "cab", "abac"]).ok();
    for (key, value) in [
        ("length", "5"),
        ("result", "exact"),
        ("lower bound", "5"),
        ("input", "3 symbols, a"),
    ] {
        assert!(
            summary
                .lines()
                .any(|line| line.starts_with(key) && line.ends_with(value)),
            "{summary}"
        );
    }
}

#[test]
fn every_method_gives_the_same_supersequence() {
    let text = |method| {
        swath(&[
            "scs",
            "--text",
            "nematode knowledge",
            "empty bottle",
            "--path",
            "--method",
            method,
        ])
        .ok()
    };
    for method in [
        "bit-parallel",
        "wavefront",
        "row-wise",
        "anti-diagonal",
        "reference",
    ] {
        assert_eq!(text(method), text("auto"), "{method}");
    }
    let length = |method| {
        swath(&[
            "scs", "--text", "nematode", "empty", "--json", "--method", method,
        ])
        .json()["length"]
            .clone()
    };
    assert_eq!(length("k-dimensional"), length("reference"));
}

#[test]
fn the_json_of_a_supersequence_says_where_each_input_lies() {
    for args in [&["--json", "--path"][..], &["--format", "json"]] {
        let answer = swath(&[&["scs", "--text", "xABy", "ABz"], args].concat()).json();
        assert_eq!(
            (&answer["schema"], &answer["problem"]),
            (&"swath/scs/1".into(), &"scs".into())
        );
        assert_eq!(
            (&answer["length"], &answer["lower_bound"], &answer["result"]),
            (&5.into(), &5.into(), &"exact".into())
        );
        assert_eq!(answer["supersequence"], "xAByz");
        assert_eq!(
            answer["embeddings"],
            serde_json::json!([[[0, 0, 4]], [[0, 1, 2], [2, 4, 1]]])
        );
        assert_eq!(
            answer["inputs"][1],
            serde_json::json!({"name": "b", "length": 3})
        );
    }
    assert!(
        swath(&["scs", "--text", "a", "b", "--json"])
            .json()
            .get("embeddings")
            .is_none()
    );
}

#[test]
fn several_inputs_say_whether_the_answer_is_exact() {
    let answer = swath(&["scs", "--text", "abc", "bca", "cab", "--format", "json"]).json();
    assert_eq!(
        (&answer["result"], &answer["method"], &answer["length"]),
        (&"exact".into(), &"k-dimensional".into(), &5.into())
    );
    let text = answer["supersequence"].as_str().expect("text").as_bytes();
    assert!(
        [b"abc", b"bca", b"cab"]
            .iter()
            .all(|input| is_subsequence(&input[..], text))
    );
    let inputs = ["abcdabcdd", "dcbadcba", "bdacbdac", "cabdcabd"];
    let answer = swath(
        &[
            &["scs", "--text", "--json", "--method", "majority-merge"],
            &inputs[..],
        ]
        .concat(),
    )
    .json();
    let number = |key: &str| answer[key].as_u64().expect("a number");
    assert!(number("lower_bound") <= number("length"));
    assert_eq!(
        answer["result"] == "exact",
        number("lower_bound") == number("length")
    );
    swath(&["scs", "--text", "a", "b", "c", "--method", "row-wise"])
        .fails(2, &["row-wise", "two", "merge-tree"]);
}

#[test]
fn records_of_one_file_are_inputs_of_their_own() {
    let files = Files::new(&[("fa", FASTA), ("plain", b"TT")]);
    let answer = files
        .swath(&["scs", "fa", "--all-records", "--json"])
        .json();
    assert_eq!(
        answer["inputs"],
        serde_json::json!([{"name": "r1", "length": 7}, {"name": "r2", "length": 4}])
    );
    assert_eq!(
        files
            .swath(&["scs", "fa", "plain", "fa", "--all-records", "--json"])
            .json()["inputs"]
            .as_array()
            .map(Vec::len),
        Some(5)
    );
    let named = files
        .swath(&["scs", "fa", "fa", "--record-b", "r2", "--json"])
        .json();
    assert_eq!(named["inputs"][1]["name"], "r2");
    files
        .swath(&["scs", "fa"])
        .fails(2, &["one sequence", "--all-records"]);
    files
        .swath(&["scs", "plain", "--all-records"])
        .fails(2, &["one sequence"]);
    files
        .swath(&["scs", "fa", "fa", "--all-records", "--record-a", "r1"])
        .fails(2, &["--record-a"]);
    files
        .swath(&["scs", "-", "plain", "-"])
        .fails(2, &["'-'", "twice"]);
}

#[test]
fn lines_and_tokens_are_merged_whole_and_case_is_kept() {
    let files = Files::new(&[("a", b"x\ny\n"), ("b", b"y\nz")]);
    assert_eq!(
        files
            .swath(&["scs", "a", "b", "--symbols", "lines", "--path"])
            .ok(),
        "x\ny\nz\n"
    );
    let json = files
        .swath(&["scs", "a", "b", "--symbols", "lines", "--format", "json"])
        .json();
    assert_eq!(json["supersequence"], serde_json::json!(["x", "y", "z"]));
    let tokens = swath(&[
        "scs",
        "--text",
        "the Quick",
        "THE quick fox",
        "--symbols",
        "tokens",
        "--ignore-case",
        "--path",
    ]);
    assert_eq!(tokens.ok(), "the Quick fox\n");
    let files = Files::new(&[("a", b"\xff\x00"), ("b", b"\x00\xfe")]);
    assert_eq!(
        files.swath(&["scs", "a", "b", "--path"]).stdout,
        b"\xff\x00\xfe"
    );
    let json = files.swath(&["scs", "a", "b", "--format", "json"]).json();
    assert!(
        json.get("supersequence").is_none() && json["embeddings"].is_array(),
        "bytes that are no text"
    );
    assert_eq!(json["supersequence_base64"], "/wD+");
    let files = Files::new(&[("a", b"x\n\xff\n"), ("b", b"\xff\nz")]);
    let json = files
        .swath(&["scs", "a", "b", "--symbols", "lines", "--format", "json"])
        .json();
    assert_eq!(
        json["supersequence_base64"],
        serde_json::json!(["eA==", "/w==", "eg=="])
    );
}

#[test]
fn the_plan_of_a_supersequence_names_the_method() {
    for method in [
        "auto",
        "row-wise",
        "anti-diagonal",
        "reference",
        "k-dimensional",
        "merge-tree",
    ] {
        let plan = swath(&[
            "scs",
            "--text",
            "ABC",
            "AC",
            "--dry-run",
            "--json",
            "--path",
            "--method",
            method,
        ])
        .json();
        assert_eq!(plan["schema"], "swath/scs-plan/1");
        assert!(
            plan["host_bytes"].is_number() && plan.get("length").is_none(),
            "{method}"
        );
    }
    assert!(
        swath(&["scs", "--text", "ABC", "AC", "CA", "--dry-run"])
            .ok()
            .contains("k-dimensional")
    );
}

#[test]
fn a_supersequence_that_needs_more_memory_exits_with_four() {
    let (a, b) = (numbers(1..=3000), numbers((1..=3000).rev()));
    let files = Files::new(&[("a", a.as_bytes()), ("b", b.as_bytes())]);
    let with = |method| {
        files.swath(&[
            "scs",
            "a",
            "b",
            "--symbols",
            "lines",
            "--mem-host",
            "1M",
            "--method",
            method,
        ])
    };
    with("row-wise").fails(
        4,
        &[
            "--mem-host allows 1048576 bytes",
            "the inputs take",
            "last occurrences",
        ],
    );
    with("k-dimensional").fails(
        4,
        &[
            "--mem-host allows 1048576 bytes",
            "the inputs take",
            "k-dimensional",
        ],
    );
    assert!(with("auto").ok().contains("length"));
}
