//! Engines on the device of an application, which keeps using it.

use std::sync::Arc;

use support::application::{Application, adapter};
use support::calls::Calls;
use support::inputs::{Input, Kind};
use support::tier::combinations;
use swath::edit_distance::Method as EditMethod;
use swath::lcs::Method;
use swath::parenthesization::{MatrixChain, Method as TreeMethod};
use swath::unstable::parenthesization::ParenthesizationOptions;
use swath::wgpu::{BufferDescriptor, BufferUsages, DeviceDescriptor, Features, Limits, PollType};
use swath::{CancelHandle, Control, Edit, Engine, Error, Lcs, Result};

/// Answers of all problems with kernels, as text, with the device of each.
fn answers(engine: &Engine) -> Result<Vec<(String, String)>> {
    let (a, b) = Input::random(4, 3000, 2500).bytes();
    let similar = Input {
        kind: Kind::Similar,
        letters: 4,
        rows: 20_000,
        cols: 20_000,
        seed: 7,
    };
    let (x, y) = similar.bytes();
    let lcs = engine.run(&Lcs::of(&a, &b).method(Method::BitParallel).path())?;
    let edit = engine.run(&Edit::of(&a, &b).method(EditMethod::BitParallel).path())?;
    let near = engine.run(&Edit::of(&x, &y).method(EditMethod::Wavefront).path())?;
    let chain = MatrixChain::new((0..200).map(|leaf| 1 + leaf * 7 % 13).collect());
    let mut tiled = ParenthesizationOptions::default();
    tiled.method = TreeMethod::Tiled;
    let tree = engine.parenthesize(&chain, &tiled)?;
    Ok(vec![
        (format!("{:?}", lcs.subsequence), lcs.run.device.clone()),
        (
            format!("{:?} {:?}", edit.distance, edit.alignment),
            edit.run.device.clone(),
        ),
        (
            format!("{:?} {:?}", near.distance, near.alignment),
            near.run.device.clone(),
        ),
        (format!("{:?}", tree.cost), tree.run.device.clone()),
    ])
}

/// Requires the CPU's answers from an application's device while the application draws.
#[track_caller]
fn assert_answers(application: &Application) {
    let engine = application.engine().expect("the device is enough");
    let (found, frames) = application.while_drawing(|| answers(&engine));
    let expected = answers(support::cpu()).expect("the CPU answers");
    let name = adapter().expect("there is one").get_info().name;
    for ((found, device), (expected, _)) in found.expect("the device answers").iter().zip(&expected)
    {
        assert_eq!(found, expected);
        assert_eq!(*device, name);
    }
    assert!(frames > 1, "the application has drawn {frames} frames");
    assert_eq!(
        (application.errors_heard(), application.losses_heard()),
        (0, 0)
    );
}

#[test]
fn a_plain_device_of_an_application_that_draws_gives_the_answers_of_the_cpu() {
    let Some(application) = Application::plain() else {
        return;
    };
    assert_answers(&application);
}

#[test]
fn a_device_with_all_that_its_adapter_has_gives_them_too() {
    let Some(adapter) = adapter() else { return };
    let wanted =
        Features::IMMEDIATES | Features::SUBGROUP | Features::SHADER_INT64 | Features::SHADER_F64;
    let descriptor = DeviceDescriptor {
        required_features: adapter.features() & wanted,
        required_limits: adapter.limits(),
        ..Default::default()
    };
    assert_answers(&Application::with(&descriptor).expect("the adapter is there"));
}

