//! Time against size as SVG, both logarithmic: a line a method and device, and one a column of a paper.

use std::fmt::Write;
use std::time::Duration;

use super::super::markup::escaped;
use super::super::units;
use super::published::{PAPERS, Published};
use super::{Kind, Problem, Record, Row};

/// Pixels of the plot, and what stands around it.
const WIDTH: f64 = 560.0;
const HEIGHT: f64 = 340.0;
const LEFT: f64 = 62.0;
const TOP: f64 = 14.0;
const LEGEND: f64 = 250.0;
const BOTTOM: f64 = 46.0;
/// Pixels of a character of a label, at most about.
const CHARACTER: f64 = 7.0;
/// Pixels of a line of the legend.
const LINE: f64 = 18.0;
/// Colours that the page has for methods, by number; the next one is that of published figures.
const COLOURS: usize = 8;
/// How the lines of the first devices are dashed.
const DASHES: [&str; 4] = ["none", "6 3", "2 3", "8 3 2 3"];

/// One method on one device, or one column of a paper's table.
struct Line {
    /// As the legend has it.
    name: String,
    colour: usize,
    /// Tells lines of one colour apart.
    dash: &'static str,
    /// Size and seconds, by size.
    points: Vec<(f64, f64)>,
}

/// A logarithmic axis.
struct Axis {
    low: f64,
    high: f64,
    pixels: f64,
}

impl Axis {
    /// Over all values, widened to the next decades where `whole` says so.
    fn over(values: impl Iterator<Item = f64>, pixels: f64, whole: bool) -> Self {
        let (low, high) = values.fold((f64::MAX, f64::MIN), |(low, high), value| {
            (low.min(value), high.max(value))
        });
        let (low, high) = (low.max(1e-9).log10(), high.max(1e-9).log10());
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

    /// Powers of ten on it.
    fn decades(&self) -> impl Iterator<Item = f64> {
        (self.low.ceil() as i32..=self.high.floor() as i32).map(|power| 10f64.powi(power))
    }
}

/// The plot of rows of one problem and kind of input, with what its paper has published of it where that was asked for; empty where
/// nothing of them was measured.
pub fn plot(
    record: &Record,
    title: &str,
    (problem, kind): (Problem, Kind),
    rows: &[&Row],
) -> String {
    let mut lines = measured(record, rows);
    if lines.is_empty() {
        return String::new();
    }
    if record.papers.contains(&problem) {
        lines.extend(published(problem, kind));
    }
    let points = || lines.iter().flat_map(|line| &line.points);
    let x = Axis::over(points().map(|point| point.0), WIDTH, false);
    let y = Axis::over(points().map(|point| point.1), HEIGHT, true);
    let height = HEIGHT.max(LINE * lines.len() as f64);
    let (width, whole) = (LEFT + WIDTH + LEGEND, TOP + height + BOTTOM);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {whole}\" role=\"img\">\n<title>{}</title>\n\
         <g transform=\"translate({LEFT} {TOP})\">\n",
        escaped(title)
    );
    // Writing to a string does not fail.
    let _ = grid(&mut svg, &x, &y, rows, problem);
    for (place, line) in lines.iter().enumerate() {
        let _ = draw(&mut svg, line, (&x, &y), LINE * place as f64);
    }
    svg + "</g></svg>\n"
}

/// A line for each method and device that anything was measured of: a colour a method, a dash a device.
fn measured(record: &Record, rows: &[&Row]) -> Vec<Line> {
    let (mut methods, mut lines) = (Vec::new(), Vec::<Line>::new());
    for row in rows {
        let Some(measured) = row.measured() else {
            continue;
        };
        let colour = methods
            .iter()
            .position(|&method| method == row.method)
            .unwrap_or(methods.len());
        if colour == methods.len() {
            methods.push(row.method);
        }
        let point = (row.case.extent(), measured.seconds());
        let name = format!("{}, {}", row.method, record.selector(row));
        match lines.iter_mut().find(|line| line.name == name) {
            Some(line) => line.points.push(point),
            None => {
                let (colour, dash) = (colour % COLOURS, DASHES[row.device % DASHES.len()]);
                lines.push(Line {
                    name,
                    colour,
                    dash,
                    points: vec![point],
                });
            }
        }
    }
    lines.iter_mut().for_each(Line::sort);
    lines
}

