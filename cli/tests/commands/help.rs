//! Help, version, and formats that follow from names of files.

use crate::process::{Files, command, run, swath};

#[test]
fn the_long_version_names_the_build_and_the_short_one_is_a_line() {
    let short = swath(&["-V"]).ok();
    assert_eq!(short, format!("swath {}\n", env!("CARGO_PKG_VERSION")));
    let long = swath(&["--version"]).ok();
    let (first, facts) = long.split_once('\n').expect("it has several lines");
    assert_eq!(first, short.trim_end());
    let names: Vec<_> = facts
        .lines()
        .filter_map(|line| line.split_whitespace().next())
        .collect();
    let expected = ["commit", "target", "features", "wgpu"];
    let len = if cfg!(feature = "gpu") { 4 } else { 3 };
    assert_eq!(names, expected[..len]);
    assert!(facts.contains(std::env::consts::ARCH), "{facts}");
}

#[test]
fn help_describes_the_environment_once() {
    for command in ["lcs", "edit", "pairs", "search", "bench"] {
        let help = swath(&[command, "--help"]).ok();
        assert_eq!(help.matches("SWATH_").count(), 1, "{help}");
    }
    let compare = swath(&["compare", "--help"]).ok();
    assert!(compare.contains("[default: tsv]"), "{compare}");
}

#[test]
fn options_that_a_command_refuses_are_not_in_its_help() {
    for option in ["--symbols", "--ignore-case"] {
        let lists = |command| {
            let help = swath(&[command, "--help"]).ok();
            let mut lines = help.lines();
            lines.any(|line| line.trim_start().starts_with(option))
        };
        assert!(lists("lcs") && !lists("compare"), "{option}");
    }
}

#[test]
fn the_format_of_a_file_follows_from_its_extension() {
    let files = Files::new(&[
        ("a", b">a\nACGTACGTTT\n"),
        ("b", b">b\nACGTTCGTTT\n"),
        ("words", b"kitten\nmitten\n"),
    ]);
    let written = |args: &[&str], name: &str| {
        files.swath(&[args, &["-o", name]].concat()).ok();
        std::fs::read(files.path(name)).expect("it is written")
    };
    let edit = ["edit", "a", "b"];
    for (args, name, start) in [
        (&["lcs", "a", "b"][..], "x.svg", &b"<svg"[..]),
        (&["lcs", "a", "b"], "x.txt", b"ACGT"),
        (&["lcs", "a", "b"], "x.NDJSON", b"{\"a\":0"),
        (
            &["lcs", "a", "b", "--symbols", "lines"],
            "x.patch",
            b"--- a",
        ),
        (&edit, "x.paf", b"a\t10\t0\t10\t+"),
        (&edit, "x.sam", b"@HD"),
        (&edit, "x.bam", b"\x1f\x8b"),
        (&["compare", "a", "b"], "x.vcf", b"##fileformat=VCF"),
        (&["pairs", "words"], "x.npy", b"\x93NUMPY"),
        (&["neighbors", "words", "-k", "1"], "x.mtx", b"%%Matrix"),
        (&["search", "a", "b", "-k", "1"], "x.bed", b"b\t0\t10\ta"),
        // No format of these commands: the default.
        (&["pairs", "words"], "x.svg", b"0\t1\t1\n"),
        (&edit, "x.cigar.gz", b"a  1 ACGT"),
    ] {
        let found = written(args, name);
        let found = &found[..start.len().min(found.len())];
        assert_eq!(found, start, "{args:?} {name}");
    }
}

#[test]
fn a_format_that_is_given_wins_over_the_extension() {
    let files = Files::new(&[]);
    let args = ["edit", "--text", "ACGT", "ACGA", "-o", "x.paf"];
    let read = || std::fs::read_to_string(files.path("x.paf")).expect("it is written");
    files
        .swath(&[&args[..], &["--format", "cigarx"]].concat())
        .ok();
    assert_eq!(read(), "3=1X\n");
    let mut by_environment = command(&args);
    by_environment
        .current_dir(&files.0)
        .env("SWATH_FORMAT", "ops");
    run(by_environment, b"").ok();
    assert_eq!(read(), "3= 1X\n");
}
