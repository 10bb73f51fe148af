//! Measured throughput of this machine's GPUs, stored for a week in the user's cache folder.

use std::ops::RangeInclusive;
use std::time::{SystemTime, UNIX_EPOCH};

use super::gpu::SUBMISSION_SECONDS;
use crate::host::cache::Cache;

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Throughput {
    /// Fixed seconds of a call, besides its passes.
    pub overhead: f64,
    /// Measured over expected time of passes.
    pub pace: f64,
}

/// Values of the profile, for a device without measurements.
impl Default for Throughput {
    fn default() -> Self {
        Self {
            overhead: SUBMISSION_SECONDS,
            pace: 1.0,
        }
    }
}

impl Throughput {
    /// Values stored for this device by earlier processes.
    pub(crate) fn kept(device: &str) -> Option<Self> {
        parse(&cache().load(&key(device))?, now())
    }

    /// Stores the values for later processes.
    pub(crate) fn keep(self, device: &str) {
        cache().store(&key(device), &self.bytes(now()));
    }

    /// Stores the minimum of this pace and the stored one: a busy device seems slower, but none
    /// seems faster than it is.
    pub(crate) fn keep_fastest(self, device: &str) {
        self.fastest(Self::kept(device)).keep(device);
    }

    #[cfg(all(test, feature = "gpu"))]
    pub(crate) fn forget(device: &str) {
        cache().remove(&key(device));
    }

    fn fastest(self, kept: Option<Self>) -> Self {
        let pace = kept.map_or(self.pace, |kept| self.pace.min(kept.pace));
        Self {
            pace,
            ..kept.unwrap_or(self)
        }
    }

    fn bytes(self, now: u64) -> Vec<u8> {
        [
            now.to_le_bytes(),
            self.overhead.to_le_bytes(),
            self.pace.to_le_bytes(),
        ]
        .concat()
    }
}

/// Maximum age in seconds: the device may have been busy during the measurement.
const VALID_SECONDS: u64 = 7 * 24 * 3600;
/// Range of plausible values.
const BELIEVED: RangeInclusive<f64> = 1e-9..=100.0;

fn cache() -> Cache {
    Cache::for_user("devices")
}

/// Parses stored values that are plausible and recent.
fn parse(bytes: &[u8], now: u64) -> Option<Throughput> {
    let (&[written, overhead, pace], []) = bytes.as_chunks::<8>() else {
        return None;
    };
    let age = now.checked_sub(u64::from_le_bytes(written))?;
    let [overhead, pace] = [overhead, pace].map(f64::from_le_bytes);
    let is_valid = age < VALID_SECONDS && BELIEVED.contains(&overhead) && BELIEVED.contains(&pace);
    is_valid.then_some(Throughput { overhead, pace })
}

/// Seconds since 1970.
fn now() -> u64 {
    SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0, |since| since.as_secs())
}

/// Includes the host name: machines may share the user's folder.
fn key(device: &str) -> String {
    let machine = std::fs::read_to_string("/proc/sys/kernel/hostname")
        .ok()
        .or_else(|| std::env::var("COMPUTERNAME").ok());
    format!(
        "throughput of {device} of {:?}, {}",
        machine.unwrap_or_default().trim(),
        env!("CARGO_PKG_VERSION")
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    const SOME: Throughput = Throughput {
        overhead: 3e-4,
        pace: 0.5,
    };

    #[test]
    fn throughput_is_read_back_for_a_week() {
        for age in [0, VALID_SECONDS - 1] {
            assert_eq!(parse(&SOME.bytes(1000), 1000 + age), Some(SOME));
        }
        assert_eq!(parse(&SOME.bytes(1000), 1000 + VALID_SECONDS), None);
        assert_eq!(parse(&SOME.bytes(1000), 999), None, "the clock went back");
    }

    #[test]
    fn unbelievable_figures_are_not_read_back() {
        for figure in [-1.0, 0.0, f64::INFINITY, f64::NAN, 101.0] {
            let overhead = Throughput {
                overhead: figure,
                ..SOME
            };
            let pace = Throughput {
                pace: figure,
                ..SOME
            };
            for damaged in [overhead, pace] {
                assert_eq!(parse(&damaged.bytes(0), 0), None, "{damaged:?}");
            }
        }
    }

    #[test]
    fn any_bytes_parse_to_believable_figures_or_none() {
        bolero::check!()
            .with_type::<(Vec<u8>, u64)>()
            .for_each(|(bytes, now)| {
                if let Some(Throughput { overhead, pace }) = parse(bytes, *now) {
                    assert!(bytes.len() == 24);
                    assert!(BELIEVED.contains(&overhead) && BELIEVED.contains(&pace));
                }
            });
    }

    #[test]
    fn keep_fastest_stores_the_fastest_pace_and_keeps_the_overhead() {
        let noted = Throughput {
            pace: 16.0,
            ..Throughput::default()
        };
        assert_eq!(noted.fastest(None), noted);
        assert_eq!(noted.fastest(Some(SOME)), SOME);
        let faster = Throughput {
            pace: 0.25,
            ..noted
        };
        assert_eq!(
            faster.fastest(Some(SOME)),
            Throughput { pace: 0.25, ..SOME }
        );
    }
}
