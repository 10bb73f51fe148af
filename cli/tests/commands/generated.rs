//! Pseudo-random inputs, and references to check answers by.

use crate::process::Dir;

/// Linear congruential generator.
pub struct Random(pub u64);

impl Random {
    pub fn below(&mut self, limit: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % limit
    }

    pub fn dna(&mut self, len: usize) -> Vec<u8> {
        (0..len).map(|_| b"ACGT"[self.below(4)]).collect()
    }

    pub fn dna_text(&mut self, len: usize) -> String {
        text(&self.dna(len))
    }

    /// About one symbol in `every` is replaced, deleted, or followed by new ones.
    pub fn edited(&mut self, dna: &[u8], every: usize) -> Vec<u8> {
        let mut edited = Vec::new();
        for &letter in dna {
            match self.below(3 * every) {
                0 => edited.extend(self.dna(1)),
                1 => {}
                2 => {
                    let more = 1 + self.below(9);
                    edited.push(letter);
                    edited.extend(self.dna(more));
                }
                _ => edited.push(letter),
            }
        }
        edited
    }
}

pub fn text(dna: &[u8]) -> String {
    String::from_utf8(dna.to_vec()).expect("letters")
}

pub fn reverse_complement(dna: &[u8]) -> Vec<u8> {
    let complement = |letter: &u8| match letter {
        b'A' => b'T',
        b'C' => b'G',
        b'G' => b'C',
        b'T' => b'A',
        other => *other,
    };
    dna.iter().rev().map(complement).collect()
}

pub fn rotated(dna: &[u8], start: usize) -> Vec<u8> {
    [&dna[start..], &dna[..start]].concat()
}

pub fn fasta(records: &[(&str, impl AsRef<[u8]>)]) -> Vec<u8> {
    let mut text = Vec::new();
    for (name, dna) in records {
        text.extend(format!(">{name} some words\n").into_bytes());
        for line in dna.as_ref().chunks(70) {
            text.extend(line);
            text.push(b'\n');
        }
    }
    text
}

/// `a.fa` with the record `a`, and `b.fa` with the record `b`.
pub fn pair(a: &[u8], b: &[u8]) -> Dir {
    Dir::new(&[("a.fa", &fasta(&[("a", a)])), ("b.fa", &fasta(&[("b", b)]))])
}

/// Edit distance by the textbook recurrence.
pub fn distance(a: &[u8], b: &[u8]) -> usize {
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.iter().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, y) in b.iter().enumerate() {
            let paired = diagonal + usize::from(x != y);
            let least = (row[j] + 1).min(row[j + 1] + 1).min(paired);
            (diagonal, row[j + 1]) = (row[j + 1], least);
        }
    }
    row[b.len()]
}

/// Operations of a CIGAR, each with the parts of both sequences that it spans; they span all.
pub fn cigar_parts<'a>(cigar: &str, a: &'a [u8], b: &'a [u8]) -> Vec<(char, &'a [u8], &'a [u8])> {
    let (mut parts, mut i, mut j) = (Vec::new(), 0, 0);
    for part in cigar.split_inclusive(|letter: char| !letter.is_ascii_digit()) {
        let (count, letter) = part.split_at(part.len() - 1);
        let count: usize = count.parse().expect("a number");
        let (m, n) = match letter {
            "=" | "X" => (count, count),
            "I" => (count, 0),
            "D" => (0, count),
            other => panic!("{other} in a CIGAR"),
        };
        parts.push((
            letter.chars().next().expect("a letter"),
            &a[i..i + m],
            &b[j..j + n],
        ));
        (i, j) = (i + m, j + n);
    }
    assert_eq!((i, j), (a.len(), b.len()), "{cigar}");
    parts
}
