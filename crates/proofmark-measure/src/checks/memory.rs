//! Memory: enough of it, and how its pages and addresses are handed out.

use std::path::Path;

use super::{Check, CheckStatus};
use crate::machine::read::{file, meminfo};

/// Below this share of all memory, file pages are dropped and read again while programs run.
const SCARCE: u64 = 10;

pub(super) fn free(root: &Path) -> Check {
    let text = file(root, "proc/meminfo").unwrap_or_default();
    let amounts = meminfo(&text, "MemAvailable").zip(meminfo(&text, "MemTotal"));
    let (status, found, remedy) = match amounts {
        None => (CheckStatus::Unknown, "not told".to_owned(), None),
        Some((available, total)) => {
            let scarce = available < total / SCARCE;
            let status = if scarce {
                CheckStatus::Hurts
            } else {
                CheckStatus::Good
            };
            let remedy = scarce.then_some("end programs that hold memory");
            (
                status,
                format!("{} of {} MiB available", available >> 20, total >> 20),
                remedy,
            )
        }
    };
    Check {
        name: "free memory",
        status,
        found,
        why: "where memory is short, pages of the program and its files go to disk and come back while it runs",
        remedy,
    }
}

pub(super) fn swap(root: &Path) -> Check {
    let text = file(root, "proc/meminfo").unwrap_or_default();
    let used = meminfo(&text, "SwapTotal")
        .zip(meminfo(&text, "SwapFree"))
        .map(|(total, free)| total.saturating_sub(free));
    let (status, found, remedy) = match used {
        None => (CheckStatus::Unknown, "not told".to_owned(), None),
        Some(0) => (CheckStatus::Good, "nothing swapped out".to_owned(), None),
        Some(used) => (
            CheckStatus::Hurts,
            format!("{} MiB swapped out", used >> 20),
            Some("free memory, then swapoff -a && swapon -a"),
        ),
    };
    Check {
        name: "swap",
        status,
        found,
        why: "what was swapped out comes back from disk in the middle of some run",
        remedy,
    }
}

pub(super) fn huge_pages(root: &Path) -> Check {
    let setting = file(root, "sys/kernel/mm/transparent_hugepage/enabled");
    let chosen = setting
        .as_deref()
        .and_then(|text| text.split(['[', ']']).nth(1))
        .map(str::to_owned);
    let (status, remedy) = match chosen.as_deref() {
        Some("always") => (
            CheckStatus::Hurts,
            Some("`proofmark tune`, or echo madvise > /sys/kernel/mm/transparent_hugepage/enabled"),
        ),
        Some(_) => (CheckStatus::Good, None),
        None => (CheckStatus::Unknown, None),
    };
    Check {
        name: "transparent huge pages",
        status,
        found: chosen.unwrap_or_else(|| "not told".to_owned()),
        why: "whether a run gets huge pages depends on how fragmented memory is at that moment: some runs are faster by luck",
        remedy,
    }
}

pub(super) fn aslr(root: &Path) -> Check {
    let level = file(root, "proc/sys/kernel/randomize_va_space");
    let (status, found, remedy) = match level.as_deref() {
        Some("0") => (
            CheckStatus::Hurts,
            "off".to_owned(),
            Some("sysctl kernel.randomize_va_space=2"),
        ),
        Some(level) => (CheckStatus::Good, format!("on ({level})"), None),
        None => (CheckStatus::Unknown, "not told".to_owned(), None),
    };
    Check {
        name: "address randomisation",
        status,
        found,
        why: "each run should be a fresh draw of the pages of stack and heap; one fixed set of addresses is one lucky or unlucky draw for all",
        remedy,
    }
}

#[cfg(test)]
mod tests {
    use super::super::laid_out;
    use super::*;

    fn all(root: &Path) -> [Check; 4] {
        [free(root), swap(root), huge_pages(root), aslr(root)]
    }

    #[test]
    fn plenty_is_good_and_shortage_hurts() {
        let good = laid_out(&[
            (
                "proc/meminfo",
                "MemTotal: 1000000 kB\nMemAvailable: 900000 kB\nSwapTotal: 10 kB\nSwapFree: 10 kB\n",
            ),
            (
                "sys/kernel/mm/transparent_hugepage/enabled",
                "always [madvise] never\n",
            ),
            ("proc/sys/kernel/randomize_va_space", "2\n"),
        ]);
        for check in all(good.path()) {
            assert_eq!(check.status, CheckStatus::Good, "{check:?}");
        }
        let bad = laid_out(&[
            (
                "proc/meminfo",
                "MemTotal: 1000000 kB\nMemAvailable: 90000 kB\nSwapTotal: 5000 kB\nSwapFree: 10 kB\n",
            ),
            (
                "sys/kernel/mm/transparent_hugepage/enabled",
                "[always] madvise never\n",
            ),
            ("proc/sys/kernel/randomize_va_space", "0\n"),
        ]);
        for check in all(bad.path()) {
            assert_eq!(check.status, CheckStatus::Hurts, "{check:?}");
        }
        for check in all(laid_out(&[]).path()) {
            assert_eq!(check.status, CheckStatus::Unknown, "{check:?}");
        }
    }
}
