//! The arrows between the modules of `src`: at every level each floor uses only those below it, so that no two of a folder's parts
//! import each other, and a call goes down through the rooms and comes back up once.

#[path = "rooms/floors.rs"]
mod floors;
#[path = "rooms/house.rs"]
mod house;
#[path = "support/sources.rs"]
mod sources;
#[path = "rooms/tokens.rs"]
mod tokens;
#[path = "rooms/walk.rs"]
mod walk;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use floors::{LEVELS, floor};
use house::{Arrow, House};

/// The library, and the command, which is a crate of its own.
const ROOTS: [&str; 2] = ["lib.rs", "main.rs"];

fn read(file: &str) -> Option<String> {
    fs::read_to_string(sources::folder().join(file)).ok()
}

/// Every Rust file of `src`, by its path there.
fn all_files() -> BTreeSet<String> {
    sources::all().into_iter().map(|(path, _)| path).collect()
}

/// A level, and which of its parts uses which.
fn at_level(arrow: &Arrow) -> (String, String, String) {
    let shared = arrow
        .from
        .iter()
        .zip(&arrow.to)
        .take_while(|(from, to)| from == to)
        .count();
    let part = |path: &[String]| {
        path.get(shared)
            .cloned()
            .unwrap_or_else(|| "mod".to_string())
    };
    (
        arrow.from[..shared].join("::"),
        part(&arrow.from),
        part(&arrow.to),
    )
}

/// `<level>: <part> -> <part> (<name> in <file>)` for every arrow that does not lead down.
fn arrows_up(arrows: &BTreeSet<Arrow>, levels: &[floors::Floors]) -> Vec<String> {
    let told = |arrow: &Arrow| {
        let (level, from, to) = at_level(arrow);
        let (_, floors) = levels.iter().find(|(name, _)| *name == level)?;
        let (from_floor, to_floor) = (floor(floors, &from), floor(floors, &to));
        let is_down =
            matches!((from_floor, to_floor), (Some(from), Some(to)) if to.0 < from.0 || to == from);
        (!is_down).then(|| {
            format!(
                "{level}: {from} -> {to} ({} in {})",
                arrow.named, arrow.file
            )
        })
    };
    arrows.iter().filter_map(told).collect()
}

/// `<level>: <part> <part> ...` for parts that use each other, round about, at levels whose floors nobody has named.
fn circles(arrows: &BTreeSet<Arrow>, levels: &[floors::Floors]) -> Vec<String> {
    let mut uses: BTreeMap<String, BTreeMap<String, BTreeSet<String>>> = BTreeMap::new();
    for (level, from, to) in arrows.iter().map(at_level) {
        if levels.iter().all(|(name, _)| *name != level) {
            uses.entry(level)
                .or_default()
                .entry(from)
                .or_default()
                .insert(to);
        }
    }
    let mut found = Vec::new();
    for (level, mut uses) in uses {
        // Whatever uses nothing that is left stands on the next floor.
        let free = |uses: &BTreeMap<String, BTreeSet<String>>| {
            let free = uses
                .iter()
                .find(|(_, used)| used.iter().all(|used| !uses.contains_key(used)));
            free.map(|(part, _)| part.clone())
        };
        while let Some(next) = free(&uses) {
            uses.remove(&next);
        }
        if !uses.is_empty() {
            found.push(format!(
                "{level}: {}",
                uses.into_keys().collect::<Vec<_>>().join(" ")
            ));
        }
    }
    found
}

#[test]
fn no_arrow_leads_up_at_any_level() {
    for root in ROOTS {
        let house = House::of(root, false, &read);
        let arrows = house.arrows();
        assert!(
            arrows.len() > 300,
            "{root} has {} arrows: they are not seen",
            arrows.len()
        );
        let mut wrong = arrows_up(&arrows, LEVELS);
        wrong.extend(circles(&arrows, LEVELS));
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    }
}

