//! Known answers for every kernel variant on one device.

use rayon::prelude::*;

use super::{Lcs, LcsOptions, Method, reference, solve};
use crate::backend::Backend;
use crate::engine::{Engine, SelfTest, letters};
use crate::kernels::bit_parallel::{HandOver, Matching};
use crate::pairwise::bit_parallel::cpu;
use crate::pairwise::codes::Encoded;
use crate::pairwise::tuning::Tuning;

/// Runs every variant on a pair whose answer the reference table gives, on the backend itself: `auto` would leave so small a
/// pair to the CPU.
pub(crate) fn selftest(engine: &Engine, backend: Option<&dyn Backend>) -> Vec<SelfTest> {
    let (a, b) = (letters(1_900, 1), letters(1_700, 2));
    let codes = Encoded::new(&a, &b);
    let expected = reference::subsequence(&codes.a, &codes.b);
    let check = |(kernel, options): (String, LcsOptions)| {
        SelfTest::run(kernel, || {
            let (length, found) = match backend {
                Some(backend) => pollster::block_on(solve::on_gpu(engine, backend, &codes, &options))?,
                None => engine
                    .run(&Lcs::of(&codes.a, &codes.b).with_options(&options))
                    .map(|report| (report.answer.length, report.answer.subsequence))?,
            };
            Ok(match found {
                _ if length != expected.len() => Some(format!("length {length} instead of {}", expected.len())),
                Some(found) if found != expected => Some("another subsequence than the reference's".to_string()),
                _ => None,
            })
        })
    };
    variants(backend).into_par_iter().map(check).collect()
}

fn variants(backend: Option<&dyn Backend>) -> Vec<(String, LcsOptions)> {
    let options = |method, path, tuning| LcsOptions { method, path, tuning, ..LcsOptions::default() };
    let Some(backend) = backend else {
        return vec![
            ("lcs/wavefront path".to_string(), options(Method::Wavefront, true, Tuning::default())),
            (format!("lcs/cpu {} length", cpu::kernel_name()), options(Method::BitParallel, false, Tuning::default())),
            (format!("lcs/cpu {} path", cpu::kernel_name()), options(Method::BitParallel, true, Tuning::default())),
        ];
    };
    let mut variants =
        vec![("lcs/conditional_sum".to_string(), options(Method::ConditionalSum, false, Tuning::default()))];
    for (name, method) in [("lcs/strip_sweep Band", Method::Banded), ("lcs/wavefront", Method::Wavefront)] {
        for (wanted, path) in [("length", false), ("path", true)] {
            variants.push((format!("{name} {wanted}"), options(method, path, Tuning::default())));
        }
    }
    if !backend.capabilities().compiles {
        for matching in [Matching::Table, Matching::Planes] {
            for (wanted, path) in [("length", false), ("path", true)] {
                let tuning = Tuning { matching: Some(matching), ..Tuning::default() };
                let name = format!("lcs/strip_sweep {matching:?} embedded {wanted}");
                variants.push((name, options(Method::BitParallel, path, tuning)));
            }
        }
        return variants;
    }
    let mut crews = vec![(HandOver::Workgroup, 32)];
    crews.extend(backend.capabilities().subgroup.map(|lanes| (HandOver::Subgroup, lanes)));
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
                    replay_bytes: None,
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
