//! Proves that the comparisons of the other tests can fail: damages plans, kernels, devices and
//! answers.

mod assertions;
mod calls;
mod certificates;
mod kernels;
mod lost_work;
mod plans;
mod substring;

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use calls::Call;
use support::Gpu;
use support::hooked::{Hooked, Hooks};
use swath::unstable::plan::{BufferId, Contents, Plan};
use swath::{Engine, Error, Options};

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

/// The answer of a device whose plans are changed; `None` if its certificate is refused.
fn answer_after(
    gpu: &Gpu,
    call: Call,
    damage: impl Fn(&mut Plan) + Send + Sync + 'static,
) -> Option<String> {
    let backend = Arc::new(Hooked::new(gpu, Damage(Arc::new(damage))));
    let engine = Engine::on_backend(backend, Options::default()).expect("the device is open");
    match call(&engine) {
        Err(Error::CertificateFailed(_)) => None,
        found => Some(found.expect("damage is no error to the device")),
    }
}

/// Requires the CPU's answer of a device that changes nothing; returns it.
#[track_caller]
fn undamaged(gpu: &Gpu, call: Call) -> String {
    let expected = call(support::cpu()).expect("the CPU answers");
    let found = answer_after(gpu, call, |_| ());
    assert!(
        found.as_ref() == Some(&expected),
        "{found:?}, not {expected}"
    );
    expected
}

/// Requires another answer than `expected` after changes of plans. `change` returns how many of its
/// changes it has made to a plan.
#[track_caller]
fn assert_noticed(
    gpu: &Gpu,
    (call, expected): (Call, &str),
    name: &str,
    change: impl Fn(&mut Plan) -> usize + Send + Sync + 'static,
) {
    let changes = Arc::new(AtomicUsize::new(0));
    let changed = changes.clone();
    let found = answer_after(gpu, call, move |plan| {
        changed.fetch_add(change(plan), Ordering::Relaxed);
    });
    assert!(changes.load(Ordering::Relaxed) > 0, "{name} is in no plan");
    assert!(found.as_deref() != Some(expected), "{name} went unnoticed");
}
