//! Ideas with their names looked up: what each changes, and what it stands on.

use crate::definition::{IdeaDefinition, Problem};

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

impl Idea {
    /// The same problem at one of its keys.
    pub(crate) fn at(&self, key: &str, problem: Problem) -> Problem {
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

pub(super) fn idea(
    name: &str,
    candidate: Option<&str>,
    definition: IdeaDefinition,
) -> Result<Idea, Problem> {
    let at = [
        Some("idea"),
        Some(name),
        candidate.map(|_| "candidate"),
        candidate,
    ];
    let at: Vec<&str> = at.into_iter().flatten().collect();
    let full = candidate.map_or_else(|| name.to_owned(), |own| format!("{name}.{own}"));
    let idea = Idea {
        name: full,
        idea: name.to_owned(),
        definition,
        below: Vec::new(),
    };
    let changes = !idea.patches().is_empty()
        || idea.definition.rev.is_some()
        || idea.definition.tree.is_some()
        || !idea.flags().is_empty()
        || !idea.link().is_empty();
    if !changes {
        let what = format!("idea `{}` changes nothing", idea.name);
        return Err(Problem::new(&at, what)
            .next("say what it changes by `patch`, `rev`, `tree`, `flags`, `link` or `defines`"));
    }
    Ok(idea)
}

/// The idea that is meant by `NAME` or `NAME.CANDIDATE`.
///
/// # Errors
/// When there is none, or one with several candidates.
pub(super) fn named(all: &[Idea], asked: &str) -> Result<usize, Problem> {
    if let Some(at) = all.iter().position(|idea| idea.name == asked) {
        return Ok(at);
    }
    let candidates = all.iter().enumerate();
    let candidates: Vec<(usize, &Idea)> =
        candidates.filter(|(_, idea)| idea.idea == asked).collect();
    match candidates.as_slice() {
        [(only, _)] => Ok(*only),
        [] => {
            let what = format!("there is no idea `{asked}`");
            let known = all.iter().map(|idea| idea.name.as_str());
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
