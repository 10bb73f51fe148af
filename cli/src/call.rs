//! Calls of the library: planned for a dry run, or run.

use std::ops::ControlFlow;

use swath::{Control, Engine, Interface, PlanSummary, Report, Run, Task};

pub struct Caller<'a> {
    pub engine: &'a Engine,
    /// `None` for a dry run.
    pub control: Option<&'a Control>,
}

pub enum Outcome<A> {
    Planned(PlanSummary),
    Solved(Solved<A>),
}

pub struct Solved<A> {
    pub answer: A,
    pub run: Run,
    pub interface: Option<Interface>,
}

impl Caller<'_> {
    pub fn call<T: Task>(&self, task: &T) -> swath::Result<Outcome<T::Answer>> {
        Ok(match self.control {
            None => Outcome::Planned(self.engine.plan(task)?),
            Some(control) => Outcome::Solved(self.engine.run_with(task, control)?.into()),
        })
    }
}

impl<A> From<Report<A>> for Solved<A> {
    fn from(report: Report<A>) -> Self {
        Self {
            answer: report.answer,
            run: report.run,
            interface: report.interface,
        }
    }
}

impl<A> Outcome<A> {
    pub fn answer(&self) -> Option<&A> {
        match self {
            Outcome::Planned(_) => None,
            Outcome::Solved(solved) => Some(&solved.answer),
        }
    }

    pub fn map<B>(self, make: impl FnOnce(A) -> B) -> Outcome<B> {
        match self {
            Outcome::Planned(plan) => Outcome::Planned(plan),
            Outcome::Solved(solved) => Outcome::Solved(solved.map(make)),
        }
    }
}

impl<A> Solved<A> {
    pub fn map<B>(self, make: impl FnOnce(A) -> B) -> Solved<B> {
        Solved {
            answer: make(self.answer),
            run: self.run,
            interface: self.interface,
        }
    }
}

/// First error of what takes the blocks of a call: it ends the call.
#[derive(Default)]
pub struct TakeError(Option<anyhow::Error>);

impl TakeError {
    pub fn flow(&mut self, taken: anyhow::Result<()>) -> ControlFlow<()> {
        match taken {
            Ok(()) => ControlFlow::Continue(()),
            Err(error) => {
                self.0 = Some(error);
                ControlFlow::Break(())
            }
        }
    }

    pub fn result(self) -> anyhow::Result<()> {
        self.0.map_or(Ok(()), Err)
    }
}
