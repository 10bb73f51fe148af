//! Random calls of all problems, over methods, modes, bounds, forced kernel shapes and small
//! budgets, against the references. Failures are shrunk, printed, and kept in `random.failures`,
//! which the next run starts with.

mod check;
mod refusals;

use proptest::prelude::*;
use proptest::sample::select;
use proptest::strategy::Union;
use proptest::test_runner::{Config, FileFailurePersistence, TestRunner};

use support::inputs::{Input, Kind};
use swath::edit_distance::{self, Gaps, Mode};
use swath::parenthesization::{self, Arithmetic, Precision};
use swath::unstable::kernels::bit_parallel::{CarryExchange, Matching};
use swath::unstable::lcs::Tuning;
use swath::unstable::parenthesization::Tuning as TreeTuning;
use swath::unstable::sort::SortTuning;
use swath::unstable::substring::search::Tuning as SubstringTuning;
use swath::{Engine, Error, Options, lcs, substring, supersequence};

/// Calls of a run in each tier; `PROPTEST_CASES` asks for others.
const CALLS: [u32; 2] = [50, 250];
/// Calls of one kind in one place, at most, until one is answered.
const MAX_MORE_CALLS: u32 = 100;
/// Longest sequence, longer than two strips of the smallest shapes; and of a few that most shapes
/// split.
const LONGEST: usize = 600;
const LONG: usize = 3000;

/// Where a call runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    Cpu,
    /// With so little memory that paths are split at midpoints.
    SmallCpu,
    Gpu,
    /// Without subgroups and 64-bit integers.
    PortableGpu,
    SmallGpu,
    /// With the shortest possible slices.
    SlicedGpu,
}

impl Place {
    const ALL: [Place; 6] = [
        Place::Cpu,
        Place::SmallCpu,
        Place::Gpu,
        Place::PortableGpu,
        Place::SmallGpu,
        Place::SlicedGpu,
    ];

    /// Host memory of the small CPU, device memory of the small GPU.
    const SMALL: (u64, u64) = (20_000, 60_000);

    /// `None` without a GPU.
    fn engine(self) -> Option<Engine> {
        thread_local! {
            /// Closed when the test ends, and its thread with it: a device holds its kernels.
            static ENGINES: [Option<Engine>; Place::ALL.len()] = engines();
        }
        ENGINES.with(|engines| engines[self as usize].clone())
    }

    fn name(self) -> &'static str {
        [
            "CPU",
            "small CPU",
            "GPU",
            "portable GPU",
            "small GPU",
            "sliced GPU",
        ][self as usize]
    }

    /// True if a call may be refused for lack of memory.
    fn is_small(self) -> bool {
        matches!(self, Place::SmallCpu | Place::SmallGpu)
    }

    fn is_cpu(self) -> bool {
        matches!(self, Place::Cpu | Place::SmallCpu)
    }
}

/// An engine for each place. Two have a device of their own: one without features, and one on whose
/// account nothing else counts.
fn engines() -> [Option<Engine>; Place::ALL.len()] {
    let opened = |change: fn(&mut Options)| {
        let mut options = support::gpu_options()?;
        change(&mut options);
        Some(Engine::new(options).expect("it opens"))
    };
    let sliced = support::gpu_options().map(|options| options.slice_ms(1));
    [
        Some(support::cpu().clone()),
        Some(support::cpu_with_memory(Place::SMALL.0)),
        support::gpu().cloned(),
        opened(|options| options.portable = true),
        opened(|options| options.device_memory = Some(Place::SMALL.1)),
        sliced.and_then(support::gpu_with),
    ]
}

/// A problem with its options.
#[derive(Clone, Debug)]
enum Question {
    Lcs(lcs::Method),
    Edit(edit_distance::Method, Mode, EditExtras),
    Scs(supersequence::Method),
    /// Of the pair and a third sequence made from both.
    ScsOfThree(supersequence::Method),
    Tree(TreeProblem, parenthesization::Method, Precision),
    /// In at least this many of the same three.
    Substring(substring::Method, u64),
    /// With at least this length.
    Matches(substring::Method, u64),
    Sort(SortExtras),
}

