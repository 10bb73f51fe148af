//! All places of patterns in texts.

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};
use swath::Matching;
use swath::edit_distance::Op;
use swath::query::{Search, StringList};
use swath::search::{Choice, Exact, PlaceList, Strands};

use crate::call::Call;
use crate::errors::{Named, OrRaise, input_error};
use crate::lists::{Present, Source, Strings};
use crate::output::{array_of, result, sign};

/// All places of patterns in texts within an edit distance.
///
/// A place is a piece of a text where the distance to a pattern has a local minimum of at most `k`,
/// so that each occurrence is one place. Pieces of equal distance with the same end are one, the
/// longest.
///
/// Args:
///     patterns: a list of sequences, as for `cdist`, each longer than `k`. Missing ones have no
///         places.
///     texts: the sequences that are searched. Missing ones have no places.
///     k: greatest distance.
///     strand: "forward" for the patterns as given, "reverse" for their reverse complements, or
///         "both". Positions are those of the texts as given.
///     all: "minima" for one place of each occurrence, "ends" for every end within `k`, "best" for
///         the minima of least distance of each pattern in each text.
///     max_substitutions, max_gaps: greatest numbers of substitutions, and of inserted and deleted
///         symbols, besides `k`.
///     hamming: only substitutions are edits, as with `max_gaps=0`.
///     overhang: lets patterns stick out of the ends of texts: the cost of a symbol outside, from
///         0.001 to 1; the sum of a side is rounded down.
///     exact_head, exact_tail: number of first, or last, symbols of each pattern that match without
///         an edit.
///     pam: letters of DNA that follow each place on the strand of the pattern, such as "NGG".
///     ambiguous: "iupac" lets N and the other IUPAC letters match what they stand for.
///     equal: pairs of ASCII characters that match each other.
///     ignore_case: ignores the case of letters.
///     cigar: also returns the alignments; symbols outside of the text are `S`.
///     workers, device, progress: as for `cdist`. Places are the same on every device.
///
/// Returns:
///     A `Places`: the arrays `pattern`, `text`, `start`, `end` (excluded), `strand` (1 or -1) and
///     `cost`, by text, start and end; and `cigar`, an array of CIGARs along the text with = and X,
///     or None.
///
/// Examples:
///     >>> import swath
///     >>> found = swath.search(["ACGTAC"], ["TTTACGAACTT", "GGTACGTGG"], k=1, strand="both")
///     >>> found.text, found.start, found.end
///     (array([0, 1]), array([3, 1]), array([9, 7]))
///     >>> found.strand, found.cost
///     (array([ 1, -1], dtype=int8), array([1, 0], dtype=uint32))
///     >>> swath.search(["needle"], ["a needel in a haystack"], k=2, cigar=True).cigar
///     array(['4=1I1='], dtype=object)
#[pyfunction]
#[pyo3(signature = (patterns, texts, k=4, *, strand="forward", all="minima", max_substitutions=None,
    max_gaps=None, hamming=false, overhang=None, exact_head=None, exact_tail=None, pam=None, ambiguous=None,
    equal=None, ignore_case=false, cigar=false, workers=None, device="auto", progress=None))]
#[expect(clippy::too_many_arguments, reason = "keyword arguments of Python")]
pub fn search<'py>(
    py: Python<'py>,
    patterns: &Bound<'py, PyAny>,
    texts: &Bound<'py, PyAny>,
    k: u64,
    strand: &str,
    all: &str,
    max_substitutions: Option<u64>,
    max_gaps: Option<u64>,
    hamming: bool,
    overhang: Option<f64>,
    exact_head: Option<usize>,
    exact_tail: Option<usize>,
    pam: Option<&str>,
    ambiguous: Option<&str>,
    equal: Option<Vec<(String, String)>>,
    ignore_case: bool,
    cigar: bool,
    workers: Option<i64>,
    device: &str,
    progress: Option<Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    let strands: Strands = strand.parse().or_raise(py).named(py, "strand")?;
    let choice: Choice = all.parse().or_raise(py).named(py, "all")?;
    let exact = match (exact_head, exact_tail) {
        (Some(_), Some(_)) => {
            let message = "exact_head and exact_tail exclude each other; give one of them";
            return Err(input_error(py, message.to_string()));
        }
        (Some(len), None) => Some(Exact::Head(len)),
        (None, len) => len.map(Exact::Tail),
    };
    let overhang = overhang.map(|cost| thousandths(py, cost)).transpose()?;
    let matching = matching(py, ambiguous, &equal.unwrap_or_default(), ignore_case)?;
    let call = Call::new(py, device, workers, progress)?;
    let (source, other) = (
        Source::of("patterns", patterns)?,
        Source::of("texts", texts)?,
    );
    let (mut patterns, mut texts) = (source.strings(py)?, other.strings(py)?);
    let of_letters = [
        ("ignore_case", ignore_case),
        ("strand", strands != Strands::Forward),
        ("pam", pam.is_some()),
        ("ambiguous and equal", matching.is_some()),
    ];
    let given = of_letters.into_iter().find(|&(_, is_given)| is_given);
    if let Some((option, _)) = given
        && !(patterns.are_text() && texts.are_text())
    {
        return Err(PyTypeError::new_err(format!(
            "{option}: only for text and bytes, and a list has other symbols; drop it"
        )));
    }
    if ignore_case {
        (patterns, texts) = (patterns.in_lower_case(), texts.in_lower_case());
    }
    let (patterns, texts) = Strings::unify(py, patterns, Some(texts))?;
    let (present, patterns) = Present::of(patterns);
    check_lens(py, &present, &patterns, k, exact)?;
    let Some(Strings { list: texts, .. }) = texts else {
        unreachable!("two lists stay two lists");
    };
    let cells = present.symbols
        * u128::from(texts.symbols())
        * if strands == Strands::Both { 2 } else { 1 };
    let mut query = Search::of(patterns, texts).or_raise(py)?;
    let options = &mut query.options;
    (options.within, options.strands, options.choice) = (k, strands, choice);
    (options.max_substitutions, options.alignments) = (max_substitutions, cigar);
    options.max_gaps = if hamming { Some(0) } else { max_gaps };
    options.overhang = overhang;
    options.exact = exact;
    options.motif = pam.unwrap_or_default().into();
    options.matching = matching.map(Box::new);
    let found = call.run(py, &query, cells)?;
    places(py, call.place.threads(), &present, &found.answer)
}

