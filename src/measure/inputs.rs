//! Reproducible random inputs by xorshift (Marsaglia 2003).

/// A generator of numbers below the limit passed to each call.
fn numbers(seed: u64) -> impl FnMut(u64) -> u64 {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64.wrapping_mul(seed);
    move |limit| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 20) % limit
    }
}

/// `count` random symbols below `symbols`.
pub fn letters(count: usize, symbols: u64, seed: u64) -> Vec<u8> {
    let mut number = numbers(seed);
    std::iter::repeat_with(|| number(symbols) as u8)
        .take(count)
        .collect()
}

/// A copy with a share of `edits / of` edits: replacements, deletions and insertions, equally
/// likely; the alphabet has four symbols.
pub fn edited(symbols: &[u8], edits: u64, of: u64, seed: u64) -> Vec<u8> {
    let mut number = numbers(seed);
    let mut copy = Vec::with_capacity(symbols.len());
    for &symbol in symbols {
        if number(of) >= edits {
            copy.push(symbol);
            continue;
        }
        match number(3) {
            0 => copy.push((symbol + 1 + number(3) as u8) % 4),
            1 => {}
            _ => copy.extend([symbol, number(4) as u8]),
        }
    }
    copy
}

/// `leaves + 1` random numbers from 1 to `limit`.
pub fn dimensions(leaves: usize, limit: u64, seed: u64) -> Vec<u64> {
    let mut number = numbers(seed);
    std::iter::repeat_with(|| 1 + number(limit))
        .take(leaves + 1)
        .collect()
}

pub fn words(count: usize, seed: u64) -> Vec<u32> {
    let mut number = numbers(seed);
    std::iter::repeat_with(|| number(1 << 32) as u32)
        .take(count)
        .collect()
}
