//! A command as the judge, by its exit code, as `git bisect run` has it.

use proofmark_conclude::bisect::exited_like;
use proofmark_evidence::record::{
    BisectAnswer, BisectConclusion, End, SkipReason, StepOf, StepOutcome,
};
use proofmark_terms::{Commit, StateIndex};

use super::course::Course;
use super::request::Revisions;
use crate::clock::now_ms;
use crate::error::LabError;

impl<R: Revisions> Course<'_, '_, R> {
    /// Goes from the ends to an answer by what the command says.
    pub(super) fn scripted(&mut self, command: &str) -> Result<BisectConclusion, R::Error> {
        if self.ends_step().is_none() {
            self.script_on_ends(command)?;
        }
        loop {
            if self.laboratory.stop.requested() {
                return Err(LabError::Interrupted.into());
            }
            let at = match self.next() {
                Ok((at, _)) => at,
                Err(answer) => return self.answered(answer),
            };
            let began_ms = now_ms();
            let commit = self.commit(at)?;
            let outcome = self.exited(&commit, command)?;
            self.came(StepOf::Commit(StateIndex::at(at)), outcome, began_ms)?;
        }
    }

    /// A command that does not tell the ends apart finds some commit, and nothing is known.
    fn script_on_ends(&mut self, command: &str) -> Result<(), R::Error> {
        let began_ms = now_ms();
        let newest = self.commit(self.request.commits.len().saturating_sub(1))?;
        let mut last = None;
        for (commit, end) in [
            (self.request.older.clone(), End::Older),
            (newest, End::Newer),
        ] {
            let outcome = self.exited(&commit, command)?;
            if outcome.like() != Some(end) {
                return Err(contradicts(command, &commit, end, &outcome).into());
            }
            last = Some(outcome);
        }
        if let Some(outcome) = last {
            self.came(StepOf::Ends, outcome, began_ms)?;
        }
        Ok(())
    }

    fn exited(&mut self, commit: &Commit, command: &str) -> Result<StepOutcome, R::Error> {
        let code = match self.revisions.judged(commit, command)? {
            Ok(code) => code,
            Err(error) => {
                return Ok(StepOutcome::Skipped {
                    why: SkipReason::NotBuilt,
                    said: self.revisions.said(&error),
                });
            }
        };
        if self.laboratory.stop.requested() {
            return Err(LabError::Interrupted.into());
        }
        let Some(like) = code.and_then(exited_like) else {
            return Err(LabError::Judge {
                command: command.to_owned(),
                commit: short(commit),
                how: match code {
                    Some(code) => format!("ended with exit code {code}"),
                    None => "was ended by a signal".to_owned(),
                },
            }
            .into());
        };
        Ok(StepOutcome::Exited {
            code: code.unwrap_or_default(),
            like,
        })
    }

    fn answered(&mut self, answer: BisectAnswer) -> Result<BisectConclusion, R::Error> {
        let files = self.files(&answer)?;
        Ok(BisectConclusion {
            files,
            ..self.conclusion(answer)
        })
    }
}

fn contradicts(command: &str, commit: &Commit, end: End, outcome: &StepOutcome) -> LabError {
    let (called, wanted) = match end {
        End::Older => ("good", "0"),
        End::Newer => ("bad", "1 to 124"),
    };
    let found = match outcome {
        StepOutcome::Exited { code, .. } => format!("exit code {code}"),
        StepOutcome::Skipped { said, .. } => format!("nothing ({said})"),
        _ => "something else".to_owned(),
    };
    LabError::Judge {
        command: command.to_owned(),
        commit: short(commit),
        how: format!(
            "says {found} of the end that was called {called}, where it has to say {wanted}"
        ),
    }
}

fn short(commit: &Commit) -> String {
    commit.id.get(..12).unwrap_or(&commit.id).to_owned()
}
