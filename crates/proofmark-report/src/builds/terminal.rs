//! Captured builds as a list.

use super::rows::BuildView;
use crate::number::{minute, share};
use crate::style::Style;
use crate::table::table;
use crate::text::printable;

/// All captured builds, one to a row; ends with a line feed.
#[must_use]
pub fn terminal(builds: &[BuildView], style: &Style) -> String {
    if builds.is_empty() {
        return "no captured builds yet; `proofmark capture NAME -- BUILD…` makes one\n".to_owned();
    }
    let rows = builds.iter().map(|build| row(build).to_vec());
    let lines = table(
        *style,
        1,
        &["build", "image", "movable", "linker", "captured"],
        rows,
    );
    lines.join("\n") + "\n"
}

fn row(build: &BuildView) -> [String; 5] {
    let image = build.image();
    let name = match image {
        Some(image) => image
            .label
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned(),
        None => format!("{} images", build.images.len()),
    };
    let movable = match image.map(|image| image.movable) {
        Some(Some(movable)) => share(movable),
        Some(None) => "not known".to_owned(),
        None => String::new(),
    };
    let linker = image.map(|image| image.linker_kind.clone());
    [
        printable(&build.name),
        printable(&name),
        movable,
        linker.unwrap_or_default(),
        minute(build.created_ms),
    ]
}
