//! One build as it is at hand: captured, or a file.

use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use proofmark_capture::{
    BuildError, CapturedLink, Companion, CompanionKind, Ran, RelinkCheck, Revision, Tool,
};
use proofmark_evidence::record::{
    self, Build, BuildOrigin, BuiltBy, Departure, ImageFile, Images, PatchText, Vcs,
};
use proofmark_layout::Movability;
use proofmark_project::{Cell, Made, Recipe};
use proofmark_terms::{CaptureId, Digest};

use crate::tree::Tree;

/// One build as it is at hand.
#[derive(Clone, Debug)]
pub struct Subject {
    /// As the user called it.
    pub name: String,
    /// Where it comes from.
    pub source: Source,
    /// The folder of files that its runs read, where each build has one of its own.
    pub tree: Option<Tree>,
}

/// Where a build comes from.
#[derive(Clone, Debug)]
pub enum Source {
    /// Captured, once or several times; one link of each.
    Captured {
        /// The captures' content hashes.
        ids: Vec<CaptureId>,
        /// The links, one for each capture.
        links: Vec<CapturedLink>,
        /// The tools that made it.
        toolchain: Vec<Tool>,
        /// When it was captured: milliseconds since 1970-01-01 UTC.
        captured_ms: u64,
        /// When its command ran; none where all that it wrote outside of its own folders is known.
        ran: Option<Ran>,
        /// The state of its sources, where that is known.
        revision: Option<Revision>,
        /// The patches that were applied to that, in their order.
        patches: Vec<Digest>,
        /// What other builds left outside of their own folders, and lies there still.
        of_others: BTreeSet<PathBuf>,
        /// The same sources built once more are another program, and this is the only build.
        built_otherwise: bool,
        /// How it is made of that state and these, where that is known.
        recipe: Option<Box<Recipe>>,
    },
    /// A file.
    Executable {
        /// The file.
        path: PathBuf,
        /// BLAKE3 of its content, in hexadecimal; empty where nobody asked.
        hash: Digest,
        /// A copy of it that nobody else writes to, once there is one.
        held: Option<PathBuf>,
    },
}

impl Subject {
    /// A cell of a matrix, by the cell's name, without its tree.
    ///
    /// # Errors
    /// When its capture does not have the image.
    pub(super) fn without_tree(cell: &Cell, made: &Made) -> Result<Subject, BuildError> {
        Ok(Subject {
            name: cell.name.clone(),
            source: Source::Captured {
                ids: vec![made.capture.id.clone()],
                links: made.links()?,
                toolchain: made.capture.toolchain.clone(),
                captured_ms: made.capture.created_ms,
                ran: made.capture.ran,
                revision: made.revision.clone(),
                patches: made.patches.clone(),
                of_others: made.of_others.clone(),
                built_otherwise: false,
                recipe: made.recipe.clone().map(Box::new),
            },
            tree: None,
        })
    }

    /// The links that layouts are made from; `None` for a build that was not captured.
    #[must_use]
    pub fn links(&self) -> Option<&[CapturedLink]> {
        match &self.source {
            Source::Captured { links, .. } => Some(links),
            Source::Executable { .. } => None,
        }
    }

    /// Notes what other builds have left.
    pub fn mark_of_others(&mut self, left: BTreeSet<PathBuf>) {
        if let Source::Captured { of_others, .. } = &mut self.source {
            *of_others = left;
        }
    }

    /// Notes that the same sources built once more are another program.
    pub fn mark_built_otherwise(&mut self) {
        if let Source::Captured {
            built_otherwise, ..
        } = &mut self.source
        {
            *built_otherwise = true;
        }
    }

    /// Notes how it is made of the state of its sources.
    pub fn mark_built_by(&mut self, how: BuiltBy) {
        if let Source::Captured { recipe, .. } = &mut self.source {
            *recipe = Some(Box::new(how.into()));
        }
    }

    /// How it is made of the state of its sources, where that is known.
    #[must_use]
    pub fn recipe(&self) -> Option<&Recipe> {
        match &self.source {
            Source::Captured { recipe, .. } => recipe.as_deref(),
            Source::Executable { .. } => None,
        }
    }

    /// The images as the build made them, one for each capture.
    #[must_use]
    pub fn shipped(&self) -> Vec<PathBuf> {
        match &self.source {
            Source::Captured { links, .. } => links.iter().map(|link| own_image(link).0).collect(),
            Source::Executable { path, held, .. } => vec![held.as_ref().unwrap_or(path).clone()],
        }
    }

    /// BLAKE3 of those, in hexadecimal.
    pub(crate) fn shipped_hashes(&self) -> Vec<Digest> {
        match &self.source {
            Source::Captured { links, .. } => links.iter().map(|link| own_image(link).1).collect(),
            Source::Executable { hash, .. } => vec![hash.clone()],
        }
    }

    /// Whether two files that were not captured are one program, so that what both load is meant to
    /// be shared: one file, or files of the same bytes that differ in their trees.
    pub(crate) fn is_program_of(&self, other: &Subject) -> bool {
        let (
            Source::Executable { path, hash, .. },
            Source::Executable {
                path: at, hash: of, ..
            },
        ) = (&self.source, &other.source)
        else {
            return false;
        };
        hash == of && (path == at || (self.tree.is_some() && other.tree.is_some()))
    }

    /// The file name that its images go by: the one that the build gave it.
    #[must_use]
    pub fn file_name(&self) -> OsString {
        let path = match &self.source {
            Source::Captured { links, .. } => links.first().map(|link| link.output.as_path()),
            Source::Executable { path, .. } => Some(path.as_path()),
        };
        path.and_then(Path::file_name)
            .unwrap_or(OsStr::new("image"))
            .to_owned()
    }

