//! Benchmarks and claims mean something beside the rest of the file.

use std::collections::BTreeSet;

use super::Project;
use crate::definition::{BenchmarkDefinition, Problem};
use crate::ledger::{LedgerPlan, check_ledger_name};

/// Cells and benchmarks that claims name exist, each benchmark once.
pub(super) fn claims(project: &Project) -> Result<(), Problem> {
    for (name, claim) in &project.claims {
        for (key, cell) in [("new", Some(&claim.new)), ("base", claim.base.as_ref())] {
            if let Some(cell) = cell {
                project.cells.named(cell).map_err(|problem| Problem {
                    at: ["claim", name, key].map(str::to_owned).into(),
                    ..problem
                })?;
            }
        }
        let cell = |name: &str| project.cells.find(name).map(|cell| &cell.name);
        if claim.base.as_deref().and_then(cell) == cell(&claim.new) && claim.base.is_some() {
            return Err(Problem {
                at: ["claim", name, "base"].map(str::to_owned).into(),
                what: format!("the claim holds `{}` against itself", claim.new),
                next: None,
            });
        }
        let mut named = BTreeSet::new();
        for benchmark in claim.benchmarks.iter() {
            if !named.insert(benchmark) {
                return Err(Problem {
                    at: ["claim", name, "benchmarks"].map(str::to_owned).into(),
                    what: format!("the benchmark `{benchmark}` is named twice, and counts once"),
                    next: None,
                });
            }
            if !project.benchmarks.contains_key(benchmark) {
                let known = project.benchmarks.keys().map(String::as_str);
                return Err(Problem {
                    at: ["claim", name, "benchmarks"].map(str::to_owned).into(),
                    what: format!("there is no benchmark `{benchmark}`"),
                    next: None,
                }
                .among(benchmark, known));
            }
        }
    }
    Ok(())
}

/// The ledger's base is a cell, its name a name, and flags of ideas reach the build.
pub(super) fn ledger(project: &Project) -> Result<(), Problem> {
    if let Some(name) = &project.ledger.name {
        check_ledger_name(name)?;
    }
    project.ledger_base()?;
    let stacks = project.ideas.stacks.iter().map(|stack| &stack.name);
    let all: Vec<String> = (project.ideas.all.iter().map(|idea| &idea.name))
        .chain(stacks)
        .cloned()
        .collect();
    let plan = LedgerPlan::of(&project.ideas, &all)?;
    plan.project(project, &project.ideas).map(drop)
}

/// The largest size of a scale. Evidence is canonical JSON (RFC 8785), whose integers end here, as
/// do those that a double, in which lines are fitted, tells apart: 2^53 − 1.
const LARGEST: u64 = (1 << 53) - 1;

/// Commands name the image; scales have values and are used.
pub(super) fn benchmarks(project: &Project) -> Result<(), Problem> {
    for (name, benchmark) in &project.benchmarks {
        let checked = Checked { name, benchmark };
        checked.takes_arguments(project)?;
        checked.cwd()?;
        checked.values()?;
        checked.output()?;
        checked.guard()?;
        checked.names_image()?;
        checked.scale()?;
    }
    Ok(())
}

/// Gates can be carried out as they are written.
pub(super) fn gates(project: &Project) -> Result<(), Problem> {
    for (name, gate) in &project.gates {
        let problem = |key: &str, what: String, next: &str| Problem {
            at: ["gate", name, key].map(str::to_owned).into(),
            what,
            next: Some(next.to_owned()),
        };
        if let Some((key, what, next)) = gate.wrong() {
            return Err(problem(key, what.to_owned(), next));
        }
        if let Some(options) = with_arguments(project).filter(|_| !gate.takes_arguments()) {
            let what = format!(
                "the arguments of program options `{options}` have no place in the command: it \
                 would judge another run than the one that is timed"
            );
            return Err(problem("command", what, "write {args} where they go"));
        }
    }
    Ok(())
}

/// Program options of a cell that have arguments, if there are any.
fn with_arguments(project: &Project) -> Option<&str> {
    project.cells.all.iter().find_map(|cell| {
        let name = cell.axes.options.as_deref()?;
        let options = project.definitions.options.get(name)?;
        (!options.args.is_empty()).then_some(name)
    })
}

