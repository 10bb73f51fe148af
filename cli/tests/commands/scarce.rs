//! `swath` where the system refuses threads or memory.

use std::process::Stdio;
use std::time::Duration;

use crate::generated::Random;
use crate::process::{Dir, Run, each, gzip, is_full, list, numbers, run};

fn letters(len: usize, seed: u64) -> String {
    Random(seed).dna_text(len)
}

/// Inputs of every command.
fn dir() -> Dir {
    let reads: String = (0..40)
        .map(|seed| format!(">r{seed}\n{}\n", letters(40, seed)))
        .collect();
    let lines: String = (0..20_000)
        .map(|line| format!("line {}\n", line % 9_000))
        .collect();
    Dir::texts(&[
        ("a.txt", &letters(20_000, 1)),
        ("b.txt", &letters(20_000, 2)),
        ("long.txt", &letters(4_000_000, 4)),
        ("rna.txt", &letters(600, 3)),
        ("reads.fa", &reads),
        ("lines.txt", &lines),
        (
            "sizes.txt",
            &numbers((0..500).map(|size| 1 + size * 37 % 101)),
        ),
    ])
}

const RUNS: [&str; 14] = [
    "lcs a.txt b.txt",
    "lcs a.txt b.txt --path --output -",
    "lcs lines.txt lines.txt --symbols lines",
    "edit a.txt b.txt --format cigar",
    "edit rna.txt b.txt --mode infix --starts",
    "scs a.txt b.txt --path",
    "scs reads.fa --all-records --path",
    "substring a.txt b.txt",
    "substring a.txt b.txt --method suffix-array",
    "chain sizes.txt",
    "chain sizes.txt --method tiled",
    "polygon sizes.txt --method tiled",
    "bst sizes.txt",
    "fold rna.txt",
];

/// Lines of stdout without those that hold times.
fn answer(run: Run) -> Vec<String> {
    let is_timed = |line: &str| {
        ["time", "speed", "computed", "phases"]
            .iter()
            .any(|word| line.starts_with(word))
    };
    let text = run.ok();
    text.lines()
        .filter(|line| !is_timed(line))
        .map(str::to_string)
        .collect()
}

#[test]
fn every_command_works_without_threads() {
    let dir = dir();
    let refused = |line: &str| {
        let mut command = dir.command(line);
        // No system has memory for such a stack.
        command.env("RUST_MIN_STACK", (1u64 << 46).to_string());
        run(command, b"")
    };
    each(RUNS, |line| {
        assert_eq!(answer(refused(line)), answer(dir.swath(line)))
    });
    refused("selftest").ok();
    // A number that was asked for is not replaced.
    refused("lcs a.txt b.txt --threads 2").fails(3, "2 threads | ulimit -u");
}

/// `swath` with a limit of its address space in KiB.
fn within(kilobytes: u64, dir: &Dir, line: &str) -> Run {
    let mut shell = dir.shell(&format!("ulimit -v {kilobytes}; swath {line}"));
    // A further one reserves 64 MiB of addresses whenever two threads allocate at once.
    shell.env("MALLOC_ARENA_MAX", "1");
    run(shell, b"")
}

#[test]
fn refused_memory_is_an_error_with_its_code() {
    let dir = dir();
    let mut refused = 0;
    // Enough to load the program.
    let starts = |&kilobytes: &u64| within(kilobytes, &dir, "--version").code == Some(0);
    let least = (20_000..1_000_000)
        .step_by(5_000)
        .find(starts)
        .expect("it starts");
    let more = ["selftest", "edit rna.txt long.txt --mode infix"];
    for (step, kilobytes) in (least..least + 60_000).step_by(6_000).enumerate() {
        for (place, line) in RUNS.into_iter().chain(more).enumerate() {
            // A self-test is many calls.
            let every = if line == "selftest" { 4 } else { 2 };
            if !is_full() && !(step + place).is_multiple_of(every) {
                continue;
            }
            let mut run = within(kilobytes, &dir, line);
            // The C library ends a process for which it cannot start a thread's storage. Then a
            // little more has to do.
            if run.stderr.starts_with("Fatal glibc error") {
                run = within(kilobytes + 1_000, &dir, line);
            }
            let shown = format!("{line} in {kilobytes} KiB: {:?}, {}", run.code, run.stderr);
            assert!(matches!(run.code, Some(0 | 4)), "{shown}");
            if run.code == Some(4) {
                refused += 1;
                assert_eq!(run.stderr.lines().count(), 1, "{shown}");
            }
        }
    }
    assert!(refused > 0, "no run was short of memory");
}

