//! The window: two paths, a progress bar, the plot.

use std::path::Path;
use std::time::{Duration, Instant};

use eframe::egui::{self, TextureHandle, TextureOptions, ViewportCommand};
use eframe::egui_wgpu::RenderState;
use swath::{Engine, Error, HostDevice, Options};

use crate::comparison::Comparison;
use crate::frames::FrameTimes;

/// Frame interval during a computation.
pub const FRAME: Duration = Duration::from_millis(16);
/// Time to show the answer before exiting.
const LAST_LOOK: Duration = Duration::from_secs(3);

/// Command line arguments.
#[derive(Debug, Default)]
pub struct Arguments {
    paths: [String; 2],
    exit_after_answer: bool,
    pub offscreen: bool,
}

impl Arguments {
    /// Parses up to two files, `--exit-after-answer`, and `--offscreen`, which implies it.
    pub fn of(arguments: impl Iterator<Item = String>) -> Self {
        let (flags, files): (Vec<_>, Vec<_>) =
            arguments.partition(|argument| argument.starts_with("--"));
        let mut files = files.into_iter();
        let paths = [(); 2].map(|()| files.next().unwrap_or_default());
        let has = |name| flags.iter().any(|flag| flag == name);
        let offscreen = has("--offscreen");
        Self {
            paths,
            exit_after_answer: offscreen || has("--exit-after-answer"),
            offscreen,
        }
    }
}

/// The application.
pub struct Viewer {
    engine: Engine,
    device: String,
    paths: [String; 2],
    comparison: Option<Comparison>,
    picture: Option<TextureHandle>,
    message: String,
    /// `None` once the frame with the answer has been drawn.
    frames: Option<FrameTimes>,
    exit_after_answer: bool,
    answered: Option<Instant>,
}

impl Viewer {
    /// Creates an engine on the window's device and opens the files of the command line.
    ///
    /// # Errors
    /// If the device lacks something.
    pub fn new(window: &RenderState, arguments: Arguments) -> Result<Self, Error> {
        let host = HostDevice::new(&window.adapter, window.device.clone(), window.queue.clone());
        let engine = Engine::on(host, Options::default())?;
        let Arguments {
            paths,
            exit_after_answer,
            ..
        } = arguments;
        let mut viewer = Self {
            engine,
            device: window.adapter.get_info().name,
            paths,
            comparison: None,
            picture: None,
            message: "Name two files and compare them.".to_string(),
            frames: None,
            exit_after_answer,
            answered: None,
        };
        if viewer.paths.iter().all(|path| !path.is_empty()) {
            viewer.compare();
        }
        Ok(viewer)
    }

    fn compare(&mut self) {
        (self.picture, self.frames, self.answered) = (None, Some(FrameTimes::default()), None);
        let device = &self.device;
        self.message = format!(
            "Computing on {device}, the window's own device. In purple: about where the alignment will be."
        );
        let paths = [0, 1].map(|place| Path::new(&self.paths[place]));
        match Comparison::start(&self.engine, paths) {
            Ok(comparison) => self.comparison = Some(comparison),
            Err(problem) => (self.comparison, self.message) = (None, problem),
        }
    }

    /// Takes results that arrived since the last frame.
    fn advance(&mut self, context: &egui::Context) {
        let Some(comparison) = &mut self.comparison else {
            return;
        };
        let computing = comparison.progress().is_some();
        self.frames.iter_mut().for_each(FrameTimes::tick);
        if !computing && let Some(frames) = self.frames.take() {
            println!("{frames}");
        }
        if !comparison.is_complete() {
            context.request_repaint_after(FRAME);
        }
        if comparison.advance() || self.picture.is_none() {
            let image = comparison.plot().image();
            self.picture = Some(context.load_texture("plot", image, TextureOptions::NEAREST));
        }
        if computing && let Some(outcome) = comparison.outcome() {
            self.message = match outcome {
                Ok(report) => format!(
                    "Distance {}, by {} on {} in {:.2} s.",
                    report
                        .distance
                        .exactly()
                        .map_or_else(|| "unknown".to_string(), |distance| distance.to_string()),
                    report.run.method,
                    report.run.device,
                    report.run.elapsed.as_secs_f64()
                ),
                Err(Error::Cancelled) => "Cancelled.".to_string(),
                Err(error) => format!("No answer: {error}"),
            };
            self.answered = Some(Instant::now());
            println!("{}", self.message);
        }
    }

    /// Remaining time to show the answer, if the program exits afterwards.
    pub fn last_look(&self) -> Option<Duration> {
        let answered = self.answered.filter(|_| self.exit_after_answer);
        answered.map(|answered| LAST_LOOK.saturating_sub(answered.elapsed()))
    }

    /// Takes new results and draws the window.
    pub fn show(&mut self, ui: &mut egui::Ui) {
        let context = ui.ctx().clone();
        self.advance(&context);
        match self.last_look() {
            Some(Duration::ZERO) => context.send_viewport_cmd(ViewportCommand::Close),
            Some(rest) => context.request_repaint_after(rest),
            None => {}
        }
        egui::Panel::top("controls").show(ui, |ui| self.controls(ui));
        egui::CentralPanel::default().show(ui, |ui| {
            if let Some(picture) = &self.picture {
                ui.centered_and_justified(|ui| {
                    ui.add(egui::Image::new(picture).fit_to_original_size(1.0))
                });
            }
        });
    }

    fn controls(&mut self, ui: &mut egui::Ui) {
        for (path, hint) in self.paths.iter_mut().zip([
            "first file, from the top to the bottom",
            "second file, from the left to the right",
        ]) {
            ui.add(
                egui::TextEdit::singleline(path)
                    .hint_text(hint)
                    .desired_width(f32::INFINITY),
            );
        }
        let progress = self.comparison.as_ref().and_then(Comparison::progress);
        ui.horizontal(|ui| match (progress, &self.comparison) {
            (Some(progress), Some(comparison)) => {
                if ui.button("Cancel").clicked() {
                    comparison.cancel();
                }
                ui.add(egui::ProgressBar::new(progress).show_percentage());
            }
            _ => {
                if ui.button("Compare").clicked() {
                    self.compare();
                }
            }
        });
        ui.label(&self.message);
    }
}

impl eframe::App for Viewer {
    fn ui(&mut self, ui: &mut egui::Ui, _: &mut eframe::Frame) {
        self.show(ui);
    }
}
