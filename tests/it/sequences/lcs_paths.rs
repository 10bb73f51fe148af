//! Path modes of LCS: Hirschberg's recursion, checkpoints, many buffers.

use super::lcs::{every_kind, tiny};
use support::hooked::{Hooked, Hooks};
use support::inputs::{Input, Kind};
use support::{assert_answer, assert_answers, gpu_with_memory, options, tuned, tuning};
use swath::PathMode;
use swath::lcs::Method;
use swath::unstable::backend::Backend as _;
use swath::unstable::engine::Device;
use swath::unstable::kernels::bit_parallel::{CarryExchange, Matching};
use swath::unstable::lcs::{Tuning, gpu, reference};
use swath::unstable::plan::{BufferId, Plan};
use swath::unstable::sequences::bit_parallel::gpu::checkpoints::CheckpointLayout;
use swath::unstable::sequences::bit_parallel::gpu::tiling::Tiling;
use swath::unstable::sequences::bit_parallel::shape::{Shape, TableKind};
use swath::unstable::sequences::codes::Encoded;

#[test]
fn a_small_host_budget_makes_the_cpu_take_hirschbergs_recursion() {
    let input = Input::random(4, 5000, 4000);
    let (a, b) = input.bytes();
    let mode = |bytes| {
        let engine = support::cpu_with_memory(bytes);
        assert_answer(
            &engine,
            (&a, &b),
            &options(Method::BitParallel, true),
            &input,
        )
        .run
        .path_mode
    };
    assert_eq!(mode(1 << 30), PathMode::StoredBoundaries);
    assert_eq!(mode(3_000), PathMode::Hirschberg);
    assert_eq!(mode(0), PathMode::Hirschberg);
}

#[test]
fn a_small_device_budget_makes_the_gpu_take_hirschbergs_recursion() {
    if support::gpu_options().is_none() {
        return;
    }
    for (matching, columns) in [(Matching::Table, 8), (Matching::Planes, 16)] {
        let tuning = tuning(matching, (CarryExchange::Workgroup, 8), 2, columns, 8, 1);
        let mode = |bytes, input: &Input| {
            let (a, b) = input.bytes();
            let engine = gpu_with_memory(bytes).expect("it is there");
            assert_answer(&engine, (&a, &b), &tuned(true, tuning), input)
                .run
                .path_mode
        };
        let large = Input::random(4, 2600, 2100);
        assert_eq!(mode(16 << 20, &large), PathMode::StoredBoundaries);
        assert_eq!(mode(8_100, &large), PathMode::Hirschberg);
    }
    // Parts below 2^14 cells are solved at once, so only the boundaries of the whole are too large.
    let tuning = Tuning {
        steps: Some(256),
        ..tiny(Matching::Planes, 1)
    };
    let input = Input::random(4, 180, 180);
    let (a, b) = input.bytes();
    let engine = gpu_with_memory(1200).expect("it is there");
    let answer = assert_answer(&engine, (&a, &b), &tuned(true, tuning), &input);
    assert_eq!(answer.run.path_mode, PathMode::Hirschberg);
}

#[test]
fn a_path_is_the_reference_path_in_a_pool_of_many_threads() {
    let Some(engine) = support::gpu() else { return };
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(6)
        .build()
        .expect("threads start");
    let mut inputs: Vec<_> = every_kind().filter(|input| input.letters == 4).collect();
    inputs.push(Input::random(4, 5000, 4000));
    inputs.push(Input {
        kind: Kind::Similar,
        letters: 4,
        rows: 6000,
        cols: 6000,
        seed: 5,
    });
    inputs.push(Input::random(4, 400, 9000));
    for input in inputs {
        let (a, b) = input.pair();
        let all = [
            tuned(true, tiny(Matching::Planes, 2)),
            options(Method::BitParallel, true),
        ];
        pool.install(|| assert_answers(engine, (&a, &b), &all, &input));
        let cpu = [options(Method::BitParallel, true)];
        pool.install(|| assert_answers(support::cpu(), (&a, &b), &cpu, &input));
    }
}

#[test]
fn checkpoints_after_any_number_of_passes_give_the_reference_path() {
    let Some(backend) = support::lock_gpu() else {
        return;
    };
    let input = Input::random(4, 2100, 1500);
    let (a, b) = input.bytes();
    let codes = Encoded::new(&a, &b);
    let wanted = reference::subsequence(&a, &b);
    let tuning = Tuning {
        replay_bytes: Some(0),
        ..tiny(Matching::Planes, 1)
    };
    let shape = Shape::new(TableKind::Lcs, 2100, 1500, codes.alphabet.shared);
    let roomy =
        Tiling::for_path(shape, backend.capabilities(), &tuning, u64::MAX).expect("it plans");
    let (tiling, _) = roomy.expect("all memory is enough");
    let mut passes_taken = Vec::new();
    for passes in [1, 2, 4, 8, 16, 32, 64, 128] {
        let layout = CheckpointLayout::new(&tiling, passes, 0, backend.capabilities().chunk_bytes)
            .expect("it is small");
        let budget_bytes = tiling.size_bytes() + layout.size_bytes(&tiling);
        let taken = Tiling::for_path(shape, backend.capabilities(), &tuning, budget_bytes)
            .expect("it plans");
        let stored = taken.is_some();
        passes_taken.extend(taken.map(|(_, layout)| layout.passes));
        let device = Device {
            budget_bytes,
            ..support::device(&*backend)
        };
        let (found, mode) =
            pollster::block_on(gpu::subsequence(&device, tuning, &codes)).expect("it is solved");
        assert_eq!(mode == PathMode::StoredBoundaries, stored, "{mode}");
        assert!(found == wanted, "passes {passes}, {input:?}");
    }
    passes_taken.sort_unstable();
    passes_taken.dedup();
    assert!(
        passes_taken.len() >= 3,
        "budgets lead to different records: {passes_taken:?}"
    );
}

/// Checks the size of every buffer, in bytes.
#[derive(Clone)]
struct SmallBuffers(u64);

impl Hooks for SmallBuffers {
    fn load(&mut self, plan: &mut Plan, _kept: &[Option<BufferId>]) {
        let largest = plan.buffers.iter().map(|buffer| buffer.size_bytes()).max();
        assert!(largest <= Some(self.0), "{largest:?}");
    }
}

#[test]
fn boundaries_in_many_buffers_give_the_reference_path() {
    let Some(gpu) = support::lock_gpu() else {
        return;
    };
    let mut capabilities = *gpu.capabilities();
    (capabilities.binding_bytes, capabilities.chunk_bytes) = (12_000, 12_000);
    let small = Hooked::new(&gpu, SmallBuffers(capabilities.binding_bytes)).with(capabilities);
    let input = Input::random(4, 2100, 1500);
    let (a, b) = input.bytes();
    let codes = Encoded::new(&a, &b);
    let tuning = tiny(Matching::Planes, 1);
    let shape = Shape::new(TableKind::Lcs, 2100, 1500, codes.alphabet.shared);
    let (_, layout) = Tiling::for_path(shape, &capabilities, &tuning, u64::MAX)
        .expect("it plans")
        .expect("it fits");
    assert!(layout.chunk_words.len() >= 3, "{:?}", layout.chunk_words);
    let device = Device {
        budget_bytes: u64::MAX,
        ..support::device(&small)
    };
    let (found, mode) =
        pollster::block_on(gpu::subsequence(&device, tuning, &codes)).expect("it runs");
    assert_eq!(mode, PathMode::StoredBoundaries);
    assert!(found == reference::subsequence(&a, &b), "{input:?}");
}
