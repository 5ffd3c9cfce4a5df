//! A replay in words.

use bytesize::ByteSize;
use proofmark_hint::hint;

use super::plan::{ReplayPlanView, ReplayedBuildView, ToolAgainView};
use super::rows::{AgreementWord, ReplayView};
use crate::number::{counted, duration, interval, setting, share};
use crate::style::{Style, Tone};
use crate::table::table;
use crate::text::{printable, untied, wrapped};

/// What a replay would do; ends with a line feed.
#[must_use]
pub fn plan_terminal(plan: &ReplayPlanView, style: &Style) -> String {
    let columns = style.columns();
    let said = |all: Vec<String>, tone: Option<Tone>| -> Vec<String> {
        let lines = all.iter().flat_map(|text| wrapped(text, columns, "", "  "));
        lines
            .map(|line| tone.map_or_else(|| line.clone(), |tone| style.paint(tone, &line)))
            .collect()
    };
    let names: Vec<String> = (plan.builds.iter().map(|build| printable(&build.name))).collect();
    let title = format!("{}: {}", short(plan), names.join(", "));
    let file = format!("of {}, content {}", printable(&plan.file), plan.bundle);
    let mut lines = said(vec![title], Some(Tone::Figure));
    lines.extend(said(vec![file], Some(Tone::Aside)));
    lines.push(String::new());
    if plan.images.as_ref().is_none_or(|images| !images.run) {
        lines.extend(cells(plan, style));
    }
    lines.extend(said(steps(plan), None));
    if !plan.tools.is_empty() {
        lines.push(String::new());
        let rows = plan.tools.iter().map(row);
        lines.extend(table(*style, 1, &["tool", "there", "here"], rows));
    }
    lines.push(String::new());
    lines.extend(said(of_images(plan), None));
    lines.extend(said(in_the_way(plan), Some(Tone::Open)));
    lines.extend(said(vec![sandbox(plan), next(plan)], None));
    untied(&(lines.join("\n") + "\n"))
}

/// The beginning of the experiment's id.
fn short(plan: &ReplayPlanView) -> &str {
    begun(&plan.id)
}

/// What would be done, a line each.
fn steps(plan: &ReplayPlanView) -> Vec<String> {
    let images = plan.images.as_ref().filter(|images| images.run);
    let how = match images {
        Some(images) if !images.drawn => "as shipped",
        None if !plan.drawn => "as shipped",
        _ => "of new layouts",
    };
    let blocks = match plan.blocks {
        [fewest, most] if fewest == most => counted(most, "block", "blocks"),
        [fewest, most] => format!("{fewest} to {most} blocks"),
    };
    let beside = plan.shell.iter().chain(&plan.sets);
    let beside = beside.map(|words| format!("with     {}", printable(words)));
    let inside = match plan.runs_in.as_deref() {
        None => String::new(),
        Some("") => " in the topmost folder".to_owned(),
        Some(folder) => format!(" in {}", printable(folder)),
    };
    let measure = [
        format!("run      {}{inside}", plan.command),
        format!("measure  {}, in {blocks} {how}", plan.metric),
        format!(
            "decide   with a margin of ±{} and a confidence of {}",
            setting(plan.margin),
            share(plan.confidence)
        ),
        format!(
            "took     {} there for {} on {}, without the builds",
            duration(plan.took_ms),
            counted(plan.took_blocks, "block", "blocks"),
            printable(&plan.processor)
        ),
    ];
    let made = match images {
        Some(_) => taken(plan),
        None => built(plan),
    };
    let left = match plan.left_out.as_slice() {
        [] => None,
        names => Some(format!(
            "leave    {}, which failed there",
            printable(&names.join(", "))
        )),
    };
    let steps = made.into_iter().chain(left);
    steps.chain(beside).chain(measure).collect()
}

