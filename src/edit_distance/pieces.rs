//! Prefix and infix calls: the least distance, the ends, the starts, and the alignment to the first
//! piece.

use std::pin::Pin;

use super::filter::{self, Filter};
use super::global::global;
use super::locate::{self, Ends};
use super::search::PieceSearch;
use super::{
    Alignment, Distance, EditOptions, Method, Mode, Piece, Run, Solved, reference, starts,
    text_search,
};
use crate::call::phase::Phase;
use crate::call::phases::Phases;
use crate::engine::{CPU, Engine};
use crate::error::{Error, Result};
use crate::pairwise::bit_parallel::recurrence::{self, Recurrence as _};
use crate::pairwise::codes::{Encoded, Symbol};
use crate::pairwise::reference_method;
use crate::pairwise::related;
use crate::path_mode::PathMode;

pub(super) async fn solve<S: Symbol>(
    engine: &Engine,
    a: &[S],
    b: &[S],
    options: &EditOptions,
    phases: &Phases,
) -> Result<Solved> {
    let max_distance = options.max_distance.unwrap_or(u64::MAX);
    let reference = options.method == Method::Reference;
    if reference && options.path {
        reference_method::table_bytes(engine, a.len(), longest(a, b, options).len())?;
    }
    let mut run = Run {
        method: if reference {
            Method::Reference
        } else {
            Method::BitParallel
        },
        path_mode: PathMode::None,
        device: CPU.to_string(),
        cells: cells(a.len(), b.len()),
        computed_cells: 0,
        common_prefix: 0,
        common_suffix: 0,
        elapsed: std::time::Duration::ZERO,
        phases: Vec::new(),
    };
    let mut computed = 0;
    let several_starts = options.mode == Mode::Infix && options.starts;
    if several_starts {
        options.control.set_ceiling(SEARCH_SHARE);
    }
    let found = if reference {
        run.computed_cells = run.cells;
        let more = &mut || options.control.check().is_ok();
        let (distance, ends) =
            reference::ends_while(a, b, options.mode, more).ok_or(Error::Cancelled)?;
        Some(Ends { distance, ends })
    } else if S::MATCHES_OTHERS {
        related::check_pieces(engine, options.method.into())?;
        run.computed_cells = run.cells;
        Some(related_ends(engine, a, target(a, b, options), options)?)
    } else if let Some((found, cells)) = text_search::nearest(engine, (a, b), options, phases)? {
        computed = cells;
        found
    } else {
        check_memory(engine, (a.len(), target(a, b, options).len()), 0)?;
        let codes = Encoded::by(engine, target(a, b, options), a);
        phases.lap(Phase::Encode);
        let mut search = PieceSearch::new(engine, options, phases, &codes);
        let found = ends(&mut search, max_distance.min(a.len() as u64)).await?;
        run.device = search.device.unwrap_or(run.device);
        computed = search.cells;
        found
    };
    phases.lap(Phase::Sweep);
    let Some(Ends { distance, ends }) = found.filter(|found| found.distance <= max_distance) else {
        run.computed_cells += u128::from(computed);
        return Ok(Solved {
            distance: Distance::MoreThan(max_distance),
            pieces: Vec::new(),
            alignment: None,
            run,
        });
    };
    check_memory(engine, (a.len(), target(a, b, options).len()), ends.len())?;
    let known = match options.mode {
        Mode::Infix if !several_starts => &ends[..usize::from(options.path)],
        _ => &ends[..],
    };
    options.control.set_ceiling(1.0);
    let starts = match (options.mode, reference) {
        (Mode::Infix, true) => {
            let more = &mut || options.control.check().is_ok();
            let start = |&end: &usize| {
                reference::start_while(a, b, end, distance, more).ok_or(Error::Cancelled)
            };
            known.iter().map(start).collect::<Result<Vec<_>>>()?
        }
        (Mode::Infix, false) if S::MATCHES_OTHERS => known
            .iter()
            .map(|&end| related_start(engine, (a, &b[..end]), distance, options))
            .collect::<Result<Vec<_>>>()?,
        (Mode::Infix, false) => starts::starts(
            engine,
            (a, b),
            known,
            distance,
            &options.control,
            &mut computed,
        )?,
        _ => vec![0; known.len()],
    };
    let starts = starts.into_iter().map(Some).chain(std::iter::repeat(None));
    let pieces: Vec<_> = ends
        .iter()
        .zip(starts)
        .map(|(&end, start)| Piece { start, end })
        .collect();
    phases.lap(Phase::Starts);
    let mut alignment = None;
    if let (
        true,
        Some(&Piece {
            start: Some(start),
            end,
        }),
    ) = (options.path, pieces.first())
    {
        let whole = EditOptions {
            mode: Mode::Global,
            max_distance: None,
            gaps: None,
            ..options.clone()
        };
        let found = global(engine, a, &b[start..end], &whole, phases).await?;
        alignment = found.alignment.map(|found| {
            Alignment::new(
                found.blocks().iter().copied().collect(),
                a.len(),
                start..end,
            )
        });
        run.path_mode = found.run.path_mode;
        run.computed_cells += found.run.computed_cells;
    }
    run.computed_cells += u128::from(computed);
    Ok(Solved {
        distance: Distance::Exactly(distance),
        pieces,
        alignment,
        run,
    })
}

