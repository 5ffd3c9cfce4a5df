//! A source as it is meant: with what it takes from another one, and its command with the marks
//! replaced.

use std::path::PathBuf;

use indexmap::IndexMap;
use serde::Serialize;

use super::definition::Definitions;
use super::problem::Problem;

/// The marks that a build's command may hold, beside those that a shell knows.
const MARKS: [&str; 5] = ["cc", "cxx", "flags", "ldflags", "jobs"];

/// A source with everything that it takes from others.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct Source {
    /// Relative to the project's folder, or absolute.
    pub(crate) path: PathBuf,
    pub(crate) rev: Option<String>,
    pub(crate) patches: Vec<String>,
    /// With its marks.
    pub(crate) build: String,
    pub(crate) image: Option<PathBuf>,
    pub(crate) inputs: Vec<String>,
    pub(crate) env: IndexMap<String, String>,
}

impl Definitions {
    /// The source with this name, complete.
    pub(crate) fn source(&self, name: &str) -> Result<Source, Problem> {
        let mut chain = Vec::new();
        let mut next = Some(name.to_owned());
        while let Some(name) = next {
            if chain.iter().any(|(known, _)| *known == name) {
                let what = format!("`from` leads from `{name}` back to `{name}`");
                return Err(Problem::new(&["source", &name, "from"], what));
            }
            let Some(definition) = self.sources.get(&name) else {
                let from = chain
                    .last()
                    .map_or(name.as_str(), |(from, _): &(String, _)| from);
                let what = format!("there is no source `{name}`");
                return Err(Problem::new(&["source", from, "from"], what)
                    .among(&name, self.sources.keys().map(String::as_str)));
            };
            next = definition.from.clone();
            chain.push((name, definition));
        }
        let mut env = IndexMap::new();
        for (_, definition) in chain.iter().rev() {
            env.extend(definition.env.clone());
        }
        let said = || chain.iter().map(|(_, definition)| *definition);
        let missing =
            |key: &str| Problem::new(&["source", name], format!("source `{name}` has no `{key}`"));
        let build = said().find_map(|of| of.build.clone());
        let build = build.ok_or_else(|| {
            missing("build")
                .next("it is the command that builds it, as in build = \"make CC={cc}\"")
        })?;
        Ok(Source {
            path: said()
                .find_map(|of| of.path.clone())
                .ok_or_else(|| missing("path"))?,
            rev: said().find_map(|of| of.rev.clone()),
            patches: said()
                .find_map(|of| of.patch.clone())
                .map(|names| names.0)
                .unwrap_or_default(),
            build,
            image: said().find_map(|of| of.image.clone()),
            inputs: said()
                .find_map(|of| of.inputs.clone())
                .map(|names| names.0)
                .unwrap_or_default(),
            env,
        })
    }
}

impl Definitions {
    /// The patches of a source, its own or those that it takes from another, in order; relative to
    /// the project's folder. None where there is no such source.
    #[must_use]
    pub fn patches(&self, source: &str) -> Vec<String> {
        self.source(source)
            .map(|source| source.patches)
            .unwrap_or_default()
    }
}

/// Sources are complete, their marks are known, and flag sets have a place to go.
pub(super) fn check(of: &Definitions, names: &[String]) -> Result<(), Problem> {
    let used: Vec<&str> = (of.matrix.flags.iter().flatten())
        .chain(&of.matrix.include)
        .flat_map(|entry| entry.split_whitespace())
        .collect();
    for name in names {
        let source = of.source(name)?;
        let at = ["source", name.as_str(), "build"];
        for mark in marks(&source.build) {
            if !MARKS.contains(&mark)
                && MARKS
                    .iter()
                    .any(|known| strsim::levenshtein(mark, known) == 1)
            {
                let problem = Problem::new(&at, format!("`{{{mark}}}` is not replaced"));
                return Err(problem.among(mark, MARKS));
            }
        }
        for (set, flags) in of
            .flags
            .iter()
            .filter(|(set, _)| used.contains(&set.as_str()))
        {
            for (mark, words) in [("{flags}", &flags.add), ("{ldflags}", &flags.link)] {
                if !words.is_empty() && !source.build.contains(mark) {
                    let what = format!(
                        "the build of `{name}` has no {mark}, and so flag set `{set}` does not reach it"
                    );
                    return Err(Problem::new(&at, what).next(format!(
                        "write {mark} where its options go, as in CFLAGS='{mark}'"
                    )));
                }
            }
        }
    }
    Ok(())
}

