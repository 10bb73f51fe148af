//! Values of pairs on a GPU, one pair per lane.

mod bands;
mod cross;
mod delivery;
pub(crate) mod embedded;
mod entries;
mod kept;
mod line;

pub(super) mod traceback;

use std::sync::Mutex;

use super::SHARED_CODES;
use super::bands::{Bands, PLANES_COST};
use super::measure::Measure;
use super::request::Request;
use super::selection::Selection;
use super::work::Work;
use crate::backend::{Capabilities, Session, Span, Words};
use crate::edit_distance::Mode;
use crate::engine::Engine;
use crate::engine::profile::cpu::PAIRS_LCS_SPEEDUP;
use crate::engine::profile::gpu::{compute_units, pairs as figures};
use crate::error::Result;
use crate::host::lock;
use crate::kernels::pairs::{LANES, PairTable};
use crate::plan::{BufferId, Plan, Resident};
use delivery::PendingWords;
pub(super) use line::solve;

/// Limbs per strip of embedded kernels, symbols of their tables of masks and bit planes of their codes,
/// besides the greatest numbers.
const EMBEDDED_LIMBS: [u32; 4] = [2, 5, 12, 24];
const EMBEDDED_SYMBOLS: [usize; 1] = [31];
const EMBEDDED_PLANES: [u32; 2] = [3, 5];

/// Columns per load of a lane.
const UNIT: usize = 16;
/// Target symbols on the device at once.
const MAX_SYMBOLS: u64 = 1 << 26;
/// Maximum bytes of the differences between strips: enough lanes for the largest GPUs.
const MAX_CARRY_BYTES: u64 = 1 << 30;
/// Sessions of a call, each with the buffers of a round.
const SESSIONS: u64 = 2;
/// Symbols of a query whose matches a lane flags: a strip of the smallest kernels.
const MAX_JARO_ROWS: usize = 12 * 31;
/// Maximum bytes of the values of a part.
const MAX_PART_BYTES: u64 = 32 << 20;

pub(super) fn takes(work: &Work<'_>, caps: &Capabilities) -> bool {
    let request = &work.request;
    let measure = request.measure;
    if measure.has_own_lengths() || !measure.is_swept() && !caps.compiles {
        return false;
    }
    if measure.is_jaro() && request.queries.lens().max().unwrap_or(0) > MAX_JARO_ROWS {
        return false;
    }
    let codes = work.alphabet.as_ref().map(|alphabet| alphabet.codes());
    let max = if has_rectangles(work) {
        SHARED_CODES
    } else {
        entries::MAX_CODES
    };
    codes.is_some_and(|codes| codes <= max)
}

/// True if every query of a part is compared with every target.
fn has_rectangles(work: &Work<'_>) -> bool {
    let rows = matches!(work.selection, Selection::Cross | Selection::Symmetric);
    rows && work.long.is_empty()
}

/// Bands that take less time than whole tables.
pub(super) fn bands(
    engine: &Engine,
    work: &Work<'_>,
    caps: &Capabilities,
    budget_bytes: u64,
) -> Option<Bands> {
    let codes = work.alphabet.as_ref().filter(|_| caps.compiles)?.codes();
    let max_bytes = Room::new(caps, budget_bytes).max_bytes;
    let fits = codes <= entries::MAX_CODES && bands::bytes(work, codes, max_bytes).is_some();
    fits.then(|| bands::choose(engine, work, bands::max_limbs(codes, caps)))?
}

/// Expected time of all passes and transfers, without bands or by these.
pub(super) fn seconds(work: &Work<'_>, bands: Option<&Bands>, caps: &Capabilities) -> f64 {
    let cost = bands.map_or(1.0, |bands| bands.share * PLANES_COST);
    let rate = match work.request.measure {
        Measure::Edit => figures::EDIT_CELLS_PER_SECOND,
        Measure::Indel | Measure::Lcs => figures::EDIT_CELLS_PER_SECOND * PAIRS_LCS_SPEEDUP,
        _ => figures::EACH_CELLS_PER_SECOND,
    };
    let bytes = work.pairs() as f64 * work.request.width().bytes() as f64;
    cost * work.lane_cells() as f64 / (rate * compute_units(caps))
        + bytes / figures::LIST_BYTES_PER_SECOND
}

/// Device memory of the largest plans, approximately.
pub(super) fn size_bytes(
    work: &Work<'_>,
    bands: Option<&Bands>,
    caps: &Capabilities,
    budget_bytes: u64,
) -> u64 {
    let sessions = if bands.is_some() { 1 } else { SESSIONS };
    let room = Room::new(caps, budget_bytes / sessions);
    let targets = work.request.targets;
    let symbols = targets.symbols_before(targets.len()).min(room.symbols);
    let strings = match (bands, &work.alphabet) {
        (Some(_), Some(alphabet)) => bands::bytes(work, alphabet.codes(), room.max_bytes),
        _ => Some(2 * symbols),
    };
    sessions * (strings.unwrap_or(0) + room.part_bytes + room.carry_bytes)
}

/// Shares of the device memory.
struct Room {
    /// Bytes of the largest buffer of strings.
    max_bytes: u64,
    /// Symbols on the device at once.
    symbols: u64,
    part_bytes: u64,
    carry_bytes: u64,
}

impl Room {
    fn new(caps: &Capabilities, budget: u64) -> Self {
        let share = |parts: u64| caps.chunk_bytes.min(budget / parts);
        Self {
            max_bytes: share(4),
            symbols: MAX_SYMBOLS.min(share(4) / 2),
            part_bytes: MAX_PART_BYTES.min(share(8) / 2),
            carry_bytes: MAX_CARRY_BYTES.min(share(4)),
        }
    }
}

