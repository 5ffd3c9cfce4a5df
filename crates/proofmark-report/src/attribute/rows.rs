//! What an attribution says, in sentences and rows; how they are arranged is the others'.

use proofmark_evidence::RecordedAttribution;
use proofmark_evidence::record::{
    Attribution, AttributionConclusion, AttributionStop, ByPlaceFeature, FunctionPart, HotFunction,
    PlaceFeature, SampledBy,
};
use proofmark_hint::hint;

use super::feature;
use super::figures::{interval, name, percent};
use super::screening;
use crate::line::Line;
use crate::method;
use crate::number::{counted, grouped};
use crate::warning::remarked;

/// Most functions that are named for another reason than that they stand out.
const NAMED: usize = 4;

/// Shares below this are 0 % in whole per cents.
const LEAST: f64 = 0.005;

/// What all functions are called that were not looked at singly.
pub(super) const OTHERS: &str = "all other functions";

/// Whether layouts differ beyond the noise: by their spread, or because one place does something.
pub(super) fn differ(conclusion: &AttributionConclusion) -> bool {
    conclusion.spread.low > 0.0 || conclusion.functions.iter().any(|part| part.named)
}

/// The functions that stand out.
pub(super) fn named(conclusion: &AttributionConclusion) -> Vec<&FunctionPart> {
    let parts = conclusion.functions.iter();
    parts.filter(|part| part.named).collect()
}

/// The answer.
pub(super) fn headline(
    recorded: &RecordedAttribution,
    conclusion: &AttributionConclusion,
) -> String {
    if let Some(screening) = screening::ended(recorded) {
        return screening::headline(screening);
    }
    let attribution = &recorded.attribution;
    let spread = &conclusion.spread;
    let of = if differ(conclusion) {
        format!(
            "of the spread between layouts ({})",
            percent(spread.estimate)
        )
    } else {
        format!(
            "layouts do not differ beyond the noise of runs (at most {})",
            percent(spread.high)
        )
    };
    let named = named(conclusion);
    if named.is_empty() {
        let which = match attribution.functions.len() {
            1 => "the place of the one function in question explains nothing".to_owned(),
            count => format!("the place of none of {count} functions stands out"),
        };
        return if differ(conclusion) {
            let spread = percent(spread.estimate);
            let others = match &conclusion.others {
                Some(others) if others.first.low > 0.0 => format!(
                    "; what carries it is elsewhere: all other functions together explain {}",
                    interval(&others.first)
                ),
                _ => String::new(),
            };
            format!("layouts spread by {spread}, and {which} beyond chance{others}")
        } else {
            format!("{of}, and {which}")
        };
    }
    let told = worth_telling(&named);
    let parts: Vec<String> = told
        .iter()
        .map(|part| explains(&name(attribution, part), part))
        .collect();
    let joined = parts.join(", and ");
    let looked_at = attribution
        .screening
        .as_ref()
        .map(|one| one.functions.len());
    let looked_at = looked_at.unwrap_or(attribution.functions.len());
    let rest = if named.len() > told.len() {
        "; nothing else explains 1 %"
    } else if looked_at > named.len() {
        "; nothing else stands out"
    } else {
        ""
    };
    format!("{of} {joined}{rest}")
}

/// Of the functions that stand out, those whose place explains more than nothing in whole per
/// cents, by itself or for certain together with others; all, where that is so of none.
fn worth_telling<'a>(named: &[&'a FunctionPart]) -> Vec<&'a FunctionPart> {
    let is_more = |part: &&&FunctionPart| {
        let by_itself = part.first.is_none_or(|first| first.share >= LEAST);
        by_itself || part.total.is_some_and(|total| total.low >= LEAST)
    };
    let told: Vec<&FunctionPart> = named.iter().filter(is_more).copied().collect();
    if told.is_empty() {
        named.to_vec()
    } else {
        told
    }
}

/// What the place of a function explains.
fn explains(name: &str, part: &FunctionPart) -> String {
    let (first, total) = (part.first.as_ref(), part.total.as_ref());
    let by_itself = first.filter(|first| first.share >= LEAST);
    match (by_itself, total.filter(|total| total.low >= LEAST)) {
        (Some(first), _) => format!("the place of {name} explains {}", interval(first)),
        (None, Some(total)) => format!(
            "the place of {name} explains {} together with others",
            interval(total)
        ),
        (None, None) if first.is_some() => {
            format!("the place of {name} matters, and explains less than 1 %")
        }
        (None, None) => format!("the place of {name} matters"),
    }
}

