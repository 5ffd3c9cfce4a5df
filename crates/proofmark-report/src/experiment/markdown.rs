//! A recorded experiment for a pull request: the finding in two lines, the rest folded.

use proofmark_evidence::Recorded;
use proofmark_evidence::record::{Conclusion, NullConclusion};

use super::method::{
    blocks, command, layout_reason, limits, machine, method, provenance, warnings,
};
use super::null;
use super::programs::programs;
use super::rows::{Finding, Row, a_run, basis, findings, name};
use crate::number::counted;
use crate::text::{printable, untied};
use crate::wording::{metric_name, ratio_of};

/// An experiment as Markdown (GitHub's); ends with a line feed.
#[must_use]
pub fn markdown(recorded: &Recorded) -> String {
    let (mut lines, details) = match (&recorded.conclusion, &recorded.null_conclusion) {
        (Some(conclusion), _) => concluded(recorded, conclusion),
        (None, Some(null)) => null_test(recorded, null),
        (None, None) => (vec![unfinished(recorded)], Vec::new()),
    };
    for warning in warnings(recorded) {
        let remedy = if warning.remedy.is_empty() {
            String::new()
        } else {
            format!(" → {}", escaped(&warning.remedy))
        };
        lines.push(String::new());
        lines.push(format!("> ⚠ {}{remedy}", escaped(&warning.found)));
    }
    lines.extend(["", "<details><summary>How this was measured</summary>", ""].map(str::to_owned));
    lines.extend(details);
    lines.extend(facts(recorded));
    lines.extend(["", "</details>"].map(str::to_owned));
    untied(&(lines.join("\n") + "\n"))
}

type Lines = Vec<String>;

fn concluded(recorded: &Recorded, conclusion: &Conclusion) -> (Lines, Lines) {
    let findings = findings(recorded, conclusion, usize::MAX);
    let runs = a_run(recorded, conclusion, &findings).map(|runs| escaped(&runs));
    match findings.as_slice() {
        [finding] => one(recorded, finding, runs),
        several => many(recorded, several, runs),
    }
}

fn one(recorded: &Recorded, finding: &Finding, runs: Option<String>) -> (Lines, Lines) {
    let Finding {
        metric,
        new,
        base,
        figure,
        long,
        when,
        ..
    } = finding;
    let asked = escaped(&format!("{metric} {}", ratio_of(new, base)));
    let runs = runs.map_or_else(String::new, |runs| format!("{runs}; "));
    let head = vec![
        format!("**{asked} {figure}** — {}", escaped(long)),
        format!("({runs}{}, {when})", escaped(&basis(recorded))),
    ];
    (head, rows_table(&finding.rows))
}

fn rows_table(rows: &[Row]) -> Lines {
    let line = |row: &Row| {
        format!(
            "| {} | {} | {} |",
            row.subject.label(),
            row.value,
            escaped(&row.words)
        )
    };
    let head = ["| | new/base | |", "| --- | --- | --- |"].map(str::to_owned);
    head.into_iter()
        .chain(rows.iter().map(line))
        .chain([String::new()])
        .collect()
}

fn many(recorded: &Recorded, findings: &[Finding], runs: Option<String>) -> (Lines, Lines) {
    let base = escaped(&name(recorded, 0));
    let metric = escaped(&metric_name(&recorded.experiment.benchmark.metric));
    let mut head = vec![
        format!(
            "**{metric} against {base}** ({})",
            escaped(&basis(recorded))
        ),
        String::new(),
    ];
    head.extend(["| build | new/base | | |", "| --- | --- | --- | --- |"].map(str::to_owned));
    head.extend(findings.iter().map(|finding| {
        let Finding {
            new,
            figure,
            short,
            when,
            ..
        } = finding;
        format!(
            "| {} | {figure} | {} | {when} |",
            escaped(new),
            escaped(short)
        )
    }));
    head.extend(runs.into_iter().flat_map(|runs| [String::new(), runs]));
    let details = findings.iter().flat_map(|finding| {
        [format!("**{}**", escaped(&finding.new)), String::new()]
            .into_iter()
            .chain(rows_table(&finding.rows))
    });
    (head, details.collect())
}

