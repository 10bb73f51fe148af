//! Real weights: costs bit for bit, single precision, points and weights of every size.

use support::calls::Calls;
use support::inputs::Random;
use support::trees::{GPU_METHODS, options};
use swath::parenthesization::{
    Arithmetic, Method, PointPolygon, Precision, Problem, SearchTree, Shader, Value as _,
    WeightedPolygon,
};
use swath::unstable::parenthesization::{ParenthesizationOptions, Tuning, reference};
use swath::{Engine, Error, Options};

/// Options for single precision.
fn single(method: Method) -> ParenthesizationOptions {
    let mut call_options = options(method, Tuning::default());
    call_options.precision = Precision::Single;
    call_options
}

/// The GPU, if its shaders have double precision.
fn gpu_with_doubles() -> Option<&'static Engine> {
    let engine = support::gpu()?;
    let polygon = WeightedPolygon::new(vec![0.5; 3]).expect("weights");
    match engine.parenthesize(&polygon, &options(Method::Tiled, Tuning::default())) {
        Ok(_) => Some(engine),
        Err(Error::MethodUnavailable { .. }) => {
            eprintln!("skipped: the GPU has no double precision");
            None
        }
        Err(error) => panic!("{error}"),
    }
}

#[test]
fn real_weights_are_in_single_precision_only_where_that_is_asked_for() {
    let polygon = WeightedPolygon::new(vec![0.5; 90]).expect("weights");
    let arithmetic = |engine: &Engine, call_options| {
        let answer = engine
            .parenthesize(&polygon, &call_options)
            .expect("it is solved");
        assert_eq!(
            answer.arithmetic.is_approximate(),
            answer.arithmetic == Arithmetic::F32
        );
        assert_eq!(answer.cost, 0.125 * 88.0);
        answer.arithmetic
    };
    let exact = || options(Method::Tiled, Tuning::default());
    let auto = Engine::new(Options::default()).expect("it opens");
    assert_eq!(arithmetic(&auto, exact()), Arithmetic::F64);
    assert_eq!(arithmetic(support::cpu(), exact()), Arithmetic::F64);
    assert_eq!(
        arithmetic(support::cpu(), single(Method::Tiled)),
        Arithmetic::F64
    );
    let Some(engine) = gpu_with_doubles() else {
        return;
    };
    assert_eq!(arithmetic(engine, exact()), Arithmetic::F64);
    assert_eq!(arithmetic(engine, single(Method::Tiled)), Arithmetic::F32);
}

#[test]
fn a_gpu_finds_the_costs_of_real_weights_bit_for_bit() {
    let Some(engine) = gpu_with_doubles() else {
        return;
    };
    let mut random = Random::new(400);
    let noise = |random: &mut Random| random.below(1 << 30) as f64 / f64::from(1 << 20);
    let weights: Vec<f64> = (0..400).map(|_| 100_000.0 + noise(&mut random)).collect();
    let corners: Vec<[f64; 2]> = (0..200)
        .map(|_| [noise(&mut random), noise(&mut random)])
        .collect();
    let keys: Vec<f64> = (0..200).map(|_| noise(&mut random)).collect();
    for method in GPU_METHODS {
        let call_options = options(method, Tuning::default());
        assert_same(
            engine,
            &WeightedPolygon::new(weights.clone()).expect("weights"),
            &call_options,
        );
        assert_same(
            engine,
            &PointPolygon::new(corners.clone()).expect("corners"),
            &call_options,
        );
        assert_same(
            engine,
            &SearchTree::new(keys.clone(), vec![]).expect("weights"),
            &call_options,
        );
    }
}

/// Requires the CPU's tree and cost.
#[track_caller]
fn assert_same<P: Problem<Value = f64>>(
    engine: &Engine,
    problem: &P,
    call_options: &ParenthesizationOptions,
) {
    let on_gpu = engine
        .parenthesize(problem, call_options)
        .expect("it is solved");
    let on_cpu = support::cpu().parenthesize(problem, &options(Method::Tiled, Tuning::default()));
    let on_cpu = on_cpu.expect("it is solved");
    assert!(on_gpu.tree == on_cpu.tree, "{call_options:?}");
    assert_eq!(
        on_gpu.cost.to_bits(),
        on_cpu.cost.to_bits(),
        "{call_options:?}"
    );
}

/// All engines with their options; the last is approximate.
fn real_engines() -> Vec<(&'static Engine, ParenthesizationOptions)> {
    let exact = || options(Method::Tiled, Tuning::default());
    let mut all = vec![
        (support::cpu(), exact()),
        (
            support::cpu(),
            options(Method::Reference, Tuning::default()),
        ),
    ];
    all.extend(gpu_with_doubles().map(|engine| (engine, exact())));
    all.extend(support::gpu().map(|engine| (engine, single(Method::Tiled))));
    all
}

