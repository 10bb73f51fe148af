//! Calls that together run every kernel, by methods that a CPU has, too.

use std::fmt::Debug;
use std::ops::ControlFlow;

use support::inputs::{Input, Random};
use support::{self, edit, sorts, supersequences, trees};
use swath::pairs::{Measure, PairValue, Pairs, Strings};
use swath::parenthesization::{
    Arithmetic, MatrixChain, Method as TreeMethod, PointPolygon, Precision, Problem, RnaFold,
    SearchTree, WeightedPolygon,
};
use swath::sort::RadixSort;
use swath::unstable::kernels::bit_parallel::{CarryExchange, Matching};
use swath::unstable::sequences::bit_parallel::gpu::tiling::limb_rows;
use swath::unstable::sort::SortTuning;
use swath::unstable::{neighbors, search};
use swath::{
    Edit, Engine, Error, Lcs, Parenthesize, Result, Scs, SelfTest, Substring, Task, edit_distance,
    lcs, substring, supersequence,
};

/// Makes a call and returns its answer as text.
pub type Call = fn(&Engine) -> Result<String>;

fn shown<T: Task<Answer: Debug>>(engine: &Engine, task: &T) -> Result<String> {
    engine
        .run(task)
        .map(|report| format!("{:?}", report.answer))
}

// Subsequences

/// The length by three full strips, so that every lane has rows.
pub fn strips(engine: &Engine, matching: Matching, crew: (CarryExchange, u32)) -> Result<String> {
    let rows = 3 * crew.1 * 2 * limb_rows(support::is_cuda());
    let (a, b) = Input::random(4, rows as usize, 900).bytes();
    let shape = support::tuning(matching, crew, 2, 16, 4, 1);
    shown(
        engine,
        &Lcs::of(&a, &b).with_options(&support::tuned(false, shape)),
    )
}

pub const WORKGROUP: (CarryExchange, u32) = (CarryExchange::Workgroup, 8);

pub fn planes(engine: &Engine) -> Result<String> {
    strips(engine, Matching::Planes, WORKGROUP)
}

pub fn table(engine: &Engine) -> Result<String> {
    strips(engine, Matching::Table, WORKGROUP)
}

/// Two sequences whose best path runs along one side of the band within their distance.
pub fn band(engine: &Engine, is_turned: bool) -> Result<String> {
    let mut random = Random::new(9);
    let [before, both, behind] = [300, 1500, 300].map(|len| random.symbols(len, 4));
    let (a, b) = ([&before[..], &both].concat(), [&both[..], &behind].concat());
    let (a, b) = if is_turned { (b, a) } else { (a, b) };
    let mut options = edit::options(edit_distance::Method::Banded, false);
    options.max_distance = Some(600);
    options.tuning = support::tuning(Matching::Planes, WORKGROUP, 2, 16, 4, 1);
    shown(engine, &Edit::of(&a, &b).with_options(&options))
}

pub fn subsequence(engine: &Engine) -> Result<String> {
    let (a, b) = Input::random(4, 3 * 496, 900).bytes();
    shown(
        engine,
        &Lcs::of(&a, &b).method(lcs::Method::BitParallel).path(),
    )
}

pub fn indel_wavefronts(engine: &Engine) -> Result<String> {
    let mut random = Random::new(8);
    let a = random.symbols(1400, 4);
    let b = random.edited(&a, 20, 4);
    shown(engine, &Lcs::of(&a, &b).method(lcs::Method::Wavefront))
}

// Edit distances

pub fn distance(
    engine: &Engine,
    method: edit_distance::Method,
    rows: usize,
    cols: usize,
) -> Result<String> {
    let (a, b) = Input::random(4, rows, cols).pair();
    shown(engine, &Edit::of(&a, &b).method(method))
}

/// Wide enough for several workgroups, with slides of all lengths.
pub fn wavefronts(engine: &Engine) -> Result<String> {
    let mut random = Random::new(5);
    let a = random.symbols(5000, 4);
    let mut b = random.edited(&a, 20, 4);
    b.splice(1000..1000, a[..500].iter().copied());
    // The longer one first: its path stays at the last diagonals of the wavefronts for a while.
    shown(
        engine,
        &Edit::of(&b, &a).method(edit_distance::Method::Wavefront),
    )
}

pub fn pieces(engine: &Engine) -> Result<String> {
    let mut random = Random::new(8);
    let (a, b) = (random.symbols(130, 4), random.symbols(5000, 4));
    shown(engine, &Edit::of(&a, &b).infix().starts().path())
}

