//! A session: the rounds of one call on one device.
//!
//! A round loads a plan and runs its passes in slices. Each slice, each replay and each read is a submission, and each submission
//! leaves a stamp behind its last pass if all those before it have left theirs: some drivers report failed work as done. So the
//! stamp that comes back with words proves all that the words depend on.
//!
//! Every submission has a pace. Slices are cut by those of their kernels. Replays begin at the one that the slices before them have
//! found, and each tells the next ones how long it took: planners ask how many cells [fit](Session::replay_cells), and a list of
//! replays that has more is several submissions.
//!
//! Work that is lost is run once more, and that is right only if what it reads is still there:
//!
//! - Passes of a round change buffers in place, so the round begins again: its plan is made anew and everything is uploaded, the
//!   inputs that lay on the device among it, since an upload is lost with the submission that carries it.
//! - Replays read nothing that a replay writes, and a read changes nothing, so those are submitted again in their order, from the
//!   first one on whose words nobody has yet. A read of what an earlier replay has left brings that replay along, since a later one
//!   may have overwritten it.
//!
//! What is lost again is [`Error::MissingStamp`].

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::device::Device;
use super::memory::{Reservation, check_limit};
use super::pace::Pace;
use super::parts::{NoSource, Source, whole};
use super::slices::{Paces, Rest, by_kernel};
use super::traits::{DeviceSession, Done, Pending, Shared, Span, Stamp, Words};
use crate::error::{Error, Result};
use crate::plan::{BufferId, Contents, Divide, InputKey, Pass, Plan, Resident};

#[cfg(test)]
mod fake;
#[cfg(test)]
mod tests;

/// Submissions of a round in flight: one runs while the next is recorded.
const IN_FLIGHT: usize = 2;

/// The rounds of one call on a device. Threads share it by reference.
pub struct Session<'a> {
    /// What the call may use.
    pub device: Device<'a>,
    source: &'a dyn Source,
    rounds: Arc<Mutex<Rounds>>,
}

/// A round that has run.
pub struct Ran<'a, T> {
    /// Where its buffers lie.
    pub session: Session<'a>,
    /// The plan, and what its maker knows of it.
    pub made: T,
    /// The words that were read at its end.
    pub words: Vec<u32>,
}

/// What the device holds for a session, and what it is at.
struct Rounds {
    on_device: Box<dyn DeviceSession>,
    shared: Arc<Shared>,
    name: String,
    held: Reservation,
    /// Inputs of the plan that is loaded, by the numbers of their buffers.
    inputs: Vec<(BufferId, String, InputKey)>,
    uploaded_bytes: u64,
    /// The stamp of the last submission; none where what comes next depends on none before.
    last: Option<u32>,
    /// Submissions of the round.
    submissions: u32,
    /// Replays and reads whose words nobody has yet, in order.
    open: VecDeque<Replay>,
    /// How many cells a replay has.
    replays: Pace,
}

/// A submission whose stamp is to come.
struct Sent {
    /// Its number in the round, from 1.
    slice: u32,
    stamp: u32,
    arriving: Pending<Done>,
}

/// A submission that can be submitted again.
struct Replay {
    slice: u32,
    /// The first submission of the same list of replays.
    first: u32,
    /// All that leave what the spans read.
    passes: Vec<Pass>,
    spans: Vec<Span>,
    /// Whether it was submitted again, and what comes of that until somebody waits for it.
    again: bool,
    sent: Option<Sent>,
}

/// Whether a plan lies on the device.
enum Loading {
    Loaded,
    /// Others hold what it needs.
    NoRoom,
}

impl<'a> Device<'a> {
    /// A session for the rounds of this call.
    ///
    /// # Errors
    /// As [`Backend::open_session`].
    pub fn open_session(&self) -> Result<Session<'a>> {
        Session::open(*self)
    }

    /// The one round of a call that has no more: as [`Session::run`].
    ///
    /// # Errors
    /// As [`Session::run`].
    pub async fn run<T: AsMut<Plan> + Send + Sync>(
        &self,
        make: &(dyn Fn() -> T + Sync),
        spans: &(dyn Fn(&T) -> Vec<Span> + Sync),
    ) -> Result<Ran<'a, T>> {
        self.open_session()?.run(&|_| make(), spans).await
    }
}

