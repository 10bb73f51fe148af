//! SVG plots: dot plots of matches, and line plots on logarithmic axes.

use std::fmt::Write as _;
use std::io::{self, Write};
use std::time::Duration;

use swath::Block;
use swath::substring::{Place, Strand};

use super::lines::escaped;
use super::units;
use crate::input::Inputs;
use crate::message::printable;

const LEFT: f64 = 62.0;
const BOTTOM: f64 = 46.0;

fn label(x: f64, y: f64, anchor: &str, text: &str) -> String {
    format!("<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\">{text}</text>\n")
}

/// Pixels of the longer side of a dot plot, and minimum of the shorter one.
const SIDE: f64 = 560.0;
const MIN_SIDE: f64 = 40.0;
const DOT_TOP: f64 = 30.0;
const DOT_RIGHT: f64 = 14.0;

const FORWARD: &str = "#3b4a6b";
const REVERSE: &str = "#d62728";

struct Side {
    pixels: f64,
    symbols: usize,
    starts: Vec<usize>,
    name: String,
}

impl Side {
    fn new(inputs: &Inputs, input: usize) -> Self {
        Self {
            pixels: SIDE,
            symbols: inputs.lengths()[input].iter().sum(),
            starts: starts(inputs, input),
            name: escaped(&printable(&inputs.groups[input].name)),
        }
    }

    fn at(&self, symbol: usize) -> f64 {
        self.pixels * symbol as f64 / self.symbols.max(1) as f64
    }

    /// At most five labelled ticks, at multiples of 1, 2 or 5 times a power of ten.
    fn ticks(&self) -> impl Iterator<Item = (f64, String)> {
        let min = self.symbols / 5;
        let powers = std::iter::successors(Some(1usize), |power| power.checked_mul(10));
        let mut rounds =
            powers.flat_map(|power| [1, 2, 5].map(|digit| power.saturating_mul(digit)));
        let tick = rounds.find(|&round| round > min).unwrap_or(usize::MAX);
        let count = self.symbols.div_ceil(tick);
        (1..count).map(move |i| (self.at(i * tick), units::short(i * tick)))
    }
}

/// First symbol of each record among all symbols of an input.
fn starts(inputs: &Inputs, input: usize) -> Vec<usize> {
    let lengths = &inputs.lengths()[input];
    let next = |start: &mut usize, len: &usize| {
        let this = *start;
        *start += len;
        Some(this)
    };
    lengths.iter().scan(0, next).collect()
}

/// A run of pairs in a dot plot, as positions in the concatenated records of both inputs.
#[derive(Clone, Copy, Debug)]
pub struct Run {
    pub a: usize,
    pub b: usize,
    pub len: usize,
    pub strand: Strand,
}

/// Runs of the places of matches in both inputs, with their lengths.
pub fn matches<I: Iterator<Item = (Place, Place, usize)>>(
    inputs: &Inputs,
    matches: I,
) -> impl Iterator<Item = Run> + use<I> {
    let starts = [0, 1].map(|input| starts(inputs, input));
    matches.map(move |(a, b, len)| Run {
        a: starts[0][a.record] + a.start,
        b: starts[1][b.record] + b.start,
        len,
        strand: if a.strand == b.strand {
            Strand::Forward
        } else {
            Strand::Reverse
        },
    })
}

pub fn blocks(blocks: &[Block]) -> impl Iterator<Item = Run> {
    blocks.iter().map(|&Block { a, b, len }| Run {
        a,
        b,
        len,
        strand: Strand::Forward,
    })
}

/// Runs that are shorter than this many pixels are drawn as pixels.
const MIN_LINE: f64 = 4.0;
/// Lines of a plot; if there are more, all runs are drawn as pixels, which bounds the file.
const MAX_LINES: usize = 30_000;

struct Pixels {
    width: usize,
    height: usize,
    set: Vec<bool>,
}

impl Pixels {
    fn new(width: f64, height: f64) -> Self {
        let (width, height) = (width as usize, height as usize);
        Self {
            width,
            height,
            set: vec![false; width * height],
        }
    }

