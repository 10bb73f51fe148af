//! Sorts device-resident pairs of 32-bit words with lampshade and swath in turns on one device;
//! every answer is checked.
//!
//! `cargo run --release --manifest-path benches/peers/Cargo.toml -- DEVICE [COUNT ...]`; DEVICE is
//! the full adapter name.

#[path = "../../support/resident.rs"]
mod resident;

use std::process::ExitCode;
use std::time::Duration;

use lampshade::KeyValueSoaSorter;
use resident::{Resident, is_right};
use swath::HostDevice;
use swath::sort::{Length, Sorter};
use swath::unstable::measure::inputs;
use swath::wgpu::Features;

/// Timed sorts, after one warm-up.
const TIMES: usize = 10;

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    let Some(resident) = arguments
        .next()
        .and_then(|name| Resident::open(&name, Features::SUBGROUP | Features::IMMEDIATES))
    else {
        eprintln!("name an adapter: `swath devices` lists them");
        return ExitCode::FAILURE;
    };
    let counts: Vec<usize> = arguments
        .map(|count| count.parse().expect("a count is a whole number"))
        .collect();
    let counts = if counts.is_empty() {
        vec![10_000_000, 100_000_000]
    } else {
        counts
    };
    let all_right = counts
        .into_iter()
        .map(|count| compare(&resident, count))
        .fold(true, |all, right| all && right);
    if all_right {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}

/// Times both sorts of `count` pairs; true if both results are right.
fn compare(resident: &Resident, count: usize) -> bool {
    let keys = inputs::words(count, 1);
    let places: Vec<u32> = (0..count as u32).collect();
    let from = [&keys, &places].map(|words| resident.upload(words));
    let into = [&keys, &places].map(|words| resident.buffer(words.len()));
    let host = HostDevice::new(
        &resident.adapter,
        resident.device.clone(),
        resident.queue.clone(),
    );
    let ours = Sorter::<u32>::for_pairs(host, count as u64).expect("the device is enough");
    let mut theirs = KeyValueSoaSorter::new(&resident.device, &resident.queue);
    theirs
        .prepare_sort(&into[0], &into[1], count as u32)
        .expect("the device is enough");
    let mut best = [Duration::MAX; 2];
    let mut right = [true; 2];
    for time in 0..=TIMES {
        for which in 0..2 {
            resident.time(|commands| {
                for (from, into) in from.iter().zip(&into) {
                    commands.copy_buffer_to_buffer(from, 0, into, 0, from.size());
                }
            });
            let took = resident.time(|commands| match which {
                0 => ours
                    .record(
                        commands,
                        &into[0],
                        Some(&into[1]),
                        Length::Keys(count as u64),
                    )
                    .unwrap_or_else(|error| panic!("{error}")),
                _ => theirs
                    .record_reserved_sort(commands, &into[0], &into[1], count as u32)
                    .unwrap_or_else(|error| panic!("{error:?}")),
            });
            if time == 0 {
                let found: Vec<_> = into.iter().map(|buffer| resident.read(buffer)).collect();
                right[which] = is_right::<u32>(&keys, &found, 32);
            } else {
                best[which] = best[which].min(took);
            }
        }
    }
    let [ours, theirs] = best.map(|time| time.as_secs_f64() * 1e3);
    let [our_verdict, their_verdict] = right.map(|right| if right { "right" } else { "WRONG" });
    println!(
        "{count} u32 pairs: swath {ours:.2} ms, {our_verdict}; lampshade {theirs:.2} ms, {their_verdict}; {:.2}x",
        theirs / ours
    );
    right == [true; 2]
}