#[test]
fn every_folder_that_has_folders_names_the_floors_of_all_that_is_in_it() {
    let mut levels: BTreeSet<&str> = LEVELS.iter().map(|(level, _)| *level).collect();
    for root in ROOTS {
        let house = House::of(root, false, &read);
        for (level, parts) in house.folders() {
            let has_folders = parts.iter().any(|(_, is_folder)| *is_folder);
            let named = LEVELS.iter().find(|(name, _)| *name == level);
            assert!(
                named.is_some() || !has_folders,
                "'{level}' has folders and names no floors"
            );
            let Some((_, floors)) = named else { continue };
            levels.remove(level.as_str());
            let mut stand: Vec<&str> = floors
                .iter()
                .flat_map(|floor| floor.split([' ', '+']))
                .collect();
            for (part, is_folder) in &parts {
                let (_, thing) = floor(floors, part)
                    .unwrap_or_else(|| panic!("'{part}' of '{level}' stands on no floor"));
                assert!(
                    !is_folder || thing == part,
                    "the folder '{part}' of '{level}' is part of no other thing"
                );
                stand.retain(|name| name != part);
            }
            stand.retain(|name| *name != "mod");
            assert!(stand.is_empty(), "'{level}' has no {stand:?}");
        }
    }
    assert!(levels.is_empty(), "there are no folders {levels:?}");
}

#[test]
fn every_file_is_a_module_that_was_read() {
    let of = |root| House::of(root, true, &read).files();
    let read: BTreeSet<String> = ROOTS.into_iter().flat_map(of).collect();
    assert_eq!(read, all_files());
}

/// A library of these files, and the arrows that its floors do not allow.
fn wrong(texts: &[(&str, &str)], levels: &[floors::Floors]) -> Vec<String> {
    let root = |file: &str| {
        texts
            .iter()
            .find(|(name, _)| *name == file)
            .map(|(_, text)| text.to_string())
    };
    let house = House::of("lib.rs", false, &root);
    let arrows = house.arrows();
    arrows_up(&arrows, levels)
        .into_iter()
        .chain(circles(&arrows, levels))
        .collect()
}

/// The same for two rooms, of which `lcs` stands above `engine`, and a text of the engine.
fn of_engine(text: &str) -> Vec<String> {
    let root = "mod engine;\npub mod lcs;\npub use lcs::Lcs;\npub use lcs::Method as How;";
    let lcs = "mod task;\npub use task::Lcs;\npub enum Method {}";
    let texts = [
        ("lib.rs", root),
        ("engine.rs", text),
        ("lcs/mod.rs", lcs),
        ("lcs/task.rs", "pub struct Lcs;\npub fn f() {}"),
    ];
    wrong(&texts, &[("lib", &["engine", "lcs", "mod"])])
}

#[test]
fn an_arrow_that_leads_up_is_noticed_however_it_is_written() {
    let up = |name: &str| vec![format!("lib: engine -> lcs ({name} in engine.rs)")];
    assert_eq!(of_engine("use crate::lcs::Lcs;"), up("crate::lcs::Lcs"));
    assert_eq!(
        of_engine("use crate::Lcs;"),
        up("crate::Lcs"),
        "what the root shows is the room's"
    );
    assert_eq!(of_engine("use crate::{How, engine::f};"), up("crate::How"));
    assert_eq!(
        of_engine("fn f() { crate::Lcs::default() }"),
        up("crate::Lcs::default")
    );
    assert_eq!(of_engine("use super::{lcs as other};"), up("super::lcs"));
    assert_eq!(
        of_engine("fn f() { super::lcs::task::f() }"),
        up("super::lcs::task::f")
    );
    assert_eq!(
        of_engine("mod inner { use crate::lcs::Lcs; }"),
        up("crate::lcs::Lcs")
    );
    assert_eq!(
        of_engine("macro_rules! m { () => { $crate::lcs::Method }; }"),
        up("crate::lcs::Method")
    );
    assert_eq!(
        of_engine("const A: &str = \"// \\\" { /*\"; use crate::lcs::Lcs;"),
        up("crate::lcs::Lcs")
    );
    assert_eq!(
        of_engine("const A: &str = r#\"\"{\"#; use crate::lcs::Lcs;"),
        up("crate::lcs::Lcs")
    );
    assert_eq!(
        of_engine("const A: [char; 2] = ['\"', '\\'']; use crate::lcs::Lcs;"),
        up("crate::lcs::Lcs")
    );
    assert_eq!(
        of_engine("fn f<'a>(x: &'static Lcs, y: &'a str) { crate::lcs::f() }"),
        up("crate::lcs::f")
    );
    assert_eq!(
        of_engine("/* /* */ crate */ use crate::lcs::Lcs;"),
        up("crate::lcs::Lcs")
    );
}

