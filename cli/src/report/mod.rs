//! Common parts of reports: aligned lines, JSON objects, inputs, runs and plans.

pub mod alignment;
pub mod bam;
pub mod diff;
pub mod differences;
mod json;
mod lines;
pub mod paf;
pub mod sam;
pub mod svg;
pub mod tree;
pub mod units;
pub mod vcf;

use std::io::{self, Write};
use std::iter;
use std::time::Duration;

use swath::orientation::Orientation;
use swath::{Interface, PlanSummary, Run};

use crate::call::Solved;
use crate::input::{Group, Inputs};
use crate::message::printable;
pub use json::{Array, Object};
pub use lines::{Lines, between, escaped, write_aligned, write_aligned_with};

/// Maximum number of inputs with a line of their own.
const LISTED: usize = 8;

/// Form of the inputs' names in reports.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Names {
    Pair,
    List,
    Records,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Counted {
    Cells,
    Splits,
    Symbols,
}

impl Counted {
    fn name(self) -> &'static str {
        match self {
            Counted::Cells => "cells",
            Counted::Splits => "splits",
            Counted::Symbols => "symbols",
        }
    }
}

#[derive(Clone, Copy)]
pub struct Form {
    pub problem: &'static str,
    pub counted: Counted,
    pub names: Names,
}

pub fn input_lines(names: Names, inputs: &Inputs) -> Lines {
    let all = inputs.lengths();
    let mut lines = Lines::new();
    for (index, (group, lengths)) in iter::zip(&inputs.groups, &all).take(LISTED).enumerate() {
        let symbols: usize = lengths.iter().sum();
        let mut line = format!("{symbols} symbols, {}", printable(&group.name));
        if let Some(Orientation { strand, start }) = group.orientation {
            line += &format!(", strand {strand} from {start}");
        }
        if lengths.len() != 1 {
            line += &format!(", {} records", lengths.len());
        }
        let key = match names {
            Names::Pair => ["a", "b"][index],
            Names::List | Names::Records => "input",
        };
        lines.push((key, line));
    }
    if all.len() > LISTED {
        let symbols: usize = all.iter().flatten().sum();
        lines.push(("inputs", format!("{} in all, {symbols} symbols", all.len())));
    }
    lines
}

/// Count per second; 0 without a measured time.
fn rate(count: u128, elapsed: Duration) -> f64 {
    if elapsed.is_zero() {
        0.0
    } else {
        count as f64 / elapsed.as_secs_f64()
    }
}

pub fn run_lines<A>(counted: Counted, solved: &Solved<A>) -> Lines {
    let run = &solved.run;
    let driven = solved.interface.map(|interface| format!(", {interface}"));
    let device = run.device.clone() + &driven.unwrap_or_default();
    let (all, computed) = (run.cells, run.computed_cells);
    let mut lines = vec![("method", run.method.to_string())];
    if counted == Counted::Cells {
        lines.push(("path", run.path_mode.to_string()));
    }
    lines.extend([("device", device), ("time", units::time(run.elapsed))]);
    match counted {
        Counted::Cells => lines.extend([
            ("speed", units::cells_per_second(rate(all, run.elapsed))),
            ("cells", format!("{all}, {computed} computed")),
            (
                "common affixes",
                format!("{} + {} symbols", run.common_prefix, run.common_suffix),
            ),
        ]),
        Counted::Splits => lines.push(("splits", format!("{all}, {computed} computed"))),
        Counted::Symbols => lines.push(("symbols", format!("{all}, {computed} searched"))),
    }
    lines
}

pub fn plan(
    in_json: bool,
    form: Form,
    inputs: &Inputs,
    plan: &PlanSummary,
    out: &mut dyn Write,
) -> io::Result<()> {
    let Form {
        problem,
        counted,
        names,
    } = form;
    if !in_json {
        let mut lines = input_lines(names, inputs);
        lines.extend(plan_lines(counted, plan));
        return write_aligned(&lines, out);
    }
    Object::new(&format!("{problem}-plan/1"), out)
        .field("problem", problem)
        .plan(counted, plan)
        .inputs(names, inputs)
        .end()
}

