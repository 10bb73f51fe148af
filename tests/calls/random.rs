//! Random calls of every problem, over methods, modes, bounds, forced shapes of the kernels and small budgets,
//! against the references. What fails is shrunk, printed, and kept in `tests/calls/random.failures`, which the next run begins
//! with.

mod check;

use std::sync::OnceLock;
use std::sync::atomic::Ordering;

use proptest::prelude::*;
use proptest::sample::select;
use proptest::test_runner::{Config, FileFailurePersistence, TestRunner};

use crate::support;
use crate::support::calls::Calls;
use crate::support::inputs::{Input, Kind};
use swath::edit_distance::{self, Gaps, Mode};
use swath::parenthesization::{self, Precision};
use swath::unstable::kernels::bit_parallel::{HandOver, Matching};
use swath::unstable::lcs::{LcsOptions, Tuning, reference};
use swath::{Engine, Options, lcs, substring, supersequence};

/// Calls of a run; `PROPTEST_CASES` asks for others.
const CALLS: u32 = 250;
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
    Edit(edit_distance::Method, Mode, EditExtras),
    Scs(supersequence::Method),
    /// Of the pair and a third one made from both.
    ScsOfThree(supersequence::Method),
    Tree(TreeProblem, parenthesization::Method, Precision),
    /// In so many of the same three.
    Substring(substring::Method, u64),
    /// At least so long.
    Matches(substring::Method, u64),
    Sort(SortExtras),
}

/// What an edit distance may be asked for beside.
#[derive(Clone, Debug)]
struct EditExtras {
    bound: Option<u64>,
    gaps: Option<Gaps>,
    starts: bool,
}

/// What a sort may be asked for beside.
#[derive(Clone, Debug)]
struct SortExtras {
    bits: u32,
    wide: bool,
    payload: bool,
}

#[derive(Clone, Copy, Debug)]
enum TreeProblem {
    Chain,
    WeightedPolygon,
    PointPolygon,
    SearchTree,
    Fold,
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

fn edits() -> impl Strategy<Value = Question> {
    let bounds = prop_oneof![Just(None), (0..LONGEST as u64).prop_map(Some), (0..20u64).prop_map(Some)];
    let gaps = select(vec![None, Some(Gaps::Left), Some(Gaps::Right)]);
    let extras = (bounds, gaps, any::<bool>());
    let extras = extras.prop_map(|(bound, gaps, starts)| EditExtras { bound, gaps, starts });
    let methods = select(edit_distance::Method::ALL.to_vec());
    (methods, select(Mode::ALL.to_vec()), extras)
        .prop_map(|(method, mode, extras)| Question::Edit(method, mode, extras))
}

fn sorts() -> impl Strategy<Value = Question> {
    let extras = (select(vec![0, 1, 7, 8, 9, 24, 31, 32, 33, 63, 64, 99]), any::<bool>(), any::<bool>());
    extras.prop_map(|(bits, wide, payload)| Question::Sort(SortExtras { bits, wide, payload }))
}

fn trees() -> impl Strategy<Value = Question> {
    use TreeProblem::{Chain, Fold, PointPolygon, SearchTree, WeightedPolygon};
    let problems = select(vec![Chain, WeightedPolygon, PointPolygon, SearchTree, Fold]);
    let methods = select(parenthesization::Method::ALL.to_vec());
    (problems, methods, select(Precision::ALL.to_vec()))
        .prop_map(|(problem, method, precision)| Question::Tree(problem, method, precision))
}

fn questions() -> impl Strategy<Value = Question> {
    // One that is not exact answers several inputs alone.
    let scs = supersequence::Method::ALL.into_iter().filter(|&method| method != supersequence::Method::MajorityMerge);
    let substrings = || select(substring::Method::ALL.to_vec());
    prop_oneof![
        2 => select(lcs::Method::ALL.to_vec()).prop_map(Question::Lcs),
        4 => edits(),
        1 => select(scs.collect::<Vec<_>>()).prop_map(Question::Scs),
        1 => select(supersequence::Method::ALL.to_vec()).prop_map(Question::ScsOfThree),
        2 => trees(),
        1 => (substrings(), 2..=3u64).prop_map(|(method, inputs)| Question::Substring(method, inputs)),
        1 => (substrings(), 1..60u64).prop_map(|(method, least)| Question::Matches(method, least)),
        1 => sorts(),
    ]
}

/// Shapes that are not many, so that few kernels are built.
fn tunings() -> impl Strategy<Value = Tuning> {
    let mut crews = vec![(HandOver::Workgroup, 8), (HandOver::Workgroup, 32)];
    crews.extend(support::subgroup_lanes().map(|lanes| (HandOver::Subgroup, lanes)));
    let matching = select(vec![Matching::Planes, Matching::Table]);
    let shapes = (matching, select(crews), select(vec![2, 4]), select(vec![8, 32]), 1..3u32, 1..3u32);
    let forced = shapes.prop_map(|(matching, crew, limbs, columns, steps, directions)| {
        support::tuning(matching, crew, limbs, columns, steps, directions)
    });
    prop_oneof![3 => Just(Tuning::default()), 1 => forced]
}

fn calls() -> impl Strategy<Value = Call> {
    (inputs(), select(Place::ALL.to_vec()), questions(), any::<bool>(), tunings())
        .prop_map(|(input, place, question, path, tuning)| Call { input, place, question, path, tuning })
}

#[test]
fn random_calls_give_the_answers_of_the_references() {
    let failures = FileFailurePersistence::Direct("tests/calls/random.failures");
    let cases = std::env::var("PROPTEST_CASES").ok().and_then(|text| text.parse().ok()).unwrap_or(CALLS);
    let config = Config { cases, failure_persistence: Some(Box::new(failures)), ..Config::default() };
    if let Err(failure) = TestRunner::new(config).run(&calls(), |call| check::check(&call)) {
        panic!("{failure}");
    }
    // The others are refused, or have no GPU.
    let answered = check::ANSWERED.load(Ordering::Relaxed);
    assert!(answered >= cases as usize / 5, "{answered} of {cases} calls were answered");
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
