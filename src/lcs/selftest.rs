//! Known-answer tests of every kernel variant on one device.

use super::{Lcs, LcsOptions, Method, reference, solve};
use crate::backend::Backend;
use crate::call::phases::Phases;
use crate::engine::profile::timed;
use crate::engine::{Engine, Round, SelfTest, difference, letters, wait, with_and_without_path};
use crate::error::Result;
use crate::kernels::bit_parallel::{CarryExchange, Matching};
use crate::sequences::bit_parallel::cpu;
use crate::sequences::bit_parallel::shape::{Shape, TableKind};
use crate::sequences::codes::Encoded;
use crate::sequences::tuning::Tuning;

/// Rows and columns of the test pairs. The second spans several strips of the widest subgroup (32
/// lanes of 2 limbs of 31 rows), so that carries cross strips.
const PAIRS: [(usize, usize); 2] = [(1_900, 1_700), (4_500, 1_500)];

/// Compares every variant with the reference. Runs on `backend` directly: `auto` would send pairs
/// of this size to the CPU.
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
            Some(backend) => wait(solve::on_gpu(engine, backend, codes, &options))?,
            None => engine
                .run(&Lcs::of(&codes.a, &codes.b).with_options(&options))
                .map(|report| (report.answer.length, report.answer.subsequence))?,
        };
        Ok(difference(
            "length",
            [length, expected.len()],
            found,
            expected,
        ))
    };
    round.of(variants(backend), check)
}

/// A timed sweep of a whole table.
pub(crate) struct Sweep {
    pub length: u64,
    /// Seconds of the whole call.
    pub seconds: f64,
    /// Expected seconds of its passes.
    pub expected_seconds: f64,
}

/// Sweeps a table by the kernel that most calls use.
pub(crate) fn timed_sweep(
    engine: &Engine,
    backend: &dyn Backend,
    codes: &Encoded,
) -> Result<Sweep> {
    let options = sweep_of_two_limbs(backend);
    let (swept, took) = timed(|| wait(solve::on_gpu(engine, backend, codes, &options)));
    let phases = Phases::start();
    let device = engine.device(backend, &options.control, &phases);
    let shape = Shape::of(TableKind::Lcs, codes.codes());
    Ok(Sweep {
        length: swept?.0,
        seconds: took.as_secs_f64(),
        expected_seconds: device.sizing(options.tuning).seconds(shape)?,
    })
}

/// One kernel shape for all sizes, so that few kernels are compiled; this one is embedded.
fn sweep_of_two_limbs(backend: &dyn Backend) -> LcsOptions {
    let lanes = backend.capabilities().subgroup;
    let (carry_exchange, limbs) = (lanes.map(|_| CarryExchange::Subgroup), Some(2));
    let tuning = Tuning {
        carry_exchange,
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

/// True for single-subgroup strips, which a launch may chain; these run the multi-strip pair.
fn has_several_strips(options: &LcsOptions) -> bool {
    options.tuning.carry_exchange == Some(CarryExchange::Subgroup)
}

fn variants(backend: Option<&dyn Backend>) -> Vec<(String, LcsOptions)> {
    let options = |method, path, tuning| LcsOptions {
        method,
        path,
        tuning,
        ..LcsOptions::default()
    };
    let both = |name: &str, method, tuning| {
        with_and_without_path(name, "length", |path| options(method, path, tuning))
    };
    let any = Tuning::default();
    let Some(backend) = backend else {
        let cpu = format!("lcs/cpu {}", cpu::kernel_name());
        let wavefront = both("lcs/wavefront", Method::Wavefront, any);
        return [wavefront, both(&cpu, Method::BitParallel, any)].concat();
    };
    let mut variants = vec![(
        "lcs/conditional_sum".to_string(),
        options(Method::ConditionalSum, false, any),
    )];
    variants.extend(both("lcs/strip_sweep Band", Method::Banded, any));
    variants.extend(both("lcs/wavefront", Method::Wavefront, any));
    let caps = backend.capabilities();
    for matching in [Matching::Table, Matching::Planes] {
        let name = format!("lcs/strip_sweep {matching:?}");
        let any = Tuning {
            matching: Some(matching),
            ..any
        };
        if !caps.compiles {
            let chained = Tuning {
                carry_exchange: Some(CarryExchange::Subgroup),
                limbs: Some(2),
                ..any
            };
            for (shape, tuning) in [("embedded", any), ("embedded limbs=2", chained)] {
                let name = format!("{name} {shape}");
                variants.extend(both(&name, Method::BitParallel, tuning));
            }
            continue;
        }
        let subgroup = caps.subgroup.map(|lanes| (CarryExchange::Subgroup, lanes));
        let crews = [Some((CarryExchange::Workgroup, 32)), subgroup];
        for (carry_exchange, lanes) in crews.into_iter().flatten() {
            for (columns, path) in [(32, false), (8, false), (16, true)] {
                let tuning = Tuning {
                    carry_exchange: Some(carry_exchange),
                    lanes: Some(lanes),
                    limbs: Some(2),
                    columns: Some(columns),
                    steps: Some(8),
                    ..any
                };
                let wanted = if path { "path" } else { "length" };
                let name =
                    format!("{name} {carry_exchange:?} lanes={lanes} columns={columns} {wanted}");
                variants.push((name, options(Method::BitParallel, path, tuning)));
            }
        }
    }
    variants
}
