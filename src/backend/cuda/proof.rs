//! Whether devices have given known answers: what `auto` goes by, kept beside the code of kernels.

use std::collections::HashMap;
use std::sync::{LazyLock, Mutex, MutexGuard, PoisonError};

use super::embedded::origin;
use super::pipelines::Target;
use super::{compiler, source};
use crate::host::cache::{Cache, digest};
use crate::kernels::Family;

/// What a device has shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Proof {
    /// It has given the known answers.
    Right,
    /// It has given others.
    Wrong,
    /// It could not be asked in this process.
    NotAsked,
}

/// What programs keep of a proof: nothing where there is none.
const KEPT: [(Proof, u8); 2] = [(Proof::Right, 1), (Proof::Wrong, 0)];

/// What this process knows, by the same keys.
static KNOWN: Mutex<Option<HashMap<String, Proof>>> = Mutex::new(None);

fn known() -> MutexGuard<'static, Option<HashMap<String, Proof>>> {
    KNOWN.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What a proof is of.
#[derive(Clone, Debug)]
pub(super) struct Proven {
    pub device: String,
    /// What tells it from others of its name, where the driver does.
    pub uuid: Option<[u8; 16]>,
    pub target: Target,
    /// The driver's build, where the system tells it; else the driver is known by its version of CUDA alone.
    pub build: Option<String>,
}

impl Proven {
    /// All that answers of a family's kernels depend on: the device, its driver, what compiles kernels, and their texts.
    fn key(&self, family: Family) -> String {
        static TEXTS: LazyLock<u64> =
            LazyLock::new(|| digest(source::texts().collect::<String>().as_bytes()));
        let Self {
            device,
            uuid,
            target: Target { capability, driver },
            build,
        } = self;
        let (version, compiled, texts) = (
            env!("CARGO_PKG_VERSION"),
            (origin(), compiler::build().ok()),
            *TEXTS,
        );
        format!(
            "{family:?}: known answers of {device} {uuid:?} {capability:?}, driver {driver} {build:?}, {version} {compiled:?} {texts:x}"
        )
    }
}

/// What the device has shown of kernels of a family, in this process or to an earlier one.
pub(super) fn of(proven: &Proven, family: Family) -> Option<Proof> {
    let key = proven.key(family);
    let kept = || {
        let byte = *Cache::for_user("cuda").load(&key)?.first()?;
        KEPT.into_iter()
            .find_map(|(proof, kept)| (kept == byte).then_some(proof))
    };
    known()
        .as_ref()
        .and_then(|known| known.get(&key).copied())
        .or_else(kept)
}

/// Keeps what the device has shown; that it could not be asked, for this process alone.
pub(super) fn keep(proven: &Proven, family: Family, proof: Proof) {
    let key = proven.key(family);
    if let Some((_, byte)) = KEPT.into_iter().find(|(kept, _)| *kept == proof) {
        Cache::for_user("cuda").store(&key, &[byte]);
    }
    known().get_or_insert_default().insert(key, proof);
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn a_proof_is_of_one_family_one_card_and_one_build_of_its_driver() {
        let target = Target {
            capability: (9, 0),
            driver: 12_080,
        };
        let (uuid, build) = (Some([7; 16]), Some("570.86.15".to_string()));
        let proven = Proven {
            device: "GPU".to_string(),
            uuid,
            target,
            build,
        };
        let others = [
            Proven {
                device: "GPU 2".to_string(),
                ..proven.clone()
            },
            Proven {
                uuid: Some([8; 16]),
                ..proven.clone()
            },
            Proven {
                uuid: None,
                ..proven.clone()
            },
            Proven {
                target: Target {
                    capability: (9, 1),
                    ..target
                },
                ..proven.clone()
            },
            Proven {
                target: Target {
                    driver: 12_090,
                    ..target
                },
                ..proven.clone()
            },
            Proven {
                build: Some("570.124.06".to_string()),
                ..proven.clone()
            },
            Proven {
                build: None,
                ..proven.clone()
            },
        ];
        let of_each = |proven: &Proven| Family::ALL.map(|family| proven.key(family));
        let keys: HashSet<_> = others.iter().chain([&proven]).flat_map(of_each).collect();
        assert_eq!(
            keys.len(),
            (others.len() + 1) * Family::ALL.len(),
            "{keys:?}"
        );
        assert_eq!(of_each(&proven.clone()), of_each(&proven));
    }
}
