//! Encoding of rows and columns for the kernels.

use super::tiling::Tiling;
use crate::host::parallel::{filled, for_each_chunk_mut, for_each_mut};
use crate::kernels::bit_parallel::Matching;
use crate::sequences::codes::NONE_IN_B;
use crate::symbols::planes::{Symbols, bits_of};

/// Words per parallel task.
const TASK_WORDS: usize = 1 << 12;

/// Layout: `[plane][direction][strip][limb][lane]`. Guards and rows past the last have the padding
/// code; rows above the first have a code that no column has.
pub(super) fn row_planes(tiling: &Tiling, a: &[u32]) -> Vec<u32> {
    let mut planes = filled(tiling.row_words() as usize, 0);
    let (strip_words, words) = (
        (tiling.lanes * tiling.limbs) as usize,
        direction_words(tiling, &planes),
    );
    let strips = 1 + TASK_WORDS / (strip_words * tiling.planes() as usize);
    // If both directions cover all rows, each strip of the second one mirrors a strip of the first.
    let mirrored = tiling.directions == 2 && tiling.strips() == tiling.table_strips();
    let mut tasks = tasks(tiling, &mut planes, strips * strip_words, mirrored);
    if let ([before, behind], true) = (&mut tasks[..], mirrored) {
        let mut both: Vec<_> = before.iter_mut().zip(behind).collect();
        for_each_mut(&mut both, |task, (before, behind)| {
            strip_planes(tiling, 0, task * strips, a, before);
            before
                .iter()
                .zip(behind.iter_mut())
                .for_each(|(from, to)| mirror(tiling, from, to));
        });
        let behind = planes.chunks_mut(words).skip(1).step_by(2);
        (0..)
            .zip(behind)
            .for_each(|(plane, words)| rows_above(tiling, plane, words));
    } else {
        (0..).zip(&mut tasks).for_each(|(direction, tasks)| {
            for_each_mut(tasks, |task, planes| {
                strip_planes(tiling, direction, task * strips, a, planes)
            });
        });
    }
    planes
}

fn direction_words(tiling: &Tiling, planes: &[u32]) -> usize {
    planes.len() / (tiling.planes() * tiling.directions) as usize
}

/// Splits the planes into tasks: `[direction][task][plane]`. With `mirrored`, tasks of the second
/// direction count from the end.
fn tasks<'p>(
    tiling: &Tiling,
    planes: &'p mut [u32],
    in_a_task: usize,
    mirrored: bool,
) -> Vec<Vec<Vec<&'p mut [u32]>>> {
    let words = direction_words(tiling, planes);
    let no_planes = || Vec::with_capacity(tiling.planes() as usize);
    let no_words = || {
        (0..words.div_ceil(in_a_task))
            .map(|_| no_planes())
            .collect::<Vec<_>>()
    };
    let mut directions: Vec<_> = (0..tiling.directions).map(|_| no_words()).collect();
    for (index, words) in planes.chunks_mut(words).enumerate() {
        let direction = index % tiling.directions as usize;
        let tasks = &mut directions[direction];
        if mirrored && direction == 1 {
            tasks
                .iter_mut()
                .zip(words.rchunks_mut(in_a_task))
                .for_each(|(task, words)| task.push(words));
        } else {
            tasks
                .iter_mut()
                .zip(words.chunks_mut(in_a_task))
                .for_each(|(task, words)| task.push(words));
        }
    }
    directions
}

