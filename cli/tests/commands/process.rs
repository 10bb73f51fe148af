//! Runs the command and captures its result.
#![allow(dead_code)] // Every test binary uses a part of it.

use std::fs;
use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use flate2::write::GzEncoder;
use ruzstd::encoding::{CompressionLevel, compress_to_vec};
use serde_json::Value;
use tempfile::TempDir;

/// Result of a run.
pub struct Run {
    pub code: Option<i32>,
    pub stdout: Vec<u8>,
    pub stderr: String,
}

impl Run {
    /// stdout of a run that must succeed.
    pub fn ok(self) -> String {
        assert_eq!(self.code, Some(0), "stderr: {}", self.stderr);
        String::from_utf8(self.stdout).expect("stdout is UTF-8")
    }

    pub fn json(self) -> Value {
        serde_json::from_str(&self.ok()).expect("stdout is one JSON value")
    }

    /// Requires a failure with `code`, nothing on stdout, and one line on stderr that contains
    /// `parts`.
    #[track_caller]
    pub fn fails(self, code: i32, parts: &[&str]) {
        assert_eq!(self.code, Some(code), "stderr: {}", self.stderr);
        assert_eq!(self.stdout, b"", "nothing is printed before an error");
        assert_eq!(self.stderr.lines().count(), 1, "one line: {}", self.stderr);
        for part in parts {
            assert!(
                self.stderr.contains(part),
                "'{part}' is missing in: {}",
                self.stderr
            );
        }
    }
}

/// `swath` on the CPU, without options from the environment.
pub fn command(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_swath"));
    for (name, _) in
        std::env::vars_os().filter(|(name, _)| name.to_string_lossy().starts_with("SWATH_"))
    {
        command.env_remove(name);
    }
    command.env("SWATH_DEVICE", "cpu").args(args);
    command
}

pub fn run(mut command: Command, stdin: &[u8]) -> Run {
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("swath starts");
    // A command that fails early does not read its stdin.
    let _ = child.stdin.take().expect("stdin is piped").write_all(stdin);
    let output = child.wait_with_output().expect("swath ends");
    let stderr = String::from_utf8(output.stderr).expect("stderr is UTF-8");
    Run {
        code: output.status.code(),
        stdout: output.stdout,
        stderr,
    }
}

pub fn swath(args: &[&str]) -> Run {
    run(command(args), b"")
}

/// Temporary folder with files.
pub struct Files(pub TempDir);

impl Files {
    pub fn new(files: &[(&str, &[u8])]) -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        for (name, bytes) in files {
            fs::write(folder.path().join(name), bytes).expect("a file in it");
        }
        Files(folder)
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// Runs `swath` in this folder.
    pub fn swath(&self, args: &[&str]) -> Run {
        self.swath_with_stdin(args, b"")
    }

    pub fn swath_with_stdin(&self, args: &[&str], stdin: &[u8]) -> Run {
        let mut command = command(args);
        command.current_dir(&self.0);
        run(command, stdin)
    }

    pub fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(&self.0)
            .expect("the folder is there")
            .flatten();
        let mut names: Vec<_> = entries
            .map(|entry| entry.file_name().to_string_lossy().into_owned())
            .collect();
        names.sort();
        names
    }
}

pub fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut writer = GzEncoder::new(Vec::new(), flate2::Compression::default());
    writer.write_all(bytes).expect("memory takes it");
    writer.finish().expect("memory takes it")
}

pub fn zstd(bytes: &[u8]) -> Vec<u8> {
    compress_to_vec(bytes, CompressionLevel::Fastest)
}

/// Returns `true` if `part` is a subsequence of `whole`.
pub fn is_subsequence<T: PartialEq>(part: &[T], whole: &[T]) -> bool {
    let mut rest = whole.iter();
    part.iter().all(|symbol| rest.any(|other| other == symbol))
}

/// One number per line.
pub fn numbers(values: impl IntoIterator<Item = u32>) -> String {
    values
        .into_iter()
        .map(|value| format!("{value}\n"))
        .collect()
}

pub const FASTA: &[u8] = b">r1 first\nACGT\nACG\n>r2\r\nTT\r\nTT\r\n";

/// True for `tests/run.sh --full`.
pub fn is_full() -> bool {
    std::env::var("SWATH_TEST_TIER").is_ok_and(|tier| tier == "full")
}

/// Selector of the test device, as for the GPU tests; `None` skips the test.
pub fn gpu() -> Option<String> {
    let wanted = std::env::var("SWATH_TEST_DEVICE").unwrap_or("llvmpipe".to_string());
    let mut devices: Vec<_> = swath::devices()
        .into_iter()
        .filter(|device| device.selector != "cpu")
        .collect();
    devices.sort_by_key(|device| !device.name.contains(&wanted) && device.selector != wanted);
    let found = devices.into_iter().next().map(|device| device.selector);
    let required = std::env::var("SWATH_REQUIRE_GPU_TESTS").is_ok_and(|value| value == "1");
    assert!(found.is_some() || !required, "no GPU adapter is here");
    found
}
