//! What a run printed, and whether it may count: a run that fails, or prints something else than the base did, is never timed.

use std::borrow::Cow;

use proofmark_evidence::record::{Benchmark, Run};
use proofmark_measure::{End, Metric, Outcome, Output, value};

use crate::LabError;
use crate::error::FailedRun;

/// What the first run printed; all others are held against it.
#[derive(Clone, Debug)]
pub(crate) struct Reference {
    arm: String,
    said: Said,
}

/// An output without the numbers that are the metric.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Said {
    digest: String,
    /// The first MiB of it; absent where only its digest was written down.
    kept: Option<Vec<u8>>,
}

impl Reference {
    /// What every run has to print, where the benchmark says.
    pub(crate) fn expected(benchmark: &Benchmark) -> Option<Self> {
        Some(Reference {
            arm: "what is expected".to_owned(),
            said: Said {
                digest: benchmark.expected.clone()?,
                kept: None,
            },
        })
    }
}

/// The digest of an output that is written down, as [`Benchmark::expected`] holds it.
pub(crate) fn digest_expected(metric: &Metric, content: &[u8]) -> String {
    blake3::hash(&spoken(metric, content)).to_hex().to_string()
}

/// Turns an outcome into a record, or says why it cannot count. `keep` keeps the image and gives the command that runs it again.
pub(crate) fn run_of(
    benchmark: &Benchmark,
    reference: &mut Option<Reference>,
    arm: &str,
    outcome: &Outcome,
    keep: impl Fn() -> String,
) -> Result<Run, LabError> {
    ended_well(benchmark, arm, outcome, &keep)?;
    if !benchmark.allow_output_difference {
        let said = said(&benchmark.metric, &outcome.stdout);
        match reference {
            None => {
                *reference = Some(Reference {
                    arm: arm.to_owned(),
                    said,
                });
            }
            Some(reference) if reference.said.digest != said.digest => {
                return Err(LabError::OutputDiffers {
                    arm: arm.to_owned(),
                    reference: if reference.arm == arm {
                        "an earlier run of the same image".to_owned()
                    } else {
                        reference.arm.clone()
                    },
                    difference: difference(&reference.said, &said),
                    command: keep(),
                });
            }
            Some(_) => {}
        }
    }
    let value = value(&benchmark.metric, outcome).map_err(|error| LabError::Metric {
        arm: arm.to_owned(),
        why: error.to_string(),
        command: keep(),
    })?;
    Ok(Run {
        value,
        cpu_ns: ns(outcome.cpu),
        wall_ns: ns(outcome.wall),
        peak_bytes: outcome.peak.upper_bytes(),
    })
}

/// Whether a run ended as a measurement must.
fn ended_well(
    benchmark: &Benchmark,
    arm: &str,
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
        End::Exited(_) if benchmark.ignore_exit => return Ok(()),
        End::Exited(code) => (
            format!("exited with {code}"),
            "mend it, or compare all the same with --ignore-exit",
        ),
        End::Signalled(signal) => (
            format!("was killed by signal {signal}"),
            "run the command under a debugger",
        ),
        End::TimedOut => (
            format!(
                "did not end within {} s and was killed",
                benchmark.timeout_ms / 1000
            ),
            "give it less work, or more time with --timeout",
        ),
    };
    Err(LabError::Run(Box::new(FailedRun {
        arm: arm.to_owned(),
        how,
        command: keep(),
        stderr: outcome.stderr.text().into_owned(),
        next: next.to_owned(),
    })))
}

/// What was printed, without the numbers that the metric reads: those differ from run to run by their nature.
fn said(metric: &Metric, output: &Output) -> Said {
    if !matches!(metric, Metric::Output { .. }) {
        return Said {
            digest: output.hex(),
            kept: Some(output.kept.clone()),
        };
    }
    let kept = spoken(metric, &output.kept);
    Said {
        digest: blake3::hash(&kept).to_hex().to_string(),
        kept: Some(kept),
    }
}

