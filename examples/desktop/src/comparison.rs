//! A running comparison of two files: seeds and their chain first, then the alignment.

use std::path::Path;
use std::sync::mpsc::{Receiver, channel};

use swath::edit_distance::EditDistance;
use swath::{Edit, Engine, Error, Job, Report};

use crate::plot::Plot;
use crate::{seeds, sequence};

/// Two sequences and the results so far.
pub struct Comparison {
    job: Option<Job<EditDistance>>,
    seeds: Option<Receiver<Plot>>,
    plot: Plot,
    outcome: Option<Result<Report<EditDistance>, Error>>,
}

impl Comparison {
    /// Reads two files and starts the alignment; returns a message if a file cannot be read.
    pub fn start(engine: &Engine, paths: [&Path; 2]) -> Result<Self, String> {
        let (a, b) = (sequence::read(paths[0])?, sequence::read(paths[1])?);
        let plot = Plot::new(a.len(), b.len());
        let job = engine.start(Edit::of(a.clone(), b.clone()).path());
        let (sender, seeds) = channel();
        // The send fails if the comparison was dropped meanwhile.
        std::thread::spawn(move || sender.send(seeds::plot(&a, &b)));
        Ok(Self {
            job: Some(job),
            seeds: Some(seeds),
            plot,
            outcome: None,
        })
    }

    /// Takes new results; true if the plot has changed.
    pub fn advance(&mut self) -> bool {
        let mut changed = false;
        if let Some(mut plot) = self.seeds.as_ref().and_then(|seeds| seeds.try_recv().ok()) {
            self.draw_alignment(&mut plot);
            (self.plot, self.seeds) = (plot, None);
            changed = true;
        }
        if let Some(outcome) = self.job.as_mut().and_then(Job::try_wait) {
            (self.job, self.outcome) = (None, Some(outcome));
            let mut plot = self.plot.clone();
            self.draw_alignment(&mut plot);
            self.plot = plot;
            changed = true;
        }
        changed
    }

    /// True if no results are outstanding.
    pub fn is_complete(&self) -> bool {
        self.job.is_none() && self.seeds.is_none()
    }

    /// Progress of the alignment, `None` once finished.
    pub fn progress(&self) -> Option<f32> {
        self.job.as_ref().map(|job| job.progress().fraction as f32)
    }

    pub fn cancel(&self) {
        self.job.iter().for_each(Job::cancel);
    }

    /// The current plot.
    pub fn plot(&self) -> &Plot {
        &self.plot
    }

    /// The result of the alignment, once finished.
    pub fn outcome(&self) -> Option<&Result<Report<EditDistance>, Error>> {
        self.outcome.as_ref()
    }

    fn draw_alignment(&self, plot: &mut Plot) {
        let alignment = self
            .outcome
            .iter()
            .flatten()
            .filter_map(|report| report.alignment.as_ref());
        for alignment in alignment {
            plot.without_chain();
            alignment.blocks().iter().for_each(|&run| plot.run(run));
        }
    }
}
