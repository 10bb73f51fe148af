//! Arguments for symbols that match others.

use clap::{Args, ValueEnum};
use swath::Matching;

use crate::input::Symbols;

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Ambiguous {
    /// N and the other IUPAC letters of DNA and RNA match what they stand for, U is T, case is
    /// ignored
    Iupac,
}

#[derive(Debug, Args)]
#[command(next_help_heading = "Problem")]
pub struct MatchingArgs {
    /// Letters that stand for several match all of these
    #[arg(long, value_name = "LETTERS")]
    ambiguous: Option<Ambiguous>,
    /// Let two bytes match each other, as in U=T, with --ambiguous in either case; may be repeated,
    /// or separated by commas
    #[arg(long, value_name = "X=Y", value_parser = pair, value_delimiter = ',')]
    equal: Vec<(u8, u8)>,
}

fn pair(text: &str) -> Result<(u8, u8), String> {
    match *text.as_bytes() {
        [x, b'=', y] => Ok((x, y)),
        _ => Err("give two bytes, as in U=T".into()),
    }
}

impl MatchingArgs {
    /// `None` if each byte matches only itself. With `ignore_case` the letters of `--equal` are
    /// compared in one case.
    pub fn matching(&self, ignore_case: bool) -> swath::Result<Option<Matching>> {
        let start = match self.ambiguous {
            Some(Ambiguous::Iupac) => Matching::iupac(),
            None if self.equal.is_empty() => return Ok(None),
            None => Matching::default(),
        };
        // Compared bytes are in lower case then.
        let fold = |byte: u8| {
            if ignore_case {
                byte.to_ascii_lowercase()
            } else {
                byte
            }
        };
        let pairs = self.equal.iter();
        let all = pairs
            .copied()
            .try_fold(start, |all, (x, y)| all.equal(fold(x), fold(y)));
        all.map(Some)
    }

    pub fn is_given(&self) -> bool {
        self.ambiguous.is_some() || !self.equal.is_empty()
    }

    /// The options, to tell calls apart.
    pub fn shown(&self) -> String {
        let pairs = self.equal.iter().map(|&(x, y)| {
            let pair = [x, b'=', y];
            format!(" {}", pair.escape_ascii())
        });
        let letters = self.ambiguous.map_or("none", |Ambiguous::Iupac| "iupac");
        format!("{letters}{}", pairs.collect::<String>())
    }

    /// Ignores options from the environment that do not apply, and rejects others.
    pub(super) fn resolve(
        &mut self,
        symbols: Symbols,
        from_environment: impl Fn(&str) -> bool,
    ) -> anyhow::Result<()> {
        if symbols != Symbols::Bytes {
            if from_environment("ambiguous") {
                self.ambiguous = None;
            }
            if from_environment("equal") {
                self.equal.clear();
            }
            if self.is_given() {
                anyhow::bail!(
                    "--ambiguous and --equal are for bytes; drop them, or take --symbols bytes"
                );
            }
        }
        self.matching(false)?;
        Ok(())
    }
}
