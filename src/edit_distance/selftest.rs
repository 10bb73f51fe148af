//! Known-answer tests of every native method, and of the sweep on one device.

use super::{Alignment, Edit, EditOptions, Method, Mode, global, reference};
use crate::backend::Backend;
use crate::engine::{Engine, Round, SelfTest, letters, wait};
use crate::error::Result;
use crate::host::threads::join;
use crate::kernels::bit_parallel::CarryExchange;
use crate::sequences::bit_parallel::cpu;
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
            || {
                Alignment::new(
                    reference::path(&codes.a, &codes.b),
                    codes.a.len(),
                    0..codes.b.len(),
                )
            },
        );
        (codes, distance, path)
    });
    let check = |options: EditOptions| {
        let (codes, distance, path) = &pairs[usize::from(options.tuning.carry_exchange.is_some())];
        let (found, alignment) = answer(engine, backend, codes, &options)?;
        Ok(match alignment {
            _ if found != Some(*distance) => {
                Some(format!("distance {found:?} instead of {distance}"))
            }
            Some(alignment) if alignment != *path => {
                Some("another alignment than the reference's".to_string())
            }
            _ => None,
        })
    };
    round.of(variants(backend), check)
}

/// Single-subgroup strips, which a launch may chain.
fn chained(lanes: u32) -> Tuning {
    Tuning {
        carry_exchange: Some(CarryExchange::Subgroup),
        lanes: Some(lanes),
        limbs: Some(2),
        ..Tuning::default()
    }
}

fn answer(
    engine: &Engine,
    backend: Option<&dyn Backend>,
    codes: &Encoded,
    options: &EditOptions,
) -> Result<(Option<u64>, Option<Alignment>)> {
    let Some(backend) = backend else {
        let answer = engine
            .run(&Edit::of(&codes.a, &codes.b).with_options(options))?
            .answer;
        return Ok((answer.distance.exactly(), answer.alignment));
    };
    let found = wait(global::on_gpu(engine, backend, codes, options))?;
    Ok((
        found.cost,
        found
            .path
            .map(|path| Alignment::new(path, codes.a.len(), 0..codes.b.len())),
    ))
}

fn variants(backend: Option<&dyn Backend>) -> Vec<(String, EditOptions)> {
    let baselines = [Method::AntiDiagonal, Method::Tiled].map(|method| {
        (
            format!("edit_distance/{}", method.name()),
            EditOptions {
                method,
                ..EditOptions::default()
            },
        )
    });
    let methods = match backend {
        Some(_) => vec![
            ("edit_distance/strip_sweep".to_string(), Method::BitParallel),
            ("edit_distance/strip_sweep Band".to_string(), Method::Banded),
            ("edit_distance/wavefront".to_string(), Method::Wavefront),
        ],
        None => vec![
            ("edit_distance/wavefront".to_string(), Method::Wavefront),
            (
                format!("edit_distance/cpu {}", cpu::kernel_name()),
                Method::BitParallel,
            ),
            (
                format!("edit_distance/cpu {} in bands", cpu::kernel_name()),
                Method::Banded,
            ),
        ],
    };
    let both = |(name, method): (String, Method)| {
        [("distance", false), ("path", true)].map(|(wanted, path)| {
            (
                format!("{name} {wanted}"),
                EditOptions {
                    method,
                    path,
                    ..EditOptions::default()
                },
            )
        })
    };
    let chained = backend
        .and_then(|backend| backend.capabilities().subgroup)
        .into_iter()
        .flat_map(|lanes| {
            let tuning = chained(lanes);
            both((
                "edit_distance/strip_sweep Subgroup limbs=2".to_string(),
                Method::BitParallel,
            ))
            .map(|(name, options)| (name, EditOptions { tuning, ..options }))
        });
    methods
        .into_iter()
        .flat_map(both)
        .chain(chained)
        .chain(baselines)
        .collect()
}
