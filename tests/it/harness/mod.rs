//! Proves that the comparisons of the other tests can fail: damages plans, kernels, devices and
//! answers.

mod assertions;
mod cuda;
mod cuda_calls;
mod neighbors;
mod pairs;
mod parenthesization;
mod sort;
mod substring;
mod tables;

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, MutexGuard};
use std::time::Duration;
use support::Gpu;
use support::calls::Calls;

use support::hooked::{Hooked, Hooks};
use support::inputs::{Input, Random};
use swath::Block;
use swath::lcs::Subsequence;
use swath::unstable::backend::wgpu::source::part;
use swath::unstable::backend::{Backend, FenceValue, Span};
use swath::unstable::call::phases::Phases;
use swath::unstable::engine::Device;
use swath::unstable::kernels::bit_parallel::{CarryExchange, Matching};
use swath::unstable::kernels::{Kernel, UserShader};
use swath::unstable::lcs::{Tuning, gpu, reference};
use swath::unstable::pairwise::bit_parallel::gpu::plan::Sweep;
use swath::unstable::pairwise::bit_parallel::gpu::tiling::{Tiling, limb_rows};
use swath::unstable::pairwise::bit_parallel::shape::{Shape, TableKind};
use swath::unstable::pairwise::codes::Encoded;
use swath::unstable::plan::{BufferId, Contents, Pass, Plan};
use swath::{Control, Engine, Error, Options};

const SLICE: Duration = Duration::from_millis(60);
/// So short that every slice is one pass.
const A_PASS_EACH: Duration = Duration::from_nanos(1);

fn lock_gpu() -> Option<MutexGuard<'static, Gpu>> {
    // A failed test leaves the device usable.
    Some(
        support::backend()?
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner),
    )
}

/// True if the test device reads WGSL. Damage to CUDA sources is in `cuda.rs`.
fn reads_wgsl() -> bool {
    !support::is_cuda()
}

/// Per row, whether it increases the length in the last column.
type Growth = Vec<bool>;

/// A problem, its plan, and the reference's result.
struct Case {
    tiling: Tiling,
    sweep: Sweep,
    expected: Growth,
}

impl Case {
    fn new(matching: Matching) -> Self {
        Self::within(matching, u64::MAX)
    }

    /// The band that contains every path of at most `cost`.
    fn within(matching: Matching, cost: u64) -> Self {
        Self::of(matching, (CarryExchange::Workgroup, 8), cost)
    }

    /// As [`within`](Self::within), with strips of `lanes` lanes.
    fn of(matching: Matching, (carry_exchange, lanes): (CarryExchange, u32), cost: u64) -> Self {
        let (limbs, limb_rows) = (2, limb_rows(support::is_cuda()));
        // Three full strips, so that every lane has rows.
        let rows = 3 * lanes * limbs * limb_rows;
        let (a, b) = Input::random(4, rows as usize, 900).bytes();
        let codes = Encoded::new(&a, &b);
        let shape =
            Shape::new(TableKind::Lcs, a.len() as u64, b.len() as u64, codes.shared).within(cost);
        let (columns, steps, directions) = (16, 4, 1);
        let tiling = Tiling {
            shape,
            matching,
            carry_exchange,
            lanes,
            limbs,
            limb_rows,
            columns,
            steps,
            directions,
        };
        let sweep = Sweep::new(&tiling, None, &codes.a, &codes.b);
        Self {
            tiling,
            sweep,
            expected: growth(&a, &b),
        }
    }

    fn plan(&mut self) -> &mut Plan {
        &mut self.sweep.plan
    }

    /// Runs the plan; `corrupt` may change the words read back.
    fn run(self, backend: &dyn Backend, corrupt: impl FnOnce(&mut [u32])) -> Result<Growth, Error> {
        self.run_in_slices(backend, SLICE, corrupt)
    }

