//! Whether the runs of a round may count, and where they may not, whose doing it is.

use std::fs;

use proofmark_conclude::build_of;
use proofmark_evidence::record::Run;
use proofmark_measure::{Launch, Outcome, Turns};

use super::{Bench, Placed};
use crate::block::idle;
use crate::command;
use crate::error::LabError;
use crate::output::{Speaker, run_of, varies};

/// A round that was made.
#[derive(Clone, Copy)]
pub(super) struct Made<'a> {
    /// The arms, as indices into the placed arms.
    pub(super) order: &'a [usize],
    /// How each was started.
    pub(super) launches: &'a [Launch],
    pub(super) turns: &'a Turns,
    /// What came of each.
    pub(super) outcomes: &'a [Outcome],
}

impl Bench {
    /// The runs of a round, in its order.
    ///
    /// # Errors
    ///
    /// When one of them may not count, with what more of them say of the cause.
    pub(super) fn accept_or_say_why(&mut self, made: &Made<'_>) -> Result<Vec<Run>, LabError> {
        let before = self.heard.clone();
        self.accept_all(made.order, made.outcomes).map_err(|error| {
            if error.is_of_a_run() && matches!(made.turns, Turns::Sliced { .. }) {
                self.heard = before;
                if self.each_by_itself(made) {
                    return error.beside();
                }
            }
            if error.is_of_output() && self.varies_by_itself(made) {
                return error.not_deterministic();
            }
            error
        })
    }

    /// Accepts the outcomes of the arms in `order`; the runs are in that order too. The base is
    /// heard first, whichever ran first: others are held against it.
    fn accept_all(&mut self, order: &[usize], outcomes: &[Outcome]) -> Result<Vec<Run>, LabError> {
        let mut places: Vec<usize> = (0..order.len().min(outcomes.len())).collect();
        places.sort_by_key(|&place| order[place]);
        let mut runs = Vec::with_capacity(places.len());
        for place in places {
            runs.push((place, self.accept(order[place], &outcomes[place])?));
        }
        runs.sort_by_key(|&(place, _)| place);
        Ok(runs.into_iter().map(|(_, run)| run).collect())
    }

    /// Holds an outcome against what a run must be, and makes its record.
    fn accept(&mut self, index: usize, outcome: &Outcome) -> Result<Run, LabError> {
        let placed = &self.placed[index];
        let Some(build) = build_of(placed.arm) else {
            return idle::run(outcome);
        };
        self.printing.hear(outcome);
        let arm = self.name(placed.arm);
        let mut heard = std::mem::take(&mut self.heard);
        let speaker = Speaker {
            build,
            name: &arm,
            image: &placed.staged.path,
        };
        let run = run_of(
            self.benchmark(placed.arm),
            &mut heard,
            speaker,
            outcome,
            || self.keep_failed(placed),
        );
        self.heard = heard;
        run.map_err(|error| error.of_build(build))
    }

    /// Whether every run is as it must be where they come one after the other.
    fn each_by_itself(&mut self, made: &Made<'_>) -> bool {
        let turns = Turns::Interleaved {
            order: (0..made.launches.len()).collect(),
        };
        self.again(made, &turns)
            .is_ok_and(|outcomes| self.accept_all(made.order, &outcomes).is_ok())
    }

    /// Whether one image prints something else each time, so that it is not the builds that do.
    fn varies_by_itself(&mut self, made: &Made<'_>) -> bool {
        let Ok(second) = self.again(made, made.turns) else {
            return false;
        };
        let pairs = made.outcomes.iter().zip(&second);
        pairs.zip(made.launches).any(|((first, second), launch)| {
            let benchmark = &self.experiment.benchmark;
            matches!(
                varies(benchmark, &launch.program, &first.stdout, &second.stdout),
                Ok(true)
            )
        })
    }

    /// The same runs once more.
    fn again(&mut self, made: &Made<'_>, turns: &Turns) -> Result<Vec<Outcome>, LabError> {
        self.renew(made.order)?;
        self.runner.round(made.launches, turns)
    }

    /// Keeps the image of a failed run beside the store and gives the command that runs it again.
    fn keep_failed(&self, placed: &Placed) -> String {
        let kept = self
            .copies
            .folder()
            .with_file_name("failed")
            .join(placed.staged.path.file_name().unwrap_or_default());
        let copied = kept
            .parent()
            .is_some_and(|parent| fs::create_dir_all(parent).is_ok())
            && fs::copy(&placed.staged.file, &kept).is_ok();
        command::shown(
            self.benchmark(placed.arm),
            if copied { &kept } else { &placed.staged.path },
        )
    }
}
