//! Calls inside of applications: frames drawn on the device that computes, and progress.
//!
//! `cargo bench -p swath-bench --bench applications -- --help`. A screen-sized texture stands for a
//! window. A frame begins 16 ms after the previous one, or when the device has finished that one, as
//! on a display that holds one frame back. A frame of more than 33 ms fails.
//!
//! Progress is marked if, in the second half of a call, the fraction tells an end that is off by
//! more than a quarter of the call's time. It fails if it falls or does not end at 1, which no other
//! load on the machine excuses.

use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use serde_json::json;
use swath::parenthesization::{MatrixChain, Method as TreeMethod};
use swath::supersequence::Method as ScsMethod;
use swath::wgpu::{
    Color, ColorTargetState, Extent3d, Features, FragmentState, LoadOp, Operations, PollType,
    RenderPassColorAttachment, RenderPassDescriptor, RenderPipeline, RenderPipelineDescriptor,
    ShaderModuleDescriptor, ShaderSource, StoreOp, TextureDescriptor, TextureDimension,
    TextureFormat, TextureUsages, TextureView, VertexState,
};
use swath::{
    Control, DeviceInfo, Edit, Engine, HostDevice, Lcs, Options, Parenthesize, Phase, Result, Scs,
    Task,
};
use swath_bench::genomes::genomes;
use swath_bench::inputs::{dimensions, edited, letters};
use swath_bench::record::by_phase;
use swath_bench::resident::Resident;
use swath_bench::timing::millis;
use swath_bench::{Bench, native};

type Phases = Vec<(Phase, Duration)>;

/// A call with progress reports.
type Call<'a> = dyn Fn(&Control) -> Result<()> + 'a;

/// Frame interval without delays.
const FRAME: Duration = Duration::from_millis(16);
/// Maximum frame time without stutter.
const LONGEST: Duration = Duration::from_millis(33);
/// Frames before the computation starts.
const FRAMES_BEFORE: usize = 100;
/// Maximum error of the estimated end, as a fraction of the call's time.
const MAX_OFF: f64 = 0.25;
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
    let about = "Frame times beside a computing engine, and accuracy of progress reports.";
    let mut bench = Bench::from_arguments("applications", about, "");
    let all = Features::SUBGROUP | Features::IMMEDIATES | Features::TIMESTAMP_QUERY;
    for (features, name) in [(all, "all features"), (Features::empty(), "no features")] {
        let open = |gpu: &DeviceInfo| Resident::open(&gpu.name, features);
        match bench.gpu().and_then(open) {
            Some(device) => frames(&mut bench, device, name),
            None => println!("frames: no GPU to draw on"),
        }
    }
    // Sizes that take seconds there.
    progress(&mut bench, "cpu", &native(None), 1);
    if let Some(gpu) = bench.engine() {
        progress(&mut bench, "gpu", &gpu, 8);
    }
    bench.finish()
}

/// Frames without and with computations.
fn frames(bench: &mut Bench, device: Resident, features: &str) {
    let window = Window::new(device);
    let case = format!("frames, nothing computed, {features}");
    if bench.wants(&case) {
        let idle = window.draw_until(|frames| frames == FRAMES_BEFORE);
        frame_row(bench, &case, &idle, Duration::ZERO, &[]);
    }
    let n = bench.size(1_000_000);
    let (a, b) = (letters(n, 4, 1), letters(n, 4, 2));
    let near = edited(&a, 1, 100, 3);
    for slice_ms in [8, 60] {
        let Resident {
            adapter,
            device,
            queue,
        } = &window.resident;
        let host = HostDevice::new(adapter, device.clone(), queue.clone());
        let engine = Engine::on(host, Options::default().slice_ms(slice_ms));
        let engine = engine.expect("the device is enough");
        let cases: [(&str, &dyn Fn() -> Result<Phases>); 3] = [
            ("distance", &|| phases(&engine, &Edit::of(&a, &b))),
            ("alignment, 1 % apart", &|| {
                phases(&engine, &Edit::of(&a, &near).path())
            }),
            ("subsequence", &|| phases(&engine, &Lcs::of(&a, &b).path())),
        ];
        for (name, compute) in cases {
            for run in ["first", "second"] {
                let case = format!(
                    "frames, {name} {n} x {n}, slices of {slice_ms} ms, {features}, {run} call"
                );
                if bench.wants(&case) {
                    let (frames, computing, phases) = window.draw_while(compute);
                    frame_row(bench, &case, &frames, computing, &phases);
                }
            }
        }
    }
}

