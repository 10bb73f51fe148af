//! Headers of Matrix Market files.

use super::place::Place;

/// Header of coordinates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Head {
    /// True for real values, false for integers.
    pub is_real: bool,
    pub is_symmetric: bool,
    pub rows: u64,
    pub columns: u64,
    /// Place of a part, in a comment.
    pub place: Option<Place>,
    /// Number of all pairs: the field for the number of entries is as wide as this.
    pub count: u64,
}

impl Head {
    /// The header, whose length does not depend on the number of entries.
    pub fn text(&self, entries: u64) -> String {
        let field = if self.is_real { "real" } else { "integer" };
        let symmetry = match self.is_symmetric {
            true => "symmetric",
            false => "general",
        };
        let place = self.place.map(|place| format!("% {place}\n"));
        let width = self.count.to_string().len();
        format!(
            "%%MatrixMarket matrix coordinate {field} {symmetry}\n{}{} {} {entries:>width$}\n",
            place.unwrap_or_default(),
            self.rows,
            self.columns,
        )
    }
}
