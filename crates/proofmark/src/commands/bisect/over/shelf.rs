//! The builds of a line, each by the name of its state.

use anyhow::{Context as _, anyhow};
use proofmark_capture::ToolRole;
use proofmark_evidence::record::Axis;
use proofmark_lab::{Kept, LabError, Revisions, Role, Subject};
use proofmark_project::{BuildOutcome, BuiltCell, Made, Project};
use proofmark_terms::{Commit, Digest};

use super::line::{Line, State};
use crate::exit::Unbuilt;

/// The builds of a line.
#[derive(Debug)]
pub(super) struct Shelf {
    states: Vec<(Commit, Result<Subject, String>)>,
}

impl Shelf {
    /// The builds of a line's cells. A cell without a build says why.
    pub(super) fn of(project: &Project, line: &Line, built: &[BuiltCell]) -> anyhow::Result<Shelf> {
        let mut states: Vec<(Commit, Result<Subject, String>)> = Vec::new();
        for state in line.states() {
            let before = states.last().map(|(commit, _)| commit.id.clone());
            let cell = built.iter().find(|one| one.cell.name == state.cell.name);
            let cell = cell.with_context(|| format!("`{}` was not built", state.cell.name))?;
            let (tree, subject) = match &cell.outcome {
                BuildOutcome::Made(made) => (
                    made.capture.id.to_string(),
                    Ok(Subject::of_cell(&cell.cell, made)?),
                ),
                BuildOutcome::Failed(failure) => (
                    format!("no build of {}", state.word),
                    Err(failure.why.clone()),
                ),
            };
            states.push((
                Commit {
                    id: state.word.as_str().into(),
                    parents: before.into_iter().collect(),
                    tree: tree.into(),
                    author: String::new(),
                    date: String::new(),
                    subject: said(project, line, state, cell.made()),
                },
                subject,
            ));
        }
        Ok(Shelf { states })
    }

    /// The states, from end to end.
    pub(super) fn states(&self) -> impl Iterator<Item = Commit> {
        self.states.iter().map(|(state, _)| state.clone())
    }

    /// What all builds are: other ones are another search.
    pub(super) fn digest(&self) -> Digest {
        let mut hasher = blake3::Hasher::new();
        for (state, _) in &self.states {
            hasher.update(state.tree.as_bytes()).update(b"\0");
        }
        hasher.finalize().into()
    }
}

/// What a state is: the version of its toolchain, or its words for the compiler and the linker.
fn said(project: &Project, line: &Line, state: &State, made: Option<&Made>) -> String {
    if line.axis() == Axis::Flags {
        let sets = state.cell.axes.flags.iter();
        let sets = sets.filter_map(|name| project.definitions.flags.get(name));
        let words = sets.flat_map(|set| set.add.iter().chain(set.link.iter()));
        return words.cloned().collect::<Vec<String>>().join(" ");
    }
    let tools = made.map_or(&[][..], |made| made.capture.toolchain.as_slice());
    let of = |role: ToolRole| tools.iter().find(|tool| tool.role == role);
    let tool = of(ToolRole::Driver).or_else(|| of(ToolRole::Compiler));
    tool.map_or_else(String::new, |tool| tool.version.clone())
}

impl Revisions for Shelf {
    type Error = anyhow::Error;

    fn build(&mut self, state: &Commit, role: Role) -> anyhow::Result<anyhow::Result<Subject>> {
        let found = self.states.iter().find(|(one, _)| one.id == state.id);
        let (_, subject) = found.ok_or_else(|| anyhow!("`{}` is not on the line", state.id))?;
        let made = subject.as_ref().cloned();
        let made = made.map_err(|why| anyhow::Error::from(Unbuilt(why.clone())));
        Ok(match role {
            Role::Candidate => made,
            Role::Older | Role::Newer => made.with_context(|| {
                format!(
                    "`{}` is an end and has no build: name another one by --good or --bad",
                    state.id
                )
            }),
        })
    }

    fn kept(&mut self, state: &Commit) -> anyhow::Result<Kept> {
        // They were all looked at, and made where that was wanted, before anything was asked.
        let made = self.build(state, Role::Candidate)?;
        Ok(made.map_or(Kept::Gone, |subject| Kept::Same(Box::new(subject))))
    }

    fn again(&mut self, _state: &Commit) -> anyhow::Result<Option<Subject>> {
        Ok(None)
    }

    fn judged(
        &mut self,
        _state: &Commit,
        _command: &str,
    ) -> anyhow::Result<anyhow::Result<Option<i32>>> {
        Err(LabError::Fault("a line of builds has no script".to_owned()).into())
    }

    fn said(&self, error: &anyhow::Error) -> String {
        let last = error.root_cause().to_string();
        last.lines().next().unwrap_or_default().to_owned()
    }

    fn touched(&mut self, _state: &Commit) -> anyhow::Result<Vec<String>> {
        Ok(Vec::new())
    }
}
