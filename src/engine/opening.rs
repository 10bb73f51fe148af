//! The engine's GPU: when it is listed and opened, and what a decision may know of it before.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use super::probe::{self, Probe as _};
use super::profile::found::{Found, Speed, Start};
use super::profile::timed;
use super::{CPU, Engine, Inner, Options, profile};
use crate::backend::{self, Backend, Candidate, Capabilities, DeviceChoice, Interface, Listed};
use crate::error::Result;

/// What is known of the GPU.
#[derive(Debug)]
pub(super) enum Opened {
    /// Nobody has needed it yet.
    NotYet,
    /// There is none, or the CPU was asked for.
    None,
    /// This one is there, and nobody has needed it yet.
    Listed { candidate: Box<dyn Candidate>, found: Found },
    /// Ready.
    Gpu { gpu: Arc<dyn Backend>, found: Found },
}

/// Whether this process has listed adapters before.
static LISTED: AtomicBool = AtomicBool::new(false);
/// Where it is kept how soon any device was open.
const ANY_DEVICE: &str = "any device";

/// Where it is kept what was found out about a device.
fn described(Listed { selector, name, driver, .. }: &Listed) -> String {
    format!("{selector}, {name}, {driver}")
}

impl Opened {
    pub(super) fn ready(gpu: Arc<dyn Backend>) -> Self {
        Self::Gpu { gpu, found: Found::default() }
    }

    /// Opens what is asked for.
    pub(super) fn open(options: &Options) -> Result<Self> {
        match backend::choose(&options.device)? {
            Some(candidate) => Ok(Self::ready(candidate.open(options.checked, options.portable)?)),
            None => Ok(Self::None),
        }
    }
}

/// A GPU as a decision sees it, open or not.
#[derive(Clone, Debug)]
pub(crate) struct Prospect {
    /// The adapter's name.
    pub name: String,
    pub capabilities: Capabilities,
    /// Device memory that plans may take.
    pub budget_bytes: u64,
    /// Seconds until a first pass can run, and for the call around it.
    pub opening: f64,
    /// What expected times are to be multiplied by.
    pub pace: f64,
}

impl Prospect {
    /// Seconds of a whole call whose passes take so many by the figures.
    pub fn call_seconds(&self, passes: f64) -> f64 {
        passes * self.pace + self.opening
    }

    /// The same as a time.
    pub fn expected(&self, passes: f64) -> Duration {
        Duration::from_secs_f64(self.call_seconds(passes))
    }
}

/// A decision that may want a GPU.
pub(crate) trait Decided {
    /// What was known of it.
    fn prospect(&self) -> Option<&Prospect>;
}

impl Decided for Option<Prospect> {
    fn prospect(&self) -> Option<&Prospect> {
        self.as_ref()
    }
}

impl Engine {
    /// The engine's GPU, where it has one; adapters are not listed for it where that alone takes longer than the `elsewhere` seconds
    /// that the answer takes on the CPU.
    ///
    /// # Errors
    /// [`Error::UnknownDevice`](crate::Error::UnknownDevice).
    pub(crate) fn prospect(&self, elsewhere: f64) -> Result<Option<Prospect>> {
        let mut opened = self.opened();
        if matches!(*opened, Opened::NotYet) {
            let short = elsewhere < profile::gpu::WORTH_OPENING_SLOWLY_SECONDS;
            if elsewhere < profile::gpu::LEAST_OPENING_SECONDS || elsewhere < self.starting_seconds() {
                return Ok(None);
            }
            *opened = self.chosen(short)?;
        }
        let (name, capabilities, opening, found) = match &*opened {
            Opened::NotYet | Opened::None => return Ok(None),
            Opened::Listed { candidate, found } => {
                let listed = candidate.listed();
                let slow = if listed.interface.opens_slowly() { profile::gpu::SLOW_OPENING_SECONDS } else { 0.0 };
                let opening = found.start.opening.unwrap_or(profile::gpu::OPENING_SECONDS + slow);
                (listed.name, listed.capabilities, opening + profile::gpu::BUILDING_SECONDS, found)
            }
            Opened::Gpu { gpu, found } => (gpu.name().to_string(), *gpu.capabilities(), 0.0, found),
        };
        let budget_bytes = self.device_budget_of(&capabilities);
        let Speed { call, pace } = found.speed.unwrap_or(Speed { call: profile::gpu::SUBMISSION_SECONDS, pace: 1.0 });
        let opening = opening + call;
        Ok(Some(Prospect { name, capabilities, budget_bytes, opening, pace }))
    }

