//! `swath neighbors`: formats, clusters, parts, devices and invalid input.

use crate::generated::Random;
use crate::process::{Dir, contains, each, gpu, gzip, list, table};

const UMIS: &str = ">s1;size=9\nACGT\n>s2;size=1\nTTTT\n>s3;size=5\nACGG\n>s4;size=2\nACCG\n>s5;size=2\nAACG\n>s6;size=1\nACGT\n";

fn dir() -> Dir {
    Dir::texts(&[
        ("u.fa", UMIS),
        ("a.txt", "tea\n\nteam\r\nsteam\n"),
        ("b.txt", "team\nx"),
        ("first.txt", "   9 ACGT\n   1 TTTT\n   5 ACGG\n   2 ACCG\n"),
        ("last.txt", "ACGT\t9\nTTTT\t1\nACGG\t5\nACCG\t2\n"),
        (
            "cells.txt",
            "c1\tACGT\t9\nc2\tACGT\t5\nc1\tACGA\t2\nc2\tACGT\t1\n",
        ),
        ("uniq.txt", "   9 c1\tACGT\n   5 c2\tACGT\n   2 c1\tACGA\n"),
        ("strands.txt", "AACG\nCGTT\nAACC\n"),
        ("forms.txt", "form\nfrom\nfarm\n"),
    ])
}

