//! Uploads of buffer contents: with the first slice, or on an application's device in pieces before
//! it, each short enough for the frames drawn meanwhile.
//!
//! A piece is submitted as soon as it is written; writing takes longer than the device needs for
//! it. Each piece writes a stamp if the previous piece has written its own, and so does the first
//! slice. A lost upload is detected like a lost slice.

use std::ops::Range;

use wgpu::{BufferSize, CommandEncoder};

use super::{LoadedPlan, PendingUploads};
use crate::backend::streaming::{UploadTask, upload_tasks};
use crate::backend::wgpu::owner::Owner;
use crate::backend::{FenceValue, StreamedBuffer, UploadSource};
use crate::error::Result;
use crate::host::parallel::try_for_each;
use crate::host::threads::threads;

/// Words per write: for a long upload, all threads copy to staging memory.
const WRITTEN_WORDS: usize = 1 << 21;
/// Bytes of a piece, which take about 3 ms on a slow bus.
const PIECE_BYTES: u64 = 8 << 20;
/// Minimum bytes that a device clears in the time of one byte on the bus.
const CLEARED_BYTES: u64 = 8;

impl LoadedPlan {
    pub(super) fn upload(&mut self, buffer: &wgpu::Buffer, words: &[u32]) -> Result<()> {
        let (opened, budget) = (self.opened.clone(), self.budget);
        let write = |(index, part): (usize, &[u32])| {
            let first = 4 * (index * WRITTEN_WORDS) as u64;
            opened.caught(budget.plan_bytes, budget, || {
                opened
                    .queue
                    .write_buffer(buffer, first, bytemuck::cast_slice(part));
                Ok(())
            })
        };
        let mut parts = words.chunks(WRITTEN_WORDS).enumerate();
        match opened.owner {
            Owner::Swath => {
                let parts: Vec<_> = parts.collect();
                try_for_each(parts.len(), |part| write(parts[part]))
            }
            // On this thread only: the application draws meanwhile.
            Owner::Host { .. } => parts.try_for_each(|part| {
                write(part)?;
                self.begin(4 * part.1.len() as u64)
            }),
        }
    }

    pub(super) fn clear(&mut self, buffer: &wgpu::Buffer, bytes: Range<u64>) -> Result<()> {
        let opened = self.opened.clone();
        let max = match opened.owner {
            Owner::Swath => bytes.end,
            Owner::Host { .. } => PIECE_BYTES * CLEARED_BYTES,
        };
        for first in bytes.clone().step_by(max.max(1) as usize) {
            let bytes = max.min(bytes.end - first);
            let clears = self
                .clears
                .get_or_insert_with(|| opened.device.create_command_encoder(&Default::default()));
            clears.clear_buffer(buffer, first, Some(bytes));
            self.begin(bytes.div_ceil(CLEARED_BYTES))?;
        }
        Ok(())
    }

    /// Counts bytes of the current piece. Submits a full piece on an application's device.
    fn begin(&mut self, bytes: u64) -> Result<()> {
        self.pending_uploads.begun_bytes += bytes;
        if self.opened.owner == Owner::Swath || self.pending_uploads.begun_bytes < PIECE_BYTES {
            return Ok(());
        }
        let stamp = FenceValue {
            value: self.shared.next_stamp(),
            after: self.pending_uploads.stamp,
        };
        let stamped = self.stamped(&[], stamp)?;
        self.opened.submit(
            self.clears
                .take()
                .into_iter()
                .chain([stamped])
                .map(CommandEncoder::finish),
        );
        self.pending_uploads = PendingUploads {
            stamp: Some(stamp.value),
            begun_bytes: 0,
        };
        Ok(())
    }

    /// Generates the words of a task in cache-sized parts and copies them to staging memory.
    fn fill_task(&self, task: &UploadTask<'_>, source: &dyn UploadSource) -> Result<()> {
        let UploadTask {
            streamed,
            first,
            end,
            part,
        } = *task;
        let into = self.buffer(streamed.id)?;
        let bytes = 4 * (end - first);
        let is_written = self.opened.caught(bytes, self.budget, || {
            let size = BufferSize::new(bytes);
            let view =
                size.and_then(|size| self.opened.queue.write_buffer_with(into, 4 * first, size));
            let Some(mut view) = view else {
                return Ok(false);
            };
            let mut words = vec![0; part.min(end - first) as usize];
            for from in (first..end).step_by(part as usize) {
                let words = &mut words[..part.min(end - from) as usize];
                source.write(&streamed.buffer, from, words);
                let offset = 4 * (from - first) as usize;
                view.slice(offset..offset + 4 * words.len())
                    .copy_from_slice(bytemuck::cast_slice(words));
            }
            Ok(true)
        })?;
        if is_written {
            Ok(())
        } else {
            Err(self.opened.failure("an upload was refused"))
        }
    }

