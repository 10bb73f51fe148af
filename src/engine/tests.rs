//! What an engine makes of its device: which calls go there.

use std::sync::{Arc, Mutex};

use super::{CPU, DeviceChoice, Engine, Opened, Options};
use crate::backend::wgpu::{Gpu, adapter};
use crate::edit_distance::{self, EditOptions, Mode};
use crate::lcs::{self, LcsOptions};
use crate::strips::gpu::tiling::MAX_SYMBOLS;
use crate::supersequence::{self, ScsOptions};
use crate::{Error, Result};

/// An engine with a GPU of this machine, software or not, that takes it to be what `choice` has chosen.
fn engine(choice: DeviceChoice) -> Option<Engine> {
    let Some(candidate) = adapter::candidates().into_iter().next() else {
        assert!(std::env::var_os("SWATH_REQUIRE_GPU_TESTS").is_none(), "SWATH_REQUIRE_GPU_TESTS=1 and no GPU adapter");
        return None;
    };
    let gpu = Opened::Gpu(Arc::new(Gpu::open(&candidate, true).expect("the adapter opens")));
    let options = Options { device: choice, ..Options::default() };
    Some(Engine { options, gpu: Mutex::new(gpu), threads: None })
}

/// Distinct symbols, all of them in both sequences, the ends of which differ.
fn distinct(symbols: u32) -> [Vec<u32>; 2] {
    let a: Vec<u32> = (0..symbols).collect();
    let mut b = a.clone();
    b.swap(0, 1);
    b.swap(symbols as usize - 2, symbols as usize - 1);
    [a, b]
}

#[test]
fn what_has_more_symbols_than_a_gpu_has_codes_is_answered_by_the_cpu_where_the_engine_chose_the_gpu() {
    let Some(engine) = engine(DeviceChoice::Auto) else { return };
    let [a, b] = distinct(MAX_SYMBOLS + 1);
    for path in [false, true] {
        let lcs = LcsOptions { method: lcs::Method::Banded, path, ..LcsOptions::default() };
        let found = engine.lcs_with(&a, &b, &lcs).expect("the CPU has codes enough");
        assert_eq!((found.length, found.run.device.as_str()), (u64::from(MAX_SYMBOLS) - 1, CPU));
        let scs = ScsOptions { method: supersequence::Method::Banded, path, ..ScsOptions::default() };
        let found = engine.scs_with(&a, &b, &scs).expect("the CPU has codes enough");
        assert_eq!((found.length, found.run.device.as_str()), (u64::from(MAX_SYMBOLS) + 3, CPU));
        let edit = EditOptions { method: edit_distance::Method::Banded, path, ..EditOptions::default() };
        let found = engine.edit_distance_with(&a, &b, &edit).expect("the CPU has codes enough");
        assert_eq!((found.distance.exactly(), found.run.device.as_str()), (Some(4), CPU));
    }
}

/// The device of plans that the limit matters to, for this many shared symbols.
fn planned(engine: &Engine, symbols: u32) -> [Result<String>; 3] {
    let [a, b] = distinct(symbols);
    let lcs = LcsOptions { method: lcs::Method::BitParallel, ..LcsOptions::default() };
    let edit = EditOptions { method: edit_distance::Method::BitParallel, ..EditOptions::default() };
    let infix = EditOptions { mode: Mode::Infix, ..EditOptions::default() };
    [
        engine.lcs_plan(&a, &b, &lcs).map(|plan| plan.device),
        engine.edit_distance_plan(&a, &b, &edit).map(|plan| plan.device),
        engine.edit_distance_plan(&a, &b, &infix).map(|plan| plan.device),
    ]
}

#[test]
fn plans_go_to_the_gpu_up_to_the_most_symbols_and_beyond_only_where_it_is_named() {
    let Some(auto) = engine(DeviceChoice::Auto) else { return };
    assert!(planned(&auto, MAX_SYMBOLS).iter().all(|device| device.as_ref().is_ok_and(|device| device != CPU)));
    assert!(planned(&auto, MAX_SYMBOLS + 1).iter().all(|device| device.as_ref().is_ok_and(|device| device == CPU)));
    let Some(named) = engine(DeviceChoice::Name(String::new())) else { return };
    for device in planned(&named, MAX_SYMBOLS + 1) {
        assert!(matches!(device, Err(Error::TooManySymbols { .. })), "{device:?}");
    }
}
