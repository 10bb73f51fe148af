//! Input on the CPU: symbols, all kinds of files, and invalid input with its exit codes.

use std::fs::File;
use std::path::Path;
use std::process::Command;

use crate::process::{FASTA, Files, command, gzip, numbers, swath, zstd};

// Symbols

#[test]
fn characters_are_unicode_scalars() {
    let answer = swath(&[
        "lcs",
        "--text",
        "naïve",
        "naive",
        "--symbols",
        "chars",
        "--json",
    ])
    .json();
    assert_eq!(
        (&answer["length"], &answer["a"]["length"]),
        (&4.into(), &5.into())
    );
}

#[test]
fn tokens_ignore_the_amount_of_white_space() {
    let args = [
        "lcs",
        "--text",
        "the  quick\n fox",
        "the fox\tquick",
        "--symbols",
        "tokens",
        "--format",
        "text",
    ];
    let text = swath(&args).ok();
    assert!(
        ["the quick\n", "the fox\n"].contains(&text.as_str()),
        "{text}"
    );
}

#[test]
fn a_last_line_needs_no_newline() {
    let files = Files::new(&[("a", b"x\ny\n"), ("b", b"x\ny")]);
    assert_eq!(
        files
            .swath(&["lcs", "a", "b", "--symbols", "lines", "--path"])
            .ok(),
        "x\ny\n"
    );
}

#[test]
fn ignore_case_compares_without_it_and_prints_with_it() {
    for (symbols, a, b) in [
        ("bytes", "aBc", "AbC"),
        ("chars", "äB", "Äb"),
        ("tokens", "straße Ab", "STRAẞE aB"),
        ("lines", "straße\nAb", "STRAẞE\naB"),
    ] {
        let args = ["lcs", "--text", a, b, "--symbols", symbols];
        let plain = swath(&[&args[..], &["--json"]].concat()).json();
        assert_eq!(plain["length"], 0, "{symbols}");
        let text = swath(&[&args[..], &["--ignore-case", "--format", "text"]].concat()).ok();
        assert_eq!(text.trim_end(), a, "{symbols}");
    }
}

#[test]
fn ignored_case_is_folded_one_character_for_one_in_every_kind_of_symbols() {
    for (a, b, is_same) in [
        ("GROẞ", "groß", true),
        ("groß", "GROSS", false),
        ("ᾈ", "ᾀ", true),
        ("ῼ", "ῳ", true),
        ("ΣΣ", "σς", true),
        ("\u{212a}", "k", true),
        ("ſ", "S", true),
        ("ı", "i", false),
        ("İ", "i", false),
        ("Ꭰ", "ꭰ", true),
        ("\u{1fd3}", "\u{390}", true),
    ] {
        for symbols in ["chars", "tokens", "lines"] {
            let args = ["edit", "--text", a, b, "--symbols", symbols];
            let answer = swath(&[&args[..], &["--ignore-case", "--json"]].concat()).json();
            assert_eq!(answer["distance"] == 0, is_same, "{a} {b} {symbols}");
        }
    }
}

// Inputs

const FASTQ: &[u8] = b"@q1\nACGTACG\n+\nIIIIIII\n@q2\nTTTT\n+q2\nIIII\n";

#[test]
fn the_same_sequence_is_read_from_every_kind_of_file() {
    let files = Files::new(&[
        ("plain", b"ACGTACG"),
        ("fa", FASTA),
        ("fa.gz", &gzip(FASTA)),
        ("fa.zst", &zstd(FASTA)),
        (
            "two.members",
            &[gzip(&FASTA[..15]), gzip(&FASTA[15..])].concat(),
        ),
        ("fq", FASTQ),
        ("fq.gz", &gzip(FASTQ)),
    ]);
    for name in [
        "plain",
        "fa",
        "fa.gz",
        "fa.zst",
        "two.members",
        "fq",
        "fq.gz",
    ] {
        let answer = files.swath(&["lcs", name, "plain", "--json"]).json();
        assert_eq!(
            (&answer["length"], &answer["similarity"]),
            (&7.into(), &1.0.into()),
            "{name}"
        );
    }
}

