//! A comparison for a pull request: the finding, and what is folded below it.

use proofmark_evidence::Recorded;
use proofmark_evidence::record::Conclusion;
use proofmark_terms::BuildIndex;

use super::finding::{Finding, a_run, basis, findings};
use crate::markup::{escaped, rows_table};
use crate::method::build_name;
use crate::wording::{metric_name, ratio_of};

type Lines = Vec<String>;

/// What is seen at once, and what is folded.
pub(crate) fn lines(recorded: &Recorded, conclusion: &Conclusion) -> (Lines, Lines) {
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
    (head, rows_table(finding.rows.all()))
}

fn many(recorded: &Recorded, findings: &[Finding], runs: Option<String>) -> (Lines, Lines) {
    let base = escaped(&build_name(recorded, BuildIndex::BASE));
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
            .chain(rows_table(finding.rows.all()))
    });
    (head, details.collect())
}
