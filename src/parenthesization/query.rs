//! A query for a tree, and its costs.

use super::problem::Problem;
use super::result::overflow;
use super::value::Value;
use super::{Method, ParenthesizationOptions, splits};
use crate::engine::Engine;
use crate::engine::placement::Cost;
use crate::engine::profile::{self, cpu as figures};
use crate::error::{Error, Result};
use crate::path_mode::PathMode;

/// A problem of a permitted length, and how to solve it.
pub(crate) struct TreeQuery<'a, P: Problem> {
    pub problem: &'a P,
    pub options: &'a ParenthesizationOptions,
    /// Never [`Method::Auto`].
    pub method: Method,
}

impl<'a, P: Problem> TreeQuery<'a, P> {
    pub(super) fn new(problem: &'a P, options: &'a ParenthesizationOptions) -> Result<Self> {
        const MAX_LEAVES: usize = 1 << 31;
        if problem.leaves() >= MAX_LEAVES {
            let (actual, limit) = (problem.leaves() as u64, MAX_LEAVES as u64 - 1);
            return Err(Error::InputTooLong {
                what: "the sequence",
                actual,
                limit,
                remedy: "cut it",
            });
        }
        let method = match options.method {
            Method::Auto if problem.dimensions().is_some() => Method::HuShing,
            Method::Auto => Method::Tiled,
            method => method,
        };
        Ok(Self {
            problem,
            options,
            method,
        })
    }

    /// Cost of a table on the CPU that has a row of tiles per `tile` points.
    pub(crate) fn cpu_cost(&self, tile: u64, bytes: u128, seconds: f64) -> Cost {
        let tiles = (self.problem.leaves() as u64 + 1).div_ceil(tile);
        Cost {
            path_mode: PathMode::Table,
            tile: (tile, tile),
            strips: tiles,
            passes: tiles,
            host_bytes: u64::try_from(bytes).unwrap_or(u64::MAX),
            ..Cost::new(seconds)
        }
    }

    /// Estimated seconds of the tiled table on the CPU.
    pub(crate) fn tiled_seconds(&self, engine: &Engine) -> f64 {
        splits(self.problem.leaves()) as f64 * figures::SPLIT_SECONDS
            / profile::speedup(engine.threads())
    }

    /// Refusal of the requested method on the CPU or on all devices.
    pub(crate) fn unavailable(&self, device: &str, reason: &str) -> Error {
        Error::MethodUnavailable {
            method: self.method.name(),
            device: device.to_string(),
            reason: reason.to_string(),
        }
    }

    /// The error for leaves `range` whose best cost overflows on the CPU.
    pub(super) fn overflow(&self, range: Option<(usize, usize)>) -> Error {
        let (first, last) = range.unwrap_or((0, self.problem.leaves()));
        overflow::<P>(first, last, P::Value::ON_CPU)
    }
}
