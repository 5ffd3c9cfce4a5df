//! How fast the clock of the cores runs, and whether it stays so.

use std::path::Path;

use super::{Check, CheckStatus};
use crate::machine::read::{file, governors, turbo as turbo_setting};

pub(super) fn governor(root: &Path) -> Check {
    let found = governors(root);
    let (status, remedy) = match found.as_deref() {
        Some("performance") => (CheckStatus::Good, None),
        Some(_) => (
            CheckStatus::Hurts,
            Some("`proofmark tune`, or cpupower frequency-set -g performance"),
        ),
        None => (CheckStatus::Unknown, None),
    };
    Check {
        name: "frequency governor",
        status,
        found: found
            .unwrap_or_else(|| "not visible (a virtual machine, or a fixed frequency)".to_owned()),
        why: "a core that speeds up while a benchmark runs makes the later half of it faster",
        remedy,
    }
}

pub(super) fn turbo(root: &Path) -> Check {
    let found = turbo_setting(root);
    let (status, remedy) = match found.as_deref() {
        Some("off") => (CheckStatus::Good, None),
        Some(_) => (
            CheckStatus::Hurts,
            Some(
                "`proofmark tune`, or echo 1 > /sys/devices/system/cpu/intel_pstate/no_turbo, or echo 0 > /sys/devices/system/cpu/cpufreq/boost",
            ),
        ),
        None => (CheckStatus::Unknown, None),
    };
    Check {
        name: "turbo",
        status,
        found: found.unwrap_or_else(|| "not visible".to_owned()),
        why: "the frequency above nominal depends on temperature and on what the other cores do",
        remedy,
    }
}

/// Times that a core was slowed down because it was hot, since the machine started.
pub(super) fn throttling(root: &Path) -> Check {
    let counts: Vec<u64> = std::fs::read_dir(root.join("sys/devices/system/cpu"))
        .into_iter()
        .flatten()
        .flatten()
        .filter_map(|entry| {
            file(&entry.path(), "thermal_throttle/core_throttle_count")?
                .parse()
                .ok()
        })
        .collect();
    let total: u64 = counts.iter().sum();
    let (status, found, remedy) = match (counts.is_empty(), total) {
        (true, _) => (CheckStatus::Unknown, "not visible".to_owned(), None),
        (false, 0) => (
            CheckStatus::Good,
            "never since the start of the machine".to_owned(),
            None,
        ),
        _ => (
            CheckStatus::Hurts,
            format!("{total} times since the start of the machine"),
            Some("let the machine cool down, or turn turbo off"),
        ),
    };
    Check {
        name: "throttling",
        status,
        found,
        why: "a hot core is slowed down by the hardware, most in the longest benchmark",
        remedy,
    }
}

#[cfg(test)]
mod tests {
    use super::super::laid_out;
    use super::*;

    #[test]
    fn a_tuned_machine_is_good() {
        let root = laid_out(&[
            (
                "sys/devices/system/cpu/cpu0/cpufreq/scaling_governor",
                "performance\n",
            ),
            (
                "sys/devices/system/cpu/cpu0/thermal_throttle/core_throttle_count",
                "0\n",
            ),
            ("sys/devices/system/cpu/intel_pstate/no_turbo", "1\n"),
        ]);
        for check in [
            governor(root.path()),
            turbo(root.path()),
            throttling(root.path()),
        ] {
            assert_eq!(check.status, CheckStatus::Good, "{check:?}");
        }
    }

    #[test]
    fn an_untuned_one_hurts() {
        let root = laid_out(&[
            (
                "sys/devices/system/cpu/cpu0/cpufreq/scaling_governor",
                "powersave\n",
            ),
            (
                "sys/devices/system/cpu/cpu3/thermal_throttle/core_throttle_count",
                "12\n",
            ),
            ("sys/devices/system/cpu/cpufreq/boost", "1\n"),
        ]);
        for check in [
            governor(root.path()),
            turbo(root.path()),
            throttling(root.path()),
        ] {
            assert_eq!(check.status, CheckStatus::Hurts, "{check:?}");
        }
        assert!(throttling(root.path()).found.contains("12"));
    }

    #[test]
    fn what_is_not_told_is_unknown() {
        let root = laid_out(&[]);
        for check in [
            governor(root.path()),
            turbo(root.path()),
            throttling(root.path()),
        ] {
            assert_eq!(check.status, CheckStatus::Unknown);
        }
    }
}
