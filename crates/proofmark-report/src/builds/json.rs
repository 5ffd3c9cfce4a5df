//! Captured builds for programs: what they are, and not how they are stored.

use std::ffi::OsStr;

use proofmark_capture::{
    Capture, CapturedLink, CompiledObject, LinkKind, RelinkCheck, Removed, Seen, Tool,
};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use crate::document::words::Text;
use crate::document::{Document, enveloped};
use crate::number::rfc3339;

/// A captured build.
#[derive(Serialize, JsonSchema)]
pub(crate) struct BuildDocument {
    /// As the user called it.
    name: String,
    /// BLAKE3 of what makes the build (recipes, inputs, images), in hexadecimal: equal builds have
    /// equal ids.
    id: String,
    /// When, RFC 3339, UTC.
    captured: String,
    /// The version of proofmark that captured it.
    proofmark: String,
    /// The build's command.
    command: Vec<Text>,
    /// The folder in which it ran.
    cwd: Text,
    /// The state of the sources; null where they are in no repository.
    revision: Option<RevisionView>,
    /// What it linked and still had at its end, in the order of linking.
    images: Vec<ImageView>,
    /// Index of the image that is taken where none is named; null where there are several.
    chosen: Option<usize>,
    /// How often the build ran; all of its runs are kept.
    runs: usize,
    /// The programs that made it.
    toolchain: Vec<ToolView>,
    /// The objects in its images, without those of the toolchain and the system.
    objects: Vec<ObjectView>,
    /// Objects of the chosen image that earlier captures made and this build did not make again.
    stale: Vec<StaleView>,
    /// Variables that builds commonly read, such as `CFLAGS`, as they were set: pairs of name and
    /// value.
    environment: Vec<(String, Text)>,
    /// What a user should know, a sentence each.
    warnings: Vec<String>,
}

/// A state of the sources.
#[derive(Serialize, JsonSchema)]
struct RevisionView {
    /// The commit, in full.
    commit: String,
    /// Whether tracked files differed from it.
    modified: bool,
}

/// An image of a build.
#[derive(Serialize, JsonSchema)]
struct ImageView {
    /// What it is.
    kind: LinkWord,
    /// Where the build put it.
    output: Text,
    /// Other places where the build left it: moved, copied, hard-linked, stripped.
    aliases: Vec<Text>,
    /// BLAKE3 of it, in hexadecimal.
    image: String,
    /// The first line that its linker says about its version.
    linker: String,
    /// Whether linking it again as shipped gives the same bytes.
    relink: RelinkView,
    /// Share of its code that can be moved, 0 to 1; null where nothing can be moved.
    movable: Option<f64>,
    /// Why nothing, or not all of it, can be moved.
    immovable: Vec<ImmovableView>,
    /// Some of its objects have function sections by the capture alone.
    sections_added: bool,
    /// Objects that were not compiled a second time, with function sections: each moves as a whole.
    whole_objects: Vec<WholeView>,
    /// What could not be recorded of it. Layouts cannot be trusted then.
    problems: Vec<String>,
    /// Files that belong to it and are no part of it: libraries, other images, files beside it.
    companions: Vec<Text>,
}

/// What was linked.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
enum LinkWord {
    /// A program.
    Executable,
    /// A shared library.
    SharedLibrary,
    /// An object for another link.
    Relocatable,
}

/// Whether linking again as shipped gives the same bytes as the build did.
#[derive(Serialize, JsonSchema)]
#[serde(tag = "result", rename_all = "kebab-case")]
enum RelinkView {
    /// The same bytes.
    Identical,
    /// Other bytes.
    Differs {
        /// Which parts differ.
        how: String,
    },
    /// It could not be linked again.
    Failed {
        /// Why.
        why: String,
    },
}

/// Code that cannot be moved one function at a time.
#[derive(Serialize, JsonSchema)]
struct ImmovableView {
    /// Why.
    why: String,
    /// How much of it; null for all.
    bytes: Option<u64>,
}

