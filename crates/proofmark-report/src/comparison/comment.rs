//! A comparison in a comment: the verdict, and what tells whether it is the change.

use proofmark_evidence::Recorded;
use proofmark_evidence::record::Conclusion;
use proofmark_terms::BuildIndex;

use super::finding::{Finding, basis, findings};
use crate::comment::{ROWS, cut, grid};
use crate::method::build_name;
use crate::style::Tone;
use crate::wording::{comparatives, metric_name, ratio_of};

/// Longest name of a build.
const NAME: usize = 24;

/// The answer, what it rests on, and the table.
pub(crate) fn parts(
    recorded: &Recorded,
    conclusion: &Conclusion,
) -> ((String, String), Vec<String>) {
    let findings = findings(recorded, conclusion, NAME);
    match findings.as_slice() {
        [finding] => one(recorded, finding),
        several => many(recorded, several),
    }
}

fn one(recorded: &Recorded, finding: &Finding) -> ((String, String), Vec<String>) {
    let Finding {
        metric,
        new,
        base,
        figure,
        short,
        long,
        when,
        rows,
        ..
    } = finding;
    let answer = (long.clone(), format!("{}, {when}", basis(recorded)));
    let header = ["", &format!("{metric} {}", ratio_of(new, base)), ""].map(str::to_owned);
    let first = vec![new.clone(), figure.clone(), short.clone()];
    let below = rows
        .few()
        .take(ROWS - 1)
        .map(|row| vec![row.label.to_owned(), row.value.clone(), few(&row.words)]);
    let rows: Vec<Vec<String>> = [first].into_iter().chain(below).collect();
    (answer, grid(3, &header, &rows))
}

/// A line's words without what a colon explains, where enough stands in front of it.
fn few(words: &str) -> String {
    match words.split_once(": ") {
        Some((first, _)) if first.contains(' ') => first.to_owned(),
        _ => words.to_owned(),
    }
}

fn many(recorded: &Recorded, findings: &[Finding]) -> ((String, String), Vec<String>) {
    let base = cut(&build_name(recorded, BuildIndex::BASE), NAME);
    let metric = &recorded.experiment.benchmark.metric;
    let tones: Vec<Tone> = findings.iter().map(|finding| finding.tone).collect();
    let answer = format!(
        "Of {} builds against {base}: {}",
        findings.len(),
        counts(&tones, comparatives(metric))
    );
    let header = ["build", &format!("{} new/base", metric_name(metric)), ""].map(str::to_owned);
    let mut ordered: Vec<&Finding> = findings.iter().collect();
    if findings.len() > ROWS {
        ordered.sort_by_key(|finding| weight(finding.tone));
    }
    let rows = ordered.into_iter().map(|finding| {
        vec![
            finding.new.clone(),
            finding.figure.clone(),
            finding.short.clone(),
        ]
    });
    let rows: Vec<Vec<String>> = rows.collect();
    ((answer, basis(recorded)), grid(3, &header, &rows))
}

/// `1 faster, 2 equivalent or negligible`.
pub(crate) fn counts(tones: &[Tone], [improved, worsened]: [&str; 2]) -> String {
    let each = [
        (Tone::Worse, worsened),
        (Tone::Better, improved),
        (Tone::Even, "equivalent or negligible"),
        (Tone::Open, "undecided"),
    ];
    let each = each.into_iter().filter_map(|(tone, word)| {
        let count = tones.iter().filter(|&&one| one == tone).count();
        (count > 0).then(|| format!("{count} {word}"))
    });
    each.collect::<Vec<String>>().join(", ")
}

/// What is seen first where not all can be: a change for the worse.
fn weight(tone: Tone) -> u8 {
    match tone {
        Tone::Worse => 0,
        Tone::Better => 1,
        Tone::Open => 2,
        Tone::Even | Tone::Figure | Tone::Aside => 3,
    }
}
