//! The reference: the stable sort of the standard library.

use super::Key;

/// Keys, and the payload that goes with them where there is any, ordered by the bits of the mask.
pub fn sort<K: Key>(keys: &[K], payload: &[u32], mask: u64) -> (Vec<K>, Vec<u32>) {
    let mut order: Vec<usize> = (0..keys.len()).collect();
    order.sort_by_key(|&place| keys[place].wide() & mask);
    let sorted = order.iter().map(|&place| keys[place]).collect();
    (
        sorted,
        order
            .iter()
            .filter_map(|&place| payload.get(place).copied())
            .collect(),
    )
}
