//! Known answers for every kernel variant on one device.

use super::{Lcs, LcsOptions, Method, reference, solve};
use crate::backend::Backend;
use crate::call::phases::Phases;
use crate::engine::profile::timed;
use crate::engine::{Engine, Round, SelfTest, letters};
use crate::error::Result;
use crate::kernels::bit_parallel::{HandOver, Matching};
use crate::pairwise::bit_parallel::cpu;
use crate::pairwise::bit_parallel::gpu::shape;
use crate::pairwise::bit_parallel::shape::TableKind;
use crate::pairwise::codes::Encoded;
use crate::pairwise::tuning::Tuning;

/// Rows and columns of the pairs: the second has several strips of the widest subgroups, 32 lanes of 2 limbs of 31 rows, which hand
/// over to each other.
const PAIRS: [(usize, usize); 2] = [(1_900, 1_700), (4_500, 1_500)];

/// Runs every variant on a pair whose answer the reference table gives, on the backend itself: `auto` would leave so small a
/// pair to the CPU.
pub(crate) fn selftest(
    engine: &Engine,
    backend: Option<&dyn Backend>,
    round: Round<'_>,
) -> Vec<SelfTest> {
    let pairs = PAIRS.map(|(rows, cols)| {
        let codes = Encoded::new(&letters(rows, 1), &letters(cols, 2));
        let expected = reference::subsequence(&codes.a, &codes.b);
        (codes, expected)
    });
    let check = |options: LcsOptions| {
        let (codes, expected) = &pairs[usize::from(has_several_strips(&options))];
        let (length, found) = match backend {
            Some(backend) => pollster::block_on(solve::on_gpu(engine, backend, codes, &options))?,
            None => engine
                .run(&Lcs::of(&codes.a, &codes.b).with_options(&options))
                .map(|report| (report.answer.length, report.answer.subsequence))?,
        };
        Ok(match found {
            _ if length != expected.len() => {
                Some(format!("length {length} instead of {}", expected.len()))
            }
            Some(found) if found != *expected => {
                Some("another subsequence than the reference's".to_string())
            }
            _ => None,
        })
    };
    round.of(variants(backend), check)
}

/// Whether a device gives the length of the pair of several strips by the kernel that most calls take.
///
/// # Errors
/// Where it cannot be asked.
pub(crate) fn gives_known_answer(engine: &Engine, backend: &dyn Backend) -> Result<bool> {
    let (rows, cols) = PAIRS[1];
    let codes = Encoded::new(&letters(rows, 1), &letters(cols, 2));
    let (length, _) = pollster::block_on(solve::on_gpu(
        engine,
        backend,
        &codes,
        &sweep_of_two_limbs(backend),
    ))?;
    Ok(length == reference::length(&codes.a, &codes.b))
}

/// Sweeps a table of random letters by that kernel: the seconds that the call takes, and those that its passes are expected to.
///
/// # Errors
/// Where the device cannot be asked.
pub(crate) fn sweep(engine: &Engine, backend: &dyn Backend, symbols: usize) -> Result<(f64, f64)> {
    let codes = Encoded::new(&letters(symbols, 1), &letters(symbols, 2));
    let options = sweep_of_two_limbs(backend);
    let (swept, took) =
        timed(|| pollster::block_on(solve::on_gpu(engine, backend, &codes, &options)));
    let phases = Phases::start();
    let device = engine.device(backend, &options.control, &phases);
    let expected = device.sizing(options.tuning).seconds(shape(
        TableKind::Lcs,
        &codes.a,
        &codes.b,
        codes.shared,
    ))?;
    swept.map(|_| (took.as_secs_f64(), expected))
}

/// One shape for any size, so that few kernels are built; it is among those that are embedded.
fn sweep_of_two_limbs(backend: &dyn Backend) -> LcsOptions {
    let lanes = backend.capabilities().subgroup;
    let (hand_over, limbs) = (lanes.map(|_| HandOver::Subgroup), Some(2));
    let tuning = Tuning {
        hand_over,
        lanes,
        limbs,
        columns: Some(8),
        steps: Some(16),
        ..Tuning::default()
    };
    LcsOptions {
        method: Method::BitParallel,
        tuning,
        ..LcsOptions::default()
    }
}

/// Whether a variant is for the pair of several strips: those whose strips are of one subgroup, which a launch may chain.
fn has_several_strips(options: &LcsOptions) -> bool {
    options.tuning.hand_over == Some(HandOver::Subgroup)
}

fn variants(backend: Option<&dyn Backend>) -> Vec<(String, LcsOptions)> {
    let options = |method, path, tuning| LcsOptions {
        method,
        path,
        tuning,
        ..LcsOptions::default()
    };
    let Some(backend) = backend else {
        return vec![
            (
                "lcs/wavefront path".to_string(),
                options(Method::Wavefront, true, Tuning::default()),
            ),
            (
                format!("lcs/cpu {} length", cpu::kernel_name()),
                options(Method::BitParallel, false, Tuning::default()),
            ),
            (
                format!("lcs/cpu {} path", cpu::kernel_name()),
                options(Method::BitParallel, true, Tuning::default()),
            ),
        ];
    };
    let mut variants = vec![(
        "lcs/conditional_sum".to_string(),
        options(Method::ConditionalSum, false, Tuning::default()),
    )];
    for (name, method) in [
        ("lcs/strip_sweep Band", Method::Banded),
        ("lcs/wavefront", Method::Wavefront),
    ] {
        for (wanted, path) in [("length", false), ("path", true)] {
            variants.push((
                format!("{name} {wanted}"),
                options(method, path, Tuning::default()),
            ));
        }
    }
    if !backend.capabilities().compiles {
        for matching in [Matching::Table, Matching::Planes] {
            for (wanted, path) in [("length", false), ("path", true)] {
                let any = Tuning {
                    matching: Some(matching),
                    ..Tuning::default()
                };
                let chained = Tuning {
                    hand_over: Some(HandOver::Subgroup),
                    limbs: Some(2),
                    ..any
                };
                for (name, tuning) in [("embedded", any), ("embedded limbs=2", chained)] {
                    let name = format!("lcs/strip_sweep {matching:?} {name} {wanted}");
                    variants.push((name, options(Method::BitParallel, path, tuning)));
                }
            }
        }
        return variants;
    }
    let mut crews = vec![(HandOver::Workgroup, 32)];
    crews.extend(
        backend
            .capabilities()
            .subgroup
            .map(|lanes| (HandOver::Subgroup, lanes)),
    );
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
                let name = format!(
                    "lcs/strip_sweep {matching:?} {hand_over:?} lanes={lanes} columns={columns} {wanted}"
                );
                variants.push((name, options(Method::BitParallel, path, tuning)));
            }
        }
    }
    variants
}
