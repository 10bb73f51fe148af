//! `swath edit` on the CPU: answers and formats.

use crate::process::{Dir, contains, each, has, swath};

#[test]
fn the_summary_and_every_format_show_the_same_alignment() {
    swath("edit --text kitten sitting").shows(
        "distance        3\n | mode            global\n | path            none\n | a               6 symbols, a\n",
    );
    Dir::new(&[]).rows(
        "edit --text kitten sitting --format",
        "
        paf => a 6 0 6 + b 7 0 7 4 7 255 tp:A:P NM:i:3 AS:i:-3 de:f:0.4286 cg:Z:1X3=1X1=1D ;
    ",
    );
    Dir::new(&[]).print(
        "edit --text kitten sitting --format",
        r"
        text   => a 1 kitten- 6\n    .|||.|\nb 1 sitting 7\n
        cigar  => 6M1D\n
        cigarx => 1X3=1X1=1D\n
        ops    => 1X 3= 1X 1= 1D\n
        diff   => [-k-]{+s+}itt[-e-]{+i+}n{+g+}\n
    ",
    );
    let answer = swath("edit --text kitten sitting --json").has(
        "schema=swath/edit/1 | problem=edit | mode=global | cells=42 | path_mode=none | device=cpu | \
         interface=null | b={\"name\":\"b\",\"length\":7}",
    );
    for absent in ["more_than", "pieces", "alignment"] {
        assert!(answer.get(absent).is_none(), "{absent}");
    }
    let alignment = r#"{"start":0,"end":7,"cigar":"1X3=1X1=1D","blocks":[[0,0,6]]}"#;
    let answer = swath("edit --text kitten sitting --format json");
    answer.has(format!("alignment={alignment}"));
}

