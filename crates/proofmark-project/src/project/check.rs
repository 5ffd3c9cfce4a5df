//! Benchmarks and claims mean something beside the rest of the file.

use std::collections::BTreeSet;

use super::Project;
use crate::definition::Problem;

/// Cells and benchmarks that claims name exist.
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
        for benchmark in claim.benchmarks.iter() {
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

/// The largest size of a scale. Evidence is canonical JSON (RFC 8785), whose integers end here, as
/// do those that a double, in which lines are fitted, tells apart: 2^53 − 1.
const LARGEST: u64 = (1 << 53) - 1;

/// Commands name the image; scales have values and are used.
pub(super) fn benchmarks(project: &Project) -> Result<(), Problem> {
    for (name, benchmark) in &project.benchmarks {
        let wrong = |key: &str, what: &str, next: &str| {
            Err(Problem {
                at: ["benchmark", name, key].map(str::to_owned).into(),
                what: what.to_owned(),
                next: Some(next.to_owned()),
            })
        };
        let options = project.cells.all.iter().find_map(|cell| {
            let name = cell.axes.options.as_deref()?;
            let options = project.definitions.options.get(name)?;
            (!options.args.is_empty()).then_some(name)
        });
        if let Some(options) = options.filter(|_| !benchmark.takes_arguments()) {
            let what = format!(
                "the arguments of program options `{options}` have no place in the command: the \
                 image is no word of its own in it"
            );
            return wrong("command", &what, "write {args} where they go");
        }
        let cwd = benchmark.cwd.as_ref().and_then(|cwd| cwd.to_str());
        if let Some(cwd) = cwd.filter(|cwd| *cwd == "fresh" || cwd.starts_with("fresh:")) {
            let what = format!(
                "`{cwd}` would be a copy of the folder for each run, which `compare --cwd` makes \
                 and a matrix does not"
            );
            return wrong(
                "cwd",
                &what,
                "make what runs need by `prepare`; a folder of that name is ./fresh",
            );
        }
        if let Some(beyond) = benchmark.values.iter().find(|value| **value > LARGEST) {
            let what = format!("the value {beyond} is beyond {LARGEST}, the largest size");
            return wrong("values", &what, "count in thousands, or in another unit");
        }
        let mut seen = BTreeSet::new();
        if let Some(twice) = benchmark.values.iter().find(|value| !seen.insert(**value)) {
            let what = format!("the value {twice} stands there twice");
            return wrong("values", &what, "each size is measured once");
        }
        if benchmark.output_filter.is_some() && benchmark.allow_output_difference {
            return wrong(
                "output_filter",
                "outputs that may differ are not compared, and so not filtered",
                "leave out `output_filter` or `allow_output_difference`",
            );
        }
        if !benchmark.names_image() {
            return wrong(
                "command",
                "the command does not run the image",
                "put {} where it goes",
            );
        }
        let Some(scale) = &benchmark.scale else {
            if !benchmark.values.is_empty() {
                return wrong(
                    "values",
                    "there are values and no `scale`",
                    "name it: scale = \"N\"",
                );
            }
            continue;
        };
        if scale == "args" {
            let what =
                "a scale cannot be called `args`: {args} are the arguments of program options";
            return wrong("scale", what, "give it another name, as in scale = \"N\"");
        }
        let mark = format!("{{{scale}}}");
        let used = (benchmark.command.iter().chain(benchmark.env.values()))
            .chain(&benchmark.stdin)
            .chain(&benchmark.prepare);
        if scale.is_empty() || !used.into_iter().any(|word| word.contains(&mark)) {
            let what = format!("the scale `{scale}` is not used");
            return wrong("scale", &what, &format!("put {mark} into the command"));
        }
        if benchmark.values.is_empty() {
            return wrong(
                "scale",
                "the scale has no values",
                "say them: values = [10, 20, 40]",
            );
        }
    }
    Ok(())
}