    /// Seconds until the GPU is open that this engine chooses, of which nothing is known but what earlier processes have kept.
    fn starting_seconds(&self) -> f64 {
        let kept = if self.chooses_device() { Start::kept(ANY_DEVICE) } else { Start::default() };
        kept.listing.unwrap_or(profile::gpu::LISTING_SECONDS) + kept.opening.unwrap_or(profile::gpu::OPENING_SECONDS)
    }

    /// The GPU that [`prospect`](Self::prospect) has told of, opened where it is not, or was lost. Where the engine chooses, one that
    /// cannot be opened is passed over, at last for the CPU.
    ///
    /// # Errors
    /// [`Error::UnknownDevice`](crate::Error::UnknownDevice) and [`Error::DeviceUnavailable`](crate::Error::DeviceUnavailable).
    pub(crate) fn gpu(&self) -> Result<Option<Arc<dyn Backend>>> {
        let mut opened = self.opened();
        match &*opened {
            Opened::NotYet => *opened = self.chosen(false)?,
            Opened::Gpu { gpu, .. } if gpu.is_lost() && gpu.opens_again() => *opened = self.chosen(false)?,
            Opened::Listed { .. } | Opened::None | Opened::Gpu { .. } => {}
        }
        while let Opened::Listed { candidate, found } = &*opened {
            *opened = match self.open(&**candidate, *found) {
                Err(_) if self.chooses_device() => self.chosen_instead(&**candidate)?,
                opened => opened?,
            };
        }
        Ok(match &*opened {
            Opened::Gpu { gpu, .. } => Some(gpu.clone()),
            _ => None,
        })
    }

    /// The GPU that is meant, which nobody has opened yet. Where the engine chooses, one that may give wrong answers is opened and asked
    /// for known ones, and passed over where it cannot be opened or gives others; so it is once for each of its drivers.
    fn chosen(&self, short: bool) -> Result<Opened> {
        let options = &self.0.options;
        loop {
            let (candidate, listing) = timed(|| backend::choose_for(&options.device, short));
            let Some(candidate) = candidate? else { return Ok(Opened::None) };
            if !self.chooses_device() {
                return Ok(Opened::Listed { candidate, found: Found::default() });
            }
            // Drivers start but once in a process.
            let listing = (!LISTED.swap(true, Ordering::Relaxed)).then_some(listing.as_secs_f64());
            let mut found = Found::kept(&described(&candidate.listed()));
            found.start.listing = listing;
            if candidate.is_trusted().is_some() {
                return Ok(Opened::Listed { candidate, found });
            }
            let opened = self.open(&*candidate, found);
            let answers = match &opened {
                Ok(Opened::Gpu { gpu, .. }) => self.alone_on(gpu).gives_known_answers(&**gpu).ok(),
                _ => None,
            };
            candidate.keep_trust(answers);
            if answers == Some(true) {
                return opened;
            }
        }
    }

    /// The GPU that is meant in place of one that cannot be opened; none where nothing else is.
    fn chosen_instead(&self, closed: &dyn Candidate) -> Result<Opened> {
        closed.keep_trust(None);
        let chosen = self.chosen(false)?;
        let same = matches!(&chosen, Opened::Listed { candidate, .. } if candidate.selector() == closed.selector());
        Ok(if same { Opened::None } else { chosen })
    }

    /// Opens a device; where the engine chooses one of which less is known, that is found out, and kept.
    fn open(&self, candidate: &dyn Candidate, mut found: Found) -> Result<Opened> {
        let (gpu, opening) = timed(|| candidate.open(self.0.options.checked, self.0.options.portable));
        let gpu = gpu?;
        if self.chooses_device() {
            // Others are none that any process chooses.
            let kept = Some(candidate.listed()).filter(|listed| listed.is_real_gpu).map(|listed| described(&listed));
            let start = Start { opening: Some(opening.as_secs_f64()), ..found.start };
            if let Some(device) = &kept {
                start.keep(ANY_DEVICE);
                start.keep(device);
            }
            if found.speed.is_none() {
                // Where it cannot be asked, the figures do.
                found.speed = probe::speed(&self.alone_on(&gpu), &*gpu).ok();
                if let (Some(speed), Some(device)) = (found.speed, &kept) {
                    speed.keep(device);
                }
            }
        }
        Ok(Opened::Gpu { gpu, found })
    }

    /// An engine on that device alone.
    fn alone_on(&self, gpu: &Arc<dyn Backend>) -> Engine {
        let options = Options { device: DeviceChoice::Name(gpu.name().to_string()), ..self.0.options.clone() };
        Engine(Arc::new(Inner { options, gpu: Mutex::new(Opened::ready(gpu.clone())), threads: None }))
    }

