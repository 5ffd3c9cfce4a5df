//! What of a bundle is meant: one experiment, or all of those of a ledger, a matrix or a bisection.

use proofmark_evidence::bundle::BundleError;
use proofmark_evidence::record::{
    BisectConclusion, LedgerEvent, StepOf, StepOutcome, benchmark_name,
};
use proofmark_evidence::{
    ChainSort, ExperimentId, MatrixId, Recorded, RecordedBisect, RecordedLedger, Store, StoreError,
};
use proofmark_report::replay::WholeWord;
use proofmark_terms::{Digest, StateIndex};

use crate::exit::Usage;

/// What is meant.
pub(super) enum Chosen {
    One(Box<Recorded>),
    Whole(Whole),
}

/// What has several experiments.
pub(super) struct Whole {
    pub(super) kind: WholeWord,
    pub(super) id: String,
    /// Each with what it is about.
    pub(super) experiments: Vec<(String, ExperimentId)>,
}

/// What is meant by an id, or else by the whole bundle; `asked` are the ids that it was made for.
pub(super) fn chosen(store: &Store, asked: &[Digest], id: Option<&str>) -> anyhow::Result<Chosen> {
    if let Some(id) = id {
        let error = match store.load(id) {
            Ok(one) => return Ok(Chosen::One(Box::new(one))),
            Err(error) => error,
        };
        if let Some(whole) = whole(store, id)? {
            return Ok(Chosen::Whole(whole));
        }
        let all = store.list()?.len();
        return Err(match store.bundled(&[id.to_owned()]) {
            Ok(_) => Usage(format!(
                "{id} is no experiment, ledger, matrix or bisection; a replay is of one of these, \
                 or of one of the {all} experiments in the bundle: `proofmark verify FILE` lists \
                 them"
            ))
            .into(),
            Err(_) => error.into(),
        });
    }
    if let [one] = asked {
        match chosen(store, &[], Some(one.as_str())) {
            Err(error) if error.is::<Usage>() => {}
            other => return other,
        }
    }
    let all = store.list()?;
    match all.as_slice() {
        [one] => Ok(Chosen::One(Box::new(store.load(one.id.as_str())?))),
        [] => Err(Usage("the bundle holds no experiment".to_owned()).into()),
        several => {
            let ids: Vec<&str> = several.iter().map(|one| one.id.short()).collect();
            Err(Usage(format!(
                "the bundle was made for several things, and a replay is of one: write its id \
                 behind the file; its {} experiments are {}",
                ids.len(),
                ids.join(", ")
            ))
            .into())
        }
    }
}

/// The ledger, matrix or bisection with this name; none where it is something else.
fn whole(store: &Store, id: &str) -> anyhow::Result<Option<Whole>> {
    let bundled = match store.bundled(&[id.to_owned()]) {
        Ok(bundled) => bundled,
        Err(BundleError::NoSuch { .. } | BundleError::Ambiguous { .. }) => return Ok(None),
        Err(error) => return Err(error.into()),
    };
    let mut asked = bundled.chains.into_iter().filter(|chain| chain.asked);
    let Some(chain) = asked.next() else {
        return Ok(None);
    };
    let id = chain.id.as_str().to_owned();
    let (kind, experiments) = match chain.sort {
        ChainSort::Matrix => (WholeWord::Matrix, of_matrix(store, &id)?),
        ChainSort::Ledger => {
            let ledger = store.load_ledger(&id)?;
            (WholeWord::Ledger, of_ledger(store, &ledger)?)
        }
        ChainSort::Bisect => (WholeWord::Bisection, of_bisect(&store.load_bisect(&id)?)),
        _ => return Ok(None),
    };
    if experiments.is_empty() {
        return Err(Usage(format!(
            "{id} has no experiment that could be measured again"
        ))
        .into());
    }
    Ok(Some(Whole {
        kind,
        id,
        experiments,
    }))
}

/// Each benchmark of a matrix.
fn of_matrix(store: &Store, id: &str) -> Result<Vec<(String, ExperimentId)>, StoreError> {
    let members = store.load_matrix(id)?.run.members.into_iter();
    let named = members.map(|member| {
        let name = benchmark_name(&member.benchmark, member.size.as_ref());
        (name, member.experiment)
    });
    Ok(named.collect())
}

/// Each benchmark of each matrix that a ledger rests on.
fn of_ledger(
    store: &Store,
    ledger: &RecordedLedger,
) -> Result<Vec<(String, ExperimentId)>, StoreError> {
    let mut matrices: Vec<(u32, &str, &MatrixId)> = Vec::new();
    for entry in &ledger.entries {
        let (doing, matrix) = match &entry.of {
            LedgerEvent::Measured { run } => ("measured", &run.matrix),
            LedgerEvent::Screened { race } => ("race", &race.matrix),
            LedgerEvent::Confirmed { matrix, .. } => ("confirmed", matrix),
            LedgerEvent::Decided { .. } | LedgerEvent::Claimed { .. } => continue,
        };
        if !matrices.iter().any(|(_, _, known)| *known == matrix) {
            matrices.push((entry.index, doing, matrix));
        }
    }
    let alone = matrices.len() == 1;
    let mut all = Vec::new();
    for (index, doing, matrix) in matrices {
        for (name, id) in of_matrix(store, matrix.as_str())? {
            let name = match alone {
                true => name,
                false => format!("entry {index}, {doing}: {name}"),
            };
            all.push((name, id));
        }
    }
    Ok(all)
}

/// Each step of a bisection that was measured, and the commit that was found beside its parent.
fn of_bisect(recorded: &RecordedBisect) -> Vec<(String, ExperimentId)> {
    let name = |at: StateIndex| {
        let commit = at.of(&recorded.bisect.commits);
        commit.map_or("?", |commit| commit.id.get(..12).unwrap_or(&commit.id))
    };
    let mut all: Vec<(String, ExperimentId)> = Vec::new();
    for step in &recorded.steps {
        let of = match step.of {
            StepOf::Ends => "both ends".to_owned(),
            StepOf::Commit(at) => format!("step {}: {}", step.index, name(at)),
        };
        if let StepOutcome::Compared { experiment, .. }
        | StepOutcome::Measured { experiment, .. }
        | StepOutcome::Beside { experiment, .. } = &step.outcome
        {
            all.push((of, experiment.clone()));
        }
    }
    for (what, experiment) in recorded.conclusion.iter().flat_map(found) {
        if !all.iter().any(|(_, known)| *known == experiment) {
            all.push((what, experiment));
        }
    }
    all
}

/// The experiments that a bisection's answer has its figures of.
fn found(conclusion: &BisectConclusion) -> Vec<(String, ExperimentId)> {
    let changes = conclusion.survey.iter().flat_map(|survey| &survey.changes);
    let changes = changes.filter_map(|change| change.effect.as_ref());
    let effects = conclusion.effect.iter().chain(changes);
    let what = "what was found, beside its parent";
    effects
        .map(|effect| {
            (
                format!(
                    "{what} {}",
                    effect.parent.get(..12).unwrap_or(&effect.parent)
                ),
                effect.experiment.clone(),
            )
        })
        .collect()
}
