//! All ideas and stacks of a project, with their names looked up.

use indexmap::IndexMap;

use super::idea::{Idea, idea, named};
use super::names::check_name;
use super::stack::{self, Stack};
use crate::definition::{IdeaDefinition, Problem, StackDefinition};

/// All ideas and stacks of a project.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Ideas {
    /// In the order of the file; an idea with candidates is its candidates.
    pub all: Vec<Idea>,
    /// In the order of the file.
    pub stacks: Vec<Stack>,
}

impl Ideas {
    /// Looks up what a file says.
    ///
    /// # Errors
    /// When a name is unknown, stands for two things or leads in a circle, or an idea or a stack
    /// says nothing: where, and what may have been meant.
    pub(crate) fn of(
        ideas: &IndexMap<String, IdeaDefinition>,
        stacks: &IndexMap<String, StackDefinition>,
    ) -> Result<Ideas, Problem> {
        let mut all: Vec<Idea> = Vec::new();
        for (name, definition) in ideas {
            check_name(&["idea", name], name, "an idea")?;
            if definition.candidate.is_empty() {
                all.push(idea(name, None, definition.clone())?);
            }
            for (candidate, own) in &definition.candidate {
                check_name(
                    &["idea", name, "candidate", candidate],
                    candidate,
                    "a candidate",
                )?;
                let full = definition.candidate_in_full(own);
                all.push(idea(name, Some(candidate), full)?);
            }
        }
        let mut found = Ideas {
            all,
            stacks: Vec::new(),
        };
        let below: Result<Vec<_>, _> = (0..found.all.len()).map(|at| found.below(at)).collect();
        for (idea, below) in found.all.iter_mut().zip(below?) {
            idea.below = below;
        }
        found.stacks = stack::all(stacks, &found.all)?;
        Ok(found)
    }

    /// The idea that is meant by `NAME` or `NAME.CANDIDATE`.
    ///
    /// # Errors
    /// When there is none, or one with several candidates.
    pub fn named(&self, asked: &str) -> Result<usize, Problem> {
        named(&self.all, asked)
    }

    /// All that an idea stands on, lowest first.
    fn below(&self, of: usize) -> Result<Vec<usize>, Problem> {
        let mut below = Vec::new();
        let mut way = vec![of];
        self.put_below(of, &mut way, &mut below)?;
        Ok(below)
    }

    fn put_below(
        &self,
        of: usize,
        way: &mut Vec<usize>,
        below: &mut Vec<usize>,
    ) -> Result<(), Problem> {
        let idea = &self.all[of];
        for name in idea.definition.on.iter().flat_map(|names| names.iter()) {
            let at = self.named(name).map_err(|problem| idea.at("on", problem))?;
            if way.contains(&at) {
                let mut names: Vec<&str> = way.iter().map(|at| &*self.all[*at].name).collect();
                names.push(&self.all[at].name);
                let what = format!(
                    "ideas stand on each other in a circle: {}",
                    names.join(" on ")
                );
                return Err(idea.at("on", Problem::new(&[], what)));
            }
            if self.all[at].idea == idea.idea {
                let what = format!(
                    "`{}` cannot stand on `{name}`, which is the same idea",
                    idea.name
                );
                return Err(idea.at("on", Problem::new(&[], what)));
            }
            if !below.contains(&at) {
                way.push(at);
                self.put_below(at, way, below)?;
                way.pop();
                below.push(at);
            }
        }
        Ok(())
    }
}
