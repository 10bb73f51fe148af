//! What has been found out about the GPUs of this machine, in this process or by an earlier one: the user's cache folder keeps it.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use crate::backend::Interface;
use crate::host::cache::Cache;

/// Seconds until a GPU is open, each where it has been measured.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Start {
    /// To list the adapters of the machine, where the process has not done so before.
    pub listing: Option<f64>,
    /// To open a device that is listed.
    pub opening: Option<f64>,
}

/// How fast a GPU is that is open.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Speed {
    /// Seconds of a call beside its passes, where it has been measured.
    pub call: Option<f64>,
    /// How many times as long as expected its sweeps take.
    pub pace: f64,
}

/// What is known of a GPU.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Found {
    pub start: Start,
    pub speed: Option<Speed>,
}

impl Found {
    /// What earlier processes have kept of this device.
    pub(crate) fn kept(device: &str) -> Self {
        Self {
            start: Start::kept(device),
            speed: Speed::kept(device),
        }
    }
}

/// Whether this process has listed adapters before.
static LISTED: AtomicBool = AtomicBool::new(false);

impl Start {
    /// What it tells that adapters took so long to list: drivers start but once in a process, so that only the first time counts.
    pub(crate) fn listed(took: Duration) -> Self {
        let is_first = !LISTED.swap(true, Ordering::Relaxed);
        Self {
            listing: is_first.then_some(took.as_secs_f64()),
            opening: None,
        }
    }

    pub(crate) fn kept(device: &str) -> Self {
        let [listing, opening] = read(&key("start", device)).unwrap_or_default();
        Self { listing, opening }
    }

    /// What earlier processes have kept of the devices of an interface, whichever of them it was.
    pub(crate) fn kept_of(interface: Interface) -> Self {
        Self::kept(interface.name())
    }

    /// Keeps it, with the time that opening it took, as that of a device and of its interface.
    pub(crate) fn keep_opened(self, opening: Duration, device: &str, interface: Interface) {
        let opened = Self {
            opening: Some(opening.as_secs_f64()),
            ..self
        };
        opened.keep(device);
        opened.keep(interface.name());
    }

    /// Seconds until a device is open, where all of it has been measured.
    pub(crate) fn seconds(self) -> Option<f64> {
        Some(self.listing? + self.opening?)
    }

    /// Keeps it for processes to come, each figure as the geometric mean with what is kept: a start that was slow once, and one that
    /// another part of the process had made already, count for less with every one that was not.
    fn keep(self, device: &str) {
        let Self { listing, opening } = self.blended(Self::kept(device));
        write(&key("start", device), [listing, opening]);
    }

    fn blended(self, kept: Self) -> Self {
        let blended = |new: Option<f64>, kept: Option<f64>| match (new, kept) {
            (Some(new), Some(kept)) => Some((new * kept).sqrt()),
            (new, kept) => new.or(kept),
        };
        Self {
            listing: blended(self.listing, kept.listing),
            opening: blended(self.opening, kept.opening),
        }
    }
}

impl Speed {
    /// What earlier processes have kept of this device.
    pub(crate) fn kept(device: &str) -> Option<Self> {
        let [call, pace] = read(&key("speed", device))?;
        Some(Self { call, pace: pace? })
    }

    /// Keeps it for processes to come.
    pub(crate) fn keep(self, device: &str) {
        write(&key("speed", device), [self.call, Some(self.pace)]);
    }

    /// The same of a pace that one sweep has told, unless a faster one is kept: a device that was busy seemed slower, and none seems
    /// faster than it is.
    pub(crate) fn keep_noted(self, device: &str) {
        self.noted(Self::kept(device)).keep(device);
    }

    /// Keeps nothing of this device any more.
    #[cfg(all(test, feature = "gpu"))]
    pub(crate) fn forget(device: &str) {
        Cache::for_user(FOLDER).remove(&key("speed", device));
    }

    fn noted(self, kept: Option<Self>) -> Self {
        let Some(kept) = kept else { return self };
        Self {
            call: self.call.or(kept.call),
            pace: self.pace.min(kept.pace),
        }
    }
}

/// The cache's folder.
const FOLDER: &str = "devices";
/// Seconds after which it is found out anew: a device may have been busy.
const VALID_SECONDS: u64 = 7 * 24 * 3600;
/// What any of it can be.
const BELIEVED: std::ops::RangeInclusive<f64> = 1e-9..=100.0;