/// A line for the columns of the paper that stand for it.
fn published(problem: Problem, kind: Kind) -> Vec<Line> {
    let tables = PAPERS
        .iter()
        .filter(|paper| paper.problem == problem)
        .flat_map(|paper| paper.tables);
    let columns = tables
        .filter(|table| table.kind == kind)
        .flat_map(|table| table.plotted.iter().map(move |of| (table, of)));
    let line = |(place, (table, &(column, name))): (usize, (&Published, &(usize, &str)))| {
        let times = table
            .rows
            .iter()
            .map(|(_, figures)| figures.get(column).map(|&figure| table.seconds(figure)));
        let points = table
            .cases(problem)
            .zip(times)
            .filter_map(|(case, time)| Some((case.extent(), time?)));
        let (name, dash) = (format!("published: {name}"), DASHES[place % DASHES.len()]);
        let mut line = Line {
            name,
            colour: COLOURS,
            dash,
            points: points.collect(),
        };
        line.sort();
        line
    };
    columns.enumerate().map(line).collect()
}

impl Line {
    fn sort(&mut self) {
        self.points
            .sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)));
    }
}

/// A size to three digits: that of two inputs that differ is the root of a product.
fn rounded(size: f64) -> f64 {
    let unit = 10f64.powi((size.max(1.0).log10() as i32 - 2).max(0));
    (size / unit).round() * unit
}

/// Lines at the decades of time and at the sizes, with their labels.
fn grid(svg: &mut String, x: &Axis, y: &Axis, rows: &[&Row], problem: Problem) -> std::fmt::Result {
    for seconds in y.decades() {
        let (at, label) = (
            HEIGHT - y.at(seconds),
            units::time(Duration::from_secs_f64(seconds)),
        );
        let label = label.replace(".00", "").replace(".0", "");
        writeln!(svg, "<path class=\"grid\" d=\"M0 {at:.1}H{WIDTH}\"/>")?;
        writeln!(
            svg,
            "<text x=\"-6\" y=\"{:.1}\" text-anchor=\"end\">{label}</text>",
            at + 4.0
        )?;
    }
    let mut sizes: Vec<_> = rows
        .iter()
        .map(|row| row.case.extent())
        .filter(|&size| (0.0..=WIDTH).contains(&x.at(size)))
        .collect();
    sizes.sort_by(f64::total_cmp);
    sizes.dedup();
    let mut free = f64::MIN;
    for size in sizes {
        let at = x.at(size);
        writeln!(svg, "<path class=\"grid\" d=\"M{at:.1} 0V{HEIGHT}\"/>")?;
        // Between two labels there is room for a character.
        let label = units::short(rounded(size) as usize);
        let half = CHARACTER * (label.len() + 1) as f64 / 2.0;
        if at - half >= free {
            writeln!(
                svg,
                "<text x=\"{at:.1}\" y=\"{}\" text-anchor=\"middle\">{label}</text>",
                HEIGHT + 16.0
            )?;
            free = at + half;
        }
    }
    let what = match problem {
        Problem::Chain => "matrices",
        Problem::Sort => "keys",
        _ => "symbols of each input",
    };
    writeln!(
        svg,
        "<text x=\"{}\" y=\"{}\" text-anchor=\"middle\">{what}</text>",
        WIDTH / 2.0,
        HEIGHT + 36.0
    )?;
    writeln!(
        svg,
        "<rect class=\"frame\" width=\"{WIDTH}\" height=\"{HEIGHT}\"/>"
    )
}

