//! Common affixes. Some optimal path matches all of their symbols.

use crate::sequences::blocks::{Block, Blocks};
use crate::sequences::equal::{equal_prefix, equal_suffix};

/// Lengths of the common prefix, and of the common suffix of the remainder. Cost: one comparison
/// per symbol.
pub(crate) fn common_affixes<S: PartialEq>(a: &[S], b: &[S]) -> (usize, usize) {
    let prefix = equal_prefix(a, b);
    (prefix, equal_suffix(&a[prefix..], &b[prefix..]))
}

/// The sequences without their common affixes, the longer one as rows.
pub(crate) struct Stripped<'a, S> {
    pub rows: &'a [S],
    pub cols: &'a [S],
    pub prefix: usize,
    pub suffix: usize,
    swapped: bool,
}

impl<'a, S: PartialEq> Stripped<'a, S> {
    pub(crate) fn new(a: &'a [S], b: &'a [S]) -> Self {
        let (prefix, suffix) = common_affixes(a, b);
        let (a, b) = (&a[prefix..a.len() - suffix], &b[prefix..b.len() - suffix]);
        let swapped = b.len() > a.len();
        let (rows, cols) = if swapped { (b, a) } else { (a, b) };
        Self {
            rows,
            cols,
            prefix,
            suffix,
            swapped,
        }
    }

    /// The sequences as they are, which are not compared.
    pub(crate) fn whole(rows: &'a [S], cols: &'a [S]) -> Self {
        Self {
            rows,
            cols,
            prefix: 0,
            suffix: 0,
            swapped: false,
        }
    }

    /// Extends a path of the table between the affixes to the full sequences.
    pub(crate) fn with_affixes(&self, mut found: Blocks) -> Blocks {
        let (mut a, mut b) = (self.rows.len(), self.cols.len());
        if self.swapped {
            found.swap();
            (a, b) = (b, a);
        }
        found.prepend(self.prefix);
        found.push(Block {
            a: self.prefix + a,
            b: self.prefix + b,
            len: self.suffix,
        });
        found
    }
}

#[cfg(test)]
mod tests {
    use super::common_affixes;

    #[test]
    fn common_affixes_never_overlap() {
        assert_eq!(common_affixes(b"", b""), (0, 0));
        assert_eq!(common_affixes(b"abc", b""), (0, 0));
        assert_eq!(common_affixes(b"aaa", b"aa"), (2, 0));
        assert_eq!(common_affixes(b"abcab", b"abab"), (2, 2));
        assert_eq!(common_affixes(b"xabc", b"yabc"), (0, 3));
        assert_eq!(common_affixes(b"abc", b"abc"), (3, 0));
    }
}