/// What shows more: of the first function that stands out, or where nothing was measured.
pub(super) fn next(
    recorded: &RecordedAttribution,
    conclusion: &AttributionConclusion,
) -> Option<String> {
    if screening::ended(recorded).is_some() {
        return Some(screening::next(recorded));
    }
    let attribution = &recorded.attribution;
    let first = *worth_telling(&named(conclusion)).first()?;
    let function = first.function.of(&attribution.functions)?;
    let argv: Vec<String> = attribution
        .benchmark
        .argv
        .iter()
        .map(|word| word.display().into_owned())
        .collect();
    let mut words = vec![
        attribution.build.name.as_str(),
        "--function",
        called(function),
        "--",
    ];
    words.extend(argv.iter().map(String::as_str));
    Some(format!("{} shows it", hint("sweep", &words)))
}

/// What a command calls a function: by its symbol, or by its name where that tells it from others
/// of one name.
fn called(function: &HotFunction) -> &str {
    if function.name == proofmark_code::demangle(&function.symbol) {
        &function.symbol
    } else {
        &function.name
    }
}

/// What else there is to say, in lines.
pub(super) fn lines(
    recorded: &RecordedAttribution,
    conclusion: &AttributionConclusion,
) -> Vec<Line> {
    let attribution = &recorded.attribution;
    let spread = &conclusion.spread;
    let screened_before = attribution.screening.as_ref().map(|screening| Line {
        label: "screening",
        words: screening::words(screening),
    });
    if conclusion.stop == AttributionStop::Screened {
        return screened_before.into_iter().collect();
    }
    let mut lines = vec![Line {
        label: "spread",
        words: format!(
            "{} [{}, {}] between layouts (standard deviation); noise of one measurement of a \
             layout {}, removed",
            percent(spread.estimate),
            percent(spread.low),
            percent(spread.high),
            percent(spread.noise)
        ),
    }];
    lines.extend(screened_before);
    lines.extend(with_others(attribution, conclusion));
    lines.extend(features(attribution, conclusion));
    lines.push(Line {
        label: "in question",
        words: in_question(attribution),
    });
    lines.extend(left_out(attribution));
    lines.extend(screened(conclusion));
    lines.push(Line {
        label: "measured",
        words: measured(recorded, conclusion),
    });
    lines
}

/// Functions whose place does more together with others than by itself.
fn with_others(attribution: &Attribution, conclusion: &AttributionConclusion) -> Option<Line> {
    let more = |part: &&&FunctionPart| match (&part.first, &part.total) {
        (Some(first), Some(total)) => total.low > first.high,
        _ => false,
    };
    let named = named(conclusion);
    let names: Vec<String> = named
        .iter()
        .filter(more)
        .map(|part| name(attribution, part))
        .collect();
    (!names.is_empty()).then(|| Line {
        label: "together",
        words: format!(
            "what {} do{} depends on where others are: the total share is the larger one",
            names.join(", "),
            if names.len() == 1 { "es" } else { "" }
        ),
    })
}

/// What of the places goes with the metric: a description, and no cause.
fn features(attribution: &Attribution, conclusion: &AttributionConclusion) -> Vec<Line> {
    let line = |part: &&FunctionPart| {
        let is_start = |told: &ByPlaceFeature| matches!(told.feature, PlaceFeature::Start { .. });
        let told = part.by_feature.as_ref()?;
        Some(Line {
            label: if told.explains && is_start(told) {
                "start"
            } else {
                "feature"
            },
            words: feature::words(attribution, part)?,
        })
    };
    named(conclusion).iter().filter_map(line).collect()
}

