//! Wrong, slow, lost and closed devices, and calls that wait for them.

use std::ops::ControlFlow;
use std::pin::pin;
use std::sync::Mutex;
use std::sync::atomic::Ordering;
use std::sync::mpsc::{Sender, channel};
use std::task::{Context, Waker};
use std::time::Duration;

use rayon::prelude::*;

use super::fake::FakeGpu;
use super::*;
use crate::call::control::Control;
use crate::engine::devices::passed_over;
use crate::engine::estimate::opening_seconds;
use crate::engine::placement::{self, AUTO, Answered, Call, Cost, Running, Way, Ways};
use crate::engine::tests::pace;
use crate::engine::{Device, DeviceEstimate, Options, letters};
use crate::lcs::Method;
use crate::parenthesization::{self, MatrixChain};
use crate::path_mode::PathMode;
use crate::sort::RadixSort;
use crate::{Edit, Lcs, Neighbors, Pairs, Parenthesize, Scs, Search, Substring};
use crate::{neighbors, pairs, search, substring, supersequence};

const VULKAN: (Interface, &str) = (Interface::Vulkan, "vulkan:99");

/// An engine that chooses among these devices, with the known throughput of the first.
fn choosing(candidates: Vec<Box<dyn Candidate>>, throughput: Option<Throughput>) -> Engine {
    let mut slot = next_listed(Box::new(candidates.into_iter()));
    if let DeviceSlot::Listed(listed) = &mut slot {
        listed.known.throughput = throughput;
    }
    let gpu = GpuSlot::new(DeviceChoice::Auto, slot);
    Engine::of(vec![gpu], Options::default(), None)
}

/// An engine that may choose the fake device.
fn with_fake_gpu(throughput: Option<Throughput>) -> Option<(Engine, Arc<FakeGpu>)> {
    let fake = FakeGpu::new(None, false)?;
    Some((choosing(vec![offer(&fake, VULKAN)], throughput), fake))
}

fn offer(fake: &Arc<FakeGpu>, place: (Interface, &str)) -> Box<dyn Candidate> {
    let opened = fake.clone();
    fake.candidate(place, move || Ok(opened.clone()))
}

/// Like [`with_fake_gpu`], with a device that opens after a message on the sender.
fn with_slow_fake_gpu() -> Option<(Engine, Arc<FakeGpu>, Sender<()>)> {
    let fake = FakeGpu::new(None, false)?;
    let (release, until) = channel();
    let (opened, until) = (fake.clone(), Mutex::new(until));
    let candidate = fake.candidate(VULKAN, move || {
        let until = until.lock().expect("unharmed");
        let _ = until.recv_timeout(Duration::from_secs(10));
        Ok(opened.clone())
    });
    Some((choosing(vec![candidate], Some(at_once())), fake, release))
}

fn closed() -> Result<Arc<dyn Backend>> {
    Err(Error::DeviceUnavailable {
        device: "closed".to_string(),
        reason: "a test keeps it closed".to_string(),
    })
}

fn opened(engine: &Engine) -> Option<Arc<dyn Backend>> {
    pollster::block_on(engine.open_gpu()).expect("nothing fails")
}

/// A table that a fast GPU is expected to fill in almost no time.
fn table() -> Lcs<'static, u8> {
    Lcs::of(letters(6_000, 1), letters(6_000, 2)).method(Method::BitParallel)
}

/// Device of the table.
fn device(engine: &Engine) -> String {
    let task = table();
    let report = engine.run(&task).expect("some device answers");
    let on_cpu = Engine::cpu();
    let expected = on_cpu.run(&task).expect("the CPU answers").answer.length;
    assert_eq!(report.answer.length, expected);
    report.run.device
}

/// Makes the GPU faster for any work.
const FAST: Throughput = Throughput {
    overhead: -1.0,
    pace: 1e-9,
};

/// Expected time 0 of calls, including the opening.
fn at_once() -> Throughput {
    Throughput {
        overhead: -opening_seconds(Some(Interface::Vulkan)),
        ..FAST
    }
}

#[test]
fn device_with_stored_throughput_is_not_measured() {
    let Some((engine, fake)) = with_fake_gpu(Some(FAST)) else {
        return;
    };
    assert_eq!(device(&engine), fake.name());
    // A long call updates the pace alone.
    assert!(
        matches!(&*engine.slot(), DeviceSlot::Open { throughput: Some(known), .. } if known.overhead == FAST.overhead)
    );
}

