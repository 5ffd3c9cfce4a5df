//! What changed between two programs.

use proofmark_code::comparison::Changes;
use proofmark_code::diff::hot::HotSet;
use proofmark_code::diff::{Difference, Pair};
use proofmark_code::{Facts, Image};

use super::rows::{differing, name};
use super::{Compared, summary};
use crate::number::grouped;
use crate::style::{Style, Tone};
use crate::text::{padded, printable, shortened};

/// Everything that changed, the hot first, at most `most` functions of each sort.
#[must_use]
pub fn terminal(
    compared: &[Compared<'_>],
    changes: &Changes,
    hot: Option<&HotSet>,
    most: usize,
    style: &Style,
) -> String {
    let mut text = String::new();
    for (base, new, difference) in compared {
        text.push_str(&member(compared.len(), base.or(*new)));
        if let (Some(base), Some(new)) = (base, new) {
            text.push_str(&changed(base, new, difference, hot, most, style));
            let pairs = difference
                .renamed
                .iter()
                .map(|p| (name(base, p.base), Some(name(new, p.new))))
                .collect();
            text.push_str(&list("renamed", Tone::Even, pairs, most, style));
        }
        if let Some(new) = new {
            let names = difference
                .added
                .iter()
                .map(|i| (sized(new, *i), None))
                .collect();
            text.push_str(&list("added", Tone::Better, names, most, style));
        }
        if let Some(base) = base {
            let names = difference
                .removed
                .iter()
                .map(|i| (sized(base, *i), None))
                .collect();
            text.push_str(&list("removed", Tone::Worse, names, most, style));
        }
    }
    let count =
        |f: fn(&Difference) -> usize| compared.iter().map(|c| f(&c.2)).sum::<usize>() as u64;
    let (moved, identical) = (count(|d| d.moved.len()), count(|d| d.identical.len()));
    text.push_str(&style.paint(
        Tone::Aside,
        &format!(
            "{} moved only, {} identical\n",
            grouped(moved),
            grouped(identical)
        ),
    ));
    text.push_str(&summary(changes));
    text
}

fn member(members: usize, image: Option<&Image>) -> String {
    match image.and_then(Image::member).filter(|_| members > 1) {
        Some(member) => format!("{}:\n", printable(member)),
        None => String::new(),
    }
}

fn sized(image: &Image, index: usize) -> String {
    format!(
        "{}, {} bytes",
        name(image, index),
        grouped(image.functions()[index].size())
    )
}

fn list(
    head: &str,
    tone: Tone,
    names: Vec<(String, Option<String>)>,
    most: usize,
    style: &Style,
) -> String {
    let mut text = String::new();
    let all = names.len();
    for (from, to) in names.into_iter().take(most) {
        let room = style.columns().saturating_sub(10);
        let line = to.map_or_else(
            || shortened(&from, room),
            |to| {
                format!(
                    "{} → {}",
                    shortened(&from, room / 2),
                    shortened(&to, room / 2)
                )
            },
        );
        text.push_str(&format!("{} {line}\n", style.paint(tone, &padded(head, 8))));
    }
    if all > most {
        text.push_str(&style.paint(
            Tone::Aside,
            &format!("         and {} more {head}; --all shows all\n", all - most),
        ));
    }
    text
}

/// The changed functions, the hottest first, each with the facts that differ.
fn changed(
    base: &Image,
    new: &Image,
    difference: &Difference,
    hot: Option<&HotSet>,
    most: usize,
    style: &Style,
) -> String {
    let share = |p: &Pair| hot.and_then(|h| h.share(&new.functions()[new.whole(p.new)]));
    let mut pairs: Vec<&Pair> = difference.changed.iter().collect();
    let rank = |p: &Pair| share(p).map_or(-1.0, |s| s.unwrap_or(0.0));
    pairs.sort_by(|a, b| rank(b).total_cmp(&rank(a)));
    let mut text = String::new();
    for pair in pairs.iter().take(most) {
        let hot = match share(pair) {
            Some(Some(share)) => style.paint(Tone::Open, &format!("  hot, {:.1} %", share * 100.0)),
            Some(None) => style.paint(Tone::Open, "  hot"),
            None => String::new(),
        };
        let room = style.columns().saturating_sub(24);
        let title = shortened(&name(new, pair.new), room);
        text.push_str(&format!(
            "{} {}{hot}\n",
            style.paint(Tone::Open, "changed "),
            style.paint(Tone::Figure, &title)
        ));
        let facts = facts(&Facts::of(base, pair.base), &Facts::of(new, pair.new));
        let facts = if facts.is_empty() {
            "the same in all facts, with other instructions or operands".to_string()
        } else {
            facts
        };
        let facts = facts + &apart(new, pair.new);
        for line in crate::text::wrapped(&facts, style.columns(), "           ", "           ") {
            text.push_str(&line);
            text.push('\n');
        }
    }
    if pairs.len() > most {
        text.push_str(&style.paint(
            Tone::Aside,
            &format!(
                "         and {} more changed; --all shows all\n",
                pairs.len() - most
            ),
        ));
    }
    text
}

/// That what the compiler split off is not in the facts above, which `expect` counts as part of the
/// function; empty where nothing was.
fn apart(image: &Image, index: usize) -> String {
    let is_piece = |at: &usize| {
        let function = &image.functions()[*at];
        function.is_piece() && function.parent() == Some(index)
    };
    let pieces: Vec<usize> = (0..image.functions().len()).filter(is_piece).collect();
    let bytes: u64 = pieces
        .iter()
        .map(|piece| image.functions()[*piece].size())
        .sum();
    match pieces.as_slice() {
        [] => String::new(),
        [piece] => format!(
            "; {}, {} bytes, is counted apart",
            name(image, *piece),
            grouped(bytes)
        ),
        several => format!(
            "; {} parts that were split off, {} bytes, are counted apart",
            several.len(),
            grouped(bytes)
        ),
    }
}

/// The facts that differ, side by side. Where it stands is no fact of a function's content.
fn facts(base: &Facts, new: &Facts) -> String {
    let differing =
        differing(base, new).map(|(f, a, b)| format!("{f} {} → {}", grouped(a), grouped(b)));
    differing.collect::<Vec<_>>().join(", ")
}
