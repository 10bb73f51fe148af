//! What a task asks of its methods.

use std::hash::{BuildHasher, RandomState};

use super::Method;
use super::search::{Settings, Tuning};
use crate::call::control::Control;
use crate::engine::Engine;

/// What to compute, and how.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct SubstringOptions {
    /// The method; [`Method::Auto`] by default.
    pub method: Method,
    /// In how many inputs a substring has to be; in all of them by default.
    pub inputs: Option<u64>,
    /// What the random base of hashes is made from; by default another one for every call. Answers do not depend on it.
    pub seed: Option<u64>,
    /// Forced sizes, for tests and benchmarks.
    pub tuning: Tuning,
    /// Cancel handle and progress callback.
    pub control: Control,
}

impl SubstringOptions {
    /// How methods with hashes search.
    pub(super) fn settings(&self, engine: &Engine) -> Settings {
        // Every state of the standard library's hasher has random keys.
        let seed = self.seed.unwrap_or_else(|| RandomState::new().hash_one(0));
        Settings {
            seed,
            tuning: self.tuning,
            host_bytes: Some(engine.host_budget()),
        }
    }
}
