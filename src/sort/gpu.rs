//! Arrays of the host, sorted on a device.

use std::collections::VecDeque;

use super::Key;
use super::key::{digits, words_of};
use super::plan::{Arrays, Sizes};
use super::shape::Tuning;
use crate::backend::{Ran, Span};
use crate::engine::Device;
use crate::error::Result;
use crate::plan::{BufferId, Contents, Plan};

/// A plan that sorts arrays, and where they will lie.
#[derive(Debug)]
pub struct SortPlan {
    /// The plan.
    pub plan: Plan,
    /// The sorted arrays.
    pub sorted: Arrays,
}

impl AsMut<Plan> for SortPlan {
    fn as_mut(&mut self) -> &mut Plan {
        &mut self.plan
    }
}

/// The plan for these arrays, whose keys differ in these bits alone.
pub fn plan<K: Key>(sizes: &Sizes, keys: &[K], payload: Option<&[u32]>, bits: u64) -> SortPlan {
    let mut plan = Plan::default();
    let some = |words: Vec<u32>, least: u32| match words.is_empty() {
        true => Contents::Words(vec![0; least as usize]),
        false => Contents::Words(words),
    };
    let part = |first: u64, count: u64| first as usize..(first + count) as usize;
    let arrays = sizes.arrays(
        &mut plan,
        "unsorted",
        |first, count| some(K::to_words(&keys[part(first, count)]), words_of::<K>()),
        |first, count| some(payload.unwrap_or_default()[part(first, count)].to_vec(), 1),
    );
    let scratch = sizes.scratch(&mut plan);
    let length = plan.upload("length", vec![keys.len() as u32]);
    let lies_in = sizes.add_passes(&mut plan, [&arrays, &scratch], (length, 0), &digits(bits));
    SortPlan { plan, sorted: [arrays, scratch][lies_in].clone() }
}

/// The sorted keys and their payload; keys differ in these bits alone.
pub async fn sort<K: Key>(
    device: &Device<'_>,
    keys: &[K],
    payload: Option<&[u32]>,
    bits: u64,
    tuning: &Tuning,
) -> Result<(Vec<K>, Vec<u32>)> {
    let caps = device.backend.capabilities();
    let sizes = Sizes::new(words_of::<K>(), payload.is_some(), keys.len() as u64, caps, tuning)?;
    // The same plan without its words: memory and progress are known before any is copied.
    let measured = measure(&sizes, bits);
    device.check_budget(measured.size_bytes())?;
    device.control.expect(measured.cells());
    let make = || plan(&sizes, keys, payload, bits);
    let Ran { session, made, .. } = device.run(&make, &|_| Vec::new()).await?;
    let (mut sorted, mut sorted_payload) = (Vec::with_capacity(keys.len()), Vec::new());
    let mut read = Vec::new();
    let key_words = u64::from(words_of::<K>());
    for (chunk, &buffer) in made.sorted.keys.iter().enumerate() {
        read.extend(spans(buffer, sizes.chunk(chunk).1 * key_words).map(|span| (span, true)));
    }
    for (chunk, &buffer) in made.sorted.payload.iter().enumerate() {
        read.extend(spans(buffer, sizes.chunk(chunk).1).map(|span| (span, false)));
    }
    // One part arrives while the one before is taken.
    let mut arriving = VecDeque::new();
    let mut rest = read.into_iter();
    loop {
        if let Some((span, are_keys)) = rest.next() {
            arriving.push_back((session.read(&[span])?, are_keys));
            if arriving.len() < 2 {
                continue;
            }
        }
        let Some((part, are_keys)) = arriving.pop_front() else { break };
        let part = part.await?;
        match are_keys {
            true => K::add_from_words(part.words(), &mut sorted),
            false => sorted_payload.extend_from_slice(part.words()),
        }
    }
    device.phases.lap("readback");
    Ok((sorted, sorted_payload))
}

/// The plan without the words of its arrays.
pub fn measure(sizes: &Sizes, bits: u64) -> Plan {
    let mut plan = Plan::default();
    let [arrays, scratch] = [sizes.scratch(&mut plan), sizes.scratch(&mut plan)];
    let length = plan.buffer("length", 1, Contents::Unspecified);
    sizes.add_passes(&mut plan, [&arrays, &scratch], (length, 0), &digits(bits));
    plan
}

/// Words that are read back at a time: a staging buffer of them is one that every device has.
const READ_WORDS: u64 = 1 << 24;

/// The words of a buffer, part by part.
fn spans(buffer: BufferId, words: u64) -> impl Iterator<Item = Span> {
    let span = move |part: u64| {
        let first = part * READ_WORDS;
        Span { buffer, first, words: READ_WORDS.min(words - first) }
    };
    (0..words.div_ceil(READ_WORDS)).map(span)
}
