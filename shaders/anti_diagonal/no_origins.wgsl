// anti_diagonal/no_origins: cells without origins, for sweeps that need the last cell only.
fn trace(row: u32, up: bool, equal: bool) {}
