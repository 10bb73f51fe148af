//! Answers and witnesses on their way to stdout and to a file.

use std::io::{self, IsTerminal};
use std::mem;
use std::time::Instant;

use super::comparison::{Comparison, ReportContext};
use super::run::{Answered, Call};
use super::sink::Sink;
use super::together::{ComparesTogether, Together, Whole};
use crate::args::{Witness, WitnessFormat};
use crate::call::Solved;
use crate::exit::Failure;
use crate::input::Inputs;
use crate::interrupt::Interrupt;
use crate::output::OutputFile;
use crate::progress::{Reporter, WRITING};
use crate::report::{self, sam};
use crate::{message, output};

pub struct Printer<'a, C: Comparison> {
    call: &'a Call<'a, C>,
    interrupt: &'a Interrupt,
    progress: &'a Reporter,
    started: Instant,
    file: Option<&'a OutputFile>,
    sink: Option<(C::Format, Sink<'a>)>,
    /// Set if the best pair of each record of the first input is marked.
    ranks_pairs: bool,
    held: Vec<(usize, Answered<C>)>,
    whole: Whole,
    /// Error of the file: the answers are printed even if it cannot be written.
    failed: Option<anyhow::Error>,
}

impl<'a, C: Comparison> Printer<'a, C> {
    pub fn begin(
        call: &'a Call<'a, C>,
        interrupt: &'a Interrupt,
        progress: &'a Reporter,
    ) -> anyhow::Result<Self> {
        let file = match &call.witness {
            Witness::File(file, _) => Some(file),
            _ => None,
        };
        let mut printer = Self {
            call,
            interrupt,
            progress,
            started: Instant::now(),
            file,
            sink: None,
            ranks_pairs: false,
            held: Vec::new(),
            whole: Whole::default(),
            failed: None,
        };
        if let Some(format) = call.witness.format() {
            let mut preamble = Vec::new();
            if format.is_sam() {
                printer.ranks_pairs = call.count > 1;
                sam::header(&call.inputs, &mut preamble)?;
            }
            let mut sink = Sink::new(file, preamble, format.is_bam(), interrupt)?;
            progress.aside(|| sink.begin())?;
            printer.sink = Some((format, sink));
        }
        Ok(printer)
    }

    pub fn write_together(&mut self) -> anyhow::Result<bool>
    where
        C: ComparesTogether,
    {
        let (call, interrupt, progress) = (self.call, self.interrupt, self.progress);
        let Some((format, sink)) = &mut self.sink else {
            return Ok(false);
        };
        if call.count == 1 || call.settings.output.json {
            return Ok(false);
        }
        let mut together = Together {
            interrupt,
            progress,
            print: &mut |bytes| progress.aside(|| sink.put(|out| out.write_all(bytes))),
        };
        let whole = call.command.write_together(call, *format, &mut together)?;
        Ok(whole.map(|whole| self.whole = whole).is_some())
    }

    /// If pairs are ranked, all answers of a record are printed after its last one.
    pub fn take(&mut self, index: usize, answered: Answered<C>) -> anyhow::Result<()> {
        let (call, command) = (self.call, self.call.command);
        let has_witness = command.has_witness(&answered.1.answer);
        self.whole.found += usize::from(has_witness);
        // A pair without output is not kept.
        if has_witness || !self.ranks_pairs || self.file.is_some() {
            self.held.push((index, answered));
        }
        let is_last = index + 1 == call.count;
        if is_last {
            self.progress.wipe();
        }
        if self.ranks_pairs && !is_last && !call.inputs.ends_record(index) {
            return Ok(());
        }
        let held = mem::take(&mut self.held);
        let answer = |at: usize| &held[at].1.1.answer;
        let best = (1..held.len()).fold(0, |best, at| {
            if command.is_better(answer(at), answer(best)) {
                at
            } else {
                best
            }
        });
        for (at, (index, (inputs, solved))) in held.into_iter().enumerate() {
            self.print(index, &inputs, solved, at == best)?;
        }
        Ok(())
    }