impl<'a> Session<'a> {
    /// A session that holds nothing yet.
    ///
    /// # Errors
    /// As [`Backend::open_session`](super::Backend::open_session).
    pub fn open(device: Device<'a>) -> Result<Self> {
        let rounds = Rounds {
            on_device: device.backend.open_session()?,
            shared: device.backend.shared().clone(),
            name: device.backend.name().to_string(),
            held: device.backend.shared().memory.nothing(device.control.call()),
            inputs: Vec::new(),
            uploaded_bytes: 0,
            last: None,
            submissions: 0,
            open: VecDeque::new(),
            replays: Pace::new(device.slice, Pace::safe_cells(device.backend.capabilities(), 1, device.slice)),
        };
        Ok(Self { device, source: &NoSource, rounds: Arc::new(Mutex::new(rounds)) })
    }

    /// The same, with what writes the contents of its plans that come in parts.
    pub fn fed_by(self, source: &'a dyn Source) -> Self {
        Self { source, ..self }
    }

    /// Bytes that were uploaded so far.
    pub fn uploaded_bytes(&self) -> u64 {
        lock(&self.rounds).uploaded_bytes
    }

    /// Gives back all that lies on the device. A call does so before it runs something in another session, which gets
    /// [`Error::DeviceMemory`] where there is not room for both.
    pub fn give_back(&self) {
        lock(&self.rounds).give_up();
    }

