//! Removal of symbols that no input needs.

use crate::host::parallel::map;

/// Shrinks a common supersequence until no symbol can be removed. From left to right, drops a
/// symbol if every input is still a subsequence of the kept symbols before it and all symbols after
/// it. Cost: two steps and 32 bits per input and symbol; drops nothing if that exceeds
/// `limit_bytes`.
pub(super) fn reduce(symbols: Vec<u32>, inputs: &[&[u32]], limit_bytes: u64) -> Vec<u32> {
    if 4 * (symbols.len() as u64 + 1) * inputs.len() as u64 > limit_bytes {
        return symbols;
    }
    // Per input and position: length of its longest suffix embedded from there to the end.
    let behind: Vec<Vec<u32>> = map(inputs.len(), |input| {
        let (input, mut counts) = (inputs[input], vec![0; symbols.len() + 1]);
        for (index, symbol) in symbols.iter().enumerate().rev() {
            let count = counts[index + 1];
            let next = input.len().checked_sub(count as usize + 1);
            counts[index] = count + u32::from(next.is_some_and(|next| input[next] == *symbol));
        }
        counts
    });
    let mut before = vec![0usize; inputs.len()];
    let mut kept = Vec::with_capacity(symbols.len());
    for (index, &symbol) in symbols.iter().enumerate() {
        let fits = |((input, before), behind): ((&&[u32], &usize), &Vec<u32>)| {
            before + behind[index + 1] as usize >= input.len()
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
