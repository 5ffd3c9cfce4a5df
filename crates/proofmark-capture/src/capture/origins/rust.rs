//! What `rustc` compiled: crates' libraries by the name that cargo gives them, a link's own objects
//! by the process that linked.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;

use super::super::files::absolute;
use super::super::origin::Origin;
use super::super::run::Run;
use super::{path, words};
use crate::event::{Event, Linked, Rustc};
use crate::process::Process;

/// Every run of `rustc` that the wrapper saw.
pub(super) struct RustCompilations {
    runs: Vec<Rustc>,
    /// The compiler behind rustup's proxy, as it was seen linking.
    program: Option<PathBuf>,
}

impl RustCompilations {
    pub(super) fn of(run: &Run) -> RustCompilations {
        let mut found = RustCompilations {
            runs: Vec::new(),
            program: None,
        };
        for event in &run.events {
            match event {
                Event::Rustc(rustc) => found.runs.push(rustc.clone()),
                Event::Linked(linked) => {
                    let program = rustc_above(linked).map(|process| path(&process.program));
                    found.program = found.program.or(program);
                }
                Event::Compiled(_) | Event::Assembled(_) => {}
            }
        }
        found
    }

    /// Where each crate's library is written, absolute.
    pub(super) fn libraries(&self) -> Vec<(PathBuf, Origin)> {
        let named = self
            .runs
            .iter()
            .filter_map(|rustc| Some((library(rustc)?, rustc)));
        named
            .map(|(library, rustc)| (absolute(&library), self.origin(rustc)))
            .collect()
    }

    /// The `rustc` that started a link, and so made the objects that are no archive's members.
    pub(super) fn linking(&self, link: &Linked) -> Option<Origin> {
        let process = rustc_above(link)?;
        let same = |noted: &Process| noted.pid == process.pid && noted.started == process.started;
        let noted = self
            .runs
            .iter()
            .find(|rustc| rustc.process.as_ref().is_some_and(same));
        Some(match noted {
            Some(rustc) => self.origin(rustc),
            None => Origin {
                compiler: Some(path(&process.program)),
                ..Origin::default()
            },
        })
    }

    fn origin(&self, rustc: &Rustc) -> Origin {
        let source = rustc
            .arguments
            .iter()
            .find(|word| word.as_bytes().ends_with(b".rs"));
        Origin {
            compiler: Some(
                self.program
                    .clone()
                    .unwrap_or_else(|| path(&rustc.compiler)),
            ),
            flags: words(&rustc.arguments),
            source: source.map(|source| path(&rustc.cwd).join(source.as_ref())),
            ..Origin::default()
        }
    }
}

fn rustc_above(link: &Linked) -> Option<&Process> {
    link.ancestors.iter().find(|process| process.is_rustc())
}

/// `OUT_DIR/libNAME-HASH.rlib`.
fn library(rustc: &Rustc) -> Option<PathBuf> {
    let words: Vec<&OsStr> = rustc.arguments.iter().map(AsRef::as_ref).collect();
    let value = |option: &str| {
        let at = words.iter().position(|word| *word == option)?;
        words.get(at + 1).copied()
    };
    let extra = words
        .iter()
        .find_map(|word| word.as_bytes().strip_prefix(b"extra-filename="));
    let mut name = OsString::from("lib");
    name.push(value("--crate-name")?);
    name.push(OsStr::from_bytes(extra.unwrap_or_default()));
    name.push(".rlib");
    Some(path(&rustc.cwd).join(value("--out-dir")?).join(name))
}
