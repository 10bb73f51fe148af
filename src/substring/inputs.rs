//! Validation of the inputs.

use std::borrow::Cow;

use super::dna;
use super::texts::Texts;
use crate::error::{Error, Result};
use crate::sequences::codes::Symbol;
use crate::sequences::typed::{Lists, Symbols, Typed, for_class, for_type};

pub(super) const PROBLEM: &str = "substring";

/// The records of all inputs, and how many each input has.
#[derive(Clone, Debug)]
pub(crate) struct Records<'a> {
    pub(crate) all: Lists<'a>,
    counts: Vec<usize>,
}

impl<'a> Records<'a> {
    pub(super) fn of<S: Symbol>(inputs: &'a [Vec<Cow<'_, [S]>>]) -> Result<Self> {
        let all: Vec<_> = inputs.iter().flatten().map(|record| &**record).collect();
        Ok(Self {
            all: Lists::of(&all)?,
            counts: inputs.iter().map(Vec::len).collect(),
        })
    }

    pub(crate) fn of_symbols(inputs: Vec<Vec<Symbols<'a>>>) -> Result<Self> {
        let counts = inputs.iter().map(Vec::len).collect();
        let all = Lists::of_symbols(inputs.into_iter().flatten())?;
        Ok(Self { all, counts })
    }

    /// Number of inputs.
    pub(super) fn len(&self) -> usize {
        self.counts.len()
    }

    pub(super) fn symbols(&self) -> u128 {
        for_type!(&self.all, |all| all
            .iter()
            .map(|record| record.len() as u128)
            .sum())
    }

    /// Encodes the inputs; `both_strands` is true for those whose reverse strand is searched, too.
    pub(super) fn texts(&self, both_strands: impl Fn(usize) -> bool) -> Result<Texts<'_>> {
        for_class!(&self.all, PROBLEM, |all| {
            Ok(Texts::new(&self.by_input(all), both_strands))
        })
    }

    /// Checks that all symbols have a complement if both strands are searched.
    pub(super) fn check_strands(&self, both_strands: bool) -> Result<()> {
        match &self.all {
            Typed::Bytes(all) if both_strands => {
                let mut inputs = self.by_input(all).into_iter().enumerate();
                inputs.try_for_each(|(input, records)| dna::check(input, &records))
            }
            _ => Ok(()),
        }
    }

    /// Input by input, these records of all inputs.
    pub(super) fn by_input<'b, S, L: AsRef<[S]>>(&self, all: &'b [L]) -> Vec<Vec<&'b [S]>> {
        let mut rest = all.iter().map(L::as_ref);
        let inputs = self.counts.iter();
        inputs
            .map(|&count| rest.by_ref().take(count).collect())
            .collect()
    }
}

/// Checks that there are at least two inputs.
pub(super) fn check_inputs(inputs: usize) -> Result<()> {
    if inputs < 2 {
        return Err(Error::OutOfRange {
            what: "the number of inputs",
            given: inputs as u64,
            allowed: "2 or more".to_string(),
        });
    }
    Ok(())
}