    fn run_in_slices(
        self,
        backend: &dyn Backend,
        slice: Duration,
        corrupt: impl FnOnce(&mut [u32]),
    ) -> Result<Growth, Error> {
        let span = Span {
            buffer: self.sweep.state,
            first: 0,
            words: self.tiling.state_words(),
        };
        let (control, phases) = (Control::default(), Phases::start());
        let device = Device {
            slice,
            ..device(backend, &control, &phases)
        };
        let make = || self.sweep.plan.clone();
        let ran = pollster::block_on(device.run(&make, &|_| vec![span]))?;
        let mut state = ran.words;
        corrupt(&mut state);
        Ok((0..self.expected.len())
            .map(|row| self.grows(&state, row))
            .collect())
    }

    /// A row increases the length if its bit in `[strip][limb][lane]` is 0.
    fn grows(&self, state: &[u32], row: usize) -> bool {
        let Tiling {
            lanes,
            limbs,
            limb_rows,
            ..
        } = self.tiling;
        let [lanes, limbs, limb_rows] = [lanes, limbs, limb_rows].map(|count| count as usize);
        let (limb, bit) = (row / limb_rows, row % limb_rows);
        let (strip, lane) = (limb / limbs / lanes, limb / limbs % lanes);
        let word = state[strip * (limbs + 1) * lanes + limb % limbs * lanes + lane];
        word >> bit & 1 == 0
    }
}

/// Last column of the reference table, as increments per row.
fn growth(a: &[u8], b: &[u8]) -> Growth {
    let mut column = vec![0u32; a.len() + 1];
    for y in b {
        let mut diagonal = 0;
        for (i, x) in a.iter().enumerate() {
            let left = column[i + 1];
            column[i + 1] = if x == y {
                diagonal + 1
            } else {
                left.max(column[i])
            };
            diagonal = left;
        }
    }
    column.windows(2).map(|pair| pair[1] > pair[0]).collect()
}

/// Runs a damaged case and requires a result other than the reference's.
#[track_caller]
fn assert_noticed(matching: Matching, damage: impl FnOnce(&mut Plan)) {
    assert_case_noticed(Case::new(matching), damage);
}

/// As [`assert_noticed`], for a given case.
#[track_caller]
fn assert_case_noticed(mut case: Case, damage: impl FnOnce(&mut Plan)) {
    let Some(gpu) = lock_gpu() else { return };
    let expected = case.expected.clone();
    damage(case.plan());
    let found = case
        .run(&*gpu, |_| ())
        .expect("damage is no error to the device");
    assert!(found != expected, "the comparison did not notice");
}

#[test]
fn an_undamaged_plan_gives_the_answer_of_the_reference() {
    let rows = 3 * 16 * limb_rows(support::is_cuda()) as usize;
    let (a, b) = Input::random(4, rows, 900).bytes();
    let Some(gpu) = lock_gpu() else { return };
    for matching in [Matching::Table, Matching::Planes] {
        let case = Case::new(matching);
        let expected = case.expected.clone();
        let found = case.run(&*gpu, |_| ()).expect("it runs");
        assert!(found == expected);
        assert_eq!(
            found.into_iter().filter(|&grows| grows).count() as u64,
            reference::length(&a, &b)
        );
    }
}

#[test]
fn a_dropped_pass_is_noticed_wherever_it_was() {
    for place in [0, 7, usize::MAX] {
        assert_noticed(Matching::Planes, |plan| {
            let last = plan.passes.len() - 1;
            plan.passes.remove(place.min(last));
        });
    }
}

#[test]
fn passes_in_the_wrong_order_are_noticed() {
    assert_noticed(Matching::Planes, |plan| plan.passes.reverse());
}

#[test]
fn a_pass_with_a_workgroup_too_few_is_noticed() {
    assert_noticed(Matching::Table, |plan| {
        let pass = plan
            .passes
            .iter_mut()
            .rfind(|pass| pass.groups[0] > 1)
            .expect("strips side by side");
        pass.groups[0] -= 1;
    });
}

#[test]
fn a_corrupt_word_of_the_readback_is_noticed() {
    let Some(gpu) = lock_gpu() else { return };
    for word in [0, 9, 15] {
        let case = Case::new(Matching::Table);
        let expected = case.expected.clone();
        assert!(
            case.run(&*gpu, |state| state[word] ^= 1 << 3)
                .expect("it runs")
                != expected
        );
    }
}

