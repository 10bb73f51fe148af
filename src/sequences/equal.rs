//! Lengths of common prefixes and suffixes.

use crate::sequences::codes::Symbol;

pub(crate) const STRIDE: usize = 8;

#[inline]
pub(crate) fn equal_prefix<S: PartialEq>(a: &[S], b: &[S]) -> usize {
    by_strides(a, b, |x, y| {
        // A stride of equal symbols compares as one block if the type allows it.
        if x == y {
            return STRIDE;
        }
        let unequal = x
            .iter()
            .zip(y)
            .enumerate()
            .map(|(index, (x, y))| u32::from(x != y) << index);
        unequal
            .fold(u32::MAX << STRIDE, |all, one| all | one)
            .trailing_zeros() as usize
    })
}

/// Length of the common prefix, tuned for short ones: byte strides compare as one word, without a
/// branch on the length.
#[inline]
pub(crate) fn slide<S: Symbol>(a: &[S], b: &[S]) -> usize {
    let (Some(a), Some(b)) = (S::bytes(a), S::bytes(b)) else {
        return equal_prefix(a, b);
    };
    by_strides(a, b, |&x, &y| {
        ((u64::from_le_bytes(x) ^ u64::from_le_bytes(y)).trailing_zeros() / 8) as usize
    })
}

/// Length of the common prefix, where `equal` counts the leading equal symbols of a stride.
#[inline]
fn by_strides<S: PartialEq>(
    a: &[S],
    b: &[S],
    equal: impl Fn(&[S; STRIDE], &[S; STRIDE]) -> usize,
) -> usize {
    let mut before = 0;
    for (x, y) in a.as_chunks().0.iter().zip(b.as_chunks().0) {
        let equal = equal(x, y);
        if equal < STRIDE {
            return before + equal;
        }
        before += STRIDE;
    }
    before
        + a[before..]
            .iter()
            .zip(&b[before..])
            .take_while(|(x, y)| x == y)
            .count()
}

pub(crate) fn equal_suffix<S: PartialEq>(a: &[S], b: &[S]) -> usize {
    let strides = a
        .as_rchunks::<STRIDE>()
        .1
        .iter()
        .rev()
        .zip(b.as_rchunks().1.iter().rev());
    let equal = STRIDE * strides.take_while(|(x, y)| x == y).count();
    let (a, b) = (&a[..a.len() - equal], &b[..b.len() - equal]);
    equal
        + a.iter()
            .rev()
            .zip(b.iter().rev())
            .take_while(|(x, y)| x == y)
            .count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn common_prefix_and_suffix_are_right_around_stride_edges() {
        for len in [0, 7, 8, 9, 15, 16, 17] {
            let a = vec![7u8; len];
            assert_eq!([equal_prefix(&a, &a), slide(&a, &a)], [len; 2]);
            assert_eq!(equal_suffix(&a, &a), len);
            for change in 0..len {
                let mut b = a.clone();
                b[change] = 8;
                assert_eq!([equal_prefix(&a, &b), slide(&a, &b)], [change; 2]);
                assert_eq!(equal_suffix(&a, &b), len - 1 - change);
            }
            for shorter in 0..len {
                let prefixes = [equal_prefix(&a, &a[..shorter]), slide(&a[..shorter], &a)];
                assert_eq!(
                    (prefixes, equal_suffix(&a[..shorter], &a)),
                    ([shorter; 2], shorter)
                );
            }
        }
    }
}