/// The cost of a symbol outside of a text in thousandths of an edit.
///
/// # Errors
/// `InputError` for one that costs nothing, or more than an edit.
fn thousandths(py: Python<'_>, cost: f64) -> PyResult<u32> {
    let rounded = (cost * 1000.0).round();
    if (1.0..=1000.0).contains(&rounded) {
        return Ok(rounded as u32);
    }
    let message = format!("overhang is {cost}; give a cost from 0.001 to 1, such as 0.5");
    Err(input_error(py, message))
}

/// Table of matching bytes; `None` if each byte matches only itself.
///
/// # Errors
/// `InputError` for unknown letters, and for pairs of anything but ASCII characters.
fn matching(
    py: Python<'_>,
    ambiguous: Option<&str>,
    equal: &[(String, String)],
    ignore_case: bool,
) -> PyResult<Option<Matching>> {
    let mut matching = match ambiguous {
        None if equal.is_empty() => return Ok(None),
        None => Matching::default(),
        Some("iupac") => Matching::iupac(),
        Some(other) => {
            let message = format!("unknown letters '{other}' for ambiguous; known: iupac");
            return Err(input_error(py, message));
        }
    };
    for (x, y) in equal {
        let (&[x], &[y]) = (x.as_bytes(), y.as_bytes()) else {
            let message = format!(
                "equal has the pair ('{x}', '{y}'); give pairs of ASCII characters, as in [('U', 'T')]"
            );
            return Err(input_error(py, message));
        };
        // Compared letters are in lower case then.
        let case = |byte: u8| {
            if ignore_case {
                byte.to_ascii_lowercase()
            } else {
                byte
            }
        };
        matching = matching.equal(case(x), case(y)).or_raise(py)?;
    }
    Ok(Some(matching))
}

/// # Errors
/// `InputError` for a pattern that every text has within `k`.
fn check_lens(
    py: Python<'_>,
    present: &Present,
    patterns: &StringList<'_>,
    k: u64,
    exact: Option<Exact>,
) -> PyResult<()> {
    let exact = match exact {
        Some(Exact::Head(len) | Exact::Tail(len)) => len,
        None => 0,
    };
    let lens = (0..).zip((0..patterns.len()).map(|index| patterns.len_of(index)));
    for (index, len) in lens {
        let position = present.position(index);
        if len < exact {
            let message = format!(
                "patterns[{position}] has {len} symbols, and {exact} of them have to be exact; lower exact_head or exact_tail"
            );
            return Err(input_error(py, message));
        }
        if (len - exact) as u64 <= k {
            let message = format!(
                "patterns[{position}] has {} symbols that may have edits, so that every text has it within {k}; lower k, or leave it out",
                len - exact
            );
            return Err(input_error(py, message));
        }
    }
    Ok(())
}

/// A `Places` of Python.
fn places<'py>(
    py: Python<'py>,
    threads: usize,
    patterns: &Present,
    found: &PlaceList,
) -> PyResult<Bound<'py, PyAny>> {
    let cigars = found.alignments.as_ref().map(|all| {
        let rows = found.places.iter().zip(all);
        let cigars = PyList::new(
            py,
            rows.map(|(place, ops)| {
                Op::clipped(ops, [place.before, place.after].map(|count| count as usize))
            }),
        )?;
        let options = PyDict::new(py);
        options.set_item("dtype", "object")?;
        py.import("numpy")?
            .call_method("array", (cigars,), Some(&options))
    });
    let all = &found.places;
    let columns = (
        array_of(py, threads, all, "int64", |place| {
            patterns.position(place.pattern)
        })?,
        array_of(py, threads, all, "int64", |place| i64::from(place.text))?,
        array_of(py, threads, all, "int64", |place| place.start as i64)?,
        array_of(py, threads, all, "int64", |place| place.end as i64)?,
        array_of(py, threads, all, "int8", |place| sign(place.strand))?,
        array_of(py, threads, all, "uint32", |place| place.cost)?,
        cigars.transpose()?,
    );
    result(py, "Places")?.call1(columns)
}