/// Planes of consecutive strips from `first_strip` on, each `[strip][limb][lane]`.
fn strip_planes(
    tiling: &Tiling,
    direction: u32,
    first_strip: usize,
    a: &[u32],
    planes: &mut [&mut [u32]],
) {
    let [lanes, limbs, limb_rows] =
        [tiling.lanes, tiling.limbs, tiling.limb_rows].map(|count| count as usize);
    let rows = Symbols {
        codes: a,
        reversed: direction == 1,
        before: tiling.top_rows(direction) as usize,
    };
    let outside = [tiling.shape.alphabet.row_only(), tiling.padding_code()];
    // One more than the rows; the last limb reads it.
    let mut bytes = vec![0; tiling.strip_rows() as usize + 1];
    for (strip, first_word) in (0..planes[0].len()).step_by(lanes * limbs).enumerate() {
        for (byte, planes) in (0..).zip(planes.chunks_mut(8)) {
            rows.bytes(
                (first_strip + strip) * tiling.strip_rows() as usize,
                byte,
                outside,
                &mut bytes,
            );
            for (plane, words) in (0..).zip(planes) {
                let guard = if outside[1] >> (8 * byte + plane) & 1 == 1 {
                    !tiling.rows_of_limb()
                } else {
                    0
                };
                for (limb, words) in words[first_word..][..lanes * limbs]
                    .chunks_mut(lanes)
                    .enumerate()
                {
                    let first = (limb * limb_rows..).step_by(limbs * limb_rows);
                    for (word, first) in words.iter_mut().zip(first) {
                        let Some(rows) = bytes[first..].first_chunk() else {
                            continue;
                        };
                        *word = bits_of(rows, plane) & tiling.rows_of_limb() | guard;
                    }
                }
            }
        }
    }
}

/// Strips of the second direction from those of the first: the limbs in reverse order, with their
/// rows reversed.
fn mirror(tiling: &Tiling, from: &[u32], to: &mut [u32]) {
    let (rows, guard_bits) = (tiling.rows_of_limb(), u32::BITS - tiling.limb_rows);
    for (from, to) in from.iter().zip(to.iter_mut().rev()) {
        *to = (from & !rows) | (from.reverse_bits() >> guard_bits);
    }
}

/// Overwrites the rows above the second direction's first row: they have another code than the rows
/// past the first direction's last.
fn rows_above(tiling: &Tiling, plane: u32, words: &mut [u32]) {
    let [lanes, limbs, limb_rows] = [tiling.lanes, tiling.limbs, tiling.limb_rows].map(u64::from);
    let bit = if tiling.shape.alphabet.row_only() >> plane & 1 == 1 {
        !0
    } else {
        0
    };
    let top = tiling.top_rows(1);
    for limb in 0..top.div_ceil(limb_rows) {
        let above = !u32::MAX.unbounded_shl((top - limb * limb_rows).min(limb_rows) as u32);
        let word = &mut words[(limb % limbs * lanes + limb / limbs) as usize];
        *word = *word & !above | bit & above;
    }
}

