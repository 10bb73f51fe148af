//! Drops the symbols of a supersequence that no input needs.

use rayon::prelude::*;

/// A common supersequence of which no symbol can be left out, from one: from the left, each symbol is dropped where every input
/// still fits into what is kept before it and all that comes behind it. Cost: two steps for every input and symbol, and 32 bits
/// each; where that is more than `limit_bytes` nothing is dropped.
pub(super) fn reduce(symbols: Vec<u32>, inputs: &[&[u32]], limit_bytes: u64) -> Vec<u32> {
    if 4 * (symbols.len() as u64 + 1) * inputs.len() as u64 > limit_bytes {
        return symbols;
    }
    // How many symbols of an input, from its end, lie in what comes behind each place.
    let behind: Vec<Vec<u32>> = inputs
        .par_iter()
        .map(|input| {
            let mut counts = vec![0; symbols.len() + 1];
            for (place, symbol) in symbols.iter().enumerate().rev() {
                let count = counts[place + 1];
                let next = input.len().checked_sub(count as usize + 1);
                counts[place] = count + u32::from(next.is_some_and(|next| input[next] == *symbol));
            }
            counts
        })
        .collect();
    let mut before = vec![0usize; inputs.len()];
    let mut kept = Vec::with_capacity(symbols.len());
    for (place, &symbol) in symbols.iter().enumerate() {
        let fits = |((input, before), behind): ((&&[u32], &usize), &Vec<u32>)| {
            before + behind[place + 1] as usize >= input.len()
        };
        if inputs.iter().zip(&before).zip(&behind).all(fits) {
            continue;
        }
        kept.push(symbol);
        for (count, input) in before.iter_mut().zip(inputs) {
            *count += usize::from(input.get(*count) == Some(&symbol));
        }
    }
    kept
}
