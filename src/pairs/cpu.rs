//! Values of pairs in SIMD lanes, multi-threaded.

use std::cmp::{Ordering, Reverse};
use std::ops::Range;
use std::sync::{Mutex, PoisonError};

use super::each;
use super::lanes::InLanes;
use super::measure::Measure;
use super::prepared::Prepared;
use super::request::{Request, Scoring};
use super::search::{Hit, Search};
use super::selection::Selection;
use super::strings::List;
use super::texts::Texts;
use super::values::{Value, Values, for_width};
use super::work::Work;
use crate::call::control::Control;
use crate::edit_distance::Mode;
use crate::error::Result;
use crate::host::lock;
use crate::host::parallel::{self, Memory};
use crate::search::words::Plan;
use crate::sequences::bit_parallel::cpu::batch::{Batch, GROUP, Pattern};
use crate::sequences::bit_parallel::cpu::jaro;
use crate::sequences::bit_parallel::cpu::lane_patterns::{Batched, Osa};
use crate::sequences::bit_parallel::cpu::shared_text::{LaneValues, LaneWidth};
use crate::sequences::bit_parallel::cpu::small::PreparedRows;
use crate::sequences::bit_parallel::cpu::vector::Lane;
use crate::sequences::bit_parallel::cpu::windows::WindowPatterns;
use crate::sequences::bit_parallel::recurrence::{Edit, Lcs, Recurrence};
use crate::sequences::codes::Symbol;
use crate::sequences::typed::for_type;
use crate::symbols::alphabet::Alphabet;

/// Minimum queries that run in lanes: fewer leave most lanes unused.
pub(crate) const MIN_QUERIES: usize = 6;
/// Symbols of a query that fit a limb.
const MAX_SHORT: usize = 64;
/// Targets of a short query that a thread takes at least.
const MIN_TARGETS: usize = 1 << 10;
/// Pairs of fewer queries that are collected at once.
const LISTED_PAIRS: usize = 1 << 16;
/// Symbols of targets that are coded at once.
const TEXT_SYMBOLS: u64 = 1 << 22;
/// Maximum symbols per limb of a block of targets.
const BLOCK_SYMBOLS: usize = 1 << 14;
/// Minimum stripes of rows of a triangle of pairs: the lower half of a stripe is in vain.
const STRIPES: usize = 8;
/// Cells that the calling thread fills before a thread of the pool has woken up.
const CELLS_OF_ONE_THREAD: u64 = 1 << 21;

/// Values of all queries `rows` with all targets `columns`, row by row. In a triangle, each row
/// begins one column behind the one above it.
pub(super) fn rectangle(
    work: &Work<'_>,
    rows: Range<usize>,
    columns: Range<usize>,
    control: &Control,
) -> Result<Values> {
    for_width!(work.request.width(), V => stripes::<V>(work, rows, columns, control))
}

fn stripes<V: Value>(
    work: &Work<'_>,
    rows: Range<usize>,
    columns: Range<usize>,
    control: &Control,
) -> Result<Values> {
    let (request, shared) = (&work.request, work.alphabet.as_ref());
    let whole = |rows: Range<usize>, columns: Range<usize>| {
        let has_lanes = rows.len() >= MIN_QUERIES;
        if request.measure.is_of_each() && !(has_lanes && fits_lanes(request)) {
            return each::rectangle::<V>(work, rows, columns, control);
        }
        if !has_lanes {
            return of_few::<V>(work, rows, columns, control);
        }
        let rows: Vec<_> = rows.collect();
        of_many::<V>(request, shared, &rows, columns, control)
    };
    if !matches!(work.selection, Selection::Symmetric) {
        return Ok(V::values(whole(rows, columns)?));
    }
    let height = rows.len().div_ceil(STRIPES).max(LaneWidth::W8.lanes());
    let mut values = Vec::new();
    for first in (0..rows.len()).step_by(height) {
        let end = rows.len().min(first + height);
        let stripe = whole(
            rows.start + first..rows.start + end,
            columns.start + first..columns.end,
        )?;
        let width = columns.len() - first;
        let of_row = |(row, values)| <[V]>::iter(values).skip(row);
        values.extend(stripe.chunks(width.max(1)).enumerate().flat_map(of_row));
    }
    Ok(V::values(values))
}

