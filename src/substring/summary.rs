//! What calls would do.

use std::time::Duration;

use super::matches::solve as matches_solve;
use super::options::SubstringOptions;
use super::solve::{SUFFIX_ARRAY, check_strands, least_inputs, method, suffix_array_bytes, symbols, texts};
use super::texts::{Code, Strands, Text, Texts};
use super::{Method, PlanSummary};
use crate::engine::{CPU, Engine, profile};
use crate::error::Result;
use crate::pairwise::codes::Symbol;

/// What a call for a longest common substring would do.
pub(super) fn longest<S: Symbol>(
    engine: &Engine,
    inputs: &[Vec<&[S]>],
    strands: Strands<S>,
    options: &SubstringOptions,
) -> Result<PlanSummary> {
    let least = least_inputs(inputs.len(), options)?;
    check_strands(inputs, strands)?;
    let method = method(options)?;
    let (searched, bytes) = match texts(inputs, strands, least) {
        Texts::Narrow(texts) => size(engine, &texts, method)?,
        Texts::Wide(texts) => size(engine, &texts, method)?,
    };
    Ok(plan(method, symbols(inputs), searched, bytes, engine))
}

/// What a call for all maximal matches would do.
pub(super) fn matches<S: Symbol>(
    engine: &Engine,
    inputs: &[Vec<&[S]>],
    strands: Strands<S>,
    least: u64,
    options: &SubstringOptions,
) -> Result<PlanSummary> {
    let least = matches_solve::check(inputs, strands, least, options)?;
    let method = matches_solve::method(options);
    let (searched, bytes) = match matches_solve::texts(inputs, strands) {
        Texts::Narrow(texts) => (all(&texts), matches_solve::host_bytes(engine, &texts, least, method)?),
        Texts::Wide(texts) => (all(&texts), matches_solve::host_bytes(engine, &texts, least, method)?),
    };
    Ok(plan(method, symbols(inputs), searched, bytes, engine))
}

/// Symbols of all texts.
fn all<C: Code>(texts: &[Text<'_, C>]) -> f64 {
    texts.iter().map(|text| text.codes.len() as f64).sum()
}

/// Symbols that a method for the longest substring looks at, and bytes that it takes.
fn size<C: Code>(engine: &Engine, texts: &[Text<'_, C>], method: Method) -> Result<(f64, u64)> {
    let codes: Vec<&[C]> = texts.iter().map(|text| &*text.codes).collect();
    let bytes = if method == Method::SuffixArray { suffix_array_bytes(&codes)? } else { 0 };
    engine.check_host_budget(SUFFIX_ARRAY, u128::from(bytes))?;
    Ok((all(texts), bytes))
}

fn plan(method: Method, symbols: u128, searched: f64, host_bytes: u64, engine: &Engine) -> PlanSummary {
    let seconds = match method {
        Method::Reference => searched * searched / profile::cpu::REFERENCE_CELLS_PER_SECOND,
        Method::Anchors => searched / profile::cpu::ANCHORED_SYMBOLS_PER_SECOND / profile::speedup(engine.threads()),
        _ => searched / profile::cpu::SORTED_SYMBOLS_PER_SECOND,
    };
    PlanSummary {
        method,
        device: CPU.to_string(),
        path_mode: "none",
        cells: symbols,
        tile: (1, 1),
        strips: 1,
        passes: 1,
        device_bytes: 0,
        host_bytes,
        expected: Duration::from_secs_f64(seconds),
    }
}
