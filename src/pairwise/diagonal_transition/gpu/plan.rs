//! Wavefronts as a plan: a pass for every few of them.

use super::sizes::{Kept, LANES, SearchSizes, WAVEFRONTS};
use crate::engine::profile::gpu::diagonal_transition as figures;
use crate::kernels::Kernel;
use crate::kernels::diagonal_transition::{Steps, wavefronts};
use crate::pairwise::codes::Encoded;
use crate::pairwise::diagonal_transition::Recurrence;
use crate::plan::{BufferId, Contents, InputKey, Pass, Plan, Resident, params};

use rayon::prelude::*;

/// Words that are worth a thread of their own.
const LEAST: usize = 1 << 12;

/// The kernel for symbols of so many bits.
pub fn kernel(steps: Steps, bits: u32) -> Kernel {
    wavefronts(steps, WAVEFRONTS as u32, LANES as u32, bits)
}

/// Both sequences, packed.
pub(super) struct Packed;

impl Packed {
    /// Bits of a symbol, a power of two, of these codes, which count from 0 to one more than `shared`.
    pub fn bits(shared: u32) -> u32 {
        Encoded::planes(shared).next_power_of_two()
    }

    /// Rows, and behind them columns, each with a word of padding.
    fn words(codes: &Encoded) -> Vec<u32> {
        let bits = Self::bits(codes.shared);
        let in_word = (u32::BITS / bits) as usize;
        let (rows, cols) = (codes.a.len() as u64, codes.b.len() as u64);
        let mut words = vec![0; Self::size(rows, cols, bits) as usize];
        let (rows, columns) = words.split_at_mut(Self::columns_from(rows, bits) as usize);
        for (codes, words) in [(&codes.a, rows), (&codes.b, columns)] {
            words.par_iter_mut().zip(codes.par_chunks(in_word)).with_min_len(LEAST).for_each(|(word, codes)| {
                *word = codes.iter().zip((0..).step_by(bits as usize)).fold(0, |word, (code, bit)| word | code << bit);
            });
        }
        words
    }

    /// Words that sequences take.
    pub fn size(rows: u64, cols: u64, bits: u32) -> u64 {
        Self::columns_from(rows, bits) + Self::columns_from(cols, bits)
    }

    /// The word where the columns begin, behind so many rows.
    fn columns_from(rows: u64, bits: u32) -> u64 {
        rows.div_ceil(u64::from(u32::BITS / bits)) + 1
    }
}

/// A plan and what is read back of it.
pub(super) struct Search {
    plan: Plan,
    pub kept: Vec<Kept>,
}

/// The buffer of the wavefronts that are kept.
pub(super) const POINTS: BufferId = 2;
/// The buffer of the distance.
pub(super) const DISTANCE: BufferId = 3;
/// What it holds until it is found.
pub(super) const NOT_FOUND: u32 = u32::MAX;

impl AsMut<Plan> for Search {
    fn as_mut(&mut self) -> &mut Plan {
        &mut self.plan
    }
}

impl Search {
    /// Bytes of all buffers.
    pub fn size_bytes(front: &SearchSizes, bits: u32) -> u64 {
        let kept = front.bound / front.spacing_of_kept() + 1;
        4 * (Packed::size(front.rows, front.cols, bits) + 3 * kept + front.words() + 1)
    }

    /// A search from the first wavefront on, which reaches `slid` rows, in a session that may have the symbols already.
    pub fn new<R: Recurrence<SPACING>, const SPACING: i64>(
        front: &SearchSizes,
        codes: &Encoded,
        slid: u64,
        resident: &Resident,
    ) -> Self {
        let bits = Packed::bits(codes.shared);
        let kept = front.kept();
        let mut plan = Plan { cell_cost: figures::CELL_COST, ..Plan::default() };
        let kernel = plan.kernel(kernel(R::STEPS, bits));
        let key = InputKey::from([front.rows, front.cols, u64::from(bits)]);
        let words = Packed::size(front.rows, front.cols, bits);
        let symbols = plan.input("symbols", (words, key), resident, || Packed::words(codes));
        let table = |kept: &Kept| [kept.at, kept.indices.start, kept.indices.end - kept.indices.start];
        let table = plan.upload("kept wavefronts", kept.iter().flat_map(table).map(|word| word as u32).collect());
        let points = plan.buffer("furthest-reaching points", front.words(), Contents::Unspecified);
        let distance = plan.upload("distance", vec![NOT_FOUND]);
        debug_assert_eq!([points, distance], [POINTS, DISTANCE]);
        let bindings = plan.bind(vec![symbols, table, points, distance]);
        let every = front.spacing_of_kept();
        for pass in 0..front.passes() {
            let (before, last) = front.distances(pass);
            let first = front.indices(last).start;
            let (wavefronts, wavefront_before) = (last - before, before / every);
            let words = [
                front.rows,
                front.cols,
                Packed::columns_from(front.rows, bits),
                before,
                wavefronts,
                first,
                wavefront_before,
                every,
                slid,
            ];
            plan.passes.push(Pass {
                kernel,
                bindings,
                groups: [front.groups(pass) as u32, 1, 1],
                params: params(words.map(|word| word as u32)),
                cells: front.points(pass),
            });
        }
        Self { plan, kept }
    }
}
