//! Queries of lists of strings.

use std::ffi::c_char;

use swath::pairs::{Measure, Selection, Share};
use swath::query::{Neighbors, Pairs, Search, StringList};
use swath::search::Exact;

use crate::arguments::{
    Output, Strings, borrowed, copied, extensible, flags, named, options, slice, text,
};
use crate::query::{Problem, Query, created};
use crate::sequences::{SWATH_BOTH_STRANDS, SWATH_BOUNDED, matching};
use crate::status::{Result, Status, guarded, invalid};

/// Only pairs within the bound are in the answer.
pub const SWATH_KEPT: u32 = 16;
/// Clusters grow from more to less abundant strings only.
pub const SWATH_DIRECTIONAL: u32 = 32;
/// Places have alignments.
pub const SWATH_ALIGNMENTS: u32 = 64;
/// `max_substitutions` is a bound.
pub const SWATH_MAX_SUBSTITUTIONS: u32 = 128;
/// `max_gaps` is a bound.
pub const SWATH_MAX_GAPS: u32 = 256;

/// A string of each list, by position from 0.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Pair {
    /// Position in the first list.
    pub query: u32,
    /// Position in the second list.
    pub target: u32,
}

/// Options of `swath_query_pairs`. Zeros are the defaults.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct PairOptions {
    /// `sizeof(swath_pair_options)`.
    pub size: usize,
    /// `SWATH_BOUNDED`, `SWATH_KEPT`.
    pub flags: u32,
    /// "cross" (the default: each query with each target), "symmetric" (each pair of one list
    /// once), "zip" (the i-th query with the i-th target) or "list" (the pairs of `list`).
    pub selection: *const c_char,
    /// "edit" (the default), "indel", "lcs", "hamming", "osa", "jaro", "jaro-winkler", "ratio",
    /// "partial-ratio", "token-sort" or "token-set"; `swath_similarity` makes similarities of values.
    pub measure: *const c_char,
    /// "global" (the default), "prefix" or "infix".
    pub mode: *const c_char,
    /// Greatest distance of interest, with `SWATH_BOUNDED`.
    pub within: u64,
    /// Pairs of the selection "list".
    pub list: *const Pair,
    /// Number of pairs in `list`.
    pub list_len: usize,
    /// Share of the pairs that is computed, from 0, if `shares` is not 0.
    pub share: u64,
    /// Number of shares, such as that of computers; 0 for one.
    pub shares: u64,
}

extensible!(PairOptions, "swath_pair_options");

/// Options of `swath_query_neighbors` and `swath_query_clusters`. Zeros are the defaults.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct NeighborOptions {
    /// `sizeof(swath_neighbor_options)`.
    pub size: usize,
    /// `SWATH_BOTH_STRANDS`; for clusters also `SWATH_DIRECTIONAL`.
    pub flags: u32,
    /// Greatest distance.
    pub within: u64,
    /// Share of the strings that are indexed, from 0, if `shares` is not 0. Not for clusters.
    pub share: u64,
    /// Number of shares; 0 for one. Not for clusters.
    pub shares: u64,
    /// Group of each row: only strings of equal groups are compared. Or null.
    pub row_groups: *const u32,
    /// Group of each column, for two lists. Or null.
    pub column_groups: *const u32,
    /// Abundance of each string, for clusters. Or null.
    pub counts: *const u64,
    /// "edit" (the default), "hamming" or "osa".
    pub measure: *const c_char,
}

extensible!(NeighborOptions, "swath_neighbor_options");

