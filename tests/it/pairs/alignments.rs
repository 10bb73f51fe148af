//! Alignments of pairs on the test device, against the CPU and the reference.

use support::inputs::{Input, Kind, Random};
use support::tier::is_full;
use swath::edit_distance::{Alignment, Mode};
use swath::pairs::{PairValue, Pairs, Strings};
use swath::{Engine, Error, Symbol};

/// Pairs of strings with their distances.
struct Zip<S: Symbol> {
    queries: Strings<'static, S>,
    targets: Strings<'static, S>,
    values: Vec<PairValue>,
}

impl<S: Symbol> Zip<S> {
    fn new(pairs: &[(Vec<S>, Vec<S>)]) -> Self {
        let queries = Strings::from_slices(pairs.iter().map(|pair| &pair.0));
        let targets = Strings::from_slices(pairs.iter().map(|pair| &pair.1));
        let found = support::cpu().run(&Pairs::zip(&queries, &targets));
        let found = found.expect("it runs").answer.values;
        let value = |(place, value)| PairValue {
            query: place,
            target: place,
            value,
        };
        let values = found.iter().enumerate().map(value).collect();
        Self {
            queries,
            targets,
            values,
        }
    }

    fn aligned(&self, engine: &Engine, values: &[PairValue]) -> Result<Vec<Alignment>, Error> {
        let zip = Pairs::zip(&self.queries, &self.targets);
        Ok(engine.run(&zip.alignments(values))?.answer)
    }

    /// Compares the device with the CPU, and some pairs with the reference.
    fn assert_on(&self, gpu: &Engine, max_reference_cells: usize) {
        let zip = Pairs::zip(&self.queries, &self.targets);
        let task = zip.alignments(&self.values);
        let on_gpu = gpu.run(&task).expect("it runs");
        assert_ne!(on_gpu.run.device, "cpu");
        assert_eq!(gpu.plan(&task).expect("it plans").device, on_gpu.run.device);
        let on_cpu = support::cpu().run(&task).expect("it runs");
        assert_eq!(on_cpu.run.device, "cpu");
        for (place, (found, expected)) in on_gpu.answer.iter().zip(&on_cpu.answer).enumerate() {
            let (a, b) = (&self.queries[place], &self.targets[place]);
            let value = self.values[place].value;
            let lens = (a.len(), b.len());
            assert!(found == expected, "pair {place} of {lens:?} at {value}");
            if a.len() * b.len() <= max_reference_cells {
                let blocks = support::edit::expected(a, b);
                assert!(found.blocks() == blocks, "pair {place} of {lens:?}");
            }
        }
    }
}

/// The emulator takes a second for some hundred pairs.
fn step() -> usize {
    match (support::is_cuda(), is_full()) {
        (_, true) => 1,
        (true, _) => 11,
        _ => 3,
    }
}

#[test]
fn alignments_of_all_short_lengths_are_those_of_the_reference() {
    let Some(gpu) = support::gpu() else { return };
    let mut random = Random::new(300);
    let lens = (0..=70).flat_map(|a| (0..=70).map(move |b| (a, b)));
    let pairs: Vec<_> = lens
        .step_by(step())
        .map(|(a, b)| {
            let letters = random.pick(&[1, 2, 4, 250]);
            (random.symbols(a, letters), random.symbols(b, letters))
        })
        .collect();
    Zip::new(&pairs).assert_on(gpu, usize::MAX);
}

#[test]
fn alignments_of_every_kind_of_strings_are_those_of_the_reference() {
    let Some(gpu) = support::gpu() else { return };
    let mut pairs = Vec::new();
    for kind in Kind::ALL {
        for (rows, cols) in [
            (31, 33),
            (64, 64),
            (97, 95),
            (160, 129),
            (129, 192),
            (300, 290),
        ] {
            let input = Input {
                kind,
                letters: 4,
                rows,
                cols,
                seed: 5,
            };
            let (a, b) = input.pair();
            pairs.extend([(a.clone(), b.clone()), (b, a)]);
        }
    }
    // More workgroups than one.
    let again = pairs.iter().cycle().take(pairs.len() * 2).cloned();
    Zip::new(&again.collect::<Vec<_>>()).assert_on(gpu, usize::MAX);
}

/// Pairs whose only best paths leave the first diagonal by as much as a window allows, and by one
/// diagonal more, which is up to the next window.
#[test]
fn paths_along_the_edges_of_windows_are_those_of_the_reference() {
    let Some(gpu) = support::gpu() else { return };
    let mut random = Random::new(301);
    let mut pairs = Vec::new();
    let windows: &[u32] = match is_full() {
        true => &[4, 8, 12, 16],
        false => &[4, 8],
    };
    for &limbs in windows {
        let slack = 16 * (limbs as usize - 1);
        for shift in [slack - 1, slack, slack + 1, slack + 2] {
            for skew in [0, 1, 2, 33] {
                let base = random.symbols(2 * slack + 330, 100);
                let (before, rest) = base.split_at(40 + shift % 32);
                let (between, behind) = rest.split_at(slack + 200);
                let inserted = vec![100; shift - skew / 2];
                let moved = [
                    before,
                    &inserted,
                    between,
                    &behind[shift.min(behind.len())..],
                ];
                let mut moved = moved.concat();
                moved.truncate(moved.len().saturating_sub(skew % 32).max(1));
                pairs.extend([(base.clone(), moved.clone()), (moved, base)]);
            }
        }
    }
    Zip::new(&pairs).assert_on(gpu, 1 << 20);
}

