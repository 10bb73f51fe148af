//! Devices that are not what they seem, that are lost, that cannot be opened or asked, and who waits for them.

use std::collections::HashMap;
use std::pin::pin;
use std::sync::atomic::Ordering;
use std::sync::mpsc::{Receiver, channel};
use std::task::{Context, Waker};

use rayon::prelude::*;

use super::fake::{Boaster, Offered, Trust, trusted};
use super::*;
use crate::backend::wgpu::adapter;
use crate::engine::profile::found::Speed;
use crate::engine::{letters, profile};
use crate::error::Error;
use crate::known::PROBE;
use crate::lcs::Method;
use crate::parenthesization::{self, MatrixChain};
use crate::sort::RadixSort;
use crate::{Edit, Lcs, Parenthesize, Scs, Substring, substring, supersequence};

/// An engine that has the boaster to choose, of which so much is known.
fn choosing(opens: bool, found: Found, threads: Option<usize>) -> Option<(Engine, Arc<Boaster>)> {
    choosing_by(
        opens,
        found,
        threads,
        Offer {
            trust: trusted(),
            ..Offer::default()
        },
    )
}

/// How the boaster is offered.
#[derive(Default)]
struct Offer {
    trust: Trust,
    until: Option<Receiver<()>>,
    /// What the stems of kernels begin with that do nothing.
    damaged: Option<&'static str>,
}

fn choosing_by(
    opens: bool,
    found: Found,
    threads: Option<usize>,
    offer: Offer,
) -> Option<(Engine, Arc<Boaster>)> {
    let Offer {
        trust,
        until,
        damaged,
    } = offer;
    let boaster = Arc::new(Boaster::new(None, damaged)?);
    let mut listed = adapter::of_tests()?.listed();
    (listed.selector, listed.capabilities) = ("vulkan:99".to_string(), boaster.claimed);
    let opens = opens.then(|| boaster.clone() as Arc<dyn Backend>);
    let candidate = Arc::new(Offered {
        listed,
        opens,
        until: Mutex::new(until),
        trust,
    });
    let gpu = Mutex::new(Opened::Listed(Chosen::new(candidate, |_| found)));
    let options = Options {
        threads,
        ..Options::default()
    };
    let threads = threads.map(|threads| start_threads(threads).expect("they start"));
    Some((
        Engine(Arc::new(Inner {
            options,
            gpu,
            threads,
            probe: PROBE,
        })),
        boaster,
    ))
}

fn engine(opens: bool, found: Found) -> Option<Engine> {
    Some(choosing(opens, found, None)?.0)
}

/// The device that answers by a table of which a large GPU is expected to need next to nothing.
fn device(engine: &Engine) -> String {
    let (a, b) = (letters(6_000, 1), letters(6_000, 2));
    let report = engine
        .run(&Lcs::of(&a, &b).method(Method::BitParallel))
        .expect("some device answers");
    assert_eq!(
        report.length,
        engine_on_cpu()
            .run(&Lcs::of(&a, &b))
            .expect("the CPU answers")
            .length
    );
    report.run.device
}

fn engine_on_cpu() -> Engine {
    Engine::new(Options::new().device(DeviceChoice::Cpu)).expect("it is there")
}

/// Open before it was asked for, and a call and all its passes take nothing.
const FAST: Found = Found {
    start: Start {
        listing: None,
        opening: Some(-1.0),
    },
    speed: Some(Speed {
        call: Some(0.0),
        pace: 1e-9,
    }),
};
/// Open as soon as it is wanted.
const AT_ONCE: Found = Found {
    start: Start {
        opening: Some(-profile::gpu::BUILDING_SECONDS),
        ..FAST.start
    },
    ..FAST
};

#[test]
fn a_device_that_is_known_to_be_fast_is_taken_and_asked_nothing() {
    let Some(engine) = engine(true, FAST) else {
        return;
    };
    assert_ne!(device(&engine), CPU);
    assert!(matches!(&*engine.opened(), Opened::Gpu { found, .. } if *found == FAST));
}

