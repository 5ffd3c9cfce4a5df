//! What stands below the answer: each line with what it is about.

use proofmark_evidence::RecordedBisect;
use proofmark_evidence::record::{
    BisectAnswer, BisectConclusion, End, Judge, Neighbour, Rebuilt, Relation, SkipReason, StepOf,
    StepOutcome,
};
use proofmark_terms::Commit;

use super::answer::short;
use super::lines::{among, code, effect, explain, of_state};
use super::sides;
use super::survey::survey;
use crate::line::Line;
use crate::method::left_out;
use crate::number::{change_of, counted, duration, interval, setting};
use crate::rebuilt;
use crate::text::{one_line, printable, shortened};

/// Columns of a reason.
const REASON: usize = 120;

/// All lines below the answer.
pub(super) fn lines(recorded: &RecordedBisect, conclusion: &BisectConclusion) -> Vec<Line> {
    let mut lines = Vec::new();
    match &conclusion.answer {
        BisectAnswer::Found { commit } => {
            if let Some(commit) = commit.of(&recorded.bisect.commits) {
                lines.extend(of_state(recorded, commit, &conclusion.files));
            }
        }
        BisectAnswer::Among { commits } => lines.extend(among(recorded, commits)),
        _ => {}
    }
    lines.extend(compiler(recorded));
    lines.extend(survey(recorded, conclusion));
    lines.extend(
        conclusion
            .effect
            .iter()
            .flat_map(|one| effect(recorded, one)),
    );
    lines.extend(conclusion.code.as_ref().map(code));
    lines.extend(ends(recorded, conclusion));
    lines.extend(builds(recorded, conclusion));
    lines.extend(skipped(recorded));
    lines.extend(sides::said(recorded));
    lines.extend(between(recorded));
    if conclusion.answer == BisectAnswer::Placement {
        lines.push(Line::new(
            "next",
            "--as-shipped finds an edge of the difference as shipped all the same; each link draws \
             its place anew, so that there may be others, and any later commit may undo it",
        ));
    }
    lines.extend(sure(recorded, conclusion));
    lines.extend(left_out(recorded.private).map(|what| Line::new("private", what)));
    lines.push(Line::new(
        "took",
        format!(
            "{}; bisection {}",
            duration(conclusion.took_ms),
            recorded.id.short()
        ),
    ));
    lines.extend(explain(recorded, &conclusion.answer));
    lines
}

/// That the commits are a compiler's.
fn compiler(recorded: &RecordedBisect) -> Option<Line> {
    let name = recorded.bisect.toolchain.as_deref()?;
    let words = format!(
        "the commits are those of toolchain {}: what was measured is one program, as each of them \
         compiles it",
        printable(name)
    );
    Some(Line::new("compiler", words))
}

fn ends(recorded: &RecordedBisect, conclusion: &BisectConclusion) -> Vec<Line> {
    let Some(ends) = &conclusion.ends else {
        return Vec::new();
    };
    let newest = recorded.bisect.commits.last();
    let shipped = ends.as_shipped.as_ref();
    let shipped = shipped.map_or(String::new(), |one| {
        format!("; {} as shipped", interval(one))
    });
    vec![Line::new(
        "ends",
        format!(
            "{}{shipped}; from {} to {}, {}",
            interval(&ends.interval),
            short(&recorded.bisect.older.id),
            newest.map_or("?", |one| short(&one.id)),
            counted(ends.blocks, "block", "blocks")
        ),
    )]
}

/// How builds of one commit compare, where that matters.
fn builds(recorded: &RecordedBisect, conclusion: &BisectConclusion) -> Option<Line> {
    let repeat = match recorded.bisect.judge {
        Judge::Blocks { repeat, .. } => repeat,
        Judge::Script { .. } => 1,
    };
    let (name, place) = match &conclusion.rebuilt_of {
        Some(commit) => (commit, "a commit that is to blame"),
        None => (&recorded.bisect.older.id, "the older end"),
    };
    let words = rebuilt::builds(conclusion.rebuilt?, repeat, short(name), place)?;
    Some(Line::new("builds", words))
}

/// That a build comes out different each time, and only one was asked for.
#[must_use]
pub fn rebuilt(commit: &Commit) -> String {
    crate::text::untied(&format!("builds: {}", rebuilt::alone(short(&commit.id))))
}

fn skipped(recorded: &RecordedBisect) -> Vec<Line> {
    let steps = recorded.steps.iter();
    steps
        .filter_map(|step| {
            let StepOf::Commit(place) = step.of else {
                return None;
            };
            let commit = place.of(&recorded.bisect.commits)?;
            let why = unjudged(&step.outcome)?;
            Some(Line::new(
                "skipped",
                format!("{}: {why}", short(&commit.id)),
            ))
        })
        .collect()
}

