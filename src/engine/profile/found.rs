//! What has been found out about the GPUs of this machine, in this process or by an earlier one: the user's cache folder keeps it.

use std::time::{SystemTime, UNIX_EPOCH};

use crate::host::cache::Cache;

/// Seconds of a GPU, each where it has been measured.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Found {
    /// To list the adapters of the machine, where the process has not done so before.
    pub listing: Option<f64>,
    /// To open a device that is listed.
    pub opening: Option<f64>,
    /// Of a call beside its passes.
    pub call: Option<f64>,
    /// How many times as long as expected its sweeps take.
    pub pace: Option<f64>,
}

/// The cache's folder.
const FOLDER: &str = "devices";
/// Seconds after which it is found out anew: a device may have been busy, or a driver's start slow.
const VALID_SECONDS: u64 = 7 * 24 * 3600;
/// What any of it can be.
const BELIEVED: std::ops::RangeInclusive<f64> = 0.0..=100.0;

impl Found {
    /// What an earlier process has kept of this device.
    pub fn kept(device: &str) -> Self {
        Cache::of_user(FOLDER).kept(&key(device)).and_then(|bytes| Self::read(&bytes, now())).unwrap_or_default()
    }

    /// Keeps for those to come what none of them knows, and times that are less than what they know.
    pub fn keep_what_is_new(&self, device: &str) {
        let kept = Self::kept(device);
        let all = self.lesser(kept);
        if all != kept {
            Cache::of_user(FOLDER).keep(&key(device), &all.written(now()));
        }
    }

    /// The lesser of both, of what is known: anything else has kept a device or a driver from its work.
    fn lesser(self, other: Self) -> Self {
        let lesser = |one: Option<f64>, other: Option<f64>| one.into_iter().chain(other).reduce(f64::min);
        Self {
            listing: lesser(self.listing, other.listing),
            opening: lesser(self.opening, other.opening),
            call: lesser(self.call, other.call),
            pace: lesser(self.pace, other.pace),
        }
    }

    fn written(&self, now: u64) -> Vec<u8> {
        let figures = [self.listing, self.opening, self.call, self.pace];
        let figures = figures.into_iter().flat_map(|figure| figure.unwrap_or(f64::NAN).to_le_bytes());
        now.to_le_bytes().into_iter().chain(figures).collect()
    }

    /// What was written, where that is not too long ago.
    fn read(bytes: &[u8], now: u64) -> Option<Self> {
        let (words, []) = bytes.as_chunks::<8>() else { return None };
        let [written, figures @ ..] = words else { return None };
        let age = now.checked_sub(u64::from_le_bytes(*written))?;
        let figures: [_; 4] = figures.try_into().ok().filter(|_| age < VALID_SECONDS)?;
        let figure = |bytes| Some(f64::from_le_bytes(bytes)).filter(|figure| BELIEVED.contains(figure));
        let [listing, opening, call, pace] = figures.map(figure);
        Some(Self { listing, opening, call, pace })
    }
}

/// Seconds since 1970.
fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs())
}

/// A device of this machine, as this version sees it: several machines may share the user's folder.
fn key(device: &str) -> String {
    let machine =
        std::fs::read_to_string("/proc/sys/kernel/hostname").ok().or_else(|| std::env::var("COMPUTERNAME").ok());
    format!("{device} of {:?}, {}", machine.unwrap_or_default().trim(), env!("CARGO_PKG_VERSION"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const SOME: Found = Found { listing: Some(0.1), opening: None, call: Some(3e-4), pace: Some(0.0) };

    #[test]
    fn what_is_written_is_read_back_for_a_week() {
        for age in [0, VALID_SECONDS - 1] {
            assert_eq!(Found::read(&SOME.written(1000), 1000 + age), Some(SOME));
        }
        assert_eq!(Found::read(&SOME.written(1000), 1000 + VALID_SECONDS), None);
        assert_eq!(Found::read(&SOME.written(1000), 999), None, "a clock that went back");
    }

    #[test]
    fn figures_that_nothing_can_have_are_not_believed() {
        for figure in [-1.0, f64::INFINITY, f64::NAN, 101.0] {
            let found = Found { pace: Some(figure), ..SOME };
            assert_eq!(Found::read(&found.written(0), 0), Some(Found { pace: None, ..SOME }));
        }
    }

    #[test]
    fn any_bytes_are_figures_that_can_be_or_none() {
        bolero::check!().with_type::<(Vec<u8>, u64)>().for_each(|(bytes, now)| {
            let Some(found) = Found::read(bytes, *now) else { return };
            let figures = [found.listing, found.opening, found.call, found.pace];
            assert!(bytes.len() == 40 && figures.into_iter().flatten().all(|figure| BELIEVED.contains(&figure)));
        });
    }

    #[test]
    fn the_lesser_counts_of_what_is_known() {
        let other = Found { listing: Some(9.0), opening: Some(0.2), call: Some(1e-4), pace: None };
        let lesser = Found { opening: Some(0.2), call: Some(1e-4), ..SOME };
        assert_eq!((SOME.lesser(other), other.lesser(SOME)), (lesser, lesser));
    }
}
