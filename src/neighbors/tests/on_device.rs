//! Joins and clusters on a device.

use std::sync::Arc;

use super::groups::assert_groups_and_strands;
use super::*;
use crate::backend::Backend;
use crate::backend::recording_backend::RecordingBackend;
use crate::call::hand_over::HandOver;
use crate::engine::placement::Call;
use crate::neighbors::expansion::Expand;
use crate::neighbors::gpu;
use crate::neighbors::solve::{Joined, OnDevices};

fn engine() -> Option<Engine> {
    let backend = Arc::new(RecordingBackend::open()?);
    Some(Engine::on_backend(backend, Options::default()).expect("it is open"))
}

#[test]
fn every_scheme_finds_all_pairs_on_a_device() {
    let Some(engine) = engine() else { return };

    let mut random = Random::new(17);
    let mut turn = 0;
    for (lens, letters, max_k) in [
        (&[0, 1, 2, 3, 4, 5, 6, 7][..], 2, 8),
        (&[8, 9, 10, 11, 12], 4, 3),
        (&[31, 32, 33], 20, 2),
        (&[5, 30, 60, 64, 96], 250, 3),
        (&[18, 19], 1, 15),
    ] {
        let strings = Strings::from_slices(list(&mut random, lens, 60, letters));
        let others = Strings::from_slices(list(&mut random, lens, 30, letters));
        for k in (0..=max_k).rev().step_by(2) {
            turn += 1;
            let of_one = expected(&strings, None, k);
            let of_two = expected(&strings, Some(&others), k);
            // A few each time, each for one list or for two: passes are slow on software adapters.
            let taken = tunings().into_iter().skip(turn % 9).step_by(9);
            for (tuning, place) in taken.zip(turn..) {
                let (mut neighbors, expected) = if place % 2 == 0 {
                    (Neighbors::of(&strings).within(k), &of_one)
                } else {
                    (Neighbors::between(&strings, &others).within(k), &of_two)
                };
                neighbors.call.tuning = tuning.clone();
                let report = engine.run(&neighbors).expect("it fits");
                assert_ne!(report.run.device, "cpu");
                assert!(
                    rows(&report.neighbors) == *expected,
                    "{lens:?} {letters} {k} {tuning:?}"
                );
            }
        }
    }
}

#[test]
fn prepared_columns_stay_on_the_device() {
    let Some(backend) = RecordingBackend::open() else {
        return;
    };
    let shared = backend.shared().clone();
    let engine = Engine::on_backend(Arc::new(backend), Options::default());
    let engine = engine.expect("it is open");
    let mut random = Random::new(23);
    let mut of = |lens: &[usize], count, letters| {
        Strings::from_slices(list(&mut random, lens, count, letters))
    };
    let columns = of(&[15, 17, 40], 60, 4).prepared();
    let rows = [
        of(&[15, 16], 30, 4),
        of(&[17], 1, 4),
        // More symbols than the columns have, and more rows than before.
        of(&[14, 40], 25, 9),
        of(&[15, 41], 140, 4),
    ];
    let mut held = Vec::new();
    for tuning in [Tuning::default(), tunings().swap_remove(3)] {
        for (k, rows) in [2, 2, 1]
            .into_iter()
            .flat_map(|k| rows.iter().map(move |rows| (k, rows)))
        {
            let neighbors = Neighbors::between(rows, &columns).within(k);
            let expected = expected(rows, Some(&columns), k);
            check(&engine, &neighbors, &tuning, &expected);
            held.push(shared.memory.held_bytes());
        }
    }
    assert!(held.iter().all(|&held| held > 0), "{held:?}");
    drop(columns);
    assert_eq!(shared.memory.held_bytes(), 0);
}

#[test]
fn groups_and_strands_on_a_device_are_those_of_the_definition() {
    let Some(engine) = engine() else { return };
    let cases = [
        (&[0, 1, 2, 3, 4][..], 4),
        (&[11, 12, 13], 2),
        (&[31, 33], 1),
    ];
    // Each case with one of the choices of keys: a software device takes a second a call.
    let step = tunings().len();
    assert_groups_and_strands(&[engine], &cases, step);
}

#[test]
fn sliced_join_equals_whole_passes() {
    let Some(backend) = RecordingBackend::open() else {
        return;
    };
    let mut random = Random::new(18);
    let strings = Strings::from_slices(list(&mut random, &[14, 15, 16], 600, 4));
    let (engine, whole) = (cpu(2, None), expected(&strings, None, 2));
    let mut neighbors = Neighbors::of(&strings).within(2);
    neighbors.call.tuning = Tuning {
        schemes: Some(vec![Scheme::Pieces(1), Scheme::Deletions]),
        limit: Some(4),
        parts: Some(4),
    };
    let query = neighbors.query().expect("they are no letters");
    let request = query.request().expect("it is valid");
    let alphabet = gpu::alphabet(&[Typed::Numbers(&strings)], false).expect("they are few");
    let found = backend.whole_and_split(async |device| {
        let (control, blocks) = (Control::default(), HandOver::default());
        let call = Call::start(&engine, &control);
        let (device, alphabet) = (*device, &alphabet);
        let mut joined = Joined::new(&request, Expand::new(&blocks, &|_| Ok(())));
        // Both divide the parts.
        let devices = vec![device, device];
        let joining = joined.run(&call, None, Some(OnDevices { devices, alphabet }));
        let mut found = Rows::new();
        pollster::block_on(blocks.drive(joining, |block| {
            found.extend(rows(&block.neighbors));
            Ok(ControlFlow::Continue(()))
        }))?;
        Ok(found)
    });
    assert!(found[0] == whole && found[1] == whole);
    let cut = backend.split_kernels();
    for kernel in ["directory", "index_keys", "join", "mark"] {
        assert!(
            cut.contains(format!("neighbors/{kernel}").as_str()),
            "{kernel} is none of {cut:?}"
        );
    }
}

#[test]
fn clusters_on_a_device_are_those_of_the_cpu() {
    let Some(engine) = engine() else { return };

    let mut random = Random::new(19);
    let strings = Strings::from_slices(list(&mut random, &[9, 10], 500, 4));
    let clusters = Neighbors::of(&strings).within(1).clusters();
    for clusters in [clusters.clone(), clusters.directional(vec![3; 500])] {
        let on_device = engine.run(&clusters).expect("it fits");
        assert_ne!(on_device.run.device, "cpu");
        let on_cpu = cpu(1, None).run(&clusters).expect("it fits");
        assert_eq!(on_device.clusters, on_cpu.clusters);
    }
}
