//! What the commands around a run read: `--prepare` goes before each, `--output-filter` after it.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use proofmark_evidence::record::Benchmark;
use proofmark_measure::trace::{TraceLimits, Traced, Untraceable, trace};
use proofmark_measure::{Interrupt, Launch, MeasureError};

use crate::budget::Budget;
use crate::clock::now_ms;
use crate::command;
use crate::error::LabError;

/// How long such a command is followed where there is no budget.
const LONGEST: Duration = Duration::from_secs(3600);

/// One traced run of the command that prepares each run; the reason where there can be none.
pub(super) fn of_prepare(
    text: &str,
    benchmark: &Benchmark,
    stop: &Interrupt,
    budget: Budget,
) -> Result<Result<Traced, String>, LabError> {
    shell(text, benchmark, None, stop, budget)
}

/// One traced run of the filter, over what a run printed.
pub(super) fn of_filter(
    text: &str,
    benchmark: &Benchmark,
    printed: &[u8],
    stop: &Interrupt,
    budget: Budget,
) -> Result<Result<Traced, String>, LabError> {
    let file = tempfile::NamedTempFile::new().and_then(|mut file| {
        file.write_all(printed)?;
        Ok(file)
    });
    match file {
        Ok(file) => shell(text, benchmark, Some(file.path()), stop, budget),
        Err(error) => Ok(Err(format!("no place for what a run printed: {error}"))),
    }
}

fn shell(
    text: &str,
    benchmark: &Benchmark,
    stdin: Option<&Path>,
    stop: &Interrupt,
    budget: Budget,
) -> Result<Result<Traced, String>, LabError> {
    let left = budget.left_ms(now_ms()).map(Duration::from_millis);
    let time = left.unwrap_or(LONGEST).min(LONGEST);
    let mut env = command::around(benchmark);
    if stdin.is_some() {
        env.retain(|(name, _)| name != "LC_ALL");
        env.push(("LC_ALL".into(), "C".into()));
    }
    let launch = Launch {
        args: vec!["-c".into(), text.into()],
        env,
        cwd: PathBuf::from(benchmark.cwd.as_ref()),
        stdin: stdin.map(Path::to_owned),
        ..Launch::new("/bin/sh", time)
    };
    let limits = TraceLimits {
        time,
        ..TraceLimits::default()
    };
    match trace(&launch, &limits, stop) {
        Ok(traced) => Ok(Ok(traced)),
        Err(Untraceable::Run(MeasureError::Interrupted)) => Err(LabError::Interrupted),
        Err(why) => Ok(Err(why.to_string())),
    }
}
