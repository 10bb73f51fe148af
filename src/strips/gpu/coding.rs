//! Codes of rows and columns as the kernels read them.

use rayon::prelude::*;

use super::tiling::{LIMB_ROWS, Matching, Tiling};
use crate::alphabet::NONE_IN_B;

/// Words that are worth a thread of their own.
const LEAST: usize = 1 << 12;

/// A sequence as rows or columns of a direction.
struct Symbols<'a> {
    codes: &'a [u32],
    reversed: bool,
    /// Places before the first symbol.
    before: isize,
}

impl Symbols<'_> {
    /// The codes of `N` places, with others for those in front of the sequence and for those behind it.
    fn read<const N: usize>(&self, first: isize, [front, behind]: [u32; 2]) -> [u32; N] {
        let (codes, first) = (self.codes, first - self.before);
        let whole = usize::try_from(first).ok().and_then(|first| match self.reversed {
            false => codes.get(first..first + N),
            true => codes.get(codes.len().checked_sub(first + N)?..codes.len() - first),
        });
        let mut read = [behind; N];
        match whole {
            Some(whole) => {
                read.copy_from_slice(whole);
                if self.reversed {
                    read.reverse();
                }
            }
            None => {
                for (code, place) in read.iter_mut().zip(first..) {
                    match usize::try_from(place) {
                        Err(_) => *code = front,
                        Ok(place) if place < codes.len() => {
                            *code = codes[if self.reversed { codes.len() - 1 - place } else { place }];
                        }
                        Ok(_) => {}
                    }
                }
            }
        }
        read
    }
}

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
    let above = tiling.top_rows(direction) as isize;
    let rows = Symbols { codes: a, reversed: direction == 1, before: above };
    let outside = [tiling.shape.shared + 1, tiling.padding_code()];
    let mut strips: Vec<Vec<_>> = Vec::new();
    strips.resize_with(tiling.strips() as usize, Vec::new);
    for plane in planes.iter_mut() {
        strips.iter_mut().zip(plane.chunks_mut(lanes * limbs)).for_each(|(strip, words)| strip.push(words));
    }
    let least = 1 + LEAST / (lanes * limbs * tiling.planes() as usize);
    strips.into_par_iter().enumerate().with_min_len(least).for_each(|(strip, mut planes)| {
        for lane in 0..lanes {
            for limb in 0..limbs {
                let first = ((strip * lanes + lane) * limbs + limb) * LIMB_ROWS as usize;
                let rows: [u32; LIMB_ROWS as usize] = rows.read(first as isize, outside);
                let mut codes = [outside[1]; 32];
                codes[..LIMB_ROWS as usize].copy_from_slice(&rows);
                for (byte, planes) in planes.chunks_mut(8).enumerate() {
                    let bytes = bytes_of(&codes, byte as u32);
                    for (plane, words) in planes.iter_mut().enumerate() {
                        words[limb * lanes + lane] = bits_of(&bytes, plane as u32);
                    }
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

/// Byte `byte` of each code.
fn bytes_of(codes: &[u32; 32], byte: u32) -> [u8; 32] {
    let mut bytes = [0; 32];
    // A plain loop is what the compiler makes SIMD code of.
    for (to, &code) in bytes.iter_mut().zip(codes) {
        *to = (code >> (8 * byte)) as u8;
    }
    bytes
}

/// Bit `bit` of each byte, the first in bit 0.
fn bits_of(bytes: &[u8; 32], bit: u32) -> u32 {
    bytes.as_chunks().0.iter().rev().fold(0, |word, &bytes| {
        let bits = u64::from_le_bytes(bytes) >> bit & 0x0101_0101_0101_0101;
        // The product moves bit 0 of byte i to bit 56 + i.
        word << 8 | (bits.wrapping_mul(0x0102_0408_1020_4080) >> 56) as u32
    })
}

/// Codes of the columns behind `lanes` words of padding, as bytes or as planes, one direction after the other.
pub(super) fn column_codes(tiling: &Tiling, b: &[u32]) -> Vec<u32> {
    let padding = (tiling.lanes * tiling.columns) as isize;
    let mut words = vec![0; tiling.column_words() as usize];
    let planes = match tiling.matching {
        Matching::Table => 1,
        Matching::Planes => tiling.planes() as usize,
    };
    let block_words = match tiling.matching {
        Matching::Table => 8,
        Matching::Planes => 1,
    };
    let directions: Vec<_> = (0..tiling.directions)
        .map(|direction| {
            let front = tiling.front_columns(direction) as isize;
            Symbols { codes: b, reversed: direction == 1, before: front + padding }
        })
        .collect();
    let blocks = words.len() / block_words / planes / directions.len();
    words.par_chunks_mut(block_words).enumerate().with_min_len(LEAST / block_words).for_each(|(block, words)| {
        let (plane, direction) = (block / blocks / directions.len(), block / blocks % directions.len());
        let codes: [u32; 32] = directions[direction].read((block % blocks * 32) as isize, [NONE_IN_B; 2]);
        match tiling.matching {
            Matching::Table => {
                let bytes = bytes_of(&codes, 0);
                let packed = bytes.as_chunks().0.iter().map(|&bytes| u32::from_le_bytes(bytes));
                words.iter_mut().zip(packed).for_each(|(word, packed)| *word = packed);
            }
            Matching::Planes => words[0] = bits_of(&bytes_of(&codes, plane as u32 / 8), plane as u32 % 8),
        }
    });
    words
}
