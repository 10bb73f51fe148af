//! Draws the alignment of two files as a dot plot, computed on the device that draws the window.

mod comparison;
mod frames;
mod offscreen;
mod plot;
mod seeds;
mod sequence;
mod viewer;

use std::error::Error;
use std::sync::Arc;

use eframe::egui_wgpu::{WgpuSetup, WgpuSetupCreateNew};
use eframe::{App, CreationContext};
use swath::wgpu::{Adapter, DeviceDescriptor, Features};
use viewer::{Arguments, Viewer};

fn main() -> Result<(), Box<dyn Error>> {
    let arguments = Arguments::of(std::env::args().skip(1));
    let setup = WgpuSetup::CreateNew(WgpuSetupCreateNew {
        device_descriptor: Arc::new(what_kernels_like),
        ..WgpuSetupCreateNew::without_display_handle()
    });
    if arguments.offscreen {
        return offscreen::run(setup, arguments);
    }
    let mut options = eframe::NativeOptions {
        renderer: eframe::Renderer::Wgpu,
        ..Default::default()
    };
    options.viewport.inner_size = Some([760.0, 860.0].into());
    options.wgpu_options.wgpu_setup = setup;
    let open =
        move |created: &CreationContext<'_>| -> Result<Box<dyn App>, Box<dyn Error + Send + Sync>> {
            let window = created
                .wgpu_render_state
                .as_ref()
                .ok_or("the window is not drawn through wgpu")?;
            Ok(Box::new(Viewer::new(window, arguments)?))
        };
    Ok(eframe::run_native("swath", options, Box::new(open))?)
}

/// Requests the optional features and limits that make kernels fast, as far as the adapter has
/// them.
fn what_kernels_like(adapter: &Adapter) -> DeviceDescriptor<'static> {
    DeviceDescriptor {
        required_features: adapter.features()
            & (Features::SUBGROUP | Features::IMMEDIATES | Features::TIMESTAMP_QUERY),
        required_limits: adapter.limits(),
        ..Default::default()
    }
}
