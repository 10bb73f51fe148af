//! Symbol comparisons: equality of windows, and the length of common extensions.

use std::sync::atomic::{AtomicUsize, Ordering};

use crate::host::parallel::{all_ranges, concat, for_each, map_ranges, range_len, sort_unstable};
use crate::substring::texts::Code;

/// Text and position.
pub type TextPosition = (usize, usize);

/// Symbols compared per thread before work is shared.
const TASK_SYMBOLS: usize = 1 << 16;
/// Open intervals per class: occurrences of a periodic window lie at three distances at most.
const MAX_OPEN_LINKS: usize = 8;

/// Two intervals of one or two texts that should be equal symbol by symbol.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Link {
    /// Both texts, and the offset of the second interval from the first. Overlapping links of one
    /// diagonal compare the same symbols.
    diagonal: (usize, usize, isize),
    start: usize,
    end: usize,
}

impl Link {
    fn of((text, position): TextPosition, (other, behind): TextPosition, length: usize) -> Self {
        let diagonal = (text, other, behind as isize - position as isize);
        Self {
            diagonal,
            start: position,
            end: position + length,
        }
    }

    /// Merges a link that overlaps or touches; returns whether it did.
    fn join(&mut self, other: &Link) -> bool {
        let joins =
            self.diagonal == other.diagonal && other.start >= self.start && other.start <= self.end;
        if joins {
            self.end = self.end.max(other.end);
        }
        joins
    }

    fn holds<C: Code>(&self, texts: &[&[C]]) -> bool {
        let (text, other, distance) = self.diagonal;
        let one = texts[text].get(self.start..self.end);
        let start = self.start.wrapping_add_signed(distance);
        let two = texts[other].get(start..start.saturating_add(self.end - self.start));
        one.zip(two).is_some_and(|(one, two)| {
            all_ranges(one.len(), TASK_SYMBOLS, |part| {
                one[part.clone()] == two[part]
            })
        })
    }
}

/// True if the windows of `length` symbols at all places of each class are equal.
///
/// Each place is compared with the next one of its class, and overlapping comparisons are merged:
/// for periodic or nearly equal texts the time is linear in their length.
pub fn are_equal<C: Code>(texts: &[&[C]], classes: &[Vec<TextPosition>], length: usize) -> bool {
    let links_of = |classes: &[Vec<TextPosition>]| {
        let mut links: Vec<Link> = Vec::new();
        for class in classes {
            let from = links.len();
            for pair in class.windows(2) {
                let link = Link::of(pair[0], pair[1], length);
                let open = links.len().saturating_sub(MAX_OPEN_LINKS).max(from);
                if !links[open..].iter_mut().any(|open| open.join(&link)) {
                    links.push(link);
                }
            }
        }
        links
    };
    let links = map_ranges(classes.len(), 1 << 10, |range| links_of(&classes[range]));
    let mut links = concat(links);
    sort_unstable(&mut links);
    links.dedup_by(|link, before| before.join(link));
    let is_inside = |&(text, position): &TextPosition| {
        texts[text]
            .len()
            .checked_sub(length)
            .is_some_and(|last| position <= last)
    };
    all_ranges(classes.len(), range_len(classes.len(), 1), |range| {
        classes[range].iter().flatten().all(is_inside)
    }) && all_ranges(links.len(), range_len(links.len(), 1), |range| {
        links[range].iter().all(|link| link.holds(texts))
    })
}

/// Length of the longest common prefix.
pub fn common_prefix<C: Code>(one: &[C], two: &[C]) -> usize {
    equal_run(one.len().min(two.len()), |from, to| {
        let (one, two) = (&one[from..to], &two[from..to]);
        let blocks = one
            .chunks(BLOCK)
            .zip(two.chunks(BLOCK))
            .take_while(|(one, two)| one == two)
            .count();
        let equal = (blocks * BLOCK).min(one.len());
        equal
            + one[equal..]
                .iter()
                .zip(&two[equal..])
                .take_while(|(x, y)| x == y)
                .count()
    })
}

