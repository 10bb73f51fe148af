//! Shared by the tests: inputs, the canonical answer, the device.

pub mod application;
pub mod calls;
pub mod damage;
mod device;
pub mod dry_runs;
pub mod edit;
pub mod embedded;
pub mod hooked;
pub mod inputs;
pub mod kernels;
pub mod ptxas;
pub mod sorts;
pub mod substrings;
pub mod supersequences;
pub mod sweeps;
pub mod tasks;
pub mod tier;
pub mod trees;
mod watchdog;

use std::fmt::Debug;
use std::sync::{Arc, OnceLock};

use calls::Calls;
pub use device::{device, gpu, gpu_with, lock_gpu};
use swath::Block;
use swath::lcs::Subsequence;
use swath::lcs::{CommonSubsequence, Method};
use swath::unstable::backend::{Backend, Capabilities, DeviceSession, Shared};
use swath::unstable::kernels::bit_parallel::{CarryExchange, Matching};
use swath::unstable::lcs::reference;
use swath::unstable::lcs::{LcsOptions, Tuning};
use swath::{DeviceChoice, Engine, Error, Options, Report, Symbol};

/// Members of `struct Params` in from_pass.wgsl, in order, as written by
/// src/sequences/bit_parallel/gpu/plan.rs.
pub const SWEEP_PARAMS: [&str; 12] = [
    "first_strip",
    "last_strip",
    "strips",
    "directions",
    "words",
    "pass_step",
    "lag",
    "direction_words",
    "checkpoint_strip",
    "checkpoint_strips",
    "checkpoint_words",
    "checkpoint_step",
];

/// Members of `struct Params` in from_checkpoint.wgsl.
pub const REPLAY_PARAMS: [&str; 11] = [
    "first_strip",
    "first_checkpoint",
    "strips",
    "directions",
    "words",
    "direction",
    "lag",
    "direction_words",
    "skew",
    "top_rows",
    "first_record",
];

/// Members of `struct Params` in range.wgsl, as written by src/sort/plan.rs.
pub const SORT_PARAMS: [&str; 11] = [
    "first",
    "keys",
    "length_at",
    "groups",
    "column",
    "columns",
    "shift",
    "mask",
    "into_first",
    "into_keys",
    "first_group",
];

/// The adapter of the GPU tests: `SWATH_TEST_DEVICE`, otherwise lavapipe, otherwise any.
fn adapter() -> Option<&'static (String, Option<u32>)> {
    static ADAPTER: OnceLock<Option<(String, Option<u32>)>> = OnceLock::new();
    let found = ADAPTER.get_or_init(|| {
        let wanted = std::env::var("SWATH_TEST_DEVICE").unwrap_or("llvmpipe".to_string());
        let mut devices: Vec<_> = swath::devices()
            .into_iter()
            .filter(|device| device.selector != "cpu")
            .collect();
        devices.sort_by_key(|device| !device.name.contains(&wanted) && device.selector != wanted);
        let device = devices.into_iter().next()?;
        let subgroup = device
            .capabilities
            .iter()
            .find(|(name, _)| *name == "subgroup");
        Some((
            device.selector.clone(),
            subgroup.and_then(|(_, lanes)| lanes.parse().ok()),
        ))
    });
    if found.is_none() {
        let required = std::env::var("SWATH_REQUIRE_GPU_TESTS").is_ok_and(|value| value == "1");
        assert!(
            !required,
            "SWATH_REQUIRE_GPU_TESTS=1 and no GPU adapter: install lavapipe (tests/run.sh does)"
        );
        eprintln!("skipped: no GPU adapter is here");
    }
    found.as_ref()
}

/// Options for the test adapter with shader checks; `None` skips the test.
pub fn gpu_options() -> Option<Options> {
    watchdog::watch_this_test();
    let mut options = Options::default();
    options.device = adapter()?.0.parse().unwrap_or(DeviceChoice::Auto);
    options.checked = true;
    Some(options)
}

/// An engine on the test device with a memory budget.
pub fn gpu_with_memory(bytes: u64) -> Option<Engine> {
    let mut options = gpu_options()?;
    options.device_memory = Some(bytes);
    Some(Engine::new(options).expect("the adapter opens"))
}

/// True if the adapter runs CUDA kernels.
pub fn is_cuda() -> bool {
    adapter().is_some_and(|(selector, _)| selector.starts_with("cuda:"))
}

/// Subgroup size of the adapter, if fixed.
pub fn subgroup_lanes() -> Option<u32> {
    adapter()?.1
}

/// The test device, on any API.
#[derive(Clone, Debug)]
pub struct Gpu(Arc<dyn Backend>);

impl Backend for Gpu {
    fn name(&self) -> &str {
        self.0.name()
    }

    fn capabilities(&self) -> &Capabilities {
        self.0.capabilities()
    }

    fn shared(&self) -> &Arc<Shared> {
        self.0.shared()
    }

    fn open_session(&self) -> swath::Result<Box<dyn DeviceSession>> {
        self.0.open_session()
    }
}

