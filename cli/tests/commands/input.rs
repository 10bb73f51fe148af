//! Input on the CPU: symbols, all kinds of files, and invalid input with its exit codes.

use std::fs::File;
use std::process::Command;

use serde_json::json;

use crate::process::{FASTA, Files, each, gpu, gzip, numbers, swath, zstd};

/// Folder of the genomes.
pub const DATA: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/data");

const FASTQ: &[u8] = b"@q1\nACGTACG\n+\nIIIIIII\n@q2\nTTTT\n+q2\nIIII\n";

fn files() -> Files {
    let skippable = b"\x50\x2a\x4d\x18\x04\0\0\0skip";
    let frames = [
        skippable,
        &zstd(&FASTA[..15])[..],
        skippable,
        &zstd(&FASTA[15..]),
    ]
    .concat();
    let gz = gzip(FASTA);
    let padded = [&gz[..], &[0; 100_000]].concat();
    Files::new(&[
        ("plain", b"ACGTACG"),
        ("fa", FASTA),
        ("fa.gz", &gz),
        ("fa.zst", &zstd(FASTA)),
        (
            "two.members",
            &[gzip(&FASTA[..15]), gzip(&FASTA[15..])].concat(),
        ),
        ("frames", &frames),
        ("padded", &padded),
        ("more", &[&padded[..], &gz].concat()),
        ("fq", FASTQ),
        ("fq.gz", &gzip(FASTQ)),
        ("x", b">x\nACgt\n"),
        ("y", b">x\nACGT\n"),
        ("one", b"x\ny\n"),
        ("open", b"x\ny"),
        ("words", b"the  quick\n fox"),
        ("swapped", b"the fox\tquick"),
        ("empty", b">x\n>y\nAC\n"),
        ("latin", b"ab\xffc"),
    ])
}

#[test]
fn symbols_and_files_of_every_kind_are_read() {
    let rows = [
        (
            "lcs --text naïve naive --symbols chars",
            json!({"length": 4, "/a/length": 5}),
        ),
        (
            "lcs fa fq --record-a r2 --record-b q2",
            json!({"length": 4, "/a/name": "r2", "/b/name": "q2"}),
        ),
        (
            "lcs fa fq --record-a 'r1 first'",
            json!({"length": 7, "/a/name": "r1"}),
        ),
        // Case matters unless ignored.
        ("lcs x y", json!({"length": 2})),
        ("lcs x y --ignore-case", json!({"length": 4})),
        ("lcs fa fa --input plain", json!({"length": FASTA.len()})),
    ];
    let files = files();
    each(rows, |(call, values)| {
        drop(files.swath(format!("{call} --json")).has(values))
    });
    each(
        "plain fa fa.gz fa.zst two.members frames padded fq fq.gz".split(' '),
        |name| {
            let answer = files.swath(format!("lcs {name} plain --json"));
            answer.has(json!({"length": 7, "similarity": 1.0}));
        },
    );
    files
        .swath("lcs more plain --input plain")
        .fails(2, "broken gzip");
    // A last line needs no newline.
    assert_eq!(
        files.swath("lcs one open --symbols lines --path").ok(),
        "x\ny\n"
    );
    let text = files
        .swath("lcs words swapped --symbols tokens --format text")
        .ok();
    assert!(["the quick\n", "the fox\n"].contains(&&text[..]), "{text}");
    // Genomes have one record each.
    let genomes = format!("'{DATA}/hpylori_ELS37.fasta.gz' '{DATA}/hpylori_G27.fasta.gz'");
    swath(format!("lcs {genomes} --dry-run --json"))
        .has(json!({"/a/length": 1_664_587, "/b/length": 1_652_982}));
    // A dash is stdin, compressed or not, also beside a text.
    for stdin in [b"ACGTACG", FASTA, &gzip(FASTA), &zstd(FASTQ)] {
        files
            .swath_with_stdin("lcs - plain --json", stdin)
            .has(json!({"length": 7}));
    }
    files
        .swath_with_stdin("edit - --text ACGA --json", b"ACGT\n")
        .has(json!({"distance": 1, "/a/length": 4}));
    files
        .swath_with_stdin("fold --text - --json", b"GGGAAACCC\n")
        .has(json!({"cost": 3}));
}