impl Question {
    fn name(&self) -> &'static str {
        match self {
            Question::Lcs(_) => "lcs",
            Question::Edit(..) => "edit",
            Question::Scs(_) => "scs",
            Question::ScsOfThree(_) => "scs of three",
            Question::Tree(..) => "tree",
            Question::Substring(..) => "substring",
            Question::Matches(..) => "matches",
            Question::Sort(_) => "sort",
        }
    }
}

/// Options of an edit distance.
#[derive(Clone, Debug)]
struct EditExtras {
    bound: Option<u64>,
    gaps: Option<Gaps>,
    starts: bool,
}

/// Options of a sort.
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
    own: OwnTunings,
}

/// Tunings of kernels other than pairwise tables.
#[derive(Clone, Copy, Debug, Default)]
struct OwnTunings {
    tree: TreeTuning,
    sort: SortTuning,
    substring: SubstringTuning,
}

fn inputs() -> impl Strategy<Value = Input> {
    let letters = select(vec![1, 2, 3, 4, 5, 26, 256, 1000]);
    let lengths = || prop_oneof![15 => 0..LONGEST, 1 => LONGEST..LONG];
    (
        select(Kind::ALL.to_vec()),
        letters,
        lengths(),
        lengths(),
        1..1000u64,
    )
        .prop_map(|(kind, letters, rows, cols, seed)| Input {
            kind,
            letters,
            rows,
            cols,
            seed,
        })
}

fn edits() -> impl Strategy<Value = Question> {
    let bounds = prop_oneof![
        Just(None),
        (0..LONGEST as u64).prop_map(Some),
        (0..20u64).prop_map(Some)
    ];
    let gaps = select(vec![None, Some(Gaps::Left), Some(Gaps::Right)]);
    let extras = (bounds, gaps, any::<bool>());
    let extras = extras.prop_map(|(bound, gaps, starts)| EditExtras {
        bound,
        gaps,
        starts,
    });
    let methods = select(edit_distance::Method::ALL.to_vec());
    (methods, select(Mode::ALL.to_vec()), extras)
        .prop_map(|(method, mode, extras)| Question::Edit(method, mode, extras))
}

fn sorts() -> impl Strategy<Value = Question> {
    let extras = (
        select(vec![0, 1, 7, 8, 9, 24, 31, 32, 33, 63, 64, 99]),
        any::<bool>(),
        any::<bool>(),
    );
    extras.prop_map(|(bits, wide, payload)| {
        Question::Sort(SortExtras {
            bits,
            wide,
            payload,
        })
    })
}

fn trees() -> impl Strategy<Value = Question> {
    use TreeProblem::{Chain, Fold, PointPolygon, SearchTree, WeightedPolygon};
    let problems = select(vec![Chain, WeightedPolygon, PointPolygon, SearchTree, Fold]);
    let methods = select(parenthesization::Method::ALL.to_vec());
    (problems, methods, select(Precision::ALL.to_vec()))
        .prop_map(|(problem, method, precision)| Question::Tree(problem, method, precision))
}

/// All kinds of questions: weight, name, strategy.
fn kinds() -> Vec<(u32, &'static str, BoxedStrategy<Question>)> {
    // Heuristic methods apply to several inputs only.
    let scs = supersequence::Method::ALL
        .into_iter()
        .filter(|&method| method != supersequence::Method::MajorityMerge);
    let substrings = || select(substring::Method::ALL.to_vec());
    vec![
        (
            2,
            "lcs",
            select(lcs::Method::ALL.to_vec())
                .prop_map(Question::Lcs)
                .boxed(),
        ),
        (4, "edit", edits().boxed()),
        (
            1,
            "scs",
            select(scs.collect::<Vec<_>>())
                .prop_map(Question::Scs)
                .boxed(),
        ),
        (
            1,
            "scs of three",
            select(supersequence::Method::ALL.to_vec())
                .prop_map(Question::ScsOfThree)
                .boxed(),
        ),
        (2, "tree", trees().boxed()),
        (
            1,
            "substring",
            (substrings(), 2..=3u64)
                .prop_map(|(method, inputs)| Question::Substring(method, inputs))
                .boxed(),
        ),
        (
            1,
            "matches",
            (substrings(), 1..60u64)
                .prop_map(|(method, least)| Question::Matches(method, least))
                .boxed(),
        ),
        (1, "sort", sorts().boxed()),
    ]
}

