//! Prints what two files have in common: `cargo run --example lcs -- A B`.

use swath::{Engine, Lcs, Options};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut files = std::env::args().skip(1);
    let (a, b) = match (files.next(), files.next()) {
        (Some(a), Some(b)) => (std::fs::read(a)?, std::fs::read(b)?),
        _ => (b"nematode knowledge".to_vec(), b"empty bottle".to_vec()),
    };
    print_common(&a, &b)?;
    Ok(())
}

/// Prints every run of pairs; returns the number of paired symbols.
fn print_common(a: &[u8], b: &[u8]) -> swath::Result<u64> {
    let engine = Engine::new(Options::default())?;
    let report = engine.run(&Lcs::of(a, b).path())?;
    for block in report
        .subsequence
        .iter()
        .flat_map(|subsequence| subsequence.blocks())
    {
        let text = String::from_utf8_lossy(&a[block.a..block.a + block.len]);
        println!("{:>8} {:>8}  {text}", block.a, block.b);
    }
    println!(
        "{} of {} and {}, by {} on {}",
        report.length,
        a.len(),
        b.len(),
        report.run.method,
        report.run.device
    );
    Ok(report.length)
}

#[test]
fn the_pairs_of_two_phrases_are_printed() {
    assert_eq!(
        print_common(b"nematode knowledge", b"empty bottle").unwrap(),
        7
    );
}
