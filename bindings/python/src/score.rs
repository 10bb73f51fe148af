//! Distances and similarities from the values of the library.

use pyo3::prelude::*;
use swath::edit_distance::Mode;
use swath::pairs::Measure;

use crate::errors::{OrRaise, input_error};

/// What is made of a distance.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Distance,
    Similarity,
    NormalizedDistance,
    NormalizedSimilarity,
}

impl Kind {
    /// # Errors
    /// `InputError` for an unknown name.
    pub fn parse(py: Python<'_>, name: &str) -> PyResult<Self> {
        Ok(match name {
            "distance" => Self::Distance,
            "similarity" => Self::Similarity,
            "normalized_distance" => Self::NormalizedDistance,
            "normalized_similarity" => Self::NormalizedSimilarity,
            _ => {
                return Err(input_error(
                    py,
                    format!(
                        "unknown kind '{name}'; known: distance, similarity, normalized_distance, \
                         normalized_similarity"
                    ),
                ));
            }
        })
    }

    pub fn is_normalized(self) -> bool {
        matches!(self, Self::NormalizedDistance | Self::NormalizedSimilarity)
    }

    /// True if less is better.
    pub fn is_distance(self) -> bool {
        matches!(self, Self::Distance | Self::NormalizedDistance)
    }
}

/// A score of two strings.
#[derive(Clone, Copy, Debug)]
pub struct Scorer {
    pub measure: Measure,
    pub kind: Kind,
    /// Worst score of interest.
    pub cutoff: Option<f64>,
}

impl Scorer {
    /// # Errors
    /// `InputError` for an unknown measure, and a cutoff that is NaN.
    pub fn new(py: Python<'_>, measure: &str, kind: Kind, cutoff: Option<f64>) -> PyResult<Self> {
        if cutoff.is_some_and(f64::is_nan) {
            return Err(input_error(
                py,
                "score_cutoff is NaN; give a number".to_string(),
            ));
        }
        if kind.is_distance() && cutoff.is_some_and(|cutoff| cutoff < 0.0) {
            return Err(input_error(
                py,
                "score_cutoff is negative, but distances are not".to_string(),
            ));
        }
        Ok(Self {
            measure: match measure {
                "edit" => Measure::Edit, // Without an allocation, for small pairs.
                other => other.parse().or_raise(py)?,
            },
            kind,
            cutoff,
        })
    }

    /// Greatest distance of strings of these lengths.
    pub fn greatest(self, a: u64, b: u64) -> u64 {
        if self.measure.is_fraction() {
            return 1;
        }
        self.measure.greatest(Mode::Global, a, b)
    }

    /// True if scores are from 0 to 1.
    pub fn is_normalized(self) -> bool {
        self.kind.is_normalized() || self.measure.is_fraction()
    }

    /// Bound on the distance of strings up to these lengths whose score is not worse than the
    /// cutoff; `None` if all of them may be, or the measure has none.
    pub fn bound(self, a: u64, b: u64) -> Option<u64> {
        if !self.measure.is_distance() {
            return None;
        }
        let (cutoff, greatest) = (self.cutoff?, self.greatest(a, b) as f64);
        let bound = match self.kind {
            Kind::Distance => cutoff,
            Kind::Similarity => greatest - cutoff,
            // One more for rounding.
            Kind::NormalizedDistance => cutoff * greatest + 1.0,
            Kind::NormalizedSimilarity => (1.0 - cutoff) * greatest + 1.0,
        };
        // A conversion saturates.
        (bound < greatest).then_some(bound.floor().max(0.0) as u64)
    }

    /// Score from a value of the measure, or a value above the [`bound`](Self::bound).
    pub fn score(self, value: u64, a: u64, b: u64) -> f64 {
        let greatest = self.greatest(a, b);
        let (distance, similarity) = match self.measure {
            Measure::Jaro | Measure::JaroWinkler => {
                let similarity = self.measure.similarity(Mode::Global, value, a, b);
                (1.0 - similarity, similarity)
            }
            Measure::Lcs => ((greatest - value) as f64, value as f64),
            _ => (value as f64, greatest.saturating_sub(value) as f64),
        };
        let normalized = || match greatest {
            0 => 0.0,
            _ => distance / greatest as f64,
        };
        let score = match self.kind {
            Kind::Distance => distance,
            Kind::Similarity => similarity,
            Kind::NormalizedDistance => normalized(),
            Kind::NormalizedSimilarity => 1.0 - normalized(),
        };
        if self.passes(score) {
            score
        } else {
            self.worst()
        }
    }

    pub fn passes(self, score: f64) -> bool {
        match self.cutoff {
            None => true,
            Some(cutoff) if self.kind.is_distance() => score <= cutoff,
            Some(cutoff) => score >= cutoff,
        }
    }

    /// Score of what is worse than the cutoff.
    pub fn worst(self) -> f64 {
        match self.kind {
            Kind::Distance if !self.measure.is_fraction() => {
                self.cutoff.unwrap_or(f64::INFINITY).floor() + 1.0
            }
            Kind::Distance | Kind::NormalizedDistance => 1.0,
            Kind::Similarity | Kind::NormalizedSimilarity => 0.0,
        }
    }
}