#[test]
fn witnesses_of_lines_cases_gaps_and_pieces() {
    let dir = Dir::of(
        r"
        a => one\ntwo\nthree\n
        b => one\n2\nthree\nfour\n
        c => x\ny\n2\nz\n
        d => 1\nx\ny\nz\n4\n5\n
    ",
    );
    dir.print("edit", r"
        a b --symbols lines --format text                   => \u0020one\n-two\n+2\n three\n+four\n
        a b --symbols lines --format diff                   => --- a\n+++ b\n@@ -1,3 +1,4 @@\n one\n-two\n+2\n three\n+four\n
        // The piece alone.
        c d --symbols lines --mode infix --format diff      => --- c\n+++ d\n@@ -1,4 +2,3 @@\n x\n y\n-2\n z\n
        --text CGGT AACGTAAA --mode infix --format diff     => CG[-G-]T\n
        --text ACGG ACGTTTT --mode prefix --format diff     => ACG[-G-]\n
        --text ABC abd --ignore-case --format cigarx        => 2=1X\n
        --text ABC abd --ignore-case --format text          => a 1 ABC 3\n    ||.\nb 1 abd 3\n
        --text GGAAAACC GGAAACC --format cigar --gaps left  => 2M1I5M\n
        --text GGAAAACC GGAAACC --format cigar --gaps right => 5M1I2M\n
    ");
    // Long alignments have blocks, which say where they are.
    let (before, after) = ("ACGT".repeat(16), "ACGT".repeat(4));
    let text = swath(format!(
        "edit --text {before}{after} {before}A{after} --path"
    ))
    .ok();
    let lines: Vec<&str> = text.lines().collect();
    let [first, .., second, _, last] = lines[..] else {
        panic!("{text}")
    };
    assert_eq!(lines.len(), 7, "{text}");
    assert!(
        first.starts_with("a  1 ACGT") && first.ends_with(" 60"),
        "{text}"
    );
    assert!(
        second.starts_with("a 61 ") && second.ends_with(" 80"),
        "{text}"
    );
    assert!(last.ends_with(" 81"), "{text}");
}

#[test]
fn bounds_give_an_answer_by_every_method() {
    let kitten = "edit --text kitten sitting --method";
    let is_bounded = ["auto", "bit-parallel", "banded", "wavefront", "reference"];
    each(
        ["anti-diagonal", "tiled"].iter().chain(&is_bounded),
        |method| {
            let answer = swath(format!("{kitten} {method} --json")).has("distance=3");
            assert_ne!(answer["method"], "auto");
        },
    );
    each(is_bounded, |method| {
        swath(format!("{kitten} {method} -k 2")).shows("distance        > 2\n");
        let answer = swath(format!("{kitten} {method} -k 2 --json --path"));
        let answer = answer.has("distance=null | more_than=2");
        assert!(answer.get("alignment").is_none());
        assert_eq!(
            swath(format!("{kitten} {method} -k 2 --format cigar")).ok(),
            ""
        );
        swath(format!("{kitten} {method} -k 3 --json")).has("distance=3");
    });
    // A bound above every distance changes nothing.
    for bound in ["4", "10", "18446744073709551615"] {
        each(["", "--mode prefix", "--mode infix --starts"], |mode| {
            let answer = swath(format!("edit --text ACGT ACGA -k {bound} --json {mode}"));
            answer.has("distance=1");
        });
    }
}

#[test]
fn a_file_is_kept_if_there_is_no_alignment() {
    let dir = Dir::texts(&[("out", "old")]);
    let call = "edit --text kitten sitting --format cigar";
    let none = "swath: the distance is more than 2, so there is no alignment";
    let printed = dir.swath(format!("{call} -k 2"));
    assert_eq!(printed.stderr.lines().last(), Some(none));
    assert_eq!(printed.ok(), "");
    let written = dir.swath(format!("{call} -k 2 -o out"));
    assert_eq!(written.stderr, format!("{none}, and out stays as it is\n"));
    written.ok();
    assert_eq!(dir.text("out"), "old");
    dir.swath(format!("{call} -o out")).ok();
    assert_eq!(dir.text("out"), "6M1D\n");
}

fn records() -> Dir {
    Dir::of(
        r"
        q => >q1\nCGTA\n>q2\nTTTT\n
        t => >t1\nAAAA\n>t2\nGGCGTAGG\n>t3\nTTTTT\n
    ",
    )
}

#[test]
fn every_record_of_the_target_is_searched() {
    let dir = records();
    let run = |options: &str| dir.swath(format!("edit q t --mode infix {options}"));
    let objects = run("--json").objects();
    assert_eq!(objects.len(), 6);
    let pairs = ["q1", "q2"]
        .into_iter()
        .flat_map(|a| ["t1", "t2", "t3"].map(|b| (a, b)));
    for ((object, (a, b)), distance) in objects.iter().zip(pairs).zip([3, 0, 3, 4, 3, 0]) {
        let values = format!("/a/name={a} | /b/name={b} | distance={distance}");
        has(object, format!("schema=swath/edit/1 | {values}"));
    }
    // A named record is a single one.
    run("--record-a q1 --record-b t2 --json").has("distance=0 | pieces=[[null,6]]");
    // Pieces, PAF and alignments name the record.
    let text = run("--starts").shows("piece           2..6  t2\n");
    assert_eq!(text.matches("distance").count(), 6);
    let paf = run("--format paf -k 0");
    assert_eq!(
        paf.stderr,
        "swath: the distance of 4 of 6 pairs is more than 0, so there is no alignment\n"
    );
    let paf = paf.ok();
    assert_eq!(paf.lines().count(), 2, "{paf}");
    assert!(paf.starts_with("q1\t4\t0\t4\t+\tt2\t8\t2\t6\t"), "{paf}");
    let cigars = "# q1\tt2\n4=\n# q2\tt3\n4=\n";
    assert_eq!(run("--format cigarx -k 0").ok(), cigars);
    let summary = run("-k 0 -o out --format cigarx").ok();
    assert!(
        summary.starts_with("pairs           6, 2 aligned\n"),
        "{summary}"
    );
    assert_eq!(dir.text("out"), cigars);
    assert_eq!(run("-k 6 --json").objects().len(), 6);
    assert_eq!(run("--dry-run --json").objects().len(), 6);
}

#[test]
fn pieces_have_ends_and_optional_starts() {
    let run = |options: &str| {
        swath(format!(
            "edit --text CGT AACGGTACGTTCGT --mode infix {options}"
        ))
    };
    run("--json").has("distance=0 | pieces=[[null,10],[null,14]]");
    run("--json --starts").has("pieces=[[7,10],[11,14]]");
    run("--json --path").has("pieces=[[7,10],[null,14]] | /alignment/start=7 | /alignment/end=10");
    assert_eq!(
        run("--format paf").ok(),
        "a\t3\t0\t3\t+\tb\t14\t7\t10\t3\t3\t255\ttp:A:P\tNM:i:0\tAS:i:0\tde:f:0.0000\tcg:Z:3=\n"
    );
    swath("edit --text AACG AACCGGTA --mode prefix --json")
        .has("distance=1 | pieces=[[0,3],[0,4],[0,5]]");
    // The pieces come last, so that `tail` and `sed` can extract them.
    for (options, pieces) in [("", ["..10", "..14"]), ("--starts", ["7..10", "11..14"])] {
        let text = run(options).shows("pieces          2\n");
        let end = pieces
            .map(|piece| format!("piece           {piece}\n"))
            .concat();
        assert!(text.ends_with(&end), "{text}");
        assert_eq!(text.matches("\npiece ").count(), 2, "{text}");
    }
    for none in ["CGT AAAAAA --mode infix -k 1", "CGT CGTA"] {
        assert!(
            !swath(format!("edit --text {none}")).ok().contains("piece"),
            "{none}"
        );
    }
}

#[test]
fn invalid_calls_are_refused_with_a_remedy() {
    let dir = Dir::texts(&[("a", "x\ny\n")]);
    dir.fail(
        2,
        "edit",
        "
        --text a b --gaps left                      => --gaps | --path
        --text a b --starts                         => --starts | infix
        --text a b --method tiled --path            => tiled | auto
        --text a b --method wavefront --mode prefix => wavefront | prefix | auto
        --text a b --json --format cigar            => --output FILE
        no-such-file x                              => no-such-file | --text
        a a --symbols lines --format paf            => --format paf | diff
        a a --symbols tokens --format paf           => --format paf | diff
    ",
    );
}

#[test]
fn empty_inputs_are_answered() {
    each(
        [("''", "''", 0), ("''", "abc", 3), ("ab", "''", 2)],
        |(a, b, distance)| {
            swath(format!("edit --text {a} {b} --json --path")).has(format!("distance={distance}"));
        },
    );
    each(["prefix", "infix"], |mode| {
        swath(format!("edit --text '' abc --mode {mode} --json --path")).has(format!(
            "distance=0 | mode={mode} | pieces=[[0,0]] | /alignment/cigar="
        ));
    });
}

#[test]
fn alignments_of_several_pairs_have_one_summary() {
    let dir = records();
    let run = |options: &str| dir.swath(format!("edit q t --mode infix -o out {options}"));
    for options in ["", "--gaps left"] {
        for (bound, aligned) in [(0, 2), (3, 5), (4, 6)] {
            let text = run(&format!("-k {bound} {options}")).ok();
            assert!(
                text.starts_with(&format!("pairs           6, {aligned} aligned\n")),
                "{text}"
            );
            contains(
                &text,
                "a               8 symbols, q, 2 records | device          cpu",
            );
        }
    }
    // The objects have the pieces of each pair.
    let objects = run("-k 3 --json --format paf").ok();
    assert_eq!(objects.matches("\"pieces\":[[").count(), 5);
    assert_eq!(objects.lines().count(), 6);
    assert_eq!(dir.text("out").lines().count(), 5);
    each(
        [
            ("-k 0", 0),
            ("-k 1", 0),
            ("--record-a q2 --record-b t2 -k 1", 1),
        ],
        |(options, code)| run(&format!("{options} --exit-code")).ends(code, ""),
    );
}
