//! Symbols that match others: methods that take them.
//!
//! Their codes are sets, see [`Encoded`](super::codes::Encoded), of which the strip sweep makes the
//! match masks. Common affixes and the furthest-reaching points need no classes of equal symbols
//! either: neighbouring cells differ by at most one whatever matches. All other methods need such
//! classes.

use crate::engine::Engine;
use crate::engine::placement::AUTO;
use crate::error::{Error, Result};
use crate::sequences::codes::MAX_SETS;
use crate::sequences::request::{BIT_PARALLEL, REFERENCE, WAVEFRONT};

pub(super) fn too_many_sets(device: &str) -> Error {
    Error::MethodUnavailable {
        method: BIT_PARALLEL,
        device: device.to_string(),
        reason: format!(
            "symbols match others in more than {MAX_SETS} ways; choose the device 'cpu' or 'auto'"
        ),
    }
}

/// Checks that a method can match symbols that are not equal, on the named GPU if there is one.
pub(super) fn check(engine: &Engine, method: &'static str) -> Result<()> {
    match method {
        AUTO | BIT_PARALLEL | REFERENCE => Ok(()),
        WAVEFRONT => check_device(engine, WAVEFRONT),
        _ => Err(Error::MethodUnavailable {
            method,
            device: "symbols that match others".to_string(),
            reason: "it needs classes of equal symbols; take the method 'auto'".to_string(),
        }),
    }
}

/// Refuses a named GPU.
fn check_device(engine: &Engine, method: &'static str) -> Result<()> {
    if !engine.names_gpu()? {
        return Ok(());
    }
    Err(Error::MethodUnavailable {
        method,
        device: "a GPU with symbols that match others".to_string(),
        reason: "choose the device 'cpu' or 'auto'".to_string(),
    })
}