#[test]
fn a_record_is_chosen_by_name() {
    let files = Files::new(&[("fa", FASTA), ("fq", FASTQ)]);
    let answer = files
        .swath(&[
            "lcs",
            "fa",
            "fq",
            "--record-a",
            "r2",
            "--record-b",
            "q2",
            "--json",
        ])
        .json();
    assert_eq!(answer["length"], 4);
    assert_eq!(
        (&answer["a"]["name"], &answer["b"]["name"]),
        (&"r2".into(), &"q2".into())
    );
    let first = files
        .swath(&["lcs", "fa", "fq", "--record-a", "r1 first", "--json"])
        .json();
    assert_eq!(
        (&first["a"]["name"], &first["length"]),
        (&"r1".into(), &7.into())
    );
}

#[test]
fn record_case_matters_unless_ignored() {
    let files = Files::new(&[("a", b">x\nACgt\n"), ("b", b">x\nACGT\n")]);
    assert_eq!(
        files.swath(&["lcs", "a", "b", "--json"]).json()["length"],
        2
    );
    assert_eq!(
        files
            .swath(&["lcs", "a", "b", "--json", "--ignore-case"])
            .json()["length"],
        4
    );
}

#[test]
fn input_plain_takes_a_record_file_as_it_is() {
    let files = Files::new(&[("fa", FASTA)]);
    let answer = files
        .swath(&["lcs", "fa", "fa", "--input", "plain", "--json"])
        .json();
    assert_eq!(answer["length"], FASTA.len());
}

#[test]
fn an_at_sign_alone_makes_no_fastq() {
    let files = Files::new(&[("a", b"@mail\ntext\nmore\n"), ("b", b"@"), ("c", b"BZ")]);
    assert_eq!(
        files.swath(&["lcs", "a", "a", "--json"]).json()["length"],
        15
    );
    assert_eq!(
        files.swath(&["lcs", "b", "b", "--json"]).json()["length"],
        1
    );
    assert_eq!(
        files.swath(&["lcs", "c", "c", "--json"]).json()["length"],
        2
    );
}

#[test]
fn a_dash_is_stdin_compressed_or_not() {
    let files = Files::new(&[("plain", b"ACGTACG")]);
    for stdin in [
        b"ACGTACG".to_vec(),
        FASTA.to_vec(),
        gzip(FASTA),
        zstd(FASTQ),
    ] {
        let answer = files
            .swath_with_stdin(&["lcs", "-", "plain", "--json"], &stdin)
            .json();
        assert_eq!(answer["length"], 7);
    }
    let answer = files
        .swath_with_stdin(&["edit", "-", "--text", "ACGA", "--json"], b"ACGT\n")
        .json();
    assert_eq!(
        (&answer["distance"], &answer["a"]["length"]),
        (&1.into(), &4.into()),
        "a dash beside a text is stdin too"
    );
    assert_eq!(
        files
            .swath_with_stdin(&["fold", "--text", "-", "--json"], b"GGGAAACCC\n")
            .json()["cost"],
        3
    );
}

#[test]
fn the_genomes_of_the_readme_are_read_as_one_record_each() {
    let file = |name| {
        Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("../tests/data")
            .join(name)
            .display()
            .to_string()
    };
    let (a, b) = (file("hpylori_ELS37.fasta.gz"), file("hpylori_G27.fasta.gz"));
    let plan = swath(&["lcs", &a, &b, "--dry-run", "--json"]).json();
    assert_eq!(
        (&plan["a"]["length"], &plan["b"]["length"]),
        (&1_664_587.into(), &1_652_982.into())
    );
}

// Invalid input

#[test]
fn a_missing_file_is_named() {
    swath(&["lcs", "no-such-file", "x"]).fails(2, &["no-such-file", "no such file", "--text"]);
}

#[test]
fn a_directory_is_refused() {
    let files = Files::new(&[("a", b"A")]);
    files
        .swath(&["lcs", "a", "."])
        .fails(2, &[". is a directory"]);
    files
        .swath(&["lcs", "a", "a", "-o", "."])
        .fails(2, &["--output . is a directory"]);
    files
        .swath(&["lcs", "a", "a", "-o", "no/out"])
        .fails(2, &["no folder no"]);
}

