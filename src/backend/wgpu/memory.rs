//! Buffers of a wgpu device.

use wgpu::{BufferDescriptor, BufferUsages, Device, ErrorFilter};

use crate::backend::buffers::{self, Allocator};
use crate::backend::memory::{Account, Entry};
use crate::call::hand_over::ready;

pub(super) type BufferPool = buffers::BufferPool<Device>;

pub(super) type PooledBuffer = buffers::PooledBuffer<Device>;

/// Describes a buffer that is not mapped.
pub(super) fn buffer(label: &str, size: u64, usage: BufferUsages) -> BufferDescriptor<'_> {
    BufferDescriptor {
        label: Some(label),
        size,
        usage,
        mapped_at_creation: false,
    }
}

#[derive(Debug)]
pub(crate) struct OutOfMemory;

impl Allocator for Device {
    type Buffer = wgpu::Buffer;
    type Failure = OutOfMemory;

    fn allocate(&self, name: &str, size: u64) -> Result<wgpu::Buffer, OutOfMemory> {
        // A browser reports errors later, to the handler of the device's owner.
        let scope = (!cfg!(target_family = "wasm"))
            .then(|| self.push_error_scope(ErrorFilter::OutOfMemory));
        let usage = BufferUsages::STORAGE | BufferUsages::COPY_SRC | BufferUsages::COPY_DST;
        let buffer = self.create_buffer(&buffer(name, size, usage));
        // wgpu reports errors on the host.
        if scope.and_then(|scope| ready(scope.pop())).is_none() {
            Ok(buffer)
        } else {
            Err(OutOfMemory)
        }
    }

    fn size_bytes(buffer: &wgpu::Buffer) -> u64 {
        buffer.size()
    }
}

/// A scratch buffer of a session, outside its plan, with its entry on the account.
#[derive(Debug)]
pub(super) struct ScratchBuffer {
    pub buffer: wgpu::Buffer,
    _entry: Entry,
}

impl ScratchBuffer {
    pub(super) fn new(
        device: &Device,
        account: &Account,
        descriptor: &BufferDescriptor<'_>,
    ) -> Self {
        Self {
            buffer: device.create_buffer(descriptor),
            _entry: account.auxiliary(descriptor.size),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::time::Duration;

    use wgpu::PollType;

    use crate::backend::wgpu::{Gpu, OpenDevice, adapter, timestamps};
    use crate::backend::{Backend, Device};
    use crate::call::control::Control;
    use crate::call::phases::Phases;
    use crate::lcs::gpu;
    use crate::sequences::bit_parallel::inputs::Random;
    use crate::sequences::codes::Encoded;
    use crate::sequences::tuning::Tuning;

    /// Maximum bytes that a driver adds to a buffer.
    const ALIGNMENT: u64 = 1 << 10;

    /// Total bytes and number of the buffers allocated from the driver, except wgpu's internal
    /// ones.
    fn driver_allocations(opened: &OpenDevice) -> (u64, u64) {
        opened
            .device
            .poll(PollType::wait_indefinitely())
            .expect("it is not lost");
        let report = opened
            .device
            .generate_allocator_report()
            .expect("the driver's allocator tells");
        let ours = report
            .allocations
            .iter()
            .filter(|allocation| !allocation.name.contains("wgpu internal"));
        ours.fold((0, 0), |(bytes, count), allocation| {
            (bytes + allocation.size, count + 1)
        })
    }

    #[test]
    fn memory_of_a_call_is_idle_afterwards_and_freed_for_a_plan_that_needs_it() {
        let Some(candidate) = adapter::of_tests() else {
            return;
        };
        let mut random = Random::new(1);
        let (a, b) = (random.codes(6000, 4), random.codes(6000, 4));
        let codes = Encoded::new(&a, &b);
        for portable in [false, true] {
            let backend = Gpu::open(&candidate, true, portable).expect("the adapter opens");
            assert_eq!(driver_allocations(&backend.opened), (0, 0));
            let (control, phases) = (Control::default(), Phases::start());
            let slice = Duration::from_millis(60);
            let device = Device {
                backend: &backend,
                budget_bytes: u64::MAX,
                slice,
                threads: None,
                control: &control,
                phases: &phases,
            };
            let found = pollster::block_on(gpu::subsequence(&device, Tuning::default(), &codes));
            assert!(found.is_ok_and(|(found, _)| !found.is_empty()));
            // Pooled buffers and staging memory are idle.
            let (limit, idle) = driver_allocations(&backend.opened);
            assert!(idle >= 8, "{idle} buffers");
            let account = &backend.shared().memory;
            assert_eq!((account.held_bytes(), account.auxiliary_bytes()), (0, 0));
            // An open session holds a stamp and parameters.
            let session = device.open_session().expect("it opens");
            let make = |_: &_| crate::plan::Plan::default();
            pollster::block_on(session.round(&make, &|_| Vec::new(), &|_| Ok(())))
                .expect("it runs");
            pollster::block_on(session.replay(&[], false, &[]).expect("it is submitted"))
                .expect("it comes");
            assert_eq!(
                account.auxiliary_bytes(),
                if portable { 4 + 256 } else { 4 }
            );
            drop(session);
            // Idle buffers are freed when a plan needs the memory.
            let timestamp_bytes = backend
                .opened
                .timestamps
                .get()
                .and_then(Option::as_ref)
                .map_or(0, |_| timestamps::BYTES);
            let not_pooled = backend.opened.staging.bytes() + timestamp_bytes;
            let held = account.try_reserve(limit, limit).expect("nothing is held");
            let all = backend
                .opened
                .pool
                .allocate(&[("large", limit)], limit)
                .expect("the driver has as much");
            let (bytes, count) = driver_allocations(&backend.opened);
            let expected = limit + not_pooled;
            assert!(
                (expected..=expected + count * ALIGNMENT).contains(&bytes),
                "{expected} and {bytes} in {count} buffers"
            );
            drop(held);
            drop(all);
            let opened = Arc::downgrade(&backend.opened);
            drop(backend);
            assert!(opened.upgrade().is_none());
        }
    }
}
