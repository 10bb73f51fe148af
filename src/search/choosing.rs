//! Choice of the places among the ends.

use std::collections::HashMap;

use super::batch::Found;
use super::minima::{End, Run};
use super::place::Choice;
use super::request::Request;

/// An end that is a place.
#[derive(Clone, Copy, Debug)]
pub(super) struct Chosen {
    pub(super) probe: u32,
    pub(super) text: u32,
    pub(super) end: End,
}

pub(super) struct Choosing<'r, 'a> {
    request: &'r Request<'a>,
    /// By probe: its last ends in the text at hand.
    runs: Vec<Option<Run>>,
    /// Probes that have any.
    active: Vec<u32>,
    /// By pattern: the least cost in the text at hand, and the ends that have it.
    best: HashMap<u32, (u32, Vec<Chosen>)>,
}

impl<'r, 'a> Choosing<'r, 'a> {
    pub(super) fn new(request: &'r Request<'a>) -> Self {
        Self {
            request,
            runs: vec![None; request.probes.all.len()],
            active: Vec::new(),
            best: HashMap::new(),
        }
    }

    /// Takes the ends in the next piece, by probe and position. Appends the places among them to
    /// `chosen`.
    pub(super) fn piece(
        &mut self,
        text: usize,
        found: &[Found],
        is_last: bool,
        chosen: &mut Vec<Chosen>,
    ) {
        let options = self.request.options;
        let are_all = options.choice == Choice::Ends || options.max_gaps == Some(0);
        for &found in found {
            let probe = found.probe;
            let end = if are_all {
                Some(found.end())
            } else {
                let run = &mut self.runs[probe as usize];
                if run.is_none() {
                    self.active.push(probe);
                }
                let keeps_first = self.request.probes.all[probe as usize].from_end;
                Run::take(run, found.end(), keeps_first)
            };
            if let Some(end) = end {
                self.choose(text, probe, end, chosen);
            }
        }
        if is_last {
            for probe in std::mem::take(&mut self.active) {
                let run = self.runs[probe as usize].take();
                if let Some(end) = run.and_then(Run::end) {
                    self.choose(text, probe, end, chosen);
                }
            }
            let best = self.best.drain();
            chosen.extend(best.flat_map(|(_, (_, of_pattern))| of_pattern));
        }
    }

    fn choose(&mut self, text: usize, probe: u32, end: End, chosen: &mut Vec<Chosen>) {
        let one = Chosen {
            probe,
            text: text as u32,
            end,
        };
        let Request {
            probes, options, ..
        } = self.request;
        if options.choice != Choice::Best {
            return chosen.push(one);
        }
        let pattern = probes.all[probe as usize].pattern;
        let (least, of_pattern) = self.best.entry(pattern).or_insert((u32::MAX, Vec::new()));
        if end.cost < *least {
            (*least, *of_pattern) = (end.cost, Vec::new());
        }
        if end.cost == *least {
            of_pattern.push(one);
        }
    }

    /// Lower bound of the positions of ends that are not yet known to be places or not.
    pub(super) fn first_position(&self) -> u64 {
        let runs = self.active.iter();
        let runs = runs.filter_map(|&probe| self.runs[probe as usize].as_ref());
        let of_runs = runs.map(Run::first_position).min();
        let best = self.best.values().flat_map(|(_, of_pattern)| of_pattern);
        let of_best = best.map(|one| one.end.position).min();
        of_runs.into_iter().chain(of_best).min().unwrap_or(u64::MAX)
    }
}