    /// Loads and runs the plan that `make` makes, which is told what lies on the device already, and reads the words of `spans` at
    /// its end. Waits for memory that other calls hold.
    ///
    /// # Errors
    /// [`Error::MemoryBudget`] and [`Error::DeviceMemory`] before any work, [`Error::Cancelled`], [`Error::DeviceLost`] and
    /// [`Error::MissingStamp`] during it.
    pub async fn run<T: AsMut<Plan> + Send + Sync>(
        self,
        make: &(dyn Fn(&Resident) -> T + Sync),
        spans: &(dyn Fn(&T) -> Vec<Span> + Sync),
    ) -> Result<Ran<'a, T>> {
        let ((made, words), _) = self.round(make, spans, &|_| Ok(())).await?;
        Ok(Ran { session: self, made, words })
    }

    /// The same, for a session that goes on; and what `behind` submits behind the last pass, of one at least, before that is
    /// waited for.
    ///
    /// # Errors
    /// As [`run`](Self::run), and what `behind` returns.
    pub async fn round<T: AsMut<Plan> + Send + Sync, B: Send>(
        &self,
        make: &(dyn Fn(&Resident) -> T + Sync),
        spans: &(dyn Fn(&T) -> Vec<Span> + Sync),
        behind: &(dyn Fn(&T) -> Result<B> + Sync),
    ) -> Result<((T, Vec<u32>), Option<B>)> {
        let mut again = false;
        loop {
            let mut made = self.load(make).await?;
            let spans = spans(&made);
            let mut submitted = None;
            let plan = made.as_mut();
            let paces = self.paces(plan);
            let divides = plan.divides.clone();
            // Apart from the rest, which `behind` looks at.
            let passes = std::mem::take(&mut plan.passes);
            let swept = {
                let mut behind = || {
                    submitted = Some(behind(&made)?);
                    Ok(())
                };
                self.sweep((&passes, &divides), paces, &spans, &mut behind).await
            };
            made.as_mut().passes = passes;
            self.device.phases.lap("sweep");
            match swept {
                Ok(words) => return Ok(((made, words), submitted)),
                Err(Error::MissingStamp { .. }) if !again => {
                    again = true;
                    lock(&self.rounds).inputs.clear();
                }
                Err(error) => return Err(error),
            }
        }
    }

    /// Has a plan on the device.
    async fn load<T: AsMut<Plan> + Send>(&self, make: &(dyn Fn(&Resident) -> T + Sync)) -> Result<T> {
        let Device { backend, budget_bytes, phases, control, .. } = self.device;
        loop {
            let (made, loading, needed) = self.device.on_threads(|| {
                let resident = lock(&self.rounds).resident();
                let mut made = make(&resident);
                phases.lap("plan");
                let loading = lock(&self.rounds).load(made.as_mut(), budget_bytes, self.source);
                phases.lap("upload");
                let needed = made.as_mut().size_bytes();
                (made, loading, needed)
            });
            match loading? {
                Loading::Loaded => return Ok(made),
                Loading::NoRoom => drop(made),
            }
            let held = lock(&self.rounds).give_up();
            let own = backend.shared().memory.held_by(control.call());
            if own > 0 || rayon::current_thread_index().is_some() {
                // This call itself would have to give it back, or who holds it may need this thread before he does.
                let device = backend.name().to_string();
                return Err(Error::DeviceMemory { device, needed, limit: budget_bytes, held });
            }
            let reserved =
                backend.shared().memory.reserve(control.call(), needed, budget_bytes, &|| control.check()).await?;
            lock(&self.rounds).held = reserved;
            phases.lap("wait for memory");
        }
    }

    /// Paces for the passes of a plan.
    fn paces(&self, plan: &Plan) -> Paces {
        let Device { backend, slice, .. } = self.device;
        let safe = Pace::safe_cells(backend.capabilities(), plan.cell_cost, slice);
        backend.shared().rates.paces(plan, slice, safe)
    }

    /// Runs passes in order and reads the words of `spans` behind the last. `behind` may submit more behind the last slice before
    /// that is waited for.
    async fn sweep(
        &self,
        (passes, divides): (&[Pass], &[(usize, Divide)]),
        mut paces: Paces,
        spans: &[Span],
        behind: &mut (dyn FnMut() -> Result<()> + Send),
    ) -> Result<Vec<u32>> {
        let Device { backend, control, slice, .. } = self.device;
        lock(&self.rounds).replays = paces.behind();
        let mut rest = Rest::new(passes, divides);
        let mut in_flight = VecDeque::with_capacity(IN_FLIGHT);
        let mut words = None;
        while !rest.is_empty() || !in_flight.is_empty() {
            control.check()?;
            while !rest.is_empty() && in_flight.len() < IN_FLIGHT {
                let slice = rest.take(&mut paces);
                let cells = by_kernel(&slice);
                let sent = lock(&self.rounds).submit(&slice, if rest.is_empty() { spans } else { &[] })?;
                in_flight.push_back((sent, cells));
                if rest.is_empty() {
                    lock(&self.rounds).replays = paces.behind();
                    behind()?;
                }
            }
            if let Some((sent, cells)) = in_flight.pop_front() {
                let done = sent.arriving.await?;
                if done.stamp != sent.stamp {
                    return Err(lock(&self.rounds).missing(sent.slice));
                }
                control.advance(cells.iter().fold(0, |all, (_, cells)| all.saturating_add(*cells)));
                paces.adjust(cells, done.busy);
                backend.shared().memory.wake();
                words = Some(done.words);
            }
        }
        control.check()?;
        {
            let mut rounds = lock(&self.rounds);
            if rounds.replays.is_untimed() {
                rounds.replays = paces.behind();
            }
        }
        backend.shared().rates.keep(paces, slice);
        match words {
            Some(words) => Ok(words.words().to_vec()),
            None => Ok(self.read(spans)?.await?.words().to_vec()),
        }
    }

    /// How many cells a replay has at the most that holds the device no longer than a slice does, as far as is known.
    pub fn replay_cells(&self) -> u64 {
        lock(&self.rounds).replays.share()
    }

    /// Starts replays behind everything so far, and reads words that they leave; `have_run` where the device has those words since
    /// an earlier submission, so that the replays are needed only if something is lost. Replays read nothing that any of them
    /// writes. A pass of a replay is never cut: it has no more cells than [`replay_cells`](Self::replay_cells) where its planner can
    /// help it.
    ///
    /// # Errors
    /// [`Error::Cancelled`] and [`Error::DeviceLost`]; and [`Error::MissingStamp`] from what is pending.
    pub fn replay(&self, passes: &[Pass], have_run: bool, spans: &[Span]) -> Result<Pending<Box<dyn Words>>> {
        let control = self.device.control.clone();
        control.check()?;
        if !have_run && !passes.is_empty() {
            control.expect(cells_of(passes));
        }
        let (before, last) = lock(&self.rounds).submit_replays(passes, have_run, spans)?;
        let (rounds, memory) = (self.rounds.clone(), self.device.backend.shared().memory.clone());
        let timed = move |rounds: &Mutex<Rounds>, cells, busy| {
            lock(rounds).replays.adjust_by_replay(cells, busy);
            if cells > 0 {
                control.advance(cells);
            }
        };
        Ok(Box::pin(async move {
            for (Sent { arriving, .. }, cells) in before {
                // Its stamp, or that it is missing, comes with the last one's.
                timed(&rounds, cells, arriving.await?.busy);
            }
            let (Sent { slice, stamp, arriving }, cells) = last;
            let mut done = arriving.await?;
            match done.stamp == stamp {
                true => timed(&rounds, cells, done.busy),
                false => {
                    let again = lock(&rounds).submit_again(slice)?;
                    done = again.arriving.await?;
                    if done.stamp != again.stamp {
                        return Err(lock(&rounds).missing(slice));
                    }
                }
            }
            lock(&rounds).close(slice);
            memory.wake();
            Ok(done.words)
        }))
    }

    /// Starts reading words behind everything so far.
    ///
    /// # Errors
    /// As [`replay`](Self::replay).
    pub fn read(&self, spans: &[Span]) -> Result<Pending<Box<dyn Words>>> {
        if spans.iter().all(|span| span.words == 0) {
            return Ok(Box::pin(async { Ok(Box::new(Vec::new()) as Box<dyn Words>) }));
        }
        self.replay(&[], true, spans)
    }
}

