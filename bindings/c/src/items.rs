//! Items of arrays in answers, as structs of C.

/// A position that is not known, or a split that a node does not have.
pub const SWATH_NONE: u64 = u64::MAX;

/// A run of paired symbols. In an alignment paired symbols may differ.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Block {
    /// First position in `a`.
    pub a: u64,
    /// First position in `b`.
    pub b: u64,
    /// Number of pairs.
    pub len: u64,
}

/// A piece of the target at the distance of the answer.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Piece {
    /// First position; `SWATH_NONE` if it was not asked for.
    pub start: u64,
    /// Position after the last symbol.
    pub end: u64,
}

/// A run of symbols of an input in a supersequence.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Placement {
    /// First position in the input.
    pub input: u64,
    /// First position in the supersequence.
    pub at: u64,
    /// Number of symbols.
    pub len: u64,
}

/// Position of a substring in an input.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Position {
    /// Index of the input.
    pub input: u32,
    /// Index of the record in the input.
    pub record: u32,
    /// First symbol in the record, on both strands counted from its start.
    pub start: u64,
    /// 1 for the forward strand, -1 for the reverse strand.
    pub strand: i32,
}

/// Two equal runs in two inputs.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Match {
    /// The run in the earlier input.
    pub a: Position,
    /// The run in the later input.
    pub b: Position,
    /// Number of symbols.
    pub len: u64,
}

/// Two strings within the distance.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Neighbor {
    /// Position of the first string.
    pub row: u32,
    /// Position of the second string.
    pub column: u32,
    /// Edit distance.
    pub distance: u32,
    /// 1; -1 if the reverse complement of one of them is nearer.
    pub strand: i32,
}

/// A piece of a text near a pattern.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Place {
    /// First symbol of the piece.
    pub start: u64,
    /// Position after its last symbol.
    pub end: u64,
    /// Position of the text in its list.
    pub text: u32,
    /// Position of the pattern in its list.
    pub pattern: u32,
    /// 1 for the pattern as given, -1 for its reverse complement.
    pub strand: i32,
    /// Edit distance, and the cost of symbols that stick out.
    pub cost: u32,
    /// Symbols of the pattern before the start of the text.
    pub before: u32,
    /// Symbols of the pattern behind the end of the text.
    pub after: u32,
}

/// Inner node of a tree: a range of two or more leaves, and its split.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Node {
    /// First leaf.
    pub start: u64,
    /// One past the last leaf.
    pub end: u64,
    /// First leaf of the right part; `SWATH_NONE` if the first and last leaf enclose the rest.
    pub split: u64,
}