#[test]
fn a_trait_that_is_made_true_above_for_a_type_that_stands_elsewhere_is_noticed() {
    let house = |lcs: &str| {
        let texts = [
            ("lib.rs", "mod engine;\nmod plan;\nmod lcs;"),
            (
                "engine.rs",
                "pub trait Probe<T> {}\npub struct Engine<A>(A);\nimpl Probe<u8> for Engine<u8> {}",
            ),
            ("plan.rs", "pub struct Plan;"),
            ("lcs.rs", lcs),
        ];
        wrong(&texts, &[("lib", &["plan", "engine", "lcs", "mod"])])
    };
    let up = |named: &str| vec![format!("lib: engine -> lcs ({named} in lcs.rs)")];
    let imports = "use crate::engine::{Engine, Probe};\nuse crate::plan::Plan;\n";
    assert_eq!(
        house(&format!("{imports}impl Probe<u8> for Engine<u8> {{}}")),
        up("Probe for Engine")
    );
    let generic = "impl<F: Fn() -> u8, T: Into<Vec<F>>> Probe<F> for Engine<T> where T: Copy {}";
    assert_eq!(
        house(&format!("{imports}{generic}")),
        up("Probe for Engine")
    );
    assert_eq!(
        house("impl crate::engine::Probe<u8> for crate::plan::Plan {}"),
        up("crate::engine::Probe for crate::plan::Plan")
    );
    for allowed in [
        "struct Own;\nimpl Probe<u8> for Own {}",
        "impl Engine<u8> {}",
        "impl Clone for Plan {}",
        "impl Probe<u8> for u8 {}",
    ] {
        assert!(
            house(&format!("{imports}{allowed}")).is_empty(),
            "{allowed}"
        );
    }
}

#[test]
fn what_follows_a_test_is_still_read() {
    let up = ["lib: engine -> lcs (crate::lcs::Lcs in engine.rs)"];
    for tests in [
        "#[cfg(test)]\nmod tests;\n",
        "#[cfg(all(test, feature = \"gpu\"))]\nmod tests;\n",
        "#[cfg(test)]\nmod tests { mod inner {} fn f() { \"}\" } }\n",
        "#[cfg(test)]\n#[derive(Debug)]\nstruct A([u8; 2]);\n",
        "#[cfg(test)]\nfn f(a: [u8; 2]) -> u8 { a[0] }\n",
        "#[cfg(not(test))]\nuse a::b;\n",
    ] {
        assert_eq!(
            of_engine(&format!("{tests}use crate::lcs::Lcs;")),
            up,
            "{tests}"
        );
    }
}

#[test]
fn comments_tests_and_what_lies_outside_are_no_arrows() {
    for text in [
        "// crate::lcs",
        "/// See [`Lcs`](crate::lcs::Lcs).\nfn f() {}",
        "/* use crate::lcs::Lcs; */",
        "const A: &str = \"crate::lcs::Lcs\";",
        "#[cfg(test)]\nmod tests { use crate::lcs::Lcs; }",
        "#[cfg(all(test, unix))]\nuse crate::lcs::Lcs;",
        "#![cfg(test)]\nuse crate::lcs::Lcs;",
        "use lcs::Lcs;",
        "use ::lcs::Lcs;",
        "use crate::engine::Device;",
    ] {
        assert!(of_engine(text).is_empty(), "{text}: {:?}", of_engine(text));
    }
}