fn phases<T: Task>(engine: &Engine, task: &T) -> Result<Phases> {
    engine.run(task).map(|report| report.run.phases)
}

fn frame_row(
    bench: &mut Bench,
    case: &str,
    frames: &[Duration],
    computing: Duration,
    phases: &[(Phase, Duration)],
) {
    let mut sorted = frames.to_vec();
    sorted.sort_unstable();
    let (median, longest) = (sorted[sorted.len() / 2], sorted[sorted.len() - 1]);
    let stutters = longest > LONGEST;
    println!(
        "{case:84} {:8.1} ms {:5} frames, median {:5.1} ms, longest {:5.1} ms {}",
        millis(computing),
        frames.len(),
        millis(median),
        millis(longest),
        if stutters { "STUTTERS" } else { "" }
    );
    if stutters {
        println!("    ms by phase: {}", by_phase(phases));
    }
    let row = json!({
        "case": case, "seconds": computing.as_secs_f64(), "frames": frames.len(),
        "median_frame_seconds": median.as_secs_f64(), "longest_frame_seconds": longest.as_secs_f64(),
    });
    bench.keep(row, !stutters);
}

/// A screen-sized texture and its renderer.
struct Window {
    resident: Resident,
    pipeline: RenderPipeline,
    view: TextureView,
}

impl Window {
    fn new(resident: Resident) -> Self {
        let device = &resident.device;
        let module = device.create_shader_module(ShaderModuleDescriptor {
            label: None,
            source: ShaderSource::Wgsl(SHADER.into()),
        });
        let target = ColorTargetState {
            format: FORMAT,
            blend: None,
            write_mask: Default::default(),
        };
        let pipeline = device.create_render_pipeline(&RenderPipelineDescriptor {
            label: None,
            layout: None,
            vertex: VertexState {
                module: &module,
                entry_point: None,
                compilation_options: Default::default(),
                buffers: &[],
            },
            primitive: Default::default(),
            depth_stencil: None,
            multisample: Default::default(),
            fragment: Some(FragmentState {
                module: &module,
                entry_point: None,
                compilation_options: Default::default(),
                targets: &[Some(target)],
            }),
            multiview_mask: None,
            cache: None,
        });
        let picture = device.create_texture(&TextureDescriptor {
            label: None,
            size: SCREEN,
            mip_level_count: 1,
            sample_count: 1,
            dimension: TextureDimension::D2,
            format: FORMAT,
            usage: TextureUsages::RENDER_ATTACHMENT,
            view_formats: &[],
        });
        let view = picture.create_view(&Default::default());
        Self {
            resident,
            pipeline,
            view,
        }
    }

