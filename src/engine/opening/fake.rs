//! Devices of no machine, for the tests.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use crate::backend::wgpu::{Gpu, adapter};
use crate::backend::{
    Backend, Candidate, Capabilities, DeviceSession, Done, InParts, Listed, Pending, Shared, Span,
    Stamp,
};
use crate::error::{Error, Result};
use crate::kernels::Family;
use crate::plan::{BufferId, Pass, Plan};

/// The GPU of the tests, which claims to be a large one.
#[derive(Debug)]
pub(super) struct Boaster {
    gpu: Arc<dyn Backend>,
    pub claimed: Capabilities,
    described: Option<String>,
    pub is_lost: AtomicBool,
    /// What the stems of kernels begin with that do nothing.
    damaged: Option<&'static str>,
    /// The threads of the pool that opened the first session, and whether another one of them took up work.
    first: Mutex<Option<(usize, bool)>>,
}

/// How long anything here waits for what may never come.
const LONGEST_WAIT: Duration = Duration::from_secs(10);

/// Whether another thread of this pool takes up work of this one.
fn is_helped() -> bool {
    let (sender, receiver) = channel();
    rayon::join(
        move || receiver.recv_timeout(LONGEST_WAIT).is_ok(),
        move || sender.send(()).is_ok(),
    )
    .0
}

impl Boaster {
    pub(super) fn new(described: Option<String>, damaged: Option<&'static str>) -> Option<Self> {
        let gpu = Arc::new(Gpu::open(&adapter::of_tests()?, false).expect("the adapter opens"));
        let claimed = Capabilities {
            host_threads: None,
            compute_units: Some(100_000),
            ..*gpu.capabilities()
        };
        let (is_lost, first) = (AtomicBool::new(false), Mutex::new(None));
        Some(Self {
            gpu,
            claimed,
            described,
            is_lost,
            damaged,
            first,
        })
    }

    pub(super) fn first(&self) -> Option<(usize, bool)> {
        *self.first.lock().expect("unharmed")
    }
}

impl Backend for Boaster {
    fn name(&self) -> &str {
        self.gpu.name()
    }

    fn described(&self) -> Option<String> {
        self.described.clone()
    }

    fn capabilities(&self) -> &Capabilities {
        &self.claimed
    }

    fn is_lost(&self) -> bool {
        self.is_lost.load(Ordering::Relaxed)
    }

    fn shared(&self) -> &Arc<Shared> {
        self.gpu.shared()
    }

    fn open_session(&self) -> Result<Box<dyn DeviceSession>> {
        if self.is_lost() {
            let device = self.name().to_string();
            return Err(Error::DeviceLost {
                device,
                reason: "a test has lost it".to_string(),
                remedy: "",
            });
        }
        if self.first().is_none() {
            let threads = rayon::current_num_threads();
            let first = (threads, threads > 1 && is_helped());
            self.first.lock().expect("unharmed").get_or_insert(first);
        }
        Ok(Box::new(Damaged {
            session: self.gpu.open_session()?,
            stems: self.damaged,
            is_damaged: false,
        }))
    }
}

/// A session whose plans do nothing where they have a kernel that is damaged.
struct Damaged {
    session: Box<dyn DeviceSession>,
    stems: Option<&'static str>,
    is_damaged: bool,
}

impl DeviceSession for Damaged {
    fn retain(&mut self, kept: &[BufferId]) {
        self.session.retain(kept);
    }

    fn load(&mut self, plan: &mut Plan, kept: &[Option<BufferId>], limit_bytes: u64) -> Result<()> {
        self.is_damaged = plan
            .kernels
            .iter()
            .any(|kernel| self.stems.is_some_and(|stem| kernel.stem.starts_with(stem)));
        self.session.load(plan, kept, limit_bytes)
    }

    fn in_parts(&mut self) -> Option<&mut dyn InParts> {
        self.session.in_parts()
    }

    fn submit(&mut self, passes: &[Pass], stamp: Stamp, spans: &[Span]) -> Result<Pending<Done>> {
        self.session
            .submit(if self.is_damaged { &[] } else { passes }, stamp, spans)
    }
}

/// A device of no machine, which opens as the boaster or not at all.
#[derive(Debug)]
pub(super) struct Offered {
    pub listed: Listed,
    pub opens: Option<Arc<dyn Backend>>,
    /// What its opening waits for, if anything.
    pub until: Mutex<Option<Receiver<()>>>,
    pub trust: Trust,
}

/// Which families of kernels have shown whether they are right.
pub(super) type Trust = Arc<Mutex<HashMap<Family, bool>>>;

/// All of them have, and are.
pub(super) fn trusted() -> Trust {
    Arc::new(Mutex::new(Family::ALL.map(|family| (family, true)).into()))
}

impl Candidate for Offered {
    fn selector(&self) -> String {
        self.listed.selector.clone()
    }

    fn name(&self) -> String {
        self.listed.name.clone()
    }

    fn listed(&self) -> Listed {
        self.listed.clone()
    }

    fn open(&self, _checked: bool, _portable: bool) -> Result<Arc<dyn Backend>> {
        if let Some(until) = self.until.lock().expect("unharmed").take() {
            let _ = until.recv_timeout(LONGEST_WAIT);
        }
        let closed = || Error::DeviceUnavailable {
            device: self.name(),
            reason: "a test keeps it closed".to_string(),
        };
        self.opens.clone().ok_or_else(closed)
    }

    fn is_trusted(&self, family: Family) -> Option<bool> {
        self.trust.lock().expect("unharmed").get(&family).copied()
    }

    fn keep_trust(&self, family: Family, gives_known_answers: Option<bool>) {
        self.trust
            .lock()
            .expect("unharmed")
            .insert(family, gives_known_answers == Some(true));
    }
}
