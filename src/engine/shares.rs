//! One call on several GPUs: each takes the next share of the work from one queue.

use std::collections::BTreeMap;
use std::future::poll_fn;
use std::ops::{ControlFlow, Range};
use std::sync::Arc;
use std::task::Poll;

use super::placement::Boxed;
use super::{CPU, Engine, PlanSummary};
use crate::backend::Backend;
use crate::error::{Error, Result};

/// Shares per GPU, at least, that a GPU has finished or begun before the answers of the first are
/// passed on.
const SHARES_AHEAD: usize = 2;
/// A share is this part of the rest of a GPU, so that later shares are smaller and all GPUs end at
/// about the same time.
const REST_PARTS: u64 = 2;
/// Least part of the work of a GPU in a share.
const LEAST_PARTS: u64 = 12;
/// Expected time of a call below which one GPU takes it: opening shares takes some milliseconds.
const LEAST_SECONDS: f64 = 0.02;

/// Units of work that are divided, with the number of GPUs that divide them.
struct Queue {
    next: u64,
    end: u64,
    /// Maximum and minimum units of a share.
    most: u64,
    least: u64,
    gpus: u64,
    /// Shares of lost devices.
    returned: Vec<Range<u64>>,
}

impl Queue {
    fn new(units: u64, most: u64, gpus: u64) -> Self {
        let least = match gpus {
            1 => units,
            _ => units / (gpus * LEAST_PARTS),
        };
        Self {
            next: 0,
            end: units,
            most: most.max(1),
            least,
            gpus,
            returned: Vec::new(),
        }
    }

    fn take(&mut self) -> Option<Range<u64>> {
        if let Some(share) = self.returned.pop() {
            return Some(share);
        }
        let rest = self.end - self.next;
        let units = (rest / (self.gpus * REST_PARTS)).max(self.least);
        let units = units.min(self.most).max(1).min(rest);
        let share = self.next..self.next + units;
        self.next = share.end;
        (!share.is_empty()).then_some(share)
    }
}

/// A GPU and its share.
struct Worker<'a, T> {
    engine: &'a Engine,
    running: Option<(Range<u64>, Boxed<'a, Result<T>>)>,
    is_lost: bool,
}

impl Engine {
    /// Names of its GPUs, of several alike with their number.
    pub(crate) fn gpu_names(&self) -> String {
        let mut names: Vec<(String, usize)> = Vec::new();
        for engine in self.on_each_gpu() {
            let Some(known) = engine.slot().known() else {
                continue;
            };
            match names.iter_mut().find(|(name, _)| *name == known.name) {
                Some((_, count)) => *count += 1,
                None => names.push((known.name, 1)),
            }
        }
        let shown = names.into_iter().map(|(name, count)| match count {
            1 => name,
            _ => format!("{count} x {name}"),
        });
        shown.collect::<Vec<_>>().join(" + ")
    }

    /// The plan of a call that several GPUs divide, from that of one of them.
    pub(crate) fn plan_of_shares(&self, plan: PlanSummary) -> PlanSummary {
        match self.gpus_of(&plan) {
            1 => plan,
            gpus => PlanSummary {
                device: self.gpu_names(),
                expected: plan.expected / gpus as u32,
                ..plan
            },
        }
    }

    /// Number of GPUs that divide a call of lists that is expected to run as planned.
    pub(crate) fn gpus_of(&self, plan: &PlanSummary) -> usize {
        if plan.device == CPU || plan.expected.as_secs_f64() < LEAST_SECONDS {
            return 1;
        }
        self.gpus()
    }

    /// Number of GPUs that divide a call of lists whose passes take one of them so many seconds.
    ///
    /// # Errors
    /// As [`device_estimate`](Self::device_estimate).
    pub(crate) fn gpus_for(&self, passes: f64) -> Result<usize> {
        let estimate = self.device_estimate(0.0)?;
        let seconds = estimate.map_or(0.0, |device| device.call_seconds(passes));
        Ok(if seconds < LEAST_SECONDS {
            1
        } else {
            self.gpus()
        })
    }