    /// Draws a frame and waits for it, without a lock that blocks other threads' submissions.
    fn draw(&self) {
        let Resident { device, queue, .. } = &self.resident;
        let mut commands = device.create_command_encoder(&Default::default());
        {
            let mut pass = commands.begin_render_pass(&RenderPassDescriptor {
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
        let shown = Arc::new(AtomicBool::new(false));
        let callback = shown.clone();
        queue.submit([commands.finish()]);
        queue.on_submitted_work_done(move || callback.store(true, Ordering::Release));
        while !shown.load(Ordering::Acquire) {
            device.poll(PollType::Poll).expect("the device is there");
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

    /// Frame times during `compute`, its time and phases.
    fn draw_while(
        &self,
        compute: &dyn Fn() -> Result<Phases>,
    ) -> (Vec<Duration>, Duration, Phases) {
        let ended = AtomicBool::new(false);
        std::thread::scope(|scope| {
            let drawing = scope
                .spawn(|| self.draw_until(|frames| frames > 0 && ended.load(Ordering::Relaxed)));
            let began = Instant::now();
            let phases = compute().expect("it runs");
            let computing = began.elapsed();
            ended.store(true, Ordering::Relaxed);
            let frames = drawing.join().expect("every frame is drawn");
            (frames, computing, phases)
        })
    }
}

/// Progress of calls whose sizes are `scale` times those for a CPU.
fn progress(bench: &mut Bench, place: &str, engine: &Engine, scale: usize) {
    let n = bench.size(600_000 * scale);
    let (a, b, far) = (letters(n, 4, 1), letters(n, 4, 2), letters(2 * n, 4, 1));
    let near = edited(&far, 1, 50, 3);
    let (c, d) = genomes();
    let (rows, leaves) = (n / 20, n / 300);
    let short = (letters(rows, 26, 1), letters(rows, 26, 2));
    let by_rows = Scs::of(&short.0, &short.1).method(ScsMethod::RowWise);
    let chain = MatrixChain::new(dimensions(leaves.max(2), 13, 1));
    let by_tiles = Parenthesize::of(&chain).method(TreeMethod::Tiled);
    let calls: [(String, &Call<'_>); 8] = [
        (format!("length of {n}"), &with(engine, Lcs::of(&a, &b))),
        (
            format!("subsequence of {n}"),
            &with(engine, Lcs::of(&a, &b).path()),
        ),
        (
            format!("alignment of {n}"),
            &with(engine, Edit::of(&a, &b).path()),
        ),
        (
            format!("alignment of {}, 2 % apart", 2 * n),
            &with(engine, Edit::of(&far, &near).path()),
        ),
        (
            "subsequence of genomes".into(),
            &with(engine, Lcs::of(&c, &d).path()),
        ),
        (
            "alignment of genomes".into(),
            &with(engine, Edit::of(&c, &d).path()),
        ),
        (
            format!("supersequence, row by row, of {rows}"),
            &with(engine, by_rows.path()),
        ),
        (
            format!("matrix chain of {leaves}, tiled"),
            &with(engine, by_tiles),
        ),
    ];
    for (name, call) in calls {
        progress_row(bench, &format!("progress, {place}, {name}"), call);
    }
}

fn with<T: Task>(engine: &Engine, task: T) -> impl Fn(&Control) -> Result<()> {
    move |control| engine.run_with(&task, control).map(drop)
}

fn progress_row(bench: &mut Bench, case: &str, call: &Call<'_>) {
    if !bench.wants(case) {
        return;
    }
    let reports = Arc::new(Mutex::new(Vec::new()));
    let seen = reports.clone();
    let started = Instant::now();
    let control = Control::default().on_progress(move |progress| {
        let report = (started.elapsed().as_secs_f64(), progress.fraction);
        seen.lock().expect("unharmed").push(report);
    });
    if let Err(error) = call(&control) {
        return println!("{case}: {error}");
    }
    let time = started.elapsed().as_secs_f64();
    let reports = reports.lock().expect("unharmed");
    let late = reports
        .iter()
        .filter(|(at, fraction)| *at > time / 2.0 && *fraction > 0.0);
    let off = late
        .map(|(at, fraction)| (at / fraction - time).abs() / time)
        .fold(0.0, f64::max);
    let falls = reports.windows(2).any(|pair| pair[1].1 < pair[0].1);
    let ended = reports.last().is_some_and(|(_, fraction)| *fraction == 1.0);
    let mut marks = Vec::new();
    for (is_marked, mark) in [
        (off > MAX_OFF, "OFF"),
        (falls, "FALLS"),
        (!ended, "NOT 1 AT THE END"),
    ] {
        marks.extend(is_marked.then_some(mark));
    }
    println!(
        "{case:70} {time:7.2} s, {:6} reports, the end is told within {:4.1} % from the middle on {}",
        reports.len(),
        100.0 * off,
        marks.join(", ")
    );
    let row = json!({ "case": case, "seconds": time, "off": off, "reports": reports.len(), "marks": marks });
    bench.keep(row, !falls && ended);
}
