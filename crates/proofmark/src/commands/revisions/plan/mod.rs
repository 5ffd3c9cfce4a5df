//! How a state of a repository becomes a build: captured in a clean copy, and kept by all that went
//! in.

mod labels;
mod went_by;

use std::collections::BTreeSet;
use std::env;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use proofmark_capture::outside::{Follower, Known, content};
use proofmark_capture::states::{
    Above, Checkout, Repository, State, Surroundings, inherited, processor, tools,
};
use proofmark_capture::{
    BuildError, BuildOutput, Builds, Capture, CaptureRequest, Keep, SourceCopy, capture,
};
use proofmark_evidence::record::{BuiltBy, SurroundingPart};
use proofmark_report::built;
use proofmark_terms::Digest;

use crate::console;
use crate::context::Context;
use crate::exit::Usage;

/// What of a capture's making is not in its key by itself: raised when that changes.
const KEY: &str = concat!("proofmark revision 9, ", env!("CARGO_PKG_VERSION"));

/// The folder in the store that says what kept builds read outside of the repository.
const READS: &str = "revisions";

/// How the folders of builds under way begin.
const FOLLOWED: &str = "followed-";

/// What states of a repository are built with.
#[derive(Debug)]
pub(crate) struct Plan {
    repository: Repository,
    surroundings: Surroundings,
    above: Above,
    /// What of the user's decides how files of a state are written.
    written_by: String,
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
            written_by: repository.written_by()?,
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

