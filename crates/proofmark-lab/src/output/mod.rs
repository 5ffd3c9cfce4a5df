//! What a run printed, and whether it may count: a run that fails, or prints something else than
//! the base did, is never timed.

mod cost;
mod excusing;
mod reference;
mod said;

use std::path::Path;
use std::time::Duration;

use proofmark_evidence::record::{Benchmark, Run};
use proofmark_measure::{End, MetricError, Outcome, Output, PrintedNumber, printed, value};
use proofmark_terms::{BuildIndex, Digest, Metric};

use crate::error::{Doing, FailedRun, LabError};
pub(crate) use cost::Printing;
use excusing::Excusing;
use reference::{Reference, Source};
pub(crate) use said::{Said, digest_expected};
use said::{around_numbers, difference};

/// A run that computes for less than one part in so many of its time limit waits for something.
const WAITS: u32 = 10;

/// What runs have said so far; every further one is held against it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Heard {
    reference: Option<Reference>,
    errors: Excusing,
    /// What the metric's expression finds beside its numbers.
    around: Excusing,
    /// The first number that a run printed as the metric, by whose unit all others are read.
    number: Option<PrintedNumber>,
}

/// Whose run it is.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Speaker<'a> {
    /// Index of the build.
    pub(crate) build: BuildIndex,
    /// What people call the arm.
    pub(crate) name: &'a str,
    /// The image that ran.
    pub(crate) image: &'a Path,
}

/// What the runs have shown of their work.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Printed {
    /// All builds printed the same, and it is not nothing.
    pub same_output: bool,
    /// Nothing was printed on standard output.
    pub silent: bool,
    /// No run was heard: all that there are were made before an interruption.
    pub unheard: bool,
    /// The first line on standard error, quoted.
    pub error: Option<String>,
    /// Digest of what all runs printed; absent where they may differ.
    pub digest: Option<Digest>,
}

impl Heard {
    /// Nothing heard yet; where the benchmark says what every run has to print, that is what they
    /// are held against.
    pub(crate) fn new(benchmark: &Benchmark) -> Self {
        let expected = benchmark.expected.clone().map(|digest| Reference {
            source: Source::Expected,
            said: Said::only_digest(digest),
            exit: None,
        });
        Heard {
            reference: expected,
            ..Heard::default()
        }
    }

    /// Holds all that follows against what runs before an interruption printed.
    pub(crate) fn recall(&mut self, printed: Digest) {
        self.reference.get_or_insert_with(|| Reference {
            source: Source::Earlier,
            said: Said::only_digest(printed),
            exit: None,
        });
    }

    /// What there is to show for the runs.
    pub(crate) fn printed(&self, benchmark: &Benchmark) -> Printed {
        let something = self
            .reference
            .as_ref()
            .map(|reference| reference.said.shows_something());
        Printed {
            same_output: !benchmark.allow_output_difference && something == Some(true),
            silent: something == Some(false),
            unheard: something.is_none(),
            error: self.errors.first_line(),
            digest: self
                .reference
                .as_ref()
                .filter(|_| !benchmark.allow_output_difference)
                .map(|reference| reference.said.digest.clone()),
        }
    }

    /// Holds the unit of a printed number against that of the first one.
    fn number(&mut self, metric: &Metric, outcome: &Outcome) -> Result<(), MetricError> {
        let Some(found) = printed(metric, &outcome.stdout)? else {
            return Ok(());
        };
        self.number.get_or_insert(found.clone()).same_unit(&found)
    }

