//! Common parts of reports: aligned lines, JSON objects, inputs, runs and plans.

pub mod alignment;
pub mod bam;
pub mod diff;
pub mod differences;
pub mod paf;
pub mod sam;
pub mod svg;
pub mod tree;
pub mod units;
pub mod vcf;

use std::io::{self, BufWriter, Write};
use std::time::Duration;

use serde::{Serialize, Serializer};
use swath::orientation::Orientation;
use swath::substring::Strand;
use swath::{Interface, PlanSummary, Run};

use crate::compare::Solved;
use crate::input::{Inputs, printable};

/// Maximum number of inputs with a line of their own.
const LISTED: usize = 8;
/// Buffer size in bytes, as JSON is written in small pieces.
const JSON_BUFFER: usize = 1 << 16;

/// Keys and values of a summary.
pub type Lines = Vec<(&'static str, String)>;

/// Writes `key  value` lines with aligned values.
pub fn write_aligned(lines: &[(&str, String)], out: &mut dyn Write) -> io::Result<()> {
    write_aligned_with(lines, ("", std::iter::empty()), out)
}

/// [`write_aligned`], followed by a line for each of any number of values with the same key.
pub fn write_aligned_with(
    lines: &[(&str, String)],
    (last, values): (&str, impl Iterator<Item = String>),
    out: &mut dyn Write,
) -> io::Result<()> {
    let width = lines.iter().map(|(key, _)| key.len()).max();
    let width = width.unwrap_or_default().max(last.len());
    for (key, value) in lines {
        writeln!(out, "{key:width$}  {value}")?;
    }
    for value in values {
        writeln!(out, "{last:width$}  {value}")?;
    }
    Ok(())
}

/// Writes an empty line between paragraphs.
pub fn between(needed: bool, out: &mut dyn Write) -> io::Result<()> {
    if needed { writeln!(out) } else { Ok(()) }
}

/// Escapes text for tags and attributes of SVG and HTML.
pub fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
}

/// JSON object written field by field.
pub struct Object<'a> {
    out: BufWriter<&'a mut dyn Write>,
    separator: &'static str,
}

impl<'a> Object<'a> {
    /// Begins an object with this schema.
    pub fn new(schema: &str, out: &'a mut dyn Write) -> io::Result<Self> {
        let object = Self {
            out: BufWriter::with_capacity(JSON_BUFFER, out),
            separator: "{",
        };
        object.field("schema", format!("swath/{schema}"))
    }

    pub fn field(mut self, key: &str, value: impl Serialize) -> io::Result<Self> {
        write!(self.out, "{}\"{key}\":", self.separator)?;
        serde_json::to_writer(&mut self.out, &value)?;
        self.separator = ",";
        Ok(self)
    }

    /// Adds the field if it has a value.
    pub fn field_if(self, key: &str, value: Option<impl Serialize>) -> io::Result<Self> {
        match value {
            Some(value) => self.field(key, value),
            None => Ok(self),
        }
    }

    /// Ends the object and its line.
    pub fn end(mut self) -> io::Result<()> {
        self.out.write_all(b"}\n")?;
        self.out.flush()
    }
}

/// JSON array of an iterator's items, without a list in memory.
pub struct Array<F>(pub F);

impl<I: Iterator<Item: Serialize>, F: Fn() -> I> Serialize for Array<F> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq((self.0)())
    }
}

/// Form of the inputs' names in reports.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Names {
    /// `a` and `b`.
    Pair,
    List,
    /// A list with the records of each input.
    Records,
}

#[derive(Serialize)]
struct Named<'a> {
    name: &'a str,
    length: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    strand: Option<Strand>,
    #[serde(skip_serializing_if = "Option::is_none")]
    origin: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    records: Option<Vec<Named<'a>>>,
}