fn in_question(attribution: &Attribution) -> String {
    let count = u32::try_from(attribution.functions.len()).unwrap_or(u32::MAX);
    let functions = counted(count, "function", "functions");
    if attribution.screening.is_some() {
        return format!("{functions}, which stood out in the screening");
    }
    let Some(sampled) = &attribution.sampled else {
        return format!("{functions}, as asked for");
    };
    let own: u64 = attribution
        .functions
        .iter()
        .filter_map(|one| one.samples)
        .sum();
    let (what, by) = match sampled.by {
        SampledBy::Clock => ("samples", "the kernel's clock"),
        SampledBy::Callgrind => ("instructions", "callgrind"),
    };
    format!(
        "{functions} with {:.0} % of {} {what} of runs by {by}, which are not among those \
         measured; all other functions of the image are drawn with them in each layout",
        own as f64 / sampled.total.max(1) as f64 * 100.0,
        grouped(sampled.total)
    )
}

fn left_out(attribution: &Attribution) -> Option<Line> {
    let names: Vec<String> = attribution
        .left_out
        .iter()
        .take(NAMED)
        .map(|one| format!("{}: {}", one.name, one.why))
        .collect();
    let more = attribution.left_out.len().saturating_sub(NAMED);
    let more = if more > 0 {
        format!("; and {more} more")
    } else {
        String::new()
    };
    (!names.is_empty()).then(|| Line {
        label: "left out",
        words: names.join("; ") + &more,
    })
}

/// The functions that went out on the way.
fn screened(conclusion: &AttributionConclusion) -> Option<Line> {
    let dropped: usize = conclusion
        .screened
        .iter()
        .filter(|group| !group.kept)
        .map(|group| group.functions.len())
        .sum();
    (dropped > 0).then(|| Line {
        label: "on the way",
        words: format!(
            "{dropped} went out in groups that seemed to explain less than others did; the names \
             rest on later blocks alone"
        ),
    })
}

fn measured(recorded: &RecordedAttribution, conclusion: &AttributionConclusion) -> String {
    let attribution = &recorded.attribution;
    let before = u32::try_from(recorded.blocks.len())
        .unwrap_or(u32::MAX)
        .saturating_sub(conclusion.blocks);
    let screening = if before > 0 {
        format!(" after {before} of groups")
    } else {
        String::new()
    };
    let why = match conclusion.stop {
        AttributionStop::Done | AttributionStop::Screened => "",
        AttributionStop::Budget => "; the budget ended it",
    };
    format!(
        "{} of single functions{screening}, each layout twice {} in fresh copies, {:.0} s, {:.0} % \
         of it in runs{why}",
        counted(conclusion.blocks, "block", "blocks"),
        counted(attribution.rounds, "round", "rounds"),
        conclusion.took_ms as f64 / 1e3,
        conclusion.in_runs_ms as f64 / conclusion.took_ms.max(1) as f64 * 100.0
    )
}

/// What a reader must know, in words.
pub(super) fn notes(recorded: &RecordedAttribution) -> Vec<String> {
    let remarks = recorded.attribution.remarks.iter().map(remarked);
    let private = method::left_out(recorded.private).map(str::to_owned);
    remarks.chain(private).collect()
}

#[cfg(test)]
mod tests {
    use proofmark_evidence::record::{ByChance, ShareFound};
    use proofmark_terms::FunctionIndex;

    use super::*;

    fn part(first: f64, total: f64) -> FunctionPart {
        let share = |share: f64| ShareFound {
            share,
            low: f64::max(share - 0.02, 0.0),
            high: share + 0.02,
        };
        FunctionPart {
            function: FunctionIndex::at(0),
            by_chance: ByChance { p_value: 0.001 },
            named: true,
            first: Some(share(first)),
            total: Some(share(total)),
            by_feature: None,
        }
    }

    #[test]
    fn what_explains_nothing_is_in_the_headline_only_where_nothing_else_is() {
        let (all, nothing, with_others) = (part(0.997, 1.0), part(0.001, 0.01), part(0.0, 0.4));
        assert_eq!(worth_telling(&[&all, &nothing]), [&all]);
        assert_eq!(worth_telling(&[&nothing]), [&nothing]);
        assert_eq!(worth_telling(&[&nothing, &with_others]), [&with_others]);
        for (part, words) in [
            (&all, "the place of f explains 100 % [98, 102]"),
            (
                &nothing,
                "the place of f matters, and explains less than 1 %",
            ),
            (
                &with_others,
                "the place of f explains 40 % [38, 42] together with others",
            ),
        ] {
            assert_eq!(explains("f", part), words);
        }
    }
}
