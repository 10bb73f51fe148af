//! Known answers of each family of kernels, and the sweep that tells how fast a device is: what it is asked before it is believed.

use crate::backend::Backend;
use crate::engine::{Engine, Probe};
use crate::error::{Error, Result};
use crate::kernels::Family;
use crate::{edit_distance, lcs, parenthesization, sort, substring};

/// What engines ask.
pub(crate) const PROBE: Probe = Probe {
    gives_known_answers,
    sweep: lcs::sweep,
};

fn gives_known_answers(engine: &Engine, gpu: &dyn Backend, family: Family) -> Result<bool> {
    let answers = match family {
        Family::Pairwise => lcs::gives_known_answer(engine, gpu)
            .and_then(|is_right| Ok(is_right && edit_distance::gives_known_answer(engine, gpu)?)),
        Family::Parenthesization => parenthesization::gives_known_answers(engine, gpu),
        Family::Sort => sort::gives_known_answers(engine, gpu),
        Family::Substring => substring::gives_known_answers(engine, gpu),
    };
    match answers {
        // It was asked, and what it answered does not hold.
        Err(Error::CertificateFailed(_)) => Ok(false),
        answers => answers,
    }
}
