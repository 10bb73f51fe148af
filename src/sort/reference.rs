//! Reference method: the stable sort of the standard library.

use super::Key;

/// Keys and payload (empty if none) in the order of the masked bits.
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
