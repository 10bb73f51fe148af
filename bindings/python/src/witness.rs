//! Answers with a witness: common subsequence, alignment, supersequence, substring, tree.

use std::fmt::Display;

use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyIterator, PyList, PySlice, PyString, PyTuple, PyType};
use swath::edit_distance::{Gaps, Mode};
use swath::parenthesization::{MatrixChain, Step, Tree};
use swath::query::{Edit, Lcs, Scs, Substring, Symbols};
use swath::{Block, Parenthesize, Run};

use crate::call::Call;
use crate::errors::{Named, OrRaise, input_error};
use crate::output::{array, result};
use crate::symbols::{Sequence, pair, symbols};

/// Class of a witness or another record: its attributes, a text that shows some of them, comparison
/// and pickling.
macro_rules! witness {
    (
        $(#[doc = $text:literal])*
        $class:ident($($shown:ident),*) {
            $($(#[doc = $of_field:literal])* $field:ident: $type:ty,)*
        }
        $($methods:tt)*
    ) => {
        $(#[doc = $text])*
        #[pyclass(frozen, module = "swath", get_all)]
        pub struct $class {
            $($(#[doc = $of_field])* $field: $type,)*
        }

        #[pymethods]
        impl $class {
            #[new]
            #[allow(clippy::too_many_arguments, reason = "one for each attribute")]
            fn new($($field: $type),*) -> Self {
                Self { $($field),* }
            }

            fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyType>, Bound<'py, PyTuple>)> {
                let attributes = [$(slf.getattr(stringify!($field))?),*];
                Ok((slf.get_type(), PyTuple::new(slf.py(), attributes)?))
            }

            /// Equal in all but the record of the call.
            fn __eq__(slf: &Bound<'_, Self>, other: &Bound<'_, Self>) -> PyResult<bool> {
                let equal = $crate::output::result(slf.py(), "equal")?;
                for name in [$(stringify!($field)),*] {
                    let values = (slf.getattr(name)?, other.getattr(name)?);
                    if name != "run" && !equal.call1(values)?.is_truthy()? {
                        return Ok(false);
                    }
                }
                Ok(true)
            }

            fn __repr__(slf: &Bound<'_, Self>) -> PyResult<String> {
                let shown = [$((stringify!($shown), slf.getattr(stringify!($shown))?.repr()?)),*];
                let shown = shown.map(|(name, value)| format!("{name}={}", $crate::witness::shortened(value.to_string())));
                Ok(format!("{}({})", stringify!($class), shown.join(", ")))
            }

            $($methods)*
        }
    };
}

pub(crate) use witness;

/// Start and end of a long text, of at most 60 characters.
pub fn shortened(text: String) -> String {
    const HALF: usize = 28;
    let letters: Vec<char> = text.chars().collect();
    if letters.len() <= 2 * HALF + 3 {
        return text;
    }
    let [start, end] = [&letters[..HALF], &letters[letters.len() - HALF..]].map(String::from_iter);
    format!("{start}...{end}")
}

/// Dot plot of runs of paired symbols as SVG.
fn dot_plot<'py>(py: Python<'py>, blocks: &Py<PyAny>) -> PyResult<Bound<'py, PyAny>> {
    result(py, "dot_plot")?.call1((blocks,))
}

/// Device, method and time of a call.
fn run_record<'py>(py: Python<'py>, run: &Run) -> PyResult<Bound<'py, PyDict>> {
    let record = PyDict::new(py);
    record.set_item("method", run.method)?;
    record.set_item("device", &run.device)?;
    record.set_item("seconds", run.elapsed.as_secs_f64())?;
    record.set_item("cells", run.cells)?;
    Ok(record)
}

fn blocks_array<'py>(py: Python<'py>, blocks: &[Block]) -> PyResult<Bound<'py, PyAny>> {
    triples(py, blocks.iter().map(|block| [block.a, block.b, block.len]))
}

