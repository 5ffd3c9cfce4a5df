//! The answer of a bisection in one sentence.

use proofmark_evidence::RecordedBisect;
use proofmark_evidence::record::{
    Axis, BisectAnswer, BisectConclusion, ChangeFound, EndsFound, Judge,
};
use proofmark_stats::Interval;
use proofmark_terms::{Commit, Metric};

use crate::number::{change_of, counted};
use crate::text::{printable, shortened};
use crate::wording::{comparatives, metric_in_full};

/// Columns of a commit's subject within a sentence.
const SUBJECT: usize = 60;

/// A state's name as people read it: a commit's begins with enough, a toolchain's is said in full.
pub(super) fn short(id: &str) -> &str {
    let is_hash = id.len() >= 40 && id.bytes().all(|byte| byte.is_ascii_hexdigit());
    id.get(..12).filter(|_| is_hash).unwrap_or(id)
}

/// What states are called, one and several.
pub(super) fn nouns(recorded: &RecordedBisect) -> (&'static str, &'static str) {
    match recorded.bisect.axis {
        Axis::Commits => ("commit", "commits"),
        Axis::Toolchains => ("toolchain", "toolchains"),
        Axis::Flags => ("set of flags", "sets of flags"),
    }
}

/// A commit's subject, safe to print.
pub(super) fn subject(commit: &Commit) -> String {
    shortened(&printable(&commit.subject), SUBJECT)
}

/// The metric, where something was measured.
pub(super) fn metric(recorded: &RecordedBisect) -> Option<&Metric> {
    match &recorded.bisect.judge {
        Judge::Blocks { benchmark, .. } => Some(&benchmark.metric),
        Judge::Script { .. } => None,
    }
}

/// Whether the difference as shipped was looked for.
pub(super) fn as_shipped(recorded: &RecordedBisect) -> bool {
    matches!(
        recorded.bisect.judge,
        Judge::Blocks {
            as_shipped: true,
            ..
        }
    )
}

/// A change in words: `slower: CPU time +3.1 % [+2.8, +3.4]`.
pub(super) fn changed(metric: &Metric, interval: &Interval) -> String {
    let rises = interval.estimate.ln() > 0.0;
    let [better, worse] = comparatives(metric);
    let word = if rises == metric.higher_is_better() {
        better
    } else {
        worse
    };
    format!("{word}: {} {}", metric_in_full(metric), change_of(interval))
}

/// The answer. Where placement makes most of what the ends show as shipped, a commit that is to
/// blame for the rest comes second.
pub(super) fn headline(recorded: &RecordedBisect, conclusion: &BisectConclusion) -> String {
    let said = answer(recorded, conclusion);
    let placement = match &conclusion.answer {
        BisectAnswer::Found { .. } | BisectAnswer::Among { .. } | BisectAnswer::Changes => {
            placement(conclusion)
        }
        _ => None,
    };
    match placement {
        Some(placement) => format!("{placement}. Over layouts, {said}"),
        None => said,
    }
}

fn answer(recorded: &RecordedBisect, conclusion: &BisectConclusion) -> String {
    let commits = &recorded.bisect.commits;
    match &conclusion.answer {
        BisectAnswer::Found { commit: place } => {
            let name = place.of(commits).map_or("?", |one| short(&one.id));
            let found = conclusion.effect.as_ref().map(|effect| effect.interval);
            match (metric(recorded), found) {
                (Some(metric), Some(interval)) => {
                    format!("{name} made it {}", changed(metric, &interval))
                }
                _ => format!("{name} is the first that is bad"),
            }
        }
        BisectAnswer::Among { commits: left } => {
            let older = &recorded.bisect.older.id;
            let forks = left.iter().filter_map(|place| place.of(commits));
            let mut forks = forks.filter(|one| one.parents.is_empty() && one.id != *older);
            match forks.next() {
                None => format!(
                    "it is one of {} commits, of which all but the newest cannot be judged",
                    left.len()
                ),
                Some(fork) => format!(
                    "it is one of {} commits: a side was forked off at {}, before {}, and whether \
                     it was like the newer end already cannot be judged",
                    left.len(),
                    short(&fork.id),
                    short(older),
                ),
            }
        }
        BisectAnswer::Changes => changes(recorded, conclusion),
        BisectAnswer::SameProgram => {
            "the ends are the same program, debug information and names of symbols aside: no commit \
             between them changed it"
                .to_owned()
        }
        BisectAnswer::NoDifference => {
            format!("no difference between the ends{}", of_ends(conclusion))
        }
        BisectAnswer::Placement => {
            let shipped = conclusion.ends.as_ref().and_then(|ends| ends.as_shipped);
            let shipped = shipped.map(|one| change_of(&one)).unwrap_or_default();
            format!(
                "placement; no commit is to blame: as shipped {shipped}, over layouts no \
                 difference{}",
                of_ends(conclusion)
            )
        }
        BisectAnswer::Negligible => format!(
            "the ends differ by less than the margin{}; --margin names a smaller one",
            of_ends(conclusion)
        ),
        BisectAnswer::Undecided => undecided(conclusion),
    }
}