/// Change of one word.
type Corruption = fn(u32) -> u32;

#[test]
fn a_corrupt_word_of_any_upload_is_noticed() {
    // Rows that increase the length before the first column matter most at the top. Codes that no
    // symbol has would lie outside of the mask table.
    let words: [(&str, usize, Corruption); 3] = [
        ("state", 0, |word| word ^ 0x7fff_ffff),
        ("row planes", 37, |word| word ^ 0x0303_0303),
        ("column codes", 230, |_| 0),
    ];
    for (name, place, corrupted) in words {
        eprintln!("{name}");
        assert_noticed(Matching::Table, |plan| {
            let buffer = plan
                .buffers
                .iter_mut()
                .find(|buffer| buffer.name == name)
                .expect(name);
            let Contents::Words(words) = &mut buffer.contents else {
                panic!("{name} is uploaded")
            };
            words[place] = corrupted(words[place]);
        });
    }
}

#[test]
fn a_word_left_out_of_a_band_is_noticed() {
    let Some(gpu) = lock_gpu() else { return };
    let left_out = |word: Option<usize>| {
        let mut case = Case::within(Matching::Planes, 1100);
        let spans = case
            .plan()
            .buffers
            .iter_mut()
            .find(|buffer| buffer.name == "spans")
            .expect("a band has spans");
        let Contents::Words(words) = &mut spans.contents else {
            panic!("they are uploaded")
        };
        assert!(
            words[4] > 0 && words[1] < words[3],
            "the band is narrower than the table: {words:?}"
        );
        match word {
            Some(start) if start % 2 == 0 => words[start] += 1,
            Some(end) => words[end] -= 1,
            None => {}
        }
        case.run(&*gpu, |_| ()).expect("it runs")
    };
    let whole = left_out(None);
    for word in [0, 1, 3, 5] {
        assert!(left_out(Some(word)) != whole, "word {word} of the spans");
    }
}

#[test]
fn a_stub_with_the_same_bindings_is_noticed() {
    if !reads_wgsl() {
        return;
    }
    assert_noticed(Matching::Planes, |plan| {
        let wgsl = "struct Params { strips: u32 }
             @group(0) @binding(0) var<storage, read_write> state: array<u32>;
             @group(0) @binding(1) var<storage, read> rows: array<u32>;
             @group(0) @binding(2) var<storage, read> columns: array<u32>;
             @group(0) @binding(3) var<storage, read_write> above: array<u32>;
             @compute @workgroup_size(LANES) fn main() {
                 _ = state[0] + rows[0] + columns[0] + above[0] + params.strips;
             }";
        let kernel = &mut plan.kernels[0];
        kernel.parts.clear();
        kernel.user_shaders.push(UserShader {
            stem: kernel.stem,
            wgsl,
            cuda: None,
        });
    });
}

#[test]
fn one_wrong_operator_in_a_shader_is_noticed() {
    if !reads_wgsl() {
        return;
    }
    for (stem, right, wrong) in [
        ("lcs/limbs", "s | ((*v)[limb] & w)", "s & ((*v)[limb] & w)"),
        (
            "lcs/limbs",
            "(*v)[limb] - w + none",
            "(*v)[limb] + w + none",
        ),
        (
            "bit_parallel/from_pass",
            "strip * params.lag",
            "strip + params.lag",
        ),
        (
            "bit_parallel/strip_sweep",
            "max(replay.begin, i32(words.x))",
            "max(replay.begin, i32(words.x) + 1)",
        ),
        ("lcs/limbs", "& 128u;", "& 64u;"),
        ("bit_parallel/match_planes", "rest &= ~(", "rest &= ("),
        (
            "common/hand_over_workgroup",
            "max(lane, 1u) - 1u",
            "max(lane, 1u)",
        ),
    ] {
        assert_noticed(Matching::Planes, |plan| {
            assert_eq!(
                part(stem).expect(stem).matches(right).count(),
                1,
                "{right} occurs once in {stem}"
            );
            let kernel = &mut plan.kernels[0];
            assert_eq!(
                replace_in(kernel, &[(right, wrong)]),
                1,
                "{right} occurs in {stem} alone"
            );
            assert_eq!(kernel.user_shaders[0].stem, stem);
        });
    }
}

