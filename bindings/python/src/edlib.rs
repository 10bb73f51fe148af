//! `align`, with edlib's arguments and results.

use std::collections::{HashMap, HashSet};

use pyo3::exceptions::PyNotImplementedError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use swath::edit_distance::Mode;
use swath::pairs::Measure;
use swath::{Edit, Symbol};

use crate::call;
use crate::engines::Place;
use crate::errors::{input_error, raised};
use crate::symbols::{Numbers, Sequences, Symbols, with_symbols};

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
    let symbols = vec![Symbols::read(query)?, Symbols::read(target)?];
    let (sequences, alphabet) = match additionalEqualities {
        Some(equalities) if !equalities.is_empty() => equated(py, symbols, &equalities)?,
        _ => {
            let sequences = Sequences::unify(py, symbols)?;
            let alphabet = with_symbols!(Sequences, &sequences, sequences => {
                distinct(&sequences[0], &sequences[1])
            });
            (sequences, alphabet)
        }
    };
    let place = Place::new(py, device, -1)?;
    let answer = with_symbols!(Sequences, &sequences, sequences => {
        aligned(py, (&sequences[0], &sequences[1]), (mode, task, k), &place)?
    });
    let result = PyDict::new(py);
    let distance = answer.distance.map_or(-1, |distance| distance as i64);
    result.set_item("editDistance", distance)?;
    result.set_item("alphabetLength", alphabet)?;
    result.set_item("locations", answer.locations)?;
    result.set_item("cigar", answer.cigar)?;
    Ok(result)
}

fn aligned<S: Symbol>(
    py: Python<'_>,
    (query, target): (&[S], &[S]),
    (mode, task, k): (Mode, Task, Option<u64>),
    place: &Place,
) -> PyResult<Answer> {
    let within = |distance: &u64| k.is_none_or(|k| *distance <= k);
    let (rows, cols) = (query.len(), target.len());
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
        && let Some(distance) = Measure::Edit.of_small_pair(query, target)
    {
        let answer = Some(distance).filter(within);
        return Ok(answer.map_or_else(Answer::default, |distance| global(distance, None)));
    }
    let mut edit = Edit::of(query, target)
        .mode(mode)
        .with_path(task == Task::Path);
    if task >= Task::Locations {
        edit = edit.starts();
    }
    if let Some(k) = k {
        edit = edit.within(k);
    }
    let cells = rows as u128 * cols as u128;
    let report = call::run(py, &place.engine(py)?, &edit, cells, None)?;
    let Some(distance) = report.distance.exactly() else {
        return Ok(Answer::default());
    };
    let cigar = report
        .alignment
        .as_ref()
        .map(|found| found.cigar_extended(query, target));
    let cigar = cigar.transpose().map_err(|error| raised(py, error))?;
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
fn distinct<S: Symbol>(query: &[S], target: &[S]) -> usize {
    let all = query.iter().chain(target);
    if S::TABLE == 0 {
        return all.collect::<HashSet<_>>().len();
    }
    let mut seen = vec![false; S::TABLE];
    all.for_each(|&symbol| seen[symbol.place()] = true);
    seen.into_iter().filter(|&seen| seen).count()
}

/// Numbers the symbols so that equal ones have one number. Also returns how many are distinct before
/// that.
fn equated<'a>(
    py: Python<'_>,
    symbols: Vec<Symbols<'_>>,
    equalities: &[(Bound<'_, PyAny>, Bound<'_, PyAny>)],
) -> PyResult<(Sequences<'a>, usize)> {
    let mut numbers = Numbers::OfObjects(PyDict::new(py));
    let mut numbered = Vec::new();
    for symbols in symbols {
        numbered.push(symbols.into_wide(Some(&mut numbers))?.into_owned());
    }
    let alphabet = distinct(&numbered[0], &numbered[1]);
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
    for symbol in numbered.iter_mut().flatten() {
        let least = neighbours.get(symbol).and_then(|group| group.iter().min());
        *symbol = least.copied().unwrap_or(*symbol);
    }
    let wide = numbered.into_iter().map(Into::into).collect();
    Ok((Sequences::Wide(wide), alphabet))
}
