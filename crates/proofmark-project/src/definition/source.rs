//! A source as it is meant: with what it takes from another one.

use std::path::{Component, Path, PathBuf};

use indexmap::IndexMap;
use serde::Serialize;

use super::build_command::{MARKS, marks};
use super::problem::Problem;
use super::variables;
use super::{Definitions, TreeInstead};

/// A source with everything that it takes from others.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct Source {
    /// Relative to the project's folder, or absolute.
    pub(crate) path: PathBuf,
    pub(crate) rev: Option<String>,
    pub(crate) patches: Vec<String>,
    /// With its marks.
    pub(crate) build: String,
    pub(crate) image: Option<PathBuf>,
    pub(crate) inputs: Vec<String>,
    pub(crate) env: IndexMap<String, String>,
    pub(crate) tree: Option<SourceTree>,
}

/// The folder of files of a source that runs read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct SourceTree {
    /// Relative to the source's folder, or absolute.
    pub(crate) folder: PathBuf,
    /// Where runs see it, relative to the project's folder.
    pub(crate) at: Option<PathBuf>,
    /// What stands in its place.
    pub(crate) instead: Option<TreeInstead>,
}

impl Source {
    /// Whether its command is told how many cores there are.
    pub(crate) fn says_jobs(&self) -> bool {
        marks(&self.build).contains(&"jobs")
    }
}

impl Definitions {
    /// The source with this name, complete.
    pub(crate) fn source(&self, name: &str) -> Result<Source, Problem> {
        let mut chain = Vec::new();
        let mut next = Some(name.to_owned());
        while let Some(name) = next {
            if chain.iter().any(|(known, _)| *known == name) {
                let what = format!("`from` leads from `{name}` back to `{name}`");
                return Err(Problem::new(&["source", &name, "from"], what));
            }
            let Some(definition) = self.sources.get(&name) else {
                let from = chain
                    .last()
                    .map_or(name.as_str(), |(from, _): &(String, _)| from);
                let what = format!("there is no source `{name}`");
                return Err(Problem::new(&["source", from, "from"], what)
                    .among(&name, self.sources.keys().map(String::as_str)));
            };
            next = definition.from.clone();
            chain.push((name, definition));
        }
        let mut env = IndexMap::new();
        for (_, definition) in chain.iter().rev() {
            env.extend(definition.env.clone());
        }
        let said = || chain.iter().map(|(_, definition)| *definition);
        let missing =
            |key: &str| Problem::new(&["source", name], format!("source `{name}` has no `{key}`"));
        let build = said().find_map(|of| of.build.clone());
        let build = build.ok_or_else(|| {
            missing("build")
                .next("it is the command that builds it, as in build = \"make CC={cc}\"")
        })?;
        Ok(Source {
            path: said()
                .find_map(|of| of.path.clone())
                .ok_or_else(|| missing("path"))?,
            rev: said().find_map(|of| of.rev.clone()),
            patches: said()
                .find_map(|of| of.patch.clone())
                .map(|names| names.0)
                .unwrap_or_default(),
            build,
            image: said().find_map(|of| of.image.clone()),
            inputs: said()
                .find_map(|of| of.inputs.clone())
                .map(|names| names.0)
                .unwrap_or_default(),
            tree: said()
                .find_map(|of| of.tree.clone())
                .map(|folder| SourceTree {
                    folder,
                    at: said().find_map(|of| of.tree_at.clone()),
                    instead: said().find_map(|of| of.tree_instead.clone()),
                }),
            env,
        })
    }
}

impl Definitions {
    /// The patches of a source, its own or those that it takes from another, in order; relative to
    /// the project's folder. None where there is no such source.
    #[must_use]
    pub fn patches(&self, source: &str) -> Vec<String> {
        self.source(source)
            .map(|source| source.patches)
            .unwrap_or_default()
    }

    /// Whether runs of a source's builds see a folder of files of its own.
    #[must_use]
    pub fn has_tree(&self, source: &str) -> bool {
        self.source(source)
            .is_ok_and(|source| source.tree.is_some())
    }

