//! `swath man`.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::Path;

use anyhow::{Context, bail};
use clap_mangen::Man;
use clap_mangen::roff::{Roff, bold, roman};

use super::args::{self, ManArgs, text};
use super::output;

pub fn run(args: &ManArgs) -> anyhow::Result<()> {
    let mut root = args::command().disable_help_subcommand(true);
    root.build();
    if let Some(folder) = &args.all {
        return write_all(&root, folder);
    }
    let command = match &args.command {
        None => root,
        Some(name) => match root.find_subcommand(name) {
            Some(found) => found.clone(),
            None => {
                let known: Vec<_> = root
                    .get_subcommands()
                    .map(|known| known.get_name())
                    .collect();
                bail!("no command '{name}'; there are {}", known.join(", "))
            }
        },
    };
    output::to_stdout(|mut out| page(command, &mut out))
}

fn write_all(root: &clap::Command, folder: &Path) -> anyhow::Result<()> {
    fs::create_dir_all(folder)
        .with_context(|| format!("cannot make the folder {}", folder.display()))?;
    for command in std::iter::once(root).chain(root.get_subcommands()) {
        let file = folder.join(Man::new(command.clone()).get_filename());
        let written = File::create(&file).and_then(|mut out| page(command.clone(), &mut out));
        written.with_context(|| format!("cannot write {}", file.display()))?;
    }
    Ok(())
}

fn page(command: clap::Command, out: &mut dyn Write) -> io::Result<()> {
    let (name, has_commands) = (command.get_name().to_string(), command.has_subcommands());
    // Examples have a section of their own.
    let man = Man::new(
        command
            .after_help(None::<&str>)
            .after_long_help(None::<&str>),
    );
    man.render_title(out)?;
    man.render_name_section(out)?;
    man.render_synopsis_section(out)?;
    man.render_description_section(out)?;
    man.render_options_section(out)?;
    if has_commands {
        man.render_subcommands_section(out)?;
    }
    let mut roff = Roff::new();
    roff.control("SH", ["EXIT STATUS"]);
    for (code, meaning) in text::EXIT_CODES {
        roff.control("TP", [])
            .text([bold(code)])
            .text([roman(meaning)]);
    }
    roff.control("SH", ["ENVIRONMENT"]);
    roff.text([roman(
        "Every option can be set as SWATH_ and its name: --mem-gpu is SWATH_MEM_GPU. The command line wins.",
    )]);
    roff.control("SH", ["EXAMPLES"]);
    for (what, line) in text::examples(&name) {
        roff.control("PP", [])
            .text([roman(*what)])
            .control("EX", [])
            .text([roman(format!("    {line}"))])
            .control("EE", []);
    }
    roff.to_writer(out)?;
    if has_commands {
        man.render_version_section(out)
    } else {
        Ok(())
    }
}
