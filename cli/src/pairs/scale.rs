//! Similarities from 0 to 1.

use swath::edit_distance::Mode;
use swath::pairs::Measure;

/// Scale of the values of a measure.
#[derive(Clone, Copy, Debug)]
pub struct Scale {
    pub measure: Measure,
    pub mode: Mode,
}

impl Scale {
    /// Maximum value of strings of these lengths; for lengths of subsequences that of the longer.
    fn max_value(self, query: usize, target: usize) -> u64 {
        match (self.measure, self.mode) {
            (Measure::Indel, _) => query as u64 + target as u64,
            (_, Mode::Global) => query.max(target) as u64,
            // In the other modes the rest of the target costs nothing.
            _ => query as u64,
        }
    }

    /// Similarity of a pair: 1 for two empty strings, 0 above a bound on the distance.
    pub fn similarity(self, value: u32, query: usize, target: usize) -> f64 {
        let max = self.max_value(query, target);
        let shared = match self.measure {
            Measure::Lcs => value.into(),
            _ => max.saturating_sub(value.into()),
        };
        match max {
            0 => 1.0,
            _ => shared as f64 / max as f64,
        }
    }

    /// Upper bound of the distance of strings up to these lengths that are at least this similar.
    pub fn bound(self, similarity: f64, query: usize, target: usize) -> Option<u64> {
        let distance = (1.0 - similarity) * self.max_value(query, target) as f64;
        (self.measure != Measure::Lcs).then_some(distance as u64 + 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn similarities_are_those_of_the_measure_and_are_not_below_their_bound() {
        for (measure, mode, value, (query, target), expected) in [
            (Measure::Edit, Mode::Global, 3, (6, 10), 0.7),
            (Measure::Edit, Mode::Infix, 3, (6, 10), 0.5),
            (Measure::Indel, Mode::Global, 4, (6, 10), 0.75),
            (Measure::Lcs, Mode::Global, 4, (6, 10), 0.4),
            (Measure::Edit, Mode::Global, 0, (0, 0), 1.0),
            (Measure::Edit, Mode::Prefix, 0, (0, 5), 1.0),
        ] {
            let scale = Scale { measure, mode };
            let similarity = scale.similarity(value, query, target);
            assert_eq!(similarity, expected, "{measure} {mode}");
            let bound = scale.bound(similarity, query, target);
            assert!(bound.is_none_or(|bound| u64::from(value) <= bound));
        }
    }
}