/// Values of queries that are searched as planned, and offsets in the targets, before which no piece
/// within the bound has the value of its pair. Reports the cells as done.
pub(super) fn searched(
    request: &Request<'_>,
    alphabet: &Alphabet,
    plan: &Plan,
    rows: Range<usize>,
    columns: Range<usize>,
    control: &Control,
) -> Result<(Values, Vec<u32>)> {
    for_width!(request.width(), V => {
        searched_of::<V>(request, alphabet, plan, rows, columns, control)
    })
}

fn searched_of<V: Value>(
    request: &Request<'_>,
    alphabet: &Alphabet,
    plan: &Plan,
    rows: Range<usize>,
    columns: Range<usize>,
    control: &Control,
) -> Result<(Values, Vec<u32>)> {
    let width = columns.len();
    let above_bound = V::narrowed(request.scoring().value(u64::MAX, (0, 0)));
    let pairs = rows.len() * width;
    let found = Mutex::new((vec![above_bound; pairs], vec![0; pairs]));
    for queries in &plan.groups {
        let take = |hits: &[Hit]| {
            let mut found = lock(&found);
            let (values, offsets) = &mut *found;
            for hit in hits {
                let row = queries[hit.query as usize] - rows.start;
                let index = row * width + hit.target as usize - columns.start;
                let (value, offset) = (&mut values[index], &mut offsets[index]);
                let of_hit = V::narrowed(hit.value);
                match of_hit.cmp(value) {
                    Ordering::Less => (*value, *offset) = (of_hit, hit.offset),
                    Ordering::Equal => *offset = hit.offset.min(*offset),
                    Ordering::Greater => {}
                }
            }
        };
        let columns = columns.clone();
        let longest = queries.iter().map(|&query| request.queries.len_of(query));
        if longest.max().unwrap_or(0) <= WindowPatterns::<u32>::MAX_LEN {
            Search::<u32>::new(request, alphabet, plan, queries).run(columns, control, take)?;
        } else {
            Search::<u64>::new(request, alphabet, plan, queries).run(columns, control, take)?;
        }
    }
    let found = found.into_inner();
    let (mut values, offsets) = found.unwrap_or_else(PoisonError::into_inner);
    let others = &plan.others;
    if !others.is_empty() {
        let of_others = of_many::<V>(request, Some(alphabet), others, columns.clone(), control)?;
        for (&query, of_query) in others.iter().zip(of_others.chunks(width.max(1))) {
            values[(query - rows.start) * width..][..width].copy_from_slice(of_query);
        }
        let symbols = request.targets.symbols_before(columns.end)
            - request.targets.symbols_before(columns.start);
        let lens = others
            .iter()
            .map(|&query| request.queries.len_of(query).max(1));
        control.add_done(symbols.saturating_mul(lens.sum::<usize>() as u64));
    }
    Ok((V::values(values), offsets))
}

/// Values of few queries. Strings that the targets keep in lanes are compared there; with the others,
/// short queries have one target after the other, and longer ones a lane for each pair.
fn of_few<V: Value>(
    work: &Work<'_>,
    rows: Range<usize>,
    columns: Range<usize>,
    control: &Control,
) -> Result<Vec<V>> {
    let (request, width) = (&work.request, columns.len());
    let is_kept = request.mode == Mode::Global && width == request.targets.len();
    let prepared = Some(request.targets).filter(|_| is_kept);
    let make = || Prepared::new(request.targets);
    let prepared = prepared
        .and_then(List::kept)
        .map(|kept| kept.get_or_make(make));
    let prepared = prepared.as_deref();
    let others = prepared.map_or(width, |prepared| prepared.others.len());
    let other = |index: usize| prepared.map_or(columns.start + index, |kept| kept.others[index]);
    let mut values = vec![V::default(); rows.len() * width];
    for (row, values) in rows.zip(values.chunks_mut(width.max(1))) {
        if let Some(prepared) = prepared {
            prepared.write(request, row, values, control)?;
        }
        let is_short = request.queries.len_of(row) <= MAX_SHORT;
        let found = if is_short && request.mode == Mode::Global && request.measure.is_swept() {
            match request.measure {
                Measure::Edit => of_short::<Edit, V>(request, row, others, other, control)?,
                _ => of_short::<Lcs, V>(request, row, others, other, control)?,
            }
        } else {
            let mut found = Vec::with_capacity(others);
            for first in (0..others).step_by(LISTED_PAIRS) {
                let end = others.min(first + LISTED_PAIRS);
                let pairs: Vec<_> = (first..end).map(|index| (row, other(index))).collect();
                found.extend(entries(work, &pairs, control)?.into_iter().map(V::narrowed));
            }
            found
        };
        for (index, value) in found.into_iter().enumerate() {
            values[other(index) - columns.start] = value;
        }
    }
    Ok(values)
}

