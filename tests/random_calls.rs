//! Random calls of every problem of two sequences, over methods, modes, bounds, forced shapes of the kernels and small budgets,
//! against the references. What fails is shrunk, printed, and kept in `tests/random_calls.failures`, which the next run begins
//! with.

mod support;

use std::sync::OnceLock;

use proptest::prelude::*;
use proptest::sample::select;
use proptest::test_runner::{Config, FileFailurePersistence, TestCaseError, TestRunner};

use support::calls::Calls;
use support::edit;
use support::inputs::{Input, Kind};
use swath::edit_distance::{self, Distance, Mode};
use swath::unstable::edit_distance::{EditOptions, reference as edit_reference};
use swath::unstable::kernels::bit_parallel::{HandOver, Matching};
use swath::unstable::lcs::{LcsOptions, Tuning, reference};
use swath::unstable::supersequence::ScsOptions;
use swath::{Engine, Error, Options, lcs, supersequence};

/// Calls of a run; `PROPTEST_CASES` asks for others.
const CALLS: u32 = 200;
/// Longest sequence, beyond two strips of the smallest shapes.
const LONGEST: usize = 600;

/// Where a call runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    Cpu,
    /// With so little memory that paths are cut at midpoints.
    SmallCpu,
    Gpu,
    /// Without subgroups and 64-bit integers.
    PortableGpu,
    SmallGpu,
}

impl Place {
    const ALL: [Place; 5] = [Place::Cpu, Place::SmallCpu, Place::Gpu, Place::PortableGpu, Place::SmallGpu];

    /// Host memory of a small CPU, and device memory of a small GPU.
    const SMALL: (u64, u64) = (20_000, 60_000);

    /// `None` where there is no GPU.
    fn engine(self) -> Option<&'static Engine> {
        static ENGINES: OnceLock<Vec<Option<Engine>>> = OnceLock::new();
        let engines = ENGINES.get_or_init(|| {
            let cpu = || Some(Options::default().device(swath::DeviceChoice::Cpu));
            let all = [
                cpu(),
                cpu().map(|options| options.host_memory(Self::SMALL.0)),
                support::gpu_options(),
                support::gpu_options().map(|mut options| {
                    options.portable = true;
                    options
                }),
                support::gpu_options().map(|options| options.device_memory(Self::SMALL.1)),
            ];
            all.map(|options| options.map(|options| Engine::new(options).expect("it opens"))).into()
        });
        engines[self as usize].as_ref()
    }

    /// Whether a call may be refused for want of memory.
    fn is_small(self) -> bool {
        matches!(self, Place::SmallCpu | Place::SmallGpu)
    }

    fn is_cpu(self) -> bool {
        matches!(self, Place::Cpu | Place::SmallCpu)
    }
}

/// What is asked.
#[derive(Clone, Debug)]
enum Question {
    Lcs(lcs::Method),
    /// With a bound.
    Edit(edit_distance::Method, Mode, Option<u64>),
    Scs(supersequence::Method),
}

#[derive(Clone, Debug)]
struct Call {
    input: Input,
    place: Place,
    question: Question,
    path: bool,
    tuning: Tuning,
}

fn inputs() -> impl Strategy<Value = Input> {
    let letters = select(vec![1, 2, 3, 4, 5, 26, 256, 1000]);
    (select(Kind::ALL.to_vec()), letters, 0..LONGEST, 0..LONGEST, 1..1000u64)
        .prop_map(|(kind, letters, rows, cols, seed)| Input { kind, letters, rows, cols, seed })
}

fn questions() -> impl Strategy<Value = Question> {
    let scs = supersequence::Method::ALL.into_iter().filter(|method| {
        // One that is not exact has suites of its own.
        *method != supersequence::Method::MajorityMerge
    });
    let modes = vec![Mode::Global, Mode::Prefix, Mode::Infix];
    let bounds = prop_oneof![Just(None), (0..LONGEST as u64).prop_map(Some), (0..20u64).prop_map(Some)];
    prop_oneof![
        select(lcs::Method::ALL.to_vec()).prop_map(Question::Lcs),
        (select(edit_distance::Method::ALL.to_vec()), select(modes), bounds)
            .prop_map(|(method, mode, bound)| Question::Edit(method, mode, bound)),
        select(scs.collect::<Vec<_>>()).prop_map(Question::Scs),
    ]
}

/// Shapes that are not many, so that few kernels are built.
fn tunings() -> impl Strategy<Value = Tuning> {
    let forced = (any::<bool>(), select(vec![8, 32]), select(vec![2, 4]), select(vec![8, 32]), 1..3u32, 1..3u32);
    let forced = forced.prop_map(|(planes, lanes, limbs, columns, steps, directions)| Tuning {
        matching: Some(if planes { Matching::Planes } else { Matching::Table }),
        hand_over: Some(HandOver::Workgroup),
        lanes: Some(lanes),
        limbs: Some(limbs),
        columns: Some(columns),
        steps: Some(steps),
        directions: Some(directions),
        replay_bytes: None,
    });
    prop_oneof![3 => Just(Tuning::default()), 1 => forced]
}

