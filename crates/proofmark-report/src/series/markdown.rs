//! A series for an issue or a pull request.

use super::Shown;
use super::rows::{about, heading, shown};
use crate::markup::{code, escaped};
use crate::method::left_out;
use crate::text::untied;

/// Series as Markdown (GitHub's); ends with a line feed.
#[must_use]
pub fn markdown(series: &[Shown]) -> String {
    let mut out = Vec::new();
    for one in series {
        out.push(format!("**{}**", escaped(&heading(one))));
        out.push(String::new());
        if let Some(private) = left_out(one.recorded.private) {
            out.extend([escaped(private), String::new()]);
        }
        for line in shown(one) {
            out.extend(
                about(&line)
                    .iter()
                    .map(|text| format!("* {}", escaped(text))),
            );
            let sentences = line.named().into_iter().chain(line.watch());
            let sentences = sentences.chain(line.suspicions());
            let sentences = sentences.chain(line.unmeasured());
            out.extend(sentences.map(|text| format!("* {}", escaped(&text))));
            out.push(String::new());
            let rows = line.rows();
            if rows.is_empty() {
                out.push("No change of the level beyond the margin.".to_owned());
            } else {
                out.push("| since | | over layouts | as shipped | |".to_owned());
                out.push("| --- | --- | --- | --- | --- |".to_owned());
                out.extend(rows.into_iter().map(|row| {
                    format!(
                        "| {} | {} | {} | {} | {} |",
                        code(&row.commit),
                        escaped(&row.day),
                        row.drawn,
                        row.shipped,
                        escaped(&row.what)
                    )
                }));
            }
            out.push(String::new());
        }
    }
    untied(&(out.join("\n") + "\n"))
}
