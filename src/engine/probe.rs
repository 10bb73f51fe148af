//! Probe of a device chosen by the engine: a sweep with a known answer, and timed sweeps.

use super::profile::gpu::{PACES, probe};
use super::profile::throughput::Throughput;
use super::{Engine, letters};
use crate::backend::Backend;
use crate::error::{Error, Result};
use crate::lcs;
use crate::sequences::codes::Encoded;

/// Compares the length of a small table on the device with the reference.
pub(super) fn check_answer(engine: &Engine, gpu: &dyn Backend) -> Result<()> {
    let (rows, cols) = probe::CHECKED_TABLE;
    let codes = Encoded::new(&letters(rows, 1), &letters(cols, 2));
    let (found, expected) = (
        lcs::timed_sweep(engine, gpu, &codes)?.length,
        lcs::reference::length(&codes.a, &codes.b),
    );
    if found == expected {
        return Ok(());
    }
    Err(Error::DeviceUnavailable {
        device: gpu.name().to_string(),
        reason: format!("it gives wrong answers, {found} instead of {expected}"),
    })
}

/// Measures the device by sweeps of a few milliseconds in total, besides the build of their
/// kernels.
pub(super) fn measure(engine: &Engine, gpu: &dyn Backend) -> Result<Throughput> {
    let overhead = fastest_sweep(engine, gpu, probe::MIN_SYMBOLS)?.0;
    let mut symbols = probe::FIRST_SYMBOLS;
    let (took, expected) = loop {
        let (took, expected) = fastest_sweep(engine, gpu, symbols)?;
        let took = took - overhead;
        if took >= probe::TELLING_SECONDS || symbols >= probe::MAX_SYMBOLS {
            break (took, expected);
        }
        symbols *= 2;
    };
    let pace = took.max(probe::TELLING_SECONDS) / expected.max(1e-9);
    let pace = pace.clamp(PACES.0, PACES.1);
    // A short sweep is too noisy to correct a nearly right figure.
    let is_near = (1.0 / probe::NEAR..=probe::NEAR).contains(&pace);
    Ok(Throughput {
        overhead,
        pace: if is_near { 1.0 } else { pace },
    })
}

/// Minimum measured seconds of a few sweeps of a square table, and the expected seconds. The first
/// sweep may include the build of kernels.
fn fastest_sweep(engine: &Engine, gpu: &dyn Backend, symbols: usize) -> Result<(f64, f64)> {
    let codes = Encoded::new(&letters(symbols, 1), &letters(symbols, 2));
    let (mut fastest, mut expected) = (f64::INFINITY, 0.0);
    for _ in 0..probe::REPEATS {
        let sweep = lcs::timed_sweep(engine, gpu, &codes)?;
        fastest = fastest.min(sweep.seconds);
        expected = sweep.expected_seconds;
    }
    Ok((fastest, expected))
}
