//! Weighted majority merge.
//!
//! Each step appends the symbol that is next in the inputs with the greatest total of remaining
//! symbols. Cost: two steps per input and symbol of the supersequence, as inputs are merged from
//! both ends and the shorter result is taken. Its progress counts the symbols of the inputs.

use std::collections::BTreeMap;

use crate::call::control::Control;
use crate::error::Result;

/// Symbols between progress reports.
const REPORTED_STEPS: u64 = 1 << 12;

/// A common supersequence. Ties: the least code among symbols of equal weight, the merge from the
/// front among results of equal length.
pub(super) fn solve(inputs: &[&[u32]], control: &Control) -> Result<Vec<u32>> {
    control.add_total(2 * inputs.iter().map(|input| input.len() as u64).sum::<u64>());
    let reversed: Vec<Vec<u32>> = inputs
        .iter()
        .map(|input| input.iter().rev().copied().collect())
        .collect();
    let reversed: Vec<&[u32]> = reversed.iter().map(Vec::as_slice).collect();
    let (front, mut back) = (
        from_front(inputs, control)?,
        from_front(&reversed, control)?,
    );
    if front.len() <= back.len() {
        return Ok(front);
    }
    back.reverse();
    Ok(back)
}

fn from_front(inputs: &[&[u32]], control: &Control) -> Result<Vec<u32>> {
    let mut rests = inputs.to_vec();
    let mut symbols = Vec::new();
    let mut steps = 0;
    loop {
        let mut weights: BTreeMap<u32, usize> = BTreeMap::new();
        for rest in &rests {
            if let [first, ..] = rest {
                *weights.entry(*first).or_default() += rest.len();
            }
        }
        let Some(heaviest) = weights.values().copied().max() else {
            control.add_done(steps);
            return Ok(symbols);
        };
        let next = weights
            .into_iter()
            .find(|(_, weight)| *weight == heaviest)
            .map(|(symbol, _)| symbol);
        for rest in &mut rests {
            if rest.first().copied() == next {
                *rest = &rest[1..];
                steps += 1;
            }
        }
        symbols.extend(next);
        if steps >= REPORTED_STEPS {
            control.check()?;
            control.add_done(std::mem::take(&mut steps));
        }
    }
}
