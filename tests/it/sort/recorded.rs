//! Sorts recorded by an application into its own commands, over its own buffers.

use std::sync::mpsc::channel;

use support::application::{Application, adapter};
use support::inputs::Random;
use swath::sort::{Key, Length, Sorter};
use swath::unstable::sort::{SortTuning, reference};
use swath::wgpu::{
    Buffer, BufferDescriptor, BufferUsages, CommandEncoder, DeviceDescriptor, Features, MapMode,
    PollType,
};
use swath::{Error, HostDevice};

/// Devices without any feature, and with all features of the adapter.
fn applications() -> Vec<Application> {
    let Some(adapter) = adapter() else {
        return Vec::new();
    };
    let wanted = Features::IMMEDIATES | Features::SUBGROUP;
    let descriptor = DeviceDescriptor {
        required_features: adapter.features() & wanted,
        required_limits: adapter.limits(),
        ..Default::default()
    };
    [Application::plain(), Application::with(&descriptor)]
        .into_iter()
        .flatten()
        .collect()
}

fn host(application: &Application) -> HostDevice {
    let adapter = adapter().expect("the device has come from it");
    HostDevice::new(
        adapter,
        application.device.clone(),
        application.queue.clone(),
    )
}

fn sorter<K: Key>(
    application: &Application,
    max: u64,
    payload: bool,
    chunk_keys: Option<u64>,
) -> Sorter<K> {
    let mut tuning = SortTuning::default();
    tuning.chunk_keys = chunk_keys;
    Sorter::tuned(host(application), max, payload, true, tuning).expect("the device is enough")
}

fn buffer(application: &Application, words: &[u32], usage: BufferUsages) -> Buffer {
    let size = 4 * words.len().max(1) as u64;
    let usage = usage | BufferUsages::COPY_DST | BufferUsages::COPY_SRC;
    let descriptor = BufferDescriptor {
        label: None,
        size,
        usage,
        mapped_at_creation: false,
    };
    let made = application.device.create_buffer(&descriptor);
    application.queue.write_buffer(&made, 0, &bytes(words));
    made
}

fn bytes(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

/// Reads a buffer back after all submissions.
fn read(application: &Application, buffer: &Buffer) -> Vec<u32> {
    let usage = BufferUsages::COPY_DST | BufferUsages::MAP_READ;
    let descriptor = BufferDescriptor {
        label: None,
        size: buffer.size(),
        usage,
        mapped_at_creation: false,
    };
    let staging = application.device.create_buffer(&descriptor);
    let mut commands = encoder(application);
    commands.copy_buffer_to_buffer(buffer, 0, &staging, 0, buffer.size());
    application.queue.submit([commands.finish()]);
    let (sender, receiver) = channel();
    staging.map_async(MapMode::Read, .., move |mapped| {
        sender.send(mapped).expect("somebody waits")
    });
    application
        .device
        .poll(PollType::wait_indefinitely())
        .expect("the device is there");
    receiver.recv().expect("it comes").expect("it is mapped");
    let view = staging.get_mapped_range(..).expect("it is mapped");
    view.chunks_exact(4)
        .map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]]))
        .collect()
}

fn encoder(application: &Application) -> CommandEncoder {
    let device = &application.device;
    device.create_command_encoder(&Default::default())
}

fn random_words(count: usize, seed: u64) -> Vec<u32> {
    let mut random = Random::new(seed);
    (0..count).map(|_| random.below(1 << 32) as u32).collect()
}

fn wide(words: &[u32]) -> Vec<u64> {
    words
        .chunks_exact(2)
        .map(|words| u64::from(words[0]) | (u64::from(words[1]) << 32))
        .collect()
}

