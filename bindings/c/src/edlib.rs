//! edlib's functions, for programs that link this library instead. `include/swath_edlib.h` declares
//! them.

use std::collections::HashMap;
use std::ffi::{c_char, c_int, c_uchar};
use std::sync::OnceLock;

use swath::edit_distance::{Alignment, Mode, Op};
use swath::query::edlib::{Located, Parts, Request};
use swath::query::{Pair, Symbols};
use swath::{Engine, Matching, Options};

use crate::arguments::{out_of_memory, slice};
use crate::status::{Failure, Result, SWATH_OK, guarded, invalid};

const STATUS_OK: c_int = 0;
const STATUS_ERROR: c_int = 1;

/// Steps of an alignment by number.
const OPS: [Op; 4] = [Op::Equal, Op::Insert, Op::Delete, Op::Substitute];

/// Two characters that are equal.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct EqualityPair {
    first: u8,
    second: u8,
}

/// Options of an alignment.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct AlignConfig {
    k: c_int,
    mode: c_int,
    task: c_int,
    equalities: *const EqualityPair,
    equalities_len: c_int,
}

/// Answer of an alignment. Its arrays are from `malloc`.
#[repr(C)]
pub struct AlignResult {
    status: c_int,
    edit_distance: c_int,
    end_locations: *mut c_int,
    start_locations: *mut c_int,
    num_locations: c_int,
    alignment: *mut c_uchar,
    alignment_len: c_int,
    alphabet_len: c_int,
}

impl AlignResult {
    fn new(status: c_int) -> Self {
        Self {
            status,
            edit_distance: -1,
            end_locations: std::ptr::null_mut(),
            start_locations: std::ptr::null_mut(),
            num_locations: 0,
            alignment: std::ptr::null_mut(),
            alignment_len: 0,
            alphabet_len: 0,
        }
    }

    /// Fills in the answer. Arrays that were allocated before an error stay, for the caller to free.
    fn fill(&mut self, located: &Located, pair: &Pair<'_>) -> Result<()> {
        let Some(distance) = located.distance else {
            return Ok(());
        };
        self.edit_distance = number(distance)?;
        self.num_locations = number(located.locations.len())?;
        let ends = located.locations.iter().map(|&(_, last)| number(last));
        self.end_locations = allocated(&ends.collect::<Result<Vec<_>>>()?)?;
        let starts = located.locations.iter().map(|&(start, _)| start);
        if let Some(starts) = starts.collect::<Option<Vec<_>>>() {
            let starts = starts.into_iter().map(number).collect::<Result<Vec<_>>>()?;
            self.start_locations = allocated(&starts)?;
        }
        if let Some(alignment) = &located.alignment {
            let steps = steps(alignment, pair)?;
            self.alignment_len = number(steps.len())?;
            self.alignment = allocated(&steps)?;
        }
        Ok(())
    }
}

fn number<T: TryInto<c_int>>(value: T) -> Result<c_int> {
    let too_large = |_| invalid("a value exceeds an int; align with the functions of swath.h");
    value.try_into().map_err(too_large)
}

/// A copy of values that C frees.
fn allocated<T: Copy>(values: &[T]) -> Result<*mut T> {
    let bytes = size_of_val(values);
    // SAFETY: there is at least one byte.
    let memory = unsafe { libc::malloc(bytes.max(1)) }.cast::<T>();
    if memory.is_null() {
        return Err(out_of_memory(bytes, "the result"));
    }
    // SAFETY: malloc aligns for all of these types; the memory is new and has `bytes` bytes.
    unsafe { memory.copy_from_nonoverlapping(values.as_ptr(), values.len()) };
    Ok(memory)
}

fn steps(alignment: &Alignment, pair: &Pair<'_>) -> Result<Vec<u8>> {
    let mut steps = Vec::new();
    for (op, count) in pair.ops(alignment)? {
        let step = OPS.iter().position(|&one| one == op).unwrap_or_default();
        steps.resize(steps.len() + count, step as u8);
    }
    Ok(steps)
}

/// Options with these values.
#[unsafe(no_mangle)]
pub extern "C" fn edlibNewAlignConfig(
    k: c_int,
    mode: c_int,
    task: c_int,
    equalities: *const EqualityPair,
    equalities_len: c_int,
) -> AlignConfig {
    AlignConfig {
        k,
        mode,
        task,
        equalities,
        equalities_len,
    }
}

/// The distance of whole sequences without a bound.
#[unsafe(no_mangle)]
pub extern "C" fn edlibDefaultAlignConfig() -> AlignConfig {
    edlibNewAlignConfig(-1, 0, 0, std::ptr::null(), 0)
}

/// Aligns two sequences.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn edlibAlign(
    query: *const c_char,
    query_len: c_int,
    target: *const c_char,
    target_len: c_int,
    config: AlignConfig,
) -> AlignResult {
    let mut result = AlignResult::new(STATUS_OK);
    let status = guarded(|| {
        let len = |len: c_int, name: &str| {
            let error = |_| invalid(format!("{name} is {len}; give the number of characters"));
            usize::try_from(len).map_err(error)
        };
        // SAFETY: the header says what the pointers have to be.
        let (query, target, equalities) = unsafe {
            (
                slice(query.cast::<u8>(), len(query_len, "queryLength")?, "query")?,
                slice(
                    target.cast::<u8>(),
                    len(target_len, "targetLength")?,
                    "target",
                )?,
                slice(
                    config.equalities,
                    len(config.equalities_len, "additionalEqualitiesLength")?,
                    "additionalEqualities",
                )?,
            )
        };
        let request = request(&config)?;
        result.alphabet_len = distinct(query, target);
        let pair = pair(query, target, equalities)?;
        if let Some(located) = request.without_engine(&pair) {
            return result.fill(&located, &pair);
        }
        let edit = request.query(pair);
        let report = engine()?.run(&edit)?;
        result.fill(&request.located(&edit.pair, report.answer), &edit.pair)
    });
    if status != SWATH_OK {
        result.status = STATUS_ERROR;
    }
    result
}

