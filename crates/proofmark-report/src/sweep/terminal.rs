//! A sweep on a terminal: the answer, the map, what there is to say, the map of stability.

use anstyle::{Color, RgbColor, Style as Paint};
use proofmark_evidence::RecordedSweep;
use proofmark_evidence::record::{Sweep, SweepConclusion};
use proofmark_hint::hint;
use proofmark_picture::on_scale;

use super::grid::Grid;
use super::rows::{SEEN, headline, is_shipped, lines, notes, together};
use crate::number::duration;
use crate::style::{Style, Tone};
use crate::text::{padded, printable, width, wrapped};

/// Columns of a label.
const LABEL: usize = 12;
/// Columns of a cell.
const CELL: usize = 4;

/// A sweep as text, no wider than 80 columns where the style asks for that.
#[must_use]
pub fn terminal(recorded: &RecordedSweep, style: &Style) -> String {
    let mut out = Vec::new();
    let Some(conclusion) = &recorded.conclusion else {
        let blocks = recorded.blocks.len();
        return format!(
            "sweep {}: interrupted after {blocks} blocks; the same command goes on from there\n",
            recorded.id.short()
        );
    };
    let answer = headline(recorded, conclusion);
    for line in wrapped(&answer, style.columns(), "", "") {
        out.push(style.paint(Tone::Figure, &line));
    }
    out.push(String::new());
    let grid = Grid::of(&recorded.sweep);
    let name = printable(recorded.sweep.benchmark.metric.name());
    let ratios: Vec<Option<f64>> = conclusion
        .addresses
        .iter()
        .map(|found| Some(found.ratio))
        .collect();
    let shipped = shipped(recorded);
    out.extend(map(
        *style,
        &grid,
        &ratios,
        &format!("{name} ÷ as shipped, {}", axes(&recorded.sweep)),
        shipped,
    ));
    if let Some(against) = &recorded.sweep.against {
        let words = format!(
            "rows: where {} starts; columns: the lowest twelve bits of where {} does",
            together(&recorded.sweep.functions),
            together(&against.functions)
        );
        out.extend(wrapped(&words, style.columns(), "  ", "  "));
    }
    out.push(String::new());
    for line in lines(recorded, conclusion) {
        let begin = format!("  {}", padded(line.label, LABEL));
        let hanging = " ".repeat(2 + LABEL);
        out.extend(wrapped(&line.words, style.columns(), &begin, &hanging));
    }
    for note in notes(recorded) {
        let begin = format!("  {}", padded("note", LABEL));
        let hanging = " ".repeat(2 + LABEL);
        out.extend(wrapped(&note, style.columns(), &begin, &hanging));
    }
    let title = format!("spread of runs ÷ as shipped, {}", axes(&recorded.sweep));
    out.extend(stability(*style, &grid, conclusion, (&title, shipped)));
    let id = recorded.id.short();
    let again = format!(
        "sweep {id} · every run: {}",
        hint("sweep --csv --show", &[id])
    );
    out.push(String::new());
    out.push(style.paint(Tone::Aside, &again));
    out.push(String::new());
    out.join("\n")
}

/// How far a sweep has come, in a line: blocks of each address, with the fewest.
#[must_use]
pub fn progress(
    (blocks, fewest): (f64, u32),
    addresses: usize,
    afresh: bool,
    elapsed_ms: u64,
) -> String {
    let took = duration(elapsed_ms);
    if afresh {
        return format!("the extremes afresh, {took}");
    }
    format!("{blocks:.1} blocks (at least {fewest}) at each of {addresses} addresses, {took}")
}

/// The index of the address that is as shipped, where it was swept.
fn shipped(recorded: &RecordedSweep) -> Option<usize> {
    let sweep = &recorded.sweep;
    sweep
        .addresses
        .iter()
        .position(|one| is_shipped(sweep, one))
}

/// What rows and columns are.
fn axes(sweep: &Sweep) -> &'static str {
    if sweep.against.is_some() {
        "by both addresses"
    } else {
        "by address"
    }
}

/// The map of stability, where addresses differ in it.
fn stability(
    style: Style,
    grid: &Grid,
    conclusion: &SweepConclusion,
    (title, shipped): (&str, Option<usize>),
) -> Vec<String> {
    let spreads: Vec<Option<f64>> = conclusion.addresses.iter().map(|one| one.spread).collect();
    let differ = conclusion.stability.is_some_and(|by| by.p_value <= SEEN);
    if !differ || spreads.iter().flatten().count() < 2 {
        return Vec::new();
    }
    let mut out = vec![String::new()];
    out.extend(map(style, grid, &spreads, title, shipped));
    out
}

/// A heat map in text: each cell a digit from 0 for the least value to 9 for the greatest, in the
/// colour of its value where there is colour.
fn map(
    style: Style,
    grid: &Grid,
    values: &[Option<f64>],
    title: &str,
    shipped: Option<usize>,
) -> Vec<String> {
    let known = values.iter().flatten().copied();
    let (least, most) = known.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| {
        (low.min(value), high.max(value))
    });
    let scale = format!("0 = {least:.3} … 9 = {most:.3}   [ ] as shipped");
    let head = format!("  {title}   {scale}");
    let mut out = if width(&head) <= style.columns() {
        vec![head]
    } else {
        vec![format!("  {title}"), format!("  {scale}")]
    };
    let label = grid
        .rows
        .iter()
        .map(|row| row.chars().count())
        .max()
        .unwrap_or(0);
    let mut head = " ".repeat(label + 2);
    for column in &grid.columns {
        head.push_str(&format!("{column:>width$} ", width = CELL - 1));
    }
    out.push(style.paint(Tone::Aside, head.trim_end()));
    for (row, cells) in grid.rows.iter().zip(&grid.cells) {
        let mut line = style.paint(Tone::Aside, &format!("{row:>label$}  "));
        for cell in cells {
            let value = cell.and_then(|index| values.get(index).copied().flatten());
            let framed = cell.is_some() && *cell == shipped;
            line.push_str(&square(style, value, (least, most), framed));
        }
        out.push(line.trim_end().to_owned());
    }
    out
}

fn square(style: Style, value: Option<f64>, (least, most): (f64, f64), framed: bool) -> String {
    let Some(value) = value else {
        return format!("{:^CELL$}", "·");
    };
    let place = if most > least {
        (value - least) / (most - least)
    } else {
        0.5
    };
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "between 0 and 9"
    )]
    let digit = (place * 9.999).clamp(0.0, 9.0) as u8;
    let text = if framed {
        format!(" [{digit}]")
    } else {
        format!("  {digit} ")
    };
    if !style.colour {
        return text;
    }
    let ground = on_scale(place);
    let ink = if ground.is_light() { 0 } else { 255 };
    let paint = Paint::new()
        .bg_color(Some(Color::Rgb(RgbColor(ground.0, ground.1, ground.2))))
        .fg_color(Some(Color::Rgb(RgbColor(ink, ink, ink))));
    format!("{paint}{text}{paint:#}")
}
