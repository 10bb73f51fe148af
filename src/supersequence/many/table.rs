//! Exact table with one dimension per input.
//!
//! A cell stands for a prefix of every input. Its length is the minimum over symbols of one plus
//! the cell where all prefixes that end in that symbol have lost it. Cost: the product of (length +
//! 1) over the inputs, times the square of their number; 32 bits per cell.

use crate::call::control::Control;
use crate::call::phase::Phase;
use crate::error::Result;
use crate::lcs::subsequence::{Block, Subsequence};

/// Cells between cancellation checks.
const CHECK_EVERY: usize = 1 << 20;

/// A shortest common supersequence. Tie-break, traced back from the end: among optimal symbols, the
/// last symbol of the first input that has one.
pub(super) fn solve(inputs: &[&[u32]], control: &Control) -> Result<Vec<u32>> {
    let strides = strides(inputs);
    let table = fill(inputs, &strides, control)?;
    let mut place: Vec<usize> = inputs.iter().map(|input| input.len()).collect();
    let mut cell = table.len() - 1;
    let mut symbols = Vec::with_capacity(table[cell] as usize);
    while cell > 0 {
        let next = choices(inputs, &strides, &place)
            .find(|(_, back)| table[cell - back] + 1 == table[cell]);
        let Some((symbol, back)) = next else { break };
        for (length, input) in place.iter_mut().zip(inputs) {
            *length -= usize::from(ends_with(input, *length, symbol));
        }
        cell -= back;
        symbols.push(symbol);
    }
    symbols.reverse();
    Ok(symbols)
}

/// Symbols of the canonical supersequence of two inputs that serve both. Traced back from the last
/// cell: a symbol of `a` alone if that is optimal, otherwise a shared symbol, otherwise a symbol of
/// `b` alone.
pub(super) fn shared(a: &[u32], b: &[u32], control: &Control) -> Result<Subsequence> {
    let (inputs, width) = ([a, b], b.len() + 1);
    let table = fill(&inputs, &strides(&inputs), control)?;
    let (mut i, mut j) = (a.len(), b.len());
    let mut runs = Vec::new();
    while i > 0 && j > 0 {
        if table[(i - 1) * width + j] + 1 == table[i * width + j] {
            i -= 1;
        } else if a[i - 1] == b[j - 1] {
            (i, j) = (i - 1, j - 1);
            runs.push(Block { a: i, b: j, len: 1 });
        } else {
            j -= 1;
        }
    }
    Ok(runs.into_iter().rev().collect())
}

/// Distance in cells between neighbours along each dimension.
fn strides(inputs: &[&[u32]]) -> Vec<usize> {
    let mut strides = vec![1; inputs.len()];
    for dimension in (1..inputs.len()).rev() {
        strides[dimension - 1] = strides[dimension] * (inputs[dimension].len() + 1);
    }
    strides
}

fn fill(inputs: &[&[u32]], strides: &[usize], control: &Control) -> Result<Vec<u32>> {
    let cells = inputs.iter().map(|input| input.len() + 1).product();
    control.set_phase(Phase::Sweep);
    control.add_total(cells as u64);
    let mut table = vec![0u32; cells];
    let mut index = vec![0; inputs.len()];
    for cell in 1..cells {
        step(&mut index, inputs);
        table[cell] = choices(inputs, strides, &index)
            .map(|(_, back)| table[cell - back] + 1)
            .min()
            .unwrap_or(0);
        if cell.is_multiple_of(CHECK_EVERY) {
            control.check()?;
            control.add_done(CHECK_EVERY as u64);
        }
    }
    Ok(table)
}

/// Advances to the next cell.
fn step(place: &mut [usize], inputs: &[&[u32]]) {
    for (length, input) in place.iter_mut().zip(inputs).rev() {
        if *length < input.len() {
            *length += 1;
            return;
        }
        *length = 0;
    }
}

fn ends_with(input: &[u32], length: usize, symbol: u32) -> bool {
    length > 0 && input[length - 1] == symbol
}

/// Candidate last symbols of the prefixes, each with the distance to the cell without it.
fn choices(
    inputs: &[&[u32]],
    strides: &[usize],
    place: &[usize],
) -> impl Iterator<Item = (u32, usize)> {
    let lasts = place
        .iter()
        .zip(inputs)
        .filter(|(length, _)| **length > 0)
        .map(|(length, input)| input[length - 1]);
    lasts.map(move |symbol| {
        let without = place.iter().zip(inputs).zip(strides);
        let back = without
            .filter(|((length, input), _)| ends_with(input, **length, symbol))
            .map(|(_, stride)| stride)
            .sum();
        (symbol, back)
    })
}