/// Column codes with `lanes` words of padding in front, as bytes or planes, one direction after the
/// other.
pub(super) fn column_codes(tiling: &Tiling, b: &[u32]) -> Vec<u32> {
    let padding = u64::from(tiling.lanes * tiling.columns);
    let mut words = filled(tiling.column_words() as usize, 0);
    let columns = |direction: u32| {
        let before = (tiling.front_columns(direction) + padding) as usize;
        Symbols {
            codes: b,
            reversed: direction == 1,
            before,
        }
    };
    match tiling.matching {
        Matching::Table => {
            let length = tiling.padded_columns() as usize / 4;
            for_each_chunk_mut(&mut words, length, |direction, words| {
                let columns = columns(direction as u32);
                for_each_chunk_mut(words, TASK_WORDS, |task, words| {
                    columns.bytes(
                        task * TASK_WORDS * 4,
                        0,
                        [NONE_IN_B; 2],
                        bytemuck::cast_slice_mut(words),
                    );
                });
            });
        }
        Matching::Planes => {
            let in_a_task = TASK_WORDS.div_ceil(tiling.planes() as usize);
            let mut tasks = tasks(tiling, &mut words, in_a_task, false);
            for_each_mut(&mut tasks, |direction, tasks| {
                let columns = columns(direction as u32);
                for_each_mut(tasks, |task, planes| {
                    let mut bytes = vec![0; planes[0].len() * 32];
                    for (byte, planes) in (0..).zip(planes.chunks_mut(8)) {
                        columns.bytes(task * in_a_task * 32, byte, [NONE_IN_B; 2], &mut bytes);
                        for (plane, words) in (0..).zip(planes) {
                            let bytes = bytes.as_chunks().0.iter();
                            words
                                .iter_mut()
                                .zip(bytes)
                                .for_each(|(word, bytes)| *word = bits_of(bytes, plane));
                        }
                    }
                });
            });
        }
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::backend::Capabilities;
    use crate::sequences::bit_parallel::inputs::Random;
    use crate::sequences::bit_parallel::shape::{Shape, TableKind};
    use crate::sequences::tuning::Tuning;

    /// The code at a position of a direction, or of the padding before or after the sequence.
    fn code(codes: &[u32], direction: u32, before: u64, place: u64, outside: [u32; 2]) -> u32 {
        let len = codes.len() as u64;
        match place.checked_sub(before) {
            None => outside[0],
            Some(index) if index >= len => outside[1],
            Some(index) => {
                codes[if direction == 1 {
                    len - 1 - index
                } else {
                    index
                } as usize]
            }
        }
    }

    #[test]
    fn planes_encode_every_row_and_column_of_every_direction() {
        let mut random = Random::new(31);
        for _ in 0..600 {
            let table = [TableKind::Lcs, TableKind::Edit, TableKind::EditInfix][random.below(3)];
            let shared = [1, 4, 6, 26, 254, 255, 300][random.below(7)];
            let lens = [[9000, 70], [300, 40_000], [30_000, 30_000]][random.below(3)];
            let [rows, cols] = lens.map(|max| 1 + random.below(max));
            let a: Vec<u32> = (0..rows)
                .map(|_| 1 + random.below(shared + 1) as u32)
                .collect();
            let b: Vec<u32> = (0..cols).map(|_| random.below(shared + 1) as u32).collect();
            let shape = Shape::new(table, rows as u64, cols as u64, shared as u32);
            let cost = if table == TableKind::EditInfix {
                u64::MAX
            } else {
                (rows.abs_diff(cols) + random.below(rows)) as u64
            };
            let device = Capabilities {
                subgroup: Some(32),
                workgroup_bytes: 48 << 10,
                carry_flag: random.below(2) == 0,
                ..Capabilities::default()
            };
            let all = Tiling::candidates(shape.within(cost), &device, &Tuning::default())
                .expect("kernels");
            let tiling = all[random.below(all.len())];
            let (planes, columns) = (row_planes(&tiling, &a), column_codes(&tiling, &b));
            let (lanes, limbs) = (u64::from(tiling.lanes), u64::from(tiling.limbs));
            let row_words = tiling.strips() * lanes * limbs;
            let of_plane =
                |plane: u32, direction: u32| u64::from(plane * tiling.directions + direction);
            let outside = [tiling.shape.alphabet.row_only(), tiling.padding_code()];
            for direction in 0..tiling.directions {
                for _ in 0..200 {
                    let (limb, row) = (
                        random.below(row_words as usize) as u64,
                        random.below(32) as u64,
                    );
                    let place = limb * u64::from(tiling.limb_rows) + row;
                    let expected = if row < u64::from(tiling.limb_rows) {
                        code(&a, direction, tiling.top_rows(direction), place, outside)
                    } else {
                        tiling.padding_code()
                    };
                    // Order in the table: limbs of a lane, lanes of a strip, strips.
                    let word = limb / (lanes * limbs) * lanes * limbs
                        + limb % limbs * lanes
                        + limb / limbs % lanes;
                    let found = (0..tiling.planes()).fold(0, |found, plane| {
                        let word = planes[(of_plane(plane, direction) * row_words + word) as usize];
                        found | (word >> row & 1) << plane
                    });
                    assert_eq!(
                        found, expected,
                        "limb {limb}, row {row}, direction {direction} of {tiling:?}"
                    );
                }
                let before = tiling.front_columns(direction) + lanes * u64::from(tiling.columns);
                let padded = tiling.padded_columns();
                for _ in 0..200 {
                    let place = random.below(padded as usize) as u64;
                    let expected = code(&b, direction, before, place, [NONE_IN_B; 2]);
                    let found = match tiling.matching {
                        Matching::Table => {
                            let place = u64::from(direction) * padded + place;
                            u32::from(
                                columns[(place / 4) as usize].to_le_bytes()[(place % 4) as usize],
                            )
                        }
                        Matching::Planes => (0..tiling.planes()).fold(0, |found, plane| {
                            let word = columns
                                [(of_plane(plane, direction) * padded / 32 + place / 32) as usize];
                            found | (word >> (place % 32) & 1) << plane
                        }),
                    };
                    assert_eq!(
                        found, expected,
                        "column {place}, direction {direction} of {tiling:?}"
                    );
                }
            }
        }
    }
}
