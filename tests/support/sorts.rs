//! Keys of all kinds, and comparison of sorts with the reference.

use swath::Engine;
use swath::sort::{Key, RadixSort};
use swath::unstable::sort::{SortTuning, reference};

use super::inputs::Random;

/// Kinds of keys, for both key types.
pub const KINDS: [&str; 6] = [
    "random",
    "all equal",
    "sorted",
    "reversed",
    "few distinct",
    "one byte differs",
];

pub fn wide_keys(kind: &str, count: usize) -> Vec<u64> {
    let mut random = Random::new(count as u64 + 1);
    let mut number = move || (random.below(1 << 32) << 32) | random.below(1 << 32);
    let key = |place: usize| match kind {
        "random" => number(),
        "all equal" => 0xffff_ffff_ffff_fffe,
        "sorted" => place as u64 * 0x1_0000_0101,
        "reversed" => u64::MAX - place as u64 * 0x1_0000_0101,
        "few distinct" => [u64::MAX, 0, 1 << 40, 77][(number() % 4) as usize],
        "one byte differs" => 0x1234_5678_0000_9abc | ((number() & 0xff) << 16),
        _ => unreachable!("a kind is missing"),
    };
    (0..count).map(key).collect()
}

pub fn narrow_keys(kind: &str, count: usize) -> Vec<u32> {
    wide_keys(kind, count)
        .into_iter()
        .map(|key| (key ^ (key >> 32)) as u32)
        .collect()
}

/// Requires the reference's order, of keys alone and of pairs.
#[track_caller]
pub fn assert_sorts<K: Key>(
    engine: &Engine,
    keys: &[K],
    bits: u32,
    tuning: SortTuning,
    what: &str,
) {
    let places: Vec<u32> = (0..keys.len() as u32)
        .map(|place| place ^ 0x5555_0000)
        .collect();
    let mask = if bits >= 64 {
        u64::MAX
    } else {
        (1 << bits) - 1
    };
    let (expected, expected_payload) = reference::sort(keys, &places, mask);
    let shown = || {
        format!(
            "{what}, {} keys of {} bits, {bits} of them, {tuning:?}",
            keys.len(),
            K::BITS
        )
    };
    for payload in [None, Some(&places[..])] {
        let task = RadixSort::of(keys).key_bits(bits).with_tuning(tuning);
        let task = payload.map_or(task.clone(), |payload| task.with_payload(payload));
        let report = engine
            .run(&task)
            .unwrap_or_else(|error| panic!("{error}: {}", shown()));
        assert!(report.keys == expected, "keys: {}", shown());
        let expected: &[u32] = if payload.is_some() {
            &expected_payload
        } else {
            &[]
        };
        assert!(report.payload == expected, "payload: {}", shown());
    }
}
