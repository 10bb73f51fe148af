//! The texts of `src`, for the tests that read them.
#![allow(dead_code)] // Every test binary uses a part of it.

use std::fs;
use std::path::{Path, PathBuf};

/// Where they lie.
pub fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("src")
}

/// Every Rust file in `src`: its path there, with `/`, and its text.
pub fn all() -> Vec<(String, String)> {
    let (source, mut all) = (folder(), Vec::new());
    for path in files(&source)
        .into_iter()
        .filter(|path| path.extension().is_some_and(|kind| kind == "rs"))
    {
        let inside = path
            .strip_prefix(&source)
            .expect("it lies there")
            .components();
        let names: Vec<_> = inside
            .map(|name| name.as_os_str().to_str().expect("it is a name"))
            .collect();
        all.push((
            names.join("/"),
            fs::read_to_string(&path).expect("it is text"),
        ));
    }
    all.sort();
    all
}

/// Whether a file has nothing but what tests need.
pub fn is_test(path: &str) -> bool {
    ["tests", "fake", "counted"]
        .iter()
        .any(|stem| path.ends_with(&format!("/{stem}.rs")))
}

/// Whether a file belongs to the command, which is a crate of its own.
pub fn is_command(path: &str) -> bool {
    ["cli/", "input/", "report/", "main.rs"]
        .iter()
        .any(|room| path.starts_with(room))
}

/// All files in a folder and in those within it.
fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder)
        .expect("the folder is there")
        .map(|entry| entry.expect("an entry").path());
    entries
        .flat_map(|path| {
            if path.is_dir() {
                files(&path)
            } else {
                vec![path]
            }
        })
        .collect()
}

/// What the library itself is made of: its text up to the tests, without comments.
pub fn code(text: &str) -> String {
    // Behind `mod tests;`, which names a file, the text goes on.
    let own = [
        "#[cfg(test)]\nmod tests {",
        "#[cfg(all(test, feature = \"gpu\"))]\nmod tests {",
    ]
    .iter()
    .fold(text, |text, tests| {
        text.split(tests).next().unwrap_or_default()
    });
    own.lines()
        .map(|line| line.split("//").next().unwrap_or_default())
        .collect::<Vec<_>>()
        .join("\n")
}
