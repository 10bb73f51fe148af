//! Every function that is compiled for instructions beyond those of every processor is entered where each of them was asked for.

#[path = "support/sources.rs"]
mod sources;

use std::collections::BTreeSet;

type Features = BTreeSet<String>;

/// What stands between two marks behind the first one.
fn between<'t>(text: &'t str, begin: &str, end: &str) -> &'t str {
    let (_, behind) = text
        .split_once(begin)
        .unwrap_or_else(|| panic!("no '{begin}'"));
    behind.split(end).next().unwrap_or_default()
}

/// The features that a condition asks the processor for, in the text that has its helpers.
fn asked(condition: &str, simd: &str) -> Features {
    let detected = |text: &str| -> Features {
        text.split("feature_detected!(\"")
            .skip(1)
            .map(|rest| rest.split('"').next().unwrap_or_default().into())
            .collect()
    };
    let mut asked = detected(condition);
    if condition.contains("has_avx512()") {
        asked.extend(detected(between(simd, "fn has_avx512() -> bool {", "\n}")));
    }
    if condition.contains("has_avx2 ") {
        asked.extend(detected(between(simd, "let has_avx2 =", ";")));
    }
    asked
}

/// Of every function with features: its file, its name, those that are enabled, and those that are asked for before it is entered.
fn functions(sources: &[(String, String)]) -> Vec<(String, String, Features, Features)> {
    let simd = &sources
        .iter()
        .find(|(path, _)| path == "host/simd.rs")
        .expect("it is there")
        .1;
    let mut functions = Vec::new();
    for (path, text) in sources {
        for (place, mark) in text.match_indices("#[target_feature(enable = \"") {
            let (before, rest) = (&text[..place], &text[place + mark.len()..]);
            let enabled = rest
                .split('"')
                .next()
                .unwrap_or_default()
                .split(',')
                .map(str::to_string)
                .collect();
            let name = between(rest, "fn ", "<").to_string();
            let condition = match before.rsplit_once("impl Enter for ") {
                // The caller of `enter` has asked whether they are available.
                Some((_, register)) => {
                    let arm = format!(
                        "Self::{} =>",
                        register.split(' ').next().unwrap_or_default()
                    );
                    let available = between(simd, "fn available(self) -> bool {", "\n    }");
                    between(available, &arm, "Self::")
                }
                None => {
                    let (before, _) = text
                        .split_once(&format!("unsafe {{ {name}(work) }}"))
                        .expect("it is entered");
                    let (_, condition) = before.rsplit_once("if ").expect("there is a condition");
                    condition.split('{').next().unwrap_or_default()
                }
            };
            functions.push((path.clone(), name, enabled, asked(condition, simd)));
        }
    }
    functions
}

/// What is enabled and not asked for.
fn missing(sources: &[(String, String)]) -> Vec<String> {
    let unasked = functions(sources)
        .into_iter()
        .flat_map(|(path, name, enabled, asked)| {
            let unasked: Vec<_> = enabled
                .difference(&asked)
                .map(|feature| format!("{path}: {name}: {feature}"))
                .collect();
            unasked
        });
    unasked.collect()
}

#[test]
fn all_instructions_that_a_function_is_compiled_for_are_asked_for_before_it_is_entered() {
    let sources = sources::all();
    let found = functions(&sources);
    assert_eq!(found.len(), 6, "{found:?}");
    assert!(
        found
            .iter()
            .all(|(_, _, enabled, asked)| !enabled.is_empty() && !asked.is_empty()),
        "{found:?}"
    );
    assert_eq!(missing(&sources), Vec::<String>::new());
}

#[test]
fn what_is_not_asked_for_is_noticed_wherever_it_is_enabled() {
    let sources = sources::all();
    // Each feature is asked for in one place at least that some function needs.
    for feature in [
        "avx512vbmi2",
        "avx512bw",
        "bmi1",
        "bmi2",
        "lzcnt",
        "avx2",
        "neon",
    ] {
        let mut damaged = sources.clone();
        for (_, text) in &mut damaged {
            *text = text.replace(
                &format!("feature_detected!(\"{feature}\")"),
                "feature_detected!(\"sse\")",
            );
        }
        assert!(
            missing(&damaged)
                .iter()
                .any(|unasked| unasked.ends_with(feature)),
            "{feature}"
        );
    }
    for (path, text) in &sources {
        for place in 0..text.matches("#[target_feature(enable = \"").count() {
            let mut damaged = sources.clone();
            let parts: Vec<_> = text
                .splitn(place + 2, "#[target_feature(enable = \"")
                .collect();
            let (last, before) = parts.split_last().expect("there is one");
            let mark = "#[target_feature(enable = \"";
            let enabled = format!("{}{mark}sse9,{last}", before.join(mark));
            damaged
                .iter_mut()
                .filter(|(other, _)| other == path)
                .for_each(|(_, text)| *text = enabled.clone());
            let unasked = missing(&damaged);
            assert!(
                unasked.len() == 1 && unasked[0].ends_with("sse9"),
                "{path}: {unasked:?}"
            );
        }
    }
}