/// Array of shape (n, 3).
fn triples<'py>(
    py: Python<'py>,
    rows: impl Iterator<Item = [usize; 3]>,
) -> PyResult<Bound<'py, PyAny>> {
    let numbers: Vec<i64> = rows.flatten().map(|number| number as i64).collect();
    array(py, &numbers, &[numbers.len() / 3, 3], "int64")
}

/// An object that can be indexed: itself, or a list of its items.
fn indexable<'py>(object: &Bound<'py, PyAny>, name: impl Display) -> PyResult<Bound<'py, PyAny>> {
    if object.hasattr("__getitem__")? {
        return Ok(object.clone());
    }
    let items = object.try_iter().named(object.py(), name)?;
    Ok(PyList::new(object.py(), items.collect::<PyResult<Vec<_>>>()?)?.into_any())
}

/// The arguments `inputs`, each one [`indexable`].
fn indexables<'py>(inputs: &Bound<'py, PyTuple>) -> PyResult<Vec<Bound<'py, PyAny>>> {
    let inputs = inputs.iter().enumerate();
    let indexable = |(index, input)| indexable(&input, format_args!("inputs[{index}]"));
    inputs.map(indexable).collect()
}

/// Symbols of the arguments `inputs`.
fn read_all<'a>(py: Python<'_>, inputs: &'a [Bound<'_, PyAny>]) -> PyResult<Vec<Symbols<'a>>> {
    let read = |(index, input)| Sequence::read(input).named(py, format_args!("inputs[{index}]"));
    let sequences = inputs.iter().enumerate().map(read);
    symbols(py, sequences.collect::<PyResult<_>>()?)
}

/// Parts of sequences, joined: a `str` of strings, `bytes` of bytes, else a list.
fn joined<'py>(
    py: Python<'py>,
    parts: impl Iterator<Item = (Bound<'py, PyAny>, usize, usize)>,
) -> PyResult<Bound<'py, PyAny>> {
    let parts: Vec<Bound<'py, PyAny>> = parts
        .map(|(sequence, start, len)| {
            sequence.get_item(PySlice::new(py, start as isize, (start + len) as isize, 1))
        })
        .collect::<PyResult<_>>()?;
    if !parts.is_empty() && parts.iter().all(|part| part.is_instance_of::<PyString>()) {
        return PyString::new(py, "").call_method1("join", (parts,));
    }
    if !parts.is_empty() && parts.iter().all(|part| part.is_instance_of::<PyBytes>()) {
        return PyBytes::new(py, b"").call_method1("join", (parts,));
    }
    let list = PyList::empty(py);
    for part in parts {
        list.call_method1("extend", (part,))?;
    }
    Ok(list.into_any())
}

/// Cells of sequences with this many symbols.
fn cells(symbols: usize) -> u128 {
    (symbols as u128).pow(2) / 4
}

witness! {
    /// Longest common subsequence, returned by `lcs`.
    CommonSubsequence(length, symbols) {
        /// Number of symbols.
        length: u64,
        /// Array of shape (n, 3): runs of paired symbols, as position in `a`, position in `b`, length.
        blocks: Py<PyAny>,
        /// The subsequence: `str`, `bytes` or a list, as `a` is.
        symbols: Py<PyAny>,
        /// Method, device, seconds and cells of the call.
        run: Py<PyDict>,
    }

    fn _repr_svg_<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        dot_plot(py, &self.blocks)
    }
}

