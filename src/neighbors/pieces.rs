//! Parts of strings that neighbours have unchanged.
//!
//! A string is cut into k + j pieces of even lengths. At most k edits touch at most k pieces, so a
//! neighbour has the other j pieces unchanged, shifted by the insertions and deletions between them
//! (Li et al. 2012, "Pass-Join", doi:10.14778/2078331.2078340, has j = 1).
//!
//! Among the choices of j unchanged pieces there is one where each gap of g pieces between them has
//! at most g edits: let every edit occupy the nearest free piece, so that each run of occupied
//! pieces has as many edits as pieces. A gap of g pieces therefore shifts what follows by at most g.
//! For j = 1 this is the multi-match-aware selection of Pass-Join.

use crate::symbols::hash::{Prefixes, mix};

/// Words of a device, as in keys.wgsl: no further run, and a shift of 0.
const NO_RUN: u32 = u32::MAX;
const NO_SHIFT: i32 = 0x8000;

/// A run of unchanged pieces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Run {
    first: u32,
    end: u32,
    /// Of the neighbour's symbols.
    shift: i32,
}

/// A choice of unchanged pieces and their shifts.
struct Pattern {
    /// Distinguishes the choices of pieces.
    salt: u64,
    /// End of its runs in [`Patterns::runs`].
    end: usize,
}

/// All choices for neighbours of one difference in length.
pub(super) struct Patterns {
    pieces: usize,
    runs: Vec<Run>,
    patterns: Vec<Pattern>,
}

impl Patterns {
    /// Choices of `kept` of `k + kept` pieces, for neighbours that are `longer` symbols longer, or
    /// without shifts for the strings that are cut; `None` if there are more than `max`. The choice of
    /// no piece is a key of all strings of a length.
    pub(super) fn new(k: usize, kept: usize, longer: Option<i32>, max: usize) -> Option<Self> {
        let mut enumeration = Enumeration {
            found: Self {
                pieces: (k + kept).max(1),
                runs: Vec::new(),
                patterns: Vec::new(),
            },
            runs: Vec::new(),
            longer,
            max,
        };
        let fits = enumeration.gap(0, (kept as u32, k as u32), 0);
        fits.then_some(enumeration.found)
    }

    pub(super) fn len(&self) -> usize {
        self.patterns.len()
    }

    /// The patterns as words of a device: see keys.wgsl. Each has `kept + 1` words.
    pub(super) fn words(&self, kept: usize) -> Vec<u32> {
        let mut words = Vec::with_capacity(self.len() * (kept + 1));
        let mut from = 0;
        for pattern in &self.patterns {
            let first = words.len();
            words.push((pattern.salt >> 32) as u32);
            let run = |run: &Run| {
                let shift = (run.shift + NO_SHIFT) as u32;
                shift << 16 | run.end << 8 | run.first
            };
            words.extend(self.runs[from..pattern.end].iter().map(run));
            words.resize(first + kept + 1, NO_RUN);
            from = pattern.end;
        }
        words
    }

    /// Appends the keys of a string: itself of `len` symbols, or a neighbour of one that has `len`.
    pub(super) fn keys(&self, prefixes: &Prefixes, len: usize, keys: &mut Vec<u64>) {
        // The last pieces are one symbol longer.
        let (short, longer) = (len / self.pieces, len % self.pieces);
        let first_longer = self.pieces - longer;
        let start = |piece: u32| {
            let piece = piece as usize;
            piece * short + piece.saturating_sub(first_longer)
        };
        let salt = len as u64;
        let mut from = 0;
        keys.extend(self.patterns.iter().map(|pattern| {
            let mut key = pattern.salt ^ salt;
            for run in &self.runs[from..pattern.end] {
                let shift = run.shift as isize;
                let first = start(run.first).wrapping_add_signed(shift);
                let end = start(run.end).wrapping_add_signed(shift);
                key = mix(key ^ prefixes.of(first, end));
            }
            from = pattern.end;
            key
        }));
    }
}

/// Depth-first enumeration of gaps and runs.
struct Enumeration {
    found: Patterns,
    runs: Vec<Run>,
    longer: Option<i32>,
    max: usize,
}

impl Enumeration {
    /// Chooses the gap at `piece`, with `kept` pieces and `changed` pieces to go. Returns `false`
    /// if there are too many patterns.
    fn gap(&mut self, piece: u32, (kept, changed): (u32, u32), shift: i32) -> bool {
        // The gaps to come shift by at most their pieces.
        let is_far = |longer: i32| longer.abs_diff(shift) > changed;
        if self.longer.is_some_and(is_far) {
            return true;
        }
        if kept == 0 {
            return self.emit();
        }
        let least = u32::from(piece > 0);
        for gap in least..=changed {
            let reach = self.longer.map_or(0, |_| gap as i32);
            for step in -reach..=reach {
                for run in 1..=kept {
                    let first = piece + gap;
                    self.runs.push(Run {
                        first,
                        end: first + run,
                        shift: shift + step,
                    });
                    let fits = self.gap(first + run, (kept - run, changed - gap), shift + step);
                    self.runs.pop();
                    if !fits {
                        return false;
                    }
                }
            }
        }
        true
    }

    fn emit(&mut self) -> bool {
        if self.found.patterns.len() == self.max {
            return false;
        }
        let salt = self
            .runs
            .iter()
            .fold(self.found.pieces as u64, |salt, run| {
                mix(salt ^ (u64::from(run.first) << 32 | u64::from(run.end)))
            });
        self.found.runs.extend(&self.runs);
        self.found.patterns.push(Pattern {
            salt,
            end: self.found.runs.len(),
        });
        true
    }
}
