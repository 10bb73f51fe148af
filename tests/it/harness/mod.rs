//! Proves that the comparisons of the other tests can fail: damages plans, kernels, devices and
//! answers.

mod assertions;
mod certificates;
mod cuda;
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
use support::hooked::{Hooked, Hooks};
use support::inputs::{Input, Random};
use swath::unstable::backend::Backend;
use swath::unstable::backend::wgpu::source::part;
use swath::unstable::call::phases::Phases;
use swath::unstable::engine::Device;
use swath::unstable::kernels::bit_parallel::{CarryExchange, Matching};
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

/// True if the test device reads the WGSL of all kernels. Damage to hand-written CUDA sources is in
/// `cuda.rs`.
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

/// Requires an answer other than the CPU's after one edit of a part's WGSL or CUDA source: a part,
/// a string that occurs once in it, and its replacement.
#[track_caller]
fn assert_edit_noticed<T: PartialEq>(
    gpu: &Gpu,
    (stem, right, wrong): (&'static str, &'static str, &'static str),
    answer: impl Fn(&Engine) -> T,
) {
    eprintln!("{stem}: {wrong}");
    let changed = Arc::new(AtomicUsize::new(0));
    let count = changed.clone();
    let engine = damaged_engine(gpu, move |plan| {
        let kernels = plan.kernels.iter_mut();
        let has_part = |kernel: &&mut Kernel| kernel.stem == stem || kernel.parts.contains(&stem);
        for kernel in kernels.filter(has_part) {
            kernel.user_shaders.push(edited_part(stem, right, wrong));
            count.fetch_add(1, Ordering::Relaxed);
        }
    });
    assert!(
        answer(&engine) != answer(support::cpu()),
        "{stem}: {wrong} went unnoticed"
    );
    assert!(changed.load(Ordering::Relaxed) > 0, "no kernel has {stem}");
}

/// A part with one replacement, also in its hand-written CUDA if the test device runs that.
fn edited_part(stem: &'static str, right: &str, wrong: &str) -> UserShader {
    #[cfg(feature = "cuda")]
    let written = swath::unstable::backend::cuda::source::part(stem).filter(|_| support::is_cuda());
    #[cfg(not(feature = "cuda"))]
    let written: Option<&str> = None;
    let wgsl = part(stem).expect(stem);
    let text = written.unwrap_or(wgsl);
    assert_eq!(
        text.matches(right).count(),
        1,
        "{right} occurs once in {stem}"
    );
    let edited = |text: &str| &*String::leak(text.replace(right, wrong));
    UserShader {
        stem,
        wgsl: edited(wgsl),
        cuda: written.map(edited),
        unchecked: written.is_some(),
    }
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