#[test]
fn a_device_with_any_of_the_features_that_kernels_use_gives_them_too() {
    let Some(adapter) = adapter() else { return };
    let optional = [
        Features::IMMEDIATES,
        Features::SUBGROUP,
        Features::SHADER_INT64,
    ];
    for chosen in combinations([2; 3]) {
        let chosen = optional.into_iter().zip(chosen).filter(|one| one.1 == 1);
        let features = chosen.fold(Features::empty(), |all, (feature, _)| all | feature);
        let features = features & adapter.features();
        // Without 64-bit integers, double precision holds large sums.
        let features = if features.contains(Features::SHADER_INT64) {
            features
        } else {
            features | adapter.features() & Features::SHADER_F64
        };
        let descriptor = DeviceDescriptor {
            required_features: features,
            required_limits: adapter.limits(),
            ..Default::default()
        };
        eprintln!("{features:?}");
        assert_answers(&Application::with(&descriptor).expect("the adapter is there"));
    }
}

#[test]
fn an_application_goes_on_hearing_of_its_own_errors_and_of_no_others() {
    let Some(application) = Application::plain() else {
        return;
    };
    let engine = application.engine().expect("the device is enough");
    let (a, b) = Input::random(4, 3000, 2500).bytes();
    engine
        .run(&Lcs::of(&a, &b).path())
        .expect("the device answers");
    assert_eq!(application.errors_heard(), 0);
    // Host-readable storage buffers do not exist on any device.
    let usage = BufferUsages::MAP_READ | BufferUsages::STORAGE;
    let _ = application.device.create_buffer(&BufferDescriptor {
        label: None,
        size: 4,
        usage,
        mapped_at_creation: false,
    });
    assert_eq!(application.errors_heard(), 1);
    engine
        .run(&Lcs::of(&a, &b).path())
        .expect("the device answers");
    assert_eq!(application.errors_heard(), 1);
}

#[test]
fn a_device_that_is_too_small_is_refused_by_what_it_lacks() {
    let required_limits = Limits {
        max_storage_buffers_per_shader_stage: 4,
        ..Limits::default()
    };
    let Some(application) = Application::with(&DeviceDescriptor {
        required_limits,
        ..Default::default()
    }) else {
        return;
    };
    let Err(Error::DeviceUnavailable { device, reason }) = application.engine() else {
        panic!("an engine was made on it");
    };
    assert_eq!(device, adapter().expect("there is one").get_info().name);
    assert!(
        reason.contains("max_storage_buffers_per_shader_stage is 4 and has to be 8"),
        "{reason}"
    );
}

#[test]
fn every_call_on_a_lost_device_is_an_error_that_asks_for_a_new_engine() {
    let Some(application) = Application::plain() else {
        return;
    };
    let engine = application.engine().expect("the device is enough");
    let (a, b) = Input::random(4, 3000, 2500).bytes();
    let task = Lcs::of(&a, &b).method(Method::BitParallel);
    engine.run(&task).expect("the device answers");
    application.device.destroy();
    for _ in 0..2 {
        let Err(error) = answers(&engine) else {
            panic!("a lost device has answered")
        };
        assert!(matches!(error, Error::DeviceLost { .. }), "{error}");
        assert!(error.to_string().contains("make a new engine"), "{error}");
    }
    assert_eq!(
        application.errors_heard(),
        0,
        "what fails in a call is the call's"
    );
    // The callback runs when the application polls.
    let _ = application.device.poll(PollType::Poll);
    assert_eq!(application.losses_heard(), 1);
}

#[test]
fn a_device_that_is_lost_during_a_call_ends_it_with_an_error() {
    let Some(application) = Application::plain() else {
        return;
    };
    let engine = application.engine().expect("the device is enough");
    let (a, b) = Input::random(4, 60_000, 30_000).bytes();
    let device = application.device.clone();
    let control = Control::new(
        CancelHandle::new(),
        Some(Arc::new(move |_| device.destroy())),
    );
    let found = engine.run_with(&Lcs::of(&a, &b).method(Method::BitParallel), &control);
    assert!(
        matches!(found, Err(Error::DeviceLost { .. })),
        "{:?}",
        found.map(|found| found.length)
    );
    assert_eq!(
        application.errors_heard(),
        0,
        "what fails in a call is the call's"
    );
}