    /// Holds what a run said against what was said before. Where differences are allowed they are
    /// not looked for.
    fn hear(
        &mut self,
        benchmark: &Benchmark,
        speaker: Speaker<'_>,
        outcome: &Outcome,
    ) -> Result<Option<Differs>, LabError> {
        let said = Said::of(benchmark, &outcome.stdout, speaker.image)?;
        let exit = match outcome.end {
            End::Exited(code) => Some(code),
            End::Signalled(_) | End::TimedOut => None,
        };
        let errors = self
            .errors
            .hear(speaker.build, &outcome.stderr, speaker.image);
        let around = around_numbers(benchmark, &outcome.stdout)
            .and_then(|text| self.around.hear(speaker.build, &text, speaker.image));
        let Some(reference) = &mut self.reference else {
            self.reference = Some(Reference {
                source: Source::Run {
                    build: speaker.build,
                    name: speaker.name.to_owned(),
                },
                said,
                exit,
            });
            return Ok(None);
        };
        if benchmark.allow_output_difference {
            return Ok(None);
        }
        let (how, difference) = if reference.said.digest != said.digest {
            let difference = difference(&reference.said, &said);
            ("printed something else than", difference)
        } else if let Some((old, new)) = reference.exit.zip(exit).filter(|(old, new)| old != new) {
            let difference = format!("it exited with {new}, and not with {old}");
            ("ended in another way than", difference)
        } else if let Some(difference) = around {
            let difference = format!("what the metric finds, without the number: {difference}");
            ("printed something else than", difference)
        } else if let Some(difference) = errors {
            ("said something else on standard error than", difference)
        } else {
            reference.exit = reference.exit.or(exit);
            return Ok(None);
        };
        Ok(Some(Differs {
            how,
            reference: reference.source.name(speaker).to_owned(),
            difference,
            doing: reference.source.doing(speaker),
        }))
    }
}

/// What a run did otherwise than it must.
struct Differs {
    how: &'static str,
    reference: String,
    difference: String,
    /// Whose doing that is, as far as the two runs tell.
    doing: Doing,
}

/// Whether two runs of one image printed different things.
///
/// # Errors
/// When the filter fails.
pub(crate) fn varies(
    benchmark: &Benchmark,
    image: &Path,
    one: &Output,
    other: &Output,
) -> Result<bool, LabError> {
    let said = |output| Said::of(benchmark, output, image);
    Ok(said(one)?.digest != said(other)?.digest)
}

/// Turns an outcome into a record, or says why it cannot count. `keep` keeps the image and gives
/// the command that runs it again.
pub(crate) fn run_of(
    benchmark: &Benchmark,
    heard: &mut Heard,
    speaker: Speaker<'_>,
    outcome: &Outcome,
    keep: impl Fn() -> String,
) -> Result<Run, LabError> {
    let arm = speaker.name;
    ended_well(benchmark, speaker, outcome, &keep)?;
    if let Some(differs) = heard.hear(benchmark, speaker, outcome)? {
        return Err(LabError::OutputDiffers {
            arm: arm.to_owned(),
            how: differs.how,
            reference: differs.reference,
            difference: differs.difference,
            command: keep(),
            doing: differs.doing,
        });
    }
    let in_one_unit = |found| heard.number(&benchmark.metric, outcome).map(|()| found);
    let value = value(&benchmark.metric, outcome).and_then(in_one_unit);
    let value = value.map_err(|error| LabError::Metric {
        arm: arm.to_owned(),
        why: error.to_string(),
        command: keep(),
    })?;
    Ok(Run {
        value,
        cpu_ns: ns(outcome.cpu),
        wall_ns: ns(outcome.wall),
        peak_bytes: outcome.peak.or_bound(),
    })
}

/// Whether a run ended as a measurement must.
fn ended_well(
    benchmark: &Benchmark,
    speaker: Speaker<'_>,
    outcome: &Outcome,
    keep: &impl Fn() -> String,
) -> Result<(), LabError> {
    let (how, next) = match outcome.end {
        End::Exited(code) if outcome.children_left > 0 && (code == 0 || benchmark.ignore_exit) => (
            format!(
                "left {} {} behind, whose time is not in the measurement; it was ended there",
                outcome.children_left,
                if outcome.children_left == 1 {
                    "process"
                } else {
                    "processes"
                }
            ),
            "make the program wait for its children",
        ),
        End::Exited(0) => return Ok(()),
        // Whatever was asked: what would be timed is the shell's or the loader's failure, and not
        // the program.
        End::Exited(code @ (126 | 127)) => (
            format!("exited with {code}: it, or what it starts, could not be run"),
            "run the command by hand; a program or a library may be missing",
        ),
        End::Exited(_) if benchmark.ignore_exit => return Ok(()),
        End::Exited(code) => (
            format!("exited with {code}"),
            "mend it, or compare all the same with --ignore-exit",
        ),
        End::Signalled(_) if is_library(speaker.image) => (
            format!(
                "runs {} as a program, which is a library",
                file_name(speaker.image)
            ),
            "name the program that loads it, as in `-- env LD_PRELOAD={} program`",
        ),
        End::Signalled(signal) => (
            format!("was killed by signal {signal}"),
            if speaker.name.ends_with("(in a drawn layout)") {
                "run the command under a debugger; if the file that the build left does not die, \
                 the layout is at fault: compare the files as they are (--layouts as-shipped)"
            } else {
                "run the command under a debugger"
            },
        ),
        End::TimedOut => unended(benchmark, outcome.cpu),
    };
    Err(LabError::Run(Box::new(FailedRun {
        arm: speaker.name.to_owned(),
        how,
        command: keep(),
        stderr: outcome.stderr.text().into_owned(),
        next: next.to_owned(),
    })))
}

