//! Prints the longest passage common to several files: `cargo run --example substring -- A B
//! [C...]`.

use swath::{Engine, Options, Substring};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut texts = std::env::args()
        .skip(1)
        .map(std::fs::read)
        .collect::<Result<Vec<_>, _>>()?;
    if texts.is_empty() {
        texts = vec![
            b"nematode knowledge".to_vec(),
            b"the nematodes".to_vec(),
            b"my nematode".to_vec(),
        ];
    }
    print_longest(&texts)?;
    Ok(())
}

/// Prints every longest common substring with its positions; returns its length.
fn print_longest(texts: &[Vec<u8>]) -> swath::Result<usize> {
    let engine = Engine::new(Options::default())?;
    let report = engine.run(&Substring::of_many(texts.iter().map(|text| &text[..])))?;
    for substring in &report.substrings {
        for place in &substring.places {
            let text = &texts[place.input][place.start..place.start + report.length];
            println!(
                "{} {:>8}  {}",
                place.input,
                place.start,
                String::from_utf8_lossy(text)
            );
        }
    }
    println!(
        "{} symbols, by {} on {}",
        report.length, report.run.method, report.run.device
    );
    Ok(report.length)
}

#[test]
fn the_word_that_phrases_share_is_printed() {
    let texts =
        ["nematode knowledge", "the nematodes", "my nematode"].map(|text| text.as_bytes().to_vec());
    assert_eq!(print_longest(&texts).unwrap(), "nematode".len());
}
