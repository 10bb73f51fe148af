//! The share of the CPU in a call on GPUs.

use std::collections::VecDeque;
use std::time::Duration;

use super::line::Line;
use crate::engine::Device;
use crate::engine::several::yield_now;
use crate::error::{Error, Result};
use crate::host::{Instant, lock, parallel};
use crate::pairs::cpu;
use crate::pairs::selection;
use crate::pairs::solve::Work;
use crate::pairs::values::Value;

/// Time of a part, after which the GPUs are served.
const PART: Duration = Duration::from_millis(2);
/// Queries of the first part, and of any part: some lanes, and at most so many.
const FIRST_ROWS: usize = 64;
const ROWS: (usize, usize) = (8, 1024);
/// Maximum bytes of values that wait for their turn.
const MAX_WAITING_BYTES: usize = 64 << 20;
/// Values that a thread copies at once.
const TASK: usize = 1 << 16;

impl<T: Value> Line<'_, '_, T> {
    /// Computes parts on the CPU, until none is left. Those of GPUs before them come first to the caller.
    ///
    /// # Errors
    /// [`Error::Cancelled`], also if the caller takes no more values.
    pub(super) async fn take_on_cpu(&self, device: &Device<'_>, work: &Work<'_>) -> Result<()> {
        let (control, targets) = (device.control, work.targets());
        let mut rows = FIRST_ROWS;
        let mut waiting = VecDeque::new();
        loop {
            let next = {
                let mut next = lock(&self.next);
                let first = *next;
                let max_pairs = (rows * targets) as u64;
                let part = work.selection.part(first, self.end, max_pairs, targets);
                if first < self.end {
                    *next += work.selection.pairs_of(&part) as u64;
                }
                (first < self.end).then_some((first..*next, part))
            };
            let is_last = next.is_none();
            if let Some((places, selection::Part::Rectangle(queries, columns))) = next {
                let started = Instant::now();
                let count = queries.len();
                let compute = || cpu::rectangle(work, queries, columns, control);
                let values = T::vec(device.on_threads(compute)?);
                let (all, targets) = (work.request.queries, work.request.targets);
                let cells = work.selection.cells(places.clone(), all, targets);
                control.add_done(u64::try_from(cells).unwrap_or(u64::MAX));
                let share = PART.as_secs_f64() / started.elapsed().as_secs_f64().max(1e-6);
                rows = (count as f64 * share) as usize;
                rows = rows.next_multiple_of(ROWS.0).clamp(ROWS.0, ROWS.1);
                waiting.push_back((places, values));
            }
            while let Some((places, _)) = waiting.front() {
                let bytes: usize = waiting
                    .iter()
                    .map(|(_, values)| size_of_val(&values[..]))
                    .sum();
                let delivery = if is_last || bytes > MAX_WAITING_BYTES {
                    Some(self.delivery.take(places.start).await)
                } else {
                    self.delivery.try_take(places.start)
                };
                let Some(mut delivery) = delivery else { break };
                let Some((places, values)) = waiting.pop_front() else {
                    break;
                };
                let into = delivery.values(&places);
                device.on_threads(|| {
                    parallel::for_each_chunk_mut(into, TASK, |chunk, into| {
                        into.copy_from_slice(&values[chunk * TASK..][..into.len()]);
                    });
                });
                delivery.pass_on_values(places.clone()).await;
                let is_ended = delivery.is_ended();
                self.delivery.give(places.end, delivery);
                if is_ended {
                    return Err(Error::Cancelled);
                }
            }
            if is_last {
                return Ok(());
            }
            yield_now().await;
        }
    }
}
