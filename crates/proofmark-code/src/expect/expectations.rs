//! The file of expectations. `docs/expectations.md` describes it.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::condition::Condition;
use super::document::{Document, Entry, VERSION};
use super::file_error::FileError;
use super::term::Term;
use crate::arch::Arch;
use crate::names;
use crate::pattern::Pattern;

/// A file of expectations, read and understood.
#[derive(Debug, Clone)]
pub struct Expectations {
    path: PathBuf,
    list: Vec<Expectation>,
}

/// Conditions on the functions that a pattern means.
#[derive(Debug, Clone)]
pub struct Expectation {
    /// Which functions.
    pub function: Pattern,
    /// The conditions.
    pub holds: Vec<Held>,
    /// Why the project expects it: shown when it is broken.
    pub because: Option<String>,
    /// Only for these instruction sets; empty for all.
    pub architectures: Vec<Arch>,
    /// Only for builds or files whose name one of these patterns means; empty for all.
    pub builds: Vec<Pattern>,
    /// Whether the pieces that the compiler split off count as part of the function.
    pub pieces: bool,
    /// Whether the sum over all matching functions is meant, and not each of them.
    pub together: bool,
    /// The line in the file where it begins, from 1.
    pub line: usize,
}

/// A condition that has to hold.
#[derive(Debug, Clone)]
pub struct Held {
    /// As it is written.
    pub text: String,
    /// As it is understood.
    pub condition: Condition,
    /// The line in the file where it stands, from 1.
    pub line: usize,
}

impl Expectations {
    /// Reads a file.
    ///
    /// # Errors
    /// When it cannot be read, or does not say anything that can be checked.
    pub fn read(path: &Path) -> Result<Expectations, FileError> {
        let text = std::fs::read_to_string(path).map_err(|source| FileError::Read {
            path: path.to_path_buf(),
            source,
        })?;
        Expectations::parse(path, &text)
    }

    /// Reads a file's text; `path` is what messages call it.
    ///
    /// # Errors
    /// As [`Expectations::read`].
    pub fn parse(path: &Path, text: &str) -> Result<Expectations, FileError> {
        let document: Document = toml::from_str(text).map_err(|source| FileError::Shape {
            path: path.to_path_buf(),
            source: Box::new(source),
        })?;
        if document.version != VERSION {
            return Err(FileError::Version {
                path: path.to_path_buf(),
                version: document.version,
            });
        }
        if document.expect.is_empty() {
            let what = "no [[expect]] in it: it would always pass".to_string();
            return Err(FileError::Empty {
                path: path.to_path_buf(),
                what,
            });
        }
        let names = named_numbers(path, text, document.names)?;
        let read = |entry: &toml::Spanned<Entry>| {
            let line = line_of(text, entry.span().start);
            expectation(path, text, line, entry.get_ref(), &names)
        };
        let list = document
            .expect
            .iter()
            .map(read)
            .collect::<Result<Vec<_>, _>>()?;
        Ok(Expectations {
            path: path.to_path_buf(),
            list,
        })
    }

    /// The file.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The expectations in the file's order.
    #[must_use]
    pub fn list(&self) -> &[Expectation] {
        &self.list
    }
}

/// The line of a place in a text, from 1.
fn line_of(text: &str, place: usize) -> usize {
    let before = text.as_bytes().get(..place).unwrap_or_default();
    before.iter().filter(|b| **b == b'\n').count() + 1
}

/// The names of `[let]` with their numbers; none may be a word that conditions have already.
fn named_numbers(
    path: &Path,
    text: &str,
    names: BTreeMap<String, toml::Spanned<u64>>,
) -> Result<BTreeMap<String, u64>, FileError> {
    let mut numbers = BTreeMap::new();
    for (name, number) in names {
        if Term::is_word(&name) {
            return Err(FileError::Name {
                path: path.to_path_buf(),
                line: line_of(text, number.span().start),
                name,
            });
        }
        numbers.insert(name, number.into_inner());
    }
    Ok(numbers)
}

fn expectation(
    path: &Path,
    whole: &str,
    line: usize,
    entry: &Entry,
    names: &BTreeMap<String, u64>,
) -> Result<Expectation, FileError> {
    let path_buf = || path.to_path_buf();
    let pattern = |text: &String| {
        Pattern::parse(text).map_err(|source| FileError::Pattern {
            path: path_buf(),
            line,
            source,
        })
    };
    let condition = |text: &toml::Spanned<String>| {
        let line = line_of(whole, text.span().start);
        let text = text.get_ref().clone();
        let condition = Condition::parse(&text, names).map_err(|source| FileError::Condition {
            path: path_buf(),
            line,
            source,
        })?;
        Ok(Held {
            text,
            condition,
            line,
        })
    };
    let architecture = |name: &String| {
        Arch::parse(name).ok_or_else(|| FileError::Architecture {
            path: path_buf(),
            line,
            name: name.clone(),
        })
    };
    let holds = entry
        .holds
        .0
        .iter()
        .map(condition)
        .collect::<Result<Vec<_>, _>>()?;
    if holds.is_empty() {
        let what = format!(
            "line {line}: nothing is expected of {}: it would always pass",
            entry.function
        );
        return Err(FileError::Empty {
            path: path_buf(),
            what,
        });
    }
    Ok(Expectation {
        function: pattern(&entry.function)?,
        holds,
        because: entry.because.clone(),
        architectures: entry
            .architecture
            .all()
            .iter()
            .map(architecture)
            .collect::<Result<_, _>>()?,
        builds: entry
            .build
            .all()
            .iter()
            .map(pattern)
            .collect::<Result<_, _>>()?,
        pieces: entry.pieces,
        together: entry.together,
        line,
    })
}

