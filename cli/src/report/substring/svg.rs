//! A dot plot: a line for every match of two inputs, the first from left to right and the second from top to bottom. Records stand
//! one behind the other with a line between them.

use std::io::{self, Write};

use swath::substring::{Place, Strand};

use super::answer::{SubstringAnswer, matches};
use crate::input::printable;
use crate::report::markup::escaped;
use crate::report::units::short;

/// Pixels of the longer side of the plot, and of the shorter at least.
const SIDE: f64 = 560.0;
const LEAST_SIDE: f64 = 40.0;
const LEFT: f64 = 62.0;
const TOP: f64 = 30.0;
const RIGHT: f64 = 14.0;
const BOTTOM: f64 = 46.0;

const FORWARD: &str = "#3b4a6b";
const REVERSE: &str = "#d62728";

/// One of the two inputs along its side of the plot.
struct Axis {
    pixels: f64,
    symbols: usize,
    /// Where each record starts.
    starts: Vec<usize>,
    name: String,
}

impl Axis {
    fn new(answer: &SubstringAnswer<'_>, input: usize) -> Self {
        let lengths = &answer.inputs.lengths()[input];
        let starts = lengths.iter().scan(0, |end, length| {
            let start = *end;
            *end += length;
            Some(start)
        });
        let name = escaped(&printable(&answer.inputs.groups[input].name));
        Self {
            pixels: SIDE,
            symbols: lengths.iter().sum(),
            starts: starts.collect(),
            name,
        }
    }

    fn at(&self, symbol: usize) -> f64 {
        self.pixels * symbol as f64 / self.symbols.max(1) as f64
    }

    /// Where a run starts and ends.
    fn run(&self, place: &Place, length: usize) -> (f64, f64) {
        let start = self.starts[place.record] + place.start;
        (self.at(start), self.at(start + length))
    }

    /// A quarter of the symbols or less, as a round number: 1, 2 or 5 and noughts.
    fn tick(&self) -> usize {
        let least = self.symbols / 5;
        let powers = std::iter::successors(Some(1usize), |power| power.checked_mul(10));
        let mut rounds =
            powers.flat_map(|power| [1, 2, 5].map(|digit| power.saturating_mul(digit)));
        rounds.find(|&round| round > least).unwrap_or(usize::MAX)
    }

    /// Ticks with their labels.
    fn ticks(&self) -> impl Iterator<Item = (f64, String)> {
        let tick = self.tick();
        (1..self.symbols.div_ceil(tick)).map(move |i| (self.at(i * tick), short(i * tick)))
    }
}

pub(super) fn write(answer: &SubstringAnswer<'_>, out: &mut dyn Write) -> io::Result<()> {
    let (mut a, mut b) = (Axis::new(answer, 0), Axis::new(answer, 1));
    // Both inputs have the same scale where that leaves something to see.
    let longer = a.symbols.max(b.symbols).max(1) as f64;
    for axis in [&mut a, &mut b] {
        axis.pixels = (SIDE * axis.symbols as f64 / longer)
            .max(LEAST_SIDE)
            .round();
    }
    let (width, height) = (LEFT + a.pixels + RIGHT, TOP + b.pixels + BOTTOM);
    writeln!(
        out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" height=\"{height}\" \
         font-family=\"sans-serif\" font-size=\"12\" fill=\"#222\">"
    )?;
    writeln!(
        out,
        "<title>Maximal matches of {} and {}</title>",
        a.name, b.name
    )?;
    writeln!(
        out,
        "<rect width=\"{width}\" height=\"{height}\" fill=\"#fff\"/>\n<g transform=\"translate({LEFT} {TOP})\">"
    )?;
    let (right, bottom) = (a.pixels, b.pixels);
    writeln!(
        out,
        "<rect width=\"{right}\" height=\"{bottom}\" fill=\"#fafafa\" stroke=\"#999\"/>"
    )?;
    for (x, text) in a.ticks() {
        writeln!(out, "<path d=\"M{x:.1} 0V{bottom}\" stroke=\"#ddd\"/>")?;
        writeln!(
            out,
            "<text x=\"{x:.1}\" y=\"{}\" text-anchor=\"middle\">{text}</text>",
            bottom + 16.0
        )?;
    }
    for (y, text) in b.ticks() {
        writeln!(out, "<path d=\"M0 {y:.1}H{right}\" stroke=\"#ddd\"/>")?;
        writeln!(
            out,
            "<text x=\"-6\" y=\"{:.1}\" text-anchor=\"end\">{text}</text>",
            y + 4.0
        )?;
    }
    let borders = |axis: &Axis, line: &dyn Fn(f64) -> String| {
        axis.starts
            .iter()
            .skip(1)
            .map(|&start| line(axis.at(start)))
            .collect::<String>()
    };
    let (of_a, of_b) = (
        borders(&a, &|x| format!("M{x:.1} 0V{bottom}")),
        borders(&b, &|y| format!("M0 {y:.1}H{right}")),
    );
    writeln!(
        out,
        "<path d=\"{of_a}{of_b}\" stroke=\"#999\" stroke-dasharray=\"2 2\"/>"
    )?;
    for (strand, colour) in [(Strand::Reverse, REVERSE), (Strand::Forward, FORWARD)] {
        write!(
            out,
            "<path fill=\"none\" stroke-width=\"1.5\" stroke-linecap=\"round\" stroke=\"{colour}\" d=\""
        )?;
        for found in matches(answer)
            .iter()
            .filter(|found| found.b.strand == strand)
        {
            let (x, mut y) = (a.run(&found.a, found.length), b.run(&found.b, found.length));
            if strand == Strand::Reverse {
                y = (y.1, y.0);
            }
            write!(out, "M{:.1} {:.1}L{:.1} {:.1}", x.0, y.0, x.1, y.1)?;
        }
        writeln!(out, "\"/>")?;
    }
    writeln!(
        out,
        "<text x=\"{}\" y=\"{}\" text-anchor=\"middle\">{}</text>",
        right / 2.0,
        bottom + 36.0,
        a.name
    )?;
    let middle = bottom / 2.0;
    writeln!(
        out,
        "<text transform=\"translate(-44 {middle}) rotate(-90)\" text-anchor=\"middle\">{}</text>",
        b.name
    )?;
    for (x, colour, text) in [(0, FORWARD, "forward"), (80, REVERSE, "reverse")] {
        writeln!(
            out,
            "<rect x=\"{x}\" y=\"-20\" width=\"10\" height=\"10\" fill=\"{colour}\"/>"
        )?;
        writeln!(out, "<text x=\"{}\" y=\"-11\">{text}</text>", x + 15)?;
    }
    writeln!(out, "</g></svg>")
}
