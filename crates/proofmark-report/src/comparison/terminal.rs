//! A recorded experiment on a terminal: the interval first, its words after it, then what it rests
//! on.

use proofmark_evidence::Recorded;
use proofmark_evidence::record::Conclusion;

use super::method::{again, blocks, layout_reason, limits, machine, method, provenance, warnings};
use super::null::null_lines;
use super::programs::programs;
use super::rows::{Finding, Row, Subject, a_run, basis, findings, name, self_test};
use crate::number::counted;
use crate::style::{Style, Tone};
use crate::table::table;
use crate::text::{flowed, padded, printable, shortened, untied, width, wrapped};
use crate::wording::{metric_name, ratio_of};

/// Where the columns of the lines below a finding begin, and whether words may run on to a line of
/// their own.
pub(crate) struct Columns {
    label: usize,
    value: usize,
}

/// From this width on, the longest words fit beside their value.
const ROOMY: usize = 128;

impl Columns {
    pub(crate) fn of(style: Style) -> Self {
        if style.columns() >= ROOMY {
            Columns {
                label: 25,
                value: 25,
            }
        } else {
            Columns {
                label: 14,
                value: 25,
            }
        }
    }

    /// `  as shipped    0.925 [0.921, 0.929]  better than…`, the words wrapped in their own column.
    pub(crate) fn lines(&self, style: Style, row: &Row) -> Vec<String> {
        let begin = format!(
            "  {}{}",
            padded(row.subject.label(), self.label),
            padded(&row.value, self.value)
        );
        let begin = if width(&row.value) < self.value {
            begin
        } else {
            format!("{begin}  ")
        };
        let hanging = " ".repeat(2 + self.label + self.value);
        wrapped(&row.words, style.columns(), &begin, &hanging)
    }
}

/// An experiment as a terminal shows it; ends with a line feed. Every line fits into the style's
/// width.
#[must_use]
pub fn terminal(recorded: &Recorded, style: &Style) -> String {
    let style = *style;
    let mut lines = match (&recorded.conclusion, &recorded.null_conclusion) {
        (Some(conclusion), _) => concluded(recorded, conclusion, style),
        (None, Some(null)) => null_lines(recorded, null, style),
        (None, None) => unfinished(recorded, style),
    };
    lines.extend(footer(recorded, style));
    untied(&(lines.join("\n") + "\n"))
}

fn concluded(recorded: &Recorded, conclusion: &Conclusion, style: Style) -> Vec<String> {
    let several = conclusion.comparisons.len() > 1;
    let room = if several {
        16
    } else {
        style.columns().saturating_sub(40) / 2
    };
    let findings = findings(recorded, conclusion, room);
    match findings.as_slice() {
        [finding] => one(recorded, conclusion, finding, style),
        several => many(recorded, conclusion, several, style),
    }
}

/// `base 73.1 ms, new 87.9 ms a run`.
fn runs(
    recorded: &Recorded,
    conclusion: &Conclusion,
    findings: &[Finding],
    style: Style,
) -> Vec<String> {
    let line = a_run(recorded, conclusion, findings);
    line.map(|line| wrapped(&line, style.columns(), "  ", "    "))
        .unwrap_or_default()
}

fn one(
    recorded: &Recorded,
    conclusion: &Conclusion,
    finding: &Finding,
    style: Style,
) -> Vec<String> {
    let Finding {
        new, base, long, ..
    } = finding;
    let question = format!("{} {}", shortened(&finding.metric, 14), ratio_of(new, base));
    let basis = format!("{}, {}", basis(recorded), finding.when);
    let mut lines = headline(
        style,
        &question,
        &finding.figure,
        (long, finding.tone),
        &basis,
    );
    lines.extend(runs(
        recorded,
        conclusion,
        std::slice::from_ref(finding),
        style,
    ));
    lines.extend(flowed(&method(recorded), style.columns(), "  "));
    let columns = Columns::of(style);
    lines.extend(
        finding
            .rows
            .iter()
            .flat_map(|row| columns.lines(style, row)),
    );
    lines
}

/// `time new/base 0.967 [0.961, 0.973]   new is 3.3 % faster          95 %, CPU time, decided after block 14`,
/// on as many lines as it takes.
pub(crate) fn headline(
    style: Style,
    question: &str,
    figure: &str,
    (words, tone): (&str, Tone),
    basis: &str,
) -> Vec<String> {
    let columns = style.columns();
    let (asked, said) = (width(question) + 1 + width(figure), width(words));
    let figure = style.paint(Tone::Figure, figure);
    let paint = |line: &str| style.paint(tone, line);
    let aside = |line: &String| format!("  {}", style.paint(Tone::Aside, line.trim_start()));
    if asked + 3 + said + 3 + width(basis) <= columns {
        let gap = " ".repeat((columns - asked - 3 - said - width(basis)).min(10));
        return vec![format!(
            "{question} {figure}   {}{gap}{}",
            paint(words),
            style.paint(Tone::Aside, basis)
        )];
    }
    let mut lines = if asked <= columns {
        vec![format!("{question} {figure}")]
    } else {
        let mut lines = wrapped(question, columns, "", "  ");
        lines.push(format!("  {figure}"));
        lines
    };
    if asked + 3 + said <= columns {
        lines = vec![format!("{question} {figure}   {}", paint(words))];
    } else {
        lines.extend(
            wrapped(words, columns, "  ", "  ")
                .iter()
                .map(|line| format!("  {}", paint(line.trim_start()))),
        );
    }
    lines.extend(wrapped(basis, columns, "  ", "  ").iter().map(aside));
    lines
}

