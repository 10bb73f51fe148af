//! Self-test of every kernel variant on one device.

use super::problem::Problem;
use super::value::{Arithmetic, Value};
use super::{
    MatrixChain, Method, ParenthesizationOptions, Parenthesize, PointPolygon, Precision, RnaFold,
    SearchTree, Tuning, gpu, reference,
};
use crate::backend::Backend;
use crate::call::phases::Phases;
use crate::engine::{Engine, Round, SelfTest, difference, wait};
use crate::error::Result;
use crate::measure::inputs::dimensions;

/// Leaves per test: several tiles, the last one partial.
const LEAVES: usize = 150;
/// Upper bounds of the dimensions of chains whose costs fit 32 bits, and exceed them.
const SMALL: u64 = 100;
const LARGE: u64 = 1_000;

/// Runs every variant on problems solved by the reference.
pub(crate) fn selftest(
    engine: &Engine,
    backend: Option<&dyn Backend>,
    round: Round<'_>,
) -> Vec<SelfTest> {
    let numbers = |limit| dimensions(LEAVES, limit, 1);
    // Native code supports larger costs.
    let chain = MatrixChain::new(numbers(if backend.is_some() { LARGE } else { 1 << 20 }));
    let tree = SearchTree::new(numbers(100)[1..].to_vec(), numbers(100));
    let bases: Vec<u8> = numbers(4)
        .into_iter()
        .map(|place| b"ACGU"[place as usize - 1])
        .collect();
    let fold = RnaFold::new(&bases, 3);
    let corner = |place: usize| [(place as f64 / 7.0).cos(), (place as f64 / 7.0).sin()];
    let polygon = PointPolygon::new((0..40).map(corner).collect());
    let small = MatrixChain::new(numbers(SMALL));
    let on = Place { engine, backend };
    let mut tests: Vec<(String, Test<'_>)> = variants(backend)
        .into_iter()
        .map(|variant| on.test(&chain, variant))
        .collect();
    let tiled = |name: &str| Variant::new(name, Method::Tiled);
    if backend.is_some() {
        let narrow = METHODS.map(|method| Variant::forced(method, Arithmetic::U32, false));
        tests.extend(narrow.map(|variant| on.test(&small, variant)));
    }
    tests.extend(tree.iter().map(|tree| on.test(tree, tiled("search tree"))));
    tests.extend(fold.iter().map(|fold| on.test(fold, tiled("nussinov"))));
    let float64 = backend.is_none_or(|backend| backend.capabilities().float64);
    for precision in Precision::ALL {
        let is_there = match precision {
            Precision::Exact => float64,
            Precision::Single => backend.is_some(),
        };
        let variant = Variant {
            precision,
            ..tiled(&format!("perimeter {}", precision.name()))
        };
        let polygon = polygon.iter().filter(|_| is_there);
        tests.extend(polygon.map(|polygon| on.test(polygon, variant.clone())));
    }
    round.of(tests, |test| test())
}

#[derive(Clone)]

struct Variant {
    name: String,
    method: Method,
    precision: Precision,
    tuning: Tuning,
}

impl Variant {
    fn new(name: &str, method: Method) -> Self {
        Self {
            name: name.to_string(),
            method,
            precision: Precision::default(),
            tuning: Tuning::default(),
        }
    }

    fn forced(method: Method, arithmetic: Arithmetic, checked_sums: bool) -> Self {
        let tuning = Tuning {
            arithmetic: Some(arithmetic),
            checked_sums,
            ..Tuning::default()
        };
        let sums = if checked_sums { " checked" } else { "" };
        let name = format!("{} {}{sums}", method.name(), arithmetic.name());
        Self {
            tuning,
            ..Self::new(&name, method)
        }
    }
}

/// Variants of the matrix chain test.
fn variants(backend: Option<&dyn Backend>) -> Vec<Variant> {
    let Some(backend) = backend else {
        return vec![
            Variant::new("hu_shing", Method::HuShing),
            Variant::new("cpu tiled", Method::Tiled),
        ];
    };
    let caps = backend.capabilities();
    // Limbs have no precompiled kernel.
    let limbs = !caps.int64 || caps.compiles;
    let forms = [
        (Arithmetic::U64, false, caps.int64),
        (Arithmetic::U64, true, caps.int64),
        (Arithmetic::Limbs, false, limbs),
        (Arithmetic::Limbs, true, limbs),
        (Arithmetic::F64, false, caps.float64),
    ];
    let forms = || forms.into_iter().filter(|&(_, _, there)| there);
    let of = |method| {
        forms().map(move |(arithmetic, checked, _)| Variant::forced(method, arithmetic, checked))
    };
    METHODS.into_iter().flat_map(of).collect()
}

const METHODS: [Method; 3] = [Method::Tiled, Method::Adaptive, Method::ThreadPerSubproblem];

type Test<'a> = Box<dyn FnOnce() -> Result<Option<String>> + Send + 'a>;

/// Where tests run.
#[derive(Clone, Copy)]
struct Place<'a> {
    engine: &'a Engine,
    backend: Option<&'a dyn Backend>,
}

impl<'a> Place<'a> {
    /// A named test of a problem against its reference.
    fn test<P: Problem>(self, problem: &'a P, variant: Variant) -> (String, Test<'a>) {
        let name = format!("parenthesization/{}", variant.name);
        (name, Box::new(move || self.check(problem, &variant)))
    }

    fn check<P: Problem>(self, problem: &P, variant: &Variant) -> Result<Option<String>> {
        let options = ParenthesizationOptions {
            method: variant.method,
            precision: variant.precision,
            tuning: variant.tuning,
            ..ParenthesizationOptions::default()
        };
        let (cost, tree, arithmetic) = match self.backend {
            Some(backend) => {
                let phases = Phases::start();
                let device = self.engine.device(backend, &options.control, &phases);
                let found = wait(gpu::solve(&device, problem, options.method, &options))?;
                let cost = found.tree.verify(problem, found.cost, found.arithmetic)?;
                (cost.scaled(problem.unit()), found.tree, found.arithmetic)
            }
            None => {
                let task = Parenthesize::of(problem).with_options(&options);
                let found = self.engine.run(&task)?.answer;
                (found.cost, found.tree, found.arithmetic)
            }
        };
        let Some((expected, expected_tree)) = reference::solve(problem) else {
            return Ok(Some("the reference overflows".to_string()));
        };
        let expected = expected.scaled(problem.unit());
        let is_one_tree =
            options.method != Method::HuShing && options.precision == Precision::Exact;
        let cost = if cost.agrees(expected, LEAVES, arithmetic) {
            expected
        } else {
            cost
        };
        let tree = is_one_tree.then_some(tree);
        Ok(difference("cost", [cost, expected], tree, &expected_tree))
    }
}
