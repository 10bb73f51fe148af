//! An application's device, which draws with it while plans run.

use std::sync::Arc;

use wgpu::{Adapter, Device, DownlevelFlags, Queue};

use super::Gpu;
use super::adapter::{Offer, capabilities_of};
use super::errors::caught;
use super::opened::Lost;
use super::owner::Owner;
use super::parameters::ParameterLayout;
use crate::backend::{Backend, Capabilities};
use crate::error::{Error, Result};

/// Bytes that plans read back at once: what the host reads lies in memory that the driver pins, some 3 GB a second
/// (nvidia-h200/2026-11-24-frames.json), and nothing else is allocated or submitted meanwhile. wgpu takes 64 MiB of it at first, which
/// is to be enough.
const READBACK_BYTES: u64 = 4 << 20;

/// A device that an application has made and goes on using, for [`Engine::on`](crate::Engine::on) and for a
/// [`Sorter`](crate::sort::Sorter).
///
/// The application keeps what is its own: no callback of the device is set, errors of an engine's work are caught by that work and
/// never reach the application's handler, and nothing waits on the device while it holds what the application's submissions need.
///
/// # Features and limits
///
/// Kernels take what the device was made with. [`Limits::default`](wgpu::Limits) without features is enough. These features make
/// them faster, where the adapter has them:
///
/// - `SUBGROUP`: limbs go from lane to lane without workgroup memory, and keys are ranked by ballots.
/// - `IMMEDIATES`, with a `max_immediate_size` of 64: parameters go with each dispatch instead of through a buffer.
/// - `SHADER_INT64`, `SHADER_F64`: parenthesizations with costs beyond 32 bits, and with costs in double precision.
///
/// With `TIMESTAMP_QUERY` submissions are timed by the device's clock, without what the application draws between them.
///
/// Larger `max_buffer_size` and `max_storage_buffer_binding_size` let larger tables be kept for paths.
///
/// # Callbacks
///
/// While a call waits for the device, a thread of its engine, named `swath device`, polls it, unless the application
/// [alone does](Self::polled_by_application). wgpu calls whatever is ready from the
/// threads that poll and submit, this one and those of calls too, callbacks of the application among it. They should be short, and must
/// not wait for a call of the engine. A panic of one is reported by the panic hook of the process and goes no further; with it wgpu
/// drops the callbacks that were ready together, as it does on any thread. The engine's own results are not lost by that, nor by a
/// callback that keeps another thread.
///
/// # Sharing
///
/// Each submission holds the device for about [`Options::slice_ms`](crate::Options::slice_ms), 8 by default on an application's
/// device; inputs come in shorter ones before. Every engine that is made has an account of memory of its own, which knows neither of
/// other engines nor of the application: clone one engine rather than making two, and leave room by
/// [`Options::device_memory`](crate::Options::device_memory).
///
/// ```no_run
/// use swath::wgpu;
/// use swath::{Engine, HostDevice, Lcs, Options};
///
/// # async fn host(adapter: wgpu::Adapter) -> Result<(), Box<dyn std::error::Error>> {
/// // An application that makes its device itself asks for what the adapter has.
/// let welcome = wgpu::Features::SUBGROUP | wgpu::Features::IMMEDIATES;
/// let descriptor = wgpu::DeviceDescriptor {
///     required_features: adapter.features() & welcome,
///     required_limits: adapter.limits(),
///     ..Default::default()
/// };
/// let (device, queue) = adapter.request_device(&descriptor).await?;
///
/// let engine = Engine::on(HostDevice::new(&adapter, device.clone(), queue.clone()), Options::default())?;
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
    /// Whether the application alone polls.
    polls: bool,
}

impl HostDevice {
    /// The device, the queue that came with it, and the adapter that has made them.
    pub fn new(adapter: &Adapter, device: Device, queue: Queue) -> Self {
        Self {
            adapter: adapter.clone(),
            device,
            queue,
            polls: false,
        }
    }

    /// The engine never polls the device: the application does, in its own threads and at its own times, and a call goes on only when it
    /// has. For applications that poll all the time, as those that draw every frame do.
    ///
    /// A call ends, with an answer or by being cancelled, after a poll that finds what it waits for done; it waits for as long as
    /// nobody polls.
    #[must_use]
    pub fn polled_by_application(self) -> Self {
        Self {
            polls: true,
            ..self
        }
    }

    /// A backend on it. With `checked`, shaders run with bounds checks and loop bounds; with `portable`, without any feature.
    ///
    /// # Errors
    /// [`Error::DeviceUnavailable`] with what the device lacks.
    pub(crate) fn open(self, checked: bool, portable: bool) -> Result<Arc<dyn Backend>> {
        Ok(Arc::new(self.gpu(checked, portable)?))
    }

