//! Key types and their digits.

mod sealed {
    pub trait Sealed {}
    impl Sealed for u32 {}
    impl Sealed for u64 {}
}

/// Type of keys: `u32` or `u64`. Sealed.
///
/// [`RadixSort`](super::RadixSort) has an example.
pub trait Key:
    Copy + Ord + Default + std::fmt::Debug + Send + Sync + sealed::Sealed + 'static
{
    /// Bits per key.
    const BITS: u32;

    /// The key as a 64-bit number.
    #[doc(hidden)]
    fn wide(self) -> u64;

    /// Writes keys as words, low word first.
    #[doc(hidden)]
    fn write_words(keys: &[Self], words: &mut [u32]);

    /// Reads keys from words, low word first.
    #[doc(hidden)]
    fn read_words(words: &[u32], keys: &mut [Self]);
}

impl Key for u32 {
    const BITS: u32 = 32;

    fn wide(self) -> u64 {
        u64::from(self)
    }

    fn write_words(keys: &[Self], words: &mut [u32]) {
        words.copy_from_slice(keys);
    }

    fn read_words(words: &[u32], keys: &mut [Self]) {
        keys.copy_from_slice(words);
    }
}

impl Key for u64 {
    const BITS: u32 = 64;

    fn wide(self) -> u64 {
        self
    }

    fn write_words(keys: &[Self], words: &mut [u32]) {
        for (words, &key) in words.as_chunks_mut().0.iter_mut().zip(keys) {
            *words = [key as u32, (key >> 32) as u32];
        }
    }

    fn read_words(words: &[u32], keys: &mut [Self]) {
        for (key, &[low, high]) in keys.iter_mut().zip(words.as_chunks().0) {
            *key = u64::from(low) | u64::from(high) << 32;
        }
    }
}

pub(crate) fn words_of<K: Key>() -> u32 {
    K::BITS / 32
}

/// Mask of the lowest `bits` bits of a key; all bits if there are no more.
pub(crate) fn low_bits(bits: u32) -> u64 {
    1u64.checked_shl(bits).map_or(u64::MAX, |over| over - 1)
}

/// Bits of a key sorted in one round.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Digit {
    /// Lowest bit.
    pub shift: u32,
    /// Mask after the shift.
    pub mask: u32,
}

const DIGIT_BITS: u32 = 8;

/// Digits for keys that differ in `bits` only, lowest first. No digit crosses a word boundary.
pub fn digits(bits: u64) -> Vec<Digit> {
    let digit = |place: u32| {
        let shift = place * DIGIT_BITS;
        let mask = ((bits >> shift) & low_bits(DIGIT_BITS)) as u32;
        // Equal bits within the mask are harmless.
        Digit {
            shift,
            mask: low_bits(u32::BITS - mask.leading_zeros()) as u32,
        }
    };
    (0..u64::BITS / DIGIT_BITS)
        .map(digit)
        .filter(|digit| digit.mask != 0)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_cover_the_bits_in_which_keys_differ() {
        let of = |bits| {
            digits(bits)
                .iter()
                .map(|digit| (digit.shift, digit.mask))
                .collect::<Vec<_>>()
        };
        assert_eq!(of(0), []);
        assert_eq!(of(0xfff), [(0, 0xff), (8, 0xf)]);
        assert_eq!(of(0x8000_0000_0100_0000), [(24, 1), (56, 0xff)]);
        assert_eq!(of(u64::MAX).len(), 8);
        assert_eq!(
            [0, 1, 12, 63, 64, 90].map(low_bits),
            [0, 1, 0xfff, u64::MAX >> 1, u64::MAX, u64::MAX]
        );
    }

    #[test]
    fn keys_round_trip_through_words() {
        let keys = [0u64, 1, 1 << 32, u64::MAX, 0x0123_4567_89ab_cdef];
        let (mut words, mut back) = ([0; 10], [0; 5]);
        u64::write_words(&keys, &mut words);
        assert_eq!(words[8..], [0x89ab_cdef, 0x0123_4567]);
        u64::read_words(&words, &mut back);
        assert_eq!(back, keys);
    }
}
