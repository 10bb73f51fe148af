//! Progress on stderr.

use std::io::{IsTerminal, Write};
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use clap::ValueEnum;
use console::Term;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};
use swath::{Control, Progress, ProgressCallback};

use crate::interrupt::Interrupt;
use crate::report::units::cells_per_second;

/// The bar fills the columns left by the figures.
const TEMPLATE: &str = "{wide_bar} {figures}";
/// Minimum columns for all figures and a useful bar.
const WIDE: u16 = 88;
/// Steps of the bar. The last is never shown: the bar is removed when the work is done.
const STEPS: u64 = 1000;
/// Last phase of a call: writing a file.
pub const WRITING: &str = "write";
const DONE: &str = "done";
/// A call that ends before this shows no bar.
const DELAY: Duration = Duration::from_millis(300);
/// Interval of the lines of `--progress always` without a terminal.
const LINE_EVERY: Duration = Duration::from_secs(1);

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum When {
    Auto,
    Always,
    Never,
}

/// Bar on a terminal, lines elsewhere, or nothing. Dropping it removes the bar.
pub struct Reporter {
    shown: Shown,
    /// Furthest step so far: additional work does not move the bar back.
    furthest: Arc<AtomicU64>,
}

enum Shown {
    Bar {
        bar: ProgressBar,
        rate: Arc<Rate>,
    },
    /// Time of the last line.
    Lines(Arc<Mutex<Option<Instant>>>),
    Nothing,
}

impl Shown {
    fn hidden_bar() -> Self {
        let rate = Arc::new(Rate::new());
        let bar = ProgressBar::with_draw_target(Some(STEPS), ProgressDrawTarget::hidden())
            .with_style(style(rate.clone(), || Term::stderr().size().1));
        Self::Bar { bar, rate }
    }
}

/// Cells since the start of their count, and the current phase.
struct Rate {
    cells: AtomicU64,
    started: Instant,
    phase: Mutex<&'static str>,
    /// Set once the bar is drawn, after [`DELAY`].
    is_shown: AtomicBool,
}

impl Rate {
    fn new() -> Self {
        Self {
            cells: AtomicU64::new(0),
            started: Instant::now(),
            phase: Mutex::new(""),
            is_shown: AtomicBool::new(false),
        }
    }

    fn phase(&self) -> &'static str {
        *self.phase.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn enter(&self, phase: &'static str) {
        *self.phase.lock().unwrap_or_else(PoisonError::into_inner) = phase;
    }

    fn show(&self, bar: &ProgressBar) {
        if self.started.elapsed() >= DELAY && !self.is_shown.swap(true, Ordering::Relaxed) {
            bar.set_draw_target(ProgressDrawTarget::stderr());
        }
    }
}

impl Reporter {
    pub fn new(when: When) -> Self {
        let shown = match (when, std::io::stderr().is_terminal()) {
            (When::Never, _) | (When::Auto, false) => Shown::Nothing,
            (When::Always, false) => Shown::Lines(Arc::default()),
            (When::Auto | When::Always, true) => Shown::hidden_bar(),
        };
        Self {
            shown,
            furthest: Arc::default(),
        }
    }

    pub fn control(&self, interrupt: &Interrupt) -> Control {
        Control::new(interrupt.handle.clone(), self.callback())
    }

    /// Control of a call that is this part of the work.
    pub fn control_within(&self, interrupt: &Interrupt, part: Range<f64>) -> Control {
        let callback = self.callback().map(|callback| -> ProgressCallback {
            Arc::new(move |mut progress: Progress| {
                progress.fraction = part.start + progress.fraction * (part.end - part.start);
                callback(progress);
            })
        });
        Control::new(interrupt.handle.clone(), callback)
    }

    fn callback(&self) -> Option<ProgressCallback> {
        let furthest = self.furthest.clone();
        let step = move |progress: Progress| {
            let step = ((progress.fraction * STEPS as f64) as u64).min(STEPS - 1);
            furthest.fetch_max(step, Ordering::Relaxed).max(step)
        };
        match &self.shown {
            Shown::Nothing => None,
            Shown::Lines(last) => Some(lines(last.clone(), step)),
            Shown::Bar { bar, rate } => {
                let (bar, rate) = (bar.clone(), rate.clone());
                let before = rate.cells.load(Ordering::Relaxed);
                Some(Arc::new(move |progress: Progress| {
                    rate.cells
                        .store(before.saturating_add(progress.done), Ordering::Relaxed);
                    rate.enter(progress.phase.name());
                    rate.show(&bar);
                    bar.set_position(step(progress));
                }))
            }
        }
    }

    pub fn enter(&self, phase: &'static str) {
        match &self.shown {
            Shown::Nothing => {}
            Shown::Lines(last) => line(last, || (self.furthest.load(Ordering::Relaxed), phase)),
            Shown::Bar { bar, rate } => {
                rate.enter(phase);
                rate.show(bar);
                bar.tick();
            }
        }
    }

    /// Ends the progress of finished work: lines end at 100 %.
    pub fn finish(&self) {
        if let Shown::Lines(_) = &self.shown {
            print_line(STEPS, DONE);
        }
    }

    /// Removes the bar for good, before text without a line end.
    pub fn wipe(&self) {
        if let Shown::Bar { bar, .. } = &self.shown {
            bar.finish_and_clear();
        }
    }

    pub fn aside<T>(&self, print: impl FnOnce() -> T) -> T {
        match &self.shown {
            Shown::Bar { bar, .. } => bar.suspend(print),
            Shown::Lines(_) | Shown::Nothing => print(),
        }
    }
}