/// `{word}`, but not `${word}`.
fn marks(build: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut rest = build;
    while let Some((before, after)) = rest.split_once('{') {
        rest = after;
        let Some((mark, _)) = after.split_once('}') else {
            break;
        };
        let word = !mark.is_empty() && mark.bytes().all(|byte| byte.is_ascii_lowercase());
        if word && !before.ends_with('$') {
            found.push(mark);
        }
    }
    found
}

/// What the marks of a command are replaced with.
pub(crate) struct Replacements<'a> {
    pub(crate) cc: &'a str,
    pub(crate) cxx: &'a str,
    pub(crate) flags: &'a [String],
    pub(crate) ldflags: &'a [String],
    pub(crate) jobs: usize,
}

/// A command with its marks replaced. Words stay words: the text is quoted for the place in which
/// the mark stands.
pub(crate) fn expanded(build: &str, with: &Replacements<'_>) -> String {
    let mut out = String::new();
    let mut quote = Quote::None;
    let mut rest = build;
    while let Some(letter) = rest.chars().next() {
        if letter == '{'
            && !out.ends_with('$')
            && let Some((mark, after)) = rest.get(1..).and_then(|rest| rest.split_once('}'))
            && let Some(text) = with.text(mark)
        {
            out.push_str(&quote.inside(&text));
            rest = after;
            continue;
        }
        let escaped = letter == '\\' && quote != Quote::Single;
        let taken = if escaped { 2 } else { 1 };
        out.extend(rest.chars().take(taken));
        let end = rest
            .char_indices()
            .nth(taken)
            .map_or(rest.len(), |(at, _)| at);
        rest = rest.get(end..).unwrap_or_default();
        if !escaped {
            quote = quote.after(letter);
        }
    }
    out
}

impl Replacements<'_> {
    fn text(&self, mark: &str) -> Option<String> {
        let quoted = |words: &[String]| {
            let words = words.iter().map(|word| {
                shlex::try_quote(word).map_or_else(|_| word.clone(), std::borrow::Cow::into_owned)
            });
            words.collect::<Vec<String>>().join(" ")
        };
        Some(match mark {
            "cc" => self.cc.to_owned(),
            "cxx" => self.cxx.to_owned(),
            "flags" => quoted(self.flags),
            "ldflags" => quoted(self.ldflags),
            "jobs" => self.jobs.to_string(),
            _ => return None,
        })
    }
}

/// Where in a shell's command a mark stands.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Quote {
    None,
    Single,
    Double,
}

impl Quote {
    fn after(self, letter: char) -> Quote {
        match (self, letter) {
            (Quote::None, '\'') => Quote::Single,
            (Quote::None, '"') => Quote::Double,
            (Quote::Single, '\'') | (Quote::Double, '"') => Quote::None,
            _ => self,
        }
    }

    /// Text that comes out of these quotes as it is here.
    fn inside(self, text: &str) -> String {
        match self {
            Quote::None => text.to_owned(),
            Quote::Single => text.replace('\'', r"'\''"),
            Quote::Double => {
                let mut out = String::new();
                for letter in text.chars() {
                    if "\"\\$`".contains(letter) {
                        out.push('\\');
                    }
                    out.push(letter);
                }
                out
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_survive_the_quotes_around_their_mark() {
        let flags = ["-DX=\"a 'b' $c\"".to_owned(), "-O2".to_owned()];
        let with = Replacements {
            cc: "/x/cc",
            cxx: "/x/c++",
            flags: &flags,
            ldflags: &[],
            jobs: 2,
        };
        for build in [
            "printf '%s\\n' {flags}",
            "eval printf '\"%s\\n\"' '{flags}'",
            "eval \"printf '%s\\n' {flags}\"",
        ] {
            let command = expanded(build, &with);
            let out = std::process::Command::new("sh")
                .arg("-c")
                .arg(&command)
                .output()
                .unwrap();
            let out = String::from_utf8(out.stdout).unwrap();
            assert_eq!(out.lines().collect::<Vec<_>>(), flags, "{command}");
        }
        assert_eq!(
            expanded("make CC={cc} ${cc} {x} -j{jobs}", &with),
            "make CC=/x/cc ${cc} {x} -j2"
        );
    }

    #[test]
    fn marks_are_lower_case_words_in_braces() {
        assert_eq!(marks("make {cc} ${x} {a,b} {flag} {A}"), ["cc", "flag"]);
    }
}
