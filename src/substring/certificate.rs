//! Certificate: compares every reported place with the inputs, symbol by symbol, before the answer
//! is returned.

use std::ops::Range;

use super::answer::{MaximalMatch, Occurrences};
use super::pattern::Pattern;
use super::place::{Place, Strand};
use super::texts::Code;
use crate::error::{Error, Result};
use crate::host::parallel::{range_len, try_map_ranges};

#[derive(Clone, Copy)]
pub(super) struct Inputs<'a, 'b, S> {
    pub records: &'b [Vec<&'a [S]>],
    /// True if reverse strands were searched, too.
    pub both_strands: bool,
}

impl<'a, S: Code> Inputs<'a, '_, S> {
    fn record(&self, place: &Place) -> Result<&'a [S]> {
        let record = self
            .records
            .get(place.input)
            .and_then(|records| records.get(place.record));
        record
            .copied()
            .ok_or_else(|| Error::CertificateFailed(format!("{place:?} is in no record")))
    }

    /// The symbols at a place, as the forward strand has them.
    fn forward(&self, place: &Place, length: usize) -> Result<&'a [S]> {
        let end = place.start.checked_add(length);
        let symbols = end.and_then(|end| self.record(place).ok()?.get(place.start..end));
        symbols.ok_or_else(|| {
            Error::CertificateFailed(format!(
                "{length} symbols from {place:?} on leave the record"
            ))
        })
    }

    /// The reverse complement; fails if only the forward strand was searched.
    fn reversed(&self, symbols: &[S]) -> Result<Vec<S>> {
        if !self.both_strands {
            return failed("a reverse strand that was not asked for");
        }
        Ok(symbols
            .iter()
            .rev()
            .map(|symbol| symbol.complement())
            .collect())
    }

    /// The symbols at a place, read on its strand.
    pub(super) fn read(&self, place: &Place, length: usize) -> Result<Vec<S>> {
        let symbols = self.forward(place, length)?;
        match place.strand {
            Strand::Forward => Ok(symbols.to_vec()),
            Strand::Reverse => self.reversed(symbols),
        }
    }

    /// Verifies that each substring occurs at all of its places, and in at least `inputs` inputs.
    pub(super) fn verify_occurrences(
        &self,
        length: usize,
        inputs: usize,
        substrings: &[Occurrences],
    ) -> Result<()> {
        verify_each(substrings, |substring| {
            let places = &substring.places;
            let Some(first) = places.first() else {
                return failed("a substring without a place");
            };
            let forward = self.read(first, length)?;
            let reverse = if places.iter().any(|place| place.strand == Strand::Reverse) {
                self.reversed(&forward)?
            } else {
                Vec::new()
            };
            for (strand, symbols) in [(Strand::Forward, &forward), (Strand::Reverse, &reverse)] {
                let mut before: Option<&Place> = None;
                let mut pattern = Pattern::new(symbols);
                for place in places.iter().filter(|place| place.strand == strand) {
                    if before.is_some_and(|before| before >= place) {
                        return failed(format!("{place:?} is out of order"));
                    }
                    if before.is_none_or(|before| {
                        (before.input, before.record) != (place.input, place.record)
                    }) {
                        pattern = Pattern::new(symbols);
                    }
                    if !pattern.occurs_at(self.record(place)?, place.start) {
                        return failed(format!("{place:?} has another substring"));
                    }
                    before = Some(place);
                }
            }
            let mut found: Vec<_> = places.iter().map(|place| place.input).collect();
            found.dedup();
            if found.len() < inputs {
                return failed(format!("a substring in {} of {inputs} inputs", found.len()));
            }
            Ok(())
        })
    }

    /// True for a reverse match whose run is its own reverse complement. Its places are
    /// those of a forward match, or lie in one.
    pub(super) fn is_repeated(&self, found: &MaximalMatch) -> bool {
        let is_own_complement = |run: &[S]| {
            let turned = run.iter().rev().map(|symbol| symbol.complement());
            run.iter().copied().eq(turned)
        };
        found.b.strand == Strand::Reverse
            && self
                .forward(&found.a, found.length)
                .is_ok_and(is_own_complement)
    }

    /// Verifies that the runs of each match are equal and that neither end can be extended.
    pub(super) fn verify_matches(&self, matches: &[MaximalMatch]) -> Result<()> {
        verify_each(matches, |found| {
            let MaximalMatch { a, b, length } = found;
            let (in_a, in_b) = (self.forward(a, *length)?, self.forward(b, *length)?);
            let equal = match b.strand {
                Strand::Forward => in_a == in_b,
                Strand::Reverse => in_a == self.reversed(in_b)?,
            };
            if !equal || a.strand == Strand::Reverse || self.extends(found)? {
                return failed(format!("{found:?} is no maximal match"));
            }
            Ok(())
        })
    }

    /// True if a match can be extended at one of its ends.
    fn extends(&self, found: &MaximalMatch) -> Result<bool> {
        let MaximalMatch { a, b, length } = found;
        let (in_a, in_b) = (self.record(a)?, self.record(b)?);
        let before = |symbols: &[S], place: &Place| Some(symbols[place.start.checked_sub(1)?]);
        let behind = |symbols: &[S], place: &Place| symbols.get(place.start + length).copied();
        let (of_a, of_b) = (
            (before(in_a, a), behind(in_a, a)),
            (before(in_b, b), behind(in_b, b)),
        );
        let same = |x: Option<S>, y: Option<S>| x.is_some_and(|x| Some(x) == y);
        Ok(match b.strand {
            Strand::Reverse => {
                same(of_a.0, of_b.1.map(S::complement)) || same(of_a.1, of_b.0.map(S::complement))
            }
            Strand::Forward => same(of_a.0, of_b.0) || same(of_a.1, of_b.1),
        })
    }
}

