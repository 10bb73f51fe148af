//! Letters that match others: `--ambiguous` and `--equal`.

use serde_json::json;

use crate::compare::{Random, distance_by};
use crate::process::swath;

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
