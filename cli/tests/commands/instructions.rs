//! Instructions that commands execute on the CPU, as valgrind counts them: slower code is seen
//! without a quiet machine. Counts are of the profile `tests`, of one thread with AVX2.

use std::path::Path;
use std::process::Command;

use crate::process::Files;

/// Millions of instructions of each command. Change a count with the code that changes it.
const COUNTS: [(f64, &str); 10] = [
    (97.9, "edit a b --method bit-parallel"),
    (68.2, "edit a near --path --method banded -o out"),
    (71.2, "lcs a b --path -o out"),
    (46.8, "scs a b"),
    (131.0, "compare a near -o out"),
    (55.0, "substring a long"),
    (35.5, "search short long -k 3 -o out"),
    (203.1, "pairs words words --format npy -o out"),
    (72.5, "neighbors words -k 2 -o out"),
    (38.0, "chain dimensions --method tiled"),
];
/// Counts differ by less between runs and hosts.
const TOLERANCE: f64 = 0.05;

#[test]
fn commands_execute_no_more_instructions_than_before() {
    let program = Path::new(env!("CARGO_BIN_EXE_swath"));
    let of_tests = program
        .parent()
        .is_some_and(|folder| folder.ends_with("tests"));
    let required = std::env::var("SWATH_REQUIRE_GPU_TESTS").is_ok_and(|value| value == "1");
    let has_valgrind = Command::new("valgrind").arg("--version").output().is_ok();
    assert!(
        has_valgrind || !required,
        "valgrind is missing: tests/run.sh installs it"
    );
    if !of_tests || !has_valgrind {
        eprintln!("skipped: valgrind and the profile `tests` are needed");
        return;
    }
    let mut state = 1u64;
    let mut below = |limit: u64| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        (state >> 33) % limit
    };
    let mut dna = |len: u64| -> Vec<u8> { (0..len).map(|_| b"ACGT"[below(4) as usize]).collect() };
    let (a, b, long, short) = (dna(20_000), dna(20_000), dna(300_000), dna(20));
    let mut near = a.clone();
    near.iter_mut()
        .step_by(30)
        .for_each(|letter| *letter = b'A');
    let words: Vec<u8> = (0..1500)
        .flat_map(|_| {
            let len = 4 + below(9);
            let word: Vec<u8> = (0..len).map(|_| b'a' + below(26) as u8).collect();
            [word, b"\n".to_vec()].concat()
        })
        .collect();
    let dimensions: Vec<String> = (0..300).map(|_| (1 + below(1000)).to_string()).collect();
    let files = Files::new(&[
        ("a", &a),
        ("b", &b),
        ("near", &near),
        ("long", &long),
        ("short", &short),
        ("words", &words),
        ("dimensions", dimensions.join(" ").as_bytes()),
    ]);
    let measured = COUNTS.map(|(before, args)| {
        let ran = Command::new("valgrind")
            .args(["--tool=callgrind", "--callgrind-out-file=/dev/null"])
            .arg(program)
            .args(args.split(' '))
            .args(["--device", "cpu", "--threads", "1"])
            .current_dir(files.0.path())
            .env("SWATH_CPU_KERNEL", "avx2")
            .output()
            .expect("valgrind runs");
        let log = String::from_utf8_lossy(&ran.stderr).into_owned();
        assert!(ran.status.success(), "{args:?}: {log}");
        let collected = log.split("Collected : ").nth(1);
        let count = collected.and_then(|rest| rest.split_whitespace().next());
        let count: f64 = count.and_then(|count| count.parse().ok()).expect("a count");
        (before, count / 1e6, args)
    });
    let changed: Vec<_> = measured
        .iter()
        .filter(|(before, now, _)| (now / before - 1.0).abs() > TOLERANCE)
        .collect();
    assert!(changed.is_empty(), "millions before and now: {changed:#?}");
}
