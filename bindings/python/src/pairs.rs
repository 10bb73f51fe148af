//! The best choices of a query, and all pairs within a distance.

use std::ops::ControlFlow;

use pyo3::prelude::*;
use pyo3::types::{PyList, PyTuple};
use swath::neighbors::Neighbor;
use swath::pairs::{Selection, Share};
use swath::query::{Pairs, StringList};
use swath::substring::Strand;

use crate::call::Call;
use crate::errors::{Named, OrRaise, input_error};
use crate::lists::{Source, Strings, lens, processed};
use crate::matrix::longest;
use crate::neighbors::part;
use crate::output::sparse_pairs;
use crate::score::{Kind, Scorer};
use crate::symbols::{Sequence, is_missing};

/// The choices with the best scores, best first; of equal scores the earlier choice comes first.
///
/// Args:
///     query: a sequence.
///     choices: sequences as for `cdist`, or a mapping to them. Missing ones are left out.
///     scorer, kind, processor, score_cutoff, score_hint, scorer_kwargs, workers, device, progress:
///         as for `cdist`. Choices that are worse than the cutoff are left out. Those that are found
///         are returned as they were before the processor.
///     limit: greatest number of choices; None for all.
///
/// Returns:
///     A list of tuples: choice, score, and its position or key.
///
/// Examples:
///     >>> import swath
///     >>> swath.extract("steam", ["team", "stream", "tea", "mast"], limit=2)
///     [('team', 1, 0), ('stream', 1, 1)]
///     >>> swath.extract("steam", {"x": "team", "y": None}, kind="normalized_similarity")
///     [('team', 0.8, 'x')]
#[pyfunction]
#[pyo3(signature = (query, choices, *, scorer=None, kind=None, processor=None, limit=Some(5),
    score_cutoff=None, score_hint=None, scorer_kwargs=None, workers=None, device="auto",
    progress=None), text_signature = "(query, choices, *, scorer=None, kind=None, processor=None, \
    limit=5, score_cutoff=None, score_hint=None, scorer_kwargs=None, workers=None, device='auto', \
    progress=None)")]
#[expect(clippy::too_many_arguments, reason = "keyword arguments of Python")]
pub fn extract<'py>(
    py: Python<'py>,
    query: &Bound<'py, PyAny>,
    choices: &Bound<'py, PyAny>,
    scorer: Option<&Bound<'py, PyAny>>,
    kind: Option<&str>,
    processor: Option<&Bound<'py, PyAny>>,
    limit: Option<usize>,
    score_cutoff: Option<f64>,
    score_hint: Option<f64>,
    scorer_kwargs: Option<&Bound<'py, PyAny>>,
    workers: Option<i64>,
    device: &str,
    progress: Option<Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyList>> {
    let _ = score_hint;
    let kind = Kind::parse(py, kind)?;
    let scorer = Scorer::new(py, scorer, scorer_kwargs, kind, score_cutoff)?;
    if is_missing(query) {
        return Ok(PyList::empty(py));
    }
    let (keys, choices) = if choices.hasattr("items")? {
        let list = |method: &str| -> PyResult<Vec<Bound<'py, PyAny>>> {
            choices.call_method0(method)?.try_iter()?.collect()
        };
        let items = list("items")?;
        let part = |place: usize| items.iter().map(move |item| item.get_item(place));
        let keys: Vec<_> = part(0).collect::<PyResult<_>>()?;
        let values: Vec<_> = part(1).collect::<PyResult<_>>()?;
        (Some(keys), PyList::new(py, values)?.into_any())
    } else {
        (None, choices.clone())
    };
    let source = Source::of("choices", &choices)?;
    let processed_source = source.processed(py, processor)?;
    let list = processed_source.as_ref().unwrap_or(&source).strings(py)?;
    let missing = list.missing.clone();
    let query = processed(query.clone(), processor)?;
    let query = Strings::one(py, Sequence::read(&query).named(py, "query")?)?;
    scorer.check_text(query.are_text() && list.are_text())?;
    let (query, list) = Strings::unify(py, query, Some(list))?;
    let list = list.map(|list| list.list);
    let call = Call::new(py, device, workers, progress)?;
    let mut found = scores(py, query.list, list, scorer, &call)?;
    found.retain(|&(score, index)| scorer.passes(score) && missing.binary_search(&index).is_err());
    let order = |a: &(f64, usize), b: &(f64, usize)| {
        let by_score = if scorer.kind.is_distance() {
            a.0.total_cmp(&b.0)
        } else {
            b.0.total_cmp(&a.0)
        };
        by_score.then(a.1.cmp(&b.1))
    };
    let limit = limit.unwrap_or(usize::MAX);
    if limit < found.len() {
        if limit > 0 {
            found.select_nth_unstable_by(limit - 1, order);
        }
        found.truncate(limit);
    }
    found.sort_unstable_by(order);
    let results = PyList::empty(py);
    for (score, index) in found {
        let choice = source.item(py, index)?;
        let score = if scorer.is_float() {
            score.into_pyobject(py)?.into_any()
        } else {
            (score as u64).into_pyobject(py)?.into_any()
        };
        let key = match &keys {
            Some(keys) => keys[index].clone(),
            None => index.into_pyobject(py)?.into_any(),
        };
        results.append(PyTuple::new(py, [choice, score, key])?)?;
    }
    Ok(results)
}

