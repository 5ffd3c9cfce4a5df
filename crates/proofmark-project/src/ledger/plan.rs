//! Which builds a ledger measures side by side, and which figure is the difference of which.

use super::build::{Builds, LedgerBuild, put_on};
use super::idea::Idea;
use super::ideas::Ideas;
use super::names::{BASE, BASE_AGAIN};
use super::stack::Stack;
use crate::definition::{IdeaDefinition, Problem};

/// Everything that one run of a ledger measures.
#[derive(Clone, Debug, PartialEq)]
pub struct LedgerPlan {
    /// Base first, then base again, then the others.
    pub builds: Vec<LedgerBuild>,
    /// The ideas that are measured alone.
    pub ideas: Vec<PlannedIdea>,
    /// The stacks.
    pub stacks: Vec<PlannedStack>,
}

/// An idea on what it stands on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlannedIdea {
    /// Its index among the ideas.
    pub idea: usize,
    /// The build that has it.
    pub with: usize,
    /// The build that it is held against: base, with what it stands on.
    pub against: usize,
}

/// A stack.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlannedStack {
    /// Its name.
    pub name: String,
    /// The build that has all of its ideas.
    pub full: usize,
    /// Its ideas, lowest first.
    pub places: Vec<PlannedPlace>,
}

/// An idea in a stack.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlannedPlace {
    /// Its index among the ideas.
    pub idea: usize,
    /// The build with the stack up to it.
    pub with: usize,
    /// The build with the stack below it.
    pub below: usize,
    /// The build with the stack but for it, and for what stands on it.
    pub without: usize,
    /// Indices of the ideas that stand on it, and are left out with it.
    pub gone_too: Vec<usize>,
}

impl LedgerPlan {
    /// Plans for these ideas and stacks, each by name; an idea with candidates stands for all of
    /// them. Ideas of a stack are measured alone too.
    ///
    /// # Errors
    /// When a name is of no idea and of no stack, or a build would have two revisions.
    pub fn of(ideas: &Ideas, asked: &[String]) -> Result<LedgerPlan, Problem> {
        let mut alone: Vec<usize> = Vec::new();
        let mut stacks = Vec::new();
        for name in asked {
            if let Some(stack) = ideas.stacks.iter().find(|stack| stack.name == *name) {
                stacks.push(stack);
                alone.extend(&stack.ideas);
                continue;
            }
            let all = ideas.all.iter().enumerate();
            let meant = all.filter(|(_, idea)| idea.name == *name || idea.idea == *name);
            let meant: Vec<usize> = meant.map(|(at, _)| at).collect();
            if meant.is_empty() {
                let known = ideas.all.iter().map(|idea| idea.name.as_str());
                let known = known.chain(ideas.stacks.iter().map(|stack| stack.name.as_str()));
                let what = format!("there is no idea and no stack `{name}`");
                return Err(Problem::new(&["idea"], what).among(name, known));
            }
            alone.extend(meant);
        }
        alone.sort_unstable();
        alone.dedup();
        stacks.dedup_by_key(|stack| &stack.name);
        let plan = LedgerPlan::of_these(ideas, &alone, &stacks);
        plan.check(ideas)?;
        Ok(plan)
    }

    /// Plans for one idea and what it is held against, which is the first build; or for a stack as
    /// a whole, held against base, which is then an idea of its own among the others.
    ///
    /// # Errors
    /// When there is no idea and no stack of this name, or an idea has several candidates.
    pub fn of_one(ideas: &mut Ideas, asked: &str) -> Result<LedgerPlan, Problem> {
        let stack = ideas.stacks.iter().find(|stack| stack.name == asked);
        let (idea, against, below) = match stack.cloned() {
            Some(stack) => (whole(ideas, &stack), BASE.to_owned(), Vec::new()),
            None => {
                let idea = ideas.named(asked)?;
                let Idea { name, below, .. } = &ideas.all[idea];
                let against = match below.as_slice() {
                    [] => BASE.to_owned(),
                    _ => format!("{name} without it"),
                };
                (idea, against, below.clone())
            }
        };
        let name = ideas.all[idea].name.clone();
        let builds = [(against, below), (name, put_on(ideas, &[idea]))];
        let builds = builds.map(|(name, ideas)| LedgerBuild { name, ideas });
        let plan = LedgerPlan {
            builds: builds.into(),
            ideas: vec![PlannedIdea {
                idea,
                with: 1,
                against: 0,
            }],
            stacks: Vec::new(),
        };
        plan.check(ideas)?;
        Ok(plan)
    }

