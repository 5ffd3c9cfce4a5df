//! A bundle in words.

use bytesize::ByteSize;
use proofmark_hint::hint;

use super::enclosed;
use super::rows::BundleView;
use crate::number::counted;
use crate::style::Style;
use crate::table::table;
use crate::text::{printable, wrapped};

/// What a bundle holds; ends with a line feed.
#[must_use]
pub fn terminal(bundle: &BundleView, style: &Style) -> String {
    let size = |bytes: u64| ByteSize::b(bytes).display().si().to_string();
    let records = counted(bundle.records, "record", "records");
    let mut lines = match (&bundle.file, bundle.file_bytes) {
        (Some(file), Some(bytes)) => vec![format!(
            "{}: {}, {records}, unpacked {}",
            printable(file),
            size(bytes),
            size(bundle.bytes)
        )],
        _ => vec![format!(
            "nothing was written; a bundle would have {records}, unpacked {}",
            size(bundle.bytes)
        )],
    };
    lines.push(format!("content {}", bundle.digest));
    if let Some(signature) = &bundle.signature {
        lines.push(format!("signed, in {}", printable(signature)));
    }
    lines.push(String::new());
    let rows = bundle.chains.iter().map(|chain| {
        vec![
            chain.id.chars().take(12).collect(),
            chain.sort.to_owned(),
            chain.records.to_string(),
            if chain.asked {
                "asked for"
            } else {
                "referred to"
            }
            .to_owned(),
        ]
    });
    lines.extend(table(*style, 4, &["id", "what", "records", "why"], rows));
    lines.extend(enclosed::terminal(bundle, style));
    lines.push(String::new());
    let private = if bundle.private == 0 {
        let its = match bundle.images.is_empty() {
            true => "it",
            false => "its records",
        };
        format!("names of persons, machines and places, and values of variables are not in {its}")
    } else {
        format!(
            "it holds {}: names of persons, machines and places, and values of variables",
            counted(bundle.private, "private part", "private parts")
        )
    };
    lines.extend(wrapped(&private, style.columns(), "", "  "));
    if let Some(file) = &bundle.file {
        let check = match &bundle.signature {
            Some(_) => hint("verify --allowed-signers FILE", &[file]),
            None => hint("verify", &[file]),
        };
        let next = format!("whoever has it checks it with {check}");
        lines.extend(wrapped(&next, style.columns(), "", "  "));
    }
    lines.join("\n") + "\n"
}
