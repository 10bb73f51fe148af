//! Queries of two or more sequences.

use super::Pair;
use crate::edit_distance::EditOptions;
use crate::error::{Error, Result};
use crate::lcs::{LcsOptions, Subsequence};
use crate::sequences::typed::{Lists, Symbols, Typed, map_type, slices};
use crate::substring::SubstringOptions;
use crate::substring::inputs::Records;
use crate::supersequence::{ScsOptions, Supersequence};

/// [`Edit`](crate::Edit) as a query: `a` is the query sequence, `b` the target.
///
/// An example is with [the module](crate::query).
#[derive(Clone, Debug)]
#[must_use = "an engine runs it"]
pub struct Edit<'a> {
    /// The sequences.
    pub pair: Pair<'a>,
    /// Mode, bound, and parts of the answer.
    pub options: EditOptions,
}

/// [`Lcs`](crate::Lcs) as a query.
///
/// ```
/// use swath::query::{Lcs, Pair, Symbols};
/// use swath::{Engine, Options};
///
/// let (a, b) = (Symbols::Bytes(b"ABCBDAB".into()), Symbols::Bytes(b"BDCABA".into()));
/// let query = Lcs::from(Pair::of_symbols(a, b)?);
/// assert_eq!(Engine::new(Options::default())?.run(&query)?.length, 4);
/// # Ok::<(), swath::Error>(())
/// ```
#[derive(Clone, Debug)]
#[must_use = "an engine runs it"]
pub struct Lcs<'a> {
    /// The sequences.
    pub pair: Pair<'a>,
    /// Method, and parts of the answer.
    pub options: LcsOptions,
}

impl<'a> From<Pair<'a>> for Edit<'a> {
    fn from(pair: Pair<'a>) -> Self {
        let options = EditOptions::default();
        Self { pair, options }
    }
}

impl<'a> From<Pair<'a>> for Lcs<'a> {
    fn from(pair: Pair<'a>) -> Self {
        let options = LcsOptions::default();
        Self { pair, options }
    }
}

impl Lcs<'_> {
    /// Symbols of a subsequence of these sequences; letters as bytes.
    ///
    /// # Errors
    /// [`Error::CertificateFailed`] if it is one of other sequences.
    pub fn symbols(&self, found: &Subsequence) -> Result<Symbols<'static>> {
        Ok(match &self.pair {
            Pair::Bytes([a, _]) => Symbols::Bytes(found.symbols(a)?.into()),
            Pair::Numbers([a, _]) => Symbols::Numbers(found.symbols(a)?.into()),
            Pair::Letters([a, _]) => {
                let letters = found.symbols(a)?.into_iter();
                Symbols::Bytes(letters.map(|letter| letter.byte()).collect())
            }
        })
    }
}

/// [`Scs`](crate::Scs) as a query.
///
/// ```
/// use swath::query::{Scs, Symbols};
/// use swath::{Engine, Options};
///
/// let inputs = ["cab", "abac", "bca"].map(|text| Symbols::Bytes(text.as_bytes().into()));
/// let mut query = Scs::of(inputs)?;
/// query.options.path = true;
/// let report = Engine::new(Options::default())?.run(&query)?;
/// let found = report.supersequence.as_ref().expect("it was asked for");
/// assert_eq!((report.length, query.symbols(found)?.len()), (6, 6));
/// # Ok::<(), swath::Error>(())
/// ```
#[derive(Clone, Debug)]
#[must_use = "an engine runs it"]
pub struct Scs<'a> {
    pub(crate) inputs: Lists<'a>,
    /// Method, and parts of the answer.
    pub options: ScsOptions,
}

impl<'a> Scs<'a> {
    /// # Errors
    /// As for `Pair::of_symbols`.
    pub fn of(inputs: impl IntoIterator<Item = Symbols<'a>>) -> Result<Self> {
        Ok(Self {
            inputs: Lists::of_symbols(inputs)?,
            options: ScsOptions::default(),
        })
    }

    /// Symbols of a supersequence of these inputs.
    ///
    /// # Errors
    /// [`Error::CertificateFailed`] if it is one of other inputs.
    pub fn symbols(&self, found: &Supersequence) -> Result<Symbols<'static>> {
        Ok(map_type!(&self.inputs, |inputs| found
            .symbols(&slices(inputs))?
            .into()))
    }
}

/// [`Substring`](crate::Substring) as a query.
///
/// ```
/// use swath::query::{Substring, Symbols};
/// use swath::{Engine, Options};
///
/// let engine = Engine::new(Options::default())?;
/// let inputs = ["xxABCyyABC", "zABCz"].map(|text| Symbols::Bytes(text.as_bytes().into()));
/// let query = Substring::of(inputs.map(|input| vec![input]).to_vec())?;
/// assert_eq!(engine.run(&query)?.length, 3);
/// assert_eq!(engine.run(&query.min_length(3))?.matches.len(), 2);
/// # Ok::<(), swath::Error>(())
/// ```
#[derive(Clone, Debug)]
#[must_use = "an engine runs it"]
pub struct Substring<'a> {
    pub(crate) records: Records<'a>,
    pub(crate) both_strands: bool,
    /// Method, and minimum number of inputs.
    pub options: SubstringOptions,
}

impl<'a> Substring<'a> {
    /// Creates the query for the records of each input.
    ///
    /// # Errors
    /// As for `Pair::of_symbols`.
    pub fn of(inputs: Vec<Vec<Symbols<'a>>>) -> Result<Self> {
        Ok(Self {
            records: Records::of_symbols(inputs)?,
            both_strands: false,
            options: SubstringOptions::default(),
        })
    }

    /// Searches both strands of DNA, as
    /// [`Substring::both_strands`](crate::Substring::both_strands).
    ///
    /// # Errors
    /// [`Error::MethodUnavailable`] for symbols other than bytes.
    pub fn both_strands(mut self) -> Result<Self> {
        let Typed::Bytes(_) = self.records.all else {
            return Err(Error::MethodUnavailable {
                method: "both strands",
                device: "symbols other than bytes".to_string(),
                reason: "give DNA as bytes".to_string(),
            });
        };
        self.both_strands = true;
        Ok(self)
    }

    /// Finds all maximal matches of at least `length` symbols instead of the longest substring.
    pub fn min_length(self, length: u64) -> Matches<'a> {
        Matches {
            substring: self,
            min_length: length,
        }
    }
}

/// [`Matches`](crate::substring::Matches) as a query, from [`Substring::min_length`].
#[derive(Clone, Debug)]
#[must_use = "an engine runs it"]
pub struct Matches<'a> {
    pub(crate) substring: Substring<'a>,
    pub(crate) min_length: u64,
}
