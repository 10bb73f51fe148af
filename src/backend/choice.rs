//! Selection of a device.

use std::str::FromStr;

use super::candidate::Candidate;
use super::interface::Interface;

/// Selection of the device that computes the answer.
///
/// Parsed from `auto`, `cpu`, `cuda:N`, `vulkan:N`, `metal:N`, `dx12:N`, a part of an adapter's
/// name, all devices of an interface (`cuda:all`), or several of these with an index, separated by
/// commas (`cuda:0,cuda:1`).
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
        interface: Interface,
        /// Index in the list of that interface, from 0.
        index: usize,
    },
    /// The first adapter whose name contains this text, ignoring case.
    Name(String),
    /// All adapters of one interface but software adapters.
    All(Interface),
    /// Several devices, which divide lists, joins and searches. Another call takes the one with the
    /// fewest calls.
    Several(Vec<DeviceChoice>),
}

impl DeviceChoice {
    /// True if the choice matches `device`.
    pub(super) fn is(&self, device: &dyn Candidate) -> bool {
        match self {
            DeviceChoice::Auto => device.listed().is_real_gpu,
            DeviceChoice::Cpu => false,
            DeviceChoice::Adapter { .. } => self.to_string() == device.selector(),
            DeviceChoice::Name(part) => device.name().to_lowercase().contains(&part.to_lowercase()),
            DeviceChoice::All(interface) => {
                let listed = device.listed();
                listed.interface == *interface && listed.is_real_gpu
            }
            DeviceChoice::Several(choices) => choices.iter().any(|choice| choice.is(device)),
        }
    }

    /// True if devices of this interface may match.
    pub(super) fn may_be(&self, interface: Interface) -> bool {
        match self {
            DeviceChoice::Cpu => false,
            DeviceChoice::Auto | DeviceChoice::Name(_) => true,
            DeviceChoice::Adapter {
                interface: wanted, ..
            }
            | DeviceChoice::All(wanted) => *wanted == interface,
            DeviceChoice::Several(choices) => choices.iter().any(|choice| choice.may_be(interface)),
        }
    }

    /// A choice by interface: `cuda:0` or `cuda:all`.
    fn by_interface(text: &str) -> Option<Self> {
        let (name, index) = text.split_once(':')?;
        let interface = name.parse().ok()?;
        if index.eq_ignore_ascii_case("all") {
            return Some(DeviceChoice::All(interface));
        }
        let index = index.parse().ok()?;
        Some(DeviceChoice::Adapter { interface, index })
    }
}

impl FromStr for DeviceChoice {
    type Err = std::convert::Infallible;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let name = || DeviceChoice::Name(text.to_string());
        Ok(match text.to_ascii_lowercase().as_str() {
            "auto" => DeviceChoice::Auto,
            "cpu" => DeviceChoice::Cpu,
            // Names of adapters contain commas, too.
            _ if text.contains(',') => {
                let choices = text.split(',').map(DeviceChoice::by_interface);
                let choices: Option<_> = choices.collect();
                choices.map_or_else(name, DeviceChoice::Several)
            }
            _ => DeviceChoice::by_interface(text).unwrap_or_else(name),
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
            DeviceChoice::All(interface) => write!(formatter, "{interface}:all"),
            DeviceChoice::Several(choices) => {
                let names: Vec<_> = choices.iter().map(ToString::to_string).collect();
                formatter.write_str(&names.join(","))
            }
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
            "cuda:all",
            "cuda:0,vulkan:all,metal:3",
            "llvmpipe (LLVM 15.0.6, 256 bits)",
            "cuda:0,auto",
        ] {
            let choice: DeviceChoice = text.parse().expect("any text is a choice");
            assert_eq!(choice.to_string(), text);
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
    fn names_with_commas_are_names_unless_every_part_is_a_device() {
        let adapter = |interface, index| DeviceChoice::Adapter { interface, index };
        let of = |text: &str| text.parse::<DeviceChoice>();
        let both = vec![
            adapter(Interface::Cuda, 0),
            DeviceChoice::All(Interface::Vulkan),
        ];
        assert_eq!(of("cuda:0,VULKAN:ALL"), Ok(DeviceChoice::Several(both)));
        for name in [
            "llvmpipe (LLVM 15.0.6, 256 bits)",
            "cuda:0,",
            ",",
            "cuda:0,RTX",
        ] {
            assert_eq!(of(name), Ok(DeviceChoice::Name(name.to_string())));
        }
    }

    #[test]
    fn several_devices_become_one_choice_each_without_repetition() {
        let of = |text: &str| {
            let choice: DeviceChoice = text.parse().expect("any text is a choice");
            crate::backend::single_choices(&choice).map(|single| {
                let names = single.iter().map(ToString::to_string);
                names.collect::<Vec<_>>().join(" ")
            })
        };
        assert_eq!(
            of("cuda:1,cuda:0,cuda:1").expect("not looked up"),
            "cuda:1 cuda:0"
        );
        assert_eq!(of("auto").expect("not looked up"), "auto");
        // No machine has all of these.
        let missing = ["cuda:all", "metal:all", "dx12:all"].map(of);
        assert!(missing.iter().any(|found| matches!(
            found,
            Err(Error::UnknownDevice { wanted, .. }) if wanted.ends_with(":all")
        )));
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