/// Text without the numbers that the metric reads.
fn spoken(metric: &Metric, content: &[u8]) -> Vec<u8> {
    let Metric::Output { pattern, .. } = metric else {
        return content.to_vec();
    };
    let text = String::from_utf8_lossy(content);
    let masked = match regex::Regex::new(pattern) {
        Ok(pattern) => pattern.replace_all(&text, ""),
        Err(_) => Cow::Borrowed(text.as_ref()),
    };
    masked.into_owned().into_bytes()
}

/// Where two outputs part, for people.
fn difference(expected: &Said, found: &Said) -> String {
    let text = |said: &Said| {
        let kept = said.kept.as_deref();
        kept.map(|kept| String::from_utf8_lossy(kept).into_owned())
    };
    let found_text = text(found).unwrap_or_default();
    let Some(expected_text) = text(expected) else {
        let [expected, found] = [expected, found].map(|said| said.digest.get(..12).unwrap_or(""));
        let first = shown(found_text.lines().next());
        return format!("its first line is {first}; its digest is {found}…, and not {expected}…");
    };
    let (mut a, mut b) = (expected_text.lines(), found_text.lines());
    let mut line = 1_u32;
    loop {
        match (a.next(), b.next()) {
            (None, None) => {
                return "they differ beyond the first MiB, or in their last line end".to_owned();
            }
            (x, y) if x == y => line += 1,
            (x, y) => return format!("line {line} is {}, and not {}", shown(y), shown(x)),
        }
    }
}

fn shown(line: Option<&str>) -> String {
    match line {
        None => "missing".to_owned(),
        Some(line) if line.chars().count() > 60 => {
            format!("“{}…”", line.chars().take(60).collect::<String>())
        }
        Some(line) => format!("“{line}”"),
    }
}

fn ns(duration: std::time::Duration) -> u64 {
    u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_difference_names_its_first_line() {
        let said = |text: &str| Said {
            digest: blake3::hash(text.as_bytes()).to_hex().to_string(),
            kept: Some(text.as_bytes().to_vec()),
        };
        assert_eq!(
            difference(&said("a\nb\n"), &said("a\nc\n")),
            "line 2 is “c”, and not “b”"
        );
        assert_eq!(
            difference(&said("a\n"), &said("a\nc\n")),
            "line 2 is “c”, and not missing"
        );
    }

    #[test]
    fn what_is_expected_is_held_against_the_first_run_already() {
        let metric = Metric::CpuTime;
        let digest = digest_expected(&metric, b"7\n");
        let expected = Said {
            digest: digest.clone(),
            kept: None,
        };
        let found = said(
            &metric,
            &Output {
                digest: *blake3::hash(b"8\n").as_bytes(),
                length: 2,
                kept: b"8\n".to_vec(),
            },
        );
        assert_ne!(expected.digest, found.digest);
        let difference = difference(&expected, &found);
        assert!(difference.contains(&digest[..12]), "{difference}");
        assert!(difference.contains("its first line is “8”"), "{difference}");
    }

    #[test]
    fn the_metric_is_not_part_of_what_was_said() {
        let output = |text: &str| Output {
            digest: *blake3::hash(text.as_bytes()).as_bytes(),
            length: text.len() as u64,
            kept: text.as_bytes().to_vec(),
        };
        let metric = Metric::Output {
            pattern: "ops/s: ([0-9.]+)".to_owned(),
            unit: "ops/s".to_owned(),
            higher_is_better: true,
        };
        assert_eq!(
            said(&metric, &output("sum 7\nops/s: 12.5\n")),
            said(&metric, &output("sum 7\nops/s: 99\n"))
        );
        assert_ne!(
            said(&metric, &output("sum 7\nops/s: 12.5\n")),
            said(&metric, &output("sum 8\nops/s: 12.5\n"))
        );
    }
}