fn null_test(recorded: &Recorded, null: &NullConclusion) -> (Lines, Lines) {
    let (words, _) = null::judged(&null.alarms);
    let build = escaped(&name(recorded, 0));
    let head = format!(
        "**False alarms of {build} against itself {}** — {words}",
        null::rate(&null.alarms)
    );
    let basis = format!("({} verdicts by re-drawing signs)", null.alarms.verdicts);
    (vec![head, basis], rows_table(&null::rows(recorded, null)))
}

fn unfinished(recorded: &Recorded) -> String {
    let names: Vec<String> = recorded
        .experiment
        .builds
        .iter()
        .map(|build| escaped(&build.name))
        .collect();
    let done = counted(blocks(recorded), "block", "blocks");
    format!(
        "**Unfinished**: {}, {done} measured, no verdict yet",
        names.join(", ")
    )
}

fn facts(recorded: &Recorded) -> Lines {
    let joined = |items: Vec<String>| escaped(&items.join(" · "));
    let mut lines = vec![format!("* Measured: {}", joined(method(recorded)))];
    lines.extend(
        programs(recorded)
            .iter()
            .map(|line| format!("* {}", escaped(line))),
    );
    lines.extend(layout_reason(recorded).map(|reason| format!("* Layouts: {}", escaped(&reason))));
    lines.extend(limits(recorded).map(|limits| format!("* {}", escaped(&limits))));
    lines.push(format!("* Benchmark: {}", code(&command(recorded))));
    for build in &recorded.experiment.builds {
        let toolchain: Vec<String> = build.toolchain.iter().map(|line| escaped(line)).collect();
        lines.push(format!(
            "* Build {}: {}",
            escaped(&build.name),
            toolchain.join("; ")
        ));
    }
    let machine = machine(recorded);
    lines.extend((!machine.is_empty()).then(|| format!("* Machine: {}", joined(machine))));
    lines.push(format!(
        "* Evidence: {}",
        joined(provenance(recorded)) + &format!(" · seed {}", recorded.experiment.seed)
    ));
    lines.extend(
        recorded
            .notes
            .iter()
            .map(|note| format!("* Note: {}", escaped(&note.text))),
    );
    lines
}

/// Text from outside, with what Markdown or HTML would take for its own made plain, and nobody
/// called by their name. What stands between backticks, a command to be typed, stays code.
pub(crate) fn escaped(text: &str) -> String {
    let text = printable(text);
    let mut safe = String::new();
    let mut rest = text.as_str();
    while let Some((before, inside, after)) = first_code(rest) {
        safe.push_str(&plain(before));
        safe.push_str(&code(inside));
        rest = after;
    }
    safe + &plain(rest)
}

/// What stands before, in and behind the first two backticks that make code: nothing in it that a
/// table or another backtick would end.
fn first_code(text: &str) -> Option<(&str, &str, &str)> {
    let (before, rest) = text.split_once('`')?;
    let (inside, after) = rest.split_once('`')?;
    let sound = !inside.trim().is_empty() && !inside.contains('|') && !after.starts_with('`');
    sound.then_some((before, inside, after))
}

/// Text from outside without code in it.
fn plain(text: &str) -> String {
    let mut safe = String::new();
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        match letter {
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '&' => safe.push_str("&amp;"),
            '@' if letters.peek().is_some_and(|next| next.is_alphanumeric()) => {
                safe.push_str("@<!-- -->");
            }
            '\\' | '`' | '*' | '_' | '[' | ']' | '|' | '#' | '~' => safe.extend(['\\', letter]),
            _ => safe.push(letter),
        }
    }
    safe
}

/// Code in a line: fenced by more backticks than it holds in a row.
fn code(text: &str) -> String {
    let longest = text
        .split(|letter| letter != '`')
        .map(str::len)
        .max()
        .unwrap_or(0);
    let fence = "`".repeat(longest + 1);
    let gap = if longest > 0 { " " } else { "" };
    format!("{fence}{gap}{text}{gap}{fence}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_cannot_become_markup() {
        assert_eq!(escaped("a|b_<img>@all"), "a\\|b\\_&lt;img&gt;@<!-- -->all");
        assert_eq!(
            escaped("say `proofmark builds` to a`b"),
            "say `proofmark builds` to a\\`b"
        );
        assert_eq!(escaped("``"), "\\`\\`");
        assert_eq!(escaped("`` `a`"), "\\`\\` \\`a\\`");
        assert_eq!(escaped("`a|b`"), "\\`a\\|b\\`");
        assert_eq!(code("echo `date`"), "`` echo `date` ``");
        assert_eq!(code("plain"), "`plain`");
    }
}
