//! Warnings about the machine, in words.

use proofmark_evidence::record::NoIdleCore;

use super::{Said, said};

pub(super) fn no_idle_core(core: &NoIdleCore) -> Said {
    said(
        what_there_was(core),
        "`proofmark doctor` says what else is running",
    )
}

pub(super) fn others_measure(cores: &[u32]) -> Said {
    said(
        format!(
            "another command of proofmark measured on {} meanwhile: builds that need \
             memory, or caches that cores share, are slowed by it, and one more than the other",
            on_cores(cores)
        ),
        "measure one thing at a time, where builds differ in how they use memory",
    )
}

pub(super) fn held_by_signals(why: &str) -> Said {
    said(
        format!("processes are held by signals, which interrupt system calls that sleep: {why}"),
        "a cgroup that this user may write to; `proofmark doctor` says more",
    )
}

pub(super) fn task_clock() -> Said {
    said(
        "the kernel reaps children of the program by itself, so that CPU time is told by \
         perf's task clock; what the end of each process takes (to give its memory back) is \
         not in it",
        "a cgroup that this user may write to; `proofmark doctor` says more",
    )
}

fn what_there_was(core: &NoIdleCore) -> String {
    match core {
        NoIdleCore::Busy { core, busy_percent } => format!(
            "no core is idle: core {core}, the least busy one, was busy {busy_percent} % of the \
             time before measuring; end other work"
        ),
        NoIdleCore::Taken { core } => format!(
            "other measurements are under way on every core that may be used; core {core} is \
             shared with one: let it end first"
        ),
        NoIdleCore::OnlyOne { core } => format!(
            "only core {core} may be used: proofmark itself runs on the core that it measures"
        ),
        NoIdleCore::Unknown { why } => format!("processes are not pinned to a core: {why}"),
    }
}

/// `core 1`, `cores 1, 3`.
fn on_cores(cores: &[u32]) -> String {
    let all: Vec<String> = cores.iter().map(u32::to_string).collect();
    let word = if cores.len() == 1 { "core" } else { "cores" };
    format!("{word} {}", all.join(", "))
}
