//! What measuring a matrix will take, in words: layouts, blocks, time.

use proofmark_conclude::{MatrixForecast, PlannedLayouts, PlannedMember};
use proofmark_evidence::record::LayoutControl;

use crate::number::{counted, duration, seconds};
use crate::text::{TIE, one_line, printable};
use crate::wording::{drawing_name, drawing_reason};

/// Layouts, blocks and time, a paragraph each.
pub(super) fn paragraphs(forecast: &MatrixForecast) -> Vec<String> {
    if forecast.members.is_empty() {
        return Vec::new();
    }
    let mut all = vec![layouts(forecast), blocks(forecast), time(forecast)];
    all.extend(begun(forecast));
    all
}

fn layouts(forecast: &MatrixForecast) -> String {
    let how = match &forecast.layouts {
        PlannedLayouts::Known(control) => known(control),
        PlannedLayouts::ByCode {
            population,
            matched_up_to,
        } => format!(
            "{population}, matched where at most {matched_up_to}{TIE}% of the code differs between the cells, independent otherwise; `matrix run` finds out when it links them"
        ),
        PlannedLayouts::Refused(why) => format!("`matrix run` would refuse: {}", one_line(why)),
    };
    let varied = !matches!(
        forecast.layouts,
        PlannedLayouts::Known(LayoutControl::AsShipped { .. }) | PlannedLayouts::Refused(_)
    );
    let by = match forecast.linkers.as_slice() {
        _ if !varied => String::new(),
        [] => String::new(),
        [(one, _)] => format!(". Linked by {}", printable(one)),
        several => {
            let each = |(linker, cells): &(String, Vec<String>)| {
                format!("{} ({})", printable(linker), printable(&cells.join(", ")))
            };
            let each: Vec<String> = several.iter().map(each).collect();
            format!(". Linked by {}", each.join("; "))
        }
    };
    format!("layouts: {how}{by}")
}

fn known(control: &LayoutControl) -> String {
    match control {
        LayoutControl::Drawn { how, population } => {
            let reason = drawing_reason(how);
            let reason = reason.map_or_else(String::new, |why| format!(": {}", printable(why)));
            format!("{}{TIE}({population}){reason}", drawing_name(how))
        }
        LayoutControl::AsShipped { reason } => format!("not varied: {}", printable(reason)),
    }
}

fn blocks(forecast: &MatrixForecast) -> String {
    let (least, most) = (forecast.min_blocks, forecast.max_blocks);
    let number = if least == most {
        format!("exactly {}", counted(most, "block", "blocks"))
    } else {
        format!("{least} to {}", counted(most, "block", "blocks"))
    };
    let cells = u32::try_from(forecast.cells.len()).unwrap_or(u32::MAX);
    let each = if forecast.members.len() > 1 {
        " of each benchmark and size"
    } else {
        ""
    };
    format!(
        "blocks: {number}{each}, with one image of each of {} at first; a cell leaves when it is decided",
        counted(cells, "cell", "cells")
    )
}

fn time(forecast: &MatrixForecast) -> String {
    let budget = forecast.budget_ms.map(duration);
    let unknown: Vec<String> = forecast
        .members
        .iter()
        .filter(|member| member.block.is_none())
        .map(name)
        .collect();
    let Some((least, most)) = forecast.seconds() else {
        let why = if unknown.len() == forecast.members.len() {
            "nothing of it was measured here".to_owned()
        } else {
            format!("never measured here: {}", unknown.join(", "))
        };
        let limit = match budget {
            Some(budget) => {
                format!("at most {budget} (--budget), or a refusal if the fewest blocks do not fit")
            }
            None => "no limit: --budget TIME sets one".to_owned(),
        };
        return format!("measuring: not known before the first block ({why}); {limit}");
    };
    #[expect(clippy::cast_precision_loss, reason = "a rough figure")]
    let in_seconds = forecast.budget_ms.map(|budget| budget as f64 / 1e3);
    let small = in_seconds.is_some_and(|budget| budget < least);
    let most = match forecast.budget_ms {
        Some(budget) if in_seconds.is_some_and(|budget| most >= budget) => duration(budget),
        _ => seconds(most),
    };
    let least = seconds(least);
    let range = if small {
        format!("about {least} for the fewest blocks")
    } else if least == most {
        format!("about {least}")
    } else {
        format!("about {least} to {most}")
    };
    let pilots = match budget {
        Some(budget) if small => format!(
            ", more than {budget} (--budget, pilots included): a run refuses, unless fewer rounds will do"
        ),
        Some(budget) => format!(", within {budget} (--budget, pilots included)"),
        None => ", and the pilots before".to_owned(),
    };
    let mut text = format!(
        "measuring: {range}{pilots}; by what {} measured",
        sources(forecast)
    );
    let guessed = forecast.members.iter();
    let guessed = guessed.filter_map(|member| member.block.as_ref());
    match guessed.map(|block| block.guessed).max() {
        None | Some(0) => {}
        Some(cells) => text.push_str(&format!(
            "; {} never measured, assumed to be like the others",
            counted(cells, "cell", "cells")
        )),
    }
    text
}

/// The matrices that the times are from.
fn sources(forecast: &MatrixForecast) -> String {
    let mut ids: Vec<&str> = Vec::new();
    for block in forecast.members.iter().filter_map(|of| of.block.as_ref()) {
        if !ids.contains(&block.by.short()) {
            ids.push(block.by.short());
        }
    }
    let word = if ids.len() == 1 { "matrix" } else { "matrices" };
    format!("{word}{TIE}{}", ids.join(", "))
}

fn name(member: &PlannedMember) -> String {
    let size = member.size.as_ref();
    let size = size.map(|size| format!("{TIE}{}={}", size.name, size.value));
    format!(
        "{}{}",
        printable(&member.benchmark),
        size.unwrap_or_default()
    )
}

fn begun(forecast: &MatrixForecast) -> Option<String> {
    let begun = forecast.begun.as_ref()?;
    let id = begun.id.short();
    Some(match begun.concluded {
        Some(blocks) => format!(
            "these very builds were measured: matrix{TIE}{id}, {}. `proofmark matrix run` adds only what is still asked, or nothing; --fresh begins anew",
            counted(blocks, "block", "blocks")
        ),
        None => format!("matrix{TIE}{id} was interrupted: `proofmark matrix run` goes on with it"),
    })
}