    /// Generates and writes the contents of streamed buffers.
    pub(super) fn fill_streamed(
        &mut self,
        buffers: &[StreamedBuffer],
        source: &dyn UploadSource,
    ) -> Result<()> {
        let tasks = upload_tasks(buffers, threads(None), u64::MAX);
        match self.opened.owner {
            Owner::Swath => try_for_each(tasks.len(), |task| self.fill_task(&tasks[task], source)),
            Owner::Host { .. } => tasks.iter().try_for_each(|task| {
                self.fill_task(task, source)?;
                let (opened, bytes) = (self.opened.clone(), 4 * (task.end - task.first));
                opened.caught(bytes, self.budget, || self.begin(bytes))
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use wgpu::Features;

    use super::*;
    use crate::backend::wgpu::{Gpu, adapter};
    use crate::backend::{Backend, DeviceSession, Span};
    use crate::plan::{Buffer, Contents, Plan};

    const WORDS: u64 = PIECE_BYTES / 4;

    struct Places;

    impl UploadSource for Places {
        fn write(&self, _: &Buffer, first: u64, words: &mut [u32]) {
            (first as u32..)
                .zip(words)
                .for_each(|(place, word)| *word = !place);
        }
    }

    /// A device of our own, and an application's.
    fn devices() -> Option<[(Gpu, bool); 2]> {
        let candidate = adapter::of_tests()?;
        let own = Gpu::open(&candidate, false, false).expect("the adapter opens");
        let (host, _) = adapter::host_of_tests(Features::empty())?;
        let host = host.open(false, false).expect("it has all");
        Some([(own, false), (host, true)])
    }

    /// Result of the first submission after uploads: its stamp is right, the words, and whether
    /// there were pieces. `forged` replaces the stamp of the last piece.
    fn first_slice(gpu: &Gpu, forged: bool) -> (bool, Vec<u32>, bool) {
        let mut plan = Plan::default();
        let words = plan.upload("words", Vec::from_iter(0..2 * WORDS as u32 + 5));
        let zeros = plan.buffer("zeros", 3 * CLEARED_BYTES * WORDS / 2, Contents::Zeros);
        let parts = plan.buffer("parts", 3 * WORDS, Contents::Streamed(1));
        let mut loaded = LoadedPlan::empty(gpu.opened.clone(), gpu.shared().clone());
        let streamed = StreamedBuffer {
            id: parts,
            buffer: plan.buffers[parts].clone(),
            unit: 1,
            first: 0,
        };
        loaded
            .load(&mut plan, &[None; 3], u64::MAX)
            .expect("there is room");
        loaded.fill(&[streamed], &Places).expect("it is filled");
        let in_pieces = loaded.pending_uploads.stamp.is_some();
        if forged {
            loaded.pending_uploads.stamp = Some(gpu.shared().next_stamp());
        }
        let stamp = FenceValue {
            value: gpu.shared().next_stamp(),
            after: None,
        };
        let spans = [
            (words, 2 * WORDS),
            (zeros, 3 * CLEARED_BYTES * WORDS / 2 - 1),
            (parts, 3 * WORDS - 1),
        ];
        let spans = spans.map(|(buffer, first)| Span {
            buffer,
            first,
            words: 1,
        });
        let done = pollster::block_on(loaded.submit(&[], stamp, &spans).expect("it is submitted"))
            .expect("it comes");
        (
            done.stamp == stamp.value,
            done.words.words().to_vec(),
            in_pieces,
        )
    }

    #[test]
    fn uploads_on_an_application_device_come_in_stamped_pieces_before_the_first_slice() {
        let Some(devices) = devices() else { return };
        let expected = [2 * WORDS as u32, 0, !(3 * WORDS as u32 - 1)];
        for (gpu, is_host) in &devices {
            let (is_stamped, words, in_pieces) = first_slice(gpu, false);
            assert!(
                is_stamped && words == expected && in_pieces == *is_host,
                "{words:?}"
            );
            let (is_stamped, ..) = first_slice(gpu, true);
            assert!(!is_stamped, "a piece is missing");
        }
    }

    /// Returns whether a new buffer with unspecified contents is cleared before the first slice,
    /// and whether in pieces.
    fn cleared(gpu: &Gpu, words: u64) -> (bool, bool) {
        let mut plan = Plan::default();
        plan.buffer("anything", words, Contents::Unspecified);
        let mut loaded = LoadedPlan::empty(gpu.opened.clone(), gpu.shared().clone());
        loaded
            .load(&mut plan, &[None], u64::MAX)
            .expect("there is room");
        let in_pieces = loaded.pending_uploads.stamp.is_some();
        (loaded.clears.is_some() || in_pieces, in_pieces)
    }

    #[test]
    fn new_memory_is_cleared_once_before_the_first_slice() {
        let Some(devices) = devices() else { return };
        let piece = CLEARED_BYTES * WORDS;
        for (gpu, is_host) in &devices {
            // The second and the third reuse the memory of the first.
            let found = [piece, piece / 2 + 1, piece].map(|words| cleared(gpu, words));
            assert_eq!(found, [(true, *is_host), (false, false), (false, false)]);
            assert_eq!(cleared(gpu, 2 * piece), (true, *is_host));
        }
    }
}
