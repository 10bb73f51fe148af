//! `swath pairs` on the CPU: formats, selections, filters, parts and invalid input.

use crate::process::{Dir, contains, each, gzip, zstd};

const QUERIES: &str = ">q1 first\nkit\nten\n>q2\n\n>q3\nmitten\n";
const TARGETS: &str = ">t1\nsitting\n>t2\nkitten\n>t3\n\n";

pub fn dir() -> Dir {
    Dir::texts(&[
        ("q.fa", QUERIES),
        ("t.fa", TARGETS),
        ("a.txt", "tea\n\nteam\r\n"),
        ("b.txt", "team\nx\nsteam"),
        ("named.tsv", "q3\tt1\n\nq1 t3 further columns\nq3\tt2\n"),
        ("placed.tsv", "2 0\n0 2\n2 1\n"),
    ])
}

#[test]
fn every_format_has_the_values_of_all_pairs() {
    dir().rows("pairs", "
        q.fa t.fa                                            => q1 t1 3 ; q1 t2 0 ; q1 t3 6 ; q2 t1 7 ; q2 t2 6 ; q2 t3 0 ; q3 t1 3 ; q3 t2 1 ; q3 t3 6 ;
        q.fa t.fa --counts --path --format ndjson --zip -k 1 =>
    ");
    dir().print("pairs", r#"
        q.fa --format ndjson                                 => {"a":"q1","b":"q2","value":6}\n{"a":"q1","b":"q3","value":1}\n{"a":"q2","b":"q3","value":6}\n
        a.txt b.txt --format ndjson --normalized -k 1        => {"a":0,"b":0,"value":0.75}\n{"a":1,"b":1,"value":0.0}\n{"a":2,"b":0,"value":1.0}\n{"a":2,"b":2,"value":0.8}\n
        t.fa q.fa --counts --path --format ndjson --zip -k 3 => {"a":"t1","b":"q1","value":3,"substitutions":2,"deletions":0,"insertions":1,"matches":4,"cigar":"1X3=1X1=1I"}\n
        q.fa t.fa -k 1 --format mtx                          => %%MatrixMarket matrix coordinate integer general\n3 3 3\n1 2 0\n2 3 0\n3 2 1\n
        q.fa --format mtx --normalized                       => %%MatrixMarket matrix coordinate real symmetric\n3 3 3\n2 1 0\n3 1 0.8333333333333334\n3 2 0\n
        q.fa --format phylip                                 => 3\nq1         0 6 1\nq2         6 0 6\nq3         1 6 0\n
        q.fa --format phylip -k 2 --positions                => 3\n0          0 3 1\n1          3 0 3\n2          1 3 0\n
    "#);
}

/// Description and data of a NumPy file.
pub fn npy(bytes: &[u8]) -> (String, Vec<u8>) {
    assert_eq!(&bytes[..8], b"\x93NUMPY\x01\x00");
    let len = usize::from(u16::from_le_bytes([bytes[8], bytes[9]]));
    assert_eq!((10 + len) % 64, 0);
    let header = std::str::from_utf8(&bytes[10..10 + len]).expect("ASCII");
    assert!(header.ends_with('\n'));
    (header.trim_end().to_string(), bytes[10 + len..].to_vec())
}

pub fn description(kind: &str, shape: &str) -> String {
    format!("{{'descr': '{kind}', 'fortran_order': False, 'shape': {shape}, }}")
}

#[test]
fn arrays_have_the_smallest_type() {
    let dir = dir();
    dir.write("long.txt", "a".repeat(300));
    dir.write("longer.txt", "a".repeat(70_000));
    dir.write("empty.txt", "");
    let short = [299u16, 300, 299].map(u16::to_le_bytes).concat();
    let real = [0.75f32, 0.0, 0.8].map(f32::to_le_bytes).concat();
    let rows = [
        (
            "q.fa t.fa",
            "|u1",
            "(3, 3)",
            &[3, 0, 6, 7, 6, 0, 3, 1, 6][..],
        ),
        (
            "q.fa t.fa -k 2",
            "|u1",
            "(3, 3)",
            &[3, 0, 3, 3, 3, 0, 3, 1, 3],
        ),
        ("q.fa", "|u1", "(3, 3)", &[0, 6, 1, 6, 0, 6, 1, 6, 0]),
        ("q.fa t.fa --list named.tsv", "|u1", "(3,)", &[3, 6, 1]),
        ("empty.txt q.fa", "|u1", "(0, 3)", &[]),
        ("long.txt a.txt", "<u2", "(1, 3)", &short),
        (
            "longer.txt long.txt",
            "<u4",
            "(1, 1)",
            &69_700u32.to_le_bytes(),
        ),
        ("a.txt b.txt --zip --normalized -k 1", "<f4", "(3,)", &real),
    ];
    each(rows, |(args, kind, shape, values)| {
        let run = dir.swath(format!("pairs --format npy {args}"));
        assert_eq!(run.code, Some(0), "{}", run.stderr);
        assert_eq!(
            npy(&run.stdout),
            (description(kind, shape), values.to_vec())
        );
    });
}

#[test]
fn selections_and_filters_keep_their_pairs() {
    let dir = dir();
    dir.write(
        "names.txt",
        "ACME Corp of Ohio\nOhio ACME Corp\nthe Ohio Corp\n",
    );
    dir.write("triple.tsv", "0 1\n0 2\n1 2\n");
    dir.rows("pairs", "
        q.fa                                                      => q1 q2 6 ; q1 q3 1 ; q2 q3 6 ;
        q.fa --positions                                          => 0 1 6 ; 0 2 1 ; 1 2 6 ;
        q.fa --show positions -k 1                                => 0 2 1 ;
        a.txt --show strings                                      => tea  3 ; tea team 1 ;  team 4 ;
        q.fa t.fa --zip                                           => q1 t1 3 ; q2 t2 6 ; q3 t3 6 ;
        a.txt b.txt --zip --symbols lines                         => 0 0 1 ; 1 1 1 ; 2 2 1 ;
        q.fa t.fa --list named.tsv                                => q3 t1 3 ; q1 t3 6 ; q3 t2 1 ;
        q.fa t.fa --list placed.tsv --positions                   => 2 0 3 ; 0 2 6 ; 2 1 1 ;
        a.txt --list placed.tsv                                   => 2 0 1 ; 0 2 1 ; 2 1 4 ;
        // Headers are lines too.
        t.fa --symbols lines -k 1                                 => 0 2 1 ; 0 4 1 ; 2 4 1 ;
        q.fa t.fa --top 1                                         => q1 t2 0 ; q2 t3 0 ; q3 t2 1 ;
        // Of equal ones the first; a string is no target of itself.
        q.fa --top 1                                              => q1 q3 1 ; q2 q1 6 ; q3 q1 1 ;
        q.fa t.fa --top 9 -k 3                                    => q1 t2 0 ; q1 t1 3 ; q2 t3 0 ; q3 t2 1 ; q3 t1 3 ;
        q.fa t.fa --top 1 --list named.tsv                        => q1 t3 6 ; q3 t2 1 ;
        q.fa t.fa --at-least 0.8                                  => q1 t2 0 ; q2 t3 0 ; q3 t2 1 ;
        q.fa t.fa --measure lcs --top 1 --at-least 0.5            => q1 t2 6 ; q2 t3 0 ; q3 t2 5 ;
        q.fa t.fa --measure hamming -k 3                          => q1 t1 3 ; q1 t2 0 ; q2 t3 0 ; q3 t1 3 ; q3 t2 1 ;
        a.txt b.txt --measure osa --zip                           => 0 0 1 ; 1 1 1 ; 2 2 1 ;
        q.fa t.fa --measure jaro --at-least 0.7                   => q1 t1 0.746031746031746 ; q1 t2 1 ; q2 t3 1 ; q3 t1 0.746031746031746 ; q3 t2 0.888888888888889 ;
        q.fa t.fa --measure jaro-winkler --top 1                  => q1 t2 1 ; q2 t3 1 ; q3 t2 0.888888888888889 ;
        names.txt --symbols chars --measure ratio --at-least 50   => 0 1 58.06451612903225 ; 1 2 66.66666666666667 ;
        names.txt --measure partial-ratio --at-least 60           => 0 1 78.26086956521739 ; 1 2 61.53846153846154 ;
        names.txt --measure token-sort --top 1                    => 0 1 90.32258064516128 ; 1 0 90.32258064516128 ; 2 0 66.66666666666667 ;
        names.txt names.txt --measure token-set --list triple.tsv => 0 1 100 ; 0 2 81.81818181818181 ; 1 2 81.81818181818181 ;
        q.fa t.fa --measure indel --normalized --at-least 0.7     => q1 t2 1 ; q2 t3 1 ; q3 t2 0.8333333333333334 ;
        q.fa t.fa --counts --path --at-least 0.5                  => q1 t1 3 2 1 0 4 1X3=1X1=1D ; q1 t2 0 0 0 0 6 6= ; q2 t3 0 0 0 0 0  ; q3 t1 3 2 1 0 4 1X3=1X1=1D ; q3 t2 1 1 0 0 5 1X5= ;
        a.txt b.txt --mode infix -k 0 --path                      => 0 0 0 0 3 3= ; 0 2 0 1 4 3= ; 1 0 0 0 0  ; 1 1 0 0 0  ; 1 2 0 0 0  ; 2 0 0 0 4 4= ; 2 2 0 1 5 4= ;
    ");
}

#[test]
fn inputs_are_read_as_elsewhere() {
    let dir = dir();
    dir.write("q.fa.gz", gzip(QUERIES.as_bytes()));
    dir.write("t.fa.zst", zstd(TARGETS.as_bytes()));
    dir.write("r.fastq", "@r1\nKITTEN\n+\n!!!!!!\n");
    dir.write("mark.txt", "\u{feff}stra\u{df}e\n");
    dir.write("said.txt", "the cat sat\n");
    dir.write("heard.txt", "The cat  sat down\n");
    dir.rows(
        "pairs",
        "
        q.fa.gz t.fa.zst --zip                            => q1 t1 3 ; q2 t2 6 ; q3 t3 6 ;
        r.fastq t.fa --ignore-case --top 1                => r1 t2 0 ;
        mark.txt b.txt --symbols chars --top 1            => 0 2 3 ;
        mark.txt mark.txt --measure lcs                   => 0 0 7 ;
        mark.txt mark.txt --measure lcs --symbols chars   => 0 0 6 ;
        said.txt heard.txt --symbols tokens               => 0 0 2 ;
        said.txt heard.txt --symbols tokens --ignore-case => 0 0 1 ;
    ",
    );
    let piped = dir.swath_with_stdin("pairs - t.fa --zip", QUERIES.as_bytes());
    assert_eq!(piped.ok(), "q1\tt1\t3\nq2\tt2\t6\nq3\tt3\t6\n");
}

#[test]
fn a_file_takes_the_values_and_stdout_the_summary() {
    let dir = dir();
    let rows = dir.swath("pairs q.fa t.fa -k 3").ok();
    dir.swath("pairs q.fa t.fa -k 3 -o out.tsv --json").has(
        "schema=swath/pairs/1 | problem=pairs | measure=edit | mode=global | pairs=9 | rows=5 | \
         device=cpu | b={\"name\":\"t.fa\",\"strings\":3,\"symbols\":13}",
    );
    assert_eq!(dir.text("out.tsv"), rows);
    dir.swath("pairs q.fa -o out.tsv")
        .shows("a               3 strings, 12 symbols, q.fa\n");
    dir.swath("pairs q.fa --progress always")
        .notes("rows            3\n | 100 %");
    dir.swath("pairs q.fa --dry-run --json")
        .has("schema=swath/pairs-plan/1 | pairs=3");
    dir.swath("pairs q.fa --dry-run").shows("expected time");
}

#[test]
fn invalid_calls_name_the_place_and_the_way_out() {
    let dir = dir();
    for (name, text) in [
        ("one.tsv", "q1 t1\nq2\n"),
        ("unknown.tsv", "q1\tt1\nq1\tt9\n"),
        ("twice.fa", ">x\na\n>y\nb\n>x\nc\n"),
        ("twice.tsv", "y x\n"),
        ("far.tsv", "0 0\n0 3\n"),
        ("nameless.fa", ">\na\n>y\nb\n"),
        ("nameless.tsv", "x y\n"),
        ("long.txt", &format!("a\n{}\nb\n", "ab".repeat(50_000))),
    ] {
        dir.write(name, text);
    }
    dir.write("latin.txt", b"a\n\xe9\n");
    dir.swath("pairs a.txt twice.fa --zip").ok();
    dir.fail(2, "pairs", "
        q.fa t.fa --list one.tsv             => one.tsv:2: one column
        q.fa t.fa --list unknown.tsv         => unknown.tsv:2: t.fa has no record 't9'
        twice.fa --list twice.tsv            => twice.tsv:1: twice.fa has two records 'x', at the positions 0 and 2 | --positions
        a.txt --list far.tsv                 => far.tsv:2: a.txt has no string '3' | less than 3
        q.fa t.fa --list none.tsv            => none.tsv: no such file
        q.fa none.fa                         => none.fa: no such file
        unknown.tsv a.txt --zip              => a.txt:3 has no partner: unknown.tsv has 2
        q.fa unknown.tsv --zip               => q.fa, record 'q3' has no partner: unknown.tsv has 2
        - -                                  => '-' is given twice
        q.fa t.fa --json                     => --json | --output FILE
        q.fa -o q.fa                         => q.fa, an input, which would be lost
        latin.txt --symbols chars            => latin.txt:2: not UTF-8 at byte 0
        q.fa --format npy --top 1            => --format npy | --top
        q.fa --format phylip --at-least 0.5  => --format phylip | --at-least
        q.fa --format mtx --path             => --format mtx | --path
        q.fa t.fa --format phylip            => --format phylip | Q alone
        q.fa --format phylip --normalized    => --format phylip | --normalized
        q.fa t.fa --format paf --normalized  => --format paf | --normalized
        q.fa t.fa --format paf --counts      => --format paf | --counts
        q.fa t.fa --format paf --measure lcs => --format paf | 'lcs'
        q.fa --measure indel --counts        => --counts | 'indel'
        q.fa --measure indel --mode infix    => --mode infix is for --measure edit
        q.fa --measure jaro -k 3             => --max-distance bounds distances | --at-least S
        q.fa --measure token-set -k 3        => --max-distance bounds distances | --at-least S
        q.fa --measure jaro --at-least 80    => --at-least | 'jaro' are from 0 to 1
        q.fa --measure osa --path            => --path is for --measure edit | 'osa'
        q.fa --measure lcs -k 3              => --max-distance bounds distances | --measure indel
        nameless.fa --list nameless.tsv      => nameless.tsv:1: nameless.fa has no record 'x'
    ");
    dir.fail(
        4,
        "pairs",
        "
        q.fa --mem-host 10            => --mem-host
        q.fa long.txt --mem-host 300k => swath edit | long.txt:2: a string of 100000 symbols
    ",
    );
    dir.swath("pairs q.fa --device none").fails(3, "none");
    dir.end(
        2,
        "pairs q.fa",
        "
        --shard 0/0    => at least 1 part
        --shard 3/3    => from 0 to 2
        --shard 3      => not a part
        --top 0        => give a whole number from 1 on
        --at-least 1.5 => from 0 to 1
        --zip          => <T>
        -k -1          => give a whole number from 0 on
    ",
    );
}

#[test]
fn paf_lines_are_those_of_edit() {
    let dir = dir();
    each(["infix", "prefix", "infix -k 2", "prefix -k 2"], |mode| {
        let args = format!("q.fa t.fa --format paf --mode {mode}");
        let edit = dir
            .swath(format!("edit {args}"))
            .shows("\tNM:i:0\t | \tcg:Z:");
        let short = edit
            .lines()
            .map(|line| line.split("\tcg:Z:").next().unwrap_or_default());
        let short: String = short.map(|line| format!("{line}\n")).collect();
        assert_eq!(dir.swath(format!("pairs {args} --path")).ok(), edit);
        assert_eq!(dir.swath(format!("pairs {args}")).ok(), short);
    });
    let zipped = dir.swath("pairs q.fa t.fa --zip --format paf --path").ok();
    let rows = zipped.lines().zip([
        "q1\t6\t0\t6\t+\tt1\t7\t0\t7\t4\t7\t255\t | \tNM:i:3\t | \tcg:Z:1X3=1X1=1D",
        "q2\t0\t0\t0\t+\tt2\t6\t0\t6\t0\t6\t255\t | \tNM:i:6\t | \tcg:Z:6D",
        "q3\t6\t0\t6\t+\tt3\t0\t0\t0\t0\t6\t255\t | \tNM:i:6\t | \tcg:Z:6I",
    ]);
    each(rows, |(line, parts)| contains(line, parts));
    assert_eq!(zipped.lines().count(), 3);
}
