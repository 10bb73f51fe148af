//! Dry run of a call.

use std::time::Duration;

use super::solve::{check, host_bytes, index_seconds, method, texts};
use crate::engine::Engine;
use crate::error::Result;
use crate::pairwise::codes::Symbol;
use crate::pairwise::typed::{Typed, needs_classes};
use crate::substring::inputs::{PROBLEM, Records, symbols};
use crate::substring::summary::{all, plan};
use crate::substring::texts::{Strands, Texts};
use crate::substring::{PlanSummary, SubstringOptions};

pub(super) fn typed(
    engine: &Engine,
    records: &Records<'_>,
    (both_strands, min_length): (bool, u64),
    options: &SubstringOptions,
) -> Result<PlanSummary> {
    match &records.all {
        Typed::Bytes(all) => {
            let strands = Strands::of_bytes(both_strands);
            matches(engine, &records.by_input(all), strands, min_length, options)
        }
        Typed::Numbers(all) => {
            let inputs = records.by_input(all);
            matches(engine, &inputs, Strands::Forward, min_length, options)
        }
        Typed::Letters(_) => Err(needs_classes(PROBLEM)),
    }
}

fn matches<S: Symbol>(
    engine: &Engine,
    inputs: &[Vec<&[S]>],
    strands: Strands<S>,
    min_length: u64,
    options: &SubstringOptions,
) -> Result<PlanSummary> {
    let min_length = check(inputs, strands, min_length, options)?;
    let method = method(options);
    let (searched, bytes, indexed) = match texts(inputs, strands) {
        Texts::Narrow(texts) => (
            all(&texts),
            host_bytes(engine, &texts, min_length, method)?,
            index_seconds(&texts, min_length, method),
        ),
        Texts::Wide(texts) => (
            all(&texts),
            host_bytes(engine, &texts, min_length, method)?,
            index_seconds(&texts, min_length, method),
        ),
    };
    let mut plan = plan(method, symbols(inputs), searched, bytes, engine);
    plan.expected += Duration::from_secs_f64(indexed);
    Ok(plan)
}
