//! Letters that match others, on a device and on the CPU, against the plain table.

use support::inputs::{Kind, Random};
use support::{assert_answer, gpu, tuned, tuning};
use swath::edit_distance::{Method, Mode};
use swath::matching::{Letter, Matching};
use swath::unstable::edit_distance::reference::distance;
use swath::unstable::kernels::bit_parallel::{CarryExchange, Matching as MaskSource};
use swath::unstable::lcs::reference::length;
use swath::{DeviceChoice, Edit, Engine, Error, Lcs, Options};

/// Ways of matching, each with letters that occur and with lengths of both sequences.
type Case = (Matching, &'static [u8], &'static [(usize, usize)]);

fn cases() -> [Case; 4] {
    let few = &[(31, 32), (497, 64)];
    let pairs = |pairs: &[[u8; 2]]| {
        pairs
            .iter()
            .try_fold(Matching::default(), |all, &[x, y]| all.equal(x, y))
            .expect("a few pairs")
    };
    [
        (
            Matching::iupac(),
            b"ACGTNRYacgu",
            &[
                (1, 1),
                (31, 32),
                (62, 63),
                (495, 33),
                (497, 64),
                (993, 331),
                (300, 1200),
            ],
        ),
        // Seven sets, six of them of one letter.
        (pairs(&[*b"xy"]), b"xyabcdef", &[(993, 331)]),
        // x matches y and y matches z, but x does not match z.
        (pairs(&[*b"xy", *b"yz"]), b"xyzw", few),
        (Matching::iupac(), b"N", few),
    ]
}

fn random(random: &mut Random, len: usize, letters: &[u8]) -> Vec<u8> {
    (0..len).map(|_| random.pick(letters)).collect()
}

/// Pairs around the sizes of limbs and strips, unrelated, similar, and without a letter in common.
fn for_each(mut check: impl FnMut(&[Letter], &[Letter])) {
    let mut rng = Random::new(91);
    for (matching, letters, lens) in cases() {
        for &(rows, cols) in lens {
            let a = random(&mut rng, rows, letters);
            let mut similar = a.clone();
            similar[rows / 2] = letters[0];
            similar.insert(rows / 3, letters[letters.len() - 1]);
            for b in [
                random(&mut rng, cols, letters),
                similar,
                random(&mut rng, cols, b"!?"),
            ] {
                check(&matching.letters(&a), &matching.letters(&b));
            }
        }
    }
}

#[test]
fn letters_that_match_others_have_the_plain_tables_subsequences_in_every_variant() {
    let Some(engine) = gpu() else { return };
    let mut count = 0;
    for_each(|a, b| {
        count += 1;
        let (source, columns) = [(MaskSource::Table, 8), (MaskSource::Planes, 16)][count % 2];
        let crew = (CarryExchange::Workgroup, 8);
        let shape = tuning(source, crew, 2, columns, 4, 1 + count as u32 / 2 % 2);
        // Of the three pairs of a size, some with paths and some without.
        let path = (count + count / 3) % 2 == 0;
        let answer = assert_answer(engine, (a, b), &tuned(path, shape), &Kind::Random);
        assert_ne!(answer.run.device, "cpu");
        assert_eq!(length(a, b), {
            let found = engine.run(&Lcs::of(a, b)).expect("small");
            found.length
        });
    });
}

#[test]
fn letters_that_match_others_have_the_plain_tables_alignments_on_a_device() {
    let Some(engine) = gpu() else { return };
    for_each(|a, b| {
        let method = Method::BitParallel;
        let task = Edit::of(a, b).method(method);
        let least = distance(a, b, Mode::Global);
        let found = engine.run(&task.clone()).expect("small");
        assert_eq!(found.distance.exactly(), Some(least));
        assert_ne!(found.run.device, "cpu");
        let found = engine.run(&task.path()).expect("small");
        let plain = Edit::of(a, b).method(Method::Reference);
        let plain = engine.run(&plain.path()).expect("small");
        assert_eq!(found.distance.exactly(), Some(least));
        assert_eq!(found.alignment, plain.alignment);
        let within = Edit::of(a, b).method(method).within(least / 2).path();
        let within = engine.run(&within).expect("small");
        assert_eq!(within.distance.exactly(), (least == 0).then_some(0));
    });
}

/// Matching in more ways than a kernel has planes.
#[test]
fn a_named_device_refuses_many_sets_of_letters_and_the_cpu_takes_them() {
    let Some(engine) = gpu() else { return };
    let matching = Matching::default().equal(b'x', b'y').expect("a pair");
    let a = matching.letters(b"xyabcdefgh".repeat(50).as_slice());
    let b = matching.letters(b"hgfedcbayx".repeat(50).as_slice());
    let task = Edit::of(&a, &b).method(Method::BitParallel);
    let refused = engine.run(&task.clone());
    assert!(
        matches!(refused, Err(Error::MethodUnavailable { .. })),
        "{refused:?}"
    );
    let mut options = Options::default();
    options.device = DeviceChoice::Cpu;
    let on_cpu = Engine::new(options).expect("it is here").run(&task);
    let least = distance(&a, &b, Mode::Global);
    assert_eq!(on_cpu.expect("small").distance.exactly(), Some(least));
}
