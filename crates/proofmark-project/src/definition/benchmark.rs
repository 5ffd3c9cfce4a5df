//! `[benchmark]`: what is run, and what it has to print.

use std::path::{Path, PathBuf};
use std::time::Duration;

use indexmap::IndexMap;
use proofmark_evidence::record::{Benchmark, Stdin};
use proofmark_terms::{Metric, NotADigest, image_marks};
use serde::de::Error;
use serde::{Deserialize, Deserializer};

use super::claim::share;
use super::{ProgramOptions, ShellWords};

/// A run that takes longer has failed, where the file does not say otherwise.
const TIMEOUT: Duration = Duration::from_secs(600);

/// The longest time limit: a year.
const LONGEST: Duration = Duration::from_secs(365 * 24 * 60 * 60);

/// What is run. Paths are relative to the file's folder.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BenchmarkDefinition {
    /// The command: `{}` stands for the image, `{{}}` for `{}` itself, `{N}` for the value of a scale
    /// called `N`.
    pub command: ShellWords,
    /// What is read from each run; CPU time when absent.
    #[serde(default = "cpu_time", deserialize_with = "metric")]
    pub metric: Metric,
    /// The group whose mean it is a part of in a ledger: `micro`.
    #[serde(default)]
    pub group: Option<String>,
    /// It is a guard: it is in no mean, and no build may be worse on it by more than this share.
    #[serde(default, deserialize_with = "guard")]
    pub guard: Option<f64>,
    /// Variables set for the runs; `{}` and the scale are replaced in them.
    #[serde(default)]
    pub env: IndexMap<String, String>,
    /// The folder in which it runs; the file's when absent.
    #[serde(default)]
    pub cwd: Option<PathBuf>,
    /// The file that each run reads as its standard input; nothing when absent. The scale is
    /// replaced in it.
    #[serde(default)]
    pub stdin: Option<String>,
    /// What each run has to print: a file, or `blake3:` and the digest of it. The scale is replaced
    /// in it.
    #[serde(default)]
    pub expected: Option<String>,
    /// The name of the size that the command takes: `N`.
    #[serde(default)]
    pub scale: Option<String>,
    /// The sizes to run; one or more where there is a scale.
    #[serde(default)]
    pub values: Vec<u64>,
    /// A run that takes longer has failed.
    #[serde(default = "timeout", deserialize_with = "duration")]
    pub timeout: Duration,
    /// A shell command run once before anything is measured. The scale is replaced in it.
    #[serde(default)]
    pub setup: Option<String>,
    /// A shell command run before each run, untimed. The scale is replaced in it.
    #[serde(default)]
    pub prepare: Option<String>,
    /// Rounds at the beginning of each block that are not recorded.
    #[serde(default)]
    pub warmup: u32,
    /// A non-zero exit is no failure.
    #[serde(default)]
    pub ignore_exit: bool,
    /// Builds may print different output.
    #[serde(default)]
    pub allow_output_difference: bool,
    /// A shell command that outputs, and the file that is expected, go through before they are
    /// compared.
    #[serde(default)]
    pub output_filter: Option<String>,
}

/// What a run has to print.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Expected {
    /// The content of this file, absolute.
    File(PathBuf),
    /// Something with this BLAKE3 digest, in hexadecimal.
    Digest(proofmark_terms::Digest),
}

impl BenchmarkDefinition {
    /// The benchmark as the evidence records it: in this project's folder, with these program
    /// options, at this value of its scale. The arguments of program options stand where the
    /// command says `{args}`, or else right after the word that is the image; their variables come
    /// after the benchmark's own.
    #[must_use]
    pub fn record(
        &self,
        folder: &Path,
        options: Option<&ProgramOptions>,
        value: Option<u64>,
    ) -> Benchmark {
        let mut argv: Vec<String> = self.command.iter().map(|w| self.scaled(w, value)).collect();
        let mut env = self.env.clone();
        if let Some(options) = options {
            env.extend(options.env.clone());
        }
        let none = ShellWords::default();
        let args = options.map_or(&none, |options| &options.args);
        let args: Vec<String> = args.iter().map(|word| self.scaled(word, value)).collect();
        match self.place_of_arguments() {
            Some(Place::Marked) => argv = with_arguments(argv, &args),
            Some(Place::After(image)) => {
                argv.splice(image + 1..=image, args);
            }
            None => {}
        }
        let env = env
            .into_iter()
            .map(|(name, text)| (name.into(), self.scaled(&text, value).into()));
        let stdin = self.stdin.as_ref();
        let scaled = |text: &Option<String>| text.as_ref().map(|text| self.scaled(text, value));
        Benchmark {
            argv: argv.into_iter().map(Into::into).collect(),
            metric: self.metric.clone(),
            env: env.collect(),
            cwd: self.folder(folder).into(),
            stdin: stdin.map_or(Stdin::Null, |file| {
                Stdin::File(folder.join(self.scaled(file, value)).into())
            }),
            setup: scaled(&self.setup),
            prepare: scaled(&self.prepare),
            warmup: self.warmup,
            timeout_ms: u64::try_from(self.timeout.as_millis()).unwrap_or(u64::MAX),
            allow_output_difference: self.allow_output_difference,
            ignore_exit: self.ignore_exit,
            output_filter: self.output_filter.clone(),
            expected: None,
            fresh_cwd: false,
        }
    }

