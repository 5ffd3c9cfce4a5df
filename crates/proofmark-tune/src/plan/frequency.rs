//! How fast the clock of the cores runs.

use super::{Step, once, one};
use crate::change::Change;
use crate::setting::Setting;
use crate::tree::Tree;

const POLICIES: &str = "sys/devices/system/cpu/cpufreq";
const PERFORMANCE: &str = "performance";

/// Where nothing is shown.
const NOT_VISIBLE: &str =
    "no setting of frequencies is visible (a virtual machine, or a fixed frequency)";

pub(super) fn governor(tree: &dyn Tree) -> (String, Step) {
    each(
        tree,
        |policy| Setting::Governor { policy },
        "scaling_available_governors",
    )
}

pub(super) fn energy_preference(tree: &dyn Tree) -> (String, Step) {
    each(
        tree,
        |policy| Setting::EnergyPreference { policy },
        "energy_performance_available_preferences",
    )
}

/// One setting of each policy, to `performance`.
fn each(tree: &dyn Tree, setting: impl Fn(u32) -> Setting, offered: &str) -> (String, Step) {
    let policies = tree.names(POLICIES);
    let policies = policies.iter().filter_map(|name| {
        let number = name.strip_prefix("policy")?;
        Some((name, number.parse::<u32>().ok()?))
    });
    let (mut found, mut changes, mut lacking) = (Vec::new(), Vec::new(), false);
    for (name, policy) in policies {
        let setting = setting(policy);
        let Ok(before) = setting.read(tree) else {
            continue;
        };
        found.push(before.clone());
        if before == PERFORMANCE {
            continue;
        }
        let offered = tree.read(&format!("{POLICIES}/{name}/{offered}"));
        if offered.is_ok_and(|words| words.split_whitespace().all(|word| word != PERFORMANCE)) {
            lacking = true;
            continue;
        }
        changes.push(Change {
            setting,
            before,
            after: PERFORMANCE.to_owned(),
        });
    }
    let step = match (found.is_empty(), changes.is_empty(), lacking) {
        (true, ..) => Step::Cannot(NOT_VISIBLE.to_owned()),
        (false, true, true) => Step::Cannot(format!("this kernel does not offer `{PERFORMANCE}`")),
        (false, true, false) => Step::Good,
        (false, false, _) => Step::Change(changes),
    };
    let found = if found.is_empty() {
        "not visible".to_owned()
    } else {
        once(found.into_iter())
    };
    (found, step)
}

pub(super) fn turbo(tree: &dyn Tree) -> (String, Step) {
    let (setting, off) = if Setting::NoTurbo.read(tree).is_ok() {
        (Setting::NoTurbo, "1")
    } else {
        (Setting::Boost, "0")
    };
    let (_, step) = one(tree, setting, off, NOT_VISIBLE);
    let found = match step {
        Step::Good => "off",
        Step::Change(_) => "on",
        _ => "not visible",
    };
    (found.to_owned(), step)
}
