//! Unified diffs, applied by `patch` and by `git apply`.

use std::fs;
use std::path::Path;
use std::process::Command;

use tempfile::TempDir;

use crate::process::{Files, Run, run, swath};

/// Deterministic numbers (xorshift64*).
struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 33) as usize % end
    }

    /// Up to eight lines, some of which look like parts of a diff.
    fn text(&mut self) -> Vec<u8> {
        const LINES: [&[u8]; 14] = [
            b"",
            b"a",
            b"b",
            b"c",
            b" a",
            b"-- x",
            b"++ y",
            b"\\ No newline at end of file",
            b"@@ -1 +1 @@",
            b"diff --git a/x b/x",
            b"a\r",
            b"\t",
            "ä".as_bytes(),
            b"\xff",
        ];
        let few = [4, LINES.len()][self.below(2)];
        let lines: Vec<_> = (0..self.below(9)).map(|_| LINES[self.below(few)]).collect();
        let mut text = lines.join(&b'\n');
        // A text without LF has lines that end with CR.
        if !text.is_empty() && (self.below(2) == 0 || text.contains(&b'\r')) {
            text.push(b'\n');
        }
        match self.below(8) {
            0 => [b"\xef\xbb\xbf", &text[..]].concat(),
            _ => text,
        }
    }

    /// The text with a line changed, added or taken out.
    fn changed(&mut self, text: &[u8]) -> Vec<u8> {
        let mut lines: Vec<_> = text.split_inclusive(|&byte| byte == b'\n').collect();
        let at = self.below(lines.len() + 1);
        match self.below(3) {
            0 => lines.insert(at, b"new\n"),
            1 if at < lines.len() => lines[at] = b"other\n",
            _ if at < lines.len() => drop(lines.remove(at)),
            _ => {}
        }
        lines.concat()
    }
}

const NAMES: [&str; 16] = [
    "plain",
    "two words",
    " in front",
    "behind ",
    "tab\tname",
    "quote\"d",
    "it's",
    "back\\slash",
    "naïve",
    "日本 語",
    "-dash",
    "--",
    "*?",
    "#x",
    "a 2020-01-01 00:00:00.000000000 +0000",
    "\u{1b}[31m",
];

/// Folders `a` and `b` with a file of the same name in each.
fn folders(name: &Path, a: &[u8], b: &[u8]) -> Files {
    let files = Files::new(&[]);
    for (folder, text) in [("a", a), ("b", b)] {
        fs::create_dir(files.path(folder)).expect("a folder");
        fs::write(files.path(folder).join(name), text).expect("a file");
    }
    files
}

fn apply(program: &[&str], diff: &[u8], folder: &TempDir) -> Run {
    let mut command = Command::new(program[0]);
    command.args(&program[1..]).current_dir(folder);
    // The folder may be inside of a repository.
    command.env(
        "GIT_CEILING_DIRECTORIES",
        folder.path().parent().expect("a parent"),
    );
    run(command, diff)
}

/// `false` without the programs, if tests may be skipped.
fn has_programs() -> bool {
    let found = ["patch", "git"]
        .iter()
        .all(|program| Command::new(program).arg("--version").output().is_ok());
    let required = std::env::var("SWATH_REQUIRE_GPU_TESTS").is_ok_and(|value| value == "1");
    assert!(found || !required, "patch and git are needed");
    found
}

/// Applies the diff of `a` and `b` by both programs; each has to give `b`.
#[track_caller]
fn check(command: &str, name: &Path, a: &[u8], b: &[u8]) {
    let files = folders(name, a, b);
    let paths = ["a", "b"].map(|folder| Path::new(folder).join(name));
    let mut diffing = crate::process::command(&[command, "--symbols", "lines", "--format", "diff"]);
    diffing.args(&paths).current_dir(&files.0);
    let diff = run(diffing, b"");
    assert_eq!(diff.code, Some(0), "{}", diff.stderr);
    let diff = diff.stdout;
    let shown = format!("{name:?} {a:?} {b:?}\n{}", String::from_utf8_lossy(&diff));
    assert_eq!(diff.is_empty(), a == b, "{shown}");
    assert!(!diff.contains(&b'\x1b'), "{shown}");
    if a == b {
        return;
    }
    for program in [&["patch", "-p1", "-s"][..], &["git", "apply", "-p1"]] {
        let target = tempfile::tempdir().expect("a temporary folder");
        fs::write(target.path().join(name), a).expect("a file");
        let applied = apply(program, &diff, &target);
        assert_eq!(
            applied.code,
            Some(0),
            "{program:?} {shown}{}",
            applied.stderr
        );
        // Both may remove a file that becomes empty.
        let patched = fs::read(target.path().join(name)).unwrap_or_default();
        assert_eq!(patched, b, "{program:?} {shown}");
    }
}

