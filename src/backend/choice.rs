//! Selection of a device.

use std::str::FromStr;

use super::candidate::Candidate;
use super::interface::Interface;

/// Selection of the device that computes the answer.
///
/// Parsed from `auto`, `cpu`, `cuda:N`, `vulkan:N`, `metal:N`, `dx12:N` or a part of an adapter's
/// name.
///
/// ```
/// use swath::{DeviceChoice, Interface};
///
/// let second: DeviceChoice = "vulkan:1".parse()?;
/// assert_eq!(second, DeviceChoice::Adapter { interface: Interface::Vulkan, index: 1 });
/// assert_eq!("RTX".parse(), Ok(DeviceChoice::Name("RTX".to_string())));
/// # Ok::<(), std::convert::Infallible>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum DeviceChoice {
    /// A real GPU if the work is worth opening one and has no more distinct symbols than the GPU
    /// supports; otherwise the native CPU code. Never a software adapter. CUDA devices come first
    /// because their kernels are faster.
    ///
    /// The call that opens a device compares its answer for a small table with the CPU's. A device
    /// that answers wrongly or does not open is skipped in favour of the next one. A plan opens no
    /// device.
    ///
    /// The throughput of a GPU is measured when it is opened and by long calls. It is cached for a
    /// week in the user's cache folder.
    #[default]
    Auto,
    /// The native CPU code.
    Cpu,
    /// The N-th adapter of one interface, counted from 0, as `swath devices` lists them.
    Adapter {
        /// The interface.
        interface: Interface,
        /// Index in the list of that interface, from 0.
        index: usize,
    },
    /// The first adapter whose name contains this text, ignoring case.
    Name(String),
}

impl DeviceChoice {
    /// True if the choice matches `device`.
    pub(super) fn is(&self, device: &dyn Candidate) -> bool {
        match self {
            DeviceChoice::Auto => device.listed().is_real_gpu,
            DeviceChoice::Cpu => false,
            DeviceChoice::Adapter { .. } => self.to_string() == device.selector(),
            DeviceChoice::Name(part) => device.name().to_lowercase().contains(&part.to_lowercase()),
        }
    }
}

impl FromStr for DeviceChoice {
    type Err = std::convert::Infallible;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let adapter = || {
            let (name, index) = text.split_once(':')?;
            let interface = name.parse().ok()?;
            Some(DeviceChoice::Adapter {
                interface,
                index: index.parse().ok()?,
            })
        };
        Ok(match text.to_ascii_lowercase().as_str() {
            "auto" => DeviceChoice::Auto,
            "cpu" => DeviceChoice::Cpu,
            _ => adapter().unwrap_or_else(|| DeviceChoice::Name(text.to_string())),
        })
    }
}

impl std::fmt::Display for DeviceChoice {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            DeviceChoice::Auto => formatter.write_str("auto"),
            DeviceChoice::Cpu => formatter.write_str("cpu"),
            DeviceChoice::Adapter { interface, index } => write!(formatter, "{interface}:{index}"),
            DeviceChoice::Name(part) => formatter.write_str(part),
        }
    }
}

#[cfg(feature = "serde")]
impl serde::Serialize for DeviceChoice {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::backend::choose;
    use crate::error::Error;

    #[test]
    fn device_choice_displays_as_it_was_written() {
        for text in [
            "auto",
            "cpu",
            "cuda:0",
            "vulkan:1",
            "metal:2",
            "dx12:30",
            "cuda:x",
            "cuda",
            "NVIDIA H200",
        ] {
            let choice: DeviceChoice = text.parse().expect("any text is a choice");
            assert_eq!(choice.to_string(), text);
            let by_place = matches!(choice, DeviceChoice::Adapter { .. });
            assert_eq!(
                by_place,
                text.split_once(':')
                    .is_some_and(|(_, index)| index.parse::<usize>().is_ok()),
                "{text}"
            );
        }
        assert_eq!(
            "CUDA:3".parse(),
            Ok(DeviceChoice::Adapter {
                interface: Interface::Cuda,
                index: 3
            })
        );
    }

    #[test]
    fn device_choice_round_trips_for_any_text() {
        bolero::check!().with_type::<(String, u8, usize)>().for_each(|(text, interface, index)| {
            let name = ["cuda", "VULKAN", "metal", "dx12", "gpu"][usize::from(*interface) % 5];
            for text in [text.clone(), format!("{name}:{index}"), format!("{name}:{text}")] {
                let choice: DeviceChoice = text.parse().expect("any text is a choice");
                assert_eq!(choice.to_string().parse(), Ok(choice), "{text:?}");
            }
            let by_place: DeviceChoice = format!("{name}:{index}").parse().expect("any text is a choice");
            assert_eq!(
                matches!(by_place, DeviceChoice::Adapter { index: parsed, .. } if parsed == *index),
                name != "gpu"
            );
        });
    }

    #[test]
    fn missing_cuda_device_error_lists_the_available_devices() {
        let choice = DeviceChoice::Adapter {
            interface: Interface::Cuda,
            index: 99,
        };
        let Err(Error::UnknownDevice { wanted, available }) = choose(&choice) else {
            panic!("there are fewer devices")
        };
        assert_eq!(wanted, "cuda:99");
        assert!(
            available.contains("cpu")
                && (available.contains("no CUDA: ") || available.contains("cuda:0")),
            "{available}"
        );
    }
}