/// Sorts the first keys of arrays in an application's encoder; requires the reference's order and
/// no changes after them.
#[track_caller]
fn assert_records(
    application: &Application,
    count: usize,
    bits: u32,
    on_device: bool,
    chunk_keys: Option<u64>,
) {
    let max = 20_000;
    let (words, payload) = (random_words(2 * max, 5), random_words(max, 6));
    let sorter = sorter::<u64>(application, max as u64, true, chunk_keys).key_bits(bits);
    let keys_buffer = buffer(application, &words, BufferUsages::STORAGE);
    let payload_buffer = buffer(application, &payload, BufferUsages::STORAGE);
    // After other words of the application.
    let mut lengths = vec![7; 100];
    lengths[70] = count as u32;
    let lengths = buffer(application, &lengths, BufferUsages::STORAGE);
    let length = match on_device {
        true => Length::OnDevice {
            buffer: &lengths,
            offset_bytes: 280,
        },
        false => Length::Keys(count as u64),
    };
    let mut commands = encoder(application);
    sorter
        .record(&mut commands, &keys_buffer, Some(&payload_buffer), length)
        .expect("it is recorded");
    application.queue.submit([commands.finish()]);
    let count = count.min(max);
    let mask = if bits >= 64 {
        u64::MAX
    } else {
        (1 << bits) - 1
    };
    let keys = wide(&words);
    let (mut expected, mut expected_payload) =
        reference::sort(&keys[..count], &payload[..count], mask);
    expected.extend(&keys[count..]);
    expected_payload.extend(&payload[count..]);
    let shown = format!("{count} keys, {bits} bits, on the device {on_device}, {chunk_keys:?}");
    assert!(
        wide(&read(application, &keys_buffer)) == expected,
        "keys: {shown}"
    );
    assert!(
        read(application, &payload_buffer) == expected_payload,
        "payload: {shown}"
    );
    assert_eq!(
        (application.errors_heard(), application.losses_heard()),
        (0, 0)
    );
}

#[test]
fn pairs_are_sorted_in_place() {
    for application in applications() {
        for (count, bits) in [
            (20_000, 64),
            (12_345, 64),
            (1, 64),
            (0, 64),
            (20_000, 24),
            (9_999, 8),
            (50, 0),
        ] {
            assert_records(&application, count, bits, false, None);
        }
    }
}

#[test]
fn a_length_on_the_device_is_read_when_the_passes_run() {
    for application in applications() {
        // The last count exceeds the capacity.
        for count in [0, 1, 4_097, 19_999, 20_000, 4_000_000_000] {
            assert_records(&application, count, 40, true, None);
        }
    }
}

#[test]
fn arrays_longer_than_a_binding_are_sorted_in_chunks() {
    for application in applications() {
        for (count, on_device) in [
            (20_000, false),
            (20_000, true),
            (4_100, false),
            (11_111, true),
        ] {
            assert_records(&application, count, 24, on_device, Some(6_000));
        }
    }
}

#[test]
fn keys_alone_are_sorted_twice_in_one_encoder() {
    for application in applications() {
        let sorter = sorter::<u32>(&application, 10_000, false, None);
        let arrays = [1, 2].map(|seed| random_words(10_000, seed));
        let buffers = arrays
            .each_ref()
            .map(|words| buffer(&application, words, BufferUsages::STORAGE));
        let mut commands = encoder(&application);
        for (buffer, count) in buffers.iter().zip([10_000, 5_000]) {
            sorter
                .record(&mut commands, buffer, None, Length::Keys(count))
                .expect("it is recorded");
        }
        application.queue.submit([commands.finish()]);
        let [mut first, mut second] = arrays;
        first.sort_unstable();
        second[..5_000].sort_unstable();
        assert!(read(&application, &buffers[0]) == first);
        assert!(read(&application, &buffers[1]) == second);
    }
}

