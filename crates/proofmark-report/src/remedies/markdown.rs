//! Remedies for a pull request, below the explanation that they belong to.

use super::Remedies;
use super::rows::{HEAD, about, answer, notes, rows};
use crate::markup::escaped;
use crate::text::untied;

/// Remedies as Markdown (GitHub's); ends with a line feed.
#[must_use]
pub fn markdown(remedies: &Remedies) -> String {
    let mut out = vec![
        String::new(),
        format!("**{}**", escaped(&answer(remedies))),
        String::new(),
        escaped(&about(remedies)),
        String::new(),
    ];
    let rows = rows(remedies);
    if !rows.is_empty() {
        out.push(format!("| {} |", HEAD.join(" | ")));
        out.push("| --- | --- | --- | --- | ---: |".to_owned());
        out.extend(rows.iter().map(|row| {
            let cells: Vec<String> = row.iter().map(|cell| escaped(cell)).collect();
            format!("| {} |", cells.join(" | "))
        }));
        out.push(String::new());
    }
    out.extend(
        notes(remedies)
            .iter()
            .map(|note| format!("> {}\n", escaped(note))),
    );
    untied(&(out.join("\n") + "\n"))
}