#[test]
fn plans_take_a_device_that_is_listed_and_leave_it_closed() {
    let Some(engine) = engine(true, AT_ONCE) else {
        return;
    };
    let (a, b) = (letters(6_000, 1), letters(6_000, 2));
    let chain = MatrixChain::new(vec![7; 900]);
    let keys: Vec<u32> = (0..1 << 20).rev().collect();
    let scs = |method| engine.plan(&Scs::of(&a, &b).method(method).path());
    let plans = [
        engine.plan(&Lcs::of(&a, &b).method(Method::BitParallel)),
        engine.plan(&Edit::of(&a, &b).infix()),
        scs(supersequence::Method::Banded),
        scs(supersequence::Method::RowWise),
        scs(supersequence::Method::AntiDiagonal),
        engine.plan(&Parenthesize::of(&chain).method(parenthesization::Method::Tiled)),
        engine.plan(&Substring::of(&a, &b).method(substring::Method::Cascade)),
        engine.plan(&RadixSort::of(&keys)),
    ];
    for plan in plans {
        let plan = plan.expect("it plans");
        assert_ne!(plan.device, CPU, "{plan:?}");
    }
    assert!(
        matches!(&*engine.opened(), Opened::Listed(_)),
        "a plan has opened the device"
    );
}

/// A call of each family whose work is expected to be worth a fast GPU; the device that answers, and what.
fn call(engine: &Engine, family: Family) -> (String, String) {
    let (a, b) = (letters(6_000, 1), letters(6_000, 2));
    match family {
        Family::Pairwise => {
            let report = engine
                .run(&Lcs::of(&a, &b).method(Method::BitParallel))
                .expect("it is answered");
            (report.run.device, report.answer.length.to_string())
        }
        Family::Parenthesization => {
            let chain = MatrixChain::new((0..300).map(|leaf| 1 + leaf * 7 % 13).collect());
            let task = Parenthesize::of(&chain).method(parenthesization::Method::Tiled);
            let report = engine.run(&task).expect("it is answered");
            (report.run.device, report.answer.cost.to_string())
        }
        Family::Sort => {
            let keys: Vec<u32> = (0..1 << 20)
                .map(|key: u32| key.wrapping_mul(2_654_435_761))
                .collect();
            let report = engine.run(&RadixSort::of(&keys)).expect("it is answered");
            (
                report.run.device,
                format!("{:?}", report.answer.keys.is_sorted()),
            )
        }
        Family::Substring => {
            let report = engine
                .run(&Substring::of(&a, &b).method(substring::Method::Cascade))
                .expect("it is answered");
            (report.run.device, format!("{:?}", report.answer.substrings))
        }
    }
}

#[test]
fn a_device_is_asked_for_known_answers_by_the_first_call_of_each_family_and_not_by_a_plan() {
    let trust = Trust::default();
    let offer = Offer {
        trust: trust.clone(),
        ..Offer::default()
    };
    let Some((engine, boaster)) = choosing_by(true, AT_ONCE, None, offer) else {
        return;
    };
    let (a, b) = (letters(6_000, 1), letters(6_000, 2));
    let plan = engine
        .plan(&Lcs::of(&a, &b).method(Method::BitParallel))
        .expect("it plans");
    let shown = || trust.lock().expect("unharmed").clone();
    assert!(plan.device != CPU && shown().is_empty(), "{plan:?}");
    let mut right = HashMap::new();
    for family in Family::ALL {
        let (device, found) = call(&engine, family);
        assert_eq!(
            (device.as_str(), found),
            (boaster.name(), call(&engine_on_cpu(), family).1),
            "{family:?}"
        );
        right.insert(family, true);
        assert_eq!(shown(), right);
    }
}

#[test]
fn a_device_whose_kernels_of_a_family_are_wrong_is_found_out_by_its_first_call_and_passed_over_from_then_on()
 {
    let families = [
        (Family::Pairwise, "bit_parallel/"),
        (Family::Parenthesization, "parenthesization/"),
        (Family::Sort, "sort/"),
        (Family::Substring, "substring/"),
    ];
    for (damaged, stem) in families {
        let trust = Trust::default();
        let offer = Offer {
            trust: trust.clone(),
            damaged: Some(stem),
            ..Offer::default()
        };
        let Some((engine, boaster)) = choosing_by(true, FAST, None, offer) else {
            return;
        };
        let sound = families
            .into_iter()
            .map(|(family, _)| family)
            .find(|&family| family != damaged);
        let sound = sound.expect("there are others");
        assert_eq!(
            call(&engine, sound).0,
            boaster.name(),
            "{sound:?} beside {damaged:?}"
        );
        let (device, found) = call(&engine, damaged);
        assert_eq!(
            (device.as_str(), found),
            (CPU, call(&engine_on_cpu(), damaged).1),
            "{damaged:?}"
        );
        assert_eq!(call(&engine, sound).0, CPU, "{sound:?} behind {damaged:?}");
        assert_eq!(
            *trust.lock().expect("unharmed"),
            HashMap::from([(sound, true), (damaged, false)])
        );
    }
}

