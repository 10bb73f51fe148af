//! Prefix and infix calls: a [search](crate::search) for the nearest pieces, their starts, and the
//! alignment to the first one.

use super::global::global;
use super::{Alignment, Distance, EditDistance, EditOptions, Method, Mode, Piece, reference};
use crate::call::phase::Phase;
use crate::engine::Report;
use crate::engine::placement::Call;
use crate::error::{Error, Result};
use crate::search::nearest::nearest;
use crate::search::starts::starts;
use crate::sequences::bit_parallel::cpu::text::Ends;
use crate::sequences::typed::{SymbolPair, for_type};

/// Fraction of a call that the search for ends may take if all starts follow.
const SEARCH_SHARE: f64 = 0.5;

pub(super) async fn solve(
    call: &Call<'_>,
    pair: SymbolPair<'_>,
    options: &EditOptions,
) -> Result<Report<EditDistance>> {
    let several_starts = options.mode == Mode::Infix && options.starts;
    if several_starts {
        options.control.set_ceiling(SEARCH_SHARE);
    }
    let (Ends { distance, ends }, mut run) = nearest(call, pair, options).await?;
    if ends.is_empty() {
        let answer = EditDistance {
            distance: Distance::MoreThan(options.max_distance.unwrap_or(u64::MAX)),
            pieces: Vec::new(),
            alignment: None,
        };
        return Ok(Report::new(answer, run));
    }
    let known = match options.mode {
        Mode::Infix if !several_starts => &ends[..usize::from(options.path)],
        _ => &ends[..],
    };
    options.control.set_ceiling(1.0);
    let mut computed = 0;
    let starts = match options.mode {
        Mode::Infix if options.method == Method::Reference => {
            let more = &mut || options.control.check().is_ok();
            let start = |&end: &usize| {
                for_type!(pair, |pair| {
                    reference::start_while(pair.a, pair.b, end, distance, more)
                })
                .ok_or(Error::Cancelled)
            };
            known.iter().map(start).collect::<Result<Vec<_>>>()?
        }
        Mode::Infix => for_type!(pair, |pair| {
            starts(call, pair, known, distance, &mut computed)?
        }),
        _ => vec![0; known.len()],
    };
    let starts = starts.into_iter().map(Some).chain(std::iter::repeat(None));
    let pieces: Vec<_> = ends
        .iter()
        .zip(starts)
        .map(|(&end, start)| Piece { start, end })
        .collect();
    call.phases.lap(Phase::Starts);
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
        let found = global(call, pair.with_part(start..end), &whole).await?;
        alignment = found.answer.alignment.map(|found| {
            Alignment::new(
                found.blocks().iter().copied().collect(),
                pair.lens().0,
                start..end,
            )
        });
        run.path_mode = found.run.path_mode;
        run.computed_cells += found.run.computed_cells;
    }
    run.computed_cells += u128::from(computed);
    let answer = EditDistance {
        distance: Distance::Exactly(distance),
        pieces,
        alignment,
    };
    Ok(Report::new(answer, run))
}
