//! Outputs, memory and unusual input.

use std::process::Stdio;

use crate::process::{Dir, FASTA, each, gzip, list};

#[test]
fn an_input_is_never_written_over() {
    let dir = Dir::of(
        "
        a => ACGT
        b => AGGT
        c => AGT
    ",
    );
    for call in ["scs --path a b c", "lcs --path a b", "edit --path a b"] {
        dir.swath(call).ok();
    }
    dir.fail(
        2,
        "",
        "
        lcs a b -o b           => --output b is b, an input
        scs a b c --output ./c => is c, an input
    ",
    );
    assert_eq!(dir.names(), ["a", "b", "c"]);
    assert_eq!(
        ["a", "b", "c"].map(|name| dir.text(name)),
        ["ACGT", "AGGT", "AGT"]
    );
}

#[test]
fn an_output_is_replaced_in_one_step() {
    let dir = Dir::of(
        "
        out  => old
        a    => ABC
        b    => xABCx
        dims => 10 20 30 5
    ",
    );
    dir.swath("lcs a missing -o out").fails(2, "missing");
    dir.swath("lcs a a -o out --device 'no such adapter'")
        .fails(3, "no such adapter");
    assert_eq!(dir.text("out"), "old");
    assert!(dir.swath("lcs a b -o out").ok().starts_with("length"));
    assert_eq!(dir.text("out"), "ABC");
    assert!(dir.swath("lcs a b -o out --json").json()["blocks"].is_array());
    assert!(
        dir.swath("chain dims --tree dot -o out")
            .ok()
            .starts_with("cost")
    );
    assert!(dir.text("out").starts_with("digraph"));
    assert_eq!(
        dir.names(),
        ["a", "b", "dims", "out"],
        "nothing else is left"
    );
    assert_eq!(dir.swath("chain dims -o -").ok(), "(A1 (A2 A3))\n");
}

#[test]
fn closed_pipe_is_not_an_error() {
    let line = "a line of text\n".repeat(200);
    let dir = Dir::texts(&[("a", &line), ("b", &line.replace('x', "y"))]);
    each(
        ["lcs a b --format text", "completions bash", "man lcs"],
        |line| {
            let (_, writer) = std::io::pipe().expect("a pipe that nobody reads");
            let mut command = dir.command(line);
            let output = command
                .stdout(writer)
                .stderr(Stdio::piped())
                .output()
                .expect("swath runs");
            assert_eq!(output.status.code(), Some(0));
            assert_eq!(String::from_utf8_lossy(&output.stderr), "");
        },
    );
}

#[test]
fn inputs_count_against_the_host_memory() {
    let zeros = vec![b'A'; 4 << 20];
    let fasta = [b">x\n", &zeros[..]].concat();
    let dir = Dir::new(&[
        ("plain", &zeros),
        ("bomb.gz", &gzip(&zeros)),
        ("fasta", &fasta),
        ("a", b"A"),
    ]);
    dir.fail(
        4,
        "",
        "
        lcs plain a --mem-host 1M                 => plain | 1048576 bytes | --mem-host
        lcs bomb.gz a --mem-host 1M               => bomb.gz | 1048576 bytes | --mem-host
        lcs fasta a --mem-host 1M                 => fasta | 1048576 bytes | --mem-host
        lcs plain a --symbols chars --mem-host 8M => the inputs
        fold plain --mem-host 1M                  => plain | --mem-host
        bst plain --mem-host 1M                   => plain | --mem-host
    ",
    );
    for name in ["plain", "bomb.gz", "fasta"] {
        dir.swath(format!("lcs {name} a --mem-host 64M")).ok();
    }
}

#[test]
fn final_newline_is_a_symbol_only_in_plain_layout() {
    let dir = Dir::of(
        r"
        unix    => ACGT\n
        windows => ACGT\r\n
        two     => ACGT\n\n
        none    => ACGT
    ",
    );
    each(
        [("unix", 0, 1), ("windows", 0, 2), ("two", 1, 2)],
        |(name, auto, plain)| {
            for (options, distance) in [
                ("", auto),
                ("--symbols chars", auto),
                ("--input plain", plain),
            ] {
                let answer = dir.swath(format!("edit {name} none --json {options}"));
                answer.has(format!("distance={distance}"));
            }
        },
    );
}

#[test]
fn escapes_in_names_do_not_reach_the_terminal() {
    let dir = Dir::of(
        r"
        fa     => >\u001b[31mred\u0007\nACGT\n
        shapes => \u001b[31m:2x3 B:3x4
    ",
    );
    let calls = "
        lcs fa fa
        edit fa fa --format paf
        fold fa
        chain shapes
        lcs fa fa --record-a x
    ";
    each(list(calls), |call| {
        let run = dir.swath(call);
        let text = run.stderr + &String::from_utf8_lossy(&run.stdout);
        assert!(!text.contains(['\x1b', '\x07']), "{text:?}");
    });
    dir.swath("lcs fa fa --record-a x").fails(2, "red");
    dir.swath("lcs fa fa --json")
        .has("/a/name=\u{1b}[31mred\u{7}");
}

#[test]
fn default_record_of_several_is_noted() {
    let dir = Dir::new(&[("fa", FASTA), ("one", b">x\nACGT\n")]);
    each(["lcs fa one", "edit fa one --json", "scs fa one"], |call| {
        let run = dir
            .swath(call)
            .notes("fa has more records than 'r1' | --record-a");
        assert_eq!(run.stderr.lines().count(), 1);
        run.ok();
    });
    each(
        [
            "lcs fa one --record-a r1",
            "scs fa --all-records",
            "lcs one one",
        ],
        |call| {
            drop(dir.swath(call).quiet().ok());
        },
    );
    dir.swath("scs one one fa").notes("--all-records takes all");
    dir.swath("fold fa").notes("--record takes another");
}
