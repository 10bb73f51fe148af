//! Two sequences as one argument.

/// Two sequences: `a` along the rows of a table, `b` along its columns.
#[derive(Debug)]
pub(crate) struct Pair<'a, S> {
    pub a: &'a [S],
    pub b: &'a [S],
}

impl<'a, S> Pair<'a, S> {
    pub(crate) fn new(a: &'a [S], b: &'a [S]) -> Self {
        Self { a, b }
    }
}

impl<S> Clone for Pair<'_, S> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<S> Copy for Pair<'_, S> {}
