//! The experiments of a store, a line or two each.

use proofmark_evidence::record::Question;
use proofmark_evidence::{Progress, Summary, VerdictOn};

use super::alone::{self, Listed, views};
use crate::number::{self, counted, minute};
use crate::style::{Style, Tone};
use crate::text::{printable, shortened, untied, wrapped};
use crate::wording::{Pair, metric_name, ratio_of, say};

/// Longest name of a build.
const NAME: usize = 20;

/// Longest command.
const COMMAND: usize = 40;

/// The experiments of a store for a terminal, the last one at the end, and behind them sweeps,
/// attributions and explanations; ends with a line feed. Every line fits into the style's width.
#[must_use]
pub fn terminal(listed: &Listed<'_>, style: &Style) -> String {
    let alone = views(listed);
    let summaries = listed.experiments;
    if summaries.is_empty() && alone.is_empty() {
        return "no experiments yet\n".to_owned();
    }
    let mut lines: Vec<String> = summaries
        .iter()
        .flat_map(|summary| entry(summary, *style))
        .collect();
    lines.extend(alone.iter().flat_map(|one| alone::entry(one, *style)));
    untied(&(lines.join("\n") + "\n"))
}

/// Where the second and later lines of an entry begin: below the time.
const INDENT: &str = "              ";

fn entry(summary: &Summary, style: Style) -> Vec<String> {
    let begun = minute(summary.began_ms).replace(' ', "\u{a0}");
    let head = format!(
        "{}  {begun}  {}",
        style.paint(Tone::Figure, summary.id.short()),
        question(summary)
    );
    let mut lines = wrapped(&head, style.columns(), "", INDENT);
    lines.extend(
        verdicts(summary)
            .iter()
            .flat_map(|found| wrapped(found, style.columns(), INDENT, INDENT)),
    );
    lines
}

fn question(summary: &Summary) -> String {
    let names: Vec<String> = summary
        .names
        .iter()
        .map(|name| shortened(&printable(name), NAME))
        .collect();
    let asked = match summary.question {
        Question::Compare => format!("compare {}", names.join(" ")),
        Question::Between => format!("between {}", names.join(" ")),
        Question::Null => format!("null {}", names.first().cloned().unwrap_or_default()),
    };
    let command = shortened(&printable(&summary.command.join(" ")), COMMAND);
    format!("{asked} -- {command}")
}

/// What was found of an experiment, a line for each build but the base.
pub(crate) fn verdicts(summary: &Summary) -> Vec<String> {
    match summary.state {
        Progress::Unfinished { blocks } => {
            vec![format!(
                "unfinished: {} measured, no verdict yet",
                counted(blocks, "block", "blocks")
            )]
        }
        Progress::Finished { .. } => summary
            .verdicts
            .iter()
            .map(|verdict| verdict_on(summary, verdict))
            .collect(),
    }
}

fn verdict_on(summary: &Summary, found: &VerdictOn) -> String {
    let [new, base] = [
        found.name.as_str(),
        summary.names.first().map_or("?", String::as_str),
    ]
    .map(|name| shortened(&printable(name), NAME));
    let pair = Pair {
        new: &new,
        base: &base,
    };
    let said = say(
        found.verdict,
        &found.interval,
        &summary.metric,
        summary.margin,
        None,
        pair,
    );
    // Of what a listing says of the undecided and the equivalent, the first word is enough.
    let short = said.short.split(':').next().unwrap_or_default().to_owned();
    format!(
        "{} {} {}  {short}",
        metric_name(&summary.metric),
        ratio_of(&new, &base),
        number::interval(&found.interval)
    )
}