#[test]
fn circles_between_a_folder_and_the_files_beside_it_are_noticed() {
    let house = |cpu: &str, shape: &str, root: &str| {
        let texts = [
            ("lib.rs", "mod table;"),
            ("table/mod.rs", root),
            ("table/cpu/mod.rs", "mod kernel;"),
            ("table/cpu/kernel.rs", cpu),
            ("table/shape.rs", shape),
        ];
        wrong(&texts, &[])
    };
    let (root, shape) = (
        "mod cpu; mod shape; pub use shape::Shape; pub struct Table;",
        "pub struct Shape;",
    );
    assert!(house("use crate::table::shape::Shape;", shape, root).is_empty());
    let both = "use super::cpu::kernel::f; pub struct Shape;";
    assert_eq!(
        house("use crate::table::shape::Shape;", both, root),
        ["lib::table: cpu shape"]
    );
    assert_eq!(
        house("use super::super::Shape;", both, root),
        ["lib::table: cpu shape"],
        "shown by the folder"
    );
    assert!(
        house("use super::super::Table;", shape, root).is_empty(),
        "the folder's own is vocabulary"
    );
    let uses = format!("{root} fn f() {{ cpu::kernel::f() }}");
    assert_eq!(
        house("use super::super::Table;", shape, &uses),
        ["lib::table: cpu mod"],
        "or stands above, not both"
    );
}

/// Words that names are not made of, since the field has others: reference, wavefronts, traceback, request, midpoint, checkpoint,
/// boundary, common affixes.
const FOREIGN: [&str; 14] = [
    "textbook",
    "wave",
    "waves",
    "trail",
    "ask",
    "crossing",
    "crossings",
    "history",
    "histories",
    "frame",
    "frames",
    "border",
    "halo",
    "common_ends",
];

/// Names that are foreign as they stand, though others have these words in them: furthest-reaching points, outcome and strategy.
const FOREIGN_ALONE: [&str; 3] = ["reaches", "Bounded", "By"];

/// What no text of the library says, comments and messages among it: reference, and common affixes.
const UNSAID: [&str; 2] = ["textbook", "common ends"];

/// Names of a text that have such a word in them or are one; words of sentences are not names.
fn foreign(text: &str) -> Vec<String> {
    let is_foreign = |name: &String| {
        let mut words = String::new();
        for letter in name.chars() {
            words.extend(
                letter
                    .is_uppercase()
                    .then_some('_')
                    .into_iter()
                    .chain(letter.to_lowercase()),
            );
        }
        let words = format!("_{words}_");
        let has = |foreign: &&str| words.contains(&format!("_{foreign}_"));
        !name.starts_with('"')
            && (FOREIGN.iter().any(has) || FOREIGN_ALONE.contains(&name.as_str()))
    };
    tokens::of(text).into_iter().filter(is_foreign).collect()
}

#[test]
fn names_are_made_of_the_words_of_the_field() {
    assert_eq!(
        foreign("struct Waves; fn trail_of(ask: u8, s: &'ask str) {} // the trail"),
        ["Waves", "trail_of", "ask"]
    );
    assert_eq!(
        foreign("enum By { Bounded } fn common_ends(midCrossing: u8) { reaches } struct History;"),
        [
            "By",
            "Bounded",
            "common_ends",
            "midCrossing",
            "reaches",
            "History"
        ]
    );
    assert!(foreign("let (wavefronts, task, asked) = (\"waves\", 1, 2);").is_empty());
    assert!(
        foreign("fn a_panic_reaches_the_caller(is_bounded: bool, by: ByEnds, common: Ends) {}")
            .is_empty()
    );
    for file in all_files() {
        let text = read(&file).expect("it is text");
        assert_eq!(foreign(&text), [""; 0], "{file}");
        let said = UNSAID
            .iter()
            .find(|words| text.to_lowercase().contains(*words));
        assert_eq!(
            said, None,
            "'{file}' says what the field has another word for"
        );
    }
}

