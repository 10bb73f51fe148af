//! `swath pairs --resume` after kills, signals and full disks.

use std::process::{Child, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::generated::Random;
use crate::process::{Dir, Run, each, list, table};

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

fn dir(random: &mut Random) -> Dir {
    let pair = |_| format!("r{} r{}\n", random.below(400), random.below(300));
    let list: String = (0..20_000).map(pair).collect();
    let [queries, targets] = [400, 300].map(|count| records(random, count));
    Dir::texts(&[("q.fa", &queries), ("t.fa", &targets), ("list.tsv", &list)])
}

/// A call in memory for blocks of some thousand pairs.
fn line(args: &str) -> String {
    format!("pairs --mem-host 500k --device cpu --threads 1 {args}")
}

fn pairs(dir: &Dir, args: &str) -> Run {
    dir.swath(line(args))
}

fn spawn(dir: &Dir, args: &str) -> Child {
    dir.command(line(args))
        .stdout(Stdio::null())
        .spawn()
        .expect("swath starts")
}

/// Bytes of the unfinished file that the journal vouches for.
fn recorded_bytes(dir: &Dir) -> Option<usize> {
    let journal = std::fs::read_to_string(dir.path("out.progress")).ok()?;
    let whole = &journal[..journal.rfind('\n')? + 1];
    let last: serde_json::Value = serde_json::from_str(whole.lines().last()?).ok()?;
    last["bytes"].as_u64().map(|bytes| bytes as usize)
}

/// Waits until a run has recorded some blocks or has ended.
fn wait_for_blocks(dir: &Dir, child: &mut Child) {
    while recorded_bytes(dir).is_none() && child.try_wait().expect("it runs").is_none() {
        sleep(Duration::from_micros(200));
    }
}

/// Kills a run once it has recorded some blocks.
fn kill_later(dir: &Dir, args: &str) {
    for _ in 0..100 {
        let mut child = spawn(dir, &format!("{args} -o out"));
        wait_for_blocks(dir, &mut child);
        child.kill().expect("it may have ended");
        child.wait().expect("it has ended");
        if recorded_bytes(dir).is_some() {
            return;
        }
    }
    panic!("{args}: no run has a block before its end");
}

#[test]
fn killed_runs_resume_to_the_bytes_of_one_run() {
    let mut random = Random(44);
    let dir = dir(&mut random);
    let rows = "
        q.fa t.fa
        q.fa --format ndjson --normalized
        q.fa t.fa --format npy --normalized
        q.fa t.fa --format npy
        q.fa --format phylip
        q.fa -k 40 --format mtx
        q.fa t.fa --top 2 --shard 1/2
        q.fa t.fa --top 3 --list list.tsv
        q.fa t.fa --list list.tsv --format npy --shard 0/2
        q.fa t.fa --list list.tsv --format mtx --shard 1/3
    ";
    each(list(rows), |args| {
        let started = Instant::now();
        pairs(&dir, &format!("{args} -o whole")).ok();
        let mut time = started.elapsed();
        let whole = dir.bytes("whole");
        let resumed = format!("{args} -o out --resume");
        kill_later(&dir, args);
        let mut kills = 0;
        for _ in 0..100 {
            if kills == 7 {
                break;
            }
            let mut child = spawn(&dir, &resumed);
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
            let names = dir.names();
            assert!(
                names.iter().all(|name| known.contains(&&name[..])),
                "{names:?}"
            );
            if dir.path("out").exists() {
                assert!(
                    dir.bytes("out") == whole,
                    "a killed run leaves another file"
                );
                dir.remove("out");
            } else if let Some(bytes) = recorded_bytes(&dir) {
                // The number of entries is still unknown.
                let head = if args.contains("mtx") { 120 } else { 0 };
                let part = dir.bytes("out.part");
                assert!(part[head..bytes] == whole[head..bytes], "blocks differ");
            }
        }
        assert_eq!(kills, 7);
        pairs(&dir, &resumed).ok();
        assert!(
            dir.bytes("out") == whole,
            "a resumed run writes another file"
        );
        dir.remove("out");
        assert_eq!(dir.names(), ["list.tsv", "q.fa", "t.fa", "whole"]);
    });
}

#[test]
fn a_run_resumes_only_the_same_call() {
    let dir = dir(&mut Random(45));
    kill_later(&dir, "q.fa t.fa");
    let rows = "
        q.fa t.fa --mode infix    => --resume | global for --mode instead of infix
        q.fa t.fa -k 3            => with nothing for -k instead of 3
        q.fa t.fa --shard 0/2     => with nothing for --shard instead of 0/2
        q.fa q.fa                 => for the targets instead of
        t.fa t.fa                 => for the queries instead of
        q.fa t.fa --list list.tsv => --list
    ";
    each(table(rows), |[args, parts]| {
        let run = pairs(&dir, &format!("{args} -o out --resume"));
        run.fails(2, format!("{parts} | out.progress | drop --resume"));
    });
    let summary = pairs(&dir, "q.fa t.fa -o out --resume --json").has("pairs=120000");
    assert!(summary["resumed"].as_u64() > Some(0), "{summary}");
    // Without --resume it begins anew.
    kill_later(&dir, "q.fa t.fa");
    let summary = pairs(&dir, "q.fa -o out --json").json();
    assert!(summary["resumed"].is_null(), "{summary}");
    assert_eq!(dir.names(), ["list.tsv", "out", "q.fa", "t.fa"]);
    dir.write("x.part", "ACGT\n");
    dir.write("x.progress", "ACGT\n");
    dir.fail(
        2,
        "pairs",
        "
        q.fa --resume                   => --resume | --output FILE
        x.part -o x                     => x.part | would be lost
        x.progress -o x                 => x.progress | would be lost
        q.fa t.fa -o /dev/null --resume => --resume | /dev/null
    ",
    );
    // One run at a time writes a file.
    let lock = std::fs::File::create(dir.path("out.part")).expect("a file");
    lock.lock().expect("it is free");
    pairs(&dir, "q.fa t.fa -o out").fails(2, "out.part | another run");
    drop(lock);
    pairs(&dir, "q.fa t.fa -o out").ok();
}

#[cfg(unix)]
#[test]
fn a_signal_keeps_the_whole_blocks() {
    let dir = dir(&mut Random(46));
    loop {
        let listening = crate::signals::listening(&dir, &line("q.fa t.fa -o out")).spawn();
        let mut child = listening.expect("swath starts");
        wait_for_blocks(&dir, &mut child);
        crate::signals::send("-INT", &child);
        let output = child.wait_with_output().expect("it has ended");
        if output.status.success() {
            continue;
        }
        let text = String::from_utf8_lossy(&output.stderr);
        crate::process::contains(&text, "of 120000 pairs are in | --resume");
        assert!(text.ends_with("swath: cancelled\n"), "{text}");
        assert_eq!(recorded_bytes(&dir), Some(dir.bytes("out.part").len()));
        return;
    }
}

/// A limit on the size of files acts as a full disk.
#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_keeps_the_whole_blocks() {
    let dir = dir(&mut Random(48));
    pairs(&dir, "q.fa t.fa -o whole").ok();
    let whole = dir.bytes("whole");
    // Half of it, in blocks of 512 bytes.
    let limited = format!(
        "ulimit -f {}; swath {}",
        whole.len() / 1024,
        line("q.fa t.fa -o out")
    );
    let run = dir.sh(&limited);
    run.ends(2, "cannot write | --resume");
    let part = dir.bytes("out.part");
    assert_eq!(recorded_bytes(&dir), Some(part.len()));
    assert!(part.len() > whole.len() / 10 && whole.starts_with(&part));
    pairs(&dir, "q.fa t.fa -o out --resume").ok();
    assert!(dir.bytes("out") == whole);
}
