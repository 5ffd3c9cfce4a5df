//! What runs ask of the system, by traced runs.

use std::cmp::Reverse;
use std::time::Duration;

use proofmark_evidence::record::{AskedOfSystem, Benchmark, RunAsked};
use proofmark_measure::trace::{
    Asked, TraceLimits, Traced, Untraceable, least_call_ns, trace_calls,
};
use proofmark_measure::{End, Interrupt, MeasureError};

use crate::bench::Bench;
use crate::error::LabError;

/// The longest that a traced run may take: one that makes many calls is a hundred times slower.
const LONGEST: Duration = Duration::from_secs(30);
/// So many calls are kept by name.
const NAMED: usize = 24;

/// What the two placed builds ask of the system, by two runs of each.
///
/// # Errors
///
/// When the user stops, or what goes before a run fails.
pub(super) fn asked(
    bench: &mut Bench,
    benchmark: &Benchmark,
    stop: &Interrupt,
) -> Result<AskedOfSystem, LabError> {
    let mut found: [Vec<RunAsked>; 2] = [Vec::new(), Vec::new()];
    for _ in 0..2 {
        for (arm, runs) in found.iter_mut().enumerate() {
            match run(bench, arm, benchmark, stop)? {
                Ok(asked) => runs.push(asked),
                Err(reason) => return Ok(AskedOfSystem::Unavailable { reason }),
            }
        }
    }
    let [base, new] = found.map(<[RunAsked; 2]>::try_from);
    match (base, new) {
        (Ok(base), Ok(new)) => Ok(AskedOfSystem::Counted {
            base: Box::new(base),
            new: Box::new(new),
            call_ns: Some(least_call_ns()),
        }),
        _ => Err(LabError::Fault("a traced run is missing".to_owned())),
    }
}

/// One traced run, or why there is none.
fn run(
    bench: &mut Bench,
    arm: usize,
    benchmark: &Benchmark,
    stop: &Interrupt,
) -> Result<Result<RunAsked, String>, LabError> {
    let launch = bench.launch_sampled(arm)?.launch;
    let limits = TraceLimits {
        time: LONGEST,
        ..TraceLimits::default()
    };
    match trace_calls(&launch, &limits, stop) {
        Err(Untraceable::Run(MeasureError::Interrupted)) => Err(LabError::Interrupted),
        Err(why) => Ok(Err(why.to_string())),
        Ok((traced, asked)) => Ok(match traced.end {
            End::Exited(0) => Ok(of(&traced, &asked)),
            End::Exited(_) if benchmark.ignore_exit => Ok(of(&traced, &asked)),
            End::TimedOut => Err(format!(
                "a run that stops at every system call was not done within {} s",
                LONGEST.as_secs()
            )),
            End::Exited(status) => Err(format!("a traced run ended with status {status}")),
            End::Signalled(signal) => Err(format!("a traced run was ended by signal {signal}")),
        }),
    }
}

fn of(traced: &Traced, asked: &Asked) -> RunAsked {
    let mut by_name: Vec<(String, u64)> = asked
        .calls
        .iter()
        .map(|(number, count)| (Asked::name(*number), *count))
        .collect();
    by_name.sort_by_key(|(name, count)| (Reverse(*count), name.clone()));
    by_name.truncate(NAMED);
    RunAsked {
        calls: asked.total(),
        by_name,
        read: asked.read,
        written: asked.written,
        processes: traced.family.processes,
        threads: traced.family.threads,
    }
}