/// Checks that the CPU may match a query with the pieces of a text.
pub(crate) fn check_pieces(engine: &Engine, method: &'static str) -> Result<()> {
    check(engine, method)?;
    check_device(engine, BIT_PARALLEL)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::edit_distance::{self, Mode};
    use crate::matching::{Letter, Matching};
    use crate::sequences::bit_parallel::inputs::Random;
    use crate::{Edit, Lcs, lcs};

    const METHODS: [&str; 4] = ["auto", "bit-parallel", "wavefront", "reference"];

    fn random(random: &mut Random, len: usize, letters: &[u8]) -> Vec<u8> {
        (0..len)
            .map(|_| letters[random.below(letters.len())])
            .collect()
    }

    /// Pairs of letters of several lengths around limbs and strips, unrelated and similar.
    fn for_each(check: impl Fn(&[Letter], &[Letter])) {
        let mut rng = Random::new(91);
        let iupac = Matching::iupac();
        let chain = Matching::default()
            .equal(b'x', b'y')
            .and_then(|one| one.equal(b'y', b'z'))
            .expect("few");
        for (matching, letters) in [
            (&iupac, &b"ACGTNRYacgu"[..]),
            (&chain, b"xyzw"),
            // Too many letters for sets alone.
            (&chain, b"abcdefghijklmnopqrstuvwxyz"),
        ] {
            for (m, n) in [
                (0, 0),
                (0, 5),
                (1, 1),
                (63, 64),
                (65, 63),
                (130, 129),
                (300, 257),
                (700, 90),
            ] {
                for _ in 0..4 {
                    let a = random(&mut rng, m, letters);
                    let b = random(&mut rng, n, letters);
                    let mut similar = a.clone();
                    if m > 8 {
                        similar[m / 2] = b'N';
                        similar.remove(m / 3);
                        similar.insert(m / 4, letters[0]);
                    }
                    check(&matching.letters(&a), &matching.letters(&b));
                    check(&matching.letters(&a), &matching.letters(&similar));
                }
            }
        }
    }

    #[test]
    fn distances_and_alignments_are_those_of_the_plain_table() {
        let engine = Engine::cpu();
        for_each(|a, b| {
            let distance = Some(edit_distance::reference::distance(a, b, Mode::Global));
            let plain = Edit::of(a, b).method(edit_distance::Method::Reference);
            let plain = engine.run(&plain.path()).expect("small");
            for name in METHODS {
                let task = Edit::of(a, b).method(name.parse().expect("a name"));
                let found = engine.run(&task).expect("small");
                assert_eq!(found.distance.exactly(), distance, "{name}");
                let task = task.path();
                let path = engine.run(&task).expect("small");
                assert_eq!(path.distance.exactly(), distance, "{name}");
                assert_eq!(path.alignment, plain.alignment, "{name}");
                for gaps in edit_distance::Gaps::ALL {
                    let found = engine.run(&task.clone().gaps(gaps));
                    assert!(found.is_ok(), "{name} {gaps}");
                }
            }
        });
    }

    #[test]
    fn pieces_are_those_of_the_plain_table() {
        let engine = Engine::cpu();
        for_each(|a, b| {
            let a = &a[..a.len().min(40)];
            for mode in [Mode::Prefix, Mode::Infix] {
                if a.is_empty() && mode == Mode::Infix {
                    continue;
                }
                let (distance, ends) = edit_distance::reference::ends(a, b, mode);
                let task = Edit::of(a, b).mode(mode).starts().path();
                let found = engine.run(&task).expect("small");
                assert_eq!(found.distance.exactly(), Some(distance), "{mode}");
                let found_ends: Vec<_> = found.pieces.iter().map(|piece| piece.end).collect();
                assert_eq!(found_ends, ends, "{mode}");
                for piece in &found.pieces {
                    let start = match mode {
                        Mode::Infix => edit_distance::reference::start(a, b, piece.end, distance),
                        _ => 0,
                    };
                    assert_eq!(piece.start, Some(start), "{mode}");
                }
            }
        });
    }

    #[test]
    fn subsequences_are_those_of_the_plain_table() {
        let engine = Engine::cpu();
        for_each(|a, b| {
            let length = lcs::reference::length(a, b);
            let plain = Lcs::of(a, b).method(lcs::Method::Reference);
            let plain = engine.run(&plain.path()).expect("small");
            for name in METHODS {
                let task = Lcs::of(a, b).method(name.parse().expect("a name"));
                let found = engine.run(&task).expect("small");
                assert_eq!(found.length, length, "{name}");
                let path = engine.run(&task.path()).expect("small");
                assert_eq!(path.subsequence, plain.subsequence, "{name}");
            }
        });
    }

    #[test]
    fn paths_of_many_parts_and_strips_are_canonical() {
        let engine = Engine::cpu();
        let mut rng = Random::new(92);
        let iupac = Matching::iupac();
        let pair = Matching::default().equal(b'a', b'b').expect("few");
        let letters = b"abcdefghijkl";
        for (matching, of_a, of_b) in [
            (&iupac, &b"ACGTN"[..], &b"ACGTR"[..]),
            (&pair, &letters[..], &letters[1..]),
        ] {
            let a = matching.letters(&random(&mut rng, 20_000, of_a));
            let b = matching.letters(&random(&mut rng, 700, of_b));
            for (a, b) in [(&a, &b), (&b, &a)] {
                let run = |method| {
                    engine
                        .run(&Edit::of(a, b).method(method).path())
                        .expect("small")
                };
                let swept = run(edit_distance::Method::BitParallel);
                let plain = run(edit_distance::Method::Reference);
                assert_eq!(
                    (swept.distance, &swept.alignment),
                    (plain.distance, &plain.alignment)
                );
            }
        }
    }

    #[test]
    fn methods_with_classes_of_symbols_are_refused() {
        let letters = Matching::iupac().letters(b"ACGTN");
        for method in ["banded", "tiled", "anti-diagonal"] {
            let method = method.parse().expect("a name");
            let run = Engine::cpu().run(&Edit::of(&letters, &letters[1..]).method(method));
            assert!(matches!(run, Err(Error::MethodUnavailable { .. })));
        }
        let scs = Engine::cpu().run(&crate::Scs::of(&letters, &letters));
        assert!(matches!(scs, Err(Error::MethodUnavailable { .. })));
        let substring = Engine::cpu().run(&crate::Substring::of(&letters, &letters));
        assert!(matches!(substring, Err(Error::MethodUnavailable { .. })));
    }
}
