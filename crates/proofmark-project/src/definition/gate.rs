//! `[gate]`: what a build has to get right before it is timed.

use std::path::{Path, PathBuf};
use std::time::Duration;

use indexmap::IndexMap;
use proofmark_evidence::record::Benchmark;
use proofmark_suite::Format;
use proofmark_terms::image_marks;
use serde::de::Error;
use serde::{Deserialize, Deserializer};

use super::benchmark::{ARGUMENTS, duration, timeout, with_arguments};
use super::claim::share;
use super::{ProgramOptions, ShellWords};

/// Where the file goes in which a suite writes its results.
const RESULTS: &str = "{results}";
/// Where an input goes.
const INPUT: &str = "{input}";
/// Where the number goes that a generator draws from.
const SEED: &str = "{seed}";

/// What a build has to get right. Paths are relative to the file's folder. With `size`, the build
/// may be no larger than base by more than that; with `inputs` or `generate`, base and build have
/// to answer each input alike; else the command is a suite of tests.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GateDefinition {
    /// The command: `{}` stands for the image, `{args}` for the arguments of program options,
    /// `{results}` for the file that a suite writes, `{input}` for the file that holds an input.
    /// Empty where `size` is asked.
    #[serde(default)]
    pub command: ShellWords,
    /// By how much a build may be larger than base: nothing is run.
    #[serde(default, deserialize_with = "growth")]
    pub size: Option<f64>,
    /// The format of the suite's results; absent where its exit code says all.
    #[serde(default, deserialize_with = "format")]
    pub results: Option<Format>,
    /// How often the suite is run on base, to find what is not the same each time.
    #[serde(default = "twice")]
    pub repeat: u32,
    /// A folder of inputs, or one.
    #[serde(default)]
    pub inputs: Option<PathBuf>,
    /// A shell command that prints an input drawn from `{seed}`.
    #[serde(default)]
    pub generate: Option<String>,
    /// Whether inputs of the folder are also altered at random.
    #[serde(default)]
    pub mutate: bool,
    /// Inputs that are generated or altered, at most.
    #[serde(default = "hundred")]
    pub tries: u32,
    /// Time for those, for each build.
    #[serde(default = "ten_seconds", deserialize_with = "duration")]
    pub time: Duration,
    /// What they are drawn from.
    #[serde(default = "one")]
    pub seed: u64,
    /// Variables set for the runs; `{}` is replaced in them.
    #[serde(default)]
    pub env: IndexMap<String, String>,
    /// The folder in which it runs; the file's when absent.
    #[serde(default)]
    pub cwd: Option<PathBuf>,
    /// A run that takes longer has failed.
    #[serde(default = "timeout", deserialize_with = "duration")]
    pub timeout: Duration,
}

impl GateDefinition {
    /// Whether builds are given inputs, and not a suite of tests.
    #[must_use]
    pub fn is_differential(&self) -> bool {
        self.inputs.is_some() || self.generate.is_some()
    }

    /// Whether the suite writes a file of results.
    #[must_use]
    pub fn writes_results(&self) -> bool {
        self.mentions(RESULTS)
    }

    /// Whether inputs come as a file that the command names, and not on standard input.
    #[must_use]
    pub fn names_input(&self) -> bool {
        self.mentions(INPUT)
    }

    /// Whether the arguments of program options have a place in the command, where there is one.
    pub(crate) fn takes_arguments(&self) -> bool {
        // Arguments are words: in a variable they have no place.
        let mut words = self.command.iter();
        self.size.is_some() || words.any(|word| word.contains(ARGUMENTS))
    }

    fn mentions(&self, mark: &str) -> bool {
        let mut words = self.command.iter().chain(self.env.values());
        words.any(|word| word.contains(mark))
    }

    /// The runs of a build with these program options, whose results or input are this file.
    #[must_use]
    pub fn record(
        &self,
        folder: &Path,
        options: Option<&ProgramOptions>,
        file: &Path,
    ) -> Benchmark {
        let file = file.to_string_lossy();
        let put = |word: &String| word.replace(RESULTS, &file).replace(INPUT, &file);
        let args = options
            .iter()
            .flat_map(|options| options.args.iter().cloned());
        let args: Vec<String> = args.collect();
        let argv = with_arguments(self.command.iter().map(put).collect(), &args);
        let mut env = self.env.clone();
        env.extend(options.iter().flat_map(|options| options.env.clone()));
        let cwd = self.cwd.as_ref();
        Benchmark {
            argv: argv.into_iter().map(Into::into).collect(),
            env: env
                .iter()
                .map(|(name, value)| (name.into(), put(value).into()))
                .collect(),
            cwd: cwd
                .map_or_else(|| folder.to_owned(), |cwd| folder.join(cwd))
                .into(),
            timeout_ms: u64::try_from(self.timeout.as_millis()).unwrap_or(u64::MAX),
            ..Benchmark::default()
        }
    }

    /// The generator's command for this number.
    #[must_use]
    pub fn generator(&self, seed: u64) -> Option<String> {
        let text = self.generate.as_ref()?;
        Some(text.replace(SEED, &seed.to_string()))
    }

    /// What cannot be meant: the key, what is wrong with it, and the next step.
    pub(crate) fn wrong(&self) -> Option<(&'static str, &'static str, &'static str)> {
        let mut words = self.command.iter().chain(self.env.values());
        let refused = |wrong: bool, key, what, next| wrong.then_some((key, what, next));
        let differential = self.is_differential();
        if self.size.is_some() {
            return refused(
                !self.command.is_empty() || differential || self.results.is_some(),
                "size",
                "a gate has a size, or something to run: not both",
                "write two gates",
            );
        }
        refused(
            !words.any(|word| image_marks(word.as_bytes()) > 0),
            "command",
            "there is no command that runs the image",
            "put {} where it goes, or ask for a `size`",
        )
        .or(refused(
            differential && (self.results.is_some() || self.writes_results()),
            "results",
            "a gate has results of tests, or inputs: not both",
            "write two gates",
        ))
        .or(refused(
            !differential && (self.mutate || self.names_input()),
            if self.mutate { "mutate" } else { "command" },
            "there are no inputs",
            "name their folder by `inputs`, or a command that prints one by `generate`",
        ))
        .or(refused(
            self.mutate && self.inputs.is_none(),
            "mutate",
            "only inputs of a folder are altered",
            "name the folder by `inputs`",
        ))
        .or(refused(
            self.writes_results() && self.results.is_none(),
            "command",
            "the format of {results} is not said",
            "say it by `results`: junit, tap, cargo or go",
        ))
        .or(refused(
            self.generate
                .as_ref()
                .is_some_and(|text| !text.contains(SEED)),
            "generate",
            "the generator would print the same input each time",
            "put {seed} where its number goes",
        ))
        .or(refused(
            self.repeat == 0,
            "repeat",
            "base would not be run at all",
            "leave it out, or give 1 or more",
        ))
    }
}

fn twice() -> u32 {
    2
}

fn hundred() -> u32 {
    100
}

fn one() -> u64 {
    1
}

fn ten_seconds() -> Duration {
    Duration::from_secs(10)
}

fn growth<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<f64>, D::Error> {
    share(deserializer).map(Some)
}

fn format<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Format>, D::Error> {
    let text = String::deserialize(deserializer)?;
    text.parse().map(Some).map_err(D::Error::custom)
}
