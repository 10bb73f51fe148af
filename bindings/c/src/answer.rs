//! Answers: numbers, texts and symbols of them. Arrays are in [`crate::arrays`].

use std::ffi::{CString, c_char, c_void};
use std::sync::{Arc, OnceLock};

use swath::Report;
use swath::edit_distance::{Distance, Op};
use swath::query::{Answer as Found, Query as Task, Symbols};

use crate::arguments::{Output, SWATH_BYTES, SWATH_NUMBERS, SizedOutput, borrowed, extensible};
use crate::arrays::Arrays;
use crate::query::Problem;
use crate::run::{Kept, PairValue, json};
use crate::status::{Failure, Result, Status, c_text, freed, guarded, no_part};

/// An answer, with its parts and the record of its call. Any number of threads may read it.
pub struct Answer {
    pub(crate) report: Report<Found>,
    problem: Arc<Problem>,
    pub(crate) kept: Option<Vec<PairValue>>,
    pub(crate) arrays: Arrays,
    symbols: OnceLock<Symbols<'static>>,
    cigar: OnceLock<CString>,
    cigars: OnceLock<Vec<CString>>,
    json: OnceLock<CString>,
    method: CString,
    device: CString,
}

/// The record of a call. The texts belong to the answer.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct RunRecord {
    /// `sizeof(swath_run_record)`.
    pub size: usize,
    /// The method that answered, never "auto".
    pub method: *const c_char,
    /// The device that answered.
    pub device: *const c_char,
    /// Time of the call in seconds.
    pub seconds: f64,
    /// Size of the problem, such as the cells of the whole table.
    pub cells: f64,
}

extensible!(RunRecord, "swath_run_record");

/// The value of a cell, computed once.
pub fn cached<T>(cell: &OnceLock<T>, make: impl FnOnce() -> Result<T>) -> Result<&T> {
    if let Some(value) = cell.get() {
        return Ok(value);
    }
    let value = make()?;
    Ok(cell.get_or_init(|| value))
}

/// The error of a part that has to be asked for.
pub fn not_asked(part: &str, flag: &str) -> Failure {
    no_part(format!(
        "the answer has no {part}: they were not asked for; set {flag} in the options of the query"
    ))
}

impl Answer {
    pub fn new(report: Report<Found>, problem: Arc<Problem>, kept: Option<Kept>) -> Result<Self> {
        Ok(Self {
            method: c_text(report.run.method),
            device: c_text(&report.run.device),
            kept: kept.map(|kept| kept.take()).transpose()?,
            report,
            problem,
            arrays: Arrays::default(),
            symbols: OnceLock::new(),
            cigar: OnceLock::new(),
            cigars: OnceLock::new(),
            json: OnceLock::new(),
        })
    }

