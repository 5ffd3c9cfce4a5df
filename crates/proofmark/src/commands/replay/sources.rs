//! The sources of a replay: fetched, and held against what the first runs read.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use proofmark_capture::states::git;
use proofmark_conclude::again::{FileAgain, built_by, files_otherwise};
use proofmark_evidence::record::Experiment;

use crate::console;
use crate::exit::{OtherInputs, Usage};

/// Where they are in the sandbox.
pub(super) const SOURCES: &str = "/replay/sources";

/// A folder of the sources, by no link of somebody else's out of them.
pub(super) fn in_sources(sources: &Path, folder: &Path, what: &str) -> anyhow::Result<PathBuf> {
    let plain = folder
        .components()
        .all(|part| matches!(part, std::path::Component::Normal(_)));
    let there = sources.join(folder).canonicalize().ok();
    let there = there.filter(|there| plain && there.starts_with(sources) && there.is_dir());
    there.ok_or_else(|| {
        Usage(format!(
            "the sources have no folder {}, in which {what}",
            folder.display()
        ))
        .into()
    })
}

/// Fetches the revisions of an experiment's builds into an empty folder.
pub(super) fn fetch(
    experiment: &Experiment,
    repository: &str,
    sources: &Path,
) -> anyhow::Result<()> {
    let from = git::in_full(repository)
        .with_context(|| format!("cannot find the repository {repository}"))
        .map_err(|error| Usage(format!("{error:#}")))?;
    let commits = commits(experiment);
    if commits.is_empty() {
        return Err(Usage(
            "no build of this evidence is one of a revision: leave out --repository".to_owned(),
        )
        .into());
    }
    console::say(&format!(
        "proofmark: fetching {} revision(s) from {repository}",
        commits.len()
    ));
    Ok(git::fetched(&from, &commits, sources)?)
}

/// The commits to be fetched, each once; in the last one the benchmark runs. That is the newest
/// one of a comparison; the runs of cells work where the project's file is, as the base has it.
fn commits(experiment: &Experiment) -> Vec<&str> {
    let builds = experiment.builds.iter();
    let names = builds.filter_map(|build| Some(build.revision.as_ref()?.id.as_str()));
    let mut names: Vec<&str> = names.collect();
    if built_by(experiment).is_some_and(|how| how.cell.is_some()) {
        names.reverse();
    }
    let mut commits: Vec<&str> = Vec::new();
    for name in names.into_iter().rev() {
        if !commits.contains(&name) {
            commits.push(name);
        }
    }
    commits.reverse();
    commits
}

/// An error where runs would read other files than the first ones did.
pub(super) fn refuse_files(experiment: &Experiment, folder: &Path) -> anyhow::Result<()> {
    let mut hash = |name: &Path| -> Option<String> {
        // A link of somebody else's may lead anywhere: only what lies in the folder is looked at.
        let file = folder.join(name).canonicalize().ok()?;
        if !file.starts_with(folder) {
            return None;
        }
        if file.is_dir() {
            return Some(String::new());
        }
        let content = fs::read(&file).ok()?;
        Some(blake3::hash(&content).to_hex().to_string())
    };
    let found = files_otherwise(experiment, &mut hash);
    if found.is_empty() {
        return Ok(());
    }
    let said: Vec<String> = found
        .iter()
        .map(|file| match file {
            FileAgain::Missing(file) => format!("{} is not there", file.display()),
            FileAgain::Differs(file) => format!("{} has another content", file.display()),
        })
        .collect();
    Err(OtherInputs(format!(
        "runs would read other files than those of the first machine did: {}\n  next: name a \
         repository whose last revision of the comparison has them as they were, with --repository",
        said.join("; ")
    ))
    .into())
}