/// Summary lines of the inputs.
pub fn input_lines(names: Names, inputs: &Inputs) -> Lines {
    let all = inputs.lengths();
    let mut lines = Lines::new();
    for (place, (group, lengths)) in inputs.groups.iter().zip(&all).take(LISTED).enumerate() {
        let symbols: usize = lengths.iter().sum();
        let mut line = format!("{symbols} symbols, {}", printable(&group.name));
        if let Some(Orientation { strand, start }) = group.orientation {
            line += &format!(", strand {strand} from {start}");
        }
        if lengths.len() != 1 {
            line += &format!(", {} records", lengths.len());
        }
        let key = match names {
            Names::Pair => ["a", "b"][place],
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

/// JSON fields of the inputs.
pub fn input_fields<'a>(
    names: Names,
    inputs: &Inputs,
    object: Object<'a>,
) -> io::Result<Object<'a>> {
    let all = inputs.lengths();
    let mut named = Vec::new();
    for (group, lengths) in inputs.groups.iter().zip(&all) {
        let mut records = Vec::new();
        for (name, &length) in group.records.iter().zip(lengths) {
            records.push(Named {
                name,
                length,
                strand: None,
                origin: None,
                records: None,
            });
        }
        named.push(Named {
            name: &group.name,
            length: lengths.iter().sum(),
            strand: group.orientation.map(|one| one.strand),
            origin: group.orientation.map(|one| one.start),
            records: (names == Names::Records).then_some(records),
        });
    }
    match (names, &named[..]) {
        (Names::Pair, [a, b]) => object.field("a", a)?.field("b", b),
        _ => object.field("inputs", named),
    }
}

/// Unit of work.
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

/// Count per second; 0 without a measured time.
fn rate(count: u128, elapsed: Duration) -> f64 {
    if elapsed.is_zero() {
        0.0
    } else {
        count as f64 / elapsed.as_secs_f64()
    }
}

/// Summary lines of the run.
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

#[derive(Serialize)]
struct Phase {
    name: &'static str,
    seconds: f64,
}

/// JSON fields of the run. Counts are numbers of any size; readers with f64 numbers round them.
pub fn run_fields<'a, A>(
    counted: Counted,
    solved: &Solved<A>,
    mut object: Object<'a>,
) -> io::Result<Object<'a>> {
    let Run {
        cells,
        computed_cells,
        elapsed,
        ..
    } = solved.run;
    let run = &solved.run;
    object = object.field("method", run.method)?;
    if counted == Counted::Cells {
        object = object.field("path_mode", run.path_mode.name())?;
    }
    let (computed, speed_of) = match counted {
        Counted::Cells => ("computed_cells", cells),
        Counted::Splits => ("computed_splits", computed_cells),
        Counted::Symbols => ("searched_symbols", cells),
    };
    object = object
        .field("device", &run.device)?
        .field("interface", solved.interface.map(Interface::name))?
        .field("seconds", elapsed.as_secs_f64())?
        .field(counted.name(), cells)?
        .field(computed, computed_cells)?
        .field(
            &format!("{}_per_second", counted.name()),
            rate(speed_of, elapsed),
        )?;
    if counted == Counted::Cells {
        object = object
            .field("common_prefix", run.common_prefix)?
            .field("common_suffix", run.common_suffix)?;
    }
    let phase = |&(phase, time): &(swath::Phase, Duration)| Phase {
        name: phase.name(),
        seconds: time.as_secs_f64(),
    };
    object.field("phases", run.phases.iter().map(phase).collect::<Vec<_>>())
}

/// Writes a plan for `--dry-run`, as a JSON object or as aligned lines.
pub fn plan(
    json: bool,
    (problem, counted, names): (&str, Counted, Names),
    inputs: &Inputs,
    summary: &PlanSummary,
    out: &mut dyn Write,
) -> io::Result<()> {
    if !json {
        let mut lines = input_lines(names, inputs);
        lines.extend(plan_lines(counted, summary));
        return write_aligned(&lines, out);
    }
    let object = Object::new(&format!("{problem}-plan/1"), out)?.field("problem", problem)?;
    let object = plan_fields(counted, summary, object)?;
    input_fields(names, inputs, object)?.end()
}

/// Lines of a plan.
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

/// Fields of a plan.
pub fn plan_fields<'a>(
    counted: Counted,
    summary: &PlanSummary,
    mut object: Object<'a>,
) -> io::Result<Object<'a>> {
    object = object.field("method", summary.method)?;
    if counted == Counted::Cells {
        object = object.field("path_mode", summary.path_mode.name())?;
    }
    object = object
        .field("device", &summary.device)?
        .field(counted.name(), summary.cells)?;
    let strips = match counted {
        Counted::Cells => Some("strips"),
        Counted::Splits => Some("tile_rows"),
        Counted::Symbols => None,
    };
    if let Some(strips) = strips {
        object = object
            .field("tile", summary.tile)?
            .field(strips, summary.strips)?;
    }
    object
        .field("passes", summary.passes)?
        .field("device_bytes", summary.device_bytes)?
        .field("host_bytes", summary.host_bytes)?
        .field("expected_seconds", summary.expected.as_secs_f64())
}