/// The details of which each of several builds has a value, side by side in a table.
const DETAILS: [Subject; 4] = [
    Subject::AsShipped,
    Subject::LayoutAlone,
    Subject::Instructions,
    Subject::Functions,
];

fn many(
    recorded: &Recorded,
    conclusion: &Conclusion,
    findings: &[Finding],
    style: Style,
) -> Vec<String> {
    let base = shortened(&name(recorded, 0), 24);
    let metric = metric_name(&recorded.experiment.benchmark.metric);
    let head = format!("{metric} against {base}   {}", basis(recorded));
    let mut lines = wrapped(&head, style.columns(), "", "  ");
    let verdict = |finding: &Finding| {
        let Finding {
            new,
            figure,
            block,
            short,
            ..
        } = finding;
        vec![
            new.clone(),
            figure.clone(),
            block.to_string(),
            short.clone(),
        ]
    };
    let header = ["build", "new/base", "blocks", ""];
    lines.extend(painted(
        table(style, 3, &header, findings.iter().map(verdict)),
        findings,
        style,
    ));
    lines.extend(runs(recorded, conclusion, findings, style));
    lines.extend(flowed(&method(recorded), style.columns(), "  "));
    let details = |finding: &Finding| {
        let value = |subject| {
            let row = finding.rows.iter().find(|row| row.subject == subject);
            row.map_or_else(String::new, |row| row.value.clone())
        };
        [finding.new.clone()]
            .into_iter()
            .chain(DETAILS.map(value))
            .collect()
    };
    let header: Vec<&str> = ["build"]
        .into_iter()
        .chain(DETAILS.map(Subject::label))
        .collect();
    lines.extend(table(style, 4, &header, findings.iter().map(details)));
    let columns = Columns::of(style);
    let alone = findings.iter().flat_map(by_itself);
    let test = self_test(recorded, conclusion);
    lines.extend(alone.chain(test).flat_map(|row| columns.lines(style, &row)));
    lines
}

/// What is said of one of several builds in a line of its own.
fn by_itself(finding: &Finding) -> impl Iterator<Item = Row> {
    let of_its_own = |row: &&Row| match row.subject {
        Subject::Expectations => true,
        // In the table; of all builds together; or to be found in the views that are not narrow.
        Subject::AsShipped
        | Subject::LayoutAlone
        | Subject::Instructions
        | Subject::Functions
        | Subject::SelfTest
        | Subject::MedianBlock => false,
        // Of a null test, which has one build.
        Subject::Copy | Subject::Spread | Subject::Position => false,
    };
    finding.rows.iter().filter(of_its_own).map(|row| Row {
        subject: row.subject,
        value: row.value.clone(),
        words: [finding.new.as_str(), row.words.as_str()]
            .into_iter()
            .filter(|part| !part.is_empty())
            .collect::<Vec<&str>>()
            .join(": "),
    })
}

/// Verdicts in colour. A verdict that the table broke over two lines stays plain.
fn painted(lines: Vec<String>, findings: &[Finding], style: Style) -> Vec<String> {
    let paint = |line: String| {
        findings.iter().fold(line, |line, finding| {
            let words = untied(&finding.short);
            let begins = line.trim_start().starts_with(&finding.new);
            if begins {
                line.replacen(&words, &style.paint(finding.tone, &words), 1)
            } else {
                line
            }
        })
    };
    lines.into_iter().map(paint).collect()
}

fn unfinished(recorded: &Recorded, style: Style) -> Vec<String> {
    let names: Vec<String> = recorded
        .experiment
        .builds
        .iter()
        .map(|build| printable(&build.name))
        .collect();
    let metric = metric_name(&recorded.experiment.benchmark.metric);
    let done = counted(blocks(recorded), "block", "blocks");
    let head = format!(
        "unfinished: {metric} of {}, {done} measured, no verdict yet",
        names.join(", ")
    );
    let mut lines: Vec<String> = wrapped(&head, style.columns(), "", "  ")
        .iter()
        .map(|line| style.paint(Tone::Open, line))
        .collect();
    lines.extend(wrapped(
        "the same command goes on from here",
        style.columns(),
        "  ",
        "  ",
    ));
    lines.extend(flowed(&method(recorded), style.columns(), "  "));
    lines
}

fn footer(recorded: &Recorded, style: Style) -> Vec<String> {
    let columns = style.columns();
    let mut lines = Vec::new();
    for line in programs(recorded) {
        lines.extend(wrapped(&line, columns, "  ", "    "));
    }
    if let Some(reason) = layout_reason(recorded) {
        lines.extend(wrapped(&reason, columns, "  ", "    "));
    }
    for warning in warnings(recorded) {
        let found = wrapped(&printable(&warning.found), columns, "  ! ", "    ");
        lines.extend(found.iter().map(|line| style.paint(Tone::Open, line)));
        if !warning.remedy.is_empty() {
            lines.extend(wrapped(
                &printable(&warning.remedy),
                columns,
                "    → ",
                "      ",
            ));
        }
    }
    for note in &recorded.notes {
        lines.extend(wrapped(
            &format!("note: {}", printable(&note.text)),
            columns,
            "  ",
            "    ",
        ));
    }
    if let Some(limits) = limits(recorded) {
        let wrapped = wrapped(&limits, columns, "  ", "    ");
        lines.extend(wrapped.iter().map(|line| style.paint(Tone::Aside, line)));
    }
    for items in [machine(recorded), provenance(recorded), again(recorded)] {
        lines.extend(
            flowed(&items, columns, "  ")
                .iter()
                .map(|line| style.paint(Tone::Aside, line)),
        );
    }
    lines
}
