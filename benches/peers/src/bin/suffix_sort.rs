//! Suffix sorting on one thread, and on all for caps-sa: divsufsort, which swath uses, libsais and caps-sa.
//!
//!     cargo run --release --bin suffix_sort -- FASTA...
//!
//! Best of three, in milliseconds; the three orders are compared. caps-sa is left out of the repetitive text, which takes it
//! minutes.

use std::error::Error;
use std::time::Instant;

use libsais::SuffixArrayConstruction;

const ROUNDS: usize = 3;

fn main() -> Result<(), Box<dyn Error>> {
    let mut genomes = Vec::new();
    for path in std::env::args_os().skip(1) {
        let text = std::fs::read_to_string(path)?;
        let lines = text.lines().filter(|line| !line.starts_with('>'));
        genomes.extend(lines.flat_map(str::bytes));
    }
    let repetitive = random(1_000, 4).into_iter().cycle().take(2_000_000);
    for (name, text) in [
        ("the files", genomes),
        ("2,000 of 4 letters", random(2_000, 4)),
        ("100,000 of 4 letters", random(100_000, 4)),
        ("10 M of 4 letters", random(10_000_000, 4)),
        ("10 M of 26 letters", random(10_000_000, 26)),
        ("2 M of period 1,000", repetitive.collect()),
    ] {
        let (ours, order) = timed(|| {
            let mut order = vec![0; text.len()];
            divsufsort::sort_in_place(&text, &mut order);
            order
        });
        let (theirs, other) = timed(|| {
            let sort = SuffixArrayConstruction::for_text(&text).in_owned_buffer32();
            sort.single_threaded().run().map(|order| order.into_vec())
        });
        assert_eq!(order, other?, "{name}");
        let mut third = String::new();
        if !name.contains("period") {
            let (caps, other) = timed(|| caps_sa::build_in_memory::<u8, u32>(&text));
            assert!(
                order
                    .iter()
                    .zip(&other)
                    .all(|(&one, &two)| one as u32 == two),
                "{name}"
            );
            third = format!(", caps-sa {caps:.2}");
        }
        println!("{name}: divsufsort {ours:.2}, libsais {theirs:.2}{third} ms");
    }
    Ok(())
}

/// Least milliseconds, and the last answer.
fn timed<T>(sort: impl Fn() -> T) -> (f64, T) {
    let call = || {
        let start = Instant::now();
        let order = sort();
        (start.elapsed().as_secs_f64() * 1e3, order)
    };
    let (mut least, mut order) = call();
    for _ in 1..ROUNDS {
        let (time, again) = call();
        (least, order) = (least.min(time), again);
    }
    (least, order)
}

/// Letters of a xorshift generator with a fixed seed.
fn random(len: usize, letters: u64) -> Vec<u8> {
    let mut state: u64 = 0x2545_f491_4f6c_dd1d;
    let next = |_| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        b'A' + (state % letters) as u8
    };
    (0..len).map(next).collect()
}