/// A benchmark that is being checked.
struct Checked<'a> {
    name: &'a str,
    benchmark: &'a BenchmarkDefinition,
}

impl Checked<'_> {
    fn wrong(&self, key: &str, what: impl Into<String>, next: &str) -> Result<(), Problem> {
        Err(Problem {
            at: ["benchmark", self.name, key].map(str::to_owned).into(),
            what: what.into(),
            next: Some(next.to_owned()),
        })
    }

    /// Arguments of program options have a place in the command.
    fn takes_arguments(&self, project: &Project) -> Result<(), Problem> {
        let takes = self.benchmark.takes_arguments();
        let Some(options) = with_arguments(project).filter(|_| !takes) else {
            return Ok(());
        };
        let what = format!(
            "the arguments of program options `{options}` have no place in the command: the image \
             is no word of its own in it"
        );
        self.wrong("command", what, "write {args} where they go")
    }

    fn cwd(&self) -> Result<(), Problem> {
        let cwd = self.benchmark.cwd.as_ref().and_then(|cwd| cwd.to_str());
        let Some(cwd) = cwd.filter(|cwd| *cwd == "fresh" || cwd.starts_with("fresh:")) else {
            return Ok(());
        };
        let what = format!(
            "`{cwd}` would be a copy of the folder for each run, which `compare --cwd` makes and a \
             matrix does not"
        );
        let next = "make what runs need by `prepare`; a folder of that name is ./fresh";
        self.wrong("cwd", what, next)
    }

    /// Sizes can be kept and told apart.
    fn values(&self) -> Result<(), Problem> {
        let values = &self.benchmark.values;
        if let Some(beyond) = values.iter().find(|value| **value > LARGEST) {
            let what = format!("the value {beyond} is beyond {LARGEST}, the largest size");
            return self.wrong("values", what, "count in thousands, or in another unit");
        }
        let mut seen = BTreeSet::new();
        if let Some(twice) = values.iter().find(|value| !seen.insert(**value)) {
            let what = format!("the value {twice} stands there twice");
            return self.wrong("values", what, "each size is measured once");
        }
        Ok(())
    }

    fn output(&self) -> Result<(), Problem> {
        if self.benchmark.output_filter.is_none() || !self.benchmark.allow_output_difference {
            return Ok(());
        }
        self.wrong(
            "output_filter",
            "outputs that may differ are not compared, and so not filtered",
            "leave out `output_filter` or `allow_output_difference`",
        )
    }

    /// A guard is in no mean.
    fn guard(&self) -> Result<(), Problem> {
        if self.benchmark.guard.is_none() || self.benchmark.group.is_none() {
            return Ok(());
        }
        let what = "a guard is in no mean, and a group is one";
        self.wrong("guard", what, "leave out `group` or `guard`")
    }

    fn names_image(&self) -> Result<(), Problem> {
        if self.benchmark.names_image() {
            return Ok(());
        }
        let what = "the command does not run the image";
        self.wrong("command", what, "put {} where it goes")
    }

    /// A scale has a name of its own, values, and a place in the command.
    fn scale(&self) -> Result<(), Problem> {
        let benchmark = self.benchmark;
        let Some(scale) = &benchmark.scale else {
            if benchmark.values.is_empty() {
                return Ok(());
            }
            let what = "there are values and no `scale`";
            return self.wrong("values", what, "name it: scale = \"N\"");
        };
        if scale == "args" {
            let what =
                "a scale cannot be called `args`: {args} are the arguments of program options";
            return self.wrong("scale", what, "give it another name, as in scale = \"N\"");
        }
        let mark = format!("{{{scale}}}");
        let used = (benchmark.command.iter().chain(benchmark.env.values()))
            .chain(&benchmark.stdin)
            .chain(&benchmark.setup)
            .chain(&benchmark.prepare);
        if scale.is_empty() || !used.into_iter().any(|word| word.contains(&mark)) {
            let what = format!("the scale `{scale}` is not used");
            return self.wrong("scale", what, &format!("put {mark} into the command"));
        }
        if benchmark.values.is_empty() {
            let what = "the scale has no values";
            return self.wrong("scale", what, "say them: values = [10, 20, 40]");
        }
        Ok(())
    }
}
