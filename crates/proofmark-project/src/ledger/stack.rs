//! Stacks of ideas with their names looked up.

use indexmap::IndexMap;

use super::idea::{Idea, named};
use super::names::check_name;
use crate::definition::{Problem, StackDefinition};

/// Ideas on top of one another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stack {
    /// Its name.
    pub name: String,
    /// Indices of its ideas, lowest first.
    pub ideas: Vec<usize>,
}

pub(super) fn all(
    stacks: &IndexMap<String, StackDefinition>,
    ideas: &[Idea],
) -> Result<Vec<Stack>, Problem> {
    let stacks = stacks.iter();
    stacks.map(|(name, of)| stack(name, of, ideas)).collect()
}

fn stack(name: &str, of: &StackDefinition, ideas: &[Idea]) -> Result<Stack, Problem> {
    check_name(&["stack", name], name, "a stack")?;
    if ideas.iter().any(|idea| idea.idea == name) {
        let what = format!("`{name}` names an idea and a stack");
        let next = "builds are called by these words: give one of them another name";
        return Err(Problem::new(&["stack", name], what).next(next));
    }
    if of.ideas.is_empty() {
        let what = format!("stack `{name}` is empty");
        return Err(Problem::new(&["stack", name], what)
            .next("say the ideas in their order: ideas = [\"one\", \"two\"]"));
    }
    let mut found: Vec<usize> = Vec::new();
    for (place, asked) in of.ideas.iter().enumerate() {
        let at = ["stack", name, "ideas", &place.to_string()].map(str::to_owned);
        let wrong = |problem: Problem| Problem {
            at: at.to_vec(),
            ..problem
        };
        let idea = named(ideas, asked).map_err(wrong)?;
        let same = |known: &&usize| ideas[**known].idea == ideas[idea].idea;
        if let Some(known) = found.iter().find(same) {
            let (one, other) = (&ideas[*known].name, &ideas[idea].name);
            let what = match known == &idea {
                true => format!("stack `{name}` has `{one}` twice"),
                false => {
                    format!("stack `{name}` has two candidates of one idea: `{one}` and `{other}`")
                }
            };
            return Err(wrong(Problem::new(&[], what)));
        }
        let mut below = ideas[idea].below.iter();
        if let Some(lacking) = below.find(|below| !found.contains(below)) {
            let lacking = &ideas[*lacking].name;
            let what = format!(
                "in stack `{name}`, `{}` stands on `{lacking}`, which is not below it",
                ideas[idea].name
            );
            return Err(wrong(Problem::new(&[], what)).next(format!("put `{lacking}` before it")));
        }
        found.push(idea);
    }
    Ok(Stack {
        name: name.to_owned(),
        ideas: found,
    })
}
