//! `swath pairs --resume` after kills, signals and full disks.

use std::fs;
use std::process::Stdio;
use std::time::{Duration, Instant};

use crate::process::{Files, command};

/// Pseudo-random numbers from a linear congruential generator.
struct Random(u64);

impl Random {
    fn below(&mut self, end: u64) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % end
    }

    /// Words in FASTA, some of them near to one before.
    fn records(&mut self, count: usize, max_len: u64) -> String {
        let mut words: Vec<String> = Vec::new();
        for place in 0..count {
            let mut word: String = match words.get(place / 2).filter(|_| place % 3 == 2) {
                Some(near) => near.clone(),
                None => (0..self.below(max_len + 1))
                    .map(|_| char::from(b"ACGT"[self.below(4) as usize]))
                    .collect(),
            };
            word.push_str(&"A".repeat(self.below(3) as usize));
            words.push(word);
        }
        let record = |(place, word): (usize, &String)| format!(">r{place}\n{word}\n");
        words.iter().enumerate().map(record).collect()
    }
}

/// Memory limit for blocks of some thousand pairs.
const SMALL: [&str; 6] = ["--mem-host", "500k", "--device", "cpu", "--threads", "1"];

fn files(random: &mut Random) -> Files {
    let list: String = (0..20_000)
        .map(|_| format!("r{} r{}\n", random.below(400), random.below(300)))
        .collect();
    Files::new(&[
        ("q.fa", random.records(400, 60).as_bytes()),
        ("t.fa", random.records(300, 60).as_bytes()),
        ("list.tsv", list.as_bytes()),
    ])
}

fn args<'a>(call: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    [
        &["pairs"],
        &SMALL[..],
        &call.split(' ').collect::<Vec<_>>()[..],
        more,
    ]
    .concat()
}

/// Bytes of the unfinished file that the journal vouches for.
fn recorded_bytes(files: &Files) -> Option<usize> {
    let journal = fs::read_to_string(files.path("out.progress")).ok()?;
    let whole = &journal[..journal.rfind('\n')? + 1];
    let last: serde_json::Value = serde_json::from_str(whole.lines().last()?).ok()?;
    last["bytes"].as_u64().map(|bytes| bytes as usize)
}

#[test]
fn killed_runs_resume_to_the_bytes_of_one_run() {
    let mut random = Random(44);
    let files = files(&mut random);
    for call in [
        "q.fa t.fa",
        "q.fa --format ndjson --normalized",
        "q.fa t.fa --format npy --normalized",
        "q.fa t.fa --format npy",
        "q.fa --format phylip",
        "q.fa -k 40 --format mtx",
        "q.fa t.fa --top 2 --shard 1/2",
        "q.fa t.fa --top 3 --list list.tsv",
        "q.fa t.fa --list list.tsv --format npy --shard 0/2",
        "q.fa t.fa --list list.tsv --format mtx --shard 1/3",
    ] {
        let started = Instant::now();
        files.swath(&args(call, &["-o", "whole"])).ok();
        let mut time = started.elapsed();
        let whole = fs::read(files.path("whole")).expect("it is there");
        kill_later(&files, call);
        let mut kills = 0;
        for _ in 0..100 {
            if kills == 7 {
                break;
            }
            let mut run = command(&args(call, &["-o", "out", "--resume"]));
            let mut child = run
                .current_dir(&files.0)
                .stdout(Stdio::null())
                .spawn()
                .expect("swath starts");
            let micros = time.as_micros() as u64;
            std::thread::sleep(Duration::from_micros(random.below((micros * 2 / 3).max(1))));
            child.kill().expect("it may have ended");
            let status = child.wait().expect("it has ended");
            if status.success() {
                // It had less to do, or the system has become faster.
                time = time * 3 / 4;
            } else {
                kills += 1;
            }
            let known = [
                "list.tsv",
                "out",
                "out.part",
                "out.progress",
                "q.fa",
                "t.fa",
                "whole",
            ];
            let names = files.names();
            assert!(
                names.iter().all(|name| known.contains(&&name[..])),
                "{names:?}"
            );
            if let Ok(out) = fs::read(files.path("out")) {
                assert!(out == whole, "{call}: a killed run leaves another file");
                fs::remove_file(files.path("out")).expect("it is there");
            } else if let Some(bytes) = recorded_bytes(&files) {
                let part = fs::read(files.path("out.part")).expect("it is there");
                // The number of entries is still unknown.
                let head = if call.contains("mtx") { 120 } else { 0 };
                assert!(
                    part[head..bytes] == whole[head..bytes],
                    "{call}: blocks differ"
                );
            }
        }
        assert_eq!(kills, 7, "{call}");
        files.swath(&args(call, &["-o", "out", "--resume"])).ok();
        let out = fs::read(files.path("out")).expect("it is there");
        assert!(out == whole, "{call}: a resumed run writes another file");
        fs::remove_file(files.path("out")).expect("it is there");
        assert_eq!(files.names(), ["list.tsv", "q.fa", "t.fa", "whole"]);
    }
}