/// Score and position of every choice.
fn scores<'py>(
    py: Python<'py>,
    query: StringList<'_>,
    choices: Option<StringList<'_>>,
    scorer: Scorer,
    call: &Call<'py>,
) -> PyResult<Vec<(f64, usize)>> {
    let (of_query, choice_lens) = (
        lens(&query)[0],
        choices.as_ref().map_or_else(Vec::new, lens),
    );
    let mut pairs = Pairs::of(query, choices, Selection::Cross).or_raise(py)?;
    pairs.options.measure = scorer.measure;
    pairs.options.within = scorer.bound(of_query.into(), longest(&choice_lens));
    let symbols: u128 = choice_lens.iter().map(|&len| u128::from(len)).sum();
    let cells = u128::from(of_query) * symbols;
    let values = call.run(py, &pairs, cells)?.answer.values;
    let score = |(index, value): (usize, u32)| {
        let len = choice_lens[index].into();
        (scorer.score(value.into(), of_query.into(), len), index)
    };
    Ok(values.iter().enumerate().map(score).collect())
}

/// All pairs within a distance, as a sparse matrix: rows, columns and distances.
///
/// Args:
///     a: a list of sequences, as for `cdist`. Missing ones are in no pair.
///     b: another list; without it every two strings of `a` are compared once, row < column.
///     k: greatest distance.
///     scorer: "edit" (the default), "indel", "hamming" or "osa", or their distances of rapidfuzz.
///     shard: (i, n) for the i-th of n parts of about equal work, from 0, instead of all pairs. The
///         parts in order are the whole.
///     workers, device, progress: as for `cdist`.
///
/// Returns:
///     A `SparsePairs`: three arrays `row`, `column` and `distance`, by row, then column.
///
/// Examples:
///     >>> import swath
///     >>> near = swath.pairs(["stream", "steam", "team", "mat"], k=1)
///     >>> near.row, near.column, near.distance
///     (array([0, 1]), array([1, 2]), array([1, 1], dtype=uint32))
#[pyfunction]
#[pyo3(signature = (a, b=None, *, k, scorer=None, shard=None, workers=None, device="auto",
    progress=None))]
#[expect(clippy::too_many_arguments, reason = "keyword arguments of Python")]
pub fn pairs<'py>(
    py: Python<'py>,
    a: &Bound<'py, PyAny>,
    b: Option<&Bound<'py, PyAny>>,
    k: u64,
    scorer: Option<&Bound<'py, PyAny>>,
    shard: Option<(u64, u64)>,
    workers: Option<i64>,
    device: &str,
    progress: Option<Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    let measure = Scorer::new(py, scorer, None, Some(Kind::Distance), None)?.measure;
    if measure.is_fraction() {
        let message = format!(
            "scorer: scores of '{measure}' are fractions; take 'edit', 'indel', 'hamming' or 'osa'"
        );
        return Err(input_error(py, message));
    }
    let call = Call::new(py, device, workers, progress)?;
    let source = Source::of("a", a)?;
    let other = b.map(|b| Source::of("b", b)).transpose()?;
    let first = source.strings(py)?;
    let second = other.as_ref().map(|other| other.strings(py)).transpose()?;
    let (queries, targets) = Strings::unify(py, first, second)?;
    let columns = targets.as_ref().unwrap_or(&queries);
    let shape = (queries.list.len(), columns.list.len());
    let symbols = |strings: &Strings<'_>| u128::from(strings.list.symbols());
    let cells = symbols(&queries) * symbols(columns);
    let (rows, columns) = (queries.missing.clone(), columns.missing.clone());
    let selection = match targets {
        Some(_) => Selection::Cross,
        None => Selection::Symmetric,
    };
    let mut found = Vec::new();
    let targets = targets.map(|targets| targets.list);
    let mut task = Pairs::of(queries.list, targets, selection).or_raise(py)?;
    task.options.measure = measure;
    task.options.within = Some(k);
    let (part, parts) = part(py, shard)?;
    task.options.share = Share::Shard(part, parts);
    let task = task.for_each_kept(|block| {
        for pair in block.kept {
            let is_missing = rows.binary_search(&pair.query).is_ok()
                || columns.binary_search(&pair.target).is_ok();
            if !is_missing {
                found.push(Neighbor {
                    row: pair.query as u32,
                    column: pair.target as u32,
                    distance: pair.value,
                    strand: Strand::Forward,
                });
            }
        }
        ControlFlow::Continue(())
    });
    call.run(py, &task, cells)?;
    drop(task);
    let positions: [&(dyn Fn(u32) -> i64 + Sync); 2] = [&i64::from; 2];
    sparse_pairs(py, call.place.threads(), shape, &found, positions, false)
}