#[test]
fn diffs_of_random_texts_are_applied_by_patch_and_git() {
    if !has_programs() {
        return;
    }
    let seed = 0x5357_4154;
    let mut random = Random(seed);
    for round in 0..120 {
        let a = random.text();
        let b = match random.below(2) {
            0 => random.text(),
            _ => random.changed(&a),
        };
        check(["lcs", "edit"][round % 2], Path::new("text"), &a, &b);
    }
}

#[test]
fn diffs_of_files_with_odd_names_are_applied_by_patch_and_git() {
    if !has_programs() {
        return;
    }
    for name in NAMES {
        check("lcs", Path::new(name), b"1\n2\n3\n", b"1\n3\n4");
    }
    #[cfg(target_os = "linux")]
    {
        let name = std::os::unix::ffi::OsStrExt::from_bytes(b"lat\xefn 1");
        check("edit", Path::new::<std::ffi::OsStr>(name), b"1\n", b"2\n");
    }
}

#[test]
fn a_diff_says_where_a_newline_is_missing() {
    let diff = |a: &[u8], b: &[u8]| {
        let files = Files::new(&[("a", a), ("b", b)]);
        let diff = |command| {
            files
                .swath(&[command, "a", "b", "--symbols", "lines", "--format", "diff"])
                .ok()
        };
        assert_eq!(diff("lcs"), diff("edit"));
        diff("lcs")
    };
    let head = "--- a\n+++ b\n";
    let none = "\\ No newline at end of file\n";
    assert_eq!(
        diff(b"x\ny\n", b"x\ny"),
        format!("{head}@@ -1,2 +1,2 @@\n x\n-y\n+y\n{none}")
    );
    assert_eq!(
        diff(b"x\ny", b"z\ny"),
        format!("{head}@@ -1,2 +1,2 @@\n-x\n+z\n y\n{none}")
    );
    assert_eq!(
        diff(b"\xef\xbb\xbfx\n", b"x\n"),
        format!("{head}@@ -1 +1 @@\n-\u{feff}x\n+x\n")
    );
    assert_eq!(diff(b"x\ny", b"x\ny"), "");
    // The length stays that of the lines.
    let files = Files::new(&[("a", b"x\ny"), ("b", b"\xef\xbb\xbfx\ny\n")]);
    let answer = files.swath(&["lcs", "a", "b", "--symbols", "lines", "--json"]);
    assert_eq!(answer.json()["length"], 2);
    // Texts of arguments are no files.
    let args = [
        "lcs",
        "--text",
        "x",
        "y",
        "--symbols",
        "lines",
        "--format",
        "diff",
    ];
    assert_eq!(swath(&args).ok(), format!("{head}@@ -1 +1 @@\n-x\n+y\n"));
}

#[test]
fn lines_that_end_with_cr_have_no_unified_diff() {
    let files = Files::new(&[("a", b"x\ry\r"), ("b", b"x\nz\n")]);
    for command in ["lcs", "edit"] {
        let args = [command, "a", "b", "--symbols", "lines", "--json"];
        assert_eq!(files.swath(&args).json()["a"]["length"], 2);
        for more in [
            &["--format", "diff"][..],
            &["--format", "diff", "-o", "out"],
        ] {
            files
                .swath(&[&[command, "a", "b", "--symbols", "lines"], more].concat())
                .fails(2, &["a end with CR", "tr '\\r' '\\n' < a"]);
        }
    }
}
