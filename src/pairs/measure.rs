//! Measures of a pair.

use crate::edit_distance::Mode;

/// Value of a pair.
///
/// Distances and lengths are numbers. The similarities [`Jaro`](Self::Jaro) and
/// [`JaroWinkler`](Self::JaroWinkler) are fractions, so their values are the integers from which
/// [`similarity`](Self::similarity) makes them: the number of matches times 2^17, or 2^9 if no string
/// of the pair is longer than 127 symbols, so that values of short strings have 16 bits; half of the
/// transpositions times 2^3; and the length of the common prefix, up to 4. Values of
/// [`PartialRatio`](Self::PartialRatio), [`TokenSort`](Self::TokenSort) and
/// [`TokenSet`](Self::TokenSet) are the indel distance of what they compare times 2^16, and the
/// symbols of both sides, of the first and the last in lowest terms.
///
/// The ratios are those of rapidfuzz, from 0 to 100. They take symbols for bytes or code points, and
/// divide strings into tokens at white space: of bytes that of ASCII.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Measure {
    /// Edit distance with unit costs: insertions, deletions and substitutions.
    #[default]
    Edit,
    /// Insertions and deletions only: `a.len() + b.len() - 2 * lcs`.
    Indel,
    /// Length of the longest common subsequence.
    Lcs,
    /// Positions where the strings differ; those that only the longer one has differ, too.
    Hamming,
    /// Optimal string alignment: edits and exchanges of neighbouring symbols, where no part is
    /// edited twice (Hyyrö 2003, "A bit-vector algorithm for computing Levenshtein and Damerau edit
    /// distances").
    Osa,
    /// Jaro similarity: symbols match if they are equal and no farther apart than half of the longer
    /// string, less one; each matches the first free one (Jaro 1989,
    /// doi:10.1080/01621459.1989.10478785).
    Jaro,
    /// Jaro similarity, raised for a common prefix if it exceeds 0.7: by a tenth of what is missing
    /// for each of its first four symbols (Winkler 1990).
    JaroWinkler,
    /// Indel distance, as a similarity.
    Ratio,
    /// The best [`Ratio`](Self::Ratio) of the shorter string with a substring of the longer one: of its
    /// length, or at an end shorter ones, too. Of two strings of one length, either may be the longer.
    PartialRatio,
    /// The [`Ratio`](Self::Ratio) of the sorted tokens, joined by spaces.
    TokenSort,
    /// The best [`Ratio`](Self::Ratio) of the common tokens, these and the other ones of the first
    /// string, and these and the other ones of the second, each token once; 100 if all tokens of a
    /// string are common ones, 0 if a string has none.
    TokenSet,
}

/// Bits of a Jaro value below half of the transpositions.
const TRANSPOSITIONS_BIT: u32 = 3;
/// Symbols of strings whose values fit 16 bits, and of strings that have a value.
pub(super) const SHORT: u64 = 127;
pub(super) const MAX_MATCHES: u64 = (1 << 15) - 1;

/// Bits of a Jaro value below the number of matches, for strings of at most `longer` symbols.
fn matches_bit(longer: u64) -> u32 {
    if longer <= SHORT { 9 } else { 17 }
}

/// Symbols of a common prefix that count.
pub(super) const MAX_PREFIX: usize = 4;
/// Jaro similarity above which a common prefix counts, and its weight a symbol.
const BOOST_ABOVE: f64 = 0.7;
const PREFIX_WEIGHT: f64 = 0.1;

impl Measure {
    /// True if less is nearer: a value is a distance, and may have a bound.
    #[must_use]
    pub fn is_distance(self) -> bool {
        self == Measure::Ratio || !(self == Measure::Lcs || self.is_fraction())
    }

    /// True if values are the parts of a fraction, the [`similarity`](Self::similarity).
    #[must_use]
    pub fn is_fraction(self) -> bool {
        self.is_jaro() || self.is_ratio()
    }

    /// Similarity of equal strings: 100 of the ratios, else 1.
    #[must_use]
    pub fn max_similarity(self) -> f64 {
        if self.is_ratio() { 100.0 } else { 1.0 }
    }

    pub(super) fn is_jaro(self) -> bool {
        matches!(self, Measure::Jaro | Measure::JaroWinkler)
    }

