//! Comparison of random calls with the references.

use std::collections::BTreeMap;
use std::sync::Mutex;

use proptest::prelude::*;
use proptest::test_runner::TestCaseError;

use super::refusals::may_be_refused;
use super::{Call, EditExtras, Place, Question, SortExtras, TreeProblem};
use support::calls::Calls;
use support::inputs::{Input, Random};
use support::{self, edit, trees};
use swath::edit_distance::{self, Distance, EditDistance, Mode};
use swath::parenthesization::{
    self, MatrixChain, PointPolygon, Precision, Problem, RnaFold, SearchTree, WeightedPolygon,
};
use swath::sort::{Key, RadixSort};
use swath::unstable::edit_distance::{EditOptions, reference as edit_reference};
use swath::unstable::lcs::{LcsOptions, reference};
use swath::unstable::parenthesization::ParenthesizationOptions;
use swath::unstable::sort::reference as sort_reference;
use swath::unstable::substring::{SubstringOptions, reference as substring_reference};
use swath::unstable::supersequence::ScsOptions;
use swath::{Block, Engine, Error, Scs, Substring, substring, supersequence};

/// Number of calls, and of those that were answered.
#[derive(Clone, Copy, Debug, Default)]
pub struct Seen {
    pub calls: usize,
    pub answered: usize,
}

/// Counts by place and kind of question.
static SEEN: Mutex<BTreeMap<(&str, &str), Seen>> = Mutex::new(BTreeMap::new());

/// Counts of one kind of question in a place; of all kinds for an empty name.
pub fn seen(place: Place, question: &str) -> Seen {
    let seen = SEEN.lock().expect("unharmed");
    let wanted = seen
        .iter()
        .filter(|((at, of), _)| *at == place.name() && (question.is_empty() || *of == question));
    wanted.fold(Seen::default(), |sum, (_, seen)| Seen {
        calls: sum.calls + seen.calls,
        answered: sum.answered + seen.answered,
    })
}

fn count(call: &Call, change: impl FnOnce(&mut Seen)) {
    change(
        SEEN.lock()
            .expect("unharmed")
            .entry((call.place.name(), call.question.name()))
            .or_default(),
    );
}

/// Maximum symbols per input for three inputs: with the three-dimensional table, and with pairwise
/// comparison.
const FEW: usize = 40;
const SOME: usize = 250;
/// Maximum leaves of a tree.
const LEAVES: usize = 90;

type Checked = Result<(), TestCaseError>;

