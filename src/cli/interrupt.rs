//! Ctrl-C: the first cancels the call, the second ends the process.

use anyhow::Context;
use swath::CancelHandle;

use super::exit::INTERRUPTED;

/// A handle that Ctrl-C cancels. Before this call the system's own handler ends the process.
pub fn install() -> anyhow::Result<CancelHandle> {
    let cancel = CancelHandle::new();
    let handle = cancel.clone();
    ctrlc::set_handler(move || {
        if handle.is_cancelled() {
            std::process::exit(i32::from(INTERRUPTED));
        }
        handle.cancel();
    })
    .context("cannot catch Ctrl-C")?;
    Ok(cancel)
}
