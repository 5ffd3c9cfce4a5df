//! `matrix build`, and the first half of `matrix run`: packages are installed, and the builds that
//! are missing are made.

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::PoisonError;

use anyhow::Context as _;
use clap::Args;
use proofmark_lab::LabError;
use proofmark_measure::Interrupt;
use proofmark_project::{BuildObserver, BuildOutcome, BuiltCell, Cell};
use proofmark_project::{Making, Project, Toolchains};
use proofmark_report::built::{self, BuiltView};

use crate::commands::project;
use crate::console;
use crate::context::Context;
use crate::exit::Exit;
use crate::progress::Progress;
use crate::shown;

/// How builds are made.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct BuildArgs {
    /// Builds made at a time [default: as many as there are cores; 2 with `{jobs}` in a command]
    #[arg(short, long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    jobs: Option<u16>,

    /// Install no packages; compilers are made from their sources all the same
    #[arg(long)]
    offline: bool,
}

impl BuildArgs {
    /// As many builds at a time as there are cores.
    pub(crate) fn new(offline: bool) -> Self {
        BuildArgs {
            jobs: None,
            offline,
        }
    }

    /// Builds made at a time, where that is said.
    pub(super) fn jobs(&self) -> Option<usize> {
        self.jobs.map(usize::from)
    }
}

pub(super) fn run(
    args: &BuildArgs,
    project: &Project,
    json: bool,
    context: &Context,
) -> anyhow::Result<Exit> {
    context.catch_signals()?;
    let made = builds(args, project, context)?;
    let view = shown::built::built(&made);
    if json {
        console::print_json(&built::json(&view))?;
    } else {
        console::print(&built::terminal(&view, &context.style))?;
    }
    Ok(exit(&made))
}

/// The code for builds of which some failed: the machine's fault where only toolchains are, the
/// builds' otherwise.
pub(crate) fn exit(built: &[BuiltCell]) -> Exit {
    let failed = built.iter().filter_map(|cell| match &cell.outcome {
        BuildOutcome::Failed(failure) => Some(failure.toolchain),
        BuildOutcome::Made(_) => None,
    });
    let failed: Vec<bool> = failed.collect();
    match failed.as_slice() {
        [] => Exit::Done,
        all if all.iter().all(|toolchain| *toolchain) => Exit::Machine,
        _ => Exit::Subject,
    }
}

/// Every cell with its build, made where it is missing. A cell that cannot be built says why; the
/// others go on.
///
/// # Errors
/// When the folder cannot be used, or the user interrupts.
pub(crate) fn builds(
    args: &BuildArgs,
    project: &Project,
    context: &Context,
) -> anyhow::Result<Vec<BuiltCell>> {
    context.refuse_store_around(Some(&project.folder))?;
    let watch = Watch {
        progress: Progress::new(context.watched, context.errors, false),
        stop: context.stop.clone(),
        under_way: Mutex::new(Vec::new()),
    };
    let workshop = project::workshop(project, context)?;
    install(project, args.offline, context, &watch)?;
    let plan = workshop.plan();
    let built = workshop.build(&plan, args.jobs(), &watch);
    watch.progress.clear();
    if context.stop.requested() {
        return Err(LabError::Interrupted.into());
    }
    let built = built?;
    say_not_copied(&built);
    say_displaced(&built);
    Ok(built)
}

/// Says why cells may be other builds than their names say: whoever reads figures believes these.
pub(crate) fn say_doubts(built: &[BuiltCell]) {
    say_doubts_of(&shown::built::built(built));
}

/// The same of ideas, of which each says itself that it is the same program as another one.
pub(crate) fn say_doubts_of_ideas(built: &[BuiltCell]) {
    say_doubts_of(&BuiltView {
        identical: Vec::new(),
        ..shown::built::built(built)
    });
}

fn say_doubts_of(built: &BuiltView) {
    for doubt in built::doubts(built) {
        console::say(&format!("proofmark: {doubt}"));
    }
}

/// Says which files the user's own builds find, and those of the cells did not.
fn say_not_copied(built: &[BuiltCell]) {
    let mut of_files: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    for (cell, made) in (built.iter()).filter_map(|cell| Some((cell, cell.made()?))) {
        for file in &made.not_copied {
            of_files
                .entry(file.display().into_owned())
                .or_default()
                .push(&cell.cell.name);
        }
    }
    for (file, cells) in of_files {
        console::say(&built::not_copied(&cells.join(", "), &file));
    }
}

/// Says which patches went in elsewhere than where they were made for, each time: what is measured
/// may be another change.
fn say_displaced(built: &[BuiltCell]) {
    let mut cells: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for (cell, made) in (built.iter()).filter_map(|cell| Some((cell, cell.made()?))) {
        for what in &made.displaced {
            cells.entry(what).or_default().push(&cell.cell.name);
        }
    }
    for (what, cells) in cells {
        console::say(&built::displaced(&cells.join(", "), what));
    }
}

/// Installs what the matrix needs, and makes compilers from their sources. What cannot be had is
/// said by the cells that need it.
fn install(
    project: &Project,
    offline: bool,
    context: &Context,
    watch: &Watch,
) -> anyhow::Result<()> {
    let toolchains = Toolchains::open(&context.folder).of_file(&project.file);
    let shim_program = std::env::current_exe().context("cannot tell where this program is")?;
    let making = Making {
        shim_program: &shim_program,
        stopped: &|| watch.stopped(),
    };
    let mut seen: Vec<&str> = Vec::new();
    for cell in &project.cells.all {
        let name = cell.axes.toolchain.as_str();
        if seen.contains(&name) || context.stop.requested() {
            continue;
        }
        seen.push(name);
        let definition = project.definitions.toolchain(name).unwrap_or_default();
        let doing = match (&definition.source, &definition.provider) {
            (Some(_), _) => "making",
            (None, Some(_)) if !offline => "installing",
            (None, _) => continue,
        };
        if toolchains.find(name, &definition).is_ok() {
            continue;
        }
        watch.progress.say(format!("{doing} {name}…"));
        let installed = toolchains.install(name, &definition, making);
        if let Err(error) = installed
            && doing == "installing"
        {
            console::say(&format!("proofmark: {error}"));
        }
    }
    Ok(())
}

/// Shows what is being built, and stops when the user wants to.
struct Watch {
    progress: Progress,
    stop: Interrupt,
    under_way: Mutex<Vec<String>>,
}

impl Watch {
    fn change(&self, change: impl FnOnce(&mut Vec<String>)) {
        let mut names = self
            .under_way
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        change(&mut names);
        self.progress.say(format!("building {}…", names.join(", ")));
    }
}

impl BuildObserver for Watch {
    fn begins(&self, cell: &Cell) {
        self.change(|names| names.push(cell.name.clone()));
    }

    fn ends(&self, cell: &BuiltCell) {
        self.change(|names| names.retain(|name| *name != cell.cell.name));
    }

    fn stopped(&self) -> bool {
        self.stop.requested()
    }
}
