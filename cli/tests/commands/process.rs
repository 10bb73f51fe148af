//! Runs the command and checks its result.

use std::fmt::Debug;
use std::fs;
use std::io::Write;
use std::panic::{AssertUnwindSafe, catch_unwind};
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
    #[track_caller]
    pub fn ok(self) -> String {
        assert_eq!(self.code, Some(0), "stderr: {}", self.stderr);
        String::from_utf8(self.stdout).expect("stdout is UTF-8")
    }

    #[track_caller]
    pub fn json(self) -> Value {
        serde_json::from_str(&self.ok()).expect("stdout is one JSON value")
    }

    /// Objects of stdout, one per line.
    #[track_caller]
    pub fn objects(self) -> Vec<Value> {
        let text = self.ok();
        let object = |line| serde_json::from_str(line).expect("each line is JSON");
        text.lines().map(object).collect()
    }

    /// Requires a failure with `code`, nothing on stdout, and one line on stderr that contains
    /// `parts`.
    #[track_caller]
    pub fn fails(self, code: i32, parts: impl AsRef<str>) {
        assert_eq!(self.code, Some(code), "stderr: {}", self.stderr);
        assert_eq!(self.stdout, b"", "nothing is printed before an error");
        assert_eq!(self.stderr.lines().count(), 1, "one line: {}", self.stderr);
        contains(&self.stderr, parts);
    }

    /// Requires `parts` on stderr.
    #[track_caller]
    pub fn notes(self, parts: impl AsRef<str>) -> Self {
        contains(&self.stderr, parts);
        self
    }

    /// Requires an empty stderr.
    #[track_caller]
    pub fn quiet(self) -> Self {
        assert_eq!(self.stderr, "");
        self
    }

    /// stdout of a run that must succeed and print `parts`.
    #[track_caller]
    pub fn shows(self, parts: impl AsRef<str>) -> String {
        let text = self.ok();
        contains(&text, parts);
        text
    }

    /// JSON of a run that must succeed, with the values of [`has`].
    #[track_caller]
    pub fn has(self, expected: Value) -> Value {
        let found = self.json();
        has(&found, &expected);
        found
    }
}

/// Requires parts of a text, separated by ` | `.
#[track_caller]
pub fn contains(text: &str, parts: impl AsRef<str>) {
    for part in parts.as_ref().split(" | ") {
        assert!(text.contains(part), "'{part}' is missing in: {text}");
    }
}

/// Requires all values of `expected`, whose keys are names or JSON pointers.
#[track_caller]
pub fn has(found: &Value, expected: &Value) {
    for (key, value) in expected.as_object().expect("an object") {
        let inner = found.get(key).or_else(|| found.pointer(key));
        assert_eq!(inner, Some(value), "'{key}' in {found}");
    }
}

/// Checks every row, and reports all rows that fail.
#[track_caller]
pub fn each<R: Debug>(rows: impl IntoIterator<Item = R>, mut check: impl FnMut(R)) {
    let mut failed = Vec::new();
    for row in rows {
        let name = format!("{row:?}");
        if catch_unwind(AssertUnwindSafe(|| check(row))).is_err() {
            failed.push(name);
        }
    }
    assert!(failed.is_empty(), "rows that fail:\n{}", failed.join("\n"));
}

/// Words of a line; quotes hold blanks.
fn words(line: &str) -> Vec<String> {
    let (mut words, mut word, mut is_quoted) = (Vec::new(), None::<String>, false);
    for letter in line.chars() {
        match letter {
            '\'' => {
                is_quoted = !is_quoted;
                word.get_or_insert_default();
            }
            ' ' if !is_quoted => words.extend(word.take()),
            _ => word.get_or_insert_default().push(letter),
        }
    }
    words.extend(word);
    words
}

/// `swath` on the CPU, without options from the environment; words such as `SWATH_JSON=1` in front
/// of the arguments set variables.
pub fn command(line: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_swath"));
    without_options(&mut command);
    let words = words(line);
    let mut words = words.iter().peekable();
    let is_variable = |word: &&String| word.starts_with(char::is_uppercase) && word.contains('=');
    while let Some((name, value)) = words
        .next_if(is_variable)
        .and_then(|word| word.split_once('='))
    {
        command.env(name, value);
    }
    command.args(words);
    command
}

fn without_options(command: &mut Command) {
    for (name, _) in
        std::env::vars_os().filter(|(name, _)| name.to_string_lossy().starts_with("SWATH_"))
    {
        command.env_remove(name);
    }
    command.env("SWATH_DEVICE", "cpu");
}

pub fn run(mut command: Command, stdin: &[u8]) -> Run {
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    // A command that fails early does not read its stdin.
    let _ = child.stdin.take().expect("stdin is piped").write_all(stdin);
    let output = child.wait_with_output().expect("the program ends");
    let stderr = String::from_utf8(output.stderr).expect("stderr is UTF-8");
    Run {
        code: output.status.code(),
        stdout: output.stdout,
        stderr,
    }
}

pub fn swath(line: impl AsRef<str>) -> Run {
    run(command(line.as_ref()), b"")
}

/// Temporary folder with files.
pub struct Files(pub TempDir);

impl Files {
    pub fn new(files: &[(&str, &[u8])]) -> Self {
        let folder = Files(tempfile::tempdir().expect("a temporary folder"));
        files
            .iter()
            .for_each(|(name, bytes)| folder.write(name, bytes));
        folder
    }

    pub fn texts(files: &[(&str, &str)]) -> Self {
        let folder = Files::new(&[]);
        files
            .iter()
            .for_each(|(name, text)| folder.write(name, text));
        folder
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub fn write(&self, name: &str, content: impl AsRef<[u8]>) {
        fs::write(self.path(name), content).expect("the folder takes files");
    }

    #[track_caller]
    pub fn bytes(&self, name: &str) -> Vec<u8> {
        fs::read(self.path(name)).expect(name)
    }

    #[track_caller]
    pub fn text(&self, name: &str) -> String {
        String::from_utf8(self.bytes(name)).expect("text")
    }

    pub fn remove(&self, name: &str) {
        fs::remove_file(self.path(name)).expect(name);
    }

    /// `swath` in this folder.
    pub fn command(&self, line: impl AsRef<str>) -> Command {
        let mut command = command(line.as_ref());
        command.current_dir(&self.0);
        command
    }

    pub fn swath(&self, line: impl AsRef<str>) -> Run {
        self.swath_with_stdin(line, b"")
    }

    pub fn swath_with_stdin(&self, line: impl AsRef<str>, stdin: &[u8]) -> Run {
        run(self.command(line), stdin)
    }

    /// Line of a shell in this folder that finds `swath`.
    #[cfg(unix)]
    pub fn shell(&self, line: &str) -> Command {
        let mut shell = Command::new("sh");
        without_options(&mut shell);
        let swath = env!("CARGO_BIN_EXE_swath");
        let line = format!("swath() {{ exec '{swath}' \"$@\"; }}; {line}");
        shell.args(["-c", &line]).current_dir(&self.0);
        shell
    }

    /// Requires the stdout of each command line.
    #[track_caller]
    pub fn print(&self, command: &str, rows: &[(&str, &str)]) {
        each(rows, |(args, expected)| {
            assert_eq!(self.swath(format!("{command} {args}")).ok(), *expected);
        });
    }

    /// Requires of each command line the message of an error with `code`.
    #[track_caller]
    pub fn fail(&self, code: i32, command: &str, rows: &[(&str, &str)]) {
        each(rows, |(args, parts)| {
            self.swath(format!("{command} {args}")).fails(code, parts);
        });
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