    /// The command that builds a source, its own or the one that it takes from another. None where
    /// there is no such source.
    #[must_use]
    pub fn build_command(&self, source: &str) -> Option<String> {
        self.source(source).map(|source| source.build).ok()
    }
}

/// Sources are complete, their marks are known, and flag sets have a place to go.
pub(crate) fn check(of: &Definitions, names: &[String]) -> Result<(), Problem> {
    let used: Vec<&str> = (of.matrix.flags.iter().flatten())
        .chain(&of.matrix.include)
        .flat_map(|entry| entry.split_whitespace())
        .collect();
    check_trees(of, names)?;
    for name in names {
        let source = of.source(name)?;
        variables::check(&["source", name, "env"], &source.env)?;
        let at = ["source", name.as_str(), "build"];
        for mark in marks(&source.build) {
            if !MARKS.contains(&mark)
                && MARKS
                    .iter()
                    .any(|known| strsim::levenshtein(mark, known) == 1)
            {
                let problem = Problem::new(&at, format!("`{{{mark}}}` is not replaced"));
                return Err(problem.among(mark, MARKS));
            }
        }
        for (set, flags) in of
            .flags
            .iter()
            .filter(|(set, _)| used.contains(&set.as_str()))
        {
            for (mark, words) in [("{flags}", &flags.add), ("{ldflags}", &flags.link)] {
                if !words.is_empty() && !source.build.contains(mark) {
                    let what = format!(
                        "the build of `{name}` has no {mark}, and so flag set `{set}` does not \
                         reach it"
                    );
                    return Err(Problem::new(&at, what).next(format!(
                        "write {mark} where its options go, as in CFLAGS='{mark}'"
                    )));
                }
            }
        }
    }
    Ok(())
}

/// All of them have a tree, or none has one, and all are seen at one path.
fn check_trees(of: &Definitions, names: &[String]) -> Result<(), Problem> {
    let mut first: Option<(&str, Option<SourceTree>)> = None;
    for name in names {
        let tree = of.source(name)?.tree;
        let wrong = |key: &str, what: String| Problem::new(&["source", name, key], what);
        let said = of.sources.get(name);
        if tree.is_none() && said.is_some_and(|said| said.tree_at.is_some()) {
            let what = format!("source `{name}` has no tree that runs could see there");
            let next = "name the folder of files that runs read: tree = \"DIR\"";
            return Err(wrong("tree_at", what).next(next));
        }
        if let Some(SourceTree { folder, .. }) = &tree
            && !is_below(folder)
        {
            let what = format!("`{}` is no folder in the source", folder.display());
            let next = "name one below `path`, or a folder elsewhere by its absolute path";
            return Err(wrong("tree", what).next(next));
        }
        let Some((other, of_other)) = &first else {
            first = Some((name, tree));
            continue;
        };
        let lacking = match (&of_other, &tree) {
            (Some(_), None) => Some((name.as_str(), *other)),
            (None, Some(_)) => Some((*other, name.as_str())),
            _ => None,
        };
        if let Some((lacks, has)) = lacking {
            let what = format!(
                "source `{has}` has a tree and source `{lacks}` has none: the runs of all cells \
                 see theirs at one path"
            );
            let next = format!("give `{lacks}` a `tree` too");
            return Err(Problem::new(&["source", has, "tree"], what).next(next));
        }
        let at = |tree: &Option<SourceTree>| tree.as_ref().and_then(|tree| tree.at.clone());
        if at(of_other) != at(&tree) {
            let what = format!(
                "the trees of `{other}` and `{name}` would be seen at two places: the runs of all \
                 cells see theirs at one path"
            );
            return Err(wrong("tree_at", what).next("say the same `tree_at` for both"));
        }
    }
    Ok(())
}

/// Whether a path leads below the folder that it counts from, or to another one altogether.
fn is_below(folder: &Path) -> bool {
    let mut parts = folder.components();
    folder.is_absolute()
        || (parts.clone().next().is_some()
            && parts.all(|part| matches!(part, Component::Normal(_))))
}