/// What is said of a run that had to be ended, and used so much CPU time until then. A program that
/// serves, or waits for a key, has no less work to do: it ends when somebody ends it.
fn unended(benchmark: &Benchmark, spent: Duration) -> (String, &'static str) {
    let limit = Duration::from_millis(benchmark.timeout_ms);
    let said = humantime::format_duration(limit);
    if spent < limit / WAITS {
        let how = format!(
            "did not end within {said} and was killed; of this time it used {:.2} s of CPU time, \
             and waited for the rest",
            spent.as_secs_f64()
        );
        (
            how,
            "if it is a server, or waits for somebody, let the command end it, as in `-- sh -c \
             '{} & client; kill $!; wait'`; if it ends by itself, give it more time with --timeout",
        )
    } else {
        (
            format!("did not end within {said} and was killed"),
            "if it ends by itself, give it less work, or more time with --timeout; if not, let the \
             command end it",
        )
    }
}

/// Whether the image is one that only other programs load.
fn is_library(image: &Path) -> bool {
    std::fs::read(image).is_ok_and(|data| proofmark_code::is_library(&data))
}

fn file_name(path: &Path) -> String {
    let name = path.file_name().unwrap_or(path.as_os_str());
    name.to_string_lossy().into_owned()
}

fn ns(duration: Duration) -> u64 {
    u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_differs_after_an_interruption_is_nobody_s_doing() {
        let benchmark = Benchmark::default();
        let mut heard = Heard::new(&benchmark);
        heard.recall(blake3::hash(b"earlier").into());
        let speaker = Speaker {
            build: BuildIndex::BASE,
            name: "base (as shipped)",
            image: Path::new("app"),
        };
        let mut hear = |text: &[u8]| {
            let stdout = Output {
                digest: blake3::hash(text),
                length: text.len() as u64,
                kept: text.to_vec(),
            };
            let outcome = outcome(stdout);
            run_of(&benchmark, &mut heard, speaker, &outcome, String::new)
        };
        assert!(hear(b"earlier").is_ok());
        let error = hear(b"now").unwrap_err().of_build(BuildIndex::BASE);
        let doing = Doing::Interruption;
        assert!(matches!(&error, LabError::OutputDiffers { doing: found, .. } if *found == doing));
        assert!(
            error.to_string().contains("before the interruption"),
            "{error}"
        );
    }

    /// Of a run that ended well.
    fn outcome(stdout: Output) -> Outcome {
        Outcome {
            end: End::Exited(0),
            cpu: Duration::from_millis(1),
            accounted: proofmark_measure::Accounted::default(),
            wall: Duration::from_millis(1),
            tax: None,
            waits: 0,
            peak: proofmark_measure::Peak::Bytes(1),
            stdout,
            stderr: Output {
                digest: blake3::hash(b""),
                length: 0,
                kept: Vec::new(),
            },
            children_left: 0,
        }
    }

    #[test]
    fn a_run_that_waits_and_never_ends_is_asked_whether_it_is_a_server() {
        let benchmark = Benchmark {
            timeout_ms: 600_000,
            ..Benchmark::default()
        };
        let (how, next) = unended(&benchmark, Duration::from_millis(20));
        assert!(how.contains("within 10m and was killed"), "{how}");
        assert!(how.contains("0.02 s of CPU time"), "{how}");
        assert!(next.contains("server") && !next.contains("less work"));
        let (how, next) = unended(&benchmark, Duration::from_secs(599));
        assert!(!how.contains("waited"), "{how}");
        assert!(next.contains("less work") && next.contains("if it ends by itself"));
    }
}
