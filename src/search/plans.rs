//! Groups of probes that are searched together on the CPU, by the words of their pieces.

use super::nearest;
use super::options::SearchOptions;
use super::patterns::Probes;
use super::words::{self, Costs, Plan};
use crate::sequences::bit_parallel::cpu::text::Pattern;

/// Cells of a sweep of a text in the expected time of an instruction of the search by words: 312
/// patterns of 20 within 4 edits in nvidia-h200/2026-11-29-search.txt, 16 threads.
const CELLS_PER_INSTRUCTION: f64 = 32.0;
/// Cells of calls that take no time.
const SMALL_CELLS: u64 = 1 << 24;

#[derive(Debug, Default)]
pub(super) struct Plans {
    pub(super) by_words: Option<Plan>,
    /// Numbers of the probes that are swept one by one.
    pub(super) others: Vec<u32>,
    /// Share of the time of sweeping all.
    pub(super) share: f64,
    pub(super) host_bytes: u64,
}

impl Plans {
    /// `symbols` are those of the texts.
    pub(super) fn new(probes: &Probes<'_>, options: &SearchOptions, symbols: u64) -> Self {
        let within = options.within;
        let symbols = options.planned_symbols.unwrap_or(symbols);
        let rows = |len: usize| nearest::rows(len, within) as f64;
        let is_large = symbols.saturating_mul(probes.symbols) > SMALL_CELLS;
        let is_bounded = within < words::MAX_LEN as u64 && probes.classes.are_bytes();
        let short = probes.all.iter().enumerate();
        let short: Vec<_> = short
            .filter(|(_, probe)| is_large && is_bounded && codes(&probe.swept).is_some())
            .map(|(number, probe)| (number, probe.swept.len()))
            .collect();
        let costs = Costs {
            bound: within as usize,
            codes: probes.classes.count() - 1,
            symbols: symbols as f64,
            max_bytes: u64::MAX,
            without: |len| rows(len) / CELLS_PER_INSTRUCTION,
        };
        let by_words = costs.plan(short.iter().copied());
        let mut plans = Self {
            share: 1.0,
            ..Self::default()
        };
        let mut is_searched = vec![false; probes.all.len()];
        if let Some(plan) = &by_words {
            let all = probes.all.iter().map(|probe| rows(probe.swept.len()));
            let of_short: f64 = short.iter().map(|&(_, len)| rows(len)).sum();
            plans.share -= of_short / all.sum::<f64>() * (1.0 - plan.share);
            plans.host_bytes = plan.host_bytes(plan.groups.len());
            for &number in plan.groups.iter().flatten() {
                is_searched[number] = true;
            }
        }
        let numbers = (0..probes.all.len() as u32).zip(is_searched);
        let others = numbers.filter(|(_, is)| !is).map(|(number, _)| number);
        plans.others = others.collect();
        plans.by_words = by_words;
        plans
    }
}

/// The class of each row of a pattern, if every row has one.
pub(super) fn codes(pattern: &Pattern) -> Option<Vec<u32>> {
    let mut codes = vec![0; pattern.len()];
    for (row, class) in pattern.matches() {
        if std::mem::replace(&mut codes[row], class) > 0 {
            return None;
        }
    }
    codes.iter().all(|&code| code > 0).then_some(codes)
}
