//! What on a machine hurts measuring, and what the machine can resolve.

use proofmark_evidence::record::{Pilot, Schedule};
use proofmark_terms::{Check, CheckStatus};

use super::Found;
use super::worth::words;
use crate::number::{rough, slice};
use crate::style::{Style, Tone};
use crate::text::{untied, wrapped};

/// The findings for a terminal: what hurts first, each with why it matters and what to do; ends
/// with a line feed.
#[must_use]
pub fn terminal(found: &Found<'_>, style: &Style) -> String {
    let Found { checks, power, .. } = *found;
    let mut lines = Vec::new();
    for status in [
        CheckStatus::Hurts,
        CheckStatus::Missing,
        CheckStatus::Unknown,
        CheckStatus::Good,
    ] {
        for check in checks.iter().filter(|check| check.status == status) {
            lines.extend(entry(check, *style));
        }
    }
    if let Some(pilot) = power {
        lines.push(String::new());
        lines.extend(wrapped(&resolves(pilot), style.columns(), "", "  "));
    }
    if let Some(worth) = found.worth {
        lines.push(String::new());
        lines.push("What each item of `proofmark tune` is worth here:".to_owned());
        for one in worth {
            let begin = format!("  {} ", one.item);
            lines.extend(wrapped(&words(one), style.columns(), &begin, "      "));
        }
    }
    untied(&(lines.join("\n") + "\n"))
}

fn entry(check: &Check, style: Style) -> Vec<String> {
    let (word, tone) = match check.status {
        CheckStatus::Good => ("good", Tone::Even),
        CheckStatus::Hurts => ("hurts", Tone::Worse),
        CheckStatus::Missing => ("missing", Tone::Open),
        CheckStatus::Unknown => ("unknown", Tone::Open),
    };
    let head = format!(
        "{}{} {}: {}",
        style.paint(tone, word),
        " ".repeat(8 - word.len()),
        check.name,
        check.found
    );
    let indent = " ".repeat(9);
    let mut lines = wrapped(&head, style.columns(), "", &indent);
    if check.status != CheckStatus::Good {
        lines.extend(wrapped(check.why, style.columns(), &indent, &indent));
        if let Some(remedy) = check.remedy {
            lines.extend(wrapped(
                &format!("remedy: {remedy}"),
                style.columns(),
                &indent,
                &indent,
            ));
        }
    }
    lines
}

fn resolves(pilot: &Pilot) -> String {
    match pilot.resolvable {
        Some(effect) => format!(
            "In a minute of measuring, this machine can detect a difference of {} or more (tried with a shell loop against itself; layouts add to it). How the runs shared the core: {}.",
            rough(effect),
            shared(pilot)
        ),
        None => {
            "The short measurement was too short to say what this machine can resolve.".to_owned()
        }
    }
}

/// How the runs were put on the core, and how well it is known that this changed nothing.
fn shared(pilot: &Pilot) -> String {
    let way = match pilot.schedule {
        Schedule::Sliced { slice_us } => format!("in slices of {}", slice(slice_us)),
        Schedule::Interleaved => "whole runs in turn".to_owned(),
    };
    let errors = pilot.shifts.iter().map(|shift| shift.error);
    match errors.filter(|&error| error > 0.0).max_by(f64::total_cmp) {
        // "No more than" would contradict a smaller difference that can be detected.
        Some(error) if pilot.resolvable.is_some_and(|effect| 2.0 * error > effect) => format!(
            "{way}; as far as a few trial rounds tell, this may change a difference by up to {}. \
             A comparison looks again in each block",
            rough(2.0 * error)
        ),
        Some(error) => format!(
            "{way}; a few trial rounds show that this changes a difference by no more than ±{}",
            rough(2.0 * error)
        ),
        None => way,
    }
}
