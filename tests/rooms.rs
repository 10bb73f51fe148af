//! The arrows between the rooms of `src`: each floor uses only those below it, so that no two rooms import each other.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// Rooms from the ground up; those of one floor do not know each other.
const FLOORS: [&[&str]; 9] = [
    &["error"],
    &["call", "host", "kernels"],
    &["plan"],
    &["backend"],
    &["engine"],
    &["measure", "pairwise", "sort"],
    &["lcs", "edit_distance", "parenthesization", "substring"],
    &["supersequence"],
    &["selftest", "unstable", "lib"],
];

fn floor(room: &str) -> usize {
    FLOORS.iter().position(|rooms| rooms.contains(&room)).unwrap_or_else(|| panic!("'{room}' stands on no floor"))
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).expect("the folder is there").map(|entry| entry.expect("an entry").path());
    entries.flat_map(|path| if path.is_dir() { files(&path) } else { vec![path] }).collect()
}

/// What the library itself is made of: its text up to the tests, without comments.
fn code(text: &str) -> String {
    let own = ["#[cfg(test)]\nmod tests", "#[cfg(all(test, feature = \"gpu\"))]\nmod tests"]
        .iter()
        .fold(text, |text, tests| text.split(tests).next().unwrap_or_default());
    own.lines().map(|line| line.split("//").next().unwrap_or_default()).collect::<Vec<_>>().join("\n")
}

/// Rooms that a text names behind `crate::`; items of the root are the root's.
fn named(code: &str) -> BTreeSet<String> {
    let behind = code.split("crate::").skip(1);
    let words = behind.map(|rest| rest.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect::<String>());
    words.filter(|word| word.chars().next().is_some_and(char::is_lowercase)).collect()
}

/// `<room> -> <room>: <file>` for every arrow that does not lead down.
fn arrows_up(sources: impl Iterator<Item = (String, String, String)>) -> Vec<String> {
    let mut up = Vec::new();
    for (room, file, text) in sources {
        for other in named(&code(&text)).into_iter().filter(|other| *other != room) {
            if floor(&other) >= floor(&room) {
                up.push(format!("{room} -> {other}: {file}"));
            }
        }
    }
    up
}

#[test]
fn no_arrow_between_rooms_leads_up() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let texts = files(&source).into_iter().filter(|path| path.extension().is_some_and(|kind| kind == "rs"));
    let of_library = texts.filter_map(|path| {
        let inside = path.strip_prefix(&source).expect("it lies there").to_path_buf();
        let first = inside.components().next()?.as_os_str().to_str()?.trim_end_matches(".rs").to_string();
        let is_test = path.file_stem().is_some_and(|stem| stem == "tests" || stem == "fake" || stem == "counted");
        // The command is a crate of its own.
        let command = ["cli", "input", "report", "main"].contains(&first.as_str());
        let text = fs::read_to_string(&path).expect("it is text");
        (!command && !is_test).then(|| (first, inside.display().to_string(), text))
    });
    let up = arrows_up(of_library);
    assert!(up.is_empty(), "{}", up.join("\n"));
}

#[test]
fn an_arrow_that_leads_up_is_noticed_and_one_in_a_comment_or_a_test_is_none() {
    let source = |text: &str| std::iter::once(("engine".to_string(), "x.rs".to_string(), text.to_string()));
    assert_eq!(arrows_up(source("use crate::lcs::Lcs;")), ["engine -> lcs: x.rs"]);
    assert_eq!(arrows_up(source("fn f() { crate::pairwise::f() }")), ["engine -> pairwise: x.rs"]);
    assert!(arrows_up(source("use crate::plan::Plan;\n// crate::lcs")).is_empty());
    assert!(arrows_up(source("#[cfg(test)]\nmod tests { use crate::lcs::Lcs; }")).is_empty());
}
