//! The radix sort of arrays that lie on the device, beside a copy of the same arrays, every answer checked.
//!
//! `cargo bench --bench sort -- [--device D] [--only NAME] [--shrink N] [--json FILE]`. A time is that of one
//! submission that sorts, from when it is submitted to when the host hears of its end; the least of some counts, each of which sorts
//! the same unsorted keys.

mod support;

use std::process::ExitCode;
use std::sync::mpsc::channel;
use std::time::{Duration, Instant};

use rayon::prelude::*;
use serde_json::json;
use support::Bench;
use support::inputs::words;
use support::timing::millis;
use swath::HostDevice;
use swath::sort::{Key, Length, Sorter};
use swath::unstable::sort::Tuning;
use swath::wgpu::{
    Adapter, Backends, Buffer, BufferDescriptor, BufferUsages, CommandEncoder, Device, DeviceDescriptor, Features,
    Instance, InstanceDescriptor, MapMode, PollType, Queue,
};

/// Sorts that are timed, after one that is not.
const TIMES: usize = 10;

fn main() -> ExitCode {
    let mut bench = Bench::from_arguments();
    let Some(resident) = bench.gpu().and_then(|gpu| Resident::open(&gpu.name)) else { return bench.finish() };
    for millions in [1, 10, 100, 200] {
        let count = bench.size(millions * 1_000_000);
        let keys = words(2 * count, 1);
        for payload in [true, false] {
            let what = if payload { "pairs" } else { "keys" };
            let name = format!("{count} u32 {what}");
            case::<u32>(&mut bench, &resident, &name, &keys[..count], payload, 32, Tuning::default());
            let name = format!("{count} u64 {what}");
            case::<u64>(&mut bench, &resident, &name, &keys, payload, 64, Tuning::default());
        }
    }
    shapes(&mut bench, &resident);
    bench.finish()
}

/// Fewer bits, few distinct keys, and other shapes of the kernels beside the planner's choice.
fn shapes(bench: &mut Bench, resident: &Resident) {
    let count = bench.size(100_000_000);
    let keys = words(count, 1);
    let few: Vec<u32> = keys.iter().map(|key| key % 3 * 0x1001_0100).collect();
    let mut tuning = Tuning::default();
    case::<u32>(bench, resident, &format!("{count} u32 pairs, 16 bits"), &keys, true, 16, tuning);
    case::<u32>(bench, resident, &format!("{count} u32 pairs, 3 distinct"), &few, true, 32, tuning);
    tuning.portable = true;
    case::<u32>(bench, resident, &format!("{count} u32 pairs, without subgroups"), &keys, true, 32, tuning);
    for (lanes, steps, workgroups) in [
        (256, 8, 4096),
        (256, 12, 4096),
        (256, 16, 4096),
        (256, 20, 4096),
        (256, 24, 4096),
        (256, 16, 1024),
        (256, 16, 2048),
        (256, 16, 8192),
        (256, 16, 16384),
        (128, 16, 4096),
        (128, 24, 8192),
    ] {
        let mut tuning = Tuning::default();
        (tuning.lanes, tuning.steps, tuning.workgroups) = (Some(lanes), Some(steps), Some(workgroups));
        let name = format!("{count} u32 pairs, {lanes} lanes, {steps} keys each, {workgroups} workgroups");
        case::<u32>(bench, resident, &name, &keys, true, 32, tuning);
    }
}

/// Times a sort of keys of these words, and checks what it leaves.
fn case<K: Key>(
    bench: &mut Bench,
    resident: &Resident,
    name: &str,
    keys: &[u32],
    payload: bool,
    bits: u32,
    tuning: Tuning,
) {
    if !bench.wants(name) {
        return;
    }
    let count = keys.len() / (K::BITS / 32) as usize;
    let host = HostDevice::new(&resident.adapter, resident.device.clone(), resident.queue.clone());
    let sorter = match Sorter::<K>::tuned(host, count as u64, payload, false, tuning) {
        Ok(sorter) => sorter.key_bits(bits),
        Err(error) => return println!("{name}: not here, {error}"),
    };
    let places: Vec<u32> = if payload { (0..count as u32).collect() } else { Vec::new() };
    let unsorted: Vec<_> = [keys, &places].into_iter().filter(|words| !words.is_empty()).collect();
    let from: Vec<_> = unsorted.iter().map(|words| resident.upload(words)).collect();
    let into: Vec<_> = unsorted.iter().map(|words| resident.buffer(words.len())).collect();
    let copy = |commands: &mut CommandEncoder| {
        for (from, into) in from.iter().zip(&into) {
            commands.copy_buffer_to_buffer(from, 0, into, 0, from.size());
        }
    };
    let (mut sorting, mut copying) = (Duration::MAX, Duration::MAX);
    for time in 0..=TIMES {
        let copied = resident.time(copy);
        let sorted = resident.time(|commands| {
            let length = Length::Keys(count as u64);
            sorter.record(commands, &into[0], into.get(1), length).unwrap_or_else(|error| panic!("{error}"));
        });
        if time > 0 {
            (sorting, copying) = (sorting.min(sorted), copying.min(copied));
        }
    }
    let found: Vec<_> = into.iter().map(|buffer| resident.read(buffer)).collect();
    let right = is_right::<K>(keys, &found, bits);
    // A round reads keys twice and payload once, and writes each once.
    let words: usize = unsorted.iter().map(|words| words.len()).sum();
    let rounds = f64::from(bits.div_ceil(8));
    let moved = 4.0 * rounds * (2 * words + keys.len()) as f64;
    let (rate, moved_rate) = (count as f64 / sorting.as_secs_f64(), moved / sorting.as_secs_f64());
    let copy_rate = 8.0 * words as f64 / copying.as_secs_f64();
    let share = moved_rate / copy_rate;
    let verdict = if right { "right" } else { "WRONG" };
    println!(
        "{name}: {:.2} ms, {:.1} Mkey/s, {:.1} GB/s, {:.1} % of a copy's {:.1} GB/s; {verdict}",
        millis(sorting),
        rate / 1e6,
        moved_rate / 1e9,
        100.0 * share,
        copy_rate / 1e9,
    );
    bench.require(right);
    bench.keep(json!({
        "case": name, "seconds": sorting.as_secs_f64(), "keys_per_second": rate, "bytes_per_second": moved_rate,
        "copy_bytes_per_second": copy_rate, "share_of_copy": share, "right": right,
    }));
}

