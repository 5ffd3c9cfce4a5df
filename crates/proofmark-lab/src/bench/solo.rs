//! Runs of one arm by itself, which are told and not judged.

use std::time::Duration;

use proofmark_measure::trace::{self, Haste, TraceLimits, Untraceable};
use proofmark_measure::{MeasureError, Outcome, Output, Stretch, Turns, value};
use proofmark_terms::{Digest, Metric};

use super::{Bench, ns};
use crate::error::LabError;
use crate::output::Said;
use crate::prepare::prepare;
use crate::rig::{Alone, Habits, Pauses, Solo, Traceable};

impl Bench {
    /// One run of a placed arm.
    pub(super) fn one_alone(&mut self, arm: usize, how: &Alone) -> Result<Solo, LabError> {
        self.settle()?;
        self.renew(&[arm])?;
        let launch = self.launch_alone(arm, how)?;
        let outcome = match &how.pauses {
            None => {
                let turns = Turns::Interleaved { order: vec![0] };
                let launches = std::slice::from_ref(&launch);
                self.runner.round(launches, &turns)?.pop()
            }
            Some(pauses) => Some(self.runner.stretched(&launch, &stretch(pauses))?),
        };
        let outcome = outcome.ok_or(MeasureError::LauncherLost)?;
        self.solo_of(arm, &outcome)
    }

    /// What is told of a run of a placed arm.
    pub(super) fn solo_of(&self, arm: usize, outcome: &Outcome) -> Result<Solo, LabError> {
        let metric = &self.experiment.benchmark.metric;
        let number = match metric {
            Metric::Output { .. } => value(metric, outcome).ok(),
            _ => None,
        };
        Ok(Solo {
            end: outcome.end,
            printed: self.printed_by(arm, &outcome.stdout)?,
            number,
            cpu_ns: ns(outcome.cpu),
            wall_ns: ns(outcome.wall),
            waits: outcome.waits,
        })
    }

    /// One traced run of a placed arm.
    pub(super) fn traced(&mut self, arm: usize, how: &Alone) -> Result<Traceable, LabError> {
        prepare(&self.experiment.benchmark)?;
        self.renew(&[arm])?;
        let launch = self.launch_alone(arm, how)?;
        let limits = TraceLimits {
            time: launch.timeout,
            ..TraceLimits::default()
        };
        let traced = match (&how.pauses, how.hurry) {
            (None, None) => trace::trace(&launch, &limits, &self.stop),
            (None, Some(hurry)) => {
                let limits = TraceLimits {
                    time: limits.time.min(Duration::from_nanos(hurry.limit_ns)),
                    ..limits
                };
                let haste = Haste {
                    times: hurry.times,
                    longest: Duration::from_nanos(hurry.longest_ns),
                };
                trace::trace_hurried(&launch, &limits, &self.stop, haste)
            }
            (Some(pauses), _) => {
                trace::trace_stretched(&launch, &limits, &self.stop, &stretch(pauses))
            }
        };
        match traced {
            Ok(traced) => {
                let printed = self.printed_by(arm, &traced.stdout)?;
                Ok(Ok(Habits::of(&traced, printed)))
            }
            Err(Untraceable::Run(error)) => Err(error.into()),
            Err(reason) => Ok(Err(reason.to_string())),
        }
    }

    /// The digest of what a placed arm printed, as outputs are compared.
    fn printed_by(&self, arm: usize, output: &Output) -> Result<Digest, LabError> {
        let placed = self.placed.get(arm);
        let placed = placed.ok_or_else(|| LabError::Fault(format!("arm {arm} is not placed")))?;
        let benchmark = self.benchmark(placed.arm);
        Ok(Said::of(benchmark, output, &placed.staged.path)?.digest)
    }
}

fn stretch(pauses: &Pauses) -> Stretch {
    Stretch {
        slice: Duration::from_nanos(pauses.every_ns),
        times: pauses.times,
    }
}
