//! Where the code of kernels comes from: NVRTC, which compiles any for the device at hand, or PTX that the library brings of some.
//!
//! For tests and benchmarks the environment variable `SWATH_CUDA_KERNELS` says which: `compiled` by NVRTC, `embedded`, or `recompiled`,
//! the kernels that are embedded, but compiled by NVRTC. It is read once in a process.

use std::sync::LazyLock;

use super::archive::Archive;
use super::compiler;

/// What `compute_75` code of the embedded kernels is: for every GPU of that compute capability or a higher one. Written by
/// tests/cuda_archive.rs.
const ARCHIVE: &[u8] = include_bytes!("embedded.ptx");

/// The oldest version of CUDA whose drivers load it: that of the NVRTC which made it.
pub const OLDEST_DRIVER: u32 = 12_000;

/// What [`origin`] reads.
const VARIABLE: &str = "SWATH_CUDA_KERNELS";

/// Where code comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// NVRTC compiles what plans ask for.
    Compiled,
    /// Plans keep to the kernels that are embedded.
    Embedded,
    /// The same kernels, but NVRTC compiles them.
    Recompiled,
}

impl Origin {
    const ALL: [Self; 3] = [Self::Compiled, Self::Embedded, Self::Recompiled];

    /// The name in the environment.
    fn option(self) -> &'static str {
        match self {
            Self::Compiled => "compiled",
            Self::Embedded => "embedded",
            Self::Recompiled => "recompiled",
        }
    }

    /// What compiles kernels, for lists of devices.
    pub fn compiler(self) -> String {
        match self {
            Self::Compiled => "NVRTC".to_string(),
            Self::Embedded => format!("none, embedded PTX: {}", not_used()),
            Self::Recompiled => "NVRTC, of embedded kernels alone".to_string(),
        }
    }

    /// What keeps it from being used on a driver of this version of CUDA.
    pub fn lacking(self, driver: u32) -> Option<String> {
        if self != Self::Embedded {
            return compiler::missing().map(str::to_string);
        }
        let version = |version: u32| format!("{}.{}", version / 1000, version % 1000 / 10);
        (driver < OLDEST_DRIVER).then(|| {
            let (oldest, driver) = (version(OLDEST_DRIVER), version(driver));
            format!(
                "{}; or update the driver: it is of CUDA {driver}, and embedded kernels need {oldest} at least",
                not_used()
            )
        })
    }
}

/// Where code comes from in this process: from NVRTC where it can be used, unless the environment says otherwise.
///
/// # Errors
/// Where the environment names nothing that there is.
pub fn origin() -> Result<Origin, String> {
    static ORIGIN: LazyLock<Result<Origin, String>> =
        LazyLock::new(|| match std::env::var_os(VARIABLE) {
            Some(wanted) => named(&wanted.to_string_lossy()),
            None if compiler::missing().is_some() => Ok(Origin::Embedded),
            None => Ok(Origin::Compiled),
        });
    ORIGIN.clone()
}

fn named(wanted: &str) -> Result<Origin, String> {
    let known = Origin::ALL.map(Origin::option);
    let origin = Origin::ALL
        .into_iter()
        .find(|origin| origin.option() == wanted);
    origin.ok_or_else(|| {
        format!(
            "{VARIABLE} is '{wanted}', and has to be one of {}",
            known.join(", ")
        )
    })
}

/// The archive.
pub fn archive() -> Option<Archive<'static>> {
    Archive::of(ARCHIVE)
}

/// The PTX of a text, if it is embedded.
///
/// # Errors
/// Where it is not, with the way out.
pub(super) fn ptx(text: &str) -> Result<Vec<u8>, String> {
    match archive().and_then(|archive| archive.get(text)) {
        Some(ptx) => ptx.map_err(|error| format!("its embedded PTX is damaged: {error}")),
        None => Err(not_embedded()),
    }
}

/// # Errors
/// Where a text is not embedded, with the way out.
pub(super) fn check(text: &str) -> Result<(), String> {
    if archive().is_some_and(|archive| archive.has(text)) {
        Ok(())
    } else {
        Err(not_embedded())
    }
}

/// Why a kernel that is not embedded cannot be had.
pub(super) fn not_embedded() -> String {
    format!("it is not among the embedded kernels: {}", not_used())
}

/// Why NVRTC compiles no others.
fn not_used() -> String {
    compiler::missing().map_or_else(
        || format!("{VARIABLE} asks for embedded ones alone"),
        str::to_string,
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn origins_are_known_by_their_names_and_others_refused_with_those() {
        for origin in Origin::ALL {
            assert_eq!(named(origin.option()), Ok(origin));
        }
        let refused = named("ptx").expect_err("it is none");
        assert!(
            refused.contains("'ptx'") && refused.contains("embedded"),
            "{refused}"
        );
    }

    #[test]
    fn an_old_driver_is_told_what_embedded_kernels_need() {
        assert_eq!(Origin::Embedded.lacking(OLDEST_DRIVER), None);
        let lacking = Origin::Embedded.lacking(11_040).expect("it is too old");
        assert!(
            lacking.contains("of CUDA 11.4") && lacking.contains("12.0 at least"),
            "{lacking}"
        );
    }

    #[test]
    fn what_is_embedded_is_an_archive() {
        assert!(archive().is_some_and(|archive| archive.digests().count() > 0));
    }
}