    fn print(
        &mut self,
        index: usize,
        inputs: &Inputs,
        solved: Solved<C::Answer>,
        is_best_of_record: bool,
    ) -> anyhow::Result<()> {
        let (call, command, progress) = (self.call, self.call.command, self.progress);
        let found = ReportContext {
            inputs,
            solved: &solved,
            is_one_of_several: call.count > 1,
            is_best_of_record,
        };
        self.whole.is_found |= command.is_found(&found);
        if command.has_witness(&solved.answer)
            && self.failed.is_none()
            && let Some((format, sink)) = &mut self.sink
        {
            if self.file.is_some() {
                progress.enter(WRITING);
            }
            let written = progress.aside(|| {
                sink.put(|out| {
                    if *format == C::Format::JSON {
                        command.json(&found, true, out)
                    } else {
                        command.witness(*format, &found, out)
                    }
                })
            });
            match self.file {
                Some(_) => self.failed = written.err(),
                None => written?,
            }
        }
        if index + 1 == call.count {
            self.finish_sink();
        }
        if self.is_summed_up() {
            self.whole.runs.solve(solved.map(drop));
            return Ok(());
        }
        let summary = || self.summary(&found, index > 0);
        progress.aside(|| self.interrupt.ending_at_once(summary))?;
        if call.count == 1
            && let Some(note) = command.answer_note(&found)
        {
            progress.aside(|| message::note(&note));
        }
        Ok(())
    }

    /// Several pairs in a file have one summary.
    fn is_summed_up(&self) -> bool {
        self.call.count > 1 && self.file.is_some() && !self.call.settings.output.json
    }

    fn finish_sink(&mut self) {
        if self.failed.is_none()
            && let Some((_, sink)) = &mut self.sink
        {
            self.failed = self.progress.aside(|| sink.finish()).err();
        }
    }

    /// Goes to stderr if the witness is on stdout.
    fn summary(&self, found: &ReportContext<'_, C>, is_later: bool) -> anyhow::Result<()> {
        let (command, settings) = (self.call.command, &self.call.settings);
        if let Witness::Stdout(format) = self.call.witness {
            output::end_line(format.is_unended() && found.inputs.lists.are_letters())?;
            if found.is_one_of_several || !settings.has_summary {
                return Ok(());
            }
            return output::to_stderr(|out| command.text(found, io::stderr().is_terminal(), out));
        }
        let in_json = matches!(self.call.witness, Witness::InJson);
        output::to_stdout(|out| {
            if settings.output.json || in_json {
                return command.json(found, in_json, out);
            }
            report::between(is_later, out)?;
            command.text(found, io::stdout().is_terminal(), out)
        })
    }

    pub fn finish(mut self) -> anyhow::Result<()> {
        let (call, found) = (self.call, self.whole.found);
        let count = call.count;
        self.finish_sink();
        if self.is_summed_up()
            && let Some(mut solved) = self.whole.runs.solved.take()
        {
            solved.run.elapsed = self.started.elapsed();
            let mut lines = vec![("pairs", format!("{count}, {found} aligned"))];
            lines.extend(report::input_lines(C::FORM.names, &call.inputs));
            lines.extend(report::run_lines(C::FORM.counted, &solved));
            let print = || output::to_stdout(|out| report::write_aligned(&lines, out));
            self.progress
                .aside(|| self.interrupt.ending_at_once(print))?;
        }
        self.progress.finish();
        let missing = if call.settings.output.asks_for_witness() {
            count - found
        } else {
            0
        };
        if missing > 0
            && let Some(bound) = call.settings.max_distance
        {
            let of_pairs = if count == 1 {
                String::new()
            } else {
                format!("of {missing} of {count} pairs ")
            };
            let stays = match self.file {
                Some(file) if missing == count => format!(", and {file} stays as it is"),
                _ => String::new(),
            };
            message::note(&format!(
                "the distance {of_pairs}is more than {bound}, so there is no alignment{stays}"
            ));
        }
        match self.failed {
            Some(error) => Err(error),
            None if call.settings.sets_exit_code && !self.whole.is_found => {
                Err(Failure::Differs.into())
            }
            None => Ok(()),
        }
    }
}
