//! Instructions of commands on the CPU, as valgrind counts them: slower code shows on a busy machine, too.
//!
//! Counts are of the profile `tests`, of one thread with AVX2, and of the jobs of its pool alone:
//! threads that wait spin, and the start of a process varies.

use std::path::Path;
use std::process::Command;

use crate::generated::Random;
use crate::process::{Dir, run};

/// Millions of instructions of each command, within less than 0.1 % on one machine. A change of the
/// code that changes a count on purpose, or a new compiler, writes it anew. Methods are named, as the
/// default one may try another for a limited time.
const COUNTS: [(&str, f64); 10] = [
    ("edit a b --method bit-parallel", 83.8),
    ("lcs a b --path --method bit-parallel -o out", 71.5),
    ("scs a b --method bit-parallel", 49.8),
    ("substring a near --min-length 20 -o out", 8.3),
    ("substring a long", 39.2),
    ("search short long -k 3 -o out", 19.7),
    ("pairs words words --format npy -o out", 180.3),
    ("pairs some some --measure jaro --format npy -o out", 25.0),
    ("neighbors words -k 2 -o out", 65.5),
    ("chain dimensions --method tiled", 32.5),
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
    let dir = files();
    let mut changed = Vec::new();
    for (args, before) in COUNTS {
        let now = millions(program, args, &dir);
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
fn millions(program: &Path, args: &str, dir: &Dir) -> f64 {
    let mut command = Command::new("valgrind");
    command
        .args(["--tool=callgrind", "--callgrind-out-file=/dev/null"])
        .args(["--collect-atstart=no", COUNTED])
        .arg(program)
        .args(args.split(' '))
        .args(["--device", "cpu", "--threads", "1"])
        .current_dir(dir.0.path())
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
fn files() -> Dir {
    let mut random = Random(1);
    let [a, b, long, short] = [20_000, 20_000, 300_000, 20].map(|len| random.dna(len));
    let mut near = a.clone();
    near.iter_mut()
        .step_by(30)
        .for_each(|letter| *letter = b'A');
    let mut words = |count: usize| -> String {
        let mut letter = |_| char::from(b'a' + random.below(26) as u8);
        (0..count)
            .map(|word| (0..4 + word % 9).map(&mut letter).collect::<String>() + "\n")
            .collect()
    };
    let (many, some) = (words(1500), words(600));
    let dimensions: Vec<_> = (0..300)
        .map(|_| (1 + random.below(1000)).to_string())
        .collect();
    Dir::new(&[
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
