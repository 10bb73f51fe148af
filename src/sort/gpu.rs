//! Sort of host arrays on a device.

use std::collections::VecDeque;

use super::Key;
use super::key::{digits, words_of};
use super::shape::SortTuning;
use super::sizes::{KeyArrays, SortSizes};
use crate::backend::{RoundResult, Session, Span, UploadSource};
use crate::call::phase::Phase;
use crate::engine::Device;
use crate::error::Result;
use crate::host::parallel::for_each_chunk_mut;
use crate::plan::{Buffer, BufferId, Contents, Plan};

/// A plan that sorts arrays, and the buffers of the result.
#[derive(Debug)]
pub struct SortPlan {
    pub plan: Plan,
    pub sorted: KeyArrays,
}

impl AsMut<Plan> for SortPlan {
    fn as_mut(&mut self) -> &mut Plan {
        &mut self.plan
    }
}

pub struct HostArrays<'a, K> {
    pub keys: &'a [K],
    pub payload: Option<&'a [u32]>,
}

/// First part of a buffer's key; the second is the index of its first element.
const KEYS: u64 = 0;
const PAYLOAD: u64 = 1;

impl<K: Key> UploadSource for HostArrays<'_, K> {
    fn write(&self, buffer: &Buffer, first: u64, words: &mut [u32]) {
        let Some(&[what, chunk]) = buffer.input.as_deref() else {
            return words.fill(0);
        };
        let of_key = if what == KEYS {
            u64::from(words_of::<K>())
        } else {
            1
        };
        let first = (chunk + first / of_key) as usize;
        let end = first + words.len() / of_key as usize;
        match (
            what,
            self.keys.get(first..end),
            self.payload.and_then(|payload| payload.get(first..end)),
        ) {
            (KEYS, Some(keys), _) => K::write_words(keys, words),
            (PAYLOAD, _, Some(payload)) => words.copy_from_slice(payload),
            // Buffers of empty arrays hold one element.
            _ => words.fill(0),
        }
    }
}

/// The plan for keys that differ in `bits` only; [`HostArrays`] streams the contents.
pub fn plan(sizes: &SortSizes, bits: u64) -> SortPlan {
    let mut plan = Plan::default();
    let unit = u64::from(sizes.sort.key_words);
    let contents = [&Contents::Streamed(unit), &Contents::Streamed(1)];
    let arrays = sizes.arrays(&mut plan, "unsorted", contents);
    for (what, buffers) in [(KEYS, &arrays.keys), (PAYLOAD, &arrays.payload)] {
        for (chunk, &buffer) in buffers.iter().enumerate() {
            plan.buffers[buffer].input = Some(vec![what, sizes.chunk(chunk).0]);
        }
    }
    let scratch = sizes.scratch(&mut plan);
    let length = plan.upload("length", vec![sizes.keys as u32]);
    let result_index = sizes.add_passes(&mut plan, [&arrays, &scratch], (length, 0), &digits(bits));
    SortPlan {
        plan,
        sorted: [arrays, scratch][result_index].clone(),
    }
}

pub async fn sort<K: Key>(
    device: &Device<'_>,
    arrays: &HostArrays<'_, K>,
    bits: u64,
    tuning: &SortTuning,
) -> Result<(Vec<K>, Vec<u32>)> {
    let caps = device.backend.capabilities();
    let HostArrays { keys, payload } = *arrays;
    let (count, has_payload) = (keys.len() as u64, payload.is_some());
    let sizes = SortSizes::new(words_of::<K>(), has_payload, count, caps, tuning)?;
    let measured = plan(&sizes, bits).plan;
    device.check_budget(measured.size_bytes())?;
    device.control.add_total(measured.cells());
    let session = device.open_session()?.streamed_from(arrays);
    let RoundResult {
        session, planned, ..
    } = session
        .run(&|_| plan(&sizes, bits), &|_| Vec::new())
        .await?;
    let mut sorted = vec![K::default(); keys.len()];
    let mut sorted_payload = vec![0; payload.map_or(0, <[u32]>::len)];
    let key_words = u64::from(words_of::<K>());
    let spans_of = |buffers: &[BufferId], words: u64| -> Vec<Span> {
        let of_chunk = |(chunk, &buffer): (usize, &BufferId)| {
            spans(buffer, sizes.chunk(chunk).1, words, caps.readback_bytes)
        };
        buffers.iter().enumerate().flat_map(of_chunk).collect()
    };
    read(
        &session,
        spans_of(&planned.sorted.keys, key_words),
        &mut sorted,
        key_words as usize,
        K::read_words,
    )
    .await?;
    let copy = |words: &[u32], payload: &mut [u32]| payload.copy_from_slice(words);
    read(
        &session,
        spans_of(&planned.sorted.payload, 1),
        &mut sorted_payload,
        1,
        copy,
    )
    .await?;
    device.phases.lap(Phase::Readback);
    Ok((sorted, sorted_payload))
}