    fn of_these(ideas: &Ideas, alone: &[usize], stacks: &[&Stack]) -> LedgerPlan {
        let mut builds = Builds::default();
        builds.place(|| BASE.to_owned(), Vec::new());
        builds.all.push(LedgerBuild {
            name: BASE_AGAIN.to_owned(),
            ideas: Vec::new(),
        });
        let name = |at: usize| ideas.all[at].name.clone();
        let alone = alone.iter().map(|&idea| PlannedIdea {
            idea,
            with: builds.place(|| name(idea), put_on(ideas, &[idea])),
            against: builds.place(
                || format!("{} without it", name(idea)),
                ideas.all[idea].below.clone(),
            ),
        });
        let ideas_alone: Vec<PlannedIdea> = alone.collect();
        let stacks = stacks.iter().map(|stack| PlannedStack {
            name: stack.name.clone(),
            full: builds.place(|| stack.name.clone(), put_on(ideas, &stack.ideas)),
            places: (0..stack.ideas.len())
                .map(|place| planned_place(ideas, stack, place, &mut builds))
                .collect(),
        });
        let stacks = stacks.collect();
        LedgerPlan {
            builds: builds.all,
            ideas: ideas_alone,
            stacks,
        }
    }

    /// No build has two revisions, or two folders in the place of its tree.
    fn check(&self, ideas: &Ideas) -> Result<(), Problem> {
        for build in &self.builds {
            let with = |has: fn(&IdeaDefinition) -> bool| -> Vec<&str> {
                let of = build.ideas.iter().map(|at| &ideas.all[*at]);
                let of = of.filter(|idea| has(&idea.definition));
                of.map(|idea| idea.name.as_str()).collect()
            };
            let name = &build.name;
            if let [one, other, ..] = with(|idea| idea.rev.is_some()).as_slice() {
                let what = format!(
                    "`{name}` would have two revisions of the sources, those of `{one}` and `{other}`"
                );
                return Err(Problem::new(&["idea"], what)
                    .next("make a patch of one of them: git diff BASE REVISION"));
            }
            if let [one, other, ..] = with(|idea| idea.tree.is_some()).as_slice() {
                let what = format!(
                    "`{name}` would have two folders in place of base's tree, those of `{one}` and \
                     `{other}`"
                );
                return Err(Problem::new(&["idea", other, "tree"], what)
                    .next("make patches of them: git diff --no-index BASE FOLDER"));
            }
        }
        Ok(())
    }
}

/// All of a stack as one idea that changes nothing by itself and stands on the others; it is added
/// to them, and its index given back.
fn whole(ideas: &mut Ideas, stack: &Stack) -> usize {
    let below = put_on(ideas, &stack.ideas);
    ideas.all.push(Idea {
        name: stack.name.clone(),
        idea: stack.name.clone(),
        definition: IdeaDefinition::default(),
        below,
    });
    ideas.all.len() - 1
}

fn planned_place(ideas: &Ideas, stack: &Stack, place: usize, builds: &mut Builds) -> PlannedPlace {
    let idea = stack.ideas[place];
    let name = &ideas.all[idea].name;
    let gone_too: Vec<usize> = stack
        .ideas
        .iter()
        .copied()
        .filter(|other| ideas.all[*other].below.contains(&idea))
        .collect();
    let stays = |other: &usize| *other != idea && !gone_too.contains(other);
    let left: Vec<usize> = stack.ideas.iter().copied().filter(stays).collect();
    let up_to = |count: usize| put_on(ideas, &stack.ideas[..count]);
    PlannedPlace {
        idea,
        with: builds.place(|| format!("{} up to {name}", stack.name), up_to(place + 1)),
        below: builds.place(|| format!("{} below {name}", stack.name), up_to(place)),
        without: builds.place(
            || format!("{} without {name}", stack.name),
            put_on(ideas, &left),
        ),
        gone_too,
    }
}
