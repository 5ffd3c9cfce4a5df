//! What a run printed, made comparable: without the numbers that are the metric, without the
//! image's own path, and as the project's filter leaves it.

use std::borrow::Cow;
use std::io::{Seek as _, Write as _};
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;
use std::process::{Command, Stdio};

use memchr::memmem;
use proofmark_evidence::record::Benchmark;
use proofmark_measure::{Output, expression};
use proofmark_terms::{Digest, Metric, printable};

use crate::command;
use crate::error::LabError;

/// An output as it is compared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Said {
    pub(crate) digest: Digest,
    /// Bytes of it.
    length: u64,
    /// The first MiB of it; absent where only its digest was written down.
    kept: Option<Vec<u8>>,
}

impl Said {
    fn whole(kept: Vec<u8>) -> Self {
        Said {
            digest: blake3::hash(&kept).into(),
            length: kept.len() as u64,
            kept: Some(kept),
        }
    }

    /// What is known by its digest alone.
    pub(crate) fn only_digest(digest: Digest) -> Self {
        Said {
            digest,
            length: 0,
            kept: None,
        }
    }

    /// Of an output that a run of `image` printed.
    ///
    /// # Errors
    /// When the filter fails, or the output is too long for it.
    pub(crate) fn of(
        benchmark: &Benchmark,
        output: &Output,
        image: &Path,
    ) -> Result<Self, LabError> {
        let metric = &benchmark.metric;
        let masked = matches!(metric, Metric::Output { .. });
        let path = image.as_os_str().as_bytes();
        let whole = output.length == output.kept.len() as u64;
        let kept = without(&output.kept, path);
        if !masked && benchmark.output_filter.is_none() {
            // The digest has no path of the image, however long the output is.
            return Ok(Said {
                digest: output.digest.into(),
                length: output.length,
                kept: Some(kept),
            });
        }
        let kept = match masked {
            true => spoken(metric, &kept),
            false => kept,
        };
        match &benchmark.output_filter {
            None => Ok(Said::whole(kept)),
            Some(filter) if whole => Ok(Said::whole(filtered(filter, benchmark, &kept)?)),
            Some(filter) => Err(LabError::Filter {
                command: filter.clone(),
                how: format!(
                    "takes outputs of up to {} bytes, and this one has {}",
                    output.kept.len(),
                    output.length
                ),
            }),
        }
    }

    /// Whether there is anything to compare.
    pub(crate) fn shows_something(&self) -> bool {
        match &self.kept {
            Some(kept) => !kept.trim_ascii().is_empty(),
            None => self.digest != Said::whole(Vec::new()).digest,
        }
    }
}

/// The digest of an output that is written down, as [`Benchmark::expected`] holds it: of what the
/// filter leaves of it.
///
/// # Errors
/// When the filter fails.
pub(crate) fn digest_expected(benchmark: &Benchmark, content: &[u8]) -> Result<Digest, LabError> {
    let spoken = spoken(&benchmark.metric, content);
    let kept = match &benchmark.output_filter {
        None => spoken,
        Some(filter) => filtered(filter, benchmark, &spoken)?,
    };
    Ok(blake3::hash(&kept).into())
}

/// Text without the numbers that the metric reads: those differ from run to run by their nature.
fn spoken(metric: &Metric, content: &[u8]) -> Vec<u8> {
    let Metric::Output { pattern, .. } = metric else {
        return content.to_vec();
    };
    let text = String::from_utf8_lossy(content);
    let masked = match expression(pattern) {
        Ok(pattern) => pattern.replace_all(&text, ""),
        Err(_) => Cow::Borrowed(text.as_ref()),
    };
    masked.into_owned().into_bytes()
}

/// What the metric's expression finds without its numbers, a match a line: [`spoken`] leaves it out,
/// for a count of passes that stands there may differ from run to run. Nothing where the project
/// says itself what is compared.
pub(super) fn around_numbers(benchmark: &Benchmark, output: &Output) -> Option<Output> {
    let Metric::Output { pattern, .. } = &benchmark.metric else {
        return None;
    };
    if benchmark.output_filter.is_some() {
        return None;
    }
    let expression = expression(pattern).ok()?;
    let text = String::from_utf8_lossy(&output.kept);
    let mut around = String::new();
    for found in expression.captures_iter(&text) {
        let (whole, number) = (found.get(0)?, found.get(1)?);
        around.push_str(&text[whole.start()..number.start()]);
        around.push_str(&text[number.end()..whole.end()]);
        around.push('\n');
    }
    Some(Output {
        digest: blake3::hash(around.as_bytes()),
        length: around.len() as u64,
        kept: around.into_bytes(),
    })
}

