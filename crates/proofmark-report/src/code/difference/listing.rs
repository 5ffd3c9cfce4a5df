//! The disassemblies of a changed function beside each other.

use proofmark_code::Image;
use proofmark_code::diff::{Aligned, Pair};
use proofmark_code::listing::Line;

use super::rows::name;
use crate::style::{Style, Tone};
use crate::text::printable;

/// Lines of unchanged code shown around a change.
const AROUND: usize = 3;

/// The two disassemblies of a changed function, what is unchanged cut short.
#[must_use]
pub fn listing(base: &Image, new: &Image, pair: Pair, rows: &[Aligned], style: &Style) -> String {
    let mut text = format!("{}\n", style.paint(Tone::Figure, &name(new, pair.new)));
    let differs: Vec<bool> = rows
        .iter()
        .map(|r| !matches!(r, Aligned::Both(..)))
        .collect();
    let near = |i: usize| {
        differs[i.saturating_sub(AROUND)..(i + AROUND + 1).min(rows.len())].contains(&true)
    };
    let mut cut = 0;
    for (i, row) in rows.iter().enumerate() {
        if !near(i) {
            cut += 1;
            continue;
        }
        if cut > 0 {
            text.push_str(&style.paint(Tone::Aside, &format!("  … {cut} instructions alike\n")));
            cut = 0;
        }
        text.push_str(&aligned(base, new, row, style));
    }
    if cut > 0 {
        text.push_str(&style.paint(Tone::Aside, &format!("  … {cut} instructions alike\n")));
    }
    text
}

fn aligned(base: &Image, new: &Image, row: &Aligned, style: &Style) -> String {
    let side = |image: &Image, line: &Line| {
        let source = line
            .source
            .as_ref()
            .map_or_else(String::new, |s| format!("  ; {s}"));
        let address = image.shown(line.address).get();
        format!(
            "{address:>8x}  {}{}",
            printable(&line.text),
            style.paint(Tone::Aside, &printable(&source))
        )
    };
    match row {
        Aligned::Both(_, line) => format!("  {}\n", side(new, line)),
        Aligned::Base(line) => format!("{} {}\n", style.paint(Tone::Worse, "-"), side(base, line)),
        Aligned::New(line) => format!("{} {}\n", style.paint(Tone::Better, "+"), side(new, line)),
    }
}
