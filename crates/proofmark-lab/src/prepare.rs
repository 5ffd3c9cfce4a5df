//! What a benchmark wants done before it is measured, and before each of its runs.

use std::ffi::OsString;
use std::path::Path;
use std::process::Command;

use proofmark_evidence::record::Benchmark;
use proofmark_measure::Launch;

use crate::command;
use crate::error::LabError;

/// The command given by --setup.
pub(crate) fn set_up(benchmark: &Benchmark) -> Result<(), LabError> {
    let set = command::around(benchmark);
    shell("--setup", benchmark.setup.as_deref(), (benchmark, set))
}

/// The command given by --prepare.
pub(crate) fn prepare(benchmark: &Benchmark) -> Result<(), LabError> {
    let set = command::around(benchmark);
    shell("--prepare", benchmark.prepare.as_deref(), (benchmark, set))
}

/// The same before one launch, with its variables: an option of the program may set others.
pub(crate) fn prepare_launch(benchmark: &Benchmark, launch: &Launch) -> Result<(), LabError> {
    let set = command::around_launch(benchmark, launch);
    shell("--prepare", benchmark.prepare.as_deref(), (benchmark, set))
}

fn shell(
    option: &'static str,
    text: Option<&str>,
    (benchmark, set): (&Benchmark, Vec<(OsString, OsString)>),
) -> Result<(), LabError> {
    let Some(text) = text else {
        return Ok(());
    };
    let failed = |how: String| LabError::Prepare {
        option,
        command: text.to_owned(),
        how,
    };
    let status = Command::new("/bin/sh")
        .arg("-c")
        .arg(text)
        .current_dir(Path::new(benchmark.cwd.as_ref()))
        .env_clear()
        .envs(set)
        .status()
        .map_err(|error| failed(format!("could not be started: {error}")))?;
    if status.success() {
        Ok(())
    } else {
        Err(failed(format!("failed ({status})")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_goes_before_runs_has_their_variables() {
        let benchmark = Benchmark {
            cwd: "/".into(),
            env: vec![("SIZE".into(), "300".into())],
            setup: Some("test \"$SIZE\" = 300".to_owned()),
            prepare: Some("test -z \"$CARGO_MANIFEST_DIR\" && test $SIZE = 300".to_owned()),
            ..Benchmark::default()
        };
        set_up(&benchmark).unwrap();
        prepare(&benchmark).unwrap();
    }
}
