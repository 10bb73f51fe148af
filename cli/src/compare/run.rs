//! Calls: inputs are read, it is decided where pairs are compared, and they are solved.

use anyhow::Context;
use swath::orientation::{Orientation, reverse_complement};
use swath::substring::Strand;
use swath::{Control, DeviceChoice, Engine, Error, Options, Orient};

use super::comparison::{Comparison, Settings, TURNING_SHARE};
use crate::args::{MAX_SHORT, Turning, Witness};
use crate::call::{Caller, Outcome, Solved};
use crate::input::{self, Inputs, Lists, Reading};
use crate::interrupt::Interrupt;
use crate::progress::Reporter;
use crate::report::{self, Names};
use crate::{message, output};

/// Share of the progress for writing a path: a quarter of the time after a sweep of 20 M letters on
/// a GPU, little on a CPU (benches/record/nvidia-h200/2026-11-28-progress.txt).
const WRITING_SHARE: f64 = 0.1;

pub struct Call<'a, C: Comparison> {
    pub command: &'a C,
    pub settings: Settings<'a, C::Format>,
    pub witness: Witness<C::Format>,
    pub inputs: Inputs,
    reading: Reading,
    pub options: Options,
    pub engine: Engine,
    /// Number of pairs; 1 if all inputs are compared in one call.
    pub count: usize,
    /// Cumulative lengths of the records of each input, each with one added: cells of pairs are in
    /// proportion.
    lengths_before: [Vec<f64>; 2],
    /// Threads that compare pairs side by side, and their engine if it is another.
    pub threads: usize,
    engine_of_pairs: Option<Engine>,
}

pub type Answered<C> = (Inputs, Solved<<C as Comparison>::Answer>);

impl<'a, C: Comparison> Call<'a, C> {
    pub fn read(command: &'a C) -> anyhow::Result<Self> {
        let settings = command.settings()?;
        let limits = settings.engine;
        let sources = settings.request.sides.iter().map(|side| &side.source);
        let witness = settings.output.witness(sources)?;
        let mut reading = limits.reading();
        let inputs = input::read(&settings.request, &mut reading)?;
        let notes = command.check(&inputs, witness.format())?;
        reading.print_notes();
        notes.iter().for_each(|note| message::note(note));
        let options = limits.options_beside(&reading);
        let mut call = Self {
            command,
            witness,
            count: 1,
            lengths_before: [Vec::new(), Vec::new()],
            threads: 1,
            engine_of_pairs: None,
            engine: Engine::new(options.clone())?,
            options,
            inputs,
            reading,
            settings,
        };
        if C::FORM.names == Names::Pair {
            call.count = call.inputs.pair_count();
            let lengths = call.inputs.lengths();
            call.lengths_before = [0, 1].map(|input| sums(&lengths[input]));
        }
        call.decide()?;
        Ok(call)
    }

    /// Short pairs are compared side by side, on the CPU unless the method is named.
    fn decide(&mut self) -> anyhow::Result<()> {
        let limits = self.settings.engine;
        let is_on_cpu = matches!(limits.device, DeviceChoice::Auto | DeviceChoice::Cpu);
        let is_short = self.count > 1
            && (is_on_cpu || !self.settings.names_method)
            && self
                .inputs
                .lists
                .lengths()
                .iter()
                .all(|&len| len <= MAX_SHORT);
        if is_short {
            self.threads = limits.threads_side_by_side();
            if !is_on_cpu {
                let options = self.options.clone().device(DeviceChoice::Cpu);
                self.engine_of_pairs = Some(Engine::new(options)?);
            }
        }
        Ok(())
    }

    pub fn print_plans(&self) -> anyhow::Result<()> {
        let args = self.settings.output;
        let in_json = args.json || args.prints_json(&self.witness);
        for index in 0..self.count {
            let pair = &self.versions(index, &Control::default())?[0];
            if let Outcome::Planned(plan) = self.outcome(pair, None)? {
                output::to_stdout(|out| {
                    report::between(index > 0 && !in_json, out)?;
                    report::plan(in_json, C::FORM, pair, &plan, out)
                })?;
            }
        }
        Ok(())
    }

