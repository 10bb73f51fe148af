//! Ways to find the longest common substrings, which the engine places.

use super::gpu::{self, sizes::FilterSizes};
use super::longest::LongestQuery;
use super::query::LongestSubstrings;
use super::texts::Code;
use super::{Method, reference, search, suffix_array};
use crate::engine::placement::{AUTO, Answered, Call, Cost, Running, Way, Ways};
use crate::engine::profile::cpu as figures;
use crate::engine::profile::gpu::substring as gpu_figures;
use crate::engine::{Device, DeviceEstimate, Engine, profile};
use crate::error::{Error, Result};
use crate::papers::sort_and_scan::SortAndScan;

impl<C: Code> Ways for LongestQuery<'_, C> {
    type Answer = LongestSubstrings;

    fn requested(&self) -> &'static str {
        if self.is_undecided {
            AUTO
        } else {
            self.options.method.name()
        }
    }

    fn cells(&self) -> u128 {
        self.input_symbols
    }

    fn ways<'w>(&self, round: usize) -> Vec<&'w dyn Way<Self>>
    where
        Self: 'w,
    {
        match round {
            0 => vec![
                &Method::Cascade,
                &Method::SuffixArray,
                &SortAndScan,
                &Method::Reference,
            ],
            _ => Vec::new(),
        }
    }

    fn may_use_gpu(&self, _: &Engine) -> bool {
        use Method::{Auto, Cascade, SortAndScan};
        !self.is_undecided && matches!(self.options.method, Auto | Cascade | SortAndScan)
    }
}

impl<C: Code> Way<LongestQuery<'_, C>> for Method {
    fn method(&self) -> &'static str {
        self.name()
    }

    fn is_automatic(&self) -> bool {
        *self != Method::Reference
    }

    fn on_cpu(&self, engine: &Engine, query: &LongestQuery<'_, C>) -> Result<Option<Cost>> {
        if query.requested() == AUTO && *self != query.method_on_cpu() {
            return Ok(None);
        }
        let symbols = query.symbols() as f64;
        match self {
            Method::Reference => {
                let seconds = symbols.powi(2) / figures::REFERENCE_CELLS_PER_SECOND;
                Ok(Some(Cost::new(seconds)))
            }
            Method::SuffixArray => {
                let bytes = suffix_array::host_bytes(query.query.texts)?;
                let seconds = symbols / figures::SUFFIX_ARRAY_SYMBOLS_PER_SECOND;
                query.cpu_cost(engine, suffix_array::WHAT, bytes, seconds)
            }
            _ => {
                let bytes = search::host_bytes(&query.query, &query.options.tuning);
                let rate = figures::FILTERED_SYMBOLS_PER_SECOND;
                let seconds = symbols / rate / profile::speedup(engine.threads());
                query.cpu_cost(engine, "the bitmaps of the search", bytes, seconds)
            }
        }
    }

    fn on_gpu(
        &self,
        engine: &Engine,
        query: &LongestQuery<'_, C>,
        device: &DeviceEstimate,
    ) -> Result<Option<Cost>> {
        if *self != Method::Cascade {
            return Ok(None);
        }
        let sizes = FilterSizes::first(
            &query.query,
            query.alphabet(engine),
            &device.capabilities,
            device.budget_bytes,
            &query.options.tuning,
        )?;
        let rate = gpu_figures::SYMBOLS_PER_SECOND;
        Ok(Some(query.gpu_cost(device, sizes.size_bytes(), rate)))
    }

    fn run<'a>(
        &'a self,
        call: &'a Call<'a>,
        query: &'a mut LongestQuery<'_, C>,
        device: Option<&'a Device<'a>>,
    ) -> Running<'a, LongestSubstrings> {
        Box::pin(async move {
            let (engine, control, asked) = (call.engine, call.control, query.query);
            let found = match self {
                Method::Reference => engine.on_threads(|| {
                    let should_continue = || control.check().is_ok();
                    let found = reference::longest(asked.texts, asked.inputs, should_continue);
                    found.ok_or(Error::Cancelled)
                })?,
                Method::SuffixArray => {
                    engine.on_threads(|| suffix_array::longest(asked, control))?
                }
                _ => {
                    let settings = query.options.settings(engine);
                    let alphabet = query.alphabet(engine).clone();
                    let (outcome, stats) = match device {
                        Some(device) => gpu::on_gpu(device, asked, alphabet, &settings).await?,
                        None => engine
                            .on_threads(|| search::on_cpu(asked, alphabet, &settings, control))?,
                    };
                    return Ok(query.searched(outcome, stats));
                }
            };
            Ok(Some(Answered::without_path(found, query.symbols() as u128)))
        })
    }
}

#[cfg(test)]
mod tests {
    use std::cell::OnceCell;

    use super::*;
    use crate::call::control::Control;
    use crate::engine::{Options, letters, placement};
    use crate::substring::SubstringOptions;
    use crate::substring::query::SubstringQuery;
    use crate::substring::search::{SearchOutcome, SearchStats};

    #[test]
    fn suffix_array_answers_after_all_hash_bases_collided() {
        let engine = Engine::new(Options::new().device("cpu".parse().expect("a device")));
        let (engine, control) = (engine.expect("the CPU"), Control::default());
        let (a, b) = (letters(200_000, 1), letters(90, 2));
        for method in [Method::Auto, Method::Cascade, Method::SortAndScan] {
            let options = SubstringOptions {
                method,
                ..SubstringOptions::default()
            };
            let mut query = LongestQuery {
                query: SubstringQuery {
                    texts: &[&a, &b],
                    inputs: 2,
                },
                options: &options,
                input_symbols: 0,
                is_undecided: false,
                alphabet: OnceCell::new(),
            };
            let call = Call::start(&engine, &control);
            let mut run = || pollster::block_on(placement::run(&call, &mut query));
            let (expected, first) = run().expect("it is answered");
            assert_ne!(first.method, Method::SuffixArray.name());
            let undecided = query.searched(SearchOutcome::Undecided, SearchStats::default());
            assert!(undecided.is_none());
            let mut run = || pollster::block_on(placement::run(&call, &mut query));
            let (found, second) = run().expect("it is answered");
            assert_eq!((found, second.method), (expected, "suffix-array"));
        }
    }
}
