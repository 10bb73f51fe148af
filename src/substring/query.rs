//! The longest common substring problem on encoded texts: query and answer.

use super::texts::Code;

/// Asks for the greatest length at which some window occurs in at least `inputs` of the texts.
#[derive(Clone, Copy)]
pub struct SubstringQuery<'a, C: Code> {
    /// Encoded texts; no two share a separator.
    pub texts: &'a [&'a [C]],
    /// Minimum number of texts that contain the substring: 2 to all.
    pub inputs: usize,
}

impl<C: Code> SubstringQuery<'_, C> {
    pub(crate) fn symbols(&self) -> usize {
        self.texts.iter().map(|text| text.len()).sum()
    }

    pub(crate) fn longest(&self) -> usize {
        self.texts.iter().map(|text| text.len()).max().unwrap_or(0)
    }
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LongestSubstrings {
    /// Length of the substrings; 0 if no symbol occurs in enough texts.
    pub length: usize,
    /// All occurrences of each substring as (text, position), sorted; substrings are ordered by
    /// first occurrence.
    pub occurrences: Vec<Vec<(usize, usize)>>,
}

impl LongestSubstrings {
    /// Sorts the occurrences and the substrings.
    pub fn sorted(length: usize, mut occurrences: Vec<Vec<(usize, usize)>>) -> Self {
        occurrences
            .iter_mut()
            .for_each(|places| places.sort_unstable());
        occurrences.sort_unstable();
        Self {
            length,
            occurrences,
        }
    }
}
