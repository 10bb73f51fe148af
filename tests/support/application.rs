//! An application with its own device, which it keeps using.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, LazyLock};
use std::time::Duration;

use swath::wgpu::{
    Adapter, Backends, Buffer, BufferDescriptor, BufferUsages, Device, DeviceDescriptor,
    DeviceType, Instance, InstanceDescriptor, MapMode, PollType, Queue,
};
use swath::{Engine, HostDevice, Options, Result};

/// One instance per process: drivers do not support many.
static INSTANCE: LazyLock<Instance> = LazyLock::new(|| {
    let backends = Backends::VULKAN | Backends::METAL | Backends::DX12;
    Instance::new(InstanceDescriptor {
        backends,
        ..InstanceDescriptor::new_without_display_handle()
    })
});

/// lavapipe, otherwise any adapter; `None` skips the test.
pub fn adapter() -> Option<&'static Adapter> {
    static ADAPTER: LazyLock<Option<Adapter>> = LazyLock::new(|| {
        let mut found = pollster::block_on(INSTANCE.enumerate_adapters(Backends::all()));
        found.sort_by_key(|adapter| !adapter.get_info().name.contains("llvmpipe"));
        found.into_iter().next()
    });
    let required = std::env::var_os("SWATH_REQUIRE_GPU_TESTS").is_some();
    assert!(
        ADAPTER.is_some() || !required,
        "SWATH_REQUIRE_GPU_TESTS=1 and no GPU adapter"
    );
    ADAPTER.as_ref()
}

/// A device and what its callbacks have received.
pub struct Application {
    pub device: Device,
    pub queue: Queue,
    pub errors_heard: Arc<AtomicUsize>,
    pub losses_heard: Arc<AtomicUsize>,
}

impl Application {
    /// A device without any features and with default limits, as applications unaware of the engine
    /// create it.
    pub fn plain() -> Option<Self> {
        Self::with(&DeviceDescriptor::default())
    }

    pub fn with(descriptor: &DeviceDescriptor<'_>) -> Option<Self> {
        let (device, queue) =
            pollster::block_on(adapter()?.request_device(descriptor)).expect("the device is made");
        let (errors_heard, losses_heard) =
            (Arc::<AtomicUsize>::default(), Arc::<AtomicUsize>::default());
        let (errors, losses) = (errors_heard.clone(), losses_heard.clone());
        device.on_uncaptured_error(Arc::new(move |error| {
            eprintln!("the application hears: {error}");
            errors.fetch_add(1, Ordering::Relaxed);
        }));
        device.set_device_lost_callback(move |_, _| {
            losses.fetch_add(1, Ordering::Relaxed);
        });
        Some(Self {
            device,
            queue,
            errors_heard,
            losses_heard,
        })
    }

    /// An engine on its device, with shader checks.
    pub fn engine(&self) -> Result<Engine> {
        let adapter = adapter().expect("the device has come from it");
        let host = HostDevice::new(adapter, self.device.clone(), self.queue.clone());
        Engine::on(host, Options::default().checked(true))
    }

    /// Errors that reached the application's handler.
    pub fn errors_heard(&self) -> usize {
        self.errors_heard.load(Ordering::Relaxed)
    }

    pub fn losses_heard(&self) -> usize {
        self.losses_heard.load(Ordering::Relaxed)
    }

    /// Runs `work` while another thread submits and polls frames; returns the number of frames too.
    /// On a software driver there is a pause between frames, which would take one of the cores.
    pub fn while_drawing<T>(&self, work: impl FnOnce() -> T) -> (T, u32) {
        let ended = AtomicBool::new(false);
        let is_software =
            adapter().is_some_and(|found| found.get_info().device_type == DeviceType::Cpu);
        let pause = Duration::from_millis(if is_software { 10 } else { 0 });
        std::thread::scope(|scope| {
            let drawing = scope.spawn(|| {
                let mut frames = 0;
                while !ended.load(Ordering::Relaxed) {
                    frames += 1;
                    self.draw(frames);
                    std::thread::sleep(pause);
                }
                frames
            });
            let done = work();
            ended.store(true, Ordering::Relaxed);
            (done, drawing.join().expect("every frame is drawn"))
        })
    }

    /// A frame: sends a number through the device and checks that it comes back.
    fn draw(&self, number: u32) {
        let buffer = |usage| -> Buffer {
            self.device.create_buffer(&BufferDescriptor {
                label: None,
                size: 4,
                usage,
                mapped_at_creation: false,
            })
        };
        let picture = buffer(BufferUsages::COPY_SRC | BufferUsages::COPY_DST);
        let screen = buffer(BufferUsages::COPY_DST | BufferUsages::MAP_READ);
        self.queue.write_buffer(&picture, 0, &number.to_le_bytes());
        let mut commands = self.device.create_command_encoder(&Default::default());
        commands.copy_buffer_to_buffer(&picture, 0, &screen, 0, 4);
        self.queue.submit([commands.finish()]);
        let shown = Arc::new(AtomicBool::new(false));
        let callback = shown.clone();
        screen.map_async(MapMode::Read, .., move |mapped| {
            callback.store(mapped.is_ok(), Ordering::Release)
        });
        while !shown.load(Ordering::Acquire) {
            self.device
                .poll(PollType::Poll)
                .expect("the device is there");
            std::thread::yield_now();
        }
        assert_eq!(
            screen.get_mapped_range(..).expect("it is mapped")[..],
            number.to_le_bytes()
        );
    }
}
