//! Timing of repeated calls, with statistics.

use std::time::Duration;

use crate::error::Result;
use crate::host::Instant;

/// Last answer and times of repeated calls.
#[derive(Debug)]
pub struct Timed<A> {
    pub answer: A,
    /// In call order, without the warm-up call, which builds pipelines and fills the buffer pool.
    times: Vec<Duration>,
}

impl<A> Timed<A> {
    /// Runs a warm-up call, which is not timed.
    ///
    /// # Errors
    /// Errors of the call.
    pub fn warmed(call: impl FnOnce() -> Result<A>) -> Result<Self> {
        Ok(Self {
            answer: call()?,
            times: Vec::new(),
        })
    }

    /// Runs and times one more call.
    ///
    /// # Errors
    /// Errors of the call.
    pub fn again(&mut self, call: impl FnOnce() -> Result<A>) -> Result<()> {
        let Timed { answer, times } = once(call);
        self.answer = answer?;
        self.times.extend(times);
        Ok(())
    }

    /// Adds a fixed overhead to every time.
    pub fn prolong(&mut self, by: Duration) {
        self.times.iter_mut().for_each(|time| *time += by);
    }

    pub fn times(&self) -> &[Duration] {
        &self.times
    }

    /// The shortest time; [`Duration::MAX`] before the first timed call.
    pub fn best(&self) -> Duration {
        shortest(&self.times)
    }
}

/// Runs and times one call.
pub fn once<A>(call: impl FnOnce() -> A) -> Timed<A> {
    let started = Instant::now();
    let answer = call();
    Timed {
        answer,
        times: vec![started.elapsed()],
    }
}

/// The shortest time; [`Duration::MAX`] if there is none.
pub fn shortest(times: &[Duration]) -> Duration {
    times.iter().copied().min().unwrap_or(Duration::MAX)
}

/// The median, by the mean of the middle two for an even count; `None` if empty.
pub fn median(values: &[f64]) -> Option<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    let (low, high) = (
        sorted.get(sorted.len().checked_sub(1)? / 2)?,
        sorted.get(sorted.len() / 2)?,
    );
    Some((low + high) / 2.0)
}

pub fn millis(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn median_is_the_middle_or_the_mean_of_the_middle_two() {
        assert_eq!(median(&[]), None);
        assert_eq!(median(&[3.0]), Some(3.0));
        assert_eq!(median(&[9.0, 1.0, 2.0]), Some(2.0));
        assert_eq!(median(&[4.0, 1.0, 9.0, 2.0]), Some(3.0));
    }

    #[test]
    fn warm_up_is_not_timed_and_the_last_answer_is_kept() {
        let mut calls = 0..;
        let mut call = || Ok(calls.next());
        let mut timed = Timed::warmed(&mut call).expect("it is called");
        assert_eq!((timed.times().len(), timed.best()), (0, Duration::MAX));
        for _ in 0..3 {
            timed.again(&mut call).expect("it is called");
        }
        assert_eq!((timed.times().len(), timed.answer), (3, Some(3)));
        assert_eq!(Some(timed.best()), timed.times().iter().copied().min());
    }
}