#[test]
fn weights_of_every_size_are_scaled_so_that_their_products_fit() {
    for (engine, call_options) in real_engines() {
        let cost = |weights: &[f64]| {
            let answer = engine.parenthesize(
                &WeightedPolygon::new(weights.to_vec()).expect("weights"),
                &call_options,
            );
            answer.map(|answer| answer.cost)
        };
        for size in [1e-14, 1e-70, 1.0, 2e13, 1e60, 1e102] {
            for count in [3, 5, 40, 130] {
                let found = cost(&vec![size; count]).expect("it fits");
                let expected = size * size * size * (count - 2) as f64;
                assert!(
                    (found / expected - 1.0).abs() < 1e-12,
                    "{found} not {expected} {size} {call_options:?}"
                );
            }
            let found =
                cost(&[size, 2.0 * size, 3.0 * size, 4.0 * size]).expect("it fits") / size.powi(3);
            assert!(
                (found - 18.0).abs() < 1e-12,
                "{found} {size} {call_options:?}"
            );
        }
        assert_eq!(
            cost(&[1e-120; 5]).expect("it is solved"),
            0.0,
            "no number is as small"
        );
        assert_eq!(cost(&[1e200, 1e200, 0.0, 1e200]).expect("it fits"), 0.0);
        // Single precision cannot hold both.
        for weights in [[f64::MAX, 1e180, 0.0], [f64::MAX, 1e60, 0.0]] {
            match call_options.precision {
                Precision::Exact => assert_eq!(cost(&weights).expect("it fits"), 0.0),
                _ => assert_needs_exact(cost(&weights)),
            }
        }
        let refused = cost(&[1e110; 6]).expect_err("it does not fit");
        assert!(
            matches!(
                refused,
                Error::CostOverflow {
                    items: "sides",
                    limit: "1.79e308",
                    ..
                }
            ),
            "{refused:?}"
        );
    }
    let refused = WeightedPolygon::new(vec![1.0, 5e-324, 1.0])
        .expect_err("they are too far apart")
        .to_string();
    assert!(refused.contains("2^840"), "{refused}");
}

/// Requires a refusal that names the other precision.
#[track_caller]
fn assert_needs_exact(answer: Result<f64, Error>) {
    let refused = answer.expect_err("single precision cannot hold it");
    assert!(
        matches!(&refused, Error::InvalidWeight { .. }) && refused.to_string().contains("'exact'"),
        "{refused}"
    );
}

#[test]
fn single_precision_answers_within_its_rounding_or_refuses() {
    let Some(engine) = support::gpu() else { return };
    let auto = Engine::new(Options::default()).expect("it opens");
    let mut random = Random::new(20);
    for span in [0, 10, 40, 71, 72, 73, 100, 126, 200, 400, 800] {
        for count in [3, 4, 5, 9, 40] {
            for zeros in [0, 1] {
                let power = |exponent: u64| 2f64.powi(exponent as i32 - span as i32 * 2 / 3);
                let mut weights: Vec<f64> = (0..count)
                    .map(|_| power(random.below(span + 1)) * (1.0 + random.below(4) as f64 / 8.0))
                    .collect();
                // The least and the greatest, at places of any distance.
                weights[0] = power(0);
                weights[1 + random.below(count - 1) as usize] = power(span);
                if zeros > 0 {
                    weights[count as usize / 2] = 0.0;
                }
                let greatest = weights.iter().copied().fold(0.0, f64::max);
                let least = weights.iter().copied().filter(|&weight| weight > 0.0);
                let least = least.fold(f64::INFINITY, f64::min);
                let polygon = WeightedPolygon::new(weights.clone()).expect("weights");
                let (expected, _) = reference::solve(&polygon).expect("it fits");
                let expected = expected.scaled(polygon.unit());
                let answer = engine.parenthesize(&polygon, &single(Method::Tiled));
                match answer.map(|answer| answer.cost) {
                    Ok(cost) => {
                        let slack = 1e-5 * count as f64;
                        assert!(
                            cost >= expected && cost <= expected * (1.0 + slack),
                            "{cost} not {expected}: {weights:?}"
                        );
                    }
                    refused => {
                        assert!(greatest / least > 2f64.powi(71), "{weights:?}");
                        assert_needs_exact(refused);
                    }
                }
                let answer = auto.parenthesize(&polygon, &single(Method::Tiled));
                answer.expect("without a named device, the CPU answers");
            }
        }
    }
}

/// Weights of its own, one per leaf: a split costs the weight of its point.
struct Points(Vec<f64>);

impl Problem for Points {
    type Value = f64;

    fn leaves(&self) -> usize {
        self.0.len()
    }

    fn weight(&self, _i: usize, k: usize, _j: usize) -> f64 {
        self.0[k]
    }

    fn greatest_weight(&self) -> f64 {
        f64::MAX
    }

    fn inputs(&self) -> Vec<f64> {
        self.0.clone()
    }