#[test]
fn broken_compression_is_told_from_short_input() {
    let (gz, zst) = (gzip(FASTA), zstd(FASTA));
    let mut damaged = gz.clone();
    damaged[20] ^= 0xff;
    let files = Files::new(&[
        ("a", b">x\nA\n"),
        ("cut.gz", &gz[..gz.len() - 12]),
        ("cut.zst", &zst[..zst.len() - 4]),
        ("head.gz", &gz[..3]),
        ("damaged.gz", &damaged),
    ]);
    for (name, format) in [
        ("cut.gz", "gzip"),
        ("cut.zst", "zstd"),
        ("head.gz", "gzip"),
        ("damaged.gz", "gzip"),
    ] {
        for layout in ["auto", "fasta", "plain"] {
            files
                .swath(&["lcs", "a", name, "--input", layout])
                .fails(2, &[name, "broken", format]);
        }
    }
    for args in [["lcs", "a", "cut.zst"], ["scs", "cut.gz", "a"]] {
        files.swath(&args).fails(2, &["fetch or compress it again"]);
    }
}

#[test]
fn zstd_files_may_have_several_frames_and_skippable_ones() {
    let skippable = b"\x50\x2a\x4d\x18\x04\0\0\0skip";
    let parts = [
        skippable,
        &zstd(&FASTA[..15])[..],
        skippable,
        &zstd(&FASTA[15..]),
    ];
    let files = Files::new(&[("zst", &parts.concat()), ("a", b"ACGTACG")]);
    assert_eq!(
        files.swath(&["lcs", "zst", "a", "--json"]).json()["length"],
        7
    );
}

#[test]
fn unsupported_compression_names_a_command_for_it() {
    // A zstd frame with a window of 256 MiB.
    let wide = b"\x28\xb5\x2f\xfd\x00\x90\x09\x00\x00A";
    let files = Files::new(&[
        ("a", b"A"),
        ("bz2", b"BZh91AY&SY"),
        ("xz", b"\xfd7zXZ\0\0\x04"),
        ("lz4", b"\x04\x22\x4d\x18\x64\x40"),
        ("zip", b"PK\x03\x04\x14\0"),
        ("7z", b"7z\xbc\xaf\x27\x1c\0\x04"),
        ("Z", b"\x1f\x9d\x90"),
        ("lz", b"LZIP\x01\x0c"),
        ("lzo", b"\x89LZO\0\r\n\x1a\n"),
        ("rar", b"Rar!\x1a\x07\x01\0"),
        ("wide", wide),
    ]);
    for (name, command) in [
        ("bz2", "bzip2 -dc bz2"),
        ("xz", "xz -dc xz"),
        ("lz4", "lz4 -dc lz4"),
        ("zip", "unzip -p zip"),
        ("7z", "7z x -so 7z"),
        ("Z", "gzip -dc Z"),
        ("lz", "lzip -dc lz"),
        ("lzo", "lzop -dc lzo"),
        ("rar", "unrar p -inul rar"),
        ("wide", "zstd -dc --long=31 wide"),
    ] {
        for symbols in ["bytes", "lines"] {
            files
                .swath(&["lcs", "a", name, "--symbols", symbols])
                .fails(2, &[name, command]);
        }
        for args in [
            &["edit", name, "a"][..],
            &["scs", "a", name],
            &["substring", "a", name],
            &["chain", name],
            &["polygon", name],
            &["bst", "a", "--gap-weights", name],
            &["fold", name],
        ] {
            files.swath(args).fails(2, &[name, command]);
        }
    }
}

#[test]
fn a_fasta_without_a_record_is_refused() {
    let files = Files::new(&[
        ("empty", b""),
        ("text", b"ACGT\n"),
        ("header", b"@x\n"),
        ("a", b"A"),
    ]);
    for name in ["empty", "text"] {
        files
            .swath(&["lcs", name, "a", "--input", "fasta"])
            .fails(2, &[name, "no FASTA record", "--input plain"]);
        files
            .swath(&["lcs", name, "a", "--input", "fastq"])
            .fails(2, &[name, "no FASTQ record"]);
    }
    files
        .swath(&["lcs", "header", "a", "--input", "fastq"])
        .fails(2, &["header", "cut short", "line 2"]);
}