pub fn plan_lines(counted: Counted, summary: &PlanSummary) -> Lines {
    let mut lines = vec![("method", summary.method.to_string())];
    if counted == Counted::Cells {
        lines.push(("path", summary.path_mode.to_string()));
    }
    lines.push(("device", summary.device.clone()));
    lines.push((counted.name(), summary.cells.to_string()));
    let strips = match counted {
        Counted::Cells => Some("strips"),
        Counted::Splits => Some("tile rows"),
        Counted::Symbols => None,
    };
    if let Some(strips) = strips {
        lines.push(("tile", format!("{} x {}", summary.tile.0, summary.tile.1)));
        lines.push((strips, summary.strips.to_string()));
    }
    lines.extend([
        ("passes", summary.passes.to_string()),
        ("device memory", units::bytes(summary.device_bytes)),
        ("host memory", units::bytes(summary.host_bytes)),
        ("expected time", units::time(summary.expected)),
    ]);
    lines
}

impl Object<'_> {
    pub fn inputs(&mut self, names: Names, inputs: &Inputs) -> &mut Self {
        let lengths = inputs.lengths();
        let named = iter::zip(&inputs.groups, &lengths);
        if names != Names::Pair || lengths.len() != 2 {
            let has_records = names == Names::Records;
            return self.objects("inputs", named, |object, (group, lengths)| {
                object.input(group, lengths, has_records)
            });
        }
        for (key, (group, lengths)) in ["a", "b"].into_iter().zip(named) {
            self.object(key, |object| object.input(group, lengths, false));
        }
        self
    }

    fn input(&mut self, group: &Group, lengths: &[usize], has_records: bool) -> &mut Self {
        self.field("name", &group.name)
            .field("length", lengths.iter().sum::<usize>())
            .field_if("strand", group.orientation.map(|one| one.strand))
            .field_if("origin", group.orientation.map(|one| one.start));
        if has_records {
            let records = iter::zip(&group.records, lengths);
            self.objects("records", records, |object, (name, length)| {
                object.field("name", name).field("length", length)
            });
        }
        self
    }

    /// Adds the run. Counts are numbers of any size; readers with f64 numbers round them.
    pub fn run<A>(&mut self, counted: Counted, solved: &Solved<A>) -> &mut Self {
        let (run, are_cells) = (&solved.run, counted == Counted::Cells);
        let Run {
            cells,
            computed_cells,
            elapsed,
            ..
        } = *run;
        let (computed, speed_of) = match counted {
            Counted::Cells => ("computed_cells", cells),
            Counted::Splits => ("computed_splits", computed_cells),
            Counted::Symbols => ("searched_symbols", cells),
        };
        let per_second = format!("{}_per_second", counted.name());
        self.field("method", run.method)
            .field_if("path_mode", are_cells.then(|| run.path_mode.name()))
            .field("device", &run.device)
            .field("interface", solved.interface.map(Interface::name))
            .field("seconds", elapsed.as_secs_f64())
            .field(counted.name(), cells)
            .field(computed, computed_cells)
            .field(&per_second, rate(speed_of, elapsed))
            .field_if("common_prefix", are_cells.then_some(run.common_prefix))
            .field_if("common_suffix", are_cells.then_some(run.common_suffix))
            .objects("phases", &run.phases, |object, (phase, time)| {
                let seconds = time.as_secs_f64();
                object.field("name", phase.name()).field("seconds", seconds)
            })
    }

    pub fn plan(&mut self, counted: Counted, plan: &PlanSummary) -> &mut Self {
        let path_mode = (counted == Counted::Cells).then(|| plan.path_mode.name());
        self.field("method", plan.method)
            .field_if("path_mode", path_mode)
            .field("device", &plan.device)
            .field(counted.name(), plan.cells);
        let strips = match counted {
            Counted::Cells => Some("strips"),
            Counted::Splits => Some("tile_rows"),
            Counted::Symbols => None,
        };
        if let Some(strips) = strips {
            self.field("tile", plan.tile).field(strips, plan.strips);
        }
        self.field("passes", plan.passes)
            .field("device_bytes", plan.device_bytes)
            .field("host_bytes", plan.host_bytes)
            .field("expected_seconds", plan.expected.as_secs_f64())
    }
}