/// What is known where the ends were not told apart: perhaps that placement makes most of what they
/// show as shipped.
fn undecided(conclusion: &BisectConclusion) -> String {
    match placement(conclusion) {
        Some(placement) => format!(
            "{placement}; whether a commit changed more than the margin could not be told; more \
             --blocks may tell"
        ),
        None => format!(
            "whether the ends differ could not be told{}; more --blocks may tell",
            of_ends(conclusion)
        ),
    }
}

/// That placement makes most of what the ends show as shipped, where it does.
fn placement(conclusion: &BisectConclusion) -> Option<String> {
    let ends = conclusion.ends.as_ref()?;
    let (shipped, drawn) = (ends.as_shipped?, ends.interval);
    mostly_placement(&shipped, &drawn).then(|| {
        format!(
            "most of it is placement: as shipped {}, over layouts {}",
            change_of(&shipped),
            change_of(&drawn)
        )
    })
}

/// Whether the largest effect that layouts leave possible is less than half of the smallest one
/// that is possible as shipped.
fn mostly_placement(shipped: &Interval, drawn: &Interval) -> bool {
    let [low, high] = [shipped.low.ln(), shipped.high.ln()];
    let least = if low > 0.0 { low } else { (-high).max(0.0) };
    let most = drawn.low.ln().abs().max(drawn.high.ln().abs());
    most < least / 2.0
}

/// Changes that the first sentence names, at most.
const CHANGES: usize = 4;

/// Every change of a survey in one sentence.
fn changes(recorded: &RecordedBisect, conclusion: &BisectConclusion) -> String {
    let survey = conclusion.survey.as_ref();
    let found = survey.map_or(&[][..], |survey| survey.changes.as_slice());
    if found.is_empty() {
        let unclear = survey.map_or(0, |survey| survey.unclear.len());
        return if unclear == 0 {
            "no change beyond the margin was seen".to_owned()
        } else {
            let pairs = counted(u32::try_from(unclear).unwrap_or(u32::MAX), "pair", "pairs");
            format!("no change was seen, and {pairs} of neighbours could not be told apart")
        };
    }
    let one = |change: &ChangeFound| {
        let name = change.at.to.of(&recorded.bisect.commits);
        let name = name.map_or("?", |one| short(&one.id));
        let name = format!("{name}{}", or_before(recorded, change));
        let effect = change.effect.as_ref().zip(metric(recorded));
        match effect {
            Some((effect, metric)) => {
                format!("{name} made it {}", changed(metric, &effect.interval))
            }
            None => format!("{name} changed it"),
        }
    };
    let named: Vec<String> = found.iter().take(CHANGES).map(one).collect();
    let count = u32::try_from(found.len()).unwrap_or(u32::MAX);
    let mut said = format!(
        "{}: {}",
        counted(count, "change", "changes"),
        named.join("; ")
    );
    if found.len() > CHANGES {
        said.push_str(&format!(" and {} more", found.len() - CHANGES));
    }
    said
}

/// That it may be one of those before as well, where they could not be judged; else nothing.
pub(super) fn or_before(recorded: &RecordedBisect, change: &ChangeFound) -> String {
    let (one, several) = nouns(recorded);
    match change.at.commits().count() {
        ..2 => String::new(),
        2 => format!(" or the {one} before it"),
        many => format!(" or the {} {several} before it", many - 1),
    }
}

fn of_ends(conclusion: &BisectConclusion) -> String {
    let interval = |ends: &EndsFound| format!(" ({})", change_of(&ends.interval));
    conclusion.ends.as_ref().map(interval).unwrap_or_default()
}