#[test]
fn a_device_that_is_lost_as_soon_as_it_is_open_ends_the_call_that_has_opened_it() {
    let Some((engine, boaster)) = choosing(true, FAST, None) else {
        return;
    };
    boaster.is_lost.store(true, Ordering::Relaxed);
    let (a, b) = (letters(6_000, 1), letters(6_000, 2));
    let ended = engine.run(&Lcs::of(&a, &b).method(Method::BitParallel));
    assert!(
        matches!(ended, Err(Error::DeviceLost { .. })),
        "{:?}",
        ended.map(|report| report.run.device)
    );
}

#[test]
fn a_device_that_cannot_be_asked_for_known_answers_is_passed_over() {
    let trust = Trust::default();
    let offer = Offer {
        trust: trust.clone(),
        ..Offer::default()
    };
    let Some((engine, boaster)) = choosing_by(true, FAST, None, offer) else {
        return;
    };
    boaster.is_lost.store(true, Ordering::Relaxed);
    assert_eq!(device(&engine), CPU);
    assert_eq!(
        *trust.lock().expect("unharmed"),
        HashMap::from([(Family::Pairwise, false)])
    );
}

#[test]
fn a_device_that_is_far_slower_than_it_seems_is_found_out_when_it_is_opened_and_the_cpu_answers() {
    let Some(engine) = engine(
        true,
        Found {
            speed: None,
            ..FAST
        },
    ) else {
        return;
    };
    assert_eq!(device(&engine), CPU);
    assert!(
        matches!(&*engine.opened(), Opened::Gpu { found: Found { speed: Some(speed), .. }, .. } if speed.pace > 2.0)
    );
}

#[test]
fn a_substring_that_seemed_worth_a_gpu_is_looked_for_as_the_cpu_does_where_the_gpu_is_slower() {
    // Open as soon as it is wanted, and calls take nothing, until it tells more.
    let opening = Some(-profile::gpu::BUILDING_SECONDS - 0.9 * profile::gpu::SUBMISSION_SECONDS);
    let Some(engine) = engine(
        true,
        Found {
            start: Start {
                listing: None,
                opening,
            },
            speed: None,
        },
    ) else {
        return;
    };
    let task = Substring::of(letters(600, 1), letters(600, 2));
    let plan = engine.plan(&task).expect("it plans");
    assert!(plan.device != CPU && plan.method == "cascade", "{plan:?}");
    let run = engine.run(&task).expect("some device answers").run;
    assert_eq!((run.device.as_str(), run.method), (CPU, "suffix-array"));
    let plan = engine.plan(&task).expect("it plans");
    assert_eq!((plan.device, plan.method), (run.device, run.method));
}

#[test]
fn a_device_that_does_not_open_is_passed_over_for_the_cpu_where_the_engine_chose_it() {
    let Some(engine) = engine(false, FAST) else {
        return;
    };
    assert_eq!(
        (device(&engine).as_str(), device(&engine).as_str()),
        (CPU, CPU)
    );
    assert!(matches!(&*engine.opened(), Opened::None));
}

#[test]
fn a_device_is_asked_on_as_many_threads_as_the_engine_has() {
    let Some((engine, boaster)) = choosing(
        true,
        Found {
            speed: None,
            ..FAST
        },
        Some(3),
    ) else {
        return;
    };
    assert_eq!(
        (device(&engine).as_str(), boaster.first()),
        (CPU, Some((3, true)))
    );
}