pub fn check(call: &Call) -> Checked {
    let Some(engine) = &call.place.engine() else {
        return Ok(());
    };
    count(call, |seen| seen.calls += 1);
    let (a, b) = call.input.pair();
    match &call.question {
        Question::Lcs(method) => check_lcs(engine, call, (&a, &b), *method),
        Question::Edit(method, mode, extras) => {
            check_edit(engine, call, (&a, &b), (*method, *mode), extras)
        }
        Question::Scs(method) => check_scs(engine, call, (&a, &b), *method),
        Question::ScsOfThree(method) => check_scs_of_three(engine, call, *method),
        Question::Tree(problem, method, precision) => {
            check_a_tree(engine, call, *problem, (*method, *precision))
        }
        Question::Substring(method, inputs) => {
            let texts = three(&call.input, SOME);
            let texts: Vec<&[u32]> = texts.iter().map(|text| &text[..]).collect();
            let mut options = SubstringOptions::default();
            (options.method, options.inputs) = (*method, Some(*inputs));
            (options.seed, options.tuning) = (Some(call.input.seed), call.own.substring);
            let task = Substring::of_many(texts.clone()).with_options(&options);
            let Some(found) = allowed(call, engine.run(&task))? else {
                return Ok(());
            };
            let expected = substring_reference::longest(&texts, *inputs as usize, || true)
                .expect("nobody cancels");
            let places = |places: &[substring::Place]| {
                places
                    .iter()
                    .map(|place| (place.input, place.start))
                    .collect::<Vec<_>>()
            };
            let substrings: Vec<_> = found
                .substrings
                .iter()
                .map(|substring| places(&substring.places))
                .collect();
            prop_assert_eq!(
                (found.length, substrings),
                (expected.length, expected.occurrences)
            );
            Ok(())
        }
        Question::Matches(method, least) => {
            let task = Substring::of(&a, &b).min_length(*least).method(*method);
            let Some(found) = allowed(call, engine.run(&task))? else {
                return Ok(());
            };
            let expected = substring_reference::matches(&a, &b, *least as usize, || true)
                .expect("nobody cancels");
            let found: Vec<_> = found
                .matches
                .iter()
                .map(|one| (one.a.start, one.b.start, one.length))
                .collect();
            prop_assert_eq!(found, expected);
            Ok(())
        }
        Question::Sort(extras) => {
            let symbols = a.iter().chain(&b).cycle().take(9 * call.input.rows);
            // Equal symbols give equal keys.
            let keys =
                symbols.map(|&symbol| (u64::from(symbol) + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15));
            match extras.wide {
                true => check_sort(engine, call, &keys.collect::<Vec<_>>(), extras),
                false => check_sort(
                    engine,
                    call,
                    &keys.map(|key| (key >> 20) as u32).collect::<Vec<_>>(),
                    extras,
                ),
            }
        }
    }
}

/// The answer; `None` for a permitted refusal.
pub fn allowed<T>(call: &Call, found: Result<T, Error>) -> Result<Option<T>, TestCaseError> {
    match found {
        Ok(found) => {
            count(call, |seen| seen.answered += 1);
            Ok(Some(found))
        }
        Err(
            Error::MemoryBudget { needed, limit, .. } | Error::TooManyMatches { needed, limit, .. },
        ) if call.place.is_small() && needed > limit => Ok(None),
        Err(Error::EmptyQuery) if call.input.rows == 0 => Ok(None),
        Err(Error::MethodUnavailable { .. }) if may_be_refused(call) => Ok(None),
        Err(error) => Err(TestCaseError::fail(error.to_string())),
    }
}

fn check_lcs(
    engine: &Engine,
    call: &Call,
    (a, b): (&[u32], &[u32]),
    method: swath::lcs::Method,
) -> Checked {
    let mut options = LcsOptions::default();
    (options.method, options.path, options.tuning) = (method, call.path, call.tuning);
    let Some(found) = allowed(call, engine.lcs_with(a, b, &options))? else {
        return Ok(());
    };
    prop_assert_eq!(found.length, reference::length(a, b));
    prop_assert_eq!(
        found.answer.subsequence,
        call.path.then(|| support::expected(a, b))
    );
    Ok(())
}

