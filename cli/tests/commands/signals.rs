//! Signals.

use std::io::{BufRead, BufReader, Read};
use std::os::unix::process::CommandExt as _;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::process::{Files, command, gpu};

/// Pseudo-random letters from a linear congruential generator.
fn letters(len: usize, mut seed: u64) -> Vec<u8> {
    let mut next = || {
        seed = seed
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        b"ACGT"[(seed >> 62) as usize]
    };
    (0..len).map(|_| next()).collect()
}

/// Two files whose comparison takes seconds.
fn long() -> Files {
    Files::new(&[("a", &letters(4_000_000, 1)), ("b", &letters(4_000_000, 2))])
}

/// The command with default signal handling, which `nohup` or a shell's `&` may have disabled.
pub fn listening(arguments: &[&str]) -> Command {
    let mut command = command(arguments);
    let listen = || {
        for signal in [libc::SIGHUP, libc::SIGINT, libc::SIGTERM] {
            // SAFETY: it sets the action of a signal, and is safe to call between fork and exec.
            unsafe { libc::signal(signal, libc::SIG_DFL) };
        }
        Ok(())
    };
    // SAFETY: `listen` allocates nothing and takes no lock.
    unsafe { command.pre_exec(listen) };
    command
}

/// Sends a signal by name.
pub fn send(signal: &str, child: &Child) {
    let sent = Command::new("kill")
        .args([signal, &child.id().to_string()])
        .status()
        .expect("kill runs");
    assert!(sent.success(), "{signal}");
}

/// Waits for the first line of progress and returns the rest of stderr.
fn started(child: &mut Child) -> BufReader<impl Read + use<>> {
    let mut stderr = BufReader::new(child.stderr.take().expect("stderr is piped"));
    let mut first = String::new();
    stderr.read_line(&mut first).expect("progress is printed");
    assert!(first.contains('%'), "{first}");
    stderr
}

#[test]
fn a_signal_ends_the_run_with_its_own_code_and_leaves_no_file() {
    let files = long();
    for (signal, code) in [("-INT", 130), ("-TERM", 143), ("-HUP", 129), ("-XCPU", 152)] {
        let mut compare = listening(&["lcs", "a", "b", "-o", "out", "--progress", "always"]);
        let mut child = compare
            .current_dir(&files.0)
            .stderr(Stdio::piped())
            .spawn()
            .expect("swath starts");
        let mut stderr = started(&mut child);
        send(signal, &child);
        let mut rest = String::new();
        stderr
            .read_to_string(&mut rest)
            .expect("the message is printed");
        assert_eq!(
            child.wait().expect("swath ends").code(),
            Some(code),
            "{signal}"
        );
        assert!(rest.ends_with("swath: cancelled\n"), "{rest}");
        assert_eq!(files.names(), ["a", "b"]);
    }
}

#[test]
fn signal_ends_slow_gpu_work_at_once() {
    let Some(device) = gpu() else { return };
    // Takes minutes: a method that computes every cell, on a software adapter.
    let files = Files::new(&[("a", &letters(400_000, 1)), ("b", &letters(400_000, 2))]);
    for after in [
        Duration::ZERO,
        Duration::from_millis(400),
        Duration::from_secs(2),
    ] {
        let mut compare = listening(&[
            "scs",
            "a",
            "b",
            "--method",
            "row-wise",
            "--device",
            &device,
            "--progress",
            "always",
        ]);
        let mut child = compare
            .current_dir(&files.0)
            .stderr(Stdio::piped())
            .spawn()
            .expect("swath starts");
        let mut stderr = started(&mut child);
        std::thread::sleep(after);
        assert!(
            child.try_wait().expect("it can be asked").is_none(),
            "it has ended before the signal"
        );
        send("-INT", &child);
        let sent = Instant::now();
        let mut rest = String::new();
        stderr
            .read_to_string(&mut rest)
            .expect("the message is printed");
        assert_eq!(
            child.wait().expect("swath ends").code(),
            Some(130),
            "{rest}"
        );
        assert!(
            sent.elapsed() < Duration::from_secs(2),
            "{:?} after a signal after {after:?}",
            sent.elapsed()
        );
        assert!(rest.ends_with("swath: cancelled\n"), "{rest}");
    }
}

#[test]
fn an_ignored_signal_stays_ignored() {
    let files = long();
    // As nohup does, and a shell's `&` for SIGINT.
    let line = format!(
        "trap '' HUP INT; exec {} lcs a b --device cpu --progress always",
        env!("CARGO_BIN_EXE_swath")
    );
    let mut ignoring = Command::new("sh");
    ignoring
        .args(["-c", &line])
        .current_dir(&files.0)
        .stdout(Stdio::null())
        .stderr(Stdio::piped());
    let mut child = ignoring.spawn().expect("sh starts");
    let mut stderr = started(&mut child);
    send("-HUP", &child);
    send("-INT", &child);
    let mut next = String::new();
    stderr.read_line(&mut next).expect("it goes on");
    assert!(next.contains('%'), "{next}");
    send("-TERM", &child);
    assert_eq!(child.wait().expect("swath ends").code(), Some(143));
}

#[test]
fn signal_ends_a_write_to_a_blocked_pipe() {
    let files = Files::new(&[("a", &letters(2_000_000, 1))]);
    let made = Command::new("mkfifo")
        .arg(files.path("pipe"))
        .status()
        .expect("mkfifo runs");
    assert!(made.success());
    // A witness on a full pipe, and a named pipe without a reader.
    for output in ["-", "pipe"] {
        let mut compare = listening(&["lcs", "a", "a", "-o", output]);
        let pipes = compare
            .current_dir(&files.0)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let mut child = pipes.spawn().expect("swath starts");
        // Equal inputs are answered at once; then the writing blocks.
        std::thread::sleep(Duration::from_millis(1500));
        assert!(
            child.try_wait().expect("it can be asked").is_none(),
            "it waits for a reader of {output}"
        );
        send("-INT", &child);
        let sent = Instant::now();
        let code = loop {
            match child.try_wait().expect("it can be asked") {
                Some(status) => break status.code(),
                None if sent.elapsed() > Duration::from_secs(10) => {
                    panic!("it does not hear the signal: {output}")
                }
                None => std::thread::sleep(Duration::from_millis(20)),
            }
        };
        assert_eq!(code, Some(130), "{output}");
        let mut message = String::new();
        child
            .stderr
            .take()
            .expect("stderr is piped")
            .read_to_string(&mut message)
            .expect("text");
        assert_eq!(message, "swath: cancelled\n");
    }
}

#[test]
fn signal_removes_the_draft_while_stdout_is_blocked() {
    let records: String = (0..600).map(|n| format!(">r{n}\nTTACGTT\n")).collect();
    let files = Files::new(&[("q", b">q\nACGT\n"), ("t", records.as_bytes())]);
    let mut search = listening(&["edit", "q", "t", "--mode", "infix", "--json", "-o", "out"]);
    let pipes = search.current_dir(&files.0).stdout(Stdio::piped());
    let mut child = pipes.spawn().expect("swath starts");
    // The pipe is full after some of the objects.
    let started = Instant::now();
    while files.names().len() < 3 && started.elapsed() < Duration::from_secs(20) {
        std::thread::sleep(Duration::from_millis(20));
    }
    std::thread::sleep(Duration::from_secs(3));
    assert_eq!(files.names().len(), 3, "a draft is there");
    send("-INT", &child);
    assert_eq!(child.wait().expect("swath ends").code(), Some(130));
    assert_eq!(files.names(), ["q", "t"]);
}
