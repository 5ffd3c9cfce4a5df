//! The folders that compilers search: a file in an earlier one would be taken instead.

use std::collections::{BTreeSet, HashMap};
use std::fs;
use std::path::{Path, PathBuf};

use proofmark_capture::reads::Note;
use proofmark_terms::OsText;

use super::found::Found;
use super::texts::{assembled, tested};

/// Compilations that search the same folders.
pub(super) struct Searched {
    cwd: PathBuf,
    search: Vec<PathBuf>,
    nowhere: BTreeSet<PathBuf>,
    files: BTreeSet<PathBuf>,
}

pub(super) fn by_search(notes: &[Note]) -> Vec<Searched> {
    let mut all: HashMap<(&OsText, &[OsText]), Searched> = HashMap::new();
    for note in notes {
        let cwd = PathBuf::from(note.cwd.as_ref());
        let places = |names: &[OsText]| -> Vec<PathBuf> {
            names.iter().map(|name| cwd.join(name.as_ref())).collect()
        };
        let searched = all
            .entry((&note.cwd, note.search.as_slice()))
            .or_insert_with(|| Searched {
                search: places(&note.search),
                cwd: cwd.clone(),
                nowhere: BTreeSet::new(),
                files: BTreeSet::new(),
            });
        searched.nowhere.extend(places(&note.nowhere));
        searched.files.extend(places(&note.files));
    }
    all.into_values().collect()
}

impl Searched {
    /// `known` says that what cannot be told from here is known otherwise: every process was
    /// followed, or the source names its inputs.
    pub(super) fn look(&self, found: &mut Found<'_>, known_otherwise: bool) -> Result<(), String> {
        for folder in &self.nowhere {
            found.look(folder)?;
        }
        // A name in quotes is looked for beside the file that includes it first.
        let beside: BTreeSet<&Path> = self
            .files
            .iter()
            .filter(|file| file.is_absolute() && !file.starts_with(found.work))
            .filter_map(|file| file.parent())
            .collect();
        let mut asked: BTreeSet<PathBuf> = BTreeSet::new();
        let mut files: Vec<PathBuf> = self.files.iter().cloned().collect();
        let mut known = self.files.clone();
        while let Some(file) = &files.pop() {
            found.look(file)?;
            found.look_compiled(file)?;
            if !file.exists() {
                // It was looked for everywhere.
                asked.extend(file.strip_prefix(&self.cwd).map(Path::to_owned));
            }
            let text = fs::read(file).unwrap_or_default();
            asked.extend(tested(&text));
            match assembled(&text) {
                Some(names) => {
                    for name in &names {
                        found.look(&self.cwd.join(name))?;
                        // What is taken in may take in more.
                        let places = [&self.cwd].into_iter().chain(&self.search);
                        let taken = places.map(|place| place.join(name));
                        let taken = taken.into_iter().find(|place| place.is_file());
                        files.extend(taken.filter(|place| known.insert(place.clone())));
                    }
                    asked.extend(names.into_iter().filter(|name| name.is_relative()));
                }
                None if known_otherwise => {}
                None => {
                    return Err(format!(
                        "{} takes a file in by `.incbin`, and a macro makes its name, so that nobody knows which: name the file in `inputs`",
                        file.display()
                    ));
                }
            }
            for (at, folder) in self.search.iter().enumerate() {
                let Ok(name) = file.strip_prefix(folder) else {
                    continue;
                };
                for earlier in self.search.iter().take(at) {
                    found.look(&earlier.join(name))?;
                    found.look_compiled(&earlier.join(name))?;
                }
                for folder in &beside {
                    found.look(&folder.join(name))?;
                }
            }
        }
        for name in asked {
            for folder in &beside {
                found.look(&folder.join(&name))?;
            }
            for folder in &self.search {
                if found.look(&folder.join(&name))? {
                    break;
                }
            }
        }
        Ok(())
    }
}
