//! Which interfaces a device is chosen from first: those whose devices open slowly have the faster kernels.

use super::found::Start;
use super::gpu::{
    GAIN_OF_SLOW_OPENING, LISTING_SECONDS, OPENING_SECONDS, SLOW_OPENING_SECONDS, WORTH_TRYING,
};
use crate::backend::Interface;

/// How soon a device is open, by the interfaces that are supposed to open slowly and by the others.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Starts {
    pub slow: Start,
    pub fast: Start,
}

/// Where a device is looked for first.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct First {
    /// Whether the interfaces that open slowly are asked last.
    pub slow_last: bool,
    /// Seconds until a device of the first ones is open.
    pub seconds: f64,
}

impl Starts {
    /// What earlier processes have kept.
    pub(crate) fn kept() -> Self {
        let of = |slowly| {
            let some = Interface::ALL
                .into_iter()
                .filter(|interface| interface.opens_slowly() == slowly);
            some.map(Start::kept_of)
                .find(|start| start.seconds().is_some())
                .unwrap_or_default()
        };
        Self {
            slow: of(true),
            fast: of(false),
        }
    }

    /// Where to look first for work that takes so many seconds on the CPU. Once the fast ones are known, the slow ones are tried by the
    /// first work that is long enough to bear it.
    pub(crate) fn first(self, elsewhere: f64) -> First {
        let supposed = LISTING_SECONDS + OPENING_SECONDS;
        let [slow, fast] = [
            (self.slow, supposed + SLOW_OPENING_SECONDS),
            (self.fast, supposed),
        ]
        .map(|(start, supposed)| start.seconds().unwrap_or(supposed));
        let is_news = self.slow.seconds().is_none() && self.fast.seconds().is_some();
        let is_tried = is_news && elsewhere > WORTH_TRYING * slow;
        let slow_last = !is_tried && slow - fast > elsewhere * GAIN_OF_SLOW_OPENING;
        First {
            slow_last,
            seconds: if slow_last { fast } else { slow },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn start(seconds: f64) -> Start {
        Start {
            listing: Some(seconds / 2.0),
            opening: Some(seconds / 2.0),
        }
    }

    fn is_slow_last(slow: Option<f64>, fast: Option<f64>, elsewhere: f64) -> bool {
        let [slow, fast] = [slow, fast].map(|seconds| seconds.map(start).unwrap_or_default());
        Starts { slow, fast }.first(elsewhere).slow_last
    }

    #[test]
    fn slow_ones_come_first_for_long_work_and_for_short_where_they_are_known_to_open_as_soon() {
        for (slow, fast) in [(None, None), (Some(0.30), Some(0.21)), (Some(0.3), None)] {
            assert!(
                is_slow_last(slow, fast, 1.0) && !is_slow_last(slow, fast, 11.0),
                "{slow:?}, {fast:?}"
            );
        }
        for elsewhere in [0.2, 1.0, 11.0] {
            assert!(!is_slow_last(Some(0.08), Some(0.15), elsewhere));
            assert!(is_slow_last(Some(2.0), Some(0.15), elsewhere));
        }
        assert!(
            is_slow_last(Some(0.17), Some(0.16), 1.0) && !is_slow_last(Some(0.17), Some(0.16), 2.0)
        );
    }

    #[test]
    fn slow_ones_are_tried_once_where_it_is_not_known_how_soon_they_open() {
        assert!(!is_slow_last(None, Some(0.15), 1.0));
        assert!(is_slow_last(None, Some(0.15), 0.5), "too short to try");
        assert!(is_slow_last(None, None, 1.0), "nothing is known");
    }

    #[test]
    fn the_time_is_that_of_the_first_ones() {
        let starts = Starts {
            slow: start(0.3),
            fast: start(0.1),
        };
        assert_eq!(
            starts.first(1.0),
            First {
                slow_last: true,
                seconds: 0.1
            }
        );
        assert_eq!(
            starts.first(100.0),
            First {
                slow_last: false,
                seconds: 0.3
            }
        );
        let half = Start {
            listing: None,
            opening: Some(0.01),
        };
        assert!(
            Starts {
                fast: half,
                ..starts
            }
            .first(1.0)
            .seconds
                > 0.2,
            "half a start tells nothing"
        );
    }
}
