//! Short patterns that are searched together, by the words of their pieces, on the CPU.

use super::batch::{Found, Unit};
use super::plans::{Plans, codes};
use super::request::Request;
use super::words::{self, MAX_WINDOW, Plan, WordPatterns};
use crate::sequences::bit_parallel::cpu::text::Class;
use crate::sequences::bit_parallel::cpu::vector::Lane;
use crate::sequences::bit_parallel::cpu::windows::WindowPatterns;

/// Probes with a table of words.
pub(super) struct Group {
    pub(super) numbers: Vec<u32>,
    pub(super) symbols: u64,
    patterns: Patterns,
}

enum Patterns {
    Narrow(Searched<u32>),
    Wide(Searched<u64>),
}

/// Patterns whose words are looked up in a text once for both directions.
struct Searched<T> {
    /// As they occur in a text that is read forward.
    words: WordPatterns<T>,
    /// As they are swept.
    swept: WindowPatterns<T>,
}

/// An end: index in the group, position in the order of the sweep, and cost.
type End = (u32, u32, u32);

impl Group {
    /// The tables of all groups. Runs on the current thread pool.
    pub(super) fn all(request: &Request<'_>, plans: &Plans) -> Vec<Self> {
        let of_plan = |plan: &Plan| -> Vec<Self> {
            let groups = plan.groups.iter();
            groups
                .map(|numbers| Self::new(request, plan, numbers))
                .collect()
        };
        plans.by_words.as_ref().map_or_else(Vec::new, of_plan)
    }

    fn new(request: &Request<'_>, plan: &Plan, numbers: &[usize]) -> Self {
        let probes = numbers.iter().map(|&number| &request.probes.all[number]);
        let swept: Vec<_> = probes
            .clone()
            .filter_map(|probe| codes(&probe.swept))
            .collect();
        let mut forward = swept.clone();
        for (codes, probe) in forward.iter_mut().zip(probes) {
            if probe.from_end {
                codes.reverse();
            }
        }
        let lens = swept.iter().map(Vec::len);
        Self {
            numbers: numbers.iter().map(|&number| number as u32).collect(),
            symbols: lens.clone().sum::<usize>() as u64,
            patterns: if lens.max() <= Some(WindowPatterns::<u32>::MAX_LEN) {
                Patterns::Narrow(Searched::new(request, plan, numbers, &forward, &swept))
            } else {
                Patterns::Wide(Searched::new(request, plan, numbers, &forward, &swept))
            },
        }
    }

    /// Appends the ends in a unit. False if there are too many windows: nothing is appended.
    pub(super) fn search<C: Class>(
        &self,
        request: &Request<'_>,
        unit: &Unit<C>,
        found: &mut Vec<Found>,
    ) -> bool {
        let text = C::bytes(&unit.forward).unwrap_or_default();
        let ends = match &self.patterns {
            Patterns::Narrow(patterns) => self.ends(request, patterns, text),
            Patterns::Wide(patterns) => self.ends(request, patterns, text),
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

    fn ends<T: Lane>(
        &self,
        request: &Request<'_>,
        patterns: &Searched<T>,
        text: &[u8],
    ) -> Option<Vec<End>> {
        let part = words::Part {
            codes: 0..text.len(),
            positions: MAX_WINDOW..text.len() - MAX_WINDOW,
        };
        let (bound, mut ends, mut reversed) = (request.options.within, Vec::new(), Vec::new());
        let take = |window: words::Window, _: u64| {
            let (pattern, index) = (window.pattern as usize, window.pattern);
            let (start, end) = (window.start as usize, window.end as usize);
            let (mut codes, mut before) = (&text[start..end], start);
            if request.probes.all[self.numbers[pattern] as usize].from_end {
                reversed.clear();
                reversed.extend(codes.iter().rev());
                (codes, before) = (&reversed, text.len() - end);
            }
            patterns.swept.ends(pattern, codes, bound, |end, cost| {
                ends.push((index, (before + end) as u32, cost as u32));
            });
        };
        // Half of the columns of sweeping each pattern take about as long.
        let max_columns = text.len().saturating_mul(self.numbers.len()) / 2;
        let words = &patterns.words;
        let is_all = words.search(text, &[part], max_columns, &mut words.scratch(), take);
        is_all.then_some(ends)
    }
}

impl<T: Lane> Searched<T> {
    fn new(
        request: &Request<'_>,
        plan: &Plan,
        numbers: &[usize],
        forward: &[Vec<u32>],
        swept: &[Vec<u32>],
    ) -> Self {
        let codes = request.probes.classes.count() - 1;
        let bound = request.options.within as usize;
        // A sweep from the end of a text ends where the occurrence starts.
        let has_starts = |index: usize| request.probes.all[numbers[index]].from_end;
        Self {
            words: WordPatterns::new(plan, forward, codes, bound, has_starts),
            swept: WindowPatterns::new(swept, codes),
        }
    }
}