fn check_edit(
    engine: &Engine,
    call: &Call,
    (a, b): (&[u32], &[u32]),
    (method, mode): (edit_distance::Method, Mode),
    extras: &EditExtras,
) -> Checked {
    let mut options = EditOptions::default();
    (options.method, options.path, options.tuning) = (method, call.path, call.tuning);
    (options.mode, options.max_distance) = (mode, extras.bound);
    (options.gaps, options.starts) = (extras.gaps, extras.starts);
    let Some(found) = allowed(call, engine.edit_distance_with(a, b, &options))? else {
        return Ok(());
    };
    let (distance, ends) = edit_reference::ends(a, b, mode);
    if let Some(bound) = extras.bound.filter(|&bound| distance > bound) {
        prop_assert_eq!(found.distance, Distance::MoreThan(bound));
        prop_assert!(found.pieces.is_empty() && found.alignment.is_none());
        return Ok(());
    }
    prop_assert_eq!(found.distance.exactly(), Some(distance));
    if mode == Mode::Global {
        prop_assert!(found.pieces.is_empty());
    } else {
        check_pieces(&found, (a, b), (mode, distance), &ends, extras.starts)?;
    }
    prop_assert_eq!(found.alignment.is_some(), call.path);
    let Some(alignment) = &found.alignment else {
        return Ok(());
    };
    // Verified, and by the cost of the piece.
    prop_assert!(alignment.verify(a, b, distance).is_ok());
    let piece = alignment.piece();
    let compared = &b[piece.clone()];
    prop_assert_eq!(
        edit_reference::distance(a, compared, Mode::Global),
        distance
    );
    if mode != Mode::Global {
        prop_assert_eq!(
            (Some(piece.start), piece.end),
            (found.pieces[0].start, ends[0])
        );
    }
    let in_piece = |block: &Block| Block {
        b: block.b - piece.start,
        ..*block
    };
    let blocks: Vec<_> = alignment.blocks().iter().map(in_piece).collect();
    match extras.gaps {
        None => prop_assert_eq!(blocks, edit::expected(a, compared)),
        Some(side) => prop_assert!(
            edit::gaps_are_at(side, &blocks, a, compared),
            "{:?}",
            blocks
        ),
    }
    Ok(())
}

fn check_pieces(
    found: &EditDistance,
    (a, b): (&[u32], &[u32]),
    (mode, distance): (Mode, u64),
    ends: &[usize],
    starts: bool,
) -> Checked {
    prop_assert!(
        found
            .pieces
            .iter()
            .map(|piece| piece.end)
            .eq(ends.iter().copied())
    );
    for piece in found
        .pieces
        .iter()
        .take(3)
        .filter(|_| starts || mode == Mode::Prefix)
    {
        let infix = || edit_reference::start(a, b, piece.end, distance);
        prop_assert_eq!(
            piece.start,
            Some(if mode == Mode::Prefix { 0 } else { infix() })
        );
    }
    Ok(())
}

fn check_scs(
    engine: &Engine,
    call: &Call,
    (a, b): (&[u32], &[u32]),
    method: supersequence::Method,
) -> Checked {
    let mut options = ScsOptions::default();
    (options.method, options.path) = (method, call.path);
    let Some(found) = allowed(call, engine.scs_with(a, b, &options))? else {
        return Ok(());
    };
    prop_assert_eq!(
        found.length,
        (a.len() + b.len()) as u64 - reference::length(a, b)
    );
    prop_assert_eq!(found.supersequence.is_some(), call.path);
    if let Some(supersequence) = &found.supersequence {
        prop_assert!(supersequence.verify(&[a, b], found.length).is_ok());
    }
    Ok(())
}

/// The pair, and a third sequence with the start of one and the end of the other.
fn three(input: &Input, longest: usize) -> [Vec<u32>; 3] {
    let (mut a, mut b) = input.pair();
    a.truncate(longest);
    b.truncate(longest);
    let c = [&a[..a.len() / 2], &b[b.len() / 3..]].concat();
    [a, b, c]
}

fn check_scs_of_three(engine: &Engine, call: &Call, method: supersequence::Method) -> Checked {
    let inputs = three(&call.input, FEW);
    let inputs = inputs.each_ref().map(|input| &input[..]);
    let task = Scs::of_all(inputs).method(method).with_path(call.path);
    let Some(found) = allowed(call, engine.run(&task))? else {
        return Ok(());
    };
    let shortest = shortest_of_three(inputs);
    prop_assert!(
        found.lower_bound <= shortest && shortest <= found.length,
        "{:?}, not {}",
        found.answer,
        shortest
    );
    prop_assert!(
        !found.exact || found.length == shortest,
        "{:?}, not {}",
        found.answer,
        shortest
    );
    prop_assert_eq!(found.supersequence.is_some(), call.path);
    if let Some(supersequence) = &found.supersequence {
        prop_assert!(supersequence.verify(&inputs, found.length).is_ok());
    }
    Ok(())
}

