//! The benchmark: the command, its surroundings, the metric.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::Context as _;
use clap::Args;
use proofmark_evidence::record::{Benchmark, Stdin};
use proofmark_terms::{Metric, OsText};

use super::values;
use crate::exit::Usage;

/// What is run, and what is read from it.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Benchmark")]
pub(crate) struct BenchmarkArgs {
    /// Which image of a build to run, if it made several
    ///
    /// The path of a file, the end of one, or a name alone. What cargo calls
    /// `deps/NAME-0123456789abcdef` is found as `deps/NAME` too, for the hash is another one in the
    /// next revision.
    #[arg(long, value_name = "PATH")]
    pub(crate) image: Option<PathBuf>,

    /// What to read from each run: cpu, wall, memory, or stdout[UNIT]:REGEX with one group
    ///
    /// `cpu` is the CPU time of everything that a run started, `wall` the time from its start to
    /// its end. `memory` is the peak of the largest process of a run (resident set); below two to
    /// three megabytes it cannot be told.
    ///
    /// `stdout[ops/s]:rate: ([0-9.]+)` reads a number that the program prints; of several matches
    /// the last one counts. More is better of rates, less of times and sizes; of other units it is
    /// said: `stdout[points,higher]:REGEX`. A group that takes only a part of a number (1.1 of
    /// 1.1e+06, 1 of 1m2.5s or of 1:05) is refused. So are numbers in two units or sizes of one
    /// (985 us and 1.10 ms, Kelem/s and Melem/s), and an output of more than 1 MiB. A program that
    /// times itself is never cut into slices.
    #[arg(long, value_name = "METRIC", default_value = "cpu", value_parser = |text: &str| proofmark_measure::parse_metric(text))]
    pub(crate) metric: Metric,

    /// A variable for the runs, beside the small common set that all runs share; --setup, --prepare
    /// and --output-filter see the same
    #[arg(long = "env", value_name = "NAME=VALUE", value_parser = variable_parser())]
    pub(crate) env: Vec<(OsText, OsText)>,

    /// Folder in which the command runs, or fresh (fresh:DIR) for a copy of it for each run
    /// [default: this one]
    ///
    /// With `fresh` each run sees, at the very path of the folder, a copy that was made from it
    /// just before: files that the command names are found, and what a run writes there is gone
    /// with it. At most 10,000 files of 256 MiB together are copied; name a smaller folder with
    /// fresh:DIR. A folder of that name is `./fresh`.
    #[arg(long, value_name = "DIR")]
    pub(crate) cwd: Option<OsString>,

    /// File that each run reads as its standard input [default: nothing]
    #[arg(long, value_name = "FILE")]
    pub(crate) stdin: Option<PathBuf>,

    /// Shell command to run once before anything is measured, and again when an interrupted
    /// comparison continues
    #[arg(long, value_name = "COMMAND")]
    pub(crate) setup: Option<String>,

    /// Shell command to run before each run, untimed; runs are then whole and in turn
    #[arg(long, value_name = "COMMAND")]
    pub(crate) prepare: Option<String>,

    /// Rounds at the beginning of each block that are not recorded
    #[arg(long, value_name = "ROUNDS", default_value_t = 0)]
    pub(crate) warmup: u32,

    /// A run that takes longer has failed
    #[arg(long, value_name = "TIME", default_value = "10m", value_parser = values::duration)]
    pub(crate) timeout: Duration,

    /// Continue even if builds print different output
    #[arg(long)]
    pub(crate) allow_output_difference: bool,

    /// Shell command that outputs go through before they are compared, such as 'sort'
    #[arg(
        long,
        value_name = "COMMAND",
        conflicts_with = "allow_output_difference"
    )]
    pub(crate) output_filter: Option<String>,

    /// Continue even if a run exits with a code other than 0
    #[arg(long)]
    pub(crate) ignore_exit: bool,

    /// The command to run; {} stands for the image, and {{}} for {} itself
    #[arg(last = true, value_name = "COMMAND", num_args = 0..)]
    pub(crate) command: Vec<OsString>,
}

