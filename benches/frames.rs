//! Frame times of an application while an engine computes on its device.
//!
//! `cargo bench -p swath-bench --bench frames -- [--device D] [--only NAME] [--shrink N] [--json
//! FILE]`. A screen-sized texture stands for a window. A frame begins 16 ms after the previous one,
//! or when the device has finished that one, as on a display that holds one frame back. The
//! benchmark fails if a frame takes more than 33 ms; the row then shows when that frame began and
//! the phases of the call up to it.

use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use serde_json::json;
use swath::Phase;
use swath::wgpu::{
    Adapter, Backends, Color, ColorTargetState, CommandEncoderDescriptor, Device, DeviceDescriptor,
    Extent3d, Features, FragmentState, Instance, InstanceDescriptor, LoadOp, Operations, PollType,
    Queue, RenderPassColorAttachment, RenderPassDescriptor, RenderPipeline,
    RenderPipelineDescriptor, ShaderModuleDescriptor, ShaderSource, StoreOp, TextureDescriptor,
    TextureDimension, TextureFormat, TextureUsages, TextureView, VertexState,
};
use swath::{Edit, Engine, HostDevice, Lcs, Options, Result};
use swath_bench::Bench;
use swath_bench::inputs::{edited, letters};
use swath_bench::timing::millis;

/// Phases of a call with their times.
type Phases = Vec<(Phase, Duration)>;

/// Frame interval without delays.
const FRAME: Duration = Duration::from_millis(16);
/// Maximum frame time without stutter.
const LONGEST: Duration = Duration::from_millis(33);
/// Frames before the computation starts.
const FRAMES_BEFORE: usize = 100;
const SCREEN: Extent3d = Extent3d {
    width: 1920,
    height: 1080,
    depth_or_array_layers: 1,
};
const FORMAT: TextureFormat = TextureFormat::Rgba8Unorm;
const SHADER: &str = "
@vertex
fn corner(@builtin(vertex_index) index: u32) -> @builtin(position) vec4f {
    return vec4f(f32(index & 1u) * 4.0 - 1.0, f32(index >> 1u) * 4.0 - 1.0, 0.0, 1.0);
}
@fragment
fn color(@builtin(position) place: vec4f) -> @location(0) vec4f {
    return vec4f(fract(place.xy / 64.0), 0.5, 1.0);
}
";

fn main() -> ExitCode {
    let mut bench = Bench::from_arguments();
    let Some(adapter) = adapter(&bench) else {
        println!("no GPU: nothing to draw on");
        return bench.finish();
    };
    for (features, kind) in [
        (
            Features::SUBGROUP | Features::IMMEDIATES | Features::TIMESTAMP_QUERY,
            "all features",
        ),
        (Features::empty(), "none"),
    ] {
        let required_limits = if features.is_empty() {
            Default::default()
        } else {
            adapter.limits()
        };
        let required_features = adapter.features() & features;
        let descriptor = DeviceDescriptor {
            required_features,
            required_limits,
            ..Default::default()
        };
        let (device, queue) =
            pollster::block_on(adapter.request_device(&descriptor)).expect("the device is made");
        let engine = |slice_ms| {
            let host = HostDevice::new(&adapter, device.clone(), queue.clone());
            Engine::on(host, Options::default().slice_ms(slice_ms)).expect("the device is enough")
        };
        let window = Window::new(&device, &queue);
        let idle = window.draw_until(|frames| frames == FRAMES_BEFORE);
        row(
            &mut bench,
            &format!("nothing computed, {kind}"),
            &idle,
            (Duration::ZERO, Vec::new()),
        );
        let n = bench.size(1_000_000);
        let (a, b, near) = (
            letters(n, 4, 1),
            letters(n, 4, 2),
            edited(&letters(n, 4, 1), 1, 100, 3),
        );
        for slice_ms in [8, 60] {
            let engine = engine(slice_ms);
            let cases: [(&str, &dyn Fn() -> Result<Phases>); 3] = [
                ("distance", &|| {
                    engine
                        .run(&Edit::of(&a, &b))
                        .map(|report| report.run.phases)
                }),
                ("alignment, 1 % apart", &|| {
                    engine
                        .run(&Edit::of(&a, &near).path())
                        .map(|report| report.run.phases)
                }),
                ("subsequence", &|| {
                    engine
                        .run(&Lcs::of(&a, &b).path())
                        .map(|report| report.run.phases)
                }),
            ];
            for (name, compute) in cases {
                for run in ["first", "second"] {
                    let case =
                        format!("{name} {n} x {n}, slices of {slice_ms} ms, {kind}, {run} call");
                    if bench.wants(&case) {
                        let (frames, computing) = window.draw_while(compute);
                        row(&mut bench, &case, &frames, computing);
                    }
                }
            }
        }
    }
    bench.finish()
}

fn adapter(bench: &Bench) -> Option<Adapter> {
    let name = &bench.gpu()?.name;
    let backends = Backends::VULKAN | Backends::METAL | Backends::DX12;
    let instance = Instance::new(InstanceDescriptor {
        backends,
        ..InstanceDescriptor::new_without_display_handle()
    });
    let adapters = pollster::block_on(instance.enumerate_adapters(Backends::all()));
    adapters
        .into_iter()
        .find(|adapter| adapter.get_info().name == *name)
}

