//! Exit codes and the error message of the command.

use std::io::{ErrorKind, Write};
use std::process::ExitCode;

use swath::Error;

use crate::input::OutOfMemory;
use crate::message::printable;
use crate::{allocator, interrupt};

const DIFFERS: u8 = 1;
const USAGE_OR_INPUT: u8 = 2;
const DEVICE: u8 = 3;
const MEMORY: u8 = allocator::EXIT_CODE;
const VERIFICATION: u8 = 5;

/// Failures besides those of the library and of reading.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    /// Without a message: the inputs differ, or nothing was found, and the exit code is to tell.
    #[error("the inputs differ")]
    Differs,
    #[error("{0}")]
    Verification(String),
    /// A known-answer test failed to run.
    #[error("{0}")]
    NoAnswer(String),
}

/// Prints the error as one line and returns the exit code. A closed reader of a pipe is no error.
pub fn finish(result: anyhow::Result<()>) -> ExitCode {
    let Err(error) = result else {
        return ExitCode::SUCCESS;
    };
    let gone = |error: &std::io::Error| error.kind() == ErrorKind::BrokenPipe;
    if error
        .chain()
        .any(|cause| cause.downcast_ref().is_some_and(gone))
    {
        return ExitCode::SUCCESS;
    }
    let code = code(&error);
    if code != DIFFERS {
        // stderr may be closed too; then the code is the only report.
        let _ = writeln!(
            std::io::stderr(),
            "swath: {}",
            printable(&format!("{error:#}"))
        );
    }
    ExitCode::from(code)
}

fn code(error: &anyhow::Error) -> u8 {
    match error.downcast_ref::<Failure>() {
        Some(Failure::Differs) => return DIFFERS,
        Some(Failure::Verification(_)) => return VERIFICATION,
        Some(Failure::NoAnswer(_)) => return DEVICE,
        None => {}
    }
    match error.downcast_ref::<OutOfMemory>() {
        // An invalid file, not a machine short of memory.
        Some(OutOfMemory::Window { .. }) => return USAGE_OR_INPUT,
        Some(_) => return MEMORY,
        None => {}
    }
    match error.downcast_ref::<Error>() {
        Some(
            Error::UnknownDevice { .. }
            | Error::DeviceUnavailable { .. }
            | Error::DeviceLost { .. }
            | Error::MissingStamp { .. },
        ) => DEVICE,
        Some(
            Error::MemoryBudget { .. }
            | Error::DeviceMemory { .. }
            | Error::HostMemory { .. }
            | Error::TooManyMatches { .. }
            | Error::TooManyNeighbors { .. },
        ) => MEMORY,
        Some(Error::CertificateFailed(_)) => VERIFICATION,
        Some(Error::Cancelled) => interrupt::exit_code(),
        _ => USAGE_OR_INPUT,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_of_error_has_its_exit_code() {
        let (what, name, device) = (|| "x".into(), || "x".into(), || "x".into());
        let (needed, limit) = (2, 1);
        let errors: [(anyhow::Error, u8); 12] = [
            (
                Error::MemoryBudget {
                    what: what(),
                    needed,
                    limit,
                    smallest: 2,
                }
                .into(),
                MEMORY,
            ),
            (
                Error::DeviceMemory {
                    device: device(),
                    needed,
                    limit,
                    held: 2,
                }
                .into(),
                MEMORY,
            ),
            (
                Error::HostMemory {
                    device: device(),
                    needed,
                }
                .into(),
                MEMORY,
            ),
            (
                OutOfMemory::Limit {
                    name: name(),
                    limit,
                }
                .into(),
                MEMORY,
            ),
            (
                OutOfMemory::Window {
                    name: name(),
                    window: 2,
                    max: 1,
                }
                .into(),
                USAGE_OR_INPUT,
            ),
            (
                Error::UnknownDevice {
                    wanted: name(),
                    available: name(),
                }
                .into(),
                DEVICE,
            ),
            (
                Error::MethodUnavailable {
                    method: "x",
                    device: device(),
                    reason: what(),
                }
                .into(),
                USAGE_OR_INPUT,
            ),
            (Error::CertificateFailed(what()).into(), VERIFICATION),
            (Failure::Verification(name()).into(), VERIFICATION),
            (Failure::NoAnswer(name()).into(), DEVICE),
            (Error::Cancelled.into(), 130),
            (anyhow::anyhow!("no such file"), USAGE_OR_INPUT),
        ];
        for (error, expected) in errors {
            assert_eq!(code(&error), expected, "{error}");
        }
    }
}
