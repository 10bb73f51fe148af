//! The floors of every folder, from the ground up. What stands on one floor does not know each other, and uses what stands below;
//! `mod` is what the folder's own `mod.rs` declares. Files that are parts of one thing know each other: `a+b`.

/// A folder, as a path of modules, and its floors.
pub type Floors = (&'static str, &'static [&'static str]);

/// Every folder that has folders in it, and those with parts of one thing.
pub const LEVELS: &[Floors] = &[
    (
        "lib",
        &[
            "error",
            "call host kernels",
            "plan",
            "backend",
            "engine",
            "measure pairwise sort",
            "lcs edit_distance parenthesization substring",
            "supersequence",
            "known selftest",
            "engines",
            "unstable mod",
        ],
    ),
    (
        "lib::backend",
        &[
            "capabilities interface memory parts built texts",
            "buffers pace",
            "slices",
            "rates",
            "traits",
            "candidate device gathered",
            "choice session cuda wgpu",
            "mod",
        ],
    ),
    (
        "lib::backend::cuda",
        &[
            "driver registers source",
            "archive compiler copies memory staging waiter",
            "embedded",
            "pipelines",
            "proof",
            "adapter arguments beside opened",
            "gather",
            "loaded",
            "mod",
        ],
    ),
    (
        "lib::backend::wgpu",
        &[
            "errors memory owner source",
            "parameters staging timestamps waiter",
            "adapter pipelines",
            "commands opened",
            "gather",
            "loaded",
            "mod",
            "host",
            "recorder",
        ],
    ),
    // The engine runs tasks, and a task is what an engine runs.
    (
        "lib::engine",
        &[
            "names options profile",
            "report",
            "mod+job+opened+opening+probe+prospect+task",
            "devices selftest",
        ],
    ),
    (
        "lib::pairwise",
        &[
            "blocks codes guess tuning",
            "equal request",
            "bit_parallel anti_diagonal",
            "affixes diagonal_transition",
            "attempt by_reference similarity small",
            "problem",
            "trial",
            "decision",
            "solve",
            "mod",
        ],
    ),
    (
        "lib::pairwise::bit_parallel",
        &[
            "band prefetch symbols traced_path",
            "shape",
            "recurrence",
            "midpoint tile",
            "columns",
            "trace",
            "hirschberg",
            "cpu gpu",
            "banded",
            "mod",
        ],
    ),
    (
        "lib::pairwise::bit_parallel::cpu",
        &[
            "schedule vector",
            "lanes",
            "kernel",
            "enter",
            "kernels",
            "table",
            "values walk",
            "path",
            "banded seconds small",
            "mod",
        ],
    ),
    (
        "lib::pairwise::diagonal_transition",
        &["recurrence", "wavefront", "walk", "mod", "gpu summary"],
    ),
    (
        "lib::parenthesization",
        &[
            "mod",
            "value",
            "problem",
            "tree cpu problems",
            "found trace hu_shing reference",
            "gpu",
            "options",
            "solve",
            "task",
            "selftest",
        ],
    ),
    (
        "lib::substring",
        &[
            "mod",
            "dna pattern place suffix_sort",
            "answer texts",
            "certificate inputs question",
            "reference search suffix_array",
            "options memory gpu",
            "decision",
            "solve",
            "summary",
            "matches",
            "task",
            "selftest",
        ],
    ),
    (
        "lib::substring::gpu",
        &["texts", "prefixes sizes", "plan groups", "mod"],
    ),
    (
        "lib::supersequence",
        &[
            "mod",
            "reference segment witness",
            "options stored traceback",
            "midpoints",
            "anti_diagonal row_wise",
            "choice",
            "solve",
            "summary",
            "many",
            "task",
            "selftest",
        ],
    ),
    ("main", &["input", "report", "cli", "mod"]),
    (
        "main::cli",
        &[
            "note environment",
            "interrupt",
            "exit output",
            "args",
            "completions devices man progress selftest",
            "bench edit lcs parenthesize scs substring",
            "bst chain fold polygon",
            "mod",
        ],
    ),
    (
        "main::report",
        &[
            "alignment_text blocks edits inputs markup ndjson text units",
            "inline_diff ops run",
            "diff",
            "mod",
            "bench devices json plan scs selftest substring summary tree",
            "edit parenthesization",
        ],
    ),
    (
        "main::report::bench",
        &[
            "mod",
            "case table",
            "published tables",
            "json paper plot",
            "html",
        ],
    ),
];

/// The floor on which a part of a folder stands, and the things that it is one with.
pub fn floor(floors: &[&'static str], part: &str) -> Option<(usize, &'static str)> {
    let things = floors
        .iter()
        .enumerate()
        .flat_map(|(floor, things)| things.split(' ').map(move |thing| (floor, thing)));
    things
        .into_iter()
        .find(|(_, thing)| thing.split('+').any(|one| one == part))
}
