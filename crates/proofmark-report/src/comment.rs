//! A comment on a pull request: the answer first, at most [`MOST_LINES`] lines to be seen, the rest
//! folded; and a first line by which a bot finds it again. What it says of a comparison, a matrix
//! or a ledger stands in `comment` of that subject.

use proofmark_hint::hint;

use crate::markup::{code, escaped};
use crate::text::{printable, untied, width};

/// Most lines that are seen before anything is unfolded.
pub const MOST_LINES: usize = 15;

/// Columns of a comment on GitHub, on a screen wide enough for two of its columns.
const COLUMNS: usize = 100;

/// Most rows of the table.
pub(crate) const ROWS: usize = 6;

/// Most warnings that are seen; one less where the answer takes two lines.
const WARNINGS: usize = 2;

/// GitHub takes 65,536 letters and refuses more.
const MOST_LETTERS: usize = 60_000;

/// Where the evidence of a comment is, for those who check it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EvidenceFile {
    /// The name of the bundle's file, without its folder.
    pub name: String,
    /// BLAKE3 of its content.
    pub digest: String,
    /// Where it can be had: an address of `http` or `https` that has no spaces or brackets.
    pub link: Option<String>,
    /// What the comment is found by instead of what it is about.
    pub marker: Option<String>,
}

/// What a comment is made of. Texts are plain, but for the table and what is folded.
pub(crate) struct Parts {
    /// `comparison`, `null test`, `matrix` or `ledger`.
    pub(crate) kind: &'static str,
    /// What stays the same when it is measured again: builds, benchmarks.
    pub(crate) about: String,
    /// The answer, and what it rests on: a line together, where they fit.
    pub(crate) answer: (String, String),
    /// A table, and what was left out of it; Markdown.
    pub(crate) table: Vec<String>,
    /// What to believe, at most two lines.
    pub(crate) believe: String,
    /// What must be known before the numbers are believed.
    pub(crate) warnings: Vec<String>,
    /// What is folded, Markdown: all warnings are among it.
    pub(crate) folded: Vec<String>,
}

/// The comment; ends with a line feed.
pub(crate) fn comment(parts: &Parts, file: &EvidenceFile) -> String {
    let mut lines = vec![marker(parts, file), answer(&parts.answer), String::new()];
    lines.extend(parts.table.iter().cloned());
    let believe = escaped(&cut(&printable(&parts.believe), 2 * COLUMNS - 20));
    lines.extend([
        String::new(),
        format!("**Believe**: {believe}"),
        String::new(),
    ]);
    let long = width(&parts.answer.0) > COLUMNS;
    for warning in seen(&parts.warnings, WARNINGS - usize::from(long)) {
        lines.extend([warning, String::new()]);
    }
    lines.extend([check(file), String::new()]);
    let seen = lines.join("\n");
    let folded = folded(&parts.folded);
    let all = match seen.chars().count() + folded.chars().count() {
        letters if letters <= MOST_LETTERS => seen + "\n" + &folded,
        _ => format!(
            "{seen}\nThe rest is too long for a comment; {} shows it from the file.\n",
            hint("report --store", &[&file.name])
        ),
    };
    untied(&all)
}

/// The first line: the same whenever the same is measured again.
fn marker(parts: &Parts, file: &EvidenceFile) -> String {
    let about = file.marker.as_ref().unwrap_or(&parts.about);
    let hash = blake3::hash(about.as_bytes()).to_hex();
    format!(
        "<!-- proofmark-comment {} {} -->",
        parts.kind.replace(' ', "-"),
        hash.get(..16).unwrap_or_default()
    )
}

/// The first warnings, each on a line, and how many more there are.
fn seen(warnings: &[String], most: usize) -> Vec<String> {
    let shown = warnings.len().min(most);
    let more = match warnings.len() - shown {
        0 => String::new(),
        more => format!(" (and {more} more, below)"),
    };
    let each = warnings.iter().take(shown).zip(1..);
    let each = each.map(|(warning, number)| {
        let more = if number == shown { more.as_str() } else { "" };
        let text = cut(&printable(warning), COLUMNS - 6 - width(more));
        format!("⚠ {}{more}", escaped(&text))
    });
    each.collect()
}

fn check(file: &EvidenceFile) -> String {
    let name = cut(&printable(&file.name), 40);
    let evidence = match &file.link {
        Some(link) => format!("[{}](<{link}>)", escaped(&name)),
        None => format!("the file {}", code(&name)),
    };
    format!(
        "**Check it**: {} computes every number of {evidence} again and runs nothing. BLAKE3 of its \
         content: {}",
        hint("verify", &[&name]),
        code(&file.digest)
    )
}

fn folded(lines: &[String]) -> String {
    let head = [
        "<details><summary>All of it, and how this was measured</summary>",
        "",
    ];
    let lines: Vec<&str> = head
        .into_iter()
        .chain(lines.iter().map(String::as_str))
        .chain(["", "</details>", ""])
        .collect();
    lines.join("\n")
}

