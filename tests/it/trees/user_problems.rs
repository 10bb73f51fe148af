//! Problems and shaders of an application.

use super::calls::{discrete_gpu, table_sizes};
use std::collections::BTreeSet;
use support::calls::Calls;
use support::inputs::Random;
use support::trees::{GPU_METHODS, assert_answer, dimensions, options, tuning};
use swath::parenthesization::{Arithmetic, MatrixChain, Method, Precision, Problem, Shader};
use swath::unstable::kernels::Kernel;
use swath::unstable::parenthesization::Tuning;
use swath::unstable::parenthesization::gpu::TableSizes;
use swath::{Engine, Error};

/// Pairwise merging of runs of a file; a merge costs the length of its result times the medium of
/// its input.
#[derive(Debug)]
struct Merges {
    ends: Vec<u64>,
    media: Vec<u64>,
    unchecked: bool,
}

impl Problem for Merges {
    type Value = u64;
    const ITEMS: &'static str = "runs";

    fn leaves(&self) -> usize {
        self.ends.len() - 1
    }

    fn leaf(&self, i: usize) -> u64 {
        self.media[i]
    }

    fn weight(&self, i: usize, k: usize, j: usize) -> u64 {
        (self.ends[j] - self.ends[i]) * self.media[k]
    }

    fn greatest_weight(&self) -> u64 {
        self.ends[self.leaves()] * 9
    }

    fn inputs(&self) -> Vec<u64> {
        self.ends
            .iter()
            .zip(&self.media)
            .flat_map(|(&end, &medium)| [end, medium])
            .collect()
    }

    fn shader(&self) -> Option<Shader> {
        let shader = Shader::new(
            "merges",
            "alias Outer = Value;
             alias Inner = Value;
             fn leaf(i: u32) -> Value { return inputs[2u * i + 1u]; }
             fn outer(i: u32, j: u32) -> Outer { return minus(inputs[2u * j], inputs[2u * i]); }
             fn inner(k: u32) -> Inner { return inputs[2u * k + 1u]; }
             fn weight(outer: Outer, inner: Inner) -> Value { return times(outer, inner); }
            ",
        );
        Some(if self.unchecked {
            // SAFETY: there are two inputs per point, and one more point than leaves.
            unsafe { shader.unchecked() }
        } else {
            shader
        })
    }
}

#[test]
fn a_user_problem_is_solved_by_every_method_on_every_device() {
    let mut random = Random::new(3);
    for leaves in [2, 17, 64, 100] {
        let mut end = 0;
        let mut next = || {
            end += random.below(40);
            end
        };
        let ends: Vec<u64> = (0..=leaves).map(|_| next()).collect();
        let media = (0..=leaves).map(|_| 1 + random.below(9)).collect();
        let mut merges = Merges {
            ends,
            media,
            unchecked: true,
        };
        assert_answer(
            support::cpu(),
            &merges,
            &options(Method::Tiled, Tuning::default()),
            &merges,
        );
        assert_answer(
            support::cpu(),
            &merges,
            &options(Method::Auto, Tuning::default()),
            &merges,
        );
        let Some(engine) = support::gpu() else { return };
        for unchecked in [true, false] {
            merges.unchecked = unchecked;
            for method in GPU_METHODS {
                for limbs in [None, Some(Arithmetic::Limbs)] {
                    assert_answer(
                        engine,
                        &merges,
                        &options(method, tuning(16, limbs, false)),
                        &merges,
                    );
                }
            }
        }
    }
}

/// A matrix chain with the weights of another problem.
struct Borrowed {
    chain: MatrixChain,
    shader: Shader,
    inputs: usize,
}

impl Problem for Borrowed {
    type Value = u64;

    fn leaves(&self) -> usize {
        self.chain.leaves()
    }

    fn weight(&self, i: usize, k: usize, j: usize) -> u64 {
        self.chain.weight(i, k, j)
    }

    fn greatest_weight(&self) -> u64 {
        self.chain.greatest_weight()
    }

    fn inputs(&self) -> Vec<u64> {
        self.chain.inputs()[..self.inputs].to_vec()
    }

    fn shader(&self) -> Option<Shader> {
        Some(self.shader.clone())
    }
}

#[test]
fn library_shaders_run_unchecked_only_with_their_own_inputs() {
    let chain = MatrixChain::new(dimensions(0, 40, 1));
    let shader = chain.shader().expect("it has one");
    let own = Shader::new("own", "");
    for (shader, inputs, checked) in [
        (shader.clone(), 40, false),
        (shader, 39, true),
        (own, 40, true),
    ] {
        let problem = Borrowed {
            chain: chain.clone(),
            shader,
            inputs,
        };
        for method in GPU_METHODS {
            let sizes = table_sizes(&problem, method).expect("it fits");
            let kernels = sizes.plan().plan.kernels;
            assert!(
                kernels
                    .iter()
                    .all(|kernel| kernel.needs_checks() == checked),
                "{method:?} {inputs}"
            );
        }
    }
}

