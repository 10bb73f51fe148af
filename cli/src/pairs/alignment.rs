//! Alignments of single pairs, after their distances are known.

use serde::Serialize;
use swath::edit_distance::{Mode, Op};
use swath::{CancelHandle, Control, DeviceChoice, Edit, Engine, Error, Options, Symbol};

/// Alignment columns of a row.
#[derive(Clone, Copy, Debug)]
pub struct Shown {
    pub counts: bool,
    pub path: bool,
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

/// Aligns pairs on the CPU: the device may be taken by the call that computes the distances.
pub struct Aligner {
    engine: Engine,
    control: Control,
    mode: Mode,
    shown: Shown,
}

impl Aligner {
    /// `None` if nothing of an alignment is shown.
    pub fn new(
        mut options: Options,
        cancel: &CancelHandle,
        mode: Mode,
        shown: Shown,
    ) -> swath::Result<Option<Self>> {
        if !shown.counts && !shown.path {
            return Ok(None);
        }
        options.device = DeviceChoice::Cpu;
        Ok(Some(Self {
            engine: Engine::new(options)?,
            control: Control::new(cancel.clone(), None),
            mode,
            shown,
        }))
    }

    pub fn fields<S: Symbol>(&self, query: &[S], target: &[S]) -> swath::Result<Fields> {
        // An empty query is everywhere at distance 0; the first piece answers for all.
        let mode = match self.mode {
            Mode::Infix if query.is_empty() => Mode::Prefix,
            mode => mode,
        };
        let task = Edit::of(query, target).mode(mode).path();
        let answer = self.engine.run_with(&task, &self.control)?.answer;
        let alignment = answer.alignment.ok_or_else(|| {
            Error::CertificateFailed("the distance came without its alignment".to_string())
        })?;
        let ops = alignment.ops(query, target)?;
        let mut counts = Counts::default();
        for &(op, count) in &ops {
            *match op {
                Op::Substitute => &mut counts.substitutions,
                Op::Delete => &mut counts.deletions,
                Op::Insert => &mut counts.insertions,
                Op::Equal => &mut counts.matches,
            } += count;
        }
        let piece = alignment.piece();
        let has_piece = self.shown.path && self.mode != Mode::Global;
        Ok(Fields {
            counts: self.shown.counts.then_some(counts),
            piece: has_piece.then_some(PieceFields {
                start: piece.start,
                end: piece.end,
            }),
            cigar: self.shown.path.then(|| Op::cigar(&ops)),
        })
    }
}