    fn draw(&mut self, [x0, y0, x1, y1]: [f64; 4]) {
        let steps = (x1 - x0).abs().max((y1 - y0).abs()).ceil().max(1.0);
        for step in 0..=steps as usize {
            let share = step as f64 / steps;
            let x = ((x0 + share * (x1 - x0)) as usize).min(self.width - 1);
            let y = ((y0 + share * (y1 - y0)) as usize).min(self.height - 1);
            self.set[y * self.width + x] = true;
        }
    }

    fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        for (y, row) in self.set.chunks(self.width).enumerate() {
            let mut x = 0;
            for run in row.chunk_by(|one, next| one == next) {
                if run[0] {
                    write!(out, "M{x} {y}.5h{}", run.len())?;
                }
                x += run.len();
            }
        }
        Ok(())
    }
}

/// A line per run, the first input from left to right, the second from top to bottom. Records are
/// concatenated, with a line between them. Short runs, and many of them, are drawn as pixels.
pub fn dot_plot(
    inputs: &Inputs,
    title: &str,
    runs: impl Iterator<Item = Run>,
    out: &mut dyn Write,
) -> io::Result<()> {
    let (mut a, mut b) = (Side::new(inputs, 0), Side::new(inputs, 1));
    // Both axes have the same scale unless one would be too short.
    let longer = a.symbols.max(b.symbols).max(1) as f64;
    for side in [&mut a, &mut b] {
        let pixels = SIDE * side.symbols as f64 / longer;
        side.pixels = pixels.max(MIN_SIDE).round();
    }
    let (right, bottom) = (a.pixels, b.pixels);
    let (width, height) = (LEFT + right + DOT_RIGHT, DOT_TOP + bottom + BOTTOM);
    write!(
        out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" height=\"{height}\" \
         font-family=\"sans-serif\" font-size=\"12\" fill=\"#222\">\n\
         <title>{title} of {} and {}</title>\n\
         <rect width=\"{width}\" height=\"{height}\" fill=\"#fff\"/>\n<g transform=\"translate({LEFT} {DOT_TOP})\">\n\
         <rect width=\"{right}\" height=\"{bottom}\" fill=\"#fafafa\" stroke=\"#999\"/>\n",
        a.name, b.name
    )?;
    for (x, text) in a.ticks() {
        writeln!(out, "<path d=\"M{x:.1} 0V{bottom}\" stroke=\"#ddd\"/>")?;
        out.write_all(label(x, bottom + 16.0, "middle", &text).as_bytes())?;
    }
    for (y, text) in b.ticks() {
        writeln!(out, "<path d=\"M0 {y:.1}H{right}\" stroke=\"#ddd\"/>")?;
        out.write_all(label(-6.0, y + 4.0, "end", &text).as_bytes())?;
    }
    let mut borders = String::new();
    for &start in &a.starts[1..] {
        borders += &format!("M{:.1} 0V{bottom}", a.at(start));
    }
    for &start in &b.starts[1..] {
        borders += &format!("M0 {:.1}H{right}", b.at(start));
    }
    writeln!(
        out,
        "<path d=\"{borders}\" stroke=\"#999\" stroke-dasharray=\"2 2\"/>"
    )?;
    let mut plotted = Strand::ALL.map(|_| (Pixels::new(right, bottom), Vec::new()));
    for Run {
        a: in_a,
        b: in_b,
        len,
        strand,
    } in runs
    {
        let (x, mut y) = (
            (a.at(in_a), a.at(in_a + len)),
            (b.at(in_b), b.at(in_b + len)),
        );
        if strand == Strand::Reverse {
            y = (y.1, y.0);
        }
        let line = [x.0, y.0, x.1, y.1];
        let (pixels, lines) = &mut plotted[usize::from(strand == Strand::Reverse)];
        if x.1 - x.0 < MIN_LINE && (y.1 - y.0).abs() < MIN_LINE || lines.len() == MAX_LINES {
            pixels.draw(line);
        } else {
            lines.push(line);
        }
    }
    let colours = [FORWARD, REVERSE];
    for ((pixels, lines), colour) in plotted.into_iter().zip(colours).rev() {
        write!(out, "<path fill=\"none\" stroke=\"{colour}\" d=\"")?;
        pixels.write(out)?;
        write!(
            out,
            "\"/>\n<path fill=\"none\" stroke-width=\"1.5\" stroke-linecap=\"round\" stroke=\"{colour}\" d=\""
        )?;
        for [x0, y0, x1, y1] in lines {
            write!(out, "M{x0:.1} {y0:.1}L{x1:.1} {y1:.1}")?;
        }
        writeln!(out, "\"/>")?;
    }
    out.write_all(label(right / 2.0, bottom + 36.0, "middle", &a.name).as_bytes())?;
    let middle = bottom / 2.0;
    writeln!(
        out,
        "<text transform=\"translate(-44 {middle}) rotate(-90)\" text-anchor=\"middle\">{}</text>",
        b.name
    )?;
    for (x, colour, text) in [(0.0, FORWARD, "forward"), (80.0, REVERSE, "reverse")] {
        writeln!(
            out,
            "<rect x=\"{x}\" y=\"-20\" width=\"10\" height=\"10\" fill=\"{colour}\"/>"
        )?;
        out.write_all(label(x + 15.0, -11.0, "start", text).as_bytes())?;
    }
    writeln!(out, "</g></svg>")
}