#[test]
fn user_constants_must_be_new_identifiers_and_force_checks() {
    let chain = MatrixChain::new(dimensions(0, 301, 1));
    let kernels = |shader: Shader, method, chunk_bytes| {
        let problem = Borrowed {
            chain: chain.clone(),
            shader,
            inputs: 301,
        };
        let mut tuning = Tuning::default();
        tuning.chunk_bytes = chunk_bytes;
        let sizes = TableSizes::new(&problem, method, Precision::Exact, &discrete_gpu(), &tuning);
        sizes.map(|sizes| sizes.plan().plan.kernels)
    };
    let all = |shader: &Shader| {
        let tables = GPU_METHODS.map(|method| (method, None));
        let made =
            |(method, chunk_bytes)| kernels(shader.clone(), method, chunk_bytes).expect("it fits");
        tables
            .into_iter()
            .chain([(Method::Tiled, Some(128 << 10))])
            .flat_map(made)
            .collect::<Vec<_>>()
    };
    for shader in [chain.shader().expect("it has one"), Shader::new("own", "")] {
        for name in ["A", "a_1", "_LEAST_LOOP"] {
            let right =
                |kernel: &Kernel| kernel.constants.contains(&(name, 3)) && kernel.needs_checks();
            assert!(
                all(&shader.clone().with_constant(name, 3))
                    .iter()
                    .all(right),
                "{name}"
            );
        }
        let refused = |shader| match kernels(shader, Method::Tiled, None) {
            Err(Error::InvalidShader { reason, .. }) => reason,
            made => panic!("{made:?}"),
        };
        let own: Vec<_> = all(&shader)
            .iter()
            .flat_map(|kernel| kernel.constants.clone())
            .collect();
        let taken = own
            .iter()
            .map(|(name, _)| *name)
            .chain(["LANES", "PASSES"])
            .collect::<BTreeSet<_>>();
        assert!(
            taken.contains("CHUNK_TILES") && taken.contains("STEPS"),
            "{taken:?}"
        );
        for name in taken {
            let reason = refused(shader.clone().with_constant(name, 1));
            assert!(
                reason.contains(&format!("a constant {name} of their own")),
                "{reason}"
            );
        }
        let shadows = "A = 0u; fn min(a: u32, b: u32) -> u32 { return b; } const B";
        for name in [shadows, "", "_", "1A", "A-B", "A B", "A__B", "é"] {
            let reason = refused(shader.clone().with_constant(name, 1));
            assert!(
                reason.contains(&format!("{name:?} has to be an identifier")),
                "{reason}"
            );
        }
        let reason = refused(shader.with_constant("A", 1).with_constant("A", 2));
        assert!(reason.contains("two constants A"), "{reason}");
    }
}

#[test]
fn user_constants_that_clash_with_declarations_are_shader_errors() {
    let Some(engine) = support::gpu() else { return };
    let chain = MatrixChain::new(dimensions(0, 40, 1));
    for name in ["TILE", "plus", "Params", "A; fn min"] {
        let shader = chain.shader().expect("it has one").with_constant(name, 1);
        let problem = Borrowed {
            chain: chain.clone(),
            shader,
            inputs: 40,
        };
        let refused = engine
            .parenthesize(&problem, &options(Method::Tiled, Tuning::default()))
            .map(|_| ());
        assert!(
            matches!(refused, Err(Error::InvalidShader { .. })),
            "{name}: {refused:?}"
        );
    }
}

/// Error of the test device for a chain with this shader.
fn refused(engine: &Engine, shader: Shader) -> String {
    let problem = Borrowed {
        chain: MatrixChain::new(dimensions(0, 40, 1)),
        shader,
        inputs: 40,
    };
    let refused = engine
        .parenthesize(&problem, &options(Method::Tiled, Tuning::default()))
        .map(|_| ());
    let Err(Error::InvalidShader {
        name: "unfinished",
        reason,
    }) = refused
    else {
        panic!("{refused:?}")
    };
    reason
}

