//! Values of pairs in SIMD lanes, multi-threaded.

use std::ops::Range;

use rayon::prelude::*;

use super::alphabet::Alphabet;
use super::request::{Measure, Request};
use crate::call::control::Control;
use crate::error::Result;
use crate::pairwise::bit_parallel::cpu::batch::{Batch, Batched, GROUP, Pattern};
use crate::pairwise::bit_parallel::recurrence::{Edit, Lcs};
use crate::pairwise::codes::Symbol;

/// Maximum mask words of the patterns that a part keeps at once, and maximum patterns.
const PATTERN_WORDS: usize = 1 << 20;
const PATTERNS: usize = 1 << 10;
/// Text symbols that are interleaved at once.
const TEXT_SYMBOLS: u64 = 1 << 22;
/// Cells that the calling thread fills before a thread of the pool has woken up.
const CELLS_OF_ONE_THREAD: u64 = 1 << 21;

/// Up to [`GROUP`] targets, one per lane.
struct Group {
    targets: Vec<usize>,
    /// `[column][lane]`.
    codes: Vec<u32>,
    lens: [u64; GROUP],
}

impl Group {
    fn new<S: Symbol>(texts: &[(usize, &[S])], code: impl Fn(usize, S) -> u32) -> Self {
        let longest = texts.iter().map(|(_, text)| text.len()).max().unwrap_or(0);
        let mut codes = vec![0; longest * GROUP];
        let mut lens = [0; GROUP];
        for (lane, (_, text)) in texts.iter().enumerate() {
            lens[lane] = text.len() as u64;
            for (codes, &symbol) in codes.chunks_exact_mut(GROUP).zip(*text) {
                codes[lane] = code(lane, symbol);
            }
        }
        Self {
            targets: texts.iter().map(|&(target, _)| target).collect(),
            codes,
            lens,
        }
    }
}

/// Values of all queries `rows` with all targets `columns`, row by row.
///
/// # Errors
/// [`Error::Cancelled`](crate::Error::Cancelled).
pub(super) fn rectangle<S: Symbol>(
    request: &Request<'_, S>,
    shared: Option<&Alphabet<S>>,
    (rows, columns): (Range<usize>, Range<usize>),
    control: &Control,
) -> Result<Vec<u32>> {
    match request.measure {
        Measure::Edit => rectangle_of::<Edit, S>(request, shared, (rows, columns), control),
        Measure::Indel | Measure::Lcs => {
            rectangle_of::<Lcs, S>(request, shared, (rows, columns), control)
        }
    }
}

fn rectangle_of<R: Batched, S: Symbol>(
    request: &Request<'_, S>,
    shared: Option<&Alphabet<S>>,
    (rows, columns): (Range<usize>, Range<usize>),
    control: &Control,
) -> Result<Vec<u32>> {
    let width = columns.len();
    let mut values = vec![0; rows.len() * width];
    let mut first = columns.start;
    while first < columns.end {
        let end = request
            .targets
            .chunk_end((first, columns.end), TEXT_SYMBOLS);
        // By length, so that lanes end together.
        let mut order: Vec<usize> = (first..end).collect();
        order.sort_by_key(|&target| request.targets.len_of(target));
        let groups_of = |alphabet: &Alphabet<S>| -> Vec<Group> {
            let group = |targets: &[usize]| {
                let text = |&target: &usize| (target, &request.targets[target]);
                let texts: Vec<_> = targets.iter().map(text).collect();
                Group::new(&texts, |_, symbol| alphabet.code(symbol))
            };
            order.chunks(GROUP).map(group).collect()
        };
        let shared_groups = shared.map(|alphabet| (alphabet, groups_of(alphabet)));
        let mut row = rows.start;
        while row < rows.end {
            let own;
            let (alphabet, groups, end) = match &shared_groups {
                Some((alphabet, groups)) => (
                    *alphabet,
                    groups,
                    patterns_end(request, alphabet, row, rows.end),
                ),
                None => {
                    let alphabet = Alphabet::of(&request.queries[row]);
                    let groups = groups_of(&alphabet);
                    own = (alphabet, groups);
                    (&own.0, &own.1, row + 1)
                }
            };
            let tile = Tile::new::<R>(request, alphabet, row..end);
            let place = (row - rows.start) * width;
            let values = &mut values[place..][..(end - row) * width];
            tile.fill::<R>(groups, (columns.start, width), values, control)?;
            row = end;
        }
        first = end;
    }
    Ok(values)
}

