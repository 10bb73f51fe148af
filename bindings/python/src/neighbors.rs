//! Neighbours within a distance, and clusters of them.

use std::borrow::Cow;

use pyo3::prelude::*;
use pyo3::types::PyDict;
use swath::pairs::Measure;
use swath::query::Neighbors;

use crate::call::Call;
use crate::errors::{OrRaise, input_error, one_of};
use crate::lists::{Present, Source, Strings};
use crate::output::{array, result, sparse_pairs};
use crate::score::{Kind, Scorer};

/// All pairs within a distance, without comparing all pairs: rows, columns and distances.
///
/// The answer is that of `pairs`. It takes about as long as reading and sorting the strings where
/// few pairs are near, so it suits long lists and small distances.
///
/// Args:
///     strings: a list of sequences, as for `cdist`. Missing ones are in no pair.
///     other: another list; without it every two strings of `strings` are compared once,
///         row < column.
///     k: greatest distance.
///     by: a key for each string, such as a sample or a cell barcode: only strings with equal keys
///         are compared. Keys are integers, text or other hashable objects.
///     other_by: the keys of the strings of `other`, if there are both.
///     strand: "forward" for the strings as given, or "both" for the smaller distance of a string of
///         DNA and of its reverse complement.
///     scorer: "edit", "hamming" or "osa", or the function `distance` of one of these in rapidfuzz.
///     shard: (i, n) for the i-th of n parts, from 0, instead of all pairs: those with an n-th of the
///         strings of `other`, else of `strings`, of which alone there is an index. The parts, sorted
///         together by row and column, are the whole.
///     workers, device, progress: as for `cdist`. GPUs take `k` up to 15, of "osa" up to 7.
///
/// Returns:
///     A `SparsePairs`: three arrays `row`, `column` and `distance`, by row, then column. For both
///     strands a `StrandedPairs`, with an array `strand` behind them: 1, or -1 where the reverse
///     complement is nearer.
///
/// Examples:
///     >>> import swath
///     >>> near = swath.neighbors(["stream", "steam", "team", "stream"], k=1)
///     >>> list(zip(near.row.tolist(), near.column.tolist(), near.distance.tolist()))
///     [(0, 1, 1), (0, 3, 0), (1, 2, 1), (1, 3, 1)]
///     >>> swath.neighbors(["kitten", "tea"], ["mitten", "team"]).column
///     array([0, 1])
///     >>> swath.neighbors(["ACGT", "ACGT", "ACGA"], k=1, by=["cell 1", "cell 2", "cell 1"]).column
///     array([2])
///     >>> swath.neighbors(["AACG", "CGTT"], k=0, strand="both").strand
///     array([-1], dtype=int8)
#[pyfunction]
#[expect(clippy::too_many_arguments, reason = "keyword arguments of Python")]
#[pyo3(signature = (strings, other=None, k=2, *, by=None, other_by=None, strand="forward", scorer=None,
    shard=None, workers=None, device="auto", progress=None))]
