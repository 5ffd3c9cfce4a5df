//! What a project's file says of its history, without its matrix.

use std::path::{Path, PathBuf};

use indexmap::IndexMap;

use super::error::ProjectError;
use super::{parse, place};
use crate::definition::{BenchmarkDefinition, HistoryDefinition, Problem};

/// Benchmarks along a line of commits, as a project's file has them.
#[derive(Clone, Debug)]
pub struct ProjectHistory {
    /// The file's folder, absolute.
    pub folder: PathBuf,
    /// `[history]`.
    pub history: HistoryDefinition,
    /// The benchmarks that it names, in its order; all of the file where it names none.
    pub benchmarks: IndexMap<String, BenchmarkDefinition>,
}

impl ProjectHistory {
    /// Reads it from a project's file, which need not hold a matrix of builds. `None` where the
    /// file has neither `[history]` nor benchmarks.
    ///
    /// # Errors
    /// When the file cannot be read, is no TOML, has a key without a meaning, or a benchmark is
    /// named that it does not define.
    pub fn read(file: &Path) -> Result<Option<ProjectHistory>, ProjectError> {
        let text = std::fs::read_to_string(file).map_err(|source| ProjectError::Read {
            file: file.to_owned(),
            source,
        })?;
        let absolute = std::path::absolute(file).unwrap_or_else(|_| file.to_owned());
        ProjectHistory::of_text(&text, &absolute)
    }

    /// The same from a text at hand. `file` is where it lies, absolute.
    ///
    /// # Errors
    /// As [`ProjectHistory::read`].
    pub fn of_text(text: &str, file: &Path) -> Result<Option<ProjectHistory>, ProjectError> {
        let mut parsed = parse::parse(text, file)?;
        let history = match parsed.history {
            None if parsed.benchmarks.is_empty() => return Ok(None),
            history => history.unwrap_or_default(),
        };
        let mut named = IndexMap::new();
        for name in history.benchmarks.iter() {
            let Some(benchmark) = parsed.benchmarks.get(name) else {
                let known = parsed.benchmarks.keys().map(String::as_str);
                let what = format!("there is no benchmark `{name}`");
                let problem = Problem::new(&["history", "benchmarks"], what).among(name, known);
                return Err(place::problem(text, file, &problem));
            };
            named.insert(name.clone(), benchmark.clone());
        }
        if named.is_empty() {
            named = std::mem::take(&mut parsed.benchmarks);
        }
        if named.is_empty() {
            let problem = Problem::new(
                &["history"],
                "there is no benchmark to be measured".to_owned(),
            )
            .next("define one: [benchmark.NAME] with command = \"{} …\"");
            return Err(place::problem(text, file, &problem));
        }
        let unnamed = named.iter().find(|(_, benchmark)| !benchmark.names_image());
        if let Some((name, _)) = unnamed {
            let what = "the command does not say where the image goes".to_owned();
            let problem =
                Problem::new(&["benchmark", name, "command"], what).next("write {} for it");
            return Err(place::problem(text, file, &problem));
        }
        Ok(Some(ProjectHistory {
            folder: file.parent().unwrap_or(Path::new("/")).to_owned(),
            history,
            benchmarks: named,
        }))
    }
}
