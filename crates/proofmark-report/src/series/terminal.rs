//! A series on a terminal: a line for each way of measuring, and a table of its changes.

use proofmark_conclude::series::Way;

use super::Shown;
use super::rows::{LineShown, about, heading, shown, way_name};
use crate::method::left_out;
use crate::sparkline::{bounds, sparkline};
use crate::style::{Style, Tone};
use crate::table::table;
use crate::text::{padded, untied, wrapped};

/// Columns of the name of a way.
const NAME: usize = 14;

/// Series as text, no wider than 80 columns where the style asks for that.
#[must_use]
pub fn terminal(series: &[Shown], style: &Style) -> String {
    let mut out = Vec::new();
    for one in series {
        for line in wrapped(&heading(one), style.columns(), "", "  ") {
            out.push(style.paint(Tone::Figure, &line));
        }
        if let Some(text) = left_out(one.recorded.private) {
            out.extend(wrapped(text, style.columns(), "  ", "  "));
        }
        let lines = shown(one);
        if lines.is_empty() {
            out.push("  nothing is measured yet".to_owned());
        }
        for line in lines {
            out.extend(of_line(&line, *style));
        }
        out.push(String::new());
    }
    untied(&out.join("\n"))
}

fn of_line(line: &LineShown<'_>, style: Style) -> Vec<String> {
    let columns = style.columns();
    let mut out = Vec::new();
    for text in about(line) {
        out.extend(wrapped(&text, columns, "  ", "  "));
    }
    let of_ways = [Way::Drawn, Way::Shipped].map(|way| Some((way, line.ratios(way)?)));
    let of_ways: Vec<(Way, Vec<f64>)> = of_ways.into_iter().flatten().collect();
    let all: Vec<f64> = of_ways
        .iter()
        .flat_map(|(_, values)| values)
        .copied()
        .collect();
    // One scale, so that the two can be held against each other.
    let bounds = bounds(&all);
    for (way, values) in &of_ways {
        let bars = sparkline(values, bounds, columns.min(78).saturating_sub(NAME + 2));
        out.push(format!("  {}{bars}", padded(way_name(*way), NAME)));
    }
    let rows = line.rows();
    if rows.is_empty() {
        out.push(format!("  {}", line.unchanged()));
    } else {
        let drawn = rows.iter().any(|row| !row.drawn.is_empty());
        let mut header = vec!["  since", "over layouts", "as shipped", ""];
        if !drawn {
            header.remove(1);
        }
        let cells = rows.into_iter().map(|row| {
            let mut cells = vec![
                format!("  {}", row.commit),
                row.drawn,
                row.shipped,
                row.what,
            ];
            if !drawn {
                cells.remove(1);
            }
            cells
        });
        out.extend(table(style, 1, &header, cells));
    }
    let sentences = line.named().into_iter().chain(line.watch());
    let sentences = sentences.chain(line.suspicions());
    for text in sentences.chain(line.unmeasured()) {
        out.extend(wrapped(&text, columns, "  ", "    "));
    }
    out
}