/// Values of a query of one limb with `count` targets, which are read once, in their order.
fn of_short<R: Recurrence, V: Value>(
    request: &Request<'_>,
    query: usize,
    count: usize,
    target: impl Fn(usize) -> usize + Sync,
    control: &Control,
) -> Result<Vec<V>> {
    let (query, targets) = (request.queries.string(query), request.targets);
    let alphabet = Alphabet::of([query]);
    let codes = alphabet.encoded(query).into_iter();
    let rows = PreparedRows::new(codes.map(|code| code as usize), alphabet.codes() + 1);
    let scoring = request.scoring();
    let value = |index: usize| {
        let target = targets.string(target(index));
        let last = for_type!(target, |symbols| {
            let codes = symbols.iter().map(|symbol| alphabet.code(symbol.place()));
            rows.last_value::<R>(codes.map(|code| code as usize))
        });
        let lens = (query.len() as u64, target.len() as u64);
        V::narrowed(scoring.value(last as u64, lens))
    };
    let of_range = |range: Range<usize>| {
        control.check()?;
        Ok(range.map(value).collect::<Vec<_>>())
    };
    let symbols: usize = (0..count).map(|index| targets.len_of(target(index))).sum();
    let range_len = if symbols as u64 * MAX_SHORT as u64 <= CELLS_OF_ONE_THREAD {
        count
    } else {
        parallel::range_len(count, MIN_TARGETS)
    };
    let found = parallel::try_map_ranges(count, range_len.max(1), of_range)?;
    Ok(parallel::concat(found))
}

/// Width of the lanes of a group, its rows with their queries, and the values of each row.
type PatternsOfWidth<'g, 'v, V> = (LaneWidth, &'g [(usize, usize)], Vec<&'v mut [V]>);

/// True for Hamming distances and Jaro similarities of strings that lanes hold.
fn fits_lanes(request: &Request<'_>) -> bool {
    let fits = |list: List<'_>, max: usize| list.lens().all(|len| len <= max);
    let max_target = match request.measure {
        Measure::Hamming => usize::MAX,
        Measure::Jaro | Measure::JaroWinkler => jaro::MAX_TEXT,
        _ => return false,
    };
    fits(request.queries, MAX_SHORT) && fits(request.targets, max_target)
}

