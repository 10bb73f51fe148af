//! The seam of a circular record: where it is cut between a chain's last and first anchor.

use crate::sequences::pair::Pair;

/// Cells of the tables that find the best cut; larger seams are cut by lengths alone.
const MAX_CELLS: usize = 1 << 26;

/// An anchor on a strand of A.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Anchor {
    pub a: usize,
    pub b: usize,
    pub len: usize,
}

/// Start of record A, on its strand, that leaves the fewest edits within the seam. Of several it is
/// the record's own start, if that is one of them.
pub(super) fn best([first, last]: [Anchor; 2], Pair { a, b }: Pair<'_, u8>) -> usize {
    // The symbols of A behind the last anchor and before the first.
    let end = last.a + last.len;
    let gap = (first.a + 2 * a.len() - end) % a.len();
    let gap: Vec<u8> = (end..end + gap).map(|at| a[at % a.len()]).collect();
    let before = &b[..first.b];
    let behind = &b[(last.b + last.len).min(b.len())..];
    let own_start = gap.len().checked_sub(first.a);
    let cut = if gap.len().saturating_mul(before.len() + behind.len()) <= MAX_CELLS {
        cut_by_edits(&gap, behind, before, own_start)
    } else {
        cut_by_lengths(gap.len(), behind.len(), before.len(), own_start)
    };
    (end + cut) % a.len()
}

/// Number of symbols of the gap that belong to the end of the record.
fn cut_by_edits(gap: &[u8], behind: &[u8], before: &[u8], own_start: Option<usize>) -> usize {
    let reversed = |symbols: &[u8]| symbols.iter().rev().copied().collect::<Vec<_>>();
    let to_end = distances(gap, behind);
    let mut to_start = distances(&reversed(gap), &reversed(before));
    to_start.reverse();
    let edits: Vec<u32> = to_end.iter().zip(&to_start).map(|(x, y)| x + y).collect();
    let least = edits.iter().min().copied().unwrap_or_default();
    let own_start = own_start.filter(|&cut| edits[cut] == least);
    own_start.unwrap_or_else(|| {
        edits
            .iter()
            .position(|&one| one == least)
            .unwrap_or_default()
    })
}

/// Edit distances between every prefix of `a` and all of `b`.
fn distances(a: &[u8], b: &[u8]) -> Vec<u32> {
    let mut column: Vec<u32> = (0..=a.len() as u32).collect();
    for (j, y) in (0..).zip(b) {
        let mut diagonal = j;
        column[0] = j + 1;
        for (i, x) in a.iter().enumerate() {
            let least = (column[i] + 1).min(column[i + 1] + 1);
            let paired = diagonal + u32::from(x != y);
            (diagonal, column[i + 1]) = (column[i + 1], least.min(paired));
        }
    }
    column
}

/// The same from the lengths of what lies on either side in B.
fn cut_by_lengths(gap: usize, behind: usize, before: usize, own_start: Option<usize>) -> usize {
    let bounds = [behind.min(gap), gap.saturating_sub(before)];
    let (least, most) = (bounds[0].min(bounds[1]), bounds[0].max(bounds[1]));
    let own_start = own_start.filter(|cut| (least..=most).contains(cut));
    own_start.unwrap_or(most)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_seam_is_cut_where_both_records_begin() {
        let b = b"GATTACAGGCCATCGTTTGA";
        let anchor = |a, b, len| Anchor { a, b, len };
        for (a, first, last, start) in [
            // The same from symbol 8 on.
            (
                &b"GCCATCGTTTGAGATTACAG"[..],
                anchor(14, 2, 5),
                anchor(0, 8, 10),
                12,
            ),
            // The first 3 symbols of B are missing in A, or in B: not a rotation.
            (
                &b"TACAGGCCATCGTTTGA"[..],
                anchor(2, 5, 10),
                anchor(2, 5, 10),
                0,
            ),
            (
                &b"CCCGATTACAGGCCATCGTTTGA"[..],
                anchor(3, 0, 20),
                anchor(3, 0, 20),
                0,
            ),
        ] {
            assert_eq!(best([first, last], Pair::new(a, b)), start);
        }
    }

    #[test]
    fn long_seams_are_cut_by_lengths() {
        for (gap, behind, before, own_start, expected) in [
            (10, 6, 4, None, 6),
            (10, 6, 4, Some(6), 6),
            (0, 6, 4, Some(0), 0),
            (20, 5, 5, None, 15),
            (20, 5, 5, Some(7), 7),
            (20, 5, 5, Some(2), 15),
        ] {
            assert_eq!(cut_by_lengths(gap, behind, before, own_start), expected);
        }
    }
}