/// Pieces of the target at the minimum distance, for symbols that match others.
fn related_ends<S: Symbol>(
    engine: &Engine,
    a: &[S],
    target: &[S],
    options: &EditOptions,
) -> Result<Ends> {
    let first_column = match options.mode {
        Mode::Infix => [0, 0],
        _ => recurrence::Edit::FIRST_COLUMN,
    };
    let control = &options.control;
    control.add_total((a.len() as u64).saturating_mul(target.len() as u64));
    let column = engine.on_threads(|| {
        related::last_column::<recurrence::Edit, S>(target, a, first_column, control)
    })?;
    Ok(locate::minimum(&column, target.len()))
}

/// First start of a piece that ends where `b` does: on reversed sequences it is the longest nearest
/// prefix.
fn related_start<S: Symbol>(
    engine: &Engine,
    (a, b): (&[S], &[S]),
    distance: u64,
    options: &EditOptions,
) -> Result<usize> {
    let reversed = |symbols: &[S]| symbols.iter().rev().copied().collect::<Vec<_>>();
    let longest = a.len().saturating_add(distance as usize);
    let window = reversed(&b[b.len().saturating_sub(longest)..]);
    let a = reversed(a);
    let prefix = EditOptions {
        mode: Mode::Prefix,
        ..options.clone()
    };
    let found = related_ends(engine, &a, &window, &prefix)?;
    Ok(b.len() - found.ends.last().copied().unwrap_or_default())
}

/// Fraction of a call that the search for ends may take if all starts follow.
const SEARCH_SHARE: f64 = 0.5;

/// Checks the host memory of a search that has found `pieces` nearest pieces: codes and bits of the
/// last column, ends, starts and pieces.
///
/// # Errors
/// [`Error::MemoryBudget`].
pub(super) fn check_memory(
    engine: &Engine,
    (query, target): (usize, usize),
    pieces: usize,
) -> Result<()> {
    let symbols = (query as u128 + target as u128) * 5;
    let pieces = pieces as u128 * (size_of::<Piece>() + 2 * size_of::<usize>()) as u128;
    engine.check_host_budget("the search in the target", symbols + pieces)
}

/// The part of `b` that a device searches.
pub(super) fn target<'b, S>(a: &[S], b: &'b [S], options: &EditOptions) -> &'b [S] {
    match options.mode {
        Mode::Prefix => longest(a, b, options),
        Mode::Global | Mode::Infix => b,
    }
}

/// A part of `b` as long as the longest possible piece of the answer.
pub(super) fn longest<'b, S>(a: &[S], b: &'b [S], options: &EditOptions) -> &'b [S] {
    locate::within_reach(a, b, options.max_distance.unwrap_or(u64::MAX))
}

/// Boxed so that callers do not monomorphise it.
type EndsFuture<'a> = Pin<Box<dyn Future<Output = Result<Option<Ends>>> + 'a>>;

/// Pieces at the minimum distance; `None` if that exceeds `max_distance`, which is at most the
/// query's length.
fn ends<'a>(search: &'a mut PieceSearch<'_>, max_distance: u64) -> EndsFuture<'a> {
    Box::pin(search_ends(search, max_distance))
}

async fn search_ends(search: &mut PieceSearch<'_>, max_distance: u64) -> Result<Option<Ends>> {
    let (rows, cols) = (search.codes.rows.len(), search.codes.cols.len());
    match search.options.mode {
        Mode::Infix if search.options.method == Method::BitParallel => {
            let column = search.infix(0..rows, cols).await?;
            Ok(Some(locate::minimum(&column, rows)))
        }
        Mode::Infix => filter::ends(search, Filter::default(), max_distance).await,
        Mode::Global | Mode::Prefix => {
            let filtered = search.options.method != Method::BitParallel;
            if let Some(len) = Filter::default()
                .prefix(cols, max_distance)
                .filter(|_| filtered)
                && search.prefixes(len, max_distance).await?.is_none()
            {
                return Ok(None);
            }
            search.prefixes(cols, max_distance).await
        }
    }
}

fn cells(rows: usize, cols: usize) -> u128 {
    rows as u128 * cols as u128
}