/// Longest common subsequence of two sequences, checked against both.
///
/// Args:
///     a, b: sequences, as for `distance`.
///     device, workers, progress: as for `cdist`.
///
/// Examples:
///     >>> import swath
///     >>> found = swath.lcs("nematode knowledge", "empty bottle")
///     >>> found.length, found.symbols
///     (7, 'emt ole')
///     >>> found.blocks[0]
///     array([1, 0, 2])
#[pyfunction]
#[pyo3(signature = (a, b, *, device="auto", workers=None, progress=None))]
pub fn lcs<'py>(
    py: Python<'py>,
    a: &Bound<'py, PyAny>,
    b: &Bound<'py, PyAny>,
    device: &str,
    workers: Option<i64>,
    progress: Option<Bound<'py, PyAny>>,
) -> PyResult<CommonSubsequence> {
    let call = Call::new(py, device, workers, progress)?;
    let (a, b) = (indexable(a, "a")?, indexable(b, "b")?);
    let pair = pair(&a, &b, ["a", "b"])?;
    let cells = cells(pair.lens().iter().sum());
    let mut query = Lcs::from(pair);
    query.options.path = true;
    let report = call.run(py, &query, cells)?;
    let blocks = report
        .subsequence
        .as_ref()
        .map_or(&[][..], |found| found.blocks());
    let parts = blocks.iter().map(|block| (block.a, block.len));
    Ok(CommonSubsequence {
        length: report.length,
        blocks: blocks_array(py, blocks)?.unbind(),
        symbols: pieces(py, &a, parts)?.unbind(),
        run: run_record(py, &report.run)?.unbind(),
    })
}

/// Pieces of one sequence, joined.
fn pieces<'py>(
    py: Python<'py>,
    sequence: &Bound<'py, PyAny>,
    pieces: impl Iterator<Item = (usize, usize)>,
) -> PyResult<Bound<'py, PyAny>> {
    // An empty piece gives the type where there are no others.
    let pieces = std::iter::once((0, 0)).chain(pieces);
    joined(
        py,
        pieces.map(|(start, len)| (sequence.clone(), start, len)),
    )
}

witness! {
    /// Alignment of two sequences, returned by `edit`.
    Alignment(distance, cigar) {
        /// Edit distance; None if it exceeds `k`.
        distance: Option<u64>,
        /// Pieces of the target at this distance, as (start, end), by increasing end.
        locations: Vec<(usize, usize)>,
        /// CIGAR of the first of them with `=` and `X`; None if the distance exceeds `k`.
        cigar: Option<String>,
        /// Array of shape (n, 3): runs of paired symbols, which may differ, as position in `a`, position
        /// in `b`, length.
        blocks: Py<PyAny>,
        /// Method, device, seconds and cells of the call.
        run: Py<PyDict>,
    }

    fn _repr_svg_<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        dot_plot(py, &self.blocks)
    }

    /// Runs of the alignment as in `Opcodes.as_list` of rapidfuzz: "equal", "replace", "insert" or
    /// "delete", start and end in `a`, start and end in `b`. None if the distance exceeds `k`.
    fn opcodes(&self) -> Option<Vec<Opcode>> {
        let cigar = self.cigar.as_ref()?;
        let (mut row, mut col) = (0, self.locations.first().map_or(0, |location| location.0));
        let mut runs = Vec::new();
        for run in cigar.split_inclusive(|letter: char| !letter.is_ascii_digit()) {
            let (len, letter) = run.split_at(run.len() - 1);
            let len: usize = len.parse().ok()?;
            let (tag, rows, cols) = match letter {
                "=" => ("equal", len, len),
                "X" => ("replace", len, len),
                "I" => ("delete", len, 0),
                _ => ("insert", 0, len),
            };
            runs.push((tag, row, row + rows, col, col + cols));
            (row, col) = (row + rows, col + cols);
        }
        Some(runs)
    }

    /// Operations that turn `a` into `b` as in `Editops.as_list` of rapidfuzz: "replace", "insert" or
    /// "delete", position in `a`, position in `b`. None if the distance exceeds `k`.
    fn editops(&self) -> Option<Vec<Editop>> {
        let runs = self.opcodes()?.into_iter().filter(|run| run.0 != "equal");
        let operations = runs.flat_map(|(tag, row, row_end, col, col_end)| {
            let (rows, cols) = (row_end - row, col_end - col);
            (0..rows.max(cols)).map(move |step| (tag, row + step.min(rows), col + step.min(cols)))
        });
        Some(operations.collect())
    }
}