fn failed<T>(reason: impl Into<String>) -> Result<T> {
    Err(Error::CertificateFailed(reason.into()))
}

fn verify_each<T: Sync>(items: &[T], verify: impl Fn(&T) -> Result<()> + Sync) -> Result<()> {
    let verify = |range: Range<usize>| items[range].iter().try_for_each(&verify);
    try_map_ranges(items.len(), range_len(items.len(), 1), verify).map(|_| ())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(input: usize, start: usize, strand: Strand) -> Place {
        Place {
            input,
            record: 0,
            start,
            strand,
        }
    }

    #[test]
    fn certificate_rejects_damaged_places() {
        let records: [Vec<&[u8]>; 2] = [vec![b"AACGTTT"], vec![b"AAACG"]];
        let inputs = Inputs {
            records: &records,
            both_strands: true,
        };
        let passes = |length, least, places: &[Place]| {
            inputs
                .verify_occurrences(
                    length,
                    least,
                    &[Occurrences {
                        places: places.to_vec(),
                    }],
                )
                .is_ok()
        };
        let good = [place(0, 0, Strand::Forward), place(1, 1, Strand::Forward)];
        assert!(passes(4, 2, &good));
        assert!(!passes(5, 2, &good) && !passes(4, 3, &good) && !passes(4, 1, &[]));
        assert!(!passes(4, 2, &[good[0], place(1, 0, Strand::Forward)]));
        assert!(!passes(4, 2, &[good[0], good[0], good[1]]) && !passes(4, 2, &[good[1], good[0]]));
        assert!(!passes(4, 2, &[good[0], place(2, 1, Strand::Forward)]));
        assert!(passes(
            3,
            2,
            &[
                place(0, 0, Strand::Forward),
                place(0, 3, Strand::Reverse),
                place(1, 1, Strand::Forward)
            ]
        ));
    }

    #[test]
    fn certificate_rejects_damaged_matches() {
        let records: [Vec<&[u8]>; 2] = [vec![b"TACGGT"], vec![b"GACCGGT"]];
        let inputs = Inputs {
            records: &records,
            both_strands: true,
        };
        let passes = |a: usize, b: usize, length, strand| {
            let (a, b) = (place(0, a, Strand::Forward), place(1, b, strand));
            inputs
                .verify_matches(&[MaximalMatch { a, b, length }])
                .is_ok()
        };
        assert!(passes(2, 3, 4, Strand::Forward) && passes(2, 1, 4, Strand::Reverse));
        assert!(!passes(2, 3, 3, Strand::Forward) && !passes(3, 4, 3, Strand::Forward));
        assert!(!passes(2, 2, 4, Strand::Forward) && !passes(2, 3, 5, Strand::Forward));
        assert!(!passes(2, 1, 3, Strand::Reverse) && !passes(3, 1, 3, Strand::Reverse));
        assert!(!passes(1, 1, 4, Strand::Reverse) && !passes(2, 2, 4, Strand::Reverse));
    }
}
