//! Garbage in words.

use bytesize::ByteSize;

use super::rows::{CollectedView, CollectedWord, Collection, KeptWord};
use crate::number::minute;
use crate::style::Style;
use crate::table::table;
use crate::text::printable;

/// What goes and what stays; ends with a line feed.
#[must_use]
pub fn terminal(collection: &Collection, style: &Style) -> String {
    let (nothing, goes, stays) = if collection.dry_run {
        (
            "there is nothing to remove",
            "would be removed",
            "would stay",
        )
    } else {
        ("there was nothing to remove", "removed", "kept")
    };
    let builds = &collection.builds;
    let mut lines = Vec::new();
    if collection.bytes() == 0 && builds.is_empty() {
        lines.push(nothing.to_owned());
    } else {
        lines.push(format!("{goes}: {}", size(collection.bytes())));
        lines.extend(heaps(collection));
    }
    if !builds.is_empty() {
        let rows = builds.iter().map(|build| row(build).to_vec());
        lines.push(String::new());
        lines.extend(table(*style, 1, &["build", "captured", "why"], rows));
        lines.push(String::new());
    }
    let most = collection.most_bytes;
    let most = most.map(|most| format!(" of at most {}", size(most)));
    lines.push(format!(
        "{stays}: {}{}{}",
        size(collection.kept_bytes),
        most.unwrap_or_default(),
        builds_that_stay(collection),
    ));
    lines.join("\n") + "\n"
}

/// What goes, a line each.
fn heaps(collection: &Collection) -> Vec<String> {
    [
        (
            collection.file_bytes,
            format!("{} stored files that no build needs", collection.files),
        ),
        (
            collection.image_bytes,
            format!(
                "{} images of layouts, which can be linked again",
                collection.images
            ),
        ),
        (
            collection.left_bytes,
            "what commands that have ended left".to_owned(),
        ),
    ]
    .into_iter()
    .filter(|(bytes, _)| *bytes > 0)
    .map(|(bytes, what)| format!("  {:>9}  {what}", size(bytes)))
    .collect()
}

fn row(build: &CollectedView) -> [String; 3] {
    let why = match build.why {
        CollectedWord::Unused => "no pinned or recent experiment rests on it",
        CollectedWord::Room => "there is no room for it",
    };
    [
        printable(&build.name),
        minute(build.created_ms),
        why.to_owned(),
    ]
}

/// `; builds: 1 by name, 2 young or of recent experiments`.
fn builds_that_stay(collection: &Collection) -> String {
    let kinds = [
        (KeptWord::Name, "by name"),
        (KeptWord::Pin, "of pinned experiments"),
        (KeptWord::Recent, "young or of recent experiments"),
        (KeptWord::Later, "in records of a newer proofmark"),
    ];
    let count = |why: KeptWord| {
        let kept = collection.kept.iter();
        kept.filter(|one| one.why == why).count()
    };
    let parts: Vec<String> = kinds
        .into_iter()
        .map(|(why, words)| (count(why), words))
        .filter(|(count, _)| *count > 0)
        .map(|(count, words)| format!("{count} {words}"))
        .collect();
    if parts.is_empty() {
        return String::new();
    }
    format!("; builds: {}", parts.join(", "))
}

/// In decimal units, as disks are sold and `max_size` is written.
fn size(bytes: u64) -> String {
    ByteSize::b(bytes).display().si().to_string()
}
