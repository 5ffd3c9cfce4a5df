//! The documentation names everything that there is.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "a test that meets the unexpected stops there"
)]

use std::path::Path;

use proofmark_code::{EXTENSIONS, Fact};

fn page(name: &str) -> String {
    std::fs::read_to_string(
        Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("../../docs")
            .join(name),
    )
    .unwrap()
}

#[test]
fn every_fact_is_defined() {
    let page = page("facts.md");
    let missing: Vec<&str> = Fact::ALL
        .iter()
        .map(|f| f.name())
        .filter(|f| !page.contains(&format!("**{f}**")))
        .collect();
    assert!(missing.is_empty(), "not in docs/facts.md: {missing:?}");
}

#[test]
fn every_extension_is_listed() {
    let page = page("expectations.md");
    let missing: Vec<&&str> = EXTENSIONS
        .iter()
        .filter(|e| !page.contains(&format!("`{e}`")))
        .collect();
    assert!(
        missing.is_empty(),
        "not in docs/expectations.md: {missing:?}"
    );
}