impl Rounds {
    fn resident(&self) -> Resident {
        Resident(self.inputs.iter().map(|(_, name, key)| (name.clone(), key.clone())).collect())
    }

    /// Loads a plan in place of the one before, if there is room.
    fn load(&mut self, plan: &mut Plan, limit_bytes: u64, source: &dyn Source) -> Result<Loading> {
        let needed = plan.size_bytes();
        check_limit(needed, limit_bytes)?;
        let place = |name: &str, key: &InputKey| {
            let known = self.inputs.iter().find(|(_, known, known_key)| known == name && known_key == key);
            known.map(|&(place, ..)| place)
        };
        let kept: Vec<_> =
            plan.buffers.iter().map(|buffer| buffer.input.as_ref().and_then(|key| place(&buffer.name, key))).collect();
        let mut retained: Vec<_> = kept.iter().flatten().copied().collect();
        retained.sort_unstable();
        self.on_device.retain(&retained);
        self.open.clear();
        (self.last, self.submissions) = (None, 0);
        if !self.held.resize(needed, limit_bytes) {
            return Ok(Loading::NoRoom);
        }
        self.inputs.clear();
        let mut inputs = Vec::new();
        for (id, (buffer, kept)) in plan.buffers.iter().zip(&kept).enumerate() {
            if matches!(buffer.contents, Contents::Words(_) | Contents::Parts(_)) && kept.is_none() {
                self.uploaded_bytes += buffer.size_bytes();
            }
            if let Some(key) = buffer.input.as_ref().filter(|_| !plan.writes(id)) {
                inputs.push((id, buffer.name.clone(), key.clone()));
            }
        }
        let in_parts = self.in_parts(plan, source);
        self.on_device.load(plan, &kept, limit_bytes)?;
        if let Some(device) = self.on_device.in_parts() {
            device.fill(plan, &in_parts, source)?;
        }
        self.inputs = inputs;
        Ok(Loading::Loaded)
    }

