//! `--path FILE`, which is `--output FILE` now.

use std::ffi::OsString;
use std::path::Path;

use anyhow::bail;
use clap::error::{ContextKind, ContextValue, ErrorKind};

/// Whether arguments may be wrong because of a file behind `--path`: one argument too many, or a value that it does not take.
pub fn may_cause(error: &clap::Error) -> bool {
    match (error.kind(), error.get(ContextKind::InvalidArg)) {
        (ErrorKind::UnknownArgument, Some(ContextValue::String(argument))) => {
            !argument.starts_with('-')
        }
        (kind, _) => kind == ErrorKind::TooManyValues,
    }
}

/// Fails where `--path` is given a file as it once was: `--path=FILE`; where the arguments are `wrong`, what follows `--path`;
/// else what follows it and is not there, so that it is no input.
pub fn check(arguments: impl IntoIterator<Item = OsString>, wrong: bool) -> anyhow::Result<()> {
    let mut arguments = arguments
        .into_iter()
        .skip(1)
        .map(|argument| argument.to_string_lossy().into_owned())
        .peekable();
    while let Some(argument) = arguments.next() {
        let file = match argument.strip_prefix("--path") {
            Some("") => arguments
                .peek()
                .filter(|next| !next.starts_with('-') && (wrong || is_output(next)))
                .cloned(),
            Some(value) => value.strip_prefix('=').map(str::to_string),
            None => None,
        };
        if let Some(file) = file {
            bail!(
                "--path takes no file, so that none is taken by mistake; name it with --output {file}"
            );
        }
    }
    Ok(())
}

/// Whether it looks like a file that is to be written.
fn is_output(name: &str) -> bool {
    !Path::new(name).exists()
}

#[cfg(test)]
mod tests {
    use super::check;

    #[test]
    fn a_file_behind_path_is_told_from_an_input() {
        let ok = |line: &str, wrong| check(line.split(' ').map(Into::into), wrong).is_ok();
        assert!(ok("swath lcs a b --path", true) && ok("swath lcs a b --path -o x", true));
        assert!(!ok("swath lcs a b --path=x", false) && !ok("swath lcs a b --path x", true));
        assert!(
            ok("swath scs --path Cargo.toml b", false)
                && !ok("swath scs a b --path no-such-file", false)
        );
    }
}
