//! The sort task, and in-place functions.

use std::borrow::Cow;

use super::key::Key;
use super::shape::SortTuning;
use super::solve;
use super::sorted::Sorted;
use crate::call::control::Control;
use crate::engine::task::{Sealed, Task};
use crate::engine::{Engine, PlanSummary, Report, Run};
use crate::error::Result;

/// Task that sorts keys in ascending order, with their payload.
///
/// The sort is stable: equal keys keep their order, so that the answer is the same on every device.
/// A round sorts by eight bits; rounds are skipped if all keys are equal in their bits. A GPU sorts
/// at most 2^31 keys. No keys give an empty answer.
///
/// Cost: `keys * bits / 8` steps, and memory for two copies of the arrays.
///
/// # Errors
/// [`Error::LengthMismatch`](crate::Error::LengthMismatch) if keys and payload differ in length;
/// [`Error::InputTooLong`](crate::Error::InputTooLong) for too many keys.
///
/// ```
/// use swath::sort::RadixSort;
/// use swath::{Engine, Options};
///
/// let engine = Engine::new(Options::default())?;
/// let report = engine.run(&RadixSort::of(&[3u64, 1 << 40, 3, 0]).with_payload(&[0, 1, 2, 3]))?;
/// assert_eq!(report.keys, [0, 3, 3, 1 << 40]);
/// assert_eq!(report.payload, [3, 0, 2, 1]);
/// # Ok::<(), swath::Error>(())
/// ```
#[derive(Clone, Debug)]
#[must_use = "an engine runs it"]
pub struct RadixSort<'a, K: Key> {
    pub(super) keys: Cow<'a, [K]>,
    pub(super) payload: Option<Cow<'a, [u32]>>,
    pub(super) key_bits: u32,
    pub(super) tuning: SortTuning,
}

impl<'a, K: Key> RadixSort<'a, K> {
    /// Sorts these keys, borrowed or owned.
    pub fn of(keys: impl Into<Cow<'a, [K]>>) -> Self {
        Self {
            keys: keys.into(),
            payload: None,
            key_bits: K::BITS,
            tuning: SortTuning::default(),
        }
    }

    /// Payload: one word per key, moved along with it.
    pub fn with_payload(mut self, payload: impl Into<Cow<'a, [u32]>>) -> Self {
        self.payload = Some(payload.into());
        self
    }

    /// Sorts by the lowest `bits` bits only; keys that are equal in these keep their order. 0 keeps
    /// the order of all keys. Default, and maximum: all bits.
    pub fn key_bits(mut self, bits: u32) -> Self {
        self.key_bits = bits;
        self
    }

    #[doc(hidden)]
    pub fn with_tuning(mut self, tuning: SortTuning) -> Self {
        self.tuning = tuning;
        self
    }
}

impl<K: Key> Sealed for RadixSort<'_, K> {}

impl<K: Key> Task for RadixSort<'_, K> {
    type Answer = Sorted<K>;

    async fn solve(&self, engine: &Engine, control: &Control) -> Result<Report<Self::Answer>> {
        solve::solve(engine, self, control).await
    }

    fn decide(&self, engine: &Engine) -> Result<PlanSummary> {
        solve::plan(engine, self)
    }
}

/// Sorts keys in place, like [`RadixSort`]. After an error they are unchanged.
///
/// # Errors
/// As [`RadixSort`].
///
/// ```
/// use swath::{Engine, Options, sort};
///
/// let mut keys = [5u32, 1, 4];
/// sort::radix_sort(&Engine::new(Options::default())?, &mut keys)?;
/// assert_eq!(keys, [1, 4, 5]);
/// # Ok::<(), swath::Error>(())
/// ```
pub fn radix_sort<K: Key>(engine: &Engine, keys: &mut [K]) -> Result<Run> {
    let report = engine.run(&RadixSort::of(&*keys))?;
    keys.copy_from_slice(&report.answer.keys);
    Ok(report.run)
}

/// Sorts keys and their payload in place, like [`RadixSort`]. After an error they are unchanged.
///
/// # Errors
/// As [`RadixSort`].
///
/// ```
/// use swath::{Engine, Options, sort};
///
/// let (mut keys, mut payload) = ([5u32, 1, 5, 4], [0, 1, 2, 3]);
/// sort::radix_sort_pairs(&Engine::new(Options::default())?, &mut keys, &mut payload)?;
/// assert_eq!((keys, payload), ([1, 4, 5, 5], [1, 3, 0, 2]));
/// # Ok::<(), swath::Error>(())
/// ```
pub fn radix_sort_pairs<K: Key>(
    engine: &Engine,
    keys: &mut [K],
    payload: &mut [u32],
) -> Result<Run> {
    let report = engine.run(&RadixSort::of(&*keys).with_payload(&*payload))?;
    keys.copy_from_slice(&report.answer.keys);
    payload.copy_from_slice(&report.answer.payload);
    Ok(report.run)
}
