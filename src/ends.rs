//! Common ends: some longest common subsequence pairs all of them.

/// Lengths of the common prefix and of the common suffix of what the prefix leaves. Cost: one comparison a symbol.
pub(crate) fn common_ends<S: PartialEq>(a: &[S], b: &[S]) -> (usize, usize) {
    let prefix = a.iter().zip(b).take_while(|(x, y)| x == y).count();
    let suffix = a[prefix..].iter().rev().zip(b[prefix..].iter().rev()).take_while(|(x, y)| x == y).count();
    (prefix, suffix)
}

#[cfg(test)]
mod tests {
    use super::common_ends;

    #[test]
    fn the_suffix_starts_behind_the_prefix() {
        assert_eq!(common_ends(b"", b""), (0, 0));
        assert_eq!(common_ends(b"abc", b""), (0, 0));
        assert_eq!(common_ends(b"aaa", b"aa"), (2, 0));
        assert_eq!(common_ends(b"abcab", b"abab"), (2, 2));
        assert_eq!(common_ends(b"xabc", b"yabc"), (0, 3));
        assert_eq!(common_ends(b"abc", b"abc"), (3, 0));
    }
}