/// The floor of a file among the rooms of both crates; the command stands above the library.
fn room(file: &str) -> (usize, usize) {
    let name = file
        .trim_start_matches("src/")
        .split('/')
        .next()
        .unwrap_or_default()
        .trim_end_matches(".rs");
    let name = if name == "main" { "mod" } else { name };
    let of = |level: &str| {
        LEVELS
            .iter()
            .find(|(name, _)| *name == level)
            .and_then(|(_, floors)| floor(floors, name))
    };
    let of_command = of("main").map(|(floor, _)| (1, floor));
    of_command
        .or_else(|| of("lib").map(|(floor, _)| (0, floor)))
        .unwrap_or_else(|| panic!("'{file}' is in no room"))
}

/// What is wrong with a page's walk, file after file: where it climbs on its way down, or goes down again on its way back, but for the
/// turns that it tells.
fn climbs(page: &str, files: &BTreeSet<String>, turns: &[walk::Turn]) -> Result<(), String> {
    let steps = walk::steps(page, files)?;
    let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let page = words(page);
    let (mut is_back, mut last, mut taken) = (false, None, 0);
    for (number, step) in (1..).zip(&steps) {
        if step.is_empty() {
            return Err(format!("step {number} names no file"));
        }
        for (place, file) in step.iter().enumerate() {
            let here = room(file);
            let (before, from) = last.replace((here, file)).unwrap_or((here, file));
            let (up, down) = (here > before, here < before);
            if let Some(turn) = turns
                .iter()
                .find(|turn| turn.from == from && turn.to == file)
            {
                let is_turn = if is_back { down } else { up };
                if !is_turn {
                    return Err(format!("from '{from}' to '{file}' is no turn"));
                }
                if !page.contains(&words(turn.told)) {
                    return Err(format!(
                        "it does not tell why it turns from '{from}' to '{file}'"
                    ));
                }
                taken += 1;
            } else if up && !is_back && place > 0 {
                return Err(format!("step {number} climbs from '{from}' to '{file}'"));
            } else if down && is_back {
                return Err(format!(
                    "step {number} goes down from '{from}' to '{file}' on the way back"
                ));
            } else {
                is_back |= up;
            }
        }
    }
    if taken != turns.len() {
        return Err(format!("it takes {taken} of {} turns", turns.len()));
    }
    if is_back && last.is_some_and(|(here, _)| here >= (1, 0)) {
        Ok(())
    } else {
        Err("it never comes back".to_string())
    }
}

#[test]
fn one_call_goes_down_through_the_rooms_and_comes_back_once() {
    let page = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/design.md"))
        .expect("the page");
    let files: BTreeSet<String> = all_files()
        .into_iter()
        .map(|file| format!("src/{file}"))
        .collect();
    let walked = climbs(&page, &files, &walk::TURNS);
    assert!(walked.is_ok(), "{walked:?}");
    let steps = walk::steps(&page, &files).expect("it was walked");
    assert!(steps.iter().map(Vec::len).sum::<usize>() > 50, "{steps:?}");
    // From room to room there is an import, or else it is no way.
    let arrows = House::of("lib.rs", false, &read).arrows();
    let rooms: BTreeSet<_> = arrows
        .iter()
        .map(at_level)
        .filter(|(level, ..)| level == "lib")
        .collect();
    let passed = steps
        .iter()
        .flatten()
        .map(|file| file.split('/').nth(1).unwrap_or_default().to_string());
    let passed: Vec<_> = passed
        .filter(|name| floor(LEVELS[0].1, name).is_some())
        .collect();
    for pair in passed.windows(2).filter(|pair| pair[0] != pair[1]) {
        let uses = |from: &str, to: &str| {
            rooms.contains(&("lib".to_string(), from.to_string(), to.to_string()))
        };
        assert!(
            uses(&pair[0], &pair[1]) || uses(&pair[1], &pair[0]),
            "{pair:?} do not know each other"
        );
    }
    // What the rest of the page and the table of rooms name is there.
    for name in page
        .split('`')
        .skip(1)
        .step_by(2)
        .filter(|name| name.starts_with("src/") && !name.contains(['*', '{']))
    {
        assert!(
            Path::new(env!("CARGO_MANIFEST_DIR")).join(name).exists(),
            "the page names '{name}'"
        );
    }
}