/// Runs within `--mem-host 40M` and the memory of the program itself; the account refuses the
/// input before the system does.
#[test]
fn small_records_stay_within_the_allowed_memory() {
    let many = |text: &str| gzip(text.repeat(1_000_000).as_bytes());
    let dir = Dir::new(&[
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
    let runs = "
        scs records.fa.gz --all-records
        scs names.fa.gz --all-records
        substring records.fa.gz --all-records
        edit query.fa records.fa.gz --mode infix
        edit query.fa letters.gz --mode infix
        fold letters.gz
        chain numbers.gz
        chain shapes.gz
        bst numbers.gz
        lcs lines.gz lines.gz --symbols lines
        lcs numbers.gz numbers.gz --symbols chars --ignore-case
        pairs records.fa.gz records.fa.gz --zip
        neighbors records.fa.gz -k 0
        pairs lines.gz --symbols lines
        pairs letters.gz --symbols chars
        pairs numbers.gz --symbols tokens
    ";
    each(list(runs), |line| {
        let line = format!("{line} --mem-host 40M --threads 1");
        within(150_000, &dir, &line).fails(4, "--mem-host");
    });
}

/// Rows of long names take 110 MB and more in all; small records fit the limit twice.
#[test]
fn rows_and_lists_stay_within_the_allowed_memory() {
    let name = "n".repeat(5_000);
    let record = |seed| format!(">{name}{seed}\n{}\n", letters(12, seed));
    let records: String = (0..150).map(record).collect();
    // Copies of the targets of all pairs take 240 MB.
    let long = letters(400_000, 5);
    let targets: String = (0..60)
        .map(|place| format!(">t{place}\n{long}\n"))
        .collect();
    let piece = |place: usize| format!(">q{place}\n{}\n", &long[place * 1_000..][..60]);
    let queries: String = (1..11).map(piece).collect();
    let dir = Dir::texts(&[
        ("names.fa", &records),
        ("small.fa", &">a\nA\n".repeat(700_000)),
        ("long.fa", &targets),
        ("pieces.fa", &queries),
    ]);
    let line = "edit pieces.fa long.fa --mode infix -k 2 --format paf --mem-host 80M --threads 1";
    assert_eq!(within(250_000, &dir, line).ok().lines().count(), 600);
    let runs = "
        names.fa --counts
        names.fa --path --format ndjson
        names.fa --format paf
        names.fa --top 100 --counts
        small.fa small.fa --zip
    ";
    each(list(runs), |args| {
        let line = format!("pairs {args} --mem-host 40M --threads 1 -o /dev/null");
        within(150_000, &dir, &line).ok();
    });
}

/// Peak of the resident memory of a command that must succeed, in KiB, while it runs.
fn peak(dir: &Dir, line: &str) -> u64 {
    let mut child = dir
        .command(line)
        .stdout(Stdio::null())
        .spawn()
        .expect("swath starts");
    let status = format!("/proc/{}/status", child.id());
    let mut peak = 0;
    loop {
        let text = std::fs::read_to_string(&status).unwrap_or_default();
        let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let kilobytes = line.and_then(|line| line.trim().strip_suffix(" kB"));
        peak = kilobytes.map_or(peak, |text| text.parse().expect("a number"));
        if let Some(ended) = child.try_wait().expect("it is waited for") {
            assert!(ended.success());
            return peak;
        }
        std::thread::sleep(Duration::from_millis(1));
    }
}

#[test]
fn lists_joins_and_searches_stay_within_the_allowed_memory() {
    let words = |count: u64, len: usize| -> String {
        (0..count)
            .map(|number| letters(len, number % 90_000) + "\n")
            .collect()
    };
    let dir = Dir::texts(&[
        ("many.txt", &words(100_000, 16)),
        ("few.txt", &words(3_000, 16)),
        ("lines.txt", &words(1_000, 1_000)),
    ]);
    let runs = "
        pairs few.txt
        pairs few.txt few.txt --format npy
        pairs few.txt -k 3 --path
        pairs few.txt --measure indel --top 5
        pairs many.txt many.txt --zip --path
        pairs few.txt lines.txt --mode infix -k 2
        neighbors many.txt -k 1
        neighbors few.txt many.txt -k 2 --format ndjson
        neighbors many.txt -k 0 --format npy
        neighbors many.txt -k 1 --clusters components
        neighbors many.txt -k 1 --clusters directional
        search few.txt lines.txt -k 1 --strand both --path --format paf
        search few.txt lines.txt -k 1 --count
    ";
    each(list(runs), |line| {
        let peak = peak(&dir, &format!("{line} --mem-host 48M --threads 2"));
        // Code, stacks and buffers of files take up to 24 MiB more.
        assert!(peak > 0 && peak < 72 << 10, "{peak} KiB");
    });
}
