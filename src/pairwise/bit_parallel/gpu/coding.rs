//! Codes of rows and columns as the kernels read them.

use rayon::prelude::*;

use super::tiling::{LIMB_ROWS, Matching, Tiling};
use crate::pairwise::bit_parallel::symbols::{Symbols, bits_of};
use crate::pairwise::codes::NONE_IN_B;

/// Words that are worth a thread of their own.
const LEAST: usize = 1 << 12;

/// `[plane][direction][strip][limb][lane]`: guards and rows past the last carry a code of their own, and rows above the first
/// one that no column has.
pub(super) fn row_planes(tiling: &Tiling, a: &[u32]) -> Vec<u32> {
    let mut planes = vec![0; tiling.row_words() as usize];
    let mut directions: Vec<Vec<_>> = Vec::new();
    directions.resize_with(tiling.directions as usize, Vec::new);
    let words = planes.len() / (tiling.planes() * tiling.directions) as usize;
    for (place, part) in planes.chunks_mut(words).enumerate() {
        directions[place % tiling.directions as usize].push(part);
    }
    if let [before, behind] = &mut directions[..]
        && tiling.strips() == tiling.table_strips()
    {
        direction_planes(tiling, 0, a, before);
        (0..).zip(before.iter().zip(behind)).for_each(|(plane, (from, to))| mirror(tiling, plane, from, to));
    } else {
        for (direction, planes) in (0..).zip(&mut directions) {
            direction_planes(tiling, direction, a, planes);
        }
    }
    planes
}

/// The planes of one direction, each `[strip][limb][lane]`.
fn direction_planes(tiling: &Tiling, direction: u32, a: &[u32], planes: &mut [&mut [u32]]) {
    let (lanes, limbs) = (tiling.lanes as usize, tiling.limbs as usize);
    let rows = Symbols { codes: a, reversed: direction == 1, before: tiling.top_rows(direction) as usize };
    let outside = [tiling.shape.shared + 1, tiling.padding_code()];
    let mut strips: Vec<Vec<_>> = Vec::new();
    strips.resize_with(tiling.strips() as usize, Vec::new);
    for plane in planes.iter_mut() {
        strips.iter_mut().zip(plane.chunks_mut(lanes * limbs)).for_each(|(strip, words)| strip.push(words));
    }
    let least = 1 + LEAST / (lanes * limbs * tiling.planes() as usize);
    strips.into_par_iter().enumerate().with_min_len(least).for_each(|(strip, mut planes)| {
        // One more than the rows, which is read with the last limb.
        let mut bytes = vec![0; tiling.strip_rows() as usize + 1];
        for (byte, planes) in (0..).zip(planes.chunks_mut(8)) {
            rows.bytes(strip * tiling.strip_rows() as usize, byte, outside, &mut bytes);
            for (place, first) in (0..lanes * limbs).zip((0..).step_by(LIMB_ROWS as usize)) {
                let Some(rows) = bytes[first..].first_chunk() else { continue };
                for (plane, words) in planes.iter_mut().enumerate() {
                    let guard = outside[1] >> (8 * byte + plane as u32) & 1;
                    let rows = bits_of(rows, plane as u32) & !(1 << LIMB_ROWS);
                    words[place % limbs * lanes + place / limbs] = rows | guard << LIMB_ROWS;
                }
            }
        }
    });
}

/// A plane of the second direction from that of the first, where both have all rows: each limb has those of one of the other's.
fn mirror(tiling: &Tiling, plane: u32, from: &[u32], to: &mut [u32]) {
    let guard = 1 << LIMB_ROWS;
    for (from, to) in from.iter().zip(to.iter_mut().rev()) {
        *to = (from & guard) | (from.reverse_bits() >> 1);
    }
    // Rows past the first direction's last have another code than those above the second one's first.
    let (lanes, limbs) = (u64::from(tiling.lanes), u64::from(tiling.limbs));
    let bit = if (tiling.shape.shared + 1) >> plane & 1 == 1 { !0 } else { 0 };
    let top = tiling.top_rows(1);
    for limb in 0..top.div_ceil(LIMB_ROWS) {
        let above = !(u32::MAX << (top - limb * LIMB_ROWS).min(LIMB_ROWS));
        let word = &mut to[(limb % limbs * lanes + limb / limbs) as usize];
        *word = *word & !above | bit & above;
    }
}

/// Codes of the columns behind `lanes` words of padding, as bytes or as planes, one direction after the other.
pub(super) fn column_codes(tiling: &Tiling, b: &[u32]) -> Vec<u32> {
    let padding = u64::from(tiling.lanes * tiling.columns);
    let mut words = vec![0; tiling.column_words() as usize];
    let columns = |direction: u32| {
        let before = (tiling.front_columns(direction) + padding) as usize;
        Symbols { codes: b, reversed: direction == 1, before }
    };
    let length = tiling.padded_columns() as usize;
    match tiling.matching {
        Matching::Table => {
            for (direction, words) in (0..).zip(words.chunks_mut(length / 4)) {
                let columns = columns(direction);
                words.par_chunks_mut(LEAST).enumerate().for_each(|(part, words)| {
                    columns.bytes(part * LEAST * 4, 0, [NONE_IN_B; 2], bytemuck::cast_slice_mut(words));
                });
            }
        }
        Matching::Planes => {
            for (place, words) in (0..).zip(words.chunks_mut(length / 32)) {
                let (plane, columns) = (place / tiling.directions, columns(place % tiling.directions));
                words.par_chunks_mut(LEAST / 8).enumerate().for_each(|(part, words)| {
                    let mut bytes = vec![0; words.len() * 32];
                    columns.bytes(part * LEAST * 4, plane / 8, [NONE_IN_B; 2], &mut bytes);
                    let bytes = bytes.as_chunks().0.iter();
                    words.iter_mut().zip(bytes).for_each(|(word, bytes)| *word = bits_of(bytes, plane % 8));
                });
            }
        }
    }
    words
}