#[test]
fn plans_do_not_open_a_listed_device() {
    let Some((engine, _)) = with_fake_gpu(Some(at_once())) else {
        return;
    };
    let (a, b) = (letters(6_000, 1), letters(6_000, 2));
    let chain = MatrixChain::new(vec![7; 900]);
    let keys: Vec<u32> = (0..1 << 20).rev().collect();
    let scs = |method| engine.plan(&Scs::of(&a, &b).method(method).path());
    let plans = [
        engine.plan(&table()),
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
        matches!(&*engine.slot(), DeviceSlot::Listed(_)),
        "a plan has opened the device"
    );
}

#[test]
fn auto_rejects_a_cuda_device_with_wrong_answers() {
    let (Some(wrong), Some(right)) = (FakeGpu::new(None, true), FakeGpu::new(None, false)) else {
        return;
    };
    let cuda = (Interface::Cuda, "cuda:97");
    let engine = choosing(vec![offer(&wrong, cuda), offer(&right, VULKAN)], Some(FAST));
    let gpu = opened(&engine).expect("the second device is right");
    assert!(Arc::ptr_eq(&gpu, &(right as Arc<dyn Backend>)));
    let reason = passed_over().get("cuda:97").cloned();
    assert!(
        reason
            .as_ref()
            .is_some_and(|reason| reason.contains("wrong answers")),
        "{reason:?}"
    );

    let engine = choosing(vec![offer(&wrong, cuda)], Some(FAST));
    assert_eq!(device(&engine), CPU);
    assert!(matches!(&*engine.slot(), DeviceSlot::None));
}

#[test]
fn auto_rejects_devices_that_fail_to_open_or_are_lost_by_the_probe() {
    let Some((_, fake)) = with_fake_gpu(None) else {
        return;
    };
    fake.is_lost.store(true, Ordering::Relaxed);
    let candidates = vec![
        fake.candidate((Interface::Cuda, "cuda:98"), closed),
        fake.candidate((Interface::Cuda, "cuda:99"), || panic!("a driver panics")),
        offer(&fake, VULKAN),
    ];
    let engine = choosing(candidates, Some(FAST));
    assert_eq!([device(&engine), device(&engine)], [CPU, CPU]);
    assert!(matches!(&*engine.slot(), DeviceSlot::None));
}

/// A query that takes 200 ms on the CPU, or 50 ms and the opening of the device on a GPU. Its
/// answer is whether it ran there.
struct Either;

impl Ways for Either {
    type Answer = bool;

    fn requested(&self) -> &'static str {
        AUTO
    }

    fn cells(&self) -> u128 {
        1
    }

    fn ways<'w>(&self, round: usize) -> Vec<&'w dyn Way<Self>>
    where
        Self: 'w,
    {
        if round == 0 {
            vec![&Either]
        } else {
            Vec::new()
        }
    }
}

impl Way<Either> for Either {
    fn method(&self) -> &'static str {
        "either"
    }

    fn on_cpu(&self, _: &Engine, _: &Either) -> Result<Option<Cost>> {
        Ok(Some(Cost::new(0.2)))
    }

    fn on_gpu(&self, _: &Engine, _: &Either, _: &DeviceEstimate) -> Result<Option<Cost>> {
        Ok(Some(Cost::new(0.05)))
    }

    fn run<'a>(
        &'a self,
        _: &'a Call<'a>,
        _: &'a mut Either,
        device: Option<&'a Device<'a>>,
    ) -> Running<'a, bool> {
        let answered = Answered {
            answer: device.is_some(),
            path_mode: PathMode::None,
            computed_cells: 1,
        };
        Box::pin(async { Ok(Some(answered)) })
    }
}

#[test]
fn slow_opening_moves_the_call_back_to_the_cpu() {
    let Some((engine, _)) = with_fake_gpu(None) else {
        return;
    };
    let plan = placement::plan(&engine, &Either).expect("it is listed");
    assert_ne!(plan.device, CPU);
    let control = Control::default();
    let call = Call::start(&engine, &control);
    let (is_on_gpu, run) =
        pollster::block_on(placement::run(&call, &mut Either)).expect("it opens");
    assert!(!is_on_gpu && run.device == CPU, "{run:?}");
    assert!(
        matches!(&*engine.slot(), DeviceSlot::Open { throughput: Some(measured), .. } if measured.pace > 4.0)
    );
}

#[test]
fn probe_runs_while_all_pool_threads_wait_for_the_device() {
    let Some((engine, _)) = with_fake_gpu(None) else {
        return;
    };
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(2)
        .build()
        .expect("two threads");
    let are_open = pool.install(|| {
        (0..8)
            .into_par_iter()
            .with_max_len(1)
            .all(|_| opened(&engine).is_some())
    });
    assert!(are_open);
}

