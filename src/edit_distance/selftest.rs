//! Known-answer tests of every native method, and of the sweep on one device.

use super::{Alignment, Edit, EditOptions, Method, Mode, global, reference};
use crate::backend::Backend;
use crate::engine::{Engine, Round, SelfTest, difference, letters, wait, with_and_without_path};
use crate::error::Result;
use crate::host::threads::join;
use crate::kernels::bit_parallel::CarryExchange;
use crate::sequences::bit_parallel::cpu;
use crate::sequences::blocks::Blocks;
use crate::sequences::codes::Encoded;
use crate::sequences::tuning::Tuning;

/// Rows and columns of the test pairs. The second spans several strips of the widest subgroup (32
/// lanes of 2 limbs), so that carries cross strips.
const PAIRS: [(usize, usize); 2] = [(1_900, 1_700), (4_500, 1_500)];

/// Compares every variant with the reference. Runs on `backend` directly: `auto` would send pairs
/// of this size to the CPU.
pub(crate) fn selftest(
    engine: &Engine,
    backend: Option<&dyn Backend>,
    round: Round<'_>,
) -> Vec<SelfTest> {
    let pairs = PAIRS.map(|(rows, cols)| {
        let codes = Encoded::new(&letters(rows, 3), &letters(cols, 4));
        let (distance, path) = join(
            || reference::distance(&codes.a, &codes.b, Mode::Global),
            || aligned(&codes, reference::path(&codes.a, &codes.b)),
        );
        (codes, distance, path)
    });
    let check = |options: EditOptions| {
        let (codes, distance, path) = &pairs[usize::from(options.tuning.carry_exchange.is_some())];
        let (found, alignment) = answer(engine, backend, codes, &options)?;
        let found = found.unwrap_or(u64::MAX);
        Ok(difference("distance", [found, *distance], alignment, path))
    };
    round.of(variants(backend), check)
}

fn aligned(codes: &Encoded, path: Blocks) -> Alignment {
    Alignment::new(path, codes.a.len(), 0..codes.b.len())
}

fn answer(
    engine: &Engine,
    backend: Option<&dyn Backend>,
    codes: &Encoded,
    options: &EditOptions,
) -> Result<(Option<u64>, Option<Alignment>)> {
    let Some(backend) = backend else {
        let task = Edit::of(&codes.a, &codes.b).with_options(options);
        let answer = engine.run(&task)?.answer;
        return Ok((answer.distance.exactly(), answer.alignment));
    };
    let found = wait(global::on_gpu(engine, backend, codes, options))?;
    Ok((found.cost, found.path.map(|path| aligned(codes, path))))
}

fn variants(backend: Option<&dyn Backend>) -> Vec<(String, EditOptions)> {
    let options = |method, path, tuning| EditOptions {
        method,
        path,
        tuning,
        ..EditOptions::default()
    };
    let both = |name: &str, method, tuning| {
        let name = format!("edit_distance/{name}");
        with_and_without_path(&name, "distance", |path| options(method, path, tuning))
    };
    let any = Tuning::default();
    let mut variants = both("wavefront", Method::Wavefront, any).to_vec();
    let (whole, band) = match backend {
        Some(_) => ("strip_sweep".to_string(), "strip_sweep Band".to_string()),
        None => {
            let cpu = format!("cpu {}", cpu::kernel_name());
            (cpu.clone(), format!("{cpu} in bands"))
        }
    };
    variants.extend(both(&whole, Method::BitParallel, any));
    variants.extend(both(&band, Method::Banded, any));
    if let Some(lanes) = backend.and_then(|backend| backend.capabilities().subgroup) {
        // Single-subgroup strips, which a launch may chain.
        let chained = Tuning {
            carry_exchange: Some(CarryExchange::Subgroup),
            lanes: Some(lanes),
            limbs: Some(2),
            ..any
        };
        let name = "strip_sweep Subgroup limbs=2";
        variants.extend(both(name, Method::BitParallel, chained));
    }
    for method in [Method::AntiDiagonal, Method::Tiled] {
        let name = format!("edit_distance/{}", method.name());
        variants.push((name, options(method, false, any)));
    }
    variants
}