fn request(config: &AlignConfig) -> Result<Request> {
    let known = |name: &str, value: c_int| {
        invalid(format!(
            "{name} is {value}; give one of the constants of the header"
        ))
    };
    Ok(Request {
        mode: match config.mode {
            0 => Mode::Global,
            1 => Mode::Prefix,
            2 => Mode::Infix,
            other => return Err(known("mode", other)),
        },
        parts: match config.task {
            0 => Parts::Distance,
            1 => Parts::Locations,
            2 => Parts::Path,
            other => return Err(known("task", other)),
        },
        max_distance: u64::try_from(config.k).ok(),
    })
}

/// The engine of all alignments, which opens no device before one pays.
fn engine() -> Result<&'static Engine> {
    static ENGINE: OnceLock<Engine> = OnceLock::new();
    if let Some(engine) = ENGINE.get() {
        return Ok(engine);
    }
    let engine = Engine::new(Options::new())?;
    Ok(ENGINE.get_or_init(|| engine))
}

/// Number of distinct characters.
fn distinct(query: &[u8], target: &[u8]) -> c_int {
    let mut seen = [false; 256];
    for &byte in query.iter().chain(target) {
        seen[usize::from(byte)] = true;
    }
    seen.iter().map(|&seen| c_int::from(seen)).sum()
}

/// The sequences as bytes, of which equal ones are the same if the equalities are transitive, else
/// as letters.
fn pair<'a>(query: &'a [u8], target: &'a [u8], equalities: &[EqualityPair]) -> Result<Pair<'a>> {
    if equalities.is_empty() {
        return Ok(Pair::Bytes([query.into(), target.into()]));
    }
    if let Some(classes) = classes(equalities) {
        let mapped = |bytes: &[u8]| {
            bytes
                .iter()
                .map(|&byte| classes[usize::from(byte)])
                .collect()
        };
        return Ok(Pair::Bytes([mapped(query), mapped(target)]));
    }
    let mut matching = Matching::default();
    for pair in equalities {
        matching = matching.equal(pair.first, pair.second)?;
    }
    let letters = |bytes: &[u8]| Symbols::Letters(matching.letters(bytes).into());
    Ok(Pair::of_symbols(letters(query), letters(target))?)
}

/// Class of each byte; `None` unless the equalities are transitive.
fn classes(equalities: &[EqualityPair]) -> Option<[u8; 256]> {
    let mut neighbors: HashMap<u8, Vec<u8>> = HashMap::new();
    for pair in equalities {
        for (a, b) in [(pair.first, pair.second), (pair.second, pair.first)] {
            neighbors.entry(a).or_default().extend([a, b]);
        }
    }
    for group in neighbors.values_mut() {
        group.sort_unstable();
        group.dedup();
    }
    let is_class = |group: &Vec<u8>| group.iter().all(|byte| neighbors.get(byte) == Some(group));
    if !neighbors.values().all(is_class) {
        return None;
    }
    let mut classes = std::array::from_fn(|byte| byte as u8);
    for (&byte, group) in &neighbors {
        classes[usize::from(byte)] = group[0];
    }
    Some(classes)
}

/// The CIGAR of an alignment, from `malloc`; null for unknown steps or an unknown format.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn edlibAlignmentToCigar(
    alignment: *const c_uchar,
    alignment_len: c_int,
    format: c_int,
) -> *mut c_char {
    let mut text = std::ptr::null_mut();
    guarded(|| {
        let len = usize::try_from(alignment_len)
            .map_err(|_| invalid(format!("alignmentLength is {alignment_len}")))?;
        // SAFETY: the header says what the pointer has to be.
        let steps = unsafe { slice(alignment, len, "alignment") }?;
        let letter = |op: Op| match (format, op) {
            (0, Op::Equal | Op::Substitute) => Ok('M'),
            (0 | 1, op) => Ok(op.letter()),
            _ => Err(invalid(format!("cigarFormat is {format}; give 0 or 1"))),
        };
        let letters = steps.iter().map(|&step| {
            let op = OPS.get(usize::from(step));
            let unknown = || invalid(format!("a step is {step}; steps are 0 to 3"));
            letter(*op.ok_or_else(unknown)?)
        });
        let letters = letters.collect::<Result<Vec<char>, Failure>>()?;
        let runs = letters.chunk_by(|a, b| a == b);
        let mut cigar: String = runs.map(|run| format!("{}{}", run.len(), run[0])).collect();
        cigar.push('\0');
        text = allocated(cigar.as_bytes())?.cast();
        Ok(())
    });
    text
}

/// Frees the arrays of an answer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn edlibFreeAlignResult(result: AlignResult) {
    // SAFETY: they are null or from `malloc`, as the header says.
    unsafe {
        libc::free(result.end_locations.cast());
        libc::free(result.start_locations.cast());
        libc::free(result.alignment.cast());
    }
}