/// A few shapes only, to limit compiled kernels.
fn tunings() -> impl Strategy<Value = Tuning> {
    let mut crews = vec![
        (CarryExchange::Workgroup, 8),
        (CarryExchange::Workgroup, 32),
    ];
    crews.extend(support::subgroup_lanes().map(|lanes| (CarryExchange::Subgroup, lanes)));
    let matching = select(vec![Matching::Planes, Matching::Table]);
    let shapes = (
        matching,
        select(crews),
        select(vec![2, 4]),
        select(vec![8, 32]),
        1..3u32,
        1..3u32,
    );
    let replay_bytes = select(vec![None, Some(0), Some(1 << 12), Some(1 << 20)]);
    let forced = (shapes, replay_bytes).prop_map(
        |((matching, crew, limbs, columns, steps, directions), replay_bytes)| {
            let shape = support::tuning(matching, crew, limbs, columns, steps, directions);
            Tuning {
                replay_bytes,
                ..shape
            }
        },
    );
    prop_oneof![3 => Just(Tuning::default()), 1 => forced]
}

fn tree_tunings() -> impl Strategy<Value = TreeTuning> {
    let arithmetic = select(vec![None, Some(Arithmetic::U64), Some(Arithmetic::Limbs)]);
    (
        select(vec![None, Some(8), Some(16)]),
        arithmetic,
        any::<bool>(),
    )
        .prop_map(|(tile, arithmetic, checked_sums)| {
            let mut tuning = TreeTuning::default();
            (tuning.tile, tuning.arithmetic, tuning.checked_sums) =
                (tile, arithmetic, checked_sums);
            tuning
        })
}

fn sort_tunings() -> impl Strategy<Value = SortTuning> {
    let ways = (any::<bool>(), any::<bool>());
    let workgroups = select(vec![None, Some(1), Some(3)]);
    let keys = (
        select(vec![None, Some(1), Some(3000)]),
        select(vec![None, Some(1), Some(1000)]),
    );
    (ways, workgroups, keys).prop_map(|(ways, workgroups, keys)| {
        let mut tuning = SortTuning::default();
        (tuning.portable, tuning.counts_each_digit) = ways;
        (tuning.workgroups, (tuning.chunk_keys, tuning.pass_keys)) = (workgroups, keys);
        tuning
    })
}

fn substring_tunings() -> impl Strategy<Value = SubstringTuning> {
    let filters = (
        select(vec![None, Some(1), Some(3), Some(100)]),
        select(vec![None, Some(16), Some(64)]),
    );
    let parts = (
        select(vec![None, Some(10)]),
        select(vec![None, Some(10)]),
        select(vec![None, Some(8192)]),
    );
    (filters, parts, any::<bool>()).prop_map(|(filters, parts, portable)| {
        let mut tuning = SubstringTuning::default();
        (tuning.start_length, tuning.capacity) = filters;
        (
            tuning.bitmap_log2,
            tuning.partition_log2,
            tuning.chunk_symbols,
        ) = parts;
        tuning.portable = portable;
        tuning
    })
}

fn own_tunings() -> impl Strategy<Value = OwnTunings> {
    let forced = (tree_tunings(), sort_tunings(), substring_tunings());
    let forced = forced.prop_map(|(tree, sort, substring)| OwnTunings {
        tree,
        sort,
        substring,
    });
    prop_oneof![2 => Just(OwnTunings::default()), 1 => forced]
}

fn calls(
    places: Vec<Place>,
    questions: impl Strategy<Value = Question>,
) -> impl Strategy<Value = Call> {
    (
        inputs(),
        select(places),
        questions,
        any::<bool>(),
        tunings(),
        own_tunings(),
    )
        .prop_map(|(input, place, question, path, tuning, own)| Call {
            input,
            place,
            question,
            path,
            tuning,
            own,
        })
}