/// Tag, start and end in `a`, start and end in `b`.
type Opcode = (&'static str, usize, usize, usize, usize);
/// Tag, position in `a`, position in `b`.
type Editop = (&'static str, usize, usize);

/// Edit distance with its alignment, checked against both sequences.
///
/// Args:
///     a, b: query and target, sequences as for `distance`.
///     mode: "global", "prefix" (of the target), or "infix" (a piece of the target). Of the places
///         of an empty query only the first is returned, the start of the target.
///     k: greatest distance of interest.
///     gaps: "left" or "right" moves gaps that have several places.
///     device, workers, progress: as for `cdist`.
///
/// Examples:
///     >>> import swath
///     >>> swath.edit("kitten", "sitting")
///     Alignment(distance=3, cigar='1X3=1X1=1D')
///     >>> swath.edit("kitten", "sitting").editops()
///     [('replace', 0, 0), ('replace', 4, 4), ('insert', 6, 6)]
///     >>> found = swath.edit("ACGT", "TTTACCTTTT", mode="infix")
///     >>> found.distance, found.locations, found.cigar
///     (1, [(3, 7)], '2=1X1=')
#[pyfunction]
#[pyo3(signature = (a, b, *, mode="global", k=None, gaps=None, device="auto", workers=None,
    progress=None))]
#[expect(clippy::too_many_arguments, reason = "keyword arguments of Python")]
pub fn edit<'py>(
    py: Python<'py>,
    a: &Bound<'py, PyAny>,
    b: &Bound<'py, PyAny>,
    mode: &str,
    k: Option<u64>,
    gaps: Option<&str>,
    device: &str,
    workers: Option<i64>,
    progress: Option<Bound<'py, PyAny>>,
) -> PyResult<Alignment> {
    let call = Call::new(py, device, workers, progress)?;
    let mode: Mode = mode.parse().or_raise(py).named(py, "mode")?;
    let gaps = gaps.map(str::parse::<Gaps>).transpose();
    let gaps = gaps.or_raise(py).named(py, "gaps")?;
    let (a, b) = (indexable(a, "a")?, indexable(b, "b")?);
    let pair = pair(&a, &b, ["a", "b"])?;
    let [rows, cols] = pair.lens();
    let mode = match mode {
        // An empty query is everywhere; the first of its places is that of a prefix.
        Mode::Infix if rows == 0 => Mode::Prefix,
        mode => mode,
    };
    let mut query = Edit::from(pair);
    (query.options.mode, query.options.max_distance) = (mode, k);
    (query.options.path, query.options.starts) = (true, true);
    query.options.gaps = gaps;
    let report = call.run(py, &query, cells(rows + cols))?;
    let distance = report.distance.exactly();
    let locations = match mode {
        Mode::Global => distance.map(|_| (0, cols)).into_iter().collect(),
        _ => report
            .pieces
            .iter()
            .map(|piece| (piece.start.unwrap_or(0), piece.end))
            .collect(),
    };
    let alignment = report.alignment.as_ref();
    let cigar = alignment.map(|found| query.pair.cigar_extended(found));
    Ok(Alignment {
        distance,
        locations,
        cigar: cigar.transpose().or_raise(py)?,
        blocks: blocks_array(py, alignment.map_or(&[], |found| found.blocks()))?.unbind(),
        run: run_record(py, &report.run)?.unbind(),
    })
}

witness! {
    /// Shortest common supersequence, returned by `scs`.
    CommonSupersequence(length, symbols) {
        /// Number of symbols; the least possible if `exact`.
        length: u64,
        /// Lower bound of the length of every common supersequence.
        lower_bound: u64,
        /// True if the length is proven to be the least: always for two inputs.
        exact: bool,
        /// The supersequence: `str`, `bytes` or a list, as the inputs are.
        symbols: Py<PyAny>,
        /// For each input an array of shape (n, 3): runs of its symbols, as position in the input,
        /// position in the supersequence, length.
        embeddings: Py<PyList>,
        /// Method, device, seconds and cells of the call.
        run: Py<PyDict>,
    }
}

