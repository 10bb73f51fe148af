//! `swath substring`.

use std::io::IsTerminal;

use swath::substring::{CommonSubstring, Matches, MaximalMatches};
use swath::{Control, Engine, PlanSummary, Report, Substring, Symbol};

use super::args::{SubstringArgs, Witness};
use super::interrupt::Interrupt;
use super::{output, progress};
use crate::input::{self, Groups, Lists};
use crate::report::{self, SubstringAnswer, SubstringFormat, SubstringFound};

/// Reads, solves and prints.
pub fn run(args: &SubstringArgs) -> anyhow::Result<()> {
    let request = args.request()?;
    args.check()?;
    let witness = args
        .output
        .witness(request.sides.iter().map(|side| &side.source))?;
    let mut reading = args.engine.reading();
    let inputs = input::read_groups(&request, &mut reading)?;
    output::notes(&reading);
    check_inputs(&inputs, &witness)?;
    let engine = Engine::new(args.engine.options_beside(&reading))?;
    let asked = Asked {
        engine: &engine,
        inputs: &inputs,
        args,
    };

    if args.output.dry_run {
        let summary = args.engine.explained(asked.plan(), &reading)?;
        return output::to_stdout(|out| {
            report::write_substring_plan(args.output.json, &inputs, &summary, out)
        });
    }

    let interrupt = Interrupt::install()?;
    let progress = progress::Reporter::new(args.output.progress);
    let control = Control::new(interrupt.handle().clone(), progress.callback());
    let answer = args.engine.explained(asked.solve(&control), &reading)?;

    let found = match &answer {
        Answer::Longest(report) => SubstringFound::Longest(report),
        Answer::Matches(report) => SubstringFound::Matches(report),
    };
    let answer = SubstringAnswer {
        inputs: &inputs,
        found,
    };
    if let Witness::File(file, format) = &witness {
        progress.enter(progress::WRITING);
        file.write(&interrupt, |out| {
            report::write_substrings(*format, &answer, out)
        })?;
    }
    drop(progress);
    interrupt.ending_at_once(|| {
        if let Witness::Stdout(format) = witness {
            output::to_stdout(|out| report::write_substrings(format, &answer, out))?;
            let unended = matches!(inputs.lists, Lists::Bytes(_) | Lists::Chars(_));
            output::end_line(format == SubstringFormat::Text && unended)?;
            // Beside many matches nobody reads the same again.
            return match args.min_length {
                Some(_) => Ok(()),
                None => output::to_stderr(|out| {
                    report::substring_text(&answer, std::io::stderr().is_terminal(), out)
                }),
            };
        }
        let in_json = matches!(witness, Witness::InJson);
        output::to_stdout(|out| match args.output.json || in_json {
            true => report::substring_json(&answer, in_json, out),
            false => report::substring_text(&answer, std::io::stdout().is_terminal(), out),
        })
    })
}

/// Fails where there are not as many inputs as the question or the format takes.
fn check_inputs(inputs: &Groups, witness: &Witness<SubstringFormat>) -> anyhow::Result<()> {
    let count = inputs.groups.len();
    if count < 2 {
        anyhow::bail!(
            "there is one input; name more, or take every record of a file with --all-records"
        );
    }
    let format = match witness {
        Witness::Stdout(format) | Witness::File(_, format) => Some(*format),
        Witness::None | Witness::InJson => None,
    };
    if format == Some(SubstringFormat::Svg) && count > 2 {
        anyhow::bail!(
            "--format svg shows two inputs, and there are {count}; leave the others out, or take tsv"
        );
    }
    Ok(())
}

/// What was found.
enum Answer {
    Longest(Report<CommonSubstring>),
    Matches(Report<MaximalMatches>),
}

/// A question.
#[derive(Clone, Copy)]
struct Asked<'a> {
    engine: &'a Engine,
    inputs: &'a Groups,
    args: &'a SubstringArgs,
}

/// Either task.
enum Question<'a, S: Symbol> {
    Longest(Substring<'a, S>),
    Matches(Matches<'a, S>),
}

impl<S: Symbol> Question<'_, S> {
    fn solve(&self, engine: &Engine, control: &Control) -> swath::Result<Answer> {
        Ok(match self {
            Question::Longest(task) => Answer::Longest(engine.run_with(task, control)?),
            Question::Matches(task) => Answer::Matches(engine.run_with(task, control)?),
        })
    }

    fn plan(&self, engine: &Engine) -> swath::Result<PlanSummary> {
        match self {
            Question::Longest(task) => engine.plan(task),
            Question::Matches(task) => engine.plan(task),
        }
    }
}

impl Asked<'_> {
    fn task<'a, S: Symbol>(&self, records: Vec<&'a [S]>) -> Substring<'a, S> {
        let task = Substring::of_records(self.inputs.cut(records)).method(self.args.method);
        let task = self.args.seed.into_iter().fold(task, Substring::seed);
        self.args
            .in_at_least
            .into_iter()
            .fold(task, Substring::in_at_least)
    }

    fn question<'a, S: Symbol>(&self, task: Substring<'a, S>) -> Question<'a, S> {
        match self.args.min_length {
            Some(length) => Question::Matches(task.min_length(length)),
            None => Question::Longest(task),
        }
    }

    fn bytes<'a>(&self, records: Vec<&'a [u8]>) -> Question<'a, u8> {
        let task = self.task(records);
        self.question(if self.args.both_strands() {
            task.both_strands()
        } else {
            task
        })
    }

    fn solve(&self, control: &Control) -> swath::Result<Answer> {
        match &self.inputs.lists {
            Lists::Bytes(list) => self.bytes(list.compared()).solve(self.engine, control),
            Lists::Chars(list) => self
                .question(self.task(list.compared()))
                .solve(self.engine, control),
            Lists::Lines { list, .. } | Lists::Tokens { list, .. } => self
                .question(self.task(list.compared()))
                .solve(self.engine, control),
        }
    }

    fn plan(&self) -> swath::Result<PlanSummary> {
        match &self.inputs.lists {
            Lists::Bytes(list) => self.bytes(list.compared()).plan(self.engine),
            Lists::Chars(list) => self.question(self.task(list.compared())).plan(self.engine),
            Lists::Lines { list, .. } | Lists::Tokens { list, .. } => {
                self.question(self.task(list.compared())).plan(self.engine)
            }
        }
    }
}
