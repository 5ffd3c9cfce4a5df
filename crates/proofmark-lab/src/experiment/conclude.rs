//! The end of an experiment: its conclusion, with what a reader must know beside it, in the store.

use proofmark_conclude::{
    conclude, conclude_null, drawn_work, in_question, judge_drawn, with_evened,
};
use proofmark_evidence::LockedStore;
use proofmark_evidence::record::{Comparison, Conclusion, Pilot, Question, Stop};
use proofmark_terms::BuildIndex;

use super::doubt::Compared;
use super::populations::disagreements;
use super::under_way::UnderWay;
use crate::error::LabError;
use crate::rig::Rig;

/// Concludes and stores what was concluded. Waits for the counts of instructions that are under
/// way, as far as the budget goes.
pub(super) fn concluded(
    under_way: &UnderWay,
    pilot: &Pilot,
    stop: Stop,
    rig: &mut dyn Rig,
    store: &mut LockedStore,
) -> Result<(), LabError> {
    let took_ms = under_way.spent_ms(pilot, rig.now_ms());
    let UnderWay {
        id,
        experiment,
        blocks,
        ..
    } = under_way;
    let doubts = |comparisons: &[Comparison], rig: &dyn Rig| {
        let compared = Compared {
            experiment,
            pilot,
            base: BuildIndex::BASE,
            comparisons,
            benchmark: None,
            printed: &rig.printed(),
        };
        compared.doubts()
    };
    match experiment.question {
        Question::Compare | Question::Between => {
            let counted = rig.instructions(under_way.budget().end_ms());
            let mut conclusion = conclude(experiment, pilot, blocks, &counted, stop, took_ms)?;
            look_at_drawn(under_way, pilot, &mut conclusion, rig);
            let doubts = doubts(&conclusion.comparisons, rig);
            let disagreements = disagreements(store, experiment, &conclusion)?;
            conclusion.warnings.extend(rig.remarks());
            conclusion.warnings.extend(doubts);
            conclusion.warnings.extend(disagreements);
            conclusion.code = rig.code();
            store.conclude(id, &conclusion)?;
        }
        Question::Null => {
            let mut conclusion = conclude_null(experiment, pilot, blocks, stop, took_ms)?;
            conclusion.warnings.extend(rig.remarks());
            conclusion.warnings.extend(doubts(&[], rig));
            store.null_conclusion(id, &conclusion)?;
        }
    }
    Ok(())
}

/// Where something calls for it: whether drawn images do the work of those as shipped, with the
/// same data.
fn look_at_drawn(
    under_way: &UnderWay,
    pilot: &Pilot,
    conclusion: &mut Conclusion,
    rig: &mut dyn Rig,
) {
    let (experiment, blocks) = (&under_way.experiment, &under_way.blocks);
    let asked = in_question(experiment, pilot, blocks, conclusion);
    if !asked.iter().any(|one| one.is_asked()) {
        return;
    }
    let until_ms = under_way.budget().end_for_a_verdict_ms(rig.now_ms());
    let counted = rig.counted_drawn(until_ms);
    let work = drawn_work(experiment, &counted).into_iter();
    let comparisons = conclusion.comparisons.iter().zip(asked);
    let found = work
        .zip(comparisons)
        .map(|(work, (comparison, asked))| {
            let build = comparison.build;
            let names = [BuildIndex::BASE, build].map(|build| {
                let build = build.of(&experiment.builds);
                build.map_or("?", |build| build.name.as_str())
            });
            let evened = asked.apart.then(|| rig.evened(build)).flatten();
            asked.is_asked().then(|| with_evened(work, names, evened))
        })
        .collect();
    judge_drawn(experiment, pilot, blocks, conclusion, found);
}
