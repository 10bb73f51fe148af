//! Busy time of a submission by the device's clock, if it has timestamps and the host may see the
//! end late: on software adapters, and on an application's device that also draws.

use std::time::Duration;

use wgpu::{
    Buffer, BufferUsages, CommandEncoder, ComputePassTimestampWrites, Device, Features, QuerySet,
    QuerySetDescriptor, QueryType, Queue,
};

use super::memory::buffer;

pub(super) const FEATURE: Features = Features::TIMESTAMP_QUERY;
/// Words of the two timestamps.
pub(super) const WORDS: usize = 4;
pub(super) const BYTES: u64 = 4 * WORDS as u64;

/// Query set and buffer for the timestamps of a device's submissions. Submissions run in order, and
/// each copies its own timestamps out, so one set suffices.
#[derive(Clone, Debug)]
pub(super) struct Timestamps {
    queries: QuerySet,
    resolved: Buffer,
    pub tick_ns: f64,
}

impl Timestamps {
    /// Creates them; `None` if the device lacks the feature.
    pub(super) fn new(device: &Device, queue: &Queue) -> Option<Self> {
        device.features().contains(FEATURE).then(|| {
            let queries = device.create_query_set(&QuerySetDescriptor {
                label: Some("timestamps"),
                ty: QueryType::Timestamp,
                count: 2,
            });
            let usage = BufferUsages::QUERY_RESOLVE | BufferUsages::COPY_SRC;
            let resolved = device.create_buffer(&buffer("timestamps", BYTES, usage));
            let tick_ns = f64::from(queue.get_timestamp_period());
            Self {
                queries,
                resolved,
                tick_ns,
            }
        })
    }

    /// Timestamp writes at the begin and the end of a pass.
    pub(super) fn writes(&self) -> ComputePassTimestampWrites<'_> {
        ComputePassTimestampWrites {
            query_set: &self.queries,
            beginning_of_pass_write_index: Some(0),
            end_of_pass_write_index: Some(1),
        }
    }

    /// Copies the timestamps of the pass to byte `offset` of `into`.
    pub(super) fn copy(&self, commands: &mut CommandEncoder, into: &Buffer, offset: u64) {
        commands.resolve_query_set(&self.queries, 0..2, &self.resolved, 0);
        commands.copy_buffer_to_buffer(&self.resolved, 0, into, offset, BYTES);
    }
}

/// Time between the two timestamps, for a submission that completed `elapsed` after it was
/// submitted; `None` if they are implausible: some drivers leave zeros, and some clocks restart.
pub(super) fn between(
    [begin_low, begin_high, end_low, end_high]: [u32; WORDS],
    tick_ns: f64,
    elapsed: Duration,
) -> Option<Duration> {
    let ticks = |low, high| u64::from(high) << 32 | u64::from(low);
    let between = ticks(end_low, end_high)
        .checked_sub(ticks(begin_low, begin_high))
        .filter(|&ticks| ticks > 0)?;
    let busy = Duration::try_from_secs_f64(between as f64 * tick_ns / 1e9).ok()?;
    (busy <= elapsed).then_some(busy)
}

#[cfg(test)]
mod tests {
    use std::thread::sleep;

    use wgpu::PollType;

    use super::*;
    use crate::backend::wgpu::adapter;
    use crate::backend::{Backend, FenceValue};
    use crate::kernels::readback;
    use crate::plan::{Contents, Pass, Plan, params};

    #[test]
    fn implausible_timestamps_are_rejected() {
        let second = Duration::from_secs(1);
        for (words, tick_ns, expected) in [
            ([7, 0, 1007, 0], 1.0, Some(1000)),
            ([7, 0, 1007, 0], 41.5, Some(41_500)),
            ([u32::MAX, 0, 1, 1], 1.0, Some(2)),
            ([0, 3, 1_000_000_000, 3], 1.0, Some(1_000_000_000)),
            // Longer than the submission was in flight.
            ([0, 3, 1_000_000_001, 3], 1.0, None),
            ([0, 0, u32::MAX, u32::MAX], 1e9, None),
            // No timestamps, or a clock that stands still, restarts or has no ticks.
            ([0; 4], 1.0, None),
            ([5, 6, 5, 6], 1.0, None),
            ([u32::MAX, u32::MAX, 1, 0], 1.0, None),
            ([7, 0, 1007, 0], f64::NAN, None),
        ] {
            assert_eq!(
                between(words, tick_ns, second),
                expected.map(Duration::from_nanos),
                "{words:?}"
            );
        }
    }

    #[test]
    fn timestamps_exclude_the_delay_of_a_late_poll() {
        let late = Duration::from_millis(100);
        for features in [FEATURE, Features::empty()] {
            let Some((host, device)) = adapter::host_of_tests(features) else {
                return;
            };
            let host = host.polled_by_application();
            let gpu = host.open(false, false).expect("it has all");
            let mut session = gpu.open_session().expect("it opens");
            let mut plan = Plan::default();
            let word = plan.buffer("word", 1, Contents::Zeros);
            let (kernel, bindings) = (plan.kernel(readback::stamp()), plan.bind(vec![word]));
            plan.passes.push(Pass {
                kernel,
                bindings,
                groups: [1; 3],
                params: params([1, 1]),
                cells: 1,
            });
            session
                .load(&mut plan, &[None], u64::MAX)
                .expect("there is room");
            let stamp = FenceValue {
                value: gpu.shared().next_stamp(),
                after: None,
            };
            let arriving = session
                .submit(&plan.passes, stamp, &[])
                .expect("it is submitted");
            sleep(late);
            device
                .poll(PollType::wait_indefinitely())
                .expect("it is not lost");
            let done = pollster::block_on(arriving).expect("it comes");
            assert_eq!(done.stamp, stamp.value);
            // Two stamps take microseconds.
            assert_eq!(
                done.busy < late / 2,
                device.features().contains(FEATURE),
                "{:?}",
                done.busy
            );
        }
    }
}
