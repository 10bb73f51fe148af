//! The application without a display: a screen-sized texture replaces its window. A frame begins 16
//! ms after the previous one, or when the device has finished that one, as on a display that holds
//! one frame back.

use std::error::Error;
use std::iter::once;
use std::thread::sleep;
use std::time::{Duration, Instant};

use eframe::egui::{Context, FullOutput, Pos2, RawInput, Rect};
use eframe::egui_wgpu::{
    RenderState, RendererOptions, ScreenDescriptor, WgpuConfiguration, WgpuSetup,
};
use swath::wgpu::{
    CommandEncoderDescriptor, Extent3d, PollType, RenderPassColorAttachment, RenderPassDescriptor,
    SubmissionIndex, TextureDescriptor, TextureDimension, TextureUsages, TextureView,
};

use crate::viewer::{Arguments, FRAME, Viewer};

const SCREEN: [u32; 2] = [1920, 1080];

/// Draws until the answer has been shown for a while.
///
/// # Errors
/// If there is no adapter, or it lacks something.
pub fn run(setup: WgpuSetup, arguments: Arguments) -> Result<(), Box<dyn Error>> {
    let instance = pollster::block_on(setup.new_instance());
    let configuration = WgpuConfiguration {
        wgpu_setup: setup,
        ..Default::default()
    };
    let window = pollster::block_on(RenderState::create(
        &configuration,
        &instance,
        None,
        RendererOptions::default(),
    ))?;
    let (context, picture) = (Context::default(), picture(&window));
    let mut viewer = Viewer::new(&window, arguments)?;
    let mut begins = Instant::now();
    let mut drawn: Option<SubmissionIndex> = None;
    while viewer.last_look() != Some(Duration::ZERO) {
        if let Some(drawn) = drawn.take() {
            window.device.poll(PollType::Wait {
                submission_index: Some(drawn),
                timeout: None,
            })?;
        }
        sleep(begins.saturating_duration_since(Instant::now()));
        begins = Instant::now() + FRAME;
        let screen_rect = Some(Rect::from_min_max(
            Pos2::ZERO,
            SCREEN.map(|side| side as f32).into(),
        ));
        let shown = context.run_ui(
            RawInput {
                screen_rect,
                ..Default::default()
            },
            |ui| viewer.show(ui),
        );
        drawn = Some(draw(&window, &context, shown, &picture));
    }
    Ok(())
}

/// The render target.
fn picture(window: &RenderState) -> TextureView {
    let [width, height] = SCREEN;
    let texture = window.device.create_texture(&TextureDescriptor {
        label: Some("picture"),
        size: Extent3d {
            width,
            height,
            depth_or_array_layers: 1,
        },
        mip_level_count: 1,
        sample_count: 1,
        dimension: TextureDimension::D2,
        format: window.target_format,
        usage: TextureUsages::RENDER_ATTACHMENT,
        view_formats: &[],
    });
    texture.create_view(&Default::default())
}

/// Records and submits one frame.
fn draw(
    window: &RenderState,
    context: &Context,
    shown: FullOutput,
    picture: &TextureView,
) -> SubmissionIndex {
    let RenderState {
        device,
        queue,
        renderer,
        ..
    } = window;
    let mut renderer = renderer.write();
    for (id, images) in &shown.textures_delta.set {
        images
            .iter()
            .for_each(|image| renderer.update_texture(device, queue, *id, image));
    }
    let screen = ScreenDescriptor {
        pixels_per_point: shown.pixels_per_point,
        size_in_pixels: SCREEN,
    };
    let shapes = context.tessellate(shown.shapes, shown.pixels_per_point);
    let mut encoder = device.create_command_encoder(&CommandEncoderDescriptor::default());
    let uploads = renderer.update_buffers(device, queue, &mut encoder, &shapes, &screen);
    let attachment = RenderPassColorAttachment {
        view: picture,
        resolve_target: None,
        ops: Default::default(),
        depth_slice: None,
    };
    let mut pass = encoder
        .begin_render_pass(&RenderPassDescriptor {
            color_attachments: &[Some(attachment)],
            ..Default::default()
        })
        .forget_lifetime();
    renderer.render(&mut pass, &shapes, &screen);
    drop(pass);
    let submission = queue.submit(uploads.into_iter().chain(once(encoder.finish())));
    shown
        .textures_delta
        .free
        .iter()
        .for_each(|id| renderer.free_texture(id));
    submission
}
