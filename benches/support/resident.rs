//! Device-resident arrays and the time of submissions on them.

use std::sync::mpsc::channel;
use std::time::{Duration, Instant};

use rayon::prelude::*;
use swath::sort::Key;
use swath::wgpu::{
    Adapter, Backends, Buffer, BufferDescriptor, BufferUsages, CommandEncoder, Device,
    DeviceDescriptor, Features, Instance, InstanceDescriptor, MapMode, PollType, Queue,
};

/// Checks that `found` has the keys in stable order. A payload numbers the keys from 0 before the
/// sort and so tells the original position of each; without one another sort is the reference.
pub fn is_right<K: Key>(keys: &[u32], found: &[Vec<u32>], bits: u32) -> bool {
    let wide = |words: &[u32], place: usize| match K::BITS {
        32 => u64::from(words[place]),
        _ => u64::from(words[2 * place]) | (u64::from(words[2 * place + 1]) << 32),
    };
    let mask = if bits >= 64 {
        u64::MAX
    } else {
        (1 << bits) - 1
    };
    let count = keys.len() / (K::BITS / 32) as usize;
    let sorted = &found[0];
    match found.get(1) {
        Some(places) => {
            let at = |place: usize| (wide(sorted, place) & mask, places[place]);
            let ordered = (1..count)
                .into_par_iter()
                .all(|place| at(place - 1) < at(place));
            let same = |place: usize| {
                places[place] < count as u32
                    && wide(sorted, place) == wide(keys, places[place] as usize)
            };
            ordered && (0..count).into_par_iter().all(same)
        }
        None => {
            let mut expected: Vec<_> = (0..count)
                .into_par_iter()
                .map(|place| wide(keys, place))
                .collect();
            expected.par_sort_unstable();
            expected
                .par_iter()
                .enumerate()
                .all(|(place, &key)| wide(sorted, place) == key)
        }
    }
}

/// A device and its arrays.
pub struct Resident {
    pub adapter: Adapter,
    pub device: Device,
    pub queue: Queue,
}

impl Resident {
    /// Opens an adapter by its full name, with these features and its limits; without features with
    /// the default limits.
    pub fn open(name: &str, features: Features) -> Option<Self> {
        let backends = Backends::VULKAN | Backends::METAL | Backends::DX12;
        let instance = Instance::new(InstanceDescriptor {
            backends,
            ..InstanceDescriptor::new_without_display_handle()
        });
        let adapters = pollster::block_on(instance.enumerate_adapters(Backends::all()));
        let adapter = adapters
            .into_iter()
            .find(|adapter| adapter.get_info().name == name)?;
        let required_limits = if features.is_empty() {
            Default::default()
        } else {
            adapter.limits()
        };
        let descriptor = DeviceDescriptor {
            required_features: adapter.features() & features,
            required_limits,
            ..Default::default()
        };
        let (device, queue) =
            pollster::block_on(adapter.request_device(&descriptor)).expect("the device is made");
        Some(Self {
            adapter,
            device,
            queue,
        })
    }

    pub fn buffer(&self, words: usize) -> Buffer {
        let usage = BufferUsages::STORAGE | BufferUsages::COPY_SRC | BufferUsages::COPY_DST;
        let size = 4 * words as u64;
        self.device.create_buffer(&BufferDescriptor {
            label: None,
            size,
            usage,
            mapped_at_creation: false,
        })
    }

    pub fn upload(&self, words: &[u32]) -> Buffer {
        let buffer = self.buffer(words.len());
        for (place, part) in words.chunks(PART).enumerate() {
            let bytes: Vec<u8> = part.iter().flat_map(|word| word.to_le_bytes()).collect();
            self.queue
                .write_buffer(&buffer, (4 * place * PART) as u64, &bytes);
            self.queue.submit([]);
            self.wait();
        }
        buffer
    }

    pub fn read(&self, buffer: &Buffer) -> Vec<u32> {
        let usage = BufferUsages::COPY_DST | BufferUsages::MAP_READ;
        let descriptor = BufferDescriptor {
            label: None,
            size: 4 * PART as u64,
            usage,
            mapped_at_creation: false,
        };
        let staging = self.device.create_buffer(&descriptor);
        let mut words = Vec::with_capacity(buffer.size() as usize / 4);
        for first in (0..buffer.size()).step_by(4 * PART) {
            let size = (buffer.size() - first).min(4 * PART as u64);
            let mut commands = self.device.create_command_encoder(&Default::default());
            commands.copy_buffer_to_buffer(buffer, first, &staging, 0, size);
            self.queue.submit([commands.finish()]);
            let (sender, receiver) = channel();
            staging.map_async(MapMode::Read, ..size, move |mapped| _ = sender.send(mapped));
            self.wait();
            receiver.recv().expect("it comes").expect("it is mapped");
            {
                let view = staging.get_mapped_range(..size).expect("it is mapped");
                let word =
                    |bytes: &[u8]| u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
                words.extend(view.chunks_exact(4).map(word));
            }
            staging.unmap();
        }
        words
    }

    /// Time from submit to completion.
    pub fn time(&self, record: impl FnOnce(&mut CommandEncoder)) -> Duration {
        let mut commands = self.device.create_command_encoder(&Default::default());
        record(&mut commands);
        let commands = commands.finish();
        let started = Instant::now();
        self.queue.submit([commands]);
        self.wait();
        started.elapsed()
    }

    fn wait(&self) {
        self.device
            .poll(PollType::wait_indefinitely())
            .expect("the device is there");
    }
}

/// Words per upload or readback.
const PART: usize = 1 << 24;
