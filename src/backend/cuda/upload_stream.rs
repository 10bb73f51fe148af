//! Stream for uploads that run concurrently with passes that do not use them.

use std::sync::Arc;

use super::driver::{Context, Event, Result, Stream};

#[derive(Debug)]
pub(super) struct UploadStream {
    stream: Stream,
    /// Marks the point of one stream for which the other one waits.
    reached: Event,
}

impl UploadStream {
    pub(super) fn new(context: &Arc<Context>) -> Result<Self> {
        Ok(Self {
            stream: Stream::new(context)?,
            reached: Event::new(context)?,
        })
    }

    pub(super) fn stream(&self) -> &Stream {
        &self.stream
    }

    /// Makes later uploads wait for all work in the stream of the passes so far.
    pub(super) fn begin_behind(&self, passes: &Stream) -> Result<()> {
        self.reached.record(passes)?;
        self.stream.wait_for(&self.reached)
    }

    /// Makes later work in the stream of the passes wait for the uploads so far.
    pub(super) fn end_before(&self, passes: &Stream) -> Result<()> {
        self.reached.record(&self.stream)?;
        passes.wait_for(&self.reached)
    }
}