#[test]
fn unsuitable_buffers_are_refused_without_errors_to_the_application() {
    let Some(application) = Application::plain() else {
        return;
    };
    let pairs = sorter::<u64>(&application, 1_000, true, None);
    let storage = |words: usize| buffer(&application, &vec![0; words], BufferUsages::STORAGE);
    let (keys, payload, short) = (storage(2_000), storage(1_000), storage(999));
    let other = buffer(&application, &[0; 2_000], BufferUsages::UNIFORM);
    let all = Length::Keys(1_000);
    let mut commands = encoder(&application);
    let on_device = |buffer, offset_bytes| Length::OnDevice {
        buffer,
        offset_bytes,
    };
    let mut refused = |keys: &Buffer, payload: Option<&Buffer>, length: Length<'_>| {
        pairs
            .record(&mut commands, keys, payload, length)
            .expect_err("it cannot be sorted")
    };
    for (error, what) in [
        (refused(&payload, Some(&payload), all), "8000"),
        (refused(&keys, Some(&short), all), "3996"),
        (refused(&keys, None, all), "for pairs"),
        (refused(&keys, Some(&keys), all), "two are one"),
        (
            refused(&keys, Some(&payload), on_device(&keys, 0)),
            "two are one",
        ),
        (
            refused(&keys, Some(&payload), on_device(&payload, 0)),
            "two are one",
        ),
        (refused(&other, Some(&payload), all), "STORAGE"),
        (
            refused(&keys, Some(&payload), on_device(&short, 2)),
            "multiple of 4",
        ),
        (
            refused(&keys, Some(&payload), on_device(&short, 3_996)),
            "4000",
        ),
        (
            refused(&keys, Some(&payload), on_device(&short, u64::MAX - 3)),
            "multiple of 4",
        ),
    ] {
        assert!(
            matches!(&error, Error::InvalidBuffer { .. }) && error.to_string().contains(what),
            "{error}"
        );
    }
    assert!(matches!(
        refused(&keys, Some(&payload), Length::Keys(1_001)),
        Error::InputTooLong { .. }
    ));
    // The encoder remains usable.
    pairs
        .record(&mut commands, &keys, Some(&payload), all)
        .expect("it is recorded");
    application.queue.submit([commands.finish()]);
    assert_eq!(application.errors_heard(), 0);
}

#[test]
fn sorters_accept_any_capacity_or_name_the_limit() {
    for application in applications() {
        let empty = Sorter::<u64>::for_keys(host(&application), 0).expect("it sorts nothing");
        let pairs = Sorter::<u32>::for_pairs(host(&application), 0).expect("it sorts nothing");
        assert_eq!((empty.most_keys(), pairs.most_keys()), (0, 0));
        let words = random_words(4, 9);
        let [keys, payload] = [0, 1].map(|_| buffer(&application, &words, BufferUsages::STORAGE));
        let mut commands = encoder(&application);
        empty
            .record(&mut commands, &keys, None, Length::Keys(0))
            .expect("it is recorded");
        pairs
            .record(&mut commands, &keys, Some(&payload), Length::Keys(0))
            .expect("it is recorded");
        let refused = empty.record(&mut commands, &keys, None, Length::Keys(1));
        assert!(
            matches!(
                refused,
                Err(Error::InputTooLong {
                    actual: 1,
                    limit: 0,
                    ..
                })
            ),
            "{refused:?}"
        );
        application.queue.submit([commands.finish()]);
        assert!(read(&application, &keys) == words && read(&application, &payload) == words);
        for max in [(1 << 31) + 1, u64::MAX / 8, u64::MAX] {
            let refused = [
                Sorter::<u32>::for_keys(host(&application), max).err(),
                Sorter::<u64>::for_keys(host(&application), max).err(),
                Sorter::<u64>::for_pairs(host(&application), max).err(),
            ];
            for refused in refused {
                let is_told =
                    matches!(&refused, Some(Error::InputTooLong { actual, .. }) if *actual == max);
                assert!(is_told, "{max}: {refused:?}");
            }
        }
        let sorter = Sorter::<u64>::for_keys(host(&application), 4).expect("it is small");
        for keys_asked in [5, u64::MAX] {
            let mut commands = encoder(&application);
            let refused = sorter.record(&mut commands, &keys, None, Length::Keys(keys_asked));
            assert!(
                matches!(refused, Err(Error::InputTooLong { .. })),
                "{refused:?}"
            );
        }
        assert_eq!(
            (application.errors_heard(), application.losses_heard()),
            (0, 0)
        );
    }
}
