//! Input on the CPU: symbols, all kinds of files, and invalid input with its exit codes.

use std::fs::File;
use std::process::Command;

use crate::process::{Dir, FASTA, each, gpu, gzip, list, numbers, swath, table, zstd};

/// Folder of the genomes.
pub const DATA: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/data");

const FASTQ: &[u8] = b"@q1\nACGTACG\n+\nIIIIIII\n@q2\nTTTT\n+q2\nIIII\n";

fn dir() -> Dir {
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
    Dir::new(&[
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
    let dir = dir();
    dir.have(
        "lcs --json",
        "
        --text naïve naive --symbols chars => length=4 | /a/length=5
        fa fq --record-a r2 --record-b q2  => length=4 | /a/name=r2 | /b/name=q2
        fa fq --record-a 'r1 first'        => length=7 | /a/name=r1
        // Case matters unless ignored.
        x y                                => length=2
        x y --ignore-case                  => length=4
        fa fa --input plain                => length=32
    ",
    );
    each(
        "plain fa fa.gz fa.zst two.members frames padded fq fq.gz".split(' '),
        |name| {
            dir.swath(format!("lcs {name} plain --json"))
                .has("length=7 | similarity=1.0")
        },
    );
    dir.swath("lcs more plain --input plain")
        .fails(2, "broken gzip");
    // A last line needs no newline.
    dir.print(
        "lcs --path",
        r"
        one open --symbols lines => x\ny\n
    ",
    );
    let text = dir
        .swath("lcs words swapped --symbols tokens --format text")
        .ok();
    assert!(["the quick\n", "the fox\n"].contains(&&text[..]), "{text}");
    // Genomes have one record each.
    let genomes = format!("'{DATA}/hpylori_ELS37.fasta.gz' '{DATA}/hpylori_G27.fasta.gz'");
    swath(format!("lcs {genomes} --dry-run --json")).has("/a/length=1664587 | /b/length=1652982");
    // A dash is stdin, compressed or not, also beside a text.
    for (line, stdin, values) in [
        ("lcs - plain", &b"ACGTACG"[..], "length=7"),
        ("lcs - plain", FASTA, "length=7"),
        ("lcs - plain", &gzip(FASTA), "length=7"),
        ("lcs - plain", &zstd(FASTQ), "length=7"),
        ("edit - --text ACGA", b"ACGT\n", "distance=1 | /a/length=4"),
        ("fold --text -", b"GGGAAACCC\n", "cost=3"),
    ] {
        dir.swath_with_stdin(format!("{line} --json"), stdin)
            .has(values);
    }
}

#[test]
fn case_is_folded_one_character_for_one() {
    let rows = r"
        bytes  => aBc        => AbC
        chars  => äB         => Äb
        tokens => straße Ab  => STRAẞE aB
        lines  => straße\nAb => STRAẞE\naB
    ";
    each(table(rows), |[symbols, a, b]| {
        let call = format!("lcs --text '{a}' '{b}' --symbols {symbols}");
        swath(format!("{call} --json")).has("length=0");
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
fn a_fasta_record_may_be_empty_wherever_it_stands() {
    let only = r"
        >
        >x
        >x\n
        >x\r\n
        >x\n\n
        >x\n>y\nAC\n
    ";
    each(list(only), |text| {
        let dir = Dir::texts(&[("fa", text), ("a", "AC")]);
        dir.swath("lcs fa a --json").has("length=0 | /a/length=0");
    });
    each([">y\nAC\n>x", ">y\nAC\n>x\n", ">y\nAC\n\n>x\n\n"], |text| {
        let dir = Dir::texts(&[("fa", text), ("a", "AC")]);
        dir.write("fa.gz", gzip(text.as_bytes()));
        for name in ["fa", "fa.gz"] {
            dir.swath(format!("lcs {name} a --record-a x --json"))
                .has("/a/name=x | /a/length=0");
            dir.swath(format!("lcs {name} a --json")).has("length=2");
        }
    });
}

// Invalid input

#[test]
fn unusable_files_and_records_are_named() {
    let dir = dir();
    let many: String = (0..20).map(|n| format!(">r{n}\nA\n")).collect();
    dir.write("many", many);
    dir.fail(
        2,
        "lcs",
        "
        no-such-file x                      => no-such-file | no such file | --text
        plain .                             => . is a directory
        plain plain -o .                    => --output . is a directory
        plain plain -o no/out               => no folder no
        fa fa --record-b r3                 => 'r3' | r1, r2
        many fa --record-a x                => r0, r1 | and 12 more
        plain fa --record-a x               => --record-a | plain is not FASTA
        --text a b --record-b x             => --record-b | literal
        one latin --symbols chars           => latin is not UTF-8 at byte 2 | --symbols bytes
        - -                                 => '-' | twice
        x y --symbols lines --input fasta   => no lines | --input plain
        --text a b --method conditional-sum => conditional-sum
        --text a b --json --format diff     => --output FILE
    ",
    );
    dir.fail(
        3,
        "",
        "
        lcs --text a b --device 'no such adapter' => no such adapter | cpu
        selftest --device 'no such adapter'       => no such adapter
    ",
    );
}

#[test]
fn broken_compression_is_told_from_short_input() {
    let (gz, zst) = (gzip(FASTA), zstd(FASTA));
    let mut damaged = gz.clone();
    damaged[20] ^= 0xff;
    let dir = Dir::new(&[
        ("a", b">x\nA\n"),
        ("cut.gz", &gz[..gz.len() - 12]),
        ("cut.zst", &zst[..zst.len() - 4]),
        ("head.gz", &gz[..3]),
        ("damaged.gz", &damaged),
    ]);
    let rows = "
        cut.gz     => gzip
        cut.zst    => zstd
        head.gz    => gzip
        damaged.gz => gzip
    ";
    each(table(rows), |[name, format]| {
        for layout in ["auto", "fasta", "plain"] {
            let run = dir.swath(format!("lcs a {name} --input {layout}"));
            run.fails(2, format!("{name} | broken | {format}"));
        }
    });
    dir.fail(
        2,
        "",
        "
        lcs a cut.zst => fetch or compress it again
        scs cut.gz a  => fetch or compress it again
    ",
    );
}

#[test]
fn unsupported_compression_names_a_command_for_it() {
    let rows: [(&[u8], &str, &str); 3] = [
        (b"\xfd7zXZ\0\0\x04", "xz", "xz -dc xz"),
        (b"PK\x03\x04\x14\0", "zip", "unzip -p zip"),
        // A zstd frame with a window of 256 MiB.
        (
            b"\x28\xb5\x2f\xfd\x00\x90\x09\x00\x00A",
            "wide",
            "zstd -dc --long=31 wide",
        ),
    ];
    each(rows, |(bytes, name, command)| {
        let dir = Dir::new(&[("a", b"A"), (name, bytes)]);
        for call in list(
            "
            lcs a INPUT --symbols bytes
            lcs a INPUT --symbols lines
            edit INPUT a
            scs a INPUT
            substring a INPUT
            chain INPUT
            polygon INPUT
            bst a --gap-weights INPUT
            fold INPUT
        ",
        ) {
            dir.swath(call.replace("INPUT", name))
                .fails(2, format!("{name} | {command}"));
        }
    });
}

#[cfg(target_os = "linux")]
#[test]
fn a_pipe_can_be_used_once_under_all_its_names() {
    let dir = Dir::new(&[("a", b"ACGT\n"), ("fa", FASTA)]);
    let names = ["-", "/dev/stdin", "/dev/fd/0", "/proc/self/fd/0"];
    let name = |name| if name == "-" { "stdin" } else { name };
    for (place, first) in names.into_iter().enumerate() {
        for second in &names[..place] {
            let calls = "
                lcs ONE TWO
                edit ONE TWO
                scs ONE a TWO
                substring ONE TWO
                compare ONE TWO
                pairs ONE TWO --zip
                pairs ONE --list TWO
                pairs a ONE --list TWO
                neighbors ONE TWO -k 1
                bst ONE --gap-weights TWO
    ";
            each(list(calls), |call| {
                let call = call.replace("ONE", first).replace("TWO", second);
                let parts = format!("same pipe | {} | {}", name(first), name(second));
                dir.swath_with_stdin(call, b"0 1\n").fails(2, parts);
            });
        }
        dir.swath_with_stdin(format!("lcs {first} a"), b"ACGT\n")
            .ok();
    }
    let made = Command::new("mkfifo").arg(dir.path("pipe")).status();
    assert!(made.expect("mkfifo runs").success());
    dir.swath("lcs pipe ./pipe")
        .fails(2, "pipe and ./pipe are the same pipe");
    // A file is opened anew for each name.
    let stdin = File::open(dir.path("a")).expect("it is there");
    let output = dir
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
    let rows = "
        edit a b -k                 => from 0 on
        edit a b --threads          => from 1 to 1024
        pairs a --max-distance      => from 0 on
        pairs a --top               => from 1 on
        neighbors a -k              => from 0 on
        substring a b --min-length  => from 0 on
        substring a b --in-at-least => from 0 on
        substring a b --seed        => from 0 on
        fold a --least-loop         => from 0 on
        scs a b --slice-ms          => from 1 on
        bench --shrink              => from 1 on
    ";
    each(table(rows), |[line, range]| {
        for wrong in list(
            "
            x
            ''
            2.5
            1e3
            18446744073709551616
        ",
        ) {
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
fn short_device_memory_names_the_minimum() {
    let Some(gpu) = gpu() else { return };
    let dir = Dir::texts(&[("a", &numbers(1..=3000)), ("b", &numbers((1..=3000).rev()))]);
    let call = format!("lcs a b --device {gpu} --method bit-parallel --mem-gpu");
    each(["", "-o out", "--dry-run"], |options| {
        let run = dir.swath(format!("{call} 1K {options}"));
        run.fails(4, "1024 bytes are allowed | smallest plan");
    });
    assert_eq!(dir.names(), ["a", "b"]);
    dir.swath(format!("{call} 64M")).shows("length");
}
