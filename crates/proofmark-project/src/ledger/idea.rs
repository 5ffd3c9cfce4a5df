//! Ideas with their names looked up: what each changes, and what it stands on.

use indexmap::IndexMap;

use super::stack::{self, Stack};
use crate::definition::{IdeaDefinition, Problem, StackDefinition};

/// One way to carry an idea out.
#[derive(Clone, Debug, PartialEq)]
pub struct Idea {
    /// `NAME`, or `NAME.CANDIDATE`.
    pub name: String,
    /// The idea's own name.
    pub idea: String,
    /// What the file says of it, complete.
    pub definition: IdeaDefinition,
    /// Indices of those that it stands on, in the order in which they are put on base: with all
    /// that these stand on.
    pub below: Vec<usize>,
}

/// All ideas and stacks of a project.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Ideas {
    /// In the order of the file; an idea with candidates is its candidates.
    pub all: Vec<Idea>,
    /// In the order of the file.
    pub stacks: Vec<Stack>,
}

/// What no name of an idea holds.
const TAKEN: [char; 5] = ['.', '*', '/', '=', '`'];

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
        found.stacks = stack::all(stacks, &found)?;
        Ok(found)
    }

    /// The idea that is meant by `NAME` or `NAME.CANDIDATE`.
    ///
    /// # Errors
    /// When there is none, or one with several candidates.
    pub fn named(&self, asked: &str) -> Result<usize, Problem> {
        if let Some(at) = self.all.iter().position(|idea| idea.name == asked) {
            return Ok(at);
        }
        let candidates = self.all.iter().enumerate();
        let candidates: Vec<(usize, &Idea)> =
            candidates.filter(|(_, idea)| idea.idea == asked).collect();
        match candidates.as_slice() {
            [(only, _)] => Ok(*only),
            [] => {
                let what = format!("there is no idea `{asked}`");
                let known = self.all.iter().map(|idea| idea.name.as_str());
                Err(Problem::new(&[], what).among(asked, known))
            }
            several => {
                let names: Vec<String> = several
                    .iter()
                    .map(|(_, idea)| format!("`{}`", idea.name))
                    .collect();
                let what = format!("idea `{asked}` has several candidates");
                Err(Problem::new(&[], what).next(format!("say which: {}", names.join(" or "))))
            }
        }
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

impl Idea {
    /// The same problem at one of its keys.
    fn at(&self, key: &str, problem: Problem) -> Problem {
        Problem {
            at: ["idea", &self.idea, key].map(str::to_owned).into(),
            ..problem
        }
    }

    /// Words that it adds to `{flags}`: its flags, then its macros.
    #[must_use]
    pub fn flags(&self) -> Vec<String> {
        let flags = self.definition.flags.iter().flat_map(|words| words.iter());
        let defines = self
            .definition
            .defines
            .iter()
            .flat_map(|names| names.iter());
        let defines = defines.map(|define| format!("-D{define}"));
        flags.cloned().chain(defines).collect()
    }

    /// Words that it adds to `{ldflags}`.
    #[must_use]
    pub fn link(&self) -> Vec<String> {
        let link = self.definition.link.iter().flat_map(|words| words.iter());
        link.cloned().collect()
    }

    /// Its patches, relative to the project's folder.
    #[must_use]
    pub fn patches(&self) -> Vec<String> {
        let patches = self.definition.patch.iter().flat_map(|names| names.iter());
        patches.cloned().collect()
    }
}

fn idea(name: &str, candidate: Option<&str>, definition: IdeaDefinition) -> Result<Idea, Problem> {
    let at = [
        Some("idea"),
        Some(name),
        candidate.map(|_| "candidate"),
        candidate,
    ];
    let at: Vec<&str> = at.into_iter().flatten().collect();
    let full = candidate.map_or_else(|| name.to_owned(), |own| format!("{name}.{own}"));
    if definition.tree.is_some() {
        let what = format!("idea `{full}` changes files that are read and not built");
        return Err(Problem::new(&at, what).next(
            "a ledger measures no trees yet: hold it against base by \
             `proofmark compare --tree OLD --tree NEW`",
        ));
    }
    let idea = Idea {
        name: full,
        idea: name.to_owned(),
        definition,
        below: Vec::new(),
    };
    let changes = !idea.patches().is_empty()
        || idea.definition.rev.is_some()
        || !idea.flags().is_empty()
        || !idea.link().is_empty();
    if !changes {
        let what = format!("idea `{}` changes nothing", idea.name);
        return Err(Problem::new(&at, what)
            .next("say what it changes by `patch`, `rev`, `flags`, `link` or `defines`"));
    }
    Ok(idea)
}

/// Names of ideas, candidates and stacks are single words that no other name is made of.
pub(super) fn check_name(at: &[&str], name: &str, kind: &str) -> Result<(), Problem> {
    let strange = |c: char| c.is_whitespace() || c.is_control() || TAKEN.contains(&c);
    if name.is_empty() || name.starts_with('-') || name.contains(strange) {
        let what = format!("`{name}` is no name for {kind}");
        return Err(Problem::new(at, what)
            .next("take one word without `.`, `*`, `/` and `=`, which does not begin with `-`"));
    }
    if name == super::BASE {
        let what = format!("{kind} cannot be called `{name}`: that is what ideas are put on");
        return Err(Problem::new(at, what).next("give it another name"));
    }
    Ok(())
}