/// Bytes with `{}` for each `path`: each arm has a path of its own, which says nothing of what it
/// did.
pub(crate) fn without(bytes: &[u8], path: &[u8]) -> Vec<u8> {
    if path.is_empty() {
        return bytes.to_vec();
    }
    let mut out = Vec::with_capacity(bytes.len());
    let mut done = 0;
    for found in memmem::find_iter(bytes, path) {
        out.extend_from_slice(&bytes[done..found]);
        out.extend_from_slice(b"{}");
        done = found + path.len();
    }
    out.extend_from_slice(&bytes[done..]);
    out
}

/// What the shell command makes of an output.
fn filtered(filter: &str, benchmark: &Benchmark, content: &[u8]) -> Result<Vec<u8>, LabError> {
    let failed = |how: String| LabError::Filter {
        command: filter.to_owned(),
        how,
    };
    let run = || -> std::io::Result<std::process::Output> {
        // A file and not a pipe: a filter that prints before it has read all must not block on its
        // reader.
        let mut input = tempfile::tempfile()?;
        input.write_all(content)?;
        input.rewind()?;
        Command::new("/bin/sh")
            .arg("-c")
            .arg(filter)
            .current_dir(benchmark.cwd.as_ref())
            .env_clear()
            .envs(command::around(benchmark))
            .env("LC_ALL", "C")
            .stdin(Stdio::from(input))
            .output()
    };
    let output = run().map_err(|error| failed(format!("could not be started: {error}")))?;
    if output.status.success() {
        let blank = |text: &[u8]| text.trim_ascii().is_empty();
        if blank(&output.stdout) && !blank(content) {
            let length = content.len();
            return Err(failed(format!(
                "leaves nothing of {length} bytes, so that all outputs would be the same: mend \
                 it, or compare none with --allow-output-difference"
            )));
        }
        Ok(output.stdout)
    } else {
        let said = String::from_utf8_lossy(&output.stderr);
        let said = said.lines().next().unwrap_or("it said nothing");
        Err(failed(format!("failed ({}): {said}", output.status)))
    }
}