// A device that loses work

/// Drops the submissions selected by `loses`, counted from 0, but reports them as done.
#[derive(Clone)]
struct Lossy {
    loses: fn(usize) -> bool,
    submissions: Arc<AtomicUsize>,
    loads: Arc<AtomicUsize>,
    /// Last stamp left on the device.
    left: u32,
}

impl Lossy {
    fn on(gpu: &Gpu, loses: fn(usize) -> bool) -> Hooked<Self> {
        let lossy = Self {
            loses,
            submissions: Arc::default(),
            loads: Arc::default(),
            left: 0,
        };
        Hooked::new(gpu, lossy)
    }
}

impl Hooks for Lossy {
    fn load(&mut self, _plan: &mut Plan, _kept: &[Option<BufferId>]) {
        self.loads.fetch_add(1, Ordering::Relaxed);
    }

    fn submit<'a>(
        &mut self,
        passes: &'a [Pass],
        stamp: FenceValue,
        _spans: &[Span],
    ) -> (&'a [Pass], FenceValue) {
        if (self.loses)(self.submissions.fetch_add(1, Ordering::Relaxed)) {
            let (value, after) = (self.left, None);
            return (&[], FenceValue { value, after });
        }
        self.left = stamp.value;
        (passes, stamp)
    }
}

#[test]
fn a_slice_that_never_ran_is_run_again_and_an_error_that_names_it_where_it_is_lost_twice() {
    let Some(gpu) = lock_gpu() else { return };
    // Two slices are in flight when one is lost.
    type Loss = (fn(usize) -> bool, Option<u32>);
    let losses: [Loss; 4] = [
        (|n| n == 0, None),
        (|n| n == 2, None),
        (|n| n == 0 || n == 2, Some(1)),
        (|n| n == 2 || n == 6, Some(3)),
    ];
    for (loses, lost) in losses {
        let case = Case::new(Matching::Planes);
        let expected = case.expected.clone();
        match (
            case.run_in_slices(&Lossy::on(&gpu, loses), A_PASS_EACH, |_| ()),
            lost,
        ) {
            (Ok(found), None) => assert!(found == expected),
            (Err(Error::MissingStamp { slice, .. }), Some(lost)) => assert_eq!(slice, lost),
            (result, _) => panic!("{result:?}, {lost:?}"),
        }
    }
    let case = Case::new(Matching::Planes);
    let expected = case.expected.clone();
    assert!(
        case.run(&Lossy::on(&gpu, |_| false), |_| ())
            .expect("nothing is lost")
            == expected
    );
}

/// Length by a whole call on this backend, with the number of loaded plans.
fn length_on(backend: &Hooked<Lossy>) -> (Result<u64, Error>, usize, u64) {
    let (a, b) = Input::random(4, 1300, 900).bytes();
    let (control, phases) = (Control::default(), Phases::start());
    let tuning = Tuning {
        lanes: Some(8),
        limbs: Some(2),
        directions: Some(1),
        ..Tuning::default()
    };
    let device = Device {
        backend,
        budget_bytes: 1 << 30,
        slice: SLICE,
        threads: None,
        control: &control,
        phases: &phases,
    };
    let length = pollster::block_on(gpu::length(&device, tuning, &Encoded::new(&a, &b)));
    (
        length,
        backend.hooks.loads.load(Ordering::Relaxed),
        reference::length(&a, &b),
    )
}

#[test]
fn a_missing_stamp_is_tried_again_once_and_then_an_error() {
    let Some(gpu) = lock_gpu() else { return };
    let (length, loads, expected) = length_on(&Lossy::on(&gpu, |n| n == 0));
    assert_eq!(
        (length.expect("the second try is whole"), loads),
        (expected, 2)
    );
    let (length, loads, _) = length_on(&Lossy::on(&gpu, |_| true));
    assert!(
        matches!(length, Err(Error::MissingStamp { .. })),
        "{length:?}"
    );
    assert_eq!(loads, 2);
}

