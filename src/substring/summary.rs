//! Dry run of a call.

use std::time::Duration;

use super::decision::{Decision, GpuEstimate, cpu_seconds};
use super::inputs::{PROBLEM, Records, check_strands, symbols};
use super::options::SubstringOptions;
use super::query::SubstringQuery;
use super::solve::{check_method, resolve_min_inputs, texts};
use super::texts::{Code, Strands, Text, Texts};
use super::{Method, PlanSummary};
use crate::engine::{CPU, Engine};
use crate::error::Result;
use crate::pairwise::codes::Symbol;
use crate::pairwise::typed::{Typed, needs_classes};
use crate::path_mode::PathMode;

pub(super) fn typed(
    engine: &Engine,
    records: &Records<'_>,
    both_strands: bool,
    options: &SubstringOptions,
) -> Result<PlanSummary> {
    match &records.all {
        Typed::Bytes(all) => {
            let strands = Strands::of_bytes(both_strands);
            longest(engine, &records.by_input(all), strands, options)
        }
        Typed::Numbers(all) => longest(engine, &records.by_input(all), Strands::Forward, options),
        Typed::Letters(_) => Err(needs_classes(PROBLEM)),
    }
}

fn longest<S: Symbol>(
    engine: &Engine,
    inputs: &[Vec<&[S]>],
    strands: Strands<S>,
    options: &SubstringOptions,
) -> Result<PlanSummary> {
    let min_inputs = resolve_min_inputs(inputs.len(), options)?;
    check_strands(inputs, strands)?;
    check_method(options.method)?;
    let (decision, texts) = match texts(inputs, strands, min_inputs) {
        Texts::Narrow(texts) => (decided(engine, &texts, min_inputs, options)?, all(&texts)),
        Texts::Wide(texts) => (decided(engine, &texts, min_inputs, options)?, all(&texts)),
    };
    let plan = plan(
        decision.method,
        symbols(inputs),
        texts,
        decision.host_bytes,
        engine,
    );
    let Some(GpuEstimate {
        estimate,
        device_bytes,
        seconds,
    }) = decision.on_gpu
    else {
        return Ok(plan);
    };
    Ok(PlanSummary {
        expected: estimate.expected(seconds),
        device: estimate.name,
        device_bytes,
        ..plan
    })
}

fn decided<C: Code>(
    engine: &Engine,
    texts: &[Text<'_, C>],
    inputs: usize,
    options: &SubstringOptions,
) -> Result<Decision> {
    let codes: Vec<&[C]> = texts.iter().map(|text| &*text.codes).collect();
    Decision::new(
        engine,
        SubstringQuery {
            texts: &codes,
            inputs,
        },
        options,
    )
}

/// Symbols of all texts.
pub(super) fn all<C: Code>(texts: &[Text<'_, C>]) -> f64 {
    texts.iter().map(|text| text.codes.len() as f64).sum()
}

/// The summary of a method on the CPU.
pub(super) fn plan(
    method: Method,
    symbols: u128,
    searched: f64,
    host_bytes: u64,
    engine: &Engine,
) -> PlanSummary {
    PlanSummary {
        method,
        device: CPU.to_string(),
        path_mode: PathMode::None,
        cells: symbols,
        tile: (1, 1),
        strips: 1,
        passes: 1,
        device_bytes: 0,
        host_bytes,
        expected: Duration::from_secs_f64(cpu_seconds(engine, method, searched)),
    }
}
