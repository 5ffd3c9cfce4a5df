//! A build of an experiment: its images, and where they come from.

use std::fmt;

use proofmark_terms::{CaptureId, CommitId, Digest, OsText};
use serde::{Deserialize, Serialize};

use super::{Benchmark, BuiltBy, Tree};
use crate::private::parts;

/// One build of an experiment.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Build {
    /// As the user called it.
    pub name: String,
    /// Where it comes from.
    pub origin: BuildOrigin,
    /// The files that its runs execute, as the build made them.
    pub images: Images,
    /// The state of its sources, where that is known.
    pub revision: Option<Revision>,
    /// The patches that were applied to that state, in their order.
    pub patches: Vec<Digest>,
    /// The compilers and linker that made it.
    pub toolchain: Vec<Tool>,
    /// How it is run, where that differs from the experiment's benchmark: other arguments or
    /// variables, never another metric.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run_as: Option<Box<Benchmark>>,
    /// The folder of files that its runs read, where each build has one of its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tree: Option<Box<Tree>>,
    /// How it is made of the state of its sources and the patches on it, where that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub built_by: Option<BuiltBy>,
}

parts!(Build {
    name: mixed,
    origin: inner,
    images: inner,
    revision: inner,
    patches: open,
    toolchain: inner,
    run_as: inner,
    tree: inner,
    built_by: inner,
});

impl Build {
    /// What an experiment is about: the build without the state of the sources, for equal images
    /// of two states are one build.
    #[must_use]
    pub fn without_sources(&self) -> Self {
        Build {
            revision: None,
            patches: Vec::new(),
            built_by: None,
            ..self.clone()
        }
    }
}

/// A program that had a part in making a build.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tool {
    /// What it did, in a word or two: `compiler`, `linker`.
    pub role: String,
    /// Its file.
    pub path: OsText,
    /// What it says of its version; empty where it says nothing.
    pub version: String,
}

parts!(Tool {
    role: mixed,
    path: whole,
    version: mixed
});

/// One line, for people.
impl fmt::Display for Tool {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} {}", self.role, self.path.display())?;
        if self.version.is_empty() {
            return Ok(());
        }
        write!(formatter, ": {}", self.version)
    }
}

/// The images of a build: the program and the libraries of its own that it maps.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Images {
    /// What is executed.
    pub program: ImageFile,
    /// Libraries that the build made or brought along. None are known of a file that was never
    /// captured.
    pub libraries: Vec<ImageFile>,
}

parts!(Images {
    program: inner,
    libraries: inner
});

impl Images {
    /// A program alone.
    #[must_use]
    pub fn of_program(name: impl Into<OsText>, digest: Digest) -> Self {
        Images {
            program: ImageFile {
                name: name.into(),
                digest,
            },
            libraries: Vec::new(),
        }
    }
}

/// A file whose code runs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ImageFile {
    /// The file's name, without its folder.
    pub name: OsText,
    /// Of its content.
    pub digest: Digest,
}

parts!(ImageFile {
    name: mixed,
    digest: open
});

/// A state of the sources.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Revision {
    /// Who keeps them.
    pub vcs: Vcs,
    /// Its name for the state, in full.
    pub id: CommitId,
    /// Files that it keeps differed from that state.
    pub dirty: bool,
}

parts!(Revision {
    vcs: open,
    id: open,
    dirty: open
});

/// A system that keeps versions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Vcs {
    /// Git.
    #[default]
    Git,
    /// Mercurial.
    Mercurial,
}

/// Where a build comes from.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum BuildOrigin {
    /// Captured: it can be linked again.
    Captured {
        /// The capture; several where it was repeated.
        ids: Vec<CaptureId>,
        /// Share of `.text` bytes that can be moved, 0 to 1.
        movable: f64,
        /// In what its images are not what the build makes by itself.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        departures: Vec<Departure>,
    },
    /// An executable file: its placement cannot be varied.
    Executable {
        /// The file.
        path: OsText,
    },
}

parts!(
    enum BuildOrigin {
        Captured {
            ids: open,
            movable: open,
            departures: inner,
        },
        Executable {
            path: whole,
        },
    }
);

/// In what the images of a captured build are not what the build makes by itself.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Departure {
    /// Its code has function sections that the build did not ask for, the image as shipped too.
    SectionsAdded,
    /// With function sections it would be another program: layouts move whole objects.
    WholeObjects {
        /// What would be different.
        why: String,
    },
    /// Objects that were not compiled a second time, with function sections: each is moved as a
    /// whole.
    Lacking {
        /// How many they are.
        objects: u32,
        /// One of them, and why.
        example: String,
    },
    /// Linked again from the stored inputs it is another file.
    LinkedAgain {
        /// What differs.
        how: String,
    },
    /// The same sources built once more are another program, and this build stands for them alone.
    BuiltOtherwise,
}

parts!(
    enum Departure {
        SectionsAdded,
        WholeObjects { why: mixed },
        Lacking { objects: open, example: mixed },
        LinkedAgain { how: mixed },
        BuiltOtherwise,
    }
);
