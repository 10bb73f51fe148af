//! `align`, with edlib's arguments and results.

use std::collections::{HashMap, HashSet};

use pyo3::exceptions::PyNotImplementedError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use swath::edit_distance::Mode;
use swath::query::Pair;
use swath::query::edlib::{Parts, Request};

use crate::call::Call;
use crate::errors::{OrRaise, one_of};
use crate::symbols::{Numbers, Sequence, pair, read_both};

/// Names of the sequences.
const NAMES: [&str; 2] = ["query", "target"];

/// Aligns a query with a target: the arguments and the result of `edlib.align`.
///
/// Args:
///     query, target: sequences, as for `distance`; their alphabet may have any size.
///     mode: "NW" (global), "SHW" (prefix of the target) or "HW" (piece of the target).
///     task: "distance" (also the ends of locations), "locations" (also their starts) or "path" (also
///         the alignment to the first location).
///     k: greatest distance of interest; -1 or None for any.
///     additionalEqualities: pairs of symbols that are equal. The relation must be transitive, such
///         as upper and lower case; wildcards are not.
///     device: as for `distance`.
///
/// Returns:
///     A dict: editDistance (-1 above `k`), alphabetLength, locations as (start, last) and cigar.
///
/// Examples:
///     >>> import swath
///     >>> swath.align("ACTG", "CACTRT", mode="HW", task="path")
///     {'editDistance': 1, 'alphabetLength': 5, 'locations': [(1, 3), (1, 4)], 'cigar': '3=1I'}
///     >>> swath.align("elephant", "telephone")["editDistance"]
///     3
#[pyfunction]
#[pyo3(signature = (query, target, mode="NW", task="distance", k=Some(-1),
    additionalEqualities=None, *, device="auto"), text_signature = "(query, target, mode='NW', \
    task='distance', k=-1, additionalEqualities=None, *, device='auto')")]
#[expect(non_snake_case, reason = "edlib's name")]
#[expect(clippy::too_many_arguments, reason = "edlib's arguments")]
pub fn align<'py>(
    py: Python<'py>,
    query: &Bound<'py, PyAny>,
    target: &Bound<'py, PyAny>,
    mode: &str,
    task: &str,
    k: Option<i64>,
    additionalEqualities: Option<Vec<(Bound<'py, PyAny>, Bound<'py, PyAny>)>>,
    device: &str,
) -> PyResult<Bound<'py, PyDict>> {
    let modes = [
        ("NW", Mode::Global),
        ("SHW", Mode::Prefix),
        ("HW", Mode::Infix),
    ];
    let tasks = [
        ("distance", Parts::Distance),
        ("locations", Parts::Locations),
        ("path", Parts::Path),
    ];
    let request = Request {
        mode: one_of(py, "mode", mode, &modes)?,
        parts: one_of(py, "task", task, &tasks)?,
        max_distance: k.and_then(|k| u64::try_from(k).ok()),
    };
    let (pair, alphabet) = match additionalEqualities {
        Some(equalities) if !equalities.is_empty() => {
            equated(py, read_both(query, target, NAMES)?, &equalities)?
        }
        _ => {
            let pair = pair(query, target, NAMES)?;
            let alphabet = distinct(&pair);
            (pair, alphabet)
        }
    };
    let may_be_small = matches!(device, "auto" | "cpu");
    let edit = request.query(pair);
    let is_empty = edit.pair.lens().contains(&0);
    let direct = (may_be_small || is_empty).then(|| request.without_engine(&edit.pair));
    let answer = match direct.flatten() {
        Some(answer) => answer,
        None => {
            let cells = edit
                .pair
                .lens()
                .map(|len| len as u128)
                .into_iter()
                .product();
            let report = Call::new(py, device, None, None)?.run(py, &edit, cells)?;
            request.located(&edit.pair, report.answer)
        }
    };
    let cigar = answer.alignment.as_ref();
    let cigar = cigar.map(|found| edit.pair.cigar_extended(found));
    let result = PyDict::new(py);
    let distance = answer.distance.map_or(-1, |distance| distance as i64);
    result.set_item("editDistance", distance)?;
    result.set_item("alphabetLength", alphabet)?;
    result.set_item("locations", answer.locations)?;
    result.set_item("cigar", cigar.transpose().or_raise(py)?)?;
    Ok(result)
}

/// Number of distinct symbols.
fn distinct(pair: &Pair<'_>) -> usize {
    match pair {
        Pair::Bytes(pair) => {
            let mut seen = [false; 256];
            let all = pair.iter().flat_map(|one| one.iter());
            all.for_each(|&symbol| seen[usize::from(symbol)] = true);
            seen.into_iter().filter(|&seen| seen).count()
        }
        Pair::Numbers(pair) => {
            let all = pair.iter().flat_map(|one| one.iter());
            all.collect::<HashSet<_>>().len()
        }
        Pair::Letters(_) => unreachable!("Python has no letters"),
    }
}

/// Numbers the symbols so that equal ones have one number. Also returns how many are distinct before
/// that.
fn equated<'a>(
    py: Python<'_>,
    symbols: [Sequence<'a>; 2],
    equalities: &[(Bound<'_, PyAny>, Bound<'_, PyAny>)],
) -> PyResult<(Pair<'a>, usize)> {
    let known = PyDict::new(py);
    let mut numbers = Numbers::OfObjects(known.clone());
    let [a, b] = symbols.map(|one| one.numbered(&mut numbers));
    let mut pair = Pair::of_symbols(a?, b?).or_raise(py)?;
    let alphabet = known.len();
    let mut neighbours: HashMap<u32, HashSet<u32>> = HashMap::new();
    for (a, b) in equalities {
        let pair = numbers.objects(&[a.clone().unbind(), b.clone().unbind()])?;
        for (a, b) in [(pair[0], pair[1]), (pair[1], pair[0])] {
            neighbours.entry(a).or_default().extend([a, b]);
        }
    }
    // Equality is transitive if equal symbols have the same neighbours.
    let is_transitive = neighbours.values().all(|group| {
        group
            .iter()
            .all(|symbol| neighbours.get(symbol) == Some(group))
    });
    if !is_transitive {
        return Err(PyNotImplementedError::new_err(
            "additionalEqualities with a wildcard are not supported: if a equals b and b equals c, \
             a has to equal c",
        ));
    }
    if let Pair::Numbers(pair) = &mut pair {
        for symbol in pair.iter_mut().flat_map(|one| one.to_mut()) {
            let least = neighbours.get(symbol).and_then(|group| group.iter().min());
            *symbol = least.copied().unwrap_or(*symbol);
        }
    }
    Ok((pair, alphabet))
}
