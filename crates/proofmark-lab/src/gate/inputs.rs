//! The inputs of a gate: all that lie in its folder, and then some that are generated or altered.

use std::fs;
use std::path::{Path, PathBuf};

use proofmark_project::GateDefinition;
use rand::rngs::StdRng;
use rand::{RngExt as _, SeedableRng as _};
use walkdir::WalkDir;

use super::bench::GateBench;
use super::judged::ended;
use crate::error::{LabError, of_file};

/// The largest input, in bytes.
const LARGEST: u64 = 64 << 20;

/// An input, and what people call it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Input {
    pub(super) name: String,
    pub(super) bytes: Vec<u8>,
}

/// All inputs of a gate, one after another.
pub(super) struct Inputs<'a> {
    bench: &'a GateBench<'a>,
    gate: (&'a str, &'a GateDefinition),
    /// Each with what it is called.
    files: Vec<(String, PathBuf)>,
    at: usize,
    made: u32,
    draws: StdRng,
}

impl<'a> Inputs<'a> {
    /// # Errors
    ///
    /// When the folder cannot be read, or is empty.
    pub(super) fn new(
        bench: &'a GateBench<'a>,
        name: &'a str,
        gate: &'a GateDefinition,
    ) -> Result<Self, LabError> {
        let files = match &gate.inputs {
            None => Vec::new(),
            Some(folder) => files_in(name, &bench.folder_of_project().join(folder))?,
        };
        Ok(Inputs {
            bench,
            gate: (name, gate),
            files,
            at: 0,
            made: 0,
            draws: StdRng::seed_from_u64(gate.seed),
        })
    }

    /// The next one; none is made up any more once the time is `over`.
    ///
    /// # Errors
    ///
    /// When it cannot be read, or the generator fails.
    pub(super) fn next(&mut self, over: bool) -> Result<Option<Input>, LabError> {
        if let Some((called, file)) = self.files.get(self.at) {
            self.at += 1;
            return read(called, file).map(Some);
        }
        let (name, gate) = self.gate;
        // One at least is generated, so that a gate is never passed on nothing.
        let enough = self.made >= gate.tries || (over && (self.made > 0 || self.at > 0));
        let makes = gate.generate.is_some() || gate.mutate;
        if enough || !makes {
            return Ok(None);
        }
        self.made += 1;
        let turn = gate.generate.is_some() && (!gate.mutate || self.made % 2 == 1);
        if turn {
            let seed = gate.seed.wrapping_add(u64::from(self.made) - 1);
            return generated(self.bench, name, gate, seed).map(Some);
        }
        let (called, file) = &self.files[self.draws.random_range(0..self.files.len())];
        let input = read(called, file)?;
        Ok(Some(Input {
            name: format!(
                "{} altered ({} of seed {})",
                input.name, self.made, gate.seed
            ),
            bytes: altered(&input.bytes, &mut self.draws),
        }))
    }
}

/// All files in a folder and below it, links followed, in the order of their names; or the one that
/// is named.
fn files_in(name: &str, folder: &Path) -> Result<Vec<(String, PathBuf)>, LabError> {
    let wrong = |what: String, next: &str| LabError::Gate {
        gate: name.to_owned(),
        why: format!("{what}\n  next: {next}"),
    };
    let named = "name a folder that holds inputs, or one, by `inputs`";
    if folder.is_file() {
        let called = folder.file_name().unwrap_or_default().to_string_lossy();
        return Ok(vec![(called.into_owned(), folder.to_owned())]);
    }
    if !folder.exists() {
        return Err(wrong(format!("there is no {}", folder.display()), named));
    }
    let mut files = Vec::new();
    for entry in WalkDir::new(folder).follow_links(true).sort_by_file_name() {
        let other = "take it away, or let `inputs` name a folder without it";
        let entry = entry.map_err(|error| wrong(format!("cannot be read: {error}"), other))?;
        let path = entry.path();
        if entry.file_type().is_dir() {
            continue;
        }
        if !entry.file_type().is_file() {
            return Err(wrong(format!("{} is no file", path.display()), other));
        }
        let called = path.strip_prefix(folder).unwrap_or(path).to_string_lossy();
        files.push((called.into_owned(), path.to_owned()));
    }
    if files.is_empty() {
        return Err(wrong(
            format!("there is no file in {}", folder.display()),
            named,
        ));
    }
    Ok(files)
}

