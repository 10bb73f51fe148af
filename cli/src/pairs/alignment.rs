//! Alignments of pairs whose distances are known.

use serde::Serialize;
use swath::edit_distance::{Alignment, Mode, Op};
use swath::pairs::PairValue;
use swath::{CancelHandle, Control, Engine, Options, Symbol};

use super::Job;
use crate::args::{PairsArgs, PairsFormat};

/// Alignment columns of a row.
#[derive(Clone, Copy, Debug)]
pub struct Shown {
    pub counts: bool,
    pub path: bool,
    /// Set if a row has more of the alignment, in any case.
    pub always: bool,
}

impl Shown {
    pub fn of(args: &PairsArgs) -> Self {
        Self {
            counts: args.counts,
            path: args.path,
            always: args.format == PairsFormat::Paf,
        }
    }
}

/// Fields of a row from its alignment, in their order.
#[derive(Default, Serialize)]
pub struct Fields {
    #[serde(flatten)]
    pub counts: Option<Counts>,
    #[serde(flatten)]
    pub piece: Option<PieceFields>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cigar: Option<String>,
}

#[derive(Default, Serialize)]
pub struct Counts {
    pub substitutions: usize,
    pub deletions: usize,
    pub insertions: usize,
    pub matches: usize,
}

/// Part of the target.
#[derive(Serialize)]
pub struct PieceFields {
    pub start: usize,
    pub end: usize,
}

impl Fields {
    pub fn new(alignment: &Alignment, ops: &[(Op, usize)], mode: Mode, shown: Shown) -> Self {
        let mut counts = Counts::default();
        for &(op, count) in ops {
            *match op {
                Op::Substitute => &mut counts.substitutions,
                Op::Delete => &mut counts.deletions,
                Op::Insert => &mut counts.insertions,
                Op::Equal => &mut counts.matches,
            } += count;
        }
        let piece = alignment.piece();
        let has_piece = shown.path && mode != Mode::Global;
        Self {
            counts: shown.counts.then_some(counts),
            piece: has_piece.then_some(PieceFields {
                start: piece.start,
                end: piece.end,
            }),
            cigar: shown.path.then(|| Op::cigar(ops)),
        }
    }
}

/// Device memory for alignments, beside that of the call that computes the distances: several
/// thousand pairs of 10,000 letters at once.
const DEVICE_BYTES: u64 = 1 << 30;

/// Maximum host memory of the pairs that are aligned together: some ten thousand of a hundred edits.
const HOST_BYTES: u64 = 1 << 29;
/// Share of the host memory for them, if that is less.
const HOST_SHARE: u64 = 8;

/// Aligns pairs, while the call that computes the distances waits.
pub struct Aligner {
    /// An engine of its own: calls of one engine wait for the memory of others, and the other call
    /// holds its own.
    engine: Engine,
    control: Control,
    pub shown: Shown,
    /// Threads of the engine.
    pub threads: usize,
    /// Maximum bytes of the pairs that are aligned together, with their rows.
    pub max_bytes: u64,
}

impl Aligner {
    /// Takes its share of the device memory from `options`; `None` if nothing of an alignment is
    /// shown.
    pub fn new(
        options: &mut Options,
        cancel: &CancelHandle,
        shown: Shown,
    ) -> swath::Result<Option<Self>> {
        if !shown.counts && !shown.path && !shown.always {
            return Ok(None);
        }
        let mut own = options.clone();
        own.device_memory = Some(DEVICE_BYTES);
        if let Some(bytes) = &mut options.device_memory {
            let share = DEVICE_BYTES.min(*bytes / 4);
            own.device_memory = Some(share);
            *bytes -= share;
        }
        let threads = std::thread::available_parallelism().map_or(1, usize::from);
        Ok(Some(Self {
            threads: own.threads.unwrap_or(threads),
            max_bytes: HOST_BYTES.min(own.host_memory.unwrap_or(u64::MAX) / HOST_SHARE),
            engine: Engine::new(own)?,
            control: Control::new(cancel.clone(), None),
            shown,
        }))
    }

    pub fn align<S: Symbol>(
        &self,
        job: &Job<'_, S>,
        pairs: &[PairValue],
    ) -> swath::Result<Vec<Alignment>> {
        let all = job.pairs();
        let report = self
            .engine
            .run_with(&all.alignments(pairs), &self.control)?;
        Ok(report.answer)
    }
}
