//! Known answers for every kernel variant on one device.

use std::time::Instant;

use super::gpu::tiling::{HandOver, Matching};
use super::{LcsOptions, Method, Tuning, reference};
use crate::backend::Backend;
use crate::engine::{Engine, SelfTest};

/// Runs every variant on a pair whose answer the textbook table gives.
pub(crate) fn selftest(engine: &Engine, backend: Option<&dyn Backend>) -> Vec<SelfTest> {
    let (a, b) = (letters(1_900, 1), letters(1_700, 2));
    let expected = reference::subsequence(&a, &b);
    let check = |kernel: String, options: LcsOptions| {
        let started = Instant::now();
        let answer = engine.lcs_with(&a, &b, &options);
        let elapsed = started.elapsed();
        let detail = match answer {
            Err(error) => Some(error.to_string()),
            Ok(answer) if answer.length != expected.len() => {
                Some(format!("length {} instead of {}", answer.length, expected.len()))
            }
            Ok(answer) if answer.subsequence.as_ref().is_some_and(|found| *found != expected) => {
                Some("another subsequence than the reference's".to_string())
            }
            Ok(_) => None,
        };
        SelfTest { kernel, passed: detail.is_none(), elapsed, detail }
    };
    variants(backend).into_iter().map(|(name, options)| check(name, options)).collect()
}

fn variants(backend: Option<&dyn Backend>) -> Vec<(String, LcsOptions)> {
    let options = |method, path, tuning| LcsOptions { method, path, tuning, ..LcsOptions::default() };
    let Some(backend) = backend else {
        return vec![
            (
                format!("lcs/cpu {} length", super::cpu_kernel_name()),
                options(Method::BitParallel, false, Tuning::default()),
            ),
            (
                format!("lcs/cpu {} path", super::cpu_kernel_name()),
                options(Method::BitParallel, true, Tuning::default()),
            ),
            ("lcs/wavefront path".to_string(), options(Method::Wavefront, true, Tuning::default())),
        ];
    };
    let mut crews = vec![(HandOver::Workgroup, 32)];
    crews.extend(backend.capabilities().subgroup.map(|lanes| (HandOver::Subgroup, lanes)));
    let mut variants =
        vec![("lcs/conditional_sum".to_string(), options(Method::ConditionalSum, false, Tuning::default()))];
    for (hand_over, lanes) in crews {
        for matching in [Matching::Table, Matching::Planes] {
            for (columns, path) in [(32, false), (8, false), (16, true)] {
                let tuning = Tuning {
                    matching: Some(matching),
                    hand_over: Some(hand_over),
                    lanes: Some(lanes),
                    limbs: Some(2),
                    columns: Some(columns),
                    steps: Some(8),
                    directions: None,
                };
                let wanted = if path { "path" } else { "length" };
                let name =
                    format!("lcs/strip_sweep {matching:?} {hand_over:?} lanes={lanes} columns={columns} {wanted}");
                variants.push((name, options(Method::BitParallel, path, tuning)));
            }
        }
    }
    variants
}

/// Four letters from a small generator; fixed, so that answers are known.
fn letters(count: usize, mut state: u32) -> Vec<u8> {
    let next = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        b"ACGT"[(state >> 30) as usize]
    };
    std::iter::repeat_with(next).take(count).collect()
}