/// Pixels of a line plot and its surroundings.
const WIDTH: f64 = 560.0;
const HEIGHT: f64 = 340.0;
const LINE_TOP: f64 = 14.0;
const LEGEND: f64 = 250.0;
/// Approximate maximum width of a label's character in pixels.
const CHARACTER: f64 = 7.0;
const LEGEND_LINE: f64 = 18.0;
/// Number of colours of the page; the next one is for published figures.
pub const COLOURS: usize = 8;
const DASHES: [&str; 4] = ["none", "6 3", "2 3", "8 3 2 3"];

pub struct Line {
    pub name: String,
    pub colour: usize,
    /// Index of the dash pattern, which distinguishes lines of one colour.
    pub dash: usize,
    pub points: Vec<(f64, f64)>,
}

struct Axis {
    low: f64,
    high: f64,
    pixels: f64,
}

impl Axis {
    /// Axis over all values, extended to whole decades if `whole` is set.
    fn over(values: impl Iterator<Item = f64>, pixels: f64, whole: bool) -> Self {
        let values: Vec<f64> = values.map(|value| value.max(1e-9).log10()).collect();
        let low = values.iter().copied().fold(f64::MAX, f64::min);
        let high = values.iter().copied().fold(f64::MIN, f64::max);
        let (low, high) = if whole {
            ((low - 0.01).floor(), (high + 0.01).ceil())
        } else {
            (low - 0.15, high + 0.15)
        };
        Self { low, high, pixels }
    }

    fn at(&self, value: f64) -> f64 {
        self.pixels * (value.max(1e-12).log10() - self.low) / (self.high - self.low)
    }

    fn decades(&self) -> impl Iterator<Item = f64> {
        (self.low.ceil() as i32..=self.high.floor() as i32).map(|power| 10f64.powi(power))
    }
}

/// Rounds a size to three digits; the geometric mean of two sizes is not an integer.
fn rounded(size: f64) -> usize {
    let unit = 10f64.powi((size.max(1.0).log10() as i32 - 2).max(0));
    ((size / unit).round() * unit) as usize
}

