//! What `proofmark tune` could set here, beyond what other checks look at themselves.

use proofmark_tune::{Disk, Finding, Item, Plan, Step, Wanted};

use super::{Check, CheckStatus};

/// What no other check looks at, each with its name.
const ITEMS: [(Item, &str); 6] = [
    (Item::EnergyPreference, "energy preference"),
    (Item::Interrupts, "interrupts"),
    (Item::IdleStates, "idle states"),
    (Item::Swappiness, "swappiness"),
    (Item::PerfParanoid, "rights to count"),
    (Item::SampleRate, "sample rate"),
];

/// Looks at the machine as for a command that is measured on `core`.
pub(super) fn findings(core: Option<u32>) -> Vec<Check> {
    let plan = Plan::of(
        &Disk::of_this_machine(),
        &Wanted {
            core,
            for_command: true,
            items: Wanted::usual_items(),
        },
    );
    ITEMS
        .iter()
        .filter_map(|(item, name)| {
            let finding = plan.findings.iter().find(|one| one.item == *item)?;
            Some(check(name, finding))
        })
        .collect()
}

fn check(name: &'static str, finding: &Finding) -> Check {
    let (status, remedy) = match &finding.step {
        Step::Good | Step::NotAsked => (CheckStatus::Good, None),
        Step::Change(_) => (
            CheckStatus::Hurts,
            Some("`proofmark tune` sets it until it is undone"),
        ),
        Step::Hold(_) => (
            CheckStatus::Hurts,
            Some("`proofmark tune -- COMMAND` keeps cores from it as long as COMMAND runs"),
        ),
        Step::Cannot(_) => (CheckStatus::Unknown, None),
    };
    let found = match &finding.step {
        Step::Cannot(why) => format!("{}; {why}", finding.found),
        _ => finding.found.clone(),
    };
    Check {
        name,
        status,
        found,
        why: finding.item.in_the_way(),
        remedy,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn finding(step: Step) -> Check {
        let item = Item::Interrupts;
        let found = "core 1 may serve 3 of 9".to_owned();
        check("interrupts", &Finding { item, found, step })
    }

    #[test]
    fn what_can_be_tuned_hurts_until_it_is() {
        let hurts = finding(Step::Change(Vec::new()));
        assert_eq!(hurts.status, CheckStatus::Hurts);
        assert!(hurts.remedy.is_some_and(|remedy| remedy.contains("tune")));
        assert_eq!(finding(Step::Good).status, CheckStatus::Good);
        let cannot = finding(Step::Cannot("it is read-only".to_owned()));
        assert_eq!(cannot.status, CheckStatus::Unknown);
        assert!(
            cannot.found.ends_with("it is read-only"),
            "{}",
            cannot.found
        );
    }
}