    /// What the evidence says of it.
    #[must_use]
    pub fn record(&self) -> Build {
        match &self.source {
            Source::Captured {
                ids,
                links,
                toolchain,
                revision,
                patches,
                built_otherwise,
                recipe,
                ..
            } => Build {
                name: self.name.clone(),
                origin: BuildOrigin::Captured {
                    ids: ids.clone(),
                    movable: links
                        .first()
                        .and_then(|link| link.movability.as_ref().ok())
                        .map_or(0.0, Movability::share),
                    departures: links
                        .first()
                        .map(|link| departures(link, *built_otherwise))
                        .unwrap_or_default(),
                },
                images: links.first().map_or_else(
                    || Images::of_program(self.file_name(), blake3::hash(b"").into()),
                    |link| images(self.file_name(), link),
                ),
                revision: revision.as_ref().map(recorded),
                patches: patches.clone(),
                toolchain: toolchain.iter().map(tool).collect(),
                run_as: None,
                tree: self.tree.as_ref().map(|tree| Box::new(tree.record())),
                built_by: recipe.as_ref().map(|recipe| recipe.built_by.clone()),
            },
            Source::Executable { path, hash, .. } => Build {
                name: self.name.clone(),
                origin: BuildOrigin::Executable {
                    path: path.clone().into(),
                },
                images: Images::of_program(self.file_name(), hash.clone()),
                revision: None,
                patches: Vec::new(),
                toolchain: Vec::new(),
                run_as: None,
                tree: self.tree.as_ref().map(|tree| Box::new(tree.record())),
                built_by: None,
            },
        }
    }
}

/// What the evidence says of builds whose runs work in a folder.
pub(crate) fn records_in(subjects: &[Subject], cwd: &Path) -> Vec<Build> {
    // The top is named without links.
    let cwd = cwd.canonicalize().unwrap_or_else(|_| cwd.to_owned());
    let record = |subject: &Subject| {
        let mut record = subject.record();
        let top = subject.recipe().and_then(|recipe| recipe.top.as_ref());
        if let (Some(how), Some(top)) = (&mut record.built_by, top) {
            let inside = cwd.strip_prefix(top).unwrap_or(&cwd);
            how.runs_in = Some(inside.to_owned().into());
        }
        record
    };
    subjects.iter().map(record).collect()
}

/// What the patches of builds say, each once.
pub(crate) fn patches_of(subjects: &[Subject]) -> Vec<PatchText> {
    let mut all: Vec<PatchText> = Vec::new();
    for text in subjects
        .iter()
        .filter_map(Subject::recipe)
        .flat_map(|recipe| &recipe.patches)
    {
        if !all.contains(text) {
            all.push(text.clone());
        }
    }
    all
}

/// What the evidence says of a tool.
fn tool(tool: &Tool) -> record::Tool {
    record::Tool {
        role: tool.role.to_string(),
        path: tool.path.clone().into(),
        version: tool.version.clone(),
    }
}

/// The program that a link made, and the libraries that the capture kept beside it.
fn images(name: OsString, link: &CapturedLink) -> Images {
    let library = |companion: &Companion| ImageFile {
        name: companion.path.file_name().unwrap_or_default().into(),
        digest: companion.hash.clone(),
    };
    let is_library = |companion: &&Companion| {
        matches!(
            companion.kind,
            CompanionKind::Library | CompanionKind::LinkedLibrary
        )
    };
    Images {
        libraries: link
            .companions
            .iter()
            .filter(is_library)
            .map(library)
            .collect(),
        ..Images::of_program(name, own_image(link).1)
    }
}

/// A state of the sources as the evidence names it.
fn recorded(revision: &Revision) -> record::Revision {
    record::Revision {
        vcs: match revision.vcs {
            proofmark_capture::states::Vcs::Git => Vcs::Git,
            proofmark_capture::states::Vcs::Mercurial => Vcs::Mercurial,
        },
        id: revision.commit.clone(),
        dirty: revision.modified,
    }
}

/// In what the images of a link are not what the build makes by itself.
fn departures(link: &CapturedLink, built_otherwise: bool) -> Vec<Departure> {
    let added = link.sections_added.then_some(Departure::SectionsAdded);
    let again = match &link.relink {
        RelinkCheck::Differs { how } => Some(Departure::LinkedAgain { how: how.clone() }),
        RelinkCheck::Identical | RelinkCheck::Failed { .. } => None,
    };
    let twice = link.twice.as_ref();
    let whole = twice.and_then(|twice| twice.refused.clone());
    let whole = whole.map(|why| Departure::WholeObjects { why });
    let lacking = twice.and_then(|twice| {
        let first = twice.lacking.first()?;
        Some(Departure::Lacking {
            objects: u32::try_from(twice.lacking.len()).unwrap_or(u32::MAX),
            example: format!("{}: {}", first.object, first.why),
        })
    });
    let otherwise = built_otherwise.then_some(Departure::BuiltOtherwise);
    [added, whole, lacking, again, otherwise]
        .into_iter()
        .flatten()
        .collect()
}

/// The image that a build makes by itself, and its hash: without function sections where the
/// capture was asked to build that too.
fn own_image(link: &CapturedLink) -> (PathBuf, Digest) {
    match &link.pristine {
        Some(pristine) => (pristine.image.clone(), pristine.image_hash.clone()),
        None => (link.image.clone(), link.image_hash.clone()),
    }
}
