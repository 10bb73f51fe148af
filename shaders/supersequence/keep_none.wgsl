// supersequence/keep_none: a length alone keeps no directions.
fn keep_up(place: u32, up: u32) {}
