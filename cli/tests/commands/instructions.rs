//! Instructions of commands on the CPU, as valgrind counts them: slower code shows on a busy machine, too.
//!
//! Counts are of the profile `tests`, of one thread with AVX2, and of the jobs of its pool alone:
//! threads that wait spin, and the start of a process varies.

use std::path::Path;
use std::process::Command;

use crate::process::{Files, run};

/// Millions of instructions of each command, within less than 0.1 % on one machine. A change of the
/// code that changes a count on purpose, or a new compiler, writes it anew. Methods are named, as the
/// default one may try another for a limited time.
const COUNTS: [(&str, f64); 10] = [
    ("edit a b --method bit-parallel", 84.1),
    ("lcs a b --path --method bit-parallel -o out", 71.7),
    ("scs a b --method bit-parallel", 50.1),
    ("substring a near --min-length 20 -o out", 8.4),
    ("substring a long", 39.6),
    ("search short long -k 3 -o out", 19.3),
    ("pairs words words --format npy -o out", 194.9),
    ("pairs some some --measure jaro --format npy -o out", 26.6),
    ("neighbors words -k 2 -o out", 63.9),
    ("chain dimensions --method tiled", 32.4),
];
/// Accepted share of a count. Copies of memory are those of the C library, which differ between
/// processors.
const TOLERANCE: f64 = 0.05;
/// Function of rayon that runs the work of an engine on a thread of its pool.
const COUNTED: &str = "--toggle-collect=*rayon_core::job::StackJob*::execute*";

#[test]
fn commands_execute_as_many_instructions_as_before() {
    let program = Path::new(env!("CARGO_BIN_EXE_swath"));
    let is_of_tests = program
        .parent()
        .is_some_and(|folder| folder.ends_with("tests"));
    let has_valgrind = Command::new("valgrind").arg("--version").output().is_ok();
    let required = std::env::var("SWATH_REQUIRE_GPU_TESTS").is_ok_and(|value| value == "1");
    assert!(
        has_valgrind || !required,
        "valgrind is missing: tests/run.sh installs it"
    );
    if !is_of_tests || !has_valgrind || !is_x86_feature_detected!("avx2") {
        eprintln!("skipped: takes valgrind, AVX2 and the profile `tests`");
        return;
    }
    let files = files();
    let mut changed = Vec::new();
    for (args, before) in COUNTS {
        let now = millions(program, args, &files);
        let percent = 100.0 * (now / before - 1.0);
        if percent.abs() > 100.0 * TOLERANCE {
            let verdict = if percent > 0.0 {
                "slower"
            } else {
                "faster: its new count belongs into COUNTS"
            };
            changed.push(format!(
                "swath {args}: {before} million instructions before, {now:.1} now, {percent:+.1} %, {verdict}"
            ));
        }
    }
    assert!(changed.is_empty(), "\n{}\n", changed.join("\n"));
}

/// Millions of instructions of a command.
fn millions(program: &Path, args: &str, files: &Files) -> f64 {
    let mut command = Command::new("valgrind");
    command
        .args(["--tool=callgrind", "--callgrind-out-file=/dev/null"])
        .args(["--collect-atstart=no", COUNTED])
        .arg(program)
        .args(args.split(' '))
        .args(["--device", "cpu", "--threads", "1"])
        .current_dir(&files.0)
        .env_clear()
        .env("PATH", std::env::var_os("PATH").unwrap_or_default())
        .env("SWATH_CPU_KERNEL", "avx2");
    let ran = run(command, b"");
    assert_eq!(ran.code, Some(0), "swath {args}: {}", ran.stderr);
    let collected = ran.stderr.split("Collected : ").nth(1);
    let count = collected.and_then(|rest| rest.split_whitespace().next());
    let count = count.and_then(|count| count.parse::<u64>().ok());
    let count = count.filter(|&count| count > 0);
    count.unwrap_or_else(|| panic!("swath {args}: nothing was counted: {}", ran.stderr)) as f64
        / 1e6
}

/// Random inputs, the same each time.
fn files() -> Files {
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
    let mut words = |count: u64| -> String {
        let mut letter = |_| char::from(b'a' + below(26) as u8);
        (0..count)
            .map(|word| (0..4 + word % 9).map(&mut letter).collect::<String>() + "\n")
            .collect()
    };
    let (many, some) = (words(1500), words(600));
    let dimensions: Vec<_> = (0..300).map(|_| (1 + below(1000)).to_string()).collect();
    Files::new(&[
        ("a", &a),
        ("b", &b),
        ("near", &near),
        ("long", &long),
        ("short", &short),
        ("words", many.as_bytes()),
        ("some", some.as_bytes()),
        ("dimensions", dimensions.join(" ").as_bytes()),
    ])
}
