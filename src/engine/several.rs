//! Lists, joins and searches on all GPUs of an engine.

use std::future::poll_fn;
use std::sync::Arc;
use std::task::Poll;

use super::placement::{Boxed, Call};
use super::{CPU, Device, Engine, PlanSummary};
use crate::backend::Backend;
use crate::error::{Error, Result};

/// Expected time of a call below which one GPU takes it.
const LEAST_SECONDS: f64 = 0.01;

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

    /// The plan of a call that all GPUs divide, from that of one of them.
    pub(crate) fn plan_on_all(&self, plan: PlanSummary) -> PlanSummary {
        let gpus = self.gpus() as u32;
        if gpus < 2 || plan.device == CPU || plan.expected.as_secs_f64() < LEAST_SECONDS {
            return plan;
        }
        PlanSummary {
            device: self.gpu_names(),
            expected: plan.expected / gpus,
            ..plan
        }
    }

    /// The GPUs that divide a call whose passes are expected to take one of them `passes` seconds,
    /// opened; none if one is enough.
    pub(crate) async fn open_gpus(&self, passes: f64) -> Result<Vec<Arc<dyn Backend>>> {
        let (mut gpus, mut refused) = (Vec::new(), None);
        if self.gpus() < 2 {
            return Ok(gpus);
        }
        let estimate = self.device_estimate(0.0)?;
        let seconds = estimate.map_or(0.0, |device| device.call_seconds(passes));
        if seconds < LEAST_SECONDS {
            return Ok(gpus);
        }
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
}

impl Call<'_> {
    /// The GPUs of a call that divide it, or its one device if there are none.
    pub(crate) fn devices<'d>(
        &'d self,
        device: &Device<'d>,
        gpus: &'d [Arc<dyn Backend>],
    ) -> Vec<Device<'d>> {
        let Call {
            engine,
            control,
            phases,
            ..
        } = self;
        if gpus.is_empty() {
            return vec![*device];
        }
        let device = |gpu: &'d Arc<dyn Backend>| engine.device(&**gpu, control, phases);
        gpus.iter().map(device).collect()
    }
}

/// Waits for work on several devices, or for the first error and the index of its device.
pub(crate) async fn try_all<T>(
    mut running: Vec<Boxed<'_, Result<T>>>,
) -> Result<Vec<T>, (usize, Error)> {
    let mut done: Vec<_> = running.iter().map(|_| None).collect();
    poll_fn(|context| {
        let mut are_done = true;
        for (index, (running, done)) in running.iter_mut().zip(&mut done).enumerate() {
            if done.is_none() {
                match running.as_mut().poll(context) {
                    Poll::Ready(Ok(found)) => *done = Some(found),
                    Poll::Ready(Err(error)) => return Poll::Ready(Err((index, error))),
                    Poll::Pending => are_done = false,
                }
            }
        }
        if are_done {
            Poll::Ready(Ok(()))
        } else {
            Poll::Pending
        }
    })
    .await?;
    Ok(done.into_iter().flatten().collect())
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