/// Whether these are the keys in a stable order: with a payload, which has come from 0 on, it is proven by each key's place; else by
/// another sort.
fn is_right<K: Key>(keys: &[u32], found: &[Vec<u32>], bits: u32) -> bool {
    let wide = |words: &[u32], place: usize| match K::BITS {
        32 => u64::from(words[place]),
        _ => u64::from(words[2 * place]) | (u64::from(words[2 * place + 1]) << 32),
    };
    let mask = if bits >= 64 { u64::MAX } else { (1 << bits) - 1 };
    let count = keys.len() / (K::BITS / 32) as usize;
    let sorted = &found[0];
    match found.get(1) {
        Some(places) => {
            let at = |place: usize| (wide(sorted, place) & mask, places[place]);
            let ordered = (1..count).into_par_iter().all(|place| at(place - 1) < at(place));
            let same = |place: usize| {
                places[place] < count as u32 && wide(sorted, place) == wide(keys, places[place] as usize)
            };
            ordered && (0..count).into_par_iter().all(same)
        }
        None => {
            let mut expected: Vec<_> = (0..count).into_par_iter().map(|place| wide(keys, place)).collect();
            expected.par_sort_unstable();
            expected.par_iter().enumerate().all(|(place, &key)| wide(sorted, place) == key)
        }
    }
}

/// A device and what lies on it.
struct Resident {
    adapter: Adapter,
    device: Device,
    queue: Queue,
}

impl Resident {
    fn open(name: &str) -> Option<Self> {
        let backends = Backends::VULKAN | Backends::METAL | Backends::DX12;
        let instance =
            Instance::new(InstanceDescriptor { backends, ..InstanceDescriptor::new_without_display_handle() });
        let adapters = pollster::block_on(instance.enumerate_adapters(Backends::all()));
        let adapter = adapters.into_iter().find(|adapter| adapter.get_info().name == name)?;
        let descriptor = DeviceDescriptor {
            required_features: adapter.features() & (Features::SUBGROUP | Features::IMMEDIATES),
            required_limits: adapter.limits(),
            ..Default::default()
        };
        let (device, queue) = pollster::block_on(adapter.request_device(&descriptor)).expect("the device is made");
        Some(Self { adapter, device, queue })
    }

    fn buffer(&self, words: usize) -> Buffer {
        let usage = BufferUsages::STORAGE | BufferUsages::COPY_SRC | BufferUsages::COPY_DST;
        let size = 4 * words as u64;
        self.device.create_buffer(&BufferDescriptor { label: None, size, usage, mapped_at_creation: false })
    }

    fn upload(&self, words: &[u32]) -> Buffer {
        let buffer = self.buffer(words.len());
        for (place, part) in words.chunks(PART).enumerate() {
            let bytes: Vec<u8> = part.iter().flat_map(|word| word.to_le_bytes()).collect();
            self.queue.write_buffer(&buffer, (4 * place * PART) as u64, &bytes);
            self.queue.submit([]);
            self.wait();
        }
        buffer
    }

    fn read(&self, buffer: &Buffer) -> Vec<u32> {
        let usage = BufferUsages::COPY_DST | BufferUsages::MAP_READ;
        let descriptor = BufferDescriptor { label: None, size: 4 * PART as u64, usage, mapped_at_creation: false };
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
                let word = |bytes: &[u8]| u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
                words.extend(view.chunks_exact(4).map(word));
            }
            staging.unmap();
        }
        words
    }

    /// From submission to end.
    fn time(&self, record: impl FnOnce(&mut CommandEncoder)) -> Duration {
        let mut commands = self.device.create_command_encoder(&Default::default());
        record(&mut commands);
        let commands = commands.finish();
        let started = Instant::now();
        self.queue.submit([commands]);
        self.wait();
        started.elapsed()
    }

    fn wait(&self) {
        self.device.poll(PollType::wait_indefinitely()).expect("the device is there");
    }
}

/// Words that are uploaded or read at a time.
const PART: usize = 1 << 24;