fn read(called: &str, file: &Path) -> Result<Input, LabError> {
    let about = fs::metadata(file).map_err(of_file("read", file))?;
    if about.len() > LARGEST {
        return Err(LabError::Refused(format!(
            "{} is an input of more than 64 MiB",
            file.display()
        )));
    }
    Ok(Input {
        name: called.to_owned(),
        bytes: fs::read(file).map_err(of_file("read", file))?,
    })
}

fn generated(
    bench: &GateBench<'_>,
    name: &str,
    gate: &GateDefinition,
    seed: u64,
) -> Result<Input, LabError> {
    let text = gate.generator(seed).unwrap_or_default();
    let outcome = bench.shell(gate, &text)?;
    let wrong = |what: String| LabError::Gate {
        gate: name.to_owned(),
        why: format!("its generator `{text}` {what}\n  next: run it by hand, and mend it"),
    };
    if !outcome.end.succeeded() {
        return Err(wrong(ended(outcome.end)));
    }
    let printed = outcome.stdout;
    if printed.length == 0 {
        return Err(wrong("printed nothing".to_owned()));
    }
    if printed.length > printed.kept.len() as u64 {
        return Err(wrong(format!(
            "printed {} bytes; an input has one mebibyte at most",
            printed.length
        )));
    }
    Ok(Input {
        name: format!("generated {seed}"),
        bytes: printed.kept,
    })
}

/// An input with one to four changes: a bit turned, a byte drawn, bytes removed, or bytes repeated.
fn altered(bytes: &[u8], draws: &mut StdRng) -> Vec<u8> {
    let mut altered = bytes.to_vec();
    for _ in 0..draws.random_range(1..=4) {
        if altered.is_empty() {
            altered.push(draws.random());
            continue;
        }
        let from = draws.random_range(0..altered.len());
        let to = (from + draws.random_range(1..=16)).min(altered.len());
        match draws.random_range(0..4) {
            0 => altered[from] ^= 1 << draws.random_range(0..8),
            1 => altered[from] = draws.random(),
            2 => drop(altered.drain(from..to)),
            _ => {
                let piece = altered[from..to].to_vec();
                altered.splice(from..from, piece);
            }
        }
    }
    altered
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_seed_alters_in_one_way_and_the_empty_input_too() {
        let of = |seed: u64, bytes: &[u8]| altered(bytes, &mut StdRng::seed_from_u64(seed));
        assert_eq!(of(3, b"hello world"), of(3, b"hello world"));
        let all: Vec<Vec<u8>> = (0..200).map(|seed| of(seed, b"hello world")).collect();
        assert!(all.iter().any(|one| one.len() > 11) && all.iter().any(|one| one.len() < 11));
        assert!(
            all.iter()
                .filter(|one| one.as_slice() != b"hello world")
                .count()
                > 150
        );
        for seed in 0..50 {
            let _ = of(seed, b"");
        }
    }

    #[test]
    fn inputs_lie_in_folders_of_the_folder_too_and_what_is_none_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path();
        fs::create_dir_all(folder.join("sub/deep")).unwrap();
        for name in ["b", "sub/deep/a", "sub/c"] {
            fs::write(folder.join(name), name).unwrap();
        }
        std::os::unix::fs::symlink("sub/c", folder.join("a")).unwrap();
        let found = files_in("answers", folder).unwrap();
        let called: Vec<&str> = found.iter().map(|(called, _)| called.as_str()).collect();
        assert_eq!(called, ["a", "b", "sub/c", "sub/deep/a"]);
        assert_eq!(read(&found[0].0, &found[0].1).unwrap().bytes, b"sub/c");

        std::os::unix::fs::symlink("nowhere", folder.join("sub/lost")).unwrap();
        let said = files_in("answers", folder).unwrap_err().to_string();
        assert!(said.contains("sub/lost"), "{said}");
        fs::remove_file(folder.join("sub/lost")).unwrap();
        let _socket = std::os::unix::net::UnixListener::bind(folder.join("sub/socket")).unwrap();
        let said = files_in("answers", folder).unwrap_err().to_string();
        assert!(said.contains("sub/socket is no file"), "{said}");
    }
}