    fn is_ratio(self) -> bool {
        self == Measure::Ratio || self.has_own_lengths()
    }

    /// True if a value has the lengths of what is compared.
    pub(super) fn has_own_lengths(self) -> bool {
        matches!(
            self,
            Measure::PartialRatio | Measure::TokenSort | Measure::TokenSet
        )
    }

    /// The measure whose values this one has.
    pub(super) fn of_values(self) -> Self {
        match self {
            Measure::Ratio => Measure::Indel,
            other => other,
        }
    }

    /// Greatest distance of strings of these lengths; for [`Lcs`](Self::Lcs) the length of the longer
    /// one, of which similarities are parts. In the modes prefix and infix the rest of the target
    /// costs nothing.
    #[must_use]
    #[inline]
    pub fn greatest(self, mode: Mode, query: u64, target: u64) -> u64 {
        match (self, mode) {
            (Measure::Indel | Measure::Ratio, _) => query + target,
            (_, Mode::Global) => query.max(target),
            _ => query,
        }
    }

    /// Similarity from 0 to 1, of the ratios to 100, from a value of strings of these lengths: of
    /// distances 1 minus their share of the [greatest](Self::greatest), and 1 for two empty strings.
    ///
    /// ```
    /// use swath::edit_distance::Mode;
    /// use swath::pairs::Measure;
    ///
    /// let value = Measure::JaroWinkler.of_small_pair(b"martha", b"marhta").expect("small");
    /// let similarity = Measure::JaroWinkler.similarity(Mode::Global, value, 6, 6);
    /// assert_eq!(format!("{similarity:.4}"), "0.9611");
    /// ```
    #[must_use]
    #[inline]
    pub fn similarity(self, mode: Mode, value: u64, query: u64, target: u64) -> f64 {
        if self.has_own_lengths() {
            return ratio(self, value & 0xFFFF, value >> 16);
        }
        let greatest = self.greatest(mode, query, target);
        if greatest == 0 {
            return self.max_similarity();
        }
        match self {
            Measure::Ratio => ratio(self, greatest, value),
            Measure::Jaro => jaro(value, query, target),
            Measure::JaroWinkler => {
                let similarity = jaro(value, query, target);
                if similarity <= BOOST_ABOVE {
                    return similarity;
                }
                let prefix = (value & ((1 << TRANSPOSITIONS_BIT) - 1)) as f64;
                similarity + prefix * PREFIX_WEIGHT * (1.0 - similarity)
            }
            Measure::Lcs => value as f64 / greatest as f64,
            _ => greatest.saturating_sub(value) as f64 / greatest as f64,
        }
    }

    /// Upper bound of the distance of strings up to these lengths that are at least this similar;
    /// `None` for a measure without distances.
    #[must_use]
    pub fn bound(self, mode: Mode, similarity: f64, query: u64, target: u64) -> Option<u64> {
        let similarity = similarity / self.max_similarity();
        let distance = (1.0 - similarity) * self.greatest(mode, query, target) as f64;
        // One more for rounding.
        self.is_distance().then_some(distance as u64 + 1)
    }

    /// Value of two equal strings; for tokens, of strings that have some.
    #[must_use]
    pub fn of_equal(self, len: u64) -> u64 {
        match self {
            Measure::Lcs => len,
            Measure::Jaro => jaro_value(len, len, 0),
            Measure::JaroWinkler => jaro_value(len, len, 0) | len.min(MAX_PREFIX as u64),
            Measure::TokenSet if len == 0 => ratio_value(1, 1),
            Measure::PartialRatio | Measure::TokenSet => ratio_value(0, 1),
            Measure::TokenSort => ratio_value(0, 2 * len),
            _ => 0,
        }
    }

    /// True if tables of two sequences alone give the value, too.
    pub(super) fn is_swept(self) -> bool {
        matches!(self, Measure::Edit | Measure::Indel | Measure::Lcs)
    }

    /// True if the CPU computes one pair after the other, not a pair in each lane.
    pub(super) fn is_of_each(self) -> bool {
        matches!(
            self,
            Measure::Hamming
                | Measure::Jaro
                | Measure::JaroWinkler
                | Measure::PartialRatio
                | Measure::TokenSet
        )
    }

