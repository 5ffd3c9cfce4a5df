//! Whether the builds of an experiment can be made again of their revisions, by somebody who has
//! its records alone: what stands in the way, and what would be needed.

use std::ffi::OsStr;
use std::path::Path;

use proofmark_evidence::record::{
    Build, BuildOrigin, BuiltBy, CellBuild, Experiment, PatchText, Vcs,
};
use proofmark_evidence::{Recorded, is_left_out};
use proofmark_terms::{Digest, OsText};

use crate::again::{Obstacle, REVISIONS, WITH_PRIVATE, of_benchmark, of_experiment, to_the_end};

/// Why not, and what it would take.
type Why = (String, &'static str);

const COMMITTED: &str = "these changes as a commit, and the same command once more on that";

/// All that stands in the way; nothing where the experiment can be made again.
#[must_use]
pub fn obstacles(recorded: &Recorded) -> Vec<Obstacle> {
    let experiment = &to_the_end(recorded);
    let mut all = of_experiment(recorded);
    for build in &experiment.builds {
        if let Some((why, needed)) = of_build(build, experiment) {
            all.push(Obstacle {
                what: build.name.clone(),
                why,
                needed,
            });
        }
    }
    let how = experiment.builds.iter();
    let how = how.filter_map(|build| build.built_by.as_ref());
    if all.is_empty() && !are_made_together(how) {
        all.push(Obstacle {
            what: "the builds".to_owned(),
            why: "they are made by different commands, or in several repositories".to_owned(),
            needed: REVISIONS,
        });
    }
    all.extend(of_benchmark(&experiment.benchmark));
    all
}

/// Whether builds are all made alike, or all are cells of which each says how it is made, in one
/// repository.
fn are_made_together<'a>(mut how: impl Iterator<Item = &'a BuiltBy>) -> bool {
    let Some(first) = how.next() else {
        return true;
    };
    let is_of_it = |other: &BuiltBy| match (&first.cell, &other.cell) {
        (Some(_), Some(_)) => first.runs_in == other.runs_in,
        _ => first == other,
    };
    how.all(is_of_it)
}

fn of_build(build: &Build, experiment: &Experiment) -> Option<Why> {
    if build.tree.is_some() {
        let why = "its runs read a folder of files that is not in the bundle";
        return Some((why.to_owned(), REVISIONS));
    }
    if build.run_as.is_some() {
        let why = "it is run in a way of its own";
        let needed = "a matrix or a comparison in which all builds are run alike";
        return Some((why.to_owned(), needed));
    }
    if matches!(build.origin, BuildOrigin::Executable { .. }) {
        let why = "it is an executable file, and nobody knows what it was made from";
        return Some((why.to_owned(), REVISIONS));
    }
    let Some(revision) = &build.revision else {
        let why = "it was captured from sources that no repository has";
        return Some((why.to_owned(), REVISIONS));
    };
    let cell = build.built_by.as_ref().and_then(|how| how.cell.as_ref());
    if revision.dirty || (cell.is_none() && !build.patches.is_empty()) {
        let why = format!(
            "it was made of commit {} and of changes that no bundle has",
            short(revision.id.as_str())
        );
        return Some((why, COMMITTED));
    }
    let Some(how) = &build.built_by else {
        let why = "it was captured by hand, for a history, or by an earlier version of proofmark, \
                   and its records do not say how it is made of its revision alone";
        return Some((why.to_owned(), REVISIONS));
    };
    if revision.vcs == Vcs::Mercurial {
        let why = "its revision is one of Mercurial's, and those of git alone are fetched";
        return Some((why.to_owned(), "a repository of git with the same states"));
    }
    of_command(how).or_else(|| {
        let of_cell = cell.and_then(|cell| of_cell(cell));
        of_cell.or_else(|| of_patches(&build.patches, &experiment.patches))
    })
}

fn of_command(how: &BuiltBy) -> Option<Why> {
    let image = how.image.as_ref();
    let texts = [Some(OsStr::new(&how.command)), Some(how.folder.as_ref())];
    let texts = texts.into_iter().flatten().chain(image.map(OsText::as_ref));
    if texts.into_iter().any(is_left_out) {
        let why = "its build command names a place or a person, and the bundle leaves that out";
        return Some((why.to_owned(), WITH_PRIVATE));
    }
    let outside =
        |folder: &&OsText| is_left_out(folder.as_ref()) || Path::new(folder.as_ref()).is_absolute();
    if how.runs_in.as_ref().filter(outside).is_some() {
        let why = "its runs work in a folder outside of the repository, which only the first \
                   machine had";
        return Some((
            why.to_owned(),
            "a benchmark that runs in a folder of the repository",
        ));
    }
    None
}

/// What stands in the way of a cell beside its command.
fn of_cell(cell: &CellBuild) -> Option<Why> {
    let toolchain = &cell.toolchain;
    if toolchain.made {
        let why = format!(
            "its compiler, {}, is made from sources of its own, which no bundle has",
            toolchain.name
        );
        return Some((why, "a cell with a compiler of a release"));
    }
    if let Some(input) = cell.inputs.first() {
        let why = format!(
            "its build reads files outside of its sources, such as {input}, and no bundle says \
             what they were"
        );
        return Some((why, "sources that have these files in their own folder"));
    }
    let named = [&toolchain.command, &toolchain.cxx, &toolchain.version];
    let named = named.into_iter().chain([&toolchain.provider]).flatten();
    let words = [&toolchain.flags, &cell.flags, &cell.ldflags];
    let words = named.chain(words.into_iter().flatten()).map(OsStr::new);
    let variables = cell.env.iter();
    let variables = variables.flat_map(|(name, value)| [name.as_ref(), value.as_ref()]);
    if words.chain(variables).any(is_left_out) {
        let why = "its compiler, its flags or its variables have something that the bundle leaves \
                   out";
        return Some((why.to_owned(), WITH_PRIVATE));
    }
    None
}

/// What stands in the way of a build's patches: each has to be there, whole.
fn of_patches(named: &[Digest], texts: &[PatchText]) -> Option<Why> {
    let text = |digest: &Digest| texts.iter().find(|text| text.digest == *digest);
    named.iter().find_map(|digest| {
        let name = short(digest.as_str());
        let Some(patch) = text(digest) else {
            let why = format!("its patch {name} is not in the bundle, for it is no text");
            return Some((why, COMMITTED));
        };
        if Digest::from(blake3::hash(patch.text.as_bytes())) == patch.digest {
            return None;
        }
        let why =
            format!("its patch {name} names a person or a machine, and the bundle leaves it out");
        Some((why, WITH_PRIVATE))
    })
}

fn short(id: &str) -> &str {
    id.get(..12).unwrap_or(id)
}