#[test]
fn a_device_is_asked_while_every_thread_of_the_callers_pool_waits_for_it() {
    let Some((engine, boaster)) = choosing(
        true,
        Found {
            speed: None,
            ..FAST
        },
        None,
    ) else {
        return;
    };
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(2)
        .build()
        .expect("two threads");
    let calls = || {
        (0..8)
            .into_par_iter()
            .with_max_len(1)
            .map(|_| device(&engine))
            .collect::<Vec<_>>()
    };
    assert_eq!(pool.install(calls), [CPU; 8]);
    assert_eq!(boaster.first(), Some((2, true)));
}

#[test]
fn while_a_device_is_opened_plans_and_calls_of_the_cpu_go_on_and_who_needs_it_is_not_blocked() {
    let (release, until) = channel();
    let offer = Offer {
        until: Some(until),
        trust: trusted(),
        ..Offer::default()
    };
    let Some((engine, boaster)) = choosing_by(true, AT_ONCE, None, offer) else {
        return;
    };
    let mut context = Context::from_waker(Waker::noop());
    let mut first = pin!(engine.gpu(None));
    assert!(first.as_mut().poll(&mut context).is_pending());
    let (a, b) = (letters(6_000, 1), letters(6_000, 2));
    let plan = engine
        .plan(&Lcs::of(&a, &b).method(Method::BitParallel))
        .expect("it plans");
    assert_eq!(plan.device, boaster.name());
    let report = engine
        .run(&Lcs::of(&a[..90], &b[..90]))
        .expect("the CPU answers");
    assert_eq!((report.run.device.as_str(), report.interface), (CPU, None));
    let mut second = pin!(engine.gpu(None));
    assert!(second.as_mut().poll(&mut context).is_pending());
    assert!(
        matches!(&*engine.opened(), Opened::Opening { .. }),
        "somebody has waited until it was open"
    );
    release.send(()).expect("it is still closed");
    for opening in [first, second] {
        let gpu = pollster::block_on(opening)
            .expect("it opens")
            .expect("it is there");
        assert_eq!(gpu.name(), boaster.name());
    }
}

#[test]
fn a_call_that_is_dropped_while_it_waits_leaves_the_device_to_the_next_one() {
    let (release, until) = channel();
    let offer = Offer {
        until: Some(until),
        trust: trusted(),
        ..Offer::default()
    };
    let Some((engine, _)) = choosing_by(true, AT_ONCE, None, offer) else {
        return;
    };
    let mut dropped = Box::pin(engine.gpu(None));
    assert!(
        dropped
            .as_mut()
            .poll(&mut Context::from_waker(Waker::noop()))
            .is_pending()
    );
    drop(dropped);
    release.send(()).expect("it is still closed");
    assert!(
        pollster::block_on(engine.gpu(None))
            .expect("it opens")
            .is_some()
    );
}

#[test]
fn a_device_that_was_lost_takes_as_long_as_one_that_is_not_open() {
    let Some((engine, boaster)) = choosing(true, FAST, None) else {
        return;
    };
    assert_ne!(device(&engine), CPU);
    let opening = || {
        engine
            .prospect(f64::INFINITY)
            .expect("it is known")
            .map(|prospect| prospect.opening)
    };
    assert_eq!(opening(), Some(0.0));
    boaster.is_lost.store(true, Ordering::Relaxed);
    assert_eq!(opening(), Some(-1.0 + profile::gpu::BUILDING_SECONDS));
}

#[test]
fn a_device_that_is_named_has_the_pace_that_was_kept_and_keeps_what_a_sweep_tells() {
    let described = format!("a device of test {}", std::process::id());
    let Some(boaster) = Boaster::new(Some(described.clone()), None) else {
        return;
    };
    Speed {
        call: None,
        pace: 8.0,
    }
    .keep(&described);
    if Speed::kept(&described).is_none() {
        // There is no folder for caches.
        return;
    }
    let engine = Engine::on_backend(Arc::new(boaster), Options::default()).expect("it is open");
    let pace = || {
        engine
            .prospect(0.0)
            .expect("it is open")
            .map(|prospect| prospect.pace)
    };
    assert_eq!(pace(), Some(8.0));
    engine.note_pace(2.0, || Ok(1.0));
    let kept = Speed::kept(&described);
    Speed::forget(&described);
    assert_eq!(
        (pace(), kept),
        (
            Some(2.0),
            Some(Speed {
                call: None,
                pace: 2.0
            })
        )
    );
}
