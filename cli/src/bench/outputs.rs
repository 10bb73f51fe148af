//! Files that are written beside the tables, or stdout in their place.

use std::path::Path;

use anyhow::bail;

use crate::args::BenchArgs;
use crate::interrupt::Interrupt;
use crate::output::{self, OutputFile};
use crate::report::bench::{Record, bench_html, bench_json};

/// A file, or stdout.
enum Place {
    Stdout,
    File(OutputFile),
}

/// What is written where, beside the tables.
pub struct Outputs {
    json: Option<Place>,
    html: Option<Place>,
}

impl Outputs {
    /// Fails early where something could not be written after the work.
    pub fn check(args: &BenchArgs) -> anyhow::Result<Self> {
        let place = |option: &str, path: &Path| match output::is_stdout(path) {
            true => Ok(Place::Stdout),
            false => OutputFile::check(option, path, []).map(Place::File),
        };
        let json = args
            .json
            .as_deref()
            .map(|path| place("--json", Path::new(path)))
            .transpose()?;
        let html = args
            .html
            .as_deref()
            .map(|path| place("--html", path))
            .transpose()?;
        if args.json.is_some() && args.json.as_deref().map(Path::new) == args.html.as_deref() {
            bail!("--json and --html would both write to the same place; name two files");
        }
        Ok(Self { json, html })
    }

    /// Whether stdout is free for tables.
    pub fn prints_tables(&self) -> bool {
        ![&self.json, &self.html]
            .iter()
            .any(|place| matches!(place, Some(Place::Stdout)))
    }

    /// Writes all of it.
    pub fn write(&self, record: &Record, interrupt: &Interrupt) -> anyhow::Result<()> {
        type Write = fn(&Record, &mut dyn std::io::Write) -> std::io::Result<()>;
        for (place, write) in [
            (&self.json, bench_json as Write),
            (&self.html, bench_html as Write),
        ] {
            match place {
                None => {}
                Some(Place::Stdout) => {
                    interrupt.ending_at_once(|| output::to_stdout(|out| write(record, out)))?
                }
                Some(Place::File(file)) => {
                    let mut writing = file.begin(interrupt)?;
                    writing.put(|out| write(record, out))?;
                    writing.finish()?;
                }
            }
        }
        Ok(())
    }
}
