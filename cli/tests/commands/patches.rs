//! Unified diffs, applied by `patch` and by `git apply`.

use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::json;

use crate::generated::Random;
use crate::process::{Files, each, run, swath};

/// Lines, some of which look like parts of a diff.
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

/// Up to eight lines.
fn text(random: &mut Random) -> Vec<u8> {
    let few = [4, LINES.len()][random.below(2)];
    let lines: Vec<_> = (0..random.below(9))
        .map(|_| LINES[random.below(few)])
        .collect();
    let mut text = lines.join(&b'\n');
    // A text without LF has lines that end with CR.
    if !text.is_empty() && (random.below(2) == 0 || text.contains(&b'\r')) {
        text.push(b'\n');
    }
    match random.below(8) {
        0 => [b"\xef\xbb\xbf", &text[..]].concat(),
        _ => text,
    }
}

/// The text with a line changed, added or taken out.
fn changed(random: &mut Random, text: &[u8]) -> Vec<u8> {
    let mut lines: Vec<_> = text.split_inclusive(|&byte| byte == b'\n').collect();
    let at = random.below(lines.len() + 1);
    match random.below(3) {
        0 => lines.insert(at, b"new\n"),
        1 if at < lines.len() => lines[at] = b"other\n",
        _ if at < lines.len() => drop(lines.remove(at)),
        _ => {}
    }
    lines.concat()
}

/// `false` without the programs, if tests may be skipped.
fn has_programs() -> bool {
    let is_found = |program: &&str| Command::new(program).arg("--version").output().is_ok();
    let found = ["patch", "git"].iter().all(is_found);
    let required = std::env::var("SWATH_REQUIRE_GPU_TESTS").is_ok_and(|value| value == "1");
    assert!(found || !required, "patch and git are needed");
    found
}

/// Applies the diff of files of a name in two folders by both programs; each has to give `b`.
#[track_caller]
fn check(command: &str, name: &Path, a: &[u8], b: &[u8]) {
    let files = Files::new(&[]);
    let mut diffing = files.command(format!("{command} --symbols lines --format diff"));
    for (folder, text) in [("a", a), ("b", b)] {
        fs::create_dir(files.path(folder)).expect("a folder");
        fs::write(files.path(folder).join(name), text).expect("a file");
        diffing.arg(Path::new(folder).join(name));
    }
    let diff = run(diffing, b"");
    assert_eq!(diff.code, Some(0), "{}", diff.stderr);
    let diff = diff.stdout;
    let shown = format!("{name:?} {a:?} {b:?}\n{}", String::from_utf8_lossy(&diff));
    assert_eq!(diff.is_empty(), a == b, "{shown}");
    assert!(!diff.contains(&b'\x1b'), "{shown}");
    if a == b {
        return;
    }
    for line in ["patch -p1 -s", "git apply -p1"] {
        let target = files.path("target");
        fs::create_dir(&target).expect("a folder");
        fs::write(target.join(name), a).expect("a file");
        let mut program = Command::new("sh");
        program.args(["-c", line]).current_dir(&target);
        // The folder may be inside of a repository.
        program.env("GIT_CEILING_DIRECTORIES", files.0.path());
        let applied = run(program, &diff);
        assert_eq!(applied.code, Some(0), "{line} {shown}{}", applied.stderr);
        // Both may remove a file that becomes empty.
        assert_eq!(
            fs::read(target.join(name)).unwrap_or_default(),
            b,
            "{line} {shown}"
        );
        fs::remove_dir_all(target).expect("it is there");
    }
}

#[test]
fn diffs_of_random_texts_and_odd_names_are_applied_by_patch_and_git() {
    if !has_programs() {
        return;
    }
    let mut random = Random(0x5357_4154);
    for round in 0..120 {
        let a = text(&mut random);
        let b = match random.below(2) {
            0 => text(&mut random),
            _ => changed(&mut random, &a),
        };
        check(["lcs", "edit"][round % 2], Path::new("text"), &a, &b);
    }
    let names = [
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
    each(names, |name| {
        check("lcs", Path::new(name), b"1\n2\n3\n", b"1\n3\n4")
    });
    #[cfg(target_os = "linux")]
    {
        let name = std::os::unix::ffi::OsStrExt::from_bytes(b"lat\xefn 1");
        check("edit", Path::new::<std::ffi::OsStr>(name), b"1\n", b"2\n");
    }
}

#[test]
fn a_diff_says_where_a_newline_is_missing() {
    let head = "--- a\n+++ b\n";
    let none = "\\ No newline at end of file\n";
    let rows = [
        (
            "x\ny\n",
            "x\ny",
            format!("{head}@@ -1,2 +1,2 @@\n x\n-y\n+y\n{none}"),
        ),
        (
            "x\ny",
            "z\ny",
            format!("{head}@@ -1,2 +1,2 @@\n-x\n+z\n y\n{none}"),
        ),
        (
            "\u{feff}x\n",
            "x\n",
            format!("{head}@@ -1 +1 @@\n-\u{feff}x\n+x\n"),
        ),
        ("x\ny", "x\ny", String::new()),
    ];
    each(rows, |(a, b, diff)| {
        let args = "a b --symbols lines --format diff";
        Files::texts(&[("a", a), ("b", b)]).print(
            "",
            &[
                (&format!("lcs {args}"), &diff),
                (&format!("edit {args}"), &diff),
            ],
        );
    });
    // The length stays that of the lines.
    let files = Files::texts(&[("a", "x\ny"), ("b", "\u{feff}x\ny\n")]);
    files
        .swath("lcs a b --symbols lines --json")
        .has(json!({"length": 2}));
    // Texts of arguments are no files.
    let texts = swath("lcs --text x y --symbols lines --format diff");
    assert_eq!(texts.ok(), format!("{head}@@ -1 +1 @@\n-x\n+y\n"));
    // Lines that end with CR have no unified diff.
    let files = Files::texts(&[("a", "x\ry\r"), ("b", "x\nz\n")]);
    each(["lcs", "edit"], |command| {
        let call = format!("{command} a b --symbols lines");
        files
            .swath(format!("{call} --json"))
            .has(json!({"/a/length": 2}));
        files.fail(
            2,
            &call,
            &[
                ("--format diff", "a end with CR | tr '\\r' '\\n' < a"),
                ("--format diff -o out", "a end with CR | tr '\\r' '\\n' < a"),
            ],
        );
    });
}
