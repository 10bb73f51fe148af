//! Origin of the code of kernels: NVRTC, which compiles any kernel for the device at hand, or the
//! PTX of some kernels that a build may have embedded.
//!
//! The environment variable `SWATH_CUDA_KERNELS` overrides the choice, for tests and benchmarks:
//! `compiled`, `embedded` or `recompiled` (see [`Origin`]). It is read once per process.

use std::sync::LazyLock;

use super::archive::Archive;
use super::compiler;

/// `compute_75` PTX, which the drivers of all GPUs from Turing on load; empty unless the build was
/// given an archive (build.rs).
const ARCHIVE: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/embedded.ptx"));

/// Minimum CUDA version of a driver that loads the archive: that of the NVRTC that compiled it.
pub const OLDEST_DRIVER: u32 = 12_000;

const VARIABLE: &str = "SWATH_CUDA_KERNELS";

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// NVRTC compiles the kernels that plans name.
    Compiled,
    /// Plans name only kernels that release builds embed.
    Embedded,
    /// As `Embedded`, but NVRTC compiles them. Needs no archive.
    Recompiled,
}

impl Origin {
    const ALL: [Self; 3] = [Self::Compiled, Self::Embedded, Self::Recompiled];

    fn option(self) -> &'static str {
        match self {
            Self::Compiled => "compiled",
            Self::Embedded => "embedded",
            Self::Recompiled => "recompiled",
        }
    }

    /// Description of the compiler for lists of devices.
    pub fn compiler(self) -> String {
        match self {
            Self::Compiled => "NVRTC".to_string(),
            Self::Embedded if archive().is_none() => "none".to_string(),
            Self::Embedded => format!("none, embedded PTX: {}", not_used()),
            Self::Recompiled => "NVRTC, of embedded kernels alone".to_string(),
        }
    }

    /// Reason why it cannot be used with a driver of this CUDA version, if any.
    pub fn missing(self, driver: u32) -> Option<String> {
        match self {
            Self::Compiled | Self::Recompiled => compiler::missing().map(str::to_string),
            Self::Embedded => embedded_missing(archive().is_some(), driver),
        }
    }
}

fn embedded_missing(has_archive: bool, driver: u32) -> Option<String> {
    if !has_archive {
        return Some(format!(
            "{}; or use a release of swath, which has kernels compiled: this build has none",
            not_used()
        ));
    }
    let version = |version: u32| format!("{}.{}", version / 1000, version % 1000 / 10);
    (driver < OLDEST_DRIVER).then(|| {
        format!(
            "{}; or update the driver: it is of CUDA {}, and embedded kernels need {} at least",
            not_used(),
            version(driver),
            version(OLDEST_DRIVER)
        )
    })
}

/// Origin in this process: NVRTC if it can be used, unless the environment overrides it.
///
/// # Errors
/// The environment names an unknown origin.
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

pub fn archive() -> Option<Archive<'static>> {
    Archive::of(ARCHIVE)
}

/// PTX of an embedded source.
pub(super) fn ptx(text: &str) -> Result<Vec<u8>, String> {
    match archive().and_then(|archive| archive.get(text)) {
        Some(ptx) => ptx.map_err(|error| format!("its embedded PTX is damaged: {error}")),
        None => Err(not_embedded()),
    }
}

/// Checks that a source is in the archive, if there is one.
pub(super) fn check(text: &str) -> Result<(), String> {
    match archive() {
        Some(archive) if !archive.has(text) => Err(not_embedded()),
        _ => Ok(()),
    }
}

/// Error message for a kernel that is not embedded.
pub(super) fn not_embedded() -> String {
    format!("it is not among the embedded kernels: {}", not_used())
}

/// Reason why NVRTC is not used.
fn not_used() -> String {
    compiler::missing().map_or_else(
        || format!("{VARIABLE} asks for embedded kernels alone"),
        str::to_string,
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn origins_parse_from_their_names_and_unknown_names_list_them() {
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
    fn embedded_kernels_need_an_archive_and_a_driver_that_loads_it() {
        assert_eq!(embedded_missing(true, OLDEST_DRIVER), None);
        let missing = embedded_missing(true, 11_040).expect("the driver is too old");
        assert!(
            missing.contains("of CUDA 11.4") && missing.contains("12.0 at least"),
            "{missing}"
        );
        let missing = embedded_missing(false, OLDEST_DRIVER).expect("there is no archive");
        assert!(missing.contains("use a release"), "{missing}");
    }

    #[test]
    fn the_embedded_file_is_empty_or_an_archive() {
        assert_eq!(archive().is_none(), ARCHIVE.is_empty());
    }
}
