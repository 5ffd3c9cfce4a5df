//! A build's command with its marks replaced: `{cc}`, `{flags}` and the like.

/// The marks that a build's command may hold, beside those that a shell knows.
pub(super) const MARKS: [&str; 5] = ["cc", "cxx", "flags", "ldflags", "jobs"];

/// `{word}`, but not `${word}`.
pub(super) fn marks(build: &str) -> Vec<&str> {
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
