//! The command on the CPU: answers of `swath lcs`, plans, and options from the environment.

use serde_json::Value;

use crate::process::{Dir, contains, each, get, has, is_subsequence, list, numbers, swath, table};

// Answers

#[test]
fn the_summary_and_every_format_show_the_same_subsequence() {
    let text = swath("lcs --text ABCBDAB BDCABA").shows(
        "length          4\n | similarity      61.54 %\n | path            none\n | a               7 symbols, a\n | \
         method   | device   | time   | speed   | common affixes  | CUPS",
    );
    let column = |line: &str| {
        let gap = line.find("  ").unwrap_or_default();
        gap + line[gap..].len() - line[gap..].trim_start().len()
    };
    assert!(text.lines().all(|line| column(line) == 16), "{text}");
    each(
        ["auto", "bit-parallel", "wavefront", "reference"],
        |method| {
            let answer = swath(format!(
                "lcs --text ABCBDAB BDCABA --json --method {method}"
            ));
            assert_ne!(answer.has("length=4")["method"], "auto");
        },
    );
    let answer = swath("lcs --text ABCBDAB BDCABA --json").has(
        r#"schema=swath/lcs/1 | problem=lcs | path_mode=none | cells=42 | similarity=0.6153846153846154 | a={"name":"a","length":7} | b={"name":"b","length":6}"#,
    );
    assert!(
        answer["device"].is_string() && answer["seconds"].is_number(),
        "{answer}"
    );
    assert!(answer["computed_cells"].is_number(), "{answer}");
    let phases: Vec<Value> = get(&answer["phases"]);
    assert!(
        phases.iter().all(|phase| phase["name"].is_string()),
        "{answer}"
    );
    // The witness comes only where it is asked for.
    assert!(answer.get("blocks").is_none());
    each(["--json --path", "--format json"], |options| {
        let answer = swath(format!("lcs --text xxABCyy zABCz {options}"));
        assert_ne!(answer.has("blocks=[[2,1,3]]")["path_mode"], "none");
    });
    swath("lcs --text '' '' --json --path").has("length=0 | similarity=1.0 | blocks=[]");
    swath("lcs --text '' abc --json").has("length=0 | similarity=0.0");
    Dir::new(&[]).rows(
        "lcs --text xxABCyyy zABCzz --format",
        "
        blocks => #a b len ; 2 1 3 ;
    ",
    );
    Dir::new(&[]).print(
        "lcs --text xxABCyyy zABCzz --format",
        r#"
        text   => ABC
        ops    => 2D 1I 3= 3D 2I\n
        diff   => [-xx-]{+z+}ABC[-yyy-]{+zz+}\n
        ndjson => {"a":2,"b":1,"len":3}\n
    "#,
    );
    let text = swath("lcs --text ABCBDAB BDCABA --path")
        .notes("similarity")
        .ok();
    assert_eq!(text.len(), 4);
    assert!(
        ["ABCBDAB", "BDCABA"]
            .iter()
            .all(|whole| is_subsequence(&text, whole))
    );
    let bytes: Vec<u8> = (0..=255).collect();
    assert_eq!(
        Dir::new(&[("a", &bytes)]).swath("lcs a a --path").stdout,
        bytes
    );
}