#[test]
fn a_user_shader_that_does_not_compile_is_refused_with_the_reason() {
    let Some(engine) = support::gpu() else { return };
    // Kernels are compiled concurrently, so which is refused first, and for which name, varies.
    for (source, reason) in [
        ("fn leaf(i: u32) -> Value { return value(0u) }", "expected"),
        ("", "no definition in scope"),
    ] {
        let said = refused(engine, Shader::new("unfinished", source));
        assert!(said.contains(reason), "{said}");
    }
}

/// A problem without inputs, in which every tree of n leaves costs 3 (n - 1).
struct Constant(Shader);

impl Problem for Constant {
    type Value = u64;

    fn leaves(&self) -> usize {
        40
    }

    fn weight(&self, _i: usize, _k: usize, _j: usize) -> u64 {
        3
    }

    fn greatest_weight(&self) -> u64 {
        3
    }

    fn inputs(&self) -> Vec<u64> {
        Vec::new()
    }

    fn shader(&self) -> Option<Shader> {
        Some(self.0.clone())
    }
}

#[test]
fn a_user_shader_reads_buffers_within_bounds_or_is_refused() {
    let Some(engine) = support::gpu() else { return };
    let solve = |leaf: &'static str, declared: &'static str, method| {
        let text = format!(
            "{declared}
             alias Outer = Value;
             alias Inner = u32;
             fn leaf(i: u32) -> Value {{ return {leaf}; }}
             fn outer(i: u32, j: u32) -> Outer {{ return value(3u); }}
             fn inner(k: u32) -> Inner {{ return k; }}
             fn weight(outer: Outer, inner: Inner) -> Value {{ return outer; }}"
        );
        let constant = Constant(Shader::new("constant", text.leak()));
        let answer = engine.parenthesize(&constant, &options(method, Tuning::default()));
        answer.map(|answer| answer.cost)
    };
    for method in GPU_METHODS {
        for read in ["inputs[0]", "inputs[i]", "inputs[i + 4000000000u]"] {
            let cost = solve(read, "", method).expect("there is a value to read");
            assert_eq!(cost, 3 * 39, "{read} {method:?}");
        }
    }
    // Declarations of their own, larger than what is bound, or of nothing that is bound.
    let zero = |read: &str| format!("value({read} * 0u)").leak() as &str;
    for (read, declared) in [
        (
            "own[3]",
            "@group(0) @binding(0) var<storage> own: array<u32, 400>;",
        ),
        (
            "own[3].x",
            "@group(0) @binding(0) var<storage> own: array<vec4<u32>>;",
        ),
        (
            "own[3]",
            "@group(0) @binding(1) var<storage, read_write> own: array<u32, 400000>;",
        ),
        (
            "own[3]",
            "@group(0) @binding(6) var<storage, read_write> own: array<u32>;",
        ),
        (
            "own[3]",
            "@group(1) @binding(0) var<storage> own: array<u32>;",
        ),
        (
            "own[3]",
            "@group(2) @binding(0) var<storage> own: array<u32>;",
        ),
        (
            "own[3].x",
            "@group(1) @binding(0) var<uniform> own: array<vec4<u32>, 400>;",
        ),
        ("own[i]", "var<workgroup> own: array<u32, 4000000>;"),
        ("own", "override own: u32;"),
        ("own()", "fn own() -> u32 { return own(); }"),
    ] {
        let answer = solve(zero(read), declared, Method::Tiled);
        assert!(
            matches!(answer, Ok(cost) if cost == 3 * 39)
                || matches!(
                    answer,
                    Err(Error::InvalidShader {
                        name: "constant",
                        ..
                    })
                ),
            "{declared}: {answer:?}"
        );
        if declared.starts_with("var<workgroup>") {
            let text = answer.expect_err("no device has so much").to_string();
            assert!(text.contains("bytes of workgroup memory"), "{text}");
        }
    }
    assert_eq!(
        solve("inputs[0]", "", Method::Tiled).expect("the device is not lost"),
        3 * 39
    );
}

#[test]
fn shaders_of_the_library_read_inputs_of_unknown_length_within_bounds() {
    let Some(engine) = support::gpu() else { return };
    let chain = MatrixChain::new(dimensions(0, 40, 1));
    // One point too few, which vouching for a shader of the library does not hide.
    // SAFETY: it changes nothing about a shader of the library.
    let shader = unsafe { chain.shader().expect("it has one").unchecked() };
    let problem = Borrowed {
        chain,
        shader,
        inputs: 39,
    };
    for method in GPU_METHODS {
        let answer = engine.parenthesize(&problem, &options(method, Tuning::default()));
        // What the tree costs by the host's weights differs, or it does not.
        let is_refused = matches!(&answer, Err(Error::CertificateFailed(_)));
        assert!(answer.is_ok() || is_refused, "{method:?}: {answer:?}");
    }
}