#[test]
fn every_format_has_the_pairs_within_the_distance() {
    let dir = dir();
    dir.rows("neighbors", "
        u.fa -k 1                                                 => s1;size=9 s3;size=5 1 ; s1;size=9 s6;size=1 0 ; s3;size=5 s4;size=2 1 ; s3;size=5 s6;size=1 1 ; s4;size=2 s5;size=2 1 ;
        u.fa -k 0 --positions                                     => 0 5 0 ;
        u.fa -k 0 --show positions                                => 0 5 0 ;
        u.fa -k 0 --show strings --ignore-case                    => acgt acgt 0 ;
        a.txt -k 1                                                => 0 2 1 ; 2 3 1 ;
        a.txt b.txt -k 1                                          => 0 0 1 ; 1 1 1 ; 2 0 0 ; 3 0 1 ;
        a.txt -k 2 --measure hamming                              => 0 2 1 ;
        a.txt -k 1 --symbols tokens --show strings                => tea  1 ; tea team 1 ; tea steam 1 ;  team 1 ;  steam 1 ; team steam 1 ;
        forms.txt -k 1 --measure osa                              => 0 1 1 ; 0 2 1 ;
        // Columns and equal keys.
        cells.txt -k 1 --by 1                                     => 0 2 1 ; 1 3 0 ;
        cells.txt -k 0 --by 1,3 --column 2                        =>
        cells.txt -k 0 --column 2 --symbols lines                 => 0 1 0 ; 0 3 0 ; 1 3 0 ;
        cells.txt -k 9 --by 2 --show strings                      => c1 c2 1 ; c1 c2 1 ; c2 c2 0 ;
        cells.txt cells.txt -k 1 --by 1 --column 2 --show strings => ACGT ACGT 0 ; ACGT ACGA 1 ; ACGT ACGT 0 ; ACGT ACGT 0 ; ACGA ACGT 1 ; ACGA ACGA 0 ; ACGT ACGT 0 ; ACGT ACGT 0 ;
        // Both strands.
        strands.txt -k 1 --strand both                            => 0 1 0 - ; 0 2 1 + ; 1 2 1 - ;
        strands.txt strands.txt -k 0 --strand both --show strings => AACG AACG 0 + ; AACG CGTT 0 - ; CGTT AACG 0 - ; CGTT CGTT 0 + ; AACC AACC 0 + ;
        // Distances on the nearer strand, without it.
    ");
    dir.print("neighbors", r#"
        a.txt b.txt -k 0 --format ndjson               => {"a":2,"b":0,"value":0}\n
        a.txt -k 1 --format mtx                        => %%MatrixMarket matrix coordinate integer symmetric\n4 4 2\n3 1 1\n4 3 1\n
        a.txt b.txt -k 0 --format mtx                  => %%MatrixMarket matrix coordinate integer general\n4 2 1\n3 1 0\n
        strands.txt -k 0 --strand both --format ndjson => {"a":0,"b":1,"value":0,"strand":"-"}\n
        strands.txt -k 1 --strand both --format mtx    => %%MatrixMarket matrix coordinate integer symmetric\n3 3 3\n2 1 0\n3 1 1\n3 2 1\n
    "#);
    let rows = [
        ("a.txt -k 1", "'shape': (2, 3)", &[0u32, 2, 1, 2, 3, 1][..]),
        (
            "strands.txt -k 1 --strand both",
            "'shape': (3, 4)",
            &[0, 1, 0, 1, 0, 2, 1, 0, 1, 2, 1, 1],
        ),
        (
            "u.fa -k 1 --clusters components",
            "'shape': (6,)",
            &[0, 1, 0, 0, 0, 0],
        ),
    ];
    each(rows, |(args, shape, values)| {
        let run = dir.swath(format!("neighbors --format npy {args}"));
        let (header, data) = run.stdout.split_at(run.stdout.len() - 4 * values.len());
        contains(
            &String::from_utf8_lossy(header),
            format!("'descr': '<u4' | {shape}"),
        );
        let values: Vec<u8> = values
            .iter()
            .flat_map(|value| value.to_le_bytes())
            .collect();
        assert_eq!(data, values);
    });
}

#[test]
fn clusters_are_numbered_by_their_first_strings() {
    dir().rows("neighbors", "
        first.txt -k 1 --clusters directional --counts first       => 0 0 0 16 ; 1 1 1 1 ; 2 0 0 16 ; 3 0 0 16 ;
        last.txt -k 1 --clusters directional --counts last         => 0 0 0 16 ; 1 1 1 1 ; 2 0 0 16 ; 3 0 0 16 ;
        u.fa -k 1 --clusters directional --counts size --positions => 0 0 0 17 ; 1 1 1 1 ; 2 0 0 17 ; 3 0 0 17 ; 4 2 4 2 ; 5 0 0 17 ;
        u.fa -k 1 --clusters components --positions                => 0 0 0 5 ; 1 1 1 1 ; 2 0 0 5 ; 3 0 0 5 ; 4 0 0 5 ; 5 0 0 5 ;
        cells.txt -k 1 --by 1 --clusters directional --counts last => 0 0 0 11 ; 1 1 1 6 ; 2 0 0 11 ; 3 1 1 6 ;
        uniq.txt -k 1 --by 1 --clusters components --counts first --members --show strings => ACGT 11 ACGT,ACGA ; ACGT 5 ACGT ;
        strands.txt -k 0 --strand both --clusters components       => 0 0 0 2 ; 1 0 0 2 ; 2 1 2 1 ;
        forms.txt -k 1 --measure osa --clusters components         => 0 0 0 3 ; 1 0 0 3 ; 2 0 0 3 ;
    ");
    dir().print("neighbors", r#"
        u.fa -k 1 --clusters components --counts size --members --format ndjson --show strings => {"representative":"ACGT","size":19,"members":["ACGT","ACGG","ACCG","AACG","ACGT"]}\n{"representative":"TTTT","size":1,"members":["TTTT"]}\n
        b.txt -k 0 --clusters components --format ndjson => {"string":0,"cluster":0,"representative":0,"size":1}\n{"string":1,"cluster":1,"representative":1,"size":1}\n
    "#);
}

#[test]
fn parts_join_to_the_whole_and_all_pairs_agree() {
    let dir = dir();
    let word = |word: usize| format!("{}{}\n", "ab".repeat(word % 5), word * word % 211);
    let words: String = (0..400).map(word).collect();
    dir.write("w.txt", &words);
    dir.write("w.txt.gz", gzip(words.as_bytes()));
    let whole = |args: &str| dir.swath(format!("neighbors {args}")).ok();
    for args in ["w.txt -k 1", "w.txt w.txt -k 2 --format ndjson"] {
        assert_eq!(dir.swath(format!("pairs {args}")).ok(), whole(args));
    }
    let rows = "
        w.txt -k 0
        w.txt -k 1
        w.txt w.txt -k 2 --format ndjson
        w.txt u.fa -k 3
        u.fa -k 2 --show strings
        cells.txt -k 1 --by 1 --column 2
        strands.txt -k 1 --strand both --positions
    ";
    each(list(rows), |args| {
        let whole = whole(args);
        for count in [1, 2, 3, 7] {
            // Parts are joined in any order.
            let parts = dir.shards(&format!("neighbors {args}"), count, count / 2);
            assert_eq!(dir.swath(format!("join {parts}")).ok(), whole, "{count}");
            assert_eq!(dir.swath(format!("join -o joined {parts}")).ok(), "");
            assert_eq!(dir.text("joined"), whole, "{count}");
        }
    });
    let piped = dir.swath_with_stdin("neighbors - -k 1", words.as_bytes());
    assert_eq!(piped.ok(), whole("w.txt.gz -k 1"));
}

#[test]
fn parts_that_do_not_fit_are_named() {
    let dir = dir();
    for [name, args] in table(
        "
        whole   => u.fa -k 1
        0       => u.fa -k 1 --shard 0/3
        1       => u.fa -k 1 --shard 1/3
        2       => u.fa -k 1 --shard 2/3
        of-2    => u.fa -k 1 --shard 1/2
        far     => u.fa -k 2 --shard 1/3
        strings => u.fa -k 1 --show strings --shard 1/3
        other   => a.txt -k 1 --shard 1/3
        by-1    => cells.txt -k 1 --by 1 --column 2 --shard 1/3
        by-3    => cells.txt -k 1 --by 3 --column 2 --shard 2/3
    ",
    ) {
        dir.swath(format!("neighbors {args} -o {name}")).ok();
    }
    let part = dir.text("0");
    let lines: Vec<_> = part.split_inclusive('\n').collect();
    assert!(lines.len() > 3, "{part}");
    let without = |line: usize| [&lines[..line], &lines[line + 1..]].concat().concat();
    dir.write("cut", &part[..part.len() - 3]);
    dir.write("endless", without(lines.len() - 1));
    dir.write("missing", without(1));
    dir.write(
        "swapped",
        [lines[0], lines[2], lines[1]].concat() + &lines[3..].concat(),
    );
    dir.write("rest", without(0));
    dir.write("empty", "");
    dir.fail(
        2,
        "join -o out",
        "
        0 1         => part 2 of 3 is in no file | --shard 2/3
        2 1         => part 0 of 3 is in no file | --shard 0/3
        0 1 none    => none: no such file
        0 1 1 2     => 1 and 1 are both part 1 of 3 | once
        0 of-2 2    => 0 and of-2 are not of one call | write one
        0 far 2     => 0 and far are not of one call
        0 strings 2 => 0 and strings are not of one call
        2 other 0   => 0 and other are not of one call
        by-1 by-3 0 => are not of one call
        0 whole     => whole is a file of rows | but 0 is a part
        0 rest      => rest is a file of rows | but 0 is a part
        0 1 empty   => empty is an empty file, but 0 is a part
        cut 1 2     => cut ends within a line | write this part again
        endless 1 2 => endless ends within a line
        missing 1 2 => missing: line  | write this part again
        swapped 1 2 => swapped: line 3 is not the next pair
    ",
    );
    assert!(!dir.path("out").exists());
    assert_eq!(dir.swath("join 2 0 1").ok(), dir.text("whole"));
}

#[test]
fn summaries_and_plans_tell_numbers_of_pairs() {
    let dir = dir();
    dir.swath("neighbors u.fa -k 1 -o out.tsv --json").has(
        "schema=swath/neighbors/1 | problem=neighbors | max_distance=1 | pairs=5 | device=cpu | \
         a={\"name\":\"u.fa\",\"strings\":6,\"symbols\":24}",
    );
    assert_eq!(dir.text("out.tsv"), dir.swath("neighbors u.fa -k 1").ok());
    dir.swath("neighbors u.fa -k 1 -o out.tsv --clusters components --json")
        .has("clusters=2");
    dir.swath("neighbors u.fa -k 1 --dry-run --json")
        .has("schema=swath/neighbors-plan/1 | expected_pairs=5");
    dir.swath("neighbors u.fa -k 1 --dry-run")
        .shows("expected pairs  5\n");
    dir.swath("neighbors u.fa -k 1 --progress always")
        .notes("pairs           5\n | 100 %");
    // Many pairs are announced before the work.
    dir.write("equal.txt", "ACGT\n".repeat(50_000));
    dir.swath("neighbors equal.txt -k 2 --dry-run")
        .shows("expected pairs  1249975000\n");
    let clusters = dir
        .swath("neighbors equal.txt -k 2 --clusters components")
        .ok();
    assert!(clusters.lines().all(|line| line.ends_with("\t0\t0\t50000")));
    // All copies are of part 0.
    let part = dir.swath("neighbors equal.txt -k 0 --shard 1/2").ok();
    assert_eq!(part.lines().last(), Some("#end, pairs 0"));
}

#[test]
fn invalid_calls_name_the_place_and_the_way_out() {
    let dir = dir();
    for [name, text] in table(
        r"
        odd.txt   => ACGT 9\nACGG\n
        great.txt => ACGT 9\nACGG 18446744073709551616\n
        great.fa  => >x;size=18446744073709551616\nACGT\n
        blank.fa  => >x ;size=3\nACGT\n
        rna.txt   => ACGT\nAUGT\n
    ",
    ) {
        dir.write(name, text);
    }
    dir.fail(2, "neighbors -k 1", "
        none.fa                                           => none.fa: no such file
        - -                                               => '-' is given twice
        u.fa --json                                       => --json | --output FILE
        u.fa -o u.fa                                      => u.fa, an input, which would be lost
        u.fa --clusters components --format mtx           => --format mtx | tsv, ndjson or npy
        u.fa --format npy --shard 0/2                     => --shard
        u.fa --clusters components --members --format npy => --members | tsv or ndjson
        cells.txt --by 4                                  => cells.txt:1: no column 4 | the line has 3 | --by and --column
        cells.txt a.txt --by 1                            => a.txt:1: no column 2 | between tabs | the line has 1
        u.fa --by 1                                       => u.fa has records | --by | --symbols lines | seqkit fx2tab
        strands.txt rna.txt --strand both                 => rna.txt:2: 'U' at position 1 | no letter of DNA | --strand forward
        strands.txt --strand both --symbols chars         => --strand both is for DNA in bytes | --symbols bytes
        odd.txt --clusters directional --counts last      => odd.txt:2: no number after the string | 'ACGT 12'
        great.txt --clusters directional --counts last    => great.txt:2 | '18446744073709551616' is no whole number below 2^64
        great.fa --clusters directional --counts size     => record 'x;size=18446744073709551616' | no whole number below 2^64
        blank.fa --clusters directional --counts size     => blank.fa, record 'x' | no annotation ';size=N' | before the first blank
        odd.txt --clusters directional --counts size      => odd.txt has lines without names
        u.fa --clusters directional --counts first        => u.fa has records | --counts size
    ");
    dir.fail(
        4,
        "neighbors u.fa -k 1",
        "
        --mem-host 10  => --mem-host
        --mem-host 400 => the tables of the strings
    ",
    );
    dir.end(
        2,
        "neighbors",
        "
        u.fa                                  => --max-distance
        u.fa -k -1                            => give a whole number from 0 on
        u.fa -k 1 --counts size               => --clusters
        u.fa -k 1 --members                   => --clusters
        u.fa -k 1 --by 0                      => give a whole number from 1 on
        u.fa -k 1 --positions --show strings  => --show
        u.fa -k 1 --strand reverse            => forward, both
        u.fa b.txt -k 1 --clusters components => [B]
        u.fa -k 1 --shard 3/3                 => from 0 to 2
    ",
    );
}

#[test]
fn a_gpu_writes_the_bytes_of_the_cpu_and_is_named() {
    let Some(gpu) = gpu() else { return };
    let mut random = Random(3);
    let lines: Vec<_> = (0..800)
        .map(|line| random.dna_text(6 + line % 5) + "\n")
        .collect();
    let keyed = (0..)
        .zip(&lines)
        .map(|(key, line)| format!("{}\t{line}", key % 2));
    let keyed: String = keyed.collect();
    let dir = Dir::texts(&[("lines.txt", &lines.concat()), ("keyed.txt", &keyed)]);
    let rows = [
        "lines.txt -k 2",
        "lines.txt -k 2 --clusters components",
        "lines.txt -k 2 --strand both",
        "keyed.txt -k 2 --by 1 --strand both",
        "lines.txt -k 1 --format mtx",
    ];
    each(rows, |args| {
        let [on_cpu, on_gpu] = ["cpu", &gpu].map(|device| {
            let run = dir.swath(format!("neighbors {args} -o rows --device {device} --json"));
            assert_eq!(run.json()["device"] == "cpu", device == "cpu");
            dir.text("rows")
        });
        assert!(on_cpu.len() > 1000);
        assert_eq!(on_gpu, on_cpu);
    });
}
