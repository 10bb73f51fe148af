// pairs/keep_nothing: keeps no windows, for distances alone.
fn keep_window(entry: u32, block: u32, window: ptr<function, Window>) {}
