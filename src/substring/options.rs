//! Options of a substring search.

use std::hash::{BuildHasher, RandomState};

use super::Method;
use super::search::{Settings, Tuning};
use crate::call::control::Control;
use crate::engine::Engine;

/// Options of [`Substring`](super::Substring), for a [query](crate::query).
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct SubstringOptions {
    /// The method; [`Method::Auto`] by default.
    pub method: Method,
    /// Minimum number of inputs that contain the substring; all by default.
    pub inputs: Option<u64>,
    /// Seed of the random hash base; random by default. Answers do not depend on it.
    pub seed: Option<u64>,
    /// Size overrides for tests and benchmarks.
    #[doc(hidden)]
    pub tuning: Tuning,
    #[doc(hidden)]
    pub control: Control,
}

impl SubstringOptions {
    /// Settings of the hashing methods.
    pub(crate) fn settings(&self, engine: &Engine) -> Settings {
        // `RandomState::new` has random keys.
        let seed = self.seed.unwrap_or_else(|| RandomState::new().hash_one(0));
        Settings {
            seed,
            tuning: self.tuning,
            host_bytes: Some(engine.host_budget()),
        }
    }
}
