//! What `swath bench` has measured, and how that is told.

mod case;
mod html;
mod json;
mod paper;
mod plot;
pub mod published;
mod table;
mod tables;

use std::time::Duration;

use swath::unstable::measure::timing::median;

pub use case::{Case, Kind, Problem};
pub use html::bench_html;
pub use json::bench_json;
pub use paper::paper_text;
pub use tables::bench_text;

/// A device that was measured.
#[derive(Clone, Debug)]
pub struct Device {
    pub selector: String,
    pub name: String,
    pub kind: &'static str,
    pub driver: String,
}

/// One case by one method on one device.
#[derive(Clone, Debug)]
pub struct Row {
    pub case: Case,
    /// Its place in the list of devices.
    pub device: usize,
    /// The method that was asked for; what there is no choice of has the name of what runs.
    pub method: &'static str,
    pub outcome: Outcome,
}

/// What came of it.
#[derive(Clone, Debug)]
pub enum Outcome {
    Measured(Measured),
    /// Not run: it is expected to take so long.
    Expected(Duration),
    /// There is no room for it.
    NoRoom(String),
    Failed(String),
}

/// Repeated calls.
#[derive(Clone, Debug)]
pub struct Measured {
    /// The method and the device that ran.
    pub ran: (&'static str, String),
    /// Seconds of each call; of one alone where it took longer than the limit, though that was not expected.
    pub times: Vec<f64>,
    /// What the plan expected of each.
    pub expected: Duration,
    /// Cells, splits, symbols or keys.
    pub count: u128,
    /// How many of them were computed.
    pub computed: u128,
    /// The most of them that the device can do in a second, where that is known.
    pub ceiling: Option<f64>,
    /// The answers of the calls, the first one among them whose time did not count; of a sort a digest.
    pub answers: Vec<u64>,
    /// Whether all of them are what the other methods and devices answered.
    pub right: bool,
    /// Whether there was anything to compare them with: another method or device, or an answer that is known.
    pub checked: bool,
}

impl Measured {
    /// Median of the times.
    pub fn seconds(&self) -> f64 {
        median(&self.times).unwrap_or_default()
    }

    /// The shortest time and the longest.
    pub fn spread(&self) -> (f64, f64) {
        let fold =
            |of: fn(f64, f64) -> f64| self.times.iter().copied().reduce(of).unwrap_or_default();
        (fold(f64::min), fold(f64::max))
    }

    /// How many times as long as expected it took.
    pub fn pace(&self) -> f64 {
        self.seconds() / self.expected.as_secs_f64().max(1e-9)
    }

    /// What has to be said of the answers, unless they are right and were checked.
    pub fn verdict(&self) -> Option<&'static str> {
        match (self.right, self.checked) {
            (false, _) => Some("WRONG"),
            (true, false) => Some("unchecked"),
            (true, true) => None,
        }
    }

    /// The share of the ceiling that was reached.
    pub fn share(&self) -> Option<f64> {
        self.ceiling
            .map(|most| self.computed as f64 / self.seconds() / most)
    }
}

/// A run of the command.
#[derive(Clone, Debug)]
pub struct Record {
    pub command: Vec<String>,
    /// What is expected to take more is not run.
    pub limit: Duration,
    pub devices: Vec<Device>,
    pub rows: Vec<Row>,
    /// Problems whose papers' tables were measured in the place of other sizes.
    pub papers: Vec<Problem>,
    /// Whether everything was measured, not ended before by a signal.
    pub complete: bool,
}

impl Row {
    /// What was measured.
    pub fn measured(&self) -> Option<&Measured> {
        match &self.outcome {
            Outcome::Measured(measured) => Some(measured),
            _ => None,
        }
    }
}

impl Record {
    /// The selector of the device of a row.
    pub fn selector(&self, row: &Row) -> &str {
        &self.devices[row.device].selector
    }

    /// How many times as long each baseline of the same case takes: the baseline's row, and the factor. One on the same device comes
    /// in the place of those on others; a baseline itself is compared with itself on the CPU.
    pub fn ratios<'a>(&'a self, row: &'a Row) -> Vec<(&'a Row, f64)> {
        let Some(own) = row.measured() else {
            return Vec::new();
        };
        let of_method = |method: &'static str| {
            let all = self
                .rows
                .iter()
                .filter(move |other| other.case == row.case && other.method == method);
            let (is_own, here) = (
                method == row.method,
                all.clone().any(|other| other.device == row.device),
            );
            all.filter(move |other| match is_own {
                true => other.device != row.device && self.devices[other.device].kind == "CPU",
                false => !here || other.device == row.device,
            })
        };
        let others = row.case.problem.baselines().iter();
        let factor = |other: &'a Row| Some((other, other.measured()?.seconds() / own.seconds()));
        others
            .flat_map(|&method| of_method(method))
            .filter_map(factor)
            .collect()
    }
}