/// Reads consecutive spans of elements of `words` words each. The next span is in flight while the
/// current one is copied.
pub(crate) async fn read<T: Send>(
    session: &Session<'_>,
    spans: Vec<Span>,
    mut into: &mut [T],
    words: usize,
    take: impl Fn(&[u32], &mut [T]) + Sync,
) -> Result<()> {
    let mut arriving = VecDeque::new();
    let mut rest = spans.into_iter();
    loop {
        if let Some(span) = rest.next() {
            arriving.push_back(session.read(&[span])?);
            if arriving.len() < 2 {
                continue;
            }
        }
        let Some(part) = arriving.pop_front() else {
            return Ok(());
        };
        let part = part.await?;
        let (now, later) = std::mem::take(&mut into).split_at_mut(part.words().len() / words);
        let copied = part.words();
        session.device.on_threads(|| {
            for_each_chunk_mut(now, COPIED, |task, now| {
                take(&copied[task * COPIED * words..][..now.len() * words], now);
            });
        });
        into = later;
    }
}

/// Elements copied per task.
const COPIED: usize = 1 << 16;

/// Splits a buffer into spans of whole elements within the device's readback limit.
pub(crate) fn spans(
    buffer: BufferId,
    numbers: u64,
    words: u64,
    readback_bytes: u64,
) -> impl Iterator<Item = Span> {
    let max = (readback_bytes / (4 * words)).max(1);
    let span = move |part: u64| {
        let first = part * max;
        Span {
            buffer,
            first: first * words,
            words: max.min(numbers - first) * words,
        }
    };
    (0..numbers.div_ceil(max)).map(span)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn readback_spans_hold_whole_numbers_within_the_device_limit() {
        for (numbers, words, readback_bytes) in [
            (0, 1, 64),
            (1, 2, 64),
            (16, 1, 64),
            (17, 1, 64),
            (25, 2, 67),
            (5, 2, 4),
            (3 << 20, 2, 4 << 20),
        ] {
            let (mut read, min) = (0, 4 * words);
            for span in spans(7, numbers, words, readback_bytes) {
                assert_eq!((span.buffer, span.first, span.words % words), (7, read, 0));
                assert!(
                    span.words > 0 && 4 * span.words <= readback_bytes.max(min),
                    "{span:?}"
                );
                read += span.words;
            }
            assert_eq!(read, numbers * words);
        }
    }

    #[cfg(feature = "gpu")]
    fn assert_cut<K: Key>(
        backend: &crate::backend::recording_backend::RecordingBackend,
        keys: &[K],
        tuning: &SortTuning,
    ) {
        let payload: Vec<u32> = (0..keys.len() as u32)
            .map(|place| place ^ 0x5555_0000)
            .collect();
        let arrays = HostArrays {
            keys,
            payload: Some(&payload),
        };
        let expected = crate::sort::reference::sort(keys, &payload, u64::MAX);
        let found =
            backend.whole_and_split(async |device| sort(device, &arrays, u64::MAX, tuning).await);
        for (found, slices) in found.iter().zip(["long", "short"]) {
            assert!(
                *found == expected,
                "{slices} slices, keys of {} bits, {tuning:?}",
                K::BITS
            );
        }
    }

    #[cfg(feature = "gpu")]
    #[test]
    fn sliced_sort_passes_equal_whole_ones() {
        let Some(backend) = crate::backend::recording_backend::RecordingBackend::open() else {
            return;
        };
        let (narrow, wide) = crate::sort::selftest::keys(5_003);
        // Small tiles make many workgroups, in one pass or several.
        let each_digit = SortTuning {
            counts_each_digit: true,
            steps: Some(2),
            ..SortTuning::default()
        };
        let in_chunks = SortTuning {
            chunk_keys: Some(2000),
            ..each_digit
        };
        let in_passes = SortTuning {
            pass_keys: Some(1500),
            ..each_digit
        };
        for tuning in [
            each_digit,
            in_chunks,
            in_passes,
            SortTuning {
                portable: true,
                ..each_digit
            },
        ] {
            assert_cut(&backend, &wide, &tuning);
            assert_cut(&backend, &narrow, &tuning);
        }
    }
}
