//! Splits of passes that exceed a time slice, as data.
//!
//! A pass is a range of units: strips, tiles, or the work of a few workgroups. No unit reads the
//! writes of another, so that the first units may run in an earlier submission than the rest.

use super::pass::Pass;

/// Rule to split the passes of a kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PassSplit {
    /// Layout of the units in the grid.
    pub units: Units,
    /// Parameters that hold the range of units.
    pub bounds: Bounds,
    /// Difference of those parameters between consecutive units.
    pub step: u32,
}

/// Layout of the units of a pass in its grid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Units {
    /// Units along x.
    Grid1d {
        /// Workgroups per unit.
        groups: u32,
    },
    /// One workgroup per unit, in rows by [`folded`]. The last row may have more workgroups than
    /// units.
    Grid2d {
        /// Workgroups per row.
        across: u32,
    },
    /// One row of workgroups per unit, along y. Each row has one working workgroup less in x.
    Triangular {
        /// Weight of a workgroup in row 0.
        first: u32,
    },
    /// Any number of persistent workgroups that loop over the units given by the parameters.
    Persistent {
        /// Workgroups kept busy by one unit.
        groups: u32,
    },
}

/// Indices of the parameters that hold the range of units.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bounds {
    /// None: each workgroup takes the next unit from a counter on the device.
    Ticket,
    /// The first unit; the grid gives the number.
    First(usize),
    /// The first unit and the end.
    End {
        /// First unit.
        first: usize,
        /// End, exclusive.
        end: usize,
    },
    /// The first unit and the number of units.
    Count {
        /// First unit.
        first: usize,
        /// Number of units.
        count: usize,
    },
    /// The first and the last unit.
    Last {
        /// First unit.
        first: usize,
        /// Last unit, inclusive.
        last: usize,
    },
}

/// Splits a pass by the first split of its kernel that finds several units.
pub(crate) fn cut(splits: &[(usize, PassSplit)], pass: &Pass, cells: u64) -> Option<(Pass, Pass)> {
    let of_kernel = splits.iter().filter(|(kernel, _)| *kernel == pass.kernel);
    of_kernel
        .map(|(_, split)| split)
        .find_map(|split| split.cut(pass, cells))
}

impl PassSplit {
    /// One unit per workgroup in x, with its range in the parameters.
    pub const fn by_group(bounds: Bounds) -> Self {
        Self {
            units: Units::Grid1d { groups: 1 },
            bounds,
            step: 1,
        }
    }

    /// Splits off the first units with at most `cells` cells, but at least one unit. `None` if the
    /// pass has only one unit or the parameters would overflow.
    pub fn cut(&self, pass: &Pass, cells: u64) -> Option<(Pass, Pass)> {
        let (taken, left, part_cells) = match self.units {
            Units::Triangular { first } => self.triangular(pass, first, cells)?,
            _ => self.equal(pass, cells)?,
        };
        let (mut part, mut rest) = (pass.clone(), pass.clone());
        match self.units {
            Units::Grid1d { groups } => {
                part.groups[0] = taken.checked_mul(groups)?;
                rest.groups[0] = pass.groups[0].checked_sub(part.groups[0])?;
            }
            Units::Triangular { .. } => {
                part.groups[1] = taken;
                rest.groups[0] = pass.groups[0].checked_sub(taken)?;
                rest.groups[1] = pass.groups[1].checked_sub(taken)?;
            }
            Units::Persistent { groups } => {
                let busy = |units: u64| {
                    u64::from(pass.groups[0]).min(units.saturating_mul(groups.into())) as u32
                };
                part.groups[0] = busy(taken.into());
                rest.groups[0] = busy(left);
            }
            Units::Grid2d { across } => {
                part.groups[..2].copy_from_slice(&folded(taken.into(), across));
                rest.groups[..2].copy_from_slice(&folded(left, across));
            }
        }
        let moved = taken.checked_mul(self.step)?;
        let between = |first: usize| pass.params[first].checked_add(moved);
        match self.bounds {
            Bounds::Ticket => {}
            Bounds::First(first) => rest.params[first] = between(first)?,
            Bounds::End { first, end } => {
                rest.params[first] = between(first)?;
                part.params[end] = rest.params[first];
            }
            Bounds::Count { first, count } => {
                rest.params[first] = between(first)?;
                part.params[count] = moved;
                rest.params[count] = pass.params[count].checked_sub(moved)?;
            }
            Bounds::Last { first, last } => {
                rest.params[first] = between(first)?;
                part.params[last] = rest.params[first].checked_sub(1)?;
            }
        }
        part.cells = part_cells.min(pass.cells);
        rest.cells = pass.cells - part.cells;
        Some((part, rest))
    }

