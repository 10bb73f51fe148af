//! Calls with all options, including kernel tunings.

use std::sync::{Arc, Mutex};

use swath::edit_distance::EditDistance;
use swath::lcs::CommonSubsequence;
use swath::parenthesization::{Parenthesization, Problem};
use swath::supersequence::CommonSupersequence;
use swath::unstable::edit_distance::EditOptions;
use swath::unstable::lcs::LcsOptions;
use swath::unstable::parenthesization::ParenthesizationOptions;
use swath::unstable::supersequence::ScsOptions;
use swath::{
    CancelHandle, Control, Edit, Engine, Error, Lcs, Parenthesize, PlanSummary, Progress, Report,
    Result, Scs, Symbol, Task,
};

pub trait Calls {
    fn engine(&self) -> &Engine;

    fn lcs_with<S: Symbol>(
        &self,
        a: &[S],
        b: &[S],
        options: &LcsOptions,
    ) -> Result<Report<CommonSubsequence>> {
        self.engine()
            .run_with(&Lcs::of(a, b).with_options(options), &options.control)
    }

    fn lcs_plan<S: Symbol>(&self, a: &[S], b: &[S], options: &LcsOptions) -> Result<PlanSummary> {
        self.engine().plan(&Lcs::of(a, b).with_options(options))
    }

    fn edit_distance_with<S: Symbol>(
        &self,
        a: &[S],
        b: &[S],
        options: &EditOptions,
    ) -> Result<Report<EditDistance>> {
        self.engine()
            .run_with(&Edit::of(a, b).with_options(options), &options.control)
    }

    fn edit_distance_plan<S: Symbol>(
        &self,
        a: &[S],
        b: &[S],
        options: &EditOptions,
    ) -> Result<PlanSummary> {
        self.engine().plan(&Edit::of(a, b).with_options(options))
    }

    fn scs_with<S: Symbol>(
        &self,
        a: &[S],
        b: &[S],
        options: &ScsOptions,
    ) -> Result<Report<CommonSupersequence>> {
        self.engine()
            .run_with(&Scs::of(a, b).with_options(options), &options.control)
    }

    fn scs_plan<S: Symbol>(&self, a: &[S], b: &[S], options: &ScsOptions) -> Result<PlanSummary> {
        self.engine().plan(&Scs::of(a, b).with_options(options))
    }

    fn scs_many<S: Symbol>(
        &self,
        inputs: &[&[S]],
        options: &ScsOptions,
    ) -> Result<Report<CommonSupersequence>> {
        self.engine().run_with(
            &Scs::of_all(inputs.iter().copied()).with_options(options),
            &options.control,
        )
    }

    fn parenthesize<P: Problem>(
        &self,
        problem: &P,
        options: &ParenthesizationOptions,
    ) -> Result<Report<Parenthesization<P::Value>>> {
        self.engine().run_with(
            &Parenthesize::of(problem).with_options(options),
            &options.control,
        )
    }

    fn parenthesize_plan<P: Problem>(
        &self,
        problem: &P,
        options: &ParenthesizationOptions,
    ) -> Result<PlanSummary> {
        self.engine()
            .plan(&Parenthesize::of(problem).with_options(options))
    }
}

impl Calls for Engine {
    fn engine(&self) -> &Engine {
        self
    }
}

/// Reports of a call that is cancelled at report number `cancel_at`, and its error.
pub fn reports<T: Task>(
    engine: &Engine,
    task: &T,
    cancel_at: usize,
) -> (Vec<Progress>, Option<Error>) {
    let reports = Arc::new(Mutex::new(Vec::new()));
    let (seen, cancel) = (reports.clone(), CancelHandle::new());
    let control = Control::default().cancelled_by(&cancel);
    let control = control.on_progress(move |progress| {
        let mut seen = seen.try_lock().expect("one report at a time");
        seen.push(progress);
        if seen.len() == cancel_at {
            cancel.cancel();
        }
    });
    let error = engine.run_with(task, &control).err();
    let reports = std::mem::take(&mut *reports.lock().expect("unharmed"));
    (reports, error)
}