    /// The buffers that are filled in parts, with their units; a device that takes none gets whole words.
    fn in_parts(&mut self, plan: &mut Plan, source: &dyn Source) -> Vec<(BufferId, u64)> {
        let takes_parts = self.on_device.in_parts().is_some();
        let mut in_parts = Vec::new();
        for (id, buffer) in plan.buffers.iter_mut().enumerate() {
            let Contents::Parts(unit) = buffer.contents else { continue };
            match takes_parts {
                true => in_parts.push((id, unit)),
                false => buffer.contents = Contents::Words(whole(source, buffer, unit)),
            }
        }
        in_parts
    }

    /// Gives everything back; the bytes that others hold.
    fn give_up(&mut self) -> u64 {
        self.inputs.clear();
        self.on_device.retain(&[]);
        self.held.resize(0, 0);
        self.held.held_by_others()
    }

    fn submit(&mut self, passes: &[Pass], spans: &[Span]) -> Result<Sent> {
        self.submissions += 1;
        self.send(self.submissions, passes, spans)
    }

    fn send(&mut self, slice: u32, passes: &[Pass], spans: &[Span]) -> Result<Sent> {
        let stamp = Stamp { value: self.shared.next_stamp(), after: self.last };
        self.last = Some(stamp.value);
        Ok(Sent { slice, stamp: stamp.value, arriving: self.on_device.submit(passes, stamp, spans)? })
    }

    /// Submits replays in as many submissions as their pace wants, with the cells of each; the last one brings the words.
    fn submit_replays(&mut self, passes: &[Pass], have_run: bool, spans: &[Span]) -> Result<(Vec<Paced>, Paced)> {
        let (first, mut before, mut rest) = (self.submissions + 1, Vec::new(), passes);
        loop {
            let (part, later) = self.replays.take(rest);
            let spans = if later.is_empty() { spans } else { &[] };
            self.submissions += 1;
            let slice = self.submissions;
            let (run, cells) = if have_run { (&[][..], 0) } else { (part, cells_of(part)) };
            let sent = (!have_run || later.is_empty()).then(|| self.send(slice, run, spans)).transpose()?;
            let (passes, spans) = (part.to_vec(), spans.to_vec());
            self.open.push_back(Replay { slice, first, passes, spans, again: false, sent: None });
            match sent {
                Some(sent) if later.is_empty() => return Ok((before, (sent, cells))),
                sent => before.extend(sent.map(|sent| (sent, cells))),
            }
            rest = later;
        }
    }

    /// What comes of a replay that was lost, once it and those behind it are submitted again.
    fn submit_again(&mut self, slice: u32) -> Result<Sent> {
        let Some(place) = self.open.iter().position(|replay| replay.slice == slice) else {
            return Err(self.missing(slice));
        };
        if !self.open[place].again {
            self.last = None;
            let mut open = std::mem::take(&mut self.open);
            let sent = open.iter_mut().try_for_each(|replay| {
                replay.sent = Some(self.send(replay.slice, &replay.passes, &replay.spans)?);
                replay.again = true;
                Ok(())
            });
            self.open = open;
            sent?;
        }
        self.open[place].sent.take().ok_or_else(|| self.missing(slice))
    }

    /// Somebody has the words of a replay, which prove all those before it.
    fn close(&mut self, slice: u32) {
        let first = self.open.iter().find(|replay| replay.slice == slice).map_or(slice, |replay| replay.first);
        self.open.retain(|replay| replay.slice > slice || replay.slice < first && replay.sent.is_some());
    }

    fn missing(&self, slice: u32) -> Error {
        Error::MissingStamp { device: self.name.clone(), slice }
    }
}

/// A submission and its cells.
type Paced = (Sent, u64);

fn cells_of(passes: &[Pass]) -> u64 {
    passes.iter().fold(0, |cells, pass| cells.saturating_add(pass.cells))
}

/// Nothing of it is half done where a thread has panicked.
fn lock(rounds: &Mutex<Rounds>) -> MutexGuard<'_, Rounds> {
    rounds.lock().unwrap_or_else(PoisonError::into_inner)
}
