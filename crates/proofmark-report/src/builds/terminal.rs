//! Captured builds as a list.

use proofmark_capture::Capture;

use crate::number::{minute, share};
use crate::style::Style;
use crate::table::table;
use crate::text::printable;

/// All captured builds, one to a row; ends with a line feed.
#[must_use]
pub fn terminal(captures: &[Capture], style: &Style) -> String {
    if captures.is_empty() {
        return "no captured builds yet; `proofmark capture NAME -- BUILD…` makes one\n".to_owned();
    }
    let rows = captures.iter().map(|capture| row(capture).to_vec());
    let lines = table(
        *style,
        1,
        &["build", "image", "movable", "linker", "captured"],
        rows,
    );
    lines.join("\n") + "\n"
}

fn row(capture: &Capture) -> [String; 5] {
    let link = capture.chosen.and_then(|chosen| capture.links.get(chosen));
    let image = match link {
        Some(link) => capture
            .label(link)
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned(),
        None => format!("{} images", capture.links.len()),
    };
    let movable = match link.map(|link| &link.movability) {
        Some(Ok(movability)) => share(movability.share()),
        Some(Err(_)) => "not known".to_owned(),
        None => String::new(),
    };
    let linker = link
        .map(|link| link.recipe.linker.kind.to_string())
        .unwrap_or_default();
    [
        printable(&capture.name),
        printable(&image),
        movable,
        linker,
        minute(capture.created_ms),
    ]
}
