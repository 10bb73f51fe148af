//! Search from both ends until the directions meet.

use super::meeting;
use super::plan::{MET, NOT_MET, SearchPlan};
use super::side::Side;
use super::sizes::{SearchSizes, WAVEFRONTS};
use super::trace;
use crate::backend::{Session, Span};
use crate::error::Result;
use crate::host::parallel::collect_ranges;
use crate::plan::Resident;
use crate::sequences::blocks::{Block, Blocks};
use crate::sequences::codes::{Encoded, Symbol};
use crate::sequences::diagonal_transition::WavefrontRecurrence;
use crate::sequences::equal::{equal_prefix, equal_suffix};
use crate::sequences::pair::Pair;

/// The distance with the path, if found, and the number of furthest-reaching points computed.
pub(super) type SearchResult = (Option<(u64, Option<Blocks>)>, u64);

/// Symbols per parallel task.
const TASK_SYMBOLS: usize = 1 << 16;

/// Searches up to the bound of `front`, rounded up to full passes. The path is the canonical one,
/// if requested.
pub(super) async fn search<R: WavefrontRecurrence, S: Symbol>(
    session: &Session<'_>,
    Pair { a, b }: Pair<'_, S>,
    codes: &Encoded,
    front: &SearchSizes,
) -> Result<SearchResult> {
    if a.len().abs_diff(b.len()) as u64 > front.bound {
        return Ok((None, 0));
    }
    let slid = [equal_prefix(a, b), equal_suffix(a, b)];
    if slid[0] == a.len().max(b.len()) {
        let path = front.every.map(|_| {
            Blocks::from_iter([Block {
                a: 0,
                b: 0,
                len: slid[0],
            }])
        });
        return Ok((Some((0, path)), slid[0] as u64));
    }
    let make = |resident: &Resident| SearchPlan::new::<R>(front, codes, slid, resident);
    let end = Span {
        buffer: MET,
        first: 0,
        words: 1,
    };
    let reverse = |_: &SearchPlan| {
        Ok([b, a].map(|symbols| {
            collect_ranges(symbols.len(), TASK_SYMBOLS, |range| {
                let from = symbols.len() - range.end..symbols.len() - range.start;
                symbols[from].iter().rev().copied()
            })
        }))
    };
    let ((planned, words), reversed) = session.round(&make, &|_| vec![end], &reverse).await?;
    let met = words.first().copied().unwrap_or(NOT_MET);
    let passes = if met == NOT_MET {
        front.passes()
    } else {
        u64::from(met) / WAVEFRONTS
    };
    let cells = (0..passes.min(front.passes()))
        .map(|pass| front.points(pass))
        .sum();
    if met == NOT_MET {
        return Ok((None, cells));
    }
    let [b_back, a_back] = match reversed {
        Some(reversed) => reversed,
        None => reverse(&planned)?,
    };
    let sides = [
        Side {
            a,
            b,
            kept: &planned.kept[0],
            slid: slid[0],
        },
        Side {
            a: &b_back,
            b: &a_back,
            kept: &planned.kept[1],
            slid: slid[1],
        },
    ];
    let meeting = meeting::find::<R, S>(session, &sides, u64::from(met)).await?;
    let distance = meeting.distances[0] + meeting.distances[1];
    // Paths of greater distance can use diagonals that the bound excludes.
    if distance > 2 * front.half() {
        return Ok((None, cells));
    }
    if front.every.is_none() {
        return Ok((Some((distance, None)), cells));
    }
    let path = trace::path::<R, S>(session, &sides, &meeting).await?;
    Ok((Some((distance, Some(path))), cells))
}
