//! A sweep as a picture: the map of the metric, and below it that of stability.

use proofmark_evidence::RecordedSweep;
use proofmark_evidence::record::{ByChance, Sweep};
use proofmark_picture::{Format, HeatCell, HeatMap, PictureError, Theme, heat_maps};

use super::grid::Grid;
use super::rows::{SEEN, functions, is_shipped};

/// Which of its places moves, where it is not the start.
fn within(sweep: &Sweep) -> String {
    let inside = sweep.inside.as_ref();
    inside.map_or(String::new(), |inside| format!("+{:#x}", inside.offset))
}

/// What a map says of itself where its colours are noise: they go from end to end all the same.
fn by_chance(by: Option<ByChance>) -> &'static str {
    match by {
        Some(by) if by.p_value > SEEN => "; no difference beyond chance",
        Some(_) | None => "",
    }
}

/// A sweep as a picture.
///
/// # Errors
/// When it has no conclusion, or cannot be drawn.
pub fn picture(
    recorded: &RecordedSweep,
    format: Format,
    theme: Theme,
) -> Result<Vec<u8>, PictureError> {
    let conclusion = recorded.conclusion.as_ref().ok_or(PictureError::Empty)?;
    let grid = Grid::of(&recorded.sweep);
    let sweep = &recorded.sweep;
    let name = sweep.benchmark.metric.name();
    let marked = sweep
        .addresses
        .iter()
        .position(|one| is_shipped(sweep, one))
        .and_then(|index| grid.place(index));
    let framed = if marked.is_some() {
        "; framed: as shipped"
    } else {
        ""
    };
    let time = |index: usize| {
        let found = conclusion.addresses.get(index)?;
        let percent = (found.ratio - 1.0) * 100.0;
        Some(HeatCell {
            value: found.ratio,
            text: if percent.abs() < 9.95 {
                format!("{percent:+.1}")
            } else {
                format!("{percent:+.0}")
            },
        })
    };
    let spread = |index: usize| {
        let value = conclusion.addresses.get(index)?.spread?;
        Some(HeatCell {
            value,
            text: format!("{value:.1}"),
        })
    };
    let map =
        |title: String, about: String, scale: String, cell: &dyn Fn(usize) -> Option<HeatCell>| {
            let row =
                |cells: &Vec<Option<usize>>| cells.iter().map(|one| one.and_then(cell)).collect();
            HeatMap {
                title,
                about,
                columns: grid.columns.clone(),
                rows: grid.rows.clone(),
                cells: grid.cells.iter().map(row).collect(),
                scale,
                marked: marked.into_iter().collect(),
            }
        };
    let mut maps = vec![map(
        format!(
            "{}{} of {}",
            functions(sweep),
            within(sweep),
            sweep.build.name
        ),
        format!(
            "{name} against as shipped, in percent{framed}{}",
            by_chance(conclusion.differ)
        ),
        format!("{name} ÷ as shipped"),
        &time,
    )];
    if conclusion.addresses.iter().any(|one| one.spread.is_some()) {
        maps.push(map(
            "Stability".to_owned(),
            format!(
                "spread of runs ÷ as shipped in the same rounds{framed}{}",
                by_chance(conclusion.stability)
            ),
            "spread ÷ as shipped".to_owned(),
            &spread,
        ));
    }
    heat_maps(&maps, format, theme)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_map_of_noise_says_so() {
        let of = |p_value| by_chance(Some(ByChance { p_value }));
        assert_eq!(of(0.95), "; no difference beyond chance");
        assert_eq!([of(0.05), of(0.001), by_chance(None)], [""; 3]);
    }
}
