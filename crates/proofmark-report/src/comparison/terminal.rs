//! A comparison on a terminal: the interval first, its words after it, then what it rests on.

use proofmark_evidence::Recorded;
use proofmark_evidence::record::Conclusion;
use proofmark_terms::BuildIndex;

use super::finding::{Finding, a_run, basis, findings};
use super::rows::ABREAST;
use super::self_test;
use crate::headline::headline;
use crate::method::{build_name, method};
use crate::row::{Columns, Row};
use crate::style::Style;
use crate::table::table;
use crate::text::{flowed, shortened, untied, wrapped};
use crate::wording::{metric_name, ratio_of};

/// The lines of a comparison that has a conclusion.
pub(crate) fn lines(recorded: &Recorded, conclusion: &Conclusion, style: Style) -> Vec<String> {
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
    let rows = finding.rows.all();
    lines.extend(rows.flat_map(|row| columns.lines(style, row)));
    lines
}

fn many(
    recorded: &Recorded,
    conclusion: &Conclusion,
    findings: &[Finding],
    style: Style,
) -> Vec<String> {
    let base = shortened(&build_name(recorded, BuildIndex::BASE), 24);
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
        let values = finding.rows.abreast().map(str::to_owned);
        [finding.new.clone()].into_iter().chain(values).collect()
    };
    let header: Vec<&str> = ["build"].into_iter().chain(ABREAST).collect();
    lines.extend(table(style, 4, &header, findings.iter().map(details)));
    let columns = Columns::of(style);
    let alone = findings.iter().filter_map(expectations);
    let test = self_test::row(recorded, conclusion);
    lines.extend(alone.chain(test).flat_map(|row| columns.lines(style, &row)));
    lines
}

/// What one of several builds makes of the project's expectations, with its name: no table has the
/// room for it.
fn expectations(finding: &Finding) -> Option<Row> {
    let row = finding.rows.expectations.as_ref()?;
    Some(Row {
        label: row.label,
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
