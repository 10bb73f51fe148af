//! How inputs are read.

use std::ffi::{OsStr, OsString};

use clap::Args;
use clap::builder::FalseyValueParser;

use crate::input::{self, Layout, ListRequest, Request, Source, Symbols};
use crate::output::DASH;

/// Options of every command that compares sequences.
#[derive(Debug, Args)]
#[command(next_help_heading = "Input")]
pub struct InputArgs {
    /// Take the inputs as the sequences themselves, but for '-', which is stdin
    #[arg(long, env = "SWATH_TEXT", value_parser = FalseyValueParser::new())]
    pub(super) text: bool,
    /// What the sequences are made of
    #[arg(long, env = "SWATH_SYMBOLS", value_enum, default_value_t = Symbols::Bytes)]
    pub(super) symbols: Symbols,
    /// Layout of the files
    #[arg(long, env = "SWATH_INPUT", value_enum, default_value_t = Layout::Auto)]
    pub(super) input: Layout,
    /// Record of the first input to take, by the first word of its header [default: the first record]
    #[arg(long, env = "SWATH_RECORD_A", value_name = "NAME")]
    pub(super) record_a: Option<String>,
    /// Record of the second input to take
    #[arg(long, env = "SWATH_RECORD_B", value_name = "NAME")]
    pub(super) record_b: Option<String>,
    /// Compare without regard to case: ASCII letters of bytes, Unicode letters of characters, lines and tokens
    #[arg(long, env = "SWATH_IGNORE_CASE", value_parser = FalseyValueParser::new())]
    pub(super) ignore_case: bool,
}

impl InputArgs {
    /// One input, or its record of this name.
    pub(super) fn side(&self, argument: &OsString, record: Option<&String>) -> input::Side {
        input::Side {
            source: match argument {
                text if self.text && text != DASH => Source::Literal(text.clone()),
                file => source(file),
            },
            record: record.cloned(),
        }
    }

    /// Two inputs.
    pub(super) fn pair(&self, a: &OsString, b: &OsString) -> Request {
        Request {
            a: self.side(a, self.record_a.as_ref()),
            b: self.side(b, self.record_b.as_ref()),
            layout: self.input,
            symbols: self.symbols,
            ignore_case: self.ignore_case,
        }
    }

    /// Any number of inputs.
    ///
    /// # Errors
    /// When a record is named and all are asked for.
    pub(super) fn list(
        &self,
        inputs: &[OsString],
        all_records: bool,
    ) -> anyhow::Result<ListRequest> {
        let records = [self.record_a.as_ref(), self.record_b.as_ref()];
        if all_records && records.iter().any(Option::is_some) {
            anyhow::bail!(
                "--all-records takes every record; drop --record-a and --record-b, or drop it"
            );
        }
        let records = records.into_iter().chain(std::iter::repeat(None));
        Ok(ListRequest {
            sides: inputs
                .iter()
                .zip(records)
                .map(|(input, record)| self.side(input, record))
                .collect(),
            all_records,
            layout: self.input,
            symbols: self.symbols,
            ignore_case: self.ignore_case,
        })
    }
}

/// Stdin for '-', else the file.
pub fn source(argument: &OsStr) -> Source {
    if argument == DASH {
        Source::Stdin
    } else {
        Source::File(argument.into())
    }
}