/// What each cell of a project is made of; nothing where builds are no cells.
pub(super) fn cells(plan: &ReplayPlanView, style: &Style) -> Vec<String> {
    let words = |all: &[String]| match all {
        [] => "none".to_owned(),
        some => printable(&some.join(" ")),
    };
    let row = |build: &ReplayedBuildView| {
        let cell = build.cell.as_ref()?;
        let patches = cell.patches.iter();
        let patches: Vec<String> = patches.map(|name| begun(name).to_owned()).collect();
        let commit = begun(build.revision.as_deref().unwrap_or("none"));
        Some(vec![
            printable(&build.name),
            printable(commit),
            printable(&cell.compiler),
            words(&cell.flags),
            words(&patches),
        ])
    };
    let rows: Vec<Vec<String>> = plan.builds.iter().filter_map(row).collect();
    if rows.is_empty() {
        return Vec::new();
    }
    let header = ["build", "commit", "compiler", "flags", "patches"];
    let mut lines = table(*style, 2, &header, rows);
    lines.push(String::new());
    lines
}

/// The beginning of a long name.
pub(super) fn begun(name: &str) -> &str {
    name.get(..12).unwrap_or(name)
}

/// The builds that are taken from the bundle.
fn taken(plan: &ReplayPlanView) -> Vec<String> {
    let builds = plan.builds.iter();
    let take = |name: &str| format!("take     {} from the bundle", printable(name));
    builds.map(|build| take(&build.name)).collect()
}

/// How the builds are made.
pub(super) fn built(plan: &ReplayPlanView) -> Vec<String> {
    let mut cells = plan.builds.iter().filter_map(|build| build.cell.as_ref());
    if cells.clone().next().is_some() {
        let mut lines: Vec<String> = Vec::new();
        let said = cells
            .by_ref()
            .map(|cell| build_line(&cell.command, &cell.folder));
        for line in said {
            if !lines.contains(&line) {
                lines.push(line);
            }
        }
        return lines;
    }
    let fetch = plan.builds.iter().map(|build| {
        let revision = build.revision.as_deref().unwrap_or("no revision");
        format!(
            "fetch    {}: {}",
            printable(&build.name),
            printable(revision)
        )
    });
    let build = plan.build_command.as_ref().map(|command| {
        let often = match plan.builds_each {
            0 | 1 => String::new(),
            more => format!(", {more} times each"),
        };
        format!("{}{often}", build_line(command, &plan.folder))
    });
    fetch.chain(build).collect()
}

fn build_line(command: &str, folder: &str) -> String {
    let place = match folder {
        "" => String::new(),
        folder => format!(" in {}", printable(folder)),
    };
    format!("build    {}{place}", printable(command))
}

/// What the images that came with the bundle are good for.
pub(super) fn of_images(plan: &ReplayPlanView) -> Vec<String> {
    let Some(images) = &plan.images else {
        return Vec::new();
    };
    let shipped = match (images.drawn, images.of_shipped) {
        (true, _) => "linked again in new layouts",
        (false, true) => {
            "compared as shipped, and held against what the first machine found of them as shipped"
        }
        (false, false) => "compared as shipped, as they were there",
    };
    if images.run {
        return vec![
            format!("images of the bundle are run in place of builds: {shipped}"),
            "runs find an empty folder, unless --repository names where their files are".to_owned(),
        ];
    }
    match images.obstacles.first() {
        None => vec![format!(
            "the bundle encloses images, and none is run; with --run-images they are run in place \
             of builds, without a repository: {shipped}"
        )],
        Some(first) => vec![format!(
            "the bundle encloses images, and --run-images cannot run them: {}: {}",
            printable(&first.what),
            printable(&first.why)
        )],
    }
}

/// What is missing, and why it cannot be made again.
fn in_the_way(plan: &ReplayPlanView) -> Vec<String> {
    let missing = plan.tools.iter().filter_map(|tool| tool.get.clone());
    let obstacles = plan.obstacles_of_choice().iter().map(|obstacle| {
        format!(
            "cannot be made again: {}: {}; it would take {}",
            printable(&obstacle.what),
            printable(&obstacle.why),
            obstacle.needed
        )
    });
    let sandbox = plan.no_sandbox.iter().flat_map(|why| why.lines());
    missing
        .chain(obstacles)
        .chain(sandbox.map(str::to_owned))
        .collect()
}

