//! `swath compare`.

use std::process::Command;

use serde_json::Value;

use crate::generated::{Random, distance, fasta, pair, reverse_complement, rotated};
use crate::process::{Dir, contains, each, get, list, swath, table};

/// Two assemblies: a chromosome on the other strand with another origin, two plasmids in another
/// order, one of them soft-masked, and a record on either side that the other lacks.
struct Assemblies {
    dir: Dir,
    a: Vec<(&'static str, Vec<u8>)>,
    /// The records of B as they lie in A, without rotation and on its strand.
    b: [Vec<u8>; 2],
}

fn assemblies() -> Assemblies {
    let mut random = Random(7);
    let (chromosome, plasmid) = (random.dna(9000), random.dna(1500));
    let (only_a, only_b) = (random.dna(700), random.dna(900));
    let b = [random.edited(&chromosome, 60), random.edited(&plasmid, 30)];
    let turned = rotated(&reverse_complement(&b[0]), 2500);
    let masked = rotated(&b[1], 333).to_ascii_lowercase();
    let a = vec![("chr", chromosome), ("lonely", only_a), ("p1", plasmid)];
    let of_b = [("q1", masked), ("extra", only_b), ("main", turned)];
    let dir = Dir::new(&[("a.fa", &fasta(&a)), ("b.fa", &fasta(&of_b))]);
    Assemblies { dir, a, b }
}

#[test]
fn records_are_paired_turned_and_aligned() {
    let Assemblies { dir, a, b } = assemblies();
    let answer = dir.swath("compare a.fa b.fa --json").has(
        "schema=swath/compare/1 | unpaired=[[1],[1]] | /pairs/0/a=0 | /pairs/0/b=2 | \
         /pairs/0/strand=- | /pairs/1/a=2 | /pairs/1/b=0 | /pairs/1/strand=+",
    );
    let pairs: Vec<Value> = get(&answer["pairs"]);
    assert_eq!(pairs.len(), 2);
    for (pair, (a, b)) in pairs.iter().zip([(&a[0].1, &b[0]), (&a[2].1, &b[1])]) {
        let number = |key: &str| get::<usize>(&pair[key]);
        let (edits, expected) = (number("edits"), distance(a, b));
        // The origin may lie a few symbols away from where it was cut.
        assert!(edits.abs_diff(expected) <= 4, "{edits} and {expected}");
        let parts = ["substitutions", "insertions", "deletions"].map(number);
        assert_eq!(parts.iter().sum::<usize>(), edits);
    }
    dir.swath("compare a.fa b.fa").shows(
        "unpaired        lonely  700 symbols of a | unpaired        extra  900 symbols of b",
    );
}

/// Records of A with the differences of a table applied.
fn applied(a: &[(&str, Vec<u8>)], table: &str) -> Vec<(String, Vec<u8>)> {
    let changed = |(name, dna): &(&str, Vec<u8>)| {
        let (mut text, mut next) = (Vec::new(), 0);
        let rows = table
            .lines()
            .map(|line| line.split('\t').collect::<Vec<_>>());
        for row in rows.filter(|row| row[0] == *name) {
            let number = |column: usize| row[column].parse::<usize>().expect("a number");
            let (start, end) = (number(1), number(2));
            let letters = |column: usize| row[column].trim_matches('-').as_bytes();
            assert_eq!(&dna[start..end], letters(7), "{row:?}");
            assert!(dna[..start].ends_with(letters(9)) && dna[end..].starts_with(letters(10)));
            text.extend(&dna[next..start]);
            text.extend(letters(8));
            next = end;
        }
        text.extend(&dna[next..]);
        (name.to_string(), text.to_ascii_uppercase())
    };
    a.iter().map(changed).collect()
}

#[test]
fn the_table_turns_one_assembly_into_the_other() {
    let Assemblies { dir, a, b } = assemblies();
    let run = |format: &str| dir.swath(format!("compare a.fa b.fa --format {format}"));
    for (format, is_summed) in [("tsv", false), ("vcf", false), ("paf", true)] {
        let stderr = run(format).notes("unpaired").stderr;
        assert_eq!(stderr.contains("\ndifference"), is_summed, "{format}");
    }
    let table = run("tsv").ok();
    assert!(
        table.starts_with(
            "#a\ta_start\ta_end\tb\tb_position\tstrand\tkind\tref\talt\tbefore\tafter\n"
        )
    );
    let changed = applied(&a, &table);
    let is_rotation =
        |x: &[u8], y: &[u8]| x.len() == y.len() && (0..x.len()).any(|start| rotated(y, start) == x);
    assert!(is_rotation(&changed[0].1, &b[0]) && is_rotation(&changed[2].1, &b[1]));
    assert_eq!(changed[1].1, a[1].1);
    let answer = run("json").json();
    let pairs: Vec<Value> = get(&answer["pairs"]);
    let listed = pairs
        .iter()
        .map(|pair| get::<Vec<Value>>(&pair["differences"]).len());
    assert_eq!(listed.sum::<usize>(), table.lines().count() - 1);
}

#[test]
fn bcftools_makes_the_other_assembly_from_the_vcf() {
    if Command::new("bcftools").arg("--version").output().is_err() {
        eprintln!("skipped: bcftools is not installed");
        return;
    }
    let Assemblies { dir, a, .. } = assemblies();
    let table = dir.swath("compare a.fa b.fa --format tsv").ok();
    dir.swath("compare a.fa b.fa --format vcf -o b.vcf").ok();
    let bcftools = |args: &str| {
        let mut command = Command::new("bcftools");
        command.args(args.split(' ')).current_dir(&dir.0);
        let output = command.output().expect("bcftools runs");
        let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.success(), "{args}: {stderr}");
        assert!(!stderr.contains("overlaps"), "{stderr}");
        String::from_utf8(output.stdout).expect("text")
    };
    bcftools("norm -f a.fa -c e b.vcf -Oz -o n.vcf.gz");
    bcftools("index n.vcf.gz");
    let consensus = bcftools("consensus -f a.fa n.vcf.gz");
    let record = |record: &str| {
        let (header, lines) = record.split_once('\n').expect("a header");
        let name = header.split(' ').next().unwrap_or_default();
        (name.to_string(), lines.replace('\n', "").into_bytes())
    };
    let found: Vec<_> = consensus.split('>').skip(1).map(record).collect();
    assert_eq!(found, applied(&a, &table));
}