#[test]
fn plans_and_cpu_calls_run_while_a_device_is_opened() {
    let Some((engine, fake, release)) = with_slow_fake_gpu() else {
        return;
    };
    let mut context = Context::from_waker(Waker::noop());
    let mut first = pin!(engine.open_gpu());
    assert!(first.as_mut().poll(&mut context).is_pending());
    let plan = engine.plan(&table()).expect("it plans");
    assert_eq!(plan.device, fake.name());
    let report = engine
        .run(&Lcs::of(letters(90, 1), letters(90, 2)))
        .expect("the CPU answers");
    assert_eq!((report.run.device.as_str(), report.interface), (CPU, None));
    let mut second = pin!(engine.open_gpu());
    assert!(second.as_mut().poll(&mut context).is_pending());
    assert!(
        matches!(&*engine.slot(), DeviceSlot::Busy { .. }),
        "somebody has waited until it was open"
    );
    release.send(()).expect("it is still closed");
    for opening in [first, second] {
        let gpu = pollster::block_on(opening)
            .expect("it opens")
            .expect("it is there");
        assert_eq!(gpu.name(), fake.name());
    }
}

#[test]
fn future_of_a_call_waits_for_the_device_without_blocking() {
    let Some((engine, fake, release)) = with_slow_fake_gpu() else {
        return;
    };
    let task = table();
    let mut call = Box::pin(engine.run_async(&task));
    let mut context = Context::from_waker(Waker::noop());
    assert!(call.as_mut().poll(&mut context).is_pending());
    release.send(()).expect("it is still closed");
    let report = pollster::block_on(call).expect("it is answered");
    assert_eq!(report.run.device, fake.name());
}

#[test]
fn dropped_waiting_call_leaves_the_device_to_the_next_call() {
    let Some((engine, _, release)) = with_slow_fake_gpu() else {
        return;
    };
    let mut dropped = Box::pin(engine.open_gpu());
    let mut context = Context::from_waker(Waker::noop());
    assert!(dropped.as_mut().poll(&mut context).is_pending());
    drop(dropped);
    release.send(()).expect("it is still closed");
    assert!(opened(&engine).is_some());
}

#[test]
fn lost_device_is_estimated_like_a_closed_one() {
    let Some((engine, fake)) = with_fake_gpu(Some(FAST)) else {
        return;
    };
    assert!(opened(&engine).is_some());
    let overhead = || {
        engine
            .device_estimate(f64::INFINITY)
            .expect("it is known")
            .map(|estimate| estimate.overhead)
    };
    assert_eq!(overhead(), Some(FAST.overhead));
    fake.is_lost.store(true, Ordering::Relaxed);
    assert_eq!(overhead(), Some(FAST.overhead + opening_seconds(None)));
}

#[test]
fn named_device_uses_and_updates_the_stored_pace() {
    let described = format!("a device of test {}", std::process::id());
    let Some(fake) = FakeGpu::new(Some(described.clone()), false) else {
        return;
    };
    let kept = |pace| Throughput {
        pace,
        ..Throughput::default()
    };
    kept(8.0).keep(&described);
    if Throughput::kept(&described).is_none() {
        // No cache folder.
        return;
    }
    let engine = Engine::on_backend(fake, Options::default()).expect("it is open");
    assert_eq!(pace(&engine), Some(8.0));
    engine.note_pace(2.0, || Ok(1.0));
    let after = Throughput::kept(&described);
    Throughput::forget(&described);
    assert_eq!((pace(&engine), after), (Some(2.0), Some(kept(2.0))));
}

/// An engine on two devices whose calls are expected to take a second.
fn on_both(first: &Arc<FakeGpu>, second: &Arc<FakeGpu>) -> Engine {
    let throughput = Some(Throughput {
        overhead: 1.0,
        ..FAST
    });
    let choices = ["vulkan:98", "vulkan:99"].map(|name| name.parse::<DeviceChoice>());
    let choices = choices.map(|choice| choice.unwrap_or_else(|never| match never {}));
    let slots = choices.iter().zip([first.clone(), second.clone()]);
    let slots = slots
        .map(|(choice, gpu)| GpuSlot::new(choice.clone(), DeviceSlot::Open { gpu, throughput }));
    let options = Options::new().devices(choices.clone());
    Engine::of(slots.collect(), options, None)
}

