//! `swath scs` on the CPU.

use serde_json::Value;

use crate::process::{Dir, FASTA, each, get, is_subsequence, list, numbers, swath};

#[test]
fn supersequence_contains_both_inputs() {
    let text = swath("scs --text cab abac --path").notes("exact").ok();
    assert_eq!(text.len(), 5);
    assert!(
        ["cab", "abac"]
            .iter()
            .all(|input| is_subsequence(input, &text))
    );
    swath("scs --text cab abac").shows(
        "length          5\n | result          exact\n | lower bound     5\n | input           3 symbols, a\n",
    );
    each(["--json --path", "--format json"], |options| {
        swath(format!("scs --text xABy ABz {options}")).has(
            r#"schema=swath/scs/1 | problem=scs | length=5 | lower_bound=5 | result=exact | supersequence=xAByz | embeddings=[[[0,0,4]],[[0,1,2],[2,4,1]]] | /inputs/1={"name":"b","length":3}"#,
        )
    });
    assert!(
        swath("scs --text a b --json")
            .json()
            .get("embeddings")
            .is_none()
    );
}

#[test]
fn every_method_gives_the_same_supersequence() {
    let text = |method| {
        swath(format!(
            "scs --text 'nematode knowledge' 'empty bottle' --path --method {method}"
        ))
        .ok()
    };
    let methods = "
        bit-parallel
        wavefront
        row-wise
        anti-diagonal
        reference
    ";
    each(list(methods), |method| {
        assert_eq!(text(method), text("auto"))
    });
    let length = |method| {
        swath(format!(
            "scs --text nematode empty --json --method {method}"
        ))
        .json()["length"]
            .clone()
    };
    assert_eq!(length("k-dimensional"), length("reference"));
    each(
        [
            "auto",
            "row-wise",
            "anti-diagonal",
            "reference",
            "k-dimensional",
            "merge-tree",
        ],
        |method| {
            let plan = swath(format!(
                "scs --text ABC AC --dry-run --json --path --method {method}"
            ));
            let plan = plan.has("schema=swath/scs-plan/1");
            assert!(
                plan["host_bytes"].is_number() && plan.get("length").is_none(),
                "{plan}"
            );
        },
    );
    swath("scs --text ABC AC CA --dry-run").shows("k-dimensional");
}

#[test]
fn several_inputs_say_whether_the_answer_is_exact() {
    let answer = swath("scs --text abc bca cab --format json")
        .has("result=exact | method=k-dimensional | length=5");
    let text: String = get(&answer["supersequence"]);
    assert!(
        ["abc", "bca", "cab"]
            .iter()
            .all(|input| is_subsequence(input, &text))
    );
    let inputs = "abcdabcdd dcbadcba bdacbdac cabdcabd";
    let answer = swath(format!(
        "scs --text --json --method majority-merge {inputs}"
    ))
    .json();
    let number = |key: &str| get::<u64>(&answer[key]);
    assert!(number("lower_bound") <= number("length"));
    assert_eq!(
        answer["result"] == "exact",
        number("lower_bound") == number("length")
    );
}

#[test]
fn records_of_one_file_are_inputs_of_their_own() {
    let dir = Dir::new(&[("fa", FASTA), ("plain", b"TT")]);
    dir.swath("scs fa --all-records --json")
        .has(r#"inputs=[{"name":"r1","length":7},{"name":"r2","length":4}]"#);
    let answer = dir.swath("scs fa plain fa --all-records --json").json();
    assert_eq!(get::<Vec<Value>>(&answer["inputs"]).len(), 5);
    dir.swath("scs fa fa --record-b r2 --json")
        .has("/inputs/1/name=r2");
    dir.fail(
        2,
        "scs",
        "
        fa                                => one sequence | --all-records
        plain --all-records               => one sequence
        fa fa --all-records --record-a r1 => --record-a
        - plain -                         => '-' | twice
        --text a b c --method row-wise    => row-wise | two | merge-tree
    ",
    );
}

#[test]
fn lines_and_tokens_are_merged_whole_and_case_is_kept() {
    let dir = Dir::new(&[
        ("a", b"x\ny\n"),
        ("b", b"y\nz"),
        ("c", b"\xff\x00"),
        ("d", b"\x00\xfe"),
        ("e", b"x\n\xff\n"),
        ("f", b"\xff\nz"),
    ]);
    dir.print(
        "scs --path",
        r"
        a b --symbols lines                                               => x\ny\nz\n
        --text 'the Quick' 'THE quick fox' --symbols tokens --ignore-case => the Quick fox\n
    ",
    );
    assert_eq!(dir.swath("scs c d --path").stdout, b"\xff\x00\xfe");
    let json = |inputs: &str| dir.swath(format!("scs {inputs} --format json"));
    json("a b --symbols lines").has(r#"supersequence=["x","y","z"]"#);
    // Bytes that are no text.
    let answer = json("c d").has("supersequence_base64=/wD+");
    assert!(answer.get("supersequence").is_none() && answer["embeddings"].is_array());
    json("e f --symbols lines").has(r#"supersequence_base64=["eA==","/w==","eg=="]"#);
}

#[test]
fn methods_that_need_more_memory_are_refused() {
    let dir = Dir::texts(&[("a", &numbers(1..=3000)), ("b", &numbers((1..=3000).rev()))]);
    dir.fail(
        4,
        "scs a b --symbols lines --mem-host 1M --method",
        "
        row-wise      => --mem-host allows 1048576 bytes | the inputs take | last occurrences
        k-dimensional => --mem-host allows 1048576 bytes | the inputs take | k-dimensional
    ",
    );
    dir.swath("scs a b --symbols lines --mem-host 1M")
        .shows("length");
}
