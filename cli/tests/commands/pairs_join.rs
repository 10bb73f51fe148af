//! `swath join` of the parts of `swath pairs --shard`.

use crate::pairs::{description, dir, npy};
use crate::process::{each, list, table};

#[test]
fn joined_parts_are_the_whole() {
    let dir = dir();
    let word = |word: usize| format!("{}{}\n", "ab".repeat(word * word % 17), word * word % 101);
    let pair = |pair: usize| format!("{} {}\n", pair * 7 % 60, pair * pair % 60);
    dir.write("w.txt", (0..60).map(word).collect::<String>());
    // Few queries are long: the types of the parts differ.
    dir.write("v.txt", "x\n".repeat(40) + &"y".repeat(300) + "\n");
    dir.write("u.txt", "x\n");
    dir.write("none.txt", "");
    dir.write("l.tsv", (0..90).map(pair).collect::<String>());
    let rows = "
        w.txt w.txt --format npy
        w.txt --format npy --normalized -k 9
        v.txt u.txt --format npy
        w.txt none.txt --format npy
        none.txt w.txt --format npy
        w.txt --list l.tsv --format npy
        w.txt w.txt --zip --format npy
        w.txt --format mtx -k 9
        w.txt w.txt --format mtx --normalized
        w.txt --top 3 --format mtx
        w.txt --format phylip
        w.txt
        w.txt w.txt -k 4
        w.txt --top 3
        w.txt w.txt --top 2 --normalized --format ndjson
        w.txt --list l.tsv
        w.txt --list l.tsv --top 2
        w.txt w.txt --zip --top 1
        w.txt w.txt --zip --format ndjson
    ";
    each(list(rows), |args| {
        dir.swath(format!("pairs {args} -o whole")).ok();
        let whole = dir.bytes("whole");
        for count in [1, 4, 64] {
            let is_array = args.contains("npy") || args.contains("mtx");
            let first = if is_array { count / 2 } else { 0 };
            let parts = dir.shards(&format!("pairs {args}"), count, first);
            if !is_array {
                let joined: Vec<_> = parts.split(' ').flat_map(|part| dir.bytes(part)).collect();
                assert!(joined == whole, "{count}");
            }
            let joined = dir.swath(format!("join {parts}")).ends(0, "");
            assert!(joined.stdout == whole, "{count}");
            assert_eq!(dir.swath(format!("join -o out {parts}")).ok(), "");
            assert!(dir.bytes("out") == whole, "{count}");
        }
    });
}

#[test]
fn narrow_parts_become_wider() {
    let dir = dir();
    let array = |kind: &str, place: &str, data: &[u8]| {
        let text = format!("{}  # {place}\n", description(kind, "(2,)"));
        let len = (text.len() as u16).to_le_bytes();
        [b"\x93NUMPY\x01\0", &len[..], text.as_bytes(), data].concat()
    };
    dir.write("a", array("|u1", "pairs 0..2 of 4", &[7, 255]));
    let wide = [7, 0, 0, 0, 255, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8];
    let rows = [("<u4", &wide[..]), ("<u2", &[7, 0, 255, 0, 1, 2, 3, 4])];
    each(rows, |(kind, data)| {
        dir.write("b", array(kind, "pairs 2..4 of 4", &data[data.len() / 2..]));
        let run = dir.swath("join b a");
        assert_eq!(npy(&run.stdout), (description(kind, "(4,)"), data.to_vec()));
    });
}

/// Their headers do not name the call.
#[test]
fn parts_of_earlier_versions_join() {
    let dir = dir();
    for format in ["npy", "mtx"] {
        let call = format!("pairs q.fa t.fa --format {format}");
        dir.swath(format!("{call} -o whole")).ok();
        for part in ["0", "1"] {
            dir.swath(format!("{call} --shard {part}/2 -o {part}")).ok();
            let mut bytes = dir.bytes(part);
            let name = b", call ";
            let at = bytes.windows(name.len()).position(|window| window == name);
            let at = at.expect("the call is named");
            let call = at..at + name.len() + 16;
            match format {
                "npy" => bytes[call].fill(b' '),
                _ => drop(bytes.drain(call)),
            }
            dir.write(&format!("{part}-before"), bytes);
        }
        each(["0-before 1-before", "0-before 1", "1-before 0"], |parts| {
            let joined = dir.swath(format!("join {parts}"));
            assert!(joined.stdout == dir.bytes("whole"), "{}", joined.stderr);
        });
    }
}

