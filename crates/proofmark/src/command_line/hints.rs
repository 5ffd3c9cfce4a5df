//! Every command that a message offers is held against the arguments that there are. Hints are read
//! from the sources, so that a new one is held too.

use std::path::{Path, PathBuf};

use clap::CommandFactory as _;

use super::Arguments;

/// What begins a hint in the sources.
const OPENS: &str = "`proofmark ";

/// Every source file of the workspace.
fn sources() -> Vec<PathBuf> {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut folders: Vec<PathBuf> = entries(&crates).map(|path| path.join("src")).collect();
    let mut files = Vec::new();
    while let Some(folder) = folders.pop() {
        for path in entries(&folder) {
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|ending| ending == "rs") {
                files.push(path);
            }
        }
    }
    // What makes hints, and what reads them, is full of them.
    files.retain(|path| !path.ends_with("command_line/hints.rs"));
    files.retain(|path| !path.ends_with("proofmark-hint/src/lib.rs"));
    files
}

fn entries(folder: &Path) -> impl Iterator<Item = PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten();
    entries.filter_map(|entry| Some(entry.ok()?.path()))
}

/// A source without its comments and its tests, texts that go over several lines put together.
fn said(path: &Path) -> String {
    let text = std::fs::read_to_string(path).expect("a source can be read");
    let text = text.split("#[cfg(test)]").next().unwrap_or_default();
    let lines = text.lines().map(str::trim);
    let code: Vec<&str> = lines.filter(|line| !line.starts_with("//")).collect();
    code.join("\n").replace("\\\n", "")
}

/// What stands between `opens` and `closes`, each time.
fn between<'a>(text: &'a str, opens: &str, closes: char) -> Vec<&'a str> {
    let parts = text.split(opens).skip(1);
    parts.filter_map(|part| part.split(closes).next()).collect()
}

/// What is wrong with a command line as somebody would type it.
fn wrong(command: &str) -> Option<String> {
    let words = command.split_whitespace().map(|word| word.replace('…', ""));
    let typed = std::iter::once("proofmark".to_owned()).chain(words);
    let error = Arguments::command().try_get_matches_from(typed).err()?;
    Some(error.to_string())
}

#[test]
fn commands_that_messages_offer_can_be_typed() {
    let (mut held, mut found) = (0, Vec::new());
    for path in sources() {
        for command in between(&said(&path), OPENS, '`') {
            held += 1;
            // In a text that is formatted, braces are doubled.
            let command = command.replace("{{}}", "{}");
            // The mark of the image, alone or as the beginning of a path.
            let without_mark = command.replace("-- {}", "--").replace(" {}/", " /");
            let holds_names = without_mark.contains('{');
            let problem = if holds_names {
                Some("a name is put in by `proofmark_hint::hint`, which quotes it".to_owned())
            } else {
                wrong(&command)
            };
            found.extend(
                problem.map(|problem| format!("{}: `{command}`: {problem}", path.display())),
            );
        }
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
    assert!(held > 15, "{held} hints were found");
}

/// Commands that want more than a name, with the words that the message gives them.
const ITS_OWN: [(&str, &str); 2] = [
    ("sweep", "--function name"),
    ("explain --rev", "--build make -- name"),
];

#[test]
fn commands_with_names_in_them_can_be_typed() {
    let (mut held, mut found) = (0, Vec::new());
    for path in sources() {
        let text = said(&path).replace("hint(\n", "hint(");
        for command in between(&text, "hint(\"", '"') {
            held += 1;
            let more = ITS_OWN.iter().find(|(known, _)| *known == command);
            let more = more.map_or("", |(_, words)| words);
            let problem = wrong(&format!("{command} name {more}"));
            found
                .extend(problem.map(|problem| format!("{}: {command}: {problem}", path.display())));
        }
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
    assert!(held > 5, "{held} hints were found");
}

#[test]
fn a_command_that_is_none_is_found_out() {
    assert!(wrong("builds shw NAME").is_some());
    assert!(wrong("builds show").is_some());
    assert!(wrong("builds show gcc12 O2").is_some());
    assert_eq!(wrong("compare BASE NEW -- {} ARGS…"), None);
    assert_eq!(between("a `proofmark builds` b", OPENS, '`'), ["builds"]);
}
