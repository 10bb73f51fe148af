//! An application's device, which the application draws with while plans run.

use wgpu::{Adapter, Device, DownlevelFlags, Features, Queue};

use super::Gpu;
use super::adapter::{Offer, capabilities_of};
use super::errors::caught;
use super::open_device::Lost;
use super::owner::Owner;
use super::parameters::ParameterLayout;
use crate::backend::Capabilities;
use crate::error::{Error, Result};

/// Bytes that plans read back at once. Staging memory is pinned by the driver at about 3 GB/s
/// (nvidia-h200/2026-11-24-frames.json), which blocks all other allocations and submissions. wgpu
/// pins 64 MiB at first, which is to suffice.
const READBACK_BYTES: u64 = 4 << 20;

/// A device that an application has created and continues to use, for
/// [`Engine::on`](crate::Engine::on) and for a [`Sorter`](crate::sort::Sorter).
///
/// The engine leaves the application's state alone. It sets no callback of the device. Errors of
/// its work are caught by that work and never reach the application's handler. No engine thread
/// blocks on the device while holding a lock that the application's submissions need.
///
/// # Features and limits
///
/// Kernels adapt to the features and limits of the device. [`Limits::default`](wgpu::Limits)
/// without features is enough. These features make kernels faster:
///
/// - `SUBGROUP`: limbs go from lane to lane without workgroup memory, and keys are ranked by
///   ballots.
/// - `IMMEDIATES`, with a `max_immediate_size` of 64: parameters go with each dispatch instead of
///   through a buffer.
/// - `SHADER_INT64`, `SHADER_F64`: parenthesizations with costs beyond 32 bits, and with costs in
///   double precision.
///
/// With `TIMESTAMP_QUERY`, submissions are timed by the device's clock, which excludes drawing
/// between them.
///
/// Larger `max_buffer_size` and `max_storage_buffer_binding_size` allow larger tables for paths.
///
/// # Callbacks
///
/// While a call waits for the device, an engine thread named `swath device` polls it, unless [only
/// the application polls](Self::polled_by_application). wgpu runs ready callbacks, the
/// application's included, on any thread that polls or submits: the engine thread and the threads
/// of calls, too. Callbacks should be short and must not wait for a call of the engine. A panic of
/// a callback is reported by the panic hook of the process and goes no further, but wgpu drops the
/// callbacks that were ready with it, as on any thread. The engine loses no results by such a
/// panic, nor by a callback that blocks another thread.
///
/// # Sharing
///
/// Each submission holds the device for about [`Options::slice_ms`](crate::Options::slice_ms), 8 by
/// default on an application's device. Inputs are uploaded in shorter submissions before. Each
/// engine keeps a separate memory account, which includes neither other engines nor the
/// application. So clone one engine rather than creating two, and leave room by
/// [`Options::device_memory`](crate::Options::device_memory).
///
/// ```no_run
/// use swath::wgpu;
/// use swath::{Engine, HostDevice, Lcs, Options};
///
/// # async fn example(adapter: wgpu::Adapter) -> Result<(), Box<dyn std::error::Error>> {
/// // An application that creates its device requests the features of the adapter.
/// let welcome = wgpu::Features::SUBGROUP | wgpu::Features::IMMEDIATES;
/// let descriptor = wgpu::DeviceDescriptor {
///     required_features: adapter.features() & welcome,
///     required_limits: adapter.limits(),
///     ..Default::default()
/// };
/// let (device, queue) = adapter.request_device(&descriptor).await?;
///
/// let host = HostDevice::new(&adapter, device.clone(), queue.clone());
/// let engine = Engine::on(host, Options::default())?;
/// let report = engine.start(Lcs::of(b"ABCBDAB".to_vec(), b"BDCABA".to_vec()).path()).await?;
/// assert_eq!(report.length, 4);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct HostDevice {
    adapter: Adapter,
    device: Device,
    queue: Queue,
    /// True if only the application polls.
    polls: bool,
}

impl HostDevice {
    /// Wraps a device, its queue, and the adapter that created it.
    pub fn new(adapter: &Adapter, device: Device, queue: Queue) -> Self {
        Self {
            adapter: adapter.clone(),
            device,
            queue,
            polls: false,
        }
    }

    /// Disables polling by the engine: the application polls, on its own threads, and a call
    /// advances only after such a poll. For applications that poll anyway, such as once per frame.
    ///
    /// A call ends, with an answer or by cancellation, after a poll that finds its submission done.
    /// Without polls it waits indefinitely.
    #[must_use]
    pub fn polled_by_application(self) -> Self {
        Self {
            polls: true,
            ..self
        }
    }

    /// Opens a backend on it. `checked` enables bounds checks and loop bounds in shaders;
    /// `portable` disables all features.
    ///
    /// # Errors
    /// [`Error::DeviceUnavailable`] with the reason, such as limits that are too low.
    pub(crate) fn open(self, checked: bool, portable: bool) -> Result<Gpu> {
        let Self {
            adapter,
            device,
            queue,
            polls,
        } = self;
        let name = adapter.get_info().name;
        let unavailable = |reason: String| Error::DeviceUnavailable {
            device: name.clone(),
            reason,
        };
        if device.adapter_info() != adapter.get_info() {
            let made_by = device.adapter_info().name;
            return Err(unavailable(format!(
                "the application's device was made by the adapter '{made_by}'"
            )));
        }
        if !adapter
            .get_downlevel_capabilities()
            .flags
            .contains(DownlevelFlags::COMPUTE_SHADERS)
        {
            return Err(unavailable(
                "it has no compute shaders: make the device through Vulkan, Metal or DX12"
                    .to_string(),
            ));
        }
        let mut offer = Offer::of_device(&device);
        if let Some(missing) = offer.missing() {
            let remedy = "make the device with these limits, or with those of the adapter";
            return Err(unavailable(format!(
                "the application has made it with too little: {missing}; {remedy}"
            )));
        }
        if portable {
            offer.features = Features::empty();
        }
        let capabilities = Capabilities {
            readback_bytes: READBACK_BYTES,
            ..offer.capabilities(&capabilities_of(&adapter))
        };
        let parameters = caught(&device, || {
            ParameterLayout::new(&device, offer.has_immediates())
        })
        .map_err(|error| unavailable(error.to_string()))?;
        Ok(Gpu::on(
            device,
            queue,
            Owner::Host { polls },
            capabilities,
            parameters,
            Lost::default(),
            checked,
        ))
    }
}