/// An object without a second compilation.
#[derive(Serialize, JsonSchema)]
struct WholeView {
    /// The object, as people write it.
    object: String,
    /// Why.
    why: String,
}

/// A program that took part in a build.
#[derive(Serialize, JsonSchema)]
struct ToolView {
    /// `driver`, `compiler`, `assembler`, `linker` or `linker plugin`.
    role: String,
    /// The file, symbolic links resolved.
    path: Text,
    /// The first line that it says about its version; empty where it says nothing.
    version: String,
    /// BLAKE3 of it, in hexadecimal.
    hash: String,
}

/// An object in an image.
#[derive(Serialize, JsonSchema)]
struct ObjectView {
    /// As the linker opened it; of an archive's member the archive.
    file: Text,
    /// The member of an archive.
    member: Option<Text>,
    /// BLAKE3 of it, in hexadecimal.
    hash: String,
    /// How it is known.
    seen: SeenView,
    /// The compiler proper.
    compiler: Option<Text>,
    /// The options that the build gave to the compiler's driver.
    flags: Vec<Text>,
    /// The source, where it is known.
    source: Option<Text>,
}

/// How an object is known.
#[derive(Serialize, JsonSchema)]
#[serde(tag = "how", rename_all = "kebab-case")]
enum SeenView {
    /// Compiled or assembled during the capture.
    Compiled,
    /// The very same bytes were compiled during an earlier capture.
    Earlier {
        /// The name of that capture.
        capture: String,
    },
    /// Made during the capture by an assembler that nobody watched; there is no compiler in it.
    Assembled,
    /// Made by another link of the capture.
    Linked,
    /// Nobody saw it being made.
    Unseen {
        /// What it may come from.
        guess: String,
    },
}

/// Objects that an earlier capture made.
#[derive(Serialize, JsonSchema)]
struct StaleView {
    /// The name of that capture.
    capture: String,
    /// How many objects they are.
    objects: usize,
    /// Of how many.
    of: usize,
    /// What was different then, a clause each.
    differs: Vec<String>,
}

/// The captured builds of a project.
#[derive(Serialize, JsonSchema)]
pub(crate) struct BuildsDocument {
    /// Those that can be read, by name.
    builds: Vec<BuildDocument>,
}

/// Captured builds that were removed.
#[derive(Serialize, JsonSchema)]
pub(crate) struct RemovedDocument {
    /// Each build that was named.
    removed: Vec<RemovedView>,
}

/// A captured build that was removed.
#[derive(Serialize, JsonSchema)]
struct RemovedView {
    /// Its name.
    name: String,
    /// Stored files that only it needed.
    files: u64,
    /// Their bytes.
    bytes: u64,
    /// Other builds that cannot be read; where there is one, nothing is freed.
    unreadable: usize,
}

impl Document for BuildDocument {
    const SCHEMA: &'static str = "build";
}

impl Document for BuildsDocument {
    const SCHEMA: &'static str = "builds";
}

impl Document for RemovedDocument {
    const SCHEMA: &'static str = "removed";
}

/// All captured builds for programs.
#[must_use]
pub fn json(captures: &[Capture]) -> Value {
    enveloped(&BuildsDocument {
        builds: captures.iter().map(BuildDocument::from).collect(),
    })
}

/// One captured build for programs.
#[must_use]
pub fn one(capture: &Capture) -> Value {
    enveloped(&BuildDocument::from(capture))
}

/// What was removed, by name, for programs.
#[must_use]
pub fn removed(removed: &[(String, Removed)]) -> Value {
    let view = |(name, removed): &(String, Removed)| RemovedView {
        name: name.clone(),
        files: removed.files,
        bytes: removed.bytes,
        unreadable: removed.unreadable,
    };
    enveloped(&RemovedDocument {
        removed: removed.iter().map(view).collect(),
    })
}

