//! A command that is run for its time, or another metric.

use proofmark_terms::{Digest, Metric, OsText};
use serde::{Deserialize, Serialize};

use crate::private::{Class, Hand, Parts, Texts, parts};

/// A command to run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Benchmark {
    /// The command; `{}` inside an argument stands for the image, and `{{}}` for `{}`.
    pub argv: Vec<OsText>,
    /// What is read from each run.
    pub metric: Metric,
    /// Variables set for the run beside the common set.
    pub env: Vec<(OsText, OsText)>,
    /// Folder in which it runs.
    pub cwd: OsText,
    /// Each run sees a copy of its own in the place of that folder, made afresh from it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub fresh_cwd: bool,
    /// What it reads.
    pub stdin: Stdin,
    /// A shell command run once before anything is measured, and once more where measuring goes on
    /// after an interruption.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub setup: Option<String>,
    /// A shell command run before each run, untimed.
    pub prepare: Option<String>,
    /// Rounds at the beginning of a block that are not recorded.
    pub warmup: u32,
    /// A run that takes longer is a failure, in milliseconds.
    pub timeout_ms: u64,
    /// Outputs may differ between builds.
    pub allow_output_difference: bool,
    /// A non-zero exit is not a failure.
    pub ignore_exit: bool,
    /// A shell command that outputs go through before they are compared.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output_filter: Option<String>,
    /// Of what each run has to print, without the numbers that are the metric; what the first run
    /// prints when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expected: Option<Digest>,
}

parts!(Benchmark {
    argv: mixed,
    metric: inner,
    env: whole,
    cwd: whole,
    fresh_cwd: open,
    stdin: inner,
    setup: mixed,
    prepare: mixed,
    warmup: open,
    timeout_ms: open,
    allow_output_difference: open,
    ignore_exit: open,
    output_filter: mixed,
    expected: open,
});

/// The image alone, for its CPU time, in the root folder, with ten minutes for a run.
impl Default for Benchmark {
    fn default() -> Self {
        Benchmark {
            argv: vec![OsText::from("{}")],
            metric: Metric::CpuTime,
            env: Vec::new(),
            cwd: OsText::from("/"),
            fresh_cwd: false,
            stdin: Stdin::Null,
            setup: None,
            prepare: None,
            warmup: 0,
            timeout_ms: 600_000,
            allow_output_difference: false,
            ignore_exit: false,
            output_filter: None,
            expected: None,
        }
    }
}

/// What a run reads from its standard input.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Stdin {
    /// Nothing.
    Null,
    /// A file, opened afresh for each run.
    File(OsText),
}

impl Parts for Stdin {
    fn each(&mut self, hand: &mut Hand<'_>) {
        match self {
            Stdin::Null => {}
            Stdin::File(path) => path.texts(Class::Whole, hand),
        }
    }
}
