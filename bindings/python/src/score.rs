//! Distances and similarities from the values of the library.

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyString;
use swath::edit_distance::Mode;
use swath::pairs::Measure;

use crate::errors::{Named, OrRaise, input_error, one_of};

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
    pub fn parse(py: Python<'_>, name: Option<&str>) -> PyResult<Option<Self>> {
        const ALL: [Kind; 4] = [
            Kind::Distance,
            Kind::Similarity,
            Kind::NormalizedDistance,
            Kind::NormalizedSimilarity,
        ];
        let values = ALL.map(|kind| (kind.name(), kind));
        let kind = |name| one_of(py, "kind", name, &values);
        name.map(kind).transpose()
    }

    pub fn name(self) -> &'static str {
        match self {
            Self::Distance => "distance",
            Self::Similarity => "similarity",
            Self::NormalizedDistance => "normalized_distance",
            Self::NormalizedSimilarity => "normalized_similarity",
        }
    }

    pub fn is_normalized(self) -> bool {
        matches!(self, Self::NormalizedDistance | Self::NormalizedSimilarity)
    }

    /// True if less is better.
    pub fn is_distance(self) -> bool {
        matches!(self, Self::Distance | Self::NormalizedDistance)
    }
}

/// Measure of a name, also of one of rapidfuzz as "token_sort_ratio".
fn measure(py: Python<'_>, name: &str) -> PyResult<Measure> {
    if name == "edit" {
        return Ok(Measure::Edit); // Without an allocation, for small pairs.
    }
    let name = name.replace('_', "-");
    let token_measure = name.strip_suffix("-ratio");
    let token_measure = token_measure.filter(|name| name.starts_with("token-"));
    token_measure
        .unwrap_or(&name)
        .parse()
        .or_raise(py)
        .named(py, "scorer")
}

/// Measure of a name or function with keyword arguments, and the kind of a function.
fn resolved(
    py: Python<'_>,
    scorer: &Bound<'_, PyAny>,
    scorer_kwargs: Option<&Bound<'_, PyAny>>,
) -> PyResult<(Measure, Option<Kind>)> {
    let resolve = py.import("swath._scorers")?.getattr("resolve")?;
    let (name, kind): (String, Option<String>) =
        resolve.call1((scorer, scorer_kwargs))?.extract()?;
    Ok((measure(py, &name)?, Kind::parse(py, kind.as_deref())?))
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
    /// From a name or a function of rapidfuzz with its keyword arguments, "edit" by default. The kind
    /// is by default the one that the function computes; the similarity for ratios; else the distance.
    ///
    /// # Errors
    /// `InputError` for an unknown measure, a function of another kind, and a cutoff that is NaN.
    pub fn new(
        py: Python<'_>,
        scorer: Option<&Bound<'_, PyAny>>,
        scorer_kwargs: Option<&Bound<'_, PyAny>>,
        kind: Option<Kind>,
        cutoff: Option<f64>,
    ) -> PyResult<Self> {
        let (measure, of_function) = match (scorer, scorer_kwargs) {
            (None, None) => (Measure::Edit, None),
            (None, Some(_)) => {
                let scorer = PyString::new(py, "edit");
                resolved(py, scorer.as_any(), scorer_kwargs)?
            }
            (Some(scorer), _) => match scorer.cast::<PyString>() {
                Ok(name) if scorer_kwargs.is_none() => (measure(py, name.to_str()?)?, None),
                _ => resolved(py, scorer, scorer_kwargs)?,
            },
        };
        let kind = match (kind, of_function) {
            (Some(kind), Some(own)) if kind != own => {
                let message = format!(
                    "the scorer is a function of the kind '{}', not '{}'",
                    own.name(),
                    kind.name()
                );
                return Err(input_error(py, message));
            }
            (kind, own) => kind.or(own).unwrap_or(if measure.max_similarity() > 1.0 {
                Kind::Similarity
            } else {
                Kind::Distance
            }),
        };
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
            measure,
            kind,
            cutoff,
        })
    }

    /// Maximum score of strings of these lengths without a cutoff.
    pub fn max(self, a: u64, b: u64) -> f64 {
        if self.kind.is_normalized() {
            1.0
        } else if self.measure.is_fraction() {
            self.measure.max_similarity()
        } else {
            self.measure.greatest(Mode::Global, a, b) as f64
        }
    }

    /// True if scores are fractions of 1, or of 100.
    pub fn is_float(self) -> bool {
        self.kind.is_normalized() || self.measure.is_fraction()
    }

    /// Bound on the distance of strings up to these lengths whose score is not worse than the
    /// cutoff; `None` if all of them may be, or the measure has none.
    pub fn bound(self, a: u64, b: u64) -> Option<u64> {
        if !self.measure.is_distance() {
            return None;
        }
        let greatest = self.measure.greatest(Mode::Global, a, b) as f64;
        let cutoff = self.cutoff?;
        let bound = match self.kind {
            Kind::Distance if !self.is_float() => cutoff,
            Kind::Similarity if !self.is_float() => greatest - cutoff,
            // One more for rounding.
            kind if kind.is_distance() => cutoff / self.max(a, b) * greatest + 1.0,
            _ => (1.0 - cutoff / self.max(a, b)) * greatest + 1.0,
        };
        // A conversion saturates.
        (bound < greatest).then_some(bound.floor().max(0.0) as u64)
    }

    /// Score from a value of the measure, or a value above the [`bound`](Self::bound).
    pub fn score(self, value: u64, a: u64, b: u64) -> f64 {
        let (distance, similarity, max) = if self.measure.is_fraction() {
            let max = self.measure.max_similarity();
            let similarity = self.measure.similarity(Mode::Global, value, a, b);
            (max - similarity, similarity, max)
        } else {
            let max = self.measure.greatest(Mode::Global, a, b);
            let rest = max.saturating_sub(value) as f64;
            let value = value as f64;
            match self.measure {
                Measure::Lcs => (rest, value, max as f64),
                _ => (value, rest, max as f64),
            }
        };
        let normalized = || if max == 0.0 { 0.0 } else { distance / max };
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

    pub fn has_tokens(self) -> bool {
        matches!(self.measure, Measure::TokenSort | Measure::TokenSet)
    }

    /// # Errors
    /// `TypeError` if symbols that are not characters, bytes or small integers have no tokens.
    pub fn check_text(self, are_text: bool) -> PyResult<()> {
        if are_text || !self.has_tokens() {
            return Ok(());
        }
        let message = format!("'{}' needs the tokens of text", self.measure);
        Err(PyTypeError::new_err(message))
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
            Kind::Distance | Kind::NormalizedDistance => self.max(0, 0),
            Kind::Similarity | Kind::NormalizedSimilarity => 0.0,
        }
    }
}