    /// The GPUs of this engine that open, at least one.
    ///
    /// # Errors
    /// As [`open_gpu`](Self::open_gpu), if none opens.
    pub(crate) async fn open_gpus(&self) -> Result<Vec<Arc<dyn Backend>>> {
        let (mut gpus, mut refused) = (Vec::new(), None);
        for engine in self.on_each_gpu() {
            match engine.open_gpu().await {
                Ok(gpu) => gpus.extend(gpu),
                Err(error) => refused = Some(error),
            }
        }
        match refused {
            Some(error) if gpus.is_empty() => Err(error),
            _ => Ok(gpus),
        }
    }

    /// Divides units `0..units` into shares of at most `most`, which the GPUs of this engine take
    /// from one queue. `take` gets their answers in the order of the units, between polls of the
    /// work. The share of a lost device goes to another one.
    ///
    /// # Errors
    /// The first error of a share, unless it tells of a lost device and others are left; errors of
    /// `take`.
    pub(crate) async fn run_shares<T>(
        &self,
        units: u64,
        most: u64,
        run: impl AsyncFn(&Engine, Range<u64>) -> Result<T>,
        mut take: impl FnMut(T) -> Result<ControlFlow<()>>,
    ) -> Result<()> {
        let engines = self.on_each_gpu();
        let worker = |engine| Worker {
            engine,
            running: None,
            is_lost: false,
        };
        let mut workers: Vec<_> = engines.iter().map(|engine| worker(&**engine)).collect();
        let most_ahead = workers.len() * (1 + SHARES_AHEAD);
        let mut queue = Queue::new(units, most, workers.len() as u64);
        let mut done = BTreeMap::new();
        let mut passed_on = 0;
        while passed_on < units {
            let mut ahead = done.len() + running(&workers);
            for worker in &mut workers {
                if worker.running.is_some() || worker.is_lost || ahead >= most_ahead {
                    continue;
                }
                if let Some(share) = queue.take() {
                    let running = run(worker.engine, share.clone());
                    worker.running = Some((share, Box::pin(running)));
                    ahead += 1;
                }
            }
            let (index, share, answer) = next(&mut workers).await;
            match answer {
                Ok(answer) => _ = done.insert(share.start, (share.end, answer)),
                Err(error) => {
                    workers[index].is_lost = true;
                    if !is_loss(&error) || workers.iter().all(|worker| worker.is_lost) {
                        return Err(error);
                    }
                    queue.returned.push(share);
                }
            }
            while let Some((end, answer)) = done.remove(&passed_on) {
                passed_on = end;
                if take(answer)?.is_break() {
                    return Ok(());
                }
            }
        }
        Ok(())
    }
}

fn running<T>(workers: &[Worker<'_, T>]) -> usize {
    let is_running = |worker: &&Worker<'_, T>| worker.running.is_some();
    workers.iter().filter(is_running).count()
}

/// The next share that ends: its worker and its answer. Pending for ever if none runs.
async fn next<T>(workers: &mut [Worker<'_, T>]) -> (usize, Range<u64>, Result<T>) {
    poll_fn(|context| {
        for (index, worker) in workers.iter_mut().enumerate() {
            let Some((_, running)) = &mut worker.running else {
                continue;
            };
            if let Poll::Ready(answer) = running.as_mut().poll(context)
                && let Some((share, _)) = worker.running.take()
            {
                return Poll::Ready((index, share, answer));
            }
        }
        Poll::Pending
    })
    .await
}

/// Waits for all of these.
pub(crate) async fn all<T>(mut running: Vec<Boxed<'_, T>>) -> Vec<T> {
    let mut done: Vec<_> = running.iter().map(|_| None).collect();
    poll_fn(|context| {
        let mut are_done = true;
        for (running, done) in running.iter_mut().zip(&mut done) {
            if done.is_none() {
                match running.as_mut().poll(context) {
                    Poll::Ready(found) => *done = Some(found),
                    Poll::Pending => are_done = false,
                }
            }
        }
        if are_done {
            Poll::Ready(())
        } else {
            Poll::Pending
        }
    })
    .await;
    done.into_iter().flatten().collect()
}

/// True if another device may succeed.
pub(crate) fn is_loss(error: &Error) -> bool {
    let is_lost = matches!(
        error,
        Error::DeviceLost { .. }
            | Error::DeviceUnavailable { .. }
            | Error::DeviceMemory { .. }
            | Error::MissingStamp { .. }
    );
    is_lost || error.is_lack_of_room()
}