    /// How builds are made of states, for the evidence; `builds` says how often each, and
    /// `runs_in` where their runs work.
    pub(crate) fn built_by(&self, builds: usize, runs_in: &Path) -> BuiltBy {
        let inside = runs_in.strip_prefix(self.repository.top());
        BuiltBy {
            command: self.command.clone(),
            folder: self.repository.prefix().to_owned().into(),
            image: self.image.clone().map(Into::into),
            builds: u32::try_from(builds).unwrap_or(u32::MAX),
            runs_in: Some(inside.unwrap_or(runs_in).to_owned().into()),
            cell: None,
        }
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
    pub(crate) fn surroundings(&self) -> Digest {
        let mut hasher = blake3::Hasher::new();
        self.around(&mut hasher);
        hasher.finalize().into()
    }

    /// The same part by part, so that a message can name what is another one.
    pub(crate) fn surrounding_parts(&self) -> Vec<SurroundingPart> {
        let parts = self.parts().into_iter().map(|(name, content)| {
            let digest = blake3::hash(content.as_encoded_bytes());
            SurroundingPart {
                name: name.into(),
                digest: digest.to_hex().to_string(),
            }
        });
        parts.collect()
    }

    /// The capture of a state, made where it is not there yet or something that it was made from
    /// has changed. `number` tells several builds of one state apart, each from a clean copy of its
    /// own; 0 is the first.
    pub(crate) fn captured(
        &self,
        state: &State,
        number: u32,
        context: &Context,
    ) -> anyhow::Result<Capture> {
        match self.there(state, number, context)? {
            There::Same(capture) => return Ok(*capture),
            There::Changed(why) => console::say(&format!(
                "proofmark: {} is built again, for {why}",
                state.name
            )),
            There::Gone => {}
        }
        let name = self.name(state, number)?;
        let builds = context.builds()?;
        let reads = reads_of(&name, context);
        let (mut disturbed, mut changes): (Option<String>, Option<PathBuf>) = (None, None);
        loop {
            let (copy, cwd) = self.copy(state)?;
            let mut request = self.request(&name, state, cwd)?;
            let follower = disturbed
                .is_none()
                .then(|| Follower::begin(&context.folder, FOLLOWED, &request.shim_program))
                .transpose()
                .with_context(|| format!("cannot write to {}", context.folder.display()))?;
            let repository = self.repository.folder();
            let own = [copy.whole(), &context.folder, &repository];
            request.copy = Some(SourceCopy {
                whole: copy.whole().to_owned(),
                folder: copy.folder().to_owned(),
                original: self.repository.top().to_owned(),
            });
            request.followed = follower.as_ref().map(|follower| follower.following(&own));
            let makers = went_by::makers(context);
            let held = makers.held(&self.name(state, 0)?);
            let captured = capture(&builds, &request);
            let why = follower.as_ref().and_then(Follower::disturbed);
            if let Some(why) = why.filter(|_| !context.stop.requested()) {
                console::say(&format!(
                    "proofmark: {} is built once more, and nobody sees what its scripts and \
                     generators read outside of the repository: {why}",
                    state.name
                ));
                disturbed = Some(why);
                continue;
            }
            // What it left counts also where it failed.
            let known = follower.as_ref().map(|follower| {
                let ended = follower.end(&own);
                self.known(ended, (&makers, &held), state, context)
            });
            let captured = captured?;
            let inside = self.repository.of_copy(copy.folder());
            let followed = follower.as_ref().map(Follower::sought);
            let asks = followed.is_some_and(|sought| sought.goes_to(&inside, &[]));
            let known = match follower.as_ref().zip(known) {
                Some((follower, known)) => {
                    let known = known?;
                    let sought = follower.sought();
                    for file in sought.not_copied(self.repository.top(), copy.folder()) {
                        console::say(&built::not_copied(&state.name, &file.display().to_string()));
                    }
                    let tools = captured.toolchain.iter().map(|tool| tool.path.as_path());
                    let tools: Vec<&Path> = tools.collect();
                    let with = (request.shim_program.as_path(), tools.as_slice());
                    self.refuse_work_tree(&sought, copy, state, context, with)?;
                    known
                }
                None => Known::Nothing(disturbed.unwrap_or_default()),
            };
            if let Known::All(outside) = &known
                && let Some(file) = outside.left_otherwise()
            {
                went_by::again_for(&file, changes.as_deref(), state)?;
                changes = Some(file);
                disturbed = None;
                continue;
            }
            known
                .write(&reads)
                .with_context(|| format!("cannot write {}", reads.display()))?;
            self.note_labels(&reads, asks || matches!(known, Known::Nothing(_)))?;
            return Ok(captured);
        }
    }

    /// What there is of the capture of a state that was made before.
    pub(crate) fn there(
        &self,
        state: &State,
        number: u32,
        context: &Context,
    ) -> anyhow::Result<There> {
        let name = self.name(state, number)?;
        let builds = context.builds()?;
        let kept = builds.find(&name).and_then(|capture| {
            builds.verify(&capture)?;
            Ok(capture)
        });
        let kept = match kept {
            Ok(capture) => capture,
            Err(BuildError::NoSuchBuild { .. } | BuildError::Lost { .. }) => {
                return Ok(There::Gone);
            }
            Err(error) => return Err(error.into()),
        };
        let changed = self.changed_since(&kept, &reads_of(&name, context))?;
        Ok(changed.map_or_else(|| There::Same(Box::new(kept)), There::Changed))
    }

    /// What has changed since a capture was made, as the end of a sentence.
    fn changed_since(&self, capture: &Capture, reads: &Path) -> anyhow::Result<Option<String>> {
        let said = |file: PathBuf| format!("{} has changed since", file.display());
        let place = self.above.copy_of(self.repository.top());
        if let Some(file) = capture.changed_since(&place) {
            return Ok(Some(said(file)));
        }
        let known = Known::read(reads);
        if let Some(Known::All(outside)) = &known
            && let Some(file) = outside.changed(content)
        {
            return Ok(Some(said(file)));
        }
        if self.has_other_labels(reads)? {
            let what = "the tags of the repository have changed since, and it asks for them";
            return Ok(Some(what.to_owned()));
        }
        Ok(known
            .is_none()
            .then(|| "nobody knows any more what it read".to_owned()))
    }

    fn request(&self, name: &str, state: &State, cwd: PathBuf) -> anyhow::Result<CaptureRequest> {
        let words = ["/bin/sh", "-c", &self.command].map(OsString::from);
        let request = CaptureRequest::new(name, words.into())
            .context("cannot tell the current folder; was it removed?")?;
        Ok(CaptureRequest {
            image: self.image.clone(),
            cwd,
            unset: self.surroundings.withheld().to_vec(),
            revision: Some(state.revision(self.repository.vcs())),
            changes: self.repository.patch(state)?,
            not_from: Some(self.repository.top().to_owned()),
            keep: Keep::WhileUsed,
            // What it prints is for the user, and standard output is the answer's.
            output: BuildOutput::Errors,
            ..request
        })
    }

    /// Everything that goes into a build, as the name of its capture.
    fn name(&self, state: &State, number: u32) -> anyhow::Result<String> {
        let mut hasher = blake3::Hasher::new();
        put(&mut hasher, state.commit.as_bytes());
        put(&mut hasher, self.repository.described(state)?.as_bytes());
        self.around(&mut hasher);
        if number > 0 {
            put(&mut hasher, &number.to_le_bytes());
        }
        let key = hasher.finalize().to_hex();
        let commit = &state.commit[..state.commit.len().min(12)];
        Ok(format!("rev-{commit}-{}", &key[..12]))
    }

    fn around(&self, hasher: &mut blake3::Hasher) {
        for (name, content) in self.parts() {
            put(hasher, name.as_encoded_bytes());
            put(hasher, content.as_encoded_bytes());
        }
    }

    /// What goes into a build beside its state, part by part: what a message calls it, and what it
    /// is.
    fn parts(&self) -> Vec<(OsString, OsString)> {
        let named = |name: &str, content: &OsStr| (name.into(), content.to_owned());
        let image = self.image.as_deref().unwrap_or(Path::new(""));
        let mut parts = vec![
            named("the version of proofmark", KEY.as_ref()),
            named("what git is told about files", self.written_by.as_ref()),
            named("the folder", self.repository.prefix().as_os_str()),
            named("the build command", self.command.as_ref()),
            named("the image", image.as_os_str()),
            named(
                "configuration above the repository",
                self.above.hash().as_ref(),
            ),
            named("a compiler or another tool in PATH", tools().as_ref()),
            named(
                "the user, the umask, the cores or a limit (ulimit)",
                inherited().as_ref(),
            ),
            named("the processor", processor().as_ref()),
        ];
        let variables = self.surroundings.variables();
        parts.extend(variables.map(|(name, value)| {
            let mut called = OsString::from("the variable ");
            called.push(name);
            (called, value.to_owned())
        }));
        parts
    }
}

/// What there is of a capture that was made before.
#[derive(Debug)]
pub(crate) enum There {
    /// It is there, and all that it was made from is as it was.
    Same(Box<Capture>),
    /// It is there, and something has changed since; the end of a sentence.
    Changed(String),
    /// It is not there.
    Gone,
}

/// The file that says what a kept build read outside of the repository.
fn reads_of(name: &str, context: &Context) -> PathBuf {
    context.folder.join(READS).join(format!("{name}.json"))
}

fn put(hasher: &mut blake3::Hasher, part: &[u8]) {
    hasher.update(&part.len().to_le_bytes()).update(part);
}

/// Removes what is known of the reads of builds that are no longer there. Where a build cannot be
/// read it stays: nobody knows whose it is.
pub(crate) fn forget_lost(context: &Context, builds: &Builds) -> anyhow::Result<()> {
    let folder = context.folder.join(READS);
    let listing = builds.list()?;
    let entries = match fs::read_dir(&folder) {
        Ok(entries) if listing.unreadable.is_empty() => entries,
        _ => return Ok(()),
    };
    let names: BTreeSet<&str> = (listing.builds.iter())
        .map(|capture| capture.name.as_str())
        .collect();
    for entry in entries {
        let file = entry?.path();
        let name = file.file_stem().and_then(OsStr::to_str);
        if name.is_some_and(|name| !names.contains(name)) {
            fs::remove_file(&file).with_context(|| format!("cannot remove {}", file.display()))?;
        }
    }
    Ok(())
}
