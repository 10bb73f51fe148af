//! Polynomial hashes of all windows of a sequence.

use super::codes::Symbol;

/// Multiplier (Knuth's 64-bit linear congruential generator).
const MULTIPLIER: u64 = 6_364_136_223_846_793_005;

/// Hash of one window.
pub(crate) fn hash<S: Symbol>(window: &[S]) -> u64 {
    window.iter().fold(0, |hash, &symbol| push(hash, symbol))
}

/// Hashes of the windows of `len` symbols, in order; none if there are fewer symbols. `len` is at
/// least 1.
///
/// The last symbols of a window hardly affect the upper bits; those of a [`mixed`] hash depend on all
/// symbols.
pub(crate) fn hashes<S: Symbol>(symbols: &[S], len: usize) -> impl Iterator<Item = u64> {
    // Weight of the symbol that leaves the window.
    let oldest = (0..len).fold(1u64, |power, _| power.wrapping_mul(MULTIPLIER));
    let first = &symbols[..(len - 1).min(symbols.len())];
    let entering = symbols.iter().skip(len - 1);
    // Before the first window, a symbol of value 0 leaves.
    let leaving = std::iter::once(0).chain(symbols.iter().map(|&symbol| value(symbol)));
    entering
        .zip(leaving)
        .scan(hash(first), move |hash, (&symbol, leaving)| {
            *hash = push(*hash, symbol).wrapping_sub(oldest.wrapping_mul(leaving));
            Some(*hash)
        })
}

/// A hash whose upper bits depend on all bits of `hash` (Fibonacci hashing).
pub(crate) fn mixed(hash: u64) -> u64 {
    hash.wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

fn value<S: Symbol>(symbol: S) -> u64 {
    symbol.place() as u64 + 1
}

#[inline(always)]
fn push<S: Symbol>(hash: u64, symbol: S) -> u64 {
    hash.wrapping_mul(MULTIPLIER).wrapping_add(value(symbol))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rolled_hashes_are_those_of_the_windows() {
        let symbols: Vec<u8> = (0..50).map(|place| (place * place % 7) as u8).collect();
        for len in [1, 2, 9, 50, 51] {
            let rolled: Vec<_> = hashes(&symbols, len).collect();
            let expected: Vec<_> = symbols.windows(len).map(hash).collect();
            assert_eq!(rolled, expected, "{len}");
        }
    }
}
