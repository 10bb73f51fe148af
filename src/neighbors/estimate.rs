//! Numbers of pairs, estimated from a sample.

use std::ops::ControlFlow;
use std::sync::OnceLock;

use super::expansion::Expand;
use super::request::Request;
use super::shard::Shard;
use super::solve::Joined;
use crate::call::control::Control;
use crate::call::hand_over::{HandOver, ready};
use crate::engine::Engine;
use crate::engine::placement::Call;
use crate::error::Result;
use crate::pairs::strings::List;
use crate::query::StringList;
use crate::sequences::typed::map_type;
use crate::symbols::hash::mix;

/// Strings of the first sample and of the largest one: where few pairs are found, a sample has four
/// times as many strings as the one before.
const FIRST_SAMPLE: usize = 1 << 10;
const MAX_SAMPLE: usize = 1 << 16;
/// Pairs that tell their number well enough.
const TELLING_PAIRS: u64 = 1000;

/// Rough numbers of pairs of a call, from a sample of its strings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Estimate {
    /// Pairs within the bound.
    pub pairs: u64,
    /// Pairs of distinct strings that are candidates.
    pub candidates: u64,
}

/// Estimate for a call; exact if all strings fit the sample.
pub(super) fn estimate(engine: &Engine, request: &Request<'_>) -> Result<Estimate> {
    request.check(engine)?;
    let whole = Request {
        shard: Shard::ALL,
        lengths: OnceLock::new(),
        ..*request
    };
    let mut size = FIRST_SAMPLE;
    loop {
        let [of_rows, of_columns] = request.groups;
        let (rows, row_groups) = sampled(request.rows, of_rows, size, 1);
        let columns = request
            .columns
            .map(|columns| sampled(columns, of_columns, size, 2));
        let (columns, column_groups) = columns.unzip();
        let rows = list_of(&rows);
        let columns = columns.as_ref().map(list_of);
        let column_groups = column_groups.as_deref().unwrap_or(&row_groups);
        let sampled = Request {
            rows,
            columns,
            groups: [&row_groups, column_groups],
            lengths: OnceLock::new(),
            ..whole
        };
        let (control, blocks) = (Control::default(), HandOver::default());
        let call = Call::start(engine, &control);
        let plan = engine.on_threads(|| whole.plan_of_all(false));
        let mut joined = Joined::new(&sampled, Expand::new(&blocks, &|_| Ok(())));
        let joining = joined.run(&call, Some(plan), None);
        let done = ready(blocks.drive(joining, |_| Ok(ControlFlow::Continue(()))))?;
        let (pairs, candidates) = (done.pairs, done.work.candidates);
        let is_all = rows.len() == request.rows.len()
            && request.columns.map(List::len) == columns.map(List::len);
        if pairs < TELLING_PAIRS && size < MAX_SAMPLE && !is_all {
            size *= 4;
            continue;
        }
        let all = |rows: List<'_>, columns: Option<List<'_>>| match columns {
            Some(columns) => rows.len() as f64 * columns.len() as f64,
            None => rows.len() as f64 * (rows.len() as f64 - 1.0) / 2.0,
        };
        let times = all(request.rows, request.columns) / all(rows, columns).max(1.0);
        let times = (times / request.shard.shares as f64).max(0.0);
        return Ok(Estimate {
            pairs: (pairs as f64 * times).round() as u64,
            candidates: (candidates as f64 * times).round() as u64,
        });
    }
}

fn list_of<'a>(list: &'a StringList<'_>) -> List<'a> {
    map_type!(list, |list| list)
}

/// Random strings of a list and their groups, in order; all of them if there are no more than
/// `size`.
fn sampled<'a>(
    list: List<'a>,
    groups: &[u32],
    size: usize,
    seed: u64,
) -> (StringList<'a>, Vec<u32>) {
    if list.len() <= size {
        return (map_type!(list, |list| list.borrowed()), groups.to_vec());
    }
    // One of each stretch, at a random place.
    let place = |index: usize| {
        let start = |index: usize| (index as u128 * list.len() as u128 / size as u128) as usize;
        let len = start(index + 1) - start(index);
        start(index) + mix(seed << 32 | index as u64) as usize % len
    };
    let places = (0..size).map(place);
    let groups = places
        .clone()
        .filter_map(|place| groups.get(place).copied());
    let groups = groups.collect();
    (map_type!(list, |list| list.select(places)), groups)
}
