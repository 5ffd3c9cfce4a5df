//! A bisection computed again: each step from its experiment, and the answer from the steps.

mod every_change;

use proofmark_evidence::record::{
    Bisect, BisectAnswer, BisectConclusion, BisectStep, EffectFound, End, EndsFound, Judge,
    Question, Relation, StepOf, StepOutcome, SurveyFound,
};
use proofmark_evidence::{ChainSort, RecordedBisect, Store, StoreError};
use proofmark_terms::{Commit, StateIndex};
use serde::Serialize;

use super::experiments::{Experiments, Stopped, Wanted, not};
use super::found::{AsRecorded, Finding, VerifiedChain};
use super::numbers::compared;
use crate::bisect::{
    EndsSay, Next, Search, Survey, effect_of, effect_of_ends, ends_sign, exited_like, level,
    measured, of_ends,
};

pub(super) fn verified(
    recorded: &RecordedBisect,
    store: &Store,
) -> Result<VerifiedChain, StoreError> {
    let mut as_recorded = AsRecorded::default();
    let finding = match &recorded.conclusion {
        None => Finding::NothingClaimed,
        Some(claimed) => match again(recorded, claimed, store, &mut as_recorded) {
            Ok((said, found)) => compared(&said, &found),
            Err(Stopped::Not(why)) => Finding::NotConcluded { why },
            Err(Stopped::Store(error)) => return Err(error),
        },
    };
    Ok(VerifiedChain {
        as_recorded,
        ..VerifiedChain::of_experiments(
            recorded.id.as_str(),
            ChainSort::Bisect,
            format!("{} states", recorded.bisect.commits.len()),
            finding,
        )
    })
}

/// What is computed again of a bisection.
#[derive(Serialize)]
struct Said {
    steps: Vec<StepSaid>,
    conclusion: BisectConclusion,
}

#[derive(Serialize)]
#[serde(untagged)]
enum StepSaid {
    Measured(StepOutcome),
    Like(Option<End>),
}

/// As it says it, and as its experiments do.
fn again(
    recorded: &RecordedBisect,
    claimed: &BisectConclusion,
    store: &Store,
    as_recorded: &mut AsRecorded,
) -> Result<(Said, Said), Stopped> {
    let bare = |answer, ends, effect, survey| BisectConclusion {
        answer,
        ends,
        effect,
        survey,
        code: None,
        files: Vec::new(),
        rebuilt: None,
        rebuilt_of: None,
        took_ms: 0,
    };
    let said = Said {
        steps: recorded
            .steps
            .iter()
            .map(|step| said(&step.outcome))
            .collect(),
        conclusion: bare(
            claimed.answer.clone(),
            claimed.ends.clone(),
            claimed.effect.clone(),
            claimed.survey.as_ref().map(without_code),
        ),
    };
    let mut found = Vec::new();
    let (answer, ends, effect, survey) = match &recorded.bisect.judge {
        Judge::Script { .. } => {
            let answer = scripted(recorded, &mut found, as_recorded)?;
            (answer, None, None, None)
        }
        Judge::Blocks {
            benchmark,
            design,
            as_shipped,
            ..
        } => {
            let axis = recorded.bisect.axis;
            let mut course = Course {
                recorded,
                experiments: Experiments::new(store, axis, benchmark, Some(design.margin)),
                as_shipped: *as_shipped,
                found: &mut found,
                measured: 0,
                as_recorded,
            };
            course.answered(claimed)?
        }
    };
    let found = Said {
        steps: found,
        conclusion: bare(answer, ends, effect, survey),
    };
    Ok((said, found))
}

fn said(outcome: &StepOutcome) -> StepSaid {
    match outcome {
        StepOutcome::Compared { .. }
        | StepOutcome::Measured { .. }
        | StepOutcome::Beside { .. } => StepSaid::Measured(outcome.clone()),
        other => StepSaid::Like(other.like()),
    }
}

/// The survey without what was seen beside its figures.
fn without_code(survey: &SurveyFound) -> SurveyFound {
    let mut survey = survey.clone();
    for change in &mut survey.changes {
        change.code = None;
        change.files.clear();
    }
    survey
}

/// The answer of a search that is over.
fn answer_of(search: &Search) -> Result<BisectAnswer, Stopped> {
    match search.next() {
        Next::Try { .. } => not("it has an answer before its search is over"),
        Next::Found(commit) => Ok(BisectAnswer::Found {
            commit: StateIndex::at(commit),
        }),
        Next::Among(commits) => Ok(BisectAnswer::Among {
            commits: commits.into_iter().map(StateIndex::at).collect(),
        }),
    }
}

