//! The search of a pattern in a text against the reference.

use super::*;
use crate::edit_distance::{Mode, reference};
use crate::sequences::bit_parallel::inputs::{self, Random};
use crate::sequences::codes::Encoded;

fn assert_nearest(pattern: &[u32], text: &[u32]) {
    let control = Control::default();
    let (least, ends) = reference::ends(pattern, text, Mode::Infix);
    let row = reference::distances(pattern, text);
    let len = pattern.len() as u64;
    let codes = Encoded::new(text, pattern);
    let coded = Pattern::of_codes(&codes.b, codes.alphabet.shared + 1);
    let coded = Text {
        symbols: &codes.a,
        pattern: &coded,
    };
    let as_bytes = |codes: &[u32]| codes.iter().map(|&code| code as u8).collect::<Vec<_>>();
    let (short, long) = (as_bytes(pattern), as_bytes(text));
    let bytes = Pattern::of_bytes(&short);
    let bytes = Text {
        symbols: &long,
        pattern: &bytes,
    };
    let is_bytes = pattern.iter().chain(text).all(|&code| code < 256);
    let bounds = [
        0,
        1,
        least.wrapping_sub(1),
        least,
        least + 1,
        len / 4,
        len,
        u64::MAX,
    ];
    for instructions in Instructions::all_available() {
        for bound in bounds {
            let shown = || {
                format!("{instructions:?}, {bound}\nlet (a, b) = (vec!{pattern:?}, vec!{text:?});")
            };
            let found = nearest_by(instructions, &coded, bound, &control).expect("it runs");
            let mut all = vec![found.found];
            if is_bytes {
                let found = nearest_by(instructions, &bytes, bound, &control).expect("it runs");
                all.push(found.found);
            }
            for found in all {
                assert_eq!(found.distance <= bound, least <= bound, "{}", shown());
                if least <= bound {
                    assert!(
                        (found.distance, &found.ends) == (least, &ends),
                        "{}",
                        shown()
                    );
                }
            }
            if bound >= len {
                continue;
            }
            let expected = row.iter().copied().enumerate();
            let expected: Vec<_> = expected.filter(|end| end.1 <= bound).collect();
            let mut found = [Vec::new(), Vec::new()];
            within_by(instructions, &coded, bound, &control, &mut found[0]).expect("it runs");
            assert_eq!(found[0], expected, "{}", shown());
            if is_bytes {
                within_by(instructions, &bytes, bound, &control, &mut found[1]).expect("it runs");
                assert_eq!(found[1], expected, "{}", shown());
            }
        }
    }
}

#[test]
fn text_search_matches_the_reference_at_limb_group_and_lane_edges() {
    let mut random = Random::new(71);
    for rows in [0, 1, 2, 7, 8, 9, 31, 63, 64, 65, 130] {
        for len in [0, 1, 63, 64, 65, 511, 512, 513, 1100] {
            for letters in [1, 4, 20, 256, 300] {
                let pattern = random.codes(rows, letters);
                let mut text = random.codes(len, letters);
                assert_nearest(&pattern, &text);
                // Edited copies, some at the edges of lanes.
                for place in [0, 60, 120, random.below(len + 1)] {
                    let copy = random.edited(&pattern, 6, letters);
                    let end = len.min(place + copy.len());
                    if place < end {
                        text.splice(place..end, copy[..end - place].iter().copied());
                    }
                }
                assert_nearest(&pattern, &text);
            }
        }
    }
}

#[test]
fn text_search_matches_the_reference_on_every_kind_of_input() {
    for (rows, len) in [(20, 700), (70, 300), (100, 40)] {
        for (pattern, text) in inputs::pairs(rows, len) {
            assert_nearest(&pattern, &text);
        }
    }
}

#[test]
fn parts_on_several_threads_find_what_the_reference_does() {
    let mut random = Random::new(74);
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(3)
        .build()
        .expect("a pool");
    for (rows, letters) in [(1, 2), (9, 1), (40, 4)] {
        let pattern = random.codes(rows, letters);
        let mut text = random.codes(2 * MIN_PART + 70, letters);
        for place in [MIN_PART - rows - 1, MIN_PART - 2, 2 * MIN_PART + 3] {
            let copy = random.edited(&pattern, 9, letters);
            text.splice(place..place + copy.len(), copy);
        }
        pool.install(|| assert_nearest(&pattern, &text));
    }
}

#[test]
fn greatest_suffix_sums_match_plain_ones() {
    let mut random = Random::new(72);
    for round in 0..200 {
        let mut word = || match round % 3 {
            0 => (0..64).fold(0, |word, _| word << 1 | random.below(2) as u64),
            1 => (0..64).fold(0, |word, _| word << 1 | u64::from(random.below(9) == 0)),
            _ => [0, !0][random.below(2)],
        };
        let grows: Words = std::array::from_fn(|_| word());
        let shrinks: Words = std::array::from_fn(|lane| word() & !grows[lane]);
        let plain: [i64; WIDTH] = std::array::from_fn(|lane| {
            let mut sum = 0;
            let sums = (0..64).rev().map(|place| {
                sum += (grows[lane] >> place & 1) as i64 - (shrinks[lane] >> place & 1) as i64;
                sum
            });
            sums.max().unwrap_or(0).max(0)
        });
        assert_eq!(
            max_suffixes(&grows, &shrinks),
            plain,
            "{grows:x?} {shrinks:x?}"
        );
    }
}

#[test]
fn unrelated_text_is_swept_in_few_rows() {
    let mut random = Random::new(73);
    let (pattern, text) = (random.codes(1000, 4), random.codes(100_000, 4));
    let codes = Encoded::new(&text, &pattern);
    let text = Text {
        symbols: &codes.a,
        pattern: &Pattern::of_codes(&codes.b, codes.alphabet.shared + 1),
    };
    let found = nearest(&text, 20, &Control::default()).expect("not cancelled");
    assert!(
        found.found.distance > 20 && found.cells < 100_000 * 100,
        "{found:?}"
    );
}