#[test]
fn dry_runs_print_the_plan_and_compute_nothing() {
    let rows = "
        lcs --text ABC AC             => lcs              => method tile passes => cells   => 6
        edit --text ABC AC            => edit             => method             => cells   => 6
        scs --text ABC AC             => scs              => method             => cells   => 6
        substring --text ABC AC       => substring        => method             => symbols => 5
        chain 10 20 30 --method tiled => parenthesization => method tile passes => leaves  => 2
        fold --text GGGAAACCC         => parenthesization => method             => leaves  => 9
    ";
    each(table(rows), |[call, problem, facts, size, expected]| {
        let format = if problem == "parenthesization" {
            "--tree"
        } else {
            "--format"
        };
        let plan = |options: &str| swath(format!("{call} --dry-run {options}"));
        let schema = format!("swath/{problem}-plan/1");
        for options in [
            "--json",
            &format!("{format} json"),
            &format!("{format} json -o -"),
        ] {
            let plan = plan(options).has(format!("schema={schema} | {size}={expected}"));
            assert!(plan["host_bytes"].is_number(), "{plan}");
            for answer in ["length", "distance", "cost"] {
                assert!(plan.get(answer).is_none(), "{answer}: {plan}");
            }
        }
        let text = plan(&format!("{format} text"));
        let text = text.shows("\ndevice memory  | \nhost memory  | \nexpected time  ");
        let names: Vec<_> = text
            .lines()
            .filter_map(|line| line.split(' ').next())
            .collect();
        assert!(facts.split(' ').all(|fact| names.contains(&fact)), "{text}");
        let to_file = Dir::new(&[]).swath(format!("{call} --dry-run {format} json -o out"));
        to_file.shows("expected time");
    });
    swath("lcs --text ABC AC --dry-run --format ndjson").has("schema=swath/lcs-plan/1");
    swath("chain 10 20 30 --dry-run --json").has("method=hu-shing");
}

#[test]
fn devices_end_with_the_cpu() {
    let report = swath("devices --json").has("schema=swath/devices/2");
    let mut devices: Vec<Value> = get(&report["devices"]);
    let cpu = devices.pop().expect("at least one");
    has(&cpu, "selector=cpu");
    // Numbers are numbers.
    assert!(cpu["capabilities"]["threads"].is_u64(), "{cpu}");
    for device in devices {
        let has = |name: &str| &device["capabilities"][name];
        assert!(
            has("binding_bytes").is_u64() && has("int64").is_boolean(),
            "{device}"
        );
        assert!(
            has("subgroup").is_u64() || has("subgroup").is_null(),
            "{device}"
        );
    }
    swath("devices").shows("cpu");
}

#[test]
fn the_selftest_passes_and_reports_errors() {
    swath("selftest --json").has("schema=swath/selftest/1 | passed=true");
    let text = swath("selftest --mem-host 1000")
        .ends(3, "gave no answer")
        .stdout;
    let text = String::from_utf8(text).expect("text");
    contains(&text, "ERROR  | ok ");
    assert!(!text.contains("FAILED"), "{text}");
}

// Unified diffs

