//! The files of builds in a bundle, in words: what they are, and what they say of where they were
//! made.

use bytesize::ByteSize;

use super::rows::{BundleView, TracesView};
use crate::number::counted;
use crate::style::Style;
use crate::table::table;
use crate::text::{printable, wrapped};

/// Most texts of one kind that are shown of one file; `--json` has all.
const MOST: usize = 4;

/// The files, a line each, and what they say; nothing where there are none.
pub(super) fn terminal(bundle: &BundleView, style: &Style) -> Vec<String> {
    if bundle.images.is_empty() && bundle.captures.is_empty() {
        return Vec::new();
    }
    let size = |bytes: u64| ByteSize::b(bytes).display().si().to_string();
    let images = bundle.images.iter().map(|image| {
        vec![
            printable(&image.name),
            printable(&image.build),
            size(image.bytes),
            image.digest.chars().take(12).collect(),
        ]
    });
    let captures = bundle.captures.iter().map(|capture| {
        vec![
            counted(capture.files, "file", "files"),
            printable(&capture.build),
            size(capture.bytes),
            "linked again".to_owned(),
        ]
    });
    let mut lines = vec![String::new()];
    let rows = images.chain(captures);
    lines.extend(table(
        *style,
        4,
        &["file", "build", "size", "content"],
        rows,
    ));
    let of_images = bundle.images.iter().map(|image| {
        let name = format!("{} of {}", image.name, image.build);
        (name, &image.says)
    });
    let of_captures = bundle.captures.iter().map(|capture| {
        let name = format!("files of {}", capture.build);
        (name, &capture.says)
    });
    let said: Vec<String> = of_images
        .chain(of_captures)
        .filter_map(|(name, says)| Some(format!("{name}: {}", told(says)?)))
        .collect();
    lines.push(String::new());
    let head = match said.is_empty() {
        true => {
            "no absolute path was found in their debug information, and no name of the user or \
             the machine in their bytes"
        }
        false => "they go in as they are, and say where they were made:",
    };
    lines.extend(wrapped(head, style.columns(), "", "  "));
    for said in said {
        lines.extend(wrapped(&printable(&said), style.columns(), "  ", "    "));
    }
    lines
}

/// What a file says, in half a sentence.
fn told(says: &TracesView) -> Option<String> {
    let list = |before: &str, texts: &[String]| {
        let shown: Vec<&str> = texts.iter().take(MOST).map(String::as_str).collect();
        let more = match texts.len().saturating_sub(MOST) {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        (!texts.is_empty()).then(|| format!("{before} {}{more}", shown.join(", ")))
    };
    let parts = [
        list("was compiled in", &says.compiled_in),
        list("looks for libraries in", &says.libraries),
        list("names", &says.names),
    ];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    (!parts.is_empty()).then(|| parts.join("; "))
}