/// Shortest common supersequence of two or more sequences, checked against all of them.
///
/// Of more than two sequences it is the shortest one only if `exact`.
///
/// Args:
///     inputs: sequences, as for `distance`.
///     device, workers, progress: as for `cdist`.
///
/// Examples:
///     >>> import swath
///     >>> swath.scs("cab", "abac")
///     CommonSupersequence(length=5, symbols='cabac')
///     >>> swath.scs("cab", "abac", "bca").exact
///     True
#[pyfunction]
#[pyo3(signature = (*inputs, device="auto", workers=None, progress=None))]
pub fn scs<'py>(
    py: Python<'py>,
    inputs: &Bound<'py, PyTuple>,
    device: &str,
    workers: Option<i64>,
    progress: Option<Bound<'py, PyAny>>,
) -> PyResult<CommonSupersequence> {
    let call = Call::new(py, device, workers, progress)?;
    let inputs = indexables(inputs)?;
    let sequences = read_all(py, &inputs)?;
    let cells = cells(sequences.iter().map(|sequence| sequence.len()).sum());
    let mut query = Scs::of(sequences).or_raise(py)?;
    query.options.path = true;
    let report = call.run(py, &query, cells)?;
    let embeddings = report
        .supersequence
        .as_ref()
        .map_or(&[][..], |found| found.embeddings());
    let arrays = PyList::empty(py);
    // Each position once, from the first input that has it.
    let mut sources = vec![None; report.length as usize];
    for (input, runs) in embeddings.iter().enumerate() {
        let rows = runs.iter().map(|run| [run.input, run.at, run.len]);
        arrays.append(triples(py, rows)?)?;
        for run in runs {
            for step in 0..run.len {
                sources[run.at + step].get_or_insert((input, run.input + step));
            }
        }
    }
    let mut parts: Vec<(usize, usize, usize)> = Vec::new();
    for (input, position) in sources.into_iter().flatten() {
        match parts.last_mut() {
            Some((last, start, len)) if *last == input && *start + *len == position => *len += 1,
            _ => parts.push((input, position, 1)),
        }
    }
    let empty = inputs.first().map(|input| (input.clone(), 0, 0));
    let parts = parts
        .into_iter()
        .map(|(input, start, len)| (inputs[input].clone(), start, len));
    Ok(CommonSupersequence {
        length: report.length,
        lower_bound: report.lower_bound,
        exact: report.exact,
        symbols: joined(py, empty.into_iter().chain(parts))?.unbind(),
        embeddings: arrays.unbind(),
        run: run_record(py, &report.run)?.unbind(),
    })
}

witness! {
    /// Longest common substrings, returned by `substring`.
    CommonSubstring(length, substrings) {
        /// Number of symbols.
        length: usize,
        /// All substrings of this length, in the order of their first places.
        substrings: Py<PyList>,
        /// For each substring all its places, as (input, start).
        places: Vec<Vec<(usize, usize)>>,
        /// Method, device, seconds and cells of the call.
        run: Py<PyDict>,
    }
}

/// Longest common substrings (runs of consecutive symbols) of two or more sequences.
///
/// Args:
///     inputs: sequences, as for `distance`.
///     in_at_least: number of inputs that have to contain it; all of them by default.
///     device, workers, progress: as for `cdist`.
///
/// Examples:
///     >>> import swath
///     >>> found = swath.substring("xxABCyyABC", "zABCz")
///     >>> found.length, found.substrings, found.places
///     (3, ['ABC'], [[(0, 2), (0, 7), (1, 1)]])
#[pyfunction]
#[pyo3(signature = (*inputs, in_at_least=None, device="auto", workers=None, progress=None))]
pub fn substring<'py>(
    py: Python<'py>,
    inputs: &Bound<'py, PyTuple>,
    in_at_least: Option<u64>,
    device: &str,
    workers: Option<i64>,
    progress: Option<Bound<'py, PyAny>>,
) -> PyResult<CommonSubstring> {
    let call = Call::new(py, device, workers, progress)?;
    let inputs = indexables(inputs)?;
    let sequences = read_all(py, &inputs)?;
    let count: usize = sequences.iter().map(|sequence| sequence.len()).sum();
    let texts = sequences.into_iter().map(|sequence| vec![sequence]);
    let mut query = Substring::of(texts.collect()).or_raise(py)?;
    query.options.inputs = in_at_least;
    // Linear work, some steps for each symbol.
    let report = call.run(py, &query, 64 * count as u128);
    let report = match in_at_least {
        Some(_) => report.named(py, "in_at_least")?,
        None => report?,
    };
    let substrings = PyList::empty(py);
    let mut places = Vec::new();
    for found in &report.substrings {
        let Some(first) = found.places.first() else {
            continue;
        };
        let part = (first.start, report.length);
        substrings.append(pieces(py, &inputs[first.input], std::iter::once(part))?)?;
        let all = found.places.iter();
        places.push(all.map(|place| (place.input, place.start)).collect());
    }
    Ok(CommonSubstring {
        length: report.length,
        substrings: substrings.unbind(),
        places,
        run: run_record(py, &report.run)?.unbind(),
    })
}

