//! What changed between two programs.

use proofmark_code::comparison::Changes;
use proofmark_code::diff::hot::HotSet;
use proofmark_code::diff::{Aligned, Difference, Pair};
use proofmark_code::listing::Line;
use proofmark_code::{Fact, Facts, Image};
use serde_json::{Value, json};

use super::CODE_SCHEMA_VERSION;
use crate::number::grouped;
use crate::style::{Style, Tone};
use crate::text::{padded, printable, shortened};

/// Two images and what became of their functions.
pub type Compared<'a> = (Option<&'a Image>, Option<&'a Image>, Difference);

/// Lines of unchanged code shown around a change.
const AROUND: usize = 3;

/// One line for a pull request: "12 of 6,769 functions changed, 2 hot, 3 added, 1 removed (1 hot)".
#[must_use]
pub fn difference_summary(changes: &Changes) -> String {
    let mut text = format!(
        "{} of {} functions changed",
        grouped(changes.changed),
        grouped(changes.functions)
    );
    if let Some(hot) = changes.hot {
        text.push_str(&if hot == 0 {
            ", none hot".to_string()
        } else {
            format!(", {} hot", grouped(hot))
        });
    }
    for (number, hot, what) in [
        (changes.added, changes.hot_added, "added"),
        (changes.removed, changes.hot_removed, "removed"),
        (changes.renamed, None, "renamed"),
    ] {
        if number > 0 {
            text.push_str(&format!(", {} {what}", grouped(number)));
        }
        if let Some(hot) = hot.filter(|hot| *hot > 0) {
            text.push_str(&format!(" ({} hot)", grouped(hot)));
        }
    }
    if let Some([base, new]) = changes.archs {
        text.push_str(&format!(
            "; the base is for {base} and the other for {new}, which cannot be compared"
        ));
    }
    // A part that is shown as all of it needs no word.
    if let Some(covered) = changes.covered.filter(|covered| *covered < 0.9995) {
        text.push_str(&format!(
            "; {:.1} % of the profile is in these programs",
            covered * 100.0
        ));
    }
    text + "\n"
}

/// Everything that changed, the hot first, at most `most` functions of each sort.
#[must_use]
pub fn difference(
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
    text.push_str(&difference_summary(changes));
    text
}

fn member(members: usize, image: Option<&Image>) -> String {
    match image.and_then(Image::member).filter(|_| members > 1) {
        Some(member) => format!("{}:\n", printable(member)),
        None => String::new(),
    }
}

fn name(image: &Image, index: usize) -> String {
    printable(&image.functions()[index].name())
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

fn differing<'a>(base: &'a Facts, new: &'a Facts) -> impl Iterator<Item = (Fact, u64, u64)> + 'a {
    let place = [
        Fact::PaddingAfter,
        Fact::Branches32,
        Fact::Branches64,
        Fact::Lines64,
        Fact::L1iSets,
    ];
    let pairs = base
        .iter()
        .zip(new.iter())
        .map(|((f, a), (_, b))| (f, a, b));
    pairs.filter(move |(f, a, b)| a != b && !place.contains(f))
}

/// The two disassemblies of a changed function, what is unchanged cut short.
#[must_use]
pub fn difference_listing(
    base: &Image,
    new: &Image,
    pair: Pair,
    rows: &[Aligned],
    style: &Style,
) -> String {
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

/// For programs.
#[must_use]
pub fn difference_json(
    compared: &[Compared<'_>],
    changes: &Changes,
    hot: Option<&HotSet>,
) -> Value {
    let images: Vec<Value> = compared
        .iter()
        .map(|(base, new, difference)| image(*base, *new, difference, hot))
        .collect();
    json!({ "schema_version": CODE_SCHEMA_VERSION, "summary": changes, "images": images })
}

fn image(
    base: Option<&Image>,
    new: Option<&Image>,
    difference: &Difference,
    hot: Option<&HotSet>,
) -> Value {
    let names = |image: Option<&Image>, list: &[usize]| -> Vec<String> {
        image.map_or_else(Vec::new, |image| {
            list.iter().map(|i| image.functions()[*i].name()).collect()
        })
    };
    let changed: Vec<Value> = match (base, new) {
        (Some(base), Some(new)) => difference
            .changed
            .iter()
            .map(|p| {
                let (a, b) = (Facts::of(base, p.base), Facts::of(new, p.new));
                let facts: serde_json::Map<String, Value> =
                    differing(&a, &b).map(|(f, a, b)| (f.name().to_string(), json!({ "base": a, "new": b }))).collect();
                let share = hot.and_then(|h| h.share(&new.functions()[new.whole(p.new)]));
                json!({ "name": new.functions()[p.new].name(), "hot": share.is_some(), "share": share.flatten(), "facts": facts })
            })
            .collect(),
        _ => Vec::new(),
    };
    let renamed: Vec<Value> = match (base, new) {
        (Some(base), Some(new)) => {
            let pair = |p: &Pair| json!({ "base": base.functions()[p.base].name(), "new": new.functions()[p.new].name() });
            difference.renamed.iter().map(pair).collect()
        }
        _ => Vec::new(),
    };
    json!({
        "member": base.or(new).and_then(Image::member),
        "changed": changed,
        "renamed": renamed,
        "added": names(new, &difference.added),
        "removed": names(base, &difference.removed),
        "moved": difference.moved.len(),
        "identical": difference.identical.len(),
    })
}

#[cfg(test)]
mod tests {
    use proofmark_code::Arch;

    use super::*;

    #[test]
    fn the_summary_tells_what_changed_from_what_came_and_went() {
        let mut changes = Changes {
            functions: 6769,
            changed: 12,
            added: 0,
            removed: 0,
            renamed: 0,
            hot: Some(2),
            hot_added: Some(0),
            hot_removed: Some(0),
            archs: None,
            covered: Some(0.9999),
        };
        let line = "12 of 6,769 functions changed, 2 hot\n";
        assert_eq!(difference_summary(&changes), line);
        (changes.added, changes.removed, changes.renamed) = (3, 1, 2);
        (changes.hot_removed, changes.covered) = (Some(1), Some(0.43));
        let line = "12 of 6,769 functions changed, 2 hot, 3 added, 1 removed (1 hot), 2 renamed; 43.0 % of the profile is in these programs\n";
        assert_eq!(difference_summary(&changes), line);
        changes.archs = Some([Arch::X86_64, Arch::Aarch64]);
        let said = difference_summary(&changes);
        assert!(said.contains("the base is for x86-64 and the other for aarch64"));
    }
}
