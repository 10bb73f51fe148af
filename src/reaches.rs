//! Furthest-reaching points: how far each diagonal gets at each distance, for the methods whose cost is what inputs differ by.

/// When to give up.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limit {
    /// The greatest distance to try.
    pub waves: u64,
    /// The most reaches and comparisons, as the method weighs them.
    pub steps: u64,
    /// The most bytes of waves kept for the path.
    pub bytes: u64,
}

/// Symbols that a slide compares at once.
pub(crate) const STRIDE: usize = 16;

/// How many symbols from (`i`, `j`) on are equal.
pub(crate) fn slide<S: PartialEq>(a: &[S], b: &[S], i: usize, j: usize) -> usize {
    let (a, b) = (&a[i..], &b[j..]);
    let mut equal = 0;
    // Whole strides compare as one memory comparison where the symbols allow it; most slides end in the first few symbols.
    if a.first() == b.first() {
        let strides = a.chunks_exact(STRIDE).zip(b.chunks_exact(STRIDE));
        equal = STRIDE * strides.take_while(|(x, y)| x == y).count();
    }
    equal + a[equal..].iter().zip(&b[equal..]).take_while(|(x, y)| x == y).count()
}

/// The furthest row of every `SPACING`-th diagonal from `low` on, at one distance.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reaches<'a, const SPACING: i64> {
    pub low: i64,
    pub rows: &'a [u32],
}

impl<const SPACING: i64> Reaches<'_, SPACING> {
    /// The furthest row on a diagonal; `None` where the wave does not get.
    pub(crate) fn on(&self, diagonal: i64) -> Option<usize> {
        let index = usize::try_from((diagonal - self.low) / SPACING).ok().filter(|_| diagonal >= self.low)?;
        self.rows.get(index).map(|&row| row as usize)
    }
}

/// The waves before the last, for the path.
#[derive(Default)]
pub(crate) struct Waves<const SPACING: i64> {
    /// First diagonal and first entry of every wave.
    starts: Vec<(i64, usize)>,
    rows: Vec<u32>,
}

impl<const SPACING: i64> Waves<SPACING> {
    pub(crate) fn push(&mut self, wave: Reaches<'_, SPACING>) {
        self.starts.push((wave.low, self.rows.len()));
        self.rows.extend_from_slice(wave.rows);
    }

    /// How many waves are kept.
    pub(crate) fn len(&self) -> usize {
        self.starts.len()
    }

    pub(crate) fn bytes(&self) -> u64 {
        (size_of_val(&*self.rows) + size_of_val(&*self.starts)) as u64
    }

    /// Whether the cell of row `i` on a diagonal is within the distance.
    pub(crate) fn within(&self, distance: usize, i: usize, diagonal: i64) -> bool {
        let (low, start) = self.starts[distance];
        let end = self.starts.get(distance + 1).map_or(self.rows.len(), |next| next.1);
        Reaches::<SPACING> { low, rows: &self.rows[start..end] }.on(diagonal).is_some_and(|reach| i <= reach)
    }
}

#[cfg(test)]
mod tests {
    use super::slide;

    #[test]
    fn slides_go_over_strides_of_equal_symbols() {
        for len in [0, 15, 16, 17, 31, 32, 33] {
            let a = vec![7u8; len];
            assert_eq!(slide(&a, &a, 0, 0), len);
            for change in 0..len {
                let mut b = a.clone();
                b[change] = 8;
                assert_eq!(slide(&a, &b, 0, 0), change);
            }
        }
    }
}