    /// Units taken, units left and cells taken for units of equal size; `None` if none is left.
    fn equal(&self, pass: &Pass, cells: u64) -> Option<(u32, u64, u64)> {
        let (units, unit_cells) = self.units(pass)?;
        let taken = u32::try_from(cells / unit_cells.max(1))
            .unwrap_or(u32::MAX)
            .max(1);
        let left = units.checked_sub(taken.into()).filter(|&left| left > 0)?;
        Some((taken, left, unit_cells.saturating_mul(taken.into())))
    }

    /// Like `equal` for [`Units::Triangular`], with cells proportional to working workgroups.
    fn triangular(&self, pass: &Pass, first: u32, cells: u64) -> Option<(u32, u64, u64)> {
        let Bounds::First(number) = self.bounds else {
            return None;
        };
        let [in_x, rows, _] = pass.groups;
        let of_row = |row: u32| {
            let counted = if row == 0 && pass.params[number] == 0 {
                first
            } else {
                1
            };
            u128::from(in_x.saturating_sub(row)) * u128::from(counted)
        };
        let all = (0..rows).map(of_row).sum::<u128>().max(1);
        // Cumulative cells of the rows.
        let so_far = (0..rows).scan(0, |groups, row| {
            *groups += of_row(row);
            Some((row + 1, (u128::from(pass.cells) * *groups / all) as u64))
        });
        let fitting = so_far.take_while(|&(taken, so_far)| taken == 1 || so_far <= cells);
        let (taken, part_cells) = fitting.last().filter(|&(taken, _)| taken < rows)?;
        Some((taken, u64::from(rows - taken), part_cells))
    }

    /// Number of units and cells per unit; the last unit may have fewer.
    fn units(&self, pass: &Pass) -> Option<(u64, u64)> {
        let bounds = |first: usize, end: u64| end.checked_sub(pass.params[first].into());
        let said = match self.bounds {
            Bounds::Ticket | Bounds::First(_) => None,
            Bounds::End { first, end } => Some(bounds(first, pass.params[end].into())?),
            Bounds::Count { count, .. } => Some(pass.params[count].into()),
            Bounds::Last { first, last } => Some(bounds(first, u64::from(pass.params[last]) + 1)?),
        };
        let step = u64::from(self.step.max(1));
        let bounded = said.map(|all| all.div_ceil(step));
        let units = match self.units {
            Units::Grid1d { groups } => {
                let in_grid = u64::from(pass.groups[0].div_ceil(groups.max(1)));
                bounded.map_or(in_grid, |units| units.min(in_grid))
            }
            // Needs the bound: the grid does not give the number of units. Triangular units are not
            // equal.
            Units::Grid2d { .. } | Units::Persistent { .. } | Units::Triangular { .. } => bounded?,
        };
        let (cells, all) = (
            u128::from(pass.cells),
            u128::from(said.unwrap_or(units * step).max(1)),
        );
        Some((
            units,
            u64::try_from(cells * u128::from(step) / all).unwrap_or(u64::MAX),
        ))
    }
}

