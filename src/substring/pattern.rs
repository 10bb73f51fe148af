//! Whether a pattern stands at positions of a sequence, one after the other.

/// A pattern that is looked for at positions that ascend. Where two of them overlap by half of it or more, it is proven with the
/// symbols that only the later one has, and with the pattern's period: runs of a short period cost their length alone.
pub(super) struct Pattern<'a, S> {
    symbols: &'a [S],
    /// Where it was found last.
    last: Option<usize>,
    /// A shift at which it equals itself; 0 where none is known.
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

    /// Whether it stands there. The same sequence and a greater position than before.
    pub(super) fn stands_at(&mut self, sequence: &[S], position: usize) -> bool {
        let symbols = self.symbols;
        let Some(found) = position
            .checked_add(symbols.len())
            .and_then(|end| sequence.get(position..end))
        else {
            return false;
        };
        let stands = match self
            .last
            .map(|last| position - last)
            .filter(|&shift| shift <= symbols.len() / 2)
        {
            Some(shift) => {
                // Two places with this shift are there only if it is a period.
                if self.period != shift && symbols[..symbols.len() - shift] == symbols[shift..] {
                    self.period = shift;
                }
                let known = symbols.len() - shift;
                self.period == shift && found[known..] == symbols[known..]
            }
            None => found == symbols,
        };
        if stands {
            self.last = Some(position);
        }
        stands
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pattern_is_found_where_it_stands_and_nowhere_else() {
        let text = b"ABABABABBABAABABABAAAAAAAABABAB";
        for pattern in [&b"ABAB"[..], b"AAAA", b"ABABAB", b"A", b"BB", b"", b"ABC"] {
            let mut looked_for = Pattern::new(pattern);
            for position in 0..text.len() + 2 {
                let expected = text
                    .get(position..)
                    .is_some_and(|rest| rest.starts_with(pattern));
                assert_eq!(
                    looked_for.stands_at(text, position),
                    expected,
                    "{pattern:?} at {position}"
                );
            }
        }
    }
}
