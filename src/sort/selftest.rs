//! Self-test of every variant of the sort on one device.

use super::key::low_bits;
use super::shape::SortTuning;
use super::{Key, RadixSort, gpu, reference};
use crate::backend::Backend;
use crate::call::control::Control;
use crate::call::phases::Phases;
use crate::engine::{Engine, Round, SelfTest, wait};
use crate::error::Result;

/// Keys per test: several tiles, the last one partial.
const KEYS: usize = 20_011;

/// Sorts keys of both types, with and without payload, by every variant of the device.
pub(crate) fn selftest(
    engine: &Engine,
    backend: Option<&dyn Backend>,
    round: Round<'_>,
) -> Vec<SelfTest> {
    let (narrow, wide) = keys(KEYS);
    let ways: Vec<_> = match backend.map(Backend::capabilities) {
        None => vec!["cpu"],
        Some(caps) => {
            let subgroups = caps.subgroup.is_some();
            let ways = [
                ("Onesweep", subgroups && caps.forward_progress),
                ("Subgroup", subgroups),
                ("Workgroup", caps.compiles),
            ];
            ways.into_iter()
                .filter(|&(_, is_there)| is_there)
                .map(|(way, _)| way)
                .collect()
        }
    };
    let check = |(way, payload, bits): (&str, bool, u32)| {
        let (portable, counts_each_digit) = (way == "Workgroup", way != "Onesweep");
        let tuning = SortTuning {
            portable,
            counts_each_digit,
            ..SortTuning::default()
        };
        match bits {
            u32::BITS => checked(engine, backend, &narrow, payload, &tuning),
            _ => checked(engine, backend, &wide, payload, &tuning),
        }
    };
    let tests = ways.iter().flat_map(|&way| {
        [
            (false, u32::BITS),
            (false, u64::BITS),
            (true, u32::BITS),
            (true, u64::BITS),
        ]
        .map(|(payload, bits)| {
            let with = if payload { " with payload" } else { "" };
            (format!("sort/{way} u{bits}{with}"), (way, payload, bits))
        })
    });
    round.of(tests, check)
}

/// The same keys in both types.
pub(super) fn keys(count: usize) -> (Vec<u32>, Vec<u64>) {
    let mut state = 1u64;
    let next = || {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        // Every third key has few distinct values.
        if state.is_multiple_of(3) {
            state >> 62
        } else {
            state ^ (state >> 32)
        }
    };
    let wide: Vec<u64> = std::iter::repeat_with(next).take(count).collect();
    (wide.iter().map(|&key| key as u32).collect(), wide)
}

fn checked<K: Key>(
    engine: &Engine,
    backend: Option<&dyn Backend>,
    keys: &[K],
    payload: bool,
    tuning: &SortTuning,
) -> Result<Option<String>> {
    let places: Vec<u32> = (0..keys.len() as u32).collect();
    let payload = payload.then_some(&places[..]);
    let found = match backend {
        Some(backend) => on(engine, backend, keys, payload, tuning)?,
        None => {
            let task = RadixSort::of(keys);
            let report =
                engine.run(&payload.map_or(task.clone(), |payload| task.with_payload(payload)))?;
            (report.answer.keys, report.answer.payload)
        }
    };
    let expected = reference::sort(keys, payload.unwrap_or_default(), u64::MAX);
    Ok((found != expected).then(|| "another order than the reference's".to_string()))
}

fn on<K: Key>(
    engine: &Engine,
    backend: &dyn Backend,
    keys: &[K],
    payload: Option<&[u32]>,
    tuning: &SortTuning,
) -> Result<(Vec<K>, Vec<u32>)> {
    let (control, phases) = (Control::default(), Phases::start());
    let device = engine.device(backend, &control, &phases);
    wait(gpu::sort(
        &device,
        &gpu::HostArrays { keys, payload },
        low_bits(K::BITS),
        tuning,
    ))
}
