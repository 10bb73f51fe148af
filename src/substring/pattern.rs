//! Verification of a pattern at ascending positions of a sequence.

/// Tests a pattern at ascending positions. If a position overlaps the previous occurrence by half
/// of the pattern or more, only the new symbols are compared, together with the pattern's period:
/// overlapping occurrences cost O(new symbols).
pub(super) struct Pattern<'a, S> {
    symbols: &'a [S],
    /// The last occurrence.
    last: Option<usize>,
    /// A known period of the pattern; 0 if none is known.
    period: usize,
}

impl<'a, S: PartialEq> Pattern<'a, S> {
    pub(super) fn new(symbols: &'a [S]) -> Self {
        Self {
            symbols,
            last: None,
            period: 0,
        }
    }

    /// True if the pattern occurs at `position`. Positions ascend, in one sequence.
    pub(super) fn occurs_at(&mut self, sequence: &[S], position: usize) -> bool {
        let symbols = self.symbols;
        let Some(found) = position
            .checked_add(symbols.len())
            .and_then(|end| sequence.get(position..end))
        else {
            return false;
        };
        let occurs = match self
            .last
            .map(|last| position - last)
            .filter(|&shift| shift <= symbols.len() / 2)
        {
            Some(shift) => {
                // Two occurrences this far apart exist only if the distance is a period.
                if self.period != shift && symbols[..symbols.len() - shift] == symbols[shift..] {
                    self.period = shift;
                }
                let known = symbols.len() - shift;
                self.period == shift && found[known..] == symbols[known..]
            }
            None => found == symbols,
        };
        if occurs {
            self.last = Some(position);
        }
        occurs
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pattern_occurs_at_all_its_occurrences_and_nowhere_else() {
        let text = b"ABABABABBABAABABABAAAAAAAABABAB";
        for pattern in [&b"ABAB"[..], b"AAAA", b"ABABAB", b"A", b"BB", b"", b"ABC"] {
            let mut pattern_matcher = Pattern::new(pattern);
            for position in 0..text.len() + 2 {
                let expected = text
                    .get(position..)
                    .is_some_and(|rest| rest.starts_with(pattern));
                assert_eq!(
                    pattern_matcher.occurs_at(text, position),
                    expected,
                    "{pattern:?} at {position}"
                );
            }
        }
    }
}