/// Why a commit could not be judged; `None` of one that was.
fn unjudged(outcome: &StepOutcome) -> Option<String> {
    match outcome {
        StepOutcome::Skipped { why, said } => {
            let why = match why {
                SkipReason::NotBuilt => "not built",
                SkipReason::Failed => "its benchmark failed",
                SkipReason::NotLaidOut => "cannot be laid out beside the ends",
            };
            Some(format!("{why}: {}", shortened(&one_line(said), REASON)))
        }
        StepOutcome::Exited { like: None, code } => Some(format!("exit code {code}")),
        StepOutcome::Measured {
            like: None, blocks, ..
        } => Some(format!(
            "not told which end it is like after {}",
            counted(*blocks, "block", "blocks")
        )),
        _ => None,
    }
}

/// Commits that lie between the ends: there is more than one change.
fn between(recorded: &RecordedBisect) -> Vec<Line> {
    let steps = recorded.steps.iter();
    steps
        .filter_map(|step| match (&step.outcome, step.of) {
            (
                StepOutcome::Measured {
                    between: true,
                    by_older,
                    by_newer,
                    ..
                },
                StepOf::Commit(place),
            ) => {
                let commit = place.of(&recorded.bisect.commits)?;
                Some(Line::new(
                    "between",
                    format!(
                        "{} lies between the ends ({} of the older, {} of the newer): there is \
                         another change; --all looks for every one",
                        short(&commit.id),
                        change_of(by_older),
                        change_of(by_newer)
                    ),
                ))
            }
            _ => None,
        })
        .collect()
}

fn sure(recorded: &RecordedBisect, conclusion: &BisectConclusion) -> Option<Line> {
    let judged = recorded.steps.len();
    if matches!(recorded.bisect.judge, Judge::Script { .. }) {
        return Some(Line::new(
            "sure",
            "as sure as the script: each commit was judged once, by its exit code",
        ));
    }
    let steps = recorded.steps.iter();
    let spent: Vec<f64> = steps.filter_map(|step| step.outcome.level()).collect();
    if spent.is_empty() {
        return None;
    }
    let what = match conclusion.answer {
        BisectAnswer::Found { .. } | BisectAnswer::Among { .. } => {
            "wrong in at most {} of such searches, if there is one change"
        }
        _ => "the intervals hold in all but {} of such comparisons",
    };
    let sum: f64 = spent.iter().sum();
    let mut what = what.replace("{}", &setting((sum * 1e4).ceil() / 1e4));
    if builds_are_a_draw(recorded, conclusion) {
        what.push_str(", as long as a rebuild alone changes nothing");
    }
    Some(Line::new(
        "sure",
        format!(
            "{what}; {} measured of {}",
            spent.len(),
            counted(u32::try_from(judged).unwrap_or(u32::MAX), "step", "steps")
        ),
    ))
}

/// Whether builds of one commit differ, and one stands for each commit.
fn builds_are_a_draw(recorded: &RecordedBisect, conclusion: &BisectConclusion) -> bool {
    let once = matches!(recorded.bisect.judge, Judge::Blocks { repeat: 1, .. });
    once && conclusion.rebuilt == Some(Rebuilt::Differs)
}

/// What came of a step, in a few words.
pub(super) fn outcome(outcome: &StepOutcome) -> String {
    let like = |like: End| match like {
        End::Older => "like the older end",
        End::Newer => "like the newer end",
    };
    match outcome {
        StepOutcome::Compared { .. } => "the ends were compared".to_owned(),
        StepOutcome::SameProgram {
            as_commit,
            like: end,
        } => format!("{}: the same program as {}", like(*end), short(as_commit)),
        StepOutcome::Measured {
            like: Some(end),
            middle,
            blocks,
            ..
        } => format!(
            "{}: {} from the middle, {}",
            like(*end),
            change_of(middle),
            counted(*blocks, "block", "blocks")
        ),
        StepOutcome::Beside {
            older,
            newer,
            blocks,
            ..
        } => format!(
            "{}, {}; {}",
            beside(older),
            beside(newer),
            counted(*blocks, "block", "blocks")
        ),
        StepOutcome::Exited {
            code,
            like: Some(end),
        } => format!("{}: exit code {code}", like(*end)),
        other => match unjudged(other) {
            Some(why) => format!("skipped: {why}"),
            None => String::new(),
        },
    }
}

/// How a commit compares with a neighbour.
fn beside(neighbour: &Neighbour) -> String {
    let of = short(&neighbour.id);
    let change = change_of(&neighbour.interval);
    match neighbour.relation {
        Relation::Alike => format!("as {of} ({change})"),
        Relation::Differs => format!("{change} of {of}"),
        Relation::Unclear => format!("not told from {of} ({change})"),
    }
}

/// One line on a step that is done.
#[must_use]
pub fn progress(commit: Option<&Commit>, step: &StepOutcome, candidates: usize) -> String {
    let what = match commit {
        None => "ends".to_owned(),
        Some(commit) => short(&commit.id).to_owned(),
    };
    crate::text::untied(&format!(
        "{what}: {}; {} left",
        outcome(step),
        counted(
            u32::try_from(candidates).unwrap_or(u32::MAX),
            "candidate",
            "candidates"
        )
    ))
}