/// The answer, in two lines at most, and what it rests on as far as there is room on the first.
fn answer((answer, rests_on): &(String, String)) -> String {
    let answer = cut(&printable(answer), 2 * COLUMNS);
    let room = COLUMNS.saturating_sub(width(&answer) + 3);
    let rests_on = cut(&printable(rests_on), room);
    let rests_on = match width(&rests_on) {
        0..=1 => String::new(),
        _ => format!(" ({})", escaped(&rests_on)),
    };
    format!("**{}**{rests_on}", escaped(&answer))
}

/// A text in at most so many columns, its end left out where it is longer.
pub(crate) fn cut(text: &str, columns: usize) -> String {
    if width(text) <= columns {
        return text.to_owned();
    }
    let mut kept = String::new();
    for letter in text.chars() {
        if width(&kept) + 2 > columns {
            break;
        }
        kept.push(letter);
    }
    let whole = kept
        .rsplit_once(' ')
        .map_or(kept.as_str(), |(words, _)| words);
    format!("{}…", whole.trim_end_matches([',', ';', ':']))
}

/// A table of the first [`ROWS`] rows and so many columns, and what was left out of it. Texts are
/// plain.
pub(crate) fn grid(most: usize, header: &[String], rows: &[Vec<String>]) -> Vec<String> {
    let line = |cells: &[String]| {
        let cells = cells.iter().take(most);
        let cells: Vec<String> = cells.map(|text| escaped(&cut(text, 48))).collect();
        format!("| {} |", cells.join(" | "))
    };
    let columns = header.len().min(most);
    let mut lines = vec![line(header), format!("|{}", " --- |".repeat(columns))];
    // That some are left out takes a line as well.
    let shown = match rows.len() {
        all if all <= ROWS && header.len() == columns => all,
        all => all.min(ROWS - 1),
    };
    lines.extend(rows.iter().take(shown).map(|row| line(row)));
    let more = [
        (rows.len() - shown, "row", "rows"),
        (header.len() - columns, "column", "columns"),
    ];
    let more = more.into_iter().filter(|(count, ..)| *count > 0);
    let more: Vec<String> = more
        .map(|(count, one, many)| format!("{count} more {}", if count == 1 { one } else { many }))
        .collect();
    if !more.is_empty() {
        lines.extend([String::new(), format!("{} below", more.join(" and "))]);
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts() -> Parts {
        Parts {
            kind: "null test",
            about: "base".to_owned(),
            answer: ("none".to_owned(), String::new()),
            table: grid(3, &["".to_owned()], &[]),
            believe: "words ".repeat(200),
            warnings: vec!["a `half of a command` ".repeat(20); 4],
            folded: vec!["long ".repeat(20)],
        }
    }

    fn file() -> EvidenceFile {
        EvidenceFile {
            name: "a.pmb".to_owned(),
            digest: "5e".repeat(32),
            link: None,
            marker: None,
        }
    }

    #[test]
    fn a_text_is_cut_between_words() {
        assert_eq!(cut("three short words", 17), "three short words");
        assert_eq!(cut("three short, words", 16), "three short…");
        assert_eq!(cut("threeshortwords", 6), "three…");
    }

    #[test]
    fn the_first_line_follows_from_what_it_is_about_or_from_what_it_was_given() {
        let first = |parts: &Parts, file: &EvidenceFile| {
            comment(parts, file).lines().next().unwrap().to_owned()
        };
        let one = first(&parts(), &file());
        assert!(
            one.starts_with("<!-- proofmark-comment null-test "),
            "{one}"
        );
        let later = Parts {
            answer: ("other".to_owned(), "of 3".to_owned()),
            ..parts()
        };
        assert_eq!(first(&later, &file()), one);
        let named = EvidenceFile {
            marker: Some("-->".to_owned()),
            ..file()
        };
        let named = first(&parts(), &named);
        assert_ne!(named, one);
        assert_eq!(named.matches("--").count(), 2, "{named}");
    }

    #[test]
    fn what_github_would_refuse_is_left_in_the_file() {
        let long = Parts {
            folded: vec!["long ".repeat(20); 1000],
            ..parts()
        };
        let said = comment(&long, &file());
        assert!(said.chars().count() < 65_536);
        assert!(said.contains("too long") && !said.contains("<details>"));
        assert!(comment(&parts(), &file()).contains("<details>"));
    }

    #[test]
    fn what_a_table_leaves_out_is_counted() {
        let names = |count: usize| vec!["x".to_owned(); count];
        let said = grid(5, &names(7), &vec![names(7); 9]);
        assert_eq!(said.last().unwrap(), "4 more rows and 2 more columns below");
        assert_eq!(said.len(), 2 + ROWS - 1 + 2);
        assert_eq!(grid(5, &names(5), &vec![names(5); ROWS]).len(), 2 + ROWS);
    }
}
