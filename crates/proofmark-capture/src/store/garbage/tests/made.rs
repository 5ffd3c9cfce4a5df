//! A store of builds that were never made.

use std::collections::{BTreeMap, HashSet};
use std::fs;
use std::path::PathBuf;

use proofmark_layout::{Input, InputKind, Linker, LinkerKind, Recipe};
use proofmark_terms::CaptureId;
use tempfile::TempDir;

use crate::captured::{Capture, CapturedLink, LinkKind, Modified, RelinkCheck};
use crate::objects::Mode;
use crate::store::{Builds, GarbageRules, Keep, LockedBuilds};

/// A store of builds that were never made.
pub(super) struct Made {
    pub(super) folder: TempDir,
}

impl Made {
    pub(super) fn new() -> Made {
        Made {
            folder: tempfile::tempdir().unwrap(),
        }
    }

    pub(super) fn root(&self) -> PathBuf {
        self.folder.path().join(".proofmark")
    }

    pub(super) fn builds(&self) -> Builds {
        Builds::open(&self.root()).unwrap()
    }

    pub(super) fn locked(&self) -> LockedBuilds {
        LockedBuilds::open(&self.root()).unwrap()
    }

    /// A build with an image and an object of its own, and one object that all have.
    pub(super) fn build(&self, name: &str, created_ms: u64, keep: Keep) {
        let builds = self.builds();
        let stored = |content: &str| {
            let hash = builds
                .objects()
                .put(content.as_bytes(), Mode::Data)
                .unwrap();
            (builds.objects().path(&hash), hash)
        };
        let inputs = [format!("object of {name}"), "shared".to_owned()];
        let inputs = inputs.map(|content| {
            let (blob, hash) = stored(&content);
            Input {
                given: PathBuf::from(&content),
                blob,
                hash,
                kind: InputKind::Object,
                members: Vec::new(),
            }
        });
        let (image, image_hash) = stored(&format!("image of {name}: {}", "x".repeat(1000)));
        let link = CapturedLink {
            recipe: Recipe {
                linker: Linker {
                    path: "/usr/bin/ld".into(),
                    kind: LinkerKind::GnuLd,
                    version: "GNU ld".to_owned(),
                },
                argv: Vec::new(),
                cwd: "/".into(),
                env: Vec::new(),
                inputs: inputs.to_vec(),
                output: "prog".into(),
                lto: None,
            },
            image,
            image_hash,
            image_modified: Modified {
                seconds: 0,
                nanoseconds: 0,
            },
            edited: None,
            output: "/prog".into(),
            aliases: Vec::new(),
            kind: LinkKind::Executable,
            relink: RelinkCheck::Identical,
            movability: Err("nobody looked".to_owned()),
            sections_added: false,
            twice: None,
            pristine: None,
            comments: Vec::new(),
            producers: Vec::new(),
            problems: Vec::new(),
            companions: Vec::new(),
            gone: None,
            texts: Vec::new(),
        };
        let capture = Capture {
            name: name.to_owned(),
            id: id(name),
            created_ms,
            proofmark: "test".to_owned(),
            command: vec!["make".into()],
            cwd: "/".into(),
            ran: None,
            revision: None,
            links: vec![link],
            repeats: Vec::new(),
            chosen: Some(0),
            toolchain: Vec::new(),
            objects: Vec::new(),
            stale: Vec::new(),
            environment: Vec::new(),
            warnings: Vec::new(),
        };
        builds.publish(&capture, keep).unwrap();
    }

    /// Every file below the folder, and what it holds.
    pub(super) fn files(&self) -> BTreeMap<PathBuf, Vec<u8>> {
        let all = walkdir::WalkDir::new(self.folder.path()).into_iter();
        all.map(Result::unwrap)
            .filter(|entry| entry.file_type().is_file())
            .map(|entry| (entry.path().to_owned(), fs::read(entry.path()).unwrap()))
            .collect()
    }

    /// Bytes of the stored files.
    pub(super) fn bytes(&self) -> u64 {
        let objects = self.root().join("objects");
        let files = self.files().into_iter();
        files
            .filter(|(path, _)| path.starts_with(&objects))
            .map(|(_, content)| content.len() as u64)
            .sum()
    }
}

pub(super) fn id(name: &str) -> CaptureId {
    blake3::hash(name.as_bytes()).into()
}

pub(super) fn ids(names: &[&str]) -> HashSet<CaptureId> {
    names.iter().map(|name| id(name)).collect()
}

/// A build by name; of builds that can be made again an old one, one that a pinned experiment rests
/// on, one that a recent one does, and a young one.
pub(super) fn all_kinds() -> (Made, GarbageRules) {
    let made = Made::new();
    made.build("base", 10, Keep::ByName);
    made.build("rev-old", 20, Keep::WhileUsed);
    made.build("rev-pinned", 30, Keep::WhileUsed);
    made.build("rev-used", 40, Keep::WhileUsed);
    made.build("rev-young", 100, Keep::WhileUsed);
    let rules = GarbageRules {
        pinned: ids(&["rev-pinned"]),
        recent: ids(&["rev-used", "gone long ago"]),
        later: HashSet::new(),
        since_ms: 100,
        most_bytes: None,
    };
    (made, rules)
}
