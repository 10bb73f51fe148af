//! Wavefront search as a plan: one pass per `WAVEFRONTS` wavefronts.

use super::sizes::{LANES, SearchSizes, StoredWavefront, WAVEFRONTS};
use crate::engine::profile::gpu::diagonal_transition as figures;
use crate::host::parallel::for_each_chunk_mut;
use crate::host::threads::join;
use crate::kernels::Kernel;
use crate::kernels::diagonal_transition::{Steps, wavefronts};
use crate::plan::{
    Bounds, BufferId, Contents, InputKey, Pass, PassSplit, Plan, Resident, Units, params,
};
use crate::sequences::codes::{Alphabet, Encoded};
use crate::sequences::diagonal_transition::WavefrontRecurrence;

/// Words per parallel task.
const TASK_WORDS: usize = 1 << 12;

pub fn kernel(steps: Steps, bits: u32) -> Kernel {
    wavefronts(steps, WAVEFRONTS as u32, LANES as u32, bits)
}

pub(super) struct Packed;

impl Packed {
    /// Bits per symbol, a power of two, for codes up to `shared + 1`.
    pub(super) fn bits(shared: u32) -> u32 {
        Alphabet::from(shared).planes().next_power_of_two()
    }

    /// Layout: rows, columns, reversed columns, reversed rows, each with two words of padding.
    fn words(codes: &Encoded) -> Vec<u32> {
        let bits = Self::bits(codes.alphabet.shared);
        let in_word = (u32::BITS / bits) as usize;
        let [rows, cols] =
            [&codes.a, &codes.b].map(|codes| Self::of(codes.len() as u64, bits) as usize);
        let mut words = vec![0; 2 * (rows + cols)];
        let (ahead, back) = words.split_at_mut(rows + cols);
        let (a, b) = ahead.split_at_mut(rows);
        let (b_back, a_back) = back.split_at_mut(cols);
        let pack = |codes: &[u32], ahead: &mut [u32], back: &mut [u32]| {
            let (symbols, used) = (codes.len(), codes.len().div_ceil(in_word));
            for_each_chunk_mut(&mut ahead[..used], TASK_WORDS, |task, words| {
                let codes = codes[task * TASK_WORDS * in_word..].chunks(in_word);
                for (word, codes) in words.iter_mut().zip(codes) {
                    *word = codes
                        .iter()
                        .zip((0..).step_by(bits as usize))
                        .fold(0, |word, (code, bit)| word | code << bit);
                }
            });
            for_each_chunk_mut(&mut back[..used], TASK_WORDS, |task, words| {
                for (index, word) in (task * TASK_WORDS..).zip(words) {
                    *word = reversed_word(ahead, symbols, index, bits);
                }
            });
        };
        join(|| pack(&codes.a, a, a_back), || pack(&codes.b, b, b_back));
        words
    }

    pub(super) fn size(rows: u64, cols: u64, bits: u32) -> u64 {
        2 * (Self::of(rows, bits) + Self::of(cols, bits))
    }

    fn of(symbols: u64, bits: u32) -> u64 {
        symbols.div_ceil(u64::from(u32::BITS / bits)) + 2
    }
}

fn reversed_word(words: &[u32], symbols: usize, index: usize, bits: u32) -> u32 {
    let behind = (index + 1) * (u32::BITS / bits) as usize;
    let window = match symbols.checked_sub(behind) {
        Some(first) => {
            let bit = first * bits as usize;
            let (word, shift) = (bit / u32::BITS as usize, bit % u32::BITS as usize);
            ((u64::from(words[word]) | u64::from(words[word + 1]) << u32::BITS) >> shift) as u32
        }
        None => words[0] << ((behind - symbols) * bits as usize),
    };
    // Reverses all bits, then reverses them back within each symbol.
    let halves = [
        (1, 0x5555_5555),
        (2, 0x3333_3333),
        (4, 0x0f0f_0f0f),
        (8, 0x00ff_00ff),
        (16, 0x0000_ffff),
    ];
    let of_symbols = halves.into_iter().take_while(|(half, _)| *half < bits);
    of_symbols.fold(window.reverse_bits(), |word, (half, mask)| {
        word >> half & mask | (word & mask) << half
    })
}

pub(super) struct SearchPlan {
    plan: Plan,
    pub kept: [Vec<StoredWavefront>; 2],
}

/// Buffer of the stored wavefronts.
pub(super) const POINTS: BufferId = 2;
/// Buffer of the distance at which the directions met.
pub(super) const MET: BufferId = 3;
pub(super) const NOT_MET: u32 = u32::MAX;

