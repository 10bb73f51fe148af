//! Random inputs by xorshift (Marsaglia 2003), the same for a seed everywhere.

/// A stream of numbers below the limit of each call.
fn numbers(seed: u64) -> impl FnMut(u64) -> u64 {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64.wrapping_mul(seed);
    move |limit| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 20) % limit
    }
}

/// Symbols of an alphabet of so many.
pub fn letters(count: usize, symbols: u64, seed: u64) -> Vec<u8> {
    let mut number = numbers(seed);
    std::iter::repeat_with(|| number(symbols) as u8)
        .take(count)
        .collect()
}

/// A copy with `edits` of `of` symbols replaced, dropped or followed by another, each as often; the alphabet has four.
pub fn edited(symbols: &[u8], (edits, of): (u64, u64), seed: u64) -> Vec<u8> {
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

/// Numbers from 1 to `limit`, one more than `leaves`.
pub fn dimensions(leaves: usize, limit: u64, seed: u64) -> Vec<u64> {
    let mut number = numbers(seed);
    std::iter::repeat_with(|| 1 + number(limit))
        .take(leaves + 1)
        .collect()
}

/// Words.
pub fn words(count: usize, seed: u64) -> Vec<u32> {
    let mut number = numbers(seed);
    std::iter::repeat_with(|| number(1 << 32) as u32)
        .take(count)
        .collect()
}
