//! A captured build: its links, the objects in them, the tools that made them.

use std::collections::HashMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use proofmark_layout::{Movability, Recipe};
use proofmark_terms::lossless;
use serde::{Deserialize, Serialize};

use crate::choice::{self, Named};
use crate::error::BuildError;
use crate::sections;
use crate::states::Revision;
use crate::tools::Tool;

/// A build that can be linked again.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Capture {
    /// As the user called it.
    pub name: String,
    /// BLAKE3 of what makes the build (recipes, inputs, images), in hexadecimal: equal builds have
    /// equal ids.
    pub id: String,
    /// Milliseconds since 1970-01-01 UTC.
    pub created_ms: u64,
    /// The version of proofmark that captured it.
    pub proofmark: String,
    /// The build's command.
    #[serde(with = "lossless::many")]
    pub command: Vec<OsString>,
    /// The folder in which it ran.
    #[serde(with = "lossless::one")]
    pub cwd: PathBuf,
    /// The state of the sources, where they are in a git repository.
    pub revision: Option<Revision>,
    /// What the build linked and still had at its end, in the order of linking.
    pub links: Vec<CapturedLink>,
    /// Further builds of the same state, each with the same links in the same order.
    pub repeats: Vec<Vec<CapturedLink>>,
    /// Index of the link that was asked for, or of the only executable.
    pub chosen: Option<usize>,
    /// The programs that made it.
    pub toolchain: Vec<Tool>,
    /// The compiled objects in the links, toolchain and system files apart.
    pub objects: Vec<CompiledObject>,
    /// Objects of the chosen image that earlier captures made and that this build did not make
    /// again.
    pub stale: Vec<Stale>,
    /// Variables that builds commonly read, such as `CFLAGS`, as they were set.
    #[serde(with = "lossless::named")]
    pub environment: Vec<(String, OsString)>,
    /// What a user should know, one sentence each.
    pub warnings: Vec<String>,
}

/// Objects in a build that an earlier capture made.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stale {
    /// The name of that capture.
    pub capture: String,
    /// How many objects they are.
    pub objects: usize,
    /// Of how many.
    pub of: usize,
    /// What was different then, one clause each: command, variables, options.
    pub differs: Vec<String>,
}

/// A link of a captured build.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct CapturedLink {
    /// How to link it again, for layouts: with the objects that were compiled a second time where
    /// there are such ([`CapturedLink::as_built`] has the build's own).
    pub recipe: Recipe,
    /// The stored copy of the image as the build left it: of what its link made, or of what became
    /// of that (stripped, edited). Read-only and executable.
    #[serde(with = "lossless::one")]
    pub image: PathBuf,
    /// BLAKE3 of it, in hexadecimal.
    pub image_hash: String,
    /// Where the build put it, absolute.
    #[serde(with = "lossless::one")]
    pub output: PathBuf,
    /// Other places where the build left the same image: moved, copied, hard-linked, stripped.
    #[serde(with = "lossless::many")]
    pub aliases: Vec<PathBuf>,
    /// What was linked.
    pub kind: LinkKind,
    /// Whether linking again as shipped gives the same bytes.
    pub relink: RelinkCheck,
    /// How much of its code can be moved; or why that is not known.
    pub movability: Result<Movability, String>,
    /// Some of its objects have function sections by the capture alone: a link that folds, collects
    /// or orders sections may then do more than the build's own.
    #[serde(default)]
    pub sections_added: bool,
    /// What became of its objects' second compilations; none where there were none.
    #[serde(default)]
    pub twice: Option<Twice>,
    /// The image of the same link without the capture's function sections.
    pub pristine: Option<PristineImage>,
    /// What its compilers and linker wrote about themselves (`.comment`), each once.
    pub comments: Vec<String>,
    /// What its compilers wrote into its debug information (`DW_AT_producer`), each once; empty
    /// without debug information.
    pub producers: Vec<String>,
    /// What could not be recorded of it. Layouts cannot be trusted then.
    pub problems: Vec<String>,
    /// What belonged to it when the build had ended: libraries (those of the system left out unless
    /// the build made them), other images of the build, files beside it.
    pub companions: Vec<Companion>,
}

/// A link whose objects were compiled a second time, with function sections, beside the build's own
/// compilations.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Twice {
    /// How the build's own objects are linked, where the link's recipe has the second ones in their
    /// places.
    pub own: Option<Recipe>,
    /// Why the recipe has the build's own objects after all: what the second ones are linked to is
    /// another program.
    pub refused: Option<String>,
    /// Objects of a C compiler that were not compiled a second time, and why: each is moved as a
    /// whole.
    pub lacking: Vec<Lacking>,
}

/// An object without a second compilation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Lacking {
    /// The object, as people write it.
    pub object: String,
    /// Why.
    pub why: String,
}

