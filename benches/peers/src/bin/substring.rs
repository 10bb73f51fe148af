//! Longest common substring of two random texts: swath on two threads, libsais with an LCP array on
//! one.
//!
//! `cargo run --release --manifest-path benches/peers/Cargo.toml --bin substring -- [SYMBOLS ...]`

use std::process::ExitCode;
use std::time::Duration;

use libsais::SuffixArrayConstruction;
use swath::unstable::measure::inputs;
use swath::unstable::measure::timing::{Timed, once};
use swath::{Engine, Options, Substring};

/// Calls of each; the fastest counts.
const TIMES: usize = 5;
/// Threads of swath.
const THREADS: usize = 2;
/// Separator of the texts; occurs in neither.
const SEPARATOR: u8 = u8::MAX;

fn main() -> ExitCode {
    let counts: Vec<usize> = std::env::args()
        .skip(1)
        .map(|count| count.parse().expect("a count is a number"))
        .collect();
    let counts = if counts.is_empty() {
        vec![1_000_000, 5_000_000]
    } else {
        counts
    };
    let options = Options::new()
        .device("cpu".parse().expect("it is one"))
        .threads(THREADS);
    let engine = Engine::new(options).expect("the CPU is there");
    let mut all_right = true;
    for count in counts {
        let texts = [inputs::letters(count, 26, 1), inputs::letters(count, 26, 2)];
        let (ours, our_time) = best(|| {
            engine
                .run(&Substring::of(&texts[0], &texts[1]))
                .expect("it runs")
                .length
        });
        let (theirs, their_time) = best(|| by_suffixes(&texts));
        let verdict = if ours == theirs {
            "the same length"
        } else {
            "ANOTHER LENGTH"
        };
        all_right &= ours == theirs;
        let [our_ms, their_ms] = [our_time, their_time].map(|time| time.as_secs_f64() * 1e3);
        println!(
            "2 x {count} random A-Z: swath, {THREADS} threads, {our_ms:.0} ms; libsais and prefixes, one thread, {their_ms:.0} ms; \
             {:.2}x; {verdict}, {ours}",
            their_ms / our_ms
        );
    }
    if all_right {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}

/// Longest common prefix of neighbouring suffixes from different texts.
fn by_suffixes([a, b]: &[Vec<u8>; 2]) -> usize {
    let text = [&a[..], &[SEPARATOR], b].concat();
    let sorted = SuffixArrayConstruction::for_text(&text)
        .in_owned_buffer32()
        .single_threaded()
        .run();
    let permuted = sorted
        .expect("it is sorted")
        .plcp_construction()
        .single_threaded()
        .run();
    let shared = permuted
        .expect("there is room")
        .lcp_construction()
        .single_threaded()
        .run();
    let (suffixes, shared, ..) = shared.expect("there is room").into_parts();
    let of_first = |suffix: i32| (suffix as usize) < a.len();
    let pairs = suffixes.windows(2).zip(&shared[1..]);
    let both = pairs.filter(|(pair, _)| of_first(pair[0]) != of_first(pair[1]));
    both.map(|(_, &shared)| shared as usize).max().unwrap_or(0)
}

/// The answer, and the least time of some calls.
fn best<T: PartialEq>(mut run: impl FnMut() -> T) -> (T, Duration) {
    let calls: Vec<_> = (0..TIMES).map(|_| once(&mut run)).collect();
    let same = calls.windows(2).all(|two| two[0].answer == two[1].answer);
    assert!(same, "another answer");
    let time = calls.iter().map(Timed::best).min();
    let answer = calls.into_iter().map(|call| call.answer).last();
    answer.zip(time).expect("some calls")
}