    /// Where the arguments of program options go; `None` where the image is part of a word or only
    /// in a variable, so that nobody can say.
    fn place_of_arguments(&self) -> Option<Place> {
        if self.command.iter().any(|word| word.contains(ARGUMENTS)) {
            return Some(Place::Marked);
        }
        let image = self.command.iter().position(|word| word == IMAGE)?;
        Some(Place::After(image))
    }

    /// Whether the arguments of program options have a place in the command.
    pub(crate) fn takes_arguments(&self) -> bool {
        self.place_of_arguments().is_some()
    }

    /// Whether its command or one of its variables names the image.
    pub(crate) fn names_image(&self) -> bool {
        let mut words = self.command.iter().chain(self.env.values());
        words.any(|word| image_marks(word.as_bytes()) > 0)
    }

    /// What its runs have to print at this value of its scale; `None` where nothing is said.
    ///
    /// # Errors
    /// What stands behind `blake3:` is no digest.
    pub fn expected(
        &self,
        folder: &Path,
        value: Option<u64>,
    ) -> Result<Option<Expected>, NotADigest> {
        let Some(text) = &self.expected else {
            return Ok(None);
        };
        let text = self.scaled(text, value);
        Ok(Some(match text.strip_prefix("blake3:") {
            Some(digest) => Expected::Digest(digest.parse()?),
            None => Expected::File(folder.join(text)),
        }))
    }

    fn folder(&self, folder: &Path) -> PathBuf {
        self.cwd
            .as_ref()
            .map_or_else(|| folder.to_owned(), |cwd| folder.join(cwd))
    }

    /// `text` with the scale's value in the place of its name in braces. `${N}` is a shell's own.
    fn scaled(&self, text: &str, value: Option<u64>) -> String {
        let (Some(name), Some(value)) = (&self.scale, value) else {
            return text.to_owned();
        };
        let mark = format!("{{{name}}}");
        let mut out = String::new();
        let mut rest = text;
        while let Some((before, after)) = rest.split_once(&mark) {
            out.push_str(before);
            if before.ends_with('$') {
                out.push_str(&mark);
            } else {
                out.push_str(&value.to_string());
            }
            rest = after;
        }
        out + rest
    }
}

/// The mark that stands for the image.
const IMAGE: &str = "{}";

/// The mark for the arguments of program options.
pub(super) const ARGUMENTS: &str = "{args}";

/// Where the arguments of program options go.
enum Place {
    /// Where the mark stands.
    Marked,
    /// After this word.
    After(usize),
}

/// The mark replaced: words where it is one, text for a shell where it is part of one.
pub(super) fn with_arguments(argv: Vec<String>, args: &[String]) -> Vec<String> {
    let quoted = |word: &String| {
        shlex::try_quote(word).map_or_else(|_| word.clone(), std::borrow::Cow::into_owned)
    };
    let text = args.iter().map(quoted).collect::<Vec<String>>().join(" ");
    let replaced = |word: String| {
        if word == ARGUMENTS {
            args.to_vec()
        } else {
            vec![word.replace(ARGUMENTS, &text)]
        }
    };
    argv.into_iter().flat_map(replaced).collect()
}

fn cpu_time() -> Metric {
    Metric::CpuTime
}

pub(super) fn timeout() -> Duration {
    TIMEOUT
}

fn metric<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Metric, D::Error> {
    proofmark_measure::parse_metric(&String::deserialize(deserializer)?).map_err(D::Error::custom)
}

fn guard<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<f64>, D::Error> {
    share(deserializer).map(Some)
}

pub(super) fn duration<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Duration, D::Error> {
    let text = String::deserialize(deserializer)?;
    let value = humantime::parse_duration(&text)
        .map_err(|error| D::Error::custom(format!("{error}; write 60s, 2m or 500ms")))?;
    if value.is_zero() {
        return Err(D::Error::custom("a time limit is longer than nothing"));
    }
    if value > LONGEST {
        return Err(D::Error::custom("a time limit is a year at most"));
    }
    Ok(value)
}
