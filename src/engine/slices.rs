//! Runs a loaded plan in slices: calibrated, stamped, cancellable.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use crate::backend::{Done, Loaded, Pending, Span};
use crate::call::control::Control;
use crate::error::{Error, Result};
use crate::plan::{Pass, Plan};

/// Cells of a slice before any is timed, if they cost as much as those of the strip sweep: about 30 ms on a slow GPU.
const FIRST_CELLS: u64 = 1 << 34;
/// Most passes of one submission.
const MOST_PASSES: usize = 4096;
/// Most passes of the first one: the device starts on them while the others are recorded.
const FIRST_PASSES: usize = 8;
/// Submissions in flight: one runs while the next is recorded.
const IN_FLIGHT: usize = 2;

/// Decides how many cells a slice takes from how long the last ones took.
#[derive(Debug)]
struct Pace {
    target: Duration,
    cells: u64,
}

impl Pace {
    /// The next slice's share: four times as much at the most, half after an overrun.
    fn adjust(&mut self, cells: u64, elapsed: Duration) {
        let ratio = self.target.as_secs_f64() / elapsed.as_secs_f64().max(1e-6);
        let aimed = cells as f64 * if ratio < 0.5 { 0.5 } else { ratio.min(4.0) };
        self.cells = (aimed as u64).max(1);
    }

    /// How many of `passes` fit into the next slice, at least one and no more than `most`.
    fn take(&self, passes: &[Pass], most: usize) -> usize {
        let mut cells = 0u64;
        let fitting = passes.iter().take(most).take_while(|pass| {
            cells = cells.saturating_add(pass.cells);
            cells <= self.cells
        });
        fitting.count().max(1)
    }
}

struct InFlight {
    stamp: u32,
    cells: u64,
    arriving: Pending<Done>,
}

