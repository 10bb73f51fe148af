//! `swath completions`.

use clap_complete::Shell;

use super::{args, output};

/// Prints the completion script of `shell`.
pub fn run(shell: Shell) -> anyhow::Result<()> {
    // clap_complete panics when a write fails, so it gets memory to write to.
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut args::command(), "swath", &mut script);
    output::to_stdout(|out| out.write_all(&script))
}
