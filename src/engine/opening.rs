//! The engine's GPU: when it is listed and opened, and what a decision may know of it before.

use std::panic::resume_unwind;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use super::probe::{self, Probe as _};
use super::profile::found::{Found, Speed, Start};
use super::profile::timed;
use super::{CPU, Engine, Inner, Options, no_thread, profile, start_threads};
use crate::backend::{self, Backend, Candidate, Capabilities, DeviceChoice, Interface};
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
    /// Ready. What is found out of it is kept as that of a device of this description, if it has one.
    Gpu { gpu: Arc<dyn Backend>, found: Found, described: Option<String> },
}

/// Whether this process has listed adapters before.
static LISTED: AtomicBool = AtomicBool::new(false);
/// Where it is kept how soon any device was open.
const ANY_DEVICE: &str = "any device";

impl Opened {
    /// A device of which nothing is known or kept.
    pub(super) fn ready(gpu: Arc<dyn Backend>) -> Self {
        Self::Gpu { gpu, found: Found::default(), described: None }
    }

    /// A device that is asked for: it is asked nothing, so what is known of its speed is what earlier calls have kept.
    pub(super) fn named(gpu: Arc<dyn Backend>) -> Self {
        let described = gpu.described();
        let found = Found { speed: described.as_deref().and_then(Speed::kept), ..Found::default() };
        Self::Gpu { gpu, found, described }
    }

    /// Opens what is asked for.
    pub(super) fn open(options: &Options) -> Result<Self> {
        match backend::choose(&options.device)? {
            Some(candidate) => Ok(Self::named(candidate.open(options.checked, options.portable)?)),
            None => Ok(Self::None),
        }
    }
}

/// Seconds until a first pass can run on a device that is not open.
fn opening_seconds(found: &Found, interface: Option<Interface>) -> f64 {
    let slow = if interface.is_some_and(Interface::opens_slowly) { profile::gpu::SLOW_OPENING_SECONDS } else { 0.0 };
    found.start.opening.unwrap_or(profile::gpu::OPENING_SECONDS + slow) + profile::gpu::BUILDING_SECONDS
}