fn search_of(bisect: &Bisect) -> Result<Search, Stopped> {
    let search = Search::of(&bisect.older.id, &bisect.commits);
    search.or_else(|error| not(format!("its history cannot be searched: {error}")))
}

/// By the exit codes that a script is recorded to have had.
fn scripted(
    recorded: &RecordedBisect,
    found: &mut Vec<StepSaid>,
    as_recorded: &mut AsRecorded,
) -> Result<BisectAnswer, Stopped> {
    let mut search = search_of(&recorded.bisect)?;
    for step in &recorded.steps {
        let outcome = match &step.outcome {
            StepOutcome::Exited { code, .. } => {
                as_recorded.exits += 1;
                let Some(like) = exited_like(*code) else {
                    return not(format!("exit code {code} of its script says nothing"));
                };
                StepOutcome::Exited { code: *code, like }
            }
            StepOutcome::Skipped { .. } => {
                as_recorded.skipped += 1;
                step.outcome.clone()
            }
            _ => return not("a script judges, and a step has an experiment"),
        };
        match step.of {
            StepOf::Commit(commit) => search.note(commit, &outcome),
            StepOf::Ends if outcome.like() == Some(End::Newer) => {}
            StepOf::Ends => return not("its script does not tell the ends apart"),
        }
        found.push(said(&outcome));
    }
    answer_of(&search)
}

type Answered = (
    BisectAnswer,
    Option<EndsFound>,
    Option<EffectFound>,
    Option<SurveyFound>,
);

/// The course of a bisection that measures, taken once more.
struct Course<'a, 'b> {
    recorded: &'a RecordedBisect,
    experiments: Experiments<'a>,
    as_shipped: bool,
    found: &'b mut Vec<StepSaid>,
    /// Steps before, each of which has used up some of the probability of error.
    measured: u32,
    as_recorded: &'b mut AsRecorded,
}