#[test]
fn a_fasta_record_without_symbols_is_an_empty_sequence_wherever_it_stands() {
    let only: [&[u8]; 6] = [b">", b">x", b">x\n", b">x\r\n", b">x\n\n", b">x\n>y\nAC\n"];
    for text in only {
        let files = Files::new(&[("fa", text), ("a", b"AC")]);
        let answer = files.swath(&["lcs", "fa", "a", "--json"]).json();
        assert_eq!(
            (&answer["length"], &answer["a"]["length"]),
            (&0.into(), &0.into()),
            "{text:?}"
        );
    }
    let last: [&[u8]; 3] = [b">y\nAC\n>x", b">y\nAC\n>x\n", b">y\nAC\n\n>x\n\n"];
    for text in last {
        let files = Files::new(&[("fa", text), ("fa.gz", &gzip(text)), ("a", b"AC")]);
        for name in ["fa", "fa.gz"] {
            let answer = files
                .swath(&["lcs", name, "a", "--record-a", "x", "--json"])
                .json();
            assert_eq!(
                (&answer["a"]["name"], &answer["a"]["length"]),
                (&"x".into(), &0.into()),
                "{text:?}"
            );
            assert_eq!(
                files.swath(&["lcs", name, "a", "--json"]).json()["length"],
                2,
                "{text:?}"
            );
        }
    }
}

#[test]
fn a_malformed_fastq_is_refused_with_its_place() {
    let files = Files::new(&[("fq", b"@q1\nACGT\n+\nIII\n"), ("a", b"A")]);
    files
        .swath(&["lcs", "fq", "a"])
        .fails(2, &["fq", "q1", "line"]);
}

#[test]
fn unknown_record_error_lists_existing_records() {
    let many: String = (0..20).map(|n| format!(">r{n}\nA\n")).collect();
    let files = Files::new(&[("fa", FASTA), ("many", many.as_bytes()), ("plain", b"A")]);
    files
        .swath(&["lcs", "fa", "fa", "--record-b", "r3"])
        .fails(2, &["'r3'", "r1, r2"]);
    files
        .swath(&["lcs", "many", "fa", "--record-a", "x"])
        .fails(2, &["r0, r1", "and 12 more"]);
    files
        .swath(&["lcs", "plain", "fa", "--record-a", "x"])
        .fails(2, &["--record-a", "plain is not FASTA"]);
    swath(&["lcs", "--text", "a", "b", "--record-b", "x"]).fails(2, &["--record-b", "literal"]);
}

#[test]
fn invalid_utf8_is_refused_with_its_byte() {
    let files = Files::new(&[("a", b"ab\xffc"), ("b", b"ab")]);
    files
        .swath(&["lcs", "b", "a", "--symbols", "chars"])
        .fails(2, &["a is not UTF-8 at byte 2", "--symbols bytes"]);
}

#[test]
fn stdin_can_be_used_once() {
    swath(&["lcs", "-", "-"]).fails(2, &["'-'", "twice"]);
}

#[cfg(target_os = "linux")]
#[test]
fn a_pipe_can_be_used_once_under_all_its_names() {
    let files = Files::new(&[("a", b"ACGT\n"), ("fa", FASTA)]);
    let names = ["-", "/dev/stdin", "/dev/fd/0", "/proc/self/fd/0"];
    for (place, first) in names.iter().enumerate() {
        for second in &names[..place] {
            for args in [
                &["lcs", first, second][..],
                &["edit", first, second],
                &["scs", first, "a", second],
                &["substring", first, second],
                &["compare", first, second],
                &["pairs", first, second, "--zip"],
                &["pairs", first, "--list", second],
                &["pairs", "a", first, "--list", second],
                &["neighbors", first, second, "-k", "1"],
                &["bst", first, "--gap-weights", second],
            ] {
                let name = |name| if name == "-" { "stdin" } else { name };
                files
                    .swath_with_stdin(args, b"0 1\n")
                    .fails(2, &["same pipe", name(first), name(second)]);
            }
        }
        files.swath_with_stdin(&["lcs", first, "a"], b"ACGT\n").ok();
    }
    let made = Command::new("mkfifo").arg(files.path("pipe")).status();
    assert!(made.expect("mkfifo runs").success());
    files
        .swath(&["lcs", "pipe", "./pipe"])
        .fails(2, &["pipe and ./pipe are the same pipe"]);
    // A file is opened anew for each name.
    let mut twice = command(&["edit", "-", "/dev/stdin"]);
    let stdin = File::open(files.path("a")).expect("it is there");
    let output = twice.stdin(stdin).output().expect("swath runs");
    assert!(
        output.stdout.starts_with(b"distance        0\n"),
        "{output:?}"
    );
}

