//! Damage to the strip sweep: passes, uploads, spans, shaders.

use std::sync::Arc;
use std::time::Duration;

use support::inputs::Input;
use swath::unstable::backend::{Backend, Span};
use swath::unstable::call::phases::Phases;
use swath::unstable::engine::Device;
use swath::unstable::kernels::bit_parallel::{CarryExchange, Matching};
use swath::unstable::kernels::{Launch, UserShader};
use swath::unstable::lcs::reference;
use swath::unstable::plan::{Contents, Plan};
use swath::unstable::sequences::bit_parallel::gpu::plan::Sweep;
use swath::unstable::sequences::bit_parallel::gpu::tiling::{Tiling, limb_rows};
use swath::unstable::sequences::bit_parallel::shape::{Shape, TableKind};
use swath::unstable::sequences::codes::Encoded;
use swath::{Control, Error};

use super::*;

/// Per row, whether it increases the length in the last column.
pub(super) type Growth = Vec<bool>;

/// A problem, its plan, and the reference's result.
pub(super) struct Case {
    tiling: Tiling,
    sweep: Sweep,
    pub(super) expected: Growth,
}

impl Case {
    pub(super) fn new(matching: Matching) -> Self {
        Self::within(matching, u64::MAX)
    }

    /// The band that contains every path of at most `cost`.
    pub(super) fn within(matching: Matching, cost: u64) -> Self {
        Self::of(matching, (CarryExchange::Workgroup, 8), cost)
    }

    /// As [`within`](Self::within), with strips of `lanes` lanes.
    fn of(matching: Matching, (carry_exchange, lanes): (CarryExchange, u32), cost: u64) -> Self {
        let (limbs, limb_rows) = (2, limb_rows(support::is_cuda()));
        // Three full strips, so that every lane has rows.
        let rows = 3 * lanes * limbs * limb_rows;
        let (a, b) = Input::random(4, rows as usize, 900).bytes();
        let codes = Encoded::new(&a, &b);
        let shape = Shape::new(
            TableKind::Lcs,
            a.len() as u64,
            b.len() as u64,
            codes.alphabet.shared,
        )
        .within(cost);
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

    pub(super) fn plan(&mut self) -> &mut Plan {
        &mut self.sweep.plan
    }

    /// Runs the plan; `corrupt` may change the words read back.
    pub(super) fn run(
        self,
        backend: &dyn Backend,
        corrupt: impl FnOnce(&mut [u32]),
    ) -> Result<Growth, Error> {
        self.run_in_slices(backend, SLICE, corrupt)
    }

    pub(super) fn run_in_slices(
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

/// Single-subgroup strips, chained in a launch of many passes.
fn chained(matching: Matching) -> Case {
    Case::of(matching, (CarryExchange::Subgroup, 32), u64::MAX)
}

/// Runs a damaged case and requires a result other than the reference's.
#[track_caller]
fn assert_noticed(matching: Matching, damage: impl FnOnce(&mut Plan)) {
    let Some(gpu) = lock_gpu() else { return };
    let mut case = Case::new(matching);
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
        if support::is_cuda() {
            let mut case = chained(matching);
            assert!(case.plan().kernels[0].launch == Launch::Chained);
            let expected = case.expected.clone();
            assert!(case.run(&*gpu, |_| ()).expect("it runs") == expected);
        }
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
            let words = Arc::make_mut(words);
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
        let words = Arc::make_mut(words);
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
            unchecked: false,
        });
    });
}

/// WGSL of strips with planes.
const WGSL: &str = "
lcs/limbs: s | ((*v)[limb] & w) => s & ((*v)[limb] & w)
lcs/limbs: (*v)[limb] - w + none => (*v)[limb] + w + none
bit_parallel/from_pass: strip * params.lag => strip + params.lag
bit_parallel/strip_sweep: max(replay.begin, i32(words.x)) => max(replay.begin, i32(words.x) + 1)
lcs/limbs: & 128u; => & 64u;
bit_parallel/match_planes: rest &= ~( => rest &= (
common/hand_over_workgroup: max(lane, 1u) - 1u => max(lane, 1u)
";

/// CUDA of strips with planes and carries through subgroups.
const CHAINED: &str = "
lcs/limbs: logic<0xf6>(s, v[limb], matches[limb]) => logic<0xf0>(s, v[limb], matches[limb])
lcs/limbs: add_passing(v[limb], matches[limb]) => add_leaving(v[limb], matches[limb])
lcs/limbs: entering[0u] = add_leaving(entering[0u], entering[0u]) => entering[0u] += entering[0u]
lcs/limbs: leaving[0u] = add_entering(leaving[0u], leaving[0u]) => leaving[0u] += leaving[0u]
bit_parallel/match_planes: rest &= ~( => rest &= (
bit_parallel/strip_sweep: lane == 0u ? above : given[h] => lane == 0u ? 0u : given[h]
bit_parallel/strip_sweep: carries[h] << (32u - COLUMNS) => carries[h] << (31u - COLUMNS)
bit_parallel/from_pass: __brev(word), replay.strip + 1u => 0u, replay.strip + 1u
bit_parallel/from_pass: reversed(next[h], COLUMNS) => reversed(next[h], COLUMNS - 1u)
bit_parallel/from_pass: subgroupShuffleDown(word, 1u) => subgroupShuffleDown(word, 2u)
common/hand_over_subgroup: subgroupShuffleUp(word, 1u) => subgroupShuffleUp(word, 2u)
";

/// CUDA of strips with a table and carries through workgroup memory, whose passes are separate
/// launches.
const WORKGROUP: &str = "
common/hand_over_workgroup: max(lane, 1u) - 1u => max(lane, 1u)
bit_parallel/match_table: byte_of(codes, k) => byte_of(codes, k % 2u)
bit_parallel/span_whole: {0u, params.words} => {0u, params.words - 1u}
";

/// CUDA of strips of a band.
const BAND: &str = "
bit_parallel/span_each: direction * params.strips + strip] => direction * params.strips]
";

#[test]
fn one_wrong_operator_in_a_strip_sweep_is_noticed() {
    let Some(gpu) = lock_gpu() else { return };
    type Cases = [(fn() -> Case, &'static str)];
    let cases: &Cases = if reads_wgsl() {
        &[(|| Case::new(Matching::Planes), WGSL)]
    } else {
        &[
            (|| chained(Matching::Planes), CHAINED),
            (|| Case::new(Matching::Table), WORKGROUP),
            (|| Case::within(Matching::Planes, 1100), BAND),
        ]
    };
    for (case, table) in cases {
        let swept = |damage: &dyn Fn(&mut Plan)| {
            let mut case = case();
            damage(case.plan());
            case.run(&*gpu, |_| ())
                .expect("damage is no error to the device")
        };
        let right = swept(&|_| ());
        for edit in edits(table) {
            let found = swept(&|plan| damage(plan, &[edit]));
            assert!(found != right, "{edit:?} went unnoticed");
        }
    }
}