/// Whether nothing runs on a device until it is opened again.
fn must_be_reopened(gpu: &dyn Backend) -> bool {
    gpu.is_lost() && gpu.opens_again()
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
                let opening = opening_seconds(found, Some(listed.interface));
                (listed.name, listed.capabilities, opening, found)
            }
            Opened::Gpu { gpu, found, .. } => {
                let closed = must_be_reopened(&**gpu);
                let opening = if closed { opening_seconds(found, gpu.interface()) } else { 0.0 };
                (gpu.name().to_string(), *gpu.capabilities(), opening, found)
            }
        };
        let budget_bytes = self.device_budget_of(&capabilities);
        let Speed { call, pace } = found.speed.unwrap_or(Speed { call: None, pace: 1.0 });
        let opening = opening + call.unwrap_or(profile::gpu::SUBMISSION_SECONDS);
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
            Opened::Gpu { gpu, .. } if must_be_reopened(&**gpu) => *opened = self.chosen(false)?,
            Opened::Listed { .. } | Opened::None | Opened::Gpu { .. } => {}
        }
        while let Opened::Listed { candidate, found } = &*opened {
            *opened = match self.open(&**candidate, *found) {
                Ok(ready) if self.is_right(&**candidate, &ready) => ready,
                Ok(_) => self.chosen(false)?,
                Err(_) if self.chooses_device() => self.chosen_instead(&**candidate)?,
                Err(error) => return Err(error),
            };
        }
        Ok(match &*opened {
            Opened::Gpu { gpu, .. } => Some(gpu.clone()),
            _ => None,
        })
    }

    /// The GPU that is meant, which nobody has opened yet.
    fn chosen(&self, short: bool) -> Result<Opened> {
        let (candidate, listing) = timed(|| backend::choose_for(&self.0.options.device, short));
        let Some(candidate) = candidate? else { return Ok(Opened::None) };
        if !self.chooses_device() {
            return Ok(Opened::Listed { candidate, found: Found::default() });
        }
        // Drivers start but once in a process.
        let listing = (!LISTED.swap(true, Ordering::Relaxed)).then_some(listing.as_secs_f64());
        let mut found = candidate.listed().described().as_deref().map(Found::kept).unwrap_or_default();
        found.start.listing = listing;
        Ok(Opened::Listed { candidate, found })
    }

    /// Whether answers of a device that is open now may be believed. Where the engine chooses one that may give wrong answers it is asked
    /// for known ones, once for each of its drivers; whoever gives others, or none, is not chosen again.
    fn is_right(&self, candidate: &dyn Candidate, opened: &Opened) -> bool {
        if !self.chooses_device() || candidate.is_trusted().is_some() {
            return true;
        }
        let answers = match opened {
            Opened::Gpu { gpu, .. } => self.on_own_threads(gpu, |alone| alone.gives_known_answers(&**gpu)).ok(),
            _ => None,
        };
        candidate.keep_trust(answers);
        answers == Some(true)
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
        if !self.chooses_device() {
            return Ok(Opened::named(gpu));
        }
        let described = candidate.listed().described();
        let start = Start { opening: Some(opening.as_secs_f64()), ..found.start };
        if let Some(device) = &described {
            start.keep(ANY_DEVICE);
            start.keep(device);
        }
        // Calls on a device that was asked for tell nothing of a call's own time.
        if found.speed.is_none_or(|speed| speed.call.is_none()) {
            // Where it cannot be asked, the figures do.
            found.speed = self.on_own_threads(&gpu, |alone| probe::speed(alone, &*gpu)).ok().or(found.speed);
            if let (Some(speed), Some(device)) = (found.speed, &described) {
                speed.keep(device);
            }
        }
        Ok(Opened::Gpu { gpu, found, described })
    }

    /// Does `what` with an engine on that device alone. Whoever wants it holds what other calls wait for, and may be on a thread of
    /// a pool whose other threads run those: the work is done on threads of its own, as many as this engine's, and this one takes up
    /// nothing else meanwhile.
    fn on_own_threads<T: Send>(
        &self,
        gpu: &Arc<dyn Backend>,
        what: impl FnOnce(&Engine) -> Result<T> + Send,
    ) -> Result<T> {
        let options = Options { device: DeviceChoice::Name(gpu.name().to_string()), ..self.0.options.clone() };
        let threads = Some(start_threads(self.threads())?);
        let alone = Engine(Arc::new(Inner { options, gpu: Mutex::new(Opened::ready(gpu.clone())), threads }));
        let asking = || alone.on_threads(|| what(&alone));
        std::thread::scope(|scope| {
            let asked = std::thread::Builder::new().name("swath".to_string()).spawn_scoped(scope, asking);
            let asked = asked.map_err(|error| no_thread(&error))?;
            asked.join().unwrap_or_else(|panic| resume_unwind(panic))
        })
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
    /// or not to be had, or not to be believed.
    ///
    /// # Errors
    /// Those of `decide`, and as [`gpu`](Self::gpu).
    pub(crate) fn decided<D: Decided>(&self, decide: impl Fn() -> Result<D>) -> Result<(D, Option<Arc<dyn Backend>>)> {
        let decided = decide()?;
        let Some(Prospect { name, pace: before, .. }) = decided.prospect() else { return Ok((decided, None)) };
        let gpu = self.gpu()?;
        let pace = match &*self.opened() {
            Opened::Gpu { gpu, found, .. } if gpu.name() == name => found.speed.map_or(1.0, |speed| speed.pace),
            _ => f64::INFINITY,
        };
        let decided = if pace > *before { decide()? } else { decided };
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

    /// Learns from a sweep on the open GPU that took so long, where that tells something, from how long it was expected to take. Kernels
    /// that are checked, or do without what the device has, tell nothing of others.
    pub(crate) fn note_pace(&self, took: f64, expected: impl FnOnce() -> Result<f64>) {
        let Options { checked, portable, .. } = self.0.options;
        if took < profile::gpu::TELLING_SECONDS || checked || portable {
            return;
        }
        let Ok(expected) = expected() else { return };
        let (speed, device) = match &mut *self.opened() {
            Opened::Gpu { found, described, .. } => {
                let (least, greatest) = profile::gpu::PACES;
                let call = found.speed.and_then(|speed| speed.call);
                let speed = Speed { call, pace: (took / expected.max(1e-9)).clamp(least, greatest) };
                found.speed = Some(speed);
                (speed, described.clone())
            }
            _ => return,
        };
        if let Some(device) = device {
            speed.keep_noted(&device);
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
    use std::sync::mpsc::channel;
    use std::time::Duration;

    use rayon::prelude::*;

    use super::*;
    use crate::backend::wgpu::{Gpu, adapter};
    use crate::backend::{DeviceSession, Listed, Shared};
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
        described: Option<String>,
        is_lost: AtomicBool,
        /// The threads of the pool that opened the first session, and whether another one of them took up work.
        first: Mutex<Option<(usize, bool)>>,
    }

    /// Whether another thread of this pool takes up work of this one.
    fn is_helped() -> bool {
        let (sender, receiver) = channel();
        rayon::join(move || receiver.recv_timeout(Duration::from_secs(10)).is_ok(), move || sender.send(()).is_ok()).0
    }

    impl Boaster {
        fn new(described: Option<String>) -> Option<Self> {
            let gpu = Arc::new(Gpu::open(&adapter::of_tests()?, false).expect("the adapter opens"));
            let claimed = Capabilities { host_threads: None, compute_units: Some(100_000), ..*gpu.capabilities() };
            Some(Self { gpu, claimed, described, is_lost: AtomicBool::new(false), first: Mutex::new(None) })
        }

        fn first(&self) -> Option<(usize, bool)> {
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
                return Err(Error::DeviceLost { device, reason: "a test has lost it".to_string(), remedy: "" });
            }
            if self.first().is_none() {
                let threads = rayon::current_num_threads();
                let first = (threads, threads > 1 && is_helped());
                self.first.lock().expect("unharmed").get_or_insert(first);
            }
            self.gpu.open_session()
        }
    }

    /// A device of no machine, which opens as the boaster or not at all.
    #[derive(Debug)]
    struct Offered {
        listed: Listed,
        opens: Option<Arc<dyn Backend>>,
        trust: Trust,
    }

    type Trust = Arc<Mutex<Option<bool>>>;

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

        fn is_trusted(&self) -> Option<bool> {
            *self.trust.lock().expect("unharmed")
        }

        fn keep_trust(&self, gives_known_answers: Option<bool>) {
            *self.trust.lock().expect("unharmed") = Some(gives_known_answers == Some(true));
        }
    }

    /// An engine that has the boaster to choose, of which so much is known.
    fn choosing(opens: bool, found: Found, threads: Option<usize>) -> Option<(Engine, Arc<Boaster>)> {
        choosing_by(opens, found, threads, &Arc::new(Mutex::new(Some(true))))
    }

    fn choosing_by(opens: bool, found: Found, threads: Option<usize>, trust: &Trust) -> Option<(Engine, Arc<Boaster>)> {
        let boaster = Arc::new(Boaster::new(None)?);
        let mut listed = adapter::of_tests()?.listed();
        (listed.selector, listed.capabilities) = ("vulkan:99".to_string(), boaster.claimed);
        let opens = opens.then(|| boaster.clone() as Arc<dyn Backend>);
        let candidate = Box::new(Offered { listed, opens, trust: trust.clone() });
        let gpu = Mutex::new(Opened::Listed { candidate, found });
        let options = Options { threads, ..Options::default() };
        let threads = threads.map(|threads| start_threads(threads).expect("they start"));
        Some((Engine(Arc::new(Inner { options, gpu, threads })), boaster))
    }

    fn engine(opens: bool, found: Found) -> Option<Engine> {
        Some(choosing(opens, found, None)?.0)
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
    const FAST: Found = Found {
        start: Start { listing: None, opening: Some(-1.0) },
        speed: Some(Speed { call: Some(0.0), pace: 1e-9 }),
    };
    /// Open as soon as it is wanted.
    const AT_ONCE: Found =
        Found { start: Start { opening: Some(-profile::gpu::BUILDING_SECONDS), ..FAST.start }, ..FAST };

    #[test]
    fn a_device_that_is_known_to_be_fast_is_taken_and_asked_nothing() {
        let Some(engine) = engine(true, FAST) else { return };
        assert_ne!(device(&engine), CPU);
        assert!(matches!(&*engine.opened(), Opened::Gpu { found, .. } if *found == FAST));
    }

    #[test]
    fn plans_take_a_device_that_is_listed_and_leave_it_closed() {
        let Some(engine) = engine(true, AT_ONCE) else { return };
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
    fn a_device_that_has_shown_nothing_is_asked_for_known_answers_by_the_first_call_and_not_by_a_plan() {
        let trust = Trust::default();
        let Some((engine, _)) = choosing_by(true, AT_ONCE, None, &trust) else { return };
        let (a, b) = (letters(6_000, 1), letters(6_000, 2));
        let plan = engine.plan(&Lcs::of(&a, &b).method(Method::BitParallel)).expect("it plans");
        let shown = || *trust.lock().expect("unharmed");
        assert!(plan.device != CPU && shown().is_none(), "{plan:?}");
        assert_ne!(device(&engine), CPU);
        assert_eq!(shown(), Some(true));
    }

    #[test]
    fn a_device_that_cannot_be_asked_for_known_answers_is_passed_over() {
        let trust = Trust::default();
        let Some((engine, boaster)) = choosing_by(true, FAST, None, &trust) else { return };
        boaster.is_lost.store(true, Ordering::Relaxed);
        assert_eq!((device(&engine).as_str(), *trust.lock().expect("unharmed")), (CPU, Some(false)));
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
    #[test]
    fn a_device_is_asked_on_as_many_threads_as_the_engine_has() {
        let Some((engine, boaster)) = choosing(true, Found { speed: None, ..FAST }, Some(3)) else { return };
        assert_eq!((device(&engine).as_str(), boaster.first()), (CPU, Some((3, true))));
    }

    #[test]
    fn a_device_is_asked_while_every_thread_of_the_callers_pool_waits_for_it() {
        let Some((engine, boaster)) = choosing(true, Found { speed: None, ..FAST }, None) else { return };
        let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build().expect("two threads");
        let calls = || (0..8).into_par_iter().with_max_len(1).map(|_| device(&engine)).collect::<Vec<_>>();
        assert_eq!(pool.install(calls), [CPU; 8]);
        assert_eq!(boaster.first(), Some((2, true)));
    }

    #[test]
    fn a_device_that_was_lost_takes_as_long_as_one_that_is_not_open() {
        let Some((engine, boaster)) = choosing(true, FAST, None) else { return };
        assert_ne!(device(&engine), CPU);
        let opening = || engine.prospect(f64::INFINITY).expect("it is known").map(|prospect| prospect.opening);
        assert_eq!(opening(), Some(0.0));
        boaster.is_lost.store(true, Ordering::Relaxed);
        assert_eq!(opening(), Some(-1.0 + profile::gpu::BUILDING_SECONDS));
    }

    #[test]
    fn a_device_that_is_named_has_the_pace_that_was_kept_and_keeps_what_a_sweep_tells() {
        let described = format!("a device of test {}", std::process::id());
        let Some(boaster) = Boaster::new(Some(described.clone())) else { return };
        Speed { call: None, pace: 8.0 }.keep(&described);
        if Speed::kept(&described).is_none() {
            // There is no folder for caches.
            return;
        }
        let engine = Engine::on_backend(Arc::new(boaster), Options::default()).expect("it is open");
        let pace = || engine.prospect(0.0).expect("it is open").map(|prospect| prospect.pace);
        assert_eq!(pace(), Some(8.0));
        engine.note_pace(2.0, || Ok(1.0));
        let kept = Speed::kept(&described);
        Speed::forget(&described);
        assert_eq!((pace(), kept), (Some(2.0), Some(Speed { call: None, pace: 2.0 })));
    }
}
