//! Whose device it is.

/// Whose device it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Owner {
    /// Opened here, for nobody else.
    Swath,
    /// An application's, which uses it at the same time.
    Host {
        /// Whether it alone polls.
        polls: bool,
    },
}