/// Values of many queries: a lane for each query, one target after the other.
fn of_many<V: Value>(
    request: &Request<'_>,
    shared: Option<&Alphabet>,
    rows: &[usize],
    columns: Range<usize>,
    control: &Control,
) -> Result<Vec<V>> {
    let (queries, targets) = (request.queries, request.targets);
    let query_symbols: u64 = rows
        .iter()
        .map(|&query| queries.len_of(query).max(1) as u64)
        .sum();
    let mut values = vec![V::default(); rows.len() * columns.len()];
    // Longest first, so that only the last group has unused lanes.
    let mut order: Vec<(usize, usize)> = rows.iter().copied().enumerate().collect();
    order.sort_by_key(|&(_, query)| Reverse(queries.len_of(query)));
    let mut first = columns.start;
    while first < columns.end {
        let end = targets.chunk_end(first..columns.end, TEXT_SYMBOLS);
        let texts = shared.map(|alphabet| Texts::new(targets, first..end, alphabet));
        let here = first - columns.start..end - columns.start;
        let mut values_of: Vec<_> = values
            .chunks_mut(columns.len())
            .map(|row| &mut row[here.clone()])
            .collect();
        let (mut groups, mut rest) = (Vec::new(), &order[..]);
        while let Some(&(_, longest)) = rest.first() {
            let width = LaneWidth::of(queries.len_of(longest), request.ends());
            let (of_group, others) = rest.split_at(width.lanes().min(rest.len()));
            let values = of_group
                .iter()
                .map(|&(row, _)| std::mem::take(&mut values_of[row]));
            groups.push((width, of_group, values.collect::<Vec<_>>()));
            rest = others;
        }
        let symbols = targets.symbols_before(end) - targets.symbols_before(first);
        let is_small = symbols.saturating_mul(query_symbols) <= CELLS_OF_ONE_THREAD;
        let fill = |(width, of_group, values): &mut PatternsOfWidth<'_, '_, V>| {
            let own;
            let (alphabet, texts) = match (shared, &texts) {
                (Some(alphabet), Some(texts)) => (alphabet, texts),
                _ => {
                    let strings = of_group.iter().map(|&(_, query)| queries.string(query));
                    let alphabet = Alphabet::of(strings);
                    let texts = Texts::new(targets, first..end, &alphabet);
                    own = (alphabet, texts);
                    (&own.0, &own.1)
                }
            };
            let pattern = |&(_, query): &(usize, usize)| alphabet.encoded(queries.string(query));
            let group = Group {
                patterns: of_group.iter().map(pattern).collect(),
                codes: alphabet.codes(),
                texts,
                values: std::mem::take(values),
                scoring: request.scoring(),
            };
            match width {
                LaneWidth::W8 => group.fill::<u8>(is_small, control),
                LaneWidth::W16 => group.fill::<u16>(is_small, control),
                LaneWidth::W32 => group.fill::<u32>(is_small, control),
                LaneWidth::W64 => group.fill::<u64>(is_small, control),
            }
        };
        if is_small {
            groups.iter_mut().try_for_each(fill)?;
        } else {
            parallel::try_map_mut(&mut groups, |_, group| fill(group))?;
        }
        first = end;
    }
    Ok(values)
}

/// Queries in the lanes of a group.
struct Group<'a, V> {
    patterns: Vec<Vec<u32>>,
    codes: usize,
    texts: &'a Texts,
    /// Values of each query with the texts.
    values: Vec<&'a mut [V]>,
    scoring: Scoring,
}

impl<V: Value> Group<'_, V> {
    fn fill<T: Lane>(self, is_small: bool, control: &Control) -> Result<()> {
        let Self {
            patterns,
            texts,
            scoring,
            ..
        } = self;
        let group = InLanes::new(scoring.measure, &patterns, self.codes, scoring.ends, texts);
        let mut rest = self.values;
        let blocks = texts.blocks(BLOCK_SYMBOLS / group.limbs()).map(|block| {
            let rows = std::mem::take(&mut rest).into_iter();
            let values;
            (values, rest) = rows.map(|row| row.split_at_mut(block.len())).unzip();
            (block, values)
        });
        let of_block = |found: &mut LaneValues<T>, (block, rows): &mut (_, Vec<&mut [V]>)| {
            control.check()?;
            let texts: Vec<_> = Range::clone(block).map(|index| texts.text(index)).collect();
            group.values(&texts, scoring.limit, found);
            for (lane, (row, pattern)) in rows.iter_mut().zip(&patterns).enumerate() {
                group.write(&scoring, pattern, &texts, found.of_lane(lane), row);
            }
            Ok(())
        };
        if is_small {
            let mut found = LaneValues::default();
            blocks
                .into_iter()
                .try_for_each(|mut block| of_block(&mut found, &mut block))
        } else {
            let memory = Memory::new(LaneValues::default);
            let mut blocks: Vec<_> = blocks.collect();
            parallel::try_map_mut(&mut blocks, |_, block| {
                memory.with(|found| of_block(found, block))
            })?;
            Ok(())
        }
    }
}

/// Values of single pairs, in their order.
pub(super) fn entries(
    work: &Work<'_>,
    pairs: &[(usize, usize)],
    control: &Control,
) -> Result<Vec<u32>> {
    match work.request.measure {
        Measure::Edit => entries_of::<Edit>(work, pairs, control),
        Measure::Osa => entries_of::<Osa>(work, pairs, control),
        measure if measure.is_of_each() => each::entries(work, pairs, control),
        _ => entries_of::<Lcs>(work, pairs, control),
    }
}

