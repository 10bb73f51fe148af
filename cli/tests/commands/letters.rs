//! Letters that match others: `--ambiguous` and `--equal`.

use serde_json::json;

use crate::compare::{Random, distance_by};
use crate::process::{Files, swath};

/// True if two letters of DNA may be the same base.
fn may_match(x: u8, y: u8) -> bool {
    let bases = |letter: u8| match letter.to_ascii_uppercase() {
        b'U' => "T".to_string(),
        b'R' => "AG".to_string(),
        b'Y' => "CT".to_string(),
        b'N' => "ACGT".to_string(),
        base => char::from(base).to_string(),
    };
    bases(x).chars().any(|base| bases(y).contains(base))
}

#[test]
fn ambiguous_letters_match_what_they_stand_for() {
    let mut random = Random(17);
    for (m, n) in [(5, 9), (64, 65), (300, 280), (700, 130)] {
        let letters = |random: &mut Random, len: usize| -> Vec<u8> {
            (0..len).map(|_| b"ACGTNRYacgu"[random.below(11)]).collect()
        };
        let (a, b) = (letters(&mut random, m), letters(&mut random, n));
        let text = |dna: &[u8]| String::from_utf8(dna.to_vec()).expect("letters");
        let args = [
            "edit",
            "--text",
            &text(&a),
            &text(&b),
            "--ambiguous",
            "iupac",
            "--json",
        ];
        let expected = distance_by(&a, &b, may_match);
        for method in ["auto", "bit-parallel", "wavefront", "reference"] {
            let run = swath(&[&args[..], &["--path", "--method", method]].concat());
            assert!(!run.stderr.contains("stand for"), "{}", run.stderr);
            let answer = run.json();
            assert_eq!(answer["distance"], expected, "{method}");
            let cigar = answer["alignment"]["cigar"].as_str().expect("a CIGAR");
            let (mut i, mut j, mut edits, mut count) = (0, 0, 0, 0);
            for letter in cigar.chars() {
                if let Some(digit) = letter.to_digit(10) {
                    count = 10 * count + digit as usize;
                    continue;
                }
                for _ in 0..count {
                    match letter {
                        '=' => assert!(may_match(a[i], b[j])),
                        'X' => assert!(!may_match(a[i], b[j])),
                        _ => {}
                    }
                    i += usize::from(letter != 'D');
                    j += usize::from(letter != 'I');
                    edits += usize::from(letter != '=');
                }
                count = 0;
            }
            assert_eq!((i, j, edits), (m, n, expected), "{cigar}");
        }
        swath(&[&args[..], &["--method", "banded"]].concat()).fails(2, &["banded", "auto"]);
    }
    let places = swath(&[
        "edit",
        "--text",
        "GNTY",
        "AAGATCAAGCTG",
        "--mode",
        "infix",
        "--starts",
        "--ambiguous",
        "iupac",
        "--json",
    ]);
    assert_eq!(places.json()["pieces"], json!([[2, 6]]));
}

/// Bisulfite reads in a genome with masked letters.
#[test]
fn named_pairs_match_in_either_case_with_ambiguous_letters() {
    for (options, expected) in [
        (&["--equal", "T=C"][..], 6),
        (&["--equal", "T=C", "--ambiguous", "iupac"], 0),
        (&["--equal", "t=C", "--ambiguous", "iupac"], 0),
        (&["--equal", "T=C", "--ignore-case"], 0),
    ] {
        let args = ["edit", "--text", "TTGTtgAtt", "CcgCTGAcT", "--json"];
        let run = swath(&[&args[..], options].concat());
        assert_eq!(run.json()["distance"], expected, "{options:?}");
    }
}