/// An engine on the CPU.
pub fn cpu() -> &'static Engine {
    watchdog::watch_this_test();
    static ENGINE: OnceLock<Engine> = OnceLock::new();
    ENGINE.get_or_init(|| {
        let mut options = Options::default();
        options.device = DeviceChoice::Cpu;
        Engine::new(options).expect("the CPU is always there")
    })
}

/// An engine on the CPU with a memory budget.
pub fn cpu_with_memory(bytes: u64) -> Engine {
    let options = Options::new().device(DeviceChoice::Cpu).host_memory(bytes);
    Engine::new(options).expect("the CPU is always there")
}

/// Bytes needed, allowed and sufficient, of an error about too little memory.
#[track_caller]
pub fn memory_budget(error: &Error) -> [u64; 3] {
    match error {
        &Error::MemoryBudget {
            needed,
            limit,
            smallest,
            ..
        } => [needed, limit, smallest],
        _ => panic!("{error}"),
    }
}

pub fn options(method: Method, path: bool) -> LcsOptions {
    let mut options = LcsOptions::default();
    options.method = method;
    options.path = path;
    options
}

/// A fully specified shape of the strip sweep.
pub fn tuning(
    matching: Matching,
    crew: (CarryExchange, u32),
    limbs: u32,
    columns: u32,
    steps: u32,
    directions: u32,
) -> Tuning {
    Tuning {
        matching: Some(matching),
        carry_exchange: Some(crew.0),
        lanes: Some(crew.1),
        limbs: Some(limbs),
        columns: Some(columns),
        steps: Some(steps),
        directions: Some(directions),
        replay_bytes: None,
    }
}

pub fn tuned(path: bool, tuning: Tuning) -> LcsOptions {
    let mut options = options(Method::BitParallel, path);
    options.tuning = tuning;
    options
}

/// Blocks of the canonical path: pairs the common prefix, then the common suffix; `between`, the path
/// of a reference table with the longer side as rows, decides the rest.
fn canonical<S: PartialEq>(
    a: &[S],
    b: &[S],
    between: impl Fn(&[S], &[S]) -> Vec<Block>,
) -> Subsequence {
    let prefix = a.iter().zip(b).take_while(|(x, y)| x == y).count();
    let (a_rest, b_rest) = (&a[prefix..], &b[prefix..]);
    let ends = a_rest.iter().rev().zip(b_rest.iter().rev());
    let suffix = ends.take_while(|(x, y)| x == y).count();
    let a_rest = &a_rest[..a_rest.len() - suffix];
    let b_rest = &b_rest[..b_rest.len() - suffix];
    let is_turned = b_rest.len() > a_rest.len();
    let between = if is_turned {
        between(b_rest, a_rest)
    } else {
        between(a_rest, b_rest)
    };
    let between = between.into_iter().map(|run| {
        let (x, y) = if is_turned {
            (run.b, run.a)
        } else {
            (run.a, run.b)
        };
        block(x + prefix, y + prefix, run.len)
    });
    let first = block(0, 0, prefix);
    let last = block(a.len() - suffix, b.len() - suffix, suffix);
    [first].into_iter().chain(between).chain([last]).collect()
}

pub fn block(a: usize, b: usize, len: usize) -> Block {
    Block { a, b, len }
}

/// The canonical subsequence.
pub fn expected<S: PartialEq>(a: &[S], b: &[S]) -> Subsequence {
    canonical(a, b, |a, b| reference::subsequence(a, b).blocks().to_vec())
}

/// Requires the canonical answer; prints `input` on failure.
#[track_caller]
pub fn assert_answer<S: Symbol + Debug>(
    engine: &Engine,
    (a, b): (&[S], &[S]),
    options: &LcsOptions,
    input: &dyn Debug,
) -> Report<CommonSubsequence> {
    assert_answers(engine, (a, b), std::slice::from_ref(options), input).remove(0)
}

/// [`assert_answer`] for several options, filling the reference table once.
#[track_caller]
pub fn assert_answers<S: Symbol + Debug>(
    engine: &Engine,
    (a, b): (&[S], &[S]),
    options: &[LcsOptions],
    input: &dyn Debug,
) -> Vec<Report<CommonSubsequence>> {
    let expected = expected(a, b);
    let answer = |options: &LcsOptions| {
        let shown = || format!("{options:?}\n{input:?}\n{}", inputs::paste(a, b));
        let answer = engine
            .lcs_with(a, b, options)
            .unwrap_or_else(|error| panic!("{error}\n{}", shown()));
        assert!(
            answer.length == expected.len(),
            "length {} not {}\n{}",
            answer.length,
            expected.len(),
            shown()
        );
        match &answer.subsequence {
            Some(found) => assert!(
                *found == expected,
                "{found:?}\nnot {expected:?}\n{}",
                shown()
            ),
            None => assert!(!options.path, "no subsequence came\n{}", shown()),
        }
        if options.method != Method::Auto {
            assert_eq!(answer.run.method, options.method.name());
        }
        answer
    };
    options.iter().map(answer).collect()
}
