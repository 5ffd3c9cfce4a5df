//! What a file says of where it was made and by whom: paths in its debug information, paths of
//! libraries, and names of persons and machines. Nothing of it is ever changed.

use std::fs;
use std::io;
use std::path::Path;

use memchr::memmem;

use crate::elf;

/// What a file says of where it was made.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Traces {
    /// Absolute paths of folders and sources in its debug information, each once.
    pub compiled_in: Vec<String>,
    /// Absolute paths in which its loader looks for libraries.
    pub libraries: Vec<String>,
    /// Those of the names asked about that stand in its bytes, as words.
    pub names: Vec<String>,
}

impl Traces {
    /// What a file says. `names` are in lower case: of persons and machines, or paths.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn of(file: &Path, names: &[String]) -> io::Result<Traces> {
        Ok(Traces::in_bytes(&fs::read(file)?, names))
    }

    /// The names alone that a file says: in an object, paths of debug information only stand in
    /// full once it is linked.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn names_of(file: &Path, names: &[String]) -> io::Result<Traces> {
        Ok(Traces {
            names: names_in(&fs::read(file)?, names),
            ..Traces::default()
        })
    }

    fn in_bytes(data: &[u8], names: &[String]) -> Traces {
        let mut libraries: Vec<String> = Vec::new();
        for list in elf::run_paths(data) {
            libraries.extend(list.split(':').map(str::to_owned));
        }
        libraries.dedup();
        let mut traces = Traces {
            compiled_in: elf::compiled_in(data),
            libraries,
            names: names_in(data, names),
        };
        traces.compiled_in.retain(|path| path.starts_with('/'));
        traces.libraries.retain(|path| path.starts_with('/'));
        traces
    }

    /// Adds what another file says.
    pub fn add(&mut self, other: Traces) {
        let lists = [
            (&mut self.compiled_in, other.compiled_in),
            (&mut self.libraries, other.libraries),
            (&mut self.names, other.names),
        ];
        for (known, more) in lists {
            for text in more {
                if !known.contains(&text) {
                    known.push(text);
                }
            }
        }
    }
}

/// Names that stand in some bytes as words; upper and lower case are one.
fn names_in(data: &[u8], names: &[String]) -> Vec<String> {
    let lower = data.to_ascii_lowercase();
    let is_inside = |byte: Option<&u8>| byte.is_some_and(u8::is_ascii_alphanumeric);
    let stands = |name: &&String| {
        memmem::find_iter(&lower, name.as_bytes()).any(|at| {
            let before = at.checked_sub(1).and_then(|before| lower.get(before));
            !is_inside(before) && !is_inside(lower.get(at + name.len()))
        })
    };
    names.iter().filter(stands).cloned().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_stand_as_words_whatever_their_case() {
        let names = ["alice", "box", "bob"].map(str::to_owned);
        let found = names_in(b"\0/home/Alice/x\0boxes\0BOB_2", &names);
        assert_eq!(found, ["alice", "bob"]);
    }

    /// This very program has debug information, and was compiled in a folder.
    #[test]
    fn the_folder_in_which_a_program_was_compiled_is_found() {
        let own = std::env::current_exe().unwrap();
        let traces = Traces::of(&own, &[]).unwrap();
        assert!(
            (traces.compiled_in.iter()).any(|path| env!("CARGO_MANIFEST_DIR").starts_with(path)),
            "{traces:?}"
        );
    }
}