// The certificate

fn proven() -> (Vec<u8>, Vec<u8>, Vec<Block>, u64) {
    let (a, b) = Input::random(4, 120, 110).bytes();
    let found = support::expected(&a, &b);
    found
        .verify(&a, &b, found.len())
        .expect("the reference proves itself");
    (a, b, found.blocks().to_vec(), found.len())
}

#[test]
fn the_certificate_refuses_pairs_that_are_dropped_or_duplicated() {
    let (a, b, blocks, length) = proven();
    for place in 0..blocks.len() {
        let mut dropped = blocks.clone();
        dropped.remove(place);
        assert!(
            dropped
                .into_iter()
                .collect::<Subsequence>()
                .verify(&a, &b, length)
                .is_err(),
            "run {place} dropped"
        );
        let mut doubled = blocks.clone();
        doubled.insert(place, blocks[place]);
        assert!(
            doubled
                .into_iter()
                .collect::<Subsequence>()
                .verify(&a, &b, length)
                .is_err(),
            "run {place} doubled"
        );
        let claimed = doubled_length(&blocks, place);
        let mut doubled = blocks.clone();
        doubled.insert(place, blocks[place]);
        assert!(
            doubled
                .into_iter()
                .collect::<Subsequence>()
                .verify(&a, &b, claimed)
                .is_err(),
            "and claimed"
        );
    }
}

fn doubled_length(blocks: &[Block], place: usize) -> u64 {
    blocks
        .iter()
        .chain([&blocks[place]])
        .map(|block| block.len as u64)
        .sum()
}

#[test]
fn the_certificate_refuses_pairs_of_unequal_symbols_and_out_of_order_or_range() {
    let (a, b, blocks, length) = proven();
    let refused = |blocks: Vec<Block>| {
        blocks
            .into_iter()
            .collect::<Subsequence>()
            .verify(&a, &b, length)
            .is_err()
    };
    let mut random = Random::new(3);
    for place in 0..blocks.len() {
        // To another symbol of `a`, at any position.
        let other = (0..a.len())
            .filter(|&i| a[i] != b[blocks[place].b])
            .collect::<Vec<_>>();
        let mut moved = blocks.clone();
        moved[place].a = random.pick(&other);
        assert!(refused(moved), "run {place} moved");
    }
    let mut exchanged = blocks.clone();
    exchanged.swap(0, 1);
    assert!(refused(exchanged));
    let mut beyond = blocks.clone();
    beyond.last_mut().expect("some").a = a.len();
    assert!(refused(beyond));
    let mut wrapping = blocks.clone();
    wrapping.last_mut().expect("some").b = usize::MAX;
    assert!(refused(wrapping));
    let mut long = blocks;
    long.last_mut().expect("some").len += 200;
    assert!(refused(long));
}

// The methods that fill a whole table

/// Changes every plan before it is loaded.
#[derive(Clone)]
struct Damage(Arc<dyn Fn(&mut Plan) + Send + Sync>);

impl Hooks for Damage {
    fn load(&mut self, plan: &mut Plan, kept: &[Option<BufferId>]) {
        (self.0)(plan);
        // Unwritten buffers read as 0, not as arbitrary memory.
        for (buffer, kept) in plan.buffers.iter_mut().zip(kept) {
            if matches!(buffer.contents, Contents::Unspecified) && kept.is_none() {
                buffer.contents = Contents::Zeros;
            }
        }
    }
}

fn damaging(gpu: &Gpu, damage: impl Fn(&mut Plan) + Send + Sync + 'static) -> Hooked<Damage> {
    Hooked::new(gpu, Damage(Arc::new(damage)))
}

/// A device without an engine.
fn device<'a>(backend: &'a dyn Backend, control: &'a Control, phases: &'a Phases) -> Device<'a> {
    Device {
        backend,
        budget_bytes: 1 << 30,
        slice: SLICE,
        threads: None,
        control,
        phases,
    }
}

