//! The page that walks one call through the rooms: the files that each of its steps names.

use std::collections::BTreeSet;

/// Where the way of a call turns although it is not over: from which file to which, and how the page tells why.
pub struct Turn {
    pub from: &'static str,
    pub to: &'static str,
    pub told: &'static str,
}

/// All of them: a trait that a floor below calls, and what comes back from a floor below before the way goes on.
pub const TURNS: [Turn; 4] = [
    Turn {
        from: "src/engine/task.rs",
        to: "src/lcs/solve.rs",
        told: "it calls the task that it was given through the trait `Task`",
    },
    Turn {
        from: "src/backend/wgpu/mod.rs",
        to: "src/pairwise/bit_parallel/hirschberg.rs",
        told: "The open device comes up to `pairwise/`, which asked for it.",
    },
    Turn {
        from: "src/kernels/bit_parallel.rs",
        to: "src/backend/session.rs",
        told: "A plan is data, which comes up to whoever runs it",
    },
    Turn {
        from: "src/lcs/subsequence.rs",
        to: "src/engine/report.rs",
        told: "The task returns to the engine that has called it",
    },
];

/// The steps of the page, each with the files of `files` that it names, in order.
///
/// # Errors
/// A name that no file has. One without its folder is of the folder of the last file that was named, or of one around that.
pub fn steps(page: &str, files: &BTreeSet<String>) -> Result<Vec<Vec<String>>, String> {
    let (_, walk) = page
        .split_once("## One call\n")
        .ok_or("the page is not there")?;
    let walk = walk.split("\n## ").next().unwrap_or_default();
    let (mut steps, mut folder) = (Vec::new(), String::new());
    let starts_step = |line: &str| {
        line.split_once(". ")
            .is_some_and(|(number, _)| number.parse::<u32>().is_ok())
    };
    for line in walk.lines() {
        if starts_step(line) {
            steps.push(Vec::new());
        }
        let Some(step) = steps.last_mut() else {
            continue;
        };
        for name in line
            .split('`')
            .skip(1)
            .step_by(2)
            .filter(|name| name.ends_with(".rs"))
        {
            for name in alternatives(name) {
                let file = around(&folder)
                    .map(|folder| format!("{folder}{name}"))
                    .find(|file| files.contains(file));
                let file = file.ok_or_else(|| format!("'{name}' is nowhere: {}", line.trim()))?;
                folder = file
                    .rsplit_once('/')
                    .map_or(String::new(), |(folder, _)| format!("{folder}/"));
                step.push(file);
            }
        }
    }
    Ok(steps)
}

/// `{a,b}.rs` is `a.rs` and `b.rs`.
fn alternatives(name: &str) -> Vec<String> {
    let parts = name
        .split_once('{')
        .and_then(|(before, rest)| Some((before, rest.split_once('}')?)));
    let Some((before, (names, behind))) = parts else {
        return vec![name.to_string()];
    };
    names
        .split(',')
        .map(|name| format!("{before}{name}{behind}"))
        .collect()
}

/// A folder, and those around it to the outermost.
fn around(folder: &str) -> impl Iterator<Item = String> {
    let ends: Vec<_> = folder
        .match_indices('/')
        .map(|(at, _)| at + 1)
        .rev()
        .chain([0])
        .collect();
    let folder = folder.to_string();
    ends.into_iter().map(move |end| folder[..end].to_string())
}
