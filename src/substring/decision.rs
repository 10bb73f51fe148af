//! Choice of method and device for the longest common substring. Calls run it; dry runs print it.

use super::gpu::sizes::FilterSizes;
use super::gpu::window_sort::sizes::WindowSortSizes;
use super::query::SubstringQuery;
use super::texts::Code;
use super::{Method, SubstringOptions, memory};
use crate::backend::Capabilities;
use crate::engine::profile::gpu::{compute_units, substring as figures};
use crate::engine::{DeviceEstimate, Engine, profile};
use crate::error::Result;

pub(super) struct Decision {
    /// Never [`Method::Auto`].
    pub method: Method,
    pub host_bytes: u64,
    /// The estimate of the search on a GPU; `None` if the CPU runs it.
    pub on_gpu: Option<GpuEstimate>,
}

pub(super) struct GpuEstimate {
    pub estimate: DeviceEstimate,
    pub device_bytes: u64,
    pub seconds: f64,
}

impl Decision {
    /// Chooses a method and a device. For `auto` that is the cascade on a GPU if one is requested
    /// or expected to be faster, else [`method_on_cpu`].
    ///
    /// # Errors
    /// [`Error::UnknownDevice`](crate::Error::UnknownDevice), and lack of memory on the requested
    /// device. If the engine chooses the device, lack of device memory falls back to the CPU.
    pub(super) fn new<C: Code>(
        engine: &Engine,
        query: SubstringQuery<'_, C>,
        options: &SubstringOptions,
    ) -> Result<Self> {
        let method = if options.method == Method::Auto {
            Method::Cascade
        } else {
            options.method
        };
        let symbols = symbols(&query) as f64;
        let Some(rate) = rate_of_unit(method) else {
            return Self::on_cpu(engine, query, options);
        };
        let seconds = |caps: &Capabilities| symbols / (compute_units(caps) * rate);
        let on_cpu = cpu_seconds(engine, method_on_cpu(&query, options), symbols);
        let Some(estimate) = engine.faster_device(on_cpu, seconds)? else {
            return Self::on_cpu(engine, query, options);
        };
        let (device, tuning) = (
            (&estimate.capabilities, estimate.budget_bytes),
            &options.tuning,
        );
        let size_bytes = match method {
            Method::SortAndScan => {
                WindowSortSizes::first(&query, device, tuning).map(|sizes| sizes.size_bytes())
            }
            _ => FilterSizes::first(&query, device, tuning).map(|sizes| sizes.size_bytes()),
        };
        match size_bytes {
            Ok(device_bytes) => {
                let seconds = seconds(&estimate.capabilities);
                let on_gpu = Some(GpuEstimate {
                    estimate,
                    device_bytes,
                    seconds,
                });
                Ok(Self {
                    method,
                    host_bytes: 0,
                    on_gpu,
                })
            }
            Err(_) if engine.chooses_device() => Self::on_cpu(engine, query, options),
            Err(error) => Err(error),
        }
    }

    /// Like [`new`](Self::new), on the CPU only.
    ///
    /// # Errors
    /// As [`memory::checked`].
    pub(super) fn on_cpu<C: Code>(
        engine: &Engine,
        query: SubstringQuery<'_, C>,
        options: &SubstringOptions,
    ) -> Result<Self> {
        let method = method_on_cpu(&query, options);
        let host_bytes = memory::checked(engine, method, query, &options.tuning)?;
        Ok(Self {
            method,
            host_bytes,
            on_gpu: None,
        })
    }
}

/// Resolves `auto` on the CPU: the suffix array for small inputs, the cascade for large ones.
fn method_on_cpu<C: Code>(query: &SubstringQuery<'_, C>, options: &SubstringOptions) -> Method {
    let few = symbols(query) * size_of::<C>() <= profile::cpu::MAX_SORTED_CODE_BYTES;
    match options.method {
        Method::Auto if few => Method::SuffixArray,
        Method::Auto => Method::Cascade,
        method => method,
    }
}

fn symbols<C: Code>(query: &SubstringQuery<'_, C>) -> usize {
    query.texts.iter().map(|text| text.len()).sum()
}

/// Throughput of one compute unit of a GPU, in symbols per second; `None` if the method has no GPU
/// implementation.
fn rate_of_unit(method: Method) -> Option<f64> {
    match method {
        Method::Cascade => Some(figures::SYMBOLS_PER_SECOND),
        Method::SortAndScan => Some(figures::SORTED_SYMBOLS_PER_SECOND),
        _ => None,
    }
}

/// Estimated seconds of a search on the CPU.
pub(super) fn cpu_seconds(engine: &Engine, method: Method, symbols: f64) -> f64 {
    let on_threads = |rate: f64| symbols / rate / profile::speedup(engine.threads());
    match method {
        Method::Reference => symbols * symbols / profile::cpu::REFERENCE_SUBSTRING_CELLS_PER_SECOND,
        Method::Cascade => on_threads(profile::cpu::FILTERED_SYMBOLS_PER_SECOND),
        Method::Anchors => on_threads(profile::cpu::ANCHORED_SYMBOLS_PER_SECOND),
        Method::SortAndScan => on_threads(profile::cpu::SORT_AND_SCAN_SYMBOLS_PER_SECOND),
        Method::Auto | Method::SuffixArray => {
            symbols / profile::cpu::SUFFIX_ARRAY_SYMBOLS_PER_SECOND
        }
    }
}