#[test]
fn parts_that_do_not_fit_are_named() {
    let dir = dir();
    dir.write("w.txt", "ab\n".repeat(6));
    dir.write("v.txt", "ab\na\nabcd\nabc\nb\nbcd\n");
    for [name, args] in table(
        "
        all         => w.txt w.txt --format npy
        0           => w.txt w.txt --format npy --shard 0/3
        1           => w.txt w.txt --format npy --shard 1/3
        2           => w.txt w.txt --format npy --shard 2/3
        real        => w.txt w.txt --format npy --shard 1/3 --normalized
        zip         => w.txt w.txt --format npy --shard 1/3 --zip
        m0          => w.txt w.txt --format mtx --shard 0/2
        m1          => w.txt w.txt --format mtx --shard 1/2
        n1          => w.txt w.txt --format mtx --shard 1/2 --normalized
        rows        => w.txt w.txt --shard 0/2
        far         => w.txt w.txt --format mtx --shard 1/2 -k 3
        of-v        => w.txt v.txt --format npy --shard 1/3
        infix       => w.txt w.txt --format npy --shard 1/3 --mode infix
        tsv0        => v.txt --shard 0/2
        tsv1        => v.txt --shard 1/2
        counts      => v.txt --shard 1/2 --counts
        json0       => v.txt --shard 0/2 --format ndjson
        json1       => v.txt --shard 1/2 --format ndjson
        json-counts => v.txt --shard 1/2 --format ndjson --counts
        paf1        => v.txt --shard 1/2 --format paf
        phy0        => v.txt --shard 0/3 --format phylip
        phy1        => v.txt --shard 1/3 --format phylip
        phy2        => v.txt --shard 2/3 --format phylip
    ",
    ) {
        dir.swath(format!("pairs {args} -o {name}")).ok();
    }
    for name in ["2", "m1", "tsv0", "json0", "phy2"] {
        let bytes = dir.bytes(name);
        dir.write(&format!("{name}-cut"), &bytes[..bytes.len() - 2]);
    }
    dir.write("numbers.npy", b"\x93NUMPY\x01\0\x03\0{}\n");
    dir.fail(
        2,
        "join -o out",
        r"
        0 2                => the pairs  |  are in no part
        1 2                => the pairs 0.. |  are in no part
        0 1                => ..36 are in no part
        0 1 1 2            => are in 1 and 1
        0 zip 2            => zip is a part of 6 pairs, but 0 of 36
        0 real 2           => 0 and real are not of one call
        0 all              => all is no part | without --shard
        0 rows             => rows is a file of rows with 3 columns, but 0 is a NumPy array
        0 m0               => m0 is a Matrix Market file
        m0 n1              => m0 and n1 are not of one call
        m0 far             => m0 and far are not of one call | options
        0 of-v 2           => 0 and of-v are not of one call
        2 infix 0          => 0 and infix are not of one call
        tsv0-cut tsv1      => tsv0-cut ends within a line | again
        json0-cut json1    => json0-cut ends within a line
        phy0 phy1 phy2-cut => phy2-cut ends within a line
        phy0 phy2 phy1     => phy2: row  | is not that of string | in order
        phy1 phy0 phy2     => phy1: the first part begins with
        phy0 phy1          => \u0020of 6 rows; give all parts in order
        tsv0 json1         => json1 is a file of objects with a, b, value, but
        tsv0 counts        => with 7 columns, but tsv0 is a file of rows with 3
        json0 json-counts  => deletions,  | not of one call
        tsv0 paf1          => paf1 is a file of rows with 16 columns
        tsv0 phy1          => phy1 is a PHYLIP matrix
        tsv0 v.txt         => v.txt: not a file that swath writes
        m0 m0 m1           => are in m0 and m0
        0 1 2-cut          => 2-cut:  | instead of | write this part again
        m0 m1-cut          => m1-cut:  | entries instead of
        0 none             => none: no such file
        numbers.npy 0      => numbers.npy: not an array
    ",
    );
    assert!(!dir.path("out").exists());
    dir.swath("join 0 1 2 -o 1")
        .fails(2, "1, an input, which would be lost");
}
