//! What runs ask of the system, as JSON.

use proofmark_evidence::record::{AskedOfSystem, RunAsked};
use schemars::JsonSchema;
use serde::Serialize;

/// What two traced runs of each build asked of the system.
#[derive(Serialize, JsonSchema)]
pub(super) struct AskedEntry {
    /// Of the base.
    base: Vec<RunEntry>,
    /// Of the build.
    new: Vec<RunEntry>,
    /// What a call that does next to nothing costs on the machine, in nanoseconds; null where that
    /// was not measured.
    call_ns: Option<u64>,
}

/// What one run asked of the system.
#[derive(Serialize, JsonSchema)]
struct RunEntry {
    /// System calls.
    calls: u64,
    /// By name; not all of them.
    by_name: Vec<CallEntry>,
    /// Bytes read.
    read: u64,
    /// Bytes written.
    written: u64,
    /// Processes that it started.
    processes: u64,
    /// Threads that it started.
    threads: u64,
}

/// A system call.
#[derive(Serialize, JsonSchema)]
struct CallEntry {
    /// The kernel's name.
    name: String,
    /// How often it was made.
    count: u64,
}

/// What traced runs asked, or why there is none.
pub(super) fn asked(asked: &AskedOfSystem) -> (Option<AskedEntry>, Option<String>) {
    match asked {
        AskedOfSystem::Counted { base, new, call_ns } => {
            let runs = |runs: &[RunAsked; 2]| runs.iter().map(run).collect();
            let entry = AskedEntry {
                base: runs(base),
                new: runs(new),
                call_ns: *call_ns,
            };
            (Some(entry), None)
        }
        AskedOfSystem::Unavailable { reason } => (None, Some(reason.clone())),
    }
}

fn run(asked: &RunAsked) -> RunEntry {
    let call = |(name, count): &(String, u64)| CallEntry {
        name: name.clone(),
        count: *count,
    };
    RunEntry {
        calls: asked.calls,
        by_name: asked.by_name.iter().map(call).collect(),
        read: asked.read,
        written: asked.written,
        processes: asked.processes,
        threads: asked.threads,
    }
}