pub(super) fn sandbox(plan: &ReplayPlanView) -> String {
    format!(
        "builds and runs are in a sandbox: no network, no home, no file but the system's and the \
         repository's; the variables {}; at most {}, {} and {} processes",
        plan.variables.join(", "),
        duration(plan.limit_ms),
        ByteSize::b(plan.limit_memory).display().si(),
        plan.limit_processes
    )
}

fn next(plan: &ReplayPlanView) -> String {
    if plan.is_possible() && plan.no_sandbox.is_none() {
        let words = match &plan.images {
            Some(images) if images.run => "replay --run --run-images",
            _ => "replay --run --repository URL",
        };
        let next = hint(words, &[&plan.file, short(plan)]);
        format!("nothing was fetched, built or run; {next} does that, and runs code of others")
    } else if plan.no_sandbox.is_none() && plan.is_left_to_images() {
        let next = hint("replay --run --run-images", &[&plan.file, short(plan)]);
        format!("nothing was fetched, built or run; {next} runs the images, which are of others")
    } else {
        "nothing was fetched, built or run".to_owned()
    }
}

pub(super) fn row(tool: &ToolAgainView) -> Vec<String> {
    let here = match (&tool.instead, tool.here) {
        (_, true) => "the same".to_owned(),
        (Some(other), false) => printable(other),
        (None, false) => "missing".to_owned(),
    };
    vec![printable(&tool.role), printable(&tool.version), here]
}

/// What came of a replay; ends with a line feed.
#[must_use]
pub fn replay_terminal(replay: &ReplayView, style: &Style) -> String {
    let columns = style.columns();
    let (word, tone) = match replay.agreement {
        AgreementWord::Agree => ("both machines agree", Tone::Better),
        AgreementWord::Disagree => ("the machines disagree", Tone::Worse),
        AgreementWord::Undecided => (
            "undecided: the machines neither agree nor disagree",
            Tone::Open,
        ),
    };
    let as_shipped = if replay.of_shipped {
        ", as shipped"
    } else {
        ""
    };
    let mut lines = vec![style.paint(tone, word), String::new()];
    let rows = replay.comparisons.iter().flat_map(|one| {
        let row = |what: &str, ratio: &super::rows::RatioView, said: &str| {
            vec![what.to_owned(), interval(&ratio.interval), said.to_owned()]
        };
        let [there, here] = &one.said;
        [
            row(
                &format!("{}, there{as_shipped}", one.build),
                &one.first,
                there,
            ),
            row(
                &format!("{}, here{as_shipped}", one.build),
                &one.replay,
                here,
            ),
            row("  here/there", &one.difference, one.agreement.as_str()),
        ]
    });
    lines.extend(table(*style, 3, &["new/base", "ratio", "says"], rows));
    lines.push(String::new());
    for one in &replay.comparisons {
        if let Some(both) = &one.both {
            lines.extend(wrapped(both, columns, "", "  "));
        }
    }
    let [there, here] = &replay.processors;
    let [first, second] = replay.blocks;
    let machines = format!(
        "there: {}, {}; here: {}, {}",
        printable(there),
        counted(first, "block", "blocks"),
        printable(here),
        counted(second, "block", "blocks")
    );
    let mut say = |text: &str| lines.extend(wrapped(text, columns, "", "  "));
    say(&machines);
    if replay.of_shipped {
        say(
            "both figures are of the images as shipped: there they were measured beside drawn \
             layouts, and here none were drawn",
        );
    }
    for otherwise in &replay.otherwise {
        say(&printable(otherwise));
    }
    let replayed = replay.replay.get(..12).unwrap_or(&replay.replay);
    say(&format!(
        "{replayed} is the replay, and {} shows it",
        hint("report", &[replayed])
    ));
    untied(&(lines.join("\n") + "\n"))
}

impl AgreementWord {
    pub(super) const fn as_str(self) -> &'static str {
        match self {
            AgreementWord::Agree => "agree",
            AgreementWord::Disagree => "disagree",
            AgreementWord::Undecided => "undecided",
        }
    }
}
