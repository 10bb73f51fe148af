//! Test inputs for all methods.

/// Reproducible random numbers (xorshift, Marsaglia 2003).
#[derive(Clone)]
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    pub(crate) fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 24) as usize % limit.max(1)
    }

    pub(crate) fn codes(&mut self, len: usize, letters: u32) -> Vec<u32> {
        (0..len)
            .map(|_| self.below(letters as usize) as u32)
            .collect()
    }

    pub(crate) fn bytes(&mut self, len: usize, letters: u8) -> Vec<u8> {
        (0..len).map(|_| self.below(letters.into()) as u8).collect()
    }

    /// A copy with one symbol in `every` replaced, deleted or doubled.
    pub(crate) fn edited(&mut self, symbols: &[u32], every: usize, letters: u32) -> Vec<u32> {
        let mut edited = Vec::with_capacity(symbols.len());
        for &symbol in symbols {
            match self.below(3 * every) {
                0 => edited.push(self.below(letters as usize) as u32),
                1 => {}
                2 => edited.extend([symbol, symbol]),
                _ => edited.push(symbol),
            }
        }
        edited
    }
}

/// Letters of DNA for codes up to 3.
pub(crate) fn dna(codes: &[u32]) -> Vec<u8> {
    codes.iter().map(|&code| b"ACGT"[code as usize]).collect()
}

/// One pair of each kind: random over several alphabets, similar, periodic, all equal, disjoint,
/// Fibonacci, empty.
pub(crate) fn pairs(rows: usize, cols: usize) -> Vec<(Vec<u32>, Vec<u32>)> {
    let mut random = Random::new((rows * 10_007 + cols) as u64);
    let mut pairs: Vec<_> = [1, 2, 4, 5, 20, 26, 256, 100_000]
        .into_iter()
        .map(|letters| (random.codes(rows, letters), random.codes(cols, letters)))
        .collect();
    let periodic = |len: usize, period: usize| {
        (0..len)
            .map(|index| (index % period) as u32)
            .collect::<Vec<_>>()
    };
    let base = random.codes(rows, 4);
    pairs.push((base.clone(), random.edited(&base, 20, 4)));
    pairs.push((base.clone(), base.clone()));
    pairs.push((periodic(rows, 3), periodic(cols, 5)));
    pairs.push((vec![9; rows], vec![9; cols]));
    pairs.push((vec![1; rows], vec![2; cols]));
    pairs.push((fibonacci(rows), fibonacci(cols).into_iter().rev().collect()));
    // One-sided symbols on both sides.
    pairs.push((
        random.codes(rows, 6),
        random
            .codes(cols, 6)
            .into_iter()
            .map(|symbol| symbol + 2)
            .collect(),
    ));
    pairs.push((Vec::new(), random.codes(cols, 4)));
    pairs.push((random.codes(rows, 4), Vec::new()));
    pairs
}

pub(crate) fn fibonacci(len: usize) -> Vec<u32> {
    let (mut word, mut previous) = (vec![0], vec![1]);
    while word.len() < len {
        let next = [&word[..], &previous[..]].concat();
        previous = std::mem::replace(&mut word, next);
    }
    word.truncate(len);
    word
}
