//! Finds a query in a target: `cargo run --example alignment -- ACGTTA GGACGTCAACGTACC`.

use swath::edit_distance::Gaps;
use swath::{Edit, Engine, Options};

fn main() -> swath::Result<()> {
    let mut words = std::env::args().skip(1);
    let query = words.next().unwrap_or("ACGTTA".to_string());
    let target = words.next().unwrap_or("GGACGTCAACGTACC".to_string());
    println!("{}", nearest(query.as_bytes(), target.as_bytes())?);
    Ok(())
}

/// Position, distance and CIGAR of the nearest piece that ends first.
fn nearest(query: &[u8], target: &[u8]) -> swath::Result<String> {
    let engine = Engine::new(Options::default())?;
    let report = engine.run(
        &Edit::of(query, target)
            .infix()
            .within(query.len() as u64)
            .gaps(Gaps::Left)
            .path(),
    )?;
    let (Some(distance), Some(alignment)) = (report.distance.exactly(), &report.alignment) else {
        return Ok("nothing is near".to_string());
    };
    Ok(format!(
        "{:?} at distance {distance}: {}",
        alignment.piece(),
        alignment.cigar()
    ))
}

#[test]
fn a_query_is_found_in_its_target() {
    assert_eq!(
        nearest(b"ACGT", b"TTACGTTT").unwrap(),
        "2..6 at distance 0: 4M"
    );
}
