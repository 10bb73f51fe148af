//! Reference method: the stable sort of the standard library.

use super::Key;

/// Keys and payload (empty if none) in the order of the masked bits.
pub fn sort<K: Key>(keys: &[K], payload: &[u32], mask: u64) -> (Vec<K>, Vec<u32>) {
    let mut order: Vec<usize> = (0..keys.len()).collect();
    order.sort_by_key(|&index| keys[index].wide() & mask);
    let sorted = order.iter().map(|&index| keys[index]).collect();
    (
        sorted,
        order
            .iter()
            .filter_map(|&index| payload.get(index).copied())
            .collect(),
    )
}
