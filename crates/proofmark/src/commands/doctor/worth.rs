//! `proofmark doctor --worth`: how much noise each item that `tune` would set takes away here.

use proofmark_evidence::record::Pilot;
use proofmark_lab::resolving_power;
use proofmark_report::machine::{Worth, WorthOf};
use proofmark_tune::{Disk, Item, Lasting, Plan, Step, Tuner, Wanted};

use crate::commands::tune::company;
use crate::context::Context;
use crate::exit::Usage;
use crate::progress::Progress;

/// Measurements without and with an item, in turn. Where it does nothing, all with it are better
/// than all without it in 1 of 70 tries, and worse in as many.
const PAIRS: usize = 4;

/// Sets each item by itself, measures what this machine can resolve without and with it, and puts
/// it back.
pub(super) fn measured(
    yes: bool,
    context: &Context,
    progress: &Progress,
) -> anyhow::Result<Vec<Worth>> {
    let disk = Disk::of_this_machine();
    if !rustix::process::geteuid().is_root() {
        let why = "--worth sets each item and puts it back, and these settings are root's: give \
                   the command to sudo";
        return Err(Usage(why.to_owned()).into());
    }
    let plan = Plan::of(
        &disk,
        &Wanted {
            core: proofmark_measure::idle_core().core(),
            // As beside a command: all is put back at the end.
            for_command: true,
            items: Wanted::usual_items(),
        },
    );
    let tuner = Tuner::open(&disk, "proofmark doctor --worth")?;
    tuner.not_tuned()?;
    company::agreed(&company::look(&disk), yes)?;
    let mut all = Vec::new();
    for finding in &plan.findings {
        let of = match &finding.step {
            Step::Good => WorthOf::NothingToSet,
            Step::NotAsked => continue,
            Step::Cannot(why) => WorthOf::NotMeasured(why.clone()),
            // It would take this process onto other cores, and not only its runs.
            _ if finding.item == Item::OwnCores => {
                WorthOf::NotMeasured("cores are set aside for a command, and there is none".into())
            }
            Step::Change(_) | Step::Hold(_) => {
                progress.say(format!(
                    "measuring without and with {}…",
                    finding.item.name()
                ));
                in_turn(&tuner, &plan.only(finding.item), context)?
            }
        };
        all.push(Worth {
            item: finding.item.name(),
            found: finding.found.clone(),
            of,
        });
    }
    Ok(all)
}

/// What can be resolved without and with a plan, in turn.
fn in_turn(tuner: &Tuner<'_>, plan: &Plan, context: &Context) -> anyhow::Result<WorthOf> {
    let (mut without, mut with) = (Vec::new(), Vec::new());
    let resolved = |pilot: Pilot| pilot.resolvable;
    for _ in 0..PAIRS {
        without.extend(resolved(resolving_power(&context.stop)?));
        let tuned = tuner.tune(plan, Lasting::Process)?;
        if let Some(failed) = tuned.failed.first() {
            let why = failed.why.clone();
            tuned.end()?;
            return Ok(WorthOf::NotMeasured(why));
        }
        let pilot = resolving_power(&context.stop);
        tuned.end()?;
        with.extend(resolved(pilot?));
    }
    Ok(match without.len().min(with.len()) {
        PAIRS => WorthOf::Measured { without, with },
        _ => WorthOf::NotMeasured("a measurement was too short to tell".to_owned()),
    })
}
