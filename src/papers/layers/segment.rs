//! One segment of the canonical path: the canonical path of a table of its own, with one bit per
//! cell.
//!
//! The path goes up from a cell if `M[i][j] = M[i-1][j] + 1`, which means that row `i` adds nothing
//! to the LCS of `a[..i]` and `b[..j]`. For the rows of a limb this is the vector `V` of Crochemore
//! et al. 2001 (doi:10.1016/S0020-0190(00)00209-X) after column `j`: `V' = (V + (V & M)) | (V &
//! ~M)`, with `M` the rows that match the column's symbol.

use std::collections::HashMap;

use crate::call::control::Control;
use crate::error::Result;
use crate::sequences::blocks::Block;

pub(crate) const LIMB: u64 = u64::BITS as u64;

/// Bytes of the tables of segments with `rows` rows in all and shared columns: one limb and one
/// carry per column.
pub(crate) fn size_bytes(rows: u64, cols: u64) -> u64 {
    cols.saturating_mul(8 * rows.div_ceil(LIMB) + 1)
}

/// Runs of shared symbols on the canonical path of `a` and `b`, from last to first. Cost: `a.len()
/// / 64 * b.len()` steps.
pub(crate) fn runs_back(a: &[u32], b: &[u32], control: &Control) -> Result<Vec<Block>> {
    control.check()?;
    if a.is_empty() || b.is_empty() {
        return Ok(Vec::new());
    }
    let up = up_bits(a, b, control)?;
    let goes_up = |i: usize, j: usize| {
        let limb = up[(i - 1) / LIMB as usize * b.len() + j - 1];
        limb >> ((i - 1) as u64 % LIMB) & 1 == 1
    };
    let mut runs: Vec<Block> = Vec::new();
    let (mut i, mut j) = (a.len(), b.len());
    while i > 0 && j > 0 {
        if goes_up(i, j) {
            i -= 1;
        } else if a[i - 1] == b[j - 1] {
            (i, j) = (i - 1, j - 1);
            match runs.last_mut() {
                Some(run) if run.a == i + 1 && run.b == j + 1 => {
                    *run = Block {
                        a: i,
                        b: j,
                        len: run.len + 1,
                    }
                }
                _ => runs.push(Block { a: i, b: j, len: 1 }),
            }
        } else {
            j -= 1;
        }
    }
    Ok(runs)
}

/// Bit rows `[limb][column]`: a set bit means that the path goes up from that cell.
fn up_bits(a: &[u32], b: &[u32], control: &Control) -> Result<Vec<u64>> {
    let mut up = vec![0; a.len().div_ceil(LIMB as usize) * b.len()];
    let mut carries = vec![false; b.len()];
    for (rows, up) in a.chunks(LIMB as usize).zip(up.chunks_mut(b.len())) {
        let mut matches = HashMap::with_capacity(rows.len());
        for (row, code) in rows.iter().enumerate() {
            *matches.entry(code).or_insert(0) |= 1u64 << row;
        }
        let mut v = u64::MAX;
        for ((y, up), carry) in b.iter().zip(up).zip(&mut carries) {
            let m = matches.get(y).copied().unwrap_or_default();
            let (sum, over) = v.overflowing_add(v & m);
            let (sum, over_by_carry) = sum.overflowing_add(u64::from(*carry));
            v = sum | (v & !m);
            (*up, *carry) = (v, over | over_by_carry);
        }
        control.check()?;
        control.add_done((rows.len() * b.len()) as u64);
    }
    Ok(up)
}