pub fn neighbors<'py>(
    py: Python<'py>,
    strings: &Bound<'py, PyAny>,
    other: Option<&Bound<'py, PyAny>>,
    k: u64,
    by: Option<&Bound<'py, PyAny>>,
    other_by: Option<&Bound<'py, PyAny>>,
    strand: &str,
    scorer: Option<&Bound<'py, PyAny>>,
    shard: Option<(u64, u64)>,
    workers: Option<i64>,
    device: &str,
    progress: Option<Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    let both_strands = one_of(py, "strand", strand, &STRANDS)?;
    let call = Call::new(py, device, workers, progress)?;
    let source = Source::of("strings", strings)?;
    let other = other.map(|other| Source::of("other", other)).transpose()?;
    let first = source.strings(py)?;
    let second = other.as_ref().map(|other| other.strings(py)).transpose()?;
    if (by.is_some() && other.is_some()) != other_by.is_some() {
        let message = "two lists need keys for both; give by and other_by";
        return Err(input_error(py, message.to_string()));
    }
    let numbers = PyDict::new(py);
    let len = first.list.len();
    let by = groups(by, len, &first.missing, &numbers)?;
    let other_len = second.as_ref().map(|list| list.list.len());
    let missing = second.as_ref().map_or(&[][..], |list| &list.missing);
    let other_by = groups(other_by, other_len.unwrap_or(0), missing, &numbers)?;
    let (first, second) = Strings::unify(py, first, second)?;
    let (rows, first) = Present::of(first);
    let (columns, second) = second.map(Present::of).unzip();
    let mut query = Neighbors::of(first, second).or_raise(py)?;
    query.options.measure = distance(py, scorer)?;
    (query.options.within, query.options.shard) = (k, part(py, shard)?);
    query.options.groups = [by, other_by].map(|groups| groups.map(Cow::Owned));
    query.options.both_strands = both_strands;
    let columns = columns.as_ref().unwrap_or(&rows);
    let cells = rows.symbols * columns.symbols * (1 + u128::from(both_strands));
    let found = call.run(py, &query, cells)?;
    let shape = (len, other_len.unwrap_or(len));
    let positions: [&(dyn Fn(u32) -> i64 + Sync); 2] = [&|row| rows.position(row), &|column| {
        columns.position(column)
    }];
    sparse_pairs(
        py,
        call.place.threads(),
        shape,
        &found.neighbors,
        positions,
        both_strands,
    )
}

/// Measure of neighbours.
fn distance(py: Python<'_>, scorer: Option<&Bound<'_, PyAny>>) -> PyResult<Measure> {
    let measure = Scorer::new(py, scorer, None, Some(Kind::Distance), None)?.measure;
    if !matches!(measure, Measure::Edit | Measure::Hamming | Measure::Osa) {
        let message =
            format!("scorer: '{measure}' has no neighbors; take 'edit', 'hamming' or 'osa'");
        return Err(input_error(py, message));
    }
    Ok(measure)
}

/// Part of a call, and the number of parts.
///
/// # Errors
/// `InputError` for a part that does not exist.
pub fn part(py: Python<'_>, shard: Option<(u64, u64)>) -> PyResult<(u64, u64)> {
    let (part, parts) = shard.unwrap_or((0, 1));
    if part < parts {
        return Ok((part, parts));
    }
    let message = format!("shard is ({part}, {parts}); give (i, n) with i from 0 to n - 1");
    Err(input_error(py, message))
}

/// True if both strands are compared, by the argument `strand`.
const STRANDS: [(&str, bool); 2] = [("forward", false), ("both", true)];

/// Group of each string that is not missing, by keys that `numbers` has or gets.
///
/// # Errors
/// `InputError` for more or fewer keys than strings, `TypeError` for keys that are not hashable.
fn groups(
    by: Option<&Bound<'_, PyAny>>,
    strings: usize,
    missing: &[usize],
    numbers: &Bound<'_, PyDict>,
) -> PyResult<Option<Vec<u32>>> {
    let Some(by) = by else { return Ok(None) };
    let number = |key: PyResult<Bound<'_, PyAny>>| -> PyResult<u32> {
        let next = numbers.len();
        numbers.call_method1("setdefault", (key?, next))?.extract()
    };
    let groups: Vec<u32> = by.try_iter()?.map(number).collect::<PyResult<_>>()?;
    if groups.len() != strings {
        let message = format!(
            "there are {} keys and {strings} strings; give one key for each string",
            groups.len()
        );
        return Err(input_error(by.py(), message));
    }
    Ok(Some(present(groups, missing)))
}

/// The values of strings that are not missing.
fn present<T>(values: Vec<T>, missing: &[usize]) -> Vec<T> {
    if missing.is_empty() {
        return values;
    }
    let values = values.into_iter().enumerate();
    let is_present = |(index, _): &(usize, T)| missing.binary_search(index).is_err();
    values.filter(is_present).map(|(_, value)| value).collect()
}