/// Kills a run once it has recorded some blocks.
fn kill_later(files: &Files, call: &str) {
    for _ in 0..100 {
        let mut run = command(&args(call, &["-o", "out"]));
        let run = run.current_dir(&files.0).stdout(Stdio::null());
        let mut child = run.spawn().expect("swath starts");
        while recorded_bytes(files).is_none() && child.try_wait().expect("it runs").is_none() {
            std::thread::sleep(Duration::from_micros(200));
        }
        child.kill().expect("it may have ended");
        child.wait().expect("it has ended");
        if recorded_bytes(files).is_some() {
            return;
        }
    }
    panic!("{call}: no run has a block before its end");
}

#[test]
fn a_run_resumes_only_the_same_call() {
    let mut random = Random(45);
    let files = files(&mut random);
    kill_later(&files, "q.fa t.fa");
    for (call, parts) in [
        (
            "q.fa t.fa --mode infix",
            &["--resume", "global for --mode instead of infix"][..],
        ),
        ("q.fa t.fa -k 3", &["with nothing for -k instead of 3"]),
        (
            "q.fa t.fa --shard 0/2",
            &["with nothing for --shard instead of 0/2"],
        ),
        ("q.fa q.fa", &["for the targets instead of"]),
        ("t.fa t.fa", &["for the queries instead of"]),
        ("q.fa t.fa --list list.tsv", &["--list"]),
    ] {
        files
            .swath(&args(call, &["-o", "out", "--resume"]))
            .fails(2, &[parts, &["out.progress", "drop --resume"]].concat());
    }
    let summary = files.swath(&args("q.fa t.fa", &["-o", "out", "--resume", "--json"]));
    let summary = summary.json();
    assert_eq!(summary["pairs"], 120_000);
    assert!(summary["resumed"].as_u64() > Some(0), "{summary}");
    // Without --resume it begins anew.
    kill_later(&files, "q.fa t.fa");
    let summary = files.swath(&args("q.fa", &["-o", "out", "--json"])).json();
    assert!(summary["resumed"].is_null(), "{summary}");
    assert_eq!(files.names(), ["list.tsv", "out", "q.fa", "t.fa"]);
    files
        .swath(&["pairs", "q.fa", "--resume"])
        .fails(2, &["--resume", "--output FILE"]);
    for input in ["x.part", "x.progress"] {
        fs::write(files.path(input), "ACGT\n").expect("a file");
        files
            .swath(&["pairs", input, "-o", "x"])
            .fails(2, &[input, "would be lost"]);
    }
}

#[cfg(unix)]
#[test]
fn a_signal_keeps_the_whole_blocks() {
    use std::io::Read;

    use crate::signals::{listening, send};
    let mut random = Random(46);
    let files = files(&mut random);
    loop {
        let mut child = listening(&args("q.fa t.fa", &["-o", "out"]))
            .current_dir(&files.0)
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .expect("swath starts");
        while recorded_bytes(&files).is_none() && child.try_wait().expect("it runs").is_none() {
            std::thread::sleep(Duration::from_micros(200));
        }
        send("-INT", &child);
        let mut text = String::new();
        let stderr = child.stderr.take().expect("stderr is piped");
        { stderr }.read_to_string(&mut text).expect("it is printed");
        if child.wait().expect("it has ended").success() {
            continue;
        }
        assert!(text.contains("of 120000 pairs are in"), "{text}");
        assert!(
            text.contains("--resume") && text.ends_with("swath: cancelled\n"),
            "{text}"
        );
        let part = fs::metadata(files.path("out.part")).expect("it is there");
        assert_eq!(recorded_bytes(&files), Some(part.len() as usize));
        return;
    }
}

#[cfg(unix)]
#[test]
fn one_run_at_a_time_writes_a_file() {
    let mut random = Random(47);
    let files = files(&mut random);
    let lock = fs::File::create(files.path("out.part")).expect("a file");
    lock.lock().expect("it is free");
    files
        .swath(&args("q.fa t.fa", &["-o", "out"]))
        .fails(2, &["out.part", "another run"]);
    drop(lock);
    files.swath(&args("q.fa t.fa", &["-o", "out"])).ok();
    files
        .swath(&args("q.fa t.fa", &["-o", "/dev/null", "--resume"]))
        .fails(2, &["--resume", "/dev/null"]);
}

/// A limit on the size of files acts as a full disk.
#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_keeps_the_whole_blocks() {
    let mut random = Random(48);
    let files = files(&mut random);
    files.swath(&args("q.fa t.fa", &["-o", "whole"])).ok();
    let whole = fs::read(files.path("whole")).expect("it is there");
    let (limit, path) = (whole.len() as u64 / 2, env!("CARGO_BIN_EXE_swath"));
    let line = args("q.fa t.fa", &["-o", "out"]).join(" ");
    let limited = format!("ulimit -f {}; exec {path} {line}", limit / 1024);
    let run = std::process::Command::new("bash")
        .args(["-c", &limited])
        .current_dir(&files.0)
        .output()
        .expect("bash runs");
    let text = String::from_utf8_lossy(&run.stderr);
    assert_eq!(run.status.code(), Some(2), "{text}");
    assert!(
        text.contains("cannot write") && text.contains("--resume"),
        "{text}"
    );
    let part = fs::read(files.path("out.part")).expect("it is there");
    assert_eq!(recorded_bytes(&files), Some(part.len()));
    assert!(part.len() > whole.len() / 10 && whole.starts_with(&part));
    files
        .swath(&args("q.fa t.fa", &["-o", "out", "--resume"]))
        .ok();
    assert!(fs::read(files.path("out")).expect("it is there") == whole);
}