#[test]
fn a_walk_that_climbs_or_names_what_is_not_there_is_noticed() {
    let names = [
        "src/main.rs",
        "src/cli/lcs.rs",
        "src/lcs/task.rs",
        "src/engine/mod.rs",
        "src/plan/mod.rs",
    ];
    let files: BTreeSet<String> = names.map(str::to_string).into();
    let with_turns = |steps: &[&str], turns: &[walk::Turn]| {
        let lines: String = (1..)
            .zip(steps)
            .map(|(number, step)| format!("{number}. {step}\n"))
            .collect();
        climbs(
            &format!("# Page\n\n## One call\n\n{lines}\n## Other\n\n1. `nothing.rs`\n"),
            &files,
            turns,
        )
    };
    let walked = |steps: &[&str]| with_turns(steps, &[]);
    assert_eq!(
        walked(&[
            "`src/main.rs` to `cli/lcs.rs`",
            "`src/lcs/task.rs`",
            "`src/engine/mod.rs`",
            "`src/cli/lcs.rs`"
        ]),
        Ok(())
    );
    for wrong in [
        &[
            "`src/main.rs`",
            "`src/engine/mod.rs`",
            "`src/lcs/task.rs`",
            "`src/plan/mod.rs`",
            "`src/main.rs`",
        ][..],
        &[
            "`src/main.rs`",
            "`src/engine/mod.rs` and `src/lcs/task.rs`",
            "`src/main.rs`",
        ],
        &["`src/main.rs`", "`src/engine/profile.rs`", "`src/main.rs`"],
        &[
            "`src/main.rs`",
            "`src/engine/{mod,job}.rs`",
            "`src/main.rs`",
        ],
        &["`src/main.rs`", "nothing", "`src/main.rs`"],
        &["`src/main.rs`", "`src/lcs/task.rs`"],
    ] {
        assert!(walked(wrong).is_err(), "{wrong:?}");
    }
    // Down, up to the task as is told, down again, and back.
    let turning = |told: &str, behind: &'static str| {
        let task = format!("{told} `src/lcs/task.rs`");
        let steps = [
            "`src/main.rs`",
            "`src/engine/mod.rs`",
            &task,
            "`src/plan/mod.rs`",
            behind,
            "`src/main.rs`",
        ];
        let turn = walk::Turn {
            from: "src/engine/mod.rs",
            to: "src/lcs/task.rs",
            told: "by a trait,",
        };
        (with_turns(&steps, &[turn]), walked(&steps))
    };
    let (told, untold) = turning("by a\n   trait,", "`src/engine/mod.rs`");
    assert_eq!(told, Ok(()));
    assert!(untold.is_err());
    assert!(turning("by nothing", "`src/engine/mod.rs`").0.is_err());
    assert!(
        turning("by a trait, `src/plan/mod.rs`", "`src/engine/mod.rs`")
            .0
            .is_err(),
        "the turn is not taken"
    );
    assert!(
        turning("by a trait,", "`src/lcs/task.rs` `src/engine/mod.rs`")
            .0
            .is_err()
    );
}
