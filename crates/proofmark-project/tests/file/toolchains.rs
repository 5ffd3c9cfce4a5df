//! Compilers that a project's file makes from sources.

use std::path::Path;

use super::{LUA, read, said};

fn with(keys: &str) -> String {
    format!("{LUA}\n[toolchain.mine]\n{keys}\n")
}

#[test]
fn what_a_compiler_is_made_from_counts_from_the_file_s_folder() {
    let text = with(
        "source = \"tcc\"\nrev = \"v1\"\npatch = \"a.patch\"\nbuild = \"make -j{jobs}\"\n\
         command = \"bin/tcc\"",
    );
    let project = read(&text).unwrap();
    let of = &project.definitions.toolchains["mine"];
    assert_eq!(of.source.as_deref(), Some(Path::new("/p/tcc")));
    assert_eq!(of.patch.0, ["/p/a.patch"]);
    // It lies where it is made.
    assert_eq!(of.command.as_deref(), Some("bin/tcc"));
}

#[test]
fn what_makes_a_compiler_is_said_as_a_whole() {
    let whole = "source = \"s\"\nbuild = \"make\"\ncommand = \"cc\"";
    assert!(read(&with(whole)).is_ok());
    for (keys, expected) in [
        ("build = \"make\"", "has `build` and no `source`"),
        (
            "command = \"gcc\"\nrev = \"x\"",
            "has `rev` and no `source`",
        ),
        (
            "source = \"s\"\ncommand = \"cc\"",
            "toolchain `mine` has no `build`",
        ),
        (
            "source = \"s\"\nbuild = \"make\"",
            "toolchain `mine` has no `command`",
        ),
        (
            &format!("{whole}\nprovider = \"apt:tcc\""),
            "both `source` and `provider`",
        ),
        (
            &whole.replace("\"cc\"", "\"/bin/cc\""),
            "does not lie in the sources",
        ),
        (
            &whole.replace("\"cc\"", "\"../cc\""),
            "does not lie in the sources",
        ),
        (
            &whole.replace("\"make\"", "\"make CC={cc}\""),
            "`{cc}` stands for nothing",
        ),
    ] {
        let refused = said(&with(keys));
        assert!(refused.contains(expected), "{keys}: {refused}");
    }
}
