//! `swath join` of the parts of `swath pairs --shard`.

use std::fs;

use crate::pairs::{description, files, npy, pairs};

#[test]
fn joined_parts_are_the_whole() {
    let files = files();
    let word = |word: usize| format!("{}{}\n", "ab".repeat(word * word % 17), word * word % 101);
    let list = |pair: usize| format!("{} {}\n", pair * 7 % 60, pair * pair % 60);
    for (name, text) in [
        ("w.txt", (0..60).map(word).collect()),
        // Few queries are long: the types of the parts differ.
        ("v.txt", "x\n".repeat(40) + &"y".repeat(300) + "\n"),
        ("u.txt", "x\n".to_string()),
        ("none.txt", String::new()),
        ("l.tsv", (0..90).map(list).collect()),
    ] {
        fs::write(files.path(name), text).expect("a file");
    }
    for args in [
        "w.txt w.txt --format npy",
        "w.txt --format npy --normalized -k 9",
        "v.txt u.txt --format npy",
        "w.txt none.txt --format npy",
        "none.txt w.txt --format npy",
        "w.txt --list l.tsv --format npy",
        "w.txt w.txt --zip --format npy",
        "w.txt --format mtx -k 9",
        "w.txt w.txt --format mtx --normalized",
        "w.txt --top 3 --format mtx",
        "w.txt --format phylip",
        "w.txt --top 3",
        "w.txt w.txt --zip --format ndjson",
    ] {
        pairs(&files, &format!("{args} -o whole"));
        let whole = fs::read(files.path("whole")).expect("it is there");
        for count in [1, 4, 20] {
            let mut parts: Vec<_> = (0..count).map(|part| format!("part-{part}")).collect();
            for (part, name) in parts.iter().enumerate() {
                pairs(&files, &format!("{args} --shard {part}/{count} -o {name}"));
            }
            if args.contains("npy") || args.contains("mtx") {
                parts.rotate_left(count / 2);
            }
            let parts: Vec<_> = parts.iter().map(String::as_str).collect();
            let joined = files.swath(&[&["join"], &parts[..]].concat());
            assert_eq!(joined.code, Some(0), "{args}: {}", joined.stderr);
            assert!(joined.stdout == whole, "{args} in {count}");
            let joined = files.swath(&[&["join", "-o", "out"], &parts[..]].concat());
            assert_eq!(joined.ok(), "");
            assert!(fs::read(files.path("out")).expect("it is there") == whole);
        }
    }
}

#[test]
fn narrow_parts_become_wider() {
    let files = files();
    let array = |kind: &str, place: &str, data: &[u8]| {
        let (magic, description) = (b"\x93NUMPY\x01\0", description(kind, "(2,)"));
        let text = format!("{description}  # {place}\n");
        let len = (text.len() as u16).to_le_bytes();
        [&magic[..], &len, text.as_bytes(), data].concat()
    };
    for (name, bytes) in [
        ("a", array("|u1", "pairs 0..2 of 4", &[7, 255])),
        (
            "b",
            array("<u4", "pairs 2..4 of 4", &[1, 2, 3, 4, 5, 6, 7, 8]),
        ),
        ("c", array("<u2", "pairs 2..4 of 4", &[1, 2, 3, 4])),
    ] {
        fs::write(files.path(name), bytes).expect("a file");
    }
    for (part, kind, data) in [
        (
            "b",
            "<u4",
            &[7, 0, 0, 0, 255, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8][..],
        ),
        ("c", "<u2", &[7, 0, 255, 0, 1, 2, 3, 4]),
    ] {
        let run = files.swath(&["join", part, "a"]);
        assert_eq!(npy(&run.stdout), (description(kind, "(4,)"), data.to_vec()));
    }
}

/// Their headers do not name the call.
#[test]
fn parts_of_earlier_versions_join() {
    let files = files();
    for format in ["npy", "mtx"] {
        let args = format!("q.fa t.fa --format {format}");
        pairs(&files, &format!("{args} -o whole"));
        for part in ["0", "1"] {
            pairs(&files, &format!("{args} --shard {part}/2 -o {part}"));
            let mut bytes = fs::read(files.path(part)).expect("it is there");
            let text = String::from_utf8_lossy(&bytes[..bytes.len().min(256)]).into_owned();
            let at = text.find(", call ").expect("the call is named");
            let len = ", call ".len() + 16;
            // The magic number of NumPy has a byte that is no text.
            let at = at - (text.len() - bytes.len().min(256));
            match format {
                "npy" => bytes[at..at + len].fill(b' '),
                _ => drop(bytes.drain(at..at + len)),
            }
            fs::write(files.path(&format!("{part}-before")), bytes).expect("a file");
        }
        let whole = fs::read(files.path("whole")).expect("it is there");
        for parts in [
            ["0-before", "1-before"],
            ["0-before", "1"],
            ["1-before", "0"],
        ] {
            let joined = files.swath(&["join", parts[0], parts[1]]);
            assert!(joined.stdout == whole, "{parts:?}: {}", joined.stderr);
        }
    }
}