/// Reads `NAME=VALUE`, whatever bytes they are.
fn variable_parser() -> impl clap::builder::TypedValueParser<Value = (OsText, OsText)> {
    use clap::builder::TypedValueParser as _;
    clap::builder::OsStringValueParser::new().try_map(|text| values::variable(&text))
}

impl BenchmarkArgs {
    /// The benchmark as the evidence records it.
    pub(crate) fn record(&self) -> anyhow::Result<Benchmark> {
        let cwd = self.working_folder()?;
        if let Some(word) = descriptor_of_the_shell(&self.command) {
            return Err(Usage(format!(
                "the command names {}, which is open in this shell alone: no run gets it, and the \
                 first would read all that it holds; write that into a file, and name the file",
                word.display()
            ))
            .into());
        }
        let stdin = match &self.stdin {
            None => Stdin::Null,
            Some(file) => Stdin::File(
                file.canonicalize()
                    .with_context(|| format!("cannot use {} as --stdin", file.display()))?
                    .into(),
            ),
        };
        Ok(Benchmark {
            argv: self.command.iter().cloned().map(OsText::from).collect(),
            metric: self.metric.clone(),
            env: self.env.clone(),
            cwd: cwd.into(),
            stdin,
            setup: self.setup.clone(),
            prepare: self.prepare.clone(),
            warmup: self.warmup,
            timeout_ms: u64::try_from(self.timeout.as_millis()).unwrap_or(u64::MAX),
            allow_output_difference: self.allow_output_difference,
            ignore_exit: self.ignore_exit,
            output_filter: self.output_filter.clone(),
            expected: None,
            fresh_cwd: self.folder().1,
        })
    }

    /// The folder in which runs work.
    pub(crate) fn working_folder(&self) -> anyhow::Result<PathBuf> {
        match self.folder().0 {
            Some(folder) => folder
                .canonicalize()
                .with_context(|| format!("cannot use {} as --cwd", folder.display())),
            None => {
                std::env::current_dir().context("cannot tell the current folder; was it removed?")
            }
        }
    }

    /// The folder that was named, and whether each run has a copy of its own of it.
    fn folder(&self) -> (Option<&Path>, bool) {
        let Some(text) = &self.cwd else {
            return (None, false);
        };
        let bytes = text.as_bytes();
        if bytes == b"fresh" {
            return (None, true);
        }
        match bytes.strip_prefix(b"fresh:") {
            Some(folder) => (Some(Path::new(OsStr::from_bytes(folder))), true),
            None => (Some(Path::new(text)), false),
        }
    }
}

/// A descriptor of the shell's that the command names, as `<(…)` does, if it names one.
fn descriptor_of_the_shell(command: &[OsString]) -> Option<&OsString> {
    let is_one = |word: &&OsString| {
        let bytes = word.as_bytes();
        let value = bytes.iter().position(|&byte| byte == b'=');
        let value = value.map_or(bytes, |at| &bytes[at + 1..]);
        let number = ["/dev/fd/", "/proc/self/fd/"]
            .iter()
            .find_map(|folder| value.strip_prefix(folder.as_bytes()));
        // The first three are each run's own.
        number.is_some_and(|number| !matches!(number, b"0" | b"1" | b"2"))
    };
    command.iter().find(is_one)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_descriptor_that_no_run_gets_is_found() {
        let found = |words: &[&str]| {
            let words: Vec<OsString> = words.iter().map(OsString::from).collect();
            descriptor_of_the_shell(&words).is_some()
        };
        assert!(found(&["{}", "/dev/fd/63"]));
        assert!(found(&["{}", "--input=/proc/self/fd/11"]));
        assert!(!found(&[
            "{}",
            "/dev/fd/0",
            "/dev/fd/2",
            "fd/63",
            "/dev/stdin"
        ]));
    }
}