impl CapturedLink {
    /// How the build's own objects are linked.
    #[must_use]
    pub fn as_built(&self) -> &Recipe {
        let own = self.twice.as_ref().and_then(|twice| twice.own.as_ref());
        own.unwrap_or(&self.recipe)
    }

    /// What layouts are made of.
    #[must_use]
    pub fn for_layouts(&self) -> proofmark_layout::Captured<'_> {
        proofmark_layout::Captured {
            recipe: &self.recipe,
            image: Some(&self.image),
            own: self.twice.as_ref().and_then(|twice| twice.own.as_ref()),
        }
    }
}

/// A file that belongs to an image and is no part of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Companion {
    /// Where it lay when the build had ended, symbolic links resolved.
    #[serde(with = "lossless::one")]
    pub path: PathBuf,
    /// BLAKE3 of it, in hexadecimal.
    pub hash: String,
    /// The stored copy; none of what is not the build's own, or too large to be kept.
    #[serde(with = "lossless::maybe")]
    pub blob: Option<PathBuf>,
    /// Its permissions: the last nine bits of `st_mode`.
    pub mode: u32,
    /// What it is to the image.
    pub kind: CompanionKind,
}

/// What a file is to the image that it belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum CompanionKind {
    /// A library that its loader finds.
    Library,
    /// Another library that the build linked: the image may open it.
    LinkedLibrary,
    /// Another program that the build linked: the image may start it.
    LinkedExecutable,
    /// A file that the build put beside it: the image may read it.
    File,
}

/// The image of a build that ran without the capture's function sections.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct PristineImage {
    /// The stored copy.
    #[serde(with = "lossless::one")]
    pub image: PathBuf,
    /// BLAKE3 of it, in hexadecimal.
    pub image_hash: String,
    /// Bytes of its `.text`.
    pub text_bytes: u64,
    /// Bytes of the same section in the capture's own image.
    pub sectioned_text_bytes: u64,
}

/// What was linked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum LinkKind {
    /// A program.
    Executable,
    /// A shared library.
    SharedLibrary,
    /// An object for another link (`-r`).
    Relocatable,
}

/// Whether linking again as shipped gives the same bytes as the build did.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "result", rename_all = "kebab-case")]
pub enum RelinkCheck {
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

/// An object in a captured link.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CompiledObject {
    /// As the linker opened it; of an archive's member the archive.
    #[serde(with = "lossless::one")]
    pub file: PathBuf,
    /// The member of an archive.
    #[serde(with = "lossless::maybe")]
    pub member: Option<OsString>,
    /// BLAKE3 of it, in hexadecimal.
    pub hash: String,
    /// How it is known.
    pub seen: Seen,
    /// The compiler proper.
    #[serde(with = "lossless::maybe")]
    pub compiler: Option<PathBuf>,
    /// The options that the build gave to the compiler's driver.
    #[serde(with = "lossless::many")]
    pub flags: Vec<OsString>,
    /// The source, where it is known.
    #[serde(with = "lossless::maybe")]
    pub source: Option<PathBuf>,
    /// It has function sections because the capture asked for them, and the build did not.
    #[serde(default)]
    pub sections_added: bool,
    /// BLAKE3 of what its second compilation made, with function sections, in hexadecimal.
    #[serde(default)]
    pub second: Option<String>,
}

/// How an object in a link is known.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "how", rename_all = "kebab-case")]
pub enum Seen {
    /// Compiled or assembled during the capture.
    Compiled,
    /// The very same bytes were compiled during an earlier capture into this store.
    Earlier {
        /// The name of that capture.
        capture: String,
    },
    /// Made during the capture, by an assembler that does not pass by a shim; there is no compiler
    /// in it.
    Assembled,
    /// Made by another link of the capture (`-r`).
    Linked,
    /// No shim saw it being made.
    Unseen {
        /// What it may come from.
        guess: String,
    },
}

impl CompiledObject {
    /// Whether a C compiler made it, and the build did not ask for function sections.
    pub(crate) fn lacks_sections(&self) -> bool {
        let name = self.compiler.as_deref().and_then(Path::file_name);
        let name = name.unwrap_or_default().to_string_lossy();
        let of_c = ["cc1", "cc1plus", "lto1"].contains(&&*name) || name.contains("clang");
        let assembly = self.source.as_deref().and_then(Path::extension);
        let assembly = assembly.is_some_and(|end| end == "s" || end == "S" || end == "sx");
        of_c && !assembly
            && !sections::asked_for(&self.flags)
            && !sections::left_to_link(&self.flags)
    }
}