/// Options of `swath_query_search`. Zeros are the defaults.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct SearchOptions {
    /// `sizeof(swath_search_options)`.
    pub size: usize,
    /// `SWATH_ALIGNMENTS`, `SWATH_MAX_SUBSTITUTIONS`, `SWATH_MAX_GAPS`.
    pub flags: u32,
    /// Greatest number of edits.
    pub within: u64,
    /// "forward" (the default), "reverse" or "both", for DNA.
    pub strands: *const c_char,
    /// "minima" (the default: one place for each occurrence), "best" or "ends".
    pub choice: *const c_char,
    /// "exact" (the default), or "iupac": ambiguous letters of DNA match what they stand for.
    pub matching: *const c_char,
    /// Number of symbols at the start of each pattern that match without an edit.
    pub exact_head: usize,
    /// Number of symbols at the end of each pattern that match without an edit; not with `exact_head`.
    pub exact_tail: usize,
    /// IUPAC letters that follow a place, such as "NGG". Or null.
    pub motif: *const c_char,
    /// Greatest number of substitutions, with `SWATH_MAX_SUBSTITUTIONS`.
    pub max_substitutions: u64,
    /// Greatest number of inserted and deleted symbols, with `SWATH_MAX_GAPS`.
    pub max_gaps: u64,
    /// Cost of a symbol that sticks out of the text in thousandths of an edit, up to 1000; 0 if none
    /// may.
    pub overhang: u32,
}

extensible!(SearchOptions, "swath_search_options");

/// A copy of a list.
///
/// # Safety
/// As for [`Strings::copied`].
unsafe fn list(list: *const Strings, name: &str) -> Result<StringList<'static>> {
    // SAFETY: as for this function.
    unsafe { borrowed(list, name)?.copied(name) }
}

/// A copy of a list, or nothing for null.
///
/// # Safety
/// As for [`list`].
unsafe fn optional(list: *const Strings, name: &str) -> Result<Option<StringList<'static>>> {
    if list.is_null() {
        return Ok(None);
    }
    // SAFETY: as for this function.
    unsafe { self::list(list, name) }.map(Some)
}

/// Similarity from a value of a pair by `swath_query_pairs`, of strings of `query` and `target`
/// symbols: from 0 to 1, by ratios to 100.
///
///     double similarity;
///     if (swath_similarity("edit", "global", 3, 6, 7, &similarity) != SWATH_OK)
///         fprintf(stderr, "%s\n", swath_error_message());
#[unsafe(no_mangle)]
pub unsafe extern "C" fn swath_similarity(
    measure: *const c_char,
    mode: *const c_char,
    value: u32,
    query: u64,
    target: u64,
    similarity: *mut f64,
) -> Status {
    guarded(|| {
        // SAFETY: the header says what the pointers have to be.
        unsafe {
            let output = Output::of(similarity, "similarity")?;
            let measure: Measure = named(measure, "measure")?;
            let mode = named(mode, "mode")?;
            output.put(measure.similarity(mode, value.into(), query, target));
        }
        Ok(())
    })
}

/// # Safety
/// As for the functions below.
unsafe fn selection(options: &PairOptions, has_targets: bool) -> Result<Selection<'static>> {
    // SAFETY: as for this function.
    let name = unsafe { text(options.selection, "options.selection") }?;
    let name = name.unwrap_or(if has_targets { "cross" } else { "symmetric" });
    match (name, has_targets) {
        ("cross", true) => Ok(Selection::Cross),
        ("zip", true) => Ok(Selection::Zip),
        ("symmetric", false) => Ok(Selection::Symmetric),
        ("list", _) => {
            // SAFETY: as for this function.
            let list = unsafe { slice(options.list, options.list_len, "options.list") }?;
            let pairs = list.iter().map(|pair| (pair.query, pair.target));
            Ok(Selection::List(pairs.collect()))
        }
        ("cross" | "zip", false) => Err(invalid(format!(
            "the selection '{name}' takes two lists; give the argument 'targets'"
        ))),
        ("symmetric", true) => Err(invalid(
            "the selection 'symmetric' takes one list; give null as the argument 'targets'",
        )),
        _ => Err(invalid(format!(
            "unknown selection '{name}'; known: cross, symmetric, zip, list"
        ))),
    }
}

