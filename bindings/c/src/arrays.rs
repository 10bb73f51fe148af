//! Arrays of answers, in structs of C.

use std::ffi::c_void;
use std::sync::OnceLock;

use swath::pairs::Values;
use swath::query::Answer as Found;
use swath::substring::{self, Strand};

use crate::answer::{Answer, cached, not_asked};
use crate::arguments::{Output, borrowed};
use crate::items::{Block, Match, Neighbor, Node, Piece, Place, Placement, Position, SWATH_NONE};
use crate::run::PairValue;
use crate::status::{Result, Status, guarded};

/// Lists in one buffer, as `swath_strings`.
struct Lists<T> {
    items: Vec<T>,
    offsets: Vec<u64>,
}

impl<T> Lists<T> {
    fn of<'a, S: 'a>(lists: impl Iterator<Item = &'a [S]>, item: impl Fn(&S) -> T) -> Self {
        let (mut items, mut offsets) = (Vec::new(), vec![0]);
        for list in lists {
            items.extend(list.iter().map(&item));
            offsets.push(items.len() as u64);
        }
        Self { items, offsets }
    }
}

/// Arrays that were asked for.
#[derive(Default)]
pub struct Arrays {
    blocks: OnceLock<Vec<Block>>,
    pieces: OnceLock<Vec<Piece>>,
    placements: OnceLock<Lists<Placement>>,
    positions: OnceLock<Lists<Position>>,
    matches: OnceLock<Vec<Match>>,
    neighbors: OnceLock<Vec<Neighbor>>,
    places: OnceLock<Vec<Place>>,
    nodes: OnceLock<Vec<Node>>,
}

fn sign(strand: Strand) -> i32 {
    match strand {
        Strand::Forward => 1,
        Strand::Reverse => -1,
    }
}

impl From<&substring::Place> for Position {
    fn from(place: &substring::Place) -> Self {
        Self {
            input: place.input as u32,
            record: place.record as u32,
            start: place.start as u64,
            strand: sign(place.strand),
        }
    }
}

/// Converts items of an answer, once.
fn converted<'a, S, T>(
    cell: &'a OnceLock<Vec<T>>,
    items: &[S],
    item: impl Fn(&S) -> T,
) -> Result<&'a [T]> {
    cached(cell, || Ok(items.iter().map(item).collect())).map(Vec::as_slice)
}

impl Answer {
    fn blocks(&self) -> Result<&[Block]> {
        let blocks = match &self.report.answer {
            Found::Edit(found) => found.alignment.as_ref().map(|found| found.blocks()),
            Found::Lcs(found) => found.subsequence.as_ref().map(|found| found.blocks()),
            _ => return Err(self.lacks("blocks")),
        };
        let blocks = blocks.ok_or_else(|| not_asked("blocks", "SWATH_PATH"))?;
        converted(&self.arrays.blocks, blocks, |block| Block {
            a: block.a as u64,
            b: block.b as u64,
            len: block.len as u64,
        })
    }

    fn pieces(&self) -> Result<&[Piece]> {
        let Found::Edit(found) = &self.report.answer else {
            return Err(self.lacks("pieces"));
        };
        converted(&self.arrays.pieces, &found.pieces, |piece| Piece {
            start: piece.start.map_or(SWATH_NONE, |start| start as u64),
            end: piece.end as u64,
        })
    }

    fn placements(&self) -> Result<&Lists<Placement>> {
        let Found::Scs(found) = &self.report.answer else {
            return Err(self.lacks("embeddings"));
        };
        let path = found.supersequence.as_ref();
        let path = path.ok_or_else(|| not_asked("embeddings", "SWATH_PATH"))?;
        let lists = path.embeddings().iter().map(Vec::as_slice);
        let placement = |run: &swath::supersequence::Placement| Placement {
            input: run.input as u64,
            at: run.at as u64,
            len: run.len as u64,
        };
        cached(&self.arrays.placements, || Ok(Lists::of(lists, placement)))
    }

    fn positions(&self) -> Result<&Lists<Position>> {
        let Found::Substring(found) = &self.report.answer else {
            return Err(self.lacks("occurrences"));
        };
        let lists = found.substrings.iter().map(|one| &one.places[..]);
        cached(&self.arrays.positions, || {
            Ok(Lists::of(lists, |place: &substring::Place| place.into()))
        })
    }