/// Two figures, each where it is known.
type Figures = [Option<f64>; 2];

fn read(key: &str) -> Option<Figures> {
    figures(&Cache::for_user(FOLDER).load(key)?, now())
}

fn write(key: &str, figures: Figures) {
    Cache::for_user(FOLDER).store(key, &bytes(figures, now()));
}

fn bytes(figures: Figures, now: u64) -> Vec<u8> {
    let figures = figures
        .into_iter()
        .flat_map(|figure| figure.unwrap_or(f64::NAN).to_le_bytes());
    now.to_le_bytes().into_iter().chain(figures).collect()
}

/// The figures that were written, where that is not too long ago.
fn figures(bytes: &[u8], now: u64) -> Option<Figures> {
    let (&[written, first, second], []) = bytes.as_chunks::<8>() else {
        return None;
    };
    let age = now.checked_sub(u64::from_le_bytes(written))?;
    let figure = |bytes| Some(f64::from_le_bytes(bytes)).filter(|figure| BELIEVED.contains(figure));
    (age < VALID_SECONDS).then(|| [first, second].map(figure))
}

/// Seconds since 1970.
fn now() -> u64 {
    SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0, |since| since.as_secs())
}

/// What is kept of a device of this machine, by this version: several machines may share the user's folder.
fn key(what: &str, device: &str) -> String {
    let machine = std::fs::read_to_string("/proc/sys/kernel/hostname")
        .ok()
        .or_else(|| std::env::var("COMPUTERNAME").ok());
    format!(
        "{what} of {device} of {:?}, {}",
        machine.unwrap_or_default().trim(),
        env!("CARGO_PKG_VERSION")
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_back_for_a_week() {
        for some in [
            [Some(0.1), None],
            [None, Some(3e-4)],
            [Some(64.0), Some(0.2)],
        ] {
            for age in [0, VALID_SECONDS - 1] {
                assert_eq!(figures(&bytes(some, 1000), 1000 + age), Some(some));
            }
            assert_eq!(figures(&bytes(some, 1000), 1000 + VALID_SECONDS), None);
            assert_eq!(
                figures(&bytes(some, 1000), 999),
                None,
                "a clock that went back"
            );
        }
    }

    #[test]
    fn figures_that_nothing_can_have_are_not_believed() {
        for figure in [-1.0, 0.0, f64::INFINITY, f64::NAN, 101.0] {
            assert_eq!(
                figures(&bytes([Some(figure), Some(1.0)], 0), 0),
                Some([None, Some(1.0)])
            );
        }
    }

    #[test]
    fn any_bytes_are_figures_that_can_be_or_none() {
        bolero::check!()
            .with_type::<(Vec<u8>, u64)>()
            .for_each(|(bytes, now)| {
                let Some(found) = figures(bytes, *now) else {
                    return;
                };
                assert!(
                    bytes.len() == 24
                        && found
                            .into_iter()
                            .flatten()
                            .all(|figure| BELIEVED.contains(&figure))
                );
            });
    }

    #[test]
    fn starts_that_were_slow_or_quick_once_count_for_less_and_less() {
        let start = |seconds| Start {
            listing: Some(seconds),
            opening: None,
        };
        for first in [0.001, 10.0] {
            let after = (0..10).fold(start(first), |kept, _| start(0.1).blended(kept));
            assert!(
                after
                    .listing
                    .is_some_and(|listing| (listing - 0.1).abs() < 0.01),
                "{after:?}"
            );
        }
        let opened = Start {
            listing: None,
            opening: Some(0.2),
        };
        assert_eq!(
            opened.blended(start(0.1)),
            Start {
                listing: Some(0.1),
                opening: Some(0.2)
            }
        );
        assert_eq!(opened.blended(Start::default()), opened);
    }

    #[test]
    fn the_fastest_pace_is_kept_and_a_call_that_was_measured_stays() {
        let noted = Speed {
            call: None,
            pace: 16.0,
        };
        assert_eq!(noted.noted(None), noted);
        let kept = Speed {
            call: Some(1e-3),
            pace: 1.0,
        };
        assert_eq!(noted.noted(Some(kept)), kept);
        assert_eq!(kept.noted(Some(noted)), kept);
        assert_eq!(
            Speed { pace: 0.5, ..noted }.noted(Some(kept)),
            Speed {
                call: Some(1e-3),
                pace: 0.5
            }
        );
    }
}
