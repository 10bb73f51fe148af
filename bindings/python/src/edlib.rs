//! `align`, with edlib's arguments and results.

use std::collections::{HashMap, HashSet};

use pyo3::exceptions::PyNotImplementedError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use swath::edit_distance::Mode;
use swath::pairs::Measure;
use swath::query::{Edit, Pair};

use crate::call;
use crate::engines::Place;
use crate::errors::{OrRaise, input_error};
use crate::symbols::{Numbers, Sequence, pair};

/// Parts of the answer that the caller asks for; each has all parts before it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Task {
    Distance,
    Locations,
    Path,
}

/// Start, if it is known, and last position. The last position of an empty piece is -1.
type Location = (Option<usize>, i64);

#[derive(Default)]
struct Answer {
    distance: Option<u64>,
    locations: Vec<Location>,
    cigar: Option<String>,
}

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
    additionalEqualities=None, *, device="auto"))]
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
    let mode = match mode {
        "NW" => Mode::Global,
        "SHW" => Mode::Prefix,
        "HW" => Mode::Infix,
        _ => {
            let message = format!("unknown mode '{mode}'; known: NW, SHW, HW");
            return Err(input_error(py, message));
        }
    };
    let task = match task {
        "distance" => Task::Distance,
        "locations" => Task::Locations,
        "path" => Task::Path,
        _ => {
            let message = format!("unknown task '{task}'; known: distance, locations, path");
            return Err(input_error(py, message));
        }
    };
    let k = k.and_then(|k| u64::try_from(k).ok());
    let (pair, alphabet) = match additionalEqualities {
        Some(equalities) if !equalities.is_empty() => {
            let symbols = [Sequence::read(query)?, Sequence::read(target)?];
            equated(py, symbols, &equalities)?
        }
        _ => {
            let pair = pair(query, target)?;
            let alphabet = distinct(&pair);
            (pair, alphabet)
        }
    };
    let place = Place::new(py, device, -1)?;
    let answer = aligned(py, pair, mode, task, k, &place)?;
    let result = PyDict::new(py);
    let distance = answer.distance.map_or(-1, |distance| distance as i64);
    result.set_item("editDistance", distance)?;
    result.set_item("alphabetLength", alphabet)?;
    result.set_item("locations", answer.locations)?;
    result.set_item("cigar", answer.cigar)?;
    Ok(result)
}

fn aligned(
    py: Python<'_>,
    pair: Pair<'_>,
    mode: Mode,
    task: Task,
    k: Option<u64>,
    place: &Place,
) -> PyResult<Answer> {
    let within = |distance: &u64| k.is_none_or(|k| *distance <= k);
    let [rows, cols] = pair.lens();
    if rows == 0 || cols == 0 {
        // edlib knows neither starts nor a path here, and heeds no bound.
        let (distance, last) = match mode {
            Mode::Global => (rows.max(cols), cols as i64 - 1),
            _ => (rows, -1),
        };
        return Ok(Answer {
            distance: Some(distance as u64),
            locations: vec![(None, last)],
            cigar: None,
        });
    }
    let start = (task >= Task::Locations).then_some(0);
    let global = |distance: u64, cigar: Option<String>| Answer {
        distance: Some(distance),
        locations: vec![(start, cols as i64 - 1)],
        cigar,
    };
    if mode == Mode::Global
        && task < Task::Path
        && matches!(place.device.as_str(), "auto" | "cpu")
        && let Some(distance) = pair.small_value(Measure::Edit)
    {
        let answer = Some(distance).filter(within);
        return Ok(answer.map_or_else(Answer::default, |distance| global(distance, None)));
    }
    let mut edit = Edit::from(pair);
    edit.options.mode = mode;
    edit.options.path = task == Task::Path;
    edit.options.starts = task >= Task::Locations;
    edit.options.max_distance = k;
    let cells = rows as u128 * cols as u128;
    let report = call::run(py, &place.engine(py)?, &edit, cells, None)?;
    let Some(distance) = report.distance.exactly() else {
        return Ok(Answer::default());
    };
    let cigar = report
        .alignment
        .as_ref()
        .map(|found| edit.pair.cigar_extended(found));
    let cigar = cigar.transpose().or_raise(py)?;
    if mode == Mode::Global {
        return Ok(global(distance, cigar));
    }
    let pieces = report.pieces.iter();
    let locations = pieces.map(|piece| (start.and(piece.start), piece.end as i64 - 1));
    Ok(Answer {
        distance: Some(distance),
        locations: locations.collect(),
        cigar,
    })
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