    fn matches(&self) -> Result<&[Match]> {
        let Found::Matches(found) = &self.report.answer else {
            return Err(self.lacks("matches"));
        };
        converted(&self.arrays.matches, &found.matches, |one| Match {
            a: (&one.a).into(),
            b: (&one.b).into(),
            len: one.length as u64,
        })
    }

    fn neighbors(&self) -> Result<&[Neighbor]> {
        let Found::Neighbors(found) = &self.report.answer else {
            return Err(self.lacks("neighbors"));
        };
        converted(&self.arrays.neighbors, &found.neighbors, |one| Neighbor {
            row: one.row,
            column: one.column,
            distance: one.distance,
            strand: sign(one.strand),
        })
    }

    fn places(&self) -> Result<&[Place]> {
        let Found::Search(found) = &self.report.answer else {
            return Err(self.lacks("places"));
        };
        converted(&self.arrays.places, &found.places, |place| Place {
            start: place.start,
            end: place.end,
            text: place.text,
            pattern: place.pattern,
            strand: sign(place.strand),
            cost: place.cost,
            before: place.before,
            after: place.after,
        })
    }

    fn nodes(&self) -> Result<&[Node]> {
        let (Found::MatrixChain(found) | Found::RnaFold(found)) = &self.report.answer else {
            return Err(self.lacks("nodes"));
        };
        converted(&self.arrays.nodes, found.tree.nodes(), |node| Node {
            start: node.start as u64,
            end: node.end as u64,
            split: node.split.map_or(SWATH_NONE, |split| split as u64),
        })
    }

    fn pairs(&self) -> Result<&[PairValue]> {
        self.kept
            .as_deref()
            .ok_or_else(|| match &self.report.answer {
                Found::Pairs(_) => not_asked("pairs", "SWATH_KEPT and SWATH_BOUNDED"),
                _ => self.lacks("pairs"),
            })
    }

    fn clusters(&self) -> Result<&[u32]> {
        match &self.report.answer {
            Found::Clusters(found) => Ok(&found.clusters),
            _ => Err(self.lacks("clusters")),
        }
    }

    fn representatives(&self) -> Result<&[u32]> {
        match &self.report.answer {
            Found::Clusters(found) => Ok(&found.representatives),
            _ => Err(self.lacks("representatives")),
        }
    }
}

/// Gives an array of an answer.
///
/// # Safety
/// The pointers are as the header says.
unsafe fn array<T>(
    answer: *const Answer,
    (items, name): (*mut *const T, &str),
    len: *mut usize,
    part: impl FnOnce(&Answer) -> Result<&[T]>,
) -> Status {
    guarded(|| {
        // SAFETY: as for this function.
        let (answer, items, len) = unsafe {
            (
                borrowed(answer, "answer")?,
                Output::of(items, name)?,
                Output::of(len, "len")?,
            )
        };
        let part = part(answer)?;
        items.put(part.as_ptr());
        len.put(part.len());
        Ok(())
    })
}

/// Gives lists of an answer.
///
/// # Safety
/// The pointers are as the header says.
unsafe fn lists<T>(
    answer: *const Answer,
    (items, name): (*mut *const T, &str),
    offsets: *mut *const u64,
    len: *mut usize,
    part: impl FnOnce(&Answer) -> Result<&Lists<T>>,
) -> Status {
    guarded(|| {
        // SAFETY: as for this function.
        let (answer, items, offsets, len) = unsafe {
            (
                borrowed(answer, "answer")?,
                Output::of(items, name)?,
                Output::of(offsets, "offsets")?,
                Output::of(len, "len")?,
            )
        };
        let part = part(answer)?;
        items.put(part.items.as_ptr());
        offsets.put(part.offsets.as_ptr());
        len.put(part.offsets.len() - 1);
        Ok(())
    })
}

/// Gives the runs of paired symbols, in order: for `swath_query_edit` and `swath_query_lcs` with
/// `SWATH_PATH`. The array belongs to the answer.
///
///     const swath_block *blocks;
///     size_t len;
///     if (swath_answer_blocks(answer, &blocks, &len) == SWATH_OK && len > 0)
///         printf("%llu\n", (unsigned long long)blocks[0].a);
#[unsafe(no_mangle)]
pub unsafe extern "C" fn swath_answer_blocks(
    answer: *const Answer,
    blocks: *mut *const Block,
    len: *mut usize,
) -> Status {
    // SAFETY: the header says what the pointers have to be.
    unsafe { array(answer, (blocks, "blocks"), len, Answer::blocks) }
}

