//! Reproducible inputs of every kind. An [`Input`] prints as the expression that recreates it.

use std::fmt::{Debug, Formatter, Result};

/// Relation of `a` and `b`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Random,
    /// `b` is `a` with one edit in 20 symbols.
    Similar,
    /// Periods 3 and 5.
    Periodic,
    AllEqual,
    /// Disjoint alphabets.
    Disjoint,
    /// The Fibonacci word and its reversal.
    Fibonacci,
    /// The Thue-Morse word, and the same from its 7th symbol on.
    ThueMorse,
}

impl Kind {
    pub const ALL: [Kind; 7] = [
        Kind::Random,
        Kind::Similar,
        Kind::Periodic,
        Kind::AllEqual,
        Kind::Disjoint,
        Kind::Fibonacci,
        Kind::ThueMorse,
    ];
}

/// A pair of sequences of exact lengths; with [`Kind::Similar`], `b` is truncated or padded.
#[derive(Clone, Copy)]
pub struct Input {
    pub kind: Kind,
    pub letters: u32,
    pub rows: usize,
    pub cols: usize,
    pub seed: u64,
}

impl Debug for Input {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> Result {
        let Input {
            kind,
            letters,
            rows,
            cols,
            seed,
        } = self;
        write!(
            formatter,
            "Input {{ kind: Kind::{kind:?}, letters: {letters}, rows: {rows}, cols: {cols}, seed: {seed} }}"
        )
    }
}

impl Input {
    pub fn random(letters: u32, rows: usize, cols: usize) -> Self {
        Self {
            kind: Kind::Random,
            letters,
            rows,
            cols,
            seed: (rows * 31 + cols) as u64 + 1,
        }
    }

    /// Symbols from 0 on; with 256 letters the last is 255.
    pub fn pair(&self) -> (Vec<u32>, Vec<u32>) {
        let (rows, cols) = (self.rows, self.cols);
        let mut random = Random::new(self.seed);
        let letters = self.letters.max(1);
        let periodic =
            |len: usize, period: usize| (0..len).map(|i| ((i % period) as u32) % letters).collect();
        match self.kind {
            Kind::Random => (random.symbols(rows, letters), random.symbols(cols, letters)),
            Kind::Similar => {
                let a = random.symbols(rows, letters);
                let mut b = random.edited(&a, 20, letters);
                b.truncate(cols);
                let missing = cols - b.len();
                b.extend(random.symbols(missing, letters));
                (a, b)
            }
            Kind::Periodic => (periodic(rows, 3), periodic(cols, 5)),
            Kind::AllEqual => (vec![letters - 1; rows], vec![letters - 1; cols]),
            Kind::Disjoint => {
                let half = (letters / 2).max(1);
                let b = random
                    .symbols(cols, half)
                    .into_iter()
                    .map(|symbol| symbol + half)
                    .collect();
                (random.symbols(rows, half), b)
            }
            Kind::Fibonacci => (fibonacci(rows), fibonacci(cols).into_iter().rev().collect()),
            Kind::ThueMorse => {
                let word = |from: usize, len: usize| {
                    (from..from + len).map(|i| i.count_ones() % 2).collect()
                };
                (word(0, rows), word(7, cols))
            }
        }
    }

    /// As bytes, for up to 256 letters.
    pub fn bytes(&self) -> (Vec<u8>, Vec<u8>) {
        let narrow = |symbols: Vec<u32>| symbols.into_iter().map(|symbol| symbol as u8).collect();
        let (a, b) = self.pair();
        (narrow(a), narrow(b))
    }
}

fn fibonacci(len: usize) -> Vec<u32> {
    let (mut word, mut before) = (vec![0], vec![1]);
    while word.len() < len {
        let next = [&word[..], &before[..]].concat();
        before = std::mem::replace(&mut word, next);
    }
    word.truncate(len);
    word
}

/// Pseudo-random numbers (splitmix64, Steele et al. 2014).
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ (mixed >> 31)) % limit.max(1)
    }

    pub fn pick<T: Copy>(&mut self, choices: &[T]) -> T {
        choices[self.below(choices.len() as u64) as usize]
    }

    pub fn symbols(&mut self, len: usize, letters: u32) -> Vec<u32> {
        (0..len)
            .map(|_| self.below(u64::from(letters)) as u32)
            .collect()
    }

    /// A copy with one symbol in `every` replaced, dropped or doubled.
    pub fn edited(&mut self, symbols: &[u32], every: u64, letters: u32) -> Vec<u32> {
        let mut edited = Vec::with_capacity(symbols.len());
        for &symbol in symbols {
            match self.below(3 * every) {
                0 => edited.push(self.below(u64::from(letters)) as u32),
                1 => {}
                2 => edited.extend([symbol, symbol]),
                _ => edited.push(symbol),
            }
        }
        edited
    }
}

/// Error model between two sequences.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Errors {
    Substitutions,
    Insertions,
    Deletions,
    /// Substitutions, insertions and deletions.
    Mixed,
    /// Blocks are moved.
    Moves,
    /// Blocks are repeated in place.
    Repeats,
}

impl Errors {
    pub const ALL: [Errors; 6] = [
        Errors::Substitutions,
        Errors::Insertions,
        Errors::Deletions,
        Errors::Mixed,
        Errors::Moves,
        Errors::Repeats,
    ];
}

impl Random {
    /// A copy with about one error in `every` symbols; blocks have up to ten times that length and
    /// affect the same share.
    pub fn erroneous(
        &mut self,
        symbols: &[u32],
        errors: Errors,
        every: u64,
        letters: u32,
    ) -> Vec<u32> {
        if matches!(errors, Errors::Moves | Errors::Repeats) {
            return self.with_blocks(symbols, errors, every * 10);
        }
        let kinds = [Errors::Substitutions, Errors::Insertions, Errors::Deletions];
        let mut copy = Vec::with_capacity(symbols.len());
        for &symbol in symbols {
            if self.below(every) > 0 {
                copy.push(symbol);
                continue;
            }
            match if errors == Errors::Mixed {
                self.pick(&kinds)
            } else {
                errors
            } {
                Errors::Substitutions => copy.push((symbol + 1) % letters),
                Errors::Insertions => copy.extend([symbol, self.below(u64::from(letters)) as u32]),
                _ => {}
            }
        }
        copy
    }

    fn with_blocks(&mut self, symbols: &[u32], errors: Errors, longest: u64) -> Vec<u32> {
        let mut copy = symbols.to_vec();
        for _ in 0..=symbols.len() as u64 / longest {
            let start = self.below(copy.len() as u64) as usize;
            let end = copy.len().min(start + 1 + self.below(longest) as usize);
            let block = copy[start..end].to_vec();
            let to = if errors == Errors::Moves {
                copy.drain(start..end);
                self.below(copy.len() as u64 + 1) as usize
            } else {
                end
            };
            copy.splice(to..to, block);
        }
        copy
    }
}

/// Source lines that recreate short inputs, to paste into a test.
pub fn paste<S: Debug>(a: &[S], b: &[S]) -> String {
    if a.len() + b.len() > 400 {
        return String::new();
    }
    format!("let (a, b) = (vec!{a:?}, vec!{b:?});")
}
