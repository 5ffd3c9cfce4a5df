//! Texts of which parts may differ from run to run: what runs say on standard error, and what stands
//! around the number that is the metric. They are compared as outputs are, but parts that differ
//! between two runs of one build are excused.

use std::collections::BTreeMap;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

use proofmark_measure::Output;
use proofmark_terms::BuildIndex;

use super::said::{shown, without};

/// What each build said.
#[derive(Clone, Debug, Default)]
pub(crate) struct Excusing {
    builds: BTreeMap<BuildIndex, Spoken>,
}

/// What the runs of one build have in common.
#[derive(Clone, Debug)]
struct Spoken {
    /// Digest of the last run's text.
    digest: [u8; 32],
    /// Two runs at least were heard.
    again: bool,
    /// Words that every run said at this place, and `None` where they differ; absent where not even
    /// the number of lines is the same.
    lines: Option<Vec<Line>>,
}

type Line = Vec<Option<String>>;

impl Excusing {
    /// Listens to one run. Says where this build and the first one part, once two runs of each were
    /// heard: one run does not tell what differs by itself.
    pub(crate) fn hear(
        &mut self,
        build: BuildIndex,
        output: &Output,
        image: &Path,
    ) -> Option<String> {
        let text = without(&output.kept, image.as_os_str().as_bytes());
        let digest = *blake3::hash(&text).as_bytes();
        match self.builds.get_mut(&build) {
            Some(spoken) if spoken.digest == digest && spoken.again => return None,
            Some(spoken) => spoken.hear_again(digest, lines(&text, output)),
            None => {
                let spoken = Spoken {
                    digest,
                    again: false,
                    lines: Some(lines(&text, output)),
                };
                self.builds.insert(build, spoken);
            }
        }
        let (first, base) = self.builds.iter().find(|(_, spoken)| spoken.again)?;
        let new = self.builds.get(&build).filter(|spoken| spoken.again)?;
        if *first == build {
            let others = self.builds.values().filter(|spoken| spoken.again);
            return others.skip(1).find_map(|new| difference(base, new));
        }
        difference(base, new)
    }

    /// The first line that some build says.
    pub(crate) fn first_line(&self) -> Option<String> {
        let spoken = self.builds.values().find_map(|spoken| {
            let lines = spoken.lines.as_ref()?;
            lines.iter().find(|line| !line.is_empty())
        });
        spoken.map(|line| shown(Some(&text_of(line))))
    }
}

impl Spoken {
    fn hear_again(&mut self, digest: [u8; 32], now: Vec<Line>) {
        self.again = true;
        self.digest = digest;
        let same = |lines: &&mut Vec<Line>| lines.len() == now.len();
        let Some(lines) = self.lines.as_mut().filter(same) else {
            self.lines = None;
            return;
        };
        for (line, now) in lines.iter_mut().zip(now) {
            if line.len() == now.len() {
                for (word, now) in line.iter_mut().zip(now) {
                    if *word != now {
                        *word = None;
                    }
                }
            } else {
                *line = vec![None];
            }
        }
    }
}

/// Lines as words. Of a long text the end is kept, and its first line is a part of one.
fn lines(text: &[u8], output: &Output) -> Vec<Line> {
    let cut = usize::from(output.length > output.kept.len() as u64);
    let text = String::from_utf8_lossy(text);
    text.lines().skip(cut).map(words).collect()
}

/// Numbers and names whole, everything else letter by letter.
fn words(line: &str) -> Line {
    let mut words: Vec<String> = Vec::new();
    let mut inside = false;
    for letter in line.chars() {
        let part = letter.is_alphanumeric() || letter == '_' || letter == '.';
        match words.last_mut().filter(|_| inside && part) {
            Some(word) => word.push(letter),
            None => words.push(letter.to_string()),
        }
        inside = part;
    }
    words.into_iter().map(Some).collect()
}

fn text_of(line: &Line) -> String {
    let word = |word: &Option<String>| word.clone().unwrap_or_else(|| "…".to_owned());
    line.iter().map(word).collect()
}

/// The first line that two builds do not share; `None` where all they do not share varies by
/// itself.
fn difference(base: &Spoken, new: &Spoken) -> Option<String> {
    let (Some(base), Some(new)) = (&base.lines, &new.lines) else {
        return None;
    };
    let length = base.len().max(new.len());
    let at = (0..length).find(|&at| match (base.get(at), new.get(at)) {
        (Some(base), Some(new)) => !alike(base, new),
        _ => true,
    })?;
    let line = |lines: &[Line]| shown(lines.get(at).map(text_of).as_deref());
    Some(format!(
        "line {} is {}, and not {}",
        at + 1,
        line(new),
        line(base)
    ))
}

fn alike(base: &Line, new: &Line) -> bool {
    let varies = |line: &Line| line.as_slice() == [None];
    let same = |(a, b): (&Option<String>, &Option<String>)| a.is_none() || b.is_none() || a == b;
    varies(base) || varies(new) || base.len() == new.len() && base.iter().zip(new).all(same)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is said of the runs, each of a build.
    fn heard(runs: &[(u32, &str)]) -> Option<String> {
        let mut errors = Excusing::default();
        let mut told = None;
        for &(build, text) in runs {
            let output = Output {
                digest: blake3::hash(text.as_bytes()),
                length: text.len() as u64,
                kept: text.as_bytes().to_vec(),
            };
            told = told.or(errors.hear(BuildIndex(build), &output, Path::new("/run/a/x")));
        }
        told
    }

    #[test]
    fn an_error_that_only_one_build_says_is_told() {
        let error = "error: cannot open config\n";
        let told = heard(&[(0, ""), (1, error), (0, ""), (1, error)]);
        assert_eq!(
            told.as_deref(),
            Some("line 1 is “error: cannot open config”, and not missing")
        );
        // Also where the base is heard last.
        assert!(heard(&[(1, error), (0, ""), (1, error), (0, "")]).is_some());
        assert_eq!(
            heard(&[(0, error), (1, error), (0, error), (1, error)]),
            None
        );
    }

    #[test]
    fn one_run_of_a_build_decides_nothing() {
        assert_eq!(heard(&[(0, "a\n"), (1, "b\n"), (0, "a\n")]), None);
    }

    #[test]
    fn what_varies_by_itself_is_excused_and_nothing_else() {
        let runs = |base: [&'static str; 2], new: [&'static str; 2]| {
            heard(&[(0, base[0]), (1, new[0]), (0, base[1]), (1, new[1])])
        };
        let took = ["took 1.25 s\n", "took 1.31 s\n"];
        assert_eq!(runs(took, ["took 0.90 s\n", "took 0.91 s\n"]), None);
        assert!(runs(took, ["failed 0.90 s\n", "failed 0.91 s\n"]).is_some());
        assert_eq!(runs(["a\n", "a\nb\n"], ["c\n", "c\n"]), None);
        assert_eq!(
            runs(["/run/a/x: 1\n", "/run/a/x: 1\n"], ["{}: 1\n", "{}: 1\n"]),
            None
        );
    }
}
