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

#[cfg(test)]
mod tests {
    use super::super::inputs::Random;
    use super::Bits;

    /// The `count` bits from bit `first` on, 0 past the last.
    fn plain(bits: &[bool], first: usize, count: usize) -> u64 {
        (0..count).filter(|step| bits.get(first + step) == Some(&true)).fold(0, |word, step| word | 1 << step)
    }

    #[test]
    fn bits_are_got_from_every_offset_as_they_were_pushed_at_every_offset() {
        let mut random = Random::new(17);
        for offset in 0..64 {
            for count in [0, 1, 2, 31, 32, 33, 63, 64] {
                let bits: Vec<bool> = (0..offset + count + 64).map(|_| random.below(2) == 1).collect();
                let mut pushed = Bits::over(vec![!0; 3]);
                let mut ends = vec![0];
                for pushing in [offset, count, 64] {
                    pushed.push(plain(&bits, pushed.len(), pushing), pushing);
                    ends.push(pushed.len());
                }
                assert_eq!(ends, [0, offset, offset + count, bits.len()]);
                assert_eq!(pushed.ones(), bits.iter().filter(|&&bit| bit).count() as u64, "{offset} {count}");
                for first in 0..bits.len() + 70 {
                    for got in [0, 1, 5, 63, 64] {
                        let expected = plain(&bits, first, got);
                        assert_eq!(pushed.get(first, got), expected, "{offset} {count}: {got} from {first}");
                    }
                }
                let words: Vec<u64> = (0..bits.len()).step_by(64).map(|first| plain(&bits, first, 64)).collect();
                assert_eq!(pushed.into_words(), words, "{offset} {count}");
            }
        }
    }
}