#[test]
fn records_have_no_lines() {
    swath(&["lcs", "x", "y", "--symbols", "lines", "--input", "fasta"])
        .fails(2, &["no lines", "--input plain"]);
}

#[test]
fn an_unknown_device_exits_with_three() {
    swath(&["lcs", "--text", "a", "b", "--device", "no such adapter"])
        .fails(3, &["no such adapter", "cpu"]);
    swath(&["selftest", "--device", "no such adapter"]).fails(3, &["no such adapter"]);
}

#[test]
fn a_method_that_the_device_lacks_exits_with_two() {
    swath(&["lcs", "--text", "a", "b", "--method", "conditional-sum"])
        .fails(2, &["conditional-sum"]);
}

#[test]
fn wrong_usage_exits_with_two() {
    for args in [
        &["lcs"][..],
        &["lcs", "a"],
        &["lcs", "a", "b", "--method", "magic"],
        &["lcs", "a", "b", "--mem-gpu", "lots"],
        &["lcs", "a", "b", "--threads", "0"],
        &["lcs", "a", "b", "--threads", "1000000"],
        &["lcs", "a", "b", "--format", "xml"],
        &["scs"],
        &["scs", "a", "b", "--format", "diff"],
        &["nope"],
        &[],
    ] {
        let run = swath(args);
        assert_eq!(run.code, Some(2), "{args:?}");
        assert!(!run.stderr.is_empty() && run.stdout.is_empty(), "{args:?}");
    }
    for (args, option, range) in [
        ("edit a b", "-k", "from 0 on"),
        ("edit a b", "--threads", "from 1 to 1024"),
        ("pairs a", "--max-distance", "from 0 on"),
        ("pairs a", "--top", "from 1 on"),
        ("neighbors a", "-k", "from 0 on"),
        ("substring a b", "--min-length", "from 0 on"),
        ("substring a b", "--in-at-least", "from 0 on"),
        ("substring a b", "--seed", "from 0 on"),
        ("fold a", "--least-loop", "from 0 on"),
        ("scs a b", "--slice-ms", "from 1 on"),
        ("bench", "--shrink", "from 1 on"),
    ] {
        for wrong in ["x", "", "2.5", "1e3", "18446744073709551616"] {
            let args = [&args.split(' ').collect::<Vec<_>>()[..], &[option, wrong]].concat();
            let run = swath(&args);
            assert_eq!(run.code, Some(2), "{args:?}");
            let told = format!("give a whole number {range}");
            assert!(run.stderr.contains(&told), "{args:?}: {}", run.stderr);
        }
    }
    swath(&["lcs", "--text", "a", "b", "--json", "--format", "diff"]).fails(2, &["--output FILE"]);
}

#[test]
fn short_device_memory_exits_with_four_and_names_the_minimum() {
    let devices = swath(&["devices", "--json"]).json();
    let gpu = devices["devices"]
        .as_array()
        .expect("a list")
        .iter()
        .find(|device| device["selector"] != "cpu");
    let Some(selector) = gpu.and_then(|device| device["selector"].as_str()) else {
        let required = std::env::var("SWATH_REQUIRE_GPU_TESTS").is_ok_and(|value| value == "1");
        assert!(!required, "SWATH_REQUIRE_GPU_TESTS=1 and no GPU adapter");
        return;
    };
    let (a, b) = (numbers(1..=3000), numbers((1..=3000).rev()));
    let files = Files::new(&[("a", a.as_bytes()), ("b", b.as_bytes())]);
    let with = |memory: &str, path: &[&str]| {
        let args = [
            "lcs",
            "a",
            "b",
            "--device",
            selector,
            "--method",
            "bit-parallel",
            "--mem-gpu",
            memory,
        ];
        files.swath(&[&args[..], path].concat())
    };
    for path in [&[][..], &["-o", "out"], &["--dry-run"]] {
        with("1K", path).fails(4, &["1024 bytes are allowed", "smallest plan"]);
    }
    assert_eq!(files.names(), ["a", "b"]);
    assert!(with("64M", &[]).ok().contains("length"));
}