/// End of the queries from `row` on whose patterns are kept at once.
fn patterns_end<S: Symbol>(
    request: &Request<'_, S>,
    alphabet: &Alphabet<S>,
    row: usize,
    end: usize,
) -> usize {
    let stride = (alphabet.codes + 1).next_power_of_two();
    let mut words = 0;
    let fits = |&row: &usize| {
        words += Pattern::limbs(request.queries.len_of(row)) * stride;
        words <= PATTERN_WORDS
    };
    row + (row..end.min(row + PATTERNS))
        .take_while(fits)
        .count()
        .max(1)
}

/// Patterns of consecutive queries.
struct Tile<'a, 'r, S: Symbol> {
    request: &'a Request<'r, S>,
    patterns: Vec<Pattern>,
}

impl<'a, 'r, S: Symbol> Tile<'a, 'r, S> {
    fn new<R: Batched>(
        request: &'a Request<'r, S>,
        alphabet: &Alphabet<S>,
        rows: Range<usize>,
    ) -> Self {
        let pattern = |row: usize| {
            let query = &request.queries[row];
            let codes = query.iter().map(|&symbol| alphabet.code(symbol));
            let limbs = Pattern::limbs(query.len());
            Pattern::new::<R>(codes, alphabet.codes, limbs, request.ends())
        };
        Self {
            request,
            patterns: rows.map(pattern).collect(),
        }
    }

    /// Writes the values of all rows with the targets of the groups; a row has `width` values, and
    /// the first is that of target `first_column`.
    fn fill<R: Batched>(
        &self,
        groups: &[Group],
        (first_column, width): (usize, usize),
        values: &mut [u32],
        control: &Control,
    ) -> Result<()> {
        let in_group = |group: &Group| -> Result<Vec<u32>> {
            let mut found = Vec::with_capacity(self.patterns.len() * GROUP);
            let mut first = Vec::new();
            for pattern in &self.patterns {
                control.check()?;
                first.clear();
                first.extend(pattern.first.iter().flat_map(|&word| [word; GROUP]));
                let batch = Batch {
                    masks: &pattern.masks,
                    stride: pattern.stride,
                    starts: [0; GROUP],
                    first: &first,
                    values: [pattern.first_value::<R>(); GROUP],
                    codes: &group.codes,
                    lens: group.lens,
                    ends: self.request.ends(),
                    limit: self.request.limit(),
                };
                let of_lane = |(lane, value): (usize, u64)| {
                    self.request
                        .value(value, (pattern.len as u64, group.lens[lane]))
                };
                found.extend(batch.values::<R>().into_iter().enumerate().map(of_lane));
            }
            Ok(found)
        };
        let symbols: u64 = groups.iter().flat_map(|group| group.lens).sum();
        let query_symbols: usize = self.patterns.iter().map(|pattern| pattern.len.max(1)).sum();
        let is_small = symbols.saturating_mul(query_symbols as u64) <= CELLS_OF_ONE_THREAD;
        let found: Vec<Vec<u32>> = if is_small {
            groups.iter().map(in_group).collect::<Result<_>>()?
        } else {
            groups.par_iter().map(in_group).collect::<Result<_>>()?
        };
        let scatter = |(row, values): (usize, &mut [u32])| {
            for (group, found) in groups.iter().zip(&found) {
                for (&target, &value) in group.targets.iter().zip(&found[row * GROUP..]) {
                    values[target - first_column] = value;
                }
            }
        };
        if is_small {
            values.chunks_mut(width).enumerate().for_each(scatter);
        } else {
            values.par_chunks_mut(width).enumerate().for_each(scatter);
        }
        Ok(())
    }
}