/// Gives the pieces of the target at the distance, by end: for `swath_query_edit` in the modes
/// "prefix" and "infix". The array belongs to the answer.
///
///     const swath_piece *pieces;
///     size_t len;
///     if (swath_answer_pieces(answer, &pieces, &len) == SWATH_OK && len > 0)
///         printf("%llu\n", (unsigned long long)pieces[0].end);
#[unsafe(no_mangle)]
pub unsafe extern "C" fn swath_answer_pieces(
    answer: *const Answer,
    pieces: *mut *const Piece,
    len: *mut usize,
) -> Status {
    // SAFETY: the header says what the pointers have to be.
    unsafe { array(answer, (pieces, "pieces"), len, Answer::pieces) }
}

/// Gives the runs of each input in the supersequence: for `swath_query_scs` with `SWATH_PATH`. Input
/// `i` has `placements[offsets[i]]` to `placements[offsets[i + 1]]`, excluded; `len` is the number of
/// inputs. The arrays belong to the answer.
///
///     const swath_placement *placements;
///     const uint64_t *offsets;
///     size_t len;
///     if (swath_answer_embeddings(answer, &placements, &offsets, &len) == SWATH_OK)
///         printf("%zu inputs\n", len);
#[unsafe(no_mangle)]
pub unsafe extern "C" fn swath_answer_embeddings(
    answer: *const Answer,
    placements: *mut *const Placement,
    offsets: *mut *const u64,
    len: *mut usize,
) -> Status {
    let placements = (placements, "placements");
    // SAFETY: the header says what the pointers have to be.
    unsafe { lists(answer, placements, offsets, len, Answer::placements) }
}

/// Gives the places of each longest common substring: for `swath_query_substring`. Substring `i` has
/// `positions[offsets[i]]` to `positions[offsets[i + 1]]`, excluded; `len` is the number of
/// substrings. The arrays belong to the answer.
///
///     const swath_position *positions;
///     const uint64_t *offsets;
///     size_t len;
///     if (swath_answer_occurrences(answer, &positions, &offsets, &len) == SWATH_OK)
///         printf("%zu substrings\n", len);
#[unsafe(no_mangle)]
pub unsafe extern "C" fn swath_answer_occurrences(
    answer: *const Answer,
    positions: *mut *const Position,
    offsets: *mut *const u64,
    len: *mut usize,
) -> Status {
    let positions = (positions, "positions");
    // SAFETY: the header says what the pointers have to be.
    unsafe { lists(answer, positions, offsets, len, Answer::positions) }
}

/// Gives the maximal matches, in order: for `swath_query_matches`. The array belongs to the answer.
///
///     const swath_match *matches;
///     size_t len;
///     if (swath_answer_matches(answer, &matches, &len) == SWATH_OK)
///         printf("%zu matches\n", len);
#[unsafe(no_mangle)]
pub unsafe extern "C" fn swath_answer_matches(
    answer: *const Answer,
    matches: *mut *const Match,
    len: *mut usize,
) -> Status {
    // SAFETY: the header says what the pointers have to be.
    unsafe { array(answer, (matches, "matches"), len, Answer::matches) }
}

/// Gives the value of each pair, in the order of the selection: for `swath_query_pairs` without
/// `SWATH_KEPT`. A value has `width` bytes: 1, 2 or 4, the fewest that hold all possible values. The
/// array belongs to the answer.
///
///     const void *values;
///     size_t len;
///     uint32_t width;
///     if (swath_answer_values(answer, &values, &len, &width) == SWATH_OK && width == 1 && len > 0)
///         printf("%u\n", ((const uint8_t *)values)[0]);
#[unsafe(no_mangle)]
pub unsafe extern "C" fn swath_answer_values(
    answer: *const Answer,
    values: *mut *const c_void,
    len: *mut usize,
    width: *mut u32,
) -> Status {
    guarded(|| {
        // SAFETY: the header says what the pointers have to be.
        let (answer, output, len, width) = unsafe {
            (
                borrowed(answer, "answer")?,
                Output::of(values, "values")?,
                Output::of(len, "len")?,
                Output::of(width, "width")?,
            )
        };
        let Found::Pairs(found) = &answer.report.answer else {
            return Err(answer.lacks("values"));
        };
        let (first, bytes) = match &found.values {
            Values::U8(values) => (values.as_ptr().cast(), 1),
            Values::U16(values) => (values.as_ptr().cast(), 2),
            Values::U32(values) => (values.as_ptr().cast(), 4),
            _ => return Err(answer.lacks("values of a known width")),
        };
        output.put(first);
        len.put(found.values.len());
        width.put(bytes);
        Ok(())
    })
}

