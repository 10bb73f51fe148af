//! `swath` where the system refuses threads or memory.

use std::process::{Command, Stdio};
use std::time::Duration;

use crate::process::{Files, Run, command, gzip, is_full, numbers, run};

/// Letters A, C, G and T.
fn letters(count: usize, mut state: u32) -> String {
    let next = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        char::from(b"ACGT"[(state >> 30) as usize])
    };
    std::iter::repeat_with(next).take(count).collect()
}

/// Inputs of every command.
fn files() -> Files {
    let (a, b) = (letters(20_000, 1), letters(20_000, 2));
    let record = |seed: u32| format!(">r{seed}\n{}\n", letters(40, seed));
    let reads: String = (0..40).map(record).collect();
    let lines: String = (0..20_000)
        .map(|line| format!("line {}\n", line % 9_000))
        .collect();
    Files::new(&[
        ("a.txt", a.as_bytes()),
        ("b.txt", b.as_bytes()),
        ("long.txt", letters(4_000_000, 4).as_bytes()),
        ("rna.txt", letters(600, 3).as_bytes()),
        ("reads.fa", reads.as_bytes()),
        ("lines.txt", lines.as_bytes()),
        (
            "sizes.txt",
            numbers((0..500).map(|size| 1 + size * 37 % 101)).as_bytes(),
        ),
    ])
}

const RUNS: [&[&str]; 14] = [
    &["lcs", "a.txt", "b.txt"],
    &["lcs", "a.txt", "b.txt", "--path", "--output", "-"],
    &["lcs", "lines.txt", "lines.txt", "--symbols", "lines"],
    &["edit", "a.txt", "b.txt", "--format", "cigar"],
    &["edit", "rna.txt", "b.txt", "--mode", "infix", "--starts"],
    &["scs", "a.txt", "b.txt", "--path"],
    &["scs", "reads.fa", "--all-records", "--path"],
    &["substring", "a.txt", "b.txt"],
    &["substring", "a.txt", "b.txt", "--method", "suffix-array"],
    &["chain", "sizes.txt"],
    &["chain", "sizes.txt", "--method", "tiled"],
    &["polygon", "sizes.txt", "--method", "tiled"],
    &["bst", "sizes.txt"],
    &["fold", "rna.txt"],
];

/// Lines of stdout without those that hold times.
fn answer(run: Run) -> Vec<String> {
    let is_timed = |line: &&str| {
        let word = line.split_whitespace().next().unwrap_or_default();
        ["time", "speed", "computed", "phases"].contains(&word)
    };
    let text = run.ok();
    text.lines()
        .filter(|line| !is_timed(line))
        .map(str::to_string)
        .collect()
}

#[test]
fn every_command_works_without_threads() {
    let files = files();
    let swath = |args: &[&str], refused: bool| {
        let mut command = command(args);
        command.current_dir(&files.0);
        if refused {
            // No system has memory for such a stack.
            command.env("RUST_MIN_STACK", (1u64 << 46).to_string());
        }
        run(command, b"")
    };
    for args in RUNS {
        assert_eq!(
            answer(swath(args, true)),
            answer(swath(args, false)),
            "{args:?}"
        );
    }
    assert_eq!(swath(&["selftest"], true).code, Some(0));
    // A number that was asked for is not replaced.
    swath(&["lcs", "a.txt", "b.txt", "--threads", "2"], true).fails(3, &["2 threads", "ulimit -u"]);
}

/// `swath` with a limit of its address space in KiB.
fn within(kilobytes: u64, files: &Files, args: &[&str]) -> Run {
    let swath = command(args);
    let mut shell = Command::new("sh");
    shell
        .args(["-c", &format!("ulimit -v {kilobytes}; exec \"$0\" \"$@\"")])
        .arg(swath.get_program())
        .args(swath.get_args())
        .env("SWATH_DEVICE", "cpu")
        // A further one reserves 64 MiB of addresses whenever two threads allocate at once.
        .env("MALLOC_ARENA_MAX", "1")
        .current_dir(&files.0);
    run(shell, b"")
}