#[test]
fn rna_has_the_differences_of_dna() {
    let mut random = Random(31);
    let a = random.dna(2000);
    let edited = random.edited(&a, 50);
    for b in [edited.clone(), reverse_complement(&edited)] {
        let dir = pair(&a, &b);
        dir.write(
            "rna.fa",
            String::from_utf8_lossy(&fasta(&[("b", &b)])).replace('T', "U"),
        );
        for (format, [uracil, thymine]) in [
            ("tsv", ["U", "T"]),
            ("vcf", ["U", "T"]),
            ("paf --cs", ["u", "t"]),
        ] {
            let differences = |b: &str| {
                let text = dir
                    .swath(format!("compare a.fa {b} --format {format}"))
                    .ok();
                let lines = text.lines().filter(|line| !line.starts_with('#'));
                lines.collect::<Vec<_>>().join("\n")
            };
            let of_rna = differences("rna.fa").replace(uracil, thymine);
            assert_eq!(of_rna, differences("b.fa"), "{format}");
        }
    }
}

#[test]
fn vcf_has_a_variant_for_each_iupac_letter() {
    let mut a = Random(37).dna(400);
    let mut b = a.clone();
    let places = [50, 100, 150, 200, 250, 300];
    for (place, [of_a, of_b]) in places
        .into_iter()
        .zip([b"RA", b"Gk", b"NC", b"TN", b"YG", b"RM"])
    {
        (a[place], b[place]) = (*of_a, *of_b);
    }
    let run = pair(&a, &b).swath("compare a.fa b.fa --linear --format vcf");
    let vcf = run.notes("3 letters of A").ok();
    let variants = vcf
        .lines()
        .filter(|line| !line.starts_with('#'))
        .map(|line| {
            let fields: Vec<_> = line.split('\t').collect();
            [1, 3, 4].map(|column| fields[column]).join(" ")
        });
    let variants: Vec<_> = variants.collect();
    assert_eq!(
        variants,
        [
            "51 N A", "101 G N", "151 N C", "201 T N", "251 C G", "301 N A"
        ]
    );
}

#[test]
fn assemblies_without_a_pair_have_no_identity() {
    let mut random = Random(41);
    let [a, b, c, d] = [600, 700, 600, 700].map(|len| random.dna(len));
    let (a, b) = (
        fasta(&[("a", &a), ("b", &b)]),
        fasta(&[("c", &c), ("d", &d)]),
    );
    let dir = Dir::new(&[("a.fa", &a), ("b.fa", &b)]);
    let run = dir.swath("compare a.fa b.fa").notes("nothing is compared");
    let text = run.shows("identity        nothing is paired\n");
    assert!(
        !text.contains("100.00 %") && !text.contains("edits"),
        "{text}"
    );
    dir.swath("compare a.fa b.fa --json")
        .has("/figures/identity=null | unpaired=[[0,1],[0,1]]");
    let run = dir.swath("compare a.fa b.fa --exit-code --format tsv");
    run.ends(1, "nothing is compared");
    // Two records are a pair in any case.
    let two = dir.swath("compare a.fa b.fa --record-a a --record-b c");
    two.quiet().shows("pair            a  c ");
}