    pub fn solve(
        &self,
        index: usize,
        progress: &Reporter,
        interrupt: &Interrupt,
    ) -> anyhow::Result<Option<Answered<C>>> {
        let (start, share) = self.share(index);
        let solving = if self.settings.output.asks_for_witness() {
            1.0 - WRITING_SHARE
        } else {
            1.0
        };
        let control = |from: f64, to: f64| {
            let [from, to] = [from, to].map(|part| solving * (start + share * part));
            progress.control(interrupt).part(from, to)
        };
        let turning = self.settings.turning.map_or(0.0, |_| TURNING_SHARE);
        let mut best: Option<Answered<C>> = None;
        let versions = self.versions(index, &control(0.0, turning))?;
        let share = (1.0 - turning) / versions.len() as f64;
        for (index, version) in versions.into_iter().enumerate() {
            let from = turning + share * index as f64;
            let control = control(from, from + share);
            let Outcome::Solved(solved) = self.outcome(&version, Some(&control))? else {
                continue;
            };
            let is_better =
                |(_, best): &Answered<C>| self.command.is_better(&solved.answer, &best.answer);
            if best.as_ref().is_none_or(is_better) {
                best = Some((version, solved));
            }
        }
        Ok(best)
    }

    /// Start and size of a pair, as shares of the cells of all pairs.
    fn share(&self, index: usize) -> (f64, f64) {
        if self.count == 1 {
            return (0.0, 1.0);
        }
        let [queries, targets] = &self.lengths_before;
        let (query, target) = (index / (targets.len() - 1), index % (targets.len() - 1));
        let len = queries[query + 1] - queries[query];
        let of_targets = targets[targets.len() - 1];
        let all = queries[queries.len() - 1] * of_targets;
        let start = queries[query] * of_targets + len * targets[target];
        let cells = len * (targets[target + 1] - targets[target]);
        (start / all, cells / all)
    }

    /// Adds what an error of a call is due to.
    pub fn explained<T>(&self, result: swath::Result<T>) -> anyhow::Result<T> {
        self.settings.engine.explained(result, &self.reading)
    }

    fn versions(&self, index: usize, control: &Control) -> anyhow::Result<Vec<Inputs>> {
        let pair = if C::FORM.names == Names::Pair {
            self.inputs.select(&self.inputs.pair(index))
        } else {
            self.inputs.clone()
        };
        let Some(turning) = self.settings.turning else {
            return Ok(vec![pair]);
        };
        self.explained(turned(turning, &pair, &self.engine, control))
            .map_err(|error| with_symbol(error, &pair))
    }

    fn outcome(
        &self,
        pair: &Inputs,
        control: Option<&Control>,
    ) -> anyhow::Result<Outcome<C::Answer>> {
        let caller = Caller {
            engine: self.engine_of_pairs.as_ref().unwrap_or(&self.engine),
            control,
        };
        let outcome = self.command.call(pair, &caller);
        let outcome = self
            .explained(outcome)
            .map_err(|error| with_symbol(error, pair));
        match (control, &pair.groups[..]) {
            (Some(_), [a, b]) if self.count > 1 => {
                outcome.with_context(|| format!("{} in {}", a.name, b.name))
            }
            _ => outcome,
        }
    }
}

/// The pair as it is turned, once or for each strand.
fn turned(
    turning: Turning,
    pair: &Inputs,
    engine: &Engine,
    control: &Control,
) -> swath::Result<Vec<Inputs>> {
    let Some(list) = pair.bytes() else {
        return Ok(vec![pair.clone()]);
    };
    let [a, b] = list.pair();
    let orientations = match turning {
        Turning::ByAnchors {
            both_strands,
            circular,
        } => {
            let mut task = Orient::of(a, b);
            if both_strands {
                task = task.both_strands();
            }
            if circular {
                task = task.circular();
            }
            let found = engine.run_with(&task, control)?;
            found.pairs.iter().map(|pair| pair.orientation).collect()
        }
        Turning::EachStrand => {
            reverse_complement(a)?;
            Strand::ALL
                .map(|strand| Orientation { strand, start: 0 })
                .to_vec()
        }
    };
    let turned = orientations.into_iter().map(|one| pair.turned(one));
    Ok(turned.collect())
}

fn sums(lengths: &[usize]) -> Vec<f64> {
    let mut sums = vec![0.0];
    for &len in lengths {
        sums.push(sums[sums.len() - 1] + len as f64 + 1.0);
    }
    sums
}

/// Names the record of a symbol that is no DNA, and shows the symbol as read.
fn with_symbol(error: anyhow::Error, inputs: &Inputs) -> anyhow::Error {
    let (
        Some(&Error::NotDna {
            input,
            record,
            position,
            ..
        }),
        Lists::Bytes(list),
    ) = (error.downcast_ref(), &inputs.lists)
    else {
        return error;
    };
    let (group, record) = (&inputs.groups[input - 1], record - 1);
    let symbol = list.printed()[inputs.first_record(input - 1) + record][position].escape_ascii();
    let location = input::location(&group.source, &group.records[record]);
    crate::dna::no_reverse(&location, symbol, position)
}