#[test]
fn named_pairs_of_bytes_match() {
    let edit = |options: &[&str]| {
        let run = swath(&[&["edit", "--text", "xay", "yaz", "--json"], options].concat());
        run.json()["distance"].clone()
    };
    assert_eq!(edit(&[]), 2);
    assert_eq!(edit(&["--equal", "x=y"]), 1);
    assert_eq!(edit(&["--equal", "x=y,y=z"]), 0);
    assert_eq!(edit(&["--equal", "x=y", "--equal", "z=y"]), 0);
    let lcs = swath(&["lcs", "--text", "xay", "yaz", "--equal", "x=y", "--path"]).ok();
    assert_eq!(lcs, "xa");
    let wrong = swath(&["edit", "--text", "a", "b", "--equal", "xy"]);
    assert!(
        wrong.code == Some(2) && wrong.stderr.contains("U=T"),
        "{}",
        wrong.stderr
    );
    let many: Vec<_> = ('a'..='y').map(|letter| format!("{letter}=0")).collect();
    swath(&["edit", "--text", "a", "b", "--equal", &many.join(",")]).fails(2, &["24 or less"]);
    let tokens = [
        "lcs",
        "--text",
        "a",
        "b",
        "--symbols",
        "tokens",
        "--equal",
        "a=b",
    ];
    swath(&tokens).fails(2, &["--equal"]);
}

#[test]
fn notes_on_letters_look_at_all_records() {
    let genome = "ACGTTGCAACTGATCA".repeat(8);
    let of = |dna: &str| format!(">g\n{dna}\n");
    let masked = of(&genome.replacen("ACGTTGCAACTGATCA", "acgttgcaactgatca", 2));
    let ambiguous = of(&genome.replacen("GCAA", "GNAA", 3));
    let (primer, lower) = (">p\nGTTGCAACTGATC\n", ">p\ngttgcaactgatc\n");
    let later = format!("{primer}>q\ngttgcaactgatc\n>r\nGUUGN\n");
    let files = Files::new(&[
        ("genome", of(&genome).as_bytes()),
        ("masked", masked.as_bytes()),
        ("ambiguous", ambiguous.as_bytes()),
        ("primer", primer.as_bytes()),
        ("lower", lower.as_bytes()),
        ("later", later.as_bytes()),
        ("words", b">w\nhello\n"),
    ]);
    let (case, uracil) = ("with --ignore-case they match", "U and T differ");
    for (inputs, notes) in [
        (&["primer", "genome"][..], &[][..]),
        (&["primer", "masked"], &[case]),
        (&["lower", "genome"], &[case]),
        (&["lower", "primer"], &[]),
        (&["words", "masked"], &[]),
        (
            &["primer", "ambiguous"],
            &["0 letters of A and 3 of B stand for several"],
        ),
        (
            &["later", "genome"],
            &["1 letters of A and 0 of B stand for several", uracil, case],
        ),
        (&["masked"], &[case]),
        (&["ambiguous"], &["3 letters of A stand for several"]),
    ] {
        for command in [
            &["edit", "--mode", "infix", "-k", "0"][..],
            &["pairs", "-k", "0"],
            &["neighbors", "-k", "0"],
            &["substring"],
        ] {
            let is_list = matches!(command[0], "pairs" | "neighbors");
            if inputs.len() == 1 && !is_list {
                continue;
            }
            let args = [&command[..1], inputs, &command[1..]].concat();
            let notes_of = |options: &[&str]| {
                let stderr = files.swath(&[&args[..], options].concat()).stderr;
                let lines = stderr.lines().filter(|line| line.contains("they match"));
                lines.map(str::to_string).collect::<Vec<_>>()
            };
            let found = notes_of(&[]);
            assert_eq!(found.len(), notes.len(), "{args:?}: {found:?}");
            for (found, note) in found.iter().zip(notes) {
                assert!(found.contains(note), "{args:?}: {found}");
                // Only options that a command has are recommended.
                let is_edit = found.contains("with --ambiguous") || found.contains("with --equal");
                assert!(!is_edit || command[0] == "edit", "{args:?}: {found}");
            }
            let folded = notes_of(&["--ignore-case"]);
            assert!(
                !folded.iter().any(|line| line.contains("case")),
                "{args:?}: {folded:?}"
            );
        }
    }
}