    /// Name of the problem.
    fn problem(&self) -> &'static str {
        match &self.report.answer {
            Found::Edit(_) => "edit",
            Found::Lcs(_) => "lcs",
            Found::Scs(_) => "scs",
            Found::Substring(_) => "substring",
            Found::Matches(_) => "matches",
            Found::Pairs(_) | Found::ForEachKept(_) => "pairs",
            Found::Neighbors(_) => "neighbors",
            Found::Clusters(_) => "clusters",
            Found::Search(_) => "search",
            Found::MatrixChain(_) => "matrix chain",
            Found::RnaFold(_) => "rna fold",
            _ => "another problem",
        }
    }

    /// The error of a part that answers of this problem never have.
    pub(crate) fn lacks(&self, part: &str) -> Failure {
        no_part(format!(
            "an answer of the problem '{}' has no {part}; read the parts that the function of its \
             query names",
            self.problem()
        ))
    }

    fn task(&self) -> Option<&Task<'static>> {
        match &*self.problem {
            Problem::Task(task) => Some(task),
            Problem::Kept(_) => None,
        }
    }

    fn distance(&self) -> Result<u64> {
        let Found::Edit(found) = &self.report.answer else {
            return Err(self.lacks("distance"));
        };
        match found.distance {
            Distance::Exactly(distance) => Ok(distance),
            Distance::MoreThan(bound) => Err(no_part(format!(
                "the distance is more than the bound {bound}; raise max_distance to compute it"
            ))),
        }
    }

    fn length(&self) -> Result<u64> {
        Ok(match &self.report.answer {
            Found::Lcs(found) => found.length,
            Found::Scs(found) => found.length,
            Found::Substring(found) => found.length as u64,
            _ => return Err(self.lacks("length")),
        })
    }

    fn cost(&self) -> Result<u64> {
        match &self.report.answer {
            Found::MatrixChain(found) | Found::RnaFold(found) => Ok(found.cost),
            _ => Err(self.lacks("cost")),
        }
    }

    fn cigar(&self) -> Result<&CString> {
        let (Found::Edit(found), Some(Task::Edit(query))) = (&self.report.answer, self.task())
        else {
            return Err(self.lacks("CIGAR"));
        };
        let Some(alignment) = &found.alignment else {
            self.distance()?;
            return Err(not_asked("alignments", "SWATH_PATH"));
        };
        let text = || Ok(c_text(&query.pair.cigar_extended(alignment)?));
        cached(&self.cigar, text)
    }

    fn place_cigars(&self) -> Result<&[CString]> {
        let Found::Search(found) = &self.report.answer else {
            return Err(self.lacks("places"));
        };
        let Some(alignments) = &found.alignments else {
            return Err(not_asked("alignments", "SWATH_ALIGNMENTS"));
        };
        let cigars = || {
            let places = found.places.iter().zip(alignments);
            let cigar = places.map(|(place, ops)| {
                let outside = [place.before, place.after].map(|symbols| symbols as usize);
                c_text(&Op::clipped(ops, outside))
            });
            Ok(cigar.collect())
        };
        cached(&self.cigars, cigars).map(Vec::as_slice)
    }

    fn symbols(&self) -> Result<&Symbols<'static>> {
        let symbols = || match (&self.report.answer, self.task()) {
            (Found::Lcs(found), Some(Task::Lcs(query))) => {
                let path = found.subsequence.as_ref();
                let path = path.ok_or_else(|| not_asked("symbols", "SWATH_PATH"))?;
                Ok(query.symbols(path)?)
            }
            (Found::Scs(found), Some(Task::Scs(query))) => {
                let path = found.supersequence.as_ref();
                let path = path.ok_or_else(|| not_asked("symbols", "SWATH_PATH"))?;
                Ok(query.symbols(path)?)
            }
            _ => Err(self.lacks("symbols")),
        };
        cached(&self.symbols, symbols)
    }
}

/// Evaluates a part of an answer and writes it to the caller's variable.
///
/// # Safety
/// The pointers are as the header says.
unsafe fn part<T>(
    answer: *const Answer,
    (output, name): (*mut T, &str),
    part: impl FnOnce(&Answer) -> Result<T>,
) -> Status {
    guarded(|| {
        // SAFETY: as for this function.
        let (answer, output) = unsafe { (borrowed(answer, "answer")?, Output::of(output, name)?) };
        output.put(part(answer)?);
        Ok(())
    })
}

/// Gives the edit distance: for `swath_query_edit`. `SWATH_NO_PART` if it exceeds the bound.
///
///     uint64_t distance;
///     if (swath_answer_distance(answer, &distance) == SWATH_OK)
///         printf("%llu\n", (unsigned long long)distance);
#[unsafe(no_mangle)]
pub unsafe extern "C" fn swath_answer_distance(
    answer: *const Answer,
    distance: *mut u64,
) -> Status {
    // SAFETY: the header says what the pointers have to be.
    unsafe { part(answer, (distance, "distance"), Answer::distance) }
}

/// Gives the length of the subsequence, supersequence or substring: for `swath_query_lcs`,
/// `swath_query_scs` and `swath_query_substring`.
///
///     uint64_t length;
///     if (swath_answer_length(answer, &length) == SWATH_OK)
///         printf("%llu\n", (unsigned long long)length);
#[unsafe(no_mangle)]
pub unsafe extern "C" fn swath_answer_length(answer: *const Answer, length: *mut u64) -> Status {
    // SAFETY: the header says what the pointers have to be.
    unsafe { part(answer, (length, "length"), Answer::length) }
}

/// Gives the cost of the best tree: multiplications for `swath_query_matrix_chain`, base pairs for
/// `swath_query_rna_fold`.
///
///     uint64_t cost;
///     if (swath_answer_cost(answer, &cost) == SWATH_OK)
///         printf("%llu\n", (unsigned long long)cost);
#[unsafe(no_mangle)]
pub unsafe extern "C" fn swath_answer_cost(answer: *const Answer, cost: *mut u64) -> Status {
    // SAFETY: the header says what the pointers have to be.
    unsafe { part(answer, (cost, "cost"), Answer::cost) }
}

