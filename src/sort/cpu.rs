//! On the CPU: the parallel merge sort of rayon, which compares keys. A stable radix sort that is parallel is in no crate that is
//! maintained.

use rayon::prelude::*;

use super::Key;

/// Keys ordered by the bits of the mask, and their payload. Runs on the threads of the pool that it is called in.
pub fn sort<K: Key>(keys: &[K], payload: Option<&[u32]>, mask: u64) -> (Vec<K>, Vec<u32>) {
    match payload {
        Some(payload) => {
            let mut pairs: Vec<_> = keys.iter().copied().zip(payload.iter().copied()).collect();
            pairs.par_sort_by_key(|(key, _)| key.wide() & mask);
            pairs.into_iter().unzip()
        }
        None => {
            let mut keys = keys.to_vec();
            keys.par_sort_by_key(|key| key.wide() & mask);
            (keys, Vec::new())
        }
    }
}
