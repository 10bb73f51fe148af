//! Help, manual, version, and formats that follow from names of files.

use crate::process::{Dir, contains, each, list, run, swath, table};

#[test]
fn the_long_version_names_the_build() {
    let short = swath("-V").ok();
    assert_eq!(short, format!("swath {}\n", env!("CARGO_PKG_VERSION")));
    let long = swath("--version").shows(std::env::consts::ARCH);
    let (first, facts) = long.split_once('\n').expect("it has several lines");
    assert_eq!(first, short.trim_end());
    let names: Vec<_> = facts
        .lines()
        .filter_map(|line| line.split(' ').next())
        .collect();
    let expected = ["commit", "target", "features", "wgpu"];
    assert_eq!(names, expected[..if cfg!(feature = "gpu") { 4 } else { 3 }]);
}

#[test]
fn help_of_a_command_has_only_its_own_text() {
    let rows = r"
        lcs     => similarity | Examples: | \n      --symbols | \n      --ignore-case => distance lower_bound man1
        scs     => lower_bound | Examples:                                            => similarity distance piece
        edit    => distance | Examples:                                               => similarity lower_bound
        man     => man1 | Examples:                                                   => similarity Exit
        // Options that a command refuses are not in its help.
        compare => [default: tsv]                                                     => --symbols --ignore-case
    ";
    each(table(rows), |[command, own, others]| {
        let help = swath(format!("{command} --help")).shows(own);
        for other in others.split(' ') {
            let mut lines = help.lines();
            let has = |line: &str| !other.starts_with('-') || line.trim_start().starts_with(other);
            assert!(
                !lines.any(|line| line.contains(other) && has(line)),
                "{other}"
            );
        }
    });
    // The environment is described once.
    each(["lcs", "edit", "pairs", "search", "bench"], |command| {
        let help = swath(format!("{command} --help")).ok();
        assert_eq!(help.matches("SWATH_").count(), 1, "{help}");
    });
}

#[test]
fn completions_and_man_pages_are_printed() {
    each(["bash", "zsh", "fish", "powershell", "elvish"], |shell| {
        drop(swath(format!("completions {shell}")).shows("swath"));
    });
    swath("man").shows(".TH swath 1");
    swath("man lcs").shows("mem\\-gpu");
    swath("man nope").fails(2, "'nope' | lcs");
    let dir = Dir::new(&[]);
    dir.swath("man --all man1").ok();
    let pages = "
        swath
        swath-lcs
        swath-scs
        swath-substring
        swath-edit
        swath-chain
        swath-polygon
        swath-bst
        swath-fold
        swath-bench
    ";
    each(list(pages), |name| {
        let page = dir.text(&format!("man1/{name}.1"));
        let sections = ".SH NAME | .SH SYNOPSIS | .SH OPTIONS | .SH \"EXIT STATUS\" | .SH EXAMPLES";
        contains(&page, sections);
    });
}

#[test]
fn the_format_of_a_file_follows_from_its_extension() {
    let dir = Dir::of(
        r"
        a     => >a\nACGTACGTTT\n
        b     => >b\nACGTTCGTTT\n
        words => kitten\nmitten\n
    ",
    );
    let rows: [(&str, &str, &[u8]); 15] = [
        ("lcs a b", "x.svg", b"<svg"),
        ("lcs a b", "x.txt", b"ACGT"),
        ("lcs a b", "x.NDJSON", b"{\"a\":0"),
        ("lcs a b --symbols lines", "x.patch", b"--- a"),
        ("edit a b", "x.paf", b"a\t10\t0\t10\t+"),
        ("edit a b", "x.sam", b"@HD"),
        ("edit a b", "x.bam", b"\x1f\x8b"),
        ("compare a b", "x.vcf", b"##fileformat=VCF"),
        ("pairs words", "x.npy", b"\x93NUMPY"),
        ("neighbors words -k 1", "x.mtx", b"%%Matrix"),
        ("search a b -k 1", "x.bed", b"b\t0\t10\ta"),
        // No format of these commands: the default.
        ("pairs words", "x.svg", b"0\t1\t1\n"),
        ("edit a b", "x.cigar.gz", b"a  1 ACGT"),
        // A format that is given wins over the extension.
        ("edit a b --format cigarx", "x.paf", b"4=1X5=\n"),
        ("SWATH_FORMAT=ops edit a b", "x.paf", b"4= 1X 5=\n"),
    ];
    each(rows, |(call, name, start)| {
        run(dir.command(format!("{call} -o {name}")), b"").ok();
        let found = dir.bytes(name);
        assert!(
            found.starts_with(start),
            "{}",
            String::from_utf8_lossy(&found)
        );
    });
}
