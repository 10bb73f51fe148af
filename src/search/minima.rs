//! Local minima of the last row, from its ends within the bound.

/// An end within the bound: its position in the text, and its cost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct End {
    pub position: u64,
    pub cost: u32,
}

/// The ends of one pattern in one text that are not yet known to be local minima or not.
#[derive(Clone, Copy, Debug)]
pub(super) struct Run {
    last: End,
    /// The end that stands for the run of equal values.
    candidate: End,
    /// True if the value before the run is greater.
    falls: bool,
}

impl Run {
    /// Takes the next end, of a greater position. Returns the local minimum before it, if that is
    /// known now. `keeps_first` makes the first end of a run its candidate, instead of the last.
    pub(super) fn take(run: &mut Option<Self>, end: End, keeps_first: bool) -> Option<End> {
        let next = |falls| Self {
            last: end,
            candidate: end,
            falls,
        };
        let Some(before) = *run else {
            *run = Some(next(true));
            return None;
        };
        let is_adjacent = before.last.position + 1 == end.position;
        if is_adjacent && before.last.cost == end.cost {
            let candidate = if keeps_first { before.candidate } else { end };
            *run = Some(Self {
                last: end,
                candidate,
                ..before
            });
            return None;
        }
        let rises = is_adjacent && before.last.cost < end.cost;
        *run = Some(next(!rises));
        let is_minimum = before.falls && (rises || !is_adjacent);
        is_minimum.then_some(before.candidate)
    }

    /// The local minimum at the end of the text.
    pub(super) fn end(self) -> Option<End> {
        self.falls.then_some(self.candidate)
    }

    /// Lower bound of the positions that are not yet known.
    pub(super) fn first_position(&self) -> u64 {
        self.candidate.position
    }
}