#[test]
fn case_is_folded_one_character_for_one_in_every_kind_of_symbols() {
    let rows = [
        ("bytes", "aBc", "AbC"),
        ("chars", "äB", "Äb"),
        ("tokens", "straße Ab", "STRAẞE aB"),
        ("lines", "straße\nAb", "STRAẞE\naB"),
    ];
    each(rows, |(symbols, a, b)| {
        let call = format!("lcs --text '{a}' '{b}' --symbols {symbols}");
        swath(format!("{call} --json")).has(json!({"length": 0}));
        let text = swath(format!("{call} --ignore-case --format text")).ok();
        assert_eq!(text.trim_end(), a);
    });
    let rows = [
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
    ];
    each(rows, |(a, b, is_same)| {
        for symbols in ["chars", "tokens", "lines"] {
            let call = format!("edit --text {a} {b} --symbols {symbols} --ignore-case --json");
            assert_eq!(swath(call).json()["distance"] == 0, is_same, "{symbols}");
        }
    });
}

#[test]
fn a_fasta_record_without_symbols_is_an_empty_sequence_wherever_it_stands() {
    let only = [">", ">x", ">x\n", ">x\r\n", ">x\n\n", ">x\n>y\nAC\n"];
    each(only, |text| {
        let files = Files::texts(&[("fa", text), ("a", "AC")]);
        files
            .swath("lcs fa a --json")
            .has(json!({"length": 0, "/a/length": 0}));
    });
    each([">y\nAC\n>x", ">y\nAC\n>x\n", ">y\nAC\n\n>x\n\n"], |text| {
        let files = Files::texts(&[("fa", text), ("a", "AC")]);
        files.write("fa.gz", gzip(text.as_bytes()));
        for name in ["fa", "fa.gz"] {
            files
                .swath(format!("lcs {name} a --record-a x --json"))
                .has(json!({"/a/name": "x", "/a/length": 0}));
            files
                .swath(format!("lcs {name} a --json"))
                .has(json!({"length": 2}));
        }
    });
}

// Invalid input

#[test]
fn unusable_files_and_records_are_named() {
    let files = files();
    let many: String = (0..20).map(|n| format!(">r{n}\nA\n")).collect();
    files.write("many", many);
    files.fail(
        2,
        "lcs",
        &[
            ("no-such-file x", "no-such-file | no such file | --text"),
            ("plain .", ". is a directory"),
            ("plain plain -o .", "--output . is a directory"),
            ("plain plain -o no/out", "no folder no"),
            ("fa fa --record-b r3", "'r3' | r1, r2"),
            ("many fa --record-a x", "r0, r1 | and 12 more"),
            ("plain fa --record-a x", "--record-a | plain is not FASTA"),
            ("--text a b --record-b x", "--record-b | literal"),
            (
                "one latin --symbols chars",
                "latin is not UTF-8 at byte 2 | --symbols bytes",
            ),
            ("- -", "'-' | twice"),
            (
                "x y --symbols lines --input fasta",
                "no lines | --input plain",
            ),
            ("--text a b --method conditional-sum", "conditional-sum"),
            ("--text a b --json --format diff", "--output FILE"),
        ],
    );
    files.fail(
        3,
        "",
        &[
            (
                "lcs --text a b --device 'no such adapter'",
                "no such adapter | cpu",
            ),
            ("selftest --device 'no such adapter'", "no such adapter"),
        ],
    );
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
    let rows = [
        ("cut.gz", "gzip"),
        ("cut.zst", "zstd"),
        ("head.gz", "gzip"),
        ("damaged.gz", "gzip"),
    ];
    each(rows, |(name, format)| {
        for layout in ["auto", "fasta", "plain"] {
            let run = files.swath(format!("lcs a {name} --input {layout}"));
            run.fails(2, format!("{name} | broken | {format}"));
        }
    });
    files.fail(
        2,
        "",
        &[
            ("lcs a cut.zst", "fetch or compress it again"),
            ("scs cut.gz a", "fetch or compress it again"),
        ],
    );
}

#[test]
fn unsupported_compression_names_a_command_for_it() {
    let rows: [(&[u8], &str, &str); 10] = [
        (b"BZh91AY&SY", "bz2", "bzip2 -dc bz2"),
        (b"\xfd7zXZ\0\0\x04", "xz", "xz -dc xz"),
        (b"\x04\x22\x4d\x18\x64\x40", "lz4", "lz4 -dc lz4"),
        (b"PK\x03\x04\x14\0", "zip", "unzip -p zip"),
        (b"7z\xbc\xaf\x27\x1c\0\x04", "7z", "7z x -so 7z"),
        (b"\x1f\x9d\x90", "Z", "gzip -dc Z"),
        (b"LZIP\x01\x0c", "lz", "lzip -dc lz"),
        (b"\x89LZO\0\r\n\x1a\n", "lzo", "lzop -dc lzo"),
        (b"Rar!\x1a\x07\x01\0", "rar", "unrar p -inul rar"),
        // A zstd frame with a window of 256 MiB.
        (
            b"\x28\xb5\x2f\xfd\x00\x90\x09\x00\x00A",
            "wide",
            "zstd -dc --long=31 wide",
        ),
    ];
    each(rows, |(bytes, name, command)| {
        let files = Files::new(&[("a", b"A"), (name, bytes)]);
        for call in [
            "lcs a INPUT --symbols bytes",
            "lcs a INPUT --symbols lines",
            "edit INPUT a",
            "scs a INPUT",
            "substring a INPUT",
            "chain INPUT",
            "polygon INPUT",
            "bst a --gap-weights INPUT",
            "fold INPUT",
        ] {
            files
                .swath(call.replace("INPUT", name))
                .fails(2, format!("{name} | {command}"));
        }
    });
}

