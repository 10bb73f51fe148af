//! Pool of staging buffers for readback: the driver takes long to pin their memory.

use std::sync::{Mutex, MutexGuard};

use wgpu::{Buffer, BufferUsages, Device};

use super::memory::buffer;
use crate::host::lock;

/// Maximum number of idle buffers, and their maximum total bytes: some small ones for stamps, and
/// two or three that plans alternate between.
const MAX_IDLE: usize = 12;
const MAX_IDLE_BYTES: u64 = 96 << 20;
/// Bytes of the smallest buffer, and the maximum ratio of an idle buffer's size to the requested
/// one.
const MIN_BYTES: u64 = 256;
const MAX_ROOM: u64 = 4;

/// Idle staging buffers, least recently used first.
#[derive(Debug, Default)]
pub(super) struct IdleStaging(Mutex<Vec<Buffer>>);

impl IdleStaging {
    fn idle(&self) -> MutexGuard<'_, Vec<Buffer>> {
        lock(&self.0)
    }

    /// Takes the smallest idle buffer that fits and is not far too large, or allocates one.
    pub(super) fn take(&self, device: &Device, size: u64) -> Buffer {
        let fits = size..=MAX_ROOM * size.max(MIN_BYTES);
        let mut idle = self.idle();
        let fitting = idle
            .iter()
            .enumerate()
            .filter(|(_, staging)| fits.contains(&staging.size()));
        if let Some((index, _)) = fitting.min_by_key(|(_, staging)| staging.size()) {
            return idle.remove(index);
        }
        let usage = BufferUsages::MAP_READ | BufferUsages::COPY_DST;
        device.create_buffer(&buffer("staging", with_room(size), usage))
    }

    /// Returns an unmapped buffer to the pool. Evicts the least recently used ones if there are too
    /// many.
    pub(super) fn give_back(&self, staging: Buffer) {
        let mut idle = self.idle();
        idle.push(staging);
        let (mut kept, mut bytes) = (0, 0);
        let newest = idle.iter().rev().take_while(|staging| {
            (kept, bytes) = (kept + 1, bytes + staging.size());
            kept <= MAX_IDLE && (kept == 1 || bytes <= MAX_IDLE_BYTES)
        });
        let gone = idle.len() - newest.count();
        idle.drain(..gone);
    }

    #[cfg(test)]
    pub(super) fn bytes(&self) -> u64 {
        self.idle().iter().map(|staging| staging.size()).sum()
    }
}

/// Rounds up to the size of a buffer, so that it fits later requests, too.
fn with_room(size: u64) -> u64 {
    size.next_multiple_of((size.next_power_of_two() / 8).max(MIN_BYTES))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::backend::wgpu::{Gpu, adapter};

    #[test]
    fn staging_pool_reuses_buffers_for_alternating_sizes_and_keeps_few() {
        let Some(candidate) = adapter::of_tests() else {
            return;
        };
        let gpu = Gpu::open(&candidate, true, false).expect("the adapter opens");
        let device = &gpu.opened.device;
        let pool = IdleStaging::default();
        // Two submissions in flight, each with a stamp and a readback.
        let sizes = [4, 4, 4612, 1 << 20, 4, (1 << 20) + 4, 3 << 20];
        let round = || {
            let taken = sizes.map(|size| pool.take(device, size));
            assert!(
                taken
                    .iter()
                    .zip(sizes)
                    .all(|(staging, size)| staging.size() >= size)
            );
            let buffers: Vec<_> = taken.to_vec();
            taken
                .into_iter()
                .for_each(|staging| pool.give_back(staging));
            buffers
        };
        let first = round();
        for _ in 0..3 {
            assert!(round().iter().all(|buffer| first.contains(buffer)));
        }
        // A buffer that is far too large is not reused for a small request.
        assert!(pool.take(device, 1 << 16).size() < 1 << 20);
        for _ in 0..2 {
            let taken: Vec<_> = (0..2 * MAX_IDLE).map(|_| pool.take(device, 4)).collect();
            taken
                .into_iter()
                .for_each(|staging| pool.give_back(staging));
        }
        assert_eq!(pool.idle().len(), MAX_IDLE);
        let large = MAX_IDLE_BYTES / 2 + 1;
        let taken = [(); 2].map(|()| pool.take(device, large));
        taken
            .into_iter()
            .for_each(|staging| pool.give_back(staging));
        assert!(
            pool.bytes() >= large && pool.bytes() <= MAX_IDLE_BYTES + large / 4,
            "{}",
            pool.bytes()
        );
    }

    #[test]
    fn staging_buffer_is_at_most_a_quarter_larger_than_requested() {
        for size in [4, 256, 257, 5000, 1 << 20, (16 << 20) + 4] {
            let bytes = with_room(size);
            assert!(
                (size..=(size + size / 4).max(MIN_BYTES).next_multiple_of(MIN_BYTES))
                    .contains(&bytes),
                "{size}: {bytes}"
            );
        }
    }
}
