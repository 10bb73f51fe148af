//! Arguments for sequences on other strands and with other origins.

use anyhow::bail;
use clap::{Args, ValueEnum};

use crate::input::Symbols;

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Strand {
    Forward,
    Both,
}

impl Strand {
    pub fn check(self, are_bytes: bool) -> anyhow::Result<()> {
        if self == Self::Both && !are_bytes {
            bail!("--strand both is for DNA in bytes; drop it, or take --symbols bytes");
        }
        Ok(())
    }
}

/// How the first input is turned before it is compared with the second.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Turning {
    /// As the library's anchors tell.
    ByAnchors { both_strands: bool, circular: bool },
    /// Both strands are compared, and the better one is reported.
    EachStrand,
}

#[derive(Debug, Args)]
#[command(next_help_heading = "Problem")]
pub struct TurnArgs {
    /// Strands of A, which is DNA: forward, or both, of which the one that has more in common with
    /// B is compared
    #[arg(long, default_value = "forward")]
    strand: Strand,
    /// A is circular: rotate it to the origin of B, which is found by common substrings
    #[arg(long)]
    pub circular: bool,
}

impl TurnArgs {
    /// `None` if A is compared as it is. `whole` is set if all of A is compared with all of B.
    pub fn turning(&self, whole: bool) -> Option<Turning> {
        let both_strands = self.strand == Strand::Both;
        (both_strands || self.circular).then_some(if whole {
            Turning::ByAnchors {
                both_strands,
                circular: self.circular,
            }
        } else {
            Turning::EachStrand
        })
    }

    /// Ignores options from the environment that do not apply, and rejects others.
    pub(super) fn resolve(
        &mut self,
        symbols: Symbols,
        whole: bool,
        from_environment: impl Fn(&str) -> bool,
    ) -> anyhow::Result<()> {
        let are_bytes = symbols == Symbols::Bytes;
        if from_environment("strand") && !are_bytes {
            self.strand = Strand::Forward;
        }
        if from_environment("circular") {
            self.circular &= are_bytes && whole;
        }
        self.strand.check(are_bytes)?;
        if self.circular && !are_bytes {
            bail!(
                "--circular is for sequences of bytes, such as genomes; drop it, or take --symbols bytes"
            );
        }
        if self.circular && !whole {
            bail!("--circular is for --mode global; drop it, or rotate A yourself");
        }
        Ok(())
    }
}