#[test]
fn parts_that_do_not_fit_are_named() {
    let files = files();
    fs::write(files.path("w.txt"), "ab\n".repeat(6)).expect("a file");
    fs::write(files.path("v.txt"), "ab\na\nabcd\nabc\nb\nbcd\n").expect("a file");
    for (name, args) in [
        ("all", "w.txt w.txt --format npy"),
        ("0", "w.txt w.txt --format npy --shard 0/3"),
        ("1", "w.txt w.txt --format npy --shard 1/3"),
        ("2", "w.txt w.txt --format npy --shard 2/3"),
        ("real", "w.txt w.txt --format npy --shard 1/3 --normalized"),
        ("zip", "w.txt w.txt --format npy --shard 1/3 --zip"),
        ("m0", "w.txt w.txt --format mtx --shard 0/2"),
        ("m1", "w.txt w.txt --format mtx --shard 1/2"),
        ("n1", "w.txt w.txt --format mtx --shard 1/2 --normalized"),
        ("rows", "w.txt w.txt --shard 0/2"),
        ("far", "w.txt w.txt --format mtx --shard 1/2 -k 3"),
        ("of-v", "w.txt v.txt --format npy --shard 1/3"),
        ("infix", "w.txt w.txt --format npy --shard 1/3 --mode infix"),
        ("tsv0", "v.txt --shard 0/2"),
        ("tsv1", "v.txt --shard 1/2"),
        ("counts", "v.txt --shard 1/2 --counts"),
        ("json0", "v.txt --shard 0/2 --format ndjson"),
        ("json1", "v.txt --shard 1/2 --format ndjson"),
        ("json-counts", "v.txt --shard 1/2 --format ndjson --counts"),
        ("paf0", "v.txt --shard 0/2 --format paf"),
        ("paf1", "v.txt --shard 1/2 --format paf"),
        ("phy0", "v.txt --shard 0/3 --format phylip"),
        ("phy1", "v.txt --shard 1/3 --format phylip"),
        ("phy2", "v.txt --shard 2/3 --format phylip"),
    ] {
        pairs(&files, &format!("{args} -o {name}"));
    }
    for name in ["2", "m1", "tsv0", "json0", "paf0", "phy0", "phy1", "phy2"] {
        let mut bytes = fs::read(files.path(name)).expect("it is there");
        bytes.truncate(bytes.len() - 2);
        fs::write(files.path(&format!("{name}-cut")), bytes).expect("a file");
    }
    fs::write(files.path("numbers.npy"), b"\x93NUMPY\x01\0\x03\0{}\n").expect("a file");
    for (args, parts) in [
        ("0 2", &["the pairs ", " are in no part"][..]),
        ("1 2", &["the pairs 0..", " are in no part"]),
        ("0 1", &["..36 are in no part"]),
        ("0 1 1 2", &["are in 1 and 1"]),
        ("0 zip 2", &["zip is a part of 6 pairs, but 0 of 36"]),
        ("0 real 2", &["0 and real are not of one call"]),
        ("0 all", &["all is no part", "without --shard"]),
        (
            "0 rows",
            &["rows is a file of rows with 3 columns, but 0 is a NumPy array"],
        ),
        ("0 m0", &["m0 is a Matrix Market file"]),
        ("m0 n1", &["m0 and n1 are not of one call"]),
        ("m0 far", &["m0 and far are not of one call", "options"]),
        ("0 of-v 2", &["0 and of-v are not of one call"]),
        ("2 infix 0", &["0 and infix are not of one call"]),
        ("tsv0-cut tsv1", &["tsv0-cut ends within a line", "again"]),
        ("tsv1 tsv0-cut", &["tsv0-cut ends within a line"]),
        ("json0-cut json1", &["json0-cut ends within a line"]),
        ("paf0-cut paf1", &["paf0-cut ends within a line"]),
        ("phy0-cut phy1 phy2", &["phy0-cut ends within a line"]),
        ("phy0 phy1-cut phy2", &["phy1-cut ends within a line"]),
        ("phy0 phy1 phy2-cut", &["phy2-cut ends within a line"]),
        (
            "phy0 phy2 phy1",
            &["phy2: row ", "is not that of string", "in order"],
        ),
        ("phy1 phy0 phy2", &["phy1: the first part begins with"]),
        ("phy0 phy1", &[" of 6 rows; give all parts in order"]),
        (
            "tsv0 json1",
            &["json1 is a file of objects with a, b, value, but"],
        ),
        (
            "tsv0 counts",
            &["with 7 columns, but tsv0 is a file of rows with 3"],
        ),
        ("json0 json-counts", &["deletions, ", "not of one call"]),
        ("tsv0 paf1", &["paf1 is a file of rows with 16 columns"]),
        ("tsv0 phy1", &["phy1 is a PHYLIP matrix"]),
        ("tsv0 v.txt", &["v.txt: not a file that swath writes"]),
        ("m0 m0 m1", &["are in m0 and m0"]),
        (
            "0 1 2-cut",
            &["2-cut: ", "instead of", "write this part again"],
        ),
        ("m0 m1-cut", &["m1-cut: ", "entries instead of"]),
        ("0 none", &["none: no such file"]),
        ("numbers.npy 0", &["numbers.npy: not an array"]),
    ] {
        let args: Vec<_> = args.split(' ').collect();
        files
            .swath(&[&["join", "-o", "out"], &args[..]].concat())
            .fails(2, parts);
        assert!(!files.path("out").exists(), "{args:?}");
    }
    files
        .swath(&["join", "0", "1", "2", "-o", "1"])
        .fails(2, &["1, an input, which would be lost"]);
}
