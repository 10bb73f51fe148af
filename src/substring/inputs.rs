//! Validation of the inputs.

use std::borrow::Cow;

use super::dna;
use super::texts::Strands;
use crate::error::{Error, Result};
use crate::pairwise::codes::{Symbol, check_classes};

pub(super) fn records<'b, S: Symbol>(inputs: &'b [Vec<Cow<'_, [S]>>]) -> Vec<Vec<&'b [S]>> {
    inputs
        .iter()
        .map(|records| records.iter().map(|record| &**record).collect())
        .collect()
}

/// Checks that there are at least two inputs.
///
/// # Errors
/// [`Error::OutOfRange`].
pub(super) fn check_inputs(inputs: usize) -> Result<()> {
    match inputs {
        0 | 1 => {
            let allowed = "2 or more".to_string();
            Err(Error::OutOfRange {
                what: "the number of inputs",
                given: inputs as u64,
                allowed,
            })
        }
        _ => Ok(()),
    }
}

/// Checks that all symbols have a complement if both strands are searched.
///
/// # Errors
/// [`Error::NotDna`].
pub(super) fn check_strands<S: Symbol>(inputs: &[Vec<&[S]>], strands: Strands<S>) -> Result<()> {
    check_classes::<S>("substring")?;
    if !strands.are_both() {
        return Ok(());
    }
    inputs.iter().enumerate().try_for_each(|(input, records)| {
        let bytes: Option<Vec<_>> = records.iter().map(|record| S::bytes(record)).collect();
        dna::check(input, &bytes.unwrap_or_default())
    })
}

pub(super) fn symbols<S>(inputs: &[Vec<&[S]>]) -> u128 {
    inputs
        .iter()
        .flatten()
        .map(|record| record.len() as u128)
        .sum()
}
