//! Width and spacing of the blocks.
//!
//! Every run of `width + step - 1` symbols contains a block of `width` symbols that starts at a
//! multiple of `step`.

use crate::substring::texts::Code;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct BlockSizes {
    /// Symbols per block.
    pub width: usize,
    /// Distance between block starts, at most `width`: two adjacent equal blocks leave no gap that
    /// could differ.
    pub step: usize,
}

/// Maximum width chosen against chance hits; in repeats, wider blocks would not help.
const MAX_CHANCE_WIDTH: usize = 64;
/// Sampled symbols of the estimate.
const SAMPLES: usize = 1 << 14;

impl BlockSizes {
    /// Blocks for matches of at least `min_length >= 1` symbols of `a`: half of `min_length` wide,
    /// or wider if such short blocks would often occur by chance.
    pub(super) fn new<C: Code>(a: &[C], min_length: usize) -> Self {
        let half = min_length.div_ceil(2);
        let width = half.max(rare(a).min(min_length));
        Self {
            width,
            step: width.min(min_length - width + 1),
        }
    }

    pub(super) fn blocks(&self, symbols: usize) -> usize {
        match symbols.checked_sub(self.width) {
            Some(rest) => rest / self.step + 1,
            None => 0,
        }
    }
}

/// The length at which a block is expected by chance in fewer than one of 16 places, from the
/// probability that two symbols are equal.
fn rare<C: Code>(a: &[C]) -> usize {
    let stride = (a.len() / SAMPLES).max(1);
    let mut sample: Vec<_> = a.iter().step_by(stride).map(|code| code.number()).collect();
    sample.sort_unstable();
    let same: f64 = sample
        .chunk_by(|x, y| x == y)
        .map(|run| (run.len() as f64 / sample.len() as f64).powi(2))
        .sum();
    let length = (16.0 * a.len() as f64 + 1.0).ln() / -same.ln();
    // The logarithms are zero or infinite if all symbols are equal or there are none.
    if length < MAX_CHANCE_WIDTH as f64 {
        length.ceil() as usize
    } else {
        MAX_CHANCE_WIDTH
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_match_contains_a_block_and_blocks_leave_no_gap() {
        let letters: Vec<u8> = (0..10_000u32)
            .map(|i| (i.wrapping_mul(2_654_435_761) >> 30) as u8)
            .collect();
        for a in [&letters[..], &[7; 5000], &[1], &[]] {
            for min_length in 1..300 {
                let BlockSizes { width, step } = BlockSizes::new(a, min_length);
                assert!(
                    width >= 1 && step >= 1 && step <= width && width + step - 1 <= min_length,
                    "{min_length}"
                );
            }
        }
        assert_eq!(
            BlockSizes::new(&letters, 1000),
            BlockSizes {
                width: 500,
                step: 500
            }
        );
        assert!((8..=10).contains(&BlockSizes::new(&letters, 10).width));
        assert_eq!(BlockSizes { width: 4, step: 3 }.blocks(10), 3);
        assert_eq!(BlockSizes { width: 4, step: 3 }.blocks(3), 0);
    }
}