/// Workgroups in x and y for `units` units, in rows of at most `across`.
pub fn folded(units: u64, across: u32) -> [u32; 2] {
    let in_x = units.clamp(1, across.max(1).into());
    [in_x as u32, units.div_ceil(in_x) as u32]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::params;

    const STRIPS: PassSplit = PassSplit {
        units: Units::Grid2d { across: 8 },
        bounds: Bounds::Last { first: 0, last: 1 },
        ..PassSplit::by_group(Bounds::Ticket)
    };
    const TILES: PassSplit = PassSplit::by_group(Bounds::First(1));
    const TRIANGULAR: PassSplit = PassSplit {
        units: Units::Triangular { first: 4 },
        ..PassSplit::by_group(Bounds::First(3))
    };
    const LANES: u32 = 256;
    const STRETCHES: PassSplit = PassSplit {
        step: LANES,
        ..PassSplit::by_group(Bounds::End { first: 0, end: 1 })
    };
    const BOTH_DIRECTIONS: PassSplit = PassSplit {
        units: Units::Grid1d { groups: 2 },
        ..PassSplit::by_group(Bounds::End { first: 7, end: 11 })
    };
    const TICKETS: PassSplit = PassSplit::by_group(Bounds::Ticket);
    const COUNTED: PassSplit = PassSplit {
        units: Units::Grid2d { across: 8 },
        bounds: Bounds::Count { first: 1, count: 2 },
        ..TICKETS
    };
    const PERSISTENT: PassSplit = PassSplit {
        units: Units::Persistent { groups: 1 },
        bounds: Bounds::End { first: 1, end: 2 },
        step: LANES,
    };

    fn pass<const N: usize>(groups: [u32; 3], words: [u32; N], cells: u64) -> Pass {
        Pass {
            kernel: 1,
            bindings: 2,
            groups,
            params: params(words),
            cells,
        }
    }

    /// A pass of five units for each split.
    fn passes() -> [(PassSplit, Pass); 7] {
        [
            (STRIPS, pass([5, 1, 2], [7, 11, 20, 9], 500)),
            (TILES, pass([5, 1, 1], [5, 3, 9], 500)),
            (STRETCHES, pass([5, 1, 1], [7, 7 + 5 * LANES, 9], 500)),
            (
                BOTH_DIRECTIONS,
                pass([10, 1, 1], [1, 2, 3, 4, 5, 6, 7, 30, 9, 10, 11, 35], 500),
            ),
            (TICKETS, pass([5, 1, 1], [7, 3, 9], 500)),
            (COUNTED, pass([5, 1, 1], [9, 7, 5, 2], 500)),
            (PERSISTENT, pass([3, 1, 1], [9, 7, 7 + 5 * LANES, 2], 500)),
        ]
    }

    /// Units processed by a kernel of such passes, in grid order.
    fn done(split: &PassSplit, pass: &Pass) -> Vec<u64> {
        let [x, y, _] = pass.groups.map(u64::from);
        let at = |place: u64, first: usize| {
            u64::from(pass.params[first]) + place * u64::from(split.step)
        };
        let places = match split.units {
            Units::Grid1d { groups } => 0..u64::from(pass.groups[0] / groups),
            Units::Triangular { .. } => 0..y,
            Units::Grid2d { .. } => 0..x * y,
            Units::Persistent { .. } => 0..5,
        };
        match split.bounds {
            Bounds::Ticket => places.map(|_| 0).collect(),
            Bounds::First(first) => places.map(|place| at(place, first)).collect(),
            Bounds::End { first, end } => places
                .map(|place| at(place, first))
                .filter(|&unit| unit < pass.params[end].into())
                .collect(),
            Bounds::Count { first, count } => places
                .take_while(|&place| place < pass.params[count].into())
                .map(|place| at(place, first))
                .collect(),
            Bounds::Last { first, last } => places
                .map(|place| at(place, first))
                .filter(|&unit| unit <= pass.params[last].into())
                .collect(),
        }
    }

    #[test]
    fn parts_of_a_pass_are_its_whole_units_in_order() {
        for (split, pass) in passes() {
            let whole = done(&split, &pass);
            for (cells, expected) in [
                (0, 1),
                (1, 1),
                (100, 1),
                (199, 1),
                (200, 2),
                (399, 3),
                (400, 4),
                (499, 4),
            ] {
                let (part, rest) = split.cut(&pass, cells).expect("there are five");
                assert_eq!(
                    (part.cells, rest.cells),
                    (100 * expected as u64, 500 - 100 * expected as u64)
                );
                let (first, others) = (done(&split, &part), done(&split, &rest));
                assert_eq!(
                    (first.len(), &[first, others].concat()),
                    (expected, &whole),
                    "{split:?}, {cells} cells"
                );
            }
            for cells in [500, 501, u64::MAX] {
                assert_eq!(split.cut(&pass, cells), None, "{split:?}, {cells} cells");
            }
        }
    }

    #[test]
    fn split_changes_only_the_grid_and_the_bounds() {
        let cut = passes().map(|(split, pass)| split.cut(&pass, 200).expect("there are five"));
        let expected = [
            (
                pass([2, 1, 2], [7, 8, 20, 9], 200),
                pass([3, 1, 2], [9, 11, 20, 9], 300),
            ),
            (
                pass([2, 1, 1], [5, 3, 9], 200),
                pass([3, 1, 1], [5, 5, 9], 300),
            ),
            (
                pass([2, 1, 1], [7, 7 + 2 * LANES, 9], 200),
                pass([3, 1, 1], [7 + 2 * LANES, 7 + 5 * LANES, 9], 300),
            ),
            (
                pass([4, 1, 1], [1, 2, 3, 4, 5, 6, 7, 30, 9, 10, 11, 32], 200),
                pass([6, 1, 1], [1, 2, 3, 4, 5, 6, 7, 32, 9, 10, 11, 35], 300),
            ),
            (
                pass([2, 1, 1], [7, 3, 9], 200),
                pass([3, 1, 1], [7, 3, 9], 300),
            ),
            (
                pass([2, 1, 1], [9, 7, 2, 2], 200),
                pass([3, 1, 1], [9, 9, 3, 2], 300),
            ),
            (
                pass([2, 1, 1], [9, 7, 7 + 2 * LANES, 2], 200),
                pass([3, 1, 1], [9, 7 + 2 * LANES, 7 + 5 * LANES, 2], 300),
            ),
        ];
        assert_eq!(cut, expected);
    }

    #[test]
    fn repeated_splits_end_at_single_units() {
        for (split, pass) in passes() {
            for shares in [&[0][..], &[100], &[250], &[100, 300], &[0, 200, 100]] {
                let (mut left, mut parts) = (Some(pass.clone()), Vec::new());
                for &share in shares.iter().cycle() {
                    let Some(now) = left.take() else { break };
                    match split.cut(&now, share) {
                        Some((part, rest)) => {
                            parts.push(part);
                            left = Some(rest);
                        }
                        None => parts.push(now),
                    }
                }
                let units: Vec<_> = parts.iter().flat_map(|part| done(&split, part)).collect();
                assert_eq!(units, done(&split, &pass), "{split:?}, {shares:?}");
                assert_eq!(parts.iter().map(|part| part.cells).sum::<u64>(), pass.cells);
                assert!(
                    parts.len() == 5 || !matches!(shares, [0] | [100]),
                    "{split:?}, {shares:?}: {parts:?}"
                );
            }
        }
    }

    #[test]
    fn folded_strips_may_leave_idle_workgroups_in_the_last_row() {
        for strips in 1..40u32 {
            let groups = |strips: u32| {
                let [x, y] = folded(strips.into(), 8);
                [x, y, 2]
            };
            let whole = pass(groups(strips), [3, 2 + strips], 10 * u64::from(strips));
            assert_eq!(done(&STRIPS, &whole).len(), strips as usize);
            for taken in 1..strips {
                let (part, rest) = STRIPS
                    .cut(&whole, 10 * u64::from(taken))
                    .expect("there are more");
                assert_eq!(
                    (part.groups, rest.groups),
                    (groups(taken), groups(strips - taken))
                );
                assert_eq!(
                    [done(&STRIPS, &part), done(&STRIPS, &rest)].concat(),
                    done(&STRIPS, &whole)
                );
                assert_eq!(
                    (part.cells, rest.cells),
                    (10 * u64::from(taken), 10 * u64::from(strips - taken))
                );
            }
            assert_eq!(STRIPS.cut(&whole, whole.cells), None);
        }
        // No parameter tells the number of strips in the last row.
        let split = PassSplit {
            bounds: Bounds::First(0),
            ..STRIPS
        };
        assert_eq!(split.cut(&pass([8, 2, 1], [0], 100), 0), None);
    }

    #[test]
    fn the_last_unit_may_have_fewer_cells_than_the_others() {
        let stretches = 4 * LANES + 3;
        let whole = pass([5, 1, 1], [7, 7 + stretches], 32 * u64::from(stretches));
        let unit = 32 * u64::from(LANES);
        for (cells, expected) in [
            (0, 1),
            (unit, 1),
            (2 * unit - 1, 1),
            (2 * unit, 2),
            (4 * unit, 4),
        ] {
            let (part, rest) = STRETCHES
                .cut(&whole, cells)
                .expect("there are five workgroups");
            let between = 7 + expected * LANES;
            assert_eq!(
                (part.groups[0], &part.params[..2]),
                (expected, &[7, between][..])
            );
            assert_eq!(
                (rest.groups[0], &rest.params[..2]),
                (5 - expected, &[between, 7 + stretches][..])
            );
            assert_eq!(
                (part.cells, rest.cells),
                (u64::from(expected) * unit, whole.cells - part.cells)
            );
        }
        assert_eq!(STRETCHES.cut(&whole, 5 * unit), None);
        // Cells that are not a multiple of the units: the remainder belongs to the last unit.
        let whole = pass([5, 1, 1], [5, 3, 9], 503);
        let (part, rest) = TILES.cut(&whole, 499).expect("there are five");
        assert_eq!(
            (part.groups[0], part.cells, rest.groups[0], rest.cells),
            (4, 400, 1, 103)
        );
        assert_eq!(TILES.cut(&rest, 0), None);
    }

    #[test]
    fn triangular_rows_shrink_by_one_workgroup_and_row_0_is_weighted() {
        // 4 times 9 workgroups, then 8, 7, 6 and 5.
        let whole = pass([9, 5, 1], [70, 20, 6, 0], 620);
        for (cells, rows, expected) in [
            (0, 1, 360),
            (439, 1, 360),
            (440, 2, 440),
            (509, 2, 440),
            (510, 3, 510),
            (570, 4, 570),
            (619, 4, 570),
        ] {
            let (part, rest) = TRIANGULAR.cut(&whole, cells).expect("there are five");
            assert_eq!(
                (part.groups, part.params[3], part.cells),
                ([9, rows, 1], 0, expected),
                "{cells} cells"
            );
            assert_eq!(
                (rest.groups, rest.params[3], rest.cells),
                ([9 - rows, 5 - rows, 1], rows, 620 - expected)
            );
        }
        assert_eq!(TRIANGULAR.cut(&whole, 620), None);
        // The rest has rows of weight 1 only.
        let (_, rest) = TRIANGULAR.cut(&whole, 0).expect("there are five");
        let (part, last) = TRIANGULAR.cut(&rest, 150).expect("there are four");
        assert_eq!(
            (part.groups, part.params[3], part.cells),
            ([8, 2, 1], 1, 150)
        );
        assert_eq!(
            (last.groups, last.params[3], last.cells),
            ([6, 2, 1], 3, 110)
        );
        assert_eq!(
            TRIANGULAR.cut(&TRIANGULAR.cut(&last, 0).expect("there are two").1, 0),
            None
        );
        // More rows than steps: the surplus rows have no work, and none is lost.
        let (part, rest) = TRIANGULAR
            .cut(&pass([2, 4, 1], [0; 4], 90), 89)
            .expect("there are four");
        assert_eq!(
            (part.groups, part.cells, rest.groups, rest.cells),
            ([2, 1, 1], 80, [1, 3, 1], 10)
        );
        assert_eq!(
            TRIANGULAR
                .cut(
                    &Pass {
                        cells: u64::MAX,
                        ..whole
                    },
                    u64::MAX / 2
                )
                .map(|(part, _)| part.groups[1]),
            Some(1)
        );
    }

    #[test]
    fn single_units_and_empty_passes_are_never_split() {
        for (split, pass) in passes() {
            let (one, _) = split.cut(&pass, 0).expect("there are five");
            assert_eq!(split.cut(&one, 0), None, "{split:?}");
            let groups = [[0; 3], [1, 1, 1]].map(|groups| Pass {
                groups,
                params: params([]),
                ..pass.clone()
            });
            for pass in groups {
                assert_eq!(split.cut(&pass, 0), None, "{split:?}: {pass:?}");
            }
        }
        // More units than cells.
        for (split, pass) in passes() {
            let (part, rest) = split
                .cut(&Pass { cells: 3, ..pass }, 1)
                .expect("there are five");
            assert_eq!(
                (done(&split, &part).len(), part.cells + rest.cells),
                (1, 3),
                "{split:?}"
            );
        }
    }

    #[test]
    fn split_does_not_overflow_at_maximum_parameters_and_cells() {
        let max = u32::MAX;
        let strips = PassSplit {
            units: Units::Grid2d { across: max },
            ..STRIPS
        };
        let (part, rest) = strips
            .cut(&pass([max, 2, 1], [0, max], u64::MAX), u64::MAX)
            .expect("2^32 of 2^32 - 1 cells");
        assert_eq!(
            (part.groups, &part.params[..2]),
            ([max, 1, 1], &[0, max - 1][..])
        );
        assert_eq!(
            (rest.groups, &rest.params[..2]),
            ([1, 1, 1], &[max, max][..])
        );
        assert_eq!(
            (part.cells, rest.cells),
            (u64::from(max) * u64::from(max), u64::MAX - part.cells)
        );
        for (cells, taken) in [(u64::MAX - 1, max - 1), (1 << 63, (1 << 31) - 1), (0, 1)] {
            let (part, rest) = TICKETS
                .cut(&pass([max, 1, 1], [], u64::MAX), cells)
                .expect("there are more");
            assert_eq!(
                (part.groups[0], rest.groups[0]),
                (taken, max - taken),
                "{cells} cells"
            );
            assert_eq!(part.cells.checked_add(rest.cells), Some(u64::MAX));
        }
        // The second unit's number does not fit a word.
        assert_eq!(TILES.cut(&pass([5, 1, 1], [0, max], 500), 0), None);
        let far = PassSplit {
            step: 1 << 31,
            ..TILES
        };
        assert_eq!(far.cut(&pass([5, 1, 1], [], 500), 200), None);
    }

    #[test]
    fn unit_count_is_limited_by_workgroups_and_bounds() {
        for (split, words) in [
            (STRETCHES, [7, 6]),
            (STRETCHES, [7, 7]),
            (STRIPS, [7, 5]),
            (STRIPS, [7, 6]),
        ] {
            assert_eq!(
                split.cut(&pass([5, 1, 1], words, 500), 0),
                None,
                "{split:?}: {words:?}"
            );
        }
        // One of five workgroups has something to do.
        assert_eq!(STRETCHES.cut(&pass([5, 1, 1], [0, LANES], 500), 0), None);
        // One workgroup for five units.
        assert_eq!(
            STRETCHES.cut(&pass([1, 1, 1], [0, 5 * LANES], 500), 0),
            None
        );
    }
}
