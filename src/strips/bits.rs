//! Bit strings that grow.

/// A bit string, its first bit in bit 0 of the first word; bits past the last are 0.
#[derive(Clone, Debug, Default)]
pub(crate) struct Bits {
    words: Vec<u64>,
    len: usize,
}

impl Bits {
    /// An empty string in the room of other words.
    pub(crate) fn over(mut words: Vec<u64>) -> Self {
        words.clear();
        Self { words, len: 0 }
    }

    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// How many bits are 1.
    pub(crate) fn ones(&self) -> u64 {
        self.words.iter().map(|word| u64::from(word.count_ones())).sum()
    }

    pub(crate) fn into_words(self) -> Vec<u64> {
        self.words
    }

    /// Adds `count` bits, at most 64; those behind them are 0.
    pub(crate) fn push(&mut self, word: u64, count: usize) {
        if count == 0 {
            return;
        }
        let place = self.len % 64;
        if place == 0 {
            self.words.push(word);
        } else {
            if let Some(last) = self.words.last_mut() {
                *last |= word << place;
            }
            if place + count > 64 {
                self.words.push(word >> (64 - place));
            }
        }
        self.len += count;
    }

    /// The `count` bits, at most 64, from bit `first` on.
    pub(crate) fn get(&self, first: usize, count: usize) -> u64 {
        let word = |place: usize| self.words.get(place).copied().unwrap_or_default();
        let (place, shift) = (first / 64, first % 64);
        let above = if shift == 0 { 0 } else { word(place + 1) << (64 - shift) };
        let kept = if count < 64 { !(!0 << count) } else { !0 };
        (word(place) >> shift | above) & kept
    }
}
