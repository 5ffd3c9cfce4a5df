//! An attribution as a picture: a bar for each function, with its interval.

use proofmark_evidence::RecordedAttribution;
use proofmark_evidence::record::AttributionConclusion;
use proofmark_picture::{Bar, Bars, Format, PictureError, Theme, bars};

use super::figures::{interval, name};
use super::rows::{OTHERS, differ, named};

/// What fits into a line.
fn about(recorded: &RecordedAttribution, conclusion: &AttributionConclusion) -> String {
    let percent = |spread: f64| format!("{:.1} %", spread * 100.0);
    let spread = if differ(conclusion) {
        format!(
            "spread between layouts {}",
            percent(conclusion.spread.estimate)
        )
    } else {
        let most = percent(conclusion.spread.high);
        format!("layouts do not differ beyond the noise of runs (at most {most})")
    };
    let names: Vec<String> = named(conclusion)
        .into_iter()
        .map(|part| name(&recorded.attribution, part))
        .collect();
    match names.as_slice() {
        [] => format!("{spread}; no function stands out beyond chance"),
        [one] => format!("{spread}; {one} stands out"),
        [one, rest @ ..] => format!("{spread}; {one} and {} more stand out", rest.len()),
    }
}

/// An attribution as a picture.
///
/// # Errors
/// When it has no conclusion or no function, or cannot be drawn.
pub fn picture(
    recorded: &RecordedAttribution,
    format: Format,
    theme: Theme,
) -> Result<Vec<u8>, PictureError> {
    let conclusion = recorded.conclusion.as_ref().ok_or(PictureError::Empty)?;
    let attribution = &recorded.attribution;
    // Where layouts do not differ there are no shares, and a name stands by itself.
    let bar = |part: &proofmark_evidence::record::FunctionPart| Bar {
        name: name(attribution, part),
        share: part
            .first
            .map_or([0.0; 3], |first| [first.low, first.share, first.high]),
        beside: part.total.map(|total| total.share),
        stands_out: part.named,
        text: part.first.map_or("–".to_owned(), |first| interval(&first)),
    };
    let others = conclusion.others.as_ref().map(|others| Bar {
        name: OTHERS.to_owned(),
        share: [others.first.low, others.first.share, others.first.high],
        beside: Some(others.total.share),
        stands_out: false,
        text: interval(&others.first),
    });
    let picture = Bars {
        title: format!("Whose place matters in {}", attribution.build.name),
        about: about(recorded, conclusion),
        axis: "share of the variance between layouts; ring: together with others".to_owned(),
        bars: conclusion.functions.iter().map(bar).chain(others).collect(),
    };
    bars(&picture, format, theme)
}
