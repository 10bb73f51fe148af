//! What calls would do.

use std::time::Duration;

use super::gpu::groups::sizes::Sizes as GroupsSizes;
use super::gpu::sizes::Sizes;
use super::inputs::{check_strands, symbols};
use super::options::SubstringOptions;
use super::question::Question;
use super::solve::{check_method, cpu_seconds, least_inputs, method, seconds, texts};
use super::texts::{Code, Strands, Text, Texts};
use super::{Method, PlanSummary, memory};
use crate::engine::{CPU, Engine};
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
    check_method(options.method)?;
    let texts = texts(inputs, strands, least);
    let method = method(engine, options.method, &texts)?;
    let (sized, texts) = match texts {
        Texts::Narrow(texts) => (size(engine, &texts, least, method, options)?, all(&texts)),
        Texts::Wide(texts) => (size(engine, &texts, least, method, options)?, all(&texts)),
    };
    let mut plan = plan(method, symbols(inputs), texts, sized.host_bytes, engine);
    if let Some((device, device_bytes, expected)) = sized.on_gpu {
        (plan.device, plan.device_bytes, plan.expected) = (device, device_bytes, expected);
    }
    Ok(plan)
}

/// Symbols of all texts.
pub(super) fn all<C: Code>(texts: &[Text<'_, C>]) -> f64 {
    texts.iter().map(|text| text.codes.len() as f64).sum()
}

/// What a method for the longest substring takes.
struct Sized {
    host_bytes: u64,
    /// The device that it runs on where that is no CPU, its bytes there, and the time expected.
    on_gpu: Option<(String, u64, Duration)>,
}

fn size<C: Code>(
    engine: &Engine,
    texts: &[Text<'_, C>],
    inputs: usize,
    method: Method,
    options: &SubstringOptions,
) -> Result<Sized> {
    let codes: Vec<&[C]> = texts.iter().map(|text| &*text.codes).collect();
    let question = Question { texts: &codes, inputs };
    let on_cpu = || {
        let host_bytes = memory::checked(engine, method, question, &options.tuning)?;
        Ok(Sized { host_bytes, on_gpu: None })
    };
    let Some((on_cpu_seconds, seconds)) = seconds(engine, method, all(texts)) else { return on_cpu() };
    let Some(gpu) = engine.prospect_if_faster(on_cpu_seconds, |_| seconds)? else { return on_cpu() };
    let (device, tuning) = ((&gpu.capabilities, gpu.budget_bytes), &options.tuning);
    let size_bytes = match method {
        Method::SortAndScan => GroupsSizes::first(&question, device, tuning).map(|sizes| sizes.size_bytes()),
        _ => Sizes::first(&question, device, tuning).map(|sizes| sizes.size_bytes()),
    };
    match size_bytes {
        Ok(device_bytes) => {
            let expected = gpu.expected(seconds);
            Ok(Sized { host_bytes: 0, on_gpu: Some((gpu.name, device_bytes, expected)) })
        }
        Err(_) if engine.chooses_device() => on_cpu(),
        Err(error) => Err(error),
    }
}

/// What a method on the CPU would do.
pub(super) fn plan(method: Method, symbols: u128, searched: f64, host_bytes: u64, engine: &Engine) -> PlanSummary {
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
        expected: Duration::from_secs_f64(cpu_seconds(engine, method, searched)),
    }
}