    /// The GPU, where one was asked for, or the engine chooses and the GPU is expected to be faster, its opening included.
    ///
    /// # Errors
    /// As [`gpu`](Self::gpu).
    pub(crate) fn gpu_if_faster(
        &self,
        on_cpu: f64,
        on_gpu: impl Fn(&Capabilities) -> f64,
    ) -> Result<Option<Arc<dyn Backend>>> {
        Ok(self.decided(|| self.prospect_if_faster(on_cpu, &on_gpu))?.1)
    }

    /// What is decided, and the GPU that it wants, open; decided once more where opening it has told that it is slower than it seemed,
    /// or is not to be had.
    ///
    /// # Errors
    /// Those of `decide`, and as [`gpu`](Self::gpu).
    pub(crate) fn decided<D: Decided>(&self, decide: impl Fn() -> Result<D>) -> Result<(D, Option<Arc<dyn Backend>>)> {
        let decided = decide()?;
        let Some(before) = decided.prospect().map(|prospect| prospect.pace) else { return Ok((decided, None)) };
        let gpu = self.gpu()?;
        let pace = match &*self.opened() {
            Opened::Gpu { found, .. } => found.speed.map_or(1.0, |speed| speed.pace),
            _ => f64::INFINITY,
        };
        let decided = if pace > before { decide()? } else { decided };
        let gpu = gpu.filter(|_| decided.prospect().is_some());
        Ok((decided, gpu))
    }

    /// What a decision knows of that GPU, without opening it.
    ///
    /// # Errors
    /// As [`prospect`](Self::prospect).
    pub(crate) fn prospect_if_faster(
        &self,
        on_cpu: f64,
        on_gpu: impl Fn(&Capabilities) -> f64,
    ) -> Result<Option<Prospect>> {
        let is_faster = |prospect: &Prospect| {
            !self.chooses_device() || prospect.call_seconds(on_gpu(&prospect.capabilities)) < on_cpu
        };
        Ok(self.prospect(on_cpu)?.filter(is_faster))
    }

    /// Learns from a sweep on the open GPU that took so long, where that tells something, from how long it was expected to take.
    pub(crate) fn note_pace(&self, took: f64, expected: impl FnOnce() -> Result<f64>) {
        if took < profile::gpu::TELLING_SECONDS {
            return;
        }
        let Ok(expected) = expected() else { return };
        if let Opened::Gpu { found, .. } = &mut *self.opened() {
            let (least, greatest) = profile::gpu::PACES;
            let call = found.speed.map_or(profile::gpu::SUBMISSION_SECONDS, |speed| speed.call);
            found.speed = Some(Speed { call, pace: (took / expected.max(1e-9)).clamp(least, greatest) });
        }
    }

    /// What drives the device of this name that has answered.
    pub(super) fn interface(&self, device: &str) -> Option<Interface> {
        // Answers of the CPU do not wait for a GPU that another thread opens.
        if device == CPU {
            return None;
        }
        match &*self.opened() {
            Opened::Gpu { gpu, .. } => gpu.interface(),
            _ => None,
        }
    }

    /// Whether the device is this engine's own choice.
    pub(crate) fn chooses_device(&self) -> bool {
        self.0.options.device == DeviceChoice::Auto
    }

    fn opened(&self) -> MutexGuard<'_, Opened> {
        self.0.gpu.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(all(test, feature = "gpu"))]
mod tests {
    use super::*;
    use crate::backend::wgpu::{Gpu, adapter};
    use crate::backend::{DeviceSession, Shared};
    use crate::engine::letters;
    use crate::error::Error;
    use crate::lcs::Method;
    use crate::parenthesization::{self, MatrixChain};
    use crate::sort::RadixSort;
    use crate::{Edit, Lcs, Parenthesize, Scs, Substring, substring, supersequence};

    /// The GPU of the tests, which claims to be a large one.
    #[derive(Debug)]
    struct Boaster {
        gpu: Arc<dyn Backend>,
        claimed: Capabilities,
    }

    impl Backend for Boaster {
        fn name(&self) -> &str {
            self.gpu.name()
        }

        fn capabilities(&self) -> &Capabilities {
            &self.claimed
        }

        fn shared(&self) -> &Arc<Shared> {
            self.gpu.shared()
        }

        fn open_session(&self) -> Result<Box<dyn DeviceSession>> {
            self.gpu.open_session()
        }
    }

