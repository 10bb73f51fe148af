//! Queries of two or more sequences.

use std::ffi::c_char;

use swath::Matching;
use swath::edit_distance::Gaps;
use swath::query::{Edit, Lcs, Pair, Scs, Substring, Symbols as Sequence};

use crate::arguments::{
    Strings, Symbols, borrowed, extensible, flags, named, options, slice, text,
};
use crate::query::{Query, created};
use crate::status::{Result, Status, invalid};

/// The answer has the path: the alignment, subsequence or supersequence itself.
pub const SWATH_PATH: u32 = 1;
/// The answer has the starts of infix pieces.
pub const SWATH_STARTS: u32 = 2;
/// `max_distance`, or `within` of pairs, is a bound.
pub const SWATH_BOUNDED: u32 = 4;
/// Both strands of DNA are compared.
pub const SWATH_BOTH_STRANDS: u32 = 8;

/// Options of `swath_query_edit`. Zeros are the defaults.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct EditOptions {
    /// `sizeof(swath_edit_options)`.
    pub size: usize,
    /// `SWATH_PATH`, `SWATH_STARTS`, `SWATH_BOUNDED`.
    pub flags: u32,
    /// "global" (the default), "prefix" (of `b`) or "infix" (a piece of `b`).
    pub mode: *const c_char,
    /// "left" or "right" moves gaps that have several places.
    pub gaps: *const c_char,
    /// "auto" (the default) or another method.
    pub method: *const c_char,
    /// "exact" (the default), or "iupac": ambiguous letters of DNA match what they stand for.
    pub matching: *const c_char,
    /// Greatest distance of interest, with `SWATH_BOUNDED`.
    pub max_distance: u64,
}

extensible!(EditOptions, "swath_edit_options");

/// Options of `swath_query_lcs`. Zeros are the defaults.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct LcsOptions {
    /// `sizeof(swath_lcs_options)`.
    pub size: usize,
    /// `SWATH_PATH`.
    pub flags: u32,
    /// "auto" (the default) or another method.
    pub method: *const c_char,
    /// "exact" (the default), or "iupac": ambiguous letters of DNA match what they stand for.
    pub matching: *const c_char,
}

extensible!(LcsOptions, "swath_lcs_options");

/// Options of `swath_query_scs`. Zeros are the defaults.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct ScsOptions {
    /// `sizeof(swath_scs_options)`.
    pub size: usize,
    /// `SWATH_PATH`.
    pub flags: u32,
    /// "auto" (the default) or another method.
    pub method: *const c_char,
}

extensible!(ScsOptions, "swath_scs_options");

/// Options of `swath_query_substring` and `swath_query_matches`. Zeros are the defaults.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct SubstringOptions {
    /// `sizeof(swath_substring_options)`.
    pub size: usize,
    /// `SWATH_BOTH_STRANDS`.
    pub flags: u32,
    /// "auto" (the default) or another method.
    pub method: *const c_char,
    /// Number of inputs that have to contain the substring; 0 for all.
    pub inputs: u64,
}

extensible!(SubstringOptions, "swath_substring_options");

/// The letters of "iupac"; `None` for "exact".
///
/// # Safety
/// As for [`text`].
pub unsafe fn matching(name: *const c_char) -> Result<Option<Matching>> {
    // SAFETY: as for this function.
    match unsafe { text(name, "options.matching") }? {
        None | Some("exact") => Ok(None),
        Some("iupac") => Ok(Some(Matching::iupac())),
        Some(other) => {
            let message = format!("unknown matching '{other}'; known: exact, iupac");
            Err(invalid(message))
        }
    }
}

/// Two sequences, whose letters match by `matching`.
///
/// # Safety
/// As for [`Symbols::copied`] and [`text`].
unsafe fn pair(
    a: *const Symbols,
    b: *const Symbols,
    matching: *const c_char,
) -> Result<Pair<'static>> {
    // SAFETY: as for this function.
    let (pair, matching) = unsafe {
        let (a, b) = (borrowed(a, "a")?, borrowed(b, "b")?);
        ([a.copied("a")?, b.copied("b")?], self::matching(matching)?)
    };
    match (pair, matching) {
        ([a, b], None) => Ok(Pair::of_symbols(a, b)?),
        ([Sequence::Bytes(a), Sequence::Bytes(b)], Some(letters)) => Ok(Pair::Letters(
            [a, b].map(|bytes| letters.letters(&bytes).into()),
        )),
        _ => Err(invalid(
            "the matching 'iupac' takes bytes; give both sequences with the width SWATH_BYTES",
        )),
    }
}

/// Creates the query of the edit distance (Levenshtein) of `a`, the query sequence, and `b`, the
/// target. Its answer has a distance; with `SWATH_PATH` also a CIGAR and blocks; in the modes
/// "prefix" and "infix" also pieces. Inputs are copied.
///
///     swath_symbols a = swath_bytes("kitten", 6), b = swath_bytes("sitting", 7);
///     swath_edit_options options = {.size = sizeof options, .flags = SWATH_PATH};
///     if (swath_query_edit(&a, &b, &options, &query) != SWATH_OK)
///         fprintf(stderr, "%s\n", swath_error_message());
#[unsafe(no_mangle)]
pub unsafe extern "C" fn swath_query_edit(
    a: *const Symbols,
    b: *const Symbols,
    options: *const EditOptions,
    query: *mut *mut Query,
) -> Status {
    // SAFETY: the header says what the pointers have to be.
    unsafe {
        created(query, || {
            let options = self::options(options, "options")?;
            let known = SWATH_PATH | SWATH_STARTS | SWATH_BOUNDED;
            let flags = flags(options.flags, known, "options.flags")?;
            let mut edit = Edit::from(pair(a, b, options.matching)?);
            edit.options.path = flags & SWATH_PATH != 0;
            edit.options.starts = flags & SWATH_STARTS != 0;
            edit.options.max_distance =
                (flags & SWATH_BOUNDED != 0).then_some(options.max_distance);
            edit.options.mode = named(options.mode, "options.mode")?;
            edit.options.method = named(options.method, "options.method")?;
            let gaps = text(options.gaps, "options.gaps")?;
            edit.options.gaps = gaps.map(str::parse::<Gaps>).transpose()?;
            Ok(edit.into())
        })
    }
}

