//! Pool of staging buffers for readback: the driver takes long to pin their memory.

use std::sync::{Mutex, MutexGuard};

use wgpu::{BufferDescriptor, BufferUsages, Device};

use crate::backend::memory::{Account, Entry};
use crate::host::lock;

/// Maximum number of idle buffers, and their maximum total bytes: some small ones for stamps, and
/// two or three that plans alternate between.
const MAX_IDLE: usize = 12;
const MAX_IDLE_BYTES: u64 = 96 << 20;
/// Bytes of the smallest buffer, and the maximum ratio of an idle buffer's size to the requested
/// one.
const MIN_BYTES: u64 = 256;
const MAX_ROOM: u64 = 4;

/// A staging buffer and its entry on the account.
#[derive(Debug)]
pub(super) struct Staging {
    pub buffer: wgpu::Buffer,
    _entry: Entry,
}

impl Staging {
    fn new(device: &Device, account: &Account, size: u64) -> Self {
        let usage = BufferUsages::MAP_READ | BufferUsages::COPY_DST;
        let descriptor = BufferDescriptor {
            label: Some("staging"),
            size,
            usage,
            mapped_at_creation: false,
        };
        Self {
            buffer: device.create_buffer(&descriptor),
            _entry: account.allocated(size),
        }
    }
}

/// Idle staging buffers, least recently used first.
#[derive(Debug, Default)]
pub(super) struct IdleStaging(Mutex<Vec<Staging>>);

impl IdleStaging {
    fn idle(&self) -> MutexGuard<'_, Vec<Staging>> {
        lock(&self.0)
    }

    /// Takes the smallest idle buffer that fits and is not far too large, or allocates one.
    pub(super) fn take(&self, device: &Device, account: &Account, size: u64) -> Staging {
        let fits = size..=MAX_ROOM * size.max(MIN_BYTES);
        let mut idle = self.idle();
        let fitting = idle
            .iter()
            .enumerate()
            .filter(|(_, staging)| fits.contains(&staging.buffer.size()));
        match fitting
            .min_by_key(|(_, staging)| staging.buffer.size())
            .map(|(index, _)| index)
        {
            Some(index) => idle.remove(index),
            None => Staging::new(device, account, with_room(size)),
        }
    }

    /// Returns an unmapped buffer to the pool. Evicts the least recently used ones if there are too
    /// many.
    pub(super) fn give_back(&self, staging: Staging) {
        let mut idle = self.idle();
        idle.push(staging);
        let (mut kept, mut bytes) = (0, 0);
        let newest = idle.iter().rev().take_while(|staging| {
            (kept, bytes) = (kept + 1, bytes + staging.buffer.size());
            kept <= MAX_IDLE && (kept == 1 || bytes <= MAX_IDLE_BYTES)
        });
        let gone = idle.len() - newest.count();
        idle.drain(..gone);
    }

    #[cfg(test)]
    pub(super) fn bytes(&self) -> u64 {
        self.idle()
            .iter()
            .map(|staging| staging.buffer.size())
            .sum()
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
        let gpu = Gpu::open(&candidate, true).expect("the adapter opens");
        let (device, account) = (&gpu.opened.device, gpu.opened.pool.account());
        let pool = IdleStaging::default();
        // Two submissions in flight, each with a stamp and a readback.
        let sizes = [4, 4, 4612, 1 << 20, 4, (1 << 20) + 4, 3 << 20];
        let round = || {
            let taken = sizes.map(|size| pool.take(device, account, size));
            assert!(
                taken
                    .iter()
                    .zip(sizes)
                    .all(|(staging, size)| staging.buffer.size() >= size)
            );
            let buffers: Vec<_> = taken.iter().map(|staging| staging.buffer.clone()).collect();
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
        assert!(pool.take(device, account, 1 << 16).buffer.size() < 1 << 20);
        for _ in 0..2 {
            let taken: Vec<_> = (0..2 * MAX_IDLE)
                .map(|_| pool.take(device, account, 4))
                .collect();
            taken
                .into_iter()
                .for_each(|staging| pool.give_back(staging));
        }
        assert_eq!(pool.idle().len(), MAX_IDLE);
        let large = MAX_IDLE_BYTES / 2 + 1;
        let taken = [(); 2].map(|()| pool.take(device, account, large));
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