fn entries_of<R: Batched>(
    work: &Work<'_>,
    pairs: &[(usize, usize)],
    control: &Control,
) -> Result<Vec<u32>> {
    let (request, shared) = (&work.request, work.alphabet.as_ref());
    let (queries, targets) = (request.queries, request.targets);
    let scoring = request.scoring();
    let mut order: Vec<usize> = (0..pairs.len()).collect();
    order.sort_by_key(|&place| {
        let (query, target) = pairs[place];
        (
            Pattern::limbs(queries.len_of(query)),
            targets.len_of(target),
        )
    });
    let of_group = |indices: &[usize]| -> Result<[u64; GROUP]> {
        control.check()?;
        // Lanes of one query share its masks.
        let (mut distinct, mut pattern_of) = (Vec::new(), [0; GROUP]);
        for (&place, pattern_of) in indices.iter().zip(&mut pattern_of) {
            let query = pairs[place].0;
            let known = distinct.iter().position(|&other| other == query);
            *pattern_of = known.unwrap_or(distinct.len());
            if known.is_none() {
                distinct.push(query);
            }
        }
        let own: Vec<Alphabet> = match shared {
            Some(_) => Vec::new(),
            None => distinct
                .iter()
                .map(|&query| Alphabet::of([queries.string(query)]))
                .collect(),
        };
        let alphabet = |index: usize| shared.unwrap_or_else(|| &own[index]);
        let of_distinct = 0..distinct.len();
        let codes = of_distinct
            .clone()
            .map(|index| alphabet(index).codes())
            .max();
        let limbs = distinct
            .iter()
            .map(|&query| Pattern::limbs(queries.len_of(query)))
            .max()
            .unwrap_or(1);
        let pattern = |index: usize| {
            let of_query = alphabet(index).encoded(queries.string(distinct[index]));
            Pattern::new::<R>(
                of_query.into_iter(),
                codes.unwrap_or(0),
                limbs,
                request.ends(),
            )
        };
        let patterns: Vec<_> = of_distinct.map(pattern).collect();
        let masks: Vec<_> = patterns.iter().map(|pattern| &pattern.masks[..]).collect();
        let masks = masks.concat();
        let longest = indices
            .iter()
            .map(|&place| targets.len_of(pairs[place].1))
            .max();
        let mut text_codes = vec![0; longest.unwrap_or(0) * GROUP];
        let mut first = vec![0; limbs * GROUP];
        let (mut starts, mut values, mut lens) = ([0; GROUP], [0; GROUP], [0; GROUP]);
        for (lane, &place) in indices.iter().enumerate() {
            let (index, text) = (pattern_of[lane], targets.string(pairs[place].1));
            let pattern = &patterns[index];
            starts[lane] = (index * pattern.masks.len()) as u64;
            values[lane] = pattern.first_value::<R>();
            lens[lane] = text.len() as u64;
            (0..limbs).for_each(|limb| first[limb * GROUP + lane] = pattern.first[limb]);
            let mut columns = text_codes.iter_mut().skip(lane).step_by(GROUP);
            alphabet(index).for_each(text, |code| {
                if let Some(column) = columns.next() {
                    *column = code;
                }
            });
        }
        let batch = Batch {
            masks: &masks,
            stride: patterns.first().map_or(1, |pattern| pattern.stride),
            starts,
            first: &first,
            values,
            codes: &text_codes,
            lens,
            ends: request.ends(),
            limit: scoring.limit,
        };
        let mut found = batch.values::<R>();
        for (lane, (found, len)) in found.iter_mut().zip(lens).enumerate() {
            let query_len = patterns
                .get(pattern_of[lane])
                .map_or(0, |pattern| pattern.len);
            *found = scoring.value(*found, (query_len as u64, len)).into();
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
        let groups: Vec<_> = groups.collect();
        parallel::try_map(groups.len(), |group| of_group(groups[group]))?
    };
    let mut values = vec![0; pairs.len()];
    for (indices, found) in order.chunks(GROUP).zip(found) {
        for (&place, value) in indices.iter().zip(found) {
            values[place] = value as u32;
        }
    }
    Ok(values)
}
