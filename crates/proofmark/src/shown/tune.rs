//! A tuned machine, as views show it.

use proofmark_report::tune::{ChangeView, FailedView, ItemView, LeftView, StepWord, UndoneView};
use proofmark_tune::{Change, Company, Failed, Finding, Held, Power, Step, Surroundings, Undone};

/// An item and what is done about it.
pub(crate) fn item(finding: &Finding) -> ItemView {
    let (step, why, changes) = match &finding.step {
        Step::Good => (StepWord::Good, None, Vec::new()),
        Step::NotAsked => (StepWord::NotAsked, None, Vec::new()),
        Step::Change(changes) => (StepWord::Change, None, changes.iter().map(change).collect()),
        Step::Hold(held) => (StepWord::Hold, None, vec![hold(held)]),
        Step::Cannot(why) => (StepWord::Cannot, Some(why.clone()), Vec::new()),
    };
    ItemView {
        name: finding.item.name(),
        found: finding.found.clone(),
        step,
        why,
        worth: finding.item.worth(),
        changes,
    }
}

fn change(change: &Change) -> ChangeView {
    ChangeView {
        path: path(change),
        before: change.before.clone(),
        after: change.after.clone(),
    }
}

fn hold(held: &Held) -> ChangeView {
    ChangeView {
        path: format!("/{}", Held::PATH),
        before: "not held".to_owned(),
        after: format!("held open with {} µs", held.microseconds),
    }
}

fn path(change: &Change) -> String {
    format!("/{}", change.setting.path())
}

/// A change that was not made, or not taken back.
pub(crate) fn failed(failed: &Failed) -> FailedView {
    FailedView {
        path: path(&failed.change),
        why: failed.why.clone(),
    }
}

/// What was put back.
pub(crate) fn undone(undone: &Undone) -> UndoneView {
    UndoneView {
        restored: undone.restored.len(),
        left: undone.left.iter().map(left).collect(),
        gone: undone.gone.iter().map(path).collect(),
        failed: undone.failed.iter().map(failed).collect(),
    }
}

fn left((change, now): &(Change, String)) -> LeftView {
    LeftView {
        path: path(change),
        before: change.before.clone(),
        after: change.after.clone(),
        now: now.clone(),
    }
}

/// What the machine stands in, and who else is on it: a sentence each.
pub(crate) fn remarks(around: &Surroundings, company: &Company) -> Vec<String> {
    let mut remarks = Vec::new();
    if let Some(kind) = &around.container {
        remarks.push(format!(
            "This is a container ({kind}): what is set here is set for the whole machine, as far \
             as it may be set at all."
        ));
    }
    let place = around.cloud.as_ref().or(around.virtual_machine.as_ref());
    if let Some(name) = place {
        let named = if name == Surroundings::UNNAMED {
            String::new()
        } else {
            format!(" ({name})")
        };
        remarks.push(format!(
            "This is a virtual machine{named}: frequency, sleep and neighbours are mostly its \
             host's, and cannot be set from here."
        ));
    }
    if around.runs_on_credits {
        remarks.push(
            "This kind of instance gets the whole core only as long as its credits last."
                .to_owned(),
        );
    }
    if around.power == Some(Power::Battery) {
        remarks.push(
            "The machine runs on its battery, on which firmware lowers frequencies whatever is \
             set: plug it in."
                .to_owned(),
        );
    }
    remarks.extend(others(company));
    remarks
}

/// Who else is on the machine, where somebody is.
pub(crate) fn others(company: &Company) -> Option<String> {
    let users = match &company.users[..] {
        [] => None,
        users => Some(format!("others are logged in ({})", users.join(", "))),
    };
    let load = company
        .load
        .map(|load| format!("other work goes on (a load of {load:.1} over the last minute)"));
    let both: Vec<String> = users.into_iter().chain(load).collect();
    (!both.is_empty()).then(|| format!("The machine is shared: {}.", both.join(", and ")))
}