    /// A device of no machine, which opens as the boaster or not at all.
    #[derive(Debug)]
    struct Offered {
        listed: Listed,
        opens: Option<Arc<dyn Backend>>,
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
            let closed =
                || Error::DeviceUnavailable { device: self.name(), reason: "a test keeps it closed".to_string() };
            self.opens.clone().ok_or_else(closed)
        }
    }

    /// An engine that has such a device to choose, of which so much is known.
    fn engine(opens: bool, found: Found) -> Option<Engine> {
        let candidate = adapter::candidates().into_iter().next()?;
        let gpu = Arc::new(Gpu::open(&candidate, false).expect("the adapter opens"));
        let claimed = Capabilities { host_threads: None, compute_units: Some(100_000), ..*gpu.capabilities() };
        let boaster = Boaster { gpu, claimed };
        let mut listed = candidate.listed();
        (listed.selector, listed.capabilities) = ("vulkan:99".to_string(), claimed);
        let opens = opens.then(|| Arc::new(boaster) as Arc<dyn Backend>);
        let candidate = Box::new(Offered { listed, opens });
        let gpu = Mutex::new(Opened::Listed { candidate, found });
        Some(Engine(Arc::new(Inner { options: Options::default(), gpu, threads: None })))
    }

    /// The device that answers by a table of which a large GPU is expected to need next to nothing.
    fn device(engine: &Engine) -> String {
        let (a, b) = (letters(6_000, 1), letters(6_000, 2));
        let report = engine.run(&Lcs::of(&a, &b).method(Method::BitParallel)).expect("some device answers");
        assert_eq!(report.length, engine_on_cpu().run(&Lcs::of(&a, &b)).expect("the CPU answers").length);
        report.run.device
    }

    fn engine_on_cpu() -> Engine {
        Engine::new(Options::new().device(DeviceChoice::Cpu)).expect("it is there")
    }

    /// Open before it was asked for, and a call and all its passes take nothing.
    const FAST: Found =
        Found { start: Start { listing: None, opening: Some(-1.0) }, speed: Some(Speed { call: 0.0, pace: 1e-9 }) };

    #[test]
    fn a_device_that_is_known_to_be_fast_is_taken_and_asked_nothing() {
        let Some(engine) = engine(true, FAST) else { return };
        assert_ne!(device(&engine), CPU);
        assert!(matches!(&*engine.opened(), Opened::Gpu { found, .. } if *found == FAST));
    }

    #[test]
    fn plans_take_a_device_that_is_listed_and_leave_it_closed() {
        // Open as soon as it is wanted.
        let opening = Some(-profile::gpu::BUILDING_SECONDS);
        let Some(engine) = engine(true, Found { start: Start { opening, ..FAST.start }, ..FAST }) else { return };
        let (a, b) = (letters(6_000, 1), letters(6_000, 2));
        let chain = MatrixChain::new(vec![7; 900]);
        let keys: Vec<u32> = (0..1 << 20).rev().collect();
        let scs = |method| engine.plan(&Scs::of(&a, &b).method(method).path());
        let plans = [
            engine.plan(&Lcs::of(&a, &b).method(Method::BitParallel)),
            engine.plan(&Edit::of(&a, &b).infix()),
            scs(supersequence::Method::Banded),
            scs(supersequence::Method::RowWise),
            scs(supersequence::Method::AntiDiagonal),
            engine.plan(&Parenthesize::of(&chain).method(parenthesization::Method::Tiled)),
            engine.plan(&Substring::of(&a, &b).method(substring::Method::Cascade)),
            engine.plan(&RadixSort::of(&keys)),
        ];
        for plan in plans {
            let plan = plan.expect("it plans");
            assert_ne!(plan.device, CPU, "{plan:?}");
        }
        assert!(matches!(&*engine.opened(), Opened::Listed { .. }), "a plan has opened the device");
    }

    #[test]
    fn a_device_that_is_far_slower_than_it_seems_is_found_out_when_it_is_opened_and_the_cpu_answers() {
        let Some(engine) = engine(true, Found { speed: None, ..FAST }) else { return };
        assert_eq!(device(&engine), CPU);
        assert!(
            matches!(&*engine.opened(), Opened::Gpu { found: Found { speed: Some(speed), .. }, .. } if speed.pace > 2.0)
        );
    }

    #[test]
    fn a_device_that_does_not_open_is_passed_over_for_the_cpu_where_the_engine_chose_it() {
        let Some(engine) = engine(false, FAST) else { return };
        assert_eq!((device(&engine).as_str(), device(&engine).as_str()), (CPU, CPU));
        assert!(matches!(&*engine.opened(), Opened::None));
    }
}