/// Length of an SCS of three inputs by the three-dimensional table over suffixes: the next symbol
/// is the first of one of them.
fn shortest_of_three([a, b, c]: [&[u32]; 3]) -> u64 {
    let place = |i: usize, j: usize, k: usize| (i * (b.len() + 1) + j) * (c.len() + 1) + k;
    let mut left = vec![0; place(a.len(), b.len(), c.len()) + 1];
    for i in (0..=a.len()).rev() {
        for j in (0..=b.len()).rev() {
            for k in (0..=c.len()).rev() {
                let next = [a.get(i), b.get(j), c.get(k)];
                let behind = |symbol: &u32| {
                    let [x, y, z] = next.map(|other| usize::from(other == Some(symbol)));
                    1 + left[place(i + x, j + y, k + z)]
                };
                left[place(i, j, k)] = next.into_iter().flatten().map(behind).min().unwrap_or(0);
            }
        }
    }
    left[0]
}

fn check_a_tree(
    engine: &Engine,
    call: &Call,
    problem: TreeProblem,
    choice: (parenthesization::Method, Precision),
) -> Checked {
    let (leaves, seed) = (call.input.rows % LEAVES, call.input.seed);
    let weights = |count| trees::dimensions(seed as usize % trees::KINDS, count, seed);
    match problem {
        TreeProblem::Chain => {
            check_tree(engine, call, &MatrixChain::new(weights(leaves + 1)), choice)
        }
        TreeProblem::WeightedPolygon => check_tree(
            engine,
            call,
            &WeightedPolygon::new(weights(leaves + 3)).expect("corners"),
            choice,
        ),
        TreeProblem::PointPolygon => {
            let mut random = Random::new(seed);
            let points = (0..leaves + 3)
                .map(|_| [0; 2].map(|_: i32| random.below(1000) as f64 / 8.0))
                .collect();
            check_tree(
                engine,
                call,
                &PointPolygon::new(points).expect("corners"),
                choice,
            )
        }
        TreeProblem::SearchTree => check_tree(
            engine,
            call,
            &SearchTree::new(weights(leaves), vec![]).expect("weights"),
            choice,
        ),
        TreeProblem::Fold => check_tree(
            engine,
            call,
            &RnaFold::new(&trees::bases(leaves, seed), 3).expect("letters"),
            choice,
        ),
    }
}

fn check_tree<P: Problem>(
    engine: &Engine,
    call: &Call,
    problem: &P,
    (method, precision): (parenthesization::Method, Precision),
) -> Checked {
    let mut options = ParenthesizationOptions::default();
    (options.method, options.precision, options.tuning) = (method, precision, call.own.tree);
    let Some(found) = allowed(call, engine.parenthesize(problem, &options))? else {
        return Ok(());
    };
    // The message is caught and shrunk like other failures.
    trees::assert_is(
        &found,
        trees::expected(problem),
        problem,
        &options,
        &call.input,
    );
    Ok(())
}

fn check_sort<K: Key>(engine: &Engine, call: &Call, keys: &[K], extras: &SortExtras) -> Checked {
    let places: Vec<u32> = (0..keys.len() as u32)
        .map(|place| place ^ 0x5555_0000)
        .collect();
    let task = RadixSort::of(keys)
        .key_bits(extras.bits)
        .with_tuning(call.own.sort);
    let task = if extras.payload {
        task.with_payload(&places)
    } else {
        task
    };
    let Some(found) = allowed(call, engine.run(&task))? else {
        return Ok(());
    };
    let mask = 1u64
        .checked_shl(extras.bits)
        .map_or(u64::MAX, |above| above - 1);
    let (expected, payload) = sort_reference::sort(keys, &places, mask);
    prop_assert!(found.keys == expected, "{:?} of {:?}", found.keys, keys);
    prop_assert_eq!(
        &found.payload,
        if extras.payload { &payload } else { &[][..] }
    );
    Ok(())
}
