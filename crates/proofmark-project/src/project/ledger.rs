//! The builds of a ledger as the cells of a project: what builds a matrix then builds them.

use indexmap::IndexMap;

use super::Project;
use crate::cells::{Axes, Cell, Cells};
use crate::definition::{FlagSet, Names, Problem, ShellWords, SourceDefinition, TreeInstead};
use crate::ledger::{Idea, Ideas, LedgerPlan};

impl LedgerPlan {
    /// The project whose cells are the builds of this plan, base being the only baseline. It has no
    /// claims, and asks nothing of machine code.
    ///
    /// # Errors
    /// When flags of an idea have no place in the build's command.
    pub fn project(&self, of: &Project, ideas: &Ideas) -> Result<Project, Problem> {
        let base = of.ledger_base()?;
        let mut project = of.clone();
        project.claims = IndexMap::new();
        project.definitions.matrix.facts.clear();
        project.definitions.matrix.expectations = None;
        let mut cells = Vec::new();
        for build in &self.builds {
            let axes = axes(&mut project, &base.axes, &build.ideas, ideas)?;
            cells.push(Cell {
                name: build.name.clone(),
                axes,
                baseline: cells.is_empty(),
            });
        }
        project.cells = Cells {
            all: cells,
            baselines: vec![0],
        };
        Ok(project)
    }
}

impl Project {
    /// The cell that ideas are put on.
    ///
    /// # Errors
    /// When there is none of the name that `[ledger]` says.
    pub fn ledger_base(&self) -> Result<&Cell, Problem> {
        if let Some(base) = &self.ledger.base {
            let found = self.cells.named(base);
            return found.map_err(|problem| Problem {
                at: ["ledger", "base"].map(str::to_owned).into(),
                ..problem
            });
        }
        let main = self.cells.baselines.first().copied().unwrap_or_default();
        let main = self.cells.all.get(main);
        main.ok_or_else(|| Problem::new(&["matrix"], "the matrix has no cells"))
    }

    /// The ledger's name in the store: what the file says, or else the name of its folder.
    #[must_use]
    pub fn ledger_name(&self) -> String {
        let folder = self.folder.file_name();
        let folder = folder.map(|name| name.to_string_lossy().into_owned());
        let said = self.ledger.name.clone();
        said.or(folder).unwrap_or_else(|| "ledger".to_owned())
    }
}

/// What a build is made of, with a source and a flag set of its own where it needs them.
fn axes(project: &mut Project, base: &Axes, on: &[usize], ideas: &Ideas) -> Result<Axes, Problem> {
    let mut axes = base.clone();
    let on = || on.iter().map(|at| &ideas.all[*at]);
    let names: Vec<&str> = on().map(|idea| idea.name.as_str()).collect();
    let called = format!("{}+{}", base.source, names.join("+"));
    let added: Vec<String> = on().flat_map(Idea::patches).collect();
    let rev = on().find_map(|idea| idea.definition.rev.clone());
    let tree = on().find(|idea| idea.definition.tree.is_some());
    if let Some(idea) = tree
        && !project.definitions.has_tree(&base.source)
    {
        let what = format!(
            "idea `{}` has a folder in place of the one that runs of base read, and source `{}` \
             has none",
            idea.name, base.source
        );
        let next = format!(
            "say which folder it is: tree = \"DIR\" in [source.{}]",
            base.source
        );
        return Err(idea.at("tree", Problem::new(&[], what)).next(next));
    }
    if !added.is_empty() || rev.is_some() || tree.is_some() {
        let mut patches = project.definitions.patches(&base.source);
        let instead = tree.and_then(|idea| idea.definition.tree.clone());
        let tree_instead = instead.map(|folder| TreeInstead {
            folder,
            after: patches.len(),
        });
        patches.extend(added);
        let source = SourceDefinition {
            from: Some(base.source.clone()),
            patch: Some(Names(patches)),
            rev,
            tree_instead,
            ..SourceDefinition::default()
        };
        axes.source = added_to(&mut project.definitions.sources, &called, source);
    }
    let set = FlagSet {
        add: ShellWords(on().flat_map(Idea::flags).collect()),
        link: ShellWords(on().flat_map(Idea::link).collect()),
        ..FlagSet::default()
    };
    let command = project
        .definitions
        .build_command(&base.source)
        .unwrap_or_default();
    for (mark, words) in [("{flags}", &set.add), ("{ldflags}", &set.link)] {
        if !words.is_empty() && !command.contains(mark) {
            let what = format!(
                "the build of `{}` has no {mark}, and so `{}` of {} does not reach it",
                base.source,
                words.join(" "),
                names.join(" and "),
            );
            let next = format!("write {mark} where its options go, as in CFLAGS='{mark}'");
            return Err(Problem::new(&["source", &base.source, "build"], what).next(next));
        }
    }
    if !set.add.is_empty() || !set.link.is_empty() {
        let name = added_to(&mut project.definitions.flags, &called, set);
        axes.flags.push(name);
    }
    Ok(axes)
}

/// Adds what ideas make of base, by this name or, where that means something else already, by one
/// that is longer. Gives the name.
fn added_to<T: PartialEq>(all: &mut IndexMap<String, T>, called: &str, made: T) -> String {
    let mut name = called.to_owned();
    while all.get(&name).is_some_and(|there| *there != made) {
        name.push('+');
    }
    all.insert(name.clone(), made);
    name
}
