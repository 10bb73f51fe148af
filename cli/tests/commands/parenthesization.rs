//! `swath chain`, `polygon`, `bst` and `fold` on the CPU: answers, trees, exit codes and invalid
//! input.

use serde_json::{Value, json};

use crate::process::{Dir, contains, each, get, gpu, swath, table};

fn is_near(found: &Value, expected: f64, error: f64) -> bool {
    (get::<f64>(found) - expected).abs() < error
}

// Answers

#[test]
fn answers_of_every_kind_of_input() {
    let dir = Dir::of(
        r"
        dims.txt   => 30, 35 15 # the first two matrices\n5\n10 20 25\n
        shapes.txt => A:30x35 B:35x15\nC:15x5 D:5x10 E:10x20 F:20x25\n
        weights    => 3 7 4 5 2\n
        real       => 0.5 1.5 2 1\n
        points     => 0 0\n2 0\n2 1\n0 1\n
        keys       => 15 10 5 10 20
        gaps       => 5 10 5 5 5 10
        real-keys  => 0.15 0.10 0.05 0.10 0.20
        real-gaps  => 0.05 0.10 0.05 0.05 0.05 0.10
        rna.fasta  => >one\nGGGAAA\nUCC\n>two\nGGCC\n
        plain      => GGG AAA\nUCC\n
    ",
    );
    each(
        ["30 35 15 5 10 20 25", "dims.txt", "shapes.txt", "-"],
        |input| {
            let run = dir.swath_with_stdin(format!("chain {input} --json"), b"30 35 15 5 10 20 25");
            let answer = run.has(
                "cost=15125 | in_order=40500 | schema=swath/parenthesization/1 | problem=chain | \
             method=hu-shing | leaves=6 | arithmetic=u64 | device=cpu",
            );
            assert!(answer.get("tree").is_none());
        },
    );
    // 2 * 3 * 7 + 2 * 7 * 4 + 2 * 4 * 5.
    dir.have("SWATH_JSON=1", "
        polygon weights                            => cost=138
        polygon real                               => cost=2.5 | arithmetic=f64
        bst keys --gap-weights gaps --tree         => cost=275 | text=((- 1 -) 2 (((- 3 -) 4 -) 5 -))
        fold rna.fasta --record two --least-loop 0 => cost=2 | name=two
    ");
    let polygon = dir.swath("polygon weights --json --tree").json();
    assert_eq!(get::<String>(&polygon["text"]).lines().count(), 3);
    let points = dir.swath("polygon points --points --json").json();
    assert!(
        is_near(&points["cost"], 6.0 + 2.0 * 5.0f64.sqrt(), 1e-9),
        "{points}"
    );
    let real = dir
        .swath("bst real-keys --gap-weights real-gaps --json")
        .json();
    assert!(is_near(&real["cost"], 2.75, 1e-9), "{real}");
    each(["rna.fasta", "plain", "--text gggaaatcc"], |input| {
        let answer = dir
            .swath(format!("fold {input} --json --tree"))
            .has("cost=3");
        let text: String = get(&answer["text"]);
        let count = |letter| text.matches(letter).count();
        assert_eq!((text.len(), count('('), count(')')), (9, 3, 3), "{text}");
    });
    let rows = "
        polygon weights             => 5 sides, weights
        polygon points --points     => 4 sides, points
        bst keys                    => 5 keys, keys
        bst keys --gap-weights gaps => 5 keys, 6 gaps, keys
        fold --text ACGU            => 4 bases, text
    ";
    each(table(rows), |[call, input]| {
        for options in ["", "--dry-run"] {
            let text = dir.swath(format!("{call} {options}")).ok();
            let line = text.lines().find(|line| line.starts_with("input "));
            assert!(
                line.is_some_and(|line| line.ends_with(&format!("  {input}"))),
                "{text}"
            );
        }
    });
}

#[test]
fn the_summary_has_a_line_for_each_fact() {
    swath("chain 30 35 15 5 10 20 25").shows(
        "cost        15125\n | saving      62.65 % of 40500 from left to right\n | \
         tree        ((A1 (A2 A3)) ((A4 A5) A6))\n | method      hu-shing\n | \
         device      cpu\n | input       6 matrices, arguments\n | \ntime  ",
    );
    each(["auto", "hu-shing", "tiled", "reference"], |method| {
        let answer = swath(format!("chain 10 20 30 40 5 --json --method {method}"));
        // 6,000 + 3,000 + 1,000.
        assert_ne!(answer.has("cost=10000")["method"], "auto");
    });
}

#[test]
fn the_tree_is_written_as_text_dot_and_json() {
    let shapes = "chain A:10x20 B:20x30 C:30x5";
    let dir = Dir::new(&[]);
    dir.print(
        shapes,
        r"
        --tree text => (A (B C))\n
        --tree      => (A (B C))\n
    ",
    );
    dir.swath(format!("{shapes} --tree text")).notes("cost");
    let dot = dir.swath(format!("{shapes} --tree dot")).ok();
    assert!(
        dot.starts_with("digraph tree {\n") && dot.ends_with("}\n"),
        "{dot}"
    );
    contains(&dot, "r0_3 -> r1_3; | r2_3 [shape=box, label=\"C\"];");
    let nodes = json!([[0, 1, 3], [1, 2, 3]]);
    let tree = dir.swath(format!("{shapes} --tree json")).json();
    assert_eq!(
        tree,
        json!({"schema": "swath/tree/1", "leaves": 3, "nodes": nodes})
    );
    dir.swath(format!("{shapes} --json --tree"))
        .has(format!("text=(A (B C)) | tree={nodes}"));
    // A deep tree is written whole.
    let numbers: String = (1..=30_000).map(|number| format!("{number}\n")).collect();
    dir.write("up", numbers);
    let text = dir.swath("chain up --tree").ok();
    assert_eq!(text.matches('(').count(), 29_998);
    assert!(text.starts_with("((((") && text.ends_with("A29998) A29999)\n"));
}

#[test]
fn real_weights_are_exact_unless_f32_is_asked_for() {
    let dir = Dir::of(
        "
        weights => 1e-14 2e-14 3e-14 4e-14
        corners => 0 0 3e200 0 3e200 4e200
    ",
    );
    let has_doubles = |selector: &str| {
        let mut devices = swath::devices().into_iter();
        let device = devices
            .find(|device| device.selector == selector)
            .expect("it is listed");
        device
            .capabilities
            .iter()
            .any(|(name, value)| *name == "float64" && value == "true")
    };
    let gpu = gpu().filter(|selector| has_doubles(selector));
    for selector in ["cpu".to_string()].into_iter().chain(gpu) {
        for precision in ["exact", "f32"] {
            let run = |call| {
                dir.swath(format!(
                    "{call} --device {selector} --precision {precision}"
                ))
            };
            let is_approximate = selector != "cpu" && precision == "f32";
            let arithmetic = if is_approximate { "f32" } else { "f64" };
            let answer = run("polygon weights --json").has(format!(
                "approximate={is_approximate} | arithmetic={arithmetic}"
            ));
            assert!(is_near(&answer["cost"], 18e-42, 18e-54), "{answer}");
            let text = run("polygon corners --points").ok();
            assert_eq!(text.contains("approximate"), is_approximate, "{text}");
            let cost = text
                .lines()
                .find_map(|line| line.strip_prefix("cost"))
                .expect("a cost");
            assert!(
                is_near(&cost.trim().parse().expect("JSON"), 12e200, 12e188),
                "{text}"
            );
        }
    }
    let refused = dir
        .swath("polygon weights --precision f16")
        .notes("f16 | exact | f32");
    assert_eq!(refused.code, Some(2));
}

// Invalid input

#[test]
fn invalid_numbers_are_reported_with_their_position() {
    let rows = r"
        chain FILE                 => 10 20\n30 abc 40\n         => FILE, line 2, column 4: 'abc' is not a dimension
        chain FILE                 => 10\n0\n20                  => FILE, line 2, column 1 | dimension of 0
        chain FILE                 => 10 -5 20                   => FILE, line 1, column 4: '-5' | is negative
        chain FILE                 => 10 18446744073709551616 20 => FILE, line 1, column 4 | more than 2^64 - 1
        chain FILE                 => A:10x20\nB:21x30           => FILE, line 2, column 1: 'B:21x30' | 20 columns | 21 rows
        chain FILE                 => A:10x20 30                 => FILE, line 1, column 9: '30' is not a shape
        chain FILE                 =>                            => FILE: no dimensions make no matrix
        chain FILE                 => 7                          => FILE: one dimension
        chain missing              =>                            => missing: no such file
        chain 10 x 30              =>                            => argument 2: 'x' is not a dimension
        chain 10 20                =>                            => one matrix alone
        chain A:10x20              =>                            => one matrix alone
        chain 10 2.5 30            =>                            => argument 2: '2.5' is not a dimension
        polygon FILE --points      => 0 0 1                      => FILE | 3 numbers
        polygon FILE               => 1 2                        => FILE | 2 vertices | three
        polygon FILE               => 1 2\n3 x                   => FILE, line 2, column 3: 'x' is not a number
        polygon FILE               => 1 2.5 -3                   => FILE, line 1, column 7: '-3' is negative
        polygon FILE               => 1 2 18446744073709551615   => FILE, line 1, column 5: '18446744073709551615' is more than 2^64 - 2
        polygon FILE               => 1e110 1e110 1e110 1e110    => sides | more than 1.79e308
        polygon FILE               => 1 1e-300 1                 => 2^840 | set the least to 0
        bst FILE                   => 1 2.5 nan                  => FILE, line 1, column 7: 'nan'
        bst FILE                   => 1 2 99999999999999999999   => FILE, line 1, column 5 | more than 2^64 - 2
        bst FILE                   => 1 2 18446744073709551615   => FILE, line 1, column 5: '18446744073709551615' is more than 2^64 - 2
        bst FILE                   => # nothing\n                => FILE | no key
        bst FILE                   => 1e308 1e308                => all weights together | 1.79e308
        bst FILE --gap-weights two => 1 2 3 4 5                  => 5 keys have 6 gaps, not 2
        fold FILE                  => >p\nACGU\nNXmkvlefae\n     => FILE, record 'p': base 10: 'l' is no letter of RNA or DNA
        fold FILE --record x       => GGG                        => --record | 'x'
        fold --text ''             =>                            => empty
        fold --text AC4G           =>                            => base 3 | '4'
    ";
    each(table(rows), |[call, text, parts]| {
        Dir::texts(&[("FILE", text), ("two", "1 2")])
            .swath(call)
            .fails(2, parts);
    });
    let dir = Dir::new(&[
        ("binary", b"\xff\xfe\x00"),
        ("almost", b"18446744073709551614"),
    ]);
    dir.swath("chain binary")
        .fails(2, "binary, line 1, column 1");
    assert!(
        !dir.swath("bst almost")
            .stderr
            .contains("more than 2^64 - 2; scale")
    );
}

#[test]
fn costs_and_methods_that_do_not_fit_are_refused() {
    let numbers: String = (0..400)
        .map(|number| format!("{} ", 7 + number % 13))
        .collect();
    let dir = Dir::texts(&[("n", &numbers)]);
    dir.fail(
        2,
        "",
        "
        chain 1 4611686018427387904 2 4611686018427387904 1                => matrices | 2^64 - 2
        chain 1 4611686018427387904 2 4611686018427387904 1 --method tiled => matrices | 2^64 - 2
        chain 4294967296 4294967296 1 1                                    => matrices 1 to 2
        chain n --method adaptive                                          => 'adaptive' | GPU
        bst n --method hu-shing                                            => 'hu-shing' | tiled
    ",
    );
    dir.swath("chain n --method tiled --mem-host 100k")
        .fails(4, "smallest plan");
}