/// Splits a pass at workgroups, which alternate between both directions.
const BY_GROUPS: PassSplit = PassSplit {
    units: Units::Grid1d { groups: 2 },
    ..PassSplit::by_group(Bounds::End { first: 7, end: 11 })
};

impl AsMut<Plan> for SearchPlan {
    fn as_mut(&mut self) -> &mut Plan {
        &mut self.plan
    }
}

impl SearchPlan {
    pub(super) fn size_bytes(front: &SearchSizes, bits: u32) -> u64 {
        let kept = front.half() / front.spacing_of_kept() + 1;
        4 * (Packed::size(front.rows, front.cols, bits) + 2 * (3 * kept + front.words()) + 1)
    }

    /// A search from the wavefronts at distance 0, which reach row `slid` of each direction. Skips
    /// the upload of symbols that are resident.
    pub(super) fn new<R: WavefrontRecurrence>(
        front: &SearchSizes,
        codes: &Encoded,
        slid: [usize; 2],
        resident: &Resident,
    ) -> Self {
        let bits = Packed::bits(codes.alphabet.shared);
        let directions = [*front, front.reversed()];
        let mut kept = directions.map(|front| front.kept());
        let words_of_one = front.words();
        kept[1].iter_mut().for_each(|kept| kept.at += words_of_one);
        let scattered_reads = front.every.is_some();
        let mut plan = Plan {
            cell_cost: figures::CELL_COST,
            scattered_reads,
            ..Plan::default()
        };
        let kernel = plan.kernel(kernel(R::STEPS, bits));
        plan.splits.push((kernel, BY_GROUPS));
        let key = InputKey::from([front.rows, front.cols, u64::from(bits)]);
        let words = Packed::size(front.rows, front.cols, bits);
        let symbols = plan.input("symbols", words, key, resident, || Packed::words(codes));
        let table = |kept: &StoredWavefront| {
            [
                kept.at,
                kept.indices.start,
                kept.indices.end - kept.indices.start,
            ]
        };
        let table: Vec<u32> = kept
            .iter()
            .flatten()
            .flat_map(table)
            .map(|word| word as u32)
            .collect();
        let table = plan.upload("kept wavefronts", table);
        let points = plan.buffer(
            "furthest-reaching points",
            2 * words_of_one,
            Contents::Unspecified,
        );
        let met = plan.upload("met", vec![NOT_MET]);
        debug_assert_eq!([points, met], [POINTS, MET]);
        let bindings = plan.bind(vec![symbols, table, points, met]);
        let every = front.spacing_of_kept();
        for pass in 0..front.passes() {
            let (before, last) = front.distances(pass);
            let [first, first_back] = directions.map(|front| front.indices(last).start);
            let [slid, slid_back] = slid.map(|rows| rows as u64);
            let words = [
                front.rows,
                front.cols,
                kept[0].len() as u64,
                before,
                last - before,
                first,
                first_back,
                0,
                every,
                slid,
                slid_back,
                front.groups(pass),
            ];
            plan.passes.push(Pass {
                kernel,
                bindings,
                groups: [2 * front.groups(pass) as u32, 1, 1],
                params: params(words.map(|word| word as u32)),
                cells: front.points(pass),
            });
        }
        Self { plan, kept }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sequences::bit_parallel::inputs::Random;

    #[test]
    fn reversed_words_hold_the_reversed_symbols() {
        let mut random = Random::new(1);
        for bits in [1, 2, 4, 8, 16, 32] {
            let in_word = (u32::BITS / bits) as usize;
            for symbols in [1, 2, in_word, in_word + 1, 3 * in_word - 1, 5 * in_word, 40] {
                let codes: Vec<u32> = (0..symbols)
                    .map(|_| random.below(1 << bits.min(20)) as u32)
                    .collect();
                let packed = |codes: &[u32]| {
                    let mut words = vec![0; symbols.div_ceil(in_word) + 2];
                    let place = |at: usize| (at / in_word, at % in_word * bits as usize);
                    codes
                        .iter()
                        .enumerate()
                        .for_each(|(at, code)| words[place(at).0] |= code << place(at).1);
                    words
                };
                let (words, back) = (
                    packed(&codes),
                    codes.iter().rev().copied().collect::<Vec<_>>(),
                );
                let found: Vec<_> = (0..symbols.div_ceil(in_word))
                    .map(|place| reversed_word(&words, symbols, place, bits))
                    .collect();
                assert_eq!(
                    found,
                    packed(&back)[..found.len()],
                    "{bits} bits, {symbols} symbols"
                );
            }
        }
    }
}
