//! Letters that match others: `--ambiguous` and `--equal`.

use crate::process::{Dir, each, swath, table};

#[test]
fn ambiguous_letters_match_what_they_stand_for() {
    let call = "edit --text ANuRYc ATTAAC --ambiguous iupac --json";
    each(
        ["auto", "bit-parallel", "wavefront", "reference"],
        |method| {
            let run = swath(format!("{call} --path --method {method}")).quiet();
            run.has("distance=1 | /alignment/cigar=4=1X1=")
        },
    );
    swath(format!("{call} --method banded")).fails(2, "banded | auto");
    let infix = "edit --text GNTY AAGATCAAGCTG --mode infix --starts --ambiguous iupac --json";
    swath(infix).has("pieces=[[2,6]]");
}

#[test]
fn named_pairs_match() {
    let rows = "
        // Bisulfite reads in a genome with masked letters.
        TTGTtgAtt CcgCTGAcT --equal T=C                   => 6
        TTGTtgAtt CcgCTGAcT --equal T=C --ambiguous iupac => 0
        TTGTtgAtt CcgCTGAcT --equal t=C --ambiguous iupac => 0
        TTGTtgAtt CcgCTGAcT --equal T=C --ignore-case     => 0
        xay yaz                                           => 2
        xay yaz --equal x=y                               => 1
        xay yaz --equal x=y,y=z                           => 0
        xay yaz --equal x=y --equal z=y                   => 0
    ";
    each(table(rows), |[args, expected]| {
        drop(swath(format!("edit --json --text {args}")).has(format!("distance={expected}")));
    });
    assert_eq!(swath("lcs --text xay yaz --equal x=y --path").ok(), "xa");
    assert_eq!(
        swath("edit --text a b --equal xy").notes("U=T").code,
        Some(2)
    );
    let many: String = ('a'..='y').map(|letter| format!(",{letter}=0")).collect();
    swath(format!("edit --text a b --equal {}", &many[1..])).fails(2, "24 or less");
    swath("lcs --text a b --symbols tokens --equal a=b").fails(2, "--equal");
}

#[test]
fn notes_on_letters_look_at_all_records() {
    let genome = "ACGTTGCAACTGATCA".repeat(8);
    let masked = genome.replacen("ACGTTGCAACTGATCA", "acgttgcaactgatca", 2);
    let dir = Dir::new(&[]);
    for (name, text) in [
        ("genome", &genome[..]),
        ("masked", &masked),
        ("ambiguous", &genome.replacen("GCAA", "GNAA", 3)),
        ("primer", "GTTGCAACTGATC"),
        ("lower", "gttgcaactgatc"),
        ("later", "GTTGCAACTGATC\n>q\ngttgcaactgatc\n>r\nGUUGN"),
        ("words", "hello"),
    ] {
        dir.write(name, format!(">p\n{text}\n"));
    }
    let (case, uracil) = ("with --ignore-case they match", "U and T differ");
    let rows = [
        ("primer genome", &[][..]),
        ("primer masked", &[case]),
        ("lower genome", &[case]),
        ("lower primer", &[]),
        ("words masked", &[]),
        (
            "primer ambiguous",
            &["0 letters of A and 3 of B stand for several"],
        ),
        (
            "later genome",
            &["1 letters of A and 0 of B stand for several", uracil, case],
        ),
        ("masked", &[case]),
        ("ambiguous", &["3 letters of A stand for several"]),
    ];
    each(rows, |(inputs, notes)| {
        let commands: &[_] = if inputs.contains(' ') {
            &[
                "pairs -k 0",
                "neighbors -k 0",
                "edit --mode infix -k 0",
                "substring",
            ]
        } else {
            &["pairs -k 0", "neighbors -k 0"]
        };
        for command in commands {
            let notes_of = |options| -> Vec<String> {
                let stderr = dir.swath(format!("{command} {inputs} {options}")).stderr;
                let lines = stderr.lines().filter(|line| line.contains("they match"));
                lines.map(str::to_string).collect()
            };
            let found = notes_of("");
            assert_eq!(found.len(), notes.len(), "{command}: {found:?}");
            for (found, note) in found.iter().zip(notes) {
                assert!(found.contains(note), "{command}: {found}");
                // Only options that a command has are recommended.
                let is_edit = found.contains("with --ambiguous") || found.contains("with --equal");
                assert!(
                    !is_edit || command.starts_with("edit"),
                    "{command}: {found}"
                );
            }
            let folded = notes_of("--ignore-case").concat();
            assert!(!folded.contains("case"), "{command}: {folded}");
        }
    });
}