witness! {
    /// Optimal order of the products of a chain of matrices, returned by `matrix_chain`.
    MatrixChainOrder(cost, order) {
        /// Least number of scalar multiplications.
        cost: u64,
        /// Multiplications from left to right; None if they exceed 64 bits.
        in_order: Option<u64>,
        /// The order, as a string of the numbers of the matrices from 0, such as "((0 1) 2)".
        order: String,
        /// Array of shape (n, 3): products in preorder, as first matrix, first matrix of the right
        /// factor, and end.
        splits: Py<PyAny>,
        /// Method, device, seconds and cells of the call.
        run: Py<PyDict>,
    }
}

/// The tree as text.
fn order(tree: &Tree) -> String {
    let mut text = String::new();
    let _ = tree.walk(|step| {
        match step {
            Step::Open(_) => text.push('('),
            Step::Between(_) => text.push(' '),
            Step::Leaf(leaf) => text.push_str(&leaf.to_string()),
            Step::Close(_) => text.push(')'),
        }
        Ok::<(), std::convert::Infallible>(())
    });
    text
}

/// Cheapest order to multiply a chain of matrices.
///
/// Args:
///     dims: the dimensions, three or more, each at least 1: matrix i has dims[i] rows and
///         dims[i + 1] columns.
///     device, workers, progress: as for `cdist`.
///
/// Examples:
///     >>> import swath
///     >>> swath.matrix_chain([10, 100, 5, 50])
///     MatrixChainOrder(cost=7500, order='((0 1) 2)')
#[pyfunction]
#[pyo3(signature = (dims, *, device="auto", workers=None, progress=None))]
pub fn matrix_chain<'py>(
    py: Python<'py>,
    dims: &Bound<'py, PyAny>,
    device: &str,
    workers: Option<i64>,
    progress: Option<Bound<'py, PyAny>>,
) -> PyResult<MatrixChainOrder> {
    let call = Call::new(py, device, workers, progress)?;
    let read = |dims: Bound<'py, PyIterator>| dims.map(|dimension| dimension?.extract()).collect();
    let dims: Vec<u64> = dims.try_iter().and_then(read).named(py, "dims")?;
    if dims.len() < 3 {
        let message = format!(
            "dims has {} of the three or more dimensions of a chain: two matrices or more",
            dims.len()
        );
        return Err(input_error(py, message));
    }
    if let Some(index) = dims.iter().position(|&dimension| dimension == 0) {
        let message = format!("dims[{index}] is 0; every dimension is at least 1");
        return Err(input_error(py, message));
    }
    let cells = (dims.len() as u128).pow(2);
    let report = call.run(py, &Parenthesize::of(MatrixChain::new(dims)), cells)?;
    let rows = report.tree.nodes().iter().map(|node| {
        let split = node.split.unwrap_or(node.start);
        [node.start, split, node.end]
    });
    Ok(MatrixChainOrder {
        cost: report.cost,
        in_order: report.in_order,
        order: order(&report.tree),
        splits: triples(py, rows)?.unbind(),
        run: run_record(py, &report.run)?.unbind(),
    })
}