#[test]
fn refused_memory_is_an_error_with_its_code() {
    let files = files();
    let mut refused = 0;
    // Enough to load the program.
    let starts = |&kilobytes: &u64| within(kilobytes, &files, &["--version"]).code == Some(0);
    let least = (20_000..1_000_000)
        .step_by(5_000)
        .find(starts)
        .expect("it starts");
    let more: [&[&str]; 2] = [
        &["selftest"],
        &["edit", "rna.txt", "long.txt", "--mode", "infix"],
    ];
    for (step, kilobytes) in (least..least + 60_000).step_by(6_000).enumerate() {
        for (place, args) in RUNS.into_iter().chain(more).enumerate() {
            // A self-test is many calls.
            let every = if args == ["selftest"] { 4 } else { 2 };
            if !is_full() && !(step + place).is_multiple_of(every) {
                continue;
            }
            let mut run = within(kilobytes, &files, args);
            // The C library ends a process for which it cannot start a thread's storage. Then a little
            // more has to do.
            if run.stderr.starts_with("Fatal glibc error") {
                run = within(kilobytes + 1_000, &files, args);
            }
            assert!(
                matches!(run.code, Some(0 | 4)),
                "{args:?} in {kilobytes} KiB: {:?}, {}",
                run.code,
                run.stderr
            );
            if run.code == Some(4) {
                refused += 1;
                assert!(run.stderr.lines().count() == 1, "{args:?}: {}", run.stderr);
            }
        }
    }
    assert!(refused > 0, "no run was short of memory");
}

/// Runs within `--mem-host 40M` and the memory of the program itself; the account refuses the
/// input before the system does.
#[test]
fn small_records_and_numbers_stay_within_the_allowed_memory() {
    let count = 1_000_000;
    let many = |text: &str| gzip(text.repeat(count).as_bytes());
    let files = Files::new(&[
        ("records.fa.gz", &many(">\nA\n")),
        (
            "names.fa.gz",
            &many(">a_longer_name_of_a_record and a comment\nA\n"),
        ),
        ("numbers.gz", &many("1 1 1 1 1 1 1 1 1 1 ")),
        ("shapes.gz", &many("1x1 1x1 1x1 1x1 1x1 ")),
        ("letters.gz", &many("AAAAAAAAAAAAAAAA")),
        ("lines.gz", &many("\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n")),
        ("query.fa", b">q\nACGT\n"),
    ]);
    let runs: [&[&str]; 16] = [
        &["scs", "records.fa.gz", "--all-records"],
        &["scs", "names.fa.gz", "--all-records"],
        &["substring", "records.fa.gz", "--all-records"],
        &["edit", "query.fa", "records.fa.gz", "--mode", "infix"],
        &["edit", "query.fa", "letters.gz", "--mode", "infix"],
        &["fold", "letters.gz"],
        &["chain", "numbers.gz"],
        &["chain", "shapes.gz"],
        &["bst", "numbers.gz"],
        &["lcs", "lines.gz", "lines.gz", "--symbols", "lines"],
        &[
            "lcs",
            "numbers.gz",
            "numbers.gz",
            "--symbols",
            "chars",
            "--ignore-case",
        ],
        &["pairs", "records.fa.gz", "records.fa.gz", "--zip"],
        &["neighbors", "records.fa.gz", "-k", "0"],
        &["pairs", "lines.gz", "--symbols", "lines"],
        &["pairs", "letters.gz", "--symbols", "chars"],
        &["pairs", "numbers.gz", "--symbols", "tokens"],
    ];
    for args in runs {
        let args = [args, &["--mem-host", "40M", "--threads", "1"]].concat();
        println!("{args:?}");
        within(150_000, &files, &args).fails(4, &["--mem-host"]);
    }
}