/// Length of the longest common suffix.
pub fn common_suffix<C: Code>(one: &[C], two: &[C]) -> usize {
    let before = |of: &[C], from: usize, to: usize| of.len() - to..of.len() - from;
    equal_run(one.len().min(two.len()), |from, to| {
        let (one, two) = (&one[before(one, from, to)], &two[before(two, from, to)]);
        let blocks = one
            .rchunks(BLOCK)
            .zip(two.rchunks(BLOCK))
            .take_while(|(one, two)| one == two)
            .count();
        let equal = (blocks * BLOCK).min(one.len());
        let rest = ..one.len() - equal;
        equal
            + one[rest]
                .iter()
                .rev()
                .zip(two[rest].iter().rev())
                .take_while(|(x, y)| x == y)
                .count()
    })
}

/// Symbols per slice comparison.
const BLOCK: usize = 1 << 7;

/// Length of the equal run within `length` symbols. `equal(from, to)` returns the length of the
/// equal run at `from`, at most `to - from`. Ranges grow, so that little is examined after an early
/// difference, and long ranges are shared by all threads.
fn equal_run(length: usize, equal: impl Fn(usize, usize) -> usize + Sync) -> usize {
    let differs = |from: usize, to: usize| {
        let place = from + equal(from, to);
        (place < to).then_some(place)
    };
    let (mut from, mut reach) = (0, BLOCK);
    while from < length {
        let to = length.min(from.saturating_add(reach));
        let place = match to - from {
            ..=TASK_SYMBOLS => differs(from, to),
            _ => {
                let first = AtomicUsize::new(to);
                for_each((to - from).div_ceil(TASK_SYMBOLS), |part| {
                    let from = from + part * TASK_SYMBOLS;
                    if from < first.load(Ordering::Relaxed)
                        && let Some(place) = differs(from, to.min(from + TASK_SYMBOLS))
                    {
                        first.fetch_min(place, Ordering::Relaxed);
                    }
                });
                Some(first.into_inner()).filter(|&place| place < to)
            }
        };
        match place {
            Some(place) => return place,
            None => (from, reach) = (to, reach.saturating_mul(4)),
        }
    }
    length
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn are_equal_notices_one_wrong_symbol_anywhere() {
        let text = vec![7u8; 200];
        let length = 50;
        let class: Vec<TextPosition> = (0..=150)
            .map(|position| (0, position))
            .chain((0..=150).map(|position| (1, position)))
            .collect();
        assert!(are_equal(
            &[&text, &text],
            std::slice::from_ref(&class),
            length
        ));
        for (which, place) in [(0, 0), (0, 99), (0, 199), (1, 0), (1, 100), (1, 199)] {
            let mut changed = [text.clone(), text.clone()];
            changed[which][place] = 8;
            assert!(
                !are_equal(
                    &[&changed[0], &changed[1]],
                    std::slice::from_ref(&class),
                    length
                ),
                "{which} {place}"
            );
        }
        assert!(!are_equal(
            &[&text, &text],
            &[vec![(0, 0), (1, 151)]],
            length
        ));
        assert!(!are_equal(&[&text, &text], &[vec![(1, 151)]], length));
    }

    #[test]
    fn common_prefix_and_suffix_are_exact_at_task_edges() {
        let length = 2 * TASK_SYMBOLS + 10;
        for place in [
            0,
            1,
            TASK_SYMBOLS - 1,
            TASK_SYMBOLS,
            TASK_SYMBOLS + 1,
            2 * TASK_SYMBOLS,
            2 * TASK_SYMBOLS + 9,
            length,
        ] {
            let one = vec![1u8; length];
            let mut two = vec![1u8; length + 3];
            two[place] = 2;
            assert_eq!(common_prefix(&one, &two), place.min(length), "{place}");
            let mut two = vec![1u8; length];
            if let Some(symbol) = two.get_mut(place) {
                *symbol = 2;
            }
            let expected = if place < length {
                length - place - 1
            } else {
                length
            };
            assert_eq!(common_suffix(&one, &two), expected, "{place}");
        }
        assert_eq!(
            (
                common_prefix::<u8>(&[], &[1]),
                common_suffix::<u8>(&[], &[1])
            ),
            (0, 0)
        );
    }
}