fn row(
    bench: &mut Bench,
    case: &str,
    frames: &[Duration],
    (computing, phases): (Duration, Phases),
) {
    let mut sorted = frames.to_vec();
    sorted.sort_unstable();
    let (median, longest) = (sorted[sorted.len() / 2], sorted[sorted.len() - 1]);
    let mark = if longest > LONGEST { "STUTTERS" } else { "" };
    println!(
        "{case:76} {:8.1} ms {:5} frames, median {:5.1} ms, longest {:5.1} ms {mark}",
        millis(computing),
        frames.len(),
        millis(median),
        millis(longest)
    );
    if longest > LONGEST {
        let late = frames
            .iter()
            .position(|&frame| frame == longest)
            .unwrap_or(0);
        let began: Duration = frames[..late].iter().sum();
        let phases: Vec<_> = phases
            .iter()
            .map(|(phase, time)| format!("{phase} {:.1}", millis(*time)))
            .collect();
        println!(
            "    began at {:.1} ms; ms by phase: {}",
            millis(began),
            phases.join(", ")
        );
    }
    bench.require(longest <= LONGEST);
    bench.keep(json!({
        "case": case, "seconds": computing.as_secs_f64(), "frames": frames.len(),
        "median_frame_seconds": median.as_secs_f64(), "longest_frame_seconds": longest.as_secs_f64(),
    }));
}

/// A screen-sized texture and its renderer.
struct Window<'a> {
    device: &'a Device,
    queue: &'a Queue,
    pipeline: RenderPipeline,
    view: TextureView,
}

impl<'a> Window<'a> {
    fn new(device: &'a Device, queue: &'a Queue) -> Self {
        let module = device.create_shader_module(ShaderModuleDescriptor {
            label: None,
            source: ShaderSource::Wgsl(SHADER.into()),
        });
        let compilation_options = Default::default;
        let pipeline = device.create_render_pipeline(&RenderPipelineDescriptor {
            label: Some("window"),
            layout: None,
            vertex: VertexState {
                module: &module,
                entry_point: None,
                compilation_options: compilation_options(),
                buffers: &[],
            },
            primitive: Default::default(),
            depth_stencil: None,
            multisample: Default::default(),
            fragment: Some(FragmentState {
                module: &module,
                entry_point: None,
                compilation_options: compilation_options(),
                targets: &[Some(ColorTargetState {
                    format: FORMAT,
                    blend: None,
                    write_mask: Default::default(),
                })],
            }),
            multiview_mask: None,
            cache: None,
        });
        let picture = device.create_texture(&TextureDescriptor {
            label: Some("window"),
            size: SCREEN,
            mip_level_count: 1,
            sample_count: 1,
            dimension: TextureDimension::D2,
            format: FORMAT,
            usage: TextureUsages::RENDER_ATTACHMENT,
            view_formats: &[],
        });
        Self {
            device,
            queue,
            pipeline,
            view: picture.create_view(&Default::default()),
        }
    }

    /// Draws a frame and waits for it, without a lock that blocks other threads' submissions.
    fn draw(&self) {
        let mut commands = self
            .device
            .create_command_encoder(&CommandEncoderDescriptor::default());
        {
            let mut pass = commands.begin_render_pass(&RenderPassDescriptor {
                label: None,
                color_attachments: &[Some(RenderPassColorAttachment {
                    view: &self.view,
                    depth_slice: None,
                    resolve_target: None,
                    ops: Operations {
                        load: LoadOp::Clear(Color::BLACK),
                        store: StoreOp::Store,
                    },
                })],
                ..Default::default()
            });
            pass.set_pipeline(&self.pipeline);
            pass.draw(0..3, 0..1);
        }
        let shown = std::sync::Arc::new(AtomicBool::new(false));
        let callback = shown.clone();
        self.queue.submit([commands.finish()]);
        self.queue
            .on_submitted_work_done(move || callback.store(true, Ordering::Release));
        while !shown.load(Ordering::Acquire) {
            self.device
                .poll(PollType::Poll)
                .expect("the device is there");
            std::thread::sleep(Duration::from_micros(100));
        }
    }

    /// Frame times until `is_enough` accepts their count.
    fn draw_until(&self, is_enough: impl Fn(usize) -> bool) -> Vec<Duration> {
        let mut frames = Vec::new();
        while !is_enough(frames.len()) {
            let began = Instant::now();
            self.draw();
            std::thread::sleep(FRAME.saturating_sub(began.elapsed()));
            frames.push(began.elapsed());
        }
        frames
    }

    /// Frame times during `work`, and the time of that.
    fn draw_while(
        &self,
        compute: &dyn Fn() -> Result<Phases>,
    ) -> (Vec<Duration>, (Duration, Phases))
    where
        Self: Sync,
    {
        let ended = AtomicBool::new(false);
        std::thread::scope(|scope| {
            let drawing = scope
                .spawn(|| self.draw_until(|frames| frames > 0 && ended.load(Ordering::Relaxed)));
            let began = Instant::now();
            let phases = compute().expect("it runs");
            let computing = began.elapsed();
            ended.store(true, Ordering::Relaxed);
            (
                drawing.join().expect("every frame is drawn"),
                (computing, phases),
            )
        })
    }
}
