//! The idle arm: a program that every machine has, kept busy with so little memory that what shares
//! a core's slices with it keeps its caches. It is the system's shell, counting.

use std::path::PathBuf;
use std::time::Duration;

use proofmark_evidence::record::Run;
use proofmark_measure::{End, Launch, Outcome, environment};

use crate::error::LabError;
use crate::places::Staged;

/// The program.
pub(crate) const PROGRAM: &str = "/bin/sh";

/// Loops with which it is first tried: some ten milliseconds.
pub(crate) const FIRST_LOOPS: u64 = 20_000;

/// A run of so many loops takes minutes even on a slow machine.
const LONGEST: Duration = Duration::from_secs(600);

/// The program where it lies: nothing is held against it, so that it needs no copy.
pub(crate) fn staged() -> std::io::Result<Staged> {
    let content = std::fs::read(PROGRAM)?;
    Ok(Staged {
        path: PathBuf::from(PROGRAM),
        file: PathBuf::from(PROGRAM),
        view: None,
        fresh: None,
        hash: blake3::hash(&content).into(),
    })
}

/// How the program is started; `padding` is the length of the padding variable, in bytes.
pub(crate) fn launch(loops: u64, padding: usize, core: Option<u32>) -> Launch {
    let mut launch = Launch::new(PROGRAM, LONGEST);
    launch.argv0 = "sh".into();
    launch.args = vec![
        "-c".into(),
        format!("i=0; while [ $i -lt {loops} ]; do i=$((i+1)); done").into(),
    ];
    launch.env = environment(&[], padding);
    launch.cwd = PathBuf::from("/");
    launch.core = core;
    launch
}

/// The loops with which it takes as long as `wanted_ns` of CPU time, where so many took `took_ns`.
pub(crate) fn loops_for(wanted_ns: u64, loops: u64, took_ns: u64) -> u64 {
    let product = u128::from(loops) * u128::from(wanted_ns) / u128::from(took_ns.max(1));
    u64::try_from(product).unwrap_or(u64::MAX).max(1)
}

/// Its run: CPU time is what is read from it, whatever else is measured.
pub(crate) fn run(outcome: &Outcome) -> Result<Run, LabError> {
    if outcome.end != End::Exited(0) {
        return Err(LabError::Refused(format!(
            "{PROGRAM}, which runs beside a build to show what slices do, ended with {:?}\n  next: --schedule interleaved does without it",
            outcome.end
        )));
    }
    let nanoseconds = |time: Duration| u64::try_from(time.as_nanos()).unwrap_or(u64::MAX);
    let cpu_ns = nanoseconds(outcome.cpu).max(1);
    #[expect(clippy::cast_precision_loss, reason = "far below 2⁵³ nanoseconds")]
    let value = cpu_ns as f64;
    Ok(Run {
        value,
        cpu_ns,
        wall_ns: nanoseconds(outcome.wall),
        peak_bytes: outcome.peak.or_bound(),
    })
}