    /// Value of a pair from the last value of its table.
    #[inline(always)]
    pub(super) fn value(self, last: u64, query: u64, target: u64) -> u64 {
        match self {
            Measure::Indel | Measure::Ratio => query + target - 2 * last,
            Measure::TokenSort => ratio_value(query + target - 2 * last, query + target),
            // The last value is the number of equal positions.
            Measure::Hamming => query.max(target) - last,
            _ => last,
        }
    }
}

crate::names::named! {
    Measure, "measure",
    Edit = "edit",
    Indel = "indel",
    Lcs = "lcs",
    Hamming = "hamming",
    Osa = "osa",
    Jaro = "jaro",
    JaroWinkler = "jaro-winkler",
    Ratio = "ratio",
    PartialRatio = "partial-ratio",
    TokenSort = "token-sort",
    TokenSet = "token-set",
}

/// Value of a pair of strings of at most `longer` symbols, with `matches` and half of the
/// transpositions; a common prefix is added to it.
pub(super) fn jaro_value(longer: u64, matches: u64, half: u64) -> u64 {
    matches << matches_bit(longer) | half << TRANSPOSITIONS_BIT
}

/// Value of a ratio: an indel distance, and the symbols of both strings.
pub(super) fn ratio_value(distance: u64, symbols: u64) -> u64 {
    distance << 16 | symbols
}

/// Ratio of two strings, from their indel distance and the number of symbols of both, in the order of
/// operations of rapidfuzz.
#[inline]
fn ratio(measure: Measure, symbols: u64, distance: u64) -> f64 {
    let (distance, symbols) = (distance as f64, symbols as f64);
    match measure {
        _ if distance == 0.0 => 100.0,
        Measure::TokenSet => 100.0 - 100.0 * distance / symbols,
        _ => (1.0 - distance / symbols) * 100.0,
    }
}

/// Jaro similarity of two strings that are not both empty, in the order of operations of rapidfuzz.
#[inline]
fn jaro(value: u64, query: u64, target: u64) -> f64 {
    let bit = matches_bit(query.max(target));
    let matches = value >> bit;
    if matches == 0 {
        return 0.0;
    }
    let half = (value & ((1 << bit) - 1)) >> TRANSPOSITIONS_BIT;
    let found = matches as f64;
    let sum = found / query as f64 + found / target as f64 + (matches - half) as f64 / found;
    sum / 3.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn similarities_are_those_of_the_measure_and_are_not_below_their_bound() {
        for (measure, mode, value, (query, target), expected) in [
            (Measure::Edit, Mode::Global, 3, (6, 10), 0.7),
            (Measure::Edit, Mode::Infix, 3, (6, 10), 0.5),
            (Measure::Indel, Mode::Global, 4, (6, 10), 0.75),
            (Measure::Lcs, Mode::Global, 4, (6, 10), 0.4),
            (Measure::Hamming, Mode::Global, 5, (6, 10), 0.5),
            (Measure::Osa, Mode::Global, 1, (6, 10), 0.9),
            (Measure::Edit, Mode::Global, 0, (0, 0), 1.0),
            (Measure::Edit, Mode::Prefix, 0, (0, 5), 1.0),
            (
                Measure::Jaro,
                Mode::Global,
                jaro_value(0, 0, 0),
                (2, 0),
                0.0,
            ),
            (
                Measure::Jaro,
                Mode::Global,
                jaro_value(0, 0, 0),
                (0, 0),
                1.0,
            ),
        ] {
            let similarity = measure.similarity(mode, value, query, target);
            assert_eq!(similarity, expected, "{measure} {mode}");
            let bound = measure.bound(mode, similarity, query, target);
            assert!(bound.is_none_or(|bound| value <= bound));
        }
    }

    #[test]
    fn equal_strings_have_the_greatest_similarity() {
        for (measure, len) in Measure::ALL
            .into_iter()
            .flat_map(|one| [0, 1, 3, 70].map(|len| (one, len)))
        {
            let string = vec![7u8; len as usize];
            let value = measure.of_equal(len);
            assert_eq!(
                measure.of_small_pair(&string, &string),
                Some(value),
                "{measure} {len}"
            );
            let no_tokens = measure == Measure::TokenSet && len == 0;
            assert_eq!(
                measure.similarity(Mode::Global, value, len, len),
                if no_tokens {
                    0.0
                } else {
                    measure.max_similarity()
                },
                "{measure} {len}"
            );
        }
    }
}