/// A line, and its line of the legend.
fn draw(svg: &mut String, line: &Line, (x, y): (&Axis, &Axis), below: f64) -> std::fmt::Result {
    let (name, colour) = (escaped(&line.name), line.colour);
    let points: Vec<_> = line
        .points
        .iter()
        .map(|&(size, time)| (x.at(size), HEIGHT - y.at(time)))
        .collect();
    let joined: Vec<_> = points
        .iter()
        .map(|(x, y)| format!("{x:.1},{y:.1}"))
        .collect();
    let style = format!(
        "class=\"line c{colour}\" stroke-dasharray=\"{}\"",
        line.dash
    );
    writeln!(svg, "<g><title>{name}</title>")?;
    writeln!(svg, "<polyline {style} points=\"{}\"/>", joined.join(" "))?;
    for (x, y) in points {
        writeln!(
            svg,
            "<circle class=\"c{colour}\" cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"3\"/>"
        )?;
    }
    let (start, end, middle) = (WIDTH + 14.0, WIDTH + 46.0, below + 8.0);
    writeln!(svg, "<path {style} d=\"M{start} {middle}H{end}\"/>")?;
    writeln!(
        svg,
        "<text x=\"{}\" y=\"{}\">{name}</text></g>",
        end + 6.0,
        middle + 4.0
    )
}

#[cfg(test)]
mod tests {
    use super::super::{Case, Device, Measured, Outcome};
    use super::*;

    /// What stands in quotes behind a word, everywhere.
    fn numbers(svg: &str, word: &str) -> Vec<f64> {
        let word = format!(" {word}=\"");
        let quoted = svg
            .split(&word)
            .skip(1)
            .filter_map(|rest| rest.split('"').next());
        quoted.filter_map(|number| number.parse().ok()).collect()
    }

    #[test]
    fn sizes_have_labels_of_three_digits() {
        let sizes = [
            (2_236_067.977, "2.24 M"),
            (60_000.0, "60 k"),
            (9_999.6, "10 k"),
            (150.0, "150"),
            (7.0, "7"),
            (0.0, "0"),
        ];
        for (size, label) in sizes {
            assert_eq!(units::short(rounded(size) as usize), label);
        }
    }

    #[test]
    fn points_a_decade_apart_are_equally_far_from_each_other_along_both_axes() {
        let row = |(size, seconds): (usize, f64)| {
            let measured = Measured {
                ran: ("bit-parallel", "cpu".to_string()),
                times: vec![seconds],
                expected: Duration::from_secs(1),
                count: 1,
                computed: 1,
                ceiling: None,
                answers: vec![7],
                right: true,
                checked: true,
            };
            let case = Case {
                problem: Problem::Lcs,
                kind: Kind::Letters(4),
                sizes: (size, Some(size)),
                path: false,
            };
            Row {
                case,
                device: 0,
                method: "auto",
                outcome: Outcome::Measured(measured),
            }
        };
        let device = ["cpu", "native code", "swath"].map(str::to_string);
        let [selector, name, driver] = device;
        let record = Record {
            command: Vec::new(),
            limit: Duration::from_secs(10),
            devices: vec![Device {
                selector,
                name,
                kind: "CPU",
                driver,
            }],
            rows: [(100, 2e-4), (1_000, 2e-3), (10_000, 2e-2), (100_000, 2e-1)]
                .map(row)
                .to_vec(),
            papers: Vec::new(),
            complete: true,
        };
        let rows: Vec<&Row> = record.rows.iter().collect();
        let svg = plot(&record, "a title", (Problem::Lcs, Kind::Letters(4)), &rows);
        for axis in ["cx", "cy"] {
            let places = numbers(&svg, axis);
            let steps: Vec<f64> = places.windows(2).map(|pair| pair[1] - pair[0]).collect();
            assert_eq!(steps.len(), 3, "{axis}: {places:?}");
            // Along x to the right, along y upwards; places have a digit behind the point.
            let way = if axis == "cx" { 1.0 } else { -1.0 };
            assert!(
                steps
                    .iter()
                    .all(|step| way * step > 50.0 && (step - steps[0]).abs() < 0.25),
                "{axis}: {places:?}"
            );
        }
    }
}
