//! Short patterns that are searched together, by the words of their pieces, on the CPU.

use super::batch::{Found, Unit};
use super::nearest;
use super::solve::Request;
use super::words::{self, Costs, MAX_WINDOW, Plan, WordPatterns};
use crate::sequences::bit_parallel::cpu::text::{Class, Pattern};
use crate::sequences::bit_parallel::cpu::vector::Lane;
use crate::sequences::bit_parallel::cpu::windows::WindowPatterns;

/// Cells of a sweep of a text in the expected time of an instruction of the search by words: 312
/// patterns of 20 within 4 edits in nvidia-h200/2026-11-29-search.txt, 16 threads.
const CELLS_PER_INSTRUCTION: f64 = 32.0;
/// Cells of calls that take no time.
const SMALL_CELLS: u64 = 1 << 24;

/// How the probes of a direction are searched.
#[derive(Debug)]
struct OfDirection {
    from_end: bool,
    plan: Plan,
}

/// How all probes are searched.
#[derive(Debug, Default)]
pub(super) struct Plans {
    by_words: Vec<OfDirection>,
    /// Numbers of the probes that are swept one by one.
    pub(super) others: Vec<u32>,
    /// Share of the time of sweeping all.
    pub(super) share: f64,
    pub(super) host_bytes: u64,
}

impl Plans {
    pub(super) fn new(request: &Request<'_>) -> Self {
        let (probes, within) = (&request.probes, request.options.within);
        let symbols = request.options.planned_symbols;
        let symbols = symbols.unwrap_or(request.text_symbols());
        let rows = |len: usize| nearest::rows(len, within) as f64;
        let all: f64 = probes.all.iter().map(|probe| rows(probe.swept.len())).sum();
        let mut plans = Self {
            share: 1.0,
            ..Self::default()
        };
        let is_large = symbols.saturating_mul(probes.symbols) > SMALL_CELLS;
        let is_bounded = within < words::MAX_LEN as u64 && probes.classes.are_bytes();
        let mut is_searched = vec![false; probes.all.len()];
        for from_end in [false, true] {
            let of_direction = probes.all.iter().enumerate();
            let of_direction: Vec<_> = of_direction
                .filter(|(_, probe)| is_large && is_bounded && probe.from_end == from_end)
                .filter(|(_, probe)| codes(&probe.swept).is_some())
                .map(|(number, probe)| (number, probe.swept.len()))
                .collect();
            let costs = Costs {
                bound: within as usize,
                codes: probes.classes.count() - 1,
                symbols: symbols as f64,
                max_bytes: u64::MAX,
                without: |len| rows(len) / CELLS_PER_INSTRUCTION,
            };
            if let Some(plan) = costs.plan(of_direction.iter().copied()) {
                let swept: f64 = of_direction.iter().map(|&(_, len)| rows(len)).sum();
                plans.share -= swept / all * (1.0 - plan.share);
                plan.groups
                    .iter()
                    .flatten()
                    .for_each(|&number| is_searched[number] = true);
                plans.host_bytes += plan.host_bytes(plan.groups.len());
                plans.by_words.push(OfDirection { from_end, plan });
            }
        }
        let numbers = (0..probes.all.len() as u32).zip(is_searched);
        plans.others = numbers
            .filter(|(_, is)| !is)
            .map(|(number, _)| number)
            .collect();
        plans
    }
}

/// The class of each row of a pattern, if every row has one.
fn codes(pattern: &Pattern) -> Option<Vec<u32>> {
    let mut codes = vec![0; pattern.len()];
    for (row, class) in pattern.matches() {
        if std::mem::replace(&mut codes[row], class) > 0 {
            return None;
        }
    }
    codes.iter().all(|&code| code > 0).then_some(codes)
}

/// Probes with a table of words.
pub(super) struct Group {
    from_end: bool,
    pub(super) numbers: Vec<u32>,
    /// Symbols of the patterns.
    pub(super) symbols: u64,
    words: Words,
}

enum Words {
    Narrow(WordPatterns<u32>),
    Wide(WordPatterns<u64>),
}

/// An end: index in the group, position in the unit, and cost.
type End = (u32, u32, u32);

impl Group {
    /// The tables of all groups. Runs on the current thread pool.
    pub(super) fn all(request: &Request<'_>, plans: &Plans) -> Vec<Self> {
        let probes = &request.probes;
        let bound = request.options.within as usize;
        let mut groups = Vec::new();
        for OfDirection { from_end, plan } in &plans.by_words {
            for numbers in &plan.groups {
                let swept = numbers.iter().map(|&number| &probes.all[number].swept);
                let patterns: Vec<_> = swept.clone().filter_map(codes).collect();
                let count = probes.classes.count() - 1;
                let longest = swept.clone().map(Pattern::len).max().unwrap_or(0);
                groups.push(Self {
                    from_end: *from_end,
                    numbers: numbers.iter().map(|&number| number as u32).collect(),
                    symbols: swept.map(|pattern| pattern.len() as u64).sum(),
                    words: if longest <= WindowPatterns::<u32>::MAX_LEN {
                        Words::Narrow(WordPatterns::new(plan, &patterns, count, bound))
                    } else {
                        Words::Wide(WordPatterns::new(plan, &patterns, count, bound))
                    },
                });
            }
        }
        groups
    }

    /// Appends the ends in a unit. False if there are too many windows: nothing is appended.
    pub(super) fn search<C: Class>(
        &self,
        request: &Request<'_>,
        unit: &Unit<C>,
        found: &mut Vec<Found>,
    ) -> bool {
        let symbols = if self.from_end {
            &unit.reversed
        } else {
            &unit.forward
        };
        let text = C::bytes(symbols).unwrap_or_default();
        let ends = match &self.words {
            Words::Narrow(words) => self.ends(words, text),
            Words::Wide(words) => self.ends(words, text),
        };
        let Some(mut ends) = ends else {
            return false;
        };
        // An end has its cost in a window that holds the whole occurrence, and a greater one in others.
        ends.sort_unstable();
        ends.dedup_by_key(|&mut (index, end, _)| (index, end));
        let mut of_probe = Vec::new();
        for ends in ends.chunk_by(|one, other| one.0 == other.0) {
            of_probe.clear();
            of_probe.extend(
                ends.iter()
                    .map(|&(_, end, cost)| (end as usize, u64::from(cost))),
            );
            request.take(unit, self.numbers[ends[0].0 as usize], &of_probe, found);
        }
        true
    }

    fn ends<T: Lane>(&self, words: &WordPatterns<T>, text: &[u8]) -> Option<Vec<End>> {
        let part = words::Part {
            codes: 0..text.len(),
            positions: MAX_WINDOW..text.len() - MAX_WINDOW,
        };
        let mut ends = Vec::new();
        let take = |window: words::Window, _: u64| {
            let codes = &text[window.start as usize..window.end as usize];
            words.ends(window.pattern, codes, |end, cost| {
                ends.push((window.pattern, window.start + end as u32, cost as u32));
            });
        };
        // Half of the columns of sweeping each pattern take about as long.
        let max_columns = text.len().saturating_mul(self.numbers.len()) / 2;
        let is_all = words.search(text, &[part], max_columns, &mut words.scratch(), take);
        is_all.then_some(ends)
    }
}
