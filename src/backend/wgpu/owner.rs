//! Ownership of a device.

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Owner {
    /// Opened by this crate.
    Swath,
    /// Created by an application, which uses it at the same time.
    Host {
        /// True if only the application polls.
        polls: bool,
    },
}
