//! What the user's configuration says: settings, and the filters that it defines.

use std::path::Path;

use super::command::Git;

/// The value of a setting, as the user's configuration has it.
pub(super) fn setting(folder: &Path, name: &str) -> Option<String> {
    let asked = Git::of_user(folder, "read the configuration").args(["config", "--get", name]);
    asked.text().ok()
}

/// Options that keep the user's filters from running.
pub(super) fn without_filters(folder: &Path) -> Vec<String> {
    let mut options = Vec::new();
    for name in filters(folder) {
        for (key, value) in [
            ("clean", ""),
            ("smudge", ""),
            ("process", ""),
            ("required", "false"),
        ] {
            options.push("-c".to_owned());
            options.push(format!("filter.{name}.{key}={value}"));
        }
    }
    options
}

/// The filters that the user's configuration defines.
pub(super) fn filters(folder: &Path) -> Vec<String> {
    let asked = Git::of_user(folder, "read the configuration").args([
        "config",
        "--name-only",
        "--get-regexp",
        r"^filter\..*\.(clean|smudge|process|required)$",
    ]);
    let names = asked.text().unwrap_or_default();
    let mut found: Vec<String> = names
        .lines()
        .filter_map(|line| {
            let (name, _) = line.strip_prefix("filter.")?.rsplit_once('.')?;
            Some(name.to_owned())
        })
        .collect();
    found.sort();
    found.dedup();
    found
}