    /// The same, as it is.
    pub(super) fn gpu(self, checked: bool, portable: bool) -> Result<Gpu> {
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
        let all = Offer::of_device(&device);
        if let Some(missing) = all.missing() {
            let remedy = "make the device with these limits, or with those of the adapter";
            return Err(unavailable(format!(
                "the application has made it with too little: {missing}; {remedy}"
            )));
        }
        let offer = if portable {
            all.without_features()
        } else {
            all
        };
        let capabilities = Capabilities {
            readback_bytes: READBACK_BYTES,
            ..offer.capabilities(&capabilities_of(&adapter))
        };
        let parameters = caught(&device, || {
            ParameterLayout::new(&device, offer.has_immediates())
        })
        .map_err(|error| unavailable(error.to_string()))?;
        let owned = (name, Owner::Host { polls });
        Ok(Gpu::on(
            (device, queue),
            owned,
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
    use std::sync::Mutex;
    use std::sync::mpsc::channel;
    use std::thread::{current, sleep, spawn};
    use std::time::Duration;

    use wgpu::{BufferDescriptor, BufferUsages, DeviceDescriptor, MapMode, PollType};

    use super::*;
    use crate::backend::wgpu::adapter;
    use crate::engine::letters;
    use crate::lcs::Method;
    use crate::{Engine, Lcs, Options};

    /// Time in which a submission of the tests ends.
    const SUBMISSION: Duration = Duration::from_millis(200);

    /// Has whoever polls or submits next call this.
    fn at_next_poll(device: &Device, callback: impl FnOnce() + Send + 'static) {
        let usage = BufferUsages::MAP_READ | BufferUsages::COPY_DST;
        let buffer = device.create_buffer(&BufferDescriptor {
            label: None,
            size: 4,
            usage,
            mapped_at_creation: false,
        });
        let kept = buffer.clone();
        buffer.map_async(MapMode::Read, .., move |_| {
            callback();
            drop(kept);
        });
    }

    /// Has the engine's own thread call this, which polls while a call waits.
    fn when_waited_for(device: &Device, callback: impl FnOnce() + Send + 'static) {
        let again = device.clone();
        at_next_poll(device, move || match current().name() {
            Some("swath device") => callback(),
            _ => when_waited_for(&again, callback),
        });
    }

    /// Runs a call again and again while a callback of the application does this, behind which those of a submission that has ended
    /// come: the poll before takes as long as that. Then `after` ends it.
    fn answers_in_spite_of(callback: impl Fn(&Device) + Clone + Send + 'static, after: impl Fn()) {
        let Some(candidate) = adapter::of_tests() else {
            return;
        };
        let (device, queue) = pollster::block_on(
            candidate
                .adapter
                .request_device(&DeviceDescriptor::default()),
        )
        .expect("it opens");
        let host = HostDevice::new(&candidate.adapter, device.clone(), queue);
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
        // What nobody has polled for is called where the queue goes.
        let _ = catch_unwind(AssertUnwindSafe(|| device.poll(PollType::Poll)));
    }

    #[test]
    fn a_device_that_its_application_polls_is_polled_by_nobody_else() {
        let Some(candidate) = adapter::of_tests() else {
            return;
        };
        let (device, queue) = pollster::block_on(
            candidate
                .adapter
                .request_device(&DeviceDescriptor::default()),
        )
        .expect("it opens");
        let host =
            HostDevice::new(&candidate.adapter, device.clone(), queue).polled_by_application();
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
        // A submission calls what is ready, too.
        assert!(called.try_recv().is_ok(), "the callback has come");
    }

    #[test]
    fn callbacks_of_the_application_that_panic_lose_nothing() {
        answers_in_spite_of(
            |device| at_next_poll(device, || panic!("a panic of the application")),
            || {},
        );
    }

    #[test]
    fn callbacks_of_the_application_that_keep_another_thread_lose_nothing() {
        let (release, kept) = channel();
        let (kept, polling) = (Arc::new(Mutex::new(kept)), Arc::new(Mutex::new(None)));
        let started = polling.clone();
        let keep = move |device: &Device| {
            let (kept, device) = (kept.clone(), device.clone());
            at_next_poll(&device, move || {
                assert!(kept.lock().expect("unharmed").recv().is_ok())
            });
            *started.lock().expect("unharmed") = Some(spawn(move || device.poll(PollType::Poll)));
            // It takes all that is ready.
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