#[cfg(test)]
mod tests {
    use std::panic::{AssertUnwindSafe, catch_unwind};
    use std::sync::mpsc::channel;
    use std::sync::{Arc, Mutex};
    use std::thread::{current, sleep, spawn};
    use std::time::Duration;

    use wgpu::{BufferUsages, MapMode, PollType};

    use super::*;
    use crate::backend::wgpu::adapter;
    use crate::backend::wgpu::memory::buffer;
    use crate::engine::letters;
    use crate::lcs::Method;
    use crate::{Engine, Lcs, Options};

    /// Upper bound of the time of a test's submission.
    const SUBMISSION: Duration = Duration::from_millis(200);

    /// Runs `callback` on the next thread that polls or submits.
    fn at_next_poll(device: &Device, callback: impl FnOnce() + Send + 'static) {
        let usage = BufferUsages::MAP_READ | BufferUsages::COPY_DST;
        let buffer = device.create_buffer(&buffer("polled", 4, usage));
        let kept = buffer.clone();
        buffer.map_async(MapMode::Read, .., move |_| {
            callback();
            drop(kept);
        });
    }

    /// Runs `callback` on the engine's polling thread, which polls while a call waits.
    fn when_waited_for(device: &Device, callback: impl FnOnce() + Send + 'static) {
        let again = device.clone();
        at_next_poll(device, move || match current().name() {
            Some("swath device") => callback(),
            _ => when_waited_for(&again, callback),
        });
    }

    /// Runs a call repeatedly while `callback`, of the application, is followed by the callbacks of
    /// a completed submission: the poll before it takes as long as a submission. `after` then ends
    /// the callback.
    fn answers_in_spite_of(callback: impl Fn(&Device) + Clone + Send + 'static, after: impl Fn()) {
        let Some((host, device)) = adapter::host_of_tests(Features::empty()) else {
            return;
        };
        let engine = Engine::on(host, Options::default()).expect("it has all that kernels need");
        let (a, b) = (letters(3000, 1), letters(2500, 2));
        let task = Lcs::of(&a, &b).method(Method::BitParallel);
        let expected = engine.run(&task).expect("nothing is in the way").length;
        for _ in 0..3 {
            let (again, callback) = (device.clone(), callback.clone());
            when_waited_for(&device, move || {
                sleep(SUBMISSION);
                callback(&again);
            });
            assert_eq!(
                engine.run(&task).expect("the device is there").length,
                expected
            );
            after();
        }
        // Dropping the queue runs the callbacks that no poll has run.
        let _ = catch_unwind(AssertUnwindSafe(|| device.poll(PollType::Poll)));
    }

    #[test]
    fn device_polled_by_its_application_is_never_polled_by_the_engine() {
        let Some((host, device)) = adapter::host_of_tests(Features::empty()) else {
            return;
        };
        let host = host.polled_by_application();
        let engine = Engine::on(host, Options::default()).expect("it has all that kernels need");
        let (a, b) = (letters(3000, 1), letters(2500, 2));
        let expected = Engine::new(Options::new().device("cpu".parse().expect("a device")))
            .expect("the CPU is there");
        let expected = expected.run(&Lcs::of(&a, &b)).expect("an answer").length;
        let mut job = engine.start(Lcs::of(a, b).method(Method::BitParallel));
        let (sender, called) = channel();
        at_next_poll(&device, move || {
            sender.send(current().id()).expect("the test waits")
        });
        sleep(2 * SUBMISSION);
        assert!(job.try_wait().is_none(), "nobody has polled");
        let answer = loop {
            let _ = device.poll(PollType::Poll);
            match job.try_wait() {
                Some(answer) => break answer,
                None => sleep(Duration::from_millis(1)),
            }
        };
        assert_eq!(answer.expect("it was polled").length, expected);
        // Submitting also runs ready callbacks.
        assert!(called.try_recv().is_ok(), "the callback has come");
    }

    #[test]
    fn panicking_application_callbacks_lose_no_results() {
        answers_in_spite_of(
            |device| at_next_poll(device, || panic!("a panic of the application")),
            || {},
        );
    }

    #[test]
    fn blocking_application_callbacks_lose_no_results() {
        let (release, kept) = channel();
        let (kept, polling) = (Arc::new(Mutex::new(kept)), Arc::new(Mutex::new(None)));
        let started = polling.clone();
        let keep = move |device: &Device| {
            let (kept, device) = (kept.clone(), device.clone());
            at_next_poll(&device, move || {
                assert!(kept.lock().expect("unharmed").recv().is_ok())
            });
            *started.lock().expect("unharmed") = Some(spawn(move || device.poll(PollType::Poll)));
            // The other thread takes all ready callbacks.
            sleep(SUBMISSION);
        };
        answers_in_spite_of(keep, || {
            release.send(()).expect("a callback waits for it");
            let polling = polling
                .lock()
                .expect("unharmed")
                .take()
                .expect("it was started");
            assert!(polling.join().is_ok_and(|polled| polled.is_ok()));
        });
    }
}