impl Expectation {
    /// Why it does not apply to a build of this name for this instruction set; `None` when it does.
    #[must_use]
    pub fn excluded(&self, arch: Arch, build: &str) -> Option<String> {
        let list = |items: Vec<String>| items.join(", ");
        if !self.architectures.is_empty() && !self.architectures.contains(&arch) {
            return Some(format!(
                "only for {}",
                list(self.architectures.iter().map(ToString::to_string).collect())
            ));
        }
        let named = |p: &Pattern| p.matches_symbol(build) || p.matches_symbol(names::base(build));
        if !self.builds.is_empty() && !self.builds.iter().any(named) {
            return Some(format!(
                "only for builds {}",
                list(self.builds.iter().map(|p| p.text().to_string()).collect())
            ));
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<Expectations, FileError> {
        Expectations::parse(Path::new("e.toml"), text)
    }

    #[test]
    fn a_whole_file_is_understood() {
        let text = "[let]\nopcodes = 41\n\n[[expect]]\nfunction = \"run\"\narchitecture = \"x86_64\"\nbuild = \"clang*\"\nholds = \"tail_calls >= opcodes\"\nbecause = \"fast\"\n";
        let file = parse(text).unwrap();
        let e = &file.list()[0];
        assert_eq!(e.line, 4);
        assert_eq!(e.architectures, [Arch::X86_64]);
        assert!(e.pieces && !e.together);
        assert_eq!(e.excluded(Arch::X86_64, "clang-18"), None);
        assert!(e.excluded(Arch::Aarch64, "clang-18").is_some());
        assert!(e.excluded(Arch::X86_64, "gcc").is_some());
    }

    #[test]
    fn only_a_missing_file_is_to_be_learnt() {
        let folder = tempfile::tempdir().unwrap();
        let text = folder.path().join("latin.toml");
        std::fs::write(&text, b"# caf\xe9\n").unwrap();
        let said = |path: &Path| Expectations::read(path).unwrap_err().to_string();
        assert!(said(&folder.path().join("none")).contains("--learn"));
        assert!(!said(folder.path()).contains("--learn"));
        let said = said(&text);
        assert!(
            !said.contains("--learn") && said.contains("UTF-8"),
            "{said}"
        );
    }

    #[test]
    fn what_would_always_pass_is_refused() {
        assert!(matches!(parse(""), Err(FileError::Empty { .. })));
        assert!(matches!(
            parse("[[expect]]\nfunction = \"f\"\nholds = []\n"),
            Err(FileError::Empty { .. })
        ));
    }

    #[test]
    fn a_name_that_conditions_have_already_is_refused() {
        for name in ["bytes", "functions", "\"vector_bits\""] {
            let text = format!(
                "[let]\nother = 3\n{name} = 1\n[[expect]]\nfunction = \"f\"\nholds = \"exists\"\n"
            );
            let said = parse(&text).unwrap_err().to_string();
            let name = name.trim_matches('"');
            assert!(said.starts_with(&format!("e.toml:3: '{name}'")), "{said}");
        }
    }

    #[test]
    fn a_mistake_is_placed() {
        let text = "version = 1\n\n[[expect]]\nfunction = \"f\"\nholds = \"byte < 3\"\n";
        assert!(
            parse(text)
                .unwrap_err()
                .to_string()
                .starts_with("e.toml:5: 'byte' is no fact")
        );
        let text =
            "[[expect]]\nfunction = \"f\"\nholds = [\n  \"exists\",\n\n  '''\nbyte < 3''',\n]\n";
        let said = parse(text).unwrap_err().to_string();
        assert!(said.starts_with("e.toml:6: 'byte' is no fact"), "{said}");
        let text = text.replace("byte", "bytes");
        let lines: Vec<usize> = parse(&text).unwrap().list()[0]
            .holds
            .iter()
            .map(|held| held.line)
            .collect();
        assert_eq!(lines, [4, 6]);
        for wrong in ["3", "[3]", "{ a = 1 }", "[[\"exists\"]]"] {
            let text = format!("[[expect]]\nfunction = \"f\"\nholds = {wrong}\n");
            assert!(matches!(parse(&text), Err(FileError::Shape { .. })));
        }
        assert!(matches!(
            parse("[[expect]]\nfunktion = \"f\"\n"),
            Err(FileError::Shape { .. })
        ));
        assert!(matches!(
            parse("version = 9\n"),
            Err(FileError::Version { version: 9, .. })
        ));
        assert!(matches!(
            parse("[[expect]]\nfunction = \"f\"\nholds = \"exists\"\narch = \"z80\"\n"),
            Err(FileError::Architecture { .. })
        ));
    }
}
