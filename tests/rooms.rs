//! The arrows between the rooms of `src`: each floor uses only those below it, so that no two rooms import each other.

#[path = "support/sources.rs"]
mod sources;

use std::collections::BTreeSet;

use sources::code;

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
    let of_library =
        sources::all().into_iter().filter(|(path, _)| !sources::is_command(path) && !sources::is_test(path));
    let of_library = of_library.map(|(path, text)| {
        let room = path.split('/').next().unwrap_or_default().trim_end_matches(".rs").to_string();
        (room, path, text)
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
