//! Prepared targets, whose codes stay on devices between calls.

use std::sync::{Arc, Mutex};

use super::cross::Chunk;
use super::has_rectangles;
use crate::backend::OwnSessions;
use crate::host::lock;
use crate::pairs::SHARED_CODES;
use crate::pairs::work::Work;
use crate::symbols::alphabet::Alphabet;

/// Codes of the targets, and sessions that hold them, from earlier calls.
pub(super) struct KeptTargets {
    /// Of all targets, so that their codes are the same for any queries; `None` if they have too many
    /// symbols.
    alphabet: Option<Alphabet>,
    /// Chunks, and the symbols of one at most.
    chunks: Mutex<Option<(u64, Arc<Vec<Chunk>>)>>,
    pub(super) sessions: OwnSessions,
}

impl KeptTargets {
    /// The kept codes of prepared targets, and an alphabet for a call: the other symbols of the queries
    /// follow those of the targets. `None` if there are too many. Runs on the current
    /// thread pool.
    pub(super) fn of(work: &Work<'_>) -> Option<(Arc<Self>, Alphabet)> {
        let targets = work.request.targets;
        let kept = targets.kept().filter(|_| has_rectangles(work))?;
        let target = |index| targets.string(index);
        let kept = kept.get_or_make(|| Self {
            alphabet: Alphabet::few_by_threads(targets.len(), target, SHARED_CODES),
            chunks: Mutex::default(),
            sessions: OwnSessions::default(),
        });
        let all = kept.alphabet.as_ref()?.with(work.alphabet.as_ref()?);
        (all.codes() <= SHARED_CODES).then_some((kept, all))
    }

    pub(super) fn chunks(
        &self,
        max_symbols: u64,
        make: impl FnOnce() -> Vec<Chunk>,
    ) -> Arc<Vec<Chunk>> {
        if let Some((of_symbols, chunks)) = &*lock(&self.chunks)
            && *of_symbols == max_symbols
        {
            return chunks.clone();
        }
        let made = Arc::new(make());
        *lock(&self.chunks) = Some((max_symbols, made.clone()));
        made
    }
}