/// Shape of the kernel for a query: limbs per strip, and whether it has several strips.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Shape {
    limbs: u32,
    strips: bool,
}

/// Limbs of the kernels on a device.
#[derive(Clone, Copy)]
struct Limbs {
    /// Rows per limb.
    rows: usize,
    /// Maximum limbs of a strip.
    max: u32,
    /// True if all kernels can be built.
    compiles: bool,
}

impl Limbs {
    fn new(max: u32, caps: &Capabilities, measure: Measure) -> Self {
        // Generated kernels have a guard row.
        let has_guard = !caps.carry_flag || !measure.is_swept();
        Self {
            rows: if has_guard { 31 } else { 32 },
            max: limbs_of_class(limbs_on(caps, max).max(1), false, caps.compiles),
            compiles: caps.compiles,
        }
    }

    /// Few shapes, so that few kernels are built.
    fn shape(&self, query_len: usize) -> Shape {
        let limbs = query_len.div_ceil(self.rows).max(1);
        let strips = limbs > self.max as usize;
        // Strips of equal heights.
        let limbs = limbs.div_ceil(limbs.div_ceil(self.max as usize));
        let limbs = limbs_of_class(limbs as u32, true, self.compiles).min(self.max);
        Shape { limbs, strips }
    }

    fn strips(&self, shape: Shape, query_len: usize) -> u32 {
        let rows = shape.limbs as usize * self.rows;
        query_len.div_ceil(rows).max(1) as u32
    }

    fn strip_rows(&self, shape: Shape) -> u64 {
        u64::from(shape.limbs) * self.rows as u64
    }
}

/// Maximum limbs on a device: llvmpipe of Mesa 22.3, a software adapter, gives wrong values for several
/// strips of 24 limbs or more (docs/drivers.md).
fn limbs_on(caps: &Capabilities, limbs: u32) -> u32 {
    match caps.host_threads {
        Some(_) => limbs.min(20),
        None => limbs,
    }
}

/// Rounds `limbs` up or down to the limbs of a kernel: every number up to 8, then multiples of 4. A
/// device that does not compile has embedded kernels only, with [`EMBEDDED_LIMBS`].
fn limbs_of_class(limbs: u32, up: bool, compiles: bool) -> u32 {
    let embedded = || EMBEDDED_LIMBS.into_iter();
    match (limbs, up) {
        (_, true) if !compiles => embedded().find(|&of| of >= limbs).unwrap_or(limbs),
        (_, false) if !compiles => embedded().rfind(|&of| of <= limbs).unwrap_or(limbs),
        (0..=8, _) => limbs,
        (_, true) => limbs.next_multiple_of(4),
        (_, false) => limbs / 4 * 4,
    }
}

impl Request<'_> {
    fn table(&self, shape: Shape) -> PairTable {
        let (recurrence, measure) = match self.measure {
            Measure::Edit => ("edit_distance/limbs", 0),
            Measure::Lcs => ("lcs/limbs", 2),
            Measure::Hamming => ("pairs/hamming", 0),
            Measure::Osa => ("pairs/osa", 0),
            Measure::Jaro => ("pairs/jaro", 0),
            Measure::JaroWinkler => ("pairs/jaro", 1),
            // Of indel distances; other measures have no kernel.
            _ => ("lcs/limbs", 1),
        };
        PairTable {
            recurrence,
            measure,
            ends: match self.mode {
                Mode::Global => 0,
                Mode::Prefix => 1,
                Mode::Infix => 2,
            },
            limbs: shape.limbs,
            strips: shape.strips,
            limited: self.scoring().limit.is_some() && self.mode == Mode::Global,
        }
    }

    /// Words per unit of the differences below a strip.
    fn carry_words(&self) -> u64 {
        let vectors = match self.measure {
            Measure::Osa => 3,
            Measure::Edit | Measure::Hamming => 2,
            _ => 1,
        };
        vectors * u64::from(LANES)
    }
}

struct ValuesPlan {
    plan: Plan,
    values: BufferId,
}

impl AsMut<Plan> for ValuesPlan {
    fn as_mut(&mut self) -> &mut Plan {
        &mut self.plan
    }
}

/// A plan that was made before the device is free.
#[derive(Default)]
struct Made(Mutex<Option<ValuesPlan>>);

impl Made {
    fn new(plan: ValuesPlan) -> Self {
        Self(Mutex::new(Some(plan)))
    }

    /// The plan, made anew if it was taken before.
    fn take_or(&self, make: impl FnOnce() -> ValuesPlan) -> ValuesPlan {
        lock(&self.0).take().unwrap_or_else(make)
    }
}

/// Runs a plan and returns its values, in memory of the driver.
async fn values_of(
    session: &Session<'_>,
    plan: &(dyn Fn(&Resident) -> ValuesPlan + Sync),
) -> Result<Box<dyn Words>> {
    started(session, plan, &|| Ok(())).await?.await
}

/// Runs a plan, and `meanwhile` while the device runs it; returns its values, which are being read.
async fn started(
    session: &Session<'_>,
    plan: &(dyn Fn(&Resident) -> ValuesPlan + Sync),
    meanwhile: &(dyn Fn() -> Result<()> + Sync),
) -> Result<PendingWords> {
    let read = |planned: &ValuesPlan| {
        let words = planned.plan.buffers[planned.values].words;
        let pending = session.read(&[Span {
            buffer: planned.values,
            first: 0,
            words,
        }])?;
        meanwhile()?;
        Ok(pending)
    };
    let (_, pending) = session.round(plan, &|_| Vec::new(), &read).await?;
    Ok(pending.unwrap_or_else(|| Box::pin(async { Ok(Box::new(Vec::new()) as Box<dyn Words>) })))
}