/// Values of single pairs, in their order.
///
/// # Errors
/// [`Error::Cancelled`](crate::Error::Cancelled).
pub(super) fn entries<S: Symbol>(
    request: &Request<'_, S>,
    shared: Option<&Alphabet<S>>,
    pairs: &[(usize, usize)],
    control: &Control,
) -> Result<Vec<u32>> {
    match request.measure {
        Measure::Edit => entries_of::<Edit, S>(request, shared, pairs, control),
        Measure::Indel | Measure::Lcs => entries_of::<Lcs, S>(request, shared, pairs, control),
    }
}

fn entries_of<R: Batched, S: Symbol>(
    request: &Request<'_, S>,
    shared: Option<&Alphabet<S>>,
    pairs: &[(usize, usize)],
    control: &Control,
) -> Result<Vec<u32>> {
    let (queries, targets) = (request.queries, request.targets);
    let mut order: Vec<usize> = (0..pairs.len()).collect();
    order.sort_by_key(|&place| {
        let (query, target) = pairs[place];
        (
            Pattern::limbs(queries.len_of(query)),
            targets.len_of(target),
        )
    });
    let of_group = |places: &[usize]| -> Result<[u64; GROUP]> {
        control.check()?;
        let of = |&place: &usize| (&queries[pairs[place].0], &targets[pairs[place].1]);
        let strings: Vec<_> = places.iter().map(of).collect();
        let own: Vec<Alphabet<S>> = match shared {
            Some(_) => Vec::new(),
            None => strings
                .iter()
                .map(|(query, _)| Alphabet::of(query))
                .collect(),
        };
        let alphabet = |lane: usize| shared.unwrap_or_else(|| &own[lane]);
        let codes = (0..places.len())
            .map(|lane| alphabet(lane).codes)
            .max()
            .unwrap_or(0);
        let limbs = strings
            .iter()
            .map(|(query, _)| Pattern::limbs(query.len()))
            .max()
            .unwrap_or(1);
        let texts: Vec<_> = strings.iter().map(|&(_, text)| (0, text)).collect();
        let group = Group::new(&texts, |lane, symbol| alphabet(lane).code(symbol));
        let (mut masks, mut first) = (Vec::new(), vec![0; limbs * GROUP]);
        let (mut starts, mut values, mut stride) = ([0; GROUP], [0; GROUP], 1);
        for (lane, (query, _)) in strings.iter().enumerate() {
            let of_query = query.iter().map(|&symbol| alphabet(lane).code(symbol));
            let pattern = Pattern::new::<R>(of_query, codes, limbs, request.ends());
            (starts[lane], stride) = (masks.len() as u64, pattern.stride);
            values[lane] = pattern.first_value::<R>();
            masks.extend_from_slice(&pattern.masks);
            (0..limbs).for_each(|limb| first[limb * GROUP + lane] = pattern.first[limb]);
        }
        let batch = Batch {
            masks: &masks,
            stride,
            starts,
            first: &first,
            values,
            codes: &group.codes,
            lens: group.lens,
            ends: request.ends(),
            limit: request.limit(),
        };
        let mut found = batch.values::<R>();
        for (found, (query, text)) in found.iter_mut().zip(&strings) {
            let lens = (query.len() as u64, text.len() as u64);
            *found = request.value(*found, lens).into();
        }
        Ok(found)
    };
    let cells = |&(query, target): &(usize, usize)| {
        queries.len_of(query) as u64 * targets.len_of(target) as u64
    };
    let groups = order.chunks(GROUP);
    let found: Vec<_> = if pairs.iter().map(cells).sum::<u64>() <= CELLS_OF_ONE_THREAD {
        groups.map(of_group).collect::<Result<_>>()?
    } else {
        groups
            .collect::<Vec<_>>()
            .into_par_iter()
            .map(of_group)
            .collect::<Result<_>>()?
    };
    let mut values = vec![0; pairs.len()];
    for (places, found) in order.chunks(GROUP).zip(found) {
        for (&place, value) in places.iter().zip(found) {
            values[place] = value as u32;
        }
    }
    Ok(values)
}