impl Drop for Reporter {
    fn drop(&mut self) {
        self.wipe();
    }
}

/// Narrow terminals show only the remaining time and the bar.
fn style(
    rate: Arc<Rate>,
    columns: impl Fn() -> u16 + Clone + Send + Sync + 'static,
) -> ProgressStyle {
    let figures = move |state: &ProgressState, out: &mut dyn std::fmt::Write| {
        let whole = |time: Duration| {
            indicatif::HumanDuration(Duration::from_secs(time.as_secs())).to_string()
        };
        let (percent, to_go) = (100 * state.pos() / STEPS, whole(state.eta()));
        // Write errors are ignored.
        let _ = match columns() {
            WIDE.. => {
                let cells = rate.cells.load(Ordering::Relaxed) as f64;
                let speed =
                    cells_per_second(cells / rate.started.elapsed().as_secs_f64().max(1e-3));
                let phase = rate.phase();
                write!(
                    out,
                    "{percent:>3} %  {phase}  {speed}  {} gone, {to_go} to go",
                    whole(state.elapsed())
                )
            }
            _ => write!(out, "{percent:>3} %  {to_go}"),
        };
    };
    let style =
        ProgressStyle::with_template(TEMPLATE).unwrap_or_else(|_| ProgressStyle::default_bar());
    style.with_key("figures", figures)
}

fn lines(
    last: Arc<Mutex<Option<Instant>>>,
    step: impl Fn(Progress) -> u64 + Send + Sync + 'static,
) -> ProgressCallback {
    Arc::new(move |progress: Progress| line(&last, || (step(progress), progress.phase.name())))
}

fn line(last: &Mutex<Option<Instant>>, reached: impl FnOnce() -> (u64, &'static str)) {
    let mut last = last.lock().unwrap_or_else(PoisonError::into_inner);
    let (step, phase) = reached();
    if last.is_none_or(|time| time.elapsed() >= LINE_EVERY) {
        *last = Some(Instant::now());
        print_line(step, phase);
    }
}

fn print_line(step: u64, phase: &str) {
    let _ = writeln!(
        std::io::stderr(),
        "swath: {} %, {phase}",
        100 * step / STEPS
    );
}

#[cfg(test)]
mod tests {
    use super::*;
    use indicatif::{InMemoryTerm, TermLike};

    fn reporter(columns: u16) -> (Reporter, InMemoryTerm) {
        let term = InMemoryTerm::new(5, columns);
        let rate = Arc::new(Rate::new());
        rate.is_shown.store(true, Ordering::Relaxed);
        let bar = ProgressBar::with_draw_target(
            Some(STEPS),
            ProgressDrawTarget::term_like(Box::new(term.clone())),
        );
        bar.set_style(style(rate.clone(), move || columns));
        (
            Reporter {
                shown: Shown::Bar { bar, rate },
                furthest: Arc::default(),
            },
            term,
        )
    }

    fn report(callback: Option<ProgressCallback>, fraction: f64) {
        let mut progress = Progress::default();
        (progress.done, progress.total, progress.fraction) = (1 << 47, 1 << 50, fraction);
        callback.expect("it is shown")(progress);
    }

    fn draw(reporter: &Reporter) {
        let Shown::Bar { bar, .. } = &reporter.shown else {
            panic!("a bar")
        };
        bar.force_draw();
    }

    #[test]
    fn the_bar_stays_on_one_line_of_any_terminal() {
        for columns in [20, 40, WIDE - 1, WIDE, 100, 200] {
            let (reporter, term) = reporter(columns);
            report(reporter.callback(), 0.1225);
            draw(&reporter);
            let shown = term.contents();
            assert_eq!(shown.lines().count(), 1, "{columns} columns: {shown}");
            assert!(shown.contains("12 %"), "{shown}");
            assert_eq!(shown.contains("CUPS"), columns >= WIDE, "{shown}");
            reporter.enter(WRITING);
            draw(&reporter);
            let shown = term.contents();
            assert!(shown.contains("12 %"), "{shown}");
            assert_eq!(shown.contains(WRITING), columns >= WIDE, "{shown}");
        }
    }

    #[test]
    fn the_bar_is_drawn_after_a_delay_and_never_after_it_is_wiped() {
        let reporter = Reporter {
            shown: Shown::hidden_bar(),
            furthest: Arc::default(),
        };
        let is_drawn = || {
            report(reporter.callback(), 0.5);
            let Shown::Bar { rate, .. } = &reporter.shown else {
                panic!("a bar")
            };
            rate.is_shown.load(Ordering::Relaxed)
        };
        assert!(!is_drawn());
        std::thread::sleep(DELAY);
        assert!(is_drawn());

        let (reporter, term) = self::reporter(80);
        report(reporter.callback(), 0.5);
        draw(&reporter);
        assert!(!term.contents().is_empty());
        reporter.wipe();
        reporter.aside(|| term.write_str("ittn")).expect("written");
        report(reporter.callback(), 0.9);
        draw(&reporter);
        assert_eq!(term.contents(), "ittn");
    }

    #[test]
    fn added_work_does_not_move_the_bar_back() {
        let (reporter, term) = reporter(80);
        let shown = |percent: &str| {
            draw(&reporter);
            assert!(
                term.contents().contains(percent),
                "{percent}: {}",
                term.contents()
            );
        };
        for (fraction, percent) in [
            (0.44, "44 %"),
            (0.1, "44 %"),
            (0.495, "49 %"),
            (1.0, "99 %"),
        ] {
            report(reporter.callback(), fraction);
            shown(percent);
        }
    }
}
