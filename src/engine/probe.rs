//! What an engine asks a device that it does not know: known answers before it is trusted, and sweeps that tell how fast it is.

use super::Engine;
use super::profile::found::Speed;
use super::profile::gpu::{PACES, probe};
use crate::backend::Backend;
use crate::error::Result;
use crate::kernels::Family;

/// What a device is asked. Answers are the problems', and the engine knows none of those: whoever makes it brings them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Probe {
    /// Whether a device gives some known answers by kernels of a family, those that most calls take; an error where it cannot be asked.
    pub gives_known_answers: fn(&Engine, &dyn Backend, Family) -> Result<bool>,
    /// Sweeps a square table of so many symbols a side: the seconds that the call takes, and those that its passes are expected to; an
    /// error where it cannot be asked.
    pub sweep: Sweep,
}

type Sweep = fn(&Engine, &dyn Backend, usize) -> Result<(f64, f64)>;

/// The time of a call beside its passes, and how many times as long as expected sweeps take: a few milliseconds of them, and the
/// building of their kernels.
///
/// # Errors
/// Where the device cannot be asked.
pub(super) fn speed(engine: &Engine, gpu: &dyn Backend) -> Result<Speed> {
    let call = least_of(engine, gpu, probe::LEAST_SYMBOLS)?.0;
    let mut symbols = probe::FIRST_SYMBOLS;
    let (took, expected) = loop {
        let (took, expected) = least_of(engine, gpu, symbols)?;
        let took = took - call;
        if took >= probe::TELLING_SECONDS || symbols >= probe::MOST_SYMBOLS {
            break (took, expected);
        }
        symbols *= 2;
    };
    let pace = took.max(probe::TELLING_SECONDS) / expected.max(1e-9);
    let pace = pace.clamp(PACES.0, PACES.1);
    // So short a sweep tells no less than that the figures are near enough.
    let is_near = (1.0 / probe::NEAR..=probe::NEAR).contains(&pace);
    Ok(Speed {
        call: Some(call),
        pace: if is_near { 1.0 } else { pace },
    })
}

/// The least time of such sweeps, the first of which may build kernels, and what their passes are expected to take.
fn least_of(engine: &Engine, gpu: &dyn Backend, symbols: usize) -> Result<(f64, f64)> {
    let (mut least, mut expected) = (f64::INFINITY, 0.0);
    for _ in 0..probe::REPEATS {
        let took;
        (took, expected) = (engine.0.probe.sweep)(engine, gpu, symbols)?;
        least = least.min(took);
    }
    Ok((least, expected))
}