impl<'a> Course<'a, '_> {
    fn commits(&self) -> &'a [Commit] {
        &self.recorded.bisect.commits
    }

    /// The older end is point 0 of the line, and the last one the newer end.
    fn point(&self, point: usize) -> Result<&'a Commit, Stopped> {
        let found = match point.checked_sub(1) {
            None => Some(&self.recorded.bisect.older),
            Some(place) => self.commits().get(place),
        };
        found.map_or_else(|| not("it names a commit that it has not"), Ok)
    }

    fn wanted<'w>(&self, question: Question, commits: &'w [&'w Commit], error: f64) -> Wanted<'w> {
        Wanted {
            question,
            commits,
            confidence: Some(1.0 - error),
            as_shipped: self.as_shipped,
        }
    }

    fn level(&mut self) -> Result<f64, Stopped> {
        self.measured += 1;
        let error = 1.0 - self.recorded.bisect.confidence;
        let level = level(error, self.measured);
        level.map_or_else(|| not("no probability of error is left for a step"), Ok)
    }

    fn answered(&mut self, claimed: &BisectConclusion) -> Result<Answered, Stopped> {
        let mut steps = self.recorded.steps.iter();
        let first = steps.clone().next();
        let ends = match first {
            Some(BisectStep {
                of: StepOf::Ends,
                outcome: StepOutcome::Compared { experiment, .. },
                ..
            }) => {
                steps.next();
                let level = self.level()?;
                let newest = self.point(self.commits().len())?;
                let commits = [&self.recorded.bisect.older, newest];
                let wanted = self.wanted(Question::Compare, &commits, level);
                let loaded = self.experiments.take(experiment, &wanted)?;
                self.found.push(said(&StepOutcome::Compared {
                    experiment: experiment.clone(),
                    level,
                }));
                Some(of_ends(&loaded, self.as_shipped)?)
            }
            // Nothing was measured of ends that are one program.
            _ => {
                self.as_recorded.same_programs += 1;
                None
            }
        };
        let steps: Vec<&'a BisectStep> = steps.collect();
        if let Some(width) = self.recorded.bisect.survey {
            let (ends, say) = ends.map_or((None, None), |(ends, say)| (Some(ends), Some(say)));
            let relation = match say {
                Some(EndsSay::Differ) => Relation::Differs,
                Some(EndsSay::Not(BisectAnswer::Undecided)) => Relation::Unclear,
                _ => Relation::Alike,
            };
            let survey = Survey::new(self.commits().len(), width as usize, relation);
            let survey = self.surveyed(survey, &steps, claimed)?;
            return Ok((BisectAnswer::Changes, ends, None, Some(survey)));
        }
        match ends {
            Some((ends, EndsSay::Differ)) => self.searched(ends, &steps, claimed),
            other if steps.is_empty() => Ok(match other {
                Some((ends, EndsSay::Not(answer))) => (answer, Some(ends), None, None),
                _ => (BisectAnswer::SameProgram, None, None, None),
            }),
            _ => not("it has steps though its ends do not differ"),
        }
    }

    /// One change, between ends that differ.
    fn searched(
        &mut self,
        ends: EndsFound,
        steps: &[&'a BisectStep],
        claimed: &BisectConclusion,
    ) -> Result<Answered, Stopped> {
        let mut search = search_of(&self.recorded.bisect)?;
        let sign = ends_sign(&ends.interval);
        let older = &self.recorded.bisect.older;
        let newest = self.point(self.commits().len())?;
        // Programs whose level is known, by the names of their commits.
        let mut known = vec![(&older.id, End::Older), (&newest.id, End::Newer)];
        for step in steps {
            let StepOf::Commit(place) = step.of else {
                return not("its ends were compared twice");
            };
            let commit = self.point(place.place() + 1)?;
            let outcome = match &step.outcome {
                StepOutcome::Measured { experiment, .. } => {
                    let level = self.level()?;
                    let commits = [commit, older, newest];
                    let wanted = self.wanted(Question::Between, &commits, level);
                    let loaded = self.experiments.take(experiment, &wanted)?;
                    measured(&loaded, level, sign)?
                }
                StepOutcome::SameProgram { as_commit, .. } => {
                    self.as_recorded.same_programs += 1;
                    let like = known.iter().find(|(id, _)| *id == as_commit);
                    let Some((_, like)) = like else {
                        return not("a commit has the program of one that was not judged before");
                    };
                    StepOutcome::SameProgram {
                        as_commit: as_commit.clone(),
                        like: *like,
                    }
                }
                StepOutcome::Skipped { .. } => {
                    self.as_recorded.skipped += 1;
                    step.outcome.clone()
                }
                _ => return not("a step is none of a search for one change"),
            };
            if let (StepOutcome::Measured { .. }, Some(like)) = (&outcome, outcome.like()) {
                known.push((&commit.id, like));
            }
            search.note(place, &outcome);
            self.found.push(said(&outcome));
        }
        let answer = answer_of(&search)?;
        let effect = match (&answer, &claimed.effect) {
            (BisectAnswer::Found { commit }, Some(effect)) => {
                Some(self.effect_of_answer(*commit, effect, &ends, steps)?)
            }
            (BisectAnswer::Found { .. }, None) => {
                self.as_recorded.skipped += 1;
                None
            }
            _ => None,
        };
        Ok((answer, Some(ends), effect, None))
    }

    fn effect_of_answer(
        &mut self,
        place: StateIndex,
        claimed: &EffectFound,
        ends: &EndsFound,
        steps: &[&BisectStep],
    ) -> Result<EffectFound, Stopped> {
        let commit = self.point(place.place() + 1)?;
        let older = &self.recorded.bisect.older;
        // The first parent, or the older end where that one cannot be built.
        let mut line = self
            .commits()
            .iter()
            .filter(|one| Some(&one.id) == commit.parents.first());
        let parent = line.next().filter(|one| one.id == claimed.parent);
        let parent = parent.unwrap_or(older);
        if claimed.experiment == ends.experiment {
            let of = |commit: &Commit| {
                steps.iter().find(|step| match step.of {
                    StepOf::Commit(place) => place.of(self.commits()) == Some(commit),
                    StepOf::Ends => false,
                })
            };
            // One that was measured is a program of its own.
            let own = |commit: &Commit| {
                of(commit).is_some_and(|step| matches!(step.outcome, StepOutcome::Measured { .. }))
            };
            if own(commit) || own(parent) {
                return not("its effect is that of the ends, which are other programs");
            }
            return Ok(effect_of_ends(parent.id.clone(), ends));
        }
        let error = 1.0 - self.recorded.bisect.confidence;
        self.effect(claimed, [parent, commit], error)
    }

    fn effect(
        &mut self,
        claimed: &EffectFound,
        commits: [&Commit; 2],
        error: f64,
    ) -> Result<EffectFound, Stopped> {
        let wanted = self.wanted(Question::Compare, &commits, error);
        let loaded = self.experiments.take(&claimed.experiment, &wanted)?;
        Ok(effect_of(&loaded, commits[0].id.clone())?)
    }
}
