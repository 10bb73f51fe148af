//! Common parts of the commands that compare sequences.

use std::io::{self, Write};

use crate::args::{EngineArgs, OutputArgs, Turning, WitnessFormat};
use crate::call::{Caller, Outcome, Solved};
use crate::input::{Inputs, Request};
use crate::report::{Form, Lines, Object, input_lines, run_lines};

/// Share of a pair's time in which its strand and origin are found.
pub const TURNING_SHARE: f64 = 0.1;

pub struct Settings<'a, F: WitnessFormat> {
    pub request: Request,
    pub output: &'a OutputArgs<F>,
    pub engine: &'a EngineArgs,
    /// How the first input is turned before the call.
    pub turning: Option<Turning>,
    pub names_method: bool,
    /// Maximum distance of a pair with a witness.
    pub max_distance: Option<u64>,
    /// Set if the exit code tells of [`Comparison::is_found`].
    pub sets_exit_code: bool,
    /// Set if a summary accompanies the witness of a single pair on stdout.
    pub has_summary: bool,
}

impl<'a, F: WitnessFormat> Settings<'a, F> {
    pub fn new(request: Request, output: &'a OutputArgs<F>, engine: &'a EngineArgs) -> Self {
        Self {
            request,
            output,
            engine,
            turning: None,
            names_method: false,
            max_distance: None,
            sets_exit_code: false,
            has_summary: true,
        }
    }
}

pub struct ReportContext<'a, C: Comparison> {
    pub inputs: &'a Inputs,
    pub solved: &'a Solved<C::Answer>,
    /// Set for one of several pairs, which need names to distinguish them.
    pub is_one_of_several: bool,
    /// Set for the best pair of a record of the first input, if the format
    /// [ranks pairs](WitnessFormat::is_sam).
    pub is_best_of_record: bool,
}

impl<C: Comparison> ReportContext<'_, C> {
    pub fn lines(&self, mut head: Lines) -> Lines {
        head.extend(input_lines(C::FORM.names, self.inputs));
        head.extend(run_lines(C::FORM.counted, self.solved));
        head
    }

    pub fn object<'o>(&self, out: &'o mut dyn Write) -> Object<'o> {
        let problem = C::FORM.problem;
        let mut object = Object::new(&format!("{problem}/1"), out);
        object.field("problem", problem);
        object
    }

    pub fn add_call<'o, 'w>(&self, object: &'o mut Object<'w>) -> &'o mut Object<'w> {
        object
            .run(C::FORM.counted, self.solved)
            .inputs(C::FORM.names, self.inputs)
    }
}

/// A command that compares sequences; with [`Names::Pair`] each record of the first input with each
/// of the second.
pub trait Comparison: Sized + Sync {
    type Format: WitnessFormat;
    type Answer: Send;
    const FORM: Form;

    fn settings(&self) -> anyhow::Result<Settings<'_, Self::Format>>;

    /// Checks the inputs for the format of a witness beside the JSON object. Returns notes on
    /// inputs that are compared as they are.
    fn check(&self, _: &Inputs, _: Option<Self::Format>) -> anyhow::Result<Vec<String>> {
        Ok(Vec::new())
    }

    fn call(&self, inputs: &Inputs, caller: &Caller<'_>) -> swath::Result<Outcome<Self::Answer>>;

    /// Compares answers for two strands or targets.
    fn is_better(&self, _: &Self::Answer, _than: &Self::Answer) -> bool {
        false
    }

    fn has_witness(&self, _: &Self::Answer) -> bool {
        true
    }

    /// True if nothing differs, or what was looked for is there.
    fn is_found(&self, _: &ReportContext<'_, Self>) -> bool {
        true
    }

    fn answer_note(&self, _: &ReportContext<'_, Self>) -> Option<String> {
        None
    }

    fn text(
        &self,
        found: &ReportContext<'_, Self>,
        on_terminal: bool,
        out: &mut dyn Write,
    ) -> io::Result<()>;

    fn json(
        &self,
        found: &ReportContext<'_, Self>,
        with_witness: bool,
        out: &mut dyn Write,
    ) -> io::Result<()>;

    /// Writes a format other than the JSON object.
    fn witness(
        &self,
        format: Self::Format,
        found: &ReportContext<'_, Self>,
        out: &mut dyn Write,
    ) -> io::Result<()>;
}

/// Both sequences of a pair as compared: symbols, or with a matching of bytes their letters.
macro_rules! with_pair {
    ($inputs:expr, $matching:expr, ($a:ident, $b:ident) => $value:expr) => {
        match (&$inputs.lists, $matching) {
            ($crate::input::Lists::Bytes(list), Some(matching)) => {
                let [$a, $b] = list.pair().map(|one| matching.letters(one));
                let ($a, $b) = (&$a[..], &$b[..]);
                $value
            }
            (lists, _) => $crate::input::with_list!(lists, list => {
                let [$a, $b] = list.pair();
                $value
            }),
        }
    };
}
pub(super) use with_pair;