/// Runs all passes in order and reads the words of `spans` behind the last. Each slice leaves a stamp that is checked when it is
/// done. `behind` may submit more behind the last slice before that is waited for.
///
/// # Errors
/// [`Error::MissingStamp`] when a slice claims success without its stamp, [`Error::Cancelled`], [`Error::DeviceLost`].
pub async fn run(
    loaded: &mut dyn Loaded,
    device: &str,
    plan: &Plan,
    spans: &[Span],
    target: Duration,
    control: &Control,
    behind: &mut (dyn FnMut(&mut dyn Loaded) -> Result<()> + Send),
) -> Result<Vec<u32>> {
    let mut pace = Pace { target, cells: FIRST_CELLS / plan.cell_cost.max(1) };
    let mut rest = &plan.passes[..];
    let mut in_flight = VecDeque::with_capacity(IN_FLIGHT);
    let mut stamp = 0;
    let mut words = None;
    let mut last_done = Instant::now();
    while !rest.is_empty() || !in_flight.is_empty() {
        control.check()?;
        while !rest.is_empty() && in_flight.len() < IN_FLIGHT {
            let most = if stamp == 0 { FIRST_PASSES } else { MOST_PASSES };
            let (slice, later) = rest.split_at(pace.take(rest, most));
            stamp += 1;
            let cells = slice.iter().map(|pass| pass.cells).sum();
            let wanted = if later.is_empty() { spans } else { &[] };
            in_flight.push_back(InFlight { stamp, cells, arriving: loaded.submit(slice, stamp, wanted)? });
            rest = later;
            if rest.is_empty() {
                behind(loaded)?;
            }
        }
        if let Some(slice) = in_flight.pop_front() {
            let done = slice.arriving.await?;
            if done.stamp != slice.stamp {
                return Err(Error::MissingStamp { device: device.to_string(), slice: slice.stamp });
            }
            pace.adjust(slice.cells, last_done.elapsed());
            last_done = Instant::now();
            control.advance(slice.cells);
            words = Some(done.words);
        }
    }
    control.check()?;
    match words {
        Some(words) => Ok(words.words().to_vec()),
        None => loaded.read(spans)?.await,
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};

    use super::*;
    use crate::call::control::CancelHandle;
    use crate::plan::PARAMS;

    fn passes(cells: &[u64]) -> Vec<Pass> {
        let pass = |&cells: &u64| Pass { kernel: 0, bindings: 0, groups: [1; 3], params: [0; PARAMS], cells };
        cells.iter().map(pass).collect()
    }

    #[test]
    fn a_share_grows_fourfold_at_the_most_and_is_halved_after_an_overrun() {
        let cases =
            [(0, 4000), (100, 4000), (250, 4000), (500, 2000), (1000, 1000), (2000, 500), (2001, 500), (60_000, 500)];
        for (elapsed_ms, expected) in cases {
            let mut pace = Pace { target: Duration::from_secs(1), cells: 77 };
            pace.adjust(1000, Duration::from_millis(elapsed_ms));
            assert_eq!(pace.cells, expected, "{elapsed_ms} ms");
        }
        for cells in [0, 1] {
            let mut pace = Pace { target: Duration::from_secs(1), cells: 77 };
            pace.adjust(cells, Duration::from_secs(60));
            assert_eq!(pace.cells, 1, "after {cells} cells");
        }
    }

    #[test]
    fn a_slice_takes_what_its_share_holds_but_one_pass_at_least_and_no_more_than_the_most() {
        let cases: [(&[u64], u64, usize, usize); 9] = [
            (&[10, 10, 10, 10], 29, 9, 2),
            (&[10, 10, 10, 10], 30, 9, 3),
            (&[10, 10, 10, 10], 40, 9, 4),
            (&[10, 10, 10, 10], 40, 3, 3),
            (&[10, 10, 10, 10], 9, 9, 1),
            (&[30, 1, 1], 20, 9, 1),
            // Small passes behind one that does not fit wait for it.
            (&[1, 30, 1], 20, 9, 1),
            (&[0, 0, 0, 1], 1, 9, 4),
            (&[u64::MAX - 1, 9, 9], u64::MAX - 1, 9, 1),
        ];
        for (cells, share, most, expected) in cases {
            let pace = Pace { target: Duration::from_secs(1), cells: share };
            assert_eq!(pace.take(&passes(cells), most), expected, "{most} of {cells:?}, share {share}");
        }
    }

    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    enum Event {
        /// So many passes were submitted, and words asked for.
        Submitted(usize, Wanted),
        /// A slice was waited for.
        Done,
        /// Words were asked for without passes.
        Read,
        /// They were waited for.
        Arrived,
    }

    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    enum Wanted {
        Nothing,
        Words,
    }

    impl Event {
        fn submitted(&self) -> Option<usize> {
            if let Self::Submitted(passes, _) = self { Some(*passes) } else { None }
        }
    }

    /// Runs nothing, and keeps what it is asked for in order.
    struct Logged {
        events: Arc<Mutex<Vec<Event>>>,
        /// The slice that leaves no stamp.
        unstamped: Option<u32>,
    }

    impl Logged {
        fn log(events: &Mutex<Vec<Event>>, event: Event) {
            events.lock().expect("unharmed").push(event);
        }

        /// A result that is logged when it is waited for.
        fn later<T: Send + 'static>(&self, event: Event, result: T) -> Pending<T> {
            let events = self.events.clone();
            Box::pin(async move {
                Self::log(&events, event);
                Ok(result)
            })
        }
    }

    impl Loaded for Logged {
        fn submit(&mut self, passes: &[Pass], stamp: u32, spans: &[Span]) -> Result<Pending<Done>> {
            let wanted = if spans.is_empty() { Wanted::Nothing } else { Wanted::Words };
            Self::log(&self.events, Event::Submitted(passes.len(), wanted));
            let stamp = if self.unstamped == Some(stamp) { 0 } else { stamp };
            let words: Vec<_> = spans.iter().map(|span| span.words as u32).collect();
            Ok(self.later(Event::Done, Done { stamp, words: Box::new(words) }))
        }

        fn read(&mut self, spans: &[Span]) -> Result<Pending<Vec<u32>>> {
            Self::log(&self.events, Event::Read);
            let words = spans.iter().map(|span| span.words as u32).collect();
            Ok(self.later(Event::Arrived, words))
        }
    }

    /// What comes of so many passes of one cell, and what the device was asked for.
    fn run_logged(count: usize, unstamped: Option<u32>, control: &Control) -> (Result<Vec<u32>>, Vec<Event>) {
        let plan = Plan { passes: passes(&vec![1; count]), ..Plan::default() };
        run_plan(&plan, unstamped, control)
    }

    fn run_plan(plan: &Plan, unstamped: Option<u32>, control: &Control) -> (Result<Vec<u32>>, Vec<Event>) {
        let events = Arc::new(Mutex::new(Vec::new()));
        let mut loaded = Logged { events: events.clone(), unstamped };
        let spans = [Span { buffer: 0, first: 5, words: 7 }];
        let target = Duration::from_secs(1);
        let words = pollster::block_on(run(&mut loaded, "logged", plan, &spans, target, control, &mut |_| Ok(())));
        let events = events.lock().expect("unharmed").clone();
        (words, events)
    }

    #[test]
    fn the_first_submission_is_short_and_words_are_read_behind_the_last() {
        for count in [0, 1, FIRST_PASSES, FIRST_PASSES + 1, FIRST_PASSES + 2 * MOST_PASSES + 3] {
            let (words, events) = run_logged(count, None, &Control::default());
            assert_eq!(words.ok(), Some(vec![7]), "{count} passes");
            let sizes: Vec<_> = events.iter().filter_map(Event::submitted).collect();
            assert_eq!(sizes.iter().sum::<usize>(), count);
            assert_eq!(sizes.first().copied().unwrap_or_default(), count.min(FIRST_PASSES), "{count} passes");
            assert!(sizes.iter().all(|&size| size <= MOST_PASSES), "{sizes:?}");
            // The words come with the last slice and no other, and each slice is waited for once.
            let wanted = events.iter().filter(|event| matches!(event, Event::Submitted(_, Wanted::Words)));
            assert_eq!(wanted.count(), sizes.len().min(1), "{count} passes: {events:?}");
            let end = match sizes.last() {
                Some(&last) => {
                    let waits = vec![Event::Done; sizes.len().min(IN_FLIGHT)];
                    [&[Event::Submitted(last, Wanted::Words)][..], &waits].concat()
                }
                None => vec![Event::Read, Event::Arrived],
            };
            assert!(events.ends_with(&end), "{count} passes: {events:?}");
            assert_eq!(events.len(), (2 * sizes.len()).max(2), "{count} passes: {events:?}");
        }
    }

    #[test]
    fn what_is_submitted_before_any_slice_is_timed_is_the_shorter_the_more_a_cell_costs() {
        let passes = passes(&[FIRST_CELLS / 20; 100]);
        for (cell_cost, first, second) in [(0, 8, 20), (1, 8, 20), (2, 8, 10), (4, 5, 5), (10, 2, 2), (1000, 1, 1)] {
            let plan = Plan { passes: passes.clone(), cell_cost, ..Plan::default() };
            let (_, events) = run_plan(&plan, None, &Control::default());
            let sizes: Vec<_> = events.iter().filter_map(Event::submitted).take(2).collect();
            assert_eq!(sizes, [first, second], "a cost of {cell_cost}");
        }
    }

    #[test]
    fn no_more_slices_are_in_flight_than_are_let() {
        let (_, events) = run_logged(FIRST_PASSES + 3 * MOST_PASSES, None, &Control::default());
        let mut in_flight = 0;
        for event in events {
            match event {
                Event::Submitted(..) => in_flight += 1,
                Event::Done => in_flight -= 1,
                Event::Read | Event::Arrived => {}
            }
            assert!(in_flight <= IN_FLIGHT);
        }
    }

    #[test]
    fn a_slice_without_its_stamp_is_an_error_that_names_it() {
        for unstamped in [1, 2] {
            let (words, _) = run_logged(FIRST_PASSES + 1, Some(unstamped), &Control::default());
            assert!(matches!(words, Err(Error::MissingStamp { slice, .. }) if slice == unstamped), "{words:?}");
        }
    }

    #[test]
    fn a_cancelled_call_submits_nothing_more() {
        let cancel = CancelHandle::new();
        let callback = {
            let cancel = cancel.clone();
            move |_| cancel.cancel()
        };
        let control = Control::new(cancel, Some(Arc::new(callback)));
        let (words, events) = run_logged(FIRST_PASSES + 2 * MOST_PASSES, None, &control);
        assert!(matches!(words, Err(Error::Cancelled)), "{words:?}");
        let submitted = |passes| Event::Submitted(passes, Wanted::Nothing);
        assert_eq!(events, [submitted(FIRST_PASSES), submitted(MOST_PASSES), Event::Done]);
    }
}
