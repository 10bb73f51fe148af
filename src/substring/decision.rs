//! How the longest common substring is looked for, decided once: calls run what this decides, and dry runs print it.

use super::gpu::groups::sizes::Sizes as GroupsSizes;
use super::gpu::sizes::Sizes;
use super::question::Question;
use super::texts::Code;
use super::{Method, SubstringOptions, memory};
use crate::backend::Capabilities;
use crate::engine::profile::gpu::{compute_units, substring as figures};
use crate::engine::{DeviceEstimate, Engine, profile};
use crate::error::Result;

/// A method and its device.
pub(super) struct Decision {
    /// Never `auto`.
    pub method: Method,
    /// Bytes that it takes on the host.
    pub host_bytes: u64,
    /// The GPU that runs it, where one does.
    pub on_gpu: Option<OnGpu>,
}

/// What a search takes on a GPU.
pub(super) struct OnGpu {
    pub estimate: DeviceEstimate,
    pub device_bytes: u64,
    pub seconds: f64,
}

impl Decision {
    /// Of its own choice, the cascade where a GPU is asked for or expected to be faster, and on the CPU the faster method.
    ///
    /// # Errors
    /// [`Error::UnknownDevice`](crate::Error::UnknownDevice), and that what runs it has no room: the engine's own choice leaves that to
    /// the CPU.
    pub(super) fn new<C: Code>(
        engine: &Engine,
        question: Question<'_, C>,
        options: &SubstringOptions,
    ) -> Result<Self> {
        let method = if options.method == Method::Auto {
            Method::Cascade
        } else {
            options.method
        };
        let symbols = symbols(&question) as f64;
        let Some(rate) = rate_of_unit(method) else {
            return Self::on_cpu(engine, question, options);
        };
        let seconds = |caps: &Capabilities| symbols / (compute_units(caps) * rate);
        let on_cpu = cpu_seconds(engine, method_on_cpu(&question, options), symbols);
        let Some(estimate) = engine.faster_device(on_cpu, seconds)? else {
            return Self::on_cpu(engine, question, options);
        };
        let (device, tuning) = (
            (&estimate.capabilities, estimate.budget_bytes),
            &options.tuning,
        );
        let size_bytes = match method {
            Method::SortAndScan => {
                GroupsSizes::first(&question, device, tuning).map(|sizes| sizes.size_bytes())
            }
            _ => Sizes::first(&question, device, tuning).map(|sizes| sizes.size_bytes()),
        };
        match size_bytes {
            Ok(device_bytes) => {
                let seconds = seconds(&estimate.capabilities);
                let on_gpu = Some(OnGpu {
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
            Err(_) if engine.chooses_device() => Self::on_cpu(engine, question, options),
            Err(error) => Err(error),
        }
    }

    /// The same without a GPU.
    ///
    /// # Errors
    /// As [`memory::checked`].
    pub(super) fn on_cpu<C: Code>(
        engine: &Engine,
        question: Question<'_, C>,
        options: &SubstringOptions,
    ) -> Result<Self> {
        let method = method_on_cpu(&question, options);
        let host_bytes = memory::checked(engine, method, question, &options.tuning)?;
        Ok(Self {
            method,
            host_bytes,
            on_gpu: None,
        })
    }
}

/// The method that the CPU takes.
fn method_on_cpu<C: Code>(question: &Question<'_, C>, options: &SubstringOptions) -> Method {
    let few = symbols(question) * size_of::<C>() <= profile::cpu::MOST_SORTED_CODE_BYTES;
    match options.method {
        Method::Auto if few => Method::SuffixArray,
        Method::Auto => Method::Cascade,
        method => method,
    }
}

/// Symbols of all texts.
fn symbols<C: Code>(question: &Question<'_, C>) -> usize {
    question.texts.iter().map(|text| text.len()).sum()
}

/// Symbols a second of one compute unit of a GPU; `None` where no GPU runs the method.
fn rate_of_unit(method: Method) -> Option<f64> {
    match method {
        Method::Cascade => Some(figures::SYMBOLS_PER_SECOND),
        Method::SortAndScan => Some(figures::SORTED_SYMBOLS_PER_SECOND),
        _ => None,
    }
}

/// Seconds that a search takes on the CPU.
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
