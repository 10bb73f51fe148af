//! The documentation that rustdoc writes: without a warning, and with an example for every public item.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// What rustdoc writes above an example, and above what the author has written of an item.
const EXAMPLE: &str = "rust-example-rendered";
const ITSELF: &str = "top-doc";

/// Writes the pages of the library with the features of this test, and those that only add to them.
fn written() -> PathBuf {
    let target = Path::new(env!("CARGO_TARGET_TMPDIR"))
        .parent()
        .expect("a folder of the target's");
    let features = if cfg!(feature = "cuda") {
        "serde,cuda"
    } else {
        "serde"
    };
    let output = Command::new(env!("CARGO"))
        .args([
            "doc",
            "--no-deps",
            "--lib",
            "--features",
            features,
            "--target-dir",
        ])
        .arg(target)
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .env("RUSTDOCFLAGS", "-D warnings")
        .output()
        .expect("cargo starts");
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    target.join("doc/swath")
}

/// What the author has written of the item of a page.
fn own_part(page: &str) -> &str {
    page.split_once(ITSELF).map_or("", |(_, rest)| {
        rest.split_once("</details>").map_or(rest, |(own, _)| own)
    })
}

/// The addresses that a text links to, without the places on their pages.
fn links(text: &str) -> impl Iterator<Item = &str> {
    let quoted = text
        .split("href=\"")
        .skip(1)
        .filter_map(|rest| rest.split_once('"').map(|(address, _)| address));
    quoted
        .map(|address| address.split_once('#').map_or(address, |(page, _)| page))
        .filter(|page| !page.is_empty())
}

/// Where an address of a page leads, both within the folder of the library.
fn resolved(page: &str, address: &str) -> String {
    let mut folders: Vec<&str> = page.split('/').collect();
    folders.pop();
    for part in address.split('/') {
        match part {
            "." => {}
            ".." => drop(folders.pop()),
            part => folders.push(part),
        }
    }
    folders.join("/")
}

/// The pages whose item has neither an example nor a link to an item that has one.
fn without_example(pages: &BTreeMap<String, String>) -> Vec<&str> {
    let has_example = |page: &str| {
        pages
            .get(page)
            .is_some_and(|text| own_part(text).contains(EXAMPLE))
    };
    let is_shown = |page: &str, text: &str| {
        has_example(page)
            || links(own_part(text)).any(|address| has_example(&resolved(page, address)))
    };
    pages
        .iter()
        .filter(|(page, text)| !is_shown(page, text))
        .map(|(page, _)| page.as_str())
        .collect()
}

#[test]
fn every_public_item_has_an_example_or_links_to_one() {
    let folder = written();
    let read = |page: &str| {
        fs::read_to_string(folder.join(page)).unwrap_or_else(|error| panic!("{page}: {error}"))
    };
    let list = read("all.html");
    let items = list.split_once("all-items").map_or("", |(_, items)| items);
    let mut pages: BTreeMap<_, _> = links(items)
        .filter(|page| !page.contains("://"))
        .map(|page| (page.to_string(), read(page)))
        .collect();
    // Modules are on no list.
    let modules = pages.keys().map(|page| {
        format!(
            "{}index.html",
            &page[..page.rfind('/').map_or(0, |end| end + 1)]
        )
    });
    let modules: Vec<_> = modules.map(|page| (page.clone(), read(&page))).collect();
    pages.extend(modules);
    assert!(
        pages.len() > 60 && pages.contains_key("lcs/struct.Subsequence.html"),
        "{:?}",
        pages.keys()
    );
    assert_eq!(
        without_example(&pages),
        [""; 0],
        "the documentation of these items has neither"
    );
}

#[test]
fn an_example_is_asked_of_the_item_itself_or_of_what_its_own_text_links_to() {
    let page = |own: &str, below: &str| {
        format!("<nav></nav><details class=\"toggle {ITSELF}\">{own}</details>{below}")
    };
    let example = format!("<pre class=\"rust {EXAMPLE}\">");
    let link = |address: &str| format!("<a href=\"{address}\">it</a>");
    let pages = [
        ("a/struct.Shown.html", page(&example, "")),
        (
            "b/struct.Linking.html",
            page(&link("../a/struct.Shown.html#method.of"), ""),
        ),
        (
            "b/struct.OfTheSignature.html",
            page("", &link("../a/struct.Shown.html")),
        ),
        ("b/struct.OfAMethod.html", page("", &example)),
        (
            "b/struct.FartherAway.html",
            page(&link("struct.Linking.html"), ""),
        ),
        ("b/struct.Bare.html", "<nav></nav>".to_string()),
    ];
    let pages: BTreeMap<_, _> = pages
        .into_iter()
        .map(|(page, text)| (page.to_string(), text))
        .collect();
    let missing = [
        "b/struct.Bare.html",
        "b/struct.FartherAway.html",
        "b/struct.OfAMethod.html",
        "b/struct.OfTheSignature.html",
    ];
    assert_eq!(without_example(&pages), missing);
}
