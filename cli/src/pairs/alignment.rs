//! Alignments of pairs whose distances are known.

use std::ops::Range;

use serde::Serialize;
use swath::edit_distance::{Alignment, Mode, Op};
use swath::pairs::PairValue;
use swath::{CancelHandle, Control, Engine, Options, Symbol};

use super::job::Job;
use crate::args::{PairsArgs, PairsFormat};

/// Fields of a row from its alignment, in their order.
#[derive(Default, Serialize)]
pub struct Fields {
    #[serde(flatten)]
    pub counts: Option<Counts>,
    /// Part of the target.
    #[serde(flatten)]
    pub piece: Option<Range<usize>>,
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

impl Fields {
    pub fn new(alignment: &Alignment, ops: &[(Op, usize)], args: &PairsArgs) -> Self {
        let mut counts = Counts::default();
        for &(op, count) in ops {
            *match op {
                Op::Substitute => &mut counts.substitutions,
                Op::Delete => &mut counts.deletions,
                Op::Insert => &mut counts.insertions,
                Op::Equal => &mut counts.matches,
            } += count;
        }
        let has_piece = args.path && args.mode != Mode::Global;
        Self {
            counts: args.counts.then_some(counts),
            piece: has_piece.then(|| alignment.piece()),
            cigar: args.path.then(|| Op::cigar(ops)),
        }
    }
}

/// Device memory for alignments: several thousand pairs of 10,000 letters at once.
const DEVICE_BYTES: u64 = 1 << 30;

/// Host memory of pairs that are aligned together: some ten thousand of a hundred edits.
const HOST_BYTES: u64 = 1 << 29;
/// Share of the host memory for them, if that is less.
const HOST_SHARE: u64 = 8;

/// Aligns pairs, while the call that computes the distances waits.
pub struct Aligner {
    /// Calls of one engine wait for the memory of others, and the other call holds its own.
    engine: Engine,
    control: Control,
    pub threads: usize,
    /// Maximum bytes of the pairs that are aligned together, with their rows.
    pub max_bytes: u64,
}

impl Aligner {
    /// Takes its share of the device memory from `options`.
    pub fn new(
        options: &mut Options,
        cancel: &CancelHandle,
        args: &PairsArgs,
    ) -> swath::Result<Option<Self>> {
        if !args.counts && !args.path && args.format != PairsFormat::Paf {
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
