//! Self-test of every kernel variant on one device.

use super::query::SubstringQuery;
use super::search::alphabet::Alphabet;
use super::search::{SearchOutcome, Settings, Tuning, on_cpu};
use super::{gpu, reference};
use crate::backend::Backend;
use crate::call::control::Control;
use crate::call::phases::Phases;
use crate::engine::{Engine, Round, SelfTest, letters, wait};
use crate::error::Result;
use crate::papers::sort_and_scan;

/// Length of the planted common substring.
const SHARED: usize = 150;

/// Name, minimum number of texts, first window length.
type SearchCase = (&'static str, usize, usize);

/// Searches of the cascade, which `auto` chooses: packed and hashed keys.
const CASCADES: [SearchCase; 4] = [
    ("cascade packed", 3, 4),
    ("cascade packed levels", 2, 10),
    ("cascade hashed", 2, SHARED - 10),
    ("cascade hashed chain", 3, SHARED),
];

/// Runs every variant on texts whose longest common substrings the reference computes.
pub(crate) fn selftest(
    engine: &Engine,
    backend: Option<&dyn Backend>,
    round: Round<'_>,
) -> Vec<SelfTest> {
    let sorts = match backend {
        None => &[("sort-and-scan", 2, 1)][..],
        Some(backend) if !backend.capabilities().compiles => &[("sort-and-scan Subgroup", 3, 1)],
        Some(backend) if backend.capabilities().subgroup.is_some() => &[
            ("sort-and-scan Subgroup", 3, 1),
            ("sort-and-scan Workgroup", 2, 1),
        ],
        Some(_) => &[("sort-and-scan Workgroup", 2, 1)],
    };
    let tests = CASCADES
        .iter()
        .chain(sorts)
        .map(|&test| (format!("substring/{}", test.0), test));
    round.of(tests, |(name, inputs, start_length)| {
        let is_right = is_right(engine, backend, name, inputs, start_length)?;
        Ok((!is_right).then(|| "other substrings than the reference's".to_string()))
    })
}

fn is_right(
    engine: &Engine,
    backend: Option<&dyn Backend>,
    name: &str,
    inputs: usize,
    start_length: usize,
) -> Result<bool> {
    let (a, b) = (letters(900, 1), letters(700, 2));
    let planted = [&b[..300], &a[700..700 + SHARED], &b[300..]].concat();
    let texts = [&a[..], &planted, &letters(500, 3)];
    let sorts = name.starts_with("sort");
    let query = SubstringQuery {
        texts: &texts,
        inputs,
    };
    let portable = name.ends_with("Workgroup");
    let tuning = Tuning {
        start_length: Some(start_length),
        portable,
        ..Tuning::default()
    };
    let (settings, control, phases) = (
        Settings {
            tuning,
            ..Settings::default()
        },
        Control::default(),
        Phases::start(),
    );
    let alphabet = Alphabet::of(query.texts);
    let found = match backend {
        Some(backend) => {
            let device = engine.device(backend, &control, &phases);
            if sorts {
                wait(sort_and_scan::on_gpu(&device, query, alphabet, &settings))?
            } else {
                wait(gpu::on_gpu(&device, query, alphabet, &settings))?
            }
        }
        None if sorts => sort_and_scan::on_cpu(query, &settings, &control)?,
        None => on_cpu(query, alphabet, &settings, &control)?,
    };
    Ok(reference::longest(&texts, inputs, || true).map(SearchOutcome::Found) == Some(found.0))
}
