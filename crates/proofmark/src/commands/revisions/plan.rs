//! How a state of a repository becomes a build: captured in a clean copy, and kept by all that went
//! in.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use proofmark_capture::states::git::{self, Repository, State};
use proofmark_capture::states::{Above, Checkout, Surroundings, tools};
use proofmark_capture::{BuildError, Capture, CaptureRequest, Keep, capture};

use crate::console;
use crate::context::Context;
use crate::exit::Usage;

/// What of a capture's making is not in its key by itself: raised when that changes.
const KEY: &[u8] = b"proofmark revision 2";

/// What states of a repository are built with.
#[derive(Debug)]
pub(crate) struct Plan {
    repository: Repository,
    surroundings: Surroundings,
    above: Above,
    command: String,
    /// As the build's folder knows it.
    image: Option<PathBuf>,
}

impl Plan {
    /// A plan for a repository. Looks at what lies around it, and says what of that is not there in
    /// a copy.
    pub(crate) fn of(
        repository: Repository,
        command: &str,
        image: Option<&Path>,
    ) -> anyhow::Result<Self> {
        let surroundings = Surroundings::of_this_process();
        for note in surroundings.lead_away_from(repository.top(), command)? {
            console::say(&format!("proofmark: {note}"));
        }
        let folder = repository.top().join(repository.prefix());
        let above = Above::look(repository.top(), &folder)?;
        // Of the work tree the copy's is meant.
        let image = image.map(|image| match image.strip_prefix(repository.top()) {
            Ok(inside) => above.copy_of(&repository.top().join(inside)),
            Err(_) => image.to_owned(),
        });
        Ok(Plan {
            repository,
            surroundings,
            above,
            command: command.to_owned(),
            image,
        })
    }

    /// The repository.
    pub(crate) fn repository(&self) -> &Repository {
        &self.repository
    }

    /// The image that was asked for, as the build's folder knows it.
    pub(crate) fn image(&self) -> Option<PathBuf> {
        self.image.clone()
    }

    /// A clean copy of a state, and the folder in it in which its command runs.
    pub(crate) fn copy(&self, state: &State) -> anyhow::Result<(Checkout, PathBuf)> {
        let copy = Checkout::make(&self.repository, state, &self.above)?;
        let cwd = copy.folder().join(self.repository.prefix());
        if cwd.is_dir() {
            return Ok((copy, cwd));
        }
        Err(Usage(format!(
            "`{}` has no folder {}",
            state.name,
            self.repository.prefix().display()
        ))
        .into())
    }

    /// All that goes into a build beside its state, as a digest.
    pub(crate) fn surroundings(&self) -> String {
        let mut hasher = blake3::Hasher::new();
        self.around(&mut hasher);
        hasher.finalize().to_hex().to_string()
    }

    /// The capture of a state, made where it is not there yet or something that it was made from
    /// has changed.
    pub(crate) fn captured(&self, state: &State, context: &Context) -> anyhow::Result<Capture> {
        let name = self.name(state)?;
        let builds = context.builds()?;
        let kept = builds.find(&name).and_then(|capture| {
            builds.verify(&capture)?;
            Ok(capture)
        });
        let place = self.above.copy_of(self.repository.top());
        match kept {
            Ok(capture) => match capture.changed_since(&place) {
                None => return Ok(capture),
                Some(file) => console::say(&format!(
                    "proofmark: {} is built again, for {} has changed since",
                    state.name,
                    file.display()
                )),
            },
            Err(BuildError::NoSuchBuild { .. } | BuildError::Lost { .. }) => {}
            Err(error) => return Err(error.into()),
        }
        let (_copy, cwd) = self.copy(state)?;
        let words = ["/bin/sh", "-c", &self.command].map(OsString::from);
        let request = CaptureRequest::new(&name, words.into())
            .context("cannot tell the current folder; was it removed?")?;
        let request = CaptureRequest {
            image: self.image.clone(),
            cwd,
            unset: git::VARIABLES.iter().map(OsString::from).collect(),
            revision: Some(state.revision()),
            not_from: Some(self.repository.top().to_owned()),
            keep: Keep::WhileUsed,
            ..request
        };
        Ok(capture(&builds, &request)?)
    }

    /// Everything that goes into a build, as the name of its capture.
    fn name(&self, state: &State) -> anyhow::Result<String> {
        let mut hasher = blake3::Hasher::new();
        put(&mut hasher, state.commit.as_bytes());
        put(&mut hasher, self.repository.described(state)?.as_bytes());
        self.around(&mut hasher);
        let key = hasher.finalize().to_hex();
        let commit = &state.commit[..state.commit.len().min(12)];
        Ok(format!("rev-{commit}-{}", &key[..12]))
    }

    fn around(&self, hasher: &mut blake3::Hasher) {
        put(hasher, KEY);
        put(hasher, env!("CARGO_PKG_VERSION").as_bytes());
        put(
            hasher,
            self.repository.prefix().as_os_str().as_encoded_bytes(),
        );
        put(hasher, self.command.as_bytes());
        if let Some(image) = &self.image {
            put(hasher, image.as_os_str().as_encoded_bytes());
        }
        put(hasher, self.above.hash().as_bytes());
        put(hasher, tools().as_bytes());
        self.surroundings.hash_into(hasher);
    }
}

fn put(hasher: &mut blake3::Hasher, part: &[u8]) {
    hasher.update(&part.len().to_le_bytes()).update(part);
}
