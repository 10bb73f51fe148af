//! Types that a kernel's text cannot choose by a constant: vectors of as many words as the constant says.

/// What the vector type of a constant is called, if the constant has one.
pub fn alias(constant: &str) -> Option<&'static str> {
    match constant {
        "LIMB_WIDTH" => Some("LimbVector"),
        "CODE_WIDTH" => Some("CodeVector"),
        "TILE_WIDTH" => Some("TileVector"),
        _ => None,
    }
}
