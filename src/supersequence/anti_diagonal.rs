//! The anti-diagonal method, on the GPU and over threads.

use std::ops::Range;

use super::traceback::{Bits, Layout, Table};
use crate::anti_diagonal::{Recurrence, cpu, gpu};
use crate::control::Control;
use crate::engine::Device;
use crate::error::Result;

/// Sizes of the table: a layer is an anti-diagonal, its indices are rows.
pub(super) fn layout(rows: u64, cols: u64) -> Layout {
    Layout { layers: rows + cols + 1, width: rows + 1, state_words: 2 * (rows + 1) }
}

/// Three anti-diagonals on a device.
pub(super) struct OnDevice<'a>(gpu::Sweep<'a>);

impl<'a> OnDevice<'a> {
    pub fn new(device: &'a Device<'a>, a: &'a [u32], b: &'a [u32]) -> Result<Self> {
        gpu::Sweep::new(device, Recurrence::Supersequence, a, b).map(Self)
    }
}

impl Table for OnDevice<'_> {
    fn layout(&self) -> Layout {
        layout(self.0.grid.rows, self.0.grid.cols)
    }

    fn first(&self) -> Vec<u32> {
        Vec::new()
    }

    fn place(&self, i: usize, j: usize) -> (u64, u64) {
        ((i + j) as u64, i as u64)
    }

    fn length(&self, state: &[u32]) -> u64 {
        state.last().copied().unwrap_or_default().into()
    }

    async fn advance(&mut self, state: Vec<u32>, layers: Range<u64>, keep: bool) -> Result<(Vec<u32>, Option<Bits>)> {
        let end = layers.end;
        let (mut loaded, kept) = self.0.run(&state, layers, keep).await?;
        let state = loaded.read(&self.0.state(kept, end))?.await?;
        let bits = keep.then_some(Bits::Device { loaded, buffer: kept.up, width: self.layout().width });
        Ok((state, bits))
    }
}

/// Three anti-diagonals over threads.
pub(super) struct OnThreads<'a> {
    sweep: cpu::Sweep<'a>,
    rows: usize,
    control: &'a Control,
}

impl<'a> OnThreads<'a> {
    pub fn new(a: &'a [u32], b: &[u32], control: &'a Control) -> Self {
        Self { sweep: cpu::Sweep::new(Recurrence::Supersequence, a, b), rows: a.len(), control }
    }
}

impl Table for OnThreads<'_> {
    fn layout(&self) -> Layout {
        layout(self.rows as u64, self.sweep.diagonals() - 1 - self.rows as u64)
    }

    fn first(&self) -> Vec<u32> {
        vec![0; self.layout().state_words as usize]
    }

    fn place(&self, i: usize, j: usize) -> (u64, u64) {
        ((i + j) as u64, i as u64)
    }

    fn length(&self, state: &[u32]) -> u64 {
        state.last().copied().unwrap_or_default().into()
    }

    async fn advance(&mut self, state: Vec<u32>, layers: Range<u64>, keep: bool) -> Result<(Vec<u32>, Option<Bits>)> {
        self.sweep.restore(&state);
        let words = layers.end.div_ceil(gpu::WORD) - layers.start / gpu::WORD;
        let mut up = keep.then(|| vec![0; (words * self.layout().width) as usize]);
        self.sweep.run(layers, up.as_deref_mut(), self.control)?;
        let bits = up.map(|words| Bits::Host { bands: vec![words], band: self.layout().width });
        Ok((self.sweep.state(), bits))
    }
}
