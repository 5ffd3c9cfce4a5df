//! `compare --rev A..B --build COMMAND`: both states captured in a clean copy of the repository,
//! and kept by all that went in.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use proofmark_capture::states::git::{self, Repository, State};
use proofmark_capture::states::{Above, Checkout, Surroundings, tools};
use proofmark_capture::{BuildError, Capture, CaptureRequest, Keep, capture};
use proofmark_lab::{LabError, Subject};

use crate::commands::subject;
use crate::console;
use crate::context::Context;
use crate::exit::Usage;

/// What of a capture's making is not in its key by itself: raised when that changes.
const KEY: &[u8] = b"proofmark revision 1";

/// What both states are built with.
struct Plan<'a> {
    repository: Repository,
    surroundings: Surroundings,
    above: Above,
    command: &'a str,
    /// As the build's folder knows it.
    image: Option<PathBuf>,
}

/// The subjects of a range: A is the base.
pub(crate) fn subjects(
    range: &str,
    build: &str,
    image: Option<&Path>,
    context: &Context,
) -> anyhow::Result<Vec<Subject>> {
    let range = Range::parse(range)?;
    let repository = Repository::open(Path::new("."))?;
    // Both are looked up before either is built.
    let states = range.states(&repository)?;
    say_changes(&repository, &range, &states)?;
    let plan = Plan::of(repository, build, image)?;
    let captures = states
        .iter()
        .map(|state| {
            let capture = plan.captured(state, context);
            // Ctrl-C ends the build as well, which is no fault of the build's.
            if context.stop.requested() {
                return Err(LabError::Interrupted.into());
            }
            capture.with_context(|| format!("revision `{}` was not captured", state.name))
        })
        .collect::<anyhow::Result<Vec<Capture>>>()?;
    let others = captures.iter().find_map(Capture::default_image);
    let image = |capture: &Capture| {
        let of_other = others.clone().filter(|_| capture.chosen.is_none());
        plan.image.clone().or(of_other)
    };
    captures
        .iter()
        .zip(&states)
        .map(|(capture, state)| {
            let mut subject = subject::captured(capture, image(capture).as_deref())?;
            subject.name.clone_from(&state.name);
            Ok(subject)
        })
        .collect()
}

/// Changes that are not committed are in no revision.
fn say_changes(repository: &Repository, range: &Range, states: &[State]) -> anyhow::Result<()> {
    let asked = states.iter().any(|state| state.name == Repository::WORK);
    let changes = if asked { 0 } else { repository.changes()? };
    if changes > 0 {
        console::say(&format!(
            "proofmark: {changes} file(s) of the work tree have changes that are not committed, and are in neither build; `--rev {}..{}` compares with them",
            range.from,
            Repository::WORK
        ));
    }
    Ok(())
}

impl<'a> Plan<'a> {
    fn of(repository: Repository, command: &'a str, image: Option<&Path>) -> anyhow::Result<Self> {
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
            command,
            image,
        })
    }

    /// The capture of a state, made where it is not there yet or something that it was made from
    /// has changed.
    fn captured(&self, state: &State, context: &Context) -> anyhow::Result<Capture> {
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
        let copy = Checkout::make(&self.repository, state, &self.above)?;
        let words = ["/bin/sh", "-c", self.command].map(OsString::from);
        let request = CaptureRequest::new(&name, words.into())
            .context("cannot tell the current folder; was it removed?")?;
        let cwd = copy.folder().join(self.repository.prefix());
        if !cwd.is_dir() {
            return Err(Usage(format!(
                "`{}` has no folder {}",
                state.name,
                self.repository.prefix().display()
            ))
            .into());
        }
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
        let mut add = |part: &[u8]| {
            hasher.update(&part.len().to_le_bytes()).update(part);
        };
        add(KEY);
        add(env!("CARGO_PKG_VERSION").as_bytes());
        add(state.commit.as_bytes());
        add(self.repository.described(state)?.as_bytes());
        add(self.repository.prefix().as_os_str().as_encoded_bytes());
        add(self.command.as_bytes());
        if let Some(image) = &self.image {
            add(image.as_os_str().as_encoded_bytes());
        }
        add(self.above.hash().as_bytes());
        add(tools().as_bytes());
        self.surroundings.hash_into(&mut hasher);
        let key = hasher.finalize().to_hex();
        let commit = &state.commit[..state.commit.len().min(12)];
        Ok(format!("rev-{commit}-{}", &key[..12]))
    }
}

/// A range of revisions, as git means it.
struct Range {
    from: String,
    to: String,
    /// `A...B`: from what both have in common.
    from_base: bool,
}

impl Range {
    fn parse(text: &str) -> Result<Range, Usage> {
        let or_head = |name: &str| if name.is_empty() { "HEAD" } else { name }.to_owned();
        let parts = match text.split_once("...") {
            Some((from, to)) => Some((from, to, true)),
            None => text.split_once("..").map(|(from, to)| (from, to, false)),
        };
        let named = parts.filter(|(from, to, _)| {
            let dots = to.starts_with('.') || to.contains("..");
            let named = !from.is_empty() || !to.is_empty();
            named && !dots
        });
        let (from, to, from_base) = named.ok_or_else(|| {
            Usage(format!(
                "`{text}` is not a range of revisions: write A..B, as in main..HEAD; A.. is up to HEAD, A...B is from what both have in common, and {} is the work tree",
                Repository::WORK
            ))
        })?;
        Ok(Range {
            from: or_head(from),
            to: or_head(to),
            from_base,
        })
    }

    fn states(&self, repository: &Repository) -> anyhow::Result<[State; 2]> {
        let to = repository.state(&self.to)?;
        if !self.from_base {
            return Ok([repository.state(&self.from)?, to]);
        }
        // Of the work tree its commit counts here.
        let commit = |name: &str| {
            if name == Repository::WORK {
                "HEAD"
            } else {
                name
            }
            .to_owned()
        };
        let base = repository.merge_base(&commit(&self.from), &commit(&self.to))?;
        Ok([base, to])
    }
}