/// Clusters of the strings of a list, from its neighbours within a distance.
///
/// Args:
///     strings: a list of sequences, as for `cdist`. Missing ones are in no cluster.
///     k: greatest distance of neighbours.
///     method: "components" for strings that a chain of neighbours connects; "directional" as
///         UMI-tools' method of this name, where a chain leads from a string to those that are at
///         most half as abundant (count >= 2 * other count - 1), from the most abundant string on.
///     counts: abundance of each string, 1 by default. Equal strings count together.
///     by, strand, scorer: as for `neighbors`. A string and its reverse complement are two strings.
///     workers, device, progress: as for `neighbors`.
///
/// Returns:
///     A `StringClusters`: the array `cluster` of the cluster of each string, numbered from 0 in
///     order of their first strings and -1 for missing strings, the array `representative` of the
///     most abundant string of each cluster, of equally abundant ones the first, and the array
///     `size` of the abundance of each cluster, the sum of those of its strings.
///
/// Examples:
///     >>> import swath
///     >>> umis = ["ACGT", "TTTT", "ACGG", "ACCG", "AACG"]
///     >>> swath.clusters(umis, 1).cluster
///     array([0, 1, 0, 0, 0])
///     >>> found = swath.clusters(umis, 1, method="directional", counts=[9, 1, 5, 2, 2])
///     >>> found.cluster, found.representative
///     (array([0, 1, 0, 0, 2]), array([0, 1, 4]))
///     >>> found.size
///     array([16,  1,  2], dtype=uint64)
#[pyfunction]
#[expect(clippy::too_many_arguments, reason = "keyword arguments of Python")]
#[pyo3(signature = (strings, k, *, method="components", counts=None, by=None, strand="forward",
    scorer=None, workers=None, device="auto", progress=None))]
pub fn clusters<'py>(
    py: Python<'py>,
    strings: &Bound<'py, PyAny>,
    k: u64,
    method: &str,
    counts: Option<Vec<u64>>,
    by: Option<&Bound<'py, PyAny>>,
    strand: &str,
    scorer: Option<&Bound<'py, PyAny>>,
    workers: Option<i64>,
    device: &str,
    progress: Option<Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    let methods = [("components", false), ("directional", true)];
    let is_directional = one_of(py, "method", method, &methods)?;
    let both_strands = one_of(py, "strand", strand, &STRANDS)?;
    let call = Call::new(py, device, workers, progress)?;
    let source = Source::of("strings", strings)?;
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
    let by = groups(by, count, &missing, &PyDict::new(py))?;
    let (list, _) = Strings::unify(py, list, None)?;
    let (strings, list) = Present::of(list);
    let mut query = Neighbors::of(list, None).or_raise(py)?;
    query.options.measure = distance(py, scorer)?;
    query.options.within = k;
    query.options.groups[0] = by.map(Cow::Owned);
    query.options.both_strands = both_strands;
    let mut query = query.clusters();
    query.options.counts = Some(present(counts, &missing).into());
    query.options.is_directional = is_directional;
    let cells = strings.symbols * strings.symbols * (1 + u128::from(both_strands));
    let found = call.run(py, &query, cells)?;
    let mut cluster = vec![-1i64; count];
    for (index, &of_string) in (0..).zip(&found.clusters) {
        cluster[strings.position(index) as usize] = of_string.into();
    }
    let of_clusters = found.representatives.iter();
    let representative: Vec<_> = of_clusters.map(|&index| strings.position(index)).collect();
    let arrays = (
        array(py, &cluster, &[count], "int64")?,
        array(py, &representative, &[representative.len()], "int64")?,
        array(py, &found.sizes, &[representative.len()], "uint64")?,
    );
    result(py, "StringClusters")?.call1(arrays)
}
