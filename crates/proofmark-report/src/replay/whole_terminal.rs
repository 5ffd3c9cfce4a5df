//! A replay of all experiments of a ledger, a matrix or a bisection, in words.

use proofmark_hint::hint;

use super::plan::{ReplayPlanView, ToolAgainView};
use super::rows::{AgreedView, AgreementWord};
use super::terminal::{begun, built, cells, of_images, row, sandbox};
use super::whole::{NamedPlanView, NamedReplayView, WholePlanView, WholeReplayView};
use crate::number::{counted, duration, estimate_of, interval};
use crate::style::{Style, Tone};
use crate::table::table;
use crate::text::{printable, untied, wrapped};

/// What a replay of the whole would do; ends with a line feed.
#[must_use]
pub fn whole_plan_terminal(whole: &WholePlanView, style: &Style) -> String {
    let columns = style.columns();
    let say = |text: &str| wrapped(text, columns, "", "  ");
    let toned = |text: &str, tone: Tone| {
        let lines = say(text).into_iter();
        lines.map(move |line| style.paint(tone, &line))
    };
    let count = u32::try_from(whole.experiments.len()).unwrap_or(u32::MAX);
    let title = format!(
        "{} {}: {}",
        whole.kind.as_str(),
        begun(&whole.id),
        counted(count, "experiment", "experiments")
    );
    let file = format!("of {}, content {}", printable(&whole.file), whole.bundle);
    let mut lines: Vec<String> = toned(&title, Tone::Figure).collect();
    lines.extend(toned(&file, Tone::Aside));
    lines.push(String::new());
    let header = ["what", "experiment", "blocks", "took there", "again"];
    lines.extend(table(
        *style,
        2,
        &header,
        whole.experiments.iter().map(planned),
    ));
    lines.push(String::new());
    let Some(all) = together(whole) else {
        return untied(&(lines.join("\n") + "\n"));
    };
    let is_built = all.images.as_ref().is_none_or(|images| !images.run);
    if is_built {
        lines.extend(cells(&all, style));
        lines.extend(built(&all).iter().flat_map(|line| say(line)));
        lines.push(String::new());
    }
    if !all.tools.is_empty() {
        lines.extend(table(
            *style,
            1,
            &["tool", "there", "here"],
            all.tools.iter().map(row),
        ));
        lines.push(String::new());
    }
    lines.extend(of_images(&all).iter().flat_map(|line| say(line)));
    for text in in_the_way(whole, &all) {
        lines.extend(toned(&text, Tone::Open));
    }
    lines.extend(say(whole.kind.not_again()));
    lines.extend(say(&sandbox(&all)));
    lines.extend(say(&next(whole, &all)));
    untied(&(lines.join("\n") + "\n"))
}

/// An experiment as a row.
fn planned(one: &NamedPlanView) -> Vec<String> {
    let plan = &one.plan;
    let again = if plan.is_possible() { "yes" } else { "no" };
    vec![
        printable(&one.name),
        begun(&plan.id).to_owned(),
        plan.took_blocks.to_string(),
        duration(plan.took_ms),
        again.to_owned(),
    ]
}

/// All plans as one, for what they share: the builds and the tools of all, each once.
fn together(whole: &WholePlanView) -> Option<ReplayPlanView> {
    let mut plans = whole.experiments.iter().map(|one| &one.plan);
    let mut all = plans.next()?.clone();
    for plan in plans {
        for build in &plan.builds {
            if !all.builds.contains(build) {
                all.builds.push(build.clone());
            }
        }
        for tool in &plan.tools {
            let is_it = |one: &ToolAgainView| one.role == tool.role && one.version == tool.version;
            if !all.tools.iter().any(is_it) {
                all.tools.push(tool.clone());
            }
        }
    }
    Some(all)
}

/// What is missing, and which experiments cannot be made again for what reason, each reason once.
fn in_the_way(whole: &WholePlanView, all: &ReplayPlanView) -> Vec<String> {
    let mut reasons: Vec<(String, Vec<String>)> = Vec::new();
    for one in &whole.experiments {
        for obstacle in one.plan.obstacles_of_choice() {
            let reason = format!(
                "{}: {}; it would take {}",
                printable(&obstacle.what),
                printable(&obstacle.why),
                obstacle.needed
            );
            let name = printable(&one.name);
            match reasons.iter_mut().find(|(known, _)| *known == reason) {
                Some((_, names)) => names.push(name),
                None => reasons.push((reason, vec![name])),
            }
        }
    }
    let missing = all.tools.iter().filter_map(|tool| tool.get.clone());
    let reasons = reasons.into_iter();
    let reasons =
        reasons.map(|(why, names)| format!("{} cannot be made again: {why}", names.join(", ")));
    let no_sandbox = all.no_sandbox.iter().flat_map(|why| why.lines());
    missing
        .chain(reasons)
        .chain(no_sandbox.map(str::to_owned))
        .collect()
}