// Supersequences

pub fn supersequence(engine: &Engine, method: supersequence::Method, path: bool) -> Result<String> {
    let (a, b) = Input::random(4, 300, 280).pair();
    let options = supersequences::options(method, path);
    shown(engine, &Scs::of(&a, &b).with_options(&options))
}

// Substrings

pub fn substrings(engine: &Engine, method: substring::Method) -> Result<String> {
    let mut random = Random::new(8);
    let (a, b) = (random.symbols(400, 4), random.symbols(300, 4));
    let b = [&b[..], &a[100..170]].concat();
    shown(engine, &Substring::of(&a, &b).method(method))
}

// Lists

fn ragged_lists() -> [Strings<'static, u32>; 2] {
    let mut random = Random::new(90);
    [(9, 8), (150, 6)].map(|(count, first)| {
        let string = |place: usize| random.symbols(first + place * 7 % 20, 4);
        Strings::from_slices((0..count).map(string).collect::<Vec<_>>())
    })
}

fn kept(engine: &Engine, pairs: Pairs<'_, u32>) -> Result<String> {
    let mut kept = Vec::new();
    let task = pairs.for_each_kept(|block| {
        kept.extend_from_slice(block.kept);
        ControlFlow::Continue(())
    });
    engine.run(&task)?;
    drop(task);
    Ok(format!("{kept:?}"))
}

/// Every query with every target: lanes that store all values, or some, where there is a bound.
pub fn cross(engine: &Engine, measure: Measure, within: Option<u64>) -> Result<String> {
    let [queries, targets] = ragged_lists();
    let pairs = Pairs::cross(&queries, &targets).measure(measure);
    kept(engine, within.into_iter().fold(pairs, Pairs::within))
}

/// Pairs that share nothing: entries.
pub fn entries(engine: &Engine) -> Result<String> {
    let [queries, targets] = ragged_lists();
    let list = (0..700u32).map(|pair| (pair % 9, pair * 31 % 150));
    kept(
        engine,
        Pairs::list(&queries, &targets, list.collect::<Vec<_>>()),
    )
}

/// Alignments of pairs in windows of different sizes.
pub fn alignments(engine: &Engine) -> Result<String> {
    let mut random = Random::new(91);
    let pair = |place: usize| {
        let a = random.symbols(70 + place * 7 % 300, 4);
        let b = random.edited(&a, 2 + place as u64 % 9, 4);
        (a, b)
    };
    let (a, b): (Vec<_>, Vec<_>) = (0..150).map(pair).unzip();
    let (queries, targets) = (Strings::from_slices(&a), Strings::from_slices(&b));
    let pairs = Pairs::zip(&queries, &targets);
    let values = support::cpu().run(&pairs)?.answer.values;
    let value = |(place, value)| PairValue {
        query: place,
        target: place,
        value,
    };
    let values: Vec<_> = values.iter().enumerate().map(value).collect();
    shown(engine, &pairs.alignments(&values))
}

fn verdict(tests: Vec<SelfTest>) -> Result<String> {
    let [test] = &tests[..] else {
        panic!("one test has this name: {tests:?}")
    };
    match &test.error {
        Some(error) if error.contains("certificate") => {
            Err(Error::CertificateFailed(error.clone()))
        }
        error => {
            assert_eq!(*error, None);
            Ok(test.passed.to_string())
        }
    }
}

/// Strings whose frequent keys, of pieces, go on to keys of deletions.
pub fn near_strings(engine: &Engine) -> Result<String> {
    let name = "neighbors/join levels planes=2".to_string();
    verdict(neighbors::selftest_of(engine, &[name]))
}

/// Patterns of two limbs.
pub fn ends(engine: &Engine) -> Result<String> {
    let name = "search/ends limbs=2 symbols=7".to_string();
    verdict(search::selftest_of(engine, &[name]))
}

// Sorts

/// Keys of which some are equal, so that stability matters, in chunks.
pub fn sorted(engine: &Engine, portable: bool) -> Result<String> {
    let mut random = Random::new(3);
    let keys: Vec<u32> = (0..20_011)
        .map(|_| (random.below(5_000) * 0x0001_0101) as u32)
        .collect();
    let payload: Vec<u32> = (0..keys.len() as u32).collect();
    let mut tuning = SortTuning::default();
    (tuning.portable, tuning.workgroups, tuning.chunk_keys) = (portable, Some(3), Some(12_000));
    shown(
        engine,
        &RadixSort::of(&keys)
            .with_payload(&payload)
            .with_tuning(tuning),
    )
}

