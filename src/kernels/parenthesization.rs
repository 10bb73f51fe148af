//! Kernels of parenthesization tables.

use super::Access::{Read, ReadWrite};
use super::{Kernel, UserShader};

/// Number type of the costs on a device.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Value {
    U32,
    U64,
    /// 64-bit integers in two limbs, for devices without native ones.
    Limbs,
    /// Integers in double precision.
    Whole,
    F64,
    F32,
}

/// Source of the weight function.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Weights {
    /// Part of the library, by stem.
    Part(&'static str),
    User(UserShader),
}

/// Layout of the table in buffers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Table {
    /// By length, then by start.
    ByLength,
    /// Twice: by start and by end.
    ByEnds,
    /// Tiles of `tile` rows and columns, in one buffer; with `chunk_tiles`, the tiles per buffer,
    /// in [`CHUNKS`] buffers.
    Tiles { tile: u32, chunk_tiles: Option<u32> },
}

/// Lanes of a workgroup of the adaptive mapping.
pub const ADAPTIVE_LANES: u32 = 256;
/// Lanes of a workgroup with one range per lane.
pub const RANGE_LANES: u32 = 64;
/// Buffers of a chunked table.
pub const CHUNKS: u32 = 6;

/// Minimum words of a bound buffer: one value of any type.
pub const BUFFER_WORDS: u64 = 2;

/// Constants and vector types defined by the host; names that user sources must not define.
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

/// Parameters shared by all kernels of a table.
#[derive(Clone, Debug)]
pub struct Variant {
    pub value: Value,
    pub weights: Weights,
    /// Constants of the weight function.
    pub constants: Vec<(&'static str, u32)>,
    /// Maximises instead of minimising.
    pub greatest: bool,
    /// Ranges may be enclosed.
    pub encloses: bool,
    /// Marks sums that overflow.
    pub checked_sums: bool,
    /// True for user-supplied weights or inputs.
    pub checked: bool,
}

impl Table {
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
    /// Solves all ranges of one length, one lane each.
    pub fn thread_per_subproblem(&self) -> Kernel {
        self.of_ranges(
            "parenthesization/thread_per_subproblem",
            RANGE_LANES,
            Table::ByLength,
        )
    }

    /// Solves all ranges of one length, sharing all lanes among them.
    pub fn adaptive(&self) -> Kernel {
        self.of_ranges("parenthesization/adaptive", ADAPTIVE_LANES, Table::ByEnds)
    }

    fn of_ranges(&self, stem: &'static str, block: u32, table: Table) -> Kernel {
        let mut kernel = self.of_table(stem, block, table);
        kernel.parts.push("parenthesization/range");
        kernel
    }

    /// Fills the tiles on the diagonal.
    pub fn tiled_diagonal(&self, tile: u32, chunk_tiles: Option<u32>) -> Kernel {
        self.of_table(
            "parenthesization/tiled_diagonal",
            tile,
            Table::Tiles { tile, chunk_tiles },
        )
    }

    /// Fills one anti-diagonal of tiles, each by `lanes` lanes of 16 or 8 cells.
    pub fn tiled_wavefront(&self, tile: u32, lanes: u32, chunk_tiles: Option<u32>) -> Kernel {
        self.of_table(
            "parenthesization/tiled_wavefront",
            lanes,
            Table::Tiles { tile, chunk_tiles },
        )
    }

    /// Extracts the tree from a table, `steps` ranges per path and pass.
    pub fn split_tree(&self, table: Table, lanes: u32, steps: u32) -> Kernel {
        let mut kernel = self.of_table("parenthesization/split_tree", lanes, table);
        kernel.constants.push(("STEPS", steps));
        kernel.bindings.push((1 + CHUNKS, ReadWrite));
        kernel
    }

    /// A kernel that fills or reads a table. Binding 0 holds the inputs, the following ones the
    /// table.
    fn of_table(&self, stem: &'static str, block: u32, table: Table) -> Kernel {
        let value = match self.value {
            Value::U32 => "parenthesization/value_u32",
            Value::U64 => "parenthesization/value_u64",
            Value::Limbs => "parenthesization/value_limbs",
            Value::Whole => "parenthesization/value_whole",
            Value::F64 => "parenthesization/value_f64",
            Value::F32 => "parenthesization/value_f32",
        };
        let (weights, user_shaders) = match self.weights {
            Weights::Part(stem) => (stem, Vec::new()),
            Weights::User(shader) => (shader.stem, vec![shader]),
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
                parts.push(if chunk_tiles.is_none() {
                    "parenthesization/tiles_one"
                } else {
                    "parenthesization/tiles_many"
                });
                parts.push("parenthesization/tiles");
            }
        }
        let mut bindings = vec![ReadWrite; 1 + table.buffers() as usize];
        bindings[0] = Read;
        Kernel {
            parts,
            constants,
            int64: self.value == Value::U64,
            float64: matches!(self.value, Value::Whole | Value::F64),
            user_shaders,
            checked: self.checked,
            buffer_words: BUFFER_WORDS,
            ..Kernel::new(stem, block, &bindings)
        }
    }
}
