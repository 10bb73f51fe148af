//! Ways to answer a query for two sequences.

mod banded;
mod one_thread;
mod reference;
mod sweep;
mod trial;
mod wavefronts;

pub(crate) use banded::Banded;
pub(crate) use one_thread::OneThread;
pub(crate) use reference::Reference;
pub(crate) use sweep::Sweep;
pub(crate) use trial::Trial;
pub(crate) use wavefronts::Wavefronts;
