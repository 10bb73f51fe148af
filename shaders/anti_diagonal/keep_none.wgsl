// anti_diagonal/keep_none: a length alone keeps no directions.
fn keep_up(row: u32, up: bool) {}
