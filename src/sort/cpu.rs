//! Parallel stable radix sort on the CPU, by the same digits as on a GPU; no maintained crate has
//! one.
//!
//! Each round counts the digits of every block of keys. Each block then owns, per digit, a range of
//! the output after those of the preceding blocks, and fills it in order.

use std::ops::Range;
use std::slice::IterMut;

use super::Key;
use super::key::{Digit, digits};
use crate::call::control::Control;
use crate::error::Result;
use crate::host::parallel::{try_map_mut, try_map_ranges};

const RADIX: usize = 256;
/// Keys per block: small enough to notice cancellation soon, large enough to amortize its counts.
const BLOCK: usize = 1 << 16;

/// Sorts by these digits; keys differ in `bits` only. Runs on the current thread pool.
pub(crate) fn sort<K: Key>(
    keys: &[K],
    payload: Option<&[u32]>,
    bits: u64,
    control: &Control,
) -> Result<(Vec<K>, Vec<u32>)> {
    let payload = payload.unwrap_or_default();
    let digits = digits(bits);
    control.add_total(digits.len() as u64 * keys.len() as u64);
    let Some((&lowest, higher)) = digits.split_first() else {
        return Ok((keys.to_vec(), payload.to_vec()));
    };
    let array = || (vec![K::default(); keys.len()], vec![0; payload.len()]);
    let mut sorted = array();
    round(lowest, keys, payload, &mut sorted.0, &mut sorted.1, control)?;
    let mut other = if higher.is_empty() {
        Default::default()
    } else {
        array()
    };
    for &digit in higher {
        round(
            digit,
            &sorted.0,
            &sorted.1,
            &mut other.0,
            &mut other.1,
            control,
        )?;
        std::mem::swap(&mut sorted, &mut other);
    }
    Ok(sorted)
}

fn round<K: Key>(
    digit: Digit,
    keys: &[K],
    payload: &[u32],
    sorted_keys: &mut [K],
    sorted_payload: &mut [u32],
    control: &Control,
) -> Result<()> {
    let of = |key: &K| (key.wide() >> digit.shift) as usize & digit.mask as usize & (RADIX - 1);
    let count = |block: Range<usize>| {
        control.check()?;
        let mut counts = [0; RADIX];
        keys[block].iter().for_each(|key| counts[of(key)] += 1);
        Ok(counts)
    };
    let counts = try_map_ranges(keys.len(), BLOCK, count)?;
    let block = |block: usize| block * BLOCK..keys.len().min((block + 1) * BLOCK);
    try_map_mut(&mut stretches(sorted_keys, &counts), |number, stretches| {
        control.check()?;
        let keys = &keys[block(number)];
        fill(stretches, keys.iter().map(|key| (of(key), *key)));
        control.add_done(keys.len() as u64);
        Ok(())
    })?;
    if payload.is_empty() {
        return Ok(());
    }
    try_map_mut(
        &mut stretches(sorted_payload, &counts),
        |number, stretches| {
            control.check()?;
            let (keys, payload) = (&keys[block(number)], &payload[block(number)]);
            fill(
                stretches,
                keys.iter().zip(payload).map(|(key, &word)| (of(key), word)),
            );
            Ok(())
        },
    )?;
    Ok(())
}

/// Unwritten output of a block, per digit.
type Stretches<'a, T> = [IterMut<'a, T>; RADIX];

/// Splits the output into the ranges of each block; empty ranges if there is no output.
fn stretches<'a, T>(mut array: &'a mut [T], counts: &[[usize; RADIX]]) -> Vec<Stretches<'a, T>> {
    let none = || std::array::from_fn(|_| IterMut::default());
    let mut blocks: Vec<Stretches<'a, T>> = counts.iter().map(|_| none()).collect();
    for digit in 0..RADIX {
        for (stretches, counts) in blocks.iter_mut().zip(counts) {
            stretches[digit] = array
                .split_off_mut(..counts[digit])
                .unwrap_or_default()
                .iter_mut();
        }
    }
    blocks
}

/// Appends each item to the range of its digit.
fn fill<T>(stretches: &mut Stretches<'_, T>, items: impl Iterator<Item = (usize, T)>) {
    for (digit, item) in items {
        if let Some(index) = stretches[digit].next() {
            *index = item;
        }
    }
}
