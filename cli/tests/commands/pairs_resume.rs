//! `swath pairs --resume` after kills, signals and full disks.

use std::process::{Child, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use serde_json::json;

use crate::generated::Random;
use crate::process::{Files, Run, each};

/// Words in FASTA, some of them near to one before.
fn records(random: &mut Random, count: usize) -> String {
    let mut words: Vec<String> = Vec::new();
    for place in 0..count {
        let len = random.below(61);
        let mut word = match words.get(place / 2).filter(|_| place % 3 == 2) {
            Some(near) => near.clone(),
            None => random.dna_text(len),
        };
        word += &"A".repeat(random.below(3));
        words.push(word);
    }
    let record = |(place, word)| format!(">r{place}\n{word}\n");
    words.iter().enumerate().map(record).collect()
}

fn files(random: &mut Random) -> Files {
    let pair = |_| format!("r{} r{}\n", random.below(400), random.below(300));
    let list: String = (0..20_000).map(pair).collect();
    let [queries, targets] = [400, 300].map(|count| records(random, count));
    Files::texts(&[("q.fa", &queries), ("t.fa", &targets), ("list.tsv", &list)])
}

/// A call in memory for blocks of some thousand pairs.
fn line(args: &str) -> String {
    format!("pairs --mem-host 500k --device cpu --threads 1 {args}")
}

fn pairs(files: &Files, args: &str) -> Run {
    files.swath(line(args))
}

fn spawn(files: &Files, args: &str) -> Child {
    files
        .command(line(args))
        .stdout(Stdio::null())
        .spawn()
        .expect("swath starts")
}

/// Bytes of the unfinished file that the journal vouches for.
fn recorded_bytes(files: &Files) -> Option<usize> {
    let journal = std::fs::read_to_string(files.path("out.progress")).ok()?;
    let whole = &journal[..journal.rfind('\n')? + 1];
    let last: serde_json::Value = serde_json::from_str(whole.lines().last()?).ok()?;
    last["bytes"].as_u64().map(|bytes| bytes as usize)
}

/// Waits until a run has recorded some blocks or has ended.
fn wait_for_blocks(files: &Files, child: &mut Child) {
    while recorded_bytes(files).is_none() && child.try_wait().expect("it runs").is_none() {
        sleep(Duration::from_micros(200));
    }
}

/// Kills a run once it has recorded some blocks.
fn kill_later(files: &Files, args: &str) {
    for _ in 0..100 {
        let mut child = spawn(files, &format!("{args} -o out"));
        wait_for_blocks(files, &mut child);
        child.kill().expect("it may have ended");
        child.wait().expect("it has ended");
        if recorded_bytes(files).is_some() {
            return;
        }
    }
    panic!("{args}: no run has a block before its end");
}

#[test]
fn killed_runs_resume_to_the_bytes_of_one_run() {
    let mut random = Random(44);
    let files = files(&mut random);
    let rows = [
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
    ];
    each(rows, |args| {
        let started = Instant::now();
        pairs(&files, &format!("{args} -o whole")).ok();
        let mut time = started.elapsed();
        let whole = files.bytes("whole");
        let resumed = format!("{args} -o out --resume");
        kill_later(&files, args);
        let mut kills = 0;
        for _ in 0..100 {
            if kills == 7 {
                break;
            }
            let mut child = spawn(&files, &resumed);
            let micros = random.below((time.as_micros() as usize * 2 / 3).max(1));
            sleep(Duration::from_micros(micros as u64));
            child.kill().expect("it may have ended");
            if child.wait().expect("it has ended").success() {
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
            if files.path("out").exists() {
                assert!(
                    files.bytes("out") == whole,
                    "a killed run leaves another file"
                );
                files.remove("out");
            } else if let Some(bytes) = recorded_bytes(&files) {
                // The number of entries is still unknown.
                let head = if args.contains("mtx") { 120 } else { 0 };
                let part = files.bytes("out.part");
                assert!(part[head..bytes] == whole[head..bytes], "blocks differ");
            }
        }
        assert_eq!(kills, 7);
        pairs(&files, &resumed).ok();
        assert!(
            files.bytes("out") == whole,
            "a resumed run writes another file"
        );
        files.remove("out");
        assert_eq!(files.names(), ["list.tsv", "q.fa", "t.fa", "whole"]);
    });
}

#[test]
fn a_run_resumes_only_the_same_call() {
    let files = files(&mut Random(45));
    kill_later(&files, "q.fa t.fa");
    let rows = [
        (
            "q.fa t.fa --mode infix",
            "--resume | global for --mode instead of infix",
        ),
        ("q.fa t.fa -k 3", "with nothing for -k instead of 3"),
        (
            "q.fa t.fa --shard 0/2",
            "with nothing for --shard instead of 0/2",
        ),
        ("q.fa q.fa", "for the targets instead of"),
        ("t.fa t.fa", "for the queries instead of"),
        ("q.fa t.fa --list list.tsv", "--list"),
    ];
    each(rows, |(args, parts)| {
        let run = pairs(&files, &format!("{args} -o out --resume"));
        run.fails(2, format!("{parts} | out.progress | drop --resume"));
    });
    let summary = pairs(&files, "q.fa t.fa -o out --resume --json").has(json!({"pairs": 120_000}));
    assert!(summary["resumed"].as_u64() > Some(0), "{summary}");
    // Without --resume it begins anew.
    kill_later(&files, "q.fa t.fa");
    let summary = pairs(&files, "q.fa -o out --json").json();
    assert!(summary["resumed"].is_null(), "{summary}");
    assert_eq!(files.names(), ["list.tsv", "out", "q.fa", "t.fa"]);
    files.write("x.part", "ACGT\n");
    files.write("x.progress", "ACGT\n");
    files.fail(
        2,
        "pairs",
        &[
            ("q.fa --resume", "--resume | --output FILE"),
            ("x.part -o x", "x.part | would be lost"),
            ("x.progress -o x", "x.progress | would be lost"),
            ("q.fa t.fa -o /dev/null --resume", "--resume | /dev/null"),
        ],
    );
    // One run at a time writes a file.
    let lock = std::fs::File::create(files.path("out.part")).expect("a file");
    lock.lock().expect("it is free");
    pairs(&files, "q.fa t.fa -o out").fails(2, "out.part | another run");
    drop(lock);
    pairs(&files, "q.fa t.fa -o out").ok();
}

#[cfg(unix)]
#[test]
fn a_signal_keeps_the_whole_blocks() {
    let files = files(&mut Random(46));
    loop {
        let listening = crate::signals::listening(&files, &line("q.fa t.fa -o out")).spawn();
        let mut child = listening.expect("swath starts");
        wait_for_blocks(&files, &mut child);
        crate::signals::send("-INT", &child);
        let output = child.wait_with_output().expect("it has ended");
        if output.status.success() {
            continue;
        }
        let text = String::from_utf8_lossy(&output.stderr);
        crate::process::contains(&text, "of 120000 pairs are in | --resume");
        assert!(text.ends_with("swath: cancelled\n"), "{text}");
        assert_eq!(recorded_bytes(&files), Some(files.bytes("out.part").len()));
        return;
    }
}

/// A limit on the size of files acts as a full disk.
#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_keeps_the_whole_blocks() {
    let files = files(&mut Random(48));
    pairs(&files, "q.fa t.fa -o whole").ok();
    let whole = files.bytes("whole");
    // Half of it, in blocks of 512 bytes.
    let limited = format!(
        "ulimit -f {}; swath {}",
        whole.len() / 1024,
        line("q.fa t.fa -o out")
    );
    let run = crate::process::run(files.shell(&limited), b"");
    assert_eq!(run.notes("cannot write | --resume").code, Some(2));
    let part = files.bytes("out.part");
    assert_eq!(recorded_bytes(&files), Some(part.len()));
    assert!(part.len() > whole.len() / 10 && whole.starts_with(&part));
    pairs(&files, "q.fa t.fa -o out --resume").ok();
    assert!(files.bytes("out") == whole);
}
