//! Search over window lengths.
//!
//! Invariant: a common substring of `low` symbols is known, and none exceeds `high`. Each filtered
//! length moves one of the bounds. The longest extension of the first survivors estimates the
//! answer; filtering at that length leaves few windows, which are followed to their ends on the
//! host. If repeats prevent that, lengths grow by steps of increasing size, factor 16, until one is
//! too long; then bisection.

use super::filter::{Filter, Survivors, Windows};
use super::resolve::{Refined, classes, extended, refine};
use super::verify::are_equal;
use super::{SearchOutcome, SearchStats, Settings, alphabet, hash};
use crate::call::control::Control;
use crate::call::phase::Phase;
use crate::error::{Error, Result};
use crate::substring::query::{LongestSubstrings, SubstringQuery};
use crate::substring::texts::Code;

/// Growth factor of the steps.
const GROWTH: usize = 16;
/// Hash bases to try before giving up.
const BASES: u64 = 4;

/// Bounds of the answer and the step to the next length.
struct Bracket {
    /// Length of a known common substring.
    low: usize,
    /// Upper bound of the answer.
    high: usize,
    /// Whether some length was too long.
    is_bounded: bool,
    step: usize,
}

impl Bracket {
    /// Estimated number of remaining filters.
    fn rounds(&self) -> u64 {
        if self.is_bounded {
            1 + u64::from((self.high - self.low + 1).ilog2())
        } else {
            2
        }
    }

    /// The next length to filter, after `low` has grown from `asked`.
    fn next(&mut self, requested: usize) -> usize {
        if self.low / 2 >= requested {
            return self.low;
        }
        if self.is_bounded {
            return self.low + (self.high - self.low).div_ceil(2);
        }
        let next = self.low.saturating_add(self.step).min(self.high);
        self.step = self.step.saturating_mul(GROWTH);
        next
    }
}

pub(crate) async fn search<C: Code>(
    query: SubstringQuery<'_, C>,
    settings: &Settings,
    filter: &mut impl Filter,
    control: &Control,
) -> Result<(SearchOutcome, SearchStats)> {
    let mut lengths: Vec<_> = query.texts.iter().map(|text| text.len()).collect();
    lengths.sort_unstable_by(|one, two| two.cmp(one));
    let high = lengths
        .get(query.inputs.saturating_sub(1))
        .copied()
        .unwrap_or(0);
    let mut bracket = Bracket {
        low: 0,
        high,
        is_bounded: false,
        step: 1,
    };
    let start = settings
        .tuning
        .start_length
        .unwrap_or_else(|| alphabet::start_length(&query, high));
    let mut length = start.clamp(1, high.max(1));
    let mut stats = SearchStats::default();
    control.set_phase(Phase::Sweep);
    let mut bases = (0..BASES).map(|attempt| hash::base(settings.seed ^ (attempt << 32)));
    let mut base = bases.next().unwrap_or(hash::MODULUS - 1);
    // Request all survivors: at the final length, and after an inconclusive sample.
    let mut all = false;
    let answer = loop {
        if bracket.high == 0 {
            break SearchOutcome::Found(LongestSubstrings::default());
        }
        if bracket.low == bracket.high {
            (length, all) = (bracket.low, true);
        }
        control.check()?;
        control.set_estimate(
            bracket
                .rounds()
                .saturating_mul(filter.cells(Windows { length, base })),
        );
        let survivors = filter.survivors(Windows { length, base }, all).await?;
        stats.lengths += 1;
        let verdict = filter.on_threads(|| evaluate(&query, survivors, length, &bracket));
        match verdict {
            Verdict::TooLong => (bracket.high, bracket.is_bounded) = (length - 1, true),
            Verdict::AtLeast(found) => bracket.low = bracket.low.max(found),
            Verdict::Longest(length, classes) => {
                break SearchOutcome::Found(LongestSubstrings::sorted(length, classes));
            }
            Verdict::Inconclusive => {
                all = true;
                continue;
            }
            Verdict::Unequal => match bases.next() {
                Some(next) => {
                    base = next;
                    continue;
                }
                None => break SearchOutcome::Undecided,
            },
        }
        if bracket.low > bracket.high {
            let Bracket { low, high, .. } = bracket;
            return Err(Error::CertificateFailed(format!(
                "a filter lost a match of {low} symbols and left {high}"
            )));
        }
        (length, all) = (bracket.next(length), false);
    };
    stats.windows = filter.windows();
    Ok((answer, stats))
}

/// Conclusion from the survivors of one length.
enum Verdict {
    /// No common substring is this long.
    TooLong,
    /// There is a common substring of at least this length.
    AtLeast(usize),
    Longest(usize, Vec<Vec<(usize, usize)>>),
    /// The sample has too few equal keys.
    Inconclusive,
    /// Unequal windows have equal keys.
    Unequal,
}

fn evaluate<C: Code>(
    query: &SubstringQuery<'_, C>,
    survivors: Survivors,
    length: usize,
    bracket: &Bracket,
) -> Verdict {
    let Survivors { list, complete } = survivors;
    let classes = classes(list, query.inputs);
    if classes.is_empty() {
        return if complete {
            Verdict::TooLong
        } else {
            Verdict::Inconclusive
        };
    }
    let longest = extended(query, &classes, length);
    if !complete {
        return if longest == 0 {
            Verdict::Unequal
        } else {
            Verdict::AtLeast(longest)
        };
    }
    if !are_equal(query.texts, &classes, length) {
        return Verdict::Unequal;
    }
    if length == bracket.high {
        return Verdict::Longest(length, classes);
    }
    match refine(query, classes, length, longest.max(bracket.low)) {
        Refined::Longest(length, classes) => Verdict::Longest(length, classes),
        Refined::AtLeast(length) => Verdict::AtLeast(length),
    }
}