#[test]
fn a_unified_diff_has_three_lines_of_context() {
    let changed =
        |lines: u32, change: &dyn Fn(u32) -> Vec<u32>| numbers((1..=lines).flat_map(change));
    let edited = changed(40, &|n| match n {
        20 => vec![],
        39 => vec![39, 390],
        n => vec![n],
    });
    let shared = |last| move |n| vec![if n == 1 || n == last { 100 + n } else { n }];
    let dir = Dir::texts(&[
        ("a", &numbers(1..=40)),
        ("b", &edited),
        ("c", &numbers(1..=20)),
        ("six-apart", &changed(20, &shared(8))),
        ("seven-apart", &changed(20, &shared(9))),
        ("two", "x\ny\n"),
        ("none", ""),
    ]);
    dir.print("lcs --symbols lines --format diff", r"
        a b      => --- a\n+++ b\n@@ -17,7 +17,6 @@\n 17\n 18\n 19\n-20\n 21\n 22\n 23\n@@ -37,4 +36,5 @@\n 37\n 38\n 39\n+390\n 40\n
        two none => --- two\n+++ none\n@@ -1,2 +0,0 @@\n-x\n-y\n
        none two => --- none\n+++ two\n@@ -0,0 +1,2 @@\n+x\n+y\n
        two two  =>
    ");
    each([("six-apart", 1), ("seven-apart", 2)], |(b, hunks)| {
        let diff = dir
            .swath(format!("lcs c {b} --symbols lines --format diff"))
            .ok();
        assert_eq!(diff.matches("\n@@").count(), hunks, "{diff}");
    });
}

// The environment

#[test]
fn the_command_line_wins_over_the_environment() {
    let dir = Dir::new(&[]);
    dir.have("SWATH_JSON=true SWATH_IGNORE_CASE=yes", "
        SWATH_TEXT=1 SWATH_METHOD=reference lcs abcbdab BDCABA => length=4 | method=reference
        SWATH_METHOD=reference lcs --text abcbdab BDCABA --method bit-parallel => length=4 | method=bit-parallel
        SWATH_METHOD=tiled SWATH_TREE=text chain 10 20 30 5    => method=tiled | text=(A1 (A2 A3))
        SWATH_STARTS=1 edit --text ab xaby --mode infix        => /pieces/0/0=1
        // Trees have other methods than strings.
        SWATH_METHOD=bit-parallel chain 10 20 30               => method=hu-shing
    ");
    // A format in the environment does not request the subsequence.
    let format = "SWATH_IGNORE_CASE=1 SWATH_FORMAT=ops lcs --text abcbdab BDCABA";
    assert!(swath(format).ok().starts_with("length"));
    swath(format!("{format} --path")).shows("=");
    let gaps = |side| swath(format!("SWATH_GAPS={side} edit --text ACCCG ACCG --path")).ok();
    assert_ne!(gaps("left"), gaps("right"));
    swath("SWATH_CPU_KERNEL=portable lcs --text abcbdab BDCABA --method bit-parallel").ok();
    swath("SWATH_CPU_KERNEL=sse9 lcs --text abcbdab BDCABA --method bit-parallel")
        .fails(2, "SWATH_CPU_KERNEL | 'sse9' | portable");
    // Values unknown to all commands are errors.
    dir.end(
        2,
        "",
        "
        SWATH_MEM_GPU=lots lcs --text abcbdab BDCABA => --mem-gpu
        SWATH_METHOD=magic edit --text a b           => magic
    ",
    );
}

#[test]
fn the_environment_may_have_inapplicable_options() {
    // Values for other commands, or unused ones.
    let rows = "
        edit => method => conditional-sum
        scs  => method => tiled
        lcs  => method => merge-tree
        lcs  => format => paf
        scs  => format => diff
        edit => gaps   => left
        edit => starts =>
    ";
    each(table(rows), |[command, option, value]| {
        let call = format!("{command} --text kitten sitting");
        let first = |line: &str| swath(line).ok().lines().next().map(str::to_string);
        let set = if value.is_empty() { "1" } else { value };
        let variable = format!("SWATH_{}={set}", option.to_uppercase());
        assert_eq!(first(&format!("{variable} {call}")), first(&call));
        let refused = swath(format!("{call} --{option} {value}")).notes(option);
        assert_eq!(refused.code, Some(2));
    });
}

// Progress

#[test]
fn progress_needs_the_option_and_ends_with_all() {
    swath("lcs --text abc abd").quiet();
    swath("lcs --text abc abd --progress never").quiet();
    let dir = Dir::of(
        r"
        q => >q\nAC\n>r\nGT\n
        t => >t\nACGT\n
    ",
    );
    let rows = "
        lcs --text abc abd
        edit q t --mode infix
        scs --text abc abd -o out
        substring --text abc abd
        chain 10 20 30 -o out
        fold --text GGGAAACCC
        bench lcs --quick --dry-run --device cpu
    ";
    each(list(rows), |line| {
        let run = dir.swath(format!("{line} --progress always"));
        assert_eq!(
            run.stderr.lines().last(),
            Some("swath: 100 %, done"),
            "{}",
            run.stderr
        );
        assert_eq!(run.stderr.matches("100 %").count(), 1);
        run.ok();
    });
    let failed = dir.swath("lcs q none --progress always");
    assert!(!failed.stderr.contains("100 %"), "{}", failed.stderr);
    swath("chain 10 20 30 5 --method tiled --progress always").notes("%");
}