/// Where two outputs part, for people. What is not text is told by place, length and digest:
/// printed raw it could say anything to a terminal, and nothing to a reader.
pub(crate) fn difference(expected: &Said, found: &Said) -> String {
    let short = |said: &Said| said.digest.get(..12).unwrap_or_default().to_owned();
    let (Some(old), Some(new)) = (&expected.kept, &found.kept) else {
        let first = found.kept.as_deref().map(String::from_utf8_lossy);
        let line = shown(first.as_deref().and_then(|text| text.lines().next()));
        return format!(
            "its first line is {line}; its digest is {}…, and not {}…",
            short(found),
            short(expected)
        );
    };
    if !(is_text(old) && is_text(new)) {
        let at = old.iter().zip(new).take_while(|(a, b)| a == b).count();
        return format!(
            "{}, and not {}; the first byte that differs is number {}",
            binary(found),
            binary(expected),
            at + 1
        );
    }
    let [old, new] = [old, new].map(|kept| String::from_utf8_lossy(kept));
    let (mut a, mut b) = (old.lines(), new.lines());
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

/// Whether bytes read as text: UTF-8, but perhaps for a letter cut at the end, and no control
/// characters but those of lines.
fn is_text(bytes: &[u8]) -> bool {
    let sound = match std::str::from_utf8(bytes) {
        Ok(_) => true,
        Err(error) => error.error_len().is_none(),
    };
    let control = |byte: &u8| byte.is_ascii_control() && !b"\n\r\t\x0c\x1b".contains(byte);
    sound && !bytes.iter().any(control)
}

/// `4096 bytes with the digest 0123456789ab…`.
fn binary(said: &Said) -> String {
    let digest = said.digest.get(..12).unwrap_or_default();
    format!("{} bytes with the digest {digest}…", said.length)
}

/// A line for people: what moves the cursor or turns the order of reading is spelt, long ones cut.
pub(crate) fn shown(line: Option<&str>) -> String {
    let Some(line) = line else {
        return "missing".to_owned();
    };
    let spelt = printable(line);
    if spelt.chars().count() > 60 {
        format!("“{}…”", spelt.chars().take(60).collect::<String>())
    } else {
        format!("“{spelt}”")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(bytes: &[u8]) -> Said {
        Said::whole(bytes.to_vec())
    }

    #[test]
    fn a_difference_names_its_first_line() {
        let told = |a: &str, b: &str| difference(&said(a.as_bytes()), &said(b.as_bytes()));
        assert_eq!(told("a\nb\n", "a\nc\n"), "line 2 is “c”, and not “b”");
        assert_eq!(told("a\n", "a\nc\n"), "line 2 is “c”, and not missing");
        assert_eq!(
            told("a\n", "a\x1b[2J\n"),
            "line 1 is “a\\u{1b}[2J”, and not “a”"
        );
    }

    #[test]
    fn what_is_not_text_is_told_by_place_length_and_digest() {
        let (old, new) = (said(b"\x00\x01\xff"), said(b"\x00\x02"));
        let told = difference(&old, &new);
        assert!(told.starts_with("2 bytes with the digest "), "{told}");
        assert!(told.contains("and not 3 bytes"), "{told}");
        assert!(told.ends_with("differs is number 2"), "{told}");
    }

    #[test]
    fn what_is_expected_is_held_against_the_first_run_already() {
        let digest: Digest = blake3::hash(b"7\n").into();
        let expected = Said::only_digest(digest.clone());
        let found = said(b"8\n");
        assert_ne!(expected.digest, found.digest);
        let difference = difference(&expected, &found);
        assert!(difference.contains(&digest[..12]), "{difference}");
        assert!(difference.contains("its first line is “8”"), "{difference}");
    }

    #[test]
    fn what_is_expected_goes_through_the_filter_as_outputs_do() {
        let text = "[source.a]\npath = \"a\"\nbuild = \"make\"\n[toolchain.gcc]\ncommand = \"gcc\"\n\
                    [benchmark]\ncommand = \"{}\"\noutput_filter = \"sort\"\n";
        let file = Path::new("/tmp/proofmark.toml");
        let project = proofmark_project::Project::of_text(text, file).unwrap();
        let benchmark = project.benchmarks["benchmark"].record(Path::new("/tmp"), None, None);
        let of = |content: &[u8]| digest_expected(&benchmark, content).unwrap();
        assert_eq!(of(b"b\na\n"), said(b"a\nb\n").digest);
        let output = Output {
            digest: blake3::hash(b""),
            length: 4,
            kept: b"b\na\n".to_vec(),
        };
        let heard = Said::of(&benchmark, &output, Path::new("/i")).unwrap();
        assert_eq!(heard.digest, of(b"a\nb\n"));
        // Where it leaves nothing, everything would be what is expected.
        let mut misspelt = benchmark.clone();
        misspelt.output_filter = Some("sed -n '/reslut/p'".to_owned());
        let expected = digest_expected(&misspelt, b"result 7\n").unwrap_err();
        assert!(
            expected.to_string().contains("leaves nothing of 9 bytes"),
            "{expected}"
        );
        assert!(Said::of(&misspelt, &output, Path::new("/i")).is_err());
        assert!(digest_expected(&misspelt, b" \n").is_ok());
    }

    #[test]
    fn the_path_of_an_image_is_nothing_that_it_says() {
        assert_eq!(without(b"/r/a/x: no /r/a/x", b"/r/a/x"), b"{}: no {}");
        assert_eq!(without(b"nothing", b"/r/a/x"), b"nothing");
    }

    #[test]
    fn what_stands_around_the_number_is_kept_apart() {
        let benchmark = Benchmark {
            metric: proofmark_measure::parse_metric("stdout[ms]:sum .* in ([0-9.]+) ms").unwrap(),
            ..Benchmark::default()
        };
        let printed = |text: &str| Output {
            digest: blake3::hash(text.as_bytes()),
            length: text.len() as u64,
            kept: text.into(),
        };
        let around = |text: &str| {
            let found = around_numbers(&benchmark, &printed(text)).unwrap();
            String::from_utf8(found.kept).unwrap()
        };
        assert_eq!(
            around("sum 7 in 5.1 ms\nsum 8 in 5 ms\n"),
            "sum 7 in  ms\nsum 8 in  ms\n"
        );
        assert_eq!(around("nothing"), "");
        // An expression begins and ends with any line.
        let metric = proofmark_measure::parse_metric("stdout[ms]:^in ([0-9]+)$").unwrap();
        assert_eq!(spoken(&metric, b"first\nin 51\nlast\n"), b"first\n\nlast\n");
        assert!(around_numbers(&Benchmark::default(), &printed("x")).is_none());
    }

    #[test]
    fn blank_output_shows_no_work() {
        assert!(!said(b" \n").shows_something());
        assert!(said(b"7\n").shows_something());
        assert!(Said::only_digest(blake3::hash(b"ab").into()).shows_something());
    }
}
