//! Kernels of the tables of parenthesizations.

use super::{Access, Kernel, Own};

/// What costs are made of on a device.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Value {
    /// 32-bit integers.
    U32,
    /// 64-bit integers.
    U64,
    /// 64-bit integers in two limbs, for devices without them.
    Limbs,
    /// Whole numbers in double precision.
    Whole,
    /// Double precision.
    F64,
    /// Single precision.
    F32,
}

/// Where the weights' text comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Weights {
    /// A part of the library.
    Part(&'static str),
    /// The caller's own.
    Own(Own),
}

/// How the table lies in buffers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Table {
    /// By length, then start.
    ByLength,
    /// By start and by end.
    ByEnds,
    /// Tiles of so many rows and columns, in one buffer or, where `chunk_tiles` says how many each holds, in six.
    Tiles { tile: u32, chunk_tiles: Option<u32> },
}

/// Lanes of a workgroup of the adaptive mapping.
pub const ADAPTIVE_LANES: u32 = 256;
/// Lanes of a workgroup where each has a range.
pub const RANGE_LANES: u32 = 64;
/// Buffers of a table in chunks.
pub const CHUNKS: u32 = 6;

/// Constants that the host puts in front of kernels, and those that it gives a vector type: a caller's have other names.
pub const CONSTANTS: [&str; 11] = [
    "LANES",
    "PASSES",
    "CHECKED",
    "GREATEST",
    "ENCLOSES",
    "TILE",
    "CHUNK_TILES",
    "STEPS",
    "LIMB_WIDTH",
    "CODE_WIDTH",
    "TILE_WIDTH",
];

/// What all kernels of a table have in common.
#[derive(Clone, Debug)]
pub struct Variant {
    pub value: Value,
    pub weights: Weights,
    /// Constants of the weights.
    pub constants: Vec<(&'static str, u32)>,
    /// Whether the greatest cost is the best.
    pub greatest: bool,
    /// Whether ranges may be enclosed.
    pub encloses: bool,
    /// Whether sums that do not fit are marked.
    pub checked_sums: bool,
    /// Whether the weights or their inputs are a caller's.
    pub checked: bool,
}

impl Table {
    /// Buffers that it lies in.
    pub fn buffers(self) -> u32 {
        match self {
            Table::ByLength
            | Table::Tiles {
                chunk_tiles: None, ..
            } => 1,
            Table::ByEnds => 2,
            Table::Tiles { .. } => CHUNKS,
        }
    }
}

impl Variant {
    /// All ranges of one length, a lane each.
    pub fn thread_per_subproblem(&self) -> Kernel {
        let kernel = self.of_table(
            "parenthesization/thread_per_subproblem",
            RANGE_LANES,
            Table::ByLength,
        );
        with_part(kernel, "parenthesization/range")
    }

    /// All ranges of one length, as many lanes each as there are.
    pub fn adaptive(&self) -> Kernel {
        with_part(
            self.of_table("parenthesization/adaptive", ADAPTIVE_LANES, Table::ByEnds),
            "parenthesization/range",
        )
    }

    /// The tiles of so many rows on the diagonal.
    pub fn tiled_diagonal(&self, tile: u32, chunk_tiles: Option<u32>) -> Kernel {
        self.of_table(
            "parenthesization/tiled_diagonal",
            tile,
            Table::Tiles { tile, chunk_tiles },
        )
    }

    /// One anti-diagonal of tiles of so many rows, by so many lanes each: one for 16 or for 8 cells.
    pub fn tiled_wavefront(&self, (tile, lanes): (u32, u32), chunk_tiles: Option<u32>) -> Kernel {
        self.of_table(
            "parenthesization/tiled_wavefront",
            lanes,
            Table::Tiles { tile, chunk_tiles },
        )
    }

    /// Finds the tree in a table, `steps` ranges a path and pass.
    pub fn split_tree(&self, table: Table, lanes: u32, steps: u32) -> Kernel {
        let mut kernel = self.of_table("parenthesization/split_tree", lanes, table);
        kernel.constants.push(("STEPS", steps));
        kernel.bindings.push((1 + CHUNKS, Access::ReadWrite));
        kernel
    }

    /// A kernel that fills or reads a table: binding 0 has the inputs, those behind it the table.
    fn of_table(&self, stem: &'static str, block: u32, table: Table) -> Kernel {
        let value = match self.value {
            Value::U32 => "parenthesization/value_u32",
            Value::U64 => "parenthesization/value_u64",
            Value::Limbs => "parenthesization/value_limbs",
            Value::Whole => "parenthesization/value_whole",
            Value::F64 => "parenthesization/value_f64",
            Value::F32 => "parenthesization/value_f32",
        };
        let (weights, own) = match self.weights {
            Weights::Part(stem) => (stem, Vec::new()),
            Weights::Own(own) => (own.stem, vec![own]),
        };
        let operators = matches!(self.value, Value::U32 | Value::Whole | Value::F32)
            .then_some("parenthesization/operators");
        let mut parts = vec![value];
        parts.extend(operators);
        parts.extend(["parenthesization/goal", weights]);
        parts.extend((!self.encloses).then_some("parenthesization/no_enclosure"));
        let mut constants = vec![
            ("CHECKED", u32::from(self.checked_sums)),
            ("GREATEST", u32::from(self.greatest)),
            ("ENCLOSES", u32::from(self.encloses)),
        ];
        constants.extend(&self.constants);
        match table {
            Table::ByLength => parts.push("parenthesization/by_length"),
            Table::ByEnds => parts.push("parenthesization/by_ends"),
            Table::Tiles { tile, chunk_tiles } => {
                constants.push(("TILE", tile));
                constants.extend(chunk_tiles.map(|tiles| ("CHUNK_TILES", tiles)));
                let one = chunk_tiles.is_none();
                parts.push(if one {
                    "parenthesization/tiles_one"
                } else {
                    "parenthesization/tiles_many"
                });
                parts.push("parenthesization/tiles");
            }
        }
        let mut bindings = vec![Access::ReadWrite; 1 + table.buffers() as usize];
        bindings[0] = Access::Read;
        let (int64, float64) = (
            self.value == Value::U64,
            matches!(self.value, Value::Whole | Value::F64),
        );
        let checked = self.checked;
        Kernel {
            parts,
            constants,
            int64,
            float64,
            own,
            checked,
            ..Kernel::new(stem, block, &bindings)
        }
    }
}

fn with_part(mut kernel: Kernel, part: &'static str) -> Kernel {
    kernel.parts.push(part);
    kernel
}
