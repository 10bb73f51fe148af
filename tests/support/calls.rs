//! Calls with all options, including kernel tunings.

use swath::edit_distance::EditDistance;
use swath::lcs::CommonSubsequence;
use swath::parenthesization::{Parenthesization, Problem};
use swath::supersequence::CommonSupersequence;
use swath::unstable::edit_distance::EditOptions;
use swath::unstable::lcs::LcsOptions;
use swath::unstable::parenthesization::ParenthesizationOptions;
use swath::unstable::supersequence::ScsOptions;
use swath::{Edit, Engine, Lcs, Parenthesize, PlanSummary, Report, Result, Scs, Symbol};

pub trait Calls {
    fn lcs_with<S: Symbol>(
        &self,
        a: &[S],
        b: &[S],
        options: &LcsOptions,
    ) -> Result<Report<CommonSubsequence>>;
    fn lcs_plan<S: Symbol>(&self, a: &[S], b: &[S], options: &LcsOptions) -> Result<PlanSummary>;
    fn edit_distance_with<S: Symbol>(
        &self,
        a: &[S],
        b: &[S],
        options: &EditOptions,
    ) -> Result<Report<EditDistance>>;
    fn edit_distance_plan<S: Symbol>(
        &self,
        a: &[S],
        b: &[S],
        options: &EditOptions,
    ) -> Result<PlanSummary>;
    fn scs_with<S: Symbol>(
        &self,
        a: &[S],
        b: &[S],
        options: &ScsOptions,
    ) -> Result<Report<CommonSupersequence>>;
    fn scs_plan<S: Symbol>(&self, a: &[S], b: &[S], options: &ScsOptions) -> Result<PlanSummary>;
    fn scs_many<S: Symbol>(
        &self,
        inputs: &[&[S]],
        options: &ScsOptions,
    ) -> Result<Report<CommonSupersequence>>;
    fn parenthesize<P: Problem>(
        &self,
        problem: &P,
        options: &ParenthesizationOptions,
    ) -> Result<Report<Parenthesization<P::Value>>>;
    fn parenthesize_plan<P: Problem>(
        &self,
        problem: &P,
        options: &ParenthesizationOptions,
    ) -> Result<PlanSummary>;
}

impl Calls for Engine {
    fn lcs_with<S: Symbol>(
        &self,
        a: &[S],
        b: &[S],
        options: &LcsOptions,
    ) -> Result<Report<CommonSubsequence>> {
        self.run_with(&Lcs::of(a, b).with_options(options), &options.control)
    }

    fn lcs_plan<S: Symbol>(&self, a: &[S], b: &[S], options: &LcsOptions) -> Result<PlanSummary> {
        self.plan(&Lcs::of(a, b).with_options(options))
    }

    fn edit_distance_with<S: Symbol>(
        &self,
        a: &[S],
        b: &[S],
        options: &EditOptions,
    ) -> Result<Report<EditDistance>> {
        self.run_with(&Edit::of(a, b).with_options(options), &options.control)
    }

    fn edit_distance_plan<S: Symbol>(
        &self,
        a: &[S],
        b: &[S],
        options: &EditOptions,
    ) -> Result<PlanSummary> {
        self.plan(&Edit::of(a, b).with_options(options))
    }

    fn scs_with<S: Symbol>(
        &self,
        a: &[S],
        b: &[S],
        options: &ScsOptions,
    ) -> Result<Report<CommonSupersequence>> {
        self.run_with(&Scs::of(a, b).with_options(options), &options.control)
    }

    fn scs_plan<S: Symbol>(&self, a: &[S], b: &[S], options: &ScsOptions) -> Result<PlanSummary> {
        self.plan(&Scs::of(a, b).with_options(options))
    }

    fn scs_many<S: Symbol>(
        &self,
        inputs: &[&[S]],
        options: &ScsOptions,
    ) -> Result<Report<CommonSupersequence>> {
        self.run_with(
            &Scs::of_all(inputs.iter().copied()).with_options(options),
            &options.control,
        )
    }

    fn parenthesize<P: Problem>(
        &self,
        problem: &P,
        options: &ParenthesizationOptions,
    ) -> Result<Report<Parenthesization<P::Value>>> {
        self.run_with(
            &Parenthesize::of(problem).with_options(options),
            &options.control,
        )
    }

    fn parenthesize_plan<P: Problem>(
        &self,
        problem: &P,
        options: &ParenthesizationOptions,
    ) -> Result<PlanSummary> {
        self.plan(&Parenthesize::of(problem).with_options(options))
    }
}
