//! Unified diffs, applied by `patch` and by `git apply`.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::generated::Random;
use crate::process::{Dir, each, list, run, table};

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
    let dir = Dir::new(&[]);
    let mut diffing = dir.command(format!("{command} --symbols lines --format diff"));
    for (folder, text) in [("a", a), ("b", b)] {
        fs::create_dir(dir.path(folder)).expect("a folder");
        fs::write(dir.path(folder).join(name), text).expect("a file");
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
        let target = dir.path("target");
        fs::create_dir(&target).expect("a folder");
        fs::write(target.join(name), a).expect("a file");
        let mut program = Command::new("sh");
        program.args(["-c", line]).current_dir(&target);
        // The folder may be inside of a repository.
        program.env("GIT_CEILING_DIRECTORIES", dir.0.path());
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
fn diffs_are_applied_by_patch_and_git() {
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
    let names = r#"
        plain
        two words
        \u0020in front
        behind\u0020
        tab\tname
        quote"d
        it's
        back\\slash
        naïve
        日本 語
        -dash
        --
        *?
        #x
        a 2020-01-01 00:00:00.000000000 +0000
        \u001b[31m
    "#;
    each(list(names), |name| {
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
    let rows = r"
        x\ny\n    => x\ny => @@ -1,2 +1,2 @@\n x\n-y\n+y\n\\ No newline at end of file\n
        x\ny      => z\ny => @@ -1,2 +1,2 @@\n-x\n+z\n y\n\\ No newline at end of file\n
        \ufeffx\n => x\n  => @@ -1 +1 @@\n-\ufeffx\n+x\n
        x\ny      => x\ny =>
    ";
    each(table(rows), |[a, b, hunk]| {
        let dir = Dir::texts(&[("a", a), ("b", b)]);
        let head = if hunk.is_empty() {
            ""
        } else {
            "--- a\n+++ b\n"
        };
        for command in ["lcs", "edit"] {
            let diff = dir.swath(format!("{command} a b --symbols lines --format diff"));
            assert_eq!(diff.ok(), format!("{head}{hunk}"));
        }
    });
    let dir = Dir::of(
        r"
        a => x\ny
        b => \ufeffx\ny\n
        c => x\ry\r
        d => x\nz\n
    ",
    );
    dir.have(
        "SWATH_JSON=1",
        "
        // The length stays that of the lines.
        lcs a b --symbols lines  => length=2
        lcs c d --symbols lines  => /a/length=2
        edit c d --symbols lines => /a/length=2
    ",
    );
    // Texts of arguments are no files.
    dir.print(
        "lcs --text x y --symbols lines --format diff",
        r"
         => --- a\n+++ b\n@@ -1 +1 @@\n-x\n+y\n
    ",
    );
    // Lines that end with CR have no unified diff.
    dir.fail(
        2,
        "",
        r"
        lcs c d --symbols lines --format diff         => c end with CR | tr '\\r' '\\n' < c
        lcs c d --symbols lines --format diff -o out  => c end with CR | tr '\\r' '\\n' < c
        edit c d --symbols lines --format diff        => c end with CR | tr '\\r' '\\n' < c
        edit c d --symbols lines --format diff -o out => c end with CR | tr '\\r' '\\n' < c
    ",
    );
}
