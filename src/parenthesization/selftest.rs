//! Self-test of every kernel variant on one device.

use super::problem::Problem;
use super::value::{Arithmetic, Value};
use super::{
    MatrixChain, Method, ParenthesizationOptions, Parenthesize, PointPolygon, Precision, RnaFold,
    SearchTree, Tuning, gpu, reference,
};
use crate::backend::Backend;
use crate::call::phases::Phases;
use crate::engine::{Engine, Round, SelfTest, wait};
use crate::error::Result;

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
    let numbers = |limit: u64| numbers(LEAVES + 1, limit);
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
    let mut tests: Vec<(String, Test<'_>)> = variants(backend)
        .into_iter()
        .map(|variant| test(engine, backend, &chain, variant))
        .collect();
    let tiled = |name: &str| Variant::new(name, Method::Tiled);
    if backend.is_some() {
        let narrow = METHODS.map(|method| Variant::forced(method, Arithmetic::U32, false));
        tests.extend(narrow.map(|variant| test(engine, backend, &small, variant)));
    }
    tests.extend(
        tree.iter()
            .map(|tree| test(engine, backend, tree, tiled("search tree"))),
    );
    tests.extend(
        fold.iter()
            .map(|fold| test(engine, backend, fold, tiled("nussinov"))),
    );
    let float64 = backend.is_none_or(|backend| backend.capabilities().float64);
    let precisions = Precision::ALL
        .into_iter()
        .filter(|&precision| match precision {
            Precision::Exact => float64,
            Precision::Single => backend.is_some(),
        });
    for precision in precisions {
        let variant = |_| Variant {
            precision,
            ..tiled(&format!("perimeter {}", precision.name()))
        };
        tests.extend(
            polygon
                .iter()
                .map(|polygon| test(engine, backend, polygon, variant(polygon))),
        );
    }
    round.of(tests, |test| test())
}

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

/// A named test of a problem against its reference.
fn test<'a, P: Problem>(
    engine: &'a Engine,
    backend: Option<&'a dyn Backend>,
    problem: &'a P,
    variant: Variant,
) -> (String, Test<'a>) {
    (
        format!("parenthesization/{}", variant.name),
        Box::new(move || checked(engine, backend, problem, variant)),
    )
}

fn checked<P: Problem>(
    engine: &Engine,
    backend: Option<&dyn Backend>,
    problem: &P,
    Variant {
        method,
        precision,
        tuning,
        ..
    }: Variant,
) -> Result<Option<String>> {
    let options = ParenthesizationOptions {
        method,
        precision,
        tuning,
        ..ParenthesizationOptions::default()
    };
    let (cost, tree, arithmetic) = match backend {
        Some(backend) => {
            let phases = Phases::start();
            let device = engine.device(backend, &options.control, &phases);
            let found = gpu::solve(&device, problem, method, &options);
            wait(found).and_then(|found| {
                let cost = found.tree.verify(problem, found.cost, found.arithmetic)?;
                Ok((cost.scaled(problem.unit()), found.tree, found.arithmetic))
            })
        }
        None => engine
            .run(&Parenthesize::of(problem).with_options(&options))
            .map(|report| {
                (
                    report.answer.cost,
                    report.answer.tree,
                    report.answer.arithmetic,
                )
            }),
    }?;
    let expected =
        reference::solve(problem).map(|(cost, tree)| (cost.scaled(problem.unit()), tree));
    let same_tree = method != Method::HuShing && precision == Precision::Exact;
    Ok(match expected {
        None => Some("the reference overflows".to_string()),
        Some((expected, _)) if !cost.agrees(expected, LEAVES, arithmetic) => {
            Some(format!("cost {cost} instead of {expected}"))
        }
        Some((_, expected)) if same_tree && tree != expected => {
            Some("another tree than the reference's".to_string())
        }
        _ => None,
    })
}

/// Fixed pseudo-random numbers from 1 to `limit` (linear congruential generator).
fn numbers(count: usize, limit: u64) -> Vec<u64> {
    let mut state = 1u64;
    let next = || {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        1 + (state >> 33) % limit
    };
    std::iter::repeat_with(next).take(count).collect()
}
