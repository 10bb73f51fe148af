//! How many symbols two sequences have in common from where they begin, or back from where they end.

/// Symbols that are compared at once.
pub(crate) const STRIDE: usize = 16;

/// How many symbols at the beginnings are equal.
pub(crate) fn equal_prefix<S: PartialEq>(a: &[S], b: &[S]) -> usize {
    let mut equal = 0;
    // Whole strides compare as one memory comparison where the symbols allow it; most sequences differ in the first few symbols.
    if a.first() == b.first() {
        let strides = a.as_chunks::<STRIDE>().0.iter().zip(b.as_chunks().0);
        equal = STRIDE * strides.take_while(|(x, y)| x == y).count();
    }
    equal + a[equal..].iter().zip(&b[equal..]).take_while(|(x, y)| x == y).count()
}

/// How many symbols at the ends are equal.
pub(crate) fn equal_suffix<S: PartialEq>(a: &[S], b: &[S]) -> usize {
    let strides = a.as_rchunks::<STRIDE>().1.iter().rev().zip(b.as_rchunks().1.iter().rev());
    let equal = STRIDE * strides.take_while(|(x, y)| x == y).count();
    let (a, b) = (&a[..a.len() - equal], &b[..b.len() - equal]);
    equal + a.iter().rev().zip(b.iter().rev()).take_while(|(x, y)| x == y).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prefixes_and_suffixes_go_over_strides_of_equal_symbols() {
        for len in [0, 15, 16, 17, 31, 32, 33] {
            let a = vec![7u8; len];
            assert_eq!(equal_prefix(&a, &a), len);
            assert_eq!(equal_suffix(&a, &a), len);
            for change in 0..len {
                let mut b = a.clone();
                b[change] = 8;
                assert_eq!(equal_prefix(&a, &b), change);
                assert_eq!(equal_suffix(&a, &b), len - 1 - change);
            }
            for shorter in 0..len {
                assert_eq!([equal_prefix(&a, &a[..shorter]), equal_suffix(&a[..shorter], &a)], [shorter; 2]);
            }
        }
    }
}