/// Creates the query of the values of pairs of strings: distances, or lengths of common
/// subsequences. `targets` may be null: then pairs are of one list, "symmetric" by default. The
/// answer has values, or with `SWATH_KEPT` the pairs within the bound. Inputs are copied.
///
///     uint64_t offsets[3] = {0, 5, 9};
///     swath_strings words = {swath_bytes("steamteam", 9), offsets, 2};
///     if (swath_query_pairs(&words, NULL, NULL, &query) != SWATH_OK)
///         fprintf(stderr, "%s\n", swath_error_message());
#[unsafe(no_mangle)]
pub unsafe extern "C" fn swath_query_pairs(
    queries: *const Strings,
    targets: *const Strings,
    options: *const PairOptions,
    query: *mut *mut Query,
) -> Status {
    // SAFETY: the header says what the pointers have to be.
    unsafe {
        created(query, || {
            let options = self::options(options, "options")?;
            let flags = flags(options.flags, SWATH_BOUNDED | SWATH_KEPT, "options.flags")?;
            if flags & SWATH_KEPT != 0 && flags & SWATH_BOUNDED == 0 {
                return Err(invalid(
                    "SWATH_KEPT takes a bound; set SWATH_BOUNDED and options.within",
                ));
            }
            let queries = list(queries, "queries")?;
            let targets = optional(targets, "targets")?;
            let selection = selection(&options, targets.is_some())?;
            let mut pairs = Pairs::of(queries, targets, selection)?;
            pairs.options.within = (flags & SWATH_BOUNDED != 0).then_some(options.within);
            pairs.options.measure = named(options.measure, "options.measure")?;
            pairs.options.mode = named(options.mode, "options.mode")?;
            if options.shares > 0 {
                pairs.options.share = Share::Shard(options.share, options.shares);
            }
            if flags & SWATH_KEPT != 0 {
                Ok(Query(Problem::Kept(pairs).into()))
            } else {
                Ok(pairs.into())
            }
        })
    }
}

/// # Safety
/// As for the functions below.
unsafe fn neighbors(
    rows: *const Strings,
    columns: *const Strings,
    options: &NeighborOptions,
) -> Result<Neighbors<'static>> {
    // SAFETY: as for this function.
    unsafe {
        let rows = list(rows, "rows")?;
        let columns = optional(columns, "columns")?;
        let lens = [rows.len(), columns.as_ref().map_or(0, StringList::len)];
        if columns.is_none() && !options.column_groups.is_null() {
            return Err(invalid(
                "options.column_groups are groups of a second list; give null with one list",
            ));
        }
        let mut neighbors = Neighbors::of(rows, columns)?;
        let given = [
            (options.row_groups, "options.row_groups"),
            (options.column_groups, "options.column_groups"),
        ];
        for (index, (groups, name)) in given.into_iter().enumerate() {
            if !groups.is_null() {
                let groups = copied(slice(groups, lens[index], name)?, name)?;
                neighbors.options.groups[index] = Some(groups.into());
            }
        }
        neighbors.options.measure = named(options.measure, "options.measure")?;
        neighbors.options.within = options.within;
        neighbors.options.both_strands = options.flags & SWATH_BOTH_STRANDS != 0;
        Ok(neighbors)
    }
}

/// Creates the query of all pairs of strings within an edit distance, of two lists or, if `columns`
/// is null, of one. Its answer has neighbors. Inputs are copied.
///
///     uint64_t offsets[3] = {0, 5, 9};
///     swath_strings words = {swath_bytes("steamteam", 9), offsets, 2};
///     swath_neighbor_options options = {.size = sizeof options};
///     options.within = 1;
///     if (swath_query_neighbors(&words, NULL, &options, &query) != SWATH_OK)
///         fprintf(stderr, "%s\n", swath_error_message());
#[unsafe(no_mangle)]
pub unsafe extern "C" fn swath_query_neighbors(
    rows: *const Strings,
    columns: *const Strings,
    options: *const NeighborOptions,
    query: *mut *mut Query,
) -> Status {
    // SAFETY: the header says what the pointers have to be.
    unsafe {
        created(query, || {
            let options = self::options(options, "options")?;
            flags(options.flags, SWATH_BOTH_STRANDS, "options.flags")?;
            let mut neighbors = neighbors(rows, columns, &options)?;
            if options.shares > 0 {
                neighbors.options.shard = (options.share, options.shares);
            }
            Ok(neighbors.into())
        })
    }
}

