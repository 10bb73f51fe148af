//! Proves that the comparisons of the other tests can fail: damages plans, kernels, devices and
//! answers.

mod assertions;
mod certificates;
mod cuda_calls;
mod lost_work;
mod neighbors;
mod pairs;
mod parenthesization;
mod search;
mod sort;
mod strip_sweep;
mod substring;
mod tables;

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, MutexGuard};
use std::time::Duration;
use support::Gpu;
use support::damage::{Edit, damage, damage_where_used, edits};
use support::hooked::{Hooked, Hooks};
use support::inputs::{Input, Random};
use swath::unstable::backend::Backend;
use swath::unstable::backend::wgpu::source::part;
use swath::unstable::call::phases::Phases;
use swath::unstable::engine::Device;
use swath::unstable::kernels::{Kernel, UserShader};
use swath::unstable::lcs::Tuning;
use swath::unstable::plan::{BufferId, Contents, Plan};
use swath::unstable::sequences::codes::Encoded;
use swath::{Control, Engine, Error, Options};

const SLICE: Duration = Duration::from_millis(60);

pub fn lock_gpu() -> Option<MutexGuard<'static, Gpu>> {
    // A failed test leaves the device usable.
    Some(
        support::backend()?
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner),
    )
}

/// True if the test device reads the WGSL of all kernels, and has no hand-written CUDA sources.
fn reads_wgsl() -> bool {
    !support::is_cuda()
}

/// Changes every plan before it is loaded.
#[derive(Clone)]
struct Damage(Arc<dyn Fn(&mut Plan) + Send + Sync>);

impl Hooks for Damage {
    fn load(&mut self, plan: &mut Plan, kept: &[Option<BufferId>]) {
        (self.0)(plan);
        // Unwritten buffers read as 0, not as arbitrary memory.
        for (buffer, kept) in plan.buffers.iter_mut().zip(kept) {
            if matches!(buffer.contents, Contents::Unspecified) && kept.is_none() {
                buffer.contents = Contents::Zeros;
            }
        }
    }
}

fn damaging(gpu: &Gpu, damage: impl Fn(&mut Plan) + Send + Sync + 'static) -> Hooked<Damage> {
    Hooked::new(gpu, Damage(Arc::new(damage)))
}

/// A device without an engine.
pub fn device<'a>(
    backend: &'a dyn Backend,
    control: &'a Control,
    phases: &'a Phases,
) -> Device<'a> {
    Device {
        backend,
        budget_bytes: 1 << 30,
        slice: SLICE,
        threads: None,
        control,
        phases,
    }
}

/// An engine whose plans are damaged.
fn damaged_engine(gpu: &Gpu, damage: impl Fn(&mut Plan) + Send + Sync + 'static) -> Engine {
    let backend = Arc::new(damaging(gpu, damage));
    Engine::on_backend(backend, Options::default()).expect("the device is open")
}

/// Requires an answer other than the CPU's after one edit of a part's WGSL or CUDA source.
#[track_caller]
fn assert_edit_noticed<T: PartialEq>(gpu: &Gpu, edit: Edit, answer: impl Fn(&Engine) -> T) {
    let changed = Arc::new(AtomicUsize::new(0));
    let count = changed.clone();
    let engine = damaged_engine(gpu, move |plan| {
        count.fetch_add(damage_where_used(plan, &[edit]), Ordering::Relaxed);
    });
    assert!(
        answer(&engine) != answer(support::cpu()),
        "{edit:?} went unnoticed"
    );
    assert!(
        changed.load(Ordering::Relaxed) > 0,
        "no kernel has {edit:?}"
    );
}

/// Edits the source of a kernel in all matching parts; returns their number.
fn replace_in(kernel: &mut Kernel, edits: &[(&str, &str)]) -> usize {
    let before = kernel.user_shaders.len();
    for stem in kernel.parts.iter().chain([&kernel.stem]) {
        // Kernels of CUDA alone have no WGSL.
        let Some(text) = part(stem) else { continue };
        let edits = edits.iter().filter(|(right, _)| text.contains(right));
        let wrong = edits.fold(text.to_string(), |text, (right, wrong)| {
            text.replace(right, wrong)
        });
        if wrong != text {
            kernel.user_shaders.push(UserShader {
                stem,
                wgsl: String::leak(wrong),
                cuda: None,
                unchecked: false,
            });
        }
    }
    kernel.user_shaders.len() - before
}

fn replace(plan: &mut Plan, edits: &[(&str, &str)]) {
    assert!(
        replace_in(&mut plan.kernels[0], edits) > 0,
        "no part has {edits:?}"
    );
}
