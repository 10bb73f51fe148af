//! Prefix hashes; the hash of any window follows from two of them.

use super::hash;
use crate::host::parallel::{for_each_chunk_mut, map_ranges};
use crate::substring::texts::Code;

/// Symbols between two stored prefix hashes.
pub(super) const STRIDE: usize = 64;
/// Symbols hashed per task.
const TASK: usize = STRIDE << 8;

pub(crate) fn host_bytes(symbols: usize) -> u64 {
    (symbols / STRIDE * size_of::<u64>()) as u64
}

/// The hashes of the prefixes of every [`STRIDE`] symbols, starting with the empty prefix.
pub(crate) fn prefixes<C: Code>(text: &[C], base: u64) -> Vec<u64> {
    let whole = map_ranges(text.len(), TASK, |part| extend(0, base, &text[part]));
    let task_power = hash::power(base, TASK);
    let mut before = 0;
    let next = |part: u64| {
        let start = before;
        before = hash::add(hash::multiply(before, task_power), part);
        start
    };
    let mut starts: Vec<_> = whole.into_iter().map(next).collect();
    // A text of whole tasks has one more prefix.
    starts.push(before);
    let mut prefixes = vec![0; text.len() / STRIDE + 1];
    for_each_chunk_mut(&mut prefixes, TASK / STRIDE, |task, prefixes| {
        let part = &text[task * TASK..text.len().min((task + 1) * TASK)];
        let mut hash = starts[task];
        for (place, prefix) in prefixes.iter_mut().enumerate() {
            *prefix = hash;
            let symbols = part.get(place * STRIDE..(place + 1) * STRIDE);
            hash = symbols.map_or(hash, |symbols| extend(hash, base, symbols));
        }
    });
    prefixes
}

pub(super) fn extend<C: Code>(hash: u64, base: u64, symbols: &[C]) -> u64 {
    let next = |hash, symbol: &C| hash::add(hash::multiply(hash, base), u64::from(symbol.number()));
    symbols.iter().fold(hash, next)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prefix_hashes_equal_a_single_pass_at_task_edges() {
        let base = hash::base(7);
        for count in [
            0,
            1,
            STRIDE - 1,
            STRIDE,
            STRIDE + 1,
            TASK - 1,
            TASK,
            TASK + 1,
            2 * TASK,
            3 * TASK + 77,
        ] {
            let text: Vec<u8> = (0..count)
                .map(|place| hash::mix(place as u64) as u8)
                .collect();
            let expected: Vec<_> = (0..=count / STRIDE)
                .map(|place| extend(0, base, &text[..place * STRIDE]))
                .collect();
            assert_eq!(prefixes(&text, base), expected, "{count}");
        }
    }
}
