//! A stream for uploads, which come while passes run that do not use them.

use std::sync::Arc;

use super::driver::{Context, Event, Result, Stream};

/// The uploads of a session.
#[derive(Debug)]
pub(super) struct Copies {
    stream: Stream,
    /// Where one of the two streams waits for the other.
    reached: Event,
}

impl Copies {
    pub(super) fn new(context: &Arc<Context>) -> Result<Self> {
        Ok(Self {
            stream: Stream::new(context)?,
            reached: Event::new(context)?,
        })
    }

    pub(super) fn stream(&self) -> &Stream {
        &self.stream
    }

    /// Uploads wait for what has come in the stream of the passes by now.
    pub(super) fn begin_behind(&self, passes: &Stream) -> Result<()> {
        self.reached.record(passes)?;
        self.stream.wait_for(&self.reached)
    }

    /// What comes in the stream of the passes from now on waits for the uploads so far.
    pub(super) fn end_before(&self, passes: &Stream) -> Result<()> {
        self.reached.record(&self.stream)?;
        passes.wait_for(&self.reached)
    }
}