fn next(whole: &WholePlanView, all: &ReplayPlanView) -> String {
    if !whole.is_possible() || all.no_sandbox.is_some() {
        return "nothing was fetched, built or run".to_owned();
    }
    let words = match &all.images {
        Some(images) if images.run => "replay --run --run-images",
        _ => "replay --run --repository URL",
    };
    format!(
        "nothing was fetched, built or run; {} does that, one experiment after another, and runs \
         code of others",
        hint(words, &[&whole.file, begun(&whole.id)])
    )
}

/// What came of one experiment, in a line for each build.
#[must_use]
pub fn agreement_lines(one: &NamedReplayView) -> Vec<String> {
    let comparisons = one.replay.iter().flat_map(|replay| &replay.comparisons);
    let line = |of: &AgreedView| {
        let line = format!(
            "{}, {}: {} there, {} here; here/there {}: {}",
            printable(&one.name),
            printable(&of.build),
            interval(&of.first.interval),
            interval(&of.replay.interval),
            interval(&of.difference.interval),
            of.agreement.as_str()
        );
        untied(&line)
    };
    comparisons.map(line).collect()
}

/// What came of the whole; ends with a line feed.
#[must_use]
pub fn whole_terminal(whole: &WholeReplayView, style: &Style) -> String {
    let columns = style.columns();
    let (word, tone) = match whole.agreement() {
        AgreementWord::Agree => ("both machines agree on every experiment", Tone::Better),
        AgreementWord::Disagree => ("the machines disagree on an experiment", Tone::Worse),
        AgreementWord::Undecided => (
            "undecided: not every experiment says whether the machines agree",
            Tone::Open,
        ),
    };
    let mut lines = vec![style.paint(tone, word), String::new()];
    let header = ["new/base", "recorded", "here", "here/there", "agree?"];
    let rows = whole.experiments.iter().flat_map(compared);
    lines.extend(table(*style, 1, &header, rows));
    lines.push(String::new());
    let mut say = |text: &str| lines.extend(wrapped(text, columns, "", "  "));
    for one in &whole.experiments {
        if let Some(why) = &one.why {
            say(&format!(
                "{} was not measured: {}",
                printable(&one.name),
                printable(why)
            ));
        }
    }
    let mut remarks: Vec<&String> = Vec::new();
    for remark in whole
        .experiments
        .iter()
        .filter_map(|one| one.replay.as_ref())
    {
        for otherwise in &remark.otherwise {
            if !remarks.contains(&otherwise) {
                remarks.push(otherwise);
            }
        }
    }
    for remark in remarks {
        say(&printable(remark));
    }
    say(whole.kind.not_again());
    let replays = whole
        .experiments
        .iter()
        .filter_map(|one| one.replay.as_ref());
    let replays: Vec<&str> = replays.map(|replay| begun(&replay.replay)).collect();
    if let Some(first) = replays.first() {
        say(&format!(
            "the replays are {}, and {} shows the first",
            replays.join(", "),
            hint("report", &[first])
        ));
    }
    untied(&(lines.join("\n") + "\n"))
}

/// An experiment as rows, one for each build.
fn compared(one: &NamedReplayView) -> Vec<Vec<String>> {
    let name = printable(&one.name);
    let Some(replay) = &one.replay else {
        let none = || "—".to_owned();
        return vec![vec![
            name,
            none(),
            none(),
            none(),
            "not measured".to_owned(),
        ]];
    };
    let comparisons = replay.comparisons.iter();
    let row = |of: &AgreedView| {
        vec![
            format!("{name}, {}", printable(&of.build)),
            estimate_of(&of.first.interval),
            estimate_of(&of.replay.interval),
            interval(&of.difference.interval),
            of.agreement.as_str().to_owned(),
        ]
    };
    comparisons.map(row).collect()
}