/// Creates the query of the clusters of a list: strings that a chain of pairs within the distance
/// connects. Its answer has clusters. Inputs are copied.
///
///     uint64_t offsets[3] = {0, 5, 9};
///     swath_strings words = {swath_bytes("steamteam", 9), offsets, 2};
///     swath_neighbor_options options = {.size = sizeof options};
///     options.within = 1;
///     if (swath_query_clusters(&words, &options, &query) != SWATH_OK)
///         fprintf(stderr, "%s\n", swath_error_message());
#[unsafe(no_mangle)]
pub unsafe extern "C" fn swath_query_clusters(
    strings: *const Strings,
    options: *const NeighborOptions,
    query: *mut *mut Query,
) -> Status {
    // SAFETY: the header says what the pointers have to be.
    unsafe {
        created(query, || {
            let options = self::options(options, "options")?;
            let known = SWATH_BOTH_STRANDS | SWATH_DIRECTIONAL;
            let flags = flags(options.flags, known, "options.flags")?;
            let strings = borrowed(strings, "strings")?;
            let mut clusters = neighbors(strings, std::ptr::null(), &options)?.clusters();
            if !options.counts.is_null() {
                let counts = slice(options.counts, strings.len, "options.counts")?;
                clusters.options.counts = Some(copied(counts, "options.counts")?.into());
            }
            clusters.options.is_directional = flags & SWATH_DIRECTIONAL != 0;
            Ok(clusters.into())
        })
    }
}

/// Creates the query of all places of patterns in texts within a number of edits. Its answer has
/// places. Inputs are copied.
///
///     swath_strings pattern = swath_one_string(swath_bytes("team", 4));
///     swath_strings text = swath_one_string(swath_bytes("a stream", 8));
///     swath_search_options options = {.size = sizeof options};
///     options.within = 1;
///     if (swath_query_search(&pattern, &text, &options, &query) != SWATH_OK)
///         fprintf(stderr, "%s\n", swath_error_message());
#[unsafe(no_mangle)]
pub unsafe extern "C" fn swath_query_search(
    patterns: *const Strings,
    texts: *const Strings,
    options: *const SearchOptions,
    query: *mut *mut Query,
) -> Status {
    // SAFETY: the header says what the pointers have to be.
    unsafe {
        created(query, || {
            let given = self::options(options, "options")?;
            let known = SWATH_ALIGNMENTS | SWATH_MAX_SUBSTITUTIONS | SWATH_MAX_GAPS;
            let flags = flags(given.flags, known, "options.flags")?;
            let patterns = list(patterns, "patterns")?;
            let mut search = Search::of(patterns, list(texts, "texts")?)?;
            let options = &mut search.options;
            options.within = given.within;
            options.alignments = flags & SWATH_ALIGNMENTS != 0;
            options.strands = named(given.strands, "options.strands")?;
            options.choice = named(given.choice, "options.choice")?;
            options.matching = matching(given.matching)?.map(Box::new);
            options.exact = match (given.exact_head, given.exact_tail) {
                (0, 0) => None,
                (head, 0) => Some(Exact::Head(head)),
                (0, tail) => Some(Exact::Tail(tail)),
                _ => {
                    return Err(invalid(
                        "options.exact_head and options.exact_tail exclude each other; set one to 0",
                    ));
                }
            };
            options.motif = text(given.motif, "options.motif")?.unwrap_or("").into();
            options.max_substitutions =
                (flags & SWATH_MAX_SUBSTITUTIONS != 0).then_some(given.max_substitutions);
            options.max_gaps = (flags & SWATH_MAX_GAPS != 0).then_some(given.max_gaps);
            options.overhang = Some(given.overhang).filter(|&cost| cost > 0);
            Ok(search.into())
        })
    }
}
