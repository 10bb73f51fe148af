//! The texts, probes and options of a search.

use std::sync::OnceLock;

use super::options::SearchOptions;
use super::patterns::Probes;
use super::plans::Plans;
use super::restricted::Rules;
use crate::error::Result;
use crate::pairs::strings::List;

/// Minimum symbols of a unit, and in lengths of its margin, which is swept by each of 8 lanes.
pub(super) const UNIT_SYMBOLS: usize = 1 << 17;
const MARGINS: usize = 32;

pub(super) struct Request<'a> {
    pub(super) texts: List<'a>,
    pub(super) probes: Probes<'a>,
    pub(super) options: &'a SearchOptions,
    /// `None` if all alignments within the bound are allowed.
    pub(super) rules: Option<Rules>,
    plans: OnceLock<Plans>,
}

impl<'a> Request<'a> {
    pub(super) fn new(
        patterns: List<'a>,
        texts: List<'a>,
        options: &'a SearchOptions,
    ) -> Result<Self> {
        Ok(Self {
            texts,
            probes: Probes::new(patterns, texts, options)?,
            options,
            rules: Rules::new(options)?,
            plans: OnceLock::new(),
        })
    }

    pub(super) fn plans(&self) -> &Plans {
        self.plans
            .get_or_init(|| Plans::new(&self.probes, self.options, self.text_symbols()))
    }

    pub(super) fn text_symbols(&self) -> u64 {
        self.texts.symbols_before(self.texts.len())
    }

    pub(super) fn unit_symbols(&self) -> usize {
        let of_margins = MARGINS.saturating_mul(self.probes.max_len);
        (self.options.unit_symbols).unwrap_or(UNIT_SYMBOLS.max(of_margins))
    }
}
