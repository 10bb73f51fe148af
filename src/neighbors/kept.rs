//! Keys of prepared columns, for later joins within the same bound.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, OnceLock};

use super::gpu;
use super::levels::Indexed;
use super::plan::{MAX_PIECES_EDITS, Plan};
use super::request::Request;
use super::shard::Shard;
use crate::backend::OwnSessions;
use crate::host::lock;
use crate::symbols::alphabet::Alphabet;

/// Keys of a list of columns that serve any rows, and their sources, from earlier joins.
#[derive(Default)]
pub(super) struct KeptColumns {
    /// By the last joins on the CPU and on GPUs; `None` while a join has them.
    pub(super) on_cpu: Mutex<Option<Indexed>>,
    pub(super) on_gpu: Mutex<Option<gpu::Indexed>>,
    pub(super) sessions: OwnSessions,
    /// Of the columns; `None` if they have too many symbols.
    alphabet: OnceLock<Option<Alphabet>>,
    /// Most bits of codes so far.
    planes: AtomicU32,
}

impl KeptColumns {
    /// True if the columns have been indexed for such a request.
    pub(super) fn is_indexed(&self, request: &Request<'_>, is_on_gpu: bool) -> bool {
        if is_on_gpu {
            let indexed = lock(&self.on_gpu);
            indexed
                .as_ref()
                .is_some_and(|indexed| request.fits(&indexed.plan))
        } else {
            let indexed = lock(&self.on_cpu);
            indexed
                .as_ref()
                .is_some_and(|indexed| request.fits(&indexed.plan))
        }
    }

    /// Alphabet of the columns with the other symbols of the rows behind their own, and the bits of its
    /// codes: no fewer than in earlier calls. `None` if it has too many symbols. Runs on the current
    /// thread pool.
    pub(super) fn alphabet(&self, request: &Request<'_>) -> Option<Alphabet> {
        if self.alphabet.get().is_none() {
            // Outside of the cell, as a thread of the pool that waits for it could have this work.
            let own = gpu::alphabet(&[request.columns?], false);
            self.alphabet.get_or_init(|| own);
        }
        let own = self.alphabet.get()?.as_ref()?;
        let all = own.with(&gpu::alphabet(&[request.rows], request.both_strands)?);
        (all.codes() <= gpu::MAX_CODES).then_some(all)
    }

    /// Bits of the codes of an alphabet, no fewer than in earlier calls.
    pub(super) fn planes(&self, alphabet: &Alphabet) -> u32 {
        let planes = gpu::planes(alphabet);
        self.planes.fetch_max(planes, Ordering::Relaxed).max(planes)
    }
}

impl<'a> Request<'a> {
    /// The kept keys of the columns, if these are a prepared list and the call takes all of them.
    pub(super) fn kept(&self) -> Option<Arc<KeptColumns>> {
        let kept = self.columns?.kept()?;
        let [rows, columns] = self.groups;
        let serves_all = rows.is_empty()
            && columns.is_empty()
            && self.shard == Shard::ALL
            && self.k() <= MAX_PIECES_EDITS;
        serves_all.then(|| kept.get_or_make(KeptColumns::default))
    }

    /// True if kept keys by this plan serve the request.
    pub(super) fn fits(&self, plan: &Plan) -> bool {
        (plan.k, &plan.tuning) == (self.k(), self.tuning)
    }
}
