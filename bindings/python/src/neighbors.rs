//! Neighbours within an edit distance, and clusters of them.

use std::borrow::Cow;

use pyo3::prelude::*;
use swath::query::Neighbors;

use crate::call;
use crate::engines::Place;
use crate::errors::{OrRaise, input_error};
use crate::lists::{Present, Source, Strings};
use crate::output::{array, sparse_pairs};
use crate::progress;

/// All pairs within an edit distance, without comparing all pairs: rows, columns and distances.
///
/// The answer is that of `pairs`. It takes about as long as reading and sorting the strings where
/// few pairs are near, so it suits long lists and small distances.
///
/// Args:
///     strings: a list of sequences, as for `cdist`. Missing ones are in no pair.
///     other: another list; without it every two strings of `strings` are compared once,
///         row < column.
///     k: greatest distance.
///     shard: (i, n) for the i-th of n equal parts of the rows, from 0. The parts in order are the
///         whole.
///     workers, device, progress: as for `cdist`. GPUs take `k` up to 15.
///
/// Returns:
///     A `SparsePairs`: three arrays `row`, `column` and `distance`, by row, then column.
///
/// Examples:
///     >>> import swath
///     >>> near = swath.neighbors(["stream", "steam", "team", "stream"], k=1)
///     >>> list(zip(near.row.tolist(), near.column.tolist(), near.distance.tolist()))
///     [(0, 1, 1), (0, 3, 0), (1, 2, 1), (1, 3, 1)]
///     >>> swath.neighbors(["kitten", "tea"], ["mitten", "team"]).column
///     array([0, 1])
#[pyfunction]
#[expect(clippy::too_many_arguments, reason = "keyword arguments of Python")]
#[pyo3(signature = (strings, other=None, k=2, *, shard=(0, 1), workers=-1, device="auto", progress=None))]
pub fn neighbors<'py>(
    py: Python<'py>,
    strings: &Bound<'py, PyAny>,
    other: Option<&Bound<'py, PyAny>>,
    k: u64,
    shard: (u64, u64),
    workers: i64,
    device: &str,
    progress: Option<Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    let place = Place::new(py, device, workers)?;
    let progress = progress::callback(py, progress)?;
    let (source, other) = (Source::of(strings)?, other.map(Source::of).transpose()?);
    let first = source.strings(py)?;
    let second = other.as_ref().map(|other| other.strings(py)).transpose()?;
    let rows = first.missing.clone();
    let columns = second
        .as_ref()
        .map_or_else(Vec::new, |list| list.missing.clone());
    let (first, second) = Strings::unify(py, first, second)?;
    let (rows, first) = Present::of(first, &rows);
    let (columns, second) = second.map(|list| Present::of(list, &columns)).unzip();
    let mut query = Neighbors::of(first, second).or_raise(py)?;
    (query.options.within, query.options.shard) = (k, shard);
    let columns = columns.as_ref().unwrap_or(&rows);
    let cells = rows.symbols * columns.symbols;
    let found = call::run(py, &place.engine(py)?, &query, cells, progress.as_ref())?;
    let (mut row, mut column, mut distance) = (Vec::new(), Vec::new(), Vec::new());
    for pair in &found.neighbors {
        row.push(rows.position(pair.row));
        column.push(columns.position(pair.column));
        distance.push(pair.distance);
    }
    sparse_pairs(py, (&row, &column), &distance)
}

/// Clusters of the strings of a list, from its neighbours within an edit distance.
///
/// Args:
///     strings: a list of sequences, as for `cdist`. Missing ones are in no cluster.
///     k: greatest distance of neighbours.
///     method: "components" for strings that a chain of neighbours connects; "directional" as
///         UMI-tools' method of this name, where a chain leads from a string to those that are at
///         most half as abundant (count >= 2 * other count - 1), from the most abundant string on.
///     counts: abundance of each string, 1 by default. Equal strings count together.
///     workers, device, progress: as for `neighbors`.
///
/// Returns:
///     A `StringClusters`: the array `cluster` of the cluster of each string, numbered from 0 in
///     order of their first strings and -1 for missing strings, and the array `representative` of
///     the most abundant string of each cluster, of equally abundant ones the first.
///
/// Examples:
///     >>> import swath
///     >>> umis = ["ACGT", "TTTT", "ACGG", "ACCG", "AACG"]
///     >>> swath.clusters(umis, 1).cluster
///     array([0, 1, 0, 0, 0])
///     >>> found = swath.clusters(umis, 1, method="directional", counts=[9, 1, 5, 2, 2])
///     >>> found.cluster, found.representative
///     (array([0, 1, 0, 0, 2]), array([0, 1, 4]))
#[pyfunction]
#[expect(clippy::too_many_arguments, reason = "keyword arguments of Python")]
#[pyo3(signature = (strings, k, *, method="components", counts=None, workers=-1, device="auto",
    progress=None))]
pub fn clusters<'py>(
    py: Python<'py>,
    strings: &Bound<'py, PyAny>,
    k: u64,
    method: &str,
    counts: Option<Vec<u64>>,
    workers: i64,
    device: &str,
    progress: Option<Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    let is_directional = match method {
        "components" => false,
        "directional" => true,
        _ => {
            let message = format!("unknown method '{method}'; known: components, directional");
            return Err(input_error(py, message));
        }
    };
    let place = Place::new(py, device, workers)?;
    let progress = progress::callback(py, progress)?;
    let source = Source::of(strings)?;
    let list = source.strings(py)?;
    let (count, missing) = (list.list.len(), list.missing.clone());
    let counts = counts.unwrap_or_else(|| vec![1; count]);
    if counts.len() != count {
        let message = format!(
            "there are {} counts and {count} strings; give one count for each string",
            counts.len()
        );
        return Err(input_error(py, message));
    }
    let is_present = |&(index, _): &(usize, &u64)| missing.binary_search(&index).is_err();
    let counts: Cow<'_, [u64]> = if missing.is_empty() {
        counts.into()
    } else {
        let present = counts.iter().enumerate().filter(is_present);
        present.map(|(_, &count)| count).collect()
    };
    let (list, _) = Strings::unify(py, list, None)?;
    let (present, list) = Present::of(list, &missing);
    let mut query = Neighbors::of(list, None).or_raise(py)?;
    query.options.within = k;
    let mut query = query.clusters();
    query.options.counts = Some(counts);
    query.options.is_directional = is_directional;
    let cells = present.symbols * present.symbols;
    let found = call::run(py, &place.engine(py)?, &query, cells, progress.as_ref())?;
    let mut cluster = vec![-1i64; count];
    for (index, &of_string) in (0..).zip(&found.clusters) {
        cluster[present.position(index) as usize] = of_string.into();
    }
    let of_clusters = found.representatives.iter();
    let representative: Vec<_> = of_clusters.map(|&index| present.position(index)).collect();
    let arrays = (
        array(py, &cluster, &[count], "int64")?,
        array(py, &representative, &[representative.len()], "int64")?,
    );
    py.import("swath._results")?
        .getattr("StringClusters")?
        .call1(arrays)
}
