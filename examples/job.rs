//! A background job with progress, and one that is cancelled: `cargo run --release --example job`.

use std::thread::sleep;
use std::time::Duration;

use swath::{Engine, Error, Lcs, Options};

fn main() -> swath::Result<()> {
    let engine = Engine::new(Options::default())?;
    watched(&engine, 300_000)?;
    cancelled(&engine, 300_000);
    Ok(())
}

/// Pseudo-random letters with a long period, so that two strings share little.
fn letters(length: usize, mut state: u32) -> Vec<u8> {
    let mut letter = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        b"ACGT"[(state >> 30) as usize]
    };
    (0..length).map(|_| letter()).collect()
}

/// Waits for the length and prints progress. A job is also a future; an executor would await it.
fn watched(engine: &Engine, length: usize) -> swath::Result<u64> {
    let mut job = engine.start(Lcs::of(letters(length, 1), letters(length, 2)));
    loop {
        if let Some(report) = job.try_wait() {
            let report = report?;
            println!(
                "{} in {:?} on {}",
                report.length, report.run.elapsed, report.run.device
            );
            return Ok(report.length);
        }
        println!("{:3.0} %", 100.0 * job.progress().fraction);
        sleep(Duration::from_millis(20));
    }
}

/// A cancelled job ends within about a slice; dropping it does the same.
fn cancelled(engine: &Engine, length: usize) {
    let job = engine.start(Lcs::of(letters(length, 3), letters(length, 4)));
    job.cancel();
    match job.wait() {
        Err(Error::Cancelled) => println!("cancelled"),
        Err(error) => println!("{error}"),
        Ok(report) => println!("it had ended before: {}", report.length),
    }
}

#[test]
fn a_job_is_watched_to_its_end_and_another_one_cancelled() {
    let engine = Engine::new(Options::default()).unwrap();
    assert!((1000..2000).contains(&watched(&engine, 2000).unwrap()));
    cancelled(&engine, 2000);
}