#[test]
fn alignments_of_all_windows_are_those_of_the_cpu() {
    let Some(gpu) = support::gpu() else { return };
    let mut random = Random::new(302);
    let longest = match (support::is_cuda(), is_full()) {
        (true, false) => 700,
        _ => 2600,
    };
    let mut pairs = Vec::new();
    for len in [95, 96, 97, 255, 256, 257, 700, 1023, 1025, 2600] {
        for rate in [0, 3, 20, 60, 300] {
            if len > longest {
                continue;
            }
            let a = random.symbols(len, 4);
            let b = random.edited(&a, rate, 4);
            pairs.extend([(a.clone(), b.clone()), (b, a.clone())]);
            // Far apart: some distances are in no window.
            let other = len * 2 / 3 + random.below(len as u64 / 2) as usize;
            pairs.push((a, random.symbols(other, 4)));
        }
    }
    Zip::new(&pairs).assert_on(gpu, 1 << 18);
}

#[test]
fn alignments_of_other_alphabets_are_those_of_the_cpu() {
    let Some(gpu) = support::gpu() else { return };
    let mut random = Random::new(303);
    let mut relatives = |letters: u32| -> Vec<_> {
        let pair = |place: u64| {
            let a = random.symbols(40 + 9 * place as usize, letters);
            (a.clone(), random.edited(&a, 10, letters))
        };
        (0..20).map(pair).collect()
    };
    let char = |symbol: &u32| char::from_u32(0x4e00 + symbol).expect("it is one");
    let chars = |(a, b): &(Vec<u32>, Vec<u32>)| -> (Vec<char>, Vec<char>) {
        (a.iter().map(char).collect(), b.iter().map(char).collect())
    };
    let of_chars: Vec<_> = relatives(60).iter().map(chars).collect();
    Zip::new(&of_chars).assert_on(gpu, usize::MAX);
    let bytes = |(a, b): &(Vec<u32>, Vec<u32>)| -> (Vec<u8>, Vec<u8>) {
        let byte = |symbol: &u32| *symbol as u8;
        (a.iter().map(byte).collect(), b.iter().map(byte).collect())
    };
    let of_bytes: Vec<_> = relatives(200).iter().map(bytes).collect();
    Zip::new(&of_bytes).assert_on(gpu, usize::MAX);
    // Too many symbols for planes.
    let many = Zip::new(&relatives(3000));
    let found = many.aligned(gpu, &many.values).expect("it runs");
    let expected = many.aligned(support::cpu(), &many.values);
    assert!(found == expected.expect("it runs"));
}

#[test]
fn parts_that_fit_little_memory_have_all_alignments() {
    let Some(options) = support::gpu_options() else {
        return;
    };
    let mut random = Random::new(304);
    let pair = |place: usize| {
        let a = random.symbols(30 + place % 190, 4);
        (a.clone(), random.edited(&a, 12, 4))
    };
    let zip = Zip::new(&(0..700).map(pair).collect::<Vec<_>>());
    let engine = Engine::new(options.device_memory(1 << 20)).expect("the adapter opens");
    zip.assert_on(&engine, 0);
    // No window of a workgroup fits.
    let engine = Engine::new(options_of(1 << 10)).expect("the adapter opens");
    let found = zip.aligned(&engine, &zip.values).expect("it runs");
    assert!(found == zip.aligned(support::cpu(), &zip.values).expect("it runs"));
}

fn options_of(device_bytes: u64) -> swath::Options {
    let options = support::gpu_options().expect("there is a device");
    options.device_memory(device_bytes)
}

#[test]
fn wrong_distances_are_refused() {
    let Some(gpu) = support::gpu() else { return };
    let mut random = Random::new(305);
    let pair = |place: usize| {
        let a = random.symbols(50 + 40 * place, 4);
        (a.clone(), random.edited(&a, 15, 4))
    };
    let zip = Zip::new(&(0..6).map(pair).collect::<Vec<_>>());
    for place in 0..zip.values.len() {
        for change in [-1i64, 1, 2, 40, 5000] {
            let mut values = zip.values.clone();
            let value = i64::from(values[place].value) + change;
            let Ok(value) = u32::try_from(value) else {
                continue;
            };
            values[place].value = value;
            let refused = zip.aligned(gpu, &values);
            let is_refused = matches!(refused, Err(Error::CertificateFailed(_)));
            assert!(is_refused, "{place} {change}");
        }
    }
}

#[test]
fn prefixes_and_pieces_are_aligned_with_a_device_as_without() {
    let Some(gpu) = support::gpu() else { return };
    let queries = Strings::<u8>::from_slices(["kitten", "sitting"]);
    let targets = Strings::from_slices(["a kitten sat", "sitten on"]);
    for mode in [Mode::Prefix, Mode::Infix] {
        let zip = Pairs::zip(&queries, &targets).mode(mode);
        let values = support::cpu().run(&zip).expect("it runs").answer.values;
        let value = |(place, value)| PairValue {
            query: place,
            target: place,
            value,
        };
        let values: Vec<_> = values.iter().enumerate().map(value).collect();
        let task = zip.alignments(&values);
        let [found, expected] = [gpu, support::cpu()].map(|engine| engine.run(&task));
        let found = found.expect("it runs");
        assert_eq!(found.run.device, "cpu");
        assert_eq!(found.answer, expected.expect("it runs").answer);
    }
}
