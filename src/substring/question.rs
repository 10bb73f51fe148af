//! What the methods are asked for, and what they find.

use super::texts::Code;

/// The greatest length at which some window occurs in at least `inputs` of the texts.
#[derive(Clone, Copy)]
pub struct Question<'a, C: Code> {
    /// Texts of codes; they share no separator.
    pub texts: &'a [&'a [C]],
    /// In how many of them a substring has to be: 2 to all of them.
    pub inputs: usize,
}

/// The longest common substrings.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Found {
    /// Their length; 0 where no symbol is in as many texts.
    pub length: usize,
    /// For each of them, by their first occurrences, all its occurrences in all texts: the text and the position in it, sorted.
    pub occurrences: Vec<Vec<(usize, usize)>>,
}

impl Found {
    /// Of substrings in any order, each with its occurrences in any order.
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
