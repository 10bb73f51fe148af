//! Signals.

use std::io::{BufRead, BufReader, Read};
use std::os::unix::process::CommandExt as _;
use std::process::{Child, ChildStderr, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::generated::Random;
use crate::process::{Dir, gpu};

/// Two files of letters.
fn letters(len: usize) -> Dir {
    Dir::new(&[("a", &Random(1).dna(len)), ("b", &Random(2).dna(len))])
}

/// The command with pipes and default signal handling, which `nohup` or a shell's `&` may have
/// disabled.
pub fn listening(dir: &Dir, line: &str) -> Command {
    let mut command = dir.command(line);
    let listen = || {
        for signal in [libc::SIGHUP, libc::SIGINT, libc::SIGTERM] {
            // SAFETY: it sets the action of a signal, and is safe to call between fork and exec.
            unsafe { libc::signal(signal, libc::SIG_DFL) };
        }
        Ok(())
    };
    // SAFETY: `listen` allocates nothing and takes no lock.
    unsafe { command.pre_exec(listen) };
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// Sends a signal by name.
pub fn send(signal: &str, child: &Child) {
    let id = child.id().to_string();
    let sent = Command::new("kill")
        .args([signal, &id])
        .status()
        .expect("kill runs");
    assert!(sent.success(), "{signal}");
}

/// Starts a command and waits for its first line of progress.
fn started(mut command: Command) -> (Child, BufReader<ChildStderr>) {
    let mut child = command.spawn().expect("the program starts");
    let mut stderr = BufReader::new(child.stderr.take().expect("stderr is piped"));
    let mut first = String::new();
    stderr.read_line(&mut first).expect("progress is printed");
    assert!(first.contains('%'), "{first}");
    (child, stderr)
}

/// Sends a signal, which ends the command with this code.
#[track_caller]
fn end(signal: &str, code: i32, mut child: Child, mut stderr: impl Read) -> String {
    assert!(
        child.try_wait().expect("it can be asked").is_none(),
        "it has ended before the signal"
    );
    send(signal, &child);
    let sent = Instant::now();
    let status = loop {
        match child.try_wait().expect("it can be asked") {
            Some(status) => break status,
            None => sleep(Duration::from_millis(20)),
        }
        assert!(
            sent.elapsed() < Duration::from_secs(10),
            "it does not hear {signal}"
        );
    };
    let mut rest = String::new();
    stderr
        .read_to_string(&mut rest)
        .expect("the message is printed");
    assert_eq!(status.code(), Some(code), "{signal}: {rest}");
    assert!(rest.ends_with("swath: cancelled\n"), "{rest}");
    rest
}

#[test]
fn a_signal_has_its_own_code_and_leaves_no_file() {
    let dir = letters(4_000_000);
    for (signal, code) in [("-INT", 130), ("-TERM", 143), ("-HUP", 129), ("-XCPU", 152)] {
        let (child, stderr) = started(listening(&dir, "lcs a b -o out --progress always"));
        end(signal, code, child, stderr);
        assert_eq!(dir.names(), ["a", "b"]);
    }
    // As nohup does, and a shell's `&` for SIGINT: ignored signals stay ignored.
    let mut shell = dir.shell("trap '' HUP INT; swath lcs a b --progress always");
    shell.stdout(Stdio::null()).stderr(Stdio::piped());
    let (child, mut stderr) = started(shell);
    send("-HUP", &child);
    send("-INT", &child);
    let mut next = String::new();
    stderr.read_line(&mut next).expect("it goes on");
    assert!(next.contains('%'), "{next}");
    end("-TERM", 143, child, stderr);
}

#[test]
fn signal_ends_slow_gpu_work_at_once() {
    let Some(device) = gpu() else { return };
    // Takes minutes: a method that computes every cell, on a software adapter.
    let dir = letters(400_000);
    for after in [0, 400, 2_000].map(Duration::from_millis) {
        let line = format!("scs a b --method row-wise --device {device} --progress always");
        let (child, stderr) = started(listening(&dir, &line));
        sleep(after);
        let sent = Instant::now();
        end("-INT", 130, child, stderr);
        assert!(
            sent.elapsed() < Duration::from_secs(2),
            "{:?} after {after:?}",
            sent.elapsed()
        );
    }
}

#[test]
fn signal_ends_a_write_to_a_blocked_pipe() {
    let dir = letters(2_000_000);
    let made = Command::new("mkfifo").arg(dir.path("pipe")).status();
    assert!(made.expect("mkfifo runs").success());
    // A witness on a full pipe, and a named pipe without a reader.
    for output in ["-", "pipe"] {
        let mut command = listening(&dir, &format!("lcs a a -o {output}"));
        let mut child = command.spawn().expect("swath starts");
        let stderr = child.stderr.take().expect("stderr is piped");
        // Equal inputs are answered at once; then the writing blocks.
        sleep(Duration::from_millis(1500));
        assert_eq!(
            end("-INT", 130, child, stderr),
            "swath: cancelled\n",
            "{output}"
        );
    }
}

#[test]
fn signal_removes_the_draft_while_stdout_is_blocked() {
    let records: String = (0..600).map(|n| format!(">r{n}\nTTACGTT\n")).collect();
    let dir = Dir::texts(&[("q", ">q\nACGT\n"), ("t", &records)]);
    let mut search = listening(&dir, "edit q t --mode infix --json -o out");
    let mut child = search.spawn().expect("swath starts");
    // The pipe is full after some of the objects.
    let started = Instant::now();
    while dir.names().len() < 3 && started.elapsed() < Duration::from_secs(20) {
        sleep(Duration::from_millis(20));
    }
    sleep(Duration::from_secs(3));
    assert_eq!(dir.names().len(), 3, "a draft is there");
    let stderr = child.stderr.take().expect("stderr is piped");
    end("-INT", 130, child, stderr);
    assert_eq!(dir.names(), ["q", "t"]);
}
