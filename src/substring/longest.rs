//! A query on encoded texts with the options of a call, and its costs.

use std::cell::OnceCell;

use super::query::{LongestSubstrings, SubstringQuery};
use super::search::alphabet::Alphabet;
use super::search::{SearchOutcome, SearchStats};
use super::texts::Code;
use super::{Method, SubstringOptions, suffix_sort};
use crate::engine::placement::{Answered, Cost};
use crate::engine::profile::cpu as figures;
use crate::engine::profile::gpu::compute_units;
use crate::engine::{DeviceEstimate, Engine};
use crate::error::Result;

/// A query on encoded texts, and how to answer it.
pub(crate) struct LongestQuery<'a, C: Code> {
    pub query: SubstringQuery<'a, C>,
    pub options: &'a SubstringOptions,
    /// Symbols of the inputs.
    pub input_symbols: u128,
    /// True after all hash bases collided: a method without hashes answers.
    pub is_undecided: bool,
    /// The alphabet of the texts, filled by the first call of `alphabet`.
    pub alphabet: OnceCell<Alphabet>,
}

impl<C: Code> LongestQuery<'_, C> {
    pub(crate) fn symbols(&self) -> usize {
        self.query.symbols()
    }

    /// The alphabet of the texts, which takes as long as reading them.
    pub(crate) fn alphabet(&self, engine: &Engine) -> &Alphabet {
        let of_texts = || engine.on_threads(|| Alphabet::of(self.query.texts));
        self.alphabet.get_or_init(of_texts)
    }

    /// The method that `auto` takes on the CPU.
    pub(super) fn method_on_cpu(&self) -> Method {
        let bytes = self.symbols() * size_of::<C>();
        if self.is_undecided || bytes <= figures::MAX_SORTED_CODE_BYTES {
            Method::SuffixArray
        } else {
            Method::Cascade
        }
    }

    pub(crate) fn cpu_cost(
        &self,
        engine: &Engine,
        what: &str,
        host_bytes: u64,
        seconds: f64,
    ) -> Result<Option<Cost>> {
        let needed = u128::from(host_bytes) + u128::from(suffix_sort::abandoned_bytes());
        engine.check_host_budget(what, needed)?;
        Ok(Some(Cost {
            host_bytes,
            ..Cost::new(seconds)
        }))
    }

    /// Cost on a GPU whose compute units each search this many symbols per second.
    pub(crate) fn gpu_cost(&self, device: &DeviceEstimate, device_bytes: u64, rate: f64) -> Cost {
        Cost {
            device_bytes,
            ..Cost::new(self.symbols() as f64 / (compute_units(&device.capabilities) * rate))
        }
    }

    /// Answer of a search for window lengths; none if it is undecided.
    pub(crate) fn searched(
        &mut self,
        outcome: SearchOutcome,
        stats: SearchStats,
    ) -> Option<Answered<LongestSubstrings>> {
        match outcome {
            SearchOutcome::Found(found) => {
                Some(Answered::without_path(found, stats.windows.into()))
            }
            SearchOutcome::Undecided => {
                self.is_undecided = true;
                None
            }
        }
    }
}
