//! Tiled edit distance: the tiles of an anti-diagonal of tiles run in parallel, one pass each.
//!
//! Source: Ceccherelli 2022/23, "PC-2022/23 final: Parallel edit distance", section 2.2 and
//! listings 3 and 4; recurrence of Wagner and Fischer 1974, doi:10.1145/321796.321811. Departures:
//! the boundaries between tiles are kept, not the table. On a GPU a tile belongs to a workgroup,
//! where the source (section 2.3) computes one cell of an anti-diagonal per thread.

pub mod cpu;
pub mod gpu;