fn calls() -> impl Strategy<Value = Call> {
    (inputs(), select(Place::ALL.to_vec()), questions(), any::<bool>(), tunings())
        .prop_map(|(input, place, question, path, tuning)| Call { input, place, question, path, tuning })
}

/// What came, where a refusal is right it is `None`.
fn allowed<T>(call: &Call, found: Result<T, Error>) -> Result<Option<T>, TestCaseError> {
    match found {
        Ok(found) => Ok(Some(found)),
        Err(Error::MemoryBudget { needed, limit, .. }) if call.place.is_small() && needed > limit => Ok(None),
        Err(Error::EmptyQuery) if call.input.rows == 0 => Ok(None),
        // Kernels without native code, modes that only some methods have, tables that shapes do not fit.
        Err(Error::MethodUnavailable { .. }) => Ok(None),
        Err(Error::InvalidTuning { .. } | Error::TooManySymbols { .. }) if !call.place.is_cpu() => Ok(None),
        Err(error) => Err(TestCaseError::fail(error.to_string())),
    }
}

fn check(call: &Call) -> Result<(), TestCaseError> {
    let Some(engine) = call.place.engine() else { return Ok(()) };
    let (a, b) = call.input.pair();
    match &call.question {
        Question::Lcs(method) => {
            let mut options = LcsOptions::default();
            (options.method, options.path, options.tuning) = (*method, call.path, call.tuning);
            let Some(found) = allowed(call, engine.lcs_with(&a, &b, &options))? else { return Ok(()) };
            prop_assert_eq!(found.length, reference::length(&a, &b));
            prop_assert_eq!(found.answer.subsequence, call.path.then(|| support::expected(&a, &b)));
        }
        Question::Edit(method, mode, bound) => {
            let mut options = EditOptions::default();
            (options.method, options.path, options.tuning) = (*method, call.path, call.tuning);
            (options.mode, options.max_distance) = (*mode, *bound);
            let Some(found) = allowed(call, engine.edit_distance_with(&a, &b, &options))? else { return Ok(()) };
            let (distance, ends) = edit_reference::ends(&a, &b, *mode);
            if bound.is_some_and(|bound| distance > bound) {
                prop_assert_eq!(found.distance, Distance::MoreThan(bound.unwrap_or_default()));
                prop_assert!(found.pieces.is_empty() && found.alignment.is_none());
                return Ok(());
            }
            prop_assert_eq!(found.distance.exactly(), Some(distance));
            if *mode == Mode::Global {
                let blocks = found.alignment.as_ref().map(|alignment| alignment.blocks().to_vec());
                prop_assert_eq!(blocks, call.path.then(|| edit::expected(&a, &b)));
            } else {
                let found_ends: Vec<_> = found.pieces.iter().map(|piece| piece.end).collect();
                prop_assert_eq!(found_ends, ends);
                prop_assert_eq!(found.alignment.is_some(), call.path);
            }
        }
        Question::Scs(method) => {
            let mut options = ScsOptions::default();
            (options.method, options.path) = (*method, call.path);
            let Some(found) = allowed(call, engine.scs_with(&a, &b, &options))? else { return Ok(()) };
            prop_assert_eq!(found.length, (a.len() + b.len()) as u64 - reference::length(&a, &b));
            prop_assert_eq!(found.supersequence.is_some(), call.path);
            if let Some(supersequence) = &found.supersequence {
                prop_assert!(supersequence.verify(&[&a, &b], found.length).is_ok());
            }
        }
    }
    Ok(())
}

#[test]
fn random_calls_give_the_answers_of_the_references() {
    let failures = FileFailurePersistence::Direct("tests/random_calls.failures");
    let cases = std::env::var("PROPTEST_CASES").ok().and_then(|text| text.parse().ok()).unwrap_or(CALLS);
    let config = Config { cases, failure_persistence: Some(Box::new(failures)), ..Config::default() };
    if let Err(failure) = TestRunner::new(config).run(&calls(), |call| check(&call)) {
        panic!("{failure}");
    }
}

#[test]
fn a_wrong_answer_is_noticed_and_shrunk() {
    let config = Config { cases: 200, failure_persistence: None, ..Config::default() };
    let failure = TestRunner::new(config).run(&inputs(), |input| {
        let (a, b) = input.pair();
        let found = support::cpu().lcs_with(&a, &b, &LcsOptions::default()).expect("it runs").length;
        // As if long answers were one too great.
        prop_assert_eq!(found + u64::from(found > 3), reference::length(&a, &b));
        Ok(())
    });
    let Err(proptest::test_runner::TestError::Fail(_, input)) = failure else { panic!("nothing was noticed") };
    assert!(input.rows < 40 && input.cols < 40, "{input:?} is not small");
}
