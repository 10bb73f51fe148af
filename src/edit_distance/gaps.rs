//! Gap shifting: left or right alignment of gaps.

use super::Gaps;
use crate::sequences::blocks::{Block, Blocks};
use crate::sequences::codes::Symbol;

/// Shifts every gap of a path over `a` and the piece `b` to one side, through equal symbols and
/// into adjacent gaps.
///
/// A gap moves past a diagonal step if the symbol that enters it matches the same symbols as the one that
/// leaves it.
/// Each diagonal step then pairs the same symbol with an equal one as before, so the cost is
/// unchanged. Cost: one step per move.
pub(super) fn moved<S: Symbol>(blocks: &Blocks, a: &[S], b: &[S], gaps: Gaps) -> Blocks {
    match gaps {
        Gaps::Left => to_the_left(
            blocks.as_slice().iter().copied(),
            a.len(),
            b.len(),
            |i| a[i],
            |j| b[j],
        ),
        Gaps::Right => {
            let (m, n) = (a.len(), b.len());
            let turned = |block: &Block| Block {
                a: m - block.a - block.len,
                b: n - block.b - block.len,
                len: block.len,
            };
            let reversed = blocks.as_slice().iter().rev().map(turned);
            let moved = to_the_left(reversed, m, n, |i| a[m - 1 - i], |j| b[n - 1 - j]);
            moved.as_slice().iter().rev().map(turned).collect()
        }
    }
}

fn to_the_left<S: Symbol>(
    blocks: impl Iterator<Item = Block>,
    rows: usize,
    cols: usize,
    a: impl Fn(usize) -> S,
    b: impl Fn(usize) -> S,
) -> Blocks {
    let mut moved: Vec<Block> = Vec::new();
    let end = Block {
        a: rows,
        b: cols,
        len: 0,
    };
    for mut next in blocks.chain([end]) {
        while let Some(last) = moved.last_mut() {
            let (gap_a, gap_b) = (next.a - last.a - last.len, next.b - last.b - last.len);
            let enters_what_leaves = match (gap_a, gap_b) {
                (1.., 0) => a(last.a + last.len - 1).is_same(a(next.a - 1)),
                (0, 1..) => b(last.b + last.len - 1).is_same(b(next.b - 1)),
                _ => false,
            };
            if !enters_what_leaves {
                break;
            }
            next = Block {
                a: next.a - 1,
                b: next.b - 1,
                len: next.len + 1,
            };
            last.len -= 1;
            if last.len == 0 {
                moved.pop();
            }
        }
        moved.push(next);
    }
    moved.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn moved_from(
        a: &[u8],
        b: &[u8],
        blocks: &[(usize, usize, usize)],
        gaps: Gaps,
    ) -> Vec<(usize, usize, usize)> {
        let blocks = blocks
            .iter()
            .map(|&(a, b, len)| Block { a, b, len })
            .collect();
        moved(&blocks, a, b, gaps)
            .as_slice()
            .iter()
            .map(|block| (block.a, block.b, block.len))
            .collect()
    }

    #[test]
    fn gaps_shift_to_either_end_of_a_repeat() {
        assert_eq!(
            moved_from(b"GAAAC", b"GAAC", &[(0, 0, 2), (3, 2, 2)], Gaps::Left),
            [(0, 0, 1), (2, 1, 3)]
        );
        assert_eq!(
            moved_from(b"GAAAC", b"GAAC", &[(0, 0, 2), (3, 2, 2)], Gaps::Right),
            [(0, 0, 3), (4, 3, 1)]
        );
        assert_eq!(
            moved_from(b"ATAT", b"GATATATC", &[(0, 1, 2), (2, 5, 2)], Gaps::Left),
            [(0, 3, 4)]
        );
    }

    #[test]
    fn gaps_that_meet_are_merged() {
        assert_eq!(
            moved_from(
                b"AAAAG",
                b"AAG",
                &[(0, 0, 1), (2, 1, 1), (4, 2, 1)],
                Gaps::Left
            ),
            [(2, 0, 3)]
        );
        assert_eq!(
            moved_from(
                b"GAAAA",
                b"GAA",
                &[(0, 0, 1), (2, 1, 1), (4, 2, 1)],
                Gaps::Right
            ),
            [(0, 0, 3)]
        );
    }

    #[test]
    fn gaps_stop_at_unequal_symbols() {
        assert_eq!(
            moved_from(b"ACGT", b"AGT", &[(0, 0, 1), (2, 1, 2)], Gaps::Left),
            [(0, 0, 1), (2, 1, 2)]
        );
        assert_eq!(
            moved_from(b"ACGT", b"AGT", &[(0, 0, 1), (2, 1, 2)], Gaps::Right),
            [(0, 0, 1), (2, 1, 2)]
        );
    }
}
