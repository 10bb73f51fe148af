//! How far the work is, on stderr.

use std::io::{IsTerminal, Write};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressState, ProgressStyle};
use swath::{Progress, ProgressCallback};

use super::args::When;
use crate::report::cells_per_second;

const TEMPLATE: &str = "{bar:40} {percent:>3} %  {rate}  {elapsed} gone, {eta} to go";
/// Time between the lines of `--progress always` away from a terminal.
const LINE_EVERY: Duration = Duration::from_secs(1);

/// A bar on a terminal, lines elsewhere, or nothing; dropping it removes the bar.
pub enum Reporter {
    Terminal(ProgressBar),
    Lines,
    Silent,
}

impl Reporter {
    /// What `when` asks for here.
    pub fn new(when: When) -> Self {
        match (when, std::io::stderr().is_terminal()) {
            (When::Never, _) | (When::Auto, false) => Reporter::Silent,
            (When::Always, false) => Reporter::Lines,
            (When::Auto | When::Always, true) => Reporter::Terminal(bar()),
        }
    }

    /// What the engine calls.
    pub fn callback(&self) -> Option<ProgressCallback> {
        match self {
            Reporter::Silent => None,
            Reporter::Lines => Some(lines()),
            Reporter::Terminal(bar) => {
                let bar = bar.clone();
                Some(Arc::new(move |progress: Progress| {
                    bar.set_length(progress.total);
                    bar.set_position(progress.done);
                }))
            }
        }
    }
}

impl Drop for Reporter {
    fn drop(&mut self) {
        if let Reporter::Terminal(bar) = self {
            bar.finish_and_clear();
        }
    }
}

fn bar() -> ProgressBar {
    let style = ProgressStyle::with_template(TEMPLATE).unwrap_or_else(|_| ProgressStyle::default_bar());
    let rate = |state: &ProgressState, out: &mut dyn std::fmt::Write| {
        // A bar that cannot be written is no reason to stop.
        let _ = write!(out, "{}", cells_per_second(state.per_sec()));
    };
    ProgressBar::new(0).with_style(style.with_key("rate", rate))
}

fn lines() -> ProgressCallback {
    let last: Mutex<Option<Instant>> = Mutex::new(None);
    Arc::new(move |progress: Progress| {
        let Ok(mut last) = last.lock() else { return };
        let due = last.is_none_or(|time| time.elapsed() >= LINE_EVERY);
        if due {
            *last = Some(Instant::now());
            let percent = (100.0 * progress.done as f64 / progress.total.max(1) as f64).floor();
            // A line that cannot be written is no reason to stop either.
            let _ = writeln!(std::io::stderr(), "swath: {percent} %");
        }
    })
}
