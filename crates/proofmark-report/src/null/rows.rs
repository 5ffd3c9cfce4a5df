//! A null test: how often this set-up would cry wolf.

use proofmark_evidence::Recorded;
use proofmark_evidence::record::{Alarms, NullConclusion, PositionBias};
use proofmark_terms::BuildIndex;

use crate::method::build_name;
use crate::number::{self, rough, setting, signed};
use crate::row::Row;
use crate::style::Tone;
use crate::wording::{Pair, say};

/// Below this probability a place in the round is taken to matter.
const BIASED: f64 = 0.01;

/// Below this p value there is a weak sign of it.
const HINTED: f64 = 0.05;

/// `0.8 % [0.5 %, 1.2 %]`.
pub(crate) fn rate(alarms: &Alarms) -> String {
    let [rate, low, high] =
        [alarms.rate, alarms.low, alarms.high].map(|share| format!("{:.1}", share * 100.0));
    format!("{rate} % [{low}, {high}]").replace(' ', "\u{a0}")
}

/// What the alarm rate says.
pub(crate) fn judged(alarms: &Alarms) -> (String, Tone) {
    let allowed = setting(alarms.allowed);
    if alarms.low > alarms.allowed {
        (format!("more than the {allowed} allowed"), Tone::Worse)
    } else if alarms.high <= alarms.allowed {
        (format!("no more than the {allowed} allowed"), Tone::Better)
    } else {
        (
            format!("perhaps more than the {allowed} allowed"),
            Tone::Open,
        )
    }
}

/// What stands below the alarm rate.
pub(crate) fn rows(recorded: &Recorded, null: &NullConclusion) -> Vec<Row> {
    let experiment = &recorded.experiment;
    let base = build_name(recorded, BuildIndex::BASE);
    let pair = Pair {
        new: "the copy",
        base: &base,
    };
    let said = say(
        null.verdict,
        &null.interval,
        &experiment.benchmark.metric,
        experiment.design.margin,
        None,
        pair,
    );
    let itself = Row {
        label: "copy/itself",
        value: number::interval(&null.interval),
        words: said.long,
    };
    let spread = Row {
        label: "spread",
        value: rough(null.spread.exp_m1()),
        words: null.resolvable.map_or_else(
            || "of one block's effect".to_owned(),
            |effect| {
                format!(
                    "of one block's effect; so many blocks can detect {} or more",
                    rough(effect)
                )
            },
        ),
    };
    [itself, spread]
        .into_iter()
        .chain(null.position.as_ref().map(position))
        .collect()
}

fn position(bias: &PositionBias) -> Row {
    let places: Vec<String> = bias
        .by_position
        .iter()
        .map(|effect| signed(effect.exp_m1()))
        .collect();
    let verdict = if bias.p < BIASED {
        "the place within the round matters; its order is redrawn each round, so it averages out"
    } else if bias.p < HINTED {
        "a weak sign that the place within the round matters; its order is redrawn each round"
    } else {
        "no sign that the place within the round matters"
    };
    let p = if bias.p < 0.1 {
        format!("{:.3}", bias.p)
    } else {
        format!("{:.2}", bias.p)
    };
    let words = format!("{verdict} (p = {p}; by place {})", places.join(", "));
    let largest = bias
        .by_position
        .iter()
        .map(|effect| effect.abs())
        .fold(0.0, f64::max);
    Row {
        label: "position",
        value: rough(largest.exp_m1()),
        words,
    }
}