/// Answers of lists, joins and searches, and what is passed on of them.
#[derive(PartialEq, Default)]
struct Answers {
    values: Vec<u32>,
    passed_on: Vec<u32>,
    kept: Vec<pairs::PairValue>,
    neighbors: Vec<neighbors::Neighbor>,
    clusters: Vec<u32>,
    places: Vec<search::Place>,
}

fn answers(engine: &Engine, words: &[Vec<u8>], text: &[u8]) -> Result<Answers> {
    let mut all = Answers::default();
    let (queries, targets) = (&words[..words.len() / 2], words);
    let [queries, targets] = [queries, targets].map(pairs::Strings::from_slices);
    for task in [
        Pairs::cross(&queries, &targets),
        Pairs::symmetric(&targets).within(30),
        Pairs::zip(&queries, &queries),
    ] {
        all.values.extend(engine.run(&task)?.answer.values.iter());
        let first = all.passed_on.len() as u64;
        let each = task.clone().for_each(|block| {
            assert_eq!(block.first(), all.passed_on.len() as u64 - first);
            all.passed_on.extend(block.values().iter());
            ControlFlow::Continue(())
        });
        engine.run(&each)?;
        drop(each);
        let each = task.for_each_kept(|block| {
            all.kept.extend_from_slice(block.kept);
            ControlFlow::Continue(())
        });
        engine.run(&each)?;
    }
    let near = Neighbors::of(&targets).within(2);
    all.neighbors = engine.run(&near)?.answer.neighbors;
    all.clusters = engine.run(&near.clusters())?.answer.clusters;
    let texts = pairs::Strings::from_slices([text, &text[..100]]);
    let search = Search::of(&queries, &texts).within(3);
    all.places = engine.run(&search)?.answer.places;
    Ok(all)
}

#[test]
fn several_devices_divide_lists_and_one_may_be_lost() {
    let mut words: Vec<_> = (0..120).map(|number| letters(20, number % 100)).collect();
    words.iter_mut().step_by(3).for_each(|word| word[7] = b'A');
    let text = words.concat();
    let on_cpu = Engine::cpu();
    let expected = answers(&on_cpu, &words, &text).expect("it runs");
    for submissions in [usize::MAX, 5, 1, 0] {
        let (Some(first), Some(second)) = (FakeGpu::new(None, false), FakeGpu::new(None, false))
        else {
            return;
        };
        second.submissions.store(submissions, Ordering::Relaxed);
        let engine = on_both(&first, &second);
        assert!(answers(&engine, &words, &text).expect("one is left") == expected);
        let left = second.submissions.load(Ordering::Relaxed);
        assert!(left < submissions || second.is_lost(), "both work");
        // A device that has done its part early takes those of the other, too.
        assert!(submissions > 0 || second.is_lost());
    }
}

#[test]
fn calls_are_divided_among_several_devices() {
    let (Some(first), Some(second)) = (FakeGpu::new(None, false), FakeGpu::new(None, false)) else {
        return;
    };
    let engine = on_both(&first, &second);
    let is = |call: &Engine, gpu: &Arc<FakeGpu>| {
        let open = opened(call).expect("it is open");
        std::ptr::addr_eq(Arc::as_ptr(&open), Arc::as_ptr(gpu))
    };
    let one = engine.for_call();
    let other = engine.for_call();
    assert!(is(&one, &first) && is(&other, &second));
    drop(one);
    let third = engine.for_call();
    assert!(is(&third, &first) && is(&engine.for_call(), &first));
    drop((other, third));
    assert_eq!(device(&engine), first.name());
    let cpu = engine.on_cpu();
    assert!(opened(&cpu).is_none() && !cpu.chooses_device());
    assert_eq!(device(&cpu), CPU);
}

#[test]
fn forked_child_refuses_a_named_device() {
    let Some(fake) = FakeGpu::new(None, false) else {
        return;
    };
    for (name, is_refused) in [("vulkan:99", true), ("llvm", true), ("auto", false)] {
        let choice: DeviceChoice = name.parse().unwrap_or_else(|never| match never {});
        let options = Options::new().device(choice.clone());
        let slot = GpuSlot::new(choice, DeviceSlot::open(fake.clone()));
        let engine = Engine::of(vec![slot], options, None);
        // As if it was opened in another process.
        engine.inner.gpus[0].process.fetch_add(1, Ordering::Relaxed);
        match engine.run(&table()) {
            Err(Error::DeviceUnavailable { device, reason }) => {
                assert!(
                    is_refused && device == name && reason.contains("forked"),
                    "{reason}"
                );
            }
            answer => assert!(!is_refused && answer.expect("on the CPU").run.device == CPU),
        }
    }
}