/// Requires an answer of every kind in a place; makes more calls until one is answered.
fn assert_some_are_answered(place: Place) {
    for (_, name, kind) in kinds() {
        let is_answered = || check::seen(place, name).answered > 0;
        let config = Config {
            cases: MAX_MORE_CALLS,
            failure_persistence: None,
            ..Config::default()
        };
        let check_call = |call| {
            if is_answered() {
                Ok(())
            } else {
                check::check(&call)
            }
        };
        if let Err(failure) = TestRunner::new(config).run(&calls(vec![place], kind), check_call) {
            panic!("{failure}");
        }
        assert!(
            is_answered(),
            "no call of {name} is answered by a {}",
            place.name()
        );
    }
}

#[test]
fn random_calls_give_the_answers_of_the_references() {
    let failures = FileFailurePersistence::Direct(concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/it/calls/random.failures"
    ));
    let cases = std::env::var("PROPTEST_CASES")
        .ok()
        .and_then(|text| text.parse().ok())
        .unwrap_or(CALLS[usize::from(support::tier::is_full())]);
    let config = Config {
        cases,
        failure_persistence: Some(Box::new(failures)),
        ..Config::default()
    };
    let kinds = kinds()
        .into_iter()
        .map(|(weight, _, kind)| (weight, kind))
        .collect();
    let calls = calls(Place::ALL.to_vec(), Union::new_weighted(kinds));
    if let Err(failure) = TestRunner::new(config).run(&calls, |call| check::check(&call)) {
        panic!("{failure}");
    }
    for place in Place::ALL
        .into_iter()
        .filter(|place| place.engine().is_some())
    {
        let check::Seen { calls, answered } = check::seen(place, "");
        // In a few calls all may be refused.
        let are_enough = place.is_small() || calls < 25 || answered * 3 >= calls;
        assert!(
            are_enough,
            "a {} answered {answered} of {calls} calls",
            place.name()
        );
        assert_some_are_answered(place);
    }
}

#[test]
fn a_refusal_that_is_not_listed_is_noticed() {
    let input = Input::random(4, 30, 20);
    let is_allowed = |place, question: &Question, path, error: Error| {
        let call = Call {
            input,
            place,
            question: question.clone(),
            path,
            tuning: Tuning::default(),
            own: OwnTunings::default(),
        };
        check::allowed::<()>(&call, Err(error)).is_ok()
    };
    let unavailable = || Error::MethodUnavailable {
        method: "",
        device: String::new(),
        reason: String::new(),
    };
    let edit = |method, mode| {
        Question::Edit(
            method,
            mode,
            EditExtras {
                bound: None,
                gaps: None,
                starts: false,
            },
        )
    };
    for place in Place::ALL {
        for (is_listed, question, path) in [
            (
                place.is_cpu(),
                Question::Lcs(lcs::Method::ConditionalSum),
                false,
            ),
            (false, Question::Lcs(lcs::Method::BitParallel), true),
            (
                false,
                edit(edit_distance::Method::Tiled, Mode::Global),
                false,
            ),
            (true, edit(edit_distance::Method::Tiled, Mode::Global), true),
            (
                true,
                edit(edit_distance::Method::Wavefront, Mode::Infix),
                false,
            ),
            (
                false,
                edit(edit_distance::Method::BitParallel, Mode::Infix),
                true,
            ),
            (
                false,
                Question::Matches(substring::Method::Anchors, 3),
                false,
            ),
            (
                true,
                Question::Substring(substring::Method::Anchors, 2),
                false,
            ),
            (false, Question::Scs(supersequence::Method::RowWise), true),
        ] {
            assert_eq!(
                is_allowed(place, &question, path, unavailable()),
                is_listed,
                "{place:?} {question:?} {path}"
            );
        }
        let lcs = Question::Lcs(lcs::Method::BitParallel);
        let tuning = Error::InvalidTuning {
            knob: "",
            value: 1,
            allowed: String::new(),
        };
        assert!(!is_allowed(place, &lcs, false, tuning));
        assert!(!is_allowed(
            place,
            &lcs,
            false,
            Error::TooManySymbols {
                method: "",
                actual: 2,
                limit: 1,
                remedy: ""
            }
        ));
    }
}