/// An engine whose plans are damaged.
fn damaged_engine(gpu: &Gpu, damage: impl Fn(&mut Plan) + Send + Sync + 'static) -> Engine {
    let backend = Arc::new(damaging(gpu, damage));
    Engine::on_backend(backend, Options::default()).expect("the device is open")
}

/// Requires an answer other than the CPU's after one edit of a part's WGSL or CUDA source: a part,
/// a string that occurs once in it, and its replacement.
#[track_caller]
fn assert_edit_noticed<T: PartialEq>(
    gpu: &Gpu,
    (stem, right, wrong): (&'static str, &'static str, &'static str),
    answer: impl Fn(&Engine) -> T,
) {
    eprintln!("{stem}: {wrong}");
    let changed = Arc::new(AtomicUsize::new(0));
    let count = changed.clone();
    let engine = damaged_engine(gpu, move |plan| {
        let kernels = plan.kernels.iter_mut();
        let has_part = |kernel: &&mut Kernel| kernel.stem == stem || kernel.parts.contains(&stem);
        for kernel in kernels.filter(has_part) {
            kernel.user_shaders.push(edited_part(stem, right, wrong));
            count.fetch_add(1, Ordering::Relaxed);
        }
    });
    assert!(
        answer(&engine) != answer(support::cpu()),
        "{stem}: {wrong} went unnoticed"
    );
    assert!(changed.load(Ordering::Relaxed) > 0, "no kernel has {stem}");
}

/// A part for the test device with one replacement.
fn edited_part(stem: &'static str, right: &str, wrong: &str) -> UserShader {
    #[cfg(feature = "cuda")]
    let text = match support::is_cuda() {
        true => swath::unstable::backend::cuda::source::part(stem),
        false => part(stem),
    };
    #[cfg(not(feature = "cuda"))]
    let text = part(stem);
    let text = text.expect(stem);
    assert_eq!(
        text.matches(right).count(),
        1,
        "{right} occurs once in {stem}"
    );
    let edited = &*String::leak(text.replace(right, wrong));
    match support::is_cuda() {
        true => UserShader {
            stem,
            wgsl: "",
            cuda: Some(edited),
        },
        false => UserShader {
            stem,
            wgsl: edited,
            cuda: None,
        },
    }
}

/// Edits the source of a kernel in all matching parts; returns their number.
fn replace_in(kernel: &mut Kernel, edits: &[(&str, &str)]) -> usize {
    let before = kernel.user_shaders.len();
    for stem in kernel.parts.iter().chain([&kernel.stem]) {
        let text = part(stem).expect(stem);
        let edits = edits.iter().filter(|(right, _)| text.contains(right));
        let wrong = edits.fold(text.to_string(), |text, (right, wrong)| {
            text.replace(right, wrong)
        });
        if wrong != text {
            kernel.user_shaders.push(UserShader {
                stem,
                wgsl: String::leak(wrong),
                cuda: None,
            });
        }
    }
    kernel.user_shaders.len() - before
}

fn replace(plan: &mut Plan, edits: &[(&str, &str)]) {
    assert!(
        replace_in(&mut plan.kernels[0], edits) > 0,
        "no part has {edits:?}"
    );
}

#[test]
fn an_alignment_does_not_prove_the_distance_of_other_inputs() {
    let (a, b) = Input::random(4, 300, 290).bytes();
    let mut options = swath::unstable::edit_distance::EditOptions::default();
    options.path = true;
    let answer = support::cpu()
        .edit_distance_with(&a, &b, &options)
        .expect("it runs");
    let (alignment, distance) = (
        answer.alignment.clone().expect("it was asked for"),
        answer.distance.exactly().unwrap_or(0),
    );
    assert!(alignment.verify(&a, &b, distance).is_ok());
    assert!(alignment.verify(&a, &b, distance - 1).is_err());
    assert!(alignment.verify(&b, &a, distance).is_err());
    let pair = alignment.blocks()[0];
    let mut other = b.clone();
    other[pair.b] = if a[pair.a] == b[pair.b] {
        b[pair.b] ^ 1
    } else {
        a[pair.a]
    };
    assert!(alignment.verify(&a, &other, distance).is_err());
}
