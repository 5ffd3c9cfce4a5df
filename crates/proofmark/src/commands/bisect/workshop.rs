//! The builds of a bisection's commits, and scripts that judge them, in clean copies.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::Context as _;
use proofmark_capture::states::{RevisionError, State, git};
use proofmark_capture::{BuildError, Capture};
use proofmark_lab::{Kept, LabError, Revisions, Role, Subject};
use proofmark_terms::Commit;

use crate::commands::revisions::{Plan, There};
use crate::commands::subject;
use crate::context::Context;
use crate::exit::Exit;

/// Who makes the builds of commits.
#[derive(Debug)]
pub(crate) struct Workshop<'a> {
    plan: Plan,
    context: &'a Context,
    /// The folder in which runs work; none where a script judges.
    runs_in: Option<PathBuf>,
    /// The image of the first build; builds that leave several are asked for the same one.
    image: Option<PathBuf>,
    /// Builds of each commit, of which a block draws one; at least 1.
    repeat: u32,
    /// An end was built.
    built: bool,
}

impl<'a> Workshop<'a> {
    /// One that has built nothing yet.
    pub(crate) fn new(plan: Plan, context: &'a Context) -> Self {
        Workshop {
            plan,
            context,
            runs_in: None,
            image: None,
            repeat: 1,
            built: false,
        }
    }

    /// One that makes so many builds of each commit.
    pub(crate) fn of_builds(self, repeat: u32) -> Self {
        Workshop { repeat, ..self }
    }

    /// One whose builds are run in a folder.
    pub(crate) fn for_runs_in(self, folder: &Path) -> Self {
        Workshop {
            runs_in: Some(folder.to_owned()),
            ..self
        }
    }

    fn state(&self, commit: &Commit) -> anyhow::Result<State> {
        let mut state = self.plan.repository().state(&commit.id)?;
        state.name = short(&commit.id).to_owned();
        Ok(state)
    }

    fn subject(&mut self, commit: &Commit) -> anyhow::Result<Subject> {
        let mut captures = Vec::new();
        for number in 0..self.repeat {
            captures.push(self.capture(commit, number)?);
        }
        self.of_captures(commit, captures)
    }

    /// A build of a commit; `number` tells several of one commit apart.
    fn capture(&self, commit: &Commit, number: u32) -> anyhow::Result<Capture> {
        let state = self.state(commit)?;
        let capture = self.plan.captured(&state, number, self.context);
        // Ctrl-C ends the build as well, which is no fault of the build's.
        if self.context.stop.requested() {
            return Err(LabError::Interrupted.into());
        }
        capture.with_context(|| format!("revision `{}` was not captured", state.name))
    }

    fn of_captures(&mut self, commit: &Commit, captures: Vec<Capture>) -> anyhow::Result<Subject> {
        let mut captures = captures.into_iter();
        let first = captures.next().context("a commit without a build")?;
        if self.image.is_none() {
            self.image = self.plan.image().or_else(|| first.default_image());
        }
        let image = self.image.clone().filter(|_| first.chosen.is_none());
        let image = self.plan.image().or(image);
        let more: Vec<Capture> = captures.collect();
        let mut subject = subject::captured_often(&first, &more, image.as_deref())?;
        short(&commit.id).clone_into(&mut subject.name);
        let state = self.state(commit)?;
        subject.mark_of_others(self.plan.of_others(&state, self.context)?);
        if let Some(runs_in) = &self.runs_in {
            subject.mark_built_by(self.plan.built_by(1 + more.len(), runs_in));
        }
        Ok(subject)
    }

    fn exit_code(&self, commit: &Commit, command: &str) -> anyhow::Result<Option<i32>> {
        let (_copy, cwd) = self.plan.copy(&self.state(commit)?)?;
        let mut shell = Command::new("/bin/sh");
        shell
            .args(["-c", command])
            .current_dir(cwd)
            .stdin(Stdio::null())
            // What it prints is for the user, and standard output is the answer's.
            .stdout(std::io::stderr());
        for name in git::VARIABLES {
            shell.env_remove(name);
        }
        let status = shell.status().context("cannot start /bin/sh")?;
        Ok(status.code())
    }
}

impl Revisions for Workshop<'_> {
    type Error = anyhow::Error;

    fn build(&mut self, commit: &Commit, role: Role) -> anyhow::Result<anyhow::Result<Subject>> {
        let made = own(self.subject(commit))?;
        if role == Role::Candidate {
            return Ok(made);
        }
        let made = made.with_context(|| match role {
            Role::Newer if self.built => format!(
                "the build works at the older end and not at {}: --build must know both, such as a \
                 script outside of the repository that looks which of two targets there is",
                short(&commit.id)
            ),
            Role::Newer | Role::Candidate => "the newer end cannot be built".to_owned(),
            Role::Older => {
                "the older end cannot be built; give one that can, or a --build that knows it"
                    .to_owned()
            }
        });
        self.built |= made.is_ok();
        Ok(made)
    }

    fn kept(&mut self, commit: &Commit) -> anyhow::Result<Kept> {
        let state = self.state(commit)?;
        let mut captures = Vec::new();
        for number in 0..self.repeat {
            match self.plan.there(&state, number, self.context)? {
                There::Same(capture) => captures.push(*capture),
                There::Changed(why) => {
                    return Ok(Kept::Changed(format!(
                        "{} would be built again: {why}",
                        state.name
                    )));
                }
                There::Gone => return Ok(Kept::Gone),
            }
        }
        let subject = self.of_captures(commit, captures)?;
        Ok(Kept::Same(Box::new(subject)))
    }

    fn again(&mut self, commit: &Commit) -> anyhow::Result<Option<Subject>> {
        let capture = self.capture(commit, self.repeat)?;
        self.of_captures(commit, vec![capture]).map(Some)
    }

    fn judged(
        &mut self,
        commit: &Commit,
        command: &str,
    ) -> anyhow::Result<anyhow::Result<Option<i32>>> {
        own(self.exit_code(commit, command))
    }

    fn said(&self, error: &anyhow::Error) -> String {
        let last = error.root_cause().to_string();
        last.lines().next().unwrap_or_default().to_owned()
    }

    fn touched(&mut self, commit: &Commit) -> anyhow::Result<Vec<String>> {
        Ok(self.plan.repository().touched(commit)?)
    }
}

/// An error that is a commit's own goes inside; one that would stop any other commit too, outside.
fn own<T>(result: anyhow::Result<T>) -> anyhow::Result<anyhow::Result<T>> {
    match result {
        Err(error) if !is_own(&error) => Err(error),
        other => Ok(other),
    }
}

fn is_own(error: &anyhow::Error) -> bool {
    let of_revision = error
        .chain()
        .find_map(|cause| cause.downcast_ref::<RevisionError>());
    if let Some(error) = of_revision {
        return matches!(
            error,
            RevisionError::Submodule { .. }
                | RevisionError::Lfs { .. }
                | RevisionError::Filter { .. }
                | RevisionError::Subrepositories { .. }
                | RevisionError::Secret { .. }
        );
    }
    let of_build = error
        .chain()
        .find_map(|cause| cause.downcast_ref::<BuildError>());
    if of_build.is_some() {
        return matches!(Exit::of(error), Exit::Subject | Exit::Usage);
    }
    // The folder that the command was started in is not there.
    Exit::of(error) == Exit::Usage
}

/// A commit's name as people read it.
pub(crate) fn short(id: &str) -> &str {
    id.get(..12).unwrap_or(id)
}