/// Creates the query of the longest common subsequence of two sequences. Its answer has a length;
/// with `SWATH_PATH` also blocks and symbols. Inputs are copied.
///
///     swath_symbols a = swath_bytes("ABCBDAB", 7), b = swath_bytes("BDCABA", 6);
///     if (swath_query_lcs(&a, &b, NULL, &query) != SWATH_OK)
///         fprintf(stderr, "%s\n", swath_error_message());
#[unsafe(no_mangle)]
pub unsafe extern "C" fn swath_query_lcs(
    a: *const Symbols,
    b: *const Symbols,
    options: *const LcsOptions,
    query: *mut *mut Query,
) -> Status {
    // SAFETY: the header says what the pointers have to be.
    unsafe {
        created(query, || {
            let options = self::options(options, "options")?;
            let flags = flags(options.flags, SWATH_PATH, "options.flags")?;
            let mut lcs = Lcs::from(pair(a, b, options.matching)?);
            lcs.options.path = flags & SWATH_PATH != 0;
            lcs.options.method = named(options.method, "options.method")?;
            Ok(lcs.into())
        })
    }
}

/// Creates the query of the shortest common supersequence of `count` sequences. Its answer has a
/// length; with `SWATH_PATH` also symbols and embeddings. Inputs are copied.
///
///     swath_symbols inputs[2] = {swath_bytes("cab", 3), swath_bytes("abac", 4)};
///     if (swath_query_scs(inputs, 2, NULL, &query) != SWATH_OK)
///         fprintf(stderr, "%s\n", swath_error_message());
#[unsafe(no_mangle)]
pub unsafe extern "C" fn swath_query_scs(
    inputs: *const Symbols,
    count: usize,
    options: *const ScsOptions,
    query: *mut *mut Query,
) -> Status {
    // SAFETY: the header says what the pointers have to be.
    unsafe {
        created(query, || {
            let options = self::options(options, "options")?;
            let flags = flags(options.flags, SWATH_PATH, "options.flags")?;
            let inputs = slice(inputs, count, "inputs")?.iter();
            let inputs: Result<Vec<_>> = inputs.map(|input| input.copied("inputs")).collect();
            let mut scs = Scs::of(inputs?)?;
            scs.options.path = flags & SWATH_PATH != 0;
            scs.options.method = named(options.method, "options.method")?;
            Ok(scs.into())
        })
    }
}

/// # Safety
/// As for the functions below.
unsafe fn substring(
    inputs: *const Strings,
    count: usize,
    options: *const SubstringOptions,
) -> Result<Substring<'static>> {
    // SAFETY: as for this function.
    unsafe {
        let options = self::options(options, "options")?;
        let flags = flags(options.flags, SWATH_BOTH_STRANDS, "options.flags")?;
        let inputs = slice(inputs, count, "inputs")?.iter();
        let records: Result<Vec<_>> = inputs.map(|input| input.records("inputs")).collect();
        let mut substring = Substring::of(records?)?;
        if flags & SWATH_BOTH_STRANDS != 0 {
            substring = substring.both_strands()?;
        }
        substring.options.method = named(options.method, "options.method")?;
        substring.options.inputs = Some(options.inputs).filter(|&inputs| inputs > 0);
        Ok(substring)
    }
}

/// Creates the query of the longest common substrings of `count` inputs, each a list of records.
/// Its answer has a length and occurrences. Inputs are copied.
///
///     swath_strings inputs[2] = {swath_one_string(swath_bytes("xxABCyyABC", 10)),
///                                swath_one_string(swath_bytes("zABCz", 5))};
///     if (swath_query_substring(inputs, 2, NULL, &query) != SWATH_OK)
///         fprintf(stderr, "%s\n", swath_error_message());
#[unsafe(no_mangle)]
pub unsafe extern "C" fn swath_query_substring(
    inputs: *const Strings,
    count: usize,
    options: *const SubstringOptions,
    query: *mut *mut Query,
) -> Status {
    // SAFETY: the header says what the pointers have to be.
    unsafe { created(query, || Ok(substring(inputs, count, options)?.into())) }
}

/// Creates the query of all maximal matches of at least `min_length` symbols between `count`
/// inputs, each a list of records. Its answer has matches. Inputs are copied.
///
///     swath_strings inputs[2] = {swath_one_string(swath_bytes("xxABCyyABC", 10)),
///                                swath_one_string(swath_bytes("zABCz", 5))};
///     if (swath_query_matches(inputs, 2, 3, NULL, &query) != SWATH_OK)
///         fprintf(stderr, "%s\n", swath_error_message());
#[unsafe(no_mangle)]
pub unsafe extern "C" fn swath_query_matches(
    inputs: *const Strings,
    count: usize,
    min_length: u64,
    options: *const SubstringOptions,
    query: *mut *mut Query,
) -> Status {
    // SAFETY: the header says what the pointers have to be.
    unsafe {
        created(query, || {
            let substring = substring(inputs, count, options)?;
            Ok(substring.min_length(min_length).into())
        })
    }
}
