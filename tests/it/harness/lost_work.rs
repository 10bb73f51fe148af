//! Devices that report work as done without doing it.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use support::Gpu;
use support::hooked::{Hooked, Hooks};
use support::inputs::Input;
use swath::Error;
use swath::unstable::backend::{FenceValue, Span};
use swath::unstable::engine::Device;
use swath::unstable::lcs::{Tuning, gpu, reference};
use swath::unstable::plan::{BufferId, Pass, Plan};
use swath::unstable::sequences::codes::Encoded;

/// So short that every slice is one pass.
const A_PASS_EACH: Duration = Duration::from_nanos(1);

/// Drops the submissions selected by `loses`, counted from 0, but reports them as done.
#[derive(Clone)]
struct Lossy {
    loses: fn(usize) -> bool,
    submissions: Arc<AtomicUsize>,
    loads: Arc<AtomicUsize>,
    /// Last stamp left on the device.
    left: u32,
}

impl Lossy {
    fn on(gpu: &Gpu, loses: fn(usize) -> bool) -> Hooked<Self> {
        let lossy = Self {
            loses,
            submissions: Arc::default(),
            loads: Arc::default(),
            left: 0,
        };
        Hooked::new(gpu, lossy)
    }
}

impl Hooks for Lossy {
    fn load(&mut self, _plan: &mut Plan, _kept: &[Option<BufferId>]) {
        self.loads.fetch_add(1, Ordering::Relaxed);
    }

    fn submit<'a>(
        &mut self,
        passes: &'a [Pass],
        stamp: FenceValue,
        _spans: &[Span],
    ) -> (&'a [Pass], FenceValue) {
        if (self.loses)(self.submissions.fetch_add(1, Ordering::Relaxed)) {
            let (value, after) = (self.left, None);
            return (&[], FenceValue { value, after });
        }
        self.left = stamp.value;
        (passes, stamp)
    }
}

/// The length on this backend, in slices of this length, with the number of loaded plans.
fn length_on(backend: &Hooked<Lossy>, slice: Duration) -> (Result<u64, Error>, usize) {
    let (a, b) = inputs();
    let tuning = Tuning {
        lanes: Some(8),
        limbs: Some(2),
        directions: Some(1),
        ..Tuning::default()
    };
    let device = Device {
        slice,
        ..support::device(backend)
    };
    let length = pollster::block_on(gpu::length(&device, tuning, &Encoded::new(&a, &b)));
    (length, backend.hooks.loads.load(Ordering::Relaxed))
}

fn inputs() -> (Vec<u8>, Vec<u8>) {
    Input::random(4, 1300, 900).bytes()
}

#[test]
fn a_lost_slice_is_run_again_and_named_where_it_is_lost_twice() {
    let Some(gpu) = support::lock_gpu() else {
        return;
    };
    let (a, b) = inputs();
    let expected = reference::length(&a, &b);
    // Two slices are in flight when one is lost.
    type Loss = (fn(usize) -> bool, Option<u32>);
    let losses: [Loss; 5] = [
        (|_| false, None),
        (|n| n == 0, None),
        (|n| n == 2, None),
        (|n| n == 0 || n == 2, Some(1)),
        (|n| n == 2 || n == 6, Some(3)),
    ];
    for (loses, lost) in losses {
        let (length, _) = length_on(&Lossy::on(&gpu, loses), A_PASS_EACH);
        match (length, lost) {
            (Ok(length), None) => assert_eq!(length, expected),
            (Err(Error::MissingStamp { slice, .. }), Some(lost)) => assert_eq!(slice, lost),
            (result, _) => panic!("{result:?}, {lost:?}"),
        }
    }
}

#[test]
fn a_missing_stamp_is_tried_again_once_and_then_an_error() {
    let Some(gpu) = support::lock_gpu() else {
        return;
    };
    let (a, b) = inputs();
    let slice = Duration::from_millis(60);
    let (length, loads) = length_on(&Lossy::on(&gpu, |n| n == 0), slice);
    assert_eq!((length.ok(), loads), (Some(reference::length(&a, &b)), 2));
    let (length, loads) = length_on(&Lossy::on(&gpu, |_| true), slice);
    assert!(
        matches!(length, Err(Error::MissingStamp { .. })),
        "{length:?}"
    );
    assert_eq!(loads, 2);
}
