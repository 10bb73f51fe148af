//! Searches patterns in random texts with sassy and swath in turns on one thread; all places are
//! compared.
//!
//! `RUSTFLAGS='-C target-cpu=native' cargo run --release --manifest-path benches/peers/Cargo.toml
//! --bin search [-- MILLIONS]`; MILLIONS of symbols are in the text.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use sassy::Searcher;
use sassy::profiles::Dna;
use swath::pairs::Strings;
use swath::unstable::measure::inputs;
use swath::{Engine, Options, Search};

/// Timed searches of each; the fastest counts.
const TIMES: usize = 3;
/// Length and bound of single patterns.
const SINGLE: [(usize, usize); 4] = [(20, 3), (32, 3), (100, 5), (1000, 50)];
/// Number, length and bound of patterns that are searched together, in reads of this length.
const BARCODES: (usize, usize, usize) = (96, 24, 4);
const READ: usize = 3000;

/// Pattern, text, end and cost of a place on the forward strand.
type Place = (usize, usize, usize, usize);

fn main() -> ExitCode {
    let millions = std::env::args().nth(1).map_or(100, |count| {
        count
            .parse()
            .expect("the size of the text is a whole number")
    });
    let text = dna(millions * 1_000_000, 1);
    let mut all_right = true;
    for (len, within) in SINGLE {
        let pattern = planted(&text, len, len);
        let texts = [&text[..]];
        all_right &= compare(&[pattern], &texts, within);
    }
    let (count, len, within) = BARCODES;
    let patterns: Vec<_> = (0..count)
        .map(|at| planted(&text, 1000 * at, len))
        .collect();
    let reads: Vec<_> = text.chunks(READ).collect();
    all_right &= compare(&patterns, &reads, within);
    if all_right {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}

fn dna(len: usize, seed: u32) -> Vec<u8> {
    let words = inputs::words(len.div_ceil(16), seed.into());
    let letters = words
        .iter()
        .flat_map(|word: &u32| (0..16).map(move |at| word >> (2 * at) & 3));
    letters
        .take(len)
        .map(|code| b"ACGT"[code as usize])
        .collect()
}

/// A pattern from the text.
fn planted(text: &[u8], from: usize, len: usize) -> Vec<u8> {
    text[from..from + len].to_vec()
}

/// Prints the times of both; true if the places are the same.
fn compare(patterns: &[Vec<u8>], texts: &[&[u8]], within: usize) -> bool {
    let engine = Engine::new(
        Options::new()
            .device("cpu".parse().expect("a device"))
            .threads(1),
    );
    let engine = engine.expect("the CPU is there");
    let lists = (Strings::from_slices(patterns), Strings::from_slices(texts));
    let search = Search::of(&lists.0, &lists.1).within(within as u64);
    let mut theirs = Searcher::<Dna>::new_fwd();
    let mut encoded = (patterns.len() > 1).then(|| theirs.encode_patterns(patterns));
    // Its traces of encoded patterns panic on some texts.
    let first = catch_unwind(AssertUnwindSafe(|| {
        if let Some(encoded) = &encoded {
            for text in texts {
                theirs.search_encoded_patterns(encoded, text, within);
            }
        }
    }));
    if first.is_err() {
        println!("sassy panics where patterns are encoded together; it searches them one by one");
        (encoded, theirs) = (None, Searcher::<Dna>::new_fwd());
    }
    let (mut times, mut places) = ([Duration::MAX; 2], [Vec::new(), Vec::new()]);
    for _ in 0..TIMES {
        let started = Instant::now();
        places[0].clear();
        for (text, symbols) in texts.iter().enumerate() {
            let found = match &encoded {
                Some(encoded) => theirs
                    .search_encoded_patterns(encoded, symbols, within)
                    .to_vec(),
                None => one_by_one(&mut theirs, patterns, symbols, within),
            };
            let place = |found: &sassy::Match| {
                (found.pattern_idx, text, found.text_end, found.cost as usize)
            };
            places[0].extend(found.iter().map(place));
        }
        times[0] = times[0].min(started.elapsed());
        let started = Instant::now();
        let found = engine.run(&search).expect("it fits").answer.places;
        times[1] = times[1].min(started.elapsed());
        places[1] = found.iter().map(place).collect();
    }
    places.iter_mut().for_each(|places| places.sort_unstable());
    let symbols: usize = texts.iter().map(|text| text.len()).sum();
    let rate = |time: Duration| (symbols * patterns.len()) as f64 / time.as_secs_f64() / 1e9;
    let [one, two] = times;
    println!(
        "{} patterns of {} within {within} in {} texts, {symbols} symbols: sassy {:.3} s, {:.2} G symbols/s; \
         swath {:.3} s, {:.2} G symbols/s; {:.2} times as fast; {} places{}",
        patterns.len(),
        patterns[0].len(),
        texts.len(),
        one.as_secs_f64(),
        rate(one),
        two.as_secs_f64(),
        rate(two),
        one.as_secs_f64() / two.as_secs_f64(),
        places[1].len(),
        if places[0] == places[1] {
            ""
        } else {
            ", DIFFERENT"
        }
    );
    places[0] == places[1]
}

/// The matches of each pattern, with its number.
fn one_by_one(
    searcher: &mut Searcher<Dna>,
    patterns: &[Vec<u8>],
    text: &[u8],
    within: usize,
) -> Vec<sassy::Match> {
    let mut all = Vec::new();
    for (number, pattern) in patterns.iter().enumerate() {
        let found = searcher.search(pattern, text, within).into_iter();
        all.extend(found.map(|mut found| {
            found.pattern_idx = number;
            found
        }));
    }
    all
}

fn place(found: &swath::search::Place) -> Place {
    let (pattern, text) = (found.pattern as usize, found.text as usize);
    (pattern, text, found.end as usize, found.cost as usize)
}