/// Rows of long names take 110 MB and more in all; small records fit the limit twice.
#[test]
fn rows_and_lists_stay_within_the_allowed_memory() {
    let name = "n".repeat(5_000);
    let record = |seed: u32| format!(">{name}{seed}\n{}\n", letters(12, seed));
    let records: String = (0..150).map(record).collect();
    let small: String = (0..700_000).map(|_| ">a\nA\n").collect();
    let files = Files::new(&[
        ("names.fa", records.as_bytes()),
        ("small.fa", small.as_bytes()),
    ]);
    // Copies of the targets of all pairs take 240 MB.
    let long = letters(400_000, 5);
    let targets: String = (0..60)
        .map(|place| format!(">t{place}\n{long}\n"))
        .collect();
    let piece = |place: usize| format!(">q{place}\n{}\n", &long[place * 1_000..][..60]);
    let queries: String = (1..11).map(piece).collect();
    for (name, text) in [("long.fa", targets), ("pieces.fa", queries)] {
        std::fs::write(files.path(name), text).expect("a file");
    }
    let line = "edit pieces.fa long.fa --mode infix -k 2 --format paf --mem-host 80M --threads 1";
    let args: Vec<_> = line.split(' ').collect();
    let rows = within(250_000, &files, &args).ok();
    assert_eq!(rows.lines().count(), 600);
    for args in [
        "names.fa --counts",
        "names.fa --path --format ndjson",
        "names.fa --format paf",
        "names.fa --top 100 --counts",
        "small.fa small.fa --zip",
    ] {
        println!("{args}");
        let args: Vec<_> = args.split(' ').collect();
        let more = "--mem-host 40M --threads 1 -o /dev/null";
        let more: Vec<_> = more.split(' ').collect();
        within(150_000, &files, &[&["pairs"], &args[..], &more].concat()).ok();
    }
}

/// Peak of the resident memory of a command that must succeed, in KiB, while it runs.
fn peak(files: &Files, args: &[&str]) -> u64 {
    let mut command = command(args);
    command.current_dir(&files.0).stdout(Stdio::null());
    let mut child = command.spawn().expect("swath starts");
    let status = format!("/proc/{}/status", child.id());
    let mut peak = 0;
    loop {
        let text = std::fs::read_to_string(&status).unwrap_or_default();
        let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let kilobytes = line.and_then(|line| line.trim().strip_suffix(" kB"));
        peak = kilobytes.map_or(peak, |text| text.parse().expect("a number"));
        if let Some(ended) = child.try_wait().expect("it is waited for") {
            assert!(ended.success(), "{args:?}");
            return peak;
        }
        std::thread::sleep(Duration::from_millis(1));
    }
}

#[test]
fn lists_joins_and_searches_stay_within_the_allowed_memory() {
    let words = |count: u32, len: usize| -> String {
        let word = |number: u32| letters(len, number % 90_000) + "\n";
        (0..count).map(word).collect()
    };
    let text = (0..1_000).map(|line| letters(1_000, line) + "\n");
    let files = Files::new(&[
        ("many.txt", words(100_000, 16).as_bytes()),
        ("few.txt", words(3_000, 16).as_bytes()),
        ("lines.txt", text.collect::<String>().as_bytes()),
    ]);
    for line in [
        "pairs few.txt",
        "pairs few.txt few.txt --format npy",
        "pairs few.txt -k 3 --path",
        "pairs few.txt --measure indel --top 5",
        "pairs many.txt many.txt --zip --path",
        "pairs few.txt lines.txt --mode infix -k 2",
        "neighbors many.txt -k 1",
        "neighbors few.txt many.txt -k 2 --format ndjson",
        "neighbors many.txt -k 0 --format npy",
        "neighbors many.txt -k 1 --clusters components",
        "neighbors many.txt -k 1 --clusters directional",
        "search few.txt lines.txt -k 1 --strand both --path --format paf",
        "search few.txt lines.txt -k 1 --count",
    ] {
        let args = line
            .split(' ')
            .chain("--mem-host 48M --threads 2".split(' '));
        let args: Vec<_> = args.collect();
        let peak = peak(&files, &args);
        println!("{peak} KiB: {line}");
        // Code, stacks and buffers of files take up to 24 MiB more.
        assert!(peak > 0 && peak < 72 << 10, "{peak} KiB: {line}");
    }
}
