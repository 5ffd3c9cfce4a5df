//! The documentation names everything that there is.

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

/// The disassembly on a page: what stands between lines of three backticks.
fn examples(page: &str) -> String {
    let blocks = page.split("\n```").enumerate();
    let inside = blocks.filter(|(i, _)| i % 2 == 1);
    inside.map(|(_, block)| block).collect()
}

#[test]
fn every_fact_has_an_example_with_its_number() {
    let examples = examples(&page("facts.md"));
    let shown = |name: &str| {
        let mut places = examples.match_indices(name);
        places.any(|(at, _)| {
            let begins = examples[..at].ends_with(' ');
            let mut rest = examples[at + name.len()..].chars();
            begins && rest.next() == Some(' ') && rest.next().is_some_and(|c| c.is_ascii_digit())
        })
    };
    let names = Fact::ALL.iter().map(|f| f.name());
    let missing: Vec<&str> = names.filter(|name| !shown(name)).collect();
    assert!(
        missing.is_empty(),
        "without an example in docs/facts.md: {missing:?}"
    );
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