/// Gives the alignment as a CIGAR with `=` and `X`: for `swath_query_edit` with `SWATH_PATH`. The
/// text belongs to the answer.
///
///     const char *cigar;
///     if (swath_answer_cigar(answer, &cigar) == SWATH_OK)
///         puts(cigar);
#[unsafe(no_mangle)]
pub unsafe extern "C" fn swath_answer_cigar(
    answer: *const Answer,
    cigar: *mut *const c_char,
) -> Status {
    let text = |answer: &Answer| answer.cigar().map(|text| text.as_ptr());
    // SAFETY: the header says what the pointers have to be.
    unsafe { part(answer, (cigar, "cigar"), text) }
}

/// Gives the alignment of place `index`, from 0, as a CIGAR: for `swath_query_search` with
/// `SWATH_ALIGNMENTS`. Symbols of the pattern outside of the text are soft clips, `S`. The text
/// belongs to the answer.
///
///     const char *cigar;
///     if (swath_answer_place_cigar(answer, 0, &cigar) == SWATH_OK)
///         puts(cigar);
#[unsafe(no_mangle)]
pub unsafe extern "C" fn swath_answer_place_cigar(
    answer: *const Answer,
    index: usize,
    cigar: *mut *const c_char,
) -> Status {
    let text = |answer: &Answer| {
        let cigars = answer.place_cigars()?;
        let text = cigars.get(index).ok_or_else(|| {
            let count = cigars.len();
            no_part(format!(
                "the argument 'index' is {index}, and there are {count} places"
            ))
        })?;
        Ok(text.as_ptr())
    };
    // SAFETY: the header says what the pointers have to be.
    unsafe { part(answer, (cigar, "cigar"), text) }
}

/// Gives the symbols of the subsequence or supersequence: for `swath_query_lcs` and
/// `swath_query_scs` with `SWATH_PATH`. They belong to the answer, and are numbers if an input was.
///
///     swath_symbols symbols;
///     if (swath_answer_symbols(answer, &symbols) == SWATH_OK && symbols.width == SWATH_BYTES)
///         fwrite(symbols.data, 1, symbols.len, stdout);
#[unsafe(no_mangle)]
pub unsafe extern "C" fn swath_answer_symbols(
    answer: *const Answer,
    symbols: *mut crate::arguments::Symbols,
) -> Status {
    let view = |answer: &Answer| {
        let (data, len, width) = match answer.symbols()? {
            Symbols::Bytes(bytes) => (bytes.as_ptr().cast(), bytes.len(), SWATH_BYTES),
            Symbols::Numbers(numbers) => (
                numbers.as_ptr().cast::<c_void>(),
                numbers.len(),
                SWATH_NUMBERS,
            ),
            Symbols::Letters(_) => return Err(answer.lacks("symbols")),
        };
        Ok(crate::arguments::Symbols { data, len, width })
    };
    // SAFETY: the header says what the pointers have to be.
    unsafe { part(answer, (symbols, "symbols"), view) }
}

/// Gives the whole answer and the record of its call as JSON, which has parts for which there is no
/// function. The text belongs to the answer.
///
///     const char *json;
///     if (swath_answer_json(answer, &json) == SWATH_OK)
///         puts(json);
#[unsafe(no_mangle)]
pub unsafe extern "C" fn swath_answer_json(
    answer: *const Answer,
    text: *mut *const c_char,
) -> Status {
    let make = |answer: &Answer| {
        let text = cached(&answer.json, || json(&answer.report))?;
        Ok(text.as_ptr())
    };
    // SAFETY: the header says what the pointers have to be.
    unsafe { part(answer, (text, "text"), make) }
}

/// Gives the method, the device and the time of the call.
///
///     swath_run_record record = {.size = sizeof record};
///     if (swath_answer_run(answer, &record) == SWATH_OK)
///         printf("%s on %s in %.3f s\n", record.method, record.device, record.seconds);
#[unsafe(no_mangle)]
pub unsafe extern "C" fn swath_answer_run(answer: *const Answer, record: *mut RunRecord) -> Status {
    guarded(|| {
        // SAFETY: the header says what the pointers have to be.
        let (answer, output) = unsafe {
            (
                borrowed(answer, "answer")?,
                SizedOutput::of(record, "record")?,
            )
        };
        let run = &answer.report.run;
        output.put(&RunRecord {
            size: size_of::<RunRecord>(),
            method: answer.method.as_ptr(),
            device: answer.device.as_ptr(),
            seconds: run.elapsed.as_secs_f64(),
            cells: run.cells as f64,
        });
        Ok(())
    })
}

/// Frees an answer and all that belongs to it. Null is ignored.
///
///     swath_answer_free(answer);
///     answer = NULL;
#[unsafe(no_mangle)]
pub unsafe extern "C" fn swath_answer_free(answer: *mut Answer) {
    // SAFETY: the header says that a handle is freed once.
    unsafe { freed(answer) }
}