impl Capture {
    /// The link asked for: by the place of its image, by a file with the same content, by the end
    /// of its path or its name alone; or the chosen one.
    ///
    /// # Errors
    /// When there is no such link, or there are several.
    pub fn image(&self, asked: Option<&Path>) -> Result<&CapturedLink, BuildError> {
        self.links
            .get(self.index(asked)?)
            .ok_or_else(|| self.no_image(asked))
    }

    /// The link asked for in every build of a repeated capture, the first one first.
    ///
    /// # Errors
    /// As [`Capture::image`].
    pub fn images(&self, asked: Option<&Path>) -> Result<Vec<&CapturedLink>, BuildError> {
        let index = self.index(asked)?;
        let builds = std::iter::once(&self.links).chain(&self.repeats);
        Ok(builds.filter_map(|links| links.get(index)).collect())
    }

    /// What people know a link by: the shortest path of its image, relative to the build's folder
    /// where it lies in it.
    #[must_use]
    pub fn label(&self, link: &CapturedLink) -> PathBuf {
        link.named().label(&self.cwd)
    }

    /// The image that is taken where none is asked for, as it can be typed. None where there are
    /// several.
    #[must_use]
    pub fn default_image(&self) -> Option<PathBuf> {
        Some(self.label(self.links.get(self.chosen?)?))
    }

    fn index(&self, asked: Option<&Path>) -> Result<usize, BuildError> {
        let Some(asked) = asked else {
            return self.chosen.ok_or_else(|| self.no_image(None));
        };
        let images: Vec<Named<'_>> = self.links.iter().map(CapturedLink::named).collect();
        let in_build = self.cwd.join(asked);
        let here = std::path::absolute(asked).unwrap_or_else(|_| in_build.clone());
        let resolved = [&in_build, &here].map(|path| path.canonicalize().ok());
        let places: Vec<PathBuf> = resolved
            .into_iter()
            .flatten()
            .chain([in_build.clone(), here])
            .collect();
        let by_content = || {
            let hash = crate::objects::hash_file(&in_build).ok();
            let same = |link: &CapturedLink| Some(&link.image_hash) == hash.as_ref();
            self.links.iter().position(same).into_iter().collect()
        };
        let mut found = choice::at(&images, &places);
        if found.is_empty() {
            found = by_content();
        }
        if found.is_empty() {
            found = choice::ending(&images, asked);
        }
        match *found {
            [] => Err(self.no_image(Some(asked))),
            [one] => Ok(one),
            _ => Err(BuildError::SeveralImages {
                asked: asked.to_owned(),
                candidates: found
                    .iter()
                    .filter_map(|at| self.links.get(*at))
                    .map(|link| self.label(link))
                    .collect(),
            }),
        }
    }

    fn no_image(&self, asked: Option<&Path>) -> BuildError {
        let candidates = self
            .links
            .iter()
            .filter(|link| link.kind != LinkKind::Relocatable)
            .map(|link| self.label(link))
            .collect();
        match asked {
            Some(asked) => BuildError::NoSuchImage {
                name: self.name.clone(),
                asked: asked.to_owned(),
                candidates,
            },
            None => BuildError::WhichImage {
                name: self.name.clone(),
                candidates,
            },
        }
    }

    /// A program or a file of the system that took part in the build and is another one by now, or
    /// gone. Files in `copy`, where the build ran, do not count.
    #[must_use]
    pub fn changed_since(&self, copy: &Path) -> Option<PathBuf> {
        let tools = self.toolchain.iter().flat_map(|tool| {
            let libraries = tool.libraries.iter();
            let libraries = libraries.map(|library| (library.path.clone(), &library.hash));
            std::iter::once((tool.path.clone(), &tool.hash)).chain(libraries)
        });
        let inputs = self.links.iter().flat_map(|link| {
            let recipe = link.as_built();
            let inputs = recipe.inputs.iter();
            inputs.map(|input| (recipe.cwd.join(&input.given), &input.hash))
        });
        // Compilers' own temporary files are gone, and are known by their sources.
        let temporary = std::env::temp_dir();
        let mut known: HashMap<PathBuf, String> = HashMap::new();
        for (file, hash) in tools.chain(inputs) {
            if file.starts_with(copy) || file.starts_with(&temporary) {
                continue;
            }
            let now = known
                .entry(file.clone())
                .or_insert_with(|| crate::objects::hash_file(&file).unwrap_or_default());
            if now != hash {
                return Some(file);
            }
        }
        None
    }

    /// The objects that no shim saw being made.
    pub fn unseen(&self) -> impl Iterator<Item = &CompiledObject> {
        self.objects
            .iter()
            .filter(|object| matches!(object.seen, Seen::Unseen { .. }))
    }
}

impl CapturedLink {
    pub(crate) fn named(&self) -> Named<'_> {
        Named {
            kind: self.kind,
            output: &self.output,
            aliases: &self.aliases,
        }
    }
}
