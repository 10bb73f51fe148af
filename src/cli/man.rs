//! `swath man`.

use anyhow::bail;

use super::{args, output};

/// Prints the man page of `swath`, or of one of its commands.
pub fn run(command: Option<&str>) -> anyhow::Result<()> {
    let mut root = args::command();
    root.build();
    let page = match command {
        None => root,
        Some(name) => match root.find_subcommand(name) {
            Some(found) => found.clone(),
            None => {
                let known: Vec<_> = root.get_subcommands().map(|known| known.get_name()).collect();
                bail!("no command '{name}'; there are {}", known.join(", "))
            }
        },
    };
    let page = clap_mangen::Man::new(page);
    output::to_stdout(|out| page.render(&mut &mut *out))
}
