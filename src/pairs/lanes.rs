//! Strings of a measure in SIMD lanes.

use super::each;
use super::measure::Measure;
use super::request::Scoring;
use super::texts::Texts;
use super::values::Value;
use crate::sequences::bit_parallel::cpu::jaro::{self, JaroGroup};
use crate::sequences::bit_parallel::cpu::lane_patterns::{Ends, Hamming, Osa};
use crate::sequences::bit_parallel::cpu::shared_text::{LaneValues, PatternGroup};
use crate::sequences::bit_parallel::cpu::vector::Lane;
use crate::sequences::bit_parallel::recurrence::{Edit, Lcs};

/// Patterns of a measure, one in each lane. The measure is no type parameter, so that the loops over
/// texts and values are compiled once for each width of a lane and of a value.
pub(super) enum InLanes<T> {
    Swept(Measure, PatternGroup<T>),
    Jaro(JaroGroup<T>),
}

impl<T: Lane> InLanes<T> {
    /// Patterns of these codes, for the texts.
    pub(super) fn new(
        measure: Measure,
        patterns: &[Vec<u32>],
        codes: usize,
        ends: Ends,
        texts: &Texts,
    ) -> Self {
        let group = match measure {
            Measure::Jaro | Measure::JaroWinkler => {
                return Self::Jaro(JaroGroup::new(patterns, codes, texts.lens()));
            }
            Measure::Edit => PatternGroup::new::<Edit>(patterns, codes, ends),
            Measure::Osa => PatternGroup::new::<Osa>(patterns, codes, ends),
            Measure::Hamming => PatternGroup::new::<Hamming>(patterns, codes, ends),
            _ => PatternGroup::new::<Lcs>(patterns, codes, ends),
        };
        Self::Swept(measure, group)
    }

    pub(super) fn limbs(&self) -> usize {
        match self {
            Self::Swept(_, group) => group.limbs(),
            Self::Jaro(_) => 1,
        }
    }

    pub(super) fn values(&self, texts: &[&[u32]], limit: Option<u64>, found: &mut LaneValues<T>) {
        match self {
            Self::Swept(measure, group) => swept(*measure, group, texts, limit, found),
            Self::Jaro(group) => group.values(texts, found),
        }
    }

    /// Writes the values of a pattern with the texts, from those of its lane.
    pub(super) fn write<V: Value>(
        &self,
        scoring: &Scoring,
        pattern: &[u32],
        texts: &[&[u32]],
        found: impl Iterator<Item = i64>,
        values: &mut [V],
    ) {
        let pairs = values.iter_mut().zip(found).zip(texts);
        match self {
            Self::Swept(..) => {
                for ((value, last), text) in pairs {
                    let lens = (pattern.len() as u64, text.len() as u64);
                    *value = V::narrowed(scoring.value(last as u64, lens));
                }
            }
            Self::Jaro(_) => {
                for ((value, of_lane), text) in pairs {
                    let (matches, transposed) = jaro::parts::<T>(of_lane);
                    let jaro = each::jaro_of(scoring.measure, pattern, text, matches, transposed);
                    *value = V::narrowed(jaro as u32);
                }
            }
        }
    }
}

/// [`PatternGroup::values`] by the recurrence of a measure other than Jaro similarities.
pub(super) fn swept<T: Lane>(
    measure: Measure,
    group: &PatternGroup<T>,
    texts: &[&[u32]],
    limit: Option<u64>,
    found: &mut LaneValues<T>,
) {
    match measure {
        Measure::Edit => group.values::<Edit>(texts, limit, found),
        Measure::Osa => group.values::<Osa>(texts, limit, found),
        Measure::Hamming => group.values::<Hamming>(texts, limit, found),
        _ => group.values::<Lcs>(texts, limit, found),
    }
}