/// Time against size on logarithmic axes, with grid lines at `sizes`.
pub fn line_plot(title: &str, mut lines: Vec<Line>, mut sizes: Vec<f64>, unit: &str) -> String {
    if lines.is_empty() {
        return String::new();
    }
    let points = || lines.iter().flat_map(|line| &line.points);
    let x = Axis::over(points().map(|point| point.0), WIDTH, false);
    let y = Axis::over(points().map(|point| point.1), HEIGHT, true);
    let height = HEIGHT.max(LEGEND_LINE * lines.len() as f64);
    let (width, whole) = (LEFT + WIDTH + LEGEND, LINE_TOP + height + BOTTOM);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {whole}\" role=\"img\">\n<title>{}</title>\n\
         <g transform=\"translate({LEFT} {LINE_TOP})\">\n",
        escaped(title)
    );
    for seconds in y.decades() {
        let at = HEIGHT - y.at(seconds);
        let text = units::time(Duration::from_secs_f64(seconds));
        let text = text.replace(".00", "").replace(".0", "");
        svg += &format!("<path class=\"grid\" d=\"M0 {at:.1}H{WIDTH}\"/>\n");
        svg += &label(-6.0, at + 4.0, "end", &text);
    }
    sizes.retain(|&size| (0.0..=WIDTH).contains(&x.at(size)));
    sizes.sort_by(f64::total_cmp);
    sizes.dedup();
    let mut free = f64::MIN;
    for size in sizes {
        let at = x.at(size);
        svg += &format!("<path class=\"grid\" d=\"M{at:.1} 0V{HEIGHT}\"/>\n");
        // Labels are at min one character apart.
        let text = units::short(rounded(size));
        let half = CHARACTER * (text.len() + 1) as f64 / 2.0;
        if at - half >= free {
            svg += &label(at, HEIGHT + 16.0, "middle", &text);
            free = at + half;
        }
    }
    svg += &label(WIDTH / 2.0, HEIGHT + 36.0, "middle", unit);
    svg += &format!("<rect class=\"frame\" width=\"{WIDTH}\" height=\"{HEIGHT}\"/>\n");
    for (index, line) in lines.iter_mut().enumerate() {
        let in_order =
            |a: &(f64, f64), b: &(f64, f64)| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1));
        line.points.sort_by(in_order);
        let (name, colour) = (escaped(&line.name), line.colour);
        let (mut joined, mut dots) = (String::new(), String::new());
        for &(size, seconds) in &line.points {
            let (x, y) = (x.at(size), HEIGHT - y.at(seconds));
            let separator = if joined.is_empty() { "" } else { " " };
            let _ = write!(joined, "{separator}{x:.1},{y:.1}");
            let _ = writeln!(
                dots,
                "<circle class=\"c{colour}\" cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"3\"/>"
            );
        }
        let dash = DASHES[line.dash % DASHES.len()];
        let style = format!("class=\"line c{colour}\" stroke-dasharray=\"{dash}\"");
        let (start, end) = (WIDTH + 14.0, WIDTH + 46.0);
        let middle = LEGEND_LINE * index as f64 + 8.0;
        svg += &format!(
            "<g><title>{name}</title>\n<polyline {style} points=\"{joined}\"/>\n{dots}<path {style} d=\"M{start} {middle}H{end}\"/>\n{}</g>\n",
            label(end + 6.0, middle + 4.0, "start", &name)
        );
    }
    svg + "</g></svg>\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_have_labels_of_three_digits() {
        for (size, label) in [
            (2_236_067.977, "2.24 M"),
            (60_000.0, "60 k"),
            (9_999.6, "10 k"),
            (150.0, "150"),
            (0.0, "0"),
        ] {
            assert_eq!(units::short(rounded(size)), label);
        }
    }

    #[test]
    fn points_a_decade_apart_are_equally_far_from_each_other_along_both_axes() {
        let line = Line {
            name: "auto".into(),
            colour: 0,
            dash: 0,
            points: vec![(1e4, 2e-2), (1e2, 2e-4), (1e3, 2e-3), (1e5, 2e-1)],
        };
        let svg = line_plot("a title", vec![line], vec![1e2, 1e3], "keys");
        for (axis, way) in [(" cx=\"", 1.0), (" cy=\"", -1.0)] {
            let quoted = svg
                .split(axis)
                .skip(1)
                .filter_map(|rest| rest.split('"').next());
            let positions: Vec<f64> = quoted.filter_map(|number| number.parse().ok()).collect();
            let steps: Vec<f64> = positions.windows(2).map(|pair| pair[1] - pair[0]).collect();
            assert_eq!(steps.len(), 3, "{axis}: {positions:?}");
            // To the right, and upwards; positions have one decimal.
            let even = |step: &f64| way * step > 50.0 && (step - steps[0]).abs() < 0.25;
            assert!(steps.iter().all(even), "{axis}: {positions:?}");
        }
    }
}