    fn shader(&self) -> Option<Shader> {
        Some(Shader::new(
            "points",
            "alias Outer = u32;
             alias Inner = Value;
             fn leaf(i: u32) -> Value { return value(0u); }
             fn outer(i: u32, j: u32) -> Outer { return i; }
             fn inner(k: u32) -> Inner { return inputs[k]; }
             fn weight(outer: Outer, inner: Inner) -> Value { return inner; }",
        ))
    }
}

#[test]
fn user_weights_beyond_single_precision_are_refused_in_it() {
    let Some(engine) = support::gpu().filter(|_| !support::is_cuda()) else {
        return;
    };
    let cost = |size: f64| {
        let points = Points((0..30).map(|k| size * f64::from(k % 7 + 1)).collect());
        let answer = engine.parenthesize(&points, &single(Method::Tiled))?;
        let expected: f64 = points.0[1..].iter().sum();
        assert!((answer.cost / expected - 1.0).abs() < 1e-5, "{size}");
        Ok(answer.cost)
    };
    for size in [1e-20, 1.0, 1e30] {
        cost(size).expect("single precision holds it");
    }
    for size in [1e-300, 1e-60, 1e-38, 1e40, 1e300] {
        assert_needs_exact(cost(size));
    }
}

#[test]
fn corners_far_from_the_origin_have_their_distances() {
    for (engine, asked) in real_engines() {
        for far in [[0.0, 0.0], [1e9, -1e9], [3e6, 5.0], [-1e12, 1e12]] {
            let unit: Vec<[f64; 2]> = (0..40)
                .map(|corner| {
                    let angle = f64::from(corner) * std::f64::consts::TAU / 40.0;
                    [angle.cos(), angle.sin()].map(|side| (side * 64.0).round())
                })
                .collect();
            let moved = unit.iter().map(|&[x, y]| [x + far[0], y + far[1]]);
            let cost = |corners: Vec<[f64; 2]>| {
                let polygon = PointPolygon::new(corners).expect("corners");
                engine.parenthesize(&polygon, &asked).expect("it fits").cost
            };
            let (here, there) = (cost(unit.clone()), cost(moved.collect()));
            let slack = if asked.precision == Precision::Exact {
                1e-12
            } else {
                1e-5
            };
            assert!(
                (here / there - 1.0).abs() < slack,
                "{here} {there} {far:?} {asked:?}"
            );
        }
    }
}

#[test]
fn corners_of_every_size_have_their_distances() {
    for (engine, call_options) in real_engines() {
        let cost = |corners: &[[f64; 2]]| {
            engine
                .parenthesize(
                    &PointPolygon::new(corners.to_vec()).expect("corners"),
                    &call_options,
                )
                .map(|answer| answer.cost)
        };
        for size in [1e-310, 1e-200, 1e-20, 1.0, 1e20, 1e200, 1e307] {
            let found =
                cost(&[[0.0, 0.0], [3.0 * size, 0.0], [3.0 * size, 4.0 * size]]).expect("it fits");
            assert!(
                (found / size - 12.0).abs() < 1e-10,
                "{found} {size} {call_options:?}"
            );
            let square = [[-size, -size], [size, -size], [size, size], [-size, size]];
            let expected = 8.0 + 4.0 * f64::sqrt(2.0);
            let found = cost(&square).expect("it fits") / size;
            assert!(
                (found - expected).abs() < 1e-10,
                "{found} {size} {call_options:?}"
            );
        }
        assert_eq!(cost(&[[1e300, -1e300]; 9]).expect("it fits"), 0.0);
        // All coordinates are finite, but their difference is not.
        let refused =
            cost(&[[-1.7e308, 0.0], [1.7e308, 0.0], [0.0, 1.7e308]]).expect_err("it does not fit");
        assert!(
            matches!(
                refused,
                Error::CostOverflow {
                    first: 1,
                    last: 2,
                    limit: "1.79e308",
                    ..
                }
            ),
            "{refused:?}"
        );
    }
}

#[test]
fn search_weights_of_every_size_are_summed() {
    for (engine, call_options) in real_engines() {
        for size in [1e-300, 1e-60, 1.0, 1e60, 1e300] {
            let tree =
                SearchTree::new([4.0, 2.0, 1.0].map(|weight| weight * size).to_vec(), vec![])
                    .expect("weights");
            let found = engine
                .parenthesize(&tree, &call_options)
                .expect("it fits")
                .cost
                / size;
            assert!(
                (found - 11.0).abs() < 1e-12,
                "{found} {size} {call_options:?}"
            );
        }
        let tree = SearchTree::new(vec![5e307; 3], vec![]).expect("weights");
        let refused = engine
            .parenthesize(&tree, &call_options)
            .expect_err("it does not fit");
        assert!(
            matches!(
                refused,
                Error::CostOverflow {
                    limit: "1.79e308",
                    ..
                }
            ),
            "{refused:?}"
        );
    }
    let refused = SearchTree::new(vec![1e308; 3], vec![])
        .expect_err("they do not fit")
        .to_string();
    assert!(
        refused.contains("1.79e308") && !refused.contains("2^64"),
        "{refused}"
    );
}
