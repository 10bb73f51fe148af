//! A dot plot: `a` from top to bottom, `b` from left to right, many symbols per pixel.

use eframe::egui::{Color32, ColorImage};
use swath::Block;

/// Maximum pixels per side.
const MOST_PIXELS: usize = 640;

const NOTHING: Color32 = Color32::from_gray(8);
const SEED: Color32 = Color32::from_rgb(90, 120, 170);
const CHAIN: Color32 = Color32::from_rgb(150, 90, 150);
const RUN: Color32 = Color32::from_rgb(255, 170, 60);

/// Content of a pixel; later variants cover earlier ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Dot {
    Nothing,
    Seed,
    Chain,
    Run,
}

/// Dot plot of two sequences.
#[derive(Clone, Debug)]
pub struct Plot {
    /// Lengths of `a` and `b`.
    symbols: [usize; 2],
    height: usize,
    width: usize,
    dots: Vec<Dot>,
}

impl Plot {
    /// An empty plot with the aspect ratio of the lengths.
    pub fn new(a_len: usize, b_len: usize) -> Self {
        let longer = a_len.max(b_len).max(1);
        let pixels = |symbols: usize| (symbols * MOST_PIXELS).div_ceil(longer).max(1);
        let (height, width) = (pixels(a_len), pixels(b_len));
        Self {
            symbols: [a_len, b_len],
            height,
            width,
            dots: vec![Dot::Nothing; height * width],
        }
    }

    /// Marks equal symbols from here on.
    pub fn seed(&mut self, a: usize, b: usize) {
        self.dot(a, b, Dot::Seed);
    }

    /// Marks a seed of the longest chain.
    pub fn chained(&mut self, a: usize, b: usize) {
        self.dot(a, b, Dot::Chain);
    }

    /// Removes the chain, once the alignment is known.
    pub fn without_chain(&mut self) {
        self.dots
            .iter_mut()
            .filter(|dot| **dot == Dot::Chain)
            .for_each(|dot| *dot = Dot::Seed);
    }

    /// Draws a run of diagonal steps of the alignment.
    pub fn run(&mut self, run: Block) {
        let stride = (self.symbols[0].max(self.symbols[1]) / MOST_PIXELS / 2).max(1);
        (0..run.len)
            .step_by(stride)
            .for_each(|step| self.dot(run.a + step, run.b + step, Dot::Run));
    }

    fn dot(&mut self, a: usize, b: usize, dot: Dot) {
        let [a_len, b_len] = self.symbols;
        let place = a * self.height / a_len * self.width + b * self.width / b_len;
        self.dots[place] = self.dots[place].max(dot);
    }

    pub fn image(&self) -> ColorImage {
        let color = |dot: &Dot| match dot {
            Dot::Nothing => NOTHING,
            Dot::Seed => SEED,
            Dot::Chain => CHAIN,
            Dot::Run => RUN,
        };
        ColorImage::new(
            [self.width, self.height],
            self.dots.iter().map(color).collect(),
        )
    }
}