impl From<&Capture> for BuildDocument {
    fn from(capture: &Capture) -> Self {
        BuildDocument {
            name: capture.name.clone(),
            id: capture.id.clone(),
            captured: rfc3339(capture.created_ms),
            proofmark: capture.proofmark.clone(),
            command: texts(&capture.command),
            cwd: Text::of(&capture.cwd),
            revision: capture.revision.as_ref().map(|revision| RevisionView {
                commit: revision.commit.clone(),
                modified: revision.modified,
            }),
            images: capture.links.iter().map(ImageView::from).collect(),
            chosen: capture.chosen,
            runs: capture.repeats.len() + 1,
            toolchain: capture.toolchain.iter().map(ToolView::from).collect(),
            objects: capture.objects.iter().map(ObjectView::from).collect(),
            stale: capture
                .stale
                .iter()
                .map(|stale| StaleView {
                    capture: stale.capture.clone(),
                    objects: stale.objects,
                    of: stale.of,
                    differs: stale.differs.clone(),
                })
                .collect(),
            environment: capture
                .environment
                .iter()
                .map(|(name, value)| (name.clone(), Text::of(value)))
                .collect(),
            warnings: capture.warnings.clone(),
        }
    }
}

impl From<&CapturedLink> for ImageView {
    fn from(link: &CapturedLink) -> Self {
        let (movable, immovable) = match &link.movability {
            Ok(movability) => {
                let reasons = movability.reasons.iter().map(|reason| ImmovableView {
                    why: reason.what.clone(),
                    bytes: Some(reason.bytes),
                });
                (Some(movability.share()), reasons.collect())
            }
            Err(why) => {
                let why = why.clone();
                (None, vec![ImmovableView { why, bytes: None }])
            }
        };
        let lacking = link.twice.iter().flat_map(|twice| &twice.lacking);
        ImageView {
            kind: match link.kind {
                LinkKind::Executable => LinkWord::Executable,
                LinkKind::SharedLibrary => LinkWord::SharedLibrary,
                LinkKind::Relocatable => LinkWord::Relocatable,
            },
            output: Text::of(&link.output),
            aliases: texts(&link.aliases),
            image: link.image_hash.clone(),
            linker: link.recipe.linker.version.clone(),
            relink: match &link.relink {
                RelinkCheck::Identical => RelinkView::Identical,
                RelinkCheck::Differs { how } => RelinkView::Differs { how: how.clone() },
                RelinkCheck::Failed { why } => RelinkView::Failed { why: why.clone() },
            },
            movable,
            immovable,
            sections_added: link.sections_added,
            whole_objects: lacking
                .map(|lacking| WholeView {
                    object: lacking.object.clone(),
                    why: lacking.why.clone(),
                })
                .collect(),
            problems: link.problems.clone(),
            companions: link
                .companions
                .iter()
                .map(|companion| Text::of(&companion.path))
                .collect(),
        }
    }
}

impl From<&Tool> for ToolView {
    fn from(tool: &Tool) -> Self {
        ToolView {
            role: tool.role.to_string(),
            path: Text::of(&tool.path),
            version: tool.version.clone(),
            hash: tool.hash.clone(),
        }
    }
}

impl From<&CompiledObject> for ObjectView {
    fn from(object: &CompiledObject) -> Self {
        ObjectView {
            file: Text::of(&object.file),
            member: object.member.as_ref().map(Text::of),
            hash: object.hash.clone(),
            seen: match &object.seen {
                Seen::Compiled => SeenView::Compiled,
                Seen::Earlier { capture } => SeenView::Earlier {
                    capture: capture.clone(),
                },
                Seen::Assembled => SeenView::Assembled,
                Seen::Linked => SeenView::Linked,
                Seen::Unseen { guess } => SeenView::Unseen {
                    guess: guess.clone(),
                },
            },
            compiler: object.compiler.as_ref().map(Text::of),
            flags: texts(&object.flags),
            source: object.source.as_ref().map(Text::of),
        }
    }
}

fn texts(of: &[impl AsRef<OsStr>]) -> Vec<Text> {
    of.iter().map(Text::of).collect()
}