/// Tiles of few keys, several of them a pass.
pub fn onesweep(engine: &Engine) -> Result<String> {
    let mut tuning = SortTuning::default();
    (tuning.lanes, tuning.steps, tuning.pass_keys) = (Some(256), Some(2), Some(2_000));
    let keys = sorts::narrow_keys("random", 5_011);
    shown(engine, &RadixSort::of(&keys).with_tuning(tuning))
}

pub fn wide_keys(engine: &Engine) -> Result<String> {
    shown(engine, &RadixSort::of(sorts::wide_keys("random", 20_000)))
}

// Trees

/// Cost and tree, for which the CPU has one method.
fn tree<P: Problem>(
    engine: &Engine,
    problem: &P,
    method: TreeMethod,
    precision: Precision,
    arithmetic: Option<Arithmetic>,
) -> Result<String> {
    let is_cpu = std::ptr::eq(engine, support::cpu());
    let method = if is_cpu {
        TreeMethod::Reference
    } else {
        method
    };
    let mut options = trees::options(method, trees::tuning(8, arithmetic, false));
    options.precision = precision;
    let found = engine.run(&Parenthesize::of(problem).with_options(&options))?;
    // Costs in single precision are rounded.
    let cost = (precision == Precision::Exact).then_some(found.cost);
    Ok(format!("{cost:?} {:?}", found.tree))
}

/// Chains: random, with many splits that tie at the start, so that the tie rule matters; and growing
/// and falling, whose splits are all at one end of their range.
pub fn chain(engine: &Engine, method: TreeMethod) -> Result<String> {
    let mut random = Random::new(12);
    let number = |place: usize| {
        if place < 12 {
            [2, 60][place % 2]
        } else {
            3 + random.below(40)
        }
    };
    let chains = [
        (0..72).map(number).collect(),
        trees::dimensions(2, 72, 1),
        trees::dimensions(3, 72, 1),
    ];
    chains
        .map(MatrixChain::new)
        .iter()
        .map(|chain| tree(engine, chain, method, Precision::Exact, None))
        .collect()
}

/// By tiles, in the least arithmetic or a given one.
fn tiled<P: Problem>(
    engine: &Engine,
    problem: &P,
    arithmetic: Option<Arithmetic>,
) -> Result<String> {
    tree(
        engine,
        problem,
        TreeMethod::Tiled,
        Precision::Exact,
        arithmetic,
    )
}

pub fn chain_in(engine: &Engine, arithmetic: Arithmetic) -> Result<String> {
    // Products that take the high limbs, where there are any.
    let max = if arithmetic == Arithmetic::Limbs {
        5000
    } else {
        50
    };
    let dimensions = trees::dimensions(0, 61, 3).into_iter();
    let chain = MatrixChain::new(dimensions.map(|size| 1 + size * 97 % max).collect());
    tiled(engine, &chain, Some(arithmetic))
}

pub fn fold(engine: &Engine) -> Result<String> {
    let fold = RnaFold::new(&trees::bases(60, 9), 3)?;
    tiled(engine, &fold, None)
}

pub fn search_tree(engine: &Engine) -> Result<String> {
    let tree = SearchTree::new(trees::dimensions(0, 60, 5), vec![])?;
    tiled(engine, &tree, None)
}

pub fn wide_products(engine: &Engine) -> Result<String> {
    let weights = [vec![1 << 17], trees::dimensions(6, 40, 7)].concat();
    let polygon = WeightedPolygon::new(weights)?;
    tiled(engine, &polygon, Some(Arithmetic::U64))
}

/// Weights of very different magnitude.
fn real_weights() -> impl Iterator<Item = f64> {
    let weights = trees::dimensions(0, 60, 11).into_iter();
    weights.map(|weight| weight as f64 / 3.0)
}

pub fn polygon(engine: &Engine, precision: Precision) -> Result<String> {
    let polygon = WeightedPolygon::new(real_weights().collect())?;
    tree(engine, &polygon, TreeMethod::Tiled, precision, None)
}

pub fn points(engine: &Engine) -> Result<String> {
    let corners: Vec<_> = real_weights().collect();
    let corners = corners.chunks_exact(2).map(|pair| [pair[0], pair[1]]);
    let polygon = PointPolygon::new(corners.collect())?;
    tiled(engine, &polygon, None)
}
