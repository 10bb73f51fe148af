//! Searches on the device, against the CPU.

use support::inputs::Random;
use support::tier::combinations;
use swath::matching::Matching;
use swath::pairs::Strings;
use swath::search::{Choice, Exact, Strands};
use swath::{Engine, Search};

fn below(random: &mut Random, limit: usize) -> usize {
    random.below(limit as u64) as usize
}

/// A text with copies of the patterns, with about one edit in `every` symbols.
fn text(random: &mut Random, patterns: &[Vec<u8>], len: usize, every: usize) -> Vec<u8> {
    let letter = |random: &mut Random| b"ACGT"[below(random, 4)];
    let mut text = Vec::new();
    while text.len() < len {
        for _ in 0..below(random, 90) {
            text.push(letter(random));
        }
        for &symbol in &patterns[below(random, patterns.len())] {
            match below(random, 3 * every) {
                0 => {}
                1 => text.extend([letter(random), symbol]),
                2 => text.push(letter(random)),
                _ => text.push(symbol),
            }
        }
    }
    text
}

fn dna(random: &mut Random, len: usize) -> Vec<u8> {
    (0..len).map(|_| b"ACGT"[below(random, 4)]).collect()
}

/// Compares all places with those of the CPU. Returns their number.
fn assert_places(engine: &Engine, search: Search<'_>, what: &str) -> usize {
    let search = search.alignments();
    let expected = support::cpu().run(&search).expect("it fits").answer;
    let found = engine.run(&search).expect("it fits");
    assert_ne!(found.run.device, "cpu", "{what}");
    let differs = |(one, other): &(_, _)| one != other;
    let both = found.answer.places.iter().zip(&expected.places);
    assert!(
        found.answer == expected,
        "{what}: {:?}",
        both.clone().find(differs)
    );
    expected.places.len()
}

#[test]
fn places_on_the_device_are_those_of_the_cpu() {
    let Some(engine) = support::gpu() else { return };
    let random = &mut Random::new(61);
    // Lengths around those of one to eight limbs, and one that the CPU searches.
    let lens = [
        1, 2, 20, 30, 31, 32, 61, 62, 63, 124, 125, 247, 248, 249, 600,
    ];
    let mut patterns: Vec<_> = lens.iter().map(|&len| dna(random, len)).collect();
    patterns.push(b"A".repeat(40));
    let mut texts: Vec<_> = [0, 1, 5, 30, 2_000, 40_000]
        .into_iter()
        .map(|len| text(random, &patterns, len, 25))
        .collect();
    texts.push(Vec::new());
    texts.push(b"A".repeat(700));
    let (bounds, choices) = (
        [0, 1, 5, 19, 61],
        [Choice::Minima, Choice::Ends, Choice::Best],
    );
    for [within, choice, strands] in combinations([bounds.len(), choices.len(), 3]) {
        // Within great bounds every place is an end.
        let choice = if bounds[within] > 5 && choice == 1 {
            0
        } else {
            choice
        };
        let (within, choice) = (bounds[within], choices[choice]);
        let strands = [Strands::Forward, Strands::Reverse, Strands::Both][strands];
        let long = patterns.iter().filter(|pattern| pattern.len() > within);
        let long = Strings::from_slices(long.collect::<Vec<_>>());
        let texts = Strings::from_slices(&texts);
        let search = Search::of(&long, &texts).within(within as u64);
        let search = search.choice(choice).strands(strands);
        let what = format!("{within} {choice:?} {strands:?}");
        assert!(assert_places(engine, search, &what) > 0, "{what}");
    }
}

#[test]
fn options_mean_the_same_on_the_device() {
    let Some(engine) = support::gpu() else { return };
    let random = &mut Random::new(62);
    let patterns: Vec<_> = (0..40).map(|_| dna(random, 23)).collect();
    let text = text(random, &patterns, 60_000, 12);
    let mut ambiguous = text.clone();
    ambiguous
        .iter_mut()
        .step_by(17)
        .for_each(|symbol| *symbol = b'N');
    let mut codes = patterns.clone();
    codes.iter_mut().for_each(|pattern| pattern[4] = b'R');
    let (patterns, codes) = (
        Strings::from_slices(&patterns),
        Strings::from_slices(&codes),
    );
    let (texts, ambiguous) = (
        Strings::from_slices([&text]),
        Strings::from_slices([&ambiguous]),
    );
    let plain = || Search::of(&patterns, &texts).within(4).both_strands();
    let found = [
        assert_places(engine, plain().exact(Exact::Tail(3)), "a tail"),
        assert_places(engine, plain().exact(Exact::Head(5)), "a head"),
        assert_places(engine, plain().motif("NGG"), "a motif"),
        assert_places(engine, plain().max_gaps(0), "no gaps"),
        assert_places(
            engine,
            plain().max_substitutions(1).max_gaps(2),
            "two bounds",
        ),
        assert_places(engine, plain().overhang(500), "patterns that stick out"),
        assert_places(
            engine,
            Search::of(&codes, &ambiguous)
                .within(3)
                .both_strands()
                .matching(Matching::iupac()),
            "ambiguous letters",
        ),
    ];
    assert!(found.iter().all(|&found| found > 0), "{found:?}");
    // Many symbols.
    let bytes: Vec<u8> = (0..30_000).map(|_| below(random, 250) as u8).collect();
    let parts = (0..60).map(|part| &bytes[part * 400..][..20 + part]);
    let (patterns, texts) = (Strings::from_slices(parts), Strings::from_slices([&bytes]));
    let search = Search::of(&patterns, &texts).within(2);
    assert!(assert_places(engine, search, "many symbols") >= 60);
}

#[test]
fn more_ends_than_a_device_returns_are_found() {
    let Some(engine) = support::gpu() else { return };
    let text = b"A".repeat((1 << 22) + 1000);
    let (patterns, texts) = (
        Strings::from_slices(["AAAAAAAA"]),
        Strings::from_slices([&text]),
    );
    let search = Search::of(&patterns, &texts).within(1);
    let found = engine.run(&search).expect("it fits");
    assert_ne!(found.run.device, "cpu");
    let places = found.answer.places;
    assert_eq!(places.len(), 1);
    assert_eq!((places[0].end, places[0].cost), (text.len() as u64, 0));
}