#[cfg(target_os = "linux")]
#[test]
fn a_pipe_can_be_used_once_under_all_its_names() {
    let files = Files::new(&[("a", b"ACGT\n"), ("fa", FASTA)]);
    let names = ["-", "/dev/stdin", "/dev/fd/0", "/proc/self/fd/0"];
    let name = |name| if name == "-" { "stdin" } else { name };
    for (place, first) in names.into_iter().enumerate() {
        for second in &names[..place] {
            let calls = [
                "lcs ONE TWO",
                "edit ONE TWO",
                "scs ONE a TWO",
                "substring ONE TWO",
                "compare ONE TWO",
                "pairs ONE TWO --zip",
                "pairs ONE --list TWO",
                "pairs a ONE --list TWO",
                "neighbors ONE TWO -k 1",
                "bst ONE --gap-weights TWO",
            ];
            each(calls, |call| {
                let call = call.replace("ONE", first).replace("TWO", second);
                let parts = format!("same pipe | {} | {}", name(first), name(second));
                files.swath_with_stdin(call, b"0 1\n").fails(2, parts);
            });
        }
        files
            .swath_with_stdin(format!("lcs {first} a"), b"ACGT\n")
            .ok();
    }
    let made = Command::new("mkfifo").arg(files.path("pipe")).status();
    assert!(made.expect("mkfifo runs").success());
    files
        .swath("lcs pipe ./pipe")
        .fails(2, "pipe and ./pipe are the same pipe");
    // A file is opened anew for each name.
    let stdin = File::open(files.path("a")).expect("it is there");
    let output = files
        .command("edit - /dev/stdin")
        .stdin(stdin)
        .output()
        .expect("swath runs");
    assert!(
        output.stdout.starts_with(b"distance        0\n"),
        "{output:?}"
    );
}

#[test]
fn wrong_usage_exits_with_two() {
    let rows = [
        "lcs",
        "lcs a",
        "lcs a b --method magic",
        "lcs a b --mem-gpu lots",
        "lcs a b --threads 0",
        "lcs a b --threads 1000000",
        "lcs a b --format xml",
        "scs",
        "scs a b --format diff",
        "nope",
        "",
    ];
    each(rows, |line| {
        let run = swath(line);
        assert_eq!(run.code, Some(2));
        assert!(!run.stderr.is_empty() && run.stdout.is_empty());
    });
    let rows = [
        ("edit a b -k", "from 0 on"),
        ("edit a b --threads", "from 1 to 1024"),
        ("pairs a --max-distance", "from 0 on"),
        ("pairs a --top", "from 1 on"),
        ("neighbors a -k", "from 0 on"),
        ("substring a b --min-length", "from 0 on"),
        ("substring a b --in-at-least", "from 0 on"),
        ("substring a b --seed", "from 0 on"),
        ("fold a --least-loop", "from 0 on"),
        ("scs a b --slice-ms", "from 1 on"),
        ("bench --shrink", "from 1 on"),
    ];
    each(rows, |(line, range)| {
        for wrong in ["x", "''", "2.5", "1e3", "18446744073709551616"] {
            let run = swath(format!("{line} {wrong}"));
            assert_eq!(
                run.notes(format!("give a whole number {range}")).code,
                Some(2),
                "{wrong}"
            );
        }
    });
}

#[test]
fn short_device_memory_exits_with_four_and_names_the_minimum() {
    let Some(gpu) = gpu() else { return };
    let files = Files::texts(&[("a", &numbers(1..=3000)), ("b", &numbers((1..=3000).rev()))]);
    let call = format!("lcs a b --device {gpu} --method bit-parallel --mem-gpu");
    each(["", "-o out", "--dry-run"], |options| {
        let run = files.swath(format!("{call} 1K {options}"));
        run.fails(4, "1024 bytes are allowed | smallest plan");
    });
    assert_eq!(files.names(), ["a", "b"]);
    files.swath(format!("{call} 64M")).shows("length");
}
