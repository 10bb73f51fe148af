//! Query handles.

use std::sync::Arc;

use swath::query::{Pairs, Query as Task};

use crate::arguments::Output;
use crate::status::{Result, Status, freed, guarded};

/// A problem with its inputs and options. It does not change, and any number of threads may run it
/// at the same time.
pub struct Query(pub Arc<Problem>);

/// A query as it is run.
pub enum Problem {
    Task(Arc<Task<'static>>),
    /// Pairs of which only those within the bound are kept. Each run has a list of its own.
    Kept(Pairs<'static>),
}

impl<T: Into<Task<'static>>> From<T> for Query {
    fn from(task: T) -> Self {
        Self(Arc::new(Problem::Task(Arc::new(task.into()))))
    }
}

/// Makes a query and hands it over to the caller.
///
/// # Safety
/// The pointer is null, or points to memory for a handle.
pub unsafe fn created(query: *mut *mut Query, make: impl FnOnce() -> Result<Query>) -> Status {
    guarded(|| {
        // SAFETY: as for this function.
        let output = unsafe { Output::of(query, "query") }?;
        output.give(make()?);
        Ok(())
    })
}

/// Frees a query. Null is ignored. Jobs and answers keep what they need of it.
///
///     swath_query_free(query);
#[unsafe(no_mangle)]
pub unsafe extern "C" fn swath_query_free(query: *mut Query) {
    // SAFETY: the header says that a handle is freed once.
    unsafe { freed(query) }
}
