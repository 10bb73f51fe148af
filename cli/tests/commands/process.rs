//! Runs the command and checks its result.

use std::borrow::BorrowMut;
use std::fmt::Debug;
use std::fs;
use std::io::Write;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::process::{Command, Stdio};

use flate2::write::GzEncoder;
use ruzstd::encoding::{CompressionLevel, compress_to_vec};
use serde::de::DeserializeOwned;
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
        let run = self.ends(code, parts);
        assert_eq!(run.stdout, b"", "nothing is printed before an error");
        assert_eq!(run.stderr.lines().count(), 1, "one line: {}", run.stderr);
    }

    /// Requires an exit code and `parts` on stderr.
    #[track_caller]
    pub fn ends(self, code: i32, parts: impl AsRef<str>) -> Self {
        assert_eq!(self.code, Some(code), "stderr: {}", self.stderr);
        self.notes(parts)
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
    pub fn has(self, values: impl AsRef<str>) -> Value {
        let found = self.json();
        has(&found, values);
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

/// Requires values `key=value`, separated by ` | `. Keys are names or JSON pointers, values JSON or
/// strings.
#[track_caller]
pub fn has(found: &Value, values: impl AsRef<str>) {
    for part in values.as_ref().split(" | ") {
        let (key, value) = part.split_once('=').expect("key=value");
        let value = serde_json::from_str(value).unwrap_or_else(|_| Value::from(value));
        let inner = found.get(key).or_else(|| found.pointer(key));
        assert_eq!(inner, Some(&value), "'{key}' in {found}");
    }
}

/// A value as a type.
#[track_caller]
pub fn get<T: DeserializeOwned>(found: &Value) -> T {
    serde_json::from_value(found.clone()).expect("a value of this type")
}

/// Rows of a text, one per line, of cells between ` => `. Escapes are those of JSON, and lines may be
/// comments.
pub fn table<const N: usize>(rows: &str) -> Vec<[&'static str; N]> {
    let text = |cell: &str| -> &'static str {
        let quoted = format!("\"{}\"", cell.trim().replace('"', "\\\""));
        serde_json::from_str::<String>(&quoted).expect(cell).leak()
    };
    let is_row = |line: &&str| !line.is_empty() && !line.starts_with("//");
    let row = |line: &str| {
        let cells: Vec<_> = line.splitn(N, "=>").map(text).collect();
        cells
            .try_into()
            .unwrap_or_else(|cells| panic!("{N} cells: {cells:?}"))
    };
    rows.lines()
        .map(str::trim)
        .filter(is_row)
        .map(row)
        .collect()
}

/// Lines of a [`table`] with one column.
pub fn list(rows: &str) -> Vec<&'static str> {
    table::<1>(rows).concat()
}

/// Checks every row, and reports all rows that fail.
#[track_caller]
pub fn each<R: Debug, T>(rows: impl IntoIterator<Item = R>, mut check: impl FnMut(R) -> T) {
    let (mut failed, mut count) = (Vec::new(), 0);
    for row in rows {
        count += 1;
        let name = format!("{row:?}");
        if catch_unwind(AssertUnwindSafe(|| check(row))).is_err() {
            failed.push(name);
        }
    }
    assert!(count > 0, "there are no rows");
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

pub fn run(mut command: impl BorrowMut<Command>, stdin: &[u8]) -> Run {
    let mut child = command
        .borrow_mut()
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
pub struct Dir(pub TempDir);

impl Dir {
    pub fn new(files: &[(&str, &[u8])]) -> Self {
        let dir = Dir(tempfile::tempdir().expect("a temporary folder"));
        files
            .iter()
            .for_each(|(name, bytes)| dir.write(name, bytes));
        dir
    }

    pub fn texts(files: &[(&str, &str)]) -> Self {
        let dir = Dir::new(&[]);
        files.iter().for_each(|(name, text)| dir.write(name, text));
        dir
    }

    /// Files of a [`table`] of names and texts.
    pub fn of(files: &str) -> Self {
        let dir = Dir::new(&[]);
        table(files)
            .into_iter()
            .for_each(|[name, text]| dir.write(name, text));
        dir
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

    #[cfg(unix)]
    pub fn sh(&self, line: &str) -> Run {
        run(self.shell(line), b"")
    }

    /// Requires of each row of a [`table`], a command line and a text, that it prints the text.
    #[track_caller]
    pub fn print(&self, command: &str, rows: &str) {
        each(table(rows), |[args, expected]| {
            assert_eq!(self.swath(format!("{command} {args}")).ok(), expected);
        });
    }

    /// Like [`Dir::print`] of tables: a blank stands for a tab, and ` ;` for the end of a line.
    #[track_caller]
    pub fn rows(&self, command: &str, rows: &str) {
        each(table(rows), |[args, expected]| {
            let expected = format!("{expected} ")
                .replace(" ; ", "\n")
                .replace(' ', "\t");
            let found = self.swath(format!("{command} {args}")).ok();
            assert_eq!(found, expected.trim_end_matches('\t'));
        });
    }

    /// Requires the values of [`has`] of each command line.
    #[track_caller]
    pub fn have(&self, command: &str, rows: &str) {
        each(table(rows), |[args, values]| {
            self.swath(format!("{command} {args}")).has(values)
        });
    }

    /// Requires [`Run::fails`] of each command line.
    #[track_caller]
    pub fn fail(&self, code: i32, command: &str, rows: &str) {
        each(table(rows), |[args, parts]| {
            self.swath(format!("{command} {args}")).fails(code, parts)
        });
    }

    /// Requires [`Run::ends`] of each command line.
    #[track_caller]
    pub fn end(&self, code: i32, command: &str, rows: &str) {
        each(table(rows), |[args, parts]| {
            let run = self.swath(format!("{command} {args}")).ends(code, parts);
            assert!(
                code == 0 || run.stdout.is_empty(),
                "nothing is printed before an error"
            );
        });
    }

    /// Writes the parts of a call to files; their names, from `first` on.
    pub fn shards(&self, call: &str, count: usize, first: usize) -> String {
        for part in 0..count {
            let shard = format!("--shard {part}/{count} -o part-{part}");
            self.swath(format!("{call} {shard}")).ok();
        }
        let names = (first..first + count).map(|part| format!("part-{}", part % count));
        names.collect::<Vec<_>>().join(" ")
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
pub fn is_subsequence(part: &str, whole: &str) -> bool {
    let mut rest = whole.chars();
    part.chars().all(|letter| rest.any(|other| other == letter))
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