/// Gives the pairs within the bound, in order: for `swath_query_pairs` with `SWATH_KEPT`. The array
/// belongs to the answer.
///
///     const swath_pair_value *pairs;
///     size_t len;
///     if (swath_answer_pairs(answer, &pairs, &len) == SWATH_OK)
///         printf("%zu pairs\n", len);
#[unsafe(no_mangle)]
pub unsafe extern "C" fn swath_answer_pairs(
    answer: *const Answer,
    pairs: *mut *const PairValue,
    len: *mut usize,
) -> Status {
    // SAFETY: the header says what the pointers have to be.
    unsafe { array(answer, (pairs, "pairs"), len, Answer::pairs) }
}

/// Gives the pairs of strings, by row and column: for `swath_query_neighbors`. The array belongs to
/// the answer.
///
///     const swath_neighbor *neighbors;
///     size_t len;
///     if (swath_answer_neighbors(answer, &neighbors, &len) == SWATH_OK)
///         printf("%zu pairs\n", len);
#[unsafe(no_mangle)]
pub unsafe extern "C" fn swath_answer_neighbors(
    answer: *const Answer,
    neighbors: *mut *const Neighbor,
    len: *mut usize,
) -> Status {
    // SAFETY: the header says what the pointers have to be.
    unsafe { array(answer, (neighbors, "neighbors"), len, Answer::neighbors) }
}

/// Gives the places, by text, start, end, pattern and strand: for `swath_query_search`. The array
/// belongs to the answer.
///
///     const swath_place *places;
///     size_t len;
///     if (swath_answer_places(answer, &places, &len) == SWATH_OK)
///         printf("%zu places\n", len);
#[unsafe(no_mangle)]
pub unsafe extern "C" fn swath_answer_places(
    answer: *const Answer,
    places: *mut *const Place,
    len: *mut usize,
) -> Status {
    // SAFETY: the header says what the pointers have to be.
    unsafe { array(answer, (places, "places"), len, Answer::places) }
}

/// Gives the inner nodes of the best tree in preorder: for `swath_query_matrix_chain` and
/// `swath_query_rna_fold`. The array belongs to the answer.
///
///     const swath_node *nodes;
///     size_t len;
///     if (swath_answer_nodes(answer, &nodes, &len) == SWATH_OK)
///         printf("%zu products\n", len);
#[unsafe(no_mangle)]
pub unsafe extern "C" fn swath_answer_nodes(
    answer: *const Answer,
    nodes: *mut *const Node,
    len: *mut usize,
) -> Status {
    // SAFETY: the header says what the pointers have to be.
    unsafe { array(answer, (nodes, "nodes"), len, Answer::nodes) }
}

/// Gives the cluster of each string, from 0: for `swath_query_clusters`. The array belongs to the
/// answer.
///
///     const uint32_t *clusters;
///     size_t len;
///     if (swath_answer_clusters(answer, &clusters, &len) == SWATH_OK)
///         printf("%zu strings\n", len);
#[unsafe(no_mangle)]
pub unsafe extern "C" fn swath_answer_clusters(
    answer: *const Answer,
    clusters: *mut *const u32,
    len: *mut usize,
) -> Status {
    // SAFETY: the header says what the pointers have to be.
    unsafe { array(answer, (clusters, "clusters"), len, Answer::clusters) }
}

/// Gives the most abundant string of each cluster: for `swath_query_clusters`. The array belongs to
/// the answer.
///
///     const uint32_t *representatives;
///     size_t len;
///     if (swath_answer_representatives(answer, &representatives, &len) == SWATH_OK)
///         printf("%zu clusters\n", len);
#[unsafe(no_mangle)]
pub unsafe extern "C" fn swath_answer_representatives(
    answer: *const Answer,
    representatives: *mut *const u32,
    len: *mut usize,
) -> Status {
    // SAFETY: the header says what the pointers have to be.
    unsafe {
        array(
            answer,
            (representatives, "representatives"),
            len,
            Answer::representatives,
        )
    }
}