#[test]
fn rearranged_and_unrelated_assemblies_are_told() {
    let mut random = Random(43);
    let a = random.dna(9000);
    let edited = random.edited(&a, 100);
    let inverted = [&a[..3000], &reverse_complement(&a[3000..7000]), &a[7000..]].concat();
    let turned = rotated(&reverse_complement(&edited), 2500);
    for (b, in_order) in [
        (&edited, Some((0.99, 1.0))),
        (&turned, Some((0.99, 1.0))),
        (&inverted, Some((0.5, 0.6))),
        (&random.dna(9000), None),
    ] {
        let dir = pair(&a, b);
        let answer = dir.swath("compare a.fa b.fa --json").json();
        let count = |key: &str| get::<f64>(&answer["pairs"][0][key]);
        let run = dir.swath("compare a.fa b.fa");
        let is_unrelated = run.stderr.contains("no more similar than random");
        assert_eq!(is_unrelated, in_order.is_none(), "{}", run.stderr);
        let text = run.ok();
        let line = text.lines().find(|line| line.starts_with("in order"));
        assert_eq!(line.is_some(), in_order.is_some(), "{text}");
        if let (Some(line), Some((min, max))) = (line, in_order) {
            let share = count("in_order") / count("anchored");
            assert!((min..=max).contains(&share), "{share}");
            let (percent, anchored) = (100.0 * share, count("anchored"));
            contains(line, format!("{percent:.2} % of {anchored} anchored bases"));
            assert_eq!(line.contains("--format svg"), min < 0.9, "{line}");
        }
    }
}

#[test]
fn empty_and_equal_records_are_compared() {
    let rows = "
             =>      => 0
        ACGT =>      => 4
             => ACGT => 4
        acgu => ACGT => 0
        ACGT => TTTT => 3
    ";
    each(table(rows), |[a, b, edits]| {
        let run = |options| swath(format!("compare --text '{a}' '{b}' --{options}"));
        for format in list(
            "
            tsv
            vcf
            paf
            json
            svg
        ",
        ) {
            run(format!("format {format}")).ends(0, "");
        }
        run("json".to_string()).has(format!("/figures/edits={edits}"));
    });
    // No letter is equal.
    swath("compare --text AAAA CCCC").shows("quality         Q0.0\n");
    swath("compare --text AAAA CCCC --json").shows("\"quality\":0.0");
}

#[test]
fn unsuitable_letters_are_refused_with_their_place() {
    let dir = Dir::of(
        r"
        dna.fa      => >d\nACGTTTGA\n
        prot.fa     => >p\nMKVLEFAE\n
        low.fa      => >q\nGANsl\n
        two.fa      => >d\nACGT\n>q\nGANsl\n
        nameless.fa => >\nACGTACGTACGT\n>\nACGGACGT\n
    ",
    );
    // A call of one record, of which one option turns A alone, and calls of all records.
    let one = [
        "edit --strand both",
        "edit --strand both --mode prefix",
        "lcs --strand both",
    ];
    let all = ["compare", "substring --strand both"];
    for (file, place, calls) in [
        (
            "prot.fa",
            "prot.fa, record 'p': 'L' at position 3",
            [&one[..], &all].concat(),
        ),
        (
            "low.fa",
            "low.fa, record 'q': 'l' at position 4",
            [&one[..], &all].concat(),
        ),
        (
            "two.fa",
            "two.fa, record 'q': 'l' at position 4",
            all.to_vec(),
        ),
    ] {
        each(calls, |call| {
            let parts = format!("{place} | --strand forward");
            dir.swath(format!("{call} {file} dna.fa")).fails(2, &parts);
            if !call.contains("prefix") {
                dir.swath(format!("{call} dna.fa {file}")).fails(2, &parts);
            }
        });
    }
    dir.fail(
        2,
        "compare",
        "
        --text 'a b' c --symbols tokens               => bytes
        --text hello ACGT                             => 'e' | DNA
        nameless.fa dna.fa --format vcf               => two records | rename
        --text ACGE ACG --strand forward --format vcf => 'E' at position 3 of 'a' | --format tsv
    ",
    );
    dir.swath("compare prot.fa prot.fa --strand forward").ok();
    dir.swath("compare nameless.fa dna.fa --format tsv").ok();
}

#[test]
fn dot_plots_of_alignments_are_small() {
    let mut random = Random(29);
    let a = random.dna(30_000);
    let dir = pair(&a, &random.edited(&a, 8));
    each(["lcs", "edit", "compare"], |command| {
        let svg = dir.swath(format!("{command} a.fa b.fa --format svg")).ok();
        assert!(svg.starts_with("<svg ") && svg.trim_end().ends_with("</svg>"));
        assert!(svg.len() < 100_000, "{}", svg.len());
        // Both corners of the diagonal are drawn.
        assert!(svg.contains("M0 0.5h") || svg.contains("M0.0 0.0L"));
    });
}
